//===- LowerMicroKernels.cpp - Register tiles to vector code --------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MicroKernelEmitter.h"
#include "OuterTile.h"
#include "StripTile.h"

#include "vortex/Dialect/Vortex/Transforms/Passes.h"

#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace vortex {
#define GEN_PASS_DEF_LOWERMICROKERNELS
#include "vortex/Dialect/Vortex/Transforms/Passes.h.inc"
} // namespace vortex

#define DEBUG_TYPE "vortex-lower-micro-kernels"

using namespace mlir;
using namespace vortex;

namespace {
struct LowerMicroKernelsPass
    : vortex::impl::LowerMicroKernelsBase<LowerMicroKernelsPass> {
  using LowerMicroKernelsBase::LowerMicroKernelsBase;
  void runOnOperation() override;
};
} // namespace

/// The ops of the tile, on its operands.
static SmallVector<Value> inlineTile(OpBuilder &b, MicroKernelOp kernel) {
  Block &body = kernel.getBody().front();
  IRMapping map;
  map.map(body.getArguments(), kernel->getOperands());
  for (Operation &op : body.without_terminator())
    b.clone(op, map);
  return llvm::map_to_vector(
      body.getTerminator()->getOperands(),
      [&](Value value) { return map.lookupOrDefault(value); });
}

void LowerMicroKernelsPass::runOnOperation() {
  SmallVector<MicroKernelOp> kernels;
  getOperation()->walk([&](MicroKernelOp op) { kernels.push_back(op); });
  for (MicroKernelOp kernel : kernels) {
    // Scalars are read from outside; only tensors are looked up by operand.
    for (auto [argument, operand] :
         llvm::zip(kernel.getBody().getArguments(), kernel->getOperands()))
      if (!isa<ShapedType>(argument.getType()))
        argument.replaceAllUsesWith(operand);
    OpBuilder b(kernel);
    if (inlined) {
      kernel->replaceAllUsesWith(inlineTile(b, kernel));
      kernel->erase();
      continue;
    }
    StringRef instruction = kernel.getSpec().getInstruction();
    FailureOr<SmallVector<Value>> values =
        instruction == "vector"   ? emitRowPasses(b, kernel)
        : instruction == "square" ? emitSquareTile(b, kernel)
        : instruction == "strip"  ? emitStripTile(b, kernel)
        : instruction == "outer"  ? emitOuterTile(b, kernel)
        : instruction == "sweep"  ? emitSweep(b, kernel)
                                  : emitRegisterTile(b, kernel);
    if (failed(values))
      return signalPassFailure();
    kernel->replaceAllUsesWith(*values);
    kernel->erase();
  }
}
