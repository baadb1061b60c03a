//===- CandidateChoice.h - The choice as arithmetic -------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_TRANSFORMS_CANDIDATECHOICE_H
#define VORTEX_TRANSFORMS_CANDIDATECHOICE_H

#include "vortex/Dialect/Vortex/IR/VortexDialect.h"

namespace vortex {

/// The choice between a kernel's candidates, one entry each in the lists.
struct CandidateChoice {
  llvm::SmallVector<llvm::StringRef> names;
  llvm::SmallVector<mlir::Value> allowed; ///< i1: does the guard hold
  llvm::SmallVector<mlir::Value> costs;   ///< f64: nanoseconds
  mlir::Value preferred; ///< index: the cheapest allowed one, -1 for none
};

/// Copies the guards and costs of `kernel`, which has candidates, to the
/// insertion point. `extents` are the sizes of its axes.
CandidateChoice createChoice(mlir::OpBuilder &b, KernelOp kernel,
                             mlir::ValueRange extents);

} // namespace vortex

#endif // VORTEX_TRANSFORMS_CANDIDATECHOICE_H
