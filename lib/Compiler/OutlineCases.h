//===- OutlineCases.h - The cases of a tile as functions --------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel goes over tiles, and for each of them a switch says which case it
// is: how many rows, how many vectors. In one function with all of them, what
// the code generator computes ahead for the loops of each case (addresses that
// go from tile to tile) is kept up for every tile whichever case it is, in more
// registers than there are: a hundred instructions around a tile, more than a
// small product has. So each case is a function, which computes its own.
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_LIB_COMPILER_OUTLINECASES_H
#define VORTEX_LIB_COMPILER_OUTLINECASES_H

namespace llvm {
class Module;
} // namespace llvm

namespace vortex {

/// Moves the cases of switches that have loops into functions of their own,
/// named KERNEL.case_NUMBER, which the module keeps to itself. To be called on
/// optimized code without matrix tiles, whose registers no call preserves.
void outlineCases(llvm::Module &module);

} // namespace vortex

#endif // VORTEX_LIB_COMPILER_OUTLINECASES_H
