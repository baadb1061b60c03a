//===- ResolveDims.cpp - Extents in terms of operands -----------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's patterns, asked of what reads extents alone. Its own pass folds
// every op of the module besides, which took a twentieth of a product's compile
// time where tiles are written out.
//
//===----------------------------------------------------------------------===//

#include "vortex/Conversion/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace vortex {
#define GEN_PASS_DEF_RESOLVEDIMS
#include "vortex/Conversion/Passes.h.inc"
} // namespace vortex

using namespace mlir;
using namespace vortex;

namespace {
struct ResolveDimsPass : vortex::impl::ResolveDimsBase<ResolveDimsPass> {
  void runOnOperation() override {
    SmallVector<Operation *> dims;
    getOperation()->walk([&](Operation *op) {
      if (isa<tensor::DimOp, memref::DimOp>(op))
        dims.push_back(op);
    });
    RewritePatternSet patterns(&getContext());
    memref::populateResolveRankedShapedTypeResultDimsPatterns(patterns);
    // What an extent is computed from may be extents again.
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
    if (failed(applyOpPatternsGreedily(dims, std::move(patterns), config))) {
      getOperation()->emitError(
          "extents of results lead to others without end");
      signalPassFailure();
    }
  }
};
} // namespace
