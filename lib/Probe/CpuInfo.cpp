//===- CpuInfo.cpp - What CPUID says about this machine ------- -*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Probe/CpuInfo.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <set>
#include <utility>

#include <sched.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

using namespace vortex;

#if defined(__x86_64__)
namespace {
struct Registers {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
};
} // namespace

static Registers cpuid(unsigned leaf, unsigned subleaf = 0) {
  Registers r;
  if (__get_cpuid_max(leaf & 0x80000000u, nullptr) >= leaf)
    __cpuid_count(leaf, subleaf, r.eax, r.ebx, r.ecx, r.edx);
  return r;
}

/// Deterministic cache parameters: leaf 4 on Intel, 0x8000001D on AMD, in the
/// same layout.
static void readCaches(CpuInfo &info, unsigned leaf) {
  for (unsigned index = 0; index != 16; ++index) {
    Registers r = cpuid(leaf, index);
    unsigned type = r.eax & 0x1f; // 0 none, 1 data, 2 instruction, 3 unified
    if (type == 0)
      break;
    if (type == 2)
      continue;
    int64_t line = (r.ebx & 0xfff) + 1;
    int64_t partitions = ((r.ebx >> 12) & 0x3ff) + 1;
    int64_t ways = ((r.ebx >> 22) & 0x3ff) + 1;
    int64_t bytes = ways * partitions * line * (int64_t(r.ecx) + 1);
    switch ((r.eax >> 5) & 7) {
    case 1:
      info.l1Bytes = bytes;
      info.l1Ways = ways;
      info.lineBytes = line;
      break;
    case 2:
      info.l2Bytes = bytes;
      info.l2Ways = ways;
      break;
    case 3:
      info.l3Bytes = bytes;
      break;
    default:
      break;
    }
  }
}

static void readCpuid(CpuInfo &info) {
  Registers base = cpuid(0);
  char vendor[13] = {};
  std::memcpy(vendor, &base.ebx, 4);
  std::memcpy(vendor + 4, &base.edx, 4);
  std::memcpy(vendor + 8, &base.ecx, 4);
  info.vendor = vendor;
  Registers version = cpuid(1);
  info.stepping = version.eax & 15;
  info.model = (version.eax >> 4) & 15;
  info.family = (version.eax >> 8) & 15;
  if (info.family == 6 || info.family == 15)
    info.model += ((version.eax >> 16) & 15) << 4;
  if (info.family == 15)
    info.family += (version.eax >> 20) & 255;
  readCaches(info, 4);
  bool topologyExtensions = (cpuid(0x80000001).ecx >> 22) & 1;
  if (info.l1Bytes == 0 && topologyExtensions)
    readCaches(info, 0x8000001D);
}
#else
static void readCpuid(CpuInfo &) {}
#endif

/// One number from a file of /sys, or -1.
static long readNumber(const std::string &path) {
  std::ifstream file(path);
  long value = -1;
  file >> value;
  return file ? value : -1;
}

static void readCores(CpuInfo &info) {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) != 0) {
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    info.threads = info.cores = std::max(1L, count);
    return;
  }
  info.threads = CPU_COUNT(&set);
  std::set<std::pair<long, long>> cores;
  for (int cpu = 0; cpu != CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &set))
      continue;
    std::string topology =
        "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/";
    long core = readNumber(topology + "core_id");
    long package = readNumber(topology + "physical_package_id");
    // Without topology every hardware thread counts as a core.
    cores.insert(core < 0 ? std::pair(-1L, long(cpu))
                          : std::pair(package, core));
  }
  info.cores = cores.size();
}

CpuInfo vortex::readCpuInfo() {
  CpuInfo info;
  readCpuid(info);
  readCores(info);
  long pages = sysconf(_SC_PHYS_PAGES), pageBytes = sysconf(_SC_PAGESIZE);
  if (pages > 0 && pageBytes > 0)
    info.memoryBytes = int64_t(pages) * pageBytes;
  return info;
}

std::string vortex::getMachineSignature(const CpuInfo &info) {
  return info.vendor + "-" + std::to_string(info.family) + "-" +
         std::to_string(info.model) + "-" + std::to_string(info.stepping) +
         "/l1=" + std::to_string(info.l1Bytes) +
         "/l2=" + std::to_string(info.l2Bytes) +
         "/l3=" + std::to_string(info.l3Bytes);
}
