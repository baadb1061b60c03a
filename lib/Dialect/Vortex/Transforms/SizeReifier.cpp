//===- SizeReifier.cpp - Sizes in terms of a function's arguments ---------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SizeReifier.h"

#include "vortex/Dialect/Vortex/IR/DimIndex.h"
#include "vortex/Dialect/Vortex/IR/VortexDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace vortex;

/// Null while it is being computed, so that a cycle ends.
template <typename Compute>
Value SizeReifier::remember(Key key, Compute compute) {
  auto [it, added] = known.try_emplace(key);
  if (!added)
    return it->second;
  order.push_back(key);
  Value value = compute();
  return known[key] = value;
}

Value SizeReifier::reify(Value number) {
  return remember({number, -1}, [&] { return compute(number); });
}

Value SizeReifier::reifyDim(Value shaped, int64_t dim) {
  auto type = cast<ShapedType>(shaped.getType());
  if (!type.isDynamicDim(dim))
    return arith::ConstantIndexOp::create(b, shaped.getLoc(),
                                          type.getDimSize(dim));
  return remember({shaped, dim}, [&] { return computeDim(shaped, dim); });
}

/// What all ways through a branch give, if it is one value.
Value SizeReifier::common(Operation *branch, unsigned result,
                          function_ref<Value(Value)> of) {
  Value value;
  for (Region &region : branch->getRegions()) {
    if (region.empty())
      return {};
    Value other = of(region.front().getTerminator()->getOperand(result));
    if (!other || (value && value != other))
      return {};
    value = other;
  }
  return value;
}

/// Whether the op can be computed where the original might not have been
/// reached. Upstream does not see that max(x, 1) divides.
static bool runsAnywhere(Operation *op) {
  if (op->getNumRegions())
    return false;
  if (isPure(op))
    return true;
  APInt least;
  auto divisor = isa<arith::DivUIOp, arith::CeilDivUIOp, arith::RemUIOp>(op)
                     ? op->getOperand(1).getDefiningOp<arith::MaxUIOp>()
                     : arith::MaxUIOp();
  return divisor && matchPattern(divisor.getRhs(), m_ConstantInt(&least)) &&
         !least.isZero();
}

Value SizeReifier::compute(Value number) {
  if (auto argument = dyn_cast<BlockArgument>(number)) {
    // Of the tiles of a parallel loop the first stands for all.
    if (auto loop = dyn_cast<scf::ForallOp>(argument.getOwner()->getParentOp());
        loop && argument.getArgNumber() < loop.getRank()) {
      OpFoldResult lower = loop.getMixedLowerBound()[argument.getArgNumber()];
      if (auto value = dyn_cast<Value>(lower))
        return reify(value);
      return arith::ConstantIndexOp::create(b, loop.getLoc(),
                                            *getConstantIntValue(lower));
    }
    return argument.getOwner() == &from ? arguments[argument.getArgNumber()]
                                        : Value();
  }
  Operation *op = number.getDefiningOp();
  if (auto dim = dyn_cast<ShapedDimOpInterface>(op)) {
    std::optional<int64_t> index = getDimIndex(dim);
    return index ? reifyDim(dim.getShapedValue(), *index) : Value();
  }
  if (isa<scf::IfOp, scf::IndexSwitchOp>(op))
    return common(op, cast<OpResult>(number).getResultNumber(),
                  [&](Value v) { return reify(v); });
  if (!runsAnywhere(op))
    return {};
  IRMapping mapping;
  for (Value operand : op->getOperands()) {
    if (isa<ShapedType>(operand.getType()))
      return {};
    Value same = reify(operand);
    if (!same)
      return {};
    mapping.map(operand, same);
  }
  return b.clone(*op, mapping)
      ->getResult(cast<OpResult>(number).getResultNumber());
}

/// A loop may carry a tensor whose shape changes. That this one keeps its shape
/// is assumed, and then seen at the end of the body.
Value SizeReifier::loopCarried(BlockArgument argument, int64_t dim) {
  auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
  if (!loop || argument == loop.getInductionVar())
    return {};
  Value init = reifyDim(loop.getTiedLoopInit(argument)->get(), dim);
  if (!init)
    return {};
  size_t before = order.size();
  known[{argument, dim}] = init;
  if (reifyDim(loop.getTiedLoopYieldedValue(argument)->get(), dim) == init)
    return init;
  // What followed from the assumption is not known.
  for (Key key : ArrayRef(order).drop_front(before))
    known.erase(key);
  order.truncate(before);
  return {};
}

Value SizeReifier::computeDim(Value shaped, int64_t dim) {
  Location loc = shaped.getLoc();
  if (auto argument = dyn_cast<BlockArgument>(shaped)) {
    if (auto loop = dyn_cast<scf::ForallOp>(argument.getOwner()->getParentOp()))
      return reifyDim(loop.getTiedOpOperand(argument)->get(), dim);
    if (argument.getOwner() != &from)
      return loopCarried(argument, dim);
    Value same = arguments[argument.getArgNumber()];
    if (isa<MemRefType>(same.getType()))
      return memref::DimOp::create(b, loc, same, dim);
    return tensor::DimOp::create(b, loc, same, dim);
  }
  auto result = cast<OpResult>(shaped);
  Operation *op = result.getOwner();
  if (auto kernel = dyn_cast<KernelOp>(op))
    return reifyDim(kernel.getInits()[result.getResultNumber()], dim);
  if (auto style = dyn_cast<DestinationStyleOpInterface>(op))
    return reifyDim(style.getTiedOpOperand(result)->get(), dim);
  if (auto cast = dyn_cast<tensor::CastOp>(op))
    return isa<RankedTensorType>(cast.getSource().getType())
               ? reifyDim(cast.getSource(), dim)
               : Value();
  if (auto buffer = dyn_cast<bufferization::ToTensorOp>(op))
    return reifyDim(buffer.getBuffer(), dim);
  if (auto loop = dyn_cast<scf::ForallOp>(op))
    return reifyDim(loop.getTiedOpOperand(result)->get(), dim);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return reifyDim(loop.getRegionIterArg(result.getResultNumber()), dim);
  if (isa<scf::IfOp, scf::IndexSwitchOp>(op))
    return common(op, result.getResultNumber(),
                  [&](Value v) { return reifyDim(v, dim); });
  auto shapes = dyn_cast<ReifyRankedShapedTypeOpInterface>(op);
  if (!shapes)
    return {};
  OpBuilder beside(op);
  beside.setInsertionPointAfter(op);
  ReifiedRankedShapedTypeDims sizes;
  if (failed(shapes.reifyResultShapes(beside, sizes)))
    return {};
  OpFoldResult size = sizes[result.getResultNumber()][dim];
  if (auto value = dyn_cast<Value>(size))
    return reify(value);
  return arith::ConstantIndexOp::create(
      b, loc, cast<IntegerAttr>(cast<Attribute>(size)).getInt());
}
