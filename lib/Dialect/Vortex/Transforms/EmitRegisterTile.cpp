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

#include "TileCase.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
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

SmallVector<Value> TileCase::makeLoops(linalg::LinalgOp op) {
  SmallVector<Value> loops(op.getNumLoops(), constant(0));
  if (outerRow && outerDim) {
    AffineMap out = op.getIndexingMapsArray().back();
    loops[out.getDimPosition(out.getNumResults() - outerDim)] = outerRow;
  }
  return loops;
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

int64_t vortex::getRowDim(MicroKernelOp kernel, int64_t rank) {
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

/// An operand that lies in several panels, each of which is `width` columns of
/// the tile: a part of it for each, so that a step has one address for each.
TileOperand TileCase::splitPanels(linalg::LinalgOp op, TileOperand operand) {
  MLIRContext *context = op.getContext();
  AffineExpr column = getAffineDimExpr(columnLoop(op), context);
  SmallVector<AffineExpr> exprs(operand.map.getResults());
  int64_t width = getPanelWidth(operand.map, columnLoop(op));
  auto type = dyn_cast<RankedTensorType>(operand.source.getType());
  if (!width || width % lanes || type.getShape().back() != width)
    return operand;
  int64_t dim = llvm::find(exprs, column.floorDiv(width)) - exprs.begin();
  SmallVector<OpFoldResult> sizes =
                                tensor::getMixedSizes(b, loc, operand.source),
                            offsets(type.getRank(), b.getIndexAttr(0)),
                            ones(type.getRank(), b.getIndexAttr(1));
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + dim);
  sizes[dim] = b.getIndexAttr(1);
  int64_t count = llvm::divideCeil(vectors * lanes, width);
  if (!type.isDynamicDim(dim))
    count = std::min(count, type.getDimSize(dim));
  TileOperand result = operand;
  for (int64_t i = 0; i < count; ++i) {
    offsets[dim] = b.getIndexAttr(i);
    result.panels.push_back(tensor::ExtractSliceOp::create(
        b, loc, RankedTensorType::get(shape, type.getElementType()),
        operand.source, offsets, sizes, ones));
  }
  exprs.back() = column;
  exprs.erase(exprs.begin() + dim);
  result.map = AffineMap::get(operand.map.getNumDims(), 0, exprs, context);
  result.source = result.panels.front();
  result.panelWidth = width;
  result.padded = true;
  return result;
}

/// Where vector `v` of the columns of `operand` is read, and from which column.
/// Cases of more vectors than there can be panels for do not run.
std::pair<TileOperand, Value>
TileCase::getColumnPart(const TileOperand &operand, int64_t v) {
  if (operand.panels.empty())
    return {operand, firstColumn(v)};
  TileOperand part = operand;
  int64_t panel = v * lanes / operand.panelWidth;
  part.source =
      operand.panels[std::min<int64_t>(panel, operand.panels.size() - 1)];
  return {part, constant(v * lanes - panel * operand.panelWidth)};
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
      auto [part, first] = getColumnPart(memory[i], v);
      loops[column] = first;
      if (row)
        loops[*row] = constant(0);
      columnVectors[{i, v}] =
          readVector(part, loops, column, masks[v], columnsLeft(v));
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
      TileOperand part = getRowPart(memory[i], r);
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
                        getRowGroup(b, kernel)};
  // A power of two, so that they are added pairwise.
  int64_t sums = tile.rows * tile.columns;
  while (tile.partials * 2 <= spec.getUnroll() &&
         tile.partials * 2 * sums <= spec.getInFlight())
    tile.partials *= 2;
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
  SmallVector<Value> loops = makeLoops(op);
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
      memory[i] = splitPanels(op, inMemory(outside(value), maps[i],
                                           spec.getVectors() * lanes, rows));
  }
  SmallVector<Value> loops = makeLoops(op);
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
  steps = spec.getUnroll();
  if (size_t count = reductions.size();
      !interior && count > 1 &&
      mergesReductions(op, memory, reductions[count - 2],
                       reductions[count - 1]))
    mergeReductions(op, memory, reductions, sizes);
  SmallVector<OpFoldResult> starts(op.getNumLoops(), b.getIndexAttr(0));
  skipPadding(op, paddings, reductions, starts, sizes);
  auto reduce = [&](ArrayRef<TileOperand> operands) {
    SmallVector<TileOperand> split(operands);
    if (std::optional<SharedPixels> pixels =
            findSharedPixels(op, operands, tiles, reductions.back()))
      return reduceSharedPixels(op, split, *pixels, reductions, starts, sizes,
                                loops, accumulators);
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
  std::optional<unsigned> image = findInsideRows(op, memory);
  auto reduceAround = [&] {
    return image ? reduceInsideRows(op, memory, *image, reductions, starts,
                                    sizes, 0, loops, accumulators)
                 : reduce(memory);
  };
  if (image && !mergesFewSteps(op, unchecked, reductions))
    return done[key] = reduceAround();
  auto choice = scf::IfOp::create(
      b, loc, ValueRange(flatten(accumulators)).getTypes(), interior,
      /*withElseRegion=*/true);
  auto branch = [&](Region &region, function_ref<TileValue()> sum) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&region.front());
    scf::YieldOp::create(b, loc, flatten(sum()));
  };
  branch(choice.getElseRegion(), reduceAround);
  branch(choice.getThenRegion(), [&] {
    if (image)
      mergeReductions(op, unchecked, reductions, sizes);
    return reduce(unchecked);
  });
  return done[key] = unflatten(choice.getResults(), rows, vectors);
}

