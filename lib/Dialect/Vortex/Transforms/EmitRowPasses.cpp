//===- EmitRowPasses.cpp - Passes over a row, columns in lanes ------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A row tile (softmax, layer norm, an elementwise chain, a reduction along
// the row) runs as a few passes over the columns. A reduction along the lanes
// ends a pass; what depends on its result belongs to a later one. Each pass is
// one loop over `unroll` vectors with as many accumulators, then one masked
// loop for the tail. A value needed again in a later pass is computed again
// when that is cheap; an expensive one (a transcendental function or a
// division) is kept in the row's destination.
//
//===----------------------------------------------------------------------===//

#include "MicroKernelEmitter.h"
#include "PayloadClass.h"

#include "vortex/Dialect/Vortex/IR/TileArguments.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace vortex;

namespace {
/// What is known of one op of the tile.
struct RowOp {
  linalg::LinalgOp op;
  std::optional<unsigned> lane; ///< loop in lanes; none: a scalar op
  unsigned stage = 0;           ///< pass that computes it first
  bool reduces = false;         ///< reduces along the lanes
  Operation *combiner = nullptr;
  vector::CombiningKind kind = vector::CombiningKind::ADD;
  TypedAttr neutral;
  /// A maximum or minimum of numbers, NaN left out: accumulators are never NaN.
  bool ofNumbers = false;
  SmallVector<unsigned> outer; ///< reduction loops besides the lanes
};

class RowEmitter : TileEmitter {
public:
  RowEmitter(OpBuilder &b, MicroKernelOp kernel)
      : TileEmitter(b, kernel.getLoc(), kernel.getSpec().getLanes(),
                    kernel.getSpec().getContract()),
        kernel(kernel) {}
  FailureOr<SmallVector<Value>> run();

private:
  LogicalResult analyze();
  LogicalResult assignLanes();
  Value outside(Value value) { return getOutside(kernel, value); }
  linalg::LinalgOp producer(Value value) { return getProducer(kernel, value); }
  bool startsWithNumber(linalg::LinalgOp op);
  Value combine(const RowOp &row, Value x, Value accumulator);
  Value reduceLanes(const RowOp &row, Value lanes);
  Value emitScalar(linalg::LinalgOp op);
  Value emitVector(linalg::LinalgOp op, Value column, Value mask, Value valid,
                   Value accumulator = {});
  bool hidesNextRow(unsigned stage);
  void emitPass(unsigned stage);
  Value laneExtent();

  MicroKernelOp kernel;
  DenseMap<Operation *, RowOp> info;
  SmallVector<linalg::LinalgOp> ops;
  unsigned lastStage = 0;
  /// Values kept between passes: op -> index into `stores`.
  DenseMap<Operation *, unsigned> kept;
  /// Destinations that passes write: current value, and the op stored last.
  SmallVector<Value> stores;
  DenseMap<Operation *, unsigned> yielded; ///< lane op -> index into stores
  DenseMap<Operation *, Value> scalars;    ///< results of scalar ops
  // State of the iteration being emitted.
  DenseMap<Operation *, Value> vectors;
  SmallVector<Value> currentStores;
  unsigned currentStage = 0;
  SmallVector<Value> outerIvs;
};
} // namespace

/// The loop in lanes is the anchor's, and what indexes the same dimension of a
/// tensor between two ops. Ops that share only scalars of the row with those
/// walk the row loops in order, then at most one more: the one in lanes
/// (vortex-form-kernels joins no others).
LogicalResult RowEmitter::assignLanes() {
  linalg::LinalgOp anchor;
  for (linalg::LinalgOp op : ops)
    if (op->hasAttr(kAnchorAttr))
      anchor = op;
  if (!anchor)
    return kernel.emitOpError("row passes need the kernel's anchor");
  int64_t axis = kernel.getSpec().getLaneAxis();
  if (axis < 0)
    return success();
  SmallVector<linalg::LinalgOp> found = {anchor};
  info[anchor].lane = axis;
  auto follow = [&](AffineMap from, unsigned lane, linalg::LinalgOp to,
                    AffineMap map) {
    std::optional<unsigned> dim =
        from.getResultPosition(getAffineDimExpr(lane, b.getContext()));
    auto loop = dim ? dyn_cast<AffineDimExpr>(map.getResult(*dim)) : nullptr;
    if (!loop || info[to].lane)
      return;
    info[to].lane = loop.getPosition();
    found.push_back(to);
  };
  while (!found.empty()) {
    linalg::LinalgOp op = found.pop_back_val();
    for (OpOperand &operand : op->getOpOperands())
      if (linalg::LinalgOp from = producer(operand.get()))
        follow(
            op.getMatchingIndexingMap(&operand), *info[op].lane, from,
            from.getIndexingMapMatchingResult(cast<OpResult>(operand.get())));
    for (OpResult result : op->getResults())
      for (OpOperand &use : result.getUses())
        if (auto user = dyn_cast<linalg::LinalgOp>(use.getOwner()))
          follow(op.getIndexingMapMatchingResult(result), *info[op].lane, user,
                 user.getMatchingIndexingMap(&use));
  }
  for (linalg::LinalgOp op : ops)
    if (!info[op].lane && op.getNumLoops() == anchor.getNumLoops())
      info[op].lane = axis;
  return success();
}

