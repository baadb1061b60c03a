//===- ContractionPlace.h - Which tile a warp multiplies --------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_CONVERSION_VORTEXTOGPU_CONTRACTIONPLACE_H
#define VORTEX_CONVERSION_VORTEXTOGPU_CONTRACTIONPLACE_H

#include "DeviceKernel.h"

namespace vortex {

/// Where a thread is in a contraction's tree: in the tile of its block, or in
/// the one that moveTo() says where blocks walk all tiles.
struct ContractionPlace {
  ContractionPlace(const ContractionPlan &plan, DeviceKernel &device);

  /// Where a box begins in a tensor whose dimensions walk `axes`: at `row` and
  /// `column` of two of them, at a point of the batch along the others. The
  /// innermost dimension is a tensor map's first.
  struct BoxOrigin {
    unsigned rowAxis, columnAxis;
    Int row, column;
    /// Of the axes of a window, where it is.
    llvm::ArrayRef<unsigned> outerAxes = {};
    llvm::ArrayRef<Int> outer = {};
  };
  llvm::SmallVector<mlir::Value> boxAt(llvm::ArrayRef<unsigned> axes,
                                       const BoxOrigin &origin) const;

  /// Moves to tile number `tile` from where the builder is.
  void moveTo(Int tile);

  Int thread, lane;
  Int block, blocks;            ///< of the grid, clusters where there are any
  Int rank;                     ///< of the block in its cluster
  Int tiles;                    ///< of the result, those of all parts
  Int m0, n0;                   ///< the block's tile
  Int warpM, warpN;             ///< the warp's tile in the block's
  llvm::SmallVector<Int> batch; ///< coordinates of the batch axes
  Int firstK, endK;             ///< steps of the reduction

private:
  const ContractionPlan &plan;
  DeviceKernel &device;
  Int rows, columns; ///< tiles along both axes
};

} // namespace vortex

#endif // VORTEX_CONVERSION_VORTEXTOGPU_CONTRACTIONPLACE_H
