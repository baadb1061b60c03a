//===- GpuCandidates.cpp - Candidates for NVIDIA GPUs -----------*- C++ -*-===//
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
// Costs follow the form of MikPoly's and of DeepGEMM's selectors: waves times
// the time of a tile, which is the slowest of tensor cores, shared memory and
// the path from L2 for each step of the reduction, and no less than what the
// traffic of the whole needs from L2 and from memory.
//
// Where the target has instructions for groups of warps on shared memory
// (`wgmma`), warps have roles: a group loads, in boxes, the others multiply.
//
// Contractions that no matrix instruction does, by their types or their maps,
// have the same trees over scalar units (`simt`): the columns of a warp's tile
// lie in its lanes, its rows in registers. Where shared memory cannot hold
// tiles of the operands (windows, computed operands, several reductions) each
// warp reads them where they are.
//
//===----------------------------------------------------------------------===//

#include "GpuCandidates.h"

#include "CandidateFamily.h"
#include "vortex/Dialect/Vortex/IR/MatrixForm.h"
#include "vortex/Dialect/Vortex/IR/RoleRegisters.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace vortex;

/// Lanes of a warp and the width of a copy: PTX ISA.
static constexpr int64_t kWarpLanes = 32;
static constexpr int64_t kCopyBytes = 16;
/// A ring hides memory with three tiles under way; more wins nothing where it
/// was measured (CUTLASS' default for this instruction is three or four).
static constexpr int64_t kMostStages = 4;
/// Registers beside accumulators and fragments: positions, loop state, stores.
static constexpr int64_t kOwnRegisters = 40;
/// Registers for a copy a thread repeats for each tile: pointer, shared
/// offset, limit, and what the predicate needs.
static constexpr int64_t kCopyRegisters = 5;
/// Registers for places of elements that make up fragments one by one, a step
/// of the instruction: what tiles of 32 x 64 and 64 x 64 spilled without.
static constexpr int64_t kGatherRegisters = 30;
/// Registers of an address.
static constexpr int64_t kAddressRegisters = 2;
/// Pitches below this keep 32-bit offsets inside a tile of 256 rows.
static constexpr int64_t kLargestPitch = 1 << 22;
/// CUDA C++ programming guide: largest grid along x.
static constexpr int64_t kLargestGrid = (int64_t(1) << 31) - 1;
static constexpr int64_t kLargestExtent = (int64_t(1) << 31) - 512;

/// Stages of a ring that a warp of its own fills, which costs the others
/// nothing: what a row of eight hides is more than any memory's latency.
static constexpr int64_t kMostBoxStages = 8;
/// CUDA driver API, cuTensorMapEncodeTiled: dimensions, bytes of a stride.
static constexpr unsigned kMostMapDims = 5;
static constexpr int64_t kLargestMapStride = int64_t(1) << 40;

/// Tiles whose reduction may be split: the largest, the smallest, the lowest.
/// Those between are chosen where there are tiles for all multiprocessors.
static constexpr size_t kSplitTiles = 3;
/// Parts that are on their way to a thread that adds them: loads that LLVM's
/// unrolling for this back end puts side by side.
static constexpr int64_t kPartsUnderWay = 4;
/// Columns of a row that a block adds the parts of: eight warps.
static constexpr int64_t kSumColumns = 256;

/// Few rows are bound by the bytes of B under way; narrow tiles spread them
/// over more multiprocessors.
static constexpr int64_t kLowestColumns = 64;
/// Rows of the lowest tile of scalar units that shares operands: as many as
/// those of a matrix instruction.
static constexpr int64_t kLowestRows = 16;
/// PTX ISA: global memory comes in sectors.
static constexpr int64_t kSectorBytes = 32;
/// Part of the time of the faster paths that the slowest does not hide: an
/// estimate, not yet measured; it prefers tiles with room on the other paths.
static constexpr double kUnhidden = 0.125;
/// Steps of a reduction on scalar units between two branches.
static constexpr int64_t kScalarUnroll = 4;
/// Bytes of shared memory's bandwidth that one broadcast row takes in each step
/// of a scalar reduction: a transaction for four steps in shared memory, one a
/// step in place.
static constexpr double kBroadcastFromShared = 32, kBroadcastInPlace = 128;

