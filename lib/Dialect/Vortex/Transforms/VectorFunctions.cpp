//===- VectorFunctions.cpp - Functions of vectors as polynomials ----------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Multiply-adds decide the time, so there are few branches to blend and few
// coefficients. The polynomials interpolate at Chebyshev's nodes, computed with
// fifty digits and rounded; the rational function is a weighted least-squares
// fit of erf(x) / x in x^2 whose coefficients were rounded one after another,
// each time fitting the rest again.
//
//===----------------------------------------------------------------------===//

#include "VectorFunctions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace vortex;

namespace {
/// Arithmetic on vectors of one type.
class VectorArith {
public:
  VectorArith(OpBuilder &b, Location loc, Type type)
      : b(b), loc(loc), type(cast<VectorType>(type)),
        element(cast<FloatType>(this->type.getElementType())),
        integer(this->type.clone(b.getIntegerType(element.getWidth()))) {}

  bool isDouble() const { return element.isF64(); }
  Value number(double value) {
    return arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(type, b.getFloatAttr(element, value)));
  }
  Value whole(int64_t value) {
    auto width = integer.getElementType();
    return arith::ConstantOp::create(
        b, loc,
        DenseElementsAttr::get(integer, b.getIntegerAttr(width, value)));
  }
  Value add(Value x, Value y) { return arith::AddFOp::create(b, loc, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, loc, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, loc, x, y); }
  Value div(Value x, Value y) { return arith::DivFOp::create(b, loc, x, y); }
  Value fma(Value x, Value y, Value z) {
    return math::FmaOp::create(b, loc, x, y, z);
  }
  Value abs(Value x) { return math::AbsFOp::create(b, loc, x); }
  Value compare(arith::CmpFPredicate predicate, Value x, double y) {
    return arith::CmpFOp::create(b, loc, predicate, x, number(y));
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, loc, condition, x, y);
  }
  /// `x`, at most `most`; NaN stays.
  Value atMost(Value x, double most) {
    return select(compare(arith::CmpFPredicate::OGT, x, most), number(most), x);
  }
  Value atLeast(Value x, double least) {
    return select(compare(arith::CmpFPredicate::OLT, x, least), number(least),
                  x);
  }
  Value bits(Value x) { return arith::BitcastOp::create(b, loc, integer, x); }
  Value fromBits(Value x) { return arith::BitcastOp::create(b, loc, type, x); }
  /// Horner's scheme; coefficients from the constant one up. Estrin's, which
  /// waits less, was no faster and lost a unit in the last place.
  Value polynomial(Value x, ArrayRef<double> coefficients) {
    Value sum = number(coefficients.back());
    for (double c : llvm::reverse(coefficients.drop_back()))
      sum = fma(sum, x, number(c));
    return sum;
  }

  OpBuilder &b;
  Location loc;
  VectorType type;
  FloatType element;
  VectorType integer;
};

/// e^x = 2^k e^r, k whole, |r| <= ln(2) / 2, and e^r = 1 + r + r^2 p(r).
struct ExpConstants {
  double most, least;   ///< beyond, the result is infinite or zero
  double round;         ///< 1.5 x 2^mantissa: adding it leaves k in low bits
  double log2e;         ///< as exact as the type
  double high, low;     ///< ln(2); k * high is exact
  int64_t mantissaBits; ///< an exponent's place
};
} // namespace

static const ExpConstants f32Exp = {
    0x1.62e42ep+6, -0x1.5d589ep+6, 0x1.8p23, 0x1.715476p+0,
    0x1.62e4p-1,   0x1.7f7d1cp-20, 23};
static const ExpConstants f64Exp = {
    0x1.62e42fefa39efp+9, -0x1.74910d52d3052p+9, 0x1.8p52, 0x1.71547652b82fep+0,
    0x1.62e42feep-1,      0x1.a39ef35793c76p-33, 52};
static const double f32ExpTerms[] = {0x1p-1, 0x1.5554dcp-3, 0x1.55551ap-5,
                                     0x1.120b6ep-7, 0x1.6d110ap-10};
static const double f64ExpTerms[] = {
    0x1.0000000000001p-1,  0x1.5555555555556p-3,  0x1.5555555553d63p-5,
    0x1.11111111109b3p-7,  0x1.6c16c1788bd90p-10, 0x1.a01a01a7c41d5p-13,
    0x1.a019b90d2ae7ap-16, 0x1.71de0dae63bb3p-19, 0x1.289185613a3d6p-22,
    0x1.af38a9b0ec855p-26};

/// `power` 2^`k` by an instruction of AVX-512, rounded once; k is whole.
static Value scale(VectorArith &a, Value power, Value k) {
  StringRef name = a.isDouble() ? "llvm.x86.avx512.mask.scalef.pd.512"
                                : "llvm.x86.avx512.mask.scalef.ps.512";
  int64_t lanes = a.type.getNumElements();
  Value all = arith::ConstantIntOp::create(a.b, a.loc, -1,
                                           static_cast<unsigned>(lanes));
  constexpr int64_t currentRounding = 4;
  Value rounding =
      arith::ConstantIntOp::create(a.b, a.loc, currentRounding, 32);
  return LLVM::CallIntrinsicOp::create(
             a.b, a.loc, a.type, a.b.getStringAttr(name),
             ValueRange{power, k, power, all, rounding})
      .getResults();
}

