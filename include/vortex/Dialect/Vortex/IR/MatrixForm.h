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
/// of each operand, four bytes of a row with a thread; of f64 four, eight or
/// sixteen elements, of which a thread has each fourth.
inline constexpr int64_t kStepBytes = 32;

/// Whether device code knows the fragments of `instruction`, of kind
/// `mma_sync`, `wgmma` or `mfma`: 16-bit floats and tf32 with f32 sums,
/// integers of 8 bits with sums of 32 bits, with `mma_sync` and `mfma` f64,
/// with `mfma` f32, with `wgmma` floats of 8 bits with f32 sums.
bool hasMatrixForm(HwInstructionAttr instruction);

/// Lanes of a wavefront that runs an `mfma`.
inline constexpr int64_t kMfmaLanes = 64;
/// Bytes of an operand that a lane reads at once: LDS, `ds_read_b128`.
inline constexpr int64_t kMfmaReadBytes = 16;

/// Where the elements of an `mfma` are (AMD matrix instruction calculator; the
/// description's shape says it). Lane `l` has rows of A and columns of B number
/// `l % edge`, and steps from `l / edge * run` on. As several instructions may
/// add their steps in any order, as long as A and B agree, one read of 16
/// bytes is the run of `together` instructions.
struct MfmaForm {
  int64_t edge;     ///< rows, and columns, of the sums
  int64_t run;      ///< steps that a lane has, one beside the other
  int64_t together; ///< instructions that one read of an operand feeds
  int64_t sums;     ///< that a lane has
  int64_t rows;     ///< of the sums of a lane that lie beside each other

  /// Steps of the reduction that one read of each operand feeds.
  int64_t depth() const { return kMfmaLanes / edge * run * together; }
  /// Row of sum `i` of a lane, that of its first one being zero.
  int64_t rowOf(int64_t i) const {
    return i / rows * (kMfmaLanes / edge * rows) + i % rows;
  }
};
MfmaForm getMfmaForm(HwInstructionAttr instruction);

/// Steps of which a tile in shared memory needs a multiple.
int64_t getStepDepth(HwInstructionAttr instruction);

/// Columns of which the tile of a warp needs a multiple: `ldmatrix` loads two
/// tiles of B for `mma.sync`.
int64_t getColumnStep(HwInstructionAttr instruction);

/// Elements of a row of the result that a thread stores at most at once.
int64_t getStoreRun(HwInstructionAttr instruction);

/// The instruction of `kind` for these factors; for tf32, where there is none,
/// that for f32, which multiplies them as well.
HwInstructionAttr findMatrixInstruction(HwAttr hw, llvm::StringRef kind,
                                        mlir::Type a, mlir::Type b,
                                        mlir::Type acc);

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
