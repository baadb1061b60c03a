//===- RowKernel.cpp - Warps with a row each -------------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A row is walked once for each reduction along it and once to store what is
// as long as it. A reduction leaves one number, which all lanes have after a
// butterfly of shuffles; values as long as the row are made of their operands
// again wherever they are read, since what they are made of lies in the caches
// and arithmetic is idle here. A lane has several elements under way.
//
// Where all warps of a block share a row, the lanes of all lie side by side,
// and what the warps have reduced is joined through shared memory, in their
// order.
//
//===----------------------------------------------------------------------===//

#include "DeviceModule.h"
#include "LaneExchange.h"
#include "PayloadEmitter.h"
#include "TileKernels.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace vortex;

namespace {
class RowEmitter {
public:
  RowEmitter(TilePlan &plan, DeviceKernel &device)
      : plan(plan), device(device), b(device.b), payload(plan.kernel, device),
        place(plan, device), laneAxis(plan.micro.getLaneAxis()),
        unroll(std::max<int64_t>(plan.micro.getUnroll(), 1)),
        lanes(plan.lanes * plan.together),
        lane(plan.together > 1 ? place.thread : place.lane) {
    if (plan.together > 1)
      shared = getSharedMemory(b, device.function);
  }
  LogicalResult emit();

private:
  Int number(int64_t x) { return device.number(x); }
  LogicalResult verify();
  bool walksLanes(Value value);
  SmallVector<Int> at(Value value, ArrayRef<Int> axes);
  Value reduce(linalg::LinalgOp op, ArrayRef<Int> axes);
  Value reduceLanes(linalg::LinalgOp op, ArrayRef<Int> axes, Value partial);
  using Body = llvm::function_ref<SmallVector<Value>(Int, ValueRange)>;
  SmallVector<Value> walkLanes(ArrayRef<Value> carried, Body body);
  Value butterfly(linalg::LinalgOp op, Value partial);
  Value joinWarps(linalg::LinalgOp op, Value partial);
  void computeRow(ArrayRef<Int> axes);
  void store(ArrayRef<unsigned> results, ArrayRef<Int> axes);

  TilePlan &plan;
  DeviceKernel &device;
  ImplicitLocOpBuilder &b;
  PayloadEmitter payload;
  TilePlace place;
  int64_t laneAxis, unroll;
  int64_t lanes;          ///< side by side along a row
  Int lane;               ///< this one of them
  Value shared;           ///< partial results of warps that share a row
  int64_t reductions = 0; ///< joined so far
  Int first, last;        ///< of the lanes' axis: what this warp has
};
} // namespace

/// The op of a value and the axes that its dimensions walk.
static AffineMap getOutMap(Value value) {
  return value.getDefiningOp<linalg::LinalgOp>().getIndexingMapsArray().back();
}

bool RowEmitter::walksLanes(Value value) {
  return laneAxis >= 0 && getOutMap(value).isFunctionOfDim(laneAxis);
}

SmallVector<Int> RowEmitter::at(Value value, ArrayRef<Int> axes) {
  return payload.coordinates(getOutMap(value), axes);
}

LogicalResult RowEmitter::verify() {
  if (failed(payload.verify()))
    return failure();
  if (laneAxis >= static_cast<int64_t>(plan.block.size()))
    return plan.candidate.emitOpError("has lanes along an axis that the kernel "
                                      "does not have");
  // Loops of ops are axes by their position: all walk rows, then the lanes.
  for (auto op : plan.kernel.getPayload().front().getOps<linalg::LinalgOp>()) {
    if (isa<linalg::FillOp>(op.getOperation()))
      continue;
    if (op.getNumLoops() > plan.block.size())
      return op->emitOpError("has more loops than the kernel axes");
    SmallVector<unsigned> reductions;
    op.getReductionDims(reductions);
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
      if (loop != laneAxis && !llvm::is_contained(reductions, loop) &&
          !place.origin[loop].value)
        return op->emitOpError()
               << "walks axis " << plan.kernel.getAxes()[loop]
               << ", which neither blocks divide nor lanes lie along";
    if (laneAxis >= 0 && plan.block[laneAxis] && !reductions.empty())
      return op->emitOpError("reduces along a row that blocks divide");
  }
  return success();
}

