//===- LoopKernel.h - A parallel loop as device code -----------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_CONVERSION_VORTEXTOGPU_LOOPKERNEL_H
#define VORTEX_CONVERSION_VORTEXTOGPU_LOOPKERNEL_H

#include "DeviceArith.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace vortex {

/// Whether every op in `loop`, which may be any op, has device code: numbers,
/// loads, stores and views of memrefs, structured control flow.
bool hasDeviceCode(mlir::Operation *loop);

/// The values from around a loop that its device code takes as parameters.
struct LoopArguments {
  explicit LoopArguments(mlir::scf::ParallelOp loop);

  llvm::SmallVector<mlir::Value> memrefs, numbers;
  llvm::SmallVector<mlir::Operation *> constants; ///< made again inside
};

/// How many points each dimension of `loop` has, as index; `value` gives what
/// stands for one of its operands.
llvm::SmallVector<mlir::Value>
getLoopExtents(mlir::OpBuilder &b, mlir::scf::ParallelOp loop,
               llvm::function_ref<mlir::Value(mlir::Value)> value);

/// Bytes between elements of a memref; those of fewer than eight bits have one
/// each.
int64_t getElementBytes(mlir::Type element);

/// Emits a kernel in which each of all blocks' `threads` runs its share of the
/// loop's points. Parameters: for each memref its address, its dynamic sizes,
/// its dynamic strides; then the numbers. `loop` stays as it is.
mlir::FailureOr<mlir::LLVM::LLVMFuncOp>
emitLoopKernel(mlir::scf::ParallelOp loop, const LoopArguments &arguments,
               llvm::StringRef name, int64_t threads,
               mlir::gpu::GPUModuleOp module);

} // namespace vortex

#endif // VORTEX_CONVERSION_VORTEXTOGPU_LOOPKERNEL_H
