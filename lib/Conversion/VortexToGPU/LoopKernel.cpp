//===- LoopKernel.cpp - A parallel loop as device code ---------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Points are counted in 64 bits: this code runs at the sizes that nothing else
// takes. LLVM's NVPTX backend divides in 32 bits where both numbers fit.
//
//===----------------------------------------------------------------------===//

#include "LoopKernel.h"

#include "DeviceKernel.h"
#include "DeviceMath.h"
#include "DeviceModule.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace vortex;

static bool isPlainNumber(Type type) {
  return type.isIndex() ||
         (type.isIntOrFloat() && type.getIntOrFloatBitWidth() <= 64);
}

static bool isMemory(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  return memref && isPlainNumber(memref.getElementType()) &&
         memref.isStrided() && memref.getMemorySpaceAsInt() == 0;
}

static bool hasOwnDeviceCode(Operation *op) {
  auto areNumbers = [](TypeRange types) {
    return llvm::all_of(types, isPlainNumber);
  };
  // Views: followed to the memref that they are of.
  if (isa<memref::LoadOp, memref::StoreOp, memref::DimOp, memref::SubViewOp,
          memref::CastOp>(op))
    return llvm::all_of(
               op->getOperandTypes(),
               [](Type t) { return isPlainNumber(t) || isMemory(t); }) &&
           llvm::all_of(op->getResultTypes(),
                        [](Type t) { return isPlainNumber(t) || isMemory(t); });
  if (auto reduce = dyn_cast<scf::ReduceOp>(op))
    return reduce.getReductions().empty();
  return (isa<scf::SCFDialect, arith::ArithDialect, math::MathDialect,
              affine::AffineDialect, ub::UBDialect>(op->getDialect())) &&
         !isa<scf::ForallOp, scf::InParallelOp>(op) &&
         areNumbers(op->getOperandTypes()) && areNumbers(op->getResultTypes());
}

bool vortex::hasDeviceCode(Operation *loop) {
  return !loop->walk([](Operation *op) {
                return hasOwnDeviceCode(op) ? WalkResult::advance()
                                            : WalkResult::interrupt();
              })
              .wasInterrupted();
}

int64_t vortex::getElementBytes(Type element) {
  return element.isIndex()
             ? 8
             : llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}

LoopArguments::LoopArguments(scf::ParallelOp loop) {
  SetVector<Value> used(loop->operand_begin(), loop->operand_end());
  getUsedValuesDefinedAbove(loop.getRegion(), used);
  for (Value value : used) {
    if (matchPattern(value, m_Constant()))
      constants.push_back(value.getDefiningOp());
    else
      (isa<MemRefType>(value.getType()) ? memrefs : numbers).push_back(value);
  }
}

SmallVector<Value>
vortex::getLoopExtents(OpBuilder &b, scf::ParallelOp loop,
                       llvm::function_ref<Value(Value)> value) {
  Location loc = loop.getLoc();
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  SmallVector<Value> extents;
  for (auto [from, to, step] :
       llvm::zip(loop.getLowerBound(), loop.getUpperBound(), loop.getStep())) {
    Value length = b.createOrFold<arith::MaxSIOp>(
        loc, b.createOrFold<arith::SubIOp>(loc, value(to), value(from)), zero);
    if (matchPattern(step, m_One())) {
      extents.push_back(length);
      continue;
    }
    Value rest = b.createOrFold<arith::SubIOp>(
        loc, value(step), arith::ConstantIndexOp::create(b, loc, 1));
    extents.push_back(b.createOrFold<arith::DivUIOp>(
        loc, b.createOrFold<arith::AddIOp>(loc, length, rest), value(step)));
  }
  return extents;
}

namespace {
/// Where device code finds a memref; sizes and strides are of index type.
struct DevicePlace {
  Value pointer;
  SmallVector<Value> sizes, strides;
};

class LoopEmitter {
public:
  LoopEmitter(scf::ParallelOp loop, const LoopArguments &arguments)
      : loop(loop), arguments(arguments), b(loop.getLoc(), loop.getContext()) {}
  FailureOr<LLVM::LLVMFuncOp> emit(StringRef name, int64_t threads,
                                   gpu::GPUModuleOp module);

private:
  SmallVector<Type> getParameters();
  void takeParameters(Block &entry);
  void emitPoints(int64_t threads);
  LogicalResult lowerMemory(LLVM::LLVMFuncOp function);
  Value number(int64_t x) {
    return arith::ConstantIndexOp::create(b, loop.getLoc(), x);
  }
  Value toIndex(Value x) {
    return arith::IndexCastOp::create(b, b.getIndexType(), x);
  }
  Value toI64(Value x) {
    return b.createOrFold<arith::IndexCastOp>(b.getI64Type(), x);
  }
  Value add(Value x, Value y) { return b.createOrFold<arith::AddIOp>(x, y); }
  Value multiply(Value x, Value y) {
    return b.createOrFold<arith::MulIOp>(x, y);
  }
  Value value(OpFoldResult x) {
    if (auto attr = dyn_cast<Attribute>(x))
      return number(cast<IntegerAttr>(attr).getInt());
    return cast<Value>(x);
  }
  Value elementAt(Value memref, ValueRange indices);
  void lower(memref::LoadOp op);
  void lower(memref::StoreOp op);
  void lower(memref::DimOp op);
  void lower(memref::SubViewOp op);
  void lower(memref::CastOp op);

