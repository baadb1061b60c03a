//===- DecomposeOps.cpp - Rewrites tensor ops that have no lowering of their own
//-*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Conversion/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace vortex {
#define GEN_PASS_DEF_DECOMPOSEOPS
#include "vortex/Conversion/Passes.h.inc"
} // namespace vortex

using namespace mlir;

namespace {

/// Ops that offer their own decomposition, on tensors.
struct DecomposeAggregate
    : OpInterfaceRewritePattern<linalg::AggregatedOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;
  LogicalResult matchAndRewrite(linalg::AggregatedOpInterface op,
                                PatternRewriter &rewriter) const override {
    if (!isa<linalg::SoftmaxOp>(op.getOperation()))
      return failure();
    FailureOr<SmallVector<Value>> values = op.decomposeOperation(rewriter);
    if (failed(values))
      return failure();
    rewriter.replaceOp(op, *values);
    return success();
  }
};

struct DecomposePack : OpRewritePattern<linalg::PackOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(linalg::PackOp op,
                                PatternRewriter &rewriter) const override {
    return linalg::lowerPack(rewriter, op,
                             /*lowerPadLikeWithInsertSlice=*/false);
  }
};

struct DecomposeUnPack : OpRewritePattern<linalg::UnPackOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(linalg::UnPackOp op,
                                PatternRewriter &rewriter) const override {
    return linalg::lowerUnPack(rewriter, op,
                               /*lowerUnpadLikeWithExtractSlice=*/false);
  }
};

struct DecomposeOpsPass : vortex::impl::DecomposeOpsBase<DecomposeOpsPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<DecomposeAggregate, DecomposePack, DecomposeUnPack>(
        &getContext());
    tensor::populateDecomposeTensorConcatPatterns(patterns);
    linalg::populateDecomposeWinogradOpsPatterns(patterns);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
    // Buffer deallocation places its own and refuses those of the program.
    getOperation()->walk([](memref::DeallocOp op) { op.erase(); });
  }
};
} // namespace
