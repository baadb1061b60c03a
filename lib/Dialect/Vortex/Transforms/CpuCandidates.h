//===- CpuCandidates.h - Candidates for x86-64 ------------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_TRANSFORMS_CPUCANDIDATES_H
#define VORTEX_TRANSFORMS_CPUCANDIDATES_H

#include "vortex/Dialect/Vortex/IR/VortexDialect.h"
#include "vortex/Dialect/Vortex/Transforms/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace vortex {

/// What became of a kernel's candidates, for remarks.
struct CandidateReport {
  unsigned considered = 0;               ///< register tiles and trees looked at
  llvm::SmallVector<std::string> pruned; ///< what was dropped, and why
};

/// Which candidates a kernel gets.
struct CandidateRules {
  /// None whose tiles add up terms in an order that depends on their height.
  bool oneOrder = false;
  Candidates candidates = Candidates::Few;
};

/// Gives `kernel` (with an anchor, without candidates) its candidates for the
/// CPU that `hw` describes. Fails, leaving it without candidates, when no
/// family fits; `report` says why.
mlir::LogicalResult addCpuCandidates(KernelOp kernel, HwAttr hw,
                                     CandidateRules rules,
                                     CandidateReport &report);

/// Adds to `kernel`, which has candidates, those that leave its product to each
/// of `libraries`; none, and the reason in `report`, where they cannot compute
/// it.
void addLibraryCandidates(KernelOp kernel,
                          llvm::ArrayRef<std::string> libraries, HwAttr hw,
                          CandidateReport &report);

/// That of a kernel that memory bounds: reductions along `columns` that lie
/// beside each other, or whatever else walks rows.
mlir::LogicalResult addCpuStreamCandidates(KernelOp kernel,
                                           mlir::linalg::LinalgOp anchor,
                                           bool columns, HwAttr hw,
                                           CandidateReport &report);

/// That of a convolution or of pooling with channels innermost. Fails,
/// without a report, when `anchor` is none.
mlir::LogicalResult addCpuConvCandidates(KernelOp kernel,
                                         mlir::linalg::LinalgOp anchor,
                                         HwAttr hw, CandidateRules rules,
                                         CandidateReport &report);

} // namespace vortex

#endif // VORTEX_TRANSFORMS_CPUCANDIDATES_H
