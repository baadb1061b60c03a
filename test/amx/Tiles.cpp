//===- Tiles.cpp - What the AMX instructions do ---------------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tiles.h"

#include <cstring>
#include <immintrin.h>
#include <initializer_list>

using namespace amx;

// Offsets in the 64 bytes of a configuration.
enum { Palette = 0, StartRow = 1, ColumnBytes = 16, Rows = 48 };

const char *TileState::loadConfig(const uint8_t *memory) {
  if (memory[Palette] == 0) {
    release();
    return nullptr;
  }
  if (memory[Palette] != 1)
    return "ldtilecfg: a palette other than 0 and 1";
  for (int i = 2; i < ColumnBytes; ++i)
    if (memory[i])
      return "ldtilecfg: bytes 2 to 15 are reserved and must be 0";
  for (int i = ColumnBytes + 2 * kTiles; i < Rows; ++i)
    if (memory[i])
      return "ldtilecfg: row bytes of tiles that palette 1 does not have";
  for (int i = Rows + kTiles; i < kConfigBytes; ++i)
    if (memory[i])
      return "ldtilecfg: rows of tiles that palette 1 does not have";
  int rows[kTiles], colsb[kTiles];
  for (int t = 0; t < kTiles; ++t) {
    rows[t] = memory[Rows + t];
    colsb[t] = memory[ColumnBytes + 2 * t] | memory[ColumnBytes + 2 * t + 1]
                                                 << 8;
    if (rows[t] > kMaxRows || colsb[t] > kRowBytes)
      return "ldtilecfg: a tile has more than 16 rows or 64 bytes a row";
    if ((rows[t] == 0) != (colsb[t] == 0))
      return "ldtilecfg: a tile has rows without bytes or bytes without rows";
  }
  release();
  configured = true;
  startRow = memory[StartRow];
  for (int t = 0; t < kTiles; ++t) {
    tiles[t].rows = rows[t];
    tiles[t].colsb = colsb[t];
  }
  return nullptr;
}

void TileState::storeConfig(uint8_t *memory) const {
  std::memset(memory, 0, kConfigBytes);
  if (!configured)
    return;
  memory[Palette] = 1;
  memory[StartRow] = startRow;
  for (int t = 0; t < kTiles; ++t) {
    memory[ColumnBytes + 2 * t] = tiles[t].colsb;
    memory[Rows + t] = tiles[t].rows;
  }
}

void TileState::release() {
  configured = false;
  startRow = 0;
  for (Tile &tile : tiles)
    tile = Tile();
}

const char *TileState::check(int tile) const {
  if (!configured)
    return "a tile instruction without a configuration (ldtilecfg)";
  if (tile >= kTiles || tiles[tile].rows == 0)
    return "a tile that is not configured";
  return nullptr;
}

const char *TileState::zero(int tile) {
  if (const char *fault = check(tile))
    return fault;
  std::memset(tiles[tile].data, 0, sizeof tiles[tile].data);
  startRow = 0;
  return nullptr;
}

static void clearRowsFrom(Tile &tile, int row) {
  for (; row < kMaxRows; ++row)
    std::memset(tile.data[row], 0, kRowBytes);
}

const char *TileState::load(int tile, const uint8_t *memory, ptrdiff_t stride) {
  if (const char *fault = check(tile))
    return fault;
  Tile &t = tiles[tile];
  if (startRow >= t.rows)
    return "tileloadd: the start row is not one of the tile";
  for (int row = startRow; row < t.rows; ++row) {
    std::memcpy(t.data[row], memory + row * stride, t.colsb);
    std::memset(t.data[row] + t.colsb, 0, kRowBytes - t.colsb);
  }
  clearRowsFrom(t, t.rows);
  startRow = 0;
  return nullptr;
}

const char *TileState::store(int tile, uint8_t *memory,
                             ptrdiff_t stride) const {
  if (const char *fault = check(tile))
    return fault;
  const Tile &t = tiles[tile];
  if (startRow >= t.rows)
    return "tilestored: the start row is not one of the tile";
  for (int row = startRow; row < t.rows; ++row)
    std::memcpy(memory + row * stride, t.data[row], t.colsb);
  return nullptr;
}

