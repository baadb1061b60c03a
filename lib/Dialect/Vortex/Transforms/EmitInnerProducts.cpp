//===- EmitInnerProducts.cpp - Rows times columns, reduction in lanes -----===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where both factors of a contraction are contiguous along the reduction (one
// of them is transposed) and few rows do not pay for packing, or where there
// are fewer columns than lanes, `lanes` steps are done at once. Each element of
// the tile has a vector of partial results; behind the reduction the vectors of
// rows are joined pairwise, halves with halves, until one vector holds the
// results of as many rows as it has lanes for. From there on the tile is one of
// rows in registers and columns in lanes like any other. While a
// group of rows is computed it touches some of the next columns: the first
// group would otherwise wait for all of them.
//
//===----------------------------------------------------------------------===//

#include "MicroKernelEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace vortex;

/// Columns of tiles that touch the lines that come, where vectors lie across
/// them.
static constexpr int64_t kMostTouching = 4;

namespace {
struct InnerProducts {
  TileEmitter &emitter;
  InnerProductTile tile;
  OpBuilder &b = emitter.b;
  Location loc = emitter.loc;
  int64_t lanes = emitter.lanes;
  SmallVector<Value> columnIndices = {};
  /// What is touched early: an operand of columns in memory, and which of the
  /// next ones.
  SmallVector<std::pair<unsigned, Value>> touched = {};
  SmallVector<Value> touchedColumns = {};

  Value combine(Value x, Value y) {
    IRMapping map;
    map.map(tile.combiner->getOperand(0), x);
    map.map(tile.combiner->getOperand(1), y);
    emitter.clonePayload(*tile.combiner, map);
    return map.lookup(tile.combiner->getResult(0));
  }
  /// A vector that adds nothing.
  Value createNeutral() {
    return emitter.splat(arith::ConstantOp::create(
        b, loc, *arith::getNeutralElement(tile.combiner)));
  }
  Value shuffle(Value x, Value y, ArrayRef<int64_t> lanesTaken) {
    return vector::ShuffleOp::create(b, loc, x, y, lanesTaken);
  }

  void findTouched();
  void touchNextColumns(SmallVector<Value> loops);
  SmallVector<Value> step(SmallVector<Value> loops, Value mask, Value valid,
                          ValueRange sums);
  SmallVector<Value> emitLoops(unsigned depth, SmallVector<Value> loops,
                               SmallVector<Value> sums);
  SmallVector<Value> joinRows(ArrayRef<Value> sums);
  SmallVector<Value> emit();
};
} // namespace

/// Operands whose columns are rows of memory, and the columns behind those of
/// the tile that this group of rows touches.
void InnerProducts::findTouched() {
  if (!tile.prefetch || !tile.group)
    return;
  for (auto [i, operand] : llvm::enumerate(tile.memory)) {
    auto type = operand.source
                    ? dyn_cast<RankedTensorType>(operand.source.getType())
                    : RankedTensorType();
    if (!type || operand.base || !operand.map.isFunctionOfDim(tile.column) ||
        !TileEmitter::isContiguous(operand.map, tile.lane))
      continue;
    SmallVector<int64_t> strides(type.getRank(), ShapedType::kDynamic);
    strides.back() = 1; // as kernels are called
    auto layout =
        StridedLayoutAttr::get(b.getContext(), ShapedType::kDynamic, strides);
    touched.push_back(
        {i, bufferization::ToBufferOp::create(
                b, loc,
                MemRefType::get(type.getShape(), type.getElementType(), layout),
                operand.source, /*read_only=*/true)});
  }
  // Groups of rows touch some columns each, in turns.
  Value columns = emitter.constant(tile.columns);
  Value first = arith::RemUIOp::create(
      b, loc,
      arith::MulIOp::create(b, loc, tile.group,
                            emitter.constant(tile.prefetch)),
      columns);
  for (int64_t i = 0; i < tile.prefetch; ++i)
    touchedColumns.push_back(arith::AddIOp::create(
        b, loc, first, emitter.constant(tile.columns + i)));
}

/// Behind the last column that is something else, or nothing: prefetches do not
/// fault.
void InnerProducts::touchNextColumns(SmallVector<Value> loops) {
  if (tile.row)
    loops[*tile.row] = emitter.constant(0);
  for (auto [i, memory] : touched)
    for (Value column : touchedColumns) {
      loops[tile.column] = column;
      memref::PrefetchOp::create(b, loc, memory,
                                 emitter.indices(tile.memory[i], loops),
                                 /*isWrite=*/false, /*localityHint=*/2,
                                 /*isDataCache=*/true);
    }
}

