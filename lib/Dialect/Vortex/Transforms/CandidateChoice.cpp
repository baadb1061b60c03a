//===- CandidateChoice.cpp - The choice as arithmetic ---------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CandidateChoice.h"

#include "FormulaPrinter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace vortex;

/// Costs that differ by less than this part of them are the same: rounding must
/// not decide, which depends on the order that a sum was computed in.
static constexpr double kSameCost = 1e-9;

bool vortex::isPlannedForOneThread(KernelOp kernel) {
  return bool(kernel->getParentOfType<scf::ForallOp>());
}

/// The choice, parts of which may move in front of the loop, takes the thread
/// for known. Code asks when it runs, so that kernels inside and outside of
/// loops may share it.
static void planForOneThread(OpBuilder &b, KernelOp kernel, IRMapping &map) {
  if (!isPlannedForOneThread(kernel))
    return;
  kernel.getCandidates().walk([&](MachineParamOp param) {
    if (param.getParam() == "threads")
      map.map(param.getResult(),
              arith::ConstantFloatOp::create(b, param.getLoc(), b.getF64Type(),
                                             APFloat(1.0))
                  .getResult());
  });
}

/// Whether `op` gives one value, the same for the same operands.
static bool isArithmetic(Operation *op) {
  return op->getNumRegions() == 0 && op->getNumResults() == 1 &&
         isMemoryEffectFree(op);
}

/// Whether `map` gives the machine parameter that `op` reads.
static bool isKnownParam(Operation &op, const IRMapping &map) {
  return isa<MachineParamOp>(op) && map.contains(op.getResult(0));
}

Value &ArithmeticCopier::lookUp(Operation &op, SmallVector<Value, 3> operands) {
  size_t hash = llvm::hash_combine(
      op.getName(), op.hashProperties(),
      llvm::hash_combine_range(operands.begin(), operands.end()));
  SmallVector<Known, 1> &others = known[hash];
  for (Known &other : others)
    if (op.getName() == other.op->getName() && operands == other.operands &&
        op.getResult(0).getType() == other.op->getResult(0).getType() &&
        op.getDiscardableAttrDictionary() ==
            other.op->getDiscardableAttrDictionary() &&
        op.getName().compareOpProperties(op.getPropertiesStorage(),
                                         other.op->getPropertiesStorage()))
      return other.result;
  others.push_back({&op, std::move(operands), Value()});
  return others.back().result;
}

void ArithmeticCopier::copy(Operation &op, IRMapping &map, AssumeFn assume) {
  if (isKnownParam(op, map))
    return;
  if (!isArithmetic(&op)) {
    b.clone(op, map);
    return;
  }
  auto operands = llvm::map_to_vector<3>(op.getOperands(), [&](Value operand) {
    return map.lookupOrDefault(operand);
  });
  // Operands of a kernel are not known to other kernels' copies, nor are
  // answers that were made up for one.
  if (assume && isa<AlignmentOp, StrideOp>(op) &&
      !map.contains(op.getOperand(0))) {
    map.map(op.getResult(0), findFirst(assume(&op)));
    return;
  }
  Value &result = lookUp(op, std::move(operands));
  if (!result)
    result = b.clone(op, map)->getResult(0);
  map.map(op.getResult(0), result);
}

Value ArithmeticCopier::inlineRegion(Region &region, IRMapping map,
                                     AssumeFn assume) {
  for (Operation &op : region.front().without_terminator())
    copy(op, map, assume);
  return map.lookupOrDefault(region.front().getTerminator()->getOperand(0));
}

Value ArithmeticCopier::findFirst(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !isArithmetic(op))
    return value;
  if (Value first = firsts.lookup(value))
    return first;
  auto operands = llvm::map_to_vector<3>(
      op->getOperands(), [&](Value operand) { return findFirst(operand); });
  Value &first = lookUp(*op, std::move(operands));
  if (!first)
    first = value;
  return firsts[value] = first;
}

