//===- WithoutCode.h - Candidates that nothing emits ------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_TRANSFORMS_WITHOUTCODE_H
#define VORTEX_TRANSFORMS_WITHOUTCODE_H

#include "llvm/ADT/StringRef.h"

namespace vortex {

/// Module attribute: a dictionary from "KERNEL=CANDIDATE" to the reason (a
/// string) why there is no code for it; `vortex-drop-spilling` leaves these
/// out.
inline constexpr llvm::StringLiteral kWithoutCodeAttr = "vortex.without_code";

} // namespace vortex

#endif // VORTEX_TRANSFORMS_WITHOUTCODE_H
