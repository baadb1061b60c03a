//===- InitAll.h - Everything a program registers --------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program that calls one of these links Vortex::VortexPipelines,
// Vortex::VortexToGPU and Vortex::VortexHwDesc. The command-line options
// `--target` and `--target-file` are apart (vortex/HwDesc/Passes.h): options
// belong to a program, and a plugin must add none.
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_INITALL_H
#define VORTEX_INITALL_H

#include "vortex/Conversion/Passes.h"
#include "vortex/Conversion/VortexToGPU/Passes.h"
#include "vortex/Dialect/Vortex/IR/VortexDialect.h"
#include "vortex/Dialect/Vortex/Transforms/Passes.h"
#include "vortex/Graph/Passes.h"
#include "vortex/HwDesc/Passes.h"
#include "vortex/Pipelines/LowerToLLVM.h"
#include "vortex/Pipelines/PlanKernels.h"

#include "mlir/Dialect/Linalg/Transforms/TilingInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/TensorTilingInterfaceImpl.h"
#include "mlir/IR/DialectRegistry.h"

namespace vortex {

// Functions that register the passes of one library each, as
// registerVortexPasses. They are here because a file that makes passes would
// otherwise compile a lambda for each pass that there is.
#define GEN_PASS_REGISTRATION
#include "vortex/Conversion/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "vortex/Conversion/VortexToGPU/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "vortex/Dialect/Vortex/Transforms/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "vortex/Graph/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "vortex/HwDesc/Passes.h.inc"

/// Adds the dialect, what upstream's passes ask of its ops, and what our
/// passes ask of upstream's: that linalg and tensor ops can be tiled.
inline void registerAllDialects(mlir::DialectRegistry &registry) {
  registry.insert<VortexDialect>();
  registerBufferizableOpInterfaceExternalModels(registry);
  mlir::linalg::registerTilingInterfaceExternalModels(registry);
  mlir::tensor::registerTilingInterfaceExternalModels(registry);
}

/// Registers every pass and every named pipeline with MLIR's registry, once a
/// process.
inline void registerAllPasses() {
  registerVortexPasses();
  registerVortexHwDescPasses();
  registerVortexConversionPasses();
  registerVortexGraphPasses();
  registerVortexToGPUPasses();
  registerPlanPipelines();
  registerLowerToLLVMPipelines();
  registerLowerToPTXPipeline();
}

} // namespace vortex

#endif // VORTEX_INITALL_H
