//===- Float8.h - Floats of eight bits by integer arithmetic ----*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// f8E4M3FN (OCP 8-bit floating point specification) has a sign, four bits of
// exponent with a bias of 7 and three behind the point; all ones are NaN, there
// are no infinities. f8E5M2 is the upper half of an f16. LLVM has neither.
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_CONVERSION_FLOAT8_H
#define VORTEX_CONVERSION_FLOAT8_H

namespace mlir {
class RewritePatternSet;
} // namespace mlir

namespace vortex {

/// Widening and rounding of f8E4M3FN and f8E5M2, scalars and vectors, by
/// arithmetic on their bits: exact, and to nearest with ties to even. What is
/// rounded is f32 or narrower. Magnitudes beyond the largest number become NaN
/// and infinity.
void populateFloat8Patterns(mlir::RewritePatternSet &patterns);

} // namespace vortex

#endif // VORTEX_CONVERSION_FLOAT8_H
