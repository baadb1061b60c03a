//===- LowerPacks.cpp - Row groups and column panels as vector loops ---- -===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CarriedLoop.h"
#include "MicroKernelEmitter.h"
#include "PackTiles.h"

#include "vortex/Dialect/Vortex/Transforms/Passes.h"
#include "vortex/HwDesc/Targets.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include <numeric>

namespace vortex {
#define GEN_PASS_DEF_LOWERPACKS
#include "vortex/Dialect/Vortex/Transforms/Passes.h.inc"
} // namespace vortex

#define DEBUG_TYPE "vortex-lower-packs"

using namespace mlir;
using namespace vortex;

/// The tallest tight row group of SSA height (the rows of the tallest register
/// tile).
static constexpr int64_t kMaxRows = 16;

/// Squares between the one that is transposed and the one that is touched: more
/// rows are read side by side than prefetchers of a machine follow. Measured on
/// operands from L3: 0.85 of the time of a product of 128 rows, 8 alike.
static constexpr int64_t kSquaresAhead = 4;

/// Bytes of a vector register of the machine that runs the pack: a square of
/// wider vectors would not fit the registers.
static int64_t getVectorBytes(Operation *op) {
  for (HwAttr target : getTargets(op))
    if (!target.isGPU())
      return target.getVectorBytes();
  return 64;
}

/// Rows that the machine reads side by side as fast as one.
static int64_t getStreams(Operation *op) {
  for (HwAttr target : getTargets(op))
    if (!target.isGPU())
      if (std::optional<double> streams = target.getNumber("l2.streams"))
        return std::max<int64_t>(int64_t(*streams), 1);
  return 4;
}

namespace {
/// Lowers a pack with one tiled dimension, or with a second one in groups of 32
/// bits that walks a reduction. Two forms: the tiled dimension is the innermost
/// one in memory (column panels: rows are copied, those of a group
/// interleaved), or another is (row groups, filters with their taps innermost:
/// squares of it and the tiled one are transposed, of elements or groups).
class PackLowering {
public:
  PackLowering(PatternRewriter &b, linalg::PackOp op)
      : b(b), op(op), loc(op.getLoc()) {}
  LogicalResult run();

private:
  Value constant(int64_t v) {
    return arith::ConstantIndexOp::create(b, loc, v);
  }
  Value read(ArrayRef<Value> at, Value count, int64_t length);
  Value readGroupedRow(SmallVector<Value> at, Value left);
  Value write(Value vector, Value into, ArrayRef<Value> at, Value mask);
  Value nest(unsigned depth, Value current);
  Value copyRows(Value current);
  Value copyRow(Value current);
  /// Rows of a tiled dimension, from `base`, and columns from `iv`: how many
  /// there are, or null when they fill a square.
  struct Part {
    Value base, rows, iv, columns;
  };
  Value columnsOfSource();
  Value transposeSquares(Value iv, Value current, bool filled);
  Value nestLoop(unsigned depth, Value current);
  Value nestSquares(Value current);
  Value transposeSquare(const Part &part, Value h, Value current);
  std::pair<Value, Value> locateSquare(const Part &part, Value h);
  SmallVector<Value> sourceIndices();

  PatternRewriter &b;
  linalg::PackOp op;
  Location loc;
  int64_t lanes = 0, rank = 0, position = 0;
  int64_t group = 1, groupDim = -1; ///< elements a lane, and what walks them
  unsigned along = 0;               ///< outer dimension that squares go along
  unsigned panels = 0;              ///< outer dimension of the tiles
  SmallVector<int64_t> order;
  Value tile, extent;
  std::optional<int64_t> staticTile;
  bool tight = false, copies = false;
  /// What is written beyond the rows of a column, or beyond the last column, is
  /// where the next ones go, which are written later.
  bool spills = false;
  SmallVector<OpFoldResult> packedSizes;
  SmallVector<Value> ivs; ///< of the outer dimensions that are walked
  Type element;
};
} // namespace

