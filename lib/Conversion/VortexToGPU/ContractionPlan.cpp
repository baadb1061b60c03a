//===- ContractionPlan.cpp - A contraction's tree, read -----------*- C++
//-*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TilePlan.h"

#include "vortex/Dialect/Vortex/IR/MatrixForm.h"
#include "vortex/Dialect/Vortex/IR/WindowProduct.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace vortex;

namespace {
class PlanReader {
public:
  PlanReader(CandidateOp candidate, HwAttr hw,
             std::optional<unsigned> partLength)
      : hw(hw) {
    plan.partLength = partLength;
    plan.lanes = getWarpLanes(hw);
    plan.candidate = candidate;
    plan.kernel = cast<KernelOp>(candidate->getParentOp());
  }
  FailureOr<ContractionPlan> run();

private:
  LogicalResult readAnchor();
  LogicalResult readBlock(LevelOp block);
  LogicalResult readCluster(LevelOp block);
  LogicalResult readJoined(LevelOp block);
  LogicalResult readRing(LevelOp ring);
  LogicalResult readWarp(LevelOp warp);
  LogicalResult readRoles(LevelOp ring, LevelOp &consumer);
  LogicalResult readGroups(LevelOp consumer, StageOp stage);
  LogicalResult readInstruction(StageOp stage, StringRef kind);
  void placeFragments();
  LogicalResult readOperand(LevelOp ring, LoadAttr load, Value size);
  LogicalResult readBringing(LevelOp ring, TileOperand &operand);
  LogicalResult readStart();
  LogicalResult readEpilogue(ArrayRef<StageOp> stages);
  LogicalResult checkStore(LevelOp block);
  LogicalResult checkAxes(LevelOp level, ArrayRef<unsigned> axes);

  HwAttr hw;
  ContractionPlan plan;
};
} // namespace

LaunchShape ContractionPlan::launchShape() {
  LaunchShape launch;
  launch.threads = threads();
  launch.sharedBytes = sharedBytes();
  launch.tile.resize(kernel.getAxes().size(), 0);
  for (unsigned axis : batch)
    launch.tile[axis] = 1;
  for (unsigned axis : rowAxes())
    launch.tile[axis] = -1;
  launch.tile[m] = blockM * clusterM;
  launch.tile[n] = blockN * clusterN;
  launch.cluster = cluster();
  // ptxas does not know the shared memory of a launch: without this it spills
  // to let more blocks share a multiprocessor than their rings do.
  if (scalar)
    launch.blocks = 1;
  if (!producers)
    return launch;
  launch.blocks = registers.blocks;
  launch.queue = queue;
  for (const TileOperand *operand : {&a, &b}) {
    if (operand->copied)
      continue;
    OperandBox box;
    box.position = operand->position;
    for (AffineExpr expr : operand->map.getResults()) {
      unsigned axis = cast<AffineDimExpr>(expr).getPosition();
      box.extents.push_back(axis == operand->columnAxis ? operand->run
                            : axis == operand->rowAxis  ? operand->boxRows()
                                                        : 1);
    }
    launch.boxes.push_back(std::move(box));
  }
  if (storesBoxes()) {
    OperandBox box;
    box.position = kernel.getInputs().size();
    box.extents.resize(kernel.getAxes().size() - outer.size() - 1, 1);
    box.extents.back() = store;
    box.extents[box.extents.size() - 2] = kBoxRows;
    launch.boxes.push_back(std::move(box));
  }
  return launch;
}

bool vortex::isDeviceCandidate(CandidateOp candidate) {
  for (auto level : candidate.getSchedule().front().getOps<LevelOp>())
    return level.getKind() == LoopKind::Grid ||
           level.getKind() == LoopKind::Persistent;
  return false;
}

LogicalResult PlanReader::checkAxes(LevelOp level, ArrayRef<unsigned> axes) {
  for (int64_t axis : level.getAxes())
    if (!llvm::is_contained(axes, axis))
      return level.emitOpError() << "tiles axis " << plan.kernel.getAxes()[axis]
                                 << ", which device code does not tile here";
  return success();
}

