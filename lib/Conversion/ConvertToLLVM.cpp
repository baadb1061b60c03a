//===- ConvertToLLVM.cpp - Converts to the LLVM dialect against the call's
// context -*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Conversion/CallContext.h"
#include "vortex/Conversion/Passes.h"
#include "vortex/Dialect/Vortex/IR/DotInstructions.h"
#include "vortex/Dialect/Vortex/IR/VortexDialect.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ComplexToLLVM/ComplexToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/AMX/Transforms.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/xxhash.h"

namespace vortex {
#define GEN_PASS_DEF_CONVERTTOLLVM
#include "vortex/Conversion/Passes.h.inc"
} // namespace vortex

using namespace mlir;
using namespace vortex;

namespace {

/// Alignment of memory whose allocation does not ask for one: a cache line.
constexpr int64_t kDefaultAlignment = 64;

Value constant(OpBuilder &b, Location loc, int64_t value) {
  return LLVM::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
}

/// Marks what `call` returns as memory that nothing else points to.
void setNoAlias(LLVM::CallOp call) {
  Builder b(call.getContext());
  call.setResAttrsAttr(b.getArrayAttr(b.getDictionaryAttr(b.getNamedAttr(
      LLVM::LLVMDialect::getNoAliasAttrName(), b.getUnitAttr()))));
}

/// The product of a static and dynamic sizes; -1 where it exceeds 64 bits.
Value multiplyChecked(OpBuilder &b, Location loc, Value fixed,
                      ValueRange sizes) {
  Type i64 = b.getI64Type(), i1 = b.getI1Type();
  auto pair =
      LLVM::LLVMStructType::getLiteral(b.getContext(), ArrayRef<Type>{i64, i1});
  Value product = fixed, exceeds;
  for (Value size : sizes) {
    Value both = LLVM::UMulWithOverflowOp::create(b, loc, pair, product, size);
    product = LLVM::ExtractValueOp::create(b, loc, both, 0);
    Value more = LLVM::ExtractValueOp::create(b, loc, both, 1);
    exceeds = exceeds ? LLVM::OrOp::create(b, loc, exceeds, more) : more;
  }
  if (!exceeds)
    return product;
  return LLVM::SelectOp::create(b, loc, exceeds, constant(b, loc, -1), product);
}

struct AllocLowering : ConvertOpToLLVMPattern<memref::AllocOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(memref::AllocOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Value context = getCallContext(op);
    MemRefType type = op.getType();
    if (!context || !isConvertibleAndHasIdentityMaps(type))
      return failure();
    Location loc = op.getLoc();
    SmallVector<Value> sizes, strides;
    Value bytes;
    getMemRefDescriptorSizes(loc, type, adaptor.getDynamicSizes(), b, sizes,
                             strides, bytes, /*sizeInBytes=*/true);
    if (!adaptor.getDynamicSizes().empty()) {
      int64_t fixed = 1;
      for (int64_t size : type.getShape())
        fixed *= ShapedType::isDynamic(size) ? 1 : size;
      Value element = getSizeInBytes(loc, type.getElementType(), b);
      bytes = multiplyChecked(
          b, loc, LLVM::MulOp::create(b, loc, element, constant(b, loc, fixed)),
          adaptor.getDynamicSizes());
    }
    Value alignment = constant(
        b, loc, op.getAlignment() ? *op.getAlignment() : kDefaultAlignment);
    LLVM::CallOp call =
        callContext(b, loc, context, ContextField::Allocate, getPtrType(),
                    ValueRange{context, bytes, alignment});
    setNoAlias(call);
    Value memory = call.getResult();
    b.replaceOp(op, {createMemRefDescriptor(loc, type, memory, memory, sizes,
                                            strides, b)});
    return success();
  }
};

struct DeallocLowering : ConvertOpToLLVMPattern<memref::DeallocOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(memref::DeallocOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Value context = getCallContext(op);
    if (!context || !isa<MemRefType>(op.getMemref().getType()))
      return failure();
    Location loc = op.getLoc();
    Value memory = MemRefDescriptor(adaptor.getMemref()).allocatedPtr(b, loc);
    callContext(b, loc, context, ContextField::Release, {},
                ValueRange{context, memory});
    b.eraseOp(op);
    return success();
  }
};

