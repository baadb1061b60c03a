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
/// What the run time is told of the matrices of one operand.
struct Matrices {
  Value address;              ///< of the first element, an i64
  SmallVector<Value> sizes;   ///< i64s, null of what it does not have
  SmallVector<Value> strides; ///< in elements, i64s
};
} // namespace

static Matrices describe(ImplicitLocOpBuilder &b, Value memory,
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
  Matrices matrices{word(at), {}, {}};
  for (int64_t dim : dims) {
    if (dim < 0) {
      matrices.sizes.push_back(Value());
      matrices.strides.push_back(
          LLVM::ConstantOp::create(b, b.getI64IntegerAttr(0)));
      continue;
    }
    matrices.sizes.push_back(word(metadata.getSizes()[dim]));
    matrices.strides.push_back(word(metadata.getStrides()[dim]));
  }
  return matrices;
}

static VortexDType getDType(Value matrices) {
  Type element = getElementTypeOrSelf(matrices);
  return element.isF64()    ? VORTEX_F64
         : element.isF16()  ? VORTEX_F16
         : element.isBF16() ? VORTEX_BF16
                            : VORTEX_F32;
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
  Matrices x = describe(b, op.getA(), op.getADims());
  Matrices y = describe(b, op.getB(), op.getBDims());
  Matrices z = describe(b, op.getInit(), op.getCDims());
  SmallVector<Value> extents = z.sizes;
  extents.push_back(x.sizes.back());
  SmallVector<Value> distances;
  for (const Matrices *matrices : {&x, &y, &z})
    llvm::append_range(distances, matrices->strides);
  Value sizes = array(extents);
  Value data = array({x.address, y.address, z.address});
  Value strides = array(distances);
  int64_t flags = (op.getAccumulate() ? VORTEX_PRODUCT_ACCUMULATE : 0) |
                  (op.getTf32() ? VORTEX_PRODUCT_TF32 : 0);
  callContext(b, op.getLoc(), context, ContextField::Product, {},
              ValueRange{context, constant(index.getInt()),
                         constant(getDType(op.getA())),
                         constant(getDType(op.getInit())),
                         constant(op.getCDims().size() - 2), sizes, data,
                         strides, constant(flags)});
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
