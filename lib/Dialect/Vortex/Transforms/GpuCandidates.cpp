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
//===----------------------------------------------------------------------===//

#include "GpuCandidates.h"

#include "PayloadClass.h"
#include "SizeArith.h"

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
/// Pitches below this keep 32-bit offsets inside a tile of 256 rows.
static constexpr int64_t kLargestPitch = 1 << 22;
/// CUDA C++ programming guide: largest grid along y, which walks the batch.
static constexpr int64_t kLargestGridY = 65535;
static constexpr int64_t kLargestExtent = (int64_t(1) << 31) - 512;

/// Few rows are bound by the bytes of B under way; narrow tiles spread them
/// over more multiprocessors.
static constexpr int64_t kLowestColumns = 64;
/// Part of the time of the faster paths that the slowest does not hide: an
/// estimate, not yet measured; it prefers tiles with room on the other paths.
static constexpr double kUnhidden = 0.125;

namespace {
struct BlockTile {
  int64_t m = 0, n = 0, k = 0, warpM = 0, warpN = 0, stages = 0;
  int64_t run = 1;       ///< elements moved at once
  int64_t registers = 0; ///< estimate, a thread
  int64_t resident = 1;  ///< blocks that share one multiprocessor

  int64_t warps() const { return (m / warpM) * (n / warpN); }
  int64_t threads() const { return warps() * kWarpLanes; }
  /// Products for each element that comes from L2.
  double reuse() const { return double(m * n) / double(m + n); }
  double warpReuse() const {
    return double(warpM * warpN) / double(warpM + warpN);
  }
  std::string name() const {
    return (Twine(run > 1 ? "ring_" : "any_") + Twine(m) + "x" + Twine(n) +
            "x" + Twine(k) + "_s" + Twine(stages))
        .str();
  }
};

class GpuContractionFamily {
public:
  GpuContractionFamily(KernelOp kernel, linalg::LinalgOp anchor,
                       ContractionRoles roles, HwAttr hw,
                       CandidateReport &report)
      : kernel(kernel), anchor(anchor), roles(roles), hw(hw), report(report),
        b(kernel.getContext()), arith(b, kernel.getLoc()) {}
  LogicalResult add();

private:
  LogicalResult readPayload();
  std::optional<BlockTile> grow(int64_t m, int64_t n, int64_t k, int64_t run);
  SmallVector<BlockTile> enumerate();
  void emit(const BlockTile &tile);
  void emitSchedule(CandidateOp candidate, const BlockTile &tile);
  void emitGuard(CandidateOp candidate, const BlockTile &tile);
  void emitCost(CandidateOp candidate, const BlockTile &tile);
  LogicalResult drop(std::string why) {
    report.pruned.push_back(std::move(why));
    return failure();
  }
  Size axis(unsigned loop) {
    return arith.size(kernel.getCandidates().front().getArgument(loop));
  }
  Real param(StringRef name) { return arith.param(hw, name); }

  KernelOp kernel;
  linalg::LinalgOp anchor;
  ContractionRoles roles;
  HwAttr hw;
  CandidateReport &report;
  OpBuilder b;
  SizeArith arith;
  HwInstructionAttr instruction;
  HwLevelAttr shared, registers, warp;
  int64_t inputA = 0, inputB = 0;  ///< kernel inputs
  unsigned innerA = 0, innerB = 0; ///< axes along which they are contiguous
  int64_t bytes = 2, resultBytes = 4;
  SmallVector<StringRef> before, behind; ///< payload ops of the two stages
};
} // namespace

LogicalResult GpuContractionFamily::readPayload() {
  auto elementOf = [](Value value) {
    return getElementTypeOrSelf(value.getType());
  };
  Type a = elementOf(anchor->getOperand(roles.a));
  Type bType = elementOf(anchor->getOperand(roles.b));
  Type acc = elementOf(anchor->getResult(0));
  auto text = [](Type type) {
    std::string s;
    llvm::raw_string_ostream(s) << type;
    return s;
  };
  instruction = hw.getInstruction("mma_sync", a, bType, acc);
  if (!instruction || !(a.isF16() || a.isBF16()) || !acc.isF32())
    return drop("no mma_sync of 16-bit floats for " + text(a) + " x " +
                text(bType) + " -> " + text(acc));
  if (roles.a != 0 || roles.b != 1 || anchor.getNumDpsInputs() != 2 ||
      roles.k.size() != 1)
    return drop("the contraction has more than two operands or one reduction");
  bytes = a.getIntOrFloatBitWidth() / 8;
  resultBytes = elementOf(kernel.getResult(0)).getIntOrFloatBitWidth() / 8;

  SmallVector<AffineMap> maps = anchor.getIndexingMapsArray();
  if (maps.back().getDimPosition(maps.back().getNumResults() - 2) != roles.m)
    return drop("rows and columns are not the last dimensions of the result");
  for (auto [operand, input, inner, spatial] :
       {std::tuple{roles.a, &inputA, &innerA, roles.m},
        {roles.b, &inputB, &innerB, roles.n}}) {
    auto argument = dyn_cast<BlockArgument>(anchor->getOperand(operand));
    AffineMap map = maps[operand];
    if (!argument || argument.getArgNumber() >= kernel.getInputs().size() ||
        !map.isProjectedPermutation())
      return drop("an operand is not a matrix from outside the kernel");
    *input = argument.getArgNumber();
    *inner = map.getDimPosition(map.getNumResults() - 1);
    if (*inner != roles.k.front() && *inner != spatial)
      return drop("an operand is contiguous along a batch axis");
  }
  for (Operation &op : kernel.getPayload().front()) {
    auto id = op.getAttrOfType<StringAttr>(kIdAttr);
    if (!id)
      continue;
    if (isa<linalg::FillOp>(op) || &op == anchor)
      before.push_back(id.getValue());
    else if (op.isBeforeInBlock(anchor))
      return drop("op " + id.getValue().str() +
                  " makes an operand of the contraction");
    else
      behind.push_back(id.getValue());
  }
  return success();
}

