//===- Entries.h - How artifacts are called -----------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_LIB_COMPILER_ENTRIES_H
#define VORTEX_LIB_COMPILER_ENTRIES_H

#include "Signature.h"

#include "llvm/ADT/Twine.h"

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace vortex {

/// Makes a VortexEntry, `void name(context, args)`, which takes the arguments
/// apart and calls `callee`.
llvm::Function *createEntry(llvm::Module &module, llvm::Function *callee,
                            llvm::ArrayRef<ValueSignature> args,
                            const llvm::Twine &name);

/// Makes VortexFunctionInfo.accepts: what the run time checks of a call from
/// tables, as straight code. Null for functions whose relations, or sizes of
/// results, are more than that a size is a number or another size.
llvm::Function *createAccepts(llvm::Module &module,
                              const FunctionSignature &function,
                              const llvm::Twine &name);

} // namespace vortex

#endif // VORTEX_LIB_COMPILER_ENTRIES_H
