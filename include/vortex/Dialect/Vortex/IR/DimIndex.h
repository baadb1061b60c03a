//===- DimIndex.h - Which size an op asks for -------------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_DIALECT_VORTEX_IR_DIMINDEX_H
#define VORTEX_DIALECT_VORTEX_IR_DIMINDEX_H

#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <optional>

namespace vortex {

/// The dimension that `op` asks the size of, when that is a constant and one of
/// a ranked tensor: a program may ask for any.
inline std::optional<int64_t> getDimIndex(mlir::tensor::DimOp op) {
  auto type = mlir::dyn_cast<mlir::RankedTensorType>(op.getSource().getType());
  std::optional<int64_t> index = op.getConstantIndex();
  if (!type || !index || *index < 0 || *index >= type.getRank())
    return std::nullopt;
  return index;
}

} // namespace vortex

#endif // VORTEX_DIALECT_VORTEX_IR_DIMINDEX_H
