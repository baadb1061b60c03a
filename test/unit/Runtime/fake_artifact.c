/*===-- fake_artifact.c - An artifact written by hand --------------*- C
-*-===*\
|*                                                                            *|
|* Part of the Vortex project, under the Apache License v2.0 with LLVM        *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Implements vortex-c/Artifact.h as the compiler would, so that the run time *|
|* is tested without it. The macros make artifacts that must be refused.      *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "vortex-c/Artifact.h"

#include <stddef.h>

#ifndef FAKE_ABI
#define FAKE_ABI 9
#endif
#ifndef FAKE_FEATURES
#define FAKE_FEATURES ""
#endif
#ifndef FAKE_MOST_BYTES
#define FAKE_MOST_BYTES -1
#endif
#define TEXT2(x) #x
#define TEXT(x) TEXT2(x)

#ifndef FAKE_NO_META
__attribute__((section(VORTEX_ARTIFACT_SECTION),
               used)) static const char metadata[] =
    "{\"vortex\":\"0.1.0\",\"abi\":" TEXT(
        FAKE_ABI) ","
                  "\"crc32\":\"00000000\",\"link_crc32\":\"00000000\","
                  "\"features\":\"" FAKE_FEATURES "\"}";
#endif

static const VortexBuffer *buffer(void *const *args, int i) {
  return (const VortexBuffer *)args[i];
}

/* Extents, names of sizes. */
#define UNKNOWN -1
static const int64_t mn[] = {UNKNOWN, UNKNOWN}, n1[] = {UNKNOWN},
                     fixed[] = {UNKNOWN, 4};
static const char
    *const dimsMK[] = {"m", "k"},
           *const dimsKN[] = {"k", "n"}, *const dimsMN[] = {"m", "n"},
           *const dimsN[] = {"n"}, *const dimsB4[] = {"batch", ""},
           *const dimsTwice[] = {"2*n"}, *const dimsTotal[] = {"total"},
           *const dimsPast[] = {"past"}, *const dimsSeq[] = {"seq"};

#define VALUE(kind, dtype, rank, extents, dims, weight, name)                  \
  {sizeof(VortexValueInfo), kind, dtype, rank, extents, dims, weight, name, 0}
#define COUNT(array) (int64_t)(sizeof(array) / sizeof(array[0]))

/* matmul: c[m, n] = a[m, k] * b[k, n], rows in parallel, with scratch. */
struct Matmul {
  const float *a, *b;
  float *c;
  int64_t k, n;
};
static void matmulRow(VortexCallContext *context, void *closure, int64_t i) {
  const struct Matmul *p = (const struct Matmul *)closure;
  float *row = (float *)context->allocate(context, p->n * 4, 64);
  for (int64_t j = 0; j < p->n; ++j)
    row[j] = 0;
  for (int64_t l = 0; l < p->k; ++l)
    for (int64_t j = 0; j < p->n; ++j)
      row[j] += p->a[i * p->k + l] * p->b[l * p->n + j];
  for (int64_t j = 0; j < p->n; ++j)
    p->c[i * p->n + j] = row[j];
  context->release(context, row);
}
static void matmul(VortexCallContext *context, void *const *args) {
  int64_t sizes[] = {buffer(args, 0)->sizes[0], buffer(args, 1)->sizes[1]};
  struct Matmul p = {(const float *)buffer(args, 0)->data,
                     (const float *)buffer(args, 1)->data, NULL,
                     buffer(args, 0)->sizes[1], sizes[1]};
  const VortexBuffer *to = context->results;
  if (to && to->sizes[0] == sizes[0] && to->sizes[1] == sizes[1])
    p.c = (float *)to->data;
  else
    p.c =
        (float *)context->result(context, 0, 2, sizes, sizes[0] * sizes[1] * 4);
  context->parallel_for(context, matmulRow, &p, sizes[0]);
}
/* Whether memory and sizes are there. */
static int isWhole(const VortexBuffer *value) {
  return value->data && value->sizes && !((uintptr_t)value->data & 3);
}
static int isSmall(int64_t size) { return (uint64_t)size < 1u << 24; }
/* Leaves the result's sizes to `matmul`. */
static int64_t matmulAccepts(const VortexBuffer *args,
                             const VortexBuffer *results, void **entries) {
  const int64_t *a = args[0].sizes, *b = args[1].sizes;
  entries[0] = (void *)&args[0];
  entries[1] = (void *)&args[1];
  return isWhole(&args[0]) && isWhole(&args[1]) && isWhole(results) &&
         isSmall(a[0]) && isSmall(a[1]) && isSmall(b[0]) && isSmall(b[1]) &&
         a[1] == b[0];
}
static const VortexValueInfo matmulArgs[] = {
    VALUE(VORTEX_TENSOR, VORTEX_F32, 2, mn, dimsMK, 0, "a"),
    VALUE(VORTEX_TENSOR, VORTEX_F32, 2, mn, dimsKN, 0, "b")};
