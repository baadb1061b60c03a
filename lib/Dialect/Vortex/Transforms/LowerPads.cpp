//===- LowerPads.cpp - Padded copies as vector loops ----------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pad is written once, row by row: what lies in front of the source, the
// source, what lies behind it. Where the innermost dimension is not padded a
// row is the two innermost ones together, so that images of few channels are
// copied in whole vectors, too. So it is where few known channels are followed
// by padding: a vector of pixels that lie side by side is spread out.
//
//===----------------------------------------------------------------------===//

#include "CarriedLoop.h"

#include "vortex/Dialect/Vortex/Transforms/Passes.h"
#include "vortex/HwDesc/Targets.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"

namespace vortex {
#define GEN_PASS_DEF_LOWERPADS
#include "vortex/Dialect/Vortex/Transforms/Passes.h.inc"
} // namespace vortex

#define DEBUG_TYPE "vortex-lower-pads"

using namespace mlir;
using namespace vortex;

namespace {
class PadLowering {
public:
  PadLowering(RewriterBase &b, tensor::PadOp op, int64_t vectorBytes)
      : b(b), op(op), loc(op.getLoc()), vectorBytes(vectorBytes) {}
  LogicalResult run();

private:
  Value constant(int64_t v) {
    return arith::ConstantIndexOp::create(b, loc, v);
  }
  Value value(OpFoldResult v) {
    return getValueOrCreateConstantIndexOp(b, loc, v);
  }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, loc, x, y); }
  Value mul(Value x, Value y) { return arith::MulIOp::create(b, loc, x, y); }
  Value select(Value flag, Value yes, Value no) {
    return arith::SelectOp::create(b, loc, flag, yes, no);
  }
  bool isPadded(int64_t dim) {
    return !isZeroInteger(op.getMixedLowPad()[dim]) ||
           !isZeroInteger(op.getMixedHighPad()[dim]);
  }
  Value loop(Value from, Value to, int64_t step, Value current,
             function_ref<Value(Value, Value)> body);
  bool canSpread();
  Value spread(Value vector);
  Value write(Value vector, Value into, Value column, Value left);
  Value fill(Value from, Value to, Value current);
  Value isGapless();
  Value row(Value current);
  Value nest(int64_t depth, Value current);

  RewriterBase &b;
  tensor::PadOp op;
  Location loc;
  int64_t vectorBytes;
  int64_t lanes = 0, rank = 0;
  int64_t outer = 0; ///< dimensions in front of those of a row
  /// Of pixels that are spread: how many make a vector; 0: they are not.
  int64_t pixels = 0;
  Value padding, gapless;
  SmallVector<Value> low, sourceSizes, sizes;
  SmallVector<Value> ivs;
};
} // namespace

Value PadLowering::loop(Value from, Value to, int64_t step, Value current,
                        function_ref<Value(Value, Value)> body) {
  return createCarriedLoop(b, loc, from, to, constant(step), current, body);
}

/// Writes the first `left` lanes at `column` of the row. The result has no gaps
/// between its rows, so a column may lie behind the innermost dimension.
Value PadLowering::write(Value vector, Value into, Value column, Value left) {
  SmallVector<Value> at(ivs);
  if (rank - outer == 2)
    at.push_back(constant(0));
  at.push_back(column);
  Value mask = vector::CreateMaskOp::create(
      b, loc, VectorType::get({lanes}, b.getI1Type()), ValueRange{left});
  AffineMap minor = AffineMap::getMinorIdentityMap(rank, 1, b.getContext());
  return vector::TransferWriteOp::create(b, loc, vector, into, at,
                                         AffineMapAttr::get(minor), mask,
                                         b.getBoolArrayAttr({true}))
      .getResult();
}

/// Whether each pixel, of few known elements, is followed by padding alone, and
/// a vector has more than one with it.
bool PadLowering::canSpread() {
  if (rank < 2)
    return false;
  std::optional<int64_t> before =
                             getConstantIntValue(op.getMixedLowPad()[rank - 1]),
                         behind = getConstantIntValue(
                             op.getMixedHighPad()[rank - 1]);
  int64_t known = op.getSourceType().getDimSize(rank - 1);
  return before == 0 && behind && !ShapedType::isDynamic(known) && known > 0 &&
         2 * (known + *behind) <= lanes;
}

/// Pixels beside each other with the padding behind each.
Value PadLowering::spread(Value vector) {
  int64_t from = op.getSourceType().getDimSize(rank - 1),
          to = *getConstantIntValue(op.getMixedHighPad()[rank - 1]) + from;
  SmallVector<int64_t> mask(lanes, lanes);
  for (int64_t lane = 0; lane < pixels * to; ++lane)
    if (lane % to < from)
      mask[lane] = lane / to * from + lane % to;
  return vector::ShuffleOp::create(b, loc, vector, padding, mask);
}

Value PadLowering::fill(Value from, Value to, Value current) {
  return loop(from, to, lanes, current, [&](Value at, Value into) {
    return write(padding, into, at, arith::SubIOp::create(b, loc, to, at));
  });
}

/// Whether the source's rows follow each other.
Value PadLowering::isGapless() {
  auto type = op.getSourceType();
  SmallVector<int64_t> strides(rank, ShapedType::kDynamic);
  auto layout =
      StridedLayoutAttr::get(b.getContext(), ShapedType::kDynamic, strides);
  Value memory = bufferization::ToBufferOp::create(
      b, loc, MemRefType::get(type.getShape(), type.getElementType(), layout),
      op.getSource(), /*read_only=*/true);
  auto metadata = memref::ExtractStridedMetadataOp::create(b, loc, memory);
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                               metadata.getStrides()[rank - 2],
                               sourceSizes[rank - 1]);
}

