//===- KnownSize.h - Sizes that a call knows -------------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_DIALECT_VORTEX_IR_KNOWNSIZE_H
#define VORTEX_DIALECT_VORTEX_IR_KNOWNSIZE_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Value.h"

#include <optional>
#include <string>

namespace vortex {

/// A size that is known when a function is called: a number, or a dimension of
/// an argument.
struct KnownSize {
  int64_t number = -1, argument = -1, dim = -1;

  bool operator==(const KnownSize &other) const {
    return number == other.number && argument == other.argument &&
           dim == other.dim;
  }
  std::string str() const {
    return argument < 0 ? std::to_string(number)
                        : "arg" + std::to_string(argument) + ".dim" +
                              std::to_string(dim);
  }
};

/// Dimension `dim` of `value` in a function that begins with `entry`; none when
/// it is computed, or the result of an op that says nothing of it. The run time
/// checks relations of such sizes at each call.
std::optional<KnownSize> findKnownSize(mlir::Value value, int64_t dim,
                                       mlir::Block &entry);

/// A relation of the run time: `size` is `terms[0]`, or with strides at least
/// what a window over loops of these sizes reaches: (terms[0] - 1) * strides[0]
/// + ... + 1. Empty where it holds whatever the arguments are.
std::string describeRelation(KnownSize size, llvm::ArrayRef<KnownSize> terms,
                             llvm::ArrayRef<int64_t> strides);

/// Whether `op` is one of two tensors, by one bit, with its own sizes.
bool picksOneTensor(mlir::Operation *op);
/// Whether `op` maps scalars over tensors of one shape.
bool isElementwiseOnTensors(mlir::Operation *op);

} // namespace vortex

#endif // VORTEX_DIALECT_VORTEX_IR_KNOWNSIZE_H
