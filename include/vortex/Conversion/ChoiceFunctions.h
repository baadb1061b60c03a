//===- ChoiceFunctions.h - Functions that compute choices -------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `vortex-share-choices` makes: a choice function takes the numbers that a
// choice is computed from and, last, the kernel's position in the artifact's
// table; it gives the candidate's position, after asking whoever listens to
// choices. Layers that choose alike call the same one.
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_CONVERSION_CHOICEFUNCTIONS_H
#define VORTEX_CONVERSION_CHOICEFUNCTIONS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace vortex {

/// On a choice function, the names of the candidates (array of strings).
inline constexpr llvm::StringLiteral kChoiceAttr = "vortex.choice";
/// Unit argument attribute of the kernel's position (i64).
inline constexpr llvm::StringLiteral kNumberAttr = "vortex.kernel_number";

/// The choice function that `op` calls, which may be declared alone; null where
/// it calls none.
mlir::func::FuncOp getChoiceFunction(mlir::Operation *op);

/// The names of the candidates of which `value` is the position of the chosen
/// one, the result of a `vortex.select` or of a choice function; null where it
/// is none.
mlir::ArrayAttr getChosenCandidates(mlir::Value value);

} // namespace vortex

#endif // VORTEX_CONVERSION_CHOICEFUNCTIONS_H
