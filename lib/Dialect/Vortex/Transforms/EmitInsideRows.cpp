//===- EmitInsideRows.cpp - Rows of a tile that a window has in the image -===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reductions of a tile whose rows are scalars of a padded image in place. For
// each step of the outer reductions the rows that lie in the image follow each
// other; they are bits of a number. The innermost loop takes several steps of
// one row after the other and leaves out those without a bit: a branch for each
// row that goes the same way in all of the loop, so that a pixel in the padding
// costs nothing and one code serves all tiles. Steps of the outer reductions
// that have all rows in the image have a loop of their own, without branches
// (0.85 of the time on a Xeon of model 207).
//
//===----------------------------------------------------------------------===//

#include "TileCase.h"

#include "vortex/Dialect/Vortex/Transforms/LoopUnroll.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace vortex;

/// The input of `op` whose rows are left out where they lie in the padding;
/// none when the tile has no such one.
std::optional<unsigned> TileCase::findInsideRows(linalg::LinalgOp op,
                                                 ArrayRef<TileOperand> memory) {
  for (int64_t i = 0; i < op.getNumDpsInputs(); ++i)
    if (memory[i].limit && !memory[i].map.isFunctionOfDim(columnLoop(op)))
      return i;
  return std::nullopt;
}

/// Whether rows of input `i` alone tell the rows of a tile apart, the others
/// being vectors that all rows share.
bool TileCase::canLeaveOutRows(linalg::LinalgOp op, unsigned i,
                               ArrayRef<TileValue> tiles) {
  std::optional<unsigned> row = rowLoop(op);
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (!row || !getCombiner(op))
    return false;
  for (int64_t other = 0; other < op.getNumDpsInputs(); ++other)
    if (unsigned(other) != i &&
        (maps[other].isFunctionOfDim(*row) || !tiles[other].empty() ||
         !isa<ShapedType>(op->getOperand(other).getType())))
      return false;
  return true;
}

/// A bit for each row whose pixel lies in the image, at a step of the outer
/// reductions.
Value TileCase::getInsideRows(linalg::LinalgOp op, const TileOperand &image,
                              SmallVector<Value> loops) {
  unsigned row = *rowLoop(op);
  loops[row] = constant(0);
  Value first = arith::AddIOp::create(b, loc, evaluate(image.checked, loops),
                                      image.checkedShift);
  Value stride =
      constant(getCoefficient(image.checked, row, image.map.getNumDims()));
  // Rows in front of position `end` of the image.
  auto rowsBefore = [&](Value end) -> Value {
    Value distance = arith::SubIOp::create(b, loc, end, first);
    distance = arith::MaxSIOp::create(b, loc, distance, constant(0));
    return arith::MinUIOp::create(
        b, loc, arith::CeilDivUIOp::create(b, loc, distance, stride),
        constant(rows));
  };
  Value one = arith::ConstantIntOp::create(b, loc, 1, 64);
  auto bits = [&](Value count) -> Value {
    Value shift = arith::IndexCastUIOp::create(b, loc, b.getI64Type(), count);
    return arith::SubIOp::create(
        b, loc, arith::ShLIOp::create(b, loc, one, shift), one);
  };
  return arith::XOrIOp::create(b, loc, bits(rowsBefore(image.limit)),
                               bits(rowsBefore(constant(0))));
}

