//===- CallTest.cpp - Calling functions -----------------------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeTest.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <thread>

using Call = RuntimeTest;

static std::vector<float> matmul(const std::vector<float> &a,
                                 const std::vector<float> &b, int64_t m,
                                 int64_t n, int64_t k) {
  std::vector<float> c(size_t(m * n));
  for (int64_t i = 0; i < m; ++i)
    for (int64_t l = 0; l < k; ++l)
      for (int64_t j = 0; j < n; ++j)
        c[i * n + j] += a[i * k + l] * b[l * n + j];
  return c;
}
static std::vector<float> ramp(int64_t count, float from = 0) {
  std::vector<float> v(static_cast<size_t>(count));
  for (size_t i = 0; i < v.size(); ++i)
    v[i] = from + float(i % 17);
  return v;
}

TEST_F(Call, Matmul) {
  for (int64_t m : {0, 1, 3, 64})
    for (int64_t k : {0, 1, 5}) {
      Tensor<float> a({m, k}, ramp(m * k)), b({k, 7}, ramp(k * 7, 2)),
          c({m, 7});
      ASSERT_OK(callInto(context, "matmul", {a, b}, {&c.managed}));
      EXPECT_EQ(c.data, matmul(a.data, b.data, m, 7, k));
    }
}

TEST_F(Call, AllocatedResults) {
  Tensor<float> a({2, 3}, ramp(6)), b({3, 4}, ramp(12));
  std::vector<DLManagedTensorVersioned *> results = {nullptr};
  ASSERT_OK(call(context, "matmul", {a, b}, results));
  const DLTensor &c = results[0]->dl_tensor;
  ASSERT_EQ(c.ndim, 2);
  EXPECT_EQ(c.shape[0], 2);
  EXPECT_EQ(c.shape[1], 4);
  EXPECT_EQ(c.strides[0], 4);
  auto *data = static_cast<float *>(c.data);
  EXPECT_EQ(std::vector<float>(data, data + 8),
            matmul(a.data, b.data, 2, 4, 3));
  results[0]->deleter(results[0]);
}

TEST_F(Call, WrongArguments) {
  Tensor<float> a({5, 3}), b({3, 4}), wrong({4, 4}), flat({5}), c({5, 4});
  Tensor<double> other({5, 3});
  auto fails = [&](std::vector<const DLTensor *> args, const char *text) {
    EXPECT_FAILS(callInto(context, "matmul", args, {&c.managed}),
                 VORTEX_STATUS_INVALID_ARGUMENT, text);
  };
  fails({a}, "takes 2 arguments, got 1");
  fails({a, wrong}, "argument 1 ('b'), dimension 0 is 4, but 'k' is 3 from "
                    "argument 0");
  fails({flat, b}, "argument 0 ('a') has rank 1, the signature says 2: "
                   "tensor<?x?xf32>");
  fails({other, b}, "has elements of float64, the signature says f32");
  fails({a, nullptr}, "is null");
  a.dl().device.device_type = kDLCUDA;
  fails({a, b}, "not in the CPU's memory");
  a.dl().device.device_type = kDLCPU;
  a.shape[0] = -5;
  fails({a, b}, "negative size in dimension 0");
  a.shape[0] = INT64_MAX / 4;
  fails({a, b}, "more bytes than there are addresses");
  // Code does not compute with sizes that wrap, also of an empty tensor.
  a.shape[0] = (int64_t(1) << 48) / 3 + 1;
  fails({a, b}, "sizes whose product, zeros left out, is beyond 2^48");
  a.shape[0] = (int64_t(1) << 48) + 1;
  a.shape[1] = 0;
  fails({a, b}, "sizes whose product, zeros left out, is beyond 2^48");
  a.shape[1] = 3;
  a.shape[0] = 5;
  EXPECT_FAILS(callInto(context, "matmul", {a, b}, {}),
               VORTEX_STATUS_INVALID_ARGUMENT, "1 results, got room for 0");
  EXPECT_FAILS(callInto(context, "nosuch", {}, {}), VORTEX_STATUS_NOT_FOUND,
               "there is: matmul, add");
  Tensor<float> fixed({5, 4});
  fixed.managed.flags = DLPACK_FLAG_BITMASK_READ_ONLY;
  EXPECT_FAILS(callInto(context, "matmul", {a, b}, {&fixed.managed}),
               VORTEX_STATUS_INVALID_ARGUMENT, "result 0 is read only");
  EXPECT_FAILS(callInto(context, "matmul", {a, b}, {&wrong.managed}),
               VORTEX_STATUS_INVALID_ARGUMENT,
               "result 0, dimension 0 is 5, but the caller's tensor has 4");
}

