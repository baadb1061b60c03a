//===- KernelGroups.h - Which ops will share a kernel -----------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_TRANSFORMS_KERNELGROUPS_H
#define VORTEX_TRANSFORMS_KERNELGROUPS_H

#include "PayloadClass.h"

#include "vortex/Dialect/Vortex/IR/VortexDialect.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace vortex {

/// Ops of one kernel to be, without the fills that start their results.
struct KernelGroup {
  PayloadClass payloadClass = PayloadClass::Opaque;
  mlir::Operation *anchor = nullptr;
  llvm::SetVector<mlir::Operation *> ops;
};

/// The kernels that `vortex-form-kernels` would make of `block`, a block of
/// `function`, in order of their anchors; the program is not changed.
llvm::SmallVector<KernelGroup> groupKernels(mlir::FunctionOpInterface function,
                                            mlir::Block &block);

/// Makes a kernel of the group's ops, which stand in one block, and of the
/// fills that start them. `axes` names the loops of its anchor, and those that
/// it has besides.
KernelOp createKernel(KernelGroup &group, mlir::StringRef name,
                      llvm::ArrayRef<llvm::StringRef> axes);

/// The blocks of `function` whose linalg ops become kernels: not those of
/// kernels and of linalg ops.
llvm::SmallVector<mlir::Block *>
getProgramBlocks(mlir::FunctionOpInterface function);

} // namespace vortex

#endif // VORTEX_TRANSFORMS_KERNELGROUPS_H
