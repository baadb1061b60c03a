//===- PointKernel.cpp - Threads with a few elements each ------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Contractions, convolutions and pooling whose operands are read where they
// are. The lanes of a warp lie along the columns of its tile, so that they read
// neighbours; a thread has all of the tile's rows in its columns, keeps their
// sums in registers and loads what several of them share once.
//
//===----------------------------------------------------------------------===//

#include "PointTile.h"
#include "TileKernels.h"

using namespace mlir;
using namespace vortex;

/// Says what a tree must have for the lanes to have columns.
static LogicalResult verify(TilePlan &plan) {
  if (plan.warpAxes.empty() ||
      plan.warp[plan.warpAxes.back()] % plan.lanes != 0)
    return plan.candidate.emitOpError()
           << "must divide the axis that lanes lie along among warps, by a "
              "multiple of "
           << plan.lanes;
  linalg::LinalgOp anchor = plan.anchor;
  SmallVector<unsigned> reductions;
  anchor.getReductionDims(reductions);
  for (unsigned loop = 0; loop < anchor.getNumLoops(); ++loop) {
    bool reduced = llvm::is_contained(reductions, loop);
    if (reduced == (plan.block[loop] != 0))
      return anchor->emitOpError()
             << (reduced ? "reduces along axis " : "walks axis ")
             << plan.kernel.getAxes()[loop]
             << (reduced ? ", which blocks divide"
                         : ", which blocks do not divide");
  }
  return success();
}

LogicalResult vortex::emitPointKernel(TilePlan &plan, DeviceKernel &device) {
  linalg::LinalgOp anchor = plan.anchor;
  PointTile tile(plan.kernel, anchor, device);
  if (failed(verify(plan)) || failed(tile.verify()))
    return failure();
  tile.getPayload().joinProducts(anchor, plan.micro.getContract());

  TilePlace place(plan, device);
  SmallVector<PointTile::Side> sides;
  for (unsigned axis : plan.blockAxes) {
    PointTile::Side side;
    side.axis = axis;
    side.origin = place.origin[axis];
    side.count = plan.warp[axis];
    side.bounded = plan.block[axis] == 1;
    if (axis == plan.warpAxes.back()) {
      side.origin = side.origin + place.lane;
      side.count /= plan.lanes;
      side.step = plan.lanes;
    }
    sides.push_back(side);
  }
  tile.make(sides);

  SmallVector<unsigned> reductions;
  anchor.getReductionDims(reductions);
  SmallVector<Value> sums;
  if (plan.partLength) {
    ImplicitLocOpBuilder &b = device.b;
    Int length{&b, arith::TruncIOp::create(b, b.getI32Type(),
                                           device.operands[*plan.partLength])};
    Int end = device.extents[plan.partAxis];
    Int first = place.origin[0] * length;
    tile.getPayload().setRange(plan.partAxis, first,
                               first + (end - first).atMost(length));
  }
  if (!reductions.empty())
    sums = tile.getPayload().nest(
        reductions, SmallVector<Int>(anchor.getNumLoops()), tile.start(),
        [&](ArrayRef<Int> inside, ValueRange carried) {
          SmallVector<Value> next;
          for (auto [point, sum] : llvm::zip(tile.getPoints(), carried)) {
            SmallVector<Int> loops = point.axes;
            for (unsigned loop : reductions)
              loops[loop] = inside[loop];
            next.push_back(tile.getPayload().apply(anchor, loops, sum));
          }
          return next;
        });
  tile.store(sums);
  LLVM::ReturnOp::create(device.b, ValueRange{});
  return success();
}
