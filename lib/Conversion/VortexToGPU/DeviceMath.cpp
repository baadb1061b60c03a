//===- DeviceMath.cpp - Functions of numbers in device code ----*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Exponential and error functions are those of vectors on a CPU. Logarithms,
// sine and cosine are computed in f64 also for f32: upstream's polynomials for
// f32 take subnormal numbers for larger ones and lose large angles, and
// kernels with these functions wait for memory anyway. The rest is upstream's.
//
//===----------------------------------------------------------------------===//

#include "DeviceMath.h"

#include "Float8.h"

#include "../../Dialect/Vortex/Transforms/VectorFunctions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace vortex;

namespace {
/// A number of f64 in the code being written.
struct Double {
  ImplicitLocOpBuilder *b;
  Value value;

  Double constant(double x) const {
    return {b, arith::ConstantOp::create(*b, b->getF64FloatAttr(x))};
  }
  template <typename Op>
  Double binary(Double y) const {
    return {b, Op::create(*b, value, y.value)};
  }
  Double operator+(Double y) const { return binary<arith::AddFOp>(y); }
  Double operator-(Double y) const { return binary<arith::SubFOp>(y); }
  Double operator*(Double y) const { return binary<arith::MulFOp>(y); }
  Double operator/(Double y) const { return binary<arith::DivFOp>(y); }
  Double operator+(double y) const { return *this + constant(y); }
  Double operator-(double y) const { return *this - constant(y); }
  Double operator*(double y) const { return *this * constant(y); }
  Double fma(Double y, Double z) const {
    return {b, math::FmaOp::create(*b, value, y.value, z.value)};
  }
  Double abs() const { return {b, math::AbsFOp::create(*b, value)}; }
  Double whole() const { return {b, math::RoundEvenOp::create(*b, value)}; }
  Value compare(arith::CmpFPredicate predicate, double y) const {
    return arith::CmpFOp::create(*b, predicate, value, constant(y).value);
  }
  Double select(Value condition, Double otherwise) const {
    return {b, arith::SelectOp::create(*b, condition, value, otherwise.value)};
  }
  Double exp() const { return {b, math::ExpOp::create(*b, value)}; }
};
} // namespace

static Value integer(ImplicitLocOpBuilder &b, int64_t x) {
  return arith::ConstantIntOp::create(b, b.getLoc(), x, 64);
}

/// log(m 2^k) = k log(2) + 2 atanh((m - 1) / (m + 1)), m from 1/sqrt(2) to
/// sqrt(2), by the series of atanh: eleven terms are exact to f64.
static Double emitLog(Double x) {
  ImplicitLocOpBuilder &b = *x.b;
  constexpr double lift = 0x1p54; // subnormal numbers have no exponent
  Value tiny = x.compare(arith::CmpFPredicate::OLT, 0x1p-1022);
  Double lifted = (x * lift).select(tiny, x);
  Value bits = arith::BitcastOp::create(b, b.getI64Type(), lifted.value);
  // The exponent counted from the mantissa sqrt(1/2) on.
  constexpr int64_t root = 0x3fe6a09e667f3bcd;
  Value k = arith::ShRSIOp::create(
      b, arith::SubIOp::create(b, bits, integer(b, root)), integer(b, 52));
  Double m{&b, arith::BitcastOp::create(
                   b, b.getF64Type(),
                   arith::SubIOp::create(
                       b, bits, arith::ShLIOp::create(b, k, integer(b, 52))))};
  Double s = (m - 1.0) / (m + 1.0), square = s * s;
  Double series = x.constant(1.0 / 23);
  for (int odd = 21; odd >= 1; odd -= 2)
    series = series.fma(square, x.constant(1.0 / odd));
  Double power{&b, arith::SIToFPOp::create(b, b.getF64Type(), k)};
  power = (power - 54.0).select(tiny, power);
  Double result = power.fma(x.constant(0x1.62e42fefa39efp-1),
                            power * 0x1.abc9e3b39803fp-56 + s * series * 2.0);
  double infinity = std::numeric_limits<double>::infinity();
  result = x.select(x.compare(arith::CmpFPredicate::OEQ, infinity), result);
  result = x.constant(-infinity).select(
      x.compare(arith::CmpFPredicate::OEQ, 0.0), result);
  return x.constant(std::numeric_limits<double>::quiet_NaN())
      .select(x.compare(arith::CmpFPredicate::ULT, 0.0), result);
}

