//===- FinishRows.cpp - What becomes of the sums of a tile, row by row ----===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code of a register tile exists once for each number of its rows, and so does
// what follows the sums, where that stays in registers. A function that takes
// tens of instructions for each vector (exp, erf, tanh) would be most of the
// code: the sums of all cases go through memory instead, and one loop over rows
// behind the cases takes them from there.
//
//===----------------------------------------------------------------------===//

#include "PayloadClass.h"
#include "TileCase.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace vortex;

linalg::LinalgOp vortex::findSumOfLongTail(MicroKernelOp kernel) {
  linalg::LinalgOp sum;
  bool isLong = false;
  Block &body = kernel.getBody().front();
  for (auto op : body.getOps<linalg::LinalgOp>()) {
    if (!op.getNumReductionLoops()) {
      isLong |= llvm::any_of(op->getRegion(0).front(), isFunction);
      continue;
    }
    if (sum)
      return {};
    sum = op;
  }
  // A factor that is computed in the tile belongs in front of the sums.
  bool isYielded =
      sum && llvm::is_contained(body.getTerminator()->getOperands(),
                                sum->getResult(0));
  if (!sum || !isLong || isYielded ||
      llvm::any_of(sum.getDpsInputs(), [&](Value input) {
        return input.getDefiningOp<linalg::LinalgOp>();
      }))
    return {};
  return sum;
}

Value vortex::allocateInTask(OpBuilder &b, MicroKernelOp kernel,
                             ArrayRef<int64_t> shape, Type element) {
  Operation *task = kernel->getParentOp();
  while (!isa<FunctionOpInterface, scf::ForallOp, scf::ParallelOp>(task) &&
         task->getParentOp())
    task = task->getParentOp();
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&task->getRegion(0).front());
  // Rows of tiles are read and written whole.
  uint64_t row = shape.back() * element.getIntOrFloatBitWidth() / 8;
  return memref::AllocaOp::create(b, kernel.getLoc(),
                                  MemRefType::get(shape, element),
                                  b.getI64IntegerAttr(llvm::bit_floor(row)));
}

void vortex::storeSums(TileCase &tile, const TileValue &values, Value sums) {
  for (auto [r, row] : llvm::enumerate(values))
    for (auto [v, value] : llvm::enumerate(row))
      vector::StoreOp::create(
          tile.b, tile.loc, value, sums,
          ValueRange{tile.constant(r), tile.constant(v * tile.lanes)});
}

Value vortex::finishRows(OpBuilder &b, MicroKernelOp kernel,
                         const TileResults &results, linalg::LinalgOp sum,
                         Value sums) {
  TileEmitter shared(b, kernel.getLoc(), kernel.getSpec().getLanes());
  return finishRows(b, kernel, results, sum, sums,
                    {kernel.getInits()[0], shared.constant(0), results.rows,
                     /*shift=*/Value(), /*outer=*/Value()});
}

Value vortex::finishRows(OpBuilder &b, MicroKernelOp kernel,
                         const TileResults &results, linalg::LinalgOp sum,
                         Value sums, const RowRange &range) {
  Location loc = kernel.getLoc();
  TileEmitter shared(b, loc, kernel.getSpec().getLanes());
  auto loop = scf::ForOp::create(b, loc, range.from, range.to,
                                 shared.constant(1), ValueRange{range.into});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value at = loop.getInductionVar();
  TileCase row(b, kernel, /*rows=*/1, results.masks.size(), results.rowDim,
               results.columns, results.masks, results.started);
  row.firstRow = at;
  row.outerRow = range.outer;
  row.outerDim = range.outerDim;
  Value from = range.shift
                   ? arith::AddIOp::create(b, loc, at, range.shift).getResult()
                   : at;
  auto type = cast<MemRefType>(sums.getType());
  row.done[sum->getResult(0)] = row.makeTile([&](int64_t, int64_t v) {
    return vector::LoadOp::create(b, loc, row.vectorOf(type.getElementType()),
                                  sums, ValueRange{from, row.firstColumn(v)})
        .getResult();
  });
  scf::YieldOp::create(
      b, loc, writeTile(row, row.emit(results.root), loop.getRegionIterArg(0)));
  return loop.getResult(0);
}
