//===- SpillCount.h - Spills in the innermost loops of code -----*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_LIB_COMPILER_SPILLCOUNT_H
#define VORTEX_LIB_COMPILER_SPILLCOUNT_H

namespace llvm {
class FunctionPass;
} // namespace llvm

namespace vortex {

/// A pass over machine code in its final form, to run just before it is
/// printed. Adds to `count` the instructions of innermost loops that move a
/// vector register to or from the stack slot of a spill, reloads folded into
/// arithmetic included, but for loops where they are so few that its time does
/// not show it. `count` must outlive the pass.
llvm::FunctionPass *createSpillCounter(unsigned &count);

} // namespace vortex

#endif // VORTEX_LIB_COMPILER_SPILLCOUNT_H
