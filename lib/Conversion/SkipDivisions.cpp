//===- SkipDivisions.cpp - Divisions that need no dividing ------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a thread, a block or a group of rows takes of a problem is one division
// behind the other. Of a small problem there is one thread, one block and one
// group: the divisor is one, or the quotient is. A branch that goes the same
// way most of the time does not wait for what it depends on, a division does.
//
//===----------------------------------------------------------------------===//

#include "vortex/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

namespace vortex {
#define GEN_PASS_DEF_SKIPDIVISIONS
#include "vortex/Conversion/Passes.h.inc"
} // namespace vortex

using namespace mlir;
using namespace vortex;

/// Puts `op` behind a test of its divisor, and one of its quotient.
static void skip(arith::CeilDivUIOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  Type index = b.getIndexType();
  Value x = op.getLhs(), y = op.getRhs();
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  auto compare = [&](arith::CmpIPredicate predicate, Value first,
                     Value second) -> Value {
    return arith::CmpIOp::create(b, loc, predicate, first, second);
  };
  auto branch = [&](Value condition) {
    auto choice =
        scf::IfOp::create(b, loc, index, condition, /*withElseRegion=*/true);
    b.setInsertionPointToStart(choice.thenBlock());
    return choice;
  };
  auto whole = branch(compare(arith::CmpIPredicate::eq, y, one));
  scf::YieldOp::create(b, loc, x);
  b.setInsertionPointToStart(whole.elseBlock());
  auto single = branch(compare(arith::CmpIPredicate::ule, x, y));
  Value any = compare(arith::CmpIPredicate::ne, x, zero);
  scf::YieldOp::create(
      b, loc, arith::SelectOp::create(b, loc, any, one, zero).getResult());
  b.setInsertionPointToStart(single.elseBlock());
  // More than the divisor, so not zero.
  Value less = arith::SubIOp::create(b, loc, x, one);
  Value quotient = arith::DivUIOp::create(b, loc, less, y);
  scf::YieldOp::create(
      b, loc, arith::AddIOp::create(b, loc, quotient, one).getResult());
  b.setInsertionPointAfter(single);
  scf::YieldOp::create(b, loc, single.getResults());
  op.replaceAllUsesWith(whole.getResult(0));
  op.erase();
}

namespace {
struct SkipDivisionsPass : vortex::impl::SkipDivisionsBase<SkipDivisionsPass> {
  void runOnOperation() override {
    SmallVector<arith::CeilDivUIOp> divisions;
    getOperation()->walk([&](arith::CeilDivUIOp op) {
      if (op.getType().isIndex() && !matchPattern(op.getRhs(), m_Constant()) &&
          !matchPattern(op.getLhs(), m_Constant()))
        divisions.push_back(op);
    });
    for (arith::CeilDivUIOp op : divisions)
      skip(op);
    numSkipped += divisions.size();
  }
};
} // namespace
