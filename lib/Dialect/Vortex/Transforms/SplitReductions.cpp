//===- SplitReductions.cpp - A kernel of parts, and one of their sum ------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GpuCandidates.h"
#include "PayloadClass.h"

#include "vortex/Dialect/Vortex/IR/SplitReduction.h"
#include "vortex/Dialect/Vortex/IR/WindowProduct.h"
#include "vortex/Dialect/Vortex/Transforms/AxisExtents.h"
#include "vortex/Dialect/Vortex/Transforms/Passes.h"
#include "vortex/HwDesc/Targets.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

namespace vortex {
#define GEN_PASS_DEF_SPLITREDUCTIONS
#include "vortex/Dialect/Vortex/Transforms/Passes.h.inc"
} // namespace vortex

using namespace mlir;
using namespace vortex;

namespace {
/// One kernel whose only candidate gives parts of its reduction to blocks.
class ReductionSplitter {
public:
  ReductionSplitter(KernelOp kernel, LevelOp block)
      : kernel(kernel), candidate(kernel.getCandidateOps()[0]), block(block),
        b(kernel.getLoc(), kernel) {}
  LogicalResult run(HwAttr hw);

private:
  LogicalResult read();
  std::optional<unsigned> getDivided();
  LogicalResult measure();
  KernelOp createParts();
  void createSchedule(KernelOp parts);
  LogicalResult createSum(Value partials, HwAttr hw, KernelOp &sum);

  KernelOp kernel;
  CandidateOp candidate;
  LevelOp block, ring;
  ImplicitLocOpBuilder b;
  linalg::LinalgOp anchor;
  unsigned reduction = 0;   ///< axis
  int64_t step = 0;         ///< of the ring; of columns, one
  Value length;             ///< index: steps of a part
  SmallVector<Value> sizes; ///< of the partial sums
};
} // namespace

/// The reduction of the anchor that the blocks divide.
std::optional<unsigned> ReductionSplitter::getDivided() {
  SmallVector<utils::IteratorType> iterators = anchor.getIteratorTypesArray();
  for (int64_t axis : block.getAxes())
    if (iterators[axis] == utils::IteratorType::reduction)
      return axis;
  return std::nullopt;
}

