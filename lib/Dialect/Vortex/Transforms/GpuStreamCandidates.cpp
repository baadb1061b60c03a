//===- GpuStreamCandidates.cpp - What memory bounds, on a GPU -------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elementwise chains, transposes, reductions, pooling, softmax and norms. The
// lanes of a warp lie along one axis, so that it reads whole sectors. Rows: a
// warp takes a row from end to end, as reductions along the lanes ask; where
// nothing reduces, a block may take a run of a row instead, and where something
// does, all its warps one row together, which is better when rows are few. Each
// of these also with loads and stores of 16 bytes, for rows that are aligned to
// them, and, where operands are read for more than one reduction, with the row
// in registers, for rows that fit.
// Squares: where nothing reduces and an operand has its neighbours along the
// rows, a block brings it through shared memory. Columns: a warp takes as many
// columns as it has lanes and walks the reduction.
//
// Costs: what is moved at the bandwidth of memory, or at what the
// multiprocessors with work can draw, no more than what their warps have under
// way in the time of a trip to memory (Little's law), and waves of blocks that
// wait once for memory (roofline; MikPoly's waves).
//
//===----------------------------------------------------------------------===//

#include "GpuCandidates.h"

#include "CandidateFamily.h"

#include "vortex/Dialect/Vortex/IR/CrossedOperands.h"
#include "vortex/Dialect/Vortex/IR/GridLimit.h"
#include "vortex/Dialect/Vortex/IR/LaneOperands.h"
#include "vortex/Dialect/Vortex/IR/WarpLanes.h"

using namespace mlir;
using namespace vortex;

/// Warps of a block: two for each partition of a multiprocessor.
static constexpr int64_t kWarpsPerPartition = 2;
/// Elements of a lane under way at once, where it loads one at a time.
static constexpr int64_t kUnroll = 4;
/// Groups of elements of a lane under way at once.
static constexpr int64_t kUnrolledGroups = 2;
/// Registers of a lane for what it holds of an operand's row: few, for short
/// rows, and many.
static constexpr int64_t kHeldRegisters[] = {8, 32};
/// What a held group behind the end of a row costs of one in front of it: all
/// lanes load the same elements again (an estimate).
static constexpr double kSpareGroup = 0.25;
/// Registers of a thread: what so short a loop needs, an estimate.
static constexpr int64_t kThreadRegisters = 32;
/// Coordinates of a tile that starts below this end in 31 bits.
static constexpr int64_t kLargestExtent = (int64_t(1) << 31) - 4096;

namespace {
class GpuStreamFamily : CandidateFamily {
public:
  using CandidateFamily::CandidateFamily;
  LogicalResult add(bool columns);

private:
  struct Tree {
    std::string name;
    SmallVector<int64_t> axes;     ///< divided among blocks
    SmallVector<int64_t> block;    ///< their tiles
    SmallVector<int64_t> warpAxes; ///< divided among the warps of a block
    SmallVector<int64_t> warp;     ///< their tiles
    MicroKernelAttr micro;
    int64_t together = 1; ///< warps of a block that share each row
    bool held = false;    ///< a row is in registers
    /// Elements of a row that its lanes have under way at once.
    int64_t step() const {
      return micro.getLanes() * micro.getVectors() * micro.getUnroll() *
             together;
    }
  };
  /// How often the payload walks along the lanes.
  struct Walks {
    int64_t operands = 0; ///< walked at all
    int64_t reads = 0;    ///< of operands, over all walks
    int64_t held = 0;     ///< operands in more than one walk
  };
  void emit(const Tree &tree);
  void addSquares(SmallVectorImpl<Tree> &trees, ArrayRef<int64_t> rows,
                  int64_t warps);
  void addWide(SmallVectorImpl<Tree> &trees);
  void addHeld(SmallVectorImpl<Tree> &trees);
  Walks countWalks();
  MicroKernelAttr makeMicro(StringRef kind, int64_t height, int64_t unroll,
                            int64_t lane, int64_t width = 1);
  Flag isWide(const Tree &tree);
  Real countIdle(const Tree &tree);
  std::optional<Real> countFetched(const Tree &tree);
  int64_t countReductions();
  int64_t getWidestBytes();

