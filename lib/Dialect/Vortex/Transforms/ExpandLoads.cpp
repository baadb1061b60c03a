//===- ExpandLoads.cpp - Operands in the memory of a level ----------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A load of a level lays an operand of the anchor out inside its loop: packed
// in panels or groups, copied as it is, or copied together for a ring. What is
// below reads the copy.
//
//===----------------------------------------------------------------------===//

#include "Expansion.h"

#include "DotProduct.h"
#include "MicroKernelEmitter.h"
#include "PackTiles.h"
#include "PayloadClass.h"
#include "TileCase.h"

#include "vortex/Dialect/Vortex/Transforms/AxisExtents.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace vortex;

LogicalResult Expansion::load(LevelOp level) {
  for (auto [attr, size] : llvm::zip(level.getLoads(), level.getLoadSizes())) {
    auto load = cast<LoadAttr>(attr);
    if (failed(load.getTogether() ? copyTogether(level, load)
               : load.getLayout() == LayoutKind::Copy
                   ? copyWindow(level, load)
                   : layOut(load, sizes.lookupOrDefault(size))))
      return failure();
  }
  return success();
}

/// What `value` is a slice of, which may be a slice itself: `end`, if it is.
static Value sliceBase(Value value, Value end = {}) {
  while (value != end) {
    auto slice = value.getDefiningOp<tensor::ExtractSliceOp>();
    if (!slice)
      break;
    value = slice.getSource();
  }
  return value;
}

/// The operand of the anchor that holds a part of the kernel's input at
/// `position`; null, with an error, when there is none.
OpOperand *Expansion::findLoaded(int64_t position) {
  linalg::LinalgOp op = anchor();
  if (!op) {
    kernel.emitOpError("loads operands of an anchor that is not linalg");
    return nullptr;
  }
  Value input = kernel.getInputs()[position];
  OpOperand *operand = nullptr;
  for (OpOperand *candidateOperand : op.getDpsInputOperands()) {
    Value base = sliceBase(candidateOperand->get(), input);
    auto unpack = base.getDefiningOp<linalg::UnPackOp>();
    auto pad = base.getDefiningOp<tensor::PadOp>();
    if (base == input || (unpack && unpack.getSource() == input) ||
        (pad && pad.getSource() == input))
      operand = candidateOperand;
  }
  // A producer fused in front of the anchor stands for the operand it reads.
  if (!operand)
    for (OpOperand *candidateOperand : op.getDpsInputOperands()) {
      auto producer = candidateOperand->get().getDefiningOp<linalg::LinalgOp>();
      if (producer && llvm::any_of(producer->getOperands(), [&](Value value) {
            return sliceBase(value, input) == input;
          }))
        operand = candidateOperand;
    }
  if (!operand)
    kernel.emitOpError() << "loads input " << position
                         << ", which its anchor does not read";
  return operand;
}

/// The tile as it is, copied into the memory of the level. How it lies there,
/// and in how many stages, is for who makes code of the copy.
LogicalResult Expansion::copyTogether(LevelOp level, LoadAttr load) {
  OpOperand *operand = findLoaded(load.getOperand());
  if (!operand)
    return failure();
  Operation *op = operand->getOwner();
  Location loc = kernel.getLoc();
  rewriter.setInsertionPoint(op);
  Value tile = operand->get();
  Value memory = tensor::EmptyOp::create(
      rewriter, loc, tensor::getMixedSizes(rewriter, loc, tile),
      getElementTypeOrSelf(tile.getType()));
  auto copy = linalg::CopyOp::create(rewriter, loc, tile, memory);
  copy->setAttr("vortex.level", level.getLevelAttr());
  rewriter.modifyOpInPlace(op, [&] { operand->set(copy->getResult(0)); });
  return success();
}

/// `value` / `by` rounded up; a constant when both are.
static OpFoldResult divideUp(OpBuilder &b, Location loc, OpFoldResult value,
                             OpFoldResult by) {
  std::optional<int64_t> x = getConstantIntValue(value),
                         y = getConstantIntValue(by);
  if (x && y)
    return b.getIndexAttr(llvm::divideCeil(*x, *y));
  return arith::CeilDivUIOp::create(
             b, loc, getValueOrCreateConstantIndexOp(b, loc, value),
             getValueOrCreateConstantIndexOp(b, loc, by))
      .getResult();
}

