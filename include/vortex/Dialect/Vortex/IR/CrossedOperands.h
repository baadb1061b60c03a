//===- CrossedOperands.h - What squares read across -------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_DIALECT_VORTEX_IR_CROSSEDOPERANDS_H
#define VORTEX_DIALECT_VORTEX_IR_CROSSEDOPERANDS_H

#include "vortex/Dialect/Vortex/IR/VortexDialect.h"

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Value.h"

namespace vortex {

/// Bytes of a bank of the shared memory of `hw`: what its level `smem` moves at
/// once over its banks (`ways`); 0 where the description says none.
int64_t getBankBytes(HwAttr hw);

/// An operand of an elementwise payload with its neighbours in memory along the
/// rows of a square, and where the square's part of it is in shared memory:
/// column after column, all in bytes.
struct CrossedOperand {
  mlir::Value value; ///< argument of the payload
  mlir::AffineMap map;
  int64_t bytes = 0; ///< of an element
  int64_t pitch = 0; ///< from column to column
  int64_t start = 0;
};

/// Those of `payload` for squares of `lanes` rows along loop `row` by as many
/// columns along loop `lane`. Columns are a bank of `bankBytes` further apart
/// than they are long, which are whole turns of all banks, so that no two lanes
/// want one; 0: there are no banks.
llvm::SmallVector<CrossedOperand> layOutCrossed(mlir::Block &payload,
                                                unsigned row, unsigned lane,
                                                int64_t lanes,
                                                int64_t bankBytes);

/// Shared memory that they take together.
int64_t countSharedBytes(llvm::ArrayRef<CrossedOperand> operands,
                         int64_t lanes);

} // namespace vortex

#endif // VORTEX_DIALECT_VORTEX_IR_CROSSEDOPERANDS_H
