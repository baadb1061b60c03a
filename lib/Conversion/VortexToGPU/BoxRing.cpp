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

using namespace mlir;
using namespace vortex;

/// How long a thread sleeps at most before it asks a barrier again, in ns: a
/// hint of no consequence for what is computed.
static constexpr int64_t kSleep = 10000000;

static Type getClusterPointer(MLIRContext *context) {
  return LLVM::LLVMPointerType::get(
      context, static_cast<unsigned>(NVVM::NVVMMemorySpace::SharedCluster));
}

BoxRing::BoxRing(ContractionPlan &plan, DeviceKernel &device,
                 const ContractionPlace &place)
    : plan(plan), device(device), b(device.b), place(place),
      shared(getSharedMemory(device.b, device.function)) {
  if (plan.window)
    // Blocks of a queue have no parts, and no place before their first tile.
    steps.emplace(plan, device, plan.queue ? number(0) : place.firstK,
                  plan.queue ? device.extents[plan.k] : place.endK);
}

Value BoxRing::at(Int offset) {
  return device.move(shared, offset.value, b.getI8Type());
}

Value BoxRing::barrier(Int stage, bool full) {
  int64_t first = plan.barrierOffset();
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
                                   number(plan.fillers()).value, Value());
      NVVM::MBarrierInitOp::create(
          b, barrier(number(stage), /*full=*/false),
          number(plan.consumers() * plan.cluster()).value, Value());
    }
    // Bulk copies see the barriers from here on.
    NVVM::FenceMbarrierInitOp::create(b);
  }
  if (plan.cluster() == 1) {
    NVVM::Barrier0Op::create(b);
    return;
  }
  // And so do the other blocks.
  meetCluster();
}

void BoxRing::meetCluster() {
  NVVM::ClusterArriveOp::create(b, /*aligned=*/b.getUnitAttr());
  NVVM::ClusterWaitOp::create(b, /*aligned=*/b.getUnitAttr());
}

void BoxRing::finish() {
  if (plan.cluster() == 1)
    return;
  // Of the producers one thread comes later than the others of its warp.
  NVVM::SyncWarpOp::create(b, number(-1).value);
  meetCluster();
}

void BoxRing::wait(Value barrier, Int parity) {
  NVVM::MBarrierTryWaitParityOp::create(b, barrier, parity.value,
                                        number(kSleep).value);
}

BoxRing::Position BoxRing::next(Position position) {
  Int following = position.stage + 1;
  Value wraps = following == number(plan.stages);
  return {number(0).select(wraps, following),
          (position.parity ^ number(1)).select(wraps, position.parity)};
}

/// Copies the boxes of one operand's tile; those past the last element are
/// copied, too, so that the bytes a barrier waits for are always the same.
void BoxRing::issue(const TileOperand &operand, Int origin,
                    const WindowSteps::At &at, Int stage) {
  Value map = device.maps[&operand == &plan.b && !plan.a.copied];
  auto axes =
      llvm::map_to_vector(operand.map.getResults(), [](AffineExpr expr) {
        return cast<AffineDimExpr>(expr).getPosition();
      });
  // Of what blocks share each brings a part, to the same place in all.
  Int part = number(0);
  Value mask;
  if (operand.sharers > 1) {
    part = place.rank * operand.boxRows();
    mask = arith::ConstantIntOp::create(
        b, b.getLoc(), (int64_t(1) << operand.sharers) - 1, 16);
  }
  for (int64_t box = 0; box < operand.boxes(); ++box) {
    Int column = (operand.reductionInner ? at.k : origin) + box * operand.run;
    Int row = (operand.reductionInner ? origin : at.k) + part;
    SmallVector<Value> coordinates =
        place.boxAt(axes, {operand.rowAxis, operand.columnAxis, row, column,
                           plan.outer, at.outer});
    Value target = this->at(stage * plan.stageBytes() + part * kBoxRowBytes +
                            (plan.baseOf(operand) + box * operand.boxBytes()));
    target = LLVM::AddrSpaceCastOp::create(b, getClusterPointer(b.getContext()),
                                           target);
    NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
        b, target, map, coordinates, barrier(stage, /*full=*/true),
        ValueRange{}, mask, Value(), NVVM::TMALoadMode::TILE,
        /*isCTAOnly=*/false, NVVM::CTAGroupKindAttr(), Value());
  }
}

