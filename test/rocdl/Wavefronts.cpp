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
// between lanes or a product of matrices without all of the wavefront, ends the
// launch with a message.
//
// Where lanes have the elements of a product is as the AMD matrix instruction
// calculator prints it ("Register to matrix element mapping with no
// modifiers").
//
//===----------------------------------------------------------------------===//

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include <ucontext.h>

#if defined(__x86_64__)
#include <emmintrin.h>

/// What LLVM calls for device code in bf16 on a processor without instructions
/// for it, and compiler run times of some age lack. Results are in the lowest
/// bits of the register that a vector is returned in.
extern "C" __m128 __truncsfbf2(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  uint32_t rounded = std::isnan(value)
                         ? (bits >> 16) | 0x40
                         : (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  return _mm_castsi128_ps(_mm_cvtsi32_si128(int(rounded)));
}
#endif

namespace {
constexpr size_t kStackBytes = 128 << 10;

enum class State { Ready, Barrier, Exchange, Product, Ended };

/// Elements of A and B; sums are f32, of I8 i32, of F64 f64.
enum class Factor { F16, BF16, F32, XF32, F64, I8 };
constexpr size_t kFactorBytes[] = {2, 2, 4, 4, 8, 1};

/// An `mfma` and the registers of a lane for it.
struct Product {
  int edge = 0, depth = 0;
  Factor factor = Factor::F16;
  const char *a = nullptr, *b = nullptr;
  char *sums = nullptr; ///< read, and written
};

struct Item {
  ucontext_t context;
  std::unique_ptr<char[]> stack;
  State state = State::Ready;
  uint32_t given = 0, asked = 0, got = 0; ///< of an exchange
  Product product;
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

void wave_mfma(int edge, int depth, int factor, const void *a, const void *b,
               void *sums) {
  block->items[block->current].product = {edge,
                                          depth,
                                          static_cast<Factor>(factor),
                                          static_cast<const char *>(a),
                                          static_cast<const char *>(b),
                                          static_cast<char *>(sums)};
  wait(State::Product);
}
}

static double readHalf(uint16_t bits) {
  int exponent = bits >> 10 & 31, mantissa = bits & 1023;
  double value = exponent == 31 ? (mantissa ? NAN : INFINITY)
                 : exponent     ? std::ldexp(1024 + mantissa, exponent - 25)
                                : std::ldexp(mantissa, -24);
  return bits >> 15 ? -value : value;
}

static double readSingle(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

template <typename T>
static T readAs(const char *from) {
  T value;
  memcpy(&value, from, sizeof value);
  return value;
}

static double readFactor(Factor factor, const char *from) {
  switch (factor) {
  case Factor::F16:
    return readHalf(readAs<uint16_t>(from));
  case Factor::BF16:
    return readSingle(uint32_t(readAs<uint16_t>(from)) << 16);
  case Factor::F32:
    return readAs<float>(from);
  case Factor::XF32: // the upper 19 bits
    return readSingle(readAs<uint32_t>(from) & 0xffffe000);
  case Factor::F64:
    return readAs<double>(from);
  case Factor::I8:
    return readAs<int8_t>(from);
  }
  return 0;
}

/// The sums of a wavefront whose first lane is `items`, all of whose lanes have
/// come to the same product.
static void multiply(Item *items, unsigned lanes) {
  const Product &shape = items[0].product;
  int edge = shape.edge, depth = shape.depth;
  size_t bytes = kFactorBytes[static_cast<int>(shape.factor)];
  // Steps that a lane has: GPR_num and GPR_bits count through them.
  int run = edge * depth / static_cast<int>(lanes);
  std::vector<double> a(edge * depth), b(edge * depth);
  for (unsigned lane = 0; lane < lanes; ++lane)
    for (int e = 0; e < run; ++e) {
      int line = lane % edge, k = run * (lane / edge) + e;
      const Product &own = items[lane].product;
      a[line * depth + k] = readFactor(shape.factor, own.a + e * bytes);
      b[line * depth + k] = readFactor(shape.factor, own.b + e * bytes);
    }
  bool wide = shape.factor == Factor::F64;
  for (unsigned lane = 0; lane < lanes; ++lane)
    for (int e = 0; e < edge * edge / static_cast<int>(lanes); ++e) {
      int j = lane % edge;
      int i = wide         ? 4 * e + lane / 16
              : edge == 16 ? 4 * (lane / 16) + e % 4
                           : 8 * (e / 4) % 32 + 4 * (lane / 32) + e % 4;
      double sum = 0;
      for (int k = 0; k < depth; ++k)
        sum += a[i * depth + k] * b[j * depth + k];
      char *at = items[lane].product.sums + e * (wide ? 8 : 4);
      if (wide) {
        sum += readAs<double>(at);
        memcpy(at, &sum, 8);
      } else if (shape.factor == Factor::I8) {
        auto whole = readAs<uint32_t>(at) +
                     static_cast<uint32_t>(static_cast<int64_t>(sum));
        memcpy(at, &whole, 4);
      } else {
        auto single = static_cast<float>(sum + readAs<float>(at));
        memcpy(at, &single, 4);
      }
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
    size_t multiplying = 0;
    for (unsigned i = 0; i < block->lanes; ++i)
      multiplying += items[first + i].state == State::Product;
    if (multiplying == block->lanes) {
      multiply(&items[first], block->lanes);
      for (unsigned i = 0; i < block->lanes; ++i)
        items[first + i].state = State::Ready;
    } else if (multiplying) {
      snprintf(message, size, "%zu of %u lanes multiply matrices", multiplying,
               block->lanes);
    }
    some |= multiplying == block->lanes;
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
