//===- ExpandLibraryStage.cpp - A product becomes a call of a library -===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Expansion.h"

#include "PayloadClass.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace vortex;

/// The dimensions of an operand of `op` that two loops walk.
static SmallVector<int64_t> dimsOf(AffineMap map, unsigned first,
                                   unsigned second) {
  MLIRContext *context = map.getContext();
  SmallVector<int64_t> dims;
  for (unsigned loop : {first, second})
    dims.push_back(
        map.getResultPosition(getAffineDimExpr(loop, context)).value_or(-1));
  return dims;
}

/// The zeros that start `product`, if the stage names them.
static linalg::FillOp findStart(StageOp stage, linalg::LinalgOp product) {
  auto fill = product.getDpsInits()[0].getDefiningOp<linalg::FillOp>();
  bool named = fill && llvm::any_of(stage.getOps(), [&](Attribute id) {
                 return cast<StringAttr>(id).getValue() == getPayloadId(fill);
               });
  return named && matchPattern(fill.getInputs()[0], m_AnyZeroFloat())
             ? fill
             : linalg::FillOp();
}

LogicalResult Expansion::expandLibraryStage(StageOp stage) {
  SmallVector<StringRef> ids;
  for (Attribute id : stage.getOps())
    ids.push_back(cast<StringAttr>(id).getValue());
  mergeCopies(ids);
  linalg::LinalgOp product = anchor();
  std::optional<ContractionRoles> roles =
      product && llvm::is_contained(ids, StringRef(anchorId))
          ? getContractionRoles(product)
          : std::nullopt;
  if (!roles || roles->k.size() != 1 || product.getNumDpsInputs() != 2)
    return stage.emitOpError() << "leaves to library '" << *stage.getLibrary()
                               << "' what is no product of two matrices";
  linalg::FillOp start = findStart(stage, product);
  if (ids.size() != (start ? 2u : 1u))
    return stage.emitOpError()
           << "leaves to library '" << *stage.getLibrary()
           << "' more than a product and the zeros that start it";
  SmallVector<AffineMap> maps = product.getIndexingMapsArray();
  unsigned k = roles->k.front();
  rewriter.setInsertionPoint(product);
  Value init = start ? start.getOutputs()[0] : product.getDpsInits()[0];
  auto call = LibraryCallOp::create(
      rewriter, product.getLoc(), product->getResult(0).getType(),
      stage.getLibraryAttr(), start ? UnitAttr() : rewriter.getUnitAttr(),
      product->getOperand(roles->a),
      rewriter.getDenseI64ArrayAttr(dimsOf(maps[roles->a], roles->m, k)),
      product->getOperand(roles->b),
      rewriter.getDenseI64ArrayAttr(dimsOf(maps[roles->b], k, roles->n)), init,
      rewriter.getDenseI64ArrayAttr(dimsOf(maps.back(), roles->m, roles->n)));
  // Its position in the artifact's table among them.
  call->setDiscardableAttrs(stage->getDiscardableAttrDictionary());
  rewriter.replaceOp(product, call.getResult());
  if (start && start->use_empty())
    rewriter.eraseOp(start);
  // What follows finds the call as a value, no op of the payload.
  for (StringRef id : ids)
    scope.erase(id);
  return success();
}
