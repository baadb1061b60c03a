//===- Wavefronts.cpp - Work items as contexts of one thread --------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the blocks of a grid one after the other, each of its work items until
// it waits for others, in the order of their numbers or against it: what is
// read before a barrier that is missing has then not been written in one of the
// two. Counts who waits where: a barrier that some never reach, or an exchange
// between lanes without all of the wavefront, ends the launch with a message.
//
//===----------------------------------------------------------------------===//

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include <ucontext.h>

namespace {
constexpr size_t kStackBytes = 128 << 10;

enum class State { Ready, Barrier, Exchange, Ended };

struct Item {
  ucontext_t context;
  std::unique_ptr<char[]> stack;
  State state = State::Ready;
  uint32_t given = 0, asked = 0, got = 0; ///< of an exchange
};

struct Block {
  void (*entry)(void **) = nullptr;
  void **arguments = nullptr;
  unsigned number = 0, blocks = 0, lanes = 0;
  unsigned current = 0; ///< item that runs
  std::vector<Item> items;
  ucontext_t scheduler;
};

Block *block = nullptr;
} // namespace

static void wait(State state) {
  Item &item = block->items[block->current];
  item.state = state;
  swapcontext(&item.context, &block->scheduler);
}

static void runItem() {
  block->entry(block->arguments);
  wait(State::Ended);
}

extern "C" {
uint32_t wave_thread() { return block->current; }
uint32_t wave_block() { return block->number; }
/// The hidden arguments, of which the first is the number of blocks.
void *wave_hidden() { return &block->blocks; }
uint32_t wave_lane() { return block->current % block->lanes; }
void wave_barrier() { wait(State::Barrier); }

uint32_t wave_bpermute(uint32_t address, uint32_t word) {
  Item &item = block->items[block->current];
  item.given = word;
  item.asked = address / 4;
  wait(State::Exchange);
  return item.got;
}
}

/// Lets those go on who wait for nobody any more; false when all have ended.
/// Writes to `message` when some wait for ever.
static bool release(char *message, size_t size) {
  std::vector<Item> &items = block->items;
  size_t ended = 0, waiting = 0;
  for (Item &item : items) {
    ended += item.state == State::Ended;
    waiting += item.state == State::Barrier;
  }
  if (ended == items.size())
    return false;
  bool some = false;
  for (size_t first = 0; first < items.size(); first += block->lanes) {
    size_t lanes = 0;
    for (unsigned i = 0; i < block->lanes; ++i)
      lanes += items[first + i].state == State::Exchange;
    if (lanes == block->lanes)
      for (unsigned i = 0; i < block->lanes; ++i) {
        Item &item = items[first + i];
        item.got = items[first + item.asked % block->lanes].given;
        item.state = State::Ready;
      }
    else if (lanes)
      snprintf(message, size, "%zu of %u lanes exchange values", lanes,
               block->lanes);
    some |= lanes == block->lanes;
  }
  if (waiting == items.size())
    for (Item &item : items)
      item.state = State::Ready;
  some |= waiting == items.size();
  if (!some && !*message)
    snprintf(message, size, "%zu of %zu items reach a barrier, %zu have ended",
             waiting, items.size(), ended);
  return some && !*message;
}

/// Runs a grid; 0, or 1 with `message` set. `shared` is what its blocks share,
/// which holds no numbers at their start.
extern "C" int wave_launch(void (*entry)(void **), void **arguments,
                           unsigned blocks, unsigned threads, unsigned lanes,
                           int backwards, void *shared, size_t sharedBytes,
                           char *message, size_t size) {
  Block state;
  state.entry = entry;
  state.arguments = arguments;
  state.blocks = blocks;
  state.lanes = lanes;
  state.items.resize(threads);
  for (Item &item : state.items)
    item.stack = std::make_unique<char[]>(kStackBytes);
  block = &state;
  *message = 0;
  if (threads % lanes)
    snprintf(message, size, "%u items are no whole wavefronts", threads);
  for (unsigned number = 0; number < blocks && !*message; ++number) {
    state.number = backwards ? blocks - 1 - number : number;
    if (shared)
      memset(shared, 0xff, sharedBytes);
    for (Item &item : state.items) {
      item.state = State::Ready;
      getcontext(&item.context);
      item.context.uc_stack.ss_sp = item.stack.get();
      item.context.uc_stack.ss_size = kStackBytes;
      item.context.uc_link = nullptr;
      makecontext(&item.context, runItem, 0);
    }
    do {
      for (unsigned i = 0; i < threads; ++i) {
        state.current = backwards ? threads - 1 - i : i;
        Item &item = state.items[state.current];
        if (item.state == State::Ready)
          swapcontext(&state.scheduler, &item.context);
      }
    } while (release(message, size));
  }
  block = nullptr;
  return *message != 0;
}
