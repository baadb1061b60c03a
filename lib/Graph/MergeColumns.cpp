//===- MergeColumns.cpp - Columns of a window in groups of channels -------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pixels beside each other are one run of channels, and so is what a row of a
// window covers. An instruction that sums products in groups takes groups of
// that run instead of each pixel's channels.
//
//===----------------------------------------------------------------------===//

#include "Scope.h"

#include "../Dialect/Vortex/Transforms/DotProduct.h"

#include "vortex/Dialect/Vortex/IR/WeightValues.h"
#include "vortex/Dialect/Vortex/Transforms/Passes.h"
#include "vortex/Graph/Passes.h"
#include "vortex/HwDesc/Targets.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

namespace vortex {
#define GEN_PASS_DEF_MERGECOLUMNS
#include "vortex/Graph/Passes.h.inc"
} // namespace vortex

using namespace mlir;
using namespace vortex;

/// Steps of the instruction that every target has for `payload`, the same on
/// all; 0 if there is none.
static int64_t getGroup(Operation *op, const DotPayload &payload) {
  int64_t group = 0;
  for (HwAttr target : getTargets(op)) {
    std::optional<DotMatch> match = findDot(target, payload);
    if (!match || (group && match->instruction.getK() != group))
      return 0;
    group = match->instruction.getK();
  }
  return group;
}

namespace {
/// A window whose columns are merged with the channels.
class ColumnMerger {
public:
  ColumnMerger(linalg::LinalgOp op, WeightValues &weights)
      : op(op), weights(weights), b(op.getLoc(), op) {}
  /// Whether it takes fewer groups so.
  bool find();
  void merge();

private:
  Value makeImage();
  Value makeFilter();
  AffineMap renumber(ArrayRef<AffineExpr> results);

  linalg::LinalgOp op;
  WeightValues &weights;
  ImplicitLocOpBuilder b;
  SmallVector<AffineMap> maps;
  unsigned image = 0, filter = 0;    ///< operands
  unsigned column = 0, channel = 0;  ///< reductions
  int64_t columns = 0, channels = 0; ///< how many steps they have
  int64_t more = 0;                  ///< steps, without effect, to whole groups
  tensor::PadOp pad;                 ///< of the image, if it is padded
};
} // namespace

/// Whether `pad` is of known width, by a constant, and leaves the last
/// dimension as it is.
static bool padsColumns(tensor::PadOp pad) {
  return pad.getConstantPaddingValue() && pad.getLow().empty() &&
         pad.getHigh().empty() && pad.getStaticLow().back() == 0 &&
         pad.getStaticHigh().back() == 0;
}

bool ColumnMerger::find() {
  std::optional<DotPayload> payload = matchDotPayload(op);
  if (!payload || op.getNumDpsInputs() != 2 || op->getNumResults() != 1 ||
      !op.hasPureTensorSemantics())
    return false;
  maps = op.getIndexingMapsArray();
  image = payload->inputA;
  filter = payload->inputB;
  AffineMap map = maps[image];
  unsigned rank = map.getNumResults();
  if (rank < 2)
    return false;
  auto last = dyn_cast<AffineDimExpr>(map.getResults().back());
  if (!last || !maps[filter].isProjectedPermutation())
    return false;
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  channel = last.getPosition();
  if (!llvm::is_contained(reductions, channel))
    return false;
  // One reduction walks the columns of the window, a pixel a step, and nothing
  // else does.
  AffineExpr pixel = map.getResult(rank - 2);
  bool found = false;
  for (unsigned loop : reductions)
    if (loop != channel && pixel.isFunctionOfDim(loop)) {
      if (found)
        return false;
      column = loop;
      found = true;
    }
  AffineExpr dim = b.getAffineDimExpr(column);
  AffineExpr rest = pixel.replace(dim, b.getAffineConstantExpr(0));
  if (!found || isa<AffineDimExpr>(pixel) ||
      simplifyAffineExpr(pixel - rest - dim, map.getNumDims(), 0) !=
          b.getAffineConstantExpr(0) ||
      llvm::any_of(map.getResults().drop_back(2), [&](AffineExpr expr) {
        return expr.isFunctionOfDim(column) || expr.isFunctionOfDim(channel);
      }))
    return false;
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  columns = extents[column];
  channels = extents[channel];
  auto type = cast<RankedTensorType>(op->getOperand(image).getType());
  if (columns <= 0 || channels <= 0 || type.getShape().back() != channels ||
      !maps[filter].isFunctionOfDim(column) ||
      !maps[filter].isFunctionOfDim(channel) ||
      !weights.contains(op->getOperand(filter)))
    return false;
  int64_t group = getGroup(op, *payload);
  if (group < 2)
    return false;
  pad = op->getOperand(image).getDefiningOp<tensor::PadOp>();
  if (pad && !padsColumns(pad))
    return false;
  // Zeros of the filter take what is beyond the window, but not if that may be
  // infinite.
  int64_t steps = columns * channels;
  if (pad && isa<IntegerType>(payload->acc))
    more = llvm::alignTo(steps, group) - steps;
  // Groups, and those that are cut, which are read by elements.
  auto count = [&](int64_t steps) {
    return std::pair<int64_t, int64_t>(llvm::divideCeil(steps, group),
                                       steps % group != 0);
  };
  auto [whole, cut] = count(channels);
  return count(steps + more) <
         std::pair<int64_t, int64_t>(columns * whole, columns * cut);
}

