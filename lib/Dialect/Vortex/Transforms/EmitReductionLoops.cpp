//===- EmitReductionLoops.cpp - The steps of a register tile --------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile's sums go through a nest of loops over the reductions. The innermost
// does several steps a trip, with sums of their own where there are too few for
// the units to be busy.
//
//===----------------------------------------------------------------------===//

#include "TileCase.h"

#include "vortex/Dialect/Vortex/Transforms/LoopUnroll.h"
#include "vortex/HwDesc/Targets.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace vortex;

/// Sums for each element of the tile, so that few elements do not leave the
/// units waiting for the sum before.
int64_t TileCase::countPartials(linalg::LinalgOp op) {
  if (op.getNumReductionLoops() != 1 || !getCombiner(op))
    return 1;
  int64_t most = std::min(spec.getInFlight() / (rows * vectors), steps);
  int64_t count = 1;
  while (count * 2 <= most && steps % (count * 2) == 0)
    count *= 2;
  return count;
}

/// Whether partial sums are of parts of the reduction, read side by side, not
/// of steps in turn: `op` reads a packed panel, whose steps are one stream, of
/// which some machines read less than of several (an EPYC of family 25, AVX2:
/// 11.7 GB/s of one out of memory, 16.5 of two, 17 of four). Requests for the
/// next panel count steps in turn; for more than two rows arithmetic takes as
/// long, and addresses of four take the registers of sums. Not measured with
/// vectors as long as lines.
bool TileCase::readsPartsAside(linalg::LinalgOp op) {
  int64_t bits = getElementTypeOrSelf(op->getResult(0)).getIntOrFloatBitWidth();
  if (spec.getPrefetch() || lanes * bits >= 512 || rows > 2)
    return false;
  return llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
    AffineMap map = op.getMatchingIndexingMap(input);
    return isa<BlockArgument>(input->get()) &&
           TileEmitter::isContiguous(map, columnLoop(op)) &&
           inMemory(outside(input->get()), map, spec.getVectors() * lanes, rows)
               .padded;
  });
}

/// All partial sums in one.
TileValue TileCase::join(linalg::LinalgOp op, ArrayRef<TileValue> partials) {
  Operation *combiner = getCombiner(op);
  TileValue sum = partials.front();
  for (const TileValue &partial : partials.drop_front())
    sum = makeTile(sum.size(), [&](int64_t r, int64_t v) {
      IRMapping map;
      map.map(combiner->getOperand(0), sum[r][v]);
      map.map(combiner->getOperand(1), partial[r][v]);
      clonePayload(*combiner, map);
      return map.lookup(combiner->getResult(0));
    });
  return sum;
}

/// Whether the target, if it is known, has `count` vector registers.
bool TileCase::hasRegisters(int64_t count) {
  HwAttr target;
  for (HwAttr other : getTargets(kernel))
    if (!other.isGPU())
      target = other;
  return !target || count <= target.getVectorRegisters();
}

/// Whether there are too few registers to read what all unrolled steps need
/// ahead of them: their columns and an element of each row, beside `sums`
/// registers of accumulators.
bool TileCase::separatesSteps(int64_t sums) {
  return !hasRegisters(sums + steps * vectors + rows + 1);
}

/// No instruction, but LLVM reads nothing ahead of it: selecting instructions,
/// it moves loads that lie beside each other together. Memory that it might
/// write is read again behind it.
void TileCase::separateSteps() {
  LLVM::InlineAsmOp::create(
      b, loc, TypeRange(), ValueRange(), "", readsAgain ? "~{memory}" : "",
      /*has_side_effects=*/true,
      /*is_align_stack=*/false, LLVM::TailCallKind::None,
      LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT),
      ArrayAttr());
}

/// `index`, which nothing is seen to be equal to: what was read there is read
/// again.
Value TileCase::hideIndex(Value index) {
  Value number = arith::IndexCastOp::create(b, loc, b.getI64Type(), index);
  Value hidden =
      LLVM::InlineAsmOp::create(
          b, loc, number.getType(), number, "", "=r,0",
          /*has_side_effects=*/false, /*is_align_stack=*/false,
          LLVM::TailCallKind::None,
          LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT),
          ArrayAttr())
          .getResult(0);
  return arith::IndexCastOp::create(b, loc, b.getIndexType(), hidden);
}

