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

// The kernel clears a huge page in the time in which it hands out about fifty
// small ones, so from there on one is cheaper when it is first written.
static constexpr size_t smallPages = size_t(256) << 10;
static constexpr size_t smallestChunk = size_t(64) << 10;
static constexpr size_t unit = 64; // one cache line, so blocks share none

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
    giveBack(chunk);
}

void Arena::giveBack(Chunk &chunk) noexcept {
  if (chunk.range.begin)
    chunk.range.close();
  else if (chunk.alignment)
    allocator.put(chunk.memory, chunk.bytes, chunk.alignment);
}

bool Arena::add(const Chunk &chunk) noexcept {
  try {
    chunks.push_back(chunk);
  } catch (const std::bad_alloc &) {
    return false;
  }
  if (chunk.alignment)
    total += chunk.bytes;
  makeWhole(chunks.back());
  return true;
}

void Arena::lend(void *memory, size_t bytes) {
  char *begin = reinterpret_cast<char *>(
      roundUp(reinterpret_cast<uintptr_t>(memory), unit));
  size_t lost = begin - static_cast<char *>(memory);
  if (bytes < lost + 2 * sizeof(Block))
    return;
  add({begin, (bytes - lost) & ~(unit - 1), 0});
}

void Arena::makeWhole(Chunk &chunk) noexcept {
  auto *block = new (chunk.memory) Block();
  block->bytes = chunk.bytes;
  block->chunk = &chunk - chunks.data();
  chunk.free = chunk.last = block;
}

/// By its address; what is free is never far away.
void Arena::insertFree(Block *block) noexcept {
  Block *before = block->left;
  while (before && before->owner)
    before = before->left;
  block->owner = nullptr;
  block->previous = before;
  Block *&next = before ? before->next : chunks[block->chunk].free;
  block->next = next;
  if (next)
    next->previous = block;
  next = block;
}

void Arena::dropFree(Block *block) noexcept {
  if (block->next)
    block->next->previous = block->previous;
  if (block->previous)
    block->previous->next = block->next;
  else
    chunks[block->chunk].free = block->next;
}

/// Where there is no other free block between the two.
void Arena::replaceFree(Block *block, Block *by) noexcept {
  by->owner = nullptr;
  by->previous = block->previous;
  by->next = block->next;
  if (by->next)
    by->next->previous = by;
  (by->previous ? by->previous->next : chunks[by->chunk].free) = by;
}

//===----------------------------------------------------------------------===//
// Growing
//===----------------------------------------------------------------------===//

/// Makes room for a block of `bytes` at the end of a chunk with a range.
bool Arena::extend(Chunk &chunk, size_t bytes) noexcept {
  size_t room = chunk.last->owner ? 0 : chunk.last->bytes;
  if (room >= bytes)
    return true;
  size_t size = std::max(bytes - room, smallestChunk);
  char *end = chunk.memory + chunk.bytes;
  bool small = chunk.bytes + size <= smallPages;
  size =
      roundUp(uintptr_t(end) + size, small ? 4096 : hugePage) - uintptr_t(end);
  if (size > size_t(chunk.range.begin + chunk.range.bytes - end) ||
      !chunk.range.commit(end, size))
    return false;
  chunk.bytes += size;
  total += size;
  if (room) {
    chunk.last->bytes += size;
    return true;
  }
  auto *block = new (end) Block();
  block->bytes = size;
  block->chunk = &chunk - chunks.data();
  block->left = chunk.last;
  chunk.last->right = block;
  chunk.last = block;
  insertFree(block);
  return true;
}

/// The C library's memory: one chunk that is last. Its small pages lie in front
/// of its huge ones.
bool Arena::growInPlace(size_t bytes) noexcept {
  if (!chunks.empty() && chunks.back().range.begin)
    return extend(chunks.back(), bytes);
  Chunk chunk{};
  chunk.range = AddressRange::open();
  if (!chunk.range.begin)
    return false;
  chunk.memory = chunk.range.begin + hugePage - smallPages;
  chunk.bytes = smallestChunk;
  chunk.alignment = 4096;
  if (bytes <= chunk.range.bytes - hugePage &&
      chunk.range.commit(chunk.memory, chunk.bytes) && add(chunk)) {
    if (extend(chunks.back(), bytes))
      return true;
    total -= chunk.bytes;
    chunks.pop_back();
  }
  chunk.range.close();
  return false;
}

