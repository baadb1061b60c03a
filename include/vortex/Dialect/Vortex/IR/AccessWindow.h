//===- AccessWindow.h - Sums of loops that index a dimension ----*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_DIALECT_VORTEX_IR_ACCESSWINDOW_H
#define VORTEX_DIALECT_VORTEX_IR_ACCESSWINDOW_H

#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/SmallVector.h"

namespace vortex {

/// The loops that a window walks and how far a step of each goes; false for
/// what is no sum of loops.
inline bool
getWindow(mlir::AffineExpr expr,
          llvm::SmallVectorImpl<std::pair<unsigned, int64_t>> &loops) {
  if (auto loop = llvm::dyn_cast<mlir::AffineDimExpr>(expr)) {
    loops.emplace_back(loop.getPosition(), 1);
    return true;
  }
  auto binary = llvm::dyn_cast<mlir::AffineBinaryOpExpr>(expr);
  if (!binary)
    return false;
  if (expr.getKind() == mlir::AffineExprKind::Add)
    return getWindow(binary.getLHS(), loops) &&
           getWindow(binary.getRHS(), loops);
  auto loop = llvm::dyn_cast<mlir::AffineDimExpr>(binary.getLHS());
  auto stride = llvm::dyn_cast<mlir::AffineConstantExpr>(binary.getRHS());
  if (expr.getKind() != mlir::AffineExprKind::Mul || !loop || !stride ||
      stride.getValue() <= 0)
    return false;
  loops.emplace_back(loop.getPosition(), stride.getValue());
  return true;
}

} // namespace vortex

#endif // VORTEX_DIALECT_VORTEX_IR_ACCESSWINDOW_H