Value PackLowering::read(ArrayRef<Value> at, Value count, int64_t length) {
  auto maskType = VectorType::get({length}, b.getI1Type());
  Value mask =
      vector::CreateMaskOp::create(b, loc, maskType, ValueRange{count});
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(element));
  AffineMap minor = AffineMap::getMinorIdentityMap(rank, 1, b.getContext());
  return vector::TransferReadOp::create(
      b, loc, VectorType::get({length}, element), op.getSource(), at,
      AffineMapAttr::get(minor), zero, mask, b.getBoolArrayAttr({true}));
}

Value PackLowering::write(Value vector, Value into, ArrayRef<Value> at,
                          Value mask) {
  AffineMap minor =
      AffineMap::getMinorIdentityMap(at.size(), 1, b.getContext());
  return vector::TransferWriteOp::create(b, loc, vector, into, at,
                                         AffineMapAttr::get(minor), mask,
                                         b.getBoolArrayAttr({true}))
      .getResult();
}

SmallVector<Value> PackLowering::sourceIndices() {
  SmallVector<Value> at(rank);
  for (auto [dim, iv] : llvm::zip(order, ivs))
    at[dim] = iv;
  return at;
}

/// The rows of a group from `at`, element by element beside each other.
Value PackLowering::readGroupedRow(SmallVector<Value> at, Value left) {
  Value first = arith::MulIOp::create(b, loc, at[groupDim], constant(group));
  Value end = tensor::DimOp::create(b, loc, op.getSource(), groupDim);
  SmallVector<Value> rows;
  for (int64_t i = 0; i < group; ++i) {
    Value row = arith::AddIOp::create(b, loc, first, constant(i));
    Value present =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, row, end);
    // Rows past the end re-read the group's first one, masked off.
    at[groupDim] = arith::SelectOp::create(b, loc, present, row, first);
    rows.push_back(
        read(at, arith::SelectOp::create(b, loc, present, left, constant(0)),
             lanes));
  }
  // Halves first: what lies `rows.size() / 2` apart ends up side by side.
  while (rows.size() > 1) {
    size_t half = rows.size() / 2;
    for (size_t i = 0; i < half; ++i)
      rows[i] = vector::InterleaveOp::create(b, loc, rows[i], rows[i + half]);
    rows.resize(half);
  }
  return rows[0];
}

/// One packed row of a panel.
Value PackLowering::copyRow(Value current) {
  SmallVector<Value> at = sourceIndices();
  Value base = arith::MulIOp::create(b, loc, ivs[panels], tile);
  for (int64_t c = 0; c < *staticTile; c += lanes) {
    at[position] = arith::AddIOp::create(b, loc, base, constant(c));
    // A vector that starts past the end reads nothing.
    Value left = arith::MaxSIOp::create(
        b, loc, arith::SubIOp::create(b, loc, extent, at[position]),
        constant(0));
    at[position] = arith::MinSIOp::create(b, loc, at[position], extent);
    SmallVector<Value> out(ivs);
    out.push_back(constant(c * group));
    Value row = group > 1 ? readGroupedRow(at, left) : read(at, left, lanes);
    current = write(row, current, out, Value());
  }
  return current;
}

/// The rows from column `iv` of a group, transposed square by square, which
/// have all their columns where they are `filled`.
Value PackLowering::transposeSquares(Value iv, Value current, bool filled) {
  Value base = arith::MulIOp::create(b, loc, ivs[panels], tile);
  Value left = arith::SubIOp::create(b, loc, extent, base);
  // The caller's result may have more groups than there are rows for.
  if (!tight)
    left = arith::MaxSIOp::create(b, loc, left, constant(0));
  Part part{base, arith::MinUIOp::create(b, loc, left, tile), iv, Value()};
  if (!filled)
    part.columns = arith::SubIOp::create(
        b, loc, columnsOfSource(),
        group > 1
            ? arith::MulIOp::create(b, loc, iv, constant(group)).getResult()
            : iv);
  if (!staticTile && !tight) {
    return createCarriedLoop(b, loc, constant(0), tile, constant(lanes),
                             current, [&](Value h, Value current) {
                               return transposeSquare(part, h, current);
                             });
  }
  // Tight row groups of SSA height have at most kMaxRows rows, often fewer than
  // the squares behind the first are for: six of f32 with AVX2.
  int64_t height = staticTile.value_or(kMaxRows);
  for (int64_t h = 0; h < height; h += lanes) {
    auto add = [&](OpBuilder &, Location loc) {
      scf::YieldOp::create(b, loc, transposeSquare(part, constant(h), current));
    };
    auto skip = [&](OpBuilder &, Location loc) {
      scf::YieldOp::create(b, loc, current);
    };
    if (staticTile || h == 0)
      current = transposeSquare(part, constant(h), current);
    else
      current = scf::IfOp::create(
                    b, loc,
                    arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ugt,
                                          part.rows, constant(h)),
                    add, skip)
                    .getResult(0);
  }
  return current;
}