bool Arena::grow(size_t bytes) noexcept {
  if (!allocator.allocate && growInPlace(bytes))
    return true;
  // A quarter more keeps the number of chunks small, and what is never used as
  // well.
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
  if (add({static_cast<char *>(memory), size, alignment}))
    return true;
  allocator.put(memory, size, alignment);
  return false;
}

void Arena::consolidate(size_t bytes) noexcept {
  if (!chunks.empty() && chunks.back().range.begin) {
    if (chunks.back().bytes >= bytes || extend(chunks.back(), bytes))
      return;
  } else if (total >= bytes && chunks.size() <= 1) {
    return;
  }
  for (Chunk &chunk : chunks)
    giveBack(chunk);
  chunks.clear();
  total = 0;
  grow(bytes);
}

bool Arena::reserve(size_t bytes) noexcept {
  if (bytes == 0)
    return true;
  if (bytes > SIZE_MAX / 4 || !grow(bytes))
    return false;
  touchPages(chunks.back().memory, chunks.back().bytes);
  return true;
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// The first block of a chunk that is large enough; null if there is none.
void *Arena::take(size_t chunk, size_t bytes, size_t alignment) noexcept {
  for (Block *block = chunks[chunk].free; block; block = block->next) {
    auto begin = reinterpret_cast<uintptr_t>(block);
    uintptr_t payload = roundUp(begin + sizeof(Block), alignment);
    size_t used = payload - begin + bytes;
    if (used > block->bytes)
      continue;
    if (block->bytes - used >= 2 * sizeof(Block)) {
      auto *rest = new (reinterpret_cast<char *>(block) + used) Block();
      rest->bytes = block->bytes - used;
      rest->chunk = chunk;
      rest->left = block;
      rest->right = block->right;
      (rest->right ? rest->right->left : chunks[chunk].last) = rest;
      block->right = rest;
      block->bytes = used;
      replaceFree(block, rest);
    } else {
      dropFree(block);
    }
    block->owner = this;
    reinterpret_cast<Block **>(payload)[-1] = block;
    return reinterpret_cast<void *>(payload);
  }
  return nullptr;
}

void *Arena::allocate(size_t bytes, size_t alignment) noexcept {
  alignment = std::max(alignment, unit);
  // Half of the address space is out of reach; this keeps the sums below exact.
  if (bytes > SIZE_MAX / 4 || alignment > SIZE_MAX / 4)
    return nullptr;
  bytes = roundUp(std::max<size_t>(bytes, 1), unit);
  used = true;
  for (size_t c = 0; c < chunks.size(); ++c)
    if (void *memory = take(c, bytes, alignment))
      return memory;
  return grow(bytes + sizeof(Block) + alignment)
             ? take(chunks.size() - 1, bytes, alignment)
             : nullptr;
}

void Arena::release(void *memory) noexcept {
  if (!memory)
    return;
  Block *block = static_cast<Block **>(memory)[-1];
  if (block->owner != this)
    return;
  // What lies beside each other and is free is one block.
  auto absorb = [this](Block *into, Block *right) {
    into->bytes += right->bytes;
    into->right = right->right;
    (into->right ? into->right->left : chunks[into->chunk].last) = into;
  };
  Block *left = block->left, *right = block->right;
  const bool freeLeft = left && !left->owner,
             freeRight = right && !right->owner;
  if (freeRight) {
    if (freeLeft)
      dropFree(right);
    else
      replaceFree(right, block);
    absorb(block, right);
  }
  if (freeLeft)
    absorb(left, block);
  else if (!freeRight)
    insertFree(block);
}

void Arena::reset() noexcept {
  if (!used)
    return;
  used = false;
  for (Chunk &chunk : chunks)
    makeWhole(chunk);
}
