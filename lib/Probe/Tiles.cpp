//===- Tiles.cpp - What a register tile takes beside its products - C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiles of f32 as the compiler makes them, whose sums take half of the
// registers: rows of the result are requested before the first step and written
// behind the last, their ends through masks or in parts. With a single step
// next to all of their time is what a tile takes to start and to end; the time
// of its products, a few cycles, is within what differs from kernel to kernel.
// With many steps, and each row of B in a page of its own, they take longer
// than with rows one behind the other by what finding the pages takes. Panel
// after panel out of a cache or memory, they take longer than the longer of
// arithmetic and transfer by what the machine's own prefetchers do not hide.
//
//===----------------------------------------------------------------------===//

#include "Measure.h"

#include "../Runtime/CpuFeatures.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

using namespace vortex;
using namespace vortex::probe;

#if defined(__x86_64__)

namespace {
/// C[rows, columns] = A[rows, steps] B[steps, columns], rows of B `apart`
/// elements from each other, all row-major and in L1 or L2.
struct Product {
  const float *a, *b;
  float *c;
  int64_t rows, columns, steps, apart;
};
} // namespace

// One pass over the tiles of a product, `high` rows by two vectors each. The
// compiler knows no size, as it knows none of a program's.
#define VORTEX_TILE_PASS(name, isa, high, lanes, vector, set, broadcast, load, \
                         madd, masktype, mask, store)                          \
  __attribute__((target(isa), noinline)) static void name(const Product &p) {  \
    for (int64_t j = 0; j < p.columns; j += 2 * lanes) {                       \
      masktype first = mask(p.columns - j),                                    \
               last = mask(p.columns - j - lanes);                             \
      for (int64_t i = 0; i + high <= p.rows; i += high) {                     \
        const float *a = p.a + i * p.steps, *b = p.b + j;                      \
        float *c = p.c + i * p.columns + j;                                    \
        vector sums[high][2];                                                  \
        _Pragma("GCC unroll 8") for (int r = 0; r != high; ++r) {              \
          sums[r][0] = sums[r][1] = set();                                     \
          __builtin_prefetch(c + r * p.columns, 1);                            \
        }                                                                      \
        for (int64_t k = 0; k != p.steps; ++k, b += p.apart) {                 \
          vector x = load(b), y = load(b + lanes);                             \
          _Pragma("GCC unroll 8") for (int r = 0; r != high; ++r) {            \
            vector each = broadcast(a[r * p.steps + k]);                       \
            sums[r][0] = madd(each, x, sums[r][0]);                            \
            sums[r][1] = madd(each, y, sums[r][1]);                            \
          }                                                                    \
        }                                                                      \
        _Pragma("GCC unroll 8") for (int r = 0; r != high; ++r) {              \
          store(c + r * p.columns, first, sums[r][0]);                         \
          store(c + r * p.columns + lanes, last, sums[r][1]);                  \
        }                                                                      \
      }                                                                        \
    }                                                                          \
  }

/// The first `left` of 16 lanes.
static __mmask16 maskOf16(int64_t left) {
  return left >= 16 ? 0xffff : left <= 0 ? 0 : (1 << left) - 1;
}

/// Without mask registers lanes are counted and stored in parts.
__attribute__((target("avx2"))) static inline void
storeOf8(float *to, int64_t count, __m256 value) {
  if (count >= 8)
    return _mm256_storeu_ps(to, value);
  __m128 rest = _mm256_castps256_ps128(value);
  if (count & 4) {
    _mm_storeu_ps(to, rest);
    rest = _mm256_extractf128_ps(value, 1);
  }
  if (count & 2) {
    _mm_storel_pi(reinterpret_cast<__m64 *>(to + (count & 4)), rest);
    rest = _mm_movehl_ps(rest, rest);
  }
  if (count & 1)
    _mm_store_ss(to + (count & 6), rest);
}

VORTEX_TILE_PASS(tiles16, "avx512f", 8, 16, __m512, _mm512_setzero_ps,
                 _mm512_set1_ps, _mm512_loadu_ps, _mm512_fmadd_ps, __mmask16,
                 maskOf16, _mm512_mask_storeu_ps)