/// A nest of reduction loops with the accumulators as iter_args; the innermost
/// is unrolled: by LLVM where all steps are the same, since each pass that sees
/// copies of a step takes as much longer.
TileValue TileCase::emitReductions(linalg::LinalgOp op,
                                   ArrayRef<unsigned> reductions,
                                   ArrayRef<OpFoldResult> starts,
                                   ArrayRef<OpFoldResult> sizes, unsigned depth,
                                   SmallVector<Value> loops,
                                   TileValue accumulators, Step step, Step tail,
                                   Value tailEnd) {
  bool innermost = depth + 1 == reductions.size();
  Value size =
      getValueOrCreateConstantIndexOp(b, loc, sizes[reductions[depth]]);
  int64_t sums = accumulators.size(), tileSize = sums * vectors;
  int64_t count = innermost ? countPartials(op) : 1;
  bool separate = innermost && (readsAgain || separatesSteps(count * tileSize));
  auto split = [&](ValueRange values) {
    SmallVector<TileValue> tiles;
    for (size_t i = 0; i < values.size(); i += tileSize)
      tiles.push_back(unflatten(values.slice(i, tileSize), sums, vectors));
    return tiles;
  };
  // Each step adds to the next of the sums in `in`.
  // With `part`, each in turn to the steps of a part of so many.
  auto loop = [&](Value from, Value to, int64_t unroll, ArrayRef<TileValue> in,
                  bool last = false, Value part = {}) {
    SmallVector<Value> inits;
    for (const TileValue &tile : in)
      llvm::append_range(inits, flatten(tile));
    int64_t stride = part ? unroll / count : unroll;
    auto forOp = scf::ForOp::create(b, loc, from, part ? part : to,
                                    constant(stride), inits);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(forOp.getBody());
    SmallVector<TileValue> sums = split(forOp.getRegionIterArgs());
    for (int64_t u = 0; u < unroll; ++u) {
      TileValue &current = sums[u % sums.size()];
      if (u && separate)
        separateSteps();
      SmallVector<Value> at(loops);
      Value iv = forOp.getInductionVar();
      int64_t further = part ? u / count : u;
      if (further)
        iv = arith::AddIOp::create(b, loc, iv, constant(further));
      if (part && u % count)
        iv = arith::AddIOp::create(
            b, loc, iv,
            arith::MulIOp::create(b, loc, part, constant(u % count)));
      at[reductions[depth]] = iv;
      current = last ? tail(at, current)
                : innermost
                    ? step(at, current)
                    : emitReductions(op, reductions, starts, sizes, depth + 1,
                                     at, current, step, tail, tailEnd);
    }
    SmallVector<Value> yielded;
    for (const TileValue &tile : sums)
      llvm::append_range(yielded, flatten(tile));
    scf::YieldOp::create(b, loc, yielded);
    if (!innermost && depth == 0)
      forOp->setAttr(kPrefetchResultAttr, b.getUnitAttr());
    return forOp;
  };
  auto results = [&](scf::ForOp forOp) {
    return split(forOp.getResults()).front();
  };
  auto finish = [&](const TileValue &in) {
    return tail && innermost ? results(loop(size, tailEnd, 1, in, true)) : in;
  };
  if (!innermost || steps == 1) {
    scf::ForOp one =
        loop(getValueOrCreateConstantIndexOp(b, loc, starts[reductions[depth]]),
             size, 1, accumulators);
    // Steps of a few trips that LLVM knows must not become one either.
    if (innermost && steps < spec.getUnroll())
      setUnroll(one, 1);
    return finish(results(one));
  }
  // A sum of one vector takes the register of its element, another in each
  // step. Where registers are few, an iteration has a step for each partial
  // sum, not all that are unrolled.
  int64_t turns = count > 1 && separate && vectors == 1 ? count : steps;
  Value rest = arith::RemUIOp::create(b, loc, size, constant(turns));
  Value whole = arith::SubIOp::create(b, loc, size, rest);
  SmallVector<TileValue> partials = {accumulators};
  if (count > 1) {
    Value none = splat(arith::ConstantOp::create(
        b, loc, *arith::getNeutralElement(getCombiner(op))));
    partials.append(count - 1,
                    makeTile(sums, [&](int64_t, int64_t) { return none; }));
  }
  Value part;
  if (count > 1 && readsPartsAside(op))
    part = arith::DivUIOp::create(b, loc, whole, constant(count));
  scf::ForOp main = loop(constant(0), whole, count > 1 ? turns : 1, partials,
                         /*last=*/false, part);
  if (count == 1) {
    setUnroll(main, steps);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(main.getBody());
    if (separate)
      separateSteps();
  }
  main->setAttr(kPrefetchResultAttr, b.getUnitAttr());
  if (spec.getPrefetch())
    main->setAttr(kPrefetchAttr, b.getI64IntegerAttr(spec.getPrefetch()));
  // Fewer columns than the tile's are the last ones alone.
  else if (vectors == spec.getVectors())
    main->setAttr(kPrefetchInPlaceAttr, b.getUnitAttr());
  TileValue sum = join(op, split(main.getResults()));
  return finish(results(loop(whole, size, 1, sum)));
}

