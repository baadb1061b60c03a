//===- EmitMatrixTile.cpp - Sums in matrix tiles --------------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The products of a micro-kernel in tiles of an instruction of kind `tile`.
// Every tile is a whole one, so that one configuration serves the function and
// LLVM hoists it out of all loops. A has been laid out with zeros behind its
// last row and step, or is read in place: then the last tile of a group of rows
// starts as many rows earlier as it lacks, and computes those once more. Steps
// that the last tile of B (and of A in place) lacks are copied with zeros
// behind them. Sums go through memory, where the rest of the payload takes them
// row by row. Where they are the result, whole tiles are stored there at once.
// Pixels under a window have an emitter of their own (EmitMatrixWindow.cpp).
//
//===----------------------------------------------------------------------===//

#include "PayloadClass.h"
#include "TileProduct.h"

#include "vortex/HwDesc/Targets.h"

#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace vortex;

namespace {
class MatrixTile : TileEmitter, TileProduct {
public:
  MatrixTile(OpBuilder &b, TileProduct product)
      : TileEmitter(b, product.kernel.getLoc(),
                    product.kernel.getSpec().getLanes()),
        TileProduct(product), spec(product.kernel.getSpec()),
        inPlace(isInPlace(product)) {}
  /// Whether rows of A are read as they are; else they are laid out.
  static bool isInPlace(TileProduct &product);
  static LogicalResult check(TileProduct product);
  Value emit(const TileResults &results);

private:
  using Tiles = SmallVector<Value>;
  std::pair<Value, Value> getAllRows(Value tensor, int64_t rowDim);
  void fillSums(const TileResults &results);
  void addProducts(int64_t rowTiles, Value rows, bool fromZero);
  Value getResult(const TileResults &results);
  Value chooseMemory(const TileResults &results);
  SmallVector<Value> atRow(Value row, Value column);
  Value loadRows(Value step, int64_t tile, bool last);
  Tiles addSteps(ValueRange tileSteps, Tiles in, int64_t rowTiles, bool last);
  void copyLastSteps(Value step, int64_t rowTiles);
  Value copyRun(Value from, ValueRange at, Value there, int64_t run,
                Type element);
  TileCase makeRow(const TileResults &results, Value row);
  Value rowsOfSums();
  Value getWholeGroup(Value a);
  Value getGroup(Value operand);

  MicroKernelAttr spec;
  bool inPlace;          ///< A is rows as they are
  Value steps;           ///< of the reduction
  Value rowsOfA;         ///< [tiles of steps][rows][steps of a tile]; of A in
                         ///< place: all its rows
  Value firstRow;        ///< of A in place: of this group of rows
  Value group, panelOfB; ///< which of the groups and of the panels this is
  Value panel;           ///< of B as a tensor: [groups][width x group]
  Value columnsOfB;      ///< the same in memory
  Value result;          ///< in memory: rows and columns
  /// Memory of all sums, behind that of rows computed once more, and of the
  /// last steps of B and of A in place.
  Value sums, ending, endingOfA;
  /// Where tiles of sums are loaded from and stored, in `sums` or in the result
  /// itself: rows there in front of the group's own, and elements from one row
  /// to the next.
  Value memory, rowsBefore, rowStride;
  /// Of each tile of sums, its first row counted from that of the group.
  SmallVector<Value> tileRows;
};
} // namespace

std::pair<HwAttr, HwInstructionAttr>
vortex::findMatrixInstruction(Operation *op, StringRef opcode) {
  for (HwAttr target : getTargets(op))
    for (HwInstructionAttr instruction : target.getInstructions())
      if (instruction.getKind() == "tile" && instruction.getName() == opcode)
        return {target, instruction};
  return {};
}

