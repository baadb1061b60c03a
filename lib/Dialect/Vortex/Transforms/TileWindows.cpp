//===- TileWindows.cpp - Register tiles under windows ---------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What convolutions and pooling do beyond other register tiles: padding that is
// left out or masked off, reductions over columns and channels that are one run
// of memory, addresses of rows that a window slides over.
//
//===----------------------------------------------------------------------===//

#include "TileCase.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace vortex;

int64_t vortex::getCoefficient(AffineExpr expr, unsigned loop, unsigned dims) {
  MLIRContext *context = expr.getContext();
  AffineExpr dim = getAffineDimExpr(loop, context);
  auto step = dyn_cast<AffineConstantExpr>(simplifyAffineExpr(
      expr.replace(dim, getAffineConstantExpr(1, context)) -
          expr.replace(dim, getAffineConstantExpr(0, context)),
      dims, 0));
  return step ? step.getValue() : 0;
}

/// Vectors of rows that a window slides over: a part of the operand for each
/// row, so that a step has one address for all and no product for each row, or
/// for each of `distances`, if there are any, from the first row's.
void TileCase::splitRows(linalg::LinalgOp op,
                         MutableArrayRef<TileOperand> memory,
                         ArrayRef<int64_t> distances) {
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
      int64_t known =
          cast<RankedTensorType>(operand.source.getType()).getDimSize(dim);
      SmallVector<int64_t> parts(distances);
      for (int64_t r = 0; distances.empty() && r < rows; ++r)
        parts.push_back(r * stride.getValue());
      for (int64_t distance : parts) {
        // A part starts inside its operand. What a row's pixel lies beyond that
        // is added to its index: in front of the image there may be padding.
        int64_t offset = distance;
        if (!ShapedType::isDynamic(known))
          offset = std::min(offset, std::max<int64_t>(known - 1, 0));
        offsets[dim] = b.getIndexAttr(offset);
        sizes[dim] =
            arith::SubIOp::create(b, loc, extent, constant(offset)).getResult();
        operand.rows.push_back(tensor::ExtractSliceOp::create(
            b, loc, operand.source, offsets, sizes, ones));
        operand.beyond.push_back(distance - offset);
      }
      operand.rowDim = dim;
      operand.map =
          operand.map.replace(expr, rest, operand.map.getNumDims(), 0);
      break;
    }
  }
}

TileOperand TileCase::getRowPart(const TileOperand &operand, size_t i) {
  TileOperand part = operand;
  part.source = operand.rows[i];
  if (int64_t beyond = operand.beyond[i]) {
    SmallVector<AffineExpr> exprs(part.map.getResults());
    exprs[operand.rowDim] = exprs[operand.rowDim] + beyond;
    part.map =
        AffineMap::get(part.map.getNumDims(), 0, exprs, part.map.getContext());
  }
  return part;
}

