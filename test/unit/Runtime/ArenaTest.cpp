//===- ArenaTest.cpp - Scratch memory -------------------------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arena.h"

#include "gtest/gtest.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <random>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

using namespace vortex::runtime;

namespace {
struct Counter {
  int64_t calls = 0, live = 0;
  size_t limit = SIZE_MAX;
  Allocator allocator() {
    Allocator a;
    a.user = this;
    a.allocate = [](void *user, size_t bytes, size_t alignment) -> void * {
      auto *c = static_cast<Counter *>(user);
      if (bytes > c->limit)
        return nullptr;
      ++c->calls, ++c->live;
      return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment *
                                               alignment);
    };
    a.deallocate = [](void *user, void *memory, size_t, size_t) {
      --static_cast<Counter *>(user)->live;
      std::free(memory);
    };
    return a;
  }
};
} // namespace

TEST(Arena, AlignsAndSeparates) {
  Counter counter;
  {
    Arena arena(counter.allocator());
    std::mt19937 random(1);
    std::vector<std::pair<char *, size_t>> blocks;
    for (int i = 0; i < 500; ++i) {
      size_t bytes = random() % 5000;
      size_t alignment = size_t(1) << random() % 13;
      auto *p = static_cast<char *>(arena.allocate(bytes, alignment));
      ASSERT_NE(p, nullptr);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(p) % alignment, 0u);
      std::memset(p, i & 127, bytes);
      blocks.push_back({p, bytes});
      if (i % 3 == 2) {
        size_t victim = random() % blocks.size();
        arena.release(blocks[victim].first);
        blocks.erase(blocks.begin() + long(victim));
      }
    }
    // What was written is still there: no two blocks share memory.
    for (auto &block : blocks)
      for (size_t i = 1; i < block.second; ++i)
        ASSERT_EQ(block.first[i], block.first[0]);
  }
  EXPECT_EQ(counter.live, 0);
}

TEST(Arena, RepeatedAndSmallerSequencesAllocateNothing) {
  Counter counter;
  Arena arena(counter.allocator());
  auto sequence = [&](size_t scale) {
    void *a = arena.allocate(1000 * scale, 64);
    void *b = arena.allocate(20000 * scale, 64);
    arena.release(a);
    void *c = arena.allocate(3000 * scale, 4096);
    arena.allocate(500 * scale, 64);
    arena.release(b);
    arena.allocate(25000 * scale, 64);
    arena.release(c);
    arena.reset();
  };
  sequence(100);
  int64_t calls = counter.calls;
  for (size_t scale : {100, 100, 50, 99, 1, 100})
    sequence(scale);
  EXPECT_EQ(counter.calls, calls);
}

TEST(Arena, LargeChunksAreHugePages) {
  struct Asked {
    size_t bytes = 0, alignment = 0;
  } asked;
  Allocator allocator;
  allocator.user = &asked;
  allocator.allocate = [](void *user, size_t bytes, size_t alignment) {
    *static_cast<Asked *>(user) = {bytes, alignment};
    return std::aligned_alloc(alignment, bytes);
  };
  allocator.deallocate = [](void *, void *memory, size_t, size_t) {
    std::free(memory);
  };
  const size_t huge = size_t(2) << 20;
  for (size_t bytes : {size_t(1), size_t(100000), size_t(300000), huge - 1,
                       huge, 3 * huge + 1}) {
    Arena arena(allocator);
    ASSERT_NE(arena.allocate(bytes, 64), nullptr);
    EXPECT_GE(asked.bytes, bytes);
    EXPECT_EQ(asked.bytes % asked.alignment, 0u);
    EXPECT_EQ(asked.alignment, bytes < 200000 ? 4096 : huge) << bytes;
    EXPECT_EQ(arena.held(), asked.bytes);
  }
}

TEST(Arena, ReleasedMemoryIsUsedAgain) {
  Counter counter;
  Arena arena(counter.allocator());
  for (int i = 0; i < 1000; ++i)
    arena.release(arena.allocate(50000, 64));
  EXPECT_EQ(counter.calls, 1);
}

TEST(Arena, LentMemoryComesFirst) {
  Counter counter;
  std::vector<char> workspace(100001);
  Arena arena(counter.allocator());
  arena.lend(workspace.data() + 1, 100000);
  void *p = arena.allocate(90000, 64);
  EXPECT_GE(p, workspace.data());
  EXPECT_EQ(counter.calls, 0);
  EXPECT_NE(arena.allocate(90000, 64), nullptr);
  EXPECT_EQ(counter.calls, 1);
}

TEST(Arena, ImpossibleRequestsGiveNull) {
  Counter counter;
  counter.limit = 1 << 20;
  Arena arena(counter.allocator());
  EXPECT_EQ(arena.allocate(2 << 20, 64), nullptr);
  EXPECT_EQ(arena.allocate(SIZE_MAX, 64), nullptr);
  EXPECT_EQ(arena.allocate(SIZE_MAX / 4, 64), nullptr);
  EXPECT_NE(arena.allocate(0, 1), nullptr);
}

TEST(Arena, FreeNeighboursBecomeOne) {
  for (bool leftFirst : {false, true}) {
    Counter counter;
    Arena arena(counter.allocator());
    void *left = arena.allocate(20000, 64);
    void *right = arena.allocate(20000, 64);
    arena.allocate(10000, 64); // Keeps the rest of the chunk apart.
    arena.release(leftFirst ? left : right);
    arena.release(leftFirst ? right : left);
    EXPECT_EQ(arena.allocate(40000, 64), left);
    EXPECT_EQ(counter.calls, 1);
  }
}

