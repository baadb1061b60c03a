//===- PlanKernels.cpp - Pipelines from linalg to outlined kernels ---- -===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Pipelines/PlanKernels.h"

#include "vortex/Conversion/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace vortex;

static void addCleanup(OpPassManager &pm) {
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

void vortex::buildPlanPipeline(OpPassManager &pm, Determinism determinism) {
  // Names of sizes belong to a function.
  pm.addPass(createLowerMatch());
  // A kernel and its weights meet in one function.
  pm.addPass(createInlinerPass());
  pm.addPass(createSymbolDCEPass());
  // What is one size is one value before kernels are formed, and what is
  // proved is not checked.
  pm.addPass(createSimplifySizes());
  pm.addPass(createConvertElementwiseToLinalgPass());
  pm.addPass(createDecomposeOps());
  addCleanup(pm);
  HierarchizeOptions options;
  options.deterministic = determinism;
  pm.addPass(createHierarchize(options));
  pm.addPass(createDropSpilling());
  pm.addPass(createDescribeKernels());
  pm.addPass(createOutlineChoices());
  pm.addPass(createSelectKernels());
  addCleanup(pm);
  pm.addPass(createBindWeights());
  addCleanup(pm);
  pm.addPass(createInlineFallbacks());
  pm.addPass(createOutlineKernels());
}

void vortex::buildKernelPipeline(OpPassManager &pm) {
  pm.addPass(createExpandKernels());
  addCleanup(pm);
  pm.addPass(createLowerMicroKernels());
  // Tile ops that only give a size would keep their values alive.
  pm.addPass(memref::createResolveRankedShapeTypeResultDimsPass());
  addCleanup(pm);
  pm.addPass(createLowerPacks());
  pm.addPass(createLowerPads());
  addCleanup(pm);
  pm.addPass(createSeparateEmpties());
  pm.addPass(bufferization::createOneShotBufferizePass());
  addCleanup(pm);
  pm.addPass(createInsertPrefetches());
  bufferization::buildBufferDeallocationPipeline(pm);
  pm.addPass(createConvertBufferizationToMemRefPass());
  // After bufferization, whose analysis takes time for every op, and after
  // deallocation, which knows no intrinsics.
  pm.addPass(createExpandMath());
  pm.addPass(createApproximateMath());
  pm.addPass(createCanonicalizerPass());
}

namespace {
/// Those of `vortex-hierarchize`.
struct PlanOptions : PassPipelineOptions<PlanOptions> {
  Option<Determinism> deterministic{
      *this, "deterministic",
      llvm::cl::desc("what results with the same bits must have in common"),
      llvm::cl::init(Determinism::Sizes),
      llvm::cl::values(
          clEnumValN(Determinism::Sizes, "sizes",
                     "all sizes, threads, and how operands lie in memory"),
          clEnumValN(Determinism::BatchInvariant, "batch-invariant",
                     "what the element is computed from"))};
};
} // namespace

void vortex::registerPlanPipelines() {
  PassPipelineRegistration<PlanOptions>(
      "vortex-plan-kernels",
      "linalg on tensors to calls of outlined kernels and the choice between "
      "their candidates",
      [](OpPassManager &pm, const PlanOptions &options) {
        buildPlanPipeline(pm, options.deterministic);
      });
  PassPipelineRegistration<>(
      "vortex-lower-kernel",
      "an outlined kernel with one candidate to loops over memrefs and vectors",
      [](OpPassManager &pm) { buildKernelPipeline(pm); });
}
