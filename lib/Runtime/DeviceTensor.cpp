//===- DeviceTensor.cpp - Tensors in a device's memory --------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceTensor.h"

#include "Instance.h"
#include "Tensor.h"

#include <algorithm>

using namespace vortex::runtime;

namespace {
/// A tensor with its sizes; the elements are the device's.
struct OwnedDeviceTensor {
  DLManagedTensorVersioned tensor{};
  std::shared_ptr<CudaDevice> device;
  Allocator allocator;
  size_t bytes = 0;
  std::vector<int64_t> sizes, strides;

  ~OwnedDeviceTensor() {
    void *memory = tensor.dl_tensor.data;
    if (memory && allocator.deallocate)
      allocator.put(memory, bytes, 256);
    else
      device->release(memory);
  }
};

/// Strides of contiguous elements and those of `tensor`.
void layOut(const DLTensor &tensor, int64_t (&dense)[64], int64_t (&own)[64]) {
  int64_t stride = 1;
  for (int32_t d = tensor.ndim; d-- > 0;) {
    dense[d] = stride;
    own[d] = tensor.strides ? tensor.strides[d] : stride;
    stride *= tensor.shape[d];
  }
}
} // namespace

static void deleteTensor(DLManagedTensorVersioned *tensor) {
  if (tensor)
    delete static_cast<OwnedDeviceTensor *>(tensor->manager_ctx);
}

DLManagedTensorVersioned *vortex::runtime::makeDeviceTensor(
    const std::shared_ptr<CudaDevice> &device, const Allocator &allocator,
    int32_t dtype, int32_t rank, const int64_t *sizes, int64_t bytes) noexcept {
  try {
    auto owned = std::make_unique<OwnedDeviceTensor>();
    owned->device = device;
    owned->allocator = allocator;
    owned->bytes = bytes ? size_t(bytes) : 1;
    owned->sizes.assign(sizes, sizes + rank);
    owned->strides.resize(size_t(rank));
    int64_t stride = 1;
    for (int32_t d = rank; d-- > 0;) {
      owned->strides[size_t(d)] = stride;
      stride *= bytes ? sizes[d] : 1;
    }
    DLManagedTensorVersioned &tensor = owned->tensor;
    tensor.version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
    tensor.manager_ctx = owned.get();
    tensor.deleter = deleteTensor;
    if (dtype == VORTEX_I4)
      tensor.flags = DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED;
    DLTensor &view = tensor.dl_tensor;
    view.device = {kDLCUDA, device->ordinal()};
    view.ndim = rank;
    view.dtype = toDLDataType(dtype);
    view.shape = owned->sizes.data();
    view.strides = owned->strides.data();
    view.data = allocator.allocate ? allocator.get(owned->bytes, 256)
                                   : device->allocate(owned->bytes);
    return view.data ? &owned.release()->tensor : nullptr;
  } catch (const std::bad_alloc &) {
    return nullptr;
  }
}

cuda::Result vortex::runtime::copyToContiguous(const CudaDevice &device,
                                               cuda::Stream stream,
                                               const DLTensor &tensor,
                                               int64_t elementBytes,
                                               void *to) noexcept {
  int64_t dense[64], own[64];
  layOut(tensor, dense, own);
  return device.copy({elementBytes, tensor.ndim, tensor.shape}, to, dense,
                     tensorData(tensor), own, stream);
}

cuda::Result vortex::runtime::copyFromContiguous(
    const CudaDevice &device, cuda::Stream stream, const void *from,
    int64_t elementBytes, const DLTensor &tensor) noexcept {
  int64_t dense[64], own[64];
  layOut(tensor, dense, own);
  return device.copy({elementBytes, tensor.ndim, tensor.shape},
                     tensorData(tensor), own, from, dense, stream);
}

//===----------------------------------------------------------------------===//
// C API
//===----------------------------------------------------------------------===//

