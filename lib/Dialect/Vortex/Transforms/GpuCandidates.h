//===- GpuCandidates.h - Candidates for GPUs --------------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_TRANSFORMS_GPUCANDIDATES_H
#define VORTEX_TRANSFORMS_GPUCANDIDATES_H

#include "CpuCandidates.h"
#include "SizeArith.h"

#include "vortex/Dialect/Vortex/IR/RoleRegisters.h"

namespace vortex {

/// A ring hides memory with three tiles under way; more wins nothing where it
/// was measured (CUTLASS' default for this instruction is three or four).
inline constexpr int64_t kMostStages = 4;
/// Registers for a copy a thread repeats for each tile: pointer, shared
/// offset, limit, and what the predicate needs.
inline constexpr int64_t kCopyRegisters = 5;
/// Extents below these have coordinates of 31 bits, in the last tile too: in
/// our own tiles, in those of a library or of a thread's part.
inline constexpr int64_t kLargestTiledExtent = (int64_t(1) << 31) - 512,
                         kLargestExtent = (int64_t(1) << 31) - 4096;
/// Pitches below this keep 32-bit offsets inside a tile of 256 rows.
inline constexpr int64_t kLargestPitch = 1 << 22;

/// Gives `kernel` (with an anchor, without candidates) its candidates for the
/// GPU that `hw` describes: rings of shared memory before `mma.sync` or scalar
/// multiply-adds, tiles read in place where no ring can be, rows and columns of
/// what is no contraction. Fails, leaving it without candidates, when no family
/// fits; `report` says why.
mlir::LogicalResult addGpuCandidates(KernelOp kernel, HwAttr hw,
                                     CandidateReport &report);

/// Those of a kernel that memory bounds: reductions along `columns` that lie
/// beside each other, or whatever else walks rows.
mlir::LogicalResult addGpuStreamCandidates(KernelOp kernel,
                                           mlir::linalg::LinalgOp anchor,
                                           bool columns, HwAttr hw,
                                           CandidateReport &report);

/// Adds to `kernel`, which has candidates, those that leave its product to each
/// of `libraries`; none, and the reason in `report`, where they cannot compute
/// it.
void addGpuLibraryCandidates(KernelOp kernel,
                             llvm::ArrayRef<std::string> libraries, HwAttr hw,
                             CandidateReport &report);

/// Whether rows of `operand`, along its contiguous last dimension, all begin at
/// multiples of `elements` elements of `bytes`: a caller's tensor may begin
/// anywhere, and slices have strides of what they are cut from.
Flag hasAlignedRows(SizeArith &arith, mlir::Value operand, int64_t elements,
                    int64_t bytes);

/// Whether threads of `hw` copy from global to shared memory without waiting.
bool hasAsyncCopies(HwAttr hw);

/// Where names of candidates say what their copies move: `kind` for the widest
/// ones, `kind` and the bytes for shorter ones, or single elements.
std::string getCopyPrefix(int64_t run, int64_t bytes, llvm::StringRef kind);

/// Nanoseconds, f64, of a multiprocessor's instructions for `copies` copies of
/// `run` elements each that are shorter than the longest ones.
Real copyTime(SizeArith &arith, HwAttr hw, double copies, int64_t run);

} // namespace vortex

#endif // VORTEX_TRANSFORMS_GPUCANDIDATES_H
