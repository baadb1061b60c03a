//===- TilePlace.cpp - Which tile a thread works on ------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileKernels.h"

using namespace mlir;
using namespace vortex;

TilePlace::TilePlace(const TilePlan &plan, DeviceKernel &device) {
  ImplicitLocOpBuilder &b = device.b;
  thread = {&b, device.ops->threadId(b)};
  lane = thread % plan.lanes;
  origin.resize(plan.block.size());

  // The last axis is the fastest, of blocks as of the warps in them.
  if (!plan.blockAxes.empty()) {
    Int rest{&b, device.ops->blockId(b)};
    for (auto [i, axis] : llvm::reverse(llvm::enumerate(plan.blockAxes))) {
      int64_t tile = plan.block[axis];
      Int tiles = (device.extents[axis] + (tile - 1)) / tile;
      origin[axis] = (i ? rest % tiles : rest) * tile;
      if (i)
        rest = rest / tiles;
    }
  }
  Int warp = thread / plan.lanes;
  for (auto [i, axis] : llvm::reverse(llvm::enumerate(plan.warpAxes))) {
    int64_t count = plan.warpsAlong(axis);
    if (count == 1)
      continue;
    origin[axis] = origin[axis] + (warp % count) * plan.warp[axis];
    warp = warp / count;
  }
}
