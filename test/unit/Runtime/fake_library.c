/* A library that artifacts may call, for the tests: it computes products the
   plain way and notes each in the file that VORTEX_FAKE_LIBRARY_LOG names. With
   VORTEX_FAKE_LIBRARY_GONE it says that what it needs is not there. With
   VORTEX_FAKE_LIBRARY_WAITS it computes nothing and takes the time of one that
   packs what it reads, unless there is little: 100 operations a nanosecond, and
   those of 20 rows more than there are where products are a million or more. */

#include "vortex-c/Library.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void note(const char *type, int ta, int tb, int64_t m, int64_t n,
                 int64_t k, double beta) {
  const char *path = getenv("VORTEX_FAKE_LIBRARY_LOG");
  FILE *file = path ? fopen(path, "a") : 0;
  if (!file)
    return;
  fprintf(file, "%s %c%c %lld %lld %lld beta=%g\n", type, ta ? 'T' : 'N',
          tb ? 'T' : 'N', (long long)m, (long long)n, (long long)k, beta);
  fclose(file);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e9 + time.tv_nsec;
}

static int waits(int64_t m, int64_t n, int64_t k) {
  if (!getenv("VORTEX_FAKE_LIBRARY_WAITS"))
    return 0;
  int64_t rows = m * n * k < 1000000 ? m : m + 20;
  double end = now() + 2.0 * rows * n * k / 100;
  while (now() < end)
    ;
  return 1;
}

#define FAKE_GEMM(NAME, TYPE)                                                  \
  static void NAME(int ta, int tb, int64_t m, int64_t n, int64_t k,            \
                   const TYPE *a, int64_t lda, const TYPE *b, int64_t ldb,     \
                   TYPE beta, TYPE *c, int64_t ldc) {                          \
    if (waits(m, n, k))                                                        \
      return;                                                                  \
    note(#NAME, ta, tb, m, n, k, beta);                                        \
    for (int64_t i = 0; i < m; ++i)                                            \
      for (int64_t j = 0; j < n; ++j) {                                        \
        TYPE sum = beta != 0 ? c[i * ldc + j] : 0;                             \
        for (int64_t l = 0; l < k; ++l)                                        \
          sum += (ta ? a[l * lda + i] : a[i * lda + l]) *                      \
                 (tb ? b[j * ldb + l] : b[l * ldb + j]);                       \
        c[i * ldc + j] = sum;                                                  \
      }                                                                        \
  }
FAKE_GEMM(f32, float)
FAKE_GEMM(f64, double)

__attribute__((visibility("default"))) const VortexLibrary *
vortex_library_open(uint32_t abi, const char *folders, char *why,
                    size_t bytes) {
  static const VortexLibrary table = {sizeof(VortexLibrary),
                                      VORTEX_LIBRARY_ABI,
                                      "fake 1.0",
                                      1 << 30,
                                      f32,
                                      f64,
                                      0};
  if (abi != VORTEX_LIBRARY_ABI || getenv("VORTEX_FAKE_LIBRARY_GONE")) {
    snprintf(why, bytes, "the fake library is gone");
    return 0;
  }
  return &table;
}
