//===- Library.h - Libraries that artifacts may call ------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_LIB_RUNTIME_LIBRARY_H
#define VORTEX_LIB_RUNTIME_LIBRARY_H

#include "vortex-c/Artifact.h"
#include "vortex-c/Library.h"

#include <string>

namespace vortex {
namespace runtime {

/// The library of that name, opened once a process; null with the reason when
/// it is not there.
const VortexLibrary *findLibrary(const std::string &name, std::string &why);

/// What the library has for devices; null for nothing.
const VortexDeviceLibrary *deviceLibrary(const VortexLibrary &library);

/// A product as generated code asks for it, see VortexCallContext.product.
struct LibraryProduct {
  VortexDType factors, result;
  int64_t batches; ///< dimensions of the batch
  const int64_t *sizes;
  void *const *data;
  const int64_t *strides;
  bool accumulate, tf32; ///< see VORTEX_PRODUCT_*
};

/// Says it in the library's words, in parts where it takes no more at once.
/// What it has no function for is computed here. Elements are of f32 or f64.
void multiply(const VortexLibrary &library, const LibraryProduct &product);

} // namespace runtime
} // namespace vortex

#endif // VORTEX_LIB_RUNTIME_LIBRARY_H
