//===- EmitMatrixWindow.cpp - Windows in matrix tiles ---------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows of a matrix tile are pixels of a copied part of an image, one stride
// after the other, under each pixel of a window in turn. The micro-kernel has
// all pixels of the result that the part is for: rows of pixels, which are cut
// into tiles in one of two ways.
//
// - Each row by itself: its last tile has pixels that the row lacks.
// - All rows as one, where a row of the part is whole strides: a tile goes on
//   in the next row, past the pixels of the part that begin no window. Rows of
//   7 pixels under windows of 3 are 9 apart: 61 pixels, 4 tiles instead of 7.
//
// The way with fewer tiles is chosen as it runs. What a tile computes of pixels
// that the result does not have is dropped, whatever memory it read there; the
// copy has room behind its last row.
//
// Where a pixel's channels are no whole steps of the instruction, tiles have
// fewer, which divide them or the run of channels that pixels of a row of the
// window are. A register of tiles has one shape then as elsewhere, for one
// configuration serves the function, but operands' differ from that of sums.
//
//===----------------------------------------------------------------------===//

#include "PayloadClass.h"
#include "TileProduct.h"

#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace vortex;

namespace {
/// Which loop is what. Those of a result that is [.., outer, .., row, column].
struct WindowLoops {
  unsigned row, channel;
  std::optional<unsigned> outer; ///< rows of pixels; none: there is one
  int64_t outerDim = 0;          ///< of it in results, from the end
  SmallVector<unsigned> taps;    ///< reductions around the channels
  bool merged = false;           ///< the last of them and channels are one run
};

class MatrixWindow : TileEmitter, TileProduct {
public:
  MatrixWindow(OpBuilder &b, TileProduct product, WindowLoops loops)
      : TileEmitter(b, product.kernel.getLoc(),
                    product.kernel.getSpec().getLanes()),
        TileProduct(product), spec(product.kernel.getSpec()), loops(loops) {}
  Value emit(const TileResults &results);

private:
  using Tiles = SmallVector<Value>;
  Value add(Value x, Value y) { return arith::AddIOp::create(b, loc, x, y); }
  Value sub(Value x, Value y) { return arith::SubIOp::create(b, loc, x, y); }
  Value mul(Value x, Value y) { return arith::MulIOp::create(b, loc, x, y); }
  Value div(Value x, Value y) { return arith::DivUIOp::create(b, loc, x, y); }
  Value least(Value x, Value y) { return arith::MinSIOp::create(b, loc, x, y); }
  Value most(Value x, Value y) { return arith::MaxSIOp::create(b, loc, x, y); }
  Value select(Value flag, Value yes, Value no) {
    return arith::SelectOp::create(b, loc, flag, yes, no);
  }
  Value compare(arith::CmpIPredicate how, Value x, Value y) {
    return arith::CmpIOp::create(b, loc, how, x, y);
  }
  /// An operand as one run of elements, and how many of those each of its
  /// dimensions goes on by.
  struct Run {
    Value elements; ///< memory [1][elements]
    SmallVector<Value> strides;
    AffineMap map;
  };
  Run getRun(Value memory, AffineMap map);
  Value getStep(const Run &run, unsigned loop);
  void findTiles(const TileResults &results);
  Value findPixels(Value tile);
  Value emitGroup(const TileResults &results, Value tile, Value into);
  void addProducts(int64_t rowTiles, int64_t across);
  Tiles addSteps(Value atA, Value atB, int64_t together, ArrayRef<Value> pixels,
                 int64_t across, Tiles sums);
  Value getResult(const TileResults &results);
  void fillSums(const TileResults &results);
  Value finish(const TileResults &results, Value into);
  Value forRows(
      ValueRange into,
      function_ref<ValueRange(Value, Value, Value, Value, ValueRange)> body);
  TileCase makeRow(const TileResults &results, Value outer, Value row);