LogicalResult PlanReader::readAnchor() {
  KernelOp kernel = plan.kernel;
  plan.anchor = dyn_cast_if_present<linalg::LinalgOp>(kernel.getAnchor());
  plan.candidate.getSchedule().walk([&](StageOp stage) {
    if (MicroKernelAttr micro = stage.getMicroAttr())
      plan.scalar = micro.getInstruction() == "simt";
  });
  // Scalar units combine whatever the payload does.
  if (!plan.anchor || plan.anchor.getNumDpsInputs() != 2 ||
      (!plan.scalar && !((hasWindow(plan.anchor) ||
                          linalg::isaContractionOpInterface(plan.anchor)) &&
                         addsProducts(plan.anchor))))
    return kernel.emitOpError(
        "has no contraction of two operands as its anchor");
  AffineMap out = plan.anchor.getIndexingMapsArray().back();
  SmallVector<unsigned> reductions;
  plan.anchor.getReductionDims(reductions);
  std::optional<unsigned> ring = getRingReduction(plan.anchor);
  if (!ring || out.getNumResults() < 2 || !out.isProjectedPermutation())
    return plan.anchor.emitOpError(
        "needs one reduction loop, or several of which its first operand is "
        "contiguous along one, and a result of two dimensions or more");
  auto axisOf = [&](unsigned dim) { return out.getDimPosition(dim); };
  plan.k = *ring;
  plan.window = hasWindow(plan.anchor);
  // A box walks an axis of its operand, a part has some of one.
  if (!plan.producers && !plan.partLength)
    plan.next = getNextReduction(plan.anchor);
  for (unsigned reduction : reductions)
    if (reduction != plan.k)
      plan.outer.push_back(reduction);
  plan.n = axisOf(out.getNumResults() - 1);
  plan.m = axisOf(out.getNumResults() - 2);
  for (unsigned i = 0; i + 2 < out.getNumResults(); ++i)
    plan.batch.push_back(axisOf(i));
  if (plan.partLength && (plan.batch.empty() || plan.batch[0] != 0))
    return plan.anchor.emitOpError(
        "adds up parts of a reduction, which must be axis 0 of its result");
  return success();
}

LogicalResult PlanReader::readBlock(LevelOp block) {
  plan.queue = block.getKind() == LoopKind::Persistent;
  if (plan.queue && !plan.producers)
    return block.emitOpError("is a persistent queue, whose blocks need levels "
                             "of producers and consumers for device code");
  if (block.getCombine())
    return block.emitOpError(
        "splits a reduction, which vortex-split-reductions has to do first");
  SmallVector<unsigned> axes = {plan.m, plan.n};
  axes.append(plan.batch);
  FailureOr<int64_t> m = readTileSize(block, plan.m, AxisClass::PL);
  FailureOr<int64_t> n = readTileSize(block, plan.n, AxisClass::PL);
  if (failed(m) || failed(n) || failed(checkAxes(block, axes)))
    return failure();
  for (unsigned axis : plan.batch) {
    FailureOr<int64_t> one = readTileSize(block, axis, AxisClass::PL);
    if (failed(one))
      return failure();
    if (*one != 1)
      return block.emitOpError()
             << "tiles batch axis " << plan.kernel.getAxes()[axis] << " by "
             << *one << "; device code needs 1";
  }
  plan.blockM = *m;
  plan.blockN = *n;
  plan.store = block.getStore().value_or(1);
  if (failed(readJoined(block)))
    return failure();
  return readCluster(block);
}

/// Axes that are counted together are rows of tiles, no batch. The grid counts
/// axes in their order, so that they must follow each other up to that of rows.
LogicalResult PlanReader::readJoined(LevelOp block) {
  int64_t joined = getJoined(block);
  if (joined == 1)
    return success();
  auto axes = block.getAxes().take_front(joined);
  bool follow = axes.back() == plan.m && plan.window;
  for (size_t i = 0; i + 1 < axes.size(); ++i)
    follow &= axes[i] + 1 == axes[i + 1];
  if (!follow)
    return block.emitOpError(
        "counts axes together; device code needs a product over windows and "
        "axes that follow each other up to that of its rows");
  plan.rows.assign(axes.begin(), axes.end());
  llvm::erase_if(plan.batch, [&](unsigned axis) {
    return llvm::is_contained(plan.rows, axis);
  });
  return success();
}

