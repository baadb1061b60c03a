//===- KernelFiles.h - Kernels as files -----------------------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_LIB_COMPILER_KERNELFILES_H
#define VORTEX_LIB_COMPILER_KERNELFILES_H

#include "DeviceCode.h"

namespace vortex {

/// Whether what `options` ask for can be made for `device`, null for a CPU.
/// Emits an error that says what can.
llvm::LogicalResult checkOutput(mlir::ModuleOp module, HwAttr device,
                                const CompileOptions &options);

/// Warns of each op of `program`, what is around `kernels`, that runs loops and
/// has no kernel, with what `missing` says. Emits an error where there are such
/// ops and no kernel at all.
llvm::LogicalResult checkKernelFiles(mlir::ModuleOp program, HwAttr device,
                                     llvm::ArrayRef<KernelCode> kernels,
                                     const MissingTable &missing);

/// Writes the code of `kernels` into `folder`, which is made if need be, a file
/// each; `kernels.json`, how they are launched; and `host.mlir`, the program
/// that chooses among them. Emits an error where that fails.
llvm::LogicalResult writeKernelFiles(mlir::ModuleOp program, HwAttr device,
                                     llvm::ArrayRef<KernelCode> kernels,
                                     llvm::StringRef folder);

} // namespace vortex

#endif // VORTEX_LIB_COMPILER_KERNELFILES_H
