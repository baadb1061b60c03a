//===- FunctionCall.h - A function with its arguments -----------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_TOOLS_VORTEX_RUN_FUNCTIONCALL_H
#define VORTEX_TOOLS_VORTEX_RUN_FUNCTIONCALL_H

#include "DeviceTensors.h"
#include "Options.h"

#include "vortex/Runtime/Runtime.h"
#include "vortex/Runtime/Tooling/HostTensor.h"

#include <optional>
#include <vector>

namespace vortex {
namespace tools {

/// One function of a loaded artifact with the arguments that the options name,
/// on the device that they name. Member functions return exit codes, and have
/// said what is wrong when it is not `ExitDone`.
class FunctionCall {
public:
  explicit FunctionCall(const Options &options) : options(options) {}

  /// Finds the function, reads the arguments, binds weights.
  int prepare(const runtime::Module &module);
  /// Gives memrefs, which calls write to, the elements that were given. Only
  /// where the options ask for more than one call, or for a reference.
  int renew();
  /// Writes what no call gives over the results of the last.
  int spoil();
  /// Calls and waits; says nothing of what goes wrong (vortexLastError does).
  VortexStatus call();
  /// Results, and memrefs of a device, to the host.
  int readBack();

  /// Whether the last call, of which choices are recorded, came to `kernel`.
  bool reached(const std::string &kernel);

  const VortexFunctionInfo &info() const { return *function; }
  /// Host memory of a result or an argument, as `readBack` left it.
  runtime::HostTensor &at(const Place &place) {
    return place.isArgument ? inputs[place.index] : values[place.index];
  }

  const Options &options;
  runtime::Instance instance;
  runtime::Context context;
  std::vector<runtime::HostTensor> inputs;
  std::vector<runtime::HostTensor> given;  ///< inputs before any call, or none
  std::vector<runtime::HostTensor> values; ///< of results
  std::vector<const DLTensor *> args;      ///< without weights

private:
  int pick(const runtime::Module &module);

  const VortexFunctionInfo *function = nullptr;
  std::optional<DeviceTensors> device;
  std::vector<DLTensor> views;
  std::vector<runtime::OwnedTensor> results;
};

/// Prints what the run time said last and returns the exit code for it.
int lastFailure();

/// Reads a value whose element type is known.
int readSpec(const std::string &text, VortexDType want,
             runtime::HostTensor &tensor);

} // namespace tools
} // namespace vortex

#endif // VORTEX_TOOLS_VORTEX_RUN_FUNCTIONCALL_H
