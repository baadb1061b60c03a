//===- DotInstructions.h - What makes a dot product -------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_DIALECT_VORTEX_IR_DOTINSTRUCTIONS_H
#define VORTEX_DIALECT_VORTEX_IR_DOTINSTRUCTIONS_H

#include "llvm/ADT/StringRef.h"

namespace vortex {

/// An instruction of kind `dot` on vectors of `bits`, and the intrinsic of LLVM
/// that makes it. Hardware descriptions say which machine has it.
struct DotInstruction {
  llvm::StringLiteral opcode;
  int64_t bits;
  llvm::StringLiteral intrinsic; ///< "": several instructions, see `widens`
  bool firstUnsigned, secondUnsigned; ///< elements of the factors
  bool accumulates; ///< takes the sum, too, as its first operand
  /// Factors are bf16, whose bits are the upper half of those of an f32: the
  /// first and the second of each pair are made f32, by a shift and by a mask,
  /// then multiplied and added.
  bool widens = false;
  int64_t half = -1; ///< of the pairs, the only one that is added; -1: both
};

/// The instruction called `opcode` on vectors of `bits`; null when no code is
/// known for it.
const DotInstruction *lookupDotInstruction(llvm::StringRef opcode,
                                           int64_t bits);

} // namespace vortex

#endif // VORTEX_DIALECT_VORTEX_IR_DOTINSTRUCTIONS_H
