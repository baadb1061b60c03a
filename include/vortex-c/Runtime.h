/*===-- Runtime.h - Loading and running compiled artifacts ---------*- C
-*-===*\
|*                                                                            *|
|* Part of the Vortex project, under the Apache License v2.0 with LLVM        *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Three kinds of object, each made from the one before:                      *|
|*                                                                            *|
|*   module    the code of an artifact and its machine parameters             *|
|*   instance  a module with bound weights; two instances may differ          *|
|*   context   scratch memory and threads; runs calls, one at a time          *|
|*                                                                            *|
|* Modules and instances may be used by any number of contexts at once. Each  *|
|* object keeps alive the one it was made from, so handles may be destroyed   *|
|* in any order. Destroying null does nothing.                                *|
|*                                                                            *|
|* Every function that can fail returns a status; the words for the latest    *|
|* failure on this thread are in vortexLastError(). No function aborts or     *|
|* throws. Strings are UTF-8, owned by the library unless said otherwise.     *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef VORTEX_C_RUNTIME_H
#define VORTEX_C_RUNTIME_H

#include "vortex-c/Artifact.h"
#include "vortex-c/dlpack.h"

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define VORTEX_RUNTIME_API __attribute__((visibility("default")))
#else
#define VORTEX_RUNTIME_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum VortexStatus {
  VORTEX_STATUS_OK = 0,
  VORTEX_STATUS_INVALID_ARGUMENT = 1, /* the caller's tensors or values */
  VORTEX_STATUS_NOT_FOUND = 2,        /* no such file, function, kernel, name */
  VORTEX_STATUS_INVALID_ARTIFACT = 3, /* truncated, corrupt, or foreign file */
  VORTEX_STATUS_UNSUPPORTED = 4,      /* other ABI, or this machine lacks it */
  VORTEX_STATUS_OUT_OF_MEMORY = 5,
  VORTEX_STATUS_UNBOUND_WEIGHTS = 6, /* vortexInstanceBindWeights is due */
  VORTEX_STATUS_PROGRAM_FAILED = 7,  /* an assertion of the program */
  VORTEX_STATUS_GUARD_FAILED = 8,    /* a forced candidate may not run here */
  VORTEX_STATUS_DEVICE_FAILED = 9    /* the device's driver says so */
} VortexStatus;

typedef struct VortexModule VortexModule;
typedef struct VortexInstance VortexInstance;
typedef struct VortexContext VortexContext;

/* What went wrong last on the calling thread, "" before any failure. Valid
   until the next failure on this thread. */
VORTEX_RUNTIME_API const char *vortexLastError(void);
/* "0.1.0" */
VORTEX_RUNTIME_API const char *vortexRuntimeVersion(void);

/*===----------------------------------------------------------------------===*\
|* Modules                                                                    *|
\*===----------------------------------------------------------------------===*/

/* Loads the artifact at `path`. Before any of its code is mapped, the file is
   checked to be whole (sections within the file, checksum), of this ABI, and
   for CPU features that this machine has. Machine parameters are the
   artifact's defaults, replaced by those in the probe's file:
   VORTEX_MACHINE_PARAMS=PATH, or when that is unset
   $XDG_CACHE_HOME/vortex/host.json (~/.cache/vortex/host.json), ignored when
   absent; VORTEX_MACHINE_PARAMS=none reads no file. A file that was measured on
   another kind of machine is not used, which is a remark. */
VORTEX_RUNTIME_API VortexStatus vortexModuleLoad(const char *path,
                                                 VortexModule **module);
/* What loading left aside and why, a line each; "" for nothing. Lives as long
   as the module's code. */
VORTEX_RUNTIME_API const char *vortexModuleRemarks(const VortexModule *module);
/* The same for `size` bytes in memory, which are copied. */
VORTEX_RUNTIME_API VortexStatus vortexModuleLoadFromMemory(
    const void *bytes, size_t size, VortexModule **module);
