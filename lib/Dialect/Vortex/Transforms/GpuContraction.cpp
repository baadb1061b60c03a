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
// have the same trees over scalar units (`simt`): lanes are rows and columns of
// a warp's tile. Where shared memory cannot hold tiles of the operands
// (computed ones, windows without a contiguous reduction) each warp reads them
// where they are, with its lanes along the columns.
//
// A convolution is a product whose ring also walks the axes of the window, and
// whose rows are points of the image: implicit GEMM.
//
//===----------------------------------------------------------------------===//

#include "GpuContraction.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace vortex;

/// Of a product over windows: what a ring needs of its maps beside what it
/// needs of those of matrices. Rows of the left factor's tiles are contiguous
/// along one reduction, and the offset of each is a sum of one for the row and
/// one for the step.
std::string GpuContractionFamily::readWindow() {
  SmallVector<AffineMap> maps = anchor.getIndexingMapsArray();
  std::optional<unsigned> ring = getRingReduction(anchor);
  if (!ring)
    return "the left operand is not contiguous along a reduction";
  if (!isWindowMap(maps[roles.a]) || !maps[roles.b].isFunctionOfDim(*ring))
    return "an operand's coordinates are no sums of axes";
  ringAxis = *ring;
  return "";
}

/// Parallel axes that the left factor alone has, in front of its rows, are rows
/// too where tiles are windows: those of images are few.
void GpuContractionFamily::joinRows() {
  SmallVector<AffineMap> maps = anchor.getIndexingMapsArray();
  rows = {roles.m};
  batch = roles.batch;
  while (window && !batch.empty() && batch.back() + 1 == rows.front() &&
         maps[roles.a].isFunctionOfDim(batch.back()) &&
         !maps[roles.b].isFunctionOfDim(batch.back()))
    rows.insert(rows.begin(), batch.pop_back_val());
}

/// Finds what a ring of shared memory loads; says why there can be none.
std::string GpuContractionFamily::readOperands() {
  if (roles.a != 0 || roles.b != 1 || anchor.getNumDpsInputs() != 2)
    return "the contraction has more than two operands";
  window = hasWindow(anchor);
  ringAxis = roles.k.front();
  if (std::string why = window ? readWindow() : ""; !why.empty())
    return why;
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
        !(map.isProjectedPermutation() || (window && operand == roles.a)))
      return "an operand is not a matrix from outside the kernel";
    *input = argument.getArgNumber();
    *inner = cast<AffineDimExpr>(map.getResults().back()).getPosition();
    if (*inner != ringAxis && *inner != spatial)
      return "an operand is contiguous along a batch axis";
  }
  joinRows();
  return "";
}

/// The matrix instruction of `kind` for the contraction; they multiply and add,
/// and nothing else.
HwInstructionAttr GpuContractionFamily::findMatrix(StringRef kind, Type acc) {
  HwInstructionAttr found =
      findMatrixInstruction(hw, kind, getFactorType(anchor, roles.a),
                            getFactorType(anchor, roles.b), acc);
  if (!found || !hasMatrixForm(found) ||
      !(window || linalg::isaContractionOpInterface(anchor)) ||
      !addsProducts(anchor))
    return {};
  if (!acc.isInteger())
    return found;
  std::optional<IntegerSigns> signs = getIntegerSigns(anchor);
  bool fits =
      signs && (kind != "mfma" || (!signs->unsignedA && !signs->unsignedB));
  return fits ? found : HwInstructionAttr();
}

/// The matrix instructions for the contraction, of warps and of groups of them;
/// says why there are none.
void GpuContractionFamily::findMatrices(Type acc) {
  if (!ring)
    return;
  instruction = findMatrix("mma_sync", acc);
  if (!instruction)
    instruction = findMatrix("mfma", acc);
  matrix = !!instruction;
  group = findMatrix("wgmma", acc);
  if (std::string why = group ? whyNoGroups() : ""; !why.empty()) {
    report.pruned.push_back("no wgmma: " + why);
    group = {};
  }
  if (matrix || group)
    return;
  std::string why = "no matrix instruction for ";
  llvm::raw_string_ostream(why)
      << getFactorType(anchor, roles.a) << " x "
      << getFactorType(anchor, roles.b) << " -> " << acc
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

  scalar = hw.getInstruction("simt", acc, acc, acc);
  if (!scalar) {
    Type f32 = b.getF32Type();
    scalar = hw.getInstruction("simt", f32, f32, f32);
  }
  findMatrices(acc);
  if (matrix)
    return success();
  instruction = scalar;
  if (!instruction)
    return drop("target " + hw.getIsa().str() + " describes no scalar units");
  return success();
}

SmallVector<BlockTile> GpuContractionFamily::onScalarUnits(
    function_ref<SmallVector<BlockTile>()> grow) {
  llvm::SaveAndRestore units(instruction, scalar);
  llvm::SaveAndRestore kind(matrix, false);
  return grow();
}

/// Beside tiles of matrix instructions that go through registers, the smallest
/// and the lowest of scalar units, in front of the most general candidate,
/// which stays last.
void GpuContractionFamily::addScalar(SmallVector<BlockTile> &tiles) {
  if (!scalar)
    return;
  SmallVector<BlockTile> all = onScalarUnits([&] { return enumerate(); });
  llvm::erase_if(all, [](const BlockTile &tile) { return tile.run == 1; });
  if (all.size() > 2)
    all.erase(all.begin(), all.end() - 2);
  auto *general =
      llvm::find_if(tiles, [](const BlockTile &tile) { return tile.run == 1; });
  tiles.insert(general, all.begin(), all.end());
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
    // rows, where operands have no alignment, and where rows of a window are
    // walked as one with its channels, of which there may be few.
    SmallVector<BlockTile> grouped = enumerateGroups();
    llvm::erase_if(tiles, [&](const BlockTile &tile) {
      return tile.isAligned() && !grouped.empty() && tile.m >= group.getM() &&
             !getNextReduction(anchor);
    });
    addClusters(grouped);
    tiles.insert(tiles.begin(), grouped.begin(), grouped.end());
  }
  if (ring)
    addSplit(tiles);
  if (isStaged())
    addScalar(tiles);
  if (ring && window)
    addDirect(tiles);
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
