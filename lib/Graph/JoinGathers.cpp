//===- JoinGathers.cpp - Rows of a table, summed where they are read ------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scope.h"

#include "vortex/Graph/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace vortex {
#define GEN_PASS_DEF_JOINGATHERS
#include "vortex/Graph/Passes.h.inc"
} // namespace vortex

using namespace mlir;
using namespace vortex;

/// Picks each element of its result out of a tensor.
static bool isGather(linalg::GenericOp op) {
  return op && !isInKernel(op) && op.hasPureTensorSemantics() &&
         op->getNumResults() == 1 && op->hasOneUse() &&
         op.getNumReductionLoops() == 0 &&
         op.getIndexingMapsArray().back().isIdentity() &&
         !op.payloadUsesValueFromOperand(op.getDpsInitOperand(0)) &&
         !op.getBlock()->getOps<tensor::ExtractOp>().empty();
}

/// Reduces `operand` along a loop that is not the innermost: what is innermost
/// stays parallel, and becomes vectors.
static bool reducesRows(linalg::GenericOp op, OpOperand *operand) {
  return op && !isInKernel(op) && op.hasPureTensorSemantics() &&
         op.getNumDpsInputs() == 1 && op->getNumResults() == 1 &&
         op.getNumReductionLoops() > 0 &&
         op.getIteratorTypesArray().back() == utils::IteratorType::parallel &&
         op.getMatchingIndexingMap(operand).isIdentity();
}

namespace {
/// The reduction reads the table itself.
struct JoinReduction : OpRewritePattern<linalg::GenericOp> {
  JoinReduction(MLIRContext *context, Pass::Statistic &joined)
      : OpRewritePattern(context), joined(joined) {}

  LogicalResult matchAndRewrite(linalg::GenericOp gather,
                                PatternRewriter &rewriter) const override {
    if (!isGather(gather))
      return failure();
    OpOperand &use = *gather->use_begin();
    auto reduction = dyn_cast<linalg::GenericOp>(use.getOwner());
    if (!reduction || !reduction.isDpsInput(&use) ||
        reduction->getBlock() != gather->getBlock() ||
        !reducesRows(reduction, &use) ||
        !linalg::areElementwiseOpsFusable(&use))
      return failure();
    rewriter.setInsertionPoint(reduction);
    FailureOr<linalg::ElementwiseOpFusionResult> fused =
        linalg::fuseElementwiseOps(rewriter, &use);
    if (failed(fused))
      return failure();
    rewriter.replaceOp(reduction,
                       fused->replacements.lookup(reduction->getResult(0)));
    rewriter.eraseOp(gather);
    ++joined;
    return success();
  }

  Pass::Statistic &joined;
};

struct JoinGathersPass : vortex::impl::JoinGathersBase<JoinGathersPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<JoinReduction>(&getContext(), numJoined);
    // Bags of indices that were made one list are bags again, where a
    // reduction reads their rows.
    linalg::populateFoldReshapeOpsByExpansionPatterns(
        patterns, [](OpOperand *operand) {
          auto gather = operand->get().getDefiningOp<linalg::GenericOp>();
          auto expand = dyn_cast<tensor::ExpandShapeOp>(operand->getOwner());
          if (!expand || !isGather(gather) || !expand->hasOneUse())
            return false;
          OpOperand &use = *expand->use_begin();
          return reducesRows(dyn_cast<linalg::GenericOp>(use.getOwner()), &use);
        });
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (isa<linalg::GenericOp, tensor::ExpandShapeOp>(op) && !isInKernel(op))
        ops.push_back(op);
    });
    (void)applyOpPatternsGreedily(ops, std::move(patterns));
  }
};
} // namespace
