//===- DeviceLibraryTest.cpp - Products in a device library's words -------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceLibrary.h"

#include "gtest/gtest.h"

#include <vector>

using namespace vortex::runtime;

namespace {
constexpr int64_t most = 1000;
int64_t calls, batches;
int answer;

/// Computes here, and checks what it was promised.
int multiplyHere(void *, const VortexDeviceProduct *p) {
  ++calls;
  batches += p->batch;
  EXPECT_EQ(p->size, sizeof(VortexDeviceProduct));
  EXPECT_TRUE(p->m > 0 && p->n > 0 && p->k > 0 && p->batch > 0);
  EXPECT_TRUE(p->lda >= (p->transposed_a ? p->m : p->k) && p->lda <= most);
  EXPECT_TRUE(p->ldb >= (p->transposed_b ? p->k : p->n) && p->ldb <= most);
  EXPECT_TRUE(p->ldc >= p->n && p->ldc <= most);
  EXPECT_TRUE(p->a_step >= 0 && p->b_step >= 0 && p->c_step >= 0);
  for (int64_t x = 0; x < p->batch; ++x) {
    auto *a = static_cast<const float *>(p->a) + x * p->a_step;
    auto *b = static_cast<const float *>(p->b) + x * p->b_step;
    auto *c = static_cast<float *>(p->c) + x * p->c_step;
    for (int64_t i = 0; i < p->m; ++i)
      for (int64_t j = 0; j < p->n; ++j) {
        float sum = p->accumulate ? c[i * p->ldc + j] : 0;
        for (int64_t l = 0; l < p->k; ++l)
          sum += a[p->transposed_a ? l * p->lda + i : i * p->lda + l] *
                 b[p->transposed_b ? j * p->ldb + l : l * p->ldb + j];
        c[i * p->ldc + j] = sum;
      }
  }
  return answer;
}

const VortexDeviceLibrary library = {sizeof(VortexDeviceLibrary),
                                     nullptr,
                                     nullptr,
                                     nullptr,
                                     nullptr,
                                     multiplyHere,
                                     nullptr};

enum Layout { Rows, Columns };

/// Strides of a matrix of that many rows and columns, with room behind each.
std::pair<int64_t, int64_t> stridesOf(Layout layout, int64_t rows,
                                      int64_t columns) {
  return layout == Rows ? std::pair{columns + 2, int64_t(1)}
                        : std::pair{int64_t(1), rows + 1};
}

/// Strides of the batch: for each of its dimensions those of A, B and C.
struct Batch {
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides[3];
};

void check(int64_t m, int64_t n, int64_t k, Layout la, Layout lb, Layout lc,
           const Batch &batch, bool accumulate) {
  auto [am, ak] = stridesOf(la, m, k);
  auto [bk, bn] = stridesOf(lb, k, n);
  auto [cm, cn] = stridesOf(lc, m, n);
  std::vector<float> memory[3];
  for (int operand = 0; operand < 3; ++operand) {
    memory[operand].resize(4000);
    for (size_t i = 0; i < memory[operand].size(); ++i)
      memory[operand][i] = float(int(i * (7 - 2 * operand) % 11) - 5);
  }
  std::vector<float> want = memory[2];
  std::vector<int64_t> at(batch.sizes.size());
  bool isEmpty = false;
  for (int64_t size : batch.sizes)
    isEmpty |= size == 0;
  for (bool more = !isEmpty; more;) {
    int64_t from[3] = {0, 0, 0};
    for (int operand = 0; operand < 3; ++operand)
      for (size_t d = 0; d < at.size(); ++d)
        from[operand] += at[d] * batch.strides[operand][d];
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        float &out = want[from[2] + i * cm + j * cn];
        float sum = accumulate ? out : 0;
        for (int64_t l = 0; l < k; ++l)
          sum += memory[0][from[0] + i * am + l * ak] *
                 memory[1][from[1] + l * bk + j * bn];
        out = sum;
      }
    more = false;
    for (size_t d = at.size(); d-- > 0 && !more;)
      more = ++at[d] < batch.sizes[d] || (at[d] = 0);
  }
  std::vector<int64_t> sizes = batch.sizes, strides;
  sizes.insert(sizes.end(), {m, n, k});
  for (auto [operand, first, second] :
       {std::tuple{0, am, ak}, std::tuple{1, bk, bn}, std::tuple{2, cm, cn}}) {
    strides.insert(strides.end(), batch.strides[operand].begin(),
                   batch.strides[operand].end());
    strides.insert(strides.end(), {first, second});
  }
  void *data[] = {memory[0].data(), memory[1].data(), memory[2].data()};
  calls = batches = 0;
  bool fits = false;
  EXPECT_EQ(
      multiplyOnDevice(library, nullptr, most,
                       {VORTEX_F32, VORTEX_F32, int64_t(batch.sizes.size()),
                        sizes.data(), data, strides.data(), accumulate, false},
                       fits),
      0);
  EXPECT_TRUE(fits);
  EXPECT_EQ(memory[2], want)
      << m << "x" << n << "x" << k << " layouts " << la << lb << lc;
}
} // namespace

