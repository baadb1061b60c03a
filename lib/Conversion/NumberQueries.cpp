//===- NumberQueries.cpp - Numbers the machine parameters and kernels of a
// module -*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Conversion/CallContext.h"
#include "vortex/Conversion/Passes.h"
#include "vortex/Dialect/Vortex/IR/VortexDialect.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/MapVector.h"

#include <map>

namespace vortex {
#define GEN_PASS_DEF_NUMBERQUERIES
#include "vortex/Conversion/Passes.h.inc"
} // namespace vortex

using namespace mlir;
using namespace vortex;

namespace {
struct NumberQueriesPass : vortex::impl::NumberQueriesBase<NumberQueriesPass> {
  void runOnOperation() override {
    if (failed(numberParams()) || failed(numberKernels()))
      signalPassFailure();
  }

  /// Sorted by name, so that the table does not depend on the order of code.
  LogicalResult numberParams() {
    std::map<std::string, FloatAttr> defaults;
    WalkResult result = getOperation().walk([&](MachineParamOp op) {
      auto [it, added] =
          defaults.try_emplace(op.getParam().str(), op.getDefaultValueAttr());
      if (added || it->second == op.getDefaultValueAttr())
        return WalkResult::advance();
      op.emitOpError() << "gives parameter '" << op.getParam()
                       << "' another default than an earlier op";
      return WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      return failure();
    if (defaults.empty())
      return success();
    Builder b(&getContext());
    SmallVector<Attribute> table;
    llvm::StringMap<int64_t> positions;
    for (auto &[name, value] : defaults) {
      positions[name] = table.size();
      table.push_back(
          b.getDictionaryAttr({b.getNamedAttr("name", b.getStringAttr(name)),
                               b.getNamedAttr("default", value)}));
    }
    getOperation().walk([&](MachineParamOp op) {
      op->setAttr(kIndexAttr,
                  b.getI64IntegerAttr(positions.lookup(op.getParam())));
    });
    getOperation()->setAttr(kParamsAttr, b.getArrayAttr(table));
    return success();
  }

  LogicalResult numberKernels() {
    Builder b(&getContext());
    llvm::MapVector<StringAttr, SelectOp> kernels;
    WalkResult result = getOperation().walk([&](SelectOp op) {
      auto [it, added] = kernels.insert({op.getKernelAttr(), op});
      if (it->second.getCandidates() != op.getCandidates()) {
        op.emitOpError() << "lists other candidates for kernel "
                         << op.getKernelAttr() << " than an earlier op";
        return WalkResult::interrupt();
      }
      op->setAttr(kIndexAttr, b.getI64IntegerAttr(it - kernels.begin()));
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return failure();
    if (kernels.empty())
      return success();
    SmallVector<Attribute> table;
    for (auto &[name, op] : kernels) {
      NamedAttrList entry;
      entry.set("name", name);
      entry.set("candidates", op.getCandidates());
      if (op.getGuards())
        entry.set("guards", *op.getGuards());
      table.push_back(entry.getDictionary(&getContext()));
    }
    getOperation()->setAttr(kKernelsAttr, b.getArrayAttr(table));
    return success();
  }
};
} // namespace
