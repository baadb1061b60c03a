//===- Accumulators.cpp - Sums of matrix instructions -----------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Accumulators.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace vortex;

SmallVector<Int> Accumulators::coordinates() {
  SmallVector<Int> at(plan.kernel.getAxes().size());
  for (auto [axis, coordinate] : llvm::zip(plan.batch, place.batch))
    at[axis] = coordinate;
  return at;
}

Accumulators::Place Accumulators::placePtx(Int across, Int along,
                                           PtxTiles tiles, ArrayRef<Int> batch,
                                           bool turned) {
  Place place{across, along, {}, {}, batch, turned};
  int64_t perTile = tiles.halves * 2;
  for (int64_t i = 0; i < tiles.tilesM; ++i)
    for (int64_t half = 0; half < tiles.halves; ++half)
      place.acrossOffsets.push_back(
          {i * tiles.stepM + half * 8, i * tiles.tilesN * perTile + half * 2});
  for (int64_t j = 0; j < tiles.tilesN; ++j)
    for (int64_t e = 0; e < 2; ++e)
      place.alongOffsets.push_back({j * 8 + e, j * perTile + e});
  return place;
}

SmallVector<Accumulators::Line> Accumulators::getLines(bool across) {
  SmallVector<Line> lines;
  for (Offset line : across ? place.acrossOffsets : place.alongOffsets)
    lines.push_back(
        {(across ? place.across : place.along) + line.offset, line.position});
  return lines;
}

SmallVector<Value> Accumulators::start() {
  if (plan.initial)
    return SmallVector<Value>(size(),
                              arith::ConstantOp::create(b, plan.initial));
  AffineMap out = plan.anchor.getIndexingMapsArray().back();
  SmallVector<unsigned> axes;
  for (AffineExpr expr : out.getResults())
    axes.push_back(cast<AffineDimExpr>(expr).getPosition());
  SmallVector<Value> values(size());
  SmallVector<Int> at = coordinates();
  Int count = device.countPoints(plan.rowAxes());
  for (Line row : rows()) {
    setRow(at, rowAt(row));
    for (Line column : columns()) {
      at[plan.n] = column.at;
      Value inside = b.createOrFold<arith::AndIOp>(
          row.at < count, at[plan.n] < device.extents[plan.n]);
      auto load = scf::IfOp::create(b, TypeRange{plan.sumType()}, inside,
                                    /*withElseRegion=*/true);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(load.thenBlock());
      Value value = epilogue.load(plan.anchor.getDpsInits()[0], axes, at);
      scf::YieldOp::create(b, value);
      b.setInsertionPointToStart(load.elseBlock());
      scf::YieldOp::create(b, ValueRange{arith::ConstantOp::create(
                                  b, b.getZeroAttr(plan.sumType()))});
      values[row.position + column.position] = load.getResult(0);
    }
  }
  return values;
}

Value Accumulators::holdsRuns(int64_t run, int64_t elementBytes) {
  unsigned result = plan.kernel.getInputs().size();
  auto isMultiple = [&](Value number, int64_t of) {
    auto constant = [&](int64_t x) {
      return arith::ConstantIntOp::create(b, number.getType(), x);
    };
    return b.createOrFold<arith::CmpIOp>(
        arith::CmpIPredicate::eq,
        b.createOrFold<arith::AndIOp>(number, constant(of - 1)), constant(0));
  };
  Value address =
      LLVM::PtrToIntOp::create(b, b.getI64Type(), device.operands[result]);
  Value holds = b.createOrFold<arith::AndIOp>(
      isMultiple(address, run * elementBytes),
      isMultiple(device.extents[plan.n].value, run));
  for (Value stride : device.strides[result])
    holds = b.createOrFold<arith::AndIOp>(holds, isMultiple(stride, run));
  return holds;
}

