//===- Tiles.h - What the AMX instructions do -------------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tile registers of a thread and what instructions make of them: Intel SDM
// volume 1 chapter 18 and volume 2, palette 1.
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_TEST_AMX_TILES_H
#define VORTEX_TEST_AMX_TILES_H

#include <cstddef>
#include <cstdint>

namespace amx {

constexpr int kTiles = 8, kMaxRows = 16, kRowBytes = 64, kConfigBytes = 64;

struct Tile {
  int rows = 0, colsb = 0; ///< both zero: not configured
  alignas(64) uint8_t data[kMaxRows][kRowBytes] = {};
};

/// Of one thread. Operations return null, or why the processor would fault.
class TileState {
public:
  const char *loadConfig(const uint8_t *memory);
  void storeConfig(uint8_t *memory) const;
  void release();
  const char *zero(int tile);
  const char *load(int tile, const uint8_t *memory, ptrdiff_t stride);
  const char *store(int tile, uint8_t *memory, ptrdiff_t stride) const;
  /// sum += a b, of pairs of bf16.
  const char *multiplyBF16(int sum, int a, int b);
  /// sum += a b, of groups of four bytes.
  const char *multiplyBytes(int sum, int a, int b, bool signedA, bool signedB);

private:
  const char *check(int tile) const;
  const char *checkProduct(int sum, int a, int b) const;

  bool configured = false;
  int startRow = 0;
  Tile tiles[kTiles];
};

} // namespace amx

#endif // VORTEX_TEST_AMX_TILES_H
