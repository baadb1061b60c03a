//===- EmitSharedPixels.cpp - Pixels that rows of a tile read together ----===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reductions of a tile whose rows are vectors of an image under a window:
// depthwise convolutions and pooling. A pixel that one row reads at a step is
// what the row beside it reads at the next, so several steps of the innermost
// reduction are done at once and each of their pixels is read once: 3 x 3 steps
// of nine rows read eleven pixels for each three steps instead of 27. Each row
// takes its terms in the order of the steps, as it would one by one.
//
//===----------------------------------------------------------------------===//

#include "TileCase.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <map>

using namespace mlir;
using namespace vortex;

/// The input of `op` that its rows read at pixels they share, and how far apart
/// rows and steps of `reduction` are; none when the tile has no such one.
std::optional<SharedPixels>
TileCase::findSharedPixels(linalg::LinalgOp op, ArrayRef<TileOperand> memory,
                           ArrayRef<TileValue> tiles, unsigned reduction) {
  std::optional<unsigned> row = rowLoop(op);
  unsigned column = columnLoop(op);
  if (!row || spec.getUnroll() == 1)
    return std::nullopt;
  std::optional<SharedPixels> found;
  int64_t columnVectors = 0;
  for (unsigned i = 0; i < unsigned(op.getNumDpsInputs()); ++i) {
    const TileOperand &operand = memory[i];
    if (!tiles[i].empty())
      return std::nullopt;
    if (!operand.source)
      continue;
    if (!operand.map.isFunctionOfDim(*row)) {
      columnVectors += operand.map.isFunctionOfDim(column);
      continue;
    }
    if (found || operand.base || !isContiguous(operand.map, column))
      return std::nullopt;
    unsigned dims = operand.map.getNumDims();
    for (AffineExpr expr : operand.map.getResults())
      if (expr.isFunctionOfDim(*row)) {
        int64_t stride = getCoefficient(expr, *row, dims),
                dilation = getCoefficient(expr, reduction, dims);
        if (found || stride < 1 || dilation < 1)
          return std::nullopt;
        found = SharedPixels{i, stride, dilation, spec.getUnroll()};
      }
  }
  // What all rows share stays in registers beside the sums and a pixel.
  while (found && found->steps > 1 &&
         !hasRegisters((rows + found->steps * columnVectors + 2) * vectors))
    --found->steps;
  return found;
}

/// Adds `pixels.steps` steps of `reduction` from `loops` on to `sums`;
/// `image.rows` are its parts at each distance from the first row's pixel.
TileValue TileCase::addSharedPixels(linalg::LinalgOp op,
                                    ArrayRef<TileOperand> memory,
                                    const SharedPixels &pixels,
                                    ArrayRef<int64_t> distances,
                                    unsigned reduction,
                                    SmallVector<Value> loops, TileValue sums) {
  unsigned column = columnLoop(op), row = *rowLoop(op);
  unsigned numInputs = op.getNumDpsInputs();
  Block &body = op->getRegion(0).front();
  Value start = loops[reduction];
  auto enter = [&](int64_t r, int64_t step) {
    loops[row] = rowAt(r);
    loops[reduction] =
        step ? arith::AddIOp::create(b, loc, start, constant(step)).getResult()
             : start;
  };
  // What all rows share, by step, input and vector.
  DenseMap<std::pair<int64_t, std::pair<unsigned, int64_t>>, Value> shared;
  for (int64_t step = 0; step < pixels.steps; ++step) {
    enter(0, step);
    for (unsigned i = 0; i < numInputs; ++i)
      for (int64_t v = 0; i != pixels.input && memory[i].source && v < vectors;
           ++v) {
        loops[column] = firstColumn(v);
        shared[{step, {i, v}}] =
            memory[i].map.isFunctionOfDim(column)
                ? readVector(memory[i], loops, column, masks[v], columnsLeft(v))
                : splat(readScalar(memory[i], loops));
      }
  }
  auto readPixel = [&](size_t part, int64_t v, Value inside) {
    TileOperand pixel = getRowPart(memory[pixels.input], part);
    loops[column] = firstColumn(v);
    Value mask = masks[v];
    if (inside)
      mask = mask ? arith::AndIOp::create(b, loc, mask, inside) : inside;
    return readVector(pixel, loops, column, mask, columnsLeft(v), pixel.pad);
  };
  // Rows and steps by the pixel that they read.
  std::map<int64_t, SmallVector<std::pair<int64_t, int64_t>>> readers;
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t step = 0; step < pixels.steps; ++step)
      readers[r * pixels.stride + step * pixels.dilation].push_back({r, step});
  for (auto &[distance, reading] : readers) {
    // As the first of them names it.
    enter(reading.front().first, reading.front().second);
    Value inside;
    if (const TileOperand &image = memory[pixels.input]; image.limit) {
      Value at = arith::AddIOp::create(b, loc, evaluate(image.checked, loops),
                                       image.checkedShift);
      inside = vector::BroadcastOp::create(
          b, loc, VectorType::get({lanes}, b.getI1Type()),
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, at,
                                image.limit));
    }
    loops[reduction] = start;
    size_t part = llvm::lower_bound(distances, distance) - distances.begin();
    for (int64_t v = 0; v < vectors; ++v) {
      Value pixel = readPixel(part, v, inside);
      for (auto [r, step] : reading) {
        IRMapping map;
        for (unsigned i = 0; i < numInputs; ++i)
          if (Value value =
                  i == pixels.input ? pixel : shared.lookup({step, {i, v}}))
            map.map(body.getArgument(i), value);
        map.map(body.getArguments().back(), sums[r][v]);
        for (Operation &inner : body.without_terminator())
          clonePayload(inner, map);
        Value yielded = body.getTerminator()->getOperand(0);
        Value result = map.lookupOrNull(yielded);
        sums[r][v] = result ? result : splat(yielded);
      }
    }
  }
  return sums;
}