/// Blocks that start together share one operand, the other is of each alone.
LogicalResult PlanReader::readCluster(LevelOp block) {
  if (!block.getCluster())
    return success();
  for (auto [axis, blocks] : llvm::zip(block.getAxes(), *block.getCluster())) {
    if (axis == plan.m)
      plan.clusterM = blocks;
    else if (axis == plan.n)
      plan.clusterN = blocks;
    else if (blocks != 1)
      return block.emitOpError()
             << "has clusters of " << blocks << " blocks along axis "
             << plan.kernel.getAxes()[axis]
             << "; device code has them along rows or columns of the result";
  }
  plan.a.sharers = plan.clusterN;
  plan.b.sharers = plan.clusterM;
  if (plan.cluster() > 1 && !plan.producers)
    return block.emitOpError("has clusters, whose blocks need levels of "
                             "producers and consumers for device code");
  return success();
}

LogicalResult PlanReader::readOperand(LevelOp ring, LoadAttr load, Value size) {
  BlockArgument argument =
      plan.kernel.getPayload().front().getArgument(load.getOperand());
  for (OpOperand *use : plan.anchor.getDpsInputOperands()) {
    if (use->get() != argument)
      continue;
    TileOperand &operand = use->getOperandNumber() == 0 ? plan.a : plan.b;
    if (operand.map)
      continue;
    AffineMap map = plan.anchor.getMatchingIndexingMap(use);
    operand.position = load.getOperand();
    operand.map = map;
    operand.element = getElementTypeOrSelf(argument.getType());
    APInt run;
    if (!matchPattern(size, m_ConstantInt(&run)))
      return ring.emitOpError() << "moves input " << load.getOperand()
                                << " in runs that are not constant";
    operand.run = run.getSExtValue();
    bool isA = use->getOperandNumber() == 0;
    unsigned spatial = isA ? plan.m : plan.n;
    int64_t extent = isA ? plan.blockM : plan.blockN;
    bool readable = map.isProjectedPermutation() ||
                    (isA && plan.window && isWindowMap(map));
    if (!readable || !map.isFunctionOfDim(plan.k) ||
        !map.isFunctionOfDim(spatial))
      return plan.anchor.emitOpError()
             << "reads operand " << use->getOperandNumber() << " by "
             << AffineMapAttr::get(map) << ", which is no matrix of axes "
             << plan.kernel.getAxes()[spatial] << " and "
             << plan.kernel.getAxes()[plan.k];
    auto last = dyn_cast<AffineDimExpr>(map.getResults().back());
    unsigned inner = last ? last.getPosition() : map.getNumDims();
    if (inner != plan.k && (inner != spatial || (isA && plan.window)))
      return plan.anchor.emitOpError()
             << "reads operand " << use->getOperandNumber()
             << " contiguous along another axis than those of its tiles";
    operand.reductionInner = inner == plan.k;
    operand.columnAxis = inner;
    operand.rowAxis = operand.reductionInner ? spatial : plan.k;
    operand.columns = operand.reductionInner ? plan.blockK : extent;
    operand.rows = operand.reductionInner ? extent : plan.blockK;
    if (load.getLayout() != LayoutKind::Swizzle || !load.getTogether() ||
        load.getAxis() != inner)
      return ring.emitOpError()
             << "must load input " << load.getOperand()
             << " swizzled, together, in runs along its innermost axis "
             << plan.kernel.getAxes()[inner];
    if (plan.producers && failed(readBringing(ring, operand)))
      return failure();
    if (operand.columns % (16 / operand.elementBytes()) != 0)
      return ring.emitOpError() << "swizzles rows of " << operand.rowBytes()
                                << " bytes, not a multiple of 16";
    return success();
  }
  return ring.emitOpError() << "loads input " << load.getOperand()
                            << ", which the contraction does not read";
}

