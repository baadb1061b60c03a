//===- MicroKernelEmitter.cpp - What the tile emitters share ----*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MicroKernelEmitter.h"
#include "PayloadClass.h"

#include "vortex/Dialect/Vortex/IR/ProductSums.h"

#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace vortex;

std::optional<int64_t> vortex::getColumnBehind(scf::ForOp loop, Value index) {
  if (index == loop.getInductionVar())
    return 0;
  auto add = index.getDefiningOp<arith::AddIOp>();
  if (!add || add.getLhs() != loop.getInductionVar())
    return std::nullopt;
  return getConstantIntValue(add.getRhs());
}

Value TileEmitter::constant(int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

Value TileEmitter::splat(Value scalar) {
  VectorType type = vectorOf(scalar.getType());
  if (auto c = scalar.getDefiningOp<arith::ConstantOp>())
    return arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(type, cast<TypedAttr>(c.getValue())));
  return vector::BroadcastOp::create(b, loc, type, scalar);
}

static bool isSignedDivision(Operation &op) {
  return isa<arith::DivSIOp, arith::RemSIOp, arith::CeilDivSIOp,
             arith::FloorDivSIOp>(op);
}
static bool isIntegerDivision(Operation &op) {
  return isSignedDivision(op) ||
         isa<arith::DivUIOp, arith::RemUIOp, arith::CeilDivUIOp>(op);
}

/// Lanes past the end of a row are zero, and integers are divided one by one: a
/// divisor that would trap is 1. It has no meaning in a lane that counts.
Value TileEmitter::makeDivisor(Operation &op, Value dividend, Value divisor) {
  auto element = cast<IntegerType>(op.getOperand(1).getType());
  auto all = [&](APInt value) -> Value {
    return splat(
        arith::ConstantOp::create(b, loc, b.getIntegerAttr(element, value)));
  };
  auto equal = [&](Value x, APInt value) -> Value {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, x,
                                 all(value));
  };
  unsigned width = element.getWidth();
  Value traps = equal(divisor, APInt::getZero(width));
  if (isSignedDivision(op))
    traps = arith::OrIOp::create(
        b, loc, traps,
        arith::AndIOp::create(
            b, loc, equal(divisor, APInt::getAllOnes(width)),
            equal(dividend, APInt::getSignedMinValue(width))));
  return arith::SelectOp::create(b, loc, traps, all(APInt(width, 1)), divisor);
}

/// The number that all lanes of `value` are; null: not one that is known here.
static Value getSplatted(OpBuilder &b, Value value) {
  if (auto broadcast = value.getDefiningOp<vector::BroadcastOp>())
    return isa<FloatType>(broadcast.getSourceType()) ? broadcast.getSource()
                                                     : Value();
  DenseElementsAttr numbers;
  if (!matchPattern(value, m_Constant(&numbers)) || !numbers.isSplat() ||
      !isa<FloatType>(numbers.getElementType()))
    return {};
  return arith::ConstantOp::create(b, value.getLoc(),
                                   numbers.getSplatValue<TypedAttr>());
}

/// What is the same in all lanes, as what a row's sums give is, is computed
/// once: divisions and roots of vectors keep their unit for as long as all of
/// a short row takes. Whether it is computed at all depends on the lanes, so
/// nothing that may trap is.
bool TileEmitter::computeOnce(Operation &op, IRMapping &map) {
  auto isFloat = [](Type type) { return type.isF32() || type.isF64(); };
  // Functions have code of their own for lanes, with other last bits.
  if (op.getNumOperands() == 0 || isFunction(op) ||
      !llvm::all_of(op.getOperandTypes(), isFloat) ||
      !llvm::all_of(op.getResultTypes(), isFloat))
    return false;
  IRMapping scalars;
  for (Value operand : op.getOperands()) {
    Value scalar = getSplatted(b, map.lookup(operand));
    if (!scalar)
      return false;
    scalars.map(operand, scalar);
  }
  Operation *clone = b.clone(op, scalars);
  if (contract)
    allowContraction(clone);
  for (auto [from, to] : llvm::zip(op.getResults(), clone->getResults()))
    map.map(from, splat(to));
  return true;
}

void TileEmitter::clonePayload(Operation &op, IRMapping &map) {
  // Which products LLVM contracts depends on how often each is used, and that
  // on the height of the tile where rows share it.
  if (!contract) {
    if (op.hasOneUse() && getAddedProduct(**op.user_begin()) == &op) {
      for (Value operand : op.getOperands())
        if (!map.contains(operand))
          map.map(operand, splat(operand));
      return;
    }
    if (arith::MulFOp product = getAddedProduct(op)) {
      Value sum = op.getBlock()->getArguments().back();
      map.map(op.getResult(0),
              math::FmaOp::create(b, loc, map.lookup(product.getLhs()),
                                  map.lookup(product.getRhs()), map.lookup(sum))
                  .getResult());
      return;
    }
  }
  for (Value operand : op.getOperands())
    if (!map.contains(operand))
      map.map(operand, splat(operand));
  // Constants of the body are splatted where they are used.
  if (isa<arith::ConstantOp>(op) || computeOnce(op, map))
    return;
  Operation *clone = b.clone(op, map);
  if (isIntegerDivision(op)) {
    b.setInsertionPoint(clone);
    clone->setOperand(
        1, makeDivisor(op, clone->getOperand(0), clone->getOperand(1)));
    b.setInsertionPointAfter(clone);
  }
  for (OpResult result : clone->getResults())
    if (!isa<VectorType>(result.getType()))
      result.setType(vectorOf(result.getType()));
  if (contract)
    allowContraction(clone);
  map.map(op.getResults(), clone->getResults());
}

