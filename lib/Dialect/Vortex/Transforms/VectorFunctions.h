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
/// f64, 2 for f32. Infinities and NaN are those of the function. With `avx512`,
/// which vectors of 512 bits need, one instruction scales by 2^k; without,
/// subnormal results of f32 are zero.
mlir::Value emitExp(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x,
                    bool avx512);

/// The error function of a vector of f32 or f64. At most 3 units in the last
/// place off for f64, 5 for f32; never beyond 1. NaN gives NaN.
mlir::Value emitErf(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x,
                    bool avx512);

} // namespace vortex

#endif // VORTEX_TRANSFORMS_VECTORFUNCTIONS_H
