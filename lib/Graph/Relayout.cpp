//===- Relayout.cpp - Ops that only move elements -------------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Relayout.h"

using namespace mlir;
using namespace vortex;

bool Relayout::keepsOrder() const {
  int64_t last = -1;
  for (AffineExpr expr : map.getResults()) {
    int64_t position = cast<AffineDimExpr>(expr).getPosition();
    if (position < last)
      return false;
    last = position;
  }
  return true;
}

std::optional<Relayout> vortex::getRelayout(Value value) {
  auto op = value.getDefiningOp<linalg::LinalgOp>();
  if (!op || !op.hasPureTensorSemantics() || op.getNumReductionLoops() != 0 ||
      op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 1)
    return std::nullopt;
  Block *body = op.getBlock();
  auto yield = cast<linalg::YieldOp>(body->getTerminator());
  if (&body->front() != yield.getOperation() ||
      yield.getOperand(0) != body->getArgument(0))
    return std::nullopt;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (!isa<RankedTensorType>(op.getDpsInputs()[0].getType()) ||
      !maps[0].isProjectedPermutation() || !maps[1].isPermutation())
    return std::nullopt;
  return Relayout{op.getDpsInputs()[0],
                  maps[0].compose(inversePermutation(maps[1]))};
}

linalg::GenericOp vortex::rebuild(OpBuilder &builder, linalg::LinalgOp op,
                                  ValueRange inputs, Value init,
                                  ArrayRef<AffineMap> maps,
                                  ArrayRef<utils::IteratorType> iterators) {
  auto generic = linalg::GenericOp::create(builder, op.getLoc(), init.getType(),
                                           inputs, init, maps, iterators);
  // Named ops keep their maps in an attribute of the dialect's.
  for (NamedAttribute attribute : op->getDiscardableAttrs())
    if (attribute.getNameDialect() != op->getDialect())
      generic->setAttr(attribute.getName(), attribute.getValue());
  builder.cloneRegionBefore(op->getRegion(0), generic.getRegion(),
                            generic.getRegion().end());
  return generic;
}
