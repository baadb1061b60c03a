//===- EmitOuterTile.cpp - Products of few steps, down all rows -----------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A product of few steps is a sum of few outer products. A tile in registers
// does so little for each of its sums that finding the tile takes longer, so
// here the rows of B, no more than steps, are what stays in registers: one loop
// goes down all rows of the result, reads the elements of A in each, multiplies
// and stores. There is code for each exact number of steps and of vectors that
// take half of the registers at most, and for a column alone.
//
//===----------------------------------------------------------------------===//

#include "CarriedLoop.h"
#include "OuterTile.h"
#include "TileCase.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace vortex;

linalg::LinalgOp vortex::findOuterProduct(Block &block) {
  linalg::LinalgOp product;
  for (Operation &op : block.without_terminator()) {
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    if (!linalgOp)
      continue;
    // Functions of many instructions would be code of each case.
    if (llvm::any_of(linalgOp->getRegion(0).front(), [](Operation &inner) {
          return isa<math::MathDialect>(inner.getDialect());
        }))
      return {};
    if (!linalgOp.getNumReductionLoops())
      continue;
    if (product)
      return {};
    product = linalgOp;
  }
  if (!product || product.getNumReductionLoops() != 1 ||
      product.getNumDpsInputs() != 2 || product->getNumResults() != 1)
    return {};
  // Nothing is widened, which would be done again for each row, nor rounded
  // behind each step, as sums of narrow floats are by many instructions.
  Type type = getElementTypeOrSelf(product->getResult(0));
  if (type.getIntOrFloatBitWidth() < 32)
    return {};
  for (Value operand : product->getOperands())
    if (getElementTypeOrSelf(operand) != type)
      return {};
  return llvm::all_of(product.getDpsInputs(),
                      [](Value input) { return isa<BlockArgument>(input); })
             ? product
             : linalg::LinalgOp();
}

namespace {
class OuterEmitter : TileEmitter {
public:
  OuterEmitter(OpBuilder &b, MicroKernelOp kernel)
      : TileEmitter(b, kernel.getLoc(), kernel.getSpec().getLanes(),
                    kernel.getSpec().getContract()),
        kernel(kernel) {}
  FailureOr<SmallVector<Value>> run();

private:
  /// A case: how many steps and vectors there are, and the last one's mask.
  struct Kind {
    int64_t steps, vectors;
    SmallVector<Value> masks;
  };
  /// Vectors at once of more than half of the steps.
  int64_t vectorsOfMost() {
    return std::max<int64_t>(kernel.getSpec().getVectors() / 2, 1);
  }
  LogicalResult findProduct();
  TileOperand operandOf(unsigned input);
  SmallVector<SmallVector<Value>> readRowsOfB(const Kind &kind);
  Value emitRows(const Kind &kind, ArrayRef<SmallVector<Value>> rowsOfB,
                 int64_t count, Value from, Value to, Value into);
  Value emitCase(int64_t steps, int64_t vectors, bool single);

  MicroKernelOp kernel;
  linalg::LinalgOp root, product;
  unsigned inputA = 0, inputB = 0;
  unsigned column = 0, reduction = 0;
  int64_t rowDim = 0; ///< of the destination, from the end
  Value rows, columns;
  DenseMap<Value, Value> started;
};
} // namespace

LogicalResult OuterEmitter::findProduct() {
  Block &body = kernel.getBody().front();
  auto yield = cast<YieldOp>(body.getTerminator());
  if (yield.getNumOperands() == 1)
    root = yield.getOperand(0).getDefiningOp<linalg::LinalgOp>();
  product = findOuterProduct(body);
  if (!root || !product)
    return kernel.emitOpError("is no product of two operands of one type, with "
                              "one reduction and no long function behind it");
  SmallVector<AffineMap> maps = product.getIndexingMapsArray();
  column = columnLoop(product);
  SmallVector<unsigned> reductions;
  product.getReductionDims(reductions);
  reduction = reductions.front();
  int64_t rank = maps.back().getNumResults();
  rowDim = getRowDim(kernel, rank);
  auto walksColumns = [&](AffineMap map) {
    return isContiguous(map, column) || getPanelWidth(map, column);
  };
  inputB = walksColumns(maps[1]) ? 1 : 0;
  inputA = 1 - inputB;
  if (rowDim == 0 || !walksColumns(maps[inputB]) ||
      maps[inputB].isFunctionOfDim(maps.back().getDimPosition(rank - rowDim)) ||
      maps[inputA].isFunctionOfDim(column))
    return kernel.emitOpError("multiplies no elements of rows of one operand "
                              "with rows of the other");
  return success();
}

