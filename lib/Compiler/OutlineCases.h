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
// small product has. So each case of kernels for small products is a function,
// which computes its own. Bodies of parallel loops, whose tiles are many, keep
// theirs: what goes from tile to tile is of use there, and the code generator
// then lets loads of some tiles run ahead until they spill (measured: 10 x 8
// of 16 registers, windows of 6 x 64).
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_LIB_COMPILER_OUTLINECASES_H
#define VORTEX_LIB_COMPILER_OUTLINECASES_H

namespace llvm {
class Module;
} // namespace llvm

namespace vortex {

/// Moves the cases of switches that have loops into functions of their own,
/// named KERNEL.case_NUMBER, which the module keeps to itself; not in functions
/// that threads are given. To be called on optimized code without matrix tiles,
/// whose registers no call preserves.
void outlineCases(llvm::Module &module);

} // namespace vortex

#endif // VORTEX_LIB_COMPILER_OUTLINECASES_H
