//===- PrepareWeights.cpp - What weights alone decide is made once --------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scope.h"

#include "vortex/Dialect/Vortex/IR/WeightValues.h"
#include "vortex/Dialect/Vortex/Transforms/Passes.h"
#include "vortex/Graph/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace vortex {
#define GEN_PASS_DEF_PREPAREWEIGHTS
#include "vortex/Graph/Passes.h.inc"
} // namespace vortex

using namespace mlir;
using namespace vortex;

/// Whether the result of `op` takes no more room than what it is made of.
static bool isCompact(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || op->getNumResults() != 1)
    return false;
  int64_t rank = op.getIndexingMapsArray().back().getNumResults();
  return llvm::any_of(op.getDpsInputs(), [&](Value input) {
    auto type = dyn_cast<RankedTensorType>(input.getType());
    return type && type.getRank() >= rank && rank > 0;
  });
}

/// Whether `op` is a view that products read, which is laid out for them.
static bool isFactor(Operation *op) {
  if (!isa<tensor::ExtractSliceOp, tensor::CollapseShapeOp,
           tensor::ExpandShapeOp>(op))
    return false;
  return llvm::any_of(op->getUses(), [](OpOperand &use) {
    auto user = dyn_cast<linalg::LinalgOp>(use.getOwner());
    return user && user.isDpsInput(&use) && user.getNumReductionLoops() > 0 &&
           user.getNumDpsInputs() > 1;
  });
}

/// Whether `op` is the last of those that put weights side by side.
static bool isJoined(Operation *op) {
  auto insert = dyn_cast<tensor::InsertSliceOp>(op);
  return insert && llvm::any_of(insert->getUses(), [](OpOperand &use) {
           auto next = dyn_cast<tensor::InsertSliceOp>(use.getOwner());
           return !next || use != next.getDestMutable();
         });
}

/// Whether `op` takes one of several weights, which one is only known when it
/// runs, for a product: all of them are laid out for it beforehand. Sums of
/// columns, which some products of integers need, are made of one weight.
static bool isPicked(tensor::ExtractSliceOp op, WeightValues &weights) {
  return isFactor(op) && op.getType().getElementType().isFloat() &&
         weights.contains(op.getSource()) && getPickedDims(op);
}

namespace {
struct PrepareWeightsPass
    : vortex::impl::PrepareWeightsBase<PrepareWeightsPass> {
  void runOnOperation() override {
    (void)forEachFunction(getOperation(), [&](FunctionOpInterface function) {
      WeightValues weights(function);
      for (Operation &op : function.getFunctionBody().front()) {
        auto linalgOp = dyn_cast<linalg::LinalgOp>(&op);
        if (!(linalgOp ? isCompact(linalgOp)
                       : isFactor(&op) || isJoined(&op)) ||
            op.hasAttr(kBindAttr) || !weights.contains(op.getResult(0)))
          continue;
        op.setAttr(kBindAttr, UnitAttr::get(&getContext()));
        ++numPrepared;
      }
      function->walk([&](tensor::ExtractSliceOp op) {
        if (op.getOffsets().empty() || isInKernel(op) ||
            op->hasAttr(kBindAttr) || !isPicked(op, weights))
          return;
        op->setAttr(kBindAttr, UnitAttr::get(&getContext()));
        ++numPrepared;
      });
      return success();
    });
  }
};
} // namespace
