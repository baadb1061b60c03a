//===- FoldRelayout.cpp - Products that read tensors where they are -------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Relayout.h"
#include "Scope.h"

#include "vortex/Dialect/Vortex/Transforms/Passes.h"
#include "vortex/Graph/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace vortex {
#define GEN_PASS_DEF_FOLDRELAYOUT
#include "vortex/Graph/Passes.h.inc"
} // namespace vortex

using namespace mlir;
using namespace vortex;

/// Two factors, multiplied and summed; all maps are projected permutations.
static bool isContraction(linalg::LinalgOp op) {
  return op.hasPureTensorSemantics() && !isInKernel(op) &&
         linalg::isaContractionOpInterface(op);
}

/// `init`, the start of a sum, with dimensions of `sizes`; `reshape` makes it
/// from `init` itself where that has elements of its own.
static Value remakeInit(PatternRewriter &rewriter, Value init,
                        ArrayRef<OpFoldResult> sizes,
                        function_ref<Value()> reshape) {
  Type element = getElementTypeOrSelf(init.getType());
  if (init.getDefiningOp<tensor::EmptyOp>())
    return tensor::EmptyOp::create(rewriter, init.getLoc(), sizes, element);
  auto fill = init.getDefiningOp<linalg::FillOp>();
  if (!fill)
    return reshape();
  Value empty =
      tensor::EmptyOp::create(rewriter, fill.getLoc(), sizes, element);
  return linalg::FillOp::create(rewriter, fill.getLoc(), fill.getInputs(),
                                empty)
      .getResult(0);
}

namespace {
/// An input that is a copy is read from its source. Ops other than contractions
/// are left in the order of their memory: they only take broadcast copies.
struct ReadSource : OpInterfaceRewritePattern<linalg::LinalgOp> {
  ReadSource(MLIRContext *context, Pass::Statistic &folded)
      : OpInterfaceRewritePattern(context), folded(folded) {}

  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    if (isInKernel(op) || !op.hasPureTensorSemantics() ||
        op->getNumResults() != 1 || !llvm::all_of(maps, [](AffineMap map) {
          return map.isProjectedPermutation();
        }))
      return failure();
    bool reorders = isContraction(op);
    SmallVector<Value> inputs = op.getDpsInputs();
    bool changed = false;
    for (auto [input, map] : llvm::zip(inputs, maps)) {
      std::optional<Relayout> relayout = getRelayout(input);
      if (!relayout)
        continue;
      // What a loop does not change is transposed once, in front of it.
      if (!relayout->keepsOrder() &&
          (!reorders || input.getParentBlock() != op->getBlock()))
        continue;
      input = relayout->source;
      map = relayout->map.compose(map);
      changed = true;
      ++folded;
    }
    if (!changed)
      return failure();
    // Every loop still has an extent.
    if (!inversePermutation(concatAffineMaps(maps, op.getContext())))
      return failure();
    rewriter.replaceOp(op, rebuild(rewriter, op, inputs, op.getDpsInits()[0],
                                   maps, op.getIteratorTypesArray()));
    return success();
  }

  Pass::Statistic &folded;
};

/// Where a dimension that both factors share was joined from several of a copy,
/// loops walk these, so that the copy can be read from its source.
struct SplitLoops : OpInterfaceRewritePattern<linalg::LinalgOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override {
    if (!isContraction(op))
      return failure();
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    for (auto [i, input] : llvm::enumerate(op.getDpsInputs())) {
      auto collapse = input.getDefiningOp<tensor::CollapseShapeOp>();
      if (!collapse || !getRelayout(collapse.getSrc()))
        continue;
      bool isBatch =
          llvm::all_of(llvm::enumerate(collapse.getReassociationIndices()),
                       [&, position = i](auto group) {
                         unsigned loop =
                             maps[position].getDimPosition(group.index());
                         return group.value().size() == 1 ||
                                llvm::all_of(maps, [&](AffineMap map) {
                                  return map.isFunctionOfDim(loop);
                                });
                       });
      if (!isBatch || collapse->getBlock() != op->getBlock())
        continue;
      split(rewriter, op, i, collapse);
      return success();
    }
    return failure();
  }

private:
  static void split(PatternRewriter &rewriter, linalg::LinalgOp op,
                    unsigned position, tensor::CollapseShapeOp collapse);
};
} // namespace

