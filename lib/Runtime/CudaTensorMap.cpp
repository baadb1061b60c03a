//===- CudaTensorMap.cpp - What bulk copies know of a tensor --------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Guards keep sizes that a tensor map cannot have from its candidates. What is
// checked here are addresses and strides, which are known at a launch alone;
// the driver's own answer would be that some value is invalid.
//
//===----------------------------------------------------------------------===//

#include "CudaDevice.h"

#include <cstdio>

using namespace vortex::runtime;
using cuda::Result;

/// CUDA driver API, cuTensorMapEncodeTiled.
static constexpr int64_t mostDims = 5, granule = 16,
                         largestExtent = int64_t(1) << 32,
                         largestStride = int64_t(1) << 40;

namespace {
/// CUtensorMapDataType, and the bytes of an element; none: no map has such.
struct MapType {
  int code = 0;
  int64_t bytes = 0;
};
} // namespace

static MapType findMapType(int64_t dtype) {
  switch (dtype) {
  case VORTEX_I8: // of any kind: bits are copied
    return {cuda::mapU8, 1};
  case VORTEX_F16:
    return {cuda::mapF16, 2};
  case VORTEX_BF16:
    return {cuda::mapBF16, 2};
  case VORTEX_I32:
    return {cuda::mapI32, 4};
  case VORTEX_F32:
    return {cuda::mapF32, 4};
  default:
    return {};
  }
}

Result CudaDevice::encodeMap(void *map, const MappedTensor &tensor, char *why,
                             size_t bytes) const noexcept {
  int64_t rank = tensor.rank;
  MapType type = findMapType(tensor.dtype);
  if (!type.bytes || rank < 1 || rank > mostDims) {
    std::snprintf(why, bytes,
                  "has %lld dimensions of type %lld; a tensor map has at most "
                  "%lld, of f32, 16-bit floats, i8 or i32",
                  static_cast<long long>(rank),
                  static_cast<long long>(tensor.dtype),
                  static_cast<long long>(mostDims));
    return cuda::success;
  }
  // Of nothing there is no map, and nothing that is launched copies it.
  for (int64_t i = 0; i < rank; ++i)
    if (tensor.sizes[i] == 0)
      return cuda::success;
  const int64_t elementBytes = type.bytes;
  cuda::Address address = cuda::addressOf(tensor.data);
  if (address % granule) {
    std::snprintf(why, bytes,
                  "begins at %#llx, which is no multiple of %lld bytes",
                  address, static_cast<long long>(granule));
    return cuda::success;
  }
  uint64_t extents[mostDims], strides[mostDims];
  uint32_t box[mostDims], ones[mostDims];
  for (int64_t i = 0; i < rank; ++i) {
    int64_t from = rank - 1 - i; // the innermost dimension is the first
    int64_t size = tensor.sizes[from], stride = tensor.strides[from];
    if (size < 1 || size > largestExtent) {
      std::snprintf(why, bytes, "has %lld points along dimension %lld",
                    static_cast<long long>(size), static_cast<long long>(from));
      return cuda::success;
    }
    bool fits = i == 0 ? stride == 1
                       : stride >= 0 && stride < largestStride / elementBytes &&
                             stride * elementBytes % granule == 0;
    if (!fits) {
      std::snprintf(why, bytes,
                    "has a stride of %lld elements along dimension %lld; bulk "
                    "copies need 1 along the innermost and multiples of %lld "
                    "bytes below 2^40 elsewhere",
                    static_cast<long long>(stride),
                    static_cast<long long>(from),
                    static_cast<long long>(granule));
      return cuda::success;
    }
    extents[i] = uint64_t(size);
    if (i)
      strides[i - 1] = uint64_t(stride * elementBytes);
    box[i] = uint32_t(tensor.box[from]);
    ones[i] = 1;
  }
  // Neither interleaved nor filled with NaN.
  return driver->TensorMapEncodeTiled(map, type.code, unsigned(rank), address,
                                      extents, strides, box, ones, 0,
                                      cuda::swizzle128, cuda::promote256, 0);
}
