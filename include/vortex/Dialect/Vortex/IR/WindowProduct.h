//===- WindowProduct.h - Products over windows ------------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A convolution is a matrix product whose rows are several axes (a point of the
// image) and whose reduction has several (the window's, and channels). What is
// said of such axes in trees, and which of them a ring of shared memory walks.
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_DIALECT_VORTEX_IR_WINDOWPRODUCT_H
#define VORTEX_DIALECT_VORTEX_IR_WINDOWPRODUCT_H

#include "vortex/Dialect/Vortex/IR/VortexDialect.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace vortex {

/// Number of axes in front of a level that are counted together: a tile has as
/// many consecutive points of them, the last axis the fastest, as the size of
/// the last one says.
inline constexpr llvm::StringLiteral kJoinedAttr = "joined";

/// The number of axes that `level` counts together; 1: each by itself.
int64_t getJoined(LevelOp level);

/// Whether all coordinates of `map` are sums of axes, each times a number above
/// zero: its offsets in memory are sums of one for each axis.
bool isWindowMap(mlir::AffineMap map);

/// Whether the contraction `op` has several reductions, or coordinates of its
/// left factor that are no axis by themselves.
bool hasWindow(mlir::linalg::LinalgOp op);

/// The reduction that tiles of the factors of `op` are long of: its only one
/// where factors are matrices, else the one that the left factor is contiguous
/// along. None: there is no such one.
std::optional<unsigned> getRingReduction(mlir::linalg::LinalgOp op);

/// The reduction whose steps follow, in the memory of both factors of `op`
/// where it is dense, the end of getRingReduction(): the two are one longer
/// reduction. None where there is no such one.
std::optional<unsigned> getNextReduction(mlir::linalg::LinalgOp op);

} // namespace vortex

#endif // VORTEX_DIALECT_VORTEX_IR_WINDOWPRODUCT_H
