//===- LoadTest.cpp - Loading artifacts -----------------------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeTest.h"

#include "vortex/Probe/CpuInfo.h"
#include "vortex/Runtime/Checksum.h"

#include <cstring>
#include <unistd.h>

static VortexStatus load(const std::string &bytes) {
  VortexModule *module = nullptr;
  VortexStatus status =
      vortexModuleLoadFromMemory(bytes.data(), bytes.size(), &module);
  EXPECT_EQ(module != nullptr, status == VORTEX_STATUS_OK);
  vortexModuleUnload(module);
  return status;
}

class LoadTest : public ::testing::Test {
protected:
  void SetUp() override { setenv("VORTEX_MACHINE_PARAMS", "none", 1); }
};

TEST_F(LoadTest, RefusesWhatIsNoArtifact) {
  VortexModule *module;
  EXPECT_FAILS(vortexModuleLoad("/nonexistent/a.so", &module),
               VORTEX_STATUS_NOT_FOUND, "/nonexistent/a.so");
  EXPECT_FAILS(vortexModuleLoad("/", &module), VORTEX_STATUS_NOT_FOUND, "/");
  EXPECT_FAILS(vortexModuleLoad("/proc/self/exe", &module),
               VORTEX_STATUS_INVALID_ARTIFACT, "not a");
  EXPECT_FAILS(vortexModuleLoad(fakePath("fake_foreign").c_str(), &module),
               VORTEX_STATUS_INVALID_ARTIFACT, "no section .vortex.meta");
  EXPECT_FAILS(load(""), VORTEX_STATUS_INVALID_ARTIFACT, "not an ELF file");
  EXPECT_FAILS(load("hello"), VORTEX_STATUS_INVALID_ARTIFACT,
               "not an ELF file");
}

TEST_F(LoadTest, RefusesOtherAbiAndCpu) {
  VortexModule *module;
  EXPECT_FAILS(vortexModuleLoad(fakePath("fake_other_abi").c_str(), &module),
               VORTEX_STATUS_UNSUPPORTED, "artifact ABI 99");
  EXPECT_FAILS(vortexModuleLoad(fakePath("fake_other_cpu").c_str(), &module),
               VORTEX_STATUS_UNSUPPORTED, "xop9000");
}

TEST_F(LoadTest, TruncatedFilesAreRefused) {
  std::string bytes = fileBytes(fakePath());
  for (size_t size = 0; size < bytes.size(); size += 1 + size / 50)
    EXPECT_EQ(load(bytes.substr(0, size)), VORTEX_STATUS_INVALID_ARTIFACT)
        << size;
}

// Every bit that code or the dynamic linker reads is under a checksum; other
// bits may be refused or not, but nothing crashes.
TEST_F(LoadTest, CorruptFilesDoNotCrash) {
  std::string bytes = fileBytes(fakePath());
  size_t refused = 0, tried = 0;
  for (size_t i = 0; i < bytes.size(); i += i < 4096 ? 1 : 7) {
    bytes[i] ^= char(1 << (i % 8));
    refused += load(bytes) != VORTEX_STATUS_OK;
    bytes[i] ^= char(1 << (i % 8));
    ++tried;
  }
  EXPECT_GT(refused, tried / 4);
}

TEST_F(LoadTest, CorruptCodeIsRefused) {
  std::string bytes = fileBytes(fakePath());
  vortex::runtime::ElfImage elf(bytes.data(), bytes.size());
  for (const char *name : {".text", ".rodata", ".dynamic", ".rela.dyn"}) {
    vortex::runtime::ElfImage::Section section;
    ASSERT_TRUE(elf.find(name, section)) << name;
    bytes[section.offset + section.size / 2] ^= 4;
    EXPECT_FAILS(load(bytes), VORTEX_STATUS_INVALID_ARTIFACT, "checksum");
    bytes[section.offset + section.size / 2] ^= 4;
  }
  EXPECT_OK(load(bytes));
}

