//===- ReductionOrder.cpp - In which order terms are added up -------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the bits of a sum depend on: the instruction (how many terms it takes
// at once, and where it rounds), how many sums there are until they are joined,
// and which products LLVM contracts, which follows how often each is used and
// so the height of a tile. Blocks of a reduction that are walked in turn go on
// with the sum of the block before; threads, packing and masks move operands
// alone.
//
//===----------------------------------------------------------------------===//

#include "ReductionOrder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace vortex;

/// The stage that runs the anchor; null for none.
static StageOp getAnchorStage(KernelOp kernel, CandidateOp candidate) {
  Operation *anchor = kernel.getAnchor();
  auto id = anchor ? anchor->getAttrOfType<StringAttr>(kIdAttr) : StringAttr();
  StageOp found;
  candidate.getSchedule().walk([&](StageOp stage) {
    if (llvm::is_contained(stage.getOps(), id))
      found = stage;
  });
  return found;
}

/// The kind of instruction or the library that adds up; none: generic loops.
/// Integers are the same in whatever order.
static StringRef getInstruction(KernelOp kernel, CandidateOp candidate) {
  if (Operation *anchor = kernel.getAnchor();
      anchor && anchor->getNumResults() == 1 &&
      getElementTypeOrSelf(anchor->getResult(0).getType()).isInteger())
    return "integers";
  StageOp stage = getAnchorStage(kernel, candidate);
  if (stage && stage.getMicro()) {
    MicroKernelAttr micro = *stage.getMicro();
    if (micro.getInstruction() == "fma" && micro.getLaneAxis() >= 0)
      return "fma along the reduction";
    return micro.getGroup() > 1 ? micro.getOpcode() : micro.getInstruction();
  }
  return stage && stage.getLibrary() ? *stage.getLibrary() : "none";
}

/// Why the order of the terms follows more than the length of the reduction;
/// empty if it does not, or if sums are `exact` and no tile tells the orders
/// apart.
static std::string whyVarying(CandidateOp candidate, bool exact) {
  std::string why;
  candidate.getSchedule().walk([&](Operation *op) {
    auto level = dyn_cast<LevelOp>(op);
    if (level && level.getCombine())
      why = "a reduction is divided among units";
    auto stage = dyn_cast<StageOp>(op);
    if (stage && stage.getMicro() && stage.getMicro()->getInFlight())
      why = "tiles of few rows have partial sums ('in_flight')";
    if (stage && stage.getMicro() && stage.getMicro()->getTurns() && !exact)
      why = "groups of rows go through the reduction both ways ('turns')";
  });
  return why;
}

static void forbidContraction(CandidateOp candidate) {
  candidate.getSchedule().walk([](StageOp stage) {
    if (std::optional<MicroKernelAttr> micro = stage.getMicro())
      stage.setMicroAttr(MicroKernelAttr::get(
          stage.getContext(), micro->getInstruction(), micro->getRows(),
          micro->getVectors(), micro->getLanes(), micro->getUnroll(),
          micro->getPrefetch(), micro->getNarrowRows(), micro->getScheduler(),
          micro->getLaneAxis(), micro->getInFlight(), micro->getOpcode(),
          micro->getGroup(), /*contract=*/false, micro->getTurns()));
  });
}

LogicalResult vortex::keepOneOrder(KernelOp kernel, CandidateReport &report) {
  SmallVector<CandidateOp> candidates = kernel.getCandidateOps();
  if (candidates.empty())
    return success();
  std::string reasons;
  auto drop = [&](CandidateOp candidate, const Twine &why) {
    std::string text = (candidate.getSymName() + ": " + why).str();
    reasons += (reasons.empty() ? "" : "; ") + text;
    report.pruned.push_back(text + " (batch-invariant)");
    candidate->erase();
  };
  SmallVector<CandidateOp> steady;
  for (CandidateOp candidate : candidates)
    if (std::string why = whyVarying(
            candidate, getInstruction(kernel, candidate) == "integers");
        !why.empty())
      drop(candidate, why);
    else
      steady.push_back(candidate);
  // Where no guard holds, generic loops run, which round products.
  CandidateOp *model = llvm::find_if(steady, [](CandidateOp candidate) {
    return candidate.getGuard().empty();
  });
  if (model == steady.end())
    return kernel.emitOpError()
           << "has no candidate that adds up in one order and runs at all "
              "sizes, as deterministic=batch-invariant asks"
           << (reasons.empty() ? "" : ": ") << reasons;
  StringRef instruction = getInstruction(kernel, *model);
  StringRef name = model->getSymName();
  for (CandidateOp candidate : steady)
    if (getInstruction(kernel, candidate) == instruction)
      forbidContraction(candidate);
    else
      drop(candidate, "adds up by '" + getInstruction(kernel, candidate) +
                          "', " + name + " by '" + instruction + "'");
  return success();
}

void vortex::clearFastMath(Operation *root) {
  root->walk([](arith::ArithFastMathInterface op) {
    arith::FastMathFlagsAttr flags = op.getFastMathFlagsAttr();
    if (flags && flags.getValue() != arith::FastMathFlags::none)
      op->setAttr(op.getFastMathAttrName(),
                  arith::FastMathFlagsAttr::get(op.getContext(),
                                                arith::FastMathFlags::none));
  });
}
