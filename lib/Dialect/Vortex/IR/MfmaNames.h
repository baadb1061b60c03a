//===- MfmaNames.h - Names of AMD's matrix instructions ---------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_LIB_DIALECT_VORTEX_IR_MFMANAMES_H
#define VORTEX_LIB_DIALECT_VORTEX_IR_MFMANAMES_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace vortex::hw {

/// What the name of an `mfma` says, that of its ROCDL op with `_` for its dots:
/// types as LLVM calls them (`xf32`, `bf8`), and the shape.
struct MfmaName {
  std::string acc, a, b;
  int64_t shape[3];
};

/// Nothing when `name` has another form.
std::optional<MfmaName> parseMfmaName(llvm::StringRef name);

/// The first of `names` that LLVM has no code for on processor `cpu`. None
/// where this LLVM does not know the processor.
std::optional<size_t> findMissingMfma(llvm::StringRef triple,
                                      llvm::StringRef cpu,
                                      llvm::ArrayRef<llvm::StringRef> names);

/// All names that it has code for there, in LLVM's order.
llvm::SmallVector<std::string> listMfmaNames(llvm::StringRef triple,
                                             llvm::StringRef cpu);

} // namespace vortex::hw

#endif // VORTEX_LIB_DIALECT_VORTEX_IR_MFMANAMES_H
