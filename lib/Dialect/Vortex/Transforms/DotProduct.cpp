//===- DotProduct.cpp - Contractions by dot-product instructions ----------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DotProduct.h"

#include "vortex/HwDesc/Targets.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace vortex;

/// The argument of the body that `value` widens, with the type of its elements.
static std::pair<BlockArgument, Type> matchWidened(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !isa<arith::ExtSIOp, arith::ExtUIOp, arith::ExtFOp>(op))
    return {};
  auto argument = dyn_cast<BlockArgument>(op->getOperand(0));
  if (!argument || argument.getOwner() != op->getBlock())
    return {};
  Type type = argument.getType();
  if (isa<arith::ExtUIOp>(op))
    type = IntegerType::get(type.getContext(), type.getIntOrFloatBitWidth(),
                            IntegerType::Unsigned);
  return {argument, type};
}

std::optional<DotPayload> vortex::matchDotPayload(linalg::LinalgOp op) {
  if (op->getNumRegions() != 1 || op->getRegion(0).empty() ||
      op.getNumDpsInits() != 1 || op.getNumReductionLoops() == 0)
    return std::nullopt;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  Block &body = op->getRegion(0).front();
  Operation *sum = body.getTerminator()->getOperand(0).getDefiningOp();
  if (!sum || !isa<arith::AddIOp, arith::AddFOp>(sum) ||
      maps.back().getNumResults() == 0)
    return std::nullopt;
  BlockArgument acc = op.getRegionOutputArgs()[0];
  Value product = sum->getOperand(0) == acc   ? sum->getOperand(1)
                  : sum->getOperand(1) == acc ? sum->getOperand(0)
                                              : Value();
  Operation *multiply = product ? product.getDefiningOp() : nullptr;
  if (!multiply || !isa<arith::MulIOp, arith::MulFOp>(multiply))
    return std::nullopt;
  auto [x, typeX] = matchWidened(multiply->getOperand(0));
  auto [y, typeY] = matchWidened(multiply->getOperand(1));
  if (!x || !y || x == y)
    return std::nullopt;
  unsigned column =
      cast<AffineDimExpr>(maps.back().getResults().back()).getPosition();
  bool columnsX = maps[x.getArgNumber()].isFunctionOfDim(column);
  bool columnsY = maps[y.getArgNumber()].isFunctionOfDim(column);
  if (columnsX == columnsY)
    return std::nullopt;
  DotPayload payload{typeX, typeY, acc.getType(), x.getArgNumber(),
                     y.getArgNumber()};
  if (columnsX) {
    std::swap(payload.a, payload.b);
    std::swap(payload.inputA, payload.inputB);
  }
  return payload;
}

std::optional<DotOperands>
vortex::matchOperands(const DotPayload &payload,
                      const DotInstruction &instruction) {
  bool a = payload.a.isUnsignedInteger(), b = payload.b.isUnsignedInteger();
  bool first = instruction.firstUnsigned, second = instruction.secondUnsigned;
  if (a == first && b == second)
    return DotOperands::InOrder;
  if (a == second && b == first)
    return DotOperands::Swapped;
  if (!a && first && b == second)
    return DotOperands::Offset;
  return std::nullopt;
}

bool vortex::canUseColumnSums(linalg::LinalgOp op, const DotPayload &payload) {
  AffineMap map = op.getIndexingMapsArray()[payload.inputB];
  AffineMap out = op.getIndexingMapsArray().back();
  unsigned column = cast<AffineDimExpr>(out.getResults().back()).getPosition();
  if (!map.isProjectedPermutation())
    return false;
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  auto inB = [&](unsigned loop) { return map.isFunctionOfDim(loop); };
  return map.getNumResults() == reductions.size() + 1 && inB(column) &&
         llvm::all_of(reductions, inB);
}

bool vortex::haveMatrixTiles(Operation *op, const DotPayload &payload) {
  SmallVector<HwAttr> targets = getTargets(op);
  return !targets.empty() && llvm::all_of(targets, [&](HwAttr target) {
    return bool(
        target.getInstruction("tile", payload.a, payload.b, payload.acc));
  });
}

std::optional<DotMatch> vortex::findDot(HwAttr hw, const DotPayload &payload) {
  auto withoutSign = [](Type type) -> Type {
    if (auto integer = dyn_cast<IntegerType>(type))
      return IntegerType::get(type.getContext(), integer.getWidth());
    return type;
  };
  std::optional<DotMatch> best;
  for (HwInstructionAttr instruction : hw.getInstructions()) {
    const DotInstruction *known = lookupDotInstruction(
        instruction.getName(),
        instruction.getN() * instruction.getAcc().getIntOrFloatBitWidth());
    if (instruction.getKind() != "dot" || !known || known->half >= 0 ||
        instruction.getM() != 1 || instruction.getAcc() != payload.acc ||
        withoutSign(instruction.getA()) != withoutSign(payload.a) ||
        withoutSign(instruction.getB()) != withoutSign(payload.b))
      continue;
    std::optional<DotOperands> operands = matchOperands(payload, *known);
    if (!operands)
      continue;
    // One that needs no correction is better than one that does.
    if (!best || (best->operands == DotOperands::Offset &&
                  *operands != DotOperands::Offset))
      best = DotMatch{instruction, *operands, known->widens};
  }
  return best;
}
