//===- LowerToPTX.cpp - From candidates to text of a device ----*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Conversion/VortexToGPU/Passes.h"
#include "vortex/Dialect/Vortex/Transforms/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Dialect/SPIRV/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

/// `format`: one of `gpu-module-to-binary`.
static void buildDeviceCode(OpPassManager &pm, StringRef format) {
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
  options.compilationTarget = format.str();
  pm.addPass(createGpuModuleToBinaryPass(options));
}

void vortex::buildDeviceCodePipeline(OpPassManager &pm) {
  buildDeviceCode(pm, "isa");
}

static void buildLowerToPTX(OpPassManager &pm) {
  pm.addPass(vortex::createSplitReductions());
  pm.addPass(vortex::createConvertToNVVM());
  vortex::buildDeviceCodePipeline(pm);
}

namespace {
struct AMDGCNOptions : PassPipelineOptions<AMDGCNOptions> {
  Option<std::string> format{
      *this, "format",
      llvm::cl::desc("isa: assembly; llvm: LLVM's bitcode before it"),
      llvm::cl::init("isa")};
};
} // namespace

static void buildLowerToAMDGCN(OpPassManager &pm,
                               const AMDGCNOptions &options) {
  pm.addPass(vortex::createSplitReductions());
  pm.addPass(vortex::createConvertToROCDL());
  buildDeviceCode(pm, options.format);
}

void vortex::buildShaderPipeline(OpPassManager &pm) {
  OpPassManager &device = pm.nest<gpu::GPUModuleOp>();
  device.addPass(createCanonicalizerPass());
  device.addPass(createCSEPass());
  arith::ArithExpandOpsPassOptions expand;
  expand.includeBf16 = true;
  device.addPass(arith::createArithExpandOpsPass(expand));
  device.addPass(createDeviceToSPIRV());
  OpPassManager &shader = device.nest<spirv::ModuleOp>();
  shader.addPass(createCanonicalizerPass());
  shader.addPass(createCSEPass());
  shader.addPass(spirv::createSPIRVUpdateVCEPass());
  GpuModuleToBinaryPassOptions options;
  options.compilationTarget = "bin";
  pm.addPass(createGpuModuleToBinaryPass(options));
}

static void buildLowerToSPIRV(OpPassManager &pm) {
  pm.addPass(vortex::createSplitReductions());
  pm.addPass(vortex::createConvertToSPIRV());
  vortex::buildShaderPipeline(pm);
}

void vortex::registerLowerToPTXPipeline() {
  PassPipelineRegistration<>("vortex-lower-to-spirv",
                             "From kernels with one candidate for a device of "
                             "Vulkan to gpu.binary ops "
                             "that hold SPIR-V",
                             buildLowerToSPIRV);
  PassPipelineRegistration<AMDGCNOptions>(
      "vortex-lower-to-amdgcn",
      "From kernels with one candidate for a GPU of AMD to gpu.binary ops that "
      "hold its assembly",
      buildLowerToAMDGCN);
  PassPipelineRegistration<>(
      "vortex-lower-to-ptx",
      "From kernels with one GPU candidate to gpu.binary ops that hold PTX",
      buildLowerToPTX);
}
