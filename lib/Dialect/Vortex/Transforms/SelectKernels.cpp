//===- SelectKernels.cpp - Guards and costs become the choice ---------- -===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AxisExtents.h"
#include "FormulaText.h"

#include "vortex/Dialect/Vortex/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace vortex {
#define GEN_PASS_DEF_SELECTKERNELS
#include "vortex/Dialect/Vortex/Transforms/Passes.h.inc"
} // namespace vortex

#define DEBUG_TYPE "vortex-select-kernels"

using namespace mlir;
using namespace vortex;

/// The kernel with one of its candidates, which no longer needs a guard and a
/// cost.
static void keepOnly(KernelOp kernel, StringRef name) {
  for (CandidateOp candidate : kernel.getCandidateOps()) {
    if (candidate.getSymName() != name) {
      candidate->erase();
      continue;
    }
    candidate.getGuard().getBlocks().clear();
    candidate.getCost().getBlocks().clear();
  }
  // What the others shared, and the operands that only guards and costs asked
  // about: passes to come are free to change the kernel's operands.
  Block &block = kernel.getCandidates().front();
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(block.getOperations())))
    if (isOpTriviallyDead(&op))
      op.erase();
  unsigned axes = kernel.getAxes().size();
  if (llvm::all_of(block.getArguments().drop_front(axes),
                   [](BlockArgument x) { return x.use_empty(); }))
    block.eraseArguments(axes, block.getNumArguments() - axes);
}

/// The candidate's guard as a formula; empty when it has none.
static std::string getGuardText(KernelOp kernel, CandidateOp candidate) {
  if (candidate.getGuard().empty())
    return {};
  return getFormulaText(
      kernel, candidate.getGuard().front().getTerminator()->getOperand(0));
}

/// Clones `op`, or maps its results to constants when its operands are.
static void cloneFolded(OpBuilder &b, Operation &op, IRMapping &map) {
  Operation *clone = b.clone(op, map);
  SmallVector<Value> folded;
  if (succeeded(b.tryFold(clone, folded)) && !folded.empty()) {
    map.map(op.getResults(), folded);
    clone->erase();
  }
}

/// Inlines a guard or cost region; what it captures of the candidates region
/// must already be mapped.
static Value inlineRegion(OpBuilder &b, Region &region, IRMapping map) {
  for (Operation &op : region.front().without_terminator())
    cloneFolded(b, op, map);
  return map.lookupOrDefault(region.front().getTerminator()->getOperand(0));
}

/// The guards of `candidates` as values. Candidates whose guard can hold at no
/// size that the kernel's types allow leave the list, unless none would stay.
static SmallVector<Value> inlineGuards(OpBuilder &b, KernelOp kernel,
                                       SmallVector<CandidateOp> &candidates,
                                       IRMapping &map) {
  SmallVector<Value> guards;
  SmallVector<bool> never;
  for (CandidateOp candidate : candidates) {
    guards.push_back(
        candidate.getGuard().empty()
            ? arith::ConstantIntOp::create(b, kernel.getLoc(), 1, 1).getResult()
            : inlineRegion(b, candidate.getGuard(), map));
    never.push_back(matchPattern(guards.back(), m_Zero()));
  }
  if (llvm::all_of(never, [](bool x) { return x; }))
    return guards;
  SmallVector<CandidateOp> kept;
  SmallVector<Value> keptGuards;
  for (auto [candidate, guard, drop] : llvm::zip(candidates, guards, never)) {
    if (!drop) {
      kept.push_back(candidate);
      keptGuards.push_back(guard);
      continue;
    }
    auto remark = remark::passed(
        kernel.getLoc(),
        remark::RemarkOpts::name("dropped").category("vortex-select-kernels"));
    remark << "kernel '" << kernel.getName().str() << "': candidate '"
           << candidate.getSymName().str()
           << "' dropped, its guard never holds: "
           << getGuardText(kernel, candidate);
  }
  candidates = kept;
  return keptGuards;
}

