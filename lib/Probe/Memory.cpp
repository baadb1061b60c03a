//===- Memory.cpp - Bandwidth and latency of caches and memory  -*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Measure.h"

#include "../Runtime/CpuFeatures.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <numeric>
#include <random>
#include <thread>

#include <sys/mman.h>

using namespace vortex;
using namespace vortex::probe;

static constexpr int64_t kLine = 64, kMiB = 1 << 20;

namespace {
/// Zeroed memory in huge pages where the system gives them, so that address
/// translation is not what is measured.
class Buffer {
public:
  explicit Buffer(int64_t bytes) : bytes(bytes) {
    void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
      return;
    data = static_cast<char *>(memory);
    madvise(data, bytes, MADV_HUGEPAGE);
    std::memset(data, 0, bytes);
  }
  ~Buffer() {
    if (data)
      munmap(data, bytes);
  }
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;

  char *data = nullptr;
  const int64_t bytes;
};
} // namespace

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

using ReadLoop = void (*)(const char *data, int64_t bytes);

#if defined(__x86_64__)
// Loads alone, so that no arithmetic is in the way: 1 KiB a round.
__attribute__((target("avx512f"), noinline)) static void
read512(const char *data, int64_t bytes) {
  for (const char *p = data, *end = data + bytes; p != end; p += 1024)
    asm volatile("vmovaps (%0), %%zmm0\n vmovaps 64(%0), %%zmm1\n"
                 "vmovaps 128(%0), %%zmm2\n vmovaps 192(%0), %%zmm3\n"
                 "vmovaps 256(%0), %%zmm4\n vmovaps 320(%0), %%zmm5\n"
                 "vmovaps 384(%0), %%zmm6\n vmovaps 448(%0), %%zmm7\n"
                 "vmovaps 512(%0), %%zmm0\n vmovaps 576(%0), %%zmm1\n"
                 "vmovaps 640(%0), %%zmm2\n vmovaps 704(%0), %%zmm3\n"
                 "vmovaps 768(%0), %%zmm4\n vmovaps 832(%0), %%zmm5\n"
                 "vmovaps 896(%0), %%zmm6\n vmovaps 960(%0), %%zmm7\n"
                 :
                 : "r"(p)
                 : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6",
                   "xmm7", "memory");
}

__attribute__((target("avx2"), noinline)) static void read256(const char *data,
                                                              int64_t bytes) {
  for (const char *p = data, *end = data + bytes; p != end; p += 256)
    asm volatile("vmovaps (%0), %%ymm0\n vmovaps 32(%0), %%ymm1\n"
                 "vmovaps 64(%0), %%ymm2\n vmovaps 96(%0), %%ymm3\n"
                 "vmovaps 128(%0), %%ymm4\n vmovaps 160(%0), %%ymm5\n"
                 "vmovaps 192(%0), %%ymm6\n vmovaps 224(%0), %%ymm7\n"
                 :
                 : "r"(p)
                 : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6",
                   "xmm7", "memory");
}

static ReadLoop getReadLoop() {
  if (runtime::missingCpuFeatures("avx512f").empty())
    return read512;
  return runtime::missingCpuFeatures("avx2").empty() ? read256 : nullptr;
}
#else
static ReadLoop getReadLoop() { return nullptr; }
#endif

/// Reads as tiles do that request the next panel while they read this one.
__attribute__((noinline)) static void readTouched(const char *data,
                                                  int64_t bytes) {
  constexpr int64_t kAhead = 256 << 10;
  for (const char *p = data, *end = data + bytes; p != end; p += kLine) {
    __builtin_prefetch(p + kAhead, /*rw=*/0, /*locality=*/2);
    // One load brings a line, of whatever width.
    uint64_t word = *reinterpret_cast<const uint64_t *>(p);
    asm volatile("" : : "r"(word));
  }
}

__attribute__((noinline)) static void triad(float *a, const float *b,
                                            const float *c, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    a[i] = b[i] + 3.0f * c[i];
}

//===----------------------------------------------------------------------===//
// Bandwidth
//===----------------------------------------------------------------------===//

