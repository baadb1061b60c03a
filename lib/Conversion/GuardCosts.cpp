//===- GuardCosts.cpp - Costs of candidates that may run --------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The longest chain of divisions decides how long a choice takes, and it is
// that of blocks of a reduction, which few sizes allow. A branch that goes the
// same way most of the time costs less.
//
// Where costs are one of two formulas, by a flag that they share, one branch
// computes those of all candidates, and within it of those that may run.
//
// Costs are numbers, so that the greater of two is an instruction; arith's
// maximum looks for NaN, which takes three more.
//
//===----------------------------------------------------------------------===//

#include "ChoiceSlice.h"

#include "vortex/Conversion/Passes.h"
#include "vortex/Dialect/Vortex/IR/VortexDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace vortex {
#define GEN_PASS_DEF_GUARDCOSTS
#include "vortex/Conversion/Passes.h.inc"
} // namespace vortex

using namespace mlir;
using namespace vortex;

/// Arithmetic in front of `last`, in its block, all of whose uses are
/// `accepted` or by such arithmetic; in order.
static SmallVector<Operation *>
getExclusive(Operation *last, function_ref<bool(OpOperand &)> accepted) {
  DenseSet<Operation *> inside;
  SmallVector<Operation *> found;
  for (Operation *op = last->getPrevNode(); op; op = op->getPrevNode()) {
    bool movable = isa<MachineParamOp>(op) ||
                   (isa<arith::ArithDialect>(op->getDialect()) &&
                    !op->hasTrait<OpTrait::ConstantLike>());
    auto isInside = [&](OpOperand &use) {
      return inside.contains(use.getOwner()) || accepted(use);
    };
    if (!movable || op->use_empty() || !llvm::all_of(op->getUses(), isInside))
      continue;
    inside.insert(op);
    found.push_back(op);
  }
  return llvm::to_vector(llvm::reverse(found));
}

/// A few operations take no longer than a branch.
static bool areFew(ArrayRef<Operation *> ops) {
  constexpr size_t kFew = 8;
  return ops.size() <= kFew;
}

/// Whether `value` is there where `op` is.
static bool isAbove(Value value, Operation *op) {
  Operation *there = value.getParentBlock()->findAncestorOpInBlock(*op);
  Operation *def = value.getDefiningOp();
  return there && (!def || def->isBeforeInBlock(there));
}

/// What a `vortex.select` or `vortex.report` is told of each candidate.
static ValueRange getAllowed(Operation *choice) {
  if (auto select = dyn_cast<SelectOp>(choice))
    return select.getAllowed();
  return cast<ReportOp>(choice).getAllowed();
}
static ValueRange getCosts(Operation *choice) {
  if (auto select = dyn_cast<SelectOp>(choice))
    return select.getCosts();
  return cast<ReportOp>(choice).getCosts();
}

/// Whether nothing but `choice`, as a cost of it, is told what `value` is where
/// `allowed` does not hold.
static bool isMasked(Value value, Value allowed, Operation *choice) {
  return llvm::all_of(value.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (user == choice)
      return llvm::is_contained(getCosts(choice), value);
    if (auto select = dyn_cast<arith::SelectOp>(user))
      return select.getCondition() == allowed && use.getOperandNumber() == 1;
    if (auto both = dyn_cast<arith::AndIOp>(user))
      return both.getLhs() == allowed || both.getRhs() == allowed;
    return isa<arith::CmpFOp>(user) &&
           isMasked(user->getResult(0), allowed, choice);
  });
}

