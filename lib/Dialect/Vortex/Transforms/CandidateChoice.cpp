//===- CandidateChoice.cpp - The choice as arithmetic ---------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CandidateChoice.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace vortex;

/// Copies the ops of a region with one yielded value and returns that value.
static Value inlineRegion(OpBuilder &b, Region &region, IRMapping map) {
  for (Operation &op : region.front().without_terminator())
    b.clone(op, map);
  return map.lookupOrDefault(region.front().getTerminator()->getOperand(0));
}

CandidateChoice vortex::createChoice(OpBuilder &b, KernelOp kernel,
                                     ValueRange extents) {
  Location loc = kernel.getLoc();
  // What the candidates share comes first.
  IRMapping map;
  map.map(kernel.getCandidates().front().getArguments(), extents);
  for (Operation &op : kernel.getCandidates().front())
    if (!isa<CandidateOp>(op))
      b.clone(op, map);

  CandidateChoice result;
  Value best;
  for (auto [i, candidate] : llvm::enumerate(kernel.getCandidateOps())) {
    result.names.push_back(candidate.getSymName());
    Value guard = candidate.getGuard().empty()
                      ? arith::ConstantIntOp::create(b, loc, 1, 1).getResult()
                      : inlineRegion(b, candidate.getGuard(), map);
    Value cost = candidate.getCost().empty()
                     ? arith::ConstantFloatOp::create(b, loc, b.getF64Type(),
                                                      APFloat(0.0))
                           .getResult()
                     : inlineRegion(b, candidate.getCost(), map);
    result.allowed.push_back(guard);
    result.costs.push_back(cost);
    Value position = arith::ConstantIndexOp::create(b, loc, i);
    if (i == 0) {
      Value none = arith::ConstantIndexOp::create(b, loc, -1);
      Value never = arith::ConstantFloatOp::create(
          b, loc, b.getF64Type(), APFloat::getInf(APFloat::IEEEdouble()));
      result.preferred = arith::SelectOp::create(b, loc, guard, position, none);
      best = arith::SelectOp::create(b, loc, guard, cost, never);
      continue;
    }
    Value cheaper =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, cost, best);
    Value better = arith::AndIOp::create(b, loc, guard, cheaper);
    result.preferred =
        arith::SelectOp::create(b, loc, better, position, result.preferred);
    best = arith::SelectOp::create(b, loc, better, cost, best);
  }
  return result;
}
