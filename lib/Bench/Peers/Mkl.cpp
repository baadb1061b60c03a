//===- Mkl.cpp - oneMKL, with its packed interface ------------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CBlas.h"

#include <cstdlib>
#include <sstream>
#include <type_traits>

using namespace vortex::bench;

namespace {
enum {
  CblasColMajor = 102,
  CblasPacked = 151,
  CblasAMatrix = 161,
  CblasBMatrix = 162,
  CblasFixOffset = 173
};

/// cblas_?gemm_pack of B for the true sizes, and cblas_?gemm_compute. `T` is
/// the type of A and B. Results are f32.
template <typename T>
struct PackedInterface {
  static constexpr bool isFloat = std::is_same_v<T, float>;
  using Size = size_t (*)(int, int, int, int);
  // Only the f32 interface scales while it packs, the others while they
  // compute.
  using Pack = std::conditional_t<
      isFloat,
      void (*)(int, int, int, int, int, int, float, const T *, int, void *),
      void (*)(int, int, int, int, int, int, const T *, int, void *)>;
  using Compute =
      std::conditional_t<isFloat,
                         void (*)(int, int, int, int, int, int, const T *, int,
                                  const void *, int, float, float *, int),
                         void (*)(int, int, int, int, int, int, float,
                                  const T *, int, const void *, int, float,
                                  float *, int)>;
  using Plain = void (*)(int, int, int, int, int, int, float, const T *, int,
                         const T *, int, float, float *, int);
  Size size = nullptr;
  Pack pack = nullptr;
  Compute compute = nullptr;
  Plain plain = nullptr;

  void load(void *library, const std::string &name) {
    plain = symbol<Plain>(library, name);
    size = symbol<Size>(library, name + "_pack_get_size");
    pack = symbol<Pack>(library, name + "_pack");
    compute = symbol<Compute>(library, name + "_compute");
  }
};

template <typename T>
class MklProduct : public Call {
public:
  MklProduct(const PackedInterface<T> &mkl, const Gemm &p, const void *a,
             const void *b, void *c, bool packed)
      : mkl(mkl), p(p), a(static_cast<const T *>(a)),
        b(static_cast<const T *>(b)), c(static_cast<float *>(c)) {
    if (!packed)
      return;
    size_t bytes = mkl.size(CblasBMatrix, int(p.m), int(p.n), int(p.k));
    weights = std::aligned_alloc(4096, (bytes + 4096) / 4096 * 4096);
    if constexpr (PackedInterface<T>::isFloat)
      mkl.pack(CblasRowMajor, CblasBMatrix, transB(), int(p.m), int(p.n),
               int(p.k), 1.0f, this->b, int(p.ldb()), weights);
    else
      mkl.pack(CblasRowMajor, CblasBMatrix, transB(), int(p.m), int(p.n),
               int(p.k), this->b, int(p.ldb()), weights);
  }
  ~MklProduct() override { std::free(weights); }

  void run() override {
    if (!weights) {
      for (int64_t i = 0; i < p.batch; ++i)
        mkl.plain(CblasRowMajor, transA(), transB(), int(p.m), int(p.n),
                  int(p.k), 1.0f, a + i * p.m * p.k, int(p.lda()),
                  b + i * p.k * p.n, int(p.ldb()), 0.0f, c + i * p.m * p.n,
                  int(p.n));
    } else if constexpr (PackedInterface<T>::isFloat) {
      mkl.compute(CblasRowMajor, transA(), CblasPacked, int(p.m), int(p.n),
                  int(p.k), a, int(p.lda()), weights, int(p.ldb()), 0.0f, c,
                  int(p.n));
    } else {
      mkl.compute(CblasRowMajor, transA(), CblasPacked, int(p.m), int(p.n),
                  int(p.k), 1.0f, a, int(p.lda()), weights, int(p.ldb()), 0.0f,
                  c, int(p.n));
    }
  }

private:
  int transA() const { return p.aTransposed ? CblasTrans : CblasNoTrans; }
  int transB() const { return p.bTransposed ? CblasTrans : CblasNoTrans; }

  const PackedInterface<T> &mkl;
  Gemm p;
  const T *a, *b;
  float *c;
  void *weights = nullptr;
};

/// cblas_gemm_s8u8s32, whose first operand has signs and whose second has none.
/// Activations without signs are ours to the left, so the transposed problem is
/// computed: column-major C' = B' A'. All offsets are zero.
struct Int8Interface {
  using Size = size_t (*)(int, int, int, int);
  using Pack = void (*)(int, int, int, int, int, int, const void *, int,
                        void *);
  using Gemm = void (*)(int, int, int, int, int, int, int, float, const void *,
                        int, int8_t, const void *, int, int8_t, float,
                        int32_t *, int, const int32_t *);
  Size size = nullptr;
  Pack pack = nullptr;
  Gemm plain = nullptr, compute = nullptr;

