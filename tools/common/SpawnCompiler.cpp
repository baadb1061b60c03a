//===- SpawnCompiler.cpp - vortex-compile as a child process --------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SpawnCompiler.h"

#include "CommandLine.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

extern char **environ;

using namespace vortex::tools;

std::string vortex::tools::spawnCompiler(const std::string &file,
                                         const std::vector<std::string> &flags,
                                         std::string &artifact, bool &usage) {
  usage = false;
  char self[4096];
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  if (length < 0)
    return "cannot find this tool's own folder";
  std::string compiler(self, size_t(length));
  compiler.resize(compiler.rfind('/') + 1);
  compiler += "vortex-compile";
  if (access(compiler.c_str(), X_OK) != 0)
    return "cannot compile " + file + ": there is no " + compiler;

  const char *folder = std::getenv("TMPDIR");
  artifact =
      std::string(folder && *folder ? folder : "/tmp") + "/vortex-XXXXXX.so";
  int descriptor = mkstemps(&artifact[0], 3);
  if (descriptor < 0)
    return artifact + ": " + std::strerror(errno);
  close(descriptor);

  std::vector<char *> args;
  for (const char *s : {compiler.c_str(), file.c_str()})
    args.push_back(const_cast<char *>(s));
  for (const std::string &flag : flags)
    args.push_back(const_cast<char *>(flag.c_str()));
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
    return "";
  unlink(artifact.c_str());
  if (error)
    return compiler + ": " + std::strerror(error);
  usage = WIFEXITED(status) && WEXITSTATUS(status) == ExitUsage;
  return file + " was not compiled";
}
