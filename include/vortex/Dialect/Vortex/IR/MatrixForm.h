//===- MatrixForm.h - Matrix instructions with device code -------*- C++-*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_DIALECT_VORTEX_IR_MATRIXFORM_H
#define VORTEX_DIALECT_VORTEX_IR_MATRIXFORM_H

#include "vortex/Dialect/Vortex/IR/VortexDialect.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace vortex {

/// PTX ISA, fragments of `mma.sync` and `wgmma`: what the instructions that
/// device code exists for have in common. A step of the reduction is 32 bytes
/// of each operand, four bytes (eight of f64) of a row with a thread.
inline constexpr int64_t kStepBytes = 32;

/// Whether device code knows the fragments of `instruction`, of kind `mma_sync`
/// or `wgmma`: 16-bit floats and tf32 with f32 sums, integers of 8 bits with
/// sums of 32 bits, with `mma_sync` f64, with `wgmma` floats of 8 bits with f32
/// sums.
bool hasMatrixForm(HwInstructionAttr instruction);

/// The type as which matrix instructions take factor `input` of the contraction
/// `op`: that of the operand's elements; tf32 for those of f32 where `op` asks
/// for it by `vortex.precision`.
mlir::Type getFactorType(mlir::linalg::LinalgOp op, unsigned input);

/// How many sums of each element a thread holds for factors of type `factor`.
/// Groups of warps add products of floats of 8 bits with about 14 bits
/// (DeepSeek-V3 technical report, arXiv 2412.19437, section 3.3.2), so that
/// those of each step of a ring start from zero and are added to others in f32.
int64_t getSumsPerElement(mlir::Type factor);

/// Whether `type` is a float of eight bits that matrix instructions multiply.
bool isFloat8(mlir::Type type);

/// Whether `op`, elementwise behind a contraction, leaves each element of what
/// other ops of the payload make where it is.
bool keepsPlaces(mlir::linalg::LinalgOp op);

/// Which elements of 8 bits the instruction has to take as unsigned.
/// Whether the body of `op` adds the product of its two factors, widened or as
/// they are, and does nothing else: what a matrix instruction computes.
/// Upstream's contractions may have an op of one operand (a negation, a
/// function) on a factor.
bool addsProducts(mlir::linalg::LinalgOp op);

struct IntegerSigns {
  bool unsignedA = false, unsignedB = false;
};

/// How the body of the contraction `op` widens its two integer factors to its
/// sums; nothing when it does anything else with them first.
std::optional<IntegerSigns> getIntegerSigns(mlir::linalg::LinalgOp op);

} // namespace vortex

#endif // VORTEX_DIALECT_VORTEX_IR_MATRIXFORM_H
