//===- GeneralKernel.cpp - One code for several extents -------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GeneralKernel.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace vortex;

KernelCopy::KernelCopy(KernelOp original)
    : kernel(cast<KernelOp>(original->clone())) {
  kernel.setName("");
  for (OpOperand &operand : kernel->getOpOperands())
    operand.set(
        operands.addArgument(operand.get().getType(), operand.get().getLoc()));
}

KernelCopy::~KernelCopy() { kernel->erase(); }

std::string KernelCopy::getText() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  kernel->walk([&](Operation *op) {
    op->getAttrDictionary().walk([&](ElementsAttr constant) {
      os << constant.getAsOpaquePointer() << ';';
    });
  });
  OpPrintingFlags flags;
  flags.printGenericOpForm().useLocalScope().elideLargeElementsAttrs(16);
  // Operands are printed by number; only their types matter.
  kernel->print(os, flags);
  return text;
}

/// Whether the types of the op's results follow from those of its operands,
/// so that an extent of theirs may be unknown if it is there.
static bool hasSizesOfOperands(Operation *op) {
  return isa<KernelOp, linalg::LinalgOp, tensor::PadOp>(op);
}

/// The tensors of a kernel, in an order that kernels which are the same op for
/// op share: what it takes, what it computes and what that is called inside.
static SmallVector<Value> getTensors(KernelOp kernel) {
  SmallVector<Value> tensors;
  auto add = [&](ValueRange values) {
    for (Value value : values)
      if (isa<RankedTensorType>(value.getType()))
        tensors.push_back(value);
  };
  add(kernel->getOperands());
  kernel->walk<WalkOrder::PreOrder>([&](Operation *op) {
    add(op->getResults());
    for (Region &region : op->getRegions())
      for (Block &block : region)
        add(block.getArguments());
  });
  return tensors;
}

static void setShape(Value value, ArrayRef<int64_t> shape) {
  value.setType(cast<RankedTensorType>(value.getType()).clone(shape));
}

void KernelCopy::forgetExtents() {
  for (Value value : getTensors(kernel)) {
    Operation *op = value.getDefiningOp();
    if (op && !hasSizesOfOperands(op))
      continue;
    SmallVector<int64_t> shape(
        cast<RankedTensorType>(value.getType()).getShape());
    for (int64_t &extent : shape)
      if (extent > kSmallExtent)
        extent = ShapedType::kDynamic;
    setShape(value, shape);
  }
}

void KernelCopy::joinExtents(KernelOp other) {
  for (auto [mine, theirs] :
       llvm::zip_equal(getTensors(kernel), getTensors(other))) {
    SmallVector<int64_t> shape(
        cast<RankedTensorType>(mine.getType()).getShape());
    for (auto [extent, wanted] : llvm::zip_equal(
             shape, cast<RankedTensorType>(theirs.getType()).getShape()))
      if (extent != wanted)
        extent = ShapedType::kDynamic;
    setShape(mine, shape);
  }
}