/// Finds what is split; says what cannot be.
LogicalResult ReductionSplitter::read() {
  anchor = dyn_cast_if_present<linalg::LinalgOp>(kernel.getAnchor());
  bool contracts =
      anchor && anchor.getNumDpsInputs() == 2 &&
      (hasWindow(anchor) || linalg::isaContractionOpInterface(anchor)) &&
      classify(anchor) == PayloadClass::Contraction;
  if (kernel.getNumResults() != 1 || !anchor ||
      (!contracts && !isSumOfElements(anchor)))
    return kernel.emitOpError("splits a reduction, which needs one result and "
                              "a contraction of two operands or a sum of "
                              "elements as the anchor");
  std::optional<unsigned> walked =
      contracts ? getRingReduction(anchor) : getDivided();
  if (!walked)
    return block.emitOpError("splits a reduction, and divides none of the "
                             "anchor's");
  if (!contracts)
    step = 1;
  if (block.getCombine() != "add")
    return block.emitOpError() << "combines by '" << *block.getCombine()
                               << "'; parts of a contraction are added";
  for (Value input : anchor.getDpsInputs())
    if (!isa<BlockArgument>(input))
      return anchor.emitOpError("splits a reduction over an operand that is "
                                "computed in its kernel");
  reduction = *walked;
  block.walk([&](LevelOp level) {
    if (level.getStages() > 1)
      ring = level;
  });
  APInt constant;
  if (ring && contracts)
    for (auto [axis, size] : llvm::zip(ring.getAxes(), ring.getSizes()))
      if (axis == reduction && matchPattern(size, m_ConstantInt(&constant)))
        step = constant.getSExtValue();
  if (!step)
    return block.emitOpError("splits a reduction, and holds no ring that walks "
                             "it in constant steps");
  // The length of a part becomes an operand; nothing else of the sizes does.
  WalkResult sizes = block->walk([&](LevelOp level) {
    for (auto [axis, size] : llvm::zip(level.getAxes(), level.getSizes()))
      if (!matchPattern(size, m_Constant()) &&
          (level != block || axis != reduction))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  if (sizes.wasInterrupted())
    return block.emitOpError("splits a reduction, and has tiles whose size is "
                             "no constant");
  return success();
}

/// Computes, in front of the kernel, how long a part is and how many there are.
LogicalResult ReductionSplitter::measure() {
  IRMapping map;
  if (failed(mapCandidateArguments(b, kernel, map)))
    return failure();
  SmallVector<Value> extents;
  for (size_t i = 0; i < kernel.getAxes().size(); ++i)
    extents.push_back(
        map.lookup(kernel.getCandidates().front().getArgument(i)));
  for (Operation &op : kernel.getCandidates().front())
    if (!isa<CandidateOp>(op))
      b.clone(op, map);
  for (auto [axis, size] : llvm::zip(block.getAxes(), block.getSizes()))
    if (axis == reduction)
      length = map.lookup(size);
  // Whole steps of the ring: what copies bring belongs to one part.
  Value steps = arith::ConstantIndexOp::create(b, step);
  length = arith::MulIOp::create(
      b, arith::CeilDivUIOp::create(b, length, steps), steps);
  sizes = {arith::CeilDivUIOp::create(b, extents[reduction], length)};
  for (AffineExpr expr : anchor.getIndexingMapsArray().back().getResults())
    sizes.push_back(extents[cast<AffineDimExpr>(expr).getPosition()]);
  return success();
}

/// The kernel of the parts: axis 0 counts them, the others follow.
KernelOp ReductionSplitter::createParts() {
  Type element = getElementTypeOrSelf(anchor->getResult(0).getType());
  SmallVector<int64_t> shape = {ShapedType::kDynamic};
  llvm::append_range(
      shape, cast<RankedTensorType>(anchor->getResult(0).getType()).getShape());
  SmallVector<Value> dynamic;
  for (auto [extent, size] : llvm::zip(shape, sizes))
    if (ShapedType::isDynamic(extent))
      dynamic.push_back(size);
  Value empty = tensor::EmptyOp::create(b, shape, element, dynamic);
  SmallVector<Value> inputs =
      llvm::map_to_vector(anchor.getDpsInputs(), [&](Value input) -> Value {
        return kernel->getOperand(cast<BlockArgument>(input).getArgNumber());
      });
  inputs.push_back(arith::IndexCastOp::create(b, b.getI64Type(), length));
  SmallVector<Attribute> axes = {b.getStringAttr("part")};
  llvm::append_range(axes, kernel.getAxes());
  auto parts =
      KernelOp::create(b, TypeRange{empty.getType()}, kernel.getNameAttr(),
                       b.getArrayAttr(axes), inputs, ValueRange{empty});

  OpBuilder::InsertionGuard guard(b);
  Block *payload = b.createBlock(&parts.getPayload());
  for (Value operand : parts->getOperands())
    payload->addArgument(operand.getType(), b.getLoc());
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(element));
  unsigned inputCount = anchor.getNumDpsInputs();
  auto fill =
      linalg::FillOp::create(b, zero, payload->getArgument(inputCount + 1));
  fill->setAttr(kIdAttr, b.getStringAttr("zero"));
  SmallVector<AffineMap> maps =
      llvm::map_to_vector(anchor.getIndexingMapsArray(),
                          [](AffineMap map) { return map.shiftDims(1); });
  maps.back() = maps.back().insertResult(b.getAffineDimExpr(0), 0);
  SmallVector<utils::IteratorType> iterators = {utils::IteratorType::parallel};
  llvm::append_range(iterators, anchor.getIteratorTypesArray());
  auto sum =
      linalg::GenericOp::create(b, TypeRange{empty.getType()},
                                payload->getArguments().take_front(inputCount),
                                fill->getResults(), maps, iterators);
  IRMapping map;
  anchor->getRegion(0).cloneInto(&sum.getRegion(), map);
  splitBody(sum, {0, reduction + 1, payload->getArgument(inputCount)});
  sum->setAttr(kIdAttr, b.getStringAttr("parts"));
  sum->setAttr(kAnchorAttr, b.getUnitAttr());
  if (Attribute precision = anchor->getAttr(kPrecisionAttr))
    sum->setAttr(kPrecisionAttr, precision);
  YieldOp::create(b, sum.getResults());
  return parts;
}

/// The tree of the candidate with a block for each part, and without what is
/// behind the reduction.
void ReductionSplitter::createSchedule(KernelOp parts) {
  OpBuilder::InsertionGuard guard(b);
  Block *region = b.createBlock(&parts.getCandidates());
  IRMapping map;
  Block &old = kernel.getCandidates().front();
  for (size_t i = 0; i < parts.getAxes().size(); ++i) {
    BlockArgument axis = region->addArgument(b.getIndexType(), b.getLoc());
    if (i)
      map.map(old.getArgument(i - 1), axis);
  }
  // Tiles are constants but for the length of a part, which is an operand.
  for (Value size : block.getSizes())
    if (!matchPattern(size, m_Constant()))
      map.map(size, region->getArgument(0));
  auto constant = [&](Value size) {
    if (map.contains(size))
      return;
    OpBuilder::InsertionGuard inner(b);
    b.setInsertionPointToEnd(region);
    map.map(size, b.clone(*size.getDefiningOp())->getResult(0));
  };
  block->walk([&](LevelOp level) {
    for (Value operand : level->getOperands())
      constant(operand);
  });
  Value one = arith::ConstantIndexOp::create(b, 1);
  auto clone = CandidateOp::create(b, candidate.getSymName());
  b.createBlock(&clone.getSchedule());
  auto top = cast<LevelOp>(b.clone(*block, map));
  top.removeCombineAttr();
  SmallVector<int64_t> axes;
  SmallVector<int32_t> classes;
  SmallVector<Value> tiles;
  auto divide = [&](int64_t axis, int32_t axisClass, Value size) {
    axes.push_back(axis);
    classes.push_back(axisClass);
    tiles.push_back(size);
  };
  // Axes that are counted together are the first ones.
  bool last = getJoined(top) > 1;
  if (!last)
    divide(0, static_cast<int32_t>(AxisClass::PL), one);
  for (auto [axis, axisClass, size] :
       llvm::zip(top.getAxes(), top.getClasses(), top.getSizes()))
    if (axis != reduction)
      divide(axis + 1, axisClass, size);
  if (last)
    divide(0, static_cast<int32_t>(AxisClass::PL), one);
  top.setAxes(axes);
  top.setClasses(classes);
  top.getSizesMutable().assign(tiles);
  top->walk([&](LevelOp level) {
    if (level != top)
      level.setAxes(llvm::map_to_vector(level.getAxes(),
                                        [](int64_t axis) { return axis + 1; }));
    level.setLoadsAttr(b.getArrayAttr(llvm::map_to_vector(
        level.getLoads().getAsRange<LoadAttr>(), [&](LoadAttr load) {
          unsigned number = load.getOperand();
          auto *use = llvm::find_if(anchor.getDpsInputs(), [&](Value input) {
            return cast<BlockArgument>(input).getArgNumber() == number;
          });
          return Attribute(LoadAttr::get(
              b.getContext(), std::distance(anchor.getDpsInputs().begin(), use),
              load.getLayout(), load.getAxis() + 1, load.getTogether(),
              load.getBound()));
        })));
  });
  SmallVector<StageOp> stages;
  top->walk([&](StageOp stage) { stages.push_back(stage); });
  for (StageOp stage : stages) {
    if (stage.getMicro())
      stage.setOpsAttr(b.getStrArrayAttr({"zero", "parts"}));
    else
      stage->erase();
  }
}

/// The kernel that adds the parts, in their order, and runs what is behind the
/// contraction.
LogicalResult ReductionSplitter::createSum(Value partials, HwAttr hw,
                                           KernelOp &sum) {
  Block &old = kernel.getPayload().front();
  SmallVector<Value> inputs = {partials};
  IRMapping map;
  // The sum starts where the contraction would: that is not one of its factors.
  auto isRead = [&](BlockArgument argument) {
    return llvm::any_of(argument.getUses(), [&](OpOperand &use) {
      return use.getOwner() != anchor || anchor.isDpsInit(&use);
    });
  };
  for (auto [argument, operand] :
       llvm::zip(old.getArguments(), kernel.getInputs()))
    if (isRead(argument))
      inputs.push_back(operand);
  AffineMap out = anchor.getIndexingMapsArray().back();
  SmallVector<Attribute> axes = {b.getStringAttr("part")};
  for (AffineExpr expr : out.getResults())
    axes.push_back(kernel.getAxes()[cast<AffineDimExpr>(expr).getPosition()]);
  sum = KernelOp::create(b, kernel.getResultTypes(), kernel.getNameAttr(),
                         b.getArrayAttr(axes), inputs, kernel.getInits());

  OpBuilder::InsertionGuard guard(b);
  Block *payload = b.createBlock(&sum.getPayload());
  for (Value operand : sum->getOperands())
    payload->addArgument(operand.getType(), b.getLoc());
  unsigned next = 1;
  for (BlockArgument argument : old.getArguments()) {
    bool isInit = argument.getArgNumber() >= kernel.getInputs().size();
    if (isInit || isRead(argument))
      map.map(argument, payload->getArgument(next++));
  }
  linalg::GenericOp added;
  for (Operation &op : old) {
    if (&op != anchor) {
      b.clone(op, map);
      continue;
    }
    added = createSumOfParts(b, payload->getArgument(0),
                             map.lookup(anchor.getDpsInits()[0]));
    added->setAttr(kIdAttr, anchor->getAttr(kIdAttr));
    added->setAttr(kAnchorAttr, b.getUnitAttr());
    map.map(anchor->getResult(0), added.getResult(0));
  }
  CandidateReport report;
  if (failed(addGpuStreamCandidates(sum, added, /*columns=*/true, hw, report)))
    return kernel.emitOpError("splits a reduction whose parts no candidate "
                              "adds: ")
           << llvm::join(report.pruned, "; ");
  // One way to add them, chosen with the one that makes them.
  CandidateOp only;
  for (CandidateOp one : sum.getCandidateOps())
    if (one.getSymName() == "columns")
      only = one;
    else
      one.erase();
  Block &region = sum.getCandidates().front();
  only.getGuard().getBlocks().clear();
  only.getCost().getBlocks().clear();
  only.setSymName(candidate.getSymName());
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(region)))
    if (isOpTriviallyDead(&op))
      op.erase();
  return success();
}

