//===- Memory.cpp - Memory that the host cannot touch ---------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StandIn.h"

#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

using namespace standin;

/// As the driver aligns, with a gap that shows what is out of bounds.
static constexpr size_t alignment = 256, gap = 4096;

Memory &Memory::get() {
  static Memory memory;
  return memory;
}

Memory::Memory() : bytes(size_t(setting("VORTEX_STANDIN_BYTES", 1L << 30))) {
  // Freed memory is not given out again, so the file is longer than the device.
  size_t length = bytes * 4;
  descriptor = memfd_create("standin-device", 0);
  if (descriptor < 0 || ftruncate(descriptor, off_t(length)))
    std::abort();
  wall = static_cast<char *>(
      mmap(nullptr, length, PROT_NONE, MAP_SHARED, descriptor, 0));
  door = static_cast<char *>(
      mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0));
  if (wall == MAP_FAILED || door == MAP_FAILED)
    std::abort();
}

uint64_t Memory::allocate(size_t wanted) {
  size_t used = 0;
  for (auto &block : blocks)
    used += block.second;
  if (wanted > bytes - used || next + wanted + gap > 4 * bytes)
    return 0;
  uint64_t address = begin() + next;
  std::memset(door + next, 0xff, wanted);
  next = (next + wanted + gap + alignment - 1) / alignment * alignment;
  blocks[address] = wanted;
  return address;
}

bool Memory::release(uint64_t address) { return blocks.erase(address) != 0; }

char *Memory::reach(uint64_t address, size_t wanted, const char *what) {
  auto after = blocks.upper_bound(address);
  if (after != blocks.begin()) {
    auto [start, size] = *std::prev(after);
    if (address - start <= size && wanted <= size - (address - start))
      return door + (address - begin());
  }
  complain("%s: %zu bytes at %#llx are not in one allocation", what, wanted,
           static_cast<unsigned long long>(address));
  return nullptr;
}

bool Memory::isDevice(const void *host) const {
  auto at = reinterpret_cast<uint64_t>(host);
  return at >= begin() && at < begin() + 4 * bytes;
}