/// The best division of a block of m x n x k among warps, or nothing.
std::optional<BlockTile> GpuContractionFamily::grow(int64_t m, int64_t n,
                                                    int64_t k, int64_t run) {
  std::optional<BlockTile> best;
  int64_t limit = registers.getCapacity() / registers.getGranularity();
  int64_t file = warp.getCapacity() * warp.getUnits();
  for (int64_t warpM = instruction.getM(); warpM <= m; warpM *= 2)
    for (int64_t warpN = 2 * instruction.getN(); warpN <= n; warpN *= 2) {
      BlockTile tile{m, n, k, warpM, warpN, 0, run};
      ++report.considered;
      if (tile.warps() != warp.getUnits() &&
          tile.warps() != 2 * warp.getUnits())
        continue; // each partition of a multiprocessor has a warp or two
      int64_t copies = llvm::divideCeil((m + n) * k, run * tile.threads());
      tile.registers =
          warpM * warpN / kWarpLanes +
          (warpM + warpN) * instruction.getK() * bytes / 4 / kWarpLanes +
          copies * kCopyRegisters + kOwnRegisters;
      if (tile.registers > limit || tile.registers * 4 * tile.threads() > file)
        continue;
      int64_t stage = (m + n) * k * bytes;
      tile.stages = std::min(shared.getCapacity() / stage, kMostStages);
      if (tile.stages < 2)
        continue;
      tile.resident = std::max<int64_t>(
          1, std::min(shared.getCapacity() / (tile.stages * stage),
                      file / (tile.registers * 4 * tile.threads())));
      if (!best || tile.warpReuse() > best->warpReuse())
        best = tile;
    }
  return best;
}

SmallVector<BlockTile> GpuContractionFamily::enumerate() {
  // Rows of a tile fill whole sectors. Two or four instructions deep: the
  // deeper one has half the barriers, unless it costs the warps their reuse.
  int64_t run = kCopyBytes / bytes;
  int64_t step = instruction.getK();
  int64_t least = instruction.getM(), most = 256;
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
    double products = 2.0 * tile.m * tile.n * step / instruction.getRate();
    double reads = double(tile.warps()) * (tile.warpM + tile.warpN) * step *
                   bytes / shared.getBandwidth();
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
  if (std::optional<BlockTile> any = grow(64, 64, 2 * step, 1))
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
  auto level = [&](StringRef name, LoopKind kind, ArrayRef<int64_t> axes,
                   AxisClass axisClass, ArrayRef<Value> sizes,
                   ArrayRef<Attribute> loads = {},
                   ArrayRef<Value> loadSizes = {}) {
    SmallVector<AxisClass> classes(axes.size(), axisClass);
    auto op = LevelOp::create(b, loc, name, kind, axes, classes, sizes, loads,
                              loadSizes);
    b.setInsertionPointToStart(&op.getBody().front());
    return op;
  };
  SmallVector<int64_t> axes(roles.batch.begin(), roles.batch.end());
  SmallVector<Value> sizes(axes.size(), axes.empty() ? Value() : constant(1));
  axes.append({roles.m, roles.n});
  sizes.append({constant(tile.m), constant(tile.n)});
  LevelOp block = level("block", LoopKind::Grid, axes, AxisClass::PL, sizes);
  if (tile.run > 1)
    block.setStore(2);
  auto load = [&](int64_t input, unsigned inner) -> Attribute {
    return LoadAttr::get(context, input, LayoutKind::Swizzle, inner,
                         /*together=*/true, /*bound=*/false);
  };
  Value run = constant(tile.run);
  LevelOp ring =
      level("smem", LoopKind::Sequential, {roles.k.front()}, AxisClass::TRL,
            {constant(tile.k)}, {load(inputA, innerA), load(inputB, innerB)},
            {run, run});
  ring.setStages(tile.stages);
  ring.setResident(true);
  level("warp", LoopKind::Forall, {roles.m, roles.n}, AxisClass::PL,
        {constant(tile.warpM), constant(tile.warpN)});
  auto micro = MicroKernelAttr::get(
      context, "mma_sync", tile.warpM, tile.warpN / instruction.getN(),
      instruction.getN(), /*unroll=*/tile.k / instruction.getK(),
      /*prefetch=*/0, /*narrow_rows=*/0, /*scheduler=*/true,
      /*lane_axis=*/-1);
  StageOp::create(b, loc, b.getStrArrayAttr(before), micro, StringAttr());
  b.setInsertionPointAfter(ring);
  if (!behind.empty())
    StageOp::create(b, loc, b.getStrArrayAttr(behind), MicroKernelAttr(),
                    StringAttr());
}

