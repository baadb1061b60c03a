//===- ChainKernel.cpp - Two products with rows between --------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warp has sixteen rows, whose left fragments it loads once. For each tile of
// keys it multiplies into accumulators, runs the payload of the rows on them,
// and takes what comes out, as it lies in registers, as left fragments of the
// second product: the accumulators of two tiles of eight columns are the
// fragment of a step of sixteen. Four lanes share a row.
//
// What is reduced over a row follows the keys (RunningChain.h). A largest value
// is what it is at any time. While it is still infinite, zero stands in for it
// in exponents, so that columns without a weight add nothing; at the end the
// sums are repaired once more, to the true one, which is where a row without
// any weight becomes no number, as it does when it is whole.
//
// The payload is emitted from two copies: of one, with what sums share taken
// out, the elements; of the other what is done when the sums are complete. A
// step whose columns all lie inside has code of its own, without conditions.
//
// Weights are rounded to 16 bits, so that their exponentials and the sums of
// them are those of the device: 2^(x log2 e) by ex2.approx, which is off by at
// most 2^-22 (PTX ISA), and by |x| 2^-23 for product and constant; below 2^-126
// zero.
//
//===----------------------------------------------------------------------===//

#include "ChainMask.h"
#include "ChainPlan.h"

#include "Accumulators.h"
#include "LaneExchange.h"
#include "PayloadEmitter.h"
#include "TileRing.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace vortex;

/// Rows of a warp's tile that a thread has, and the lanes that share one.
static constexpr int64_t kHalves = 2, kLanesOfRow = 4;
/// Accumulators of a tile of eight columns, columns of it that a thread has.
static constexpr int64_t kPerTile = 4, kColumnsOfTile = 2;
/// Partial values of a reduction over a row's columns in a thread, so that one
/// need not wait for the other: the latency of an addition, in instructions.
static constexpr int64_t kPartials = 4;

namespace {
using Coordinates = SmallVector<Int>; ///< one for each axis of the chain

class ChainEmitter {
public:
  ChainEmitter(ChainPlan &plan, KernelOp running, RunningChain steps,
               DeviceKernel &device)
      : plan(plan), product(plan.product), steps(std::move(steps)),
        device(device), b(device.b), epilogue(plan.product, device),
        place(plan.product, device), whole(plan.product.kernel, device),
        cores(running, device) {}
  LogicalResult emit();

private:
  /// A column of the scores that this thread has.
  struct Column {
    Int at;       ///< kept inside
    Value inside; ///< i1; null where all are
  };
  Int number(int64_t x) { return device.number(x); }
  int64_t scoreTiles() const { return product.blockK / 8; }
  int64_t resultTiles() const { return product.blockN / 8; }
  size_t sums() const { return resultTiles() * kPerTile; }
  size_t stateOf(size_t reduction, int64_t half) const {
    return sums() + reduction * kHalves + half;
  }

  void findRows();
  void boundColumns(ContractionPlace &walked);
  Int boundOf(const ColumnBound &bound);
  void loadLeft();
  SmallVector<Value> start();
  SmallVector<Value> step(ArrayRef<Value> old, Int stage, Int k);
  SmallVector<Value> step(ArrayRef<Value> old, Int stage, Int k, bool whole);
  void makeScores(Int stage, ArrayRef<Column> columns);
  void reduceRow(size_t index, int64_t half, ArrayRef<Column> columns,
                 ArrayRef<Value> old, SmallVector<Value> &state);
  void addWeights(Int stage, ArrayRef<Column> columns, ArrayRef<Value> old,
                  SmallVector<Value> &state);
  void finish(SmallVector<Value> state);
  Value finishSum(const RunningReduction &of, const RunningReduction &whole,
                  Value sum, Value correction, int64_t half);

