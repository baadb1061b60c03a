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
// LLVM hoists it out of all loops: A has been laid out with zeros behind its
// last row and step, the steps that the last tile of B lacks are copied with
// zeros behind them. Sums go through memory, where the rest of the payload
// takes them row by row.
//
//===----------------------------------------------------------------------===//

#include "TileCase.h"

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
class MatrixTile : TileEmitter {
public:
  static FailureOr<MatrixTile> create(OpBuilder &b, MicroKernelOp kernel);
  Value emit(const TileResults &results);

private:
  MatrixTile(OpBuilder &b, MicroKernelOp kernel)
      : TileEmitter(b, kernel.getLoc(), kernel.getSpec().getLanes()),
        kernel(kernel), spec(kernel.getSpec()) {}

  using Tiles = SmallVector<Value>;
  amx::TileType tileOf(int64_t rows, int64_t columns, Type element);
  Value outside(Value value) { return getOutside(kernel, value); }
  Value toMemory(Value tensor, int64_t fixed);
  bool startsAtZero();
  void fillSums(const TileResults &results);
  void addProducts(int64_t rowTiles, bool fromZero);
  Tiles addStep(Value step, Value columns, Value firstRow, Tiles sums,
                int64_t rowTiles);
  void copyLastSteps(Value step);
  TileCase makeRow(const TileResults &results, Value row);

  MicroKernelOp kernel;
  MicroKernelAttr spec;
  linalg::LinalgOp anchor;
  HwInstructionAttr instruction;
  DotPayload payload;
  Type elementA, elementB;
  Value steps;        ///< of the reduction
  Value rowsOfA;      ///< [tiles of steps][rows][steps of a tile]
  Value panel;        ///< of B as a tensor: [groups][width x group]
  Value columnsOfB;   ///< the same in memory
  Value sums, ending; ///< memory of all sums, and of the last steps of B
};
} // namespace

/// The instruction of that name of a target around `kernel`.
static HwInstructionAttr findInstruction(MicroKernelOp kernel) {
  for (HwAttr target : getTargets(kernel))
    for (HwInstructionAttr instruction : target.getInstructions())
      if (instruction.getKind() == "tile" &&
          instruction.getName() == kernel.getSpec().getOpcode())
        return instruction;
  return {};
}

FailureOr<MatrixTile> MatrixTile::create(OpBuilder &b, MicroKernelOp kernel) {
  MatrixTile result(b, kernel);
  for (auto op : kernel.getBody().front().getOps<linalg::LinalgOp>())
    if (op->hasAttr(kAnchorAttr))
      result.anchor = op;
  StringRef name = result.spec.getOpcode();
  std::optional<DotPayload> payload;
  if (result.anchor)
    payload = matchDotPayload(result.anchor);
  if (!payload)
    return kernel.emitOpError()
           << "uses '" << name << "', but does not add products of widened "
           << "elements";
  HwInstructionAttr instruction = findInstruction(kernel);
  if (!instruction)
    return kernel.emitOpError()
           << "uses '" << name << "', which no target around it has";
  if (instruction.getA() != payload->a || instruction.getB() != payload->b ||
      instruction.getAcc() != payload->acc)
    return kernel.emitOpError()
           << "uses '" << name << "' for " << payload->a << " x " << payload->b
           << " -> " << payload->acc << "; it has " << instruction.getA()
           << " x " << instruction.getB() << " -> " << instruction.getAcc();
  int64_t group = result.spec.getGroup();
  if (result.spec.getRows() % instruction.getM() != 0 ||
      result.spec.getLanes() != instruction.getN() ||
      result.spec.getUnroll() * group != instruction.getK())
    return kernel.emitOpError()
           << "uses '" << name << "' in a shape that it does not have";
  SmallVector<unsigned> reductions;
  result.anchor.getReductionDims(reductions);
  unsigned k = reductions.back();
  SmallVector<AffineMap> maps = result.anchor.getIndexingMapsArray();
  AffineMap a = maps[payload->inputA], columns = maps[payload->inputB];
  if (reductions.size() != 1 || a.getNumResults() != 3 ||
      columns.getNumResults() != 3 || !isGrouped(a, k, instruction.getK()) ||
      !isGrouped(columns, k, group))
    return kernel.emitOpError()
           << "uses '" << name << "', which reads one reduction: A in groups "
           << "of " << instruction.getK() << " steps and B of " << group;
  result.payload = *payload;
  result.instruction = instruction;
  result.elementA = getElementTypeOrSelf(
      result.anchor->getOperand(payload->inputA).getType());
  result.elementB = getElementTypeOrSelf(
      result.anchor->getOperand(payload->inputB).getType());
  return result;
}

