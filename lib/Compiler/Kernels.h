//===- Kernels.h - Kernel modules to object code ----------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_LIB_COMPILER_KERNELS_H
#define VORTEX_LIB_COMPILER_KERNELS_H

#include "CodeGen.h"
#include "Link.h"

namespace vortex {

/// One kernel, compiled on its own.
struct KernelModule {
  std::string name;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

/// Takes the modules marked `vortex.kernel_module` out of `program`.
llvm::FailureOr<std::vector<KernelModule>>
extractKernels(mlir::ModuleOp program);

/// Compiles all kernels in parallel, from the cache where it has them.
llvm::LogicalResult compileKernels(llvm::MutableArrayRef<KernelModule> kernels,
                                   const CompileOptions &options,
                                   const CodeTarget &target,
                                   std::vector<ObjectCode> &objects);

/// Translates `module` to LLVM, optimises it and emits object code.
/// `prepare` may add to the LLVM module before. Dumps to `options.dumpDir`
/// under `name`. Emits errors on `module`.
llvm::LogicalResult
generateObject(mlir::ModuleOp module, llvm::StringRef name,
               const CompileOptions &options, const CodeTarget &target,
               const CodeGenOptions &codeGen,
               llvm::function_ref<bool(llvm::Module &, std::string &)> prepare,
               ObjectCode &object);

/// Writes `text` to `name` in the folder of stages, if there is one.
void dumpStage(const CompileOptions &options, llvm::StringRef name,
               llvm::StringRef text);
void dumpStage(const CompileOptions &options, llvm::StringRef name,
               mlir::ModuleOp module);

} // namespace vortex

#endif // VORTEX_LIB_COMPILER_KERNELS_H