  Coordinates loopsOf(Operation *op, ArrayRef<Int> at, const RunningChain &of);
  Coordinates resultAt(Operation *op, ArrayRef<Int> at, const RunningChain &of);
  Coordinates at(int64_t half, Int column);
  Value evaluate(PayloadEmitter &payload, const RunningChain &of, Value value,
                 ArrayRef<Int> at);
  Value follow(Value value, Operation *shift, Value difference);
  Value repair(const RunningReduction &sum, Value from, Value to);
  Value shiftOf(const RunningReduction &sum, int64_t half,
                ArrayRef<Value> state);
  Value standIn(linalg::LinalgOp op, Value value);
  Value joinLanes(linalg::LinalgOp op, Value value);
  Value keepInside(const Column &column, Value value, Value otherwise) {
    return column.inside
               ? arith::SelectOp::create(b, column.inside, value, otherwise)
                     .getResult()
               : value;
  }
  Value pack(Value low, Value high);
  void multiply(ArrayRef<Value> left, ArrayRef<Value> right, Type leftType,
                Type rightType, MutableArrayRef<Value> sums);

  ChainPlan &plan;
  ContractionPlan &product;
  RunningChain steps; ///< of the copy whose elements are emitted
  DeviceKernel &device;
  ImplicitLocOpBuilder &b;
  Epilogue epilogue;
  ContractionPlace place;
  PayloadEmitter whole, cores;
  std::optional<TileRing> ring;
  Int rows[kHalves];                    ///< kept inside
  SmallVector<SmallVector<Value>> left; ///< fragments, one a step
  /// Repairs of this step, by what they repair.
  std::map<std::pair<Operation *, int64_t>, Value> repairs;
};
} // namespace

//===----------------------------------------------------------------------===//
// Coordinates and elements
//===----------------------------------------------------------------------===//

Coordinates ChainEmitter::at(int64_t half, Int column) {
  Coordinates at(plan.chain.getInnerAxis() + 1);
  for (auto [axis, coordinate] : llvm::zip(product.batch, place.batch))
    at[axis] = coordinate;
  at[product.m] = rows[half];
  at[product.k] = column;
  return at;
}

Coordinates ChainEmitter::loopsOf(Operation *op, ArrayRef<Int> at,
                                  const RunningChain &of) {
  return llvm::map_to_vector(of.axes.find(op)->second,
                             [&](unsigned axis) { return at[axis]; });
}

Coordinates ChainEmitter::resultAt(Operation *op, ArrayRef<Int> at,
                                   const RunningChain &of) {
  return llvm::map_to_vector(of.getAxesOfResult(op),
                             [&](unsigned axis) { return at[axis]; });
}

/// A number of a body: an argument, arithmetic on others, or one from around.
Value ChainEmitter::evaluate(PayloadEmitter &payload, const RunningChain &of,
                             Value value, ArrayRef<Int> at) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto op = dyn_cast<linalg::LinalgOp>(argument.getOwner()->getParentOp());
    if (!op) // an operand of the kernel
      return payload.element(value, {});
    unsigned position = argument.getArgNumber();
    return payload.element(
        op->getOperand(position),
        payload.coordinates(op.getIndexingMapsArray()[position],
                            loopsOf(op, at, of)));
  }
  Operation *inner = value.getDefiningOp();
  if (!isa<linalg::LinalgOp>(inner->getParentOp()))
    return payload.element(value, {});
  if (auto index = dyn_cast<linalg::IndexOp>(inner))
    return arith::IndexCastUIOp::create(
        b, b.getIndexType(),
        loopsOf(inner->getParentOp(), at, of)[index.getDim()].value);
  IRMapping map;
  for (Value operand : inner->getOperands())
    map.map(operand, evaluate(payload, of, operand, at));
  return b.clone(*inner, map)->getResult(0);
}

