//===- ReplaceFile.h - Writing files as a whole -----------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_RUNTIME_TOOLING_REPLACEFILE_H
#define VORTEX_RUNTIME_TOOLING_REPLACEFILE_H

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace vortex {
namespace runtime {

/// Writes the file at `path` by `write(FILE *)`, which says whether it could. A
/// reader sees the old file or the new one, and after a failure the old one:
/// the text goes to a file beside it that is renamed. What is not a regular
/// file (a pipe, a terminal) is written in place. Returns "" or why not.
template <typename Write>
std::string replaceFile(const std::string &path, Write write) {
  struct stat now;
  bool inPlace = stat(path.c_str(), &now) == 0 && !S_ISREG(now.st_mode);
  std::string name =
      inPlace ? path : path + "." + std::to_string(getpid()) + ".tmp";
  auto fail = [&] {
    std::string why = path + ": " + std::strerror(errno);
    if (!inPlace)
      std::remove(name.c_str());
    return why;
  };
  std::FILE *file = std::fopen(name.c_str(), "wb");
  if (!file)
    return fail();
  errno = 0;
  bool written = write(file);
  // The last bytes are only known to be written when the file is closed.
  int error = errno;
  if (std::fclose(file) != 0)
    written = false;
  else
    errno = error;
  if (!written || (!inPlace && std::rename(name.c_str(), path.c_str()) != 0))
    return fail();
  return "";
}

} // namespace runtime
} // namespace vortex

#endif // VORTEX_RUNTIME_TOOLING_REPLACEFILE_H
