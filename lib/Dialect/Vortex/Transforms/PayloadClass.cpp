//===- PayloadClass.cpp - How an op of a kernel can be run ------------- -===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PayloadClass.h"

#include "MicroKernelEmitter.h"

#include "vortex/Dialect/Vortex/IR/RunningChain.h"
#include "vortex/Dialect/Vortex/IR/VortexDialect.h"

#include "mlir/Analysis/FlatLinearValueConstraints.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace vortex;

/// Whether each reduction of `op` is one operation with a neutral element.
static bool hasSimpleReduction(linalg::LinalgOp op) {
  SmallVector<Operation *> combiners;
  return matchReduction(op.getRegionOutputArgs(), 0, combiners) &&
         combiners.size() == 1 && linalg::getCombinerOpKind(combiners[0]) &&
         arith::getNeutralElement(combiners[0]);
}

bool vortex::isSumOfLoops(AffineMap map) {
  return llvm::all_of(map.getResults(), [&](AffineExpr expr) {
    SmallVector<int64_t> flat;
    return succeeded(getFlattenedAffineExpr(expr, map.getNumDims(),
                                            map.getNumSymbols(), &flat)) &&
           flat.size() == map.getNumDims() + 1 &&
           llvm::all_of(flat, [](int64_t c) { return c >= 0; });
  });
}

void vortex::readSizesWithoutPad(tensor::PadOp pad) {
  Location loc = pad.getLoc();
  for (Operation *user : llvm::make_early_inc_range(pad->getUsers())) {
    auto size = dyn_cast<tensor::DimOp>(user);
    std::optional<int64_t> dim = size ? size.getConstantIndex() : std::nullopt;
    if (!dim || *dim >= pad.getSourceType().getRank())
      continue;
    OpBuilder at(size);
    Value source = tensor::DimOp::create(at, loc, pad.getSource(), *dim);
    if (int64_t around = pad.getStaticLow()[*dim] + pad.getStaticHigh()[*dim])
      source = arith::AddIOp::create(
          at, loc, source, arith::ConstantIndexOp::create(at, loc, around));
    size.replaceAllUsesWith(source);
    size.erase();
  }
  if (pad->use_empty())
    pad->erase();
}

std::optional<ContractionRoles>
vortex::getContractionRoles(linalg::LinalgOp op) {
  if (op.getNumDpsInputs() < 2 || op.getNumDpsInits() != 1 ||
      op.getNumReductionLoops() == 0)
    return std::nullopt;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  AffineMap out = maps.back();
  if (out.getNumResults() < 2 || !out.isProjectedPermutation())
    return std::nullopt;
  ContractionRoles roles;
  op.getReductionDims(roles.k);
  auto reduces = [&](unsigned i) {
    return llvm::any_of(roles.k,
                        [&](unsigned k) { return maps[i].isFunctionOfDim(k); });
  };
  // Rows are the innermost loop of the result that the factor without columns
  // alone has: attention keeps the heads between them.
  unsigned last = out.getNumResults() - 1, row = last - 1;
  roles.n = out.getDimPosition(last);
  for (unsigned i = last; i-- > 0;) {
    bool inA = false, inB = false;
    for (unsigned j = 0; j < op.getNumDpsInputs(); ++j)
      if (reduces(j) && maps[j].isFunctionOfDim(out.getDimPosition(i)))
        (maps[j].isFunctionOfDim(roles.n) ? inB : inA) = true;
    if (inA && !inB) {
      row = i;
      break;
    }
  }
  roles.m = out.getDimPosition(row);
  for (unsigned i = 0; i < last; ++i)
    if (i != row)
      roles.batch.push_back(out.getDimPosition(i));
  bool foundA = false, foundB = false;
  for (unsigned i = 0; i < op.getNumDpsInputs(); ++i) {
    if (op->getRegion(0).front().getArgument(i).use_empty())
      continue;
    if (!reduces(i))
      continue;
    bool m = maps[i].isFunctionOfDim(roles.m);
    bool n = maps[i].isFunctionOfDim(roles.n);
    if (m && !n && !foundA) {
      roles.a = i;
      foundA = true;
    } else if (n && !m && !foundB) {
      roles.b = i;
      foundB = true;
    } else {
      return std::nullopt;
    }
  }
  if (!foundA || !foundB)
    return std::nullopt;
  return roles;
}

std::optional<unsigned> vortex::getGroupedDim(linalg::LinalgOp op,
                                              AffineMap map) {
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  if (reductions.empty())
    return std::nullopt;
  return map.getResultPosition(
      getAffineDimExpr(reductions.back(), op.getContext()));
}

