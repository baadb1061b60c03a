//===- Memory.h - What intermediates of a program take ----------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_LIB_COMPILER_MEMORY_H
#define VORTEX_LIB_COMPILER_MEMORY_H

#include "Signature.h"

namespace vortex {

/// Finds out, for each of `functions`, which are `memref.alloc`s in `module` by
/// now, how many bytes exist at once at most: the largest of the sums at each
/// place, of which those that are provably no more than another are left out.
/// Blocks in loops and branches end with them.
void readMemory(mlir::ModuleOp module,
                std::vector<FunctionSignature> &functions);

} // namespace vortex

#endif // VORTEX_LIB_COMPILER_MEMORY_H
