//===- InsertPrefetches.cpp - Touch the next panel while this one is used -===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MicroKernelEmitter.h"

#include "vortex/Dialect/Vortex/Transforms/LoopUnroll.h"
#include "vortex/Dialect/Vortex/Transforms/Passes.h"
#include "vortex/HwDesc/Targets.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace vortex {
#define GEN_PASS_DEF_INSERTPREFETCHES
#include "vortex/Dialect/Vortex/Transforms/Passes.h.inc"
} // namespace vortex

#define DEBUG_TYPE "vortex-insert-prefetches"

using namespace mlir;
using namespace vortex;

/// Rows of a matrix in place: touches what the tile to the right will read of
/// the row, by the last element of each line's worth of vectors, or of each
/// vector that is longer. Where these lie across lines the first line was read
/// by this tile or touched for what is before. Past the last column that is the
/// next row, or nothing: prefetches do not fault. Of pieces of several lines it
/// is all one line further on: out of memory, rows that start elsewhere than
/// lines do take 0.61 to 0.67 of the time so (4 to 13 rows, pieces of 128
/// bytes, B of 36 to 56 MB, an EPYC of family 25; others as long as before).
static void prefetchNextColumns(scf::ForOp loop, int64_t lineBytes) {
  SmallVector<vector::TransferReadOp> reads;
  for (auto read : loop.getBody()->getOps<vector::TransferReadOp>())
    if (isa<MemRefType>(read.getBase().getType()) &&
        read.getVectorType().getRank() == 1)
      reads.push_back(read);
  int64_t width = 0;
  for (vector::TransferReadOp read : reads)
    if (auto column = getConstantIntValue(read.getIndices().back()))
      width = std::max(width, *column + read.getVectorType().getNumElements());
  OpBuilder b(loop);
  for (vector::TransferReadOp read : reads) {
    VectorType type = read.getVectorType();
    if (auto column = getConstantIntValue(read.getIndices().back())) {
      int64_t end = *column + type.getNumElements();
      if (end < width && end * type.getElementTypeBitWidth() % (lineBytes * 8))
        continue;
    }
    b.setInsertionPoint(read);
    int64_t line =
        std::max<int64_t>(lineBytes * 8 / type.getElementTypeBitWidth(), 1);
    Value right = arith::ConstantIndexOp::create(
        b, loop.getLoc(),
        width + type.getNumElements() - 1 + (width > line ? line : 0));
    SmallVector<Value> next(read.getIndices());
    next.back() = arith::AddIOp::create(b, loop.getLoc(), next.back(), right);
    memref::PrefetchOp::create(b, loop.getLoc(), read.getBase(), next,
                               /*isWrite=*/false, /*localityHint=*/2,
                               /*isDataCache=*/true);
  }
}

