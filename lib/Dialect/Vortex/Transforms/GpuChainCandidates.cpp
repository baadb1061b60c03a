//===- GpuChainCandidates.cpp - Candidates of a chain ----------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tree is that of a contraction whose reduction walks the columns of the
// scores, with three stages in a warp: the first product, what is done to the
// rows, the second product. What one hands to the next stays in registers.
//
//===----------------------------------------------------------------------===//

#include "GpuChain.h"

#include "CandidateFamily.h"
#include "GpuCandidates.h"

using namespace mlir;
using namespace vortex;

namespace {
class GpuChainFamily : CandidateFamily {
public:
  GpuChainFamily(KernelOp kernel, const RunningChain &chain, HwAttr hw,
                 CandidateReport &report)
      : CandidateFamily(kernel, chain.product.op, hw, report), chain(chain) {}
  LogicalResult add();

private:
  /// A matrix that a ring loads: its input and the axis it is contiguous along.
  struct Loaded {
    int64_t input = -1;
    unsigned inner = 0;
    AffineMap map; ///< from axes
  };
  LogicalResult readPayload();
  GpuChainSizes getSizes();
  void emitSchedule(CandidateOp candidate, const GpuChainTile &tile);
  void emitGuard(CandidateOp candidate, const GpuChainTile &tile);
  Size extentOf(const Loaded &loaded, unsigned dim);

  const RunningChain &chain;
  Loaded keys, values;
  SmallVector<StringRef> first, between, second, behind; ///< the stages' ops
  int64_t bytes = 2;
};
} // namespace

LogicalResult GpuChainFamily::readPayload() {
  linalg::LinalgOp scores = chain.scores.op, product = chain.product.op;
  auto read = [&](Loaded &loaded, Value value, AffineMap map, unsigned inner) {
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument || argument.getArgNumber() >= kernel.getInputs().size())
      return false;
    loaded = {int64_t(argument.getArgNumber()), inner, map};
    return true;
  };
  if (!read(keys, scores->getOperand(chain.scores.columns),
            chain.getScoresMap(chain.scores.columns), chain.getInnerAxis()) ||
      !read(values, product->getOperand(chain.product.columns),
            product.getIndexingMapsArray()[chain.product.columns],
            chain.product.n))
    return drop("keys or values are no matrices from outside the kernel");
  bytes = getElementTypeOrSelf(kernel->getOperandTypes()[keys.input])
              .getIntOrFloatBitWidth() /
          8;
  for (Operation &op : kernel.getPayload().front()) {
    auto id = op.getAttrOfType<StringAttr>(kIdAttr);
    if (!id)
      continue;
    Operation *owner = &op;
    while (isa<linalg::FillOp>(owner) && owner->hasOneUse())
      owner = *owner->getUsers().begin();
    bool inside = chain.axes.contains(owner);
    (owner == scores.getOperation()      ? first
     : owner == product.getOperation()   ? second
     : inside || isa<linalg::FillOp>(op) ? between
                                         : behind)
        .push_back(id.getValue());
  }
  return success();
}

GpuChainSizes GpuChainFamily::getSizes() {
  Size batch = arith.size(1);
  for (unsigned loop : chain.product.batch)
    batch = batch * axis(loop);
  return {batch, axis(chain.product.m), axis(chain.product.n),
          axis(chain.product.k), axis(chain.getInnerAxis())};
}

