//===- CudaCopy.cpp - Moving elements on and to a device ------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver copies and fills bytes and rows with a pitch. Elements of any
// strides are taken apart into these.
//
//===----------------------------------------------------------------------===//

#include "CudaDevice.h"

#include <cstring>

using namespace vortex::runtime;
using cuda::Address;
using cuda::addressOf;
using cuda::Result;
using cuda::Stream;

namespace {
/// The same elements with as few dimensions as possible: sizes of one are gone,
/// dimensions that follow each other in all operands are one. At most
/// two operands.
struct Merged {
  static constexpr int64_t mostDims = 64;
  int64_t rank = 0;
  int64_t sizes[mostDims], strides[2][mostDims];
  bool empty = false, fits = true;

  Merged(const Elements &e, const int64_t *first, const int64_t *second) {
    const int64_t *given[2] = {first, second ? second : first};
    for (int64_t d = 0; d < e.rank; ++d) {
      empty |= e.sizes[d] == 0;
      if (e.sizes[d] == 1)
        continue;
      bool joins = rank > 0;
      for (int i = 0; i < 2; ++i)
        joins = joins && strides[i][rank - 1] == given[i][d] * e.sizes[d];
      if (!joins && rank == mostDims) {
        fits = false;
        return;
      }
      int64_t at = joins ? rank - 1 : rank++;
      sizes[at] = joins ? sizes[at] * e.sizes[d] : e.sizes[d];
      for (int i = 0; i < 2; ++i)
        strides[i][at] = given[i][d];
    }
  }

  /// Calls `run(offset0, offset1)` for each index of all but the last `inner`
  /// dimensions, until one is no success.
  template <typename Run>
  Result forOuter(int64_t inner, Run run) const {
    int64_t index[mostDims] = {0};
    int64_t outer = rank > inner ? rank - inner : 0;
    for (;;) {
      int64_t offsets[2] = {0, 0};
      for (int64_t d = 0; d < outer; ++d)
        for (int i = 0; i < 2; ++i)
          offsets[i] += index[d] * strides[i][d];
      if (Result error = run(offsets[0], offsets[1]))
        return error;
      int64_t d = outer;
      while (d > 0 && ++index[d - 1] == sizes[d - 1])
        index[--d] = 0;
      if (d == 0)
        return cuda::success;
    }
  }
};
} // namespace

/// CUDA_ERROR_NOT_SUPPORTED: more dimensions than a tensor has.
static constexpr Result notSupported = 801;

Result CudaDevice::copy(const Elements &e, void *to, const int64_t *toStrides,
                        const void *from, const int64_t *fromStrides,
                        Stream stream) const noexcept {
  Merged m(e, toStrides, fromStrides);
  if (m.empty)
    return cuda::success;
  if (!m.fits)
    return notSupported;
  // A run of adjacent elements, and how often it is repeated.
  bool run = m.rank > 0 && m.strides[0][m.rank - 1] == 1 &&
             m.strides[1][m.rank - 1] == 1;
  int64_t width = e.bytes * (run ? m.sizes[m.rank - 1] : 1);
  int64_t rows = m.rank - (run ? 1 : 0); // position behind that of the rows
  // A pitch is positive and no less than a row; other rows go one by one.
  bool pitched = rows > 0 && m.strides[0][rows - 1] * e.bytes >= width &&
                 m.strides[1][rows - 1] * e.bytes >= width;
  int64_t inner = (run ? 1 : 0) + (pitched ? 1 : 0);
  return m.forOuter(inner, [&](int64_t toOffset, int64_t fromOffset) {
    Address target = addressOf(to) + Address(toOffset * e.bytes);
    Address source = addressOf(from) + Address(fromOffset * e.bytes);
    if (!pitched)
      return driver->MemcpyDtoD(target, source, size_t(width), stream);
    cuda::Copy2D copy{};
    copy.fromType = copy.toType = cuda::deviceMemory;
    copy.from = source;
    copy.fromPitch = size_t(m.strides[1][rows - 1] * e.bytes);
    copy.to = target;
    copy.toPitch = size_t(m.strides[0][rows - 1] * e.bytes);
    copy.bytes = size_t(width);
    copy.rows = size_t(m.sizes[rows - 1]);
    return driver->Memcpy2D(&copy, stream);
  });
}

Result CudaDevice::fill(const Elements &e, void *to, const int64_t *toStrides,
                        const void *element, Stream stream) const noexcept {
  Merged m(e, toStrides, nullptr);
  if (m.empty)
    return cuda::success;
  if (!m.fits)
    return notSupported;
  // Four bytes of each element at a time: the driver sets no more.
  int64_t part = e.bytes > 4 ? 4 : e.bytes;
  if (part == 3 || e.bytes % part)
    return notSupported;
  bool run = e.bytes == part && m.rank > 0 && m.strides[0][m.rank - 1] == 1;
  int64_t width = run ? m.sizes[m.rank - 1] : 1;
  int64_t rows = m.rank - (run ? 1 : 0);
  bool pitched = rows > 0 && m.strides[0][rows - 1] * e.bytes >= width * part;
  int64_t inner = (run ? 1 : 0) + (pitched ? 1 : 0);
  size_t pitch = pitched ? size_t(m.strides[0][rows - 1] * e.bytes) : 0;
  size_t height = pitched ? size_t(m.sizes[rows - 1]) : 1;
  return m.forOuter(inner, [&](int64_t offset, int64_t) {
    Result error = cuda::success;
    for (int64_t at = 0; at < e.bytes && !error; at += part) {
      Address target = addressOf(to) + Address(offset * e.bytes + at);
      uint32_t value = 0;
      std::memcpy(&value, static_cast<const char *>(element) + at,
                  size_t(part));
      if (part == 1)
        error = driver->MemsetD2D8(target, pitch, uint8_t(value), size_t(width),
                                   height, stream);
      else if (part == 2)
        error = driver->MemsetD2D16(target, pitch, uint16_t(value),
                                    size_t(width), height, stream);
      else
        error = driver->MemsetD2D32(target, pitch, value, size_t(width), height,
                                    stream);
    }
    return error;
  });
}

Result CudaDevice::read(void *host, const void *from, int64_t bytes,
                        Stream stream) const noexcept {
  if (!bytes)
    return cuda::success;
  Result error =
      driver->MemcpyDtoH(host, addressOf(from), size_t(bytes), stream);
  return error ? error : driver->StreamSynchronize(stream);
}

Result CudaDevice::write(void *to, const void *host, int64_t bytes,
                         Stream stream) const noexcept {
  if (!bytes)
    return cuda::success;
  Result error = driver->MemcpyHtoD(addressOf(to), host, size_t(bytes), stream);
  return error ? error : driver->StreamSynchronize(stream);
}
