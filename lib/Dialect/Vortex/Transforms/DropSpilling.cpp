//===- DropSpilling.cpp - Candidates whose code spills are left out -------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Dialect/Vortex/Transforms/Passes.h"
#include "vortex/Dialect/Vortex/Transforms/Spills.h"
#include "vortex/Dialect/Vortex/Transforms/WithoutCode.h"

#include "vortex/HwDesc/Targets.h"

#include "mlir/IR/Remarks.h"

namespace vortex {
#define GEN_PASS_DEF_DROPSPILLING
#include "vortex/Dialect/Vortex/Transforms/Passes.h.inc"
} // namespace vortex

#define DEBUG_TYPE "vortex-drop-spilling"

using namespace mlir;
using namespace vortex;

void vortex::reportSpills(Location loc, StringRef kernel, StringRef candidate,
                          int64_t count, bool dropped) {
  remark::missed(loc, remark::RemarkOpts::name("spills").category(DEBUG_TYPE))
      << "kernel '" << kernel.str() << "': candidate '" << candidate.str()
      << "' spills vector registers by " << std::to_string(count)
      << " instructions of its innermost loops with and without LLVM's "
         "scheduler; "
      << (dropped ? "dropped" : "kept, as no other runs at every size");
}

/// Leaves out candidates whose code was found to spill.
static void dropSpilling(KernelOp kernel, DictionaryAttr spills) {
  auto countOf = [&](CandidateOp candidate) {
    return spills.getAs<IntegerAttr>(
        (kernel.getName() + "=" + candidate.getSymName()).str());
  };
  SmallVector<CandidateOp> candidates = kernel.getCandidateOps();
  bool answered = llvm::any_of(candidates, [&](CandidateOp candidate) {
    return candidate.getGuard().empty() && !countOf(candidate);
  });
  // On GPUs every candidate has a guard, if only that offsets fit; the last is
  // the most general one.
  SmallVector<HwAttr> targets = getTargets(kernel);
  bool isDevice = !targets.empty() && targets.front().isGPU();
  answered |= isDevice && !candidates.empty() && !countOf(candidates.back());
  for (CandidateOp candidate : candidates) {
    IntegerAttr count = countOf(candidate);
    if (!count)
      continue;
    if (isDevice) {
      remark::missed(kernel.getLoc(),
                     remark::RemarkOpts::name("spills").category(DEBUG_TYPE))
          << "kernel '" << kernel.getName().str() << "': candidate '"
          << candidate.getSymName().str() << "' spills "
          << std::to_string(count.getInt()) << " bytes of registers a thread; "
          << (answered ? "dropped" : "kept, as no other runs at most sizes");
      if (answered)
        candidate->erase();
      continue;
    }
    reportSpills(kernel.getLoc(), kernel.getName(), candidate.getSymName(),
                 count.getInt(), answered);
    if (answered)
      candidate->erase();
  }
}

/// Leaves out candidates that have no code; device code runs the payload where
/// none has.
static void dropWithoutCode(KernelOp kernel, DictionaryAttr reasons) {
  auto reasonOf = [&](CandidateOp candidate) {
    return reasons.getAs<StringAttr>(
        (kernel.getName() + "=" + candidate.getSymName()).str());
  };
  SmallVector<CandidateOp> candidates = kernel.getCandidateOps();
  for (CandidateOp candidate : candidates) {
    StringAttr reason = reasonOf(candidate);
    if (!reason)
      continue;
    remark::missed(
        kernel.getLoc(),
        remark::RemarkOpts::name("without-code").category(DEBUG_TYPE))
        << "kernel '" << kernel.getName().str() << "': candidate '"
        << candidate.getSymName().str()
        << "' has no code: " << reason.getValue().str() << "; dropped";
    candidate->erase();
  }
}

namespace {
struct DropSpillingPass : vortex::impl::DropSpillingBase<DropSpillingPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (auto reasons = module->getAttrOfType<DictionaryAttr>(kWithoutCodeAttr))
      module.walk([&](KernelOp kernel) { dropWithoutCode(kernel, reasons); });
    if (auto spills = module->getAttrOfType<DictionaryAttr>(kSpillsAttr))
      module.walk([&](KernelOp kernel) { dropSpilling(kernel, spills); });
  }
};
} // namespace
