//===- DeviceToSPIRV.cpp - Device functions as shaders ---------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Vulkan's shaders have no pointers to move. Addresses of global memory are
// numbers of 64 bits (buffer device addresses) that become pointers where
// something is loaded or stored. Shared memory is an array of integers,
// as wide as the narrowest element there, and an address in it a number of
// bytes. Parameters are in global memory, eight bytes
// each, at the address that is the only push constant.
//
//===----------------------------------------------------------------------===//

#include "DeviceKernel.h"

#include "mlir/Conversion/ArithToSPIRV/ArithToSPIRV.h"
#include "mlir/Conversion/MathToSPIRV/MathToSPIRV.h"
#include "mlir/Conversion/SCFToSPIRV/SCFToSPIRV.h"
#include "mlir/Conversion/UBToSPIRV/UBToSPIRV.h"
#include "mlir/Conversion/VectorToSPIRV/VectorToSPIRV.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Dialect/SPIRV/IR/TargetAndABI.h"
#include "mlir/Dialect/SPIRV/Transforms/SPIRVConversion.h"

namespace vortex {
#define GEN_PASS_DEF_DEVICETOSPIRV
#include "vortex/Conversion/VortexToGPU/Passes.h.inc"
} // namespace vortex

using namespace mlir;
using namespace vortex;

/// Bytes from one parameter to the next, as in the launches of artifacts.
static constexpr int64_t kParameterBytes = 8;
static constexpr StringLiteral kSharedName = "smem";

static bool isShared(Type pointer) {
  return cast<LLVM::LLVMPointerType>(pointer).getAddressSpace() == kSharedSpace;
}

/// Whether values of `type` are numbers in memory.
static bool isNumber(Type type) {
  return getElementTypeOrSelf(type).isIntOrFloat();
}

