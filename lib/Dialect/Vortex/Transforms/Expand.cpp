//===- Expand.cpp - A candidate becomes its nest of loops -----------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The payload is inlined in front of the kernel and the candidate's tree is
// walked from the outside in. A level tiles the last op below it and fuses the
// others; a load lays its operand out inside the level; a stage wraps what is
// left into a vortex.micro_kernel. All tiling is upstream's.
//
//===----------------------------------------------------------------------===//

#include "DotProduct.h"
#include "MicroKernelEmitter.h"
#include "PayloadClass.h"
#include "TileLimits.h"

#include "vortex/Dialect/Vortex/Transforms/AxisExtents.h"
#include "vortex/Dialect/Vortex/Transforms/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/StringSet.h"

namespace vortex {
#define GEN_PASS_DEF_EXPANDKERNELS
#include "vortex/Dialect/Vortex/Transforms/Passes.h.inc"
} // namespace vortex

#define DEBUG_TYPE "vortex-expand"

using namespace mlir;
using namespace vortex;

namespace {
/// An operand of the anchor laid out in the memory of a level.
struct Relayout {
  Value block;  ///< the operand's slice at the level that loads it
  Value packed; ///< its packed form
  LayoutKind layout;
  int64_t position;           ///< dimension of `block` split into tiles
  OpFoldResult tile;          ///< tile of that dimension
  int64_t group = 1;          ///< steps of the reduction beside each other
  int64_t groupDim = -1;      ///< dimension of `block` that it walks
  SmallVector<int64_t> order; ///< outer dimensions of `packed`, by `block`'s
};

class Expansion {
public:
  Expansion(IRRewriter &rewriter, KernelOp kernel, CandidateOp candidate)
      : rewriter(rewriter), kernel(kernel), candidate(candidate) {}
  /// Replaces the kernel by the candidate's nest.
  LogicalResult run();

private:
  LogicalResult expandBlock(Block &block, bool outermost);
  LogicalResult expandLevel(LevelOp level, bool outermost);
  LogicalResult expandStage(StageOp stage);
  void mergeCopies(ArrayRef<StringRef> ids);
  LogicalResult tile(LevelOp level, bool outermost);
  LogicalResult load(LevelOp level);
  OpOperand *findLoaded(int64_t position);
  LogicalResult layOut(LoadAttr load, Value size);
  LogicalResult copyTogether(LevelOp level, LoadAttr load);
  LogicalResult copyWindow(LoadAttr load);
  void useRelayouts(linalg::LinalgOp anchor);
  FailureOr<int64_t> loopOfAxis(TilingInterface root, int64_t axis);
  Operation *rootOf(Operation *tree);
  Operation *find(StringRef id) { return scope.lookup(id); }
  linalg::LinalgOp anchor() {
    return dyn_cast_if_present<linalg::LinalgOp>(find(anchorId));
  }

  IRRewriter &rewriter;
  KernelOp kernel;
  CandidateOp candidate;
  IRMapping sizes; ///< candidate values -> values in front of the kernel
  llvm::StringMap<Operation *> scope; ///< payload ops by id, at this depth
  std::string anchorId;
  llvm::StringSet<> staged;         ///< ids that some stage names
  DenseSet<Operation *> payloadOps; ///< as they are before any is tiled
  SmallVector<Relayout> relayouts;
};
} // namespace

static StringRef idOf(Operation *op) {
  auto id = op->getAttrOfType<StringAttr>(kIdAttr);
  return id ? id.getValue() : StringRef();
}

static SmallVector<StringRef> idsIn(Operation *tree) {
  SmallVector<StringRef> ids;
  tree->walk([&](StageOp stage) {
    for (Attribute id : stage.getOps())
      ids.push_back(cast<StringAttr>(id).getValue());
  });
  return ids;
}