/// Sine, or cosine, of r + n pi/2, |r| <= pi/4, by the series of both. pi/2 is
/// subtracted in three parts, so that angles up to 2^31 keep 40 bits; beyond
/// 2^52, where none is left, the answer is no number.
static Double emitSine(Double x, bool cosine) {
  ImplicitLocOpBuilder &b = *x.b;
  Double n = (x * 0x1.45f306dc9c883p-1).whole();
  Double r = n.fma(x.constant(-0x1.921fb54442d18p+0), x);
  r = n.fma(x.constant(-0x1.1a62633145c07p-54), r);
  r = n.fma(x.constant(0x1.f1976b7ed8fbcp-110), r);
  Double square = r * r, odd = x.constant(1.0), even = x.constant(1.0);
  for (int i = 17; i >= 3; i -= 2)
    odd = (square * (-1.0 / (i * (i - 1)))).fma(odd, x.constant(1.0));
  for (int i = 18; i >= 2; i -= 2)
    even = (square * (-1.0 / (i * (i - 1)))).fma(even, x.constant(1.0));
  Value quadrant = arith::FPToSIOp::create(b, b.getI64Type(), n.value);
  if (cosine)
    quadrant = arith::AddIOp::create(b, quadrant, integer(b, 1));
  auto hasBit = [&](int64_t bit) -> Value {
    return arith::CmpIOp::create(
        b, arith::CmpIPredicate::ne,
        arith::AndIOp::create(b, quadrant, integer(b, bit)), integer(b, 0));
  };
  Double result = even.select(hasBit(1), r * odd);
  result = (result * -1.0).select(hasBit(2), result);
  return result.select(x.abs().compare(arith::CmpFPredicate::OLE, 0x1p52),
                       x.constant(std::numeric_limits<double>::quiet_NaN()));
}

static Double emitSin(Double x) { return emitSine(x, false); }
static Double emitCos(Double x) { return emitSine(x, true); }

/// (1 - e^-2x) / (1 + e^-2x); near zero the continued fraction x / (1 + x^2 /
/// (3 + x^2 / (5 + ...))).
static Double emitTanh(Double x) {
  ImplicitLocOpBuilder &b = *x.b;
  Double size = x.abs(), square = x * x;
  Double e = (size * -2.0).exp();
  Double far = (x.constant(1.0) - e) / (e + 1.0);
  far = {&b, math::CopySignOp::create(b, far.value, x.value)};
  Double near = x.constant(17.0);
  for (int odd = 15; odd >= 1; odd -= 2)
    near = square / near + odd;
  return (x / near).select(size.compare(arith::CmpFPredicate::OLT, 0.5), far);
}

/// log(1 + x) and e^x - 1 from the functions' own errors (W. Kahan).
static Double emitLog1p(Double x) {
  Double u = x + 1.0;
  return x.select(u.compare(arith::CmpFPredicate::OEQ, 1.0),
                  emitLog(u) * (x / (u - 1.0)));
}
static Double emitExpm1(Double x) {
  Double u = x.exp(), less = u - 1.0;
  Double result = less * (x / emitLog(u));
  double infinity = std::numeric_limits<double>::infinity();
  result = u.select(u.compare(arith::CmpFPredicate::OEQ, infinity), result);
  result = less.select(less.compare(arith::CmpFPredicate::OEQ, -1.0), result);
  return x.select(u.compare(arith::CmpFPredicate::OEQ, 1.0), result);
}
/// From e^x - 1, which keeps the digits of small numbers.
static Double emitSinh(Double x) {
  Double e = emitExpm1(x.abs());
  Double result = (e + e / (e + 1.0)) * 0.5;
  double infinity = std::numeric_limits<double>::infinity();
  result = e.select(e.compare(arith::CmpFPredicate::OEQ, infinity), result);
  return {x.b, math::CopySignOp::create(*x.b, result.value, x.value)};
}
static Double emitCosh(Double x) { return (x.exp() + (x * -1.0).exp()) * 0.5; }
static Double emitLog2(Double x) { return emitLog(x) * 0x1.71547652b82fep+0; }
static Double emitLog10(Double x) { return emitLog(x) * 0x1.bcb7b1526e50ep-2; }

static Double sqrt(Double x) {
  return {x.b, math::SqrtOp::create(*x.b, x.value)};
}
static Double withSign(Double size, Double sign) {
  return {size.b, math::CopySignOp::create(*size.b, size.value, sign.value)};
}

static constexpr double kHalfPi = 0x1.921fb54442d18p+0,
                        kHalfPiRest = 0x1.1a62633145c07p-54;