static LogicalResult selectKernel(KernelOp kernel) {
  SmallVector<CandidateOp> candidates = kernel.getCandidateOps();
  if (candidates.empty())
    return success();
  Location loc = kernel.getLoc();
  if (candidates.size() == 1 && candidates[0].getGuard().empty()) {
    keepOnly(kernel, candidates[0].getSymName());
    return success();
  }
  OpBuilder b(kernel);
  IRMapping map;
  if (failed(mapCandidateArguments(b, kernel, map)))
    return failure();
  for (Operation &op : kernel.getCandidates().front())
    if (!isa<CandidateOp>(op))
      cloneFolded(b, op, map);

  SmallVector<Value> guards = inlineGuards(b, kernel, candidates, map);
  if (candidates.size() == 1 && matchPattern(guards[0], m_One())) {
    keepOnly(kernel, candidates[0].getSymName());
    return success();
  }
  // The cheapest candidate whose guard holds; -1 when none does.
  SmallVector<Value> costs;
  SmallVector<StringRef> names;
  SmallVector<std::string> texts;
  Value best, choice;
  for (auto [i, candidate] : llvm::enumerate(candidates)) {
    names.push_back(candidate.getSymName());
    texts.push_back(getGuardText(kernel, candidate));
    Value guard = guards[i];
    Value cost = candidate.getCost().empty()
                     ? arith::ConstantFloatOp::create(b, loc, b.getF64Type(),
                                                      APFloat(0.0))
                           .getResult()
                     : inlineRegion(b, candidate.getCost(), map);
    costs.push_back(cost);
    Value position = arith::ConstantIndexOp::create(b, loc, i);
    if (!choice) {
      Value none = arith::ConstantIndexOp::create(b, loc, -1);
      Value never = arith::ConstantFloatOp::create(
          b, loc, b.getF64Type(), APFloat::getInf(APFloat::IEEEdouble()));
      choice = arith::SelectOp::create(b, loc, guard, position, none);
      best = arith::SelectOp::create(b, loc, guard, cost, never);
      continue;
    }
    Value cheaper =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, cost, best);
    Value better = arith::AndIOp::create(b, loc, guard, cheaper);
    choice = arith::SelectOp::create(b, loc, better, position, choice);
    best = arith::SelectOp::create(b, loc, better, cost, best);
  }
  bool guarded =
      llvm::any_of(texts, [](StringRef text) { return !text.empty(); });
  Value index =
      SelectOp::create(b, loc, b.getIndexType(), kernel.getNameAttr(),
                       b.getStrArrayAttr(names), choice, guards, costs,
                       guarded ? b.getStrArrayAttr(SmallVector<StringRef>(
                                     texts.begin(), texts.end()))
                               : ArrayAttr());
  // The last candidate is the default. Where it may be that no guard holds,
  // the payload by itself is.
  bool covered = llvm::any_of(
      guards, [](Value guard) { return matchPattern(guard, m_One()); });
  SmallVector<int64_t> cases;
  for (size_t i = 0; i + (covered ? 1 : 0) < candidates.size(); ++i)
    cases.push_back(i);
  auto chooser = scf::IndexSwitchOp::create(b, loc, kernel.getResultTypes(),
                                            index, cases, cases.size());
  for (size_t i = 0; i <= cases.size(); ++i) {
    Region &region = i < cases.size() ? chooser.getCaseRegions()[i]
                                      : chooser.getDefaultRegion();
    OpBuilder::InsertionGuard guard(b);
    b.createBlock(&region);
    auto clone = cast<KernelOp>(b.clone(*kernel));
    if (i < names.size())
      keepOnly(clone, names[i]);
    else
      clone.getCandidates().getBlocks().clear();
    scf::YieldOp::create(b, loc, clone.getResults());
  }
  kernel.replaceAllUsesWith(chooser.getResults());
  kernel.erase();
  return success();
}

namespace {
struct SelectKernelsPass : vortex::impl::SelectKernelsBase<SelectKernelsPass> {
  void runOnOperation() override {
    SmallVector<KernelOp> kernels;
    getOperation()->walk([&](KernelOp op) { kernels.push_back(op); });
    for (KernelOp kernel : kernels)
      if (failed(selectKernel(kernel)))
        return signalPassFailure();
  }
};
} // namespace
