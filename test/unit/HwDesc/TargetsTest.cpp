//===- TargetsTest.cpp - Targets as C++ sees them ------------- -*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/HwDesc/Targets.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "gtest/gtest.h"

#include <map>

using namespace mlir;
using namespace vortex;

namespace {
class Targets : public ::testing::Test {
protected:
  Targets()
      : handler(&context, [this](Diagnostic &diagnostic) {
          message = diagnostic.str();
          return success();
        }) {
    context.loadDialect<VortexDialect>();
  }

  InFlightDiagnostic emitError() {
    return mlir::emitError(UnknownLoc::get(&context));
  }

  HwAttr parse(StringRef spec) {
    auto targets = parseTargets(&context, spec, [&]() { return emitError(); });
    return succeeded(targets) ? targets->front() : HwAttr();
  }

  MLIRContext context;
  std::string message;
  ScopedDiagnosticHandler handler;
};
} // namespace

TEST_F(Targets, AttributesBuiltInCppAreVerified) {
  HwAttr target = parse("x86-avx2");
  ASSERT_TRUE(target) << message;
  auto error = [&]() { return emitError(); };
  Builder b(&context);
  FloatAttr one = b.getF64FloatAttr(1), zero = b.getF64FloatAttr(0);
  // Arguments of exactly these types, or a template of MLIR's takes the call.
  auto getLevel = [&](int64_t units, int64_t capacity) {
    int64_t line = 64, none = 0;
    return HwLevelAttr::getChecked(
        error, &context, StringRef("l2"), units, StringRef("cache"), capacity,
        one, zero, zero, line, line, none, none, none, none, zero, zero, zero,
        zero, zero, zero, zero, DictionaryAttr(), StringAttr());
  };
  EXPECT_TRUE(getLevel(1, 4096));
  EXPECT_FALSE(getLevel(0, 4096));
  EXPECT_EQ(message, "level 'l2' needs 'units'");
  EXPECT_FALSE(getLevel(1, -4096));
  EXPECT_EQ(message, "level 'l2': 'capacity' must be at least 1, got -4096");
  Type f32 = b.getF32Type();
  int64_t m = 1, n = 8, registers = 0;
  EXPECT_FALSE(HwInstructionAttr::getChecked(
      error, &context, StringRef("f"), StringRef("fma"), f32, f32, f32, m, n, m,
      zero, zero, zero, registers, StringRef(), DictionaryAttr(),
      StringAttr()));
  EXPECT_EQ(message, "instruction 'f': 'rate' must be positive, got 0");
  n = 7;
  EXPECT_FALSE(HwInstructionAttr::getChecked(
      error, &context, StringRef("f"), StringRef("fma"), f32, f32, f32, m, n, m,
      one, one, zero, registers, StringRef(), DictionaryAttr(), StringAttr()));
  EXPECT_EQ(message, "instruction 'f': 'half' is for vectors that can be "
                     "halved: an fma of an even number of columns");
  EXPECT_FALSE(HwAttr::getChecked(
      error, &context, StringRef("x86-avx2"), StringRef("c"), StringRef("t"),
      StringRef(), target.getFeatures(), target.getLevels().drop_back(),
      target.getInstructions()));
  EXPECT_EQ(message, "level 'register' is missing; x86-avx2 needs device, "
                     "core, l2, l1, register, from the outside in");
}

TEST_F(Targets, Accessors) {
  HwAttr target = parse("x86-avx512-amx");
  ASSERT_TRUE(target) << message;
  Builder b(&context);
  EXPECT_FALSE(target.isGPU());
  EXPECT_EQ(target.getVectorBytes(), 64);
  EXPECT_EQ(target.getVectorRegisters(), 32);
  HwInstructionAttr tile = target.getInstruction(
      "tile", b.getBF16Type(), b.getBF16Type(), b.getF32Type());
  ASSERT_TRUE(tile);
  EXPECT_EQ(tile.getRegisters(), 8);
  EXPECT_EQ(tile.getKey(), "tile.bf16");
  EXPECT_FALSE(target.getInstruction("tile", b.getF32Type(), b.getF32Type(),
                                     b.getF32Type()));
  EXPECT_FALSE(target.getLevel("smem"));
  HwAttr gpu = parse("sm_90a");
  EXPECT_TRUE(gpu.isGPU());
  EXPECT_EQ(gpu.getVectorRegisters(), 255);
}

