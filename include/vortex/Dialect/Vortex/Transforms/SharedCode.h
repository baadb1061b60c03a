//===- SharedCode.h - Kernels that share code or must not -------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_DIALECT_VORTEX_TRANSFORMS_SHAREDCODE_H
#define VORTEX_DIALECT_VORTEX_TRANSFORMS_SHAREDCODE_H

namespace vortex {

/// Unit attribute of a kernel's module: it takes extents when it runs that its
/// kernels know.
constexpr const char *kGeneralAttr = "vortex.general";

/// Attribute of a program: "KERNEL=CANDIDATE" of those that have code of their
/// own, as what they would share spills.
constexpr const char *kOwnCodeAttr = "vortex.own_code";

} // namespace vortex

#endif // VORTEX_DIALECT_VORTEX_TRANSFORMS_SHAREDCODE_H
