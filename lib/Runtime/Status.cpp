//===- Status.cpp - Statuses and their messages ---------------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Status.h"

#include <cstdarg>
#include <cstdio>

// A fixed buffer: reporting must work when there is no memory.
static thread_local char lastError[2048] = "";

VortexStatus vortex::runtime::report(VortexStatus status, const char *format,
                                     ...) {
  // Through a copy, since an argument may be the message before.
  char text[sizeof lastError];
  va_list args;
  va_start(args, format);
  std::vsnprintf(text, sizeof text, format, args);
  va_end(args);
  std::snprintf(lastError, sizeof lastError, "%s", text);
  return status;
}

std::string vortex::runtime::format(const char *format, ...) {
  char text[1024];
  va_list args;
  va_start(args, format);
  std::vsnprintf(text, sizeof text, format, args);
  va_end(args);
  return text;
}

extern "C" const char *vortexLastError(void) { return lastError; }
extern "C" const char *vortexRuntimeVersion(void) { return VORTEX_VERSION; }
