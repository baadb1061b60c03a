//===- ThreadPoolTest.cpp - The thread pool -------------------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ThreadPool.h"

#include "gtest/gtest.h"

#include <atomic>
#include <unistd.h>
#include <vector>

using namespace vortex::runtime;

namespace {
struct Job {
  std::vector<std::atomic<int>> seen;
  explicit Job(size_t count) : seen(count) {}
  static void work(void *closure, int thread, ThreadPool &pool) {
    int64_t begin, end;
    while (pool.claim(thread, begin, end))
      for (int64_t i = begin; i < end; ++i)
        ++static_cast<Job *>(closure)->seen[size_t(i)];
  }
};
} // namespace

TEST(ThreadPool, RunsEachIterationOnce) {
  auto pool = ThreadPool::create(4);
  ASSERT_NE(pool, nullptr);
  for (int round = 0; round < 300; ++round)
    for (size_t count : {0, 1, 2, 3, 7, 1000}) {
      Job job(count);
      pool->run(Job::work, &job, int64_t(count));
      for (auto &n : job.seen)
        ASSERT_EQ(n.load(), 1);
    }
}

TEST(ThreadPool, WakesUpAfterSleep) {
  auto pool = ThreadPool::create(3);
  for (int round = 0; round < 3; ++round) {
    usleep(20000);
    Job job(100);
    pool->run(Job::work, &job, 100);
    for (auto &n : job.seen)
      ASSERT_EQ(n.load(), 1);
  }
}

TEST(ThreadPool, StartsAndStopsWithoutWork) {
  for (int i = 0; i < 20; ++i)
    EXPECT_NE(ThreadPool::create(3), nullptr);
}

// Each thread begins with its own share; what another leaves of its share it
// claims from the end.
TEST(ThreadPool, ClaimsItsShareFirst) {
  auto pool = ThreadPool::create(2);
  ASSERT_NE(pool, nullptr);
  struct Claims {
    std::vector<int64_t> begins;
    static void work(void *closure, int thread, ThreadPool &pool) {
      int64_t begin, end;
      if (thread == 0)
        while (pool.claim(0, begin, end))
          static_cast<Claims *>(closure)->begins.push_back(begin);
    }
  } claims;
  pool->run(Claims::work, &claims, 8);
  EXPECT_EQ(claims.begins, (std::vector<int64_t>{0, 1, 2, 3, 7, 6, 5, 4}));
}

TEST(ThreadPool, ClaimsMoreThanFitsAWord) {
  auto pool = ThreadPool::create(3);
  ASSERT_NE(pool, nullptr);
  std::atomic<int64_t> sum{0};
  const int64_t count = (int64_t(1) << 40) + 5;
  pool->run(
      [](void *closure, int thread, ThreadPool &pool) {
        int64_t begin, end;
        while (pool.claim(thread, begin, end))
          *static_cast<std::atomic<int64_t> *>(closure) += end - begin;
      },
      &sum, count);
  EXPECT_EQ(sum.load(), count);
}