  MicroKernelAttr spec;
  WindowLoops loops;
  Run image, panel;
  Value firstPixel; ///< of the tile in the image, in elements
  Value channels;
  SmallVector<Value> tapExtents;
  Value rowStep, outerStep; ///< elements of the image between pixels of a tile,
                            ///< and from one row of the result to the next
  Value allResults;         ///< of the micro-kernel, in memory
  Value rows, outers;       ///< pixels of a row of the result, and rows
  Value tilesOfRow, tiles;  ///< of a row, or of all as one; of all
  Value virtualRow;         ///< pixels of tiles from one row to the next
  // Of the group of tiles that is emitted.
  Value firstTile, firstOuter, firstRow; ///< and where its first pixel is
  Value sums, memory, rowStride;         ///< where its sums go
  Value result;                          ///< from its first pixel on
};
} // namespace

/// The loops of `product`; nullopt where code is made for no such window.
static std::optional<WindowLoops> findLoops(TileProduct &product) {
  WindowLoops loops;
  product.anchor.getReductionDims(loops.taps);
  loops.channel = loops.taps.pop_back_val();
  AffineMap a = product.getMapOfA(), columns = product.getMapOfB(),
            out = product.anchor.getIndexingMapsArray().back();
  int64_t group = product.kernel.getSpec().getGroup();
  int64_t rank = a.getNumResults(), outRank = out.getNumResults();
  if (rank < 2 || outRank < 2 || !isSumOfLoops(a) ||
      columns.getNumResults() != loops.taps.size() + 3 ||
      !isGrouped(columns, loops.channel, group) ||
      a.getResults().back() !=
          getAffineDimExpr(loops.channel, a.getContext()) ||
      llvm::any_of(
          a.getResults().drop_back(),
          [&](AffineExpr expr) { return expr.isFunctionOfDim(loops.channel); }))
    return std::nullopt;
  for (AffineExpr expr : columns.getResults().take_front(loops.taps.size())) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim || !llvm::is_contained(loops.taps, dim.getPosition()))
      return std::nullopt;
  }
  // Results of one column each are rows of pixels, of one loop at most.
  loops.row = out.getDimPosition(outRank - 2);
  auto type = cast<RankedTensorType>(product.kernel.getInits()[0].getType());
  for (int64_t dim = 0; dim < outRank - 2; ++dim) {
    if (type.getDimSize(dim) == 1)
      continue;
    if (loops.outer)
      return std::nullopt;
    loops.outer = out.getDimPosition(dim);
    loops.outerDim = outRank - dim;
  }
  // Channels that are no whole steps go on in the next pixel of the window,
  // which lies beside them in the image and behind them in the panel.
  SmallVector<int64_t> extents = product.anchor.getStaticLoopRanges();
  int64_t known = extents[loops.channel];
  if (ShapedType::isDynamic(known) &&
      product.depth == product.instruction.getK())
    return loops; // a guard sees to it
  loops.merged = known % product.depth != 0;
  if (!loops.merged)
    return loops;
  auto column = cast<AffineDimExpr>(columns.getResult(loops.taps.size() - 1));
  int64_t pixels = extents[column.getPosition()];
  if (ShapedType::isDynamic(known) || ShapedType::isDynamic(pixels) ||
      known % group != 0 || known * pixels % product.depth != 0)
    return std::nullopt;
  for (auto [dim, expr] : llvm::enumerate(a.getResults()))
    if (getCoefficient(expr, column.getPosition(), a.getNumDims()) !=
        (int64_t(dim) == rank - 2))
      return std::nullopt;
  llvm::erase(loops.taps, column.getPosition());
  loops.taps.push_back(column.getPosition());
  return loops;
}

/// Whether what `value` is a slice of has been copied for a task: tiles read
/// past the last pixel of it.
static bool isCopied(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
      value = slice.getSource();
    else if (auto cast = dyn_cast<tensor::CastOp>(op))
      value = cast.getSource();
    else
      break;
  }
  auto pad = value.getDefiningOp<tensor::PadOp>();
  return pad && pad.getNofold();
}