/// How producers bring an operand: in boxes of whole rows of the swizzle, by
/// one thread; or in runs, by all of them, to the place of one box.
LogicalResult PlanReader::readBringing(LevelOp ring, TileOperand &operand) {
  int64_t bytes = operand.run * operand.elementBytes();
  operand.copied = bytes == kCopyBytes;
  if (operand.copied && operand.rowBytes() == kBoxRowBytes &&
      operand.sharers == 1)
    return success();
  bool joined = operand.rowAxis == plan.m && plan.rows.size() > 1;
  if (bytes == kBoxRowBytes && operand.rowBytes() % kBoxRowBytes == 0 &&
      operand.map.isProjectedPermutation() && !joined)
    return success();
  return ring.emitOpError()
         << "brings input " << operand.position << " in boxes of "
         << operand.run << " elements of tiles of " << operand.columns
         << "; device code needs rows of " << kBoxRowBytes
         << " bytes that divide the tile, of an operand whose dimensions are "
            "axes, or runs of "
         << kCopyBytes << " bytes of tiles with rows of " << kBoxRowBytes
         << ", which blocks of a cluster do not share";
}

LogicalResult PlanReader::readRing(LevelOp ring) {
  FailureOr<int64_t> k = readTileSize(ring, plan.k, AxisClass::TRL);
  SmallVector<unsigned> reductions(plan.outer);
  reductions.push_back(plan.k);
  if (failed(k) || failed(checkAxes(ring, reductions)))
    return failure();
  for (unsigned axis : plan.outer) {
    FailureOr<int64_t> one = readTileSize(ring, axis, AxisClass::TRL);
    if (failed(one))
      return failure();
    if (*one != 1)
      return ring.emitOpError()
             << "tiles axis " << plan.kernel.getAxes()[axis]
             << " of a window by " << *one << "; device code needs 1";
  }
  plan.blockK = *k;
  plan.stages = ring.getStages();
  if (ring.getKind() != LoopKind::Sequential || plan.stages < 2 ||
      !ring.getResident())
    return ring.emitOpError("must be a sequential loop with a ring of two or "
                            "more stages and resident accumulators");
  if (ring.getLoads().size() != 2)
    return ring.emitOpError() << "loads " << ring.getLoads().size()
                              << " operands; a contraction has 2";
  for (auto [load, size] : llvm::zip(ring.getLoads(), ring.getLoadSizes()))
    if (failed(readOperand(ring, cast<LoadAttr>(load), size)))
      return failure();
  if (!plan.a.map || !plan.b.map)
    return ring.emitOpError("loads one operand of the contraction twice");
  return success();
}

