//===- Link.h - Objects to a shared object ----------------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_LIB_COMPILER_LINK_H
#define VORTEX_LIB_COMPILER_LINK_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

#include <string>

namespace vortex {

using ObjectCode = llvm::SmallVector<char, 0>;

/// Links `objects` into a shared object that needs libc and libm alone, writes
/// its checksum into the metadata section and moves it to `outputPath`. `empty`
/// is an object file without symbols. Nothing is left behind on failure.
llvm::Error linkArtifact(llvm::ArrayRef<ObjectCode> objects,
                         const ObjectCode &empty, llvm::StringRef outputPath);

} // namespace vortex

#endif // VORTEX_LIB_COMPILER_LINK_H
