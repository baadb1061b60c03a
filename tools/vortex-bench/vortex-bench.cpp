//===- vortex-bench.cpp - Times kernels against what users would pick -===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bench.h"
#include "CommandLine.h"

#include <algorithm>
#include <cstdlib>
#include <unistd.h>

using namespace vortex;

int main(int argc, char **argv) {
  bench::Options options;
  std::string weights = "packed", peers = "onednn,openblas", dtype = "f32";
  std::vector<std::string> operations;
  tools::CommandLine line(
      "vortex-bench", "gemm [options]",
      "Times matrix products of unknown sizes against vendor libraries.");
  line.text("--dtype", "TYPE", "element type: f32", dtype);
  line.text("--shapes", "FILE.csv", "sizes; columns m, n, k by name",
            options.shapes);
  line.integer("--threads", "N", "threads of all contenders", 1, 1024,
               options.threads);
  line.text("--peers", "LIST", "onednn, openblas, mkl", peers);
  line.text("--weights", "packed|plain", "whether B is packed once", weights);
  line.text("--json", "FILE", "write the results", options.json);
  line.number("--max-gflop", "X", "leave out larger products", 0,
              options.maxGflop);
  line.number("--max-operand-mb", "X", "leave out larger operands", 0,
              options.maxOperandMb);
  line.integer("--random", "N", "also N sizes drawn log-uniformly", 0, 100000,
               options.random);
  line.integer("--seed", "S", "of what is drawn", 0, 1 << 30, options.seed);
  line.integer("--repeats", "N", "batches of each contender", 1, 1000,
               options.repeats);
  line.flag("--oracle", "time every candidate", options.oracle);
  line.text("--target", "TARGET", "machine to compile for", options.target);
  if (std::optional<int> code = line.parse(argc, argv, operations))
    return *code;
  if (operations.size() != 1 || operations[0] != "gemm")
    return line.usageError("say what to time: gemm");
  if (dtype != "f32")
    return line.usageError("--dtype=" + dtype + ": only f32 is timed so far");
  if (weights != "packed" && weights != "plain")
    return line.usageError("--weights is packed or plain");
  if (options.shapes.empty() && !options.random)
    return line.usageError("no sizes: give --shapes or --random");
  options.packed = weights == "packed";
  options.peers.clear();
  for (size_t at = 0; at < peers.size();) {
    size_t comma = std::min(peers.find(',', at), peers.size());
    options.peers.push_back(peers.substr(at, comma - at));
    at = comma + 1;
  }
  // OpenMP reads this when a peer is loaded.
  setenv("OMP_NUM_THREADS", std::to_string(options.threads).c_str(), 1);

  std::vector<bench::Row> rows;
  size_t leftOut = 0;
  std::string error = bench::runGemm(options, rows, leftOut);
  if (error.empty())
    error = bench::report(options, rows, leftOut);
  if (error.empty())
    return tools::ExitDone;
  std::fprintf(stderr, "vortex-bench: error: %s\n", error.c_str());
  return tools::ExitFailed;
}