struct ResultLowering : ConvertOpToLLVMPattern<ResultOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(ResultOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Value context = getCallContext(op);
    auto type = dyn_cast<MemRefType>(op.getStorage().getType());
    if (!context || !type || !isConvertibleAndHasIdentityMaps(type))
      return failure();
    Location loc = op.getLoc();
    SmallVector<Value> sizes, strides;
    Value bytes;
    getMemRefDescriptorSizes(loc, type, adaptor.getDynamicSizes(), b, sizes,
                             strides, bytes, /*sizeInBytes=*/true);
    // Where the caller's memory is of these sizes, no one has to be asked.
    Block *before = b.getInsertionBlock();
    Block *after = b.splitBlock(before, Block::iterator(op));
    Value memory = after->addArgument(getPtrType(), loc);
    Block *compare = b.createBlock(after), *ask = b.createBlock(after);
    b.setInsertionPointToEnd(before);
    Value given = loadContextField(b, loc, context, ContextField::Results);
    Value none =
        LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::eq, given,
                             LLVM::ZeroOp::create(b, loc, getPtrType()));
    LLVM::CondBrOp::create(b, loc, none, ask, compare);

    b.setInsertionPointToEnd(compare);
    auto element = [&](Type type, Value base, int32_t index) -> Value {
      return LLVM::LoadOp::create(
          b, loc, type,
          LLVM::GEPOp::create(b, loc, getPtrType(), type, base,
                              ArrayRef<LLVM::GEPArg>{index}));
    };
    int32_t buffer = 2 * static_cast<int32_t>(op.getIndex());
    Value data = element(getPtrType(), given, buffer);
    Value places = element(getPtrType(), given, buffer + 1);
    Value same = LLVM::ConstantOp::create(b, loc, b.getBoolAttr(true));
    for (auto [i, size] : llvm::enumerate(sizes))
      same = LLVM::AndOp::create(
          b, loc, same,
          LLVM::ICmpOp::create(
              b, loc, LLVM::ICmpPredicate::eq, size,
              element(b.getI64Type(), places, static_cast<int32_t>(i))));
    LLVM::CondBrOp::create(b, loc, same, after, ValueRange{data}, ask,
                           ValueRange());

    b.setInsertionPointToEnd(ask);
    Value array = sizes.empty()
                      ? Value(LLVM::ZeroOp::create(b, loc, getPtrType()))
                      : spillToStack(b, loc, context, b.getI64Type(), sizes);
    LLVM::CallOp call =
        callContext(b, loc, context, ContextField::Result, getPtrType(),
                    ValueRange{context, constant(b, loc, op.getIndex()),
                               constant(b, loc, sizes.size()), array, bytes});
    LLVM::BrOp::create(b, loc, call.getResult(), after);

    // Not marked noalias: LLVM would take stores to memory that only this
    // function knows for dead.
    b.setInsertionPointToStart(after);
    b.replaceOp(op, {createMemRefDescriptor(loc, type, memory, memory, sizes,
                                            strides, b)});
    return success();
  }
};

/// The address of a private constant that holds `text` and a final zero.
Value createText(OpBuilder &b, Location loc, ModuleOp module, StringRef text) {
  std::string bytes = text.str();
  bytes.push_back('\0');
  auto name = "vortex.text." + llvm::utohexstr(llvm::xxh3_64bits(text));
  auto global = module.lookupSymbol<LLVM::GlobalOp>(name);
  if (!global) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    auto type = LLVM::LLVMArrayType::get(b.getI8Type(), bytes.size());
    global = LLVM::GlobalOp::create(b, loc, type, /*isConstant=*/true,
                                    LLVM::Linkage::Private, name,
                                    b.getStringAttr(bytes));
  }
  return LLVM::AddressOfOp::create(b, loc, global);
}

struct AssertLowering : ConvertOpToLLVMPattern<cf::AssertOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(cf::AssertOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Value context = getCallContext(op);
    if (!context)
      return failure();
    Location loc = op.getLoc();
    Block *before = b.getInsertionBlock();
    Block *after = b.splitBlock(before, ++Block::iterator(op));
    Block *failed = b.createBlock(before->getParent());
    auto module = op->getParentOfType<ModuleOp>();
    callContext(b, loc, context, ContextField::Fail, {},
                ValueRange{context, createText(b, loc, module, op.getMsg())});
    LLVM::UnreachableOp::create(b, loc);
    b.setInsertionPointToEnd(before);
    b.replaceOpWithNewOp<LLVM::CondBrOp>(op, adaptor.getArg(), after, failed);
    return success();
  }
};

