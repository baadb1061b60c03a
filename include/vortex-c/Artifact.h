/*===-- Artifact.h - What a compiled Vortex artifact exports ------*- C -*-===*\
|*                                                                            *|
|* Part of the Vortex project, under the Apache License v2.0 with LLVM        *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* The binary interface between generated code and whoever loads it. An       *|
|* artifact is a shared object with one exported symbol,                      *|
|* `vortex_artifact_query`. It has no constructors and no writable globals;   *|
|* everything it needs at run time arrives in a `VortexCallContext`.          *|
|* Every struct starts with its size, so that fields can be added at the end. *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef VORTEX_C_ARTIFACT_H
#define VORTEX_C_ARTIFACT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define VORTEX_ARTIFACT_ABI 9u

/* Element types; the numbers are stored in artifacts and never change. */
typedef enum VortexDType {
  VORTEX_F32 = 0,
  VORTEX_F64 = 1,
  VORTEX_F16 = 2,
  VORTEX_BF16 = 3,
  VORTEX_I1 = 4,
  VORTEX_I4 = 5, /* one element a byte, low half */
  VORTEX_I8 = 6,
  VORTEX_I16 = 7,
  VORTEX_I32 = 8,
  VORTEX_I64 = 9,
  VORTEX_INDEX = 10, /* 64 bits */
  VORTEX_C64 = 11,   /* complex<f32> */
  VORTEX_C128 = 12,  /* complex<f64> */
  VORTEX_F8E4M3FN = 13,
  VORTEX_F8E5M2 = 14
} VortexDType;

typedef enum VortexValueKind {
  VORTEX_SCALAR = 0, /* passed as a pointer to one element */
  VORTEX_TENSOR = 1, /* never written */
  VORTEX_MEMREF = 2  /* may be written */
} VortexValueKind;

/* How generated code sees a tensor: row-major, contiguous. `data` points at
   the first element; `sizes` has `rank` entries. */
typedef struct VortexBuffer {
  void *data;
  const int64_t *sizes;
} VortexBuffer;

/* Services and facts that arrive with a call. Generated code never outlives
   it. `fail` does not return. All functions may be called from any thread that
   runs a body of this call, with the context that the body was given. */
typedef struct VortexCallContext VortexCallContext;
struct VortexCallContext {
  uint32_t size;
  uint32_t abi;
  void *runtime; /* the loader's own */
  /* Runs body(context, closure, i) once for each i in [0, count). */
  void (*parallel_for)(VortexCallContext *context,
                       void (*body)(VortexCallContext *, void *, int64_t),
                       void *closure, int64_t count);
  /* `bytes` of scratch memory aligned to `alignment` (a power of two). Never
     null: `fail`s when there is none. Freed at the end of the call at last. */
  void *(*allocate)(VortexCallContext *context, int64_t bytes,
                    int64_t alignment);
  void (*release)(VortexCallContext *context, void *memory);
  /* Memory for result `index` of the running function; called once a result
     and call, with its extents (`rank` of them) and size in bytes. */
  void *(*result)(VortexCallContext *context, int64_t index, int64_t rank,
                  const int64_t *sizes, int64_t bytes);
  /* Ends the call with a message. Does not return. */
  void (*fail)(VortexCallContext *context, const char *message);
  /* Machine parameters, in the order of VortexArtifactInfo.params. */
  const double *machine;
  /* Null, or told of each choice: kernel and candidate positions in
     VortexArtifactInfo.kernels, the candidate the costs prefer (-1: no guard
     holds), for each candidate whether its guard holds and its predicted
     nanoseconds (any number, also infinity, where it does not). Returns the
     candidate to run. Never null for VortexFunctionInfo.choose, which may tell
     VORTEX_CHOICE_DEPENDS_ON_DATA with no candidates; nothing depends on what
     it is answered. */
  int64_t (*choose)(VortexCallContext *context, int64_t kernel, int64_t choice,
                    const uint8_t *allowed, const double *costs, int64_t count);
  /* Threads this call may use; 1 means that parallel_for runs in place. */
  int64_t threads;
  /* VORTEX_MEMO_WORDS numbers for each of VortexArtifactInfo.num_memos, zero
     at first: generated code keeps there what it found out last time. Used by
     one thread at a time; the contents are the code's own. */
  int64_t *memo;
  /* What follows is for artifacts with device code (VortexArtifactInfo.device),
     null in calls of others. There `allocate`, `result` and the data of
     arguments are addresses of the device, which host code does not follow;
     scalars are the host's. All work goes to one stream, in order. */
  /* Runs device kernel `kernel`. `extents`: of its axes; `parameters`: where
     each parameter lies, with a null behind the last. No blocks, no launch. */
  void (*launch)(VortexCallContext *context, int64_t kernel,
                 const int64_t *extents, void *const *parameters);
  /* Copies or fills `rank` dimensions in device memory; strides in elements.
     `element` is the host's. */
  void (*copy)(VortexCallContext *context, int64_t element_bytes, int64_t rank,
               const int64_t *sizes, void *to, const int64_t *to_strides,
               const void *from, const int64_t *from_strides);
  void (*fill)(VortexCallContext *context, int64_t element_bytes, int64_t rank,
               const int64_t *sizes, void *to, const int64_t *to_strides,
               const void *element);
  /* Copies bytes to the host, waiting for the stream, and from it. */
  void (*read)(VortexCallContext *context, void *host, const void *device,
               int64_t bytes);
  void (*write)(VortexCallContext *context, void *device, const void *host,
                int64_t bytes);
  /* The copy on the device of a constant of the artifact, made once. */
  void *(*constant)(VortexCallContext *context, const void *host,
                    int64_t bytes);
  /* Writes into `map` what bulk copies of device kernel `kernel` read of a
     tensor in device memory: a parameter of VORTEX_TENSOR_MAP_BYTES, passed by
     value, at an address that is a multiple of 64. `rank` sizes, strides in
     elements and extents of a box, outermost first; the innermost stride is 1.
     Boxes lie in shared memory in the 128-byte swizzle. */
  void (*tensor_map)(VortexCallContext *context, int64_t kernel, void *map,
                     int64_t dtype, const void *data, int64_t rank,
                     const int64_t *sizes, const int64_t *strides,
                     const int64_t *box);
  /* For artifacts that name libraries, null in calls of others: products of
     matrices by the library at position `library` of
     VortexArtifactInfo.libraries. C becomes A B, for each point of a batch of
     `batches` dimensions. `flags` are VORTEX_PRODUCT_*, `factors` and `result`
     VortexDTypes: of A and B, and of C. `sizes`: of the batch,
     then rows, columns, steps; `data`: where A, B and C begin; `strides`, in
     elements: of A along the batch, rows and steps, of B along the batch, steps
     and columns, of C along the batch, rows and columns; 0 along what a factor
     does not have of the batch, and one of each matrix's last two is 1. With
     device code it goes to the stream like all work. `fail`s when the library
     is not there. */
  void (*product)(VortexCallContext *context, int64_t library, int64_t factors,
                  int64_t result, int64_t batches, const int64_t *sizes,
                  void *const *data, const int64_t *strides, int64_t flags);
  /* Null, or memory of the caller for every result: generated code writes to
     that of a result whose sizes are those here, and asks `result` otherwise.
     Only in calls that VortexFunctionInfo.accepts took. */
  const VortexBuffer *results;
};

