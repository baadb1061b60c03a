//===- CpuFeatures.h - What this CPU can run --------------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_LIB_RUNTIME_CPUFEATURES_H
#define VORTEX_LIB_RUNTIME_CPUFEATURES_H

#include <string>

namespace vortex {
namespace runtime {

/// Checks that CPU and operating system have every feature of a comma
/// separated list in LLVM's spelling ("avx512f,avx512bw", a leading '+' is
/// allowed, "-x" ignored), and asks the kernel for AMX state where needed. A
/// feature counts as there when the process emulates it, as one does that a
/// test has preloaded with an emulator (test/amx).
/// Returns "" or what is missing, in words.
std::string missingCpuFeatures(const std::string &features);

} // namespace runtime
} // namespace vortex

#endif // VORTEX_LIB_RUNTIME_CPUFEATURES_H
