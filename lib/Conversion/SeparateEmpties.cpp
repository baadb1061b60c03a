//===- SeparateEmpties.cpp - One tensor.empty for each use ----------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Conversion/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/MapVector.h"

namespace vortex {
#define GEN_PASS_DEF_SEPARATEEMPTIES
#include "vortex/Conversion/Passes.h.inc"
} // namespace vortex

using namespace mlir;
using namespace vortex;

/// The op in the body of the innermost loop between `use` and `op`, of those
/// that carry tensors, that has the use; null when there is no such loop.
static Operation *findInCarryingLoop(OpOperand &use, tensor::EmptyOp op) {
  for (Operation *owner = use.getOwner(); owner->getBlock() != op->getBlock();
       owner = owner->getParentOp())
    if (auto loop = dyn_cast<LoopLikeOpInterface>(owner->getParentOp()))
      if (llvm::any_of(loop->getResultTypes(), llvm::IsaPred<TensorType>) &&
          !isa<scf::ForallOp>(loop))
        return owner;
  return nullptr;
}

/// Makes `op` again in each loop that uses it; null when no use is left.
static void sinkIntoLoops(tensor::EmptyOp &op) {
  llvm::MapVector<Operation *, SmallVector<OpOperand *>> inLoops;
  for (OpOperand &use : op->getUses())
    if (Operation *owner = findInCarryingLoop(use, op))
      inLoops[owner].push_back(&use);
  for (auto &[owner, uses] : inLoops) {
    OpBuilder b(owner);
    auto clone = cast<tensor::EmptyOp>(b.clone(*op));
    for (OpOperand *use : uses)
      use->set(clone);
  }
  if (!inLoops.empty() && op->use_empty()) {
    op->erase();
    op = {};
  }
}

/// Makes `op` again for each op but the first that goes on from its result: of
/// values that start from one memory, none could be written to a result's.
static void separateStarts(linalg::FillOp op) {
  bool first = true;
  for (OpOperand &use : llvm::make_early_inc_range(op->getUses())) {
    auto user = dyn_cast<DestinationStyleOpInterface>(use.getOwner());
    if (!user || !user.isDpsInit(&use))
      continue;
    if (!first) {
      OpBuilder b(user);
      use.set(b.clone(*op)->getResult(0));
    }
    first = false;
  }
}

namespace {
struct SeparateEmptiesPass
    : vortex::impl::SeparateEmptiesBase<SeparateEmptiesPass> {
  void runOnOperation() override {
    SmallVector<linalg::FillOp> fills;
    getOperation()->walk([&](linalg::FillOp op) {
      if (op.hasPureTensorSemantics() &&
          op.getDpsInits()[0].getDefiningOp<tensor::EmptyOp>())
        fills.push_back(op);
    });
    for (linalg::FillOp op : fills)
      separateStarts(op);
    SmallVector<tensor::EmptyOp> empties;
    getOperation()->walk([&](tensor::EmptyOp op) { empties.push_back(op); });
    for (tensor::EmptyOp &op : empties)
      sinkIntoLoops(op);
    for (tensor::EmptyOp op : empties) {
      if (!op || op->use_empty() || op->hasOneUse())
        continue;
      // Cases of one switch may share: only one of them runs.
      SmallVector<std::pair<Operation *, SmallVector<OpOperand *>>> groups;
      for (OpOperand &use : op->getUses()) {
        Operation *owner = use.getOwner();
        while (owner->getBlock() != op->getBlock() && owner->getParentOp() &&
               op->getBlock()->findAncestorOpInBlock(*owner) != owner)
          owner = owner->getParentOp();
        auto it = llvm::find_if(
            groups, [&](auto &group) { return group.first == owner; });
        if (it == groups.end())
          groups.push_back({owner, {&use}});
        else
          it->second.push_back(&use);
      }
      for (auto &group : llvm::drop_begin(groups)) {
        OpBuilder b(group.first);
        auto clone = cast<tensor::EmptyOp>(b.clone(*op));
        for (OpOperand *use : group.second)
          use->set(clone);
      }
    }
  }
};
} // namespace
