//===- VerifySchedule.cpp - Does a schedule fit the machine -----*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks that need more than one op of a schedule: what stands around a role,
// how tiles nest, and what all of it costs in shared memory, registers and
// threads. A schedule whose sizes are SSA values is checked as far as they are
// constants.
//
//===----------------------------------------------------------------------===//

#include "VerifySchedule.h"

#include "vortex/Dialect/Vortex/IR/MatrixForm.h"
#include "vortex/Dialect/Vortex/IR/RoleRegisters.h"
#include "vortex/Dialect/Vortex/IR/RunningChain.h"
#include "vortex/Dialect/Vortex/IR/WarpLanes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace vortex;

/// CUDA C++ programming guide, "Technical specifications per compute
/// capability": the same for every capability, and for AMD's (HIP programming
/// guide).
static constexpr int64_t kMaxThreadsPerBlock = 1024;
/// PTX ISA, "mbarrier": what its transaction count holds.
static constexpr int64_t kMostTransactions = (1 << 20) - 1;
/// Shared memory is swizzled in units of one ldmatrix row.
static constexpr int64_t kSwizzleUnit = 16;
/// What a thread stores at once; more than that are rows of boxes.
static constexpr int64_t kMostRun = 2;

namespace {
using Tiles = SmallVector<std::optional<int64_t>>;

/// Where a level stands in its tree.
struct Surroundings {
  Tiles tiles;         ///< size of the tile around it, an axis
  bool grid = false;   ///< inside a grid or a persistent queue
  bool forall = false; ///< tiles of units of a block already divided
  int64_t warps = 1;   ///< warps among which the tile is divided
};

class ScheduleVerifier {
public:
  ScheduleVerifier(CandidateOp candidate)
      : candidate(candidate), kernel(cast<KernelOp>(candidate->getParentOp())) {
  }
  LogicalResult run();

private:
  LogicalResult visit(Block &block, const Surroundings &around);
  LogicalResult visit(LevelOp level, Surroundings around);
  LogicalResult visit(StageOp stage, const Surroundings &around);
  LogicalResult checkRole(LevelOp level);
  LogicalResult checkRing(LevelOp level);
  LogicalResult checkSplit(LevelOp level);
  LogicalResult checkCluster(LevelOp level);
  LogicalResult checkNesting(LevelOp level, const Surroundings &around);
  LogicalResult checkLoads(LevelOp level, const Tiles &tiles);
  LogicalResult checkBoxes(LevelOp ring, const Tiles &tiles);
  LogicalResult checkStore(LevelOp ring, const Tiles &tiles);
  LogicalResult checkGroups(StageOp stage, int64_t accumulators);
  LogicalResult checkThreads(LevelOp level, const Surroundings &around);
  LogicalResult checkVectors(StageOp stage);
  FailureOr<HwInstructionAttr> findInstruction(StageOp stage, StringRef kind);
  LogicalResult checkDot(StageOp stage);
  LogicalResult checkTiles(StageOp stage);
  LogicalResult checkAccumulators(StageOp stage, int64_t rows, int64_t columns,
                                  int64_t threads);
  StringRef nameOf(int64_t axis) {
    return cast<StringAttr>(kernel.getAxes()[axis]).getValue();
  }
  bool isReduction(int64_t axis) {
    if (chain && axis == chain->getInnerAxis())
      return true;
    return anchor && anchor.getIteratorTypesArray()[axis] ==
                         utils::IteratorType::reduction;
  }
  /// A product of matrices on a matrix instruction, by axes of the kernel.
  struct MatrixAxes {
    linalg::LinalgOp op;
    unsigned m, n, k;
    int64_t kept = 0; ///< columns of accumulators beside its own
  };
  FailureOr<MatrixAxes> findProduct(StageOp stage, StringRef kind,
                                    const Surroundings &around);
  LogicalResult checkMatrix(StageOp stage, const Surroundings &around,
                            MatrixAxes product);
  AffineMap findMap(BlockArgument input);

  CandidateOp candidate;
  KernelOp kernel;
  linalg::LinalgOp anchor;
  std::optional<RunningChain> chain; ///< of a kernel that has an axis for it
  HwAttr hw; ///< null when no target around has the levels of the schedule
};
} // namespace

