//===- CollapsePixels.cpp - Convolutions that are products of all pixels --===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A window of one element that goes on by one meets each pixel once. Its loops
// are dropped, which leaves a product, and pixels that follow each other in
// all operands of what will be one kernel become rows. The kernels that will
// be formed are asked for first, so that no reshape comes between ops of one.
//
// Where matrix tiles make the product, windows of one element that go on by
// more do so, too: the pixels that they meet are copied side by side first.
//
//===----------------------------------------------------------------------===//

#include "DotProduct.h"
#include "KernelGroups.h"

#include "vortex/Dialect/Vortex/Analysis/SizeAnalysis.h"
#include "vortex/Dialect/Vortex/IR/WeightValues.h"
#include "vortex/Dialect/Vortex/Transforms/Passes.h"
#include "vortex/HwDesc/Targets.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/Utils/Utils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace vortex {
#define GEN_PASS_DEF_COLLAPSEPIXELS
#include "vortex/Dialect/Vortex/Transforms/Passes.h.inc"
} // namespace vortex

using namespace mlir;
using namespace vortex;

namespace {
/// A convolution, what is elementwise behind it in its kernel, and what is in
/// front of it to be added to.
struct Pixels {
  linalg::LinalgOp root;
  SmallVector<linalg::LinalgOp> elementwise;
  /// Loops of the convolution over one element each.
  SmallVector<unsigned, 4> window;
  /// Dimensions of the results that become one.
  SmallVector<ReassociationIndices> rows;
  /// Operands of the convolution that are the same at every call.
  SmallVector<unsigned> weights;
};
/// A product, and which operand is a weight.
using Weight = std::pair<linalg::LinalgOp, unsigned>;
} // namespace

/// The dimensions of a convolution by windows that are one pixel.
static std::optional<linalg::ConvolutionDimensions>
findDims(linalg::LinalgOp op) {
  FailureOr<linalg::ConvolutionDimensions> dims =
      linalg::inferConvolutionDims(op);
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  if (failed(dims) || !dims->depth.empty() || op.getNumDpsInputs() != 2 ||
      !op.hasPureTensorSemantics() ||
      !op.getIndexingMapsArray()[2].isProjectedPermutation() ||
      !llvm::all_of(dims->filterLoop,
                    [&](unsigned loop) { return extents[loop] == 1; }))
    return std::nullopt;
  return *dims;
}

/// Whether windows go on by one pixel in each direction.
static bool goOnByOne(const linalg::ConvolutionDimensions &dims) {
  return llvm::all_of(dims.strides, [](int64_t stride) { return stride == 1; });
}

/// The loops of windows that are one pixel and meet every pixel of the image.
static std::optional<SmallVector<unsigned, 4>> findWindow(linalg::LinalgOp op,
                                                          SizeAnalysis &sizes) {
  std::optional<linalg::ConvolutionDimensions> dims = findDims(op);
  if (!dims || !goOnByOne(*dims))
    return std::nullopt;
  AffineMap image = op.getIndexingMapsArray()[0],
            result = op.getIndexingMapsArray()[2];
  const SizeFacts &facts = sizes.getFactsAt(op);
  for (unsigned loop : dims->outputImage) {
    auto *walked = llvm::find_if(image.getResults(), [&](AffineExpr expr) {
      return expr.isFunctionOfDim(loop);
    });
    std::optional<unsigned> written =
        result.getResultPosition(getAffineDimExpr(loop, op.getContext()));
    if (facts.areEqual(sizes.getDim(op->getOperand(0),
                                    walked - image.getResults().begin()),
                       sizes.getDim(op->getResult(0), *written)) != Answer::Yes)
      return std::nullopt;
  }
  return llvm::to_vector<4>(dims->filterLoop);
}

/// Whether matrix tiles of all targets make the products of `op`.
static bool hasMatrixTiles(linalg::LinalgOp op) {
  std::optional<DotPayload> payload = matchDotPayload(op);
  return payload && haveMatrixTiles(op, *payload);
}

/// Whether the windows of `op` are one pixel of the image as it is and pass
/// over others, which tiles of rows cannot.
static bool skipsPixels(linalg::LinalgOp op) {
  std::optional<linalg::ConvolutionDimensions> dims = findDims(op);
  return dims && !goOnByOne(*dims) && hasMatrixTiles(op) &&
         !op->getOperand(0).getDefiningOp<tensor::PadOp>();
}