LogicalResult PlanReader::readWarp(LevelOp warp) {
  // Groups of warps with roles divide one axis and share the other.
  plan.turned = plan.producers && llvm::is_contained(warp.getAxes(), plan.n);
  auto read = [&](unsigned axis, bool shared, int64_t whole) {
    return shared ? FailureOr<int64_t>(whole)
                  : readTileSize(warp, axis, AxisClass::PL);
  };
  FailureOr<int64_t> m = read(plan.m, plan.turned, plan.blockM);
  FailureOr<int64_t> n =
      read(plan.n, plan.producers && !plan.turned, plan.blockN);
  if (failed(m) || failed(n) || failed(checkAxes(warp, {plan.m, plan.n})))
    return failure();
  plan.warpM = *m;
  plan.warpN = *n;
  auto stages = llvm::to_vector(warp.getBody().front().getOps<StageOp>());
  StringAttr id = plan.anchor->getAttrOfType<StringAttr>(kIdAttr);
  if (stages.size() != 1 || !stages[0].getMicro() || !id ||
      !llvm::is_contained(stages[0].getOps(), id))
    return warp.emitOpError(
        "must hold one stage with the contraction as its micro-kernel");
  if (plan.producers)
    return readGroups(warp, stages[0]);
  if (plan.scalar) {
    plan.unroll = std::max<int64_t>(stages[0].getMicroAttr().getUnroll(), 1);
    plan.contract = stages[0].getMicroAttr().getContract();
    LaneGrid lanes = divideLanes(plan.warpM, plan.warpN, plan.lanes);
    if (!lanes.m)
      return warp.emitOpError() << "has a tile of " << plan.warpM << "x"
                                << plan.warpN << ", which rows and columns of "
                                << plan.lanes << " lanes do not divide";
    for (auto [tile, outer, step, axis] :
         {std::tuple{plan.warpM, plan.blockM, lanes.m, plan.m},
          {plan.warpN, plan.blockN, lanes.n, plan.n},
          {plan.blockK, plan.blockK, plan.unroll, plan.k}})
      if (tile < step || tile % step != 0 || outer % tile != 0)
        return warp.emitOpError()
               << "has a tile of " << tile << " of axis "
               << plan.kernel.getAxes()[axis] << " in one of " << outer
               << "; scalar units need a multiple of " << step
               << " that divides it";
    // Lanes read neighbours in rows, all of them in one row.
    for (TileOperand *operand : {&plan.a, &plan.b})
      if (!operand->reductionInner)
        operand->chunksAtOnce = 8;
    return success();
  }
  plan.staged = stages[0].getMicroAttr().getInstruction() == "mfma";
  if (failed(readInstruction(stages[0], plan.staged ? "mfma" : "mma_sync")))
    return failure();
  if (!plan.staged)
    placeFragments();
  for (auto [tile, outer, step, axis] :
       {std::tuple{plan.warpM, plan.blockM, plan.instruction.getM(), plan.m},
        {plan.warpN, plan.blockN, getColumnStep(plan.instruction), plan.n},
        {plan.blockK, plan.blockK, getStepDepth(plan.instruction), plan.k}})
    if (tile < step || tile % step != 0 || outer % tile != 0)
      return warp.emitOpError() << "has a tile of " << tile << " of axis "
                                << plan.kernel.getAxes()[axis] << " in one of "
                                << outer << "; device code needs a multiple of "
                                << step << " that divides it";
  return success();
}

/// Which rows and chunks of a tile the lanes of a warp read at once that put
/// together fragments of `mma.sync`: four beside each other have consecutive
/// registers of a step, those of eight rows (columns of B) follow each other.
/// Lanes with eight bytes take turns.
void PlanReader::placeFragments() {
  for (TileOperand *operand : {&plan.a, &plan.b}) {
    if (operand->hasMatrixLoads())
      continue;
    int64_t bytes = operand->elementBytes();
    if (!operand->reductionInner)
      operand->rowsOfLane = std::max<int64_t>(kLaneBytes / bytes, 1);
    operand->chunksAtOnce = bytes < kLaneBytes ? 1 : 2;
  }
}

/// The matrix instruction of the stage, which must be of `kind`.
LogicalResult PlanReader::readInstruction(StageOp stage, StringRef kind) {
  StringRef named = stage.getMicroAttr().getInstruction();
  Type a = getFactorType(plan.anchor, 0), b = getFactorType(plan.anchor, 1);
  Type acc = plan.sumType();
  plan.instruction = findMatrixInstruction(hw, named, a, b, acc);
  if (!plan.instruction || named != kind || !hasMatrixForm(plan.instruction))
    return stage.emitOpError()
           << "needs '" << named << "' for " << a << " x " << b << " -> " << acc
           << "; device code " << (plan.producers ? "with producers " : "")
           << "exists for " << kind
           << " on 16-bit floats and tf32 with f32 sums, on i8 with i32 sums"
           << (kind == "wgmma"  ? " and on floats of 8 bits with f32 sums"
               : kind == "mfma" ? ", on f32 and on f64"
                                : " and on f64");
  if (!acc.isInteger())
    return success();
  std::optional<IntegerSigns> signs = getIntegerSigns(plan.anchor);
  if (!signs)
    return plan.anchor.emitOpError(
        "does more with its factors than to widen them to its sums, which "
        "matrix instructions on integers do");
  if (plan.staged && (signs->unsignedA || signs->unsignedB))
    return plan.anchor.emitOpError(
        "multiplies factors without a sign, which mfma takes for signed ones");
  if (plan.producers && signs->unsignedA != signs->unsignedB)
    return plan.anchor.emitOpError(
        "multiplies factors of different signs, which wgmma does from PTX 8.4 "
        "on");
  plan.unsignedA = signs->unsignedA;
  plan.unsignedB = signs->unsignedB;
  return success();
}

