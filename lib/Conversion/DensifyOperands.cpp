//===- DensifyOperands.cpp - Kernels get rows without gaps ----------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bufferization goes from the inside out: when it reaches a kernel in a loop,
// it has to guess what memory the loop will carry, and takes any strides when
// where the loop starts and what a step hands on differ in the least. Strides
// are therefore looked at when all buffers are there, and what two memrefs that
// meet in a loop or behind a branch have in common is kept in the type.
//
//===----------------------------------------------------------------------===//

#include "vortex/Conversion/Passes.h"
#include "vortex/Dialect/Vortex/IR/VortexDialect.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

namespace vortex {
#define GEN_PASS_DEF_DENSIFYOPERANDS
#include "vortex/Conversion/Passes.h.inc"
} // namespace vortex

using namespace mlir;
using namespace vortex;

/// The memref that `memory` is a cast of; null for none.
static Value getCastSource(Value memory) {
  auto cast = memory.getDefiningOp<memref::CastOp>();
  return cast && isa<MemRefType>(cast.getSource().getType()) ? cast.getSource()
                                                             : Value();
}

/// The memref whose strides casts took out of the type.
static Value skipCasts(Value memory) {
  while (Value source = getCastSource(memory))
    memory = source;
  return memory;
}

//===----------------------------------------------------------------------===//
// Strides of what loops and branches give
//===----------------------------------------------------------------------===//

/// Adds the memrefs that `value` may be, as far as loops and branches hand them
/// on.
static void collectOrigins(Value value, llvm::SetVector<Value> &origins,
                           DenseSet<Value> &seen) {
  value = skipCasts(value);
  if (!seen.insert(value).second)
    return;
  auto collect = [&](Value source) { collectOrigins(source, origins, seen); };
  auto fromLoop = [&](scf::ForOp loop, unsigned i) {
    collect(loop.getInitArgs()[i]);
    collect(loop.getYieldedValues()[i]);
  };
  if (auto arg = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(arg.getOwner()->getParentOp());
    if (loop && arg.getArgNumber() > 0)
      return fromLoop(loop, arg.getArgNumber() - 1);
  } else if (auto loop = value.getDefiningOp<scf::ForOp>()) {
    return fromLoop(loop, cast<OpResult>(value).getResultNumber());
  } else if (auto branch = value.getDefiningOp<scf::IfOp>()) {
    unsigned i = cast<OpResult>(value).getResultNumber();
    collect(branch.thenYield().getOperand(i));
    return collect(branch.elseYield().getOperand(i));
  }
  origins.insert(value);
}

/// The type of `value` with the strides that all memrefs have that it may be;
/// null when they tell nothing more.
static MemRefType narrow(Value value) {
  auto type = dyn_cast<MemRefType>(value.getType());
  SmallVector<int64_t> known;
  int64_t knownOffset;
  if (!type || type.getLayout().isIdentity() ||
      failed(type.getStridesAndOffset(known, knownOffset)))
    return {};
  llvm::SetVector<Value> origins;
  DenseSet<Value> seen;
  collectOrigins(value, origins, seen);
  bool identity = true;
  std::optional<SmallVector<int64_t>> common; // strides, then the offset
  for (Value origin : origins) {
    auto other = dyn_cast<MemRefType>(origin.getType());
    SmallVector<int64_t> strides;
    int64_t offset;
    if (!other || failed(other.getStridesAndOffset(strides, offset)))
      return {};
    identity &= other.getLayout().isIdentity();
    strides.push_back(offset);
    if (!common)
      common = strides;
    for (auto [one, another] : llvm::zip(*common, strides))
      one = one == another ? one : ShapedType::kDynamic;
  }
  auto make = [&](MemRefLayoutAttrInterface layout) {
    return MemRefType::get(type.getShape(), type.getElementType(), layout,
                           type.getMemorySpace());
  };
  if (!common)
    return {};
  if (identity)
    return make({});
  known.push_back(knownOffset);
  for (auto [mine, found] : llvm::zip(known, *common))
    mine = ShapedType::isDynamic(mine) ? found : mine;
  knownOffset = known.pop_back_val();
  MemRefType narrowed =
      make(StridedLayoutAttr::get(type.getContext(), knownOffset, known));
  return narrowed == type ? MemRefType() : narrowed;
}

static Value castTo(OpBuilder &b, Value memory, MemRefType type) {
  return memory.getType() == type
             ? memory
             : memref::CastOp::create(b, memory.getLoc(), type, memory);
}

