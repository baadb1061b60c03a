//===- CuBlas.cpp - cuBLAS for artifacts ----------------------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declared here as cuBLAS's documentation has it, so that nothing of CUDA is
// needed to build: https://docs.nvidia.com/cuda/cublas/
//
//===----------------------------------------------------------------------===//

#include "OpenLibrary.h"

#include "vortex-c/Library.h"

#include <climits>
#include <cstdio>

using namespace vortex::libraries;

namespace {

/// cublasStatus_t; 0: success.
using Status = int;
using Handle = struct cublasContext *;

/// cublasOperation_t, cublasGemmAlgo_t, cublasMath_t
constexpr int asIs = 0, transposed = 1, defaultAlgorithm = -1;
constexpr int sumsInFull = 16; ///< parts of sums are no narrower than sums
/// cudaDataType_t
constexpr int real32 = 0, real64 = 1, real16 = 2, brain16 = 14;
/// cublasComputeType_t
constexpr int compute32 = 68, computeTF32 = 77, compute64 = 70;
/// libraryPropertyType_t
constexpr int majorVersion = 0, patchLevel = 2;
/// What this file answers itself.
constexpr Status wrongTypes = 7; ///< CUBLAS_STATUS_INVALID_VALUE

/// Matrices of a call: batches have been limited by the third dimension of a
/// grid.
constexpr int64_t mostMatrices = 65535;

struct Functions {
#define VORTEX_CUBLAS_FUNCTIONS(X)                                             \
  X(create, cublasCreate_v2, (Handle *))                                       \
  X(destroy, cublasDestroy_v2, (Handle))                                       \
  X(setStream, cublasSetStream_v2, (Handle, void *stream))                     \
  X(setWorkspace, cublasSetWorkspace_v2, (Handle, void *, size_t bytes))       \
  X(setMathMode, cublasSetMathMode, (Handle, int))                             \
  X(getProperty, cublasGetProperty, (int which, int *value))                   \
  X(multiply, cublasGemmEx,                                                    \
    (Handle, int opA, int opB, int m, int n, int k, const void *alpha,         \
     const void *a, int typeA, int lda, const void *b, int typeB, int ldb,     \
     const void *beta, void *c, int typeC, int ldc, int compute,               \
     int algorithm))                                                           \
  X(multiplyBatch, cublasGemmStridedBatchedEx,                                 \
    (Handle, int opA, int opB, int m, int n, int k, const void *alpha,         \
     const void *a, int typeA, int lda, long long stepA, const void *b,        \
     int typeB, int ldb, long long stepB, const void *beta, void *c,           \
     int typeC, int ldc, long long stepC, int count, int compute,              \
     int algorithm))
#define VORTEX_CUBLAS_POINTER(NAME, SYMBOL, ARGS) Status(*NAME) ARGS = nullptr;
  VORTEX_CUBLAS_FUNCTIONS(VORTEX_CUBLAS_POINTER)
#undef VORTEX_CUBLAS_POINTER
  const char *(*describe)(Status) = nullptr;

