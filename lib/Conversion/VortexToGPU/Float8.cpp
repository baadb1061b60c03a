//===- Float8.cpp - Floats of eight bits in device code ---------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Float8.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"

using namespace mlir;
using namespace vortex;

Value vortex::loadElement(ImplicitLocOpBuilder &b, Type type, Value pointer) {
  Type memory = getMemoryType(type);
  Value loaded = LLVM::LoadOp::create(b, memory, pointer);
  return memory == type ? loaded
                        : arith::BitcastOp::create(b, type, loaded).getResult();
}

void vortex::storeElement(ImplicitLocOpBuilder &b, Value value, Value pointer) {
  if (Type memory = getMemoryType(value.getType()); memory != value.getType())
    value = arith::BitcastOp::create(b, memory, value);
  LLVM::StoreOp::create(b, value, pointer);
}

void vortex::shareFloat8(Operation *function) {
  bool some = function
                  ->walk([](arith::ExtFOp op) {
                    return isFloat8(op.getIn().getType())
                               ? WalkResult::interrupt()
                               : WalkResult::advance();
                  })
                  .wasInterrupted();
  if (!some)
    return;
  IRRewriter rewriter(function->getContext());
  DominanceInfo dominance(function);
  eliminateCommonSubExpressions(rewriter, dominance, function);
}
