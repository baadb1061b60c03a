//===- OneDnn.cpp - oneDNN for artifacts -===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CBlasTable.h"

using namespace vortex::libraries;

/// dnnl_sgemm of dnnl.h: row-major, 64-bit extents, a status.
using DnnlGemm = int (*)(char, char, int64_t, int64_t, int64_t, float,
                         const float *, int64_t, const float *, int64_t, float,
                         float *, int64_t);

static DnnlGemm gemm;
static int (*getThreads)();
static void (*setThreads)(int);

/// OpenMP's number of threads is one of the calling thread.
static void multiplyF32(int transposedA, int transposedB, int64_t m, int64_t n,
                        int64_t k, const float *a, int64_t lda, const float *b,
                        int64_t ldb, float beta, float *c, int64_t ldc) {
  int before = getThreads && setThreads ? getThreads() : 0;
  if (before > 1)
    setThreads(1);
  gemm(transposedA ? 'T' : 'N', transposedB ? 'T' : 'N', m, n, k, 1.0f, a, lda,
       b, ldb, beta, c, ldc);
  if (before > 1)
    setThreads(before);
}

VORTEX_LIBRARY_EXPORT {
  std::string reason;
  if (abi != VORTEX_LIBRARY_ABI)
    return refuse("it was made for another run time", why, bytes);
  void *library = openLibrary(
      folders, {"libdnnl.so.3", "libdnnl.so.2", "libdnnl.so"}, reason);
  if (!library)
    return refuse(reason, why, bytes);
  gemm = symbol<DnnlGemm>(library, "dnnl_sgemm");
  if (!gemm)
    return refuse("it has no dnnl_sgemm", why, bytes);
  getThreads = symbol<int (*)()>(library, "omp_get_max_threads");
  setThreads = symbol<void (*)(int)>(library, "omp_set_num_threads");
  struct Version {
    int major, minor, patch;
    const char *hash;
  };
  static std::string version = "oneDNN";
  if (auto ask = symbol<const Version *(*)()>(library, "dnnl_version"))
    version += " " + std::to_string(ask()->major) + "." +
               std::to_string(ask()->minor) + "." +
               std::to_string(ask()->patch);
  static const VortexLibrary table = {sizeof(VortexLibrary),
                                      VORTEX_LIBRARY_ABI,
                                      version.c_str(),
                                      INT32_MAX,
                                      multiplyF32,
                                      nullptr,
                                      nullptr};
  return &table;
}
