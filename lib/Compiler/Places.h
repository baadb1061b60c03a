//===- Places.h - Where a diagnostic is ------------------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_LIB_COMPILER_PLACES_H
#define VORTEX_LIB_COMPILER_PLACES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"

#include <string>

namespace vortex {

/// Gives ops without a location (bytecode need not have any) their name and
/// their function's for one. What passes make of them inherits it.
void namePlaces(mlir::ModuleOp module);

/// Prints what is said of no line of a file: the file that is compiled and the
/// name that namePlaces gave. Other diagnostics are for the handler before.
class PlaceHandler : public mlir::ScopedDiagnosticHandler {
public:
  PlaceHandler(mlir::MLIRContext *context, std::string input);
};

} // namespace vortex

#endif // VORTEX_LIB_COMPILER_PLACES_H
