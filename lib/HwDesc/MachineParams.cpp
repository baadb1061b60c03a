//===- MachineParams.cpp - The numbers of a target ------------ -*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/HwDesc/Targets.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace vortex;

SmallVector<std::pair<std::string, double>>
vortex::getMachineParams(HwAttr target) {
  SmallVector<std::pair<std::string, double>> params;
  auto add = [&](StringRef prefix, StringRef field, double value) {
    params.emplace_back((prefix + "." + field).str(), value);
  };
  for (HwLevelAttr level : target.getLevels()) {
    StringRef name = level.getName();
    add(name, "units", level.getUnits());
    if (level.hasMemory()) {
      add(name, "capacity", level.getCapacity());
      add(name, "bandwidth", level.getBandwidth());
      add(name, "stream", level.getStream());
      add(name, "latency", level.getLatency());
      if ((level.getMemory() == "dram" || name == "l3") && !target.isGPU())
        add(name, "touched", level.getTouched());
      if (level.getExposed() > 0)
        add(name, "exposed", level.getExposed());
    }
    if (level.getScattered() > 0)
      add(name, "scattered", level.getScattered());
    if (*level.getNumber("merged") > 0)
      add(name, "merged", level.getMerged());
    if (level.getWays() > 0)
      add(name, "ways", level.getWays());
    if (level.getStreams() > 0)
      add(name, "streams", level.getStreams());
    if (level.getOutstanding() > 0)
      add(name, "outstanding", level.getOutstanding());
    if (level.getPages() > 0)
      add(name, "pages", level.getPages());
    if (level.getTranslation() > 0)
      add(name, "translation", level.getTranslation());
    if (level.getStartup() > 0)
      add(name, "startup", level.getStartup());
    if (level.getCall() > 0)
      add(name, "call", level.getCall());
  }
  for (HwInstructionAttr instruction : target.getInstructions()) {
    std::string key = instruction.getKey();
    // Instructions that differ only in the accumulator share a key; the first
    // one listed counts.
    if (llvm::any_of(params,
                     [&](auto &param) { return param.first == key + ".rate"; }))
      continue;
    add(key, "rate", instruction.getRate());
    if (instruction.getHalf() > 0)
      add(key, "half", instruction.getHalf());
    if (instruction.getLatency() > 0)
      add(key, "latency", instruction.getLatency());
  }
  return params;
}

HwAttr vortex::withoutMeasurements(HwAttr target) {
  MLIRContext *context = target.getContext();
  Builder b(context);
  FloatAttr zero = b.getF64FloatAttr(0), one = b.getF64FloatAttr(1);
  // Main memory never limits a tile.
  constexpr int64_t anyMemory = int64_t(1) << 50;
  SmallVector<HwLevelAttr> levels;
  // How many register files there are belongs to the instruction set: code
  // divides registers among warps.
  for (HwLevelAttr level : target.getLevels())
    levels.push_back(HwLevelAttr::get(
        context, level.getName(),
        level.getMemory() == "register" ? level.getUnits() : 1,
        level.getMemory(),
        level.getMemory() == "dram" ? anyMemory : level.getCapacity(),
        level.hasMemory() ? one : zero, zero, zero, level.getGranularity(),
        level.getAlignment(), level.getWays(), level.getStreams(),
        /*outstanding=*/0, /*pages=*/0, zero, zero, zero, zero, zero, zero,
        zero, DictionaryAttr(), StringAttr()));
  SmallVector<HwInstructionAttr> instructions;
  for (HwInstructionAttr instruction : target.getInstructions())
    instructions.push_back(HwInstructionAttr::get(
        context, instruction.getName(), instruction.getKind(),
        instruction.getA(), instruction.getB(), instruction.getAcc(),
        instruction.getM(), instruction.getN(), instruction.getK(), one,
        // That there is a number shapes code, not which.
        instruction.getHalf() > 0 ? one : zero, zero,
        instruction.getRegisters(), instruction.getFeature(), DictionaryAttr(),
        StringAttr()));
  return HwAttr::get(context, target.getIsa(), "any", target.getTriple(),
                     target.getCpu(), target.getFeatures(), levels,
                     instructions);
}

bool vortex::waitsAcrossLines(HwAttr target) {
  return !target.isGPU() && target.getVectorBytes() >= target.getLineBytes() &&
         llvm::none_of(target.getInstructions(), [](HwInstructionAttr i) {
           return i.getKind() == "fma" && i.getHalf() > 0;
         });
}
