//===- CpuFamily.h - What families of register tiles share ------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_TRANSFORMS_CPUFAMILY_H
#define VORTEX_TRANSFORMS_CPUFAMILY_H

#include "CandidateFamily.h"

namespace vortex {

/// Steps of a reduction between two branches.
inline constexpr int64_t kUnroll = 4;

/// Steps of the reduction in a word of a matrix tile's columns.
int64_t getTileGroup(HwInstructionAttr tile);

/// Candidates whose innermost level is a tile of multiply-adds: what the
/// machine gives to plan and to price one.
class CpuFamily : protected CandidateFamily {
public:
  using CandidateFamily::CandidateFamily;

protected:
  /// Takes the element type of the anchor's result; false when a register does
  /// not hold one of them.
  bool setElement(mlir::Type element);
  /// Peak of the multiply-add instruction, in operations a nanosecond.
  Real rate() { return arith.param(hw, fmaKey + ".rate", 10.0); }
  /// Time until a multiply-add can add to the result of another.
  Real latency();
  /// Multiply-adds under way at once when none waits for another: of types
  /// that the description does not have, as many as of f32. A multiple of 4,
  /// so that code does not follow what measurements of one machine vary by.
  int64_t getInFlight();
  /// Nanoseconds for each of `bytes` that are used again and again by a core.
  Real byteTime(Real bytes);
  /// Whether `bytes` rest in a cache between uses.
  Flag fitsCache(Real bytes);
  /// Whether `value` is known before the program is called.
  static bool isWeight(mlir::Value value);
  /// Bytes of the weights of known size, but for `weight`, that products and
  /// convolutions read from one use of `weight` to the next: in the innermost
  /// loop around the kernel, or in its function.
  int64_t countOtherWeights(mlir::Value weight);

  int64_t lanes = 16;
  std::string fmaKey;
};

} // namespace vortex

#endif // VORTEX_TRANSFORMS_CPUFAMILY_H
