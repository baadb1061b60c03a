//===- VerifySchedule.cpp - Does a schedule fit the machine -----*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks that need more than one op of a schedule: what stands around a role,
// how tiles nest, and what all of it costs in shared memory, registers and
// threads. A schedule whose sizes are SSA values is checked as far as they are
// constants.
//
//===----------------------------------------------------------------------===//

#include "VerifySchedule.h"
#include "ScheduleVerifier.h"

#include "vortex/Dialect/Vortex/IR/RoleRegisters.h"
#include "vortex/Dialect/Vortex/IR/WarpLanes.h"

using namespace mlir;
using namespace vortex;

/// CUDA C++ programming guide, "Technical specifications per compute
/// capability": the same for every capability, and for AMD's (HIP programming
/// guide).
static constexpr int64_t kMaxThreadsPerBlock = 1024;

/// The first target around `candidate` that has every level it names.
static HwAttr findTarget(CandidateOp candidate) {
  llvm::SetVector<StringRef> names;
  candidate.getSchedule().walk(
      [&](LevelOp level) { names.insert(level.getLevel()); });
  for (Operation *op = candidate->getParentOp(); op; op = op->getParentOp()) {
    auto targets = op->getAttrOfType<ArrayAttr>(kTargetsAttr);
    if (!targets)
      continue;
    for (auto hw : targets.getAsRange<HwAttr>())
      if (llvm::all_of(names,
                       [&](StringRef name) { return !!hw.getLevel(name); }))
        return hw;
    return {};
  }
  return {};
}

LogicalResult ScheduleVerifier::run() {
  anchor = dyn_cast_if_present<linalg::LinalgOp>(kernel.getAnchor());
  hw = findTarget(candidate);
  std::string why;
  if (anchor && anchor.getNumLoops() < kernel.getAxes().size())
    chain = matchRunningChain(anchor, why);
  Surroundings around;
  around.tiles.resize(kernel.getAxes().size());
  return visit(candidate.getSchedule().front(), around);
}

LogicalResult ScheduleVerifier::visit(Block &block,
                                      const Surroundings &around) {
  for (Operation &op : block) {
    if (auto level = dyn_cast<LevelOp>(op))
      if (failed(visit(level, around)))
        return failure();
    if (auto stage = dyn_cast<StageOp>(op))
      if (failed(visit(stage, around)))
        return failure();
  }
  return success();
}

LogicalResult ScheduleVerifier::visit(LevelOp level, Surroundings around) {
  for (auto [axis, size] : llvm::zip(level.getAxes(), level.getSizes()))
    if (auto constant = getConstant(size); constant && *constant < 1)
      return level.emitOpError()
             << "tiles axis " << nameOf(axis) << " by " << *constant;
  if (failed(checkRole(level)) || failed(checkRing(level)) ||
      failed(checkSplit(level)) || failed(checkCluster(level)) ||
      failed(checkJoined(level)) || failed(checkNesting(level, around)))
    return failure();
  if (level.getRole() == "producer") {
    auto ring = cast<LevelOp>(level->getParentOp());
    if (failed(checkBoxes(ring, around.tiles)) ||
        failed(checkStore(ring, around.tiles)))
      return failure();
  }

  bool units = level.getKind() == LoopKind::Forall && around.grid;
  if (units && !around.forall)
    around.ofBlock = around.tiles;
  for (auto [axis, size] : llvm::zip(level.getAxes(), level.getSizes())) {
    std::optional<int64_t> inner = getConstant(size);
    if (units && inner && around.tiles[axis])
      around.warps *= *around.tiles[axis] / *inner;
    around.tiles[axis] = inner;
  }
  around.forall |= units;
  around.grid |= level.getKind() == LoopKind::Grid ||
                 level.getKind() == LoopKind::Persistent;
  if (failed(checkLoads(level, around.tiles)) ||
      failed(checkThreads(level, around)))
    return failure();
  return visit(level.getBody().front(), around);
}

