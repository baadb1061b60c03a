//===- MmaKernel.cpp - Contractions on mma.sync -----------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// One block computes a tile of the result. Its threads copy tiles of A and B
// into a ring of shared memory, stages - 1 ahead of the tile the warps
// multiply; one barrier a tile both publishes a filled stage and frees the one
// just read. Rows of a stage are swizzled so that the eight rows of one
// ldmatrix lie in different banks.
//
// Elements past an edge are filled with zeros, so that products need no
// predicate; only stores have one.
//
//===----------------------------------------------------------------------===//

#include "Epilogue.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace vortex;

/// Rows of tiles that blocks walk together, so that the operands they share
/// stay in L2 (CUTLASS' threadblock swizzle, Triton's grouped order).
static constexpr int64_t kGroupedRows = 8;
/// One row of an ldmatrix, the unit of the swizzle.
static constexpr int64_t kChunkBytes = 16;
/// Shared memory that bulk copies may fill later wants 1024-byte alignment.
static constexpr int64_t kSharedAlignment = 1024;

namespace {
/// One copy a thread makes for each tile of an operand.
struct Copy {
  Int row, column;   ///< in the tile
  Value pointer;     ///< to the element in the tile at reduction step 0
  Int shared;        ///< byte offset in a stage
  Value rowInside;   ///< i1, null when the row walks the reduction
  Int columnsInside; ///< elements, unset when columns walk the reduction
  Value active;      ///< i1, null when every thread has this copy
};

class MmaEmitter {
public:
  MmaEmitter(ContractionPlan &plan, DeviceKernel &device)
      : plan(plan), device(device), b(device.b), epilogue(plan, device) {}
  LogicalResult emit();

private:
  using Fragment = SmallVector<Value>;

  Int number(int64_t x) { return device.number(x); }
  void readPosition();
  SmallVector<Copy> planCopies(const TileOperand &operand, Int origin,
                               int64_t base);
  void issue(const TileOperand &operand, ArrayRef<Copy> copies, Int k,
             Int stage);
  void issueTile(Int k, Int stage);
  void copyRun(const TileOperand &operand, const Copy &copy, Value source,
               Int target, Int valid);
  Int swizzle(Int row, Int chunk, int64_t chunks);
  SmallVector<Value> loadMatrices(const TileOperand &operand, Int stage,
                                  int64_t base, Int row, Int chunk);
  SmallVector<Value> loadA(Int stage, int64_t tile, int64_t step);
  SmallVector<Value> loadB(Int stage, int64_t pair, int64_t step);
  SmallVector<Value> multiply(SmallVector<Value> accumulators, Int stage);
  SmallVector<Value> startAccumulators();
  void store(ValueRange accumulators);
  /// Runs `body` for rows and runs of columns of this thread's accumulators
  /// that lie inside the result.
  Int rowOf(int64_t tile, int64_t half);
  Int columnOf(int64_t tile) { return n0 + warpN + (lane % 4) * 2 + tile * 8; }

  int64_t tilesM() const { return plan.warpM / 16; }
  int64_t tilesN() const { return plan.warpN / 8; }

  ContractionPlan &plan;
  DeviceKernel &device;
  ImplicitLocOpBuilder &b;
  Epilogue epilogue;
  Int thread, lane, warpM,
      warpN;              ///< warpM, warpN: the warp's tile in the block's
  Int m0, n0;             ///< the block's tile
  SmallVector<Int> batch; ///< coordinates of the batch axes
  Value shared;
  SmallVector<Copy> copiesA, copiesB;
};
} // namespace

//===----------------------------------------------------------------------===//
// Where a thread is
//===----------------------------------------------------------------------===//

