//===- RememberChoices.cpp - Choices for the sizes of the last call -------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program in a loop mostly asks the same question again. Each choice keeps
// its latest answer beside the numbers that it was computed from, in memory of
// the call's context: one thread's, so there is no lock, and of fixed size, so
// there is no table of sizes that could grow.
//
//   memo[0]       0: nothing yet; else the candidate's position plus two
//   memo[1 + i]   the i-th number that the choice depends on
//
//===----------------------------------------------------------------------===//

#include "vortex/Conversion/CallContext.h"
#include "vortex/Conversion/ChoiceFunctions.h"
#include "vortex/Conversion/Passes.h"

#include "vortex-c/Artifact.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

namespace vortex {
#define GEN_PASS_DEF_REMEMBERCHOICES
#include "vortex/Conversion/Passes.h.inc"
} // namespace vortex

using namespace mlir;
using namespace vortex;

/// Whether a word can hold the number.
static bool fitsWord(Value key) {
  auto integer = dyn_cast<IntegerType>(key.getType());
  return key.getType().isIndex() || (integer && integer.getWidth() <= 64);
}

static Value toWord(OpBuilder &b, Location loc, Value key) {
  Type i64 = b.getI64Type();
  if (key.getType() == i64)
    return key;
  if (key.getType().isIndex())
    return arith::IndexCastOp::create(b, loc, i64, key);
  return arith::ExtUIOp::create(b, loc, i64, key);
}

/// Numbers that the choice depends on and that are not always the same. A
/// choice function takes the context first and, last, the kernel's number.
static SmallVector<Value> getKeys(func::CallOp choice) {
  SetVector<Value> keys;
  for (Value operand : choice.getOperands().drop_front().drop_back())
    if (!matchPattern(operand, m_Constant()))
      keys.insert(operand);
  return keys.takeVector();
}

/// Moves the call under a branch that the same numbers as last time do not
/// take. `position` is that of its memo.
static void remember(func::CallOp choice, ArrayRef<Value> keys,
                     int64_t position) {
  OpBuilder b(choice);
  Location loc = choice.getLoc();
  Value context = choice.getOperand(0);
  Type i64 = b.getI64Type(),
       pointer = LLVM::LLVMPointerType::get(b.getContext());
  auto constant = [&](int64_t value) -> Value {
    return LLVM::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
  };
  Value memo = loadContextField(b, loc, context, ContextField::Memo);
  auto word = [&](int64_t i) -> Value {
    return LLVM::GEPOp::create(b, loc, pointer, i64, memo,
                               ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(
                                   position * VORTEX_MEMO_WORDS + i)});
  };
  auto load = [&](int64_t i) -> Value {
    return LLVM::LoadOp::create(b, loc, i64, word(i));
  };
  SmallVector<Value> words;
  for (Value key : keys)
    words.push_back(toWord(b, loc, key));

  // Whoever listens to choices wants to be told all of them, with their costs.
  Value hook = loadContextField(b, loc, context, ContextField::Choose);
  Value quiet = LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::eq, hook,
                                     LLVM::ZeroOp::create(b, loc, pointer));
  Value answer = load(0), known = quiet;
  auto require = [&](Value condition) {
    known = arith::AndIOp::create(b, loc, known, condition);
  };
  require(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, answer,
                                constant(0)));
  for (auto [i, key] : llvm::enumerate(words))
    require(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, key,
                                  load(1 + i)));

  auto branch = scf::IfOp::create(b, loc, b.getIndexType(), known,
                                  /*withElseRegion=*/true);
  choice->replaceAllUsesWith(branch.getResults());
  b.setInsertionPointToStart(branch.thenBlock());
  Value last = arith::SubIOp::create(b, loc, answer, constant(2));
  scf::YieldOp::create(
      b, loc,
      arith::IndexCastOp::create(b, loc, b.getIndexType(), last).getResult());
  choice->moveBefore(branch.elseBlock(), branch.elseBlock()->end());
  b.setInsertionPointToEnd(branch.elseBlock());
  // What a listener wanted instead is no answer for the next call.
  Value chosen = arith::IndexCastOp::create(b, loc, i64, choice.getResult(0));
  chosen = arith::AddIOp::create(b, loc, chosen, constant(2));
  chosen = arith::SelectOp::create(b, loc, quiet, chosen, constant(0));
  LLVM::StoreOp::create(b, loc, chosen, word(0));
  for (auto [i, key] : llvm::enumerate(words))
    LLVM::StoreOp::create(b, loc, key, word(1 + i));
  scf::YieldOp::create(b, loc, choice.getResults());
}

namespace {
struct RememberChoicesPass
    : vortex::impl::RememberChoicesBase<RememberChoicesPass> {
  void runOnOperation() override {
    SmallVector<func::CallOp> choices;
    getOperation().walk([&](func::CallOp call) {
      // One whose answer nobody takes is for listeners.
      if (getChoiceFunction(call) && !call->use_empty())
        choices.push_back(call);
    });
    int64_t count = 0;
    for (func::CallOp choice : choices) {
      if (choice.getOperand(0) != getCallContext(choice)) {
        choice.emitOpError("asks for a choice without a call context; run "
                           "vortex-add-context first");
        return signalPassFailure();
      }
      SmallVector<Value> keys = getKeys(choice);
      if (llvm::all_of(keys, fitsWord) && keys.size() < VORTEX_MEMO_WORDS)
        remember(choice, keys, count++);
    }
    numRemembered = count;
    if (count)
      getOperation()->setAttr(kMemosAttr,
                              Builder(&getContext()).getI64IntegerAttr(count));
  }
};
} // namespace
