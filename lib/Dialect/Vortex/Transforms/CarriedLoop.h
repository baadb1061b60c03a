//===- CarriedLoop.h - Loops that carry one value ---------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_DIALECT_VORTEX_TRANSFORMS_CARRIEDLOOP_H
#define VORTEX_DIALECT_VORTEX_TRANSFORMS_CARRIEDLOOP_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace vortex {

/// A loop from `from` to `to` by `step` that starts with `carried`; `body` gets
/// the induction variable and what the trip before left, and gives what the
/// next one gets. Returns what the last trip leaves.
inline mlir::Value createCarriedLoop(
    mlir::OpBuilder &b, mlir::Location loc, mlir::Value from, mlir::Value to,
    mlir::Value step, mlir::Value carried,
    llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> body) {
  auto loop = mlir::scf::ForOp::create(b, loc, from, to, step,
                                       mlir::ValueRange{carried});
  mlir::OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  mlir::scf::YieldOp::create(
      b, loc, body(loop.getInductionVar(), loop.getRegionIterArg(0)));
  return loop.getResult(0);
}

} // namespace vortex

#endif // VORTEX_DIALECT_VORTEX_TRANSFORMS_CARRIEDLOOP_H
