//===- EmitRegisterTile.cpp - Rows in registers, columns in lanes ---------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One emitter serves every linalg op of a tile: matrix products, batched and
// transposed ones, convolutions and the elementwise chains around them differ
// in indexing maps only. An operand whose map has the column is read as a
// vector, any other one as a scalar and broadcast. Values between the ops of
// the tile stay in registers.
//
//===----------------------------------------------------------------------===//

#include "LoopUnroll.h"
#include "TileCase.h"

#include "vortex/HwDesc/Targets.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace vortex;

unsigned vortex::columnLoop(linalg::LinalgOp op) {
  AffineMap out = op.getIndexingMapsArray().back();
  return cast<AffineDimExpr>(out.getResults().back()).getPosition();
}

/// The loop that walks the rows, if the result has any.
std::optional<unsigned> TileCase::rowLoop(linalg::LinalgOp op) {
  AffineMap out = op.getIndexingMapsArray().back();
  int64_t position = int64_t(out.getNumResults()) - rowDim;
  if (rowDim == 0 || position < 0)
    return std::nullopt;
  return cast<AffineDimExpr>(out.getResult(position)).getPosition();
}

/// Steps of a reduction, from the shapes of the operands outside the body.
Value TileCase::getExtent(linalg::LinalgOp op, unsigned loop) {
  for (auto [operand, map] :
       llvm::zip(op->getOperands(), op.getIndexingMapsArray()))
    if (auto dim =
            map.getResultPosition(getAffineDimExpr(loop, op.getContext())))
      return getValueOrCreateConstantIndexOp(
          b, loc, tensor::getMixedSize(b, loc, outside(operand), *dim));
  return {};
}

/// Which dimension of results, counted from the end, has the rows of the tile;
/// 0 for none. All others but the last are 1 in a tile.
static int64_t getRowDim(MicroKernelOp kernel, int64_t rank) {
  return kernel.getRowDim().value_or(rank > 1 ? 2 : 0);
}

SmallVector<Value> vortex::flatten(const TileValue &tile) {
  SmallVector<Value> values;
  for (const SmallVector<Value> &row : tile)
    llvm::append_range(values, row);
  return values;
}

TileValue vortex::unflatten(ValueRange values, int64_t rows, int64_t vectors) {
  TileValue tile(rows, SmallVector<Value>(vectors));
  for (auto [i, value] : llvm::enumerate(values))
    tile[i / vectors][i % vectors] = value;
  return tile;
}