/// The first target around `candidate` that has every level it names.
static HwAttr findTarget(CandidateOp candidate) {
  llvm::SetVector<StringRef> names;
  candidate.getSchedule().walk(
      [&](LevelOp level) { names.insert(level.getLevel()); });
  for (Operation *op = candidate->getParentOp(); op; op = op->getParentOp()) {
    auto targets = op->getAttrOfType<ArrayAttr>(kTargetsAttr);
    if (!targets)
      continue;
    for (auto hw : targets.getAsRange<HwAttr>())
      if (llvm::all_of(names,
                       [&](StringRef name) { return !!hw.getLevel(name); }))
        return hw;
    return {};
  }
  return {};
}

static std::optional<int64_t> getConstant(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.getSExtValue();
  return std::nullopt;
}

LogicalResult ScheduleVerifier::run() {
  anchor = dyn_cast_if_present<linalg::LinalgOp>(kernel.getAnchor());
  hw = findTarget(candidate);
  std::string why;
  if (anchor && anchor.getNumLoops() < kernel.getAxes().size())
    chain = matchRunningChain(anchor, why);
  Surroundings around;
  around.tiles.resize(kernel.getAxes().size());
  return visit(candidate.getSchedule().front(), around);
}

LogicalResult ScheduleVerifier::visit(Block &block,
                                      const Surroundings &around) {
  for (Operation &op : block) {
    if (auto level = dyn_cast<LevelOp>(op))
      if (failed(visit(level, around)))
        return failure();
    if (auto stage = dyn_cast<StageOp>(op))
      if (failed(visit(stage, around)))
        return failure();
  }
  return success();
}

LogicalResult ScheduleVerifier::visit(LevelOp level, Surroundings around) {
  for (auto [axis, size] : llvm::zip(level.getAxes(), level.getSizes()))
    if (auto constant = getConstant(size); constant && *constant < 1)
      return level.emitOpError()
             << "tiles axis " << nameOf(axis) << " by " << *constant;
  if (failed(checkRole(level)) || failed(checkRing(level)) ||
      failed(checkSplit(level)) || failed(checkCluster(level)) ||
      failed(checkNesting(level, around)))
    return failure();
  if (level.getRole() == "producer") {
    auto ring = cast<LevelOp>(level->getParentOp());
    if (failed(checkBoxes(ring, around.tiles)) ||
        failed(checkStore(ring, around.tiles)))
      return failure();
  }

  bool units = level.getKind() == LoopKind::Forall && around.grid;
  for (auto [axis, size] : llvm::zip(level.getAxes(), level.getSizes())) {
    std::optional<int64_t> inner = getConstant(size);
    if (units && inner && around.tiles[axis])
      around.warps *= *around.tiles[axis] / *inner;
    around.tiles[axis] = inner;
  }
  around.forall |= units;
  around.grid |= level.getKind() == LoopKind::Grid ||
                 level.getKind() == LoopKind::Persistent;
  if (failed(checkLoads(level, around.tiles)) ||
      failed(checkThreads(level, around)))
    return failure();
  return visit(level.getBody().front(), around);
}

//===----------------------------------------------------------------------===//
// Structure
//===----------------------------------------------------------------------===//

/// Whether some warps fill the ring of `level` for others, by bulk copies.
static bool hasRoles(LevelOp level) {
  return llvm::any_of(
      level.getBody().front().getOps<LevelOp>(),
      [](LevelOp inner) { return inner.getRole().has_value(); });
}

LogicalResult ScheduleVerifier::checkRole(LevelOp level) {
  if (!level.getRole())
    return success();
  StringRef role = *level.getRole();
  auto parent = dyn_cast<LevelOp>(level->getParentOp());
  if (!parent)
    return level.emitOpError()
           << "has role '" << role
           << "', but no level around it that producers and consumers share";
  if (parent.getLoads().empty() || parent.getStages() < 2)
    return level.emitOpError()
           << "has role '" << role << "', but level '" << parent.getLevel()
           << "' around it has no ring of loads to hand over";
  if (!level.getWarps())
    return level.emitOpError()
           << "has role '" << role << "' and needs its number of warps";
  StringRef other = role == "producer" ? "consumer" : "producer";
  if (llvm::none_of(
          parent.getBody().front().getOps<LevelOp>(),
          [&](LevelOp sibling) { return sibling.getRole() == other; }))
    return level.emitOpError() << "has role '" << role << "', but level '"
                               << parent.getLevel() << "' holds no " << other;
  if (role == "producer" &&
      level.getBody()
          .walk([](StageOp) { return WalkResult::interrupt(); })
          .wasInterrupted())
    return level.emitOpError(
        "is a producer, which loads, and cannot hold a vortex.stage");
  return success();
}

