//===- LibraryTargets.h - Which libraries are for which targets -*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_TRANSFORMS_LIBRARYTARGETS_H
#define VORTEX_TRANSFORMS_LIBRARYTARGETS_H

#include "vortex/Dialect/Vortex/IR/VortexDialect.h"

#include <string>

namespace vortex {

/// Why products of a program for `target` (null: this machine's CPU) call no
/// library `name`: "is for CPUs"; empty where they may. Of libraries that are
/// not known here, somebody's own, the run time finds out.
std::string whyNoLibraryOn(llvm::StringRef name, HwAttr target);

/// The libraries that Vortex has calls for: those for CPUs, then those for
/// NVIDIA's GPUs.
llvm::ArrayRef<llvm::StringRef> getKnownLibraries();

} // namespace vortex

#endif // VORTEX_TRANSFORMS_LIBRARYTARGETS_H
