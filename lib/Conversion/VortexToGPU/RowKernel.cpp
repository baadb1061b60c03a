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
// and arithmetic is idle here.
//
// A lane has groups of elements under way: those of a group lie beside each
// other in memory, and operands that have them so are loaded and stored a group
// at a time. All that a step writes is computed before any of it is stored,
// since a store keeps back the loads behind it.
//
// Where lanes hold a row, they have all of it in one step, and what is loaded
// or computed of it once is known in all that follows. Lanes past its end load
// its last group again.
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

#include "vortex/Dialect/Vortex/IR/LaneOperands.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace vortex;

namespace {
class RowEmitter {
public:
  RowEmitter(TilePlan &plan, DeviceKernel &device)
      : plan(plan), device(device), b(device.b), payload(plan.kernel, device),
        place(plan, device), laneAxis(plan.micro.getLaneAxis()),
        unroll(std::max<int64_t>(plan.micro.getUnroll(), 1)),
        width(std::max<int64_t>(plan.micro.getVectors(), 1)),
        lanes(plan.lanes * plan.together),
        lane(plan.together > 1 ? place.thread : place.lane) {
    if (plan.together > 1)
      shared = getSharedMemory(b, device.function);
    if (width == 1)
      return;
    for (const LaneOperand &operand : findLaneOperands(plan.kernel, laneAxis))
      wide.insert(operand.position);
    payload.setLoader([&](BlockArgument operand, ArrayRef<Int> at) {
      return loadGroup(operand, at);
    });
  }
  LogicalResult emit();

private:
  Int number(int64_t x) { return device.number(x); }
  LogicalResult verify();
  bool walksLanes(Value value);
  SmallVector<Int> at(Value value, ArrayRef<Int> axes);
  Value reduce(linalg::LinalgOp op, ArrayRef<Int> axes);
  Value reduceLanes(linalg::LinalgOp op, ArrayRef<Int> axes, Value partial);
  /// Elements of the lanes' axis that lie beside each other.
  using Group = SmallVector<Int>;
  using Body =
      llvm::function_ref<SmallVector<Value>(ArrayRef<Group>, ValueRange)>;
  SmallVector<Value> walkLanes(Value carried, Body body);
  SmallVector<Group> makeGroups(Int start, int64_t count);
  void holdRow();
  Value loadGroup(BlockArgument operand, ArrayRef<Int> at);
  void storeGroup(unsigned result, ArrayRef<Int> axes, const Group &group,
                  ArrayRef<Value> elements);
  Value butterfly(linalg::LinalgOp op, Value partial);
  Value joinWarps(linalg::LinalgOp op, Value partial);
  void computeRow(ArrayRef<Int> axes);
  void storeRow(ArrayRef<unsigned> results, ArrayRef<Int> axes);
  void storeLanes(ArrayRef<unsigned> results, ArrayRef<Int> axes);