/// Bytes of what is loaded or stored at once.
static int64_t getBytes(Type type) {
  int64_t count = 1;
  if (auto vector = dyn_cast<VectorType>(type))
    count = vector.getNumElements();
  return count * llvm::divideCeil(
                     getElementTypeOrSelf(type).getIntOrFloatBitWidth(), 8);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

namespace {
struct MovePattern : OpConversionPattern<LLVM::GEPOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(LLVM::GEPOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (op.getRawConstantIndices().size() != 1 || !isNumber(op.getElemType()))
      return rewriter.notifyMatchFailure(op, "moves by more than numbers");
    Location loc = op.getLoc();
    Value base = adaptor.getBase();
    Type type = base.getType();
    auto number = [&](int64_t x) -> Value {
      return spirv::ConstantOp::create(rewriter, loc, type,
                                       rewriter.getIntegerAttr(type, x));
    };
    Value index;
    if (adaptor.getDynamicIndices().empty()) {
      index = number(op.getRawConstantIndices()[0]);
    } else {
      index = adaptor.getDynamicIndices()[0];
      if (index.getType() != type)
        index = spirv::SConvertOp::create(rewriter, loc, type, index);
    }
    Value bytes = spirv::IMulOp::create(rewriter, loc, index,
                                        number(getBytes(op.getElemType())));
    rewriter.replaceOpWithNewOp<spirv::IAddOp>(op, base, bytes);
    return success();
  }
};

/// A pointer to `type` at the address of global memory.
Value pointTo(OpBuilder &b, Location loc, Value address, Type type) {
  return spirv::ConvertUToPtrOp::create(
      b, loc,
      spirv::PointerType::get(type, spirv::StorageClass::PhysicalStorageBuffer),
      address);
}

/// Loads and stores of shared memory, an array of units: integers as wide as
/// the narrowest element that its function has there.
class SharedMemory {
public:
  SharedMemory(OpBuilder &b, Location loc, Value address)
      : b(b), loc(loc), address(address) {
    auto module = b.getInsertionBlock()
                      ->getParentOp()
                      ->getParentOfType<spirv::ModuleOp>();
    memory = module.lookupSymbol<spirv::GlobalVariableOp>(kSharedName);
    auto pointer = llvm::cast<spirv::PointerType>(memory.getType());
    unit =
        llvm::cast<spirv::ArrayType>(pointer.getPointeeType()).getElementType();
  }

  /// Units of an element of `type`; 0 where they are no vector of SPIR-V.
  int64_t countUnits(Type type) {
    int64_t count = getElementTypeOrSelf(type).getIntOrFloatBitWidth() /
                    unit.getIntOrFloatBitWidth();
    return count <= 4 ? count : 0;
  }

  Value load(Type type) {
    Type element = getElementTypeOrSelf(type);
    int64_t units = countUnits(type),
            count = getBytes(type) / getBytes(element);
    SmallVector<Value> elements;
    for (int64_t i = 0; i < count; ++i) {
      SmallVector<Value> loaded;
      for (int64_t u = 0; u < units; ++u)
        loaded.push_back(spirv::LoadOp::create(b, loc, at(i * units + u)));
      elements.push_back(toType(compose(unit, loaded), element));
    }
    return compose(element, elements);
  }

  void store(Value value) {
    Type type = value.getType(), element = getElementTypeOrSelf(type);
    int64_t units = countUnits(type),
            count = getBytes(type) / getBytes(element);
    Type several = units > 1 ? VectorType::get({units}, unit) : unit;
    for (int64_t i = 0; i < count; ++i) {
      Value bits = toType(count > 1 ? part(value, i) : value, several);
      for (int64_t u = 0; u < units; ++u)
        spirv::StoreOp::create(b, loc, at(i * units + u),
                               units > 1 ? part(bits, u) : bits);
    }
  }

private:
  Value number(int64_t x) {
    return spirv::ConstantOp::create(b, loc, b.getI32Type(),
                                     b.getI32IntegerAttr(x));
  }
  Value at(int64_t units) {
    Value place = address;
    if (int64_t bytes = getBytes(unit); bytes > 1)
      place = spirv::ShiftRightLogicalOp::create(b, loc, place,
                                                 number(llvm::Log2_64(bytes)));
    if (units)
      place = spirv::IAddOp::create(b, loc, place, number(units));
    Value array = spirv::AddressOfOp::create(b, loc, memory);
    return spirv::AccessChainOp::create(b, loc, array, ValueRange{place});
  }
  Value part(Value vector, int64_t i) {
    return spirv::CompositeExtractOp::create(
        b, loc, vector, ArrayRef<int32_t>{static_cast<int32_t>(i)});
  }
  Value compose(Type element, ArrayRef<Value> values) {
    if (values.size() == 1)
      return values[0];
    auto type = VectorType::get({static_cast<int64_t>(values.size())}, element);
    return spirv::CompositeConstructOp::create(b, loc, type, values);
  }
  Value toType(Value value, Type type) {
    return value.getType() == type
               ? value
               : spirv::BitcastOp::create(b, loc, type, value);
  }

  OpBuilder &b;
  Location loc;
  Value address;
  spirv::GlobalVariableOp memory;
  Type unit;
};

/// Bits of the narrowest element that `function` has in shared memory.
unsigned getSharedWidth(Operation *function) {
  unsigned width = 32;
  auto add = [&](Value address, Type type) {
    if (isShared(address.getType()) && isNumber(type))
      width =
          std::min(width, getElementTypeOrSelf(type).getIntOrFloatBitWidth());
  };
  function->walk([&](LLVM::LoadOp op) { add(op.getAddr(), op.getType()); });
  function->walk(
      [&](LLVM::StoreOp op) { add(op.getAddr(), op.getValue().getType()); });
  return width;
}

spirv::MemoryAccessAttr getAligned(OpBuilder &b) {
  return spirv::MemoryAccessAttr::get(b.getContext(),
                                      spirv::MemoryAccess::Aligned);
}

/// What `op` says, or what an element of `type` has.
template <typename Op>
IntegerAttr getAlignment(OpBuilder &b, Op op, Type type) {
  return b.getI32IntegerAttr(
      op.getAlignment().value_or(getBytes(getElementTypeOrSelf(type))));
}

struct LoadPattern : OpConversionPattern<LLVM::LoadOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(LLVM::LoadOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type type = getTypeConverter()->convertType(op.getType());
    if (!type || !isNumber(op.getType()))
      return rewriter.notifyMatchFailure(op, "has no type of SPIR-V");
    if (!isShared(op.getAddr().getType())) {
      rewriter.replaceOpWithNewOp<spirv::LoadOp>(
          op, pointTo(rewriter, loc, adaptor.getAddr(), type),
          getAligned(rewriter), getAlignment(rewriter, op, type));
      return success();
    }
    SharedMemory shared(rewriter, loc, adaptor.getAddr());
    if (!shared.countUnits(type))
      return rewriter.notifyMatchFailure(op, "is too wide for its units");
    rewriter.replaceOp(op, shared.load(type));
    return success();
  }
};

