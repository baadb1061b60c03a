//===- CuBlas.cpp - A stand-in for cuBLAS ---------------------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products of the interface of cuBLAS 12 on the memory of the stand-in driver,
// in its streams and captures, one line of its log each. What cuBLAS refuses is
// refused; what it would do without a word (another stream's workspace, memory
// that is not there) is told on stderr.
//
// Read from the environment:
//   VORTEX_STANDIN_CUBLAS=broken    no handle can be made
//   VORTEX_STANDIN_CUBLAS=fails     products fail
//
//===----------------------------------------------------------------------===//

#include "Capture.h"
#include "StandIn.h"

#include <cmath>
#include <cstdlib>
#include <cstring>

using namespace standin;

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT int cuCtxGetCurrent(intptr_t *context);

/// cublasStatus_t
enum : int {
  fine = 0,
  notInitializedYet = 1,
  badValue = 7,
  executionFailed = 13,
  notSupported = 15
};
/// cudaDataType_t, cublasComputeType_t
enum : int {
  r32 = 0,
  r64 = 1,
  r16 = 2,
  b16 = 14,
  inF32 = 68,
  inTF32 = 77,
  inF64 = 70
};

namespace {
struct Handle {
  void *stream = nullptr;
  uint64_t workspace = 0;
  size_t bytes = 0;
  int mode = 0;
  intptr_t context = 0;
  bool alive = true;
};

struct Matrices {
  uint64_t at;
  int type;
  long long pitch, step; ///< elements from a column to the next, from a matrix
};
} // namespace

static bool is(const char *what) {
  const char *text = std::getenv("VORTEX_STANDIN_CUBLAS");
  return text && !std::strcmp(text, what);
}

static size_t bytesOf(int type) {
  return type == r64 ? 8 : type == r32 ? 4 : 2;
}

static const char *nameOf(int type) {
  return type == r64   ? "f64"
         : type == r32 ? "f32"
         : type == r16 ? "f16"
                       : "bf16";
}

static double load(const char *at, int type) {
  if (type == r64) {
    double value;
    std::memcpy(&value, at, 8);
    return value;
  }
  uint32_t bits = 0;
  std::memcpy(&bits, at, bytesOf(type));
  if (type == r16) {
    int exponent = int(bits >> 10 & 31);
    double fraction = double(bits & 1023) / 1024;
    double value = exponent == 31  ? (fraction != 0 ? NAN : INFINITY)
                   : exponent == 0 ? std::ldexp(fraction, -14)
                                   : std::ldexp(1 + fraction, exponent - 15);
    return bits >> 15 ? -value : value;
  }
  if (type == b16)
    bits <<= 16;
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}

/// Rounded to even; halves are taken to be normal and finite.
static void store(char *at, int type, double value) {
  if (type == r64) {
    std::memcpy(at, &value, 8);
    return;
  }
  float single = float(value);
  uint32_t bits;
  std::memcpy(&bits, &single, 4);
  if (type == b16)
    bits = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  if (type == r16) {
    uint32_t sign = bits >> 16 & 0x8000, rest = bits & 0x7fffffff;
    rest += 0xfff + (rest >> 13 & 1);
    bits = single == 0 ? sign : sign | ((rest >> 13) - (112 << 10));
  }
  std::memcpy(at, &bits, bytesOf(type));
}

EXPORT int cublasCreate_v2(Handle **handle) {
  intptr_t context = 0;
  if (cuCtxGetCurrent(&context) || !context) {
    complain("a handle of cuBLAS without a current context");
    return notInitializedYet;
  }
  if (is("broken") || Capture::get().forbid("a handle of cuBLAS is made"))
    return notInitializedYet;
  log("cublas handle");
  *handle = new Handle();
  (*handle)->context = context;
  return fine;
}
EXPORT int cublasDestroy_v2(Handle *handle) {
  if (!handle->alive)
    complain("a handle of cuBLAS is destroyed twice");
  log("cublas end");
  handle->alive = false; // kept, to know it again
  return fine;
}
EXPORT int cublasSetStream_v2(Handle *handle, void *stream) {
  handle->stream = stream;
  handle->workspace = 0;
  return fine;
}
EXPORT int cublasSetWorkspace_v2(Handle *handle, void *workspace,
                                 size_t bytes) {
  auto at = reinterpret_cast<uint64_t>(workspace);
  if (at % 256 || !Memory::get().reach(at, bytes, "workspace of cuBLAS"))
    return badValue;
  handle->workspace = at;
  handle->bytes = bytes;
  return fine;
}
EXPORT int cublasSetMathMode(Handle *handle, int mode) {
  handle->mode = mode;
  return fine;
}
EXPORT int cublasGetProperty(int which, int *value) {
  *value = which == 0 ? 12 : which == 1 ? 4 : 5;
  return fine;
}
EXPORT const char *cublasGetStatusString(int status) {
  switch (status) {
  case fine:
    return "CUBLAS_STATUS_SUCCESS";
  case notInitializedYet:
    return "CUBLAS_STATUS_NOT_INITIALIZED";
  case badValue:
    return "CUBLAS_STATUS_INVALID_VALUE";
  case executionFailed:
    return "CUBLAS_STATUS_EXECUTION_FAILED";
  case notSupported:
    return "CUBLAS_STATUS_NOT_SUPPORTED";
  default:
    return "unknown";
  }
}