  /// False with the reason when one is missing.
  bool load(void *library, std::string &reason) {
#define VORTEX_CUBLAS_LOOKUP(NAME, SYMBOL, ARGS)                               \
  NAME = symbol<decltype(NAME)>(library, #SYMBOL);                             \
  if (!NAME) {                                                                 \
    reason = "it has no " #SYMBOL;                                             \
    return false;                                                              \
  }
    VORTEX_CUBLAS_FUNCTIONS(VORTEX_CUBLAS_LOOKUP)
#undef VORTEX_CUBLAS_LOOKUP
    // Since 11.4.
    describe =
        symbol<const char *(*)(Status)>(library, "cublasGetStatusString");
    return true;
  }
} blas;

/// One handle with what has to be said again for each stream.
struct User {
  Handle handle;
  void *workspace;
  size_t bytes;
};

} // namespace

static const char *describe(int error) {
  const char *text = blas.describe ? blas.describe(error) : nullptr;
  return text ? text : "an error of cuBLAS";
}

/// cuBLAS's documentation, "cublasSetWorkspace": what it recommends.
static int64_t workspaceBytes(int32_t capability) {
  return capability >= 90 ? int64_t(32) << 20 : int64_t(4) << 20;
}

static int setStream(void *user, void *stream) {
  auto *made = static_cast<User *>(user);
  if (Status error = blas.setStream(made->handle, stream))
    return error;
  // A stream brings cuBLAS's own pool back, which a capture cannot have.
  return blas.setWorkspace(made->handle, made->workspace, made->bytes);
}

static void destroy(void *user) {
  blas.destroy(static_cast<User *>(user)->handle);
  delete static_cast<User *>(user);
}

static void *create(void *workspace, int64_t workspaceBytes, char *why,
                    size_t bytes) {
  Handle handle = nullptr;
  Status error = blas.create(&handle);
  if (error) {
    std::snprintf(why, bytes, "cublasCreate: %s", describe(error));
    return nullptr;
  }
  auto *user = new User{handle, workspace, size_t(workspaceBytes)};
  error = blas.setMathMode(handle, sumsInFull);
  if (!error)
    error = setStream(user, nullptr);
  if (!error)
    return user;
  std::snprintf(why, bytes, "setting up its handle: %s", describe(error));
  destroy(user);
  return nullptr;
}

/// cudaDataType_t of a VortexDType; negative: none.
static int typeOf(int32_t dtype) {
  switch (dtype) {
  case VORTEX_F32:
    return real32;
  case VORTEX_F64:
    return real64;
  case VORTEX_F16:
    return real16;
  case VORTEX_BF16:
    return brain16;
  default:
    return -1;
  }
}

/// cuBLAS has columns where the table has rows: what it takes for the
/// transposed of A, B and C is what lies there, and C^T = B^T A^T.
static int multiply(void *user, const VortexDeviceProduct *p) {
  Handle handle = static_cast<User *>(user)->handle;
  int factors = typeOf(p->factors), result = typeOf(p->result);
  if (factors < 0 || result < 0)
    return wrongTypes;
  bool wide = p->factors == VORTEX_F64;
  float one = 1, beta = p->accumulate ? 1.0f : 0.0f;
  double one64 = 1, beta64 = beta;
  const void *alphaAt = wide ? static_cast<void *>(&one64) : &one;
  const void *betaAt = wide ? static_cast<void *>(&beta64) : &beta;
  int compute = wide ? compute64 : p->tf32 ? computeTF32 : compute32;
  int opA = p->transposed_a ? transposed : asIs;
  int opB = p->transposed_b ? transposed : asIs;
  if (p->batch == 1)
    return blas.multiply(handle, opB, opA, int(p->n), int(p->m), int(p->k),
                         alphaAt, p->b, factors, int(p->ldb), p->a, factors,
                         int(p->lda), betaAt, p->c, result, int(p->ldc),
                         compute, defaultAlgorithm);
  auto *a = static_cast<const char *>(p->a),
       *b = static_cast<const char *>(p->b);
  auto *c = static_cast<char *>(p->c);
  int64_t bytes = wide ? 8 : factors == real32 ? 4 : 2;
  int64_t resultBytes = wide ? 8 : result == real32 ? 4 : 2;
  for (int64_t done = 0; done < p->batch; done += mostMatrices) {
    int64_t count = p->batch - done;
    if (count > mostMatrices)
      count = mostMatrices;
    if (Status error = blas.multiplyBatch(
            handle, opB, opA, int(p->n), int(p->m), int(p->k), alphaAt,
            b + done * p->b_step * bytes, factors, int(p->ldb), p->b_step,
            a + done * p->a_step * bytes, factors, int(p->lda), p->a_step,
            betaAt, c + done * p->c_step * resultBytes, result, int(p->ldc),
            p->c_step, int(count), compute, defaultAlgorithm))
      return error;
  }
  return 0;
}

extern "C" __attribute__((visibility("default"))) const VortexLibrary *
vortex_library_open(uint32_t abi, const char *folders, char *why,
                    size_t bytes) {
  auto refuse = [&](const std::string &reason) {
    std::snprintf(why, bytes, "%s", reason.c_str());
    return nullptr;
  };
  if (abi != VORTEX_LIBRARY_ABI)
    return refuse("it was made for another run time");
  std::string reason;
  void *library = openLibrary(
      folders, {"libcublas.so.12", "libcublas.so.13", "libcublas.so.11"},
      reason);
  if (!library)
    return refuse("no cuBLAS: " + reason);
  if (!blas.load(library, reason))
    return refuse(reason);
  static std::string version = "cuBLAS";
  for (int which = majorVersion; which <= patchLevel; ++which) {
    int number = 0;
    if (!blas.getProperty(which, &number))
      version += (which == majorVersion ? " " : ".") + std::to_string(number);
  }
  static const VortexDeviceLibrary device = {sizeof(VortexDeviceLibrary),
                                             workspaceBytes,
                                             create,
                                             destroy,
                                             setStream,
                                             multiply,
                                             describe};
  static const VortexLibrary table = {sizeof(VortexLibrary),
                                      VORTEX_LIBRARY_ABI,
                                      version.c_str(),
                                      INT_MAX,
                                      nullptr,
                                      nullptr,
                                      &device};
  return &table;
}
