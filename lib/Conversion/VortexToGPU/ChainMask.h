//===- ChainMask.h - Columns that a mask leaves to a row --------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scores are masked where a comparison of a row's number with a column's
// selects infinity, which is no largest value and has no weight. Where such a
// comparison bounds the columns, as in causal attention and in one that sees a
// window, steps beyond the bound add nothing, and a block need not walk them.
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_CONVERSION_VORTEXTOGPU_CHAINMASK_H
#define VORTEX_CONVERSION_VORTEXTOGPU_CHAINMASK_H

#include "vortex/Dialect/Vortex/IR/RunningChain.h"

namespace vortex {

/// A column has weight where `x - y <= 0`, or `< 0` where `strict`: integers of
/// a body of the chain, in which the column counts once.
struct ColumnBound {
  mlir::Value x, y;
  bool strict;
  bool isUpper;        ///< columns end there, else they begin
  int64_t rowsInBound; ///< how often the row's number counts in `x - y`
};

/// All bounds that the mask of `chain` has, each of which a column must keep:
/// none where it has no mask, or one that does not bound columns.
llvm::SmallVector<ColumnBound> findColumnBounds(const RunningChain &chain);

} // namespace vortex

#endif // VORTEX_CONVERSION_VORTEXTOGPU_CHAINMASK_H
