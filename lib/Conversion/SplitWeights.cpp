//===- SplitWeights.cpp - Moves the packing of weights into a function that runs
// once -*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Conversion/CallContext.h"
#include "vortex/Conversion/Passes.h"
#include "vortex/Dialect/Vortex/IR/VortexDialect.h"
#include "vortex/Dialect/Vortex/IR/WeightValues.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

namespace vortex {
#define GEN_PASS_DEF_SPLITWEIGHTS
#include "vortex/Conversion/Passes.h.inc"
} // namespace vortex

using namespace mlir;
using namespace vortex;

namespace {

/// Splits one function into what depends on its weights alone and the rest.
class WeightSplitter {
public:
  WeightSplitter(func::FuncOp function) : function(function), fixed(function) {}

  /// Returns the new function, not yet in the module; null when there is
  /// nothing to bind.
  func::FuncOp split();

private:
  func::FuncOp function;
  WeightValues fixed;
};

func::FuncOp WeightSplitter::split() {
  SmallVector<Value> bound;
  Block &entry = function.getBody().front();
  for (Operation &op : entry) {
    if (!op.hasAttr(kBindAttr))
      continue;
    for (Value result : op.getResults())
      if (isa<RankedTensorType>(result.getType()) && !result.use_empty() &&
          fixed.contains(result) &&
          llvm::any_of(result.getUsers(), [&](Operation *user) {
            return !user->hasAttr(kBindAttr) ||
                   !llvm::all_of(user->getResults(),
                                 [&](Value v) { return fixed.contains(v); });
          }))
        bound.push_back(result);
  }
  if (bound.empty())
    return {};

  Builder builder(function.getContext());
  SmallVector<Type> inputs;
  SmallVector<Value> weights;
  for (auto [i, argument] : llvm::enumerate(entry.getArguments()))
    if (function.getArgAttr(i, kWeightAttr)) {
      inputs.push_back(argument.getType());
      weights.push_back(argument);
    }
  SmallVector<Type> results = llvm::to_vector(ValueRange(bound).getTypes());
  auto bind = func::FuncOp::create(function.getLoc(),
                                   (function.getSymName() + ".bind").str(),
                                   builder.getFunctionType(inputs, results));
  OpBuilder b = OpBuilder::atBlockEnd(bind.addEntryBlock());
  IRMapping mapping;
  for (auto [from, to] : llvm::zip(weights, bind.getArguments()))
    mapping.map(from, to);

  // What the bound values need, in the order of the function.
  DenseSet<Operation *> needed;
  SmallVector<Operation *> work;
  for (Value value : bound)
    work.push_back(value.getDefiningOp());
  while (!work.empty()) {
    Operation *op = work.pop_back_val();
    if (!needed.insert(op).second)
      continue;
    SetVector<Value> used;
    for (Region &region : op->getRegions())
      getUsedValuesDefinedAbove(region, used);
    used.insert(op->operand_begin(), op->operand_end());
    for (Value value : used)
      if (Operation *def = value.getDefiningOp())
        work.push_back(def);
  }
  for (Operation &op : entry)
    if (needed.contains(&op))
      b.clone(op, mapping);
  SmallVector<Value> returned;
  for (Value value : bound)
    returned.push_back(mapping.lookup(value));
  func::ReturnOp::create(b, function.getLoc(), returned);

  NamedAttrList attrs;
  attrs.append(kBoundAttr, builder.getUnitAttr());
  for (Value value : bound) {
    unsigned position = function.getNumArguments();
    if (failed(function.insertArgument(
            position, value.getType(),
            attrs.getDictionary(function.getContext()), function.getLoc())))
      return {};
    value.replaceAllUsesWith(entry.getArgument(position));
  }
  // What only the packing needed is dead now; the next canonicalization
  // would find it, but the moved ops go here.
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(entry)))
    if (isOpTriviallyDead(&op))
      op.erase();
  for (BlockArgument argument : entry.getArguments()) {
    unsigned i = argument.getArgNumber();
    bool read = llvm::any_of(argument.getUsers(), [](Operation *user) {
      return !isa<tensor::DimOp>(user);
    });
    if (function.getArgAttr(i, kWeightAttr) && !read &&
        isa<RankedTensorType>(argument.getType()))
      function.setArgAttr(i, kSizesOnlyAttr, builder.getUnitAttr());
  }
  return bind;
}

struct SplitWeightsPass : vortex::impl::SplitWeightsBase<SplitWeightsPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SymbolTable symbols(module);
    DenseSet<StringRef> called;
    module.walk([&](func::CallOp call) { called.insert(call.getCallee()); });
    for (auto function : llvm::to_vector(module.getOps<func::FuncOp>())) {
      if (!function.isPublic() || function.isExternal() ||
          called.contains(function.getSymName()))
        continue;
      if (func::FuncOp bind = WeightSplitter(function).split()) {
        // Not the name it asked for when the program has a function of it.
        StringAttr name =
            symbols.insert(bind, std::next(function->getIterator()));
        function->setAttr(kBinderAttr, FlatSymbolRefAttr::get(name));
      }
    }
  }
};
} // namespace