  int64_t warpLanes = getWarpLanes(hw);
  SmallVector<LaneOperand> laneOperands; ///< of rows
  int64_t width = 1;                     ///< of what they load at once
  Walks walks;
};
} // namespace

int64_t GpuStreamFamily::countReductions() {
  return llvm::count_if(
      kernel.getPayload().front().getOps<linalg::LinalgOp>(),
      [](linalg::LinalgOp op) { return op.getNumReductionLoops() > 0; });
}

int64_t GpuStreamFamily::getWidestBytes() {
  unsigned bits = 8;
  for (Type type : kernel->getOperandTypes())
    if (Type element = getElementTypeOrSelf(type); element.isIntOrFloat())
      bits = std::max(bits, element.getIntOrFloatBitWidth());
  return bits / 8;
}

LogicalResult GpuStreamFamily::add(bool columns) {
  HwLevelAttr warpLevel = hw.getLevel("warp");
  if (!hw.getLevel("l2") || !warpLevel || !hw.getLevel("block"))
    return drop("target " + hw.getIsa().str() +
                " does not describe l2, block and warp");
  int64_t warps = warpLevel.getUnits() * kWarpsPerPartition;
  int64_t lane = getLaneLoop(anchor);
  SmallVector<int64_t> rows = getRows(columns);
  Block *block = createCandidates();
  auto micro = [&](StringRef kind, int64_t unroll, int64_t laneAxis) {
    return makeMicro(kind, /*height=*/1, unroll, laneAxis);
  };
  SmallVector<Tree, 0> trees;
  SmallVector<int64_t> ones(rows.size(), 1);
  if (columns) {
    Tree tree{"columns",     rows,        ones,
              {rows.back()}, {warpLanes}, micro("simt", kUnroll, -1)};
    tree.block.back() = warps * warpLanes;
    trees.push_back(tree);
  } else {
    Tree tree{"rows", rows, ones, {}, {}, micro("vector", kUnroll, lane)};
    if (!rows.empty()) {
      tree.block.back() = warps;
      tree.warpAxes = {rows.back()};
      tree.warp = {1};
    }
    trees.push_back(tree);
    if (lane >= 0 && countReductions()) {
      Tree together{"block_rows", rows, ones,
                    {},           {},   micro("vector", kUnroll, lane)};
      together.together = warps;
      trees.push_back(together);
    }
    if (lane >= 0 && !countReductions()) {
      int64_t run = warpLanes * kUnroll;
      Tree runs{"runs", rows,  ones,
                {lane}, {run}, micro("vector", kUnroll, lane)};
      runs.axes.push_back(lane);
      runs.block.push_back(warps * run);
      trees.push_back(runs);
    }
    if (lane >= 0) {
      laneOperands = findLaneOperands(kernel, lane);
      walks = countWalks();
      // A device whose lanes are alone has no vectors in its code.
      width = warpLanes > 1 ? getLaneWidth(laneOperands) : 1;
      addWide(trees);
      addHeld(trees);
    }
    addSquares(trees, rows, warps);
  }
  if (width > 1) // guards ask where operands are
    for (Type type : kernel->getOperandTypes())
      block->addArgument(type, kernel.getLoc());
  for (const Tree &tree : trees) {
    ++report.considered;
    b.setInsertionPointToEnd(block);
    emit(tree);
  }
  return success();
}

MicroKernelAttr GpuStreamFamily::makeMicro(StringRef kind, int64_t height,
                                           int64_t unroll, int64_t lane,
                                           int64_t width) {
  return MicroKernelAttr::get(b.getContext(), kind, height, width, warpLanes,
                              unroll, /*prefetch=*/0,
                              /*narrow_rows=*/0, /*scheduler=*/true, lane,
                              /*in_flight=*/0);
}

