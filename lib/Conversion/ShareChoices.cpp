//===- ShareChoices.cpp - One function for choices that are alike ---------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The layers of a model ask the same questions, each of a few hundred
// instructions: most of what the host's code would be. A choice becomes a call
// of a function of the numbers it depends on; choices that are computed alike
// call the same.
//
// A cost is an estimate: a sum of it may be computed in any order. Computed one
// term behind the other, as it is written, it waits for each addition.
//
//===----------------------------------------------------------------------===//

#include "ChoiceSlice.h"

#include "vortex/Conversion/CallContext.h"
#include "vortex/Conversion/Passes.h"
#include "vortex/Dialect/Vortex/IR/VortexDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OperationSupport.h"

namespace vortex {
#define GEN_PASS_DEF_SHARECHOICES
#include "vortex/Conversion/Passes.h.inc"
} // namespace vortex

using namespace mlir;
using namespace vortex;

namespace {
struct ShareChoicesPass : vortex::impl::ShareChoicesBase<ShareChoicesPass> {
  void runOnOperation() override {
    SmallVector<Operation *> choices;
    getOperation().walk([&](Operation *op) {
      if (isa<SelectOp, ReportOp>(op))
        choices.push_back(op);
    });
    SymbolTable symbols(getOperation());
    for (Operation *choice : choices) {
      Value context = getCallContext(choice);
      if (!context) {
        choice->emitOpError("is outside a function with a call context; run "
                            "vortex-add-context first");
        return signalPassFailure();
      }
      ChoiceSlice slice(choice);
      if (!slice.isShort())
        share(choice, slice, context, symbols);
    }
  }

  void share(Operation *choice, ChoiceSlice &slice, Value context,
             SymbolTable &symbols);
  func::FuncOp outline(Operation *choice, const ChoiceSlice &slice,
                       Value context);

  /// By type, so that few are compared.
  DenseMap<Type, SmallVector<func::FuncOp>> made;
};
} // namespace

/// Lets `op` round in another order, or once instead of twice.
static void roundAnyhow(Operation *op) {
  auto real = dyn_cast<arith::ArithFastMathInterface>(op);
  if (!real || isa<arith::CmpFOp, arith::SelectOp>(op))
    return;
  using arith::FastMathFlags;
  op->setAttr(real.getFastMathAttrName(),
              arith::FastMathFlagsAttr::get(op->getContext(),
                                            FastMathFlags::reassoc |
                                                FastMathFlags::nsz |
                                                FastMathFlags::contract));
}

/// A function of the context and the keys that gives the choice's operands.
func::FuncOp ShareChoicesPass::outline(Operation *choice,
                                       const ChoiceSlice &slice,
                                       Value context) {
  OpBuilder b(choice->getContext());
  Location loc = choice->getLoc();
  SmallVector<Type> inputs{context.getType()};
  llvm::append_range(inputs, ValueRange(slice.keys.getArrayRef()).getTypes());
  auto function = func::FuncOp::create(
      loc, "vortex.choice",
      b.getFunctionType(inputs, choice->getOperandTypes()));
  function.setPrivate();
  function->setAttr(kChoiceAttr, b.getUnitAttr());
  function.setArgAttr(0, kContextAttr, b.getUnitAttr());
  Block *entry = function.addEntryBlock();
  b.setInsertionPointToStart(entry);
  IRMapping map;
  map.map(slice.keys.getArrayRef(), entry->getArguments().drop_front());
  for (Operation *op : slice.ops)
    b.clone(*op, map)->walk(roundAnyhow);
  SmallVector<Value> results;
  for (Value operand : choice->getOperands())
    results.push_back(map.lookupOrDefault(operand));
  func::ReturnOp::create(b, loc, results);
  return function;
}

void ShareChoicesPass::share(Operation *choice, ChoiceSlice &slice,
                             Value context, SymbolTable &symbols) {
  func::FuncOp function = outline(choice, slice, context);
  SmallVector<func::FuncOp> &others = made[function.getFunctionType()];
  auto same = llvm::find_if(others, [&](func::FuncOp other) {
    return OperationEquivalence::isRegionEquivalentTo(
        &function.getBody(), &other.getBody(),
        OperationEquivalence::IgnoreLocations);
  });
  if (same != others.end()) {
    function.erase();
    function = *same;
    ++numShared;
  } else {
    symbols.insert(function);
    others.push_back(function);
  }
  OpBuilder b(choice);
  SmallVector<Value> operands{context};
  llvm::append_range(operands, slice.keys);
  auto call = func::CallOp::create(b, choice->getLoc(), function, operands);
  choice->setOperands(call.getResults());
  slice.eraseUnused();
}
