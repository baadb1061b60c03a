//===- VectorFunctions.h - Functions of vectors as polynomials --*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_TRANSFORMS_VECTORFUNCTIONS_H
#define VORTEX_TRANSFORMS_VECTORFUNCTIONS_H

#include "mlir/IR/Builders.h"

namespace vortex {

/// e^x of a vector of f32 or f64. At most 1.1 units in the last place off for
/// f64, subnormal results included, 2 for f32, whose subnormal results are
/// zero. Infinities and NaN are those of the function.
mlir::Value emitExp(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x);

/// The error function of a vector of f32 or f64. At most 3 units in the last
/// place off for f64, 5 for f32; never beyond 1. NaN gives NaN.
mlir::Value emitErf(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x);

} // namespace vortex

#endif // VORTEX_TRANSFORMS_VECTORFUNCTIONS_H
