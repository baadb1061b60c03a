//===- Program.h - A compiled program under measurement ---------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_LIB_BENCH_PROGRAM_H
#define VORTEX_LIB_BENCH_PROGRAM_H

#include "Timing.h"

#include "vortex/Bench/Bench.h"
#include "vortex/Runtime/Runtime.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace vortex {
namespace bench {

/// What one kernel did in a call.
struct KernelChoice {
  const VortexKernelInfo *kernel = nullptr;
  int64_t candidate = -1;       ///< the one that ran; -1: none
  std::vector<int64_t> allowed; ///< those whose guard held
  std::vector<double> costs; ///< of all, microseconds, as the choice saw them
  /// Of the one that ran, microseconds.
  double predicted() const { return candidate < 0 ? 0 : costs[candidate]; }
  const char *name() const {
    return candidate < 0 ? "none" : kernel->candidates[candidate];
  }
};

/// An artifact with one instance and one context.
class Program {
public:
  /// `file`: an artifact, or MLIR, which is compiled first. Each function
  /// answers an error, or "".
  /// With these flags of the compiler, too.
  std::string load(const std::string &file, const Options &options,
                   const std::vector<std::string> &flags = {});
  std::string loadText(const std::string &text, const Options &options,
                       const std::vector<std::string> &flags = {});
  std::string bind(const char *function,
                   const std::vector<const DLTensor *> &weights);
  std::string call(const char *function,
                   const std::vector<const DLTensor *> &args,
                   std::vector<runtime::OwnedTensor> &results) {
    return context.call(function, args, results) ? vortexLastError() : "";
  }

  /// Does the call and says what its kernels chose, the one that is predicted
  /// to take longest first.
  std::vector<KernelChoice> choicesOf(const std::function<void()> &call);
  /// `candidate` -1 gives the choice back to the costs.
  void force(const VortexKernelInfo &kernel, int64_t candidate);

  runtime::Module module;
  runtime::Instance instance;
  runtime::Context context;
};

/// Microseconds of one candidate.
struct TimedCandidate {
  std::string name;
  double measured = 0;
  double predicted = 0; ///< its cost
};

/// The candidates of one kernel, each timed by itself.
struct Oracle {
  std::string best;
  double bestMicroseconds = 0;
  /// The chosen candidate, timed in the same way; 0 if it did not run.
  double choiceMicroseconds = 0;
  std::vector<TimedCandidate> all; ///< in artifact order

  /// By name, microseconds.
  std::map<std::string, double> times() const;
  std::map<std::string, double> costs() const;
};

/// Forces and times each candidate whose guard holds at this call, and then the
/// fastest four and the choice again by themselves, three times as long: their
/// second times count. `check` looks at the results of one call of each,
/// answering an error, or "".
std::string timeCandidates(Program &program, const KernelChoice &choice,
                           const std::function<void()> &call,
                           const std::function<std::string()> &check,
                           const Options &options, Oracle &oracle);

} // namespace bench
} // namespace vortex

#endif // VORTEX_LIB_BENCH_PROGRAM_H
