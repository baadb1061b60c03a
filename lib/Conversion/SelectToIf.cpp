//===- SelectToIf.cpp - Tensors of which one is picked -----------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Conversion/Passes.h"

#include "vortex/Dialect/Vortex/IR/KnownSize.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

namespace vortex {
#define GEN_PASS_DEF_SELECTTOIF
#include "vortex/Conversion/Passes.h.inc"
} // namespace vortex

using namespace mlir;

namespace {
struct SelectToIfPass : vortex::impl::SelectToIfBase<SelectToIfPass> {
  void runOnOperation() override {
    SmallVector<arith::SelectOp> selects;
    getOperation()->walk([&](arith::SelectOp op) {
      auto type = dyn_cast<RankedTensorType>(op.getType());
      if (type && !type.hasStaticShape() && vortex::picksOneTensor(op))
        selects.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (arith::SelectOp op : selects) {
      rewriter.setInsertionPoint(op);
      auto yields = [](Value value) {
        return [value](OpBuilder &b, Location loc) {
          scf::YieldOp::create(b, loc, value);
        };
      };
      rewriter.replaceOpWithNewOp<scf::IfOp>(op, op.getCondition(),
                                             yields(op.getTrueValue()),
                                             yields(op.getFalseValue()));
    }
  }
};
} // namespace
