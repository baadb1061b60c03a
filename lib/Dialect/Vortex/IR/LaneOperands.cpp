//===- LaneOperands.cpp - What lanes read beside each other ---------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Dialect/Vortex/IR/LaneOperands.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace vortex;

/// Bytes of the longest load or store of a lane.
static constexpr int64_t kLongestAccess = 16;

SmallVector<LaneOperand> vortex::findLaneOperands(KernelOp kernel,
                                                  unsigned lane) {
  Block &payload = kernel.getPayload().front();
  size_t count = payload.getNumArguments();
  // Walked along the lanes; walked in another way than from neighbour to
  // neighbour.
  SmallVector<bool> walked(count, false), apart(count, false);
  auto meet = [&](unsigned position, AffineMap map) {
    if (!map.isFunctionOfDim(lane))
      return;
    walked[position] = true;
    AffineExpr expr = getAffineDimExpr(lane, map.getContext());
    if (map.getResults().back() != expr ||
        llvm::any_of(map.getResults().drop_back(), [&](AffineExpr other) {
          return other.isFunctionOfDim(lane);
        }))
      apart[position] = true;
  };
  for (auto op : payload.getOps<linalg::LinalgOp>())
    for (OpOperand &operand : op->getOpOperands())
      if (auto argument = dyn_cast<BlockArgument>(operand.get());
          argument && op.payloadUsesValueFromOperand(&operand))
        meet(argument.getArgNumber(), op.getMatchingIndexingMap(&operand));
  for (auto [i, value] : llvm::enumerate(payload.back().getOperands()))
    if (auto op = value.getDefiningOp<linalg::LinalgOp>())
      meet(kernel.getInputs().size() + i,
           op.getIndexingMapMatchingResult(cast<OpResult>(value)));

  SmallVector<LaneOperand> found;
  for (size_t i = 0; i < count; ++i) {
    Type type = getElementTypeOrSelf(payload.getArgument(i).getType());
    if (walked[i] && !apart[i] && type.isIntOrFloat() &&
        type.getIntOrFloatBitWidth() % 8 == 0)
      found.push_back({static_cast<unsigned>(i),
                       static_cast<int64_t>(type.getIntOrFloatBitWidth() / 8)});
  }
  return found;
}

int64_t vortex::getLaneWidth(ArrayRef<LaneOperand> operands) {
  int64_t widest = 0;
  for (const LaneOperand &operand : operands)
    widest = std::max(widest, operand.bytes);
  return widest ? std::max<int64_t>(kLongestAccess / widest, 1) : 1;
}