LogicalResult vortex::checkMatrixWindow(TileProduct product) {
  if (!isCopied(product.getA()))
    return product.kernel.emitOpError()
           << "uses '" << product.kernel.getSpec().getOpcode()
           << "' under a window of an image that no level around it copies; "
           << "tiles read past the last pixel, where a copy has room";
  if (findLoops(product))
    return success();
  return product.kernel.emitOpError()
         << "uses '" << product.kernel.getSpec().getOpcode()
         << "' under a window, of which it reads pixels with their channels "
         << "last, for rows of one dimension of the result, and columns in "
         << "groups of " << product.kernel.getSpec().getGroup();
}

MatrixWindow::Run MatrixWindow::getRun(Value memory, AffineMap map) {
  auto type = cast<MemRefType>(memory.getType());
  auto parts = memref::ExtractStridedMetadataOp::create(b, loc, memory);
  Run run{{}, SmallVector<Value>(parts.getStrides()), map};
  Value size =
      mul(run.strides[0], memref::DimOp::create(b, loc, memory, int64_t(0)));
  auto view = MemRefType::get(
      {1, ShapedType::kDynamic}, type.getElementType(),
      StridedLayoutAttr::get(b.getContext(), ShapedType::kDynamic, {1, 1}));
  run.elements = memref::ReinterpretCastOp::create(
      b, loc, view, parts.getBaseBuffer(), OpFoldResult(parts.getOffset()),
      ArrayRef<OpFoldResult>{b.getIndexAttr(1), size},
      ArrayRef<OpFoldResult>{b.getIndexAttr(1), b.getIndexAttr(1)});
  return run;
}

/// Elements that `loop` goes on by.
Value MatrixWindow::getStep(const Run &run, unsigned loop) {
  Value step = constant(0);
  for (auto [dim, expr] : llvm::enumerate(run.map.getResults()))
    if (int64_t by = getCoefficient(expr, loop, run.map.getNumDims()))
      step = add(step, mul(run.strides[dim], constant(by)));
  return step;
}

/// How rows of pixels are cut into tiles.
void MatrixWindow::findTiles(const TileResults &results) {
  Value height = constant(this->height);
  auto count = [&](Value pixels) {
    return arith::CeilDivUIOp::create(b, loc, pixels, height).getResult();
  };
  rows = results.rows;
  // Of no channels there are no elements.
  rowStep = most(getStep(image, loops.row), constant(1));
  tilesOfRow = tiles = count(rows);
  outers = constant(1);
  outerStep = constant(0);
  virtualRow = mul(tilesOfRow, height);
  if (!loops.outer)
    return;
  outerStep = getStep(image, *loops.outer);
  auto type = cast<RankedTensorType>(kernel.getInits()[0].getType());
  outers = tensor::DimOp::create(b, loc, kernel.getInits()[0],
                                 type.getRank() - loops.outerDim);
  tiles = mul(tilesOfRow, outers);
  // As one, where a row is whole steps.
  Value apart = div(outerStep, rowStep);
  Value whole = arith::AndIOp::create(
      b, loc, compare(arith::CmpIPredicate::eq, outerStep, mul(apart, rowStep)),
      compare(arith::CmpIPredicate::uge, apart, rows));
  Value pixels =
      add(mul(most(sub(outers, constant(1)), constant(0)), apart), rows);
  Value together = count(pixels);
  Value fewer = arith::AndIOp::create(
      b, loc, whole, compare(arith::CmpIPredicate::ult, together, tiles));
  tiles = select(fewer, together, tiles);
  tilesOfRow = select(fewer, together, tilesOfRow);
  virtualRow = select(fewer, apart, virtualRow);
}

/// Where the pixels of tile `tile` begin in the image.
Value MatrixWindow::findPixels(Value tile) {
  Value outer = div(tile, tilesOfRow);
  Value inside = sub(tile, mul(outer, tilesOfRow));
  return add(add(firstPixel, mul(outer, outerStep)),
             mul(mul(inside, constant(height)), rowStep));
}

