//===- ContractionPlace.cpp - Which tile a warp multiplies -----*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContractionPlace.h"

using namespace mlir;
using namespace vortex;

/// Rows of tiles that blocks walk together, so that the operands they share
/// stay in L2 (CUTLASS' threadblock swizzle, Triton's grouped order).
static constexpr int64_t kGroupedRows = 8;

ContractionPlace::ContractionPlace(const ContractionPlan &plan,
                                   DeviceKernel &device)
    : plan(plan), device(device) {
  ImplicitLocOpBuilder &b = device.b;
  thread = {&b, device.ops->threadId(b)};
  block = {&b, device.ops->blockId(b)};
  lane = thread % plan.lanes;
  Int warp = thread / plan.lanes;
  int64_t warpsN = plan.blockN / plan.warpN;
  warpM = (warp / warpsN) * plan.warpM;
  warpN = (warp % warpsN) * plan.warpN;

  auto count = [&](Int points, int64_t tile) {
    return (points + (tile - 1)) / tile;
  };
  // The blocks of a cluster divide a tile among them.
  rank = block % plan.cluster();
  block = block / plan.cluster();
  rows = count(device.countPoints(plan.rowAxes()), plan.blockM * plan.clusterM);
  columns = count(device.extents[plan.n], plan.blockN * plan.clusterN);
  if (!plan.queue) {
    moveTo(block);
    return;
  }
  blocks = Int{&b, device.ops->gridSize(b)} / plan.cluster();
  tiles = rows * columns;
  for (unsigned axis : plan.batch)
    tiles = tiles * device.extents[axis];
}

SmallVector<Value> ContractionPlace::boxAt(ArrayRef<unsigned> axes,
                                           const BoxOrigin &origin) const {
  SmallVector<Value> coordinates;
  auto pointOf = [&](unsigned axis) {
    if (axis == origin.columnAxis)
      return origin.column;
    if (axis == origin.rowAxis)
      return origin.row;
    for (auto [outer, point] : llvm::zip(origin.outerAxes, origin.outer))
      if (outer == axis)
        return point;
    return batch[llvm::find(plan.batch, axis) - plan.batch.begin()];
  };
  for (unsigned axis : llvm::reverse(axes))
    coordinates.push_back(pointOf(axis).value);
  return coordinates;
}

void ContractionPlace::moveTo(Int tile) {
  ImplicitLocOpBuilder &b = device.b;
  // Points of the batch are the slowest: their blocks share nothing.
  if (!plan.batch.empty()) {
    Int plane = rows * columns;
    Int rest = tile / plane;
    tile = tile % plane;
    batch.resize(plan.batch.size());
    for (size_t i = plan.batch.size(); i-- > 0;) {
      Int extent = device.extents[plan.batch[i]];
      batch[i] = i ? rest % extent : rest;
      rest = rest / extent;
    }
  }
  firstK = device.number(0);
  endK = device.extents[plan.k];
  if (plan.partLength) {
    Int length{&b, arith::TruncIOp::create(b, b.getI32Type(),
                                           device.operands[*plan.partLength])};
    firstK = batch[0] * length;
    endK = (firstK + length).atMost(endK);
  }
  Int group = columns * kGroupedRows;
  Int first = (tile / group) * kGroupedRows;
  Int height = (rows - first).atMost(device.number(kGroupedRows));
  Int inGroup = tile % group;
  m0 = (first + inGroup % height) * (plan.blockM * plan.clusterM) +
       rank / plan.clusterN * plan.blockM;
  n0 = (inGroup / height) * (plan.blockN * plan.clusterN) +
       rank % plan.clusterN * plan.blockN;
}
