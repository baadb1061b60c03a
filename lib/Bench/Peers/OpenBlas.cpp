//===- OpenBlas.cpp - OpenBLAS --------------------------------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CBlas.h"

using namespace vortex::bench;

std::unique_ptr<Peer> vortex::bench::loadOpenBlas(const Options &options,
                                                  std::string &reason) {
  void *library = openLibrary(
      options.peerPath, {"libopenblas.so.0", "libscipy_openblas.so"}, reason);
  if (!library)
    return nullptr;
  auto peer = std::make_unique<CBlasPeer>();
  for (const char *prefix : {"", "scipy_"})
    if (peer->load(library, prefix, reason)) {
      if (auto set = symbol<void (*)(int)>(
              library, std::string(prefix) + "openblas_set_num_threads"))
        set(int(options.threads));
      return peer;
    }
  return nullptr;
}
