//===- Context.cpp - One call after another -------------------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Context.h"

#include <algorithm>
#include <cstddef>

using namespace vortex::runtime;

VortexStatus VortexContext::find(const VortexFunctionInfo *info,
                                 int64_t &position) {
  const Code &code = *instance->code;
  for (position = 0; position < code.numFunctions(); ++position)
    if (info == &code.function(position).info()) {
      function = position;
      return VORTEX_STATUS_OK;
    }
  return report(VORTEX_STATUS_NOT_FOUND,
                "the function is not of the context's module");
}

/// What is asked for, or what the functions of a module say.
static size_t reservedBytes(const Code &code, int64_t asked) {
  if (asked)
    return size_t(std::max<int64_t>(asked, 0));
  int64_t most = 0;
  for (int64_t f = 0; f < code.numFunctions(); ++f)
    most = std::max(most, code.function(f).mostBytes());
  // Quotients first: a bound may be any number.
  most = most > VORTEX_MOST_RESERVED ? 0 : most + most / 4;
  return most > VORTEX_MOST_RESERVED ? 0 : size_t(most);
}

extern "C" VortexStatus vortexContextCreate(VortexInstance *instance,
                                            const VortexContextOptions *options,
                                            VortexContext **context) {
  return guarded([&]() -> VortexStatus {
    if (!instance || !context)
      return report(VORTEX_STATUS_INVALID_ARGUMENT, "null argument");
    *context = nullptr;
    VortexContextOptions complete{};
    if (options) {
      // Callers that know less of the options were compiled before.
      if (options->size < offsetof(VortexContextOptions, reserve_bytes))
        return report(VORTEX_STATUS_INVALID_ARGUMENT,
                      "VortexContextOptions.size is not set");
      std::memcpy(&complete, options,
                  std::min<size_t>(options->size, sizeof complete));
    }
    if (complete.threads < 0 || complete.threads > 4096)
      return report(VORTEX_STATUS_INVALID_ARGUMENT, "%d threads",
                    complete.threads);
    if (!complete.allocate != !complete.deallocate)
      return report(VORTEX_STATUS_INVALID_ARGUMENT,
                    "allocate and deallocate go together");
    if (complete.threads == 0)
      complete.threads = availableThreads();
    auto made = std::make_unique<VortexContext>();
    made->instance = instance->state;
    CudaDevice::Current use(instance->state->device.get());
    if (VortexStatus status =
            Executor::create(instance->state->code, instance->state->device,
                             complete, made->executor))
      return status;
    if (VortexStatus status = made->executor->reserve(
            reservedBytes(*instance->state->code, complete.reserve_bytes)))
      return status;
    *context = made.release();
    return VORTEX_STATUS_OK;
  });
}

extern "C" void vortexContextDestroy(VortexContext *context) { delete context; }

extern "C" VortexStatus vortexContextSetStream(VortexContext *context,
                                               void *stream) {
  if (!context)
    return report(VORTEX_STATUS_INVALID_ARGUMENT, "null context");
  return context->executor->setStream(static_cast<cuda::Stream>(stream));
}

extern "C" VortexStatus vortexContextSynchronize(VortexContext *context) {
  if (!context)
    return report(VORTEX_STATUS_INVALID_ARGUMENT, "null context");
  return context->executor->synchronize();
}

extern "C" size_t vortexContextScratchBytes(const VortexContext *context) {
  return context ? context->executor->scratchBytes() : 0;
}

extern "C" VortexStatus vortexContextForce(VortexContext *context,
                                           const char *kernel,
                                           const char *candidate) {
  return guarded([&]() -> VortexStatus {
    if (!context || !kernel)
      return report(VORTEX_STATUS_INVALID_ARGUMENT, "null argument");
    return context->executor->force(kernel, candidate);
  });
}

extern "C" void vortexContextRecordChoices(VortexContext *context, int32_t on) {
  if (context)
    context->executor->record(on != 0);
}

extern "C" int64_t vortexContextNumChoices(const VortexContext *context) {
  return context ? context->executor->choices.size() : 0;
}

extern "C" VortexStatus vortexContextChoice(const VortexContext *context,
                                            int64_t index,
                                            VortexChoice *choice) {
  if (!context || !choice || index < 0 ||
      index >= vortexContextNumChoices(context))
    return report(VORTEX_STATUS_INVALID_ARGUMENT, "there is no choice %lld",
                  static_cast<long long>(index));
  *choice = context->executor->choices.get(index);
  return VORTEX_STATUS_OK;
}