void BoxRing::issueBoxes(const WindowSteps::At &at, Int stage) {
  if (!plan.boxedBytes())
    return;
  OpBuilder::InsertionGuard guard(b);
  if (plan.hasCopies()) { // else there is but one thread
    auto one = scf::IfOp::create(b, place.thread == number(0),
                                 /*withElseRegion=*/false);
    b.setInsertionPointToStart(one.thenBlock());
  }
  NVVM::MBarrierArriveExpectTxOp::create(
      b, Type(), barrier(stage, /*full=*/true), number(plan.boxedBytes()).value,
      NVVM::MemScopeKind::CTA, /*relaxed=*/false, Value());
  if (!plan.a.copied)
    issue(plan.a, place.m0, at, stage);
  if (!plan.b.copied)
    issue(plan.b, place.n0, at, stage);
}

scf::ForOp BoxRing::createLoop(ValueRange carried) {
  if (steps)
    return scf::ForOp::create(b, number(0).value, steps->count().value,
                              number(1).value, carried);
  return scf::ForOp::create(b, place.firstK.value, place.endK.value,
                            number(plan.blockK).value, carried);
}

BoxRing::Position BoxRing::produce(Position position) {
  SmallVector<TileCopies, 2> copies;
  WindowSteps *window = steps ? &*steps : nullptr;
  for (const TileOperand *operand : {&plan.a, &plan.b})
    if (operand->copied)
      copies.emplace_back(plan, device, *operand, place, window, shared,
                          plan.producers * plan.lanes);
  // Carried: the place in the ring, and that in a window.
  SmallVector<Value> carried = {position.stage.value, position.parity.value};
  if (steps) {
    WindowSteps::At first = steps->first();
    carried.push_back(first.k.value);
    for (Int outer : first.outer)
      carried.push_back(outer.value);
  }
  // A barrier that has not been used yet passes who waits for the phase before.
  scf::ForOp loop = createLoop(carried);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  auto inside = [&](size_t i) { return Int{&b, loop.getRegionIterArg(i)}; };
  Position here{inside(0), inside(1)};
  WindowSteps::At step{{}, {&b, loop.getInductionVar()}};
  if (steps) {
    step.k = inside(2);
    for (size_t i = 3; i < carried.size(); ++i)
      step.outer.push_back(inside(i));
  }
  wait(barrier(here.stage, /*full=*/false), here.parity);
  issueBoxes(step, here.stage);
  for (TileCopies &each : copies)
    each.issue(steps ? each.stepAt(step) : each.stepAt(step.k), here.stage);
  // Arrives when all copies of this thread so far have landed.
  if (plan.hasCopies())
    NVVM::CpAsyncMBarrierArriveOp::create(b, barrier(here.stage, /*full=*/true),
                                          /*noinc=*/true);
  Position following = next(here);
  SmallVector<Value> yields = {following.stage.value, following.parity.value};
  if (steps) {
    WindowSteps::At behind = steps->next(step);
    yields.push_back(behind.k.value);
    for (Int outer : behind.outer)
      yields.push_back(outer.value);
  }
  scf::YieldOp::create(b, yields);
  return {{&b, loop.getResult(0)}, {&b, loop.getResult(1)}};
}

