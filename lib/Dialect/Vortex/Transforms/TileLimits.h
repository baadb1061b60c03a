//===- TileLimits.h - Does a tile fit its micro-kernel ----------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_TRANSFORMS_TILELIMITS_H
#define VORTEX_TRANSFORMS_TILELIMITS_H

#include "vortex/Dialect/Vortex/IR/VortexDialect.h"

namespace vortex {

/// Emits an error when the tile in which `stage` runs its micro-kernel may be
/// larger than what that has code for: elements of rows, columns and further
/// parallel axes of the kernel's anchor. Extents that are not tiled count
/// whole. A tile size that is computed is the author's promise.
mlir::LogicalResult checkTileLimits(KernelOp kernel, StageOp stage);

} // namespace vortex

#endif // VORTEX_TRANSFORMS_TILELIMITS_H