/// One evaluation of the body for the whole tile.
TileValue TileCase::emitStep(linalg::LinalgOp op, ArrayRef<TileOperand> memory,
                             ArrayRef<TileValue> tiles,
                             SmallVector<Value> loops,
                             const TileValue &accumulators) {
  unsigned numInputs = op.getNumDpsInputs();
  unsigned column = columnLoop(op);
  std::optional<unsigned> row = rowLoop(op);
  Block &body = op->getRegion(0).front();
  auto walksRow = [&](const TileOperand &operand) {
    return !operand.rows.empty() || (row && operand.map.isFunctionOfDim(*row));
  };

  // Column vectors that no row changes are read once and kept in registers;
  // so are scalars, once a row.
  DenseMap<std::pair<unsigned, int64_t>, Value> columnVectors, rowScalars;
  for (unsigned i = 0; i < numInputs; ++i) {
    if (!memory[i].source || walksRow(memory[i]) ||
        !memory[i].map.isFunctionOfDim(column))
      continue;
    for (int64_t v = 0; v < vectors; ++v) {
      loops[column] = firstColumn(v);
      if (row)
        loops[*row] = constant(0);
      columnVectors[{i, v}] =
          readVector(memory[i], loops, column, masks[v], columnsLeft(v));
    }
  }
  auto operandAt = [&](unsigned i, int64_t r, int64_t v) -> Value {
    if (i == numInputs && !accumulators.empty())
      return accumulators[r][v];
    if (!tiles[i].empty())
      return tiles[i][r][v];
    if (!memory[i].source)
      return {};
    loops[column] = firstColumn(v);
    if (row)
      loops[*row] = rowAt(r);
    if (!memory[i].map.isFunctionOfDim(column)) {
      Value &scalar = rowScalars[{i, walksRow(memory[i]) ? r : 0}];
      if (!scalar)
        scalar = splat(readScalar(memory[i], loops));
      return scalar;
    }
    auto it = columnVectors.find({i, v});
    if (it != columnVectors.end())
      return it->second;
    if (!memory[i].rows.empty()) {
      TileOperand part = memory[i];
      part.source = part.rows[r];
      Value mask = masks[v];
      if (part.limit) {
        // Behind the end or, as an unsigned number, in front of the start.
        Value at = arith::AddIOp::create(b, loc, evaluate(part.checked, loops),
                                         part.checkedShift);
        Value inside = vector::BroadcastOp::create(
            b, loc, VectorType::get({lanes}, b.getI1Type()),
            arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, at,
                                  part.limit));
        mask = mask ? arith::AndIOp::create(b, loc, mask, inside) : inside;
      }
      return readVector(part, loops, column, mask, columnsLeft(v), part.pad);
    }
    return readVector(memory[i], loops, column, masks[v], columnsLeft(v));
  };
  return makeTile([&](int64_t r, int64_t v) {
    IRMapping map;
    for (unsigned i = 0; i <= numInputs; ++i)
      if (!body.getArgument(i).use_empty())
        if (Value value = operandAt(i, r, v))
          map.map(body.getArgument(i), value);
    for (Operation &inner : body.without_terminator())
      clonePayload(inner, map);
    Value yielded = body.getTerminator()->getOperand(0);
    Value result = map.lookupOrNull(yielded);
    return result ? result : splat(yielded);
  });
}

Operation *vortex::getCombiner(linalg::LinalgOp op) {
  SmallVector<Operation *> combiners;
  if (matchReduction(op.getRegionOutputArgs(), 0, combiners) &&
      combiners.size() == 1 && arith::getNeutralElement(combiners[0]))
    return combiners[0];
  return nullptr;
}

