//===- SplitProducts.cpp - A library's product, and a kernel behind it ----===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Expansion.h"
#include "GpuCandidates.h"
#include "LibraryStage.h"

#include "vortex/Dialect/Vortex/Transforms/AxisExtents.h"
#include "vortex/Dialect/Vortex/Transforms/Passes.h"
#include "vortex/HwDesc/Targets.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace vortex {
#define GEN_PASS_DEF_SPLITPRODUCTS
#include "vortex/Dialect/Vortex/Transforms/Passes.h.inc"
} // namespace vortex

using namespace mlir;
using namespace vortex;

namespace {
/// One kernel whose only candidate leaves its product to a library.
class ProductSplitter {
public:
  ProductSplitter(KernelOp kernel, StageOp stage)
      : kernel(kernel), candidate(kernel.getCandidateOps()[0]), stage(stage),
        b(kernel.getLoc(), kernel) {}
  LogicalResult run(HwAttr hw);

private:
  Value outside(Value value);
  FailureOr<Value> createResult();
  LogicalResult createRest(Value product, HwAttr hw, KernelOp &rest);

  KernelOp kernel;
  CandidateOp candidate;
  StageOp stage;
  ImplicitLocOpBuilder b;
  LibraryProductOps ops;
};
} // namespace

/// What an argument of the payload is in the program; null for other values.
Value ProductSplitter::outside(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument ? kernel->getOperand(argument.getArgNumber()) : Value();
}

/// Scratch memory of the product's sizes.
FailureOr<Value> ProductSplitter::createResult() {
  FailureOr<SmallVector<Value>> extents = getAxisExtents(b, kernel);
  if (failed(extents))
    return failure();
  auto type = cast<RankedTensorType>(ops.product->getResult(0).getType());
  SmallVector<Value> dynamic;
  AffineMap out = ops.product.getIndexingMapsArray().back();
  for (auto [extent, loop] : llvm::zip(type.getShape(), out.getResults()))
    if (ShapedType::isDynamic(extent))
      dynamic.push_back((*extents)[cast<AffineDimExpr>(loop).getPosition()]);
  return tensor::EmptyOp::create(b, type.getShape(), type.getElementType(),
                                 dynamic)
      .getResult();
}

/// The kernel of what is behind the product, which is its first input.
LogicalResult ProductSplitter::createRest(Value product, HwAttr hw,
                                          KernelOp &rest) {
  Block &old = kernel.getPayload().front();
  auto isRest = [&](Operation *op) {
    return op != ops.product.getOperation() && op != ops.start;
  };
  auto isRead = [&](BlockArgument argument) {
    return llvm::any_of(argument.getUsers(), isRest);
  };
  SmallVector<Value> inputs = {product};
  for (auto [argument, operand] :
       llvm::zip(old.getArguments(), kernel.getInputs()))
    if (isRead(argument))
      inputs.push_back(operand);
  SmallVector<Attribute> axes;
  for (AffineExpr expr : ops.product.getIndexingMapsArray().back().getResults())
    axes.push_back(kernel.getAxes()[cast<AffineDimExpr>(expr).getPosition()]);
  rest = KernelOp::create(b, kernel.getResultTypes(), kernel.getNameAttr(),
                          b.getArrayAttr(axes), inputs, kernel.getInits());

  OpBuilder::InsertionGuard guard(b);
  Block *payload = b.createBlock(&rest.getPayload());
  for (Value operand : rest->getOperands())
    payload->addArgument(operand.getType(), b.getLoc());
  IRMapping map;
  map.map(ops.product->getResult(0), payload->getArgument(0));
  unsigned next = 1;
  for (BlockArgument argument : old.getArguments())
    if (argument.getArgNumber() >= kernel.getInputs().size() ||
        isRead(argument))
      map.map(argument, payload->getArgument(next++));
  linalg::LinalgOp last;
  for (Operation &op : old) {
    if (!isRest(&op))
      continue;
    auto clone = dyn_cast<linalg::LinalgOp>(b.clone(op, map));
    last = clone ? clone : last;
  }
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*payload)))
    if (isOpTriviallyDead(&op))
      op.erase();
  last->setAttr(kAnchorAttr, b.getUnitAttr());
  CandidateReport report;
  if (failed(addGpuStreamCandidates(rest, last, /*columns=*/false, hw, report)))
    return kernel.emitOpError("leaves its product to a library, and no "
                              "candidate runs what follows: ")
           << llvm::join(report.pruned, "; ");
  // One way to run it, chosen with the product: parts of rows, of which there
  // are enough where there are few rows.
  SmallVector<CandidateOp> all = rest.getCandidateOps();
  auto *only = llvm::find_if(
      all, [](CandidateOp one) { return one.getSymName() == "runs"; });
  if (only == all.end())
    only = llvm::find_if(
        all, [](CandidateOp one) { return one.getSymName() == "rows"; });
  for (CandidateOp one : all)
    if (one != *only)
      one.erase();
  only->getGuard().getBlocks().clear();
  only->getCost().getBlocks().clear();
  only->setSymName(candidate.getSymName());
  Block &region = rest.getCandidates().front();
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(region)))
    if (isOpTriviallyDead(&op))
      op.erase();
  return success();
}

