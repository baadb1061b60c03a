//===- GpuCandidates.cpp - Candidates for GPUs ------------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GpuContraction.h"

using namespace mlir;
using namespace vortex;

Flag vortex::hasAlignedRows(SizeArith &arith, Value operand, int64_t elements,
                            int64_t bytes) {
  Flag holds = arith.size(elements * bytes) <= arith.alignment(operand);
  int64_t rank = cast<ShapedType>(operand.getType()).getRank();
  for (int64_t dim = 0; dim + 1 < rank; ++dim)
    holds = holds &
            (arith.stride(operand, dim) % arith.size(elements) < arith.size(1));
  return holds;
}

/// Instructions of a copy on the scalar units (estimates): address, predicate,
/// bytes to fill, and the copy; or a load and a store under a branch.
static constexpr double kCopyInstructions = 6, kElementInstructions = 8;

bool vortex::hasAsyncCopies(HwAttr hw) {
  return hw.getIsa().starts_with("sm_");
}

std::string vortex::getCopyPrefix(int64_t run, int64_t bytes, StringRef kind) {
  return (run == 1              ? Twine("any_")
          : bytes == kCopyBytes ? kind + Twine("_")
                                : kind + Twine(bytes) + "_")
      .str();
}

Real vortex::copyTime(SizeArith &arith, HwAttr hw, double copies, int64_t run) {
  double instructions =
      copies * (run > 1 ? kCopyInstructions : kElementInstructions);
  return arith.real(2.0 * instructions) /
         arith.param(hw, "simt.f32.rate", 100.0);
}

LogicalResult vortex::addGpuCandidates(KernelOp kernel, HwAttr hw,
                                       CandidateReport &report) {
  auto anchor = dyn_cast_if_present<linalg::LinalgOp>(kernel.getAnchor());
  if (!anchor) {
    report.pruned.push_back("the kernel has no linalg op as its anchor");
    return failure();
  }
  switch (classify(anchor)) {
  case PayloadClass::Contraction:
    return GpuContractionFamily(kernel, anchor, *getContractionRoles(anchor),
                                hw, report)
        .add();
  case PayloadClass::Columns:
    return addGpuStreamCandidates(kernel, anchor, /*columns=*/true, hw, report);
  case PayloadClass::Rows:
    return addGpuStreamCandidates(kernel, anchor, /*columns=*/false, hw,
                                  report);
  case PayloadClass::Opaque:
    break;
  }
  report.pruned.push_back("no family of micro-kernels can express the payload");
  return failure();
}
