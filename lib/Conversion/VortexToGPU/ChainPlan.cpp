//===- ChainPlan.cpp - The tree of two products, read ----------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChainPlan.h"

#include "TilePlan.h"

#include "vortex/Dialect/Vortex/IR/MatrixForm.h"

#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace vortex;

namespace {
class ChainReader {
public:
  ChainReader(CandidateOp candidate, HwAttr hw) : hw(hw) {
    product.candidate = candidate;
    product.kernel = cast<KernelOp>(candidate->getParentOp());
  }
  FailureOr<ChainPlan> run();

private:
  LogicalResult readChain();
  LogicalResult readBlock(LevelOp block);
  LogicalResult readRing(LevelOp ring);
  LogicalResult readOperand(LevelOp ring, LoadAttr load, Value size);
  LogicalResult readWarp(LevelOp warp);
  LogicalResult readInstructions(LevelOp warp);
  LogicalResult readBehind();

  HwAttr hw;
  ChainPlan plan;
  ContractionPlan &product = plan.product;
  int64_t inner = 0; ///< room for the reduction of the scores
};
} // namespace

LogicalResult ChainReader::readChain() {
  product.anchor =
      dyn_cast_if_present<linalg::LinalgOp>(product.kernel.getAnchor());
  std::string why = "it has no anchor";
  std::optional<RunningChain> chain =
      product.anchor ? matchRunningChain(product.anchor, why) : std::nullopt;
  if (!chain)
    return product.kernel.emitOpError("is no chain of two products: ") << why;
  plan.chain = *chain;
  product.m = chain->product.m;
  product.n = chain->product.n;
  product.k = chain->product.k;
  product.batch = chain->product.batch;
  if (product.kernel.getNumResults() != 1)
    return product.kernel.emitOpError("must have one result");
  return success();
}

LogicalResult ChainReader::readBlock(LevelOp block) {
  if (block.getKind() != LoopKind::Grid || block.getCombine())
    return block.emitOpError("must be a grid of blocks with whole rows");
  FailureOr<int64_t> m = readTileSize(block, product.m, AxisClass::PL);
  FailureOr<int64_t> n = readTileSize(block, product.n, AxisClass::PL);
  if (failed(m) || failed(n))
    return failure();
  for (unsigned axis : product.batch) {
    FailureOr<int64_t> one = readTileSize(block, axis, AxisClass::PL);
    if (failed(one))
      return failure();
    if (*one != 1)
      return block.emitOpError()
             << "tiles batch axis " << product.kernel.getAxes()[axis] << " by "
             << *one << "; device code needs 1";
  }
  product.blockM = *m;
  product.blockN = product.warpN = *n;
  product.store = block.getStore().value_or(1);
  if (product.store > 2)
    return block.emitOpError() << "stores runs of " << product.store
                               << " elements; a thread holds runs of 2";
  return success();
}

LogicalResult ChainReader::readOperand(LevelOp ring, LoadAttr load,
                                       Value size) {
  linalg::LinalgOp scores = plan.chain.scores.op, last = product.anchor;
  unsigned keys = plan.chain.scores.columns,
           values = plan.chain.product.columns;
  Value argument =
      product.kernel.getPayload().front().getArgument(load.getOperand());
  bool isKeys = scores->getOperand(keys) == argument && !product.a.map;
  if (!isKeys && (last->getOperand(values) != argument || product.b.map))
    return ring.emitOpError() << "loads input " << load.getOperand()
                              << ", which is neither the columns of the first "
                                 "product nor of the second";
  TileOperand &operand = isKeys ? product.a : product.b;
  operand.position = load.getOperand();
  operand.map = isKeys ? plan.chain.getScoresMap(keys)
                       : last.getIndexingMapsArray()[values];
  operand.element = getElementTypeOrSelf(argument.getType());
  operand.rowAxis = product.k;
  operand.columnAxis = isKeys ? plan.chain.getInnerAxis() : product.n;
  operand.rows = product.blockK;
  operand.columns = isKeys ? inner : product.blockN;
  APInt run;
  if (!matchPattern(size, m_ConstantInt(&run)))
    return ring.emitOpError() << "moves input " << load.getOperand()
                              << " in runs that are not constant";
  operand.run = run.getSExtValue();
  if (load.getLayout() != LayoutKind::Swizzle || !load.getTogether() ||
      load.getAxis() != int64_t(operand.columnAxis))
    return ring.emitOpError()
           << "must load input " << load.getOperand()
           << " swizzled, together, in runs along its innermost axis "
           << product.kernel.getAxes()[operand.columnAxis];
  if (operand.columns < 2 * 8 || !llvm::isPowerOf2_64(operand.columns) ||
      operand.columns % operand.run != 0)
    return ring.emitOpError() << "loads input " << load.getOperand()
                              << " in rows of " << operand.columns
                              << " elements; device code needs a power of two "
                                 "of 16 or more, and runs that divide it";
  return success();
}