static VortexStatus checkContiguous(const DLTensor &tensor, const char *what) {
  int64_t bytes = (tensor.dtype.bits + 7) / 8, stride = 1;
  bool fine = tensor.dtype.lanes == 1 && tensor.ndim >= 0 && tensor.ndim <= 64;
  // Without elements there are no gaps between them.
  bool empty = fine && std::count(tensor.shape, tensor.shape + tensor.ndim, 0);
  for (int32_t d = fine && !empty ? tensor.ndim : 0; d-- > 0;)
    fine = fine && tensor.shape[d] > 0 &&
           (!tensor.strides || tensor.shape[d] == 1 ||
            tensor.strides[d] == stride) &&
           !__builtin_mul_overflow(stride, tensor.shape[d], &stride);
  fine = fine && !__builtin_mul_overflow(stride, bytes, &bytes);
  return fine ? VORTEX_STATUS_OK
              : report(VORTEX_STATUS_INVALID_ARGUMENT,
                       "%s is not a contiguous tensor", what);
}

/// Of a tensor that checkContiguous let pass.
static int64_t bytesOf(const DLTensor &tensor) {
  if (std::count(tensor.shape, tensor.shape + tensor.ndim, 0))
    return 0;
  int64_t bytes = (tensor.dtype.bits + 7) / 8;
  for (int32_t d = 0; d < tensor.ndim; ++d)
    bytes *= tensor.shape[d];
  return bytes;
}

extern "C" VortexStatus vortexInstanceCopyTo(VortexInstance *instance,
                                             const DLTensor *from,
                                             DLManagedTensorVersioned **to) {
  return guarded([&]() -> VortexStatus {
    if (!instance || !from || !to)
      return report(VORTEX_STATUS_INVALID_ARGUMENT, "null argument");
    *to = nullptr;
    const std::shared_ptr<CudaDevice> &device = instance->state->device;
    if (!device)
      return report(VORTEX_STATUS_INVALID_ARGUMENT,
                    "the instance runs on the CPU; there is nothing to copy");
    if (from->device.device_type != kDLCPU)
      return report(VORTEX_STATUS_INVALID_ARGUMENT,
                    "what is copied to the device is not on the CPU");
    if (VortexStatus status = checkContiguous(*from, "what is copied"))
      return status;
    CudaDevice::Current use(device.get());
    int64_t bytes = bytesOf(*from);
    DLManagedTensorVersioned *made = makeDeviceTensor(
        device, Allocator(), VORTEX_F32, from->ndim, from->shape, bytes);
    if (!made)
      return report(VORTEX_STATUS_OUT_OF_MEMORY,
                    "no memory for %lld bytes on CUDA device %d",
                    static_cast<long long>(bytes), device->ordinal());
    made->dl_tensor.dtype = from->dtype;
    if (cuda::Result error = device->write(made->dl_tensor.data,
                                           tensorData(*from), bytes, nullptr)) {
      made->deleter(made);
      return device->report(error, "copying a tensor to the device");
    }
    *to = made;
    return VORTEX_STATUS_OK;
  });
}

extern "C" VortexStatus vortexInstanceCopy(VortexInstance *instance,
                                           const DLTensor *from,
                                           const DLTensor *to) {
  return guarded([&]() -> VortexStatus {
    if (!instance || !from || !to)
      return report(VORTEX_STATUS_INVALID_ARGUMENT, "null argument");
    const std::shared_ptr<CudaDevice> &device = instance->state->device;
    auto isHere = [&](const DLTensor *tensor) {
      return device && tensor->device.device_type == kDLCUDA &&
             tensor->device.device_id == device->ordinal();
    };
    bool up = isHere(to) && from->device.device_type == kDLCPU;
    if (!up && !(isHere(from) && to->device.device_type == kDLCPU))
      return report(VORTEX_STATUS_INVALID_ARGUMENT,
                    "copies are between the instance's device and the CPU");
    for (const DLTensor *tensor : {from, to})
      if (VortexStatus status = checkContiguous(*tensor, "what is copied"))
        return status;
    if (from->ndim != to->ndim || from->dtype.bits != to->dtype.bits ||
        !std::equal(from->shape, from->shape + from->ndim, to->shape))
      return report(VORTEX_STATUS_INVALID_ARGUMENT,
                    "the tensors of a copy differ in type or sizes");
    CudaDevice::Current use(device.get());
    int64_t bytes = bytesOf(*from);
    cuda::Result error =
        up ? device->write(tensorData(*to), tensorData(*from), bytes, nullptr)
           : device->read(tensorData(*to), tensorData(*from), bytes, nullptr);
    return error ? device->report(error, "copying a tensor") : VORTEX_STATUS_OK;
  });
}
