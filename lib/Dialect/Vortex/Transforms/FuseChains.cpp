//===- FuseChains.cpp - Chains of kernels tile by tile --------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Chain.h"
#include "GpuChain.h"

#include "vortex/Dialect/Vortex/Transforms/Passes.h"
#include "vortex/HwDesc/Targets.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
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

namespace {
/// Ops that may run as one or each by itself.
struct ChoiceOfChain {
  std::string name;
  SmallVector<Operation *> ops; ///< in order of the program
  SmallVector<OpResult> results;
  Value fusedCost, partsCost; ///< f64, nanoseconds
  Value allowed;              ///< i1: may it run as one; null: always
};
} // namespace

/// Erases ops that nothing reads, and what their results started from.
static void eraseOps(ArrayRef<Operation *> ops) {
  for (Operation *op : llvm::reverse(ops)) {
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

/// Puts, behind the ops and what `b` has made there, the choice between them
/// as they are and what `emitFused` makes in a block of its own.
static void replaceByChoice(OpBuilder &b, const ChoiceOfChain &chain,
                            function_ref<SmallVector<Value>()> emitFused) {
  Location loc = chain.ops.back()->getLoc();
  Value yes = arith::ConstantIntOp::create(b, loc, 1, 1);
  Value parts = arith::ConstantIndexOp::create(b, loc, 0);
  Value fused = arith::ConstantIndexOp::create(b, loc, 1);
  Value cheaper = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT,
                                        chain.fusedCost, chain.partsCost);
  if (chain.allowed)
    cheaper = arith::AndIOp::create(b, loc, chain.allowed, cheaper);
  Value preferred = arith::SelectOp::create(b, loc, cheaper, fused, parts);
  Value index =
      SelectOp::create(b, loc, b.getIndexType(), b.getStringAttr(chain.name),
                       b.getStrArrayAttr({"parts", "fused"}), preferred,
                       ValueRange{yes, chain.allowed ? chain.allowed : yes},
                       ValueRange{chain.partsCost, chain.fusedCost});
  SmallVector<Type> types(llvm::map_range(
      chain.results, [](OpResult result) { return result.getType(); }));
  auto chooser =
      scf::IndexSwitchOp::create(b, loc, types, index, ArrayRef<int64_t>{0}, 1);
  b.createBlock(&chooser.getCaseRegions()[0]);
  IRMapping map;
  for (Operation *op : chain.ops)
    cloneWithInits(b, cast<linalg::LinalgOp>(op), chain.results, map);
  scf::YieldOp::create(b, loc,
                       llvm::map_to_vector(chain.results, [&](Value result) {
                         return map.lookup(result);
                       }));
  b.createBlock(&chooser.getDefaultRegion());
  scf::YieldOp::create(b, loc, emitFused());
  for (auto [from, to] : llvm::zip(chain.results, chooser.getResults()))
    Value(from).replaceUsesWithIf(to, [&](OpOperand &use) {
      return !llvm::is_contained(chain.ops, use.getOwner());
    });
  eraseOps(chain.ops);
}

/// The chain by itself, or as the kernels that it would be without, chosen by
/// what they cost.
static void fuse(const Chain &chain, HwAttr hw, StringRef name) {
  OpBuilder b(chain.getLast());
  b.setInsertionPointAfter(chain.getLast());
  ChainSizes sizes = emitChainSizes(b, chain, hw);
  ChoiceOfChain choice;
  choice.name = name.str();
  llvm::append_range(choice.ops, llvm::make_first_range(chain.rowLoops));
  choice.results = chain.getResults();
  choice.fusedCost = sizes.fusedCost;
  choice.partsCost = sizes.partsCost;
  replaceByChoice(b, choice, [&] { return emitChainLoop(b, chain, sizes); });
}

//===----------------------------------------------------------------------===//
// GPUs
//===----------------------------------------------------------------------===//

/// A product, what it is a running chain of, and the elementwise ops behind it.
namespace {
struct DeviceChain {
  RunningChain chain;
  SmallVector<GpuChainTile> tiles;
  SmallVector<Operation *> ops; ///< all of them, in order of the program
};
} // namespace

/// The extent of a loop of the chain's second product, or the reduction of the
/// first.
static Size getChainExtent(SizeArith &arith, const RunningChain &chain,
                           unsigned axis) {
  bool ofScores = axis == chain.getInnerAxis();
  linalg::LinalgOp op = ofScores ? chain.scores.op : chain.product.op;
  AffineExpr loop =
      getAffineDimExpr(ofScores ? chain.scores.k : axis, op.getContext());
  for (OpOperand &operand : op->getOpOperands())
    if (auto dim = op.getMatchingIndexingMap(&operand).getResultPosition(loop))
      return arith.size(getValueOrCreateConstantIndexOp(
          arith.b, arith.loc,
          getChainSize(arith.b, arith.loc, operand.get(), *dim)));
  return arith.size(1);
}

/// Bodies that read sizes read them as i64: a kernel's operands of index type
/// are of no use in device code.
static void passSizesAsNumbers(OpBuilder &b, Operation *op) {
  Region &region = op->getRegion(0);
  llvm::SetVector<Value> sizes;
  region.walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (operand.getType().isIndex() &&
          !region.isAncestor(operand.getParentRegion()) &&
          !matchPattern(operand, m_Constant()))
        sizes.insert(operand);
  });
  for (Value size : sizes) {
    Value number =
        arith::IndexCastOp::create(b, op->getLoc(), b.getI64Type(), size);
    OpBuilder inside = OpBuilder::atBlockBegin(&region.front());
    Value again = arith::IndexCastOp::create(inside, op->getLoc(),
                                             inside.getIndexType(), number);
    size.replaceUsesWithIf(again, [&](OpOperand &use) {
      return region.isAncestor(use.getOwner()->getParentRegion()) &&
             use.getOwner() != again.getDefiningOp();
    });
  }
}

