//===- MmaKernel.cpp - Contractions on mma.sync -----------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One block computes a tile of the result from tiles of A and B in a ring of
// shared memory, whose rows are swizzled so that the eight rows of one ldmatrix
// lie in different banks. Elements past an edge are filled with zeros, so that
// products need no predicate; only stores have one.
//
//===----------------------------------------------------------------------===//

#include "Epilogue.h"
#include "TileRing.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace vortex;

namespace {
class MmaEmitter {
public:
  MmaEmitter(ContractionPlan &plan, DeviceKernel &device)
      : plan(plan), device(device), b(device.b), epilogue(plan, device),
        place(plan, device), lane(place.lane), warpM(place.warpM),
        warpN(place.warpN), m0(place.m0), n0(place.n0), batch(place.batch) {}
  LogicalResult emit();

private:
  using Fragment = SmallVector<Value>;

  SmallVector<Value> loadMatrices(const TileOperand &operand, Int stage,
                                  Int row, Int chunk);
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
  ContractionPlace place;
  Int lane, warpM, warpN, m0, n0;
  ArrayRef<Int> batch;
  std::optional<TileRing> ring;
};
} // namespace

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

SmallVector<Value> MmaEmitter::loadMatrices(const TileOperand &operand,
                                            Int stage, Int row, Int chunk) {
  Type i32 = b.getI32Type();
  auto type =
      LLVM::LLVMStructType::getLiteral(b.getContext(), {i32, i32, i32, i32});
  Value matrices = NVVM::LdMatrixOp::create(
      b, type, ring->chunkAt(operand, stage, row, chunk), 4,
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
    return loadMatrices(plan.a, stage, warpM + lane16 + tile * 16,
                        high + step * 2);
  return loadMatrices(plan.a, stage, high * 8 + lane % 8 + step * 16,
                      warpM / 8 + (lane / 8) % 2 + tile * 2);
}

SmallVector<Value> MmaEmitter::loadB(Int stage, int64_t pair, int64_t step) {
  Int lane16 = lane % 16, high = lane / 16;
  if (plan.b.reductionInner)
    return loadMatrices(plan.b, stage, warpN + lane % 8 + high * 8 + pair * 16,
                        (lane / 8) % 2 + step * 2);
  return loadMatrices(plan.b, stage, lane16 + step * 16,
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
  ring.emplace(plan, device, place);
  store(ring->reduce(startAccumulators(),
                     [&](SmallVector<Value> sums, Int stage, Int) {
                       return multiply(sums, stage);
                     }));
  LLVM::ReturnOp::create(b, ValueRange{});
  return success();
}

LogicalResult vortex::emitMmaKernel(ContractionPlan &plan,
                                    DeviceKernel &device) {
  return MmaEmitter(plan, device).emit();
}
