//===- CBlasTable.h - BLAS as a table of functions --------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_LIB_LIBRARIES_CBLASTABLE_H
#define VORTEX_LIB_LIBRARIES_CBLASTABLE_H

#include "CBlasFunctions.h"

#include "vortex-c/Library.h"

#include <climits>
#include <cstdio>

namespace vortex {
namespace libraries {

/// `blas` computes with the calling thread while a `Single` lives.
template <typename T, typename Single, auto &blas, auto gemm>
void multiply(int transposedA, int transposedB, int64_t m, int64_t n, int64_t k,
              const T *a, int64_t lda, const T *b, int64_t ldb, T beta, T *c,
              int64_t ldc) {
  [[maybe_unused]] Single single;
  (blas.*gemm)(CblasRowMajor, transposedA ? CblasTrans : CblasNoTrans,
               transposedB ? CblasTrans : CblasNoTrans, int(m), int(n), int(k),
               T(1), a, int(lda), b, int(ldb), beta, c, int(ldc));
}

template <typename Single, auto &blas>
VortexLibrary makeTable(const char *version) {
  return {sizeof(VortexLibrary),
          VORTEX_LIBRARY_ABI,
          version,
          INT_MAX,
          multiply<float, Single, blas, &CBlas::sgemm>,
          multiply<double, Single, blas, &CBlas::dgemm>,
          nullptr};
}

/// What to answer who asks for another interface.
inline const VortexLibrary *refuse(const std::string &reason, char *why,
                                   size_t bytes) {
  std::snprintf(why, bytes, "%s", reason.c_str());
  return nullptr;
}

} // namespace libraries
} // namespace vortex

#define VORTEX_LIBRARY_EXPORT                                                  \
  extern "C" __attribute__((visibility("default"))) const VortexLibrary *      \
  vortex_library_open(uint32_t abi, const char *folders, char *why,            \
                      size_t bytes)

#endif // VORTEX_LIB_LIBRARIES_CBLASTABLE_H