amx::TileType MatrixTile::tileOf(int64_t rows, int64_t columns, Type element) {
  return amx::TileType::get({rows, columns}, element);
}

/// `tensor`, of which nothing is written any more, as memory; its last `fixed`
/// dimensions are known to lie without gaps.
Value MatrixTile::toMemory(Value tensor, int64_t fixed) {
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

bool MatrixTile::startsAtZero() {
  auto fill = anchor.getDpsInits()[0].getDefiningOp<linalg::FillOp>();
  return fill && (matchPattern(fill.getInputs()[0], m_Zero()) ||
                  matchPattern(fill.getInputs()[0], m_PosZeroFloat()));
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
        b, loc, values[0][v], sums,
        ValueRange{loop.getInductionVar(), constant(v * lanes)});
}

/// The products of one tile of steps added to `in`, tiles of sums row by row.
/// That of B starts in row `firstRow` of `columns`.
MatrixTile::Tiles MatrixTile::addStep(Value step, Value columns, Value firstRow,
                                      Tiles in, int64_t rowTiles) {
  int64_t m = instruction.getM(), n = instruction.getN(),
          k = instruction.getK(), group = spec.getGroup(),
          across = spec.getVectors();
  Tiles tilesOfB(across);
  for (int64_t i = 0; i < rowTiles; ++i) {
    Value a = amx::TileLoadOp::create(
        b, loc, tileOf(m, k, elementA), rowsOfA,
        ValueRange{step, constant(i * m), constant(0)}, constant(k));
    for (int64_t j = 0; j < across; ++j) {
      if (i == 0)
        tilesOfB[j] = amx::TileLoadOp::create(
            b, loc, tileOf(k / group, n * group, elementB), columns,
            ValueRange{firstRow, constant(j * n * group)},
            constant(across * n * group));
      Value &sum = in[i * across + j];
      if (isa<FloatType>(payload.acc))
        sum =
            amx::TileMulFOp::create(b, loc, sum.getType(), a, tilesOfB[j], sum);
      else
        sum = amx::TileMulIOp::create(b, loc, sum.getType(), a, tilesOfB[j],
                                      sum, payload.a.isUnsignedInteger(),
                                      payload.b.isUnsignedInteger());
    }
  }
  return in;
}

/// The steps of B from tile `step` on, fewer than one holds. Row by row under a
/// mask: a call that clears memory would cost the tiles their configuration.
void MatrixTile::copyLastSteps(Value step) {
  int64_t rows = spec.getUnroll(), run = spec.getGroup() * lanes;
  Value first = arith::MulIOp::create(b, loc, step, constant(rows));
  Value groups =
      arith::CeilDivUIOp::create(b, loc, steps, constant(spec.getGroup()));
  auto type = VectorType::get({run}, elementB);
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(elementB));
  auto loop =
      scf::ForOp::create(b, loc, constant(0), constant(rows), constant(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value row = loop.getInductionVar();
  Value from = arith::AddIOp::create(b, loc, first, row);
  Value there =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, from, groups);
  Value mask = vector::BroadcastOp::create(
      b, loc, VectorType::get({run}, b.getI1Type()), there);
  // A row that is not there is masked off where there is one.
  from = arith::SelectOp::create(b, loc, there, from, first);
  for (int64_t v = 0; v < spec.getVectors(); ++v) {
    Value elements = vector::TransferReadOp::create(
        b, loc, type, columnsOfB, ValueRange{from, constant(v * run)},
        AffineMapAttr::get(
            AffineMap::getMinorIdentityMap(2, 1, b.getContext())),
        zero, mask, b.getBoolArrayAttr({true}));
    vector::StoreOp::create(b, loc, elements, ending,
                            ValueRange{row, constant(v * run)});
  }
}