TEST_F(LoadTest, AFileWrittenAnewIsReadAnew) {
  std::string path =
      ::testing::TempDir() + "/anew-" + std::to_string(getpid()) + ".so";
  auto write = [&](const std::string &bytes) {
    unlink(path.c_str());
    std::ofstream(path, std::ios::binary) << bytes;
  };
  std::string bytes = fileBytes(fakePath());
  write(bytes);
  VortexModule *first, *second, *third;
  ASSERT_OK(vortexModuleLoad(path.c_str(), &first));
  size_t at = bytes.find("fake 0.1.0");
  ASSERT_NE(at, std::string::npos);
  bytes.replace(at, 10, "fake 9.9.9");
  ASSERT_EQ(vortex::runtime::sealArtifact(&bytes[0], bytes.size()), nullptr);
  write(bytes);
  ASSERT_OK(vortexModuleLoad(path.c_str(), &second));
  EXPECT_STREQ(vortexModuleInfo(first)->producer, "fake 0.1.0");
  EXPECT_STREQ(vortexModuleInfo(second)->producer, "fake 9.9.9");
  vortexModuleUnload(first);
  ASSERT_OK(vortexModuleLoad(path.c_str(), &third));
  EXPECT_STREQ(vortexModuleInfo(third)->producer, "fake 9.9.9");
  vortexModuleUnload(second);
  vortexModuleUnload(third);
  unlink(path.c_str());
}

TEST_F(LoadTest, Introspection) {
  VortexModule *module;
  ASSERT_OK(vortexModuleLoad(fakePath().c_str(), &module));
  EXPECT_STREQ(vortexModuleFunction(module, 0)->name, "matmul");
  EXPECT_EQ(vortexModuleFunction(module, 1000), nullptr);
  EXPECT_EQ(vortexModuleFindFunction(module, "nosuch"), nullptr);
  const VortexFunctionInfo *add = vortexModuleFindFunction(module, "add");
  ASSERT_NE(add, nullptr);
  EXPECT_STREQ(vortexFunctionArgument(add, 2)->name, "scale");
  EXPECT_EQ(vortexFunctionArgument(add, 3), nullptr);
  EXPECT_EQ(vortexFunctionResult(add, 0)->rank, 2);
  EXPECT_STREQ(vortexModuleKernel(module, 0)->candidates[1], "twenty");
  EXPECT_STREQ(vortexModuleParam(module, 0)->name, "l2.bandwidth");
  vortexModuleUnload(module);
  char *json = nullptr;
  ASSERT_OK(
      vortexArtifactReadMetadata(fakePath("fake_other_abi").c_str(), &json));
  EXPECT_NE(std::strstr(json, "\"abi\":99"), nullptr);
  vortexFreeString(json);
}