SmallVector<CandidateOp> vortex::findImpossible(KernelOp kernel,
                                                SizeAnalysis &sizes) {
  auto anchor = dyn_cast_if_present<linalg::LinalgOp>(kernel.getAnchor());
  if (!anchor)
    return {};
  // A function of its own, where guards fold without touching the kernel.
  OpBuilder b(kernel.getContext());
  Location loc = kernel.getLoc();
  auto arguments = kernel.getCandidates().front().getArguments();
  OwningOpRef<func::FuncOp> function = func::FuncOp::create(
      loc, "guards",
      b.getFunctionType(ValueRange(arguments).getTypes(), TypeRange()));
  Block *entry = function->addEntryBlock();
  b.setInsertionPointToStart(entry);
  IRMapping map;
  map.map(arguments, entry->getArguments());
  for (auto [i, extent] : llvm::enumerate(anchor.getStaticLoopRanges()))
    if (!ShapedType::isDynamic(extent))
      map.map(arguments[i],
              arith::ConstantIndexOp::create(b, loc, extent).getResult());
  planForOneThread(b, kernel, map);
  auto fold = [&](Operation &op, IRMapping &values) {
    if (isKnownParam(op, values))
      return;
    Operation *clone = b.clone(op, values);
    SmallVector<Value> folded;
    if (succeeded(b.tryFold(clone, folded)) && !folded.empty())
      values.map(op.getResults(), folded);
  };
  for (Operation &op : kernel.getCandidates().front())
    if (!isa<CandidateOp>(op))
      fold(op, map);
  SmallVector<CandidateOp> impossible;
  for (CandidateOp candidate : kernel.getCandidateOps()) {
    if (candidate.getGuard().empty())
      continue;
    IRMapping inner = map;
    Block &guard = candidate.getGuard().front();
    for (Operation &op : guard.without_terminator())
      fold(op, inner);
    Value holds = guard.getTerminator()->getOperand(0);
    if (matchPattern(inner.lookupOrDefault(holds), m_Zero()) ||
        sizes.decide(holds, guard.getTerminator()) == Answer::No)
      impossible.push_back(candidate);
  }
  if (impossible.size() == kernel.getCandidateOps().size())
    impossible.clear();
  return impossible;
}

SmallVector<std::string>
vortex::dropImpossible(KernelOp kernel, ArrayRef<CandidateOp> candidates) {
  SmallVector<std::string> dropped;
  if (candidates.empty())
    return dropped;
  auto anchor = cast<linalg::LinalgOp>(kernel.getAnchor());
  auto arguments = kernel.getCandidates().front().getArguments();
  DenseMap<Value, std::string> names;
  for (unsigned i : llvm::seq(anchor.getNumLoops()))
    names[arguments[i]] =
        cast<StringAttr>(kernel.getAxes()[i]).getValue().str();
  for (CandidateOp candidate : candidates) {
    Value guard = candidate.getGuard().front().getTerminator()->getOperand(0);
    dropped.push_back((candidate.getSymName() +
                       ": its guard never holds: " + printFormula(guard, names))
                          .str());
    candidate.erase();
  }
  return dropped;
}

CandidateChoice vortex::createChoice(OpBuilder &b, ArithmeticCopier &copier,
                                     KernelOp kernel, IRMapping map,
                                     AssumeFn assume) {
  Location loc = kernel.getLoc();
  planForOneThread(b, kernel, map);
  // What the candidates share comes first.
  for (Operation &op : kernel.getCandidates().front())
    if (!isa<CandidateOp>(op))
      copier.copy(op, map, assume);

  CandidateChoice result;
  Value never = arith::ConstantFloatOp::create(
      b, loc, b.getF64Type(), APFloat::getInf(APFloat::IEEEdouble()));
  SmallVector<Value> allowed; // costs, infinite where the candidate may not run
  for (CandidateOp candidate : kernel.getCandidateOps()) {
    result.names.push_back(candidate.getSymName());
    Value guard = candidate.getGuard().empty()
                      ? arith::ConstantIntOp::create(b, loc, 1, 1).getResult()
                      : copier.inlineRegion(candidate.getGuard(), map, assume);
    Value cost = candidate.getCost().empty()
                     ? arith::ConstantFloatOp::create(b, loc, b.getF64Type(),
                                                      APFloat(0.0))
                           .getResult()
                     : copier.inlineRegion(candidate.getCost(), map, assume);
    result.allowed.push_back(guard);
    result.costs.push_back(cost);
    allowed.push_back(arith::SelectOp::create(b, loc, guard, cost, never));
  }
  // The cheapest, in a tree: one behind the other they would wait for another.
  SmallVector<Value> least(allowed);
  while (least.size() > 1) {
    SmallVector<Value> next;
    for (size_t i = 0; i + 1 < least.size(); i += 2)
      next.push_back(arith::MinimumFOp::create(b, loc, least[i], least[i + 1]));
    if (least.size() % 2)
      next.push_back(least.back());
    least = std::move(next);
  }
  // Of those that cost the same, or no number, the first that may run.
  Value same = arith::ConstantFloatOp::create(b, loc, b.getF64Type(),
                                              APFloat(1.0 / (1.0 - kSameCost)));
  // A cost below zero, which an estimate may have at sizes of zero, is one,
  // too.
  Value limit = arith::MaximumFOp::create(
      b, loc, arith::MulFOp::create(b, loc, least.front(), same),
      least.front());
  result.preferred = arith::ConstantIndexOp::create(b, loc, -1);
  bool alone = allowed.size() == 1;
  for (size_t i = allowed.size(); i-- > 0;) {
    Value position = arith::ConstantIndexOp::create(b, loc, i);
    Value takes = result.allowed[i];
    if (!alone)
      takes = arith::AndIOp::create(
          b, loc, takes,
          arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ULE, allowed[i],
                                limit));
    result.preferred =
        arith::SelectOp::create(b, loc, takes, position, result.preferred);
  }
  return result;
}
