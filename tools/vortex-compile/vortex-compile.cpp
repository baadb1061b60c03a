//===- vortex-compile.cpp - Compiles MLIR to an artifact -*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Compiler/CommandLine.h"

int main(int argc, char **argv) { return vortex::runCompiler(argc, argv); }