/// What `value`, made of the difference `shift`, is for this difference; null
/// when it is not made of it.
Value ChainEmitter::follow(Value value, Operation *shift, Value difference) {
  if (value.getDefiningOp() == shift)
    return difference;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto op = dyn_cast<linalg::LinalgOp>(argument.getOwner()->getParentOp());
    linalg::LinalgOp producer = op ? getProducer(argument) : linalg::LinalgOp();
    if (!producer || !steps.axes.contains(producer))
      return {};
    return follow(producer->getRegion(0).front().getTerminator()->getOperand(0),
                  shift, difference);
  }
  Operation *op = value.getDefiningOp();
  if (!isa<arith::MulFOp, arith::DivFOp, math::ExpOp, math::Exp2Op>(op))
    return {};
  IRMapping map;
  bool found = false;
  for (Value operand : op->getOperands()) {
    Value followed = follow(operand, shift, difference);
    found |= bool(followed);
    map.map(operand, followed ? followed : evaluate(cores, steps, operand, {}));
  }
  return found ? b.clone(*op, map)->getResult(0) : Value();
}

/// `f(from - to)` for sums of `f(x - m)`.
Value ChainEmitter::repair(const RunningReduction &sum, Value from, Value to) {
  Value difference = arith::SubFOp::create(b, from, to);
  return follow(sum.exponential->getResult(0), sum.shift, difference);
}

/// Zero for the value that a reduction starts with, infinity.
Value ChainEmitter::standIn(linalg::LinalgOp op, Value value) {
  bool largest =
      isa<arith::MaximumFOp, arith::MaxNumFOp>(getReductionCombiner(op));
  auto type = cast<FloatType>(value.getType());
  Value infinity = arith::ConstantOp::create(
      b, b.getFloatAttr(type, APFloat::getInf(type.getFloatSemantics(),
                                              /*Negative=*/largest)));
  Value none =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, value, infinity);
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
  return arith::SelectOp::create(b, none, zero, value);
}

/// What is subtracted in exponents of `sum` when the rows are as in `state`.
Value ChainEmitter::shiftOf(const RunningReduction &sum, int64_t half,
                            ArrayRef<Value> state) {
  PayloadEmitter::Scope scope(cores);
  Coordinates place = at(half, Int());
  for (auto [i, reduction] : llvm::enumerate(steps.reductions))
    if (!reduction.isSum)
      cores.remember(reduction.op->getResult(0),
                     resultAt(reduction.op, place, steps),
                     standIn(reduction.op, state[stateOf(i, half)]));
  return evaluate(cores, steps, sum.shift->getOperand(1), place);
}

Value ChainEmitter::joinLanes(linalg::LinalgOp op, Value value) {
  for (int64_t distance = kLanesOfRow / 2; distance > 0; distance /= 2)
    value = cores.combine(op, value, exchangeLanes(device, value, distance));
  return value;
}

//===----------------------------------------------------------------------===//
// Fragments
//===----------------------------------------------------------------------===//

static Value toRegister(ImplicitLocOpBuilder &b, Value pair, Type element) {
  if (element.isF16())
    return pair;
  return LLVM::BitcastOp::create(b, b.getI32Type(), pair);
}

Value ChainEmitter::pack(Value low, Value high) {
  Type element = low.getType();
  return toRegister(b,
                    vector::FromElementsOp::create(
                        b, VectorType::get(2, element), ValueRange{low, high}),
                    element);
}

void ChainEmitter::multiply(ArrayRef<Value> left, ArrayRef<Value> right,
                            Type leftType, Type rightType,
                            MutableArrayRef<Value> sums) {
  auto kindOf = [](Type element) {
    return element.isF16() ? NVVM::MMATypes::f16 : NVVM::MMATypes::bf16;
  };
  auto type = LLVM::LLVMStructType::getLiteral(
      b.getContext(), SmallVector<Type>(kPerTile, sums[0].getType()));
  Value made = NVVM::MmaOp::create(
      b, type, left, right, ArrayRef<Value>(sums),
      ArrayRef<int64_t>{kChainRows, 8, kChainDepth}, std::nullopt, std::nullopt,
      std::array<NVVM::MMATypes, 2>{kindOf(leftType), kindOf(rightType)},
      std::array<NVVM::MMALayout, 2>{NVVM::MMALayout::row,
                                     NVVM::MMALayout::col});
  for (int64_t e = 0; e < kPerTile; ++e)
    sums[e] = LLVM::ExtractValueOp::create(b, made, e);
}

