//===- StorePastCaches.cpp - Results that no cache holds ------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A store reads the line that it changes from memory first, unless it goes past
// the caches. What writes more than the last of them holds finds none of it
// there later, so that this reading is a third of what an elementwise op moves
// (measured on an EPYC of family 25, model 17, 128 MiB in and out: a copy 39
// instead of 30 GB/s, layer norm of rows of 512 40 instead of 30). How much is
// written, and whether rows begin where vectors may be stored past the caches,
// is known when the sizes and addresses are: a thread's rows are in two loops,
// of which it takes one. To decide for each row keeps values on the stack, and
// what is read from there waits for stores whose addresses end alike (a fifth
// of the time out of caches).
//
//===----------------------------------------------------------------------===//

#include "MicroKernelEmitter.h"

#include "vortex/Dialect/Vortex/Transforms/Passes.h"
#include "vortex/HwDesc/Targets.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/ADT/MapVector.h"

namespace vortex {
#define GEN_PASS_DEF_STOREPASTCACHES
#include "vortex/Dialect/Vortex/Transforms/Passes.h.inc"
} // namespace vortex

using namespace mlir;
using namespace vortex;

namespace {
struct StorePastCachesPass
    : vortex::impl::StorePastCachesBase<StorePastCachesPass> {
  void runOnOperation() override;
};

/// What a loop of a thread writes in loops along rows inside of it.
struct RowStores {
  SmallVector<vector::TransferWriteOp> writes;
  SetVector<Value> written, read; ///< whole buffers
  SetVector<Value> shares;        ///< of what is written

  LogicalResult add(scf::ForOp row, Operation *task);
  Value mayStorePast(OpBuilder &b, Location loc, int64_t capacity) const;
};
} // namespace

static int64_t getElementBytes(Value buffer) {
  return llvm::divideCeil(
      cast<MemRefType>(buffer.getType()).getElementTypeBitWidth(), 8);
}

static int64_t getVectorBytes(vector::TransferWriteOp write) {
  return write.getVectorType().getNumElements() *
         getElementBytes(write.getBase());
}

static bool isMadeIn(Operation *task, Value buffer) {
  return task->isAncestor(buffer.getParentRegion()->getParentOp());
}

/// What `buffer` is a part of, made in front of `task`; null: nothing is.
static Value getWhole(Value buffer, Operation *task) {
  while (isa_and_present<memref::SubViewOp, memref::ReinterpretCastOp>(
      buffer.getDefiningOp()))
    buffer = buffer.getDefiningOp()->getOperand(0);
  return isMadeIn(task, buffer) ? Value() : buffer;
}

/// What `task` finds of that: the share of a thread. Null where rows of
/// `buffer` begin elsewhere than those of the share, or their elements do not
/// lie beside each other.
static Value getShare(Value buffer, Operation *task) {
  auto type = dyn_cast<MemRefType>(buffer.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!type || failed(type.getStridesAndOffset(strides, offset)) ||
      strides.empty() || strides.back() != 1)
    return {};
  while (isMadeIn(task, buffer)) {
    auto part = buffer.getDefiningOp<memref::SubViewOp>();
    if (!part ||
        part.getDroppedDims().test(part.getSourceType().getRank() - 1) ||
        !isZeroInteger(part.getMixedOffsets().back()) ||
        !llvm::all_of(part.getMixedStrides(), isOneInteger))
      return {};
    buffer = part.getSource();
  }
  return buffer;
}

/// Adds what `row`, a loop in `task`, stores; fails where that is anything but
/// whole vectors of rows, each a multiple of one behind the start.
LogicalResult RowStores::add(scf::ForOp row, Operation *task) {
  std::optional<int64_t> step = getConstantIntValue(row.getStep());
  if (row.getNumResults() || !step ||
      !isConstantIntValue(row.getLowerBound(), 0))
    return failure();
  for (auto write : row.getBody()->getOps<vector::TransferWriteOp>()) {
    Value whole = getWhole(write.getBase(), task);
    Value share = getShare(write.getBase(), task);
    if (!whole || !share || write.getMask() ||
        !write.getPermutationMap().isMinorIdentity() ||
        write.getVectorType().getRank() != 1 || !write.isDimInBounds(0))
      return failure();
    std::optional<int64_t> column =
        getColumnBehind(row, write.getIndices().back());
    int64_t lanes = write.getVectorType().getNumElements();
    int64_t bytes = getVectorBytes(write);
    if (!column || *column % lanes || *step % lanes ||
        !llvm::isPowerOf2_64(bytes) || bytes < 16)
      return failure();
    writes.push_back(write);
    written.insert(whole);
    shares.insert(share);
  }
  row.getBody()->walk([&](vector::TransferReadOp op) {
    if (isa<MemRefType>(op.getBase().getType()))
      if (Value whole = getWhole(op.getBase(), task))
        read.insert(whole);
  });
  return success();
}