/// Copies the pixels that the windows of `op` meet, and moves these by one.
static void gatherPixels(IRRewriter &rewriter, linalg::LinalgOp op) {
  linalg::ConvolutionDimensions dims = *findDims(op);
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  Value image = op->getOperand(0), init = op.getDpsInits()[0];
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, image);
  SmallVector<AffineExpr> read, walked(maps[0].getResults());
  for (auto [dim, expr] : llvm::enumerate(maps[0].getResults())) {
    read.push_back(rewriter.getAffineDimExpr(dim));
    for (auto [pixel, tap, stride] :
         llvm::zip(dims.outputImage, dims.filterLoop, dims.strides)) {
      if (!expr.isFunctionOfDim(pixel))
        continue;
      AffineExpr loop = rewriter.getAffineDimExpr(pixel);
      sizes[dim] = tensor::getMixedSize(rewriter, loc, init,
                                        *maps[2].getResultPosition(loop));
      read.back() = read.back() * stride;
      walked[dim] = loop + rewriter.getAffineDimExpr(tap);
    }
  }
  int64_t rank = sizes.size();
  auto mapOf = [&](ArrayRef<AffineExpr> exprs, unsigned loops) {
    return AffineMap::get(loops, 0, exprs, rewriter.getContext());
  };
  Value memory = tensor::EmptyOp::create(rewriter, loc, sizes,
                                         getElementTypeOrSelf(image.getType()));
  auto copy = linalg::GenericOp::create(
      rewriter, loc, memory.getType(), image, memory,
      ArrayRef{mapOf(read, rank), rewriter.getMultiDimIdentityMap(rank)},
      SmallVector<utils::IteratorType>(rank, utils::IteratorType::parallel),
      [](OpBuilder &b, Location at, ValueRange values) {
        linalg::YieldOp::create(b, at, values.front());
      });
  maps[0] = mapOf(walked, maps[0].getNumDims());
  auto moved = linalg::GenericOp::create(
      rewriter, loc, init.getType(),
      ValueRange{copy->getResult(0), op->getOperand(1)}, init, maps,
      op.getIteratorTypesArray());
  rewriter.cloneRegionBefore(op->getRegion(0), moved.getRegion(),
                             moved.getRegion().end());
  rewriter.replaceOp(op, moved);
}

/// Whether a reshape of `value` moves nothing, whatever it was made by.
static bool isDense(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return isa<FunctionOpInterface>(value.getParentBlock()->getParentOp());
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
    return isDense(op->getOperand(0));
  return isa<linalg::LinalgOp, tensor::EmptyOp, tensor::PadOp>(op) ||
         matchPattern(op, m_Constant());
}

/// Whether nothing that reads `value` would rather write it in its own place.
static bool isRead(Value value) {
  return llvm::all_of(value.getUsers(), [](Operation *user) {
    if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(user))
      return isRead(user->getResult(0));
    return isa<linalg::LinalgOp, tensor::PadOp, tensor::DimOp>(user) ||
           user->hasTrait<OpTrait::ReturnLike>();
  });
}

/// Whether `init` is memory that nothing else has a use for.
static bool isFresh(Value init) {
  if (auto fill = init.getDefiningOp<linalg::FillOp>())
    return isFresh(fill.getDpsInits()[0]);
  return init.getDefiningOp<tensor::EmptyOp>() != nullptr;
}

static bool hasIndex(linalg::LinalgOp op) {
  return !op.getBlock()->getOps<linalg::IndexOp>().empty();
}

/// Whether dimensions of the result of `op` can become one, all of whose inputs
/// but `packed` it takes as they come.
static bool canCollapse(linalg::LinalgOp op, ArrayRef<unsigned> packed = {}) {
  return op.hasPureTensorSemantics() && op->getNumResults() == 1 &&
         !hasIndex(op) &&
         llvm::all_of(op.getDpsInputOperands(), [&](OpOperand *input) {
           return !isa<RankedTensorType>(input->get().getType()) ||
                  llvm::is_contained(packed, input->getOperandNumber()) ||
                  isDense(input->get());
         });
}

/// What makes the initial value of `root`, for it alone, of less than that: a
/// bias, copied to every pixel. It is then behind nothing in a kernel.
static linalg::LinalgOp findStart(linalg::LinalgOp root) {
  Value init = root.getDpsInits()[0];
  auto start = init.getDefiningOp<linalg::LinalgOp>();
  if (!start || !init.hasOneUse() || start.getNumReductionLoops() != 0 ||
      !canCollapse(start) || !isFresh(start.getDpsInits()[0]) ||
      start->getBlock() != root->getBlock() ||
      !start.getIndexingMapsArray().back().isIdentity() ||
      llvm::any_of(start.getDpsInputOperands(), [&](OpOperand *input) {
        return start.getMatchingIndexingMap(input).getNumResults() ==
               start.getNumLoops();
      }))
    return {};
  return start;
}

