//===- PlanKernels.cpp - Pipelines from linalg to outlined kernels ---- -===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Pipelines/PlanKernels.h"
#include "Canonicalize.h"

#include "vortex/Conversion/Passes.h"
#include "vortex/Graph/Passes.h"

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

/// The same where kernels have their candidates: most of what there is then is
/// arithmetic, in which little is left after one walk.
static void addKernelCleanup(OpPassManager &pm) {
  pm.addPass(createCanonicalizeStructured());
  pm.addPass(createCSEPass());
}

/// Behind a pass that leaves reshapes around ops.
static void addReshapeCleanup(OpPassManager &pm) {
  // Sizes of values that are gone.
  pm.addPass(memref::createResolveRankedShapeTypeResultDimsPass());
  pm.addPass(createLowerAffinePass());
  addCleanup(pm);
}

static void addCollapseRows(OpPassManager &pm) {
  pm.addPass(createCollapseRows());
  addReshapeCleanup(pm);
}

/// What importers spread over many ops becomes what kernels are formed of.
static void addGraphPasses(OpPassManager &pm) {
  pm.addPass(createHoistChecks());
  pm.addPass(createFoldExtracts());
  pm.addPass(createStripGenerics());
  // Which made extractions of tensors of one element, too, that are no
  // constant.
  pm.addPass(createFoldExtracts());
  addCleanup(pm);
  pm.addPass(createChannelsLast());
  // A transposition that a loop does not change leaves it before products
  // could take it in.
  pm.addPass(createLoopInvariantCodeMotionPass());
  pm.addPass(createNarrowProducts());
  pm.addPass(createFoldRelayout());
  addCollapseRows(pm);
  // Weights are no longer copied to every batch.
  pm.addPass(createNarrowProducts());
  pm.addPass(createSimplifySizes());
  addCleanup(pm);
  // What is merged leaves a loop as one product, whose steps become rows.
  pm.addPass(createMergeProducts());
  pm.addPass(createHoistProducts());
  addCollapseRows(pm);
  pm.addPass(createJoinElementwise());
  pm.addPass(createJoinGathers());
  pm.addPass(createPrepareWeights());
}

void vortex::buildPlanPipeline(OpPassManager &pm, Determinism determinism,
                               Precision precision,
                               ArrayRef<std::string> libraries, Sharing sharing,
                               Candidates candidates) {
  // While functions are those of the program.
  SetPrecisionOptions precisionOptions;
  precisionOptions.precision = precision;
  pm.addPass(createSetPrecision(precisionOptions));
  // Names of sizes belong to a function.
  pm.addPass(createLowerMatch());
  // A kernel and its weights meet in one function.
  pm.addPass(createInlinerPass());
  pm.addPass(createSymbolDCEPass());
  pm.addPass(createFunctionalize());
  pm.addPass(createCheckSizes());
  // What is one size is one value before kernels are formed, and what is
  // proved is not checked.
  pm.addPass(createSimplifySizes());
  pm.addPass(createSelectToIf());
  pm.addPass(createConvertElementwiseToLinalgPass());
  // While a reshape is one op: decomposed, it goes by way of one dimension.
  pm.addPass(createFoldReshapes());
  pm.addPass(createDecomposeOps());
  addCleanup(pm);
  addGraphPasses(pm);
  pm.addPass(createApplyPrecision());
  // Once elements are as narrow as they will be.
  pm.addPass(createPadChannels());
  pm.addPass(createMergeColumns());
  pm.addPass(createShareRecurrences());
  pm.addPass(createCollapsePixels());
  addReshapeCleanup(pm);
  pm.addPass(createFuseChains());
  HierarchizeOptions options;
  options.deterministic = determinism;
  options.candidates = candidates;
  options.libraries.assign(libraries.begin(), libraries.end());
  pm.addPass(createHierarchize(options));
  pm.addPass(createDropSpilling());
  pm.addPass(createDescribeKernels());
  pm.addPass(createOutlineChoices());
  pm.addPass(createSelectKernels());
  pm.addPass(createSplitReductions());
  pm.addPass(createSplitProducts());
  addKernelCleanup(pm);
  pm.addPass(createBindWeights());
  addKernelCleanup(pm);
  pm.addPass(createInlineFallbacks());
  pm.addPass(createShareLoops());
  OutlineKernelsOptions outlineOptions;
  outlineOptions.share = sharing;
  pm.addPass(createOutlineKernels(outlineOptions));
}

