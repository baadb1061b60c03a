//===- ValueSpec.h - Values on the command line -----------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_RUNTIME_TOOLING_VALUESPEC_H
#define VORTEX_RUNTIME_TOOLING_VALUESPEC_H

#include "vortex/Runtime/Tooling/HostTensor.h"

namespace vortex {
namespace runtime {

enum class SpecOutcome {
  Ok,
  Malformed, ///< the text is not a specification: a usage error
  Failed     ///< a file cannot be read or holds something else
};

/// Makes the tensor that a specification means:
///
///   4x768xf32=@x.npy      a file that must have this shape
///   @x.npy                a file
///   2x3xf32=1 2 3 4 5 6   elements in row-major order, by blanks or commas
///   2x3xf32=0             one value for all elements
///   i64=3                 rank 0, a scalar
///   0x5xf32=              no elements
///
/// Elements may be quoted as a whole. Numbers are decimal or 0x..., nan, inf,
/// true, false; complex ones (re,im). `want` (may be null) is the element type
/// that the signature asks for: it settles what the bits in a file mean, and
/// `i64=` may stand for index.
SpecOutcome parseValueSpec(const std::string &text, const VortexDType *want,
                           HostTensor &tensor, std::string &error);

} // namespace runtime
} // namespace vortex

#endif // VORTEX_RUNTIME_TOOLING_VALUESPEC_H
