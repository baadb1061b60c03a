//===- RelationEmitter.h - Relations between sizes become ops ---*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_DIALECT_VORTEX_ANALYSIS_RELATIONEMITTER_H
#define VORTEX_DIALECT_VORTEX_ANALYSIS_RELATIONEMITTER_H

#include "mlir/IR/Builders.h"

#include <string>

namespace vortex {

/// Emits `text`, a comparison of sums of products of named sizes in the
/// notation of `vortex.where`, as index arithmetic at the insertion point:
/// `+ - * // floordiv ceildiv % mod min(,) max(,)` and one of
/// `== != <= >= < >`. `size` gives the value of a name, or null.
/// `divisor` is called with each divisor that is not a constant, before the
/// division. Gives the comparison (i1), or null with `error` set.
mlir::Value emitRelation(mlir::OpBuilder &b, mlir::Location loc,
                         llvm::StringRef text,
                         llvm::function_ref<mlir::Value(llvm::StringRef)> size,
                         llvm::function_ref<void(mlir::Value)> divisor,
                         std::string &error);

} // namespace vortex

#endif // VORTEX_DIALECT_VORTEX_ANALYSIS_RELATIONEMITTER_H
