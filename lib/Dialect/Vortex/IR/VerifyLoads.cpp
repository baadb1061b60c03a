//===- VerifyLoads.cpp - What a schedule has in memory --------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiles that levels load: layouts, boxes and their bytes, stages of rings, and
// shared memory that holds them.
//
//===----------------------------------------------------------------------===//

#include "ScheduleVerifier.h"

#include "vortex/Dialect/Vortex/IR/RoleRegisters.h"

using namespace mlir;
using namespace vortex;

/// PTX ISA, "mbarrier": what its transaction count holds.
static constexpr int64_t kMostTransactions = (1 << 20) - 1;
/// Shared memory is swizzled in units of one ldmatrix row.
static constexpr int64_t kSwizzleUnit = 16;

/// Blocks of a cluster whose tiles of an operand, read by `map`, are the same.
static int64_t countSharers(LevelOp ring, AffineMap map) {
  auto block = ring->getParentOfType<LevelOp>();
  int64_t sharers = 1;
  if (block && block.getCluster())
    for (auto [axis, count] : llvm::zip(block.getAxes(), *block.getCluster()))
      if (!map.isFunctionOfDim(axis))
        sharers *= count;
  return sharers;
}

/// Whether rows of an operand's tile, read by `map`, are points of several
/// axes.
static bool joinsRows(LevelOp ring, AffineMap map) {
  auto block = ring->getParentOfType<LevelOp>();
  return block && getJoined(block) > 1 &&
         map.isFunctionOfDim(block.getAxes().front());
}

/// Rows of 128 bytes that the threads of producers copy at a step of a ring:
/// of the inputs that they bring in runs of 16 bytes.
int64_t ScheduleVerifier::countCopiedRows(LevelOp ring, const Tiles &tiles) {
  int64_t rows = 0;
  for (auto [attr, size] : llvm::zip(ring.getLoads(), ring.getLoadSizes())) {
    std::optional<Brought> brought =
        readBrought(cast<LoadAttr>(attr), size, tiles);
    if (brought && brought->run == kCopyBytes)
      rows += brought->rows;
  }
  return rows;
}

/// What producers bring of an input at a step of their ring: rows and their
/// bytes. Rows of a window are points of all axes that it depends on.
std::optional<ScheduleVerifier::Brought>
ScheduleVerifier::readBrought(LoadAttr load, Value size, const Tiles &tiles) {
  auto argument = kernel.getPayload().front().getArgument(load.getOperand());
  std::optional<int64_t> run = getConstant(size);
  AffineMap map = findMap(argument);
  if (!map || !run || map.getNumResults() == 0)
    return std::nullopt;
  int64_t bytes =
      getElementTypeOrSelf(argument.getType()).getIntOrFloatBitWidth() / 8;
  Brought brought{map, *run * bytes};
  auto inner = dyn_cast<AffineDimExpr>(map.getResults().back());
  for (unsigned axis = 0; axis < map.getNumDims(); ++axis)
    if (tiles[axis] && map.isFunctionOfDim(axis))
      (inner && inner.getPosition() == axis ? brought.row : brought.rows) *=
          *tiles[axis];
  // Zero: not known.
  brought.row *= inner && tiles[inner.getPosition()] ? bytes : 0;
  return brought;
}

