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
// call the same. Such a function needs nothing of the program around it, so
// that it is compiled by itself, like a kernel, and once for all programs.
//
// A cost is an estimate: a sum of it may be computed in any order. Computed one
// term behind the other, as it is written, it waits for each addition.
//
//===----------------------------------------------------------------------===//

#include "ChoiceSlice.h"

#include "vortex/Conversion/CallContext.h"
#include "vortex/Conversion/ChoiceFunctions.h"
#include "vortex/Conversion/Passes.h"
#include "vortex/Dialect/Vortex/IR/VortexDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
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
    for (auto function : getOperation().getOps<func::FuncOp>())
      function.walk([&](Operation *op) {
        if (isa<SelectOp, ReportOp>(op))
          choices.push_back(op);
      });
    SymbolTable symbols(getOperation());
    for (Operation *choice : choices) {
      ChoiceSlice slice(choice);
      if (slice.isShort())
        continue;
      if (!choice->hasAttr(kIndexAttr)) {
        choice->emitOpError("has no position; run vortex-number-queries first");
        return signalPassFailure();
      }
      share(choice, slice, symbols);
    }
    getOperation().walk([](ChoiceInputOp op) {
      op.replaceAllUsesWith(op.getValue());
      op.erase();
    });
  }

  void share(Operation *choice, ChoiceSlice &slice, SymbolTable &symbols);
  func::FuncOp outline(Operation *choice, const ChoiceSlice &slice);

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

/// A function of the keys and the kernel's number that gives the choice.
func::FuncOp ShareChoicesPass::outline(Operation *choice,
                                       const ChoiceSlice &slice) {
  OpBuilder b(choice->getContext());
  Location loc = choice->getLoc();
  auto inputs =
      llvm::to_vector_of<Type>(ValueRange(slice.keys.getArrayRef()).getTypes());
  inputs.push_back(b.getI64Type());
  auto function = func::FuncOp::create(
      loc, "vortex.choice", b.getFunctionType(inputs, b.getIndexType()));
  function.setPrivate();
  function.setArgAttr(inputs.size() - 1, kNumberAttr, b.getUnitAttr());
  Block *entry = function.addEntryBlock();
  b.setInsertionPointToStart(entry);
  IRMapping map;
  map.map(slice.keys.getArrayRef(), entry->getArguments().drop_back());
  for (Operation *op : slice.ops)
    b.clone(*op, map)->walk(roundAnyhow);
  auto make = [&](auto op) {
    function->setAttr(kChoiceAttr, op.getCandidates());
    auto mapped = [&](ValueRange values) {
      SmallVector<Value> result;
      for (Value value : values)
        result.push_back(map.lookupOrDefault(value));
      return result;
    };
    // Of no kernel by name: several may ask.
    return SelectOp::create(b, loc, b.getIndexType(), b.getStringAttr(""),
                            op.getCandidates(),
                            map.lookupOrDefault(op.getChoice()),
                            mapped(op.getAllowed()), mapped(op.getCosts()));
  };
  auto select = dyn_cast<SelectOp>(choice);
  func::ReturnOp::create(
      b, loc,
      (select ? make(select) : make(cast<ReportOp>(choice))).getResult());
  return function;
}

void ShareChoicesPass::share(Operation *choice, ChoiceSlice &slice,
                             SymbolTable &symbols) {
  func::FuncOp function = outline(choice, slice);
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
  Location loc = choice->getLoc();
  SmallVector<Value> operands(slice.keys.getArrayRef());
  operands.push_back(arith::ConstantOp::create(
      b, loc, choice->getAttrOfType<IntegerAttr>(kIndexAttr)));
  auto call = func::CallOp::create(b, loc, function, operands);
  if (choice->getNumResults())
    choice->replaceAllUsesWith(call);
  choice->erase();
  slice.eraseUnused();
}
