//===- CudaDevice.cpp - An artifact's code on a CUDA device ---------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaDevice.h"

#include "Signature.h"

#include <cctype>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace vortex::runtime;
using cuda::Address;
using cuda::addressOf;
using cuda::Result;
using cuda::Stream;

CudaDevice::Current::Current(const CudaDevice *device) : device(device) {
  // Fails only where the driver is shutting down; what follows then fails, too.
  if (device &&
      device->driver->CtxPushCurrent(device->context) != cuda::success)
    this->device = nullptr;
}

CudaDevice::Current::~Current() {
  cuda::Context popped;
  if (device)
    device->driver->CtxPopCurrent(&popped);
}

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

VortexStatus
CudaDevice::open(const std::vector<const VortexDeviceInfo *> &programs,
                 int ordinal, std::shared_ptr<CudaDevice> &out) {
  std::shared_ptr<CudaDevice> made(new CudaDevice());
  if (VortexStatus status = cuda::getDriver(made->driver))
    return status;
  const cuda::Driver &driver = *made->driver;
  int count = 0;
  if (Result error = driver.DeviceGetCount(&count))
    return driver.report(error, "counting CUDA devices");
  if (!count)
    return runtime::report(VORTEX_STATUS_NOT_FOUND,
                           "the CUDA driver sees no device");
  cuda::Context current = nullptr;
  cuda::Device currentDevice = 0;
  bool hasCurrent = driver.CtxGetCurrent(&current) == cuda::success &&
                    current &&
                    driver.CtxGetDevice(&currentDevice) == cuda::success;
  made->number = ordinal < 0 ? 0 : ordinal;
  if (ordinal < 0 && hasCurrent)
    for (int i = 0; i < count; ++i)
      if (cuda::Device device;
          !driver.DeviceGet(&device, i) && device == currentDevice)
        made->number = i;
  if (made->number >= count)
    return runtime::report(VORTEX_STATUS_NOT_FOUND,
                           "there is no CUDA device %d; the driver sees %d",
                           made->number, count);
  if (Result error = driver.DeviceGet(&made->device, made->number))
    return driver.report(error, "looking up the CUDA device");
  if (VortexStatus status = made->check(programs))
    return status;
  if (hasCurrent && currentDevice == made->device) {
    made->context = current;
  } else {
    if (Result error =
            driver.DevicePrimaryCtxRetain(&made->context, made->device))
      return driver.report(error, "opening the CUDA device");
    made->retained = true;
  }
  Current use(made.get());
  if (VortexStatus status = made->loadKernels())
    return status;
  out = std::move(made);
  return VORTEX_STATUS_OK;
}

/// The number in "sm_90a"; `exact` where its code runs on that chip alone.
static int capabilityOf(const char *isa, bool &exact) {
  char *end = nullptr;
  long number =
      std::strncmp(isa, "sm_", 3) ? 0 : std::strtol(isa + 3, &end, 10);
  exact = end && std::isalpha(static_cast<unsigned char>(*end));
  return int(number);
}

VortexStatus
CudaDevice::check(const std::vector<const VortexDeviceInfo *> &programs) {
  char text[256] = "?";
  driver->DeviceGetName(text, sizeof text, device);
  name = text;
  for (auto [attribute, value] : {std::pair{cuda::CapabilityMajor, &major},
                                  std::pair{cuda::CapabilityMinor, &minor}})
    if (Result error = driver->DeviceGetAttribute(value, attribute, device))
      return driver->report(error, "asking for the device's architecture");
  if (Result error =
          driver->DeviceGetAttribute(&units, cuda::Multiprocessors, device))
    return driver->report(error, "asking for the device's multiprocessors");
  if (Result error = driver->DeviceGetAttribute(&mostShared,
                                                cuda::SharedBytesOptIn, device))
    return driver->report(error, "asking for the device's shared memory");
  int here = 10 * major + minor, best = -1;
  std::string all;
  for (const VortexDeviceInfo *program : programs) {
    bool exact;
    int wanted = capabilityOf(program->isa, exact);
    all += (all.empty() ? "" : ", ") + std::string(program->isa) +
           (exact ? " alone" : " and later");
    // What runs on this generation alone has the more of its instructions.
    int rank = 2 * wanted + exact;
    if ((exact ? here != wanted : here < wanted) || rank <= best)
      continue;
    best = rank;
    code = program;
  }
  if (!code)
    return runtime::report(
        VORTEX_STATUS_UNSUPPORTED,
        "cannot run here: the code is for %s; CUDA device %d (%s) is sm_%d",
        all.c_str(), number, name.c_str(), here);
  return VORTEX_STATUS_OK;
}

