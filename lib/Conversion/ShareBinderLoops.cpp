//===- ShareBinderLoops.cpp - One function for loops that are alike -------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The layers of a model have weights of the same shapes. What lays them out is
// a loop of some hundred operations for each, and was most of what LLVM had to
// compile around a model's kernels. Loops that are alike up to the values from
// outside become one function of these. Other functions keep theirs: there a
// loop gains by what LLVM knows of the memory around it, while a binder runs
// once and its loops only move data.
//
//===----------------------------------------------------------------------===//

#include "vortex/Conversion/CallContext.h"
#include "vortex/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Transforms/RegionUtils.h"

namespace vortex {
#define GEN_PASS_DEF_SHAREBINDERLOOPS
#include "vortex/Conversion/Passes.h.inc"
} // namespace vortex

using namespace mlir;
using namespace vortex;

/// A loop of no more operations takes as long to compile as its call.
static constexpr unsigned kFew = 24;

namespace {
/// What a loop takes from outside.
struct Inputs {
  SetVector<Value> constants, others;
};

/// Loops that are alike, and a function of what they take from outside but
/// constants, which is in no module yet.
struct AlikeLoops {
  func::FuncOp function;
  SmallVector<scf::ForOp> loops;
};

struct ShareBinderLoopsPass
    : vortex::impl::ShareBinderLoopsBase<ShareBinderLoopsPass> {
  void runOnOperation() override;
};
} // namespace

static bool isLong(scf::ForOp loop) {
  unsigned count = 0;
  loop->walk([&](Operation *) { ++count; });
  return count > kFew;
}

/// Whether `loop` needs nothing of its function but values.
static bool isAlone(scf::ForOp loop) {
  WalkResult result = loop->walk([](Operation *op) {
    bool moves =
        isa<arith::ArithDialect, memref::MemRefDialect, vector::VectorDialect>(
            op->getDialect());
    return moves || isa<scf::ForOp, scf::IfOp, scf::YieldOp>(op)
               ? WalkResult::advance()
               : WalkResult::interrupt();
  });
  return loop->getNumResults() == 0 && !result.wasInterrupted();
}

static Inputs getInputs(scf::ForOp loop) {
  SetVector<Value> used;
  used.insert_range(loop->getOperands());
  getUsedValuesDefinedAbove(loop->getRegions(), used);
  Inputs inputs;
  for (Value value : used)
    (matchPattern(value, m_Constant()) ? inputs.constants : inputs.others)
        .insert(value);
  return inputs;
}

static func::FuncOp outline(scf::ForOp loop) {
  Inputs inputs = getInputs(loop);
  ArrayRef<Value> others = inputs.others.getArrayRef();
  OpBuilder b(loop.getContext());
  auto parent = loop->getParentOfType<func::FuncOp>();
  auto function = func::FuncOp::create(
      loop.getLoc(), (parent.getName() + ".loop").str(),
      b.getFunctionType(ValueRange(others).getTypes(), {}));
  function.setPrivate();
  // Else LLVM would put it back to where it came from.
  function->setAttr("passthrough", b.getStrArrayAttr({"noinline"}));
  Block *entry = function.addEntryBlock();
  b.setInsertionPointToStart(entry);
  IRMapping map;
  map.map(others, entry->getArguments());
  for (Value constant : inputs.constants)
    b.clone(*constant.getDefiningOp(), map);
  b.clone(*loop, map);
  func::ReturnOp::create(b, loop.getLoc());
  return function;
}

void ShareBinderLoopsPass::runOnOperation() {
  SymbolTable symbols(getOperation());
  SmallVector<scf::ForOp> loops;
  for (auto function : getOperation().getOps<func::FuncOp>()) {
    auto name = function->getAttrOfType<FlatSymbolRefAttr>(kBinderAttr);
    if (!name)
      continue;
    symbols.lookup<func::FuncOp>(name.getAttr())
        .walk<WalkOrder::PreOrder>([&](scf::ForOp loop) {
          if (!isAlone(loop))
            return WalkResult::advance();
          if (isLong(loop))
            loops.push_back(loop);
          return WalkResult::skip();
        });
  }
  // By type, so that few are compared.
  llvm::MapVector<Type, SmallVector<AlikeLoops>> groups;
  for (scf::ForOp loop : loops) {
    func::FuncOp function = outline(loop);
    SmallVector<AlikeLoops> &others = groups[function.getFunctionType()];
    auto same = llvm::find_if(others, [&](AlikeLoops &other) {
      return OperationEquivalence::isRegionEquivalentTo(
          &function.getBody(), &other.function.getBody(),
          OperationEquivalence::IgnoreLocations);
    });
    if (same == others.end()) {
      others.push_back({function, {loop}});
      continue;
    }
    function.erase();
    same->loops.push_back(loop);
  }
  for (auto &[type, others] : groups)
    for (AlikeLoops &alike : others) {
      if (alike.loops.size() == 1) {
        alike.function.erase();
        continue;
      }
      symbols.insert(alike.function);
      for (scf::ForOp loop : alike.loops) {
        OpBuilder b(loop);
        func::CallOp::create(b, loop.getLoc(), alike.function,
                             getInputs(loop).others.getArrayRef());
        loop.erase();
        ++numShared;
      }
    }
}