/// Whether all that is written in part exceeds `capacity` bytes, each row of
/// the share begins at a multiple of its vectors, and none is what is read:
/// lines that a cache has already are stored into there.
Value RowStores::mayStorePast(OpBuilder &b, Location loc,
                              int64_t capacity) const {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  int64_t bytes = 0; // of a vector
  for (vector::TransferWriteOp write : writes)
    bytes = std::max(bytes, getVectorBytes(write));
  auto addressOf = [&](Value buffer) -> Value {
    return memref::ExtractAlignedPointerAsIndexOp::create(b, loc, buffer);
  };
  Value total = constant(0), differ;
  for (Value whole : written) {
    Value size = constant(getElementBytes(whole));
    for (int64_t dim = 0, rank = cast<MemRefType>(whole.getType()).getRank();
         dim < rank; ++dim)
      size = arith::MulIOp::create(b, loc, size,
                                   memref::DimOp::create(b, loc, whole, dim));
    total = arith::AddIOp::create(b, loc, total, size);
    for (Value from : read) {
      Value other = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne,
                                          addressOf(whole), addressOf(from));
      differ = differ ? arith::AndIOp::create(b, loc, differ, other).getResult()
                      : other;
    }
  }
  // Bits of an address that is no multiple remain in this.
  Value places = constant(0);
  for (Value share : shares) {
    places = arith::OrIOp::create(b, loc, places, addressOf(share));
    auto layout = memref::ExtractStridedMetadataOp::create(b, loc, share);
    SmallVector<Value> distances(layout.getStrides().drop_back());
    distances.push_back(layout.getOffset());
    for (Value distance : distances)
      places = arith::OrIOp::create(
          b, loc, places,
          arith::MulIOp::create(b, loc, distance,
                                constant(getElementBytes(share))));
  }
  Value large = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ugt, total,
                                      constant(capacity));
  Value aligned = arith::CmpIOp::create(
      b, loc, arith::CmpIPredicate::eq,
      arith::AndIOp::create(b, loc, places, constant(bytes - 1)), constant(0));
  Value may = arith::AndIOp::create(b, loc, large, aligned);
  return differ ? arith::AndIOp::create(b, loc, may, differ).getResult() : may;
}

static void storePast(vector::TransferWriteOp write) {
  OpBuilder b(write);
  vector::StoreOp::create(b, write.getLoc(), write.getVector(), write.getBase(),
                          write.getIndices(), /*nontemporal=*/true,
                          llvm::MaybeAlign(getVectorBytes(write)));
  write.erase();
}

void StorePastCachesPass::runOnOperation() {
  int64_t capacity = 0; // of the outermost cache
  for (HwAttr target : getTargets(getOperation()))
    if (!target.isGPU() && target.getTriple().starts_with("x86_64"))
      for (HwLevelAttr level : target.getLevels())
        if (!capacity && level.getMemory() == "cache")
          capacity = level.getCapacity();
  // By the outermost loop of the thread.
  llvm::MapVector<Operation *, SmallVector<scf::ForOp>> tasks;
  getOperation()->walk([&](scf::ForOp loop) {
    if (!loop->removeAttr(kNontemporalAttr))
      return;
    Operation *task = loop;
    while (isa<scf::ForOp, scf::IfOp>(task->getParentOp()))
      task = task->getParentOp();
    tasks[task].push_back(loop);
  });
  for (auto &[task, rows] : tasks) {
    RowStores stores;
    auto add = [&](scf::ForOp row) { return stores.add(row, task); };
    if (!capacity || task->getNumResults() ||
        !llvm::all_of(rows,
                      [&](scf::ForOp row) { return succeeded(add(row)); }) ||
        stores.writes.empty())
      continue;
    OpBuilder b(task);
    Location loc = task->getLoc();
    auto choice =
        scf::IfOp::create(b, loc, stores.mayStorePast(b, loc, capacity),
                          /*withElseRegion=*/true);
    b.setInsertionPointToStart(choice.elseBlock());
    b.clone(*task);
    task->moveBefore(choice.thenBlock(), choice.thenBlock()->begin());
    for (vector::TransferWriteOp write : stores.writes)
      storePast(write);
    // Whoever is told that the thread is done is to see what it stored.
    b.setInsertionPointAfter(task);
    LLVM::CallIntrinsicOp::create(
        b, loc, b.getStringAttr("llvm.x86.sse.sfence"), ValueRange());
    ++numLoops;
  }
}