LogicalResult ScheduleVerifier::checkRing(LevelOp level) {
  if (level.getStages() == 1)
    return success();
  if (level.getLoads().empty())
    return level.emitOpError() << "has a ring of " << level.getStages()
                               << " stages, but loads nothing into it";
  for (auto load : level.getLoads().getAsRange<LoadAttr>())
    if (!load.getTogether())
      return level.emitOpError()
             << "has a ring of " << level.getStages() << " stages, but input "
             << load.getOperand() << " is not loaded together";
  if (hw)
    if (HwLevelAttr memory = hw.getLevel(level.getLevel());
        memory.getMemory() != "shared")
      return level.emitOpError()
             << "has a ring of " << level.getStages() << " stages, but level '"
             << level.getLevel() << "' of target " << hw.getIsa()
             << " has memory '" << memory.getMemory() << "', not 'shared'";
  return success();
}

LogicalResult ScheduleVerifier::checkSplit(LevelOp level) {
  if (!level.getCombine())
    return success();
  StringRef combine = *level.getCombine();
  if (combine != "add" && combine != "mul" && combine != "min" &&
      combine != "max")
    return level.emitOpError() << "combines by '" << combine
                               << "'; known are add, mul, min and max";
  for (auto [axis, axisClass] : llvm::zip(level.getAxes(), level.getClasses()))
    if (static_cast<AxisClass>(axisClass) == AxisClass::PL && isReduction(axis))
      return success();
  return level.emitOpError()
         << "has combine '" << combine
         << "', but splits no reduction axis among parallel units";
}

/// Blocks that start together share an operand, of which the producers of each
/// bring a part into the memory of all.
LogicalResult ScheduleVerifier::checkCluster(LevelOp level) {
  if (!level.getCluster())
    return success();
  if (level.getKind() != LoopKind::Grid &&
      level.getKind() != LoopKind::Persistent)
    return level.emitOpError(
        "has a cluster, but is no grid or queue of blocks");
  int64_t blocks = 1;
  for (auto [axis, count] : llvm::zip(level.getAxes(), *level.getCluster())) {
    if (count < 1 || !llvm::isPowerOf2_64(count))
      return level.emitOpError()
             << "has a cluster of " << count << " along axis " << nameOf(axis)
             << "; it must be a power of two";
    if (count > 1 && isReduction(axis))
      return level.emitOpError()
             << "has a cluster along reduction axis " << nameOf(axis);
    if (count > 1 && blocks > 1)
      return level.emitOpError(
          "has a cluster along two axes; its blocks share one operand");
    blocks *= count;
  }
  if (blocks > kLargestCluster)
    return level.emitOpError() << "has a cluster of " << blocks
                               << " blocks; the limit is " << kLargestCluster;
  auto hasRing = [](LevelOp inner) { return hasRoles(inner); };
  if (blocks > 1 &&
      llvm::none_of(level.getBody().front().getOps<LevelOp>(), hasRing))
    return level.emitOpError("has a cluster, but no level of producers inside, "
                             "which bring what its blocks share");
  return success();
}

LogicalResult ScheduleVerifier::checkNesting(LevelOp level,
                                             const Surroundings &around) {
  if (level.getKind() != LoopKind::Forall || !around.grid)
    return success();
  for (auto [axis, size] : llvm::zip(level.getAxes(), level.getSizes())) {
    std::optional<int64_t> outer = around.tiles[axis],
                           inner = getConstant(size);
    if (outer && inner && *outer % *inner != 0)
      return level.emitOpError()
             << "divides the tile of " << *outer << " of axis " << nameOf(axis)
             << " among units by " << *inner << ", which does not divide it";
  }
  return success();
}