void BoxRing::release(Int stage) {
  // A lane for each block of the cluster, whose producers all wait.
  Value some = b.createOrFold<arith::AndIOp>(
      stage < number(plan.stages), place.lane < number(plan.cluster()));
  auto one = scf::IfOp::create(b, some, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(one.thenBlock());
  Value empty = barrier(stage, /*full=*/false);
  if (plan.cluster() == 1) {
    NVVM::MBarrierArriveOp::create(b, b.getI64Type(), empty, Value());
    return;
  }
  Value remote = NVVM::MapaOp::create(b, getClusterPointer(b.getContext()),
                                      empty, place.lane.value);
  // What is handed on are places that products have read, which they were
  // waited for: no thread's writes. A barrier of wider scope would make a fence
  // of all memory of it, for longer than a step takes.
  NVVM::MBarrierArriveOp::create(b, Type(), remote, Value(),
                                 NVVM::MemScopeKind::CTA);
}

BoxRing::Sums BoxRing::startProducts(Position at, const Sums &sums,
                                     Multiply multiply) {
  wait(barrier(at.stage, /*full=*/true), at.parity);
  // Products read through another proxy than copies of threads write by; bulk
  // copies have such a fence at their end.
  if (plan.hasCopies())
    NVVM::FenceProxyOp::create(
        b, NVVM::ProxyKind::async_shared,
        NVVM::SharedSpaceAttr::get(b.getContext(),
                                   NVVM::SharedSpace::shared_cta));
  NVVM::WgmmaFenceAlignedOp::create(b);
  Sums next = multiply(sums, at.stage);
  NVVM::WgmmaGroupSyncAlignedOp::create(b);
  return next;
}

BoxRing::Sums BoxRing::consume(const Sums &start, Position &position,
                               Multiply multiply) {
  // Position, and the stage before; none of that number at first.
  Sums carried = {position.stage.value, position.parity.value,
                  number(plan.stages).value};
  carried.append(start);
  scf::ForOp loop = createLoop(carried);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Position at{{&b, loop.getRegionIterArg(0)}, {&b, loop.getRegionIterArg(1)}};
    Int before{&b, loop.getRegionIterArg(2)};
    Sums sums = startProducts(
        at, llvm::to_vector_of<Value>(loop.getRegionIterArgs().drop_front(3)),
        multiply);
    // All but the products just started are complete: the stage before is
    // empty as far as this warp is concerned.
    NVVM::WgmmaWaitGroupSyncOp::create(b, 1);
    release(before);
    Position following = next(at);
    Sums yields = {following.stage.value, following.parity.value,
                   at.stage.value};
    yields.append(sums);
    scf::YieldOp::create(b, yields);
  }
  NVVM::WgmmaWaitGroupSyncOp::create(b, 0);
  position = {{&b, loop.getResult(0)}, {&b, loop.getResult(1)}};
  // The next tile fills the last stage while this one is stored.
  if (plan.queue)
    release({&b, loop.getResult(2)});
  return llvm::to_vector_of<Value>(loop.getResults().drop_front(3));
}

BoxRing::Sums BoxRing::consume(const Sums &start, Position &position,
                               Multiply multiply, const Sums &zeros, Add add) {
  Sums carried = {position.stage.value, position.parity.value};
  carried.append(start);
  carried.append(zeros);
  scf::ForOp loop = createLoop(carried);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Position at{{&b, loop.getRegionIterArg(0)}, {&b, loop.getRegionIterArg(1)}};
    auto values = loop.getRegionIterArgs().drop_front(2);
    Sums products = startProducts(
        at, llvm::to_vector_of<Value>(values.drop_front(start.size())),
        multiply);
    NVVM::WgmmaWaitGroupSyncOp::create(b, 0);
    release(at.stage);
    Position following = next(at);
    Sums yields = {following.stage.value, following.parity.value};
    yields.append(add(
        llvm::to_vector_of<Value>(values.take_front(start.size())), products));
    yields.append(products);
    scf::YieldOp::create(b, yields);
  }
  position = {{&b, loop.getResult(0)}, {&b, loop.getResult(1)}};
  return llvm::to_vector_of<Value>(
      loop.getResults().drop_front(2).take_front(start.size()));
}
