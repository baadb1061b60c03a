//===- HoistChecks.cpp - Assertions of elements, in front of their op -----===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scope.h"

#include "vortex/Dialect/Vortex/Transforms/Passes.h"
#include "vortex/Graph/Passes.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace vortex {
#define GEN_PASS_DEF_HOISTCHECKS
#include "vortex/Graph/Passes.h.inc"
} // namespace vortex

using namespace mlir;
using namespace vortex;

/// What computes `condition` in the body of `op`; nullopt where that reads more
/// than elements of inputs and values from outside.
static std::optional<SetVector<Operation *>> getSlice(linalg::GenericOp op,
                                                      Value condition) {
  Block *body = op.getBlock();
  SetVector<Operation *> slice;
  SmallVector<Value> work{condition};
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (argument.getOwner() == body &&
          argument.getArgNumber() >= op.getNumDpsInputs())
        return std::nullopt;
      continue;
    }
    Operation *definition = value.getDefiningOp();
    if (definition->getBlock() != body || !slice.insert(definition))
      continue;
    if (!isPure(definition) || definition->getNumRegions() != 0 ||
        isa<linalg::IndexOp>(definition))
      return std::nullopt;
    llvm::append_range(work, definition->getOperands());
  }
  return slice;
}

/// Computes the assertion for all elements in front of `op`.
static bool hoist(linalg::GenericOp op, cf::AssertOp check) {
  std::optional<SetVector<Operation *>> slice = getSlice(op, check.getArg());
  if (!slice)
    return false;
  // Inputs give the extent of each loop.
  SmallVector<AffineMap> maps;
  for (OpOperand *input : op.getDpsInputOperands())
    maps.push_back(op.getMatchingIndexingMap(input));
  if (maps.empty() ||
      !inversePermutation(concatAffineMaps(maps, op.getContext())))
    return false;

  ImplicitLocOpBuilder b(check.getLoc(), op);
  Type type = b.getI32Type();
  Value one = arith::ConstantIntOp::create(b, type, 1);
  Value room = tensor::EmptyOp::create(b, ArrayRef<int64_t>{}, type);
  Value start = linalg::FillOp::create(b, one, room).getResult(0);
  maps.push_back(AffineMap::get(op.getNumLoops(), 0, op.getContext()));
  SmallVector<utils::IteratorType> iterators(op.getNumLoops(),
                                             utils::IteratorType::reduction);
  Block *body = op.getBlock();
  auto all = linalg::GenericOp::create(
      b, start.getType(), op.getInputs(), start, maps, iterators,
      [&](OpBuilder &inner, Location loc, ValueRange arguments) {
        IRMapping map;
        map.map(body->getArguments().take_front(op.getNumDpsInputs()),
                arguments.drop_back());
        for (Operation &each : *body)
          if (slice->contains(&each))
            inner.clone(each, map);
        Value holds = arith::ExtUIOp::create(
            inner, loc, type, map.lookupOrDefault(check.getArg()));
        Value both = arith::AndIOp::create(inner, loc, arguments.back(), holds);
        linalg::YieldOp::create(inner, loc, both);
      });
  Value found = tensor::ExtractOp::create(b, all.getResult(0), ValueRange());
  Value every = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, found, one);
  cf::AssertOp::create(b, every, check.getMsgAttr());
  check->erase();
  return true;
}

namespace {
struct HoistChecksPass : vortex::impl::HoistChecksBase<HoistChecksPass> {
  void runOnOperation() override {
    (void)forEachFunction(getOperation(), [&](FunctionOpInterface function) {
      SmallVector<std::pair<linalg::GenericOp, cf::AssertOp>> checks;
      function->walk([&](linalg::GenericOp op) {
        if (!isInKernel(op) && op.hasPureTensorSemantics())
          for (auto check : op.getBlock()->getOps<cf::AssertOp>())
            checks.push_back({op, check});
      });
      for (auto [op, check] : checks)
        numHoisted += hoist(op, check);
      return success();
    });
  }
};
} // namespace
