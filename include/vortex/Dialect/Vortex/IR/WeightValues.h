//===- WeightValues.h - What can be made when weights are bound -*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_DIALECT_VORTEX_IR_WEIGHTVALUES_H
#define VORTEX_DIALECT_VORTEX_IR_WEIGHTVALUES_H

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseMap.h"

namespace vortex {

/// The values of a function that are the same at every call of an instance. Ops
/// may be added while it is in use, and none be erased.
class WeightValues {
public:
  explicit WeightValues(mlir::FunctionOpInterface function)
      : function(function) {}

  /// Whether `value` is a weight, a constant, or computed from these by ops of
  /// the function's own block without side effects.
  bool contains(mlir::Value value);

private:
  mlir::FunctionOpInterface function;
  llvm::DenseMap<mlir::Value, bool> known;
};

/// How many outer dimensions `slice` drops by taking one element of each, which
/// one is only known when it runs, while it takes all of the others, of known
/// extents; none when it is another slice.
std::optional<int64_t> getPickedDims(mlir::tensor::ExtractSliceOp slice);

} // namespace vortex

#endif // VORTEX_DIALECT_VORTEX_IR_WEIGHTVALUES_H