/// Panels are [K][width] memrefs; one is read at column 0 once a step.
static void prefetchNextPanel(scf::ForOp loop, int64_t lines,
                              int64_t lineBytes) {
  auto rowSwitch = loop->getParentOfType<scf::IndexSwitchOp>();
  auto groups =
      rowSwitch ? rowSwitch->getParentOfType<scf::ForOp>() : scf::ForOp();
  if (!groups)
    return;
  SmallVector<vector::TransferReadOp> reads;
  for (auto read : loop.getBody()->getOps<vector::TransferReadOp>()) {
    auto type = dyn_cast<MemRefType>(read.getBase().getType());
    if (type && type.getRank() == 2 && !type.isDynamicDim(1) &&
        isConstantIntValue(read.getIndices()[1], 0))
      reads.push_back(read);
  }
  if (reads.empty())
    return prefetchNextColumns(loop, lineBytes);
  Location loc = loop.getLoc();
  OpBuilder b(loop);
  auto constant = [&](int64_t v) -> Value {
    return arith::ConstantIndexOp::create(b, loc, v);
  };
  auto type = cast<MemRefType>(reads[0].getBase().getType());
  int64_t width = type.getDimSize(1);
  int64_t line = std::max<int64_t>(
      lineBytes * 8 / type.getElementTypeBitWidth(), 1); // in elements
  Value panel = arith::MulIOp::create(
      b, loc, memref::DimOp::create(b, loc, reads[0].getBase(), 0),
      constant(width));
  // A block of the reduction reads a part of each panel.
  Value next = panel;
  if (auto part = reads[0].getBase().getDefiningOp<memref::SubViewOp>()) {
    auto whole = part.getSourceType();
    int64_t rank = whole.getRank();
    if (rank > 2 && whole.getDimSize(rank - 1) == width)
      next = arith::MulIOp::create(
          b, loc, memref::DimOp::create(b, loc, part.getSource(), rank - 2),
          constant(width));
  }
  Value count = arith::CeilDivUIOp::create(b, loc, groups.getUpperBound(),
                                           groups.getStep());
  Value group = arith::DivUIOp::create(b, loc, groups.getInductionVar(),
                                       groups.getStep());
  Value start = arith::AddIOp::create(
      b, loc, next,
      arith::DivUIOp::create(
          b, loc, arith::MulIOp::create(b, loc, panel, group), count));
  Value stride = arith::MaxUIOp::create(
      b, loc, arith::DivUIOp::create(b, loc, constant(width), count),
      constant(1));
  // One address for all: a stride for each read would take registers that the
  // rows' addresses need. Nor has each step its own where LLVM repeats them:
  // what it repeats `unroll` times counts from a multiple of that.
  b.setInsertionPoint(reads[0]);
  int64_t unroll = getUnroll(loop);
  Value first = reads[0].getIndices()[0], step;
  if (unroll > 1 && llvm::isPowerOf2_64(unroll)) {
    step = arith::AndIOp::create(b, loc, first, constant(unroll - 1));
    first = arith::AndIOp::create(b, loc, first, constant(-unroll));
  }
  Value at = arith::AddIOp::create(
      b, loc, start, arith::MulIOp::create(b, loc, first, stride));
  if (step)
    at = arith::AddIOp::create(
        b, loc, at,
        arith::MulIOp::create(b, loc, step,
                              constant(line * lines * int64_t(reads.size()))));
  for (auto [i, read] : llvm::enumerate(reads)) {
    b.setInsertionPoint(read);
    for (int64_t l = i * lines, end = l + lines; l < end; ++l) {
      Value column =
          l ? arith::AddIOp::create(b, loc, at, constant(line * l)).getResult()
            : at;
      memref::PrefetchOp::create(b, loc, reads[0].getBase(),
                                 ValueRange{constant(0), column},
                                 /*isWrite=*/false, /*localityHint=*/2,
                                 /*isDataCache=*/true);
    }
  }
}

/// The stores from `from` on, of a branch those where its condition holds:
/// whole tiles, whose lines those of others are among.
static void collectWrites(Operation *from,
                          SmallVectorImpl<vector::TransferWriteOp> &writes) {
  for (Operation *op = from; op; op = op->getNextNode()) {
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      collectWrites(&branch.thenBlock()->front(), writes);
      continue;
    }
    auto write = dyn_cast<vector::TransferWriteOp>(op);
    if (write && isa<MemRefType>(write.getBase().getType()))
      writes.push_back(write);
  }
}

/// Whether vectors of the rows that `writes` store lie across lines, as rows no
/// multiple of a line apart have them; null where one row is stored alone, or
/// elements have no width.
static Value storesAcrossLines(OpBuilder &b, Location loc,
                               ArrayRef<vector::TransferWriteOp> writes,
                               int64_t lineBytes) {
  auto first = writes.front();
  auto type = cast<MemRefType>(first.getBase().getType());
  std::optional<int64_t> rowDim;
  for (vector::TransferWriteOp write : writes)
    for (int64_t d = 0; d + 1 < type.getRank(); ++d)
      if (write.getBase() == first.getBase() &&
          write.getIndices()[d] != first.getIndices()[d])
        rowDim = d;
  if (!rowDim || !type.getElementType().isIntOrFloat())
    return {};
  int64_t line = lineBytes * 8 / type.getElementTypeBitWidth();
  if (line < 2)
    return {};
  auto metadata =
      memref::ExtractStridedMetadataOp::create(b, loc, first.getBase());
  Value stride = metadata.getStrides()[*rowDim];
  Value past = arith::AndIOp::create(
      b, loc, stride, arith::ConstantIndexOp::create(b, loc, line - 1));
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, past,
                               arith::ConstantIndexOp::create(b, loc, 0));
}

