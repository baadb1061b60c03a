//===- GpuContractionGroups.cpp - Tiles of groups of warps ------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions of groups of warps read tiles in shared memory, which producers
// bring, in boxes or, of windows, in runs to the place of one: a step of the
// reduction is as long as a row of a box, and one group multiplies or two.
//
//===----------------------------------------------------------------------===//

#include "GpuContraction.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace vortex;

/// Stages of a ring that a warp of its own fills, which costs the others
/// nothing: what a row of eight hides is more than any memory's latency.
static constexpr int64_t kMostBoxStages = 8;
/// Blocks of a cluster: DeepGEMM and CUTLASS' default take two, which halve the
/// reads of one operand; more wait for each other more often.
static constexpr int64_t kClusterBlocks = 2;
/// Tiles that have a candidate with clusters beside the one without.
static constexpr unsigned kClusteredTiles = 2;
/// CUDA driver API, cuTensorMapEncodeTiled: dimensions.
static constexpr unsigned kMostMapDims = 5;

/// What bulk copies ask of the operands.
std::string GpuContractionFamily::whyNoGroups() {
  SmallVector<AffineMap> maps = anchor.getIndexingMapsArray();
  for (unsigned operand : {roles.a, roles.b})
    if (!isCopied(operand) && maps[operand].getNumResults() > kMostMapDims)
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

bool GpuContractionFamily::isCopied(unsigned operand) {
  return operand == roles.a &&
         (rows.size() > 1 ||
          !anchor.getIndexingMapsArray()[operand].isProjectedPermutation());
}

/// A block of m x n whose reduction goes by rows of boxes. One with fewer rows
/// than the instruction has it turned.
std::optional<BlockTile> GpuContractionFamily::growGroups(int64_t m, int64_t n,
                                                          bool boxes) {
  ++report.considered;
  // One group multiplies, or two.
  bool turned = m < group.getM();
  int64_t groups = (turned ? n : m) >= 2 * group.getM() ? 2 : 1;
  BlockTile tile{m, n, kBoxRowBytes / bytes, m, n, 0};
  (turned ? tile.warpN : tile.warpM) /= groups;
  tile.run = kCopyBytes / bytes;
  tile.producers = kWarpsPerGroup;
  tile.turned = turned;
  tile.queue = true;
  if (boxes)
    tile.store = kBoxRowBytes / resultBytes;
  if (boxes && (turned || n % tile.store != 0))
    return std::nullopt;
  // What is contiguous in memory comes in whole boxes.
  if ((innerA == roles.m && m % (kBoxRowBytes / bytes) != 0) ||
      (innerB == roles.n && n % (kBoxRowBytes / bytes) != 0))
    return std::nullopt;
  int64_t accumulators = tile.warpM * tile.warpN /
                         (kWarpsPerGroup * kPtxLanes) * accBytes / 4 *
                         getSumsPerElement(group.getA());
  int64_t copies = isCopied(roles.a) ? getCopiesOfThread(m, tile.producers) : 0;
  int64_t stage = (m + n) * tile.k * bytes + kBarriersPerStage * kBarrierBytes;
  int64_t stores = boxes ? getStoreBytes(tile.warps()) : 0;
  // Two blocks hide each other's stores, if the ring stays deep.
  for (int64_t blocks : {2, 1}) {
    tile.stages = std::min((shared.getCapacity() / blocks - stores) / stage,
                           kMostBoxStages);
    if (tile.stages < (blocks > 1 ? kMostStages : 2))
      continue;
    std::optional<RoleRegisters> division = divideRegisters(
        hw, {tile.producers, tile.warps(), tile.stages * stage + stores,
             accumulators, copies});
    if (!division || (blocks > 1 && division->blocks < blocks))
      continue;
    tile.registers = division->consumer;
    tile.resident = division->blocks;
    return tile;
  }
  return std::nullopt;
}

/// Adds clusters of two blocks that share the larger of their operands, of the
/// two largest tiles: smaller ones are for problems of a wave or less, which L2
/// does not bound.
void GpuContractionFamily::addClusters(SmallVector<BlockTile> &tiles) {
  unsigned wanted = kClusteredTiles;
  SmallVector<BlockTile> clusters;
  for (BlockTile tile : tiles) {
    if (!wanted || tile.turned || isCopied(roles.a))
      continue;
    bool alongM = tile.n >= tile.m;
    (alongM ? tile.clusterM : tile.clusterN) = kClusterBlocks;
    // Each brings rows of what is shared, in whole patterns of the swizzle.
    int64_t rows = alongM ? (innerB == roles.n ? tile.k : tile.n)
                          : (innerA == roles.m ? tile.k : tile.m);
    if (rows % (kClusterBlocks * kBoxRowsPerPattern) != 0)
      continue;
    clusters.push_back(tile);
    --wanted;
    ++report.considered;
  }
  llvm::append_range(tiles, clusters);
}

/// Why the result cannot be stored in boxes.
std::string GpuContractionFamily::whyNoBoxes() {
  if (rows.size() > 1)
    return "rows of a tile are points of several axes of the result";
  if (kernel.getNumResults() != 1 || roles.batch.size() + 2 > kMostMapDims)
    return "a tensor map is of one result of at most five dimensions";
  if (resultBytes > 4)
    return "the result has elements of more than 32 bits";
  for (Operation &op : kernel.getPayload().front())
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
        linalgOp && linalgOp != anchor && !isa<linalg::FillOp>(op) &&
        anchor->isBeforeInBlock(&op) && !keepsPlaces(linalgOp))
      return "what is behind the contraction changes the order of dimensions";
  return "";
}

