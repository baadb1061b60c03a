//===- JoinRows.cpp - Rows without gaps are one row -----------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each row of an elementwise chain ends in a vector under a mask, and rows
// shorter than a vector are nothing but such ends. Whether rows follow each
// other without gaps in all operands is known when the strides are: then the
// loop over rows goes once, along all of them.
//
//===----------------------------------------------------------------------===//

#include "MicroKernelEmitter.h"

#include "vortex/Dialect/Vortex/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace vortex {
#define GEN_PASS_DEF_JOINROWS
#include "vortex/Dialect/Vortex/Transforms/Passes.h.inc"
} // namespace vortex

using namespace mlir;
using namespace vortex;

namespace {
struct JoinRowsPass : vortex::impl::JoinRowsBase<JoinRowsPass> {
  void runOnOperation() override;
};

/// A loop that does the same with each element of its rows.
class RowLoop {
public:
  explicit RowLoop(scf::ForOp loop) : loop(loop) {}
  bool isElementwise();
  void join();

private:
  bool isRow(memref::SubViewOp view);
  bool isPartOfLength(Value value);
  bool isElementOfRow(Operation *op, scf::ForOp columns);
  bool walksColumns(scf::ForOp columns);
  Operation *outermost();

  scf::ForOp loop;
  Value length; ///< elements of a row
  SetVector<memref::SubViewOp> rows;
  SetVector<Value> buffers; ///< what the rows are of
};
} // namespace

/// Whether `view` is the row of the loop, whole, of a buffer whose neighbours
/// along it lie beside each other.
bool RowLoop::isRow(memref::SubViewOp view) {
  MemRefType type = view.getSourceType();
  int64_t rank = type.getRank();
  auto [strides, offset] = type.getStridesAndOffset();
  SmallVector<OpFoldResult> offsets = view.getMixedOffsets(),
                            sizes = view.getMixedSizes();
  if (rank < 2 || view.getType().getRank() != rank || strides.back() != 1 ||
      !ShapedType::isDynamic(type.getDimSize(rank - 1)) ||
      !loop.isDefinedOutsideOfLoop(view.getSource()) ||
      !isZeroInteger(offsets.back()) ||
      !llvm::all_of(view.getMixedStrides(), isOneInteger) ||
      !llvm::all_of(ArrayRef(sizes).drop_back(), isOneInteger))
    return false;
  for (int64_t dim = 0; dim < rank - 1; ++dim) {
    auto value = dyn_cast<Value>(offsets[dim]);
    if (dim == rank - 2 ? value != loop.getInductionVar()
                        : value && !loop.isDefinedOutsideOfLoop(value))
      return false;
  }
  auto size = dyn_cast<Value>(sizes.back());
  if (!size || !loop.isDefinedOutsideOfLoop(size) || (length && size != length))
    return false;
  length = size;
  return true;
}

/// Whether `op` makes numbers of numbers, in each lane the same way.
static bool mapsElements(Operation *op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto numbers = dyn_cast<DenseElementsAttr>(constant.getValue());
    return !numbers || numbers.isSplat();
  }
  auto isIndex = [](Type type) { return getElementTypeOrSelf(type).isIndex(); };
  if (llvm::any_of(op->getOperandTypes(), isIndex) ||
      llvm::any_of(op->getResultTypes(), isIndex))
    return false;
  if (auto broadcast = dyn_cast<vector::BroadcastOp>(op))
    return broadcast.getSourceType().isIntOrFloat();
  return isMemoryEffectFree(op) && OpTrait::hasElementwiseMappableTraits(op);
}

/// Whether `value` is what whole steps of columns take of a row.
bool RowLoop::isPartOfLength(Value value) {
  auto part = value.getDefiningOp<arith::SubIOp>();
  auto rest = part && part.getLhs() == length
                  ? part.getRhs().getDefiningOp<arith::RemUIOp>()
                  : arith::RemUIOp();
  return rest && rest.getLhs() == length && getConstantIntValue(rest.getRhs());
}

