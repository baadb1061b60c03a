//===- AxisExtents.cpp - Sizes of a kernel's axes -------------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Dialect/Vortex/Transforms/AxisExtents.h"

#include "vortex/Dialect/Vortex/IR/DimIndex.h"
#include "vortex/Dialect/Vortex/IR/RunningChain.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace vortex;

FailureOr<SmallVector<Value>> vortex::getAxisExtents(OpBuilder &b,
                                                     KernelOp kernel) {
  auto anchor = cast<linalg::LinalgOp>(kernel.getAnchor());
  SmallVector<Value> extents(anchor.getNumLoops());
  Block &payload = kernel.getPayload().front();
  // Follows a payload value to something outside the kernel.
  std::function<Value(Value, int64_t)> extentOf = [&](Value value,
                                                      int64_t dim) -> Value {
    auto type = cast<RankedTensorType>(value.getType());
    if (!type.isDynamicDim(dim))
      return arith::ConstantIndexOp::create(b, kernel.getLoc(),
                                            type.getDimSize(dim));
    if (auto argument = dyn_cast<BlockArgument>(value);
        argument && argument.getOwner() == &payload)
      return tensor::DimOp::create(
          b, kernel.getLoc(), kernel->getOperand(argument.getArgNumber()), dim);
    Operation *op = value.getDefiningOp();
    if (auto empty = dyn_cast_if_present<tensor::EmptyOp>(op)) {
      Value size = empty.getDynamicSize(dim);
      if (auto argument = dyn_cast<BlockArgument>(size))
        return kernel->getOperand(argument.getArgNumber());
      if (auto of = size.getDefiningOp<tensor::DimOp>())
        if (std::optional<int64_t> index = getDimIndex(of))
          return extentOf(of.getSource(), *index);
      return {};
    }
    if (auto dps = dyn_cast_if_present<DestinationStyleOpInterface>(op))
      return extentOf(dps.getTiedOpOperand(cast<OpResult>(value))->get(), dim);
    return {};
  };
  for (auto [operand, map] :
       llvm::zip(anchor->getOperands(), anchor.getIndexingMapsArray()))
    for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
      auto loop = dyn_cast<AffineDimExpr>(expr);
      if (loop && !extents[loop.getPosition()])
        extents[loop.getPosition()] = extentOf(operand, dim);
    }
  // Of a chain one more: the reduction of its first product.
  std::string why;
  if (kernel.getAxes().size() > extents.size())
    if (auto chain = matchRunningChain(anchor, why)) {
      linalg::LinalgOp scores = chain->scores.op;
      unsigned input = chain->scores.columns;
      AffineMap map = scores.getIndexingMapsArray()[input];
      extents.push_back(
          extentOf(scores->getOperand(input), map.getNumResults() - 1));
    }
  if (llvm::is_contained(extents, Value()))
    return kernel.emitOpError(
        "has an axis whose size no operand of the kernel gives");
  return extents;
}

LogicalResult vortex::mapCandidateArguments(OpBuilder &b, KernelOp kernel,
                                            IRMapping &map) {
  FailureOr<SmallVector<Value>> extents = getAxisExtents(b, kernel);
  if (failed(extents))
    return failure();
  auto arguments = kernel.getCandidates().front().getArguments();
  map.map(arguments.take_front(extents->size()), *extents);
  for (auto [argument, operand] :
       llvm::zip(arguments.drop_front(extents->size()), kernel->getOperands()))
    map.map(argument, operand);
  return success();
}
