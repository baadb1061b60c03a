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
    lines.push_back({(across ? place.across : place.along) + line.offset,
                     line.offset, line.position});
  return lines;
}

Value Accumulators::findRow(const Memory &memory, MutableArrayRef<Int> at) {
  at[plan.n] = firstColumn();
  SmallVector<Int> where =
      llvm::map_to_vector(memory.axes, [&](unsigned axis) { return at[axis]; });
  return device.move(device.operands[memory.operand],
                     device.offset(memory.operand, where), memory.element);
}

Value Accumulators::findColumn(const Memory &memory, Value row, Line column) {
  const auto *dim = llvm::find(memory.axes, plan.n);
  if (dim == memory.axes.end() || !column.offset)
    return row;
  Value offset = arith::ConstantIntOp::create(b, b.getLoc(), column.offset, 64);
  if (dim + 1 != memory.axes.end())
    offset = b.createOrFold<arith::MulIOp>(
        offset, device.strides[memory.operand][dim - memory.axes.begin()]);
  return device.move(row, offset, memory.element);
}

SmallVector<Value> Accumulators::start() {
  if (plan.initial)
    return SmallVector<Value>(size(),
                              arith::ConstantOp::create(b, plan.initial));
  Value init = plan.anchor.getDpsInits()[0];
  Memory memory{0, {}, getElementTypeOrSelf(init.getType())};
  for (AffineExpr expr : plan.anchor.getIndexingMapsArray().back().getResults())
    memory.axes.push_back(cast<AffineDimExpr>(expr).getPosition());
  auto argument = dyn_cast<BlockArgument>(init);
  if (argument)
    memory.operand = argument.getArgNumber();
  SmallVector<Value> values(size());
  SmallVector<Int> at = coordinates();
  Int count = device.countPoints(plan.rowAxes());
  for (Line row : rows()) {
    setRow(at, rowAt(row));
    Value begin = argument ? findRow(memory, at) : Value();
    for (Line column : columns()) {
      at[plan.n] = column.at;
      Value inside = b.createOrFold<arith::AndIOp>(
          row.at < count, at[plan.n] < device.extents[plan.n]);
      auto load = scf::IfOp::create(b, TypeRange{plan.sumType()}, inside,
                                    /*withElseRegion=*/true);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(load.thenBlock());
      Value value = argument ? loadElement(b, memory.element,
                                           findColumn(memory, begin, column))
                             : epilogue.load(init, memory.axes, at);
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
  return device.holdsRuns(plan.kernel.getInputs().size(),
                          device.extents[plan.n], run, elementBytes);
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

Accumulators::Row Accumulators::findRow(const Memory &memory, Line line) {
  SmallVector<Int> at = coordinates();
  setRow(at, rowAt(line));
  Value begin = findRow(memory, at);
  return {at, begin, epilogue.findRow(at)};
}

Accumulators::Run Accumulators::loadRun(ArrayRef<Line> columns, Int last) {
  Run run{columns, {}, {}};
  SmallVector<Int> at = coordinates();
  for (Line column : columns) {
    at[plan.n] = run.at.empty() ? column.at : column.at.atMost(last);
    run.at.push_back(at[plan.n]);
    run.loaded.push_back(epilogue.loadColumn(at));
  }
  return run;
}

SmallVector<Value> Accumulators::compute(ValueRange sums, Line line,
                                         const Row &row, const Run &run) {
  SmallVector<Value> values;
  SmallVector<Int> at = row.at;
  for (auto [column, columnAt, loaded] :
       llvm::zip(run.columns, run.at, run.loaded)) {
    at[plan.n] = columnAt;
    Value value = epilogue.apply(sums[line.position + column.position], at,
                                 loaded, row.operands);
    Type stored = getMemoryType(value.getType());
    if (stored != value.getType())
      value = arith::BitcastOp::create(b, stored, value);
    values.push_back(value);
  }
  return values;
}

void Accumulators::store(ValueRange sums) {
  unsigned result = plan.kernel.getInputs().size();
  Type element = getElementTypeOrSelf(plan.kernel.getInits()[0].getType());
  const Memory memory{result, llvm::to_vector(epilogue.getResultAxes()),
                      element};
  // Rows are found again, not kept in registers from what sums began with.
  if (!plan.initial)
    place.across = {&b, device.ops->hide(b, place.across.value)};
  // Neighbouring columns of a thread are neighbours in memory unless the
  // epilogue transposes, or the instruction does.
  int64_t run = memory.axes.back() == plan.n && !place.turned ? plan.store : 1;
  SmallVector<Line> rows = this->rows(), columns = this->columns();
  Int count = device.countPoints(plan.rowAxes());
  // What an epilogue reads for a column behind the last is that of the last.
  Int last = device.extents[plan.n] - device.number(1);
  Value whole;
  if (run > 1)
    whole = holdsRuns(run, element.getIntOrFloatBitWidth() / 8);
  auto within = [&](Value inside, function_ref<void()> body) {
    OpBuilder::InsertionGuard guard(b);
    auto branch = scf::IfOp::create(b, inside, /*withElseRegion=*/false);
    b.setInsertionPointToStart(branch.thenBlock());
    body();
  };
  auto eachRun = [&](function_ref<void(const Run &)> body) {
    for (size_t first = 0; first < columns.size(); first += run) {
      ArrayRef<Line> together = ArrayRef(columns).slice(first, run);
      within(together[0].at < device.extents[plan.n],
             [&] { body(loadRun(together, last)); });
    }
  };
  auto storeRun = [&](Line line, const Row &row, const Run &run) {
    storeTogether(compute(sums, line, row, run),
                  findColumn(memory, row.begin, run.columns[0]), run.columns,
                  whole);
  };
  if (!epilogue.readsColumns()) {
    // Where a row begins takes no registers while others are stored.
    for (Line line : rows)
      within(line.at < count, [&] {
        Row row = findRow(memory, line);
        eachRun([&](const Run &run) { storeRun(line, row, run); });
      });
    return;
  }
  // What depends on the column alone is loaded once for all rows.
  SmallVector<Row> found = llvm::map_to_vector(
      rows, [&](Line line) { return findRow(memory, line); });
  eachRun([&](const Run &run) {
    for (auto [i, line] : llvm::enumerate(rows))
      within(line.at < count,
             [&, &line = line, i = i] { storeRun(line, found[i], run); });
  });
}