/// Tiles that producers bring: by bulk copies whole boxes, whose rows are what
/// the swizzle spans, a barrier waiting for the bytes of all of them, so that a
/// box which does not divide its tile would never let it pass; or by copies of
/// 16 bytes, for whose threads the barrier waits, to the place of one box.
LogicalResult ScheduleVerifier::checkBoxes(LevelOp ring, const Tiles &tiles) {
  if (!anchor)
    return success();
  for (auto [attr, size] : llvm::zip(ring.getLoads(), ring.getLoadSizes())) {
    auto load = cast<LoadAttr>(attr);
    std::optional<Brought> brought = readBrought(load, size, tiles);
    if (!brought)
      continue;
    auto [map, run, row, rows] = *brought;
    bool copied = run == kCopyBytes;
    auto error = [&] {
      return ring.emitOpError() << "brings input " << load.getOperand()
                                << " in " << (copied ? "runs " : "boxes ");
    };
    if (!copied && run != kBoxRowBytes)
      return error() << "with rows of " << *getConstant(size)
                     << " elements = " << run
                     << " bytes; producers copy rows of " << kBoxRowBytes
                     << " bytes, or runs of " << kCopyBytes;
    if (copied && row && row != kBoxRowBytes)
      return error() << "of " << run << " bytes to rows of " << row
                     << " bytes; what producers copy in runs has rows of "
                     << kBoxRowBytes;
    if (row % kBoxRowBytes != 0)
      return error() << "with rows of " << kBoxRowBytes
                     << " bytes, of which its tile's rows of " << row
                     << " bytes are no multiple";
    if (!copied && (!map.isProjectedPermutation() || joinsRows(ring, map)))
      return error() << "by " << AffineMapAttr::get(map)
                     << ", whose points are no box of a tensor; producers copy "
                        "windows in runs of "
                     << kCopyBytes << " bytes";
    if ((!copied && rows > kLargestBox) || rows % kBoxRowsPerPattern != 0)
      return error() << "of " << rows << " rows; a box has a multiple of "
                     << kBoxRowsPerPattern << ", at most " << kLargestBox;
    int64_t sharers = countSharers(ring, map);
    if (copied && sharers > 1)
      return error() << "that " << sharers
                     << " blocks of a cluster share; only boxes go to the "
                        "memory of several";
    if (rows % (sharers * kBoxRowsPerPattern) != 0)
      return error() << "of " << rows << " rows, of which each of " << sharers
                     << " blocks of a cluster brings a part; that is a "
                        "multiple of "
                     << kBoxRowsPerPattern;
  }
  return success();
}

/// How the anchor, or the first product of a chain, reads an input, from axes;
/// null when neither does.
AffineMap ScheduleVerifier::findMap(BlockArgument input) {
  for (OpOperand *operand : anchor.getDpsInputOperands())
    if (operand->get() == input)
      return anchor.getMatchingIndexingMap(operand);
  if (chain && chain->scores.op->getOperand(chain->scores.columns) == input)
    return chain->getScoresMap(chain->scores.columns);
  return {};
}

/// Bytes of shared memory behind the ring `level` that hold boxes of results.
static int64_t getBoxesBehind(LevelOp level) {
  auto block = level->getParentOfType<LevelOp>();
  if (!block || block.getStore().value_or(1) <= kMostRun)
    return 0;
  int64_t warps = 0;
  for (auto inner : level.getBody().front().getOps<LevelOp>())
    if (inner.getRole() == "consumer")
      warps += inner.getWarps().value_or(0);
  return getStoreBytes(warps);
}

/// Results stored by bulk copies: their rows are those of a box, and divide the
/// tile.
LogicalResult ScheduleVerifier::checkStore(LevelOp ring, const Tiles &tiles) {
  auto block = ring->getParentOfType<LevelOp>();
  int64_t run = block ? block.getStore().value_or(1) : 1;
  if (!anchor || run <= kMostRun)
    return success();
  Type element = getElementTypeOrSelf(kernel.getResult(0).getType());
  int64_t bytes = run * element.getIntOrFloatBitWidth() / 8;
  if (bytes != kBoxRowBytes)
    return block.emitOpError()
           << "stores boxes with rows of " << run << " elements = " << bytes
           << " bytes; bulk copies store rows of " << kBoxRowBytes << " bytes";
  auto column = dyn_cast<AffineDimExpr>(
      anchor.getIndexingMapsArray().back().getResults().back());
  std::optional<int64_t> tile =
      column ? tiles[column.getPosition()] : std::nullopt;
  if (tile && *tile % run != 0)
    return block.emitOpError()
           << "stores boxes with rows of " << run
           << " elements, which do not divide its tile of " << *tile
           << " of axis " << nameOf(column.getPosition());
  return success();
}