/// From the second call on, a function's calls take a shorter way where nothing
/// is unusual about them, and the long one everywhere else.
TEST_F(Call, LaterCallsAreCheckedAsTheFirst) {
  for (int time = 0; time < 3; ++time) {
    Tensor<float> a({2, 2}, {1, 2, 3, 4}), b({2, 2}, {1, 0, 0, 1}), c({2, 2}),
        wrong({3, 2});
    ASSERT_OK(callInto(context, "matmul", {a, b}, {&c.managed}));
    EXPECT_EQ(c.data, a.data);
    // The result on an argument: computed elsewhere, then copied.
    Tensor<float> onto({2, 2}, {5, 6, 7, 8});
    ASSERT_OK(callInto(context, "matmul", {a, onto}, {&onto.managed}));
    EXPECT_EQ(onto.data, (std::vector<float>{19, 22, 43, 50}));
    int64_t transposed[] = {1, 2};
    a.dl().strides = transposed;
    ASSERT_OK(callInto(context, "matmul", {a, b}, {&c.managed}));
    EXPECT_EQ(c.data, (std::vector<float>{1, 3, 2, 4}));
    a.dl().strides = nullptr;
    a.dl().byte_offset = 4;
    a.shape = {1, 2};
    c.shape = {1, 2};
    ASSERT_OK(callInto(context, "matmul", {a, b}, {&c.managed}));
    EXPECT_EQ(c.data[0], 2);
    a.dl().byte_offset = 0;
    EXPECT_FAILS(callInto(context, "matmul", {a, wrong}, {&c.managed}),
                 VORTEX_STATUS_INVALID_ARGUMENT, "'k' is 2 from argument 0");
    EXPECT_FAILS(callInto(context, "matmul", {a, b}, {&wrong.managed}),
                 VORTEX_STATUS_INVALID_ARGUMENT,
                 "dimension 0 is 1, but the caller's tensor has 3");
    c.managed.flags = DLPACK_FLAG_BITMASK_READ_ONLY;
    EXPECT_FAILS(callInto(context, "matmul", {a, b}, {&c.managed}),
                 VORTEX_STATUS_INVALID_ARGUMENT, "is read only");
    c.managed.flags = 0;
    a.dl().dtype.bits = 64;
    EXPECT_FAILS(callInto(context, "matmul", {a, b}, {&c.managed}),
                 VORTEX_STATUS_INVALID_ARGUMENT, "elements of float64");
    a.dl().dtype.bits = 32;
    a.shape = {int64_t(1) << 40, int64_t(1) << 40};
    EXPECT_FAILS(callInto(context, "matmul", {a, b}, {&c.managed}),
                 VORTEX_STATUS_INVALID_ARGUMENT, "more bytes than");
    a.shape = {0, 2};
    c.shape = {0, 2};
    EXPECT_OK(callInto(context, "matmul", {a, b}, {&c.managed}));
  }
}

TEST_F(Call, Relations) {
  Tensor<float> x({2, 4}, ramp(8)), y({2, 4}, ramp(8)), scale({}, {2}),
      z({2, 4});
  EXPECT_OK(callInto(context, "add", {x, y, scale}, {&z.managed}));
  EXPECT_EQ(z.data[3], 9);
  Tensor<float> odd({3, 4}), big({4098, 4}), narrow({2, 3});
  EXPECT_FAILS(callInto(context, "add", {odd, odd, scale}, {nullptr}),
               VORTEX_STATUS_INVALID_ARGUMENT,
               "'batch % 2 == 0' does not hold: batch = 3");
  EXPECT_FAILS(callInto(context, "add", {big, big, scale}, {nullptr}),
               VORTEX_STATUS_INVALID_ARGUMENT,
               "'batch <= 4096' does not hold: batch = 4098");
  EXPECT_FAILS(callInto(context, "add", {narrow, narrow, scale}, {nullptr}),
               VORTEX_STATUS_INVALID_ARGUMENT,
               "dimension 1 is 3, but the signature says 4");
  Tensor<float> total({5}), past({2}), seq({3}), longer({4});
  EXPECT_OK(callInto(context, "related", {total, past, seq}, {}));
  EXPECT_FAILS(callInto(context, "related", {total, past, longer}, {}),
               VORTEX_STATUS_INVALID_ARGUMENT,
               "'total == past + seq' does not hold: total = 5, past = 2, "
               "seq = 4");
}