/// Computes a cost where its candidate may run alone: elsewhere nothing asks
/// for it.
static bool guard(Value allowed, Value cost) {
  Operation *last = cost.getDefiningOp();
  if (!last || !isa<arith::ArithDialect>(last->getDialect()) ||
      last->hasTrait<OpTrait::ConstantLike>() ||
      matchPattern(allowed, m_Constant()) || !isAbove(allowed, last))
    return false;
  SmallVector<Operation *> ops = getExclusive(
      last, [&](OpOperand &use) { return use.getOwner() == last; });
  ops.push_back(last);
  if (areFew(ops) || llvm::is_contained(ops, allowed.getDefiningOp()))
    return false;
  OpBuilder b(last);
  Location loc = last->getLoc();
  auto branch = scf::IfOp::create(b, loc, cost.getType(), allowed,
                                  /*withElseRegion=*/true);
  cost.replaceAllUsesWith(branch.getResult(0));
  for (Operation *op : ops)
    op->moveBefore(branch.thenBlock(), branch.thenBlock()->end());
  b.setInsertionPointToEnd(branch.thenBlock());
  scf::YieldOp::create(b, loc, cost);
  b.setInsertionPointToStart(branch.elseBlock());
  Value never = arith::ConstantFloatOp::create(
      b, loc, b.getF64Type(), APFloat::getInf(APFloat::IEEEdouble()));
  scf::YieldOp::create(b, loc, never);
  return true;
}

/// What needs one of `selects`, which are in order, between the first and the
/// last of them; in order.
static llvm::SetVector<Operation *> getLate(ArrayRef<Operation *> selects) {
  llvm::SetVector<Operation *> late;
  for (Operation *op = selects.front();; op = op->getNextNode()) {
    bool waits = false;
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands()) {
        Operation *def = operand.getDefiningOp();
        waits |= late.contains(def) || llvm::is_contained(selects, def);
      }
    });
    if (waits)
      late.insert(op);
    if (op == selects.back())
      return late;
  }
}

/// Computes the costs that `selects`, which are in order, take by the same flag
/// in the arms of one branch, which stands behind the last of them; what both
/// need is in both, so that guards move it. Does nothing where that saves
/// nothing, where one of them needs another, or where what stands in between
/// and waits for a cost does more than compute.
static bool branchOnFlag(ArrayRef<Operation *> selects) {
  Operation *last = selects.back();
  auto isSelect = [&](Operation *op) {
    return llvm::is_contained(selects, op);
  };
  // Operands of selects: flag, value where it holds, value where not.
  SmallVector<Operation *> ops = getExclusive(last, [&](OpOperand &use) {
    return isSelect(use.getOwner()) && use.getOperandNumber() > 0;
  });
  llvm::SetVector<Operation *> late = getLate(selects);
  auto isLate = [&](Operation *op) { return late.contains(op); };
  if (areFew(ops) || llvm::any_of(late, isSelect) ||
      llvm::any_of(ops, isLate) || !llvm::all_of(late, isMemoryEffectFree))
    return false;
  OpBuilder b(last->getContext());
  b.setInsertionPointAfter(last);
  Location loc = last->getLoc();
  SmallVector<Type> types(selects.size(), last->getResult(0).getType());
  auto branch = scf::IfOp::create(b, loc, types, last->getOperand(0),
                                  /*withElseRegion=*/true);
  for (unsigned arm : {0u, 1u}) {
    Block *block = arm == 0 ? branch.thenBlock() : branch.elseBlock();
    DenseSet<Operation *> needed;
    for (Operation *select : selects)
      needed.insert(select->getOperand(arm + 1).getDefiningOp());
    for (Operation *op : llvm::reverse(ops))
      if (needed.contains(op))
        for (Value operand : op->getOperands())
          needed.insert(operand.getDefiningOp());
    b.setInsertionPointToStart(block);
    IRMapping map;
    for (Operation *op : ops)
      if (needed.contains(op))
        b.clone(*op, map);
    SmallVector<Value> yielded;
    for (Operation *select : selects)
      yielded.push_back(map.lookupOrDefault(select->getOperand(arm + 1)));
    scf::YieldOp::create(b, loc, yielded);
  }
  Operation *end = branch;
  for (Operation *op : late) {
    op->moveAfter(end);
    end = op;
  }
  for (auto [select, result] : llvm::zip_equal(selects, branch.getResults())) {
    select->getResult(0).replaceAllUsesWith(result);
    select->erase();
  }
  for (Operation *op : llvm::reverse(ops))
    op->erase();
  return true;
}

