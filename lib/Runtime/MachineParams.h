//===- MachineParams.h - Files of machine parameters ------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_LIB_RUNTIME_MACHINEPARAMS_H
#define VORTEX_LIB_RUNTIME_MACHINEPARAMS_H

#include "Status.h"

#include <functional>

namespace vortex {
namespace runtime {

/// Reads a whole file. NOT_FOUND when it cannot be opened.
VortexStatus readFile(const char *path, std::string &bytes);

/// Sets the parameters that the JSON object at `path` has numbers for; those in
/// nested objects have dotted names. `find` gives the place of a name, null for
/// one that is not used. On failure none is set: INVALID_ARGUMENT for a value
/// that is no finite number of at least 0 (above it for bandwidths and rates of
/// the machine), UNSUPPORTED when the file says
/// (`_machine.signature`) that they were measured on another kind of machine.
VortexStatus
readParams(const char *path,
           const std::function<double *(const std::string &)> &find);

/// The probe's file for this machine and whether it must exist; "" for none.
std::string machineParamsPath(bool &mustExist);

} // namespace runtime
} // namespace vortex

#endif // VORTEX_LIB_RUNTIME_MACHINEPARAMS_H