/// Takes the lines that the tile will store into while it is computed: stores
/// retire in order, so a miss of each would otherwise wait for the one before.
/// Behind few steps, which are over before a line comes, that is not worth its
/// instructions (1 to 3 ns of a product of 30), but on machines on which
/// vectors across lines have to wait for both (`acrossLines`): there 300 x 250
/// x 5 takes 7.2 us instead of 11.9, 567 x 1348 x 9 142 instead of 190, others
/// of up to 1800 bytes a result 0.84 to 1.08 of the time (a Xeon of model 207).
static void prefetchResult(scf::ForOp loop, int64_t lineBytes,
                           bool acrossLines) {
  constexpr int64_t fewSteps = 16;
  Location loc = loop.getLoc();
  OpBuilder b(loop);
  DominanceInfo dominance(loop->getParentOfType<FunctionOpInterface>());
  auto before = [&](Value value) {
    return dominance.properlyDominates(value, loop);
  };
  SmallVector<vector::TransferWriteOp> writes;
  collectWrites(loop->getNextNode(), writes);
  llvm::erase_if(writes, [&](vector::TransferWriteOp write) {
    return !before(write.getBase()) ||
           !llvm::all_of(write.getIndices(), before);
  });
  if (writes.empty())
    return;
  // Of loops in loops the outermost does not tell how many steps there are.
  bool innermost = loop.getBody()->getOps<scf::ForOp>().empty();
  Value steps = loop.getUpperBound();
  if (innermost && steps.getType().isIndex()) {
    Value many =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge, steps,
                              arith::ConstantIndexOp::create(b, loc, fewSteps));
    if (acrossLines)
      if (Value across = storesAcrossLines(b, loc, writes, lineBytes))
        many = arith::OrIOp::create(b, loc, many, across);
    auto branch = scf::IfOp::create(b, loc, many, /*withElseRegion=*/false);
    b.setInsertionPointToStart(branch.thenBlock());
  }
  for (vector::TransferWriteOp write : writes)
    memref::PrefetchOp::create(b, loc, write.getBase(), write.getIndices(),
                               /*isWrite=*/true, /*localityHint=*/3,
                               /*isDataCache=*/true);
}

/// Asks L1 for the line of an element that will be read.
static void touch(OpBuilder &b, Value memory, ValueRange at) {
  memref::PrefetchOp::create(b, memory.getLoc(), memory, at, /*isWrite=*/false,
                             /*localityHint=*/3, /*isDataCache=*/true);
}

/// `value` as it is where `later` takes the place of the induction variable of
/// `loop`: what was computed from that is computed again.
static Value computeLater(OpBuilder &b, scf::ForOp loop, Value value,
                          IRMapping &later) {
  Operation *op = value.getDefiningOp();
  if (later.contains(value) || !op || !loop->isProperAncestor(op))
    return later.lookupOrDefault(value);
  for (Value operand : op->getOperands())
    later.map(operand, computeLater(b, loop, operand, later));
  b.clone(*op, later);
  return later.lookup(value);
}

/// Touches what each read of `block`, the body of `loop` or of a branch in it,
/// will read later, when `later` takes the place of the induction variable.
/// What was computed for that stays in the blocks that it dominates.
static void prefetchReads(scf::ForOp loop, Block &block, IRMapping later) {
  OpBuilder b(loop);
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (auto branch = dyn_cast<scf::IfOp>(op))
      for (Region *region : branch.getRegions())
        if (!region->empty())
          prefetchReads(loop, region->front(), later);
    auto read = dyn_cast<vector::TransferReadOp>(op);
    if (!read || !isa<MemRefType>(read.getBase().getType()))
      continue;
    b.setInsertionPoint(read);
    SmallVector<Value> at;
    for (Value index : read.getIndices())
      at.push_back(computeLater(b, loop, index, later));
    touch(b, read.getBase(), at);
  }
}

/// Touches what each read of the loop's body will read so many trips later.
/// Behind the last that is something else, or nothing: prefetches do not fault.
static void prefetchAhead(scf::ForOp loop, int64_t trips) {
  Location loc = loop.getLoc();
  OpBuilder b(loop);
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  if (!step)
    return;
  Value ahead = arith::ConstantIndexOp::create(b, loc, *step * trips);
  b.setInsertionPointToStart(loop.getBody());
  Value at = arith::AddIOp::create(b, loc, loop.getInductionVar(), ahead);
  IRMapping later;
  later.map(loop.getInductionVar(), at);
  prefetchReads(loop, *loop.getBody(), later);
}

