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
#include "vortex/HwDesc/Targets.h"

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
    numberLibraries();
  }

  /// Stages name libraries before they become calls, which take the position
  /// over.
  void numberLibraries() {
    Builder b(&getContext());
    std::map<std::string, int64_t> positions;
    SmallVector<std::pair<Operation *, std::string>> users;
    getOperation().walk([&](Operation *op) {
      std::string name;
      if (auto stage = dyn_cast<StageOp>(op))
        name = stage.getLibrary().value_or("").str();
      else if (auto call = dyn_cast<LibraryCallOp>(op))
        name = call.getLibrary().str();
      if (name.empty())
        return;
      positions[name] = 0;
      users.push_back({op, name});
    });
    if (users.empty())
      return;
    SmallVector<StringRef> names;
    for (auto &[name, position] : positions) {
      position = names.size();
      names.push_back(name);
    }
    for (auto &[op, name] : users)
      op->setAttr(kIndexAttr, b.getI64IntegerAttr(positions[name]));
    getOperation()->setAttr(kLibrariesAttr, b.getStrArrayAttr(names));
  }

  /// All numbers of the target's levels and instructions, by name.
  std::map<std::string, FloatAttr> getDescribed() {
    Builder b(&getContext());
    std::map<std::string, FloatAttr> described;
    SmallVector<HwAttr> targets = getTargets(getOperation());
    if (targets.empty())
      return described;
    for (const auto &[name, value] : getMachineParams(targets.front()))
      described.try_emplace(name, b.getF64FloatAttr(value));
    return described;
  }

  /// Those of the target's description first, asked for or not: positions are
  /// part of code, and code that is kept is to be found by other programs. Then
  /// the others; each by name, whatever the order of code.
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
    auto list = [&](StringRef name, FloatAttr value) {
      positions[name] = table.size();
      table.push_back(
          b.getDictionaryAttr({b.getNamedAttr("name", b.getStringAttr(name)),
                               b.getNamedAttr("default", value)}));
    };
    for (auto &[name, value] : getDescribed()) {
      auto used = defaults.find(name);
      list(name, used == defaults.end() ? value : used->second);
    }
    for (auto &[name, value] : defaults)
      if (!positions.contains(name))
        list(name, value);
    getOperation().walk([&](MachineParamOp op) {
      op->setAttr(kIndexAttr,
                  b.getI64IntegerAttr(positions.lookup(op.getParam())));
    });
    getOperation()->setAttr(kParamsAttr, b.getArrayAttr(table));
    return success();
  }

  /// Those that vortex-describe-kernels listed first, then the others.
  LogicalResult numberKernels() {
    Builder b(&getContext());
    llvm::MapVector<StringAttr, NamedAttrList> kernels;
    if (auto listed = getOperation()->getAttrOfType<ArrayAttr>(kKernelsAttr))
      for (auto entry : listed.getAsRange<DictionaryAttr>())
        kernels.insert({entry.getAs<StringAttr>("name"), entry.getValue()});
    DenseSet<StringAttr> open;
    WalkResult result = getOperation().walk([&](Operation *op) {
      StringAttr name;
      ArrayAttr candidates;
      if (auto select = dyn_cast<SelectOp>(op)) {
        name = select.getKernelAttr();
        candidates = select.getCandidates();
        open.insert(name);
      } else if (auto report = dyn_cast<ReportOp>(op)) {
        name = report.getKernelAttr();
        candidates = report.getCandidates();
      } else {
        return WalkResult::advance();
      }
      auto it = kernels.insert({name, {}}).first;
      NamedAttrList &entry = it->second;
      if (!entry.get("candidates")) {
        entry.set("name", name);
        entry.set("candidates", candidates);
      }
      if (entry.get("candidates") != candidates) {
        op->emitOpError() << "lists other candidates for kernel " << name
                          << " than an earlier op";
        return WalkResult::interrupt();
      }
      op->setAttr(kIndexAttr, b.getI64IntegerAttr(it - kernels.begin()));
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return failure();
    noteDecided(kernels, open);
    if (kernels.empty())
      return success();
    SmallVector<Attribute> table;
    for (auto &entry : kernels)
      table.push_back(entry.second.getDictionary(&getContext()));
    getOperation()->setAttr(kKernelsAttr, b.getArrayAttr(table));
    return success();
  }

  /// A kernel that is called without a choice before it has been decided: it
  /// has one candidate, or its sizes were known.
  void noteDecided(llvm::MapVector<StringAttr, NamedAttrList> &kernels,
                   const DenseSet<StringAttr> &open) {
    Builder b(&getContext());
    getOperation().walk([&](KernelCallOp call) {
      auto name = call->getAttrOfType<StringAttr>(kKernelAttr);
      auto candidate = call->getAttrOfType<StringAttr>(kCandidateAttr);
      if (!name || !candidate || open.contains(name))
        return;
      NamedAttrList &entry = kernels.insert({name, {}}).first->second;
      if (!entry.get("candidates")) {
        entry.set("name", name);
        entry.set("candidates", b.getArrayAttr(candidate));
      }
      auto candidates = cast<ArrayAttr>(entry.get("candidates"));
      auto found = llvm::find(candidates, Attribute(candidate));
      if (found != candidates.end())
        entry.set("decided", b.getI64IntegerAttr(found - candidates.begin()));
    });
  }
};
} // namespace