  scf::ParallelOp loop;
  const LoopArguments &arguments;
  ImplicitLocOpBuilder b;
  IRMapping map;
  DenseMap<Value, DevicePlace> places;
};
} // namespace

SmallVector<Type> LoopEmitter::getParameters() {
  SmallVector<Type> types;
  for (Value memref : arguments.memrefs) {
    auto type = cast<MemRefType>(memref.getType());
    types.push_back(LLVM::LLVMPointerType::get(b.getContext(), kGlobalSpace));
    auto [strides, offset] = type.getStridesAndOffset();
    types.append(type.getNumDynamicDims() +
                     llvm::count_if(strides, ShapedType::isDynamic),
                 b.getI64Type());
  }
  for (Value value : arguments.numbers)
    types.push_back(value.getType().isIndex() ? b.getI64Type()
                                              : value.getType());
  return types;
}

void LoopEmitter::takeParameters(Block &entry) {
  unsigned next = 0;
  for (Value memref : arguments.memrefs) {
    auto type = cast<MemRefType>(memref.getType());
    DevicePlace place{entry.getArgument(next++), {}, {}};
    auto take = [&](ArrayRef<int64_t> known, SmallVector<Value> &values) {
      for (int64_t x : known)
        values.push_back(ShapedType::isDynamic(x)
                             ? toIndex(entry.getArgument(next++))
                             : number(x));
    };
    take(type.getShape(), place.sizes);
    take(type.getStridesAndOffset().first, place.strides);
    // Stands for the memref until what reads it is lowered.
    Value standIn =
        UnrealizedConversionCastOp::create(b, type, place.pointer).getResult(0);
    map.map(memref, standIn);
    places[standIn] = place;
  }
  for (Value value : arguments.numbers) {
    Value argument = entry.getArgument(next++);
    map.map(value, value.getType().isIndex() ? toIndex(argument) : argument);
  }
  for (Operation *constant : arguments.constants)
    b.clone(*constant, map);
}

void LoopEmitter::emitPoints(int64_t threads) {
  auto special = [&](Value x) -> Value {
    return arith::IndexCastUIOp::create(b, b.getIndexType(), x);
  };
  const DeviceOps &ops = DeviceOps::get(b.getInsertionBlock()->getParentOp());
  Value block = special(ops.blockId(b));
  Value thread = special(ops.threadId(b));
  Value blocks = special(ops.gridSize(b));
  SmallVector<Value> extents = getLoopExtents(
      b, loop, [&](Value operand) { return map.lookup(operand); });
  Value points = number(1);
  for (Value extent : extents)
    points = multiply(points, extent);
  auto share =
      scf::ForOp::create(b, add(multiply(block, number(threads)), thread),
                         points, multiply(blocks, number(threads)));
  b.setInsertionPointToStart(share.getBody());
  Value rest = share.getInductionVar();
  for (size_t dim = extents.size(); dim-- > 0;) {
    Value coordinate = rest;
    if (dim) {
      coordinate = arith::RemUIOp::create(b, rest, extents[dim]);
      rest = arith::DivUIOp::create(b, rest, extents[dim]);
    }
    map.map(loop.getInductionVars()[dim],
            add(map.lookup(loop.getLowerBound()[dim]),
                multiply(coordinate, map.lookup(loop.getStep()[dim]))));
  }
  for (Operation &op : loop.getBody()->without_terminator())
    b.clone(op, map);
}

/// The pointer to the element, moved in elements.
Value LoopEmitter::elementAt(Value memref, ValueRange indices) {
  const DevicePlace &place = places.at(memref);
  Value offset = number(0);
  for (auto [index, stride] : llvm::zip(indices, place.strides))
    offset = add(offset, multiply(index, stride));
  Type element = cast<MemRefType>(memref.getType()).getElementType();
  // One byte at a time: elements of fewer bits than eight have one each.
  Value bytes = multiply(offset, number(getElementBytes(element)));
  return LLVM::GEPOp::create(b, place.pointer.getType(), b.getI8Type(),
                             place.pointer, ValueRange{toI64(bytes)});
}

void LoopEmitter::lower(memref::LoadOp op) {
  Value pointer = elementAt(op.getMemref(), op.getIndices());
  Type type = op.getType();
  Value loaded;
  if (type.isIndex())
    loaded = toIndex(LLVM::LoadOp::create(b, b.getI64Type(), pointer));
  else
    loaded = loadElement(b, type, pointer);
  op.replaceAllUsesWith(loaded);
  op.erase();
}