/// Memory of `count` matrices of `columns` columns of `rows` elements; null,
/// with a complaint, where it is not in one allocation.
static char *reach(const Matrices &m, long long rows, long long columns,
                   int count, const char *what) {
  long long last = m.step * (count - 1) + m.pitch * (columns - 1) + rows;
  return Memory::get().reach(m.at, size_t(last) * bytesOf(m.type), what);
}

static int multiply(Handle *handle, int opA, int opB, long long m, long long n,
                    long long k, const void *alpha, Matrices a, Matrices b,
                    const void *beta, Matrices c, int count, int compute,
                    int algorithm) {
  intptr_t context = 0;
  if (!handle || !handle->alive || cuCtxGetCurrent(&context) ||
      context != handle->context) {
    complain("a product of cuBLAS without its handle and context");
    return notInitializedYet;
  }
  log("cublas %s %s %c%c %lld x %lld x %lld, rows %lld %lld %lld, batch %d "
      "%lld %lld %lld",
      compute == inTF32 ? "tf32" : nameOf(a.type), nameOf(c.type),
      opA ? 'T' : 'N', opB ? 'T' : 'N', m, n, k, a.pitch, b.pitch, c.pitch,
      count, a.step, b.step, c.step);
  bool wide = compute == inF64;
  bool narrow = a.type == r16 || a.type == b16;
  if (a.type != b.type || wide != (a.type == r64) ||
      (!wide && compute != inF32 && (compute != inTF32 || a.type != r32)) ||
      algorithm != -1 || !(c.type == a.type || (narrow && c.type == r32)))
    return notSupported;
  if (m < 0 || n < 0 || k < 0 || count < 0 || opA < 0 || opA > 1 || opB < 0 ||
      opB > 1 || a.pitch < (opA ? k : m) || b.pitch < (opB ? n : k) ||
      c.pitch < m || a.pitch < 1 || b.pitch < 1 || c.pitch < 1)
    return badValue;
  if (!handle->workspace) {
    complain("a product of cuBLAS with the workspace of another stream");
    return notSupported;
  }
  if (is("fails"))
    return executionFailed;
  double one = wide ? *static_cast<const double *>(alpha)
                    : *static_cast<const float *>(alpha);
  double kept = wide ? *static_cast<const double *>(beta)
                     : *static_cast<const float *>(beta);
  char *from = reach(a, opA ? k : m, opA ? m : k, count, "A of cuBLAS");
  char *by = reach(b, opB ? n : k, opB ? k : n, count, "B of cuBLAS");
  char *to = reach(c, m, n, count, "C of cuBLAS");
  if (!from || !by || !to)
    return executionFailed;
  return Capture::get().submit(handle->stream, [=] {
    for (long long x = 0; x < count; ++x)
      for (long long j = 0; j < n; ++j)
        for (long long i = 0; i < m; ++i) {
          double sum = 0;
          for (long long l = 0; l < k; ++l)
            sum += load(from + (x * a.step +
                                (opA ? i * a.pitch + l : l * a.pitch + i)) *
                                   bytesOf(a.type),
                        a.type) *
                   load(by + (x * b.step +
                              (opB ? l * b.pitch + j : j * b.pitch + l)) *
                                 bytesOf(b.type),
                        b.type);
          char *at = to + (x * c.step + j * c.pitch + i) * bytesOf(c.type);
          store(at, c.type,
                one * sum + (kept != 0 ? kept * load(at, c.type) : 0));
        }
    return int(success);
  });
}

static uint64_t addressOf(const void *memory) {
  return reinterpret_cast<uint64_t>(memory);
}

EXPORT int cublasGemmEx(Handle *handle, int opA, int opB, int m, int n, int k,
                        const void *alpha, const void *a, int typeA, int lda,
                        const void *b, int typeB, int ldb, const void *beta,
                        void *c, int typeC, int ldc, int compute,
                        int algorithm) {
  return multiply(handle, opA, opB, m, n, k, alpha,
                  {addressOf(a), typeA, lda, 0}, {addressOf(b), typeB, ldb, 0},
                  beta, {addressOf(c), typeC, ldc, 0}, 1, compute, algorithm);
}
EXPORT int cublasGemmStridedBatchedEx(
    Handle *handle, int opA, int opB, int m, int n, int k, const void *alpha,
    const void *a, int typeA, int lda, long long stepA, const void *b,
    int typeB, int ldb, long long stepB, const void *beta, void *c, int typeC,
    int ldc, long long stepC, int count, int compute, int algorithm) {
  return multiply(handle, opA, opB, m, n, k, alpha,
                  {addressOf(a), typeA, lda, stepA},
                  {addressOf(b), typeB, ldb, stepB}, beta,
                  {addressOf(c), typeC, ldc, stepC}, count, compute, algorithm);
}