/// GB/s of `work`, which moves `bytes` on each thread, run at the same time on
/// one thread of each of `cores`, `repeats` times. Each thread's own time
/// counts, so a thread that was started late does not.
static double measureTogether(const std::vector<unsigned> &cores, double bytes,
                              int64_t repeats,
                              const std::function<void(size_t)> &work) {
  std::atomic<size_t> ready{0};
  std::vector<double> rates(cores.size());
  auto body = [&](size_t index) {
    ready.fetch_add(1);
    while (ready.load() != cores.size())
      std::this_thread::yield();
    double begin = now();
    for (int64_t i = 0; i != repeats; ++i)
      work(index);
    rates[index] = bytes * repeats / (now() - begin) * 1e-9;
  };
  std::vector<std::thread> threads;
  for (size_t i = 1; i < cores.size(); ++i)
    threads.emplace_back([&, i]() {
      pinThread(cores[i]);
      body(i);
    });
  body(0);
  for (std::thread &thread : threads)
    thread.join();
  return std::accumulate(rates.begin(), rates.end(), 0.0);
}

/// Records `key` as what `cores` read together by `read`, each from its own
/// `bytes`.
static void recordRead(HostParams &params, const std::string &key,
                       const std::vector<unsigned> &cores, int64_t bytes,
                       const Effort &effort, ReadLoop read = getReadLoop()) {
  bytes = std::max<int64_t>(bytes / 1024 * 1024, 4096);
  std::vector<std::unique_ptr<Buffer>> buffers;
  for (size_t i = 0; i != cores.size(); ++i) {
    buffers.push_back(std::make_unique<Buffer>(bytes));
    if (!buffers.back()->data)
      return;
  }
  auto work = [&](size_t index) { read(buffers[index]->data, bytes); };
  work(0);
  double once = bytes / measureTogether({cores[0]}, bytes, 1, work) * 1e-9;
  int64_t repeats = std::max<int64_t>(1, effort.sampleSeconds / once);
  record(params, key, effort,
         [&]() { return measureTogether(cores, bytes, repeats, work); });
}

/// Streams of one core and of all; what all read is not less than what one
/// reads, or one of the two was disturbed.
static void recordShared(HostParams &params, const std::string &level,
                         const Topology &topology, int64_t bytesAlone,
                         int64_t bytesTogether, const Effort &effort) {
  recordRead(params, level + ".stream", {topology.cores[0]}, bytesAlone,
             effort);
  recordRead(params, level + ".bandwidth", topology.cores,
             bytesTogether / topology.cores.size(), effort);
  if (!params.numbers.count(level + ".stream"))
    return;
  double &all = params.numbers[level + ".bandwidth"];
  all = std::max(all, params.numbers[level + ".stream"]);
}

/// What of the last level this process gets, which may be far less than the
/// processor has: half of `l3.capacity` is read at nine tenths of `l3.stream`.
static void recordLastLevel(HostParams &params, const Topology &topology,
                            int64_t mostBytes, const Effort &effort) {
  auto stream = params.numbers.find("l3.stream");
  if (stream == params.numbers.end())
    return;
  int64_t capacity = topology.l3Bytes;
  for (; capacity > 8 * topology.l2Bytes; capacity = capacity * 3 / 4) {
    if (capacity / 2 > mostBytes)
      continue;
    HostParams read;
    recordRead(read, "read", {topology.cores[0]}, capacity / 2, effort);
    if (read.numbers.count("read") &&
        read.numbers["read"] >= 0.9 * stream->second)
      break;
  }
  params.numbers["l3.capacity"] = double(capacity);
}

//===----------------------------------------------------------------------===//
// Latency
//===----------------------------------------------------------------------===//

