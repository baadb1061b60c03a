//===- GpuContractionSplit.cpp - Reductions that blocks share ---*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GpuContraction.h"

using namespace mlir;
using namespace vortex;

/// Tiles whose reduction may be split: the largest, the smallest, the lowest.
/// Those between are chosen where there are tiles for all multiprocessors.
static constexpr size_t kSplitTiles = 3;
/// Parts that are on their way to a thread that adds them: loads that LLVM's
/// unrolling for this back end puts side by side.
static constexpr int64_t kPartsUnderWay = 4;
/// Columns of a row that a block adds the parts of: eight warps.
static constexpr int64_t kSumColumns = 256;
/// What the kernel behind groups of warps takes to start, of what one takes
/// alone: it is already there when the first ends. Fitted to times of an H200;
/// behind others nothing was measured.
static constexpr double kStartupBehind = 0.4;

/// Why parts of the reduction cannot be added by a kernel behind them.
std::string GpuContractionFamily::whyNoSplit() {
  if (!(window || linalg::isaContractionOpInterface(anchor)) ||
      !isa<linalg::YieldOp>(anchor->getRegion(0).front().back()))
    return "the anchor is no sum of products";
  Operation *combiner =
      anchor->getRegion(0).front().back().getOperand(0).getDefiningOp();
  if (!isa_and_present<arith::AddFOp, arith::AddIOp>(combiner))
    return "the anchor is no sum of products";
  if (accBytes < 4)
    return "sums are narrower than 32 bits";
  for (Operation &op : kernel.getPayload().front())
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
        linalgOp && linalgOp != anchor && !isa<linalg::FillOp>(op) &&
        (linalgOp.getNumReductionLoops() ||
         !linalgOp.getIndexingMapsArray().back().isIdentity()))
      return "what is behind it does not walk its result element by element";
  return "";
}

/// Adds, behind the tiles of whole reductions, those that share theirs.
void GpuContractionFamily::addSplit(SmallVector<BlockTile> &tiles) {
  if (std::string why = whyNoSplit(); !why.empty()) {
    report.pruned.push_back("no split of the reduction: " + why);
    return;
  }
  SmallVector<BlockTile> aligned =
      llvm::filter_to_vector(tiles, [](const BlockTile &tile) {
        return tile.isAligned() && tile.blocks() == 1;
      });
  llvm::stable_sort(aligned, [](const BlockTile &x, const BlockTile &y) {
    return x.m * x.n > y.m * y.n;
  });
  SmallVector<BlockTile, kSplitTiles> split;
  std::optional<BlockTile> lowest;
  llvm::erase_if(aligned, [&](const BlockTile &tile) {
    bool low = tile.m <= kLowestRows;
    if (low && !lowest)
      lowest = tile;
    return low;
  });
  if (!aligned.empty())
    split.push_back(aligned.front());
  if (aligned.size() > 1)
    split.push_back(aligned.back());
  if (lowest)
    split.push_back(*lowest);
  for (BlockTile &tile : split) {
    // Sums are stored in runs, and there are no more parts than places for
    // them.
    if (tile.producers)
      tile = growGroups(tile.m, tile.n, /*boxes=*/false).value_or(tile);
    tile.split = true;
    tile.queue = false;
    tile.store = tile.producers ? 2 : tile.store;
    ++report.considered;
  }
  // In front of the one without alignment, the most general, which stays last.
  auto *general =
      llvm::find_if(tiles, [](const BlockTile &tile) { return tile.run == 1; });
  tiles.insert(general, split.begin(), split.end());
}

Size GpuContractionFamily::countTiles(const BlockTile &tile) {
  // A cluster has all of its blocks, also past an edge.
  Size tiles = ceilDiv(rowsOf(tile), arith.size(tile.m * tile.clusterM)) *
               ceilDiv(axis(roles.n), arith.size(tile.n * tile.clusterN));
  if (tile.blocks() > 1)
    tiles = tiles * tile.blocks();
  for (unsigned loop : batchOf(tile))
    tiles = tiles * axis(loop);
  return tiles;
}

/// Points of the window along the reductions that a ring walks around its own.
Size GpuContractionFamily::countPoints() {
  Size points = arith.size(1);
  for (unsigned loop : roles.k)
    if (loop != ringAxis)
      points = points * axis(loop);
  return points;
}

/// Steps of the ring in a part: as many parts as there are places for blocks
/// beside the tiles, each long enough to fill the ring once. Of a window, steps
/// along the contiguous reduction: a part has some of it at all points.
Size GpuContractionFamily::stepsOfPart(const BlockTile &tile) {
  Size slots = atLeast(arith.toSize(param("block.units")), 1) * tile.resident;
  Size steps = ceilDiv(axis(ringAxis), arith.size(tile.k));
  Size most = steps / arith.size(tile.stages);
  if (roles.k.size() > 1)
    most = min(steps, steps * countPoints() / arith.size(tile.stages));
  Size parts = atLeast(min(slots / atLeast(countTiles(tile), 1), most), 1);
  return atLeast(ceilDiv(steps, parts), 1);
}

/// A kernel behind that of the parts: it reads what they wrote, in L2 where
/// that is at most half of it, and each thread waits for its parts in groups.
Real GpuContractionFamily::costOfSum(const BlockTile &tile, Size parts) {
  Size results = axis(roles.m) * axis(roles.n);
  for (unsigned loop : roles.batch)
    results = results * axis(loop);
  Real bytes = arith.real(results * parts) * double(accBytes);
  Flag near = bytes * 2.0 <= param("l2.capacity");
  Size blocks = ceilDiv(results, arith.size(kSumColumns));
  Real busy =
      arith.real(min(blocks, atLeast(arith.toSize(param("block.units")), 1)));
  Real bandwidth =
      min(arith.select(near, param("l2.bandwidth"), param("device.bandwidth")),
          max(busy, arith.real(1.0)) * param("l2.stream"));
  Real wait = arith.real(ceilDiv(parts, arith.size(kPartsUnderWay))) *
              arith.select(near, param("l2.latency"), param("device.latency"));
  Real written =
      arith.real(results) * double(resultBytes) / param("device.bandwidth");
  return max(bytes / bandwidth, wait) + written + param("device.latency") +
         param("block.startup") * (tile.producers ? kStartupBehind : 1.0);
}
