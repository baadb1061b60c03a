//===- SelectKernels.cpp - Guards and costs become the choice ---------- -===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CandidateChoice.h"

#include "vortex/Dialect/Vortex/Transforms/AxisExtents.h"
#include "vortex/Dialect/Vortex/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

namespace vortex {
#define GEN_PASS_DEF_SELECTKERNELS
#include "vortex/Dialect/Vortex/Transforms/Passes.h.inc"
} // namespace vortex

using namespace mlir;
using namespace vortex;

/// Drops the arguments of a kernel's candidates that only guards and costs
/// asked about: passes to come are free to change the kernel's operands.
static void dropQueriedOperands(KernelOp kernel) {
  Block &block = kernel.getCandidates().front();
  unsigned axes = kernel.getAxes().size();
  if (llvm::all_of(block.getArguments().drop_front(axes),
                   [](BlockArgument x) { return x.use_empty(); }))
    block.eraseArguments(axes, block.getNumArguments() - axes);
}

/// A copy of the kernel with one of its candidates, which no longer needs a
/// guard and a cost, and of what candidates share what this one's schedule
/// takes; none (null): the payload by itself.
static KernelOp cloneWith(OpBuilder &b, KernelOp kernel,
                          CandidateOp candidate) {
  auto clone = cast<KernelOp>(kernel->cloneWithoutRegions());
  b.insert(clone);
  IRMapping map;
  kernel.getPayload().cloneInto(&clone.getPayload(), map);
  if (!candidate)
    return clone;
  Block &shared = kernel.getCandidates().front();
  SetVector<Value> used;
  getUsedValuesDefinedAbove(candidate.getSchedule(), used);
  DenseSet<Operation *> needed;
  for (size_t i = 0; i < used.size(); ++i)
    if (Operation *op = used[i].getDefiningOp();
        op && op->getBlock() == &shared && needed.insert(op).second) {
      used.insert_range(op->getOperands());
      getUsedValuesDefinedAbove(op->getRegions(), used);
    }
  OpBuilder::InsertionGuard guard(b);
  Block *block = b.createBlock(&clone.getCandidates());
  for (BlockArgument argument : shared.getArguments())
    map.map(argument,
            block->addArgument(argument.getType(), argument.getLoc()));
  for (Operation &op : shared)
    if (needed.contains(&op))
      b.clone(op, map);
  auto kept = cast<CandidateOp>(candidate->cloneWithoutRegions());
  b.insert(kept);
  candidate.getSchedule().cloneInto(&kept.getSchedule(), map);
  dropQueriedOperands(clone);
  return clone;
}

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
  // What the others shared.
  Block &block = kernel.getCandidates().front();
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(block.getOperations())))
    if (isOpTriviallyDead(&op))
      op.erase();
  dropQueriedOperands(kernel);
}

namespace {
/// What straight-line arithmetic gives where sizes are known, with the machine
/// parameters of the description and operands that are dense and begin with a
/// cache line.
class KnownValues {
public:
  /// Folds the ops behind `after` (null: from the block's start) and in front
  /// of `end`; values of earlier calls stay known.
  void fold(Operation *after, Operation *end) {
    Operation *op = after ? after->getNextNode() : &end->getBlock()->front();
    for (; op != end; op = op->getNextNode()) {
      if (auto param = dyn_cast<MachineParamOp>(op)) {
        values[param.getResult()] = param.getDefaultValueAttr();
        continue;
      }
      Builder b(op->getContext());
      if (isa<AlignmentOp>(op)) {
        values[op->getResult(0)] = b.getIndexAttr(kAssumedAlignment);
        continue;
      }
      if (auto stride = dyn_cast<StrideOp>(op)) {
        auto inner = cast<ShapedType>(stride.getSource().getType())
                         .getShape()
                         .drop_front(stride.getDimension() + 1);
        if (!ShapedType::isDynamicShape(inner))
          values[stride.getResult()] =
              b.getIndexAttr(ShapedType::getNumElements(inner));
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
  DenseMap<Value, Attribute> values;
};
} // namespace

/// Puts the choice in front of the kernel and one kernel a candidate behind it.
static LogicalResult selectKernel(KernelOp kernel, bool machineDefaults) {
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
  IRMapping map;
  if (failed(mapCandidateArguments(b, kernel, map)))
    return failure();
  ArithmeticCopier copier(b);
  CandidateChoice choice = createChoice(b, copier, kernel, map);
  if (machineDefaults) {
    KnownValues known;
    known.fold(before, kernel);
    std::optional<int64_t> position = known.get(choice.preferred);
    if (position && *position >= 0) {
      keepOnly(kernel, candidates[*position].getSymName());
      return success();
    }
  }
  Value index =
      SelectOp::create(b, loc, b.getIndexType(), kernel.getNameAttr(),
                       b.getStrArrayAttr(choice.names), choice.preferred,
                       choice.allowed, choice.costs);
  // The last candidate is the default. Where it may be that no guard holds,
  // the payload by itself is.
  bool covered = llvm::any_of(candidates, [](CandidateOp candidate) {
    return candidate.getGuard().empty();
  });
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
    KernelOp clone =
        cloneWith(b, kernel, i < candidates.size() ? candidates[i] : nullptr);
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
