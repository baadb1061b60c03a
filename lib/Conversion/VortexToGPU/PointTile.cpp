//===- PointTile.cpp - The elements that a thread makes --------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PointTile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

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
  for (auto [point, values] : llvm::zip(points, elements)) {
    OpBuilder::InsertionGuard guard(b);
    if (point.inside)
      b.setInsertionPointToStart(
          scf::IfOp::create(b, point.inside, /*withElseRegion=*/false)
              .thenBlock());
    for (auto [i, value] : llvm::enumerate(values)) {
      unsigned operand = kernel.getInputs().size() + i;
      storeElement(b, value,
                   device.move(device.operands[operand],
                               device.offset(operand, resultAt(point)),
                               value.getType()));
    }
  }
}
