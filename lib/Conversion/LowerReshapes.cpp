//===- LowerReshapes.cpp - Reshapes of memrefs as reinterpret_cast -===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Conversion/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/PatternMatch.h"

namespace vortex {
#define GEN_PASS_DEF_LOWERRESHAPES
#include "vortex/Conversion/Passes.h.inc"
} // namespace vortex

using namespace mlir;

/// `a * b`, folded when both are constants.
static OpFoldResult multiply(RewriterBase &b, Location loc, OpFoldResult x,
                             OpFoldResult y) {
  auto cx = getConstantIntValue(x), cy = getConstantIntValue(y);
  if (cx && cy)
    return b.getIndexAttr(*cx * *cy);
  if (cx && *cx == 1)
    return y;
  if (cy && *cy == 1)
    return x;
  return arith::MulIOp::create(b, loc,
                               getValueOrCreateConstantIndexOp(b, loc, x),
                               getValueOrCreateConstantIndexOp(b, loc, y))
      .getResult();
}

/// The base, offset, sizes and strides of a memref; constants where known.
struct Metadata {
  Value base;
  OpFoldResult offset;
  SmallVector<OpFoldResult> sizes, strides;

  Metadata(RewriterBase &b, Location loc, Value memref) {
    auto metadata = memref::ExtractStridedMetadataOp::create(b, loc, memref);
    base = metadata.getBaseBuffer();
    offset = metadata.getConstifiedMixedOffset();
    sizes = metadata.getConstifiedMixedSizes();
    strides = metadata.getConstifiedMixedStrides();
  }
};

static void replace(RewriterBase &b, Operation *op, const Metadata &from,
                    ArrayRef<OpFoldResult> sizes,
                    ArrayRef<OpFoldResult> strides) {
  auto type = cast<MemRefType>(op->getResult(0).getType());
  // The op's own type may know more or less than the operands: take static
  // values from it.
  auto [typeStrides, typeOffset] = type.getStridesAndOffset();
  auto constify = [&](ArrayRef<OpFoldResult> values, ArrayRef<int64_t> known) {
    SmallVector<OpFoldResult> result(values);
    for (auto [value, constant] : llvm::zip(result, known))
      if (!ShapedType::isDynamic(constant))
        value = b.getIndexAttr(constant);
      else if (auto folded = getConstantIntValue(value))
        value = getValueOrCreateConstantIndexOp(b, op->getLoc(), value);
    return result;
  };
  SmallVector<OpFoldResult> offset =
      constify(ArrayRef<OpFoldResult>(from.offset), typeOffset);
  Value result = memref::ReinterpretCastOp::create(
      b, op->getLoc(), type, from.base, offset[0],
      constify(sizes, type.getShape()), constify(strides, typeStrides));
  b.replaceOp(op, result);
}

static void lower(RewriterBase &b, memref::ExpandShapeOp op) {
  Location loc = op.getLoc();
  Metadata from(b, loc, op.getSrc());
  SmallVector<OpFoldResult> sizes = op.getMixedOutputShape();
  SmallVector<OpFoldResult> strides(sizes.size());
  for (auto [i, group] : llvm::enumerate(op.getReassociationIndices())) {
    OpFoldResult stride = from.strides[i];
    for (int64_t d : llvm::reverse(group)) {
      strides[d] = stride;
      if (d != group.front())
        stride = multiply(b, loc, stride, sizes[d]);
    }
  }
  if (op.getReassociationIndices().empty())
    strides.assign(sizes.size(), b.getIndexAttr(1));
  replace(b, op, from, sizes, strides);
}

static void lower(RewriterBase &b, memref::CollapseShapeOp op) {
  Location loc = op.getLoc();
  Metadata from(b, loc, op.getSrc());
  ArrayRef<int64_t> shape = cast<MemRefType>(op.getSrc().getType()).getShape();
  SmallVector<OpFoldResult> sizes, strides;
  for (ArrayRef<int64_t> group : op.getReassociationIndices()) {
    OpFoldResult size = b.getIndexAttr(1);
    for (int64_t d : group)
      size = multiply(b, loc, size, from.sizes[d]);
    sizes.push_back(size);
    // The stride is that of the last dimension which is not known to be 1:
    // the stride of a unit dimension says nothing.
    OpFoldResult stride = from.strides[group.back()];
    for (int64_t d : llvm::reverse(group))
      if (shape[d] != 1) {
        stride = from.strides[d];
        break;
      }
    strides.push_back(stride);
  }
  replace(b, op, from, sizes, strides);
}

namespace {
struct LowerReshapesPass : vortex::impl::LowerReshapesBase<LowerReshapesPass> {
  void runOnOperation() override {
    SmallVector<Operation *> reshapes;
    getOperation()->walk([&](Operation *op) {
      if (isa<memref::ExpandShapeOp, memref::CollapseShapeOp>(op))
        reshapes.push_back(op);
    });
    IRRewriter b(&getContext());
    for (Operation *op : reshapes) {
      b.setInsertionPoint(op);
      if (auto expand = dyn_cast<memref::ExpandShapeOp>(op))
        lower(b, expand);
      else
        lower(b, cast<memref::CollapseShapeOp>(op));
    }
  }
};
} // namespace