LogicalResult RowEmitter::analyze() {
  for (Operation &op : kernel.getBody().front().without_terminator()) {
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    if (!linalgOp)
      return kernel.emitOpError() << "cannot hold a " << op.getName();
    ops.push_back(linalgOp);
    info[linalgOp].op = linalgOp;
  }
  if (failed(assignLanes()))
    return failure();
  for (linalg::LinalgOp op : ops) {
    RowOp &row = info[op];
    SmallVector<unsigned> reductions;
    op.getReductionDims(reductions);
    for (unsigned loop : reductions)
      if (row.lane && loop == *row.lane)
        row.reduces = true;
      else
        row.outer.push_back(loop);
    if (!reductions.empty() && !row.reduces)
      return op->emitOpError("reduces across rows in a row tile");
    if (row.reduces) {
      SmallVector<Operation *> combiners;
      if (!matchReduction(op.getRegionOutputArgs(), 0, combiners) ||
          combiners.size() != 1)
        return op->emitOpError("has a reduction that is not one operation");
      row.combiner = combiners[0];
      std::optional<vector::CombiningKind> kind =
          linalg::getCombinerOpKind(row.combiner);
      std::optional<TypedAttr> neutral = arith::getNeutralElement(row.combiner);
      if (!kind || !neutral)
        return op->emitOpError("has a reduction without a neutral element");
      row.kind = *kind;
      row.neutral = *neutral;
      if (isa<arith::MaxNumFOp, arith::MinNumFOp>(row.combiner) &&
          startsWithNumber(op)) {
        row.ofNumbers = true;
        auto type = cast<FloatType>(row.neutral.getType());
        row.neutral = FloatAttr::get(
            type, APFloat::getInf(type.getFloatSemantics(),
                                  isa<arith::MaxNumFOp>(row.combiner)));
      }
    }
    for (Value value : op->getOperands())
      if (linalg::LinalgOp from = producer(value))
        row.stage = std::max(row.stage,
                             info[from].stage + (info[from].reduces ? 1 : 0));
    lastStage = std::max(lastStage, row.stage + (row.reduces ? 1 : 0));
  }
  return success();
}

/// Whether what the reduction starts from is a constant, not NaN.
bool RowEmitter::startsWithNumber(linalg::LinalgOp op) {
  auto fill = op.getDpsInits()[0].getDefiningOp<linalg::FillOp>();
  FloatAttr start;
  return fill &&
         matchPattern(outside(fill.getInputs()[0]), m_Constant(&start)) &&
         !start.getValue().isNaN();
}

/// `accumulator` and one more, as vectors or scalars.
Value RowEmitter::combine(const RowOp &row, Value x, Value accumulator) {
  if (!row.ofNumbers)
    return vector::makeArithReduction(b, loc, row.kind, x, accumulator);
  // One instruction, as only x may be NaN: the accumulator stays then.
  auto better = isa<arith::MaxNumFOp>(row.combiner) ? arith::CmpFPredicate::OGT
                                                    : arith::CmpFPredicate::OLT;
  return arith::SelectOp::create(
      b, loc, arith::CmpFOp::create(b, loc, better, x, accumulator), x,
      accumulator);
}

