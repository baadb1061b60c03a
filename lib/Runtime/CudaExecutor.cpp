//===- CudaExecutor.cpp - Services of a call that runs on a device --------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The fields of VortexCallContext for device code. A failure jumps out of
// generated code, so nothing here may own memory when it fails.
//
//===----------------------------------------------------------------------===//

#include "Executor.h"

#include <cstdio>

using namespace vortex::runtime;

void Executor::failOnDevice(Slot &slot, cuda::Result error, const char *what) {
  char why[256], text[400];
  gpu->describe(error, why, sizeof why);
  std::snprintf(text, sizeof text, "%s: %s", what, why);
  failIn(slot,
         error == cuda::outOfMemory ? VORTEX_STATUS_OUT_OF_MEMORY
                                    : VORTEX_STATUS_DEVICE_FAILED,
         text);
}

void Executor::launch(Slot &slot, int64_t index, const int64_t *extents,
                      void *const *parameters) {
  char text[400];
  if (index < 0 || index >= gpu->numKernels())
    failIn(slot, VORTEX_STATUS_INVALID_ARTIFACT,
           "the artifact launches a kernel that it does not have");
  const VortexDeviceKernelInfo &kernel = gpu->kernel(index);
  if (!gpu->holds(index)) {
    std::snprintf(
        text, sizeof text,
        "nothing that runs at these sizes fits the device: a block of "
        "'%s' needs %lld bytes of shared memory, of which there are "
        "%lld",
        kernel.name, static_cast<long long>(kernel.shared_bytes),
        static_cast<long long>(gpu->sharedBytes()));
    failIn(slot, VORTEX_STATUS_UNSUPPORTED, text);
  }
  // Device code counts in 32 bits, and a grid has as many blocks along x.
  int64_t blocks = 1, points = 1;
  for (int64_t axis = 0; axis < kernel.num_axes; ++axis) {
    int64_t extent = extents[axis], tile = kernel.tile[axis];
    if (extent < 0 || extent > INT32_MAX) {
      std::snprintf(text, sizeof text,
                    "kernel '%s': axis %lld has %lld points; device code "
                    "counts to %d",
                    kernel.name, static_cast<long long>(axis),
                    static_cast<long long>(extent), INT32_MAX);
      failIn(slot, VORTEX_STATUS_INVALID_ARGUMENT, text);
    }
    if (!tile)
      continue;
    // Of axes that are counted together, the last one has the tile.
    if (__builtin_mul_overflow(points, extent, &points))
      points = INT64_MAX / 2;
    if (tile < 0)
      continue;
    int64_t tiles = points / tile + (points % tile != 0);
    if (__builtin_mul_overflow(blocks, tiles, &blocks))
      blocks = INT64_MAX;
    points = 1;
  }
  int64_t cluster = gpu->clusterOf(kernel);
  if (__builtin_mul_overflow(blocks, cluster, &blocks))
    blocks = INT64_MAX;
  if (blocks > INT32_MAX) {
    std::snprintf(text, sizeof text,
                  "kernel '%s' has more blocks at these sizes than a grid can "
                  "have (%d)",
                  kernel.name, INT32_MAX);
    failIn(slot, VORTEX_STATUS_INVALID_ARGUMENT, text);
  }
  if (!blocks)
    return;
  blocks = gpu->limitBlocks(kernel, blocks);
  if (cuda::Result error =
          gpu->launch(index, unsigned(blocks), parameters, gpuStream)) {
    std::snprintf(text, sizeof text, "launching '%s'", kernel.name);
    failOnDevice(slot, error, text);
  }
}

void Executor::encodeMap(Slot &slot, int64_t index, void *map,
                         const MappedTensor &tensor) {
  char why[256] = "", text[512];
  if (index < 0 || index >= gpu->numKernels())
    failIn(slot, VORTEX_STATUS_INVALID_ARTIFACT,
           "the artifact describes a tensor to a kernel that it does not have");
  const char *name = gpu->kernel(index).name;
  cuda::Result error = gpu->encodeMap(map, tensor, why, sizeof why);
  if (error) {
    std::snprintf(text, sizeof text, "describing a tensor to '%s'", name);
    failOnDevice(slot, error, text);
  }
  if (*why) {
    std::snprintf(text, sizeof text, "kernel '%s': an operand %s", name, why);
    failIn(slot, VORTEX_STATUS_INVALID_ARGUMENT, text);
  }
}

/// Made before calls: to make a user may wait and allocates.
VortexStatus Executor::takeLibraries() {
  if (!gpu)
    return VORTEX_STATUS_OK;
  CudaDevice::Current use(gpu.get());
  libraryUsers.resize(module->libraries().size());
  for (size_t i = 0; i < libraryUsers.size(); ++i) {
    if (!gpu->hasLibrary(i))
      continue;
    const char *name = module->info().libraries[i];
    std::string why;
    libraryUsers[i] = gpu->takeUser(i, why);
    if (!libraryUsers[i])
      return report(VORTEX_STATUS_DEVICE_FAILED, "library '%s': %s", name,
                    why.c_str());
    if (int error = libraryUsers[i]->setStream(gpuStream))
      return report(VORTEX_STATUS_DEVICE_FAILED,
                    "library '%s' does not take the stream: %s", name,
                    libraryUsers[i]->describe(error));
  }
  return VORTEX_STATUS_OK;
}