TEST(DeviceLibrary, AnyLayout) {
  for (int64_t m : {0, 1, 3, 7})
    for (int64_t n : {0, 1, 2, 9})
      for (int64_t k : {1, 5})
        for (Layout a : {Rows, Columns})
          for (Layout b : {Rows, Columns})
            for (Layout c : {Rows, Columns})
              for (bool accumulate : {false, true}) {
                check(m, n, k, a, b, c, {}, accumulate);
                EXPECT_EQ(calls, m && n ? 1 : 0);
              }
}

// One call for what lies a fixed distance apart; dimensions that a factor does
// not have, that walk as one, that have one point or none.
TEST(DeviceLibrary, Batches) {
  for (Layout c : {Rows, Columns}) {
    check(3, 4, 5, Rows, Rows, c, {{3}, {{100}, {0}, {200}}}, false);
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(batches, 3);
    // Two dimensions that walk as one.
    check(3, 4, 5, Rows, Columns, c,
          {{2, 3}, {{300, 100}, {150, 50}, {600, 200}}}, true);
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(batches, 6);
    // And that do not.
    check(3, 4, 5, Columns, Rows, c,
          {{2, 3}, {{300, 100}, {0, 50}, {600, 200}}}, false);
    EXPECT_EQ(calls, 2);
    EXPECT_EQ(batches, 6);
    // Those of one point are none.
    check(3, 4, 5, Rows, Rows, c,
          {{1, 2, 1}, {{7, 100, 9}, {3, 50, 5}, {1, 200, 2}}}, false);
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(batches, 2);
    check(3, 4, 5, Rows, Rows, c, {{2, 0}, {{1, 1}, {1, 1}, {1, 1}}}, false);
    EXPECT_EQ(calls, 0);
  }
}

// What no call says is refused: steps of nothing, elements that are apart, rows
// that overlap or are too far from each other.
TEST(DeviceLibrary, Refuses) {
  std::vector<float> memory(4000);
  void *data[] = {memory.data(), memory.data(), memory.data()};
  auto fitsWith = [&](int64_t k, int64_t row, int64_t column) {
    int64_t sizes[] = {3, 4, k}, strides[] = {row, column, 4, 1, 4, 1};
    bool fits = false;
    calls = 0;
    multiplyOnDevice(
        library, nullptr, most,
        {VORTEX_F32, VORTEX_F32, 0, sizes, data, strides, false, false}, fits);
    EXPECT_EQ(calls, fits ? 1 : 0);
    return fits;
  };
  EXPECT_TRUE(fitsWith(5, 5, 1));
  EXPECT_TRUE(fitsWith(5, 1, 3));
  EXPECT_FALSE(fitsWith(0, 5, 1));
  EXPECT_FALSE(fitsWith(5, 10, 2));
  EXPECT_FALSE(fitsWith(5, 4, 1));
  EXPECT_FALSE(fitsWith(5, 0, 1));
  EXPECT_FALSE(fitsWith(5, most + 1, 1));
}

// The library's first error is the answer, and the end.
TEST(DeviceLibrary, Errors) {
  std::vector<float> memory(4000);
  void *data[] = {memory.data(), memory.data() + 1000, memory.data() + 2000};
  int64_t sizes[] = {2, 3, 3, 4, 5},
          strides[] = {300, 100, 5, 1, 0, 50, 4, 1, 600, 200, 4, 1};
  bool fits = false;
  calls = 0;
  answer = 13;
  EXPECT_EQ(multiplyOnDevice(
                library, nullptr, most,
                {VORTEX_F32, VORTEX_F32, 2, sizes, data, strides, false, false},
                fits),
            13);
  answer = 0;
  EXPECT_TRUE(fits);
  EXPECT_EQ(calls, 1);
}
