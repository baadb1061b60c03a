//===- LowerDeviceMemory.cpp - Host programs on a device's memory ---------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Conversion/CallContext.h"
#include "vortex/Conversion/Passes.h"
#include "vortex/Dialect/Vortex/IR/VortexDialect.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"

namespace vortex {
#define GEN_PASS_DEF_LOWERDEVICEMEMORY
#include "vortex/Conversion/Passes.h.inc"
} // namespace vortex

#define DEBUG_TYPE "vortex-lower-device-memory"

using namespace mlir;
using namespace vortex;

namespace {

/// A memref taken apart, in numbers as generated code passes them.
struct Place {
  Value address; ///< of the first element
  SmallVector<Value> sizes, strides;
};

class Lowering {
public:
  Lowering(Operation *op, LLVMTypeConverter &types)
      : op(op), loc(op->getLoc()), b(op), types(types),
        context(getCallContext(op)) {}

  LogicalResult lower(memref::CopyOp copy);
  LogicalResult lower(linalg::FillOp fill);
  LogicalResult lower(memref::LoadOp load);
  LogicalResult lower(memref::StoreOp store);
  LogicalResult lower(memref::GetGlobalOp global);
  LogicalResult lower(memref::AllocaOp room);

private:
  Type pointer() { return LLVM::LLVMPointerType::get(b.getContext()); }
  Value number(int64_t value) {
    return LLVM::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
  }
  Value wide(Value index) {
    return arith::IndexCastOp::create(b, loc, b.getI64Type(), index);
  }
  Value spill(ValueRange values) {
    return spillToStack(b, loc, context, b.getI64Type(), values);
  }
  /// As the type that it has in LLVM.
  Value toLLVM(Value value) {
    Type type = types.convertType(value.getType());
    if (type == value.getType())
      return value;
    return UnrealizedConversionCastOp::create(b, loc, type, value).getResult(0);
  }
  int64_t bytesOf(Type element);
  /// The memref's place; at `indices`, where given.
  Place placeOf(Value memref, ValueRange indices = {});
  /// Room for one element on the host's stack.
  Value room(Type element) {
    return allocateOnStack(b, loc, context, types.convertType(element), 1);
  }

  Operation *op;
  Location loc;
  OpBuilder b;
  LLVMTypeConverter &types;
  Value context;
};
} // namespace

int64_t Lowering::bytesOf(Type element) {
  if (element.isIndex())
    return 8;
  if (auto complex = dyn_cast<ComplexType>(element))
    return 2 * bytesOf(complex.getElementType());
  return llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}

Place Lowering::placeOf(Value memref, ValueRange indices) {
  auto metadata = memref::ExtractStridedMetadataOp::create(b, loc, memref);
  Value offset = metadata.getOffset();
  for (auto [index, stride] : llvm::zip(indices, metadata.getStrides()))
    offset = arith::AddIOp::create(
        b, loc, offset, arith::MulIOp::create(b, loc, index, stride));
  Type element = cast<MemRefType>(memref.getType()).getElementType();
  Value bytes = arith::MulIOp::create(
      b, loc, offset, arith::ConstantIndexOp::create(b, loc, bytesOf(element)));
  Value base = memref::ExtractAlignedPointerAsIndexOp::create(b, loc, memref);
  Value address = wide(arith::AddIOp::create(b, loc, base, bytes));
  Place place{LLVM::IntToPtrOp::create(b, loc, pointer(), address), {}, {}};
  if (!indices.empty())
    return place;
  for (Value size : metadata.getSizes())
    place.sizes.push_back(wide(size));
  for (Value stride : metadata.getStrides())
    place.strides.push_back(wide(stride));
  return place;
}

LogicalResult Lowering::lower(memref::CopyOp copy) {
  auto type = dyn_cast<MemRefType>(copy.getTarget().getType());
  if (!type || !isa<MemRefType>(copy.getSource().getType()))
    return op->emitOpError("of memrefs of unknown rank is not supported");
  Place to = placeOf(copy.getTarget()), from = placeOf(copy.getSource());
  callContext(b, loc, context, ContextField::Copy, {},
              ValueRange{context, number(bytesOf(type.getElementType())),
                         number(type.getRank()), spill(to.sizes), to.address,
                         spill(to.strides), from.address, spill(from.strides)});
  op->erase();
  return success();
}

LogicalResult Lowering::lower(linalg::FillOp fill) {
  Value target = fill.getOutputs()[0], value = fill.getInputs()[0];
  auto type = dyn_cast<MemRefType>(target.getType());
  if (!type || value.getType() != type.getElementType())
    return op->emitOpError("converts its value, which has no device code");
  Place to = placeOf(target);
  Value element = room(type.getElementType());
  LLVM::StoreOp::create(b, loc, toLLVM(value), element);
  callContext(b, loc, context, ContextField::Fill, {},
              ValueRange{context, number(bytesOf(type.getElementType())),
                         number(type.getRank()), spill(to.sizes), to.address,
                         spill(to.strides), element});
  op->erase();
  return success();
}

/// ", in @function (file:line)", as far as it is known.
static std::string describePlace(Operation *op) {
  std::string text;
  if (auto function = op->getParentOfType<FunctionOpInterface>())
    text += (", in @" + function.getName()).str();
  auto at = op->getLoc()->findInstanceOf<FileLineColLoc>();
  if (at && at.getLine())
    text +=
        (" (" + at.getFilename().getValue() + ":" + Twine(at.getLine()) + ")")
            .str();
  return text;
}