VORTEX_TILE_PASS(tiles8, "avx2,fma", 4, 8, __m256, _mm256_setzero_ps,
                 _mm256_set1_ps, _mm256_loadu_ps, _mm256_fmadd_ps, int64_t,
                 int64_t, storeOf8)

namespace {
struct Pass {
  const char *feature;
  void (*run)(const Product &product);
  int64_t high, wide; ///< rows and columns of a tile
};
} // namespace

// The first whose feature is here counts.
static const Pass passes[] = {
    {"avx512f,avx512bw,avx512dq,avx512vl", tiles16, 8, 32},
    {"avx2,fma", tiles8, 4, 16},
};

/// Nanoseconds of one of `turns` times the product.
static double timeOf(const Pass &pass, Product product, int64_t turns) {
  asm volatile("" : "+m"(product));
  double begin = now();
  for (int64_t i = 0; i != turns; ++i)
    pass.run(product);
  return (now() - begin) * 1e9 / double(turns);
}

/// How many turns a sample of `effort` lasts.
static int64_t countTurns(const Pass &pass, const Product &product,
                          const Effort &effort) {
  int64_t turns = 16;
  while (timeOf(pass, product, turns) * turns < effort.sampleSeconds * 1e9)
    turns *= 2;
  return turns;
}

static void recordStartup(const Pass &pass, HostParams &params,
                          const Effort &effort) {
  // Rows no power of two apart: neighbours do not share sets.
  constexpr int64_t across = 3, along = 4;
  alignas(64) static float a[64], b[128], c[4096];
  int64_t columns = across * pass.wide;
  Product product = {a, b, c, along * pass.high, columns, 1, columns};
  int64_t turns = countTurns(pass, product, effort);
  record(params, "register.startup", effort,
         [&]() { return timeOf(pass, product, turns) / (across * along); });
}

namespace {
/// One tile of `steps` rows of B that are `apart` elements from each other.
class RowsApart {
public:
  RowsApart(const Pass &pass, int64_t steps, int64_t apart,
            const Effort &effort)
      : pass(pass), a(pass.high * steps), b(steps * apart),
        c(pass.high * pass.wide),
        spread{a.data(),  b.data(), c.data(), pass.high,
               pass.wide, steps,    apart},
        dense(spread) {
    dense.apart = pass.wide;
    turns = countTurns(pass, spread, effort);
  }
  /// Nanoseconds of a step with rows one behind the other, and what it takes
  /// longer with these.
  std::pair<double, double> time() {
    double step = timeOf(pass, dense, turns) / double(dense.steps);
    return {step, timeOf(pass, spread, turns) / double(spread.steps) - step};
  }

private:
  const Pass &pass;
  std::vector<float> a, b, c;
  Product spread, dense;
  int64_t turns;
};
} // namespace

/// What a step waits longer for its row where pages are not those used last.
/// Steps hide the more of a wait the longer they take: of a wait w beside a
/// step s shows w^2 / s at most.
static void recordTranslation(const Pass &pass, HostParams &params,
                              const Effort &effort) {
  // More pages than the first level of any machine's buffer holds, whose lines
  // lie in different sets.
  constexpr int64_t pages = 256, page = 4096 / sizeof(float);
  int64_t apart = page + pass.wide;
  RowsApart rows(pass, pages, apart, effort);
  probe::record(params, "l1.translation", effort, [&]() {
    auto [step, more] = rows.time();
    return std::max({more, std::sqrt(std::max(more, 0.0) * step), 0.01});
  });
}

void probe::addTiles(std::vector<Step> &steps, const Effort &effort) {
  for (const Pass &pass : passes) {
    if (!runtime::missingCpuFeatures(pass.feature).empty())
      continue;
    auto add = [&](const char *name, auto recordIt) {
      steps.push_back({name, [&pass, effort, recordIt](HostParams &params) {
                         recordIt(pass, params, effort);
                       }});
    };
    add("start of a register tile", recordStartup);
    add("translation of addresses", recordTranslation);
    return;
  }
}