void SplitLoops::split(PatternRewriter &rewriter, linalg::LinalgOp op,
                       unsigned position, tensor::CollapseShapeOp collapse) {
  Location loc = op.getLoc();
  MLIRContext *context = op.getContext();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<OpFoldResult> sourceSizes =
      tensor::getMixedSizes(rewriter, loc, collapse.getSrc());

  // The loops that take the place of each loop, and their extents.
  SmallVector<SmallVector<OpFoldResult>> extents(op.getNumLoops());
  for (auto [dim, group] :
       llvm::enumerate(collapse.getReassociationIndices())) {
    if (group.size() == 1)
      continue;
    for (int64_t of : group)
      extents[maps[position].getDimPosition(dim)].push_back(sourceSizes[of]);
  }
  SmallVector<SmallVector<AffineExpr>> loops(op.getNumLoops());
  SmallVector<utils::IteratorType> iterators;
  unsigned count = 0;
  for (auto [loop, iterator] : llvm::enumerate(op.getIteratorTypesArray())) {
    size_t parts = std::max<size_t>(extents[loop].size(), 1);
    for (size_t part = 0; part < parts; ++part)
      loops[loop].push_back(getAffineDimExpr(count++, context));
    iterators.append(parts, iterator);
  }
  SmallVector<AffineMap> newMaps;
  for (AffineMap map : maps) {
    SmallVector<AffineExpr> results;
    for (unsigned i = 0; i < map.getNumResults(); ++i)
      llvm::append_range(results, loops[map.getDimPosition(i)]);
    newMaps.push_back(AffineMap::get(count, 0, results, context));
  }

  // Tensors with the dimensions of the new loops.
  struct Shape {
    SmallVector<ReassociationIndices> groups;
    SmallVector<OpFoldResult> sizes;
  };
  auto shapeOf = [&](Value value, AffineMap map) {
    Shape shape;
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(rewriter, loc, value);
    for (auto [i, size] : llvm::enumerate(sizes)) {
      ArrayRef<OpFoldResult> parts = extents[map.getDimPosition(i)];
      if (parts.empty())
        parts = size;
      ReassociationIndices group;
      for (OpFoldResult part : parts) {
        group.push_back(shape.sizes.size());
        shape.sizes.push_back(part);
      }
      shape.groups.push_back(group);
    }
    return shape;
  };
  auto expand = [&](Value value, const Shape &shape) -> Value {
    if (shape.sizes.size() == shape.groups.size())
      return value;
    // The same groups that a reshape just joined: what it joined.
    if (auto other = value.getDefiningOp<tensor::CollapseShapeOp>();
        other && other.getReassociationIndices() == shape.groups &&
        llvm::equal(other.getSrcType().getShape(), shape.sizes,
                    [](int64_t size, OpFoldResult as) {
                      std::optional<int64_t> constant = getConstantIntValue(as);
                      return size == constant.value_or(ShapedType::kDynamic);
                    })) {
      bool certain = llvm::all_of(shape.groups, [&](auto &group) {
        return llvm::count_if(group, [&](int64_t dim) {
                 return other.getSrcType().isDynamicDim(dim);
               }) <= 1;
      });
      if (certain)
        return other.getSrc();
    }
    SmallVector<int64_t> sizes;
    for (OpFoldResult size : shape.sizes)
      sizes.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
    auto type =
        RankedTensorType::get(sizes, getElementTypeOrSelf(value.getType()));
    return tensor::ExpandShapeOp::create(rewriter, loc, type, value,
                                         shape.groups, shape.sizes);
  };
  SmallVector<Value> inputs;
  for (auto [i, input] : llvm::enumerate(op.getDpsInputs()))
    inputs.push_back(i == position ? collapse.getSrc()
                                   : expand(input, shapeOf(input, maps[i])));
  Value init = op.getDpsInits()[0];
  Shape shape = shapeOf(init, maps.back());
  init = remakeInit(rewriter, init, shape.sizes,
                    [&] { return expand(init, shape); });
  Value result =
      rebuild(rewriter, op, inputs, init, newMaps, iterators).getResult(0);
  if (shape.sizes.size() != shape.groups.size())
    result = tensor::CollapseShapeOp::create(
        rewriter, loc, op->getResult(0).getType(), result, shape.groups);
  rewriter.replaceOp(op, result);
}

