//===- EmitSweep.cpp - Few rows by whole rows of an operand in place ------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A product of few rows does so little with each element of B that reading it
// is all that takes time, and memory is read fastest in whole rows, a few of
// them side by side. So a sweep takes some steps of the reduction at once,
// whose elements of A stay in registers, and goes over all columns: a vector of
// the result is read, has a product of each of the rows of B added to it and is
// written, with nothing else in between. A tile of registers, which goes down
// the rows of B instead, reads a piece of each and has code around it.
//
//===----------------------------------------------------------------------===//

#include "CarriedLoop.h"
#include "TileCase.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace vortex;

namespace {
class SweepEmitter : TileEmitter {
public:
  SweepEmitter(OpBuilder &b, MicroKernelOp kernel)
      : TileEmitter(b, kernel.getLoc(), kernel.getSpec().getLanes(),
                    kernel.getSpec().getContract()),
        kernel(kernel) {}
  FailureOr<SmallVector<Value>> run();

private:
  LogicalResult findProduct();
  Value emitRows(int64_t count, Value into);
  Value emitSteps(int64_t count, int64_t steps, Value first, Value into);
  Value emitColumns(const TileValue &factors, int64_t vectors, Value firstStep,
                    Value firstColumn, Value mask, Value into);
  Value compute(ArrayRef<Value> arguments);
  /// A loop that carries the destination.
  Value loop(Value from, Value to, int64_t by, Value into,
             function_ref<Value(Value, Value)> inside);
  Value wholeOf(Value extent, int64_t by);
  Value add(Value x, int64_t y) {
    return y ? arith::AddIOp::create(b, loc, x, constant(y)) : x;
  }

  MicroKernelOp kernel;
  linalg::LinalgOp product;
  unsigned inputA = 0, inputB = 0;
  unsigned column = 0, reduction = 0;
  std::optional<unsigned> row;
  int64_t rowDim = 0; ///< of the destination, from the end; 0: it has no rows
  Value rows, columns, steps;
  TileOperand a, rowsOfB, sums;
};
} // namespace

LogicalResult SweepEmitter::findProduct() {
  Block &body = kernel.getBody().front();
  auto yield = cast<YieldOp>(body.getTerminator());
  if (yield.getNumOperands() == 1)
    product = yield.getOperand(0).getDefiningOp<linalg::LinalgOp>();
  if (!product || product.getNumDpsInputs() != 2 ||
      product.getNumReductionLoops() != 1)
    return kernel.emitOpError("sweeps over one product with one reduction");
  SmallVector<AffineMap> maps = product.getIndexingMapsArray();
  column = columnLoop(product);
  SmallVector<unsigned> reductions;
  product.getReductionDims(reductions);
  reduction = reductions.front();
  inputB = isContiguous(maps[1], column) ? 1 : 0;
  inputA = 1 - inputB;
  if (!isContiguous(maps[inputB], column) ||
      !maps[inputB].getResultPosition(
          getAffineDimExpr(reduction, b.getContext())) ||
      maps[inputA].isFunctionOfDim(column) ||
      llvm::any_of(product->getOperands(),
                   [&](Value operand) { return !isa<BlockArgument>(operand); }))
    return kernel.emitOpError("sweeps over rows of one operand in memory with "
                              "elements of the other");
  return success();
}

Value SweepEmitter::loop(Value from, Value to, int64_t by, Value into,
                         function_ref<Value(Value, Value)> inside) {
  return createCarriedLoop(b, loc, from, to, constant(by), into, inside);
}

/// As much of `extent` as is a multiple of `by`.
Value SweepEmitter::wholeOf(Value extent, int64_t by) {
  return arith::SubIOp::create(
      b, loc, extent, arith::RemUIOp::create(b, loc, extent, constant(by)));
}

Value SweepEmitter::compute(ArrayRef<Value> arguments) {
  Block &body = product->getRegion(0).front();
  IRMapping map;
  map.map(body.getArguments(), arguments);
  for (Operation &inner : body.without_terminator())
    clonePayload(inner, map);
  return map.lookup(body.getTerminator()->getOperand(0));
}

/// `vectors` of each row from `firstColumn` on, with the products of the rows
/// of B from `firstStep` on, as many as a row of `factors` has. Columns under
/// no `mask` are there.
Value SweepEmitter::emitColumns(const TileValue &factors, int64_t vectors,
                                Value firstStep, Value firstColumn, Value mask,
                                Value into) {
  SmallVector<Value> loops(product.getNumLoops(), constant(0));
  auto columnOf = [&](int64_t v) { return add(firstColumn, v * lanes); };
  SmallVector<Value> values;
  for (auto [r, unused] : llvm::enumerate(factors))
    for (int64_t v = 0; v < vectors; ++v) {
      if (row)
        loops[*row] = constant(r);
      loops[column] = columnOf(v);
      values.push_back(readVector(sums, loops, column, mask, Value()));
    }
  if (row)
    loops[*row] = constant(0);
  for (int64_t k = 0, e = factors.front().size(); k < e; ++k) {
    loops[reduction] = add(firstStep, k);
    for (int64_t v = 0; v < vectors; ++v) {
      loops[column] = columnOf(v);
      Value read = readVector(rowsOfB, loops, column, mask, Value());
      for (auto [r, factorsOfRow] : llvm::enumerate(factors)) {
        Value &sum = values[r * vectors + v];
        SmallVector<Value> arguments(2);
        arguments[inputA] = factorsOfRow[k];
        arguments[inputB] = read;
        arguments.push_back(sum);
        sum = compute(arguments);
      }
    }
  }
  return StoreTileOp::create(b, loc, into, values,
                             mask ? ValueRange(mask) : ValueRange(),
                             /*first=*/Value(), firstColumn, vectors, rowDim);
}