/// Whether `op`, in a loop over `columns`, does with each what it does with
/// others: nothing of a row but its element is read, written or known.
bool RowLoop::isElementOfRow(Operation *op, scf::ForOp columns) {
  // What comes from elsewhere is the same in all lanes.
  for (Value operand : op->getOperands())
    if (isa<VectorType>(operand.getType()) &&
        columns.isDefinedOutsideOfLoop(operand))
      if (Operation *from = operand.getDefiningOp();
          !isa_and_present<arith::ConstantOp, vector::BroadcastOp>(from) ||
          !mapsElements(from))
        return false;
  if (isa<vector::TransferReadOp, vector::TransferWriteOp>(op)) {
    auto transfer = cast<VectorTransferOpInterface>(op);
    std::optional<int64_t> column =
        getColumnBehind(columns, transfer.getIndices().back());
    return transfer.getPermutationMap().isMinorIdentity() &&
           transfer.getTransferRank() == 1 && transfer.isDimInBounds(0) &&
           column && *column >= 0 &&
           rows.contains(
               transfer.getBase().getDefiningOp<memref::SubViewOp>()) &&
           llvm::all_of(transfer.getIndices().drop_back(), isZeroInteger);
  }
  if (auto add = dyn_cast<arith::AddIOp>(op))
    if (add.getType().isIndex())
      return getColumnBehind(columns, add.getResult()).has_value();
  if (auto left = dyn_cast<arith::SubIOp>(op))
    if (left.getType().isIndex())
      return left.getLhs() == length &&
             left.getRhs() == columns.getInductionVar() &&
             llvm::all_of(left->getUsers(),
                          llvm::IsaPred<vector::CreateMaskOp>);
  if (auto mask = dyn_cast<vector::CreateMaskOp>(op)) {
    auto left = mask.getOperand(0).getDefiningOp<arith::SubIOp>();
    return mask.getNumOperands() == 1 && left &&
           left->getBlock() == op->getBlock();
  }
  return isa<scf::YieldOp>(op) || mapsElements(op);
}

/// Whether `columns` walks columns, gives nothing and keeps nothing of one for
/// the next.
bool RowLoop::walksColumns(scf::ForOp columns) {
  return columns.getNumResults() == 0 &&
         getConstantIntValue(columns.getStep()) &&
         llvm::all_of(columns.getBody()->getOperations(), [&](Operation &op) {
           return isElementOfRow(&op, columns);
         });
}

bool RowLoop::isElementwise() {
  if (loop.getNumResults() || !isConstantIntValue(loop.getLowerBound(), 0) ||
      !isConstantIntValue(loop.getStep(), 1))
    return false;
  for (Operation *user : loop.getInductionVar().getUsers()) {
    auto view = dyn_cast<memref::SubViewOp>(user);
    if (!view || !isRow(view))
      return false;
    rows.insert(view);
  }
  if (rows.empty())
    return false;
  // Uses are listed from the last to the first.
  for (memref::SubViewOp view : llvm::reverse(rows))
    buffers.insert(view.getSource());
  // One loop after the other goes on where the one before stops, up to the end
  // of the row.
  Value reached;
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (auto columns = dyn_cast<scf::ForOp>(op)) {
      Value from = columns.getLowerBound(), to = columns.getUpperBound();
      bool goesOn = reached ? from == reached : isConstantIntValue(from, 0);
      if (!goesOn || !walksColumns(columns))
        return false;
      if (to == length)
        reached = Value();
      else if (!isPartOfLength(to))
        return false;
      else
        reached = to;
    } else if (auto view = dyn_cast<memref::SubViewOp>(op)) {
      if (!rows.contains(view))
        return false;
    } else if (auto copy = dyn_cast<memref::CopyOp>(op)) {
      // What bufferization leaves where a tile was written in place.
      if (copy.getSource() != copy.getTarget())
        return false;
    } else if (isa<arith::RemUIOp, arith::SubIOp>(op) &&
               op.getResult(0).getType().isIndex()) {
      // Parts of the length, or nothing that a loop above may use.
      if (op.getOperand(0) != length)
        return false;
    } else if (!mapsElements(&op)) {
      return false;
    }
  }
  return !reached;
}

