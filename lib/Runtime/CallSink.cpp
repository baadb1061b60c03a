//===- CallSink.cpp - Where results of a call go --------------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CallSink.h"

#include "DeviceTensor.h"
#include "Tensor.h"

#include <cstdio>
#include <cstring>

using namespace vortex::runtime;

//===----------------------------------------------------------------------===//
// Results that the context allocates
//===----------------------------------------------------------------------===//

namespace {
/// A result with its sizes and, at an aligned place behind, its elements.
struct OwnedTensor {
  DLManagedTensorVersioned tensor;
  Allocator allocator;
  size_t bytes, alignment;
  int64_t sizesAndStrides[1]; ///< twice the rank
};
} // namespace

static void deleteOwned(DLManagedTensorVersioned *tensor) {
  if (!tensor)
    return;
  auto *owned = static_cast<OwnedTensor *>(tensor->manager_ctx);
  Allocator allocator = owned->allocator;
  allocator.put(owned, owned->bytes, owned->alignment);
}

static DLManagedTensorVersioned *makeTensor(const Allocator &allocator,
                                            const VortexValueInfo &info,
                                            const int64_t *sizes,
                                            int64_t bytes) noexcept {
  size_t head = sizeof(OwnedTensor) + 2 * size_t(info.rank) * sizeof(int64_t);
  head = (head + 63) & ~size_t(63);
  size_t total = head + size_t(bytes);
  size_t alignment = total >= (4u << 20) ? size_t(2) << 20 : 64;
  auto *owned = static_cast<OwnedTensor *>(allocator.get(total, alignment));
  if (!owned)
    return nullptr;
  std::memset(owned, 0, sizeof *owned);
  owned->allocator = allocator;
  owned->bytes = total;
  owned->alignment = alignment;
  int64_t *shape = owned->sizesAndStrides, *strides = shape + info.rank;
  int64_t stride = 1;
  for (int32_t d = info.rank; d-- > 0;) {
    shape[d] = sizes[d];
    strides[d] = stride;
    // Without elements the other sizes may be any.
    stride *= bytes ? sizes[d] : 1;
  }
  DLManagedTensorVersioned &tensor = owned->tensor;
  tensor.version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
  tensor.manager_ctx = owned;
  tensor.deleter = deleteOwned;
  if (info.dtype == VORTEX_I4)
    tensor.flags = DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED;
  tensor.dl_tensor.data = reinterpret_cast<char *>(owned) + head;
  tensor.dl_tensor.device = {kDLCPU, 0};
  tensor.dl_tensor.ndim = info.rank;
  tensor.dl_tensor.dtype = toDLDataType(info.dtype);
  tensor.dl_tensor.shape = shape;
  tensor.dl_tensor.strides = strides;
  return &tensor;
}

//===----------------------------------------------------------------------===//
// Finding them
//===----------------------------------------------------------------------===//

void *CallSink::result(int64_t index, int64_t rank, const int64_t *sizes,
                       int64_t bytes, Arena &arena, VortexStatus &status,
                       char *error, size_t errorBytes) noexcept {
  auto fail = [&](const char *why) {
    std::snprintf(error, errorBytes, "result %lld %s",
                  static_cast<long long>(index), why);
    return nullptr;
  };
  if (index < 0 || index >= signature.numResults())
    return fail("is not in the signature");
  const VortexValueInfo &info = signature.result(index);
  int64_t expected;
  if (frame.destinations[index].done || rank != info.rank)
    return fail("is given wrongly by the artifact");
  for (int64_t d = 0; d < rank; ++d)
    if (sizes[d] < 0) {
      status = VORTEX_STATUS_PROGRAM_FAILED;
      return fail("has a negative size");
    }
  if (!tensorBytes(sizes, rank, info.dtype, expected)) {
    status = VORTEX_STATUS_OUT_OF_MEMORY;
    return fail("has sizes whose bytes exceed 64 bits");
  }
  if (expected != bytes)
    return fail("has another size in bytes than its shape says");
  frame.settle(signature);
  for (int64_t d = 0; d < rank; ++d)
    if (int64_t declared =
            signature.nameResult(index, d, sizes[d], frame.symbols.data());
        declared >= 0) {
      std::snprintf(error, errorBytes,
                    "result %lld, dimension %lld is %lld, but the signature "
                    "says %lld ('%s')",
                    static_cast<long long>(index), static_cast<long long>(d),
                    static_cast<long long>(sizes[d]),
                    static_cast<long long>(declared),
                    info.dims ? info.dims[d] : "");
      status = VORTEX_STATUS_PROGRAM_FAILED;
      return nullptr;
    }
  frame.destinations[index].done = true;
  if (const int64_t *given = frame.destinations[index].sizes)
    for (int64_t d = 0; d < rank; ++d)
      if (sizes[d] != given[d]) {
        std::snprintf(error, errorBytes,
                      "result %lld, dimension %lld is %lld, but the caller's "
                      "tensor has %lld",
                      static_cast<long long>(index), static_cast<long long>(d),
                      static_cast<long long>(sizes[d]),
                      static_cast<long long>(given[d]));
        status = VORTEX_STATUS_INVALID_ARGUMENT;
        return nullptr;
      }
  status = VORTEX_STATUS_OUT_OF_MEMORY;
  const char *missing = nullptr;
  void *memory = find(index, sizes, bytes, arena, missing);
  return memory ? memory : fail(missing);
}

void *CallSink::find(int64_t index, const int64_t *sizes, int64_t bytes,
                     Arena &arena, const char *&missing) noexcept {
  const VortexValueInfo &info = signature.result(index);
  CallFrame::Result &result = frame.results[index];
  // Generated code writes to the device, scalars are the host's.
  bool fromDevice = executor.device() && info.kind == VORTEX_SCALAR;
  if (!frame.destinations[index].sizes) {
    // The caller's allocator gives memory of the device.
    result.made =
        fromDevice ? makeTensor(Allocator(), info, sizes, bytes)
        : executor.device()
            ? makeDeviceTensor(executor.device(), executor.allocator(),
                               info.dtype, info.rank, sizes, bytes)
            : makeTensor(executor.allocator(), info, sizes, bytes);
    missing = "has no memory";
    if (!result.made || !fromDevice)
      return result.made ? result.made->dl_tensor.data : nullptr;
  }
  missing = "has no scratch memory";
  if (fromDevice)
    return result.scalar = executor.scratch(size_t(bytes), 64);
  if (bytes == 0)
    return noElements;
  if (frame.destinations[index].data)
    return frame.destinations[index].data;
  return result.temporary = executor.device()
                                ? executor.scratch(size_t(bytes), 64)
                                : arena.allocate(size_t(bytes), 64);
}