struct StorePattern : OpConversionPattern<LLVM::StoreOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(LLVM::StoreOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value value = adaptor.getValue();
    Type type = value.getType();
    if (!isNumber(op.getValue().getType()))
      return rewriter.notifyMatchFailure(op, "stores no number");
    if (!isShared(op.getAddr().getType())) {
      rewriter.replaceOpWithNewOp<spirv::StoreOp>(
          op, pointTo(rewriter, loc, adaptor.getAddr(), type), value,
          getAligned(rewriter), getAlignment(rewriter, op, type));
      return success();
    }
    SharedMemory shared(rewriter, loc, adaptor.getAddr());
    if (!shared.countUnits(type))
      return rewriter.notifyMatchFailure(op, "is too wide for its units");
    shared.store(value);
    rewriter.eraseOp(op);
    return success();
  }
};

/// The first byte of shared memory.
struct SharedPattern : OpConversionPattern<LLVM::AddressOfOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(LLVM::AddressOfOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<spirv::ConstantOp>(
        op, rewriter.getI32Type(), rewriter.getI32IntegerAttr(0));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// The grid
//===----------------------------------------------------------------------===//

template <typename Op, spirv::BuiltIn Number>
struct NumberPattern : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;
  LogicalResult
  matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value numbers = spirv::getBuiltinVariableValue(
        op, Number, rewriter.getI32Type(), rewriter);
    auto along = static_cast<int32_t>(op.getDimension());
    Value number = spirv::CompositeExtractOp::create(
        rewriter, op.getLoc(), numbers, ArrayRef<int32_t>{along});
    rewriter.replaceOpWithNewOp<spirv::UConvertOp>(
        op, this->getTypeConverter()->convertType(op.getType()), number);
    return success();
  }
};

struct BarrierPattern : OpConversionPattern<gpu::BarrierOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(gpu::BarrierOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<spirv::ControlBarrierOp>(
        op, spirv::Scope::Workgroup, spirv::Scope::Workgroup,
        spirv::MemorySemantics::AcquireRelease |
            spirv::MemorySemantics::WorkgroupMemory);
    return success();
  }
};

struct ReturnPattern : OpConversionPattern<LLVM::ReturnOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(LLVM::ReturnOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<spirv::ReturnOp>(op);
    return success();
  }
};

/// Of a pointer that is a parameter: the number is one already.
struct ParameterPattern : OpConversionPattern<UnrealizedConversionCastOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(UnrealizedConversionCastOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, adaptor.getInputs());
    return success();
  }
};

