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
|* from it one table of functions, for CPUs or for CUDA devices. Whoever has  *|
|* a library of their own writes such an object.                              *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef VORTEX_C_LIBRARY_H
#define VORTEX_C_LIBRARY_H

#include "vortex-c/Artifact.h"

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

/* Products on a device, for each of `batch` matrices that lie a fixed distance
   apart: row-major like those above, with the same limits; `batch` is 1 or more
   and no distance is negative. */
typedef struct VortexDeviceProduct {
  uint32_t size;
  int32_t factors; /* VortexDType of A and B: f32, f64, f16 or bf16 */
  int32_t result;  /* of C: that of the factors, or f32 for f16 and bf16 */
  int32_t transposed_a, transposed_b;
  int32_t accumulate; /* to what C is; else it is not read */
  int32_t tf32;       /* factors of f32 have no more bits than tf32 */
  int64_t m, n, k;
  const void *a, *b;
  void *c;
  int64_t lda, ldb, ldc;          /* in elements */
  int64_t batch;                  /* number of matrices */
  int64_t a_step, b_step, c_step; /* from one to the next; 0: the same */
} VortexDeviceProduct;

/* What a library of a device offers. Each function is called with the CUDA
   context current that `create` was called with, and for one user by one thread
   at a time. Errors are numbers of the library's, 0 being none. */
typedef struct VortexDeviceLibrary {
  uint32_t size;
  /* Bytes of memory that a user needs on a device of compute capability
     `capability` (80 for 8.0); whoever calls `create` gives them. */
  int64_t (*workspace_bytes)(int32_t capability);
  /* Makes a user, who has `workspace` (aligned to 256 bytes) for as long as
     there is one. Null with the reason in `why` where that fails. */
  void *(*create)(void *workspace, int64_t workspace_bytes, char *why,
                  size_t bytes);
  void (*destroy)(void *user);
  /* Work goes to `stream` (CUstream) from now on. */
  int (*set_stream)(void *user, void *stream);
  /* Puts a product into the stream: does not wait for it and allocates nothing,
     so that a capture of the stream takes it. Which sums are computed is the
     same for the same sizes and layouts; those of factors of f16 and bf16 are
     of f32. */
  int (*multiply)(void *user, const VortexDeviceProduct *product);
  /* An error in words, for people. Lives as long as the process. */
  const char *(*describe)(int error);
} VortexDeviceLibrary;

/* Lives as long as the process. Fields may be added at the end. */
typedef struct VortexLibrary {
  uint32_t size;
  uint32_t abi;
  const char *version;    /* in the library's words, for people */
  int64_t most;           /* the largest extent or distance it takes */
  VortexGemmF32 gemm_f32; /* null: it has none */
  VortexGemmF64 gemm_f64;
  /* Null: it computes on CPUs alone. A table that ends in front has none. */
  const VortexDeviceLibrary *device;
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