/// Records `key` as nanoseconds of one load whose address the load before gave,
/// over the lines of a buffer in random order.
static void recordLatency(HostParams &params, const std::string &key,
                          int64_t bytes, const Effort &effort) {
  Buffer buffer(std::max(bytes, 16 * kLine));
  if (!buffer.data)
    return;
  std::vector<uint32_t> order(buffer.bytes / kLine);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin() + 1, order.end(), std::mt19937(1));
  auto line = [&](size_t i) {
    return reinterpret_cast<char **>(buffer.data + order[i] * kLine);
  };
  for (size_t i = 0; i != order.size(); ++i)
    *line(i) = reinterpret_cast<char *>(line((i + 1) % order.size()));
  char *position = buffer.data;
  auto chase = [&](int64_t steps) {
    for (int64_t i = 0; i != steps; ++i)
      position = *reinterpret_cast<char **>(position);
    asm volatile("" : "+r"(position));
  };
  // One turn brings a small buffer into its cache.
  chase(std::min<int64_t>(order.size(), 1 << 18));
  double begin = now();
  chase(4096);
  double each = std::max((now() - begin) / 4096, 1e-10);
  int64_t steps = std::max<int64_t>(4096, effort.sampleSeconds / each);
  record(params, key, effort, [&]() {
    double begin = now();
    chase(steps);
    return (now() - begin) / steps * 1e9;
  });
}

void probe::addMemory(std::vector<Step> &steps, const Topology &topology,
                      const Effort &effort) {
  if (!getReadLoop())
    return;
  unsigned first = topology.cores[0];
  auto addPrivate = [&](const std::string &level, int64_t bytes) {
    steps.push_back({level + " bandwidth", [=](HostParams &params) {
                       recordRead(params, level + ".bandwidth", {first}, bytes,
                                  effort);
                     }});
    steps.push_back({level + " latency", [=](HostParams &params) {
                       recordLatency(params, level + ".latency", bytes, effort);
                     }});
  };
  auto addShared = [&](const std::string &level, int64_t alone,
                       int64_t together, int64_t chased) {
    steps.push_back({level + " bandwidth", [=](HostParams &params) {
                       recordShared(params, level, topology, alone, together,
                                    effort);
                     }});
    steps.push_back({level + " latency", [=](HostParams &params) {
                       recordLatency(params, level + ".latency", chased,
                                     effort);
                     }});
  };
  // Half of a cache leaves room for what else lives in it.
  if (topology.l1Bytes > 0)
    addPrivate("l1", topology.l1Bytes / 2);
  if (topology.l2Bytes > 0)
    addPrivate("l2", topology.l2Bytes / 2);
  int64_t inner = topology.l2Bytes * int64_t(topology.cores.size());
  if (topology.l3Bytes > 2 * topology.l2Bytes) {
    // Beyond the second level, and little of the third, of which a virtual
    // machine may have a part: how much is another number.
    int64_t alone = std::min(4 * topology.l2Bytes, topology.l3Bytes);
    int64_t together = std::max(alone, std::min(4 * inner, topology.l3Bytes));
    // Latency on no more than the second level does not hold: a larger buffer
    // in small pages measures address translation.
    addShared("l3", alone, together, alone);
  }
  int64_t memory = std::max(4 * topology.l3Bytes, 256 * kMiB);
  memory = std::min({memory, 1024 * kMiB, topology.memoryBytes / 8});
  addShared("device", memory, memory, memory);
  auto addTouched = [&](const std::string &level, int64_t bytes) {
    steps.push_back(
        {level + " touched", [=](HostParams &params) {
           std::string key = level + ".touched";
           recordRead(params, key, {first}, bytes, effort, readTouched);
           auto touched = params.numbers.find(key);
           auto all = params.numbers.find(level + ".bandwidth");
           if (touched != params.numbers.end() && all != params.numbers.end())
             touched->second = std::min(touched->second, all->second);
         }});
  };
  addTouched("device", memory);
  if (topology.l3Bytes > 2 * topology.l2Bytes) {
    addTouched("l3", std::min(4 * topology.l2Bytes, topology.l3Bytes));
    steps.push_back({"l3 capacity", [=](HostParams &params) {
                       recordLastLevel(params, topology, memory, effort);
                     }});
  }
  steps.push_back({"device triad", [=](HostParams &params) {
                     int64_t bytes = memory / 3 / kLine * kLine;
                     Buffer a(bytes), b(bytes), c(bytes);
                     if (!a.data || !b.data || !c.data)
                       return;
                     record(params, "device.triad", effort, [&]() {
                       double begin = now();
                       triad(reinterpret_cast<float *>(a.data),
                             reinterpret_cast<float *>(b.data),
                             reinterpret_cast<float *>(c.data), bytes / 4);
                       return 3.0 * bytes / (now() - begin) * 1e-9;
                     });
                   }});
}
