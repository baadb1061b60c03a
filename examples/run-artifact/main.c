/*===-- main.c - Runs a function of an artifact from C --------------*- C
-*-===*\
|*                                                                            *|
|* Part of the Vortex project, under the Apache License v2.0 with LLVM        *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|*   run-artifact FILE.so FUNCTION SIZES...                                   *|
|*                                                                            *|
|* Calls the function with f32 tensors of ones, one for each SIZES ("64x32"), *|
|* weights included, and prints the sizes and the sum of each f32 result.     *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "vortex-c/Runtime.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { MaxTensors = 16, MaxRank = 8 };

/* Ends the program with the library's words when a call fails. */
static void check(VortexStatus status) {
  if (status == VORTEX_STATUS_OK)
    return;
  fprintf(stderr, "run-artifact: %s\n", vortexLastError());
  exit(1);
}

/* A tensor of ones of the sizes in `text`; `shape` holds them. */
static DLTensor ones(const char *text, int64_t *shape) {
  DLTensor tensor = {0};
  int64_t count = 1;
  do {
    char *end;
    shape[tensor.ndim] = strtoll(text, &end, 10);
    if (end == text || shape[tensor.ndim] < 0) {
      fprintf(stderr, "run-artifact: '%s' is not like 64x32\n", text);
      exit(2);
    }
    count *= shape[tensor.ndim++];
    text = *end == 'x' ? end + 1 : NULL;
  } while (text && tensor.ndim < MaxRank);
  tensor.device.device_type = kDLCPU;
  tensor.dtype.code = kDLFloat;
  tensor.dtype.bits = 32;
  tensor.dtype.lanes = 1;
  tensor.shape = shape;
  float *data = malloc(count > 0 ? (size_t)count * sizeof(float) : 1);
  if (!data)
    exit(1);
  for (int64_t i = 0; i < count; ++i)
    data[i] = 1;
  tensor.data = data;
  return tensor;
}

int main(int argc, char **argv) {
  if (argc < 3 || argc - 3 > MaxTensors) {
    fprintf(stderr, "usage: run-artifact FILE.so FUNCTION SIZES...\n");
    return 2;
  }
  const char *name = argv[2];
  VortexModule *module;
  VortexInstance *instance;
  VortexContext *context;
  check(vortexModuleLoad(argv[1], &module));
  check(vortexInstanceCreate(module, &instance));

  const VortexFunctionInfo *function = vortexModuleFindFunction(module, name);
  if (!function || function->num_results > MaxTensors ||
      function->num_args != argc - 3) {
    fprintf(stderr, "run-artifact: no function '%s' of %d arguments\n", name,
            argc - 3);
    return 1;
  }

  /* Weights are bound to the instance; the call takes the other arguments. */
  int64_t shapes[MaxTensors][MaxRank];
  DLTensor tensors[MaxTensors];
  const DLTensor *weights[MaxTensors], *args[MaxTensors];
  int64_t numWeights = 0, numArgs = 0;
  for (int i = 0; i < argc - 3; ++i) {
    tensors[i] = ones(argv[3 + i], shapes[i]);
    if (vortexFunctionArgument(function, i)->is_weight)
      weights[numWeights++] = &tensors[i];
    else
      args[numArgs++] = &tensors[i];
  }
  if (numWeights)
    check(vortexInstanceBindWeights(instance, name, weights, numWeights, NULL));
  check(vortexContextCreate(instance, NULL, &context));

  /* Null entries: the library allocates the results. */
  DLManagedTensorVersioned *results[MaxTensors] = {NULL};
  check(vortexContextCall(context, name, args, numArgs, results,
                          function->num_results));
  for (int64_t r = 0; r < function->num_results; ++r) {
    const DLTensor *tensor = &results[r]->dl_tensor;
    int64_t count = 1;
    printf("result %" PRId64 ": ", r);
    for (int32_t d = 0; d < tensor->ndim; ++d) {
      printf("%s%" PRId64, d ? "x" : "", tensor->shape[d]);
      count *= tensor->shape[d];
    }
    double sum = 0;
    if (tensor->dtype.code == kDLFloat && tensor->dtype.bits == 32)
      for (int64_t i = 0; i < count; ++i)
        sum += ((const float *)tensor->data)[i];
    printf(" checksum %.6g\n", sum);
    results[r]->deleter(results[r]);
  }

  vortexContextDestroy(context);
  vortexInstanceDestroy(instance);
  vortexModuleUnload(module);
  for (int i = 0; i < argc - 3; ++i)
    free(tensors[i].data);
  return 0;
}
