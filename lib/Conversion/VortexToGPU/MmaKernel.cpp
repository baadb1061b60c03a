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
// A step of the reduction is 32 bytes of an operand, or some elements of f64,
// and a register of a fragment four bytes of a row (eight of f64). ldmatrix
// loads them where the reduction is innermost, and transposes elements of 16
// bits; others that lie the other way are put together from single elements.
//
//===----------------------------------------------------------------------===//

#include "Accumulators.h"
#include "TileRing.h"

#include "vortex/Dialect/Vortex/IR/MatrixForm.h"

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

  Value loadElements(const TileOperand &operand, Int stage, Int row, Int step);
  SmallVector<Value> loadMatrices(const TileOperand &operand, Int stage,
                                  Int row, Int chunk) {
    return ring->loadMatrices(operand, stage, row, chunk,
                              /*transposed=*/!operand.reductionInner);
  }
  SmallVector<Value> loadA(Int stage, int64_t tile, int64_t step);
  SmallVector<Value> loadB(Int stage, int64_t pair, int64_t step);
  Value multiply(ArrayRef<Value> a, ArrayRef<Value> b, ArrayRef<Value> sums,
                 Type type);
  SmallVector<Value> multiply(SmallVector<Value> accumulators, Int stage);

  int64_t halves() const { return plan.instruction.getM() / 8; }
  int64_t tilesM() const { return plan.warpM / plan.instruction.getM(); }
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

/// A register of a fragment put together from the elements of one row (column
/// of B) at consecutive steps from `step` on.
Value MmaEmitter::loadElements(const TileOperand &operand, Int stage, Int row,
                               Int step) {
  int64_t bytes = operand.elementBytes();
  Type i32 = b.getI32Type();
  auto load = [&](int64_t i) -> Value {
    Int at = step + i;
    return LLVM::LoadOp::create(b, operand.element,
                                operand.reductionInner
                                    ? ring->elementAt(operand, stage, row, at)
                                    : ring->elementAt(operand, stage, at, row));
  };
  Value whole = load(0);
  if (bytes == 8)
    return whole;
  if (bytes == 4)
    return arith::BitcastOp::create(b, i32, whole);
  whole = arith::ExtUIOp::create(b, i32, whole);
  for (int64_t i = 1; i < 4 / bytes; ++i) {
    Value next =
        arith::ShLIOp::create(b, arith::ExtUIOp::create(b, i32, load(i)),
                              device.number(i * bytes * 8).value);
    whole = arith::OrIOp::create(b, whole, next);
  }
  return whole;
}

// The four matrices of A are (rows 0-7, 8-15) at the first 16 bytes of a step,
// then at the others; those of B the two halves of the step for columns 0-7,
// then for 8-15. A tile that lies in memory with the reduction innermost is
// read as it is, the other way round transposed.
SmallVector<Value> MmaEmitter::loadA(Int stage, int64_t tile, int64_t step) {
  Int lane16 = lane % 16, high = lane / 16;
  if (!plan.a.hasMatrixLoads()) {
    int64_t run = std::max<int64_t>(4 / plan.a.elementBytes(), 1);
    int64_t depth = plan.instruction.getK();
    SmallVector<Value> registers;
    for (int64_t at = 0; at < depth; at += 4 * run)
      for (int64_t half = 0; half < halves(); ++half)
        registers.push_back(loadElements(
            plan.a, stage, warpM + lane / 4 + (tile * halves() + half) * 8,
            (lane % 4) * run + (step * depth + at)));
    return registers;
  }
  if (plan.a.reductionInner)
    return loadMatrices(plan.a, stage, warpM + lane16 + tile * 16,
                        high + step * 2);
  return loadMatrices(plan.a, stage, high * 8 + lane % 8 + step * 16,
                      warpM / 8 + (lane / 8) % 2 + tile * 2);
}

