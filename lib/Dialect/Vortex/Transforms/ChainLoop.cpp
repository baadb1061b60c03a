//===- ChainLoop.cpp - A chain as a loop over tiles of rows ---------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loops that are no rows are whole in each tile, so every value between two
// ops of the chain is exactly what the ops of one tile make and read: ops are
// cloned one by one, in order, on slices of what comes from outside.
//
//===----------------------------------------------------------------------===//

#include "Chain.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace vortex;

namespace {
/// One iteration of the loop.
class ChainTile {
public:
  ChainTile(OpBuilder &b, const Chain &chain, ValueRange offsets,
            const ChainSizes &sizes);
  /// Makes the op's tile.
  void emit(linalg::LinalgOp op);
  /// The memory of the whole result, of which a tile is computed in place.
  void setStorage(OpResult result, Value storage) {
    storages[result] = storage;
  }
  /// Where the tile of a result lies in the whole.
  void getSlice(OpResult result, SmallVector<OpFoldResult> &at,
                SmallVector<OpFoldResult> &extents);
  Value get(Value value) { return tiles.lookup(value); }

private:
  /// Memory for a tile of `whole`, which has no values.
  struct Empty {
    Value whole;
    SmallVector<OpFoldResult> at;
    Value tile;
  };

  Value slice(linalg::LinalgOp op, AffineMap map, Value value);
  Value makeInit(linalg::LinalgOp op, OpOperand &init);
  Value makeEmpty(linalg::LinalgOp op, AffineMap map, Value whole);
  bool cut(linalg::LinalgOp op, AffineMap map, Value value,
           SmallVector<OpFoldResult> &at, SmallVector<OpFoldResult> &extents);

  OpBuilder &b;
  const Chain &chain;
  SmallVector<OpFoldResult> offsets, extents; ///< of the rows
  DenseMap<Value, Value> tiles;    ///< results of the chain -> their tiles
  DenseMap<Value, Value> storages; ///< results -> memory of the whole
  SmallVector<Empty> empties;
};
} // namespace

ChainTile::ChainTile(OpBuilder &b, const Chain &chain, ValueRange ivs,
                     const ChainSizes &sizes)
    : b(b), chain(chain) {
  Location loc = chain.getLast().getLoc();
  for (auto [row, iv] : llvm::enumerate(ivs)) {
    offsets.push_back(iv);
    if (chain.unitRows[row]) {
      extents.push_back(b.getIndexAttr(1));
      continue;
    }
    // The last tile of a row may be a part of one.
    AffineExpr at = b.getAffineDimExpr(0), tile = b.getAffineSymbolExpr(0),
               extent = b.getAffineSymbolExpr(1);
    AffineMap rest = AffineMap::get(1, 2, {tile, extent - at}, b.getContext());
    Value whole = getValueOrCreateConstantIndexOp(b, loc, sizes.extents[row]);
    extents.push_back(affine::AffineMinOp::create(
                          b, loc, rest, ValueRange{iv, sizes.tiles[row], whole})
                          .getResult());
  }
}

/// The part of `value` that a tile of `op` reads through `map`; false: all.
bool ChainTile::cut(linalg::LinalgOp op, AffineMap map, Value value,
                    SmallVector<OpFoldResult> &at,
                    SmallVector<OpFoldResult> &sizes) {
  Location loc = op.getLoc();
  bool part = false;
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    int64_t row = -1;
    if (auto loop = dyn_cast<AffineDimExpr>(expr))
      row = chain.getRow(op, loop.getPosition());
    if (row >= 0) {
      at.push_back(offsets[row]);
      sizes.push_back(extents[row]);
      part = true;
      continue;
    }
    bool ofRows = !isa<AffineDimExpr>(expr) &&
                  llvm::any_of(llvm::seq<int64_t>(map.getNumDims()),
                               [&, coordinate = expr](int64_t loop) {
                                 return coordinate.isFunctionOfDim(loop) &&
                                        chain.getRow(op, loop) >= 0;
                               });
    if (ofRows) {
      // Rows that stand in such an index come one at a time.
      SmallVector<OpFoldResult> loops;
      for (unsigned loop = 0; loop < map.getNumDims(); ++loop) {
        int64_t walked = chain.getRow(op, loop);
        loops.push_back(walked >= 0 ? offsets[walked]
                                    : OpFoldResult(b.getIndexAttr(0)));
      }
      at.push_back(affine::makeComposedFoldedAffineApply(
          b, loc, AffineMap::get(map.getNumDims(), 0, expr), loops));
      sizes.push_back(b.getIndexAttr(1));
      part = true;
      continue;
    }
    at.push_back(b.getIndexAttr(0));
    sizes.push_back(getChainSize(b, loc, value, dim));
  }
  return part;
}

Value ChainTile::slice(linalg::LinalgOp op, AffineMap map, Value value) {
  if (!isa<RankedTensorType>(value.getType()))
    return value;
  SmallVector<OpFoldResult> at, sizes;
  if (!cut(op, map, value, at, sizes))
    return value;
  SmallVector<OpFoldResult> strides(at.size(), b.getIndexAttr(1));
  return tensor::ExtractSliceOp::create(b, op.getLoc(), value, at, sizes,
                                        strides);
}

/// Ops that start from the same memory do so in tiles: kernels made of a tile
/// are then those that are made of the whole.
Value ChainTile::makeEmpty(linalg::LinalgOp op, AffineMap map, Value whole) {
  SmallVector<OpFoldResult> at, sizes;
  cut(op, map, whole, at, sizes);
  for (const Empty &known : empties)
    if (known.whole == whole && known.at == at)
      return known.tile;
  Value tile = tensor::EmptyOp::create(b, op.getLoc(), sizes,
                                       getElementTypeOrSelf(whole.getType()));
  empties.push_back({whole, at, tile});
  return tile;
}