/// All products of `rowTiles` tiles of rows, into the memory of the sums.
void MatrixTile::addProducts(int64_t rowTiles, bool fromZero) {
  int64_t m = instruction.getM(), n = instruction.getN(),
          across = spec.getVectors();
  amx::TileType type = tileOf(m, n, payload.acc);
  auto place = [&](int64_t i) {
    return SmallVector<Value>{constant(i / across * m),
                              constant(i % across * n)};
  };
  Value rowStride = constant(across * n);
  Tiles tiles(rowTiles * across);
  for (auto [i, tile] : llvm::enumerate(tiles))
    tile = fromZero ? amx::TileZeroOp::create(b, loc, type).getResult()
                    : amx::TileLoadOp::create(b, loc, type, sums, place(i),
                                              rowStride)
                          .getResult();
  auto loop = [&](Value from, Value to,
                  function_ref<Tiles(Value, Tiles)> body) {
    auto forOp = scf::ForOp::create(b, loc, from, to, constant(1), tiles);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(forOp.getBody());
    scf::YieldOp::create(
        b, loc,
        body(forOp.getInductionVar(), Tiles(forOp.getRegionIterArgs())));
    tiles = Tiles(forOp.getResults());
  };
  Value depth = constant(instruction.getK());
  Value whole = arith::DivUIOp::create(b, loc, steps, depth);
  Value all = arith::CeilDivUIOp::create(b, loc, steps, depth);
  loop(constant(0), whole, [&](Value step, Tiles in) {
    Value row = arith::MulIOp::create(b, loc, step, constant(spec.getUnroll()));
    return addStep(step, columnsOfB, row, in, rowTiles);
  });
  // Once or never: what is left of the steps.
  loop(whole, all, [&](Value step, Tiles in) {
    copyLastSteps(step);
    return addStep(step, ending, constant(0), in, rowTiles);
  });
  for (auto [i, tile] : llvm::enumerate(tiles))
    amx::TileStoreOp::create(b, loc, sums, place(i), tile, rowStride);
}

Value MatrixTile::emit(const TileResults &results) {
  SmallVector<unsigned> reductions;
  anchor.getReductionDims(reductions);
  TileCase shapes = makeRow(results, Value());
  steps = shapes.getExtent(anchor, reductions.back());

  // A group of rows is there to its last, whether there are rows or not.
  Value a = outside(anchor->getOperand(payload.inputA));
  while (auto cast = a.getDefiningOp<tensor::CastOp>())
    a = cast.getSource();
  if (auto slice = a.getDefiningOp<tensor::ExtractSliceOp>()) {
    SmallVector<OpFoldResult> sizes = slice.getMixedSizes();
    sizes[sizes.size() - 2] = b.getIndexAttr(spec.getRows());
    auto type = cast<RankedTensorType>(a.getType());
    a = tensor::ExtractSliceOp::create(
        b, loc,
        RankedTensorType::get(
            {type.getDimSize(0), spec.getRows(), instruction.getK()}, elementA),
        slice.getSource(), slice.getMixedOffsets(), sizes,
        slice.getMixedStrides());
  }
  rowsOfA = toMemory(a, /*fixed=*/2);
  panel = getWholePanel(b, loc, outside(anchor->getOperand(payload.inputB)));
  columnsOfB = toMemory(panel, /*fixed=*/1);
  int64_t width = spec.getVectors() * lanes;
  sums = allocateInTask(b, kernel, {spec.getRows(), width}, payload.acc);
  ending = allocateInTask(
      b, kernel, {spec.getUnroll(), width * spec.getGroup()}, elementB);

  bool fromZero = startsAtZero();
  if (!fromZero)
    fillSums(results);
  int64_t most = spec.getRows() / instruction.getM();
  SmallVector<int64_t> cases;
  for (int64_t i = 1; i < most; ++i)
    cases.push_back(i);
  Value needed = arith::CeilDivUIOp::create(b, loc, results.rows,
                                            constant(instruction.getM()));
  auto chooser = scf::IndexSwitchOp::create(b, loc, TypeRange(), needed, cases,
                                            cases.size());
  for (int64_t i = 1; i <= most; ++i) {
    OpBuilder::InsertionGuard guard(b);
    b.createBlock(i < most ? &chooser.getCaseRegions()[i - 1]
                           : &chooser.getDefaultRegion());
    addProducts(i, fromZero);
    scf::YieldOp::create(b, loc);
  }
  return finishRows(b, kernel, results, anchor, sums);
}

LogicalResult vortex::checkMatrixTile(OpBuilder &b, MicroKernelOp kernel) {
  return MatrixTile::create(b, kernel);
}

Value vortex::emitMatrixTile(OpBuilder &b, MicroKernelOp kernel,
                             const TileResults &results) {
  return MatrixTile::create(b, kernel)->emit(results);
}