TEST_F(Call, StridesAndOffsets) {
  Tensor<float> a({2, 3}, ramp(6)), b({3, 4}, ramp(12)), c({2, 4});
  std::vector<float> want = matmul(a.data, b.data, 2, 4, 3);
  // The transposed copy of `b` behind two elements that are not its own.
  std::vector<float> memory(2 + 12);
  for (int i = 0; i < 12; ++i)
    memory[2 + (i % 4) * 3 + i / 4] = b.data[i];
  int64_t strides[] = {1, 3}, back[] = {-4, -1}, resultStrides[] = {1, 2};
  b.dl().data = memory.data();
  b.dl().byte_offset = 8;
  b.dl().strides = strides;
  EXPECT_OK(callInto(context, "matmul", {a, b}, {&c.managed}));
  EXPECT_EQ(c.data, want);
  // A result in column-major order.
  c.dl().strides = resultStrides;
  EXPECT_OK(callInto(context, "matmul", {a, b}, {&c.managed}));
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(c.data[(i % 4) * 2 + i / 4], want[i]);
  // Elements at an odd address.
  std::vector<char> odd(6 * 4 + 1);
  std::copy_n(reinterpret_cast<char *>(a.data.data()), 24, odd.data() + 1);
  a.dl().data = odd.data() + 1;
  c.dl().strides = nullptr;
  EXPECT_OK(callInto(context, "matmul", {a, b}, {&c.managed}));
  EXPECT_EQ(c.data, want);
  // Backwards.
  std::reverse(memory.begin(), memory.end());
  for (int i = 0; i < 12; ++i)
    memory[11 - i] = b.data[i];
  b.dl().byte_offset = 44;
  b.dl().strides = back;
  EXPECT_OK(callInto(context, "matmul", {a, b}, {&c.managed}));
  EXPECT_EQ(c.data, want);
}

TEST_F(Call, MemrefsAreWritten) {
  Tensor<float> x({2, 3}, ramp(6));
  EXPECT_OK(callInto(context, "increment", {x}, {}));
  EXPECT_EQ(x.data, ramp(6, 1));
  int64_t strides[] = {1, 2};
  x.dl().strides = strides;
  EXPECT_OK(callInto(context, "increment", {x}, {}));
  EXPECT_EQ(x.data, ramp(6, 2));
}

TEST_F(Call, ResultsMayLieOnArguments) {
  Tensor<float> a({3, 3}, ramp(9)), b({3, 3}, ramp(9, 1));
  std::vector<float> want = matmul(a.data, b.data, 3, 3, 3);
  EXPECT_OK(callInto(context, "matmul", {a, b}, {&a.managed}));
  EXPECT_EQ(a.data, want);
}

TEST_F(Call, Failures) {
  for (VortexContext *c : {makeContext(1), makeContext(4)}) {
    for (int64_t at : {-1, 0, 500, 999}) {
      Tensor<int64_t> arg({}, {at});
      std::vector<DLManagedTensorVersioned *> results = {nullptr};
      EXPECT_FAILS(call(c, "failing", {arg}, results),
                   VORTEX_STATUS_PROGRAM_FAILED,
                   at < 0 ? "function 'failing': assertion failed: at >= 0"
                          : "function 'failing': assertion failed: i != at");
      EXPECT_EQ(results[0], nullptr);
    }
    Tensor<int64_t> arg({}, {5000}), result({});
    EXPECT_OK(callInto(c, "failing", {arg}, {&result.managed}));
    EXPECT_EQ(result.data[0], 5000);
    vortexContextDestroy(c);
  }
}

TEST_F(Call, DataDependentResults) {
  Tensor<float> x({4}, {1, -1, 2, -2}), fits({2}), wrong({3});
  std::vector<DLManagedTensorVersioned *> results = {nullptr};
  ASSERT_OK(call(context, "positive", {x}, results));
  EXPECT_EQ(results[0]->dl_tensor.shape[0], 2);
  results[0]->deleter(results[0]);
  EXPECT_OK(callInto(context, "positive", {x}, {&fits.managed}));
  EXPECT_EQ(fits.data, (std::vector<float>{1, 2}));
  EXPECT_FAILS(callInto(context, "positive", {x}, {&wrong.managed}),
               VORTEX_STATUS_INVALID_ARGUMENT,
               "result 0, dimension 0 is 2, but the caller's tensor has 3");
  int64_t size = 0;
  const DLTensor *args[] = {x};
  EXPECT_OK(vortexFunctionResultShape(context, "positive", args, 1, 0, &size));
  EXPECT_EQ(size, -1);
  EXPECT_OK(vortexFunctionResultShape(context, "repeat", args, 1, 0, &size));
  EXPECT_EQ(size, 8);
  EXPECT_FAILS(vortexFunctionResultShape(context, "repeat", args, 1, 1, &size),
               VORTEX_STATUS_INVALID_ARGUMENT, "no result 1");
}

TEST_F(Call, NamesThatOnlyResultsHave) {
  Tensor<float> fits({4}, {2, 1, 0, 0}), apart({4}, {1, 1, 0, 0}),
      many({4}, {3, 1, 1, 0});
  std::vector<DLManagedTensorVersioned *> results = {nullptr, nullptr};
  ASSERT_OK(call(context, "twins", {fits}, results));
  for (DLManagedTensorVersioned *result : results)
    result->deleter(result);
  results = {nullptr, nullptr};
  EXPECT_FAILS(call(context, "twins", {apart}, results),
               VORTEX_STATUS_PROGRAM_FAILED,
               "result 1, dimension 0 is 1, but the signature says 2 ('kept')");
  EXPECT_FAILS(call(context, "twins", {many}, results),
               VORTEX_STATUS_PROGRAM_FAILED,
               "'2 * kept <= n' does not hold: kept = 3, n = 4");
  EXPECT_EQ(results[0], nullptr);
  int64_t size = 0;
  const DLTensor *arg = fits;
  EXPECT_OK(vortexFunctionResultShape(context, "twins", &arg, 1, 1, &size));
  EXPECT_EQ(size, -1);
}

