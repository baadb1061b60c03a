//===- Passes.h - Programs before kernels are formed ------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_GRAPH_PASSES_H
#define VORTEX_GRAPH_PASSES_H

#include "mlir/Pass/Pass.h"

namespace vortex {
#define GEN_PASS_DECL
#include "vortex/Graph/Passes.h.inc"
} // namespace vortex

#endif // VORTEX_GRAPH_PASSES_H
