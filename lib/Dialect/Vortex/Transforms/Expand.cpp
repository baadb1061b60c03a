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

#include "Expansion.h"

#include "MicroKernelEmitter.h"
#include "PayloadClass.h"
#include "TileLimits.h"

#include "vortex/Dialect/Vortex/Transforms/AxisExtents.h"
#include "vortex/Dialect/Vortex/Transforms/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace vortex {
#define GEN_PASS_DEF_EXPANDKERNELS
#include "vortex/Dialect/Vortex/Transforms/Passes.h.inc"
} // namespace vortex

#define DEBUG_TYPE "vortex-expand"

using namespace mlir;
using namespace vortex;

StringRef vortex::getPayloadId(Operation *op) {
  auto id = op->getAttrOfType<StringAttr>(kIdAttr);
  return id ? id.getValue() : StringRef();
}

SmallVector<StringRef> vortex::idsIn(Operation *tree) {
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
    if (StringRef id = getPayloadId(clone); !id.empty())
      scope[id] = clone;
    if (op.hasAttr(kAnchorAttr))
      anchorId = getPayloadId(clone).str();
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
  if (level.getCombine() && level.getKind() != LoopKind::Grid) {
    if (failed(divideReduction(level)))
      return failure();
  } else if (!level.getAxes().empty() && failed(tile(level, outermost))) {
    return failure();
  }
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
      return ids.contains(getPayloadId(user)) &&
             find(getPayloadId(user)) == user;
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
  StringRef goal = getPayloadId(root);
  if (!from || getPayloadId(from) == goal)
    return axis;
  SmallVector<std::pair<linalg::LinalgOp, int64_t>> work = {{from, axis}};
  DenseSet<Operation *> seen;
  while (!work.empty()) {
    auto [op, loop] = work.pop_back_val();
    if (getPayloadId(op) == goal)
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
        StringRef id = getPayloadId(op);
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
    if (StringRef id = getPayloadId(op); !id.empty())
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
  return isa<linalg::LinalgOp>(x) && !getPayloadId(x).empty() &&
         getPayloadId(x) == getPayloadId(y) &&
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
      if (getPayloadId(&other) == id && other.getNumResults() == 1)
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
/// contraction or of a square. Their tiles do not tell: a batch that packing
/// has left out of one operand looks like rows there.
static IntegerAttr getRowDimAttr(KernelOp kernel, MicroKernelAttr micro,
                                 OpBuilder &b) {
  auto anchor = dyn_cast_if_present<linalg::LinalgOp>(kernel.getAnchor());
  if (!anchor)
    return {};
  std::optional<unsigned> row;
  if (micro.getInstruction() == "square")
    row = getCrossedLoop(anchor);
  else if (std::optional<ContractionRoles> roles = getContractionRoles(anchor))
    row = roles->m;
  if (!row)
    return {};
  AffineMap out = anchor.getIndexingMapsArray().back();
  unsigned position =
      *out.getResultPosition(getAffineDimExpr(*row, b.getContext()));
  unsigned fromEnd = out.getNumResults() - position;
  return fromEnd == 2 ? IntegerAttr() : b.getI64IntegerAttr(fromEnd);
}

LogicalResult Expansion::expandStage(StageOp stage) {
  if (stage.getLibrary())
    return expandLibraryStage(stage);
  if (!stage.getMicro())
    return success(); // generic loops: the ops stay linalg
  if (linalg::LinalgOp op = anchor())
    if (llvm::is_contained(idsIn(stage), StringRef(anchorId)))
      useRelayouts(op, *stage.getMicro());
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
  auto micro =
      MicroKernelOp::create(rewriter, loc, ValueRange(results).getTypes(),
                            *stage.getMicro(), inputs.getArrayRef(), inits,
                            getRowDimAttr(kernel, *stage.getMicro(), rewriter));
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
