//===- BoxStore.cpp - Results stored by bulk copies -------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BoxStore.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace vortex;

/// PTX ISA, fragments of `wgmma`: a warp has 16 of 64 rows, of each tile of 8
/// columns a thread two neighbours in a row and those eight rows below.
static constexpr int64_t kRowsOfWarp = 16, kTileColumns = 8, kRun = 2,
                         kRowsOfThread = 2, kSumsOfTile = kRun * kRowsOfThread,
                         kThreadsOfGroup = kWarpsPerGroup * 32;
/// Named barriers of groups; number 0 is the block's.
static constexpr int64_t kFirstBarrier = 1;

Type BoxStore::getElement() {
  return getElementTypeOrSelf(plan.kernel.getInits()[0].getType());
}

Value BoxStore::isFirst() {
  return place.thread % kThreadsOfGroup == number(0);
}

void BoxStore::wait(int64_t pending) {
  auto first = scf::IfOp::create(b, isFirst(), /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(first.thenBlock());
  NVVM::CpAsyncBulkWaitGroupOp::create(b, b.getI32IntegerAttr(pending),
                                       /*read=*/b.getUnitAttr());
}

void BoxStore::meet(Int group) {
  NVVM::BarrierOp::create(b, TypeRange(), (group + kFirstBarrier).value,
                          number(kThreadsOfGroup).value,
                          NVVM::BarrierReductionAttr(), Value());
}

void BoxStore::finish() { wait(0); }

/// Values of the result at `columns` of `row`.
SmallVector<Value> BoxStore::makeRow(ValueRange sums, Int row,
                                     ArrayRef<Int> columns, int64_t first) {
  SmallVector<Int> at(plan.kernel.getAxes().size());
  for (auto [axis, coordinate] : llvm::zip(plan.batch, place.batch))
    at[axis] = coordinate;
  // Past an edge what the epilogue reads is the last element again.
  auto inside = [&](Int coordinate, unsigned axis) {
    return coordinate.atMost(device.extents[axis] - number(1));
  };
  at[plan.m] = inside(row, plan.m);
  SmallVector<Value> values;
  for (auto [i, column] : llvm::enumerate(columns)) {
    at[plan.n] = inside(column, plan.n);
    Value value = epilogue.apply(sums[first + i], at, epilogue.loadColumn(at));
    if (Type memory = getMemoryType(value.getType()); memory != value.getType())
      value = arith::BitcastOp::create(b, memory, value);
    values.push_back(value);
  }
  return values;
}

void BoxStore::write(ValueRange sums, Int buffer, Int row, Int column,
                     int64_t first) {
  int64_t bytes = getElement().getIntOrFloatBitWidth() / 8;
  Int inWarp = place.lane / 4, inRow = (place.lane % 4) * kRun;
  Int warpRow = (place.thread / 32) % kWarpsPerGroup * kRowsOfWarp + inWarp;
  for (int64_t tile = 0; tile < plan.store / kTileColumns; ++tile) {
    SmallVector<Int> columns;
    for (int64_t e = 0; e < kRun; ++e)
      columns.push_back(column + inRow + (tile * kTileColumns + e));
    // The eight rows of a warp that lie below each other have their chunks in
    // different banks.
    Int across = (inRow + tile * kTileColumns) * bytes;
    Int swizzled = across ^ (inWarp * kChunkBytes);
    for (int64_t half = 0; half < kRowsOfThread; ++half) {
      Int inBox = warpRow + half * (kRowsOfWarp / kRowsOfThread);
      SmallVector<Value> values = makeRow(
          sums, row + inBox, columns, first + tile * kSumsOfTile + half * kRun);
      Value pair = vector::FromElementsOp::create(
          b, VectorType::get(kRun, values[0].getType()), values);
      Int offset = buffer + inBox * kBoxRowBytes + swizzled;
      LLVM::StoreOp::create(b, pair,
                            device.move(shared, offset.value, b.getI8Type()),
                            kRun * bytes);
    }
  }
}

void BoxStore::issue(Int buffer, Int row, Int column) {
  auto first = scf::IfOp::create(b, isFirst(), /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(first.thenBlock());
  SmallVector<Value> coordinates =
      place.boxAt(epilogue.getResultAxes(), {plan.m, plan.n, row, column});
  NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp::create(
      b, device.maps.back(), device.move(shared, buffer.value, b.getI8Type()),
      coordinates, Value(), NVVM::TMAStoreMode::TILE, Value());
  NVVM::CpAsyncBulkCommitGroupOp::create(b);
}

void BoxStore::store(ValueRange sums, Int group) {
  int64_t across = plan.warpN / plan.store;
  int64_t boxes = plan.warpM / kBoxRows * across;
  for (int64_t box = 0; box < boxes; ++box) {
    int64_t i = box / across, j = box % across;
    Int buffer = (group * kStoreBuffers + box % kStoreBuffers) * kBoxBytes +
                 plan.storeOffset();
    Int row = place.m0 + group * plan.warpM + i * kBoxRows,
        column = place.n0 + j * plan.store;
    // Whoever used the buffer before: in this tile, or the last in the one
    // before it.
    int64_t pending = box >= kStoreBuffers
                          ? kStoreBuffers - 1
                          : std::min((boxes - 1 - box) % kStoreBuffers + box,
                                     kStoreBuffers - 1);
    wait(pending);
    meet(group);
    write(sums, buffer, row, column,
          (i * (plan.warpN / kTileColumns) + j * (plan.store / kTileColumns)) *
              kSumsOfTile);
    // Copies see what has been written through this fence.
    NVVM::FenceProxyOp::create(
        b, NVVM::ProxyKind::async_shared,
        NVVM::SharedSpaceAttr::get(b.getContext(),
                                   NVVM::SharedSpace::shared_cta));
    meet(group);
    issue(buffer, row, column);
  }
}
