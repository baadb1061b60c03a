//===- Status.h - Statuses and their messages -------------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_LIB_RUNTIME_STATUS_H
#define VORTEX_LIB_RUNTIME_STATUS_H

#include "vortex-c/Runtime.h"

#include <new>
#include <string>

namespace vortex {
namespace runtime {

/// Keeps the formatted message for vortexLastError and returns `status`.
VortexStatus report(VortexStatus status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/// printf into a string.
std::string format(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

/// Runs the body of a C function: memory that the library itself cannot get is
/// a status too.
template <typename Body>
VortexStatus guarded(Body &&body) {
  try {
    return body();
  } catch (const std::bad_alloc &) {
    return report(VORTEX_STATUS_OUT_OF_MEMORY, "out of memory");
  }
}

} // namespace runtime
} // namespace vortex

#endif // VORTEX_LIB_RUNTIME_STATUS_H
