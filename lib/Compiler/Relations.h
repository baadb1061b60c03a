//===- Relations.h - Sizes that ops need to agree ------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_LIB_COMPILER_RELATIONS_H
#define VORTEX_LIB_COMPILER_RELATIONS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>
#include <vector>

namespace vortex {

/// What the ops that every call of `function` runs need of the sizes of its
/// arguments, as relations of the run time: "arg0.dim1 == arg1.dim0". Without
/// them a call with sizes that contradict each other would read and write
/// outside of its tensors. Ops in branches and loops are not looked at, nor are
/// sizes that the program computes.
std::vector<std::string> inferRelations(mlir::func::FuncOp function);

} // namespace vortex

#endif // VORTEX_LIB_COMPILER_RELATIONS_H
