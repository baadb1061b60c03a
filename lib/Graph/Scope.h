//===- Scope.h - What passes over programs leave alone ----------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_GRAPH_SCOPE_H
#define VORTEX_GRAPH_SCOPE_H

#include "vortex/Dialect/Vortex/IR/VortexDialect.h"

namespace vortex {

/// Whether `op` is part of a kernel that the program brings along: schedules
/// name the ops of its payload and the axes they walk.
inline bool isInKernel(mlir::Operation *op) {
  return op->getParentOfType<KernelOp>() != nullptr;
}

} // namespace vortex

#endif // VORTEX_GRAPH_SCOPE_H
