//===- FormulaPrinter.h - Arithmetic as text --------------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_TRANSFORMS_FORMULAPRINTER_H
#define VORTEX_TRANSFORMS_FORMULAPRINTER_H

#include "vortex/Dialect/Vortex/IR/VortexDialect.h"

#include "llvm/ADT/DenseMap.h"

#include <string>

namespace vortex {

/// `value` as a person would write it: `ceildiv(m, 32) * 4 <= n`. Terms that
/// occur more than once stand in lines `tN = ...` in front of the last line.
/// Conversions between number types are left out. `names` has the values that
/// stand for themselves; ops that are not arithmetic are printed as calls.
std::string printFormula(mlir::Value value,
                         const llvm::DenseMap<mlir::Value, std::string> &names);

} // namespace vortex

#endif // VORTEX_TRANSFORMS_FORMULAPRINTER_H
