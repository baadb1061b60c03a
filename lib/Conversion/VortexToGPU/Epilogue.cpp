//===- Epilogue.cpp - Elementwise ops on accumulators ----------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Epilogue.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace vortex;

LogicalResult Epilogue::analyze() {
  auto dimsOf = [](AffineMap map) {
    return llvm::map_to_vector(map.getResults(), [](AffineExpr expr) {
      return cast<AffineDimExpr>(expr).getPosition();
    });
  };
  axesOf[plan.anchor->getResult(0)] =
      dimsOf(plan.anchor.getIndexingMapsArray().back());
  for (linalg::LinalgOp op : plan.epilogue) {
    // Loops take the axes of the values they read that come from here.
    SmallVector<std::optional<unsigned>> axisOfLoop(op.getNumLoops());
    for (OpOperand &operand : op->getOpOperands())
      if (auto it = axesOf.find(operand.get()); it != axesOf.end())
        for (auto [dim, loop] :
             llvm::enumerate(dimsOf(op.getMatchingIndexingMap(&operand))))
          axisOfLoop[loop] = it->second[dim];
    if (!llvm::all_of(axisOfLoop, [](auto axis) { return axis.has_value(); }))
      return op->emitOpError("has a loop that no result of the contraction "
                             "walks");
    auto axes = [&](AffineMap map) {
      return llvm::map_to_vector(
          dimsOf(map), [&](unsigned loop) { return *axisOfLoop[loop]; });
    };
    for (OpOperand &operand : op->getOpOperands()) {
      if (!op.payloadUsesValueFromOperand(&operand) ||
          axesOf.contains(operand.get()))
        continue;
      Value value = operand.get();
      if (!isa<BlockArgument>(value) && !matchPattern(value, m_Constant()))
        return op->emitOpError()
               << "reads operand " << operand.getOperandNumber()
               << ", which is neither an operand of the kernel nor behind the "
                  "contraction";
      loads[&operand] = axes(op.getMatchingIndexingMap(&operand));
    }
    axesOf[op->getResult(0)] = axes(op.getIndexingMapsArray().back());
  }
  auto yield = cast<YieldOp>(plan.kernel.getPayload().front().back());
  auto it = axesOf.find(yield.getValues()[0]);
  if (it == axesOf.end())
    return plan.kernel.emitOpError("yields a value that is not behind its "
                                   "contraction");
  resultAxes = it->second;
  return success();
}

Value Epilogue::load(Value operand, ArrayRef<unsigned> axes, ArrayRef<Int> at) {
  ImplicitLocOpBuilder &b = device.b;
  auto argument = dyn_cast<BlockArgument>(operand);
  if (!argument)
    return b.clone(*operand.getDefiningOp())->getResult(0);
  Value value = device.operands[argument.getArgNumber()];
  auto type = dyn_cast<RankedTensorType>(operand.getType());
  if (!type)
    return value;
  SmallVector<Int> coordinates =
      llvm::map_to_vector(axes, [&](unsigned axis) { return at[axis]; });
  Value pointer =
      device.move(value, device.offset(argument.getArgNumber(), coordinates),
                  type.getElementType());
  return loadElement(b, type.getElementType(), pointer);
}

bool Epilogue::hasRows(ArrayRef<unsigned> axes) const {
  return llvm::any_of(axes, [&](unsigned axis) {
    return llvm::is_contained(plan.rowAxes(), axis);
  });
}

bool Epilogue::readsColumns() const {
  return llvm::any_of(loads, [&](const auto &entry) {
    return isa<BlockArgument>(entry.first->get()) && !hasRows(entry.second);
  });
}

Epilogue::Row Epilogue::findRow(ArrayRef<Int> at) {
  Row row;
  for (const auto &[operand, axes] : loads) {
    auto argument = dyn_cast<BlockArgument>(operand->get());
    if (!argument || !hasRows(axes))
      continue;
    SmallVector<Int> coordinates = llvm::map_to_vector(
        axes, [&](unsigned axis) { return axis == plan.n ? Int() : at[axis]; });
    row[operand] =
        device.move(device.operands[argument.getArgNumber()],
                    device.offset(argument.getArgNumber(), coordinates),
                    getElementTypeOrSelf(argument.getType()));
  }
  return row;
}

Value Epilogue::loadInRow(OpOperand &operand, Value begin, Int column) {
  unsigned argument = cast<BlockArgument>(operand.get()).getArgNumber();
  SmallVector<Int> coordinates =
      llvm::map_to_vector(loads.lookup(&operand), [&](unsigned axis) {
        return axis == plan.n ? column : Int();
      });
  Type element = getElementTypeOrSelf(operand.get().getType());
  return loadElement(
      device.b, element,
      device.move(begin, device.offset(argument, coordinates), element));
}

Epilogue::Column Epilogue::loadColumn(ArrayRef<Int> at) {
  Column column;
  for (linalg::LinalgOp op : plan.epilogue)
    for (OpOperand &operand : op->getOpOperands())
      if (auto it = loads.find(&operand);
          it != loads.end() && !hasRows(it->second))
        column[&operand] = load(operand.get(), it->second, at);
  return column;
}

Value Epilogue::apply(Value accumulator, ArrayRef<Int> at, const Column &column,
                      const Row &row) {
  IRMapping scalars; // tensor -> its element
  scalars.map(plan.anchor->getResult(0), accumulator);
  for (linalg::LinalgOp op : plan.epilogue) {
    Block &body = op->getRegion(0).front();
    IRMapping map;
    for (OpOperand &operand : op->getOpOperands()) {
      Value element = scalars.lookupOrNull(operand.get());
      if (!element)
        element = column.lookup(&operand);
      if (Value begin = row.lookup(&operand); !element && begin)
        element = loadInRow(operand, begin, at[plan.n]);
      if (auto it = loads.find(&operand); !element && it != loads.end())
        element = load(operand.get(), it->second, at);
      if (element)
        map.map(body.getArgument(operand.getOperandNumber()), element);
    }
    for (Operation &inner : body.without_terminator()) {
      // Values from around the op are numbers: constants or arguments.
      for (Value value : inner.getOperands())
        if (!map.contains(value) && value.getParentRegion() != body.getParent())
          map.map(value, load(value, {}, at));
      device.b.clone(inner, map);
    }
    scalars.map(op->getResult(0),
                map.lookup(body.getTerminator()->getOperand(0)));
  }
  auto yield = cast<YieldOp>(plan.kernel.getPayload().front().back());
  return scalars.lookup(yield.getValues()[0]);
}
