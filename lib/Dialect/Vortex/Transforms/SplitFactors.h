//===- SplitFactors.h - Products of f32 as sums of bf16 ---------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A number of f32 is nearly the sum of two of bf16, `hi + lo`, and a product of
// two such sums nearly `lo hi + hi lo + hi hi`. So a product of matrices is one
// of bf16 with three times the steps: the terms of each factor lie along its
// reduction, in the order in which they meet those of the other.
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_TRANSFORMS_SPLITFACTORS_H
#define VORTEX_TRANSFORMS_SPLITFACTORS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace vortex {

/// Products of bf16 that make one of f32.
inline constexpr int64_t kSplitTerms = 3;

/// `value`, of f32, as terms of bf16: its dimension `dim` becomes that many
/// times as long, and each part of it holds one term of every element. First
/// and second factors differ in the order of terms.
mlir::Value splitToBF16(mlir::OpBuilder &b, mlir::Location loc,
                        mlir::Value value, int64_t dim, bool isFirst);

/// The reduction of `op` along which terms can lie: the outermost that both of
/// its inputs have. nullopt: there is none.
std::optional<unsigned> getSplitLoop(mlir::linalg::LinalgOp op);

/// Why splitting factors of `op` gains nothing: three products of bf16 take as
/// long as one of f32. Empty where it gains something on each target, or where
/// none is known.
std::string whyNoSplit(mlir::linalg::LinalgOp op);

} // namespace vortex

#endif // VORTEX_TRANSFORMS_SPLITFACTORS_H