static const VortexValueInfo matmulResults[] = {
    VALUE(VORTEX_TENSOR, VORTEX_F32, 2, mn, dimsMN, 0, NULL)};

/* add: x[batch, 4] + y[batch, 4] * scale */
static void add(VortexCallContext *context, void *const *args) {
  const VortexBuffer *x = buffer(args, 0);
  const float *y = (const float *)buffer(args, 1)->data;
  float scale = *(const float *)args[2];
  int64_t count = x->sizes[0] * 4;
  float *z = (float *)context->result(context, 0, 2, x->sizes, count * 4);
  for (int64_t i = 0; i < count; ++i)
    z[i] = ((const float *)x->data)[i] + y[i] * scale;
}
static const VortexValueInfo addArgs[] = {
    VALUE(VORTEX_TENSOR, VORTEX_F32, 2, fixed, dimsB4, 0, NULL),
    VALUE(VORTEX_TENSOR, VORTEX_F32, 2, fixed, dimsB4, 0, NULL),
    VALUE(VORTEX_SCALAR, VORTEX_F32, 0, NULL, NULL, 0, "scale")};
static const VortexValueInfo addResults[] = {
    VALUE(VORTEX_TENSOR, VORTEX_F32, 2, fixed, dimsB4, 0, NULL)};
static const char *const addRelations[] = {"batch <= 4096", "batch % 2 == 0"};

/* scaled: x[n] * w[n], with w doubled when it is bound. */
static void scaled(VortexCallContext *context, void *const *args) {
  const VortexBuffer *x = buffer(args, 0), *packed = buffer(args, 2);
  float *z = (float *)context->result(context, 0, 1, x->sizes, x->sizes[0] * 4);
  for (int64_t i = 0; i < x->sizes[0]; ++i)
    z[i] = ((const float *)x->data)[i] * ((const float *)packed->data)[i];
}
static void scaledBind(VortexCallContext *context, void *const *args) {
  const VortexBuffer *w = buffer(args, 0);
  float *packed =
      (float *)context->result(context, 0, 1, w->sizes, w->sizes[0] * 4);
  for (int64_t i = 0; i < w->sizes[0]; ++i)
    packed[i] = 2 * ((const float *)w->data)[i];
}
static const VortexValueInfo scaledArgs[] = {
    VALUE(VORTEX_TENSOR, VORTEX_F32, 1, n1, dimsN, 0, "x"),
    VALUE(VORTEX_TENSOR, VORTEX_F32, 1, n1, dimsN, 1, "w")};
/* As the compiler would say of it: w is read by bind alone. */
static const VortexValueInfo packedArgs[] = {
    VALUE(VORTEX_TENSOR, VORTEX_F32, 1, n1, dimsN, 0, "x"),
    {sizeof(VortexValueInfo), VORTEX_TENSOR, VORTEX_F32, 1, n1, dimsN, 1, "w",
     1}};
static const VortexValueInfo vectorResult[] = {
    VALUE(VORTEX_TENSOR, VORTEX_F32, 1, n1, dimsN, 0, NULL)};

/* plain: x[n] + w[n] with a weight that is not packed. */
static void plain(VortexCallContext *context, void *const *args) {
  const VortexBuffer *x = buffer(args, 0), *w = buffer(args, 1);
  float *z = (float *)context->result(context, 0, 1, x->sizes, x->sizes[0] * 4);
  for (int64_t i = 0; i < x->sizes[0]; ++i)
    z[i] = ((const float *)x->data)[i] + ((const float *)w->data)[i];
}
/* The weight's sizes are in its entry already. */
static int64_t plainAccepts(const VortexBuffer *args,
                            const VortexBuffer *results, void **entries) {
  entries[0] = (void *)&args[0];
  return isWhole(&args[0]) && isWhole(results) && isSmall(args[0].sizes[0]) &&
         args[0].sizes[0] == buffer(entries, 1)->sizes[0];
}