LogicalResult ReductionSplitter::run(HwAttr hw) {
  if (failed(read()) || failed(measure()))
    return failure();
  KernelOp parts = createParts(), sum;
  createSchedule(parts);
  if (failed(createSum(parts.getResult(0), hw, sum)))
    return failure();
  kernel.replaceAllUsesWith(sum.getResults());
  kernel.erase();
  return success();
}

namespace {
struct SplitReductionsPass
    : vortex::impl::SplitReductionsBase<SplitReductionsPass> {
  void runOnOperation() override {
    SmallVector<std::pair<KernelOp, LevelOp>> work;
    getOperation()->walk([&](KernelOp kernel) {
      SmallVector<CandidateOp> candidates = kernel.getCandidateOps();
      if (candidates.size() != 1)
        return;
      for (auto level : candidates[0].getSchedule().front().getOps<LevelOp>())
        if (level.getKind() == LoopKind::Grid && level.getCombine())
          work.push_back({kernel, level});
    });
    for (auto [kernel, level] : work) {
      SmallVector<HwAttr> targets = getTargets(kernel);
      if (targets.empty() || !targets.front().isGPU()) {
        kernel.emitOpError("splits a reduction among blocks, but no GPU is the "
                           "first of its targets");
        return signalPassFailure();
      }
      if (failed(ReductionSplitter(kernel, level).run(targets.front())))
        return signalPassFailure();
      ++numSplit;
    }
  }
};
} // namespace
