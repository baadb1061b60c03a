//===- Problem.h - One matrix product ---------------------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_LIB_BENCH_PROBLEM_H
#define VORTEX_LIB_BENCH_PROBLEM_H

#include "vortex-c/Artifact.h"
#include "vortex/Bench/Bench.h"

#include <string>
#include <vector>

namespace vortex {
namespace bench {

/// C[m, n] = sum over k of A[m, k] B[k, n], row-major, `batch` times. A
/// transposed operand is stored as A[k, m] or B[n, k].
struct Problem {
  VortexDType dtype = VORTEX_F32; ///< of A and B
  int64_t batch = 1, m = 0, n = 0, k = 0;
  bool aTransposed = false, bTransposed = false;

  /// f32 for the short float types, i32 for i8, else the type of A and B.
  VortexDType resultType() const;
  double flops() const { return 2.0 * batch * m * n * k; }
  double largestOperandBytes() const;
  int64_t lda() const { return aTransposed ? m : k; }
  int64_t ldb() const { return bTransposed ? k : n; }
  std::vector<int64_t> shapeA() const;
  std::vector<int64_t> shapeB() const;
  std::vector<int64_t> shapeC() const;
  std::string text() const;
  bool operator==(const Problem &other) const;
};

/// f32, f64, bf16, f16 or i8.
bool parseDType(const std::string &text, VortexDType &dtype);

/// Rows of a CSV file whose first line names the columns: m, n, k and, where
/// there, batch, a_t, b_t, dtype; others are passed over. Equal rows count
/// once. Rows over the limits, and those without work, are counted in
/// `leftOut`. Then `random` sizes, each extent drawn log-uniformly from 1 to
/// 4096. Answers an error, or "".
std::string readProblems(const Options &options, std::vector<Problem> &problems,
                         size_t &leftOut);

} // namespace bench
} // namespace vortex

#endif // VORTEX_LIB_BENCH_PROBLEM_H
