//===- LaneExchange.h - Values of other lanes -------------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_CONVERSION_VORTEXTOGPU_LANEEXCHANGE_H
#define VORTEX_CONVERSION_VORTEXTOGPU_LANEEXCHANGE_H

#include "DeviceKernel.h"

namespace vortex {

/// What the lane `distance` away (in bits that differ) has of `value`, a number
/// of any width; all lanes of the warp take part.
mlir::Value exchangeLanes(DeviceKernel &device, mlir::Value value,
                          int64_t distance);

} // namespace vortex

#endif // VORTEX_CONVERSION_VORTEXTOGPU_LANEEXCHANGE_H
