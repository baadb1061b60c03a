//===- GpuChain.h - Two products with rows between, on a GPU ----*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block has rows of the scores and walks their columns in tiles: scores of a
// tile are made in registers, reduced into what the rows have so far, and
// multiplied by the values. Tiles and what they cost (GpuChainCost.cpp) are
// asked for before there is a kernel, to choose between the chain and its
// parts, and for its candidates (GpuChainCandidates.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_TRANSFORMS_GPUCHAIN_H
#define VORTEX_TRANSFORMS_GPUCHAIN_H

#include "GpuCandidates.h"
#include "SizeArith.h"

#include "vortex/Dialect/Vortex/IR/RunningChain.h"
#include "vortex/Dialect/Vortex/IR/WarpLanes.h"

namespace vortex {

/// How a block runs a chain.
struct GpuChainTile {
  int64_t warps = 0;   ///< each with the rows of one instruction
  int64_t rows = 0;    ///< of the block
  int64_t keys = 0;    ///< columns of the scores at once
  int64_t inner = 0;   ///< room for the reduction of the scores
  int64_t columns = 0; ///< of the result
  int64_t stages = 0;
  int64_t run = 1;       ///< elements moved at once
  int64_t copyBytes = 0; ///< of these
  int64_t resident = 1;  ///< blocks of a multiprocessor

  std::string name() const;
};

/// Tiles for the chain that the registers and the shared memory of `hw` hold,
/// the one without alignment last; none, with the reason in `report`, when it
/// has no instruction for the two products.
llvm::SmallVector<GpuChainTile>
growChainTiles(const RunningChain &chain, HwAttr hw, CandidateReport &report);

/// Extents of a chain: of its batch together, its rows, columns of the result,
/// columns of the scores and the reduction of the scores.
struct GpuChainSizes {
  Size batch, m, n, keys, inner;
};

/// Whether `tile` may run at these sizes, as far as they decide.
Flag emitChainGuard(SizeArith &arith, const GpuChainTile &tile,
                    const GpuChainSizes &sizes);
/// Nanoseconds, f64, of the chain in one kernel, and as kernels for each of its
/// products and for the rows.
Real emitChainTime(SizeArith &arith, HwAttr hw, const RunningChain &chain,
                   const GpuChainTile &tile, const GpuChainSizes &sizes);
Real emitPartsTime(SizeArith &arith, HwAttr hw, const RunningChain &chain,
                   const GpuChainSizes &sizes);

/// Gives `kernel`, whose anchor is the second product of `chain`, its
/// candidates. Fails as addGpuCandidates().
mlir::LogicalResult addGpuChainCandidates(KernelOp kernel,
                                          const RunningChain &chain, HwAttr hw,
                                          CandidateReport &report);

} // namespace vortex

#endif // VORTEX_TRANSFORMS_GPUCHAIN_H
