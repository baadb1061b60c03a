//===- Module.cpp - Loaded code -------------------------------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Module.h"

#include "CpuFeatures.h"
#include "MachineParams.h"
#include "vortex/Probe/HostParams.h"
#include "vortex/Runtime/Checksum.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace vortex::runtime;

namespace vortex {
namespace runtime {
VortexStatus checkArtifact(const std::string &bytes, const char *name);
} // namespace runtime
} // namespace vortex

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

namespace {
/// The files mapped by path. The dynamic linker knows files by name first, so a
/// file written anew under the name of one that is still mapped would not be
/// read again; such a file is loaded from memory.
struct Mapped {
  struct stat file;
  int uses;
};
std::mutex mappedMutex;
std::map<std::string, Mapped> &mappedFiles() {
  static auto *files = new std::map<std::string, Mapped>();
  return *files;
}
} // namespace

/// Takes note that `path` is about to be mapped; false when an older file of
/// that name is.
static bool claimPath(const std::string &path) {
  struct stat now;
  if (stat(path.c_str(), &now) != 0)
    return false;
  std::lock_guard<std::mutex> lock(mappedMutex);
  auto entry = mappedFiles().insert({path, {now, 0}}).first;
  const struct stat &then = entry->second.file;
  if (then.st_dev != now.st_dev || then.st_ino != now.st_ino ||
      then.st_size != now.st_size ||
      then.st_mtim.tv_sec != now.st_mtim.tv_sec ||
      then.st_mtim.tv_nsec != now.st_mtim.tv_nsec)
    return false;
  ++entry->second.uses;
  return true;
}

Code::~Code() {
  if (handle)
    dlclose(handle);
  if (memory >= 0)
    close(memory);
  if (mapped.empty())
    return;
  std::lock_guard<std::mutex> lock(mappedMutex);
  auto entry = mappedFiles().find(mapped);
  if (--entry->second.uses == 0)
    mappedFiles().erase(entry);
}

static bool writeAll(int file, const std::string &bytes) {
  for (size_t done = 0; done < bytes.size();) {
    ssize_t n = write(file, bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    done += size_t(n);
  }
  return true;
}

VortexStatus Code::load(const std::string &bytes, const char *path,
                        const char *name, std::shared_ptr<Code> &out) {
  if (VortexStatus status = checkArtifact(bytes, name))
    return status;
  auto code = std::make_shared<Code>();
  std::string file;
  if (path) {
    // A name without '/' would be looked up in the library path.
    char *full = realpath(path, nullptr);
    if (!full)
      return report(VORTEX_STATUS_NOT_FOUND, "%s: %s", path,
                    std::strerror(errno));
    file = full;
    std::free(full);
    if (claimPath(file))
      code->mapped = file;
  }
  if (code->mapped.empty()) {
    // The descriptor stays open as long as the code is mapped: the dynamic
    // linker would take a later file of the same name for this one.
    code->memory = memfd_create("vortex-artifact", MFD_CLOEXEC);
    if (code->memory < 0 || !writeAll(code->memory, bytes))
      return report(VORTEX_STATUS_OUT_OF_MEMORY,
                    "no memory for the artifact's code: %s",
                    std::strerror(errno));
    file = "/proc/self/fd/" + std::to_string(code->memory);
  }
  code->handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!code->handle) {
    const char *why = dlerror();
    return report(VORTEX_STATUS_INVALID_ARTIFACT, "%s: %s", name,
                  why ? why : "cannot be loaded");
  }
  auto query = reinterpret_cast<VortexArtifactQuery>(
      dlsym(code->handle, VORTEX_ARTIFACT_QUERY));
  if (!query)
    return report(VORTEX_STATUS_INVALID_ARTIFACT,
                  "%s: not a Vortex artifact (it does not export %s)", name,
                  VORTEX_ARTIFACT_QUERY);
  code->artifact = query(VORTEX_ARTIFACT_ABI);
  if (!code->artifact || code->artifact->abi != VORTEX_ARTIFACT_ABI)
    return report(VORTEX_STATUS_UNSUPPORTED,
                  "%s: not made for artifact ABI %u; compile it again", name,
                  VORTEX_ARTIFACT_ABI);
  if (VortexStatus status = code->validate()) {
    std::string why = vortexLastError();
    return report(status, "%s: %s", name, why.c_str());
  }
  if (VortexStatus status = code->openLibraries())
    return status;
  bool mustExist;
  std::string params = machineParamsPath(mustExist);
  // The probe measures the CPU; a GPU's numbers come from its driver.
  if (!params.empty() && !code->deviceCode &&
      (mustExist || access(params.c_str(), R_OK) == 0))
    if (VortexStatus status = code->loadParams(params.c_str())) {
      std::string why = vortexLastError();
      // A home folder may be shared between machines.
      if (status == VORTEX_STATUS_UNSUPPORTED)
        code->remarks += (code->remarks.empty() ? "" : "\n") +
                         ("machine parameters not used: " + why) +
                         "; run vortex-probe on this machine";
      else
        return report(status,
                      "machine parameters: %s (VORTEX_MACHINE_PARAMS=none does "
                      "without)",
                      why.c_str());
    }
  out = std::move(code);
  return VORTEX_STATUS_OK;
}