Value TileEmitter::evaluate(AffineExpr expr, ArrayRef<Value> loops) {
  return affine::expandAffineExpr(b, loc, expr, loops, {});
}

SmallVector<Value> TileEmitter::indices(const TileOperand &operand,
                                        ArrayRef<Value> loops) {
  SmallVector<Value> result;
  for (AffineExpr expr : operand.map.getResults())
    result.push_back(evaluate(expr, loops));
  for (auto [index, shift] : llvm::zip(result, operand.shift))
    index = arith::AddIOp::create(b, loc, index, shift);
  if (!operand.base)
    return result;
  Value linear = result[0];
  for (size_t i = 1; i < result.size(); ++i)
    linear = arith::AddIOp::create(
        b, loc, arith::MulIOp::create(b, loc, linear, operand.sizes[i]),
        result[i]);
  return {arith::AddIOp::create(b, loc, operand.base, linear)};
}

Value TileEmitter::readScalar(const TileOperand &operand,
                              ArrayRef<Value> loops) {
  if (!isa<ShapedType>(operand.source.getType()))
    return operand.source;
  return tensor::ExtractOp::create(b, loc, operand.source,
                                   indices(operand, loops));
}

bool TileEmitter::isContiguous(AffineMap map, unsigned laneLoop) {
  unsigned rank = map.getNumResults();
  if (rank == 0)
    return false;
  for (unsigned i = 0; i + 1 < rank; ++i)
    if (map.getResult(i).isFunctionOfDim(laneLoop))
      return false;
  // The last index is the lane plus something the lanes share.
  MLIRContext *context = map.getContext();
  AffineExpr lane = getAffineDimExpr(laneLoop, context);
  AffineExpr last = map.getResult(rank - 1);
  AffineExpr rest = last.replace(lane, getAffineConstantExpr(0, context));
  return simplifyAffineExpr(last - rest - lane, map.getNumDims(), 0) ==
         getAffineConstantExpr(0, context);
}

int64_t TileEmitter::getPanelWidth(AffineMap map, unsigned laneLoop) {
  if (map.getNumResults() == 0)
    return 0;
  auto last =
      dyn_cast<AffineBinaryOpExpr>(map.getResult(map.getNumResults() - 1));
  if (!last || last.getKind() != AffineExprKind::Mod ||
      last.getLHS() != getAffineDimExpr(laneLoop, map.getContext()))
    return 0;
  auto width = dyn_cast<AffineConstantExpr>(last.getRHS());
  AffineExpr panel = width ? last.getLHS().floorDiv(width) : AffineExpr();
  return width && llvm::is_contained(map.getResults(), panel) ? width.getValue()
                                                              : 0;
}

Value TileEmitter::readVector(const TileOperand &operand, ArrayRef<Value> loops,
                              unsigned laneLoop, Value mask, Value valid,
                              TypedAttr pad) {
  Type element = getElementTypeOrSelf(operand.source.getType());
  if (!pad)
    pad = b.getZeroAttr(element);
  if (isContiguous(operand.map, laneLoop)) {
    SmallVector<Value> at = indices(operand, loops);
    AffineMap minor =
        AffineMap::getMinorIdentityMap(at.size(), 1, b.getContext());
    Value padding = arith::ConstantOp::create(b, loc, pad);
    return vector::TransferReadOp::create(
        b, loc, vectorOf(element), operand.source, at,
        AffineMapAttr::get(minor), padding, operand.padded ? Value() : mask,
        b.getBoolArrayAttr({true}));
  }
  // Lanes are apart in memory: one load each, never past the last valid one.
  Value result = arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(vectorOf(element), pad));
  Value last;
  if (valid)
    last = arith::SubIOp::create(b, loc, valid, constant(1));
  SmallVector<Value> at(loops);
  for (int64_t lane = 0; lane < lanes; ++lane) {
    Value offset = constant(lane);
    if (last)
      offset = arith::MinSIOp::create(b, loc, offset, last);
    at[laneLoop] = arith::AddIOp::create(b, loc, loops[laneLoop], offset);
    result = vector::InsertOp::create(b, loc, readScalar(operand, at), result,
                                      ArrayRef<int64_t>{lane});
  }
  if (mask && pad != b.getZeroAttr(element)) {
    Value padding = arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(vectorOf(element), pad));
    result = arith::SelectOp::create(b, loc, mask, result, padding);
  }
  return result;
}