Value PadLowering::row(Value current) {
  // Of a row that lies in front of the source or behind it, all is padding.
  Value inside = arith::ConstantIntOp::create(b, loc, 1, 1);
  SmallVector<Value> from;
  for (int64_t dim = 0; dim < outer; ++dim) {
    from.push_back(arith::SubIOp::create(b, loc, ivs[dim], low[dim]));
    if (isPadded(dim))
      inside = arith::AndIOp::create(
          b, loc, inside,
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, from[dim],
                                sourceSizes[dim]));
  }
  bool pair = rank - outer == 2;
  // Elements of a pixel in the source and in the result.
  Value sourceUnit = pair ? sourceSizes[rank - 1] : constant(1),
        unit = pixels ? sizes[rank - 1] : sourceUnit;
  Value length = mul(sizes[outer], unit);
  Value middle = mul(sourceSizes[outer], unit);
  Value first = select(inside, mul(low[outer], unit), length);
  Value last = select(inside, add(first, middle), length);
  current = fill(constant(0), first, current);
  // The source's row at once, or one by one what does not follow each other.
  Value run = mul(sourceSizes[outer], sourceUnit), count = constant(1);
  if (pair) {
    run = select(gapless, run, sourceUnit);
    count = select(gapless, constant(1), sourceSizes[outer]);
  }
  count = select(inside, count, constant(0));
  Type element = op.getSourceType().getElementType();
  auto vectorType = VectorType::get({lanes}, element);
  AffineMap minor = AffineMap::getMinorIdentityMap(rank, 1, b.getContext());
  current = loop(constant(0), count, 1, current, [&](Value part, Value into) {
    Value start = add(first, mul(part, unit));
    // Of pixels that are spread, as many elements as whole ones of the result
    // take.
    int64_t read =
        pixels ? pixels * op.getSourceType().getDimSize(rank - 1) : lanes;
    return loop(constant(0), run, read, into, [&](Value at, Value into) {
      SmallVector<Value> source(from);
      if (pair)
        source.push_back(part);
      source.push_back(at);
      Value left = arith::SubIOp::create(b, loc, run, at);
      Value mask = vector::CreateMaskOp::create(
          b, loc, VectorType::get({lanes}, b.getI1Type()), ValueRange{left});
      Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(element));
      Value values = vector::TransferReadOp::create(
          b, loc, vectorType, op.getSource(), source, AffineMapAttr::get(minor),
          zero, mask, b.getBoolArrayAttr({true}));
      if (!pixels)
        return write(values, into, add(start, at), left);
      auto inResult = [&](Value elements) {
        return mul(arith::DivUIOp::create(b, loc, elements, sourceUnit), unit);
      };
      left = arith::MinUIOp::create(b, loc, inResult(left),
                                    mul(constant(pixels), unit));
      return write(spread(values), into, add(start, inResult(at)), left);
    });
  });
  return fill(last, length, current);
}

Value PadLowering::nest(int64_t depth, Value current) {
  if (depth == outer)
    return row(current);
  return loop(constant(0), sizes[depth], 1, current, [&](Value iv, Value into) {
    ivs.push_back(iv);
    Value value = nest(depth + 1, into);
    ivs.pop_back();
    return value;
  });
}

LogicalResult PadLowering::run() {
  Type element = op.getSourceType().getElementType();
  Value scalar = op.getConstantPaddingValue();
  rank = op.getSourceType().getRank();
  if (!scalar || rank == 0 || !element.isIntOrFloat() ||
      element.getIntOrFloatBitWidth() < 8)
    return failure();
  lanes = std::max<int64_t>(
      1, std::min<int64_t>(16, vectorBytes * 8 /
                                   int64_t(element.getIntOrFloatBitWidth())));
  if (rank >= 2 && isPadded(rank - 1) && canSpread())
    pixels = lanes / (op.getSourceType().getDimSize(rank - 1) +
                      *getConstantIntValue(op.getMixedHighPad()[rank - 1]));
  outer = rank >= 2 && (!isPadded(rank - 1) || pixels) ? rank - 2 : rank - 1;
  b.setInsertionPoint(op);
  ReifiedRankedShapedTypeDims shape;
  if (failed(reifyResultShapes(b, op, shape)))
    return failure();
  for (int64_t dim = 0; dim < rank; ++dim) {
    low.push_back(value(op.getMixedLowPad()[dim]));
    sourceSizes.push_back(
        value(tensor::getMixedSize(b, loc, op.getSource(), dim)));
    sizes.push_back(value(shape[0][dim]));
  }
  padding = vector::BroadcastOp::create(
      b, loc, VectorType::get({lanes}, element), scalar);
  if (rank - outer == 2)
    gapless = isGapless();
  Value result = tensor::EmptyOp::create(b, loc, shape[0], element);
  if (result.getType() != op.getType())
    result = tensor::CastOp::create(b, loc, op.getType(), result);
  b.replaceOp(op, nest(0, result));
  return success();
}

namespace {
struct LowerPadsPass : vortex::impl::LowerPadsBase<LowerPadsPass> {
  void runOnOperation() override {
    int64_t vectorBytes = 64;
    for (HwAttr target : getTargets(getOperation()))
      if (!target.isGPU())
        vectorBytes = target.getVectorBytes();
    SmallVector<tensor::PadOp> pads;
    getOperation()->walk([&](tensor::PadOp op) { pads.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (tensor::PadOp op : pads)
      (void)PadLowering(rewriter, op, vectorBytes).run();
  }
};
} // namespace
