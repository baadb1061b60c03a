//===- WithElement.h - Types with other elements ----------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_LIB_CONVERSION_WITHELEMENT_H
#define VORTEX_LIB_CONVERSION_WITHELEMENT_H

#include "mlir/IR/BuiltinTypes.h"

namespace vortex {

/// `type`, a scalar or a vector, with elements of type `element`.
inline mlir::Type withElement(mlir::Type type, mlir::Type element) {
  if (auto vector = mlir::dyn_cast<mlir::VectorType>(type))
    return vector.clone(element);
  return element;
}

} // namespace vortex

#endif // VORTEX_LIB_CONVERSION_WITHELEMENT_H