/// Rows of a matrix tile that a stage in `level` reads; 1: none does.
static int64_t getTileRows(LevelOp level) {
  int64_t rows = 1;
  level.walk([&](StageOp stage) {
    std::optional<MicroKernelAttr> micro = stage.getMicro();
    if (!micro)
      return;
    if (auto found = findMatrixInstruction(level, micro->getOpcode()).second)
      rows = std::max(rows, found.getM());
  });
  return rows;
}

/// The operand's part as it is, without gaps. Where the operand is padded the
/// copy writes what the part has of the padding, and nothing else does. Behind
/// its rows is room for what the last matrix tile reads past the last pixel.
LogicalResult Expansion::copyWindow(LevelOp level, LoadAttr load) {
  OpOperand *operand = findLoaded(load.getOperand());
  if (!operand)
    return failure();
  Operation *op = operand->getOwner();
  Location loc = kernel.getLoc();
  rewriter.setInsertionPoint(op);
  Value part = operand->get();
  auto type = cast<RankedTensorType>(part.getType());
  int64_t rank = type.getRank();
  AffineExpr a, b, c;
  bindDims(rewriter.getContext(), a, b, c);
  auto apply = [&](AffineExpr expr, ArrayRef<OpFoldResult> values) {
    return affine::makeComposedFoldedAffineApply(rewriter, loc, expr, values);
  };
  auto most = [&](OpFoldResult x, OpFoldResult y) {
    return affine::makeComposedFoldedAffineMax(
        rewriter, loc, AffineMap::get(2, 0, {a, b}, rewriter.getContext()),
        {x, y});
  };
  auto least = [&](OpFoldResult x, OpFoldResult y) {
    return affine::makeComposedFoldedAffineMin(
        rewriter, loc, AffineMap::get(2, 0, {a, b}, rewriter.getContext()),
        {x, y});
  };
  OpFoldResult zero = rewriter.getIndexAttr(0);
  SmallVector<OpFoldResult> offsets(rank, zero), low(rank, zero),
      high(rank, zero), ones(rank, rewriter.getIndexAttr(1));
  SmallVector<OpFoldResult> extents =
      tensor::getMixedSizes(rewriter, loc, part);
  // What no pixel reads: (0 - 1) steps and a window that is smaller.
  for (OpFoldResult &extent : extents)
    extent = most(extent, zero);
  Value base = part;
  while (auto slice = base.getDefiningOp<tensor::ExtractSliceOp>()) {
    for (auto [offset, more] : llvm::zip(offsets, slice.getMixedOffsets()))
      offset = apply(a + b, {offset, more});
    base = slice.getSource();
  }
  Value padding;
  if (auto pad = base.getDefiningOp<tensor::PadOp>()) {
    base = pad.getSource();
    padding = pad.getConstantPaddingValue();
    for (int64_t dim = 0; dim < rank; ++dim) {
      OpFoldResult before = pad.getMixedLowPad()[dim];
      if (isZeroInteger(before) && isZeroInteger(pad.getMixedHighPad()[dim]))
        continue;
      // From `start` to `end` of the source; the rest is padding.
      OpFoldResult size = tensor::getMixedSize(rewriter, loc, base, dim);
      OpFoldResult first = apply(a - b, {offsets[dim], before});
      OpFoldResult last = apply(a + b, {first, extents[dim]});
      OpFoldResult start = least(most(first, zero), size);
      OpFoldResult end = most(least(last, size), start);
      low[dim] = least(most(apply(a - b, {zero, first}), zero), extents[dim]);
      OpFoldResult inside = apply(a - b, {end, start});
      high[dim] = apply(a - b - c, {extents[dim], low[dim], inside});
      offsets[dim] = start;
      extents[dim] = inside;
    }
  } else {
    padding = arith::ConstantOp::create(
        rewriter, loc, rewriter.getZeroAttr(type.getElementType()));
    // Of a result without pixels, which a task comes to know behind its copy,
    // the window may be larger than the image.
    for (int64_t dim = 0; dim < rank; ++dim)
      if (type.isDynamicDim(dim)) {
        OpFoldResult size = tensor::getMixedSize(rewriter, loc, base, dim);
        OpFoldResult left = apply(a - b, {size, offsets[dim]});
        extents[dim] = most(least(extents[dim], left), zero);
      }
  }
  SmallVector<int64_t> shape(type.getShape());
  int64_t rows = getTileRows(level);
  if (rows > 1) {
    auto linalgOp = cast<linalg::LinalgOp>(op);
    AffineMap out = linalgOp.getIndexingMapsArray().back();
    if (out.getNumResults() < 2)
      return kernel.emitOpError()
             << "copies input " << load.getOperand()
             << " for matrix tiles of a result without rows";
    AffineMap map = linalgOp.getMatchingIndexingMap(operand);
    unsigned pixel = out.getDimPosition(out.getNumResults() - 2);
    auto findDim = [&](unsigned loop) {
      int64_t dim = 0;
      while (dim + 1 < rank &&
             getCoefficient(map.getResult(dim), loop, map.getNumDims()) == 0)
        ++dim;
      return dim;
    };
    // Whole rows where there are some.
    int64_t row = findDim(pixel), dim = findDim(load.getAxis());
    int64_t more = (rows - 1) *
                   getCoefficient(map.getResult(row), pixel, map.getNumDims());
    if (dim < row) {
      OpFoldResult pixels = rewriter.getIndexAttr(1);
      OpFoldResult sizeOfRow = tensor::getMixedSize(rewriter, loc, part, row);
      high[dim] = apply(a + b, {high[dim], divideUp(rewriter, loc,
                                                    rewriter.getIndexAttr(more),
                                                    most(sizeOfRow, pixels))});
    } else {
      dim = row;
      high[dim] = apply(a + more, {high[dim]});
    }
    shape[dim] = ShapedType::kDynamic;
  }
  Value source = tensor::ExtractSliceOp::create(rewriter, loc, base, offsets,
                                                extents, ones);
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, part);
  Value copy = tensor::PadOp::create(
      rewriter, loc, RankedTensorType::get(shape, type.getElementType()),
      source, low, high, padding, /*nofold=*/true);
  if (rows > 1)
    copy = tensor::ExtractSliceOp::create(rewriter, loc, type, copy,
                                          SmallVector<OpFoldResult>(rank, zero),
                                          sizes, ones);
  rewriter.modifyOpInPlace(op, [&] { operand->set(copy); });
  return success();
}