TEST_F(Call, ResultShapeChecksAsACallDoes) {
  Tensor<float> odd({3, 4}), scale({});
  const DLTensor *pair[] = {odd, odd, scale};
  int64_t sizes[2];
  EXPECT_FAILS(vortexFunctionResultShape(context, "add", pair, 3, 0, sizes),
               VORTEX_STATUS_INVALID_ARGUMENT,
               "'batch % 2 == 0' does not hold: batch = 3");
  Tensor<float> a({5, 3}), wrong({4, 4});
  const DLTensor *product[] = {a, wrong};
  EXPECT_FAILS(
      vortexFunctionResultShape(context, "matmul", product, 2, 0, sizes),
      VORTEX_STATUS_INVALID_ARGUMENT, "dimension 0 is 4, but 'k' is 3");
}

TEST_F(Call, NullArrays) {
  Tensor<float> x({2});
  const DLTensor *arg = x;
  int64_t size;
  VortexChoice choice;
  auto fails = [](VortexStatus status, const char *text) {
    EXPECT_FAILS(status, VORTEX_STATUS_INVALID_ARGUMENT, text);
  };
  fails(vortexContextCall(context, "repeat", nullptr, 1, nullptr, 1),
        "array of arguments is null");
  fails(vortexContextCall(context, "repeat", &arg, 1, nullptr, 1),
        "array of results is null");
  fails(vortexContextCall(context, "repeat", nullptr, -1, nullptr, 0),
        "takes 1 arguments, got -1");
  fails(vortexContextCall(context, nullptr, &arg, 1, nullptr, 1), "null");
  fails(vortexContextCall(nullptr, "repeat", &arg, 1, nullptr, 1), "null");
  fails(vortexInstanceBindWeights(instance, "plain", nullptr, 1, nullptr),
        "array of weights is null");
  fails(vortexFunctionResultShape(context, "repeat", nullptr, 1, 0, &size),
        "array of arguments is null");
  fails(vortexFunctionResultShape(context, "repeat", &arg, 1, 0, nullptr),
        "null sizes");
  fails(vortexFunctionChoose(context, "choosing", &arg, 1, &choice, 1, nullptr),
        "null");
  fails(vortexFunctionChoose(context, "choosing", &arg, 1, nullptr, 1, &size),
        "null");
  fails(vortexContextForce(context, nullptr, nullptr), "null");
  fails(vortexContextChoice(context, 0, nullptr), "no choice");
  fails(vortexContextCreate(instance, nullptr, nullptr), "null");
  fails(vortexInstanceCreate(module, nullptr), "null");
  fails(vortexModuleLoad(fakePath().c_str(), nullptr), "null");
  fails(vortexModuleLoad(nullptr, &module), "null");
  fails(vortexModuleLoadFromMemory(nullptr, 9, &module), "null");
  fails(vortexArtifactReadMetadata(fakePath().c_str(), nullptr), "null");
  fails(vortexModuleGetParam(module, "threads", nullptr), "null");
}

TEST_F(Call, StridesBeyondAddresses) {
  Tensor<float> a({2, 3}, ramp(6)), b({3, 4}, ramp(12)), c({2, 4});
  for (int64_t far : {INT64_MAX, INT64_MIN, INT64_MAX / 4, -(INT64_MAX / 4)}) {
    int64_t strides[] = {far, 1};
    b.dl().strides = strides;
    EXPECT_FAILS(callInto(context, "matmul", {a, b}, {&c.managed}),
                 VORTEX_STATUS_INVALID_ARGUMENT,
                 "argument 1 ('b') has strides that reach further");
    b.dl().strides = nullptr;
    c.dl().strides = strides;
    EXPECT_FAILS(callInto(context, "matmul", {a, b}, {&c.managed}),
                 VORTEX_STATUS_INVALID_ARGUMENT,
                 "result 0 has strides that reach further");
    c.dl().strides = nullptr;
  }
  // What is never walked may be anything.
  Tensor<float> row({1, 3}, ramp(3)), z({1, 4}), none({0, 3}), nothing({0, 4});
  int64_t unused[] = {INT64_MAX, 1};
  row.dl().strides = none.dl().strides = unused;
  EXPECT_OK(callInto(context, "matmul", {row, b}, {&z.managed}));
  EXPECT_EQ(z.data, matmul(row.data, b.data, 1, 4, 3));
  EXPECT_OK(callInto(context, "matmul", {none, b}, {&nothing.managed}));
}