/// Beyond tan(pi / 8) pi / 4 + atan((x - 1) / (x + 1)), beyond tan(3 pi / 8)
/// pi / 2 - atan(1 / x); the series of what is left has 22 terms in f64.
static Double emitAtan(Double x) {
  Double size = x.abs(), one = x.constant(1.0), zero = x.constant(0.0);
  Value isFar = size.compare(arith::CmpFPredicate::OGT, 0x1.3504f333f9de6p+1);
  Value isNear = size.compare(arith::CmpFPredicate::ULE, 0x1.a827999fcef32p-2);
  Double above = size.select(isNear, size - 1.0);
  Double below = one.select(isNear, size + 1.0);
  Double t = x.constant(-1.0).select(isFar, above) / size.select(isFar, below);
  Double square = t * t, series = x.constant(-1.0 / 43);
  for (int odd = 41; odd >= 3; odd -= 2)
    series = series.fma(square, x.constant((odd % 4 == 1 ? 1.0 : -1.0) / odd));
  Double turn = one.select(isFar, zero.select(isNear, x.constant(0.5)));
  Double rest = turn.fma(x.constant(kHalfPiRest), t * square * series);
  return withSign(turn * kHalfPi + (t + rest), x);
}

/// The angle of the point (x, y): of the smaller of both over the larger.
static Double emitAtan2(Double y, Double x) {
  ImplicitLocOpBuilder &b = *x.b;
  Double across = x.abs(), up = y.abs(), zero = x.constant(0.0);
  auto compare = [&](arith::CmpFPredicate predicate, Double l, Double r) {
    return arith::CmpFOp::create(b, predicate, l.value, r.value).getResult();
  };
  Value steep = compare(arith::CmpFPredicate::OGT, up, across);
  Double small = across.select(steep, up), large = up.select(steep, across);
  // Neither 0 / 0 nor infinity by infinity.
  Double same = zero.select(large.compare(arith::CmpFPredicate::OEQ, 0.0),
                            x.constant(1.0));
  Double angle = emitAtan(same.select(
      compare(arith::CmpFPredicate::OEQ, small, large), small / large));
  angle = (x.constant(kHalfPi) - (angle - kHalfPiRest)).select(steep, angle);
  Value bits = arith::BitcastOp::create(b, b.getI64Type(), x.value);
  Value left =
      arith::CmpIOp::create(b, arith::CmpIPredicate::slt, bits, integer(b, 0));
  angle =
      (x.constant(2 * kHalfPi) - (angle - 2 * kHalfPiRest)).select(left, angle);
  return (x + y).select(compare(arith::CmpFPredicate::UNO, x, y),
                        withSign(angle, y));
}
static Double emitAsin(Double x) {
  return emitAtan(x / sqrt((x.constant(1.0) - x) * (x + 1.0)));
}
static Double emitAcos(Double x) {
  return emitAtan(sqrt((x.constant(1.0) - x) / (x + 1.0))) * 2.0;
}

/// By the logarithm, and a step of Newton's. Zero, infinity and NaN are their
/// own roots.
static Double emitCbrt(Double x) {
  Double size = x.abs();
  Double root = (emitLog(size) * (1.0 / 3)).exp();
  root = root - (root - size / (root * root)) * (1.0 / 3);
  Value inner = arith::AndIOp::create(
      *x.b, size.compare(arith::CmpFPredicate::OGT, 0.0),
      size.compare(arith::CmpFPredicate::OLT,
                   std::numeric_limits<double>::infinity()));
  return withSign(root, x).select(inner, x);
}

namespace {
/// A function of vectors that is used for one lane.
template <typename Op, Value (*emit)(OpBuilder &, Location, Value, bool)>
struct OneLane : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &b) const override {
    Type type = op.getType();
    if (!type.isF32() && !type.isF64())
      return failure();
    Value lane = vector::FromElementsOp::create(
        b, op.getLoc(), VectorType::get(1, type), op.getOperand());
    Value result = emit(b, op.getLoc(), lane, /*avx512=*/false);
    b.replaceOpWithNewOp<vector::ExtractOp>(op, result, 0);
    return success();
  }
};

/// A function computed in f64.
template <typename Op, Double (*emit)(Double), bool f32 = true>
struct InDouble : OpRewritePattern<Op> {
  // Before upstream's polynomials.
  InDouble(MLIRContext *context)
      : OpRewritePattern<Op>(context, /*benefit=*/2) {}
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (!type.isF64() && !(f32 && type.isF32()))
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value x = op.getOperand();
    if (type.isF32())
      x = arith::ExtFOp::create(b, b.getF64Type(), x);
    Value result = emit({&b, x}).value;
    if (type.isF32())
      result = arith::TruncFOp::create(b, type, result);
    rewriter.replaceOp(op, result);
    return success();
  }
};

