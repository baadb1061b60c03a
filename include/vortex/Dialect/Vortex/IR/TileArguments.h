//===- TileArguments.h - What a tile reads of its operands ------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_DIALECT_VORTEX_IR_TILEARGUMENTS_H
#define VORTEX_DIALECT_VORTEX_IR_TILEARGUMENTS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace vortex {

/// Whether the ops of a tile read elements of `argument`, one of the arguments
/// of a `vortex.micro_kernel`'s body: not so where all it does is to give a
/// result of an op its shape.
inline bool isReadByTile(mlir::BlockArgument argument) {
  return llvm::any_of(argument.getUses(), [](mlir::OpOperand &use) {
    auto op = llvm::dyn_cast<mlir::linalg::LinalgOp>(use.getOwner());
    return !op || !op.isDpsInit(&use) || op.payloadUsesValueFromOperand(&use);
  });
}

} // namespace vortex

#endif // VORTEX_DIALECT_VORTEX_IR_TILEARGUMENTS_H