/// Runs `body` for each element of the lanes' axis that this lane has; each of
/// the `unroll` elements under way has carried values of its own, the first of
/// which are `carried`.
SmallVector<Value> RowEmitter::walkLanes(ArrayRef<Value> carried, Body body) {
  int64_t step = lanes * unroll;
  // Whole steps need no predicate.
  Int length = last - first;
  Int whole = first + (length / step) * step;
  size_t count = carried.size();
  SmallVector<Value> state;
  for (int64_t i = 0; i < unroll; ++i)
    llvm::append_range(state, carried);
  auto loop = scf::ForOp::create(b, (first + lane).value, (whole + lane).value,
                                 number(step).value, state);
  {
    OpBuilder::InsertionGuard guard(b);
    PayloadEmitter::Scope scope(payload);
    b.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> next;
    for (int64_t i = 0; i < unroll; ++i) {
      Int element = Int{&b, loop.getInductionVar()} + i * lanes;
      llvm::append_range(next, body(element, loop.getRegionIterArgs().slice(
                                                 i * count, count)));
    }
    if (count)
      scf::YieldOp::create(b, next);
  }
  state = llvm::to_vector_of<Value>(loop.getResults());
  auto rest = scf::ForOp::create(b, (whole + lane).value, last.value,
                                 number(lanes).value,
                                 ValueRange(state).take_front(count));
  {
    OpBuilder::InsertionGuard guard(b);
    PayloadEmitter::Scope scope(payload);
    b.setInsertionPointToStart(rest.getBody());
    SmallVector<Value> next =
        body({&b, rest.getInductionVar()}, rest.getRegionIterArgs());
    if (count)
      scf::YieldOp::create(b, next);
  }
  llvm::copy(rest.getResults(), state.begin());
  return state;
}

Value RowEmitter::butterfly(linalg::LinalgOp op, Value partial) {
  for (int64_t distance = plan.lanes / 2; distance > 0; distance /= 2)
    partial =
        payload.combine(op, partial, exchangeLanes(device, partial, distance));
  return plan.together > 1 ? joinWarps(op, partial) : partial;
}

/// Each reduction has places of its own, so that one barrier is enough.
Value RowEmitter::joinWarps(linalg::LinalgOp op, Value partial) {
  Type type = partial.getType(), bytes = b.getI8Type();
  int64_t start = reductions++ * plan.together * kPartialBytes;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(scf::IfOp::create(b, place.lane == number(0),
                                                 /*withElseRegion=*/false)
                                   .thenBlock());
    Int at = place.thread / plan.lanes * kPartialBytes + start;
    LLVM::StoreOp::create(b, partial, device.move(shared, at.value, bytes),
                          kPartialBytes);
  }
  device.ops->barrier(b);
  Value sum;
  for (int64_t warp = 0; warp < plan.together; ++warp) {
    Value at = number(start + warp * kPartialBytes).value;
    Value other = LLVM::LoadOp::create(b, type, device.move(shared, at, bytes),
                                       kPartialBytes);
    sum = sum ? payload.combine(op, sum, other) : other;
  }
  return sum;
}

Value RowEmitter::reduceLanes(linalg::LinalgOp op, ArrayRef<Int> axes,
                              Value partial) {
  Value neutral = payload.neutral(op);
  SmallVector<Int> loops(axes);
  SmallVector<Value> partials =
      walkLanes({neutral}, [&](Int element, ValueRange carried) {
        loops[laneAxis] = element;
        return SmallVector<Value>{payload.apply(
            op, ArrayRef(loops).take_front(op.getNumLoops()), carried[0])};
      });
  for (Value other : partials)
    partial = payload.combine(op, partial, other);
  return partial;
}