/// The lanes as one scalar. Of maxima and minima LLVM takes one lane after
/// another, so they are halved here.
Value RowEmitter::reduceLanes(const RowOp &row, Value vector) {
  bool halves = isa<arith::MaxNumFOp, arith::MinNumFOp, arith::MaximumFOp,
                    arith::MinimumFOp>(row.combiner);
  int64_t count = cast<VectorType>(vector.getType()).getNumElements();
  for (; halves && count > 1 && count % 2 == 0; count /= 2) {
    auto half = [&](int64_t from) {
      auto lanes = llvm::to_vector(llvm::seq(from, from + count / 2));
      return vector::ShuffleOp::create(b, loc, vector, vector, lanes);
    };
    vector = combine(row, half(count / 2), half(0));
  }
  Type element = getElementTypeOrSelf(vector.getType());
  if (!isa<FloatType>(element))
    return vector::ReductionOp::create(b, loc, row.kind, vector);
  // Sums start from what changes none, for LLVM adds zero to one that is given
  // no start.
  Value start;
  if (isa<arith::AddFOp>(row.combiner))
    start = arith::ConstantOp::create(b, loc, b.getFloatAttr(element, -0.0));
  return vector::ReductionOp::create(b, loc, row.kind, vector, start,
                                     arith::FastMathFlags::reassoc);
}

/// Whether `start` is nothing to the sum `row`: of zeros in the lanes no sum is
/// -0.
static bool isNothingToSum(const RowOp &row, Value start) {
  auto neutral = dyn_cast<FloatAttr>(row.neutral);
  APFloat number(0.0);
  return isa<arith::AddFOp>(row.combiner) && neutral &&
         neutral.getValue().isPosZero() &&
         matchPattern(start, m_ConstantFloat(&number)) && number.isZero();
}

/// Number of columns, as an index value.
Value RowEmitter::laneExtent() {
  for (linalg::LinalgOp op : ops) {
    if (!info[op].lane)
      continue;
    for (auto [value, map] :
         llvm::zip(op->getOperands(), op.getIndexingMapsArray()))
      for (auto [i, expr] : llvm::enumerate(map.getResults()))
        if (expr == getAffineDimExpr(*info[op].lane, b.getContext()) &&
            !producer(value))
          return getValueOrCreateConstantIndexOp(
              b, loc, tensor::getMixedSize(b, loc, outside(value), i));
  }
  return constant(1);
}

static bool isExpensive(linalg::LinalgOp op) {
  return llvm::any_of(op->getRegion(0).front(), [](Operation &inner) {
    return isa<math::MathDialect>(inner.getDialect()) ||
           isa<arith::DivFOp, arith::DivSIOp, arith::DivUIOp>(inner);
  });
}

/// Whether a pass over a row that was read before has arithmetic to do for as
/// long as the next row takes to come from memory, which waits otherwise. On an
/// EPYC of family 25, model 17, touching it in the second of softmax's passes
/// gives 1.1 to 1.25 of the speed out of memory; in passes that do less than
/// such functions (the last of layer norm's) it costs as much.
bool RowEmitter::hidesNextRow(unsigned stage) {
  return stage > 0 && llvm::any_of(ops, [&](linalg::LinalgOp op) {
           return info[op].lane && info[op].stage == stage &&
                  llvm::any_of(op->getRegion(0).front(), isFunction);
         });
}

/// A scalar op of the row, or the start value of a reduction.
Value RowEmitter::emitScalar(linalg::LinalgOp op) {
  if (Value value = scalars.lookup(op))
    return value;
  if (auto fill = dyn_cast<linalg::FillOp>(op.getOperation()))
    return scalars[op] = outside(fill.getInputs()[0]);
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<Value> loops(op.getNumLoops(), constant(0));
  Block &body = op->getRegion(0).front();
  IRMapping map;
  for (auto [i, value] : llvm::enumerate(op->getOperands())) {
    BlockArgument argument = body.getArgument(i);
    if (argument.use_empty())
      continue;
    if (linalg::LinalgOp from = producer(value))
      map.map(argument, emitScalar(from));
    else
      map.map(argument,
              readScalar(inMemory(outside(value), maps[i], 0, 1), loops));
  }
  for (Operation &inner : body.without_terminator())
    b.clone(inner, map);
  return scalars[op] = map.lookupOrDefault(body.getTerminator()->getOperand(0));
}