struct KernelCallLowering : ConvertOpToLLVMPattern<KernelCallOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(KernelCallOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Value context = getCallContext(op);
    if (!context || op.getNumResults())
      return failure();
    Location loc = op.getLoc();
    SmallVector<Value> operands{context};
    llvm::append_range(operands,
                       getTypeConverter()->promoteOperands(
                           loc, op->getOperands(), adaptor.getOperands(), b));
    auto type = LLVM::LLVMFunctionType::get(
        getVoidType(), llvm::to_vector(ValueRange(operands).getTypes()));
    auto module = op->getParentOfType<ModuleOp>();
    Operation *callee = module.lookupSymbol(op.getCallee());
    if (!callee) {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(module.getBody());
      LLVM::LLVMFuncOp::create(b, loc, op.getCallee(), type);
    }
    b.replaceOpWithNewOp<LLVM::CallOp>(op, type, op.getCalleeAttr(), operands);
    return success();
  }
};

struct DotProductLowering : ConvertOpToLLVMPattern<DotProductOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  /// Pairs of bf16, the bits of which are the upper half of those of an f32.
  static Value addWidened(OpBuilder &b, Location loc, OpAdaptor operands,
                          int64_t half) {
    auto type = cast<VectorType>(operands.getSum().getType());
    VectorType words = type.clone(b.getI32Type());
    auto splat = [&](int64_t bits) -> Value {
      return LLVM::ConstantOp::create(
          b, loc,
          DenseElementsAttr::get(words, b.getI32IntegerAttr(int32_t(bits))));
    };
    auto widen = [&](Value factor, bool second) -> Value {
      Value bits = LLVM::BitcastOp::create(b, loc, words, factor);
      bits =
          second
              ? LLVM::AndOp::create(b, loc, bits, splat(0xffff0000)).getResult()
              : LLVM::ShlOp::create(b, loc, bits, splat(16)).getResult();
      return LLVM::BitcastOp::create(b, loc, type, bits);
    };
    Value sum = operands.getSum();
    for (bool second : {false, true})
      if (half < 0 || half == second)
        sum = LLVM::FMAOp::create(b, loc, widen(operands.getA(), second),
                                  widen(operands.getB(), second), sum);
    return sum;
  }

  LogicalResult matchAndRewrite(DotProductOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    VectorType type = cast<VectorType>(op.getType());
    const DotInstruction *instruction = lookupDotInstruction(
        op.getOpcode(), type.getNumElements() * type.getElementTypeBitWidth());
    if (!instruction)
      return failure();
    if (instruction->widens) {
      b.replaceOp(op, addWidened(b, op.getLoc(), adaptor, instruction->half));
      return success();
    }
    SmallVector<Value> operands = {adaptor.getA(), adaptor.getB()};
    if (instruction->accumulates)
      operands.insert(operands.begin(), adaptor.getSum());
    Location loc = op.getLoc();
    Value result =
        LLVM::CallIntrinsicOp::create(
            b, loc, type, b.getStringAttr(instruction->intrinsic), operands)
            .getResult(0);
    if (!instruction->accumulates)
      result = LLVM::AddOp::create(b, loc, adaptor.getSum(), result);
    b.replaceOp(op, result);
    return success();
  }
};

/// One instruction whose indices are overwritten by the result, or one whose
/// first vector is.
struct PermuteLowering : ConvertOpToLLVMPattern<PermuteOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(PermuteOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Type element = cast<VectorType>(op.getType()).getElementType();
    StringRef name = element.isF32()         ? "ps"
                     : element.isF64()       ? "pd"
                     : element.isInteger(32) ? "d"
                                             : "q";
    Value result =
        LLVM::CallIntrinsicOp::create(
            b, op.getLoc(), op.getType(),
            b.getStringAttr("llvm.x86.avx512.vpermi2var." + name + ".512"),
            ValueRange{adaptor.getFirst(), adaptor.getIndices(),
                       adaptor.getSecond()})
            .getResult(0);
    b.replaceOp(op, result);
    return success();
  }
};

