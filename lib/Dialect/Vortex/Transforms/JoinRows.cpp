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
  bool treatsColumnsAlike(Operation *op);
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

/// Whether nothing but where `op` reads and writes depends on the column.
bool RowLoop::treatsColumnsAlike(Operation *op) {
  if (isa<scf::ForOp, scf::YieldOp, vector::CreateMaskOp, arith::AddIOp,
          arith::SubIOp, arith::MulIOp, arith::DivUIOp, arith::RemUIOp>(op))
    return true;
  if (isa<vector::TransferReadOp, vector::TransferWriteOp>(op)) {
    auto transfer = cast<VectorTransferOpInterface>(op);
    return transfer.getPermutationMap().isMinorIdentity() &&
           rows.contains(
               transfer.getBase().getDefiningOp<memref::SubViewOp>()) &&
           llvm::all_of(transfer.getIndices().drop_back(), isZeroInteger);
  }
  // What bufferization leaves where a tile was written in place.
  if (auto copy = dyn_cast<memref::CopyOp>(op))
    return copy.getSource() == copy.getTarget();
  auto counts = [](Type type) { return isa<IndexType>(type); };
  return isMemoryEffectFree(op) && op->getNumRegions() == 0 &&
         llvm::none_of(op->getOperandTypes(), counts) &&
         llvm::none_of(op->getResultTypes(), counts) &&
         llvm::none_of(op->getOperandTypes(),
                       [](Type type) { return isa<MemRefType>(type); });
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
  return !loop.getBody()
              ->walk([&](Operation *op) {
                if (auto view = dyn_cast<memref::SubViewOp>(op))
                  return rows.contains(view) ? WalkResult::advance()
                                             : WalkResult::interrupt();
                bool alike =
                    treatsColumnsAlike(op) || matchPattern(op, m_Constant());
                // Other sizes than those of a row say something else.
                for (Value operand : op->getOperands())
                  if (isa<IndexType>(operand.getType()) &&
                      loop.isDefinedOutsideOfLoop(operand) &&
                      operand != length && !matchPattern(operand, m_Constant()))
                    alike = false;
                return alike ? WalkResult::advance() : WalkResult::interrupt();
              })
              .wasInterrupted();
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