/// Panels of a buffer one behind the other, each read once by one tile, as
/// weights are that every call reads. `between` other bytes go first: some
/// caches keep what is read again only when it was requested early, and then a
/// panel comes from further away, however often it was read. Others take a few
/// passes to keep all of it (Zen 3: the third still comes from memory; a Xeon
/// of model 207: the second, whose share was 0.5 to 4.2 from one run to the
/// next, where the ninth's is 0.24 to 0.28).
static void recordExposed(const Pass &pass, HostParams &params,
                          const std::string &level, int64_t bytes,
                          int64_t between, const Effort &effort) {
  auto stream = params.numbers.find(level + ".stream");
  if (stream == params.numbers.end() || stream->second <= 0)
    return;
  // Of a cache, what this process gets of it.
  auto capacity = params.numbers.find(level + ".capacity");
  if (between && capacity != params.numbers.end())
    bytes = std::min(bytes, int64_t(capacity->second / 2));
  constexpr int64_t steps = 256, line = 64 / sizeof(float);
  constexpr int passesBefore = 8;
  int64_t elements = steps * pass.wide, panels = bytes / 4 / elements;
  if (panels < 1)
    return;
  // Panels start where lines do.
  std::vector<float> a(pass.high * steps), memory(panels * elements + line),
      c(pass.high * pass.wide), others(between / sizeof(float));
  uintptr_t start = reinterpret_cast<uintptr_t>(memory.data());
  const float *b = memory.data() + (-start % 64) / sizeof(float);
  Product one = {a.data(), b, c.data(), pass.high, pass.wide, steps, pass.wide};
  int64_t turns = countTurns(pass, one, effort);
  double core = timeOf(pass, one, turns);
  double transfer = double(elements) * sizeof(float) / stream->second;
  auto read = [&]() {
    double begin = now();
    for (int64_t i = 0; i != panels; ++i) {
      Product product = one;
      product.b = b + i * elements;
      asm volatile("" : "+m"(product));
      pass.run(product);
    }
    return (now() - begin) * 1e9 / double(panels);
  };
  record(params, level + ".exposed", effort, [&]() {
    float sum = 0;
    for (size_t i = 0; i < others.size(); i += line)
      sum += others[i];
    asm volatile("" : : "x"(sum));
    for (int i = 0; between && i != passesBefore; ++i)
      read();
    double more = read() - std::max(core, transfer);
    return std::max(more / std::min(core, transfer), 0.01);
  });
}

/// A panel in place whose rows share a few sets of L2, so that its lines come
/// from the last level each time. Not known yet with vectors of 64 bytes: costs
/// were fitted without it there.
static void recordScattered(const Pass &pass, HostParams &params,
                            const Effort &effort) {
  if (pass.wide > 16)
    return;
  RowsApart rows(pass, /*steps=*/512, /*apart=*/4096 / sizeof(float), effort);
  record(params, "l3.scattered", effort,
         [&]() { return std::max(rows.time().second, 0.01); });
}

void probe::addPanels(std::vector<Step> &steps, const Topology &topology,
                      const Effort &effort) {
  for (const Pass &pass : passes) {
    if (!runtime::missingCpuFeatures(pass.feature).empty())
      continue;
    auto add = [&](const char *level, int64_t bytes, int64_t between) {
      steps.push_back(
          {std::string("panels from ") + level,
           [&pass, level, bytes, between, effort](HostParams &params) {
             recordExposed(pass, params, level, bytes, between, effort);
           }});
    };
    int64_t most = topology.memoryBytes / 8;
    if (topology.l3Bytes > 2 * topology.l2Bytes) {
      steps.push_back(
          {"rows in place from l3", [&pass, effort](HostParams &params) {
             recordScattered(pass, params, effort);
           }});
      add("l3",
          std::min(topology.l3Bytes / 2,
                   std::max<int64_t>(4 * topology.l2Bytes, 16 << 20)),
          std::min(std::max<int64_t>(topology.l3Bytes, 64 << 20), most));
    }
    add("device",
        std::min(std::max<int64_t>(topology.l3Bytes, 256 << 20), most),
        /*between=*/0);
    return;
  }
}

#else
void probe::addTiles(std::vector<Step> &, const Effort &) {}
void probe::addPanels(std::vector<Step> &, const Topology &, const Effort &) {}
#endif
