//===- CudaDriver.h - The CUDA driver, found at run time --------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declared here as the driver's documentation has it, so that nothing of CUDA
// is needed to build.
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_LIB_RUNTIME_CUDADRIVER_H
#define VORTEX_LIB_RUNTIME_CUDADRIVER_H

#include "Status.h"

#include <cstddef>
#include <cstdint>

namespace vortex {
namespace runtime {
namespace cuda {

using Result = int; ///< CUresult
using Device = int;
using Address = unsigned long long; ///< CUdeviceptr
inline Address addressOf(const void *memory) {
  return reinterpret_cast<Address>(memory);
}
using Context = struct ContextHandle *;
using Module = struct ModuleHandle *;
using Function = struct FunctionHandle *;
using Stream = struct StreamHandle *;

constexpr Result success = 0, outOfMemory = 2, noDevice = 100,
                 invalidImage = 200, noBinary = 209, unsupportedPtx = 222;

/// CUdevice_attribute
enum Attribute : int {
  Multiprocessors = 16,
  MemoryClock = 36,    ///< kHz
  MemoryBusWidth = 37, ///< bits
  L2Bytes = 38,
  CapabilityMajor = 75,
  CapabilityMinor = 76,
  SharedBytesOptIn = 97
};
/// CUfunction_attribute
constexpr int maxDynamicSharedBytes = 8;
/// CUjit_option
constexpr int jitErrorLog = 5, jitErrorLogBytes = 6;
/// CUmemorytype
constexpr unsigned deviceMemory = 2;
/// CUtensorMapDataType
constexpr int mapU8 = 0, mapI32 = 3, mapF16 = 6, mapF32 = 7, mapBF16 = 9;
/// CUtensorMapSwizzle, CUtensorMapL2promotion
constexpr int swizzle128 = 3, promote256 = 3;

/// CUDA_MEMCPY2D
struct Copy2D {
  size_t fromX, fromY;
  unsigned fromType;
  const void *fromHost;
  Address from;
  void *fromArray;
  size_t fromPitch;
  size_t toX, toY;
  unsigned toType;
  void *toHost;
  Address to;
  void *toArray;
  size_t toPitch;
  size_t bytes, rows;
};

/// The functions, by the names under which the driver exports them.
struct Driver {
#define VORTEX_CUDA_FUNCTIONS(X)                                               \
  X(Init, cuInit, (unsigned flags))                                            \
  X(DriverGetVersion, cuDriverGetVersion, (int *version))                      \
  X(GetErrorName, cuGetErrorName, (Result error, const char **name))           \
  X(GetErrorString, cuGetErrorString, (Result error, const char **text))       \
  X(DeviceGetCount, cuDeviceGetCount, (int *count))                            \
  X(DeviceGet, cuDeviceGet, (Device * device, int ordinal))                    \
  X(DeviceGetName, cuDeviceGetName, (char *name, int bytes, Device device))    \
  X(DeviceGetAttribute, cuDeviceGetAttribute,                                  \
    (int *value, int attribute, Device device))                                \
  X(DeviceTotalMem, cuDeviceTotalMem_v2, (size_t *bytes, Device device))       \
  X(DevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain,                          \
    (Context * context, Device device))                                        \
  X(DevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2, (Device device))    \
  X(CtxGetCurrent, cuCtxGetCurrent, (Context * context))                       \
  X(CtxGetDevice, cuCtxGetDevice, (Device * device))                           \
  X(CtxPushCurrent, cuCtxPushCurrent_v2, (Context context))                    \
  X(CtxPopCurrent, cuCtxPopCurrent_v2, (Context * context))                    \
  X(ModuleLoadDataEx, cuModuleLoadDataEx,                                      \
    (Module * module, const void *image, unsigned count, int *options,         \
     void **values))                                                           \
  X(ModuleUnload, cuModuleUnload, (Module module))                             \
  X(ModuleGetFunction, cuModuleGetFunction,                                    \
    (Function * function, Module module, const char *name))                    \
  X(FuncSetAttribute, cuFuncSetAttribute,                                      \
    (Function function, int attribute, int value))                             \
  X(LaunchKernel, cuLaunchKernel,                                              \
    (Function function, unsigned gridX, unsigned gridY, unsigned gridZ,        \
     unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes,  \
     Stream stream, void **parameters, void **extra))                          \
  X(MemAlloc, cuMemAlloc_v2, (Address * address, size_t bytes))                \
  X(MemFree, cuMemFree_v2, (Address address))                                  \
  X(MemcpyHtoD, cuMemcpyHtoDAsync_v2,                                          \
    (Address to, const void *from, size_t bytes, Stream stream))               \
  X(MemcpyDtoH, cuMemcpyDtoHAsync_v2,                                          \
    (void *to, Address from, size_t bytes, Stream stream))                     \
  X(MemcpyDtoD, cuMemcpyDtoDAsync_v2,                                          \
    (Address to, Address from, size_t bytes, Stream stream))                   \
  X(Memcpy2D, cuMemcpy2DAsync_v2, (const Copy2D *copy, Stream stream))         \
  X(MemsetD2D8, cuMemsetD2D8Async,                                             \
    (Address to, size_t pitch, unsigned char value, size_t width,              \
     size_t height, Stream stream))                                            \
  X(MemsetD2D16, cuMemsetD2D16Async,                                           \
    (Address to, size_t pitch, unsigned short value, size_t width,             \
     size_t height, Stream stream))                                            \
  X(MemsetD2D32, cuMemsetD2D32Async,                                           \
    (Address to, size_t pitch, unsigned value, size_t width, size_t height,    \
     Stream stream))                                                           \
  X(StreamSynchronize, cuStreamSynchronize, (Stream stream))                   \
  X(TensorMapEncodeTiled, cuTensorMapEncodeTiled,                              \
    (void *map, int type, unsigned rank, Address address,                      \
     const uint64_t *extents, const uint64_t *strides, const uint32_t *box,    \
     const uint32_t *elementStrides, int interleave, int swizzle,              \
     int promotion, int outOfBounds))
#define VORTEX_CUDA_POINTER(NAME, SYMBOL, ARGS) Result(*NAME) ARGS = nullptr;
  VORTEX_CUDA_FUNCTIONS(VORTEX_CUDA_POINTER)
#undef VORTEX_CUDA_POINTER

  /// "CUDA_ERROR_OUT_OF_MEMORY (out of memory)"; cut to fit.
  void describe(Result error, char *text, size_t bytes) const noexcept;
  /// Reports `error` of doing `what`.
  VortexStatus report(Result error, const char *what) const;
};

/// The driver of this process, loaded and initialised by the first call that
/// succeeds. UNSUPPORTED with the reason when there is none that will do.
VortexStatus getDriver(const Driver *&driver);

} // namespace cuda
} // namespace runtime
} // namespace vortex

#endif // VORTEX_LIB_RUNTIME_CUDADRIVER_H
