//===- OpenBlas.cpp - OpenBLAS --------------------------------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CBlas.h"

#include <sstream>

using namespace vortex::bench;

namespace {
class OpenBlas : public CBlasPeer {
public:
  bool load(void *library, int64_t threads, std::string &reason) {
    for (const char *prefix : {"", "scipy_"}) {
      if (!CBlasPeer::load(library, prefix, reason))
        continue;
      const std::string name = std::string(prefix) + "openblas_";
      config = symbol<const char *(*)()>(library, name + "get_config");
      core = symbol<const char *(*)()>(library, name + "get_corename");
      if (auto set = symbol<void (*)(int)>(library, name + "set_num_threads"))
        set(int(threads));
      return true;
    }
    return false;
  }
  // The configuration starts with "OpenBLAS VERSION".
  std::string version() const override {
    std::istringstream words(config ? config() : "");
    std::string name, version;
    words >> name >> version;
    return core ? version + " (" + core() + ")" : version;
  }

private:
  const char *(*config)() = nullptr, *(*core)() = nullptr;
};
} // namespace

std::unique_ptr<Peer> vortex::bench::loadOpenBlas(const Options &options,
                                                  std::string &reason) {
  void *library = openLibrary(
      options.peerPath, {"libopenblas.so.0", "libscipy_openblas.so"}, reason);
  auto peer = std::make_unique<OpenBlas>();
  if (!library || !peer->load(library, options.threads, reason))
    return nullptr;
  return peer;
}
