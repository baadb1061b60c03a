//===- TileCopies.cpp - Copies of an operand's tiles ------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileCopies.h"

#include "PayloadEmitter.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace vortex;

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

namespace {
/// Each `rows` rows the chunks of a row, `wide` at a time, lie elsewhere.
struct Swizzle {
  int64_t chunks, wide, rows;
};
} // namespace

static Swizzle getSwizzle(const TileOperand &operand) {
  int64_t chunks = std::min<int64_t>(operand.rowBytes() / kChunkBytes, 8);
  // Of rows that many lanes read chunks of at once, those in other banks.
  return {chunks, std::min(operand.chunksAtOnce, chunks),
          std::max(operand.rowsOfLane, 8 / chunks)};
}

/// XOR of a chunk's position with its row: rows of 128 bytes or more repeat
/// after eight rows, shorter ones fill the 32 banks several rows at a time.
Int vortex::swizzleChunk(const TileOperand &operand, Int row, Int chunk) {
  auto [chunks, wide, rows] = getSwizzle(operand);
  if (chunks == wide)
    return chunk;
  return chunk ^ (row / rows % (chunks / wide) * wide);
}

SwizzlePeriod vortex::getSwizzlePeriod(const TileOperand &operand) {
  auto [chunks, wide, rows] = getSwizzle(operand);
  return chunks == wide ? SwizzlePeriod{1, 1}
                        : SwizzlePeriod{rows * (chunks / wide), chunks};
}

TileCopies::TileCopies(const ContractionPlan &plan, DeviceKernel &device,
                       const TileOperand &operand,
                       const ContractionPlace &place, WindowSteps *steps,
                       Value shared, int64_t threads)
    : plan(plan), device(device), b(device.b), operand(operand), steps(steps),
      endK(place.endK), shared(shared) {
  planCopies(place, threads);
}

/// The operand's element at the tile's origin, the reduction at zero; of
/// windows, whose rows lie anywhere, at row zero.
Value TileCopies::findTile(const ContractionPlace &place, Int origin) {
  SmallVector<Int> axes(operand.map.getNumDims());
  if (plan.window)
    axes.assign(axes.size(), number(0));
  for (auto [axis, coordinate] : llvm::zip(plan.batch, place.batch))
    axes[axis] = coordinate;
  if (!isWindow())
    axes[operand.rowAxis] = axes[operand.columnAxis] = origin;
  axes[plan.k] = number(0);
  AffineMap map = operand.map;
  return device.move(
      device.operands[operand.position],
      device.offset(operand.position,
                    PayloadEmitter(plan.kernel, device).coordinates(map, axes)),
      operand.element);
}

