//===- Peer.cpp - Finding vendor libraries --------------------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Peer.h"

#include "../Timing.h"

#include "OpenLibrary.h"

#include <cstdlib>
#include <unistd.h>

using namespace vortex::bench;

namespace {
struct KnownPeer {
  const char *name;
  std::unique_ptr<Peer> (*load)(const Options &options, std::string &reason);
};
} // namespace

static const KnownPeer knownPeers[] = {{"onednn", loadOneDnn},
                                       {"onednn3", loadOneDnn3},
                                       {"onednn3-rt", loadOneDnn3Runtime},
                                       {"openblas", loadOpenBlas},
                                       {"mkl", loadMkl},
                                       {"libxsmm", loadXsmm}};

std::vector<std::string> vortex::bench::peerNames() {
  std::vector<std::string> names;
  for (const KnownPeer &peer : knownPeers)
    names.push_back(peer.name);
  return names;
}

std::string vortex::bench::peerFolders(const std::string &path) {
  std::string all = path;
  if (const char *folders = std::getenv("VORTEX_PEERS_PATH"))
    all += std::string(":") + folders;
  char self[4096];
  if (ssize_t length = readlink("/proc/self/exe", self, sizeof self);
      length > 0 && length < ssize_t(sizeof self)) {
    std::string tool(self, size_t(length));
    all += ":" + tool.substr(0, tool.rfind('/')) + "/../peers";
  }
  return all;
}

void *vortex::bench::openLibrary(const std::string &path,
                                 std::initializer_list<const char *> names,
                                 std::string &reason) {
  return libraries::openLibrary(peerFolders(path), names, reason);
}

std::unique_ptr<Peer> vortex::bench::loadPeer(const std::string &name,
                                              const Options &options,
                                              std::string &reason) {
  for (const KnownPeer &peer : knownPeers)
    if (name == peer.name)
      return peer.load(options, reason);
  reason = "there is no such peer";
  return nullptr;
}

std::unique_ptr<Call>
vortex::bench::fastest(std::vector<std::unique_ptr<Call>> calls) {
  std::vector<Contender> contenders;
  for (const auto &call : calls)
    contenders.push_back({"", [&run = *call] { run.run(); }, {}, {}});
  timeContenders(contenders, 3);
  size_t best = 0;
  for (size_t i = 1; i < calls.size(); ++i)
    if (contenders[i].median() < contenders[best].median())
      best = i;
  return calls.empty() ? nullptr : std::move(calls[best]);
}