TileOperand TileEmitter::inMemory(Value value, AffineMap map,
                                  int64_t panelWidth, int64_t rows) {
  TileOperand operand;
  // Static sizes found after expansion stand behind casts.
  while (auto cast = value.getDefiningOp<tensor::CastOp>())
    value = cast.getSource();
  operand.source = value;
  operand.map = map;
  auto slice = value.getDefiningOp<tensor::ExtractSliceOp>();
  if (!slice)
    return operand;
  RankedTensorType type = slice.getSourceType();
  int64_t rank = type.getRank();

  // A tight row group: group i starts at i * tile * K and its rows are `rows`
  // apart, so the stride is a constant of this case.
  auto pack = slice.getSource().getDefiningOp<linalg::PackOp>();
  if (pack && pack->hasAttr(kTightAttr)) {
    SmallVector<ReassociationIndices> all(1);
    for (int64_t i = 0; i < rank; ++i)
      all[0].push_back(i);
    operand.source =
        tensor::CollapseShapeOp::create(b, loc, slice.getSource(), all);
    SmallVector<OpFoldResult> tiles = pack.getMixedTiles();
    Value offset =
        getValueOrCreateConstantIndexOp(b, loc, slice.getMixedOffsets()[0]);
    for (OpFoldResult tile : tiles)
      offset = arith::MulIOp::create(
          b, loc, offset, getValueOrCreateConstantIndexOp(b, loc, tile));
    for (int64_t i = 1; i + int64_t(tiles.size()) < rank; ++i) {
      Value size = tensor::DimOp::create(b, loc, slice.getSource(), i);
      operand.sizes.push_back(size);
      offset = arith::MulIOp::create(b, loc, offset, size);
    }
    operand.sizes.push_back(constant(rows));
    for (OpFoldResult tile : ArrayRef(tiles).drop_front())
      operand.sizes.push_back(getValueOrCreateConstantIndexOp(b, loc, tile));
    operand.base = offset;
    return operand;
  }

  // A panel is padded to its width in memory, so all of it may be read. The
  // slice keeps the logical width: linalg would infer the padded one for the
  // output too.
  auto sliceType = cast<RankedTensorType>(value.getType());
  if (type.getDimSize(rank - 1) == panelWidth && sliceType.getRank() > 0 &&
      sliceType.getRank() < rank &&
      isConstantIntValue(slice.getMixedOffsets().back(), 0) &&
      sliceType.getDimSize(sliceType.getRank() - 1) != panelWidth) {
    SmallVector<OpFoldResult> sizes = slice.getMixedSizes();
    sizes.back() = b.getIndexAttr(panelWidth);
    SmallVector<int64_t> shape(sliceType.getShape());
    shape.back() = panelWidth;
    operand.source = tensor::ExtractSliceOp::create(
        b, loc, RankedTensorType::get(shape, type.getElementType()),
        slice.getSource(), slice.getMixedOffsets(), sizes,
        slice.getMixedStrides());
    operand.padded = true;
  }
  return operand;
}

Value vortex::getOutside(MicroKernelOp kernel, Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    if (argument.getOwner() == &kernel.getBody().front())
      return kernel->getOperand(argument.getArgNumber());
  return value;
}

linalg::LinalgOp vortex::getProducer(MicroKernelOp kernel, Value value) {
  auto op = value.getDefiningOp<linalg::LinalgOp>();
  return op && op->getBlock() == &kernel.getBody().front() ? op
                                                           : linalg::LinalgOp();
}

bool vortex::isEmittable(linalg::LinalgOp op) {
  auto wide = [](Type type) {
    Type element = getElementTypeOrSelf(type);
    return element.isIntOrFloat() && element.getIntOrFloatBitWidth() >= 8;
  };
  for (Type type : op->getOperandTypes())
    if (!wide(type))
      return false;
  if (isa<linalg::FillOp>(op.getOperation()))
    return true;
  if (op->getNumRegions() != 1 || op->getRegion(0).empty() ||
      op->getNumResults() != 1)
    return false;
  for (AffineMap map : op.getIndexingMapsArray())
    if (map.getNumSymbols())
      return false;
  AffineMap out = op.getIndexingMapsArray().back();
  if (!out.isProjectedPermutation(/*allowZeroInResults=*/false))
    return false;
  Block &body = op->getRegion(0).front();
  for (Operation &inner : body.without_terminator()) {
    if (!isa<arith::ArithDialect, math::MathDialect>(inner.getDialect()) ||
        inner.getNumRegions() || inner.getNumResults() != 1)
      return false;
    Type type = inner.getResult(0).getType();
    if (!type.isIntOrFloat() ||
        (isa<arith::ConstantOp>(inner) && type.getIntOrFloatBitWidth() < 8 &&
         !type.isInteger(1)))
      return false;
    for (Value operand : inner.getOperands())
      if (!operand.getType().isIntOrFloat())
        return false;
  }
  return true;
}
