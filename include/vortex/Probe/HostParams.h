//===- HostParams.h - Measured numbers of this machine -------- -*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The file that vortex-probe writes and that the compiler (`--target=host`) and
// the run-time library read. No LLVM in here.
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_PROBE_HOSTPARAMS_H
#define VORTEX_PROBE_HOSTPARAMS_H

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <map>
#include <string>

namespace vortex {

/// Numbers by `level.field`, `kind.type.rate` or `kind.type.latency`, in the
/// units of #vortex.hw.
struct HostParams {
  std::map<std::string, double> numbers;
  /// Relative spread of a measured number: (third - first quartile) / median.
  std::map<std::string, double> spread;
  /// Words about the machine; `signature` is getMachineSignature's.
  std::map<std::string, std::string> machine;
};

/// Whether a machine can have that number: none is below zero, what is divided
/// by is above it, what counts is whole. Libraries that were not measured have
/// zeros. Names may be of a later version.
inline bool isPossibleParam(const std::string &name, double value) {
  if (!std::isfinite(value) || value < 0)
    return false;
  std::string field = name.substr(name.rfind('.') + 1);
  auto is = [&](std::initializer_list<const char *> fields) {
    return std::find(fields.begin(), fields.end(), field) != fields.end();
  };
  if (is({"units", "ways", "streams"}))
    return value >= 1 && value == std::floor(value);
  return value > 0 || name.rfind("library.", 0) == 0 ||
         !is({"bandwidth", "stream", "rate", "capacity"});
}

/// Where the numbers of this machine are kept: $VORTEX_MACHINE_PARAMS (a file,
/// or `none`), else `vortex/host.json` in $XDG_CACHE_HOME or in ~/.cache. Empty
/// when there is no such place.
std::string getHostParamsPath();

/// The file's text: one JSON object, the numbers flat, `_spread` and
/// `_machine` as objects inside.
std::string printHostParams(const HostParams &params);

/// Parses such a text. False and a message with the line when it is malformed.
bool parseHostParams(const std::string &text, HostParams &params,
                     std::string &error);

enum class ReadResult { Done, NoFile, Malformed };
/// Reads a file; `error` names the file and the line when it is malformed.
ReadResult readHostParams(const std::string &path, HostParams &params,
                          std::string &error);

} // namespace vortex

#endif // VORTEX_PROBE_HOSTPARAMS_H