VortexStatus CudaDevice::loadKernel(const VortexDeviceKernelInfo &info,
                                    bool takesBinary, bool &compiled) {
  cuda::Module module = nullptr;
  Result error = cuda::invalidImage;
  if (takesBinary && info.cubin)
    error = driver->ModuleLoadDataEx(&module, info.cubin, 0, nullptr, nullptr);
  char log[1024] = "";
  if (error) {
    int options[] = {cuda::jitErrorLog, cuda::jitErrorLogBytes};
    void *values[] = {log, reinterpret_cast<void *>(sizeof log - 1)};
    error = driver->ModuleLoadDataEx(&module, info.ptx, 2, options, values);
    compiled = true;
  }
  if (error) {
    char text[256];
    driver->describe(error, text, sizeof text);
    return runtime::report(
        error == cuda::outOfMemory ? VORTEX_STATUS_OUT_OF_MEMORY
        : error == cuda::unsupportedPtx || error == cuda::noBinary
            ? VORTEX_STATUS_UNSUPPORTED
            : VORTEX_STATUS_DEVICE_FAILED,
        "loading the code of '%s': %s%s%s", info.name, text, *log ? ": " : "",
        log);
  }
  modules.push_back(module);
  cuda::Function function = nullptr;
  error = driver->ModuleGetFunction(&function, module, info.function);
  // Without being asked, the driver gives a block 48 KiB.
  if (!error && info.shared_bytes > (48 << 10))
    error = driver->FuncSetAttribute(function, cuda::maxDynamicSharedBytes,
                                     int(info.shared_bytes));
  if (error) {
    std::string what = "preparing '" + std::string(info.name) + "' with " +
                       std::to_string(info.shared_bytes) +
                       " bytes of shared memory a block";
    return driver->report(error, what.c_str());
  }
  functions.push_back(function);
  return VORTEX_STATUS_OK;
}

VortexStatus CudaDevice::loadKernels() {
  // A binary runs on chips of its generation from its own on.
  bool exact;
  int wanted = capabilityOf(code->isa, exact);
  bool takesBinary = wanted / 10 == major && wanted % 10 <= minor;
  int compiled = 0;
  for (int64_t i = 0; i < code->num_kernels; ++i) {
    bool here = false;
    if (kernel(i).shared_bytes > mostShared) {
      functions.push_back(nullptr);
      ++numTooLarge;
      continue;
    }
    if (VortexStatus status = loadKernel(kernel(i), takesBinary, here))
      return status;
    compiled += here;
  }
  if (compiled)
    notes = "the driver compiled PTX for " + std::to_string(compiled) + " of " +
            std::to_string(code->num_kernels) +
            " kernels: the artifact has no "
            "binary of them for " +
            name + " (sm_" + std::to_string(10 * major + minor) + ")";
  if (numTooLarge)
    notes += (notes.empty() ? "" : "\n") + std::to_string(numTooLarge) +
             " of " + std::to_string(code->num_kernels) +
             " kernels are not chosen: their blocks need more than the " +
             std::to_string(mostShared) + " bytes of shared memory of " + name;
  return VORTEX_STATUS_OK;
}

void CudaDevice::openLibraries(const std::vector<const VortexLibrary *> &wanted,
                               const char *const *names) {
  libraries = wanted;
  spares.resize(wanted.size());
  for (size_t i = 0; i < libraries.size(); ++i) {
    std::string why;
    if (!libraries[i] ||
        (spares[i] = LibraryUser::create(*libraries[i], *this, why)))
      continue;
    libraries[i] = nullptr;
    notes += (notes.empty() ? "" : "\n") +
             ("library '" + std::string(names[i])) + "' is not used on " +
             name + ": " + why;
  }
}

