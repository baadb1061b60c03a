//===- TileLimits.cpp - Does a tile fit its micro-kernel ------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A micro-kernel is a switch over exact numbers of rows. It has no case for
// more, and none for a second element of an axis that it does not walk.
//
//===----------------------------------------------------------------------===//

#include "TileLimits.h"
#include "PayloadClass.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace vortex;

namespace {
/// What is known of the tile around a stage along one axis.
struct TileExtent {
  std::optional<int64_t> most; ///< elements; none when it may be all
  bool tiled = false;          ///< by a constant
  bool computed = false;       ///< by a size that is arithmetic
};
} // namespace

static TileExtent getTileExtent(StageOp stage, int64_t axis, int64_t extent) {
  TileExtent tile;
  if (!ShapedType::isDynamic(extent))
    tile.most = extent;
  for (auto level = stage->getParentOfType<LevelOp>(); level && !tile.tiled;
       level = level->getParentOfType<LevelOp>())
    for (auto [tiledAxis, size] :
         llvm::zip(level.getAxes(), level.getSizes())) {
      if (tiledAxis != axis)
        continue;
      APInt constant;
      if (!matchPattern(size, m_ConstantInt(&constant))) {
        tile.computed = true;
        continue;
      }
      tile.tiled = true;
      tile.most = std::min(tile.most.value_or(constant.getSExtValue()),
                           constant.getSExtValue());
    }
  return tile;
}

/// The most elements of each axis that `micro` has code for; none where any
/// number will do.
static SmallVector<std::optional<int64_t>>
getLimits(linalg::LinalgOp anchor, MicroKernelAttr micro,
          ArrayRef<TileExtent> tiles) {
  SmallVector<std::optional<int64_t>> limits(anchor.getNumLoops());
  SmallVector<unsigned> parallel;
  anchor.getParallelDims(parallel);
  for (unsigned loop : parallel)
    limits[loop] = 1;
  if (micro.getInstruction() == "vector") {
    int64_t lane =
        micro.getLaneAxis() >= 0 ? micro.getLaneAxis() : getLaneLoop(anchor);
    if (lane >= 0)
      limits[lane] = std::nullopt;
    return limits;
  }
  AffineMap out = anchor.getIndexingMapsArray().back();
  unsigned rank = out.getNumResults();
  int64_t lanes = micro.getLanes(), vectors = micro.getVectors();
  if (rank == 0)
    return limits;
  // Pixels under a window are divided by the micro-kernel itself.
  if (micro.getInstruction() == "tile" && anchor.getNumReductionLoops() > 1) {
    for (unsigned loop : parallel)
      limits[loop] = std::nullopt;
    limits[out.getDimPosition(rank - 1)] = vectors * lanes;
    return limits;
  }
  if (micro.getInstruction() == "square") {
    if (std::optional<unsigned> row = getCrossedLoop(anchor))
      limits[*row] = micro.getRows();
    limits[getLaneLoop(anchor)] = lanes;
    return limits;
  }
  unsigned column = out.getDimPosition(rank - 1);
  int64_t rows = micro.getRows();
  if (micro.getNarrowRows()) {
    // Fewer vectors leave registers for more rows.
    int64_t each = micro.getLaneAxis() >= 0 ? 1 : lanes;
    int64_t columns = tiles[column].most.value_or(vectors * each);
    int64_t used =
        std::clamp(llvm::divideCeilSigned(columns, each), int64_t(1), vectors);
    if (micro.getLaneAxis() >= 0)
      used = llvm::bit_ceil(uint64_t(used));
    rows = std::min(rows * vectors / used, micro.getNarrowRows());
  }
  if (std::optional<ContractionRoles> roles = getContractionRoles(anchor))
    limits[roles->m] = rows;
  else if (rank > 1)
    limits[out.getDimPosition(rank - 2)] = rows;
  // Lanes are of the reduction where that is what they lie along.
  limits[column] = micro.getLaneAxis() >= 0 ? vectors : vectors * lanes;
  return limits;
}

LogicalResult vortex::checkTileLimits(KernelOp kernel, StageOp stage) {
  MicroKernelAttr micro = stage.getMicroAttr();
  auto anchor = dyn_cast_if_present<linalg::LinalgOp>(kernel.getAnchor());
  if (!micro || !anchor ||
      !llvm::is_contained({"dot", "fma", "simt", "square", "tile", "vector"},
                          micro.getInstruction()))
    return success();
  SmallVector<TileExtent> tiles;
  for (auto [axis, extent] : llvm::enumerate(anchor.getStaticLoopRanges()))
    tiles.push_back(getTileExtent(stage, axis, extent));
  for (auto [axis, limit] : llvm::enumerate(getLimits(anchor, micro, tiles))) {
    const TileExtent &tile = tiles[axis];
    if (!limit || (tile.most && *tile.most <= *limit) || tile.computed)
      continue;
    StringRef name = cast<StringAttr>(kernel.getAxes()[axis]).getValue();
    InFlightDiagnostic error = stage.emitOpError() << "runs in a tile of ";
    if (tile.most)
      error << *tile.most;
    else
      error << "all";
    return error << " of axis " << name
                 << "; its micro-kernel has code for at most " << *limit;
  }
  return success();
}
