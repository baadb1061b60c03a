//===- TileRing.cpp - Tiles of operands in shared memory -------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileRing.h"

#include "DeviceModule.h"
#include "PayloadEmitter.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace vortex;

/// PTX ISA: what one asynchronous copy moves at least.
static constexpr int64_t kLeastCopyBytes = 4;

TileRing::TileRing(ContractionPlan &plan, DeviceKernel &device,
                   const ContractionPlace &place)
    : plan(plan), device(device), b(device.b), firstK(place.firstK),
      endK(place.endK) {
  shared = getSharedMemory(b, device.function);
  if (plan.window)
    steps.emplace(plan, device);
  copiesA = planCopies(plan.a, place, place.m0);
  copiesB = planCopies(plan.b, place, place.n0);
}

/// XOR of a chunk's position with its row: rows of 128 bytes or more repeat
/// after eight rows, shorter ones fill the 32 banks several rows at a time.
Int TileRing::swizzle(const TileOperand &operand, Int row, Int chunk) {
  int64_t chunks = operand.rowBytes() / kChunkBytes;
  if (chunks == 1)
    return chunk;
  if (chunks >= 8)
    return chunk ^ (row % 8);
  return chunk ^ ((row / (8 / chunks)) % chunks);
}

Value TileRing::chunkAt(const TileOperand &operand, Int stage, Int row,
                        Int chunk) {
  Int offset = stage * plan.stageBytes() + row * operand.rowBytes() +
               swizzle(operand, row, chunk) * kChunkBytes + base(operand);
  return device.move(shared, offset.value, b.getI8Type());
}

