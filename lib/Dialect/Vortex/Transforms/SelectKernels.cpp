//===- SelectKernels.cpp - Guards and costs become the choice ---------- -===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AxisExtents.h"

#include "vortex/Dialect/Vortex/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"

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
}

/// Inlines a guard or cost region; what it captures of the candidates region
/// must already be mapped.
static Value inlineRegion(OpBuilder &b, Region &region, IRMapping map) {
  for (Operation &op : region.front().without_terminator())
    b.clone(op, map);
  return map.lookupOrDefault(region.front().getTerminator()->getOperand(0));
}

/// Leaves out candidates whose code was found to spill.
static void dropSpilling(KernelOp kernel) {
  auto module = kernel->getParentOfType<ModuleOp>();
  auto spills = module ? module->getAttrOfType<DictionaryAttr>(kSpillsAttr)
                       : DictionaryAttr();
  if (!spills)
    return;
  auto countOf = [&](CandidateOp candidate) {
    return spills.getAs<IntegerAttr>(
        (kernel.getName() + "=" + candidate.getSymName()).str());
  };
  SmallVector<CandidateOp> candidates = kernel.getCandidateOps();
  bool answered = llvm::any_of(candidates, [&](CandidateOp candidate) {
    return candidate.getGuard().empty() && !countOf(candidate);
  });
  for (CandidateOp candidate : candidates) {
    IntegerAttr count = countOf(candidate);
    if (!count)
      continue;
    remark::missed(kernel.getLoc(),
                   remark::RemarkOpts::name("spills").category(DEBUG_TYPE))
        << "kernel '" << kernel.getName().str() << "': candidate '"
        << candidate.getSymName().str() << "' spills vector registers by "
        << std::to_string(count.getInt())
        << " instructions of its innermost loops with and without LLVM's "
           "scheduler; "
        << (answered ? "dropped" : "kept, as no other runs at every size");
    if (answered)
      candidate->erase();
  }
}

namespace {
/// What is known of values of straight-line arithmetic.
class KnownValues {
public:
  explicit KnownValues(bool machineDefaults)
      : machineDefaults(machineDefaults) {}

  /// Folds the ops behind `after` (null: from the block's start) and in front
  /// of `end`; values of earlier calls stay known.
  void fold(Operation *after, Operation *end) {
    Operation *op = after ? after->getNextNode() : &end->getBlock()->front();
    for (; op != end; op = op->getNextNode()) {
      if (auto param = dyn_cast<MachineParamOp>(op)) {
        if (machineDefaults)
          values[param.getResult()] = param.getDefaultValueAttr();
        continue;
      }
      if (op->getNumRegions())
        continue;
      SmallVector<Attribute> operands;
      for (Value operand : op->getOperands())
        operands.push_back(values.lookup(operand));
      SmallVector<OpFoldResult> results;
      if (failed(op->fold(operands, results)) ||
          results.size() != op->getNumResults())
        continue;
      for (auto [result, known] : llvm::zip(op->getResults(), results)) {
        auto value = dyn_cast<Value>(known);
        if (Attribute attr =
                value ? values.lookup(value) : cast<Attribute>(known))
          values[result] = attr;
      }
    }
  }

  std::optional<int64_t> get(Value value) const {
    if (auto attr = dyn_cast_if_present<IntegerAttr>(values.lookup(value)))
      return attr.getValue().getSExtValue();
    return std::nullopt;
  }

private:
  bool machineDefaults;
  DenseMap<Value, Attribute> values;
};
} // namespace

/// Erases candidates that may not run at the sizes that are known.
static void dropImpossible(KernelOp kernel, const IRMapping &map,
                           const KnownValues &known) {
  SmallVector<CandidateOp> candidates = kernel.getCandidateOps();
  size_t left = candidates.size();
  for (CandidateOp candidate : candidates) {
    if (candidate.getGuard().empty() || left == 1)
      continue;
    OpBuilder b(kernel);
    Operation *before = kernel->getPrevNode();
    Value guard = inlineRegion(b, candidate.getGuard(), map);
    KnownValues here = known;
    here.fold(before, kernel);
    bool impossible = here.get(guard) == 0;
    // The copy was for looking only.
    while (kernel->getPrevNode() != before)
      kernel->getPrevNode()->erase();
    if (!impossible)
      continue;
    remark::missed(kernel.getLoc(),
                   remark::RemarkOpts::name("guard").category(DEBUG_TYPE))
        << "kernel '" << kernel.getName().str() << "': candidate '"
        << candidate.getSymName().str()
        << "' may not run at the sizes that are known; dropped";
    candidate->erase();
    --left;
  }
}

