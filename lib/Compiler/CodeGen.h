//===- CodeGen.h - LLVM modules to object code ------------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_LIB_COMPILER_CODEGEN_H
#define VORTEX_LIB_COMPILER_CODEGEN_H

#include "vortex/Compiler/Compiler.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Target/TargetMachine.h"

namespace llvm {
class Module;
} // namespace llvm

namespace vortex {

/// How one module is compiled.
struct CodeGenOptions {
  /// 1 to 3, as in -O.
  unsigned level = 2;
  /// Whether the machine scheduler runs before register allocation.
  bool scheduler = true;
  /// Whether the module is one kernel: its vector code is final, and its cases
  /// must stay apart.
  bool kernel = false;
};

/// Initialises LLVM's code generators; call before threads start.
void initializeCodeGen();

/// LLVM's target machine; null with `error` set when there is none.
std::unique_ptr<llvm::TargetMachine>
createTargetMachine(const CodeTarget &target, const CodeGenOptions &options,
                    std::string &error);

/// Gives `module` the triple, the layout and the functions' features.
void setTarget(llvm::Module &module, const CodeTarget &target,
               llvm::TargetMachine &machine);

/// Runs LLVM's optimisations.
void optimize(llvm::Module &module, llvm::TargetMachine &machine,
              const CodeGenOptions &options);

/// Object code, or assembly, of `module`; false with `error` set on failure.
/// `spills`, if given, is raised by the vector registers that innermost loops
/// move to and from the stack.
bool emit(llvm::Module &module, llvm::TargetMachine &machine,
          const CodeGenOptions &options, llvm::CodeGenFileType kind,
          llvm::SmallVectorImpl<char> &output, std::string &error,
          unsigned *spills = nullptr);

} // namespace vortex

#endif // VORTEX_LIB_COMPILER_CODEGEN_H
