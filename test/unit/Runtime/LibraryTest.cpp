//===- LibraryTest.cpp - Products that libraries compute -===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Library.h"

#include "gtest/gtest.h"

#include <vector>

using namespace vortex::runtime;

namespace {
/// What a library was asked, to be checked against what it was promised.
int64_t calls, most;
template <typename T>
void gemm(int ta, int tb, int64_t m, int64_t n, int64_t k, const T *a,
          int64_t lda, const T *b, int64_t ldb, T beta, T *c, int64_t ldc) {
  ++calls;
  EXPECT_TRUE(m > 0 && n > 0 && k > 0 && m <= most && n <= most && k <= most);
  EXPECT_TRUE(lda >= (ta ? m : k) && lda <= most) << lda;
  EXPECT_TRUE(ldb >= (tb ? k : n) && ldb <= most) << ldb;
  EXPECT_TRUE(ldc >= n && ldc <= most) << ldc;
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      T sum = beta != 0 ? c[i * ldc + j] : T(0);
      for (int64_t l = 0; l < k; ++l)
        sum += (ta ? a[l * lda + i] : a[i * lda + l]) *
               (tb ? b[j * ldb + l] : b[l * ldb + j]);
      c[i * ldc + j] = sum;
    }
}

enum Layout { Rows, Columns, Apart };

/// Strides of a matrix of that many rows and columns, with room behind each.
std::pair<int64_t, int64_t> stridesOf(Layout layout, int64_t rows,
                                      int64_t columns) {
  if (layout == Rows)
    return {columns + 2, 1};
  if (layout == Columns)
    return {1, rows + 1};
  return {2 * columns + 1, 2};
}

template <typename T>
void check(int64_t m, int64_t n, int64_t k, Layout la, Layout lb, Layout lc,
           bool accumulate) {
  auto [am, ak] = stridesOf(la, m, k);
  auto [bk, bn] = stridesOf(lb, k, n);
  auto [cm, cn] = stridesOf(lc, m, n);
  std::vector<T> a(am * m + ak * k + 1), b(bk * k + bn * n + 1),
      c(cm * m + cn * n + 1);
  for (size_t i = 0; i < a.size(); ++i)
    a[i] = T(int(i * 7 % 5) - 2);
  for (size_t i = 0; i < b.size(); ++i)
    b[i] = T(int(i * 5 % 7) - 3);
  for (size_t i = 0; i < c.size(); ++i)
    c[i] = T(i % 3);
  std::vector<T> want = c;
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      T &out = want[i * cm + j * cn];
      T sum = accumulate ? out : T(0);
      for (int64_t l = 0; l < k; ++l)
        sum += a[i * am + l * ak] * b[l * bk + j * bn];
      out = sum;
    }
  VortexLibrary library = {
      sizeof(VortexLibrary), VORTEX_LIBRARY_ABI, "",     most,
      gemm<float>,           gemm<double>,       nullptr};
  int64_t sizes[] = {m, n, k}, strides[] = {am, ak, bk, bn, cm, cn};
  void *data[] = {a.data(), b.data(), c.data()};
  VortexDType type = std::is_same_v<T, double> ? VORTEX_F64 : VORTEX_F32;
  multiply(library, {type, type, 0, sizes, data, strides, accumulate, false});
  EXPECT_EQ(c, want) << m << "x" << n << "x" << k << " layouts " << la << lb
                     << lc;
}
} // namespace

// Small limits take products apart, and leave out what does not fit at all.
TEST(Library, AnyLayout) {
  for (int64_t limit : {4, 6, 1000}) {
    most = limit;
    for (int64_t m : {0, 1, 3, 7})
      for (int64_t n : {0, 1, 2, 9})
        for (int64_t k : {0, 1, 5, 8})
          for (Layout a : {Rows, Columns, Apart})
            for (Layout b : {Rows, Columns, Apart})
              for (Layout c : {Rows, Columns, Apart})
                for (bool accumulate : {false, true}) {
                  check<float>(m, n, k, a, b, c, accumulate);
                  check<double>(m, n, k, a, b, c, accumulate);
                }
  }
}

TEST(Library, CallsTheLibraryOnce) {
  most = 1000;
  for (Layout a : {Rows, Columns})
    for (Layout b : {Rows, Columns})
      for (Layout c : {Rows, Columns}) {
        calls = 0;
        check<float>(5, 6, 7, a, b, c, false);
        EXPECT_EQ(calls, 1);
      }
}

// What a library has no function for is still computed.
TEST(Library, NoFunction) {
  VortexLibrary library = {sizeof(VortexLibrary),
                           VORTEX_LIBRARY_ABI,
                           "",
                           8,
                           nullptr,
                           nullptr,
                           nullptr};
  float a[] = {1, 2}, b[] = {3, 4}, c[] = {0};
  int64_t sizes[] = {1, 1, 2}, strides[] = {2, 1, 1, 1, 1, 1};
  void *data[] = {a, b, c};
  multiply(library,
           {VORTEX_F32, VORTEX_F32, 0, sizes, data, strides, false, false});
  EXPECT_EQ(c[0], 11.0f);
}

TEST(Library, NotThere) {
  std::string why;
  EXPECT_EQ(findLibrary("no_such_library", why), nullptr);
  EXPECT_NE(why.find("libvortex_library_no_such_library.so"), std::string::npos)
      << why;
}
