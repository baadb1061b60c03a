//===- RoleRegisters.h - Registers of warps with roles ---------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_DIALECT_VORTEX_IR_ROLEREGISTERS_H
#define VORTEX_DIALECT_VORTEX_IR_ROLEREGISTERS_H

#include "vortex/Dialect/Vortex/IR/VortexDialect.h"

namespace vortex {

/// PTX ISA, "wgmma.mma_async" and "setmaxnreg": executed by a warpgroup.
inline constexpr int64_t kWarpsPerGroup = 4;
/// PTX ISA, swizzle modes of tensor maps: what one row of a box holds at most,
/// eight rows being one pattern of the swizzle.
inline constexpr int64_t kBoxRowBytes = 128, kBoxRowsPerPattern = 8;
/// The width of a thread's copy: PTX ISA, and the widest load of AMD's.
inline constexpr int64_t kCopyBytes = 16;
/// PTX ISA, cp.async: what one asynchronous copy moves at least.
inline constexpr int64_t kLeastCopyBytes = 4;
/// PTX ISA, "Tensor size": extents of a box.
inline constexpr int64_t kLargestBox = 256;
/// PTX ISA: an mbarrier, and those of a stage: one for full, one for empty.
inline constexpr int64_t kBarrierBytes = 8, kBarriersPerStage = 2;

/// CUDA C++ programming guide, "Thread block clusters": as many blocks start
/// together on every chip that has clusters.
inline constexpr int64_t kLargestCluster = 8;

/// A box of the result: as many rows as one instruction has. A group fills one
/// while another is copied.
inline constexpr int64_t kBoxRows = 64, kBoxBytes = kBoxRows * kBoxRowBytes;
inline constexpr int64_t kStoreBuffers = 2;

/// Elements of a row that a thread stores at most at once; more are rows of
/// boxes.
inline constexpr int64_t kMostRun = 4;

/// Bytes of shared memory that `warps` of consumers fill with boxes of results.
inline int64_t getStoreBytes(int64_t warps) {
  return warps / kWarpsPerGroup * kStoreBuffers * kBoxBytes;
}

/// A block some of whose warps load while the others multiply.
struct RoleShape {
  int64_t producers = 0, consumers = 0; ///< warps
  int64_t sharedBytes = 0;
  int64_t accumulators = 0; ///< registers of them, a thread of a consumer
  int64_t copies = 0;       ///< of a stage, by a thread of a producer
};

/// Copies that a thread of `producers` warps makes of `rows` rows as long as
/// those of a box.
inline int64_t getCopiesOfThread(int64_t rows, int64_t producers) {
  return llvm::divideCeil(rows * (kBoxRowBytes / kCopyBytes), producers * 32);
}

/// How such a block divides what it is given at its start.
struct RoleRegisters {
  int64_t blocks = 1; ///< that share a multiprocessor
  /// Registers of a thread after the exchange; 0: all keep what they have,
  /// which is as many as a thread may name.
  int64_t producer = 0, consumer = 0;
};

/// The division with the most blocks of one multiprocessor whose consumers
/// hold their accumulators; nothing when not even one block does.
std::optional<RoleRegisters> divideRegisters(HwAttr hw, const RoleShape &shape);

} // namespace vortex

#endif // VORTEX_DIALECT_VORTEX_IR_ROLEREGISTERS_H
