//===- DeviceArena.h - Scratch memory of a context on a device --*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_LIB_RUNTIME_DEVICEARENA_H
#define VORTEX_LIB_RUNTIME_DEVICEARENA_H

#include "Arena.h"
#include "CudaDevice.h"

#include <list>

namespace vortex {
namespace runtime {

/// As Arena, with the book-keeping apart from the memory, which the host cannot
/// touch. All work is in one stream, so what is released may be given to work
/// that comes later.
class DeviceArena {
public:
  /// `allocator` may have functions of the caller's, else the device's.
  DeviceArena(std::shared_ptr<CudaDevice> device, const Allocator &allocator)
      : device(std::move(device)), allocator(allocator) {}
  ~DeviceArena();
  DeviceArena(const DeviceArena &) = delete;

  /// Null when there is no memory.
  void *allocate(size_t bytes, size_t alignment) noexcept;
  /// Ignores what is not the arena's.
  void release(void *memory) noexcept;
  /// Frees all blocks. The same requests then find the same places.
  void reset() noexcept;
  size_t held() const { return total; }

private:
  struct Block {
    char *begin;
    size_t bytes;
    bool free, first; ///< first of a chunk
  };
  bool grow(size_t bytes) noexcept;

  std::shared_ptr<CudaDevice> device;
  Allocator allocator;
  struct Chunk {
    char *memory;
    size_t bytes;
  };
  std::vector<Chunk> chunks;
  std::list<Block> blocks; ///< in the order of memory, chunk by chunk
  size_t total = 0;
};

} // namespace runtime
} // namespace vortex

#endif // VORTEX_LIB_RUNTIME_DEVICEARENA_H
