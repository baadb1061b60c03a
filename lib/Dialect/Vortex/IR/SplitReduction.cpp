//===- SplitReduction.cpp - A part of a reduction ---------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Dialect/Vortex/IR/SplitReduction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace vortex;

void vortex::splitBody(linalg::GenericOp op, const SplitReduction &split) {
  Block &body = op.getRegion().front();
  auto yield = cast<linalg::YieldOp>(body.getTerminator());
  ImplicitLocOpBuilder b(op.getLoc(), yield);
  auto loop = [&](unsigned position) -> Value {
    return arith::IndexCastOp::create(b, b.getI64Type(),
                                      linalg::IndexOp::create(b, position));
  };
  Value part = arith::DivUIOp::create(b, loop(split.reduction), split.length);
  Value mine = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, part,
                                     loop(split.parts));
  Value next = yield.getOperand(0), sum = body.getArguments().back();
  yield.setOperand(0, arith::SelectOp::create(b, mine, next, sum));
}

/// The loop whose index `value` is as a number; nothing when it is not one.
static std::optional<unsigned> getLoop(Value value) {
  auto cast = value.getDefiningOp<arith::IndexCastOp>();
  auto index = cast ? cast.getIn().getDefiningOp<linalg::IndexOp>() : nullptr;
  if (!index)
    return std::nullopt;
  return index.getDim();
}

std::optional<SplitReduction> vortex::matchSplit(linalg::LinalgOp op) {
  if (!isa<linalg::GenericOp>(op) || op.getNumReductionLoops() == 0 ||
      op.getNumDpsInits() != 1)
    return std::nullopt;
  Block &body = op->getRegion(0).front();
  auto select =
      body.getTerminator()->getOperand(0).getDefiningOp<arith::SelectOp>();
  auto mine = select ? select.getCondition().getDefiningOp<arith::CmpIOp>()
                     : arith::CmpIOp();
  if (!mine || mine.getPredicate() != arith::CmpIPredicate::eq ||
      select.getFalseValue() != body.getArguments().back())
    return std::nullopt;
  auto part = mine.getLhs().getDefiningOp<arith::DivUIOp>();
  std::optional<unsigned> parts = getLoop(mine.getRhs());
  std::optional<unsigned> step = part ? getLoop(part.getLhs()) : std::nullopt;
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  if (!parts || !step || !llvm::is_contained(reductions, *step) ||
      part.getRhs().getParentRegion() == body.getParent())
    return std::nullopt;
  return SplitReduction{*parts, *step, part.getRhs()};
}

bool vortex::isSumOfElements(linalg::LinalgOp op) {
  Block &body = op->getRegion(0).front();
  auto yield = dyn_cast<linalg::YieldOp>(body.back());
  if (op.getNumDpsInits() != 1 || op.getNumReductionLoops() == 0 || !yield)
    return false;
  Value sum = body.getArguments().back();
  Operation *combiner = yield.getOperand(0).getDefiningOp();
  if (!isa_and_present<arith::AddFOp, arith::AddIOp>(combiner) ||
      combiner->getBlock() != &body || !sum.hasOneUse() ||
      !llvm::is_contained(combiner->getOperands(), sum) ||
      !sum.getType().isIntOrFloat() ||
      sum.getType().getIntOrFloatBitWidth() < 32)
    return false;
  llvm::SetVector<Value> outside;
  getUsedValuesDefinedAbove(op->getRegion(0), outside);
  return outside.empty() &&
         llvm::all_of(op.getDpsInputs(), llvm::IsaPred<BlockArgument>) &&
         llvm::all_of(
             op.getIndexingMapsArray(),
             [](AffineMap map) { return map.isProjectedPermutation(); }) &&
         llvm::none_of(body, llvm::IsaPred<linalg::IndexOp>);
}

linalg::GenericOp vortex::createSumOfParts(ImplicitLocOpBuilder &b, Value parts,
                                           Value init) {
  int64_t rank = cast<RankedTensorType>(parts.getType()).getRank();
  AffineMap all = b.getMultiDimIdentityMap(rank);
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  iterators[0] = utils::IteratorType::reduction;
  return linalg::GenericOp::create(
      b, TypeRange{init.getType()}, ValueRange{parts}, ValueRange{init},
      ArrayRef<AffineMap>{all, all.dropResult(0)}, iterators,
      [](OpBuilder &b, Location loc, ValueRange arguments) {
        Value part = arguments[0], sum = arguments[1];
        sum = isa<FloatType>(sum.getType())
                  ? arith::AddFOp::create(b, loc, sum, part).getResult()
                  : arith::AddIOp::create(b, loc, sum, part).getResult();
        linalg::YieldOp::create(b, loc, sum);
      });
}

void vortex::removeSplit(linalg::LinalgOp op) {
  Block &body = op->getRegion(0).front();
  Operation *yield = body.getTerminator();
  auto select = yield->getOperand(0).getDefiningOp<arith::SelectOp>();
  yield->setOperand(0, select.getTrueValue());
  for (Operation &inner :
       llvm::make_early_inc_range(llvm::reverse(body.getOperations())))
    if (isOpTriviallyDead(&inner))
      inner.erase();
}
