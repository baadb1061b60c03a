//===- BoxRing.cpp - Tiles brought by bulk copies ---------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BoxRing.h"

#include "DeviceModule.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace vortex;

/// How long a thread sleeps at most before it asks a barrier again, in ns: a
/// hint of no consequence for what is computed.
static constexpr int64_t kSleep = 10000000;

BoxRing::BoxRing(ContractionPlan &plan, DeviceKernel &device,
                 const ContractionPlace &place)
    : plan(plan), device(device), b(device.b), place(place),
      shared(getSharedMemory(device.b, device.function)) {}

Value BoxRing::at(Int offset) {
  return device.move(shared, offset.value, b.getI8Type());
}

Value BoxRing::barrier(Int stage, bool full) {
  int64_t first = plan.stages * plan.stageBytes();
  return at(stage * kBarrierBytes +
            (full ? first : first + plan.stages * kBarrierBytes));
}

void BoxRing::prepare() {
  auto one = scf::IfOp::create(b, place.thread == number(0),
                               /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(one.thenBlock());
    for (int64_t stage = 0; stage < plan.stages; ++stage) {
      NVVM::MBarrierInitOp::create(b, barrier(number(stage), /*full=*/true),
                                   number(1).value, Value());
      NVVM::MBarrierInitOp::create(b, barrier(number(stage), /*full=*/false),
                                   number(plan.consumers()).value, Value());
    }
    // Bulk copies see the barriers from here on.
    NVVM::FenceMbarrierInitOp::create(b);
  }
  NVVM::Barrier0Op::create(b);
}

void BoxRing::wait(Value barrier, Int parity) {
  NVVM::MBarrierTryWaitParityOp::create(b, barrier, parity.value,
                                        number(kSleep).value);
}

Int BoxRing::next(Int stage, Int &parity) {
  Int following = stage + 1;
  Value wraps = following == number(plan.stages);
  parity = (parity ^ number(1)).select(wraps, parity);
  return number(0).select(wraps, following);
}

/// Copies the boxes of one operand's tile; those past the last element are
/// copied, too, so that the bytes a barrier waits for are always the same.
void BoxRing::issue(const TileOperand &operand, Int origin, Int k, Int stage) {
  Value map = device.maps[&operand == &plan.b];
  auto cluster = LLVM::LLVMPointerType::get(
      b.getContext(),
      static_cast<unsigned>(NVVM::NVVMMemorySpace::SharedCluster));
  for (int64_t box = 0; box < operand.boxes(); ++box) {
    Int column = (operand.reductionInner ? k : origin) + box * operand.run;
    Int row = operand.reductionInner ? origin : k;
    // The innermost dimension is a tensor map's first.
    SmallVector<Value> coordinates;
    for (AffineExpr expr : llvm::reverse(operand.map.getResults())) {
      unsigned axis = cast<AffineDimExpr>(expr).getPosition();
      Int coordinate =
          axis == operand.columnAxis ? column
          : axis == operand.rowAxis
              ? row
              : place.batch[llvm::find(plan.batch, axis) - plan.batch.begin()];
      coordinates.push_back(coordinate.value);
    }
    Value target = at(stage * plan.stageBytes() +
                      (base(operand) + box * operand.boxBytes()));
    target = LLVM::AddrSpaceCastOp::create(b, cluster, target);
    NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
        b, target, map, coordinates, barrier(stage, /*full=*/true),
        ValueRange{}, Value(), Value(), NVVM::TMALoadMode::TILE,
        /*isCTAOnly=*/false, NVVM::CTAGroupKindAttr(), Value());
  }
}

void BoxRing::produce() {
  // A barrier that has not been used yet passes who waits for the phase before.
  auto loop = scf::ForOp::create(b, place.firstK.value, place.endK.value,
                                 number(plan.blockK).value,
                                 ValueRange{number(0).value, number(1).value});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Int k{&b, loop.getInductionVar()};
  Int stage{&b, loop.getRegionIterArg(0)}, parity{&b, loop.getRegionIterArg(1)};
  wait(barrier(stage, /*full=*/false), parity);
  NVVM::MBarrierArriveExpectTxOp::create(
      b, Type(), barrier(stage, /*full=*/true), number(plan.stageBytes()).value,
      NVVM::MemScopeKind::CTA, /*relaxed=*/false, Value());
  issue(plan.a, place.m0, k, stage);
  issue(plan.b, place.n0, k, stage);
  Int following = next(stage, parity);
  scf::YieldOp::create(b, ValueRange{following.value, parity.value});
}

SmallVector<Value> BoxRing::consume(ArrayRef<Value> start, Multiply multiply) {
  // Stage, its parity, and the stage before; none of that number at first.
  SmallVector<Value> carried = {number(0).value, number(0).value,
                                number(plan.stages).value};
  carried.append(start.begin(), start.end());
  auto loop = scf::ForOp::create(b, place.firstK.value, place.endK.value,
                                 number(plan.blockK).value, carried);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Int stage{&b, loop.getRegionIterArg(0)},
        parity{&b, loop.getRegionIterArg(1)};
    Int before{&b, loop.getRegionIterArg(2)};
    wait(barrier(stage, /*full=*/true), parity);
    NVVM::WgmmaFenceAlignedOp::create(b);
    SmallVector<Value> sums = multiply(
        llvm::to_vector_of<Value>(loop.getRegionIterArgs().drop_front(3)),
        stage);
    NVVM::WgmmaGroupSyncAlignedOp::create(b);
    // All but the products just started are complete: the stage before is
    // empty as far as this warp is concerned.
    NVVM::WgmmaWaitGroupSyncOp::create(b, 1);
    Value release = b.createOrFold<arith::AndIOp>(before < number(plan.stages),
                                                  place.lane == number(0));
    auto some = scf::IfOp::create(b, release, /*withElseRegion=*/false);
    {
      OpBuilder::InsertionGuard inner(b);
      b.setInsertionPointToStart(some.thenBlock());
      NVVM::MBarrierArriveOp::create(b, b.getI64Type(),
                                     barrier(before, /*full=*/false), Value());
    }
    Int following = next(stage, parity);
    SmallVector<Value> yields = {following.value, parity.value, stage.value};
    yields.append(sums);
    scf::YieldOp::create(b, yields);
  }
  NVVM::WgmmaWaitGroupSyncOp::create(b, 0);
  return llvm::to_vector_of<Value>(loop.getResults().drop_front(3));
}