std::unique_ptr<LibraryUser> CudaDevice::takeUser(size_t index,
                                                  std::string &why) {
  {
    std::lock_guard<std::mutex> lock(sparesMutex);
    if (spares[index])
      return std::move(spares[index]);
  }
  return LibraryUser::create(*libraries[index], *this, why);
}

void CudaDevice::giveUser(size_t index,
                          std::unique_ptr<LibraryUser> user) noexcept {
  std::lock_guard<std::mutex> lock(sparesMutex);
  if (!spares[index])
    spares[index] = std::move(user);
}

CudaDevice::~CudaDevice() {
  if (!context)
    return;
  spares.clear();
  {
    Current use(this);
    for (auto &entry : constants)
      driver->MemFree(addressOf(entry.second));
    for (cuda::Module module : modules)
      driver->ModuleUnload(module);
  }
  if (retained)
    driver->DevicePrimaryCtxRelease(device);
}

const VortexDeviceKernelInfo &CudaDevice::kernel(int64_t index) const {
  return *at(code->kernels, index);
}

int64_t CudaDevice::clusterOf(const VortexDeviceKernelInfo &kernel) const {
  // Artifacts made before there were clusters end in front of this field.
  bool has = kernel.size > offsetof(VortexDeviceKernelInfo, cluster);
  return has && kernel.cluster > 1 ? kernel.cluster : 1;
}

int64_t CudaDevice::limitBlocks(const VortexDeviceKernelInfo &kernel,
                                int64_t blocks) const {
  // Whole clusters, of which one is always there.
  int64_t cluster = clusterOf(kernel), most = kernel.queue * units;
  if (most)
    most = most < cluster ? cluster : most / cluster * cluster;
  return most && most < blocks ? most : blocks;
}

bool CudaDevice::param(const char *wanted, double &value) const {
  auto attribute = [&](cuda::Attribute which) {
    int number = 0;
    return driver->DeviceGetAttribute(&number, which, device) == cuda::success
               ? double(number)
               : 0.0;
  };
  auto is = [&](const char *text) { return !std::strcmp(wanted, text); };
  value = 0;
  if (is("block.units")) {
    value = attribute(cuda::Multiprocessors);
  } else if (is("l2.capacity")) {
    value = attribute(cuda::L2Bytes);
  } else if (is("smem.capacity")) {
    value = attribute(cuda::SharedBytesOptIn);
  } else if (is("device.capacity")) {
    size_t bytes = 0;
    if (!driver->DeviceTotalMem(&bytes, device))
      value = double(bytes);
  } else if (is("device.bandwidth")) {
    // kHz times bytes, twice a clock: bytes a millisecond; in GB/s.
    value = 2 * attribute(cuda::MemoryClock) * attribute(cuda::MemoryBusWidth) /
            8 / 1e6;
  }
  return value > 0;
}

//===----------------------------------------------------------------------===//
// Work
//===----------------------------------------------------------------------===//

void *CudaDevice::allocate(size_t bytes) noexcept {
  Address address = 0;
  if (driver->MemAlloc(&address, bytes ? bytes : 1))
    return nullptr;
  return reinterpret_cast<void *>(address);
}

void CudaDevice::release(void *memory) noexcept {
  if (!memory)
    return;
  Current use(this);
  driver->MemFree(addressOf(memory));
}

Result CudaDevice::launch(int64_t index, unsigned grid, void *const *parameters,
                          Stream stream) const noexcept {
  const VortexDeviceKernelInfo &info = kernel(index);
  return driver->LaunchKernel(functions[size_t(index)], grid, 1, 1,
                              unsigned(info.threads), 1, 1,
                              unsigned(info.shared_bytes), stream,
                              const_cast<void **>(parameters), nullptr);
}

void *CudaDevice::constant(const void *host, int64_t bytes, Stream stream,
                           Result &error) noexcept {
  std::lock_guard<std::mutex> lock(constantsMutex);
  error = cuda::outOfMemory;
  try {
    void *&known = constants[host];
    if (known)
      return known;
    void *memory = allocate(size_t(bytes));
    if (!memory)
      return nullptr;
    if ((error = write(memory, host, bytes, stream))) {
      driver->MemFree(addressOf(memory));
      return nullptr;
    }
    return known = memory;
  } catch (const std::bad_alloc &) {
    return nullptr;
  }
}
