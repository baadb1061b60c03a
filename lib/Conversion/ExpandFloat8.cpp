//===- ExpandFloat8.cpp - Floats of eight bits by integer arithmetic ------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WithElement.h"

#include "vortex/Conversion/Float8.h"
#include "vortex/Conversion/Passes.h"

#include "vortex/Dialect/Vortex/IR/MatrixForm.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include <cmath>

namespace vortex {
#define GEN_PASS_DEF_EXPANDFLOAT8
#include "vortex/Conversion/Passes.h.inc"
} // namespace vortex

using namespace mlir;
using namespace vortex;

/// `attr` as a value of `type`, in every lane of a vector.
static Value createSplat(ImplicitLocOpBuilder &b, Type type, TypedAttr attr) {
  if (auto vector = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vector, attr);
  return arith::ConstantOp::create(b, attr);
}

namespace {
/// Bits of f32 in the code being written.
struct Bits {
  ImplicitLocOpBuilder *b;
  Value value; ///< i32, one or many

  Bits constant(int64_t x) const {
    return {b, createSplat(*b, value.getType(), b->getI32IntegerAttr(x))};
  }
  template <typename Op>
  Bits binary(Bits y) const {
    return {b, Op::create(*b, value, y.value)};
  }
  Bits operator+(Bits y) const { return binary<arith::AddIOp>(y); }
  Bits operator-(Bits y) const { return binary<arith::SubIOp>(y); }
  Bits operator|(Bits y) const { return binary<arith::OrIOp>(y); }
  Bits operator&(int64_t y) const { return binary<arith::AndIOp>(constant(y)); }
  Bits operator<<(int64_t n) const {
    return binary<arith::ShLIOp>(constant(n));
  }
  Bits operator>>(int64_t n) const {
    return binary<arith::ShRUIOp>(constant(n));
  }
  Value compare(arith::CmpIPredicate predicate, int64_t y) const {
    return arith::CmpIOp::create(*b, predicate, value, constant(y).value);
  }
  Bits select(Value condition, Bits otherwise) const {
    return {b, arith::SelectOp::create(*b, condition, value, otherwise.value)};
  }
  Value toF32() const {
    return arith::BitcastOp::create(
        *b, withElement(value.getType(), b->getF32Type()), value);
  }
  static Bits of(ImplicitLocOpBuilder &b, Value f32) {
    Type type = withElement(f32.getType(), b.getI32Type());
    return {&b, arith::BitcastOp::create(b, type, f32)};
  }
};

/// How a format lies in an f32 and how far its numbers reach.
struct Format {
  int64_t fraction; ///< bits behind the point
  int64_t bias;     ///< of the exponent
  int64_t above;    ///< what numbers beyond the largest become
  int64_t nan;
};
} // namespace

static Format getFormat(Type type) {
  return isa<Float8E4M3FNType>(type) ? Format{3, 7, 0x7F, 0x7F}
                                     : Format{2, 15, 0x7C, 0x7F};
}

static constexpr int64_t kFraction32 = 23, kBias32 = 127;
static constexpr int64_t kInfinity32 = 0x7F800000;

static Value widenE4M3(ImplicitLocOpBuilder &b, Value byte) {
  Type i32 = withElement(byte.getType(), b.getI32Type());
  Bits bits{&b, arith::ExtUIOp::create(b, i32, byte)};
  Format format = getFormat(Float8E4M3FNType::get(b.getContext()));
  // As bits of an f32 the magnitude is too small by the difference of the
  // biases, subnormal numbers included.
  Bits magnitude = bits & 0x7F;
  Value scale = createSplat(
      b, withElement(byte.getType(), b.getF32Type()),
      b.getF32FloatAttr(std::ldexp(1.0f, int(kBias32 - format.bias))));
  Value value = arith::MulFOp::create(
      b, (magnitude << (kFraction32 - format.fraction)).toF32(), scale);
  Value isNaN = magnitude.compare(arith::CmpIPredicate::eq, format.nan);
  Bits result =
      bits.constant(kInfinity32 + 1).select(isNaN, Bits::of(b, value));
  return (result | ((bits & 0x80) << 24)).toF32();
}

static Value widenE5M2(ImplicitLocOpBuilder &b, Value byte) {
  Type type = byte.getType(), i16 = withElement(type, b.getI16Type());
  Value half =
      arith::ShLIOp::create(b, arith::ExtUIOp::create(b, i16, byte),
                            createSplat(b, i16, b.getI16IntegerAttr(8)));
  half = arith::BitcastOp::create(b, withElement(type, b.getF16Type()), half);
  return arith::ExtFOp::create(b, withElement(type, b.getF32Type()), half);
}