void LoopEmitter::lower(memref::StoreOp op) {
  Value pointer = elementAt(op.getMemref(), op.getIndices());
  Value stored = op.getValueToStore();
  storeElement(b, stored.getType().isIndex() ? toI64(stored) : stored, pointer);
  op.erase();
}

void LoopEmitter::lower(memref::DimOp op) {
  const DevicePlace &place = places.at(op.getSource());
  // The index may be a number of the run: a chain of choices.
  Value size = number(0);
  for (auto [i, extent] : llvm::enumerate(place.sizes))
    size = b.createOrFold<arith::SelectOp>(
        b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, op.getIndex(),
                                      number(i)),
        extent, size);
  op.replaceAllUsesWith(size);
  op.erase();
}

void LoopEmitter::lower(memref::SubViewOp op) {
  const DevicePlace from = places.at(op.getSource());
  DevicePlace place;
  Value offset = number(0);
  llvm::SmallBitVector dropped = op.getDroppedDims();
  for (unsigned dim = 0; dim < from.strides.size(); ++dim) {
    Value stride = from.strides[dim];
    offset = add(offset, multiply(value(op.getMixedOffsets()[dim]), stride));
    if (dropped.test(dim))
      continue;
    place.sizes.push_back(value(op.getMixedSizes()[dim]));
    place.strides.push_back(multiply(stride, value(op.getMixedStrides()[dim])));
  }
  Value bytes =
      multiply(offset, number(getElementBytes(op.getType().getElementType())));
  place.pointer = LLVM::GEPOp::create(b, from.pointer.getType(), b.getI8Type(),
                                      from.pointer, ValueRange{toI64(bytes)});
  places[op.getResult()] = place;
}

void LoopEmitter::lower(memref::CastOp op) {
  places[op.getResult()] = DevicePlace(places.at(op.getSource()));
}

/// Views are known before what they are used by; they go at the end.
LogicalResult LoopEmitter::lowerMemory(LLVM::LLVMFuncOp function) {
  SmallVector<Operation *> work, views;
  function.walk([&](Operation *op) {
    if (isa<memref::LoadOp, memref::StoreOp, memref::DimOp, memref::SubViewOp,
            memref::CastOp>(op))
      work.push_back(op);
    if (isa<memref::SubViewOp, memref::CastOp, UnrealizedConversionCastOp>(op))
      views.push_back(op);
  });
  for (Operation *op : work) {
    b.setInsertionPoint(op);
    b.setLoc(op->getLoc());
    llvm::TypeSwitch<Operation *>(op)
        .Case<memref::LoadOp, memref::StoreOp, memref::DimOp, memref::SubViewOp,
              memref::CastOp>([&](auto typed) { lower(typed); });
  }
  for (Operation *op : llvm::reverse(views)) {
    if (!op->use_empty())
      return loop.emitOpError("passes a memref on where device code cannot "
                              "follow it");
    op->erase();
  }
  return success();
}

FailureOr<LLVM::LLVMFuncOp> LoopEmitter::emit(StringRef name, int64_t threads,
                                              gpu::GPUModuleOp module) {
  b.setInsertionPointToEnd(module.getBody());
  LaunchShape launch;
  launch.threads = threads;
  launch.tile = {1}; // the one axis that the host gives counts blocks
  LLVM::LLVMFuncOp function =
      createDeviceFunction(b, name, getParameters(), launch);
  Block *entry = function.addEntryBlock(b);
  b.setInsertionPointToEnd(entry);
  LLVM::ReturnOp::create(b, ValueRange());
  b.setInsertionPointToStart(entry);
  takeParameters(*entry);
  emitPoints(threads);
  // A thread runs what is parallel inside its point by itself.
  SmallVector<scf::ParallelOp> inner;
  function.walk([&](scf::ParallelOp op) { inner.push_back(op); });
  IRRewriter rewriter(b.getContext());
  for (scf::ParallelOp op : inner) {
    rewriter.setInsertionPoint(op);
    if (failed(scf::parallelForToNestedFors(rewriter, op)))
      return op.emitOpError("has no device code");
  }
  RewritePatternSet patterns(b.getContext());
  populateAffineToStdConversionPatterns(patterns);
  if (failed(lowerMemory(function)) ||
      failed(applyPatternsGreedily(function, std::move(patterns))) ||
      failed(expandMath(function)))
    return failure();
  return function;
}

FailureOr<LLVM::LLVMFuncOp>
vortex::emitLoopKernel(scf::ParallelOp loop, const LoopArguments &arguments,
                       StringRef name, int64_t threads,
                       gpu::GPUModuleOp module) {
  return LoopEmitter(loop, arguments).emit(name, threads, module);
}
