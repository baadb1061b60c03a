//===- Instance.cpp - Modules with bound weights --------------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Instance.h"

#include "DeviceTensor.h"
#include "Executor.h"
#include "Tensor.h"

#include <cstdio>
#include <cstring>

using namespace vortex::runtime;

namespace {
/// Keeps the results of `bind`.
class PackedSink : public ResultSink {
public:
  PackedSink(const Signature &signature, Binding &binding)
      : ResultSink(nullptr, 0), signature(signature), binding(binding) {}

  void *result(int64_t index, int64_t rank, const int64_t *sizes, int64_t bytes,
               Arena &, VortexStatus &status, char *error,
               size_t errorBytes) noexcept override {
    BoundValue *value = index >= 0 && index < int64_t(binding.packed.size())
                            ? &binding.packed[index]
                            : nullptr;
    if (!value || value->memory || bytes < 0 ||
        rank != signature.bound(index).rank) {
      std::snprintf(error, errorBytes, "packed weight %lld is given wrongly",
                    static_cast<long long>(index));
      return nullptr;
    }
    try {
      value->sizes.assign(sizes, sizes + rank);
    } catch (const std::bad_alloc &) {
      bytes = INT64_MAX / 4;
    }
    value->buffer.sizes = value->sizes.data();
    status = VORTEX_STATUS_OUT_OF_MEMORY;
    if (!value->own(bytes))
      std::snprintf(
          error, errorBytes, "no memory for packed weight %lld of %lld bytes",
          static_cast<long long>(index), static_cast<long long>(bytes));
    return value->memory;
  }

private:
  const Signature &signature;
  Binding &binding;
};
} // namespace

static VortexStatus bindWeights(InstanceState &state, const char *name,
                                const DLTensor *const *weights, int64_t count,
                                const VortexBindOptions &options) {
  int64_t index;
  if (VortexStatus status = findFunction(*state.code, name, index))
    return status;
  const Signature &signature = state.code->function(index);
  const std::vector<int64_t> &positions = signature.weights();
  if (count == int64_t(positions.size()) && count && !weights)
    return report(VORTEX_STATUS_INVALID_ARGUMENT,
                  "function '%s': the array of weights is null", name);
  if (count != int64_t(positions.size()))
    return report(VORTEX_STATUS_INVALID_ARGUMENT,
                  "function '%s' has %zu weights, got %lld", name,
                  positions.size(), static_cast<long long>(count));
  std::vector<const int64_t *> shapes(signature.numArgs(), nullptr);
  std::vector<TensorLayout> layouts(count);
  for (int64_t i = 0; i < count; ++i) {
    int64_t arg = positions[i];
    if (VortexStatus status = checkTensor(
            weights[i], signature.arg(arg), name, "argument", arg,
            state.device ? state.device->ordinal() : -1, layouts[i]))
      return status;
    // Rank 0 has no sizes but is given all the same.
    static const int64_t noSizes[1] = {0};
    shapes[arg] = weights[i]->ndim ? weights[i]->shape : noSizes;
  }
  std::vector<int64_t> symbols(signature.numSymbols());
  if (VortexStatus status = signature.check(shapes.data(), symbols.data()))
    return status;

  auto binding = std::make_unique<Binding>(signature);
  for (BoundValue &value : binding->packed)
    value.device = state.device;
  CudaDevice::Current use(state.device.get());
  std::vector<void *> args;
  for (int64_t i = 0; i < count; ++i) {
    const DLTensor &tensor = *weights[i];
    const VortexValueInfo &info = signature.arg(positions[i]);
    int64_t bytes = layouts[i].bytes;
    BoundValue &value = binding->weights[i];
    value.sizes.assign(tensor.shape, tensor.shape + tensor.ndim);
    value.buffer = {tensorData(tensor), value.sizes.data()};
    if (info.kind != VORTEX_SCALAR)
      value.device = state.device;
    // What calls do not read is needed for packing alone.
    bool copy = options.copy && !info.sizes_only;
    if (copy || !layouts[i].inPlace) {
      if (!value.own(bytes))
        return report(VORTEX_STATUS_OUT_OF_MEMORY,
                      "function '%s': no memory for a copy of %s (%lld bytes)",
                      name, describe("argument", positions[i], info).c_str(),
                      static_cast<long long>(bytes));
      if (!value.device) {
        copyToContiguous(tensor, dtypeBytes(info.dtype), value.buffer.data);
      } else if (bytes) {
        cuda::Result error =
            copyToContiguous(*state.device, nullptr, tensor,
                             dtypeBytes(info.dtype), value.buffer.data);
        // The caller's memory is the caller's again on return.
        if (!error)
          error = state.device->synchronize(nullptr);
        if (error)
          return state.device->report(error, "copying a weight");
      }
    }
    args.push_back(info.kind == VORTEX_SCALAR
                       ? value.buffer.data
                       : static_cast<void *>(&value.buffer));
  }

  if (signature.info().bind) {
    VortexContextOptions run{};
    run.size = sizeof run;
    run.threads = options.threads > 0 ? options.threads : availableThreads();
    std::unique_ptr<Executor> executor;
    if (VortexStatus status =
            Executor::create(state.code, state.device, run, executor))
      return status;
    PackedSink sink(signature, *binding);
    VortexStatus status =
        executor->run(signature.info().bind, args.data(), sink, name);
    // Calls may use another stream.
    if (!status)
      status = executor->synchronize();
    executor->finish();
    if (status)
      return status;
    for (size_t i = 0; i < binding->packed.size(); ++i)
      if (!binding->packed[i].memory)
        return report(VORTEX_STATUS_INVALID_ARTIFACT,
                      "function '%s': packed weight %zu was not made", name, i);
  }
  for (int64_t i = 0; i < count; ++i)
    if (signature.arg(positions[i]).sizes_only)
      binding->weights[i].drop();
  state.bindings[index] = std::move(binding);
  return VORTEX_STATUS_OK;
}

