//===- PointTile.cpp - The elements that a thread makes --------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PointTile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace vortex;

LogicalResult PointTile::verify() {
  if (failed(payload.verify()))
    return failure();
  for (auto op : kernel.getPayload().front().getOps<linalg::LinalgOp>())
    if (op != anchor && op.getNumReductionLoops() != 0)
      return op->emitOpError("reduces; only the anchor may do so here");
  AffineMap out = anchor.getIndexingMapsArray().back();
  auto yield = cast<YieldOp>(kernel.getPayload().front().back());
  for (Value value : yield.getValues()) {
    auto op = value.getDefiningOp<linalg::LinalgOp>();
    if (!op)
      return kernel.emitOpError("yields what no linalg op computes");
    AffineMap map = op.getIndexingMapsArray().back();
    if (op != anchor &&
        (!map.isIdentity() || map.getNumResults() != out.getNumResults()))
      return op->emitOpError("is yielded, and does not walk the result of the "
                             "anchor element by element");
  }
  return success();
}

void PointTile::setCoordinates(Point &point, const Side &side, Int coordinate) {
  if (side.joined.empty()) {
    point.axes[side.axis] = coordinate;
    return;
  }
  for (auto [axis, at] :
       llvm::zip(side.joined, device.divide(side.joined, coordinate)))
    point.axes[axis] = at;
}

void PointTile::make(ArrayRef<Side> newSides) {
  sides.assign(newSides.begin(), newSides.end());
  points.assign(1, Point());
  points[0].axes.resize(kernel.getAxes().size());
  for (const Side &side : sides) {
    Int extent = side.joined.empty() ? device.extents[side.axis]
                                     : device.countPoints(side.joined);
    Int end = extent - device.number(1);
    SmallVector<std::pair<Int, Value>> along;
    for (int64_t i = 0; i < side.count; ++i) {
      Int coordinate = side.origin + (i / side.run * side.step + i % side.run);
      if (side.bounded)
        along.push_back({coordinate, Value()});
      else
        along.push_back({coordinate.atMost(end), coordinate < extent});
    }
    SmallVector<Point> wider;
    for (const Point &point : points)
      for (auto [coordinate, inside] : along) {
        Point &next = wider.emplace_back(point);
        setCoordinates(next, side, coordinate);
        if (inside)
          next.inside = next.inside
                            ? b.createOrFold<arith::AndIOp>(next.inside, inside)
                            : inside;
      }
    points = wider;
  }
}

/// Makes the points again, from numbers that the optimizer takes for others:
/// it would keep a coordinate and an address of each in registers through the
/// reduction, which needs those registers for sums.
void PointTile::hidePlaces() {
  SmallVector<Side> hidden = sides;
  for (Side &side : hidden) {
    side.origin = {&b, device.ops->hide(b, side.origin.value)};
  }
  make(hidden);
}

SmallVector<Int> PointTile::resultAt(const Point &point) {
  return payload.coordinates(anchor.getIndexingMapsArray().back(), point.axes);
}

SmallVector<Value> PointTile::start() {
  return llvm::map_to_vector(points, [&](const Point &point) {
    return payload.element(anchor.getDpsInits()[0], resultAt(point));
  });
}

/// Neighbours of a row of the results that a thread has; 1 for none. Shaders
/// have no numbers of pointers, so that they cannot ask where rows begin.
int64_t PointTile::getStoreRun() {
  AffineMap out = anchor.getIndexingMapsArray().back();
  bool columns =
      !sides.empty() && out.getNumResults() != 0 &&
      out.getDimPosition(out.getNumResults() - 1) == sides.back().axis &&
      sides.back().joined.empty();
  return columns && !device.ops->getMostElements() ? sides.back().run : 1;
}

Value PointTile::pointerTo(unsigned result, const Point &point) {
  unsigned operand = kernel.getInputs().size() + result;
  Type element = getElementTypeOrSelf(kernel.getInits()[result].getType());
  return device.move(device.operands[operand],
                     device.offset(operand, resultAt(point)), element);
}

void PointTile::storeOnes(ArrayRef<SmallVector<Value>> elements) {
  for (auto [point, values] : llvm::zip(points, elements)) {
    OpBuilder::InsertionGuard guard(b);
    if (point.inside)
      b.setInsertionPointToStart(
          scf::IfOp::create(b, point.inside, /*withElseRegion=*/false)
              .thenBlock());
    for (auto [i, value] : llvm::enumerate(values))
      storeElement(b, value, pointerTo(i, point));
  }
}

/// Of a run all or none is inside.
void PointTile::storeRuns(ArrayRef<SmallVector<Value>> elements, int64_t run) {
  for (size_t first = 0; first < points.size(); first += run) {
    const Point &point = points[first];
    OpBuilder::InsertionGuard guard(b);
    if (point.inside)
      b.setInsertionPointToStart(
          scf::IfOp::create(b, point.inside, /*withElseRegion=*/false)
              .thenBlock());
    for (size_t result = 0; result < elements[first].size(); ++result) {
      Type element = elements[first][result].getType();
      Type memory = getMemoryType(element);
      SmallVector<Value> values;
      for (int64_t i = 0; i < run; ++i) {
        Value value = elements[first + i][result];
        if (memory != element)
          value = arith::BitcastOp::create(b, memory, value);
        values.push_back(value);
      }
      Value several = vector::FromElementsOp::create(
          b, VectorType::get(run, memory), values);
      LLVM::StoreOp::create(b, several, pointerTo(result, point),
                            run * element.getIntOrFloatBitWidth() / 8);
    }
  }
}

void PointTile::store(ArrayRef<Value> sums) {
  if (!sums.empty())
    hidePlaces();
  for (auto [point, sum] : llvm::zip(points, sums))
    payload.remember(anchor->getResult(0), resultAt(point), sum);
  // All elements are made before any is written in place of an operand.
  auto yield = cast<YieldOp>(kernel.getPayload().front().back());
  SmallVector<SmallVector<Value>> elements;
  for (const Point &point : points)
    elements.push_back(llvm::map_to_vector(yield.getValues(), [&](Value value) {
      return payload.element(value, resultAt(point));
    }));
  int64_t run = getStoreRun();
  if (run == 1) {
    storeOnes(elements);
    return;
  }
  Value whole;
  for (auto [i, value] : llvm::enumerate(elements[0])) {
    Value holds = device.holdsRuns(kernel.getInputs().size() + i,
                                   device.extents[sides.back().axis], run,
                                   value.getType().getIntOrFloatBitWidth() / 8);
    whole = whole ? b.createOrFold<arith::AndIOp>(whole, holds) : holds;
  }
  auto runs = scf::IfOp::create(b, whole, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  {
    PayloadEmitter::Scope scope(payload);
    b.setInsertionPointToStart(runs.thenBlock());
    storeRuns(elements, run);
  }
  PayloadEmitter::Scope scope(payload);
  b.setInsertionPointToStart(runs.elseBlock());
  storeOnes(elements);
}
