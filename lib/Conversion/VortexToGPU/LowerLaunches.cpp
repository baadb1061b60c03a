//===- LowerLaunches.cpp - Outlined kernels launch their device code ------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Conversion/VortexToGPU/Passes.h"

#include "DeviceKernel.h"

#include "vortex/Conversion/CallContext.h"
#include "vortex/Dialect/Vortex/IR/DimIndex.h"
#include "vortex/Dialect/Vortex/IR/MatrixForm.h"
#include "vortex/Dialect/Vortex/IR/VortexDialect.h"
#include "vortex/Dialect/Vortex/Transforms/AxisExtents.h"

#include "vortex-c/Artifact.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"

namespace vortex {
#define GEN_PASS_DEF_LOWERLAUNCHES
#include "vortex/Conversion/VortexToGPU/Passes.h.inc"
} // namespace vortex

using namespace mlir;
using namespace vortex;

/// The memref that a kernel operand is a tensor of.
static Value getMemory(Value tensor) {
  auto op = tensor.getDefiningOp<bufferization::ToTensorOp>();
  return op ? op.getBuffer() : Value();
}

namespace {
/// Collects the parameters of one launch, each in eight bytes of the stack.
class Launch {
public:
  Launch(KernelOp kernel, int64_t index)
      : kernel(kernel), index(index), loc(kernel.getLoc()), b(kernel),
        context(getCallContext(kernel)) {}

  LogicalResult lower();

private:
  LogicalResult addOperands();
  LogicalResult addExtents();
  LogicalResult addStrides();
  LogicalResult addMaps(SmallVector<Value> &places);
  Value wide(Value number) {
    return arith::IndexCastOp::create(b, loc, b.getI64Type(), number);
  }
  Value number(int64_t value) {
    return LLVM::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
  }

  KernelOp kernel;
  int64_t index;
  Location loc;
  OpBuilder b;
  Value context;
  SmallVector<Value> values;
  SmallVector<size_t> parameterOf; ///< each operand's place in `values`
  unsigned firstExtent = 0;
};
} // namespace

LogicalResult Launch::addOperands() {
  for (Value operand : kernel->getOperands()) {
    Type type = operand.getType();
    parameterOf.push_back(values.size());
    if (type.isIndex())
      continue;
    if (!isa<RankedTensorType>(type)) {
      if (!type.isIntOrFloat() || type.getIntOrFloatBitWidth() > 64)
        return kernel.emitOpError()
               << "passes a number of type " << type << " to device code";
      values.push_back(operand);
      continue;
    }
    Value memory = getMemory(operand);
    if (!memory)
      return kernel.emitOpError("has an operand that is no memory; outline it");
    Value bytes = arith::ConstantIndexOp::create(
        b, loc,
        llvm::divideCeil(cast<RankedTensorType>(type).getElementTypeBitWidth(),
                         8));
    Value offset =
        memref::ExtractStridedMetadataOp::create(b, loc, memory).getOffset();
    Value base = memref::ExtractAlignedPointerAsIndexOp::create(b, loc, memory);
    values.push_back(wide(arith::AddIOp::create(
        b, loc, base, arith::MulIOp::create(b, loc, offset, bytes))));
  }
  return success();
}

LogicalResult Launch::addExtents() {
  FailureOr<SmallVector<Value>> extents = getAxisExtents(b, kernel);
  if (failed(extents))
    return failure();
  firstExtent = values.size();
  for (Value extent : *extents) {
    // A question about a tensor is one about its memory.
    if (auto dim = extent.getDefiningOp<tensor::DimOp>())
      if (Value memory = getMemory(dim.getSource())) {
        extent = memref::DimOp::create(b, loc, memory, dim.getIndex());
        dim.erase();
      }
    values.push_back(wide(extent));
  }
  return success();
}

LogicalResult Launch::addStrides() {
  for (Value operand : kernel->getOperands()) {
    Value memory =
        isa<RankedTensorType>(operand.getType()) ? getMemory(operand) : Value();
    int64_t rank = memory ? cast<MemRefType>(memory.getType()).getRank() : 0;
    if (rank < 2)
      continue;
    auto metadata = memref::ExtractStridedMetadataOp::create(b, loc, memory);
    for (Value stride : metadata.getStrides().drop_back())
      values.push_back(wide(stride));
  }
  return success();
}

/// The element types that tensor maps know, as VortexDType.
static std::optional<int64_t> getMapType(Type element) {
  if (element.isF16())
    return VORTEX_F16;
  if (element.isBF16())
    return VORTEX_BF16;
  if (element.isF32())
    return VORTEX_F32;
  if (element.isInteger(32))
    return VORTEX_I32;
  if (element.isInteger(8) || isFloat8(element))
    return VORTEX_I8; // bits are copied
  return std::nullopt;
}

