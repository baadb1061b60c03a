//===- BufferizableOpInterfaceImpl.cpp - Bufferization of vortex ops -===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Conversion/Passes.h"
#include "vortex/Dialect/Vortex/IR/FlatMemory.h"
#include "vortex/Dialect/Vortex/IR/VortexDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::bufferization;
using namespace vortex;

/// Whether the elements of the innermost dimension follow each other.
static bool hasUnitInnerStride(MemRefType type) {
  if (type.getRank() == 0)
    return true;
  SmallVector<int64_t> strides;
  int64_t offset;
  return succeeded(type.getStridesAndOffset(strides, offset)) &&
         strides.back() == 1;
}

/// A contiguous copy of `buffer`.
static FailureOr<Value> makeContiguous(RewriterBase &b, Location loc,
                                       const BufferizationOptions &options,
                                       Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<Value> sizes;
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (type.isDynamicDim(d))
      sizes.push_back(memref::DimOp::create(b, loc, buffer, d));
  auto fresh = MemRefType::get(type.getShape(), type.getElementType());
  FailureOr<Value> copy = options.createAlloc(b, loc, fresh, sizes);
  if (failed(copy) || failed(options.createMemCpy(b, loc, buffer, *copy)))
    return failure();
  return copy;
}

namespace {
/// A kernel call reads its inputs and updates its inits in place.
struct KernelCallInterface
    : DstBufferizableOpInterfaceExternalModel<KernelCallInterface,
                                              KernelCallOp> {
  LogicalResult bufferize(Operation *op, RewriterBase &b,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto call = cast<KernelCallOp>(op);
    Location loc = op->getLoc();
    b.setInsertionPoint(op);
    SmallVector<Value> inputs, inits, results;
    SmallVector<std::pair<Value, Value>> copyBack;
    for (OpOperand &operand : op->getOpOperands()) {
      bool isInit = call.isDpsInit(&operand);
      SmallVector<Value> &list = isInit ? inits : inputs;
      if (!isa<TensorType>(operand.get().getType())) {
        list.push_back(operand.get());
        continue;
      }
      FailureOr<Value> buffer = getBuffer(b, operand.get(), options, state);
      if (failed(buffer))
        return failure();
      if (isInit)
        results.push_back(*buffer);
      auto type = cast<MemRefType>(buffer->getType());
      bool dense =
          llvm::is_contained(call.getDense(), operand.getOperandNumber());
      if (dense ? !type.getLayout().isIdentity() : !hasUnitInnerStride(type)) {
        FailureOr<Value> copy = makeContiguous(b, loc, options, *buffer);
        if (failed(copy))
          return failure();
        if (isInit)
          copyBack.emplace_back(*copy, *buffer);
        buffer = copy;
      }
      list.push_back(*buffer);
    }
    auto lowered =
        KernelCallOp::create(b, loc, TypeRange(), call.getCalleeAttr(), inputs,
                             inits, call.getDenseAttr());
    lowered->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    for (auto [from, to] : copyBack)
      if (failed(options.createMemCpy(b, loc, from, to)))
        return failure();
    replaceOpWithBufferizedValues(b, op, results);
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
        call.getAccumulateAttr(), buffers[0], call.getADimsAttr(), buffers[1],
        call.getBDimsAttr(), buffers[2], call.getCDimsAttr());
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
    context->loadDialect<arith::ArithDialect, memref::MemRefDialect,
                         vector::VectorDialect>();
    KernelCallOp::attachInterface<KernelCallInterface>(*context);
    KernelOp::attachInterface<KernelInterface>(*context);
    LibraryCallOp::attachInterface<LibraryCallInterface>(*context);
    StoreTileOp::attachInterface<StoreTileInterface>(*context);
    AlignmentOp::attachInterface<OperandQueryInterface<AlignmentOp>>(*context);
    StrideOp::attachInterface<OperandQueryInterface<StrideOp>>(*context);
  });
}
