//===- Passes.h - Passes over the vortex dialect ----------------- -*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_DIALECT_VORTEX_TRANSFORMS_PASSES_H
#define VORTEX_DIALECT_VORTEX_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"

namespace vortex {
#define GEN_PASS_DECL
#include "vortex/Dialect/Vortex/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "vortex/Dialect/Vortex/Transforms/Passes.h.inc"
} // namespace vortex

#endif // VORTEX_DIALECT_VORTEX_TRANSFORMS_PASSES_H
