//===- LowerMatch.cpp - Sizes that depend on data are checked ---*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RelationEmitter.h"

#include "vortex/Dialect/Vortex/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

namespace vortex {
#define GEN_PASS_DEF_LOWERMATCH
#include "vortex/Dialect/Vortex/Transforms/Passes.h.inc"
} // namespace vortex

#define DEBUG_TYPE "vortex-lower-match"

using namespace mlir;
using namespace vortex;

namespace {
/// Dimension `dim` of `value`, which gives a name its size.
struct Binding {
  Value value;
  int64_t dim;
};

class MatchLowering {
public:
  explicit MatchLowering(FunctionOpInterface function) : function(function) {}
  LogicalResult run();

private:
  LogicalResult visit(Region &region);
  LogicalResult lower(MatchOp match);
  Value sizeOf(OpBuilder &b, Location loc, Binding binding);
  LogicalResult check(OpBuilder &b, MatchOp match, Value holds,
                      const Twine &message);

  FunctionOpInterface function;
  llvm::StringMap<Binding> names; ///< what is bound at this place
};
} // namespace

Value MatchLowering::sizeOf(OpBuilder &b, Location loc, Binding binding) {
  if (isa<MemRefType>(binding.value.getType()))
    return b.createOrFold<memref::DimOp>(loc, binding.value, binding.dim);
  return b.createOrFold<tensor::DimOp>(loc, binding.value, binding.dim);
}

LogicalResult MatchLowering::check(OpBuilder &b, MatchOp match, Value holds,
                                   const Twine &message) {
  APInt known;
  if (matchPattern(holds, m_ConstantInt(&known))) {
    if (!known.isZero())
      return success();
    return match.emitOpError() << message << " at any size";
  }
  cf::AssertOp::create(b, match.getLoc(), holds, message.str());
  return success();
}

LogicalResult MatchLowering::lower(MatchOp match) {
  OpBuilder b(match);
  Location loc = match.getLoc();
  for (auto [dim, attr] : llvm::enumerate(match.getNames())) {
    StringRef name = cast<StringAttr>(attr).getValue();
    if (name.empty())
      continue;
    Binding here{match.getSource(), static_cast<int64_t>(dim)};
    auto [it, added] = names.try_emplace(name, here);
    if (added)
      continue;
    Value equal = b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq,
                                                sizeOf(b, loc, here),
                                                sizeOf(b, loc, it->second));
    if (failed(check(b, match, equal,
                     "dimension " + Twine(dim) + " is not '" + name + "'")))
      return failure();
  }
  for (Attribute attr : match.getWhere()) {
    StringRef text = cast<StringAttr>(attr).getValue();
    std::string error;
    Value holds = emitRelation(
        b, loc, text,
        [&](StringRef name) -> Value {
          auto it = names.find(name);
          return it == names.end() ? Value() : sizeOf(b, loc, it->second);
        },
        [&](Value divisor) {
          Value zero = arith::ConstantIndexOp::create(b, loc, 0);
          Value fine = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne,
                                             divisor, zero);
          cf::AssertOp::create(
              b, loc, fine,
              ("'" + text + "' has no value: division by zero").str());
        },
        error);
    if (!holds)
      return match.emitOpError() << "has relation '" << text << "': " << error;
    if (failed(check(b, match, holds, "'" + text + "' does not hold")))
      return failure();
  }
  match.replaceAllUsesWith(match.getSource());
  match.erase();
  return success();
}

LogicalResult MatchLowering::visit(Region &region) {
  for (Block &block : region) {
    // A block of a branch does not see what another one binds.
    llvm::StringMap<Binding> around = names;
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (auto match = dyn_cast<MatchOp>(op)) {
        if (failed(lower(match)))
          return failure();
        continue;
      }
      for (Region &inner : op.getRegions())
        if (failed(visit(inner)))
          return failure();
    }
    names = std::move(around);
  }
  return success();
}

LogicalResult MatchLowering::run() {
  for (BlockArgument argument : function.getArguments()) {
    auto dims = function.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(),
                                                     kDimsAttr);
    if (!dims || !isa<RankedTensorType, MemRefType>(argument.getType()))
      continue;
    for (auto [dim, attr] : llvm::enumerate(dims))
      if (auto name = dyn_cast<StringAttr>(attr); name && !name.empty())
        names.try_emplace(name.getValue(),
                          Binding{argument, static_cast<int64_t>(dim)});
  }
  return visit(function.getFunctionBody());
}

namespace {
struct LowerMatchPass : vortex::impl::LowerMatchBase<LowerMatchPass> {
  void runOnOperation() override {
    if (failed(
            forEachFunction(getOperation(), [](FunctionOpInterface function) {
              return MatchLowering(function).run();
            })))
      signalPassFailure();
  }
};
} // namespace
