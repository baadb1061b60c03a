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

#include "DotEmitter.h"

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

namespace {
/// A tile in registers: rows of vectors.
using TileValue = SmallVector<SmallVector<Value>>;

/// Padding of an operand that changes no result.
struct Padding {
  tensor::PadOp pad;
  AffineMap map;              ///< of the operand
  SmallVector<Value> offsets; ///< of the tile's operand in the padded one
};

/// Emits one case: an exact number of rows and of vectors a row.
struct TileCase : TileEmitter {
  TileCase(OpBuilder &b, MicroKernelOp kernel, int64_t rows, int64_t vectors,
           int64_t rowDim, Value columns, ArrayRef<Value> masks,
           const DenseMap<Value, Value> &started)
      : TileEmitter(b, kernel.getLoc(), kernel.getSpec().getLanes(),
                    kernel.getSpec().getContract()),
        kernel(kernel), spec(kernel.getSpec()), rows(rows), vectors(vectors),
        rowDim(rowDim), columns(columns), masks(masks), started(started) {}

  MicroKernelOp kernel;
  MicroKernelAttr spec;
  int64_t rows, vectors;
  int64_t rowDim; ///< of results, from the end; 0 when they have no rows
  Value columns;
  ArrayRef<Value> masks;
  const DenseMap<Value, Value> &started; ///< inits to add to, as memory
  DenseMap<Value, TileValue> done;

  /// What `value` of the body is outside of it.
  Value outside(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value))
      if (argument.getOwner() == &kernel.getBody().front())
        return kernel->getOperand(argument.getArgNumber());
    return value;
  }

  TileValue makeTile(function_ref<Value(int64_t, int64_t)> f) {
    return makeTile(rows, f);
  }
  TileValue makeTile(int64_t count, function_ref<Value(int64_t, int64_t)> f) {
    TileValue tile(count, SmallVector<Value>(vectors));
    for (int64_t r = 0; r < count; ++r)
      for (int64_t v = 0; v < vectors; ++v)
        tile[r][v] = f(r, v);
    return tile;
  }

  /// Index of vector `v`'s first column, and the columns left from there.
  Value firstColumn(int64_t v) { return constant(v * lanes); }
  Value columnsLeft(int64_t v) {
    return arith::SubIOp::create(b, loc, columns, constant(v * lanes));
  }

  std::optional<unsigned> rowLoop(linalg::LinalgOp op);
  Value getExtent(linalg::LinalgOp op, unsigned loop);
  TileValue emit(linalg::LinalgOp op);
  void touchNextRow(linalg::LinalgOp op, const TileOperand &operand);
  void splitRows(linalg::LinalgOp op, MutableArrayRef<TileOperand> memory);
  TileValue emitStep(linalg::LinalgOp op, ArrayRef<TileOperand> memory,
                     ArrayRef<TileValue> tiles, SmallVector<Value> loops,
                     const TileValue &accumulators);
  bool mergesReductions(linalg::LinalgOp op, ArrayRef<TileOperand> memory,
                        unsigned outer, unsigned inner);
  void skipPadding(linalg::LinalgOp op, ArrayRef<Padding> paddings,
                   ArrayRef<unsigned> reductions,
                   SmallVectorImpl<OpFoldResult> &starts,
                   SmallVectorImpl<OpFoldResult> &sizes);
  std::optional<Padding> findPadding(linalg::LinalgOp op, unsigned i,
                                     Value source);
  Value readAround(linalg::LinalgOp op, TileOperand &operand,
                   const Padding &padding);
  TileValue addInnerProducts(linalg::LinalgOp op, ArrayRef<TileOperand> memory,
                             ArrayRef<OpFoldResult> sizes,
                             ArrayRef<unsigned> reductions,
                             const TileValue &accumulators);
  int64_t countPartials(linalg::LinalgOp op);
  TileValue join(linalg::LinalgOp op, ArrayRef<TileValue> partials);
  using Step = function_ref<TileValue(SmallVector<Value>, const TileValue &)>;
  /// `tail`, if any, is the innermost step at its last value, which only some
  /// sizes need: then `innerSize` ends at the one in front.
  TileValue emitReductions(linalg::LinalgOp op, ArrayRef<unsigned> reductions,
                           ArrayRef<OpFoldResult> starts,
                           ArrayRef<OpFoldResult> sizes, unsigned depth,
                           SmallVector<Value> loops, TileValue accumulators,
                           Step step, Step tail = nullptr,
                           Value tailEnd = Value());
  TileValue emitDots(linalg::LinalgOp op, DotEmitter dots,
                     ArrayRef<unsigned> reductions,
                     SmallVector<OpFoldResult> sizes, SmallVector<Value> loops,
                     TileValue accumulators);
};
} // namespace

