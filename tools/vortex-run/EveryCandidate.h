//===- EveryCandidate.h - A call for each candidate -------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_TOOLS_VORTEX_RUN_EVERYCANDIDATE_H
#define VORTEX_TOOLS_VORTEX_RUN_EVERYCANDIDATE_H

#include "FunctionCall.h"

namespace vortex {
namespace tools {

/// Calls once for each candidate of each kernel that has several, with that
/// candidate forced, and compares with the expected outputs, or, where none are
/// given, with what the call gave that `call` has read back. Kernels that are
/// parts or tiles of a chain run once for each way of the chain. Prints a line
/// for each: right, refused by its guard, or what is wrong; memory of results
/// is spoiled before each call. Returns the exit code.
int runEveryCandidate(FunctionCall &call);

} // namespace tools
} // namespace vortex

#endif // VORTEX_TOOLS_VORTEX_RUN_EVERYCANDIDATE_H