/// The rows from `h` of a group.
Value PackLowering::transposeSquare(const Part &part, Value h, Value current) {
  auto [base, rows, iv, columns] = part;
  SmallVector<Value> at = sourceIndices();
  auto behind = [&](Value count) -> Value {
    Value rest = arith::SubIOp::create(
        b, loc, arith::MaxUIOp::create(b, loc, count, h), h);
    return arith::MinUIOp::create(b, loc, rest, constant(lanes));
  };
  Value left = behind(rows), whole = behind(tile);
  auto inElements = [&](Value value) -> Value {
    return group > 1 ? arith::MulIOp::create(b, loc, value, constant(group))
                           .getResult()
                     : value;
  };
  int64_t width = lanes * group;
  Value across = columns ? columns : constant(width);
  // Groups are transposed as words.
  auto words = VectorType::get({lanes}, b.getI32Type());
  auto elements = VectorType::get({lanes * group}, element);
  SmallVector<Value> square(lanes);
  for (int64_t r = 0; r < lanes; ++r) {
    Value present = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                          constant(r), left);
    // Rows past the end re-read the group's first one: of a tight group they
    // are not written, of another they are zero.
    Value row = arith::SelectOp::create(
        b, loc, present, b.createOrFold<arith::AddIOp>(loc, h, constant(r)),
        constant(0));
    at[position] = arith::AddIOp::create(b, loc, base, row);
    at[order[along]] = inElements(iv);
    Value count = across;
    if (!tight)
      count = arith::SelectOp::create(b, loc, present, across, constant(0));
    square[r] = read(at, count, width);
    if (group > 1)
      square[r] = vector::BitCastOp::create(b, loc, words, square[r]);
  }
  vortex::transposeSquare(b, loc, square);
  // Padding rows of a group are zero, so a padded group is written whole.
  Value count = inElements(tight ? left : whole);
  auto maskOf = [&](Value count) -> Value {
    return vector::CreateMaskOp::create(
        b, loc, VectorType::get({width}, b.getI1Type()), ValueRange{count});
  };
  Value start, apart;
  if (tight) {
    std::tie(start, apart) = locateSquare(part, h);
    start = inElements(start);
    apart = inElements(apart);
  }
  for (int64_t k = 0; k < lanes; ++k) {
    Value mask;
    if (columns && !spills)
      mask = maskOf(arith::SelectOp::create(
          b, loc,
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                constant(k * group), columns),
          count, constant(0)));
    else if (!spills)
      mask = maskOf(count);
    if (group > 1)
      square[k] = vector::BitCastOp::create(b, loc, elements, square[k]);
    SmallVector<Value> out;
    if (tight) {
      out = {start};
      start = arith::AddIOp::create(b, loc, start, apart);
    } else {
      out = ivs;
      out[along] = arith::AddIOp::create(b, loc, iv, constant(k));
      out.push_back(inElements(h));
    }
    current = write(square[k], current, out, mask);
  }
  return current;
}

