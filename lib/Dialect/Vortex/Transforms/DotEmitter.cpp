//===- DotEmitter.cpp - Steps of dot-product instructions -----------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DotEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace vortex;

/// Groups of steps lie in words of 32 bits, the lanes of the sums.
static constexpr int64_t kWordBits = 32;

bool vortex::isGrouped(AffineMap map, unsigned loop, int64_t group) {
  AffineExpr k = getAffineDimExpr(loop, map.getContext());
  return map.getNumResults() >= 3 && map.getResults().back() == k % group &&
         llvm::is_contained(map.getResults().drop_back(2), k.floorDiv(group));
}

/// `map` for a loop that counts groups.
static AffineMap countGroups(AffineMap map, unsigned loop, int64_t group) {
  MLIRContext *context = map.getContext();
  AffineExpr k = getAffineDimExpr(loop, context);
  SmallVector<AffineExpr> exprs;
  for (AffineExpr expr : map.getResults())
    exprs.push_back(expr == k.floorDiv(group) ? k
                    : expr == k % group ? getAffineConstantExpr(0, context)
                                        : expr.replace(k, k * group));
  return AffineMap::get(map.getNumDims(), 0, exprs, context);
}

FailureOr<DotEmitter> DotEmitter::create(OpBuilder &b, MicroKernelOp kernel,
                                         linalg::LinalgOp op) {
  MicroKernelAttr spec = kernel.getSpec();
  StringRef name = spec.getOpcode();
  std::optional<DotPayload> payload = matchDotPayload(op);
  if (!payload)
    return kernel.emitOpError()
           << "uses '" << name << "', but does not add products of widened "
           << "elements";
  DotEmitter result(b, kernel.getLoc(), spec.getLanes());
  result.payload = *payload;
  result.group = spec.getGroup();
  int64_t bits = spec.getLanes() * kWordBits;
  const DotInstruction *instruction = lookupDotInstruction(name, bits);
  if (!instruction || instruction->half >= 0)
    return kernel.emitOpError()
           << "has no code for '" << name << "' on vectors "
           << "of " << bits << " bits";
  if (instruction->widens)
    result.turns = {(name + "_low").str(), (name + "_high").str()};
  else
    result.turns = {name.str()};
  int64_t elementBits = payload->a.getIntOrFloatBitWidth();
  if (payload->acc.getIntOrFloatBitWidth() != kWordBits ||
      payload->b.getIntOrFloatBitWidth() != elementBits ||
      elementBits * result.group != kWordBits)
    return kernel.emitOpError()
           << "sums groups of " << result.group << " of " << payload->a << " x "
           << payload->b << " in " << payload->acc << "; a group must have "
           << kWordBits << " bits, as the sum";
  std::optional<DotOperands> operands = matchOperands(*payload, *instruction);
  if (!operands)
    return kernel.emitOpError()
           << "uses '" << name << "' for " << payload->a << " x " << payload->b
           << ", whose signs it does not have";
  result.operands = *operands;
  auto findSums = [&](StringRef attr) -> std::optional<unsigned> {
    auto sums = op->getAttrOfType<IntegerAttr>(attr);
    if (!sums || result.operands != DotOperands::Offset)
      return std::nullopt;
    return sums.getInt();
  };
  result.columnSums = findSums(kColumnSumsAttr);
  result.stepSums = findSums(kStepSumsAttr);
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  result.reduction = reductions.back();
  AffineMap a = op.getIndexingMapsArray()[payload->inputA];
  AffineMap columns = op.getIndexingMapsArray()[payload->inputB];
  result.packedA = isGrouped(a, result.reduction, result.group);
  if (!isGrouped(columns, result.reduction, result.group) ||
      (!result.packedA && !isContiguous(a, result.reduction)))
    return kernel.emitOpError()
           << "uses '" << name << "', which reads B in groups of "
           << result.group << " steps of the innermost reduction and A so or "
           << "with these steps beside each other";
  result.mapA = countGroups(a, result.reduction, result.group);
  result.mapB = countGroups(columns, result.reduction, result.group);
  return result;
}

void DotEmitter::setOperands(Value a, Value columns, int64_t rows) {
  memoryA = inMemory(a, mapA, /*panelWidth=*/-1, rows);
  if (operands == DotOperands::Offset) {
    // LLVM must not see that all lanes are the same: it would flip the element
    // in a general register and move it to a vector in each step.
    int64_t bits = 0;
    for (int64_t i = 0, n = payload.a.getIntOrFloatBitWidth(); i < group; ++i)
      bits |= int64_t(1) << ((i + 1) * n - 1);
    Value words = splat(
        arith::ConstantIntOp::create(b, loc, b.getI32Type(), int32_t(bits)));
    flip = OpaqueOp::create(b, loc, words);
  }
  SmallVector<AffineExpr> exprs(mapB.getResults().drop_back());
  exprs.back() = exprs.back() * group;
  memoryB.map = AffineMap::get(mapB.getNumDims(), 0, exprs, mapB.getContext());
  memoryB.source = getWholePanel(b, loc, columns);
}

