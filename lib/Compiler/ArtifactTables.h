//===- ArtifactTables.h - What an artifact says of itself -------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_LIB_COMPILER_ARTIFACTTABLES_H
#define VORTEX_LIB_COMPILER_ARTIFACTTABLES_H

#include "DeviceCode.h"
#include "Signature.h"

#include "vortex/Compiler/Compiler.h"

namespace llvm {
class Module;
} // namespace llvm

namespace vortex {

/// What the names of the program's functions start with in LLVM IR.
inline constexpr llvm::StringLiteral kFunctionPrefix = "vortex.fn.";

/// VortexKernelInfo and VortexParamInfo, owned.
struct KernelTable {
  std::string name;
  std::vector<std::string> candidates, guards, costs, axes;
  int64_t decided = -1;
};
struct ParamTable {
  std::string name;
  double defaultValue;
};

/// Everything that the query function and the metadata section hold.
struct ArtifactTables {
  CodeTarget target;
  std::vector<FunctionSignature> functions;
  std::vector<KernelTable> kernels;
  std::vector<ParamTable> params;
  int64_t numMemos = 0;
  std::vector<std::string> libraries; ///< that code may call
  std::string deviceIsa;              ///< empty when all code is the CPU's
  std::vector<KernelCode> deviceKernels;
  /// Targets of the programs that the artifact holds besides this one.
  std::vector<std::string> programs;
};

/// Reads the tables that vortex-number-queries left on `module`.
void readTables(mlir::ModuleOp module, ArtifactTables &tables);

/// Adds the signatures of what `@f.bind` makes for each `@f`, and which weights
/// are read by nothing else.
llvm::LogicalResult readBound(mlir::ModuleOp module, ArtifactTables &tables);

/// Reads how much the choices remember, once vortex-remember-choices has run.
void readMemos(mlir::ModuleOp module, ArtifactTables &tables);

/// Adds to `module`, which holds the functions as lowered, one entry for each
/// public function, the tables as constants, the query function and the
/// metadata section. Everything but the query function becomes private to the
/// artifact. False with `error` set when a function is missing.
bool addTables(llvm::Module &module, const ArtifactTables &tables,
               std::string &error);

/// The metadata as JSON with checksums of zero, to be sealed after linking.
std::string getMetadata(const ArtifactTables &tables);

} // namespace vortex

#endif // VORTEX_LIB_COMPILER_ARTIFACTTABLES_H
