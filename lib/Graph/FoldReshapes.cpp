//===- FoldReshapes.cpp - Reshapes whose groups are known -----------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Dialect/Vortex/Analysis/SizeAnalysis.h"
#include "vortex/Dialect/Vortex/Transforms/Passes.h"
#include "vortex/Graph/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace vortex {
#define GEN_PASS_DEF_FOLDRESHAPES
#include "vortex/Graph/Passes.h.inc"
} // namespace vortex

using namespace mlir;
using namespace vortex;

/// For each of `few` sizes the neighbours among `many` that multiply to it.
static std::optional<SmallVector<ReassociationIndices>>
findGroups(ArrayRef<SizeExpr> many, ArrayRef<SizeExpr> few,
           SizeContext &context, const SizeFacts &facts) {
  SmallVector<ReassociationIndices> groups;
  size_t next = 0;
  for (SizeExpr size : few) {
    if (next == many.size())
      return std::nullopt;
    ReassociationIndices group{static_cast<int64_t>(next)};
    SizeExpr product = many[next++];
    while (facts.areEqual(product, size) != Answer::Yes) {
      if (next == many.size())
        return std::nullopt;
      product = context.mul(product, many[next]);
      group.push_back(next++);
    }
    groups.push_back(group);
  }
  // What is left can only be dimensions of size 1.
  for (; next < many.size(); ++next) {
    if (groups.empty() ||
        facts.areEqual(many[next], context.constant(1)) != Answer::Yes)
      return std::nullopt;
    groups.back().push_back(next);
  }
  return groups;
}

namespace {
struct ReshapeFold {
  tensor::ReshapeOp reshape;
  SmallVector<ReassociationIndices> groups;
};
} // namespace

static std::optional<ReshapeFold> match(tensor::ReshapeOp reshape,
                                        SizeAnalysis &sizes) {
  auto source = dyn_cast<RankedTensorType>(reshape.getSource().getType());
  auto result = dyn_cast<RankedTensorType>(reshape.getType());
  if (!source || !result || source.getRank() == result.getRank())
    return std::nullopt;
  auto sizesOf = [&](Value value, int64_t rank) {
    SmallVector<SizeExpr> all;
    for (int64_t dim = 0; dim < rank; ++dim)
      all.push_back(sizes.getDim(value, dim));
    return all;
  };
  SmallVector<SizeExpr> from = sizesOf(reshape.getSource(), source.getRank());
  SmallVector<SizeExpr> to = sizesOf(reshape.getResult(), result.getRank());
  bool collapses = from.size() > to.size();
  // Sizes of what is expanded are operands of the new op.
  if (!collapses && !reshape.getShape().getDefiningOp<tensor::FromElementsOp>())
    return std::nullopt;
  const SizeFacts &facts = sizes.getFactsAt(reshape);
  auto groups = collapses ? findGroups(from, to, sizes.getContext(), facts)
                          : findGroups(to, from, sizes.getContext(), facts);
  if (!groups)
    return std::nullopt;
  // A dimension is of known size if those that it is made of are, and else of
  // unknown size.
  ArrayRef<int64_t> many = (collapses ? source : result).getShape();
  ArrayRef<int64_t> few = (collapses ? result : source).getShape();
  for (auto [group, size] : llvm::zip(*groups, few)) {
    bool unknown = llvm::any_of(
        group, [&](int64_t dim) { return ShapedType::isDynamic(many[dim]); });
    if (unknown != ShapedType::isDynamic(size))
      return std::nullopt;
  }
  return ReshapeFold{reshape, *groups};
}

static void apply(ReshapeFold &fold) {
  tensor::ReshapeOp reshape = fold.reshape;
  auto result = cast<RankedTensorType>(reshape.getType());
  OpBuilder b(reshape);
  Location loc = reshape.getLoc();
  auto source = cast<RankedTensorType>(reshape.getSource().getType());
  Value value;
  if (source.getRank() > result.getRank()) {
    value = tensor::CollapseShapeOp::create(b, loc, result, reshape.getSource(),
                                            fold.groups);
  } else {
    auto shape = reshape.getShape().getDefiningOp<tensor::FromElementsOp>();
    SmallVector<OpFoldResult> sizes;
    for (auto [size, element] :
         llvm::zip(result.getShape(), shape.getElements())) {
      if (!ShapedType::isDynamic(size))
        sizes.push_back(b.getIndexAttr(size));
      else if (element.getType().isIndex())
        sizes.push_back(element);
      else
        sizes.push_back(
            arith::IndexCastOp::create(b, loc, b.getIndexType(), element)
                .getResult());
    }
    value = tensor::ExpandShapeOp::create(b, loc, result, reshape.getSource(),
                                          fold.groups, sizes);
  }
  reshape.replaceAllUsesWith(value);
  reshape->erase();
}

namespace {
struct FoldReshapesPass : vortex::impl::FoldReshapesBase<FoldReshapesPass> {
  void runOnOperation() override {
    (void)forEachFunction(getOperation(), [&](FunctionOpInterface function) {
      SmallVector<ReshapeFold> folds;
      std::optional<SizeAnalysis> sizes;
      function->walk([&](tensor::ReshapeOp reshape) {
        if (!sizes)
          sizes.emplace(function, SizeTrust::Ops);
        if (std::optional<ReshapeFold> fold = match(reshape, *sizes))
          folds.push_back(std::move(*fold));
      });
      sizes.reset();
      for (ReshapeFold &fold : folds)
        apply(fold);
      numFolded += folds.size();
      return success();
    });
  }
};
} // namespace
