//===- FlatMemory.cpp - Rows of a buffer as one run of memory -------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Dialect/Vortex/IR/FlatMemory.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace vortex;

FlatMemory vortex::flattenMemory(OpBuilder &b, Location loc, Value buffer,
                                 int64_t rowDim) {
  auto metadata = memref::ExtractStridedMetadataOp::create(b, loc, buffer);
  auto type = cast<MemRefType>(buffer.getType());
  Value rowStride = getValueOrCreateConstantIndexOp(
      b, loc, metadata.getConstifiedMixedStrides()[type.getRank() - rowDim]);
  auto layout = StridedLayoutAttr::get(b.getContext(), ShapedType::kDynamic,
                                       ArrayRef<int64_t>{1});
  auto flat = MemRefType::get({ShapedType::kDynamic}, type.getElementType(),
                              layout, type.getMemorySpace());
  OpFoldResult one = b.getIndexAttr(1);
  OpFoldResult size = rowStride; // of one row, as there may be no more
  Value memory = memref::ReinterpretCastOp::create(
      b, loc, flat, metadata.getBaseBuffer(),
      OpFoldResult(metadata.getOffset()), ArrayRef<OpFoldResult>{size},
      ArrayRef<OpFoldResult>{one});
  return {memory, rowStride};
}