LogicalResult ProductSplitter::run(HwAttr hw) {
  auto anchor = dyn_cast_if_present<linalg::LinalgOp>(kernel.getAnchor());
  SmallVector<StringRef> ids;
  for (Attribute id : stage.getOps())
    ids.push_back(cast<StringAttr>(id).getValue());
  auto found = getLibraryProduct(
      stage, anchor, anchor ? getPayloadId(anchor) : StringRef(), ids);
  if (failed(found))
    return failure();
  ops = *found;
  bool isAll = kernel.getPayload().front().getTerminator()->getOperand(0) ==
                   anchor->getResult(0) &&
               kernel.getNumResults() == 1;
  Value x = outside(anchor->getOperand(ops.roles.a)),
        y = outside(anchor->getOperand(ops.roles.b));
  Value begin =
      outside(ops.start ? ops.start.getOutputs()[0] : anchor.getDpsInits()[0]);
  if (!x || !y || (!begin && (isAll || !ops.start)))
    return stage.emitOpError()
           << "leaves to library '" << *stage.getLibrary()
           << "' a product of what is computed in its kernel";
  if (!isAll && ops.start) {
    FailureOr<Value> result = createResult();
    if (failed(result))
      return failure();
    begin = *result;
  }
  Value product = createLibraryCall(b, stage, ops, x, y, begin).getResult();
  if (isAll) {
    kernel.replaceAllUsesWith(ValueRange{product});
    kernel.erase();
    return success();
  }
  KernelOp rest;
  if (failed(createRest(product, hw, rest)))
    return failure();
  kernel.replaceAllUsesWith(rest.getResults());
  kernel.erase();
  return success();
}

namespace {
struct SplitProductsPass : vortex::impl::SplitProductsBase<SplitProductsPass> {
  void runOnOperation() override {
    SmallVector<std::pair<KernelOp, StageOp>> work;
    getOperation()->walk([&](KernelOp kernel) {
      SmallVector<CandidateOp> candidates = kernel.getCandidateOps();
      if (candidates.size() != 1)
        return;
      for (auto stage : candidates[0].getSchedule().front().getOps<StageOp>())
        if (stage.getLibrary())
          work.push_back({kernel, stage});
    });
    for (auto [kernel, stage] : work) {
      SmallVector<HwAttr> targets = getTargets(kernel);
      if (targets.empty() || !targets.front().isGPU())
        continue; // threads divide the product among calls
      if (failed(ProductSplitter(kernel, stage).run(targets.front())))
        return signalPassFailure();
      ++numSplit;
    }
  }
};
} // namespace
