//===- ApproximateMath.cpp - Functions of vectors as polynomials ----------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VectorFunctions.h"

#include "vortex/Dialect/Vortex/Transforms/Passes.h"
#include "vortex/HwDesc/Targets.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace vortex {
#define GEN_PASS_DEF_APPROXIMATEMATH
#include "vortex/Dialect/Vortex/Transforms/Passes.h.inc"
} // namespace vortex

using namespace mlir;
using namespace vortex;

/// Of upstream's polynomials for f32 that of tanh. Its logarithms take
/// subnormal numbers for larger ones, its sine and cosine lose large angles.
static bool isUpstreams(StringRef name) {
  return name == math::TanhOp::getOperationName();
}

static bool isApproximated(StringRef name) {
  return name == math::ExpOp::getOperationName() ||
         name == math::ErfOp::getOperationName() || isUpstreams(name);
}

namespace {
/// A function of vectors of f32 or f64 that `emit` writes.
template <typename Op, Value (*emit)(OpBuilder &, Location, Value, bool)>
struct EmitFunction : OpRewritePattern<Op> {
  EmitFunction(MLIRContext *context, bool avx512)
      : OpRewritePattern<Op>(context), avx512(avx512) {}
  LogicalResult matchAndRewrite(Op op, PatternRewriter &b) const override {
    Type element = getElementTypeOrSelf(op.getType());
    if (!isa<VectorType>(op.getType()) || !(element.isF32() || element.isF64()))
      return failure();
    b.replaceOp(op, emit(b, op.getLoc(), op.getOperand(), avx512));
    return success();
  }
  bool avx512;
};

struct ApproximateMathPass
    : vortex::impl::ApproximateMathBase<ApproximateMathPass> {
  void runOnOperation() override {
    // One lane would not be worth a polynomial: scalars keep the library.
    SmallVector<Operation *> functions;
    getOperation()->walk([&](Operation *op) {
      if (isApproximated(op->getName().getStringRef()) &&
          isa<VectorType>(op->getResult(0).getType()))
        functions.push_back(op);
    });
    if (functions.empty())
      return;
    numApproximated += functions.size();
    RewritePatternSet patterns(&getContext());
    populateMathF32ExpansionPatterns(patterns, isApproximated);
    populateMathPolynomialApproximationPatterns(patterns, isUpstreams);
    SmallVector<HwAttr> targets = getTargets(getOperation());
    bool avx512 = !targets.empty() && llvm::all_of(targets, [](HwAttr target) {
      return target.getFeatures().contains("avx512");
    });
    patterns.add<EmitFunction<math::ExpOp, emitExp>,
                 EmitFunction<math::ErfOp, emitErf>>(&getContext(), avx512);
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
    if (failed(applyOpPatternsGreedily(functions, std::move(patterns), config)))
      signalPassFailure();
  }
};
} // namespace
