//===- ChoiceLog.h - Choices that were made ---------------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_LIB_RUNTIME_CHOICELOG_H
#define VORTEX_LIB_RUNTIME_CHOICELOG_H

#include "vortex-c/Runtime.h"

#include <cstring>
#include <vector>

namespace vortex {
namespace runtime {

/// The choices of a call with their guards and costs, in memory that is kept
/// for the next call's.
class ChoiceLog {
public:
  void clear() {
    entries.clear();
    used = 0;
  }
  int64_t size() const { return int64_t(entries.size()); }

  /// Adds a choice. The pointers of `entry` are those of its arrays.
  void add(const VortexChoice &entry) {
    size_t count = size_t(entry.num_candidates), begin = used;
    if (begin + count > allowed.size())
      makeRoom(begin + count);
    // Few numbers: copied sooner than a function that copies is called.
    for (size_t i = 0; i < count; ++i) {
      allowed[begin + i] = entry.allowed[i];
      costs[begin + i] = entry.costs[i];
    }
    entries.push_back({entry, begin});
    used += count;
  }
  /// Adds a choice or counts it together with an equal one.
  void count(const VortexChoice &entry) {
    for (Entry &e : entries)
      if (equal(e, entry)) {
        e.choice.times += entry.times;
        return;
      }
    add(entry);
  }
  /// Valid until the log changes.
  VortexChoice get(int64_t index) const {
    const Entry &e = entries[size_t(index)];
    VortexChoice choice = e.choice;
    choice.allowed = allowed.data() + e.begin;
    choice.costs = costs.data() + e.begin;
    return choice;
  }

private:
  struct Entry {
    VortexChoice choice;
    size_t begin; ///< of its guards and costs
  };
  bool equal(const Entry &e, const VortexChoice &other) const {
    size_t count = size_t(other.num_candidates);
    return e.choice.kernel == other.kernel &&
           e.choice.candidate == other.candidate &&
           e.choice.preferred == other.preferred &&
           e.choice.num_candidates == other.num_candidates &&
           !std::memcmp(allowed.data() + e.begin, other.allowed, count) &&
           !std::memcmp(costs.data() + e.begin, other.costs,
                        count * sizeof(double));
  }

  __attribute__((noinline)) void makeRoom(size_t numbers) {
    costs.resize(2 * numbers);
    allowed.resize(2 * numbers);
  }

  std::vector<Entry> entries;
  std::vector<uint8_t> allowed;
  std::vector<double> costs;
  size_t used = 0; ///< of `allowed` and `costs`, which are as long
};

} // namespace runtime
} // namespace vortex

#endif // VORTEX_LIB_RUNTIME_CHOICELOG_H
