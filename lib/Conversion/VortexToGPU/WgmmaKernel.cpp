//===- WgmmaKernel.cpp - Contractions on wgmma ------------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Warps of a block have roles. One thread of the producers brings tiles of A
// and B into a ring of shared memory by bulk tensor copies, or all of their
// threads copy an operand that is no box of a tensor: windows. Groups of four
// consumers multiply them where they are and keep the sums. The producers give
// registers away that the consumers take. Copies fill what lies past an edge
// with zeros, so that products need no predicate; only stores have one.
//
// Blocks of a queue walk all tiles: producers bring the first steps of the next
// one while consumers still store the last.
//
// Blocks of a cluster have tiles beside each other and each bring a part of the
// operand that they share into the memory of all.
//
// The instruction has 64 rows and any number of columns. For few rows of the
// result it is turned: its rows are columns of the result, B its left operand.
//
//===----------------------------------------------------------------------===//

#include "Accumulators.h"
#include "BoxRing.h"
#include "BoxStore.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace vortex;

/// PTX ISA, "Matrix descriptor format": addresses and offsets in units of 16
/// bytes, the address in 14 bits, leading dimension and stride above it, and
/// the swizzle of 128 bytes.
static constexpr int64_t kDescriptorUnit = 16, kAddressMask = 0x3FFFF,
                         kLeadingShift = 16, kStrideShift = 32,
                         kSwizzle128 = int64_t(1) << 62;
/// Rows of one instruction.
static constexpr int64_t kRows = 64;

namespace {
class WgmmaEmitter {
public:
  WgmmaEmitter(ContractionPlan &plan, DeviceKernel &device)
      : plan(plan), device(device), b(device.b), epilogue(plan, device),
        place(plan, device), ring(plan, device, place) {}
  LogicalResult emit();

private:
  Value describe(const TileOperand &operand, Int row);
  int64_t offset(const TileOperand &operand, int64_t row, int64_t step);
  SmallVector<Value> multiply(SmallVector<Value> sums, Value leftAt,
                              Value rightAt, Int stage);
  void produce(Int warp);
  void consume(Int warp);
  /// Runs `body` for each tile of this block, from where the ring is then to
  /// where it is behind it.
  void
  forEachTile(BoxRing::Position start,
              llvm::function_ref<BoxRing::Position(BoxRing::Position)> body);
  SmallVector<Value> reduce(SmallVector<Value> start, BoxRing::Position &at,
                            BoxRing::Multiply multiply);
  SmallVector<Value> pack(ValueRange values);
  SmallVector<Value> unpack(ValueRange sums);

  /// The operands of the instruction, and its tile of the result.
  const TileOperand &left() const { return plan.turned ? plan.b : plan.a; }
  const TileOperand &right() const { return plan.turned ? plan.a : plan.b; }
  int64_t rows() const { return plan.turned ? plan.warpN : plan.warpM; }
  int64_t columns() const { return plan.turned ? plan.warpM : plan.warpN; }
  /// Products of each stage are added to the sums.
  bool fromZero() const {
    return getSumsPerElement(plan.instruction.getA()) > 1;
  }
  int64_t tilesM() const { return rows() / kRows; }
  int64_t tilesN() const { return columns() / 8; }
  Type sumType() {
    return LLVM::LLVMStructType::getLiteral(
        b.getContext(), SmallVector<Type>(tilesN() * 4, plan.sumType()));
  }

  ContractionPlan &plan;
  DeviceKernel &device;
  ImplicitLocOpBuilder &b;
  Epilogue epilogue;
  ContractionPlace place;
  BoxRing ring;
};
} // namespace

/// Bytes from a tile's begin to where an instruction reads it: `row` counts
/// its rows (columns of the right operand), `step` steps of the reduction.
int64_t WgmmaEmitter::offset(const TileOperand &operand, int64_t row,
                             int64_t step) {
  int64_t across = operand.reductionInner ? step : row;
  int64_t along = operand.reductionInner ? row : step;
  // Along rows of the box, and elements of the first of them.
  return across / operand.boxRun() * operand.boxBytes() + along * kBoxRowBytes +
         across % operand.boxRun() * operand.elementBytes();
}

