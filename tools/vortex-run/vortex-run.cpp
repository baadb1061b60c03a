//===- vortex-run.cpp - Runs a function of an artifact --------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "SpawnCompiler.h"

#include <new>
#include <stdexcept>
#include <unistd.h>

using namespace vortex::tools;

static bool endsWith(const std::string &text, const std::string &end) {
  return text.size() >= end.size() &&
         text.compare(text.size() - end.size(), end.size(), end) == 0;
}

namespace {
/// An artifact made for this run; gone however the run ends.
struct Temporary {
  std::string path;
  ~Temporary() {
    if (!path.empty())
      unlink(path.c_str());
  }
};
} // namespace

static int run(int argc, char **argv) {
  Options options;
  if (std::optional<int> code = parseOptions(argc, argv, options))
    return *code;
  if (!endsWith(options.file, ".mlir") && !endsWith(options.file, ".mlirbc"))
    return runArtifact(options, options.file);
  Temporary artifact;
  bool usage;
  std::string error = spawnCompiler(
      options.file, {"--target=" + options.target}, artifact.path, usage);
  if (!error.empty()) {
    int code = failure(error);
    return usage ? ExitUsage : code;
  }
  return runArtifact(options, artifact.path);
}

int main(int argc, char **argv) {
  try {
    return finish("vortex-run", run(argc, argv));
  } catch (const std::bad_alloc &) {
    return failure("out of memory");
  } catch (const std::length_error &) {
    return failure("out of memory");
  }
}
