//===- Bench.h - What the parts of vortex-bench share ---------*- C++ -*- -===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_TOOLS_VORTEX_BENCH_BENCH_H
#define VORTEX_TOOLS_VORTEX_BENCH_BENCH_H

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace vortex {
namespace bench {

/// One matrix product, row-major: C[m, n] = A[m, k] B[k, n].
struct Shape {
  int64_t m, n, k;
  double flops() const { return 2.0 * m * n * k; }
  double largestOperandBytes() const;
};

struct Options {
  std::string operation, target = "host", shapes, json;
  std::vector<std::string> peers = {"onednn", "openblas"};
  bool packed = true, oracle = false;
  int64_t threads = 1, random = 0, seed = 1, repeats = 7;
  double maxGflop = 20, maxOperandMb = 512;
};

/// Rows of a CSV file with a header line; columns m, n, k are read by name,
/// rows over the limits are left out and counted. Answers an error, or "".
std::string readShapes(const Options &options, std::vector<Shape> &shapes,
                       size_t &leftOut);

/// A contender at one shape: call it to compute C.
using Run = std::function<void()>;

/// A library that users would pick instead.
class Peer {
public:
  virtual ~Peer() = default;
  /// Prepares C = A B; weights (B) may be packed beforehand when `packed`.
  /// Null when the library cannot do this.
  virtual Run prepare(const Shape &shape, const float *a, const float *b,
                      float *c, bool packed) = 0;
};

/// Loads a peer by name. Null with a reason when it is not there.
std::unique_ptr<Peer> loadPeer(const std::string &name, int64_t threads,
                               std::string &reason);

/// Results at one shape, microseconds by contender (medians).
struct Row {
  Shape shape;
  std::map<std::string, double> us, spread;
  std::string choice, oracle;
  double oracleUs = 0;
};

/// Prints the table's summary and writes JSON. Answers an error, or "".
std::string report(const Options &options, const std::vector<Row> &rows,
                   size_t leftOut);

/// Times matrix products; answers an error, or "".
std::string runGemm(const Options &options, std::vector<Row> &rows,
                    size_t &leftOut);

} // namespace bench
} // namespace vortex

#endif // VORTEX_TOOLS_VORTEX_BENCH_BENCH_H