void GpuChainFamily::emitSchedule(CandidateOp candidate,
                                  const GpuChainTile &tile) {
  Location loc = kernel.getLoc();
  MLIRContext *context = b.getContext();
  auto constant = [&](int64_t x) { return sizeInFront(candidate, x); };
  b.createBlock(&candidate.getSchedule());
  const MatrixProduct &product = chain.product;
  SmallVector<int64_t> axes(product.batch.begin(), product.batch.end());
  SmallVector<Value> sizes;
  for (size_t i = 0; i < axes.size(); ++i)
    sizes.push_back(constant(1));
  axes.append({product.m, product.n});
  sizes.append({constant(tile.rows), constant(tile.columns)});
  LevelOp block =
      createLevel("block", LoopKind::Grid, axes, AxisClass::PL, sizes);
  if (tile.run > 1)
    block.setStore(2);
  auto load = [&](const Loaded &loaded) -> Attribute {
    return LoadAttr::get(context, loaded.input, LayoutKind::Swizzle,
                         loaded.inner, /*together=*/true, /*bound=*/false);
  };
  Value run = constant(tile.run);
  LevelOp ring = createLevel("smem", LoopKind::Sequential,
                             {product.k, chain.getInnerAxis()}, AxisClass::TRL,
                             {constant(tile.keys), constant(tile.inner)},
                             {load(keys), load(values)}, {run, run});
  ring.setStages(tile.stages);
  ring.setResident(true);
  createLevel("warp", LoopKind::Forall, {product.m}, AxisClass::PL,
              {constant(tile.rows / tile.warps)});
  auto micro = [&](int64_t columns, int64_t depth) {
    return MicroKernelAttr::get(context, "mma_sync", tile.rows / tile.warps,
                                columns / 8, 8, /*unroll=*/depth / 16,
                                /*prefetch=*/0, /*narrow_rows=*/0,
                                /*scheduler=*/true, /*lane_axis=*/-1,
                                /*in_flight=*/0);
  };
  auto stage = [&](ArrayRef<StringRef> ops, MicroKernelAttr micro) {
    if (!ops.empty())
      StageOp::create(b, loc, b.getStrArrayAttr(ops), micro, StringAttr());
  };
  stage(first, micro(tile.keys, tile.inner));
  stage(between, MicroKernelAttr());
  stage(second, micro(tile.columns, tile.keys));
  b.setInsertionPointAfter(ring);
  stage(behind, MicroKernelAttr());
}

/// Of dimension `dim` of an operand that is dense. A dimension that no axis
/// walks by itself, such as that of shared heads, is as long as the batch at
/// most.
Size GpuChainFamily::extentOf(const Loaded &loaded, unsigned dim) {
  auto type = cast<RankedTensorType>(kernel->getOperandTypes()[loaded.input]);
  if (!type.isDynamicDim(dim))
    return arith.size(type.getDimSize(dim));
  if (auto plain = dyn_cast<AffineDimExpr>(loaded.map.getResult(dim)))
    return axis(plain.getPosition());
  Size most = arith.size(1);
  for (unsigned i = 0; i < loaded.map.getNumDims(); ++i)
    if (loaded.map.getResult(dim).isFunctionOfDim(i))
      most = most * axis(i);
  return most;
}

void GpuChainFamily::emitGuard(CandidateOp candidate,
                               const GpuChainTile &tile) {
  b.createBlock(&candidate.getGuard());
  Flag holds = emitChainGuard(arith, tile, getSizes());
  for (unsigned loop : chain.product.batch)
    holds = holds & (axis(loop) < arith.size(int64_t(1) << 31));
  Block &block = kernel.getCandidates().front();
  for (const Loaded *loaded : {&keys, &values}) {
    // Operands are dense: their pitch is what lies inside a row.
    unsigned row = *loaded->map.getResultPosition(
        getAffineDimExpr(chain.product.k, b.getContext()));
    Size pitch = arith.size(1);
    for (unsigned dim = row + 1; dim < loaded->map.getNumResults(); ++dim)
      pitch = pitch * extentOf(*loaded, dim);
    holds = holds & (pitch < arith.size(kLargestPitch));
    if (tile.run == 1)
      continue;
    holds =
        holds & (axis(loaded->inner) % arith.size(tile.run) < arith.size(1));
    holds = holds & hasAlignedRows(arith,
                                   block.getArgument(kernel.getAxes().size() +
                                                     loaded->input),
                                   tile.run, bytes);
  }
  YieldOp::create(b, kernel.getLoc(), holds.value);
}

LogicalResult GpuChainFamily::add() {
  SmallVector<GpuChainTile> tiles = growChainTiles(chain, hw, report);
  if (tiles.empty() || failed(readPayload()))
    return failure();
  Block *block = createCandidates();
  for (Type type : kernel->getOperandTypes()) // guards ask where operands are
    block->addArgument(type, kernel.getLoc());
  for (const GpuChainTile &tile : tiles) {
    b.setInsertionPointToEnd(block);
    auto candidate = CandidateOp::create(b, kernel.getLoc(), tile.name());
    emitSchedule(candidate, tile);
    emitGuard(candidate, tile);
    b.createBlock(&candidate.getCost());
    Real time = emitChainTime(arith, hw, chain, tile, getSizes());
    YieldOp::create(b, kernel.getLoc(), time.value);
  }
  return success();
}

LogicalResult vortex::addGpuChainCandidates(KernelOp kernel,
                                            const RunningChain &chain,
                                            HwAttr hw,
                                            CandidateReport &report) {
  return GpuChainFamily(kernel, chain, hw, report).add();
}
