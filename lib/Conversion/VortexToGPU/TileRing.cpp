//===- TileRing.cpp - Tiles of operands in shared memory -------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileRing.h"

#include "DeviceModule.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace vortex;

TileRing::TileRing(ContractionPlan &plan, DeviceKernel &device,
                   const ContractionPlace &place)
    : plan(plan), device(device), b(device.b), firstK(place.firstK),
      endK(place.endK) {
  shared = getSharedMemory(b, device.function);
  if (plan.window)
    steps.emplace(plan, device, firstK, endK);
  WindowSteps *window = steps ? &*steps : nullptr;
  copiesA.emplace(plan, device, plan.a, place, window, shared, plan.threads());
  copiesB.emplace(plan, device, plan.b, place, window, shared, plan.threads());
}

Value TileRing::chunkAt(const TileOperand &operand, Int stage, Int row,
                        Int chunk) {
  Int offset = stage * plan.stageBytes() + row * operand.rowBytes() +
               swizzleChunk(operand, row, chunk) * kChunkBytes +
               plan.baseOf(operand);
  return device.move(shared, offset.value, b.getI8Type());
}

Value TileRing::elementAt(const TileOperand &operand, Int stage, Int row,
                          Int column, int64_t rowsOn, int64_t columnsOn) {
  int64_t perChunk = kChunkBytes / operand.elementBytes();
  SwizzlePeriod period = getSwizzlePeriod(operand);
  int64_t columnPeriod = period.chunks * perChunk;
  row = row + rowsOn % period.rows;
  column = column + columnsOn % columnPeriod;
  Value pointer = device.move(chunkAt(operand, stage, row, column / perChunk),
                              (column % perChunk).value, operand.element);
  int64_t on = (rowsOn - rowsOn % period.rows) * operand.columns + columnsOn -
               columnsOn % columnPeriod;
  return on ? device.move(pointer, number(on).value, operand.element) : pointer;
}

SmallVector<Value> TileRing::loadMatrices(const TileOperand &operand, Int stage,
                                          Int row, Int chunk, bool transposed) {
  Type i32 = b.getI32Type();
  auto type =
      LLVM::LLVMStructType::getLiteral(b.getContext(), {i32, i32, i32, i32});
  Value matrices = NVVM::LdMatrixOp::create(
      b, type, chunkAt(operand, stage, row, chunk), 4,
      transposed ? NVVM::MMALayout::col : NVVM::MMALayout::row,
      NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8),
      NVVM::LdStMatrixEltType::B16);
  SmallVector<Value> registers;
  for (int64_t i = 0; i < 4; ++i) {
    Value value = LLVM::ExtractValueOp::create(b, matrices, i);
    if (operand.element.isF16()) // an operand of that type, others of i32
      value = LLVM::BitcastOp::create(b, VectorType::get(2, operand.element),
                                      value);
    registers.push_back(value);
  }
  return registers;
}

SmallVector<Value> TileRing::loadTile(const Steps &steps) {
  SmallVector<Value> runs = copiesA->load(steps[0]);
  llvm::append_range(runs, copiesB->load(steps[1]));
  return runs;
}

void TileRing::storeTile(ArrayRef<Value> runs, Int stage) {
  copiesA->store(runs.take_front(copiesA->size()), stage);
  copiesB->store(runs.drop_front(copiesA->size()), stage);
}

TileRing::Steps TileRing::stepsAt(Int k) {
  TileCopies::Step ofA = copiesA->stepAt(k);
  return {ofA, copiesB->stepAt(k)};
}

TileRing::Steps TileRing::stepsAt(const WindowSteps::At &at) {
  TileCopies::Step ofA = copiesA->stepAt(at);
  return {ofA, copiesB->stepAt(at)};
}

void TileRing::issueTile(const Steps &steps, Int stage) {
  copiesA->issue(steps[0], stage);
  copiesB->issue(steps[1], stage);
  if (device.ops->copiesAsync())
    NVVM::CpAsyncCommitGroupOp::create(b);
}