/// The products of `together` steps added to `sums`, tiles row by row, all
/// loads before the products: each tile has a register of its own, and none
/// waits for a product that still reads what was in it.
MatrixWindow::Tiles MatrixWindow::addSteps(Value atA, Value atB,
                                           int64_t together,
                                           ArrayRef<Value> pixels,
                                           int64_t across, Tiles sums) {
  int64_t n = instruction.getN(), group = spec.getGroup(),
          width = spec.getVectors() * n * group, deep = depth / group;
  auto typeA = amx::TileType::get({height, depth}, elementA),
       typeB = amx::TileType::get({deep, n * group}, elementB);
  SmallVector<Tiles> tilesOfA(together), tilesOfB(together);
  for (int64_t step = 0; step < together; ++step) {
    for (Value first : pixels)
      tilesOfA[step].push_back(amx::TileLoadOp::create(
          b, loc, typeA, image.elements,
          ValueRange{constant(0), add(add(first, atA), constant(step * depth))},
          rowStep));
    for (int64_t j = 0; j < across; ++j)
      tilesOfB[step].push_back(amx::TileLoadOp::create(
          b, loc, typeB, panel.elements,
          ValueRange{constant(0),
                     add(atB, constant(step * deep * width + j * n * group))},
          constant(width)));
  }
  for (auto [rowsOfStep, columns] : llvm::zip_equal(tilesOfA, tilesOfB))
    for (auto [i, tile] : llvm::enumerate(rowsOfStep))
      for (auto [j, column] : llvm::enumerate(columns)) {
        Value &sum = sums[i * across + j];
        sum = multiply(b, tile, column, sum);
      }
  return sums;
}

/// All products of `rowTiles` tiles of pixels by `across` of columns, into the
/// memory of the sums.
void MatrixWindow::addProducts(int64_t rowTiles, int64_t across) {
  int64_t n = instruction.getN(), group = spec.getGroup(),
          width = spec.getVectors() * n * group, deep = depth / group;
  auto type = amx::TileType::get({height, n}, payload.acc);
  auto place = [&](int64_t i) {
    return SmallVector<Value>{constant(i / across * height),
                              constant(i % across * n)};
  };
  SmallVector<Value> pixels;
  for (int64_t i = 0; i < rowTiles; ++i)
    pixels.push_back(findPixels(add(firstTile, constant(i))));
  Tiles tilesOfSums(rowTiles * across);
  for (auto [i, tile] : llvm::enumerate(tilesOfSums))
    tile = startsAtZero() ? amx::TileZeroOp::create(b, loc, type).getResult()
                          : amx::TileLoadOp::create(b, loc, type, memory,
                                                    place(i), rowStride)
                                .getResult();
  auto loop = [&](Value from, Value to, int64_t by, Tiles in,
                  function_ref<Tiles(Value, Tiles)> body) {
    auto forOp = scf::ForOp::create(b, loc, from, to, constant(by), in);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(forOp.getBody());
    scf::YieldOp::create(
        b, loc,
        body(forOp.getInductionVar(), Tiles(forOp.getRegionIterArgs())));
    return Tiles(forOp.getResults());
  };
  // Steps under one pixel of the window, or of one row of it.
  Value elements = channels;
  ArrayRef<unsigned> taps = loops.taps;
  if (loops.merged) {
    elements = mul(channels, tapExtents.back());
    taps = taps.drop_back();
  }
  Value steps = div(elements, constant(depth));
  // As many steps at once as there are registers for their tiles: of any, or
  // where shapes differ of those that the largest case has for each operand.
  int64_t high = spec.getRows() / height, wide = spec.getVectors();
  int64_t together =
      std::max<int64_t>(depth == instruction.getK()
                            ? (instruction.getRegisters() - rowTiles * across) /
                                  (rowTiles + across)
                            : std::min(high / rowTiles, wide / across),
                        1);
  Value odd = arith::RemUIOp::create(b, loc, steps, constant(together));
  Value even = sub(steps, odd);
  Value final = constant(
      std::max<int64_t>(rowTiles * height - kRequestedRows * together, 0));
  auto addAll = [&](Value atA, Value atB, Value before, Tiles in) {
    auto addRun = [&](Value from, Value to, int64_t count, Tiles in) {
      return loop(from, to, count, in, [&](Value step, Tiles in) {
        requestRows(
            b, result,
            least(final, mul(add(before, step), constant(kRequestedRows))),
            kRequestedRows * count);
        if (paced)
          amx::TileStoreOp::create(b, loc, sums, {constant(0), constant(0)},
                                   in[0], constant(spec.getVectors() * n));
        return addSteps(add(atA, mul(step, constant(depth))),
                        add(atB, mul(step, constant(deep * width))), count,
                        pixels, across, in);
      });
    };
    in = addRun(constant(0), even, together, in);
    return together > 1 ? addRun(even, steps, 1, in) : in;
  };
  std::function<Tiles(size_t, Value, Value, Value, Tiles)> addTaps =
      [&](size_t at, Value atA, Value atB, Value before, Tiles in) {
        if (at == taps.size())
          return addAll(atA, atB, mul(before, steps), in);
        Value byA = getStep(image, taps[at]), byB = getStep(panel, taps[at]);
        return loop(constant(0), tapExtents[at], 1, in,
                    [&](Value tap, Tiles in) {
                      return addTaps(at + 1, add(atA, mul(tap, byA)),
                                     add(atB, mul(tap, byB)),
                                     add(mul(before, tapExtents[at]), tap), in);
                    });
      };
  tilesOfSums = addTaps(0, constant(0), constant(0), constant(0), tilesOfSums);
  for (auto [i, tile] : llvm::enumerate(tilesOfSums))
    amx::TileStoreOp::create(b, loc, memory, place(i), tile, rowStride);
}

