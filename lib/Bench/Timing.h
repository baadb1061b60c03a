//===- Timing.h - Contenders in turns ---------------------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_LIB_BENCH_TIMING_H
#define VORTEX_LIB_BENCH_TIMING_H

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace vortex {
namespace bench {

struct Contender {
  std::string name;
  std::function<void()> run;
  /// Called before each batch, untimed; may be empty.
  std::function<void()> before;
  std::vector<double> batches; ///< microseconds a call, ascending when done

  double median() const { return batches[batches.size() / 2]; }
  /// Ninth over first decile.
  double spread() const {
    return batches[batches.size() * 9 / 10] / batches[batches.size() / 10];
  }
};

/// Times the contenders in turns, each time in another order: `repeats` batches
/// of as many calls as fill about two milliseconds, each after untimed ones.
/// `threads`, if more than one: contenders have workers of their own for that
/// many. Those of the contender before, which may still be spinning,
/// are given time to go to sleep before each batch, while the processors are
/// kept awake: a processor of a virtual machine that was idle may come back as
/// the second hardware thread of a core that another one is on, which halves
/// the speed of both for tens of milliseconds.
void timeContenders(std::vector<Contender> &contenders, int64_t repeats,
                    int64_t threads = 1);

/// Pins this process: with one thread all of it to one processor, otherwise
/// the main thread to the first and the others in turn to the rest of the
/// first `threads` that the process may use. To be called again when there are
/// new threads. `realtime` also asks for SCHED_FIFO, which keeps other
/// processes away from timed calls; without the right to it, nothing happens.
void pinThreads(int64_t threads, bool realtime);

} // namespace bench
} // namespace vortex

#endif // VORTEX_LIB_BENCH_TIMING_H
