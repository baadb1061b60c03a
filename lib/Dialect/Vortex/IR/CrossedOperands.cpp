//===- CrossedOperands.cpp - What squares read across ---------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Dialect/Vortex/IR/CrossedOperands.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace vortex;

/// The widest element.
static constexpr int64_t kWidestBytes = 8;

int64_t vortex::getBankBytes(HwAttr hw) {
  HwLevelAttr shared = hw.getLevel("smem");
  return shared && shared.getWays() > 0
             ? shared.getGranularity() / shared.getWays()
             : 0;
}

SmallVector<CrossedOperand> vortex::layOutCrossed(Block &payload, unsigned row,
                                                  unsigned lane, int64_t lanes,
                                                  int64_t bankBytes) {
  SmallVector<CrossedOperand> found;
  auto crosses = [&](AffineMap map) {
    return map.getNumResults() > 1 && map.isFunctionOfDim(lane) &&
           !map.getResults().back().isFunctionOfDim(lane) &&
           map.getResults().back().isFunctionOfDim(row);
  };
  for (auto op : payload.getOps<linalg::LinalgOp>())
    for (OpOperand &operand : op->getOpOperands()) {
      AffineMap map = op.getMatchingIndexingMap(&operand);
      if (!isa<BlockArgument>(operand.get()) || !crosses(map) ||
          !op.payloadUsesValueFromOperand(&operand) ||
          llvm::any_of(found, [&](const CrossedOperand &other) {
            return other.value == operand.get() && other.map == map;
          }))
        continue;
      CrossedOperand crossed{operand.get(), map};
      crossed.bytes = llvm::divideCeilSigned(
          getElementTypeOrSelf(operand.get()).getIntOrFloatBitWidth(), 8);
      int64_t length = lanes * crossed.bytes;
      if (bankBytes > 0)
        length = llvm::alignTo(length, bankBytes) + bankBytes;
      crossed.pitch = llvm::alignTo(length, crossed.bytes);
      crossed.start =
          llvm::alignTo(countSharedBytes(found, lanes), kWidestBytes);
      found.push_back(crossed);
    }
  return found;
}

int64_t vortex::countSharedBytes(ArrayRef<CrossedOperand> operands,
                                 int64_t lanes) {
  return operands.empty()
             ? 0
             : operands.back().start + lanes * operands.back().pitch;
}
