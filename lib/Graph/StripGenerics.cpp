//===- StripGenerics.cpp - Unused results and constant operands -----------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scope.h"

#include "vortex/Graph/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace vortex {
#define GEN_PASS_DEF_STRIPGENERICS
#include "vortex/Graph/Passes.h.inc"
} // namespace vortex

using namespace mlir;
using namespace vortex;

/// The loops of `op` that go when they have one step: of windows none, as
/// kernels know convolutions by their form.
static SmallVector<unsigned> getLoopsToDrop(Operation *op) {
  auto generic = dyn_cast_or_null<linalg::GenericOp>(op);
  if (!generic || isInKernel(op) || !generic.hasPureTensorSemantics())
    return {};
  for (AffineMap map : generic.getIndexingMapsArray())
    if (!map.isProjectedPermutation(/*allowZeroInResults=*/true))
      return {};
  return llvm::to_vector(llvm::seq<unsigned>(0, generic.getNumLoops()));
}

namespace {
struct StripGenericsPass : vortex::impl::StripGenericsBase<StripGenericsPass> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    SmallVector<Operation *> generics;
    getOperation()->walk([&](linalg::GenericOp op) {
      if (!isInKernel(op))
        generics.push_back(op);
    });
    RewritePatternSet strip(context);
    linalg::populateEraseUnusedOperandsAndResultsPatterns(strip);
    linalg::populateInlineConstantOperandsPatterns(strip);
    (void)applyOpPatternsGreedily(generics, std::move(strip));

    linalg::ControlDropUnitDims options;
    options.controlFn = getLoopsToDrop;
    RewritePatternSet drop(context);
    linalg::populateFoldUnitExtentDimsPatterns(drop, options);
    walkAndApplyPatterns(getOperation(), std::move(drop));
    // Reshapes that this leaves around fills and empty tensors.
    RewritePatternSet reshapes(context);
    linalg::populateFoldUnitExtentDimsCanonicalizationPatterns(reshapes,
                                                               options);
    if (failed(applyPatternsGreedily(getOperation(), std::move(reshapes))))
      signalPassFailure();
  }
};
} // namespace
