/*===-- Library.h - What a library of kernels offers to artifacts -*- C -*-===*\
|*                                                                            *|
|* Part of the Vortex project, under the Apache License v2.0 with LLVM        *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* A program compiled with `vortex-compile --library=NAME` may leave products *|
|* of matrices to a library. Its artifact links none: the run time opens the  *|
|* shared object libvortex_library_NAME.so, in the folders of                 *|
|* VORTEX_LIBRARY_PATH, beside itself or where the loader looks, and takes    *|
|* from it one table of functions. Whoever has a library of their own writes  *|
|* such an object.                                                            *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef VORTEX_C_LIBRARY_H
#define VORTEX_C_LIBRARY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define VORTEX_LIBRARY_ABI 1u

/* C (m x n) = op(A) (m x k) * op(B) (k x n) + beta * C, all row-major: rows are
   `lda`, `ldb`, `ldc` elements apart. With `transposed_a` A is stored as k x m,
   with `transposed_b` B as n x k. No extent is 0, none and no distance is above
   VortexLibrary.most, and `beta` is 0 (C is not read) or 1. Called by several
   threads at once for different C, and computed by the calling thread alone:
   threads share a product before it comes here. */
typedef void (*VortexGemmF32)(int transposed_a, int transposed_b, int64_t m,
                              int64_t n, int64_t k, const float *a, int64_t lda,
                              const float *b, int64_t ldb, float beta, float *c,
                              int64_t ldc);
typedef void (*VortexGemmF64)(int transposed_a, int transposed_b, int64_t m,
                              int64_t n, int64_t k, const double *a,
                              int64_t lda, const double *b, int64_t ldb,
                              double beta, double *c, int64_t ldc);

/* Lives as long as the process. Fields may be added at the end. */
typedef struct VortexLibrary {
  uint32_t size;
  uint32_t abi;
  const char *version;    /* in the library's words, for people */
  int64_t most;           /* the largest extent or distance it takes */
  VortexGemmF32 gemm_f32; /* null: it has none */
  VortexGemmF64 gemm_f64;
} VortexLibrary;

/* The one symbol that such an object exports. Null when it does not know `abi`
   or its library is not there; `why` (of `bytes` bytes) then gets the reason.
   `folders`, by colons, is where to look first; may be empty. */
typedef const VortexLibrary *(*VortexLibraryOpen)(uint32_t abi,
                                                  const char *folders,
                                                  char *why, size_t bytes);
#define VORTEX_LIBRARY_OPEN "vortex_library_open"

#ifdef __cplusplus
}
#endif

#endif /* VORTEX_C_LIBRARY_H */
