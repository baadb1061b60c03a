//===- WindowProduct.cpp - Products over windows ----------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Dialect/Vortex/IR/WindowProduct.h"

using namespace mlir;
using namespace vortex;

int64_t vortex::getJoined(LevelOp level) {
  auto joined = level->getAttrOfType<IntegerAttr>(kJoinedAttr);
  return joined ? joined.getInt() : 1;
}

static bool isSumOfAxes(AffineExpr expr) {
  if (isa<AffineDimExpr>(expr))
    return true;
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return false;
  if (binary.getKind() == AffineExprKind::Add)
    return isSumOfAxes(binary.getLHS()) && isSumOfAxes(binary.getRHS());
  auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
  return binary.getKind() == AffineExprKind::Mul && factor &&
         factor.getValue() > 0 && isSumOfAxes(binary.getLHS());
}

bool vortex::isWindowMap(AffineMap map) {
  return map.getNumSymbols() == 0 &&
         llvm::all_of(map.getResults(), isSumOfAxes);
}

bool vortex::hasWindow(linalg::LinalgOp op) {
  return op.getNumReductionLoops() > 1 ||
         !op.getIndexingMapsArray().front().isProjectedPermutation();
}

std::optional<unsigned> vortex::getRingReduction(linalg::LinalgOp op) {
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  if (reductions.empty())
    return std::nullopt;
  if (!hasWindow(op))
    return reductions.front();
  AffineMap left = op.getIndexingMapsArray().front();
  if (left.getNumResults() == 0)
    return std::nullopt;
  auto inner = dyn_cast<AffineDimExpr>(left.getResults().back());
  if (!inner || !llvm::is_contained(reductions, inner.getPosition()))
    return std::nullopt;
  return inner.getPosition();
}

std::optional<unsigned> vortex::getNextReduction(linalg::LinalgOp op) {
  std::optional<unsigned> ring = getRingReduction(op);
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (!ring || !hasWindow(op) || !maps[1].isProjectedPermutation())
    return std::nullopt;
  AffineExpr inner = getAffineDimExpr(*ring, op.getContext());
  std::optional<unsigned> right = maps[1].getResultPosition(inner);
  unsigned left = maps[0].getNumResults() - 1;
  if (!right || *right == 0 || left == 0)
    return std::nullopt;
  unsigned next = maps[1].getDimPosition(*right - 1);
  AffineExpr outer = getAffineDimExpr(next, op.getContext());
  if (op.getIteratorTypesArray()[next] != utils::IteratorType::reduction)
    return std::nullopt;
  // Once, in the coordinate in front of the contiguous one, times one.
  for (unsigned i = 0; i < maps[0].getNumResults(); ++i)
    if (i != left - 1 && maps[0].getResult(i).isFunctionOfDim(next))
      return std::nullopt;
  SmallVector<AffineExpr> terms = {maps[0].getResult(left - 1)};
  unsigned found = 0;
  while (!terms.empty()) {
    AffineExpr term = terms.pop_back_val();
    found += term == outer;
    auto sum = dyn_cast<AffineBinaryOpExpr>(term);
    if (sum && sum.getKind() == AffineExprKind::Add)
      terms.append({sum.getLHS(), sum.getRHS()});
    else if (term != outer && term.isFunctionOfDim(next))
      return std::nullopt;
  }
  return found == 1 ? std::optional<unsigned>(next) : std::nullopt;
}
