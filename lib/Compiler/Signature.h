//===- Signature.h - What callers see of a function -------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_LIB_COMPILER_SIGNATURE_H
#define VORTEX_LIB_COMPILER_SIGNATURE_H

#include "vortex-c/Artifact.h"

#include "mlir/IR/BuiltinOps.h"

#include <optional>
#include <string>
#include <vector>

namespace vortex {

/// VortexValueInfo, owned.
struct ValueSignature {
  VortexValueKind kind = VORTEX_SCALAR;
  VortexDType dtype = VORTEX_F32;
  std::vector<int64_t> extents; ///< -1 where unknown.
  std::vector<std::string> dims;
  bool isWeight = false;
  bool sizesOnly = false; ///< Calls read no element of this weight.
};

/// VortexFunctionInfo, owned, without its code.
struct FunctionSignature {
  std::string name;
  std::vector<ValueSignature> args, results, bound;
  std::vector<std::string> relations;
  std::string binder;    ///< The function that packs its weights, "" for none.
  std::string chooser;   ///< The function that tells its choices, "" for none.
  std::string precision; ///< What products of f32 are computed in, "" for f32.
  /// Of intermediates, as an expression of sizes; "" where data decides.
  std::string peakBytes;
  /// What no call exceeds, as far as declared sizes tell.
  std::optional<int64_t> mostBytes;
};

/// Short names as in MLIR: "f32", "complex<f32>".
llvm::StringRef getDTypeName(VortexDType dtype);

/// What addresses of elements are multiples of: their bytes, of a complex
/// number those of its parts.
uint64_t getDTypeAlignment(VortexDType dtype);

/// The signatures of the public functions of `module`, in order. Emits an
/// error for what callers cannot pass or receive.
llvm::FailureOr<std::vector<FunctionSignature>>
collectSignatures(mlir::ModuleOp module);

/// The signature of a tensor, memref or scalar type.
llvm::FailureOr<ValueSignature> getValueSignature(mlir::Type type);

/// Marks the arguments that `--weights` names (`f:2-40`, `f:1,3`).
llvm::LogicalResult markWeights(mlir::ModuleOp module, llvm::StringRef text);

} // namespace vortex

#endif // VORTEX_LIB_COMPILER_SIGNATURE_H