/* Gives back the caller's handle; the code is unmapped when the last instance
   and context made from it are gone. */
VORTEX_RUNTIME_API void vortexModuleUnload(VortexModule *module);

/* The metadata (JSON) of the artifact at `path`, read without mapping its
   code, so also for machines unlike this one. `*json` is freed by
   vortexFreeString. */
VORTEX_RUNTIME_API VortexStatus vortexArtifactReadMetadata(const char *path,
                                                           char **json);
VORTEX_RUNTIME_API void vortexFreeString(char *string);

/* An artifact for several targets has a program for each: the same functions
   with kernels, candidates, machine parameters and a choice of their own. The
   module is the first of those that this processor can run; the others are
   modules, too, with positions from 1, that live as long as it does and are not
   unloaded by themselves. Position 0 is the module; null behind the last. */
VORTEX_RUNTIME_API VortexModule *vortexModuleProgram(VortexModule *module,
                                                     int64_t index);

/* What the artifact says of itself. Structs may be longer than this header
   knows, so step through arrays with the functions below. All live as long as
   the module's code; out of range gives null. */
VORTEX_RUNTIME_API const VortexArtifactInfo *
vortexModuleInfo(const VortexModule *module);
VORTEX_RUNTIME_API const VortexFunctionInfo *
vortexModuleFunction(const VortexModule *module, int64_t index);
/* Null when there is no such function. */
VORTEX_RUNTIME_API const VortexFunctionInfo *
vortexModuleFindFunction(const VortexModule *module, const char *name);
VORTEX_RUNTIME_API const VortexValueInfo *
vortexFunctionArgument(const VortexFunctionInfo *function, int64_t index);
VORTEX_RUNTIME_API const VortexValueInfo *
vortexFunctionResult(const VortexFunctionInfo *function, int64_t index);
VORTEX_RUNTIME_API const VortexKernelInfo *
vortexModuleKernel(const VortexModule *module, int64_t index);
VORTEX_RUNTIME_API const VortexParamInfo *
vortexModuleParam(const VortexModule *module, int64_t index);

/* Machine parameters by name ("l2.bandwidth"), in the units of the hardware
   description. A context reads them when it is created; the parameter
   "threads" is the context's own thread count. NOT_FOUND for a name that the
   artifact does not use, INVALID_ARGUMENT for a number that no machine can
   have: not finite, below 0, 0 for bandwidths, rates and sizes, a part of a
   count. */
VORTEX_RUNTIME_API VortexStatus vortexModuleGetParam(const VortexModule *module,
                                                     const char *name,
                                                     double *value);
VORTEX_RUNTIME_API VortexStatus vortexModuleSetParam(VortexModule *module,
                                                     const char *name,
                                                     double value);
/* Sets those that a file names: a JSON object of numbers. Names that the
   artifact does not use are ignored. On failure none is set: UNSUPPORTED when
   the file was measured on another kind of machine, INVALID_ARGUMENT for what
   is no finite number of at least 0. */
VORTEX_RUNTIME_API VortexStatus vortexModuleLoadParams(VortexModule *module,
                                                       const char *path);

/*===----------------------------------------------------------------------===*\
|* Instances                                                                  *|
\*===----------------------------------------------------------------------===*/

VORTEX_RUNTIME_API VortexStatus vortexInstanceCreate(VortexModule *module,
                                                     VortexInstance **instance);
VORTEX_RUNTIME_API void vortexInstanceDestroy(VortexInstance *instance);

/* The same on a device. Artifacts with code for a GPU run on CUDA devices: on
   that of the calling thread's current CUDA context (which is used, and must
   outlive the instance), else in the primary context of device 0;
   vortexInstanceCreateOn names the device, {kDLCUDA, N} or {kDLCPU, 0}. Of an
   artifact for several targets it takes the program for that kind of device: of
   those for GPUs the one for the latest architecture that runs there, of those
   for CPUs the first that does. vortexInstanceCreate takes the kind of the
   first program.
   Its code is loaded here: the binary where the artifact has one for this chip,
   else its PTX, which the driver compiles (a remark). Kernels whose blocks the
   device has no shared memory for are not loaded, and what launches them is not
   chosen (a remark). Machine parameters that still have the
   artifact's defaults are those that the driver tells. UNSUPPORTED: no driver,
   an old driver, another architecture; NOT_FOUND: no such device;
   INVALID_ARGUMENT: a device of another kind than the artifact's. */
