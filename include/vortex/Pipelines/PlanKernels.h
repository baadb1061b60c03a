//===- PlanKernels.h - Pipelines from linalg to outlined kernels ---*- C++ -*-
//-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_PIPELINES_PLANKERNELS_H
#define VORTEX_PIPELINES_PLANKERNELS_H

#include "vortex/Dialect/Vortex/Transforms/Passes.h"

namespace vortex {

/// Forms kernels, gives them candidates for the module's target, builds the
/// choice, binds weights, and moves each kernel to a module of its own.
/// `precision` is that of functions that do not say theirs; `libraries` are
/// those that products may call; `sharing` says which kernels that differ in
/// known extents have one code;
/// `candidates` which tiles are compiled.
void buildPlanPipeline(mlir::OpPassManager &pm,
                       Determinism determinism = Determinism::Sizes,
                       Precision precision = Precision::F32,
                       llvm::ArrayRef<std::string> libraries = {},
                       Sharing sharing = Sharing::Auto,
                       Candidates candidates = Candidates::Few);

/// One kernel module: candidate to loops over memrefs and vectors. `check` is
/// that of `vortex-bufferize-in-place`.
void buildKernelPipeline(mlir::OpPassManager &pm, bool check = false);

/// Registers `vortex-plan-kernels` and `vortex-lower-kernel`.
void registerPlanPipelines();

} // namespace vortex

#endif // VORTEX_PIPELINES_PLANKERNELS_H
