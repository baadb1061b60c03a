//===- StandIn.cpp - A stand-in for the CUDA driver -----------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StandIn.h"

#include "Capture.h"

#include <array>
#include <cctype>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <list>

#include <unistd.h>

using namespace standin;

long standin::setting(const char *name, long otherwise) {
  const char *text = std::getenv(name);
  return text && *text ? std::atol(text) : otherwise;
}

void standin::log(const char *format, ...) {
  const char *path = std::getenv("VORTEX_STANDIN_LOG");
  std::FILE *file = path ? std::fopen(path, "a") : nullptr;
  if (!file)
    return;
  va_list args;
  va_start(args, format);
  std::vfprintf(file, format, args);
  va_end(args);
  std::fputc('\n', file);
  std::fclose(file);
}

void standin::complain(const char *format, ...) {
  std::fputs("stand-in driver: ", stderr);
  va_list args;
  va_start(args, format);
  std::vfprintf(stderr, format, args);
  va_end(args);
  std::fputc('\n', stderr);
}

namespace {

struct Module {
  std::list<Function> functions;
};

long capability() { return setting("VORTEX_STANDIN_CAPABILITY", 80); }

/// CUDA C++ programming guide, technical specifications per compute capability:
/// a block's.
int mostShared() {
  if (long bytes = setting("VORTEX_STANDIN_SHARED", 0))
    return int(bytes);
  switch (capability()) {
  case 80:
  case 87:
    return 163 << 10;
  case 90:
  case 100:
    return 227 << 10;
  default: // 8.6, 8.9, 12.0
    return 99 << 10;
  }
}

/// Whether this device runs PTX for the target that it names: one that ends in
/// a letter on that chip alone, another from there on.
bool runsTarget(const char *ptx) {
  const char *target = std::strstr(ptx, ".target sm_");
  char *end = nullptr;
  long wanted = target ? std::strtol(target + 11, &end, 10) : 0;
  bool exact = end && std::isalpha(static_cast<unsigned char>(*end));
  return exact ? capability() == wanted : capability() >= wanted;
}

int devices() { return int(setting("VORTEX_STANDIN_DEVICES", 1)); }

/// The first failure of work; everything fails from then on, as on a device.
int sticky = success;
bool initialized = false;
/// Contexts are devices, counted from one.
thread_local std::vector<intptr_t> contexts;
int retained = 0, modules = 0;

/// Whether `variable` of the environment is a part of a kernel's name.
bool names(const char *variable, const std::string &kernel) {
  const char *text = std::getenv(variable);
  return text && *text && kernel.find(text) != std::string::npos;
}

int wrong(int error) { return sticky = sticky ? sticky : error; }

/// Whether work may be asked for.
int ready() {
  if (!initialized)
    return notInitialized;
  if (contexts.empty() || !contexts.back()) {
    complain("work without a current context");
    return invalidContext;
  }
  return sticky;
}

/// Memory of the host that a copy names.
bool isHost(const void *host, const char *what) {
  if (host && !Memory::get().isDevice(host))
    return true;
  complain("%s: %p is no memory of the host", what, host);
  return false;
}
} // namespace

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT int cuInit(unsigned flags) {
  if (flags)
    return invalidValue;
  if (devices() == 0)
    return noDevice;
  initialized = true;
  return success;
}
EXPORT int cuDriverGetVersion(int *version) {
  *version = int(setting("VORTEX_STANDIN_VERSION", 12040));
  return success;
}
EXPORT int cuGetErrorName(int error, const char **name) {
  switch (error) {
  case success:
    *name = "CUDA_SUCCESS";
    break;
  case invalidValue:
    *name = "CUDA_ERROR_INVALID_VALUE";
    break;
  case outOfMemory:
    *name = "CUDA_ERROR_OUT_OF_MEMORY";
    break;
  case noDevice:
    *name = "CUDA_ERROR_NO_DEVICE";
    break;
  case invalidImage:
    *name = "CUDA_ERROR_INVALID_IMAGE";
    break;
  case invalidContext:
    *name = "CUDA_ERROR_INVALID_CONTEXT";
    break;
  case invalidPtx:
    *name = "CUDA_ERROR_INVALID_PTX";
    break;
  case unsupportedPtx:
    *name = "CUDA_ERROR_UNSUPPORTED_PTX_VERSION";
    break;
  case notFound:
    *name = "CUDA_ERROR_NOT_FOUND";
    break;
  case launchFailed:
    *name = "CUDA_ERROR_LAUNCH_FAILED";
    break;
  case captureUnsupported:
    *name = "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED";
    break;
  case captureInvalidated:
    *name = "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED";
    break;
  case captureImplicit:
    *name = "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT";
    break;
  default:
    *name = nullptr;
    return invalidValue;
  }
  return success;
}
EXPORT int cuGetErrorString(int error, const char **text) {
  *text = error == outOfMemory    ? "out of memory"
          : error == launchFailed ? "unspecified launch failure"
                                  : "see stderr";
  return success;
}