  TilePlan &plan;
  DeviceKernel &device;
  ImplicitLocOpBuilder &b;
  PayloadEmitter payload;
  TilePlace place;
  int64_t laneAxis, unroll;
  int64_t width;          ///< elements of a group
  int64_t lanes;          ///< side by side along a row
  Int lane;               ///< this one of them
  Value shared;           ///< partial results of warps that share a row
  int64_t reductions = 0; ///< joined so far
  Int first, last;        ///< of the lanes' axis: what this warp has
  llvm::SmallDenseSet<unsigned> wide; ///< operands that have groups together
  /// The groups met so far, by each of their elements.
  llvm::DenseMap<Value, std::pair<unsigned, unsigned>> places;
  SmallVector<Group> groups;
  SmallVector<Group> held;   ///< what this lane has of the row it holds
  SmallVector<Value> inside; ///< which of them are in front of the row's end
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

/// `count` groups of this lane, the first of which starts at `start`.
SmallVector<RowEmitter::Group> RowEmitter::makeGroups(Int start,
                                                      int64_t count) {
  SmallVector<Group> made(count);
  for (int64_t g = 0; g < count; ++g)
    for (int64_t i = 0; i < width; ++i)
      made[g].push_back(start + (g * lanes * width + i));
  return made;
}

/// Makes the groups of a row that lanes hold.
void RowEmitter::holdRow() {
  Int end = last - number(width);
  for (const Group &group : makeGroups(lane * width, unroll)) {
    inside.push_back(group[0] < last);
    Int start = group[0].atMost(end);
    held.push_back(makeGroups(start, 1)[0]);
  }
}

/// The element of `operand` at `at` with all others of its group, which are
/// remembered; null where that has no group in memory.
Value RowEmitter::loadGroup(BlockArgument operand, ArrayRef<Int> at) {
  if (!wide.contains(operand.getArgNumber()) || at.empty())
    return Value();
  auto it = places.find(at.back().value);
  if (it == places.end())
    return Value();
  const Group group = groups[it->second.first];
  SmallVector<Int> coordinates(at);
  coordinates.back() = group[0];
  Type element = getElementTypeOrSelf(operand.getType()),
       memory = getMemoryType(element);
  auto type = VectorType::get(width, memory);
  unsigned position = operand.getArgNumber();
  Value several = LLVM::LoadOp::create(
      b, type,
      device.move(device.operands[position],
                  device.offset(position, coordinates), element),
      width * memory.getIntOrFloatBitWidth() / 8);
  Value wanted;
  for (auto [i, place] : llvm::enumerate(group)) {
    Value one = vector::ExtractOp::create(b, several, static_cast<int64_t>(i));
    if (memory != element)
      one = arith::BitcastOp::create(b, element, one);
    coordinates.back() = place;
    payload.remember(operand, coordinates, one);
    if (i == it->second.second)
      wanted = one;
  }
  return wanted;
}

/// Runs `body` for the groups of the lanes' axis that this lane has, as many at
/// once as are under way. Each of those has a carried value of its own, the
/// first of which is `carried`; null: there are none.
SmallVector<Value> RowEmitter::walkLanes(Value carried, Body body) {
  SmallVector<Value> state;
  if (carried)
    state.assign(unroll, carried);
  auto meet = [&](ArrayRef<Group> met) {
    for (const Group &group : met) {
      for (auto [i, element] : llvm::enumerate(group))
        places[element.value] = {static_cast<unsigned>(groups.size()),
                                 static_cast<unsigned>(i)};
      groups.push_back(group);
    }
  };
  if (plan.held) {
    meet(held);
    return body(held, state);
  }
  int64_t step = lanes * width;
  // Whole steps need no predicate.
  Int length = last - first, start = lane * width;
  Int whole = first + (length / (step * unroll)) * (step * unroll);
  auto walk = [&](Int from, Int to, int64_t count, ValueRange in) {
    auto loop = scf::ForOp::create(b, (from + start).value, to.value,
                                   number(step * count).value, in);
    OpBuilder::InsertionGuard guard(b);
    PayloadEmitter::Scope scope(payload);
    b.setInsertionPointToStart(loop.getBody());
    SmallVector<Group> made = makeGroups({&b, loop.getInductionVar()}, count);
    meet(made);
    SmallVector<Value> next = body(made, loop.getRegionIterArgs());
    if (!next.empty())
      scf::YieldOp::create(b, next);
    return llvm::to_vector_of<Value>(loop.getResults());
  };
  state = walk(first, whole + start, unroll, state);
  SmallVector<Value> rest =
      walk(whole, last, 1, ValueRange(state).take_front(carried ? 1 : 0));
  llvm::copy(rest, state.begin());
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
      walkLanes(neutral, [&](ArrayRef<Group> groups, ValueRange carried) {
        SmallVector<Value> next(carried);
        for (auto [group, sum] : llvm::zip(groups, next))
          for (Int element : group) {
            loops[laneAxis] = element;
            sum = payload.apply(
                op, ArrayRef(loops).take_front(op.getNumLoops()), sum);
          }
        return next;
      });
  for (auto [sum, some] : llvm::zip(partials, inside))
    sum = arith::SelectOp::create(b, some, sum, neutral);
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

/// Stores what each row has one of.
void RowEmitter::storeRow(ArrayRef<unsigned> results, ArrayRef<Int> axes) {
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

/// Stores `elements`, which the result has at `group` of the row at `axes`.
void RowEmitter::storeGroup(unsigned result, ArrayRef<Int> axes,
                            const Group &group, ArrayRef<Value> elements) {
  unsigned operand = plan.kernel.getInputs().size() + result;
  Value value = cast<YieldOp>(plan.kernel.getPayload().front().back())
                    .getValues()[result];
  Type type = elements[0].getType(), memory = getMemoryType(type);
  SmallVector<Int> loops(axes);
  auto pointer = [&](Int element) {
    loops[laneAxis] = element;
    return device.move(device.operands[operand],
                       device.offset(operand, at(value, loops)), type);
  };
  if (width == 1 || !wide.contains(operand)) {
    for (auto [element, place] : llvm::zip(elements, group))
      storeElement(b, element, pointer(place));
    return;
  }
  SmallVector<Value> bits(elements);
  if (memory != type)
    for (Value &element : bits)
      element = arith::BitcastOp::create(b, memory, element);
  auto several =
      vector::FromElementsOp::create(b, VectorType::get(width, memory), bits);
  LLVM::StoreOp::create(b, several, pointer(group[0]),
                        width * memory.getIntOrFloatBitWidth() / 8);
}

/// Stores what is as long as a row.
void RowEmitter::storeLanes(ArrayRef<unsigned> results, ArrayRef<Int> axes) {
  auto yield = cast<YieldOp>(plan.kernel.getPayload().front().back());
  SmallVector<Int> loops(axes);
  walkLanes({}, [&](ArrayRef<Group> groups, ValueRange) {
    SmallVector<SmallVector<Value>> elements;
    for (const Group &group : groups)
      for (unsigned result : results) {
        Value value = yield.getValues()[result];
        auto &made = elements.emplace_back();
        for (Int element : group) {
          loops[laneAxis] = element;
          made.push_back(payload.element(value, at(value, loops)));
        }
      }
    ArrayRef<SmallVector<Value>> next = elements;
    for (auto [i, group] : llvm::enumerate(groups)) {
      OpBuilder::InsertionGuard guard(b);
      // What one place computes of an index is not known beside it.
      PayloadEmitter::Scope scope(payload);
      if (plan.held)
        b.setInsertionPointToStart(
            scf::IfOp::create(b, inside[i], /*withElseRegion=*/false)
                .thenBlock());
      for (unsigned result : results) {
        storeGroup(result, axes, group, next.front());
        next = next.drop_front();
      }
    }
    return SmallVector<Value>();
  });
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
  if (plan.held)
    holdRow();
  computeRow(axes);

  SmallVector<unsigned> rows, runs;
  auto yield = cast<YieldOp>(plan.kernel.getPayload().front().back());
  for (auto [i, value] : llvm::enumerate(yield.getValues()))
    (walksLanes(value) ? runs : rows).push_back(i);
  if (!runs.empty())
    storeLanes(runs, axes);
  if (!rows.empty()) {
    // Every lane has what the row has one of.
    b.setInsertionPointToStart(
        scf::IfOp::create(b, lane == number(0), /*withElseRegion=*/false)
            .thenBlock());
    storeRow(rows, axes);
  }
  return success();
}

LogicalResult vortex::emitRowKernel(TilePlan &plan, DeviceKernel &device) {
  LogicalResult emitted = RowEmitter(plan, device).emit();
  device.b.setInsertionPointToEnd(&device.function.getBody().front());
  LLVM::ReturnOp::create(device.b, ValueRange{});
  return emitted;
}