void ChainEmitter::findRows() {
  Int last = device.extents[product.m] - number(1);
  for (int64_t half = 0; half < kHalves; ++half)
    rows[half] = (place.m0 + place.warpM + place.lane / kLanesOfRow + half * 8)
                     .atMost(last);
}

/// Where the columns that a mask leaves to the rows of the block end, or begin.
Int ChainEmitter::boundOf(const ColumnBound &bound) {
  Int lastRow = device.extents[product.m] - number(1);
  Int row = bound.rowsInBound < 0
                ? (place.m0 + (product.blockM - 1)).atMost(lastRow)
                : place.m0.atMost(lastRow);
  Coordinates at = this->at(/*half=*/0, number(0));
  at[product.m] = row;
  auto whole = [&](Value value) -> Value {
    Value number = evaluate(cores, steps, value, at);
    Type i64 = b.getI64Type();
    if (isa<IndexType>(number.getType()))
      return arith::IndexCastOp::create(b, i64, number);
    return number.getType() == i64
               ? number
               : arith::ExtSIOp::create(b, i64, number).getResult();
  };
  auto constant = [&](int64_t x) -> Value {
    return arith::ConstantIntOp::create(b, b.getLoc(), x, 64);
  };
  // x - y <= 0, x - y growing, or falling, by one with each column.
  Value x = whole(bound.x), y = whole(bound.y);
  Value found = bound.isUpper ? arith::SubIOp::create(b, y, x).getResult()
                              : arith::SubIOp::create(b, x, y).getResult();
  if (bound.isUpper != bound.strict)
    found = arith::AddIOp::create(b, found, constant(1));
  // Other rows and columns are less than 2^32 away: where these numbers are in
  // the middle half of all, none of them wraps around, else nothing is known.
  auto isNear = [&](Value number) -> Value {
    return arith::CmpIOp::create(
        b, arith::CmpIPredicate::sge,
        arith::AddIOp::create(b, number, constant(int64_t(1) << 62)),
        constant(0));
  };
  Value near = arith::AndIOp::create(b, isNear(x), isNear(y));
  Value extent = device.extents[product.k].wide();
  found = arith::SelectOp::create(
      b, near,
      arith::MinSIOp::create(b, arith::MaxSIOp::create(b, found, constant(0)),
                             extent),
      bound.isUpper ? extent : constant(0));
  return {&b, arith::TruncIOp::create(b, b.getI32Type(), found)};
}

/// Leaves out steps none of whose columns a row of the block has.
void ChainEmitter::boundColumns(ContractionPlace &walked) {
  for (const ColumnBound &bound : findColumnBounds(steps))
    if (bound.isUpper)
      walked.endK = walked.endK.atMost(boundOf(bound));
    else
      walked.firstK = (boundOf(bound) / product.blockK * product.blockK)
                          .atLeast(walked.firstK);
}

/// Loads the left fragments of the scores, zeros behind the reduction's end.
void ChainEmitter::loadLeft() {
  linalg::LinalgOp scores = plan.chain.scores.op;
  OpOperand *operand = scores.getDpsInputOperand(plan.chain.scores.rows);
  AffineMap map = scores.getMatchingIndexingMap(operand);
  unsigned axis = plan.chain.getInnerAxis();
  Int extent = device.extents[axis], last = extent - number(1);
  int64_t known = scores.getStaticLoopRanges()[plan.chain.scores.k];
  for (int64_t step = 0; step < plan.inner; ++step) {
    SmallVector<Value> fragment;
    for (int64_t column : {0, 8})
      for (int64_t half = 0; half < kHalves; ++half) {
        SmallVector<Value> pair;
        for (int64_t e = 0; e < kColumnsOfTile; ++e) {
          Int inner = (place.lane % kLanesOfRow) * kColumnsOfTile +
                      (step * kChainDepth + column + e);
          bool inside = !ShapedType::isDynamic(known) &&
                        (step + 1) * kChainDepth <= known;
          Coordinates at = this->at(half, Int());
          at[axis] = inside ? inner : inner.atMost(last);
          Value element = whole.element(
              operand->get(),
              whole.coordinates(map, loopsOf(scores, at, plan.chain)));
          if (!inside)
            element = arith::SelectOp::create(
                b, inner < extent, element,
                arith::ConstantOp::create(b, b.getZeroAttr(element.getType())));
          pair.push_back(element);
        }
        fragment.push_back(pack(pair[0], pair[1]));
      }
    left.push_back(std::move(fragment));
  }
}

