//===- DecomposeOps.cpp - Rewrites tensor ops that have no lowering of their own
//-*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Conversion/Passes.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace vortex {
#define GEN_PASS_DEF_DECOMPOSEOPS
#include "vortex/Conversion/Passes.h.inc"
} // namespace vortex

using namespace mlir;

namespace {

/// Ops that offer their own decomposition, on tensors.
struct DecomposeAggregate
    : OpInterfaceRewritePattern<linalg::AggregatedOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;
  LogicalResult matchAndRewrite(linalg::AggregatedOpInterface op,
                                PatternRewriter &rewriter) const override {
    auto softmax = dyn_cast<linalg::SoftmaxOp>(op.getOperation());
    if (!softmax)
      return failure();
    if (isa<MemRefType>(softmax.getOutput().getType()))
      return valueOnMemory(rewriter, softmax);
    FailureOr<SmallVector<Value>> values = op.decomposeOperation(rewriter);
    if (failed(values))
      return failure();
    refine(rewriter, values->front());
    rewriter.replaceOp(op, *values);
    return success();
  }

private:
  /// On memory that is no value the result is one of its own, and copied: the
  /// op may write what it reads.
  LogicalResult valueOnMemory(PatternRewriter &rewriter,
                              linalg::SoftmaxOp op) const {
    auto from = dyn_cast<MemRefType>(op.getInput().getType());
    auto to = cast<MemRefType>(op.getOutput().getType());
    if (!from)
      return failure();
    Location loc = op.getLoc();
    auto type = RankedTensorType::get(from.getShape(), from.getElementType());
    Value input = bufferization::ToTensorOp::create(
        rewriter, loc, type, op.getInput(), /*restrict=*/true);
    Value empty = tensor::EmptyOp::create(
        rewriter, loc, memref::getMixedSizes(rewriter, loc, op.getInput()),
        from.getElementType());
    auto softmax =
        linalg::SoftmaxOp::create(rewriter, loc, TypeRange{empty.getType()},
                                  input, empty, op.getDimension());
    auto memory = MemRefType::get(from.getShape(), to.getElementType());
    Value result = bufferization::ToBufferOp::create(
        rewriter, loc, memory, softmax->getResult(0), /*read_only=*/true);
    rewriter.replaceOpWithNewOp<memref::CopyOp>(op, result, op.getOutput());
    rewriter.setInsertionPoint(softmax);
    return matchAndRewrite(
        cast<linalg::AggregatedOpInterface>(softmax.getOperation()), rewriter);
  }

  /// What the op leaves open and its decomposition settles, in favour of fewer
  /// instructions: the maximum starts at minus infinity instead of NaN (a row
  /// without a number is NaN either way), and rows may be multiplied by the
  /// reciprocal of their sum.
  static void refine(PatternRewriter &rewriter, Value softmax) {
    auto divide = softmax.getDefiningOp<linalg::LinalgOp>();
    divide->getRegion(0).walk([&](arith::DivFOp op) {
      op.setFastmath(op.getFastmath() | arith::FastMathFlags::arcp);
    });
    SetVector<Operation *> parts;
    BackwardSliceOptions options;
    options.filter = [](Operation *op) { return isa<linalg::LinalgOp>(op); };
    (void)getBackwardSlice(divide.getOperation(), &parts, options);
    for (Operation *part : parts) {
      auto fill = dyn_cast<linalg::FillOp>(part);
      FloatAttr start;
      if (!fill || !matchPattern(fill.getInputs()[0], m_Constant(&start)) ||
          !start.getValue().isNaN())
        continue;
      rewriter.setInsertionPoint(fill);
      auto least = APFloat::getInf(start.getValue().getSemantics(), true);
      fill->setOperand(0, arith::ConstantOp::create(
                              rewriter, fill.getLoc(),
                              rewriter.getFloatAttr(start.getType(), least)));
    }
  }
};

/// What a pack or unpack says of the dimensions of its unpacked side: which of
/// the packed side counts tiles and, where it is tiled, which is within a tile.
struct PackedDim {
  int64_t outer = -1, inner = -1;
  Value tile;
};