LogicalResult Expansion::layOut(LoadAttr load, Value size) {
  OpOperand *operand = findLoaded(load.getOperand());
  if (!operand)
    return failure();
  auto op = cast<linalg::LinalgOp>(operand->getOwner());
  AffineMap map = op.getMatchingIndexingMap(operand);
  AffineMap out = op.getIndexingMapsArray().back();
  auto position = map.getResultPosition(
      getAffineDimExpr(load.getAxis(), rewriter.getContext()));
  if (!position)
    return kernel.emitOpError()
           << "lays out input " << load.getOperand() << " along axis "
           << kernel.getAxes()[load.getAxis()]
           << ", which does not index it alone";
  Location loc = kernel.getLoc();
  rewriter.setInsertionPoint(op);
  Relayout relayout;
  relayout.block = operand->get();
  relayout.layout = load.getLayout();
  relayout.position = *position;
  IntegerAttr constant;
  relayout.tile = matchPattern(size, m_Constant(&constant))
                      ? OpFoldResult(constant)
                      : OpFoldResult(size);
  relayout.group = load.getGroup();
  if (relayout.group > 1) {
    std::optional<unsigned> dim = getGroupedDim(op, map);
    if (!dim)
      return kernel.emitOpError()
             << "lays out input " << load.getOperand() << " in groups of "
             << relayout.group
             << ", but its innermost reduction does not index it alone";
    relayout.groupDim = *dim;
  }
  relayout.order = getPackedOrder(map, out, relayout.position);

  Value base = sliceBase(relayout.block);
  if (auto unpack = base.getDefiningOp<linalg::UnPackOp>();
      unpack && base == relayout.block) {
    relayout.packed = unpack.getSource();
  } else {
    Type element = getElementTypeOrSelf(relayout.block.getType());
    Value zero =
        arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(element));
    // A panel of one column has no dimension for it.
    SmallVector<int64_t> split;
    SmallVector<OpFoldResult> shape, tiles;
    if (!relayout.isColumn()) {
      split.push_back(relayout.position);
      tiles.push_back(relayout.tile);
    }
    if (relayout.group > 1) {
      split.push_back(relayout.groupDim);
      tiles.push_back(rewriter.getIndexAttr(relayout.group));
    }
    for (int64_t dim : relayout.order) {
      OpFoldResult extent =
          tensor::getMixedSize(rewriter, loc, relayout.block, dim);
      for (auto [splitDim, tile] : llvm::zip(split, tiles))
        if (dim == splitDim)
          extent = divideUp(rewriter, loc, extent, tile);
      shape.push_back(extent);
    }
    llvm::append_range(shape, tiles);
    Value destination = tensor::EmptyOp::create(rewriter, loc, shape, element);
    auto pack = linalg::PackOp::create(
        rewriter, loc, relayout.block, destination, split, tiles,
        split.empty() ? std::optional<Value>() : zero, relayout.order);
    if (load.getLayout() == LayoutKind::Pack &&
        relayout.order[0] == relayout.position)
      pack->setAttr(kTightAttr, rewriter.getUnitAttr());
    relayout.packed = pack->getResult(0);
  }
  relayouts.push_back(relayout);
  return success();
}

