//===- GpuContractionTree.cpp - The tree of a contraction -------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GpuContraction.h"

#include "vortex/Dialect/Vortex/IR/GridLimit.h"

using namespace mlir;
using namespace vortex;

static constexpr int64_t kLargestQueue = kLargestGrid / 2;
/// CUDA driver API, cuTensorMapEncodeTiled: bytes of a stride.
static constexpr int64_t kLargestMapStride = int64_t(1) << 40;

void GpuContractionFamily::emitSchedule(CandidateOp candidate,
                                        const BlockTile &tile) {
  Location loc = kernel.getLoc();
  MLIRContext *context = b.getContext();
  auto constant = [&](int64_t x) { return sizeInFront(candidate, x); };
  b.createBlock(&candidate.getSchedule());
  bool joined = tile.hasRing() && rows.size() > 1;
  SmallVector<int64_t> axes = llvm::to_vector_of<int64_t>(batchOf(tile));
  SmallVector<Value> sizes(axes.size(), axes.empty() ? Value() : constant(1));
  axes.append({roles.m, roles.n});
  sizes.append({constant(tile.m), constant(tile.n)});
  if (joined) { // in front of all others
    auto before = ArrayRef(rows).drop_back();
    axes = llvm::to_vector_of<int64_t>(before);
    axes.append({roles.m, roles.n});
    axes.append(batch.begin(), batch.end());
    sizes.assign(axes.size(), constant(1));
    sizes[before.size()] = constant(tile.m);
    sizes[rows.size()] = constant(tile.n);
  }
  if (tile.split) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(candidate);
    axes.push_back(ringAxis);
    sizes.push_back((stepsOfPart(tile) * tile.k).value);
  }
  LevelOp block =
      createLevel("block", tile.queue ? LoopKind::Persistent : LoopKind::Grid,
                  axes, AxisClass::PL, sizes);
  if (tile.split)
    block.setCombine("add");
  if (joined)
    block->setAttr(kJoinedAttr, b.getI64IntegerAttr(rows.size()));
  if (tile.matrix && tile.run > 1 && !tile.turned)
    block.setStore(tile.store);
  if (tile.blocks() > 1) {
    SmallVector<int64_t> cluster(axes.size(), 1);
    cluster[roles.batch.size()] = tile.clusterM;
    cluster[roles.batch.size() + 1] = tile.clusterN;
    block.setCluster(cluster);
  }
  LevelOp ringLevel;
  if (tile.hasRing()) {
    auto load = [&](int64_t input, unsigned inner) -> Attribute {
      return LoadAttr::get(context, input, LayoutKind::Swizzle, inner,
                           /*together=*/true, /*bound=*/false);
    };
    // Warps move what the operands' alignment allows, boxes a row.
    auto runOf = [&](unsigned operand) {
      bool boxes = tile.producers && !isCopied(operand);
      return constant(boxes ? kBoxRowBytes / bytes : tile.run);
    };
    Value runA = runOf(roles.a), runB = runOf(roles.b);
    // Of a window, one step of all reductions but the contiguous one.
    auto steps = llvm::to_vector_of<int64_t>(roles.k);
    SmallVector<Value> stepSizes;
    for (unsigned reduction : roles.k)
      stepSizes.push_back(constant(reduction == ringAxis ? tile.k : 1));
    ringLevel = createLevel(
        "smem", LoopKind::Sequential, steps, AxisClass::TRL, stepSizes,
        {load(inputA, innerA), load(inputB, innerB)}, {runA, runB});
    ringLevel.setStages(tile.stages);
    ringLevel.setResident(true);
  }
  if (tile.producers) {
    LevelOp producer =
        createLevel("warp", LoopKind::Forall, {}, AxisClass::PL, {});
    producer.setRole("producer");
    producer.setWarps(tile.producers);
    b.setInsertionPointAfter(producer);
    int64_t axis = tile.turned ? roles.n : roles.m;
    LevelOp consumer =
        createLevel("warp", LoopKind::Forall, {axis}, AxisClass::PL,
                    {constant(tile.turned ? tile.warpN : tile.warpM)});
    consumer.setRole("consumer");
    consumer.setWarps(tile.warps());
  } else {
    createLevel("warp", LoopKind::Forall, {roles.m, roles.n}, AxisClass::PL,
                {constant(tile.warpM), constant(tile.warpN)});
  }
  int64_t columns = tile.producers ? tile.warpN
                    : tile.matrix  ? instruction.getN()
                    : tile.hasRing()
                        ? divideLanes(tile.warpM, tile.warpN, lanes).n
                        : lanes;
  auto micro = MicroKernelAttr::get(
      context, instructionOf(tile).getKind(), tile.warpM, tile.warpN / columns,
      columns,
      /*unroll=*/tile.matrix ? tile.k / instructionOf(tile).getK()
                             : kScalarUnroll,
      /*prefetch=*/0, /*narrow_rows=*/0, /*scheduler=*/true,
      /*lane_axis=*/-1, /*in_flight=*/0);
  SmallVector<StringRef> inner = before;
  if (!tile.hasRing())
    llvm::append_range(inner, behind);
  StageOp::create(b, loc, b.getStrArrayAttr(inner), micro, StringAttr());
  if (!tile.hasRing() || behind.empty())
    return;
  b.setInsertionPointAfter(ringLevel);
  StageOp::create(b, loc, b.getStrArrayAttr(behind), MicroKernelAttr(),
                  StringAttr());
}