/// The two levels of a ring that producers fill; `consumer` becomes the one
/// that multiplies.
LogicalResult PlanReader::readRoles(LevelOp ring, LevelOp &consumer) {
  LevelOp producer;
  auto levels = llvm::to_vector(ring.getBody().front().getOps<LevelOp>());
  for (LevelOp level : levels)
    (level.getRole() == "producer" ? producer : consumer) = level;
  if (levels.size() != 2 || !producer || !consumer)
    return ring.emitOpError(
        "needs one level of producers and one of consumers for device code");
  plan.producers = *producer.getWarps();
  for (LevelOp level : {producer, consumer})
    if (*level.getWarps() % kWarpsPerGroup != 0)
      return level.emitOpError()
             << "has " << *level.getWarps()
             << " warps; device code divides registers among groups of "
             << kWarpsPerGroup;
  return success();
}

/// The tile of a group of warps on one matrix instruction, whose operands
/// stay in shared memory.
LogicalResult PlanReader::readGroups(LevelOp consumer, StageOp stage) {
  if (failed(readInstruction(stage, "wgmma")))
    return failure();
  for (const TileOperand *operand : {&plan.a, &plan.b})
    if (operand->elementBytes() != 2 && !operand->reductionInner)
      return stage.emitOpError()
             << "uses wgmma on " << operand->element << " of input "
             << operand->position
             << ", in whose memory the reduction is not innermost: only "
                "elements of 16 bits are transposed";
  int64_t rows = plan.turned ? plan.warpN : plan.warpM;
  int64_t columns = plan.turned ? plan.warpM : plan.warpN;
  if (rows % 64 != 0 || plan.blockM % plan.warpM != 0 ||
      plan.blockN % plan.warpN != 0 || columns % 8 != 0 ||
      columns > plan.instruction.getN())
    return consumer.emitOpError()
           << "has tiles of " << plan.warpM << "x" << plan.warpN
           << "; instruction '" << plan.instruction.getName()
           << "' covers 64 of the axis that is divided and a multiple of 8, at "
              "most "
           << plan.instruction.getN() << ", of the other";
  if (int64_t warps = plan.consumers(); int64_t(*consumer.getWarps()) != warps)
    return consumer.emitOpError()
           << "has " << *consumer.getWarps() << " warps for "
           << warps / kWarpsPerGroup << " tiles of a group of "
           << kWarpsPerGroup << "; it needs " << warps;
  int64_t copied = 0;
  for (const TileOperand *operand : {&plan.a, &plan.b})
    if (operand->copied)
      copied += operand->rows;
  std::optional<RoleRegisters> registers = divideRegisters(
      hw, {plan.producers, plan.consumers(), plan.sharedBytes(),
           plan.warpM * plan.warpN / (kWarpsPerGroup * plan.lanes) *
               getSumsPerElement(plan.instruction.getA()),
           getCopiesOfThread(copied, plan.producers)});
  if (!registers)
    return consumer.emitOpError()
           << "keeps " << plan.warpM << "x" << plan.warpN
           << " accumulators in a group of warps, which the registers of "
           << plan.producers + plan.consumers() << " warps do not hold";
  plan.registers = *registers;
  return success();
}

LogicalResult PlanReader::readStart() {
  Value init = plan.anchor.getDpsInits()[0];
  if (auto fill = init.getDefiningOp<linalg::FillOp>()) {
    if (!matchPattern(fill.value(), m_Constant(&plan.initial)))
      return fill.emitOpError("must fill with a constant");
    return success();
  }
  if (!isa<BlockArgument>(init))
    return plan.anchor.emitOpError(
        "must accumulate into a fill or an operand of the kernel");
  return success();
}