/// Names for the axes of a chain: rows, columns and reduction of the second
/// product, and the reduction of the first.
static SmallVector<std::string> nameAxes(const RunningChain &chain) {
  SmallVector<std::string> names;
  for (unsigned axis = 0; axis < chain.getInnerAxis(); ++axis)
    names.push_back(axis == chain.product.m   ? "m"
                    : axis == chain.product.n ? "n"
                    : axis == chain.product.k ? "k"
                                              : "d" + std::to_string(axis));
  names.push_back("inner");
  return names;
}

static void fuse(const DeviceChain &found, HwAttr hw, StringRef name) {
  const RunningChain &chain = found.chain;
  linalg::LinalgOp product = chain.product.op;
  auto last = cast<linalg::LinalgOp>(found.ops.back());
  OpBuilder b(last);
  b.setInsertionPointAfter(last);
  SizeArith arith(b, last.getLoc());
  GpuChainSizes sizes{arith.size(1),
                      getChainExtent(arith, chain, chain.product.m),
                      getChainExtent(arith, chain, chain.product.n),
                      getChainExtent(arith, chain, chain.product.k),
                      getChainExtent(arith, chain, chain.getInnerAxis())};
  for (unsigned loop : chain.product.batch)
    sizes.batch = sizes.batch * getChainExtent(arith, chain, loop);
  // The fastest of the tiles that the sizes allow; alignment, which is not
  // known yet, is taken to be there.
  Real best = arith.real(std::numeric_limits<double>::infinity());
  Flag allowed = arith.flag(false);
  for (const GpuChainTile &tile : found.tiles) {
    Flag fits = emitChainGuard(arith, tile, sizes);
    Real time = emitChainTime(arith, hw, chain, tile, sizes);
    if (tile.run > 1)
      best = min(best, arith.select(fits, time, best));
    // What has no alignment runs where all others do.
    else
      allowed = allowed | fits;
  }
  ChoiceOfChain choice;
  choice.name = name.str();
  choice.ops = found.ops;
  choice.results = {last->getResult(0)};
  choice.fusedCost = best.value;
  choice.partsCost = emitPartsTime(arith, hw, chain, sizes).value;
  choice.allowed = allowed.value;
  SmallVector<std::string> names = nameAxes(chain);
  replaceByChoice(b, choice, [&] {
    IRMapping map;
    KernelGroup group;
    for (Operation *op : found.ops) {
      cloneWithInits(b, cast<linalg::LinalgOp>(op), choice.results, map);
      Operation *clone = map.lookup(op->getResult(0)).getDefiningOp();
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPoint(clone);
      passSizesAsNumbers(b, clone);
      group.ops.insert(clone);
    }
    group.payloadClass = PayloadClass::Contraction;
    group.anchor = map.lookup(product->getResult(0)).getDefiningOp();
    // What the kernel gives is what something behind it reads.
    auto marker = UnrealizedConversionCastOp::create(
        b, last.getLoc(), last->getResult(0).getType(),
        map.lookup(last->getResult(0)));
    createKernel(group, (name + ".fused").str(),
                 SmallVector<StringRef>(names.begin(), names.end()));
    SmallVector<Value> made = {marker.getOperand(0)};
    marker.erase();
    return made;
  });
}

