//===- TensorMap.cpp - Tensor maps of the stand-in ------------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The form is the simulator's: utils/ptxsim/tensormap.py.
//
//===----------------------------------------------------------------------===//

#include "StandIn.h"

#include <cstring>

using namespace standin;

namespace {
struct [[gnu::packed]] Map {
  uint32_t magic = 0x70616D54, elementBytes = 2, rank = 0, swizzle = 0;
  uint64_t address = 0;
  uint32_t extents[5] = {};
  uint64_t strides[5] = {};
  uint32_t box[5] = {};
};
} // namespace

extern "C" __attribute__((visibility("default"))) int
cuTensorMapEncodeTiled(void *out, int type, unsigned rank, uint64_t address,
                       const uint64_t *extents, const uint64_t *strides,
                       const uint32_t *box, const uint32_t *elementStrides,
                       int interleave, int swizzle, int promotion,
                       int outOfBounds) {
  log("map rank %u", rank);
  // UINT8, INT32, FLOAT16, FLOAT32 and BFLOAT16, SWIZZLE_128B.
  bool known =
      (type == 0 || type == 3 || type == 6 || type == 7 || type == 9) &&
      swizzle == 3 && !interleave && !outOfBounds && promotion >= 0 &&
      promotion <= 3 && rank >= 1 && rank <= 5 &&
      reinterpret_cast<uintptr_t>(out) % 64 == 0 &&
      !Memory::get().isDevice(out) && address % 16 == 0 &&
      Memory::get().isDevice(reinterpret_cast<const void *>(address));
  Map map;
  map.elementBytes = type == 0 ? 1 : type == 3 || type == 7 ? 4 : 2;
  for (unsigned i = 0; known && i < rank; ++i) {
    uint64_t stride = i ? strides[i - 1] : map.elementBytes;
    known = extents[i] >= 1 && extents[i] < (uint64_t(1) << 32) &&
            box[i] >= 1 && box[i] <= 256 && elementStrides[i] == 1 &&
            (!i || (stride % 16 == 0 && stride < (uint64_t(1) << 40)));
    map.extents[i] = uint32_t(extents[i]);
    map.strides[i] = stride;
    map.box[i] = box[i];
  }
  if (!known || box[0] * map.elementBytes > 128) {
    complain("a tensor map that no driver makes");
    return invalidValue;
  }
  map.rank = rank;
  map.swizzle = 128;
  map.address = address;
  static_assert(sizeof map <= 128);
  std::memset(out, 0, 128);
  std::memcpy(out, &map, sizeof map);
  return 0;
}