/// What each row reads of the image at a step of the outer reductions, along
/// the innermost one: addresses that the branches need not compute.
SmallVector<TileOperand> TileCase::splitInsideRows(linalg::LinalgOp op,
                                                   const TileOperand &image,
                                                   unsigned reduction,
                                                   SmallVector<Value> loops) {
  unsigned dims = image.map.getNumDims();
  AffineExpr step = getAffineDimExpr(reduction, op.getContext());
  SmallVector<OpFoldResult> whole = tensor::getMixedSizes(b, loc, image.source);
  SmallVector<OpFoldResult> ones(whole.size(), b.getIndexAttr(1));
  loops[reduction] = constant(0);
  SmallVector<TileOperand> parts;
  for (int64_t r = 0; r < rows; ++r) {
    loops[*rowLoop(op)] = rowAt(r);
    SmallVector<OpFoldResult> offsets(ones), sizes(ones);
    SmallVector<AffineExpr> exprs;
    for (auto [dim, at] : llvm::enumerate(indices(image, loops))) {
      AffineExpr expr = image.map.getResult(dim);
      offsets[dim] = at;
      exprs.push_back(step * getCoefficient(expr, reduction, dims));
      if (expr.isFunctionOfDim(reduction))
        sizes[dim] =
            arith::SubIOp::create(
                b, loc, getValueOrCreateConstantIndexOp(b, loc, whole[dim]), at)
                .getResult();
    }
    TileOperand part;
    part.source = tensor::ExtractSliceOp::create(b, loc, image.source, offsets,
                                                 sizes, ones);
    part.map = AffineMap::get(dims, 0, exprs, op.getContext());
    parts.push_back(part);
  }
  return parts;
}

/// Adds `steps` steps of the innermost reduction to the rows in `inside` (null:
/// to all). Of a group of `dots`, `valid` elements are read (null: all of it).
TileValue TileCase::addInsideRows(linalg::LinalgOp op,
                                  ArrayRef<TileOperand> memory, unsigned image,
                                  ArrayRef<TileOperand> pixels, Value inside,
                                  unsigned reduction, int64_t steps,
                                  SmallVector<Value> loops,
                                  const TileValue &sums, DotSteps *dots,
                                  Value valid) {
  unsigned column = columnLoop(op);
  Block &body = op->getRegion(0).front();
  Value start = loops[reduction];
  auto enter = [&](int64_t step) {
    loops[reduction] =
        step ? arith::AddIOp::create(b, loc, start, constant(step)).getResult()
             : start;
  };
  // What all rows share, by step, input and vector.
  DenseMap<std::pair<int64_t, std::pair<unsigned, int64_t>>, Value> shared;
  auto readShared = [&] {
    for (int64_t step = 0; step < steps; ++step) {
      enter(step);
      loops[*rowLoop(op)] = constant(0);
      for (unsigned i = 0; i < unsigned(op.getNumDpsInputs()); ++i)
        for (int64_t v = 0; i != image && v < vectors; ++v) {
          loops[column] = firstColumn(v);
          if (dots && i == dots->emitter.getInputB())
            shared[{step, {i, v}}] = dots->emitter.readColumns(loops);
          else if (memory[i].source)
            shared[{step, {i, v}}] = memory[i].map.isFunctionOfDim(column)
                                         ? readVector(memory[i], loops, column,
                                                      masks[v], columnsLeft(v))
                                         : splat(readScalar(memory[i], loops));
        }
    }
  };
  int64_t turn = 0;
  auto add = [&](Value sum, Value pixel, int64_t step, int64_t v) {
    if (dots)
      return dots->emitter.accumulate(
          sum, pixel, shared.lookup({step, {dots->emitter.getInputB(), v}}),
          turn);
    IRMapping map;
    for (unsigned i = 0; i < unsigned(op.getNumDpsInputs()); ++i)
      if (Value value = i == image ? pixel : shared.lookup({step, {i, v}}))
        map.map(body.getArgument(i), value);
    map.map(body.getArguments().back(), sum);
    for (Operation &inner : body.without_terminator())
      clonePayload(inner, map);
    return map.lookup(body.getTerminator()->getOperand(0));
  };
  TileValue result(sums);
  auto addRow = [&](int64_t r) {
    SmallVector<Value> row(result[r]);
    for (int64_t step = 0; step < steps; ++step) {
      enter(step);
      Value pixel = dots ? dots->emitter.readRow(pixels[r], loops, valid)
                         : splat(readScalar(pixels[r], loops));
      for (int64_t v = 0; v < vectors; ++v)
        row[v] = add(row[v], pixel, step, v);
    }
    return row;
  };
  Value zero = arith::ConstantIntOp::create(b, loc, 0, 64);
  auto addInside = [&](int64_t r) {
    Value bit = arith::AndIOp::create(
        b, loc, inside,
        arith::ConstantIntOp::create(b, loc, int64_t(1) << r, 64));
    auto choice = scf::IfOp::create(
        b, loc, ValueRange(result[r]).getTypes(),
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, bit, zero),
        /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.elseBlock());
    scf::YieldOp::create(b, loc, result[r]);
    b.setInsertionPointToStart(choice.thenBlock());
    scf::YieldOp::create(b, loc, addRow(r));
    return SmallVector<Value>(choice.getResults());
  };
  for (; turn < (dots ? dots->emitter.countTurns() : 1); ++turn) {
    if (turn) {
      separateSteps();
      start = hideIndex(start);
    }
    readShared();
    for (int64_t r = 0; r < rows; ++r)
      result[r] = inside ? addInside(r) : addRow(r);
  }
  return result;
}

