//===- RepeatSteps.cpp - Several steps in each trip of a loop -------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RepeatSteps.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;
using namespace vortex;

/// How often the body of `loop` is to be repeated; 1: as it is.
static unsigned getCount(const Loop &loop) {
  return std::max(
      getOptionalIntLoopAttribute(&loop, "llvm.loop.unroll.count").value_or(1),
      1);
}

/// Whether the loop ends behind a multiple of `count` trips, so that none of
/// them but the last of so many needs to ask. One that is known to have no
/// other trips would no longer be a loop.
static bool canRepeat(const Loop &loop, unsigned count,
                      ScalarEvolution &evolution) {
  BasicBlock *body = loop.getHeader();
  auto *branch = dyn_cast<BranchInst>(body->getTerminator());
  return loop.getNumBlocks() == 1 && branch && branch->isConditional() &&
         none_of(*body, IsaPred<NoAliasScopeDeclInst>) &&
         !evolution.getSmallConstantTripCount(&loop) &&
         evolution.getSmallConstantTripMultiple(&loop) % count == 0;
}

/// Whether `step` adds a constant to what `phi` has, for the next trip: copies
/// of it then differ in constants alone, which 64 bits hold.
static bool isCount(Instruction *step,
                    const SmallVectorImpl<PHINode *> &carried) {
  auto *phi = step->getOpcode() == Instruction::Add
                  ? dyn_cast<PHINode>(step->getOperand(0))
                  : nullptr;
  auto *by = phi ? dyn_cast<ConstantInt>(step->getOperand(1)) : nullptr;
  return by && by->getType()->isIntegerTy(64) &&
         by->getValue().isSignedIntN(32) && is_contained(carried, phi) &&
         phi->getIncomingValueForBlock(step->getParent()) == step;
}

/// Copies the steps of `body`, a loop of its own, behind themselves. What
/// counts trips is the trip's count and a constant in each, so that instcombine
/// sees which bits of it are known.
static void repeat(BasicBlock *body, unsigned count) {
  SmallVector<PHINode *> carried;
  SmallVector<Instruction *> steps;
  for (PHINode &phi : body->phis())
    carried.push_back(&phi);
  for (Instruction &instruction : *body)
    if (!isa<PHINode>(instruction) && !instruction.isTerminator())
      steps.push_back(&instruction);
  DenseMap<Value *, Value *> last; // what each value is in the newest copy
  auto getLast = [&](Value *value) {
    auto found = last.find(value);
    return found == last.end() ? value : found->second;
  };
  for (unsigned copy = 1; copy < count; ++copy) {
    SmallVector<Value *> next;
    for (PHINode *phi : carried)
      next.push_back(getLast(phi->getIncomingValueForBlock(body)));
    ValueToValueMapTy map;
    for (auto [phi, value] : zip_equal(carried, next))
      map[phi] = value;
    for (Instruction *step : steps) {
      Instruction *repeated = step->clone();
      repeated->setName(step->getName());
      repeated->insertBefore(body->getTerminator()->getIterator());
      if (isCount(step, carried)) {
        auto *by = cast<ConstantInt>(step->getOperand(1));
        repeated->setOperand(
            1, ConstantInt::get(by->getType(), by->getValue() * (copy + 1)));
      } else {
        RemapInstruction(repeated, map,
                         RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
      }
      map[step] = repeated;
    }
    for (auto [phi, value] : zip_equal(carried, next))
      last[phi] = value;
    for (Instruction *step : steps)
      last[step] = map[step];
  }
  // The next trip goes on from the last copy, as do the branch and what comes
  // behind the loop. What stands for a value is another of the first copy's, so
  // all uses are found before any is changed.
  SmallVector<std::pair<Use *, Value *>> behind;
  auto find = [&](Instruction *value) {
    for (Use &use : value->uses())
      if (cast<Instruction>(use.getUser())->getParent() != body)
        behind.push_back({&use, getLast(value)});
  };
  for_each(carried, find);
  for_each(steps, find);
  for (auto &[use, value] : behind)
    use->set(value);
  for (PHINode *phi : carried)
    phi->setIncomingValueForBlock(body,
                                  getLast(phi->getIncomingValueForBlock(body)));
  auto *branch = cast<BranchInst>(body->getTerminator());
  branch->setCondition(getLast(branch->getCondition()));
}

PreservedAnalyses RepeatStepsPass::run(Function &function,
                                       FunctionAnalysisManager &analyses) {
  auto &loops = analyses.getResult<LoopAnalysis>(function);
  SmallVector<Loop *> annotated;
  for (Loop *loop : loops.getLoopsInPreorder())
    if (getCount(*loop) > 1)
      annotated.push_back(loop);
  if (annotated.empty())
    return PreservedAnalyses::all();
  auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  auto others = partition(annotated, [&](Loop *loop) {
    return canRepeat(*loop, getCount(*loop), evolution);
  });
  for (Loop *loop : make_range(annotated.begin(), others)) {
    repeat(loop->getHeader(), getCount(*loop));
    loop->setLoopAlreadyUnrolled();
  }
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  if (others == annotated.end())
    return preserved;
  analyses.invalidate(function, preserved);
  LoopUnrollOptions options(/*OptLevel=*/3);
  options.setPartial(false).setPeeling(false).setProfileBasedPeeling(0);
  options.setRuntime(false).setUpperBound(false).setFullUnrollMaxCount(0);
  preserved.intersect(LoopUnrollPass(options).run(function, analyses));
  return preserved;
}
