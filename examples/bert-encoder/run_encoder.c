/* Runs the encoder's artifact from C: binds the weights once, calls it at one
   size, compares the result.

     run_encoder ARTIFACT CASE

   CASE is what demo.py writes: two int64 (batch, seq), then float32 arrays:
   the weights in order, x, mask, and the expected result. Ends with 0 when the
   result is right, 1 when not, 2 on a usage error. */
#define _POSIX_C_SOURCE 200809L
#include "vortex-c/Runtime.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MAX_WEIGHTS = 256, HIDDEN = 768 };
static const char *const kFunction = "bert_encoder";
static const float kTolerance = 5e-5f;

static void fail(const char *what) {
  fprintf(stderr, "run_encoder: %s\n", what);
  exit(1);
}

static void check(VortexStatus status) {
  if (status != VORTEX_STATUS_OK)
    fail(vortexLastError());
}

/* A row-major float32 tensor on the CPU that borrows `data` and `shape`. */
static DLTensor tensor(float *data, int32_t rank, int64_t *shape) {
  DLTensor t = {0};
  t.data = data;
  t.device.device_type = kDLCPU;
  t.ndim = rank;
  t.dtype.code = kDLFloat;
  t.dtype.bits = 32;
  t.dtype.lanes = 1;
  t.shape = shape;
  return t;
}

static float *readFloats(FILE *file, size_t count) {
  float *data = malloc((count ? count : 1) * sizeof(float));
  if (!data || fread(data, sizeof(float), count, file) != count)
    fail("the case file is too short");
  return data;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Reads the weights of the encoder in the order of its signature and binds
   them. The arrays stay alive, because the instance borrows them. */
static void bindWeights(VortexModule *module, VortexInstance *instance,
                        FILE *file) {
  static DLTensor weights[MAX_WEIGHTS];
  const DLTensor *pointers[MAX_WEIGHTS];
  const VortexFunctionInfo *info = vortexModuleFindFunction(module, kFunction);
  if (!info)
    fail("the artifact has no function bert_encoder");
  int64_t count = 0;
  for (int64_t i = 0; i < info->num_args; ++i) {
    const VortexValueInfo *arg = vortexFunctionArgument(info, i);
    if (!arg->is_weight)
      continue;
    if (count == MAX_WEIGHTS)
      fail("too many weights");
    size_t elements = 1;
    for (int32_t axis = 0; axis < arg->rank; ++axis)
      elements *= (size_t)arg->extents[axis];
    weights[count] =
        tensor(readFloats(file, elements), arg->rank, (int64_t *)arg->extents);
    pointers[count] = &weights[count];
    ++count;
  }
  check(vortexInstanceBindWeights(instance, kFunction, pointers, count, NULL));
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: run_encoder ARTIFACT CASE\n");
    return 2;
  }
  FILE *file = fopen(argv[2], "rb");
  int64_t sizes[2];
  if (!file || fread(sizes, sizeof(int64_t), 2, file) != 2)
    fail("cannot read the case file");

  VortexModule *module = NULL;
  VortexInstance *instance = NULL;
  VortexContext *context = NULL;
  check(vortexModuleLoad(argv[1], &module));
  check(vortexInstanceCreate(module, &instance));
  bindWeights(module, instance, file);
  check(vortexContextCreate(instance, NULL, &context));

  int64_t wide[3] = {sizes[0], sizes[1], HIDDEN};
  size_t count = (size_t)(sizes[0] * sizes[1] * HIDDEN);
  DLTensor x = tensor(readFloats(file, count), 3, wide);
  DLTensor mask =
      tensor(readFloats(file, (size_t)(sizes[0] * sizes[1])), 2, sizes);
  float *want = readFloats(file, count);
  float *got = malloc((count ? count : 1) * sizeof(float));
  if (!got)
    fail("out of memory");
  fclose(file);

  const DLTensor *args[2] = {&x, &mask};
  DLManagedTensorVersioned y = {0};
  y.version.major = DLPACK_MAJOR_VERSION;
  y.version.minor = DLPACK_MINOR_VERSION;
  y.dl_tensor = tensor(got, 3, wide);
  DLManagedTensorVersioned *results[1] = {&y};
  check(vortexContextCall(context, kFunction, args, 2, results, 1));
  double start = now();
  check(vortexContextCall(context, kFunction, args, 2, results, 1));
  double seconds = now() - start;

  float error = 0.0f, scale = 1.0f;
  for (size_t i = 0; i < count; ++i) {
    float difference = fabsf(got[i] - want[i]);
    if (!(difference <= error)) /* also when it is NaN */
      error = difference;
    scale = fmaxf(scale, fabsf(want[i]));
  }
  printf("from C: batch %lld, seq %lld: %.2f ms, error %.1e\n",
         (long long)sizes[0], (long long)sizes[1], 1e3 * seconds,
         (double)(error / scale));

  vortexContextDestroy(context);
  vortexInstanceDestroy(instance);
  vortexModuleUnload(module);
  return error / scale <= kTolerance ? 0 : 1;
}
