//===- OpenBlas.cpp - OpenBLAS --------------------------------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CBlas.h"

using namespace vortex::bench;

namespace {
class OpenBlas : public CBlasPeer {
public:
  std::string version() const override { return functions.version(); }
  vortex::libraries::OpenBlas functions;

protected:
  const vortex::libraries::CBlas &blas() const override { return functions; }
};
} // namespace

std::unique_ptr<Peer> vortex::bench::loadOpenBlas(const Options &options,
                                                  std::string &reason) {
  auto peer = std::make_unique<OpenBlas>();
  if (!peer->functions.open(peerFolders(options.peerPath), reason))
    return nullptr;
  if (peer->functions.setThreads)
    peer->functions.setThreads(int(options.threads));
  return peer;
}
