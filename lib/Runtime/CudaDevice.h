//===- CudaDevice.h - An artifact's code on a CUDA device -------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_LIB_RUNTIME_CUDADEVICE_H
#define VORTEX_LIB_RUNTIME_CUDADEVICE_H

#include "CudaDriver.h"
#include "DeviceLibrary.h"

#include "vortex-c/Artifact.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace vortex {
namespace runtime {

/// Elements in memory of the device or, one by one, of the host.
struct Elements {
  int64_t bytes; ///< of an element
  int64_t rank;
  const int64_t *sizes;
};

/// A tensor in memory of the device that bulk copies read in boxes; sizes,
/// strides and extents in elements, outermost first.
struct MappedTensor {
  int64_t dtype; ///< VortexDType
  const void *data;
  int64_t rank;
  const int64_t *sizes, *strides, *box;
};

/// The device that an instance runs on, with the artifact's code and constants
/// there. Everything but `open` and `release` wants the device's context to be
/// current (see Current). Safe for use by several threads.
class CudaDevice {
public:
  /// Device `ordinal`; -1: that of the current context, else the first. Loads
  /// the code of one of `programs`, of those that run there the one for the
  /// latest architecture.
  static VortexStatus
  open(const std::vector<const VortexDeviceInfo *> &programs, int ordinal,
       std::shared_ptr<CudaDevice> &device);
  ~CudaDevice();
  CudaDevice(const CudaDevice &) = delete;

  int ordinal() const { return number; }
  /// 80 for compute capability 8.0.
  int capability() const { return 10 * major + minor; }
  const std::string &remarks() const { return notes; }
  const VortexDeviceInfo *program() const { return code; }
  /// What the driver says of a machine parameter ("block.units"); false when
  /// it says nothing.
  bool param(const char *name, double &value) const;

  /// Makes the device's context current while it lives.
  class Current {
  public:
    explicit Current(const CudaDevice *device);
    ~Current();
    Current(const Current &) = delete;

  private:
    const CudaDevice *device;
  };

  /// Writes a tensor map. What the driver would refuse without a word is told
  /// in `why`; an error of the driver itself is the result.
  cuda::Result encodeMap(void *map, const MappedTensor &tensor, char *why,
                         size_t bytes) const noexcept;

  /// Finds out which of `libraries`, null where there is none, work on this
  /// device; the others are a remark, with their `names`. Called once, before
  /// there are contexts.
  void openLibraries(const std::vector<const VortexLibrary *> &libraries,
                     const char *const *names);
  bool hasLibrary(size_t index) const {
    return index < libraries.size() && libraries[index];
  }
  /// A user of library `index`, which is there, for one context, and back. Null
  /// with the reason on failure.
  std::unique_ptr<LibraryUser> takeUser(size_t index, std::string &why);
  void giveUser(size_t index, std::unique_ptr<LibraryUser> user) noexcept;

  /// Null when there is no memory.
  void *allocate(size_t bytes) noexcept;
  void release(void *memory) noexcept;

  cuda::Result launch(int64_t kernel, unsigned grid, void *const *parameters,
                      cuda::Stream stream) const noexcept;
  cuda::Result copy(const Elements &elements, void *to,
                    const int64_t *toStrides, const void *from,
                    const int64_t *fromStrides,
                    cuda::Stream stream) const noexcept;
  cuda::Result fill(const Elements &elements, void *to,
                    const int64_t *toStrides, const void *element,
                    cuda::Stream stream) const noexcept;
  /// Both wait until the bytes have arrived.
  cuda::Result read(void *host, const void *from, int64_t bytes,
                    cuda::Stream stream) const noexcept;
  cuda::Result write(void *to, const void *host, int64_t bytes,
                     cuda::Stream stream) const noexcept;
  cuda::Result synchronize(cuda::Stream stream) const noexcept {
    return driver->StreamSynchronize(stream);
  }
  /// The copy of a constant of the artifact, made by the first call. Null with
  /// `error` set on failure.
  void *constant(const void *host, int64_t bytes, cuda::Stream stream,
                 cuda::Result &error) noexcept;

  const VortexDeviceKernelInfo &kernel(int64_t index) const;
  /// Whether the device has room for a block of kernel `index`.
  bool holds(int64_t index) const { return functions[size_t(index)]; }
  bool holdsAll() const { return numTooLarge == 0; }
  int64_t sharedBytes() const { return mostShared; }
  /// Blocks of a cluster; 1 without.
  int64_t clusterOf(const VortexDeviceKernelInfo &kernel) const;
  /// Of as many blocks as tiles, those that start: where they walk all tiles,
  /// no more than there is room for.
  int64_t limitBlocks(const VortexDeviceKernelInfo &kernel,
                      int64_t blocks) const;
  int64_t numKernels() const { return code->num_kernels; }
  void describe(cuda::Result error, char *text, size_t bytes) const noexcept {
    driver->describe(error, text, bytes);
  }
  VortexStatus report(cuda::Result error, const char *what) const {
    return driver->report(error, what);
  }

private:
  CudaDevice() = default;
  VortexStatus check(const std::vector<const VortexDeviceInfo *> &programs);
  VortexStatus loadKernels();
  VortexStatus loadKernel(const VortexDeviceKernelInfo &kernel,
                          bool takesBinary, bool &compiled);

  const cuda::Driver *driver = nullptr;
  const VortexDeviceInfo *code = nullptr;
  cuda::Device device = 0;
  cuda::Context context = nullptr;
  bool retained = false; ///< the primary context, given back at the end
  int number = 0, major = 0, minor = 0, units = 0;
  int mostShared = 0; ///< bytes of shared memory that a block may have
  int numTooLarge = 0;
  std::string name, notes;
  std::vector<cuda::Module> modules;
  std::vector<cuda::Function> functions;        ///< one a kernel; null: no room
  std::vector<const VortexLibrary *> libraries; ///< null: not here
  std::mutex sparesMutex;
  std::vector<std::unique_ptr<LibraryUser>> spares; ///< for the next context
  std::mutex constantsMutex;
  std::map<const void *, void *> constants;
};

} // namespace runtime
} // namespace vortex

#endif // VORTEX_LIB_RUNTIME_CUDADEVICE_H
