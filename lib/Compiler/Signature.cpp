//===- Signature.cpp - What callers see of a function -*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Signature.h"

#include "Relations.h"

#include "vortex/Dialect/Vortex/IR/VortexDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace vortex;

StringRef vortex::getDTypeName(VortexDType dtype) {
  static constexpr StringLiteral names[] = {
      "f32",   "f64",          "f16",          "bf16",     "i1",
      "i4",    "i8",           "i16",          "i32",      "i64",
      "index", "complex<f32>", "complex<f64>", "f8E4M3FN", "f8E5M2"};
  return names[dtype];
}

uint64_t vortex::getDTypeAlignment(VortexDType dtype) {
  switch (dtype) {
  case VORTEX_F64:
  case VORTEX_I64:
  case VORTEX_INDEX:
  case VORTEX_C64:
  case VORTEX_C128:
    return 8;
  case VORTEX_F32:
  case VORTEX_I32:
    return 4;
  case VORTEX_F16:
  case VORTEX_BF16:
  case VORTEX_I16:
    return 2;
  case VORTEX_I1:
  case VORTEX_I4:
  case VORTEX_I8:
  case VORTEX_F8E4M3FN:
  case VORTEX_F8E5M2:
    return 1;
  }
  llvm_unreachable("no type of elements");
}

static FailureOr<VortexDType> getDType(Type type) {
  if (type.isF32())
    return VORTEX_F32;
  if (type.isF64())
    return VORTEX_F64;
  if (type.isF16())
    return VORTEX_F16;
  if (type.isBF16())
    return VORTEX_BF16;
  if (type.isIndex())
    return VORTEX_INDEX;
  if (isa<Float8E4M3FNType>(type))
    return VORTEX_F8E4M3FN;
  if (isa<Float8E5M2Type>(type))
    return VORTEX_F8E5M2;
  if (auto integer = dyn_cast<IntegerType>(type)) {
    switch (integer.getWidth()) {
    case 1:
      return VORTEX_I1;
    case 4:
      return VORTEX_I4;
    case 8:
      return VORTEX_I8;
    case 16:
      return VORTEX_I16;
    case 32:
      return VORTEX_I32;
    case 64:
      return VORTEX_I64;
    }
  }
  if (auto complex = dyn_cast<ComplexType>(type)) {
    if (complex.getElementType().isF32())
      return VORTEX_C64;
    if (complex.getElementType().isF64())
      return VORTEX_C128;
  }
  return failure();
}

FailureOr<ValueSignature> vortex::getValueSignature(Type type) {
  ValueSignature signature;
  Type element = type;
  if (auto shaped = dyn_cast<ShapedType>(type)) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    auto memref = dyn_cast<MemRefType>(type);
    if (!(tensor && !tensor.getEncoding()) &&
        !(memref && memref.getLayout().isIdentity() &&
          !memref.getMemorySpace()))
      return failure();
    signature.kind = memref ? VORTEX_MEMREF : VORTEX_TENSOR;
    for (int64_t extent : shaped.getShape())
      signature.extents.push_back(ShapedType::isDynamic(extent) ? -1 : extent);
    element = shaped.getElementType();
  }
  FailureOr<VortexDType> dtype = getDType(element);
  if (failed(dtype))
    return failure();
  signature.dtype = *dtype;
  return signature;
}

/// Adds the names of sizes, which `attr` gives to `what`.
static LogicalResult addDims(func::FuncOp function, const Twine &what,
                             Attribute attr, ValueSignature &signature) {
  if (!attr)
    return success();
  auto dims = dyn_cast<ArrayAttr>(attr);
  if (!dims || dims.size() != signature.extents.size() ||
      !llvm::all_of(dims, llvm::IsaPred<StringAttr>))
    return function.emitError()
           << what << ": '" << kDimsAttr << "' must name each of its "
           << signature.extents.size() << " dimensions";
  for (Attribute name : dims)
    signature.dims.push_back(cast<StringAttr>(name).str());
  return success();
}

static constexpr StringLiteral kLegalTypes =
    "scalars, and tensors and row-major memrefs of known rank, without an "
    "encoding or a memory space, of f64, f32, f16, bf16, f8E4M3FN, f8E5M2, i1, "
    "i4, i8, i16, i32, i64, index, "
    "complex<f32> or complex<f64>";

FailureOr<std::vector<FunctionSignature>>
vortex::collectSignatures(ModuleOp module) {
  std::vector<FunctionSignature> signatures;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal())
      return function.emitError()
             << "function @" << function.getSymName()
             << " has no body; an artifact can call nothing but itself";
    if (!function.isPublic())
      continue;
    FunctionSignature signature;
    signature.name = function.getSymName().str();
    for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
      FailureOr<ValueSignature> value = getValueSignature(type);
      if (failed(value))
        return function.emitError()
               << "argument " << i << " of @" << signature.name << " has type "
               << type << "; arguments can be " << kLegalTypes;
      value->isWeight = !!function.getArgAttr(i, kWeightAttr);
      if (failed(addDims(function, "argument " + Twine(i),
                         function.getArgAttr(i, kDimsAttr), *value)))
        return failure();
      signature.args.push_back(std::move(*value));
    }
    for (auto [i, type] : llvm::enumerate(function.getResultTypes())) {
      FailureOr<ValueSignature> value = getValueSignature(type);
      if (failed(value))
        return function.emitError()
               << "result " << i << " of @" << signature.name << " has type "
               << type << "; results can be " << kLegalTypes;
      if (failed(addDims(function, "result " + Twine(i),
                         function.getResultAttr(i, kDimsAttr), *value)))
        return failure();
      signature.results.push_back(std::move(*value));
    }
    if (auto relations = function->getAttrOfType<ArrayAttr>(kWhereAttr))
      for (Attribute relation : relations)
        signature.relations.push_back(cast<StringAttr>(relation).str());
    for (std::string &relation : inferRelations(function))
      if (!llvm::is_contained(signature.relations, relation))
        signature.relations.push_back(std::move(relation));
    signatures.push_back(std::move(signature));
  }
  if (signatures.empty())
    return module.emitError(
        "no public function; an artifact needs at least one");
  return signatures;
}

LogicalResult vortex::markWeights(ModuleOp module, StringRef text) {
  // Functions may be called anything; the list has no colon.
  auto [name, list] = text.rsplit(':');
  auto function = module.lookupSymbol<func::FuncOp>(name);
  if (!function)
    return module.emitError()
           << "--weights=" << text << ": no function @" << name;
  if (!function.isPublic())
    return module.emitError()
           << "--weights=" << text << ": @" << name
           << " is private; an artifact binds arguments of public functions";
  SmallVector<StringRef> ranges;
  list.split(ranges, ',');
  for (StringRef range : ranges) {
    auto [first, last] = range.split('-');
    unsigned from, to;
    if (last.empty())
      last = first;
    if (first.getAsInteger(10, from) || last.getAsInteger(10, to) || from > to)
      return module.emitError() << "--weights=" << text << ": '" << range
                                << "' is not an argument or a range";
    if (to >= function.getNumArguments())
      return module.emitError()
             << "--weights=" << text << ": @" << name << " has "
             << function.getNumArguments() << " arguments, counted from 0";
    for (unsigned i = from; i <= to; ++i)
      function.setArgAttr(i, kWeightAttr, UnitAttr::get(module.getContext()));
  }
  return success();
}
