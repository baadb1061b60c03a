//===- Float8.h - Floats of eight bits in device code -----------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM has no floats of eight bits: in memory they are bytes, in registers what
// they are widened to.
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_CONVERSION_VORTEXTOGPU_FLOAT8_H
#define VORTEX_CONVERSION_VORTEXTOGPU_FLOAT8_H

#include "vortex/Conversion/Float8.h"
#include "vortex/Dialect/Vortex/IR/MatrixForm.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"

namespace vortex {

/// What an element of `type` is in memory: a type that LLVM has.
inline mlir::Type getMemoryType(mlir::Type type) {
  return isFloat8(type) ? mlir::IntegerType::get(type.getContext(), 8) : type;
}

/// Loads an element of `type`.
mlir::Value loadElement(mlir::ImplicitLocOpBuilder &b, mlir::Type type,
                        mlir::Value pointer);
/// Stores an element.
void storeElement(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
                  mlir::Value pointer);

/// An element that many products read is widened once: merges what is computed
/// alike in `function`, if it has floats of eight bits.
void shareFloat8(mlir::Operation *function);

} // namespace vortex

#endif // VORTEX_CONVERSION_VORTEXTOGPU_FLOAT8_H