/// The outermost of the loops around that buffers and sizes are known before.
Operation *RowLoop::outermost() {
  SmallVector<Value> needed(buffers.begin(), buffers.end());
  needed.append({length, loop.getUpperBound()});
  Operation *op = loop;
  while (isa<scf::ForOp, scf::IfOp>(op->getParentOp()) &&
         llvm::none_of(needed, [&](Value value) {
           return op->getParentOp()->isAncestor(
               value.getParentRegion()->getParentOp());
         }))
    op = op->getParentOp();
  return op;
}

void RowLoop::join() {
  OpBuilder b(outermost());
  Location loc = loop.getLoc();
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value none = arith::ConstantIndexOp::create(b, loc, 0);
  SmallVector<memref::ExtractStridedMetadataOp> layouts;
  Value dense;
  for (Value buffer : buffers) {
    auto layout = memref::ExtractStridedMetadataOp::create(b, loc, buffer);
    layouts.push_back(layout);
    Value apart = layout.getStrides()[layout.getStrides().size() - 2];
    Value same =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, apart, length);
    dense =
        dense ? arith::AndIOp::create(b, loc, dense, same).getResult() : same;
  }
  Value count = loop.getUpperBound();
  Value columns = arith::SelectOp::create(
      b, loc, dense, arith::MulIOp::create(b, loc, count, length), length);
  Value rowsLeft = arith::SelectOp::create(b, loc, dense, one, count);
  IRMapping joined;
  for (auto [buffer, layout] : llvm::zip(buffers, layouts)) {
    auto type = cast<MemRefType>(buffer.getType());
    size_t rank = type.getRank();
    SmallVector<int64_t> shape(type.getShape()),
        dynamic(rank, ShapedType::kDynamic);
    shape[rank - 2] = shape[rank - 1] = ShapedType::kDynamic;
    dynamic.back() = 1;
    SmallVector<OpFoldResult> sizes, strides;
    for (size_t dim = 0; dim < rank; ++dim) {
      if (ShapedType::isDynamic(shape[dim]))
        sizes.push_back(layout.getSizes()[dim]);
      else
        sizes.push_back(b.getIndexAttr(shape[dim]));
      strides.push_back(layout.getStrides()[dim]);
    }
    sizes[rank - 2] = rowsLeft;
    sizes[rank - 1] = columns;
    // One row is no distance from others.
    strides[rank - 2] = arith::SelectOp::create(b, loc, dense, none,
                                                layout.getStrides()[rank - 2])
                            .getResult();
    strides[rank - 1] = b.getIndexAttr(1);
    auto layoutAttr =
        StridedLayoutAttr::get(b.getContext(), ShapedType::kDynamic, dynamic);
    joined.map(buffer,
               memref::ReinterpretCastOp::create(
                   b, loc,
                   MemRefType::get(shape, type.getElementType(), layoutAttr,
                                   type.getMemorySpace()),
                   buffer, OpFoldResult(layout.getOffset()), sizes, strides)
                   .getResult());
  }
  for (memref::SubViewOp row : rows) {
    b.setInsertionPoint(row);
    SmallVector<OpFoldResult> sizes = row.getMixedSizes();
    sizes.back() = columns;
    Value whole = memref::SubViewOp::create(
        b, row.getLoc(), joined.lookup(row.getSource()), row.getMixedOffsets(),
        sizes, row.getMixedStrides());
    row.replaceAllUsesWith(whole);
    row.erase();
  }
  loop.setUpperBound(rowsLeft);
  length.replaceUsesWithIf(columns, [&](OpOperand &use) {
    return loop->isProperAncestor(use.getOwner());
  });
}

void JoinRowsPass::runOnOperation() {
  SetVector<scf::ForOp> loops;
  getOperation()->walk([&](scf::ForOp loop) {
    if (loop->hasAttr(kNontemporalAttr))
      if (auto row = dyn_cast<scf::ForOp>(loop->getParentOp()))
        loops.insert(row);
  });
  for (scf::ForOp loop : loops) {
    RowLoop row(loop);
    if (!row.isElementwise())
      continue;
    row.join();
    ++numLoops;
  }
}
