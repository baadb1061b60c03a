//===- WarpLanes.h - Lanes of a warp ----------------------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_DIALECT_VORTEX_IR_WARPLANES_H
#define VORTEX_DIALECT_VORTEX_IR_WARPLANES_H

#include "vortex/Dialect/Vortex/IR/VortexDialect.h"

namespace vortex {

/// Lanes of a warp of NVIDIA's: PTX ISA.
inline constexpr int64_t kPtxLanes = 32;
/// Bytes of a register of one lane.
inline constexpr int64_t kLaneBytes = 4;

/// Lanes of a warp of `hw`: what its level `warp` moves at once is a register
/// of each. A description that does not say is taken for one of NVIDIA's.
inline int64_t getWarpLanes(HwAttr hw) {
  HwLevelAttr warp = hw ? hw.getLevel("warp") : HwLevelAttr();
  int64_t lanes = warp ? warp.getGranularity() / kLaneBytes : 0;
  return lanes > 0 ? lanes : kPtxLanes;
}

/// Rows and columns of lanes that a warp of scalar units has in its tile.
struct LaneGrid {
  int64_t m = 0, n = 0;
};

/// How `lanes` lanes, a power of two, divide a tile of `m` x `n` so that each
/// reads the fewest elements for its products; zero where none divides it. Of
/// equal ones the widest: neighbours store neighbours.
inline LaneGrid divideLanes(int64_t m, int64_t n, int64_t lanes) {
  LaneGrid best;
  int64_t fewest = 0;
  for (int64_t rows = 1; rows <= lanes; rows *= 2) {
    int64_t columns = lanes / rows;
    if (m % rows != 0 || n % columns != 0)
      continue;
    int64_t reads = m / rows + n / columns;
    if (!fewest || reads < fewest) {
      best = {rows, columns};
      fewest = reads;
    }
  }
  return best;
}

} // namespace vortex

#endif // VORTEX_DIALECT_VORTEX_IR_WARPLANES_H
