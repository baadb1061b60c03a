//===- PackTiles.h - How operands are laid out for tiles -------*- C++ -*-===//
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

/// Dimensions of an operand that is read through `map`, in the order in which
/// it is laid out for tiles of dimension `position`: those that `out` has too,
/// the tiled one, then the reductions from the outermost loop to the innermost,
/// so that tiles read what is laid out from its beginning to its end.
llvm::SmallVector<int64_t>
getPackedOrder(mlir::AffineMap map, mlir::AffineMap out, int64_t position);

/// Whether `op` lays out rows for matrix tiles: constant tiles of its innermost
/// dimension, in runs of more than 32 bits and at most a vector, and of one
/// other.
bool packsTiles(mlir::linalg::PackOp op, int64_t vectorBytes);

/// Lowers such a pack to loops that copy runs, with zeros where there is no
/// row or step.
void lowerTilePack(mlir::RewriterBase &b, mlir::linalg::PackOp op);

/// Lowers a pack without tiles, which lays out columns one behind the other, to
/// loops over squares of few columns; fails, and changes nothing, where `op` is
/// another one or its elements have neither 32 nor 64 bits.
mlir::LogicalResult lowerColumnPack(mlir::RewriterBase &b,
                                    mlir::linalg::PackOp op,
                                    int64_t vectorBytes);

} // namespace vortex

#endif // VORTEX_TRANSFORMS_PACKTILES_H
