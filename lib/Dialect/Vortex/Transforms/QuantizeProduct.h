//===- QuantizeProduct.h - Products of rounded factors ----------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The factors of a product in fewer bits: a tensor as i8 with a scale for each
// row, and what the sums of such products are worth.
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_TRANSFORMS_QUANTIZEPRODUCT_H
#define VORTEX_TRANSFORMS_QUANTIZEPRODUCT_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace vortex {

/// Sums of more products of two i8 from -127 to 127 might not fit an i32.
inline constexpr int64_t kMostTerms = 2147483647 / (127 * 127);

/// A tensor as integers times a scale.
struct Quantized {
  mlir::Value values; ///< of i8, in the shape of the tensor
  mlir::Value scales; ///< of f32, in the shape of the dimensions that are kept
};

/// `value`, of f32, with each element rounded to the nearest bf16.
mlir::Value roundToBF16(mlir::OpBuilder &b, mlir::Location loc,
                        mlir::Value value);

/// `value`, of f32, with each element rounded to the nearest tf32: ten bits
/// behind the point, ties away from zero. NaNs stay NaNs.
mlir::Value roundToTF32(mlir::OpBuilder &b, mlir::Location loc,
                        mlir::Value value);

/// `value`, of f32, as i8 with one scale for all elements along the dimensions
/// that are `reduced`: the largest magnitude, at least 2^-100, is 127. With a
/// NaN or an infinity among them the scale is NaN, and the integers any.
Quantized quantize(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
                   llvm::ArrayRef<bool> reduced);

/// `op` with the factors `x` and `y` instead of its inputs, their elements
/// widened to those of `init` before they are multiplied.
mlir::Value cloneWithFactors(mlir::OpBuilder &b, mlir::linalg::LinalgOp op,
                             mlir::Value x, mlir::Value y, mlir::Value init);

/// What `op`, a product of f32, gives when it sums the integers of `x` and `y`:
/// their sums times both scales, added to what it starts from.
mlir::Value multiplyQuantized(mlir::OpBuilder &b, mlir::linalg::LinalgOp op,
                              Quantized x, Quantized y);

} // namespace vortex

#endif // VORTEX_TRANSFORMS_QUANTIZEPRODUCT_H
