//===- RuntimeTest.h - What the tests of the run time share -----*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_TEST_UNIT_RUNTIME_RUNTIMETEST_H
#define VORTEX_TEST_UNIT_RUNTIME_RUNTIMETEST_H

#include "vortex-c/Runtime.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <string>
#include <vector>

#define EXPECT_OK(call) EXPECT_EQ(call, VORTEX_STATUS_OK) << vortexLastError()
#define ASSERT_OK(call) ASSERT_EQ(call, VORTEX_STATUS_OK) << vortexLastError()
/// The call fails with this status, and the message has this text in it.
#define EXPECT_FAILS(call, status, text)                                       \
  do {                                                                         \
    EXPECT_EQ(call, status);                                                   \
    EXPECT_NE(std::string(vortexLastError()).find(text), std::string::npos)    \
        << vortexLastError();                                                  \
  } while (0)

inline std::string fakePath(const char *name = "fake_artifact") {
  return std::string(FAKE_DIR) + "/" + name + ".so";
}
inline std::string fileBytes(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  return std::string((std::istreambuf_iterator<char>(in)), {});
}

template <typename T>
DLDataType typeOf();
template <>
inline DLDataType typeOf<float>() {
  return {kDLFloat, 32, 1};
}
template <>
inline DLDataType typeOf<double>() {
  return {kDLFloat, 64, 1};
}
template <>
inline DLDataType typeOf<int64_t>() {
  return {kDLInt, 64, 1};
}

/// A tensor with its elements.
template <typename T>
struct Tensor {
  Tensor(std::vector<int64_t> sizes, std::vector<T> elements = {})
      : shape(std::move(sizes)), data(std::move(elements)) {
    int64_t count = 1;
    for (int64_t s : shape)
      count *= s;
    data.resize(size_t(count));
    managed.dl_tensor.data = data.data();
    managed.dl_tensor.device = {kDLCPU, 0};
    managed.dl_tensor.ndim = int32_t(shape.size());
    managed.dl_tensor.dtype = typeOf<T>();
    managed.dl_tensor.shape = shape.data();
  }
  Tensor(const Tensor &) = delete;
  operator const DLTensor *() const { return &managed.dl_tensor; }
  DLTensor &dl() { return managed.dl_tensor; }

  std::vector<int64_t> shape;
  std::vector<T> data;
  DLManagedTensorVersioned managed{};
};

inline VortexStatus call(VortexContext *context, const char *function,
                         std::vector<const DLTensor *> args,
                         std::vector<DLManagedTensorVersioned *> &results) {
  return vortexContextCall(context, function, args.data(), int64_t(args.size()),
                           results.data(), int64_t(results.size()));
}
/// A call with the caller's results.
inline VortexStatus callInto(VortexContext *context, const char *function,
                             std::vector<const DLTensor *> args,
                             std::vector<DLManagedTensorVersioned *> results) {
  return call(context, function, std::move(args), results);
}

/// The fake artifact with an instance and a context of two threads.
class RuntimeTest : public ::testing::Test {
protected:
  void SetUp() override {
    setenv("VORTEX_MACHINE_PARAMS", "none", 1);
    ASSERT_OK(vortexModuleLoad(fakePath().c_str(), &module));
    ASSERT_OK(vortexInstanceCreate(module, &instance));
    context = makeContext(2);
  }
  void TearDown() override {
    // The order that is hardest on the reference counts.
    vortexModuleUnload(module);
    vortexInstanceDestroy(instance);
    vortexContextDestroy(context);
  }
  VortexContext *makeContext(int threads) {
    VortexContextOptions options{};
    options.size = sizeof options;
    options.threads = threads;
    VortexContext *made = nullptr;
    EXPECT_OK(vortexContextCreate(instance, &options, &made));
    return made;
  }

  VortexModule *module = nullptr;
  VortexInstance *instance = nullptr;
  VortexContext *context = nullptr;
};

#endif // VORTEX_TEST_UNIT_RUNTIME_RUNTIMETEST_H
