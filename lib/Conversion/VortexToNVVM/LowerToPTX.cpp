//===- LowerToPTX.cpp - The pipeline from candidates to PTX ----*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Conversion/VortexToNVVM/Passes.h"
#include "vortex/Dialect/Vortex/Transforms/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void vortex::buildDeviceCodePipeline(OpPassManager &pm) {
  OpPassManager &device = pm.nest<gpu::GPUModuleOp>();
  device.addPass(createCanonicalizerPass());
  device.addPass(createCSEPass());
  device.addPass(createSCFToControlFlowPass());
  device.addPass(createCanonicalizerPass());
  device.addPass(createCSEPass());
  // Square roots and roundings are instructions; the rest of math is gone. The
  // conversion for GPUs would call libdevice for them.
  ConvertToLLVMPassOptions toLLVM;
  toLLVM.filterDialects = {"arith", "cf", "math", "ub", "vector"};
  device.addPass(createConvertToLLVMPass(toLLVM));
  device.addPass(createConvertNVVMToLLVMPass());
  device.addPass(createCanonicalizerPass());
  device.addPass(createCSEPass());
  device.addPass(createReconcileUnrealizedCastsPass());
  GpuModuleToBinaryPassOptions options;
  options.compilationTarget = "isa";
  pm.addPass(createGpuModuleToBinaryPass(options));
}

static void buildLowerToPTX(OpPassManager &pm) {
  pm.addPass(vortex::createSplitReductions());
  pm.addPass(vortex::createConvertToNVVM());
  vortex::buildDeviceCodePipeline(pm);
}

void vortex::registerLowerToPTXPipeline() {
  PassPipelineRegistration<>(
      "vortex-lower-to-ptx",
      "From kernels with one GPU candidate to gpu.binary ops that hold PTX",
      buildLowerToPTX);
}