template <typename PackOrUnPack>
SmallVector<PackedDim> getPackedDims(OpBuilder &b, PackOrUnPack op,
                                     int64_t rank) {
  SmallVector<PackedDim> dims(rank);
  for (int64_t i = 0; i < rank; ++i)
    dims[op.getOuterDimsPerm().empty() ? i : op.getOuterDimsPerm()[i]].outer =
        i;
  for (auto [i, dim, tile] :
       llvm::enumerate(op.getInnerDimsPos(), op.getMixedTiles())) {
    dims[dim].inner = rank + int64_t(i);
    dims[dim].tile = getValueOrCreateConstantIndexOp(b, op.getLoc(), tile);
  }
  return dims;
}

/// A computation of each element of `destination` from its indices.
Value computeElements(
    PatternRewriter &rewriter, Location loc, Value destination,
    llvm::function_ref<Value(OpBuilder &, ValueRange)> element) {
  int64_t rank = cast<RankedTensorType>(destination.getType()).getRank();
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             rewriter, loc, destination.getType(), ValueRange(),
             ValueRange{destination},
             ArrayRef<AffineMap>{rewriter.getMultiDimIdentityMap(rank)}, loops,
             [&](OpBuilder &b, Location, ValueRange) {
               SmallVector<Value> at;
               for (int64_t d = 0; d < rank; ++d)
                 at.push_back(linalg::IndexOp::create(b, loc, d));
               linalg::YieldOp::create(b, loc, element(b, at));
             })
      .getResult(0);
}

/// Tiles of a size known at run time: upstream's reshapes need constants.
void packElements(PatternRewriter &rewriter, linalg::PackOp op) {
  Location loc = op.getLoc();
  Value source = op.getSource(), padding = op.getPaddingValue();
  auto type = cast<RankedTensorType>(source.getType());
  Type elementType = type.getElementType();
  SmallVector<PackedDim> dims = getPackedDims(rewriter, op, type.getRank());
  if (!padding)
    padding = arith::ConstantOp::create(rewriter, loc,
                                        rewriter.getZeroAttr(elementType));
  SmallVector<Value> sizes;
  for (int64_t d = 0; d < type.getRank(); ++d)
    sizes.push_back(tensor::DimOp::create(rewriter, loc, source, d));
  auto element = [&](OpBuilder &b, ValueRange at) -> Value {
    SmallVector<Value> from;
    Value inside = arith::ConstantIntOp::create(b, loc, 1, 1);
    for (auto [dim, size] : llvm::zip(dims, sizes)) {
      Value index = at[dim.outer];
      if (dim.tile)
        index = arith::AddIOp::create(
            b, loc, arith::MulIOp::create(b, loc, index, dim.tile),
            at[dim.inner]);
      from.push_back(index);
      inside = arith::AndIOp::create(
          b, loc, inside,
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, index,
                                size));
    }
    return scf::IfOp::create(
               b, loc, inside,
               [&](OpBuilder &b, Location) {
                 scf::YieldOp::create(
                     b, loc,
                     tensor::ExtractOp::create(b, loc, source, from)
                         .getResult());
               },
               [&](OpBuilder &b, Location) {
                 scf::YieldOp::create(b, loc, padding);
               })
        .getResult(0);
  };
  rewriter.replaceOp(op, computeElements(rewriter, loc, op.getDest(), element));
}

void unpackElements(PatternRewriter &rewriter, linalg::UnPackOp op) {
  Location loc = op.getLoc();
  Value source = op.getSource(), destination = op.getDest();
  int64_t rank = cast<RankedTensorType>(destination.getType()).getRank();
  SmallVector<PackedDim> dims = getPackedDims(rewriter, op, rank);
  // As tiles are in memory; vortex-check-sizes has seen to it that they hold
  // the result.
  for (auto &dim : dims)
    if (dim.tile)
      dim.tile = tensor::DimOp::create(rewriter, loc, source, dim.inner);
  auto element = [&](OpBuilder &b, ValueRange at) -> Value {
    SmallVector<Value> from(cast<RankedTensorType>(source.getType()).getRank());
    for (auto [index, dim] : llvm::zip(at, dims)) {
      if (!dim.tile) {
        from[dim.outer] = index;
        continue;
      }
      from[dim.outer] = arith::DivUIOp::create(b, loc, index, dim.tile);
      from[dim.inner] = arith::RemUIOp::create(b, loc, index, dim.tile);
    }
    return tensor::ExtractOp::create(b, loc, source, from);
  };
  rewriter.replaceOp(op, computeElements(rewriter, loc, destination, element));
}

