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

#include "Accumulators.h"
#include "TileRing.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

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

LogicalResult MmaEmitter::emit() {
  if (failed(epilogue.analyze()))
    return failure();
  ring.emplace(plan, device, place);
  Accumulators accumulators(plan, device, epilogue,
                            {m0 + warpM + lane / 4, n0 + warpN + (lane % 4) * 2,
                             tilesM(), tilesN(),
                             /*stepM=*/16, batch});
  accumulators.store(ring->reduce(accumulators.start(),
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
