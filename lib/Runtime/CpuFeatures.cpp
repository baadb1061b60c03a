//===- CpuFeatures.cpp - What this CPU can run ----------------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CpuFeatures.h"

#include <cstdint>
#include <dlfcn.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

using namespace vortex::runtime;

#if defined(__x86_64__)
namespace {
enum Register { EAX, EBX, ECX, EDX };
// What the operating system must save for a feature (bits of XCR0).
enum State : uint32_t { None = 0, AVX = 0x6, AVX512 = 0xE6, AMX = 0x60000 };

struct Feature {
  const char *name;
  uint32_t leaf, subleaf;
  Register reg;
  int bit;
  uint32_t state;
};

// Intel SDM volume 2 "CPUID" and AMD APM volume 3 appendix E; names from LLVM's
// X86.td.
const Feature features[] = {
    {"x87", 1, 0, EDX, 0, None},
    {"cx8", 1, 0, EDX, 8, None},
    {"cmov", 1, 0, EDX, 15, None},
    {"mmx", 1, 0, EDX, 23, None},
    {"fxsr", 1, 0, EDX, 24, None},
    {"sse", 1, 0, EDX, 25, None},
    {"sse2", 1, 0, EDX, 26, None},
    {"sse3", 1, 0, ECX, 0, None},
    {"pclmul", 1, 0, ECX, 1, None},
    {"ssse3", 1, 0, ECX, 9, None},
    {"fma", 1, 0, ECX, 12, AVX},
    {"cx16", 1, 0, ECX, 13, None},
    {"sse4.1", 1, 0, ECX, 19, None},
    {"sse4.2", 1, 0, ECX, 20, None},
    {"crc32", 1, 0, ECX, 20, None},
    {"movbe", 1, 0, ECX, 22, None},
    {"popcnt", 1, 0, ECX, 23, None},
    {"aes", 1, 0, ECX, 25, None},
    {"xsave", 1, 0, ECX, 26, None},
    {"avx", 1, 0, ECX, 28, AVX},
    {"f16c", 1, 0, ECX, 29, AVX},
    {"rdrnd", 1, 0, ECX, 30, None},
    {"fsgsbase", 7, 0, EBX, 0, None},
    {"bmi", 7, 0, EBX, 3, None},
    {"avx2", 7, 0, EBX, 5, AVX},
    {"bmi2", 7, 0, EBX, 8, None},
    {"invpcid", 7, 0, EBX, 10, None},
    {"avx512f", 7, 0, EBX, 16, AVX512},
    {"evex512", 7, 0, EBX, 16, AVX512},
    {"avx512dq", 7, 0, EBX, 17, AVX512},
    {"rdseed", 7, 0, EBX, 18, None},
    {"adx", 7, 0, EBX, 19, None},
    {"avx512ifma", 7, 0, EBX, 21, AVX512},
    {"clflushopt", 7, 0, EBX, 23, None},
    {"clwb", 7, 0, EBX, 24, None},
    {"avx512cd", 7, 0, EBX, 28, AVX512},
    {"sha", 7, 0, EBX, 29, None},
    {"avx512bw", 7, 0, EBX, 30, AVX512},
    {"avx512vl", 7, 0, EBX, 31, AVX512},
    {"avx512vbmi", 7, 0, ECX, 1, AVX512},
    {"waitpkg", 7, 0, ECX, 5, None},
    {"avx512vbmi2", 7, 0, ECX, 6, AVX512},
    {"gfni", 7, 0, ECX, 8, None},
    {"vaes", 7, 0, ECX, 9, AVX},
    {"vpclmulqdq", 7, 0, ECX, 10, AVX},
    {"avx512vnni", 7, 0, ECX, 11, AVX512},
    {"avx512bitalg", 7, 0, ECX, 12, AVX512},
    {"avx512vpopcntdq", 7, 0, ECX, 14, AVX512},
    {"rdpid", 7, 0, ECX, 22, None},
    {"cldemote", 7, 0, ECX, 25, None},
    {"movdiri", 7, 0, ECX, 27, None},
    {"movdir64b", 7, 0, ECX, 28, None},
    {"avx512vp2intersect", 7, 0, EDX, 8, AVX512},
    {"serialize", 7, 0, EDX, 14, None},
    {"amx-bf16", 7, 0, EDX, 22, AMX},
    {"avx512fp16", 7, 0, EDX, 23, AVX512},
    {"amx-tile", 7, 0, EDX, 24, AMX},
    {"amx-int8", 7, 0, EDX, 25, AMX},
    {"sha512", 7, 1, EAX, 0, AVX},
    {"sm3", 7, 1, EAX, 1, AVX},
    {"sm4", 7, 1, EAX, 2, AVX},
    {"avxvnni", 7, 1, EAX, 4, AVX},
    {"avx512bf16", 7, 1, EAX, 5, AVX512},
    {"amx-fp16", 7, 1, EAX, 21, AMX},
    {"avxifma", 7, 1, EAX, 23, AVX},
    {"avxvnniint8", 7, 1, EDX, 4, AVX},
    {"avxneconvert", 7, 1, EDX, 5, AVX},
    {"amx-complex", 7, 1, EDX, 8, AMX},
    {"avxvnniint16", 7, 1, EDX, 10, AVX},
    {"prefetchi", 7, 1, EDX, 14, None},
    {"avx10.1-512", 7, 1, EDX, 19, AVX512},
    {"xsaveopt", 0xD, 1, EAX, 0, None},
    {"xsavec", 0xD, 1, EAX, 1, None},
    {"xsaves", 0xD, 1, EAX, 3, None},
    {"sahf", 0x80000001, 0, ECX, 0, None},
    {"lzcnt", 0x80000001, 0, ECX, 5, None},
    {"sse4a", 0x80000001, 0, ECX, 6, None},
    {"prfchw", 0x80000001, 0, ECX, 8, None},
    {"xop", 0x80000001, 0, ECX, 11, AVX},
    {"fma4", 0x80000001, 0, ECX, 16, AVX},
    {"tbm", 0x80000001, 0, ECX, 21, None},
    {"mwaitx", 0x80000001, 0, ECX, 29, None},
    {"64bit", 0x80000001, 0, EDX, 29, None},
    {"clzero", 0x80000008, 0, EBX, 0, None},
    {"rdpru", 0x80000008, 0, EBX, 4, None},
    {"wbnoinvd", 0x80000008, 0, EBX, 9, None},
};

uint32_t enabledState() {
  unsigned a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & (1u << 27)))
    return 0;
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