/// The first `left` lanes, made from bits of an integer. LLVM moves comparisons
/// into the loops that use their result, where they take a vector register and
/// an instruction each step; it leaves a mask register alone.
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

Value vortex::createTailMask(TileEmitter &emitter, Value left,
                             int64_t elementBits, bool inRange) {
  OpBuilder &b = emitter.b;
  auto type = VectorType::get({emitter.lanes}, b.getI1Type());
  if (emitter.lanes * elementBits == 512 && emitter.lanes <= 32)
    return createBitMask(b, emitter.loc, type, left, inRange);
  return vector::CreateMaskOp::create(b, emitter.loc, type, ValueRange{left});
}

DenseMap<Value, Value> vortex::getStartedInits(OpBuilder &b,
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

/// Whether each step of a reduction of `kernel` reads vectors in place, where
/// those of the last columns need masks. The panels of an operand that was laid
/// out are padded instead.
static bool readsUnderMasks(OpBuilder &b, MicroKernelOp kernel) {
  MicroKernelAttr spec = kernel.getSpec();
  TileEmitter emitter(b, kernel.getLoc(), spec.getLanes());
  for (auto op : kernel.getBody().front().getOps<linalg::LinalgOp>()) {
    SmallVector<unsigned> reductions;
    op.getReductionDims(reductions);
    if (reductions.empty())
      continue;
    for (OpOperand *input : op.getDpsInputOperands()) {
      AffineMap map = op.getMatchingIndexingMap(input);
      if (isa<BlockArgument>(input->get()) &&
          map.isFunctionOfDim(reductions.back()) &&
          TileEmitter::isContiguous(map, columnLoop(op)) &&
          !emitter
               .inMemory(getOutside(kernel, input->get()), map,
                         spec.getVectors() * spec.getLanes(), spec.getRows())
               .padded)
        return true;
    }
  }
  return false;
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
  if (matrix && failed(checkMatrixTile(kernel)))
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
    return createTailMask(shared, left, elementBits, inRange);
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
  struct Kind {
    int64_t rows, vectors;
    bool whole = false; // all columns, under no mask
  };
  SmallVector<Kind> kinds;
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
  // Vectors under a mask are read at 0.7 of the bandwidth of others from memory
  // (measured: whole rows of B, one of A), so whole tiles have none.
  bool hasWhole =
      !inner && readsUnderMasks(b, kernel) &&
      (ShapedType::isDynamic(knownColumns) || knownColumns >= vectors * lanes);
  if (hasWhole)
    for (int64_t i = 0, e = kinds.size(); i < e; ++i)
      if (kinds[i].vectors == vectors) {
        kinds.push_back({kinds[i].rows, vectors, /*whole=*/true});
        cases.push_back((vectors + 1) * kVectorStride + kinds[i].rows);
      }
  linalg::LinalgOp tailed =
      inner && !countsColumns ? linalg::LinalgOp() : findSumOfLongTail(kernel);
  Value sums;
  if (tailed) {
    int64_t most = 1;
    for (const Kind &kind : kinds)
      most = std::max(most, kind.rows);
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
  if (hasWhole) {
    Value whole =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge, columns,
                              shared.constant(vectors * lanes));
    Value wholeCase = arith::AddIOp::create(
        b, loc, rows, shared.constant((vectors + 1) * kVectorStride));
    selector = arith::SelectOp::create(b, loc, whole, wholeCase, selector);
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
  auto emitCase = [&](const Kind &kind) {
    SmallVector<Value> partial = kind.whole ? SmallVector<Value>(kind.vectors)
                                            : masksOf(kind.vectors),
                       written;
    TileCase tile(b, kernel, kind.rows, inner ? 1 : kind.vectors, rowDim,
                  columns, partial, started);
    if (countsColumns) {
      tile.mostColumns = kind.vectors;
      tile.exact = kind.vectors <= 2;
    }
    if (tailed)
      storeSums(tile, tile.emit(tailed), sums);
    else
      // Stores are few beside steps that read under masks, and the code of
      // others takes long to compile.
      written.push_back(
          inner || (hasWhole && lanes * elementBits == 512)
              ? writeTile(tile, tile.emit(root), destination)
              : writeTileOrWhole(tile, tile.emit(root), destination));
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
    written = emitCase(kinds[0]);
  else
    written =
        choose(selector, cases, tailed ? ValueRange() : ValueRange(destination),
               [&](size_t i) { return emitCase(kinds[i]); });
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
