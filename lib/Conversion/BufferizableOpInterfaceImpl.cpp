//===- BufferizableOpInterfaceImpl.cpp - Bufferization of vortex ops -===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Conversion/Passes.h"
#include "vortex/Dialect/Vortex/IR/FlatMemory.h"
#include "vortex/Dialect/Vortex/IR/TileArguments.h"
#include "vortex/Dialect/Vortex/IR/VortexDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::bufferization;
using namespace vortex;

namespace {
/// A kernel call reads its inputs and updates its inits in place. Copies of
/// what it cannot take come later, when all buffers are there.
struct KernelCallInterface
    : DstBufferizableOpInterfaceExternalModel<KernelCallInterface,
                                              KernelCallOp> {
  LogicalResult bufferize(Operation *op, RewriterBase &b,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto call = cast<KernelCallOp>(op);
    Location loc = op->getLoc();
    b.setInsertionPoint(op);
    SmallVector<Value> inputs, inits;
    for (OpOperand &operand : op->getOpOperands()) {
      SmallVector<Value> &list = call.isDpsInit(&operand) ? inits : inputs;
      if (!isa<TensorType>(operand.get().getType())) {
        list.push_back(operand.get());
        continue;
      }
      FailureOr<Value> buffer = getBuffer(b, operand.get(), options, state);
      if (failed(buffer))
        return failure();
      list.push_back(*buffer);
    }
    auto lowered =
        KernelCallOp::create(b, loc, TypeRange(), call.getCalleeAttr(), inputs,
                             inits, call.getDenseAttr(), call.getPackedAttr());
    lowered->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    replaceOpWithBufferizedValues(b, op, inits);
    return success();
  }
};
} // namespace

/// Writes the vectors of `store` to `memory`.
static void writeVectors(RewriterBase &b, StoreTileOp store, Value memory) {
  Location loc = store.getLoc();
  int64_t rank = store.getInto().getType().getRank();
  int64_t vectors = store.getVectors();
  auto type = cast<VectorType>(store.getValues().front().getType());
  int64_t whole = vectors - int64_t(store.getMasks().size());
  AffineMap minor = AffineMap::getMinorIdentityMap(rank, 1, b.getContext());
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  for (auto [i, value] : llvm::enumerate(store.getValues())) {
    int64_t r = i / vectors, v = i % vectors;
    SmallVector<Value> at(rank, constant(0));
    if (int64_t dim = store.getRowDim()) {
      Value first = store.getFirst();
      at[rank - dim] = !first ? constant(r)
                       : r == 0
                           ? first
                           : arith::AddIOp::create(b, loc, first, constant(r));
    }
    at[rank - 1] = constant(v * type.getNumElements());
    if (Value column = store.getColumn())
      at[rank - 1] =
          v == 0 ? column : arith::AddIOp::create(b, loc, column, at[rank - 1]);
    vector::TransferWriteOp::create(
        b, loc, value, memory, at, AffineMapAttr::get(minor),
        v < whole ? Value() : store.getMasks()[v - whole],
        b.getBoolArrayAttr({true}));
  }
}

/// Writes the one vector of `store` over the ends of rows of `memory`.
static void writeFlat(RewriterBase &b, StoreTileOp store, Value memory) {
  Location loc = store.getLoc();
  FlatMemory flat = flattenMemory(b, loc, memory, store.getRowDim());
  Value at = arith::ConstantIndexOp::create(b, loc, 0);
  if (Value first = store.getFirst())
    at = arith::MulIOp::create(b, loc, first, flat.rowStride);
  vector::MaskedStoreOp::create(b, loc, flat.memory, at,
                                store.getMasks().front(),
                                store.getValues().front());
}

namespace {
/// Rows of vectors go where the tile is.
struct StoreTileInterface
    : DstBufferizableOpInterfaceExternalModel<StoreTileInterface, StoreTileOp> {
  LogicalResult bufferize(Operation *op, RewriterBase &b,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto store = cast<StoreTileOp>(op);
    FailureOr<Value> buffer = getBuffer(b, store.getInto(), options, state);
    if (failed(buffer))
      return failure();
    b.setInsertionPoint(op);
    if (store.getFlat())
      writeFlat(b, store, *buffer);
    else
      writeVectors(b, store, *buffer);
    replaceOpWithBufferizedValues(b, op, *buffer);
    return success();
  }
};

/// For the analysis before an op is code: it reads its operands and updates its
/// inits.
template <typename OpTy>
struct UpdateInterface
    : BufferizableOpInterface::ExternalModel<UpdateInterface<OpTy>, OpTy> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    return reads(cast<OpTy>(op), operand.getOperandNumber());
  }
  bool bufferizesToMemoryWrite(Operation *op, OpOperand &operand,
                               const AnalysisState &state) const {
    return !getAliasingValues(op, operand, state).getAliases().empty();
  }
  AliasingValueList getAliasingValues(Operation *op, OpOperand &operand,
                                      const AnalysisState &) const {
    int64_t inits = op->getNumResults();
    int64_t i = operand.getOperandNumber() - firstInit(cast<OpTy>(op));
    if (i < 0 || i >= inits)
      return {};
    return {{op->getResult(i), BufferRelation::Equivalent}};
  }
  LogicalResult bufferize(Operation *op, RewriterBase &,
                          const BufferizationOptions &,
                          BufferizationState &) const {
    return op->emitOpError("must be lowered before it is bufferized");
  }

