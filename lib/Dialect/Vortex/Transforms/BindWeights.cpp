//===- BindWeights.cpp - Weights are packed once ---------------------- -===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DotProduct.h"
#include "PackTiles.h"

#include "vortex/Dialect/Vortex/IR/WeightValues.h"
#include "vortex/Dialect/Vortex/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

namespace vortex {
#define GEN_PASS_DEF_BINDWEIGHTS
#include "vortex/Dialect/Vortex/Transforms/Passes.h.inc"
} // namespace vortex

#define DEBUG_TYPE "vortex-bind-weights"

using namespace mlir;
using namespace vortex;

namespace {
/// A packed form: the weight, its dimensions in tiles and their sizes, and
/// the order of the outer dimensions.
using PackKey = std::tuple<Value, ArrayAttr, ArrayAttr, ArrayAttr>;

class WeightBinder {
public:
  explicit WeightBinder(FunctionOpInterface function) : function(function) {}
  LogicalResult run();

private:
  LogicalResult bind(KernelOp kernel, LoadAttr load, Value size);
  void bindColumnSums(KernelOp kernel, int64_t input);
  Value sumsOf(Value weight, AffineMap kept, Location loc);
  Value narrowPart(Value weight, int64_t dim, int64_t lanes, Location loc);
  Value packed(Value weight, ArrayRef<int64_t> split, ArrayRef<int64_t> tiles,
               ArrayRef<int64_t> order, Location loc);
  Value packedFor(KernelOp kernel, Value weight, ArrayRef<int64_t> split,
                  ArrayRef<int64_t> tiles, ArrayRef<int64_t> order);

  FunctionOpInterface function;
  DenseMap<PackKey, Value> forms;
  DenseMap<std::pair<Value, AffineMap>, Value> sums;
};
} // namespace

/// `weight` where it has fewer columns, its dimension `dim`, than lanes; else
/// none of them.
Value WeightBinder::narrowPart(Value weight, int64_t dim, int64_t lanes,
                               Location loc) {
  auto type = cast<RankedTensorType>(weight.getType());
  if (!type.isDynamicDim(dim))
    return weight;
  OpBuilder b(weight.getContext());
  b.setInsertionPointAfterValue(weight);
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, weight);
  SmallVector<OpFoldResult> offsets(sizes.size(), b.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(sizes.size(), b.getIndexAttr(1));
  Value columns = cast<Value>(sizes[dim]);
  Value few =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, columns,
                            arith::ConstantIndexOp::create(b, loc, lanes));
  sizes[dim] =
      arith::SelectOp::create(b, loc, few, columns,
                              arith::ConstantIndexOp::create(b, loc, 0))
          .getResult();
  return tensor::ExtractSliceOp::create(b, loc, type, weight, offsets, sizes,
                                        strides);
}

/// A tile of one column is no dimension; the second of `tiles` is the lanes
/// that such a weight has fewer columns than.
Value WeightBinder::packed(Value weight, ArrayRef<int64_t> split,
                           ArrayRef<int64_t> tiles, ArrayRef<int64_t> order,
                           Location loc) {
  OpBuilder b(weight.getContext());
  PackKey key = {weight, b.getI64ArrayAttr(split), b.getI64ArrayAttr(tiles),
                 b.getI64ArrayAttr(order)};
  auto [it, inserted] = forms.try_emplace(key);
  if (!inserted)
    return it->second;
  if (tiles.size() > split.size()) {
    weight = narrowPart(weight, split[0], tiles[1], loc);
    split = tiles = {};
  }
  b.setInsertionPointAfterValue(weight);
  auto type = cast<RankedTensorType>(weight.getType());
  SmallVector<OpFoldResult> shape;
  for (int64_t dim : order) {
    OpFoldResult extent = tensor::getMixedSize(b, loc, weight, dim);
    for (auto [position, tile] : llvm::zip(split, tiles)) {
      if (dim != position)
        continue;
      if (auto known = getConstantIntValue(extent))
        extent = b.getIndexAttr(llvm::divideCeil(*known, tile));
      else
        extent = arith::CeilDivUIOp::create(
                     b, loc, cast<Value>(extent),
                     arith::ConstantIndexOp::create(b, loc, tile))
                     .getResult();
    }
    shape.push_back(extent);
  }
  SmallVector<OpFoldResult> tileSizes =
      getAsIndexOpFoldResult(b.getContext(), tiles);
  llvm::append_range(shape, tileSizes);
  Value destination =
      tensor::EmptyOp::create(b, loc, shape, type.getElementType());
  Value zero =
      arith::ConstantOp::create(b, loc, b.getZeroAttr(type.getElementType()));
  auto pack = linalg::PackOp::create(
      b, loc, weight, destination, split, tileSizes,
      split.empty() ? std::optional<Value>() : zero, order);
  pack->setAttr(kBindAttr, b.getUnitAttr());
  return it->second = pack->getResult(0);
}