TEST_F(Call, Weights) {
  Tensor<float> x({2}, {3, 4}), w({2}, {5, 6}), v({2}, {1, 1}), z({2}),
      longer({3});
  const DLTensor *weights[] = {w}, *others[] = {v};
  for (const char *f : {"scaled", "plain"}) {
    EXPECT_FAILS(callInto(context, f, {x}, {&z.managed}),
                 VORTEX_STATUS_UNBOUND_WEIGHTS, "argument 1 ('w')");
    EXPECT_FAILS(vortexInstanceBindWeights(instance, f, weights, 0, nullptr),
                 VORTEX_STATUS_INVALID_ARGUMENT, "has 1 weights, got 0");
    EXPECT_OK(vortexInstanceBindWeights(instance, f, weights, 1, nullptr));
    EXPECT_OK(callInto(context, f, {x}, {&z.managed}));
    EXPECT_EQ(z.data, f[0] == 's' ? (std::vector<float>{30, 48})
                                  : (std::vector<float>{8, 10}));
    EXPECT_FAILS(callInto(context, f, {x, w}, {&z.managed}),
                 VORTEX_STATUS_INVALID_ARGUMENT,
                 "takes 1 arguments that are not weights, got 2");
    EXPECT_FAILS(callInto(context, f, {longer}, {&z.managed}),
                 VORTEX_STATUS_INVALID_ARGUMENT, "'n' is 3");
  }
  // Another instance of the module has weights of its own, here copies.
  VortexInstance *second;
  VortexContext *secondContext;
  ASSERT_OK(vortexInstanceCreate(module, &second));
  VortexBindOptions options{};
  options.size = sizeof options;
  options.copy = 1;
  EXPECT_OK(vortexInstanceBindWeights(second, "plain", others, 1, &options));
  v.data = {100, 100};
  ASSERT_OK(vortexContextCreate(second, nullptr, &secondContext));
  EXPECT_OK(callInto(secondContext, "plain", {x}, {&z.managed}));
  EXPECT_EQ(z.data, (std::vector<float>{4, 5}));
  EXPECT_FAILS(callInto(secondContext, "scaled", {x}, {&z.managed}),
               VORTEX_STATUS_UNBOUND_WEIGHTS, "'scaled'");
  vortexContextDestroy(secondContext);
  vortexInstanceDestroy(second);
}

TEST_F(Call, PackedWeightsAreKeptOnce) {
  Tensor<float> x({2}, {3, 4}), w({2}, {5, 6}), z({2});
  Tensor<float> spread({2}, {0, 0});
  std::vector<float> apart = {5, 0, 6};
  int64_t two = 2;
  spread.dl().data = apart.data();
  spread.dl().strides = &two;
  VortexBindOptions options{};
  options.size = sizeof options;
  for (const DLTensor *weight : {(const DLTensor *)w, (const DLTensor *)spread})
    for (uint32_t copy : {0, 1}) {
      options.copy = copy;
      w.data = {5, 6};
      apart = {5, 0, 6};
      EXPECT_OK(
          vortexInstanceBindWeights(instance, "scaled", &weight, 1, &options));
      // The packed form alone, and what was packed may change.
      EXPECT_EQ(vortexInstanceWeightBytes(instance), 8u);
      w.data = {0, 0};
      apart = {0, 0, 0};
      EXPECT_OK(callInto(context, "scaled", {x}, {&z.managed}));
      EXPECT_EQ(z.data, (std::vector<float>{30, 48}));
    }
  // What calls read is kept when a copy is asked for.
  const DLTensor *weight = w;
  EXPECT_OK(vortexInstanceBindWeights(instance, "plain", &weight, 1, &options));
  EXPECT_EQ(vortexInstanceWeightBytes(instance), 16u);
}

TEST_F(Call, Choices) {
  Tensor<float> x({2}, {1, 2}), odd({3}, {1, 2, 3}), z({2}), y({3});
  EXPECT_OK(callInto(context, "choosing", {x}, {&z.managed}));
  EXPECT_EQ(z.data[0], 20);
  EXPECT_EQ(vortexContextNumChoices(context), 0);
  vortexContextRecordChoices(context, 1);
  EXPECT_OK(vortexContextForce(context, "times", "ten"));
  EXPECT_OK(callInto(context, "choosing", {x}, {&z.managed}));
  EXPECT_EQ(z.data[0], 10);
  ASSERT_EQ(vortexContextNumChoices(context), 1);
  VortexChoice choice;
  EXPECT_OK(vortexContextChoice(context, 0, &choice));
  EXPECT_EQ(choice.candidate, 0);
  EXPECT_EQ(choice.preferred, 1);
  EXPECT_EQ(choice.times, 1);
  EXPECT_EQ(choice.costs[1], 180);
  EXPECT_OK(vortexContextForce(context, "times", "twenty"));
  EXPECT_FAILS(callInto(context, "choosing", {odd}, {&y.managed}),
               VORTEX_STATUS_GUARD_FAILED,
               "candidate 'twenty' is forced, but its guard does not hold: "
               "n % 2 == 0");
  EXPECT_OK(vortexContextForce(context, "times", nullptr));
  EXPECT_OK(callInto(context, "choosing", {odd}, {&y.managed}));
  EXPECT_EQ(y.data[0], 10);
  EXPECT_FAILS(vortexContextForce(context, "times", "thirty"),
               VORTEX_STATUS_NOT_FOUND, "it has: ten, twenty");
  EXPECT_FAILS(vortexContextForce(context, "nosuch", "ten"),
               VORTEX_STATUS_NOT_FOUND, "there is: times, only");
  EXPECT_OK(vortexContextForce(context, "only", "ten"));
  EXPECT_FAILS(vortexContextForce(context, "folded", "ten"),
               VORTEX_STATUS_NOT_FOUND, "decided on 'twenty'");
  EXPECT_FAILS(vortexContextForce(context, "loops", "ten"),
               VORTEX_STATUS_NOT_FOUND, "runs as generic loops");
}