/// Sums of the columns of B, which input `i` of `op` has.
TileOperand TileCase::getSums(linalg::LinalgOp op, unsigned i) {
  return inMemory(outside(op->getOperand(i)), op.getIndexingMapsArray()[i],
                  vectors * lanes, rows);
}

/// Those of the tile's columns.
SmallVector<Value> TileCase::readSums(linalg::LinalgOp op,
                                      const TileOperand &sums,
                                      SmallVector<Value> loops) {
  unsigned column = columnLoop(op);
  SmallVector<Value> values;
  for (int64_t v = 0; v < vectors; ++v) {
    loops[column] = firstColumn(v);
    values.push_back(readVector(sums, loops, column, masks[v], columnsLeft(v)));
  }
  return values;
}

/// `columns` without the sums of those steps of the outer reductions that are
/// of `all`, but not between `starts` and `ends`.
SmallVector<Value>
TileCase::dropSkipped(linalg::LinalgOp op, const TileOperand &sums,
                      ArrayRef<unsigned> reductions,
                      ArrayRef<OpFoldResult> starts,
                      ArrayRef<OpFoldResult> ends, ArrayRef<OpFoldResult> all,
                      SmallVector<Value> loops, SmallVector<Value> columns) {
  ArrayRef<unsigned> outer = reductions.drop_back();
  auto value = [&](OpFoldResult v) {
    return getValueOrCreateConstantIndexOp(b, loc, v);
  };
  // Steps of `skipped` between `from` and `to`, of the reductions around it
  // those that are not skipped, of those inside of it all.
  std::function<SmallVector<Value>(size_t, size_t, Value, Value,
                                   SmallVector<Value>)>
      drop = [&](size_t depth, size_t skipped, Value from, Value to,
                 SmallVector<Value> in) -> SmallVector<Value> {
    if (depth == outer.size()) {
      for (auto [value, sum] : llvm::zip(in, readSums(op, sums, loops)))
        value = arith::SubIOp::create(b, loc, value, sum);
      return in;
    }
    unsigned loop = outer[depth];
    bool inside = depth > skipped;
    auto forOp = scf::ForOp::create(
        b, loc,
        depth == skipped ? from
        : inside         ? constant(0)
                         : value(starts[loop]),
        depth == skipped ? to : value(inside ? all[loop] : ends[loop]),
        constant(1), in);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(forOp.getBody());
    loops[loop] = forOp.getInductionVar();
    scf::YieldOp::create(
        b, loc,
        drop(depth + 1, skipped, from, to,
             llvm::to_vector_of<Value>(forOp.getRegionIterArgs())));
    return llvm::to_vector_of<Value>(forOp.getResults());
  };
  for (auto [depth, loop] : llvm::enumerate(outer)) {
    if (ends[loop] == all[loop])
      continue;
    // There may be no step at all.
    Value first =
        arith::MinUIOp::create(b, loc, value(starts[loop]), value(ends[loop]));
    columns = drop(0, depth, constant(0), first, columns);
    columns = drop(0, depth, value(ends[loop]), value(all[loop]), columns);
  }
  return columns;
}

