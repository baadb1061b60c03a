//===- ByteFactor.cpp - Factors that come from bytes ----------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ByteFactor.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace vortex;

/// The value that `value`, in a body, widens, and how.
static Value getWidened(Value value, bool &isSigned) {
  Operation *op = value.getDefiningOp();
  if (!isa_and_present<arith::ExtSIOp, arith::ExtUIOp>(op))
    return {};
  isSigned = isa<arith::ExtSIOp>(op);
  return op->getOperand(0);
}

/// What `value`, in the body of `op`, stands for outside: an operand, or a
/// value from there.
static Value getOutside(linalg::GenericOp op, Value value, bool &isElement) {
  auto argument = dyn_cast<BlockArgument>(value);
  isElement = argument && argument.getOwner() == op.getBlock();
  if (!isElement)
    return op->isAncestor(value.getParentBlock()->getParentOp()) ? Value()
                                                                 : value;
  OpOperand *operand = op.getMatchingOpOperand(argument);
  return op.isDpsInput(operand) ? operand->get() : Value();
}

static bool isByte(Value value) {
  return value && getElementTypeOrSelf(value.getType()).isInteger(8);
}

static std::optional<APInt> getNumber(Value value) {
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)))
    return number;
  return std::nullopt;
}

/// Whether all elements of the constant `value` are zero.
static bool isAllZero(Value value) {
  Attribute attribute;
  if (!matchPattern(value, m_Constant(&attribute)))
    return false;
  auto resource = dyn_cast<DenseResourceElementsAttr>(attribute);
  if (!resource)
    return matchPattern(value, m_Zero());
  AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  return blob && llvm::all_of(blob->getData(), [](char c) { return c == 0; });
}

bool ByteFactor::hasByteZero() const {
  if (!zero || isByte(zero))
    return true;
  std::optional<APInt> number = getNumber(zero);
  return number && (isSigned ? number->isSignedIntN(8) : number->isIntN(8));
}

/// The value of the zero point `value` in the body of `op`, into `factor`.
static bool matchZero(linalg::GenericOp op, Value value, ByteFactor &factor) {
  bool isElement = false;
  Value narrow = getWidened(value, factor.isZeroSigned);
  Value zero = getOutside(op, narrow ? narrow : value, isElement);
  if (!zero)
    return false;
  if (isElement) {
    if (isAllZero(zero))
      return true;
    auto type = dyn_cast<RankedTensorType>(zero.getType());
    if (!type || type.getRank() != 0)
      return false;
  }
  // A number of more than 32 bits counts modulo 2^32 as well; there is no need
  // for one that is not known.
  if (getElementTypeOrSelf(zero.getType()).getIntOrFloatBitWidth() > 32 &&
      !getNumber(zero))
    return false;
  factor.zero = zero;
  return true;
}

/// The scale `value` in the body of `op`, into `factor`.
static bool matchScale(linalg::GenericOp op, Value value, ByteFactor &factor) {
  bool isElement = false;
  Value scale = getOutside(op, value, isElement);
  if (!scale || !getElementTypeOrSelf(scale.getType()).isF32())
    return false;
  factor.scale = scale;
  if (isElement) {
    OpOperand *operand = op.getMatchingOpOperand(cast<BlockArgument>(value));
    factor.scaleMap = op.getMatchingIndexingMap(operand);
  }
  return true;
}