/// Linux gives a process the large tile state only when it asks (5.16).
bool requestAmx() {
  static const bool granted = [] {
    const long requestPermission = 0x1023, tileData = 18;
    return syscall(SYS_arch_prctl, requestPermission, tileData) == 0;
  }();
  return granted;
}

/// Whether what this process has preloaded runs the instructions of a feature
/// that the CPU lacks: test/amx does. A program without it has no such symbol.
bool isEmulated(const std::string &name) {
  using List = const char *();
  static const std::string all = [] {
    auto *list = reinterpret_cast<List *>(
        dlsym(RTLD_DEFAULT, "vortex_emulated_cpu_features"));
    return list ? "," + std::string(list()) + "," : std::string();
  }();
  return all.find("," + name + ",") != std::string::npos;
}

std::string check(const std::string &name) {
  for (const Feature &feature : features) {
    if (name != feature.name)
      continue;
    if (isEmulated(name))
      return "";
    unsigned r[4] = {0, 0, 0, 0};
    if (!__get_cpuid_count(feature.leaf, feature.subleaf, &r[0], &r[1], &r[2],
                           &r[3]) ||
        !(r[feature.reg] >> feature.bit & 1))
      return "this CPU has no " + name;
    if ((enabledState() & feature.state) != feature.state)
      return "the operating system has not enabled " + name;
    if (feature.state == AMX && !requestAmx())
      return "the operating system does not permit " + name;
    return "";
  }
  return "'" + name + "' is not a feature that this run time knows";
}
} // namespace
#else
static std::string check(const std::string &name) {
  return "this CPU has no " + name;
}
#endif

std::string vortex::runtime::missingCpuFeatures(const std::string &features) {
  for (size_t begin = 0; begin < features.size();) {
    size_t end = features.find(',', begin);
    if (end == std::string::npos)
      end = features.size();
    std::string name = features.substr(begin, end - begin);
    begin = end + 1;
    while (!name.empty() && (name[0] == '+' || name[0] == ' '))
      name.erase(0, 1);
    if (name.empty() || name[0] == '-')
      continue;
    std::string missing = check(name);
    if (!missing.empty())
      return missing;
  }
  return "";
}
