//===- Context.cpp - One call after another -------------------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Context.h"

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

extern "C" VortexStatus vortexContextCreate(VortexInstance *instance,
                                            const VortexContextOptions *options,
                                            VortexContext **context) {
  return guarded([&]() -> VortexStatus {
    if (!instance || !context)
      return report(VORTEX_STATUS_INVALID_ARGUMENT, "null argument");
    *context = nullptr;
    VortexContextOptions complete{};
    if (options) {
      if (options->size < sizeof complete)
        return report(VORTEX_STATUS_INVALID_ARGUMENT,
                      "VortexContextOptions.size is not set");
      complete = *options;
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
