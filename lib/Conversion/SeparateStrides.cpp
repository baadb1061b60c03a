//===- SeparateStrides.cpp - Addresses behind a loop are computed there ---===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile reads rows of the result, or touches them, in front of its loop, and
// writes them behind it. LLVM computes the address of a row once, and x86 has
// too few registers to keep those of fourteen rows over the loop: each goes
// through memory, with what it is computed from. An address takes one addition
// to compute again. LLVM does so where it does not know that it is the same
// one, and it knows nothing of a stride that an empty piece of assembly hands
// on.
//
//===----------------------------------------------------------------------===//

#include "vortex/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace vortex {
#define GEN_PASS_DEF_SEPARATESTRIDES
#include "vortex/Conversion/Passes.h.inc"
} // namespace vortex

using namespace mlir;
using namespace vortex;

/// `value`, of which LLVM does not know that it is the same.
static Value hide(OpBuilder &b, Location loc, Value value) {
  Type word = b.getI64Type();
  Value bits = arith::IndexCastOp::create(b, loc, word, value);
  auto same = LLVM::InlineAsmOp::create(
      b, loc, word, ValueRange{bits}, /*asm_string=*/"",
      /*constraints=*/"=r,0", /*has_side_effects=*/false,
      /*is_align_stack=*/false, LLVM::TailCallKind::None,
      LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT),
      ArrayAttr());
  return arith::IndexCastOp::create(b, loc, b.getIndexType(), same.getRes());
}

/// `memory` with strides of its own.
static Value separateStrides(OpBuilder &b, Location loc, Value memory) {
  auto type = cast<MemRefType>(memory.getType());
  auto parts = memref::ExtractStridedMetadataOp::create(b, loc, memory);
  SmallVector<OpFoldResult> sizes = parts.getConstifiedMixedSizes();
  SmallVector<OpFoldResult> strides = parts.getConstifiedMixedStrides();
  for (OpFoldResult &stride : strides)
    if (auto value = dyn_cast<Value>(stride))
      stride = hide(b, loc, value);
  return memref::ReinterpretCastOp::create(b, loc, type, parts.getBaseBuffer(),
                                           parts.getConstifiedMixedOffset(),
                                           sizes, strides);
}

namespace {
struct SeparateStridesPass
    : vortex::impl::SeparateStridesBase<SeparateStridesPass> {
  using SeparateStridesBase::SeparateStridesBase;

  void runOnOperation() override {
    getOperation()->walk([&](Block *block) { separateWrites(*block); });
  }

  /// What is written behind the block's last loop that has results, to memory
  /// from outside of the block.
  void separateWrites(Block &block) {
    scf::ForOp last;
    for (auto loop : block.getOps<scf::ForOp>())
      if (loop.getNumResults() != 0)
        last = loop;
    if (!last)
      return;
    llvm::MapVector<Value, SmallVector<vector::TransferWriteOp>> writes;
    for (Operation *op = last->getNextNode(); op; op = op->getNextNode())
      if (auto write = dyn_cast<vector::TransferWriteOp>(op))
        writes[write.getBase()].push_back(write);
    OpBuilder b(&getContext());
    for (auto &[memory, group] : writes) {
      auto type = dyn_cast<MemRefType>(memory.getType());
      SmallVector<int64_t> strides;
      int64_t offset;
      if (!type || group.size() < 2 ||
          failed(type.getStridesAndOffset(strides, offset)) ||
          !llvm::is_contained(strides, ShapedType::kDynamic) ||
          memory.getParentBlock() == &block)
        continue;
      b.setInsertionPointAfter(last);
      Value own = separateStrides(b, group.front().getLoc(), memory);
      for (vector::TransferWriteOp write : group)
        write.getBaseMutable().assign(own);
      numSeparated += group.size();
    }
  }
};
} // namespace