/// The dimensions of an operand that nothing but loops of `window` walks.
static llvm::SmallBitVector getWindowDims(AffineMap map,
                                          ArrayRef<unsigned> window) {
  llvm::SmallBitVector dims(map.getNumResults());
  for (auto [dim, expr] : llvm::enumerate(map.getResults()))
    if (auto loop = dyn_cast<AffineDimExpr>(expr))
      dims[dim] = llvm::is_contained(window, loop.getPosition());
  return dims;
}

/// Without the loops of `window` and what they alone index; those behind them
/// move up.
static AffineMap dropWindow(AffineMap map, ArrayRef<unsigned> window) {
  MLIRContext *context = map.getContext();
  SmallVector<AffineExpr> renamed;
  unsigned kept = 0;
  for (unsigned loop = 0; loop < map.getNumDims(); ++loop)
    renamed.push_back(llvm::is_contained(window, loop)
                          ? getAffineConstantExpr(0, context)
                          : getAffineDimExpr(kept++, context));
  return map.replaceDimsAndSymbols(renamed, {}, kept, 0)
      .dropResults(getWindowDims(map, window));
}

/// Whether the loops that give dimensions `dim` and `dim` + 1 of the results
/// follow each other in every operand that has one of them.
static bool areRows(const Pixels &pixels, int64_t dim) {
  SmallVector<AffineMap> maps;
  for (AffineMap map : linalg::LinalgOp(pixels.root).getIndexingMapsArray())
    maps.push_back(dropWindow(map, pixels.window));
  const AffineMap &image = maps.front(), &result = maps.back();
  auto isPermuted = [](AffineMap map) { return map.isProjectedPermutation(); };
  int64_t first = result.getDimPosition(dim),
          second = result.getDimPosition(dim + 1);
  if (!llvm::all_of(maps, isPermuted) || second != first + 1 ||
      !image.isFunctionOfDim(first) ||
      !linalg::areDimSequencesPreserved(maps, {{first, second}}))
    return false;
  return llvm::all_of(pixels.elementwise, [&](linalg::LinalgOp op) {
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    return llvm::all_of(maps, isPermuted) &&
           linalg::areDimSequencesPreserved(maps, {{dim, dim + 1}});
  });
}

static std::optional<Pixels> match(const KernelGroup &group,
                                   SizeAnalysis &sizes, WeightValues &fixed) {
  if (group.payloadClass != PayloadClass::Contraction)
    return std::nullopt;
  Pixels pixels;
  pixels.root = cast<linalg::LinalgOp>(group.anchor);
  std::optional<SmallVector<unsigned, 4>> window =
      findWindow(pixels.root, sizes);
  if (!window)
    return std::nullopt;
  pixels.window = *window;
  for (OpOperand *input : pixels.root.getDpsInputOperands())
    if (fixed.contains(input->get()))
      pixels.weights.push_back(input->getOperandNumber());
  // Padding is read around, where it is not copied.
  if (!canCollapse(pixels.root, pixels.weights) ||
      pixels.root->getOperand(0).getDefiningOp<tensor::PadOp>())
    return std::nullopt;
  for (Operation *op : ArrayRef(group.ops.getArrayRef()).drop_front()) {
    auto behind = cast<linalg::LinalgOp>(op);
    if (!canCollapse(behind) || !isFresh(behind.getDpsInits()[0]))
      return std::nullopt;
    pixels.elementwise.push_back(behind);
  }
  if (!isFresh(pixels.root.getDpsInits()[0])) {
    linalg::LinalgOp start = findStart(pixels.root);
    if (!start)
      return std::nullopt;
    pixels.elementwise.push_back(start);
  }
  if (!isRead(group.ops.back()->getResult(0)))
    return std::nullopt;
  int64_t rank =
      cast<RankedTensorType>(pixels.root->getResult(0).getType()).getRank();
  for (int64_t dim = 0; dim + 1 < rank; ++dim) {
    if (!areRows(pixels, dim))
      continue;
    if (pixels.rows.empty() || pixels.rows.back().back() != dim)
      pixels.rows.push_back({dim});
    pixels.rows.back().push_back(dim + 1);
  }
  if (pixels.rows.empty())
    return std::nullopt;
  return pixels;
}

