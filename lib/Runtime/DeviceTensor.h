//===- DeviceTensor.h - Tensors in a device's memory ------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_LIB_RUNTIME_DEVICETENSOR_H
#define VORTEX_LIB_RUNTIME_DEVICETENSOR_H

#include "Arena.h"
#include "CudaDevice.h"

namespace vortex {
namespace runtime {

/// A row-major tensor that owns memory of `device`, or of the caller's
/// allocator. Null when there is no memory.
DLManagedTensorVersioned *
makeDeviceTensor(const std::shared_ptr<CudaDevice> &device,
                 const Allocator &allocator, int32_t dtype, int32_t rank,
                 const int64_t *sizes, int64_t bytes) noexcept;

/// Copies between a tensor on the device of any strides and row-major
/// contiguous memory there.
cuda::Result copyToContiguous(const CudaDevice &device, cuda::Stream stream,
                              const DLTensor &tensor, int64_t elementBytes,
                              void *to) noexcept;
cuda::Result copyFromContiguous(const CudaDevice &device, cuda::Stream stream,
                                const void *from, int64_t elementBytes,
                                const DLTensor &tensor) noexcept;

} // namespace runtime
} // namespace vortex

#endif // VORTEX_LIB_RUNTIME_DEVICETENSOR_H
