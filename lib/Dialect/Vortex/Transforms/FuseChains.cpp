//===- FuseChains.cpp - Chains of kernels tile by tile --------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Chain.h"

#include "vortex/Dialect/Vortex/Transforms/Passes.h"
#include "vortex/HwDesc/Targets.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"

namespace vortex {
#define GEN_PASS_DEF_FUSECHAINS
#include "vortex/Dialect/Vortex/Transforms/Passes.h.inc"
} // namespace vortex

#define DEBUG_TYPE "vortex-fuse-chains"

using namespace mlir;
using namespace vortex;

namespace {
struct FuseChainsPass : vortex::impl::FuseChainsBase<FuseChainsPass> {
  using FuseChainsBase::FuseChainsBase;
  void runOnOperation() override;
};
} // namespace

static void report(OpResult value, StringRef reason) {
  Location loc = value.getLoc();
  std::string what =
      ("what '" + value.getOwner()->getName().getStringRef() + "' hands on ")
          .str();
  if (!reason.empty()) {
    remark::missed(loc, remark::RemarkOpts::name("apart").category(DEBUG_TYPE))
        << what + "is no part of a chain: " + reason.str();
    return;
  }
  Type element = getElementTypeOrSelf(value.getType());
  unsigned bits =
      element.isIndex() ? 64 : std::max(8u, element.getIntOrFloatBitWidth());
  remark::passed(loc, remark::RemarkOpts::name("chained").category(DEBUG_TYPE))
      << what + "may stay in a tile of rows: saves writing and reading " +
             std::to_string(bits / 8) + " bytes an element";
}

/// Copies the op and the memory that its results start from.
static void cloneWithInits(OpBuilder &b, linalg::LinalgOp op,
                           ArrayRef<OpResult> results, IRMapping &map) {
  for (OpOperand &init : op.getDpsInitsMutable()) {
    bool isResult = llvm::is_contained(results, op.getTiedOpResult(&init));
    SmallVector<Operation *> starts;
    for (Value value = init.get(); Operation *start = value.getDefiningOp();) {
      bool empty = isa<tensor::EmptyOp>(start) && !isResult;
      if (!empty && !isa<linalg::FillOp>(start))
        break;
      starts.push_back(start);
      if (empty)
        break;
      value = cast<linalg::FillOp>(start).getDpsInits()[0];
    }
    for (Operation *start : llvm::reverse(starts))
      if (!map.contains(start->getResult(0)))
        b.clone(*start, map);
  }
  b.clone(*op, map);
}

/// The chain by itself, or as the kernels that it would be without, chosen by
/// what they cost.
static void fuse(const Chain &chain, HwAttr hw, StringRef name) {
  linalg::LinalgOp last = chain.getLast();
  Location loc = last.getLoc();
  OpBuilder b(last);
  b.setInsertionPointAfter(last);
  ChainSizes sizes = emitChainSizes(b, chain, hw);
  SmallVector<OpResult> results = chain.getResults();
  Value yes = arith::ConstantIntOp::create(b, loc, 1, 1);
  Value parts = arith::ConstantIndexOp::create(b, loc, 0);
  Value fused = arith::ConstantIndexOp::create(b, loc, 1);
  Value cheaper = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT,
                                        sizes.fusedCost, sizes.partsCost);
  Value preferred = arith::SelectOp::create(b, loc, cheaper, fused, parts);
  Value index = SelectOp::create(
      b, loc, b.getIndexType(), b.getStringAttr(name),
      b.getStrArrayAttr({"parts", "fused"}), preferred, ValueRange{yes, yes},
      ValueRange{sizes.partsCost, sizes.fusedCost});
  SmallVector<Type> types(llvm::map_range(
      results, [](OpResult result) { return result.getType(); }));
  auto chooser =
      scf::IndexSwitchOp::create(b, loc, types, index, ArrayRef<int64_t>{0}, 1);
  b.createBlock(&chooser.getCaseRegions()[0]);
  IRMapping map;
  for (const auto &entry : chain.rowLoops)
    cloneWithInits(b, cast<linalg::LinalgOp>(entry.first), results, map);
  scf::YieldOp::create(b, loc, llvm::map_to_vector(results, [&](Value result) {
                         return map.lookup(result);
                       }));
  b.createBlock(&chooser.getDefaultRegion());
  scf::YieldOp::create(b, loc, emitChainLoop(b, chain, sizes));

  SmallVector<Operation *> old;
  for (const auto &entry : chain.rowLoops)
    old.push_back(entry.first);
  for (auto [from, to] : llvm::zip(results, chooser.getResults()))
    from.replaceUsesWithIf(to, [&](OpOperand &use) {
      return !llvm::is_contained(old, use.getOwner());
    });
  for (Operation *op : llvm::reverse(old)) {
    SmallVector<Value> inits(cast<linalg::LinalgOp>(op).getDpsInits());
    op->erase();
    for (Value init : inits)
      while (init && init.use_empty() &&
             isa_and_present<linalg::FillOp, tensor::EmptyOp>(
                 init.getDefiningOp())) {
        Operation *start = init.getDefiningOp();
        auto fill = dyn_cast<linalg::FillOp>(start);
        init = fill ? fill.getDpsInits()[0] : Value();
        start->erase();
      }
  }
}

void FuseChainsPass::runOnOperation() {
  LogicalResult result =
      forEachFunction(getOperation(), [&](FunctionOpInterface function) {
        bool some = false;
        function->walk([&](linalg::LinalgOp) { some = true; });
        if (!some)
          return success();
        SmallVector<HwAttr> targets;
        if (target.empty())
          targets = getTargets(function);
        if (targets.empty()) {
          FailureOr<SmallVector<HwAttr>> parsed = parseTargets(
              &getContext(), target.empty() ? "host" : StringRef(target),
              [&] { return function->emitError(); });
          if (failed(parsed))
            return failure();
          targets = *parsed;
        }
        // A grid of blocks has no chains yet.
        HwAttr hw = targets.front();
        if (hw.isGPU() || !hw.getLevel("l2"))
          return success();
        unsigned count = 0;
        for (Block *block : getProgramBlocks(function))
          for (Chain &chain : findChains(function, *block, hw, report)) {
            fuse(chain, hw,
                 (function.getName() + ".chain." + Twine(count++)).str());
            ++numChains;
          }
        return success();
      });
  if (failed(result))
    signalPassFailure();
}
