//===- GpuContractionCost.cpp - What a contraction costs --------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Costs follow the form of MikPoly's and of DeepGEMM's selectors: waves times
// the time of a tile, which is the slowest of tensor cores, shared memory and
// the path from L2 for each step of the reduction, and no less than what the
// traffic of the whole needs from L2 and from memory.
//
//===----------------------------------------------------------------------===//

#include "GpuContraction.h"
#include "MicroKernelEmitter.h"

#include "llvm/TargetParser/Triple.h"

using namespace mlir;
using namespace vortex;

namespace {
/// What no description says of a tile.
struct TileNumbers {
  /// Part of the time of the faster paths that the slowest does not hide, and
  /// the same where two blocks share a multiprocessor.
  double unhidden, unhiddenShared;
  /// Trips to memory between the begin of a block and its first step, and what
  /// its last one waits for.
  double trips;
  /// Time that partial sums take to leave, over what their bytes would.
  double partialStores;
  /// Time of a step over what the slowest path takes.
  double steps;
  /// Trips to shared memory in a step that nothing hides but other blocks: its
  /// barrier, the first loads behind it, the issue of copies.
  double pauses = 0;
};
} // namespace

/// Of groups of warps: fitted to times of all candidates of f16, i8 and e4m3
/// products at 17 sizes on an H200 (docs/performance.md).
static constexpr TileNumbers kGroupNumbers = {0.15, 0, 3.5, 4, 1};
/// Of all others: estimates, not measured but for the steps of matrices on
/// machines that have groups, where the same times tell.
static constexpr TileNumbers kWarpNumbers = {0.125, 0.125, 2, 1, 1},
                             kWarpNumbersBesideGroups = {0.125, 0.125, 2, 1,
                                                         1.7};

/// Of scalar units behind a ring: fitted to times of all candidates of f32
/// products at 51 sizes on an H200.
static constexpr TileNumbers kScalarNumbers = {0.125, 0.125, 2, 1, 1.32, 20};

/// Instructions of scalar units for an operation and its sum where these are no
/// multiply-add, which is what rates are of.
static constexpr double kSeparateInstructions = 2;
/// What the loads of a scalar reduction take of shared memory's bandwidth: the
/// ring's are of 16 bytes and, of few lanes beside each other, a transaction of
/// eight such; in place one row takes a transaction a step, and so does each
/// column where those of lanes beside each other lie in lines of their own.
static constexpr double kLeastLanes = 8, kTransactionInPlace = 128;

/// Whether an instruction of scalar units multiplies and adds for `anchor`:
/// of floats, where `contract` lets the compiler join them. Shaders keep what
/// is written.
static bool hasMultiplyAdds(linalg::LinalgOp anchor, HwAttr hw) {
  return addsProducts(anchor) &&
         isa<FloatType>(getElementTypeOrSelf(anchor->getResult(0).getType())) &&
         !llvm::Triple(hw.getTriple()).isSPIRV();
}

/// Bytes that the warps of a block read of shared memory, or of the cache that
/// is the same memory, in the steps of one tile.
double GpuContractionFamily::getSharedReads(const BlockTile &tile) {
  // Each instruction of a group reads its rows, and all columns again.
  if (tile.producers) {
    int64_t rows = tile.turned ? tile.n : tile.m,
            columns = tile.turned ? tile.m : tile.n;
    return double(rows / group.getM()) * (group.getM() + columns) * tile.k *
           bytes;
  }
  double rows = tile.warpM * bytes, columns = tile.warpN * bytes;
  if (!tile.matrix && tile.hasRing()) {
    LaneGrid grid = divideLanes(tile.warpM, tile.warpN, tile.lanes);
    rows *= std::max(kLeastLanes / double(grid.m), 1.0);
    columns *= std::max(kLeastLanes / double(grid.n), 1.0);
  } else if (!tile.matrix) {
    rows = tile.warpM * kTransactionInPlace;
    AffineMap map = anchor.getIndexingMapsArray()[roles.b];
    if (!TileEmitter::isContiguous(map, roles.n))
      columns = tile.warpN * kTransactionInPlace;
  }
  return double(tile.warps()) * (rows + columns) * std::max<int64_t>(tile.k, 1);
}

Size GpuContractionFamily::sumAxes(AffineExpr expr) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return axis(dim.getPosition());
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Size left = sumAxes(binary.getLHS());
  if (auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS()))
    return left * factor.getValue();
  return left + sumAxes(binary.getRHS());
}

Size GpuContractionFamily::countLeft() {
  AffineMap map = anchor.getIndexingMapsArray()[roles.a];
  Size elements = arith.size(1);
  for (AffineExpr expr : map.getResults())
    elements = elements * sumAxes(expr);
  return elements;
}

Size GpuContractionFamily::rowsOf(const BlockTile &tile) {
  Size count = axis(roles.m);
  if (tile.hasRing())
    for (unsigned loop : ArrayRef(rows).drop_back())
      count = count * axis(loop);
  return count;
}

/// Steps of a tile's reduction, of `tile.k` each: of a window, as many for each
/// of its points as the contiguous reduction has. Boxes walk one axis, and so
/// do parts.
Size GpuContractionFamily::stepsOf(const BlockTile &tile) {
  Size inner = axis(tile.hasRing() ? ringAxis : roles.k.front());
  Size outer = arith.size(1);
  std::optional<unsigned> next =
      tile.hasRing() && !tile.producers && !tile.split
          ? getNextReduction(anchor)
          : std::nullopt;
  for (unsigned loop : roles.k)
    if (next == loop || (!tile.hasRing() && loop != roles.k.front()))
      inner = inner * axis(loop);
    else if (tile.hasRing() && loop != ringAxis)
      outer = outer * axis(loop);
  Size steps = ceilDiv(inner, arith.size(std::max<int64_t>(tile.k, 1)));
  return roles.k.size() > 1 && tile.hasRing() ? outer * steps : steps;
}