/// Replaces a maximum or minimum by a comparison; `predicate` is that of the
/// first operand being it.
template <typename Op>
static void compareNumbers(Op op, arith::CmpFPredicate predicate,
                           DenseSet<Operation *> &inside) {
  OpBuilder b(op);
  Value first = arith::CmpFOp::create(b, op.getLoc(), predicate, op.getLhs(),
                                      op.getRhs());
  auto chosen =
      arith::SelectOp::create(b, op.getLoc(), first, op.getLhs(), op.getRhs());
  inside.insert(first.getDefiningOp());
  inside.insert(chosen);
  op.replaceAllUsesWith(chosen.getResult());
  op.erase();
}

/// The same in what the choice is computed from and nothing else is.
static void compareNumbersOf(Operation *choice) {
  DenseSet<Operation *> inside = {choice};
  SmallVector<Operation *> found;
  for (Operation *op : ChoiceSlice(choice).ops)
    op->walk([&](Operation *inner) {
      inside.insert(inner);
      if (isa<arith::MaximumFOp, arith::MinimumFOp>(inner))
        found.push_back(inner);
    });
  for (Operation *op : found) {
    if (!llvm::all_of(op->getUsers(),
                      [&](Operation *user) { return inside.contains(user); }))
      continue;
    inside.erase(op);
    if (auto most = dyn_cast<arith::MaximumFOp>(op))
      compareNumbers(most, arith::CmpFPredicate::OGT, inside);
    else
      compareNumbers(cast<arith::MinimumFOp>(op), arith::CmpFPredicate::OLT,
                     inside);
  }
}

namespace {
struct GuardCostsPass : vortex::impl::GuardCostsBase<GuardCostsPass> {
  void runOnOperation() override {
    SmallVector<Operation *> choices;
    getOperation()->walk([&](Operation *op) {
      if (isa<SelectOp, ReportOp>(op))
        choices.push_back(op);
    });
    for (Operation *choice : choices)
      guardCosts(choice);
    for (Operation *choice : choices)
      compareNumbersOf(choice);
  }

  void guardCosts(Operation *choice);
};
} // namespace

void GuardCostsPass::guardCosts(Operation *choice) {
  // What guards replace is an operand of the choice, and so among these.
  ValueRange allowed = getAllowed(choice), costs = getCosts(choice);
  // By flag, the costs that are one of two formulas.
  llvm::MapVector<std::pair<Value, Block *>, SmallVector<Operation *>> groups;
  for (Value cost : costs)
    if (auto select = cost.getDefiningOp<arith::SelectOp>()) {
      auto &group = groups[{select.getCondition(), select->getBlock()}];
      if (!llvm::is_contained(group, select.getOperation()))
        group.push_back(select);
    }
  for (auto &[flag, selects] : groups) {
    llvm::sort(selects, [](Operation *a, Operation *b) {
      return a->isBeforeInBlock(b);
    });
    numBranches += branchOnFlag(selects);
  }
  for (unsigned i = 0; i < costs.size(); ++i) {
    if (llvm::count(costs, costs[i]) > 1 ||
        !isMasked(costs[i], allowed[i], choice))
      continue;
    auto branch = costs[i].getDefiningOp<scf::IfOp>();
    if (!branch) {
      numGuarded += guard(allowed[i], costs[i]);
      continue;
    }
    unsigned result = cast<OpResult>(costs[i]).getResultNumber();
    for (Block *block : {branch.thenBlock(), branch.elseBlock()}) {
      Value cost = block->getTerminator()->getOperand(result);
      if (cost.getParentBlock() == block && cost.hasOneUse())
        numGuarded += guard(allowed[i], cost);
    }
  }
}
