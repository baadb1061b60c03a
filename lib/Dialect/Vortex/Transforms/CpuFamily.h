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
#include "DotProduct.h"

namespace vortex {

/// Products are shared by threads from so many times on what waking them takes
/// (measured on an EPYC of family 25 that took 920 ns for it: nine sizes of 5
/// to 8 times took 0.61 to 0.71 of the time with two threads).
inline constexpr double kThreadStartups = 4;

/// Steps of a reduction between two branches.
inline constexpr int64_t kUnroll = 4;

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
  /// Of the rate of multiply-adds, what is left for elements that are widened
  /// one by one, which takes as many instructions: bf16 reach 0.35 to 0.5 of
  /// that of f32 (a Xeon of model 207, products and convolutions).
  static constexpr double kWidened = 0.45;
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
  /// Whether that many vectors divide the extent of a loop of the anchor, if it
  /// is known: tiles then need no cases for fewer.
  bool divideExtent(int64_t loop, int64_t vectors);
  /// Whether `value` is known before the program is called.
  static bool isWeight(mlir::Value value);
  /// The instruction that makes the products of `payload` in matrix tiles, as
  /// words in vectors; null where there is none, or, as the report says, where
  /// its shape is another or `whyNot` tells a reason.
  HwInstructionAttr
  findMatrixTile(const DotPayload &payload,
                 llvm::function_ref<std::string(HwInstructionAttr)> whyNot);
  /// Visits (r, c) for which the instruction's registers hold r x c tiles of
  /// sums beside r of A and c of B, which a step loads.
  static void
  forEachTileShape(HwInstructionAttr tile,
                   llvm::function_ref<void(int64_t, int64_t)> visit);
  /// The one of these with the most products a load.
  static std::pair<int64_t, int64_t> getTileShape(HwInstructionAttr tile);
  /// Steps of `tile` that share a word of its sums.
  static int64_t getTileGroup(HwInstructionAttr tile);
  /// `rows` of tiles of sums by `columns` tiles, of `depth` steps (0: as many
  /// as the instruction has).
  MicroKernelAttr makeTileMicro(HwInstructionAttr tile, int64_t rows,
                                int64_t columns, bool turns, int64_t depth = 0);
  /// Whether `instruction`, which sums groups of products, takes less time than
  /// multiply-adds of elements that are widened first.
  bool isFasterThanWidened(HwInstructionAttr instruction);
  /// Bytes of the weights of known size, but for `weight`, that products and
  /// convolutions read from one use of `weight` to the next: in the innermost
  /// loop around the kernel, or in its function.
  int64_t countOtherWeights(mlir::Value weight);

  int64_t lanes = 16;
  std::string fmaKey;

private:
  llvm::DenseMap<mlir::Value, int64_t> otherWeights;
};

} // namespace vortex

#endif // VORTEX_TRANSFORMS_CPUFAMILY_H
