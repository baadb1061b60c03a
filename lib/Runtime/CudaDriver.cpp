//===- CudaDriver.cpp - The CUDA driver, found at run time ----------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaDriver.h"

#include <cstdio>
#include <dlfcn.h>
#include <mutex>

using namespace vortex::runtime;
using namespace vortex::runtime::cuda;

/// The first driver that knows PTX 8.0, which the device code is.
static constexpr int leastVersion = 12000;

void Driver::describe(Result error, char *text, size_t bytes) const noexcept {
  const char *name = nullptr, *words = nullptr;
  if (GetErrorName(error, &name) != success || !name)
    std::snprintf(text, bytes, "CUDA error %d", error);
  else if (GetErrorString(error, &words) != success || !words)
    std::snprintf(text, bytes, "%s", name);
  else
    std::snprintf(text, bytes, "%s (%s)", name, words);
}

VortexStatus Driver::report(Result error, const char *what) const {
  char text[256];
  describe(error, text, sizeof text);
  return runtime::report(error == outOfMemory ? VORTEX_STATUS_OUT_OF_MEMORY
                                              : VORTEX_STATUS_DEVICE_FAILED,
                         "%s: %s", what, text);
}

static VortexStatus load(Driver &driver) {
  // Kept for the life of the process: drivers do not like to be unloaded.
  static void *library = nullptr;
  if (!library)
    library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *why = dlerror();
    return report(VORTEX_STATUS_UNSUPPORTED, "no CUDA driver: %s",
                  why ? why : "libcuda.so.1 cannot be loaded");
  }
  const char *missing = nullptr;
#define VORTEX_CUDA_LOOKUP(NAME, SYMBOL, ARGS)                                 \
  driver.NAME =                                                                \
      reinterpret_cast<decltype(driver.NAME)>(dlsym(library, #SYMBOL));        \
  if (!driver.NAME && !missing)                                                \
    missing = #SYMBOL;
  VORTEX_CUDA_FUNCTIONS(VORTEX_CUDA_LOOKUP)
#undef VORTEX_CUDA_LOOKUP
  if (missing)
    return report(VORTEX_STATUS_UNSUPPORTED,
                  "the CUDA driver is too old: it has no %s", missing);
  if (Result error = driver.Init(0)) {
    char text[256];
    driver.describe(error, text, sizeof text);
    return report(error == noDevice ? VORTEX_STATUS_NOT_FOUND
                                    : VORTEX_STATUS_DEVICE_FAILED,
                  "the CUDA driver does not start: %s", text);
  }
  int version = 0;
  if (Result error = driver.DriverGetVersion(&version))
    return driver.report(error, "asking the CUDA driver for its version");
  if (version < leastVersion)
    return report(VORTEX_STATUS_UNSUPPORTED,
                  "the CUDA driver is too old: it is for CUDA %d.%d, needed is "
                  "%d.%d",
                  version / 1000, version % 1000 / 10, leastVersion / 1000,
                  leastVersion % 1000 / 10);
  return VORTEX_STATUS_OK;
}

VortexStatus vortex::runtime::cuda::getDriver(const Driver *&out) {
  static std::mutex mutex;
  static Driver driver;
  static bool loaded = false;
  std::lock_guard<std::mutex> lock(mutex);
  if (!loaded)
    if (VortexStatus status = load(driver))
      return status;
  loaded = true;
  out = &driver;
  return VORTEX_STATUS_OK;
}
