//===- ProductSums.cpp - Products that are added up -----------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Dialect/Vortex/IR/ProductSums.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

arith::MulFOp vortex::getAddedProduct(Operation &op) {
  auto add = dyn_cast<arith::AddFOp>(op);
  if (!add || !(add.getType().isF32() || add.getType().isF64()))
    return {};
  Value sum = op.getBlock()->getArguments().back();
  Value product = add.getLhs() == sum ? add.getRhs() : add.getLhs();
  if (product == sum || (add.getLhs() != sum && add.getRhs() != sum) ||
      !product.hasOneUse() || product.getParentBlock() != op.getBlock())
    return {};
  return product.getDefiningOp<arith::MulFOp>();
}

void vortex::allowContraction(Operation *op) {
  if (!isa<arith::MulFOp, arith::AddFOp, arith::SubFOp>(op) ||
      !isa<FloatType>(getElementTypeOrSelf(op->getResult(0).getType())))
    return;
  auto real = cast<arith::ArithFastMathInterface>(op);
  arith::FastMathFlags flags = arith::FastMathFlags::contract;
  if (arith::FastMathFlagsAttr given = real.getFastMathFlagsAttr())
    flags = flags | given.getValue();
  op->setAttr(real.getFastMathAttrName(),
              arith::FastMathFlagsAttr::get(op->getContext(), flags));
}
