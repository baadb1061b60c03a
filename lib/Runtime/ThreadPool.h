//===- ThreadPool.h - Threads that run the bodies of a call -----*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_LIB_RUNTIME_THREADPOOL_H
#define VORTEX_LIB_RUNTIME_THREADPOOL_H

#include <atomic>
#include <cstdint>
#include <memory>
#include <pthread.h>
#include <vector>

namespace vortex {
namespace runtime {

/// The CPUs that this process may run on.
int availableThreads();

/// A small fork-join pool for one caller at a time. Each thread, the caller
/// too, has a share of the iterations, the same one in each job of as many, so
/// that it finds in its caches what it left there. It claims them from the
/// front, in runs that get shorter towards the end, then what others have left
/// of theirs, from the end: a worker that does not wake up in time delays
/// nobody. Workers spin for a bounded time after a job (about 0.3 us to start
/// the next one), then sleep.
class ThreadPool {
public:
  /// A half-open range of iterations on thread `thread` (0: the caller).
  using Work = void (*)(void *closure, int thread, ThreadPool &pool);

  /// Null when the threads cannot be created. `threads` counts the caller.
  static std::unique_ptr<ThreadPool> create(int threads);
  ~ThreadPool();

  /// Calls `work` on the caller and on workers that are awake in time, each of
  /// which claims iterations of [0, count) until there are none.
  void run(Work work, void *closure, int64_t count);
  /// Claims the next iterations for `thread`; false when there are none left.
  bool claim(int thread, int64_t &begin, int64_t &end);
  /// Leaves nothing to claim.
  void cancel();

private:
  explicit ThreadPool(int threads) : threads(threads), shares(threads) {}
  static void *workerMain(void *);
  void workerLoop(int thread);

  struct Worker {
    ThreadPool *pool;
    int thread;
    pthread_t handle;
  };
  /// Units of iterations that nobody has claimed: the first in the upper half,
  /// behind the last in the lower one.
  struct alignas(64) Share {
    std::atomic<uint64_t> left{0};
  };
  const int threads;
  std::vector<Worker> workers;
  std::vector<Share> shares; ///< one a thread
  // The job: written only while it is closed and nobody is inside.
  Work work = nullptr;
  void *closure = nullptr;
  int64_t count = 0;
  int64_t unit = 1; ///< iterations that are claimed together
  /// Odd while a job is open. Also the word that sleepers wait on.
  alignas(64) std::atomic<uint32_t> state{0};
  std::atomic<bool> stop{false};
  alignas(64) std::atomic<int> inside{0};
  std::atomic<int> sleepers{0};
};

} // namespace runtime
} // namespace vortex

#endif // VORTEX_LIB_RUNTIME_THREADPOOL_H