/// Whether some of the dimensions `dims` of `value` are those of an operand of
/// the product that it comes from, and others are not, as groups of heads that
/// share keys. Ops between are elementwise, or reduce other dimensions.
static bool sharesOperand(Value value, ArrayRef<int64_t> dims,
                          SmallPtrSetImpl<void *> &seen) {
  auto op = value.getDefiningOp<linalg::LinalgOp>();
  if (!op || isInKernel(op) || !op.hasPureTensorSemantics() ||
      !seen.insert(value.getAsOpaquePointer()).second)
    return false;
  AffineMap result = op.getIndexingMapMatchingResult(cast<OpResult>(value));
  if (!result.isProjectedPermutation())
    return false;
  auto loops = llvm::map_to_vector(dims, [&](int64_t dim) {
    return getAffineDimExpr(result.getDimPosition(dim), op.getContext());
  });
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    SmallVector<int64_t> inInput;
    for (AffineExpr loop : loops)
      if (std::optional<unsigned> position = map.getResultPosition(loop))
        inInput.push_back(*position);
    if (isContraction(op) ? !inInput.empty() && inInput.size() < loops.size()
                          : inInput.size() == loops.size() &&
                                sharesOperand(input->get(), inInput, seen))
      return true;
  }
  return false;
}

/// Whether what reads `operand` is to walk the dimensions that `SplitLoops`
/// gave a product, which a reshape joins again: all of the ops between that
/// product and the next then stay one chain. Rows stay rows.
static bool takesOnSplit(OpOperand *operand) {
  auto op = dyn_cast<linalg::LinalgOp>(operand->getOwner());
  auto collapse = operand->get().getDefiningOp<tensor::CollapseShapeOp>();
  if (!op || !collapse || isInKernel(op) || !op.hasPureTensorSemantics() ||
      isContraction(op) || collapse->getBlock() != op->getBlock())
    return false;
  SmallVector<ReassociationIndices> groups = collapse.getReassociationIndices();
  if (groups.empty() || groups.back().size() != 1)
    return false;
  return llvm::any_of(groups, [&](const ReassociationIndices &group) {
    SmallPtrSet<void *, 8> seen;
    return group.size() > 1 && sharesOperand(collapse.getSrc(), group, seen);
  });
}

namespace {
/// A result that is only transposed is written so, where columns stay columns.
struct WriteTransposed : OpInterfaceRewritePattern<linalg::LinalgOp> {
  WriteTransposed(MLIRContext *context, Pass::Statistic &folded)
      : OpInterfaceRewritePattern(context), folded(folded) {}

  LogicalResult matchAndRewrite(linalg::LinalgOp copy,
                                PatternRewriter &rewriter) const override {
    if (copy->getNumResults() != 1)
      return failure();
    std::optional<Relayout> relayout = getRelayout(copy->getResult(0));
    if (!relayout || !relayout->isPermutation() || relayout->map.isIdentity())
      return failure();
    unsigned rank = relayout->map.getNumResults();
    auto op = relayout->source.getDefiningOp<linalg::LinalgOp>();
    if (relayout->map.getDimPosition(rank - 1) != rank - 1 || !op ||
        !op->hasOneUse() || op->getBlock() != copy->getBlock() ||
        !isContraction(op) ||
        !op.getDpsInits()[0].getDefiningOp<linalg::FillOp>())
      return failure();
    AffineMap toCopy = inversePermutation(relayout->map);
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    maps.back() = toCopy.compose(maps.back());
    rewriter.setInsertionPoint(op);
    Value init = op.getDpsInits()[0];
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter,
                                                            op.getLoc(), init),
                              moved;
    for (unsigned i = 0; i < rank; ++i)
      moved.push_back(sizes[toCopy.getDimPosition(i)]);
    init = remakeInit(rewriter, init, moved, [] { return Value(); });
    SmallVector<Value> inputs = op.getDpsInputs();
    rewriter.replaceOp(copy, rebuild(rewriter, op, inputs, init, maps,
                                     op.getIteratorTypesArray()));
    ++folded;
    return success();
  }

  Pass::Statistic &folded;
};

