//===- ChainCost.cpp - Tiles of a chain, and what it moves ----------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile has as many rows as fill half of L2 with what the kernels hand to each
// other, 64 at least, at most a fourth of a thread's, and not fewer than a
// register tile is tall. The costs differ in what is moved: fused, values
// between kernels stay in L2, but what the rows of a contraction share is read
// for each tile; in parts, values go to where all of them rest, and each part
// wakes the threads.
//
//===----------------------------------------------------------------------===//

#include "Chain.h"

#include "CpuBandwidth.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"

using namespace mlir;
using namespace vortex;

/// Rows of a tile that fill a register tile.
static constexpr int64_t kLeastRows = 16;
/// Rows below which reading columns again costs more than what is gained by
/// rows in L2 (measured on attention of 2048 to 8192 keys).
static constexpr int64_t kRowsOfColumns = 64;
/// Tasks of a thread, so that none waits long for the others (estimate).
static constexpr int64_t kTasks = 4;

namespace {
class ChainPricer {
public:
  ChainPricer(OpBuilder &b, const Chain &chain, HwAttr hw)
      : b(b), loc(chain.getLast().getLoc()), arith(b, loc), chain(chain),
        hw(hw) {}
  ChainSizes emit();

private:
  Size size(OpFoldResult value) {
    return arith.size(getValueOrCreateConstantIndexOp(b, loc, value));
  }
  Real param(StringRef name, double otherwise = 0) {
    return arith.param(hw, name, otherwise);
  }
  Size extentOf(linalg::LinalgOp op, unsigned loop);
  Size elementsOfRow(OpResult value);
  Size liveBytes();
  void pickTiles(ChainSizes &sizes, Size threads, Size total);

  OpBuilder &b;
  Location loc;
  SizeArith arith;
  const Chain &chain;
  HwAttr hw;
  SmallVector<Size> rows; ///< extents
};
} // namespace

static int64_t bytesOf(Value value) {
  Type element = getElementTypeOrSelf(value.getType());
  return element.isIndex() ? 8
                           : std::max(8u, element.getIntOrFloatBitWidth()) / 8;
}

/// The extent of a loop, from the first operand that it walks by itself.
Size ChainPricer::extentOf(linalg::LinalgOp op, unsigned loop) {
  for (OpOperand &operand : op->getOpOperands())
    if (isa<RankedTensorType>(operand.get().getType()))
      if (auto dim = op.getMatchingIndexingMap(&operand).getResultPosition(
              getAffineDimExpr(loop, op.getContext())))
        return size(getChainSize(b, loc, operand.get(), *dim));
  return arith.size(1);
}

/// Elements of `value` that belong to one row.
Size ChainPricer::elementsOfRow(OpResult value) {
  auto op = cast<linalg::LinalgOp>(value.getOwner());
  Size count = arith.size(1);
  for (auto [dim, expr] :
       llvm::enumerate(op.getIndexingMapMatchingResult(value).getResults())) {
    auto loop = dyn_cast<AffineDimExpr>(expr);
    if (!loop || chain.getRow(op, loop.getPosition()) < 0)
      count = count * size(getChainSize(b, loc, value, dim));
  }
  return count;
}

/// Bytes of a row that lie between kernels at once, at the most.
Size ChainPricer::liveBytes() {
  Size most = arith.size(1);
  SmallVector<Size> bytes;
  for (const ChainEdge &edge : chain.edges)
    bytes.push_back(elementsOfRow(edge.value) * bytesOf(edge.value));
  for (unsigned group = 0; group < chain.groups.size(); ++group) {
    Size live = arith.size(0);
    for (auto [edge, size] : llvm::zip(chain.edges, bytes))
      if (edge.from <= group && group <= edge.until)
        live = live + size;
    most = max(most, live);
  }
  return most;
}

/// Divisors are seen to be at least one, so that the sizes can be computed
/// where the chain itself does not run.
void ChainPricer::pickTiles(ChainSizes &sizes, Size threads, Size total) {
  int64_t budget = hw.getLevel("l2").getCapacity() / 2;
  Size per =
      atLeast(arith.size(budget) / atLeast(liveBytes(), 1), kRowsOfColumns);
  Size share = atLeast(ceilDiv(total, atLeast(threads * kTasks, 1)), 1);
  per = arith.select(arith.size(1) < threads, min(per, share), per);
  // From the innermost row outwards: the next is cut where this one is whole.
  Size least = arith.size(kLeastRows);
  for (unsigned row = chain.getNumRows(); row-- > 0;) {
    Size tile = arith.size(1);
    if (!chain.unitRows[row]) {
      Size extent = atLeast(rows[row], 1);
      tile = min(extent, max(per, least));
      tile = ceilDiv(extent, atLeast(ceilDiv(extent, atLeast(tile, 1)), 1));
      per =
          arith.select(tile < extent, arith.size(1), atLeast(per / extent, 1));
      least = arith.size(1);
    }
    sizes.tiles[row] = tile.value;
  }
}

