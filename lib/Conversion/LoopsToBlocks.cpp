//===- LoopsToBlocks.cpp - Loops that test behind their body ----*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's blocks of `scf.for` test in front of the body, which LLVM rotates
// behind it. For each loop it then forgets what it knows of all code that the
// outermost loop around holds: of a padded convolution of bytes, whose cases of
// tiles are some hundred loops in a few, a quarter of its optimiser's time. Nor
// does it ask of loops how often they might be repeated where told not to.
//
//===----------------------------------------------------------------------===//

#include "vortex/Conversion/Passes.h"
#include "vortex/Dialect/Vortex/Transforms/LoopUnroll.h"

#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Transforms/DialectConversion.h"

namespace vortex {
#define GEN_PASS_DEF_LOOPSTOBLOCKS
#include "vortex/Conversion/Passes.h.inc"
} // namespace vortex

using namespace mlir;
using namespace vortex;

namespace {
/// A branch around the loop, its body, and a branch back behind that.
struct RotateLoop : OpConversionPattern<scf::ForOp> {
  RotateLoop(MLIRContext *context, bool unrollsAny)
      : OpConversionPattern(context, /*benefit=*/2), unrollsAny(unrollsAny) {}

  LogicalResult
  matchAndRewrite(scf::ForOp loop, OpAdaptor operands,
                  ConversionPatternRewriter &rewriter) const override;

  bool unrollsAny;
};

struct LoopsToBlocksPass : vortex::impl::LoopsToBlocksBase<LoopsToBlocksPass> {
  using LoopsToBlocksBase::LoopsToBlocksBase;
  void runOnOperation() override;
};
} // namespace

LogicalResult
RotateLoop::matchAndRewrite(scf::ForOp loop, OpAdaptor operands,
                            ConversionPatternRewriter &rewriter) const {
  Location loc = loop.getLoc();
  Value end = operands.getUpperBound();
  auto isBefore = [&](Value at) {
    return arith::CmpIOp::create(rewriter, loc,
                                 loop.getUnsignedCmp()
                                     ? arith::CmpIPredicate::ult
                                     : arith::CmpIPredicate::slt,
                                 at, end)
        .getResult();
  };
  Attribute annotation = loop->getDiscardableAttr(kLoopAnnotationAttr);
  if (!annotation && !unrollsAny)
    annotation = makeUnrollAnnotation(rewriter.getContext(), std::nullopt);

  Block *before = rewriter.getInsertionBlock();
  Block *behind = rewriter.splitBlock(before, rewriter.getInsertionPoint());
  SmallVector<Value> results;
  for (Type type : loop.getResultTypes())
    results.push_back(behind->addArgument(type, loc));
  Block *body = loop.getBody();
  rewriter.inlineRegionBefore(loop.getRegion(), behind);

  rewriter.setInsertionPointToEnd(before);
  SmallVector<Value> first = {operands.getLowerBound()};
  llvm::append_range(first, operands.getInitArgs());
  cf::CondBranchOp::create(rewriter, loc, isBefore(first[0]), body, first,
                           behind, operands.getInitArgs());

  auto yield = cast<scf::YieldOp>(body->getTerminator());
  rewriter.setInsertionPoint(yield);
  SmallVector<Value> next = {arith::AddIOp::create(
      rewriter, loc, body->getArgument(0), operands.getStep())};
  llvm::append_range(next, yield.getOperands());
  // Of the branches, upstream hands on what is said of a loop by those that
  // have no condition alone.
  Block *again = body;
  if (annotation) {
    OpBuilder::InsertionGuard guard(rewriter);
    SmallVector<Location> locations(next.size(), loc);
    again =
        rewriter.createBlock(behind, ValueRange(next).getTypes(), locations);
    cf::BranchOp::create(rewriter, loc, body, again->getArguments())
        ->setAttr(kLoopAnnotationAttr, annotation);
  }
  cf::CondBranchOp::create(rewriter, loc, isBefore(next[0]), again, next,
                           behind, ArrayRef<Value>(next).drop_front());
  rewriter.eraseOp(yield);
  rewriter.replaceOp(loop, results);
  return success();
}

void LoopsToBlocksPass::runOnOperation() {
  MLIRContext *context = &getContext();
  RewritePatternSet patterns(context);
  populateSCFToControlFlowConversionPatterns(patterns);
  patterns.add<RotateLoop>(context, unroll);
  ConversionTarget target(*context);
  target.addIllegalOp<scf::ForallOp, scf::ForOp, scf::IfOp, scf::IndexSwitchOp,
                      scf::ParallelOp, scf::WhileOp, scf::ExecuteRegionOp>();
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  if (failed(
          applyPartialConversion(getOperation(), target, std::move(patterns))))
    signalPassFailure();
}
