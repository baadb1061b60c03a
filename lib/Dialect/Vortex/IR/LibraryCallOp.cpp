//===- LibraryCallOp.cpp - Products that libraries compute -===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Dialect/Vortex/IR/VortexDialect.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace vortex;

/// Whether `dims` are two dimensions of `value`, and all others have one
/// element.
static LogicalResult verifyDims(LibraryCallOp op, Value value,
                                ArrayRef<int64_t> dims) {
  auto type = cast<ShapedType>(value.getType());
  if (!type.hasRank())
    return op.emitOpError() << "needs operands of a known rank, got " << type;
  auto isDim = [&](int64_t dim) { return dim >= 0 && dim < type.getRank(); };
  if (dims.size() != 2 || dims[0] == dims[1] || !llvm::all_of(dims, isDim))
    return op.emitOpError() << "takes dimensions [" << dims << "] of " << type
                            << "; a matrix has two of them";
  for (auto [dim, extent] : llvm::enumerate(type.getShape()))
    if (!llvm::is_contained(dims, int64_t(dim)) && extent != 1)
      return op.emitOpError()
             << "takes one matrix of " << type << ", whose dimension " << dim
             << " is not known to have extent 1";
  return success();
}

LogicalResult LibraryCallOp::verify() {
  if (getLibrary().empty())
    return emitOpError("names no library");
  if (failed(verifyDims(*this, getA(), getADims())) ||
      failed(verifyDims(*this, getB(), getBDims())) ||
      failed(verifyDims(*this, getInit(), getCDims())))
    return failure();
  Type element = getElementTypeOrSelf(getInit());
  if (!element.isF32() && !element.isF64())
    return emitOpError() << "multiplies matrices of f32 or f64, not of "
                         << element;
  for (Value factor : {getA(), getB()})
    if (getElementTypeOrSelf(factor) != element)
      return emitOpError() << "has a factor of " << getElementTypeOrSelf(factor)
                           << " and a result of " << element;
  auto agree = [&](StringRef axis, Value x, int64_t xDim, Value y,
                   int64_t yDim) -> LogicalResult {
    int64_t left = cast<ShapedType>(x.getType()).getDimSize(xDim);
    int64_t right = cast<ShapedType>(y.getType()).getDimSize(yDim);
    if (left == right || ShapedType::isDynamic(left) ||
        ShapedType::isDynamic(right))
      return success();
    return emitOpError() << "has " << left << " and " << right << " " << axis;
  };
  if (failed(agree("rows", getA(), getADims()[0], getInit(), getCDims()[0])) ||
      failed(
          agree("columns", getB(), getBDims()[1], getInit(), getCDims()[1])) ||
      failed(agree("steps", getA(), getADims()[1], getB(), getBDims()[0])))
    return failure();
  bool isTensor = isa<TensorType>(getInit().getType());
  for (Value factor : {getA(), getB()})
    if (isa<TensorType>(factor.getType()) != isTensor)
      return emitOpError("mixes tensors and memrefs");
  if (isTensor ? !getResult() || getResult().getType() != getInit().getType()
               : !!getResult())
    return emitOpError("has a result of the type of its init on tensors, and "
                       "none on memrefs");
  return success();
}

void LibraryCallOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  if (!isa<MemRefType>(getInit().getType()))
    return;
  effects.emplace_back(MemoryEffects::Read::get(), &getAMutable());
  effects.emplace_back(MemoryEffects::Read::get(), &getBMutable());
  effects.emplace_back(MemoryEffects::Read::get(), &getInitMutable());
  effects.emplace_back(MemoryEffects::Write::get(), &getInitMutable());
}