FailureOr<TileProduct> TileProduct::create(MicroKernelOp kernel) {
  TileProduct result;
  result.kernel = kernel;
  MicroKernelAttr spec = kernel.getSpec();
  for (auto op : kernel.getBody().front().getOps<linalg::LinalgOp>())
    if (op->hasAttr(kAnchorAttr))
      result.anchor = op;
  StringRef name = spec.getOpcode();
  std::optional<DotPayload> payload;
  if (result.anchor)
    payload = matchDotPayload(result.anchor);
  if (!payload)
    return kernel.emitOpError()
           << "uses '" << name << "', but does not add products of widened "
           << "elements";
  auto [target, instruction] = findMatrixInstruction(kernel, name);
  if (!instruction)
    return kernel.emitOpError()
           << "uses '" << name << "', which no target around it has";
  if (instruction.getA() != payload->a || instruction.getB() != payload->b ||
      instruction.getAcc() != payload->acc)
    return kernel.emitOpError()
           << "uses '" << name << "' for " << payload->a << " x " << payload->b
           << " -> " << payload->acc << "; it has " << instruction.getA()
           << " x " << instruction.getB() << " -> " << instruction.getAcc();
  // Few rows are a tile of as many, few steps under a window, too.
  result.height = std::min(instruction.getM(), spec.getRows());
  result.depth = spec.getUnroll() * spec.getGroup();
  if (spec.getRows() % result.height != 0 ||
      spec.getLanes() != instruction.getN() ||
      result.depth > instruction.getK() ||
      (result.depth < instruction.getK() && !result.isWindow()))
    return kernel.emitOpError()
           << "uses '" << name << "' in a shape that it does not have";
  result.payload = *payload;
  result.instruction = instruction;
  result.lineBytes = target.getLineBytes();
  result.paced = target.getFeatures().contains("amx-fp16");
  result.elementA = getElementTypeOrSelf(
      result.anchor->getOperand(payload->inputA).getType());
  result.elementB = getElementTypeOrSelf(
      result.anchor->getOperand(payload->inputB).getType());
  return result;
}

bool TileProduct::startsAtZero() {
  auto fill = anchor.getDpsInits()[0].getDefiningOp<linalg::FillOp>();
  return fill && (matchPattern(fill.getInputs()[0], m_Zero()) ||
                  matchPattern(fill.getInputs()[0], m_PosZeroFloat()));
}

bool TileProduct::yieldsSums(const TileResults &results, Type element) {
  return results.root == anchor && element == payload.acc &&
         (startsAtZero() || isa<BlockArgument>(anchor.getDpsInits()[0]));
}

Value TileProduct::multiply(OpBuilder &b, Value rows, Value columns,
                            Value sum) {
  Location loc = kernel.getLoc();
  if (isa<FloatType>(payload.acc))
    return amx::TileMulFOp::create(b, loc, sum.getType(), rows, columns, sum);
  return amx::TileMulIOp::create(b, loc, sum.getType(), rows, columns, sum,
                                 payload.a.isUnsignedInteger(),
                                 payload.b.isUnsignedInteger());
}

void TileProduct::requestRows(OpBuilder &b, Value memory, Value first,
                              int64_t count) {
  Location loc = kernel.getLoc();
  MicroKernelAttr spec = kernel.getSpec();
  int64_t bytes =
      cast<MemRefType>(memory.getType()).getElementTypeBitWidth() / 8;
  int64_t line = std::max<int64_t>(lineBytes / bytes, 1);
  auto constant = [&](int64_t v) {
    return arith::ConstantIndexOp::create(b, loc, v);
  };
  for (int64_t r = 0; r < count; ++r) {
    Value row = arith::AddIOp::create(b, loc, first, constant(r));
    for (int64_t at = 0; at < spec.getVectors() * spec.getLanes(); at += line)
      memref::PrefetchOp::create(b, loc, memory, ValueRange{row, constant(at)},
                                 /*isWrite=*/true, /*localityHint=*/3,
                                 /*isDataCache=*/true);
  }
}