/// A reduction in groups: its innermost loop counts them.
TileValue TileCase::emitDots(linalg::LinalgOp op, DotEmitter dots,
                             ArrayRef<unsigned> reductions,
                             SmallVector<OpFoldResult> sizes,
                             SmallVector<Value> loops, TileValue accumulators) {
  unsigned k = reductions.back(), column = columnLoop(op);
  std::optional<unsigned> row = rowLoop(op);
  Value steps = getValueOrCreateConstantIndexOp(b, loc, sizes[k]);
  Value group = constant(dots.group);
  Value groups = arith::CeilDivUIOp::create(b, loc, steps, group);
  sizes[k] = dots.hasTail()
                 ? arith::DivUIOp::create(b, loc, steps, group).getResult()
                 : groups;
  SmallVector<OpFoldResult> starts(op.getNumLoops(), b.getIndexAttr(0)),
      all(sizes);
  TileOperand stepSums;
  std::optional<unsigned> image;
  if (dots.canLeaveOut()) {
    SmallVector<TileOperand> memory(op.getNumDpsInputs() + 1);
    SmallVector<TileValue> none(memory.size());
    memory[dots.getInputA()] = dots.getRows();
    if (std::optional<Padding> padding =
            findPadding(op, dots.getInputA(), dots.getRows().source)) {
      // A copy of a tile's part has its padding written.
      if (!padding->pad.getNofold() &&
          canLeaveOutRows(op, dots.getInputA(), none))
        readAround(op, memory[dots.getInputA()], *padding);
      skipPadding(op, {*padding}, reductions, starts, sizes);
    }
    image = findInsideRows(op, memory);
    dots.getRows() = memory[dots.getInputA()];
    if (dots.getStepSums())
      stepSums = getSums(op, *dots.getStepSums());
  }
  if (std::optional<unsigned> input = dots.getColumnSums()) {
    SmallVector<Value> columns = readSums(op, getSums(op, *input), loops);
    if (stepSums.source)
      columns = dropSkipped(op, stepSums, reductions, starts, sizes, all, loops,
                            columns);
    for (Value &value : columns)
      value = dots.scaleSums(value);
    accumulators = makeTile([&](int64_t r, int64_t v) {
      return arith::SubIOp::create(b, loc, accumulators[r][v], columns[v])
          .getResult();
    });
  }
  if (dots.hasOffset()) {
    Value zero =
        splat(arith::ConstantOp::create(b, loc, b.getZeroAttr(b.getI32Type())));
    accumulators.push_back(SmallVector<Value>(vectors, zero));
  }
  auto step = [&](SmallVector<Value> at, TileValue sums, Value valid) {
    for (int64_t turn = 0; turn < dots.countTurns(); ++turn) {
      if (turn) {
        separateSteps();
        at[k] = hideIndex(at[k]);
      }
      SmallVector<Value> columns;
      for (int64_t v = 0; v < vectors; ++v) {
        at[column] = firstColumn(v);
        columns.push_back(dots.readColumns(at));
      }
      SmallVector<Value> factors;
      sums = makeTile(sums.size(), [&](int64_t r, int64_t v) {
        if (v == 0) {
          if (row)
            at[*row] = constant(r);
          factors.push_back(r == rows ? dots.getOffsetRow()
                                      : dots.readRow(at, valid));
        }
        return dots.accumulate(sums[r][v], factors[r], columns[v], turn);
      });
    }
    return sums;
  };
  auto whole = [&](SmallVector<Value> at, const TileValue &in) {
    return step(at, in, Value());
  };
  DotSteps counts{dots, steps, groups};
  auto tail = [&](SmallVector<Value> at, const TileValue &in) {
    return step(at, in, counts.countValid(b, at[k]));
  };
  if (image) {
    SmallVector<TileOperand> memory(op.getNumDpsInputs() + 1);
    memory[*image] = dots.getRows();
    counts.sums = stepSums;
    return reduceInsideRows(op, memory, *image, reductions, starts, sizes, 0,
                            loops, accumulators, &counts);
  }
  TileValue sums =
      emitReductions(op, reductions, starts, sizes, 0, loops, accumulators,
                     whole, dots.hasTail() ? Step(tail) : nullptr, groups);
  if (!dots.hasOffset())
    return sums;
  return makeTile([&](int64_t r, int64_t v) -> Value {
    return arith::SubIOp::create(b, loc, sums[r][v], sums[rows][v]);
  });
}
