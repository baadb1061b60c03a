//===- CallContext.cpp - The call's context in generated code -*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Conversion/CallContext.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace vortex;

Value vortex::getCallContext(Operation *op) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    function = op->getParentOfType<FunctionOpInterface>();
  if (!function || function.isExternal())
    return {};
  Block &entry = function.getFunctionBody().front();
  if (entry.getNumArguments() == 0 ||
      !isa<LLVM::LLVMPointerType>(entry.getArgument(0).getType()))
    return {};
  return entry.getArgument(0);
}

/// VortexCallContext as an LLVM struct.
static LLVM::LLVMStructType getContextType(MLIRContext *context) {
  Type i32 = IntegerType::get(context, 32), i64 = IntegerType::get(context, 64);
  Type ptr = LLVM::LLVMPointerType::get(context);
  return LLVM::LLVMStructType::getLiteral(
      context, {i32, i32, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64,
                ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr});
}

Value vortex::loadContextField(OpBuilder &b, Location loc, Value context,
                               ContextField field) {
  LLVM::LLVMStructType type = getContextType(b.getContext());
  auto index = static_cast<int32_t>(field);
  Value address = LLVM::GEPOp::create(
      b, loc, LLVM::LLVMPointerType::get(b.getContext()), type, context,
      ArrayRef<LLVM::GEPArg>{0, index}, LLVM::GEPNoWrapFlags::inbounds);
  return LLVM::LoadOp::create(b, loc, type.getBody()[index], address,
                              /*alignment=*/0, /*isVolatile=*/false,
                              /*isNonTemporal=*/false, /*isInvariant=*/true);
}

Value vortex::allocateOnStack(OpBuilder &b, Location loc, Value context,
                              Type element, int64_t count) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(cast<BlockArgument>(context).getOwner());
  Value number = LLVM::ConstantOp::create(
      b, loc, b.getI64IntegerAttr(std::max<int64_t>(count, 1)));
  return LLVM::AllocaOp::create(
      b, loc, LLVM::LLVMPointerType::get(b.getContext()), element, number);
}

Value vortex::spillToStack(OpBuilder &b, Location loc, Value context,
                           Type element, ValueRange values) {
  Value array = allocateOnStack(b, loc, context, element, values.size());
  for (auto [i, value] : llvm::enumerate(values)) {
    Value address =
        LLVM::GEPOp::create(b, loc, array.getType(), element, array,
                            ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i)});
    LLVM::StoreOp::create(b, loc, value, address);
  }
  return array;
}

LLVM::CallOp vortex::callContext(OpBuilder &b, Location loc, Value context,
                                 ContextField field, Type result,
                                 ValueRange operands) {
  Value callee = loadContextField(b, loc, context, field);
  SmallVector<Value> all{callee};
  llvm::append_range(all, operands);
  SmallVector<Type> types = llvm::to_vector(operands.getTypes());
  auto type = LLVM::LLVMFunctionType::get(
      result ? result : LLVM::LLVMVoidType::get(b.getContext()), types);
  return LLVM::CallOp::create(b, loc, type, all);
}
