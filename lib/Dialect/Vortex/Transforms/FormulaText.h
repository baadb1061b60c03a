//===- FormulaText.h - Formulas on sizes as text ----------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_TRANSFORMS_FORMULATEXT_H
#define VORTEX_TRANSFORMS_FORMULATEXT_H

#include "vortex/Dialect/Vortex/IR/VortexDialect.h"

#include <string>

namespace vortex {

/// What `value`, a guard, cost or tile size of `kernel`, is computed from, as
/// a formula on the names of axes, operands and machine parameters:
/// `k > 4096 and n % 8 == 0`. Ops without a sign of their own are printed by
/// name. For messages to people; it is not parsed again.
std::string getFormulaText(KernelOp kernel, mlir::Value value);

} // namespace vortex

#endif // VORTEX_TRANSFORMS_FORMULATEXT_H