/// The pixels of the result from the group's first on, in memory: rows that go
/// on in the next row where that follows.
Value MatrixWindow::getResult(const TileResults &results) {
  auto type = cast<MemRefType>(allResults.getType());
  auto parts = memref::ExtractStridedMetadataOp::create(b, loc, allResults);
  auto view = MemRefType::get(
      {ShapedType::kDynamic, ShapedType::kDynamic}, type.getElementType(),
      StridedLayoutAttr::get(b.getContext(), ShapedType::kDynamic,
                             {ShapedType::kDynamic, 1}));
  Value stride = parts.getStrides()[type.getRank() - 2];
  Value offset = add(parts.getOffset(), mul(firstRow, stride));
  if (loops.outer)
    offset =
        add(offset, mul(firstOuter,
                        parts.getStrides()[type.getRank() - loops.outerDim]));
  return memref::ReinterpretCastOp::create(
      b, loc, view, parts.getBaseBuffer(), OpFoldResult(offset),
      ArrayRef<OpFoldResult>{constant(spec.getRows()), results.columns},
      ArrayRef<OpFoldResult>{stride, b.getIndexAttr(1)});
}

TileCase MatrixWindow::makeRow(const TileResults &results, Value outer,
                               Value row) {
  TileCase one(b, kernel, /*rows=*/1, spec.getVectors(), results.rowDim,
               results.columns, results.masks, results.started);
  one.firstRow = row;
  one.outerRow = outer;
  one.outerDim = loops.outerDim;
  return one;
}

