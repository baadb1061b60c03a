//===- Rates.cpp - Multiply-add rates and latencies of a core -- -*- C++
//-*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each loop has enough independent accumulators to hide the latency of its
// instruction, or one for the latency itself. The empty asm hides from the
// compiler that the operands never change. Only loops whose instructions CPUID
// and XCR0 allow are run.
//
//===----------------------------------------------------------------------===//

#include "Measure.h"

#include "../Runtime/CpuFeatures.h"

#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

using namespace vortex;
using namespace vortex::probe;

#if defined(__x86_64__)

// A loop of `accumulators` times 8 instructions a round over `vector`s.
#define VORTEX_RATE_LOOP(name, isa, vector, accumulators, init, step)          \
  __attribute__((target(isa), noinline)) static void name(int64_t rounds) {    \
    vector a = init, b = init, acc[accumulators];                              \
    for (vector &value : acc)                                                  \
      value = init;                                                            \
    for (int64_t i = 0; i < rounds; ++i) {                                     \
      _Pragma("GCC unroll 8") for (int u = 0; u != 8; ++u) {                   \
        _Pragma("GCC unroll 16") for (int j = 0; j != accumulators; ++j) {     \
          asm volatile("" : "+v"(a), "+v"(b));                                 \
          acc[j] = step;                                                       \
        }                                                                      \
      }                                                                        \
    }                                                                          \
    for (vector &value : acc)                                                  \
      asm volatile("" : : "v"(value));                                         \
  }

VORTEX_RATE_LOOP(fmaF32x8, "avx2,fma", __m256, 12, _mm256_setzero_ps(),
                 _mm256_fmadd_ps(a, b, acc[j]))
VORTEX_RATE_LOOP(fmaF64x4, "avx2,fma", __m256d, 12, _mm256_setzero_pd(),
                 _mm256_fmadd_pd(a, b, acc[j]))
VORTEX_RATE_LOOP(maddI16x16, "avx2", __m256i, 12, _mm256_setzero_si256(),
                 _mm256_add_epi32(acc[j], _mm256_madd_epi16(a, b)))
VORTEX_RATE_LOOP(mulI32x8, "avx2", __m256i, 12, _mm256_setzero_si256(),
                 _mm256_add_epi32(acc[j], _mm256_mullo_epi32(a, b)))
VORTEX_RATE_LOOP(fmaF32x16, "avx512f", __m512, 16, _mm512_setzero_ps(),
                 _mm512_fmadd_ps(a, b, acc[j]))
VORTEX_RATE_LOOP(fmaF64x8, "avx512f", __m512d, 16, _mm512_setzero_pd(),
                 _mm512_fmadd_pd(a, b, acc[j]))
VORTEX_RATE_LOOP(fmaF16x32, "avx512fp16", __m512h, 16, _mm512_setzero_ph(),
                 _mm512_fmadd_ph(a, b, acc[j]))
VORTEX_RATE_LOOP(maddI16x32, "avx512bw", __m512i, 16, _mm512_setzero_si512(),
                 _mm512_add_epi32(acc[j], _mm512_madd_epi16(a, b)))
VORTEX_RATE_LOOP(mulI32x16, "avx512f", __m512i, 16, _mm512_setzero_si512(),
                 _mm512_add_epi32(acc[j], _mm512_mullo_epi32(a, b)))
VORTEX_RATE_LOOP(dotI8x64, "avx512vnni", __m512i, 16, _mm512_setzero_si512(),
                 _mm512_dpbusd_epi32(acc[j], a, b))

VORTEX_RATE_LOOP(dotBF16x32, "avx512bf16,avx512f", __m512, 16,
                 _mm512_setzero_ps(),
                 _mm512_dpbf16_ps(acc[j], (__m512bh)a, (__m512bh)b))

// With one accumulator each instruction waits for the one before.
VORTEX_RATE_LOOP(chainF32x8, "avx2,fma", __m256, 1, _mm256_setzero_ps(),
                 _mm256_fmadd_ps(a, b, acc[j]))
VORTEX_RATE_LOOP(chainF64x4, "avx2,fma", __m256d, 1, _mm256_setzero_pd(),
                 _mm256_fmadd_pd(a, b, acc[j]))
VORTEX_RATE_LOOP(chainF32x16, "avx512f", __m512, 1, _mm512_setzero_ps(),
                 _mm512_fmadd_ps(a, b, acc[j]))
