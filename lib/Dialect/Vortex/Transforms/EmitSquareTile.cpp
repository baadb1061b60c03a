//===- EmitSquareTile.cpp - Squares, transposed in registers --------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An elementwise chain reads an operand along its rows and writes its result
// along its columns. A tile has as many rows as a vector has lanes; such an
// operand is read a vector a column, each a whole cache line, and transposed.
// Everything else is read as in a row tile. Tiles at an edge are the same code
// with masks; those of few rows or few columns, as a picture of three colours
// has, leave out what there is not.
//
//===----------------------------------------------------------------------===//

#include "MicroKernelEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace vortex;

// vector.transpose of assembled rows would canonicalize to single element
// moves.
void vortex::transposeSquare(OpBuilder &b, Location loc,
                             SmallVectorImpl<Value> &rows) {
  int64_t n = rows.size();
  // Each step exchanges blocks of columns between rows as far apart. From the
  // largest on, so that the first rows alone take few shuffles.
  for (int64_t block = n / 2; block > 0; block /= 2) {
    SmallVector<Value> next(n);
    for (int64_t r = 0; r < n; ++r) {
      if (r & block)
        continue;
      SmallVector<int64_t> low, high;
      for (int64_t c = 0; c < n; ++c) {
        bool upper = c & block;
        low.push_back(upper ? n + (c - block) : c);
        high.push_back(upper ? n + c : c + block);
      }
      Value x = rows[r], y = rows[r + block];
      next[r] = vector::ShuffleOp::create(b, loc, x, y, low);
      next[r + block] = vector::ShuffleOp::create(b, loc, x, y, high);
    }
    rows = std::move(next);
  }
}

namespace {
/// A vector for each row.
using Square = SmallVector<Value>;

class SquareEmitter : TileEmitter {
public:
  SquareEmitter(OpBuilder &b, MicroKernelOp kernel)
      : TileEmitter(b, kernel.getLoc(), kernel.getSpec().getLanes(),
                    kernel.getSpec().getContract()),
        kernel(kernel) {}
  FailureOr<SmallVector<Value>> run();

private:
  LogicalResult check();
  SmallVector<Value> emitAll(int64_t rowsAtMost, int64_t columnsAtMost);
  Square emit(linalg::LinalgOp op);
  Square read(linalg::LinalgOp op, Value value, AffineMap map);
  Square readCrossed(const TileOperand &operand, linalg::LinalgOp op);
  Value write(const Square &square, linalg::LinalgOp op, Value into);
  /// `i`, or 0 where the tile has only `count` of them.
  Value inside(int64_t i, Value count);
  Value maskOf(Value there, Value count);

  int64_t rowDim() { return kernel.getRowDim().value_or(2); }
  unsigned loopAt(linalg::LinalgOp op, int64_t fromEnd) {
    AffineMap out = op.getIndexingMapsArray().back();
    return out.getDimPosition(out.getNumResults() - fromEnd);
  }
  unsigned row(linalg::LinalgOp op) { return loopAt(op, rowDim()); }
  unsigned lane(linalg::LinalgOp op) { return loopAt(op, 1); }
  Value outside(Value value) { return getOutside(kernel, value); }
  linalg::LinalgOp producer(Value value) { return getProducer(kernel, value); }

  MicroKernelOp kernel;
  // Of the case that is emitted: how many rows and columns there are (null: as
  // many as lanes) and can be, and what has been computed.
  Value rows, columns;
  int64_t mostRows = 0, mostColumns = 0;
  DenseMap<Operation *, Square> done;
};
} // namespace

