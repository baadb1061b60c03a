//===- EmitStripTile.cpp - Several rows of a result in each vector --------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A contraction of few columns leaves most of a vector idle, and one of few
// steps spends its time on finding them. So the lanes of a vector go on behind
// the end of a row of the result, which is written as it lies in memory: lane i
// is row i / d and column i % d of the rows in the vector, d being how far rows
// are apart. The rows of A below it lie in two vectors; a step takes for each
// lane the element of its row by one permutation, and of a row of B, which
// serves all vectors of a block, that of its column. How many rows fit follows
// from the sizes and distances when the kernel is called, so one code serves
// all of them.
//
//===----------------------------------------------------------------------===//

#include "CarriedLoop.h"
#include "StripTile.h"

#include "vortex/Dialect/Vortex/IR/FlatMemory.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace vortex;

static linalg::LinalgOp producerIn(Block *block, Value value) {
  auto op = value.getDefiningOp<linalg::LinalgOp>();
  return op && op->getBlock() == block ? op : linalg::LinalgOp();
}

static unsigned columnOf(linalg::LinalgOp op) {
  AffineMap out = op.getIndexingMapsArray().back();
  return out.getDimPosition(out.getNumResults() - 1);
}

static unsigned rowOf(linalg::LinalgOp op, int64_t rowDim) {
  AffineMap out = op.getIndexingMapsArray().back();
  return out.getDimPosition(out.getNumResults() - rowDim);
}

/// A contraction of rows of the first input, contiguous in its one reduction,
/// with columns of the second, which no row changes.
static bool isStripProduct(linalg::LinalgOp op, int64_t rowDim) {
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (reductions.size() != 1 || op.getNumDpsInputs() != 2)
    return false;
  unsigned row = rowOf(op, rowDim), column = columnOf(op);
  return maps[0].isProjectedPermutation() && maps[0].isFunctionOfDim(row) &&
         !maps[0].isFunctionOfDim(column) &&
         TileEmitter::isContiguous(maps[0], reductions[0]) &&
         maps[1].isFunctionOfDim(column) && !maps[1].isFunctionOfDim(row) &&
         llvm::all_of(op.getDpsInputs(), [&](Value input) {
           return !producerIn(op->getBlock(), input);
         });
}

/// An op element by element, of what ops in front of it make and of what is the
/// same for all rows. Functions of many instructions would be code of each
/// vector of a block.
static bool isStripChain(linalg::LinalgOp op, int64_t rowDim) {
  AffineMap out = op.getIndexingMapsArray().back();
  if (op.getNumReductionLoops() || !out.isPermutation() ||
      llvm::any_of(op->getRegion(0).front(), [](Operation &inner) {
        return isa<math::MathDialect>(inner.getDialect());
      }))
    return false;
  unsigned row = rowOf(op, rowDim), column = columnOf(op);
  return llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (op.isDpsInit(&operand))
      return !op.payloadUsesValueFromOperand(&operand);
    if (linalg::LinalgOp from = producerIn(op->getBlock(), operand.get());
        from && !isa<linalg::FillOp>(from.getOperation()))
      return map == out;
    return !map.isFunctionOfDim(row) &&
           (!map.isFunctionOfDim(column) ||
            TileEmitter::isContiguous(map, column));
  });
}