/// The vector of `op` at `column`; for a reduction, the accumulator after it.
Value RowEmitter::emitVector(linalg::LinalgOp op, Value column, Value mask,
                             Value valid, Value accumulator) {
  if (Value value = vectors.lookup(op))
    return value;
  RowOp &row = info[op];
  if (!row.lane)
    return splat(emitScalar(op));
  if (row.stage < currentStage && row.reduces)
    return splat(scalars.lookup(op));
  if (auto fill = dyn_cast<linalg::FillOp>(op.getOperation()))
    return vectors[op] = splat(outside(fill.getInputs()[0]));
  auto keptAt = kept.find(op);
  if (keptAt != kept.end() && row.stage < currentStage) {
    TileOperand memory;
    memory.source = currentStores[keptAt->second];
    memory.map = op.getIndexingMapsArray().back();
    SmallVector<Value> loops(op.getNumLoops(), constant(0));
    loops[*row.lane] = column;
    return vectors[op] = readVector(memory, loops, *row.lane, mask, valid);
  }
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<Value> loops(op.getNumLoops(), constant(0));
  loops[*row.lane] = column;
  for (auto [loop, iv] : llvm::zip(row.outer, outerIvs))
    loops[loop] = iv;
  Block &body = op->getRegion(0).front();
  IRMapping map;
  for (auto [i, value] : llvm::enumerate(op->getOperands())) {
    BlockArgument argument = body.getArgument(i);
    if (argument.use_empty())
      continue;
    if (row.reduces && op.isDpsInit(&op->getOpOperand(i))) {
      map.map(argument, accumulator);
    } else if (linalg::LinalgOp from = producer(value)) {
      map.map(argument, emitVector(from, column, mask, valid));
    } else {
      TileOperand memory = inMemory(outside(value), maps[i], 0, 1);
      map.map(argument, maps[i].isFunctionOfDim(*row.lane)
                            ? readVector(memory, loops, *row.lane, mask, valid)
                            : splat(readScalar(memory, loops)));
    }
  }
  for (Operation &inner : body.without_terminator()) {
    if (&inner != row.combiner || !row.ofNumbers) {
      clonePayload(inner, map);
      continue;
    }
    bool first = inner.getOperand(0) == op.getRegionOutputArgs()[0];
    Value x = map.lookupOrDefault(inner.getOperand(first));
    if (!isa<VectorType>(x.getType()))
      x = splat(x);
    map.map(inner.getResult(0), combine(row, x, accumulator));
  }
  Value yieldedValue = body.getTerminator()->getOperand(0);
  Value result = map.lookupOrNull(yieldedValue);
  if (!result)
    result = splat(yieldedValue);
  if (row.reduces && mask)
    result = arith::SelectOp::create(b, loc, mask, result, accumulator);
  // Only what later iterations of this column need is remembered.
  if (!row.reduces)
    vectors[op] = result;
  return result;
}