LogicalResult ChainReader::readRing(LevelOp ring) {
  FailureOr<int64_t> keys = readTileSize(ring, product.k, AxisClass::TRL);
  FailureOr<int64_t> depth =
      readTileSize(ring, plan.chain.getInnerAxis(), AxisClass::TRL);
  if (failed(keys) || failed(depth))
    return failure();
  product.blockK = *keys;
  product.stages = ring.getStages();
  inner = *depth;
  if (ring.getKind() != LoopKind::Sequential || product.stages < 2 ||
      !ring.getResident() || ring.getLoads().size() != 2)
    return ring.emitOpError("must be a sequential loop with a ring of two or "
                            "more stages of two inputs and resident sums");
  for (auto [load, size] : llvm::zip(ring.getLoads(), ring.getLoadSizes()))
    if (failed(readOperand(ring, cast<LoadAttr>(load), size)))
      return failure();
  linalg::LinalgOp scores = plan.chain.scores.op;
  int64_t extent = scores.getStaticLoopRanges()[plan.chain.scores.k];
  if (!ShapedType::isDynamic(extent) && extent > inner)
    return ring.emitOpError() << "has room for " << inner << " of "
                              << product.kernel.getAxes().getValue().back()
                              << ", which has " << extent;
  int64_t deep = ShapedType::isDynamic(extent) ? inner : extent;
  plan.inner = llvm::divideCeil(deep, kChainDepth);
  return success();
}

LogicalResult ChainReader::readWarp(LevelOp warp) {
  FailureOr<int64_t> m = readTileSize(warp, product.m, AxisClass::PL);
  if (failed(m))
    return failure();
  product.warpM = *m;
  for (auto [tile, outer, step] :
       {std::tuple{product.warpM, product.blockM, kChainRows},
        {product.blockK, product.blockK, kChainDepth},
        {product.blockN, product.blockN, kChainDepth}})
    if (tile % step != 0 || tile < step || outer % tile != 0)
      return warp.emitOpError() << "has a tile of " << tile << " in one of "
                                << outer << "; device code needs a multiple of "
                                << step << " that divides it";
  if (product.warpM != kChainRows)
    return warp.emitOpError()
           << "has " << product.warpM << " rows; a warp that runs a chain has "
           << kChainRows;
  return readInstructions(warp);
}

LogicalResult ChainReader::readInstructions(LevelOp warp) {
  auto stages = llvm::to_vector(warp.getBody().front().getOps<StageOp>());
  for (const MatrixProduct *matrices :
       {&plan.chain.scores, &plan.chain.product}) {
    linalg::LinalgOp op = matrices->op;
    Attribute id = op->getAttr(kIdAttr);
    auto *stage = llvm::find_if(stages, [&](StageOp stage) {
      return stage.getMicro() && id && llvm::is_contained(stage.getOps(), id);
    });
    if (stage == stages.end())
      return warp.emitOpError(
          "must hold a stage with each product as its micro-kernel");
    auto element = [](Value value) {
      return getElementTypeOrSelf(value.getType());
    };
    StringRef kind = stage->getMicroAttr().getInstruction();
    HwInstructionAttr found = hw.getInstruction(
        kind, element(op->getOperand(matrices->rows)),
        element(op->getOperand(matrices->columns)), element(op->getResult(0)));
    if (!found || kind != "mma_sync" || !hasMatrixForm(found) ||
        found.getM() != kChainRows || found.getN() != 8 ||
        found.getK() != kChainDepth)
      return stage->emitOpError()
             << "needs '" << kind << "' for "
             << element(op->getOperand(matrices->rows)) << " x "
             << element(op->getOperand(matrices->columns)) << " -> "
             << element(op->getResult(0))
             << "; device code of chains exists for mma_sync on 16-bit floats "
                "with f32 sums";
    product.instruction = found;
  }
  return success();
}

/// What the second product starts with, and what is behind it.
LogicalResult ChainReader::readBehind() {
  Value init = product.anchor.getDpsInits()[0];
  auto fill = init.getDefiningOp<linalg::FillOp>();
  if (fill ? !matchPattern(fill.value(), m_Constant(&product.initial))
           : !isa<BlockArgument>(init))
    return product.anchor.emitOpError(
        "must accumulate into a constant or an operand of the kernel");
  for (auto op :
       product.kernel.getPayload().front().getOps<linalg::LinalgOp>()) {
    if (op == product.anchor || isa<linalg::FillOp>(op.getOperation()) ||
        plan.chain.axes.contains(op))
      continue;
    bool reads =
        op->getRegion(0)
            .walk([](linalg::IndexOp) { return WalkResult::interrupt(); })
            .wasInterrupted();
    if (op.getNumReductionLoops() != 0 || op->getNumResults() != 1 || reads ||
        !llvm::all_of(op.getIndexingMapsArray(), [](AffineMap map) {
          return map.isProjectedPermutation();
        }))
      return op->emitOpError("behind a chain must be elementwise with one "
                             "result and permuted or broadcast operands");
    product.epilogue.push_back(op);
  }
  return success();
}

FailureOr<ChainPlan> ChainReader::run() {
  auto only = [](Block &block) -> LevelOp {
    auto levels = llvm::to_vector(block.getOps<LevelOp>());
    return levels.size() == 1 ? levels[0] : LevelOp();
  };
  LevelOp block = only(product.candidate.getSchedule().front());
  LevelOp ring = block ? only(block.getBody().front()) : LevelOp();
  LevelOp warp = ring ? only(ring.getBody().front()) : LevelOp();
  if (!warp)
    return product.candidate.emitOpError(
        "must be a tree of levels block, shared memory and warp");
  if (failed(readChain()) || failed(readBlock(block)) ||
      failed(readRing(ring)) || failed(readWarp(warp)) || failed(readBehind()))
    return failure();
  return std::move(plan);
}

FailureOr<ChainPlan> vortex::readChainPlan(CandidateOp candidate, HwAttr hw) {
  return ChainReader(candidate, hw).run();
}