/// Whether `value` is another in each trip of `loop`.
static bool changesIn(scf::ForOp loop, Value value) {
  Operation *op = value.getDefiningOp();
  return value == loop.getInductionVar() ||
         (op && loop->isProperAncestor(op) &&
          llvm::any_of(op->getOperands(), [&](Value operand) {
            return changesIn(loop, operand);
          }));
}

/// Whether what `loop` has of `value` in another trip can be computed in front
/// of `inner`, a loop in it, from nothing but the induction variable.
static bool canComputeBefore(scf::ForOp inner, scf::ForOp loop, Value value) {
  if (inner->isAncestor(value.getParentRegion()->getParentOp()))
    return false;
  Operation *op = value.getDefiningOp();
  if (!op || !loop->isProperAncestor(op))
    return true;
  return isPure(op) && !op->getNumRegions() &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return canComputeBefore(inner, loop, operand);
         });
}

/// Touches, in each trip of a loop along a row of at least `leastBytes`, the
/// same columns of the next row: of the innermost loop around it that goes from
/// row to row.
static void prefetchNextRow(scf::ForOp loop, int64_t lineBytes,
                            int64_t leastBytes) {
  Location loc = loop.getLoc();
  OpBuilder b(loop);
  auto constant = [&](int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  SmallVector<std::pair<Value, SmallVector<Value>>> touched;
  int64_t columnBytes = 1;
  for (auto read : loop.getBody()->getOps<vector::TransferReadOp>()) {
    // Of the vectors in a line the first.
    int64_t bytes =
        llvm::divideCeil(read.getVectorType().getElementTypeBitWidth(), 8);
    std::optional<int64_t> column =
        getColumnBehind(loop, read.getIndices().back());
    auto row = read.getBase().getDefiningOp<memref::SubViewOp>();
    if (!row || !column || *column * bytes % lineBytes)
      continue;
    auto around = loop->getParentOfType<scf::ForOp>();
    while (around && !changesIn(around, row))
      around = around->getParentOfType<scf::ForOp>();
    // Where the row begins changes, not what it is a row of.
    if (!around || changesIn(around, row.getSource()) ||
        !canComputeBefore(loop, around, row) ||
        !llvm::all_of(read.getIndices().drop_back(), [&](Value index) {
          return loop.isDefinedOutsideOfLoop(index);
        }))
      continue;
    IRMapping next;
    next.map(around.getInductionVar(),
             arith::AddIOp::create(b, loc, around.getInductionVar(),
                                   around.getStep())
                 .getResult());
    SmallVector<Value> at(read.getIndices());
    at.back() = constant(*column);
    touched.push_back({computeLater(b, around, row, next), at});
    columnBytes = std::max(columnBytes, bytes);
  }
  if (touched.empty())
    return;
  Value isLong = arith::CmpIOp::create(
      b, loc, arith::CmpIPredicate::uge, loop.getUpperBound(),
      constant(llvm::divideCeil(leastBytes, columnBytes)));
  b.setInsertionPointToStart(loop.getBody());
  auto branch = scf::IfOp::create(b, loc, isLong, /*withElseRegion=*/false);
  b.setInsertionPointToStart(branch.thenBlock());
  for (auto &[row, at] : touched) {
    at.back() =
        arith::AddIOp::create(b, loc, loop.getInductionVar(), at.back());
    touch(b, row, at);
  }
}

/// The argument of the function that `memory` is a part of; null for others.
static BlockArgument getArgument(Value memory) {
  while (Operation *op = memory.getDefiningOp()) {
    if (!isa<memref::SubViewOp, memref::CastOp>(op))
      return {};
    memory = op->getOperand(0);
  }
  auto argument = cast<BlockArgument>(memory);
  Block *block = argument.getOwner();
  return block->isEntryBlock() && isa<FunctionOpInterface>(block->getParentOp())
             ? argument
             : BlockArgument();
}

namespace {
/// Touches what loops read of arguments in place some trips before, where that
/// is waited for: lines of vectors that lie across them, as rows that start
/// elsewhere than lines have them, and rows further apart than prefetchers of
/// the machine follow. A loop that does so takes the place of the other when
/// the kernel is called: a branch in each step is 3 % of the time where nothing
/// is waited for, and requests themselves up to 30 %.
class AheadInPlace {
public:
  /// `wayBytes`: those of L1 after which sets come again; 0: not known.
  AheadInPlace(int64_t lineBytes, int64_t l1Bytes, int64_t wayBytes,
               int64_t l2Bytes)
      : lineBytes(lineBytes), l1Bytes(l1Bytes), wayBytes(wayBytes),
        l2Bytes(l2Bytes) {}
  void prefetch(scf::ForOp loop);

private:
  static constexpr int64_t kLinesAhead = 8, kRowsAhead = 8;
  /// Of fewer rows too many are past the last (20 take 1.05 of the time).
  static constexpr int64_t kLeastRows = 4 * kRowsAhead;
  /// Of an argument: where it is read along rows, where from row to row.
  struct Conditions {
    Value along, down;
  };
  /// What is read of one in a loop.
  struct Reads {
    SmallVector<vector::TransferReadOp> along;
    llvm::MapVector<Value, SmallVector<vector::TransferReadOp>> down; ///< rows
  };

  Conditions getConditions(Value argument);
  llvm::MapVector<Value, Reads> findReads(scf::ForOp loop);
  void touchAlong(OpBuilder &b, scf::ForOp loop,
                  ArrayRef<vector::TransferReadOp> reads, Value position);
  void touchDown(OpBuilder &b, scf::ForOp loop, Value row,
                 ArrayRef<vector::TransferReadOp> reads, Value position);

  int64_t lineBytes, l1Bytes, wayBytes, l2Bytes;
  DenseMap<Value, Conditions> known;
};
} // namespace

/// Computed before the body of the function.
AheadInPlace::Conditions AheadInPlace::getConditions(Value argument) {
  Conditions &result = known[argument];
  if (result.along)
    return result;
  auto b = OpBuilder::atBlockBegin(cast<BlockArgument>(argument).getOwner());
  Location loc = argument.getLoc();
  auto constant = [&](int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  auto type = cast<MemRefType>(argument.getType());
  Value bytes = constant(type.getElementTypeBitWidth() / 8);
  auto metadata = memref::ExtractStridedMetadataOp::create(b, loc, argument);
  Value start = arith::AddIOp::create(
      b, loc, memref::ExtractAlignedPointerAsIndexOp::create(b, loc, argument),
      arith::MulIOp::create(b, loc, metadata.getOffset(), bytes));
  // Rows a line or less from a multiple of a way apart share sets of L1 with
  // those before: 3 x 1022 x 70 takes 1.25 of the time, 3 x 4099 x 70 1.1.
  Value spread;
  for (Value stride : metadata.getStrides().drop_back()) {
    stride = arith::MulIOp::create(b, loc, stride, bytes);
    start = arith::OrIOp::create(b, loc, start, stride);
    if (!llvm::isPowerOf2_64(wayBytes))
      continue;
    Value apart = arith::AndIOp::create(
        b, loc, arith::AddIOp::create(b, loc, stride, constant(lineBytes)),
        constant(wayBytes - 1));
    // The last one is that of the innermost rows.
    spread = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ugt, apart,
                                   constant(2 * lineBytes));
  }
  Value across = arith::CmpIOp::create(
      b, loc, arith::CmpIPredicate::ne,
      arith::AndIOp::create(b, loc, start, constant(lineBytes - 1)),
      constant(0));
  Value size = bytes;
  for (Value extent : metadata.getSizes())
    size = arith::MulIOp::create(b, loc, size, extent);
  auto isLarger = [&](int64_t cache) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ugt, size,
                                 constant(cache));
  };
  Value beyondL1 = isLarger(l1Bytes), beyondL2 = isLarger(l2Bytes);
  Value acrossBeyondL1 = arith::AndIOp::create(b, loc, across, beyondL1);
  result.down = acrossBeyondL1;
  if (spread)
    result.down = arith::AndIOp::create(b, loc, result.down, spread);
  result.down = arith::OrIOp::create(b, loc, result.down, beyondL2);
  result.along = arith::AndIOp::create(
      b, loc, acrossBeyondL1,
      arith::XOrIOp::create(
          b, loc, beyondL2,
          arith::ConstantIntOp::create(b, loc, b.getI1Type(), 1)));
  return result;
}

