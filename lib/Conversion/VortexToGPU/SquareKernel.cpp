//===- SquareKernel.cpp - Blocks that transpose a square --------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elementwise chains with an operand whose neighbours in memory lie along the
// rows of the result. A block has as many rows as a warp has lanes. Its warps
// first read such operands column by column, lanes along the rows, into shared
// memory, then make the result row by row, lanes along the columns: both touch
// whole sectors. Columns of shared memory are a word apart from a multiple of
// its banks, so that lanes read a row without conflicts.
//
//===----------------------------------------------------------------------===//

#include "DeviceModule.h"
#include "PayloadEmitter.h"
#include "TileKernels.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace vortex;

namespace {
class SquareEmitter {
public:
  SquareEmitter(TilePlan &plan, DeviceKernel &device)
      : plan(plan), device(device), b(device.b), payload(plan.kernel, device),
        place(plan, device), crossed(plan.findCrossed()),
        shared(getSharedMemory(b, device.function)) {}
  LogicalResult emit();

private:
  LogicalResult verify();
  void bring();
  void store(int64_t i);
  Value placeOf(const CrossedOperand &operand, Int column, Int row);

  TilePlan &plan;
  DeviceKernel &device;
  ImplicitLocOpBuilder &b;
  PayloadEmitter payload;
  TilePlace place;
  SmallVector<CrossedOperand> crossed;
  Value shared;
  unsigned rowAxis = 0, laneAxis = 0;
  int64_t share = 0; ///< rows, and columns to read, of a warp
  Int skipped;       ///< those of the warps in front of this one
};
} // namespace

LogicalResult SquareEmitter::verify() {
  if (failed(payload.verify()))
    return failure();
  int64_t lane = plan.micro.getLaneAxis(), axes = plan.block.size();
  if (lane < 0 || lane >= axes || plan.warpAxes.size() != 1 ||
      plan.warpAxes[0] == lane || plan.block[lane] != plan.lanes ||
      plan.block[plan.warpAxes[0]] != plan.lanes)
    return plan.candidate.emitOpError()
           << "must have a square of " << plan.lanes
           << " rows, divided among warps, by as many columns in lanes";
  for (auto op : plan.kernel.getPayload().front().getOps<linalg::LinalgOp>()) {
    if (isa<linalg::FillOp>(op.getOperation()))
      continue;
    if (op.getNumReductionLoops() || op.getNumLoops() != axes ||
        !op.getIndexingMapsArray().back().isPermutation())
      return op->emitOpError("is not elementwise on the kernel's axes");
  }
  for (Value value : plan.kernel.getPayload().front().back().getOperands())
    if (!value.getDefiningOp<linalg::LinalgOp>())
      return plan.kernel.emitOpError("yields what no linalg op computes");
  for (auto [axis, tile] : llvm::enumerate(plan.block))
    if (tile == 0 || (tile != 1 && int64_t(axis) != lane &&
                      int64_t(axis) != plan.warpAxes[0]))
      return plan.candidate.emitOpError()
             << "must walk axis " << plan.kernel.getAxes()[axis]
             << " one by one";
  return success();
}

Value SquareEmitter::placeOf(const CrossedOperand &operand, Int column,
                             Int row) {
  Int at = column * operand.pitch + row * operand.bytes + operand.start;
  return device.move(shared, at.value, b.getI8Type());
}

/// Past an edge the last element is read again.
void SquareEmitter::bring() {
  SmallVector<Int> axes = place.origin;
  auto last = [&](unsigned axis) {
    return device.extents[axis] - device.number(1);
  };
  axes[rowAxis] =
      (place.origin[rowAxis] - skipped + place.lane).atMost(last(rowAxis));
  SmallVector<std::pair<Value, Value>> copies;
  for (int64_t i = 0; i < share; ++i) {
    Int column = skipped + i;
    axes[laneAxis] = (place.origin[laneAxis] + column).atMost(last(laneAxis));
    for (const CrossedOperand &operand : crossed)
      copies.push_back({payload.element(operand.value,
                                        payload.coordinates(operand.map, axes)),
                        placeOf(operand, column, place.lane)});
  }
  for (auto [element, into] : copies)
    storeElement(b, element, into);
  device.ops->barrier(b);
}

/// All elements of a row's lane are made before any is written.
void SquareEmitter::store(int64_t i) {
  SmallVector<Int> axes = place.origin;
  axes[rowAxis] = place.origin[rowAxis] + i;
  axes[laneAxis] = place.origin[laneAxis] + place.lane;
  Value inside =
      b.createOrFold<arith::AndIOp>(axes[rowAxis] < device.extents[rowAxis],
                                    axes[laneAxis] < device.extents[laneAxis]);
  OpBuilder::InsertionGuard guard(b);
  PayloadEmitter::Scope scope(payload);
  b.setInsertionPointToStart(
      scf::IfOp::create(b, inside, /*withElseRegion=*/false).thenBlock());
  for (const CrossedOperand &operand : crossed)
    payload.remember(operand.value, payload.coordinates(operand.map, axes),
                     loadElement(b, getElementTypeOrSelf(operand.value),
                                 placeOf(operand, place.lane, skipped + i)));
  auto yield = cast<YieldOp>(plan.kernel.getPayload().front().back());
  SmallVector<Value> elements;
  SmallVector<SmallVector<Int>> at;
  for (Value value : yield.getValues()) {
    AffineMap out =
        value.getDefiningOp<linalg::LinalgOp>().getIndexingMapsArray().back();
    at.push_back(payload.coordinates(out, axes));
    elements.push_back(payload.element(value, at.back()));
  }
  for (auto [result, element] : llvm::enumerate(elements)) {
    unsigned operand = plan.kernel.getInputs().size() + result;
    storeElement(b, element,
                 device.move(device.operands[operand],
                             device.offset(operand, at[result]),
                             element.getType()));
  }
}

LogicalResult SquareEmitter::emit() {
  if (failed(verify()))
    return failure();
  rowAxis = plan.warpAxes[0];
  laneAxis = plan.micro.getLaneAxis();
  share = plan.warp[rowAxis];
  skipped = place.thread / plan.lanes * share;
  bring();
  for (int64_t i = 0; i < share; ++i)
    store(i);
  LLVM::ReturnOp::create(b, ValueRange{});
  return success();
}

LogicalResult vortex::emitSquareKernel(TilePlan &plan, DeviceKernel &device) {
  return SquareEmitter(plan, device).emit();
}