TEST(Arena, LowestAddressFirst) {
  Counter counter;
  Arena arena(counter.allocator());
  void *blocks[5];
  for (void *&block : blocks)
    block = arena.allocate(1000, 64);
  arena.release(blocks[1]);
  arena.release(blocks[3]);
  EXPECT_EQ(arena.allocate(1000, 64), blocks[1]);
  EXPECT_EQ(arena.allocate(1000, 64), blocks[3]);
}

//===----------------------------------------------------------------------===//
// Memory of the C library
//===----------------------------------------------------------------------===//

/// Whether every page of a block is there.
static bool isResident(void *memory, size_t bytes) {
  const auto page = uintptr_t(sysconf(_SC_PAGESIZE));
  auto begin = reinterpret_cast<uintptr_t>(memory) & ~(page - 1);
  const size_t pages =
      (reinterpret_cast<uintptr_t>(memory) + bytes - begin + page - 1) / page;
  std::vector<unsigned char> there(pages);
  if (mincore(reinterpret_cast<void *>(begin), pages * page, there.data()))
    return false;
  for (unsigned char is : there)
    if (!(is & 1))
      return false;
  return true;
}

TEST(Arena, GrowsWhereItIs) {
  const size_t mega = size_t(1) << 20;
  Arena arena{Allocator()};
  auto *small = static_cast<char *>(arena.allocate(1000, 64));
  std::memset(small, 1, 1000);
  EXPECT_EQ(arena.held(), size_t(64) << 10);
  arena.reset();
  auto *first = static_cast<char *>(arena.allocate(5 * mega, 64));
  EXPECT_EQ(first, small);
  EXPECT_EQ(first[500], 1); // the memory of before, and not taken anew
  std::memset(first, 2, 5 * mega);
  EXPECT_LE(arena.held(), 8 * mega);
  arena.reset();
  // A third more takes a third more, whatever the pieces.
  auto *second = static_cast<char *>(arena.allocate(7 * mega, 64));
  EXPECT_EQ(second, first);
  EXPECT_EQ(second[4 * mega], 2);
  std::memset(second, 3, 7 * mega);
  EXPECT_NE(arena.allocate(100, 64), nullptr);
  EXPECT_LE(arena.held(), 10 * mega);
}

TEST(Arena, SameRequestsFindTheSamePlaces) {
  std::mt19937 random(7);
  for (bool own : {true, false}) {
    Counter counter;
    Arena arena(own ? Allocator() : counter.allocator());
    for (int round = 0; round < 20; ++round) {
      const unsigned seed = random();
      std::vector<void *> places[2];
      size_t held[2];
      for (int pass = 0; pass < 2; ++pass) {
        std::mt19937 requests(seed);
        std::vector<void *> live;
        for (int i = 0; i < 60; ++i) {
          if (requests() % 3 == 0 && !live.empty()) {
            const size_t victim = requests() % live.size();
            arena.release(live[victim]);
            live.erase(live.begin() + long(victim));
            continue;
          }
          live.push_back(arena.allocate(requests() % (50000 * (round + 1)),
                                        size_t(64) << requests() % 7));
          ASSERT_NE(live.back(), nullptr);
          places[pass].push_back(live.back());
        }
        arena.reset();
        held[pass] = arena.held();
      }
      EXPECT_EQ(places[0], places[1]);
      EXPECT_EQ(held[0], held[1]);
    }
  }
}

TEST(Arena, ReservedMemoryHasItsPages) {
  const size_t mega = size_t(1) << 20;
  Arena arena{Allocator()};
  EXPECT_TRUE(arena.reserve(0));
  EXPECT_EQ(arena.held(), 0u);
  ASSERT_TRUE(arena.reserve(10 * mega));
  const size_t held = arena.held();
  EXPECT_GE(held, 10 * mega);
  for (int call = 0; call < 2; ++call) {
    void *a = arena.allocate(3 * mega, 64), *b = arena.allocate(6 * mega, 64);
    EXPECT_TRUE(isResident(a, 3 * mega));
    EXPECT_TRUE(isResident(b, 6 * mega));
    arena.reset();
  }
  EXPECT_EQ(arena.held(), held);
  EXPECT_FALSE(arena.reserve(SIZE_MAX / 2));
  Counter counter;
  Arena other(counter.allocator());
  ASSERT_TRUE(other.reserve(10 * mega));
  EXPECT_NE(other.allocate(9 * mega, 64), nullptr);
  EXPECT_EQ(counter.calls, 1);
}

TEST(Arena, TakesChunksWhereAddressesAreFew) {
  std::ifstream status("/proc/self/statm");
  rlim_t pages = 0;
  status >> pages;
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  rlimit few = before;
  few.rlim_cur = pages * rlim_t(sysconf(_SC_PAGESIZE)) + (rlim_t(64) << 20);
  ASSERT_EQ(setrlimit(RLIMIT_AS, &few), 0);
  {
    Arena arena{Allocator()};
    void *memory = arena.allocate(3 << 20, 64);
    EXPECT_NE(memory, nullptr);
    if (memory)
      std::memset(memory, 1, 3 << 20);
    arena.reset();
    EXPECT_EQ(arena.allocate(3 << 20, 64), memory);
  }
  EXPECT_EQ(setrlimit(RLIMIT_AS, &before), 0);
}