/// `steps` of the reduction from `first` on, for `count` rows.
Value SweepEmitter::emitSteps(int64_t count, int64_t steps, Value first,
                              Value into) {
  SmallVector<Value> loops(product.getNumLoops(), constant(0));
  TileValue factors(count);
  for (int64_t r = 0; r < count; ++r)
    for (int64_t k = 0; k < steps; ++k) {
      if (row)
        loops[*row] = constant(r);
      loops[reduction] = add(first, k);
      factors[r].push_back(splat(readScalar(a, loops)));
    }
  // Sums take half of the registers that factors of as many rows do.
  MicroKernelAttr spec = kernel.getSpec();
  int64_t vectors = std::min<int64_t>(
      spec.getVectors(), llvm::bit_floor(uint64_t(
                             std::max(spec.getUnroll() / count, int64_t(1)))));
  Value whole = wholeOf(columns, vectors * lanes);
  into =
      loop(constant(0), whole, vectors * lanes, into, [&](Value at, Value out) {
        return emitColumns(factors, vectors, first, at, Value(), out);
      });
  auto maskType = VectorType::get({lanes}, b.getI1Type());
  return loop(whole, columns, lanes, into, [&](Value at, Value out) {
    Value left = arith::SubIOp::create(b, loc, columns, at);
    Value mask =
        vector::CreateMaskOp::create(b, loc, maskType, ValueRange{left});
    return emitColumns(factors, 1, first, at, mask, out);
  });
}

/// All steps for exactly `count` rows.
Value SweepEmitter::emitRows(int64_t count, Value into) {
  int64_t unroll = kernel.getSpec().getUnroll();
  int64_t atOnce = std::min<int64_t>(
      unroll,
      llvm::bit_floor(uint64_t(std::max(2 * unroll / count, int64_t(1)))));
  // Each sweep of what is left, fewer steps than `atOnce`, has half as many as
  // the one before, or none.
  Value from = constant(0);
  for (int64_t each = atOnce; each > 0; each /= 2) {
    Value to = wholeOf(steps, each);
    into = loop(from, to, each, into, [&](Value at, Value out) {
      return emitSteps(count, each, at, out);
    });
    from = to;
  }
  return into;
}

FailureOr<SmallVector<Value>> SweepEmitter::run() {
  if (failed(findProduct()))
    return failure();
  SmallVector<AffineMap> maps = product.getIndexingMapsArray();
  AffineMap out = maps.back();
  Value destination = kernel.getInits()[0];
  int64_t rank = cast<RankedTensorType>(destination.getType()).getRank();
  rowDim = getRowDim(kernel, rank);
  auto dim = [&](Value value, int64_t position) {
    return getValueOrCreateConstantIndexOp(
        b, loc, tensor::getMixedSize(b, loc, value, position));
  };
  rows = rowDim ? dim(destination, rank - rowDim) : constant(1);
  columns = dim(destination, rank - 1);
  if (rowDim)
    row = out.getDimPosition(rank - rowDim);
  auto operandOf = [&](unsigned i) {
    return inMemory(getOutside(kernel, product->getOperand(i)), maps[i],
                    /*panelWidth=*/0, /*rows=*/1);
  };
  a = operandOf(inputA);
  rowsOfB = operandOf(inputB);
  DenseMap<Value, Value> started = getStartedInits(b, kernel);
  sums.source = started.lookup(product.getDpsInits()[0]);
  sums.map = out;
  steps = dim(getOutside(kernel, product->getOperand(inputB)),
              *maps[inputB].getResultPosition(
                  getAffineDimExpr(reduction, b.getContext())));
  int64_t most = kernel.getSpec().getRows();
  SmallVector<int64_t> cases =
      llvm::to_vector(llvm::seq_inclusive(int64_t(1), most));
  auto chooser = scf::IndexSwitchOp::create(b, loc, destination.getType(), rows,
                                            cases, cases.size());
  OpBuilder::InsertionGuard guard(b);
  for (auto [count, region] : llvm::zip(cases, chooser.getCaseRegions())) {
    b.createBlock(&region);
    scf::YieldOp::create(b, loc, emitRows(count, destination));
  }
  b.createBlock(&chooser.getDefaultRegion());
  scf::YieldOp::create(b, loc, destination);
  return SmallVector<Value>{chooser.getResult(0)};
}

FailureOr<SmallVector<Value>> vortex::emitSweep(OpBuilder &b,
                                                MicroKernelOp kernel) {
  return SweepEmitter(b, kernel).run();
}
