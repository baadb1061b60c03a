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

/// Nanoseconds for each of `bytes` that are used again and again by a core. Of
/// the bandwidths of a machine all streams of all candidates take the same few
/// reciprocals, so that a choice divides seldom.
inline Real byteTime(SizeArith &arith, HwAttr hw, Real bytes) {
  std::string outer = hw.getLevel("l3") ? "l3" : "device";
  Real one = arith.real(1.0);
  Real inL2 = one / arith.param(hw, "l2.stream");
  Real inL3 = one / arith.param(hw, outer + ".stream");
  Real inMemory = one / arith.param(hw, "device.stream");
  Flag fitsL2 = bytes <= arith.param(hw, "l2.capacity") * 0.5;
  Flag fitsL3 = bytes <= arith.param(hw, outer + ".capacity") * 0.5;
  return arith.select(fitsL2, inL2, arith.select(fitsL3, inL3, inMemory));
}

} // namespace vortex

#endif // VORTEX_TRANSFORMS_CPUBANDWIDTH_H
