//===- WindowSteps.cpp - A ring's walk over a window ------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An odometer: a step costs additions and selections, no division. All threads
// of a block count alike.
//
//===----------------------------------------------------------------------===//

#include "WindowSteps.h"

#include "PayloadEmitter.h"

using namespace mlir;
using namespace vortex;

WindowSteps::WindowSteps(const ContractionPlan &plan, DeviceKernel &device,
                         Int begin, Int end)
    : plan(plan), device(device), begin(begin), inner(end) {
  ImplicitLocOpBuilder &b = device.b;
  for (unsigned axis : plan.outer)
    extents.push_back(device.extents[axis]);
  Int one = device.number(1);
  if (plan.next) {
    Value merged;
    for (const TileOperand *operand : {&plan.a, &plan.b}) {
      Value row = b.createOrFold<arith::MulIOp>(offsetAt(*operand, plan.k, one),
                                                inner.wide());
      Value follows = b.createOrFold<arith::CmpIOp>(
          arith::CmpIPredicate::eq, offsetAt(*operand, *plan.next, one), row);
      merged =
          merged ? b.createOrFold<arith::AndIOp>(merged, follows) : follows;
    }
    Int &extent =
        extents[llvm::find(plan.outer, *plan.next) - plan.outer.begin()];
    inner = (inner * extent).select(merged, inner);
    extent = one.select(merged, extent);
  }
  total = (inner - begin + (plan.blockK - 1)) / plan.blockK;
  for (Int extent : extents)
    total = total * extent;
  // Nothing is read where there is no step.
  if (!extents.empty())
    extents[0] = device.number(0).select(total == device.number(0), extents[0]);
}

WindowSteps::At WindowSteps::first() {
  At at;
  at.outer.assign(extents.size(), device.number(0));
  at.k = begin;
  return at;
}

Int WindowSteps::nextK(Int k) {
  Int next = k + plan.blockK;
  return extents.empty() ? next : next.select(next < inner, begin);
}

WindowSteps::At WindowSteps::next(const At &at) {
  At next = at;
  next.k = nextK(at.k);
  if (extents.empty())
    return next;
  Int zero = device.number(0), one = device.number(1);
  Int carry = zero.select(at.k + plan.blockK < inner, one);
  for (size_t i = extents.size(); i-- > 0;) {
    Int moved = at.outer[i] + carry;
    next.outer[i] = moved;
    if (i == 0) // the last step is known by the first axis
      break;
    Value ended = moved == extents[i];
    next.outer[i] = zero.select(ended, moved);
    carry = one.select(ended, zero);
  }
  return next;
}

Int WindowSteps::limit(const At &at) {
  if (extents.empty())
    return inner;
  return inner.select(at.outer[0] < extents[0], device.number(0));
}

Value WindowSteps::offsetAt(const TileOperand &operand, ArrayRef<unsigned> axes,
                            ArrayRef<Int> points) {
  SmallVector<Int> loops(operand.map.getNumDims(), device.number(0));
  for (auto [axis, point] : llvm::zip(axes, points))
    loops[axis] = point;
  AffineMap map = operand.map;
  return device.offset(
      operand.position,
      PayloadEmitter(plan.kernel, device).coordinates(map, loops));
}

Value WindowSteps::moved(const TileOperand &operand, const At &at) {
  SmallVector<unsigned> axes(plan.outer);
  SmallVector<Int> points(at.outer);
  axes.push_back(plan.k);
  points.push_back(at.k);
  return offsetAt(operand, axes, points);
}