VORTEX_RUNTIME_API VortexStatus vortexInstanceCreateOn(
    VortexModule *module, DLDevice device, VortexInstance **instance);
/* Where tensors of its calls lie: {kDLCPU, 0} or {kDLCUDA, N}. */
VORTEX_RUNTIME_API DLDevice
vortexInstanceDevice(const VortexInstance *instance);
/* The program that it runs, borrowed from the instance: kernels and candidates
   of its choices, and machine parameters, are of this module. */
VORTEX_RUNTIME_API VortexModule *vortexInstanceModule(VortexInstance *instance);
/* What creating it left aside and why, a line each; "" for nothing. */
VORTEX_RUNTIME_API const char *
vortexInstanceRemarks(const VortexInstance *instance);

/* Tensors between the CPU and the instance's device, for programs that do not
   use CUDA themselves. Both wait until the copy is done, and both tensors are
   contiguous. CopyTo makes a tensor on the device, freed by its deleter; Copy
   writes to one of the same type and sizes, to or from the device. */
VORTEX_RUNTIME_API VortexStatus
vortexInstanceCopyTo(VortexInstance *instance, const DLTensor *from,
                     DLManagedTensorVersioned **to);
VORTEX_RUNTIME_API VortexStatus vortexInstanceCopy(VortexInstance *instance,
                                                   const DLTensor *from,
                                                   const DLTensor *to);

typedef struct VortexBindOptions {
  uint32_t size;   /* sizeof(VortexBindOptions) */
  uint32_t copy;   /* nonzero: the instance keeps copies of what calls read */
  int32_t threads; /* for packing; 0: as many as the process may use */
} VortexBindOptions;

/* Binds all weights of a function and makes their packed forms, which the
   instance owns. `weights` are the function's weight arguments in order
   (`count` of them), each as a tensor of the shape in the signature. Unless
   options->copy is set the memory is borrowed: it must stay valid and unchanged
   until the instance is destroyed or the function bound again (weights that are
   not row-major contiguous are copied anyway). Weights of which calls read
   nothing but the packed forms (VortexValueInfo.sizes_only) are neither kept
   nor borrowed: their memory is the caller's again on return. Binding again
   replaces what was bound. Not to be called while a context of this instance
   runs a call. `options` may be null. */
VORTEX_RUNTIME_API VortexStatus
vortexInstanceBindWeights(VortexInstance *instance, const char *function,
                          const DLTensor *const *weights, int64_t count,
                          const VortexBindOptions *options);

/* Bytes of packed forms and of copies that the instance owns. */
VORTEX_RUNTIME_API size_t
vortexInstanceWeightBytes(const VortexInstance *instance);

/*===----------------------------------------------------------------------===*\
|* Contexts                                                                   *|
\*===----------------------------------------------------------------------===*/

