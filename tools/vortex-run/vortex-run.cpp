//===- vortex-run.cpp - Runs a function of an artifact --------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "SpawnCompiler.h"

#include <unistd.h>

using namespace vortex::tools;

static bool endsWith(const std::string &text, const std::string &end) {
  return text.size() >= end.size() &&
         text.compare(text.size() - end.size(), end.size(), end) == 0;
}

int main(int argc, char **argv) {
  Options options;
  if (std::optional<int> code = parseOptions(argc, argv, options))
    return *code;
  if (options.device != "cpu")
    return failure("--device=" + options.device +
                   ": this build runs on the CPU only");
  if (!endsWith(options.file, ".mlir") && !endsWith(options.file, ".mlirbc"))
    return runArtifact(options, options.file);
  std::string artifact;
  if (std::string error = spawnCompiler(options.file, options.target, artifact);
      !error.empty())
    return failure(error);
  int code = runArtifact(options, artifact);
  unlink(artifact.c_str());
  return code;
}