TEST_F(Targets, MachineParams) {
  HwAttr target = parse("x86-avx2,core.units=8");
  ASSERT_TRUE(target) << message;
  auto list = getMachineParams(target);
  std::map<std::string, double> params(list.begin(), list.end());
  EXPECT_EQ(params.size(), list.size()) << "a key is listed twice";
  EXPECT_EQ(params.at("core.units"), 8);
  EXPECT_EQ(params.at("core.startup"), 330);
  EXPECT_EQ(params.at("core.call"), 60);
  EXPECT_EQ(params.at("fma.f32.rate"), 94);
  EXPECT_EQ(params.at("fma.f32.latency"), 1.4);
  // One reader alone draws the whole of a memory of its own.
  EXPECT_EQ(params.at("l2.stream"), params.at("l2.bandwidth"));
  EXPECT_LT(params.at("l3.stream"), params.at("l3.bandwidth"));
  EXPECT_EQ(params.count("core.capacity"), 0u);
  for (auto &[key, value] : list)
    EXPECT_EQ(target.getNumber(key), value) << key;
}

TEST_F(Targets, CodeDoesNotDependOnMeasurements) {
  HwAttr target = parse("x86-avx512");
  ASSERT_TRUE(target) << message;
  HwAttr plain = withoutMeasurements(target);
  for (StringRef same : {"core.units=64", "l3.bandwidth=500", "l2.latency=9",
                         "chip=other", "core.startup=1", "fma.f32.rate=7",
                         "device.capacity=64GiB", "l1.stream=3"}) {
    HwAttr other = parse(("x86-avx512," + same).str());
    ASSERT_TRUE(other) << message;
    EXPECT_NE(other, target);
    EXPECT_EQ(withoutMeasurements(other), plain) << same.str();
  }
  for (StringRef different : {"l2.capacity=2MiB", "l1.alignment=128",
                              "cpu=znver4", "features=-avx512vnni"}) {
    HwAttr other = parse(("x86-avx512," + different).str());
    ASSERT_TRUE(other) << message;
    EXPECT_NE(withoutMeasurements(other), plain) << different.str();
  }
  // What is left is still a description.
  auto error = [&]() { return emitError(); };
  EXPECT_TRUE(succeeded(overrideTarget(plain, {}, "", error))) << message;
}

TEST_F(Targets, WaitsAcrossLines) {
  auto waits = [&](StringRef spec) {
    HwAttr target = parse(spec);
    EXPECT_TRUE(target) << message;
    bool found = target && waitsAcrossLines(target);
    // Code of kernels is made without what was measured.
    if (target)
      EXPECT_EQ(waitsAcrossLines(withoutMeasurements(target)), found);
    return found;
  };
  EXPECT_TRUE(waits("x86-avx512"));
  EXPECT_TRUE(waits("x86-avx512-amx"));
  EXPECT_FALSE(waits("x86-zen4"));
  EXPECT_FALSE(waits("x86-avx2"));
  EXPECT_FALSE(waits("sm_80"));
}

TEST_F(Targets, AttachedToTheNearestModule) {
  OwningOpRef<ModuleOp> outer = ModuleOp::create(UnknownLoc::get(&context));
  ModuleOp inner = ModuleOp::create(UnknownLoc::get(&context));
  outer->push_back(inner);
  EXPECT_TRUE(getTargets(inner).empty());
  ASSERT_TRUE(succeeded(attachTargets(*outer, "sm_80,x86-avx2")));
  EXPECT_EQ(getTargets(inner).size(), 2u);
  ASSERT_TRUE(succeeded(attachTargets(inner, "x86-avx512")));
  EXPECT_EQ(getTargets(inner).front().getIsa(), "x86-avx512");
}