/// Where a square of a tight group begins in its flat form and how far its
/// columns lie apart, in elements or groups: group i starts at i * tile * K,
/// and what one column has of it is `rows` long.
std::pair<Value, Value> PackLowering::locateSquare(const Part &part, Value h) {
  auto sizeOf = [&](int64_t dim) {
    return getValueOrCreateConstantIndexOp(b, loc, packedSizes[dim]);
  };
  SmallVector<Value> at(ivs);
  at[along] = part.iv;
  Value linear = part.base, column = at[1], apart = part.rows;
  for (int64_t i = 1; i < rank; ++i)
    linear = arith::MulIOp::create(b, loc, linear, sizeOf(i));
  for (int64_t i = 2; i < rank; ++i)
    column = arith::AddIOp::create(
        b, loc, arith::MulIOp::create(b, loc, column, sizeOf(i)), at[i]);
  for (int64_t i = along + 1; i < rank; ++i)
    apart = arith::MulIOp::create(b, loc, apart, sizeOf(i));
  Value within = arith::AddIOp::create(
      b, loc, arith::MulIOp::create(b, loc, column, part.rows), h);
  return {arith::AddIOp::create(b, loc, linear, within), apart};
}

/// Columns of the source that squares go along, in elements.
Value PackLowering::columnsOfSource() {
  return group > 1
             ? tensor::DimOp::create(b, loc, op.getSource(), groupDim)
                   .getResult()
             : getValueOrCreateConstantIndexOp(b, loc, packedSizes[along]);
}

/// A loop along outer dimension `depth` around those behind it.
Value PackLowering::nestLoop(unsigned depth, Value current) {
  Value bound = getValueOrCreateConstantIndexOp(b, loc, packedSizes[depth]);
  return createCarriedLoop(b, loc, constant(0), bound, constant(1), current,
                           [&](Value iv, Value current) {
                             ivs[depth] = iv;
                             return nest(depth + 1, current);
                           });
}

/// The squares of a group: a loop over those that have all columns, which need
/// no masks of their own, and the last one.
Value PackLowering::nestSquares(Value current) {
  Value bound = getValueOrCreateConstantIndexOp(b, loc, packedSizes[along]);
  Value step = constant(lanes);
  Value filled =
      arith::MulIOp::create(b, loc,
                            arith::DivUIOp::create(b, loc, columnsOfSource(),
                                                   constant(lanes * group)),
                            step);
  for (bool last : {false, true}) {
    auto forOp =
        scf::ForOp::create(b, loc, last ? filled : constant(0),
                           last ? bound : filled, step, ValueRange{current});
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(forOp.getBody());
    if (!last)
      forOp->setAttr(kPrefetchAheadAttr, b.getI64IntegerAttr(kSquaresAhead));
    scf::YieldOp::create(b, loc,
                         transposeSquares(forOp.getInductionVar(),
                                          forOp.getRegionIterArg(0), !last));
    current = forOp.getResult(0);
  }
  return current;
}

/// A few rows of all panels, and the next ones: what lies beside each other in
/// memory is read one after the other.
Value PackLowering::copyRows(Value current) {
  Value bound = getValueOrCreateConstantIndexOp(b, loc, packedSizes[along]);
  int64_t together = std::max<int64_t>(getStreams(op) / group, 1);
  Value step = constant(together);
  Value whole = arith::MulIOp::create(
      b, loc, arith::DivUIOp::create(b, loc, bound, step), step);
  Value count = getValueOrCreateConstantIndexOp(b, loc, packedSizes[panels]);
  for (bool last : {false, true}) {
    int64_t rows = last ? 1 : together;
    auto copy = [&](Value first, Value current) {
      return createCarriedLoop(b, loc, constant(0), count, constant(1), current,
                               [&](Value panel, Value current) {
                                 ivs[panels] = panel;
                                 for (int64_t row = 0; row < rows; ++row) {
                                   ivs[along] = b.createOrFold<arith::AddIOp>(
                                       loc, first, constant(row));
                                   current = copyRow(current);
                                 }
                                 return current;
                               });
    };
    current =
        createCarriedLoop(b, loc, last ? whole : constant(0),
                          last ? bound : whole, constant(rows), current, copy);
  }
  return current;
}

