//===- Spills.h - What is said of code that spills --------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_DIALECT_VORTEX_TRANSFORMS_SPILLS_H
#define VORTEX_DIALECT_VORTEX_TRANSFORMS_SPILLS_H

#include "mlir/IR/Location.h"

namespace vortex {

/// A remark of `vortex-drop-spilling`: the innermost loops of a candidate on a
/// CPU spill vector registers in `count` of their instructions, whatever LLVM's
/// scheduler does, and whether the candidate is left out for that.
void reportSpills(mlir::Location loc, llvm::StringRef kernel,
                  llvm::StringRef candidate, int64_t count, bool dropped);

} // namespace vortex

#endif // VORTEX_DIALECT_VORTEX_TRANSFORMS_SPILLS_H