/* shifted: x[n] + w, where w is one number. */
static void shifted(VortexCallContext *context, void *const *args) {
  const VortexBuffer *x = buffer(args, 0);
  float *z = (float *)context->result(context, 0, 1, x->sizes, x->sizes[0] * 4);
  for (int64_t i = 0; i < x->sizes[0]; ++i)
    z[i] = ((const float *)x->data)[i] + *(const float *)args[1];
}
static const VortexValueInfo shiftedArgs[] = {
    VALUE(VORTEX_TENSOR, VORTEX_F32, 1, n1, dimsN, 0, "x"),
    VALUE(VORTEX_SCALAR, VORTEX_F32, 0, NULL, NULL, 1, "w")};

/* failing: asserts in the body that is told to (an index argument). */
struct Failing {
  int64_t at;
};
static void failingBody(VortexCallContext *context, void *closure, int64_t i) {
  context->allocate(context, 1000, 64);
  if (i == ((const struct Failing *)closure)->at)
    context->fail(context, "assertion failed: i != at");
}
static void failing(VortexCallContext *context, void *const *args) {
  struct Failing p = {*(const int64_t *)args[0]};
  int64_t *result = (int64_t *)context->result(context, 0, 0, NULL, 8);
  if (p.at == -1)
    context->fail(context, "assertion failed: at >= 0");
  context->parallel_for(context, failingBody, &p, 1000);
  *result = p.at;
}
static const VortexValueInfo failingArgs[] = {
    VALUE(VORTEX_SCALAR, VORTEX_INDEX, 0, NULL, NULL, 0, "at")};
static const VortexValueInfo failingResults[] = {
    VALUE(VORTEX_SCALAR, VORTEX_INDEX, 0, NULL, NULL, 0, NULL)};

/* positive: the elements of x[n] that are positive; repeat: x twice. */
static void positive(VortexCallContext *context, void *const *args) {
  const VortexBuffer *x = buffer(args, 0);
  const float *in = (const float *)x->data;
  int64_t count = 0;
  for (int64_t i = 0; i < x->sizes[0]; ++i)
    count += in[i] > 0;
  float *out = (float *)context->result(context, 0, 1, &count, count * 4);
  for (int64_t i = 0; i < x->sizes[0]; ++i)
    if (in[i] > 0)
      *out++ = in[i];
}
static void repeat(VortexCallContext *context, void *const *args) {
  const VortexBuffer *x = buffer(args, 0);
  int64_t n = x->sizes[0], size = 2 * n;
  float *out = (float *)context->result(context, 0, 1, &size, size * 4);
  for (int64_t i = 0; i < size; ++i)
    out[i] = ((const float *)x->data)[i < n ? i : i - n];
}
static const VortexValueInfo vectorArg[] = {
    VALUE(VORTEX_TENSOR, VORTEX_F32, 1, n1, dimsN, 0, "x")};
static const VortexValueInfo positiveResults[] = {
    VALUE(VORTEX_TENSOR, VORTEX_F32, 1, n1, NULL, 0, NULL)};
static const VortexValueInfo repeatResults[] = {
    VALUE(VORTEX_TENSOR, VORTEX_F32, 1, n1, dimsTwice, 0, NULL)};

/* twins: as many zeros as x[n] has positive elements, and x[0] zeros; both
   sizes are called "kept", and half of n is the most. */
static void twins(VortexCallContext *context, void *const *args) {
  const VortexBuffer *x = buffer(args, 0);
  const float *in = (const float *)x->data;
  int64_t sizes[] = {0, (int64_t)in[0]};
  for (int64_t i = 0; i < x->sizes[0]; ++i)
    sizes[0] += in[i] > 0;
  for (int64_t r = 0; r < 2; ++r) {
    float *out =
        (float *)context->result(context, r, 1, &sizes[r], sizes[r] * 4);
    for (int64_t i = 0; i < sizes[r]; ++i)
      out[i] = 0;
  }
}
static const char *const dimsKept[] = {"kept"};
static const VortexValueInfo twinsResults[] = {
    VALUE(VORTEX_TENSOR, VORTEX_F32, 1, n1, dimsKept, 0, NULL),
    VALUE(VORTEX_TENSOR, VORTEX_F32, 1, n1, dimsKept, 0, NULL)};
static const char *const twinsRelations[] = {"2 * kept <= n"};

/* increment: adds one to a memref in place. */
static void increment(VortexCallContext *context, void *const *args) {
  const VortexBuffer *x = buffer(args, 0);
  for (int64_t i = 0; i < x->sizes[0] * x->sizes[1]; ++i)
    ((float *)x->data)[i] += 1;
}
static const VortexValueInfo incrementArgs[] = {
    VALUE(VORTEX_MEMREF, VORTEX_F32, 2, mn, NULL, 0, "x")};