typedef struct VortexContextOptions {
  uint32_t size; /* sizeof(VortexContextOptions) */
  /* Threads of a call, the calling one included; 1 creates none, 0 takes as
     many as the process may use. */
  int32_t threads;
  /* If not null, runs body(closure, i) once for each i in [0, count), on any
     threads, and returns when all are done. No own threads are created. */
  void (*parallel_for)(void *user, void (*body)(void *closure, int64_t i),
                       void *closure, int64_t count);
  void *parallel_for_user;
  /* If not null (both), memory for scratch and for results that the context
     allocates; the device's memory on a GPU. `alignment` is a power of two;
     null means no memory. Called from any thread of a call. Must outlive the
     allocated results. */
  void *(*allocate)(void *user, size_t bytes, size_t alignment);
  void (*deallocate)(void *user, void *memory, size_t bytes, size_t alignment);
  void *allocator_user;
  /* If not null, scratch memory used before any is allocated. Borrowed for the
     life of the context. */
  void *workspace;
  size_t workspace_bytes;
  /* Bytes of scratch memory that are there, every page of them, when the
     context is: calls that need no more wait for no memory, not even the first
     at their sizes. Beyond, scratch memory grows when a call needs it, which
     costs the time in which the system clears pages. 0: what calls of the
     module's functions may take at the sizes that they declare, a quarter added
     for what kernels pack, if that is no more than VORTEX_MOST_RESERVED;
     nothing where sizes are not bounded. Negative: nothing. What threads beside
     the calling one need for themselves is not part of it. */
  int64_t reserve_bytes;
} VortexContextOptions;

#define VORTEX_MOST_RESERVED (INT64_C(64) << 20)

/* `options` may be null: all threads, own allocator. */
VORTEX_RUNTIME_API VortexStatus vortexContextCreate(
    VortexInstance *instance, const VortexContextOptions *options,
    VortexContext **context);
VORTEX_RUNTIME_API void vortexContextDestroy(VortexContext *context);

/* On a GPU a call returns when its work is in the context's stream, the CUDA
   default stream until it is set; results may be used by later work of that
   stream. SetStream first waits for the stream before. Synchronize waits until
   all is done and tells what failed meanwhile. Neither does anything on a
   CPU. `stream` is a CUstream or cudaStream_t, borrowed. */
VORTEX_RUNTIME_API VortexStatus vortexContextSetStream(VortexContext *context,
                                                       void *stream);
VORTEX_RUNTIME_API VortexStatus
vortexContextSynchronize(VortexContext *context);

/* Runs a function.
   `args`: the arguments that are not weights, in order; weights come from the
   instance. Tensors on the instance's device, of any strides: those that are
   not row-major contiguous are copied (and copied back for memref arguments).
   i4 is one element a byte. Scalars are tensors of rank 0, on the CPU. Tensor
   arguments are never written, memref arguments may be. `results`: one entry
   for each result. Where it points at a tensor, that is the caller's: the
   result is written to it, and its sizes must be those of the result (only its
   dl_tensor is read). Where it is null, the result is allocated and stored
   there; result->deleter(result) frees it. After a failure entries that were
   null are null again, and the caller's tensors and memref arguments may be
   partly written. After the first call, a call of the same sizes with the
   caller's results allocates nothing; one of smaller sizes may, where it is
   computed by another candidate that has more scratch memory. */
VORTEX_RUNTIME_API VortexStatus vortexContextCall(
    VortexContext *context, const char *function, const DLTensor *const *args,
    int64_t num_args, DLManagedTensorVersioned **results, int64_t num_results);

/* The same with plain pointers and sizes, for programs that make many small
   calls. `function` is one of the context's module (vortexModuleFindFunction;
   of an artifact for several targets that of vortexInstanceModule). `args` are
   the arguments that are not weights, in order, and `results` all results: each
   row-major, contiguous and aligned to its elements, of the type and as many
   sizes as the signature says, in the CPU's memory; scalars have no sizes,
   which may be null. Results are the caller's, have the sizes that the program
   computes, and overlap no argument and no other result, which is not checked;
   nor is for sure that no other thread uses the context. All else is: sizes
   against the signature and its relations, missing data, alignment. After the
   first call, one of the same sizes allocates nothing (vortexContextCall says
   when one of smaller sizes does). UNSUPPORTED on a device. */
VORTEX_RUNTIME_API VortexStatus
vortexContextRun(VortexContext *context, const VortexFunctionInfo *function,
                 const VortexBuffer *args, int64_t num_args,
                 const VortexBuffer *results, int64_t num_results);

/* The most bytes of intermediate tensors that exist at once in a call with
   these arguments (only their shapes are read), -1 where data decides. What
   kernels pack for themselves is not part of it. */