/// A transposition behind a reshape that joins dimensions of a product is made
/// in front of it, where the product can take it in.
struct TransposeJoined : OpInterfaceRewritePattern<linalg::LinalgOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(linalg::LinalgOp copy,
                                PatternRewriter &rewriter) const override {
    if (copy->getNumResults() != 1)
      return failure();
    std::optional<Relayout> relayout = getRelayout(copy->getResult(0));
    if (!relayout || !relayout->isPermutation() || relayout->map.isIdentity())
      return failure();
    auto collapse = relayout->source.getDefiningOp<tensor::CollapseShapeOp>();
    if (!collapse || !collapse->hasOneUse() ||
        !copy.getDpsInits()[0].getDefiningOp<tensor::EmptyOp>())
      return failure();
    auto op = collapse.getSrc().getDefiningOp<linalg::LinalgOp>();
    if (!op || !op->hasOneUse() || !isContraction(op))
      return failure();
    SmallVector<ReassociationIndices> from = collapse.getReassociationIndices(),
                                      to;
    AffineMap toCopy = inversePermutation(relayout->map);
    SmallVector<OpFoldResult> all = tensor::getMixedSizes(
                                  rewriter, copy.getLoc(), collapse.getSrc()),
                              sizes;
    SmallVector<int64_t> permutation;
    for (unsigned dim = 0; dim < from.size(); ++dim) {
      ReassociationIndices group;
      for (int64_t of : from[toCopy.getDimPosition(dim)]) {
        group.push_back(permutation.size());
        permutation.push_back(of);
        sizes.push_back(all[of]);
      }
      to.push_back(group);
    }
    Value room = tensor::EmptyOp::create(
        rewriter, copy.getLoc(), sizes, collapse.getSrcType().getElementType());
    auto transposed = linalg::TransposeOp::create(
        rewriter, copy.getLoc(), collapse.getSrc(), room, permutation);
    rewriter.replaceOpWithNewOp<tensor::CollapseShapeOp>(
        copy, copy->getResult(0).getType(), transposed->getResult(0), to);
    return success();
  }
};

/// A product that starts from a row that is broadcast starts from zero, and the
/// row is added behind it, where it is read in place.
struct StartFromZero : OpInterfaceRewritePattern<linalg::LinalgOp> {
  StartFromZero(MLIRContext *context, Pass::Statistic &folded)
      : OpInterfaceRewritePattern(context), folded(folded) {}

  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override {
    if (!isContraction(op) || op->getNumResults() != 1)
      return failure();
    Operation *sum =
        op.getBlock()->getTerminator()->getOperand(0).getDefiningOp();
    Value init = op.getDpsInits()[0];
    std::optional<Relayout> relayout = getRelayout(init);
    // Sums in narrow floats would be rounded once more.
    Type element = getElementTypeOrSelf(init.getType());
    if (!relayout || !isa_and_present<arith::AddFOp, arith::AddIOp>(sum) ||
        relayout->map.getNumResults() == relayout->map.getNumDims() ||
        element.getIntOrFloatBitWidth() < 32)
      return failure();
    Location loc = op.getLoc();
    Value empty = tensor::EmptyOp::create(
        rewriter, loc, tensor::getMixedSizes(rewriter, loc, init), element);
    Value zero =
        arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(element));
    Value start =
        linalg::FillOp::create(rewriter, loc, zero, empty).getResult(0);
    SmallVector<Value> operands = op.getDpsInputs();
    operands.push_back(start);
    Value product =
        clone(rewriter, op, start.getType(), operands)->getResult(0);
    unsigned rank = relayout->map.getNumDims();
    AffineMap identity = rewriter.getMultiDimIdentityMap(rank);
    SmallVector<utils::IteratorType> iterators(rank,
                                               utils::IteratorType::parallel);
    rewriter.replaceOpWithNewOp<linalg::GenericOp>(
        op, op->getResultTypes(), ValueRange{product, relayout->source}, empty,
        ArrayRef<AffineMap>{identity, relayout->map, identity}, iterators,
        [&](OpBuilder &b, Location at, ValueRange values) {
          Value added = isa<FloatType>(element)
                            ? arith::AddFOp::create(b, at, values[0], values[1])
                                  .getResult()
                            : arith::AddIOp::create(b, at, values[0], values[1])
                                  .getResult();
          linalg::YieldOp::create(b, at, added);
        });
    ++folded;
    return success();
  }

  Pass::Statistic &folded;
};

struct FoldRelayoutPass : vortex::impl::FoldRelayoutBase<FoldRelayoutPass> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    patterns.add<ReadSource, WriteTransposed, StartFromZero>(context,
                                                             numFolded);
    patterns.add<SplitLoops, TransposeJoined>(context);
    linalg::populateFoldReshapeOpsByExpansionPatterns(patterns, takesOnSplit);
    populateReshapeCleanupPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
