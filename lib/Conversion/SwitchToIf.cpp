//===- SwitchToIf.cpp - Switches that give tensors become ifs -------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

namespace vortex {
#define GEN_PASS_DEF_SWITCHTOIF
#include "vortex/Conversion/Passes.h.inc"
} // namespace vortex

using namespace mlir;

/// The cases of `op` from `position` on, at the rewriter's insertion point.
static SmallVector<Value> emitCases(IRRewriter &rewriter, scf::IndexSwitchOp op,
                                    unsigned position) {
  Location loc = op.getLoc();
  auto take = [&](Region &region) {
    Block &block = region.front();
    auto yield = cast<scf::YieldOp>(block.getTerminator());
    SmallVector<Value> results(yield.getResults());
    rewriter.eraseOp(yield);
    rewriter.inlineBlockBefore(&block, rewriter.getInsertionBlock(),
                               rewriter.getInsertionPoint());
    return results;
  };
  if (position == op.getCases().size())
    return take(op.getDefaultRegion());
  Value is = arith::CmpIOp::create(
      rewriter, loc, arith::CmpIPredicate::eq, op.getArg(),
      arith::ConstantIndexOp::create(rewriter, loc, op.getCases()[position]));
  auto branch = scf::IfOp::create(rewriter, loc, op.getResultTypes(), is,
                                  /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToEnd(branch.thenBlock());
  SmallVector<Value> then = take(op.getCaseRegions()[position]);
  scf::YieldOp::create(rewriter, loc, then);
  rewriter.setInsertionPointToEnd(branch.elseBlock());
  SmallVector<Value> otherwise = emitCases(rewriter, op, position + 1);
  scf::YieldOp::create(rewriter, loc, otherwise);
  return SmallVector<Value>(branch.getResults());
}

namespace {
struct SwitchToIfPass : vortex::impl::SwitchToIfBase<SwitchToIfPass> {
  void runOnOperation() override {
    SmallVector<scf::IndexSwitchOp> switches;
    getOperation()->walk([&](scf::IndexSwitchOp op) {
      if (llvm::any_of(op.getResultTypes(), llvm::IsaPred<TensorType>))
        switches.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (scf::IndexSwitchOp op : switches) {
      rewriter.setInsertionPoint(op);
      SmallVector<Value> results = emitCases(rewriter, op, 0);
      rewriter.replaceOp(op, results);
    }
  }
};
} // namespace