VortexStatus Code::validate() {
  const VortexArtifactInfo &a = *artifact;
  auto wrong = [](const char *what) {
    return report(VORTEX_STATUS_INVALID_ARTIFACT, "%s described wrongly", what);
  };
  if (a.size < offsetof(VortexArtifactInfo, device) || a.num_functions < 0 ||
      (a.num_functions && !a.functions) || a.num_kernels < 0 ||
      (a.num_kernels && !a.kernels) || a.num_params < 0 ||
      (a.num_params && !a.params) || a.num_memos < 0 || a.num_memos > (1 << 24))
    return wrong("the artifact is");
  std::string missing = missingCpuFeatures(a.features ? a.features : "");
  if (!missing.empty())
    return report(VORTEX_STATUS_UNSUPPORTED, "cannot run here: %s",
                  missing.c_str());
  if (a.num_functions && a.functions->size < sizeof(VortexFunctionInfo))
    return wrong("the functions are");
  functions.resize(a.num_functions);
  for (int64_t i = 0; i < a.num_functions; ++i) {
    const VortexFunctionInfo *f = at(a.functions, i);
    if (f->size != a.functions->size || !f->name)
      return wrong("a function is");
    if (VortexStatus status = functions[i].initialize(*f, i))
      return status;
    byName.push_back(i);
  }
  std::sort(byName.begin(), byName.end(), [this](int64_t x, int64_t y) {
    return std::strcmp(functions[x].info().name, functions[y].info().name) < 0;
  });
  if (a.num_kernels && a.kernels->size < sizeof(VortexKernelInfo))
    return wrong("the kernels are");
  for (int64_t i = 0; i < a.num_kernels; ++i) {
    const VortexKernelInfo *k = at(a.kernels, i);
    if (k->size != a.kernels->size || !k->name || k->num_candidates < 0 ||
        (k->num_candidates && (!k->candidates || !k->guards || !k->costs)) ||
        k->num_axes < 0 || (k->num_axes && !k->axes) || k->decided < -1 ||
        k->decided >= k->num_candidates)
      return wrong("a kernel is");
  }
  if (a.size >= offsetof(VortexArtifactInfo, num_libraries))
    deviceCode = a.device;
  if (a.size >= sizeof(VortexArtifactInfo) &&
      (a.num_libraries < 0 || a.num_libraries > (1 << 10) ||
       (a.num_libraries && !a.libraries)))
    return wrong("the libraries are");
  if (const VortexDeviceInfo *d = deviceCode) {
    if (d->size < sizeof(VortexDeviceInfo) || !d->isa || d->num_kernels < 0 ||
        (d->num_kernels && !d->kernels))
      return wrong("the device code is");
    for (int64_t i = 0; i < d->num_kernels; ++i) {
      const VortexDeviceKernelInfo *k = at(d->kernels, i);
      if (k->size < offsetof(VortexDeviceKernelInfo, cluster) ||
          k->size != d->kernels->size || !k->name || !k->function || !k->ptx ||
          k->threads < 1 || k->threads > 1024 || k->shared_bytes < 0 ||
          k->shared_bytes > INT32_MAX || k->num_axes < 0 ||
          (k->num_axes && !k->tile) ||
          (k->size >= sizeof(VortexDeviceKernelInfo) &&
           (k->num_candidates < 0 || (k->num_candidates && !k->candidates))))
        return wrong("a kernel of the device is");
    }
  }
  if (a.num_params && a.params->size < sizeof(VortexParamInfo))
    return wrong("the machine parameters are");
  for (int64_t i = 0; i < a.num_params; ++i) {
    const VortexParamInfo *p = at(a.params, i);
    if (p->size != a.params->size || !p->name)
      return wrong("a machine parameter is");
    values.push_back(p->default_value);
  }
  return VORTEX_STATUS_OK;
}

