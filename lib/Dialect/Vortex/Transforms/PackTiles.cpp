//===- PackTiles.cpp - Rows laid out for matrix tiles ---------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackTiles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace vortex;

SmallVector<int64_t> vortex::getPackedOrder(AffineMap map, AffineMap out,
                                            int64_t position) {
  SmallVector<int64_t> order, reductions;
  auto loopOf = [&](int64_t dim) -> std::optional<unsigned> {
    auto expr = dyn_cast<AffineDimExpr>(map.getResult(dim));
    return expr ? std::optional(expr.getPosition()) : std::nullopt;
  };
  for (int64_t dim = 0; dim < map.getNumResults(); ++dim) {
    if (dim == position)
      continue;
    std::optional<unsigned> loop = loopOf(dim);
    (loop && out.isFunctionOfDim(*loop) ? order : reductions).push_back(dim);
  }
  order.push_back(position);
  // What several loops walk stays where it is, behind the others.
  llvm::stable_sort(reductions, [&](int64_t a, int64_t b) {
    return loopOf(a).value_or(map.getNumDims()) <
           loopOf(b).value_or(map.getNumDims());
  });
  order.append(reductions);
  return order;
}

bool vortex::packsTiles(linalg::PackOp op, int64_t vectorBytes) {
  auto type = dyn_cast<RankedTensorType>(op.getSource().getType());
  if (!type || op.getInnerDimsPos().size() != 2 ||
      !type.getElementType().isIntOrFloat() ||
      op.getInnerDimsPos()[1] != type.getRank() - 1)
    return false;
  if (Value padding = op.getPaddingValue();
      padding && !(matchPattern(padding, m_Zero()) ||
                   matchPattern(padding, m_PosZeroFloat())))
    return false;
  // Groups of 32 bits are transposed, see LowerPacks.cpp.
  std::optional<int64_t> rows = getConstantIntValue(op.getMixedTiles()[0]);
  std::optional<int64_t> run = getConstantIntValue(op.getMixedTiles()[1]);
  if (!rows || !run)
    return false;
  int64_t bits = *run * type.getElementTypeBitWidth();
  return bits > 32 && bits <= vectorBytes * 8;
}

namespace {
class TilePack {
public:
  TilePack(RewriterBase &b, linalg::PackOp op)
      : b(b), op(op), loc(op.getLoc()),
        rank(cast<RankedTensorType>(op.getSource().getType()).getRank()),
        sizes(tensor::getMixedSizes(b, loc, op.getDest())) {}
  Value nest(unsigned depth, Value current);
  Value copyRun(Value current);

private:
  Value constant(int64_t v) {
    return arith::ConstantIndexOp::create(b, loc, v);
  }

  RewriterBase &b;
  linalg::PackOp op;
  Location loc;
  int64_t rank;
  SmallVector<OpFoldResult> sizes;
  SmallVector<Value> ivs; ///< of the outer dimensions, then the row in a tile
};
} // namespace

/// The run of a row at `ivs`.
Value TilePack::copyRun(Value current) {
  int64_t rowDim = op.getInnerDimsPos()[0];
  int64_t height = *getConstantIntValue(op.getMixedTiles()[0]);
  int64_t run = *getConstantIntValue(op.getMixedTiles()[1]);
  Type element = getElementTypeOrSelf(op.getSource().getType());
  SmallVector<Value> at(rank);
  for (int64_t i = 0; i < rank; ++i) {
    int64_t dim = op.getOuterDimsPerm().empty() ? i : op.getOuterDimsPerm()[i];
    at[dim] = ivs[i];
  }
  at[rowDim] = arith::AddIOp::create(
      b, loc, arith::MulIOp::create(b, loc, at[rowDim], constant(height)),
      ivs.back());
  at[rank - 1] = arith::MulIOp::create(b, loc, at[rank - 1], constant(run));
  Value rows = tensor::DimOp::create(b, loc, op.getSource(), rowDim);
  Value steps = tensor::DimOp::create(b, loc, op.getSource(), rank - 1);
  Value there = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                      at[rowDim], rows);
  // A row that is not there reads nothing, at the first one.
  at[rowDim] = arith::SelectOp::create(b, loc, there, at[rowDim], constant(0));
  Value left = arith::SelectOp::create(
      b, loc, there, arith::SubIOp::create(b, loc, steps, at[rank - 1]),
      constant(0));
  Value mask = vector::CreateMaskOp::create(
      b, loc, VectorType::get({run}, b.getI1Type()), ValueRange{left});
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(element));
  auto minor = [&](int64_t dims) {
    return AffineMapAttr::get(
        AffineMap::getMinorIdentityMap(dims, 1, b.getContext()));
  };
  Value elements = vector::TransferReadOp::create(
      b, loc, VectorType::get({run}, element), op.getSource(), at, minor(rank),
      zero, mask, b.getBoolArrayAttr({true}));
  SmallVector<Value> to(ivs);
  to.push_back(constant(0));
  return vector::TransferWriteOp::create(b, loc, elements, current, to,
                                         minor(to.size()), /*mask=*/Value(),
                                         b.getBoolArrayAttr({true}))
      .getResult();
}

Value TilePack::nest(unsigned depth, Value current) {
  if (depth > rank)
    return copyRun(current);
  Value bound = getValueOrCreateConstantIndexOp(b, loc, sizes[depth]);
  auto loop = scf::ForOp::create(b, loc, constant(0), bound, constant(1),
                                 ValueRange{current});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  ivs.push_back(loop.getInductionVar());
  scf::YieldOp::create(b, loc, nest(depth + 1, loop.getRegionIterArg(0)));
  ivs.pop_back();
  return loop.getResult(0);
}

void vortex::lowerTilePack(RewriterBase &b, linalg::PackOp op) {
  b.setInsertionPoint(op);
  b.replaceOp(op, TilePack(b, op).nest(0, op.getDest()));
}