/// Runs `body` for each row of the result that the group has pixels of, with
/// which row that is, its first and the end of its pixels, and what to add to
/// their numbers for the rows of the sums.
Value MatrixWindow::forRows(
    ValueRange into,
    function_ref<ValueRange(Value, Value, Value, Value, ValueRange)> body) {
  Value first = mul(firstTile, constant(height));
  Value end =
      least(add(first, constant(spec.getRows())), mul(tiles, constant(height)));
  Value last =
      least(div(add(end, sub(virtualRow, constant(1))), virtualRow), outers);
  auto loop = scf::ForOp::create(b, loc, firstOuter, last, constant(1), into);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value outer = loop.getInductionVar();
  Value shift = sub(mul(outer, virtualRow), first);
  Value from = most(sub(constant(0), shift), constant(0));
  Value to = least(sub(end, mul(outer, virtualRow)), rows);
  ValueRange out = body(outer, from, to, shift, loop.getRegionIterArgs());
  if (!into.empty())
    scf::YieldOp::create(b, loc, out);
  return into.empty() ? Value() : loop.getResult(0);
}

/// What the sums start from.
void MatrixWindow::fillSums(const TileResults &results) {
  auto producer = anchor.getDpsInits()[0].getDefiningOp<linalg::LinalgOp>();
  forRows({}, [&](Value outer, Value from, Value to, Value shift, ValueRange) {
    auto loop = scf::ForOp::create(b, loc, from, to, constant(1));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value at = loop.getInductionVar();
    TileCase row = makeRow(results, outer, at);
    TileValue values = producer ? row.emit(producer) : row.readInit(anchor);
    for (int64_t v = 0; v < spec.getVectors(); ++v)
      vector::StoreOp::create(b, loc, values[0][v], sums,
                              ValueRange{add(at, shift), constant(v * lanes)});
    return ValueRange();
  });
}

/// A row of pixels of `into`, and `into` with it made by `body`.
static Value updateRow(OpBuilder &b, Location loc, Value into, Value outer,
                       int64_t outerDim, function_ref<Value(Value)> body) {
  if (!outerDim)
    return body(into);
  auto type = cast<RankedTensorType>(into.getType());
  int64_t rank = type.getRank(), dim = rank - outerDim;
  SmallVector<OpFoldResult> offsets(rank, b.getIndexAttr(0)),
      strides(rank, b.getIndexAttr(1)),
      sizes = tensor::getMixedSizes(b, loc, into);
  offsets[dim] = outer;
  sizes[dim] = b.getIndexAttr(1);
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = 1;
  Value row = tensor::ExtractSliceOp::create(
      b, loc, RankedTensorType::get(shape, type.getElementType()), into,
      offsets, sizes, strides);
  return tensor::InsertSliceOp::create(b, loc, body(row), into, offsets, sizes,
                                       strides);
}

/// What the payload makes of the sums of the group, in `into`.
Value MatrixWindow::finish(const TileResults &results, Value into) {
  return forRows(into, [&](Value outer, Value from, Value to, Value shift,
                           ValueRange in) {
    Value out = updateRow(b, loc, in[0], outer, loops.outerDim, [&](Value row) {
      return finishRows(b, kernel, results, anchor, sums,
                        RowRange{row, from, to, shift, outer, loops.outerDim});
    });
    return ValueRange(out.getDefiningOp()->getResults());
  });
}