struct DeviceToSPIRVPass : vortex::impl::DeviceToSPIRVBase<DeviceToSPIRVPass> {
  using DeviceToSPIRVBase::DeviceToSPIRVBase;
  void runOnOperation() override {
    spirv::TargetEnvAttr target;
    if (ArrayAttr targets = getOperation().getTargetsAttr())
      for (Attribute found : targets)
        if (auto environment = dyn_cast<spirv::TargetEnvAttr>(found))
          target = environment;
    if (!target)
      return;
    for (auto function :
         llvm::to_vector(getOperation().getOps<LLVM::LLVMFuncOp>()))
      if (failed(convert(function, target)))
        return signalPassFailure();
    for (auto global : llvm::to_vector(getOperation().getOps<LLVM::GlobalOp>()))
      global.erase();
  }
  LogicalResult convert(LLVM::LLVMFuncOp function, spirv::TargetEnvAttr target);
  LogicalResult convertOps(spirv::ModuleOp module, spirv::TargetEnvAttr target);
};
} // namespace

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Loads the parameters of a device function at the head of `shader`, whose
/// body has them as its arguments.
static void takeParameters(spirv::FuncOp shader) {
  Block &entry = shader.getBody().front();
  ImplicitLocOpBuilder b(shader.getLoc(), &entry, entry.begin());
  Type i64 = b.getI64Type();
  auto number = [&](int64_t x) -> Value {
    return spirv::ConstantOp::create(b, i64, b.getI64IntegerAttr(x));
  };
  auto word = [&](unsigned at) -> Value {
    return spirv::UConvertOp::create(
        b, i64,
        spirv::getPushConstantValue(shader, /*elementCount=*/2, at,
                                    b.getI32Type(), b));
  };
  Value high = spirv::ShiftLeftLogicalOp::create(b, i64, word(1), number(32));
  Value block = spirv::BitwiseOrOp::create(b, word(0), high);
  auto space = LLVM::LLVMPointerType::get(b.getContext(), kGlobalSpace);
  for (auto [i, argument] : llvm::enumerate(entry.getArguments())) {
    Value at = spirv::IAddOp::create(b, block, number(i * kParameterBytes));
    Value place = UnrealizedConversionCastOp::create(b, space, at).getResult(0);
    bool isAddress = isa<LLVM::LLVMPointerType>(argument.getType());
    Value value = LLVM::LoadOp::create(b, isAddress ? i64 : argument.getType(),
                                       place, kParameterBytes);
    if (isAddress)
      value = UnrealizedConversionCastOp::create(b, argument.getType(), value)
                  .getResult(0);
    argument.replaceAllUsesWith(value);
  }
  entry.eraseArguments(0, entry.getNumArguments());
}

/// Upstream's loops leave nothing in their results when no step runs: then
/// these are what they start with.
static void settleLoops(LLVM::LLVMFuncOp function) {
  function.walk([](scf::ForOp loop) {
    if (loop->getNumResults() == 0)
      return;
    ImplicitLocOpBuilder b(loop.getLoc(), loop->getContext());
    b.setInsertionPointAfter(loop);
    Value some =
        arith::CmpIOp::create(b, arith::CmpIPredicate::slt,
                              loop.getLowerBound(), loop.getUpperBound());
    for (auto [result, start] :
         llvm::zip(loop.getResults(), loop.getInitArgs())) {
      auto settled = arith::SelectOp::create(b, some, result, start);
      result.replaceAllUsesExcept(settled, settled);
    }
  });
}

