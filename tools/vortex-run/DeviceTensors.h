//===- DeviceTensors.h - Arguments and results on a device ------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_TOOLS_VORTEX_RUN_DEVICETENSORS_H
#define VORTEX_TOOLS_VORTEX_RUN_DEVICETENSORS_H

#include "vortex/Runtime/Runtime.h"
#include "vortex/Runtime/Tooling/HostTensor.h"

#include <map>

namespace vortex {
namespace tools {

/// Copies on the device of the arguments of one function; where the instance
/// runs on the CPU there are none and nothing is copied.
class DeviceTensors {
public:
  explicit DeviceTensors(const runtime::Instance &instance)
      : instance(instance),
        onDevice(vortexInstanceDevice(instance.get()).device_type != kDLCPU) {}

  /// Replaces `view` by a copy on the device, that of argument `index`.
  VortexStatus move(size_t index, DLTensor &view);
  /// Copies the elements of argument `index` again.
  VortexStatus renew(size_t index, runtime::HostTensor &tensor);
  /// Writes the elements of `tensor` over those of `to`, which is as large and
  /// may lie on the CPU.
  VortexStatus write(runtime::HostTensor &tensor, DLTensor &to);
  /// Reads a tensor, which may lie on the CPU, into `out`.
  VortexStatus copyBack(const DLTensor &tensor, VortexDType dtype,
                        runtime::HostTensor &out);

private:
  const runtime::Instance &instance;
  bool onDevice;
  std::map<size_t, runtime::OwnedTensor> copies;
};

} // namespace tools
} // namespace vortex

#endif // VORTEX_TOOLS_VORTEX_RUN_DEVICETENSORS_H