void MmaEmitter::readPosition() {
  Type i32 = b.getI32Type();
  thread = {&b, NVVM::ThreadIdXOp::create(b, i32)};
  Int block{&b, NVVM::BlockIdXOp::create(b, i32)};
  lane = thread % 32;
  Int warp = thread / 32;
  int64_t warpsN = plan.blockN / plan.warpN;
  warpM = (warp / warpsN) * plan.warpM;
  warpN = (warp % warpsN) * plan.warpN;

  auto tiles = [&](unsigned axis, int64_t tile) {
    return (device.extents[axis] + (tile - 1)) / tile;
  };
  Int rows = tiles(plan.m, plan.blockM), columns = tiles(plan.n, plan.blockN);
  Int group = columns * kGroupedRows;
  Int first = (block / group) * kGroupedRows;
  Int height = (rows - first).atMost(number(kGroupedRows));
  Int inGroup = block % group;
  m0 = (first + inGroup % height) * plan.blockM;
  n0 = (inGroup / height) * plan.blockN;

  if (plan.batch.empty())
    return;
  Int rest{&b, NVVM::BlockIdYOp::create(b, i32)};
  batch.resize(plan.batch.size());
  for (size_t i = plan.batch.size(); i-- > 0;) {
    Int extent = device.extents[plan.batch[i]];
    batch[i] = i ? rest % extent : rest;
    rest = rest / extent;
  }
}

//===----------------------------------------------------------------------===//
// Copies into the ring
//===----------------------------------------------------------------------===//

/// XOR of a chunk's position with its row: rows of 128 bytes or more repeat
/// after eight rows, shorter ones fill the 32 banks several rows at a time.
Int MmaEmitter::swizzle(Int row, Int chunk, int64_t chunks) {
  if (chunks == 1)
    return chunk;
  if (chunks >= 8)
    return chunk ^ (row % 8);
  return chunk ^ ((row / (8 / chunks)) % chunks);
}

SmallVector<Copy> MmaEmitter::planCopies(const TileOperand &operand, Int origin,
                                         int64_t base) {
  int64_t bytes = operand.elementBytes();
  int64_t perRow = operand.columns / operand.run;
  int64_t total = operand.rows * perRow, threads = plan.threads();
  int64_t chunkElements = kChunkBytes / bytes;
  // The operand's element at the tile's origin, the reduction at zero.
  SmallVector<Int> coordinates;
  for (AffineExpr expr : operand.map.getResults()) {
    unsigned axis = cast<AffineDimExpr>(expr).getPosition();
    if (axis == plan.k)
      coordinates.push_back(number(0));
    else if (axis == plan.m || axis == plan.n)
      coordinates.push_back(origin);
    else
      coordinates.push_back(
          batch[llvm::find(plan.batch, axis) - plan.batch.begin()]);
  }
  Value tile = device.move(device.operands[operand.position],
                           device.offset(operand.position, coordinates),
                           operand.element);
  unsigned rowDim = *operand.map.getResultPosition(
      getAffineDimExpr(operand.rowAxis, b.getContext()));
  Int pitch{&b, b.createOrFold<arith::TruncIOp>(
                    b.getI32Type(), device.strides[operand.position][rowDim])};

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
    Int chunk = swizzle(copy.row, copy.column / chunkElements,
                        operand.columns / chunkElements);
    copy.shared = copy.row * operand.rowBytes() + chunk * kChunkBytes +
                  (copy.column % chunkElements) * bytes + base;
    copy.pointer = device.move(tile, (copy.row * pitch + copy.column).wide(),
                               operand.element);
    if (operand.reductionInner)
      copy.rowInside = origin + copy.row < device.extents[operand.rowAxis];
    else
      copy.columnsInside = device.extents[operand.columnAxis].remaining(
          origin + copy.column, operand.run);
    copies.push_back(copy);
  }
  return copies;
}

