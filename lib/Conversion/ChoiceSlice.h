//===- ChoiceSlice.h - What a choice is computed from -----------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_LIB_CONVERSION_CHOICESLICE_H
#define VORTEX_LIB_CONVERSION_CHOICESLICE_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/SetVector.h"

namespace vortex {

/// What the operands of a `vortex.select` or `vortex.report` are computed from.
struct ChoiceSlice {
  explicit ChoiceSlice(mlir::Operation *choice);

  /// Arithmetic, operands first. Code elsewhere may use it, too.
  llvm::SmallVector<mlir::Operation *> ops;
  /// Numbers from elsewhere, in an order that is the same for the same
  /// arithmetic.
  llvm::SetVector<mlir::Value> keys;

  /// Whether it is quicker to compute than to call.
  bool isShort() const;
  /// Erases what nothing uses any more.
  void eraseUnused();
};

} // namespace vortex

#endif // VORTEX_LIB_CONVERSION_CHOICESLICE_H
