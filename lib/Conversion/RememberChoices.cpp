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

#include "ChoiceSlice.h"

#include "vortex/Conversion/CallContext.h"
#include "vortex/Conversion/Passes.h"
#include "vortex/Dialect/Vortex/IR/VortexDialect.h"

#include "vortex-c/Artifact.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

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

/// Moves the choice under a branch that the same numbers as last time do not
/// take. `position` is that of its memo.
static void remember(SelectOp select, ChoiceSlice &slice, int64_t position,
                     Value context) {
  OpBuilder b(select);
  Location loc = select.getLoc();
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
  SmallVector<Value> keys;
  for (Value key : slice.keys)
    keys.push_back(toWord(b, loc, key));

  // Whoever listens to choices wants to be told all of them, with their costs.
  Value hook = loadContextField(b, loc, context, ContextField::Choose);
  Value known = LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::eq, hook,
                                     LLVM::ZeroOp::create(b, loc, pointer));
  Value answer = load(0);
  auto require = [&](Value condition) {
    known = arith::AndIOp::create(b, loc, known, condition);
  };
  require(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, answer,
                                constant(0)));
  for (auto [i, key] : llvm::enumerate(keys))
    require(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, key,
                                  load(1 + i)));

  auto branch = scf::IfOp::create(b, loc, b.getIndexType(), known,
                                  /*withElseRegion=*/true);
  b.setInsertionPointToStart(branch.thenBlock());
  Value last = arith::SubIOp::create(b, loc, answer, constant(2));
  scf::YieldOp::create(
      b, loc,
      arith::IndexCastOp::create(b, loc, b.getIndexType(), last).getResult());
  b.setInsertionPointToStart(branch.elseBlock());
  // Copies: what other code needs, too, stays where it is.
  IRMapping map;
  for (Operation *op : slice.ops)
    b.clone(*op, map);
  auto copy = cast<SelectOp>(b.clone(*select, map));
  Value preferred = arith::IndexCastOp::create(b, loc, i64, copy.getChoice());
  LLVM::StoreOp::create(
      b, loc, arith::AddIOp::create(b, loc, preferred, constant(2)), word(0));
  for (auto [i, key] : llvm::enumerate(keys))
    LLVM::StoreOp::create(b, loc, key, word(1 + i));
  scf::YieldOp::create(b, loc, copy.getResult());

  select.replaceAllUsesWith(branch.getResult(0));
  select.erase();
  slice.eraseUnused();
}

namespace {
struct RememberChoicesPass
    : vortex::impl::RememberChoicesBase<RememberChoicesPass> {
  void runOnOperation() override {
    SmallVector<SelectOp> selects;
    getOperation().walk([&](SelectOp op) { selects.push_back(op); });
    int64_t count = 0;
    for (SelectOp select : selects) {
      Value context = getCallContext(select);
      if (!context) {
        select.emitOpError("is outside a function with a call context; run "
                           "vortex-add-context first");
        return signalPassFailure();
      }
      ChoiceSlice slice(select);
      if (slice.isShort() || !llvm::all_of(slice.keys, fitsWord) ||
          slice.keys.size() >= VORTEX_MEMO_WORDS)
        continue;
      remember(select, slice, count++, context);
    }
    numRemembered = count;
    if (count)
      getOperation()->setAttr(kMemosAttr,
                              Builder(&getContext()).getI64IntegerAttr(count));
  }
};
} // namespace