/// Operands that are read between the reductions along a row are read again
/// for each, by all but those who hold it.
GpuStreamFamily::Walks GpuStreamFamily::countWalks() {
  unsigned lane = getLaneLoop(anchor);
  Block &payload = kernel.getPayload().front();
  Walks found;
  SmallVector<int64_t> read(payload.getNumArguments(), 0);
  auto walk = [&](Operation *end, Value result) {
    llvm::SetVector<Operation *> ops;
    llvm::SmallDenseSet<unsigned> met;
    if (end)
      ops.insert(end);
    else if (Operation *op = result.getDefiningOp())
      ops.insert(op);
    for (size_t i = 0; i < ops.size(); ++i) {
      auto op = dyn_cast<linalg::LinalgOp>(ops[i]);
      for (OpOperand &operand :
           op ? op->getOpOperands() : MutableArrayRef<OpOperand>()) {
        if (!op.payloadUsesValueFromOperand(&operand) ||
            !op.getMatchingIndexingMap(&operand).isFunctionOfDim(lane))
          continue;
        if (auto argument = dyn_cast<BlockArgument>(operand.get()))
          met.insert(argument.getArgNumber());
        else
          ops.insert(operand.get().getDefiningOp());
      }
    }
    for (unsigned operand : met)
      ++read[operand];
  };
  for (auto op : payload.getOps<linalg::LinalgOp>())
    if (op.getNumReductionLoops() > 0)
      walk(op, Value());
  for (Value result : payload.back().getOperands())
    if (auto op = result.getDefiningOp<linalg::LinalgOp>();
        op && op.getIndexingMapsArray().back().isFunctionOfDim(lane))
      walk(nullptr, result);
  for (int64_t times : read) {
    found.operands += times > 0;
    found.reads += times;
    found.held += times > 1;
  }
  return found;
}

/// The trees there are, a row of each in the registers of its lanes. Those are
/// all of the row's reductions.
void GpuStreamFamily::addHeld(SmallVectorImpl<Tree> &trees) {
  int64_t lane = getLaneLoop(anchor);
  bool others = llvm::any_of(
      kernel.getPayload().front().getOps<linalg::LinalgOp>(),
      [&](linalg::LinalgOp op) {
        SmallVector<unsigned> loops;
        op.getReductionDims(loops);
        return llvm::any_of(loops, [&](unsigned loop) { return loop != lane; });
      });
  if (others || walks.held == 0)
    return;
  // Rows without alignment have one tree, for whatever fits.
  SmallVector<std::pair<int64_t, int64_t>> forms = {{1, kHeldRegisters[1]}};
  if (width > 1)
    forms = {{width, kHeldRegisters[0]}, {width, kHeldRegisters[1]}, forms[0]};
  SmallVector<Tree, 0> held;
  for (const Tree &tree : trees)
    for (auto [group, registers] : forms) {
      int64_t elements = registers / std::max<int64_t>(getWidestBytes() / 4, 1);
      // Of several operands no more than a lane has registers for.
      if (tree.micro.getVectors() != 1 || elements % group != 0 ||
          walks.held * registers > 2 * kHeldRegisters[1])
        continue;
      Tree &next = held.emplace_back(tree);
      next.held = true;
      next.micro =
          makeMicro("vector", /*height=*/1, elements / group, lane, group);
      next.name = ("held_" + Twine(tree.name) + "_" + Twine(next.step())).str();
      if (group > 1)
        next.name += "_x" + std::to_string(group);
    }
  trees.insert(trees.begin(), held.begin(), held.end());
}

/// The trees there are, with loads and stores of several elements.
void GpuStreamFamily::addWide(SmallVectorImpl<Tree> &trees) {
  if (width == 1)
    return;
  SmallVector<Tree, 0> wide;
  for (const Tree &tree : trees) {
    Tree &next = wide.emplace_back(tree);
    next.micro = makeMicro("vector", /*height=*/1, kUnrolledGroups,
                           getLaneLoop(anchor), width);
    next.name += "_x" + std::to_string(width);
    if (int64_t lane = getLaneLoop(anchor);
        llvm::is_contained(tree.warpAxes, lane)) {
      int64_t warps = tree.block.back() / tree.warp.back();
      next.warp.back() = warpLanes * width * kUnrolledGroups;
      next.block.back() = warps * next.warp.back();
    }
  }
  trees.insert(trees.begin(), wide.begin(), wide.end());
}

/// Whether rows begin, and end, at whole groups of elements.
Flag GpuStreamFamily::isWide(const Tree &tree) {
  Block &block = kernel.getCandidates().front();
  Size elements = arith.size(width);
  Flag holds = axis(getLaneLoop(anchor)) % elements < arith.size(1);
  for (const LaneOperand &operand : laneOperands)
    holds = holds & hasAlignedRows(arith,
                                   block.getArgument(kernel.getAxes().size() +
                                                     operand.position),
                                   width, operand.bytes);
  return holds;
}