void MmaEmitter::copyRun(const TileOperand &operand, const Copy &copy,
                         Value source, Int target, Int valid) {
  int64_t bytes = operand.elementBytes();
  Value pointer = device.move(shared, target.value, b.getI8Type());
  if (operand.run > 1) {
    // A run that is empty reads nothing; its address is kept inside.
    Value some = number(0) < valid;
    source = arith::SelectOp::create(b, some, source,
                                     device.operands[operand.position]);
    int64_t size = operand.run * bytes;
    auto kind = size == kChunkBytes ? NVVM::LoadCacheModifierKind::CG
                                    : NVVM::LoadCacheModifierKind::CA;
    NVVM::CpAsyncOp::create(b, pointer, source, size, kind,
                            (valid * bytes).value);
    return;
  }
  auto load = scf::IfOp::create(b, TypeRange{operand.element},
                                number(0) < valid, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(load.thenBlock());
  scf::YieldOp::create(
      b, ValueRange{LLVM::LoadOp::create(b, operand.element, source)});
  b.setInsertionPointToStart(load.elseBlock());
  scf::YieldOp::create(b, ValueRange{arith::ConstantOp::create(
                              b, b.getZeroAttr(operand.element))});
  b.setInsertionPointAfter(load);
  LLVM::StoreOp::create(b, load.getResult(0), pointer);
}

void MmaEmitter::issue(const TileOperand &operand, ArrayRef<Copy> copies, Int k,
                       Int stage) {
  Int limit = device.extents[plan.k];
  Int stageBase = stage * plan.stageBytes();
  // How far the reduction has moved the operand's pointers.
  unsigned rowDim = *operand.map.getResultPosition(
      getAffineDimExpr(operand.rowAxis, b.getContext()));
  Value moved = k.wide();
  if (!operand.reductionInner)
    moved = b.createOrFold<arith::MulIOp>(
        moved, device.strides[operand.position][rowDim]);
  for (const Copy &copy : copies) {
    Int valid;
    if (operand.reductionInner)
      valid = limit.remaining(k + copy.column, operand.run)
                  .select(copy.rowInside, number(0));
    else
      valid = copy.columnsInside.select(k + copy.row < limit, number(0));
    Value source = device.move(copy.pointer, moved, operand.element);
    OpBuilder::InsertionGuard guard(b);
    if (copy.active) {
      auto some = scf::IfOp::create(b, copy.active, /*withElseRegion=*/false);
      b.setInsertionPointToStart(some.thenBlock());
    }
    copyRun(operand, copy, source, stageBase + copy.shared, valid);
  }
}

void MmaEmitter::issueTile(Int k, Int stage) {
  issue(plan.a, copiesA, k, stage);
  issue(plan.b, copiesB, k, stage);
  NVVM::CpAsyncCommitGroupOp::create(b);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

SmallVector<Value> MmaEmitter::loadMatrices(const TileOperand &operand,
                                            Int stage, int64_t base, Int row,
                                            Int chunk) {
  int64_t chunks = operand.rowBytes() / kChunkBytes;
  Int offset = stage * plan.stageBytes() + row * operand.rowBytes() +
               swizzle(row, chunk, chunks) * kChunkBytes + base;
  Type i32 = b.getI32Type();
  auto type =
      LLVM::LLVMStructType::getLiteral(b.getContext(), {i32, i32, i32, i32});
  Value matrices = NVVM::LdMatrixOp::create(
      b, type, device.move(shared, offset.value, b.getI8Type()), 4,
      operand.reductionInner ? NVVM::MMALayout::row : NVVM::MMALayout::col,
      NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8),
      NVVM::LdStMatrixEltType::B16);
  SmallVector<Value> registers;
  for (int64_t i = 0; i < 4; ++i) {
    Value value = LLVM::ExtractValueOp::create(b, matrices, i);
    if (operand.element.isF16())
      value = LLVM::BitcastOp::create(b, VectorType::get(2, operand.element),
                                      value);
    registers.push_back(value);
  }
  return registers;
}

// The four matrices of A are (rows 0-7, 8-15) at steps 0-7, then at 8-15;
// those of B the two halves of the reduction for columns 0-7, then for 8-15.
// A tile that lies in memory with the reduction innermost is read as it is, the
// other way round transposed.
SmallVector<Value> MmaEmitter::loadA(Int stage, int64_t tile, int64_t step) {
  Int lane16 = lane % 16, high = lane / 16;
  if (plan.a.reductionInner)
    return loadMatrices(plan.a, stage, 0, warpM + lane16 + tile * 16,
                        high + step * 2);
  return loadMatrices(plan.a, stage, 0, high * 8 + lane % 8 + step * 16,
                      warpM / 8 + (lane / 8) % 2 + tile * 2);
}

SmallVector<Value> MmaEmitter::loadB(Int stage, int64_t pair, int64_t step) {
  Int lane16 = lane % 16, high = lane / 16;
  int64_t base = plan.a.bytes();
  if (plan.b.reductionInner)
    return loadMatrices(plan.b, stage, base,
                        warpN + lane % 8 + high * 8 + pair * 16,
                        (lane / 8) % 2 + step * 2);
  return loadMatrices(plan.b, stage, base, lane16 + step * 16,
                      warpN / 8 + high + pair * 2);
}

SmallVector<Value> MmaEmitter::multiply(SmallVector<Value> accumulators,
                                        Int stage) {
  Type f32 = b.getF32Type();
  auto type =
      LLVM::LLVMStructType::getLiteral(b.getContext(), {f32, f32, f32, f32});
  auto ptx =
      plan.a.element.isF16() ? NVVM::MMATypes::f16 : NVVM::MMATypes::bf16;
  for (int64_t step = 0; step < plan.blockK / 16; ++step) {
    SmallVector<Fragment> as, bs;
    for (int64_t i = 0; i < tilesM(); ++i)
      as.push_back(loadA(stage, i, step));
    for (int64_t j = 0; j < tilesN() / 2; ++j) {
      SmallVector<Value> pair = loadB(stage, j, step);
      bs.push_back({pair[0], pair[1]});
      bs.push_back({pair[2], pair[3]});
    }
    for (int64_t i = 0; i < tilesM(); ++i)
      for (int64_t j = 0; j < tilesN(); ++j) {
        auto *acc = &accumulators[(i * tilesN() + j) * 4];
        Value sum = NVVM::MmaOp::create(
            b, type, as[i], bs[j], ValueRange{acc[0], acc[1], acc[2], acc[3]},
            ArrayRef<int64_t>{16, 8, 16}, std::nullopt, std::nullopt,
            std::array<NVVM::MMATypes, 2>{ptx, ptx},
            std::array<NVVM::MMALayout, 2>{NVVM::MMALayout::row,
                                           NVVM::MMALayout::col});
        for (int64_t e = 0; e < 4; ++e)
          acc[e] = LLVM::ExtractValueOp::create(b, sum, e);
      }
  }
  return accumulators;
}

//===----------------------------------------------------------------------===//
// Accumulators and stores
//===----------------------------------------------------------------------===//

Int MmaEmitter::rowOf(int64_t tile, int64_t half) {
  return m0 + warpM + lane / 4 + (tile * 16 + half * 8);
}

SmallVector<Value> MmaEmitter::startAccumulators() {
  int64_t count = tilesM() * tilesN() * 4;
  if (plan.initial)
    return SmallVector<Value>(count,
                              arith::ConstantOp::create(b, plan.initial));
  AffineMap out = plan.anchor.getIndexingMapsArray().back();
  SmallVector<unsigned> axes;
  for (AffineExpr expr : out.getResults())
    axes.push_back(cast<AffineDimExpr>(expr).getPosition());
  SmallVector<Value> values;
  SmallVector<Int> at(plan.kernel.getAxes().size());
  for (auto [axis, coordinate] : llvm::zip(plan.batch, batch))
    at[axis] = coordinate;
  for (int64_t i = 0; i < tilesM(); ++i)
    for (int64_t j = 0; j < tilesN(); ++j)
      for (int64_t e = 0; e < 4; ++e) {
        at[plan.m] = rowOf(i, e / 2);
        at[plan.n] = columnOf(j) + e % 2;
        Value inside =
            b.createOrFold<arith::AndIOp>(at[plan.m] < device.extents[plan.m],
                                          at[plan.n] < device.extents[plan.n]);
        auto load = scf::IfOp::create(b, TypeRange{b.getF32Type()}, inside,
                                      /*withElseRegion=*/true);
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToStart(load.thenBlock());
        Value value = epilogue.load(plan.anchor.getDpsInits()[0], axes, at);
        scf::YieldOp::create(b, value);
        b.setInsertionPointToStart(load.elseBlock());
        scf::YieldOp::create(b, ValueRange{arith::ConstantOp::create(
                                    b, b.getF32FloatAttr(0.0f))});
        values.push_back(load.getResult(0));
      }
  return values;
}

void MmaEmitter::store(ValueRange accumulators) {
  unsigned result = plan.kernel.getInputs().size();
  Type element = getElementTypeOrSelf(plan.kernel.getInits()[0].getType());
  ArrayRef<unsigned> axes = epilogue.getResultAxes();
  // Runs of columns are runs of memory unless the epilogue transposes.
  int64_t run = axes.back() == plan.n ? plan.store : 1;
  SmallVector<Int> at(plan.kernel.getAxes().size());
  for (auto [axis, coordinate] : llvm::zip(plan.batch, batch))
    at[axis] = coordinate;
  for (int64_t j = 0; j < tilesN(); ++j)
    for (int64_t first = 0; first < 2; first += run) {
      // What depends on the column alone is loaded once for all rows.
      OpBuilder::InsertionGuard guard(b);
      Int column = columnOf(j) + first;
      auto inside = scf::IfOp::create(b, column < device.extents[plan.n],
                                      /*withElseRegion=*/false);
      b.setInsertionPointToStart(inside.thenBlock());
      SmallVector<Epilogue::Column> columns;
      for (int64_t e = 0; e < run; ++e) {
        at[plan.n] = column + e;
        columns.push_back(epilogue.loadColumn(at));
      }
      for (int64_t i = 0; i < tilesM(); ++i)
        for (int64_t half = 0; half < 2; ++half) {
          OpBuilder::InsertionGuard rowGuard(b);
          at[plan.m] = rowOf(i, half);
          auto rowInside =
              scf::IfOp::create(b, at[plan.m] < device.extents[plan.m],
                                /*withElseRegion=*/false);
          b.setInsertionPointToStart(rowInside.thenBlock());
          SmallVector<Value> values;
          for (int64_t e = 0; e < run; ++e) {
            at[plan.n] = column + e;
            Value acc =
                accumulators[(i * tilesN() + j) * 4 + half * 2 + first + e];
            values.push_back(epilogue.apply(acc, at, columns[e]));
          }
          at[plan.n] = column;
          SmallVector<Int> coordinates = llvm::map_to_vector(
              axes, [&](unsigned axis) { return at[axis]; });
          Value pointer =
              device.move(device.operands[result],
                          device.offset(result, coordinates), element);
          Value value = values[0];
          if (run > 1)
            value = vector::FromElementsOp::create(
                b, VectorType::get(run, element), values);
          LLVM::StoreOp::create(b, value, pointer,
                                run * element.getIntOrFloatBitWidth() / 8);
        }
    }
}

LogicalResult MmaEmitter::emit() {
  if (failed(epilogue.analyze()))
    return failure();
  auto *module = device.function->getParentOp();
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&module->getRegion(0).front());
    LLVM::GlobalOp::create(b, LLVM::LLVMArrayType::get(b.getI8Type(), 0),
                           /*isConstant=*/false, LLVM::Linkage::External,
                           "smem", Attribute(), kSharedAlignment, kSharedSpace);
  }
  shared = LLVM::AddressOfOp::create(
      b, LLVM::LLVMPointerType::get(b.getContext(), kSharedSpace), "smem");
  readPosition();
  copiesA = planCopies(plan.a, m0, 0);
  copiesB = planCopies(plan.b, n0, plan.a.bytes());
  SmallVector<Value> start = startAccumulators();

  int64_t ahead = plan.stages - 1;
  for (int64_t stage = 0; stage < ahead; ++stage)
    issueTile(number(stage * plan.blockK), number(stage));

  SmallVector<Value> carried = {number(0).value, number(ahead).value};
  carried.append(start);
  auto loop =
      scf::ForOp::create(b, number(0).value, device.extents[plan.k].value,
                         number(plan.blockK).value, carried);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Int k{&b, loop.getInductionVar()};
    Int read{&b, loop.getRegionIterArg(0)}, write{&b, loop.getRegionIterArg(1)};
    // The tile to be read has landed when all but the last stages - 2 have.
    NVVM::CpAsyncWaitGroupOp::create(b, ahead - 1);
    NVVM::Barrier0Op::create(b);
    issueTile(k + ahead * plan.blockK, write);
    SmallVector<Value> sums = multiply(
        llvm::to_vector_of<Value>(loop.getRegionIterArgs().drop_front(2)),
        read);
    auto next = [&](Int stage) {
      Int following = stage + 1;
      return number(0).select(following == number(plan.stages), following);
    };
    SmallVector<Value> yields = {next(read).value, next(write).value};
    yields.append(sums);
    scf::YieldOp::create(b, yields);
  }
  NVVM::CpAsyncWaitGroupOp::create(b, 0);
  store(loop.getResults().drop_front(2));
  LLVM::ReturnOp::create(b, ValueRange{});
  return success();
}

LogicalResult vortex::emitMmaKernel(ContractionPlan &plan,
                                    DeviceKernel &device) {
  return MmaEmitter(plan, device).emit();
}