/// The bytes nearest to `x`, of f32.
static Value roundToByte(ImplicitLocOpBuilder &b, Value x, Type type) {
  Format format = getFormat(getElementTypeOrSelf(type));
  int64_t dropped = kFraction32 - format.fraction;
  Bits bits = Bits::of(b, x), magnitude = bits & 0x7FFFFFFF;
  // Half of the last bit that is kept, less one for even numbers.
  Bits odd = (magnitude >> dropped) & 1;
  Bits above =
      magnitude + odd + bits.constant((int64_t(1) << (dropped - 1)) - 1);
  Bits normal = (above >> dropped) -
                bits.constant((kBias32 - format.bias) << format.fraction);
  // Below the normal numbers steps have one size, which is that of the f32
  // beside a power of two: the addition rounds.
  int64_t lowest = kBias32 + 1 - format.bias;
  int64_t power = lowest + kFraction32 - format.fraction;
  Bits anchor = bits.constant(power << kFraction32);
  Value sum = arith::AddFOp::create(b, magnitude.toF32(), anchor.toF32());
  Bits small = Bits::of(b, sum) - anchor;
  Value isSmall =
      magnitude.compare(arith::CmpIPredicate::ult, lowest << kFraction32);
  Value isAbove = normal.compare(arith::CmpIPredicate::ugt, format.above);
  Value isNaN = magnitude.compare(arith::CmpIPredicate::ugt, kInfinity32);
  Bits result = bits.constant(format.above).select(isAbove, normal);
  result = small.select(isSmall, result);
  result = bits.constant(format.nan).select(isNaN, result);
  result = result | ((bits >> 24) & 0x80);
  return arith::TruncIOp::create(b, withElement(type, b.getI8Type()),
                                 result.value);
}

namespace {
struct Widen : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &rewriter) const override {
    Type from = op.getIn().getType(), to = op.getType();
    Type element = getElementTypeOrSelf(from), wide = getElementTypeOrSelf(to);
    if (!isFloat8(element))
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value byte = arith::BitcastOp::create(b, withElement(from, b.getI8Type()),
                                          op.getIn());
    Value value = isa<Float8E4M3FNType>(element) ? widenE4M3(b, byte)
                                                 : widenE5M2(b, byte);
    // Narrower formats hold these numbers, too.
    if (wide.isF64())
      value = arith::ExtFOp::create(b, to, value);
    else if (!wide.isF32())
      value = arith::TruncFOp::create(b, to, value);
    rewriter.replaceOp(op, value);
    return success();
  }
};

struct Narrow : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    Type from = op.getIn().getType(), to = op.getType();
    arith::RoundingMode mode =
        op.getRoundingmode().value_or(arith::RoundingMode::to_nearest_even);
    Type narrow = getElementTypeOrSelf(to), wide = getElementTypeOrSelf(from);
    if (!isFloat8(narrow) || wide.isF64() ||
        mode != arith::RoundingMode::to_nearest_even)
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value x = op.getIn();
    if (!wide.isF32())
      x = arith::ExtFOp::create(b, withElement(from, b.getF32Type()), x);
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, to,
                                                  roundToByte(b, x, to));
    return success();
  }
};

struct ExpandFloat8Pass : vortex::impl::ExpandFloat8Base<ExpandFloat8Pass> {
  void runOnOperation() override {
    SmallVector<Operation *> conversions;
    getOperation()->walk([&](Operation *op) {
      if (isa<arith::ExtFOp>(op) &&
          isFloat8(getElementTypeOrSelf(op->getOperand(0).getType())))
        conversions.push_back(op);
      if (isa<arith::TruncFOp>(op) &&
          isFloat8(getElementTypeOrSelf(op->getResult(0).getType())))
        conversions.push_back(op);
    });
    if (conversions.empty())
      return;
    RewritePatternSet patterns(&getContext());
    populateFloat8Patterns(patterns);
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingOps);
    if (failed(
            applyOpPatternsGreedily(conversions, std::move(patterns), config)))
      signalPassFailure();
  }
};
} // namespace

void vortex::populateFloat8Patterns(RewritePatternSet &patterns) {
  patterns.add<Widen, Narrow>(patterns.getContext());
}