/// The element of `op`, a reduction, in the row at `axes`.
Value RowEmitter::reduce(linalg::LinalgOp op, ArrayRef<Int> axes) {
  SmallVector<unsigned> others;
  op.getReductionDims(others);
  bool lanes = laneAxis >= 0 && llvm::is_contained(others, laneAxis);
  SmallVector<Int> at = this->at(op->getResult(0), axes);
  if (!lanes)
    return payload.element(op->getResult(0), at);
  llvm::erase(others, static_cast<unsigned>(laneAxis));
  Value partial = payload.nest(
      others, SmallVector<Int>(axes), {payload.neutral(op)},
      [&](ArrayRef<Int> inside, ValueRange carried) {
        return SmallVector<Value>{reduceLanes(op, inside, carried[0])};
      })[0];
  Value start = payload.element(op.getDpsInits()[0], at);
  return payload.combine(op, start, butterfly(op, partial));
}

/// Computes what each row has one of, in order: what reductions leave and what
/// is made of it.
void RowEmitter::computeRow(ArrayRef<Int> axes) {
  for (auto op : plan.kernel.getPayload().front().getOps<linalg::LinalgOp>()) {
    Value result = op->getResult(0);
    if (isa<linalg::FillOp>(op.getOperation()) || walksLanes(result))
      continue;
    if (op.getNumReductionLoops() != 0)
      payload.remember(result, at(result, axes), reduce(op, axes));
    else
      payload.element(result, at(result, axes));
  }
}

void RowEmitter::store(ArrayRef<unsigned> results, ArrayRef<Int> axes) {
  auto yield = cast<YieldOp>(plan.kernel.getPayload().front().back());
  // All elements are made before any is written in place of an operand.
  SmallVector<Value> elements;
  for (unsigned result : results) {
    Value value = yield.getValues()[result];
    elements.push_back(payload.element(value, at(value, axes)));
  }
  for (auto [result, element] : llvm::zip(results, elements)) {
    unsigned operand = plan.kernel.getInputs().size() + result;
    Value value = yield.getValues()[result];
    storeElement(b, element,
                 device.move(device.operands[operand],
                             device.offset(operand, at(value, axes)),
                             element.getType()));
  }
}

LogicalResult RowEmitter::emit() {
  if (failed(verify()))
    return failure();
  SmallVector<Int> axes = place.origin;
  // A warp has rows of its own; those past the end have none.
  Value some;
  for (unsigned axis = 0; axis < axes.size(); ++axis) {
    if (axis == laneAxis || !axes[axis].value || plan.warpsAlong(axis) == 1)
      continue;
    Value inside = axes[axis] < device.extents[axis];
    some = some ? b.createOrFold<arith::AndIOp>(some, inside) : inside;
  }
  if (laneAxis >= 0) {
    last = device.extents[laneAxis];
    first = number(0);
    if (axes[laneAxis].value) {
      // The end may lie in front of the first element that this warp has.
      first = axes[laneAxis].atMost(last);
      last = (first + plan.warp[laneAxis]).atMost(last);
    }
  }
  OpBuilder::InsertionGuard guard(b);
  PayloadEmitter::Scope scope(payload);
  if (some)
    b.setInsertionPointToStart(
        scf::IfOp::create(b, some, /*withElseRegion=*/false).thenBlock());
  computeRow(axes);

  SmallVector<unsigned> rows, runs;
  auto yield = cast<YieldOp>(plan.kernel.getPayload().front().back());
  for (auto [i, value] : llvm::enumerate(yield.getValues()))
    (walksLanes(value) ? runs : rows).push_back(i);
  if (!runs.empty())
    walkLanes({}, [&](Int element, ValueRange) {
      axes[laneAxis] = element;
      store(runs, axes);
      return SmallVector<Value>();
    });
  if (!rows.empty()) {
    // Every lane has what the row has one of.
    b.setInsertionPointToStart(
        scf::IfOp::create(b, lane == number(0), /*withElseRegion=*/false)
            .thenBlock());
    store(rows, axes);
  }
  return success();
}

LogicalResult vortex::emitRowKernel(TilePlan &plan, DeviceKernel &device) {
  LogicalResult emitted = RowEmitter(plan, device).emit();
  device.b.setInsertionPointToEnd(&device.function.getBody().front());
  LLVM::ReturnOp::create(device.b, ValueRange{});
  return emitted;
}
