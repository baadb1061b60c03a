//===- LowerNarrowFloats.cpp - Rounds f64 to f16 and bf16 once -*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"

namespace vortex {
#define GEN_PASS_DEF_LOWERNARROWFLOATS
#include "vortex/Conversion/Passes.h.inc"
} // namespace vortex

using namespace mlir;

/// `type` with elements of type `element`.
static Type withElement(Type type, Type element) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.clone(element);
  return element;
}

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

namespace {
struct LowerNarrowFloatsPass
    : vortex::impl::LowerNarrowFloatsBase<LowerNarrowFloatsPass> {
  void runOnOperation() override {
    getOperation()->walk([&](arith::TruncFOp op) {
      Type from = getElementTypeOrSelf(op.getIn().getType());
      Type to = getElementTypeOrSelf(op.getType());
      if (!from.isF64() || !(to.isF16() || to.isBF16()))
        return;
      OpBuilder b(op);
      op.getInMutable().set(roundToOdd(b, op.getLoc(), op.getIn()));
    });
  }
};
} // namespace