bool MatrixTile::isInPlace(TileProduct &product) {
  SmallVector<unsigned> reductions;
  product.anchor.getReductionDims(reductions);
  AffineMap a = product.getMapOfA();
  // In front of rows in place may be a batch, of which a tile has one.
  return a.getNumResults() >= 2 &&
         a.getResults().back() ==
             getAffineDimExpr(reductions.back(), a.getContext());
}

LogicalResult MatrixTile::check(TileProduct product) {
  SmallVector<unsigned> reductions;
  product.anchor.getReductionDims(reductions);
  MicroKernelOp kernel = product.kernel;
  unsigned k = reductions.back();
  AffineMap a = product.getMapOfA(), columns = product.getMapOfB();
  int64_t depth = product.instruction.getK(),
          group = kernel.getSpec().getGroup();
  bool grouped = a.getNumResults() == 3 && isGrouped(a, k, depth);
  if ((isInPlace(product) || grouped) && columns.getNumResults() == 3 &&
      isGrouped(columns, k, group))
    return success();
  return kernel.emitOpError()
         << "uses '" << kernel.getSpec().getOpcode()
         << "', which reads one reduction: A in rows or in groups of " << depth
         << " steps and B of " << group << ", or pixels under a window";
}

/// `tensor`, of which nothing is written any more, as memory; its last `fixed`
/// dimensions are known to lie without gaps.
Value vortex::readAsMemory(OpBuilder &b, Location loc, Value tensor,
                           int64_t fixed) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> strides(type.getRank(), ShapedType::kDynamic);
  int64_t stride = 1;
  for (int64_t i = 0; i < fixed; ++i) {
    strides[type.getRank() - 1 - i] = stride;
    stride *= type.getDimSize(type.getRank() - 1 - i);
  }
  auto layout =
      StridedLayoutAttr::get(b.getContext(), ShapedType::kDynamic, strides);
  return bufferization::ToBufferOp::create(
      b, loc, MemRefType::get(type.getShape(), type.getElementType(), layout),
      tensor, /*read_only=*/true);
}