/// The chain that ends in `product`, with what is `behind` it in its kernel.
static std::optional<DeviceChain> findDeviceChain(linalg::LinalgOp product,
                                                  const KernelGroup &group,
                                                  HwAttr hw, std::string &why) {
  std::optional<RunningChain> chain = matchRunningChain(product, why);
  if (!chain)
    return std::nullopt;
  CandidateReport grown;
  DeviceChain found{*chain, growChainTiles(*chain, hw, grown), {}};
  if (found.tiles.empty()) {
    why = llvm::join(grown.pruned, "; ");
    return std::nullopt;
  }
  llvm::append_range(found.ops, llvm::make_first_range(chain->axes));
  llvm::append_range(found.ops, group.ops);
  llvm::sort(found.ops,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return found;
}

/// Fuses the chains of a block, from the last on; gives how many.
static unsigned fuseOnDevice(FunctionOpInterface function, Block &block,
                             HwAttr hw, unsigned first) {
  unsigned count = 0;
  llvm::DenseSet<Operation *> gone;
  SmallVector<KernelGroup> groups = groupKernels(function, block);
  for (const KernelGroup &group : llvm::reverse(groups)) {
    if (group.payloadClass != PayloadClass::Contraction ||
        gone.contains(group.anchor))
      continue;
    auto product = cast<linalg::LinalgOp>(group.anchor);
    std::string why;
    std::optional<DeviceChain> found = findDeviceChain(product, group, hw, why);
    std::optional<MatrixProduct> matrices = matchMatrixProduct(product);
    if (!found) {
      // A product that reads what no op makes is no part of a chain at all.
      if (matrices)
        if (auto weights =
                dyn_cast<OpResult>(product->getOperand(matrices->rows));
            weights && isa<linalg::LinalgOp>(weights.getOwner()))
          report(weights, why);
      continue;
    }
    for (const auto &entry : found->chain.axes)
      report(entry.first->getResult(0), "");
    gone.insert(found->ops.begin(), found->ops.end());
    fuse(*found, hw,
         (function.getName() + ".chain." + Twine(first + count++)).str());
  }
  return count;
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
        HwAttr hw = targets.front();
        if (!hw.getLevel("l2"))
          return success();
        unsigned count = 0;
        for (Block *block : getProgramBlocks(function)) {
          if (hw.isGPU()) {
            count += fuseOnDevice(function, *block, hw, count);
            continue;
          }
          for (Chain &chain : findChains(function, *block, hw, report)) {
            fuse(chain, hw,
                 (function.getName() + ".chain." + Twine(count++)).str());
          }
        }
        numChains += count;
        return success();
      });
  if (failed(result))
    signalPassFailure();
}
