//===- SplitMaskedTransfers.cpp - The end of a row in parts ---------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Without mask registers a store under a mask is `vmaskmovps`, which takes 12
// cycles on Zen, and loads and stores of elements narrower than 32 bits have no
// such instruction: LLVM makes a branch and a scalar of each lane. Where the
// mask is the first lanes, their number has a bit for each part, half as long
// as the one before: at most log2(lanes) accesses, behind branches that go the
// same way for all rows of a result. The vectors of a tile that end at the same
// column share the branches of their stores.
//
//===----------------------------------------------------------------------===//

#include "vortex/Conversion/Passes.h"
#include "vortex/HwDesc/Targets.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/VectorInterfaces.h"

namespace vortex {
#define GEN_PASS_DEF_SPLITMASKEDTRANSFERS
#include "vortex/Conversion/Passes.h.inc"
} // namespace vortex

using namespace mlir;
using namespace vortex;

/// How many of the first lanes `op`, a read or a write, is of; null when it is
/// nothing that can be taken apart.
template <typename TransferOp>
static Value getFirstLanes(TransferOp op) {
  VectorType type = op.getVectorType();
  auto memory = dyn_cast<MemRefType>(op.getBase().getType());
  if (!memory || !memory.isLastDimUnitStride() || type.getRank() != 1 ||
      type.isScalable() || !llvm::isPowerOf2_64(type.getNumElements()) ||
      !op.getPermutationMap().isMinorIdentity() || op.hasOutOfBoundsDim() ||
      !op.getMask())
    return {};
  auto mask = op.getMask().template getDefiningOp<vector::CreateMaskOp>();
  return mask ? mask.getOperands().front() : Value();
}

static Value constantIndex(OpBuilder &b, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

/// Whether `count` has the bit of `part`.
static Value hasPart(OpBuilder &b, Location loc, Value count, int64_t part) {
  Value bit = arith::AndIOp::create(b, loc, count, constantIndex(b, loc, part));
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, bit,
                               constantIndex(b, loc, 0));
}