/// `lanes` steps for each element of the tile; `sums` are row-major.
SmallVector<Value> InnerProducts::step(SmallVector<Value> loops, Value mask,
                                       Value valid, ValueRange sums) {
  Block &body = tile.op->getRegion(0).front();
  unsigned numInputs = tile.op.getNumDpsInputs();
  DenseMap<std::tuple<unsigned, int64_t, int64_t>, Value> read;
  auto operandAt = [&](unsigned i, int64_t r, int64_t c) {
    const TileOperand &operand = tile.memory[i];
    bool walksRow = tile.row && operand.map.isFunctionOfDim(*tile.row);
    bool walksColumn = operand.map.isFunctionOfDim(tile.column);
    Value &value = read[{i, walksRow ? r : 0, walksColumn ? c : 0}];
    if (value)
      return value;
    SmallVector<Value> at(loops);
    if (tile.row)
      at[*tile.row] = emitter.constant(walksRow ? r : 0);
    at[tile.column] = columnIndices[walksColumn ? c : 0];
    if (operand.map.isFunctionOfDim(tile.lane))
      value = emitter.readVector(operand, at, tile.lane, mask, valid);
    else
      value = emitter.splat(emitter.readScalar(operand, at));
    return value;
  };
  // Column by column: a vector of B is done with before the next is read.
  SmallVector<Value> results(sums);
  for (int64_t c = 0; c < tile.columns; ++c)
    for (int64_t r = 0; r < tile.rows; ++r) {
      Value &sum = results[r * tile.columns + c];
      IRMapping map;
      map.map(body.getArgument(numInputs), sum);
      for (unsigned i = 0; i < numInputs; ++i)
        if (!body.getArgument(i).use_empty())
          map.map(body.getArgument(i), operandAt(i, r, c));
      for (Operation &inner : body.without_terminator())
        emitter.clonePayload(inner, map);
      Value next = map.lookup(body.getTerminator()->getOperand(0));
      sum = mask ? arith::SelectOp::create(b, loc, mask, next, sum).getResult()
                 : next;
    }
  return results;
}

/// A nest over all reductions; the one in lanes is innermost.
SmallVector<Value> InnerProducts::emitLoops(unsigned depth,
                                            SmallVector<Value> loops,
                                            SmallVector<Value> sums) {
  auto loop = [&](Value from, Value to, Value by, ValueRange in,
                  function_ref<SmallVector<Value>(Value, ValueRange)> inside) {
    auto forOp = scf::ForOp::create(b, loc, from, to, by, in);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(forOp.getBody());
    scf::YieldOp::create(
        b, loc, inside(forOp.getInductionVar(), forOp.getRegionIterArgs()));
    return forOp;
  };
  Value zero = emitter.constant(0);
  if (depth < tile.outer.size()) {
    return loop(zero, tile.outer[depth].second, emitter.constant(1), sums,
                [&](Value iv, ValueRange in) {
                  loops[tile.outer[depth].first] = iv;
                  return emitLoops(depth + 1, loops,
                                   llvm::to_vector_of<Value>(in));
                })
        .getResults();
  }
  Value stride = emitter.constant(lanes);
  Value rest = arith::RemUIOp::create(b, loc, tile.extent, stride);
  Value whole = arith::SubIOp::create(b, loc, tile.extent, rest);
  auto steps = [&](Value from, Value to, int64_t partials, ValueRange in) {
    scf::ForOp done = loop(
        from, to, emitter.constant(partials * lanes), in,
        [&](Value iv, ValueRange sums) {
          SmallVector<Value> results;
          for (int64_t p = 0; p < partials; ++p) {
            loops[tile.lane] = p ? arith::AddIOp::create(
                                       b, loc, iv, emitter.constant(p * lanes))
                                       .getResult()
                                 : iv;
            touchNextColumns(loops);
            size_t count = sums.size() / partials;
            llvm::append_range(results, step(loops, Value(), Value(),
                                             sums.slice(p * count, count)));
          }
          return results;
        });
    // Among the streams of more columns nothing is gained (3 x 8: 1.02 of the
    // time).
    if (tile.columns <= kMostTouching)
      done->setAttr(kPrefetchInPlaceAttr, b.getUnitAttr());
    return done;
  };
  // Sums of few elements wait for the step before: each step of several adds to
  // sums of its own.
  Value from = zero;
  if (tile.partials > 1) {
    size_t count = sums.size();
    Value each = emitter.constant(tile.partials * lanes);
    from = arith::SubIOp::create(b, loc, whole,
                                 arith::RemUIOp::create(b, loc, whole, each));
    SmallVector<Value> in(sums);
    in.append((tile.partials - 1) * count, createNeutral());
    SmallVector<Value> out(steps(zero, from, tile.partials, in).getResults());
    for (; out.size() > count; out.truncate(out.size() / 2))
      for (size_t i = 0, half = out.size() / 2; i < half; ++i)
        out[i] = combine(out[i], out[half + i]);
    sums = out;
  }
  scf::ForOp main = steps(from, whole, 1, sums);
  // At most one more, of the lanes that are left.
  scf::ForOp tail = loop(whole, tile.extent, stride, main.getResults(),
                         [&](Value iv, ValueRange in) {
                           loops[tile.lane] = iv;
                           auto type = VectorType::get({lanes}, b.getI1Type());
                           Value mask = vector::CreateMaskOp::create(
                               b, loc, type, ValueRange{rest});
                           return step(loops, mask, rest, in);
                         });
  return tail.getResults();
}

