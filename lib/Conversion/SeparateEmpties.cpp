//===- SeparateEmpties.cpp - One tensor.empty for each use ----------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Conversion/Passes.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace vortex {
#define GEN_PASS_DEF_SEPARATEEMPTIES
#include "vortex/Conversion/Passes.h.inc"
} // namespace vortex

using namespace mlir;
using namespace vortex;

namespace {
struct SeparateEmptiesPass
    : vortex::impl::SeparateEmptiesBase<SeparateEmptiesPass> {
  void runOnOperation() override {
    SmallVector<tensor::EmptyOp> empties;
    getOperation()->walk([&](tensor::EmptyOp op) { empties.push_back(op); });
    for (tensor::EmptyOp op : empties) {
      if (op->use_empty() || op->hasOneUse())
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