struct DecomposePack : OpRewritePattern<linalg::PackOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(linalg::PackOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getInnerTiles().empty()) {
      packElements(rewriter, op);
      return success();
    }
    return linalg::lowerPack(rewriter, op,
                             /*lowerPadLikeWithInsertSlice=*/false);
  }
};

struct DecomposeUnPack : OpRewritePattern<linalg::UnPackOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(linalg::UnPackOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getInnerTiles().empty()) {
      unpackElements(rewriter, op);
      return success();
    }
    return linalg::lowerUnPack(rewriter, op,
                               /*lowerUnpadLikeWithExtractSlice=*/false);
  }
};

/// The sizes that `shape`, a tensor of numbers, gives; static ones as they are
/// in `type`.
SmallVector<OpFoldResult> getShapeSizes(PatternRewriter &rewriter, Location loc,
                                        Value shape, RankedTensorType type) {
  auto elements = shape.getDefiningOp<tensor::FromElementsOp>();
  SmallVector<OpFoldResult> sizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (!type.isDynamicDim(dim)) {
      sizes.push_back(rewriter.getIndexAttr(type.getDimSize(dim)));
      continue;
    }
    Value size;
    if (elements)
      size = elements.getElements()[dim];
    else
      size = tensor::ExtractOp::create(
          rewriter, loc, shape,
          ValueRange{arith::ConstantIndexOp::create(rewriter, loc, dim)});
    if (!size.getType().isIndex())
      size = arith::IndexCastOp::create(rewriter, loc, rewriter.getIndexType(),
                                        size);
    sizes.push_back(size);
  }
  return sizes;
}

/// A reshape by way of one dimension: its sizes are then numbers of the program
/// instead of elements in memory.
struct DecomposeReshape : OpRewritePattern<tensor::ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    auto from = dyn_cast<RankedTensorType>(op.getSource().getType());
    auto to = dyn_cast<RankedTensorType>(op.getType());
    if (!from || !to)
      return failure();
    Location loc = op.getLoc();
    auto flatten = [](int64_t rank) {
      SmallVector<ReassociationIndices> all;
      if (rank)
        all.emplace_back(llvm::to_vector(llvm::seq<int64_t>(0, rank)));
      return all;
    };
    auto flatType = [](RankedTensorType type) {
      return RankedTensorType::get({type.hasStaticShape()
                                        ? type.getNumElements()
                                        : ShapedType::kDynamic},
                                   type.getElementType());
    };
    Value value = op.getSource();
    if (from.getRank() == 0)
      value = tensor::ExpandShapeOp::create(
          rewriter, loc, flatType(from), value,
          ArrayRef<ReassociationIndices>(),
          ArrayRef<OpFoldResult>{rewriter.getIndexAttr(1)});
    else if (from.getRank() > 1)
      value = tensor::CollapseShapeOp::create(rewriter, loc, flatType(from),
                                              value, flatten(from.getRank()));
    if (value.getType() != flatType(to))
      value = tensor::CastOp::create(rewriter, loc, flatType(to), value);
    if (to.getRank() == 0)
      value = tensor::CollapseShapeOp::create(rewriter, loc, to, value,
                                              ArrayRef<ReassociationIndices>());
    else if (to.getRank() > 1)
      value = tensor::ExpandShapeOp::create(
          rewriter, loc, to, value, flatten(to.getRank()),
          getShapeSizes(rewriter, loc, op.getShape(), to));
    rewriter.replaceOp(op, value);
    return success();
  }
};

struct DecomposeOpsPass : vortex::impl::DecomposeOpsBase<DecomposeOpsPass> {
  void runOnOperation() override {
    auto checked = getOperation()->walk([](linalg::SoftmaxOp op) {
      for (Value value : op->getOperands())
        if (Type type = getElementTypeOrSelf(value); !isa<FloatType>(type)) {
          op.emitOpError("of ") << type << "; floats alone have a softmax";
          return WalkResult::interrupt();
        }
      return WalkResult::advance();
    });
    if (checked.wasInterrupted())
      return signalPassFailure();
    RewritePatternSet patterns(&getContext());
    patterns.add<DecomposeAggregate, DecomposePack, DecomposeReshape,
                 DecomposeUnPack>(&getContext());
    tensor::populateDecomposeTensorConcatPatterns(patterns);
    linalg::populateDecomposeWinogradOpsPatterns(patterns);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
    // Buffer deallocation places its own and refuses those of the program.
    getOperation()->walk([](memref::DeallocOp op) { op.erase(); });
  }
};
} // namespace