/// The sums of a weight over its dimensions that are not in `kept`, whose
/// results are those that are.
Value WeightBinder::sumsOf(Value weight, AffineMap kept, Location loc) {
  auto [it, inserted] = sums.try_emplace({weight, kept});
  if (!inserted)
    return it->second;
  OpBuilder b(weight.getContext());
  b.setInsertionPointAfterValue(weight);
  // Loops in the order of memory.
  int64_t rank = kept.getNumDims();
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::reduction);
  SmallVector<OpFoldResult> sizes;
  for (AffineExpr expr : kept.getResults()) {
    unsigned dim = cast<AffineDimExpr>(expr).getPosition();
    iterators[dim] = utils::IteratorType::parallel;
    sizes.push_back(tensor::getMixedSize(b, loc, weight, dim));
  }
  AffineMap identity = b.getMultiDimIdentityMap(rank);
  Type i32 = b.getI32Type();
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(i32));
  Value empty = tensor::EmptyOp::create(b, loc, sizes, i32);
  Value init = linalg::FillOp::create(b, loc, zero, empty).getResult(0);
  auto total = linalg::GenericOp::create(
      b, loc, init.getType(), weight, init, {identity, kept}, iterators,
      [](OpBuilder &b, Location loc, ValueRange args) {
        Value wide = arith::ExtSIOp::create(b, loc, args[1].getType(), args[0]);
        Value sum = arith::AddIOp::create(b, loc, args[1], wide);
        linalg::YieldOp::create(b, loc, sum);
      });
  total->setAttr(kBindAttr, b.getUnitAttr());
  return it->second = total.getResult(0);
}

/// Whether the anchor reads what is padded where it lies: no candidate copies
/// it, and with it the padding.
static bool readsAroundPadding(KernelOp kernel, Value operand) {
  if (!operand.getDefiningOp<tensor::PadOp>())
    return false;
  bool copies = false;
  kernel.getCandidates().walk([&](LevelOp level) {
    copies |= llvm::any_of(level.getLoads(), [](Attribute load) {
      return cast<LoadAttr>(load).getLayout() == LayoutKind::Copy;
    });
  });
  return !copies;
}

/// Gives the anchor the sums of the columns of the weight at `input`, if its
/// instruction needs them and the whole reduction runs at once; where it leaves
/// out padding, also those of each step of the outer reductions.
void WeightBinder::bindColumnSums(KernelOp kernel, int64_t input) {
  auto anchor = cast<linalg::LinalgOp>(kernel.getAnchor());
  std::optional<DotPayload> payload = matchDotPayload(anchor);
  const DotInstruction *instruction = nullptr;
  bool blocks = false;
  kernel.getCandidates().walk([&](Operation *op) {
    if (auto level = dyn_cast<LevelOp>(op))
      blocks |= llvm::is_contained(level.getClasses(),
                                   static_cast<int32_t>(AxisClass::TRL));
    auto stage = dyn_cast<StageOp>(op);
    if (stage && stage.getMicro() && stage.getMicro()->getGroup() > 1)
      instruction = lookupDotInstruction(stage.getMicro()->getOpcode(),
                                         stage.getMicro()->getLanes() * 32);
  });
  BlockArgument factor = kernel.getPayload().front().getArgument(input);
  if (!payload || !instruction || blocks ||
      matchOperands(*payload, *instruction) != DotOperands::Offset ||
      anchor->getOperand(payload->inputB) != factor ||
      !canUseColumnSums(anchor, *payload))
    return;
  OpBuilder b(anchor);
  SmallVector<AffineMap> maps = anchor.getIndexingMapsArray();
  AffineMap mapB = maps[payload->inputB];
  AffineExpr column = maps.back().getResults().back();
  Value weight = kernel.getInputs()[input];
  unsigned numInputs = anchor.getNumDpsInputs(), count = 0;
  SmallVector<Value> operands(anchor->getOperands());
  SmallVector<NamedAttribute> attributes;
  // Of the dimensions of B that the loops `kept` walk.
  auto append = [&](StringRef name, function_ref<bool(AffineExpr)> kept) {
    SmallVector<AffineExpr> dims, exprs;
    for (auto [dim, expr] : llvm::enumerate(mapB.getResults()))
      if (kept(expr)) {
        dims.push_back(b.getAffineDimExpr(dim));
        exprs.push_back(expr);
      }
    Value value = sumsOf(
        weight,
        AffineMap::get(mapB.getNumResults(), 0, dims, kernel.getContext()),
        kernel.getLoc());
    unsigned at = kernel.getInputs().size();
    kernel.getInputsMutable().append(value);
    Value argument = kernel.getPayload().front().insertArgument(
        at, value.getType(), kernel.getLoc());
    unsigned position = numInputs + count++;
    operands.insert(operands.begin() + position, argument);
    maps.insert(
        maps.begin() + position,
        AffineMap::get(anchor.getNumLoops(), 0, exprs, kernel.getContext()));
    attributes.push_back(b.getNamedAttr(name, b.getI64IntegerAttr(position)));
  };
  append(kColumnSumsAttr, [&](AffineExpr expr) { return expr == column; });
  if (readsAroundPadding(kernel, anchor->getOperand(payload->inputA))) {
    SmallVector<unsigned> reductions;
    anchor.getReductionDims(reductions);
    AffineExpr innermost = b.getAffineDimExpr(reductions.back());
    append(kStepSumsAttr, [&](AffineExpr expr) { return expr != innermost; });
  }
  auto generic = linalg::GenericOp::create(
      b, anchor.getLoc(), anchor->getResultTypes(),
      ValueRange(operands).take_front(numInputs + count),
      ValueRange(operands).drop_front(numInputs + count), maps,
      anchor.getIteratorTypesArray());
  generic.getRegion().takeBody(anchor->getRegion(0));
  for (unsigned i = 0; i < count; ++i)
    generic.getRegion().front().insertArgument(numInputs, b.getI32Type(),
                                               anchor.getLoc());
  for (StringRef name : {kIdAttr, kAnchorAttr})
    if (Attribute attr = anchor->getAttr(name))
      generic->setAttr(name, attr);
  for (NamedAttribute attribute : attributes)
    generic->setAttr(attribute.getName(), attribute.getValue());
  anchor->replaceAllUsesWith(generic->getResults());
  anchor->erase();
}