LogicalResult PlanReader::readEpilogue(ArrayRef<StageOp> stages) {
  llvm::SmallDenseSet<Attribute> names;
  for (StageOp stage : stages)
    names.insert_range(stage.getOps());
  for (Operation &op : plan.kernel.getPayload().front()) {
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    if (!linalgOp || linalgOp == plan.anchor || isa<linalg::FillOp>(op))
      continue;
    if (!names.contains(op.getAttr(kIdAttr)))
      return op.emitOpError("is run by no stage behind the reduction");
    if (linalgOp.getNumReductionLoops() != 0 || op.getNumResults() != 1 ||
        !llvm::all_of(linalgOp.getIndexingMapsArray(), [](AffineMap map) {
          return map.isProjectedPermutation();
        }))
      return op.emitOpError("behind a contraction must be elementwise with "
                            "one result and permuted or broadcast operands");
    if (op.getRegion(0)
            .walk([](linalg::IndexOp) { return WalkResult::interrupt(); })
            .wasInterrupted())
      return op.emitOpError("reads loop indices, which device code does not");
    plan.epilogue.push_back(linalgOp);
  }
  if (plan.kernel.getNumResults() != 1)
    return plan.kernel.emitOpError("must have one result");
  return success();
}

/// Boxes of the result: whole rows of the swizzle from tiles of groups that lie
/// as the instruction has them, in a result that nothing transposes.
LogicalResult PlanReader::checkStore(LevelOp block) {
  int64_t run = getStoreRun(plan.instruction);
  bool boxes = plan.storesBoxes() && plan.producers && !plan.turned;
  if (!boxes && run % plan.store != 0)
    return block.emitOpError() << "stores runs of " << plan.store
                               << " elements; a thread holds runs of " << run;
  if (!boxes)
    return success();
  Type element = getElementTypeOrSelf(plan.kernel.getInits()[0].getType());
  if (plan.store * element.getIntOrFloatBitWidth() != kBoxRowBytes * 8 ||
      plan.blockN % plan.store != 0)
    return block.emitOpError()
           << "stores boxes with rows of " << plan.store << " elements of "
           << element << " from tiles of " << plan.blockN
           << " columns; bulk copies store rows of " << kBoxRowBytes
           << " bytes that divide the tile";
  for (linalg::LinalgOp op : plan.epilogue)
    if (!keepsPlaces(op))
      return op->emitOpError("changes the order of the result's dimensions, "
                             "which bulk copies do not");
  return success();
}

FailureOr<ContractionPlan> PlanReader::run() {
  CandidateOp candidate = plan.candidate;
  auto only = [](Block &block) -> LevelOp {
    auto levels = llvm::to_vector(block.getOps<LevelOp>());
    return levels.size() == 1 ? levels[0] : LevelOp();
  };
  LevelOp block = only(candidate.getSchedule().front());
  LevelOp ring = block ? only(block.getBody().front()) : LevelOp();
  LevelOp warp = ring ? only(ring.getBody().front()) : LevelOp();
  bool roles = ring && llvm::any_of(ring.getBody().front().getOps<LevelOp>(),
                                    [](LevelOp level) {
                                      return level.getRole().has_value();
                                    });
  if (roles && failed(readRoles(ring, warp)))
    return failure();
  if (!warp)
    return candidate.emitOpError(
        "must be a tree of levels block, shared memory and warp");
  if (failed(readAnchor()) || failed(readBlock(block)) ||
      failed(readRing(ring)) || failed(readWarp(warp)))
    return failure();
  if (plan.scalar)
    return plan;
  if (failed(readStart()))
    return failure();
  auto behind = llvm::to_vector(block.getBody().front().getOps<StageOp>());
  if (failed(readEpilogue(behind)) || failed(checkStore(block)))
    return failure();
  return plan;
}

FailureOr<ContractionPlan>
vortex::readContractionPlan(CandidateOp candidate, HwAttr hw,
                            std::optional<unsigned> partLength) {
  return PlanReader(candidate, hw, partLength).run();
}