const char *TileState::checkProduct(int sum, int a, int b) const {
  for (int tile : {sum, a, b})
    if (const char *fault = check(tile))
      return fault;
  if (sum == a || sum == b || a == b)
    return "a product whose three tiles are not different ones";
  const Tile &c = tiles[sum], &x = tiles[a], &y = tiles[b];
  if (c.colsb % 4 || x.colsb % 4 || y.colsb % 4)
    return "a product of tiles whose rows are not a multiple of 4 bytes";
  if (x.rows != c.rows || y.colsb != c.colsb || x.colsb / 4 != y.rows)
    return "a product of tiles whose shapes do not match";
  return nullptr;
}

template <typename T>
static T readAs(const Tile &tile, int row, int i) {
  T value;
  std::memcpy(&value, tile.data[row] + i * sizeof(T), sizeof(T));
  return value;
}
template <typename T>
static void writeAs(Tile &tile, int row, int i, T value) {
  std::memcpy(tile.data[row] + i * sizeof(T), &value, sizeof(T));
}

/// Rows and columns beyond those configured are zero behind every write.
static void clearBeyond(Tile &tile) {
  for (int row = 0; row < tile.rows; ++row)
    std::memset(tile.data[row] + tile.colsb, 0, kRowBytes - tile.colsb);
  clearRowsFrom(tile, tile.rows);
}

static float widen(uint16_t bits) {
  uint32_t word = uint32_t(bits) << 16;
  float value;
  std::memcpy(&value, &word, sizeof value);
  return value;
}

const char *TileState::multiplyBF16(int sum, int a, int b) {
  if (const char *fault = checkProduct(sum, a, b))
    return fault;
  // The instruction neither reads nor writes MXCSR: denormals are zero, both
  // ways, and all is rounded to nearest even, with no exception raised.
  constexpr unsigned kMaskedDazFtz = 0x9fc0;
  unsigned saved = _mm_getcsr();
  _mm_setcsr(kMaskedDazFtz);
  const Tile &x = tiles[a], &y = tiles[b];
  Tile &c = tiles[sum];
  for (int m = 0; m < c.rows; ++m) {
    // Products of first and of second elements are summed by themselves.
    float even[kRowBytes / 4] = {}, odd[kRowBytes / 4] = {};
    int columns = c.colsb / 4;
    for (int k = 0; k < x.colsb / 4; ++k) {
      float first = widen(readAs<uint16_t>(x, m, 2 * k));
      float second = widen(readAs<uint16_t>(x, m, 2 * k + 1));
      for (int n = 0; n < columns; ++n) {
        even[n] = __builtin_fmaf(first, widen(readAs<uint16_t>(y, k, 2 * n)),
                                 even[n]);
        odd[n] = __builtin_fmaf(
            second, widen(readAs<uint16_t>(y, k, 2 * n + 1)), odd[n]);
      }
    }
    for (int n = 0; n < columns; ++n) {
      float both = even[n] + odd[n];
      writeAs(c, m, n, readAs<float>(c, m, n) + both);
    }
  }
  clearBeyond(c);
  startRow = 0;
  _mm_setcsr(saved);
  return nullptr;
}

const char *TileState::multiplyBytes(int sum, int a, int b, bool signedA,
                                     bool signedB) {
  if (const char *fault = checkProduct(sum, a, b))
    return fault;
  const Tile &x = tiles[a], &y = tiles[b];
  Tile &c = tiles[sum];
  auto at = [](const Tile &tile, int row, int i, bool isSigned) -> int32_t {
    uint8_t byte = tile.data[row][i];
    return isSigned ? int32_t(int8_t(byte)) : int32_t(byte);
  };
  for (int m = 0; m < c.rows; ++m)
    for (int k = 0; k < x.colsb / 4; ++k)
      for (int n = 0; n < c.colsb / 4; ++n) {
        uint32_t total = readAs<uint32_t>(c, m, n);
        for (int i = 0; i < 4; ++i)
          total += uint32_t(at(x, m, 4 * k + i, signedA) *
                            at(y, k, 4 * n + i, signedB));
        writeAs(c, m, n, total);
      }
  clearBeyond(c);
  startRow = 0;
  return nullptr;
}
