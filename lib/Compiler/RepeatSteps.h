//===- RepeatSteps.h - Several steps in each trip of a loop -----*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's loop-unroll forgets, with each loop that it repeats, all that it knows
// of the loops around it. A kernel has a loop over tiles around all of its
// cases, each with loops to repeat, so that it looks through all cases again
// for each of them: half of the time of a kernel's passes. Here all loops are
// looked at first, then repeated.
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_LIB_COMPILER_REPEATSTEPS_H
#define VORTEX_LIB_COMPILER_REPEATSTEPS_H

#include "llvm/IR/PassManager.h"

namespace vortex {

/// Repeats the bodies of loops as often as `llvm.loop.unroll.count` says: those
/// of one block, whose trips are unknown but a multiple of that, here; others
/// by LLVM's pass, which repeats nothing that is not annotated either.
struct RepeatStepsPass : llvm::PassInfoMixin<RepeatStepsPass> {
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
  static llvm::StringRef name() { return "repeat-steps"; }
};

} // namespace vortex

#endif // VORTEX_LIB_COMPILER_REPEATSTEPS_H