/// The lines behind, in the trip at `position`. Out of L2 30 rows of 2518
/// elements by a column take 0.84 of the time so, by two 0.87, 8 by 100 columns
/// of 2001 0.83. Where no vector lies across lines that takes 1.2 of the time,
/// out of L1 1.25, out of L3 up to 1.06 (a Xeon of model 207; 4 to 16 lines are
/// alike).
void AheadInPlace::touchAlong(OpBuilder &b, scf::ForOp loop,
                              ArrayRef<vector::TransferReadOp> reads,
                              Value position) {
  for (vector::TransferReadOp read : reads) {
    int64_t bits = read.getVectorType().getElementTypeBitWidth();
    int64_t column = *getColumnBehind(loop, read.getIndices().back()) +
                     kLinesAhead * lineBytes * 8 / bits;
    SmallVector<Value> at(read.getIndices());
    at.back() = arith::AddIOp::create(
        b, loop.getLoc(), position,
        arith::ConstantIndexOp::create(b, loop.getLoc(), column));
    touch(b, read.getBase(), at);
  }
}

/// Each vector of a row some rows later, and where the last ends, which lies in
/// the line behind. With pieces of 256 bytes, one and six rows of A: 0.70 and
/// 0.84 of the time where B of 1.2 MB lies across lines, 0.7 and, of whole
/// lines, 0.81 out of L3, 0.63 out of memory (a Xeon of model 207; pieces of
/// whole lines out of L2 1.0 to 1.03, all out of L1 up to 1.2).
void AheadInPlace::touchDown(OpBuilder &b, scf::ForOp loop, Value row,
                             ArrayRef<vector::TransferReadOp> reads,
                             Value position) {
  Location loc = loop.getLoc();
  auto constant = [&](int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  Value later = arith::AddIOp::create(
      b, loc, position, constant(*getColumnBehind(loop, row) + kRowsAhead));
  SmallVector<Value> at;
  for (vector::TransferReadOp read : reads) {
    at = read.getIndices();
    llvm::replace(at, row, later);
    touch(b, read.getBase(), at);
  }
  vector::TransferReadOp last = reads.back();
  at.back() = arith::AddIOp::create(
      b, loc, at.back(), constant(last.getVectorType().getNumElements() - 1));
  touch(b, last.getBase(), at);
}

llvm::MapVector<Value, AheadInPlace::Reads>
AheadInPlace::findReads(scf::ForOp loop) {
  auto isOutside = [&](Value value) {
    return loop.isDefinedOutsideOfLoop(value);
  };
  llvm::MapVector<Value, Reads> found;
  for (auto read : loop.getBody()->getOps<vector::TransferReadOp>()) {
    auto type = dyn_cast<MemRefType>(read.getBase().getType());
    BlockArgument argument = getArgument(read.getBase());
    auto whole =
        argument ? dyn_cast<MemRefType>(argument.getType()) : MemRefType();
    if (!type || !type.isStrided() || !whole || !whole.isStrided() ||
        read.getVectorType().getRank() != 1 || !isOutside(read.getBase()) ||
        !type.getElementType().isIntOrFloat() ||
        type.getElementTypeBitWidth() % 8)
      continue;
    // One index goes with the loop.
    ValueRange indices = read.getIndices();
    auto moves = llvm::make_filter_range(
        llvm::seq<unsigned>(0, indices.size()),
        [&](unsigned d) { return !isOutside(indices[d]); });
    if (!llvm::hasSingleElement(moves))
      continue;
    unsigned dim = *moves.begin();
    if (!getColumnBehind(loop, indices[dim]))
      continue;
    if (dim + 1 == indices.size())
      found[argument].along.push_back(read);
    // Rows of what has been packed have a known distance.
    else if (ShapedType::isDynamic(type.getStridesAndOffset().first[dim]))
      found[argument].down[indices[dim]].push_back(read);
  }
  return found;
}

void AheadInPlace::prefetch(scf::ForOp loop) {
  Location loc = loop.getLoc();
  OpBuilder b(loop);
  llvm::MapVector<Value, Reads> found = findReads(loop);
  Value any;
  auto add = [&](Value condition) {
    any = any ? arith::OrIOp::create(b, loc, any, condition).getResult()
              : condition;
  };
  unsigned groups = 0;
  Value many;
  for (auto &[argument, reads] : found) {
    if (!reads.along.empty()) {
      add(getConditions(argument).along);
      ++groups;
    }
    if (reads.down.empty())
      continue;
    if (!many)
      many = arith::CmpIOp::create(
          b, loc, arith::CmpIPredicate::uge, loop.getUpperBound(),
          arith::ConstantIndexOp::create(b, loc, kLeastRows));
    add(arith::AndIOp::create(b, loc, many, getConditions(argument).down));
    ++groups;
  }
  if (!any)
    return;
  auto choice = scf::IfOp::create(b, loc, loop.getResultTypes(), any,
                                  /*withElseRegion=*/true);
  loop.replaceAllUsesWith(choice.getResults());
  // A branch without results has its terminators.
  auto finish = [&](Block *block, ValueRange results) {
    if (results.empty())
      return;
    b.setInsertionPointToEnd(block);
    scf::YieldOp::create(b, loc, results);
  };
  b.setInsertionPointToStart(choice.thenBlock());
  auto touching = cast<scf::ForOp>(b.clone(*loop));
  finish(choice.thenBlock(), touching.getResults());
  Value position = touching.getInductionVar();
  // Of several some may have nothing to wait for.
  auto begin = [&](Value condition) {
    b.setInsertionPointToStart(touching.getBody());
    if (groups > 1) {
      auto branch =
          scf::IfOp::create(b, loc, condition, /*withElseRegion=*/false);
      b.setInsertionPointToStart(branch.thenBlock());
    }
  };
  for (auto &[argument, reads] : found) {
    if (!reads.along.empty()) {
      begin(getConditions(argument).along);
      touchAlong(b, loop, reads.along, position);
    }
    if (reads.down.empty())
      continue;
    begin(getConditions(argument).down);
    for (auto &[row, ofRow] : reads.down)
      touchDown(b, loop, row, ofRow, position);
  }
  loop->moveBefore(choice.elseBlock(), choice.elseBlock()->begin());
  finish(choice.elseBlock(), loop.getResults());
}

namespace {
struct InsertPrefetchesPass
    : vortex::impl::InsertPrefetchesBase<InsertPrefetchesPass> {
  void runOnOperation() override {
    int64_t line = 64;
    std::optional<int64_t> l1Bytes, l2Bytes; ///< none: not known
    int64_t ways = 0;
    bool acrossLines = false;
    for (HwAttr target : getTargets(getOperation())) {
      if (target.isGPU())
        continue;
      line = target.getLineBytes();
      acrossLines = waitsAcrossLines(target);
      if (HwLevelAttr l1 = target.getLevel("l1"))
        l1Bytes = l1.getCapacity();
      ways = int64_t(target.getNumber("l1.ways").value_or(0));
      if (HwLevelAttr l2 = target.getLevel("l2"))
        l2Bytes = l2.getCapacity();
    }
    SmallVector<scf::ForOp> inPlace;
    getOperation()->walk([&](scf::ForOp loop) {
      if (auto lines = loop->getAttrOfType<IntegerAttr>(kPrefetchAttr)) {
        prefetchNextPanel(loop, lines.getInt(), line);
        loop->removeAttr(kPrefetchAttr);
      }
      if (auto trips = loop->getAttrOfType<IntegerAttr>(kPrefetchAheadAttr)) {
        prefetchAhead(loop, trips.getInt());
        loop->removeAttr(kPrefetchAheadAttr);
      }
      // Of rows shorter than a quarter several are on their way anyway.
      if (loop->removeAttr(kPrefetchRowAttr) && l1Bytes)
        prefetchNextRow(loop, line, *l1Bytes / 4);
      if (loop->removeAttr(kPrefetchInPlaceAttr))
        inPlace.push_back(loop);
      if (loop->removeAttr(kPrefetchResultAttr))
        prefetchResult(loop, line, acrossLines);
    });
    if (!acrossLines || !l1Bytes || !l2Bytes || *l1Bytes >= *l2Bytes)
      return;
    AheadInPlace ahead(line, *l1Bytes, ways > 0 ? *l1Bytes / ways : 0,
                       *l2Bytes);
    for (scf::ForOp loop : inPlace)
      ahead.prefetch(loop);
  }
};
} // namespace
