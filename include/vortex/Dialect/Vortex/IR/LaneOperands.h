//===- LaneOperands.h - What lanes read beside each other -------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_DIALECT_VORTEX_IR_LANEOPERANDS_H
#define VORTEX_DIALECT_VORTEX_IR_LANEOPERANDS_H

#include "vortex/Dialect/Vortex/IR/VortexDialect.h"

namespace vortex {

/// An operand whose elements along the axis that lanes lie along are
/// neighbours in memory, wherever the payload reads or writes it.
struct LaneOperand {
  unsigned position = 0; ///< among the operands of the kernel
  int64_t bytes = 0;     ///< of an element
};

/// The operands of `kernel` that are so along the axis `lane`, whose elements
/// are whole bytes. Ops of the payload have that axis as the loop of the same
/// number.
llvm::SmallVector<LaneOperand> findLaneOperands(KernelOp kernel, unsigned lane);

/// Elements of the widest of `operands` that 16 bytes hold, the longest that a
/// lane loads or stores at once; 1: there are no operands.
int64_t getLaneWidth(llvm::ArrayRef<LaneOperand> operands);

} // namespace vortex

#endif // VORTEX_DIALECT_VORTEX_IR_LANEOPERANDS_H
