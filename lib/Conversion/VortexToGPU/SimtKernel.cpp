//===- SimtKernel.cpp - Contractions on scalar units -----------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One block computes a tile of the result from tiles of A and B in a ring of
// shared memory. The lanes of a warp are rows and columns of its tile, each
// with as many rows and columns of elements; those that the same lanes read
// are read once. What a lane reads at a time is 16 bytes: steps of a row or
// column where the tile has the reduction innermost, else neighbours at a step,
// which a lane has for that. Steps past the end of the reduction are not run:
// what is combined may be anything.
//
//===----------------------------------------------------------------------===//

#include "PointTile.h"
#include "TilePlan.h"
#include "TileRing.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace mlir;
using namespace vortex;

namespace {
class SimtEmitter {
public:
  SimtEmitter(ContractionPlan &plan, DeviceKernel &device)
      : plan(plan), device(device), b(device.b),
        tile(plan.kernel, plan.anchor, device), place(plan, device) {}
  LogicalResult emit();

private:
  /// Rows of A's tile, or columns of B's, that a thread has.
  struct Places {
    const TileOperand &operand;
    Int first;     ///< in the tile of a block
    int64_t count; ///< in runs of `run`, which begin `step` apart
    int64_t run, step;
    int64_t at(int64_t i) const { return i / run * step + i % run; }
  };
  Int number(int64_t x) { return device.number(x); }
  Places divide(const TileOperand &operand, Int warp, int64_t extent, Int lane,
                int64_t lanes);
  void makePoints();
  SmallVector<Value> load(const TileOperand &operand, Value pointer,
                          int64_t count);
  SmallVector<Value> loadSteps(const Places &places, int64_t i, Int stage,
                               Int step, int64_t count);
  SmallVector<Value> loadPlaces(const Places &places, Int stage, Int step,
                                int64_t on);
  SmallVector<Value> multiplySteps(ArrayRef<Value> sums, Int stage, Int step,
                                   int64_t count);
  SmallVector<Value> multiply(SmallVector<Value> sums, Int stage, Int k);

  ContractionPlan &plan;
  DeviceKernel &device;
  ImplicitLocOpBuilder &b;
  PointTile tile;
  ContractionPlace place;
  std::optional<Places> rows, columns;
  TileRing *ring = nullptr;
};
} // namespace

/// The places of lane number `lane` of `lanes` along `extent` of a warp.
SimtEmitter::Places SimtEmitter::divide(const TileOperand &operand, Int warp,
                                        int64_t extent, Int lane,
                                        int64_t lanes) {
  int64_t count = extent / lanes, run = 1;
  if (!operand.reductionInner) {
    run = std::gcd(count, kChunkBytes / operand.elementBytes());
    if (int64_t most = device.ops->getMostElements())
      run = std::min(run, most);
  }
  return {operand, warp + lane * run, count, run, lanes * run};
}

void SimtEmitter::makePoints() {
  LaneGrid lanes = divideLanes(plan.warpM, plan.warpN, plan.lanes);
  // Lanes beside each other have one column, and those two apart one row:
  // shared memory answers such lanes of half a warp together.
  Int laneM = number(0), laneN = place.lane;
  if (lanes.n == 1) {
    laneM = place.lane;
    laneN = number(0);
  } else if (lanes.m > 1) {
    laneM = place.lane % 2 + place.lane / (2 * lanes.n) * 2;
    laneN = place.lane / 2 % lanes.n;
  }
  rows.emplace(divide(plan.a, place.warpM, plan.warpM, laneM, lanes.m));
  columns.emplace(divide(plan.b, place.warpN, plan.warpN, laneN, lanes.n));
  SmallVector<PointTile::Side> sides;
  for (auto [axis, coordinate] : llvm::zip(plan.batch, place.batch))
    sides.push_back({axis, coordinate, 1, 1, /*bounded=*/true});
  sides.push_back({plan.m, place.m0 + rows->first, rows->count, rows->step,
                   /*bounded=*/false, plan.rows, rows->run});
  sides.push_back({plan.n,
                   place.n0 + columns->first,
                   columns->count,
                   columns->step,
                   /*bounded=*/false,
                   {},
                   columns->run});
  tile.make(sides);
}

/// `count` elements from `pointer` on, at once.
SmallVector<Value> SimtEmitter::load(const TileOperand &operand, Value pointer,
                                     int64_t count) {
  if (count == 1)
    return {loadElement(b, operand.element, pointer)};
  SmallVector<Value> elements;
  Type memory = getMemoryType(operand.element);
  Value several = LLVM::LoadOp::create(b, VectorType::get(count, memory),
                                       pointer, count * operand.elementBytes());
  for (int64_t i = 0; i < count; ++i) {
    Value element = vector::ExtractOp::create(b, several, i);
    if (memory != operand.element)
      element = arith::BitcastOp::create(b, operand.element, element);
    elements.push_back(element);
  }
  return elements;
}