#define VORTEX_PRODUCT_ACCUMULATE 1 /* C + A B */
#define VORTEX_PRODUCT_TF32 2 /* factors of f32 have no more bits than tf32 */

#define VORTEX_TENSOR_MAP_BYTES 128

#define VORTEX_MEMO_WORDS 16

/* The candidate of a kernel whose sizes are known only by running. */
#define VORTEX_CHOICE_DEPENDS_ON_DATA (-2)

typedef struct VortexValueInfo {
  uint32_t size;
  int32_t kind;            /* VortexValueKind */
  int32_t dtype;           /* VortexDType */
  int32_t rank;            /* 0 for scalars */
  const int64_t *extents;  /* rank entries, -1 where unknown */
  const char *const *dims; /* rank names of sizes, null or "" where unnamed */
  uint32_t is_weight;      /* bound once to an instance */
  const char *name;        /* may be null */
  uint32_t sizes_only;     /* `run` and `choose` read no element of this weight:
                              `bind` has all they need */
} VortexValueInfo;

/* Generated code. `args` has one entry for each argument: a pointer to the
   scalar, or a `const VortexBuffer *`. Results go through
   context->result, scalars included (rank 0). */
typedef void (*VortexEntry)(VortexCallContext *context, void *const *args);

/* Whether a call is as nearly all are: `args`, one for each argument that is no
   weight, and `results` have memory, aligned to their elements, and sizes in
   range that agree with each other, with the signature and with all relations.
   Then not 0, and `entries` is what VortexEntry takes; those of weights are
   there before. 0 also where this cannot tell. `entries` may be written either
   way. */
typedef int64_t (*VortexAccepts)(const VortexBuffer *args,
                                 const VortexBuffer *results, void **entries);

