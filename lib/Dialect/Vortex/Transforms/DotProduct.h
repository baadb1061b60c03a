//===- DotProduct.h - Contractions by dot-product instructions --*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An instruction of kind `dot` adds to each 32-bit lane the products of a group
// of narrow elements that lie beside each other. The hardware description says
// that a machine has one, for which types and how fast; DotInstructions.cpp
// says which intrinsic of LLVM makes it. Everything else (candidates, layouts,
// code) works on any group.
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_TRANSFORMS_DOTPRODUCT_H
#define VORTEX_TRANSFORMS_DOTPRODUCT_H

#include "PayloadClass.h"

#include "vortex/Dialect/Vortex/IR/DotInstructions.h"
#include "vortex/Dialect/Vortex/IR/VortexDialect.h"

namespace vortex {

/// The body of a contraction whose products are added as they are:
/// `acc + ext(a) * ext(b)` in the type of `acc`.
struct DotPayload {
  mlir::Type a, b, acc; ///< element types; unsigned ones as `ui8`
  unsigned inputA = 0;  ///< the one without columns
  unsigned inputB = 0;
};

/// The payload of `op`, whose columns are walked by the last loop of its
/// result; nullopt when its body does anything else.
std::optional<DotPayload> matchDotPayload(mlir::linalg::LinalgOp op);

/// How the operands of a payload meet those of an instruction.
enum class DotOperands {
  InOrder, ///< A first, then B
  Swapped, ///< B first, then A
  /// The first operand is unsigned and A is not: with the sign bit flipped A
  /// is larger by 128, and what that adds is taken off at the end.
  Offset,
};

/// An instruction that computes a payload.
struct DotMatch {
  HwInstructionAttr instruction;
  DotOperands operands = DotOperands::InOrder;
  bool widens = false; ///< as DotInstruction

  /// Registers that a step's factors take, `vectors` of B and a row of A.
  int64_t countRegisters(int64_t vectors) const {
    return vectors + 1 + widens; // and a mask
  }
};

/// The instruction of `hw` for `payload`; nullopt when there is none, or none
/// that code is known for.
std::optional<DotMatch> findDot(HwAttr hw, const DotPayload &payload);

/// Whether all targets around `op`, at least one, have a matrix tile for
/// `payload`.
bool haveMatrixTiles(mlir::Operation *op, const DotPayload &payload);

/// How `payload` runs on `instruction`; nullopt when its signs differ.
std::optional<DotOperands> matchOperands(const DotPayload &payload,
                                         const DotInstruction &instruction);

/// Attribute of an anchor: the position of an input of which nothing is
/// computed, and which holds the sums of the columns of B.
inline constexpr llvm::StringLiteral kColumnSumsAttr = "vortex.column_sums";
/// The same of one that holds them for each step of the outer reductions, in
/// the order of the dimensions of B: steps may then be left out.
inline constexpr llvm::StringLiteral kStepSumsAttr = "vortex.step_sums";

/// Whether each column of B is summed over all reductions and nothing else, so
/// that sums made once take off what an offset of A adds.
bool canUseColumnSums(mlir::linalg::LinalgOp op, const DotPayload &payload);

} // namespace vortex

#endif // VORTEX_TRANSFORMS_DOTPRODUCT_H
