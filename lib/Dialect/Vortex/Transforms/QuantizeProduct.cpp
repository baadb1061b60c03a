//===- QuantizeProduct.cpp - Products of rounded factors ------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "QuantizeProduct.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace vortex;

namespace {
using Body = llvm::function_ref<Value(OpBuilder &, Location, ValueRange)>;

/// Builds ops at one place.
struct Maker {
  OpBuilder &b;
  Location loc;

  Value constant(Type type, double value) const {
    return arith::ConstantOp::create(
        b, loc, cast<TypedAttr>(b.getFloatAttr(type, value)));
  }
  /// Room for `type` elements in the shape of some dimensions of `like`.
  Value empty(Value like, Type type, ArrayRef<int64_t> dims) const {
    // Sizes of what the op wrote to: one more use of its result would keep it
    // from joining the op that reads it.
    while (auto op = like.getDefiningOp<DestinationStyleOpInterface>())
      like = op.getTiedOpOperand(cast<OpResult>(like))->get();
    SmallVector<OpFoldResult> sizes;
    for (int64_t dim : dims)
      sizes.push_back(tensor::getMixedSize(b, loc, like, dim));
    return tensor::EmptyOp::create(b, loc, sizes, type);
  }
  Value empty(Value like, Type type) const {
    auto rank = cast<RankedTensorType>(like.getType()).getRank();
    return empty(like, type, llvm::to_vector(llvm::seq<int64_t>(0, rank)));
  }
  /// A generic op; what is read by reductions walks its memory in order.
  Value generic(ValueRange inputs, Value init, ArrayRef<AffineMap> maps,
                ArrayRef<bool> reduced, Body body) const {
    auto iterators = llvm::map_to_vector(reduced, [](bool reduced) {
      return reduced ? utils::IteratorType::reduction
                     : utils::IteratorType::parallel;
    });
    return linalg::GenericOp::create(
               b, loc, init.getType(), inputs, init, maps, iterators,
               [&](OpBuilder &b, Location loc, ValueRange args) {
                 linalg::YieldOp::create(b, loc, body(b, loc, args));
               })
        .getResult(0);
  }
  /// One that computes each element of `init` from inputs in its shape.
  Value elementwise(ValueRange inputs, Value init, Body body) const {
    auto rank = cast<RankedTensorType>(init.getType()).getRank();
    SmallVector<AffineMap> maps(inputs.size() + 1,
                                b.getMultiDimIdentityMap(rank));
    return generic(inputs, init, maps, SmallVector<bool>(rank, false), body);
  }
};
} // namespace

Value vortex::roundToBF16(OpBuilder &b, Location loc, Value value) {
  Maker make{b, loc};
  Type bf16 = b.getBF16Type();
  return make.elementwise(
      value, make.empty(value, bf16),
      [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
        return arith::TruncFOp::create(b, loc, bf16, args[0]);
      });
}

Value vortex::roundToTF32(OpBuilder &b, Location loc, Value value) {
  Maker make{b, loc};
  Type f32 = b.getF32Type(), i32 = b.getI32Type();
  auto bits = [&](int64_t number) -> Value {
    return arith::ConstantIntOp::create(b, loc, number, 32);
  };
  // Bits behind the point that a tf32 does not have; half of its last one.
  constexpr int64_t kDropped = 13, kHalf = int64_t(1) << (kDropped - 1);
  Value half = bits(kHalf), kept = bits(-(int64_t(1) << kDropped));
  Value none = make.constant(f32, std::numeric_limits<double>::quiet_NaN());
  return make.elementwise(
      value, make.empty(value, f32),
      [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
        Value x = args[0];
        // Magnitudes grow with their bits, and carry into the exponent.
        Value above = arith::AddIOp::create(
            b, loc, arith::BitcastOp::create(b, loc, i32, x), half);
        Value rounded = arith::BitcastOp::create(
            b, loc, f32, arith::AndIOp::create(b, loc, above, kept));
        Value isNaN =
            arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, x, x);
        return arith::SelectOp::create(b, loc, isNaN, none, rounded);
      });
}

Quantized vortex::quantize(OpBuilder &b, Location loc, Value value,
                           ArrayRef<bool> reduced) {
  Maker make{b, loc};
  Type f32 = b.getF32Type();
  int64_t rank = reduced.size();
  SmallVector<int64_t> kept;
  SmallVector<AffineExpr> keptExprs;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (!reduced[dim]) {
      kept.push_back(dim);
      keptExprs.push_back(b.getAffineDimExpr(dim));
    }
  AffineMap identity = b.getMultiDimIdentityMap(rank);
  AffineMap rows = AffineMap::get(rank, 0, keptExprs, b.getContext());

  Value least = make.constant(f32, std::ldexp(1.0, -100));
  Value most = make.constant(f32, 127.0), fewest = make.constant(f32, -127.0);
  Value infinity = make.constant(f32, std::numeric_limits<double>::infinity());
  Value none = make.constant(f32, std::numeric_limits<double>::quiet_NaN());
  Value one = make.constant(f32, 1.0);

  Value room = make.empty(value, f32, kept);
  Value start = linalg::FillOp::create(b, loc, least, room).getResult(0);
  Value largest = make.generic(
      value, start, {identity, rows}, reduced,
      [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
        Value magnitude = math::AbsFOp::create(b, loc, args[0]);
        return arith::MaximumFOp::create(b, loc, magnitude, args[1]);
      });
  Value scales = make.elementwise(
      largest, room, [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
        Value finite = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT,
                                             args[0], infinity);
        Value scale = arith::DivFOp::create(b, loc, args[0], most);
        return arith::SelectOp::create(b, loc, finite, scale, none);
      });
  // A division a row, not one an element.
  Value inverses = make.elementwise(
      scales, room, [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
        return arith::DivFOp::create(b, loc, one, args[0]);
      });
  Type i8 = b.getI8Type();
  Value values = make.generic(
      {value, inverses}, make.empty(value, i8), {identity, rows, identity},
      SmallVector<bool>(rank, false),
      [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
        Value scaled = arith::MulFOp::create(b, loc, args[0], args[1]);
        Value whole = math::RoundEvenOp::create(b, loc, scaled);
        // These give the bound for NaN, of which an integer would be poison.
        Value above = arith::MaxNumFOp::create(b, loc, whole, fewest);
        Value inside = arith::MinNumFOp::create(b, loc, above, most);
        return arith::FPToSIOp::create(b, loc, i8, inside);
      });
  return {values, scales};
}

