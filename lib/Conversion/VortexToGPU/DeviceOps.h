//===- DeviceOps.h - What each kind of device does its own way --*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels on scalar units are arithmetic, loops, loads and stores, the same for
// all devices. The few ops that are not come from here. Matrix instructions and
// copies of tensor maps are NVIDIA's, and their emitters write nvvm ops.
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_CONVERSION_VORTEXTOGPU_DEVICEOPS_H
#define VORTEX_CONVERSION_VORTEXTOGPU_DEVICEOPS_H

#include "ContractionPlan.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace vortex {

class DeviceOps {
public:
  virtual ~DeviceOps() = default;

  /// The ops for `hw`.
  static const DeviceOps &get(HwAttr hw);
  /// Those for the target of the `gpu.module` that `op` is or is in.
  static const DeviceOps &get(mlir::Operation *op);

  /// Whose devices these are, and the pass that makes their code.
  virtual llvm::StringRef getVendor() const = 0;
  virtual llvm::StringRef getPass() const = 0;

  /// What a `gpu.module` for `hw` says of its target.
  virtual mlir::Attribute getTarget(HwAttr hw) const = 0;
  /// Makes `function` a kernel with these launch bounds.
  virtual void setLaunchBounds(mlir::LLVM::LLVMFuncOp function,
                               const LaunchShape &launch) const = 0;
  /// Declares the shared memory that blocks of `function` use, in the module
  /// around the builder's place.
  virtual void declareSharedMemory(mlir::ImplicitLocOpBuilder &b,
                                   mlir::LLVM::LLVMFuncOp function,
                                   llvm::StringRef name,
                                   unsigned space) const = 0;

  /// Numbers of i32: of the thread in its block, of the block in its grid, and
  /// how many blocks there are.
  virtual mlir::Value threadId(mlir::ImplicitLocOpBuilder &b) const = 0;
  virtual mlir::Value blockId(mlir::ImplicitLocOpBuilder &b) const = 0;
  virtual mlir::Value gridSize(mlir::ImplicitLocOpBuilder &b) const = 0;

  /// Threads of a block wait for each other, and see what they have written to
  /// shared memory.
  virtual void barrier(mlir::ImplicitLocOpBuilder &b) const = 0;
  /// What the lane whose number differs by the bits of `distance` has of
  /// `word`, an i32; all lanes of the warp take part.
  virtual mlir::Value exchange(mlir::ImplicitLocOpBuilder &b, mlir::Value word,
                               int64_t distance) const = 0;
  /// The i32 `number` as one that the optimizer takes for another.
  virtual mlir::Value hide(mlir::ImplicitLocOpBuilder &b,
                           mlir::Value number) const = 0;
  /// Elements of a vector at most; 0 for no limit.
  virtual int64_t getMostElements() const { return 0; }
  /// Whether threads copy from global to shared memory without waiting
  /// (`cp.async`); else what they copy goes through their registers.
  virtual bool copiesAsync() const = 0;
};

/// Of NVIDIA (nvvm), of AMD (rocdl), and of Vulkan (spirv).
const DeviceOps &getNvvmOps();
const DeviceOps &getRocdlOps();
const DeviceOps &getSpirvOps();

} // namespace vortex

#endif // VORTEX_CONVERSION_VORTEXTOGPU_DEVICEOPS_H
