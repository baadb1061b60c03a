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

} // namespace vortex

#endif // VORTEX_DIALECT_VORTEX_IR_WARPLANES_H
