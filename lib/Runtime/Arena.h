//===- Arena.h - Scratch memory of a context --------------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_LIB_RUNTIME_ARENA_H
#define VORTEX_LIB_RUNTIME_ARENA_H

#include "AddressRange.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace vortex {
namespace runtime {

/// Where memory comes from: the caller's functions or the C library.
struct Allocator {
  void *(*allocate)(void *user, size_t bytes, size_t alignment) = nullptr;
  void (*deallocate)(void *user, void *memory, size_t bytes,
                     size_t alignment) = nullptr;
  void *user = nullptr;

  /// Null when there is no memory. From 2 MiB on, the C library's memory is
  /// aligned to huge pages and asks for them.
  void *get(size_t bytes, size_t alignment) const;
  void put(void *memory, size_t bytes, size_t alignment) const;
};

/// Memory for one thread of one call after another: what is needed most is
/// kept. Of the C library's, it is one piece that grows where it is, within a
/// range of addresses as large as the machine's memory: a larger call pays for
/// what it needs more, and nothing that an earlier one wrote is given up.
/// Beyond the first 256 KiB it is whole huge pages. Of a caller's functions it
/// is chunks. `reset` frees all blocks at once. A block lies at the lowest
/// address that fits, so the same sequence of requests after a reset always
/// finds the same places, and a repeated call never grows. Not safe for use by
/// two threads at once.
class Arena {
public:
  explicit Arena(const Allocator &allocator) : allocator(allocator) {}
  ~Arena();
  Arena(const Arena &) = delete;
  Arena &operator=(const Arena &) = delete;

  /// Lends the arena memory to use first; it is not freed.
  void lend(void *memory, size_t bytes);

  /// `alignment` is a power of two. Null when there is no memory.
  void *allocate(size_t bytes, size_t alignment) noexcept;
  /// Ignores memory of another arena: that is freed by its own reset.
  void release(void *memory) noexcept;
  /// Frees all blocks.
  void reset() noexcept;
  /// Whether there was a block since the last reset.
  bool isUsed() const { return used; }
  /// After a reset: holds one chunk of at least `bytes`, so that whatever fits
  /// an arena that holds as much fits this one.
  void consolidate(size_t bytes) noexcept;
  /// Before the first block: holds one chunk of `bytes` that has been written
  /// to, so that the pages are there. False when there is no memory.
  bool reserve(size_t bytes) noexcept;
  /// Bytes held from the allocator; pages that nobody wrote to are none yet.
  size_t held() const { return total; }

private:
  struct Block;
  struct Chunk {
    char *memory;
    size_t bytes, alignment; ///< alignment 0: lent
    Block *free = nullptr;   ///< list, lowest address first
    Block *last = nullptr;   ///< at the end of the chunk
    AddressRange range = {}; ///< what it grows in; none: it does not
  };
  bool grow(size_t bytes) noexcept;
  bool extend(Chunk &chunk, size_t bytes) noexcept;
  bool growInPlace(size_t bytes) noexcept;
  bool add(const Chunk &chunk) noexcept;
  void giveBack(Chunk &chunk) noexcept;
  void *take(size_t chunk, size_t bytes, size_t alignment) noexcept;
  void makeWhole(Chunk &chunk) noexcept;
  void insertFree(Block *block) noexcept;
  void dropFree(Block *block) noexcept;
  void replaceFree(Block *block, Block *by) noexcept;

  Allocator allocator;
  std::vector<Chunk> chunks;
  size_t total = 0;
  bool used = false; ///< since the last reset
};

} // namespace runtime
} // namespace vortex

#endif // VORTEX_LIB_RUNTIME_ARENA_H
