//===- KnownSize.cpp - Sizes that a call knows
//-----------------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Dialect/Vortex/IR/KnownSize.h"

#include "vortex/Dialect/Vortex/IR/DimIndex.h"
#include "vortex/Dialect/Vortex/IR/VortexDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace vortex;

std::string vortex::describeRelation(KnownSize size, ArrayRef<KnownSize> terms,
                                     ArrayRef<int64_t> strides) {
  auto isNumber = [](const KnownSize &known) { return known.argument < 0; };
  if (isNumber(size) && llvm::all_of(terms, isNumber))
    return "";
  if (strides.empty()) {
    KnownSize other = terms[0];
    // The argument's size first, whichever was found first.
    if (isNumber(size))
      std::swap(size, other);
    return size == other ? "" : size.str() + " == " + other.str();
  }
  // No window is read where a loop has no iteration.
  std::string some, reach;
  for (auto [term, stride] : llvm::zip(terms, strides)) {
    some += "min(" + term.str() + ", 1) * ";
    reach += "(" + term.str() + " - 1)" +
             (stride == 1 ? "" : " * " + std::to_string(stride)) + " + ";
  }
  return size.str() + " >= " + some + "(" + reach + "1)";
}

bool vortex::picksOneTensor(Operation *op) {
  auto select = dyn_cast<arith::SelectOp>(op);
  return select && isa<RankedTensorType>(select.getType()) &&
         !isa<RankedTensorType>(select.getCondition().getType());
}

bool vortex::isElementwiseOnTensors(Operation *op) {
  return OpTrait::hasElementwiseMappableTraits(op) && !picksOneTensor(op) &&
         op->getNumResults() == 1 &&
         isa<RankedTensorType>(op->getResult(0).getType());
}

std::optional<KnownSize> vortex::findKnownSize(Value value, int64_t dim,
                                               Block &entry) {
  while (true) {
    if (!isa<RankedTensorType, MemRefType>(value.getType()))
      return std::nullopt;
    auto type = cast<ShapedType>(value.getType());
    if (!type.isDynamicDim(dim))
      return KnownSize{type.getDimSize(dim), -1, -1};
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (argument.getOwner() != &entry)
        return std::nullopt;
      return KnownSize{-1, argument.getArgNumber(), dim};
    }
    Operation *op = value.getDefiningOp();
    if (isa<linalg::LinalgOp, linalg::SoftmaxOp>(op)) {
      value = cast<DestinationStyleOpInterface>(op)
                  .getTiedOpOperand(cast<OpResult>(value))
                  ->get();
      continue;
    }
    if (isa<tensor::CastOp, MatchOp>(op)) {
      value = op->getOperand(0);
      continue;
    }
    if (isElementwiseOnTensors(op)) {
      auto tensors = llvm::make_filter_range(op->getOperands(), [](Value v) {
        return isa<RankedTensorType>(v.getType());
      });
      if (tensors.empty())
        return std::nullopt;
      value = *tensors.begin();
      continue;
    }
    auto empty = dyn_cast<tensor::EmptyOp>(op);
    if (!empty)
      return std::nullopt;
    Value size = empty.getDynamicSizes()[type.getDynamicDimIndex(dim)];
    if (std::optional<int64_t> number = getConstantIntValue(size))
      return *number < 0 ? std::optional<KnownSize>()
                         : KnownSize{*number, -1, -1};
    auto dimOp = size.getDefiningOp<tensor::DimOp>();
    std::optional<int64_t> index = dimOp ? getDimIndex(dimOp) : std::nullopt;
    if (!index)
      return std::nullopt;
    value = dimOp.getSource();
    dim = *index;
  }
}