TEST_F(Call, ChoicesWithoutRunning) {
  Tensor<float> x({6}), odd({3});
  x.dl().data = odd.dl().data = nullptr; // Only shapes are read.
  VortexChoice choices[4];
  int64_t count = -1;
  auto choose = [&](const DLTensor *arg, int64_t capacity) {
    return vortexFunctionChoose(context, "choosing", &arg, 1, choices, capacity,
                                &count);
  };
  ASSERT_OK(choose(x, 4));
  ASSERT_EQ(count, 3);
  EXPECT_EQ(choices[0].kernel, 0);
  EXPECT_EQ(choices[0].candidate, 1);
  EXPECT_EQ(choices[0].preferred, 1);
  EXPECT_EQ(choices[0].times, 0);
  ASSERT_EQ(choices[0].num_candidates, 2);
  EXPECT_EQ(choices[0].costs[0], 600);
  EXPECT_EQ(choices[0].costs[1], 540);
  EXPECT_EQ(choices[0].allowed[1], 1);
  EXPECT_EQ(choices[1].kernel, 1);
  EXPECT_EQ(choices[1].candidate, 0);
  EXPECT_EQ(choices[1].costs[0], 7);
  EXPECT_EQ(choices[2].candidate, VORTEX_CHOICE_DEPENDS_ON_DATA);
  EXPECT_EQ(choices[2].num_candidates, 0);
  ASSERT_OK(choose(odd, 1)); // Less room than there are kernels.
  EXPECT_EQ(count, 3);
  EXPECT_EQ(choices[0].candidate, 0);
  EXPECT_EQ(choices[0].allowed[1], 0);
  EXPECT_EQ(choices[1].kernel, 1); // Not written.

  EXPECT_OK(vortexContextForce(context, "times", "twenty"));
  ASSERT_OK(choose(x, 4));
  EXPECT_EQ(choices[0].candidate, 1);
  EXPECT_FAILS(choose(odd, 4), VORTEX_STATUS_GUARD_FAILED, "n % 2 == 0");
  EXPECT_EQ(count, 0);
  EXPECT_OK(vortexContextForce(context, "times", nullptr));

  // A prediction is not a call: nothing is recorded, and calls go on.
  Tensor<float> y({2}, {1, 2}), z({2});
  vortexContextRecordChoices(context, 1);
  EXPECT_OK(callInto(context, "choosing", {y}, {&z.managed}));
  EXPECT_EQ(z.data[0], 20);
  EXPECT_EQ(vortexContextNumChoices(context), 1);

  EXPECT_FAILS(choose(nullptr, 4), VORTEX_STATUS_INVALID_ARGUMENT, "is null");
  Tensor<double> other({6});
  EXPECT_FAILS(choose(other, 4), VORTEX_STATUS_INVALID_ARGUMENT, "float64");
  EXPECT_FAILS(choose(x, -1), VORTEX_STATUS_INVALID_ARGUMENT, "null argument");
  EXPECT_FAILS(
      vortexFunctionChoose(context, "nosuch", nullptr, 0, choices, 4, &count),
      VORTEX_STATUS_NOT_FOUND, "nosuch");
  // Functions without planned kernels have none to tell.
  EXPECT_OK(
      vortexFunctionChoose(context, "machine", nullptr, 0, choices, 4, &count));
  EXPECT_EQ(count, 0);
}

