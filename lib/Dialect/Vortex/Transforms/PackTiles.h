//===- PackTiles.h - Rows laid out for matrix tiles -------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_TRANSFORMS_PACKTILES_H
#define VORTEX_TRANSFORMS_PACKTILES_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace vortex {

/// Whether `op` lays out rows for matrix tiles: constant tiles of its innermost
/// dimension, in runs of more than 32 bits and at most a vector, and of one
/// other.
bool packsTiles(mlir::linalg::PackOp op, int64_t vectorBytes);

/// Lowers such a pack to loops that copy runs, with zeros where there is no
/// row or step.
void lowerTilePack(mlir::RewriterBase &b, mlir::linalg::PackOp op);

} // namespace vortex

#endif // VORTEX_TRANSFORMS_PACKTILES_H
