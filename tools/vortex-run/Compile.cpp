//===- Compile.cpp - Compiling what is to run -----------------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include <cerrno>
#include <cstring>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

using namespace vortex::tools;

int vortex::tools::compileInput(const Options &options, std::string &artifact) {
  char self[4096];
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  if (length < 0)
    return failure("cannot find this tool's own folder");
  std::string compiler(self, size_t(length));
  compiler.resize(compiler.rfind('/') + 1);
  compiler += "vortex-compile";
  if (access(compiler.c_str(), X_OK) != 0)
    return failure("cannot compile " + options.file + ": there is no " +
                   compiler);

  const char *folder = std::getenv("TMPDIR");
  artifact = std::string(folder && *folder ? folder : "/tmp") +
             "/vortex-run-XXXXXX.so";
  int file = mkstemps(&artifact[0], 3);
  if (file < 0)
    return failure(artifact + ": " + std::strerror(errno));
  close(file);

  std::string target = "--target=" + options.target;
  std::vector<char *> args;
  for (const char *s : {compiler.c_str(), options.file.c_str(), target.c_str()})
    args.push_back(const_cast<char *>(s));
  char output[] = "-o";
  args.push_back(output);
  args.push_back(&artifact[0]);
  args.push_back(nullptr);
  pid_t child;
  int error = posix_spawn(&child, compiler.c_str(), nullptr, nullptr,
                          args.data(), environ);
  int status = 0;
  while (!error && waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      error = errno;
  if (!error && WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return ExitDone;
  unlink(artifact.c_str());
  if (error)
    return failure(compiler + ": " + std::strerror(error));
  return failure(options.file + " was not compiled");
}