  void load(void *library) {
    const std::string name = "cblas_gemm_s8u8s32";
    plain = symbol<Gemm>(library, name);
    size = symbol<Size>(library, name + "_pack_get_size");
    pack = symbol<Pack>(library, name + "_pack");
    compute = symbol<Gemm>(library, name + "_compute");
  }
};

class MklInt8Product : public Call {
public:
  MklInt8Product(const Int8Interface &mkl, const Gemm &p, const void *a,
                 const void *b, void *c, bool packed)
      : mkl(mkl), p(p), a(static_cast<const uint8_t *>(a)),
        b(static_cast<const int8_t *>(b)), c(static_cast<int32_t *>(c)) {
    if (!packed)
      return;
    size_t bytes = mkl.size(CblasAMatrix, int(p.n), int(p.m), int(p.k));
    weights = std::aligned_alloc(4096, (bytes + 4096) / 4096 * 4096);
    mkl.pack(CblasColMajor, CblasAMatrix, transB(), int(p.n), int(p.m),
             int(p.k), b, int(p.ldb()), weights);
  }
  ~MklInt8Product() override { std::free(weights); }

  void run() override {
    const int32_t offset = 0;
    for (int64_t i = 0; i < p.batch; ++i)
      (weights ? mkl.compute : mkl.plain)(
          CblasColMajor, weights ? int(CblasPacked) : transB(), transA(),
          CblasFixOffset, int(p.n), int(p.m), int(p.k), 1.0f,
          weights ? weights : b + i * p.k * p.n, int(p.ldb()), 0,
          a + i * p.m * p.k, int(p.lda()), 0, 0.0f, c + i * p.m * p.n, int(p.n),
          &offset);
  }

private:
  int transA() const { return p.aTransposed ? CblasTrans : CblasNoTrans; }
  int transB() const { return p.bTransposed ? CblasTrans : CblasNoTrans; }

  const Int8Interface &mkl;
  Gemm p;
  const uint8_t *a;
  const int8_t *b;
  int32_t *c;
  void *weights = nullptr;
};

class Mkl : public CBlasPeer {
public:
  bool load(void *library, std::string &reason) {
    if (!functions.load(library, "", reason))
      return false;
    f32.load(library, "cblas_sgemm");
    bf16.load(library, "cblas_gemm_bf16bf16f32");
    f16.load(library, "cblas_gemm_f16f16f32");
    u8s8.load(library);
    getVersion =
        symbol<void (*)(char *, int)>(library, "MKL_Get_Version_String");
    return true;
  }
  // "... Version 2026.2-Product Build ..."
  std::string version() const override {
    char text[256] = "";
    if (getVersion)
      getVersion(text, sizeof text - 1);
    std::istringstream words(text);
    std::string word;
    while (words >> word && word != "Version")
      ;
    return words >> word ? word.substr(0, word.find('-')) : "";
  }

  std::unique_ptr<Call> gemm(const Gemm &p, const void *a, const void *b,
                             void *c, bool packed) override {
    switch (p.dtype) {
    case VORTEX_F32:
      return make(f32, p, a, b, c, packed);
    case VORTEX_BF16:
      return make(bf16, p, a, b, c, packed);
    case VORTEX_F16:
      return make(f16, p, a, b, c, packed);
    case VORTEX_I8: // MKL has s8 by u8 alone
      if (!p.aUnsigned ||
          !(packed ? u8s8.size && u8s8.pack && u8s8.compute : bool(u8s8.plain)))
        return nullptr;
      return std::make_unique<MklInt8Product>(u8s8, p, a, b, c, packed);
    default:
      return CBlasPeer::gemm(p, a, b, c, packed);
    }
  }

protected:
  const vortex::libraries::CBlas &blas() const override { return functions; }

private:
  template <typename T>
  std::unique_ptr<Call> make(const PackedInterface<T> &mkl, const Gemm &p,
                             const void *a, const void *b, void *c,
                             bool packed) {
    if (packed ? !(mkl.size && mkl.pack && mkl.compute) : !mkl.plain)
      return nullptr;
    return std::make_unique<MklProduct<T>>(mkl, p, a, b, c, packed);
  }

  vortex::libraries::CBlas functions;
  PackedInterface<float> f32;
  PackedInterface<uint16_t> bf16, f16;
  Int8Interface u8s8;
  void (*getVersion)(char *, int) = nullptr;
};
} // namespace

std::unique_ptr<Peer> vortex::bench::loadMkl(const Options &options,
                                             std::string &reason) {
  void *library =
      openLibrary(options.peerPath,
                  {"libmkl_rt.so.3", "libmkl_rt.so.2", "libmkl_rt.so"}, reason);
  auto peer = std::make_unique<Mkl>();
  if (!library || !peer->load(library, reason))
    return nullptr;
  if (auto set = symbol<void (*)(int)>(library, "MKL_Set_Num_Threads"))
    set(int(options.threads));
  return peer;
}
