//===- Passes.td - Passes over the vortex dialect --------- -*- tablegen -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_TRANSFORMS_PASSES_TD
#define VORTEX_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

#endif // VORTEX_TRANSFORMS_PASSES_TD