void GpuContractionFamily::emitGuard(CandidateOp candidate,
                                     const BlockTile &tile) {
  b.createBlock(&candidate.getGuard());
  // Operands are dense: their pitch is their innermost extent.
  Flag holds = axis(innerA) < arith.size(kLargestPitch);
  holds = holds & (axis(innerB) < arith.size(kLargestPitch));
  for (unsigned loop : {roles.m, roles.n, roles.k.front()})
    holds = holds & (axis(loop) < arith.size(kLargestExtent));
  auto multiple = [&](unsigned loop, int64_t of) {
    Size rest{&arith, arith::RemUIOp::create(b, arith.loc, axis(loop).value,
                                             arith.size(of).value)};
    return rest < arith.size(1);
  };
  if (!roles.batch.empty()) {
    Size batch = arith.size(1);
    for (unsigned loop : roles.batch)
      batch = batch * axis(loop);
    holds = holds & (batch <= arith.size(kLargestGridY));
  }
  if (tile.run > 1) {
    holds = holds & multiple(innerA, tile.run);
    holds = holds & multiple(innerB, tile.run);
    holds = holds & multiple(roles.n, 2);
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
  Size tiles =
      ceilDiv(m, arith.size(tile.m)) * ceilDiv(n, arith.size(tile.n)) * batch;
  Size steps = ceilDiv(k, arith.size(tile.k));
  Size slots = atLeast(arith.toSize(param("block.units")), 1) * tile.resident;
  Real waves = arith.real(ceilDiv(tiles, slots));
  // A multiprocessor works on what it really has: all its blocks, or the one
  // of a grid that does not fill the machine.
  Size units = atLeast(arith.toSize(param("block.units")), 1);
  Real together =
      arith.real(atMost(atLeast(ceilDiv(tiles, units), 1), tile.resident));

  double products = 2.0 * tile.m * tile.n * tile.k;
  double sharedReads =
      double(tile.warps()) * (tile.warpM + tile.warpN) * tile.k * bytes;
  double tileBytes = double(tile.m + tile.n) * tile.k * bytes;
  Real core = arith.real(products) /
              arith.param(hw, instruction.getKey() + ".rate", 1.0);
  Real fromShared = arith.real(sharedReads) / param("smem.bandwidth");
  Real fromL2 = arith.real(tileBytes) / param("l2.stream");
  Real slowest = max(max(core, fromShared), fromL2);
  Real step =
      (slowest + (core + fromShared + fromL2 - slowest) * kUnhidden) * together;
  // No step is shorter than a trip to memory shared by the tiles under way.
  Real trip = param("device.latency");
  step = max(step, trip / arith.real(double(tile.stages - 1)));
  if (tile.run == 1) {
    // Load, store and predicate of each element on the scalar units.
    double instructions = 8.0 * (tile.m + tile.n) * tile.k;
    step = step + arith.real(2.0 * instructions) /
                      arith.param(hw, "simt.f32.rate", 100.0) * together;
  }
  Real drain = arith.real(double(tile.m * tile.n * resultBytes)) /
               param("l2.stream") * together;
  Real busy = waves * (arith.real(steps) * step + trip * 2.0 + drain);

  // What the whole problem moves, whichever block waits for it.
  Real memory = (arith.real(m * k + k * n) * double(bytes) +
                 arith.real(m * n) * double(resultBytes)) *
                arith.real(batch) / param("device.bandwidth");
  Real l2 = arith.real(tiles * steps) * tileBytes / param("l2.bandwidth");
  Real longest = max(busy, max(memory, l2));
  Real total = longest + (busy + memory + l2 - longest) * kUnhidden +
               param("block.startup");
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
  SmallVector<BlockTile> tiles = enumerate();
  if (tiles.empty())
    return drop("no block fits");
  Block *block = b.createBlock(&kernel.getCandidates());
  for (size_t i = 0; i < kernel.getAxes().size(); ++i)
    block->addArgument(b.getIndexType(), kernel.getLoc());
  for (const BlockTile &tile : tiles) {
    b.setInsertionPointToEnd(block);
    emit(tile);
  }
  return success();
}

LogicalResult vortex::addGpuContractionCandidates(KernelOp kernel, HwAttr hw,
                                                  CandidateReport &report) {
  auto anchor = dyn_cast_if_present<linalg::LinalgOp>(kernel.getAnchor());
  std::optional<ContractionRoles> roles =
      anchor ? getContractionRoles(anchor) : std::nullopt;
  if (!roles) {
    report.pruned.push_back("only contractions have a family for this target");
    return failure();
  }
  return GpuContractionFamily(kernel, anchor, *roles, hw, report).add();
}