Value vortex::emitUnless(OpBuilder &b, Location loc, Value flag,
                         TypeRange types, function_ref<Value()> then,
                         function_ref<Value()> otherwise) {
  if (!flag)
    return then();
  auto branch = scf::IfOp::create(b, loc, types, flag, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  if (otherwise)
    scf::YieldOp::create(b, loc, otherwise());
  b.setInsertionPointToStart(branch.elseBlock());
  Value value = then();
  if (otherwise)
    scf::YieldOp::create(b, loc, value);
  return otherwise ? branch.getResult(0) : Value();
}

/// One row of the results, which the vector emitter knows how to make.
TileCase MatrixTile::makeRow(const TileResults &results, Value row) {
  TileCase one(b, kernel, /*rows=*/1, spec.getVectors(), results.rowDim,
               results.columns, results.masks, results.started);
  one.firstRow = row;
  return one;
}

/// What the sums start from. Tiles of rows that there are not keep what was in
/// memory before, which nothing reads.
void MatrixTile::fillSums(const TileResults &results) {
  auto loop =
      scf::ForOp::create(b, loc, constant(0), results.rows, constant(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  TileCase row = makeRow(results, loop.getInductionVar());
  auto producer = anchor.getDpsInits()[0].getDefiningOp<linalg::LinalgOp>();
  TileValue values = producer ? row.emit(producer) : row.readInit(anchor);
  for (int64_t v = 0; v < spec.getVectors(); ++v)
    vector::StoreOp::create(
        b, loc, values[0][v], rowsOfSums(),
        ValueRange{loop.getInductionVar(), constant(v * lanes)});
}

/// The sums of the rows of the group.
Value MatrixTile::rowsOfSums() {
  if (!inPlace)
    return sums;
  auto type = cast<MemRefType>(sums.getType());
  SmallVector<int64_t> offsets = {height, 0},
                       sizes = {spec.getRows(), type.getDimSize(1)},
                       strides = {1, 1};
  return memref::SubViewOp::create(b, loc, sums, offsets, sizes, strides);
}

/// `tensor` with all rows of what it is a slice of, and where its own start.
std::pair<Value, Value> MatrixTile::getAllRows(Value tensor, int64_t rowDim) {
  while (auto cast = tensor.getDefiningOp<tensor::CastOp>())
    tensor = cast.getSource();
  auto slice = tensor.getDefiningOp<tensor::ExtractSliceOp>();
  if (!slice)
    return {tensor, constant(0)};
  // Where the dimension is in the source, some of which the slice drops.
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  int64_t from = 0;
  for (int64_t kept = 0;; ++from)
    if (!dropped.test(from) && kept++ == rowDim)
      break;
  assert(getConstantIntValue(slice.getMixedStrides()[from]) == 1 &&
         "tiles of rows lie side by side");
  auto [source, before] = getAllRows(slice.getSource(), from);
  SmallVector<OpFoldResult> offsets = slice.getMixedOffsets(),
                            sizes = slice.getMixedSizes();
  Value own = getValueOrCreateConstantIndexOp(b, loc, offsets[from]);
  offsets[from] = b.getIndexAttr(0);
  sizes[from] = tensor::getMixedSize(b, loc, source, from);
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[rowDim] =
      getConstantIntValue(sizes[from]).value_or(ShapedType::kDynamic);
  Value all = tensor::ExtractSliceOp::create(
      b, loc, RankedTensorType::get(shape, type.getElementType()), source,
      offsets, sizes, slice.getMixedStrides());
  return {all, arith::AddIOp::create(b, loc, before, own)};
}

/// Where element `column` of a row of A in place is.
SmallVector<Value> MatrixTile::atRow(Value row, Value column) {
  SmallVector<Value> at(cast<MemRefType>(rowsOfA.getType()).getRank(),
                        constant(0));
  at[at.size() - 2] = row;
  at.back() = column;
  return at;
}

/// Tile `tile` of A, or of its last steps.
Value MatrixTile::loadRows(Value step, int64_t tile, bool last) {
  int64_t m = height, k = instruction.getK();
  auto type = amx::TileType::get({m, k}, elementA);
  if (!inPlace)
    return amx::TileLoadOp::create(
        b, loc, type, rowsOfA,
        ValueRange{step, constant(tile * m), constant(0)}, constant(k));
  if (last)
    return amx::TileLoadOp::create(b, loc, type, endingOfA,
                                   ValueRange{constant(tile * m), constant(0)},
                                   constant(k));
  return amx::TileLoadOp::create(
      b, loc, type, rowsOfA,
      atRow(arith::AddIOp::create(b, loc, firstRow, tileRows[tile]),
            arith::MulIOp::create(b, loc, step, constant(k))));
}

/// The products of tiles of steps added to `in`, tiles of sums row by row.
/// Where they are not the `last` steps, copied apart, those of B are found by
/// their number.
MatrixTile::Tiles MatrixTile::addSteps(ValueRange tileSteps, Tiles in,
                                       int64_t rowTiles, bool last) {
  int64_t n = instruction.getN(), k = instruction.getK(),
          group = spec.getGroup(), across = spec.getVectors();
  // All loads before the products: each has a register of its own, and none
  // waits for a product that still reads what was in it.
  SmallVector<Tiles> tilesOfA, tilesOfB;
  for (Value step : tileSteps) {
    Tiles &rows = tilesOfA.emplace_back(), &columns = tilesOfB.emplace_back();
    for (int64_t i = 0; i < rowTiles; ++i)
      rows.push_back(loadRows(step, i, last));
    Value row =
        last ? constant(0)
             : arith::MulIOp::create(b, loc, step, constant(spec.getUnroll()))
                   .getResult();
    SmallVector<Value> at = {row, Value()};
    for (int64_t j = 0; j < across; ++j) {
      at.back() = constant(j * n * group);
      columns.push_back(amx::TileLoadOp::create(
          b, loc, amx::TileType::get({k / group, n * group}, elementB),
          last ? ending : columnsOfB, at, constant(across * n * group)));
    }
  }
  for (auto [rows, columns] : llvm::zip_equal(tilesOfA, tilesOfB))
    for (int64_t i = 0; i < rowTiles; ++i)
      for (int64_t j = 0; j < across; ++j) {
        Value &sum = in[i * across + j];
        sum = multiply(b, rows[i], columns[j], sum);
      }
  return in;
}

/// `run` elements of a row at `at` as far as `there` says, zeros behind them.
Value MatrixTile::copyRun(Value from, ValueRange at, Value there, int64_t run,
                          Type element) {
  auto type = VectorType::get({run}, element);
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(element));
  return vector::TransferReadOp::create(
      b, loc, type, from, at,
      AffineMapAttr::get(
          AffineMap::getMinorIdentityMap(at.size(), 1, b.getContext())),
      zero, there, b.getBoolArrayAttr({true}));
}

/// The steps of B from tile `step` on, fewer than one holds, and of A where it
/// is in place. Row by row under a mask: a call that clears memory would cost
/// the tiles their configuration.
void MatrixTile::copyLastSteps(Value step, int64_t rowTiles) {
  int64_t rows = spec.getUnroll(), run = spec.getGroup() * lanes;
  Value first = arith::MulIOp::create(b, loc, step, constant(rows));
  Value groups =
      arith::CeilDivUIOp::create(b, loc, steps, constant(spec.getGroup()));
  auto forEach = [&](int64_t count, function_ref<void(Value)> body) {
    auto loop =
        scf::ForOp::create(b, loc, constant(0), constant(count), constant(1));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    body(loop.getInductionVar());
  };
  forEach(rows, [&](Value row) {
    Value from = arith::AddIOp::create(b, loc, first, row);
    Value there =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, from, groups);
    Value mask = vector::BroadcastOp::create(
        b, loc, VectorType::get({run}, b.getI1Type()), there);
    // A row that is not there is masked off where there is one.
    from = arith::SelectOp::create(b, loc, there, from, first);
    for (int64_t v = 0; v < spec.getVectors(); ++v)
      vector::StoreOp::create(b, loc,
                              copyRun(columnsOfB,
                                      ValueRange{from, constant(v * run)}, mask,
                                      run, elementB),
                              ending, ValueRange{row, constant(v * run)});
  });
  if (!inPlace)
    return;
  int64_t m = height, k = instruction.getK();
  Value done = arith::MulIOp::create(b, loc, step, constant(k));
  Value mask = vector::CreateMaskOp::create(
      b, loc, VectorType::get({k}, b.getI1Type()),
      ValueRange{arith::SubIOp::create(b, loc, steps, done)});
  for (int64_t i = 0; i < rowTiles; ++i) {
    Value start = arith::AddIOp::create(b, loc, firstRow, tileRows[i]);
    forEach(m, [&](Value row) {
      Value from = arith::AddIOp::create(b, loc, start, row);
      Value to = arith::AddIOp::create(b, loc, row, constant(i * m));
      vector::StoreOp::create(
          b, loc, copyRun(rowsOfA, atRow(from, done), mask, k, elementA),
          endingOfA, ValueRange{to, constant(0)});
    });
  }
}

/// All products of `rowTiles` tiles of rows, into the memory of the sums.
void MatrixTile::addProducts(int64_t rowTiles, Value rows, bool fromZero) {
  int64_t m = height, n = instruction.getN(), across = spec.getVectors();
  auto type = amx::TileType::get({m, n}, payload.acc);
  // The last tile of rows in place ends where they do.
  tileRows.clear();
  for (int64_t i = 0; i < rowTiles; ++i)
    tileRows.push_back(
        inPlace && i == rowTiles - 1
            ? arith::SubIOp::create(b, loc, rows, constant(m)).getResult()
            : constant(i * m));
  auto place = [&](int64_t i) {
    Value row = tileRows[i / across];
    if (inPlace)
      row = arith::AddIOp::create(b, loc, row, rowsBefore);
    return SmallVector<Value>{row, constant(i % across * n)};
  };
  Tiles tiles(rowTiles * across);
  for (auto [i, tile] : llvm::enumerate(tiles))
    tile = fromZero ? amx::TileZeroOp::create(b, loc, type).getResult()
                    : amx::TileLoadOp::create(b, loc, type, memory, place(i),
                                              rowStride)
                          .getResult();
  auto loop = [&](Value from, Value to, int64_t by,
                  function_ref<Tiles(Value, Tiles)> body) {
    auto forOp = scf::ForOp::create(b, loc, from, to, constant(by), tiles);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(forOp.getBody());
    scf::YieldOp::create(
        b, loc,
        body(forOp.getInductionVar(), Tiles(forOp.getRegionIterArgs())));
    tiles = Tiles(forOp.getResults());
  };
  Value depth = constant(instruction.getK());
  Value wholes = arith::DivUIOp::create(b, loc, steps, depth);
  Value all = arith::CeilDivUIOp::create(b, loc, steps, depth);
  // Every other group comes back the way that the one before went: L1 has what
  // both read where that ended, half of the panel, or of the rows where there
  // is one group for all panels (measured on a Xeon of model 207, K of 768:
  // 0.92 of the time).
  Value first = constant(0), direction = constant(1);
  if (spec.getTurns()) {
    Value odd = arith::AndIOp::create(
        b, loc, arith::AddIOp::create(b, loc, group, panelOfB), constant(1));
    first = arith::MulIOp::create(
        b, loc, odd, arith::SubIOp::create(b, loc, wholes, constant(1)));
    direction = arith::SubIOp::create(b, loc, direction,
                                      arith::AddIOp::create(b, loc, odd, odd));
  }
  bool few = height < instruction.getM();
  if (few && result)
    requestRows(b, result, constant(0), height);
  auto addWholes = [&](Value from, Value to, int64_t together) {
    int64_t requests = kRequestedRows * together;
    Value final = arith::MaxSIOp::create(
        b, loc, arith::SubIOp::create(b, loc, rows, constant(requests)),
        constant(0));
    loop(from, to, together, [&](Value count, Tiles in) {
      if (!few && result)
        requestRows(
            b, result,
            arith::MinUIOp::create(
                b, loc, final,
                arith::MulIOp::create(b, loc, count, constant(kRequestedRows))),
            requests);
      SmallVector<Value> tileSteps;
      for (int64_t i = 0; i < together; ++i) {
        Value at = arith::AddIOp::create(b, loc, count, constant(i));
        tileSteps.push_back(arith::AddIOp::create(
            b, loc, first, arith::MulIOp::create(b, loc, at, direction)));
      }
      // One sum goes to memory in each step, of no use to the result. A core
      // of Granite Rapids that waits for it does not load tiles far ahead of
      // their products, which is what long reductions lose a quarter of their
      // time by (measured: 1500 to 1960 GFLOP/s at 128 x 768 x 768; on cores
      // before, without AMX-FP16, it takes 1.04 of the time).
      if (paced)
        amx::TileStoreOp::create(b, loc, sums, {constant(0), constant(0)},
                                 in[0], constant(across * n));
      return addSteps(tileSteps, in, rowTiles, /*last=*/false);
    });
  };
  // As many steps at once as there are registers for their tiles.
  int64_t together = std::max<int64_t>(
      (instruction.getRegisters() - rowTiles * across) / (rowTiles + across),
      1);
  Value most = arith::SubIOp::create(
      b, loc, wholes,
      arith::RemUIOp::create(b, loc, wholes, constant(together)));
  addWholes(constant(0), most, together);
  if (together > 1)
    addWholes(most, wholes, 1);
  // Once or never: what is left of the steps.
  loop(wholes, all, 1, [&](Value step, Tiles in) {
    copyLastSteps(step, rowTiles);
    return addSteps(step, in, rowTiles, /*last=*/true);
  });
  for (auto [i, tile] : llvm::enumerate(tiles))
    amx::TileStoreOp::create(b, loc, memory, place(i), tile, rowStride);
}

/// Rows laid out: a group is there to its last, whether there are rows or not.
Value MatrixTile::getWholeGroup(Value a) {
  while (auto cast = a.getDefiningOp<tensor::CastOp>())
    a = cast.getSource();
  auto slice = a.getDefiningOp<tensor::ExtractSliceOp>();
  if (!slice)
    return a;
  SmallVector<OpFoldResult> sizes = slice.getMixedSizes();
  sizes[sizes.size() - 2] = b.getIndexAttr(spec.getRows());
  auto type = cast<RankedTensorType>(a.getType());
  return tensor::ExtractSliceOp::create(
      b, loc,
      RankedTensorType::get(
          {type.getDimSize(0), spec.getRows(), instruction.getK()}, elementA),
      slice.getSource(), slice.getMixedOffsets(), sizes,
      slice.getMixedStrides());
}

/// The rows and columns of the result in memory. Null where it has no rows.
Value MatrixTile::getResult(const TileResults &results) {
  if (results.rowDim == 0)
    return {};
  // Any layout: to ask for one that it may not have would be to ask for a copy.
  Value all = readAsMemory(b, loc, kernel.getInits()[0], /*fixed=*/0);
  auto type = cast<MemRefType>(all.getType());
  auto parts = memref::ExtractStridedMetadataOp::create(b, loc, all);
  auto view = MemRefType::get(
      {ShapedType::kDynamic, ShapedType::kDynamic}, type.getElementType(),
      StridedLayoutAttr::get(b.getContext(), ShapedType::kDynamic,
                             {ShapedType::kDynamic, 1}));
  Value stride = parts.getStrides()[type.getRank() - results.rowDim];
  return memref::ReinterpretCastOp::create(
      b, loc, view, parts.getBaseBuffer(), OpFoldResult(parts.getOffset()),
      ArrayRef<OpFoldResult>{results.rows, results.columns},
      ArrayRef<OpFoldResult>{stride, b.getIndexAttr(1)});
}

/// Decides where the tiles of sums are: of a whole group whose sums are the
/// result, and start from nothing else, there. Returns whether they are; null:
/// never.
Value MatrixTile::chooseMemory(const TileResults &results) {
  int64_t m = height, width = spec.getVectors() * lanes;
  memory = sums;
  rowsBefore = constant(inPlace ? m : 0);
  rowStride = constant(width);
  if (!result ||
      !yieldsSums(results, cast<MemRefType>(result.getType()).getElementType()))
    return {};
  auto equal = [&](Value value, int64_t to) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, value,
                                 constant(to));
  };
  Value whole =
      arith::AndIOp::create(b, loc, equal(results.rows, spec.getRows()),
                            equal(results.columns, width));
  auto parts = memref::ExtractStridedMetadataOp::create(b, loc, result);
  memory = arith::SelectOp::create(
      b, loc, whole, result,
      memref::CastOp::create(b, loc, result.getType(), sums));
  rowsBefore = arith::SelectOp::create(b, loc, whole, constant(0), rowsBefore);
  rowStride =
      arith::SelectOp::create(b, loc, whole, parts.getStrides()[0], rowStride);
  return whole;
}