/// `power` 2^k, k added to the exponent; `shifted` has it in its low bits.
static Value scaleByExponent(VectorArith &a, const ExpConstants &c, Value x,
                             Value power, Value shifted) {
  // A subnormal result has no exponent to add to: of f64 it is made larger
  // first.
  constexpr int64_t lift = 64;
  Value exponent = a.bits(shifted), tiny;
  if (a.isDouble()) {
    tiny = a.compare(arith::CmpFPredicate::OLT, x, -708.0);
    exponent = arith::AddIOp::create(a.b, a.loc, exponent,
                                     a.select(tiny, a.whole(lift), a.whole(0)));
  }
  Value result = a.fromBits(arith::AddIOp::create(
      a.b, a.loc, a.bits(power),
      arith::ShLIOp::create(a.b, a.loc, exponent, a.whole(c.mantissaBits))));
  if (a.isDouble())
    result = a.mul(result, a.select(tiny, a.number(0x1p-64), a.number(1.0)));
  result = a.select(a.compare(arith::CmpFPredicate::OLT, x, c.least),
                    a.number(0.0), result);
  // Infinity, or the NaN that x is.
  Value beyond = a.add(x, a.number(std::numeric_limits<double>::infinity()));
  return a.select(a.compare(arith::CmpFPredicate::UGT, x, c.most), beyond,
                  result);
}

static Value emitExp(VectorArith &a, Value x, bool avx512) {
  const ExpConstants &c = a.isDouble() ? f64Exp : f32Exp;
  ArrayRef<double> terms = f32ExpTerms;
  if (a.isDouble())
    terms = f64ExpTerms;
  bool scales = avx512 && a.type.getNumElements() * a.element.getWidth() == 512;
  // Beyond these the scaled result is infinite or zero.
  if (scales)
    x = a.atLeast(a.atMost(x, c.most + 1), a.isDouble() ? -746.0 : -104.0);
  Value shifted = a.fma(x, a.number(c.log2e), a.number(c.round));
  Value k = a.sub(shifted, a.number(c.round));
  Value r = a.fma(k, a.number(-c.high), x);
  r = a.fma(k, a.number(-c.low), r);
  SmallVector<double> all = {1.0, 1.0};
  llvm::append_range(all, terms);
  Value power = a.polynomial(r, all);
  return scales ? scale(a, power, k) : scaleByExponent(a, c, x, power, shifted);
}

Value vortex::emitExp(OpBuilder &b, Location loc, Value x, bool avx512) {
  VectorArith a(b, loc, x.getType());
  return ::emitExp(a, x, avx512);
}

/// erf(x) = x P(x^2) / Q(x^2) up to 3.92, from where on it rounds to 1.
static Value emitErfRational(VectorArith &a, Value x) {
  static const double numerator[] = {0x1.20dd74p+0,  0x1.9a5c82p-3,
                                     0x1.b9d39ep-5,  0x1.104f88p-8,
                                     0x1.2cfa8ep-12, 0x1.fab402p-20};
  static const double denominator[] = {
      1.0,          0x1.05958ep-1,  0x1.e3c45ep-4,
      0x1.0227bp-6, 0x1.46409ap-10, 0x1.3259p-15};
  constexpr double end = 3.92;
  Value clamped = a.atLeast(a.atMost(x, end), -end);
  Value square = a.mul(clamped, clamped);
  // x itself, not what it is clamped to: the quotient ends a few units below 1,
  // and 1 + erf(x), which GELU multiplies by x, is to be 0 for a large -x.
  Value y = a.div(a.mul(x, a.polynomial(square, numerator)),
                  a.polynomial(square, denominator));
  return a.atLeast(a.atMost(y, 1.0), -1.0);
}

/// Below 1 erf(x) = x P(x^2), above 1 - e^(-x^2) W(t) with t = (x - 3) / (x +
/// 3), to 6, from where on it rounds to 1.
static Value emitErfPieces(VectorArith &a, Value x, bool avx512) {
  static const double near[] = {
      0x1.20dd750429b6dp+0,   -0x1.812746b0379e6p-2,  0x1.ce2f21a042b30p-4,
      -0x1.b82ce31284e00p-6,  0x1.565bcd0dbaa38p-8,   -0x1.c02db3dac435fp-11,
      0x1.f9a321d5b8e1ep-14,  -0x1.f4d1e3183f7aep-17, 0x1.b9df224ca4b97p-20,
      -0x1.5f1ecb6f0764cp-23, 0x1.f7b4bf3b13964p-27,  -0x1.389d4f2641625p-30,
      0x1.05ffd737fb32ep-34};
  static const double far[] = {
      0x1.6e9827d229d2dp-3,   -0x1.4e102b9cf8511p-2, 0x1.f6ff2041059b0p-3,
      -0x1.336ffbef08e14p-3,  0x1.258b13b012512p-4,  -0x1.8fa58eb5a06e1p-6,
      0x1.17c8390247cc0p-8,   0x1.73101e7b5225fp-11, -0x1.39085c626b113p-11,
      0x1.7b9fbc8495e0dp-15,  0x1.0cb26cd35fbadp-14, -0x1.af1c2511e0ce0p-17,
      -0x1.0cbf6a3c3511ap-17, 0x1.0f139ca1e940ap-19, 0x1.56f78a29803c4p-20};
  Value size = a.atMost(a.abs(x), 6.0);
  Value square = a.mul(size, size);
  Value low = a.mul(x, a.polynomial(square, near));
  Value t = a.div(a.sub(size, a.number(3.0)), a.add(size, a.number(3.0)));
  Value tail = a.mul(emitExp(a, a.sub(a.number(0.0), square), avx512),
                     a.polynomial(t, far));
  Value high =
      math::CopySignOp::create(a.b, a.loc, a.sub(a.number(1.0), tail), x);
  return a.select(a.compare(arith::CmpFPredicate::OLT, size, 1.0), low, high);
}

Value vortex::emitErf(OpBuilder &b, Location loc, Value x, bool avx512) {
  VectorArith a(b, loc, x.getType());
  return a.isDouble() ? emitErfPieces(a, x, avx512) : emitErfRational(a, x);
}
