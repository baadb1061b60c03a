//===- RunningChain.h - Two products with rows between --------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows of scores, a product, become rows of weights, the left factor of a
// second product whose reduction walks the columns of the scores: attention is
// one of these. When all that is reduced over a row can follow the columns as
// they come, no row has to be whole at any time.
//
// Largest and smallest values are exact after any part of a row. A sum of
// `f(x - m)`, with `f` an exponential and `m` such a value, is repaired when
// `m` changes: `f(x - new) = f(x - old) f(old - new)`. A factor that all
// elements of a row share is taken out of the sum. This is the online
// normaliser of Milakov and Gimelshein (arXiv 1805.02867) as FlashAttention
// uses it (arXiv 2205.14135), found in the payload by these two rules.
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_DIALECT_VORTEX_IR_RUNNINGCHAIN_H
#define VORTEX_DIALECT_VORTEX_IR_RUNNINGCHAIN_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include "llvm/ADT/MapVector.h"

namespace vortex {

/// A contraction of two operands with one reduction, whose body multiplies,
/// adds and widens. Numbers are those of its loops.
struct MatrixProduct {
  mlir::linalg::LinalgOp op;
  unsigned rows = 0;    ///< input that walks rows and no columns
  unsigned columns = 1; ///< input that walks columns and no rows
  unsigned m = 0, n = 0, k = 0;
  llvm::SmallVector<unsigned> batch; ///< all other loops
};

/// Reads `op` as one; nothing when it is none.
std::optional<MatrixProduct> matchMatrixProduct(mlir::linalg::LinalgOp op);

/// Something reduced along the columns of the scores.
struct RunningReduction {
  mlir::linalg::LinalgOp op;
  bool isSum = false; ///< else a largest or smallest value
  /// Factors of the elements that a row shares, taken out of the sum: operand
  /// `second` of the multiplication or division `first`, in a body.
  llvm::SmallVector<std::pair<mlir::Operation *, unsigned>, 2> factors;
  /// Of elements `f(x - m)`: the subtraction, and the exponential. Null when
  /// nothing has to be repaired.
  mlir::Operation *shift = nullptr, *exponential = nullptr;
};

/// Axes are the loops of the second product, and behind them, as one more, the
/// reduction of the first.
struct RunningChain {
  MatrixProduct scores, product;
  /// Reductions of rows, in order of the program.
  llvm::SmallVector<RunningReduction> reductions;
  /// The second product, of what is summed by it.
  RunningReduction weighted;
  /// All ops but the second product and what is behind it, in order of the
  /// program, each with the axis that each of its loops walks.
  llvm::MapVector<mlir::Operation *, llvm::SmallVector<unsigned>> axes;

  unsigned getInnerAxis() const {
    return mlir::linalg::LinalgOp(product.op).getNumLoops();
  }
  /// The map of an input of the scores, from axes.
  mlir::AffineMap getScoresMap(unsigned input) const;
  /// Axes that the dimensions of what `op`, one of `axes`, makes walk.
  llvm::SmallVector<unsigned> getAxesOfResult(mlir::Operation *op) const;
};

/// The chain that ends in `product`; nothing, and `why`, when there is none
/// whose rows can be reduced as they come.
std::optional<RunningChain> matchRunningChain(mlir::linalg::LinalgOp product,
                                              std::string &why);

/// What `op`, an operation that reduces, combines by; null for more than one
/// operation.
mlir::Operation *getReductionCombiner(mlir::linalg::LinalgOp op);

/// The op that makes the tensor behind an argument of a body; null when none
/// does.
mlir::linalg::LinalgOp getProducer(mlir::BlockArgument bodyArgument);

} // namespace vortex

#endif // VORTEX_DIALECT_VORTEX_IR_RUNNINGCHAIN_H