EXPORT int cuDeviceGetCount(int *count) {
  *count = devices();
  return initialized ? success : notInitialized;
}
EXPORT int cuDeviceGet(int *device, int ordinal) {
  *device = ordinal;
  return ordinal >= 0 && ordinal < devices() ? success : invalidDevice;
}
EXPORT int cuDeviceGetName(char *name, int bytes, int) {
  std::snprintf(name, size_t(bytes), "Stand-in");
  return success;
}
EXPORT int cuDeviceGetAttribute(int *value, int attribute, int) {
  switch (attribute) {
  case 16: // multiprocessors
    *value = int(setting("VORTEX_STANDIN_UNITS", 7));
    return success;
  case 36: // memory clock, kHz
    *value = 1000000;
    return success;
  case 37: // memory bus, bits
    *value = 1024;
    return success;
  case 38: // L2
    *value = 3 << 20;
    return success;
  case 75:
    *value = int(capability() / 10);
    return success;
  case 76:
    *value = int(capability() % 10);
    return success;
  case 97: // shared memory of a block
    *value = mostShared();
    return success;
  default:
    return invalidValue;
  }
}
EXPORT int cuDeviceTotalMem_v2(size_t *bytes, int) {
  *bytes = Memory::get().size();
  return success;
}

EXPORT int cuDevicePrimaryCtxRetain(intptr_t *context, int device) {
  log("retain");
  ++retained;
  *context = device + 1;
  return success;
}
EXPORT int cuDevicePrimaryCtxRelease_v2(int) {
  log("release");
  if (--retained < 0)
    complain("a primary context is released more often than retained");
  return success;
}
EXPORT int cuCtxGetCurrent(intptr_t *context) {
  *context = contexts.empty() ? 0 : contexts.back();
  return success;
}
EXPORT int cuCtxGetDevice(int *device) {
  if (contexts.empty())
    return invalidContext;
  *device = int(contexts.back() - 1);
  return success;
}
EXPORT int cuCtxPushCurrent_v2(intptr_t context) {
  contexts.push_back(context);
  return success;
}
EXPORT int cuCtxPopCurrent_v2(intptr_t *context) {
  if (contexts.empty())
    return invalidContext;
  *context = contexts.back();
  contexts.pop_back();
  return success;
}

EXPORT int cuModuleLoadDataEx(Module **module, const void *image,
                              unsigned count, int *options, void **values) {
  if (int error = ready())
    return error;
  if (!std::memcmp(image,
                   "\x7f"
                   "ELF",
                   4))
    return invalidImage; // no machine to run it
  if (!runsTarget(static_cast<const char *>(image))) {
    complain("PTX of another architecture is loaded");
    return unsupportedPtx;
  }
  std::string error;
  std::vector<Function> functions =
      Simulator::get().load(modules, static_cast<const char *>(image), error);
  if (functions.empty()) {
    char *text = nullptr;
    size_t bytes = 0;
    for (unsigned i = 0; i < count; ++i)
      if (options[i] == 5)
        text = static_cast<char *>(values[i]);
      else if (options[i] == 6)
        bytes = reinterpret_cast<size_t>(values[i]);
    if (text && bytes)
      std::snprintf(text, bytes, "%s", error.c_str());
    return invalidPtx;
  }
  ++modules;
  log("module %s", functions[0].name.c_str());
  *module = new Module{{functions.begin(), functions.end()}};
  return success;
}
EXPORT int cuModuleUnload(Module *module) {
  delete module;
  return success;
}
EXPORT int cuModuleGetFunction(Function **function, Module *module,
                               const char *name) {
  for (Function &candidate : module->functions)
    if (candidate.name == name) {
      *function = &candidate;
      return success;
    }
  return notFound;
}
EXPORT int cuFuncSetAttribute(Function *function, int attribute, int value) {
  if (attribute != 8 || value < 0 || value > mostShared())
    return invalidValue;
  function->sharedLimit = unsigned(value);
  return success;
}
/// Runs a kernel now.
static int run(const Function &function, std::array<unsigned, 3> grid,
               unsigned shared, const std::vector<char> &parameters) {
  if (names("VORTEX_STANDIN_HANG", function.name))
    pause();
  std::string error =
      names("VORTEX_STANDIN_FAULT", function.name)
          ? "faults as it was told to"
          : Simulator::get().launch(function, {grid[0], grid[1], grid[2]},
                                    shared, parameters);
  if (error.empty())
    return success;
  complain("'%s': %s", function.name.c_str(), error.c_str());
  // As on a device, who waits for the work is told.
  wrong(launchFailed);
  return success;
}