LogicalResult Lowering::lower(memref::LoadOp load) {
  Type type = load.getType();
  Place from = placeOf(load.getMemref(), load.getIndices());
  Value element = room(type);
  callContext(
      b, loc, context, ContextField::Read, {},
      ValueRange{context, element, from.address, number(bytesOf(type))});
  remark::missed(loc, remark::RemarkOpts::name("read").category(DEBUG_TYPE))
      << "the host reads an element from the device and waits for it" +
             describePlace(op);
  Value value = LLVM::LoadOp::create(b, loc, types.convertType(type), element);
  if (value.getType() != type)
    value =
        UnrealizedConversionCastOp::create(b, loc, type, value).getResult(0);
  op->replaceAllUsesWith(ValueRange{value});
  op->erase();
  return success();
}

LogicalResult Lowering::lower(memref::StoreOp store) {
  Type type = store.getValueToStore().getType();
  Place to = placeOf(store.getMemref(), store.getIndices());
  Value element = room(type);
  LLVM::StoreOp::create(b, loc, toLLVM(store.getValueToStore()), element);
  // A fill takes the number with it: nobody waits for a copy to be done.
  callContext(b, loc, context, ContextField::Fill, {},
              ValueRange{context, number(bytesOf(type)), number(0), spill({}),
                         to.address, spill({}), element});
  op->erase();
  return success();
}

LogicalResult Lowering::lower(memref::GetGlobalOp global) {
  MemRefType type = global.getType();
  if (!type.hasStaticShape() || !type.getLayout().isIdentity())
    return op->emitOpError("of unknown size has no copy on the device");
  b.setInsertionPointAfter(op);
  auto index = memref::ExtractAlignedPointerAsIndexOp::create(
      b, loc, global.getResult());
  Value host = LLVM::IntToPtrOp::create(b, loc, pointer(), wide(index));
  int64_t bytes = type.getNumElements() * bytesOf(type.getElementType());
  Value copy = callContext(b, loc, context, ContextField::Constant, pointer(),
                           ValueRange{context, host, number(bytes)})
                   .getResult();
  Value descriptor =
      MemRefDescriptor::fromStaticShape(b, loc, types, type, copy);
  Value memref =
      UnrealizedConversionCastOp::create(b, loc, type, descriptor).getResult(0);
  global.getResult().replaceAllUsesExcept(memref, index);
  return success();
}

/// The stack is the host's.
LogicalResult Lowering::lower(memref::AllocaOp room) {
  Value memory = memref::AllocOp::create(
      b, loc, room.getType(), room.getDynamicSizes(), room.getSymbolOperands(),
      room.getAlignmentAttr());
  room.replaceAllUsesWith(memory);
  b.setInsertionPoint(room->getBlock()->getTerminator());
  memref::DeallocOp::create(b, loc, memory);
  op->erase();
  return success();
}

/// Whether `op` leaves the elements of its memrefs alone, or leaves them to
/// device code.
static bool readsNoElement(Operation *op) {
  if (isa<memref::AllocOp, memref::DeallocOp, memref::DimOp, memref::RankOp,
          memref::ExtractStridedMetadataOp,
          memref::ExtractAlignedPointerAsIndexOp, memref::AssumeAlignmentOp,
          ResultOp, KernelCallOp, LibraryCallOp, StrideOp, AlignmentOp,
          func::CallOp, func::ReturnOp, arith::SelectOp,
          UnrealizedConversionCastOp>(op))
    return true;
  if (isa<scf::ForallOp, scf::ParallelOp>(op))
    return false;
  return isa<ViewLikeOpInterface, RegionBranchOpInterface,
             RegionBranchTerminatorOpInterface, BranchOpInterface>(op);
}

static LogicalResult checkOp(Operation *op) {
  auto isMemRef = [](Value value) {
    return isa<BaseMemRefType>(value.getType());
  };
  if (isa<scf::ForallOp, scf::ParallelOp, memref::ReshapeOp>(op) ||
      ((llvm::any_of(op->getOperands(), isMemRef) ||
        llvm::any_of(op->getResults(), isMemRef)) &&
       !readsNoElement(op)))
    return op->emitOpError(
        "has no device code: outside kernels, a GPU's program copies and fills "
        "tensors and moves single elements");
  return success();
}

namespace {
struct LowerDeviceMemoryPass
    : vortex::impl::LowerDeviceMemoryBase<LowerDeviceMemoryPass> {
  void runOnOperation() override {
    SmallVector<Operation *> work;
    for (auto function : getOperation().getOps<func::FuncOp>())
      function.walk([&](Operation *op) { work.push_back(op); });
    LLVMTypeConverter types(&getContext());
    bool wrong = false;
    for (Operation *op : work) {
      if (isa<func::FuncOp>(op))
        continue;
      LogicalResult result =
          llvm::TypeSwitch<Operation *, LogicalResult>(op)
              .Case<memref::CopyOp, linalg::FillOp, memref::LoadOp,
                    memref::StoreOp, memref::GetGlobalOp, memref::AllocaOp>(
                  [&](auto typed) {
                    numReads += isa<memref::LoadOp>(op);
                    return Lowering(op, types).lower(typed);
                  })
              .Default(checkOp);
      wrong |= failed(result);
    }
    if (wrong)
      signalPassFailure();
  }
};
} // namespace