/// The outer dimensions from `depth` on, of which squares come innermost, or
/// rows of panels.
Value PackLowering::nest(unsigned depth, Value current) {
  bool rows = copies && along != panels;
  while ((!copies && depth == along) ||
         (rows && (depth == along || depth == panels)))
    ++depth;
  if (depth < order.size())
    return nestLoop(depth, current);
  if (!copies)
    return nestSquares(current);
  return rows ? copyRows(current) : copyRow(current);
}

LogicalResult PackLowering::run() {
  element = getElementTypeOrSelf(op.getSource().getType());
  size_t tiled = op.getInnerDimsPos().size();
  if (tiled < 1 || tiled > 2 || !element.isIntOrFloat() ||
      element.getIntOrFloatBitWidth() < 8 ||
      !isa<RankedTensorType>(op.getSource().getType()))
    return failure();
  if (Value padding = op.getPaddingValue();
      padding && !matchPattern(padding, m_Zero()) &&
      !matchPattern(padding, m_PosZeroFloat()))
    return failure();
  rank = cast<RankedTensorType>(op.getSource().getType()).getRank();
  position = op.getInnerDimsPos()[0];
  order.assign(op.getOuterDimsPerm().begin(), op.getOuterDimsPerm().end());
  if (order.empty())
    for (int64_t i = 0; i < rank; ++i)
      order.push_back(i);
  staticTile = getConstantIntValue(op.getMixedTiles()[0]);
  copies = position == rank - 1;
  lanes = std::min<int64_t>(16, getVectorBytes(op) * 8 /
                                    element.getIntOrFloatBitWidth());
  ivs.resize(order.size());
  panels = llvm::find(order, position) - order.begin();
  // Squares go along what lies side by side, rows along the last dimension that
  // is not laid out in panels.
  along = llvm::find(order, rank - 1) - order.begin();
  if (copies && order.size() > 1)
    along = panels == order.size() - 1 ? panels - 1 : order.size() - 1;
  if (tiled == 2) {
    // Only groups of 32 bits, of a dimension that the other one does not walk.
    std::optional<int64_t> size = getConstantIntValue(op.getMixedTiles()[1]);
    groupDim = op.getInnerDimsPos()[1];
    if (!size || *size < 2 || !llvm::isPowerOf2_64(*size) ||
        *size * element.getIntOrFloatBitWidth() != 32 ||
        (!copies && groupDim != rank - 1))
      return failure();
    group = *size;
    lanes = std::min<int64_t>(16, getVectorBytes(op) / 4);
  }
  if (copies) {
    if (!staticTile)
      return failure();
    // A product that widens its operands has panels narrower than a vector of
    // them.
    lanes = std::gcd(lanes, *staticTile);
    if (lanes == 1)
      return failure();
  }
  tight = op->hasAttr(kTightAttr) && !copies;
  spills = tight && along == order.size() - 1 &&
           staticTile.value_or(kMaxRows) <= lanes;
  tile = getValueOrCreateConstantIndexOp(b, loc, op.getMixedTiles()[0]);
  extent = tensor::DimOp::create(b, loc, op.getSource(), position);
  packedSizes = tensor::getMixedSizes(b, loc, op.getDest());
  if (!tight && group == 1) {
    b.replaceOp(op, nest(0, op.getDest()));
    return success();
  }
  if (!tight) {
    // The groups of a row are one run of elements.
    SmallVector<ReassociationIndices> dims(rank + 1);
    for (auto [i, dim] : llvm::enumerate(dims))
      dim.push_back(i);
    dims.back().push_back(rank + 1);
    Value flat = tensor::CollapseShapeOp::create(b, loc, op.getDest(), dims);
    b.replaceOpWithNewOp<tensor::ExpandShapeOp>(
        op, op.getDest().getType(), nest(0, flat), dims, packedSizes);
    return success();
  }
  // A flat buffer from the start: reshapes of dynamic shapes have no sound
  // lowering upstream in this release.
  Value count = constant(1);
  for (OpFoldResult size : packedSizes)
    count = arith::MulIOp::create(
        b, loc, count, getValueOrCreateConstantIndexOp(b, loc, size));
  if (spills) // behind the last one
    count =
        arith::AddIOp::create(b, loc, count, constant(lanes * lanes * group));
  Value flat = tensor::EmptyOp::create(b, loc, {OpFoldResult(count)}, element);
  Value packed = nest(0, flat);
  for (Operation *user : llvm::make_early_inc_range(op->getUsers())) {
    if (isa<tensor::CollapseShapeOp>(user)) {
      b.replaceOp(user, packed);
    } else if (auto dim = dyn_cast<tensor::DimOp>(user)) {
      b.replaceOp(dim, getValueOrCreateConstantIndexOp(
                           b, loc, packedSizes[*dim.getConstantIndex()]));
    } else if (user->use_empty() && isa<tensor::ExtractSliceOp>(user)) {
      b.eraseOp(user);
    } else {
      return op.emitError(
          "a tight pack may only be read through its flat form");
    }
  }
  b.eraseOp(op);
  return success();
}

