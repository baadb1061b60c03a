//===- HostTarget.cpp - The machine the compiler runs on ------ -*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/HwDesc/Targets.h"
#include "vortex/Probe/CpuInfo.h"
#include "vortex/Probe/HostParams.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/X86TargetParser.h"

#include <cstdlib>
#include <mutex>

using namespace mlir;
using namespace vortex;

/// Features the machine and its operating system support (XCR0 included).
/// Never from the CPU's name, which hypervisors change.
static SmallVector<std::string> getHostFeatures() {
  SmallVector<std::string> features;
  for (const auto &entry : llvm::sys::getHostCPUFeatures())
    if (entry.second)
      features.push_back(entry.first().str());
  llvm::sort(features);
  return features;
}

/// The description to start from: the largest instruction set all of whose
/// parts are here.
static StringRef getHostIsa(ArrayRef<std::string> features) {
  auto has = [&](std::initializer_list<StringRef> names) {
    return llvm::all_of(names, [&](StringRef name) {
      return llvm::is_contained(features, name);
    });
  };
  if (!has({"avx2", "fma", "f16c", "bmi2"}))
    return {};
  if (!has({"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}))
    return "x86-avx2";
  return has({"amx-tile", "amx-bf16", "amx-int8"}) ? "x86-avx512-amx"
                                                   : "x86-avx512";
}

/// LLVM's CPU for the scheduling model. A CPU brings its features along, so it
/// must not have one that this machine lacks.
static StringRef getHostCpu(StringRef preferred,
                            ArrayRef<std::string> features) {
  for (StringRef cpu :
       {preferred, StringRef("x86-64-v4"), StringRef("x86-64-v3")}) {
    SmallVector<StringRef> needed;
    llvm::X86::getFeaturesForCPU(cpu, needed);
    // Names that every 64-bit machine has, which CPUID does not repeat.
    llvm::erase_if(needed, [](StringRef name) {
      return name == "64bit" || name == "x87" || name == "avx10-512bit" ||
             name == "evex512";
    });
    if (llvm::all_of(needed, [&](StringRef name) {
          return llvm::is_contained(features, name);
        }))
      return cpu;
  }
  return "x86-64";
}

/// Replaces a number of a level if the level exists and the machine knows it.
static void
setNumber(SmallVectorImpl<std::pair<std::string, std::string>> &changes,
          HwAttr target, StringRef level, StringRef field, int64_t value) {
  if (value > 0 && target.getLevel(level))
    changes.emplace_back((level + "." + field).str(), std::to_string(value));
}

constexpr StringRef kWithout = " (VORTEX_MACHINE_PARAMS=none does without)";

/// The numbers kept for this machine; false when there are none. What cannot be
/// read is an error, as it is where artifacts are loaded.
static FailureOr<bool> readMeasurements(MLIRContext *context,
                                        const CpuInfo &info, HostParams &params,
                                        EmitErrorFn emitError) {
  std::string error, path = getHostParamsPath();
  if (path.empty())
    return false;
  switch (readHostParams(path, params, error)) {
  case ReadResult::NoFile:
    // Without the variable there need not be a file.
    if (!std::getenv("VORTEX_MACHINE_PARAMS"))
      return false;
    return emitError() << "machine parameters: cannot read '" << path << "'"
                       << kWithout;
  case ReadResult::Malformed:
    return emitError() << "machine parameters: " << error << kWithout;
  case ReadResult::Done:
    break;
  }
  for (const auto &[name, value] : params.numbers)
    if (!isPossibleParam(name, value))
      return emitError() << "machine parameters: '" << path << "', '" << name
                         << "' is no number that a machine can have"
                         << kWithout;
  if (params.machine["signature"] == getMachineSignature(info))
    return true;
  // A compilation asks for its target more than once.
  static std::mutex mutex;
  static llvm::StringSet<> told;
  std::lock_guard<std::mutex> lock(mutex);
  if (told.insert(path).second)
    mlir::emitRemark(FileLineColLoc::get(context, path, 1, 1))
        << "measurements are of another machine and not used; run vortex-probe";
  return false;
}

/// Measured numbers instead of those the description has. Sizes and counts
/// stay: they are what this process finds, not what it was told.
static FailureOr<HwAttr> applyMeasurements(HwAttr target,
                                           const HostParams &params,
                                           EmitErrorFn emitError) {
  SmallVector<std::pair<std::string, std::string>> changes;
  for (const auto &[key, value] : params.numbers) {
    StringRef field = StringRef(key).rsplit('.').second;
    bool measured = field == "bandwidth" || field == "stream" ||
                    field == "touched" || field == "exposed" ||
                    field == "scattered" || field == "merged" ||
                    field == "latency" || field == "translation" ||
                    field == "startup" || field == "call" || field == "rate" ||
                    (field == "half" && target.getNumber(key) > 0.0);
    if (!measured || !target.getNumber(key))
      continue;
    std::string text;
    llvm::raw_string_ostream(text) << llvm::format("%.17g", value);
    changes.emplace_back(key, text);
  }
  auto emitParamError = [&]() {
    return emitError() << "machine parameters: '" << getHostParamsPath()
                       << "': ";
  };
  return overrideTarget(target, changes, "measured by vortex-probe",
                        emitParamError);
}

/// Features that generated code may use. What is for operating systems only
/// (xsave, invpcid) would tie an artifact to a machine for nothing.
static bool isCodeFeature(StringRef name) {
  static constexpr StringRef prefixes[] = {"avx", "amx", "sse", "ssse"};
  static constexpr StringRef names[] = {"bmi",   "bmi2",   "crc32", "cx16",
                                        "f16c",  "fma",    "gfni",  "lzcnt",
                                        "movbe", "popcnt", "prfchw"};
  return llvm::is_contained(names, name) ||
         llvm::any_of(prefixes, [&](StringRef prefix) {
           return name.starts_with(prefix);
         });
}

FailureOr<HwAttr> vortex::getHostTarget(MLIRContext *context,
                                        EmitErrorFn emitError,
                                        const HostParams *params) {
  SmallVector<std::string> features = getHostFeatures();
  StringRef isa = getHostIsa(features);
  if (isa.empty())
    return emitError() << "target 'host' needs an x86-64 machine with AVX2 and "
                          "FMA; name another target";
  CpuInfo info = readCpuInfo();
  StringRef name = isa;
  // All that AMD made with AVX-512, whose rates are others.
  if (isa == "x86-avx512" && info.vendor == "AuthenticAMD")
    name = "x86-zen4";
  auto base = lookupTarget(context, name, emitError);
  if (failed(base))
    return failure();
  HwAttr target = *base;
  std::string cpu = getHostCpu(target.getCpu(), features).str();
  if (name == "x86-avx512") {
    // The largest description also lists instructions (bf16, f16) that some
    // machines without AMX have; those this one lacks go below.
    auto largest = lookupTarget(context, "x86-avx512-amx", emitError);
    if (failed(largest))
      return failure();
    target =
        HwAttr::get(context, target.getIsa(), target.getChip(),
                    target.getTriple(), target.getCpu(), target.getFeatures(),
                    target.getLevels(), largest->getInstructions());
  }
  llvm::erase_if(features, [](StringRef name) { return !isCodeFeature(name); });
  target = withFeatures(target, "+" + llvm::join(features, ",+"));

  SmallVector<std::pair<std::string, std::string>> changes;
  changes.emplace_back("chip", "host");
  changes.emplace_back("cpu", cpu);
  setNumber(changes, target, "device", "capacity", info.memoryBytes);
  setNumber(changes, target, "core", "units", info.cores);
  setNumber(changes, target, "l2", "capacity", info.l2Bytes);
  setNumber(changes, target, "l1", "capacity", info.l1Bytes);
  setNumber(changes, target, "l2", "ways", info.l2Ways);
  setNumber(changes, target, "l1", "ways", info.l1Ways);
  // A hypervisor may hide the last level; the default then stands for it.
  if (info.l3Bytes > info.l2Bytes)
    setNumber(changes, target, "l3", "capacity", info.l3Bytes);
  auto host = overrideTarget(target, changes, "CPUID and sysfs", emitError);
  if (failed(host))
    return failure();
  HostParams kept;
  if (!params) {
    auto found = readMeasurements(context, info, kept, emitError);
    if (failed(found))
      return failure();
    if (*found)
      params = &kept;
  }
  return params ? applyMeasurements(*host, *params, emitError) : host;
}
