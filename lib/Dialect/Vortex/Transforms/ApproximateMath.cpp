//===- ApproximateMath.cpp - Functions of vectors as polynomials ----------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Dialect/Vortex/Transforms/Passes.h"

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

/// Whether upstream's polynomial is right for every f32. Its logarithms take
/// subnormal numbers for larger ones, its sine and cosine lose large angles.
static bool isExactEnough(StringRef name) {
  return name == math::ExpOp::getOperationName() ||
         name == math::TanhOp::getOperationName() ||
         name == math::ErfOp::getOperationName();
}

namespace {
struct ApproximateMathPass
    : vortex::impl::ApproximateMathBase<ApproximateMathPass> {
  void runOnOperation() override {
    // One lane would not be worth a polynomial: scalars keep the library.
    SmallVector<Operation *> functions;
    getOperation()->walk([&](Operation *op) {
      if (isExactEnough(op->getName().getStringRef()) &&
          isa<VectorType>(op->getResult(0).getType()))
        functions.push_back(op);
    });
    if (functions.empty())
      return;
    numApproximated += functions.size();
    RewritePatternSet patterns(&getContext());
    populateMathF32ExpansionPatterns(patterns, isExactEnough);
    populateMathPolynomialApproximationPatterns(patterns, isExactEnough);
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
    if (failed(applyOpPatternsGreedily(functions, std::move(patterns), config)))
      signalPassFailure();
  }
};
} // namespace
