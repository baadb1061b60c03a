//===- ThreadPool.cpp - Threads that run the bodies of a call -------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ThreadPool.h"

#include <algorithm>
#include <climits>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace vortex::runtime;

// Enough to bridge the gap between two loops of one call, too short to matter
// to another process that wants the core.
static constexpr int spins = 20000;

static void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

static_assert(sizeof(std::atomic<uint32_t>) == 4, "a futex is 32 bits");
static void sleepWhile(std::atomic<uint32_t> &word, uint32_t value) {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}
static void wakeAll(std::atomic<uint32_t> &word) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

static uint64_t pack(int64_t begin, int64_t end) {
  return uint64_t(begin) << 32 | uint64_t(end);
}

int vortex::runtime::availableThreads() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    return std::max(1, CPU_COUNT(&set));
  return std::max(1, int(sysconf(_SC_NPROCESSORS_ONLN)));
}

std::unique_ptr<ThreadPool> ThreadPool::create(int threads) {
  std::unique_ptr<ThreadPool> pool(new ThreadPool(threads));
  pool->workers.reserve(threads - 1);
  for (int i = 1; i < threads; ++i) {
    pool->workers.push_back({pool.get(), i, {}});
    Worker &worker = pool->workers.back();
    if (pthread_create(&worker.handle, nullptr, workerMain, &worker) != 0) {
      pool->workers.pop_back();
      return nullptr;
    }
  }
  return pool;
}

ThreadPool::~ThreadPool() {
  stop.store(true);
  state.fetch_add(2);
  wakeAll(state);
  for (Worker &worker : workers)
    pthread_join(worker.handle, nullptr);
}

void *ThreadPool::workerMain(void *argument) {
  auto *worker = static_cast<Worker *>(argument);
  worker->pool->workerLoop(worker->thread);
  return nullptr;
}

void ThreadPool::workerLoop(int thread) {
  uint32_t seen = 0;
  for (;;) {
    // Wait for a change of state that opens a job.
    for (int i = 0; (state.load() == seen || !(state.load() & 1)) && !stop;) {
      if (++i < spins) {
        relax();
        continue;
      }
      uint32_t now = state.load();
      if (now != seen && (now & 1))
        break;
      sleepers.fetch_add(1);
      if (!stop)
        sleepWhile(state, now);
      sleepers.fetch_sub(1);
    }
    if (stop)
      return;
    // Enter, then look again: once the caller has closed the job and found
    // nobody inside, whoever enters sees it closed. All sequentially
    // consistent.
    inside.fetch_add(1);
    uint32_t now = state.load();
    if (now & 1)
      work(closure, thread, *this);
    inside.fetch_sub(1);
    seen = now;
  }
}

void ThreadPool::run(Work newWork, void *newClosure, int64_t newCount) {
  work = newWork;
  closure = newClosure;
  count = newCount;
  unit = std::max<int64_t>(1, (count >> 31) + 1);
  const int64_t units = (count + unit - 1) / unit;
  for (int64_t i = 0; i < threads; ++i)
    shares[size_t(i)].left.store(
        pack(units * i / threads, units * (i + 1) / threads),
        std::memory_order_relaxed);
  state.fetch_add(1);
  if (sleepers.load())
    wakeAll(state);
  newWork(newClosure, 0, *this);
  state.fetch_add(1);
  for (int i = 0; inside.load() != 0; ++i) {
    // A preempted worker needs the core more than this loop does.
    if (i < spins)
      relax();
    else
      sched_yield();
  }
}

bool ThreadPool::claim(int thread, int64_t &begin, int64_t &end) {
  for (int i = 0; i < threads; ++i) {
    std::atomic<uint64_t> &share = shares[size_t((thread + i) % threads)].left;
    uint64_t left = share.load(std::memory_order_relaxed), rest = 0;
    do {
      begin = int64_t(left >> 32);
      end = int64_t(left & UINT32_MAX);
      if (begin >= end)
        break;
      const int64_t taken = std::max<int64_t>(1, (end - begin) / 4);
      if (i == 0)
        end = begin + taken, rest = pack(end, int64_t(left & UINT32_MAX));
      else
        begin = end - taken, rest = pack(int64_t(left >> 32), begin);
    } while (
        !share.compare_exchange_weak(left, rest, std::memory_order_relaxed));
    if (begin >= end)
      continue;
    begin *= unit;
    end = std::min(end * unit, count);
    return true;
  }
  return false;
}

void ThreadPool::cancel() {
  for (Share &share : shares)
    share.left.store(0, std::memory_order_relaxed);
}