/// Rows that are not in `inside` get back what sums of the columns took off for
/// the step of the outer reductions.
TileValue TileCase::addLeftOut(linalg::LinalgOp op, DotSteps &dots,
                               Value inside, SmallVector<Value> loops,
                               const TileValue &sums) {
  auto number = [&](int64_t v) {
    return arith::ConstantIntOp::create(b, loc, v, 64);
  };
  auto when = [&](Value bits, arith::CmpIPredicate predicate, int64_t to,
                  const TileValue &in, int64_t inRows,
                  function_ref<TileValue()> add) {
    auto choice = scf::IfOp::create(
        b, loc, ValueRange(flatten(in)).getTypes(),
        arith::CmpIOp::create(b, loc, predicate, bits, number(to)),
        /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.elseBlock());
    scf::YieldOp::create(b, loc, flatten(in));
    b.setInsertionPointToStart(choice.thenBlock());
    scf::YieldOp::create(b, loc, flatten(add()));
    return unflatten(choice.getResults(), inRows, vectors);
  };
  // Most tiles have no row outside.
  return when(
      inside, arith::CmpIPredicate::ne, (int64_t(1) << rows) - 1, sums, rows,
      [&] {
        SmallVector<Value> columns = readSums(op, dots.sums, loops);
        for (Value &value : columns)
          value = dots.emitter.scaleSums(value);
        // Words of ones for such a row: a vector has no choice without a
        // branch.
        Type word = b.getI32Type();
        auto bits = [&](int64_t r) {
          Value moved = arith::ShRUIOp::create(b, loc, inside, number(r));
          Value bit = arith::AndIOp::create(b, loc, moved, number(1));
          return splat(arith::TruncIOp::create(
              b, loc, word, arith::SubIOp::create(b, loc, bit, number(1))));
        };
        SmallVector<Value> outside;
        for (int64_t r = 0; r < rows; ++r)
          outside.push_back(bits(r));
        return makeTile([&](int64_t r, int64_t v) {
          Value added = arith::AndIOp::create(b, loc, columns[v], outside[r]);
          return arith::AddIOp::create(b, loc, sums[r][v], added).getResult();
        });
      });
}