Value TileRing::elementAt(const TileOperand &operand, Int stage, Int row,
                          Int column) {
  int64_t perChunk = kChunkBytes / operand.elementBytes();
  return device.move(chunkAt(operand, stage, row, column / perChunk),
                     (column % perChunk).value, operand.element);
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

SmallVector<TileRing::Copy> TileRing::planCopies(const TileOperand &operand,
                                                 const ContractionPlace &place,
                                                 Int origin) {
  Int thread = place.thread;
  int64_t bytes = operand.elementBytes();
  int64_t perRow = operand.columns / operand.run;
  int64_t total = operand.rows * perRow, threads = plan.threads();
  int64_t chunkElements = kChunkBytes / bytes;
  // The operand's element at the tile's origin, the reduction at zero; of
  // windows, whose rows lie anywhere, at row zero.
  bool windows = plan.window && &operand == &plan.a;
  SmallVector<Int> axes(operand.map.getNumDims());
  if (plan.window)
    axes.assign(axes.size(), number(0));
  for (auto [axis, coordinate] : llvm::zip(plan.batch, place.batch))
    axes[axis] = coordinate;
  if (!windows)
    axes[operand.rowAxis] = axes[operand.columnAxis] = origin;
  axes[plan.k] = number(0);
  SmallVector<Int> coordinates =
      PayloadEmitter(plan.kernel, device).coordinates(operand.map, axes);
  Value tile = device.move(device.operands[operand.position],
                           device.offset(operand.position, coordinates),
                           operand.element);
  Int pitch;
  if (!windows) {
    unsigned rowDim = *operand.map.getResultPosition(
        getAffineDimExpr(operand.rowAxis, b.getContext()));
    pitch = {&b, b.createOrFold<arith::TruncIOp>(
                     b.getI32Type(), device.strides[operand.position][rowDim])};
  }
  Int rows = windows ? device.countPoints(plan.rowAxes())
                     : device.extents[operand.rowAxis];

  SmallVector<Copy> copies;
  for (int64_t i = 0; i * threads < total; ++i) {
    Copy copy;
    if (threads % perRow == 0) {
      copy.row = thread / perRow + i * (threads / perRow);
      copy.column = (thread % perRow) * operand.run;
    } else {
      Int run = thread + i * threads;
      copy.row = run / perRow;
      copy.column = (run % perRow) * operand.run;
    }
    if ((i + 1) * threads > total)
      copy.active = thread < number(total - i * threads);
    Int chunk = swizzle(operand, copy.row, copy.column / chunkElements);
    copy.shared = copy.row * operand.rowBytes() + chunk * kChunkBytes +
                  (copy.column % chunkElements) * bytes + base(operand);
    copy.pointer =
        windows ? device.move(rowPointer(operand, origin + copy.row, tile),
                              copy.column.wide(), operand.element)
                : device.move(tile, (copy.row * pitch + copy.column).wide(),
                              operand.element);
    if (operand.reductionInner)
      copy.rowInside = origin + copy.row < rows;
    else
      copy.columnsInside = device.extents[operand.columnAxis].remaining(
          origin + copy.column, operand.run);
    copies.push_back(copy);
  }
  return copies;
}

/// Where the window of a row of the result begins.
Value TileRing::rowPointer(const TileOperand &operand, Int row, Value tile) {
  return device.move(tile,
                     steps->offsetAt(operand, plan.rowAxes(),
                                     device.divide(plan.rowAxes(), row)),
                     operand.element);
}

void TileRing::copyElement(const TileOperand &operand, Value source, Int target,
                           Value valid) {
  Type element = getMemoryType(operand.element);
  auto load = scf::IfOp::create(b, TypeRange{element}, valid,
                                /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(load.thenBlock());
  scf::YieldOp::create(b, ValueRange{LLVM::LoadOp::create(b, element, source)});
  b.setInsertionPointToStart(load.elseBlock());
  scf::YieldOp::create(
      b, ValueRange{arith::ConstantOp::create(b, b.getZeroAttr(element))});
  b.setInsertionPointAfter(load);
  LLVM::StoreOp::create(b, load.getResult(0),
                        device.move(shared, target.value, b.getI8Type()));
}

/// As vectors where it has all of its elements, else one by one.
void TileRing::copyThrough(const TileOperand &operand, Value source, Int target,
                           Int valid) {
  int64_t most = device.ops->getMostElements();
  int64_t count = most ? std::min(most, operand.run) : operand.run;
  auto type = VectorType::get({count}, getMemoryType(operand.element));
  int64_t bytes = count * operand.elementBytes();
  auto whole = scf::IfOp::create(b, valid == number(operand.run),
                                 /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(whole.thenBlock());
  for (int64_t i = 0; i < operand.run; i += count) {
    Value part = device.move(source, number(i).value, operand.element);
    Int at = target + i * operand.elementBytes();
    LLVM::StoreOp::create(b, LLVM::LoadOp::create(b, type, part, bytes),
                          device.move(shared, at.value, b.getI8Type()), bytes);
  }
  b.setInsertionPointToStart(whole.elseBlock());
  copyElements(operand, source, target, valid);
}

void TileRing::copyElements(const TileOperand &operand, Value source,
                            Int target, Int valid) {
  for (int64_t i = 0; i < operand.run; ++i)
    copyElement(operand, device.move(source, number(i).value, operand.element),
                target + i * operand.elementBytes(), number(i) < valid);
}

void TileRing::copyRun(const TileOperand &operand, const Copy &copy,
                       Value source, Int target, Int valid) {
  int64_t bytes = operand.elementBytes(), size = operand.run * bytes;
  if (size < kLeastCopyBytes || operand.run == 1) {
    copyElements(operand, source, target, valid);
    return;
  }
  if (!device.ops->copiesAsync()) {
    copyThrough(operand, source, target, valid);
    return;
  }
  // A run that is empty reads nothing; its address is kept inside.
  Value some = number(0) < valid;
  source = arith::SelectOp::create(b, some, source,
                                   device.operands[operand.position]);
  auto kind = size == kChunkBytes ? NVVM::LoadCacheModifierKind::CG
                                  : NVVM::LoadCacheModifierKind::CA;
  NVVM::CpAsyncOp::create(b, device.move(shared, target.value, b.getI8Type()),
                          source, size, kind, (valid * bytes).value);
}

void TileRing::forEachCopy(const TileOperand &operand, ArrayRef<Copy> copies,
                           const Step &step, Use use) {
  for (const Copy &copy : copies) {
    Int valid;
    if (operand.reductionInner)
      valid = step.limit.remaining(step.k + copy.column, operand.run)
                  .select(copy.rowInside, number(0));
    else
      valid =
          copy.columnsInside.select(step.k + copy.row < step.limit, number(0));
    use(copy, device.move(copy.pointer, step.moved, operand.element), valid);
  }
}

void TileRing::issue(const TileOperand &operand, ArrayRef<Copy> copies,
                     const Step &step, Int stage) {
  Int stageBase = stage * plan.stageBytes();
  forEachCopy(operand, copies, step,
              [&](const Copy &copy, Value source, Int valid) {
                OpBuilder::InsertionGuard guard(b);
                if (copy.active) {
                  auto some = scf::IfOp::create(b, copy.active,
                                                /*withElseRegion=*/false);
                  b.setInsertionPointToStart(some.thenBlock());
                }
                copyRun(operand, copy, source, stageBase + copy.shared, valid);
              });
}

/// A run has all of its elements or none: it is as long as rows are aligned.
Value TileRing::loadRun(const TileOperand &operand, const Copy &copy,
                        Value source, Int valid) {
  Type type = getMemoryType(operand.element);
  if (operand.run > 1)
    type = VectorType::get({operand.run}, type);
  Value some = valid == number(operand.run);
  if (copy.active)
    some = arith::AndIOp::create(b, some, copy.active);
  auto load = scf::IfOp::create(b, TypeRange{type}, some,
                                /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(load.thenBlock());
  scf::YieldOp::create(
      b, ValueRange{LLVM::LoadOp::create(
             b, type, source, operand.run * operand.elementBytes())});
  b.setInsertionPointToStart(load.elseBlock());
  scf::YieldOp::create(
      b, ValueRange{arith::ConstantOp::create(b, b.getZeroAttr(type))});
  return load.getResult(0);
}

SmallVector<Value> TileRing::loadTile(const Steps &steps) {
  SmallVector<Value> runs;
  auto load = [&](const TileOperand &operand, ArrayRef<Copy> copies,
                  const Step &step) {
    forEachCopy(operand, copies, step,
                [&](const Copy &copy, Value source, Int valid) {
                  runs.push_back(loadRun(operand, copy, source, valid));
                });
  };
  load(plan.a, copiesA, steps[0]);
  load(plan.b, copiesB, steps[1]);
  return runs;
}

void TileRing::storeTile(ArrayRef<Value> runs, Int stage) {
  Int stageBase = stage * plan.stageBytes();
  for (auto [operand, copies] :
       {std::pair(&plan.a, &copiesA), std::pair(&plan.b, &copiesB)})
    for (const Copy &copy : *copies) {
      OpBuilder::InsertionGuard guard(b);
      if (copy.active) {
        auto some = scf::IfOp::create(b, copy.active,
                                      /*withElseRegion=*/false);
        b.setInsertionPointToStart(some.thenBlock());
      }
      Int target = stageBase + copy.shared;
      LLVM::StoreOp::create(b, runs.front(),
                            device.move(shared, target.value, b.getI8Type()),
                            operand->run * operand->elementBytes());
      runs = runs.drop_front();
    }
}

TileRing::Steps TileRing::stepsAt(Int k) {
  auto stepOf = [&](const TileOperand &operand) -> Step {
    Value moved = k.wide();
    if (!operand.reductionInner) {
      unsigned rowDim = *operand.map.getResultPosition(
          getAffineDimExpr(operand.rowAxis, b.getContext()));
      moved = b.createOrFold<arith::MulIOp>(
          moved, device.strides[operand.position][rowDim]);
    }
    return {k, endK, moved};
  };
  Step ofA = stepOf(plan.a);
  return {ofA, stepOf(plan.b)};
}

TileRing::Steps TileRing::stepsAt(const WindowSteps::At &at) {
  Int limit = steps->limit(at);
  Step ofA = {at.k, limit, steps->moved(plan.a, at)};
  return {ofA, Step{at.k, limit, steps->moved(plan.b, at)}};
}

void TileRing::issueTile(const Steps &steps, Int stage) {
  issue(plan.a, copiesA, steps[0], stage);
  issue(plan.b, copiesB, steps[1], stage);
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
                                number(0).value, fill.k.value};
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
