//===- Mkl.cpp - oneMKL for artifacts -===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CBlasTable.h"

using namespace vortex::libraries;

static CBlas blas;
static int (*setThreadsHere)(int);

namespace {
/// One thread for the calling one, which keeps its own number otherwise.
struct Single {
  Single() : before(setThreadsHere ? setThreadsHere(1) : 0) {}
  ~Single() {
    if (setThreadsHere)
      setThreadsHere(before);
  }
  int before;
};
} // namespace

VORTEX_LIBRARY_EXPORT {
  std::string reason;
  if (abi != VORTEX_LIBRARY_ABI)
    return refuse("it was made for another run time", why, bytes);
  void *library =
      openLibrary(folders, {"libmkl_rt.so.3", "libmkl_rt.so.2"}, reason);
  if (!library || !blas.load(library, "", reason))
    return refuse(reason, why, bytes);
  setThreadsHere = symbol<int (*)(int)>(library, "MKL_Set_Num_Threads_Local");
  static char version[256] = "oneMKL";
  if (auto ask =
          symbol<void (*)(char *, int)>(library, "MKL_Get_Version_String"))
    ask(version, sizeof version - 1);
  static const VortexLibrary table = makeTable<Single, blas>(version);
  return &table;
}
