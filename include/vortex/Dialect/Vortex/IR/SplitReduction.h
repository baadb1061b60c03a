//===- SplitReduction.h - A part of a reduction -----------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_DIALECT_VORTEX_IR_SPLITREDUCTION_H
#define VORTEX_DIALECT_VORTEX_IR_SPLITREDUCTION_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace vortex {

/// A reduction one of whose parallel loops counts its parts: a step belongs to
/// the part that its position along one reduction loop, divided by the part's
/// length, gives, and adds to no other. As linalg it walks every step for every
/// part, with a condition in its body; code that knows the form walks the steps
/// of the part alone.
struct SplitReduction {
  unsigned parts = 0, reduction = 0; ///< loops
  mlir::Value length;                ///< i64, of a part, from around the op
};

/// Makes the body of `op`, which computes the next sum of its reduction loops,
/// one that does so where the step belongs to the part. `split.length`
/// must not be zero when it runs.
void splitBody(mlir::linalg::GenericOp op, const SplitReduction &split);

/// What splitBody() made of `op`; nothing of any other op.
std::optional<SplitReduction> matchSplit(mlir::linalg::LinalgOp op);

/// Whether `op` adds up numbers of at least 32 bits that its body makes of
/// elements of kernel operands alone, each where loops say: parts of such a
/// sum can be added by an op that knows nothing else.
bool isSumOfElements(mlir::linalg::LinalgOp op);

/// What `init` holds and the sum of `parts` along their first dimension, in
/// their order.
mlir::linalg::GenericOp createSumOfParts(mlir::ImplicitLocOpBuilder &b,
                                         mlir::Value parts, mlir::Value init);

/// Takes the condition out of the body of `op`, which matchSplit() knows.
void removeSplit(mlir::linalg::LinalgOp op);

} // namespace vortex

#endif // VORTEX_DIALECT_VORTEX_IR_SPLITREDUCTION_H