LogicalResult ScheduleVerifier::checkThreads(LevelOp level,
                                             const Surroundings &around) {
  if (!around.grid)
    return success();
  int64_t warps = 0;
  std::string formula;
  llvm::raw_string_ostream os(formula);
  for (auto inner : level.getBody().front().getOps<LevelOp>())
    if (inner.getRole() && inner.getWarps()) {
      os << (warps ? " + " : "") << *inner.getWarps() << " " << *inner.getRole()
         << " warps";
      warps += *inner.getWarps();
    }
  if (level.getKind() == LoopKind::Forall && around.warps > 1) {
    warps = std::max(warps, around.warps);
    formula = (Twine(around.warps) + " warps").str();
  }
  if (warps * getWarpLanes(hw) > kMaxThreadsPerBlock)
    return level.emitOpError()
           << "needs " << formula << " = " << warps * getWarpLanes(hw)
           << " threads in a block; the limit is " << kMaxThreadsPerBlock;
  return success();
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Blocks of a cluster whose tiles of an operand, read by `map`, are the same.
static int64_t countSharers(LevelOp ring, AffineMap map) {
  auto block = ring->getParentOfType<LevelOp>();
  int64_t sharers = 1;
  if (block && block.getCluster())
    for (auto [axis, count] : llvm::zip(block.getAxes(), *block.getCluster()))
      if (!map.isFunctionOfDim(axis))
        sharers *= count;
  return sharers;
}

/// Tiles that producers bring by bulk copies: whole boxes, whose rows are what
/// the swizzle spans. A barrier waits for the bytes of all of them, so that a
/// box which does not divide its tile would never let it pass.
LogicalResult ScheduleVerifier::checkBoxes(LevelOp ring, const Tiles &tiles) {
  if (!anchor)
    return success();
  for (auto [attr, size] : llvm::zip(ring.getLoads(), ring.getLoadSizes())) {
    auto load = cast<LoadAttr>(attr);
    auto argument = kernel.getPayload().front().getArgument(load.getOperand());
    OpOperand *use = nullptr;
    for (OpOperand *input : anchor.getDpsInputOperands())
      if (input->get() == argument)
        use = input;
    std::optional<int64_t> run = getConstant(size);
    if (!use || !run)
      continue;
    int64_t bytes =
        getElementTypeOrSelf(argument.getType()).getIntOrFloatBitWidth() / 8;
    int64_t row = 0, rows = 1;
    AffineMap map = anchor.getMatchingIndexingMap(use);
    for (auto [i, expr] : llvm::enumerate(map.getResults())) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      std::optional<int64_t> extent =
          dim ? tiles[dim.getPosition()] : std::nullopt;
      if (!extent)
        continue;
      if (i + 1 == map.getNumResults())
        row = *extent * bytes;
      else
        rows *= *extent;
    }
    auto error = [&] {
      return ring.emitOpError()
             << "brings input " << load.getOperand() << " in boxes ";
    };
    if (*run * bytes != kBoxRowBytes)
      return error() << "with rows of " << *run
                     << " elements = " << *run * bytes
                     << " bytes; producers copy rows of " << kBoxRowBytes
                     << " bytes";
    if (row % kBoxRowBytes != 0)
      return error() << "with rows of " << kBoxRowBytes
                     << " bytes, of which its tile's rows of " << row
                     << " bytes are no multiple";
    if (rows > kLargestBox || rows % kBoxRowsPerPattern != 0)
      return error() << "of " << rows << " rows; a box has a multiple of "
                     << kBoxRowsPerPattern << ", at most " << kLargestBox;
    int64_t sharers = countSharers(ring, map);
    if (rows % (sharers * kBoxRowsPerPattern) != 0)
      return error() << "of " << rows << " rows, of which each of " << sharers
                     << " blocks of a cluster brings a part; that is a "
                        "multiple of "
                     << kBoxRowsPerPattern;
  }
  return success();
}

/// How the anchor, or the first product of a chain, reads an input, from axes;
/// null when neither does.
AffineMap ScheduleVerifier::findMap(BlockArgument input) {
  for (OpOperand *operand : anchor.getDpsInputOperands())
    if (operand->get() == input)
      return anchor.getMatchingIndexingMap(operand);
  if (chain && chain->scores.op->getOperand(chain->scores.columns) == input)
    return chain->getScoresMap(chain->scores.columns);
  return {};
}

