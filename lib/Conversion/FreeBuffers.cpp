//===- FreeBuffers.cpp - Deallocation where there are allocations ---------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Conversion/Passes.h"

#include "mlir/Conversion/BufferizationToMemRef/BufferizationToMemRef.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/PassManager.h"

namespace vortex {
#define GEN_PASS_DEF_FREEBUFFERS
#include "vortex/Conversion/Passes.h.inc"
} // namespace vortex

using namespace mlir;
using namespace vortex;

/// Whether ownership of memory is a question: something is allocated, or an op
/// of bufferization may hand memory on.
static bool hasBuffers(ModuleOp module) {
  return module
      .walk([](Operation *op) {
        return isa<memref::AllocOp>(op) ||
                       isa_and_nonnull<bufferization::BufferizationDialect>(
                           op->getDialect())
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

static void addPasses(OpPassManager &pm) {
  pm.addPass(bufferization::createOwnershipBasedBufferDeallocationPass());
  pm.addPass(bufferization::createBufferDeallocationSimplificationPass());
  pm.addPass(bufferization::createLowerDeallocationsPass());
  pm.addPass(createConvertBufferizationToMemRefPass());
}

namespace {
struct FreeBuffersPass : vortex::impl::FreeBuffersBase<FreeBuffersPass> {
  void getDependentDialects(DialectRegistry &registry) const override {
    FreeBuffersBase::getDependentDialects(registry);
    OpPassManager pm(ModuleOp::getOperationName());
    addPasses(pm);
    pm.getDependentDialects(registry);
  }

  void runOnOperation() override {
    if (!hasBuffers(getOperation()))
      return;
    OpPassManager pm(ModuleOp::getOperationName());
    addPasses(pm);
    if (failed(runPipeline(pm, getOperation())))
      signalPassFailure();
  }
};
} // namespace
