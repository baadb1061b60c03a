//===- GpuChainCost.cpp - Tiles of a chain, and their time -----*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The form is that of contractions: waves times the time of a block, whose
// steps take as long as the slowest of tensor cores, scalar units, shared
// memory and the path from L2. The scalar units have the rows to do. The parts
// take what their products do, and what scores and weights move.
//
//===----------------------------------------------------------------------===//

#include "GpuChain.h"

#include "vortex/Dialect/Vortex/IR/GridLimit.h"
#include "vortex/Dialect/Vortex/IR/MatrixForm.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace vortex;

/// Registers beside accumulators, fragments and copies: what the rows have so
/// far, positions, loop state, temporaries of an exponential.
static constexpr int64_t kChainRegisters = 64;
/// Room for the reduction of the scores and for columns of the result, where
/// they are not known, and the most (registers: fragments of the left factor
/// and accumulators stay there).
static constexpr int64_t kUsualInner[] = {64, 128};
static constexpr int64_t kLargestInner = 256, kLargestColumns = 128;
// Fitted to times of all candidates of f16 attention at 16 sizes on an H200
// (docs/performance.md).
/// Instructions of a scalar unit for a score: scale, mask, largest value,
/// exponential, sum, conversion, repair of the result.
static constexpr double kInstructionsOfScore = 16;
/// Part of the faster paths' time that the slowest does not hide, and the same
/// where blocks share a multiprocessor; the time of a step over what that is.
static constexpr double kUnhidden = 0.4, kUnhiddenShared = 0.25, kSteps = 1.2;
/// Trips to shared memory that a step takes at least, and for each element of a
/// row of the left factor in front of the first; trips to memory there.
static constexpr double kLeastTrips = 35, kTripsOfLeft = 0.6, kTrips = 6;
/// Part of the faster of arithmetic and memory that the slower does not hide:
/// as for contractions.
static constexpr double kUnhiddenOfWhole = 0.125;
/// Walks over a row of scores behind the first product: largest value, sum,
/// weights, and the write of these.
static constexpr double kWalks = 3;

std::string GpuChainTile::name() const {
  return (getCopyPrefix(run, copyBytes, "running") +
          (run > 1 ? "" : "running_") + Twine(rows) + "x" + Twine(keys) + "_" +
          Twine(inner) + "x" + Twine(columns) + "_s" + Twine(stages))
      .str();
}

static int64_t elementBytes(Value value) {
  return llvm::divideCeil(
      getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth(), 8);
}

/// The instruction of one of the products; null for none.
static HwInstructionAttr getInstruction(const MatrixProduct &product,
                                        HwAttr hw) {
  linalg::LinalgOp op = product.op;
  auto element = [&](Value value) {
    return getElementTypeOrSelf(value.getType());
  };
  HwInstructionAttr found = hw.getInstruction(
      "mma_sync", element(op->getOperand(product.rows)),
      element(op->getOperand(product.columns)), element(op->getResult(0)));
  // Accumulators of one product are the fragments of the other in this form.
  if (!found || !hasMatrixForm(found) || found.getM() != 16 ||
      found.getN() != 8 || found.getK() != 16)
    return {};
  return found;
}

static int64_t getRoom(int64_t extent) {
  return llvm::PowerOf2Ceil(std::max<int64_t>(extent, 16));
}

namespace {
class TileGrower {
public:
  TileGrower(const RunningChain &chain, HwAttr hw, CandidateReport &report)
      : chain(chain), hw(hw), report(report) {}
  SmallVector<GpuChainTile> run();

private:
  std::optional<GpuChainTile> grow(int64_t warps, int64_t inner,
                                   int64_t columns, int64_t run);

  const RunningChain &chain;
  HwAttr hw;
  CandidateReport &report;
  HwLevelAttr shared, registers, warp;
  int64_t bytes = 2;
};
} // namespace

/// The longest step of the keys that a warp's registers hold.
std::optional<GpuChainTile> TileGrower::grow(int64_t warps, int64_t inner,
                                             int64_t columns, int64_t run) {
  int64_t limit = registers.getCapacity() / registers.getGranularity();
  int64_t file = warp.getCapacity() * warp.getUnits();
  for (int64_t keys : {64, 32, 16}) {
    ++report.considered;
    GpuChainTile tile{warps, warps * 16, keys, inner, columns};
    tile.run = run;
    tile.copyBytes = run * bytes;
    int64_t threads = warps * kPtxLanes;
    int64_t copies = llvm::divideCeil(keys * (inner + columns), run * threads);
    // Scores, result and the left factor's fragments; those of a step.
    int64_t need = 16 * (keys + columns) / kPtxLanes + inner / 4 + 8 +
                   copies * kCopyRegisters + kChainRegisters;
    int64_t stage = keys * (inner + columns) * bytes;
    tile.stages = std::min(shared.getCapacity() / stage, kMostStages);
    if (need > limit || need * 4 * threads > file || tile.stages < 2)
      continue;
    tile.resident = std::max<int64_t>(
        1, std::min(file / (need * 4 * threads),
                    shared.getCapacity() / (tile.stages * stage)));
    return tile;
  }
  return std::nullopt;
}