TEST_F(Call, ChoicesReadScalarsAndSizesOfWeights) {
  Tensor<int64_t> at({}, {9});
  Tensor<float> w({7});
  const DLTensor *arg = at, *weight = w;
  VortexChoice choice;
  int64_t count;
  auto choose = [&] {
    return vortexFunctionChoose(context, "bending", &arg, 1, &choice, 1,
                                &count);
  };
  EXPECT_FAILS(choose(), VORTEX_STATUS_UNBOUND_WEIGHTS, "('w')");
  ASSERT_OK(
      vortexInstanceBindWeights(instance, "bending", &weight, 1, nullptr));
  ASSERT_OK(choose());
  EXPECT_EQ(choice.candidate, 1);
  EXPECT_EQ(choice.costs[0], 9);
  EXPECT_EQ(choice.costs[1], 7);
  at.data[0] = 5;
  ASSERT_OK(choose());
  EXPECT_EQ(choice.candidate, 0);
  at.dl().data = nullptr;
  EXPECT_FAILS(choose(), VORTEX_STATUS_INVALID_ARGUMENT, "has no data");
}

namespace {
struct Counter {
  std::atomic<int> calls{0}, live{0};
  void attach(VortexContextOptions &options) {
    options.allocator_user = this;
    options.allocate = [](void *user, size_t bytes, size_t alignment) {
      auto *c = static_cast<Counter *>(user);
      ++c->calls, ++c->live;
      return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment *
                                               alignment);
    };
    options.deallocate = [](void *user, void *memory, size_t, size_t) {
      --static_cast<Counter *>(user)->live;
      std::free(memory);
    };
  }
};
} // namespace

TEST_F(Call, RepeatedCallsAllocateNothing) {
  Counter counter;
  for (int threads : {1, 3}) {
    VortexContextOptions options{};
    options.size = sizeof options;
    options.threads = threads;
    counter.attach(options);
    VortexContext *c;
    ASSERT_OK(vortexContextCreate(instance, &options, &c));
    Tensor<float> result({}), big({1000000}), small({1000});
    // A result that has to be copied needs scratch memory too.
    Tensor<float> a({64, 64}), b({64, 64}), z({64, 64});
    int64_t transposed[] = {1, 64};
    z.dl().strides = b.dl().strides = transposed;
    EXPECT_OK(callInto(c, "scratch", {big}, {&result.managed}));
    EXPECT_OK(callInto(c, "matmul", {a, b}, {&z.managed}));
    EXPECT_EQ(result.data[0], 1);
    int calls = counter.calls;
    size_t held = vortexContextScratchBytes(c);
    EXPECT_GT(held, 12000000u);
    for (int i = 0; i < 50; ++i) {
      EXPECT_OK(
          callInto(c, "scratch", {i % 2 ? big : small}, {&result.managed}));
      EXPECT_OK(callInto(c, "matmul", {a, b}, {&z.managed}));
    }
    EXPECT_EQ(counter.calls, calls);
    EXPECT_EQ(vortexContextScratchBytes(c), held);
    std::vector<DLManagedTensorVersioned *> results = {nullptr};
    EXPECT_OK(call(c, "scratch", {small}, results));
    vortexContextDestroy(c);
    EXPECT_EQ(counter.live, 1);
    results[0]->deleter(results[0]);
    EXPECT_EQ(counter.live, 0);
  }
}

TEST_F(Call, Workspace) {
  Counter counter;
  std::vector<char> workspace(1 << 20);
  VortexContextOptions options{};
  options.size = sizeof options;
  options.threads = 1;
  options.workspace = workspace.data();
  options.workspace_bytes = workspace.size();
  counter.attach(options);
  VortexContext *c;
  ASSERT_OK(vortexContextCreate(instance, &options, &c));
  Tensor<float> x({1000}), result({});
  EXPECT_OK(callInto(c, "scratch", {x}, {&result.managed}));
  EXPECT_EQ(counter.calls, 0);
  vortexContextDestroy(c);
}

/// A context of a module whose functions take a megabyte at most, or any
/// number of bytes, and what it holds before its first call.
static void makeReserving(const char *artifact, int64_t reserve,
                          Counter *counter, size_t &held, int64_t &inCall) {
  VortexModule *module;
  VortexInstance *instance;
  VortexContext *context;
  VortexContextOptions options{};
  options.size = sizeof options;
  options.threads = 1;
  options.reserve_bytes = reserve;
  if (counter)
    counter->attach(options);
  ASSERT_OK(vortexModuleLoad(fakePath(artifact).c_str(), &module));
  ASSERT_OK(vortexInstanceCreate(module, &instance));
  ASSERT_OK(vortexContextCreate(instance, &options, &context));
  held = vortexContextScratchBytes(context);
  Tensor<float> x({60000}), result({});
  const int64_t before = counter ? counter->calls.load() : 0;
  EXPECT_OK(callInto(context, "scratch", {x}, {&result.managed}));
  inCall = counter ? counter->calls - before : 0;
  vortexContextDestroy(context);
  vortexInstanceDestroy(instance);
  vortexModuleUnload(module);
}