/// Whether some operand is indexed by the innermost reduction alone.
static bool isAnyGroupedDim(linalg::LinalgOp op, ArrayRef<AffineMap> maps) {
  return llvm::any_of(maps,
                      [&](AffineMap map) { return !!getGroupedDim(op, map); });
}

/// Whether a tile of `micro` has the columns of several panels, which then are
/// a dimension of what it reads.
static bool readsPanels(const Relayout &relayout, MicroKernelAttr micro) {
  std::optional<int64_t> width = getConstantIntValue(relayout.tile);
  return relayout.layout == LayoutKind::Panel && relayout.group == 1 &&
         !relayout.isColumn() && micro.getLaneAxis() < 0 && width &&
         *width < micro.getVectors() * micro.getLanes();
}

/// Reads the anchor's operands from their packed forms.
void Expansion::useRelayouts(linalg::LinalgOp op, MicroKernelAttr micro) {
  if (relayouts.empty())
    return;
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  SmallVector<Value> operands(op->getOperands());
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  bool changed = false;
  OpFoldResult steps; // of a reduction in groups
  for (OpOperand *operand : op.getDpsInputOperands()) {
    unsigned index = operand->getOperandNumber();
    // Offsets of this tile in the block that was laid out.
    SmallVector<OpFoldResult> offsets(maps[index].getNumResults(),
                                      rewriter.getIndexAttr(0));
    Value value = operand->get();
    const Relayout *relayout = nullptr;
    while (true) {
      for (const Relayout &candidateLayout : relayouts)
        if (candidateLayout.block == value)
          relayout = &candidateLayout;
      auto slice = value.getDefiningOp<tensor::ExtractSliceOp>();
      if (relayout || !slice)
        break;
      AffineExpr a, b;
      bindDims(rewriter.getContext(), a, b);
      for (auto [offset, more] : llvm::zip(offsets, slice.getMixedOffsets()))
        offset = affine::makeComposedFoldedAffineApply(rewriter, loc, a + b,
                                                       {offset, more});
      value = slice.getSource();
    }
    if (!relayout)
      continue;
    auto type = cast<RankedTensorType>(relayout->packed.getType());
    AffineMap out = maps.back();
    SmallVector<OpFoldResult> at, extents,
        strides(type.getRank(), rewriter.getIndexAttr(1));
    SmallVector<AffineExpr> exprs;
    SmallVector<int64_t> shape;
    OpFoldResult inner;
    AffineExpr innerExpr, groupExpr;
    OpFoldResult group = rewriter.getIndexAttr(relayout->group);
    for (auto [packedDim, dim] : llvm::enumerate(relayout->order)) {
      AffineExpr expr = maps[index].getResult(dim);
      if (dim == relayout->position) {
        innerExpr = expr;
        inner = tensor::getMixedSize(rewriter, loc, operand->get(), dim);
        if (relayout->isColumn()) {
          at.push_back(offsets[dim]);
          extents.push_back(inner);
          shape.push_back(
              getConstantIntValue(inner).value_or(ShapedType::kDynamic));
          exprs.push_back(expr);
          continue;
        }
        Value group = arith::DivUIOp::create(
            rewriter, loc,
            getValueOrCreateConstantIndexOp(rewriter, loc, offsets[dim]),
            getValueOrCreateConstantIndexOp(rewriter, loc, relayout->tile));
        at.push_back(group);
        if (!readsPanels(*relayout, micro)) {
          extents.push_back(rewriter.getIndexAttr(1));
          continue;
        }
        int64_t width = *getConstantIntValue(relayout->tile);
        OpFoldResult panels = divideUp(rewriter, loc, inner, relayout->tile);
        extents.push_back(panels);
        shape.push_back(
            getConstantIntValue(panels).value_or(ShapedType::kDynamic));
        exprs.push_back(innerExpr.floorDiv(width));
        inner = relayout->tile;
        innerExpr = innerExpr % width;
        continue;
      }
      if (dim == relayout->groupDim) {
        // Blocks of the reduction are whole groups.
        AffineExpr offset = rewriter.getAffineDimExpr(0);
        at.push_back(affine::makeComposedFoldedAffineApply(
            rewriter, loc, offset.floorDiv(relayout->group), {offsets[dim]}));
        steps = tensor::getMixedSize(rewriter, loc, operand->get(), dim);
        OpFoldResult extent = divideUp(rewriter, loc, steps, group);
        extents.push_back(extent);
        shape.push_back(
            getConstantIntValue(extent).value_or(ShapedType::kDynamic));
        exprs.push_back(expr.floorDiv(relayout->group));
        groupExpr = expr % relayout->group;
        continue;
      }
      auto loop = dyn_cast<AffineDimExpr>(expr);
      if (loop && out.isFunctionOfDim(loop.getPosition())) {
        at.push_back(offsets[dim]);
        extents.push_back(rewriter.getIndexAttr(1));
        continue;
      }
      at.push_back(offsets[dim]);
      OpFoldResult extent =
          tensor::getMixedSize(rewriter, loc, operand->get(), dim);
      extents.push_back(extent);
      shape.push_back(
          getConstantIntValue(extent).value_or(ShapedType::kDynamic));
      exprs.push_back(expr);
    }
    if (!relayout->isColumn()) {
      at.push_back(rewriter.getIndexAttr(0));
      extents.push_back(inner);
      shape.push_back(
          getConstantIntValue(inner).value_or(ShapedType::kDynamic));
      exprs.push_back(innerExpr);
    }
    if (groupExpr) {
      at.push_back(rewriter.getIndexAttr(0));
      extents.push_back(group);
      shape.push_back(relayout->group);
      exprs.push_back(groupExpr);
    }
    operands[index] = tensor::ExtractSliceOp::create(
        rewriter, loc, RankedTensorType::get(shape, type.getElementType()),
        relayout->packed, at, extents, strides);
    maps[index] = AffineMap::get(maps[index].getNumDims(), 0, exprs,
                                 rewriter.getContext());
    changed = true;
  }
  if (!changed)
    return;
  // Groups alone do not tell how many steps there are: an operand of which only
  // the shape is read does, as the window of a pooling op.
  unsigned numInputs = op.getNumDpsInputs();
  Type window;
  if (steps && !isAnyGroupedDim(op, maps)) {
    window = rewriter.getI8Type();
    SmallVector<unsigned> reductions;
    op.getReductionDims(reductions);
    operands.insert(operands.begin() + numInputs,
                    tensor::EmptyOp::create(rewriter, loc, {steps}, window));
    maps.insert(maps.begin() + numInputs,
                AffineMap::get(op.getNumLoops(), 0,
                               rewriter.getAffineDimExpr(reductions.back())));
    ++numInputs;
  }
  auto generic =
      linalg::GenericOp::create(rewriter, loc, op->getResultTypes(),
                                ValueRange(operands).take_front(numInputs),
                                ValueRange(operands).drop_front(numInputs),
                                maps, op.getIteratorTypesArray());
  rewriter.cloneRegionBefore(op->getRegion(0), generic.getRegion(),
                             generic.getRegion().end());
  if (window)
    generic.getRegion().front().insertArgument(numInputs - 1, window, loc);
  for (StringRef name : {kIdAttr, kAnchorAttr, kColumnSumsAttr, kStepSumsAttr})
    if (Attribute attr = op->getAttr(name))
      generic->setAttr(name, attr);
  scope[getPayloadId(generic)] = generic;
  rewriter.replaceOp(op, generic.getResults());
}
