//===- TilePlan.cpp - Trees that read operands where they are --*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TilePlan.h"

#include "vortex/Dialect/Vortex/IR/WarpLanes.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace vortex;

FailureOr<int64_t> vortex::readTileSize(LevelOp level, unsigned axis,
                                        AxisClass axisClass) {
  KernelOp kernel = level->getParentOfType<KernelOp>();
  for (auto [position, kind, size] :
       llvm::zip(level.getAxes(), level.getClasses(), level.getSizes())) {
    if (position != axis)
      continue;
    APInt constant;
    if (static_cast<AxisClass>(kind) != axisClass)
      return level.emitOpError()
             << "walks axis " << kernel.getAxes()[axis] << " as "
             << stringifyAxisClass(static_cast<AxisClass>(kind))
             << "; device code needs " << stringifyAxisClass(axisClass);
    if (!matchPattern(size, m_ConstantInt(&constant)))
      return level.emitOpError() << "tiles axis " << kernel.getAxes()[axis]
                                 << " by a size that is not constant";
    return constant.getSExtValue();
  }
  return level.emitOpError() << "does not tile axis " << kernel.getAxes()[axis];
}

int64_t TilePlan::warps() const {
  int64_t count = 1;
  for (unsigned axis : warpAxes)
    count *= warpsAlong(axis);
  return count;
}

int64_t TilePlan::countReductions() const {
  return llvm::count_if(
      KernelOp(kernel).getPayload().front().getOps<linalg::LinalgOp>(),
      [](linalg::LinalgOp op) { return op.getNumReductionLoops() > 0; });
}

SmallVector<CrossedOperand> TilePlan::findCrossed() const {
  if (micro.getInstruction() != "square" || warpAxes.size() != 1)
    return {};
  return layOutCrossed(KernelOp(kernel).getPayload().front(), warpAxes[0],
                       micro.getLaneAxis(), lanes, bankBytes);
}

LaunchShape TilePlan::launchShape() const {
  LaunchShape launch;
  launch.threads = warps() * together * lanes;
  if (together > 1)
    launch.sharedBytes = countReductions() * together * kPartialBytes;
  if (micro.getInstruction() == "square")
    launch.sharedBytes = countSharedBytes(findCrossed(), lanes);
  launch.tile = block;
  return launch;
}

/// The sizes of `level`'s axes, into `tiles`.
static LogicalResult readSizes(LevelOp level, SmallVector<unsigned> &axes,
                               SmallVector<int64_t> &tiles) {
  for (int64_t axis : level.getAxes()) {
    FailureOr<int64_t> size = readTileSize(level, axis, AxisClass::PL);
    if (failed(size))
      return failure();
    axes.push_back(axis);
    tiles[axis] = *size;
  }
  if (!level.getLoads().empty() || level.getRole() || level.getCombine())
    return level.emitOpError("loads, has a role or splits a reduction, for "
                             "which there is no device code here");
  return success();
}

FailureOr<TilePlan> vortex::readTilePlan(CandidateOp candidate, HwAttr hw) {
  TilePlan plan;
  plan.lanes = getWarpLanes(hw);
  plan.bankBytes = getBankBytes(hw);
  plan.candidate = candidate;
  plan.kernel = cast<KernelOp>(candidate->getParentOp());
  plan.anchor = dyn_cast_if_present<linalg::LinalgOp>(plan.kernel.getAnchor());
  if (!plan.anchor)
    return plan.kernel.emitOpError("has no linalg op as its anchor");
  size_t axes = plan.kernel.getAxes().size();
  plan.block.assign(axes, 0);
  plan.warp.assign(axes, 0);

  auto only = [](Block &block) -> LevelOp {
    auto levels = llvm::to_vector(block.getOps<LevelOp>());
    return levels.size() == 1 ? levels[0] : LevelOp();
  };
  LevelOp block = only(candidate.getSchedule().front());
  if (!block || block.getKind() != LoopKind::Grid)
    return candidate.emitOpError("must have a grid of blocks as its outermost "
                                 "level");
  if (failed(readSizes(block, plan.blockAxes, plan.block)))
    return failure();
  plan.together = block.getWarps().value_or(1);
  Block *inner = &block.getBody().front();
  if (LevelOp warp = only(*inner); warp && warp.getLevel() != "register") {
    if (warp.getKind() != LoopKind::Forall)
      return warp.emitOpError("must be a forall of the warps of a block");
    if (failed(readSizes(warp, plan.warpAxes, plan.warp)))
      return failure();
    for (unsigned axis : plan.warpAxes)
      if (plan.block[axis] == 0 || plan.warp[axis] == 0 ||
          plan.block[axis] % plan.warp[axis] != 0)
        return warp.emitOpError()
               << "has a tile of " << plan.warp[axis] << " of axis "
               << plan.kernel.getAxes()[axis] << " in one of "
               << plan.block[axis] << "; warps must divide the tile of a block";
    inner = &warp.getBody().front();
  }
  LevelOp registers = only(*inner);
  if (registers)
    inner = &registers.getBody().front();
  auto stages = llvm::to_vector(inner->getOps<StageOp>());
  if (stages.size() != 1 || !stages[0].getMicro() ||
      !inner->getOps<LevelOp>().empty())
    return candidate.emitOpError(
        "must have one stage, a micro-kernel, in its innermost level");
  plan.micro = stages[0].getMicroAttr();
  if (plan.together > 1 &&
      (!plan.warpAxes.empty() || plan.micro.getInstruction() != "vector"))
    return block.emitOpError("has warps that share a tile; they must have "
                             "their lanes side by side along a row of it");
  if (registers) {
    if (!registers.getAxes().empty() || !registers.getResident() ||
        plan.micro.getInstruction() != "vector" || plan.micro.getLaneAxis() < 0)
      return registers.emitOpError("must be resident and walk nothing, around "
                                   "a stage whose lanes hold a row");
    plan.held = plan.lanes * plan.together * plan.micro.getVectors() *
                plan.micro.getUnroll();
  }
  llvm::SmallDenseSet<Attribute> names;
  names.insert_range(stages[0].getOps());
  for (Operation &op : plan.kernel.getPayload().front())
    if (Attribute id = op.getAttr(kIdAttr); id && !names.contains(id))
      return op.emitOpError("is run by no stage");
  // What no warp divides, a warp has all of what its block has.
  for (auto [tile, warp] : llvm::zip(plan.block, plan.warp))
    if (warp == 0)
      warp = tile;
  return plan;
}

FailureOr<TilePlan> vortex::readPartPlan(CandidateOp candidate, HwAttr hw,
                                         unsigned axis, unsigned length) {
  FailureOr<TilePlan> plan = readTilePlan(candidate, hw);
  if (failed(plan))
    return failure();
  if (plan->micro.getInstruction() != "simt" || plan->block[0] != 1)
    return candidate.emitOpError("adds up parts of a reduction, which needs "
                                 "columns in lanes and a block for each part, "
                                 "counted by axis 0");
  plan->partLength = length;
  plan->partAxis = axis;
  return plan;
}