LogicalResult DeviceToSPIRVPass::convertOps(spirv::ModuleOp module,
                                            spirv::TargetEnvAttr target) {
  MLIRContext *context = &getContext();
  SPIRVConversionOptions options;
  options.use64bitIndex = true;
  options.emulateLT32BitScalarTypes = false;
  options.emulateUnsupportedFloatTypes = false;
  SPIRVTypeConverter types(target, options);
  types.addConversion([&](LLVM::LLVMPointerType type) -> Type {
    return IntegerType::get(context, isShared(type) ? 32 : 64);
  });
  // Expanded to arithmetic on its bits: all there is of it is memory.
  types.addConversion(
      [&](BFloat16Type type) -> Type { return IntegerType::get(context, 16); });
  ScfToSPIRVContext loops;
  RewritePatternSet patterns(context);
  arith::populateArithToSPIRVPatterns(types, patterns);
  populateMathToSPIRVPatterns(types, patterns);
  populateSCFToSPIRVPatterns(types, loops, patterns);
  populateVectorToSPIRVPatterns(types, patterns);
  ub::populateUBToSPIRVConversionPatterns(types, patterns);
  patterns
      .add<MovePattern, LoadPattern, StorePattern, SharedPattern,
           NumberPattern<gpu::ThreadIdOp, spirv::BuiltIn::LocalInvocationId>,
           NumberPattern<gpu::BlockIdOp, spirv::BuiltIn::WorkgroupId>,
           NumberPattern<gpu::GridDimOp, spirv::BuiltIn::NumWorkgroups>,
           BarrierPattern, ReturnPattern, ParameterPattern>(types, context);
  auto legal = SPIRVConversionTarget::get(target);
  legal->addIllegalOp<UnrealizedConversionCastOp>();
  return applyFullConversion(module, *legal, std::move(patterns));
}

/// Arithmetic is what is written: polynomials round by numbers that they add
/// and subtract again.
static void keepArithmetic(spirv::ModuleOp module) {
  module->walk([](Operation *op) {
    if (isa<spirv::FAddOp, spirv::FSubOp, spirv::FMulOp, spirv::FDivOp,
            spirv::FNegateOp, spirv::FRemOp, spirv::GLFmaOp>(op))
      op->setAttr("no_contraction", UnitAttr::get(op->getContext()));
  });
}

LogicalResult DeviceToSPIRVPass::convert(LLVM::LLVMFuncOp function,
                                         spirv::TargetEnvAttr target) {
  auto bytes = function->getAttrOfType<IntegerAttr>("vortex.shared_bytes");
  auto bounds = function->getAttrOfType<spirv::EntryPointABIAttr>(
      spirv::getEntryPointABIAttrName());
  if (function.isExternal() || !bytes || !bounds || !bounds.getWorkgroupSize())
    return function.emitOpError(
        "is no kernel: it has no body, shared memory or "
        "threads of a block");
  int64_t shared = bytes.getInt();
  ImplicitLocOpBuilder b(function.getLoc(), &getContext());
  b.setInsertionPointToEnd(getOperation().getBody());
  auto module = spirv::ModuleOp::create(
      b, spirv::AddressingModel::PhysicalStorageBuffer64,
      spirv::MemoryModel::GLSL450);
  module->setAttr(spirv::getTargetEnvAttrName(), target);
  b.setInsertionPointToEnd(module.getBody());
  if (shared) {
    unsigned width = getSharedWidth(function);
    auto array = spirv::ArrayType::get(b.getIntegerType(width),
                                       llvm::divideCeil(8 * shared, width));
    spirv::GlobalVariableOp::create(b,
                                    TypeAttr::get(spirv::PointerType::get(
                                        array, spirv::StorageClass::Workgroup)),
                                    b.getStringAttr(kSharedName),
                                    FlatSymbolRefAttr());
  }
  settleLoops(function);
  auto shader =
      spirv::FuncOp::create(b, function.getName(), b.getFunctionType({}, {}));
  shader.getBody().takeBody(function.getBody());
  takeParameters(shader);
  if (failed(convertOps(module, target)))
    return failure();
  keepArithmetic(module);
  // What only names numbers of the grid is the interface.
  SmallVector<Attribute> interface;
  for (auto variable : module.getOps<spirv::GlobalVariableOp>())
    if (variable.storageClass() == spirv::StorageClass::Input)
      interface.push_back(SymbolRefAttr::get(variable));
  b.setInsertionPointToEnd(module.getBody());
  spirv::EntryPointOp::create(b, spirv::ExecutionModel::GLCompute, shader,
                              interface);
  spirv::ExecutionModeOp::create(b, shader, spirv::ExecutionMode::LocalSize,
                                 bounds.getWorkgroupSize().asArrayRef());
  function.erase();
  return success();
}
