//===- GpuContractionTiles.cpp - Tiles of blocks ----------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiles grow from the instruction: tiles of a warp are multiples of it that
// the registers hold, tiles of a block are four or eight of those, the ring
// takes the stages that shared memory holds. Among blocks of one area the one
// that moves the fewest bytes for a product stays, and the widest of the
// lowest ones for few rows; everything else about the choice is left to the
// costs, when the sizes are known.
//
// Rows that are not aligned to the longest copies are brought by shorter ones,
// of which a thread has more to keep in registers: the largest tiles go.
//
//===----------------------------------------------------------------------===//

#include "GpuContraction.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace vortex;

/// Registers beside accumulators and fragments: positions, loop state, stores.
static constexpr int64_t kTileRegisters = 40;
/// Registers for places of elements that make up fragments one by one, a step
/// of the instruction: what tiles of 32 x 64 and 64 x 64 spilled without.
static constexpr int64_t kGatherRegisters = 30;
/// Registers of an address.
static constexpr int64_t kAddressRegisters = 2;
/// Stages of a ring whose tiles go through registers: one that is read while
/// the next is there.
static constexpr int64_t kStagedStages = 2;
/// Few rows are bound by the bytes of B under way; narrow tiles spread them
/// over more multiprocessors.
static constexpr int64_t kLowestColumns = 64;
/// PTX ISA: global memory comes in sectors.
static constexpr int64_t kSectorBytes = 32;

/// The best division of a block of m x n x k among warps, or nothing.
std::optional<BlockTile> GpuContractionFamily::grow(int64_t m, int64_t n,
                                                    int64_t k, int64_t run) {
  std::optional<BlockTile> best;
  int64_t limit = registers.getCapacity() / registers.getGranularity();
  int64_t file = warp.getCapacity() * warp.getUnits();
  // What is read where it is has all lanes beside each other.
  int64_t leastN = matrix ? getColumnStep(instruction) : k ? 1 : lanes;
  for (int64_t warpM = instruction.getM(); warpM <= m; warpM *= 2)
    for (int64_t warpN = leastN; warpN <= n; warpN *= 2) {
      BlockTile tile{m, n, k, warpM, warpN, 0, run, run * bytes};
      tile.matrix = matrix;
      tile.store = matrix ? getStoreRun(instruction) : tile.store;
      tile.lanes = lanes;
      LaneGrid grid{1, lanes}; // of scalar units
      if (!matrix && tile.hasRing())
        grid = divideLanes(warpM, warpN, lanes);
      if (!grid.m)
        continue;
      ++report.considered;
      if (tile.warps() != warp.getUnits() &&
          tile.warps() != 2 * warp.getUnits())
        continue; // each partition of a multiprocessor has a warp or two
      int64_t copies = llvm::divideCeil((m + n) * k, run * tile.threads());
      // A lane of a scalar unit reads its rows' elements, and its columns'.
      int64_t fragments =
          matrix
              ? (warpM + warpN) * getStepDepth(instruction) * bytes / 4 / lanes
              : (warpM / grid.m + warpN / grid.n) * llvm::divideCeil(bytes, 4);
      // Bytes whose reduction is not innermost are not loaded as matrices.
      if (matrix && !isStaged() && bytes == 1 &&
          (innerA == roles.m || innerB == roles.n))
        fragments += kGatherRegisters * k / instruction.getK();
      // The next tile while this one is multiplied.
      if (isStaged())
        fragments += copies * llvm::divideCeil(run * bytes, kLaneBytes);
      // What is read where it is has an address for each row and column.
      if (!tile.hasRing())
        fragments += (warpM + warpN / lanes) * kAddressRegisters;
      tile.registers = warpM * warpN / lanes * llvm::divideCeil(accBytes, 4) +
                       fragments + copies * kCopyRegisters + kTileRegisters;
      if (tile.registers > limit || tile.registers * 4 * tile.threads() > file)
        continue;
      tile.resident =
          std::max<int64_t>(1, file / (tile.registers * 4 * tile.threads()));
      if (tile.hasRing()) {
        int64_t stage = (m + n) * k * bytes;
        tile.stages = std::min(shared.getCapacity() / stage,
                               isStaged() ? kStagedStages : kMostStages);
        if (tile.stages < 2)
          continue;
        tile.resident = std::clamp(shared.getCapacity() / (tile.stages * stage),
                                   int64_t(1), tile.resident);
      }
      if (!best || tile.warpReuse() > best->warpReuse())
        best = tile;
    }
  return best;
}