/// The group of tiles from `tile` on.
Value MatrixWindow::emitGroup(const TileResults &results, Value tile,
                              Value into) {
  int64_t width = spec.getVectors() * lanes;
  firstTile = tile;
  Value pixel = mul(tile, constant(height));
  firstOuter = div(pixel, virtualRow);
  firstRow = sub(pixel, mul(firstOuter, virtualRow));
  result = getResult(results);
  // Of whole tiles that are all in one row of the result, sums that are the
  // result are stored there, else they go through memory of their own.
  Value whole;
  memory = sums;
  rowStride = constant(width);
  if (yieldsSums(results,
                 cast<MemRefType>(result.getType()).getElementType())) {
    whole = arith::AndIOp::create(
        b, loc,
        compare(arith::CmpIPredicate::ule,
                add(firstRow, constant(spec.getRows())), rows),
        compare(arith::CmpIPredicate::eq, results.columns, constant(width)));
    memory = select(whole, result,
                    memref::CastOp::create(b, loc, result.getType(), sums));
    rowStride = select(whole,
                       memref::ExtractStridedMetadataOp::create(b, loc, result)
                           .getStrides()[0],
                       rowStride);
  }
  auto elsewhere = [&](TypeRange types, function_ref<Value()> then,
                       function_ref<Value()> otherwise) {
    return emitUnless(b, loc, whole, types, then, otherwise);
  };
  if (!startsAtZero())
    elsewhere(TypeRange(), [&] { return fillSums(results), Value(); }, nullptr);
  // A case for each number of tiles of pixels and of columns.
  int64_t high = spec.getRows() / height, wide = spec.getVectors();
  Value needed = least(sub(tiles, tile), constant(high));
  Value columns = arith::CeilDivUIOp::create(b, loc, results.columns,
                                             constant(instruction.getN()));
  Value number = add(mul(sub(needed, constant(1)), constant(wide)), columns);
  SmallVector<int64_t> cases;
  for (int64_t i = 1; i < high * wide; ++i)
    cases.push_back(i);
  auto chooser = scf::IndexSwitchOp::create(b, loc, TypeRange(), number, cases,
                                            cases.size());
  for (int64_t i = 1; i <= high * wide; ++i) {
    OpBuilder::InsertionGuard guard(b);
    b.createBlock(i < high * wide ? &chooser.getCaseRegions()[i - 1]
                                  : &chooser.getDefaultRegion());
    addProducts((i - 1) / wide + 1, (i - 1) % wide + 1);
    scf::YieldOp::create(b, loc);
  }
  // The first pixel once more, as a tensor: that the result is written has to
  // show where sizes are known and nothing else does so.
  auto rewrite = [&] {
    return updateRow(
        b, loc, into, firstOuter, loops.outerDim, [&](Value slice) {
          TileCase row = makeRow(results, firstOuter, firstRow);
          TileValue values = row.makeTile([&](int64_t, int64_t v) {
            return vector::LoadOp::create(
                       b, loc, row.vectorOf(payload.acc), result,
                       ValueRange{constant(0), constant(v * lanes)})
                .getResult();
          });
          return writeTile(row, values, slice);
        });
  };
  return elsewhere(
      into.getType(), [&] { return finish(results, into); }, rewrite);
}

Value MatrixWindow::emit(const TileResults &results) {
  TileCase shapes = makeRow(results, Value(), Value());
  channels = shapes.getExtent(anchor, loops.channel);
  for (unsigned tap : loops.taps)
    tapExtents.push_back(shapes.getExtent(anchor, tap));
  // In front of all that writes it.
  allResults = readAsMemory(b, loc, kernel.getInits()[0], /*fixed=*/0);
  image = getRun(readAsMemory(b, loc, getA(), /*fixed=*/1), getMapOfA());
  panel = getRun(readAsMemory(b, loc, getWholePanel(b, loc, getB()),
                              /*fixed=*/1),
                 getMapOfB());
  sums = allocateInTask(b, kernel, {spec.getRows(), spec.getVectors() * lanes},
                        payload.acc);
  findTiles(results);
  firstPixel = constant(0);
  for (auto [dim, expr] : llvm::enumerate(image.map.getResults())) {
    SmallVector<Value> none(image.map.getNumDims(), constant(0));
    firstPixel = add(firstPixel, mul(image.strides[dim], evaluate(expr, none)));
  }
  auto loop = scf::ForOp::create(b, loc, constant(0), tiles,
                                 constant(spec.getRows() / height),
                                 ValueRange{kernel.getInits()[0]});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  scf::YieldOp::create(
      b, loc,
      emitGroup(results, loop.getInductionVar(), loop.getRegionIterArg(0)));
  return loop.getResult(0);
}

Value vortex::emitMatrixWindow(OpBuilder &b, TileProduct product,
                               const TileResults &results) {
  return MatrixWindow(b, product, *findLoops(product)).emit(results);
}