void Executor::multiply(Slot &slot, int64_t library,
                        const LibraryProduct &product) {
  const char *name = module->info().libraries[library];
  const LibraryUser *user = libraryUsers[size_t(library)].get();
  char text[512];
  if (!user) {
    std::snprintf(text, sizeof text,
                  "library '%s', which the program calls, is not on the device",
                  name);
    failIn(slot, VORTEX_STATUS_UNSUPPORTED, text);
  }
  bool fits;
  int error = user->multiply(product, fits);
  if (!fits) {
    std::snprintf(text, sizeof text,
                  "library '%s' takes no matrices of these sizes and strides",
                  name);
    failIn(slot, VORTEX_STATUS_INVALID_ARGUMENT, text);
  }
  if (error) {
    std::snprintf(text, sizeof text, "a product by library '%s': %s", name,
                  user->describe(error));
    failIn(slot, VORTEX_STATUS_DEVICE_FAILED, text);
  }
}

void Executor::setUpDevice(VortexCallContext &abi) {
  abi.launch = [](VortexCallContext *context, int64_t kernel,
                  const int64_t *extents, void *const *parameters) {
    Slot &slot = slotOf(context);
    slot.executor.launch(slot, kernel, extents, parameters);
  };
  abi.copy = [](VortexCallContext *context, int64_t bytes, int64_t rank,
                const int64_t *sizes, void *to, const int64_t *toStrides,
                const void *from, const int64_t *fromStrides) {
    Slot &slot = slotOf(context);
    Executor &executor = slot.executor;
    if (cuda::Result error =
            executor.gpu->copy({bytes, rank, sizes}, to, toStrides, from,
                               fromStrides, executor.gpuStream))
      executor.failOnDevice(slot, error, "copying on the device");
  };
  abi.fill = [](VortexCallContext *context, int64_t bytes, int64_t rank,
                const int64_t *sizes, void *to, const int64_t *toStrides,
                const void *element) {
    Slot &slot = slotOf(context);
    Executor &executor = slot.executor;
    if (cuda::Result error = executor.gpu->fill(
            {bytes, rank, sizes}, to, toStrides, element, executor.gpuStream))
      executor.failOnDevice(slot, error, "filling memory of the device");
  };
  abi.read = [](VortexCallContext *context, void *host, const void *from,
                int64_t bytes) {
    Slot &slot = slotOf(context);
    Executor &executor = slot.executor;
    if (cuda::Result error =
            executor.gpu->read(host, from, bytes, executor.gpuStream))
      executor.failOnDevice(slot, error, "reading from the device");
  };
  abi.write = [](VortexCallContext *context, void *to, const void *host,
                 int64_t bytes) {
    Slot &slot = slotOf(context);
    Executor &executor = slot.executor;
    if (cuda::Result error =
            executor.gpu->write(to, host, bytes, executor.gpuStream))
      executor.failOnDevice(slot, error, "writing to the device");
  };
  abi.constant = [](VortexCallContext *context, const void *host,
                    int64_t bytes) -> void * {
    Slot &slot = slotOf(context);
    Executor &executor = slot.executor;
    cuda::Result error = cuda::success;
    void *copy = executor.gpu->constant(host, bytes, executor.gpuStream, error);
    if (!copy)
      executor.failOnDevice(slot, error, "copying a constant to the device");
    return copy;
  };
  abi.tensor_map = [](VortexCallContext *context, int64_t kernel, void *map,
                      int64_t dtype, const void *data, int64_t rank,
                      const int64_t *sizes, const int64_t *strides,
                      const int64_t *box) {
    Slot &slot = slotOf(context);
    slot.executor.encodeMap(slot, kernel, map,
                            {dtype, data, rank, sizes, strides, box});
  };
}

VortexStatus Executor::synchronize() {
  if (!gpu)
    return VORTEX_STATUS_OK;
  CudaDevice::Current use(gpu.get());
  if (cuda::Result error = gpu->synchronize(gpuStream))
    return gpu->report(error, "waiting for the device");
  return VORTEX_STATUS_OK;
}

VortexStatus Executor::setStream(cuda::Stream stream) {
  if (stream == gpuStream)
    return VORTEX_STATUS_OK;
  // What the work before still needs is taken for work to come.
  VortexStatus status = synchronize();
  if (status)
    return status;
  gpuStream = stream;
  CudaDevice::Current use(gpu.get());
  for (size_t i = 0; i < libraryUsers.size(); ++i)
    if (int error = libraryUsers[i] ? libraryUsers[i]->setStream(stream) : 0)
      return report(VORTEX_STATUS_DEVICE_FAILED,
                    "library '%s' does not take the stream: %s",
                    module->info().libraries[i],
                    libraryUsers[i]->describe(error));
  return VORTEX_STATUS_OK;
}