LogicalResult ScheduleVerifier::checkLoads(LevelOp level, const Tiles &tiles) {
  if (!anchor)
    return success();
  int64_t total = 0;
  std::string formula;
  llvm::raw_string_ostream os(formula);
  bool known = true;
  for (auto [attr, size] : llvm::zip(level.getLoads(), level.getLoadSizes())) {
    auto load = cast<LoadAttr>(attr);
    if (!load.getTogether())
      return success(); // a layout of the whole operand, not of one tile
    auto argument = kernel.getPayload().front().getArgument(load.getOperand());
    AffineMap map = findMap(argument);
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!map || !type || !type.getElementType().isIntOrFloat())
      return level.emitOpError() << "loads input " << load.getOperand()
                                 << ", which the anchor does not read";
    int64_t bytes = type.getElementTypeBitWidth() / 8;
    int64_t tile = bytes, row = bytes;
    if (total)
      os << " + ";
    // A window's tile has a place for each point of the axes it depends on.
    SmallVector<AffineExpr> coordinates(map.getResults());
    if (!chain && !map.isProjectedPermutation()) {
      coordinates.clear();
      for (unsigned axis = 0; axis < map.getNumDims(); ++axis)
        if (map.isFunctionOfDim(axis))
          coordinates.push_back(getAffineDimExpr(axis, map.getContext()));
    }
    for (auto [i, expr] : llvm::enumerate(coordinates)) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      // A tile has one of what shares heads, or is computed otherwise.
      if (!dim && chain)
        continue;
      if (!dim || !tiles[dim.getPosition()]) {
        known = false;
        continue;
      }
      row = *tiles[dim.getPosition()] * bytes;
      tile *= *tiles[dim.getPosition()];
      os << (i ? "x" : "") << *tiles[dim.getPosition()];
    }
    auto inner = dyn_cast_if_present<AffineDimExpr>(
        map.getNumResults() ? map.getResults().back() : AffineExpr());
    if (!chain && inner && tiles[inner.getPosition()])
      row = *tiles[inner.getPosition()] * bytes;
    if (!known)
      continue;
    os << " of " << type.getElementType();
    total += tile;
    // Boxes are checked with their producer.
    if (load.getLayout() != LayoutKind::Swizzle || hasRoles(level))
      continue;
    int64_t units = row / kSwizzleUnit;
    if (row % kSwizzleUnit != 0 || !llvm::isPowerOf2_64(units))
      return level.emitOpError()
             << "swizzles input " << load.getOperand() << " in rows of " << row
             << " bytes; rows must be a power of two times " << kSwizzleUnit
             << " bytes";
    std::optional<int64_t> run = getConstant(size);
    if (run && (*run * bytes > kSwizzleUnit || !llvm::isPowerOf2_64(*run)))
      return level.emitOpError()
             << "moves input " << load.getOperand() << " in runs of " << *run
             << " elements; a run must be a power of two and at most "
             << kSwizzleUnit << " bytes";
  }
  if (!hw || !known || level.getLoads().empty())
    return success();
  HwLevelAttr memory = hw.getLevel(level.getLevel());
  if (hasRoles(level)) {
    if (total > kMostTransactions)
      return level.emitOpError()
             << "waits for " << total << " bytes (" << formula
             << ") of a stage; a barrier counts to " << kMostTransactions;
    total += kBarriersPerStage * kBarrierBytes;
    os << " + " << kBarriersPerStage << " barriers of " << kBarrierBytes;
  }
  int64_t behind = hasRoles(level) ? getBoxesBehind(level) : 0;
  int64_t need = total * level.getStages() + behind;
  if (memory.getMemory() != "shared" || need <= memory.getCapacity())
    return success();
  InFlightDiagnostic error = level.emitOpError()
                             << "needs " << level.getStages() << " stages of "
                             << total << " bytes (" << formula << ")";
  if (behind)
    error << " and " << behind << " for boxes of results";
  error << " = " << need << " bytes; level '" << level.getLevel()
        << "' of target " << hw.getIsa() << " holds " << memory.getCapacity();
  if (memory.getSource())
    error << " (" << memory.getSource().getValue() << ")";
  return error;
}
