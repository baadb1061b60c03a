//===- Float8.cpp - Floats of eight bits in device code ---------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// f8E4M3FN (OCP 8-bit floating point specification) has a sign, four bits of
// exponent with a bias of 7 and three behind the point; all ones are NaN, there
// are no infinities. f8E5M2 is the upper half of an f16.
//
//===----------------------------------------------------------------------===//

#include "Float8.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"

using namespace mlir;
using namespace vortex;

Value vortex::loadElement(ImplicitLocOpBuilder &b, Type type, Value pointer) {
  Type memory = getMemoryType(type);
  Value loaded = LLVM::LoadOp::create(b, memory, pointer);
  return memory == type ? loaded
                        : arith::BitcastOp::create(b, type, loaded).getResult();
}

void vortex::storeElement(ImplicitLocOpBuilder &b, Value value, Value pointer) {
  if (Type memory = getMemoryType(value.getType()); memory != value.getType())
    value = arith::BitcastOp::create(b, memory, value);
  LLVM::StoreOp::create(b, value, pointer);
}

namespace {
/// Bits of an f32 in the code being written.
struct Bits {
  ImplicitLocOpBuilder *b;
  Value value; ///< i32

  Bits constant(int64_t x) const {
    return {b, arith::ConstantIntOp::create(*b, b->getLoc(), x, 32)};
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
    return arith::BitcastOp::create(*b, b->getF32Type(), value);
  }
  static Bits of(ImplicitLocOpBuilder &b, Value f32) {
    return {&b, arith::BitcastOp::create(b, b.getI32Type(), f32)};
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
  Bits bits{&b, arith::ExtUIOp::create(b, b.getI32Type(), byte)};
  Format format = getFormat(Float8E4M3FNType::get(b.getContext()));
  // As bits of an f32 the magnitude is too small by the difference of the
  // biases, subnormal numbers included.
  Bits magnitude = bits & 0x7F;
  Value scale = arith::ConstantOp::create(
      b, b.getF32FloatAttr(std::ldexp(1.0f, int(kBias32 - format.bias))));
  Value value = arith::MulFOp::create(
      b, (magnitude << (kFraction32 - format.fraction)).toF32(), scale);
  Value isNaN = magnitude.compare(arith::CmpIPredicate::eq, format.nan);
  Bits result =
      bits.constant(kInfinity32 + 1).select(isNaN, Bits::of(b, value));
  return (result | ((bits & 0x80) << 24)).toF32();
}

static Value widenE5M2(ImplicitLocOpBuilder &b, Value byte) {
  Type i16 = b.getI16Type();
  Value half =
      arith::ShLIOp::create(b, arith::ExtUIOp::create(b, i16, byte),
                            arith::ConstantIntOp::create(b, b.getLoc(), 8, 16));
  half = arith::BitcastOp::create(b, b.getF16Type(), half);
  return arith::ExtFOp::create(b, b.getF32Type(), half);
}

/// The byte nearest to `x`, of f32.
static Value roundToByte(ImplicitLocOpBuilder &b, Value x, Type type) {
  Format format = getFormat(type);
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
  return arith::TruncIOp::create(b, b.getI8Type(), result.value);
}

namespace {
struct Widen : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &rewriter) const override {
    Type from = op.getIn().getType(), to = op.getType();
    if (!isFloat8(from))
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value byte = arith::BitcastOp::create(b, b.getI8Type(), op.getIn());
    Value value =
        isa<Float8E4M3FNType>(from) ? widenE4M3(b, byte) : widenE5M2(b, byte);
    // Narrower formats hold these numbers, too.
    if (to.isF64())
      value = arith::ExtFOp::create(b, to, value);
    else if (!to.isF32())
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
    if (!isFloat8(to) || from.isF64() ||
        mode != arith::RoundingMode::to_nearest_even)
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value wide = op.getIn();
    if (!from.isF32())
      wide = arith::ExtFOp::create(b, b.getF32Type(), wide);
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, to,
                                                  roundToByte(b, wide, to));
    return success();
  }
};
} // namespace

void vortex::shareFloat8(Operation *function) {
  bool some = function
                  ->walk([](arith::ExtFOp op) {
                    return isFloat8(op.getIn().getType())
                               ? WalkResult::interrupt()
                               : WalkResult::advance();
                  })
                  .wasInterrupted();
  if (!some)
    return;
  IRRewriter rewriter(function->getContext());
  DominanceInfo dominance(function);
  eliminateCommonSubExpressions(rewriter, dominance, function);
}

void vortex::populateFloat8Patterns(RewritePatternSet &patterns) {
  patterns.add<Widen, Narrow>(patterns.getContext());
}