/// One pass: its reductions, and the stores of values that become final in it
/// or are kept for later ones.
void RowEmitter::emitPass(unsigned stage) {
  currentStage = stage;
  SmallVector<linalg::LinalgOp> reductions, written;
  for (linalg::LinalgOp op : ops) {
    RowOp &row = info[op];
    if (row.stage != stage || !row.lane)
      continue;
    if (row.reduces)
      reductions.push_back(op);
    else if (yielded.contains(op) || kept.contains(op))
      written.push_back(op);
  }
  if (reductions.empty() && written.empty())
    return;
  int64_t unroll = kernel.getSpec().getUnroll();
  Value extent = laneExtent();
  auto maskType = VectorType::get({lanes}, b.getI1Type());

  // Loads that only depend on the row must not be repeated in the loop.
  auto column = [&](Value iv, int64_t u) -> Value {
    return u ? arith::AddIOp::create(b, loc, iv, constant(u * lanes))
                   .getResult()
             : iv;
  };
  // The body for `count` vectors from `iv`; `values` are accumulators
  // (reductions x count), then the stores.
  auto body = [&](Value iv, int64_t count, bool masked, ValueRange values) {
    currentStores.assign(stores.begin(), stores.end());
    unsigned numAccumulators = reductions.size() * count;
    for (unsigned s = 0; s < stores.size(); ++s)
      currentStores[s] = values[numAccumulators + s];
    SmallVector<Value> accumulators(values.take_front(numAccumulators));
    for (int64_t u = 0; u < count; ++u) {
      vectors.clear();
      Value at = column(iv, u), mask, valid;
      if (masked) {
        valid = arith::SubIOp::create(b, loc, extent, at);
        mask =
            vector::CreateMaskOp::create(b, loc, maskType, ValueRange{valid});
      }
      for (auto [r, op] : llvm::enumerate(reductions)) {
        Value &accumulator = accumulators[r * count + u];
        accumulator = emitVector(op, at, mask, valid, accumulator);
      }
      for (linalg::LinalgOp op : written) {
        Value value = emitVector(op, at, mask, valid);
        auto it = yielded.find(op);
        Value &store =
            currentStores[it != yielded.end() ? it->second : kept[op]];
        AffineMap out = op.getIndexingMapsArray().back();
        SmallVector<Value> indices(out.getNumResults(), constant(0));
        for (auto [i, expr] : llvm::enumerate(out.getResults()))
          if (expr == getAffineDimExpr(*info[op].lane, b.getContext()))
            indices[i] = at;
        AffineMap minor =
            AffineMap::getMinorIdentityMap(indices.size(), 1, b.getContext());
        store = vector::TransferWriteOp::create(b, loc, value, store, indices,
                                                AffineMapAttr::get(minor), mask,
                                                b.getBoolArrayAttr({true}))
                    .getResult();
      }
    }
    SmallVector<Value> out(accumulators);
    llvm::append_range(out, currentStores);
    return out;
  };
  auto loop = [&](Value from, Value to, int64_t count, bool masked,
                  ValueRange values) {
    auto forOp =
        scf::ForOp::create(b, loc, from, to, constant(count * lanes), values);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(forOp.getBody());
    SmallVector<Value> out =
        body(forOp.getInductionVar(), count, masked, forOp.getRegionIterArgs());
    scf::YieldOp::create(b, loc, out);
    return forOp;
  };

  // Scalars of the row are computed in front of the loops.
  for (linalg::LinalgOp op : ops)
    if (!info[op].lane && info[op].stage <= stage)
      emitScalar(op);

  Value rest = arith::RemUIOp::create(b, loc, extent, constant(unroll * lanes));
  Value whole = arith::SubIOp::create(b, loc, extent, rest);
  auto row = [&](ValueRange in) -> SmallVector<Value> {
    SmallVector<Value> start;
    unsigned numReductions = reductions.size();
    for (unsigned r = 0; r < numReductions; ++r) {
      start.push_back(in[r]);
      for (int64_t u = 1; u < unroll; ++u)
        start.push_back(splat(
            arith::ConstantOp::create(b, loc, info[reductions[r]].neutral)));
    }
    llvm::append_range(start, in.drop_front(numReductions));
    scf::ForOp main = loop(constant(0), whole, unroll, false, start);
    if (hidesNextRow(stage))
      main->setAttr(kPrefetchRowAttr, b.getUnitAttr());
    if (numReductions == 0 && kept.empty())
      main->setAttr(kNontemporalAttr, b.getUnitAttr());
    SmallVector<Value> joined;
    for (unsigned r = 0; r < numReductions; ++r) {
      Value sum = main.getResult(r * unroll);
      for (int64_t u = 1; u < unroll; ++u)
        sum = combine(info[reductions[r]], main.getResult(r * unroll + u), sum);
      joined.push_back(sum);
    }
    llvm::append_range(joined,
                       main.getResults().drop_front(numReductions * unroll));
    scf::ForOp tail = loop(whole, extent, 1, true, joined);
    return llvm::to_vector_of<Value>(tail.getResults());
  };

  SmallVector<Value> state;
  for (linalg::LinalgOp op : reductions)
    state.push_back(splat(arith::ConstantOp::create(b, loc, info[op].neutral)));
  llvm::append_range(state, stores);

  // Reductions over further dimensions walk rows inside loops of their own.
  unsigned depth = reductions.empty() ? 0 : info[reductions[0]].outer.size();
  outerIvs.clear();
  std::function<SmallVector<Value>(unsigned, SmallVector<Value>)> nest =
      [&](unsigned level, SmallVector<Value> in) -> SmallVector<Value> {
    if (level == depth)
      return row(in);
    linalg::LinalgOp op = reductions[0];
    unsigned loopPosition = info[op].outer[level];
    Value size;
    for (auto [value, map] :
         llvm::zip(op->getOperands(), op.getIndexingMapsArray()))
      for (auto [i, expr] : llvm::enumerate(map.getResults()))
        if (!size && expr == getAffineDimExpr(loopPosition, b.getContext()))
          size = getValueOrCreateConstantIndexOp(
              b, loc, tensor::getMixedSize(b, loc, outside(value), i));
    auto forOp = scf::ForOp::create(b, loc, constant(0), size, constant(1), in);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(forOp.getBody());
    outerIvs.push_back(forOp.getInductionVar());
    SmallVector<Value> out =
        nest(level + 1, llvm::to_vector_of<Value>(forOp.getRegionIterArgs()));
    outerIvs.pop_back();
    scf::YieldOp::create(b, loc, out);
    return llvm::to_vector_of<Value>(forOp.getResults());
  };
  state = nest(0, state);

  for (auto [r, op] : llvm::enumerate(reductions)) {
    Value sum = reduceLanes(info[op], state[r]);
    // The start value: a fill's, a scalar of the row, or what memory holds.
    Value init = op.getDpsInits()[0], start;
    if (linalg::LinalgOp from = producer(init)) {
      start = emitScalar(from);
    } else {
      SmallVector<Value> loops(op.getNumLoops(), constant(0));
      start = readScalar(
          inMemory(outside(init), op.getIndexingMapsArray().back(), 0, 1),
          loops);
    }
    scalars[op] =
        isNothingToSum(info[op], start) ? sum : combine(info[op], sum, start);
  }
  for (unsigned s = 0; s < stores.size(); ++s)
    stores[s] = state[reductions.size() + s];
}

