//===- DeviceLibrary.h - Libraries that multiply on a device ----*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_LIB_RUNTIME_DEVICELIBRARY_H
#define VORTEX_LIB_RUNTIME_DEVICELIBRARY_H

#include "CudaDriver.h"
#include "Library.h"

#include <memory>
#include <string>

namespace vortex {
namespace runtime {

class CudaDevice;

/// A user of a library on a device, with the memory that the library wants for
/// itself: one for each context, made before calls, so that a call neither
/// waits nor allocates. Everything but the destructor wants the device's
/// context to be current. Not safe for use by several threads at once.
class LibraryUser {
public:
  /// `device` outlives the user. Null with the reason on failure.
  static std::unique_ptr<LibraryUser>
  create(const VortexLibrary &library, CudaDevice &device, std::string &why);
  ~LibraryUser();
  LibraryUser(const LibraryUser &) = delete;

  /// Errors are the library's; 0: none.
  int setStream(cuda::Stream stream);
  int multiply(const LibraryProduct &product, bool &fits) const;
  const char *describe(int error) const { return table.describe(error); }

private:
  LibraryUser(const VortexDeviceLibrary &table, int64_t most,
              CudaDevice &device)
      : table(table), most(most), device(device) {}

  const VortexDeviceLibrary &table;
  const int64_t most;
  CudaDevice &device;
  void *workspace = nullptr, *user = nullptr;
};

/// Says a product with elements and steps in the words of a device's library,
/// in as few calls as its batch takes. Returns the library's first error, with
/// `fits` false where it takes no such matrices.
int multiplyOnDevice(const VortexDeviceLibrary &library, void *user,
                     int64_t most, const LibraryProduct &product, bool &fits);

} // namespace runtime
} // namespace vortex

#endif // VORTEX_LIB_RUNTIME_DEVICELIBRARY_H
