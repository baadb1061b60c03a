//===- AmxEmulatorTest.cpp - AMX by emulation against scalar code ---------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AmxEmulator.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstring>
#include <immintrin.h>
#include <random>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
#include <vector>

#define AMX __attribute__((target("amx-tile,amx-bf16,amx-int8"), noinline))

namespace {
struct alignas(64) Config {
  uint8_t palette = 1, startRow = 0, reserved[14] = {};
  uint16_t colsb[16] = {};
  uint8_t rows[16] = {};
};

/// sums x columns words, products of groups of 4 / elements.
Config configure(int rows, int words, int columns) {
  Config config;
  config.rows[0] = config.rows[1] = rows;
  config.rows[2] = words;
  config.colsb[0] = config.colsb[2] = columns * 4;
  config.colsb[1] = words * 4;
  return config;
}

enum Product { BF16, SS, SU, US, UU };

/// c += a b by the instruction, with rows as far apart as the strides say.
AMX void multiply(Product product, const Config &config, void *c, long strideC,
                  const void *a, long strideA, const void *b, long strideB) {
  _tile_loadconfig(&config);
  _tile_loadd(0, c, strideC);
  _tile_loadd(1, a, strideA);
  _tile_stream_loadd(2, b, strideB);
  switch (product) {
  case BF16:
    _tile_dpbf16ps(0, 1, 2);
    break;
  case SS:
    _tile_dpbssd(0, 1, 2);
    break;
  case SU:
    _tile_dpbsud(0, 1, 2);
    break;
  case US:
    _tile_dpbusd(0, 1, 2);
    break;
  case UU:
    _tile_dpbuud(0, 1, 2);
    break;
  }
  _tile_stored(0, c, strideC);
  _tile_release();
}

bool hasAmx() { return __builtin_cpu_supports("amx-tile"); }

/// Where the processor has AMX, what the emulator must do is checked on it: a
/// process has to ask for the tiles' state first.
const bool allowed = [] {
  constexpr long kRequestState = 0x1023, kTileData = 18; // arch/x86 prctl.h
  return !hasAmx() || syscall(SYS_arch_prctl, kRequestState, kTileData) == 0;
}();

uint16_t narrow(float value) {
  uint32_t word;
  std::memcpy(&word, &value, 4);
  return word >> 16;
}
float widen(uint16_t bits) {
  uint32_t word = uint32_t(bits) << 16;
  float value;
  std::memcpy(&value, &word, 4);
  return value;
}
} // namespace

TEST(AmxEmulator, IntegerProductsOfAllShapesAndSigns) {
  std::mt19937 random(1);
  for (Product product : {SS, SU, US, UU})
    for (auto [rows, words, columns] : {std::tuple{1, 1, 1},
                                        {16, 16, 16},
                                        {3, 5, 7},
                                        {16, 1, 13},
                                        {2, 16, 1}}) {
      std::vector<uint8_t> a(rows * 80), b(words * 72);
      std::vector<uint32_t> c(rows * 20);
      for (uint8_t &x : a)
        x = random();
      for (uint8_t &x : b)
        x = random();
      for (uint32_t &x : c)
        x = random(); // sums wrap
      std::vector<uint32_t> want(c);
      bool signedA = product == SS || product == SU;
      bool signedB = product == SS || product == US;
      for (int m = 0; m < rows; ++m)
        for (int n = 0; n < columns; ++n)
          for (int k = 0; k < 4 * words; ++k) {
            int x = a[m * 80 + k], y = b[k / 4 * 72 + 4 * n + k % 4];
            want[m * 20 + n] +=
                (signedA ? int8_t(x) : x) * (signedB ? int8_t(y) : y);
          }
      multiply(product, configure(rows, words, columns), c.data(), 80, a.data(),
               80, b.data(), 72);
      EXPECT_EQ(c, want) << product << " " << rows << "x" << columns << "x"
                         << words;
    }
}

TEST(AmxEmulator, BF16ProductsAreSummedInTwoChains) {
  std::mt19937 random(2);
  std::normal_distribution<float> normal;
  const int rows = 5, words = 9, columns = 11;
  uint16_t a[rows][32], b[words][32];
  float c[rows][16], want[rows][16];
  for (auto &row : a)
    for (uint16_t &x : row)
      x = narrow(normal(random));
  for (auto &row : b)
    for (uint16_t &x : row)
      x = narrow(normal(random));
  for (int m = 0; m < rows; ++m)
    for (int n = 0; n < 16; ++n) {
      want[m][n] = c[m][n] = normal(random);
      if (n >= columns)
        continue;
      float sums[2] = {0, 0};
      for (int k = 0; k < words; ++k)
        for (int i : {0, 1})
          sums[i] =
              std::fma(widen(a[m][2 * k + i]), widen(b[k][2 * n + i]), sums[i]);
      want[m][n] += sums[0] + sums[1];
    }
  multiply(BF16, configure(rows, words, columns), c, 64, a, 64, b, 64);
  EXPECT_EQ(std::memcmp(c, want, sizeof c), 0);
}

TEST(AmxEmulator, BF16DenormalsAreZeroInAndOut) {
  const float tiny = std::ldexp(1.0f, -126), denormal = tiny / 2;
  auto run = [](float x, float y, float start) {
    uint16_t a[2] = {narrow(x), 0}, b[2] = {narrow(y), 0};
    float c = start;
    multiply(BF16, configure(1, 1, 1), &c, 64, a, 64, b, 64);
    return c;
  };
  EXPECT_EQ(run(denormal, 4.0f, 0.0f), 0.0f);
  EXPECT_EQ(run(tiny, 0.5f, 0.0f), 0.0f);
  EXPECT_EQ(run(tiny, 2.0f, 0.0f), 2 * tiny);
  EXPECT_EQ(run(0.0f, 0.0f, denormal), 0.0f);
  // The state of the thread is as it was.
  volatile float half = denormal;
  EXPECT_EQ(half * 1.0f, denormal);
}