/// Has the run time describe to the device each operand that comes in boxes,
/// in memory of this call.
LogicalResult Launch::addMaps(SmallVector<Value> &places) {
  auto boxes = kernel->getAttrOfType<ArrayAttr>(kBoxesAttr);
  if (!boxes)
    return success();
  Type i8 = b.getI8Type();
  Value maps =
      allocateOnStack(b, loc, context, i8, kTensorMapBytes * boxes.size());
  maps.getDefiningOp<LLVM::AllocaOp>().setAlignment(kTensorMapAlignment);
  for (auto [i, attr] :
       llvm::enumerate(boxes.getAsRange<DenseI64ArrayAttr>())) {
    Value operand = kernel->getOperand(attr[0]);
    Value memory = getMemory(operand);
    Type element = getElementTypeOrSelf(operand.getType());
    std::optional<int64_t> dtype = getMapType(element);
    if (!memory || !dtype)
      return kernel.emitOpError()
             << "brings operand " << attr[0] << " of type " << operand.getType()
             << " in boxes, which needs memory with f32, 16-bit floats or "
                "elements of 8 bits";
    auto metadata = memref::ExtractStridedMetadataOp::create(b, loc, memory);
    auto array = [&](ValueRange numbers) {
      return spillToStack(
          b, loc, context, b.getI64Type(),
          llvm::map_to_vector(numbers, [&](Value v) { return wide(v); }));
    };
    SmallVector<Value> box = llvm::map_to_vector(
        attr.asArrayRef().drop_front(), [&](int64_t x) { return number(x); });
    Value map = LLVM::GEPOp::create(
        b, loc, maps.getType(), i8, maps,
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i * kTensorMapBytes)});
    // Its address is the parameter of the operand itself.
    Value address = values[parameterOf[attr[0]]];
    Value data = LLVM::IntToPtrOp::create(b, loc, maps.getType(), address);
    callContext(b, loc, context, ContextField::TensorMap, {},
                ValueRange{context, number(index), map, number(*dtype), data,
                           number(int64_t(box.size())),
                           array(metadata.getSizes()),
                           array(metadata.getStrides()),
                           spillToStack(b, loc, context, b.getI64Type(), box)});
    places.push_back(map);
  }
  return success();
}

LogicalResult Launch::lower() {
  if (failed(addOperands()) || failed(addExtents()) || failed(addStrides()))
    return failure();
  // The 32 bits of an extent that device code reads come first in its eight
  // bytes; the run time checks that there are no more.
  Value slots = allocateOnStack(b, loc, context, b.getI64Type(), values.size());
  SmallVector<Value> places;
  for (auto [i, value] : llvm::enumerate(values)) {
    places.push_back(
        LLVM::GEPOp::create(b, loc, slots.getType(), b.getI64Type(), slots,
                            ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i)}));
    LLVM::StoreOp::create(b, loc, value, places.back());
  }
  if (failed(addMaps(places)))
    return failure();
  Value extents = LLVM::GEPOp::create(
      b, loc, slots.getType(), b.getI64Type(), slots,
      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(firstExtent)});
  places.push_back(LLVM::ZeroOp::create(b, loc, slots.getType()));
  Value parameters = spillToStack(b, loc, context, slots.getType(), places);
  callContext(b, loc, context, ContextField::Launch, {},
              ValueRange{context, number(index), extents, parameters});
  return success();
}

/// Drops the kernel with what brings tensors in and out.
static void eraseKernel(KernelOp kernel) {
  auto function = kernel->getParentOfType<func::FuncOp>();
  for (Operation *user : llvm::make_early_inc_range(kernel->getUsers()))
    user->erase();
  kernel.erase();
  function.walk([](bufferization::ToTensorOp op) {
    if (op.use_empty())
      op.erase();
  });
}

namespace {
struct LowerLaunchesPass : vortex::impl::LowerLaunchesBase<LowerLaunchesPass> {
  void runOnOperation() override {
    SmallVector<KernelOp> kernels;
    getOperation()->walk([&](KernelOp kernel) { kernels.push_back(kernel); });
    for (KernelOp kernel : kernels)
      if (failed(lower(kernel)))
        return signalPassFailure();
    for (Operation &op : llvm::make_early_inc_range(*getOperation().getBody()))
      if (isa<gpu::GPUModuleOp, gpu::BinaryOp>(op))
        op.erase();
    getOperation()->removeAttr(gpu::GPUDialect::getContainerModuleAttrName());
  }

  LogicalResult lower(KernelOp kernel) {
    auto module = kernel->getParentOfType<ModuleOp>();
    if (kernel.getCandidateOps().empty()) {
      OpBuilder b(kernel);
      Value never =
          arith::ConstantIntOp::create(b, kernel.getLoc(), 0, /*width=*/1);
      cf::AssertOp::create(b, kernel.getLoc(), never,
                           ("kernel '" + kernel.getName() +
                            "': no candidate may run at these sizes")
                               .str());
    } else if (auto index = module->getAttrOfType<IntegerAttr>(kIndexAttr);
               !index || !kernel->hasAttr("vortex.device_kernel")) {
      return kernel.emitOpError()
             << "'" << kernel.getName() << "' has no device code to launch";
    } else if (failed(Launch(kernel, index.getInt()).lower())) {
      return failure();
    }
    eraseKernel(kernel);
    return success();
  }
};
} // namespace