static LogicalResult selectKernel(KernelOp kernel, bool machineDefaults) {
  dropSpilling(kernel);
  SmallVector<CandidateOp> candidates = kernel.getCandidateOps();
  if (candidates.empty())
    return success();
  Location loc = kernel.getLoc();
  if (candidates.size() == 1 && candidates[0].getGuard().empty()) {
    keepOnly(kernel, candidates[0].getSymName());
    return success();
  }
  OpBuilder b(kernel);
  Operation *before = kernel->getPrevNode();
  KnownValues known(machineDefaults);
  FailureOr<SmallVector<Value>> extents = getAxisExtents(b, kernel);
  if (failed(extents))
    return failure();
  IRMapping map;
  map.map(kernel.getCandidates().front().getArguments(), *extents);
  for (Operation &op : kernel.getCandidates().front())
    if (!isa<CandidateOp>(op))
      b.clone(op, map);

  known.fold(before, kernel);
  dropImpossible(kernel, map, known);
  candidates = kernel.getCandidateOps();
  if (candidates.size() == 1 && candidates[0].getGuard().empty()) {
    keepOnly(kernel, candidates[0].getSymName());
    return success();
  }
  before = kernel->getPrevNode();

  // The cheapest candidate whose guard holds; -1 when none does.
  SmallVector<Value> guards, costs;
  SmallVector<StringRef> names;
  Value best, choice;
  for (auto [i, candidate] : llvm::enumerate(candidates)) {
    names.push_back(candidate.getSymName());
    Value guard = candidate.getGuard().empty()
                      ? arith::ConstantIntOp::create(b, loc, 1, 1).getResult()
                      : inlineRegion(b, candidate.getGuard(), map);
    Value cost = candidate.getCost().empty()
                     ? arith::ConstantFloatOp::create(b, loc, b.getF64Type(),
                                                      APFloat(0.0))
                           .getResult()
                     : inlineRegion(b, candidate.getCost(), map);
    guards.push_back(guard);
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
  if (machineDefaults) {
    known.fold(before, kernel);
    std::optional<int64_t> position = known.get(choice);
    if (position && *position >= 0) {
      keepOnly(kernel, names[*position]);
      return success();
    }
  }
  Value index =
      SelectOp::create(b, loc, b.getIndexType(), kernel.getNameAttr(),
                       b.getStrArrayAttr(names), choice, guards, costs);
  SmallVector<int64_t> cases;
  for (size_t i = 0; i + 1 < candidates.size(); ++i)
    cases.push_back(i);
  auto chooser = scf::IndexSwitchOp::create(b, loc, kernel.getResultTypes(),
                                            index, cases, cases.size());
  for (auto [i, name] : llvm::enumerate(names)) {
    Region &region = i < cases.size() ? chooser.getCaseRegions()[i]
                                      : chooser.getDefaultRegion();
    OpBuilder::InsertionGuard guard(b);
    b.createBlock(&region);
    auto clone = cast<KernelOp>(b.clone(*kernel));
    keepOnly(clone, name);
    scf::YieldOp::create(b, loc, clone.getResults());
  }
  kernel.replaceAllUsesWith(chooser.getResults());
  kernel.erase();
  return success();
}

namespace {
struct SelectKernelsPass : vortex::impl::SelectKernelsBase<SelectKernelsPass> {
  using SelectKernelsBase::SelectKernelsBase;
  void runOnOperation() override {
    SmallVector<KernelOp> kernels;
    getOperation()->walk([&](KernelOp op) { kernels.push_back(op); });
    for (KernelOp kernel : kernels)
      if (failed(selectKernel(kernel, machineDefaults)))
        return signalPassFailure();
  }
};
} // namespace
