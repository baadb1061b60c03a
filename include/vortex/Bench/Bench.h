//===- Bench.h - Timing programs against peers ------------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_BENCH_BENCH_H
#define VORTEX_BENCH_BENCH_H

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace vortex {
namespace bench {

/// Makes an artifact of an .mlir file, with these flags of vortex-compile
/// beside those that all programs have. Answers an error, or "".
using Compile = std::function<std::string(const std::string &file,
                                          const std::vector<std::string> &flags,
                                          std::string &artifact)>;

class Problem;

/// A kind of program that is timed at sizes from a table.
struct Kind {
  std::string name;
  std::string about; ///< the columns of the table and what they mean, for help
  std::vector<std::string> dtypes; ///< of the arguments
  std::unique_ptr<Problem> (*make)();

  bool takes(const std::string &dtype) const;
  /// In words.
  std::string dtypeList() const;
};

const std::vector<Kind> &kinds();
/// Null when there is no such kind.
const Kind *findKind(const std::string &name);

/// Of all that are known, whether they are there or not.
std::vector<std::string> peerNames();

struct Options {
  /// The name of a kind, or a program: .mlir, .mlirbc or an artifact.
  std::string subject;
  Compile compile;
  std::string target = "host";
  int64_t threads = 1;
  int64_t repeats = 7; ///< batches of each contender
  int64_t seed = 1;
  /// Also time every candidate by itself; of a kind of operator those, too,
  /// that programs are compiled without because others beat them by shape
  /// alone.
  bool oracle = false;
  bool oracleKept = false; ///< those that the program has
  bool realtime = false;   ///< ask for SCHED_FIFO (see pinThreads)
  std::string json;

  /// Kinds.
  std::string dtype = "f32"; ///< of rows without a dtype column
  std::string shapes;
  std::vector<std::string> peers = {"onednn", "openblas"};
  std::string peerPath; ///< folders, by colons, before VORTEX_PEERS_PATH
  bool packed = true;
  bool dlpack = false;        ///< call with DLPack tensors
  bool columnMajor = false;   ///< rows describe column-major matrix products
  bool compareStatic = false; ///< with the program compiled for each size
  /// And with the one that adds up in one order whatever the batch.
  bool compareOneOrder = false;
  bool knownFilters = false; ///< programs know the extents of filters
  int64_t random = 0;
  double maxGflop = 20, maxOperandMb = 512;

  /// Programs.
  std::string function;
  std::vector<std::string> inputs;
};

/// Sets what OpenMP and the BLAS libraries read when they are loaded, takes
/// away what would have them use other kernels than they choose themselves, and
/// starts this process again where that had to change. To be called before
/// anything else.
void prepareEnvironment(int64_t threads, char **argv);

/// Times a kind of program at each size against the peers, prints a table and
/// writes JSON. Answers an error, or "". A size at which a result is wrong or
/// a call fails is an error, told after the others are done.
std::string benchKind(const Options &options);

/// Times one function of a program with given inputs. `usage` tells whether
/// the error is one of the command line.
std::string benchProgram(const Options &options, bool &usage);

} // namespace bench
} // namespace vortex

#endif // VORTEX_BENCH_BENCH_H