/// Memory for the tile of a result, started as the whole is.
Value ChainTile::makeInit(linalg::LinalgOp op, OpOperand &init) {
  AffineMap map = op.getMatchingIndexingMap(&init);
  Value base = getInitBase(init.get());
  Value storage = storages.lookup(op.getTiedOpResult(&init));
  Value tile;
  if (storage) {
    tile = slice(op, map, storage);
  } else if (base.getDefiningOp<tensor::EmptyOp>()) {
    tile = makeEmpty(op, map, base);
  } else {
    tile = slice(op, map, base);
  }
  SmallVector<linalg::FillOp> fills;
  for (Value value = init.get(); value != base;) {
    auto fill = value.getDefiningOp<linalg::FillOp>();
    fills.push_back(fill);
    value = fill.getDpsInits()[0];
  }
  for (linalg::FillOp fill : llvm::reverse(fills))
    tile = linalg::FillOp::create(b, fill.getLoc(), fill.getInputs()[0], tile)
               .getResult(0);
  return tile;
}

void ChainTile::emit(linalg::LinalgOp op) {
  SmallVector<Value> operands;
  SmallVector<Type> types;
  for (OpOperand &operand : op->getOpOperands()) {
    if (Value tile = tiles.lookup(operand.get())) {
      operands.push_back(tile);
    } else if (op.isDpsInit(&operand)) {
      operands.push_back(makeInit(op, operand));
    } else {
      operands.push_back(
          slice(op, op.getMatchingIndexingMap(&operand), operand.get()));
    }
    if (op.isDpsInit(&operand))
      types.push_back(operands.back().getType());
  }
  auto tile = cast<linalg::LinalgOp>(clone(b, op, types, operands));
  SmallVector<OpFoldResult> starts;
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop) {
    int64_t row = chain.getRow(op, loop);
    starts.push_back(row >= 0 ? offsets[row] : OpFoldResult(b.getIndexAttr(0)));
  }
  linalg::offsetIndices(b, tile, starts);
  for (auto [from, to] : llvm::zip(op->getResults(), tile->getResults()))
    tiles[from] = to;
}

void ChainTile::getSlice(OpResult result, SmallVector<OpFoldResult> &at,
                         SmallVector<OpFoldResult> &sizes) {
  auto op = cast<linalg::LinalgOp>(result.getOwner());
  cut(op, op.getIndexingMapMatchingResult(result), storages.lookup(result), at,
      sizes);
}

/// What the memory of a result is, of the whole, behind fills and ops of the
/// chain that the result goes on from; those are added to `before`.
static Value getStorage(const Chain &chain, OpResult result,
                        SmallVectorImpl<OpResult> &before) {
  auto op = cast<linalg::LinalgOp>(result.getOwner());
  Value base = getInitBase(op.getTiedOpOperand(result)->get());
  if (!chain.contains(base.getDefiningOp()))
    return base;
  before.push_back(cast<OpResult>(base));
  return getStorage(chain, cast<OpResult>(base), before);
}

SmallVector<Value> vortex::emitChainLoop(OpBuilder &b, const Chain &chain,
                                         const ChainSizes &sizes) {
  Location loc = chain.getLast().getLoc();
  SmallVector<OpResult> results = chain.getResults();
  SmallVector<Value> outputs;
  SmallVector<SmallVector<OpResult>> before(results.size());
  for (auto [i, result] : llvm::enumerate(results)) {
    Value base = getStorage(chain, result, before[i]);
    // Two results do not share memory.
    if (auto empty = base.getDefiningOp<tensor::EmptyOp>();
        empty && llvm::is_contained(outputs, base))
      base = b.clone(*empty)->getResult(0);
    outputs.push_back(base);
  }
  SmallVector<OpFoldResult> lower(chain.getNumRows(), b.getIndexAttr(0));
  SmallVector<OpFoldResult> steps;
  for (auto [row, tile] : llvm::enumerate(sizes.tiles))
    steps.push_back(chain.unitRows[row] ? OpFoldResult(b.getIndexAttr(1))
                                        : OpFoldResult(tile));
  auto loop = scf::ForallOp::create(b, loc, lower, sizes.extents, steps,
                                    outputs, std::nullopt);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  ChainTile tile(b, chain, loop.getInductionVars(), sizes);
  for (auto [result, argument, started] :
       llvm::zip(results, loop.getRegionIterArgs(), before)) {
    tile.setStorage(result, argument);
    for (OpResult start : started)
      if (!llvm::is_contained(results, start))
        tile.setStorage(start, argument);
  }
  for (const auto &entry : chain.rowLoops)
    tile.emit(cast<linalg::LinalgOp>(entry.first));
  SmallVector<std::pair<SmallVector<OpFoldResult>, SmallVector<OpFoldResult>>>
      slices(results.size());
  for (auto [i, result] : llvm::enumerate(results))
    tile.getSlice(result, slices[i].first, slices[i].second);
  b.setInsertionPointToStart(loop.getTerminator().getBody());
  for (auto [i, result] : llvm::enumerate(results)) {
    SmallVector<OpFoldResult> strides(slices[i].first.size(),
                                      b.getIndexAttr(1));
    tensor::ParallelInsertSliceOp::create(
        b, loc, tile.get(result), loop.getRegionIterArgs()[i], slices[i].first,
        slices[i].second, strides);
  }
  return SmallVector<Value>(loop.getResults());
}