/// Candidates that call a library ask the parameter of its name whether it is
/// there.
VortexStatus Code::openLibraries() {
  if (artifact->size < sizeof(VortexArtifactInfo))
    return VORTEX_STATUS_OK;
  for (int64_t i = 0; i < artifact->num_libraries; ++i) {
    const char *name = artifact->libraries[i];
    if (!name || std::strchr(name, '/'))
      return report(VORTEX_STATUS_INVALID_ARTIFACT,
                    "the libraries are described wrongly");
    std::string why;
    const VortexLibrary *library = findLibrary(name, why);
    // One name may be for both kinds of devices.
    if (library && (deviceCode ? !deviceLibrary(*library)
                               : !library->gemm_f32 && !library->gemm_f64)) {
      library = nullptr;
      why = deviceCode ? "it computes on CPUs alone"
                       : "it computes on GPUs alone";
    }
    libraryTable.push_back(library);
    if (!library)
      remarks += (remarks.empty() ? "" : "\n") +
                 ("library '" + std::string(name)) + "' is not used: " + why;
    else if (double *there = param("library." + std::string(name)))
      *there = 1;
  }
  return VORTEX_STATUS_OK;
}

int64_t Code::find(const char *name) const {
  auto position = std::lower_bound(
      byName.begin(), byName.end(), name, [this](int64_t i, const char *n) {
        return std::strcmp(functions[i].info().name, n) < 0;
      });
  if (position == byName.end() ||
      std::strcmp(functions[*position].info().name, name) != 0)
    return -1;
  return *position;
}

VortexStatus vortex::runtime::findFunction(const Code &code, const char *name,
                                           int64_t &index) {
  if (!name)
    return report(VORTEX_STATUS_INVALID_ARGUMENT, "null function name");
  if ((index = code.find(name)) >= 0)
    return VORTEX_STATUS_OK;
  std::string all;
  for (int64_t i = 0; i < code.numFunctions(); ++i)
    all += std::string(i ? ", " : "") + code.function(i).info().name;
  return report(VORTEX_STATUS_NOT_FOUND,
                "there is no function '%s'; there is: %s", name, all.c_str());
}

//===----------------------------------------------------------------------===//
// Machine parameters
//===----------------------------------------------------------------------===//

std::vector<double> Code::params() const {
  std::lock_guard<std::mutex> lock(const_cast<std::mutex &>(paramsMutex));
  return values;
}

double *Code::param(const std::string &name) {
  for (size_t i = 0; i < values.size(); ++i)
    if (name == at(artifact->params, int64_t(i))->name)
      return &values[i];
  return nullptr;
}

VortexStatus Code::loadParams(const char *path) {
  std::lock_guard<std::mutex> lock(paramsMutex);
  return readParams(path,
                    [this](const std::string &name) { return param(name); });
}

//===----------------------------------------------------------------------===//
// C API
//===----------------------------------------------------------------------===//

/// Loads the programs of an artifact that this processor can run. One that it
/// cannot is a remark, unless it is the only one.
static VortexStatus makeModule(const std::string &bytes, const char *path,
                               VortexModule **module) {
  const char *name = path ? path : "artifact in memory";
  std::vector<std::unique_ptr<VortexModule>> programs;
  std::string leftOut;
  VortexStatus first = VORTEX_STATUS_OK;
  auto load = [&](const std::string &bytes, const char *path) {
    auto made = std::make_unique<VortexModule>();
    VortexStatus status = Code::load(bytes, path, name, made->code);
    if (!status)
      programs.push_back(std::move(made));
    else if (status == VORTEX_STATUS_UNSUPPORTED)
      leftOut += (leftOut.empty() ? "" : "\n") + std::string(vortexLastError());
    return status;
  };
  if ((first = load(bytes, path)) && first != VORTEX_STATUS_UNSUPPORTED)
    return first;
  ElfImage elf(bytes.data(), bytes.size());
  ElfImage::Section section;
  for (int64_t i = 1;
       !elf.check() &&
       elf.find((VORTEX_PROGRAM_SECTION + std::to_string(i)).c_str(), section);
       ++i) {
    auto begin = reinterpret_cast<const char *>(elf.bytes(section.offset));
    VortexStatus status = load(std::string(begin, section.size), nullptr);
    if (status && status != VORTEX_STATUS_UNSUPPORTED)
      return status;
  }
  if (programs.empty())
    return report(first, "%s", leftOut.c_str());
  std::unique_ptr<VortexModule> made = std::move(programs.front());
  for (size_t i = 1; i < programs.size(); ++i)
    made->others.push_back(std::move(programs[i]));
  if (!leftOut.empty())
    made->code->remarks += (made->code->remarks.empty() ? "" : "\n") + leftOut;
  *module = made.release();
  return VORTEX_STATUS_OK;
}

