//===- Explain.h - The kernels of a program in words ------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_LIB_COMPILER_EXPLAIN_H
#define VORTEX_LIB_COMPILER_EXPLAIN_H

#include "ArtifactTables.h"

namespace vortex {

/// Prints what intermediates of each function take.
void explainMemory(llvm::ArrayRef<FunctionSignature> functions,
                   llvm::raw_ostream &stream);

/// Prints each kernel with its candidates, their guards and costs, and what was
/// decided. Formulas that many kernels share are printed once.
void explainKernels(llvm::ArrayRef<KernelTable> kernels,
                    llvm::raw_ostream &stream);

/// From now on passes over `context` say in plain lines what they considered
/// and pruned, and why a kernel is a fallback.
llvm::LogicalResult printRemarks(mlir::MLIRContext &context,
                                 llvm::raw_ostream &stream);

} // namespace vortex

#endif // VORTEX_LIB_COMPILER_EXPLAIN_H