VORTEX_RATE_LOOP(chainF64x8, "avx512f", __m512d, 1, _mm512_setzero_pd(),
                 _mm512_fmadd_pd(a, b, acc[j]))
VORTEX_RATE_LOOP(chainF16x32, "avx512fp16", __m512h, 1, _mm512_setzero_ph(),
                 _mm512_fmadd_ph(a, b, acc[j]))
// A product waits for none, the addition for that before.
VORTEX_RATE_LOOP(sumI32x8, "avx2", __m256i, 1, _mm256_setzero_si256(),
                 _mm256_add_epi32(acc[j], _mm256_mullo_epi32(a, b)))
VORTEX_RATE_LOOP(sumI32x16, "avx512f", __m512i, 1, _mm512_setzero_si512(),
                 _mm512_add_epi32(acc[j], _mm512_mullo_epi32(a, b)))
VORTEX_RATE_LOOP(chainI8x64, "avx512vnni", __m512i, 1, _mm512_setzero_si512(),
                 _mm512_dpbusd_epi32(acc[j], a, b))
VORTEX_RATE_LOOP(chainBF16x32, "avx512bf16,avx512f", __m512, 1,
                 _mm512_setzero_ps(),
                 _mm512_dpbf16_ps(acc[j], (__m512bh)a, (__m512bh)b))

// One palette for all: eight tiles of 16 rows of 64 bytes. Factors are numbers
// of many bits: with zeros in them a core that its power limits runs a fifth
// faster than with data (a Xeon of model 207).
__attribute__((target("amx-tile"))) static void configureTiles() {
  alignas(64) unsigned char config[64] = {1};
  for (int tile = 0; tile != 8; ++tile) {
    config[16 + 2 * tile] = 64;
    config[48 + tile] = 16;
  }
  _tile_loadconfig(config);
  alignas(64) uint16_t words[16 * 32];
  uint32_t state = 1;
  for (uint16_t &word : words) {
    state = state * 1664525u + 1013904223u; // Numerical Recipes, 2nd ed., 7.1
    word = 0x3f00 | (state >> 16 & 0x80ff); // bf16 of 0.5 to 2, either sign
  }
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  _tile_loadd(4, words, 64);
  _tile_loadd(5, words, 64);
  _tile_loadd(6, words, 64);
  _tile_loadd(7, words, 64);
}

#define VORTEX_TILE_LOOP(name, isa, products)                                  \
  __attribute__((target("amx-tile," isa), noinline)) static void name(         \
      int64_t rounds) {                                                        \
    configureTiles();                                                          \
    for (int64_t i = 0; i < rounds; ++i) {                                     \
      _Pragma("GCC unroll 8") for (int u = 0; u != 8; ++u) { products; }       \
    }                                                                          \
    _tile_release();                                                           \
  }
#define VORTEX_TILES(product)                                                  \
  product(0, 4, 6), product(1, 4, 7), product(2, 5, 6), product(3, 5, 7)

VORTEX_TILE_LOOP(tileBF16, "amx-bf16", VORTEX_TILES(_tile_dpbf16ps))
VORTEX_TILE_LOOP(tileI8, "amx-int8", VORTEX_TILES(_tile_dpbssd))
VORTEX_TILE_LOOP(tileUI8, "amx-int8", VORTEX_TILES(_tile_dpbusd))
VORTEX_TILE_LOOP(chainTileBF16, "amx-bf16", _tile_dpbf16ps(0, 4, 6))
VORTEX_TILE_LOOP(chainTileI8, "amx-int8", _tile_dpbssd(0, 4, 6))
VORTEX_TILE_LOOP(chainTileUI8, "amx-int8", _tile_dpbusd(0, 4, 6))

namespace {
struct Loop {
  const char *key, *feature;
  void (*run)(int64_t rounds);
  /// Multiplications and additions of one round, for a rate.
  double operations;
  /// Instructions of one round that wait for each other, for a latency.
  double chain = 0;

  /// Operations a nanosecond, or nanoseconds an instruction.
  double evaluate(double rounds, double seconds) const {
    return chain ? seconds * 1e9 / (rounds * chain)
                 : rounds * operations * 1e-9 / seconds;
  }
};
} // namespace