Value vortex::getWholePanel(OpBuilder &b, Location loc, Value columns) {
  while (auto cast = columns.getDefiningOp<tensor::CastOp>())
    columns = cast.getSource();
  unsigned last = cast<RankedTensorType>(columns.getType()).getRank() - 1;
  auto flat = [&](Value value) -> Value {
    SmallVector<ReassociationIndices> dims(
        cast<RankedTensorType>(value.getType()).getRank() - 1);
    for (auto [i, dim] : llvm::enumerate(dims))
      dim.push_back(i);
    dims.back().push_back(dims.size());
    return tensor::CollapseShapeOp::create(b, loc, value, dims);
  };
  auto slice = columns.getDefiningOp<tensor::ExtractSliceOp>();
  if (!slice)
    return flat(columns);
  Value panels = flat(slice.getSource());
  auto type = cast<RankedTensorType>(panels.getType());
  int64_t rank = type.getRank(), width = type.getDimSize(rank - 1);
  SmallVector<OpFoldResult> offsets = slice.getMixedOffsets(),
                            sizes = slice.getMixedSizes(),
                            strides = slice.getMixedStrides();
  offsets.pop_back();
  strides.pop_back();
  sizes.pop_back();
  sizes.back() = b.getIndexAttr(width);
  SmallVector<int64_t> shape(
      cast<RankedTensorType>(columns.getType()).getShape());
  shape.resize(last);
  shape.back() = width;
  return tensor::ExtractSliceOp::create(
      b, loc, RankedTensorType::get(shape, type.getElementType()), panels,
      offsets, sizes, strides);
}

/// `words` as the elements that they hold.
Value DotEmitter::toElements(Value words, Type element) {
  if (element.isUnsignedInteger())
    element = b.getIntegerType(element.getIntOrFloatBitWidth());
  return vector::BitCastOp::create(
      b, loc, VectorType::get({lanes * group}, element), words);
}

Value DotEmitter::scaleSums(Value sums) {
  int64_t offset = int64_t(1) << (payload.a.getIntOrFloatBitWidth() - 1);
  Value factor = splat(
      arith::ConstantIntOp::create(b, loc, b.getI32Type(), int32_t(offset)));
  return arith::MulIOp::create(b, loc, sums, factor);
}

Value DotEmitter::readRow(const TileOperand &rows, ArrayRef<Value> loops,
                          Value valid) {
  Type element = getElementTypeOrSelf(rows.source.getType());
  SmallVector<Value> at = indices(rows, loops);
  Value mask;
  if (valid)
    mask = vector::CreateMaskOp::create(
        b, loc, VectorType::get({group}, b.getI1Type()), ValueRange{valid});
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(element));
  Value elements = vector::TransferReadOp::create(
      b, loc, VectorType::get({group}, element), rows.source, at,
      AffineMapAttr::get(
          AffineMap::getMinorIdentityMap(at.size(), 1, b.getContext())),
      zero, mask, b.getBoolArrayAttr({true}));
  Value word = vector::ExtractOp::create(
      b, loc,
      vector::BitCastOp::create(b, loc, VectorType::get({1}, b.getI32Type()),
                                elements),
      ArrayRef<int64_t>{0});
  Value words =
      vector::BroadcastOp::create(b, loc, vectorOf(b.getI32Type()), word);
  if (operands == DotOperands::Offset)
    words = arith::XOrIOp::create(b, loc, words, flip);
  return toElements(words, payload.a);
}

Value DotEmitter::readColumns(ArrayRef<Value> loops) {
  Type element = getElementTypeOrSelf(memoryB.source.getType());
  SmallVector<Value> at = indices(memoryB, loops);
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(element));
  return vector::TransferReadOp::create(
      b, loc, VectorType::get({lanes * group}, element), memoryB.source, at,
      AffineMapAttr::get(
          AffineMap::getMinorIdentityMap(at.size(), 1, b.getContext())),
      zero, /*mask=*/Value(), b.getBoolArrayAttr({true}));
}

Value DotEmitter::accumulate(Value sum, Value row, Value columns,
                             int64_t turn) {
  if (operands == DotOperands::Swapped)
    std::swap(row, columns);
  return DotProductOp::create(b, loc, turns[turn], sum, row, columns);
}