TileOperand OuterEmitter::operandOf(unsigned input) {
  return inMemory(getOutside(kernel, product->getOperand(input)),
                  product.getIndexingMapsArray()[input],
                  kernel.getSpec().getVectors() * lanes, /*rows=*/1);
}

/// The vectors of each step.
SmallVector<SmallVector<Value>> OuterEmitter::readRowsOfB(const Kind &kind) {
  TileCase tile(b, kernel, /*rows=*/1, kind.vectors, rowDim, columns,
                kind.masks, started);
  TileOperand memory = tile.splitPanels(product, operandOf(inputB));
  SmallVector<Value> loops(product.getNumLoops(), constant(0));
  SmallVector<SmallVector<Value>> rowsOfB(kind.steps);
  for (auto [step, row] : llvm::enumerate(rowsOfB)) {
    loops[reduction] = constant(step);
    for (int64_t v = 0; v < kind.vectors; ++v) {
      auto [part, first] = tile.getColumnPart(memory, v);
      loops[column] = first;
      row.push_back(
          readVector(part, loops, column, kind.masks[v], tile.columnsLeft(v)));
    }
  }
  return rowsOfB;
}

/// Rows `from` to `to`, `count` at a time.
Value OuterEmitter::emitRows(const Kind &kind,
                             ArrayRef<SmallVector<Value>> rowsOfB,
                             int64_t count, Value from, Value to, Value into) {
  return createCarriedLoop(
      b, loc, from, to, constant(count), into, [&](Value first, Value out) {
        TileCase tile(b, kernel, count, kind.vectors, rowDim, columns,
                      kind.masks, started);
        tile.firstRow = first;
        linalg::LinalgOp init = getProducer(kernel, product.getDpsInits()[0]);
        TileValue sums = init ? tile.emit(init) : tile.readInit(product);
        SmallVector<TileOperand> memory(product->getNumOperands());
        memory[inputA] = operandOf(inputA);
        SmallVector<TileValue> tiles(product->getNumOperands());
        SmallVector<Value> loops = tile.makeLoops(product);
        for (auto [step, row] : llvm::enumerate(rowsOfB)) {
          loops[reduction] = constant(step);
          tiles[inputB] = TileValue(count, row);
          sums = tile.emitStep(product, memory, tiles, loops, sums);
        }
        tile.done[product->getResult(0)] = sums;
        return writeTile(tile, tile.emit(root), out);
      });
}

/// All rows, for exactly so many steps and vectors, or for a `single` column.
Value OuterEmitter::emitCase(int64_t steps, int64_t vectors, bool single) {
  Kind kind{steps, vectors, SmallVector<Value>(vectors)};
  Value destination = kernel.getInits()[0];
  Value left =
      arith::SubIOp::create(b, loc, columns, constant((vectors - 1) * lanes));
  Type element = getElementTypeOrSelf(destination.getType());
  kind.masks.back() =
      single ? vector::ConstantMaskOp::create(
                   b, loc, VectorType::get({lanes}, b.getI1Type()),
                   ArrayRef<int64_t>{1})
                   .getResult()
             : createTailMask(*this, left, element.getIntOrFloatBitWidth(),
                              /*inRange=*/true);
  SmallVector<SmallVector<Value>> rowsOfB = readRowsOfB(kind);
  // Rows of B take half of the registers at most; what they leave holds sums,
  // and an element of A.
  MicroKernelAttr spec = kernel.getSpec();
  int64_t registers = 2 * spec.getUnroll() * vectorsOfMost();
  int64_t free = registers - 1 - steps * vectors;
  int64_t atOnce = llvm::bit_floor(
      uint64_t(std::clamp<int64_t>(free / vectors, 1, spec.getRows())));
  Value rest = arith::RemUIOp::create(b, loc, rows, constant(atOnce));
  Value whole = arith::SubIOp::create(b, loc, rows, rest);
  Value into = emitRows(kind, rowsOfB, atOnce, constant(0), whole, destination);
  return emitRows(kind, rowsOfB, 1, whole, rows, into);
}