void TileRing::waitForCopies(int64_t pending) {
  if (device.ops->copiesAsync())
    NVVM::CpAsyncWaitGroupOp::create(b, pending);
}

void TileRing::fillTile(const Steps &steps, Int stage) {
  if (plan.staged)
    storeTile(loadTile(steps), stage);
  else
    issueTile(steps, stage);
}

SmallVector<Value> TileRing::reduceTile(ValueRange sums,
                                        function_ref<Steps()> coming, Int read,
                                        Int write, Int k, Multiply multiply) {
  // The tile to be read has landed when all but the last stages - 2 have.
  int64_t ahead = plan.stages - 1;
  waitForCopies(ahead - 1);
  device.ops->barrier(b);
  SmallVector<Value> runs;
  if (plan.staged)
    runs = loadTile(coming());
  else
    issueTile(coming(), write);
  SmallVector<Value> next = multiply(llvm::to_vector(sums), read, k);
  if (plan.staged)
    storeTile(runs, write);
  return next;
}

Int TileRing::nextStage(Int stage) {
  Int following = stage + 1;
  return number(0).select(following == number(plan.stages), following);
}

SmallVector<Value> TileRing::reduceWindow(ArrayRef<Value> start,
                                          Multiply multiply) {
  int64_t ahead = plan.stages - 1;
  WindowSteps::At fill = steps->first();
  for (int64_t stage = 0; stage < ahead; ++stage) {
    fillTile(stepsAt(fill), number(stage));
    fill = steps->next(fill);
  }

  // Carried: the stages read and written, the first step of the tile read, the
  // place of the one brought, sums.
  SmallVector<Value> carried = {number(0).value, number(ahead).value,
                                steps->first().k.value, fill.k.value};
  for (Int outer : fill.outer)
    carried.push_back(outer.value);
  size_t state = carried.size();
  carried.append(start.begin(), start.end());
  auto loop = scf::ForOp::create(b, number(0).value, steps->count().value,
                                 number(1).value, carried);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    auto inside = [&](size_t i) { return Int{&b, loop.getRegionIterArg(i)}; };
    Int read = inside(0), write = inside(1), k = inside(2);
    fill.k = inside(3);
    for (size_t i = 0; i < fill.outer.size(); ++i)
      fill.outer[i] = inside(4 + i);
    SmallVector<Value> sums = reduceTile(
        loop.getRegionIterArgs().drop_front(state),
        [&] { return stepsAt(fill); }, read, write, k, multiply);
    fill = steps->next(fill);
    SmallVector<Value> yields = {nextStage(read).value, nextStage(write).value,
                                 steps->nextK(k).value, fill.k.value};
    for (Int outer : fill.outer)
      yields.push_back(outer.value);
    yields.append(sums);
    scf::YieldOp::create(b, yields);
  }
  waitForCopies(0);
  return llvm::to_vector_of<Value>(loop.getResults().drop_front(state));
}

SmallVector<Value> TileRing::reduce(ArrayRef<Value> start, Multiply multiply) {
  if (steps)
    return reduceWindow(start, multiply);
  int64_t ahead = plan.stages - 1;
  for (int64_t stage = 0; stage < ahead; ++stage)
    fillTile(stepsAt(firstK + stage * plan.blockK), number(stage));

  SmallVector<Value> carried = {number(0).value, number(ahead).value};
  carried.append(start.begin(), start.end());
  auto loop = scf::ForOp::create(b, firstK.value, endK.value,
                                 number(plan.blockK).value, carried);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Int k{&b, loop.getInductionVar()};
    Int read{&b, loop.getRegionIterArg(0)}, write{&b, loop.getRegionIterArg(1)};
    SmallVector<Value> sums = reduceTile(
        loop.getRegionIterArgs().drop_front(2),
        [&] { return stepsAt(k + ahead * plan.blockK); }, read, write, k,
        multiply);
    SmallVector<Value> yields = {nextStage(read).value, nextStage(write).value};
    yields.append(sums);
    scf::YieldOp::create(b, yields);
  }
  waitForCopies(0);
  return llvm::to_vector_of<Value>(loop.getResults().drop_front(2));
}
