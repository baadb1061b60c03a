//===- AddressRange.cpp - Addresses that become memory piece by piece -----===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AddressRange.h"

#include <cstdint>
#include <sys/mman.h>
#include <unistd.h>

using namespace vortex::runtime;

AddressRange AddressRange::open() noexcept {
  AddressRange range;
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page <= 0)
    return range;
  const size_t size = roundUp(size_t(pages) * size_t(page), hugePage);
  // Without access, so that nothing counts it as memory or fills it in.
  void *found = mmap(nullptr, size + hugePage, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (found == MAP_FAILED)
    return range;
  auto from = reinterpret_cast<uintptr_t>(found);
  const uintptr_t first = roundUp(from, hugePage);
  if (first > from)
    munmap(found, first - from);
  if (const size_t rest = from + hugePage - first)
    munmap(reinterpret_cast<void *>(first + size), rest);
  range.begin = reinterpret_cast<char *>(first);
  range.bytes = size;
  return range;
}

void AddressRange::close() noexcept {
  if (begin)
    munmap(begin, bytes);
  begin = nullptr;
}

bool AddressRange::commit(char *from, size_t size) const noexcept {
  if (mprotect(from, size, PROT_READ | PROT_WRITE))
    return false;
  // Only advice: without huge pages the memory is as good, but slower.
  auto begin = roundUp(reinterpret_cast<uintptr_t>(from), hugePage);
  const uintptr_t end =
      (reinterpret_cast<uintptr_t>(from) + size) & ~(hugePage - 1);
  if (begin < end)
    madvise(reinterpret_cast<void *>(begin), end - begin, MADV_HUGEPAGE);
  return true;
}

void vortex::runtime::touchPages(char *memory, size_t bytes) noexcept {
  constexpr size_t smallest = 4096;
  for (size_t at = 0; at < bytes; at += smallest) {
    volatile char *byte = memory + at;
    *byte = *byte;
  }
}