EXPORT int cuLaunchKernel(Function *function, unsigned gridX, unsigned gridY,
                          unsigned gridZ, unsigned blockX, unsigned blockY,
                          unsigned blockZ, unsigned shared, void *stream,
                          void **parameters, void **extra) {
  if (int error = ready())
    return error;
  log("launch %s grid %u shared %u", function->name.c_str(), gridX, shared);
  unsigned threads = blockX * blockY * blockZ;
  if (!gridX || !gridY || !gridZ || !threads || threads > 1024 || extra ||
      gridY > 65535 || gridZ > 65535 || gridX > 0x7fffffffu) {
    complain("launch of '%s' with an impossible grid or block",
             function->name.c_str());
    return invalidValue;
  }
  if (function->threads && threads != function->threads) {
    complain("launch of '%s' with %u threads, it needs %u",
             function->name.c_str(), threads, function->threads);
    return invalidValue;
  }
  if (shared > function->sharedLimit) {
    complain("launch of '%s' with %u bytes of shared memory, it may have %u",
             function->name.c_str(), shared, function->sharedLimit);
    return invalidValue;
  }
  std::vector<char> bytes;
  size_t given = 0;
  while (parameters[given])
    ++given;
  // The run time ends its list with a null, which no driver needs.
  if (given != function->parameters.size()) {
    complain("launch of '%s' with %zu parameters, it has %zu",
             function->name.c_str(), given, function->parameters.size());
    return invalidValue;
  }
  for (size_t i = 0; i < given; ++i) {
    auto *from = static_cast<const char *>(parameters[i]);
    if (!isHost(from, "parameter of a launch"))
      return invalidValue;
    bytes.insert(bytes.end(), from, from + function->parameters[i]);
  }
  return Capture::get().submit(stream, [=] {
    return run(*function, {gridX, gridY, gridZ}, shared, bytes);
  });
}

EXPORT int cuMemAlloc_v2(uint64_t *address, size_t bytes) {
  if (int error = ready())
    return error;
  if (int error = Capture::get().forbid("memory is allocated"))
    return error;
  if (!bytes)
    return invalidValue;
  log("alloc %zu", bytes);
  *address = Memory::get().allocate(bytes);
  return *address ? success : outOfMemory;
}
EXPORT int cuMemFree_v2(uint64_t address) {
  if (int error = Capture::get().forbid("memory is freed"))
    return error;
  if (!Memory::get().release(address)) {
    complain("memory is freed that was not allocated");
    return wrong(invalidValue);
  }
  return sticky;
}
EXPORT int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes,
                                void *) {
  if (int error = ready())
    return error;
  // Of pageable memory, which may be gone when the graph runs.
  if (int error =
          Capture::get().forbid("memory of the host is copied to the device"))
    return error;
  log("upload %zu", bytes);
  char *target = Memory::get().reach(to, bytes, "copy to the device");
  if (!target || !isHost(from, "copy to the device"))
    return wrong(invalidValue);
  std::memcpy(target, from, bytes);
  return success;
}
EXPORT int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *) {
  if (int error = ready())
    return error;
  // Of pageable memory, which may be gone when the graph runs.
  if (int error =
          Capture::get().forbid("memory of the device is copied to the host"))
    return error;
  log("download %zu", bytes);
  char *source = Memory::get().reach(from, bytes, "copy to the host");
  if (!source || !isHost(to, "copy to the host"))
    return wrong(invalidValue);
  std::memcpy(to, source, bytes);
  return success;
}
EXPORT int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes,
                                void *stream) {
  if (int error = ready())
    return error;
  log("copy %zu", bytes);
  char *target = Memory::get().reach(to, bytes, "copy");
  char *source = Memory::get().reach(from, bytes, "copy");
  if (!target || !source)
    return wrong(invalidValue);
  return Capture::get().submit(stream, [=] {
    std::memcpy(target, source, bytes);
    return int(success);
  });
}

