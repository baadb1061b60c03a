//===- DimIndex.h - Which size an op asks for -------------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_DIALECT_VORTEX_IR_DIMINDEX_H
#define VORTEX_DIALECT_VORTEX_IR_DIMINDEX_H

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/ShapedOpInterfaces.h"

#include <optional>

namespace vortex {

/// The dimension that `op` asks the size of, when that is a constant and one of
/// a shape of known rank: a program may ask for any.
inline std::optional<int64_t> getDimIndex(mlir::ShapedDimOpInterface op) {
  auto type = mlir::cast<mlir::ShapedType>(op.getShapedValue().getType());
  std::optional<int64_t> index = mlir::getConstantIntValue(op.getDimension());
  if (!type.hasRank() || !index || *index < 0 || *index >= type.getRank())
    return std::nullopt;
  return index;
}

} // namespace vortex

#endif // VORTEX_DIALECT_VORTEX_IR_DIMINDEX_H
