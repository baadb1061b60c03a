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

/// A small fork-join pool for one caller at a time. Iterations are claimed from
/// a counter, in runs that get shorter towards the end, and the caller claims
/// too: a worker that does not wake up in time delays nobody. Workers spin for
/// a bounded time after a job (about 0.3 us to start the next one), then sleep.
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
  /// Claims the next iterations; false when there are none left.
  bool claim(int64_t &begin, int64_t &end);
  /// Leaves nothing to claim.
  void cancel() { next.store(count, std::memory_order_relaxed); }

private:
  explicit ThreadPool(int threads) : threads(threads) {}
  static void *workerMain(void *);
  void workerLoop(int thread);

  struct Worker {
    ThreadPool *pool;
    int thread;
    pthread_t handle;
  };
  const int threads;
  std::vector<Worker> workers;
  // The job: written only while it is closed and nobody is inside.
  Work work = nullptr;
  void *closure = nullptr;
  int64_t count = 0;
  alignas(64) std::atomic<int64_t> next{0};
  /// Odd while a job is open. Also the word that sleepers wait on.
  alignas(64) std::atomic<uint32_t> state{0};
  std::atomic<bool> stop{false};
  alignas(64) std::atomic<int> inside{0};
  std::atomic<int> sleepers{0};
};

} // namespace runtime
} // namespace vortex

#endif // VORTEX_LIB_RUNTIME_THREADPOOL_H
