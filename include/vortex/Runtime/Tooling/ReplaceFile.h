//===- ReplaceFile.h - Writing files as a whole -----------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_RUNTIME_TOOLING_REPLACEFILE_H
#define VORTEX_RUNTIME_TOOLING_REPLACEFILE_H

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace vortex {
namespace runtime {

/// A file that is to be at `path` as a whole or not at all: it is written
/// beside it and then renamed. What is not a regular file (a pipe, a terminal)
/// is written in place.
class FileReplacement {
public:
  explicit FileReplacement(std::string path) : path(std::move(path)) {
    struct stat now;
    isInPlace = stat(this->path.c_str(), &now) == 0 && !S_ISREG(now.st_mode);
  }
  FileReplacement(FileReplacement &&other)
      : path(std::move(other.path)), beside(std::move(other.beside)),
        isInPlace(other.isInPlace) {
    other.beside.clear();
  }
  /// What was not put in place is gone.
  ~FileReplacement() {
    if (!beside.empty())
      std::remove(beside.c_str());
  }

  bool inPlace() const { return isInPlace; }

  /// Writes by `write(FILE *)`, which says whether it could. Returns "" or why
  /// not.
  template <typename Write>
  std::string write(Write write) {
    // Two files of a program may be meant for one place.
    static std::atomic<unsigned> count{0};
    if (!isInPlace)
      beside = path + "." + std::to_string(getpid()) + "." +
               std::to_string(count++) + ".tmp";
    std::FILE *file = std::fopen((isInPlace ? path : beside).c_str(), "wb");
    if (!file) {
      std::string why = problem();
      beside.clear();
      return why;
    }
    errno = 0;
    bool written = write(file);
    // The last bytes are only known to be written when the file is closed.
    int error = errno;
    if (std::fclose(file) != 0)
      written = false;
    else
      errno = error;
    return written ? "" : problem();
  }

  /// Puts what was written at the path. Returns "" or why not.
  std::string commit() {
    if (isInPlace)
      return "";
    if (std::rename(beside.c_str(), path.c_str()) != 0)
      return problem();
    beside.clear();
    return "";
  }

private:
  std::string problem() const { return path + ": " + std::strerror(errno); }

  std::string path;
  std::string beside; ///< "" when there is no such file
  bool isInPlace;
};

/// Writes the file at `path` by `write(FILE *)`, which says whether it could. A
/// reader sees the old file or the new one, and after a failure the old one.
/// Returns "" or why not.
template <typename Write>
std::string replaceFile(const std::string &path, Write write) {
  FileReplacement file(path);
  std::string why = file.write(write);
  return why.empty() ? file.commit() : why;
}

/// Why writeText() could not write there, found out without writing; "" when
/// nothing is in the way.
inline std::string whyNotWritable(const std::string &path) {
  size_t slash = path.rfind('/');
  std::string folder = slash == std::string::npos ? "."
                       : slash == 0               ? "/"
                                                  : path.substr(0, slash);
  struct stat file;
  if (stat(path.c_str(), &file) == 0) {
    if (S_ISDIR(file.st_mode))
      return "cannot write " + path + ": " + std::strerror(EISDIR);
    if (!S_ISREG(file.st_mode)) // a device or a pipe is written in place
      folder = path;
  }
  if (access(folder.c_str(), W_OK) != 0)
    return "cannot write " + path + ": " + std::strerror(errno);
  return "";
}

/// The same for a text. Returns "" or "cannot write PATH: why".
inline std::string writeText(const std::string &path, std::string_view text) {
  std::string why = replaceFile(path, [&](std::FILE *file) {
    return std::fwrite(text.data(), 1, text.size(), file) == text.size();
  });
  return why.empty() ? "" : "cannot write " + why;
}

} // namespace runtime
} // namespace vortex

#endif // VORTEX_RUNTIME_TOOLING_REPLACEFILE_H