/// `indices`, the last of them `lanes` further.
static SmallVector<Value> moveBy(OpBuilder &b, Location loc, ValueRange indices,
                                 Value lanes) {
  SmallVector<Value> moved(indices);
  if (lanes)
    moved.back() = arith::AddIOp::create(b, loc, moved.back(), lanes);
  return moved;
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

namespace {
/// Stores of as many lanes each, in any order.
struct Group {
  Value lanes;
  SmallVector<vector::TransferWriteOp> writes;
};
} // namespace

/// Whether `count` is `most` or a part of it: the smaller of that and something
/// else, what it has more than something else, or as many times such a part.
/// All are counts.
static bool isAtMost(Value count, Value most) {
  if (count == most)
    return true;
  auto times = count.getDefiningOp<arith::MulIOp>(),
       mostTimes = most.getDefiningOp<arith::MulIOp>();
  if (times && mostTimes && times.getRhs() == mostTimes.getRhs())
    return isAtMost(times.getLhs(), mostTimes.getLhs());
  if (auto least = count.getDefiningOp<arith::MinUIOp>())
    return isAtMost(least.getLhs(), most) || isAtMost(least.getRhs(), most);
  auto rest = count.getDefiningOp<arith::SubIOp>();
  auto all = rest ? rest.getLhs().getDefiningOp<arith::MaxUIOp>() : nullptr;
  return all && all.getRhs() == rest.getRhs() && isAtMost(all.getLhs(), most);
}

/// Whether `write` starts behind the `lanes` that `other` stores: so many steps
/// further, each a count that `lanes` is at most.
static bool isBehind(vector::TransferWriteOp write,
                     vector::TransferWriteOp other, Value lanes) {
  if (write.getBase() != other.getBase() ||
      write.getIndices().drop_back() != other.getIndices().drop_back())
    return false;
  Value at = write.getIndices().back();
  while (auto next = at.getDefiningOp<arith::AddIOp>()) {
    if (!isAtMost(lanes, next.getRhs()))
      return false;
    at = next.getLhs();
    if (at == other.getIndices().back())
      return true;
  }
  return false;
}

/// `index` without the constantIndex that it adds to something, and that.
static std::pair<Value, int64_t> splitConstant(Value index) {
  auto sum = index.getDefiningOp<arith::AddIOp>();
  std::optional<int64_t> more =
      sum ? getConstantIntValue(sum.getRhs()) : std::nullopt;
  return more ? std::pair(sum.getLhs(), *more) : std::pair(index, int64_t(0));
}

/// Whether these are in different rows, a constantIndex from each other.
static bool areInOtherRows(vector::TransferWriteOp write,
                           vector::TransferWriteOp other) {
  if (write.getBase() != other.getBase())
    return false;
  return llvm::any_of(
      llvm::zip(write.getIndices().drop_back(), other.getIndices().drop_back()),
      [](auto pair) {
        auto [x, moreThanX] = splitConstant(std::get<0>(pair));
        auto [y, moreThanY] = splitConstant(std::get<1>(pair));
        return x == y && moreThanX != moreThanY;
      });
}

/// Whether no element is stored by both, `other` storing the first `lanes`.
static bool areApart(vector::TransferWriteOp other, Value lanes,
                     vector::TransferWriteOp write) {
  return isBehind(write, other, lanes) || areInOtherRows(write, other) ||
         vector::isDisjointTransferSet(
             cast<VectorTransferOpInterface>(other.getOperation()),
             cast<VectorTransferOpInterface>(write.getOperation()));
}

/// The stores of a block that can be taken apart. Those of a group are moved to
/// the last of them, past other stores: nothing else between them reads or
/// writes memory, and none writes where one before it of a group does.
static SmallVector<Group> findGroups(Block &block) {
  SmallVector<Group> groups;
  size_t run = 0; // the first group of the run
  for (Operation &op : block) {
    auto write = dyn_cast<vector::TransferWriteOp>(op);
    if (write && !isa<MemRefType>(write.getBase().getType()))
      continue;
    auto isApart = [&](const Group &group) {
      return llvm::all_of(group.writes, [&](vector::TransferWriteOp other) {
        return areApart(other, group.lanes, write);
      });
    };
    bool joins =
        write && llvm::all_of(ArrayRef(groups).drop_front(run), isApart);
    if (!joins && !isMemoryEffectFree(&op))
      run = groups.size();
    Value lanes = write ? getFirstLanes(write) : Value();
    if (!lanes)
      continue;
    auto *group = llvm::find_if(
        MutableArrayRef(groups).drop_front(run), [&](Group &other) {
          return other.lanes == lanes &&
                 other.writes[0].getVectorType() == write.getVectorType();
        });
    if (group == groups.end()) {
      groups.push_back({lanes, {}});
      group = std::prev(groups.end());
    }
    group->writes.push_back(write);
  }
  return groups;
}

/// Stores `values` as they are, from `at` lanes behind where `writes` start.
static void store(OpBuilder &b, ArrayRef<vector::TransferWriteOp> writes,
                  ValueRange values, Value at) {
  for (auto [i, value] : llvm::enumerate(values)) {
    vector::TransferWriteOp write = writes[i];
    vector::StoreOp::create(b, write.getLoc(), value, write.getBase(),
                            moveBy(b, write.getLoc(), write.getIndices(), at));
  }
}

/// The lanes of `values` from `first`, `count` of them.
static SmallVector<Value> slice(OpBuilder &b, Location loc, ValueRange values,
                                int64_t first, int64_t count) {
  SmallVector<Value> parts;
  for (Value value : values)
    parts.push_back(vector::ExtractStridedSliceOp::create(
        b, loc, value, ArrayRef<int64_t>{first}, ArrayRef<int64_t>{count},
        ArrayRef<int64_t>{1}));
  return parts;
}

/// Stores the lanes of a group in front of the last of its stores.
static void split(Group &group) {
  vector::TransferWriteOp last = group.writes.back();
  OpBuilder b(last);
  Location loc = last.getLoc();
  SmallVector<Value> rest;
  for (vector::TransferWriteOp write : group.writes)
    rest.push_back(write.getVector());
  int64_t lanes = last.getVectorType().getNumElements();
  Value whole =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, group.lanes,
                            constantIndex(b, loc, lanes));
  auto choice = scf::IfOp::create(b, loc, whole, /*withElseRegion=*/true);
  b.setInsertionPoint(choice.thenYield());
  store(b, group.writes, rest, Value());

  b.setInsertionPoint(choice.elseYield());
  Value count = arith::MaxSIOp::create(b, loc, group.lanes,
                                       constantIndex(b, loc, 0)); // may be < 0
  Value at;
  for (int64_t part = lanes / 2; part > 0; part /= 2) {
    auto type = VectorType::get({part}, last.getVectorType().getElementType());
    SmallVector<Type> results(part > 1 ? rest.size() : 0, type);
    auto inPart =
        scf::IfOp::create(b, loc, results, hasPart(b, loc, count, part),
                          /*withElseRegion=*/part > 1);
    // Behind a part come the lanes of its other half, else its own.
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(inPart.thenBlock());
      store(b, group.writes, slice(b, loc, rest, 0, part), at);
      if (part > 1) {
        scf::YieldOp::create(b, loc, slice(b, loc, rest, part, part));
        b.setInsertionPointToStart(inPart.elseBlock());
        scf::YieldOp::create(b, loc, slice(b, loc, rest, 0, part));
      }
    }
    rest = inPart.getResults();
    at = arith::AndIOp::create(b, loc, count, constantIndex(b, loc, -part));
  }
  for (vector::TransferWriteOp write : group.writes)
    write.erase();
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

