//===- SizeReifier.h - Sizes in terms of a function's arguments -*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_TRANSFORMS_SIZEREIFIER_H
#define VORTEX_TRANSFORMS_SIZEREIFIER_H

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"

namespace vortex {

/// Computes sizes of one function in another one that has the same arguments,
/// without computing any tensor.
class SizeReifier {
public:
  /// `from` is the first block of the function that has the sizes (ops that say
  /// its shapes are added to it), `b` inserts into the other one, whose first
  /// block has the arguments `arguments`.
  SizeReifier(mlir::OpBuilder &b, mlir::Block &from, mlir::ValueRange arguments)
      : b(b), from(from), arguments(arguments) {}

  /// The same number in the other function; null when elements of a tensor or
  /// the way through the program decide it.
  mlir::Value reify(mlir::Value number);
  /// The same for a dimension of a tensor or memref.
  mlir::Value reifyDim(mlir::Value shaped, int64_t dim);

private:
  using Key = std::pair<mlir::Value, int64_t>;
  mlir::Value compute(mlir::Value number);
  mlir::Value computeDim(mlir::Value shaped, int64_t dim);
  mlir::Value loopCarried(mlir::BlockArgument argument, int64_t dim);
  mlir::Value common(mlir::Operation *branch, unsigned result,
                     llvm::function_ref<mlir::Value(mlir::Value)> of);
  template <typename Compute>
  mlir::Value remember(Key key, Compute compute);

  mlir::OpBuilder &b;
  mlir::Block &from;
  mlir::ValueRange arguments;
  /// Numbers have the dimension -1.
  llvm::DenseMap<Key, mlir::Value> known;
  /// The keys of `known`, in order, so that the latest can be forgotten.
  llvm::SmallVector<Key> order;
};

} // namespace vortex

#endif // VORTEX_TRANSFORMS_SIZEREIFIER_H
