//===- Timing.cpp - Contenders in turns -----------------------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Timing.h"

#include "vortex/Bench/Bench.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <optional>
#include <sched.h>
#include <thread>
#include <unistd.h>

using namespace vortex::bench;

static double now() {
  using Clock = std::chrono::steady_clock;
  return std::chrono::duration<double, std::micro>(
             Clock::now().time_since_epoch())
      .count();
}

/// The processors that the process may use, as it was before it was pinned.
static const std::vector<int> &allowedProcessors() {
  static const std::vector<int> allowed = [] {
    std::vector<int> cpus;
    cpu_set_t set;
    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof set, &set);
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
      if (CPU_ISSET(cpu, &set))
        cpus.push_back(cpu);
    return cpus;
  }();
  return allowed;
}

/// Pins thread `id` (0: the one that calls) to one processor.
static void pinTo(int cpu, int id = 0) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  sched_setaffinity(id, sizeof set, &set);
}

namespace {
/// Keeps the first `threads` of the allowed processors from going idle while it
/// lives, by threads that run where nobody else wants to.
class Wakeful {
public:
  explicit Wakeful(int64_t threads) {
    const std::vector<int> &allowed = allowedProcessors();
    for (size_t i = 0; i < std::min(size_t(threads), allowed.size()); ++i)
      keepers.emplace_back([this, cpu = allowed[i]] {
        pinTo(cpu);
        sched_param none{};
        // Without it, a keeper would take its part of the processor.
        if (sched_setscheduler(0, SCHED_IDLE, &none) != 0)
          return;
        while (!done.load(std::memory_order_relaxed))
          relax();
      });
  }
  ~Wakeful() {
    done.store(true);
    for (std::thread &keeper : keepers)
      keeper.join();
  }

private:
  static void relax() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }

  std::atomic<bool> done{false};
  std::vector<std::thread> keepers;
};
} // namespace

void vortex::bench::timeContenders(std::vector<Contender> &contenders,
                                   int64_t repeats, int64_t threads) {
  constexpr double batchMicroseconds = 2000;
  std::optional<Wakeful> awake;
  if (threads > 1)
    awake.emplace(threads);
  std::vector<int64_t> calls(contenders.size());
  for (int64_t repeat = -1; repeat < repeats; ++repeat)
    for (size_t i = 0; i < contenders.size(); ++i) {
      size_t which = (i + size_t(repeat + 1)) % contenders.size();
      Contender &contender = contenders[which];
      if (contender.before)
        contender.before();
      if (threads > 1)
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
      contender.run();
      double start = now();
      contender.run();
      double once = std::max(now() - start, 0.02);
      if (repeat < 0) {
        // A first call may be slow for good; the second sets the batch.
        calls[which] = std::max<int64_t>(1, int64_t(batchMicroseconds / once));
        continue;
      }
      start = now();
      for (int64_t call = 0; call < calls[which]; ++call)
        contender.run();
      contender.batches.push_back((now() - start) / double(calls[which]));
    }
  for (Contender &contender : contenders)
    std::sort(contender.batches.begin(), contender.batches.end());
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

void vortex::bench::pinThreads(int64_t threads, bool realtime) {
  const std::vector<int> &allowed = allowedProcessors();
  if (allowed.empty() || threads > int64_t(allowed.size()))
    return;
  DIR *tasks = opendir("/proc/self/task");
  if (!tasks)
    return;
  std::vector<int> ids;
  while (dirent *entry = readdir(tasks))
    if (int id = std::atoi(entry->d_name); id > 0)
      ids.push_back(id);
  closedir(tasks);
  std::sort(ids.begin(), ids.end());
  int64_t worker = 0;
  for (int id : ids) {
    // Each pool starts its workers one after another.
    int64_t at =
        threads == 1 || id == getpid() ? 0 : 1 + worker++ % (threads - 1);
    pinTo(allowed[size_t(at)], id);
    sched_param priority{};
    priority.sched_priority = 10;
    if (realtime)
      sched_setscheduler(id, SCHED_FIFO, &priority);
  }
}

void vortex::bench::prepareEnvironment(int64_t threads, char **argv) {
  const std::string count = std::to_string(threads);
  const std::pair<const char *, std::string> wanted[] = {
      {"OMP_NUM_THREADS", count},
      {"OPENBLAS_NUM_THREADS", count},
      // Its workers wait spinning for 2^28 cycles, far into the next
      // contenders' turns, which would run at half their speed. 2^20 are enough
      // for calls in a row.
      {"OPENBLAS_THREAD_TIMEOUT", "20"},
      {"MKL_NUM_THREADS", count},
      {"MKL_DYNAMIC", "FALSE"},
      // GNU shares its pool with oneDNN.
      {"MKL_THREADING_LAYER", threads == 1 ? "SEQUENTIAL" : "GNU"}};
  // What would keep a library from the best kernels for this processor.
  const char *const unwanted[] = {
      "OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "MKL_ENABLE_INSTRUCTIONS",
      "MKL_CBWR",          "DNNL_MAX_CPU_ISA", "ONEDNN_MAX_CPU_ISA",
      "LIBXSMM_TARGET"};
  bool changed = false;
  for (const auto &[name, value] : wanted) {
    const char *old = std::getenv(name);
    if (old && value == old)
      continue;
    setenv(name, value.c_str(), 1);
    changed = true;
  }
  for (const char *name : unwanted) {
    changed |= std::getenv(name) != nullptr;
    unsetenv(name);
  }
  // The mark ends the loop should the environment not stick.
  if (!changed || std::getenv("VORTEX_BENCH_RESTARTED"))
    return;
  setenv("VORTEX_BENCH_RESTARTED", "1", 1);
  execv("/proc/self/exe", argv);
}