void GpuContractionFamily::emitCost(CandidateOp candidate,
                                    const BlockTile &tile) {
  bool scalarRing = tile.hasRing() && !tile.producers && !tile.matrix;
  const TileNumbers &numbers = tile.producers         ? kGroupNumbers
                               : scalarRing           ? kScalarNumbers
                               : group && tile.matrix ? kWarpNumbersBesideGroups
                                                      : kWarpNumbers;
  b.createBlock(&candidate.getCost());
  Size batch = arith.size(1);
  for (unsigned loop : batchOf(tile))
    batch = batch * axis(loop);
  Size m = rowsOf(tile), n = axis(roles.n), k = axis(roles.k.front());
  for (unsigned loop : llvm::drop_begin(roles.k))
    k = k * axis(loop);
  Size tiles = countTiles(tile);
  int64_t depth = std::max<int64_t>(tile.k, 1); // of a step
  Size steps = stepsOf(tile);
  Size parts = arith.size(1);
  if (tile.split) {
    Size part = stepsOfPart(tile);
    parts = ceilDiv(ceilDiv(axis(ringAxis), arith.size(tile.k)), part);
    tiles = tiles * parts;
    steps = roles.k.size() > 1 ? part * countPoints() : part;
  }
  Size slots = atLeast(arith.toSize(param("block.units")), 1) * tile.resident;
  Real waves = arith.real(ceilDiv(tiles, slots));
  // A multiprocessor works on what it really has: all its blocks, or the one
  // of a grid that does not fill the machine.
  Size units = atLeast(arith.toSize(param("block.units")), 1);
  Real together =
      arith.real(atMost(atLeast(ceilDiv(tiles, units), 1), tile.resident));

  double products = 2.0 * tile.m * tile.n * depth;
  if (!tile.matrix && !tile.producers && !hasMultiplyAdds(anchor, hw))
    products *= kSeparateInstructions;
  double tileBytes = double(tile.m + tile.n) * depth * bytes;
  Real core = arith.real(products) /
              arith.param(hw, instructionOf(tile).getKey() + ".rate", 1.0);
  Real fromShared = arith.real(getSharedReads(tile)) / param("smem.bandwidth");
  Real fromL2 = arith.real(tileBytes) / param("l2.stream");
  Real slowest = max(max(core, fromShared), fromL2);
  Real share = arith.real(numbers.unhidden);
  if (tile.resident > 1)
    share =
        arith.select(tiles > units, arith.real(numbers.unhiddenShared), share);
  Real step = (slowest + (core + fromShared + fromL2 - slowest) * share) *
              together * numbers.steps;
  if (numbers.pauses > 0)
    step = step + param("smem.latency") * numbers.pauses;
  // No step is shorter than a trip to memory shared by the tiles under way.
  Real trip = param("device.latency");
  if (tile.hasRing())
    step = max(step, trip / arith.real(double(tile.stages - 1)));
  if (tile.hasRing() && tile.copyBytes < kCopyBytes) {
    double copies = double((tile.m + tile.n) * tile.k) / tile.run;
    step = step + copyTime(arith, hw, copies, tile.run) * together;
  }
  double storedBytes =
      tile.split ? accBytes * numbers.partialStores : resultBytes;
  Real drain = arith.real(double(tile.m * tile.n) * storedBytes) /
               param("l2.stream") * together;
  // Tiles of a queue follow each other without an end and a start of blocks:
  // the first steps of one are loaded while the last one is stored.
  Real fill = trip * numbers.trips, each = arith.real(steps) * step + drain;
  // Its blocks wait for each other at the start and at the end.
  if (tile.blocks() > 1)
    fill = fill + param("l2.latency") * 2.0;
  Real busy = tile.queue ? waves * each + fill : waves * (each + fill);

  // What the whole problem moves, whichever block waits for it.
  Real stored = arith.real(m * n) * double(resultBytes);
  if (tile.split) // partial sums mostly stay in L2: they are read next
    stored = arith.real(0.0);
  Real memory = (arith.real(m * k + k * n) * double(bytes) + stored) *
                arith.real(batch) / param("device.bandwidth");
  // Steps of a window read the same elements.
  if (window && isWindowMap(anchor.getIndexingMapsArray()[roles.a]))
    memory = (arith.real(countLeft() + k * n * batch) * double(bytes) +
              stored * arith.real(batch)) /
             param("device.bandwidth");
  // What the blocks of a cluster share is read once.
  double readBytes =
      (double(tile.m) / tile.clusterN + double(tile.n) / tile.clusterM) *
      depth * bytes;
  // Blocks that walk tiles beside each other ask for the same lines.
  HwLevelAttr l2Level = hw.getLevel("l2");
  bool merges = l2Level && *l2Level.getNumber("merged") > 0;
  Real l2 = arith.real(tiles * steps) * readBytes /
            param(merges ? "l2.merged" : "l2.bandwidth");
  Real longest = max(busy, max(memory, l2));
  Real total = longest + (busy + memory + l2 - longest) * numbers.unhidden +
               param("block.startup");
  if (tile.split)
    total = total + costOfSum(tile, parts);
  YieldOp::create(b, kernel.getLoc(), total.value);
}