linalg::LinalgOp vortex::findStripProduct(Block &block, int64_t rowDim) {
  linalg::LinalgOp product;
  for (Operation &op : block.without_terminator()) {
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    if (isa<linalg::FillOp, arith::ConstantOp>(op))
      continue;
    if (!linalgOp || linalgOp->getNumResults() != 1 ||
        !linalgOp.getIndexingMapsArray().back().isProjectedPermutation())
      return {};
    AffineMap out = linalgOp.getIndexingMapsArray().back();
    if (rowDim < 2 || int64_t(out.getNumResults()) < rowDim)
      return {};
    if (!product && isStripProduct(linalgOp, rowDim))
      product = linalgOp;
    else if (!product || !isStripChain(linalgOp, rowDim))
      return {};
  }
  if (!product)
    return {};
  // Sums start from what the result holds, whose rows are as far apart as those
  // that are written: another tensor's need not be.
  auto startOf = [&](Value value) {
    while (auto op = value.getDefiningOp<linalg::LinalgOp>()) {
      if (op->getBlock() != &block || isa<linalg::FillOp>(op.getOperation()))
        break;
      value = op.getDpsInits()[0];
    }
    return value;
  };
  Value init = startOf(product.getDpsInits()[0]);
  if (isa<BlockArgument>(init) &&
      llvm::any_of(block.getTerminator()->getOperands(),
                   [&](Value result) { return startOf(result) != init; }))
    return {};
  // Whatever is moved between lanes is as wide as they are.
  Type type = getElementTypeOrSelf(product->getResult(0));
  if (!type.isF32() && !type.isF64() && !type.isInteger(32) &&
      !type.isInteger(64))
    return {};
  for (Operation &op : block.without_terminator())
    for (Value value : op.getOperands())
      if (isa<ShapedType>(value.getType()) &&
          getElementTypeOrSelf(value.getType()) != type)
        return {};
  return product;
}

namespace {
/// Vectors of a block, side by side.
using Vectors = SmallVector<Value>;

class StripEmitter : TileEmitter {
public:
  StripEmitter(OpBuilder &b, MicroKernelOp kernel)
      : TileEmitter(b, kernel.getLoc(), kernel.getSpec().getLanes(),
                    kernel.getSpec().getContract()),
        kernel(kernel), rowDim(kernel.getRowDim().value_or(2)) {}
  FailureOr<SmallVector<Value>> run();

private:
  void findExtents();
  void findLanes();
  void readColumns(linalg::LinalgOp op);
  Value emitRows(Value first, Value count, int64_t vectors, Value into);
  Vectors start(ValueRange firstRows, Value mask);
  Vectors reduce(ValueRange firstRows, Value count, const Vectors &sums);
  Value finish(Value sum);
  Value compute(linalg::LinalgOp op, ArrayRef<Value> arguments);

  Value outside(Value value) { return getOutside(kernel, value); }
  Value flatten(Value tensor, int64_t dim, Value &stride);
  Value add(Value x, Value y) { return arith::AddIOp::create(b, loc, x, y); }
  Value mul(Value x, Value y) { return arith::MulIOp::create(b, loc, x, y); }
  Value atMost(Value x, Value y) {
    return arith::MinUIOp::create(b, loc, x, y);
  }
  Value atLeast(Value x, Value y) {
    return arith::MaxUIOp::create(b, loc, x, y);
  }
  /// `value`, an index, in each lane.
  Value inLanes(Value value) {
    return vector::BroadcastOp::create(
        b, loc, laneType, arith::IndexCastUIOp::create(b, loc, word, value));
  }
  Value permute(Value first, Value second, Value indices) {
    return PermuteOp::create(b, loc, first.getType(), first, second, indices);
  }
  Value maskBelow(Value index, Value limit) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, index,
                                 limit);
  }

  MicroKernelOp kernel;
  int64_t rowDim;
  linalg::LinalgOp product;
  Type element;
  IntegerType word;    ///< as wide as an element
  VectorType laneType; ///< a word for each lane
  unsigned reduction = 0;
  Value rows, columns, steps; ///< of the tile
  Value memoryA, strideA, memoryC, strideC;
  Value rowsOfVector;
  Value rowOfLane, columnOfLane, inColumns, fromA;
  /// Operands that no row changes, lane by lane.
  DenseMap<std::pair<Operation *, unsigned>, Value> constants;
};
} // namespace

