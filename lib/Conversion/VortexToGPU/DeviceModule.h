//===- DeviceModule.h - Modules of device code -----------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_CONVERSION_VORTEXTOGPU_DEVICEMODULE_H
#define VORTEX_CONVERSION_VORTEXTOGPU_DEVICEMODULE_H

#include "ContractionPlan.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace vortex {

/// `name` as PTX may have it: without dots.
std::string toIdentifier(llvm::StringRef name);

/// A `gpu.module` for `hw` at the end of `program`.
mlir::gpu::GPUModuleOp createDeviceModule(mlir::ModuleOp program,
                                          mlir::Location loc,
                                          llvm::StringRef name, HwAttr hw,
                                          mlir::SymbolTable &symbols);

/// A kernel without a body at the builder's place, with its launch bounds.
mlir::LLVM::LLVMFuncOp
createDeviceFunction(mlir::ImplicitLocOpBuilder &b, llvm::StringRef name,
                     llvm::ArrayRef<mlir::Type> parameters,
                     const LaunchShape &launch);

/// The dynamic shared memory of the block, declared in the module of
/// `function`: all that its kernel uses is carved from it.
mlir::Value getSharedMemory(mlir::ImplicitLocOpBuilder &b,
                            mlir::LLVM::LLVMFuncOp function);

} // namespace vortex

#endif // VORTEX_CONVERSION_VORTEXTOGPU_DEVICEMODULE_H