/// The results of rows of vectors that one vector holds, column c of each in
/// lane c.
SmallVector<Value> InnerProducts::joinRows(ArrayRef<Value> sums) {
  SmallVector<Value> vectors(sums);
  // Each vector holds `lanes / group` results of `group` lanes.
  int64_t group = lanes;
  while (vectors.size() > 1) {
    // One that is left over is beside itself.
    if (vectors.size() % 2)
      vectors.push_back(vectors.back());
    SmallVector<int64_t> low, high;
    for (int64_t first = 0; first < 2 * lanes; first += group)
      for (int64_t i = 0; i < group / 2; ++i) {
        low.push_back(first + i);
        high.push_back(first + group / 2 + i);
      }
    SmallVector<Value> joined;
    for (size_t i = 0; i < vectors.size(); i += 2)
      joined.push_back(combine(shuffle(vectors[i], vectors[i + 1], low),
                               shuffle(vectors[i], vectors[i + 1], high)));
    vectors = joined;
    group /= 2;
  }
  Value all = vectors.front();
  int64_t width = group;
  for (; group > 1; group /= 2) {
    SmallVector<int64_t> other;
    for (int64_t i = 0; i < lanes; ++i)
      other.push_back(i / width * width + (i + group / 2) % width);
    all = combine(all, shuffle(all, all, other));
  }
  SmallVector<Value> rows;
  for (int64_t first = 0, count = sums.size(); first < count;
       first += tile.columns) {
    SmallVector<int64_t> firsts;
    for (int64_t i = 0; i < lanes; ++i)
      firsts.push_back((first + (i < tile.columns ? i : 0)) * width);
    rows.push_back(shuffle(all, all, firsts));
  }
  return rows;
}

SmallVector<Value> InnerProducts::emit() {
  // Columns past the last one are the last one again: their results are not
  // stored.
  Value last;
  if (tile.columnsLeft)
    last = arith::SubIOp::create(b, loc, tile.columnsLeft, emitter.constant(1));
  for (int64_t c = 0; c < tile.columns; ++c)
    columnIndices.push_back(
        c && last ? arith::MinUIOp::create(b, loc, emitter.constant(c), last)
                        .getResult()
                  : emitter.constant(c));
  findTouched();
  SmallVector<Value> sums(tile.rows * tile.columns, createNeutral());
  SmallVector<Value> loops(tile.op.getNumLoops(), emitter.constant(0));
  sums = emitLoops(0, loops, sums);
  SmallVector<Value> rows;
  int64_t together = lanes / tile.columns;
  for (int64_t r = 0; r < tile.rows; r += together)
    llvm::append_range(rows,
                       joinRows(ArrayRef<Value>(sums).slice(
                           r * tile.columns,
                           std::min(together, tile.rows - r) * tile.columns)));
  return rows;
}

SmallVector<Value> vortex::emitInnerProducts(TileEmitter &emitter,
                                             const InnerProductTile &tile) {
  return InnerProducts{emitter, tile}.emit();
}
