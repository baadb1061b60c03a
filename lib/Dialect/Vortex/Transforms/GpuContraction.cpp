//===- GpuContraction.cpp - Contractions on a GPU ---------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the target has instructions for groups of warps on shared memory
// (`wgmma`), warps have roles: a group loads, in boxes, the others multiply.
//
// Contractions that no matrix instruction does, by their types or their maps,
// have the same trees over scalar units (`simt`): the columns of a warp's tile
// lie in its lanes, its rows in registers. Where shared memory cannot hold
// tiles of the operands (windows, computed operands, several reductions) each
// warp reads them where they are.
//
//===----------------------------------------------------------------------===//

#include "GpuContraction.h"

using namespace mlir;
using namespace vortex;

/// Finds what a ring of shared memory loads; says why there can be none.
std::string GpuContractionFamily::readOperands() {
  if (roles.a != 0 || roles.b != 1 || anchor.getNumDpsInputs() != 2 ||
      roles.k.size() != 1)
    return "the contraction has more than two operands or one reduction";
  SmallVector<AffineMap> maps = anchor.getIndexingMapsArray();
  if (maps.back().getNumResults() < 2 ||
      maps.back().getDimPosition(maps.back().getNumResults() - 2) != roles.m)
    return "rows and columns are not the last dimensions of the result";
  for (auto [operand, input, inner, spatial] :
       {std::tuple{roles.a, &inputA, &innerA, roles.m},
        {roles.b, &inputB, &innerB, roles.n}}) {
    auto argument = dyn_cast<BlockArgument>(anchor->getOperand(operand));
    AffineMap map = maps[operand];
    if (!argument || argument.getArgNumber() >= kernel.getInputs().size() ||
        !map.isProjectedPermutation())
      return "an operand is not a matrix from outside the kernel";
    *input = argument.getArgNumber();
    *inner = map.getDimPosition(map.getNumResults() - 1);
    if (*inner != roles.k.front() && *inner != spatial)
      return "an operand is contiguous along a batch axis";
  }
  return "";
}

/// The matrix instructions for the contraction, of warps and of groups of them;
/// says why there are none.
void GpuContractionFamily::findMatrix(Type acc) {
  // They multiply and add, and nothing else.
  if (!ring)
    return;
  Type left = getFactorType(anchor, roles.a),
       right = getFactorType(anchor, roles.b);
  auto find = [&](StringRef kind) {
    HwInstructionAttr found = hw.getInstruction(kind, left, right, acc);
    bool fits = found && hasMatrixForm(found) &&
                linalg::isaContractionOpInterface(anchor) &&
                addsProducts(anchor) &&
                (!acc.isInteger() || getIntegerSigns(anchor));
    return fits ? found : HwInstructionAttr();
  };
  instruction = find("mma_sync");
  matrix = !!instruction;
  group = find("wgmma");
  if (std::string why = group ? whyNoGroups() : ""; !why.empty()) {
    report.pruned.push_back("no wgmma: " + why);
    group = {};
  }
  if (matrix || group)
    return;
  std::string why = "no matrix instruction for ";
  llvm::raw_string_ostream(why)
      << left << " x " << right << " -> " << acc
      << (addsProducts(anchor) ? ""
                               : ", computed from before they are multiplied");
  report.pruned.push_back(why);
}

LogicalResult GpuContractionFamily::readPayload() {
  auto elementOf = [](Value value) {
    return getElementTypeOrSelf(value.getType());
  };
  Type acc = elementOf(anchor->getResult(0));
  bytes =
      std::max(elementOf(anchor->getOperand(roles.a)).getIntOrFloatBitWidth(),
               elementOf(anchor->getOperand(roles.b)).getIntOrFloatBitWidth()) /
      8;
  accBytes = acc.getIntOrFloatBitWidth() / 8;
  resultBytes = elementOf(kernel.getResult(0)).getIntOrFloatBitWidth() / 8;

  std::string noRing = readOperands();
  for (Operation &op : kernel.getPayload().front()) {
    auto id = op.getAttrOfType<StringAttr>(kIdAttr);
    if (!id)
      continue;
    bool inFront = op.isBeforeInBlock(anchor) && !isa<linalg::FillOp>(op);
    if (inFront && noRing.empty())
      noRing =
          "op " + id.getValue().str() + " makes an operand of the contraction";
    (inFront || isa<linalg::FillOp>(op) || &op == anchor ? before : behind)
        .push_back(id.getValue());
  }
  ring = noRing.empty();
  if (!ring)
    report.pruned.push_back("no ring of shared memory: " + noRing);

  findMatrix(acc);
  if (matrix)
    return success();
  instruction = hw.getInstruction("simt", acc, acc, acc);
  if (!instruction) {
    Type f32 = b.getF32Type();
    instruction = hw.getInstruction("simt", f32, f32, f32);
  }
  if (!instruction)
    return drop("target " + hw.getIsa().str() + " describes no scalar units");
  return success();
}

void GpuContractionFamily::emit(const BlockTile &tile) {
  auto candidate = CandidateOp::create(b, kernel.getLoc(), tile.name());
  emitSchedule(candidate, tile);
  emitGuard(candidate, tile);
  emitCost(candidate, tile);
}

LogicalResult GpuContractionFamily::add() {
  if (failed(readPayload()))
    return failure();
  lanes = getWarpLanes(hw);
  shared = hw.getLevel("smem");
  registers = hw.getLevel("register");
  warp = hw.getLevel("warp");
  if (!hw.getLevel("l2") || !shared || !registers || !warp)
    return drop("target " + hw.getIsa().str() +
                " does not describe l2, smem, warp and register");
  SmallVector<BlockTile> tiles = ring ? enumerate() : enumerateDirect();
  if (group) {
    // What groups of warps do, single ones do slower: those stay for fewer
    // rows, and where operands have no alignment.
    SmallVector<BlockTile> grouped = enumerateGroups();
    llvm::erase_if(tiles, [&](const BlockTile &tile) {
      return tile.run > 1 && !grouped.empty() && tile.m >= group.getM();
    });
    addClusters(grouped);
    tiles.insert(tiles.begin(), grouped.begin(), grouped.end());
  }
  if (ring)
    addSplit(tiles);
  if (tiles.empty())
    return drop("no block fits");
  Block *block = createCandidates();
  if (ring) // guards ask where operands are
    for (Type type : kernel->getOperandTypes())
      block->addArgument(type, kernel.getLoc());
  for (const BlockTile &tile : tiles) {
    b.setInsertionPointToEnd(block);
    emit(tile);
  }
  return success();
}
