//===- Explain.h - What an artifact holds and chooses -----------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_TOOLS_VORTEX_RUN_EXPLAIN_H
#define VORTEX_TOOLS_VORTEX_RUN_EXPLAIN_H

#include "vortex/Runtime/Runtime.h"

#include <vector>

namespace vortex {
namespace tools {

/// Prints functions, kernels and machine parameters of each program.
void list(const runtime::Module &module);

/// Prints for each kernel of `function` what ran in the latest call, or would
/// have, what each candidate was predicted to take, and the formulas.
void explain(VortexModule *module, runtime::Context &context,
             const VortexFunctionInfo &function,
             const std::vector<const DLTensor *> &args);

} // namespace tools
} // namespace vortex

#endif // VORTEX_TOOLS_VORTEX_RUN_EXPLAIN_H