/// The product that the convolution is.
static linalg::GenericOp makeProduct(IRRewriter &rewriter,
                                     const Pixels &pixels) {
  linalg::LinalgOp op = pixels.root;
  SmallVector<AffineMap> maps;
  SmallVector<Value> operands;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    Value value = operand.get();
    llvm::SmallBitVector dropped = getWindowDims(map, pixels.window);
    if (dropped.any()) {
      // Where a weight is, not in a loop: there it is packed once.
      rewriter.setInsertionPoint(op);
      if (llvm::is_contained(pixels.weights, operand.getOperandNumber()))
        rewriter.setInsertionPointAfterValue(value);
      value = tensor::dropGivenUnitDims(rewriter, op.getLoc(), value, dropped);
    }
    maps.push_back(dropWindow(map, pixels.window));
    operands.push_back(value);
  }
  SmallVector<utils::IteratorType> iterators;
  for (auto [loop, iterator] : llvm::enumerate(op.getIteratorTypesArray()))
    if (!llvm::is_contained(pixels.window, loop))
      iterators.push_back(iterator);
  rewriter.setInsertionPoint(op);
  auto product = linalg::GenericOp::create(
      rewriter, op.getLoc(), operands.back().getType(),
      ArrayRef(operands).drop_back(), operands.back(), maps, iterators);
  rewriter.cloneRegionBefore(op->getRegion(0), product.getRegion(),
                             product.getRegion().end());
  rewriter.replaceOp(op, product);
  return product;
}

static FailureOr<linalg::LinalgOp>
collapse(IRRewriter &rewriter, linalg::LinalgOp op,
         ArrayRef<ReassociationIndices> loops) {
  rewriter.setInsertionPoint(op);
  if (!isa<linalg::GenericOp>(op)) {
    FailureOr<linalg::GenericOp> generic =
        linalg::generalizeNamedOp(rewriter, op);
    if (failed(generic))
      return failure();
    op = *generic;
    rewriter.setInsertionPoint(op);
  }
  FailureOr<linalg::CollapseResult> collapsed =
      linalg::collapseOpIterationDims(op, loops, rewriter);
  if (failed(collapsed))
    return failure();
  rewriter.replaceOp(op, collapsed->results);
  return collapsed->collapsedOp;
}

static LogicalResult apply(IRRewriter &rewriter, const Pixels &pixels,
                           SmallVectorImpl<Weight> &weights) {
  linalg::GenericOp product = makeProduct(rewriter, pixels);
  AffineMap result = product.getIndexingMapsArray().back();
  SmallVector<ReassociationIndices> loops;
  for (const ReassociationIndices &dims : pixels.rows)
    loops.push_back(llvm::map_to_vector<2>(dims, [&](int64_t dim) {
      return int64_t(result.getDimPosition(dim));
    }));
  FailureOr<linalg::LinalgOp> collapsed = collapse(rewriter, product, loops);
  if (failed(collapsed))
    return failure();
  for (unsigned operand : pixels.weights)
    weights.push_back({*collapsed, operand});
  // Their loops are the dimensions of their results.
  for (linalg::LinalgOp op : pixels.elementwise)
    if (failed(collapse(rewriter, op, pixels.rows)))
      return failure();
  return success();
}

void vortex::populateReshapeCleanupPatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns, context);
  tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, context);
  tensor::DimOp::getCanonicalizationPatterns(patterns, context);
  linalg::FillOp::getCanonicalizationPatterns(patterns, context);
  tensor::populateFoldTensorEmptyPatterns(patterns);
}

namespace {
struct CollapsePixelsPass
    : vortex::impl::CollapsePixelsBase<CollapsePixelsPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    LogicalResult result =
        forEachFunction(getOperation(), [&](FunctionOpInterface function) {
          SmallVector<linalg::LinalgOp> skipping;
          for (Block *block : getProgramBlocks(function))
            for (auto op : block->getOps<linalg::LinalgOp>())
              if (skipsPixels(op))
                skipping.push_back(op);
          for (linalg::LinalgOp op : skipping)
            gatherPixels(rewriter, op);
          SmallVector<Pixels> found;
          std::optional<SizeAnalysis> sizes(std::in_place, function,
                                            SizeTrust::Ops);
          std::optional<WeightValues> fixed(std::in_place, function);
          for (Block *block : getProgramBlocks(function))
            for (const KernelGroup &group : groupKernels(function, *block))
              if (std::optional<Pixels> pixels = match(group, *sizes, *fixed))
                found.push_back(std::move(*pixels));
          sizes.reset();
          fixed.reset();
          if (found.empty())
            return success();
          SmallVector<Weight> weights;
          for (const Pixels &pixels : found)
            if (failed(apply(rewriter, pixels, weights)))
              return LogicalResult(function.emitError(
                  "pixels that follow each other could not become rows"));
          RewritePatternSet patterns(&getContext());
          populateReshapeCleanupPatterns(patterns);
          if (failed(applyPatternsGreedily(function, std::move(patterns))))
            return failure();
          // Products pack what weights have become.
          for (auto [product, operand] : weights)
            if (Operation *view = product->getOperand(operand).getDefiningOp();
                view && !matchPattern(view, m_Constant()))
              view->setAttr(kBindAttr, rewriter.getUnitAttr());
          numProducts += found.size();
          return success();
        });
    if (failed(result))
      signalPassFailure();
  }
};
} // namespace
