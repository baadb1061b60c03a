//===- ChoiceFunctions.cpp - Functions that compute choices ---------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Conversion/ChoiceFunctions.h"

#include "vortex/Dialect/Vortex/IR/VortexDialect.h"

using namespace mlir;
using namespace vortex;

func::FuncOp vortex::getChoiceFunction(Operation *op) {
  auto call = dyn_cast<func::CallOp>(op);
  if (!call)
    return {};
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      op, call.getCalleeAttr());
  return callee && callee->hasAttr(kChoiceAttr) ? callee : func::FuncOp();
}

ArrayAttr vortex::getChosenCandidates(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return {};
  if (auto select = dyn_cast<SelectOp>(op))
    return select.getCandidates();
  func::FuncOp function = getChoiceFunction(op);
  return function ? function->getAttrOfType<ArrayAttr>(kChoiceAttr)
                  : ArrayAttr();
}
