//===- Measure.cpp - Samples, medians, pinning, start-up ------ -*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Measure.h"

#include "../Runtime/ThreadPool.h"

#include <algorithm>
#include <atomic>
#include <chrono>

#include <sched.h>

using namespace vortex;
using namespace vortex::probe;

double probe::now() {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

bool probe::pinThread(unsigned cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  return sched_setaffinity(0, sizeof(set), &set) == 0;
}

void probe::record(HostParams &params, const std::string &key,
                   const Effort &effort,
                   const std::function<double()> &measure) {
  std::vector<double> values(effort.samples);
  for (double &value : values)
    value = measure();
  std::sort(values.begin(), values.end());
  double median = values[values.size() / 2];
  double spread = values[values.size() * 3 / 4] - values[values.size() / 4];
  // Four digits are more than the spread justifies, and keep the file readable.
  auto round = [](double value) {
    char text[32];
    std::snprintf(text, sizeof(text), "%.4g", value);
    return std::strtod(text, nullptr);
  };
  params.numbers[key] = round(median);
  params.spread[key] = median > 0 ? round(spread / median) : 0;
}

/// Returns when every thread of the job has begun: what the loop costs before
/// all threads work. A thread that does not come within 10 ms is not waited
/// for.
static void meet(void *closure, int, runtime::ThreadPool &pool) {
  auto &missing = *static_cast<std::atomic<int> *>(closure);
  missing.fetch_sub(1);
  double limit = now() + 0.01;
  for (int64_t i = 1; missing.load() > 0; ++i)
    if (i % 1024 == 0 && now() > limit)
      break;
  pool.cancel();
}

void probe::addStartup(std::vector<Step> &steps, const Topology &topology,
                       const Effort &effort) {
  int threads = topology.cores.size();
  auto run = [=](HostParams &params) {
    auto pool = runtime::ThreadPool::create(threads);
    if (!pool)
      return;
    std::atomic<int> missing{0};
    // As many loops as a sample lasts on an idle machine.
    int loops = std::max(10.0, effort.sampleSeconds / 1e-6);
    std::vector<double> each(loops);
    auto measure = [&]() {
      for (double &nanoseconds : each) {
        missing = threads;
        double begin = now();
        pool->run(meet, &missing, threads);
        nanoseconds = (now() - begin) * 1e9;
      }
      // The median again: one thread that lost its core is not the pool's cost.
      std::nth_element(each.begin(), each.begin() + loops / 2, each.end());
      return each[loops / 2];
    };
    measure(); // threads are awake afterwards
    record(params, "core.startup", effort, measure);
  };
  steps.push_back({"start of a parallel loop", run});
}