/// The memory of `tensor` from its first element on, and how far the rows that
/// its dimension `dim`, counted from the end, walks are apart.
Value StripEmitter::flatten(Value tensor, int64_t dim, Value &stride) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> strides(type.getRank(), ShapedType::kDynamic);
  strides.back() = 1; // as kernels are called
  auto layout =
      StridedLayoutAttr::get(b.getContext(), ShapedType::kDynamic, strides);
  Value buffer = bufferization::ToBufferOp::create(
      b, loc, MemRefType::get(type.getShape(), type.getElementType(), layout),
      tensor, /*read_only=*/true);
  FlatMemory flat = flattenMemory(b, loc, buffer, dim);
  stride = flat.rowStride;
  return flat.memory;
}

void StripEmitter::findExtents() {
  Value destination = kernel.getInits()[0];
  int64_t rank = cast<RankedTensorType>(destination.getType()).getRank();
  auto dim = [&](Value value, int64_t position) {
    return getValueOrCreateConstantIndexOp(
        b, loc, tensor::getMixedSize(b, loc, value, position));
  };
  rows = dim(destination, rank - rowDim);
  columns = dim(destination, rank - 1);
  memoryC = flatten(destination, rowDim, strideC);
  Value a = outside(product->getOperand(0));
  AffineMap map = product.getIndexingMapsArray()[0];
  unsigned row = *map.getResultPosition(
      getAffineDimExpr(rowOf(product, rowDim), b.getContext()));
  steps = dim(a, map.getNumResults() - 1);
  memoryA = flatten(a, map.getNumResults() - row, strideA);
}

/// Which row and column each lane is, and where in the two vectors of A its row
/// begins.
void StripEmitter::findLanes() {
  Value all = constant(lanes);
  // A single row may have any stride.
  Value apart = atMost(atLeast(strideC, atLeast(columns, constant(1))), all);
  auto fitting = [&](Value room, Value taken, Value stride) {
    Value left = arith::SubIOp::create(b, loc, room, atMost(taken, room));
    Value more =
        arith::DivUIOp::create(b, loc, left, atLeast(stride, constant(1)));
    return add(more, constant(1));
  };
  rowsOfVector = atMost(fitting(all, columns, apart),
                        fitting(constant(2 * lanes), steps, strideA));

  // Lane numbers are exact in f32, and half of one is further from the next row
  // than rounding goes.
  auto real = VectorType::get({lanes}, b.getF32Type());
  SmallVector<float> middles;
  SmallVector<APInt> numbers;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    middles.push_back(float(lane) + 0.5F);
    numbers.push_back(APInt(word.getWidth(), lane));
  }
  Value middle = arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(real, ArrayRef<float>(middles)));
  Value number = arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(laneType, numbers));
  Value distance = vector::BroadcastOp::create(
      b, loc, real,
      arith::UIToFPOp::create(
          b, loc, b.getF32Type(),
          arith::IndexCastUIOp::create(b, loc, b.getI32Type(), apart)));
  rowOfLane = arith::FPToSIOp::create(
      b, loc, laneType, arith::DivFOp::create(b, loc, middle, distance));
  columnOfLane =
      arith::SubIOp::create(b, loc, number, mul(rowOfLane, inLanes(apart)));
  inColumns = maskBelow(columnOfLane, inLanes(columns));
  fromA = mul(rowOfLane, inLanes(strideA));
}

/// What `op` reads that no row changes.
void StripEmitter::readColumns(linalg::LinalgOp op) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<Value> loops(op.getNumLoops(), constant(0));
  unsigned column = columnOf(op);
  Value first = vector::CreateMaskOp::create(
      b, loc, VectorType::get({lanes}, b.getI1Type()), ValueRange{columns});
  for (OpOperand *input : op.getDpsInputOperands()) {
    unsigned i = input->getOperandNumber();
    linalg::LinalgOp from = getProducer(kernel, input->get());
    Value &value = constants[{op, i}];
    if (!op.payloadUsesValueFromOperand(input) ||
        (from && !isa<linalg::FillOp>(from.getOperation())))
      continue;
    if (from) {
      value = splat(outside(from->getOperand(0)));
      continue;
    }
    TileOperand operand = inMemory(outside(input->get()), maps[i], 0, 1);
    if (!maps[i].isFunctionOfDim(column)) {
      value = splat(readScalar(operand, loops));
      continue;
    }
    Value read = readVector(operand, loops, column, first, columns);
    value = permute(read, read, columnOfLane);
  }
}