struct Atan2InDouble : OpRewritePattern<math::Atan2Op> {
  Atan2InDouble(MLIRContext *context)
      : OpRewritePattern(context, /*benefit=*/2) {}
  LogicalResult matchAndRewrite(math::Atan2Op op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isF64())
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOp(op,
                       emitAtan2({&b, op.getLhs()}, {&b, op.getRhs()}).value);
    return success();
  }
};
} // namespace

LogicalResult vortex::expandMath(Operation *function) {
  shareFloat8(function);
  MLIRContext *context = function->getContext();
  RewritePatternSet patterns(context);
  populateMathF32ExpansionPatterns(patterns, [](StringRef) { return true; });
  populateMathPolynomialApproximationPatterns(patterns, [](StringRef name) {
    return name != math::ExpOp::getOperationName() &&
           name != math::ErfOp::getOperationName();
  });
  math::populateExpansionPatterns(patterns,
                                  {"rsqrt", "powf", "fpowi", "ipowi", "exp2",
                                   "tan", "asinh", "acosh", "atanh"});
  arith::populateCeilFloorDivExpandOpsPatterns(patterns);
  populateFloat8Patterns(patterns);
  patterns
      .add<OneLane<math::ExpOp, emitExp>, OneLane<math::ErfOp, emitErf>,
           InDouble<math::LogOp, emitLog>, InDouble<math::Log2Op, emitLog2>,
           InDouble<math::Log10Op, emitLog10>, InDouble<math::SinhOp, emitSinh>,
           InDouble<math::CoshOp, emitCosh>, InDouble<math::SinOp, emitSin>,
           InDouble<math::CosOp, emitCos>,
           InDouble<math::TanhOp, emitTanh, /*f32=*/false>,
           InDouble<math::Log1pOp, emitLog1p, /*f32=*/false>,
           InDouble<math::ExpM1Op, emitExpm1, /*f32=*/false>,
           InDouble<math::AtanOp, emitAtan, /*f32=*/false>,
           InDouble<math::AsinOp, emitAsin, /*f32=*/false>,
           InDouble<math::AcosOp, emitAcos, /*f32=*/false>,
           InDouble<math::CbrtOp, emitCbrt>, Atan2InDouble>(context);
  if (failed(applyPatternsGreedily(function, std::move(patterns))))
    return failure();
  static const llvm::StringSet<> instructions = {
      "math.absf",     "math.absi",  "math.ceil",  "math.copysign",
      "math.ctlz",     "math.ctpop", "math.cttz",  "math.floor",
      "math.fma",      "math.isnan", "math.isinf", "math.isfinite",
      "math.isnormal", "math.round", "math.sqrt",  "math.trunc",
      "math.roundeven"};
  WalkResult walked = function->walk([&](Operation *op) {
    if (!isa<math::MathDialect>(op->getDialect()) ||
        instructions.contains(op->getName().getStringRef()))
      return WalkResult::advance();
    op->emitOpError() << "of " << op->getResult(0).getType()
                      << " has no device code";
    return WalkResult::interrupt();
  });
  return failure(walked.wasInterrupted());
}

namespace {
struct DropOneLane : RewritePattern {
  explicit DropOneLane(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}
  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    auto isOneLane = [](Type type) {
      auto vector = dyn_cast<VectorType>(type);
      return vector && vector.getRank() == 1 && vector.getNumElements() == 1;
    };
    if (!OpTrait::hasElementwiseMappableTraits(op) ||
        op->getNumResults() != 1 || !isOneLane(op->getResult(0).getType()))
      return failure();
    SmallVector<Value> numbers;
    for (Value operand : op->getOperands())
      numbers.push_back(
          isOneLane(operand.getType())
              ? vector::ExtractOp::create(rewriter, op->getLoc(), operand, 0)
                    .getResult()
              : operand);
    auto type = cast<VectorType>(op->getResult(0).getType());
    Operation *number =
        rewriter.create(op->getLoc(), op->getName().getIdentifier(), numbers,
                        type.getElementType(), op->getAttrs());
    rewriter.replaceOpWithNewOp<vector::FromElementsOp>(op, type,
                                                        number->getResults());
    return success();
  }
};
} // namespace

LogicalResult vortex::dropOneLaneVectors(Operation *function) {
  RewritePatternSet patterns(function->getContext());
  patterns.add<DropOneLane>(function->getContext());
  return applyPatternsGreedily(function, std::move(patterns));
}
