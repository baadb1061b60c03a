//===- RepeatStepsTest.cpp - Loops whose steps are copied -------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RepeatSteps.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ValueSymbolTable.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SourceMgr.h"

#include "gtest/gtest.h"

using namespace llvm;

namespace {
/// Sums values that begin at %v, each of them %v more than the last, over
/// TRIPS; gives the last value (%now), the one before it (%before) and the sum
/// (%sum), so far as they are asked for.
class RepeatSteps : public testing::Test {
protected:
  Function *run(const std::string &trips) {
    std::string text = R"(
define i64 @f(i64 %q, i64 %v) {
entry:
  %n = )" + trips + R"(
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %body, label %exit
body:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %old = phi i64 [ 0, %entry ], [ %new, %body ]
  %total = phi i64 [ 0, %entry ], [ %more, %body ]
  %new = add i64 %old, %v
  %more = add i64 %total, %new
  %next = add nuw nsw i64 %i, 1
  %again = icmp slt i64 %next, %n
  br i1 %again, label %body, label %exit, !llvm.loop !0
exit:
  %before = phi i64 [ 0, %entry ], [ %old, %body ]
  %now = phi i64 [ 0, %entry ], [ %new, %body ]
  %sum = phi i64 [ 0, %entry ], [ %more, %body ]
  %a = mul i64 %before, %now
  %b = mul i64 %a, %sum
  ret i64 %b
}
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.count", i32 2}
)";
    SMDiagnostic error;
    module = parseAssemblyString(text, error, context);
    EXPECT_TRUE(module) << error.getMessage().str();
    LoopAnalysisManager loops;
    FunctionAnalysisManager functions;
    CGSCCAnalysisManager graph;
    ModuleAnalysisManager modules;
    PassBuilder builder;
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(graph);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, graph, modules);
    Function *function = module->getFunction("f");
    vortex::RepeatStepsPass().run(*function, functions);
    EXPECT_FALSE(verifyModule(*module, &errs()));
    return function;
  }

  /// What the value NAME of `function` is when it comes from the loop.
  static Value *getFromLoop(Function *function, StringRef name) {
    auto *phi = cast<PHINode>(function->getValueSymbolTable()->lookup(name));
    for (BasicBlock *block : phi->blocks())
      if (block->getName() == "body")
        return phi->getIncomingValueForBlock(block);
    return nullptr;
  }

  LLVMContext context;
  std::unique_ptr<Module> module;
};
} // namespace

TEST_F(RepeatSteps, WhatComesBehindIsOfTheLastCopy) {
  Function *f = run("shl nuw nsw i64 %q, 1");
  Value *first = f->getValueSymbolTable()->lookup("new");
  auto *second = dyn_cast<BinaryOperator>(getFromLoop(f, "now"));
  ASSERT_TRUE(second);
  EXPECT_NE(second, first);
  EXPECT_EQ(second->getOperand(0), first);
  // What the last copy found is what the first one made.
  EXPECT_EQ(getFromLoop(f, "before"), first);
  auto *sum = dyn_cast<BinaryOperator>(getFromLoop(f, "sum"));
  ASSERT_TRUE(sum);
  EXPECT_EQ(sum->getOperand(1), second);
}

TEST_F(RepeatSteps, CountsDifferInConstants) {
  Function *f = run("shl nuw nsw i64 %q, 1");
  auto *i = cast<PHINode>(f->getValueSymbolTable()->lookup("i"));
  auto *next = dyn_cast<BinaryOperator>(getFromLoop(f, "i"));
  ASSERT_TRUE(next);
  EXPECT_EQ(next->getOperand(0), i);
  EXPECT_EQ(cast<ConstantInt>(next->getOperand(1))->getSExtValue(), 2);
}

/// Of a number of trips that may be odd one is left over, and asked for.
TEST_F(RepeatSteps, TripsThatAreNoMultipleLeaveOne) {
  Function *f = run("add nuw nsw i64 %q, 1");
  unsigned steps = 0;
  for (BasicBlock &block : *f)
    for (Instruction &instruction : block)
      steps += instruction.getOpcode() == Instruction::Add &&
               instruction.getOperand(1) == f->getArg(1);
  EXPECT_EQ(steps, 3u);
}