/// Bytes of shared memory behind the ring `level` that hold boxes of results.
static int64_t getBoxesBehind(LevelOp level) {
  auto block = level->getParentOfType<LevelOp>();
  if (!block || block.getStore().value_or(1) <= kMostRun)
    return 0;
  int64_t warps = 0;
  for (auto inner : level.getBody().front().getOps<LevelOp>())
    if (inner.getRole() == "consumer")
      warps += inner.getWarps().value_or(0);
  return getStoreBytes(warps);
}

/// Results stored by bulk copies: their rows are those of a box, and divide the
/// tile.
LogicalResult ScheduleVerifier::checkStore(LevelOp ring, const Tiles &tiles) {
  auto block = ring->getParentOfType<LevelOp>();
  int64_t run = block ? block.getStore().value_or(1) : 1;
  if (!anchor || run <= kMostRun)
    return success();
  Type element = getElementTypeOrSelf(kernel.getResult(0).getType());
  int64_t bytes = run * element.getIntOrFloatBitWidth() / 8;
  if (bytes != kBoxRowBytes)
    return block.emitOpError()
           << "stores boxes with rows of " << run << " elements = " << bytes
           << " bytes; bulk copies store rows of " << kBoxRowBytes << " bytes";
  auto column = dyn_cast<AffineDimExpr>(
      anchor.getIndexingMapsArray().back().getResults().back());
  std::optional<int64_t> tile =
      column ? tiles[column.getPosition()] : std::nullopt;
  if (tile && *tile % run != 0)
    return block.emitOpError()
           << "stores boxes with rows of " << run
           << " elements, which do not divide its tile of " << *tile
           << " of axis " << nameOf(column.getPosition());
  return success();
}

LogicalResult ScheduleVerifier::checkLoads(LevelOp level, const Tiles &tiles) {
  if (!anchor)
    return success();
  int64_t total = 0;
  std::string formula;
  llvm::raw_string_ostream os(formula);
  bool known = true;
  for (auto [attr, size] : llvm::zip(level.getLoads(), level.getLoadSizes())) {
    auto load = cast<LoadAttr>(attr);
    if (!load.getTogether())
      return success(); // a layout of the whole operand, not of one tile
    auto argument = kernel.getPayload().front().getArgument(load.getOperand());
    AffineMap map = findMap(argument);
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!map || !type || !type.getElementType().isIntOrFloat())
      return level.emitOpError() << "loads input " << load.getOperand()
                                 << ", which the anchor does not read";
    int64_t bytes = type.getElementTypeBitWidth() / 8;
    int64_t tile = bytes, row = bytes;
    if (total)
      os << " + ";
    for (auto [i, expr] : llvm::enumerate(map.getResults())) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      // A tile has one of what shares heads, or is computed otherwise.
      if (!dim && chain)
        continue;
      if (!dim || !tiles[dim.getPosition()]) {
        known = false;
        continue;
      }
      row = *tiles[dim.getPosition()] * bytes;
      tile *= *tiles[dim.getPosition()];
      os << (i ? "x" : "") << *tiles[dim.getPosition()];
    }
    if (!known)
      continue;
    os << " of " << type.getElementType();
    total += tile;
    // Boxes are checked with their producer.
    if (load.getLayout() != LayoutKind::Swizzle || hasRoles(level))
      continue;
    int64_t units = row / kSwizzleUnit;
    if (row % kSwizzleUnit != 0 || !llvm::isPowerOf2_64(units))
      return level.emitOpError()
             << "swizzles input " << load.getOperand() << " in rows of " << row
             << " bytes; rows must be a power of two times " << kSwizzleUnit
             << " bytes";
    std::optional<int64_t> run = getConstant(size);
    if (run && (*run * bytes > kSwizzleUnit || !llvm::isPowerOf2_64(*run)))
      return level.emitOpError()
             << "moves input " << load.getOperand() << " in runs of " << *run
             << " elements; a run must be a power of two and at most "
             << kSwizzleUnit << " bytes";
  }
  if (!hw || !known || level.getLoads().empty())
    return success();
  HwLevelAttr memory = hw.getLevel(level.getLevel());
  if (hasRoles(level)) {
    if (total > kMostTransactions)
      return level.emitOpError()
             << "waits for " << total << " bytes (" << formula
             << ") of a stage; a barrier counts to " << kMostTransactions;
    total += kBarriersPerStage * kBarrierBytes;
    os << " + " << kBarriersPerStage << " barriers of " << kBarrierBytes;
  }
  int64_t behind = hasRoles(level) ? getBoxesBehind(level) : 0;
  int64_t need = total * level.getStages() + behind;
  if (memory.getMemory() != "shared" || need <= memory.getCapacity())
    return success();
  InFlightDiagnostic error = level.emitOpError()
                             << "needs " << level.getStages() << " stages of "
                             << total << " bytes (" << formula << ")";
  if (behind)
    error << " and " << behind << " for boxes of results";
  error << " = " << need << " bytes; level '" << level.getLevel()
        << "' of target " << hw.getIsa() << " holds " << memory.getCapacity();
  if (memory.getSource())
    error << " (" << memory.getSource().getValue() << ")";
  return error;
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

