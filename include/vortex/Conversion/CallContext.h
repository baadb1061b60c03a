//===- CallContext.h - The call's context in generated code ----*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Access to the fields of VortexCallContext (vortex-c/Artifact.h) from IR.
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_CONVERSION_CALLCONTEXT_H
#define VORTEX_CONVERSION_CALLCONTEXT_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

namespace vortex {

/// Unit argument attribute of the context.
inline constexpr llvm::StringLiteral kContextAttr = "vortex.context";
/// Unit argument attribute of tensors that the function never writes.
inline constexpr llvm::StringLiteral kReadOnlyAttr = "vortex.read_only";
/// Unit argument attribute of memrefs that no other pointer of the function
/// reaches while one of the two is written.
inline constexpr llvm::StringLiteral kNoAliasAttr = "vortex.noalias";
/// On a function, the symbol of the one that packs its weights.
inline constexpr llvm::StringLiteral kBinderAttr = "vortex.binder";
/// Unit argument attribute of what `@f.bind` made for `@f`.
inline constexpr llvm::StringLiteral kBoundAttr = "vortex.bound";
/// Integer argument attribute: the result that takes the argument's memory.
inline constexpr llvm::StringLiteral kDonatedAttr = "vortex.donated";
/// Unit argument attribute of weights of which calls read the sizes alone.
inline constexpr llvm::StringLiteral kSizesOnlyAttr = "vortex.sizes_only";
/// Integer attribute: position in one of the artifact's tables.
inline constexpr llvm::StringLiteral kIndexAttr = "vortex.index";
/// Module attribute with the artifact's table of parameters.
inline constexpr llvm::StringLiteral kParamsAttr = "vortex.params";
/// Module attribute with the names of the libraries that code may call.
inline constexpr llvm::StringLiteral kLibrariesAttr = "vortex.libraries";
/// Module attribute: how many choices remember their latest answer.
inline constexpr llvm::StringLiteral kMemosAttr = "vortex.memos";

/// Fields of VortexCallContext, in order.
enum class ContextField : int32_t {
  Size,
  Abi,
  Runtime,
  ParallelFor,
  Allocate,
  Release,
  Result,
  Fail,
  Machine,
  Choose,
  Threads,
  Memo,
  Launch,
  Copy,
  Fill,
  Read,
  Write,
  Constant,
  TensorMap,
  Product,
  Results
};

/// The context of the function around `op`: its first argument when that is
/// an `!llvm.ptr`; null otherwise.
mlir::Value getCallContext(mlir::Operation *op);

/// Loads a field: `i32` for Size and Abi, `i64` for Threads, else a pointer.
/// A context does not change during a call, so the load is invariant.
mlir::Value loadContextField(mlir::OpBuilder &b, mlir::Location loc,
                             mlir::Value context, ContextField field);

/// Memory for `count` elements on the stack of the function around `context`,
/// in its entry block: an alloca in a loop would grow the stack.
mlir::Value allocateOnStack(mlir::OpBuilder &b, mlir::Location loc,
                            mlir::Value context, mlir::Type element,
                            int64_t count);

/// An array of `values`, which are of type `element`, on the stack.
mlir::Value spillToStack(mlir::OpBuilder &b, mlir::Location loc,
                         mlir::Value context, mlir::Type element,
                         mlir::ValueRange values);

/// Calls the function pointer in `field` with `operands`; `result` may be
/// null for void.
mlir::LLVM::CallOp callContext(mlir::OpBuilder &b, mlir::Location loc,
                               mlir::Value context, ContextField field,
                               mlir::Type result, mlir::ValueRange operands);

} // namespace vortex

#endif // VORTEX_CONVERSION_CALLCONTEXT_H