/// The descriptor of an operand in the first stage, from row `row` on, which
/// begins a box or a pattern of the swizzle.
Value WgmmaEmitter::describe(const TileOperand &operand, Int row) {
  Type i32 = b.getI32Type(), i64 = b.getI64Type();
  Int begin{&b, LLVM::PtrToIntOp::create(b, i32, ring.getBegin())};
  Int bytes = operand.reductionInner
                  ? row * kBoxRowBytes
                  : row / operand.boxRun() * operand.boxBytes();
  Int address = begin + bytes + plan.baseOf(operand);
  address = {&b, b.createOrFold<arith::AndIOp>(
                     address.value, device.number(kAddressMask).value)};
  // Boxes side by side are the leading dimension of a transposed operand;
  // otherwise a row is one pattern and there is none.
  int64_t leading =
      operand.reductionInner ? kDescriptorUnit : operand.boxBytes();
  int64_t stride = kBoxRowsPerPattern * kBoxRowBytes;
  Value fixed = arith::ConstantIntOp::create(
      b, b.getLoc(),
      kSwizzle128 | (stride / kDescriptorUnit) << kStrideShift |
          (leading / kDescriptorUnit) << kLeadingShift,
      64);
  return arith::OrIOp::create(
      b, arith::ExtUIOp::create(b, i64, (address / kDescriptorUnit).value),
      fixed);
}

SmallVector<Value> WgmmaEmitter::multiply(SmallVector<Value> sums, Value leftAt,
                                          Value rightAt, Int stage) {
  auto moved = [&](Value descriptor, int64_t bytes) -> Value {
    return b.createOrFold<arith::AddIOp>(
        descriptor, arith::ConstantIntOp::create(b, b.getLoc(),
                                                 bytes / kDescriptorUnit, 64));
  };
  Value stageOffset = (stage * (plan.stageBytes() / kDescriptorUnit)).wide();
  leftAt = arith::AddIOp::create(b, leftAt, stageOffset);
  rightAt = arith::AddIOp::create(b, rightAt, stageOffset);
  auto kindOf = [](const TileOperand &operand, bool isUnsigned) {
    return operand.element.isF16()                  ? NVVM::WGMMATypes::f16
           : operand.element.isBF16()               ? NVVM::WGMMATypes::bf16
           : operand.element.isF32()                ? NVVM::WGMMATypes::tf32
           : isa<Float8E4M3FNType>(operand.element) ? NVVM::WGMMATypes::e4m3
           : isa<Float8E5M2Type>(operand.element)   ? NVVM::WGMMATypes::e5m2
           : isUnsigned                             ? NVVM::WGMMATypes::u8
                                                    : NVVM::WGMMATypes::s8;
  };
  auto leftKind = kindOf(left(), plan.turned ? plan.unsignedB : plan.unsignedA);
  auto rightKind =
      kindOf(right(), plan.turned ? plan.unsignedA : plan.unsignedB);
  bool integers = plan.sumType().isInteger();
  NVVM::MMAIntOverflowAttr overflow;
  if (integers)
    overflow = NVVM::MMAIntOverflowAttr::get(b.getContext(),
                                             NVVM::MMAIntOverflow::wrapped);
  int64_t depth = plan.instruction.getK();
  auto shape = NVVM::MMAShapeAttr::get(b.getContext(), kRows, columns(), depth);
  // The operation's layouts are those of the left operand and of the right
  // one's transpose in memory.
  auto layoutLeft =
      left().reductionInner ? NVVM::MMALayout::row : NVVM::MMALayout::col;
  auto layoutRight =
      right().reductionInner ? NVVM::MMALayout::col : NVVM::MMALayout::row;
  for (int64_t step = 0; step < plan.blockK; step += depth)
    for (int64_t i = 0; i < tilesM(); ++i)
      sums[i] = NVVM::WgmmaMmaAsyncOp::create(
          b, sumType(), sums[i], moved(leftAt, offset(left(), i * kRows, step)),
          moved(rightAt, offset(right(), 0, step)), shape, leftKind, rightKind,
          integers ? NVVM::WGMMATypes::s32 : NVVM::WGMMATypes::f32,
          step || !fromZero() ? NVVM::WGMMAScaleOut::one
                              : NVVM::WGMMAScaleOut::zero,
          NVVM::WGMMAScaleIn::one, NVVM::WGMMAScaleIn::one, layoutLeft,
          layoutRight, overflow);
  return sums;
}

SmallVector<Value> WgmmaEmitter::pack(ValueRange values) {
  SmallVector<Value> sums;
  int64_t each = tilesN() * 4;
  for (int64_t i = 0; i < tilesM(); ++i) {
    Value sum = LLVM::UndefOp::create(b, sumType());
    for (int64_t e = 0; e < each; ++e)
      sum = LLVM::InsertValueOp::create(b, sum, values[i * each + e], e);
    sums.push_back(sum);
  }
  return sums;
}

SmallVector<Value> WgmmaEmitter::unpack(ValueRange sums) {
  SmallVector<Value> values;
  for (Value sum : sums)
    for (int64_t e = 0; e < tilesN() * 4; ++e)
      values.push_back(LLVM::ExtractValueOp::create(b, sum, e));
  return values;
}

