//===- RunTest.cpp - Calls with plain pointers and sizes ------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeTest.h"

#include <cstdint>

namespace {
class Run : public RuntimeTest {
protected:
  /// A tensor as generated code takes it.
  template <typename T>
  static VortexBuffer of(Tensor<T> &tensor) {
    return {tensor.data.data(), tensor.shape.data()};
  }
  VortexStatus run(const char *function, std::vector<VortexBuffer> args,
                   std::vector<VortexBuffer> results) {
    return vortexContextRun(context, vortexModuleFindFunction(module, function),
                            args.data(), int64_t(args.size()), results.data(),
                            int64_t(results.size()));
  }
};
} // namespace

TEST_F(Run, SameAsACall) {
  for (int64_t m : {0, 1, 3, 64})
    for (int64_t k : {0, 1, 5}) {
      Tensor<float> a({m, k}), b({k, 7}), got({m, 7}), want({m, 7});
      for (size_t i = 0; i < a.data.size(); ++i)
        a.data[i] = float(i % 17);
      for (size_t i = 0; i < b.data.size(); ++i)
        b.data[i] = float(i % 13) - 5;
      ASSERT_OK(callInto(context, "matmul", {a, b}, {&want.managed}));
      ASSERT_OK(run("matmul", {of(a), of(b)}, {of(got)}));
      EXPECT_EQ(got.data, want.data);
    }
}

TEST_F(Run, KindsOfArguments) {
  Tensor<float> x({2, 4}, {0, 1, 2, 3, 4, 5, 6, 7}), z({2, 4});
  float scale = 2;
  VortexBuffer scalar = {&scale, nullptr};
  ASSERT_OK(run("add", {of(x), of(x), scalar}, {of(z)}));
  EXPECT_EQ(z.data[3], 9);
  ASSERT_OK(run("increment", {of(x)}, {}));
  EXPECT_EQ(x.data[7], 8);
  int64_t at = 1000, told = 0;
  VortexBuffer index = {&at, nullptr}, result = {&told, nullptr};
  ASSERT_OK(run("failing", {index}, {result}));
  EXPECT_EQ(told, 1000);
  at = 3;
  EXPECT_FAILS(run("failing", {index}, {result}), VORTEX_STATUS_PROGRAM_FAILED,
               "assertion failed: i != at");
}

TEST_F(Run, Weights) {
  Tensor<float> w({3}, {1, 2, 3}), x({3}, {1, 1, 2}), z({3});
  EXPECT_FAILS(run("scaled", {of(x)}, {of(z)}), VORTEX_STATUS_UNBOUND_WEIGHTS,
               "argument 1 ('w')");
  const DLTensor *weight = w;
  for (const char *function : {"scaled", "plain"})
    ASSERT_OK(
        vortexInstanceBindWeights(instance, function, &weight, 1, nullptr));
  ASSERT_OK(run("scaled", {of(x)}, {of(z)}));
  EXPECT_EQ(z.data, (std::vector<float>{2, 4, 12}));
  ASSERT_OK(run("plain", {of(x)}, {of(z)}));
  EXPECT_EQ(z.data, (std::vector<float>{2, 3, 5}));
  Tensor<float> longer({4});
  EXPECT_FAILS(run("plain", {of(longer)}, {of(longer)}),
               VORTEX_STATUS_INVALID_ARGUMENT, "'n' is 4");
}

TEST_F(Run, WeightsBoundAgain) {
  Tensor<float> x({2}, {1, 2}), z({2}), weight({}, {0});
  for (float w : {5.f, 6.f, 5.f}) {
    weight.data = {w};
    const DLTensor *weights = weight;
    VortexBindOptions options{};
    options.size = sizeof options;
    options.copy = 1;
    ASSERT_OK(
        vortexInstanceBindWeights(instance, "shifted", &weights, 1, &options));
    weight.data = {0};
    // Later calls find the weights passed already.
    for (int i = 0; i < 2; ++i) {
      ASSERT_OK(run("shifted", {of(x)}, {of(z)}));
      EXPECT_EQ(z.data, (std::vector<float>{1 + w, 2 + w}));
      ASSERT_OK(callInto(context, "shifted", {x}, {&z.managed}));
      EXPECT_EQ(z.data, (std::vector<float>{1 + w, 2 + w}));
    }
  }
}

