//===- DeviceArena.cpp - Scratch memory of a context on a device ----------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceArena.h"

#include <algorithm>

using namespace vortex::runtime;

/// What the driver aligns its own memory to.
static constexpr size_t memoryUnit = 256;
static constexpr size_t smallestMemory = size_t(2) << 20;

DeviceArena::~DeviceArena() {
  for (const Chunk &chunk : chunks)
    if (allocator.deallocate)
      allocator.put(chunk.memory, chunk.bytes, memoryUnit);
    else
      device->release(chunk.memory);
}

bool DeviceArena::grow(size_t bytes) noexcept {
  auto get = [&](size_t size) {
    return static_cast<char *>(allocator.allocate
                                   ? allocator.get(size, memoryUnit)
                                   : device->allocate(size));
  };
  size_t size =
      roundUp(std::max({bytes, total / 4, smallestMemory}), memoryUnit);
  try {
    chunks.reserve(chunks.size() + 1);
    blocks.push_back({nullptr, 0, true, true});
  } catch (const std::bad_alloc &) {
    return false;
  }
  char *memory = get(size);
  if (!memory && size > bytes)
    memory = get(size = bytes);
  if (!memory) {
    blocks.pop_back();
    return false;
  }
  chunks.push_back({memory, size});
  blocks.back() = {memory, size, true, true};
  total += size;
  return true;
}

void *DeviceArena::allocate(size_t bytes, size_t alignment) noexcept {
  if (bytes > SIZE_MAX / 4 || alignment > SIZE_MAX / 4)
    return nullptr;
  // Every block begins and ends at a unit; few ask for more.
  bytes = roundUp(std::max<size_t>(bytes, 1), memoryUnit);
  size_t slack = alignment > memoryUnit ? alignment : 0;
  for (bool grown = false;; grown = true) {
    for (auto block = blocks.begin(); block != blocks.end(); ++block) {
      if (!block->free)
        continue;
      auto begin = reinterpret_cast<uintptr_t>(block->begin);
      size_t skip = slack ? roundUp(begin, alignment) - begin : 0;
      if (block->bytes < bytes + skip)
        continue;
      try {
        if (skip) {
          blocks.insert(block, {block->begin, skip, true, block->first});
          block->begin += skip;
          block->bytes -= skip;
          block->first = false;
        }
        if (block->bytes > bytes)
          blocks.insert(std::next(block), {block->begin + bytes,
                                           block->bytes - bytes, true, false});
      } catch (const std::bad_alloc &) {
        return nullptr;
      }
      block->bytes = bytes;
      block->free = false;
      return block->begin;
    }
    if (grown || !grow(bytes + slack))
      return nullptr;
  }
}

void DeviceArena::release(void *memory) noexcept {
  auto block =
      std::find_if(blocks.begin(), blocks.end(), [&](const Block &candidate) {
        return candidate.begin == memory && !candidate.free;
      });
  if (block == blocks.end())
    return;
  block->free = true;
  auto next = std::next(block);
  if (next != blocks.end() && next->free && !next->first) {
    block->bytes += next->bytes;
    blocks.erase(next);
  }
  if (!block->first && std::prev(block)->free) {
    std::prev(block)->bytes += block->bytes;
    blocks.erase(block);
  }
}

void DeviceArena::reset() noexcept {
  // As many blocks as chunks, without asking for memory.
  while (blocks.size() > chunks.size())
    blocks.pop_back();
  auto block = blocks.begin();
  for (const Chunk &chunk : chunks)
    *block++ = {chunk.memory, chunk.bytes, true, true};
}