/// The elements of an elementwise `op`.
static std::optional<ByteFactor> matchElements(linalg::GenericOp op) {
  if (op.getNumDpsInits() != 1 || op.getNumReductionLoops() != 0)
    return std::nullopt;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (!maps.back().isIdentity())
    return std::nullopt;
  ByteFactor factor;
  Value element =
      cast<linalg::YieldOp>(op.getBlock()->getTerminator()).getOperand(0);
  bool isFloat = element.getType().isF32(), isUnsigned = false;
  if (isFloat) {
    auto product = element.getDefiningOp<arith::MulFOp>();
    if (!product)
      return std::nullopt;
    auto isNumber = [](Value value) {
      return isa_and_present<arith::SIToFPOp, arith::UIToFPOp>(
          value.getDefiningOp());
    };
    bool first = isNumber(product.getLhs());
    Value number = first ? product.getLhs() : product.getRhs();
    if (!isNumber(number) ||
        !matchScale(op, first ? product.getRhs() : product.getLhs(), factor))
      return std::nullopt;
    element = number.getDefiningOp()->getOperand(0);
    // Of a byte, the conversion widens.
    isUnsigned = isa<arith::UIToFPOp>(number.getDefiningOp());
    factor.isSigned = !isUnsigned;
  } else if (!element.getType().isInteger() ||
             element.getType().getIntOrFloatBitWidth() < 32) {
    return std::nullopt;
  }
  // Bytes less a byte do not wrap in sixteen bits.
  if (auto subtract = element.getDefiningOp<arith::SubIOp>();
      subtract && element.getType().getIntOrFloatBitWidth() >= 16) {
    element = subtract.getLhs();
    if (!matchZero(op, subtract.getRhs(), factor))
      return std::nullopt;
  }
  bool isElement = false;
  Value narrow = getWidened(element, factor.isSigned);
  if (!narrow && isFloat && isByte(element))
    narrow = element;
  Value source = getOutside(op, narrow ? narrow : element, isElement);
  if (!source || !isElement)
    return std::nullopt;
  for (auto [input, map] : llvm::zip(op.getInputs(), maps))
    if (input == source && !map.isIdentity())
      return std::nullopt;
  if (narrow) {
    if (!isByte(source))
      return std::nullopt;
    factor.bytes = source;
  } else {
    // Widened by an op of its own, in front of this.
    std::optional<ByteFactor> inner = matchByteFactor(source);
    if (!inner || inner->scale || (inner->zero && factor.zero))
      return std::nullopt;
    inner->scale = factor.scale;
    inner->scaleMap = factor.scaleMap;
    if (factor.zero) {
      if (!inner->views.empty())
        return std::nullopt; // what they write is not zero any more
      inner->zero = factor.zero;
      inner->isZeroSigned = factor.isZeroSigned;
    }
    factor = *inner;
  }
  // Floats of what does not wrap alone are what integers are; without a sign,
  // less than zero wraps.
  if (isFloat && (!factor.hasByteZero() ||
                  (isUnsigned && (factor.isSigned || factor.zero))))
    return std::nullopt;
  return factor;
}

/// Padding with zeros along dimensions that have one scale.
static bool canPad(tensor::PadOp pad, const ByteFactor &factor) {
  Value value = pad.getConstantPaddingValue();
  if (!value ||
      !(matchPattern(value, m_Zero()) || matchPattern(value, m_AnyZeroFloat())))
    return false;
  if (factor.zero && (!getNumber(factor.zero) || !factor.hasByteZero()))
    return false;
  for (int64_t dim = 0; dim < pad.getSourceType().getRank(); ++dim)
    if (factor.scaleMap && factor.scaleMap.isFunctionOfDim(dim) &&
        (!isZeroInteger(pad.getMixedLowPad()[dim]) ||
         !isZeroInteger(pad.getMixedHighPad()[dim])))
      return false;
  return true;
}

/// Lets the scale of `factor`, whose elements have dimensions of `from`, read
/// those of `to`, one of both in `groups` of the other. False when it runs
/// along one that is split or merged.
static bool reshapeScale(ByteFactor &factor, RankedTensorType from,
                         RankedTensorType to,
                         ArrayRef<ReassociationIndices> groups) {
  if (!factor.scaleMap)
    return true;
  MLIRContext *context = from.getContext();
  bool expands = to.getRank() > from.getRank();
  SmallVector<AffineExpr> dims(from.getRank(),
                               getAffineConstantExpr(0, context));
  for (auto [single, group] : llvm::enumerate(groups)) {
    RankedTensorType many = expands ? to : from;
    SmallVector<int64_t> real(llvm::make_filter_range(
        group, [&](int64_t dim) { return many.getDimSize(dim) != 1; }));
    for (int64_t dim : expands ? ReassociationIndices{int64_t(single)} : group)
      if (real.size() > 1 && factor.scaleMap.isFunctionOfDim(dim))
        return false;
    if (!real.empty())
      dims[expands ? single : real[0]] =
          getAffineDimExpr(expands ? real[0] : single, context);
  }
  factor.scaleMap = factor.scaleMap.replaceDimsAndSymbols(
      dims, {}, to.getRank(), /*numResultSyms=*/0);
  return true;
}