/* choosing: x[n] times 10 (candidate ten) or 20 (candidate twenty). */
static int64_t chooseTimes(VortexCallContext *context, int64_t n) {
  uint8_t allowed[] = {1, n % 2 == 0};
  double costs[] = {100.0 * (double)n, 90.0 * (double)n};
  int64_t choice = allowed[1] ? 1 : 0;
  return context->choose
             ? context->choose(context, 0, choice, allowed, costs, 2)
             : choice;
}
static void choosing(VortexCallContext *context, void *const *args) {
  const VortexBuffer *x = buffer(args, 0);
  int64_t n = x->sizes[0];
  int64_t choice = chooseTimes(context, n);
  float *out = (float *)context->result(context, 0, 1, &n, n * 4);
  for (int64_t i = 0; i < n; ++i)
    out[i] = ((const float *)x->data)[i] * (choice == 0 ? 10 : 20);
}
static void choosingChoices(VortexCallContext *context, void *const *args) {
  uint8_t allowed[] = {1};
  double costs[] = {7};
  chooseTimes(context, buffer(args, 0)->sizes[0]);
  context->choose(context, 1, 0, allowed, costs, 1);
  context->choose(context, 2, VORTEX_CHOICE_DEPENDS_ON_DATA, NULL, NULL, 0);
}

/* bending: repeats a scalar that its choice reads, with a weight's size. */
static void bending(VortexCallContext *context, void *const *args) {}
static void bendingChoices(VortexCallContext *context, void *const *args) {
  uint8_t allowed[] = {1, 1};
  double costs[] = {(double)*(const int64_t *)args[1],
                    (double)buffer(args, 0)->sizes[0]};
  context->choose(context, 0, costs[1] < costs[0], allowed, costs, 2);
}
static const VortexValueInfo bendingArgs[] = {
    VALUE(VORTEX_TENSOR, VORTEX_F32, 1, n1, dimsN, 1, "w"),
    VALUE(VORTEX_SCALAR, VORTEX_INDEX, 0, NULL, NULL, 0, "at")};

/* scratch: takes and gives back buffers of n floats, and one that it keeps. */
static void scratchBody(VortexCallContext *context, void *closure, int64_t i) {
  int64_t n = *(const int64_t *)closure;
  float *x = (float *)context->allocate(context, n * 4 / (i + 1), 64);
  x[0] = (float)i;
  context->release(context, x);
}
static void scratch(VortexCallContext *context, void *const *args) {
  int64_t n = buffer(args, 0)->sizes[0];
  float *a = (float *)context->allocate(context, n * 4, 64);
  float *b = (float *)context->allocate(context, n * 8, 4096);
  a[0] = b[0] = 1;
  context->release(context, a);
  float *c = (float *)context->allocate(context, n * 2, 64);
  c[0] = b[0];
  context->parallel_for(context, scratchBody, &n, 8);
  *(float *)context->result(context, 0, 0, NULL, 4) =
      c[0] + (((uintptr_t)b & 4095) != 0);
}
static const VortexValueInfo scratchResults[] = {
    VALUE(VORTEX_SCALAR, VORTEX_F32, 0, NULL, NULL, 0, NULL)};

/* machine: the machine parameters and the number of threads. */
static void machine(VortexCallContext *context, void *const *args) {
  int64_t size = 3;
  double *out = (double *)context->result(context, 0, 1, &size, 24);
  out[0] = context->machine[0];
  out[1] = context->machine[1];
  out[2] = (double)context->threads;
}
static const int64_t three[] = {3};
static const VortexValueInfo machineResults[] = {
    VALUE(VORTEX_TENSOR, VORTEX_F64, 1, three, NULL, 0, NULL)};

/* related: total == past + seq over three vectors. */
static void related(VortexCallContext *context, void *const *args) {}
static const VortexValueInfo relatedArgs[] = {
    VALUE(VORTEX_TENSOR, VORTEX_F32, 1, n1, dimsTotal, 0, NULL),
    VALUE(VORTEX_TENSOR, VORTEX_F32, 1, n1, dimsPast, 0, NULL),
    VALUE(VORTEX_TENSOR, VORTEX_F32, 1, n1, dimsSeq, 0, NULL)};
static const char *const relatedRelations[] = {"total == past + seq"};

