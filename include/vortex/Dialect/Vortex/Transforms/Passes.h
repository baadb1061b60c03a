//===- Passes.h - Passes over the vortex dialect ----------------- -*- C++
//-*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_DIALECT_VORTEX_TRANSFORMS_PASSES_H
#define VORTEX_DIALECT_VORTEX_TRANSFORMS_PASSES_H

#include "vortex/Dialect/Vortex/IR/VortexDialect.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/Pass.h"

namespace vortex {
/// What two calls must have in common for their results to have the same bits.
enum class Determinism {
  Sizes,         ///< all sizes, threads, and how operands lie in memory
  BatchInvariant ///< what the element is computed from
};

/// Which candidates of tiles a kernel for a CPU gets.
enum class Candidates {
  Few, ///< those that no other beats by its shape alone
  All, ///< all that registers and alignment allow, to measure the few against
  None ///< none: generic loops, to tell whether it is a tile that is wrong
};

/// Which kernels that differ in known extents alone have one code, which takes
/// the extents when it runs.
enum class Sharing {
  Auto,  ///< where many do
  Never, ///< none
  Always ///< all
};

/// What products of f32 are computed in, in the order of kPrecisions.
enum class Precision { F32, BF16, Int8Dynamic, TF32, BF16x2 };

#define GEN_PASS_DECL
#include "vortex/Dialect/Vortex/Transforms/Passes.h.inc"

/// Calls `f` for each function with a body that is `op` or inside it, stopping
/// at the first failure.
mlir::LogicalResult forEachFunction(
    mlir::Operation *op,
    llvm::function_ref<mlir::LogicalResult(mlir::FunctionOpInterface)> f);

/// Forms the kernels of `function` (the work of `vortex-form-kernels`); adds to
/// the counts of kernels and of ops fused into them.
void formKernels(mlir::FunctionOpInterface function, unsigned &kernels,
                 unsigned &fused);

/// A reshape and its inverse go, also around what starts a sum.
void populateReshapeCleanupPatterns(mlir::RewritePatternSet &patterns);
} // namespace vortex

#endif // VORTEX_DIALECT_VORTEX_TRANSFORMS_PASSES_H
