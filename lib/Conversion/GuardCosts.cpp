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
// Costs are numbers, so that the greater of two is an instruction; arith's
// maximum looks for NaN, which takes three more.
//
//===----------------------------------------------------------------------===//

#include "ChoiceSlice.h"

#include "vortex/Conversion/Passes.h"
#include "vortex/Dialect/Vortex/IR/VortexDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

namespace vortex {
#define GEN_PASS_DEF_GUARDCOSTS
#include "vortex/Conversion/Passes.h.inc"
} // namespace vortex

using namespace mlir;
using namespace vortex;

/// Ops in front of `last`, in its block, that compute nothing but what `last`
/// needs; in order, `last` included.
static SmallVector<Operation *> getExclusive(Operation *last) {
  DenseSet<Operation *> inside = {last};
  SmallVector<Operation *> found = {last};
  for (Operation *op = last->getPrevNode(); op; op = op->getPrevNode()) {
    bool movable = isa<MachineParamOp>(op) ||
                   (isa<arith::ArithDialect>(op->getDialect()) &&
                    !op->hasTrait<OpTrait::ConstantLike>());
    if (!movable || op->use_empty() ||
        !llvm::all_of(op->getUsers(),
                      [&](Operation *user) { return inside.contains(user); }))
      continue;
    inside.insert(op);
    found.push_back(op);
  }
  return llvm::to_vector(llvm::reverse(found));
}

static bool guard(Value allowed, Value cost) {
  Operation *last = cost.getDefiningOp();
  if (!last || !isa<arith::ArithDialect>(last->getDialect()) ||
      matchPattern(allowed, m_Constant()))
    return false;
  if (Operation *condition = allowed.getDefiningOp();
      condition && (condition->getBlock() != last->getBlock() ||
                    !condition->isBeforeInBlock(last)))
    return false;
  SmallVector<Operation *> ops = getExclusive(last);
  // A few operations take no longer than the branch.
  constexpr size_t kFew = 8;
  if (ops.size() <= kFew || llvm::is_contained(ops, allowed.getDefiningOp()))
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
      ValueRange allowed, costs;
      if (auto select = dyn_cast<SelectOp>(op)) {
        allowed = select.getAllowed();
        costs = select.getCosts();
      } else if (auto report = dyn_cast<ReportOp>(op)) {
        allowed = report.getAllowed();
        costs = report.getCosts();
      }
      for (size_t i = 0; i < costs.size(); ++i)
        numGuarded += guard(allowed[i], costs[i]);
      if (isa<SelectOp, ReportOp>(op))
        choices.push_back(op);
    });
    for (Operation *choice : choices)
      compareNumbersOf(choice);
  }
};
} // namespace