Value StripEmitter::compute(linalg::LinalgOp op, ArrayRef<Value> arguments) {
  Block &body = op->getRegion(0).front();
  IRMapping map;
  for (auto [argument, value] : llvm::zip(body.getArguments(), arguments))
    if (value)
      map.map(argument, value);
  for (Operation &inner : body.without_terminator())
    clonePayload(inner, map);
  Value yielded = body.getTerminator()->getOperand(0);
  Value result = map.lookupOrNull(yielded);
  return result ? result : splat(yielded);
}

/// What the sums of vectors that begin at `firstRows` are added to.
Vectors StripEmitter::start(ValueRange firstRows, Value mask) {
  Value init = product.getDpsInits()[0];
  linalg::LinalgOp from = getProducer(kernel, init);
  Vectors sums;
  for (Value first : firstRows) {
    if (from) {
      sums.push_back(splat(outside(from->getOperand(0))));
      continue;
    }
    auto type = vectorOf(element);
    Value none = splat(
        arith::ConstantOp::create(b, loc, b.getZeroAttr(element)).getResult());
    sums.push_back(vector::MaskedLoadOp::create(
        b, loc, type, memoryC, mul(first, strideC), mask, none));
  }
  return sums;
}

/// The sums of vectors of `count` rows that begin at `firstRows`.
Vectors StripEmitter::reduce(ValueRange firstRows, Value count,
                             const Vectors &sums) {
  auto type = vectorOf(element);
  auto maskType = VectorType::get({lanes}, b.getI1Type());
  Value none = splat(
      arith::ConstantOp::create(b, loc, b.getZeroAttr(element)).getResult());
  Value last = arith::SubIOp::create(b, loc, count, constant(1));
  // Without steps there is nothing behind the distance of rows.
  Value some = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, steps,
                                     constant(0));
  Value window = arith::SelectOp::create(
      b, loc, some, add(mul(last, strideA), steps), constant(0));
  Value low = atMost(window, constant(lanes));
  Value high = arith::SubIOp::create(b, loc, window, low);
  Value lowMask =
      vector::CreateMaskOp::create(b, loc, maskType, ValueRange{low});
  Value highMask =
      vector::CreateMaskOp::create(b, loc, maskType, ValueRange{high});
  SmallVector<std::pair<Value, Value>> rowsOfA;
  for (Value first : firstRows) {
    Value at = mul(first, strideA);
    Value behind = add(at, constant(lanes));
    Value x =
        vector::MaskedLoadOp::create(b, loc, type, memoryA, at, lowMask, none);
    Value y = vector::MaskedLoadOp::create(b, loc, type, memoryA, behind,
                                           highMask, none);
    rowsOfA.push_back({x, y});
  }
  SmallVector<Value> carried(sums);
  carried.push_back(fromA);
  auto loop =
      scf::ForOp::create(b, loc, constant(0), steps, constant(1), carried);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> loops(product.getNumLoops(), constant(0));
  loops[reduction] = loop.getInductionVar();
  unsigned column = columnOf(product);
  Value mask =
      vector::CreateMaskOp::create(b, loc, maskType, ValueRange{columns});
  TileOperand operand = inMemory(outside(product->getOperand(1)),
                                 product.getIndexingMapsArray()[1], 0, 1);
  Value row = readVector(operand, loops, column, mask, columns);
  Value factor = permute(row, row, columnOfLane);
  Value from = loop.getRegionIterArgs().back();
  SmallVector<Value> next;
  for (auto [i, pair] : llvm::enumerate(rowsOfA))
    next.push_back(compute(product, {permute(pair.first, pair.second, from),
                                     factor, loop.getRegionIterArgs()[i]}));
  next.push_back(add(from, inLanes(constant(1))));
  scf::YieldOp::create(b, loc, next);
  return Vectors(loop.getResults().drop_back());
}

