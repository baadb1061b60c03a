//===- InlineFallbacks.cpp - Payloads that no candidate runs ---- -*- C++
//-*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Dialect/Vortex/IR/VortexDialect.h"
#include "vortex/Dialect/Vortex/Transforms/FallbackPlace.h"
#include "vortex/Dialect/Vortex/Transforms/Passes.h"
#include "vortex/HwDesc/Targets.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

namespace vortex {
#define GEN_PASS_DEF_INLINEFALLBACKS
#include "vortex/Dialect/Vortex/Transforms/Passes.h.inc"
} // namespace vortex

using namespace mlir;
using namespace vortex;

/// Whether `kernel` is what is left of one where no candidate of it may run.
static bool isBesideCandidates(KernelOp kernel) {
  auto choice = dyn_cast<scf::IndexSwitchOp>(kernel->getParentOp());
  auto select = choice ? choice.getArg().getDefiningOp<SelectOp>() : SelectOp();
  return select && select.getKernelAttr() == kernel.getNameAttr() &&
         &choice.getDefaultRegion() == kernel->getParentRegion();
}

static void inlinePayload(KernelOp kernel) {
  bool beside = isBesideCandidates(kernel);
  OpBuilder b(kernel);
  Block &payload = kernel.getPayload().front();
  IRMapping map;
  map.map(payload.getArguments(), kernel->getOperands());
  for (Operation &op : payload.without_terminator()) {
    Operation *clone = b.clone(op, map);
    clone->removeAttr(kIdAttr);
    clone->removeAttr(kAnchorAttr);
    if (beside)
      clone->setLoc(getFallbackPlace(op.getLoc(), kernel.getNameAttr()));
  }
  auto yield = cast<YieldOp>(payload.back());
  for (auto [result, value] : llvm::zip(kernel.getResults(), yield.getValues()))
    result.replaceAllUsesWith(map.lookupOrDefault(value));
  kernel.erase();
}

namespace {
struct InlineFallbacksPass
    : vortex::impl::InlineFallbacksBase<InlineFallbacksPass> {
  void runOnOperation() override {
    SmallVector<HwAttr> targets = getTargets(getOperation());
    if (targets.empty() || !targets.front().isGPU())
      return;
    SmallVector<KernelOp> kernels;
    getOperation()->walk([&](KernelOp kernel) {
      if (kernel.getCandidateOps().empty())
        kernels.push_back(kernel);
    });
    for (KernelOp kernel : kernels)
      inlinePayload(kernel);
    numInlined += kernels.size();
  }
};
} // namespace
