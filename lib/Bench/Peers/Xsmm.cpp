//===- Xsmm.cpp - LIBXSMM -------------------------------------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CBlas.h"

using namespace vortex::bench;

namespace {
/// The library is made for small products: above about 64 cubed it calls a
/// BLAS, which would be timed under another name. It is column-major, and a
/// transposed first operand is not one of its kernels.
constexpr double largestProduct = 64.0 * 64 * 64;

template <typename T>
using XsmmGemm = void (*)(const char *, const char *, const int *, const int *,
                          const int *, const T *, const T *, const int *,
                          const T *, const int *, const T *, T *, const int *);

template <typename T>
class XsmmProduct : public Call {
public:
  XsmmProduct(XsmmGemm<T> gemm, const Gemm &p, const void *a, const void *b,
              void *c)
      : gemm(gemm), p(p), a(static_cast<const T *>(a)),
        b(static_cast<const T *>(b)), c(static_cast<T *>(c)) {}
  void run() override {
    // C' = B' A'.
    int m = int(p.m), n = int(p.n), k = int(p.k);
    T one = 1, zero = 0;
    for (int64_t i = 0; i < p.batch; ++i)
      gemm("N", "N", &n, &m, &k, &one, b + i * p.k * p.n, &n, a + i * p.m * p.k,
           &k, &zero, c + i * p.m * p.n, &n);
  }

private:
  XsmmGemm<T> gemm;
  Gemm p;
  const T *a, *b;
  T *c;
};

class Xsmm : public Peer {
public:
  bool load(void *library, std::string &reason) {
    sgemm = symbol<XsmmGemm<float>>(library, "libxsmm_sgemm");
    dgemm = symbol<XsmmGemm<double>>(library, "libxsmm_dgemm");
    target = symbol<const char *(*)()>(library, "libxsmm_get_target_arch");
    if (auto init = symbol<void (*)()>(library, "libxsmm_init"))
      init();
    if (!sgemm || !dgemm)
      reason = "it has no libxsmm_sgemm";
    return sgemm && dgemm;
  }
  // It exports no version, but the instructions it makes code for.
  std::string version() const override {
    return target ? "(" + std::string(target()) + ")" : "";
  }
  std::unique_ptr<Call> gemm(const Gemm &p, const void *a, const void *b,
                             void *c, bool) override {
    if (double(p.m) * p.n * p.k > largestProduct || p.aTransposed ||
        p.bTransposed)
      return nullptr;
    if (p.dtype == VORTEX_F32)
      return std::make_unique<XsmmProduct<float>>(sgemm, p, a, b, c);
    if (p.dtype == VORTEX_F64)
      return std::make_unique<XsmmProduct<double>>(dgemm, p, a, b, c);
    return nullptr;
  }

private:
  const char *(*target)() = nullptr;
  XsmmGemm<float> sgemm = nullptr;
  XsmmGemm<double> dgemm = nullptr;
};
} // namespace

std::unique_ptr<Peer> vortex::bench::loadXsmm(const Options &options,
                                              std::string &reason) {
  void *library =
      openLibrary(options.peerPath, {"libxsmm.so", "libxsmm.so.1"}, reason);
  auto peer = std::make_unique<Xsmm>();
  if (!library || !peer->load(library, reason))
    return nullptr;
  return peer;
}
