//===- Compiler.h - A module in, an artifact out ----------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_COMPILER_COMPILER_H
#define VORTEX_COMPILER_COMPILER_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Support/Timing.h"
#include "llvm/ADT/StringRef.h"

#include <functional>
#include <string>
#include <vector>

namespace mlir {
class DialectRegistry;
class OpPassManager;
} // namespace mlir

namespace vortex {

/// Unit attribute of a module nested in the program that holds one kernel: one
/// `func.func` named as the callee of its `vortex.kernel_call`s, taking the
/// call's context (`!llvm.ptr`), then the operands, memrefs with
/// `strided<[?, ..., 1], offset: ?>` (identity for rank 0).
inline constexpr llvm::StringLiteral kKernelModuleAttr = "vortex.kernel_module";
/// Boolean attribute of a kernel module: whether LLVM's machine scheduler runs.
inline constexpr llvm::StringLiteral kSchedulerAttr = "vortex.scheduler";

/// What LLVM generates code for.
struct CodeTarget {
  std::string name;     ///< `isa/chip`, for messages and metadata.
  std::string triple;   ///< LLVM's.
  std::string cpu;      ///< Scheduling model.
  std::string features; ///< LLVM's: `+avx512f,-amx-tile`.

  /// Names of the features that code may use: `avx512f,avx512bw`.
  std::string getNeeded() const;
};

/// The CPU that is the one target of `module`; this machine, which becomes the
/// target, when there is none.
llvm::FailureOr<CodeTarget> getCodeTarget(mlir::ModuleOp module);

/// Places where the passes that plan kernels plug in.
struct CompileHooks {
  /// Adds the passes that form, plan and outline kernels. They leave nested
  /// modules marked `vortex.kernel_module` and `vortex.kernel_call`s.
  std::function<void(mlir::OpPassManager &)> buildFrontPipeline;
  /// Lowers one kernel module to func over memrefs, vectors, scf and linalg.
  /// Runs on several threads at once, on different modules.
  std::function<void(mlir::OpPassManager &)> buildKernelPipeline;
};

struct CompileOptions {
  /// Names of machines and files with their descriptions, as `--target` and
  /// `--target-file` have them. Both empty: the module's `vortex.targets`, and
  /// this machine without these. The artifact has a program for each.
  std::string targets;
  std::string targetFile;
  CompileHooks hooks;
  /// `f:2-40`, `f:1,3`: arguments of function f that are weights.
  std::vector<std::string> weights;
  /// Folder of compiled kernels; empty for no cache.
  std::string cacheDir;
  /// Folder for the IR after each stage and the assembly; empty for none.
  std::string dumpDir;
  /// Where the kernels, their formulas and what was decided are printed; null
  /// for nowhere.
  llvm::raw_ostream *explain = nullptr;
  /// The assembler of device code: empty for the one that is found, "none" for
  /// none. Without, artifacts hold PTX alone, which the driver compiles.
  std::string ptxas;
  /// Beside code that runs on one generation of GPUs alone (`sm_90a`), PTX for
  /// the others and for later ones.
  bool portable = true;
  /// The output is a folder of the kernels' code for a GPU and the program
  /// around them as IR, not an artifact.
  bool emitKernels = false;
  /// Threads that compile; 0 for one a core.
  unsigned threads = 0;
  /// Takes the time of each stage and pass; null for nobody.
  mlir::TimingScope *timing = nullptr;

  /// A timed part of the work that is not within another, ended by destruction.
  mlir::TimingScope time(llvm::StringRef part) const {
    return timing ? timing->nest(part) : mlir::TimingScope();
  }
};

/// All dialects, extensions and translations that programs may use.
void registerCompilerDialects(mlir::DialectRegistry &registry);

/// Compiles the public functions of `module`, which is changed on the way, to
/// a shared object at `outputPath`. The file appears when it is complete. On
/// failure, the reason has been emitted as a diagnostic and nothing is written.
/// Each target has a program of its own, with its own candidates and choice;
/// the run time takes the one that suits the device of an instance. Of a GPU's
/// program the kernels are device code, which the rest launches; a candidate
/// without device code is left out where another of its kernel has some.
/// A candidate whose innermost loops spill vector registers with and without
/// LLVM's scheduler is dropped where another runs at every size.
llvm::LogicalResult compileToArtifact(mlir::ModuleOp module,
                                      const CompileOptions &options,
                                      llvm::StringRef outputPath);

} // namespace vortex

#endif // VORTEX_COMPILER_COMPILER_H
