//===- ChoiceSlice.cpp - What a choice is computed from -------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChoiceSlice.h"

#include "vortex/Dialect/Vortex/IR/VortexDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace vortex;

/// Arithmetic that gives the same for the same numbers, in one context.
static bool isArithmetic(Operation *op) {
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    bool pure = true;
    branch->walk([&](Operation *inner) {
      pure &= inner == op || isa<scf::YieldOp>(inner) || isArithmetic(inner);
    });
    return pure;
  }
  return isa<MachineParamOp>(op) || isa<arith::ArithDialect>(op->getDialect());
}

/// Adds what `value` is computed from, operands first. What was computed
/// further out, for several choices, is computed again: it is seldom asked for.
static void addTo(ChoiceSlice &slice, DenseSet<Operation *> &inside,
                  Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !isArithmetic(op)) {
    slice.keys.insert(value);
    return;
  }
  if (!inside.insert(op).second)
    return;
  SetVector<Value> used;
  used.insert_range(op->getOperands());
  getUsedValuesDefinedAbove(op->getRegions(), used);
  for (Value operand : used)
    addTo(slice, inside, operand);
  slice.ops.push_back(op);
}

ChoiceSlice::ChoiceSlice(Operation *choice) {
  DenseSet<Operation *> inside;
  for (Value operand : choice->getOperands())
    addTo(*this, inside, operand);
}

bool ChoiceSlice::isShort() const {
  constexpr size_t kFew = 16;
  return ops.size() <= kFew;
}

void ChoiceSlice::eraseUnused() {
  for (Operation *op : llvm::reverse(ops))
    if (op->use_empty())
      op->erase();
}