/// Sums for each element of the tile, so that few elements do not leave the
/// units waiting for the sum before.
int64_t TileCase::countPartials(linalg::LinalgOp op) {
  if (op.getNumReductionLoops() != 1 || !getCombiner(op))
    return 1;
  int64_t most =
      std::min(spec.getInFlight() / (rows * vectors), spec.getUnroll());
  int64_t count = 1;
  while (count * 2 <= most && spec.getUnroll() % (count * 2) == 0)
    count *= 2;
  return count;
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

/// Whether the columns of one step take registers that those of the next would
/// need, were they read ahead, beside `sums` registers of accumulators.
bool TileCase::separatesSteps(int64_t sums) {
  return !hasRegisters(sums + 2 * vectors + 1);
}

/// No instruction, but LLVM reads nothing ahead of it: selecting instructions,
/// it moves loads that lie beside each other together.
void TileCase::separateSteps() {
  LLVM::InlineAsmOp::create(
      b, loc, TypeRange(), ValueRange(), "", "", /*has_side_effects=*/true,
      /*is_align_stack=*/false, LLVM::TailCallKind::None,
      LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT),
      ArrayAttr());
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
  bool separate = innermost && separatesSteps(tileSize);
  auto split = [&](ValueRange values) {
    SmallVector<TileValue> tiles;
    for (size_t i = 0; i < values.size(); i += tileSize)
      tiles.push_back(unflatten(values.slice(i, tileSize), sums, vectors));
    return tiles;
  };
  // Each step adds to the next of the sums in `in`.
  auto loop = [&](Value from, Value to, int64_t unroll, ArrayRef<TileValue> in,
                  bool last = false) {
    SmallVector<Value> inits;
    for (const TileValue &tile : in)
      llvm::append_range(inits, flatten(tile));
    auto forOp = scf::ForOp::create(b, loc, from, to, constant(unroll), inits);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(forOp.getBody());
    SmallVector<TileValue> sums = split(forOp.getRegionIterArgs());
    for (int64_t u = 0; u < unroll; ++u) {
      TileValue &current = sums[u % sums.size()];
      if (u && separate)
        separateSteps();
      SmallVector<Value> at(loops);
      Value iv = forOp.getInductionVar();
      at[reductions[depth]] =
          u ? arith::AddIOp::create(b, loc, iv, constant(u)).getResult() : iv;
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
  if (!innermost || spec.getUnroll() == 1)
    return finish(results(
        loop(getValueOrCreateConstantIndexOp(b, loc, starts[reductions[depth]]),
             size, 1, accumulators)));
  Value rest = arith::RemUIOp::create(b, loc, size, constant(spec.getUnroll()));
  Value whole = arith::SubIOp::create(b, loc, size, rest);
  SmallVector<TileValue> partials = {accumulators};
  int64_t count = countPartials(op);
  if (count > 1) {
    Value none = splat(arith::ConstantOp::create(
        b, loc, *arith::getNeutralElement(getCombiner(op))));
    partials.append(count - 1,
                    makeTile(sums, [&](int64_t, int64_t) { return none; }));
  }
  scf::ForOp main =
      loop(constant(0), whole, count > 1 ? spec.getUnroll() : 1, partials);
  if (count == 1) {
    setUnroll(main, spec.getUnroll());
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(main.getBody());
    if (separate)
      separateSteps();
  }
  main->setAttr(kPrefetchResultAttr, b.getUnitAttr());
  if (spec.getPrefetch())
    main->setAttr(kPrefetchAttr, b.getI64IntegerAttr(spec.getPrefetch()));
  TileValue sum = join(op, split(main.getResults()));
  return finish(results(loop(whole, size, 1, sum)));
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
  if (std::optional<unsigned> input = dots.getColumnSums()) {
    TileOperand sums =
        inMemory(outside(op->getOperand(*input)),
                 op.getIndexingMapsArray()[*input], vectors * lanes, rows);
    SmallVector<Value> at(loops), columns;
    for (int64_t v = 0; v < vectors; ++v) {
      at[column] = firstColumn(v);
      columns.push_back(readVector(sums, at, column, masks[v], columnsLeft(v)));
    }
    accumulators = makeTile([&](int64_t r, int64_t v) {
      return dots.takeOff(accumulators[r][v], columns[v]);
    });
  }
  if (dots.hasOffset()) {
    Value zero =
        splat(arith::ConstantOp::create(b, loc, b.getZeroAttr(b.getI32Type())));
    accumulators.push_back(SmallVector<Value>(vectors, zero));
  }
  auto step = [&](SmallVector<Value> at, const TileValue &in, Value valid) {
    SmallVector<Value> columns;
    for (int64_t v = 0; v < vectors; ++v) {
      at[column] = firstColumn(v);
      columns.push_back(dots.readColumns(at));
    }
    SmallVector<Value> factors;
    return makeTile(in.size(), [&](int64_t r, int64_t v) {
      if (v == 0) {
        if (row)
          at[*row] = constant(r);
        factors.push_back(r == rows ? dots.getOffsetRow()
                                    : dots.readRow(at, valid));
      }
      return dots.accumulate(in[r][v], factors[r], columns[v]);
    });
  };
  auto whole = [&](SmallVector<Value> at, const TileValue &in) {
    return step(at, in, Value());
  };
  auto tail = [&](SmallVector<Value> at, const TileValue &in) {
    Value done = arith::MulIOp::create(b, loc, at[k], group);
    return step(at, in, arith::SubIOp::create(b, loc, steps, done));
  };
  TileValue sums = emitReductions(
      op, reductions,
      SmallVector<OpFoldResult>(op.getNumLoops(), b.getIndexAttr(0)), sizes, 0,
      loops, accumulators, whole, dots.hasTail() ? Step(tail) : nullptr,
      groups);
  if (!dots.hasOffset())
    return sums;
  return makeTile([&](int64_t r, int64_t v) -> Value {
    return arith::SubIOp::create(b, loc, sums[r][v], sums[rows][v]);
  });
}

/// Whether the kernel's instruction is one of dot products, and `op` what it is
/// for.
static bool isDotProduct(MicroKernelOp kernel, linalg::LinalgOp op) {
  return kernel.getSpec().getInstruction() == "dot" && op->hasAttr(kAnchorAttr);
}

/// Which of the groups of rows of its columns the tile is; null if unknown.
static Value getRowGroup(OpBuilder &b, MicroKernelOp kernel) {
  auto loop = dyn_cast<scf::ForOp>(kernel->getParentOp());
  if (!loop)
    return {};
  return arith::DivUIOp::create(b, kernel.getLoc(), loop.getInductionVar(),
                                loop.getStep());
}

/// The reduction that the tile has in lanes, added to `accumulators`.
TileValue TileCase::addInnerProducts(linalg::LinalgOp op,
                                     ArrayRef<TileOperand> memory,
                                     ArrayRef<OpFoldResult> sizes,
                                     ArrayRef<unsigned> reductions,
                                     const TileValue &accumulators) {
  auto extent = [&](unsigned loop) {
    return getValueOrCreateConstantIndexOp(b, loc, sizes[loop]);
  };
  unsigned lane = spec.getLaneAxis();
  InnerProductTile tile{op,
                        getCombiner(op),
                        memory.drop_back(),
                        lane,
                        columnLoop(op),
                        rowLoop(op),
                        rows,
                        mostColumns ? mostColumns : spec.getVectors(),
                        exact ? Value() : columns,
                        extent(lane),
                        spec.getPrefetch(),
                        getRowGroup(b, kernel),
                        {}};
  for (unsigned loop : reductions)
    if (loop != lane)
      tile.outer.push_back({loop, extent(loop)});
  TileValue products;
  for (Value row : emitInnerProducts(*this, tile))
    products.push_back({row});
  return join(op, {accumulators, products});
}

/// What the reduction `op` adds to, from memory.
TileValue TileCase::readInit(linalg::LinalgOp op) {
  SmallVector<Value> loops(op.getNumLoops(), constant(0));
  unsigned column = columnLoop(op);
  std::optional<unsigned> row = rowLoop(op);
  TileOperand init;
  init.source = started.lookup(op.getDpsInits()[0]);
  init.map = op.getIndexingMapsArray().back();
  return makeTile([&](int64_t r, int64_t v) {
    loops[column] = firstColumn(v);
    if (row)
      loops[*row] = rowAt(r);
    return readVector(init, loops, column, masks[v], columnsLeft(v));
  });
}

TileValue TileCase::emit(linalg::LinalgOp op) {
  Value key = op->getResult(0);
  if (auto it = done.find(key); it != done.end())
    return it->second;
  if (auto fill = dyn_cast<linalg::FillOp>(op.getOperation())) {
    Value value = splat(outside(fill.getInputs()[0]));
    return done[key] = makeTile([&](int64_t, int64_t) { return value; });
  }
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  unsigned numInputs = op.getNumDpsInputs();
  SmallVector<TileValue> tiles(numInputs + 1);
  SmallVector<TileOperand> memory(numInputs + 1);
  std::optional<DotEmitter> dots;
  if (isDotProduct(kernel, op))
    dots.emplace(*DotEmitter::create(b, kernel, op)); // has been checked
  for (unsigned i = 0; i <= numInputs; ++i) {
    if (op->getRegion(0).front().getArgument(i).use_empty() ||
        (dots && i < numInputs))
      continue;
    Value value = op->getOperand(i);
    auto producer = value.getDefiningOp<linalg::LinalgOp>();
    if (producer && producer->getBlock() == &kernel.getBody().front())
      tiles[i] = emit(producer);
    else
      memory[i] =
          inMemory(outside(value), maps[i], spec.getVectors() * lanes, rows);
  }
  SmallVector<Value> loops(op.getNumLoops(), constant(0));
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  if (reductions.empty())
    return done[key] = emitStep(op, memory, tiles, loops, {});

  TileValue accumulators = tiles[numInputs];
  if (accumulators.empty())
    accumulators = readInit(op);
  SmallVector<OpFoldResult> sizes(op.getNumLoops());
  if (dots)
    dots->setOperands(outside(op->getOperand(dots->getInputA())),
                      outside(op->getOperand(dots->getInputB())), rows);
  for (unsigned loop : reductions)
    sizes[loop] = getExtent(op, loop);
  if (spec.getLaneAxis() >= 0)
    return done[key] =
               addInnerProducts(op, memory, sizes, reductions, accumulators);
  if (dots)
    return done[key] =
               emitDots(op, *dots, reductions, sizes, loops, accumulators);
  SmallVector<Padding> paddings;
  Value interior;
  for (unsigned i = 0; i < numInputs; ++i)
    if (std::optional<Padding> padding = findPadding(op, i, memory[i].source)) {
      paddings.push_back(*padding);
      // A copy of a tile's part has its padding written.
      if (!interior && !padding->pad.getNofold() &&
          (maps[i].isFunctionOfDim(columnLoop(op)) ||
           canLeaveOutRows(op, i, tiles)))
        interior = readAround(op, memory[i], *padding);
    }
  if (size_t count = reductions.size();
      !interior && count > 1 &&
      mergesReductions(op, memory, reductions[count - 2],
                       reductions[count - 1])) {
    // Steps beyond the inner one's extent go on with the next of the outer.
    unsigned inner = reductions.pop_back_val(), outer = reductions.back();
    reductions.back() = inner;
    auto extent = [&](unsigned loop) {
      return getValueOrCreateConstantIndexOp(b, loc, sizes[loop]);
    };
    sizes[inner] =
        arith::MulIOp::create(b, loc, extent(outer), extent(inner)).getResult();
  }
  SmallVector<OpFoldResult> starts(op.getNumLoops(), b.getIndexAttr(0));
  skipPadding(op, paddings, reductions, starts, sizes);
  if (std::optional<unsigned> image = findInsideRows(op, memory))
    return done[key] = reduceInsideRows(op, memory, *image, reductions, starts,
                                        sizes, 0, loops, accumulators);
  if (spec.getPrefetch())
    for (const TileOperand &operand : memory)
      touchNextRow(op, operand);
  auto reduce = [&](ArrayRef<TileOperand> operands) {
    SmallVector<TileOperand> split(operands);
    splitRows(op, split);
    return emitReductions(op, reductions, starts, sizes, 0, loops, accumulators,
                          [&](SmallVector<Value> at, const TileValue &in) {
                            return emitStep(op, split, tiles, at, in);
                          });
  };
  if (!interior)
    return done[key] = reduce(memory);
  // Most tiles lie inside the image and need no checks.
  SmallVector<TileOperand> unchecked(memory);
  for (TileOperand &operand : unchecked)
    operand.limit = Value();
  auto choice = scf::IfOp::create(
      b, loc, ValueRange(flatten(accumulators)).getTypes(), interior,
      /*withElseRegion=*/true);
  auto branch = [&](Region &region, ArrayRef<TileOperand> operands) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&region.front());
    scf::YieldOp::create(b, loc, flatten(reduce(operands)));
  };
  branch(choice.getThenRegion(), unchecked);
  branch(choice.getElseRegion(), memory);
  return done[key] = unflatten(choice.getResults(), rows, vectors);
}

