//===- ComparePrecision.h - Results of two artifacts ------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_TOOLS_VORTEX_RUN_COMPAREPRECISION_H
#define VORTEX_TOOLS_VORTEX_RUN_COMPAREPRECISION_H

#include "Options.h"

#include "vortex-c/Runtime.h"

namespace vortex {
namespace tools {

/// Runs the function named as `f` of the artifact `options.reference` on the
/// CPU with the inputs as they were `given`, and prints how far from its
/// results, and from what its memrefs hold afterwards, `values` and `inputs`
/// are. Returns an exit code.
int comparePrecision(const Options &options, const VortexFunctionInfo &f,
                     std::vector<runtime::HostTensor> &given,
                     const std::vector<runtime::HostTensor> &inputs,
                     const std::vector<runtime::HostTensor> &values);

} // namespace tools
} // namespace vortex

#endif // VORTEX_TOOLS_VORTEX_RUN_COMPAREPRECISION_H
