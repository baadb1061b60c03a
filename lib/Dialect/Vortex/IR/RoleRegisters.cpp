//===- RoleRegisters.cpp - Registers of warps with roles -------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Dialect/Vortex/IR/RoleRegisters.h"

using namespace vortex;

/// CUDA C++ programming guide: shared memory that each block has for itself,
/// the same for every capability that has bulk copies.
static constexpr int64_t kReservedBytes = 1024;
static constexpr int64_t kLanes = 32, kRegisterBytes = 4;
/// PTX ISA, "setmaxnreg": a multiple of 8, at most 256.
static constexpr int64_t kStep = 8, kMost = 256;
/// Registers of a thread that only issues copies of boxes, more for one that
/// copies by itself: the place in a window, and for each copy a pointer and
/// what tells whether there is a row. Of one that multiplies, beside its
/// accumulators: descriptors, loop state, what a store needs.
static constexpr int64_t kProducer = 40, kWindow = 24, kCopy = 3,
                         kConsumerOwn = 56;

std::optional<RoleRegisters> vortex::divideRegisters(HwAttr hw,
                                                     const RoleShape &shape) {
  HwLevelAttr shared = hw.getLevel("smem"), warp = hw.getLevel("warp"),
              registers = hw.getLevel("register");
  int64_t warps = shape.producers + shape.consumers;
  if (!shared || !warp || !registers || !shape.consumers)
    return std::nullopt;
  int64_t file = warp.getCapacity() * warp.getUnits() / kRegisterBytes;
  int64_t named = registers.getCapacity() / registers.getGranularity();
  auto down = [](int64_t x) { return x / kStep * kStep; };
  int64_t producer =
      kProducer +
      (shape.copies ? llvm::alignTo(kWindow + kCopy * shape.copies, kStep) : 0);
  // The reserve of the one block that always fits is not counted in capacity.
  int64_t blocks = (shared.getCapacity() + kReservedBytes) /
                   (shape.sharedBytes + kReservedBytes);
  for (; blocks > 0; --blocks) {
    int64_t atStart = down(std::min(file / (blocks * warps * kLanes), named));
    int64_t rest =
        down((atStart * warps - producer * shape.producers) / shape.consumers);
    int64_t consumer = std::min(rest, std::min(down(named), kMost));
    if (atStart < producer ||
        std::max(consumer, atStart) < shape.accumulators + kConsumerOwn)
      continue;
    RoleRegisters division;
    division.blocks = blocks;
    if (consumer > atStart) {
      division.producer = producer;
      division.consumer = consumer;
    }
    return division;
  }
  return std::nullopt;
}