/// The first `left` lanes, made from bits of an integer. LLVM moves comparisons
/// into the loops that use their result, where they take a vector register and
/// an instruction each step; it leaves a mask register alone. `inRange`: there
/// are as many lanes, and one at least.
static Value createBitMask(OpBuilder &b, Location loc, VectorType type,
                           Value left, bool inRange) {
  int64_t lanes = type.getNumElements();
  auto constant = [&](int64_t v) {
    return arith::ConstantIndexOp::create(b, loc, v);
  };
  Value count = left;
  if (!inRange)
    count = arith::MinSIOp::create(
        b, loc, arith::MaxSIOp::create(b, loc, left, constant(0)),
        constant(lanes));
  Value one = arith::ConstantIntOp::create(b, loc, 1, 64);
  Value bits = arith::SubIOp::create(
      b, loc,
      arith::ShLIOp::create(
          b, loc, one,
          arith::IndexCastUIOp::create(b, loc, b.getI64Type(), count)),
      one);
  Type narrow = b.getIntegerType(lanes);
  Value word = vector::FromElementsOp::create(
      b, loc, VectorType::get({1}, narrow),
      ValueRange{arith::TruncIOp::create(b, loc, narrow, bits)});
  return vector::BitCastOp::create(b, loc, type, word);
}