/// Elements at `count` steps from `step` on, in place number `i` of a tile that
/// has the reduction innermost.
SmallVector<Value> SimtEmitter::loadSteps(const Places &places, int64_t i,
                                          Int stage, Int step, int64_t count) {
  const TileOperand &operand = places.operand;
  int64_t run = std::min(count, kChunkBytes / operand.elementBytes());
  SmallVector<Value> elements;
  for (int64_t s = 0; s < count; s += run)
    llvm::append_range(elements,
                       load(operand,
                            ring->elementAt(operand, stage, places.first, step,
                                            places.at(i), s),
                            run));
  return elements;
}

/// Elements in all places, `on` steps behind `step`, of a tile that has the
/// reduction outermost.
SmallVector<Value> SimtEmitter::loadPlaces(const Places &places, Int stage,
                                           Int step, int64_t on) {
  const TileOperand &operand = places.operand;
  SmallVector<Value> elements;
  for (int64_t i = 0; i < places.count; i += places.run)
    llvm::append_range(elements,
                       load(operand,
                            ring->elementAt(operand, stage, step, places.first,
                                            on, places.at(i)),
                            places.run));
  return elements;
}

/// Elements are loaded in the order in which products need them, so that few of
/// them take registers: those of one row, or of one step, beside the columns'.
SmallVector<Value> SimtEmitter::multiplySteps(ArrayRef<Value> sums, Int stage,
                                              Int step, int64_t count) {
  SmallVector<Value> next(sums);
  auto multiplyAdd = [&](int64_t i, int64_t j, Value left, Value right) {
    Value &sum = next[i * columns->count + j];
    sum = tile.getPayload().applyTo(plan.anchor, {left, right, sum});
  };
  SmallVector<SmallVector<Value>> right(count); // of each step
  bool wholeColumns = plan.b.reductionInner;
  if (wholeColumns)
    for (int64_t j = 0; j < columns->count; ++j)
      for (auto [s, element] :
           llvm::enumerate(loadSteps(*columns, j, stage, step, count)))
        right[s].push_back(element);
  auto loadRight = [&](int64_t s) {
    if (!wholeColumns)
      right[s] = loadPlaces(*columns, stage, step, s);
  };
  if (plan.a.reductionInner) {
    for (int64_t s = 0; s < count; ++s)
      loadRight(s);
    for (int64_t i = 0; i < rows->count; ++i) {
      SmallVector<Value> left = loadSteps(*rows, i, stage, step, count);
      for (int64_t s = 0; s < count; ++s)
        for (int64_t j = 0; j < columns->count; ++j)
          multiplyAdd(i, j, left[s], right[s][j]);
    }
    return next;
  }
  for (int64_t s = 0; s < count; ++s) {
    loadRight(s);
    SmallVector<Value> left = loadPlaces(*rows, stage, step, s);
    for (int64_t i = 0; i < rows->count; ++i)
      for (int64_t j = 0; j < columns->count; ++j)
        multiplyAdd(i, j, left[i], right[s][j]);
  }
  return next;
}

/// The products of one tile: groups of steps, then single ones.
SmallVector<Value> SimtEmitter::multiply(SmallVector<Value> sums, Int stage,
                                         Int k) {
  int64_t group = plan.unroll;
  Int steps = (ring->getEnd() - k).atMost(number(plan.blockK));
  Int grouped = steps - steps % group;
  for (auto [from, to, count] :
       {std::tuple{number(0), grouped, group}, {grouped, steps, int64_t(1)}}) {
    auto loop =
        scf::ForOp::create(b, from.value, to.value, number(count).value, sums);
    OpBuilder::InsertionGuard guard(b);
    PayloadEmitter::Scope scope(tile.getPayload());
    b.setInsertionPointToStart(loop.getBody());
    scf::YieldOp::create(
        b, multiplySteps(llvm::to_vector_of<Value>(loop.getRegionIterArgs()),
                         stage, {&b, loop.getInductionVar()}, count));
    sums = llvm::to_vector_of<Value>(loop.getResults());
    if (group == 1)
      break;
  }
  return sums;
}

LogicalResult SimtEmitter::emit() {
  if (failed(tile.verify()))
    return failure();
  tile.getPayload().joinProducts(plan.anchor, plan.contract);
  makePoints();
  TileRing filled(plan, device, place);
  ring = &filled;
  SmallVector<Value> start = tile.start();
  tile.store(
      ring->reduce(start, [&](SmallVector<Value> sums, Int stage, Int k) {
        return multiply(std::move(sums), stage, k);
      }));
  LLVM::ReturnOp::create(b, ValueRange{});
  return success();
}

LogicalResult vortex::emitSimtKernel(ContractionPlan &plan,
                                     DeviceKernel &device) {
  return SimtEmitter(plan, device).emit();
}