private:
  static bool reads(MicroKernelOp op, unsigned i) {
    return isReadByTile(op.getBody().getArgument(i));
  }
  static bool reads(linalg::PackOp, unsigned) { return true; }
  static int64_t firstInit(MicroKernelOp op) { return op.getInputs().size(); }
  static int64_t firstInit(linalg::PackOp op) {
    return op.getDestMutable().getOperandNumber();
  }
};

/// A library updates the matrix where it is.
struct LibraryCallInterface
    : DstBufferizableOpInterfaceExternalModel<LibraryCallInterface,
                                              LibraryCallOp> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    auto call = cast<LibraryCallOp>(op);
    return !call.isDpsInit(&operand) || call.getAccumulate();
  }
  LogicalResult bufferize(Operation *op, RewriterBase &b,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto call = cast<LibraryCallOp>(op);
    b.setInsertionPoint(op);
    SmallVector<Value> buffers;
    for (Value operand : op->getOperands()) {
      FailureOr<Value> buffer = getBuffer(b, operand, options, state);
      if (failed(buffer))
        return failure();
      buffers.push_back(*buffer);
    }
    auto lowered = LibraryCallOp::create(
        b, op->getLoc(), Type(), call.getLibraryAttr(),
        call.getAccumulateAttr(), call.getTf32Attr(), buffers[0],
        call.getADimsAttr(), buffers[1], call.getBDimsAttr(), buffers[2],
        call.getCDimsAttr());
    lowered->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    replaceOpWithBufferizedValues(b, op, buffers[2]);
    return success();
  }
};

/// A kernel that was not made a call has no buffers: what lowers it comes
/// before.
struct KernelInterface
    : BufferizableOpInterface::ExternalModel<KernelInterface, KernelOp> {
  bool bufferizesToMemoryRead(Operation *, OpOperand &,
                              const AnalysisState &) const {
    return true;
  }
  bool bufferizesToMemoryWrite(Operation *, OpOperand &,
                               const AnalysisState &) const {
    return true;
  }
  AliasingValueList getAliasingValues(Operation *, OpOperand &,
                                      const AnalysisState &) const {
    return {};
  }
  LogicalResult bufferize(Operation *op, RewriterBase &,
                          const BufferizationOptions &,
                          BufferizationState &) const {
    return op->emitOpError()
           << "'" << cast<KernelOp>(op).getName()
           << "' cannot be bufferized; --vortex-select-kernels lowers one "
              "without candidates, --vortex-expand one with a candidate";
  }
};

/// Asks about the memory of an operand, not about its elements.
template <typename QueryOp>
struct OperandQueryInterface
    : BufferizableOpInterface::ExternalModel<OperandQueryInterface<QueryOp>,
                                             QueryOp> {
  bool bufferizesToMemoryRead(Operation *, OpOperand &,
                              const AnalysisState &) const {
    return false;
  }
  bool bufferizesToMemoryWrite(Operation *, OpOperand &,
                               const AnalysisState &) const {
    return false;
  }
  AliasingValueList getAliasingValues(Operation *, OpOperand &,
                                      const AnalysisState &) const {
    return {};
  }
  LogicalResult bufferize(Operation *op, RewriterBase &b,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto query = cast<QueryOp>(op);
    FailureOr<Value> buffer = getBuffer(b, query.getSource(), options, state);
    if (failed(buffer))
      return failure();
    b.modifyOpInPlace(op, [&] { query.getSourceMutable().assign(*buffer); });
    return success();
  }
};
} // namespace

void vortex::registerBufferizableOpInterfaceExternalModels(
    DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, VortexDialect *) {
    context->loadDialect<arith::ArithDialect, linalg::LinalgDialect,
                         memref::MemRefDialect, vector::VectorDialect>();
    KernelCallOp::attachInterface<KernelCallInterface>(*context);
    KernelOp::attachInterface<KernelInterface>(*context);
    LibraryCallOp::attachInterface<LibraryCallInterface>(*context);
    MicroKernelOp::attachInterface<UpdateInterface<MicroKernelOp>>(*context);
    linalg::PackOp::attachInterface<UpdateInterface<linalg::PackOp>>(*context);
    StoreTileOp::attachInterface<StoreTileInterface>(*context);
    AlignmentOp::attachInterface<OperandQueryInterface<AlignmentOp>>(*context);
    StrideOp::attachInterface<OperandQueryInterface<StrideOp>>(*context);
  });
}
