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
#define VORTEX_BENCH_FUNCTION                                                  \
  std::string program(bool packed) const override;                             \
  double want(const Operands &operands, int64_t element) const override;       \
  std::unique_ptr<Call> prepare(Peer &peer, const Buffers &at, bool packed)    \
      const override;
#define VORTEX_BENCH_SIZES                                                     \
  std::vector<Column> columns() override;                                      \
  void draw(std::mt19937_64 &random) override;                                 \
  std::vector<Field> fields() const override;                                  \
  std::vector<TensorType> arguments() const override;                          \
  TensorType result() const override;                                          \
  double flops() const override;                                               \
  double tolerance() const override;

/// C[m, n] = sum over k of A[m, k] B[k, n], row-major, `batch` times. A
/// transposed operand is stored as A[k, m] or B[n, k]. B is a weight unless
/// there is a batch.
struct Gemm : Problem {
  int64_t batch = 1, m = 0, n = 0, k = 0;
  bool aTransposed = false, bTransposed = false;
  bool aUnsigned = false; ///< i8 alone: its bytes are from 0 to 255 in A

  VORTEX_BENCH_SIZES
  VORTEX_BENCH_FUNCTION
  std::string complete(const Options &options) override;
  std::string staticProgram(bool packed) const override;
  bool setType(const std::string &name) override;
  std::string typeName() const override;
  double terms() const override;
  int64_t lda() const { return aTransposed ? m : k; }
  int64_t ldb() const { return bTransposed ? k : n; }

private:
  std::string programText(bool packed, bool sizesKnown) const;
};

/// A convolution of n images of h x w pixels of c channels (NHWC) with a filter
/// kh x kw x c x f, depthwise kh x kw x c. Strides, pads and dilations are
/// written into the program, so each combination of them is a program of its
/// own; the extents are unknown to all, or with known filters those of the
/// image alone. The filter is a weight. Results are of the type of the sums.
struct Conv : Problem {
  struct Axis {
    int64_t size = 0, filter = 0, stride = 1, pad = 0, dilation = 1;
    /// 0 when the filter reaches over the ends.
    int64_t out() const {
      int64_t room = size + 2 * pad - (filter - 1) * dilation - 1;
      return filter == 0 || room < 0 ? 0 : room / stride + 1;
    }
  };
  int64_t n = 0, c = 0, f = 0, groups = 1;
  Axis vertical, horizontal;
  bool imageUnsigned = false; ///< i8 alone: bytes of the image are 0 to 255

  VORTEX_BENCH_SIZES
  VORTEX_BENCH_FUNCTION
  std::string complete(const Options &options) override;
  bool setType(const std::string &name) override;
  std::string typeName() const override;
  double terms() const override;
  bool depthwise() const { return groups != 1; }

private:
  std::string operation() const;

  bool filterKnown = false;
};

/// What is done to m rows of n elements each.
struct Rows : Problem {
  int64_t m = 0, n = 0;

  VORTEX_BENCH_SIZES
  bool isStream() const override { return true; }
  double terms() const override { return double(n); }
  /// For an element, in the arithmetic of the program's text.
  virtual double operations() const = 0;
};

/// exp(x - max) / sum of a row.
struct Softmax : Rows {
  VORTEX_BENCH_FUNCTION
  double operations() const override { return 5; }
  double floor() const override { return 1 / double(n); }
};

/// (x - mean) / sqrt(variance + epsilon) gamma + beta of a row; gamma and beta
/// are weights.
struct Layernorm : Rows {
  static constexpr double epsilon = 1e-5;

  VORTEX_BENCH_FUNCTION
  std::vector<TensorType> arguments() const override;
  double operations() const override { return 8; }
};

/// x / 2 (1 + erf(x / sqrt 2)) of each element.
struct Gelu : Rows {
  VORTEX_BENCH_FUNCTION
  double operations() const override { return 5; }
  double terms() const override { return 1; }
};

/// The n x m matrix of the same elements.
struct Transpose : Rows {
  VORTEX_BENCH_FUNCTION
  TensorType result() const override { return {dtype, {n, m}}; }
  double operations() const override { return 1; } ///< moved, not computed
  double terms() const override { return 1; }
};

/// softmax(Q K^T / sqrt k) V of batch x heads matrices Q[m, k], K[n, k],
/// V[n, k], one after another.
struct Attention : Problem {
  int64_t batch = 1, heads = 1, m = 0, n = -1, k = 0;

  VORTEX_BENCH_SIZES
  VORTEX_BENCH_FUNCTION
  std::string complete(const Options &options) override;
  double terms() const override;
  double floor() const override;
};

} // namespace bench
} // namespace vortex

#endif // VORTEX_LIB_BENCH_KINDS_H