/// The loop that walks the last dimension of the result.
static unsigned columnLoop(linalg::LinalgOp op) {
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

static SmallVector<Value> flatten(const TileValue &tile) {
  SmallVector<Value> values;
  for (const SmallVector<Value> &row : tile)
    llvm::append_range(values, row);
  return values;
}

static TileValue unflatten(ValueRange values, int64_t rows, int64_t vectors) {
  TileValue tile(rows, SmallVector<Value>(vectors));
  for (auto [i, value] : llvm::enumerate(values))
    tile[i / vectors][i % vectors] = value;
  return tile;
}

/// Coefficient of `loop` in `expr`; 0 when it has none that is constant.
static int64_t getCoefficient(AffineExpr expr, unsigned loop, unsigned dims) {
  MLIRContext *context = expr.getContext();
  AffineExpr dim = getAffineDimExpr(loop, context);
  auto step = dyn_cast<AffineConstantExpr>(simplifyAffineExpr(
      expr.replace(dim, getAffineConstantExpr(1, context)) -
          expr.replace(dim, getAffineConstantExpr(0, context)),
      dims, 0));
  return step ? step.getValue() : 0;
}

/// Touches what the tile below this one reads first, its part of the next rows
/// of the image: only the machine's own prefetchers would otherwise, and a tile
/// is a short run in each row.
void TileCase::touchNextRow(linalg::LinalgOp op, const TileOperand &operand) {
  std::optional<unsigned> row = rowLoop(op);
  unsigned column = columnLoop(op);
  if (!row || !operand.source || operand.base ||
      !isContiguous(operand.map, column))
    return;
  unsigned dims = operand.map.getNumDims();
  SmallVector<unsigned> reductions, parallel;
  op.getReductionDims(reductions);
  op.getParallelDims(parallel);
  // Loops of the result and of the window along rows and along columns.
  std::optional<unsigned> below, tapBelow, tapBeside;
  int64_t rowStep = 0, columnStep = 0;
  for (AffineExpr expr : operand.map.getResults()) {
    if (isa<AffineDimExpr>(expr))
      continue;
    for (unsigned tap : reductions) {
      if (!expr.isFunctionOfDim(tap))
        continue;
      if (expr.isFunctionOfDim(*row)) {
        tapBeside = tap;
        columnStep = getCoefficient(expr, *row, dims);
        continue;
      }
      for (unsigned loop : parallel)
        if (expr.isFunctionOfDim(loop)) {
          below = loop;
          tapBelow = tap;
          rowStep = getCoefficient(expr, loop, dims);
        }
    }
  }
  if (!below || !tapBeside || rowStep < 1 || columnStep < 1)
    return;
  auto type = cast<RankedTensorType>(operand.source.getType());
  SmallVector<int64_t> strides(type.getRank(), ShapedType::kDynamic);
  strides.back() = 1; // as kernels are called
  Value memory = bufferization::ToBufferOp::create(
      b, loc,
      MemRefType::get(type.getShape(), type.getElementType(),
                      StridedLayoutAttr::get(b.getContext(),
                                             ShapedType::kDynamic, strides)),
      operand.source, /*read_only=*/true);
  SmallVector<Value> loops(op.getNumLoops(), constant(0));
  loops[*below] = constant(1);
  Value taps = getExtent(op, *tapBelow);
  for (int64_t y = 0; y < rowStep; ++y)
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t x = 0; x < columnStep; ++x)
        for (int64_t v = 0; v < vectors; ++v) {
          loops[*tapBelow] =
              arith::SubIOp::create(b, loc, taps, constant(y + 1));
          loops[*row] = constant(r);
          loops[*tapBeside] = constant(x);
          loops[column] = firstColumn(v);
          memref::PrefetchOp::create(b, loc, memory, indices(operand, loops),
                                     /*isWrite=*/false, /*localityHint=*/3,
                                     /*isDataCache=*/true);
        }
}

