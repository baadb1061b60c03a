//===- Passes.h - Attaching targets --------------------------- -*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_HWDESC_PASSES_H
#define VORTEX_HWDESC_PASSES_H

#include "vortex/Dialect/Vortex/IR/VortexDialect.h"

#include "mlir/Pass/Pass.h"

namespace mlir {
class MlirOptMainConfig;
} // namespace mlir

namespace vortex {
#define GEN_PASS_DECL
#include "vortex/HwDesc/Passes.h.inc"

/// Registers the command-line options `--target` and `--target-file`; call
/// before the command line is parsed.
void registerTargetOption();

/// Makes a driver built on MlirOptMain attach what these options name before
/// its pipeline runs. Call after the command line is parsed.
void attachTargetOption(mlir::MlirOptMainConfig &config);
} // namespace vortex

#endif // VORTEX_HWDESC_PASSES_H