Value vortex::cloneWithFactors(OpBuilder &b, linalg::LinalgOp op, Value x,
                               Value y, Value init) {
  Location loc = op.getLoc();
  auto product = cast<linalg::LinalgOp>(
      clone(b, op, init.getType(), ValueRange{x, y, init}));
  Block &body = product->getRegion(0).front();
  body.clear();
  for (auto [argument, value] :
       llvm::zip(body.getArguments(), product->getOperands()))
    argument.setType(getElementTypeOrSelf(value.getType()));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&body);
  Type type = body.getArgument(2).getType();
  // As named ops spell it, whose bodies are not printed.
  Value result;
  if (isa<FloatType>(type)) {
    Value left = arith::ExtFOp::create(b, loc, type, body.getArgument(0));
    Value right = arith::ExtFOp::create(b, loc, type, body.getArgument(1));
    Value term = arith::MulFOp::create(b, loc, left, right);
    result = arith::AddFOp::create(b, loc, body.getArgument(2), term);
  } else {
    Value left = arith::ExtSIOp::create(b, loc, type, body.getArgument(0));
    Value right = arith::ExtSIOp::create(b, loc, type, body.getArgument(1));
    Value term = arith::MulIOp::create(b, loc, left, right);
    result = arith::AddIOp::create(b, loc, body.getArgument(2), term);
  }
  linalg::YieldOp::create(b, loc, result);
  return product->getResult(0);
}

/// What a product starts from: nothing where `values` is null.
namespace {
struct Start {
  Value values;
  AffineMap map; ///< from the indices of the result
};
} // namespace

static Start getStart(Value init) {
  auto rank = cast<RankedTensorType>(init.getType()).getRank();
  AffineMap identity =
      AffineMap::getMultiDimIdentityMap(rank, init.getContext());
  if (auto fill = init.getDefiningOp<linalg::FillOp>())
    if (matchPattern(fill.getInputs()[0], m_PosZeroFloat()))
      return {};
  // A bias is read where it is, not from a tensor that repeats it.
  if (auto repeat = init.getDefiningOp<linalg::BroadcastOp>()) {
    SmallVector<AffineExpr> exprs;
    for (int64_t dim = 0; dim < rank; ++dim)
      if (!llvm::is_contained(repeat.getDimensions(), dim))
        exprs.push_back(getAffineDimExpr(dim, init.getContext()));
    return {repeat.getInput(),
            AffineMap::get(rank, 0, exprs, init.getContext())};
  }
  return {init, identity};
}

/// The dimensions of the result that an operand with `map` has, too, in the
/// order of the operand.
static AffineMap getScaleMap(linalg::LinalgOp op, AffineMap map) {
  AffineMap out = op.getIndexingMapsArray().back();
  SmallVector<AffineExpr> exprs;
  for (AffineExpr loop : map.getResults())
    if (std::optional<unsigned> dim = out.getResultPosition(loop))
      exprs.push_back(getAffineDimExpr(*dim, map.getContext()));
  return AffineMap::get(out.getNumResults(), 0, exprs, map.getContext());
}

Value vortex::multiplyQuantized(OpBuilder &b, linalg::LinalgOp op, Quantized x,
                                Quantized y) {
  Maker make{b, op.getLoc()};
  Value init = op.getDpsInits()[0];
  Start start = getStart(init);
  Value none = arith::ConstantOp::create(b, make.loc, b.getI32IntegerAttr(0));
  Value zeros = linalg::FillOp::create(b, make.loc, none,
                                       make.empty(init, b.getI32Type()))
                    .getResult(0);
  Value sums = cloneWithFactors(b, op, x.values, y.values, zeros);

  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  int64_t rank = maps.back().getNumResults();
  AffineMap identity = b.getMultiDimIdentityMap(rank);
  SmallVector<Value> inputs{sums, x.scales, y.scales};
  SmallVector<AffineMap> read{identity, getScaleMap(op, maps[0]),
                              getScaleMap(op, maps[1])};
  if (start.values) {
    inputs.push_back(start.values);
    read.push_back(start.map);
  }
  read.push_back(identity);
  Type f32 = b.getF32Type();
  return make.generic(
      inputs, make.empty(init, f32), read, SmallVector<bool>(rank, false),
      [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
        Value sum = arith::SIToFPOp::create(b, loc, f32, args[0]);
        // By the smaller scale first: then only what the result cannot hold
        // is infinite. A NaN is one of the two either way.
        Value larger = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT,
                                             args[1], args[2]);
        Value half = arith::MulFOp::create(
            b, loc, sum,
            arith::SelectOp::create(b, loc, larger, args[2], args[1]));
        Value result = arith::MulFOp::create(
            b, loc, half,
            arith::SelectOp::create(b, loc, larger, args[1], args[2]));
        if (!start.values)
          return result;
        return arith::AddFOp::create(b, loc, result, args[3]);
      });
}
