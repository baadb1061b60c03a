//===- AddContext.cpp - Passes the call's context through all functions -===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Conversion/CallContext.h"
#include "vortex/Conversion/ChoiceFunctions.h"
#include "vortex/Conversion/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace vortex {
#define GEN_PASS_DEF_ADDCONTEXT
#include "vortex/Conversion/Passes.h.inc"
} // namespace vortex

using namespace mlir;
using namespace vortex;

/// Adds the argument to the type of a function without a body.
static void declareWithContext(func::FuncOp function, Type pointer,
                               DictionaryAttr attrs) {
  SmallVector<DictionaryAttr> all;
  function.getAllArgAttrs(all);
  all.insert(all.begin(), attrs);
  function.setFunctionType(function.getFunctionType().getWithArgsAndResults(
      /*argIndices=*/{0}, pointer, /*resultIndices=*/{}, /*resultTypes=*/{}));
  function.setAllArgAttrs(all);
}

namespace {
struct AddContextPass : vortex::impl::AddContextBase<AddContextPass> {
  void runOnOperation() override {
    Builder b(&getContext());
    Type pointer = LLVM::LLVMPointerType::get(&getContext());
    SymbolTable symbols(getOperation());
    DenseSet<Operation *> changed;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      auto attrs =
          b.getDictionaryAttr(b.getNamedAttr(kContextAttr, b.getUnitAttr()));
      if (function.isExternal() && function->hasAttr(kChoiceAttr)) {
        // Its body, elsewhere, gets one, too.
        declareWithContext(function, pointer, attrs);
        changed.insert(function);
        continue;
      }
      if (function.isExternal() || getCallContext(function))
        continue;
      if (failed(function.insertArgument(0, pointer, attrs, function.getLoc())))
        return signalPassFailure();
      changed.insert(function);
    }
    WalkResult result = getOperation().walk([&](Operation *op) {
      if (isa<func::CallIndirectOp, func::ConstantOp>(op)) {
        op->emitOpError("calls through function values are not supported");
        return WalkResult::interrupt();
      }
      auto call = dyn_cast<func::CallOp>(op);
      if (!call || !changed.contains(symbols.lookup(call.getCallee())))
        return WalkResult::advance();
      call.getOperandsMutable().assign([&] {
        SmallVector<Value> operands{getCallContext(call)};
        llvm::append_range(operands, call.getOperands());
        return operands;
      }());
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
