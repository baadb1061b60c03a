//===- Peer.h - A library that users would pick instead ---------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_LIB_BENCH_PEERS_PEER_H
#define VORTEX_LIB_BENCH_PEERS_PEER_H

#include "../Kinds.h"

#include <memory>
#include <string>

namespace vortex {
namespace bench {

/// A computation that is ready to be done; frees what it holds.
class Call {
public:
  virtual ~Call() = default;
  virtual void run() = 0;
};

/// Runs each a few times. Null when there is none.
std::unique_ptr<Call> fastest(std::vector<std::unique_ptr<Call>> calls);

/// A vendor library. It is never linked: each is loaded at run time. The
/// functions prepare a computation on the given memory, which outlives it.
/// `packed`: weights stay the same, so the library may put them into a layout
/// of its own beforehand, if it has one. Null when it cannot compute this.
class Peer {
public:
  virtual ~Peer() = default;
  /// As the library says it; "" when it does not.
  virtual std::string version() const { return ""; }
  virtual std::unique_ptr<Call> gemm(const Gemm &p, const void *a,
                                     const void *b, void *c, bool packed) {
    return nullptr;
  }
  /// Image and result are in the layout of the problem.
  virtual std::unique_ptr<Call> conv(const Conv &p, const void *x,
                                     const void *filter, void *y, bool packed) {
    return nullptr;
  }
  virtual std::unique_ptr<Call> softmax(const Softmax &p, const void *x,
                                        void *y) {
    return nullptr;
  }
  virtual std::unique_ptr<Call> layernorm(const Layernorm &p, const void *x,
                                          const void *gamma, const void *beta,
                                          void *y) {
    return nullptr;
  }
  virtual std::unique_ptr<Call> gelu(const Gelu &p, const void *x, void *y) {
    return nullptr;
  }
  virtual std::unique_ptr<Call> transpose(const Transpose &p, const void *x,
                                          void *y) {
    return nullptr;
  }
  virtual std::unique_ptr<Call> attention(const Attention &p, const void *q,
                                          const void *k, const void *v,
                                          void *out) {
    return nullptr;
  }
};

/// Folders where peers are looked for first: `path` (by colons), those of
/// VORTEX_PEERS_PATH, `peers` beside this program's folder.
std::string peerFolders(const std::string &path);
/// Opens a library by file name: in these folders, then where the loader looks.
/// Null with a reason when it is not there.
void *openLibrary(const std::string &path,
                  std::initializer_list<const char *> names,
                  std::string &reason);

/// Null with a reason when the peer is unknown or not there.
std::unique_ptr<Peer> loadPeer(const std::string &name, const Options &options,
                               std::string &reason);

std::unique_ptr<Peer> loadOneDnn(const Options &options, std::string &reason);
/// oneDNN 3, once for exact sizes, once for any number of rows.
std::unique_ptr<Peer> loadOneDnn3(const Options &options, std::string &reason);
std::unique_ptr<Peer> loadOneDnn3Runtime(const Options &options,
                                         std::string &reason);
std::unique_ptr<Peer> loadOpenBlas(const Options &options, std::string &reason);
std::unique_ptr<Peer> loadMkl(const Options &options, std::string &reason);
std::unique_ptr<Peer> loadXsmm(const Options &options, std::string &reason);

} // namespace bench
} // namespace vortex

#endif // VORTEX_LIB_BENCH_PEERS_PEER_H