void Accumulators::storeTogether(SmallVector<Value> values, Value pointer,
                                 ArrayRef<Line> columns, Value whole) {
  Type element = values[0].getType();
  int64_t bytes = element.getIntOrFloatBitWidth() / 8, run = values.size();
  if (run == 1) {
    LLVM::StoreOp::create(b, values[0], pointer, bytes);
    return;
  }
  auto runs = scf::IfOp::create(b, whole, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(runs.thenBlock());
  Value vector =
      vector::FromElementsOp::create(b, VectorType::get(run, element), values);
  LLVM::StoreOp::create(b, vector, pointer, run * bytes);
  b.setInsertionPointToStart(runs.elseBlock());
  for (auto [i, value] : llvm::enumerate(values)) {
    OpBuilder::InsertionGuard oneGuard(b);
    if (i) {
      auto inside = scf::IfOp::create(b, columns[i].at < device.extents[plan.n],
                                      /*withElseRegion=*/false);
      b.setInsertionPointToStart(inside.thenBlock());
    }
    Value place = device.move(pointer, device.number(i).value, element);
    LLVM::StoreOp::create(b, value, place, bytes);
  }
}

void Accumulators::store(ValueRange sums) {
  unsigned result = plan.kernel.getInputs().size();
  Type element = getElementTypeOrSelf(plan.kernel.getInits()[0].getType());
  ArrayRef<unsigned> axes = epilogue.getResultAxes();
  // Rows are divided again, not kept in registers from what sums began with.
  if (plan.rows.size() > 1 && !plan.initial)
    place.across = {&b, device.ops->hide(b, place.across.value)};
  // Neighbouring columns of a thread are neighbours in memory unless the
  // epilogue transposes, or the instruction does.
  int64_t run = axes.back() == plan.n && !place.turned ? plan.store : 1;
  SmallVector<Int> at = coordinates();
  SmallVector<Line> rows = this->rows(), columns = this->columns();
  // Divided once, not again for each column.
  Int count = device.countPoints(plan.rowAxes());
  SmallVector<SmallVector<Int>> rowsAt =
      llvm::map_to_vector(rows, [&](Line row) { return rowAt(row); });
  // What an epilogue reads for a column behind the last is that of the last.
  Int last = device.extents[plan.n] - device.number(1);
  Value whole;
  if (run > 1)
    whole = holdsRuns(run, element.getIntOrFloatBitWidth() / 8);
  for (size_t first = 0; first < columns.size(); first += run) {
    // What depends on the column alone is loaded once for all rows.
    OpBuilder::InsertionGuard guard(b);
    ArrayRef<Line> together = ArrayRef(columns).slice(first, run);
    auto inside = scf::IfOp::create(b, together[0].at < device.extents[plan.n],
                                    /*withElseRegion=*/false);
    b.setInsertionPointToStart(inside.thenBlock());
    SmallVector<Epilogue::Column> loaded;
    SmallVector<Int> columnsAt;
    for (Line column : together) {
      columnsAt.push_back(columnsAt.empty() ? column.at : column.at.atMost(last));
      at[plan.n] = columnsAt.back();
      loaded.push_back(epilogue.loadColumn(at));
    }
    for (auto [row, rowCoordinates] : llvm::zip(rows, rowsAt)) {
      OpBuilder::InsertionGuard rowGuard(b);
      setRow(at, rowCoordinates);
      auto rowInside = scf::IfOp::create(b, row.at < count,
                                         /*withElseRegion=*/false);
      b.setInsertionPointToStart(rowInside.thenBlock());
      SmallVector<Value> values;
      for (auto [column, columnAt, operands] :
           llvm::zip(together, columnsAt, loaded)) {
        at[plan.n] = columnAt;
        values.push_back(
            epilogue.apply(sums[row.position + column.position], at, operands));
      }
      at[plan.n] = together[0].at;
      SmallVector<Int> where =
          llvm::map_to_vector(axes, [&](unsigned axis) { return at[axis]; });
      Value pointer = device.move(device.operands[result],
                                  device.offset(result, where), element);
      Type memory = getMemoryType(element);
      if (memory != element)
        for (Value &value : values)
          value = arith::BitcastOp::create(b, memory, value);
      storeTogether(values, pointer, together, whole);
    }
  }
}
