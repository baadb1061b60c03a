//===- WeightValues.cpp - What can be made when weights are bound ---------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Dialect/Vortex/IR/WeightValues.h"
#include "vortex/Dialect/Vortex/IR/VortexDialect.h"

#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace vortex;

bool WeightValues::contains(Value value) {
  auto it = known.find(value);
  if (it != known.end())
    return it->second;
  bool result = false;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    result = argument.getOwner() == &function.front() &&
             function.getArgAttr(argument.getArgNumber(), kWeightAttr);
  } else {
    Operation *op = value.getDefiningOp();
    SetVector<Value> used;
    for (Region &region : op->getRegions())
      getUsedValuesDefinedAbove(region, used);
    used.insert(op->operand_begin(), op->operand_end());
    result = isMemoryEffectFree(op) && op->getParentOp() == function &&
             llvm::all_of(used, [&](Value v) { return contains(v); });
  }
  return known[value] = result;
}

std::optional<int64_t> vortex::getPickedDims(tensor::ExtractSliceOp slice) {
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  int64_t count = dropped.count();
  bool varies = false;
  for (int64_t dim = 0; dim < count; ++dim) {
    if (!dropped[dim])
      return std::nullopt;
    varies |= slice.isDynamicOffset(dim);
  }
  ArrayRef<int64_t> shape = slice.getSourceType().getShape();
  for (int64_t dim = count, e = dropped.size(); dim < e; ++dim)
    if (ShapedType::isDynamic(shape[dim]) || slice.isDynamicSize(dim) ||
        slice.isDynamicOffset(dim) || slice.isDynamicStride(dim) ||
        slice.getStaticSize(dim) != shape[dim] ||
        slice.getStaticOffset(dim) != 0 || slice.getStaticStride(dim) != 1)
      return std::nullopt;
  return varies ? std::optional<int64_t>(count) : std::nullopt;
}
