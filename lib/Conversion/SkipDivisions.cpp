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
// group: the divisor is one, or the quotient is, and whatever an estimate says
// of blocks, all ways to divide are the same. A branch that goes the same way
// most of the time does not wait for what it depends on, a division does.
//
//===----------------------------------------------------------------------===//

#include "vortex/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

namespace vortex {
#define GEN_PASS_DEF_SKIPDIVISIONS
#include "vortex/Conversion/Passes.h.inc"
} // namespace vortex

using namespace mlir;
using namespace vortex;

//===----------------------------------------------------------------------===//
// What a branch takes along
//===----------------------------------------------------------------------===//

/// Whether the op gives a number of the machine or of the program: nothing of
/// the call's sizes is in it.
static bool isOfMachine(Operation *op, DenseMap<Operation *, bool> &known) {
  if (auto it = known.find(op); it != known.end())
    return it->second;
  auto load = dyn_cast<LLVM::LoadOp>(op);
  bool repeats =
      load ? load.getInvariant()
           : isa<LLVM::GEPOp>(op) || isa<arith::ArithDialect>(op->getDialect());
  auto isFixed = [&](Value operand) {
    Operation *def = operand.getDefiningOp();
    return def ? isOfMachine(def, known)
               : isa<LLVM::LLVMPointerType>(operand.getType());
  };
  return known[op] = repeats && llvm::all_of(op->getOperands(), isFixed);
}

namespace {
/// What computes `root` for a branch that alone asks for it.
struct Exclusive {
  SmallVector<Operation *> moved; ///< in order; nothing else uses them
  bool divides = false;           ///< There is a division before `root`.
};
} // namespace

/// Numbers of the machine stay in front of the branch: they wait for nothing.
static Exclusive getExclusive(Value root) {
  Exclusive found;
  Operation *last = root.getDefiningOp();
  if (!last || !root.hasOneUse() ||
      !isa<arith::ArithDialect>(last->getDialect()) ||
      last->hasTrait<OpTrait::ConstantLike>())
    return found;
  DenseMap<Operation *, bool> known;
  DenseSet<Operation *> inside, needed = {last};
  for (Operation *op = last; op; op = op->getPrevNode()) {
    if (!needed.contains(op) || op->hasTrait<OpTrait::ConstantLike>())
      continue;
    bool fixed = isOfMachine(op, known);
    bool alone = isa<arith::ArithDialect>(op->getDialect()) &&
                 llvm::all_of(op->getUsers(), [&](Operation *user) {
                   return op == last || inside.contains(user);
                 });
    if (!fixed && !alone)
      continue;
    found.divides |= isa<arith::DivFOp, arith::DivUIOp, arith::CeilDivUIOp>(op);
    if (!fixed) {
      inside.insert(op);
      found.moved.push_back(op);
    }
    for (Value operand : op->getOperands())
      if (Operation *def = operand.getDefiningOp();
          def && def->getBlock() == last->getBlock())
        needed.insert(def);
  }
  std::reverse(found.moved.begin(), found.moved.end());
  return found;
}