SmallVector<GpuChainTile> TileGrower::run() {
  auto drop = [&](const Twine &why) {
    report.pruned.push_back(why.str());
    return SmallVector<GpuChainTile>();
  };
  shared = hw.getLevel("smem");
  registers = hw.getLevel("register");
  warp = hw.getLevel("warp");
  if (!hw.getLevel("l2") || !hw.getLevel("block") || !shared || !registers ||
      !warp)
    return drop("target " + hw.getIsa() +
                " does not describe l2, block, smem, warp and register");
  linalg::LinalgOp scores = chain.scores.op, product = chain.product.op;
  if (!getInstruction(chain.scores, hw) || !getInstruction(chain.product, hw))
    return drop("no matrix instruction of 16 x 8 x 16 for both products");
  bytes = elementBytes(scores->getOperand(chain.scores.columns));
  int64_t inner = scores.getStaticLoopRanges()[chain.scores.k];
  int64_t columns = product.getStaticLoopRanges()[chain.product.n];
  if (!ShapedType::isDynamic(inner) && inner > kLargestInner)
    return drop("the reduction of the scores is longer than " +
                Twine(kLargestInner));
  SmallVector<std::pair<int64_t, int64_t>> rooms;
  for (int64_t usual : kUsualInner) {
    std::pair<int64_t, int64_t> room = {
        ShapedType::isDynamic(inner) ? usual : getRoom(inner),
        std::min(ShapedType::isDynamic(columns) ? usual : getRoom(columns),
                 kLargestColumns)};
    if (!llvm::is_contained(rooms, room))
      rooms.push_back(room);
  }
  SmallVector<GpuChainTile> tiles;
  auto add = [&](std::optional<GpuChainTile> tile) {
    if (tile && llvm::none_of(tiles, [&](const GpuChainTile &other) {
          return other.name() == tile->name();
        }))
      tiles.push_back(*tile);
  };
  // Each partition of a multiprocessor has two warps, one, or, for few rows, as
  // few as can share the copies.
  for (auto [inner, columns] : rooms) {
    for (int64_t warps : {2 * warp.getUnits(), warp.getUnits()})
      add(grow(warps, inner, columns, kCopyBytes / bytes));
    std::optional<GpuChainTile> low;
    for (int64_t warps = 1; !low && warps < warp.getUnits(); warps *= 2)
      low = grow(warps, inner, columns, kCopyBytes / bytes);
    add(low);
  }
  // With less alignment copies are many: all threads share them, and blocks
  // the columns of the result where that is not enough.
  for (int64_t copy = kCopyBytes / 2; copy >= bytes; copy /= 2)
    for (auto [inner, columns] : rooms) {
      if (copy > bytes && copy < kLeastCopyBytes)
        continue;
      std::optional<GpuChainTile> narrow;
      for (int64_t some = columns; !narrow && some >= 16; some /= 2)
        narrow = grow(2 * warp.getUnits(), inner, some, copy / bytes);
      add(narrow);
    }
  if (tiles.empty())
    return drop("registers and shared memory hold no tile of the chain");
  return tiles;
}

SmallVector<GpuChainTile> vortex::growChainTiles(const RunningChain &chain,
                                                 HwAttr hw,
                                                 CandidateReport &report) {
  return TileGrower(chain, hw, report).run();
}

static Size countBlocks(SizeArith &arith, const GpuChainTile &tile,
                        const GpuChainSizes &sizes) {
  return sizes.batch * ceilDiv(sizes.m, arith.size(tile.rows)) *
         ceilDiv(sizes.n, arith.size(tile.columns));
}

Flag vortex::emitChainGuard(SizeArith &arith, const GpuChainTile &tile,
                            const GpuChainSizes &sizes) {
  // Of no columns at all the parts add up nothing; a row would be divided by
  // that here.
  Flag holds = arith.size(0) < sizes.keys;
  holds = holds & (arith.size(0) < sizes.inner);
  holds = holds & (sizes.inner <= arith.size(tile.inner));
  for (Size extent : {sizes.m, sizes.n, sizes.keys})
    holds = holds & (extent < arith.size(kLargestTiledExtent));
  return holds & (countBlocks(arith, tile, sizes) <= arith.size(kLargestGrid));
}

