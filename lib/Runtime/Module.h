//===- Module.h - Loaded code -----------------------------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_LIB_RUNTIME_MODULE_H
#define VORTEX_LIB_RUNTIME_MODULE_H

#include "Library.h"
#include "Signature.h"
#include "Status.h"

#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace vortex {
namespace runtime {

/// The code of an artifact, unmapped with the last reference.
class Code {
public:
  /// Maps `path`, or without one a copy of `bytes`; `name` is for messages.
  static VortexStatus load(const std::string &bytes, const char *path,
                           const char *name, std::shared_ptr<Code> &code);
  ~Code();

  const VortexArtifactInfo &info() const { return *artifact; }
  /// Null when all code is the CPU's.
  const VortexDeviceInfo *device() const { return deviceCode; }
  int64_t numFunctions() const { return int64_t(functions.size()); }
  const Signature &function(int64_t i) const { return functions[i]; }
  const VortexKernelInfo &kernel(int64_t i) const {
    return *at(artifact->kernels, i);
  }
  /// Negative when there is no function of that name.
  int64_t find(const char *name) const;

  std::vector<double> params() const;
  /// Null when the artifact does not use that name. Hold `paramsMutex`.
  double *param(const std::string &name);
  VortexStatus loadParams(const char *path);
  std::mutex paramsMutex;
  /// Those that code may call, by position; null for one that is not there.
  const std::vector<const VortexLibrary *> &libraries() const {
    return libraryTable;
  }
  /// What loading left aside, for vortexModuleRemarks.
  std::string remarks;

private:
  VortexStatus validate();
  VortexStatus openLibraries();

  void *handle = nullptr;
  std::string mapped; ///< path of a module mapped from its file
  int memory = -1;    ///< file descriptor of a module loaded from memory
  const VortexArtifactInfo *artifact = nullptr;
  const VortexDeviceInfo *deviceCode = nullptr;
  std::vector<Signature> functions;
  std::vector<int64_t> byName;
  std::vector<double> values;
  std::vector<const VortexLibrary *> libraryTable;
};

/// Finds .vortex.meta in the bytes of a file and checks that the file is a
/// whole artifact; `name` is for messages.
VortexStatus readMetadata(const std::string &bytes, const char *name,
                          std::string &json);

/// The function of that name or a message listing what there is.
VortexStatus findFunction(const Code &code, const char *name, int64_t &index);

} // namespace runtime
} // namespace vortex

struct VortexModule {
  std::shared_ptr<vortex::runtime::Code> code;
  /// The artifact's other programs that can run here.
  std::vector<std::unique_ptr<VortexModule>> others;
};

#endif // VORTEX_LIB_RUNTIME_MODULE_H