AMX static void copyTile(const Config &config, const void *from, void *to) {
  _tile_loadconfig(&config);
  _tile_loadd(3, from, 64);
  _tile_stored(3, to, 64);
  _tile_zero(3);
  _tile_stored(3, static_cast<char *>(to) + 1024, 64);
  _tile_release();
}

TEST(AmxEmulator, OnlyConfiguredRowsAndBytesAreStored) {
  Config config;
  config.rows[3] = 6;
  config.colsb[3] = 20;
  uint8_t from[1024], to[2048];
  for (int i = 0; i < 1024; ++i)
    from[i] = i * 7 + 1;
  std::memset(to, 99, sizeof to);
  copyTile(config, from, to);
  for (int row = 0; row < 16; ++row)
    for (int i = 0; i < 64; ++i) {
      bool inside = row < 6 && i < 20;
      EXPECT_EQ(to[row * 64 + i], inside ? from[row * 64 + i] : 99);
      EXPECT_EQ(to[1024 + row * 64 + i], inside ? 0 : 99);
    }
}

/// Every form of address: base and index beyond the eighth register, without a
/// base, with a displacement of each size, relative to the instruction.
AMX static void addresses(const uint8_t *from, uint8_t *to) {
  static const Config config = configure(16, 16, 16);
  asm volatile("ldtilecfg %0" ::"m"(config));
  long stride = 16;
  asm volatile("movq %0, %%r13\n movq %1, %%r12\n"
               "tileloadd 0(%%r13,%%r12,4), %%tmm0\n"
               "tilestored %%tmm0, 0x400(%2,%%r12,4)\n" ::"r"(from),
               "r"(stride), "r"(to)
               : "r12", "r13", "memory");
  asm volatile("tileloadd 64(%0,%1,4), %%tmm1\n"
               "tilestored %%tmm1, -64(%2,%1,4)\n" ::"r"(from),
               "r"(stride), "r"(to + 64 + 2048)
               : "memory");
  // No index: all rows are the first.
  asm volatile("tileloadd (%0), %%tmm2\n"
               "tilestored %%tmm2, (%1,%2,4)\n" ::"r"(from),
               "r"(to + 3072), "r"(stride)
               : "memory");
  _tile_release();
}

TEST(AmxEmulator, Addresses) {
  std::vector<uint8_t> from(2048), to(4096);
  for (size_t i = 0; i < from.size(); ++i)
    from[i] = i * 31 + (i >> 8);
  addresses(from.data(), to.data());
  EXPECT_EQ(std::memcmp(&to[1024], from.data(), 1024), 0);
  EXPECT_EQ(std::memcmp(&to[2048], &from[64], 1024), 0);
  for (int row = 0; row < 16; ++row)
    EXPECT_EQ(std::memcmp(&to[3072 + row * 64], from.data(), 64), 0);
}

AMX static void roundTrip(const Config &in, Config &out, Config &released) {
  _tile_loadconfig(&in);
  _tile_storeconfig(&out);
  _tile_release();
  _tile_storeconfig(&released);
}

TEST(AmxEmulator, ConfigurationIsStoredAsLoadedAndZeroWhenReleased) {
  Config in = configure(7, 3, 9), out, released, none;
  roundTrip(in, out, released);
  EXPECT_EQ(std::memcmp(&in, &out, sizeof in), 0);
  none.palette = 0;
  EXPECT_EQ(std::memcmp(&none, &released, sizeof none), 0);
}

AMX static void load(const Config &config) { _tile_loadconfig(&config); }
AMX static void zeroWithoutConfiguration() { _tile_zero(0); }

TEST(AmxEmulatorDeathTest, FaultsSayWhy) {
  if (hasAmx())
    GTEST_SKIP() << "the processor faults itself";
  Config tall = configure(16, 16, 16), half = tall, reserved = tall,
         palette = tall;
  tall.rows[0] = 17;
  half.rows[5] = 3;
  reserved.reserved[4] = 1;
  palette.palette = 2;
  EXPECT_DEATH(load(tall), "more than 16 rows");
  EXPECT_DEATH(load(half), "rows without bytes");
  EXPECT_DEATH(load(reserved), "reserved");
  EXPECT_DEATH(load(palette), "palette");
  EXPECT_DEATH(zeroWithoutConfiguration(), "without a configuration");
  char memory[1024];
  Config shapes = configure(16, 8, 16);
  shapes.rows[2] = 9;
  EXPECT_DEATH(multiply(SS, shapes, memory, 64, memory, 64, memory, 64),
               "shapes do not match");
  EXPECT_DEATH(asm volatile("ud2"), "");
}

TEST(AmxEmulator, ThreadsHaveTheirOwnTiles) {
  if (hasAmx())
    GTEST_SKIP() << "no instruction is emulated";
  uint64_t before = vortex_amx_count("tdpbssd");
  std::vector<std::thread> threads;
  std::vector<int32_t> results(4);
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      int8_t a[4] = {int8_t(t), 1, 1, 1}, b[4] = {1, 1, 1, 1};
      for (int i = 0; i < 200; ++i)
        multiply(SS, configure(1, 1, 1), &results[t], 64, a, 64, b, 64);
    });
  for (std::thread &thread : threads)
    thread.join();
  for (int t = 0; t < 4; ++t)
    EXPECT_EQ(results[t], 200 * (t + 3));
  EXPECT_EQ(vortex_amx_count("tdpbssd") - before, 800u);
  EXPECT_EQ(vortex_amx_count("no such instruction"), 0u);
}
