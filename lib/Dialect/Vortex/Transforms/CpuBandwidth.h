//===- CpuBandwidth.h - Where bytes rest between uses -----------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_TRANSFORMS_CPUBANDWIDTH_H
#define VORTEX_TRANSFORMS_CPUBANDWIDTH_H

#include "SizeArith.h"

namespace vortex {

/// GB/s at which `bytes` that are used again and again are read by a core.
inline Real bandwidthOf(SizeArith &arith, HwAttr hw, Real bytes) {
  std::string outer = hw.getLevel("l3") ? "l3" : "device";
  Real inL2 = arith.param(hw, "l2.stream");
  Real inL3 = arith.param(hw, outer + ".stream");
  Real inMemory = arith.param(hw, "device.stream");
  Flag fitsL2 = bytes <= arith.param(hw, "l2.capacity") * 0.5;
  Flag fitsL3 = bytes <= arith.param(hw, outer + ".capacity") * 0.5;
  return arith.select(fitsL2, inL2, arith.select(fitsL3, inL3, inMemory));
}

} // namespace vortex

#endif // VORTEX_TRANSFORMS_CPUBANDWIDTH_H
