//===- ShareLoops.cpp - Threads for what is in no kernel ------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PayloadClass.h"
#include "SizeArith.h"

#include "vortex/Dialect/Vortex/Transforms/Passes.h"
#include "vortex/HwDesc/Targets.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace vortex {
#define GEN_PASS_DEF_SHARELOOPS
#include "vortex/Dialect/Vortex/Transforms/Passes.h.inc"
} // namespace vortex

using namespace mlir;
using namespace vortex;

/// Threads pay when the work takes several times as long as waking them.
static constexpr double kWorth = 4;

/// The first loop of more than one step that walks all results: its parts write
/// apart from each other. None where the part of an operand that a part of the
/// loop reads is no slice.
static std::optional<unsigned> getSharedLoop(linalg::LinalgOp op) {
  if (!llvm::all_of(op.getIndexingMapsArray(), isSumOfLoops))
    return std::nullopt;
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray())) {
    auto walks = [&, loop = loop](OpOperand &init) {
      return op.getMatchingIndexingMap(&init)
          .getResultPosition(getAffineDimExpr(loop, op.getContext()))
          .has_value();
    };
    if (kind == utils::IteratorType::parallel && extents[loop] != 1 &&
        extents[loop] != 0 && llvm::all_of(op.getDpsInitsMutable(), walks))
      return loop;
  }
  return std::nullopt;
}

/// Loops of numbers, one by one: all that the body does and one access.
static double countOperations(linalg::LinalgOp op) {
  double count = 1;
  for (Operation &inner : op.getBlock()->without_terminator())
    count += !inner.hasTrait<OpTrait::ConstantLike>();
  return count;
}

/// Reads what `op`, of one step in all loops but the last, takes from inputs
/// that the last does not walk, in front of it. What it writes cannot change
/// that any more, which LLVM could not tell from memory.
static void hoistReads(IRRewriter &b, linalg::GenericOp op) {
  AffineExpr last = getAffineDimExpr(op.getNumLoops() - 1, op.getContext());
  b.setInsertionPoint(op);
  Value zero = arith::ConstantIndexOp::create(b, op.getLoc(), 0);
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    auto type = dyn_cast<RankedTensorType>(input->get().getType());
    BlockArgument argument = op.getMatchingBlockArgument(input);
    if (!type || !map.isProjectedPermutation() || argument.use_empty() ||
        map.getResultPosition(last))
      continue;
    SmallVector<Value> first(type.getRank(), zero);
    argument.replaceAllUsesWith(
        tensor::ExtractOp::create(b, op.getLoc(), input->get(), first));
  }
}

/// Rows of `op` one by one, so that what is one number for a row is read once
/// and the loop along the row, which LLVM makes vectors of, has it at hand.
static LogicalResult walkRows(IRRewriter &b, linalg::GenericOp op) {
  unsigned rank = op.getNumLoops();
  if (rank < 2 ||
      op.getIteratorTypesArray().back() != utils::IteratorType::parallel)
    return success();
  SmallVector<OpFoldResult> sizes(rank, b.getIndexAttr(1));
  sizes.back() = b.getIndexAttr(0);
  scf::SCFTilingOptions options;
  options.setTileSizes(sizes);
  b.setInsertionPoint(op);
  FailureOr<scf::SCFTilingResult> tiled =
      scf::tileUsingSCF(b, cast<TilingInterface>(op.getOperation()), options);
  if (failed(tiled))
    return failure();
  b.replaceOp(op, tiled->replacements);
  for (Operation *row : tiled->tiledOps)
    if (auto generic = dyn_cast<linalg::GenericOp>(row))
      hoistReads(b, generic);
  return success();
}

namespace {
struct ShareLoopsPass : vortex::impl::ShareLoopsBase<ShareLoopsPass> {
  void runOnOperation() override;
  LogicalResult share(linalg::LinalgOp op, HwAttr hw);
};
} // namespace

LogicalResult ShareLoopsPass::share(linalg::LinalgOp op, HwAttr hw) {
  std::optional<unsigned> loop = getSharedLoop(op);
  // Upstream's tiling of a share into rows ends by a signal where it is known
  // that there are none.
  if (!loop || llvm::is_contained(op.getStaticLoopRanges(), 0))
    return success();
  IRRewriter b(op);
  SizeArith arith(b, op.getLoc());
  SmallVector<Range> ranges = op.createLoopRanges(b, op.getLoc());
  auto extent = [&](unsigned i) {
    return arith.size(
        getValueOrCreateConstantIndexOp(b, op.getLoc(), ranges[i].size));
  };
  Size points = arith.size(1);
  for (unsigned i = 0; i < op.getNumLoops(); ++i)
    points = points * extent(i);
  // Multiply-adds of vectors, two operations each, at their rate.
  double lanes = std::max<double>(hw.getVectorBytes() / 4, 1);
  Real rate = arith.param(hw, "fma.f32.rate", 10.0) * (0.5 / lanes);
  Real time = arith.real(points) * countOperations(op) / rate;
  Flag small = time < arith.param(hw, "core.startup") * kWorth;
  Size threads = arith.select(small, arith.size(1),
                              arith.toSize(arith.param(hw, "threads", 1.0)));
  Size part = atLeast(ceilDiv(extent(*loop), atLeast(threads, 1)), 1);

  SmallVector<OpFoldResult> sizes(op.getNumLoops(), b.getIndexAttr(0));
  sizes[*loop] = part.value;
  scf::SCFTilingOptions options;
  options.setLoopType(scf::SCFTilingOptions::LoopType::ForallOp);
  options.setTileSizes(sizes);
  FailureOr<scf::SCFTilingResult> tiled =
      scf::tileUsingSCF(b, cast<TilingInterface>(op.getOperation()), options);
  if (failed(tiled))
    return op.emitOpError("has loops that could not be shared among threads");
  b.replaceOp(op, tiled->replacements);
  ++numShared;
  for (Operation *part : tiled->tiledOps)
    if (auto generic = dyn_cast<linalg::GenericOp>(part))
      if (failed(walkRows(b, generic)))
        return generic.emitOpError("has rows that could not be walked");
  return success();
}

void ShareLoopsPass::runOnOperation() {
  SmallVector<HwAttr> targets = getTargets(getOperation());
  if (targets.empty() || targets.front().isGPU())
    return;
  SmallVector<linalg::LinalgOp> ops;
  getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<KernelOp, scf::ForallOp>(op) ||
        (isa<ModuleOp>(op) && op != getOperation()))
      return WalkResult::skip();
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    // What binds weights runs once; a fill that two ops start from is made
    // twice, not copied, as long as it is one.
    if (linalgOp && linalgOp.hasPureTensorSemantics() &&
        isa<TilingInterface>(op) && !op->hasAttr(kBindAttr) &&
        !isa<linalg::FillOp>(op))
      ops.push_back(linalgOp);
    return WalkResult::advance();
  });
  for (linalg::LinalgOp op : ops)
    if (failed(share(op, targets.front())))
      return signalPassFailure();
}
