//===- Options.h - What vortex-run was asked to do --------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_TOOLS_VORTEX_RUN_OPTIONS_H
#define VORTEX_TOOLS_VORTEX_RUN_OPTIONS_H

#include "CommandLine.h"

#include "vortex-c/dlpack.h"
#include "vortex/Runtime/Tooling/Compare.h"

#include <string>
#include <utility>
#include <vector>

namespace vortex {
namespace tools {

/// Where the value of a --output or --expected-output belongs.
struct Place {
  bool isArgument; ///< argument `index` afterwards, else result `index`
  int64_t index;
  std::string text; ///< path or value specification
};

struct Options {
  std::string file;
  std::string function;
  std::string target = "host"; ///< for files that are compiled first
  std::string reference;       ///< an artifact to compare results with, or ""
  std::vector<std::string> inputs;
  std::vector<Place> outputs, expected;
  std::vector<std::pair<std::string, std::string>> forced;
  runtime::Tolerance tolerance;
  int64_t threads = 0;
  int64_t repeat = 0;
  DLDevice device = {kDLCPU, 0};
  bool explain = false, list = false, everyCandidate = false;
};

/// Reads the command line; an exit code when the tool is to end here.
std::optional<int> parseOptions(int argc, char **argv, Options &options);

/// Prints a usage error and returns the exit code for it.
int usageError(const std::string &message);

/// Prints a failure of the work and returns the exit code for it.
int failure(const std::string &message);

/// Loads the artifact and does what was asked; returns the exit code.
int runArtifact(const Options &options, const std::string &artifact);

} // namespace tools
} // namespace vortex

#endif // VORTEX_TOOLS_VORTEX_RUN_OPTIONS_H