/// The memory of what reductions of `kernel` add to. Read as tensors, each
/// vector of each case would have to be told apart from each that any case
/// writes, and bufferization would take longer than all that follows.
static DenseMap<Value, Value> getStartedInits(OpBuilder &b,
                                              MicroKernelOp kernel) {
  DenseMap<Value, Value> started;
  for (auto op : kernel.getBody().front().getOps<linalg::LinalgOp>()) {
    if (!op.getNumReductionLoops())
      continue;
    auto argument = dyn_cast<BlockArgument>(op.getDpsInits()[0]);
    if (!argument || started.count(argument))
      continue;
    Value init = kernel->getOperand(argument.getArgNumber());
    auto type = cast<RankedTensorType>(init.getType());
    SmallVector<int64_t> strides(type.getRank(), ShapedType::kDynamic);
    strides.back() = 1; // as kernels are called
    auto layout =
        StridedLayoutAttr::get(b.getContext(), ShapedType::kDynamic, strides);
    started[argument] = bufferization::ToBufferOp::create(
        b, kernel.getLoc(),
        MemRefType::get(type.getShape(), type.getElementType(), layout), init,
        /*read_only=*/true);
  }
  return started;
}

/// Whether lanes along a reduction can be emitted: one contraction of operands
/// in memory, of which lanes are that reduction.
static LogicalResult checkInnerProducts(MicroKernelOp kernel) {
  MicroKernelAttr spec = kernel.getSpec();
  if (!llvm::isPowerOf2_64(spec.getVectors()) ||
      !llvm::isPowerOf2_64(spec.getLanes()) ||
      spec.getVectors() > spec.getLanes())
    return kernel.emitOpError("with lanes along a reduction needs a power of "
                              "two of vectors, no more than lanes");
  for (auto op : kernel.getBody().front().getOps<linalg::LinalgOp>()) {
    if (!op.getNumReductionLoops())
      continue;
    SmallVector<unsigned> reductions;
    op.getReductionDims(reductions);
    if (!llvm::is_contained(reductions, unsigned(spec.getLaneAxis())))
      return op->emitOpError() << "does not reduce along loop "
                               << spec.getLaneAxis() << ", which is in lanes";
    if (!getCombiner(op))
      return op->emitOpError("has a reduction without a neutral element");
    for (Value input : op.getDpsInputs())
      if (!isa<BlockArgument>(input) && isa<ShapedType>(input.getType()))
        return op->emitOpError(
            "with lanes along its reduction reads operands of the tile alone");
  }
  return success();
}