LogicalResult Expansion::run() {
  auto product = dyn_cast_if_present<linalg::LinalgOp>(kernel.getAnchor());
  if (product && product.getNumLoops() < kernel.getAxes().size())
    return candidate.emitOpError(
        "reduces rows of a chain as they come, which has no nest on tensors");
  rewriter.setInsertionPoint(kernel);
  // Sizes come first: everything below uses them.
  if (failed(mapCandidateArguments(rewriter, kernel, sizes)))
    return failure();
  Block &candidates = kernel.getCandidates().front();
  for (Operation &op : candidates)
    if (!isa<CandidateOp>(op))
      rewriter.clone(op, sizes);
  // Arithmetic inside the schedule region belongs to this candidate alone.
  for (Operation &op : candidate.getSchedule().front())
    if (!isa<LevelOp, StageOp>(op))
      rewriter.clone(op, sizes);

  Block &payload = kernel.getPayload().front();
  IRMapping map;
  map.map(payload.getArguments(), kernel->getOperands());
  for (Operation &op : payload.without_terminator()) {
    Operation *clone = rewriter.clone(op, map);
    payloadOps.insert(clone);
    if (StringRef id = idOf(clone); !id.empty())
      scope[id] = clone;
    if (op.hasAttr(kAnchorAttr))
      anchorId = idOf(clone).str();
  }
  if (anchorId.empty())
    return kernel.emitOpError("has an anchor without a vortex.id");

  for (StringRef id : idsIn(candidate))
    staged.insert(id);
  SmallVector<Value> yielded =
      llvm::map_to_vector(payload.getTerminator()->getOperands(),
                          [&](Value v) { return map.lookupOrDefault(v); });
  rewriter.replaceAllUsesWith(kernel.getResults(), yielded);
  if (failed(expandBlock(candidate.getSchedule().front(), true)))
    return failure();
  rewriter.eraseOp(kernel);
  return success();
}

LogicalResult Expansion::expandBlock(Block &block, bool outermost) {
  for (Operation &op : block) {
    if (auto level = dyn_cast<LevelOp>(op)) {
      // What is below replaces ops of this depth only for this subtree.
      llvm::StringMap<Operation *> saved = scope;
      SmallVector<Relayout> savedRelayouts = relayouts;
      if (failed(expandLevel(level, outermost)))
        return failure();
      scope = std::move(saved);
      relayouts = std::move(savedRelayouts);
    } else if (auto stage = dyn_cast<StageOp>(op)) {
      if (failed(expandStage(stage)))
        return failure();
    }
  }
  return success();
}

LogicalResult Expansion::expandLevel(LevelOp level, bool outermost) {
  // Tensors say nothing of who loads: the level around has the loads.
  if (level.getRole() == "producer")
    return success();
  if (level.getCombine() && level.getKind() != LoopKind::Grid)
    return level.emitOpError("divides a reduction among units, which has no "
                             "nest on tensors yet");
  if (!level.getAxes().empty() && failed(tile(level, outermost)))
    return failure();
  if (failed(load(level)))
    return failure();
  return expandBlock(level.getBody().front(),
                     outermost && level.getAxes().empty());
}

/// The op of `tree` that no other op of it uses.
Operation *Expansion::rootOf(Operation *tree) {
  llvm::StringSet<> ids;
  for (StringRef id : idsIn(tree))
    ids.insert(id);
  for (const auto &entry : ids) {
    Operation *op = find(entry.getKey());
    if (!op)
      continue;
    bool used = llvm::any_of(op->getUsers(), [&](Operation *user) {
      return ids.contains(idOf(user)) && find(idOf(user)) == user;
    });
    if (!used)
      return op;
  }
  return nullptr;
}

/// The loop of `root` that walks `axis` of the anchor, found through the
/// values between them. The payload says so: tiling renews ops, not loops.
FailureOr<int64_t> Expansion::loopOfAxis(TilingInterface root, int64_t axis) {
  auto from = dyn_cast_if_present<linalg::LinalgOp>(kernel.getAnchor());
  StringRef goal = idOf(root);
  if (!from || idOf(from) == goal)
    return axis;
  SmallVector<std::pair<linalg::LinalgOp, int64_t>> work = {{from, axis}};
  DenseSet<Operation *> seen;
  while (!work.empty()) {
    auto [op, loop] = work.pop_back_val();
    if (idOf(op) == goal)
      return loop;
    for (OpResult result : op->getResults()) {
      AffineMap map = op.getIndexingMapMatchingResult(result);
      auto dim =
          map.getResultPosition(getAffineDimExpr(loop, rewriter.getContext()));
      if (!dim)
        continue;
      for (OpOperand &use : result.getUses()) {
        auto user = dyn_cast<linalg::LinalgOp>(use.getOwner());
        if (!user || !seen.insert(user).second)
          continue;
        if (auto expr = dyn_cast<AffineDimExpr>(
                user.getMatchingIndexingMap(&use).getResult(*dim)))
          work.push_back({user, expr.getPosition()});
      }
    }
  }
  return failure();
}

