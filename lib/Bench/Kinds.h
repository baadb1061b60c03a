//===- Kinds.h - The kinds of programs that are timed --------- -*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_LIB_BENCH_KINDS_H
#define VORTEX_LIB_BENCH_KINDS_H

#include "Problem.h"

namespace vortex {
namespace bench {

/// The overrides that every kind has.
#define VORTEX_BENCH_KIND                                                      \
  std::vector<Column> columns() override;                                      \
  void draw(std::mt19937_64 &random) override;                                 \
  std::vector<Field> fields() const override;                                  \
  std::vector<TensorType> arguments() const override;                          \
  TensorType result() const override;                                          \
  std::string program(bool packed) const override;                             \
  double flops() const override;                                               \
  double want(const Operands &operands, int64_t element) const override;       \
  double terms() const override;                                               \
  double tolerance() const override;                                           \
  std::unique_ptr<Call> prepare(Peer &peer, const Buffers &at, bool packed)    \
      const override;

/// C[m, n] = sum over k of A[m, k] B[k, n], row-major, `batch` times. A
/// transposed operand is stored as A[k, m] or B[n, k]. B is a weight unless
/// there is a batch.
struct Gemm : Problem {
  int64_t batch = 1, m = 0, n = 0, k = 0;
  bool aTransposed = false, bTransposed = false;

  VORTEX_BENCH_KIND
  std::string complete(const Options &options) override;
  /// f32 for the short float types, i32 for i8, else the type of A and B.
  VortexDType resultType() const;
  int64_t lda() const { return aTransposed ? m : k; }
  int64_t ldb() const { return bTransposed ? k : n; }
};

} // namespace bench
} // namespace vortex

#endif // VORTEX_LIB_BENCH_KINDS_H
