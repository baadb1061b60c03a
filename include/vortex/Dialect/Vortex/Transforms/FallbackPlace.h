//===- FallbackPlace.h - Which code runs where no candidate may -*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The payload of a kernel beside its candidates is ordinary ops, which become
// buffers and loops like any others. Their location remembers the kernel, as
// that alone goes along.
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_DIALECT_VORTEX_TRANSFORMS_FALLBACKPLACE_H
#define VORTEX_DIALECT_VORTEX_TRANSFORMS_FALLBACKPLACE_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"

namespace vortex {

inline constexpr llvm::StringLiteral kFallbackOf = "vortex.fallback_of";

/// `loc` of an op of the payload of `kernel` that runs only where no candidate
/// of the kernel may.
inline mlir::Location getFallbackPlace(mlir::Location loc,
                                       mlir::StringAttr kernel) {
  mlir::NamedAttribute entry(
      mlir::StringAttr::get(loc.getContext(), kFallbackOf), kernel);
  return mlir::FusedLoc::get(
      loc.getContext(), {loc},
      mlir::DictionaryAttr::get(loc.getContext(), {entry}));
}

/// The kernel of such a place; empty for others.
inline llvm::StringRef getFallbackKernel(mlir::Location loc) {
  llvm::StringRef kernel;
  loc->walk([&](mlir::Location inner) {
    auto fused = mlir::dyn_cast<mlir::FusedLoc>(inner);
    auto entries = fused ? mlir::dyn_cast_if_present<mlir::DictionaryAttr>(
                               fused.getMetadata())
                         : mlir::DictionaryAttr();
    if (!entries)
      return mlir::WalkResult::advance();
    if (auto name = entries.getAs<mlir::StringAttr>(kFallbackOf))
      kernel = name.getValue();
    return kernel.empty() ? mlir::WalkResult::advance()
                          : mlir::WalkResult::interrupt();
  });
  return kernel;
}

} // namespace vortex

#endif // VORTEX_DIALECT_VORTEX_TRANSFORMS_FALLBACKPLACE_H
