//===- OpenBlas.cpp - OpenBLAS for artifacts -===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CBlasTable.h"

using namespace vortex::libraries;

static OpenBlas blas;

namespace {
/// Set once, for the whole process.
struct Single {};
} // namespace

VORTEX_LIBRARY_EXPORT {
  std::string reason;
  if (abi != VORTEX_LIBRARY_ABI)
    return refuse("it was made for another run time", why, bytes);
  if (!blas.open(folders, reason))
    return refuse(reason, why, bytes);
  if (blas.setThreads)
    blas.setThreads(1);
  static const std::string version = "OpenBLAS " + blas.version();
  static const VortexLibrary table = makeTable<Single, blas>(version.c_str());
  return &table;
}