namespace {
struct BlockTile {
  int64_t m = 0, n = 0, k = 0, warpM = 0, warpN = 0, stages = 0;
  int64_t run = 1;       ///< elements moved at once
  int64_t registers = 0; ///< estimate, a thread
  int64_t resident = 1;  ///< blocks that share one multiprocessor
  bool matrix = true;    ///< has a matrix instruction
  int64_t producers = 0; ///< warps that load boxes for groups of warps
  bool turned = false;   ///< rows of the instruction are columns of the tile
  bool split = false;    ///< blocks share the reduction of a tile

  /// Without a ring operands are read where they are.
  bool hasRing() const { return k > 0; }

  int64_t warps() const {
    return (m / warpM) * (n / warpN) * (producers ? kWarpsPerGroup : 1);
  }
  int64_t threads() const { return (warps() + producers) * kWarpLanes; }
  /// Products for each element that comes from L2.
  double reuse() const { return double(m * n) / double(m + n); }
  double warpReuse() const {
    return double(warpM * warpN) / double(warpM + warpN);
  }
  std::string name() const {
    std::string area = (Twine(m) + "x" + Twine(n)).str();
    if (split) {
      BlockTile whole = *this;
      whole.split = false;
      return "split_" + whole.name();
    }
    if (!hasRing())
      return "direct_" + area;
    if (producers)
      return ("wgmma_" + area + "x" + Twine(k) + "_s" + Twine(stages)).str();
    return (Twine(matrix ? "" : "simt_") + (run > 1 ? "ring_" : "any_") + area +
            "x" + Twine(k) + "_s" + Twine(stages))
        .str();
  }
};

class GpuContractionFamily : CandidateFamily {
public:
  GpuContractionFamily(KernelOp kernel, linalg::LinalgOp anchor,
                       ContractionRoles roles, HwAttr hw,
                       CandidateReport &report)
      : CandidateFamily(kernel, anchor, hw, report), roles(roles) {}
  LogicalResult add();

private:
  LogicalResult readPayload();
  std::string readOperands();
  std::optional<BlockTile> grow(int64_t m, int64_t n, int64_t k, int64_t run);
  SmallVector<BlockTile> enumerate();
  std::string whyNoGroups();
  std::optional<BlockTile> growGroups(int64_t m, int64_t n);
  SmallVector<BlockTile> enumerateGroups();
  SmallVector<BlockTile> enumerateDirect();
  double getSharedReads(const BlockTile &tile);
  std::string whyNoSplit();
  void addSplit(SmallVector<BlockTile> &tiles);
  Size countTiles(const BlockTile &tile);
  Size stepsOfPart(const BlockTile &tile);
  Real costOfSum(Size parts);
  HwInstructionAttr instructionOf(const BlockTile &tile) {
    return tile.producers ? group : instruction;
  }
  void emit(const BlockTile &tile);
  void emitSchedule(CandidateOp candidate, const BlockTile &tile);
  void emitGuard(CandidateOp candidate, const BlockTile &tile);
  void emitCost(CandidateOp candidate, const BlockTile &tile);

  ContractionRoles roles;
  HwInstructionAttr instruction;
  HwInstructionAttr group; ///< of groups of warps; null for none
  HwLevelAttr shared, registers, warp;
  int64_t inputA = 0, inputB = 0;  ///< kernel inputs
  unsigned innerA = 0, innerB = 0; ///< axes along which they are contiguous
  int64_t bytes = 2, accBytes = 4, resultBytes = 4;
  bool matrix = false; ///< `instruction` is one of matrices
  bool ring = false;   ///< shared memory holds tiles of the operands
  SmallVector<StringRef> before, behind; ///< payload ops of the two stages
};
} // namespace