/// Takes the program of `module` for `device` and opens that: of those for a
/// CPU the first, of those for GPUs the one that suits the chip best.
static VortexStatus pickProgram(VortexModule &module, DLDevice device,
                                InstanceState &state) {
  bool gpu = device.device_type == kDLCUDA;
  std::vector<std::shared_ptr<Code>> codes;
  std::vector<const VortexDeviceInfo *> devices;
  std::string all;
  for (int64_t i = 0; VortexModule *program = vortexModuleProgram(&module, i);
       ++i) {
    const VortexDeviceInfo *code = program->code->device();
    all += (all.empty() ? "" : ", ") +
           std::string(code ? code->isa : program->code->info().target);
    if (!(gpu ? code != nullptr
              : device.device_type == kDLCPU && code == nullptr))
      continue;
    codes.push_back(program->code);
    devices.push_back(code);
  }
  if (codes.empty() && !module.others.empty())
    return report(VORTEX_STATUS_INVALID_ARGUMENT,
                  "the artifact's code is for %s; it runs on no other device",
                  all.c_str());
  if (codes.empty())
    return report(VORTEX_STATUS_INVALID_ARGUMENT,
                  module.code->device()
                      ? "the artifact's code is for a GPU (%s); it runs on a "
                        "CUDA device"
                      : "the artifact's code is for a CPU (%s); it runs on no "
                        "other device",
                  all.c_str());
  state.code = codes.front();
  if (!gpu)
    return VORTEX_STATUS_OK;
  if (VortexStatus status =
          CudaDevice::open(devices, device.device_id, state.device))
    return status;
  for (size_t i = 0; i < codes.size(); ++i)
    if (devices[i] == state.device->program())
      state.code = codes[i];
  return VORTEX_STATUS_OK;
}

/// Device -1 of kind kDLCUDA: the one that is current.
static VortexStatus createInstance(VortexModule *module, DLDevice device,
                                   VortexInstance **instance) {
  return guarded([&]() -> VortexStatus {
    if (!module || !instance)
      return report(VORTEX_STATUS_INVALID_ARGUMENT, "null argument");
    *instance = nullptr;
    auto made = std::make_unique<VortexInstance>();
    made->state = std::make_shared<InstanceState>();
    if (VortexStatus status = pickProgram(*module, device, *made->state))
      return status;
    made->module.code = made->state->code;
    if (made->state->device) {
      CudaDevice::Current use(made->state->device.get());
      made->state->device->openLibraries(made->state->code->libraries(),
                                         made->state->code->info().libraries);
    }
    int64_t functions = made->state->code->numFunctions();
    made->state->bindings.resize(functions);
    // Packed forms of constants need nothing from the caller.
    for (int64_t i = 0; i < functions; ++i) {
      const Signature &signature = made->state->code->function(i);
      if (!signature.info().bind || !signature.weights().empty())
        continue;
      if (VortexStatus status =
              bindWeights(*made->state, signature.info().name, nullptr, 0, {}))
        return status;
    }
    *instance = made.release();
    return VORTEX_STATUS_OK;
  });
}

extern "C" VortexStatus vortexInstanceCreate(VortexModule *module,
                                             VortexInstance **instance) {
  bool gpu = module && module->code->device();
  return createInstance(
      module, gpu ? DLDevice{kDLCUDA, -1} : DLDevice{kDLCPU, 0}, instance);
}

extern "C" VortexStatus vortexInstanceCreateOn(VortexModule *module,
                                               DLDevice device,
                                               VortexInstance **instance) {
  if (device.device_id < 0)
    return report(VORTEX_STATUS_INVALID_ARGUMENT, "there is no device %d",
                  device.device_id);
  return createInstance(module, device, instance);
}

extern "C" void vortexInstanceDestroy(VortexInstance *instance) {
  delete instance;
}

extern "C" VortexModule *vortexInstanceModule(VortexInstance *instance) {
  return instance ? &instance->module : nullptr;
}

extern "C" DLDevice vortexInstanceDevice(const VortexInstance *instance) {
  if (!instance || !instance->state->device)
    return {kDLCPU, 0};
  return {kDLCUDA, instance->state->device->ordinal()};
}

extern "C" const char *vortexInstanceRemarks(const VortexInstance *instance) {
  return instance && instance->state->device
             ? instance->state->device->remarks().c_str()
             : "";
}

extern "C" size_t vortexInstanceWeightBytes(const VortexInstance *instance) {
  size_t bytes = 0;
  if (!instance)
    return bytes;
  for (const auto &binding : instance->state->bindings)
    for (const auto *list : {binding ? &binding->weights : nullptr,
                             binding ? &binding->packed : nullptr})
      if (list)
        for (const BoundValue &value : *list)
          bytes += value.memory ? value.bytes : 0;
  return bytes;
}

extern "C" VortexStatus
vortexInstanceBindWeights(VortexInstance *instance, const char *function,
                          const DLTensor *const *weights, int64_t count,
                          const VortexBindOptions *options) {
  return guarded([&]() -> VortexStatus {
    if (!instance || !function)
      return report(VORTEX_STATUS_INVALID_ARGUMENT, "null argument");
    VortexBindOptions complete{};
    if (options) {
      if (options->size < sizeof complete)
        return report(VORTEX_STATUS_INVALID_ARGUMENT,
                      "VortexBindOptions.size is not set");
      complete = *options;
    }
    return bindWeights(*instance->state, function, weights, count, complete);
  });
}