/// A register tile on a CPU: accumulators, the vectors of one row and a
/// broadcast lie in vector registers together; with a reduction in lanes, one
/// vector of each row and one of a column.
LogicalResult ScheduleVerifier::checkVectors(StageOp stage) {
  if (!hw || hw.isGPU() || hw.getVectorBytes() < 1)
    return success();
  MicroKernelAttr micro = stage.getMicroAttr();
  Type type = getElementTypeOrSelf(anchor->getResult(0).getType());
  int64_t bytes =
      micro.getLanes() * std::max(8u, type.getIntOrFloatBitWidth()) / 8;
  int64_t vectors =
      micro.getVectors() * llvm::divideCeil(bytes, hw.getVectorBytes());
  int64_t kept = micro.getLaneAxis() >= 0 ? micro.getRows() : vectors;
  int64_t need = micro.getRows() * vectors + kept + 1;
  if (need <= hw.getVectorRegisters())
    return success();
  InFlightDiagnostic error = stage.emitOpError()
                             << "needs " << micro.getRows() << " rows x "
                             << vectors << " + " << kept << " + 1 = " << need
                             << " vector registers; level 'register' of target "
                             << hw.getIsa() << " holds "
                             << hw.getVectorRegisters();
  if (StringAttr source = hw.getLevel("register").getSource())
    error << " (" << source.getValue() << ")";
  return error;
}

/// What the target says of the instruction that the stage names.
FailureOr<HwInstructionAttr> ScheduleVerifier::findInstruction(StageOp stage,
                                                               StringRef kind) {
  StringRef name = stage.getMicroAttr().getOpcode();
  for (HwInstructionAttr instruction : hw.getInstructions())
    if (instruction.getKind() == kind && instruction.getName() == name)
      return instruction;
  return stage.emitOpError() << "uses '" << name << "', which target "
                             << hw.getIsa() << " does not have";
}

/// A tile of dot products: the target has the instruction, with this many
/// lanes and products a lane.
LogicalResult ScheduleVerifier::checkDot(StageOp stage) {
  if (!hw)
    return success();
  MicroKernelAttr micro = stage.getMicroAttr();
  FailureOr<HwInstructionAttr> found = findInstruction(stage, "dot");
  if (failed(found))
    return failure();
  Type acc = getElementTypeOrSelf(anchor->getResult(0).getType());
  if (found->getAcc() != acc || found->getN() != micro.getLanes() ||
      found->getK() != micro.getGroup())
    return stage.emitOpError()
           << "has " << micro.getLanes() << " lanes of " << micro.getGroup()
           << " products in " << acc << "; instruction '" << found->getName()
           << "' of target " << hw.getIsa() << " has " << found->getN()
           << " of " << found->getK() << " in " << found->getAcc();
  return checkVectors(stage);
}