FailureOr<SmallVector<Value>> RowEmitter::run() {
  if (failed(analyze()))
    return failure();
  auto yield = cast<YieldOp>(kernel.getBody().front().getTerminator());
  // Results that lie in lanes are stores; the others are scalars written at
  // the end.
  SmallVector<std::pair<unsigned, unsigned>> storeOfResult;
  for (auto [i, value] : llvm::enumerate(yield.getValues())) {
    linalg::LinalgOp op = producer(value);
    if (!op)
      return kernel.emitOpError("yields a value it does not compute");
    if (!info[op].lane || info[op].reduces)
      continue;
    if (yielded.contains(op))
      return kernel.emitOpError("yields a value twice");
    yielded[op] = stores.size();
    storeOfResult.push_back({i, stores.size()});
    stores.push_back(kernel.getInits()[i]);
  }
  // Expensive values that a later pass needs are kept, in the destination of
  // a later result of the same type if there is one that nobody reads before.
  DenseMap<unsigned, Operation *> lodger;
  DenseSet<unsigned> started; // stores that are results which start from them
  for (auto [result, store] : storeOfResult)
    if (isReadByTile(
            kernel.getBody().getArgument(kernel.getInputs().size() + result)))
      started.insert(store);
  for (linalg::LinalgOp op : ops) {
    RowOp &row = info[op];
    if (!row.lane || row.reduces || !isExpensive(op))
      continue;
    bool again = llvm::any_of(op->getUsers(), [&](Operation *user) {
      auto it = info.find(user);
      return it != info.end() && it->second.stage > row.stage;
    });
    if (!again)
      continue;
    if (auto it = yielded.find(op); it != yielded.end()) {
      kept[op] = it->second;
      continue;
    }
    bool placed = false;
    for (auto &[result, store] : yielded)
      if (info[result].stage > row.stage && !lodger.contains(store) &&
          !started.contains(store) &&
          result->getResult(0).getType() == op->getResult(0).getType()) {
        lodger[store] = op;
        kept[op] = store;
        placed = true;
        break;
      }
    if (!placed) {
      SmallVector<OpFoldResult> sizes;
      Value like = outside(op.getDpsInits()[0]);
      if (producer(like))
        continue;
      sizes = tensor::getMixedSizes(b, loc, like);
      kept[op] = stores.size();
      stores.push_back(tensor::EmptyOp::create(
          b, loc, sizes, getElementTypeOrSelf(op->getResult(0).getType())));
    }
  }
  for (unsigned stage = 0; stage <= lastStage; ++stage)
    emitPass(stage);

  SmallVector<Value> results(yield.getNumOperands());
  for (auto [result, store] : storeOfResult)
    results[result] = stores[store];
  for (auto [i, value] : llvm::enumerate(yield.getValues())) {
    if (results[i])
      continue;
    linalg::LinalgOp op = producer(value);
    Value scalar = info[op].reduces ? scalars.lookup(op) : emitScalar(op);
    Value init = kernel.getInits()[i];
    SmallVector<Value> zeros(cast<RankedTensorType>(init.getType()).getRank(),
                             constant(0));
    results[i] = tensor::InsertOp::create(b, loc, scalar, init, zeros);
  }
  return results;
}

FailureOr<SmallVector<Value>> vortex::emitRowPasses(OpBuilder &b,
                                                    MicroKernelOp kernel) {
  return RowEmitter(b, kernel).run();
}
