//===- BufferizeInPlace.cpp - A kernel's tensors to memrefs ---------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Conversion/Passes.h"
#include "vortex/Dialect/Vortex/IR/TileArguments.h"
#include "vortex/Dialect/Vortex/IR/VortexDialect.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/Bufferize.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace vortex {
#define GEN_PASS_DEF_INSERTCOPIES
#define GEN_PASS_DEF_BUFFERIZEINPLACE
#include "vortex/Conversion/Passes.h.inc"
} // namespace vortex

using namespace mlir;
using namespace mlir::bufferization;
using namespace vortex;

/// Of a module: its tiles read what their results start from.
static constexpr llvm::StringLiteral kReadsInitsAttr = "vortex.reads_inits";

/// Whether a tile reads what a result starts from: which elements its code has
/// read before it stores others, only the analysis of that code tells.
static bool readsInits(ModuleOp module) {
  return module
      .walk([](MicroKernelOp op) {
        auto inits =
            op.getBody().getArguments().drop_front(op.getInputs().size());
        return llvm::any_of(inits, isReadByTile) ? WalkResult::interrupt()
                                                 : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Inserts the copies that the analysis asks for. What tiles hold stands for
/// what they compute; it is no code yet.
static LogicalResult insertCopies(ModuleOp module) {
  OneShotBufferizationOptions options;
  options.opFilter.denyOperation(
      [](Operation *op) { return bool(op->getParentOfType<MicroKernelOp>()); });
  BufferizationState state;
  return insertTensorCopies(module, options, state);
}

namespace {
struct InsertCopiesPass : vortex::impl::InsertCopiesBase<InsertCopiesPass> {
  void runOnOperation() override {
    if (failed(insertCopies(getOperation())))
      return signalPassFailure();
    if (readsInits(getOperation()))
      getOperation()->setAttr(kReadsInitsAttr, UnitAttr::get(&getContext()));
  }
};

struct BufferizeInPlacePass
    : vortex::impl::BufferizeInPlaceBase<BufferizeInPlacePass> {
  using BufferizeInPlaceBase::BufferizeInPlaceBase;

  /// Whether the analysis has nothing to add.
  LogicalResult checkInPlace() {
    llvm::DenseSet<Operation *> before;
    getOperation()->walk([&](AllocTensorOp op) { before.insert(op); });
    if (failed(insertCopies(getOperation())))
      return failure();
    WalkResult found = getOperation()->walk([&](AllocTensorOp op) {
      if (before.contains(op))
        return WalkResult::advance();
      op.emitError("is written while its old value is read: "
                   "vortex-insert-copies has missed it");
      return WalkResult::interrupt();
    });
    return failure(found.wasInterrupted());
  }

  void runOnOperation() override {
    if (getOperation()->removeAttr(kReadsInitsAttr)) {
      if (failed(insertCopies(getOperation())))
        return signalPassFailure();
    } else if (check && failed(checkInPlace())) {
      return signalPassFailure();
    }
    BufferizationState state;
    if (failed(
            bufferizeOp(getOperation(), OneShotBufferizationOptions(), state)))
      signalPassFailure();
  }
};
} // namespace
