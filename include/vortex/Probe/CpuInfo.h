//===- CpuInfo.h - What CPUID says about this machine --------- -*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No LLVM in here: the run-time library and vortex-probe use it, too.
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_PROBE_CPUINFO_H
#define VORTEX_PROBE_CPUINFO_H

#include <cstdint>
#include <string>

namespace vortex {

/// The machine this process runs on, as CPUID and the scheduler tell it. Zero
/// means unknown. The CPU's name is not looked at: hypervisors change it.
struct CpuInfo {
  std::string vendor;
  unsigned family = 0, model = 0, stepping = 0;
  /// Bytes of one data or unified cache of each level.
  int64_t l1Bytes = 0, l2Bytes = 0, l3Bytes = 0;
  int64_t lineBytes = 0;
  /// Lines in one set.
  int64_t l1Ways = 0, l2Ways = 0;
  /// Physical cores, and hardware threads, this process may run on.
  unsigned cores = 0, threads = 0;
  /// Bytes of main memory.
  int64_t memoryBytes = 0;
};

/// Reads the description of this machine; takes well under a millisecond.
CpuInfo readCpuInfo();

/// Text that tells two kinds of machine apart: vendor, model and cache sizes,
/// but not how many cores this process was given. Measurements are valid for
/// machines of the same signature.
std::string getMachineSignature(const CpuInfo &info);

} // namespace vortex

#endif // VORTEX_PROBE_CPUINFO_H
