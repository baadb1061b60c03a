//===- Relayout.h - Ops that only move elements -----------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_GRAPH_RELAYOUT_H
#define VORTEX_GRAPH_RELAYOUT_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace vortex {

/// A value whose elements are those of another tensor.
struct Relayout {
  mlir::Value source;
  /// From an index of the value to that of the source: a projected
  /// permutation.
  mlir::AffineMap map;

  /// Every element of the source occurs once.
  bool isPermutation() const { return map.isPermutation(); }
  /// Dimensions keep their order.
  bool keepsOrder() const;
};

/// What `value` is a copy of, if it is one: transposed, broadcast or as it is.
std::optional<Relayout> getRelayout(mlir::Value value);

/// `op` with other inputs, initial value, maps and loops, as a generic.
mlir::linalg::GenericOp
rebuild(mlir::OpBuilder &builder, mlir::linalg::LinalgOp op,
        mlir::ValueRange inputs, mlir::Value init,
        llvm::ArrayRef<mlir::AffineMap> maps,
        llvm::ArrayRef<mlir::utils::IteratorType> iterators);

} // namespace vortex

#endif // VORTEX_GRAPH_RELAYOUT_H