VORTEX_RUNTIME_API VortexStatus vortexFunctionPeakBytes(
    VortexContext *context, const char *function, const DLTensor *const *args,
    int64_t num_args, int64_t *bytes);

/* The sizes that result `result` will have for these arguments (only their
   shapes are read): `sizes` gets as many entries as the result's rank, -1 where
   a size is known only by running ("depends on data"). */
VORTEX_RUNTIME_API VortexStatus vortexFunctionResultShape(
    VortexContext *context, const char *function, const DLTensor *const *args,
    int64_t num_args, int64_t result, int64_t *sizes);

/* Bytes of scratch memory that the context holds. */
VORTEX_RUNTIME_API size_t
vortexContextScratchBytes(const VortexContext *context);

/*===----------------------------------------------------------------------===*\
|* Choices                                                                    *|
\*===----------------------------------------------------------------------===*/

/* Makes calls run `candidate` of `kernel` whatever its cost. A call where the
   candidate's guard does not hold fails with GUARD_FAILED and names the guard.
   A null candidate gives the choice back to the costs. NOT_FOUND for a kernel
   or candidate that there is not, also when it was dropped because the sizes
   known at compile time decided on another. */
VORTEX_RUNTIME_API VortexStatus vortexContextForce(VortexContext *context,
                                                   const char *kernel,
                                                   const char *candidate);

/* One choice: of the latest call, where equal ones are counted together, or a
   predicted one. */
typedef struct VortexChoice {
  int64_t kernel;         /* position in VortexArtifactInfo.kernels */
  int64_t candidate;      /* the one that runs; -1: none is allowed;
                             VORTEX_CHOICE_DEPENDS_ON_DATA */
  int64_t preferred;      /* the one the costs prefer */
  int64_t times;          /* how often it ran; 0 for a prediction */
  int64_t num_candidates; /* entries of the two arrays below */
  const uint8_t *allowed; /* whether the guard holds */
  const double *costs;    /* predicted nanoseconds; may be infinite where the
                             guard does not hold */
} VortexChoice;

/* What a call with these arguments would choose and what it would cost, without
   running it: the guards and costs of every planned kernel of the function, in
   the order of the program. `args` as for vortexContextCall; of tensors only
   the types and shapes are read (data may be null), of scalars the values.
   They are taken to start where vectors do and to be dense: a call whose
   tensors are not, and a kernel inside a chain, which reads parts of tensors
   and may run more than once, may choose otherwise.
   `*count` gets the number of kernels, `choices` the first `capacity` of them
   (null when that is 0), whose arrays are valid until the next call or choice
   of the context. Candidates that vortexContextForce set are chosen, or fail
   with GUARD_FAILED. Kernels in branches and loops are among them whether or
   not they would be reached; fallbacks have no choice and are not. A kernel
   whose sizes depend on data has the candidate VORTEX_CHOICE_DEPENDS_ON_DATA
   and no costs. After the first, a choice of the same function allocates
   nothing. */
VORTEX_RUNTIME_API VortexStatus vortexFunctionChoose(
    VortexContext *context, const char *function, const DLTensor *const *args,
    int64_t num_args, VortexChoice *choices, int64_t capacity, int64_t *count);

/* Turns the record of a call's choices on or off (off at first). Kernels that
   were decided when the program was compiled make none. */
VORTEX_RUNTIME_API void vortexContextRecordChoices(VortexContext *context,
                                                   int32_t on);
/* Those of the latest call or vortexFunctionChoose. */
VORTEX_RUNTIME_API int64_t
vortexContextNumChoices(const VortexContext *context);
/* Valid until the next call. INVALID_ARGUMENT out of range. */
VORTEX_RUNTIME_API VortexStatus vortexContextChoice(
    const VortexContext *context, int64_t index, VortexChoice *choice);

#ifdef __cplusplus
}
#endif

#endif /* VORTEX_C_RUNTIME_H */
