//===- CBlas.h - The C interface of BLAS ------------------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_LIB_BENCH_PEERS_CBLAS_H
#define VORTEX_LIB_BENCH_PEERS_CBLAS_H

#include "CBlasFunctions.h"
#include "Peer.h"

namespace vortex {
namespace bench {

using libraries::CBlasGemm;
using libraries::CblasNoTrans;
using libraries::CblasRowMajor;
using libraries::CblasTrans;
using libraries::symbol;

/// One call of BLAS for each product of the batch.
template <typename T>
class CBlasProduct : public Call {
public:
  CBlasProduct(CBlasGemm<T> gemm, const Gemm &p, const void *a, const void *b,
               void *c)
      : gemm(gemm), p(p), a(static_cast<const T *>(a)),
        b(static_cast<const T *>(b)), c(static_cast<T *>(c)) {}

  void run() override {
    for (int64_t i = 0; i < p.batch; ++i)
      gemm(CblasRowMajor, p.aTransposed ? CblasTrans : CblasNoTrans,
           p.bTransposed ? CblasTrans : CblasNoTrans, int(p.m), int(p.n),
           int(p.k), T(1), a + i * p.m * p.k, int(p.lda()), b + i * p.k * p.n,
           int(p.ldb()), T(0), c + i * p.m * p.n, int(p.n));
  }

private:
  CBlasGemm<T> gemm;
  Gemm p;
  const T *a, *b;
  T *c;
};

/// What any library with this interface can do: f32 and f64, nothing packed.
class CBlasPeer : public Peer {
public:
  std::unique_ptr<Call> gemm(const Gemm &p, const void *a, const void *b,
                             void *c, bool packed) override {
    if (p.dtype == VORTEX_F32)
      return std::make_unique<CBlasProduct<float>>(blas().sgemm, p, a, b, c);
    if (p.dtype == VORTEX_F64)
      return std::make_unique<CBlasProduct<double>>(blas().dgemm, p, a, b, c);
    return nullptr;
  }

protected:
  virtual const libraries::CBlas &blas() const = 0;
};

} // namespace bench
} // namespace vortex

#endif // VORTEX_LIB_BENCH_PEERS_CBLAS_H