/// Gives `value` another type; who uses it sees the one it had.
static void retype(OpBuilder &b, Value value, MemRefType type) {
  Type before = value.getType();
  value.setType(type);
  auto cast = memref::CastOp::create(b, value.getLoc(), before, value);
  value.replaceAllUsesExcept(cast, cast);
}

static void narrowLoop(scf::ForOp loop) {
  OpBuilder b(loop);
  auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
  for (auto [i, arg] : llvm::enumerate(loop.getRegionIterArgs())) {
    MemRefType type = narrow(arg);
    if (!type)
      continue;
    Value start = skipCasts(loop.getInitArgs()[i]),
          next = skipCasts(yield.getOperand(i));
    b.setInsertionPointToStart(loop.getBody());
    retype(b, arg, type);
    b.setInsertionPoint(loop);
    loop.getInitArgsMutable()[i].set(castTo(b, start, type));
    b.setInsertionPoint(yield);
    yield->setOperand(i, castTo(b, next, type));
    b.setInsertionPointAfter(loop);
    retype(b, loop.getResult(i), type);
  }
}

static void narrowBranch(scf::IfOp branch) {
  OpBuilder b(branch);
  for (OpResult result : branch->getResults()) {
    MemRefType type = narrow(result);
    if (!type)
      continue;
    for (scf::YieldOp yield : {branch.thenYield(), branch.elseYield()}) {
      OpOperand &operand = yield->getOpOperand(result.getResultNumber());
      b.setInsertionPoint(yield);
      operand.set(castTo(b, skipCasts(operand.get()), type));
    }
    b.setInsertionPointAfter(branch);
    retype(b, result, type);
  }
}

//===----------------------------------------------------------------------===//
// Operands of kernels
//===----------------------------------------------------------------------===//

namespace {
/// How much of an operand lies without gaps.
enum class Density {
  Columns, ///< elements of the innermost dimension
  Dense,   ///< and rows of each known extent
  Packed   ///< all of it
};
} // namespace

static bool isDense(MemRefType type, Density density) {
  if (density == Density::Packed)
    return type.getLayout().isIdentity();
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return false;
  int64_t stride = 1;
  for (int64_t d = type.getRank() - 1; d >= 0; --d) {
    if (strides[d] != stride)
      return false;
    if (density == Density::Columns || type.isDynamicDim(d))
      break;
    stride *= type.getDimSize(d);
  }
  return true;
}

static Value allocateLike(OpBuilder &b, Value memory) {
  auto type = cast<MemRefType>(memory.getType());
  SmallVector<Value> sizes;
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (type.isDynamicDim(d))
      sizes.push_back(memref::DimOp::create(b, memory.getLoc(), memory, d));
  // As bufferization aligns what it allocates.
  return memref::AllocOp::create(
      b, memory.getLoc(),
      MemRefType::get(type.getShape(), type.getElementType()), sizes,
      b.getI64IntegerAttr(64));
}

namespace {
struct DensifyOperandsPass
    : vortex::impl::DensifyOperandsBase<DensifyOperandsPass> {
  void runOnOperation() override {
    // Outer ones first: what they carry is what inner ones begin with.
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (auto loop = dyn_cast<scf::ForOp>(op))
        narrowLoop(loop);
      else if (auto branch = dyn_cast<scf::IfOp>(op))
        narrowBranch(branch);
    });
    getOperation()->walk([&](KernelCallOp call) {
      densify(call, call.getDense(), call.getPacked());
    });
    getOperation()->walk([&](LibraryCallOp call) { densify(call, {}, {}); });
  }

  void densify(DestinationStyleOpInterface call, ArrayRef<int64_t> dense,
               ArrayRef<int64_t> packed) {
    OpBuilder before(call), behind(call->getContext());
    behind.setInsertionPointAfter(call);
    for (OpOperand &operand : call->getOpOperands()) {
      if (!isa<MemRefType>(operand.get().getType()))
        continue;
      int64_t position = operand.getOperandNumber();
      Density density = llvm::is_contained(packed, position) ? Density::Packed
                        : llvm::is_contained(dense, position)
                            ? Density::Dense
                            : Density::Columns;
      Value memory = operand.get();
      while (memory && !isDense(cast<MemRefType>(memory.getType()), density))
        memory = getCastSource(memory);
      if (!memory) {
        memory = operand.get();
        Value copy = allocateLike(before, memory);
        memref::CopyOp::create(before, call.getLoc(), memory, copy);
        if (call.isDpsInit(&operand))
          memref::CopyOp::create(behind, call.getLoc(), copy, memory);
        memory = copy;
        ++numCopies;
      }
      operand.set(memory);
    }
  }
};
} // namespace