//===----------------------------------------------------------------------===//
// A step
//===----------------------------------------------------------------------===//

/// Sums start with zero: what they really start with is added to the complete
/// ones, which nothing repairs any more.
SmallVector<Value> ChainEmitter::start() {
  SmallVector<Value> state(
      sums(), arith::ConstantOp::create(b, b.getZeroAttr(product.sumType())));
  for (const RunningReduction &reduction : steps.reductions) {
    linalg::LinalgOp op = reduction.op;
    for (int64_t half = 0; half < kHalves; ++half) {
      Type type = getElementTypeOrSelf(op->getResult(0).getType());
      state.push_back(
          reduction.isSum
              ? arith::ConstantOp::create(b, b.getZeroAttr(type)).getResult()
              : cores.element(op.getDpsInits()[0],
                              resultAt(op, at(half, Int()), steps)));
    }
  }
  return state;
}

/// The first product, whose elements are then known.
void ChainEmitter::makeScores(Int stage, ArrayRef<Column> columns) {
  linalg::LinalgOp scores = steps.scores.op;
  TypedAttr initial;
  (void)matchPattern(
      scores.getDpsInits()[0].getDefiningOp<linalg::FillOp>().value(),
      m_Constant(&initial));
  SmallVector<Value> sums(scoreTiles() * kPerTile,
                          arith::ConstantOp::create(b, initial));
  Type leftType =
      getElementTypeOrSelf(scores->getOperand(steps.scores.rows).getType());
  Int lane = place.lane;
  for (int64_t step = 0; step < plan.inner; ++step)
    for (int64_t pair = 0; pair < scoreTiles() / 2; ++pair) {
      SmallVector<Value> right = ring->loadMatrices(
          product.a, stage, lane % 8 + (lane / 16) * 8 + pair * 16,
          (lane / 8) % 2 + step * 2, /*transposed=*/false);
      for (int64_t tile = 0; tile < 2; ++tile)
        multiply(left[step], ArrayRef(right).slice(tile * 2, 2), leftType,
                 product.a.element,
                 MutableArrayRef(sums).slice((pair * 2 + tile) * kPerTile,
                                             kPerTile));
    }
  for (auto [i, column] : llvm::enumerate(columns))
    for (int64_t half = 0; half < kHalves; ++half)
      cores.remember(scores->getResult(0),
                     resultAt(scores, at(half, column.at), steps),
                     sums[i / kColumnsOfTile * kPerTile +
                          half * kColumnsOfTile + i % kColumnsOfTile]);
}

