//===- MatrixForm.cpp - Matrix instructions with device code ----*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Dialect/Vortex/IR/MatrixForm.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace vortex;

bool vortex::hasMatrixForm(HwInstructionAttr instruction) {
  Type a = instruction.getA(), acc = instruction.getAcc();
  bool group = instruction.getKind() == "wgmma";
  if (a != instruction.getB() ||
      (!group && instruction.getKind() != "mma_sync"))
    return false;
  bool wide = acc.isF64() && a.isF64() && !group;
  bool narrow = ((a.isF16() || a.isBF16()) && acc.isF32()) ||
                (a.isInteger(8) && acc.isInteger(32));
  int64_t rows = group ? 64 : wide ? 8 : 16;
  return (wide || narrow) && instruction.getM() == rows &&
         (group || instruction.getN() == 8) &&
         instruction.getK() * a.getIntOrFloatBitWidth() == kStepBytes * 8;
}

std::optional<IntegerSigns> vortex::getIntegerSigns(linalg::LinalgOp op) {
  Block &body = op->getRegion(0).front();
  Type acc = body.getArguments().back().getType();
  bool isUnsigned[2];
  for (unsigned i = 0; i < 2; ++i) {
    BlockArgument factor = body.getArgument(i);
    if (!factor.hasOneUse())
      return std::nullopt;
    Operation *user = *factor.user_begin();
    if (!isa<arith::ExtSIOp, arith::ExtUIOp>(user) ||
        user->getResult(0).getType() != acc)
      return std::nullopt;
    isUnsigned[i] = isa<arith::ExtUIOp>(user);
  }
  return IntegerSigns{isUnsigned[0], isUnsigned[1]};
}