void vortex::buildKernelPipeline(OpPassManager &pm, bool check) {
  pm.addPass(createExpandKernels());
  addKernelCleanup(pm);
  pm.addPass(createSeparateEmpties());
  pm.addPass(createInsertCopies());
  pm.addPass(createLowerMicroKernels());
  // Tile ops that only give a size would keep their values alive.
  pm.addPass(createResolveDims());
  addKernelCleanup(pm);
  pm.addPass(createLowerPacks());
  pm.addPass(createLowerPads());
  pm.addPass(createSeparateEmpties());
  BufferizeInPlaceOptions inPlace;
  inPlace.check = check;
  pm.addPass(createBufferizeInPlace(inPlace));
  addKernelCleanup(pm);
  pm.addPass(createInsertPrefetches());
  pm.addPass(createFreeBuffers());
  pm.addPass(createJoinRows());
  pm.addPass(createStorePastCaches());
  // After bufferization, whose analysis takes time for every op, and after
  // deallocation, which knows no intrinsics.
  pm.addPass(createExpandMath());
  pm.addPass(createApproximateMath());
  pm.addPass(createCanonicalizeStructured());
}

namespace {
/// Those of `vortex-hierarchize`, `vortex-set-precision` and
/// `vortex-outline-kernels`.
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
  Option<Precision> precision{
      *this, "precision",
      llvm::cl::desc("of the products of functions that do not say theirs"),
      llvm::cl::init(Precision::F32),
      llvm::cl::values(
          clEnumValN(Precision::F32, "f32", "as the program says"),
          clEnumValN(Precision::BF16, "bf16", "factors of bf16"),
          clEnumValN(Precision::Int8Dynamic, "int8-dynamic",
                     "factors of i8 with a scale a row and a column"),
          clEnumValN(Precision::TF32, "tf32", "factors of tf32"),
          clEnumValN(Precision::BF16x2, "bf16x2",
                     "each product as three of bf16, where that is faster"))};
  Option<Candidates> candidates{
      *this, "candidates", llvm::cl::desc("tiles on CPUs"),
      llvm::cl::init(Candidates::Few),
      llvm::cl::values(
          clEnumValN(Candidates::Few, "few",
                     "those that no other beats by its shape alone"),
          clEnumValN(Candidates::All, "all",
                     "all that registers and alignment allow"),
          clEnumValN(Candidates::None, "none",
                     "none: each kernel as generic loops"))};
  ListOption<std::string> libraries{
      *this, "libraries",
      llvm::cl::desc("libraries that products may call where that is cheaper")};
  Option<Sharing> share{
      *this, "share",
      llvm::cl::desc(
          "which kernels that differ in known extents alone have one code"),
      llvm::cl::init(Sharing::Auto),
      llvm::cl::values(clEnumValN(Sharing::Auto, "auto",
                                  "three and more, two with bound weights"),
                       clEnumValN(Sharing::Never, "never", "none"),
                       clEnumValN(Sharing::Always, "always", "all"))};
};

struct LowerKernelOptions : PassPipelineOptions<LowerKernelOptions> {
  Option<bool> check{
      *this, "check",
      llvm::cl::desc("that of vortex-bufferize-in-place (slow, for tests)"),
      llvm::cl::init(false)};
};
} // namespace

void vortex::registerPlanPipelines() {
  PassPipelineRegistration<PlanOptions>(
      "vortex-plan-kernels",
      "linalg on tensors to calls of outlined kernels and the choice between "
      "their candidates",
      [](OpPassManager &pm, const PlanOptions &options) {
        buildPlanPipeline(pm, options.deterministic, options.precision,
                          llvm::to_vector(options.libraries), options.share,
                          options.candidates);
      });
  PassPipelineRegistration<LowerKernelOptions>(
      "vortex-lower-kernel",
      "an outlined kernel with one candidate to loops over memrefs and vectors",
      [](OpPassManager &pm, const LowerKernelOptions &options) {
        buildKernelPipeline(pm, options.check);
      });
}