/// The packed form of what `kernel` reads. Where that is one of several
/// weights, all of them are packed, and the kernel takes its part of that.
Value WeightBinder::packedFor(KernelOp kernel, Value weight,
                              ArrayRef<int64_t> split, ArrayRef<int64_t> tiles,
                              ArrayRef<int64_t> order) {
  auto slice = weight.getDefiningOp<tensor::ExtractSliceOp>();
  std::optional<int64_t> picked = slice && !slice.getOffsets().empty()
                                      ? getPickedDims(slice)
                                      : std::nullopt;
  if (!picked)
    return packed(weight, split, tiles, order, kernel.getLoc());
  auto behind = [&](ArrayRef<int64_t> dims) {
    return llvm::map_to_vector(dims,
                               [&](int64_t dim) { return dim + *picked; });
  };
  SmallVector<int64_t> outer = llvm::to_vector(llvm::seq<int64_t>(0, *picked));
  llvm::append_range(outer, behind(order));
  Value all =
      packed(slice.getSource(), behind(split), tiles, outer, kernel.getLoc());
  OpBuilder b(kernel);
  auto type = cast<RankedTensorType>(all.getType());
  SmallVector<OpFoldResult> sizes =
      getAsIndexOpFoldResult(b.getContext(), type.getShape());
  SmallVector<OpFoldResult> offsets(sizes.size(), b.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(sizes.size(), b.getIndexAttr(1));
  for (int64_t dim = 0; dim < *picked; ++dim) {
    offsets[dim] = slice.getMixedOffsets()[dim];
    sizes[dim] = b.getIndexAttr(1);
  }
  return tensor::ExtractSliceOp::create(
      b, kernel.getLoc(),
      RankedTensorType::get(type.getShape().drop_front(*picked),
                            type.getElementType()),
      all, offsets, sizes, strides);
}

/// Lanes of the candidate's vectors.
static int64_t getLanes(KernelOp kernel) {
  int64_t lanes = 1;
  kernel.getCandidates().walk([&](StageOp stage) {
    if (std::optional<MicroKernelAttr> micro = stage.getMicro())
      lanes = std::max(lanes, micro->getLanes());
  });
  return lanes;
}

LogicalResult WeightBinder::bind(KernelOp kernel, LoadAttr load, Value size) {
  APInt tile;
  if (!matchPattern(size, m_ConstantInt(&tile)))
    return kernel.emitOpError(
        "binds a weight to panels whose width is not a constant");
  auto anchor = cast<linalg::LinalgOp>(kernel.getAnchor());
  Block &payload = kernel.getPayload().front();
  BlockArgument argument = payload.getArgument(load.getOperand());
  OpOperand *operand = nullptr;
  for (OpOperand *input : anchor.getDpsInputOperands())
    if (input->get() == argument)
      operand = input;
  if (!operand)
    return kernel.emitOpError() << "binds input " << load.getOperand()
                                << ", which its anchor does not read";
  AffineMap map = anchor.getMatchingIndexingMap(operand);
  AffineMap out = anchor.getIndexingMapsArray().back();
  auto position = map.getResultPosition(
      getAffineDimExpr(load.getAxis(), kernel.getContext()));
  if (!position)
    return kernel.emitOpError() << "binds input " << load.getOperand()
                                << " along an axis that does not index it";
  // As expansion lays operands out.
  SmallVector<int64_t> order = getPackedOrder(map, out, *position);
  int64_t rank = map.getNumResults();

  SmallVector<int64_t> split = {static_cast<int64_t>(*position)};
  SmallVector<int64_t> tiles = {tile.getSExtValue()};
  if (load.getGroup() > 1) {
    std::optional<unsigned> grouped = getGroupedDim(anchor, map);
    if (!grouped)
      return kernel.emitOpError()
             << "binds input " << load.getOperand() << " in groups of "
             << load.getGroup()
             << ", but its innermost reduction does not index it alone";
    split.push_back(*grouped);
    tiles.push_back(load.getGroup());
  }
  if (tile == 1 && load.getGroup() == 1)
    tiles.push_back(getLanes(kernel));
  Value weight = kernel.getInputs()[load.getOperand()];
  Value form = packedFor(kernel, weight, split, tiles, order);
  // The weight's sizes stay visible through tensor.dim; its elements come
  // from the packed form.
  OpBuilder b(kernel.getContext());
  b.setInsertionPoint(kernel);
  SmallVector<Value> extents;
  auto type = cast<RankedTensorType>(weight.getType());
  for (int64_t dim = 0; dim < rank; ++dim)
    if (type.isDynamicDim(dim))
      extents.push_back(tensor::DimOp::create(b, kernel.getLoc(), weight, dim));
  kernel.getInputsMutable()[load.getOperand()].set(form);
  kernel.getInputsMutable().append(extents);
  unsigned at = kernel.getInputs().size() - extents.size();
  SmallVector<Value> extentArguments;
  for (Value extent : extents)
    extentArguments.push_back(
        payload.insertArgument(at++, extent.getType(), kernel.getLoc()));
  argument.setType(form.getType());
  b.setInsertionPointToStart(&payload);
  Value destination =
      tensor::EmptyOp::create(b, kernel.getLoc(), type.getShape(),
                              type.getElementType(), extentArguments);
  if (tiles.size() > split.size()) {
    split.clear();
    tiles.clear();
  }
  Value unpacked = linalg::UnPackOp::create(
                       b, kernel.getLoc(), argument, destination, split,
                       getAsIndexOpFoldResult(b.getContext(), tiles), order)
                       ->getResult(0);
  argument.replaceUsesWithIf(unpacked, [&](OpOperand &use) {
    return use.getOwner() != unpacked.getDefiningOp();
  });
  return success();
}

LogicalResult WeightBinder::run() {
  SmallVector<KernelOp> kernels;
  function->walk([&](KernelOp kernel) {
    if (kernel.getCandidateOps().size() == 1)
      kernels.push_back(kernel);
  });
  for (KernelOp kernel : kernels) {
    SmallVector<std::pair<LoadAttr, Value>> loads;
    kernel.getCandidates().walk([&](LevelOp level) {
      for (auto [load, size] :
           llvm::zip(level.getLoads(), level.getLoadSizes()))
        if (cast<LoadAttr>(load).getBound())
          loads.push_back({cast<LoadAttr>(load), size});
    });
    for (auto [load, size] : loads) {
      // Already bound by an earlier run.
      auto type = dyn_cast<RankedTensorType>(
          kernel.getInputs()[load.getOperand()].getType());
      BlockArgument argument =
          kernel.getPayload().front().getArgument(load.getOperand());
      if (type && argument.hasOneUse() &&
          isa<linalg::UnPackOp>(*argument.user_begin()))
        continue;
      if (load.getGroup() > 1)
        bindColumnSums(kernel, load.getOperand());
      if (failed(bind(kernel, load, size)))
        return failure();
    }
  }
  return success();
}

namespace {
struct BindWeightsPass : vortex::impl::BindWeightsBase<BindWeightsPass> {
  void runOnOperation() override {
    if (failed(
            forEachFunction(getOperation(), [](FunctionOpInterface function) {
              return WeightBinder(function).run();
            })))
      signalPassFailure();
  }
};
} // namespace
