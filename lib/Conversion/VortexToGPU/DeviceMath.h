//===- DeviceMath.h - Functions of numbers in device code ------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_CONVERSION_VORTEXTOGPU_DEVICEMATH_H
#define VORTEX_CONVERSION_VORTEXTOGPU_DEVICEMATH_H

#include "mlir/IR/Operation.h"

namespace vortex {

/// Replaces functions of numbers in `function` by arithmetic and instructions:
/// the code needs no toolkit's library, and is the same with and without one.
/// Reports an error at a function that has none.
mlir::LogicalResult expandMath(mlir::Operation *function);

/// Makes arithmetic on vectors of one element, which functions are written in,
/// that of numbers.
mlir::LogicalResult dropOneLaneVectors(mlir::Operation *function);

} // namespace vortex

#endif // VORTEX_CONVERSION_VORTEXTOGPU_DEVICEMATH_H