LogicalResult Expansion::tile(LevelOp level, bool outermost) {
  Operation *rootOp = rootOf(level);
  auto root = dyn_cast_if_present<TilingInterface>(rootOp);
  if (!root)
    return level.emitOpError("holds no payload op that can be tiled");
  bool reduces = llvm::is_contained(level.getClasses(),
                                    static_cast<int32_t>(AxisClass::TRL));
  SmallVector<OpFoldResult> tileSizes(root.getLoopIteratorTypes().size(),
                                      rewriter.getIndexAttr(0));
  auto contraction = dyn_cast_if_present<linalg::LinalgOp>(kernel.getAnchor());
  for (auto [axis, size] : llvm::zip(level.getAxes(), level.getSizes())) {
    // Parts that blocks have of a reduction follow each other on tensors.
    if (level.getCombine() && contraction &&
        contraction.getIteratorTypesArray()[axis] ==
            utils::IteratorType::reduction)
      continue;
    FailureOr<int64_t> loop = loopOfAxis(root, axis);
    if (failed(loop))
      return level.emitOpError()
             << "tiles axis " << kernel.getAxes()[axis]
             << ", which the last op of its stages does not walk";
    Value value = sizes.lookupOrDefault(size);
    IntegerAttr constant;
    tileSizes[*loop] = matchPattern(value, m_Constant(&constant))
                           ? OpFoldResult(constant)
                           : OpFoldResult(value);
  }
  rewriter.setInsertionPoint(root);

  scf::SCFTileAndFuseOptions options;
  options.tilingOptions.setTileSizes(tileSizes);
  if (level.getKind() != LoopKind::Sequential)
    options.tilingOptions.setLoopType(
        scf::SCFTilingOptions::LoopType::ForallOp);
  llvm::StringSet<> below;
  for (StringRef id : idsIn(level))
    below.insert(id);
  options.setFusionControlFn(
      [&](tensor::ExtractSliceOp, OpResult producer,
          bool) -> std::optional<scf::SCFTileAndFuseOptions::ControlFnResult> {
        Operation *op = producer.getOwner();
        if (isa<linalg::PackOp, linalg::UnPackOp>(op))
          return std::nullopt;
        StringRef id = idOf(op);
        // Ops that no stage names run at the outermost level.
        bool fuse = isa<tensor::EmptyOp>(op) || below.contains(id) ||
                    (outermost && !staged.contains(id) &&
                     isa<linalg::LinalgOp>(op) && payloadOps.contains(op));
        if (!fuse || (reduces && op != rootOp && id != anchorId &&
                      !isa<tensor::EmptyOp>(op)))
          return std::nullopt;
        return scf::SCFTileAndFuseOptions::ControlFnResult{};
      });
  FailureOr<scf::SCFTileAndFuseResult> result =
      scf::tileConsumerAndFuseProducersUsingSCF(rewriter, root, options);
  if (failed(result))
    return level.emitOpError("could not tile its payload");
  for (auto [from, to] : result->replacements)
    rewriter.replaceAllUsesWith(from, to);
  for (Operation *op : result->tiledAndFusedOps)
    if (StringRef id = idOf(op); !id.empty())
      scope[id] = op;
  for (LoopLikeOpInterface loop : result->loops) {
    loop->setAttr("vortex.level", level.getLevelAttr());
    if (level.getStages() > 1)
      loop->setAttr("vortex.stages", level.getStagesAttr());
  }
  if (!rootOp->use_empty() && !isa<linalg::LinalgOp>(rootOp))
    return level.emitOpError("left a use of the untiled op");
  return success();
}

