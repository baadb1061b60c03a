//===- StripTile.h - Several rows of a result in each vector ----*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_TRANSFORMS_STRIPTILE_H
#define VORTEX_TRANSFORMS_STRIPTILE_H

#include "MicroKernelEmitter.h"

namespace vortex {

/// The one contraction of `block` where strips can hold all of its ops: rows by
/// columns, then ops element by element of it and of what no row changes, all
/// of the same type of 32 or 64 bits, of sums that start from constants or from
/// what the result holds. Null where they cannot. `rowDim` is the
/// dimension of the result that has the rows, counted from the end.
mlir::linalg::LinalgOp findStripProduct(mlir::Block &block, int64_t rowDim);

/// Emits the tile of `kernel` with as many whole rows of the result in a vector
/// as its lanes hold; the columns are at most as many as lanes, the steps of
/// its reduction twice as many.
mlir::FailureOr<llvm::SmallVector<mlir::Value>>
emitStripTile(mlir::OpBuilder &b, MicroKernelOp kernel);

} // namespace vortex

#endif // VORTEX_TRANSFORMS_STRIPTILE_H