/// Whether the elements of dimension `dim` of `value` (not the first), and of
/// the one in front of it, follow each other in memory, but for what slices
/// leave out of dimensions in front of `dim`.
static bool isGapless(Value value, int64_t dim) {
  while (auto slice = value.getDefiningOp<tensor::ExtractSliceOp>()) {
    RankedTensorType type = slice.getType(), whole = slice.getSourceType();
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    int64_t from = 0; ///< dimension of the source
    for (int64_t seen = -1; seen < dim; ++from)
      seen += !dropped[from];
    --from;
    if (dropped[from - 1] || !isOneInteger(slice.getMixedStrides()[from - 1]))
      return false;
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
  if (auto memory = value.getDefiningOp<bufferization::ToTensorOp>()) {
    auto type = dyn_cast<MemRefType>(memory.getBuffer().getType());
    if (!type || type.getLayout().isIdentity())
      return bool(type);
    SmallVector<int64_t> strides;
    int64_t offset;
    return succeeded(type.getStridesAndOffset(strides, offset)) &&
           ShapedType::isStatic(strides[dim - 1]) &&
           ShapedType::isStatic(strides[dim]) && !type.isDynamicDim(dim) &&
           strides[dim - 1] == strides[dim] * type.getDimSize(dim);
  }
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

/// Steps of merged reductions, at most `most`, in which no two rows read the
/// same element: rows of a window over few channels lie closer than that. LLVM
/// would read such an element once and keep it for the other row, which takes
/// more registers than there are.
int64_t TileCase::countOwnSteps(linalg::LinalgOp op,
                                ArrayRef<TileOperand> memory, unsigned outer,
                                unsigned inner, int64_t most) {
  int64_t own = most;
  std::optional<unsigned> row = rowLoop(op);
  if (!row || rows == 1)
    return own;
  for (const TileOperand &operand : memory) {
    AffineMap map = operand.map;
    if (!operand.source || !map.isFunctionOfDim(*row) ||
        !map.isFunctionOfDim(outer) || map.isFunctionOfDim(columnLoop(op)))
      continue;
    auto position =
        map.getResultPosition(getAffineDimExpr(inner, op.getContext()));
    if (!position)
      continue;
    int64_t channels =
        cast<RankedTensorType>(operand.source.getType()).getDimSize(*position);
    int64_t stride =
        getCoefficient(map.getResult(*position - 1), *row, map.getNumDims());
    if (ShapedType::isDynamic(channels) || channels * stride == 0)
      continue;
    own = std::min(own, channels * stride);
  }
  return own;
}

/// Steps of a trip through `total` steps that are known: `usual` or, where that
/// leaves some behind, as many as leave none; 0 if there are no such.
static int64_t countDividing(int64_t total, int64_t usual) {
  if (total % usual == 0)
    return usual;
  // Seven are some 150 instructions of a tile of 6 x 16.
  for (int64_t count : {7, 6, 5, 3})
    if (total % count == 0)
      return count;
  return 0;
}

/// The innermost of `reductions` goes on with the next of the one around it,
/// which is dropped; `sizes` has as many steps for it then.
void TileCase::mergeReductions(linalg::LinalgOp op,
                               ArrayRef<TileOperand> memory,
                               SmallVectorImpl<unsigned> &reductions,
                               SmallVectorImpl<OpFoldResult> &sizes) {
  unsigned inner = reductions.pop_back_val(), outer = reductions.back();
  reductions.back() = inner;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  int64_t usual = spec.getUnroll(), dividing = 0;
  if (usual > 1 && ShapedType::isStatic(ranges[outer]) &&
      ShapedType::isStatic(ranges[inner]))
    dividing = countDividing(ranges[outer] * ranges[inner], usual);
  steps = dividing ? dividing : usual;
  int64_t own = countOwnSteps(op, memory, outer, inner, steps);
  readsAgain = dividing > own;
  if (!dividing)
    steps = llvm::bit_floor(uint64_t(own));
  auto extent = [&](unsigned loop) {
    return getValueOrCreateConstantIndexOp(b, loc, sizes[loop]);
  };
  sizes[inner] =
      arith::MulIOp::create(b, loc, extent(outer), extent(inner)).getResult();
}

/// Whether a trip through the innermost reduction of a padded window has so few
/// steps that what is around it counts, and goes on with the one around it
/// where all rows of the tile lie in the image.
bool TileCase::mergesFewSteps(linalg::LinalgOp op, ArrayRef<TileOperand> memory,
                              ArrayRef<unsigned> reductions) {
  if (reductions.size() < 2)
    return false;
  unsigned inner = reductions.back(), outer = reductions.drop_back().back();
  int64_t known = op.getStaticLoopRanges()[inner];
  return ShapedType::isStatic(known) && known <= 2 * spec.getUnroll() &&
         mergesReductions(op, memory, outer, inner);
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
  bool lanesOfImage = operand.map.isFunctionOfDim(columnLoop(op));
  if (!row || (lanesOfImage && !isContiguous(operand.map, columnLoop(op))))
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
      if (checked >= 0 || isa<AffineDimExpr>(expr) ||
          (!lanesOfImage && expr.isFunctionOfDim(reductions.back())))
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