extern "C" VortexStatus vortexModuleLoad(const char *path,
                                         VortexModule **module) {
  return guarded([&]() -> VortexStatus {
    if (!path || !module)
      return report(VORTEX_STATUS_INVALID_ARGUMENT, "null argument");
    *module = nullptr;
    std::string bytes;
    if (VortexStatus status = readFile(path, bytes))
      return status;
    return makeModule(bytes, path, module);
  });
}

extern "C" VortexStatus vortexModuleLoadFromMemory(const void *bytes,
                                                   size_t size,
                                                   VortexModule **module) {
  return guarded([&]() -> VortexStatus {
    if (!bytes || !module)
      return report(VORTEX_STATUS_INVALID_ARGUMENT, "null argument");
    *module = nullptr;
    return makeModule(std::string(static_cast<const char *>(bytes), size),
                      nullptr, module);
  });
}

extern "C" void vortexModuleUnload(VortexModule *module) { delete module; }

extern "C" const VortexArtifactInfo *
vortexModuleInfo(const VortexModule *module) {
  return module ? &module->code->info() : nullptr;
}

extern "C" const char *vortexModuleRemarks(const VortexModule *module) {
  return module ? module->code->remarks.c_str() : nullptr;
}

extern "C" VortexModule *vortexModuleProgram(VortexModule *module,
                                             int64_t index) {
  if (!module || index < 0 || index > int64_t(module->others.size()))
    return nullptr;
  return index ? module->others[size_t(index - 1)].get() : module;
}

template <typename T>
static const T *element(const T *array, int64_t count, int64_t index) {
  return index >= 0 && index < count ? at(array, index) : nullptr;
}

extern "C" const VortexFunctionInfo *
vortexModuleFunction(const VortexModule *module, int64_t index) {
  if (!module)
    return nullptr;
  const VortexArtifactInfo &info = module->code->info();
  return element(info.functions, info.num_functions, index);
}

extern "C" const VortexFunctionInfo *
vortexModuleFindFunction(const VortexModule *module, const char *name) {
  int64_t index = module && name ? module->code->find(name) : -1;
  return index < 0 ? nullptr : &module->code->function(index).info();
}

extern "C" const VortexValueInfo *
vortexFunctionArgument(const VortexFunctionInfo *function, int64_t index) {
  return function ? element(function->args, function->num_args, index)
                  : nullptr;
}

extern "C" const VortexValueInfo *
vortexFunctionResult(const VortexFunctionInfo *function, int64_t index) {
  return function ? element(function->results, function->num_results, index)
                  : nullptr;
}

extern "C" const VortexKernelInfo *
vortexModuleKernel(const VortexModule *module, int64_t index) {
  if (!module)
    return nullptr;
  const VortexArtifactInfo &info = module->code->info();
  return element(info.kernels, info.num_kernels, index);
}

extern "C" const VortexParamInfo *vortexModuleParam(const VortexModule *module,
                                                    int64_t index) {
  if (!module)
    return nullptr;
  const VortexArtifactInfo &info = module->code->info();
  return element(info.params, info.num_params, index);
}

static VortexStatus noParam(const char *name) {
  return report(VORTEX_STATUS_NOT_FOUND,
                "the artifact uses no machine parameter '%s'", name);
}

extern "C" VortexStatus vortexModuleGetParam(const VortexModule *module,
                                             const char *name, double *value) {
  return guarded([&]() -> VortexStatus {
    if (!module || !name || !value)
      return report(VORTEX_STATUS_INVALID_ARGUMENT, "null argument");
    Code &code = *module->code;
    std::lock_guard<std::mutex> lock(code.paramsMutex);
    double *p = code.param(name);
    if (!p)
      return noParam(name);
    *value = *p;
    return VORTEX_STATUS_OK;
  });
}

extern "C" VortexStatus vortexModuleSetParam(VortexModule *module,
                                             const char *name, double value) {
  return guarded([&]() -> VortexStatus {
    if (!module || !name)
      return report(VORTEX_STATUS_INVALID_ARGUMENT, "null argument");
    if (!vortex::isPossibleParam(name, value))
      return report(VORTEX_STATUS_INVALID_ARGUMENT,
                    "machine parameter '%s' cannot be %g: a number is finite, "
                    "at least 0, above it for bandwidths, rates and sizes, "
                    "whole for counts",
                    name, value);
    Code &code = *module->code;
    std::lock_guard<std::mutex> lock(code.paramsMutex);
    double *p = code.param(name);
    if (!p)
      return noParam(name);
    *p = value;
    return VORTEX_STATUS_OK;
  });
}

extern "C" VortexStatus vortexModuleLoadParams(VortexModule *module,
                                               const char *path) {
  return guarded([&]() -> VortexStatus {
    if (!module || !path)
      return report(VORTEX_STATUS_INVALID_ARGUMENT, "null argument");
    return module->code->loadParams(path);
  });
}
