//===- LowerToLLVM.h - Pipelines from tensors to LLVM -----------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_PIPELINES_LOWERTOLLVM_H
#define VORTEX_PIPELINES_LOWERTOLLVM_H

#include <cstdint>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace vortex {

/// What needs the whole program, kernel modules included: machine parameters
/// and kernels numbered, the packing of weights split off.
void buildPreparePipeline(mlir::OpPassManager &pm);

/// The arithmetic of choices to functions, which need nothing of the program
/// around them. Behind buildPreparePipeline.
void buildChoicesPipeline(mlir::OpPassManager &pm);

/// Tensors to memrefs: odd ops decomposed, results given their memory,
/// one-shot bufferization, deallocation, the call's context added. `device`:
/// the memory will be that of a GPU.
void buildBufferizePipeline(mlir::OpPassManager &pm, bool device = false);

/// A program whose kernels run on a GPU, on the device's memory: its loops
/// become modules of device code, numbered from `firstKernel` on. Behind
/// buildBufferizePipeline.
void buildDeviceProgramPipeline(mlir::OpPassManager &pm, int64_t firstKernel);

/// Memrefs, vectors, linalg and scf to branches over scalars, vectors and
/// strided memrefs. Functions must have the call's context.
void buildLoopsPipeline(mlir::OpPassManager &pm);

/// The rest of the way to the LLVM dialect. `math`: whether there may be ops of
/// `math` or `complex`; where there are none, the passes that lower them would
/// look at each op in vain.
void buildLLVMPipeline(mlir::OpPassManager &pm, bool math = true,
                       bool unroll = true);

/// Registers `vortex-bufferize` and `vortex-lower-to-llvm`, all of the above
/// in one module.
void registerLowerToLLVMPipelines();

} // namespace vortex

#endif // VORTEX_PIPELINES_LOWERTOLLVM_H