/// Elements of a group must lie beside each other, or those of the tiled
/// dimension. Where neither do, the source is transposed first.
static linalg::PackOp bringGroupsTogether(PatternRewriter &b,
                                          linalg::PackOp op) {
  int64_t last = op.getSourceRank() - 1;
  if (op.getInnerDimsPos().size() != 2 ||
      llvm::is_contained(op.getInnerDimsPos(), last))
    return op;
  Location loc = op.getLoc();
  auto swap = llvm::to_vector(llvm::seq<int64_t>(0, last + 1));
  std::swap(swap[op.getInnerDimsPos()[1]], swap[last]);
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(b, loc, op.getSource());
  std::swap(sizes[op.getInnerDimsPos()[1]], sizes[last]);
  Type element = getElementTypeOrSelf(op.getSource().getType());
  Value source = linalg::TransposeOp::create(
                     b, loc, op.getSource(),
                     tensor::EmptyOp::create(b, loc, sizes, element), swap)
                     ->getResult(0);
  auto swapped = [&](ArrayRef<int64_t> dims) {
    return llvm::map_to_vector(dims, [&](int64_t dim) { return swap[dim]; });
  };
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, last + 1));
  if (!op.getOuterDimsPerm().empty())
    order = llvm::to_vector(op.getOuterDimsPerm());
  auto pack = linalg::PackOp::create(
      b, loc, source, op.getDest(), swapped(op.getInnerDimsPos()),
      op.getMixedTiles(), op.getPaddingValue(), swapped(order));
  if (op->hasAttr(kTightAttr))
    pack->setAttr(kTightAttr, b.getUnitAttr());
  b.replaceOp(op, pack->getResults());
  return pack;
}

namespace {
struct LowerPacksPass : vortex::impl::LowerPacksBase<LowerPacksPass> {
  void runOnOperation() override {
    SmallVector<linalg::PackOp> packs;
    getOperation()->walk([&](linalg::PackOp op) { packs.push_back(op); });
    PatternRewriter rewriter(&getContext());
    for (linalg::PackOp op : packs) {
      if (op.getInnerDimsPos().empty()) {
        // Columns one behind the other.
        rewriter.setInsertionPoint(op);
        if (succeeded(lowerColumnPack(rewriter, op, getVectorBytes(op))))
          continue;
        rewriter.replaceOp(op, linalg::TransposeOp::create(
                                   rewriter, op.getLoc(), op.getSource(),
                                   op.getDest(), op.getOuterDimsPerm())
                                   ->getResults());
        continue;
      }
      if (packsTiles(op, getVectorBytes(op))) {
        lowerTilePack(rewriter, op);
        continue;
      }
      rewriter.setInsertionPoint(op);
      op = bringGroupsTogether(rewriter, op);
      rewriter.setInsertionPoint(op);
      bool tight = op->hasAttr(kTightAttr);
      if (failed(PackLowering(rewriter, op).run()) && tight)
        return signalPassFailure();
    }
  }
};
} // namespace