/// The nest of `reductions`, the innermost of which is several steps at once.
TileValue TileCase::reduceSharedPixels(
    linalg::LinalgOp op, ArrayRef<TileOperand> memory,
    const SharedPixels &pixels, ArrayRef<int64_t> distances,
    ArrayRef<unsigned> reductions, ArrayRef<OpFoldResult> starts,
    ArrayRef<OpFoldResult> sizes, unsigned depth, SmallVector<Value> loops,
    const TileValue &sums) {
  unsigned reduction = reductions[depth];
  bool innermost = depth + 1 == reductions.size();
  auto loop = [&](Value from, Value to, int64_t step, const TileValue &in) {
    auto forOp =
        scf::ForOp::create(b, loc, from, to, constant(step), flatten(in));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(forOp.getBody());
    loops[reduction] = forOp.getInductionVar();
    TileValue at = unflatten(forOp.getRegionIterArgs(), rows, vectors);
    SharedPixels some = pixels;
    some.steps = step;
    TileValue out =
        innermost
            ? addSharedPixels(op, memory, some, distances, reduction, loops, at)
            : reduceSharedPixels(op, memory, pixels, distances, reductions,
                                 starts, sizes, depth + 1, loops, at);
    scf::YieldOp::create(b, loc, flatten(out));
    if (depth == 0 && !innermost)
      forOp->setAttr(kPrefetchResultAttr, b.getUnitAttr());
    return unflatten(forOp.getResults(), rows, vectors);
  };
  Value from = getValueOrCreateConstantIndexOp(b, loc, starts[reduction]),
        size = getValueOrCreateConstantIndexOp(b, loc, sizes[reduction]);
  if (!innermost || pixels.steps == 1)
    return loop(from, size, 1, sums);
  std::optional<int64_t> known = getConstantIntValue(sizes[reduction]);
  if (known && *known % pixels.steps == 0)
    return loop(from, size, pixels.steps, sums);
  Value rest = arith::RemUIOp::create(b, loc, size, constant(pixels.steps));
  Value whole = arith::SubIOp::create(b, loc, size, rest);
  TileValue most = loop(from, whole, pixels.steps, sums);
  return loop(whole, size, 1, most);
}

TileValue TileCase::reduceSharedPixels(
    linalg::LinalgOp op, SmallVector<TileOperand> memory,
    const SharedPixels &pixels, ArrayRef<unsigned> reductions,
    ArrayRef<OpFoldResult> starts, ArrayRef<OpFoldResult> sizes,
    const SmallVector<Value> &loops, const TileValue &sums) {
  SmallVector<int64_t> distances;
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t step = 0; step < pixels.steps; ++step)
      distances.push_back(r * pixels.stride + step * pixels.dilation);
  llvm::sort(distances);
  distances.erase(llvm::unique(distances), distances.end());
  splitRows(op, memory, distances);
  return reduceSharedPixels(op, memory, pixels, distances, reductions, starts,
                            sizes, 0, loops, sums);
}