Value vortex::writeTile(TileCase &tile, const TileValue &values, Value into) {
  // Only the last vectors of a row are ever partial.
  ArrayRef<Value> masks = tile.masks.drop_while([](Value m) { return !m; });
  return StoreTileOp::create(tile.b, tile.loc, into, flatten(values), masks,
                             tile.rowDim ? tile.firstRow : Value(),
                             tile.vectors, tile.rowDim);
}

/// `columns` rounded up to a power of two, at most `most`.
static Value roundToCase(TileEmitter &emitter, Value columns, int64_t most) {
  OpBuilder &b = emitter.b;
  Value result = emitter.constant(llvm::bit_floor(uint64_t(most)));
  for (int64_t fewer = most / 2; fewer > 0; fewer /= 2) {
    Value holds =
        arith::CmpIOp::create(b, emitter.loc, arith::CmpIPredicate::ule,
                              columns, emitter.constant(fewer));
    result = arith::SelectOp::create(b, emitter.loc, holds,
                                     emitter.constant(fewer), result);
  }
  return result;
}

FailureOr<SmallVector<Value>> vortex::emitRegisterTile(OpBuilder &b,
                                                       MicroKernelOp kernel) {
  Location loc = kernel.getLoc();
  MicroKernelAttr spec = kernel.getSpec();
  int64_t lanes = spec.getLanes();
  auto yield = cast<YieldOp>(kernel.getBody().front().getTerminator());
  if (yield.getNumOperands() != 1)
    return kernel.emitOpError("register tiles have one result");
  auto root = yield.getOperand(0).getDefiningOp<linalg::LinalgOp>();
  Value destination = kernel.getInits()[0];
  int64_t rank = cast<RankedTensorType>(destination.getType()).getRank();
  if (!root || rank == 0)
    return kernel.emitOpError("yields no tile");
  for (auto op : kernel.getBody().front().getOps<linalg::LinalgOp>())
    if (isDotProduct(kernel, op) && failed(DotEmitter::create(b, kernel, op)))
      return failure();
  bool matrix = spec.getInstruction() == "tile";
  if (matrix && failed(checkMatrixTile(b, kernel)))
    return failure();

  TileEmitter shared(b, loc, lanes);
  Value columns = tensor::DimOp::create(b, loc, destination, rank - 1);
  int64_t rowDim = getRowDim(kernel, rank);
  Value rows = rowDim > 0
                   ? tensor::DimOp::create(b, loc, destination, rank - rowDim)
                         .getResult()
                   : shared.constant(1);
  bool inner = spec.getLaneAxis() >= 0;
  if (inner && failed(checkInnerProducts(kernel)))
    return failure();
  // Results of inner products are as many columns as there are vectors.
  int64_t vectors = inner ? 1 : spec.getVectors();
  // Cases may count such columns, as they may vectors.
  bool countsColumns = inner && spec.getNarrowRows();
  int64_t across = countsColumns ? spec.getVectors() : vectors;
  DenseMap<Value, Value> started = getStartedInits(b, kernel);
  auto maskType = VectorType::get({lanes}, b.getI1Type());
  int64_t elementBits =
      getElementTypeOrSelf(destination.getType()).getIntOrFloatBitWidth();
  auto maskOf = [&](int64_t v, bool inRange) -> Value {
    Value left =
        arith::SubIOp::create(b, loc, columns, shared.constant(v * lanes));
    if (lanes * elementBits == 512 && lanes <= 32)
      return createBitMask(b, loc, maskType, left, inRange);
    return vector::CreateMaskOp::create(b, loc, maskType, ValueRange{left});
  };
  SmallVector<Value> masks;
  for (int64_t v = 0; v < vectors && !spec.getNarrowRows(); ++v)
    masks.push_back(maskOf(v, /*inRange=*/false));

  if (matrix)
    return SmallVector<Value>{emitMatrixTile(
        b, kernel, {root, rows, columns, rowDim, masks, started})};

  // One case for each exact number of rows; with narrow tiles also for
  // each number of vectors, where fewer vectors leave room for more rows.
  constexpr int64_t kVectorStride = 64;
  int64_t accumulators = spec.getRows() * spec.getVectors();
  // No case for more rows than there can be.
  auto type = cast<RankedTensorType>(destination.getType());
  int64_t known = rowDim > 0 ? type.getDimSize(rank - rowDim) : 1;
  SmallVector<std::pair<int64_t, int64_t>> kinds;
  SmallVector<int64_t> cases;
  int64_t knownColumns = type.getDimSize(rank - 1);
  for (int64_t v = spec.getNarrowRows() ? 1 : across; v <= across; ++v) {
    // Of columns, powers of two: as many more code gains less than it takes to
    // make.
    if (countsColumns && (!llvm::isPowerOf2_64(v) ||
                          (knownColumns > 0 && v >= 2 * knownColumns)))
      continue;
    int64_t most = spec.getNarrowRows()
                       ? std::min(accumulators / v, spec.getNarrowRows())
                       : spec.getRows();
    if (!ShapedType::isDynamic(known))
      most = std::min(most, std::max<int64_t>(known, 1));
    for (int64_t r = 1; r <= most; ++r) {
      kinds.push_back({r, v});
      cases.push_back(spec.getNarrowRows() ? v * kVectorStride + r : r);
    }
  }
  linalg::LinalgOp tailed =
      inner && !countsColumns ? linalg::LinalgOp() : findSumOfLongTail(kernel);
  Value sums;
  if (tailed) {
    int64_t most = 1;
    for (auto [r, v] : kinds)
      most = std::max(most, r);
    sums = allocateInTask(b, kernel, {most, vectors * lanes},
                          getElementTypeOrSelf(tailed->getResult(0)));
  }
  Value selector = rows, used;
  if (spec.getNarrowRows()) {
    used = countsColumns ? roundToCase(shared, columns, across)
                         : arith::CeilDivUIOp::create(b, loc, columns,
                                                      shared.constant(lanes))
                               .getResult();
    selector = arith::AddIOp::create(
        b, loc,
        arith::MulIOp::create(b, loc, used, shared.constant(kVectorStride)),
        rows);
  }
  auto masksOf = [&](int64_t caseVectors) {
    // With a case for each number of vectors only the last one is partial:
    // a mask less is a register (or a comparison in the loop) less.
    SmallVector<Value> partial(masks);
    if (countsColumns && caseVectors <= 2) {
      partial = {vector::ConstantMaskOp::create(
          b, loc, maskType, ArrayRef<int64_t>{caseVectors})};
    } else if (countsColumns) {
      partial = {maskOf(0, /*inRange=*/true)};
    } else if (spec.getNarrowRows()) {
      partial.assign(caseVectors, Value());
      partial.back() = maskOf(caseVectors - 1, /*inRange=*/true);
    }
    return partial;
  };
  // The new value of the destination, of which there is none before rows are
  // finished behind all cases.
  auto emitCase = [&](int64_t caseRows, int64_t caseVectors) {
    SmallVector<Value> partial = masksOf(caseVectors), written;
    TileCase tile(b, kernel, caseRows, inner ? 1 : caseVectors, rowDim, columns,
                  partial, started);
    if (countsColumns) {
      tile.mostColumns = caseVectors;
      tile.exact = caseVectors <= 2;
    }
    if (tailed)
      storeSums(tile, tile.emit(tailed), sums);
    else
      written.push_back(writeTile(tile, tile.emit(root), destination));
    return written;
  };
  auto choose = [&](Value number, ArrayRef<int64_t> numbers, ValueRange none,
                    function_ref<SmallVector<Value>(size_t)> emit) {
    auto chooser = scf::IndexSwitchOp::create(b, loc, none.getTypes(), number,
                                              numbers, numbers.size());
    OpBuilder::InsertionGuard guard(b);
    for (size_t i = 0; i < numbers.size(); ++i) {
      b.createBlock(&chooser.getCaseRegions()[i]);
      scf::YieldOp::create(b, loc, emit(i));
    }
    b.createBlock(&chooser.getDefaultRegion());
    scf::YieldOp::create(b, loc, none);
    return SmallVector<Value>(chooser.getResults());
  };
  SmallVector<Value> written;
  if (kinds.size() == 1 && known != 0)
    written = emitCase(kinds[0].first, kinds[0].second);
  else
    written = choose(
        selector, cases, tailed ? ValueRange() : ValueRange(destination),
        [&](size_t i) { return emitCase(kinds[i].first, kinds[i].second); });
  if (!tailed)
    return written;
  auto finish = [&](int64_t count) {
    SmallVector<Value> partial = masksOf(count);
    if (countsColumns)
      partial = {maskOf(0, /*inRange=*/true)};
    return SmallVector<Value>{
        finishRows(b, kernel, {root, rows, columns, rowDim, partial, started},
                   tailed, sums)};
  };
  if (!spec.getNarrowRows() || countsColumns)
    return finish(vectors);
  return choose(used, llvm::to_vector(llvm::seq_inclusive<int64_t>(1, vectors)),
                destination, [&](size_t i) { return finish(i + 1); });
}