/// Of `rank` dimensions `at` and the next as one.
static SmallVector<ReassociationIndices> collapseAt(int64_t rank, int64_t at) {
  SmallVector<ReassociationIndices> dims;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (dim == at + 1)
      dims.back().push_back(dim);
    else
      dims.push_back({dim});
  return dims;
}

/// The image with the pixels of a row as one run of channels, padded alike.
Value ColumnMerger::makeImage() {
  Value value = op->getOperand(image);
  int64_t rank = maps[image].getNumResults();
  if (!pad)
    return tensor::CollapseShapeOp::create(b, value,
                                           collapseAt(rank, rank - 2));
  auto merge = [&](ArrayRef<int64_t> sizes, int64_t beyond) {
    SmallVector<int64_t> merged(sizes.drop_back());
    merged.back() = merged.back() * channels + beyond;
    return getAsIndexOpFoldResult(b.getContext(), merged);
  };
  Value run = tensor::CollapseShapeOp::create(b, pad.getSource(),
                                              collapseAt(rank, rank - 2));
  return tensor::PadOp::create(b, Type(), run, merge(pad.getStaticLow(), 0),
                               merge(pad.getStaticHigh(), more),
                               pad.getConstantPaddingValue());
}

/// The filter with its columns and channels as one dimension, once.
Value ColumnMerger::makeFilter() {
  Value value = op->getOperand(filter);
  auto once = [&](Value made) {
    made.getDefiningOp()->setAttr(kBindAttr, b.getUnitAttr());
    return made;
  };
  SmallVector<AffineExpr> dims(maps[filter].getResults());
  AffineExpr j = b.getAffineDimExpr(column), k = b.getAffineDimExpr(channel);
  auto positionOf = [&](ArrayRef<AffineExpr> exprs, AffineExpr expr) {
    return llvm::find(exprs, expr) - exprs.begin();
  };
  if (positionOf(dims, k) != positionOf(dims, j) + 1) {
    SmallVector<AffineExpr> ordered(dims);
    llvm::erase(ordered, k);
    ordered.insert(ordered.begin() + positionOf(ordered, j) + 1, k);
    SmallVector<int64_t> order;
    for (AffineExpr expr : ordered)
      order.push_back(positionOf(dims, expr));
    SmallVector<OpFoldResult> sizes =
                                  tensor::getMixedSizes(b, b.getLoc(), value),
                              moved;
    for (int64_t dim : order)
      moved.push_back(sizes[dim]);
    Value room = tensor::EmptyOp::create(b, moved,
                                         getElementTypeOrSelf(value.getType()));
    value =
        once(linalg::TransposeOp::create(b, value, room, order)->getResult(0));
    dims = ordered;
  }
  int64_t at = positionOf(dims, j);
  dims.erase(dims.begin() + at + 1);
  dims[at] = k;
  value = once(tensor::CollapseShapeOp::create(
      b, value, collapseAt(dims.size() + 1, at)));
  if (more) {
    SmallVector<OpFoldResult> low(dims.size(), b.getIndexAttr(0)), high(low);
    high[at] = b.getIndexAttr(more);
    Value zero = arith::ConstantOp::create(
        b, b.getZeroAttr(getElementTypeOrSelf(value.getType())));
    value = once(tensor::PadOp::create(b, Type(), value, low, high, zero));
  }
  maps[filter] = renumber(dims);
  return value;
}

/// A map of the loops but `column`.
AffineMap ColumnMerger::renumber(ArrayRef<AffineExpr> results) {
  SmallVector<AffineExpr> dims;
  for (unsigned loop = 0, at = 0; loop < op.getNumLoops(); ++loop)
    dims.push_back(loop == column ? b.getAffineConstantExpr(0)
                                  : b.getAffineDimExpr(at++));
  SmallVector<AffineExpr> exprs;
  for (AffineExpr expr : results)
    exprs.push_back(
        simplifyAffineExpr(expr.replaceDims(dims), op.getNumLoops() - 1, 0));
  return AffineMap::get(op.getNumLoops() - 1, 0, exprs, b.getContext());
}

void ColumnMerger::merge() {
  SmallVector<Value> inputs(2);
  inputs[image] = makeImage();
  inputs[filter] = makeFilter();
  ArrayRef<AffineExpr> pixels = maps[image].getResults();
  SmallVector<AffineExpr> run(pixels.drop_back());
  run.back() = run.back() * channels + pixels.back();
  maps[image] = renumber(run);
  maps.back() = renumber(maps.back().getResults());
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  iterators.erase(iterators.begin() + column);
  auto generic = linalg::GenericOp::create(b, op->getResultTypes(), inputs,
                                           op.getDpsInits(), maps, iterators);
  IRMapping mapping;
  op->getRegion(0).cloneInto(&generic.getRegion(), mapping);
  op->replaceAllUsesWith(generic->getResults());
  op->erase();
  if (pad)
    readSizesWithoutPad(pad);
}

namespace {
struct MergeColumnsPass : vortex::impl::MergeColumnsBase<MergeColumnsPass> {
  void runOnOperation() override {
    (void)forEachFunction(getOperation(), [&](FunctionOpInterface function) {
      SmallVector<linalg::LinalgOp> ops;
      function->walk([&](linalg::LinalgOp op) {
        if (!isInKernel(op))
          ops.push_back(op);
      });
      for (linalg::LinalgOp op : ops) {
        WeightValues weights(function);
        ColumnMerger merger(op, weights);
        if (!merger.find())
          continue;
        merger.merge();
        ++numMerged;
      }
      return success();
    });
  }
};
} // namespace