TEST_F(Call, DeclaredSizesReserveScratch) {
  const size_t mega = size_t(1) << 20;
  for (bool own : {true, false}) {
    Counter counter;
    size_t held;
    int64_t calls;
    makeReserving("fake_bounded", 0, own ? nullptr : &counter, held, calls);
    EXPECT_GE(held, mega + mega / 4);
    EXPECT_EQ(calls, 0);
    makeReserving("fake_bounded", -1, own ? nullptr : &counter, held, calls);
    EXPECT_EQ(held, 0u);
    EXPECT_EQ(calls > 0, !own);
    makeReserving("fake_bounded", 5 * mega, own ? nullptr : &counter, held,
                  calls);
    EXPECT_GE(held, 5 * mega);
    // Nobody says how much, or more than is taken without being asked for.
    for (const char *other : {"fake_artifact", "fake_large"}) {
      makeReserving(other, 0, own ? nullptr : &counter, held, calls);
      EXPECT_EQ(held, 0u) << other;
    }
  }
}

TEST_F(Call, OptionsOfOlderCallersAreTaken) {
  VortexContextOptions options{};
  options.threads = 1;
  options.reserve_bytes = int64_t(1) << 20; // behind what they know
  options.size = offsetof(VortexContextOptions, reserve_bytes);
  VortexContext *made;
  ASSERT_OK(vortexContextCreate(instance, &options, &made));
  EXPECT_EQ(vortexContextScratchBytes(made), 0u);
  vortexContextDestroy(made);
  --options.size;
  EXPECT_FAILS(vortexContextCreate(instance, &options, &made),
               VORTEX_STATUS_INVALID_ARGUMENT, "size");
}

TEST_F(Call, ReservingMoreThanThereIsFails) {
  VortexContextOptions options{};
  options.size = sizeof options;
  options.threads = 1;
  options.reserve_bytes = INT64_MAX;
  VortexContext *made;
  EXPECT_FAILS(vortexContextCreate(instance, &options, &made),
               VORTEX_STATUS_OUT_OF_MEMORY, "to reserve");
  EXPECT_EQ(made, nullptr);
}

TEST_F(Call, OutOfMemoryIsAStatus) {
  VortexContextOptions options{};
  options.size = sizeof options;
  options.threads = 2;
  options.allocate = [](void *, size_t, size_t) -> void * { return nullptr; };
  options.deallocate = [](void *, void *, size_t, size_t) {};
  VortexContext *c;
  ASSERT_OK(vortexContextCreate(instance, &options, &c));
  Tensor<float> x({10}), result({}), a({4, 4}), z({4, 4});
  EXPECT_FAILS(callInto(c, "scratch", {x}, {&result.managed}),
               VORTEX_STATUS_OUT_OF_MEMORY, "no memory for 40 bytes");
  EXPECT_FAILS(callInto(c, "matmul", {a, a}, {&z.managed}),
               VORTEX_STATUS_OUT_OF_MEMORY, "no memory for 16 bytes");
  std::vector<DLManagedTensorVersioned *> results = {nullptr};
  EXPECT_FAILS(call(c, "repeat", {x}, results), VORTEX_STATUS_OUT_OF_MEMORY,
               "result 0 has no memory");
  vortexContextDestroy(c);
}

TEST_F(Call, CallersParallelFor) {
  VortexContextOptions options{};
  options.size = sizeof options;
  options.threads = 8;
  options.parallel_for = [](void *user, void (*body)(void *, int64_t),
                            void *closure, int64_t count) {
    ++*static_cast<int *>(user);
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t)
      threads.emplace_back([=] {
        for (int64_t i = t; i < count; i += 3)
          body(closure, i);
      });
    for (std::thread &t : threads)
      t.join();
  };
  int used = 0;
  options.parallel_for_user = &used;
  VortexContext *c;
  ASSERT_OK(vortexContextCreate(instance, &options, &c));
  Tensor<float> a({9, 5}, ramp(45)), b({5, 4}, ramp(20)), z({9, 4});
  EXPECT_OK(callInto(c, "matmul", {a, b}, {&z.managed}));
  EXPECT_EQ(z.data, matmul(a.data, b.data, 9, 4, 5));
  EXPECT_EQ(used, 1);
  Tensor<int64_t> at({}, {77}), result({});
  EXPECT_FAILS(callInto(c, "failing", {at}, {&result.managed}),
               VORTEX_STATUS_PROGRAM_FAILED, "i != at");
  vortexContextDestroy(c);
}

TEST_F(Call, ContextsRunAtOnce) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      VortexContext *c = makeContext(2);
      int64_t m = 3 + 5 * t;
      Tensor<float> a({m, 6}, ramp(m * 6, float(t))), b({6, 8}, ramp(48)),
          z({m, 8});
      std::vector<float> want = matmul(a.data, b.data, m, 8, 6);
      for (int i = 0; i < 100; ++i) {
        z.data.assign(z.data.size(), -1);
        if (callInto(c, "matmul", {a, b}, {&z.managed}) || z.data != want)
          ++wrong;
      }
      vortexContextDestroy(c);
    });
  for (std::thread &t : threads)
    t.join();
  EXPECT_EQ(wrong, 0);
}
