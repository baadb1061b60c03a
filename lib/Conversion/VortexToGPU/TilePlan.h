//===- TilePlan.h - Trees that read operands where they are ----*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_CONVERSION_VORTEXTOGPU_TILEPLAN_H
#define VORTEX_CONVERSION_VORTEXTOGPU_TILEPLAN_H

#include "ContractionPlan.h"

#include "vortex/Dialect/Vortex/IR/CrossedOperands.h"

namespace vortex {

/// Bytes of shared memory for what a warp has reduced, of any element type.
inline constexpr int64_t kPartialBytes = 8;

/// A tree of a grid of blocks, warps in them perhaps, and one stage with the
/// whole payload, as the emitters for scalar units need it.
struct TilePlan {
  KernelOp kernel;
  CandidateOp candidate;
  mlir::linalg::LinalgOp anchor;
  MicroKernelAttr micro;
  int64_t lanes = 0;     ///< of a warp
  int64_t bankBytes = 0; ///< of shared memory; 0 without banks
  /// Axes that blocks divide, in order, then those that warps do.
  llvm::SmallVector<unsigned> blockAxes, warpAxes;
  /// Warps of a block that share each of its tiles, their lanes side by side.
  int64_t together = 1;
  /// Elements of a row that its lanes have in registers all at once, the whole
  /// row being no longer; 0: they walk it.
  int64_t held = 0;
  /// The operand that says how long a part of the anchor's reduction along
  /// `partAxis` is, axis 0 being that of the parts; none: all of it.
  std::optional<unsigned> partLength;
  unsigned partAxis = 0;
  /// Tile of a block and of a warp; one for each axis, 0: not divided.
  llvm::SmallVector<int64_t> block, warp;

  /// Warps of a block that divide `axis` among them.
  int64_t warpsAlong(unsigned axis) const {
    return block[axis] && warp[axis] ? block[axis] / warp[axis] : 1;
  }
  int64_t warps() const;
  /// Ops of the payload that reduce.
  int64_t countReductions() const;
  LaunchShape launchShape() const;

  /// Of a plan whose instruction is `square`; empty for others.
  llvm::SmallVector<CrossedOperand> findCrossed() const;
};

/// Reads the plan of `candidate` for the target `hw`. Reports an error at the
/// op that has another form.
mlir::FailureOr<TilePlan> readTilePlan(CandidateOp candidate, HwAttr hw);

/// As above, of a candidate that reduces the part of `axis` whose length
/// operand `length` is.
mlir::FailureOr<TilePlan> readPartPlan(CandidateOp candidate, HwAttr hw,
                                       unsigned axis, unsigned length);

/// The constant tile size of `axis` at `level`, which must walk it as
/// `axisClass`.
mlir::FailureOr<int64_t> readTileSize(LevelOp level, unsigned axis,
                                      AxisClass axisClass);

} // namespace vortex

#endif // VORTEX_CONVERSION_VORTEXTOGPU_TILEPLAN_H
