//===- CBlas.h - The C interface of BLAS ------------------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_LIB_BENCH_PEERS_CBLAS_H
#define VORTEX_LIB_BENCH_PEERS_CBLAS_H

#include "Peer.h"

#include <dlfcn.h>
#include <string>

namespace vortex {
namespace bench {

/// Values of the interface's enumerations.
enum CBlasEnum { CblasRowMajor = 101, CblasNoTrans = 111, CblasTrans = 112 };

template <typename T>
using CBlasGemm = void (*)(int, int, int, int, int, int, T, const T *, int,
                           const T *, int, T, T *, int);

/// A function of a library, null where it is not there.
template <typename Function>
Function symbol(void *library, const std::string &name) {
  return reinterpret_cast<Function>(dlsym(library, name.c_str()));
}

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
  /// `prefix` comes before the names of BLAS. False when they are not there.
  bool load(void *library, const std::string &prefix, std::string &reason) {
    sgemm = symbol<CBlasGemm<float>>(library, prefix + "cblas_sgemm");
    dgemm = symbol<CBlasGemm<double>>(library, prefix + "cblas_dgemm");
    if (!sgemm || !dgemm)
      reason = "it has no " + prefix + "cblas_sgemm";
    return sgemm && dgemm;
  }

  std::unique_ptr<Call> gemm(const Gemm &p, const void *a, const void *b,
                             void *c, bool packed) override {
    if (p.dtype == VORTEX_F32)
      return std::make_unique<CBlasProduct<float>>(sgemm, p, a, b, c);
    if (p.dtype == VORTEX_F64)
      return std::make_unique<CBlasProduct<double>>(dgemm, p, a, b, c);
    return nullptr;
  }

protected:
  CBlasGemm<float> sgemm = nullptr;
  CBlasGemm<double> dgemm = nullptr;
};

} // namespace bench
} // namespace vortex

#endif // VORTEX_LIB_BENCH_PEERS_CBLAS_H