#define LIST(array) COUNT(array), array
#define EMPTY 0, NULL
static const VortexFunctionInfo functions[] = {
    {sizeof(VortexFunctionInfo), "matmul", LIST(matmulArgs),
     LIST(matmulResults), EMPTY, matmul, NULL, EMPTY, NULL, "", "", 0,
     matmulAccepts},
    {sizeof(VortexFunctionInfo), "add", LIST(addArgs), LIST(addResults),
     LIST(addRelations), add, NULL, EMPTY, NULL, "", "", 0, NULL},
    {sizeof(VortexFunctionInfo), "scaled", LIST(packedArgs), LIST(vectorResult),
     EMPTY, scaled, scaledBind, LIST(vectorResult), NULL, "", "", 0, NULL},
    {sizeof(VortexFunctionInfo), "plain", LIST(scaledArgs), LIST(vectorResult),
     EMPTY, plain, NULL, EMPTY, NULL, "", "", 0, plainAccepts},
    {sizeof(VortexFunctionInfo), "failing", LIST(failingArgs),
     LIST(failingResults), EMPTY, failing, NULL, EMPTY, NULL, "", "", 0, NULL},
    {sizeof(VortexFunctionInfo), "positive", LIST(vectorArg),
     LIST(positiveResults), EMPTY, positive, NULL, EMPTY, NULL, "", "", 0,
     NULL},
    {sizeof(VortexFunctionInfo), "repeat", LIST(vectorArg), LIST(repeatResults),
     EMPTY, repeat, NULL, EMPTY, NULL, "", "", 0, NULL},
    {sizeof(VortexFunctionInfo), "twins", LIST(vectorArg), LIST(twinsResults),
     LIST(twinsRelations), twins, NULL, EMPTY, NULL, "", "", 0, NULL},
    {sizeof(VortexFunctionInfo), "increment", LIST(incrementArgs), EMPTY, EMPTY,
     increment, NULL, EMPTY, NULL, "", "", 0, NULL},
    {sizeof(VortexFunctionInfo), "choosing", LIST(vectorArg),
     LIST(vectorResult), EMPTY, choosing, NULL, EMPTY, choosingChoices, "", "",
     0, NULL},
    {sizeof(VortexFunctionInfo), "bending", LIST(bendingArgs), EMPTY, EMPTY,
     bending, NULL, EMPTY, bendingChoices, "", "", 0, NULL},
    {sizeof(VortexFunctionInfo), "scratch", LIST(vectorArg),
     LIST(scratchResults), EMPTY, scratch, NULL, EMPTY, NULL, "", "",
     FAKE_MOST_BYTES, NULL},
    {sizeof(VortexFunctionInfo), "machine", EMPTY, LIST(machineResults), EMPTY,
     machine, NULL, EMPTY, NULL, "", "", 0, NULL},
    {sizeof(VortexFunctionInfo), "related", LIST(relatedArgs), EMPTY,
     LIST(relatedRelations), related, NULL, EMPTY, NULL, "", "", 0, NULL},
    {sizeof(VortexFunctionInfo), "shifted", LIST(shiftedArgs),
     LIST(vectorResult), EMPTY, shifted, NULL, EMPTY, NULL, "", "", 0, NULL},
};

static const char *const candidates[] = {"ten", "twenty"};
static const char *const guards[] = {"", "n % 2 == 0"};
static const char *const costs[] = {"100 * n", "90 * n"};
static const char *const axes[] = {"n"};
static const VortexKernelInfo kernels[] = {
    {sizeof(VortexKernelInfo), "times", 2, candidates, guards, costs, 1, axes,
     -1},
    {sizeof(VortexKernelInfo), "only", 1, candidates, guards, costs, 1, axes,
     0},
    {sizeof(VortexKernelInfo), "ragged", 2, candidates, guards, costs, 1, axes,
     -1},
    {sizeof(VortexKernelInfo), "folded", 2, candidates, guards, costs, 1, axes,
     1},
    {sizeof(VortexKernelInfo), "loops", 0, NULL, NULL, NULL, 0, NULL, -1}};
static const VortexParamInfo params[] = {
    {sizeof(VortexParamInfo), "l2.bandwidth", 100.0},
    {sizeof(VortexParamInfo), "threads", 1.0}};

static const VortexArtifactInfo artifact = {sizeof(VortexArtifactInfo),
                                            FAKE_ABI,
                                            "fake 0.1.0",
                                            "x86-64 host",
                                            FAKE_FEATURES,
                                            LIST(functions),
                                            LIST(kernels),
                                            LIST(params),
                                            0,
                                            NULL,
                                            EMPTY};

__attribute__((visibility("default"))) const VortexArtifactInfo *
vortex_artifact_query(uint32_t abi);
const VortexArtifactInfo *vortex_artifact_query(uint32_t abi) {
  return abi == FAKE_ABI ? &artifact : NULL;
}
