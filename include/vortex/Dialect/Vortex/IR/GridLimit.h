//===- GridLimit.h - Blocks of a launch -------------------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_DIALECT_VORTEX_IR_GRIDLIMIT_H
#define VORTEX_DIALECT_VORTEX_IR_GRIDLIMIT_H

#include "vortex/Dialect/Vortex/IR/VortexDialect.h"

#include "llvm/TargetParser/Triple.h"

#include <algorithm>

namespace vortex {

/// CUDA C++ programming guide: largest grid along x. Numbers of blocks are of
/// 32 bits in device code.
inline constexpr int64_t kLargestGrid = (int64_t(1) << 31) - 1;

/// Blocks along one dimension of a launch of `hw`: units of its level `grid`.
inline int64_t getLargestDimension(HwAttr hw) {
  HwLevelAttr grid = hw ? hw.getLevel("grid") : HwLevelAttr();
  return grid ? std::min<int64_t>(grid.getUnits(), kLargestGrid) : kLargestGrid;
}

/// Whether grids that are longer than one dimension go on in a second one:
/// min(blocks, d) by ceil(blocks / d) for dimensions of at most d.
inline bool foldsGrids(HwAttr hw) {
  return hw && llvm::Triple(hw.getTriple()).isSPIRV();
}

/// Blocks of a launch of `hw` at most.
inline int64_t getLargestGrid(HwAttr hw) {
  int64_t along = getLargestDimension(hw);
  if (!foldsGrids(hw) || along > kLargestGrid / along)
    return foldsGrids(hw) ? kLargestGrid : along;
  return along * along;
}

} // namespace vortex

#endif // VORTEX_DIALECT_VORTEX_IR_GRIDLIMIT_H