/// Finds what a ring of shared memory loads; says why there can be none.
std::string GpuContractionFamily::readOperands() {
  if (roles.a != 0 || roles.b != 1 || anchor.getNumDpsInputs() != 2 ||
      roles.k.size() != 1)
    return "the contraction has more than two operands or one reduction";
  SmallVector<AffineMap> maps = anchor.getIndexingMapsArray();
  if (maps.back().getNumResults() < 2 ||
      maps.back().getDimPosition(maps.back().getNumResults() - 2) != roles.m)
    return "rows and columns are not the last dimensions of the result";
  for (auto [operand, input, inner, spatial] :
       {std::tuple{roles.a, &inputA, &innerA, roles.m},
        {roles.b, &inputB, &innerB, roles.n}}) {
    auto argument = dyn_cast<BlockArgument>(anchor->getOperand(operand));
    AffineMap map = maps[operand];
    if (!argument || argument.getArgNumber() >= kernel.getInputs().size() ||
        !map.isProjectedPermutation())
      return "an operand is not a matrix from outside the kernel";
    *input = argument.getArgNumber();
    *inner = map.getDimPosition(map.getNumResults() - 1);
    if (*inner != roles.k.front() && *inner != spatial)
      return "an operand is contiguous along a batch axis";
  }
  return "";
}

LogicalResult GpuContractionFamily::readPayload() {
  auto elementOf = [](Value value) {
    return getElementTypeOrSelf(value.getType());
  };
  Type a = elementOf(anchor->getOperand(roles.a));
  Type bType = elementOf(anchor->getOperand(roles.b));
  Type acc = elementOf(anchor->getResult(0));
  bytes =
      std::max(a.getIntOrFloatBitWidth(), bType.getIntOrFloatBitWidth()) / 8;
  accBytes = acc.getIntOrFloatBitWidth() / 8;
  resultBytes = elementOf(kernel.getResult(0)).getIntOrFloatBitWidth() / 8;

  std::string noRing = readOperands();
  for (Operation &op : kernel.getPayload().front()) {
    auto id = op.getAttrOfType<StringAttr>(kIdAttr);
    if (!id)
      continue;
    bool inFront = op.isBeforeInBlock(anchor) && !isa<linalg::FillOp>(op);
    if (inFront && noRing.empty())
      noRing =
          "op " + id.getValue().str() + " makes an operand of the contraction";
    (inFront || isa<linalg::FillOp>(op) || &op == anchor ? before : behind)
        .push_back(id.getValue());
  }
  ring = noRing.empty();
  if (!ring)
    report.pruned.push_back("no ring of shared memory: " + noRing);

  instruction = hw.getInstruction("mma_sync", a, bType, acc);
  // Matrix instructions multiply and add, and nothing else.
  matrix = instruction && hasMatrixForm(instruction) && ring &&
           linalg::isaContractionOpInterface(anchor) &&
           (!acc.isInteger() || getIntegerSigns(anchor));
  if (matrix) {
    group = hw.getInstruction("wgmma", a, bType, acc);
    if (group && !hasMatrixForm(group))
      group = {};
    if (std::string why = group ? whyNoGroups() : ""; !why.empty()) {
      report.pruned.push_back("no wgmma: " + why);
      group = {};
    }
    return success();
  }
  if (ring) {
    std::string why = "no matrix instruction for ";
    llvm::raw_string_ostream(why) << a << " x " << bType << " -> " << acc;
    report.pruned.push_back(why);
  }
  instruction = hw.getInstruction("simt", acc, acc, acc);
  if (!instruction) {
    Type f32 = b.getF32Type();
    instruction = hw.getInstruction("simt", f32, f32, f32);
  }
  if (!instruction)
    return drop("target " + hw.getIsa().str() + " describes no scalar units");
  return success();
}