/// Which group of rows laid out, or which panel, an operand is.
Value MatrixTile::getGroup(Value operand) {
  while (auto cast = operand.getDefiningOp<tensor::CastOp>())
    operand = cast.getSource();
  auto slice = operand.getDefiningOp<tensor::ExtractSliceOp>();
  if (!slice || !slice.getDroppedDims().test(0))
    return constant(0);
  return getValueOrCreateConstantIndexOp(b, loc, slice.getMixedOffsets()[0]);
}

Value MatrixTile::emit(const TileResults &results) {
  SmallVector<unsigned> reductions;
  anchor.getReductionDims(reductions);
  TileCase shapes = makeRow(results, Value());
  steps = shapes.getExtent(anchor, reductions.back());

  Value a = getA();
  int64_t rank = cast<RankedTensorType>(a.getType()).getRank();
  if (inPlace) {
    Value all;
    std::tie(all, firstRow) = getAllRows(a, /*rowDim=*/rank - 2);
    group = arith::DivUIOp::create(b, loc, firstRow, constant(spec.getRows()));
    rowsOfA = readAsMemory(b, loc, all, /*fixed=*/1);
    endingOfA = allocateInTask(b, kernel, {spec.getRows(), instruction.getK()},
                               elementA);
  } else {
    rowsOfA = readAsMemory(b, loc, getWholeGroup(a), /*fixed=*/2);
    group = getGroup(a);
  }
  Value operandB = getB();
  panel = getWholePanel(b, loc, operandB);
  panelOfB = getGroup(operandB);
  columnsOfB = readAsMemory(b, loc, panel, /*fixed=*/1);
  int64_t width = spec.getVectors() * lanes;
  int64_t before = inPlace ? height : 0;
  sums =
      allocateInTask(b, kernel, {before + spec.getRows(), width}, payload.acc);
  ending = allocateInTask(
      b, kernel, {spec.getUnroll(), width * spec.getGroup()}, elementB);

  bool fromZero = startsAtZero();
  result = getResult(results);
  Value whole = chooseMemory(results);
  // Where they do not lie in the result, sums go through memory of their own.
  auto elsewhere = [&](TypeRange types, function_ref<Value()> then,
                       function_ref<Value()> otherwise) {
    return emitUnless(b, loc, whole, types, then, otherwise);
  };
  if (!fromZero)
    elsewhere(TypeRange(), [&] { return fillSums(results), Value(); }, nullptr);
  int64_t most = spec.getRows() / height;
  SmallVector<int64_t> cases;
  for (int64_t i = 1; i < most; ++i)
    cases.push_back(i);
  Value needed =
      arith::CeilDivUIOp::create(b, loc, results.rows, constant(height));
  auto chooser = scf::IndexSwitchOp::create(b, loc, TypeRange(), needed, cases,
                                            cases.size());
  for (int64_t i = 1; i <= most; ++i) {
    OpBuilder::InsertionGuard guard(b);
    b.createBlock(i < most ? &chooser.getCaseRegions()[i - 1]
                           : &chooser.getDefaultRegion());
    addProducts(i, results.rows, fromZero);
    scf::YieldOp::create(b, loc);
  }
  // The first row once more, as a tensor: that the result is written has to
  // show where sizes are known and nothing else does so.
  auto rewriteRow = [&] {
    TileCase row = makeRow(results, constant(0));
    TileValue values = row.makeTile([&](int64_t, int64_t v) {
      return vector::LoadOp::create(
                 b, loc, row.vectorOf(payload.acc), result,
                 ValueRange{constant(0), constant(v * lanes)})
          .getResult();
    });
    return writeTile(row, values, kernel.getInits()[0]);
  };
  return elsewhere(
      kernel.getInits()[0].getType(),
      [&] { return finishRows(b, kernel, results, anchor, rowsOfSums()); },
      rewriteRow);
}

LogicalResult vortex::checkMatrixTile(MicroKernelOp kernel) {
  FailureOr<TileProduct> product = TileProduct::create(kernel);
  if (failed(product))
    return failure();
  return product->isWindow() ? checkMatrixWindow(*product)
                             : MatrixTile::check(*product);
}

Value vortex::emitMatrixTile(OpBuilder &b, MicroKernelOp kernel,
                             const TileResults &results) {
  TileProduct product = *TileProduct::create(kernel); // has been checked
  return product.isWindow() ? emitMatrixWindow(b, product, results)
                            : MatrixTile(b, product).emit(results);
}
