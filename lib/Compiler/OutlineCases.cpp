//===- OutlineCases.cpp - The cases of a tile as functions ----------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OutlineCases.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/CodeExtractor.h"

using namespace llvm;

/// The blocks of the case that begins at `entry`: those it dominates. None
/// where it is no region of its own or has no loop.
static SmallVector<BasicBlock *> getCase(BasicBlock *entry,
                                         const DominatorTree &dominators,
                                         const LoopInfo &loops) {
  if (!entry->getSinglePredecessor())
    return {};
  SmallVector<BasicBlock *> blocks;
  dominators.getDescendants(entry, blocks);
  unsigned depth = loops.getLoopDepth(entry);
  BasicBlock *exit = nullptr;
  for (BasicBlock *block : blocks)
    for (BasicBlock *next : successors(block)) {
      if (dominators.dominates(entry, next))
        continue;
      if (exit && next != exit)
        return {};
      exit = next;
    }
  bool hasLoop = any_of(blocks, [&](BasicBlock *block) {
    return loops.getLoopDepth(block) > depth;
  });
  return exit && hasLoop ? blocks : SmallVector<BasicBlock *>();
}

/// Computes addresses of operands in front of the switch, the same for all
/// cases, so that these take an address instead of a base and an offset.
static void shareAddresses(SwitchInst *op, ArrayRef<BasicBlock *> blocks,
                           const DominatorTree &dominators,
                           SmallVectorImpl<Instruction *> &shared) {
  auto isOutside = [&](Value *value) {
    return dominators.dominates(value, op) && !is_contained(shared, value);
  };
  for (BasicBlock *block : blocks)
    for (Instruction &inner : make_early_inc_range(*block)) {
      if (!isa<GetElementPtrInst>(inner) ||
          !all_of(inner.operands(), isOutside))
        continue;
      auto same = find_if(shared, [&](Instruction *other) {
        return other->isIdenticalTo(&inner);
      });
      if (same == shared.end()) {
        inner.moveBefore(op->getIterator());
        shared.push_back(&inner);
        continue;
      }
      inner.replaceAllUsesWith(*same);
      inner.eraseFromParent();
    }
}

/// Computes in the cases what a constant and another of their inputs make up.
static void recompute(ArrayRef<BasicBlock *> blocks,
                      const SetVector<Value *> &inputs) {
  for (Value *input : inputs) {
    auto *op = dyn_cast<BinaryOperator>(input);
    if (!op || !isa<Constant>(op->getOperand(1)) ||
        !inputs.contains(op->getOperand(0)))
      continue;
    Instruction *own = op->clone();
    own->insertBefore(blocks.front()->getFirstInsertionPt());
    op->replaceUsesWithIf(own, [&](Use &use) {
      return is_contained(blocks,
                          cast<Instruction>(use.getUser())->getParent());
    });
  }
}

/// Tells of each pointer that it alone leads to its memory, where that is known
/// of the kernel's argument that it comes from.
static void setAliases(Function &outlined, const SetVector<Value *> &inputs) {
  SmallVector<const Argument *> origins;
  for (Value *input : inputs)
    origins.push_back(input->getType()->isPointerTy()
                          ? dyn_cast<Argument>(getUnderlyingObject(input))
                          : nullptr);
  // Where it is not known of all, one may lead to the memory of another.
  for (auto [input, origin] : zip_equal(inputs, origins))
    if (input->getType()->isPointerTy() && !origin)
      return;
  for (auto [argument, origin] : zip_equal(outlined.args(), origins))
    if (origin && origin->hasNoAliasAttr() && count(origins, origin) == 1)
      argument.addAttr(Attribute::NoAlias);
}

static void outlineCases(Function &function) {
  SmallVector<SwitchInst *> switches;
  for (BasicBlock &block : function)
    if (auto *op = dyn_cast<SwitchInst>(block.getTerminator()))
      switches.push_back(op);
  for (SwitchInst *op : switches) {
    DominatorTree dominators(function);
    LoopInfo loops(dominators);
    SmallVector<std::pair<SmallVector<BasicBlock *>, std::string>> cases;
    for (const auto &branch : op->cases()) {
      SmallVector<BasicBlock *> blocks =
          getCase(branch.getCaseSuccessor(), dominators, loops);
      if (!blocks.empty())
        cases.emplace_back(
            std::move(blocks),
            std::to_string(branch.getCaseValue()->getZExtValue()));
    }
    if (cases.size() < 2)
      continue;
    SmallVector<Instruction *> addresses;
    for (auto &[blocks, name] : cases)
      shareAddresses(op, blocks, dominators, addresses);
    CodeExtractorAnalysisCache cache(function);
    for (auto &[blocks, name] : cases) {
      CodeExtractor extractor(blocks, /*DT=*/nullptr, /*AggregateArgs=*/false,
                              /*BFI=*/nullptr, /*BPI=*/nullptr, /*AC=*/nullptr,
                              /*AllowVarArgs=*/false, /*AllowAlloca=*/false,
                              /*AllocationBlock=*/nullptr, "case_" + name);
      if (!extractor.isEligible())
        continue;
      SetVector<Value *> inputs, outputs, unused;
      extractor.findInputsOutputs(inputs, outputs, unused);
      if (!outputs.empty())
        continue;
      recompute(blocks, inputs);
      inputs.clear();
      Function *outlined = extractor.extractCodeRegion(cache, inputs, outputs);
      if (!outlined)
        continue;
      setAliases(*outlined, inputs);
      outlined->addFnAttr(Attribute::NoInline);
      outlined->setCallingConv(CallingConv::Fast);
      for (User *user : outlined->users())
        cast<CallInst>(user)->setCallingConv(CallingConv::Fast);
    }
  }
}

void vortex::outlineCases(Module &module) {
  SmallVector<Function *> functions;
  for (Function &function : module)
    if (!function.isDeclaration() && !function.hasAddressTaken())
      functions.push_back(&function);
  for (Function *function : functions)
    ::outlineCases(*function);
}