LogicalResult SquareEmitter::check() {
  if (!llvm::isPowerOf2_64(lanes) || kernel.getSpec().getRows() != lanes ||
      kernel.getSpec().getVectors() != 1)
    return kernel.emitOpError("squares have one vector a row and as many rows "
                              "as lanes, a power of two");
  int64_t rank = -1;
  for (Operation &op : kernel.getBody().front().without_terminator()) {
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    if (!linalgOp)
      return kernel.emitOpError() << "cannot hold a " << op.getName();
    if (isa<linalg::FillOp>(op))
      continue;
    AffineMap out = linalgOp.getIndexingMapsArray().back();
    if (linalgOp.getNumReductionLoops() || !out.isPermutation() ||
        out.getNumResults() < rowDim() ||
        (rank >= 0 && out.getNumResults() != rank))
      return op.emitOpError("is not elementwise on rows and columns");
    rank = out.getNumResults();
    for (OpOperand &operand : linalgOp->getOpOperands())
      if (linalg::LinalgOp from = producer(operand.get());
          from && !isa<linalg::FillOp>(from.getOperation()) &&
          linalgOp.getMatchingIndexingMap(&operand) != out)
        return op.emitOpError("reads what another op of the square makes, and "
                              "not element by element");
  }
  for (Value value : kernel.getBody().front().getTerminator()->getOperands())
    if (!producer(value) || isa<linalg::FillOp>(value.getDefiningOp()))
      return kernel.emitOpError("yields a value it does not compute");
  return success();
}

Value SquareEmitter::inside(int64_t i, Value count) {
  Value index = constant(i);
  if (!count)
    return index;
  Value there =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, index, count);
  return arith::SelectOp::create(b, loc, there, index, constant(0));
}

/// The first `count` lanes, none unless `there`; null for all lanes.
Value SquareEmitter::maskOf(Value there, Value count) {
  if (!count)
    return {};
  Value valid = arith::SelectOp::create(b, loc, there, count, constant(0));
  return vector::CreateMaskOp::create(
      b, loc, VectorType::get({lanes}, b.getI1Type()), ValueRange{valid});
}

/// An operand with the rows of the tile side by side in memory.
Square SquareEmitter::readCrossed(const TileOperand &operand,
                                  linalg::LinalgOp op) {
  SmallVector<Value> loops(op.getNumLoops(), constant(0));
  Square square;
  for (int64_t c = 0; c < mostColumns; ++c) {
    Value mask;
    if (columns)
      mask = maskOf(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                          constant(c), columns),
                    rows);
    loops[lane(op)] = inside(c, columns);
    square.push_back(readVector(operand, loops, row(op), mask, rows));
  }
  Value none;
  if (mostColumns < lanes)
    none = ub::PoisonOp::create(b, loc, square[0].getType());
  square.resize(lanes, none);
  transposeSquare(b, loc, square);
  square.resize(mostRows);
  return square;
}

Square SquareEmitter::read(linalg::LinalgOp op, Value value, AffineMap map) {
  TileOperand operand = inMemory(value, map, 0, 1);
  bool walksLanes = map.isFunctionOfDim(lane(op));
  bool walksRows = map.isFunctionOfDim(row(op));
  if (walksLanes && !isContiguous(map, lane(op)) && isContiguous(map, row(op)))
    return readCrossed(operand, op);
  Value mask;
  if (columns)
    mask = vector::CreateMaskOp::create(
        b, loc, VectorType::get({lanes}, b.getI1Type()), ValueRange{columns});
  SmallVector<Value> loops(op.getNumLoops(), constant(0));
  Square square;
  for (int64_t r = 0; r < mostRows; ++r) {
    if (r && !walksRows) {
      square.push_back(square[0]);
      continue;
    }
    loops[row(op)] = inside(r, rows);
    square.push_back(walksLanes
                         ? readVector(operand, loops, lane(op), mask, columns)
                         : splat(readScalar(operand, loops)));
  }
  return square;
}

