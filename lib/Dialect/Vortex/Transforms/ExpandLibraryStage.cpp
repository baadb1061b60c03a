//===- ExpandLibraryStage.cpp - A product becomes a call of a library -===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Expansion.h"

#include "LibraryStage.h"

#include "vortex/Dialect/Vortex/IR/MatrixForm.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace vortex;

/// The zeros that start `product`, if `ids` name them.
static linalg::FillOp findStart(ArrayRef<StringRef> ids,
                                linalg::LinalgOp product) {
  auto fill = product.getDpsInits()[0].getDefiningOp<linalg::FillOp>();
  return fill && llvm::is_contained(ids, getPayloadId(fill)) &&
                 matchPattern(fill.getInputs()[0], m_AnyZeroFloat())
             ? fill
             : linalg::FillOp();
}

FailureOr<LibraryProductOps>
vortex::getLibraryProduct(StageOp stage, linalg::LinalgOp product,
                          StringRef anchorId, ArrayRef<StringRef> ids) {
  std::optional<ContractionRoles> roles =
      product && llvm::is_contained(ids, anchorId)
          ? getContractionRoles(product)
          : std::nullopt;
  if (!roles || roles->k.size() != 1 || product.getNumDpsInputs() != 2)
    return stage.emitOpError() << "leaves to library '" << *stage.getLibrary()
                               << "' what is no product of two matrices";
  linalg::FillOp start = findStart(ids, product);
  if (ids.size() != (start ? 2u : 1u))
    return stage.emitOpError()
           << "leaves to library '" << *stage.getLibrary()
           << "' more than a product and the zeros that start it";
  return LibraryProductOps{product, start, *roles};
}

LibraryCallOp vortex::createLibraryCall(OpBuilder &builder, StageOp stage,
                                        const LibraryProductOps &ops, Value a,
                                        Value b, Value init) {
  linalg::LinalgOp product = ops.product;
  SmallVector<AffineMap> maps = product.getIndexingMapsArray();
  const std::pair<AffineMap, Value> operands[] = {
      {maps[ops.roles.a], a}, {maps[ops.roles.b], b}, {maps.back(), init}};
  // Whether the call need not know of a loop of the batch: no operand has more
  // than one point of it.
  auto isOne = [&](unsigned loop) {
    AffineExpr expr = getAffineDimExpr(loop, builder.getContext());
    return llvm::all_of(operands, [&](const auto &operand) {
      std::optional<unsigned> dim = operand.first.getResultPosition(expr);
      auto type = cast<ShapedType>(operand.second.getType());
      return !dim || type.getDimSize(*dim) == 1;
    });
  };
  // The dimensions of an operand that loops walk; -1: none.
  auto dimsOf = [&](AffineMap map, unsigned first, unsigned second) {
    SmallVector<unsigned> loops = llvm::filter_to_vector(
        ops.roles.batch, [&](unsigned loop) { return !isOne(loop); });
    loops.append({first, second});
    SmallVector<int64_t> dims;
    for (unsigned loop : loops) {
      AffineExpr expr = getAffineDimExpr(loop, builder.getContext());
      std::optional<unsigned> dim = map.getResultPosition(expr);
      dims.push_back(dim ? int64_t(*dim) : -1);
    }
    return builder.getDenseI64ArrayAttr(dims);
  };
  unsigned m = ops.roles.m, n = ops.roles.n, k = ops.roles.k.front();
  bool isTF32 = getFactorType(product, ops.roles.a).isTF32();
  auto call = LibraryCallOp::create(
      builder, product.getLoc(), init.getType(), stage.getLibraryAttr(),
      ops.start ? UnitAttr() : builder.getUnitAttr(),
      isTF32 ? builder.getUnitAttr() : UnitAttr(), a,
      dimsOf(maps[ops.roles.a], m, k), b, dimsOf(maps[ops.roles.b], k, n), init,
      dimsOf(maps.back(), m, n));
  // Its position in the artifact's table among them.
  call->setDiscardableAttrs(stage->getDiscardableAttrDictionary());
  return call;
}

LogicalResult Expansion::expandLibraryStage(StageOp stage) {
  SmallVector<StringRef> ids;
  for (Attribute id : stage.getOps())
    ids.push_back(cast<StringAttr>(id).getValue());
  mergeCopies(ids);
  linalg::LinalgOp product = anchor();
  FailureOr<LibraryProductOps> ops =
      getLibraryProduct(stage, product, anchorId, ids);
  if (failed(ops))
    return failure();
  linalg::FillOp start = ops->start;
  rewriter.setInsertionPoint(product);
  Value init = start ? start.getOutputs()[0] : product.getDpsInits()[0];
  auto call = createLibraryCall(rewriter, stage, *ops,
                                product->getOperand(ops->roles.a),
                                product->getOperand(ops->roles.b), init);
  rewriter.replaceOp(product, call.getResult());
  if (start && start->use_empty())
    rewriter.eraseOp(start);
  // What follows finds the call as a value, no op of the payload.
  for (StringRef id : ids)
    scope.erase(id);
  return success();
}
