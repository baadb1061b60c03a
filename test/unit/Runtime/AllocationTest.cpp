//===- AllocationTest.cpp - What repeated calls must not do ---------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counts every allocation of this process, the library's own bookkeeping
// included, which the context's allocator does not see.
//
//===----------------------------------------------------------------------===//

#include "RuntimeTest.h"

#include <atomic>
#include <cstdlib>
#include <new>

static std::atomic<int> allocations{0};

void *operator new(size_t bytes) {
  ++allocations;
  if (void *memory = std::malloc(bytes ? bytes : 1))
    return memory;
  throw std::bad_alloc();
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }

namespace {
class Allocations : public RuntimeTest {
protected:
  /// Allocations of the later ones of some equal steps.
  template <typename Step>
  int ofRepeated(Step step) {
    for (int i = 0; i < 3; ++i)
      EXPECT_OK(step());
    int before = allocations;
    for (int i = 0; i < 20; ++i)
      EXPECT_EQ(step(), VORTEX_STATUS_OK);
    return allocations - before;
  }
};
} // namespace

TEST_F(Allocations, OfCalls) {
  Tensor<float> a({64, 32}), b({32, 16}), c({64, 16}), w({8}), x({8}), z({8});
  int64_t transposed[] = {1, 64};
  c.dl().strides = transposed; // A result that has to be copied.
  const DLTensor *weight = w, *args[] = {a, b}, *arg = x;
  DLManagedTensorVersioned *result = &c.managed, *vector = &z.managed;
  EXPECT_EQ(ofRepeated([&] {
              return vortexContextCall(context, "matmul", args, 2, &result, 1);
            }),
            0);
  ASSERT_OK(vortexInstanceBindWeights(instance, "scaled", &weight, 1, nullptr));
  EXPECT_EQ(ofRepeated([&] {
              return vortexContextCall(context, "scaled", &arg, 1, &vector, 1);
            }),
            0);
  VortexBuffer in = {x.data.data(), x.shape.data()},
               out = {z.data.data(), z.shape.data()};
  const VortexFunctionInfo *scaled = vortexModuleFindFunction(module, "scaled");
  EXPECT_EQ(ofRepeated([&] {
              return vortexContextRun(context, scaled, &in, 1, &out, 1);
            }),
            0);
  vortexContextRecordChoices(context, 1);
  EXPECT_EQ(ofRepeated([&] {
              return vortexContextCall(context, "choosing", &arg, 1, &vector,
                                       1);
            }),
            0);
}

TEST_F(Allocations, OfChoices) {
  Tensor<float> x({8});
  const DLTensor *arg = x;
  VortexChoice choices[3];
  int64_t count;
  EXPECT_EQ(ofRepeated([&] {
              return vortexFunctionChoose(context, "choosing", &arg, 1, choices,
                                          3, &count);
            }),
            0);
  int64_t size;
  EXPECT_EQ(ofRepeated([&] {
              return vortexFunctionResultShape(context, "choosing", &arg, 1, 0,
                                               &size);
            }),
            0);
}