/// Sums of the whole reduction, from `start` on.
SmallVector<Value> WgmmaEmitter::reduce(SmallVector<Value> start,
                                        BoxRing::Position &at,
                                        BoxRing::Multiply multiply) {
  if (!fromZero())
    return unpack(ring.consume(pack(start), at, multiply));
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(plan.sumType()));
  SmallVector<Value> zeros(start.size(), zero);
  auto add = [&](BoxRing::Sums sums, BoxRing::Sums products) {
    for (auto [sum, product] : llvm::zip(sums, unpack(products)))
      sum = arith::AddFOp::create(b, sum, product);
    return sums;
  };
  return ring.consume(start, at, multiply, pack(zeros), add);
}

void WgmmaEmitter::produce(Int warp) {
  if (plan.registers.producer)
    NVVM::SetMaxRegisterOp::create(b, plan.registers.producer,
                                   NVVM::SetMaxRegisterAction::decrease);
  auto fill = [&](BoxRing::Position at) { return ring.produce(at); };
  if (plan.hasCopies()) {
    forEachTile(ring.getStart(/*producer=*/true), fill);
    // No thread ends before what it has brought is there.
    NVVM::CpAsyncWaitGroupOp::create(b, 0);
    return;
  }
  auto first = scf::IfOp::create(b, warp == device.number(0),
                                 /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(first.thenBlock());
  Value elected = NVVM::ElectSyncOp::create(b, b.getI1Type(), Value());
  auto one = scf::IfOp::create(b, elected, /*withElseRegion=*/false);
  b.setInsertionPointToStart(one.thenBlock());
  forEachTile(ring.getStart(/*producer=*/true), fill);
}

void WgmmaEmitter::forEachTile(
    BoxRing::Position start,
    llvm::function_ref<BoxRing::Position(BoxRing::Position)> body) {
  if (!plan.queue) {
    body(start);
    return;
  }
  auto loop = scf::ForOp::create(
      b, place.block.value, place.tiles.value, place.blocks.value,
      ValueRange{start.stage.value, start.parity.value});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  place.moveTo({&b, loop.getInductionVar()});
  BoxRing::Position end =
      body({{&b, loop.getRegionIterArg(0)}, {&b, loop.getRegionIterArg(1)}});
  scf::YieldOp::create(b, ValueRange{end.stage.value, end.parity.value});
}

void WgmmaEmitter::consume(Int warp) {
  if (plan.registers.consumer)
    NVVM::SetMaxRegisterOp::create(b, plan.registers.consumer,
                                   NVVM::SetMaxRegisterAction::increase);
  Int group = (warp - device.number(plan.producers)) / kWarpsPerGroup;
  Int row = group * rows();
  Int across = row + (warp % kWarpsPerGroup) * (kRows / kWarpsPerGroup) +
               place.lane / 4,
      along = (place.lane % 4) * 2;
  Value leftAt = describe(left(), row),
        rightAt = describe(right(), device.number(0));
  BoxStore boxes(plan, device, epilogue, place, ring.getBegin());
  forEachTile(ring.getStart(/*producer=*/false), [&](BoxRing::Position at) {
    Accumulators accumulators(
        plan, device, epilogue,
        Accumulators::placePtx((plan.turned ? place.n0 : place.m0) + across,
                               (plan.turned ? place.m0 : place.n0) + along,
                               {tilesM(), tilesN(), /*stepM=*/kRows},
                               place.batch, plan.turned));
    SmallVector<Value> sums =
        reduce(accumulators.start(), at, [&](BoxRing::Sums sums, Int stage) {
          return multiply(std::move(sums), leftAt, rightAt, stage);
        });
    if (plan.storesBoxes())
      boxes.store(sums, group);
    else
      accumulators.store(sums);
    return at;
  });
  if (plan.storesBoxes())
    boxes.finish();
}

LogicalResult WgmmaEmitter::emit() {
  if (failed(epilogue.analyze()))
    return failure();
  ring.prepare();
  // The same in all lanes, which the compiler of PTX has to know.
  Type i32 = b.getI32Type();
  Int warp{&b, NVVM::ShflOp::create(
                   b, i32, device.number(-1).value, (place.thread / 32).value,
                   device.number(0).value, device.number(31).value,
                   NVVM::ShflKind::idx, UnitAttr())};
  auto roles = scf::IfOp::create(b, warp < device.number(plan.producers),
                                 /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(roles.thenBlock());
    produce(warp);
    b.setInsertionPointToStart(roles.elseBlock());
    consume(warp);
  }
  ring.finish();
  LLVM::ReturnOp::create(b, ValueRange{});
  return success();
}

LogicalResult vortex::emitWgmmaKernel(ContractionPlan &plan,
                                      DeviceKernel &device) {
  return WgmmaEmitter(plan, device).emit();
}
