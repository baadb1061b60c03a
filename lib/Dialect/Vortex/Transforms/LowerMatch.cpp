//===- LowerMatch.cpp - Sizes that depend on data are checked ---*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Dialect/Vortex/Analysis/RelationEmitter.h"

#include "vortex/Dialect/Vortex/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

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
  /// What the function's attributes say of sizes can be read.
  LogicalResult checkAttributes();
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

/// Whether `name` is taken by the sizes of arguments, which have names without
/// being given one: arg0.dim1.
static bool isOwnName(StringRef name) {
  unsigned number;
  return name.consume_front("arg") && !name.consumeInteger(10, number) &&
         name.consume_front(".dim") && !name.getAsInteger(10, number);
}

static bool isName(StringRef text) {
  return !text.empty() &&
         (llvm::isAlpha(text.front()) || text.front() == '_') &&
         llvm::all_of(text, [](char c) {
           return llvm::isAlnum(c) || c == '_' || c == '.' || c == '$';
         });
}

LogicalResult MatchLowering::checkAttributes() {
  llvm::StringSet<> known;
  // Sizes of arguments and results, names and expressions.
  SmallVector<std::pair<std::string, StringRef>> expressions;
  auto collect = [&](StringRef what, unsigned i, Type type, Attribute attr) {
    auto dims = dyn_cast_or_null<ArrayAttr>(attr);
    if (what == "argument")
      if (auto shaped = dyn_cast<ShapedType>(type); shaped && shaped.hasRank())
        for (int64_t d : llvm::seq(shaped.getRank()))
          known.insert(("arg" + Twine(i) + ".dim" + Twine(d)).str());
    if (!dims)
      return success();
    for (auto name : dims.getAsRange<StringAttr>()) {
      std::string where = (what + " " + Twine(i)).str();
      if (isOwnName(name))
        return LogicalResult(function.emitError()
                             << where << ": '" << kDimsAttr << "' has '"
                             << name.getValue()
                             << "', which is the name that a size of an "
                                "argument has by itself");
      if (isName(name))
        known.insert(name);
      // A word of the language is no name, however it looks.
      if (!name.empty())
        expressions.emplace_back(where, name);
    }
    return success();
  };
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
    if (failed(collect("argument", i, type, function.getArgAttr(i, kDimsAttr))))
      return failure();
  for (auto [i, type] : llvm::enumerate(function.getResultTypes()))
    if (failed(
            collect("result", i, type, function.getResultAttr(i, kDimsAttr))))
      return failure();

  // The run time evaluates what is read here; the ops are thrown away.
  Block scratch;
  OpBuilder b(function->getContext());
  b.setInsertionPointToEnd(&scratch);
  Location loc = function.getLoc();
  Value size = scratch.addArgument(b.getIndexType(), loc);
  auto read = [&](StringRef text, std::string &error) {
    return !!emitRelation(
        b, loc, text,
        [&](StringRef name) { return known.contains(name) ? size : Value(); },
        [](Value) {}, error);
  };
  std::string error;
  for (auto &[where, text] : expressions)
    if (!read(("0 == " + text).str(), error))
      return function.emitError() << where << ": '" << kDimsAttr << "' has '"
                                  << text << "': " << error;
  if (auto where = function->getAttrOfType<ArrayAttr>(kWhereAttr))
    for (auto text : where.getAsRange<StringAttr>())
      if (!read(text, error))
        return function.emitError() << "'" << kWhereAttr << "' has relation '"
                                    << text.getValue() << "': " << error;
  return success();
}

LogicalResult MatchLowering::run() {
  if (failed(checkAttributes()))
    return failure();
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
