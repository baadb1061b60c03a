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
// Costs: what is moved at the bandwidth of memory, what is read again at that
// of L2, or both at what the multiprocessors with work can draw; instructions
// at the rate of their lanes; and waves of blocks, each of which waits for the
// steps of a row one after the other (roofline; MikPoly's waves).
//
//===----------------------------------------------------------------------===//

#include "GpuCandidates.h"

#include "CandidateFamily.h"

#include "vortex/Dialect/Vortex/IR/CrossedOperands.h"
#include "vortex/Dialect/Vortex/IR/GridLimit.h"
#include "vortex/Dialect/Vortex/IR/LaneOperands.h"
#include "vortex/Dialect/Vortex/IR/SplitReduction.h"
#include "vortex/Dialect/Vortex/IR/WarpLanes.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace vortex;

/// Warps of a block: two for each partition of a multiprocessor.
static constexpr int64_t kWarpsPerPartition = 2;
/// Elements of a lane under way at once, where it loads one at a time.
static constexpr int64_t kRowUnroll = 4;
/// Groups of elements of a lane under way at once.
static constexpr int64_t kUnrolledGroups = 2;
/// Registers of a lane for what it holds of an operand's row: for short rows,
/// for longer ones, and as many as leave room for two more operands.
static constexpr int64_t kHeldRegisters[] = {4, 16, 32};
/// Instructions of a lane for a load or store with its address and predicate,
/// and for a function or a division; fitted to times of an H200.
static constexpr double kAccessInstructions = 16, kFunctionInstructions = 10;
/// Registers of a thread: what so short a loop needs, an estimate.
static constexpr int64_t kThreadRegisters = 32;
/// Loads of a lane that LLVM's unrolling puts side by side where it walks a
/// column; fitted to times of an H200.
static constexpr double kColumnLoads = 16;
/// Steps of a part of a column at least, and parts of one at most: what adds
/// them walks them as one walks a column.
static constexpr int64_t kLeastPartSteps = 64, kMostParts = 256;
/// Reductions, from the outside, for which there is a tree that divides it.
static constexpr size_t kSplitReductions = 2;

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
    int64_t split = -1;   ///< reduction whose parts are divided among blocks
    /// Elements of a row that its lanes have under way at once.
    int64_t step() const {
      return micro.getLanes() * micro.getVectors() * micro.getUnroll() *
             together;
    }
  };
  /// What the payload does with each point of its axes, once where a row is
  /// held, and in each walk along the lanes where it is not.
  struct Work {
    double operations = 0, accesses = 0; ///< instructions; loads and stores
    double bytes = 0; ///< of operands that have an element for each point
  };
  void emit(const Tree &tree);
  int64_t countResident(int64_t elements = 0);
  void addSquares(SmallVectorImpl<Tree> &trees, ArrayRef<int64_t> rows,
                  int64_t warps);
  void addSplit(SmallVectorImpl<Tree> &trees);
  Size getPartLength(const Tree &tree);
  Size countReduced();
  void addWide(SmallVectorImpl<Tree> &trees);
  void addHeld(SmallVectorImpl<Tree> &trees);
  void countWork();
  MicroKernelAttr makeMicro(StringRef kind, int64_t height, int64_t unroll,
                            int64_t lane, int64_t width = 1);
  Flag isWide(const Tree &tree);
  Real countIdle(const Tree &tree);
  void emitGuard(const Tree &tree);
  void emitCost(const Tree &tree);
  Size countBlocks(const Tree &tree);
  std::optional<Real> countFetched(const Tree &tree);
  int64_t countReductions();
  int64_t getWidestBytes();

  int64_t warpLanes = getWarpLanes(hw);
  SmallVector<LaneOperand> laneOperands; ///< of rows
  int64_t width = 1;                     ///< of what they load at once
  Work held, walked;
  double written = 0;   ///< bytes of results for each point
  int64_t walks = 0;    ///< along the lanes
  int64_t operands = 0; ///< that lanes walk
  int64_t rereads = 0;  ///< operands in more than one walk
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
  countWork();
  Block *block = createCandidates();
  auto micro = [&](StringRef kind, int64_t unroll, int64_t laneAxis) {
    return makeMicro(kind, /*height=*/1, unroll, laneAxis);
  };
  SmallVector<Tree, 0> trees;
  SmallVector<int64_t> ones(rows.size(), 1);
  if (columns) {
    Tree tree{"columns",     rows,        ones,
              {rows.back()}, {warpLanes}, micro("simt", kRowUnroll, -1)};
    tree.block.back() = warps * warpLanes;
    trees.push_back(tree);
    addSplit(trees);
  } else {
    Tree tree{"rows", rows, ones, {}, {}, micro("vector", kRowUnroll, lane)};
    if (!rows.empty()) {
      tree.block.back() = warps;
      tree.warpAxes = {rows.back()};
      tree.warp = {1};
    }
    trees.push_back(tree);
    if (lane >= 0 && countReductions()) {
      Tree together{"block_rows", rows, ones,
                    {},           {},   micro("vector", kRowUnroll, lane)};
      together.together = warps;
      trees.push_back(together);
    }
    if (lane >= 0 && !countReductions()) {
      int64_t run = warpLanes * kRowUnroll;
      Tree runs{"runs", rows,  ones,
                {lane}, {run}, micro("vector", kRowUnroll, lane)};
      runs.axes.push_back(lane);
      runs.block.push_back(warps * run);
      // In front of rows: of long ones it is the better one by a little.
      trees.insert(trees.begin(), runs);
    }
    if (lane >= 0) {
      laneOperands = findLaneOperands(kernel, lane);
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

/// Instructions for one element of `op`, its operands being there.
static double countInstructions(linalg::LinalgOp op) {
  double count = 0;
  for (Operation &inner : op->getRegion(0).front().without_terminator())
    count += isa<math::MathDialect>(inner.getDialect()) ||
                     isa<arith::DivFOp, arith::DivSIOp, arith::DivUIOp,
                         arith::RemFOp, arith::RemSIOp, arith::RemUIOp>(inner)
                 ? kFunctionInstructions
                 : 1;
  return count;
}

/// What a row has its elements of is made again in each walk along it: one for
/// each reduction, and one to store what is as long as the row.
void GpuStreamFamily::countWork() {
  int64_t lane = getLaneLoop(anchor);
  Block &payload = kernel.getPayload().front();
  size_t axes = kernel.getAxes().size();
  auto alongLanes = [&](AffineMap map) {
    return lane < 0 || map.isFunctionOfDim(lane);
  };
  // Bytes of an operand for each point; those with fewer points count nothing.
  auto bytesOf = [&](Type type, AffineMap map) {
    Type element = getElementTypeOrSelf(type);
    if (!element.isIntOrFloat() || map.getNumDims() < axes)
      return 0.0;
    for (size_t axis = 0; axis < axes; ++axis)
      if (!map.isFunctionOfDim(axis))
        return 0.0;
    return element.getIntOrFloatBitWidth() / 8.0;
  };
  SmallVector<int64_t> read(payload.getNumArguments(), 0);
  llvm::SetVector<Operation *> all;
  auto walk = [&](Operation *end) {
    ++walks;
    llvm::SetVector<Operation *> ops;
    llvm::SmallDenseMap<unsigned, double> met;
    ops.insert(end);
    for (size_t i = 0; i < ops.size(); ++i) {
      auto op = dyn_cast<linalg::LinalgOp>(ops[i]);
      if (!op)
        continue;
      walked.operations += countInstructions(op);
      if (all.insert(op))
        held.operations += countInstructions(op);
      for (OpOperand &operand : op->getOpOperands()) {
        AffineMap map = op.getMatchingIndexingMap(&operand);
        if (!op.payloadUsesValueFromOperand(&operand) || !alongLanes(map))
          continue;
        if (auto argument = dyn_cast<BlockArgument>(operand.get())) {
          double &bytes = met[argument.getArgNumber()];
          bytes = std::max(bytes, bytesOf(argument.getType(), map));
        } else if (Operation *from = operand.get().getDefiningOp()) {
          ops.insert(from);
        }
      }
    }
    for (auto [operand, bytes] : met) {
      ++walked.accesses;
      walked.bytes += bytes;
      if (read[operand]++ == 0) {
        ++held.accesses;
        held.bytes += bytes;
      }
    }
  };
  for (auto op : payload.getOps<linalg::LinalgOp>())
    if (op.getNumReductionLoops() > 0)
      walk(op);
  llvm::SetVector<Operation *> ends;
  for (Value result : payload.back().getOperands()) {
    auto op = result.getDefiningOp<linalg::LinalgOp>();
    if (!op ||
        !alongLanes(op.getIndexingMapMatchingResult(cast<OpResult>(result))))
      continue;
    for (Work *work : {&held, &walked})
      ++work->accesses;
    written += bytesOf(result.getType(),
                       op.getIndexingMapMatchingResult(cast<OpResult>(result)));
    if (op.getNumReductionLoops() == 0)
      ends.insert(op);
  }
  for (Operation *op : ends)
    walk(op);
  for (int64_t times : read) {
    operands += times > 0;
    rereads += times > 1;
  }
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
  if (others || rereads == 0)
    return;
  // Rows without alignment have one tree, for whatever fits.
  SmallVector<std::pair<int64_t, int64_t>> forms;
  if (width > 1)
    for (int64_t registers : kHeldRegisters)
      forms.push_back({width, registers});
  forms.push_back({1, std::end(kHeldRegisters)[-1]});
  SmallVector<Tree, 0> holding;
  for (const Tree &tree : trees)
    for (auto [group, registers] : forms) {
      int64_t elements = registers / std::max<int64_t>(getWidestBytes() / 4, 1);
      // Of several operands no more than a lane has registers for.
      if (tree.micro.getVectors() != 1 || elements % group != 0 ||
          rereads * registers > 2 * std::end(kHeldRegisters)[-1])
        continue;
      Tree &next = holding.emplace_back(tree);
      next.held = true;
      next.micro =
          makeMicro("vector", /*height=*/1, elements / group, lane, group);
      next.name = ("held_" + Twine(tree.name) + "_" + Twine(next.step())).str();
      if (group > 1)
        next.name += "_x" + std::to_string(group);
    }
  trees.insert(trees.begin(), holding.begin(), holding.end());
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

/// Steps of all reductions of the anchor.
Size GpuStreamFamily::countReduced() {
  SmallVector<unsigned> loops;
  anchor.getReductionDims(loops);
  Size steps = arith.size(1);
  for (unsigned loop : loops)
    steps = steps * axis(loop);
  return steps;
}

/// Adds trees whose blocks share a sum among them. What adds the parts knows
/// nothing but sums, and each part must have all that makes its elements.
void GpuStreamFamily::addSplit(SmallVectorImpl<Tree> &trees) {
  if (kernel.getNumResults() != 1 || !isSumOfElements(anchor))
    return;
  // What follows is computed where the parts are added.
  for (auto op : kernel.getPayload().front().getOps<linalg::LinalgOp>())
    if (op != anchor && !isa<linalg::FillOp>(op.getOperation()) &&
        (op.getNumReductionLoops() ||
         !op.getIndexingMapsArray().back().isIdentity()))
      return;
  SmallVector<unsigned> loops;
  anchor.getReductionDims(loops);
  Tree whole = trees.front();
  for (unsigned loop : llvm::ArrayRef(loops).take_front(kSplitReductions)) {
    Tree &next = trees.emplace_back(whole);
    next.split = loop;
    StringRef name = cast<StringAttr>(kernel.getAxes()[loop]).getValue();
    next.name = "split_columns";
    if (loops.size() > 1)
      next.name += ("_" + name).str();
  }
}

/// Steps along the split reduction in a part: as many parts as there are places
/// for blocks beside the columns, of no fewer steps than are under way at once
/// several times, and no more than the kernel behind them adds quickly.
Size GpuStreamFamily::getPartLength(const Tree &tree) {
  Size columns = arith.size(1);
  for (auto [loop, size] : llvm::zip(tree.axes, tree.block))
    columns = columns * ceilDiv(axis(loop), arith.size(size));
  Size slots = atLeast(arith.toSize(param("block.units")), 1) * countResident();
  Size most = axis(tree.split) / arith.size(kLeastPartSteps);
  Size parts = atLeast(
      min(min(slots / atLeast(columns, 1), most), arith.size(kMostParts)), 1);
  return atLeast(ceilDiv(axis(tree.split), parts), 1);
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
    return rounded(lane, tree.step());
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

  SmallVector<int64_t> axes = tree.axes;
  if (tree.split >= 0) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(candidate);
    axes.push_back(tree.split);
    blockSizes.push_back(getPartLength(tree).value);
  }
  b.createBlock(&candidate.getSchedule());
  LevelOp level =
      createLevel("block", LoopKind::Grid, axes, AxisClass::PL, blockSizes);
  if (tree.split >= 0)
    level.setCombine("add");
  if (tree.together > 1)
    level.setWarps(tree.together);
  if (!tree.warpAxes.empty())
    createLevel("warp", LoopKind::Forall, tree.warpAxes, AxisClass::PL,
                warpSizes);
  if (tree.held)
    createLevel("register", LoopKind::Sequential, {}, AxisClass::TSL, {})
        .setResident(true);
  StageOp::create(b, loc, b.getStrArrayAttr(getPayloadIds()), tree.micro,
                  StringAttr());

  b.createBlock(&candidate.getGuard());
  emitGuard(tree);
  b.createBlock(&candidate.getCost());
  emitCost(tree);
}

/// Blocks that share a multiprocessor: as many as its registers hold, with
/// `elements` in those of each thread.
int64_t GpuStreamFamily::countResident(int64_t elements) {
  int64_t registers =
      kThreadRegisters + elements * std::max<int64_t>(getWidestBytes() / 4, 1);
  return std::max<int64_t>(hw.getLevel("warp").getCapacity() /
                               (kWarpsPerPartition * warpLanes * registers * 4),
                           1);
}

Size GpuStreamFamily::countBlocks(const Tree &tree) {
  Size blocks = arith.size(1);
  for (auto [loop, size] : llvm::zip(tree.axes, tree.block))
    blocks = blocks * ceilDiv(axis(loop), arith.size(size));
  if (tree.split >= 0)
    blocks = blocks * ceilDiv(axis(tree.split), getPartLength(tree));
  return blocks;
}

void GpuStreamFamily::emitGuard(const Tree &tree) {
  // Device code counts in 32 bits.
  Flag holds = countBlocks(tree) <= arith.size(getLargestGrid(hw));
  for (size_t loop = 0; loop < kernel.getAxes().size(); ++loop)
    holds = holds & (axis(loop) < arith.size(kLargestExtent));
  if (tree.micro.getVectors() > 1)
    holds = holds & isWide(tree);
  if (tree.held) {
    Size length = axis(getLaneLoop(anchor));
    holds =
        holds & (arith.size(0) < length) & (length <= arith.size(tree.step()));
  }
  // There is something to share, and there are blocks that add the parts.
  if (tree.split >= 0) {
    Size results = arith.size(1);
    for (int64_t loop : tree.axes)
      results = results * axis(loop);
    holds = holds & (arith.size(0) < axis(tree.split)) &
            (results <= arith.size(getLargestGrid(hw)));
  }
  YieldOp::create(b, kernel.getLoc(), holds.value);
}

void GpuStreamFamily::emitCost(const Tree &tree) {
  Size blocks = countBlocks(tree);
  Size units = atLeast(arith.toSize(param("block.units")), 1);
  Size busy = min(atLeast(blocks, 1), units);
  Size points = arith.size(1);
  for (size_t loop = 0; loop < kernel.getAxes().size(); ++loop)
    points = points * axis(loop);
  const Work &work = tree.held ? held : walked;
  bool lanes = tree.micro.getInstruction() == "vector";
  Real count = arith.real(points);
  Real idle = countIdle(tree);
  std::optional<Real> fetched = countFetched(tree);

  // What memory and L2 move, and what the busy multiprocessors take in.
  Real memory = count * (held.bytes + written) / param("device.bandwidth");
  if (work.bytes > held.bytes)
    memory =
        max(memory, count * (work.bytes + written) / param("l2.bandwidth"));
  // The neighbours are found in L2 when their turn comes.
  if (fetched)
    memory = max(memory, count * (work.bytes + written) * *fetched /
                             param("l2.bandwidth"));
  Real drawn =
      count * (work.bytes + written) / (arith.real(busy) * param("l2.stream"));
  // Lanes past an end draw nothing; those that hold read what others do.
  if (!tree.held)
    drawn = drawn * idle;
  if (fetched)
    drawn = drawn * *fetched;

  HwLevelAttr warp = hw.getLevel("warp");
  int64_t elements = tree.micro.getVectors() * tree.micro.getUnroll();
  int64_t resident = countResident(tree.held ? operands * elements : 0);
  Real waves = arith.real(ceilDiv(blocks, units * resident));

  // Instructions, of the lanes that are idle too, at two operations each.
  double instructions = work.operations + work.accesses * kAccessInstructions /
                                              tree.micro.getVectors();
  Real rate = param("simt.f32.rate", 100.0);
  Real issued = count * idle * (2.0 * instructions) / (arith.real(busy) * rate);

  // A block waits for each step of its rows, and for its last element; when it
  // walks them again, L2 has them.
  Real steps = arith.real(1.0);
  if (int64_t lane = getLaneLoop(anchor);
      lanes && lane >= 0 && !tree.held &&
      !llvm::is_contained(tree.warpAxes, lane))
    steps =
        arith.real(ceilDiv(atLeast(axis(lane), 1), arith.size(tree.step())));
  Real wait = (steps + arith.real(1.0)) * param("device.latency");
  if (!tree.held && walks > 1 && lanes)
    wait = wait + steps * param("l2.latency") * double(walks - 1);
  if (lanes)
    wait = wait +
           steps *
               (2.0 * warpLanes * warp.getUnits() * instructions * elements) /
               rate;
  // A lane walks the reduction of its columns, so many loads at once.
  bool columns = tree.micro.getInstruction() == "simt";
  if (columns) {
    Size walked = countReduced();
    if (tree.split >= 0)
      walked = walked / atLeast(axis(tree.split), 1) * getPartLength(tree);
    wait = wait +
           arith.real(walked) * param("device.latency") * (1.0 / kColumnLoads);
  }
  // Warps that share a row write and read shared memory for each reduction.
  if (tree.together > 1)
    wait = wait + param("smem.latency") * (2.0 * countReductions());
  if (tree.micro.getInstruction() == "square")
    wait = wait + param("smem.latency") * 2.0;
  Real cost = max(max(drawn, memory), max(waves * wait, issued)) +
              param("block.startup");
  if (tree.split >= 0) {
    // The kernel behind it walks the parts, which are in L2.
    Size parts = ceilDiv(axis(tree.split), getPartLength(tree));
    cost = cost + param("block.startup") + param("device.latency") +
           (arith.real(parts) * (1.0 / kColumnLoads) + arith.real(1.0)) *
               param("l2.latency");
  }
  YieldOp::create(b, kernel.getLoc(), cost.value);
}

LogicalResult vortex::addGpuStreamCandidates(KernelOp kernel,
                                             linalg::LinalgOp anchor,
                                             bool columns, HwAttr hw,
                                             CandidateReport &report) {
  return GpuStreamFamily(kernel, anchor, hw, report).add(columns);
}