/// For each shorter copy of several elements the largest of `tiles`, the
/// smallest and the lowest that registers still hold, of steps as deep or down
/// to `leastDepth`. What goes through registers has the longest copies and
/// single elements alone.
void GpuContractionFamily::addNarrow(SmallVector<BlockTile> &tiles,
                                     int64_t leastDepth) {
  if (!hasAsyncCopies(hw))
    return;
  SmallVector<BlockTile> wide = tiles;
  for (int64_t copy = kCopyBytes / 2;
       copy >= kLeastCopyBytes && copy >= 2 * bytes; copy /= 2) {
    SmallVector<BlockTile> narrow;
    std::optional<BlockTile> lowest;
    for (const BlockTile &tile : wide)
      for (int64_t k = tile.k; k >= leastDepth; k /= 2)
        if (std::optional<BlockTile> grown =
                grow(tile.m, tile.n, k, copy / bytes)) {
          if (tile.m <= kLowestRows)
            lowest = grown;
          else
            narrow.push_back(*grown);
          break;
        }
    if (narrow.size() > 2)
      narrow.erase(narrow.begin() + 1, narrow.end() - 1);
    // On scalar units the largest spills: its sums leave no registers for more
    // copies.
    if (!matrix && narrow.size() > 1)
      narrow.erase(narrow.begin());
    llvm::append_range(tiles, narrow);
    if (lowest)
      tiles.push_back(*lowest);
  }
}

SmallVector<BlockTile> GpuContractionFamily::enumerate() {
  // Rows of a tile fill whole sectors. Two or four instructions deep: the
  // deeper one has half the barriers, unless it costs the warps their reuse.
  int64_t run = kCopyBytes / bytes;
  int64_t step = isStaged() ? getStepDepth(instruction) / 2
                 : matrix   ? instruction.getK()
                            : kSectorBytes / bytes;
  int64_t least = matrix ? instruction.getM() : kLowestRows, most = 256;
  llvm::MapVector<int64_t, BlockTile> byArea;
  std::optional<BlockTile> lowest;
  unsigned blocks = 0, unfit = 0, dominated = 0;
  for (int64_t m = least; m <= most; m *= 2)
    for (int64_t n = least; n <= most; n *= 2) {
      std::optional<BlockTile> tile;
      for (int64_t k : {4 * step, 2 * step})
        if (std::optional<BlockTile> grown = grow(m, n, k, run))
          if (!tile || grown->warpReuse() > tile->warpReuse())
            tile = grown;
      ++blocks;
      if (!tile) {
        ++unfit;
        continue;
      }
      if (m == least && (!lowest || tile->reuse() > lowest->reuse()) &&
          n <= kLowestColumns)
        lowest = tile;
      auto [it, fresh] = byArea.insert({m * n, *tile});
      if (fresh)
        continue;
      ++dominated;
      // Equal reuse: more rows, so that bias and scales are read less often.
      if (tile->reuse() >= it->second.reuse())
        it->second = *tile;
    }
  SmallVector<BlockTile> tiles;
  unsigned small = 0;
  for (auto &[area, tile] : byArea) {
    // Tiles whose warps wait for shared memory at every step lose to larger
    // ones wherever those have as many waves, and to the lowest elsewhere.
    double products = 2.0 * tile.m * tile.n * tile.k / instruction.getRate();
    double reads = getSharedReads(tile) / shared.getBandwidth();
    if (reads > 1.05 * products) {
      ++small;
      continue;
    }
    tiles.push_back(tile);
  }
  llvm::sort(tiles, [](const BlockTile &x, const BlockTile &y) {
    return x.m * x.n > y.m * y.n;
  });
  if (tiles.size() > 4)
    tiles.resize(4);
  if (lowest && llvm::none_of(tiles, [&](const BlockTile &tile) {
        return tile.m == lowest->m;
      }))
    tiles.push_back(*lowest);
  addNarrow(tiles, 2 * step);
  // Operands without alignment: single elements, a tile in the middle.
  std::optional<BlockTile> any = grow(64, 64, 2 * step, 1);
  if (!any && !isStaged())
    any = grow(64, 64, step, 1);
  if (any)
    tiles.push_back(*any);
  report.pruned.push_back(
      (Twine(unfit) + " of " + Twine(blocks) +
       " blocks: registers, shared memory or no whole number of warps")
          .str());
  report.pruned.push_back(
      (Twine(dominated) + " blocks: move more bytes than one of equal area")
          .str());
  report.pruned.push_back(
      (Twine(small) + " blocks: bound by shared memory").str());
  return tiles;
}

/// The widest tiles that the registers hold, and one of a single row.
SmallVector<BlockTile> GpuContractionFamily::enumerateDirect() {
  SmallVector<BlockTile> tiles;
  std::optional<BlockTile> widest, low;
  for (int64_t m = 1; m <= 128; m *= 2)
    for (int64_t n = lanes; n <= 128; n *= 2)
      if (std::optional<BlockTile> tile = grow(m, n, /*k=*/0, /*run=*/1)) {
        if (tile->resident > 1 && (!widest || tile->reuse() > widest->reuse()))
          widest = tile;
        if (m == 1 && (!low || n > low->n))
          low = tile;
      }
  for (const std::optional<BlockTile> &tile : {widest, low})
    if (tile)
      tiles.push_back(*tile);
  return tiles;
}

/// Windows have tiles without a ring too, for what the others' guards leave.
void GpuContractionFamily::addDirect(SmallVector<BlockTile> &tiles) {
  if (!scalar)
    return;
  llvm::append_range(tiles, onScalarUnits([&] { return enumerateDirect(); }));
}
