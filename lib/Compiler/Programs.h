//===- Programs.h - The programs of an artifact -----------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_LIB_COMPILER_PROGRAMS_H
#define VORTEX_LIB_COMPILER_PROGRAMS_H

#include "Link.h"

#include "vortex/Compiler/Compiler.h"
#include "vortex/Dialect/Vortex/IR/VortexDialect.h"

namespace vortex {

/// What one program of an artifact is compiled for.
struct ProgramTarget {
  HwAttr target; ///< null: this machine
  /// Nobody named it: it is there for GPUs that a named one's code does not run
  /// on, which are not known, so it has PTX and no binaries.
  bool portable = false;

  /// `isa/chip`, for messages and metadata.
  std::string getName() const;
};

/// `target` for all GPUs of its generation and later ones: PTX for `sm_90a`
/// runs on compute capability 9.0 alone, for `sm_90` on 9.0 and all above. It
/// lacks the instructions that only the former has. Null for code that is not
/// so bound.
/// https://docs.nvidia.com/cuda/parallel-thread-execution/#ptx-module-directives-target
HwAttr getPortableTarget(HwAttr target);

/// The programs for the targets of `module`, in their order, and the portable
/// one, last, where no other runs on later GPUs. Emits an error where `options`
/// ask for what these cannot have.
llvm::FailureOr<llvm::SmallVector<ProgramTarget>>
planPrograms(mlir::ModuleOp module, const CompileOptions &options);

/// Object code for `target` with each of `artifacts`, whole files, in a section
/// of its own (VORTEX_PROGRAM_SECTION). Emits errors on `module`.
llvm::LogicalResult embedArtifacts(mlir::ModuleOp module,
                                   const CodeTarget &target,
                                   llvm::ArrayRef<ObjectCode> artifacts,
                                   ObjectCode &object);

} // namespace vortex

#endif // VORTEX_LIB_COMPILER_PROGRAMS_H