typedef struct VortexFunctionInfo {
  uint32_t size;
  const char *name;
  int64_t num_args;
  const VortexValueInfo *args;
  int64_t num_results;
  const VortexValueInfo *results;
  /* Relations between named sizes ("seq <= 4096"), as text, checked by the
     loader once a call. */
  int64_t num_relations;
  const char *const *relations;
  /* Takes the arguments in order, then the results of `bind` in order. */
  VortexEntry run;
  /* Makes the packed forms of the weights: takes all of the function's
     weight arguments in order (only those), gives `num_bound` results. Null
     when nothing is bound. */
  VortexEntry bind;
  int64_t num_bound;
  const VortexValueInfo *bound;
  /* Tells context->choose the choice of each planned kernel without running
     any: takes the arguments in order, of which it reads the sizes of tensors
     and the values of scalars. Null when there is no planned kernel. */
  VortexEntry choose;
  /* What its products of f32 are computed in: "bf16", "int8-dynamic", "tf32",
     "bf16x2"; "" for f32. */
  const char *precision;
  /* The most bytes of intermediate tensors that exist at once, as an expression
     of sizes in the notation of relations; "" where data decides. What kernels
     need for themselves is not part of it. */
  const char *peak_bytes;
  /* What that never exceeds at the sizes that the signature and the relations
     allow; negative where they allow any. */
  int64_t most_bytes;
  /* Null where the loader has to look at every call itself. */
  VortexAccepts accepts;
} VortexFunctionInfo;

/* Formulas are text over the kernel's axes and machine parameters: lines
   "tN = ..." with terms that occur more than once, then the value. */
typedef struct VortexKernelInfo {
  uint32_t size;
  const char *name;
  int64_t num_candidates; /* 0: a fallback, generic loops */
  const char *const *candidates;
  const char *const *guards; /* of each candidate; "" for always */
  const char *const *costs;  /* nanoseconds of each candidate; may be "" */
  int64_t num_axes;
  const char *const *axes;
  /* The candidate that was decided on when the program was compiled, because
     there is no other or sizes were known; -1: each call chooses. */
  int64_t decided;
} VortexKernelInfo;

typedef struct VortexParamInfo {
  uint32_t size;
  const char *name; /* "core.units", "l2.bandwidth", "threads" */
  double default_value;
} VortexParamInfo;

/* One kernel of the device: the code of one candidate. */
typedef struct VortexDeviceKernelInfo {
  uint32_t size;
  const char *name;     /* kernel and candidate */
  const char *function; /* in the code */
  const char *ptx;
  const void *cubin; /* null for none */
  int64_t cubin_bytes;
  int64_t threads;      /* of a block */
  int64_t shared_bytes; /* dynamic shared memory of a block */
  int64_t num_axes;
  const int64_t *tile; /* a block's part of each axis, or a cluster's; 0: all
                          of it; -1: its points are counted together with
                          those of the next axis that has a tile. The grid is
                          the product of the numbers of tiles, along x, and of
                          the blocks of a cluster */
  int64_t num_parameters;
  int64_t queue;   /* 0: a block for each tile; else at most as many blocks on
                      each multiprocessor, which walk all tiles */
  int64_t cluster; /* blocks that start together; 0 and 1: each by itself. A
                      tile is divided among them, the grid has whole ones */
  int64_t num_candidates; /* that launch it, so that they are not chosen */
  const char *const *candidates; /* where it cannot run: "KERNEL=CANDIDATE" */
} VortexDeviceKernelInfo;

typedef struct VortexDeviceInfo {
  uint32_t size;
  const char *isa; /* "sm_80" */
  int64_t num_kernels;
  const VortexDeviceKernelInfo *kernels;
} VortexDeviceInfo;

typedef struct VortexArtifactInfo {
  uint32_t size;
  uint32_t abi;
  const char *producer; /* "vortex 0.1.0" */
  const char *target;   /* isa and chip */
  const char *features; /* CPU features the code needs, comma separated, as
                           LLVM spells them ("avx512f,avx512bw") */
  int64_t num_functions;
  const VortexFunctionInfo *functions;
  int64_t num_kernels;
  const VortexKernelInfo *kernels;
  int64_t num_params;
  const VortexParamInfo *params;
  int64_t num_memos;
  const VortexDeviceInfo *device; /* null: all code is the CPU's */
  /* Names of the libraries that its code may call, where the run time finds
     them ("openblas"). The machine parameter "library.NAME" is 1 there and 0
     elsewhere. */
  int64_t num_libraries;
  const char *const *libraries;
} VortexArtifactInfo;

/* The one exported symbol. Null when `abi` is not the artifact's. */
typedef const VortexArtifactInfo *(*VortexArtifactQuery)(uint32_t abi);
#define VORTEX_ARTIFACT_QUERY "vortex_artifact_query"

/* An artifact for several targets is that of the first, and holds an artifact
   for each of the others, complete with its own metadata, in the ELF sections
   ".vortex.program.1", ".vortex.program.2" and so on. "programs" in its
   metadata names their targets in this order. */
#define VORTEX_PROGRAM_SECTION ".vortex.program."

/* Name of the ELF section that holds the same metadata as JSON, for reading
   without executing, with the CRC-32 of the file's code and constant
   sections. */
#define VORTEX_ARTIFACT_SECTION ".vortex.meta"

#ifdef __cplusplus
}
#endif

#endif /* VORTEX_C_ARTIFACT_H */
