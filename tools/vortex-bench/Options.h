//===- Options.h - What vortex-bench was asked to do ------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_TOOLS_VORTEX_BENCH_OPTIONS_H
#define VORTEX_TOOLS_VORTEX_BENCH_OPTIONS_H

#include "CommandLine.h"

#include "vortex/Bench/Bench.h"

namespace vortex {
namespace tools {

CommandLine benchCommandLine();

/// Reads the command line; an exit code when the tool is to end here.
std::optional<int> parseBenchOptions(CommandLine &line, int argc, char **argv,
                                     bench::Options &options);

} // namespace tools
} // namespace vortex

#endif // VORTEX_TOOLS_VORTEX_BENCH_OPTIONS_H