/// Sums in matrix tiles: the target has the instruction for these types, its
/// tiles divide those of the stage, and its registers hold all sums, a tile of
/// each row and one of each column.
LogicalResult ScheduleVerifier::checkTiles(StageOp stage) {
  if (!hw)
    return success();
  MicroKernelAttr micro = stage.getMicroAttr();
  FailureOr<HwInstructionAttr> found = findInstruction(stage, "tile");
  if (failed(found))
    return failure();
  Type acc = getElementTypeOrSelf(anchor->getResult(0).getType());
  if (found->getAcc() != acc || found->getN() != micro.getLanes() ||
      found->getK() != micro.getUnroll() * micro.getGroup() ||
      micro.getRows() % found->getM() != 0)
    return stage.emitOpError()
           << "has " << micro.getRows() << " rows of tiles with "
           << micro.getLanes() << " columns and " << micro.getUnroll() << " x "
           << micro.getGroup() << " steps in " << acc << "; instruction '"
           << found->getName() << "' of target " << hw.getIsa() << " has "
           << found->getM() << "x" << found->getN() << "x" << found->getK()
           << " in " << found->getAcc();
  int64_t rows = micro.getRows() / found->getM(), columns = micro.getVectors();
  int64_t need = rows * columns + rows + columns;
  if (need > found->getRegisters())
    return stage.emitOpError()
           << "needs " << rows << " x " << columns << " + " << rows << " + "
           << columns << " = " << need << " tiles; instruction '"
           << found->getName() << "' of target " << hw.getIsa() << " has "
           << found->getRegisters();
  return success();
}

LogicalResult ScheduleVerifier::visit(StageOp stage,
                                      const Surroundings &around) {
  MicroKernelAttr micro = stage.getMicroAttr();
  if (!micro || !anchor)
    return success();
  StringRef kind = micro.getInstruction();
  if (kind == "fma")
    return checkVectors(stage);
  if (kind == "dot")
    return checkDot(stage);
  if (kind == "tile")
    return checkTiles(stage);
  if (kind == "simt")
    return checkAccumulators(stage, micro.getRows(),
                             micro.getVectors() * micro.getLanes(),
                             getWarpLanes(hw));
  if (kind != "mma_sync" && kind != "wgmma")
    return success();
  FailureOr<MatrixAxes> product = findProduct(stage, kind, around);
  return failed(product) ? failure() : checkMatrix(stage, around, *product);
}

/// The product that `stage` has on a matrix instruction.
FailureOr<ScheduleVerifier::MatrixAxes>
ScheduleVerifier::findProduct(StageOp stage, StringRef kind,
                              const Surroundings &around) {
  if (chain) {
    const MatrixProduct &last = chain->product;
    linalg::LinalgOp scores = chain->scores.op;
    if (llvm::is_contained(stage.getOps(), scores->getAttr(kIdAttr)))
      return MatrixAxes{scores, last.m, last.k, chain->getInnerAxis()};
    // The scores stay in registers until the weights are multiplied.
    return MatrixAxes{last.op, last.m, last.n, last.k,
                      around.tiles[last.k].value_or(0)};
  }
  AffineMap out = anchor.getIndexingMapsArray().back();
  if (anchor.getNumDpsInputs() != 2 || anchor.getNumReductionLoops() != 1 ||
      out.getNumResults() < 2 || !out.isProjectedPermutation())
    return stage.emitOpError()
           << "uses '" << kind
           << "', which needs an anchor with two inputs and one reduction";
  auto loopOf = [&](unsigned fromLast) {
    return cast<AffineDimExpr>(out.getResult(out.getNumResults() - fromLast))
        .getPosition();
  };
  SmallVector<unsigned> reductions;
  anchor.getReductionDims(reductions);
  return MatrixAxes{anchor, loopOf(2), loopOf(1), reductions.front()};
}

