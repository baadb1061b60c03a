//===- JoinElementwise.cpp - Elementwise ops in one -----------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scope.h"

#include "vortex/Graph/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace vortex {
#define GEN_PASS_DEF_JOINELEMENTWISE
#include "vortex/Graph/Passes.h.inc"
} // namespace vortex

using namespace mlir;
using namespace vortex;

/// Walks the elements of its result, one by one and in their order.
static bool isElementwise(linalg::GenericOp op) {
  return op && !isInKernel(op) && op.hasPureTensorSemantics() &&
         op->getNumResults() == 1 && op.getNumReductionLoops() == 0 &&
         op.getNumLoops() != 0 &&
         op.getIndexingMapsArray().back().isIdentity() &&
         !op.payloadUsesValueFromOperand(op.getDpsInitOperand(0));
}

namespace {
/// An op joins the one that alone reads its result, element for element.
struct JoinReader : OpRewritePattern<linalg::GenericOp> {
  JoinReader(MLIRContext *context, Pass::Statistic &joined)
      : OpRewritePattern(context), joined(joined) {}

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (!isElementwise(op))
      return failure();
    for (OpOperand *operand : op.getDpsInputOperands()) {
      auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
      if (!isElementwise(producer) || !producer->hasOneUse() ||
          producer->getBlock() != op->getBlock() ||
          !op.getMatchingIndexingMap(operand).isIdentity() ||
          !linalg::areElementwiseOpsFusable(operand))
        continue;
      FailureOr<linalg::ElementwiseOpFusionResult> fused =
          linalg::fuseElementwiseOps(rewriter, operand);
      if (failed(fused))
        continue;
      rewriter.replaceOp(op, fused->replacements.lookup(op->getResult(0)));
      rewriter.eraseOp(producer);
      ++joined;
      return success();
    }
    return failure();
  }

  Pass::Statistic &joined;
};

struct JoinElementwisePass
    : vortex::impl::JoinElementwiseBase<JoinElementwisePass> {
  void runOnOperation() override {
    SmallVector<Operation *> generics;
    getOperation()->walk([&](linalg::GenericOp op) {
      if (!isInKernel(op))
        generics.push_back(op);
    });
    RewritePatternSet patterns(&getContext());
    patterns.add<JoinReader>(&getContext(), numJoined);
    // A tensor that both read is read once.
    linalg::populateEraseUnusedOperandsAndResultsPatterns(patterns);
    (void)applyOpPatternsGreedily(generics, std::move(patterns));
  }
};
} // namespace
