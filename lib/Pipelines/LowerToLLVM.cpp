//===- LowerToLLVM.cpp - Pipelines from tensors to LLVM -*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Pipelines/LowerToLLVM.h"
#include "Canonicalize.h"
#include "vortex/Conversion/Passes.h"
#include "vortex/Conversion/VortexToGPU/Passes.h"
#include "vortex/Dialect/Vortex/Transforms/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace vortex;

void vortex::buildPreparePipeline(OpPassManager &pm) {
  pm.addPass(createLowerMatch());
  pm.addPass(createNumberQueries());
  pm.addPass(createSplitWeights());
}

void vortex::buildChoicesPipeline(OpPassManager &pm) {
  pm.addPass(createShareChoices());
  // In a function of its own nothing else uses what a cost needs.
  pm.addPass(createGuardCosts());
}

void vortex::buildBufferizePipeline(OpPassManager &pm, bool device) {
  // Buffer deallocation knows structured loops only.
  pm.addPass(createLiftControlFlowToSCFPass());
  pm.addPass(createLowerPacks());
  // Rows of a pad by vectors, or by fills and copies of the device.
  pm.addPass(device ? createConvertTensorToLinalgPass() : createLowerPads());
  // arith and math on tensors do not bufferize as they are.
  pm.addPass(createSelectToIf());
  pm.addPass(createConvertElementwiseToLinalgPass());
  pm.addPass(createDecomposeOps());
  pm.addPass(createSeparateEmpties());
  pm.addPass(createAssignResults());
  pm.addPass(createCanonicalizeStructured());
  pm.addPass(createCSEPass());

  pm.addPass(createSeparateEmpties());
  pm.addPass(createSwitchToIf());
  bufferization::OneShotBufferizePassOptions options;
  options.bufferizeFunctionBoundaries = true;
  options.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  options.allowReturnAllocsFromLoops = true;
  pm.addPass(bufferization::createOneShotBufferizePass(options));
  pm.addPass(createCanonicalizeStructured());
  pm.addPass(createCSEPass());
  pm.addPass(createDensifyOperands());
  bufferization::buildBufferDeallocationPipeline(pm);
  pm.addPass(createConvertBufferizationToMemRefPass());
  pm.addPass(createCanonicalizeStructured());
  // Memory goes back behind its last use, so that what follows takes it again.
  pm.addNestedPass<func::FuncOp>(
      bufferization::createOptimizeAllocationLivenessPass());
  pm.addPass(createAddContext());
}

void vortex::buildDeviceProgramPipeline(OpPassManager &pm,
                                        int64_t firstKernel) {
  pm.addPass(createLowerReshapes());
  OutlineLoopsOptions options;
  options.first = firstKernel;
  pm.addPass(createOutlineLoops(options));
  pm.addPass(createLowerDeviceMemory());
  pm.addPass(createCanonicalizeStructured());
  pm.addPass(createCSEPass());
}

void vortex::buildLoopsPipeline(OpPassManager &pm) {
  pm.addPass(createRememberChoices());
  pm.addPass(createLowerQueries());
  pm.addPass(createLowerCopies());
  pm.addNestedPass<func::FuncOp>(createConvertLinalgToLoopsPass());
  pm.addPass(createLowerParallel());
  // What a call hands over lies on the stack of the thread that makes it.
  pm.addPass(createLowerLibraryCalls());
  pm.addPass(createSkipDivisions());
  pm.addPass(createLowerReshapes());
  pm.addPass(createCanonicalizeStructured());
  pm.addPass(createCSEPass());
  pm.addPass(createSeparateStrides());
  pm.addPass(createShareBinderLoops());
}

void vortex::buildLLVMPipeline(OpPassManager &pm, bool math, bool unroll) {
  pm.addPass(createLowerNarrowFloats());
  // Floats narrower than f32 are for storage: x86 computes in f32, and its
  // conversions would otherwise call a compiler run-time library.
  math::MathExtendToSupportedTypesOptions extend;
  pm.addPass(math::createMathExtendToSupportedTypes(extend));
  pm.addPass(createExpandMath());
  arith::ArithEmulateUnsupportedFloatsOptions emulate;
  emulate.sourceTypeStrs = {"bf16", "f16", "f8E4M3FN", "f8E5M2"};
  emulate.targetTypeStr = "f32";
  pm.addPass(arith::createArithEmulateUnsupportedFloats(emulate));
  pm.addPass(createExpandFloat8());
  pm.addPass(createSplitMaskedTransfers());
  pm.addPass(createConvertVectorToSCFPass());
  // Reshapes that canonicalization made since.
  pm.addPass(createLowerReshapes());
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createConvertVectorToLLVMPass());
  if (math) {
    pm.addPass(createConvertComplexToStandardPass());
    pm.addPass(createConvertMathToFuncs());
  }
  arith::ArithExpandOpsPassOptions expand;
  expand.includeBf16 = true;
  pm.addPass(arith::createArithExpandOpsPass(expand));
  // Blocks of a kernel's cases that differ in constants alone must stay apart:
  // merged, each tile would pass its indices through memory. And a branch that
  // says how often its loop is to be repeated must not become part of another.
  // Whatever simplifies regions therefore comes before there are blocks.
  pm.addPass(createCanonicalizeStructured());
  pm.addPass(createCSEPass());
  LoopsToBlocksOptions blocks;
  blocks.unroll = unroll;
  pm.addPass(createLoopsToBlocks(blocks));
  if (math) {
    pm.addPass(createConvertMathToLLVMPass());
    pm.addPass(createConvertMathToLibmPass());
  }
  pm.addPass(createConvertToLLVM());
  pm.addPass(createReconcileUnrealizedCastsPass());
}

void vortex::registerLowerToLLVMPipelines() {
  PassPipelineRegistration<>(
      "vortex-bufferize",
      "tensors to memrefs whose memory comes from the call's context",
      [](OpPassManager &pm) { buildBufferizePipeline(pm); });
  PassPipelineRegistration<>("vortex-lower-to-llvm",
                             "a module of tensor programs to the LLVM dialect",
                             [](OpPassManager &pm) {
                               buildPreparePipeline(pm);
                               buildChoicesPipeline(pm);
                               buildBufferizePipeline(pm);
                               buildLoopsPipeline(pm);
                               buildLLVMPipeline(pm);
                             });
}
