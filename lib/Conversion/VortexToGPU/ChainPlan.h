//===- ChainPlan.h - The tree of two products, read ------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_CONVERSION_VORTEXTOGPU_CHAINPLAN_H
#define VORTEX_CONVERSION_VORTEXTOGPU_CHAINPLAN_H

#include "DeviceKernel.h"

#include "vortex/Dialect/Vortex/IR/RunningChain.h"

namespace vortex {

/// Rows of the instruction that both products use: with each thread the same
/// two of a tile's rows in accumulators and in fragments.
inline constexpr int64_t kChainRows = 16, kChainDepth = 16;

/// What the emitter needs of a candidate that runs a chain.
struct ChainPlan {
  RunningChain chain;
  /// The second product; `a` and `b` are what the ring brings: the columns of
  /// the scores ("keys") and of the result ("values"), whose rows both walk
  /// the reduction.
  ContractionPlan product;
  int64_t inner = 0; ///< steps of the scores' instruction
};

/// Reads the plan of `candidate` for the target `hw`. Reports an error at the
/// op that has another form than device code exists for.
mlir::FailureOr<ChainPlan> readChainPlan(CandidateOp candidate, HwAttr hw);

/// Emits the body of a chain on `mma.sync`. Fails with an error at what it
/// cannot express.
mlir::LogicalResult emitChainKernel(ChainPlan &plan, DeviceKernel &device);

} // namespace vortex

#endif // VORTEX_CONVERSION_VORTEXTOGPU_CHAINPLAN_H
