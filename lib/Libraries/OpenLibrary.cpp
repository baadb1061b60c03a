//===- OpenLibrary.cpp - Vendor libraries, found at run time -===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpenLibrary.h"

#include <sstream>
#include <unistd.h>

void *vortex::libraries::openLibrary(const std::string &folders,
                                     std::initializer_list<const char *> names,
                                     std::string &reason) {
  std::stringstream stream(folders);
  std::string folder;
  while (std::getline(stream, folder, ':'))
    for (const char *below : {"/", "/lib/"})
      for (const char *name : names) {
        std::string file = folder + below + name;
        if (folder.empty() || access(file.c_str(), R_OK) != 0)
          continue;
        if (void *library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL))
          return library;
        reason = dlerror();
        return nullptr;
      }
  for (const char *name : names) {
    if (void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL))
      return library;
    reason = dlerror();
  }
  return nullptr;
}