/// The best division of a block of m x n x k among warps, or nothing.
std::optional<BlockTile> GpuContractionFamily::grow(int64_t m, int64_t n,
                                                    int64_t k, int64_t run) {
  std::optional<BlockTile> best;
  int64_t limit = registers.getCapacity() / registers.getGranularity();
  int64_t file = warp.getCapacity() * warp.getUnits();
  int64_t leastN = matrix ? 2 * instruction.getN() : kWarpLanes;
  for (int64_t warpM = instruction.getM(); warpM <= m; warpM *= 2)
    for (int64_t warpN = leastN; warpN <= n; warpN *= 2) {
      BlockTile tile{m, n, k, warpM, warpN, 0, run};
      tile.matrix = matrix;
      ++report.considered;
      if (tile.warps() != warp.getUnits() &&
          tile.warps() != 2 * warp.getUnits())
        continue; // each partition of a multiprocessor has a warp or two
      int64_t copies = llvm::divideCeil((m + n) * k, run * tile.threads());
      // A lane of a scalar unit reads each row's element, and its columns'.
      int64_t fragments =
          matrix ? (warpM + warpN) * instruction.getK() * bytes / 4 / kWarpLanes
                 : (warpM + warpN / kWarpLanes) * llvm::divideCeil(bytes, 4);
      // Bytes whose reduction is not innermost are not loaded as matrices.
      if (matrix && bytes == 1 && (innerA == roles.m || innerB == roles.n))
        fragments += kGatherRegisters * k / instruction.getK();
      // What is read where it is has an address for each row and column.
      if (!tile.hasRing())
        fragments += (warpM + warpN / kWarpLanes) * kAddressRegisters;
      tile.registers =
          warpM * warpN / kWarpLanes * llvm::divideCeil(accBytes, 4) +
          fragments + copies * kCopyRegisters + kOwnRegisters;
      if (tile.registers > limit || tile.registers * 4 * tile.threads() > file)
        continue;
      tile.resident =
          std::max<int64_t>(1, file / (tile.registers * 4 * tile.threads()));
      if (tile.hasRing()) {
        int64_t stage = (m + n) * k * bytes;
        tile.stages = std::min(shared.getCapacity() / stage, kMostStages);
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

SmallVector<BlockTile> GpuContractionFamily::enumerate() {
  // Rows of a tile fill whole sectors. Two or four instructions deep: the
  // deeper one has half the barriers, unless it costs the warps their reuse.
  int64_t run = kCopyBytes / bytes;
  int64_t step = matrix ? instruction.getK() : kSectorBytes / bytes;
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
  // Operands without alignment: single elements, a tile in the middle.
  std::optional<BlockTile> any = grow(64, 64, 2 * step, 1);
  if (!any)
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

/// The widest tiles that the registers hold, and one of a single row.
SmallVector<BlockTile> GpuContractionFamily::enumerateDirect() {
  SmallVector<BlockTile> tiles;
  std::optional<BlockTile> widest, low;
  for (int64_t m = 1; m <= 128; m *= 2)
    for (int64_t n = kWarpLanes; n <= 128; n *= 2)
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
  double rows = tile.warpM * bytes;
  if (!matrix)
    rows = tile.warpM *
           (tile.hasRing() ? kBroadcastFromShared : kBroadcastInPlace);
  return double(tile.warps()) * (rows + tile.warpN * bytes) *
         std::max<int64_t>(tile.k, 1);
}

//===----------------------------------------------------------------------===//
// Split reductions
//===----------------------------------------------------------------------===//

/// Why parts of the reduction cannot be added by a kernel behind them.
std::string GpuContractionFamily::whyNoSplit() {
  if (!linalg::isaContractionOpInterface(anchor) ||
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
  SmallVector<BlockTile> aligned = llvm::filter_to_vector(
      tiles, [](const BlockTile &tile) { return tile.run > 1; });
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
    tile.split = true;
    ++report.considered;
  }
  // In front of the one without alignment, the most general, which stays last.
  auto *general =
      llvm::find_if(tiles, [](const BlockTile &tile) { return tile.run == 1; });
  tiles.insert(general, split.begin(), split.end());
}

Size GpuContractionFamily::countTiles(const BlockTile &tile) {
  Size tiles = ceilDiv(axis(roles.m), arith.size(tile.m)) *
               ceilDiv(axis(roles.n), arith.size(tile.n));
  for (unsigned loop : roles.batch)
    tiles = tiles * axis(loop);
  return tiles;
}

/// Steps of the ring in a part: as many parts as there are places for blocks
/// beside the tiles, each long enough to fill the ring once.
Size GpuContractionFamily::stepsOfPart(const BlockTile &tile) {
  Size slots = atLeast(arith.toSize(param("block.units")), 1) * tile.resident;
  Size steps = ceilDiv(axis(roles.k.front()), arith.size(tile.k));
  Size most = steps / arith.size(tile.stages);
  Size parts = atLeast(min(slots / atLeast(countTiles(tile), 1), most), 1);
  return atLeast(ceilDiv(steps, parts), 1);
}

/// A kernel behind that of the parts: it reads what they wrote, in L2 where
/// that is at most half of it, and each thread waits for its parts in groups.
Real GpuContractionFamily::costOfSum(Size parts) {
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
         param("block.startup");
}

void GpuContractionFamily::emitSchedule(CandidateOp candidate,
                                        const BlockTile &tile) {
  Location loc = kernel.getLoc();
  MLIRContext *context = b.getContext();
  auto constant = [&](int64_t x) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(candidate);
    return arith.size(x).value;
  };
  b.createBlock(&candidate.getSchedule());
  SmallVector<int64_t> axes(roles.batch.begin(), roles.batch.end());
  SmallVector<Value> sizes(axes.size(), axes.empty() ? Value() : constant(1));
  axes.append({roles.m, roles.n});
  sizes.append({constant(tile.m), constant(tile.n)});
  if (tile.split) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(candidate);
    axes.push_back(roles.k.front());
    sizes.push_back((stepsOfPart(tile) * tile.k).value);
  }
  LevelOp block =
      createLevel("block", LoopKind::Grid, axes, AxisClass::PL, sizes);
  if (tile.split)
    block.setCombine("add");
  if (matrix && tile.run > 1 && !tile.turned)
    block.setStore(2);
  LevelOp ringLevel;
  if (tile.hasRing()) {
    auto load = [&](int64_t input, unsigned inner) -> Attribute {
      return LoadAttr::get(context, input, LayoutKind::Swizzle, inner,
                           /*together=*/true, /*bound=*/false);
    };
    // Warps move what the operands' alignment allows, boxes a row.
    Value run = constant(tile.producers ? kBoxRowBytes / bytes : tile.run);
    ringLevel =
        createLevel("smem", LoopKind::Sequential, {roles.k.front()},
                    AxisClass::TRL, {constant(tile.k)},
                    {load(inputA, innerA), load(inputB, innerB)}, {run, run});
    ringLevel.setStages(tile.stages);
    ringLevel.setResident(true);
  }
  if (tile.producers) {
    LevelOp producer =
        createLevel("warp", LoopKind::Forall, {}, AxisClass::PL, {});
    producer.setRole("producer");
    producer.setWarps(tile.producers);
    b.setInsertionPointAfter(producer);
    int64_t axis = tile.turned ? roles.n : roles.m;
    LevelOp consumer =
        createLevel("warp", LoopKind::Forall, {axis}, AxisClass::PL,
                    {constant(tile.turned ? tile.warpN : tile.warpM)});
    consumer.setRole("consumer");
    consumer.setWarps(tile.warps());
  } else {
    createLevel("warp", LoopKind::Forall, {roles.m, roles.n}, AxisClass::PL,
                {constant(tile.warpM), constant(tile.warpN)});
  }
  int64_t columns = tile.producers ? tile.warpN
                    : matrix       ? instruction.getN()
                                   : kWarpLanes;
  auto micro = MicroKernelAttr::get(
      context, instructionOf(tile).getKind(), tile.warpM, tile.warpN / columns,
      columns,
      /*unroll=*/matrix ? tile.k / instructionOf(tile).getK() : kScalarUnroll,
      /*prefetch=*/0, /*narrow_rows=*/0, /*scheduler=*/true,
      /*lane_axis=*/-1, /*in_flight=*/0);
  SmallVector<StringRef> inner = before;
  if (!tile.hasRing())
    llvm::append_range(inner, behind);
  StageOp::create(b, loc, b.getStrArrayAttr(inner), micro, StringAttr());
  if (!tile.hasRing() || behind.empty())
    return;
  b.setInsertionPointAfter(ringLevel);
  StageOp::create(b, loc, b.getStrArrayAttr(behind), MicroKernelAttr(),
                  StringAttr());
}

void GpuContractionFamily::emitGuard(CandidateOp candidate,
                                     const BlockTile &tile) {
  b.createBlock(&candidate.getGuard());
  Flag holds = axis(roles.m) < arith.size(kLargestExtent);
  holds = holds & (axis(roles.n) < arith.size(kLargestExtent));
  for (unsigned loop : roles.k)
    holds = holds & (axis(loop) < arith.size(kLargestExtent));
  // Operands are dense: their pitch is their innermost extent.
  if (tile.hasRing())
    for (unsigned inner : {innerA, innerB})
      holds = holds & (axis(inner) < arith.size(kLargestPitch));
  auto multiple = [&](unsigned loop, int64_t of) {
    Size rest{&arith, arith::RemUIOp::create(b, arith.loc, axis(loop).value,
                                             arith.size(of).value)};
    return rest < arith.size(1);
  };
  Size blocks = ceilDiv(axis(roles.m), arith.size(tile.m)) *
                ceilDiv(axis(roles.n), arith.size(tile.n));
  for (unsigned loop : roles.batch) {
    holds = holds & (axis(loop) < arith.size(kLargestExtent));
    blocks = blocks * axis(loop);
  }
  if (tile.split) {
    // There is something to share; its parts, and the blocks that add them.
    holds = holds & (arith.size(0) < axis(roles.k.front()));
    Size results = axis(roles.m) * axis(roles.n);
    for (unsigned loop : roles.batch)
      results = results * axis(loop);
    holds = holds & (results <= arith.size(kLargestGrid));
    blocks =
        blocks * ceilDiv(axis(roles.k.front()), stepsOfPart(tile) * tile.k);
  }
  holds = holds & (blocks <= arith.size(kLargestGrid));
  if (tile.run > 1) {
    holds = holds & multiple(innerA, tile.run);
    holds = holds & multiple(innerB, tile.run);
    // A caller's tensor may begin anywhere.
    Block &block = kernel.getCandidates().front();
    for (int64_t input : {inputA, inputB})
      holds =
          holds &
          (arith.size(tile.run * bytes) <=
           arith.alignment(block.getArgument(kernel.getAxes().size() + input)));
    if (matrix && !tile.turned)
      holds = holds & multiple(roles.n, 2);
  }
  if (tile.producers) {
    // A tensor map is of something, and its strides have a limit. Of matrices
    // the limit of pitches is the lower one.
    holds = holds & (arith.size(0) < axis(roles.k.front()));
    for (unsigned operand : {roles.a, roles.b}) {
      AffineMap map = anchor.getIndexingMapsArray()[operand];
      if (map.getNumResults() < 3)
        continue;
      Size stride = arith.size(bytes);
      for (AffineExpr expr : llvm::drop_begin(map.getResults()))
        stride = stride * axis(cast<AffineDimExpr>(expr).getPosition());
      holds = holds & (stride < arith.size(kLargestMapStride));
    }
  }
  YieldOp::create(b, kernel.getLoc(), holds.value);
}

void GpuContractionFamily::emitCost(CandidateOp candidate,
                                    const BlockTile &tile) {
  b.createBlock(&candidate.getCost());
  Size batch = arith.size(1);
  for (unsigned loop : roles.batch)
    batch = batch * axis(loop);
  Size m = axis(roles.m), n = axis(roles.n), k = axis(roles.k.front());
  for (unsigned loop : llvm::drop_begin(roles.k))
    k = k * axis(loop);
  Size tiles = countTiles(tile);
  int64_t depth = std::max<int64_t>(tile.k, 1); // of a step
  Size steps = ceilDiv(k, arith.size(depth));
  Size parts = arith.size(1);
  if (tile.split) {
    Size part = stepsOfPart(tile);
    parts = ceilDiv(steps, part);
    tiles = tiles * parts;
    steps = part;
  }
  Size slots = atLeast(arith.toSize(param("block.units")), 1) * tile.resident;
  Real waves = arith.real(ceilDiv(tiles, slots));
  // A multiprocessor works on what it really has: all its blocks, or the one
  // of a grid that does not fill the machine.
  Size units = atLeast(arith.toSize(param("block.units")), 1);
  Real together =
      arith.real(atMost(atLeast(ceilDiv(tiles, units), 1), tile.resident));

  double products = 2.0 * tile.m * tile.n * depth;
  double tileBytes = double(tile.m + tile.n) * depth * bytes;
  Real core = arith.real(products) /
              arith.param(hw, instructionOf(tile).getKey() + ".rate", 1.0);
  Real fromShared = arith.real(getSharedReads(tile)) / param("smem.bandwidth");
  Real fromL2 = arith.real(tileBytes) / param("l2.stream");
  Real slowest = max(max(core, fromShared), fromL2);
  Real step =
      (slowest + (core + fromShared + fromL2 - slowest) * kUnhidden) * together;
  // No step is shorter than a trip to memory shared by the tiles under way.
  Real trip = param("device.latency");
  if (tile.hasRing())
    step = max(step, trip / arith.real(double(tile.stages - 1)));
  if (tile.hasRing() && tile.run == 1) {
    // Load, store and predicate of each element on the scalar units.
    double instructions = 8.0 * (tile.m + tile.n) * tile.k;
    step = step + arith.real(2.0 * instructions) /
                      arith.param(hw, "simt.f32.rate", 100.0) * together;
  }
  int64_t storedBytes = tile.split ? accBytes : resultBytes;
  Real drain = arith.real(double(tile.m * tile.n * storedBytes)) /
               param("l2.stream") * together;
  Real busy = waves * (arith.real(steps) * step + trip * 2.0 + drain);

  // What the whole problem moves, whichever block waits for it.
  Real stored = arith.real(m * n) * double(resultBytes);
  if (tile.split) // partial sums mostly stay in L2: they are read next
    stored = arith.real(0.0);
  Real memory = (arith.real(m * k + k * n) * double(bytes) + stored) *
                arith.real(batch) / param("device.bandwidth");
  Real l2 = arith.real(tiles * steps) * tileBytes / param("l2.bandwidth");
  Real longest = max(busy, max(memory, l2));
  Real total = longest + (busy + memory + l2 - longest) * kUnhidden +
               param("block.startup");
  if (tile.split)
    total = total + costOfSum(parts);
  YieldOp::create(b, kernel.getLoc(), total.value);
}

void GpuContractionFamily::emit(const BlockTile &tile) {
  auto candidate = CandidateOp::create(b, kernel.getLoc(), tile.name());
  emitSchedule(candidate, tile);
  emitGuard(candidate, tile);
  emitCost(candidate, tile);
}

LogicalResult GpuContractionFamily::add() {
  if (failed(readPayload()))
    return failure();
  shared = hw.getLevel("smem");
  registers = hw.getLevel("register");
  warp = hw.getLevel("warp");
  if (!hw.getLevel("l2") || !shared || !registers || !warp)
    return drop("target " + hw.getIsa().str() +
                " does not describe l2, smem, warp and register");
  SmallVector<BlockTile> tiles = ring ? enumerate() : enumerateDirect();
  if (group) {
    // What groups of warps do, single ones do slower: those stay for fewer
    // rows, and where operands have no alignment.
    SmallVector<BlockTile> grouped = enumerateGroups();
    llvm::erase_if(tiles, [&](const BlockTile &tile) {
      return tile.run > 1 && !grouped.empty() && tile.m >= group.getM();
    });
    tiles.insert(tiles.begin(), grouped.begin(), grouped.end());
  }
  if (ring)
    addSplit(tiles);
  if (tiles.empty())
    return drop("no block fits");
  Block *block = createCandidates();
  if (ring) // guards ask where operands are
    for (Type type : kernel->getOperandTypes())
      block->addArgument(type, kernel.getLoc());
  for (const BlockTile &tile : tiles) {
    b.setInsertionPointToEnd(block);
    emit(tile);
  }
  return success();
}

LogicalResult vortex::addGpuCandidates(KernelOp kernel, HwAttr hw,
                                       CandidateReport &report) {
  auto anchor = dyn_cast_if_present<linalg::LinalgOp>(kernel.getAnchor());
  if (!anchor) {
    report.pruned.push_back("the kernel has no linalg op as its anchor");
    return failure();
  }
  switch (classify(anchor)) {
  case PayloadClass::Contraction:
    return GpuContractionFamily(kernel, anchor, *getContractionRoles(anchor),
                                hw, report)
        .add();
  case PayloadClass::Columns:
    return addGpuStreamCandidates(kernel, anchor, /*columns=*/true, hw, report);
  case PayloadClass::Rows:
    return addGpuStreamCandidates(kernel, anchor, /*columns=*/false, hw,
                                  report);
  case PayloadClass::Opaque:
    break;
  }
  report.pruned.push_back("no family of micro-kernels can express the payload");
  return failure();
}
