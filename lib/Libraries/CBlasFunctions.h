//===- CBlasFunctions.h - The C interface of BLAS ---------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_LIB_LIBRARIES_CBLASFUNCTIONS_H
#define VORTEX_LIB_LIBRARIES_CBLASFUNCTIONS_H

#include "OpenLibrary.h"

#include <sstream>

namespace vortex {
namespace libraries {

/// Values of the interface's enumerations.
enum CBlasEnum { CblasRowMajor = 101, CblasNoTrans = 111, CblasTrans = 112 };

template <typename T>
using CBlasGemm = void (*)(int, int, int, int, int, int, T, const T *, int,
                           const T *, int, T, T *, int);

/// What any library with this interface has.
struct CBlas {
  CBlasGemm<float> sgemm = nullptr;
  CBlasGemm<double> dgemm = nullptr;

  /// `prefix` comes before the names of BLAS. False when they are not there.
  bool load(void *library, const std::string &prefix, std::string &reason) {
    sgemm = symbol<CBlasGemm<float>>(library, prefix + "cblas_sgemm");
    dgemm = symbol<CBlasGemm<double>>(library, prefix + "cblas_dgemm");
    if (!sgemm || !dgemm)
      reason = "it has no " + prefix + "cblas_sgemm";
    return sgemm && dgemm;
  }
};

/// OpenBLAS, as a distribution or SciPy's packages have it. Its number of
/// threads is one of the whole process.
struct OpenBlas : CBlas {
  const char *(*config)() = nullptr, *(*core)() = nullptr;
  void (*setThreads)(int) = nullptr;

  bool open(const std::string &folders, std::string &reason) {
    void *library = openLibrary(
        folders, {"libopenblas.so.0", "libscipy_openblas.so"}, reason);
    for (const char *prefix : {"", "scipy_"}) {
      if (!library || !load(library, prefix, reason))
        continue;
      const std::string name = std::string(prefix) + "openblas_";
      config = symbol<const char *(*)()>(library, name + "get_config");
      core = symbol<const char *(*)()>(library, name + "get_corename");
      setThreads = symbol<void (*)(int)>(library, name + "set_num_threads");
      return true;
    }
    return false;
  }
  /// The configuration starts with "OpenBLAS VERSION".
  std::string version() const {
    std::istringstream words(config ? config() : "");
    std::string name, version;
    words >> name >> version;
    return core ? version + " (" + core() + ")" : version;
  }
};

} // namespace libraries
} // namespace vortex

#endif // VORTEX_LIB_LIBRARIES_CBLASFUNCTIONS_H