LogicalResult Expansion::load(LevelOp level) {
  for (auto [attr, size] : llvm::zip(level.getLoads(), level.getLoadSizes())) {
    auto load = cast<LoadAttr>(attr);
    if (failed(load.getTogether() ? copyTogether(level, load)
               : load.getLayout() == LayoutKind::Copy
                   ? copyWindow(load)
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
static OpFoldResult ceilDiv(OpBuilder &b, Location loc, OpFoldResult value,
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

/// The operand's part as it is, without gaps. Where the operand is padded the
/// copy writes what the part has of the padding, and nothing else does.
LogicalResult Expansion::copyWindow(LoadAttr load) {
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
  }
  Value source = tensor::ExtractSliceOp::create(rewriter, loc, base, offsets,
                                                extents, ones);
  Value copy = tensor::PadOp::create(rewriter, loc, type, source, low, high,
                                     padding, /*nofold=*/true);
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
  // Batch dimensions, the tiled one, then the reductions.
  auto inOutput = [&](int64_t dim) {
    auto expr = dyn_cast<AffineDimExpr>(map.getResult(dim));
    return expr && out.isFunctionOfDim(expr.getPosition());
  };
  int64_t rank = map.getNumResults();
  for (int64_t dim = 0; dim < rank; ++dim)
    if (dim != relayout.position && inOutput(dim))
      relayout.order.push_back(dim);
  relayout.order.push_back(relayout.position);
  for (int64_t dim = 0; dim < rank; ++dim)
    if (!llvm::is_contained(relayout.order, dim))
      relayout.order.push_back(dim);

  Value base = sliceBase(relayout.block);
  if (auto unpack = base.getDefiningOp<linalg::UnPackOp>();
      unpack && base == relayout.block) {
    relayout.packed = unpack.getSource();
  } else {
    Type element = getElementTypeOrSelf(relayout.block.getType());
    Value zero =
        arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(element));
    SmallVector<int64_t> split = {relayout.position};
    SmallVector<OpFoldResult> shape, tiles = {relayout.tile};
    if (relayout.group > 1) {
      split.push_back(relayout.groupDim);
      tiles.push_back(rewriter.getIndexAttr(relayout.group));
    }
    for (int64_t dim : relayout.order) {
      OpFoldResult extent =
          tensor::getMixedSize(rewriter, loc, relayout.block, dim);
      for (auto [splitDim, tile] : llvm::zip(split, tiles))
        if (dim == splitDim)
          extent = ceilDiv(rewriter, loc, extent, tile);
      shape.push_back(extent);
    }
    llvm::append_range(shape, tiles);
    Value destination = tensor::EmptyOp::create(rewriter, loc, shape, element);
    auto pack =
        linalg::PackOp::create(rewriter, loc, relayout.block, destination,
                               split, tiles, zero, relayout.order);
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

/// Reads the anchor's operands from their packed forms.
void Expansion::useRelayouts(linalg::LinalgOp op) {
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
        Value group = arith::DivUIOp::create(
            rewriter, loc,
            getValueOrCreateConstantIndexOp(rewriter, loc, offsets[dim]),
            getValueOrCreateConstantIndexOp(rewriter, loc, relayout->tile));
        at.push_back(group);
        extents.push_back(rewriter.getIndexAttr(1));
        continue;
      }
      if (dim == relayout->groupDim) {
        // Blocks of the reduction are whole groups.
        AffineExpr offset = rewriter.getAffineDimExpr(0);
        at.push_back(affine::makeComposedFoldedAffineApply(
            rewriter, loc, offset.floorDiv(relayout->group), {offsets[dim]}));
        steps = tensor::getMixedSize(rewriter, loc, operand->get(), dim);
        OpFoldResult extent = ceilDiv(rewriter, loc, steps, group);
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
    at.push_back(rewriter.getIndexAttr(0));
    extents.push_back(inner);
    shape.push_back(getConstantIntValue(inner).value_or(ShapedType::kDynamic));
    exprs.push_back(innerExpr);
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
  for (StringRef name : {kIdAttr, kAnchorAttr, kColumnSumsAttr})
    if (Attribute attr = op->getAttr(name))
      generic->setAttr(name, attr);
  scope[idOf(generic)] = generic;
  rewriter.replaceOp(op, generic.getResults());
}

/// Whether two values hold the same part of the same tensor, though the sizes
/// may be spelled differently.
static bool isSamePart(Value a, Value b) {
  if (a == b)
    return true;
  if (a.getType() != b.getType())
    return false;
  Operation *x = a.getDefiningOp(), *y = b.getDefiningOp();
  if (!x || !y || x->getName() != y->getName() ||
      x->getNumOperands() != y->getNumOperands())
    return false;
  if (isa<tensor::EmptyOp>(x))
    return true;
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(x)) {
    auto other = cast<tensor::ExtractSliceOp>(y);
    return isEqualConstantIntOrValueArray(slice.getMixedOffsets(),
                                          other.getMixedOffsets()) &&
           isEqualConstantIntOrValueArray(slice.getMixedStrides(),
                                          other.getMixedStrides()) &&
           isSamePart(slice.getSource(), other.getSource());
  }
  return isa<linalg::LinalgOp>(x) && !idOf(x).empty() && idOf(x) == idOf(y) &&
         llvm::all_of(llvm::zip(cast<linalg::LinalgOp>(x).getDpsInputs(),
                                cast<linalg::LinalgOp>(y).getDpsInputs()),
                      [](auto pair) {
                        return isSamePart(std::get<0>(pair), std::get<1>(pair));
                      });
}

/// Fusion makes a copy of an op for each of its consumers. Copies for the same
/// tile become the first of them, which is then the one at this depth.
void Expansion::mergeCopies(ArrayRef<StringRef> ids) {
  for (StringRef id : ids) {
    Operation *op = find(id);
    if (!op)
      continue;
    SmallVector<Operation *> copies;
    for (Operation &other : *op->getBlock())
      if (idOf(&other) == id && other.getNumResults() == 1)
        copies.push_back(&other);
    for (Operation *copy : llvm::drop_begin(copies, copies.empty() ? 0 : 1)) {
      if (!isSamePart(copies[0]->getResult(0), copy->getResult(0)))
        continue;
      rewriter.replaceAllUsesWith(copy->getResults(), copies[0]->getResults());
      if (copy == op)
        scope[id] = copies[0];
      rewriter.eraseOp(copy);
    }
  }
}

/// Which dimension of the results, counted from the end, has the rows of a
/// contraction. Its tiles do not tell: a batch that packing has left out of one
/// operand looks like rows there.
static IntegerAttr getRowDim(KernelOp kernel, OpBuilder &b) {
  auto anchor = dyn_cast_if_present<linalg::LinalgOp>(kernel.getAnchor());
  std::optional<ContractionRoles> roles =
      anchor ? getContractionRoles(anchor) : std::nullopt;
  if (!roles)
    return {};
  AffineMap out = anchor.getIndexingMapsArray().back();
  unsigned position =
      *out.getResultPosition(getAffineDimExpr(roles->m, b.getContext()));
  unsigned fromEnd = out.getNumResults() - position;
  return fromEnd == 2 ? IntegerAttr() : b.getI64IntegerAttr(fromEnd);
}

LogicalResult Expansion::expandStage(StageOp stage) {
  if (!stage.getMicro())
    return success(); // generic loops: the ops stay linalg
  if (linalg::LinalgOp op = anchor())
    if (llvm::is_contained(idsIn(stage), StringRef(anchorId)))
      useRelayouts(op);
  mergeCopies(idsIn(stage));
  // The ops of the stage, in block order.
  SmallVector<Operation *> ops;
  for (StringRef id : idsIn(stage)) {
    Operation *op = find(id);
    if (!op)
      return stage.emitOpError()
             << "names payload op '" << id << "', which is not at this level";
    ops.push_back(op);
  }
  // What starts a reduction that is tiled around the stage runs once, in front
  // of the tiles.
  Operation *last = ops.front();
  for (Operation *op : ops)
    if (!isa<linalg::FillOp>(op))
      last = op;
  Block *block = last->getBlock();
  llvm::erase_if(ops, [&](Operation *op) {
    return isa<linalg::FillOp>(op) && op->getBlock() != block &&
           op->getBlock()->findAncestorOpInBlock(*last);
  });
  if (!llvm::all_of(ops,
                    [&](Operation *op) { return op->getBlock() == block; }))
    return stage.emitOpError("names payload ops at different levels");
  if (failed(checkTileLimits(kernel, stage)))
    return failure();
  llvm::sort(ops,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  DenseSet<Operation *> inside(ops.begin(), ops.end());

  // Results that something outside of the stage uses, and their inits: what a
  // fill only starts is not read.
  SmallVector<Value> results, inits;
  for (Operation *op : ops)
    for (OpResult result : op->getResults()) {
      if (llvm::all_of(result.getUsers(),
                       [&](Operation *user) { return inside.contains(user); }))
        continue;
      if (isa<linalg::FillOp>(op))
        continue;
      results.push_back(result);
      Value init =
          cast<DestinationStyleOpInterface>(op).getTiedOpOperand(result)->get();
      while (Operation *from = init.getDefiningOp()) {
        if (!inside.contains(from))
          break;
        init = cast<DestinationStyleOpInterface>(from)
                   .getTiedOpOperand(cast<OpResult>(init))
                   ->get();
      }
      inits.push_back(init);
    }
  if (results.empty())
    return stage.emitOpError("computes nothing that is used");
  SetVector<Value> inputs;
  for (Operation *op : ops) {
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (!op->isAncestor(operand.getParentBlock()->getParentOp()) &&
            !inside.contains(operand.getDefiningOp()) &&
            !llvm::is_contained(inits, operand) &&
            !matchPattern(operand, m_Constant()))
          inputs.insert(operand);
    });
  }
  rewriter.setInsertionPointAfter(ops.back());
  Location loc = stage.getLoc();
  auto micro = MicroKernelOp::create(
      rewriter, loc, ValueRange(results).getTypes(), *stage.getMicro(),
      inputs.getArrayRef(), inits, getRowDim(kernel, rewriter));
  Block *body = rewriter.createBlock(&micro.getBody());
  IRMapping map;
  for (Value input : inputs)
    map.map(input, body->addArgument(input.getType(), loc));
  for (Value init : inits) {
    BlockArgument argument = body->addArgument(init.getType(), loc);
    if (!map.contains(init))
      map.map(init, argument);
  }
  rewriter.setInsertionPointToStart(body);
  DenseMap<Value, Value> constants;
  for (Operation *op : ops) {
    // Constants are rematerialised, so that the emitter can fold them.
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (!map.contains(operand) &&
            !inside.contains(operand.getDefiningOp()) &&
            matchPattern(operand, m_Constant()) &&
            !op->isProperAncestor(operand.getDefiningOp()))
          map.map(operand,
                  rewriter.clone(*operand.getDefiningOp())->getResult(0));
    });
    rewriter.clone(*op, map);
  }
  YieldOp::create(rewriter, loc,
                  llvm::map_to_vector(results, [&](Value result) {
                    return map.lookup(result);
                  }));
  for (auto [from, to] : llvm::zip(results, micro.getResults()))
    rewriter.replaceUsesWithIf(from, to, [&](OpOperand &use) {
      return !inside.contains(use.getOwner()) &&
             !micro->isAncestor(use.getOwner());
    });
  for (Operation *op : llvm::reverse(ops))
    if (op->use_empty())
      rewriter.eraseOp(op);
  return success();
}

namespace {
struct ExpandKernelsPass : vortex::impl::ExpandKernelsBase<ExpandKernelsPass> {
  using ExpandKernelsBase::ExpandKernelsBase;
  void runOnOperation() override;
};
} // namespace

/// A kernel without candidates: its payload as it is.
static void inlinePayload(IRRewriter &rewriter, KernelOp kernel) {
  Block &payload = kernel.getPayload().front();
  SmallVector<Value> yielded(payload.getTerminator()->getOperands());
  rewriter.eraseOp(payload.getTerminator());
  IRMapping map;
  SmallVector<Value> operands(kernel->getOperands());
  for (auto [argument, operand] : llvm::zip(payload.getArguments(), operands))
    rewriter.replaceAllUsesWith(argument, operand);
  for (Value &value : yielded)
    for (auto [argument, operand] : llvm::zip(payload.getArguments(), operands))
      if (value == argument)
        value = operand;
  for (Operation &op : llvm::make_early_inc_range(payload))
    rewriter.moveOpBefore(&op, kernel);
  rewriter.replaceOp(kernel, yielded);
}

void ExpandKernelsPass::runOnOperation() {
  SmallVector<KernelOp> kernels;
  getOperation()->walk([&](KernelOp op) { kernels.push_back(op); });
  IRRewriter rewriter(&getContext());
  for (KernelOp kernel : kernels) {
    SmallVector<CandidateOp> candidates = kernel.getCandidateOps();
    if (candidates.empty()) {
      inlinePayload(rewriter, kernel);
      continue;
    }
    auto *chosen =
        candidates.begin() + std::min<size_t>(position, candidates.size() - 1);
    if (!candidate.empty()) {
      chosen = llvm::find_if(candidates, [&](CandidateOp op) {
        return op.getSymName() == candidate;
      });
      if (chosen == candidates.end()) {
        kernel.emitOpError() << "has no candidate '" << candidate << "'";
        return signalPassFailure();
      }
    }
    if (failed(Expansion(rewriter, kernel, *chosen).run()))
      return signalPassFailure();
  }
  // Intermediate values need room for a tile only.
  RewritePatternSet patterns(&getContext());
  tensor::populateFoldTensorEmptyPatterns(patterns);
  if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
    signalPassFailure();
}
