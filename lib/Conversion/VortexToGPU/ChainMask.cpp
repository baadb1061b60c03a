//===- ChainMask.cpp - Columns that a mask leaves to a row -----*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChainMask.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace vortex;

namespace {
/// How often the numbers of a row and of a column count in an integer.
struct Counts {
  int64_t rows = 0, columns = 0;
  bool none() const { return rows == 0 && columns == 0; }
};

class BoundFinder {
public:
  explicit BoundFinder(const RunningChain &chain) : chain(chain) {}
  SmallVector<ColumnBound> run();

private:
  std::optional<Counts> count(Value value) const;
  void addBounds(Value condition, bool wanted);
  void addBound(arith::CmpIOp compare, bool wanted);

  const RunningChain &chain;
  SmallVector<ColumnBound> bounds;
};
} // namespace

/// Bits of the type of an integer; an index has those of i64.
static unsigned bitsOf(Value value) {
  return isa<IndexType>(value.getType())
             ? 64
             : value.getType().getIntOrFloatBitWidth();
}

/// Whether `value` is the number of a row or of a column, which fit 32 bits
/// and are not negative.
static bool isPosition(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (isa<linalg::IndexOp>(op))
      return true;
    if (!isa<arith::IndexCastOp, arith::IndexCastUIOp>(op) ||
        bitsOf(value) < 32)
      return false;
    value = op->getOperand(0);
  }
  return false;
}

/// What an element is where ops around only hand it on, or widen or narrow it,
/// which infinity bears.
static Value trace(Value value) {
  while (true) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      linalg::LinalgOp producer =
          isa_and_present<linalg::LinalgOp>(argument.getOwner()->getParentOp())
              ? getProducer(argument)
              : linalg::LinalgOp();
      if (!producer || producer.getNumReductionLoops())
        return value;
      value = producer->getRegion(0).front().getTerminator()->getOperand(0);
      continue;
    }
    Operation *op = value.getDefiningOp();
    if (!isa<arith::ExtFOp, arith::TruncFOp>(op))
      return value;
    value = op->getOperand(0);
  }
}

/// Whether `value` is the infinity that `reduction`, a largest or smallest
/// value, never becomes.
static bool isNeutral(Value value, Operation *combiner) {
  FloatAttr constant;
  if (!matchPattern(value, m_Constant(&constant)))
    return false;
  bool largest = isa<arith::MaximumFOp, arith::MaxNumFOp>(combiner);
  bool smallest = isa<arith::MinimumFOp, arith::MinNumFOp>(combiner);
  APFloat number = constant.getValue();
  return (largest || smallest) && number.isInfinity() &&
         number.isNegative() == largest;
}

std::optional<Counts> BoundFinder::count(Value value) const {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto op = dyn_cast<linalg::LinalgOp>(argument.getOwner()->getParentOp());
    if (!op)
      return Counts();
    auto axes = chain.axes.find(op);
    if (axes == chain.axes.end())
      return std::nullopt;
    AffineMap map = op.getIndexingMapsArray()[argument.getArgNumber()];
    for (auto [loop, axis] : llvm::enumerate(axes->second))
      if ((axis == chain.product.m || axis == chain.product.k) &&
          map.isFunctionOfDim(loop))
        return std::nullopt;
    return Counts();
  }
  Operation *op = value.getDefiningOp();
  auto body = dyn_cast<linalg::LinalgOp>(op->getParentOp());
  if (!body)
    return Counts();
  if (auto index = dyn_cast<linalg::IndexOp>(op)) {
    auto axes = chain.axes.find(body);
    if (axes == chain.axes.end())
      return std::nullopt;
    unsigned axis = axes->second[index.getDim()];
    return Counts{axis == chain.product.m, axis == chain.product.k};
  }
  SmallVector<Counts> operands;
  for (Value operand : op->getOperands()) {
    std::optional<Counts> counts = count(operand);
    if (!counts)
      return std::nullopt;
    operands.push_back(*counts);
  }
  if (op->getNumRegions() == 0 &&
      llvm::all_of(operands, [](Counts counts) { return counts.none(); }))
    return Counts();
  // Sums of fewer bits, and numbers that are made narrower, wrap around; those
  // of 64 bits are looked at when they are known.
  bool isWide = bitsOf(op->getResult(0)) == 64;
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp>(op)) {
    bool keeps = isWide && !isa<arith::IndexCastUIOp>(op);
    return keeps || isPosition(op->getResult(0)) ? std::optional(operands[0])
                                                 : std::nullopt;
  }
  if (isa<arith::AddIOp>(op) && isWide)
    return Counts{operands[0].rows + operands[1].rows,
                  operands[0].columns + operands[1].columns};
  if (isa<arith::SubIOp>(op) && isWide)
    return Counts{operands[0].rows - operands[1].rows,
                  operands[0].columns - operands[1].columns};
  return std::nullopt;
}