std::optional<ByteFactor> vortex::matchByteFactor(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto generic = dyn_cast_or_null<linalg::GenericOp>(op))
    return matchElements(generic);
  std::optional<ByteFactor> factor;
  if (auto pad = dyn_cast_or_null<tensor::PadOp>(op)) {
    factor = matchByteFactor(pad.getSource());
    if (!factor || !canPad(pad, *factor))
      return std::nullopt;
  } else if (auto transpose = dyn_cast_or_null<linalg::TransposeOp>(op)) {
    factor = matchByteFactor(transpose.getInput());
    if (!factor)
      return std::nullopt;
    if (factor->scaleMap) {
      // Dimension permutation[i] of the input is dimension i now.
      SmallVector<AffineExpr> dims(transpose.getPermutation().size());
      for (auto [i, dim] : llvm::enumerate(transpose.getPermutation()))
        dims[dim] = getAffineDimExpr(i, value.getContext());
      factor->scaleMap = factor->scaleMap.replaceDimsAndSymbols(
          dims, {}, dims.size(), /*numResultSyms=*/0);
    }
  } else if (isa_and_present<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(
                 op)) {
    Value source = op->getOperand(0);
    factor = matchByteFactor(source);
    SmallVector<ReassociationIndices> groups =
        isa<tensor::ExpandShapeOp>(op)
            ? cast<tensor::ExpandShapeOp>(op).getReassociationIndices()
            : cast<tensor::CollapseShapeOp>(op).getReassociationIndices();
    if (!factor ||
        !reshapeScale(*factor, cast<RankedTensorType>(source.getType()),
                      cast<RankedTensorType>(value.getType()), groups))
      return std::nullopt;
  } else {
    return std::nullopt;
  }
  factor->views.insert(factor->views.begin(), op);
  return factor;
}

Value ByteFactor::makeBytes(ImplicitLocOpBuilder &b) const {
  Value value = bytes;
  for (Operation *view : llvm::reverse(views)) {
    if (auto pad = dyn_cast<tensor::PadOp>(view)) {
      std::optional<APInt> number = zero ? getNumber(zero) : std::nullopt;
      Value padding = arith::ConstantOp::create(
          b, b.getI8IntegerAttr(int8_t(number ? number->getSExtValue() : 0)));
      auto type =
          RankedTensorType::get(pad.getResultType().getShape(), b.getI8Type());
      value = tensor::PadOp::create(b, type, value, pad.getMixedLowPad(),
                                    pad.getMixedHighPad(), padding,
                                    pad.getNofold());
      continue;
    }
    if (!isa<linalg::TransposeOp>(view)) {
      // A reshape, whatever the elements.
      IRMapping map;
      map.map(view->getOperand(0), value);
      Operation *reshape = b.clone(*view, map);
      Value result = reshape->getResult(0);
      result.setType(
          cast<RankedTensorType>(result.getType()).clone(b.getI8Type()));
      value = result;
      continue;
    }
    ArrayRef<int64_t> order = cast<linalg::TransposeOp>(view).getPermutation();
    SmallVector<OpFoldResult> sizes,
        all = tensor::getMixedSizes(b, b.getLoc(), value);
    for (int64_t dim : order)
      sizes.push_back(all[dim]);
    Value room = tensor::EmptyOp::create(b, sizes, b.getI8Type());
    value = linalg::TransposeOp::create(b, value, room, order)->getResult(0);
  }
  return value;
}