/// Brings it to the insertion point.
static void take(OpBuilder &b, const Exclusive &ops) {
  for (Operation *op : ops.moved) {
    op->remove();
    b.insert(op);
  }
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

/// A branch of which the builder is in the first way.
static scf::IfOp branch(OpBuilder &b, Location loc, TypeRange types,
                        Value condition) {
  auto choice = scf::IfOp::create(b, loc, types, condition,
                                  /*withElseRegion=*/true);
  b.setInsertionPointToStart(choice.thenBlock());
  return choice;
}

static Value compare(OpBuilder &b, Location loc, arith::CmpIPredicate predicate,
                     Value first, Value second) {
  return arith::CmpIOp::create(b, loc, predicate, first, second);
}

/// Puts `op` behind a test of its divisor, and one of its quotient.
static void skip(arith::CeilDivUIOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  Type index = b.getIndexType();
  Value x = op.getLhs(), y = op.getRhs();
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  auto yieldSingle = [&]() {
    Value any = compare(b, loc, arith::CmpIPredicate::ne, x, zero);
    scf::YieldOp::create(
        b, loc, arith::SelectOp::create(b, loc, any, one, zero).getResult());
  };
  // A divisor of at least so much need not be known for less.
  APInt least;
  auto atLeast = y.getDefiningOp<arith::MaxUIOp>();
  bool bounded = atLeast &&
                 matchPattern(atLeast.getRhs(), m_ConstantInt(&least)) &&
                 least.ugt(1);
  scf::IfOp outer;
  if (bounded) {
    Exclusive divisor = getExclusive(y);
    outer =
        branch(b, loc, index,
               compare(b, loc, arith::CmpIPredicate::ule, x, atLeast.getRhs()));
    yieldSingle();
    b.setInsertionPointToStart(outer.elseBlock());
    take(b, divisor);
  } else {
    outer = branch(b, loc, index,
                   compare(b, loc, arith::CmpIPredicate::eq, y, one));
    scf::YieldOp::create(b, loc, x);
    b.setInsertionPointToStart(outer.elseBlock());
  }
  scf::IfOp single =
      branch(b, loc, index, compare(b, loc, arith::CmpIPredicate::ule, x, y));
  yieldSingle();
  b.setInsertionPointToStart(single.elseBlock());
  // More than the divisor, so not zero.
  Value less = arith::SubIOp::create(b, loc, x, one);
  Value quotient = arith::DivUIOp::create(b, loc, less, y);
  scf::YieldOp::create(
      b, loc, arith::AddIOp::create(b, loc, quotient, one).getResult());
  b.setInsertionPointAfter(single);
  scf::YieldOp::create(b, loc, single.getResults());
  op.replaceAllUsesWith(outer.getResult(0));
  op.erase();
}

/// Where both ways of a choice are the same, what decides it is not computed.
static bool skip(arith::SelectOp op) {
  Exclusive condition = getExclusive(op.getCondition());
  if (!condition.divides || condition.moved.empty())
    return false;
  OpBuilder b(op);
  Location loc = op.getLoc();
  Value same = compare(b, loc, arith::CmpIPredicate::eq, op.getTrueValue(),
                       op.getFalseValue());
  scf::IfOp either = branch(b, loc, op.getType(), same);
  scf::YieldOp::create(b, loc, op.getTrueValue());
  b.setInsertionPointToStart(either.elseBlock());
  take(b, condition);
  Value choice = arith::SelectOp::create(b, loc, op.getCondition(),
                                         op.getTrueValue(), op.getFalseValue());
  scf::YieldOp::create(b, loc, choice);
  op.replaceAllUsesWith(either.getResult(0));
  op.erase();
  return true;
}

/// By zero the machine ends the process. Importers divide by products of sizes,
/// also in front of a choice that does not want the quotient.
static bool keepFromZero(Operation *op) {
  if (!isa<arith::DivSIOp, arith::RemSIOp, arith::FloorDivSIOp,
           arith::CeilDivSIOp>(op) ||
      !op->getResult(0).getType().isIntOrIndex() ||
      matchPattern(op->getOperand(1), m_Constant()))
    return false;
  OpBuilder b(op);
  Location loc = op->getLoc();
  Value divisor = op->getOperand(1);
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(
        b, loc, b.getIntegerAttr(divisor.getType(), value));
  };
  Value isZero = compare(b, loc, arith::CmpIPredicate::eq, divisor, number(0));
  op->setOperand(1,
                 arith::SelectOp::create(b, loc, isZero, number(1), divisor));
  return true;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct SkipDivisionsPass : vortex::impl::SkipDivisionsBase<SkipDivisionsPass> {
  void runOnOperation() override {
    getOperation()->walk(
        [&](Operation *op) { numGuarded += keepFromZero(op); });
    SmallVector<arith::SelectOp> choices;
    getOperation()->walk([&](arith::SelectOp op) {
      if (op.getType().isIndex())
        choices.push_back(op);
    });
    for (arith::SelectOp op : choices)
      numDecided += skip(op);
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
