//===- Passes.h - From candidates to device code ---------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_CONVERSION_VORTEXTOGPU_PASSES_H
#define VORTEX_CONVERSION_VORTEXTOGPU_PASSES_H

#include "mlir/Pass/Pass.h"

namespace vortex {
#define GEN_PASS_DECL
#include "vortex/Conversion/VortexToGPU/Passes.h.inc"

/// On device functions and their kernels: an array of [kernel input, extents
/// of its box...], one for each tensor map.
inline constexpr llvm::StringLiteral kBoxesAttr = "vortex.boxes";
/// Of a device function whose blocks walk all tiles: how many of them share a
/// multiprocessor.
inline constexpr llvm::StringLiteral kQueueAttr = "vortex.queue";

/// From what `vortex-convert-to-nvvm` or `vortex-convert-to-rocdl` make to
/// `gpu.binary` ops of PTX or AMDGCN assembly.
void buildDeviceCodePipeline(mlir::OpPassManager &pm);

/// From what `vortex-convert-to-spirv` makes to `gpu.binary` ops of SPIR-V.
void buildShaderPipeline(mlir::OpPassManager &pm);

/// Registers `vortex-lower-to-ptx`, `vortex-lower-to-amdgcn` and
/// `vortex-lower-to-spirv`: from kernels with one candidate to `gpu.binary` ops
/// that hold the code of a device.
void registerLowerToPTXPipeline();
} // namespace vortex

#endif // VORTEX_CONVERSION_VORTEXTOGPU_PASSES_H
