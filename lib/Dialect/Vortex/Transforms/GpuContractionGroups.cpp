//===- GpuContractionGroups.cpp - Tiles of groups of warps ------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions of groups of warps read tiles in shared memory, which one warp
// brings in boxes: a step of the reduction is as long as a row of a box, and
// one group multiplies or two.
//
//===----------------------------------------------------------------------===//

#include "GpuContraction.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace vortex;

/// Stages of a ring that a warp of its own fills, which costs the others
/// nothing: what a row of eight hides is more than any memory's latency.
static constexpr int64_t kMostBoxStages = 8;
/// CUDA driver API, cuTensorMapEncodeTiled: dimensions.
static constexpr unsigned kMostMapDims = 5;

/// What bulk copies ask of the operands.
std::string GpuContractionFamily::whyNoGroups() {
  SmallVector<AffineMap> maps = anchor.getIndexingMapsArray();
  if (maps[roles.a].getNumResults() > kMostMapDims ||
      maps[roles.b].getNumResults() > kMostMapDims)
    return "a tensor map has at most five dimensions";
  if (bytes != 2 && (innerA == roles.m || innerB == roles.n))
    return "only operands of 16-bit elements are transposed";
  if (std::optional<IntegerSigns> signs = getIntegerSigns(anchor);
      signs && signs->unsignedA != signs->unsignedB)
    return "factors of different signs need PTX 8.4";
  if (group.getK() * bytes > kBoxRowBytes)
    return "a step of the reduction is longer than a row of a box";
  return "";
}

/// A block of m x n whose reduction goes by rows of boxes. One with fewer rows
/// than the instruction has it turned.
std::optional<BlockTile> GpuContractionFamily::growGroups(int64_t m,
                                                          int64_t n) {
  ++report.considered;
  // One group multiplies, or two.
  bool turned = m < group.getM();
  int64_t groups = (turned ? n : m) >= 2 * group.getM() ? 2 : 1;
  BlockTile tile{m, n, kBoxRowBytes / bytes, m, n, 0};
  (turned ? tile.warpN : tile.warpM) /= groups;
  tile.run = kCopyBytes / bytes;
  tile.producers = kWarpsPerGroup;
  tile.turned = turned;
  // What is contiguous in memory comes in whole boxes.
  if ((innerA == roles.m && m % (kBoxRowBytes / bytes) != 0) ||
      (innerB == roles.n && n % (kBoxRowBytes / bytes) != 0))
    return std::nullopt;
  int64_t accumulators =
      tile.warpM * tile.warpN / (kWarpsPerGroup * kWarpLanes) * accBytes / 4;
  int64_t stage = (m + n) * tile.k * bytes + kBarriersPerStage * kBarrierBytes;
  // Two blocks hide each other's start and stores, if the ring stays deep.
  for (int64_t blocks : {2, 1}) {
    tile.stages =
        std::min(shared.getCapacity() / blocks / stage, kMostBoxStages);
    if (tile.stages < (blocks > 1 ? kMostStages : 2))
      continue;
    std::optional<RoleRegisters> division = divideRegisters(
        hw, {tile.producers, tile.warps(), tile.stages * stage, accumulators});
    if (!division || (blocks > 1 && division->blocks < blocks))
      continue;
    tile.registers = division->consumer;
    tile.resident = division->blocks;
    return tile;
  }
  return std::nullopt;
}

/// Tiles of groups of warps: the largest of each area with the highest reuse.
/// Of two with the same, the wider one reads less of shared memory.
SmallVector<BlockTile> GpuContractionFamily::enumerateGroups() {
  llvm::MapVector<int64_t, BlockTile> byArea;
  unsigned blocks = 0, unfit = 0, dominated = 0;
  for (int64_t m = group.getM(); m <= kLargestBox; m *= 2)
    for (int64_t n = group.getM(); n <= group.getN(); n *= 2) {
      ++blocks;
      std::optional<BlockTile> tile = growGroups(m, n);
      if (!tile) {
        ++unfit;
        continue;
      }
      auto [it, fresh] = byArea.insert({m * n, *tile});
      dominated += !fresh;
      if (!fresh && tile->reuse() > it->second.reuse())
        it->second = *tile;
    }
  SmallVector<BlockTile> tiles;
  for (auto &[area, tile] : byArea)
    tiles.push_back(tile);
  llvm::sort(tiles, [](const BlockTile &x, const BlockTile &y) {
    return x.m * x.n > y.m * y.n;
  });
  // Few rows are bound by the bytes of B under way, whatever the tile.
  if (std::optional<BlockTile> few = growGroups(kLowestRows, 2 * group.getM()))
    tiles.push_back(*few);
  report.pruned.push_back((Twine(unfit) + " of " + Twine(blocks) +
                           " blocks of groups of warps: registers or shared "
                           "memory; " +
                           Twine(dominated) +
                           ": move more bytes than one of equal area")
                              .str());
  return tiles;
}