//===----------------------------------------------------------------------===//
// Structure
//===----------------------------------------------------------------------===//

LogicalResult ScheduleVerifier::checkRole(LevelOp level) {
  if (!level.getRole())
    return success();
  StringRef role = *level.getRole();
  auto parent = dyn_cast<LevelOp>(level->getParentOp());
  if (!parent)
    return level.emitOpError()
           << "has role '" << role
           << "', but no level around it that producers and consumers share";
  if (parent.getLoads().empty() || parent.getStages() < 2)
    return level.emitOpError()
           << "has role '" << role << "', but level '" << parent.getLevel()
           << "' around it has no ring of loads to hand over";
  if (!level.getWarps())
    return level.emitOpError()
           << "has role '" << role << "' and needs its number of warps";
  StringRef other = role == "producer" ? "consumer" : "producer";
  if (llvm::none_of(
          parent.getBody().front().getOps<LevelOp>(),
          [&](LevelOp sibling) { return sibling.getRole() == other; }))
    return level.emitOpError() << "has role '" << role << "', but level '"
                               << parent.getLevel() << "' holds no " << other;
  if (role == "producer" &&
      level.getBody()
          .walk([](StageOp) { return WalkResult::interrupt(); })
          .wasInterrupted())
    return level.emitOpError(
        "is a producer, which loads, and cannot hold a vortex.stage");
  return success();
}

LogicalResult ScheduleVerifier::checkRing(LevelOp level) {
  if (level.getStages() == 1)
    return success();
  if (level.getLoads().empty())
    return level.emitOpError() << "has a ring of " << level.getStages()
                               << " stages, but loads nothing into it";
  for (auto load : level.getLoads().getAsRange<LoadAttr>())
    if (!load.getTogether())
      return level.emitOpError()
             << "has a ring of " << level.getStages() << " stages, but input "
             << load.getOperand() << " is not loaded together";
  if (hw)
    if (HwLevelAttr memory = hw.getLevel(level.getLevel());
        memory.getMemory() != "shared")
      return level.emitOpError()
             << "has a ring of " << level.getStages() << " stages, but level '"
             << level.getLevel() << "' of target " << hw.getIsa()
             << " has memory '" << memory.getMemory() << "', not 'shared'";
  return success();
}

LogicalResult ScheduleVerifier::checkSplit(LevelOp level) {
  if (!level.getCombine())
    return success();
  StringRef combine = *level.getCombine();
  if (combine != "add" && combine != "mul" && combine != "min" &&
      combine != "max")
    return level.emitOpError() << "combines by '" << combine
                               << "'; known are add, mul, min and max";
  for (auto [axis, axisClass] : llvm::zip(level.getAxes(), level.getClasses()))
    if (static_cast<AxisClass>(axisClass) == AxisClass::PL && isReduction(axis))
      return success();
  return level.emitOpError()
         << "has combine '" << combine
         << "', but splits no reduction axis among parallel units";
}

/// Blocks that start together share an operand, of which the producers of each
/// bring a part into the memory of all.
LogicalResult ScheduleVerifier::checkCluster(LevelOp level) {
  if (!level.getCluster())
    return success();
  if (level.getKind() != LoopKind::Grid &&
      level.getKind() != LoopKind::Persistent)
    return level.emitOpError(
        "has a cluster, but is no grid or queue of blocks");
  int64_t blocks = 1;
  for (auto [axis, count] : llvm::zip(level.getAxes(), *level.getCluster())) {
    if (count < 1 || !llvm::isPowerOf2_64(count))
      return level.emitOpError()
             << "has a cluster of " << count << " along axis " << nameOf(axis)
             << "; it must be a power of two";
    if (count > 1 && isReduction(axis))
      return level.emitOpError()
             << "has a cluster along reduction axis " << nameOf(axis);
    if (count > 1 && blocks > 1)
      return level.emitOpError(
          "has a cluster along two axes; its blocks share one operand");
    blocks *= count;
  }
  if (blocks > kLargestCluster)
    return level.emitOpError() << "has a cluster of " << blocks
                               << " blocks; the limit is " << kLargestCluster;
  auto hasRing = [](LevelOp inner) { return hasRoles(inner); };
  if (blocks > 1 &&
      llvm::none_of(level.getBody().front().getOps<LevelOp>(), hasRing))
    return level.emitOpError("has a cluster, but no level of producers inside, "
                             "which bring what its blocks share");
  return success();
}

