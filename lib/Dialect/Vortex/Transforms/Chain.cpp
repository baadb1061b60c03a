//===- Chain.cpp - Finding kernels that hand rows to each other -----------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A chain grows from its last kernel towards the first. The rows start as the
// parallel loops of the last op that its result walks, without the one in
// lanes; a producer joins when the rows that its values share with the chain
// still include those of every contraction: what a contraction reads as
// columns would be made again for each tile.
//
//===----------------------------------------------------------------------===//

#include "Chain.h"

using namespace mlir;
using namespace vortex;

/// A value stays in a tile when writing and reading it takes at least this part
/// of the arithmetic that it lies between (estimate: less is lost again by
/// operands that each tile reads).
static constexpr double kLeastGain = 0.1;

SmallVector<OpResult> Chain::getResults() const {
  SmallVector<OpResult> results;
  for (const auto &entry : rowLoops)
    for (OpResult result : entry.first->getResults())
      if (llvm::any_of(result.getUsers(),
                       [&](Operation *user) { return !contains(user); }))
        results.push_back(result);
  return results;
}

int64_t Chain::getRow(Operation *op, int64_t loop) const {
  const auto *it = rowLoops.find(op);
  auto found = llvm::find(it->second, loop);
  return found == it->second.end() ? -1 : found - it->second.begin();
}

Value vortex::getInitBase(Value init) {
  while (auto fill = init.getDefiningOp<linalg::FillOp>())
    init = fill.getDpsInits()[0];
  return init;
}

OpFoldResult vortex::getChainSize(OpBuilder &b, Location loc, Value value,
                                  int64_t dim) {
  while (auto op = value.getDefiningOp<linalg::LinalgOp>())
    value = op.getTiedOpOperand(cast<OpResult>(value))->get();
  if (auto empty = value.getDefiningOp<tensor::EmptyOp>())
    return empty.getMixedSizes()[dim];
  return tensor::getMixedSize(b, loc, value, dim);
}

/// Whether `loop` runs in lanes, which a tile has all of.
static bool isLane(linalg::LinalgOp op, int64_t loop) {
  if (std::optional<ContractionRoles> roles = getContractionRoles(op))
    return loop == int64_t(roles->n);
  return loop == getLaneLoop(op);
}

static bool isParallel(linalg::LinalgOp op, int64_t loop) {
  return op.getIteratorTypesArray()[loop] == utils::IteratorType::parallel;
}

/// The loop that walks dimension `dim` of the op's operand or result by itself;
/// -1: none does.
static int64_t getLoopOf(AffineMap map, int64_t dim) {
  auto expr = dyn_cast<AffineDimExpr>(map.getResult(dim));
  if (!expr)
    return -1;
  for (auto [i, other] : llvm::enumerate(map.getResults()))
    if (int64_t(i) != dim && other.isFunctionOfDim(expr.getPosition()))
      return -1;
  return expr.getPosition();
}

namespace {
using RowLoops = llvm::MapVector<Operation *, SmallVector<int64_t>>;

class ChainFinder {
public:
  ChainFinder(FunctionOpInterface function, Block &block, HwAttr hw,
              ChainRemarkFn remark)
      : block(block), hw(hw), remark(remark),
        groups(groupKernels(function, block)) {
    for (auto [i, group] : llvm::enumerate(groups))
      for (Operation *op : group.ops)
        groupOf[op] = i;
    addPointwise();
  }
  SmallVector<Chain> find();

private:
  void addPointwise();
  std::string tryAdd(const SetVector<unsigned> &members, unsigned producer,
                     OpResult value);
  RowLoops findRows(const SetVector<unsigned> &members, Operation *last);
  double gainOf(OpResult value);
  Chain makeChain(const SetVector<unsigned> &members, RowLoops rows);

  Block &block;
  HwAttr hw;
  ChainRemarkFn remark;
  SmallVector<KernelGroup> groups;
  DenseMap<Operation *, unsigned> groupOf;
  DenseSet<unsigned> taken;
};
} // namespace