ChainSizes ChainPricer::emit() {
  ChainSizes sizes;
  sizes.tiles.resize(chain.getNumRows());
  linalg::LinalgOp last = chain.getLast();
  AffineMap out = last.getIndexingMapsArray().back();
  Size total = arith.size(1);
  for (int64_t loop : chain.rowLoops.back().second) {
    unsigned dim =
        *out.getResultPosition(getAffineDimExpr(loop, b.getContext()));
    sizes.extents.push_back(getChainSize(b, loc, last->getResult(0), dim));
    rows.push_back(size(sizes.extents.back()));
    total = total * rows.back();
  }
  // Arithmetic, and what each contraction reads as columns.
  Real operations = arith.real(0.0);
  struct Columns {
    linalg::LinalgOp op;
    unsigned operand;
  };
  SmallVector<Columns> columns;
  for (const auto &entry : chain.rowLoops) {
    auto op = cast<linalg::LinalgOp>(entry.first);
    std::optional<ContractionRoles> roles = getContractionRoles(op);
    if (!roles)
      continue;
    Size all = arith.size(2);
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
      all = all * extentOf(op, loop);
    operations = operations + arith.real(all);
    columns.push_back({op, roles->b});
  }
  std::string rate = "fma.f32.rate";
  Flag small = operations < param(rate, 10.0) * param("core.startup") * 8.0;
  Size threads =
      arith.select(small, arith.size(1), arith.toSize(param("threads", 1.0)));
  pickTiles(sizes, threads, total);

  Real each = arith.real(threads);
  Real core = operations / param(rate, 10.0) / each;
  Real moved = arith.real(0.0);
  for (const ChainEdge &edge : chain.edges)
    // What is read behind the chain is written either way.
    moved = moved + arith.real(elementsOfRow(edge.value) * total) *
                        double(bytesOf(edge.value) * (edge.isResult ? 1 : 2));
  Real groups = arith.real(double(chain.groups.size()));
  Real wake = arith.select(arith.size(1) < threads, param("core.startup"),
                           param("core.call"));
  Real parts =
      core + moved * byteTime(arith, hw, moved / each) / each + wake * groups;

  Size tasks = arith.size(1);
  for (auto [extent, tile] : llvm::zip(rows, sizes.tiles))
    tasks = tasks * ceilDiv(extent, atLeast(arith.size(tile), 1));
  Real again = arith.real(0.0);
  for (Columns column : columns) {
    AffineMap map = column.op.getIndexingMapsArray()[column.operand];
    Value value = column.op->getOperand(column.operand);
    Size ofTask = arith.size(1), whole = arith.size(1);
    for (unsigned loop = 0; loop < column.op.getNumLoops(); ++loop) {
      if (!map.isFunctionOfDim(loop))
        continue;
      Size extent = extentOf(column.op, loop);
      int64_t row = chain.getRow(column.op, loop);
      whole = whole * extent;
      ofTask = ofTask * (row < 0 ? extent : arith.size(sizes.tiles[row]));
    }
    Real bytes = arith.real(whole) * double(bytesOf(value));
    Real read = arith.real(tasks * ofTask) * double(bytesOf(value));
    // Laid out again, as where panels are packed.
    again = again + max(read - bytes, arith.real(0.0)) * 2.5 *
                        byteTime(arith, hw, bytes) / each;
  }
  // The thread that has most tasks is waited for.
  Real rounds = arith.real(ceilDiv(tasks, atLeast(threads, 1))) * each /
                max(arith.real(tasks), arith.real(1.0));
  Real fused = core * rounds + moved / param("l2.stream") / each + again +
               arith.real(tasks) * groups * param("core.call") * 0.4 / each +
               wake;
  sizes.partsCost = parts.value;
  sizes.fusedCost = fused.value;
  return sizes;
}

ChainSizes vortex::emitChainSizes(OpBuilder &b, const Chain &chain, HwAttr hw) {
  return ChainPricer(b, chain, hw).emit();
}
