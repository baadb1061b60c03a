//===- CpuFamily.cpp - What families of register tiles share ----- -===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CpuFamily.h"

#include "CpuBandwidth.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace vortex;

/// Products that lie beside each other for each word of a matrix tile.
int64_t CpuFamily::getTileGroup(HwInstructionAttr tile) {
  return tile.getAcc().getIntOrFloatBitWidth() /
         tile.getA().getIntOrFloatBitWidth();
}

bool CpuFamily::divideExtent(int64_t loop, int64_t vectors) {
  int64_t extent = anchor.getStaticLoopRanges()[loop];
  return extent > 0 && extent % (vectors * lanes) == 0;
}

HwInstructionAttr CpuFamily::findMatrixTile(
    const DotPayload &payload,
    llvm::function_ref<std::string(HwInstructionAttr)> whyNot) {
  HwInstructionAttr found =
      hw.getInstruction("tile", payload.a, payload.b, payload.acc);
  if (!found)
    return {};
  int64_t group = getTileGroup(found);
  std::string why;
  if (found.getRegisters() < 3)
    why = ("its " + Twine(found.getRegisters()) +
           " registers hold no sums and factors")
              .str();
  else if (group < 2 || found.getN() != lanes || found.getK() % group != 0 ||
           found.getK() * found.getA().getIntOrFloatBitWidth() >
               hw.getVectorBytes() * 8)
    why = "its shape is not one of words in vectors";
  else
    why = whyNot(found);
  if (why.empty())
    return found;
  ++report.considered;
  report.pruned.push_back(found.getName().str() + ": " + why);
  return {};
}

void CpuFamily::forEachTileShape(
    HwInstructionAttr tile, llvm::function_ref<void(int64_t, int64_t)> visit) {
  int64_t most = tile.getRegisters();
  for (int64_t r = 1; r < most; ++r)
    for (int64_t c = 1; r * c + r + c <= most; ++c)
      visit(r, c);
}

std::pair<int64_t, int64_t> CpuFamily::getTileShape(HwInstructionAttr tile) {
  auto ratio = [](int64_t r, int64_t c) { return double(r * c) / (r + c); };
  std::pair<int64_t, int64_t> best = {1, 1};
  forEachTileShape(tile, [&](int64_t r, int64_t c) {
    if (ratio(r, c) > ratio(best.first, best.second))
      best = {r, c};
  });
  return best;
}

MicroKernelAttr CpuFamily::makeTileMicro(HwInstructionAttr tile, int64_t rows,
                                         int64_t columns, bool turns,
                                         int64_t depth) {
  int64_t group = getTileGroup(tile);
  return MicroKernelAttr::get(kernel.getContext(), "tile", rows, columns, lanes,
                              /*unroll=*/(depth ? depth : tile.getK()) / group,
                              /*prefetch=*/0, /*narrow_rows=*/0,
                              /*scheduler=*/false, /*lane_axis=*/-1,
                              /*in_flight=*/0, tile.getName(), group,
                              /*contract=*/true, turns);
}

bool CpuFamily::isFasterThanWidened(HwInstructionAttr instruction) {
  std::optional<double> rate = hw.getNumber(fmaKey + ".rate");
  return !rate || instruction.getRate() >= kWidened * *rate;
}

bool CpuFamily::setElement(Type element) {
  lanes =
      hw.getVectorBytes() * 8 / std::max(8u, element.getIntOrFloatBitWidth());
  llvm::raw_string_ostream(fmaKey) << "fma." << element;
  return lanes >= 1;
}

Real CpuFamily::latency() {
  bool known = hw.getNumber(fmaKey + ".latency").has_value();
  return param(known ? fmaKey + ".latency" : "fma.f32.latency");
}

int64_t CpuFamily::getInFlight() {
  bool known = hw.getNumber(fmaKey + ".rate").has_value();
  double rate =
      hw.getNumber((known ? fmaKey : "fma.f32") + ".rate").value_or(0);
  bool timed = hw.getNumber(fmaKey + ".latency").has_value();
  double latency =
      hw.getNumber((timed ? fmaKey : "fma.f32") + ".latency").value_or(0);
  int64_t width = known ? lanes : hw.getVectorBytes() / 4;
  return std::lround(latency * rate / double(2 * width) / 4) * 4;
}

Real CpuFamily::byteTime(Real bytes) {
  return vortex::byteTime(arith, hw, bytes);
}

Flag CpuFamily::fitsCache(Real bytes) {
  return bytes <=
         param(hw.getLevel("l3") ? "l3.capacity" : "l2.capacity") * 0.5;
}

bool CpuFamily::isWeight(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument)
    return matchPattern(value, m_Constant()) ||
           value.getDefiningOp()->hasAttr(kBindAttr);
  auto function =
      dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  return function && argument.getOwner() == &function.front() &&
         function.getArgAttr(argument.getArgNumber(), kWeightAttr);
}

/// Whether an op reads `argument` with a reduction, each element of it.
static bool isReduced(BlockArgument argument) {
  return llvm::any_of(argument.getUses(), [](OpOperand &use) {
    auto op = dyn_cast<linalg::LinalgOp>(use.getOwner());
    return op && op.getNumReductionLoops() > 0 && op.isDpsInput(&use);
  });
}

int64_t CpuFamily::countOtherWeights(Value weight) {
  auto [known, added] = otherWeights.try_emplace(weight, 0);
  if (!added)
    return known->second;
  Operation *scope = kernel->getParentOfType<LoopLikeOpInterface>();
  if (!scope)
    scope = kernel->getParentOfType<FunctionOpInterface>();
  SmallPtrSet<Value, 16> seen{weight};
  int64_t bytes = 0;
  scope->walk<WalkOrder::PreOrder>([&](Operation *op) {
    auto other = dyn_cast<KernelOp>(op);
    if (!other)
      return WalkResult::advance();
    for (auto [input, argument] :
         llvm::zip(other.getInputs(), other.getPayload().getArguments())) {
      auto type = dyn_cast<RankedTensorType>(input.getType());
      if (type && type.hasStaticShape() &&
          type.getElementType().isIntOrFloat() && isWeight(input) &&
          isReduced(argument) && seen.insert(input).second)
        bytes += type.getNumElements() *
                 llvm::divideCeil(type.getElementTypeBitWidth(), 8);
    }
    return WalkResult::skip();
  });
  return known->second = bytes;
}