/// Elementwise ops that no kernel takes, as those that ask for indices, pass
/// rows on all the same.
void ChainFinder::addPointwise() {
  for (linalg::LinalgOp op : block.getOps<linalg::LinalgOp>()) {
    if (groupOf.contains(op) || isa<linalg::FillOp>(op.getOperation()) ||
        !op.hasPureTensorSemantics() || op->getNumResults() != 1 ||
        op.getNumReductionLoops() != 0 || op.getNumLoops() == 0 ||
        !op.getIndexingMapsArray().back().isProjectedPermutation())
      continue;
    KernelGroup group;
    group.anchor = op;
    group.ops.insert(op);
    groupOf[op] = groups.size();
    groups.push_back(std::move(group));
  }
}

/// The last op of a group in order of the program.
static Operation *lastOf(const KernelGroup &group) {
  Operation *last = group.ops.front();
  for (Operation *op : group.ops)
    if (last->isBeforeInBlock(op))
      last = op;
  return last;
}

/// The rows of the groups as loops of each op, in order of the program; no
/// loops when there are none that all ops share.
RowLoops ChainFinder::findRows(const SetVector<unsigned> &members,
                               Operation *last) {
  SmallVector<Operation *> ops;
  for (unsigned member : members)
    llvm::append_range(ops, groups[member].ops);
  llvm::sort(ops,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  auto tail = cast<linalg::LinalgOp>(last);
  AffineMap out = tail.getIndexingMapsArray().back();
  SmallVector<int64_t> rows;
  for (unsigned dim = 0; dim < out.getNumResults(); ++dim)
    if (int64_t loop = getLoopOf(out, dim);
        loop >= 0 && isParallel(tail, loop) && !isLane(tail, loop))
      rows.push_back(loop);
  while (true) {
    DenseMap<Operation *, SmallVector<int64_t>> found;
    found[last] = rows;
    llvm::SmallBitVector dead(rows.size());
    for (Operation *op : llvm::reverse(ops)) {
      auto user = cast<linalg::LinalgOp>(op);
      // An op that feeds none of the others has no rows.
      if (!found.contains(op))
        return {};
      SmallVector<int64_t> loops = found.lookup(op);
      for (OpOperand &operand : op->getOpOperands()) {
        auto producer = operand.get().getDefiningOp<linalg::LinalgOp>();
        if (!producer || !llvm::is_contained(ops, producer.getOperation()))
          continue;
        AffineMap in = user.getMatchingIndexingMap(&operand);
        AffineMap made = producer.getIndexingMapMatchingResult(
            cast<OpResult>(operand.get()));
        SmallVector<int64_t> there(loops.size(), -1);
        for (unsigned dim = 0; dim < in.getNumResults(); ++dim) {
          auto row = llvm::find(loops, getLoopOf(in, dim));
          int64_t loop = getLoopOf(made, dim);
          if (row != loops.end() && loop >= 0 && isParallel(producer, loop) &&
              !isLane(producer, loop))
            there[row - loops.begin()] = loop;
        }
        auto [it, added] = found.try_emplace(producer, there);
        for (auto [row, loop] : llvm::enumerate(there))
          if (loop < 0 || it->second[row] != loop)
            dead.set(row);
      }
    }
    if (dead.none()) {
      RowLoops result;
      for (Operation *op : ops)
        result[op] = found.lookup(op);
      return rows.empty() ? RowLoops() : result;
    }
    for (int row = dead.find_last(); row >= 0; row = dead.find_prev(row))
      rows.erase(rows.begin() + row);
  }
}

/// Writing and reading an element of `value`, over the arithmetic at the peak
/// of the machine that makes it and reads it; infinite when there is none, or
/// it is not known. Either is a matter of reductions and columns: rows do not
/// count.
double ChainFinder::gainOf(OpResult value) {
  double operations = 0;
  auto add = [&](linalg::LinalgOp op, AffineMap walked) {
    if (!getContractionRoles(op))
      return true;
    double each = 2;
    for (auto [loop, extent] : llvm::enumerate(op.getStaticLoopRanges()))
      if (!walked.isFunctionOfDim(loop)) {
        if (ShapedType::isDynamic(extent))
          return false;
        each *= double(extent);
      }
    operations += each;
    return true;
  };
  double unknown = std::numeric_limits<double>::infinity();
  for (Operation *op : groups[groupOf.lookup(value.getOwner())].ops) {
    auto producer = cast<linalg::LinalgOp>(op);
    if (!add(producer, producer.getIndexingMapsArray().back()))
      return unknown;
  }
  for (OpOperand &use : value.getUses()) {
    auto user = dyn_cast<linalg::LinalgOp>(use.getOwner());
    if (user && groupOf.contains(user) &&
        !add(user, user.getMatchingIndexingMap(&use)))
      return unknown;
  }
  Type element = getElementTypeOrSelf(value.getType());
  double bytes = std::max(8u, element.getIntOrFloatBitWidth()) / 8.0;
  double stream = hw.getNumber("device.stream").value_or(0);
  double rate = hw.getNumber("fma.f32.rate").value_or(0);
  if (operations == 0 || stream <= 0 || rate <= 0)
    return unknown;
  return (2 * bytes / stream) / (operations / rate);
}

/// Why the group of `value` cannot join the chain; empty when it can.
std::string ChainFinder::tryAdd(const SetVector<unsigned> &members,
                                unsigned producer, OpResult value) {
  const KernelGroup &group = groups[producer];
  if (taken.contains(producer))
    return "it belongs to another chain";
  if (group.payloadClass == PayloadClass::Columns)
    return "what makes it is reduced over rows";
  SetVector<unsigned> more = members;
  more.insert(producer);
  Operation *last = lastOf(groups[members.front()]);
  for (Operation *op : group.ops)
    for (Operation *user : op->getUsers()) {
      auto it = groupOf.find(user);
      if (it != groupOf.end() && more.contains(it->second))
        continue;
      Operation *here = block.findAncestorOpInBlock(*user);
      if (!here || !last->isBeforeInBlock(here))
        return "it is read before the end of the chain";
    }
  RowLoops rows = findRows(more, last);
  if (rows.empty())
    return "no rows are shared";
  for (const auto &[op, loops] : rows)
    if (auto roles = getContractionRoles(cast<linalg::LinalgOp>(op));
        roles && !llvm::is_contained(loops, int64_t(roles->m)))
      return "each row would need all of it";
  double gain = gainOf(value);
  if (gain < kLeastGain)
    return "writing and reading it takes " +
           std::to_string(int64_t(gain * 100)) +
           " % of the arithmetic, less than " +
           std::to_string(int64_t(kLeastGain * 100)) + " %";
  return "";
}

/// Puts rows last that no contraction has columns for: tiles that follow each
/// other, and the rows of one tile, then read the same columns.
static void putSharedRowsLast(RowLoops &rows) {
  size_t count = rows.front().second.size();
  SmallVector<bool> ofColumns(count, false);
  for (const auto &[op, loops] : rows) {
    auto reader = cast<linalg::LinalgOp>(op);
    std::optional<ContractionRoles> roles = getContractionRoles(reader);
    if (!roles)
      continue;
    AffineMap map = reader.getIndexingMapsArray()[roles->b];
    for (auto [row, loop] : llvm::enumerate(loops))
      if (map.isFunctionOfDim(loop))
        ofColumns[row] = true;
  }
  for (auto &[op, loops] : rows) {
    SmallVector<int64_t> ordered;
    for (bool first : {true, false})
      for (auto [row, loop] : llvm::enumerate(loops))
        if (ofColumns[row] == first)
          ordered.push_back(loop);
    loops = std::move(ordered);
  }
}

Chain ChainFinder::makeChain(const SetVector<unsigned> &members,
                             RowLoops rows) {
  putSharedRowsLast(rows);
  Chain chain;
  SmallVector<unsigned> sorted(members.begin(), members.end());
  // By the last op: a kernel runs once all of its operands are there.
  llvm::sort(sorted, [&](unsigned a, unsigned b) {
    return lastOf(groups[a])->isBeforeInBlock(lastOf(groups[b]));
  });
  DenseMap<unsigned, unsigned> position;
  for (auto [i, member] : llvm::enumerate(sorted)) {
    chain.groups.push_back(groups[member]);
    position[member] = i;
  }
  chain.rowLoops = std::move(rows);
  chain.unitRows.assign(chain.rowLoops.front().second.size(), false);
  for (const auto &[op, loops] : chain.rowLoops) {
    for (AffineMap map : cast<linalg::LinalgOp>(op).getIndexingMapsArray())
      for (AffineExpr expr : map.getResults())
        for (auto [row, loop] : llvm::enumerate(loops))
          if (!isa<AffineDimExpr>(expr) && expr.isFunctionOfDim(loop))
            chain.unitRows[row] = true;
    unsigned from = position.lookup(groupOf.lookup(op));
    for (OpResult result : op->getResults()) {
      ChainEdge edge{result, from, from, false};
      for (Operation *user : result.getUsers()) {
        if (chain.contains(user))
          edge.until =
              std::max(edge.until, position.lookup(groupOf.lookup(user)));
        else
          edge.isResult = true;
      }
      if (edge.until != from)
        chain.edges.push_back(edge);
    }
  }
  return chain;
}

/// Whether an operand can be cut into tiles of rows: an index that is no loop
/// alone is one of rows only, or of none.
static bool canSlice(linalg::LinalgOp op, ArrayRef<int64_t> rows) {
  for (AffineMap map : op.getIndexingMapsArray())
    for (AffineExpr expr : map.getResults()) {
      if (isa<AffineDimExpr>(expr))
        continue;
      bool some = false, others = false;
      for (unsigned loop = 0; loop < map.getNumDims(); ++loop)
        if (expr.isFunctionOfDim(loop))
          (llvm::is_contained(rows, int64_t(loop)) ? some : others) = true;
      if (some && others)
        return false;
    }
  return true;
}

SmallVector<Chain> ChainFinder::find() {
  SmallVector<Chain> chains;
  SmallVector<unsigned> tails;
  for (unsigned i = 0; i < groups.size(); ++i)
    tails.push_back(i);
  llvm::sort(tails, [&](unsigned a, unsigned b) {
    return lastOf(groups[b])->isBeforeInBlock(lastOf(groups[a]));
  });
  for (unsigned tail : tails) {
    if (taken.contains(tail) ||
        (groups[tail].payloadClass != PayloadClass::Contraction &&
         groups[tail].payloadClass != PayloadClass::Rows))
      continue;
    SetVector<unsigned> members;
    members.insert(tail);
    llvm::MapVector<Value, std::string> refused;
    for (bool grown = true; grown;) {
      grown = false;
      refused.clear();
      for (unsigned member : SmallVector<unsigned>(members.getArrayRef()))
        for (Operation *op : groups[member].ops)
          for (Value operand : op->getOperands()) {
            Operation *producer = operand.getDefiningOp();
            auto it = groupOf.find(producer);
            if (it == groupOf.end() || members.contains(it->second))
              continue;
            std::string reason =
                tryAdd(members, it->second, cast<OpResult>(operand));
            if (!reason.empty()) {
              refused[operand] = reason;
              continue;
            }
            members.insert(it->second);
            grown = true;
          }
    }
    RowLoops rows = findRows(members, lastOf(groups[tail]));
    bool contracts = llvm::any_of(members, [&](unsigned member) {
      return groups[member].payloadClass == PayloadClass::Contraction;
    });
    for (const auto &[value, reason] : refused)
      remark(cast<OpResult>(value), reason);
    if (members.size() < 2 || !contracts ||
        !llvm::all_of(rows, [](const auto &entry) {
          return canSlice(cast<linalg::LinalgOp>(entry.first), entry.second);
        }))
      continue;
    taken.insert(members.begin(), members.end());
    chains.push_back(makeChain(members, std::move(rows)));
    for (const ChainEdge &edge : chains.back().edges)
      remark(edge.value, "");
  }
  return chains;
}

SmallVector<Chain> vortex::findChains(FunctionOpInterface function,
                                      Block &block, HwAttr hw,
                                      ChainRemarkFn remark) {
  return ChainFinder(function, block, hw, remark).find();
}
