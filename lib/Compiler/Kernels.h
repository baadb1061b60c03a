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

#include "mlir/Pass/PassManager.h"

#include <map>
#include <set>

namespace vortex {

class ObjectCache;

/// One kernel, or a choice function, compiled on its own.
struct KernelModule {
  std::string name;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// "KERNEL=CANDIDATE" of all that use this code.
  std::vector<std::string> implements;
  /// Whether these know extents that the code takes when it runs.
  bool general = false;
  /// Whether it is a choice function: scalar code.
  bool choice = false;
};

/// What is known of candidates whose innermost loops spill vector registers:
/// by how many instructions, under "KERNEL=CANDIDATE".
using SpillTable = std::map<std::string, unsigned>;

/// "KERNEL=CANDIDATE" of those that have code of their own.
using OwnCode = std::set<std::string>;

/// Objects by their key in the object cache; kernels have a neutral name there,
/// as the same code serves those of other names.
using ObjectTable = std::map<std::string, ObjectCode>;

/// Takes the modules marked `vortex.kernel_module` out of `program`.
llvm::FailureOr<std::vector<KernelModule>>
extractKernels(mlir::ModuleOp program);

/// Takes the bodies of the choice functions out of `program`, which calls them
/// by names that say what they compute.
llvm::FailureOr<std::vector<KernelModule>>
extractChoices(mlir::ModuleOp program);

/// Work to do on one thread while others compile kernels.
using BesideKernels = llvm::function_ref<llvm::LogicalResult()>;

/// Loads what the passes of `pm` create ops of: a context that several threads
/// use must not grow.
void loadDialects(mlir::PassManager &pm);

/// Compiles all kernels in parallel, from `known` or the cache where these have
/// them. Code whose innermost loops spill is compiled again with the other
/// setting of LLVM's scheduler; what spills with both goes into `spills`, or
/// into `own` where code that knows its extents may not. Adds the objects to
/// `known` and to the cache. `beside` is begun first, if given, and fails the
/// whole where it fails.
llvm::LogicalResult compileKernels(llvm::MutableArrayRef<KernelModule> kernels,
                                   const CompileOptions &options,
                                   const CodeTarget &target, ObjectCache &cache,
                                   ObjectTable &known, SpillTable &spills,
                                   OwnCode &own,
                                   std::vector<ObjectCode> &objects,
                                   BesideKernels beside);

/// Translates `module` to LLVM, optimises it and emits object code.
/// `prepare` may add to the LLVM module before. Dumps to `options.dumpDir`
/// under `name`. Emits errors on `module`. Its parts are timed in `timing`.
/// `spills` as in emit().
llvm::LogicalResult
generateObject(mlir::ModuleOp module, llvm::StringRef name,
               const CompileOptions &options, const CodeTarget &target,
               const CodeGenOptions &codeGen, mlir::TimingScope &timing,
               llvm::function_ref<bool(llvm::Module &, std::string &)> prepare,
               ObjectCode &object, unsigned *spills = nullptr);

/// Writes `text`, or `module` itself, to `name` in the folder of stages, if
/// there is one. A warning at `module` when that fails.
void dumpStage(const CompileOptions &options, llvm::StringRef name,
               mlir::ModuleOp module, llvm::StringRef text);
void dumpStage(const CompileOptions &options, llvm::StringRef name,
               mlir::ModuleOp module);

} // namespace vortex

#endif // VORTEX_LIB_COMPILER_KERNELS_H