Square SquareEmitter::emit(linalg::LinalgOp op) {
  if (auto it = done.find(op); it != done.end())
    return it->second;
  if (auto fill = dyn_cast<linalg::FillOp>(op.getOperation()))
    return done[op] = Square(mostRows, splat(outside(fill.getInputs()[0])));
  Block &body = op->getRegion(0).front();
  SmallVector<std::pair<BlockArgument, Square>> arguments;
  for (auto [i, value] : llvm::enumerate(op->getOperands())) {
    BlockArgument argument = body.getArgument(i);
    if (argument.use_empty())
      continue;
    linalg::LinalgOp from = producer(value);
    arguments.push_back({argument, from ? emit(from)
                                        : read(op, outside(value),
                                               op.getIndexingMapsArray()[i])});
  }
  Square square;
  for (int64_t r = 0; r < mostRows; ++r) {
    IRMapping map;
    for (auto &[argument, values] : arguments)
      map.map(argument, values[r]);
    for (Operation &inner : body.without_terminator())
      clonePayload(inner, map);
    Value yielded = body.getTerminator()->getOperand(0);
    Value result = map.lookupOrNull(yielded);
    square.push_back(result ? result : splat(yielded));
  }
  return done[op] = square;
}

Value SquareEmitter::write(const Square &square, linalg::LinalgOp op,
                           Value into) {
  int64_t rank = op.getIndexingMapsArray().back().getNumResults();
  AffineMap minor = AffineMap::getMinorIdentityMap(rank, 1, b.getContext());
  for (auto [r, values] : llvm::enumerate(square)) {
    SmallVector<Value> at(rank, constant(0));
    at[rank - rowDim()] = inside(r, rows);
    Value mask;
    if (rows)
      mask = maskOf(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                          constant(r), rows),
                    columns);
    into = vector::TransferWriteOp::create(b, loc, values, into, at,
                                           AffineMapAttr::get(minor), mask,
                                           b.getBoolArrayAttr({true}))
               .getResult();
  }
  return into;
}

SmallVector<Value> SquareEmitter::emitAll(int64_t rowsAtMost,
                                          int64_t columnsAtMost) {
  mostRows = rowsAtMost;
  mostColumns = columnsAtMost;
  done.clear();
  Operation *yield = kernel.getBody().front().getTerminator();
  for (Value value : yield->getOperands())
    emit(producer(value));
  SmallVector<Value> results;
  for (auto [value, init] : llvm::zip(yield->getOperands(), kernel.getInits()))
    results.push_back(write(done.at(producer(value)), producer(value), init));
  return results;
}

FailureOr<SmallVector<Value>> SquareEmitter::run() {
  if (failed(check()))
    return failure();
  Value destination = kernel.getInits()[0];
  int64_t rank = cast<RankedTensorType>(destination.getType()).getRank();
  Value height = tensor::DimOp::create(b, loc, destination, rank - rowDim());
  Value width = tensor::DimOp::create(b, loc, destination, rank - 1);
  auto compare = [&](arith::CmpIPredicate predicate, Value extent, int64_t x) {
    return arith::CmpIOp::create(b, loc, predicate, extent, constant(x));
  };
  auto choose = [&](Value condition, function_ref<SmallVector<Value>()> yes,
                    function_ref<SmallVector<Value>()> no) {
    auto choice = scf::IfOp::create(b, loc, kernel.getResultTypes(), condition,
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.thenBlock());
    scf::YieldOp::create(b, loc, yes());
    b.setInsertionPointToStart(choice.elseBlock());
    scf::YieldOp::create(b, loc, no());
    return SmallVector<Value>(choice.getResults());
  };
  auto whole = [&] { return emitAll(lanes, lanes); };
  auto edge = [&] {
    rows = height;
    columns = width;
    constexpr auto ule = arith::CmpIPredicate::ule;
    int64_t few = std::max<int64_t>(lanes / 4, 1);
    return choose(
        compare(ule, height, few), [&] { return emitAll(few, lanes); },
        [&] {
          return choose(
              compare(ule, width, few), [&] { return emitAll(lanes, few); },
              [&] { return emitAll(lanes, lanes); });
        });
  };
  constexpr auto eq = arith::CmpIPredicate::eq;
  return choose(arith::AndIOp::create(b, loc, compare(eq, height, lanes),
                                      compare(eq, width, lanes)),
                whole, edge);
}

FailureOr<SmallVector<Value>> vortex::emitSquareTile(OpBuilder &b,
                                                     MicroKernelOp kernel) {
  return SquareEmitter(b, kernel).run();
}