/// `low` and behind it `high`.
static Value concat(OpBuilder &b, Location loc, Value low, Value high) {
  int64_t lanes = 2 * cast<VectorType>(low.getType()).getNumElements();
  return vector::ShuffleOp::create(b, loc, low, high,
                                   llvm::to_vector(llvm::seq<int64_t>(lanes)));
}

/// Loads the last lanes first: what is behind a part is known when it is.
static void split(vector::TransferReadOp read, Value lanes) {
  OpBuilder b(read);
  Location loc = read.getLoc();
  VectorType type = read.getVectorType();
  auto withLanes = [&](int64_t count) {
    return VectorType::get({count}, type.getElementType());
  };
  auto load = [&](int64_t count, Value at) -> Value {
    return vector::LoadOp::create(b, loc, withLanes(count), read.getBase(),
                                  moveBy(b, loc, read.getIndices(), at));
  };
  auto padding = [&](int64_t count) -> Value {
    return vector::BroadcastOp::create(b, loc, withLanes(count),
                                       read.getPadding());
  };
  Value whole =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, lanes,
                            constantIndex(b, loc, type.getNumElements()));
  auto choice = scf::IfOp::create(b, loc, type, whole, /*withElseRegion=*/true);
  b.setInsertionPointToStart(choice.thenBlock());
  scf::YieldOp::create(b, loc, load(type.getNumElements(), Value()));

  b.setInsertionPointToStart(choice.elseBlock());
  Value count = arith::MaxSIOp::create(b, loc, lanes,
                                       constantIndex(b, loc, 0)); // may be < 0
  Value rest = padding(1);
  for (int64_t part = 1; part < type.getNumElements(); part *= 2) {
    auto inPart = scf::IfOp::create(b, loc, withLanes(2 * part),
                                    hasPart(b, loc, count, part),
                                    /*withElseRegion=*/true);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(inPart.thenBlock());
      Value at = arith::AndIOp::create(b, loc, count,
                                       constantIndex(b, loc, -2 * part));
      scf::YieldOp::create(b, loc, concat(b, loc, load(part, at), rest));
      b.setInsertionPointToStart(inPart.elseBlock());
      scf::YieldOp::create(b, loc, concat(b, loc, rest, padding(part)));
    }
    rest = inPart.getResult(0);
  }
  scf::YieldOp::create(b, loc, rest);
  read.replaceAllUsesWith(choice.getResult(0));
  read.erase();
}

namespace {
struct SplitMaskedTransfers
    : vortex::impl::SplitMaskedTransfersBase<SplitMaskedTransfers> {
  using SplitMaskedTransfersBase::SplitMaskedTransfersBase;
  void runOnOperation() override {
    SmallVector<HwAttr> targets = getTargets(getOperation());
    bool maskRegisters =
        targets.empty() || llvm::any_of(targets, [](HwAttr hw) {
          return hw.isGPU() || hw.getFeatures().contains("avx512");
        });
    if (maskRegisters)
      return;
    SmallVector<Group> groups;
    getOperation()->walk(
        [&](Block *block) { llvm::append_range(groups, findGroups(*block)); });
    for (Group &group : groups)
      split(group);
    getOperation()->walk([](vector::TransferReadOp read) {
      Value lanes = getFirstLanes(read);
      if (lanes && read.getVectorType().getElementTypeBitWidth() < 32)
        split(read, lanes);
    });
  }
};
} // namespace
