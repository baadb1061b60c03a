//===- ReductionOrder.h - In which order terms are added up -----*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_TRANSFORMS_REDUCTIONORDER_H
#define VORTEX_TRANSFORMS_REDUCTIONORDER_H

#include "CpuCandidates.h"

namespace vortex {

/// Makes the bits of each element of `kernel` independent of the candidate, of
/// the tile it is in and of its place there: drops candidates that add up in
/// another order than the first that runs at all sizes, or in one that depends
/// on the height of a tile, and forbids the others to round in other places.
/// Emits an error when none that runs at all sizes is left.
mlir::LogicalResult keepOneOrder(KernelOp kernel, CandidateReport &report);

/// Takes from the ops inside `root` what lets LLVM compute other bits in one
/// place than in another.
void clearFastMath(mlir::Operation *root);

} // namespace vortex

#endif // VORTEX_TRANSFORMS_REDUCTIONORDER_H