/// Tiles of groups of warps: the largest of each area with the highest reuse.
/// Of two with the same, the wider one reads less of shared memory. Results are
/// stored in boxes where they can, and in runs where shared memory does not
/// hold these or their rows may not be aligned as boxes need it.
SmallVector<BlockTile> GpuContractionFamily::enumerateGroups() {
  std::string whyNo = whyNoBoxes();
  if (!whyNo.empty())
    report.pruned.push_back("no results in boxes: " + whyNo);
  // Rows of B are aligned, and those of the result no shorter.
  bool aligned = innerB == roles.n && resultBytes >= bytes;
  SmallVector<BlockTile> tiles;
  for (bool boxes : {true, false})
    if (boxes ? whyNo.empty() : !whyNo.empty() || !aligned)
      llvm::append_range(tiles, enumerateGroups(boxes, boxes && aligned));
  // Few rows are bound by the bytes of B under way, whatever the tile.
  if (std::optional<BlockTile> few =
          growGroups(kLowestRows, 2 * group.getM(), /*boxes=*/false))
    tiles.push_back(*few);
  return tiles;
}

/// Those stored in boxes, `otherwise` in runs where they do not fit; or in
/// runs.
SmallVector<BlockTile> GpuContractionFamily::enumerateGroups(bool boxes,
                                                             bool otherwise) {
  llvm::MapVector<int64_t, BlockTile> byArea;
  unsigned blocks = 0, unfit = 0, dominated = 0;
  for (int64_t m = group.getM(); m <= kLargestBox; m *= 2)
    for (int64_t n = group.getM(); n <= group.getN(); n *= 2) {
      ++blocks;
      std::optional<BlockTile> tile = growGroups(m, n, boxes);
      if (!tile && otherwise)
        tile = growGroups(m, n, /*boxes=*/false);
      if (!tile) {
        ++unfit;
        continue;
      }
      // Windows have more rows than columns, and read their rows again at each
      // point: tall tiles, too, are what few columns need.
      auto [it, fresh] = byArea.insert({2 * m * n + (window && m > n), *tile});
      dominated += !fresh;
      if (!fresh && tile->reuse() > it->second.reuse())
        it->second = *tile;
    }
  SmallVector<BlockTile> tiles;
  for (auto &[kind, tile] : byArea)
    tiles.push_back(tile);
  llvm::sort(tiles, [](const BlockTile &x, const BlockTile &y) {
    return std::pair(x.m * x.n, x.m) > std::pair(y.m * y.n, y.m);
  });
  report.pruned.push_back((Twine(unfit) + " of " + Twine(blocks) +
                           " blocks of groups of warps: registers or shared "
                           "memory; " +
                           Twine(dominated) +
                           ": move more bytes than one of equal area")
                              .str());
  return tiles;
}