TEST_F(LoadTest, MachineParameters) {
  std::string path =
      ::testing::TempDir() + "/params-" + std::to_string(getpid()) + ".json";
  auto write = [&](const char *text) { std::ofstream(path) << text; };
  VortexModule *module;
  double value;
  write("{\"l2.bandwidth\": 250.5, \"unknown\": 3, \"cpu\": \"x\"}");
  setenv("VORTEX_MACHINE_PARAMS", path.c_str(), 1);
  ASSERT_OK(vortexModuleLoad(fakePath().c_str(), &module));
  EXPECT_OK(vortexModuleGetParam(module, "l2.bandwidth", &value));
  EXPECT_EQ(value, 250.5);
  write("{\"l2\": {\"bandwidth\": 7e1}}");
  EXPECT_OK(vortexModuleLoadParams(module, path.c_str()));
  EXPECT_OK(vortexModuleGetParam(module, "l2.bandwidth", &value));
  EXPECT_EQ(value, 70);
  EXPECT_OK(vortexModuleSetParam(module, "l2.bandwidth", 8));
  EXPECT_FAILS(vortexModuleSetParam(module, "l3.bandwidth", 8),
               VORTEX_STATUS_NOT_FOUND, "l3.bandwidth");
  EXPECT_FAILS(vortexModuleSetParam(module, "l2.bandwidth", 0),
               VORTEX_STATUS_INVALID_ARGUMENT, "cannot be 0");
  EXPECT_FAILS(vortexModuleSetParam(module, "l2.bandwidth", 1.0 / 0.0),
               VORTEX_STATUS_INVALID_ARGUMENT, "finite");
  VortexInstance *instance;
  VortexContext *context;
  VortexContextOptions options{};
  options.size = sizeof options;
  options.threads = 3;
  ASSERT_OK(vortexInstanceCreate(module, &instance));
  ASSERT_OK(vortexContextCreate(instance, &options, &context));
  Tensor<double> out({3});
  EXPECT_OK(callInto(context, "machine", {}, {&out.managed}));
  EXPECT_EQ(out.data, (std::vector<double>{8, 3, 3}));
  vortexContextDestroy(context);
  vortexInstanceDestroy(instance);
  vortexModuleUnload(module);

  // Numbers of another machine are not this one's; the defaults stay.
  write("{\"l2.bandwidth\": 3, \"_machine\": {\"signature\": \"Cray-1\"}}");
  ASSERT_OK(vortexModuleLoad(fakePath().c_str(), &module));
  EXPECT_OK(vortexModuleGetParam(module, "l2.bandwidth", &value));
  EXPECT_EQ(value, 100);
  EXPECT_NE(std::strstr(vortexModuleRemarks(module),
                        "measured on another machine (Cray-1, this one is "),
            nullptr)
      << vortexModuleRemarks(module);
  EXPECT_FAILS(vortexModuleLoadParams(module, path.c_str()),
               VORTEX_STATUS_UNSUPPORTED, "measured on another machine");
  vortexModuleUnload(module);
  std::string here = vortex::getMachineSignature(vortex::readCpuInfo());
  write(
      ("{\"l2.bandwidth\": 3, \"_machine\": {\"signature\": \"" + here + "\"}}")
          .c_str());
  ASSERT_OK(vortexModuleLoad(fakePath().c_str(), &module));
  EXPECT_OK(vortexModuleGetParam(module, "l2.bandwidth", &value));
  EXPECT_EQ(value, 3);
  EXPECT_STREQ(vortexModuleRemarks(module), "");
  vortexModuleUnload(module);

  for (const char *value : {"\"x\"", "-1", "1e999", "null", "[1]"}) {
    write((std::string("{\"threads\": 2, \"l2.bandwidth\": ") + value + "}")
              .c_str());
    EXPECT_FAILS(vortexModuleLoad(fakePath().c_str(), &module),
                 VORTEX_STATUS_INVALID_ARGUMENT,
                 "'l2.bandwidth' is no number that a machine can have");
  }
  // Nothing uses the first; libraries that were not measured have zeros.
  for (const char *text :
       {"{\"l7.rate\": -1}", "{\"l2.bandwidth\": 0}", "{\"l2.stream\": 0.0}",
        "{\"core.units\": 0}", "{\"core.units\": 1.5}", "{\"l1.ways\": 2.5}",
        "{\"l1.capacity\": 0}"}) {
    write(text);
    EXPECT_FAILS(vortexModuleLoad(fakePath().c_str(), &module),
                 VORTEX_STATUS_INVALID_ARGUMENT,
                 "is no number that a machine can have");
  }
  write("{\"library.none.f32.rate\": 0, \"l7.latency\": 0}");
  EXPECT_OK(vortexModuleLoad(fakePath().c_str(), &module));
  vortexModuleUnload(module);
  write("{\"l2.bandwidth\": }");
  EXPECT_FAILS(vortexModuleLoad(fakePath().c_str(), &module),
               VORTEX_STATUS_INVALID_ARGUMENT, "line 1");
  unlink(path.c_str());
  EXPECT_FAILS(vortexModuleLoad(fakePath().c_str(), &module),
               VORTEX_STATUS_NOT_FOUND, path);
  unsetenv("VORTEX_MACHINE_PARAMS");
  setenv("XDG_CACHE_HOME", "/nonexistent", 1);
  EXPECT_OK(vortexModuleLoad(fakePath().c_str(), &module));
  vortexModuleUnload(module);
}
