//===- ExpandParts.cpp - Parts of a reduction among threads ---------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A level that divides a reduction among threads (PL on it, with combine):
//
//   %parts = empty(ceil(k / length), m, n)
//   forall (p) shared_outs(%parts): %parts[p] = 0 + a[:, part p] b[part p, :]
//   %sum = init + %parts[0] + %parts[1] + ...
//
// The parts are added in their order behind the loop, by one thread, so that
// the same sizes and threads give the same bits. Rows of a part are as many
// whole lines: no two threads write one.
//
//===----------------------------------------------------------------------===//

#include "Expansion.h"

#include "PayloadClass.h"

#include "vortex/Dialect/Vortex/IR/SplitReduction.h"
#include "vortex/HwDesc/Targets.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace vortex;

/// Bytes that no two threads should write: a line, as far as one is known.
static int64_t getLineBytes(KernelOp kernel) {
  SmallVector<HwAttr> targets = getTargets(kernel);
  return targets.empty() ? 1 : targets.front().getLineBytes();
}

/// `value` up to the next multiple of `unit`.
static Value roundUp(ImplicitLocOpBuilder &b, Value value, int64_t unit) {
  Value by = arith::ConstantIndexOp::create(b, unit);
  return arith::MulIOp::create(b, arith::CeilDivUIOp::create(b, value, by), by);
}

LogicalResult Expansion::divideReduction(LevelOp level) {
  linalg::LinalgOp op = anchor();
  if (!op || op.getNumDpsInits() != 1 || !op.hasPureTensorSemantics() ||
      classify(op) != PayloadClass::Contraction)
    return level.emitOpError("divides a reduction among units, and the anchor "
                             "is no contraction with one result");
  if (level.getCombine() != "add")
    return level.emitOpError() << "combines by '" << *level.getCombine()
                               << "'; parts of a contraction are added";
  if (level.getAxes().size() != 1 ||
      op.getIteratorTypesArray()[level.getAxes()[0]] !=
          utils::IteratorType::reduction)
    return level.emitOpError("divides a reduction among units, and other loops "
                             "with it");
  unsigned axis = level.getAxes()[0];
  if (!canAddParts(op, axis))
    return level.emitOpError("divides a reduction that is no sum, or that an "
                             "operand is not indexed by once and alone");
  for (auto around = level->getParentOfType<LevelOp>(); around;
       around = around->getParentOfType<LevelOp>())
    if (llvm::is_contained(around.getAxes(), axis))
      return level.emitOpError("divides a reduction that a level around it "
                               "walks");
  for (StringRef id : idsIn(level))
    if (id != anchorId)
      return level.emitOpError("divides a reduction among units, and holds "
                               "payload op '")
             << id << "', which is no part of it";
  AffineExpr walked = getAffineDimExpr(axis, rewriter.getContext());

  ImplicitLocOpBuilder b(level.getLoc(), rewriter);
  b.setInsertionPoint(op);
  Value extent = sizes.lookupOrDefault(
      Value(kernel.getCandidates().front().getArgument(axis)));
  Value length = sizes.lookupOrDefault(level.getSizes()[0]);
  Value count = arith::CeilDivUIOp::create(b, extent, length);

  OpOperand *init = op.getDpsInitOperand(0);
  auto type = cast<RankedTensorType>(init->get().getType());
  int64_t rank = type.getRank();
  auto zero = b.getIndexAttr(0), one = b.getIndexAttr(1);
  SmallVector<OpFoldResult> shape =
      tensor::getMixedSizes(b, b.getLoc(), init->get());
  // Of each part: one of all, and whole lines of the last dimension.
  SmallVector<OpFoldResult> held = {OpFoldResult(count)};
  llvm::append_range(held, shape);
  if (rank > 0) {
    int64_t bytes =
        std::max<int64_t>(type.getElementType().getIntOrFloatBitWidth() / 8, 1);
    Value last = getValueOrCreateConstantIndexOp(b, b.getLoc(), held.back());
    held.back() =
        roundUp(b, last, std::max<int64_t>(getLineBytes(kernel) / bytes, 1));
  }
  Value parts = tensor::EmptyOp::create(b, held, type.getElementType());

  auto loop = scf::ForallOp::create(b, SmallVector<OpFoldResult>{count},
                                    ValueRange{parts}, std::nullopt);
  loop->setAttr("vortex.level", level.getLevelAttr());
  b.setInsertionPointToStart(loop.getBody());
  Value part = loop.getInductionVar(0);
  Value offset = arith::MulIOp::create(b, part, length);
  Value size = arith::MinUIOp::create(b, length,
                                      arith::SubIOp::create(b, extent, offset));
  SmallVector<Value> operands;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    std::optional<unsigned> dim = map.getResultPosition(walked);
    if (!dim) {
      operands.push_back(input->get());
      continue;
    }
    SmallVector<OpFoldResult> offsets(map.getNumResults(), zero),
        strides(map.getNumResults(), one),
        extents = tensor::getMixedSizes(b, b.getLoc(), input->get());
    offsets[*dim] = offset;
    extents[*dim] = size;
    operands.push_back(tensor::ExtractSliceOp::create(b, input->get(), offsets,
                                                      extents, strides));
  }
  SmallVector<OpFoldResult> offsets(rank + 1, zero), strides(rank + 1, one),
      extents = {one};
  llvm::append_range(extents, shape);
  offsets[0] = part;
  Value mine = tensor::ExtractSliceOp::create(
      b, type, loop.getRegionIterArgs()[0], offsets, extents, strides);
  Value nothing =
      arith::ConstantOp::create(b, b.getZeroAttr(type.getElementType()));
  operands.push_back(linalg::FillOp::create(b, nothing, mine).getResult(0));
  auto own = cast<linalg::LinalgOp>(
      mlir::clone(b, op, op->getResultTypes(), operands));
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getTerminator().getBody());
    tensor::ParallelInsertSliceOp::create(b, own->getResult(0),
                                          loop.getRegionIterArgs()[0], offsets,
                                          extents, strides);
  }

  b.setInsertionPointAfter(loop);
  offsets[0] = zero;
  extents[0] = count;
  Value all = tensor::ExtractSliceOp::create(b, loop.getResult(0), offsets,
                                             extents, strides);
  rewriter.replaceOp(op, createSumOfParts(b, all, init->get()));
  scope[anchorId] = own;
  return success();
}