/// Vectors of rows that a window slides over: a part of the operand for each
/// row, so that a step has one address for all and no product for each row.
void TileCase::splitRows(linalg::LinalgOp op,
                         MutableArrayRef<TileOperand> memory) {
  std::optional<unsigned> row = rowLoop(op);
  if (!row || op.getNumReductionLoops() == 0)
    return;
  MLIRContext *context = op.getContext();
  AffineExpr loop = getAffineDimExpr(*row, context),
             zero = getAffineConstantExpr(0, context);
  for (TileOperand &operand : memory) {
    if (!operand.source || operand.base ||
        !operand.map.isFunctionOfDim(columnLoop(op)))
      continue;
    for (unsigned dim = 0; dim < operand.map.getNumResults(); ++dim) {
      AffineExpr expr = operand.map.getResult(dim);
      AffineExpr rest = expr.replace(loop, zero);
      auto stride = dyn_cast<AffineConstantExpr>(simplifyAffineExpr(
          expr.replace(loop, getAffineConstantExpr(1, context)) - rest,
          operand.map.getNumDims(), 0));
      if (isa<AffineDimExpr>(expr) || !expr.isFunctionOfDim(*row) || !stride)
        continue;
      int64_t rank = operand.map.getNumResults();
      SmallVector<OpFoldResult> sizes =
          tensor::getMixedSizes(b, loc, operand.source);
      SmallVector<OpFoldResult> offsets(rank, b.getIndexAttr(0)),
          ones(rank, b.getIndexAttr(1));
      Value extent = getValueOrCreateConstantIndexOp(b, loc, sizes[dim]);
      for (int64_t r = 0; r < rows; ++r) {
        int64_t offset = r * stride.getValue();
        offsets[dim] = b.getIndexAttr(offset);
        sizes[dim] =
            arith::SubIOp::create(b, loc, extent, constant(offset)).getResult();
        operand.rows.push_back(tensor::ExtractSliceOp::create(
            b, loc, operand.source, offsets, sizes, ones));
      }
      operand.map =
          operand.map.replace(expr, rest, operand.map.getNumDims(), 0);
      break;
    }
  }
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
      loops[*row] = constant(r);
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

/// The op that adds to the result of a reduction.
static Operation *getCombiner(linalg::LinalgOp op) {
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

/// Whether the elements of `value` follow each other in memory, but for what
/// slices leave out of dimensions in front of `dim`.
static bool isGapless(Value value, int64_t dim) {
  while (auto slice = value.getDefiningOp<tensor::ExtractSliceOp>()) {
    RankedTensorType type = slice.getType(), whole = slice.getSourceType();
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    int64_t from = 0; ///< dimension of the source
    for (int64_t seen = -1; seen < dim; ++from)
      seen += !dropped[from];
    --from;
    // Reductions are not tiled inside what is read of a copy, so a slice that
    // starts at 0 has all of them.
    for (int64_t i = from, j = dim; i < whole.getRank(); ++i, ++j)
      if (dropped[i] || !isZeroInteger(slice.getMixedOffsets()[i]) ||
          !isOneInteger(slice.getMixedStrides()[i]) ||
          type.getDimSize(j) != whole.getDimSize(i))
        return false;
    value = slice.getSource();
    dim = from;
  }
  while (auto cast = value.getDefiningOp<tensor::CastOp>())
    value = cast.getSource();
  if (auto memory = value.getDefiningOp<bufferization::ToTensorOp>())
    return cast<BaseMemRefType>(memory.getBuffer().getType()).getTypeID() ==
               TypeID::get<MemRefType>() &&
           cast<MemRefType>(memory.getBuffer().getType())
               .getLayout()
               .isIdentity();
  return isa_and_present<linalg::PackOp, tensor::PadOp>(value.getDefiningOp());
}

/// Whether all that both reductions walk lies in memory as one run of them.
bool TileCase::mergesReductions(linalg::LinalgOp op,
                                ArrayRef<TileOperand> memory, unsigned outer,
                                unsigned inner) {
  bool found = false;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  MLIRContext *context = op.getContext();
  AffineExpr step = getAffineDimExpr(outer, context);
  for (auto [i, operand] : llvm::enumerate(memory)) {
    if (!maps[i].isFunctionOfDim(outer) && !maps[i].isFunctionOfDim(inner))
      continue;
    auto position = maps[i].getResultPosition(getAffineDimExpr(inner, context));
    if (!operand.source || operand.base || !position || *position == 0)
      return false;
    for (auto [dim, expr] : llvm::enumerate(maps[i].getResults()))
      if ((dim != *position && expr.isFunctionOfDim(inner)) ||
          (dim + 1 != *position && expr.isFunctionOfDim(outer)))
        return false;
    AffineExpr expr = maps[i].getResult(*position - 1);
    AffineExpr rest = expr.replace(step, getAffineConstantExpr(0, context));
    if (simplifyAffineExpr(expr - rest - step, maps[i].getNumDims(), 0) !=
            getAffineConstantExpr(0, context) ||
        !isGapless(operand.source, *position))
      return false;
    found = true;
  }
  return found;
}

bool vortex::isNeutral(linalg::LinalgOp op, unsigned i, Value padding) {
  Operation *combiner = getCombiner(op);
  if (!combiner)
    return false;
  Value element = op->getRegion(0).front().getArgument(i);
  auto widen = [](Value value) {
    while (isa_and_present<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp>(
        value.getDefiningOp()))
      value = value.getDefiningOp()->getOperand(0);
    return value;
  };
  for (Value term : combiner->getOperands()) {
    Operation *product = term.getDefiningOp();
    bool adds = isa<arith::AddFOp, arith::AddIOp>(combiner);
    if (isa_and_present<arith::MulFOp, arith::MulIOp>(product) && adds &&
        (widen(product->getOperand(0)) == element ||
         widen(product->getOperand(1)) == element))
      return matchPattern(padding, m_Zero()) ||
             matchPattern(padding, m_AnyZeroFloat());
    Attribute value;
    if (term == element && matchPattern(padding, m_Constant(&value)))
      return value == *arith::getNeutralElement(combiner);
  }
  return false;
}

/// The padding of input `i`, read from `source`.
std::optional<Padding> TileCase::findPadding(linalg::LinalgOp op, unsigned i,
                                             Value source) {
  SmallVector<tensor::ExtractSliceOp> slices;
  while (source) {
    if (auto slice = source.getDefiningOp<tensor::ExtractSliceOp>()) {
      if (slice.getDroppedDims().any())
        return std::nullopt;
      slices.push_back(slice);
      source = slice.getSource();
    } else if (auto cast = source.getDefiningOp<tensor::CastOp>()) {
      source = cast.getSource();
    } else {
      break;
    }
  }
  auto pad = source ? source.getDefiningOp<tensor::PadOp>() : tensor::PadOp();
  if (!pad || !pad.getConstantPaddingValue() ||
      !isNeutral(op, i, pad.getConstantPaddingValue()))
    return std::nullopt;
  Padding padding = {pad, op.getIndexingMapsArray()[i], {}};
  for (int64_t dim = 0; dim < pad.getSourceType().getRank(); ++dim) {
    Value offset = constant(0);
    for (tensor::ExtractSliceOp slice : slices)
      offset = arith::AddIOp::create(b, loc, offset,
                                     getValueOrCreateConstantIndexOp(
                                         b, loc, slice.getMixedOffsets()[dim]));
    padding.offsets.push_back(offset);
  }
  return padding;
}

static bool isPadded(tensor::PadOp pad, int64_t dim) {
  return !isZeroInteger(pad.getMixedLowPad()[dim]) ||
         !isZeroInteger(pad.getMixedHighPad()[dim]);
}

/// Leaves out the steps of outer reductions at which an operand has nothing but
/// padding: rows of a window in front of an image and behind it.
void TileCase::skipPadding(linalg::LinalgOp op, ArrayRef<Padding> paddings,
                           ArrayRef<unsigned> reductions,
                           SmallVectorImpl<OpFoldResult> &starts,
                           SmallVectorImpl<OpFoldResult> &sizes) {
  MLIRContext *context = op.getContext();
  AffineExpr zero = getAffineConstantExpr(0, context);
  std::optional<unsigned> row = rowLoop(op);
  auto value = [&](OpFoldResult v) {
    return getValueOrCreateConstantIndexOp(b, loc, v);
  };
  for (const Padding &padding : paddings)
    for (unsigned loop : reductions.drop_back())
      for (unsigned dim = 0; dim < padding.map.getNumResults(); ++dim) {
        AffineExpr expr = padding.map.getResult(dim);
        // All else that moves along the dimension is one step of a tile.
        if (!expr.isFunctionOfDim(loop) || !isPadded(padding.pad, dim) ||
            (row && expr.isFunctionOfDim(*row)) ||
            expr.isFunctionOfDim(columnLoop(op)) ||
            llvm::any_of(reductions, [&](unsigned other) {
              return other != loop && expr.isFunctionOfDim(other);
            }))
          continue;
        AffineExpr tap = getAffineDimExpr(loop, context);
        auto step = dyn_cast<AffineConstantExpr>(simplifyAffineExpr(
            expr.replace(tap, getAffineConstantExpr(1, context)) -
                expr.replace(tap, zero),
            padding.map.getNumDims(), 0));
        if (!step || step.getValue() < 1)
          continue;
        tensor::PadOp pad = padding.pad;
        Value low = arith::SubIOp::create(
            b, loc, value(pad.getMixedLowPad()[dim]), padding.offsets[dim]);
        Value end = arith::AddIOp::create(
            b, loc, low,
            value(tensor::getMixedSize(b, loc, pad.getSource(), dim)));
        auto steps = [&](Value distance) -> Value {
          distance = arith::MaxSIOp::create(b, loc, distance, constant(0));
          return arith::CeilDivUIOp::create(b, loc, distance,
                                            constant(step.getValue()));
        };
        starts[loop] = steps(low);
        sizes[loop] =
            arith::MinUIOp::create(b, loc, value(sizes[loop]), steps(end))
                .getResult();
      }
}

/// Lets `operand` be read from what is padded, with rows of a tile masked off
/// where they lie in the padding. Null when that cannot be, else whether none
/// of the tile's does.
Value TileCase::readAround(linalg::LinalgOp op, TileOperand &operand,
                           const Padding &padding) {
  std::optional<unsigned> row = rowLoop(op);
  tensor::PadOp pad = padding.pad;
  if (!row || !isContiguous(operand.map, columnLoop(op)))
    return {};
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  auto value = [&](OpFoldResult v) {
    return getValueOrCreateConstantIndexOp(b, loc, v);
  };
  int64_t checked = -1;
  std::vector<Value> shift;
  for (int64_t dim = 0; dim < pad.getSourceType().getRank(); ++dim) {
    AffineExpr expr = operand.map.getResult(dim);
    shift.push_back(arith::SubIOp::create(b, loc, padding.offsets[dim],
                                          value(pad.getMixedLowPad()[dim])));
    if (!isPadded(pad, dim))
      continue;
    if (expr.isFunctionOfDim(columnLoop(op)))
      return {};
    if (expr.isFunctionOfDim(*row)) {
      if (checked >= 0 || isa<AffineDimExpr>(expr))
        return {};
      checked = dim;
      continue;
    }
    // Left out by the loop around, which only outer reductions are.
    if (expr.isFunctionOfDim(reductions.back()) ||
        llvm::count_if(reductions, [&](unsigned loop) {
          return expr.isFunctionOfDim(loop);
        }) != 1)
      return {};
  }
  operand.source = pad.getSource();
  operand.shift = shift;
  Attribute scalar;
  if (matchPattern(pad.getConstantPaddingValue(), m_Constant(&scalar)))
    operand.pad = cast<TypedAttr>(scalar);
  if (checked < 0)
    return arith::ConstantIntOp::create(b, loc, 1, 1);
  operand.checked = operand.map.getResult(checked);
  operand.checkedShift = shift[checked];
  operand.limit = value(tensor::getMixedSize(b, loc, pad.getSource(), checked));
  // The first and the last pixel of the window in the first and the last row.
  SmallVector<Value> loops(op.getNumLoops(), constant(0));
  auto at = [&] {
    return arith::AddIOp::create(b, loc, evaluate(operand.checked, loops),
                                 operand.checkedShift)
        .getResult();
  };
  Value first = at();
  loops[*row] = constant(rows - 1);
  for (unsigned loop : reductions)
    loops[loop] =
        arith::SubIOp::create(b, loc, getExtent(op, loop), constant(1));
  Value last = at();
  auto inside = [&](arith::CmpIPredicate predicate, Value x, Value y) {
    return arith::CmpIOp::create(b, loc, predicate, x, y).getResult();
  };
  return arith::AndIOp::create(
      b, loc, inside(arith::CmpIPredicate::sge, first, constant(0)),
      inside(arith::CmpIPredicate::slt, last, operand.limit));
}

/// A nest of reduction loops with the accumulators as iter_args; the innermost
/// is unrolled.
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
  if (int64_t count = countPartials(op); count > 1) {
    Value none = splat(arith::ConstantOp::create(
        b, loc, *arith::getNeutralElement(getCombiner(op))));
    partials.append(count - 1,
                    makeTile(sums, [&](int64_t, int64_t) { return none; }));
  }
  scf::ForOp main = loop(constant(0), whole, spec.getUnroll(), partials);
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
                        spec.getVectors(),
                        columns,
                        extent(lane),
                        {}};
  for (unsigned loop : reductions)
    if (loop != lane)
      tile.outer.push_back({loop, extent(loop)});
  TileValue products;
  for (Value row : emitInnerProducts(*this, tile))
    products.push_back({row});
  return join(op, {accumulators, products});
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
  if (accumulators.empty()) {
    unsigned column = columnLoop(op);
    std::optional<unsigned> row = rowLoop(op);
    TileOperand init;
    init.source = started.lookup(op.getDpsInits()[0]);
    init.map = maps[numInputs];
    accumulators = makeTile([&](int64_t r, int64_t v) {
      loops[column] = firstColumn(v);
      if (row)
        loops[*row] = constant(r);
      return readVector(init, loops, column, masks[v], columnsLeft(v));
    });
  }
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
  if (size_t count = reductions.size();
      count > 1 && mergesReductions(op, memory, reductions[count - 2],
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
  SmallVector<Padding> paddings;
  Value interior;
  for (unsigned i = 0; i < numInputs; ++i)
    if (std::optional<Padding> padding = findPadding(op, i, memory[i].source)) {
      paddings.push_back(*padding);
      // A copy of a tile's part has its padding written.
      if (!interior && !padding->pad.getNofold())
        interior = readAround(op, memory[i], *padding);
    }
  skipPadding(op, paddings, reductions, starts, sizes);
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
/// an instruction each step; it leaves a mask register alone.
static Value createBitMask(OpBuilder &b, Location loc, VectorType type,
                           Value left) {
  int64_t lanes = type.getNumElements();
  auto constant = [&](int64_t v) {
    return arith::ConstantIndexOp::create(b, loc, v);
  };
  Value count = arith::MinSIOp::create(
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
      spec.getVectors() > spec.getLanes() || spec.getNarrowRows())
    return kernel.emitOpError(
        "with lanes along a reduction needs a power of two of vectors, no more "
        "than lanes, and no narrow rows");
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
  DenseMap<Value, Value> started = getStartedInits(b, kernel);
  SmallVector<Value> masks;
  auto maskType = VectorType::get({lanes}, b.getI1Type());
  int64_t elementBits =
      getElementTypeOrSelf(destination.getType()).getIntOrFloatBitWidth();
  for (int64_t v = 0; v < vectors; ++v) {
    Value left =
        arith::SubIOp::create(b, loc, columns, shared.constant(v * lanes));
    bool wide = lanes * elementBits == 512 && lanes <= 32;
    masks.push_back(
        wide ? createBitMask(b, loc, maskType, left)
             : vector::CreateMaskOp::create(b, loc, maskType, ValueRange{left})
                   .getResult());
  }

  // One case for each exact number of rows; with narrow tiles also for
  // each number of vectors, where fewer vectors leave room for more rows.
  constexpr int64_t kVectorStride = 64;
  int64_t accumulators = spec.getRows() * spec.getVectors();
  SmallVector<std::pair<int64_t, int64_t>> kinds;
  SmallVector<int64_t> cases;
  for (int64_t v = spec.getNarrowRows() ? 1 : vectors; v <= vectors; ++v) {
    int64_t most = spec.getNarrowRows()
                       ? std::min(accumulators / v, spec.getNarrowRows())
                       : spec.getRows();
    for (int64_t r = 1; r <= most; ++r) {
      kinds.push_back({r, v});
      cases.push_back(spec.getNarrowRows() ? v * kVectorStride + r : r);
    }
  }
  Value selector = rows;
  if (spec.getNarrowRows()) {
    Value used =
        arith::CeilDivUIOp::create(b, loc, columns, shared.constant(lanes));
    selector = arith::AddIOp::create(
        b, loc,
        arith::MulIOp::create(b, loc, used, shared.constant(kVectorStride)),
        rows);
  }
  auto emitCase = [&](int64_t caseRows, int64_t caseVectors) {
    // With a case for each number of vectors only the last one is partial:
    // a mask less is a register (or a comparison in the loop) less.
    SmallVector<Value> partial(masks.begin(), masks.begin() + caseVectors);
    if (spec.getNarrowRows())
      for (Value &mask : MutableArrayRef<Value>(partial).drop_back())
        mask = Value();
    TileCase tile(b, kernel, caseRows, caseVectors, rowDim, columns, partial,
                  started);
    TileValue values = tile.emit(root);
    Value result = destination;
    AffineMap minor = AffineMap::getMinorIdentityMap(rank, 1, b.getContext());
    for (int64_t r = 0; r < caseRows; ++r)
      for (int64_t v = 0; v < caseVectors; ++v) {
        SmallVector<Value> at(rank, shared.constant(0));
        if (rowDim > 0)
          at[rank - rowDim] = shared.constant(r);
        at[rank - 1] = shared.constant(v * lanes);
        result = vector::TransferWriteOp::create(b, loc, values[r][v], result,
                                                 at, AffineMapAttr::get(minor),
                                                 partial[v],
                                                 b.getBoolArrayAttr({true}))
                     .getResult();
      }
    return result;
  };
  if (kinds.size() == 1)
    return SmallVector<Value>{emitCase(kinds[0].first, kinds[0].second)};
  auto chooser = scf::IndexSwitchOp::create(
      b, loc, TypeRange{destination.getType()}, selector, cases, cases.size());
  for (auto [i, kind] : llvm::enumerate(kinds)) {
    OpBuilder::InsertionGuard guard(b);
    b.createBlock(&chooser.getCaseRegions()[i]);
    scf::YieldOp::create(b, loc, emitCase(kind.first, kind.second));
  }
  OpBuilder::InsertionGuard guard(b);
  b.createBlock(&chooser.getDefaultRegion());
  scf::YieldOp::create(b, loc, destination);
  return SmallVector<Value>{chooser.getResult(0)};
}
