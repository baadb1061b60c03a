//===- OpenLibrary.h - Vendor libraries, found at run time ------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_LIB_LIBRARIES_OPENLIBRARY_H
#define VORTEX_LIB_LIBRARIES_OPENLIBRARY_H

#include <dlfcn.h>
#include <initializer_list>
#include <string>

namespace vortex {
namespace libraries {

/// Opens a library by file name: in `folders` (by colons) and the `lib` of
/// each, then where the loader looks. Its symbols stay apart from those of
/// other libraries. Null with a reason when it is not there.
void *openLibrary(const std::string &folders,
                  std::initializer_list<const char *> names,
                  std::string &reason);

/// A function of a library, null where it is not there.
template <typename Function>
Function symbol(void *library, const std::string &name) {
  return reinterpret_cast<Function>(dlsym(library, name.c_str()));
}

} // namespace libraries
} // namespace vortex

#endif // VORTEX_LIB_LIBRARIES_OPENLIBRARY_H