/// The fragments of two tiles of eight columns, one behind the other.
SmallVector<Value> MmaEmitter::loadB(Int stage, int64_t pair, int64_t step) {
  Int lane16 = lane % 16, high = lane / 16;
  if (!plan.b.hasMatrixLoads()) {
    int64_t run = std::max<int64_t>(4 / plan.b.elementBytes(), 1);
    int64_t depth = plan.instruction.getK();
    SmallVector<Value> registers;
    for (int64_t tile = 0; tile < 2; ++tile)
      for (int64_t at = 0; at < depth; at += 4 * run)
        registers.push_back(loadElements(
            plan.b, stage, warpN + lane / 4 + (pair * 2 + tile) * 8,
            (lane % 4) * run + (step * depth + at)));
    return registers;
  }
  if (plan.b.reductionInner)
    return loadMatrices(plan.b, stage, warpN + lane % 8 + high * 8 + pair * 16,
                        (lane / 8) % 2 + step * 2);
  return loadMatrices(plan.b, stage, lane16 + step * 16,
                      warpN / 8 + high + pair * 2);
}

/// The sums `sums` of one instruction with the products of `a` and `b` added,
/// as a structure of `type`.
Value MmaEmitter::multiply(ArrayRef<Value> as, ArrayRef<Value> bs,
                           ArrayRef<Value> sums, Type type) {
  int64_t m = plan.instruction.getM(), k = plan.instruction.getK();
  // Shapes of f64 that the op does not know.
  if (plan.a.element.isF64() && m == 16) {
    auto operands = llvm::to_vector(llvm::concat<const Value>(as, bs, sums));
    std::string name =
        ("llvm.nvvm.mma.m16n8k" + Twine(k) + ".row.col.f64").str();
    return LLVM::CallIntrinsicOp::create(b, type, b.getStringAttr(name),
                                         operands)
        .getResult(0);
  }
  auto kindOf = [](Type element, bool isUnsigned) {
    return element.isF16()    ? NVVM::MMATypes::f16
           : element.isBF16() ? NVVM::MMATypes::bf16
           : element.isF64()  ? NVVM::MMATypes::f64
           : element.isF32()  ? NVVM::MMATypes::tf32
           : isUnsigned       ? NVVM::MMATypes::u8
                              : NVVM::MMATypes::s8;
  };
  std::optional<NVVM::MMAIntOverflow> overflow;
  if (plan.sumType().isInteger())
    overflow = NVVM::MMAIntOverflow::wrapped;
  return NVVM::MmaOp::create(
      b, type, as, bs, sums, ArrayRef<int64_t>{m, 8, k}, std::nullopt, overflow,
      std::array<NVVM::MMATypes, 2>{kindOf(plan.a.element, plan.unsignedA),
                                    kindOf(plan.b.element, plan.unsignedB)},
      std::array<NVVM::MMALayout, 2>{NVVM::MMALayout::row,
                                     NVVM::MMALayout::col});
}

SmallVector<Value> MmaEmitter::multiply(SmallVector<Value> accumulators,
                                        Int stage) {
  int64_t depth = plan.instruction.getK(), perTile = halves() * 2;
  auto type = LLVM::LLVMStructType::getLiteral(
      b.getContext(), SmallVector<Type>(perTile, plan.sumType()));
  for (int64_t step = 0; step < plan.blockK / depth; ++step) {
    SmallVector<Fragment> as, bs;
    for (int64_t i = 0; i < tilesM(); ++i)
      as.push_back(loadA(stage, i, step));
    for (int64_t j = 0; j < tilesN() / 2; ++j) {
      SmallVector<Value> pair = loadB(stage, j, step);
      ArrayRef<Value> both(pair);
      bs.push_back(Fragment(both.take_front(both.size() / 2)));
      bs.push_back(Fragment(both.drop_front(both.size() / 2)));
    }
    for (int64_t i = 0; i < tilesM(); ++i)
      for (int64_t j = 0; j < tilesN(); ++j) {
        auto *acc = &accumulators[(i * tilesN() + j) * perTile];
        Value sum = multiply(as[i], bs[j], ArrayRef<Value>(acc, perTile), type);
        for (int64_t e = 0; e < perTile; ++e)
          acc[e] = LLVM::ExtractValueOp::create(b, sum, e);
      }
  }
  return accumulators;
}

LogicalResult MmaEmitter::emit() {
  if (failed(epilogue.analyze()))
    return failure();
  ring.emplace(plan, device, place);
  Accumulators accumulators(
      plan, device, epilogue,
      Accumulators::placePtx(m0 + warpM + lane / 4, n0 + warpN + (lane % 4) * 2,
                             {tilesM(), tilesN(),
                              /*stepM=*/plan.instruction.getM(), halves()},
                             batch));
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
