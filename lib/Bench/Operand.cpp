//===- Operand.cpp - Memory of a contender's tensors ----------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Operand.h"

#include "vortex/Runtime/Tooling/HostTensor.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <sys/mman.h>

using namespace vortex::bench;

static DLDataType dlpackType(VortexDType dtype) {
  switch (dtype) {
  case VORTEX_F64:
    return {kDLFloat, 64, 1};
  case VORTEX_F16:
    return {kDLFloat, 16, 1};
  case VORTEX_BF16:
    return {kDLBfloat, 16, 1};
  case VORTEX_I8:
    return {kDLInt, 8, 1};
  case VORTEX_I32:
    return {kDLInt, 32, 1};
  default:
    return {kDLFloat, 32, 1};
  }
}

Operand::Operand(VortexDType dtype, std::vector<int64_t> sizes, bool isUnsigned)
    : dtype(dtype), isUnsigned(isUnsigned), shape(std::move(sizes)) {
  for (int64_t size : shape)
    elements *= size;
  constexpr size_t page = 4096, large = size_t(2) << 20;
  bytes = size_t(elements) * size_t(runtime::elementBytes(dtype));
  size_t alignment = bytes >= large ? large : page;
  size_t padded = (bytes + alignment) / alignment * alignment;
  memory.reset(std::aligned_alloc(alignment, padded));
  if (!memory)
    return;
  madvise(memory.get(), padded, MADV_HUGEPAGE);
  std::memset(memory.get(), 0, padded);
  tensor.data = memory.get();
  tensor.device = {kDLCPU, 0};
  tensor.ndim = int32_t(shape.size());
  tensor.dtype = dlpackType(dtype);
  tensor.shape = shape.data();
}

/// `value` is a multiple of 1/64 between -1 and 1.
static uint16_t exactF16(float value) {
  if (value == 0)
    return 0;
  int exponent;
  float fraction = std::frexp(std::fabs(value), &exponent); // in [0.5, 1)
  auto bits = uint16_t((exponent + 14) << 10);
  bits |= uint16_t((fraction * 2 - 1) * 1024);
  return value < 0 ? bits | 0x8000 : bits;
}
static uint16_t exactBF16(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  return uint16_t(bits >> 16);
}

void Operand::randomize(uint64_t seed, int range) {
  uint64_t state = seed * 0x9E3779B97F4A7C15u + 1;
  for (int64_t i = 0; i < elements; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    int whole = int((state >> 40) % 128) - 64;
    float value = float(whole * range) / 64;
    void *base = data();
    switch (dtype) {
    case VORTEX_F64:
      static_cast<double *>(base)[i] = value;
      break;
    case VORTEX_F16:
      static_cast<uint16_t *>(base)[i] = exactF16(value);
      break;
    case VORTEX_BF16:
      static_cast<uint16_t *>(base)[i] = exactBF16(value);
      break;
    case VORTEX_I8:
      static_cast<int8_t *>(base)[i] = int8_t(state >> 40);
      break;
    case VORTEX_I32:
      static_cast<int32_t *>(base)[i] = whole;
      break;
    default:
      static_cast<float *>(base)[i] = value;
    }
  }
}

void Operand::poison() {
  for (int64_t i = 0; i < elements; ++i)
    if (dtype == VORTEX_F64)
      static_cast<double *>(data())[i] = std::nan("");
    else if (dtype == VORTEX_I32)
      static_cast<int32_t *>(data())[i] = std::numeric_limits<int32_t>::min();
    else
      static_cast<float *>(data())[i] = std::nanf("");
}

void Operand::copyFrom(const Operand &other) {
  std::memcpy(data(), other.data(), bytes);
}

double Operand::get(int64_t i) const {
  switch (dtype) {
  case VORTEX_F64:
    return static_cast<const double *>(data())[i];
  case VORTEX_I8:
    return isUnsigned ? static_cast<const uint8_t *>(data())[i]
                      : static_cast<const int8_t *>(data())[i];
  case VORTEX_I32:
    return static_cast<const int32_t *>(data())[i];
  case VORTEX_BF16: {
    uint32_t bits = uint32_t(static_cast<const uint16_t *>(data())[i]) << 16;
    float value;
    std::memcpy(&value, &bits, 4);
    return value;
  }
  case VORTEX_F16: {
    uint16_t bits = static_cast<const uint16_t *>(data())[i];
    int exponent = bits >> 10 & 31;
    double value = exponent ? std::ldexp(1024 + (bits & 1023), exponent - 25)
                            : std::ldexp(bits & 1023, -24);
    return bits & 0x8000 ? -value : value;
  }
  default:
    return static_cast<const float *>(data())[i];
  }
}