TEST_F(Run, SizesThatDependOnData) {
  Tensor<float> x({4}, {1, -2, 3, -4}), two({2}), one({1});
  ASSERT_OK(run("positive", {of(x)}, {of(two)}));
  EXPECT_EQ(two.data, (std::vector<float>{1, 3}));
  EXPECT_FAILS(run("positive", {of(x)}, {of(one)}),
               VORTEX_STATUS_INVALID_ARGUMENT,
               "result 0, dimension 0 is 2, but the caller's tensor has 1");
  // One positive element and a first of 1 make both sizes 1, which is no more
  // than half of four.
  Tensor<float> y({4}, {1, -2, -3, -4}), first({1}), second({1});
  EXPECT_OK(run("twins", {of(y)}, {of(first), of(second)}));
  Tensor<float> three({4}, {3, 1, 1, -4}), a({3}), b({3});
  EXPECT_FAILS(run("twins", {of(three)}, {of(a), of(b)}),
               VORTEX_STATUS_PROGRAM_FAILED, "2 * kept <= n");
}

TEST_F(Run, WrongArguments) {
  Tensor<float> a({5, 3}), b({3, 4}), wrong({4, 4}), c({5, 4});
  // Later calls are shown to generated code first.
  ASSERT_OK(run("matmul", {of(a), of(b)}, {of(c)}));
  auto fails = [&](std::vector<VortexBuffer> args,
                   std::vector<VortexBuffer> results, const char *text) {
    EXPECT_FAILS(run("matmul", std::move(args), std::move(results)),
                 VORTEX_STATUS_INVALID_ARGUMENT, text);
  };
  fails({of(a)}, {of(c)}, "takes 2 arguments, got 1");
  fails({of(a), of(b)}, {}, "1 results, got room for 0");
  fails({of(a), of(wrong)}, {of(c)}, "'k' is 3 from argument 0");
  fails({of(a), of(b)}, {of(wrong)},
        "result 0, dimension 0 is 5, but the caller's tensor has 4");
  fails({of(a), {nullptr, b.shape.data()}}, {of(c)},
        "argument 1 ('b') has no data");
  fails({of(a), {b.data.data(), nullptr}}, {of(c)},
        "argument 1 ('b') has no sizes");
  fails({of(a), of(b)}, {{nullptr, c.shape.data()}}, "result 0 has no data");
  auto *odd = reinterpret_cast<char *>(a.data.data()) + 2;
  fails({{odd, a.shape.data()}, of(b)}, {of(c)}, "is not aligned");
  a.shape[0] = -1;
  fails({of(a), of(b)}, {of(c)}, "has a negative size");
  a.shape[0] = INT64_MAX / 4;
  fails({of(a), of(b)}, {of(c)}, "more bytes than there are addresses");
  a.shape[0] = (int64_t(1) << 48) / 3 + 1;
  fails({of(a), of(b)}, {of(c)}, "beyond 2^48");
  a.shape[0] = (int64_t(1) << 48) + 1;
  a.shape[1] = 0;
  fails({of(a), of(b)}, {of(c)}, "beyond 2^48");
  Tensor<float> x({3, 4});
  float scale = 1;
  VortexBuffer scalar = {&scale, nullptr};
  EXPECT_FAILS(run("add", {of(x), of(x), scalar}, {of(x)}),
               VORTEX_STATUS_INVALID_ARGUMENT, "'batch % 2 == 0'");
  EXPECT_FAILS(run("add", {of(x), of(x), {nullptr, nullptr}}, {of(x)}),
               VORTEX_STATUS_INVALID_ARGUMENT, "'scale') has no data");
  EXPECT_FAILS(run("nosuch", {}, {}), VORTEX_STATUS_NOT_FOUND,
               "not of the context's module");
  EXPECT_FAILS(vortexContextRun(nullptr, nullptr, nullptr, 0, nullptr, 0),
               VORTEX_STATUS_INVALID_ARGUMENT, "null context");
  EXPECT_FAILS(vortexContextRun(context,
                                vortexModuleFindFunction(module, "matmul"),
                                nullptr, 2, nullptr, 1),
               VORTEX_STATUS_INVALID_ARGUMENT, "array of arguments is null");
}

TEST_F(Run, EmptyTensorsNeedNoData) {
  int64_t sizes[] = {0, 3}, other[] = {3, 0}, none[] = {0, 0};
  EXPECT_OK(
      run("matmul", {{nullptr, sizes}, {nullptr, other}}, {{nullptr, none}}));
}

TEST_F(Run, OneFunctionAfterAnother) {
  Tensor<float> x({2}, {1, 2}), twice({4}), ten({2});
  for (int i = 0; i < 3; ++i) {
    ASSERT_OK(run("repeat", {of(x)}, {of(twice)}));
    EXPECT_EQ(twice.data, (std::vector<float>{1, 2, 1, 2}));
    ASSERT_OK(run("choosing", {of(x)}, {of(ten)}));
    EXPECT_EQ(ten.data, (std::vector<float>{20, 40}));
    ASSERT_OK(callInto(context, "choosing", {x}, {&ten.managed}));
  }
}