void GpuStreamFamily::addSquares(SmallVectorImpl<Tree> &trees,
                                 ArrayRef<int64_t> rows, int64_t warps) {
  std::optional<unsigned> crossed = getCrossedLoop(anchor);
  HwLevelAttr shared = hw.getLevel("smem");
  if (!crossed || !shared || warpLanes % warps != 0)
    return;
  int64_t lane = getLaneLoop(anchor);
  SmallVector<CrossedOperand> operands = layOutCrossed(
      *anchor->getBlock(), *crossed, lane, warpLanes, getBankBytes(hw));
  if (countSharedBytes(operands, warpLanes) > shared.getCapacity())
    return;
  Tree squares{"squares",
               llvm::to_vector(rows),
               SmallVector<int64_t>(rows.size(), 1),
               {*crossed},
               {warpLanes / warps},
               makeMicro("square", warpLanes, /*unroll=*/1, lane)};
  squares.block[llvm::find(rows, *crossed) - rows.begin()] = warpLanes;
  squares.axes.push_back(lane);
  squares.block.push_back(warpLanes);
  trees.push_back(squares);
}

/// Lanes past an edge are idle: what they would have moved over what is.
Real GpuStreamFamily::countIdle(const Tree &tree) {
  int64_t lane = getLaneLoop(anchor);
  auto rounded = [&](int64_t loop, int64_t tile) {
    Size extent = atLeast(axis(loop), 1);
    return arith.real(ceilDiv(extent, arith.size(tile)) * tile) /
           arith.real(extent);
  };
  if (tree.micro.getInstruction() == "square")
    return rounded(tree.warpAxes[0], warpLanes) * rounded(lane, warpLanes);
  if (tree.micro.getInstruction() != "vector" || lane < 0)
    return arith.real(1.0);
  if (tree.held)
    return (rounded(lane, tree.step()) - arith.real(1.0)) * kSpareGroup +
           arith.real(1.0);
  return rounded(lane,
                 llvm::is_contained(tree.warpAxes, lane)
                     ? tree.block.back()
                     : warpLanes * tree.micro.getVectors() * tree.together);
}

/// What is read over what is needed, where lanes lie across the neighbours of
/// an operand: each takes a sector of its own, with as many elements as there
/// are neighbours. None: nothing lies across.
std::optional<Real> GpuStreamFamily::countFetched(const Tree &tree) {
  std::optional<unsigned> crossed;
  if (tree.micro.getInstruction() == "vector")
    crossed = getCrossedLoop(anchor);
  if (!crossed)
    return std::nullopt;
  int64_t sector = std::max<int64_t>(
      hw.getLevel("l2").getGranularity() / getWidestBytes(), 1);
  Size neighbours = atMost(atLeast(axis(*crossed), 1), sector);
  return (arith.real(neighbours) + arith.real(1.0)) * 0.5;
}