FailureOr<SmallVector<Value>> OuterEmitter::run() {
  if (failed(findProduct()))
    return failure();
  Value destination = kernel.getInits()[0];
  auto type = cast<RankedTensorType>(destination.getType());
  int64_t rank = type.getRank();
  rows = tensor::DimOp::create(b, loc, destination, rank - rowDim);
  columns = tensor::DimOp::create(b, loc, destination, rank - 1);
  started = getStartedInits(b, kernel);
  MicroKernelAttr spec = kernel.getSpec();
  int64_t mostVectors = spec.getVectors(), mostSteps = spec.getUnroll();
  if (int64_t known = type.getDimSize(rank - 1); !ShapedType::isDynamic(known))
    mostVectors = std::min(
        mostVectors, std::max<int64_t>(llvm::divideCeil(known, lanes), 1));
  SmallVector<int64_t> extents = product.getStaticLoopRanges();
  if (extents[reduction] > mostSteps) // an unknown one is below 0
    return kernel.emitOpError("multiplies ")
           << extents[reduction] << " steps; it has code for at most "
           << mostSteps;
  if (2 * extents[reduction] > mostSteps && mostVectors > vectorsOfMost())
    if (int64_t known = type.getDimSize(rank - 1);
        !ShapedType::isDynamic(known))
      return kernel.emitOpError("multiplies ")
             << extents[reduction] << " steps by " << known
             << " columns; it has code for at most " << vectorsOfMost() * lanes
             << " columns of so many steps";
  Value extent = getValueOrCreateConstantIndexOp(
      b, loc,
      tensor::getMixedSize(
          b, loc, getOutside(kernel, product->getOperand(inputA)),
          *product.getIndexingMapsArray()[inputA].getResultPosition(
              getAffineDimExpr(reduction, b.getContext()))));
  // Of each number of vectors, half of them of more than half of the steps,
  // and, last, for a column alone, which is stored without branches.
  SmallVector<std::pair<int64_t, int64_t>> kinds; // vectors, steps
  SmallVector<int64_t> cases;
  for (int64_t v = 1; v <= mostVectors + 1; ++v)
    for (int64_t k = 0; k <= mostSteps; ++k)
      if ((ShapedType::isDynamic(extents[reduction]) ||
           k == extents[reduction]) &&
          (v > mostVectors || 2 * k <= mostSteps || v <= vectorsOfMost())) {
        kinds.push_back({v, k});
        cases.push_back(v * (mostSteps + 1) + k);
      }
  Value used = arith::CeilDivUIOp::create(b, loc, columns, constant(lanes));
  Value single = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                       columns, constant(1));
  used =
      arith::SelectOp::create(b, loc, single, constant(mostVectors + 1), used);
  Value selector = arith::AddIOp::create(
      b, loc, arith::MulIOp::create(b, loc, used, constant(mostSteps + 1)),
      extent);
  auto chooser =
      scf::IndexSwitchOp::create(b, loc, type, selector, cases, cases.size());
  OpBuilder::InsertionGuard guard(b);
  for (auto [kind, region] : llvm::zip(kinds, chooser.getCaseRegions())) {
    b.createBlock(&region);
    auto [vectors, count] = kind;
    bool alone = vectors > mostVectors;
    scf::YieldOp::create(b, loc, emitCase(count, alone ? 1 : vectors, alone));
  }
  b.createBlock(&chooser.getDefaultRegion());
  scf::YieldOp::create(b, loc, destination);
  return SmallVector<Value>{chooser.getResult(0)};
}

FailureOr<SmallVector<Value>> vortex::emitOuterTile(OpBuilder &b,
                                                    MicroKernelOp kernel) {
  return OuterEmitter(b, kernel).run();
}