/// 32 bits hold rows, steps, coordinates in the left factor and, of the right
/// one, offsets in a tile.
Flag GpuContractionFamily::windowInside(Flag holds) {
  auto below = [&](Size size, int64_t limit) {
    holds = holds & (size < arith.size(limit));
  };
  // A product of numbers that are not negative, one by one, so that none of 64
  // bits is left.
  auto productBelow = [&](ArrayRef<unsigned> loops, int64_t limit) {
    Size product = arith.size(1);
    for (unsigned loop : loops) {
      product = product * axis(loop);
      below(product, limit);
      product = atMost(product, limit);
    }
  };
  productBelow(rows, kLargestTiledExtent);
  productBelow(roles.k,
               innerB == ringAxis ? kLargestPitch : kLargestTiledExtent);
  for (AffineExpr expr : anchor.getIndexingMapsArray()[roles.a].getResults())
    if (!isa<AffineDimExpr>(expr))
      below(sumAxes(expr), kLargestTiledExtent);
  return holds;
}

void GpuContractionFamily::emitGuard(CandidateOp candidate,
                                     const BlockTile &tile) {
  b.createBlock(&candidate.getGuard());
  Flag holds = axis(roles.m) < arith.size(kLargestTiledExtent);
  holds = holds & (axis(roles.n) < arith.size(kLargestTiledExtent));
  for (unsigned loop : roles.k)
    holds = holds & (axis(loop) < arith.size(kLargestTiledExtent));
  Block &block = kernel.getCandidates().front();
  auto argument = [&](int64_t position) {
    return block.getArgument(kernel.getAxes().size() + position);
  };
  if (tile.hasRing())
    for (auto [operand, input, inner, outer] :
         {std::tuple(roles.a, inputA, innerA, roles.m),
          std::tuple(roles.b, inputB, innerB, roles.n)}) {
      holds = holds & (axis(inner) < arith.size(kLargestPitch));
      // The distance of rows, which is no more than that where there are no
      // gaps between them.
      AffineMap map = anchor.getIndexingMapsArray()[operand];
      std::optional<unsigned> row = map.getResultPosition(getAffineDimExpr(
          inner == ringAxis ? outer : ringAxis, b.getContext()));
      if (row && *row + 1 < map.getNumResults())
        holds = holds & (arith.stride(argument(input), *row) <
                         arith.size(kLargestPitch));
    }
  if (tile.hasRing() && window)
    holds = windowInside(holds);
  auto multiple = [&](unsigned loop, int64_t of) {
    Size rest{&arith, arith::RemUIOp::create(b, arith.loc, axis(loop).value,
                                             arith.size(of).value)};
    return rest < arith.size(1);
  };
  Size blocks = countTiles(tile);
  for (unsigned loop : roles.batch)
    holds = holds & (axis(loop) < arith.size(kLargestTiledExtent));
  if (tile.split) {
    // There is something to share; its parts, and the blocks that add them.
    holds = holds & (arith.size(0) < axis(ringAxis));
    Size results = axis(roles.m) * axis(roles.n);
    for (unsigned loop : roles.batch)
      results = results * axis(loop);
    holds = holds & (results <= arith.size(getLargestGrid(hw)));
    blocks = blocks * ceilDiv(axis(ringAxis), stepsOfPart(tile) * tile.k);
  }
  // Who walks a queue adds the number of its blocks to that of a tile.
  holds = holds & (blocks <=
                   arith.size(tile.queue ? kLargestQueue : getLargestGrid(hw)));
  if (tile.run > 1) {
    holds = holds & multiple(innerA, tile.run);
    holds = holds & multiple(innerB, tile.run);
    for (int64_t input : {inputA, inputB})
      holds = holds & hasAlignedRows(arith, argument(input), tile.run, bytes);
  }
  if (tile.storesBoxes()) {
    holds = holds & multiple(roles.n, kCopyBytes / resultBytes);
    holds = holds & hasAlignedRows(arith, argument(kernel.getInputs().size()),
                                   kCopyBytes / resultBytes, resultBytes);
    Size stride = axis(roles.n) * resultBytes;
    for (unsigned loop : llvm::reverse(roles.batch)) {
      stride =
          stride * (loop == roles.batch.back() ? axis(roles.m) : axis(loop));
      holds = holds & (stride < arith.size(kLargestMapStride));
    }
  }
  if (tile.producers) {
    // A tensor map is of something, and its strides have a limit. Of matrices
    // the limit of pitches is the lower one.
    for (unsigned loop : roles.k)
      holds = holds & (arith.size(0) < axis(loop));
    for (unsigned operand : {roles.a, roles.b}) {
      AffineMap map = anchor.getIndexingMapsArray()[operand];
      if (map.getNumResults() < 3 || isCopied(operand))
        continue;
      Size stride = arith.size(bytes);
      for (AffineExpr expr : llvm::drop_begin(map.getResults()))
        stride = stride * axis(cast<AffineDimExpr>(expr).getPosition());
      holds = holds & (stride < arith.size(kLargestMapStride));
    }
  }
  YieldOp::create(b, kernel.getLoc(), holds.value);
}