void GpuStreamFamily::emit(const Tree &tree) {
  Location loc = kernel.getLoc();
  SmallVector<Value> blockSizes, warpSizes;
  for (int64_t size : tree.block)
    blockSizes.push_back(arith.size(size).value);
  for (int64_t size : tree.warp)
    warpSizes.push_back(arith.size(size).value);
  auto candidate = CandidateOp::create(b, loc, tree.name);

  b.createBlock(&candidate.getSchedule());
  LevelOp level = createLevel("block", LoopKind::Grid, tree.axes, AxisClass::PL,
                              blockSizes);
  if (tree.together > 1)
    level.setWarps(tree.together);
  if (!tree.warpAxes.empty())
    createLevel("warp", LoopKind::Forall, tree.warpAxes, AxisClass::PL,
                warpSizes);
  if (tree.held) {
    // All that it has is one step.
    int64_t lane = getLaneLoop(anchor);
    bool reduces =
        anchor.getIteratorTypesArray()[lane] == utils::IteratorType::reduction;
    Value size = sizeInFront(candidate, tree.step());
    createLevel("register", LoopKind::Sequential, {lane},
                reduces ? AxisClass::TRL : AxisClass::TSL, {size});
  }
  StageOp::create(b, loc, b.getStrArrayAttr(getPayloadIds()), tree.micro,
                  StringAttr());

  auto countBlocks = [&] {
    Size blocks = arith.size(1);
    for (auto [loop, size] : llvm::zip(tree.axes, tree.block))
      blocks = blocks * ceilDiv(axis(loop), arith.size(size));
    return blocks;
  };
  // Device code counts in 32 bits.
  b.createBlock(&candidate.getGuard());
  Flag holds = countBlocks() <= arith.size(getLargestGrid(hw));
  for (size_t loop = 0; loop < kernel.getAxes().size(); ++loop)
    holds = holds & (axis(loop) < arith.size(kLargestExtent));
  if (tree.micro.getVectors() > 1)
    holds = holds & isWide(tree);
  if (tree.held) {
    Size length = axis(getLaneLoop(anchor));
    holds =
        holds & (arith.size(0) < length) & (length <= arith.size(tree.step()));
  }
  YieldOp::create(b, loc, holds.value);

  b.createBlock(&candidate.getCost());
  Size blocks = countBlocks();
  Size units = atLeast(arith.toSize(param("block.units")), 1);
  Size busy = min(atLeast(blocks, 1), units);
  // Each point of the axes is read and written once: an upper bound, which all
  // trees share.
  Size points = arith.size(1);
  for (size_t loop = 0; loop < kernel.getAxes().size(); ++loop)
    points = points * axis(loop);
  Real bytes = arith.real(points) * (2.0 * getWidestBytes());
  Real idle = countIdle(tree);
  std::optional<Real> fetched = countFetched(tree);
  if (fetched)
    idle = idle * *fetched;
  // As many blocks share a multiprocessor as its registers hold.
  HwLevelAttr warp = hw.getLevel("warp");
  int64_t elements = tree.micro.getVectors() * tree.micro.getUnroll();
  int64_t registers = kThreadRegisters;
  if (tree.held)
    registers +=
        walks.held * elements * std::max<int64_t>(getWidestBytes() / 4, 1);
  int64_t resident = std::max<int64_t>(
      warp.getCapacity() / (kWarpsPerPartition * warpLanes * registers * 4), 1);
  Real waves = arith.real(ceilDiv(blocks, units * resident));
  Real draw = arith.real(busy) * param("l2.stream");
  if (tree.micro.getInstruction() == "vector") {
    Size warps = arith.size(tree.together);
    for (auto [loop, size] : llvm::zip(tree.axes, tree.block)) {
      auto *found = llvm::find(tree.warpAxes, loop);
      int64_t tile = found == tree.warpAxes.end()
                         ? size
                         : tree.warp[found - tree.warpAxes.begin()];
      warps = warps * ceilDiv(axis(loop), arith.size(tile));
    }
    int64_t most = resident * kWarpsPerPartition * warp.getUnits();
    Real underWay = arith.real(min(atLeast(warps, 1), units * most)) *
                    double(warpLanes * elements * getWidestBytes());
    draw = min(draw, underWay / param("device.latency"));
  }
  Real drawn = bytes * idle / draw;
  // What is read again comes out of a cache.
  if (walks.operands > 0 && !tree.held)
    drawn = drawn * (double(walks.reads + 1) / (walks.operands + 1));
  Real memory = bytes / param("device.bandwidth");
  // The neighbours are found in L2 when their turn comes.
  if (fetched)
    memory = max(memory, bytes * *fetched / param("l2.bandwidth"));
  // A block waits for its first and for its last element; warps that share a
  // row write and read shared memory for each reduction.
  Real wait = waves * param("device.latency") * 2.0;
  if (tree.together > 1)
    wait = wait + waves * param("smem.latency") * (2.0 * countReductions());
  if (tree.micro.getInstruction() == "square")
    wait = wait + waves * param("smem.latency") * 2.0;
  YieldOp::create(
      b, loc, (max(max(drawn, memory), wait) + param("block.startup")).value);
}

LogicalResult vortex::addGpuStreamCandidates(KernelOp kernel,
                                             linalg::LinalgOp anchor,
                                             bool columns, HwAttr hw,
                                             CandidateReport &report) {
  return GpuStreamFamily(kernel, anchor, hw, report).add(columns);
}