/// What the ops behind the product make of one vector of it.
Value StripEmitter::finish(Value sum) {
  DenseMap<Operation *, Value> done;
  done[product] = sum;
  Block &body = kernel.getBody().front();
  for (auto op : body.getOps<linalg::LinalgOp>()) {
    if (op == product || isa<linalg::FillOp>(op.getOperation()))
      continue;
    SmallVector<Value> arguments;
    for (OpOperand *input : op.getDpsInputOperands()) {
      Value value = constants.lookup({op, input->getOperandNumber()});
      linalg::LinalgOp from = getProducer(kernel, input->get());
      arguments.push_back(value || !from ? value : done.lookup(from));
    }
    done[op] = compute(op, arguments);
  }
  Operation *yield = body.getTerminator();
  return done.lookup(getProducer(kernel, yield->getOperand(0)));
}

/// `vectors` of `count` rows each, from row `first` on.
Value StripEmitter::emitRows(Value first, Value count, int64_t vectors,
                             Value into) {
  Vectors firstRows = {first};
  while (int64_t(firstRows.size()) < vectors)
    firstRows.push_back(add(firstRows.back(), rowsOfVector));
  Value mask = arith::AndIOp::create(b, loc, inColumns,
                                     maskBelow(rowOfLane, inLanes(count)));
  Vectors sums = reduce(firstRows, count, start(firstRows, mask));
  for (auto [row, sum] : llvm::zip(firstRows, sums))
    into = StoreTileOp::create(b, loc, into, finish(sum), mask, row,
                               /*column=*/Value(), /*vectors=*/1, rowDim,
                               /*flat=*/true);
  return into;
}

FailureOr<SmallVector<Value>> StripEmitter::run() {
  Block &body = kernel.getBody().front();
  product = findStripProduct(body, rowDim);
  if (!product)
    return kernel.emitOpError("is no product of rows and columns with elements "
                              "of 32 or 64 bits, and what follows it element "
                              "by element");
  Value root = body.getTerminator()->getOperand(0);
  SmallVector<AffineMap> maps = product.getIndexingMapsArray();
  if (body.getTerminator()->getNumOperands() != 1 ||
      !getProducer(kernel, root) || isa<linalg::FillOp>(root.getDefiningOp()) ||
      !isContiguous(maps[1], columnOf(product)))
    return kernel.emitOpError("reads columns that do not lie side by side, or "
                              "does not yield one product");
  element = getElementTypeOrSelf(product->getResult(0));
  word = b.getIntegerType(element.getIntOrFloatBitWidth());
  laneType = VectorType::get({lanes}, word);
  SmallVector<unsigned> reductions;
  product.getReductionDims(reductions);
  reduction = reductions[0];

  findExtents();
  findLanes();
  for (auto op : body.getOps<linalg::LinalgOp>())
    if (op != product && !isa<linalg::FillOp>(op.getOperation()))
      readColumns(op);

  int64_t vectors = kernel.getSpec().getRows();
  Value block = mul(rowsOfVector, constant(vectors));
  Value rest = arith::RemUIOp::create(b, loc, rows, block);
  Value whole = arith::SubIOp::create(b, loc, rows, rest);
  Value into = kernel.getInits()[0];
  into = createCarriedLoop(b, loc, constant(0), whole, block, into,
                           [&](Value first, Value out) {
                             return emitRows(first, rowsOfVector, vectors, out);
                           });
  into = createCarriedLoop(
      b, loc, whole, rows, rowsOfVector, into, [&](Value first, Value out) {
        Value left = arith::SubIOp::create(b, loc, rows, first);
        return emitRows(first, atMost(left, rowsOfVector), 1, out);
      });
  return SmallVector<Value>{into};
}

FailureOr<SmallVector<Value>> vortex::emitStripTile(OpBuilder &b,
                                                    MicroKernelOp kernel) {
  return StripEmitter(b, kernel).run();
}
