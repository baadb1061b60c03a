//===- OuterTile.h - Products of few steps, down all rows -------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_TRANSFORMS_OUTERTILE_H
#define VORTEX_TRANSFORMS_OUTERTILE_H

#include "MicroKernelEmitter.h"

namespace vortex {

/// The one product of `block` where an outer tile can hold all of its ops: of
/// two operands in memory of the type of its result, of 32 bits at least, with
/// one reduction, and nothing else that reduces or takes many instructions.
/// Null where it cannot.
mlir::linalg::LinalgOp findOuterProduct(mlir::Block &block);

/// Emits the tile of `kernel` with the rows of the operand that has the columns
/// in registers: any number of rows, as many columns as `vectors` hold, half of
/// them from more than half of the steps on, and at most `unroll` steps, up to
/// `rows` of the result at once. More of either, where their number is not
/// known, are for a candidate's guard and tile sizes to keep away; known ones
/// are an error.
mlir::FailureOr<llvm::SmallVector<mlir::Value>>
emitOuterTile(mlir::OpBuilder &b, MicroKernelOp kernel);

} // namespace vortex

#endif // VORTEX_TRANSFORMS_OUTERTILE_H