int64_t vortex::getLaneLoop(linalg::LinalgOp op) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (op.getNumReductionLoops() == 0) {
    AffineMap out = maps.back();
    if (out.getNumResults() == 0)
      return -1;
    return cast<AffineDimExpr>(out.getResults().back()).getPosition();
  }
  // The reduction that walks contiguous memory of an input.
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  for (unsigned i = 0; i < op.getNumDpsInputs(); ++i)
    for (unsigned k : llvm::reverse(reductions))
      if (TileEmitter::isContiguous(maps[i], k))
        return k;
  return reductions.back();
}

static std::optional<unsigned> findCrossedLoop(linalg::LinalgOp op,
                                               unsigned lane) {
  for (AffineMap map : op.getIndexingMapsArray()) {
    if (!map.isFunctionOfDim(lane) || TileEmitter::isContiguous(map, lane))
      continue;
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
      if (loop != lane && TileEmitter::isContiguous(map, loop))
        return loop;
  }
  return std::nullopt;
}

std::optional<unsigned> vortex::getCrossedLoop(linalg::LinalgOp anchor) {
  AffineMap out = anchor.getIndexingMapsArray().back();
  std::optional<unsigned> crossed;
  for (auto op : anchor->getBlock()->getOps<linalg::LinalgOp>()) {
    if (isa<linalg::FillOp>(op.getOperation()))
      continue;
    if (op.getNumReductionLoops() || !out.isPermutation() ||
        op.getIndexingMapsArray().back() != out)
      return std::nullopt;
    if (!crossed)
      crossed = findCrossedLoop(op, getLaneLoop(anchor));
  }
  return crossed;
}

/// Whether what a tile reads of each operand is a slice that begins where the
/// tile's first point reads. Loops of `single` are walked step by step, so that
/// any index made of them alone is one.
static bool readsSlices(linalg::LinalgOp op, ArrayRef<unsigned> single) {
  return llvm::all_of(op.getIndexingMapsArray(), [&](AffineMap map) {
    return llvm::all_of(map.getResults(), [&](AffineExpr expr) {
      bool walked = false;
      for (unsigned loop = 0; loop < map.getNumDims(); ++loop)
        walked |=
            expr.isFunctionOfDim(loop) && !llvm::is_contained(single, loop);
      return !walked || isSumOfLoops(AffineMap::get(map.getNumDims(), 0, expr));
    });
  });
}

PayloadClass vortex::classify(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || !isEmittable(op) ||
      isa<linalg::FillOp>(op.getOperation()))
    return PayloadClass::Opaque;
  // What is made when weights are bound has no part in a call's kernels.
  if (op.getNumLoops() == 0 || op->hasAttr(kBindAttr))
    return PayloadClass::Opaque;
  std::optional<ContractionRoles> roles;
  if (op.getNumReductionLoops() != 0) {
    if (!hasSimpleReduction(op))
      return PayloadClass::Opaque;
    roles = getContractionRoles(op);
  }
  if (!readsSlices(op, roles ? ArrayRef(roles->batch) : ArrayRef<unsigned>()))
    return PayloadClass::Opaque;
  if (roles)
    return PayloadClass::Contraction;
  if (op.getNumReductionLoops() == 0)
    return PayloadClass::Rows;
  AffineMap out = op.getIndexingMapsArray().back();
  if (out.getNumResults() > 0) {
    unsigned column =
        cast<AffineDimExpr>(out.getResults().back()).getPosition();
    SmallVector<unsigned> reductions;
    op.getReductionDims(reductions);
    // What does not vary along the reduction, such as a mean, says nothing of
    // how what is reduced lies in memory.
    for (unsigned i = 0; i < op.getNumDpsInputs(); ++i) {
      AffineMap map = op.getIndexingMapsArray()[i];
      if (TileEmitter::isContiguous(map, column) &&
          llvm::any_of(reductions,
                       [&](unsigned k) { return map.isFunctionOfDim(k); }))
        return PayloadClass::Columns;
    }
  }
  return PayloadClass::Rows;
}

bool vortex::isFunction(Operation &op) {
  return isa<math::MathDialect>(op.getDialect()) &&
         !isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::CopySignOp,
              math::FloorOp, math::FmaOp, math::RoundEvenOp, math::RsqrtOp,
              math::SqrtOp, math::TruncOp>(op);
}

bool vortex::canAddParts(linalg::LinalgOp op, unsigned axis) {
  AffineExpr walked = getAffineDimExpr(axis, op.getContext());
  return isa_and_present<arith::AddFOp, arith::AddIOp>(
             getReductionCombiner(op)) &&
         llvm::all_of(op.getIndexingMapsArray(), [&](AffineMap map) {
           int64_t uses =
               llvm::count_if(map.getResults(), [&](AffineExpr expr) {
                 return expr.isFunctionOfDim(axis);
               });
           return uses == 0 || (uses == 1 && map.getResultPosition(walked));
         });
}
