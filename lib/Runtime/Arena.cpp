//===- Arena.cpp - Scratch memory of a context ----------------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arena.h"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <sys/mman.h>

using namespace vortex::runtime;

static constexpr size_t hugePage = size_t(2) << 20;
// The kernel clears a huge page in the time in which it hands out about fifty
// small ones, so from there on one is cheaper when it is first written.
static constexpr size_t smallPages = size_t(256) << 10;
static constexpr size_t smallestChunk = size_t(64) << 10;
static constexpr size_t unit = 64; // one cache line, so blocks share none

static size_t roundUp(size_t value, size_t to) {
  return (value + to - 1) & ~(to - 1);
}

void *Allocator::get(size_t bytes, size_t alignment) const {
  if (allocate)
    return allocate(user, bytes, alignment);
  void *memory = std::aligned_alloc(alignment, roundUp(bytes, alignment));
  // Only advice: without huge pages the memory is as good, but slower.
  if (memory && alignment >= hugePage)
    madvise(memory, roundUp(bytes, alignment), MADV_HUGEPAGE);
  return memory;
}

void Allocator::put(void *memory, size_t bytes, size_t alignment) const {
  if (deallocate)
    deallocate(user, memory, bytes, alignment);
  else
    std::free(memory);
}

/// Precedes every block; its last field precedes the memory handed out, which
/// lies further on when the alignment asks for it.
struct alignas(unit) Arena::Block {
  size_t bytes;           ///< header included
  Block *left, *right;    ///< neighbours in memory
  Block *previous, *next; ///< in the free list
  size_t chunk;
  Arena *owner; ///< null while free
  Block *self;
};

Arena::~Arena() {
  for (Chunk &chunk : chunks)
    if (chunk.alignment)
      allocator.put(chunk.memory, chunk.bytes, chunk.alignment);
}

void Arena::lend(void *memory, size_t bytes) {
  char *begin = reinterpret_cast<char *>(
      roundUp(reinterpret_cast<uintptr_t>(memory), unit));
  size_t lost = begin - static_cast<char *>(memory);
  if (bytes < lost + 2 * sizeof(Block))
    return;
  chunks.push_back({begin, (bytes - lost) & ~(unit - 1), 0, nullptr});
  makeWhole(chunks.back());
}

void Arena::makeWhole(Chunk &chunk) noexcept {
  auto *block = new (chunk.memory) Block();
  block->bytes = chunk.bytes;
  block->chunk = &chunk - chunks.data();
  chunk.free = block;
}

void Arena::pushFree(Block *block) noexcept {
  Block *&head = chunks[block->chunk].free;
  block->owner = nullptr;
  block->previous = nullptr;
  block->next = head;
  if (head)
    head->previous = block;
  head = block;
}

void Arena::dropFree(Block *block) noexcept {
  if (block->next)
    block->next->previous = block->previous;
  if (block->previous)
    block->previous->next = block->next;
  else
    chunks[block->chunk].free = block->next;
}

bool Arena::grow(size_t bytes) noexcept {
  // A quarter more keeps the number of chunks small, which are one chunk in
  // the next call, and what is never used as well.
  size_t size = std::max({bytes, total / 4, smallestChunk});
  size_t alignment = size > smallPages ? hugePage : 4096;
  size = roundUp(size, alignment);
  void *memory = allocator.get(size, alignment);
  if (!memory && size > bytes) {
    alignment = unit;
    size = roundUp(bytes, unit);
    memory = allocator.get(size, alignment);
  }
  if (!memory)
    return false;
  try {
    chunks.push_back({static_cast<char *>(memory), size, alignment, nullptr});
  } catch (const std::bad_alloc &) {
    allocator.put(memory, size, alignment);
    return false;
  }
  total += size;
  makeWhole(chunks.back());
  return true;
}

void *Arena::allocate(size_t bytes, size_t alignment) noexcept {
  alignment = std::max(alignment, unit);
  // Half of the address space is out of reach; this keeps the sums below exact.
  if (bytes > SIZE_MAX / 4 || alignment > SIZE_MAX / 4)
    return nullptr;
  bytes = roundUp(std::max<size_t>(bytes, 1), unit);
  used = true;
  for (size_t c = 0;; ++c) {
    if (c == chunks.size() && !grow(bytes + sizeof(Block) + alignment))
      return nullptr;
    for (Block *block = chunks[c].free; block; block = block->next) {
      auto begin = reinterpret_cast<uintptr_t>(block);
      uintptr_t payload = roundUp(begin + sizeof(Block), alignment);
      size_t used = payload - begin + bytes;
      if (used > block->bytes)
        continue;
      dropFree(block);
      if (block->bytes - used >= 2 * sizeof(Block)) {
        auto *rest = new (reinterpret_cast<char *>(block) + used) Block();
        rest->bytes = block->bytes - used;
        rest->chunk = c;
        rest->left = block;
        rest->right = block->right;
        if (rest->right)
          rest->right->left = rest;
        block->right = rest;
        block->bytes = used;
        pushFree(rest);
      }
      block->owner = this;
      reinterpret_cast<Block **>(payload)[-1] = block;
      return reinterpret_cast<void *>(payload);
    }
  }
}

void Arena::release(void *memory) noexcept {
  if (!memory)
    return;
  Block *block = static_cast<Block **>(memory)[-1];
  if (block->owner != this)
    return;
  Block *left = block->left, *right = block->right;
  if (right && !right->owner) {
    dropFree(right);
    block->bytes += right->bytes;
    block->right = right->right;
    if (block->right)
      block->right->left = block;
  }
  if (left && !left->owner) {
    dropFree(left);
    left->bytes += block->bytes;
    left->right = block->right;
    if (left->right)
      left->right->left = left;
    block = left;
  }
  pushFree(block);
}

void Arena::reset() noexcept {
  if (!used)
    return;
  used = false;
  for (Chunk &chunk : chunks)
    makeWhole(chunk);
}

void Arena::consolidate(size_t bytes) noexcept {
  if (total >= bytes && chunks.size() <= 1)
    return;
  for (Chunk &chunk : chunks)
    allocator.put(chunk.memory, chunk.bytes, chunk.alignment);
  chunks.clear();
  total = 0;
  grow(bytes);
}
