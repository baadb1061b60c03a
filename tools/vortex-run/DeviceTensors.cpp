//===- DeviceTensors.cpp - Arguments and results on a device --------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceTensors.h"

#include <cstring>

using namespace vortex;
using namespace vortex::tools;

VortexStatus DeviceTensors::move(size_t index, DLTensor &view) {
  if (!onDevice)
    return VORTEX_STATUS_OK;
  DLManagedTensorVersioned *copy = nullptr;
  if (VortexStatus status = vortexInstanceCopyTo(instance.get(), &view, &copy))
    return status;
  view = copy->dl_tensor;
  copies[index].reset(copy);
  return VORTEX_STATUS_OK;
}

VortexStatus DeviceTensors::renew(size_t index, runtime::HostTensor &tensor) {
  if (!onDevice)
    return VORTEX_STATUS_OK;
  // The caller's views name the memory, so it stays where it is.
  DLTensor view = runtime::dlTensor(tensor);
  return vortexInstanceCopy(instance.get(), &view,
                            &copies[index].get()->dl_tensor);
}

VortexStatus DeviceTensors::write(runtime::HostTensor &tensor, DLTensor &to) {
  DLTensor view = runtime::dlTensor(tensor);
  if (to.device.device_type != kDLCPU)
    return vortexInstanceCopy(instance.get(), &view, &to);
  if (!tensor.bytes.empty())
    std::memcpy(static_cast<char *>(to.data) + to.byte_offset, view.data,
                tensor.bytes.size());
  return VORTEX_STATUS_OK;
}

VortexStatus DeviceTensors::copyBack(const DLTensor &tensor, VortexDType dtype,
                                     runtime::HostTensor &out) {
  if (tensor.device.device_type == kDLCPU) {
    out = runtime::copyOf(tensor, dtype);
    return VORTEX_STATUS_OK;
  }
  out = runtime::HostTensor(
      dtype, std::vector<int64_t>(tensor.shape, tensor.shape + tensor.ndim));
  DLTensor view = runtime::dlTensor(out);
  return vortexInstanceCopy(instance.get(), &tensor, &view);
}
