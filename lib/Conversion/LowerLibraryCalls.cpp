//===- LowerLibraryCalls.cpp - Products of libraries, by way of the context
//-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Conversion/CallContext.h"
#include "vortex/Conversion/Passes.h"
#include "vortex/Dialect/Vortex/IR/VortexDialect.h"

#include "vortex-c/Artifact.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace vortex {
#define GEN_PASS_DEF_LOWERLIBRARYCALLS
#include "vortex/Conversion/Passes.h.inc"
} // namespace vortex

using namespace mlir;
using namespace vortex;

namespace {
/// What the run time is told of one matrix.
struct Matrix {
  Value address;    ///< of its first element, an i64
  Value sizes[2];   ///< i64s
  Value strides[2]; ///< in elements, i64s
};
} // namespace

static Matrix describe(ImplicitLocOpBuilder &b, Value memory,
                       ArrayRef<int64_t> dims) {
  auto type = cast<MemRefType>(memory.getType());
  auto metadata = memref::ExtractStridedMetadataOp::create(b, memory);
  auto word = [&](Value index) -> Value {
    return arith::IndexCastOp::create(b, b.getI64Type(), index);
  };
  Value bytes = arith::ConstantIndexOp::create(
      b, type.getElementType().getIntOrFloatBitWidth() / 8);
  Value base = memref::ExtractAlignedPointerAsIndexOp::create(b, memory);
  Value at = arith::AddIOp::create(
      b, base, arith::MulIOp::create(b, metadata.getOffset(), bytes));
  Matrix matrix{word(at), {}, {}};
  for (auto [i, dim] : llvm::enumerate(dims)) {
    matrix.sizes[i] = word(metadata.getSizes()[dim]);
    matrix.strides[i] = word(metadata.getStrides()[dim]);
  }
  return matrix;
}

static LogicalResult lower(LibraryCallOp op) {
  if (!isa<MemRefType>(op.getInit().getType()))
    return op.emitOpError("computes a tensor; bufferize first");
  auto index = op->getAttrOfType<IntegerAttr>(kIndexAttr);
  if (!index)
    return op.emitOpError("has no position; run vortex-number-queries first");
  Value context = getCallContext(op);
  if (!context)
    return op.emitOpError("is outside a function with a call context; run "
                          "vortex-add-context first");
  ImplicitLocOpBuilder b(op.getLoc(), op);
  auto constant = [&](int64_t value) -> Value {
    return LLVM::ConstantOp::create(b, b.getI64IntegerAttr(value));
  };
  auto array = [&](ArrayRef<Value> values) {
    return spillToStack(b, op.getLoc(), context, b.getI64Type(), values);
  };
  Matrix x = describe(b, op.getA(), op.getADims());
  Matrix y = describe(b, op.getB(), op.getBDims());
  Matrix z = describe(b, op.getInit(), op.getCDims());
  Value sizes = array({z.sizes[0], z.sizes[1], x.sizes[1]});
  Value data = array({x.address, y.address, z.address});
  Value strides = array({x.strides[0], x.strides[1], y.strides[0], y.strides[1],
                         z.strides[0], z.strides[1]});
  bool wide = getElementTypeOrSelf(op.getInit()).isF64();
  callContext(b, op.getLoc(), context, ContextField::Product, {},
              ValueRange{context, constant(index.getInt()),
                         constant(wide ? VORTEX_F64 : VORTEX_F32), sizes, data,
                         strides, constant(op.getAccumulate())});
  op.erase();
  return success();
}

namespace {
struct LowerLibraryCallsPass
    : vortex::impl::LowerLibraryCallsBase<LowerLibraryCallsPass> {
  void runOnOperation() override {
    SmallVector<LibraryCallOp> calls;
    getOperation()->walk([&](LibraryCallOp op) { calls.push_back(op); });
    for (LibraryCallOp op : calls)
      if (failed(lower(op)))
        return signalPassFailure();
  }
};
} // namespace