namespace {
/// CUDA_MEMCPY2D.
struct Copy2D {
  size_t fromX, fromY;
  unsigned fromType;
  const void *fromHost;
  uint64_t from;
  void *fromArray;
  size_t fromPitch;
  size_t toX, toY;
  unsigned toType;
  void *toHost;
  uint64_t to;
  void *toArray;
  size_t toPitch;
  size_t bytes, rows;
};

int fill(uint64_t to, size_t pitch, uint32_t value, size_t element,
         size_t width, size_t height, void *stream) {
  if (int error = ready())
    return error;
  log("fill %zu x %zu of %zu", height, width, element);
  if (!width || !height || (height > 1 && pitch < width * element) ||
      to % element || (height > 1 && pitch % element)) {
    complain("a fill of impossible form");
    return wrong(invalidValue);
  }
  std::vector<char *> rows;
  for (size_t row = 0; row < height; ++row) {
    rows.push_back(
        Memory::get().reach(to + row * pitch, width * element, "fill"));
    if (!rows.back())
      return wrong(invalidValue);
  }
  return Capture::get().submit(stream, [=] {
    for (char *row : rows)
      for (size_t i = 0; i < width; ++i)
        std::memcpy(row + i * element, &value, element);
    return int(success);
  });
}
} // namespace

EXPORT int cuMemcpy2DAsync_v2(const Copy2D *copy, void *stream) {
  if (int error = ready())
    return error;
  log("copy %zu x %zu", copy->rows, copy->bytes);
  if (copy->fromType != 2 || copy->toType != 2 || copy->fromX || copy->fromY ||
      copy->toX || copy->toY || copy->fromPitch < copy->bytes ||
      copy->toPitch < copy->bytes) {
    complain("a copy of rows of impossible form");
    return wrong(invalidValue);
  }
  std::vector<std::pair<char *, char *>> rows;
  for (size_t row = 0; row < copy->rows; ++row) {
    rows.push_back({Memory::get().reach(copy->to + row * copy->toPitch,
                                        copy->bytes, "copy of rows"),
                    Memory::get().reach(copy->from + row * copy->fromPitch,
                                        copy->bytes, "copy of rows")});
    if (!rows.back().first || !rows.back().second)
      return wrong(invalidValue);
  }
  return Capture::get().submit(stream, [rows, bytes = copy->bytes] {
    for (auto [target, source] : rows)
      std::memcpy(target, source, bytes);
    return int(success);
  });
}
EXPORT int cuMemsetD2D8Async(uint64_t to, size_t pitch, unsigned char value,
                             size_t width, size_t height, void *stream) {
  return fill(to, pitch, value, 1, width, height, stream);
}
EXPORT int cuMemsetD2D16Async(uint64_t to, size_t pitch, unsigned short value,
                              size_t width, size_t height, void *stream) {
  return fill(to, pitch, value, 2, width, height, stream);
}
EXPORT int cuMemsetD2D32Async(uint64_t to, size_t pitch, unsigned value,
                              size_t width, size_t height, void *stream) {
  return fill(to, pitch, value, 4, width, height, stream);
}
EXPORT int cuStreamSynchronize(void *) {
  log("wait");
  if (int error = Capture::get().forbid("a stream is waited for"))
    return error;
  return ready();
}

EXPORT int cuStreamBeginCapture_v2(void *stream, int mode) {
  if (int error = ready())
    return error;
  return mode ? int(invalidValue) : Capture::get().begin(stream); // global
}
EXPORT int cuStreamEndCapture(void *stream, Graph **graph) {
  return Capture::get().end(stream, graph);
}
EXPORT int cuGraphInstantiateWithFlags(Graph **made, Graph *graph,
                                       unsigned long long) {
  *made = new Graph(*graph);
  return success;
}
EXPORT int cuGraphLaunch(Graph *graph, void *) {
  if (int error = ready())
    return error;
  log("graph %zu", graph->nodes.size());
  for (const auto &node : graph->nodes)
    if (int error = node())
      return error;
  return success;
}
EXPORT int cuGraphExecDestroy(Graph *graph) {
  delete graph;
  return success;
}
EXPORT int cuGraphDestroy(Graph *graph) {
  delete graph;
  return success;
}
