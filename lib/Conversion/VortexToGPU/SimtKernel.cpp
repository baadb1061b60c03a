//===- SimtKernel.cpp - Contractions on scalar units -----------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One block computes a tile of the result from tiles of A and B in a ring of
// shared memory. The lanes of a warp have the columns of its tile, each all of
// its rows, so that an element of A goes to all lanes at once. Where a tile has
// the reduction innermost, a lane reads several steps of it at a time. Steps
// past the end of the reduction are not run: what is combined may be anything.
//
//===----------------------------------------------------------------------===//

#include "PointTile.h"
#include "TilePlan.h"
#include "TileRing.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace vortex;

namespace {
class SimtEmitter {
public:
  SimtEmitter(ContractionPlan &plan, DeviceKernel &device)
      : plan(plan), device(device), b(device.b),
        tile(plan.kernel, plan.anchor, device), place(plan, device),
        rows(plan.warpM), columns(plan.warpN / plan.lanes) {}
  LogicalResult emit();

private:
  Int number(int64_t x) { return device.number(x); }
  void makePoints();
  SmallVector<Value> loadSteps(const TileOperand &operand, Int stage, Int place,
                               Int step, int64_t count);
  SmallVector<Value> multiplySteps(ArrayRef<Value> sums, Int stage, Int step,
                                   int64_t count);
  SmallVector<Value> multiply(SmallVector<Value> sums, Int stage, Int k);

  ContractionPlan &plan;
  DeviceKernel &device;
  ImplicitLocOpBuilder &b;
  PointTile tile;
  ContractionPlace place;
  int64_t rows, columns; ///< of a thread
  TileRing *ring = nullptr;
};
} // namespace

void SimtEmitter::makePoints() {
  SmallVector<PointTile::Side> sides;
  for (auto [axis, coordinate] : llvm::zip(plan.batch, place.batch))
    sides.push_back({axis, coordinate, 1, 1, /*bounded=*/true});
  sides.push_back({plan.m, place.m0 + place.warpM, rows, 1, false, plan.rows});
  sides.push_back({plan.n, place.n0 + place.warpN + place.lane, columns,
                   plan.lanes, false});
  tile.make(sides);
}

/// Elements of `operand` at `count` steps from `step` on, in the tile's row or
/// column `place`.
SmallVector<Value> SimtEmitter::loadSteps(const TileOperand &operand, Int stage,
                                          Int place, Int step, int64_t count) {
  SmallVector<Value> elements;
  if (!operand.reductionInner) {
    for (int64_t i = 0; i < count; ++i)
      elements.push_back(
          loadElement(b, operand.element,
                      ring->elementAt(operand, stage, step + i, place)));
    return elements;
  }
  int64_t run = std::min(count, kChunkBytes / operand.elementBytes());
  Type memory = getMemoryType(operand.element);
  auto type = VectorType::get(run, memory);
  for (int64_t i = 0; i < count; i += run) {
    Value pointer = ring->elementAt(operand, stage, place, step + i);
    if (run == 1) {
      elements.push_back(loadElement(b, operand.element, pointer));
      continue;
    }
    Value several =
        LLVM::LoadOp::create(b, type, pointer, run * operand.elementBytes());
    for (int64_t j = 0; j < run; ++j) {
      Value element = vector::ExtractOp::create(b, several, j);
      if (memory != operand.element)
        element = arith::BitcastOp::create(b, operand.element, element);
      elements.push_back(element);
    }
  }
  return elements;
}

SmallVector<Value> SimtEmitter::multiplySteps(ArrayRef<Value> sums, Int stage,
                                              Int step, int64_t count) {
  SmallVector<Value> next(sums);
  SmallVector<SmallVector<Value>> right;
  for (int64_t j = 0; j < columns; ++j)
    right.push_back(loadSteps(
        plan.b, stage, place.warpN + place.lane + j * plan.lanes, step, count));
  for (int64_t i = 0; i < rows; ++i) {
    SmallVector<Value> left =
        loadSteps(plan.a, stage, place.warpM + i, step, count);
    for (int64_t j = 0; j < columns; ++j)
      for (int64_t s = 0; s < count; ++s) {
        Value &sum = next[i * columns + j];
        sum =
            tile.getPayload().applyTo(plan.anchor, {left[s], right[j][s], sum});
      }
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
