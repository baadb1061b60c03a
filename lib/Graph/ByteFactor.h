//===- ByteFactor.h - Factors that come from bytes --------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What quantised programs multiply: bytes that were widened, less a zero point,
// times a scale where they became floats.
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_GRAPH_BYTEFACTOR_H
#define VORTEX_GRAPH_BYTEFACTOR_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <optional>

namespace vortex {

/// A tensor whose elements are `(bytes - zero) * scale`.
struct ByteFactor {
  mlir::Value bytes; ///< tensor of i8, as it lies in the program
  bool isSigned = false;
  /// A tensor without dimensions, or a number; null for none.
  mlir::Value zero;
  bool isZeroSigned = true;
  /// Null: the elements are integers of 32 bits or more. Else they are f32, as
  /// is this number or tensor.
  mlir::Value scale;
  mlir::AffineMap scaleMap; ///< from the elements to those of a tensor `scale`
  /// Transpositions, reshapes and paddings with zeros between `bytes` and the
  /// elements, the last one first.
  llvm::SmallVector<mlir::Operation *> views;

  /// Whether the zero point is a byte, or known to be one.
  bool hasByteZero() const;
  /// The bytes in the shape of the elements: new ops for all views.
  mlir::Value makeBytes(mlir::ImplicitLocOpBuilder &b) const;
};

/// How the elements of `value` come from bytes, through elementwise ops,
/// transpositions, reshapes and paddings; nullopt when they do not.
std::optional<ByteFactor> matchByteFactor(mlir::Value value);

} // namespace vortex

#endif // VORTEX_GRAPH_BYTEFACTOR_H