struct OpaqueLowering : ConvertOpToLLVMPattern<OpaqueOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(OpaqueOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Type type = adaptor.getValue().getType();
    b.replaceOpWithNewOp<LLVM::InlineAsmOp>(
        op, type, adaptor.getValue(), /*asm_string=*/"",
        /*constraints=*/"=v,0", /*has_side_effects=*/false,
        /*is_align_stack=*/false, LLVM::TailCallKind::None,
        LLVM::AsmDialectAttr::get(op.getContext(), LLVM::AsmDialect::AD_ATT),
        /*operand_attrs=*/ArrayAttr());
    return success();
  }
};

struct ConvertToLLVMPass : vortex::impl::ConvertToLLVMBase<ConvertToLLVMPass> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    ModuleOp module = getOperation();
    LowerToLLVMOptions options(context);
    LLVMTypeConverter types(context, options);
    RewritePatternSet patterns(context);
    SymbolTableCollection symbols;
    populateFuncToLLVMConversionPatterns(types, patterns, &symbols);
    arith::populateArithToLLVMConversionPatterns(types, patterns);
    index::populateIndexToLLVMConversionPatterns(types, patterns);
    cf::populateControlFlowToLLVMConversionPatterns(types, patterns);
    populateMathToLLVMConversionPatterns(types, patterns);
    populateComplexToLLVMConversionPatterns(types, patterns);
    populateFinalizeMemRefToLLVMConversionPatterns(types, patterns, &symbols);
    populateVectorToLLVMConversionPatterns(types, patterns);
    ub::populateUBToLLVMConversionPatterns(types, patterns);
    populateAMXLegalizeForLLVMExportPatterns(types, patterns);
    types.addConversion([&](amx::TileType type) -> Type {
      return LLVM::LLVMX86AMXType::get(type.getContext());
    });
    patterns.add<AllocLowering, DeallocLowering, ResultLowering, AssertLowering,
                 KernelCallLowering, DotProductLowering, OpaqueLowering,
                 PermuteLowering>(types, /*benefit=*/10);

    SmallVector<KnownPointer> known = collectPointers(module, types);
    LLVMConversionTarget target(*context);
    target.addLegalOp<ModuleOp>();
    // Reconciled at the end; one that stays is reported there.
    target.addLegalOp<UnrealizedConversionCastOp>();
    if (failed(applyFullConversion(module, target, std::move(patterns))))
      return signalPassFailure();
    markPointers(module, known);
  }

private:
  /// A memref argument about which something is known, by its first position
  /// among the arguments after conversion.
  struct KnownPointer {
    StringAttr function;
    unsigned position;
    bool readOnly;
  };

  /// Conversion of a memref to several arguments drops its attributes.
  SmallVector<KnownPointer> collectPointers(ModuleOp module,
                                            const LLVMTypeConverter &types) {
    SmallVector<KnownPointer> known;
    for (auto function : module.getOps<func::FuncOp>()) {
      unsigned position = 0;
      for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
        auto memref = dyn_cast<MemRefType>(type);
        bool readOnly = !!function.getArgAttr(i, kReadOnlyAttr);
        if (memref && (readOnly || function.getArgAttr(i, kNoAliasAttr)))
          known.push_back({function.getSymNameAttr(), position, readOnly});
        position += memref ? 3 + 2 * memref.getRank() : 1;
      }
    }
    return known;
  }

  /// Tells LLVM what is known of pointers: memory of a tensor argument is
  /// never written during the call, so no other pointer can change what is
  /// read through it.
  void markPointers(ModuleOp module, ArrayRef<KnownPointer> known) {
    Builder b(&getContext());
    for (const KnownPointer &pointer : known) {
      auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(pointer.function);
      // The second field of a descriptor is the one that is accessed.
      unsigned i = pointer.position + 1;
      if (!function || i >= function.getNumArguments())
        continue;
      function.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(),
                          b.getUnitAttr());
      if (pointer.readOnly)
        function.setArgAttr(i, LLVM::LLVMDialect::getReadonlyAttrName(),
                            b.getUnitAttr());
    }
    for (auto function : module.getOps<LLVM::LLVMFuncOp>())
      for (unsigned i = 0; i < function.getNumArguments(); ++i)
        for (NamedAttribute attr :
             llvm::to_vector(function_interface_impl::getArgAttrs(function, i)))
          if (attr.getName().getValue().starts_with("vortex."))
            function.removeArgAttr(i, attr.getName());
  }
};
} // namespace