/// One reduction of one row, over the columns of the step.
void ChainEmitter::reduceRow(size_t index, int64_t half,
                             ArrayRef<Column> columns, ArrayRef<Value> old,
                             SmallVector<Value> &state) {
  const RunningReduction &reduction = steps.reductions[index];
  linalg::LinalgOp op = reduction.op;
  Value value = old[stateOf(index, half)];
  if (reduction.shift) {
    Value &factor = repairs[{reduction.shift, half}];
    if (!factor)
      factor = repair(reduction, shiftOf(reduction, half, old),
                      shiftOf(reduction, half, state));
    value = arith::MulFOp::create(b, value, factor);
  }
  // A largest value may be taken twice.
  Value none =
      reduction.isSum
          ? arith::ConstantOp::create(b, b.getZeroAttr(value.getType()))
                .getResult()
          : value;
  SmallVector<Value> partials(std::min<size_t>(kPartials, columns.size()),
                              none);
  partials.front() = value;
  for (auto [i, column] : llvm::enumerate(columns)) {
    Value &partial = partials[i % partials.size()];
    Value next =
        cores.apply(op, loopsOf(op, at(half, column.at), steps), partial);
    partial = keepInside(column, next, partial);
  }
  value = partials.front();
  for (Value partial : llvm::drop_begin(partials))
    value = cores.combine(op, value, partial);
  if (!reduction.isSum) {
    value = joinLanes(op, value);
    cores.remember(op->getResult(0), resultAt(op, at(half, Int()), steps),
                   standIn(op, value));
  }
  state[stateOf(index, half)] = value;
}

/// The second product, of the weights as they lie in registers.
void ChainEmitter::addWeights(Int stage, ArrayRef<Column> columns,
                              ArrayRef<Value> old, SmallVector<Value> &state) {
  const RunningReduction &weighted = steps.weighted;
  linalg::LinalgOp op = weighted.op;
  OpOperand *operand = op.getDpsInputOperand(steps.product.rows);
  AffineMap map = op.getMatchingIndexingMap(operand);
  Type type = getElementTypeOrSelf(operand->get().getType());
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
  for (int64_t half = 0; half < kHalves && weighted.shift; ++half) {
    Value &factor = repairs[{weighted.shift, half}];
    if (!factor)
      factor = repair(weighted, shiftOf(weighted, half, old),
                      shiftOf(weighted, half, state));
    for (int64_t tile = 0; tile < resultTiles(); ++tile)
      for (int64_t e = 0; e < kColumnsOfTile; ++e) {
        Value &sum = state[tile * kPerTile + half * kColumnsOfTile + e];
        sum = arith::MulFOp::create(b, sum, factor);
      }
  }
  auto weight = [&](size_t column, int64_t half) -> Value {
    Value element = cores.element(
        operand->get(), cores.coordinates(map, at(half, columns[column].at)));
    return keepInside(columns[column], element, zero);
  };
  Int lane = place.lane;
  for (int64_t step = 0; step < product.blockK / kChainDepth; ++step) {
    SmallVector<Value> fragment;
    for (int64_t tile = 0; tile < 2; ++tile)
      for (int64_t half = 0; half < kHalves; ++half) {
        size_t first = (step * 2 + tile) * kColumnsOfTile;
        fragment.push_back(pack(weight(first, half), weight(first + 1, half)));
      }
    for (int64_t pair = 0; pair < resultTiles() / 2; ++pair) {
      SmallVector<Value> right =
          ring->loadMatrices(product.b, stage, lane % 16 + step * kChainDepth,
                             lane / 16 + pair * 2, /*transposed=*/true);
      for (int64_t tile = 0; tile < 2; ++tile)
        multiply(fragment, ArrayRef(right).slice(tile * 2, 2), type,
                 product.b.element,
                 MutableArrayRef(state).slice((pair * 2 + tile) * kPerTile,
                                              kPerTile));
    }
  }
}

/// A step, all of whose columns lie inside where `whole`.
SmallVector<Value> ChainEmitter::step(ArrayRef<Value> old, Int stage, Int k,
                                      bool whole) {
  PayloadEmitter::Scope scope(cores);
  repairs.clear();
  Int extent = device.extents[product.k], last = extent - number(1);
  SmallVector<Column> columns;
  for (int64_t tile = 0; tile < scoreTiles(); ++tile)
    for (int64_t e = 0; e < kColumnsOfTile; ++e) {
      Int column =
          k + (place.lane % kLanesOfRow) * kColumnsOfTile + (tile * 8 + e);
      if (whole)
        columns.push_back({column, Value()});
      else
        columns.push_back({column.atMost(last), column < extent});
    }
  makeScores(stage, columns);
  SmallVector<Value> state(old);
  for (size_t i = 0; i < steps.reductions.size(); ++i)
    for (int64_t half = 0; half < kHalves; ++half)
      reduceRow(i, half, columns, old, state);
  addWeights(stage, columns, old, state);
  return state;
}