LogicalResult ScheduleVerifier::checkMatrix(StageOp stage,
                                            const Surroundings &around,
                                            MatrixAxes product) {
  MicroKernelAttr micro = stage.getMicroAttr();
  StringRef kind = micro.getInstruction();
  unsigned m = product.m, n = product.n, k = product.k;
  int64_t rows = micro.getRows();
  int64_t columns = micro.getVectors() * micro.getLanes();
  for (auto [axis, size, field] :
       {std::tuple{m, rows, "rows"}, {n, columns, "vectors * lanes"}})
    if (around.tiles[axis] && *around.tiles[axis] != size)
      return stage.emitOpError()
             << "has a micro-kernel with " << field << " = " << size
             << " in a tile of " << *around.tiles[axis] << " of axis "
             << nameOf(axis);
  if (!hw)
    return success();

  linalg::LinalgOp op = product.op;
  Type a = getFactorType(op, 0), b = getFactorType(op, 1);
  Type acc = getElementTypeOrSelf(op.getDpsInits()[0].getType());
  HwInstructionAttr instruction = hw.getInstruction(kind, a, b, acc);
  if (!instruction)
    return stage.emitOpError()
           << "uses '" << kind << "' for " << a << " x " << b << " -> " << acc
           << ", which target " << hw.getIsa() << " does not have";
  // A wgmma exists for every multiple of 8 columns below its largest. Groups of
  // warps that divide columns of the result have it turned.
  bool grouped = kind == "wgmma";
  auto level = dyn_cast<LevelOp>(stage->getParentOp());
  bool turned = grouped && level && llvm::is_contained(level.getAxes(), n);
  int64_t mStep = instruction.getM();
  int64_t nStep = grouped ? 8 : instruction.getN();
  if (turned)
    std::swap(mStep, nStep);
  for (auto [axis, size, step] :
       {std::tuple{m, std::optional<int64_t>(rows), mStep},
        {n, std::optional<int64_t>(columns), nStep},
        {k, around.tiles[k], instruction.getK()}})
    if (size && *size % step != 0)
      return stage.emitOpError()
             << "has a tile of " << *size << " of axis " << nameOf(axis)
             << ", which instruction '" << instruction.getName()
             << "' of target " << hw.getIsa() << " covers in steps of " << step;
  int64_t threads = getWarpLanes(hw) * (grouped ? kWarpsPerGroup : 1);
  if (failed(checkAccumulators(stage, rows, columns + product.kept, threads)))
    return failure();
  int64_t bits = std::max(32u, acc.getIntOrFloatBitWidth());
  return grouped ? checkGroups(stage, rows * columns * bits / 32 / threads *
                                          getSumsPerElement(a))
                 : success();
}

/// Groups of warps that multiply beside those that load: whole groups, one for
/// each tile, with registers for all of them.
LogicalResult ScheduleVerifier::checkGroups(StageOp stage,
                                            int64_t accumulators) {
  auto consumer = dyn_cast<LevelOp>(stage->getParentOp());
  auto ring = consumer ? dyn_cast<LevelOp>(consumer->getParentOp()) : LevelOp();
  if (!ring || consumer.getRole() != "consumer")
    return success();
  RoleShape shape;
  shape.accumulators = accumulators;
  for (auto level : ring.getBody().front().getOps<LevelOp>()) {
    if (!level.getRole())
      continue;
    int64_t warps = *level.getWarps();
    if (warps % kWarpsPerGroup != 0)
      return level.emitOpError()
             << "has " << warps << " " << *level.getRole()
             << " warps; registers move between groups of " << kWarpsPerGroup;
    (level.getRole() == "producer" ? shape.producers : shape.consumers) +=
        warps;
  }
  if (!divideRegisters(hw, shape))
    return consumer.emitOpError()
           << "keeps " << accumulators << " accumulators a thread in "
           << shape.consumers << " warps beside " << shape.producers
           << " producers; the registers of a multiprocessor of target "
           << hw.getIsa() << " do not hold them";
  return success();
}

/// A tile on a GPU: the threads that compute it hold its accumulators.
LogicalResult ScheduleVerifier::checkAccumulators(StageOp stage, int64_t rows,
                                                  int64_t columns,
                                                  int64_t threads) {
  HwLevelAttr registers = hw ? hw.getLevel("register") : HwLevelAttr();
  Type acc = getElementTypeOrSelf(anchor->getResult(0).getType());
  if (!registers || !hw.isGPU() || !acc.isIntOrFloat())
    return success();
  int64_t bytes = rows * columns *
                  llvm::divideCeil(acc.getIntOrFloatBitWidth(), 8) / threads;
  int64_t limit = registers.getCapacity() / getWarpLanes(hw);
  if (bytes >= limit)
    return stage.emitOpError()
           << "keeps " << rows << "x" << columns << " accumulators of " << acc
           << " in " << threads << " threads = " << bytes
           << " bytes a thread; level 'register' of target " << hw.getIsa()
           << " holds " << limit;
  return success();
}

LogicalResult vortex::verifySchedule(CandidateOp candidate) {
  return ScheduleVerifier(candidate).run();
}
