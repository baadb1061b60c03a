//===- TileKernels.h - Scalar units, operands in place ---------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_CONVERSION_VORTEXTOGPU_TILEKERNELS_H
#define VORTEX_CONVERSION_VORTEXTOGPU_TILEKERNELS_H

#include "DeviceKernel.h"
#include "TilePlan.h"

namespace vortex {

/// Where a thread is in the tree: emitted once, at the start of a function.
struct TilePlace {
  TilePlace(const TilePlan &plan, DeviceKernel &device);

  Int thread, lane;
  /// First coordinate of the warp's tile; null where blocks do not divide.
  llvm::SmallVector<Int> origin;
};

/// Emits a kernel whose warps have a row, or a run of one, with the lanes along
/// it: row-wise chains with reductions between them, elementwise ops.
mlir::LogicalResult emitRowKernel(TilePlan &plan, DeviceKernel &device);

/// Emits a kernel whose warps have a tile of the result, its columns in the
/// lanes and its rows in registers, and each thread the reductions of its
/// elements.
mlir::LogicalResult emitPointKernel(TilePlan &plan, DeviceKernel &device);

/// Emits a kernel whose blocks have a square of an elementwise chain, as many
/// rows as a warp has lanes, and bring operands with their neighbours along the
/// rows through shared memory.
mlir::LogicalResult emitSquareKernel(TilePlan &plan, DeviceKernel &device);

} // namespace vortex

#endif // VORTEX_CONVERSION_VORTEXTOGPU_TILEKERNELS_H
