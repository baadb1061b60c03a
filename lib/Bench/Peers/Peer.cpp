//===- Peer.cpp - Finding vendor libraries --------------------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Peer.h"

#include <cstdlib>
#include <dlfcn.h>
#include <sstream>
#include <unistd.h>

using namespace vortex::bench;

const char *const vortex::bench::peerNames = "onednn, openblas, mkl, libxsmm";

void *vortex::bench::openLibrary(const std::string &path,
                                 std::initializer_list<const char *> names,
                                 std::string &reason) {
  std::string all = path;
  if (const char *folders = std::getenv("VORTEX_PEERS_PATH"))
    all += std::string(":") + folders;
  char self[4096];
  if (ssize_t length = readlink("/proc/self/exe", self, sizeof self);
      length > 0 && length < ssize_t(sizeof self)) {
    std::string tool(self, size_t(length));
    all += ":" + tool.substr(0, tool.rfind('/')) + "/../peers";
  }
  std::stringstream stream(all);
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

std::unique_ptr<Peer> vortex::bench::loadPeer(const std::string &name,
                                              const Options &options,
                                              std::string &reason) {
  if (name == "onednn")
    return loadOneDnn(options, reason);
  if (name == "openblas")
    return loadOpenBlas(options, reason);
  if (name == "mkl")
    return loadMkl(options, reason);
  if (name == "libxsmm")
    return loadXsmm(options, reason);
  reason = std::string("there is no such peer; there are ") + peerNames;
  return nullptr;
}