void TileCopies::planCopies(const ContractionPlace &place, int64_t threads) {
  Int thread = place.thread, origin = &operand == &plan.a ? place.m0 : place.n0;
  int64_t bytes = operand.elementBytes();
  int64_t perRow = operand.columns / operand.run;
  int64_t total = operand.rows * perRow;
  int64_t chunkElements = kChunkBytes / bytes;
  bool windows = isWindow();
  Value tile = findTile(place, origin);
  Int pitch;
  if (!windows) {
    unsigned rowDim = *operand.map.getResultPosition(
        getAffineDimExpr(operand.rowAxis, b.getContext()));
    pitch = {&b, b.createOrFold<arith::TruncIOp>(
                     b.getI32Type(), device.strides[operand.position][rowDim])};
  }
  Int rows = windows ? device.countPoints(plan.rowAxes())
                     : device.extents[operand.rowAxis];

  for (int64_t i = 0; i * threads < total; ++i) {
    Copy copy;
    Int row; // that has this one's place in a row, but for a constant
    if (threads % perRow == 0) {
      // On scalar units registers are short; ptxas takes those of matrix
      // instructions that are left for another block, and spills.
      int64_t on = i * (threads / perRow);
      int64_t rest = plan.scalar ? on % getSwizzlePeriod(operand).rows : on;
      row = thread / perRow + rest;
      copy.row = thread / perRow + on;
      copy.sharedOn = (on - rest) * operand.rowBytes();
      copy.column = (thread % perRow) * operand.run;
    } else {
      Int run = thread + i * threads;
      row = copy.row = run / perRow;
      copy.column = (run % perRow) * operand.run;
    }
    if ((i + 1) * threads > total)
      copy.active = thread < number(total - i * threads);
    Int chunk = swizzleChunk(operand, row, copy.column / chunkElements);
    copy.shared = row * operand.rowBytes() + chunk * kChunkBytes +
                  (copy.column % chunkElements) * bytes + plan.baseOf(operand);
    copy.pointer =
        windows ? device.move(rowPointer(origin + copy.row, tile),
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
}

/// Where the window of a row of the result begins.
Value TileCopies::rowPointer(Int row, Value tile) {
  return device.move(tile,
                     steps->offsetAt(operand, plan.rowAxes(),
                                     device.divide(plan.rowAxes(), row)),
                     operand.element);
}

TileCopies::Step TileCopies::stepAt(Int k) {
  Value moved = k.wide();
  if (!operand.reductionInner) {
    unsigned rowDim = *operand.map.getResultPosition(
        getAffineDimExpr(operand.rowAxis, b.getContext()));
    moved = b.createOrFold<arith::MulIOp>(
        moved, device.strides[operand.position][rowDim]);
  }
  return {k, endK, moved};
}

TileCopies::Step TileCopies::stepAt(const WindowSteps::At &at) {
  Int limit = steps->limit(at);
  return {at.k, limit, steps->moved(operand, at)};
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

Value TileCopies::pointerTo(Target target, int64_t bytes) {
  Value pointer =
      device.move(shared, (target.offset + bytes).value, b.getI8Type());
  return target.on
             ? device.move(pointer, number(target.on).value, b.getI8Type())
             : pointer;
}

void TileCopies::copyElement(Value source, Target target, int64_t bytes,
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
  LLVM::StoreOp::create(b, load.getResult(0), pointerTo(target, bytes));
}

/// As vectors where it has all of its elements, else one by one.
void TileCopies::copyThrough(Value source, Target target, Int valid) {
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
    LLVM::StoreOp::create(b, LLVM::LoadOp::create(b, type, part, bytes),
                          pointerTo(target, i * operand.elementBytes()), bytes);
  }
  b.setInsertionPointToStart(whole.elseBlock());
  copyElements(source, target, valid);
}

void TileCopies::copyElements(Value source, Target target, Int valid) {
  for (int64_t i = 0; i < operand.run; ++i)
    copyElement(device.move(source, number(i).value, operand.element), target,
                i * operand.elementBytes(), number(i) < valid);
}

void TileCopies::copyRun(Value source, Target target, Int valid) {
  int64_t bytes = operand.elementBytes(), size = operand.run * bytes;
  if (size < kLeastCopyBytes || operand.run == 1) {
    copyElements(source, target, valid);
    return;
  }
  if (!device.ops->copiesAsync()) {
    copyThrough(source, target, valid);
    return;
  }
  // A run that is empty reads nothing; its address is kept inside.
  Value some = number(0) < valid;
  source = arith::SelectOp::create(b, some, source,
                                   device.operands[operand.position]);
  auto kind = size == kChunkBytes ? NVVM::LoadCacheModifierKind::CG
                                  : NVVM::LoadCacheModifierKind::CA;
  NVVM::CpAsyncOp::create(b, pointerTo(target), source, size, kind,
                          (valid * bytes).value);
}

void TileCopies::forEachCopy(const Step &step, Use use) {
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

void TileCopies::issue(const Step &step, Int stage) {
  Int stageBase = stage * plan.stageBytes();
  forEachCopy(step, [&](const Copy &copy, Value source, Int valid) {
    OpBuilder::InsertionGuard guard(b);
    if (copy.active) {
      auto some = scf::IfOp::create(b, copy.active,
                                    /*withElseRegion=*/false);
      b.setInsertionPointToStart(some.thenBlock());
    }
    copyRun(source, {stageBase + copy.shared, copy.sharedOn}, valid);
  });
}

/// A run has all of its elements or none: it is as long as rows are aligned.
Value TileCopies::loadRun(const Copy &copy, Value source, Int valid) {
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

SmallVector<Value> TileCopies::load(const Step &step) {
  SmallVector<Value> runs;
  forEachCopy(step, [&](const Copy &copy, Value source, Int valid) {
    runs.push_back(loadRun(copy, source, valid));
  });
  return runs;
}

void TileCopies::store(ValueRange runs, Int stage) {
  Int stageBase = stage * plan.stageBytes();
  for (auto [copy, run] : llvm::zip(copies, runs)) {
    OpBuilder::InsertionGuard guard(b);
    if (copy.active) {
      auto some = scf::IfOp::create(b, copy.active, /*withElseRegion=*/false);
      b.setInsertionPointToStart(some.thenBlock());
    }
    Target target{stageBase + copy.shared, copy.sharedOn};
    LLVM::StoreOp::create(b, run, pointerTo(target),
                          operand.run * operand.elementBytes());
  }
}
