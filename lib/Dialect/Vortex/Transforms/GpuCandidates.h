//===- GpuCandidates.h - Candidates for NVIDIA GPUs -------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_TRANSFORMS_GPUCANDIDATES_H
#define VORTEX_TRANSFORMS_GPUCANDIDATES_H

#include "CpuCandidates.h"

namespace vortex {

/// Gives `kernel` (with a contraction as its anchor, without candidates) its
/// candidates for the GPU that `hw` describes: rings of shared memory before
/// `mma.sync`. Fails, leaving it without candidates, when the elements have no
/// such instruction or the payload is no contraction with a chain behind it;
/// `report` says why.
mlir::LogicalResult addGpuContractionCandidates(KernelOp kernel, HwAttr hw,
                                                CandidateReport &report);

} // namespace vortex

#endif // VORTEX_TRANSFORMS_GPUCANDIDATES_H
