//===- vortex-bench.cpp - Times programs against what users would pick ----===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "SpawnCompiler.h"

#include "vortex/Runtime/Tooling/ReplaceFile.h"

#include <new>
#include <stdexcept>

using namespace vortex;

static int run(int argc, char **argv) {
  bench::Options options;
  tools::CommandLine line = tools::benchCommandLine();
  if (std::optional<int> code =
          tools::parseBenchOptions(line, argc, argv, options))
    return *code;
  // Found out now rather than after measuring.
  if (std::string why =
          options.json.empty() ? "" : runtime::whyNotWritable(options.json);
      !why.empty()) {
    std::fprintf(stderr, "vortex-bench: error: %s\n", why.c_str());
    return tools::ExitFailed;
  }
  bool wrongTarget = false;
  options.compile = [&](const std::string &file, std::vector<std::string> flags,
                        std::string &artifact) {
    flags.push_back("--target=" + options.target);
    return tools::spawnCompiler(file, flags, artifact, wrongTarget);
  };
  bench::prepareEnvironment(options.threads, argv);
  bool usage = false;
  std::string error;
  try {
    error = bench::findKind(options.subject)
                ? bench::benchKind(options)
                : bench::benchProgram(options, usage);
  } catch (const std::bad_alloc &) {
    error = "out of memory";
  } catch (const std::length_error &) {
    error = "out of memory";
  }
  if (error.empty())
    return tools::ExitDone;
  if (usage)
    return line.usageError(error);
  std::fprintf(stderr, "vortex-bench: error: %s\n", error.c_str());
  return wrongTarget ? tools::ExitUsage : tools::ExitFailed;
}

int main(int argc, char **argv) {
  return tools::finish("vortex-bench", run(argc, argv));
}
