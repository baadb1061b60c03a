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

/// Whether `dims` are dimensions of `value`, or -1 for those of a batch that a
/// factor does not have, and all others have one element.
static LogicalResult verifyDims(LibraryCallOp op, Value value,
                                ArrayRef<int64_t> dims, bool isResult) {
  auto type = cast<ShapedType>(value.getType());
  if (!type.hasRank())
    return op.emitOpError() << "needs operands of a known rank, got " << type;
  if (dims.size() < 2)
    return op.emitOpError() << "takes dimensions [" << dims << "] of " << type
                            << "; a matrix has two of them";
  for (auto [i, dim] : llvm::enumerate(dims)) {
    bool isAbsent = dim == -1 && !isResult && i + 2 < dims.size();
    if (!isAbsent && (dim < 0 || dim >= type.getRank() ||
                      llvm::is_contained(dims.take_front(i), dim)))
      return op.emitOpError()
             << "takes dimensions [" << dims << "] of " << type
             << (dims.size() == 2 ? "; a matrix has two of them"
                                  : "; each is one of its own, and -1 only in "
                                    "the batch of a factor");
  }
  for (auto [dim, extent] : llvm::enumerate(type.getShape()))
    if (!llvm::is_contained(dims, int64_t(dim)) && extent != 1)
      return op.emitOpError()
             << "takes one matrix of " << type << ", whose dimension " << dim
             << " is not known to have extent 1";
  return success();
}

/// Whether libraries multiply factors of these types to such a result.
static LogicalResult verifyTypes(LibraryCallOp op) {
  Type element = getElementTypeOrSelf(op.getInit());
  Type a = getElementTypeOrSelf(op.getA()), b = getElementTypeOrSelf(op.getB());
  if (!a.isF32() && !a.isF64() && !a.isF16() && !a.isBF16())
    return op.emitOpError()
           << "multiplies matrices of f32, f64, f16 or bf16, not of " << a;
  if (a != b)
    return op.emitOpError() << "has factors of " << a << " and " << b;
  if (element != a && !(element.isF32() && (a.isF16() || a.isBF16())))
    return op.emitOpError()
           << "has a factor of " << a << " and a result of " << element;
  if (op.getTf32() && !a.isF32())
    return op.emitOpError() << "takes factors of " << a << " for tf32";
  return success();
}

LogicalResult LibraryCallOp::verify() {
  if (getLibrary().empty())
    return emitOpError("names no library");
  if (failed(verifyDims(*this, getA(), getADims(), /*isResult=*/false)) ||
      failed(verifyDims(*this, getB(), getBDims(), /*isResult=*/false)) ||
      failed(verifyDims(*this, getInit(), getCDims(), /*isResult=*/true)) ||
      failed(verifyTypes(*this)))
    return failure();
  size_t batch = getCDims().size() - 2;
  if (getADims().size() != batch + 2 || getBDims().size() != batch + 2)
    return emitOpError("takes a batch of its operands that has other numbers "
                       "of dimensions");
  auto agree = [&](StringRef axis, Value x, int64_t xDim, Value y,
                   int64_t yDim) -> LogicalResult {
    int64_t left = cast<ShapedType>(x.getType()).getDimSize(xDim);
    int64_t right = cast<ShapedType>(y.getType()).getDimSize(yDim);
    if (left == right || ShapedType::isDynamic(left) ||
        ShapedType::isDynamic(right))
      return success();
    return emitOpError() << "has " << left << " and " << right << " " << axis;
  };
  auto a = getADims(), b = getBDims(), c = getCDims();
  if (failed(agree("rows", getA(), a[batch], getInit(), c[batch])) ||
      failed(agree("columns", getB(), b[batch + 1], getInit(), c[batch + 1])) ||
      failed(agree("steps", getA(), a[batch + 1], getB(), b[batch])))
    return failure();
  for (size_t i = 0; i < batch; ++i)
    if ((a[i] >= 0 &&
         failed(agree("points of a batch", getA(), a[i], getInit(), c[i]))) ||
        (b[i] >= 0 &&
         failed(agree("points of a batch", getB(), b[i], getInit(), c[i]))))
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