SmallVector<Value> ChainEmitter::step(ArrayRef<Value> old, Int stage, Int k) {
  Value inside = arith::CmpIOp::create(b, arith::CmpIPredicate::sle,
                                       (k + product.blockK).value,
                                       device.extents[product.k].value);
  auto either = scf::IfOp::create(b, ValueRange(old).getTypes(), inside,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  for (bool whole : {true, false}) {
    b.setInsertionPointToStart(whole ? either.thenBlock() : either.elseBlock());
    scf::YieldOp::create(b, step(old, stage, k, whole));
  }
  return llvm::to_vector_of<Value>(either.getResults());
}

//===----------------------------------------------------------------------===//
// The end
//===----------------------------------------------------------------------===//

/// Gives a complete sum of a row what was taken out of its elements.
Value ChainEmitter::finishSum(const RunningReduction &of,
                              const RunningReduction &whole, Value sum,
                              Value correction, int64_t half) {
  if (correction)
    sum = arith::MulFOp::create(b, sum, correction);
  for (auto [op, factor] : llvm::reverse(whole.factors)) {
    Value value = evaluate(this->whole, plan.chain, op->getOperand(factor),
                           at(half, Int()));
    Type type = sum.getType();
    if (value.getType() != type)
      value =
          value.getType().getIntOrFloatBitWidth() < type.getIntOrFloatBitWidth()
              ? arith::ExtFOp::create(b, type, value).getResult()
              : arith::TruncFOp::create(b, type, value).getResult();
    sum = isa<arith::MulFOp>(op)
              ? arith::MulFOp::create(b, sum, value).getResult()
              : arith::DivFOp::create(b, sum, value).getResult();
  }
  return sum;
}

void ChainEmitter::finish(SmallVector<Value> state) {
  // In exponents zero stood in for what is infinite.
  auto correction = [&](const RunningReduction &sum,
                        const RunningReduction &original,
                        int64_t half) -> Value {
    if (!sum.shift)
      return {};
    return repair(sum, shiftOf(sum, half, state),
                  evaluate(whole, plan.chain, original.shift->getOperand(1),
                           at(half, Int())));
  };
  for (int64_t half = 0; half < kHalves; ++half) {
    for (auto [i, original] : llvm::enumerate(plan.chain.reductions)) {
      linalg::LinalgOp op = original.op;
      Coordinates place = resultAt(op, at(half, Int()), plan.chain);
      Value value = state[stateOf(i, half)];
      if (original.isSum) {
        value = joinLanes(op, value);
        value =
            finishSum(steps.reductions[i], original, value,
                      correction(steps.reductions[i], original, half), half);
        value =
            whole.combine(op, whole.element(op.getDpsInits()[0], place), value);
      }
      whole.remember(op->getResult(0), place, value);
    }
    Value last = correction(steps.weighted, plan.chain.weighted, half);
    for (int64_t tile = 0; tile < resultTiles(); ++tile)
      for (int64_t e = 0; e < kColumnsOfTile; ++e) {
        Value &sum = state[tile * kPerTile + half * kColumnsOfTile + e];
        sum = finishSum(steps.weighted, plan.chain.weighted, sum, last, half);
      }
  }
  Accumulators accumulators(
      product, device, epilogue,
      Accumulators::placePtx(
          place.m0 + place.warpM + place.lane / kLanesOfRow,
          place.n0 + (place.lane % kLanesOfRow) * kColumnsOfTile,
          {/*tilesM=*/1, resultTiles(), /*stepM=*/kChainRows, kHalves},
          place.batch));
  state.truncate(sums());
  if (!product.initial || !matchPattern(product.initial, m_AnyZeroFloat()))
    for (auto [sum, first] : llvm::zip(state, accumulators.start()))
      sum = arith::AddFOp::create(b, first, sum);
  accumulators.store(state);
}

LogicalResult ChainEmitter::emit() {
  if (failed(epilogue.analyze()) || failed(whole.verify()))
    return failure();
  findRows();
  loadLeft();
  // Both matrices of the ring have their columns somewhere else than the rows
  // of the result.
  ContractionPlace ringPlace = place;
  ringPlace.m0 = number(0);
  boundColumns(ringPlace);
  ring.emplace(product, device, ringPlace);
  finish(ring->reduce(start(), [&](SmallVector<Value> state, Int stage, Int k) {
    return step(state, stage, k);
  }));
  LLVM::ReturnOp::create(b, ValueRange{});
  return success();
}

//===----------------------------------------------------------------------===//
// The copy without what sums share
//===----------------------------------------------------------------------===//

static void takeFactorsOut(RunningChain &chain) {
  llvm::SetVector<std::pair<Operation *, unsigned>> factors;
  for (RunningReduction &reduction : chain.reductions)
    factors.insert(reduction.factors.begin(), reduction.factors.end());
  factors.insert(chain.weighted.factors.begin(), chain.weighted.factors.end());
  for (auto [op, factor] : factors) {
    op->getResult(0).replaceAllUsesWith(op->getOperand(1 - factor));
    op->erase();
  }
  for (const auto &entry : chain.axes)
    for (Operation &inner : llvm::make_early_inc_range(
             llvm::reverse(entry.first->getRegion(0).front().getOperations())))
      if (isOpTriviallyDead(&inner))
        inner.erase();
}

/// Makes exponentials of f32 in sums those of base two, by the device's own
/// instruction (afn).
static void approximate(RunningChain &chain) {
  llvm::SetVector<Operation *> exponentials;
  for (RunningReduction &reduction : chain.reductions)
    exponentials.insert(reduction.exponential);
  exponentials.insert(chain.weighted.exponential);
  for (Operation *op : exponentials) {
    if (!op || !op->getResult(0).getType().isF32())
      continue;
    ImplicitLocOpBuilder b(op->getLoc(), op);
    Value exponent = op->getOperand(0);
    if (isa<math::ExpOp>(op))
      exponent = arith::MulFOp::create(
          b, exponent,
          arith::ConstantOp::create(b,
                                    b.getF32FloatAttr(llvm::numbers::log2ef)));
    op->replaceAllUsesWith(
        math::Exp2Op::create(b, exponent, arith::FastMathFlags::afn));
    op->erase();
  }
}

/// Exponentials that may be approximate as instructions.
static void lowerApproximations(DeviceKernel &device) {
  SmallVector<math::Exp2Op> found;
  device.function.walk([&](math::Exp2Op op) {
    if (op.getType().isF32() &&
        arith::bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::afn))
      found.push_back(op);
  });
  for (math::Exp2Op op : found) {
    OpBuilder b(op);
    auto call = LLVM::CallIntrinsicOp::create(
        b, op.getLoc(), op.getType(),
        b.getStringAttr("llvm.nvvm.ex2.approx.ftz.f32"),
        ValueRange{op.getOperand()});
    op.replaceAllUsesWith(call.getResult(0));
    op.erase();
  }
}

LogicalResult vortex::emitChainKernel(ChainPlan &plan, DeviceKernel &device) {
  KernelOp kernel = plan.product.kernel;
  OpBuilder b(kernel);
  auto copy = cast<KernelOp>(b.clone(*kernel));
  std::string why;
  auto match = [&] {
    return matchRunningChain(cast<linalg::LinalgOp>(copy.getAnchor()), why);
  };
  std::optional<RunningChain> steps = match();
  approximate(*steps);
  steps = match();
  takeFactorsOut(*steps);
  LogicalResult emitted = ChainEmitter(plan, copy, *steps, device).emit();
  copy.erase();
  lowerApproximations(device);
  return emitted;
}
