//===- ExpandMath.cpp - Functions that lose digits near zero --------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// log(1 + x) and e^x - 1 exist because the obvious way to compute them has no
// correct digits near zero, and that way is upstream's lowering. Here they are
// what W. Kahan found: the rounding of 1 + x, or of e^x, is undone by a factor
// that is made of the same rounded number.
//
//===----------------------------------------------------------------------===//

#include "vortex/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include <limits>

namespace vortex {
#define GEN_PASS_DEF_EXPANDMATH
#include "vortex/Conversion/Passes.h.inc"
} // namespace vortex

using namespace mlir;
using namespace vortex;

namespace {
/// Floats, one or many, with the operators of arith.
struct Float {
  ImplicitLocOpBuilder *b;
  Value value;

  Float number(double x) const {
    auto element = cast<FloatType>(getElementTypeOrSelf(value.getType()));
    FloatAttr attr = b->getFloatAttr(element, x);
    TypedAttr all = attr;
    if (auto type = dyn_cast<ShapedType>(value.getType()))
      all = DenseElementsAttr::get(type, attr.getValue());
    return {b, arith::ConstantOp::create(*b, all)};
  }
  template <typename Op>
  Float make(Float y) const {
    return {b, Op::create(*b, value, y.value)};
  }
  Float operator+(double y) const { return make<arith::AddFOp>(number(y)); }
  Float operator-(double y) const { return make<arith::SubFOp>(number(y)); }
  Float operator*(Float y) const { return make<arith::MulFOp>(y); }
  Float operator/(Float y) const { return make<arith::DivFOp>(y); }
  template <typename Op>
  Float apply() const {
    return {b, Op::create(*b, value)};
  }
  /// `then` where this is `y`, else `otherwise`.
  Float ifEqual(double y, Float then, Float otherwise) const {
    Value equal = arith::CmpFOp::create(*b, arith::CmpFPredicate::OEQ, value,
                                        number(y).value);
    return {b, arith::SelectOp::create(*b, equal, then.value, otherwise.value)};
  }
};
} // namespace

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

static Float emitLog1p(Float x) {
  Float u = x + 1.0;
  Float result = u.apply<math::LogOp>() * (x / (u - 1.0));
  result = u.ifEqual(1.0, x, result);
  return x.ifEqual(kInfinity, x, result);
}

static Float emitExpm1(Float x) {
  Float u = x.apply<math::ExpOp>(), less = u - 1.0;
  Float result = less * (x / u.apply<math::LogOp>());
  result = u.ifEqual(kInfinity, u, result);
  result = less.ifEqual(-1.0, less, result);
  return u.ifEqual(1.0, x, result);
}

namespace {
template <typename Op, Float (*emit)(Float)>
struct Expand : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Type element = getElementTypeOrSelf(op.getType());
    if (!element.isF32() && !element.isF64())
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOp(op, emit({&b, op.getOperand()}).value);
    return success();
  }
};

struct ExpandMathPass : vortex::impl::ExpandMathBase<ExpandMathPass> {
  void runOnOperation() override {
    SmallVector<Operation *> functions;
    getOperation()->walk([&](Operation *op) {
      if (isa<math::Log1pOp, math::ExpM1Op>(op))
        functions.push_back(op);
    });
    RewritePatternSet patterns(&getContext());
    patterns.add<Expand<math::Log1pOp, emitLog1p>,
                 Expand<math::ExpM1Op, emitExpm1>>(&getContext());
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingOps);
    if (!functions.empty() &&
        failed(applyOpPatternsGreedily(functions, std::move(patterns), config)))
      signalPassFailure();
  }
};
} // namespace
