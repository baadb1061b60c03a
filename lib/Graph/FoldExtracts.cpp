//===- FoldExtracts.cpp - Extracted elements as operands ------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scope.h"

#include "vortex/Dialect/Vortex/Analysis/SizeAnalysis.h"
#include "vortex/Dialect/Vortex/Transforms/Passes.h"
#include "vortex/Graph/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

namespace vortex {
#define GEN_PASS_DEF_FOLDEXTRACTS
#include "vortex/Graph/Passes.h.inc"
} // namespace vortex

using namespace mlir;
using namespace vortex;

namespace {
/// An extraction and the map that reads its tensor instead.
struct ExtractFold {
  tensor::ExtractOp extract;
  AffineMap map;
};

/// Answers for one function, in which nothing changes meanwhile.
class Matcher {
public:
  explicit Matcher(FunctionOpInterface function)
      : sizes(function, SizeTrust::Ops) {}
  std::optional<AffineMap> match(linalg::GenericOp op,
                                 tensor::ExtractOp extract);

private:
  SizeExpr getExtent(linalg::GenericOp op, unsigned loop);
  AffineExpr getIndex(linalg::GenericOp op, Value index, SizeExpr size);

  SizeAnalysis sizes;
};
} // namespace

SizeExpr Matcher::getExtent(linalg::GenericOp op, unsigned loop) {
  for (OpOperand &operand : op->getOpOperands())
    if (auto dim = op.getMatchingIndexingMap(&operand).getResultPosition(
            getAffineDimExpr(loop, op.getContext())))
      return sizes.getDim(operand.get(), *dim);
  return {};
}

/// `index` into a dimension of `size` elements as an expression of the loops;
/// null when it is none.
AffineExpr Matcher::getIndex(linalg::GenericOp op, Value index, SizeExpr size) {
  const SizeFacts &facts = sizes.getFactsAt(op);
  if (matchPattern(index, m_Zero()) &&
      facts.areEqual(size, sizes.getContext().constant(1)) == Answer::Yes)
    return getAffineConstantExpr(0, op.getContext());
  // Zero where there is but one element: the loop's index is zero, too.
  if (auto select = index.getDefiningOp<arith::SelectOp>()) {
    auto compare = select.getCondition().getDefiningOp<arith::CmpIOp>();
    if (!compare || compare.getPredicate() != arith::CmpIPredicate::eq ||
        !matchPattern(compare.getRhs(), m_One()) ||
        !matchPattern(select.getTrueValue(), m_Zero()) ||
        facts.areEqual(size, sizes.get(compare.getLhs())) != Answer::Yes)
      return {};
    index = select.getFalseValue();
  }
  auto loop = index.getDefiningOp<linalg::IndexOp>();
  if (!loop || loop->getParentOp() != op ||
      facts.areEqual(size, getExtent(op, loop.getDim())) != Answer::Yes)
    return {};
  return getAffineDimExpr(loop.getDim(), op.getContext());
}

std::optional<AffineMap> Matcher::match(linalg::GenericOp op,
                                        tensor::ExtractOp extract) {
  if (op->isAncestor(extract.getTensor().getParentBlock()->getParentOp()))
    return std::nullopt;
  SmallVector<AffineExpr> exprs;
  for (auto [dim, index] : llvm::enumerate(extract.getIndices())) {
    AffineExpr expr =
        getIndex(op, index, sizes.getDim(extract.getTensor(), dim));
    if (!expr)
      return std::nullopt;
    exprs.push_back(expr);
  }
  return AffineMap::get(op.getNumLoops(), 0, exprs, op.getContext());
}

/// `op` with one more input for each of `folds`.
static void apply(linalg::GenericOp op, MutableArrayRef<ExtractFold> folds) {
  OpBuilder b(op);
  SmallVector<Value> inputs(op.getInputs());
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  unsigned position = inputs.size();
  for (ExtractFold &fold : folds) {
    inputs.push_back(fold.extract.getTensor());
    maps.insert(maps.begin() + position++, fold.map);
  }
  auto changed = linalg::GenericOp::create(
      b, op.getLoc(), op->getResultTypes(), inputs, op.getOutputs(), maps,
      op.getIteratorTypesArray(), /*bodyBuild=*/nullptr,
      llvm::to_vector(op->getDiscardableAttrs()));
  Block *body = op.getBlock();
  for (auto [i, fold] : llvm::enumerate(folds)) {
    Value argument =
        body->insertArgument(op.getNumDpsInputs() + i, fold.extract.getType(),
                             fold.extract.getLoc());
    fold.extract.replaceAllUsesWith(argument);
    fold.extract->erase();
  }
  changed.getRegion().takeBody(op.getRegion());
  op->replaceAllUsesWith(changed);
  op->erase();
}

namespace {
struct FoldExtractsPass : vortex::impl::FoldExtractsBase<FoldExtractsPass> {
  void runOnOperation() override {
    (void)forEachFunction(getOperation(), [&](FunctionOpInterface function) {
      SmallVector<std::pair<linalg::GenericOp, SmallVector<ExtractFold>>> work;
      std::optional<Matcher> matcher;
      function->walk([&](linalg::GenericOp op) {
        SmallVector<ExtractFold> folds;
        if (!isInKernel(op) && op.hasPureTensorSemantics())
          for (auto extract : op.getBlock()->getOps<tensor::ExtractOp>()) {
            if (!matcher)
              matcher.emplace(function);
            if (std::optional<AffineMap> map = matcher->match(op, extract))
              folds.push_back({extract, *map});
          }
        if (!folds.empty())
          work.push_back({op, std::move(folds)});
      });
      matcher.reset();
      for (auto &[op, folds] : work) {
        numFolded += folds.size();
        apply(op, folds);
      }
      return success();
    });
  }
};
} // namespace