/// A comparison that must be `wanted`, as `x - y <= 0`.
void BoundFinder::addBound(arith::CmpIOp compare, bool wanted) {
  using arith::CmpIPredicate;
  CmpIPredicate predicate = compare.getPredicate();
  if (!wanted)
    predicate = arith::invertPredicate(predicate);
  Value x = compare.getLhs(), y = compare.getRhs();
  bool strict;
  switch (predicate) {
  case CmpIPredicate::sgt:
  case CmpIPredicate::ugt:
    std::swap(x, y);
    [[fallthrough]];
  case CmpIPredicate::slt:
  case CmpIPredicate::ult:
    strict = true;
    break;
  case CmpIPredicate::sge:
  case CmpIPredicate::uge:
    std::swap(x, y);
    [[fallthrough]];
  case CmpIPredicate::sle:
  case CmpIPredicate::ule:
    strict = false;
    break;
  default:
    return;
  }
  if (bitsOf(x) != 64 && bitsOf(x) != 32)
    return;
  // Sums may be negative.
  bool isUnsigned = predicate >= CmpIPredicate::ult;
  if (isUnsigned && !(isPosition(x) && isPosition(y)))
    return;
  std::optional<Counts> left = count(x), right = count(y);
  if (!left || !right)
    return;
  int64_t columns = left->columns - right->columns;
  if (columns != 1 && columns != -1)
    return;
  bounds.push_back(
      {x, y, strict, /*isUpper=*/columns == 1, left->rows - right->rows});
}

void BoundFinder::addBounds(Value condition, bool wanted) {
  Operation *op = condition.getDefiningOp();
  if (!op)
    return;
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    return addBound(compare, wanted);
  // All must hold: of one of several, none is a bound.
  if ((wanted && isa<arith::AndIOp>(op)) || (!wanted && isa<arith::OrIOp>(op)))
    for (Value operand : op->getOperands())
      addBounds(operand, wanted);
}

/// The sign of the constants that `f(c (x - m))` multiplies the difference by;
/// zero where they are not known.
static int getScaleSign(const RunningReduction &sum) {
  int sign = 1;
  for (Value value = trace(sum.exponential->getOperand(0));
       value.getDefiningOp() != sum.shift;) {
    Operation *op = value.getDefiningOp();
    if (!isa_and_present<arith::MulFOp, arith::DivFOp>(op))
      return 0;
    FloatAttr scale;
    bool second = matchPattern(op->getOperand(1), m_Constant(&scale));
    if (!second && (isa<arith::DivFOp>(op) ||
                    !matchPattern(op->getOperand(0), m_Constant(&scale))))
      return 0;
    APFloat number = scale.getValue();
    if (!number.isFinite() || number.isZero())
      return 0;
    sign *= number.isNegative() ? -1 : 1;
    value = trace(op->getOperand(second ? 0 : 1));
  }
  return sign;
}

SmallVector<ColumnBound> BoundFinder::run() {
  arith::SelectOp mask;
  bool wanted = false, isLargest = false;
  for (const RunningReduction &reduction : chain.reductions) {
    if (reduction.isSum)
      continue;
    linalg::LinalgOp op = reduction.op;
    Operation *combiner = getReductionCombiner(op);
    if (!combiner)
      return {};
    Value sum = op->getRegion(0).front().getArguments().back();
    unsigned element = combiner->getOperand(0) == sum;
    auto select =
        trace(combiner->getOperand(element)).getDefiningOp<arith::SelectOp>();
    if (!select || (mask && mask != select))
      return {};
    mask = select;
    isLargest = isa<arith::MaximumFOp, arith::MaxNumFOp>(combiner);
    wanted = isNeutral(select.getFalseValue(), combiner);
    if (!wanted && !isNeutral(select.getTrueValue(), combiner))
      return {};
  }
  // Nothing else may be added up of a column, and the exponent of the infinity
  // is the negative one.
  auto hasNoWeight = [&](const RunningReduction &sum) {
    auto shift = dyn_cast_if_present<arith::SubFOp>(sum.shift);
    return shift && trace(shift.getLhs()) == mask.getResult() &&
           getScaleSign(sum) == (isLargest ? 1 : -1);
  };
  if (!mask || !hasNoWeight(chain.weighted))
    return {};
  for (const RunningReduction &reduction : chain.reductions)
    if (reduction.isSum && !hasNoWeight(reduction))
      return {};
  addBounds(mask.getCondition(), wanted);
  return std::move(bounds);
}

SmallVector<ColumnBound> vortex::findColumnBounds(const RunningChain &chain) {
  return BoundFinder(chain).run();
}
