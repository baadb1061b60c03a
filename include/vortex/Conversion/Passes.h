//===- Passes.h - From tensors to LLVM -------------------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_CONVERSION_PASSES_H
#define VORTEX_CONVERSION_PASSES_H

#include "mlir/Pass/Pass.h"

namespace vortex {
#define GEN_PASS_DECL
#include "vortex/Conversion/Passes.h.inc"

/// Lets one-shot bufferization take `vortex.kernel_call` on tensors.
void registerBufferizableOpInterfaceExternalModels(
    mlir::DialectRegistry &registry);
} // namespace vortex

#endif // VORTEX_CONVERSION_PASSES_H