/// Axes that are counted together: a tile has consecutive points of them, so
/// that an operand read inside depends on all of them or on none.
LogicalResult ScheduleVerifier::checkJoined(LevelOp level) {
  if (!level->hasAttr(kJoinedAttr))
    return success();
  int64_t joined = getJoined(level), axes = level.getAxes().size();
  if (level.getKind() != LoopKind::Grid &&
      level.getKind() != LoopKind::Persistent)
    return level.emitOpError(
        "counts axes together, but is no grid or queue of blocks");
  if (joined < 2 || joined > axes)
    return level.emitOpError() << "counts " << joined << " of its " << axes
                               << " axes together; it needs two or more";
  ArrayRef<int64_t> together = level.getAxes().take_front(joined);
  for (auto [i, axis] : llvm::enumerate(together)) {
    if (isReduction(axis))
      return level.emitOpError() << "counts reduction axis " << nameOf(axis)
                                 << " together with others";
    if (i + 1 < together.size() && getConstant(level.getSizes()[i]) != 1)
      return level.emitOpError()
             << "counts axis " << nameOf(axis)
             << " together with the next and tiles it by more than 1; only the "
                "last of such axes has a size";
  }
  if (!anchor)
    return success();
  for (OpOperand *input : anchor.getDpsInputOperands()) {
    AffineMap map = anchor.getMatchingIndexingMap(input);
    bool first = map.isFunctionOfDim(together[0]);
    for (int64_t axis : together)
      if (map.isFunctionOfDim(axis) != first)
        return level.emitOpError()
               << "counts axes " << nameOf(together[0]) << " and "
               << nameOf(axis) << " together, of which input "
               << input->getOperandNumber()
               << " depends on one; it must depend on all of them or on none";
  }
  return success();
}

LogicalResult ScheduleVerifier::checkNesting(LevelOp level,
                                             const Surroundings &around) {
  if (level.getKind() != LoopKind::Forall || !around.grid)
    return success();
  for (auto [axis, size] : llvm::zip(level.getAxes(), level.getSizes())) {
    std::optional<int64_t> outer = around.tiles[axis],
                           inner = getConstant(size);
    if (outer && inner && *outer % *inner != 0)
      return level.emitOpError()
             << "divides the tile of " << *outer << " of axis " << nameOf(axis)
             << " among units by " << *inner << ", which does not divide it";
  }
  return success();
}

LogicalResult ScheduleVerifier::checkThreads(LevelOp level,
                                             const Surroundings &around) {
  if (!around.grid)
    return success();
  int64_t warps = 0;
  std::string formula;
  llvm::raw_string_ostream os(formula);
  for (auto inner : level.getBody().front().getOps<LevelOp>())
    if (inner.getRole() && inner.getWarps()) {
      os << (warps ? " + " : "") << *inner.getWarps() << " " << *inner.getRole()
         << " warps";
      warps += *inner.getWarps();
    }
  if (level.getKind() == LoopKind::Forall && around.warps > 1) {
    warps = std::max(warps, around.warps);
    formula = (Twine(around.warps) + " warps").str();
  }
  if (warps * getWarpLanes(hw) > kMaxThreadsPerBlock)
    return level.emitOpError()
           << "needs " << formula << " = " << warps * getWarpLanes(hw)
           << " threads in a block; the limit is " << kMaxThreadsPerBlock;
  return success();
}

LogicalResult vortex::verifySchedule(CandidateOp candidate) {
  return ScheduleVerifier(candidate).run();
}
