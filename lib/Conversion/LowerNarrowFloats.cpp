//===- LowerNarrowFloats.cpp - Rounds to narrow floats once ---*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WithElement.h"

#include "vortex/Conversion/Passes.h"
#include "vortex/Dialect/Vortex/IR/MatrixForm.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

namespace vortex {
#define GEN_PASS_DEF_LOWERNARROWFLOATS
#include "vortex/Conversion/Passes.h.inc"
} // namespace vortex

using namespace mlir;
using namespace vortex;

/// A constant of `type`, splat for vectors.
static Value createSplat(OpBuilder &b, Location loc, Type type, int64_t value) {
  auto attr = b.getIntegerAttr(getElementTypeOrSelf(type), value);
  if (auto vector = dyn_cast<VectorType>(type))
    return arith::ConstantOp::create(b, loc,
                                     DenseElementsAttr::get(vector, attr));
  return arith::ConstantOp::create(b, loc, attr);
}

/// Rounds the f64 value `x` to f32, to odd.
static Value roundToOdd(OpBuilder &b, Location loc, Value x) {
  Type f32 = withElement(x.getType(), b.getF32Type());
  Type i32 = withElement(x.getType(), b.getI32Type());
  Value nearest = arith::TruncFOp::create(b, loc, f32, x);
  Value back = arith::ExtFOp::create(b, loc, x.getType(), nearest);
  Value bits = arith::BitcastOp::create(b, loc, i32, nearest);
  // One unit towards zero where the magnitude grew; the sign bit is apart.
  Value grew = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT,
                                     math::AbsFOp::create(b, loc, back),
                                     math::AbsFOp::create(b, loc, x));
  Value down = arith::SubIOp::create(b, loc, bits,
                                     arith::ExtUIOp::create(b, loc, i32, grew));
  Value odd = arith::OrIOp::create(b, loc, down, createSplat(b, loc, i32, 1));
  // Ordered: a NaN stays as it is.
  Value inexact =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ONE, back, x);
  Value result = arith::SelectOp::create(b, loc, inexact, odd, bits);
  return arith::BitcastOp::create(b, loc, f32, result);
}

/// The f64 sum of `x` and `y`, to odd; no sum may be too small for f64.
static Value addToOdd(OpBuilder &b, Location loc, Value x, Value y) {
  Type i64 = withElement(x.getType(), b.getI64Type());
  Value zero = createSplat(b, loc, i64, 0), one = createSplat(b, loc, i64, 1);
  auto add = [&](Value x, Value y) -> Value {
    return arith::AddFOp::create(b, loc, x, y);
  };
  auto sub = [&](Value x, Value y) -> Value {
    return arith::SubFOp::create(b, loc, x, y);
  };
  // What is lost, exactly (Knuth's TwoSum).
  Value sum = add(x, y);
  Value fromY = sub(sum, x);
  Value lost = add(sub(x, sub(sum, fromY)), sub(y, fromY));
  // Ordered: infinities and NaNs stay as they are.
  Value none = arith::BitcastOp::create(b, loc, x.getType(), zero);
  Value inexact =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ONE, lost, none);
  // An even sum is one of two neighbours of the exact one; the other is odd.
  Value bits = arith::BitcastOp::create(b, loc, i64, sum);
  Value even =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                            arith::AndIOp::create(b, loc, bits, one), zero);
  Value signs = arith::XOrIOp::create(
      b, loc, bits, arith::BitcastOp::create(b, loc, i64, lost));
  Value shrinks =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, signs, zero);
  Value step = arith::SelectOp::create(b, loc, shrinks,
                                       createSplat(b, loc, i64, -1), one);
  Value other = arith::AddIOp::create(b, loc, bits, step);
  Value odd = arith::SelectOp::create(
      b, loc, arith::AndIOp::create(b, loc, inexact, even), other, bits);
  return arith::BitcastOp::create(b, loc, x.getType(), odd);
}

static bool isNarrow(Type type) {
  return type.isF16() || type.isBF16() || vortex::isFloat8(type);
}

/// `op` on narrow floats, rounded once.
static void lowerFma(math::FmaOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  Type type = op.getType();
  Type f32 = withElement(type, b.getF32Type());
  Type f64 = withElement(type, b.getF64Type());
  // In two steps, each of which other passes know.
  auto widen = [&](Value value) -> Value {
    value = arith::ExtFOp::create(b, loc, f32, value);
    return arith::ExtFOp::create(b, loc, f64, value);
  };
  // Products have at most 22 bits and are exact.
  Value product =
      arith::MulFOp::create(b, loc, widen(op.getA()), widen(op.getB()));
  Value addend = widen(op.getC());
  // The sum of f16 values is exact, or the addend is more than 2^30 times
  // the product and is the result. Other exponents are further apart.
  Value sum = getElementTypeOrSelf(type).isF16()
                  ? arith::AddFOp::create(b, loc, product, addend).getResult()
                  : addToOdd(b, loc, product, addend);
  Value odd = roundToOdd(b, loc, sum);
  op.replaceAllUsesWith(arith::TruncFOp::create(b, loc, type, odd).getResult());
  op.erase();
}

namespace {
struct LowerNarrowFloatsPass
    : vortex::impl::LowerNarrowFloatsBase<LowerNarrowFloatsPass> {
  void runOnOperation() override {
    getOperation()->walk([&](arith::TruncFOp op) {
      Type from = getElementTypeOrSelf(op.getIn().getType());
      Type to = getElementTypeOrSelf(op.getType());
      if (!from.isF64() || !isNarrow(to))
        return;
      OpBuilder b(op);
      op.getInMutable().set(roundToOdd(b, op.getLoc(), op.getIn()));
    });
    getOperation()->walk([&](math::FmaOp op) {
      Type type = getElementTypeOrSelf(op.getType());
      if (isNarrow(type))
        lowerFma(op);
    });
  }
};
} // namespace