Real vortex::emitChainTime(SizeArith &arith, HwAttr hw,
                           const RunningChain &chain, const GpuChainTile &tile,
                           const GpuChainSizes &sizes) {
  auto param = [&](StringRef name) { return arith.param(hw, name); };
  linalg::LinalgOp scores = chain.scores.op, product = chain.product.op;
  int64_t bytes = elementBytes(scores->getOperand(chain.scores.columns));
  Size blocks = countBlocks(arith, tile, sizes);
  Size units = atLeast(arith.toSize(param("block.units")), 1);
  Real waves = arith.real(ceilDiv(blocks, units * tile.resident));
  Real together =
      arith.real(atMost(atLeast(ceilDiv(blocks, units), 1), tile.resident));

  double area = double(tile.rows) * tile.keys;
  double moved = double(tile.keys) * (tile.inner + tile.columns) * bytes;
  Real rate =
      arith.param(hw, getInstruction(chain.scores, hw).getKey() + ".rate", 1.0);
  Real core = arith.real(2.0 * area * (tile.inner + tile.columns)) / rate;
  Real scalar = arith.real(2.0 * area * kInstructionsOfScore) /
                arith.param(hw, "simt.f32.rate", 100.0);
  Real fromShared =
      arith.real(double(tile.warps) * moved) / param("smem.bandwidth");
  Real fromL2 = arith.real(moved) / param("l2.stream");
  Real slowest = max(max(core, scalar), max(fromShared, fromL2));
  Real share = arith.real(kUnhidden);
  if (tile.resident > 1)
    share = arith.select(blocks > units, arith.real(kUnhiddenShared), share);
  Real step =
      (slowest + (core + scalar + fromShared + fromL2 - slowest) * share) *
      together * kSteps;
  Real trip = param("device.latency"), near = param("smem.latency");
  step = max(max(step, near * kLeastTrips),
             trip / arith.real(double(tile.stages - 1)));
  if (tile.copyBytes < kCopyBytes) {
    double copies = double(tile.keys * (tile.inner + tile.columns)) / tile.run;
    step = step + copyTime(arith, hw, copies, tile.run) * together;
  }
  int64_t resultBytes = elementBytes(product->getResult(0));
  Real drain = arith.real(double(tile.rows * tile.columns * resultBytes)) /
               param("l2.stream") * together;
  Size steps = ceilDiv(sizes.keys, arith.size(tile.keys));
  Real fill = trip * kTrips + near * (kTripsOfLeft * double(tile.inner));
  Real busy = waves * (arith.real(steps) * step + fill + drain);

  // What the whole moves, whichever block waits for it.
  Real batch = arith.real(sizes.batch);
  Real memory =
      (arith.real(sizes.keys * (sizes.inner + sizes.n)) * double(bytes) +
       arith.real(sizes.m * sizes.inner) * double(bytes) +
       arith.real(sizes.m * sizes.n) * double(resultBytes)) *
      batch / param("device.bandwidth");
  Real l2 = arith.real(blocks * steps) * moved / param("l2.bandwidth");
  Real longest = max(busy, max(memory, l2));
  return longest + (busy + memory + l2 - longest) * kUnhiddenOfWhole +
         param("block.startup");
}

Real vortex::emitPartsTime(SizeArith &arith, HwAttr hw,
                           const RunningChain &chain,
                           const GpuChainSizes &sizes) {
  auto param = [&](StringRef name) { return arith.param(hw, name); };
  linalg::LinalgOp scores = chain.scores.op, product = chain.product.op;
  int64_t bytes = elementBytes(scores->getOperand(chain.scores.columns));
  int64_t scoreBytes = elementBytes(scores->getResult(0));
  int64_t weightBytes = elementBytes(product->getOperand(chain.product.rows));
  Real batch = arith.real(sizes.batch);
  Real points = arith.real(sizes.m * sizes.keys) * batch;
  Real units = max(param("block.units"), arith.real(1.0));
  Real rate =
      arith.param(hw, getInstruction(chain.scores, hw).getKey() + ".rate",
                  1.0) *
      units;
  Real products = points * 2.0 * arith.real(sizes.inner + sizes.n) / rate;
  // Where L2 holds the scores they come from there.
  Real held = points * double(scoreBytes + weightBytes);
  Flag near = held * 2.0 <= param("l2.capacity");
  Real bandwidth =
      arith.select(near, param("l2.bandwidth"), param("device.bandwidth"));
  Real walked = points * (scoreBytes * (1.0 + kWalks) + 2.0 * weightBytes);
  int64_t resultBytes = elementBytes(product->getResult(0));
  Real memory = (arith.real(sizes.keys * (sizes.inner + sizes.n) +
                            sizes.m * sizes.inner) *
                     double(bytes) +
                 arith.real(sizes.m * sizes.n) * double(resultBytes)) *
                batch / param("device.bandwidth");
  // Three kernels, each of which waits for its first and last elements.
  return max(products, memory) + walked / bandwidth +
         (param("block.startup") + param("device.latency") * 2.0) * 3.0;
}
