//===- Hierarchize.cpp - Candidates for every kernel ------------------ -===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CandidateChoice.h"
#include "CpuCandidates.h"
#include "GpuCandidates.h"
#include "GpuChain.h"
#include "ReductionOrder.h"

#include "vortex/Dialect/Vortex/Transforms/LibraryTargets.h"
#include "vortex/Dialect/Vortex/Transforms/Passes.h"
#include "vortex/HwDesc/Targets.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Remarks.h"

namespace vortex {
#define GEN_PASS_DEF_HIERARCHIZE
#include "vortex/Dialect/Vortex/Transforms/Passes.h.inc"
} // namespace vortex

#define DEBUG_TYPE "vortex-hierarchize"

using namespace mlir;
using namespace vortex;

namespace {
struct HierarchizePass : vortex::impl::HierarchizeBase<HierarchizePass> {
  using HierarchizeBase::HierarchizeBase;
  void runOnOperation() override;
  LogicalResult hierarchize(FunctionOpInterface function);
};
} // namespace

/// The pass option, else the module's target, else the host.
static FailureOr<HwAttr> resolveTarget(Operation *op, StringRef spec) {
  if (spec.empty())
    if (SmallVector<HwAttr> targets = getTargets(op); !targets.empty()) {
      if (targets.size() > 1)
        op->emitWarning() << "planned for the first of " << targets.size()
                          << " targets alone, " << targets[0].getIsa() << "/"
                          << targets[0].getChip();
      return targets[0];
    }
  FailureOr<SmallVector<HwAttr>> targets =
      parseTargets(op->getContext(), spec.empty() ? "host" : spec,
                   [&] { return op->emitError(); });
  if (failed(targets))
    return failure();
  if (targets->size() > 1)
    return op->emitError() << "target=" << spec << " names " << targets->size()
                           << " targets; kernels are planned for one";
  return targets->front();
}

static bool hasEmptyAxis(KernelOp kernel) {
  auto anchor = dyn_cast<linalg::LinalgOp>(kernel.getAnchor());
  return anchor && llvm::is_contained(anchor.getStaticLoopRanges(), 0);
}

static void report(KernelOp kernel, const CandidateReport &found) {
  auto remark = remark::passed(
      kernel.getLoc(),
      remark::RemarkOpts::name("candidates").category("vortex-hierarchize"));
  SmallVector<StringRef> names;
  for (CandidateOp candidate : kernel.getCandidateOps())
    names.push_back(candidate.getSymName());
  remark << "kernel '" << kernel.getName().str() << "': considered "
         << std::to_string(found.considered) << ", kept "
         << std::to_string(names.size()) << " (" << llvm::join(names, ", ")
         << ")";
  if (!found.pruned.empty())
    remark << "; pruned: " << llvm::join(found.pruned, "; ");
}

static void reportFallback(KernelOp kernel, const CandidateReport &found) {
  auto remark = remark::missed(
      kernel.getLoc(),
      remark::RemarkOpts::name("fallback").category("vortex-hierarchize"));
  remark << "kernel '" << kernel.getName().str()
         << "' is a fallback, lowered to generic loops: "
         << llvm::join(found.pruned, "; ");
}

/// A kernel for a GPU with an axis behind those of its anchor runs a chain.
static LogicalResult addCandidates(KernelOp kernel, HwAttr hw,
                                   CandidateReport &found) {
  auto product = dyn_cast_if_present<linalg::LinalgOp>(kernel.getAnchor());
  if (!product || product.getNumLoops() == kernel.getAxes().size())
    return addGpuCandidates(kernel, hw, found);
  std::string why;
  std::optional<RunningChain> chain = matchRunningChain(product, why);
  if (chain)
    return addGpuChainCandidates(kernel, *chain, hw, found);
  found.pruned.push_back(why);
  return failure();
}

void HierarchizePass::runOnOperation() {
  if (failed(forEachFunction(getOperation(), [&](FunctionOpInterface function) {
        return hierarchize(function);
      })))
    signalPassFailure();
}

LogicalResult HierarchizePass::hierarchize(FunctionOpInterface function) {
  bool bare = false;
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<KernelOp>(op))
      return WalkResult::skip();
    bare |= isa<linalg::LinalgOp>(op);
    return WalkResult::advance();
  });
  unsigned kernels = 0, fused = 0;
  if (bare)
    formKernels(function, kernels, fused);

  CandidateRules rules;
  rules.oneOrder = deterministic == Determinism::BatchInvariant;
  rules.candidates = candidates;
  SmallVector<KernelOp> work, given;
  function->walk([&](KernelOp kernel) {
    (kernel.getCandidateOps().empty() ? work : given).push_back(kernel);
  });
  if (rules.oneOrder) {
    clearFastMath(function);
    for (KernelOp kernel : given) {
      CandidateReport found;
      found.considered = kernel.getCandidateOps().size();
      if (failed(keepOneOrder(kernel, found)))
        return failure();
      report(kernel, found);
    }
  }
  if (work.empty())
    return success();
  FailureOr<HwAttr> hw = resolveTarget(function, target);
  if (failed(hw))
    return failure();
  if (rules.oneOrder && hw->isGPU())
    return function->emitError()
           << "deterministic=batch-invariant is for CPUs; the target is "
           << hw->getIsa() << "/" << hw->getChip();
  // An artifact for several targets names libraries of all of them.
  SmallVector<std::string> names, others;
  for (const std::string &name : libraries) {
    std::string why = whyNoLibraryOn(name, *hw);
    if (why.empty())
      names.push_back(name);
    else
      others.push_back("library " + name + ": " + why);
  }
  struct Plan {
    KernelOp kernel;
    CandidateReport found;
    bool planned;
    SmallVector<CandidateOp> impossible;
  };
  SmallVector<Plan> plans;
  for (KernelOp kernel : work) {
    CandidateReport found;
    LogicalResult planned = failure();
    // A tile of size 0 would mean a loop that is not tiled.
    if (hasEmptyAxis(kernel))
      found.pruned.push_back("an axis has size 0");
    else if (candidates == Candidates::None && !hw->isGPU())
      found.pruned.push_back("candidates=none");
    else
      planned = hw->isGPU() ? addCandidates(kernel, *hw, found)
                            : addCpuCandidates(kernel, *hw, rules, found);
    if (succeeded(planned)) {
      llvm::append_range(found.pruned, others);
      if (hw->isGPU())
        addGpuLibraryCandidates(kernel, names, *hw, found);
      else
        addLibraryCandidates(kernel, names, *hw, found);
      if (rules.oneOrder && failed(keepOneOrder(kernel, found)))
        return failure();
    }
    plans.push_back({kernel, std::move(found), succeeded(planned), {}});
  }
  // One analysis for all kernels: to make one walks the module. Candidates are
  // neither made nor erased while it lives.
  {
    SizeAnalysis sizes(function);
    for (Plan &plan : plans)
      if (plan.planned)
        plan.impossible = findImpossible(plan.kernel, sizes);
  }
  for (Plan &plan : plans) {
    if (plan.planned) {
      llvm::append_range(plan.found.pruned,
                         dropImpossible(plan.kernel, plan.impossible));
      ++numPlanned;
      report(plan.kernel, plan.found);
    } else {
      ++numFallbacks;
      reportFallback(plan.kernel, plan.found);
    }
  }
  return success();
}