// Of several loops for one key the first whose feature is here counts.
static const Loop loops[] = {
    {"fma.f32.rate", "avx512f,avx512bw,avx512dq,avx512vl", fmaF32x16,
     8 * 16 * 16 * 2.0},
    {"fma.f32.rate", "avx2,fma", fmaF32x8, 8 * 12 * 8 * 2.0},
    // Vectors of 256 bits where those of 512 are the machine's.
    {"fma.f32.half", "avx512f,avx512bw,avx512dq,avx512vl", fmaF32x8,
     8 * 12 * 8 * 2.0},
    {"fma.f64.rate", "avx512f,avx512bw,avx512dq,avx512vl", fmaF64x8,
     8 * 16 * 8 * 2.0},
    {"fma.f64.rate", "avx2,fma", fmaF64x4, 8 * 12 * 4 * 2.0},
    {"fma.f64.half", "avx512f,avx512bw,avx512dq,avx512vl", fmaF64x4,
     8 * 12 * 4 * 2.0},
    {"fma.f16.rate", "avx512fp16", fmaF16x32, 8 * 16 * 32 * 2.0},
    {"fma.i32.rate", "avx512f,avx512bw,avx512dq,avx512vl", mulI32x16,
     8 * 16 * 16 * 2.0},
    {"fma.i32.rate", "avx2,fma", mulI32x8, 8 * 12 * 8 * 2.0},
    {"dot.bf16.rate", "avx512bf16", dotBF16x32, 8 * 16 * 32 * 2.0},
    {"dot.i16.rate", "avx512f,avx512bw,avx512dq,avx512vl", maddI16x32,
     8 * 16 * 32 * 2.0},
    {"dot.i16.rate", "avx2,fma", maddI16x16, 8 * 12 * 16 * 2.0},
    {"dot.ui8.rate", "avx512vnni", dotI8x64, 8 * 16 * 64 * 2.0},
    {"tile.bf16.rate", "amx-tile,amx-bf16", tileBF16,
     8 * 4 * 16 * 16 * 32 * 2.0},
    {"tile.i8.rate", "amx-tile,amx-int8", tileI8, 8 * 4 * 16 * 16 * 64 * 2.0},
    {"tile.ui8.rate", "amx-tile,amx-int8", tileUI8, 8 * 4 * 16 * 16 * 64 * 2.0},
    {"fma.f32.latency", "avx512f,avx512bw,avx512dq,avx512vl", chainF32x16, 0,
     8},
    {"fma.f32.latency", "avx2,fma", chainF32x8, 0, 8},
    {"fma.f64.latency", "avx512f,avx512bw,avx512dq,avx512vl", chainF64x8, 0, 8},
    {"fma.f64.latency", "avx2,fma", chainF64x4, 0, 8},
    {"fma.f16.latency", "avx512fp16", chainF16x32, 0, 8},
    {"fma.i32.latency", "avx512f,avx512bw,avx512dq,avx512vl", sumI32x16, 0, 8},
    {"fma.i32.latency", "avx2,fma", sumI32x8, 0, 8},
    {"dot.bf16.latency", "avx512bf16", chainBF16x32, 0, 8},
    {"dot.ui8.latency", "avx512vnni", chainI8x64, 0, 8},
    {"tile.bf16.latency", "amx-tile,amx-bf16", chainTileBF16, 0, 8},
    {"tile.i8.latency", "amx-tile,amx-int8", chainTileI8, 0, 8},
    {"tile.ui8.latency", "amx-tile,amx-int8", chainTileUI8, 0, 8},
};

void probe::addRates(std::vector<Step> &steps, const Topology &topology,
                     const Effort &effort) {
  for (const Loop &loop : loops) {
    if (!steps.empty() && steps.back().name == loop.key)
      continue;
    if (!runtime::missingCpuFeatures(loop.feature).empty())
      continue;
    steps.push_back({loop.key, [&loop, effort](HostParams &params) {
                       // As many rounds as a sample lasts; this also brings the
                       // clock to where it stays under such load.
                       int64_t rounds = 100;
                       double seconds = 0;
                       while (true) {
                         double begin = now();
                         loop.run(rounds);
                         seconds = now() - begin;
                         if (seconds >= effort.sampleSeconds)
                           break;
                         rounds *= 2;
                       }
                       record(params, loop.key, effort, [&]() {
                         double begin = now();
                         loop.run(rounds);
                         return loop.evaluate(double(rounds), now() - begin);
                       });
                     }});
  }
}

#else
void probe::addRates(std::vector<Step> &, const Topology &, const Effort &) {}
#endif
