//===- FlatMemory.h - Rows of a buffer as one run of memory -----*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_DIALECT_VORTEX_IR_FLATMEMORY_H
#define VORTEX_DIALECT_VORTEX_IR_FLATMEMORY_H

#include "mlir/IR/Builders.h"

namespace vortex {

/// What a buffer holds, in the order of memory.
struct FlatMemory {
  mlir::Value memory;    ///< memref of one dimension, from the first element on
  mlir::Value rowStride; ///< elements from one row to the next (index)
};

/// `buffer`, whose innermost dimension has unit stride, over the ends of its
/// rows, which dimension `rowDim` walks, counted from the end. The extent of
/// the result is not known: what lies behind the last element is not to be
/// touched.
FlatMemory flattenMemory(mlir::OpBuilder &b, mlir::Location loc,
                         mlir::Value buffer, int64_t rowDim);

} // namespace vortex

#endif // VORTEX_DIALECT_VORTEX_IR_FLATMEMORY_H