/// The nest of reductions from `depth` on, over the rows inside the image.
TileValue TileCase::reduceInsideRows(
    linalg::LinalgOp op, ArrayRef<TileOperand> memory, unsigned image,
    ArrayRef<unsigned> reductions, ArrayRef<OpFoldResult> starts,
    ArrayRef<OpFoldResult> sizes, unsigned depth, SmallVector<Value> loops,
    const TileValue &sums, DotSteps *dots) {
  unsigned reduction = reductions[depth];
  auto value = [&](OpFoldResult v) {
    return getValueOrCreateConstantIndexOp(b, loc, v);
  };
  // With `unroll`, LLVM is to repeat its steps so often.
  auto loop = [&](Value from, Value to, int64_t step, const TileValue &in,
                  function_ref<TileValue(const TileValue &)> add,
                  int64_t unroll = 1) {
    auto forOp =
        scf::ForOp::create(b, loc, from, to, constant(step), flatten(in));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(forOp.getBody());
    loops[reduction] = forOp.getInductionVar();
    if (unroll > 1)
      setUnroll(forOp, unroll);
    if (unroll > 1 && separatesSteps(rows * vectors))
      separateSteps();
    TileValue out = add(unflatten(forOp.getRegionIterArgs(), rows, vectors));
    scf::YieldOp::create(b, loc, flatten(out));
    if (depth == 0 && reductions.size() > 1)
      forOp->setAttr(kPrefetchResultAttr, b.getUnitAttr());
    return unflatten(forOp.getResults(), rows, vectors);
  };
  if (depth + 1 < reductions.size())
    return loop(value(starts[reduction]), value(sizes[reduction]), 1, sums,
                [&](const TileValue &in) {
                  return reduceInsideRows(op, memory, image, reductions, starts,
                                          sizes, depth + 1, loops, in, dots);
                });
  Value inside = getInsideRows(op, memory[image], loops);
  TileValue before = sums;
  if (dots && dots->sums.source)
    before = addLeftOut(op, *dots, inside, loops, sums);
  // Of a step with no row at all nothing is read.
  Value some =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, inside,
                            arith::ConstantIntOp::create(b, loc, 0, 64));
  auto ifSome = [&](OpFoldResult size) {
    return arith::SelectOp::create(b, loc, some, value(size), constant(0))
        .getResult();
  };
  Value size = ifSome(sizes[reduction]);
  SmallVector<TileOperand> pixels =
      splitInsideRows(op, memory[image], reduction, loops);
  auto addTo = [&](Value inside, int64_t steps = 1, Value valid = {}) {
    return [&, inside, steps, valid](const TileValue &in) {
      return addInsideRows(op, memory, image, pixels, inside, reduction, steps,
                           loops, in, dots, valid);
    };
  };
  Value rest = arith::RemUIOp::create(b, loc, size, constant(spec.getUnroll()));
  Value whole = arith::SubIOp::create(b, loc, size, rest);
  auto addAll = [&] {
    return loop(constant(0), whole, 1, before, addTo(Value()),
                spec.getUnroll());
  };
  auto addRest = [&](Value from, const TileValue &in, Value inside) {
    return loop(from, size, 1, in, addTo(inside));
  };
  TileValue most;
  if (rows == 1) {
    // A step whose rows are all in the image needs no branch: of one row, each
    // step that there is.
    most = addRest(whole, addAll(), Value());
  } else {
    // Steps of several turns have no registers for what a rest that both
    // branches share keeps up around them.
    bool hasTurns = dots && dots->emitter.countTurns() > 1;
    // As many steps behind a branch as there are registers for their columns;
    // of dot products one, which is a group of them: more gain nothing and are
    // a third of the code.
    int64_t unroll = dots && !hasTurns ? 1 : spec.getUnroll();
    while (unroll > 1 && !hasRegisters((rows + unroll) * vectors + 1))
      unroll /= 2;
    Value all = arith::CmpIOp::create(
        b, loc, arith::CmpIPredicate::eq, inside,
        arith::ConstantIntOp::create(b, loc, (int64_t(1) << rows) - 1, 64));
    // Behind the steps with a branch that are repeated.
    Value left = unroll > 1 ? whole : constant(0);
    auto choice =
        scf::IfOp::create(b, loc, ValueRange(flatten(before)).getTypes(), all,
                          /*withElseRegion=*/true);
    auto addIn = [&](Block *block, Value branch, Value from,
                     function_ref<TileValue()> add) {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(block);
      TileValue sums = add();
      if (hasTurns)
        sums = addRest(from, sums, branch);
      scf::YieldOp::create(b, loc, flatten(sums));
    };
    addIn(choice.thenBlock(), Value(), whole, addAll);
    addIn(choice.elseBlock(), inside, left, [&] {
      return unroll > 1 ? loop(constant(0), whole, unroll, before,
                               addTo(inside, unroll))
                        : before;
    });
    most = unflatten(choice.getResults(), rows, vectors);
    if (!hasTurns)
      most = addRest(
          unroll > 1 ? whole
                     : arith::SelectOp::create(b, loc, all, whole, constant(0)),
          most, inside);
  }
  if (!dots || !dots->emitter.hasTail())
    return most;
  return loop(size, ifSome(dots->groups), 1, most, [&](const TileValue &in) {
    Value branch = rows == 1 ? Value() : inside;
    return addTo(branch, 1, dots->countValid(b, loops[reduction]))(in);
  });
}
