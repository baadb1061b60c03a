//===- CpuCandidates.cpp - Candidates for x86-64 --------------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CpuCandidates.h"

#include "CpuContraction.h"

using namespace mlir;
using namespace vortex;

LogicalResult vortex::addCpuCandidates(KernelOp kernel, HwAttr hw,
                                       CandidateRules rules,
                                       CandidateReport &report) {
  if (hw.isGPU()) {
    report.pruned.push_back("there is no family for " + hw.getIsa().str() +
                            " yet");
    return failure();
  }
  auto anchor = dyn_cast_if_present<linalg::LinalgOp>(kernel.getAnchor());
  if (!anchor) {
    report.pruned.push_back("the kernel has no linalg op as its anchor");
    return failure();
  }
  PayloadClass payloadClass = classify(anchor);
  if ((payloadClass == PayloadClass::Contraction ||
       payloadClass == PayloadClass::Columns) &&
      succeeded(addCpuConvCandidates(kernel, anchor, hw, rules, report)))
    return success();
  switch (payloadClass) {
  case PayloadClass::Contraction:
    return ContractionFamily(kernel, anchor, *getContractionRoles(anchor), hw,
                             rules, report)
        .add();
  case PayloadClass::Columns:
    return addCpuStreamCandidates(kernel, anchor, /*columns=*/true, hw, report);
  case PayloadClass::Rows:
    return addCpuStreamCandidates(kernel, anchor, /*columns=*/false, hw,
                                  report);
  case PayloadClass::Opaque:
    break;
  }
  report.pruned.push_back("no family of micro-kernels can express the payload");
  return failure();
}
