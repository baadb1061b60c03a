//===- VerifyStages.cpp - What instructions of a schedule take ------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Register tiles on CPUs and products of matrices on GPUs: shapes that their
// instructions have, and registers that hold what they add to.
//
//===----------------------------------------------------------------------===//

#include "ScheduleVerifier.h"

#include "vortex/Dialect/Vortex/IR/MatrixForm.h"
#include "vortex/Dialect/Vortex/IR/RoleRegisters.h"
#include "vortex/Dialect/Vortex/IR/WarpLanes.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace vortex;

/// A register tile on a CPU: accumulators, the vectors of one row and a
/// broadcast lie in vector registers together; with a reduction in lanes, one
/// vector of each row and one of a column.
LogicalResult ScheduleVerifier::checkVectors(StageOp stage) {
  if (!hw || hw.isGPU() || hw.getVectorBytes() < 1)
    return success();
  MicroKernelAttr micro = stage.getMicroAttr();
  Type type = getElementTypeOrSelf(anchor->getResult(0).getType());
  int64_t bytes =
      micro.getLanes() * std::max(8u, type.getIntOrFloatBitWidth()) / 8;
  int64_t vectors =
      micro.getVectors() * llvm::divideCeil(bytes, hw.getVectorBytes());
  int64_t kept = micro.getLaneAxis() >= 0 ? micro.getRows() : vectors;
  int64_t need = micro.getRows() * vectors + kept + 1;
  if (need <= hw.getVectorRegisters())
    return success();
  InFlightDiagnostic error = stage.emitOpError()
                             << "needs " << micro.getRows() << " rows x "
                             << vectors << " + " << kept << " + 1 = " << need
                             << " vector registers; level 'register' of target "
                             << hw.getIsa() << " holds "
                             << hw.getVectorRegisters();
  if (StringAttr source = hw.getLevel("register").getSource())
    error << " (" << source.getValue() << ")";
  return error;
}

/// What the target says of the instruction that the stage names.
FailureOr<HwInstructionAttr> ScheduleVerifier::findInstruction(StageOp stage,
                                                               StringRef kind) {
  StringRef name = stage.getMicroAttr().getOpcode();
  for (HwInstructionAttr instruction : hw.getInstructions())
    if (instruction.getKind() == kind && instruction.getName() == name)
      return instruction;
  return stage.emitOpError() << "uses '" << name << "', which target "
                             << hw.getIsa() << " does not have";
}

/// A tile of dot products: the target has the instruction, with this many
/// lanes and products a lane.
LogicalResult ScheduleVerifier::checkDot(StageOp stage) {
  if (!hw)
    return success();
  MicroKernelAttr micro = stage.getMicroAttr();
  FailureOr<HwInstructionAttr> found = findInstruction(stage, "dot");
  if (failed(found))
    return failure();
  Type acc = getElementTypeOrSelf(anchor->getResult(0).getType());
  if (found->getAcc() != acc || found->getN() != micro.getLanes() ||
      found->getK() != micro.getGroup())
    return stage.emitOpError()
           << "has " << micro.getLanes() << " lanes of " << micro.getGroup()
           << " products in " << acc << "; instruction '" << found->getName()
           << "' of target " << hw.getIsa() << " has " << found->getN()
           << " of " << found->getK() << " in " << found->getAcc();
  return checkVectors(stage);
}

/// Sums in matrix tiles: the target has the instruction for these types, its
/// tiles divide those of the stage, which may be one of fewer rows or, under a
/// window, all of fewer steps, and its registers hold all sums, a tile of each
/// row and one of each column.
LogicalResult ScheduleVerifier::checkTiles(StageOp stage) {
  if (!hw)
    return success();
  MicroKernelAttr micro = stage.getMicroAttr();
  FailureOr<HwInstructionAttr> found = findInstruction(stage, "tile");
  if (failed(found))
    return failure();
  Type acc = getElementTypeOrSelf(anchor->getResult(0).getType());
  if (micro.getNarrowRows() || micro.getLaneAxis() >= 0)
    return stage.emitOpError("has cases for fewer columns or lanes along a "
                             "reduction, which matrix tiles do not have");
  int64_t steps = micro.getUnroll() * micro.getGroup();
  int64_t word = found->getAcc().getIntOrFloatBitWidth() /
                 found->getA().getIntOrFloatBitWidth();
  bool isWindow = anchor.getNumReductionLoops() > 1;
  if (found->getAcc() != acc || found->getN() != micro.getLanes() ||
      micro.getGroup() != word ||
      (isWindow ? steps > found->getK() : steps != found->getK()) ||
      micro.getRows() % std::min(micro.getRows(), found->getM()) != 0)
    return stage.emitOpError()
           << "has " << micro.getRows() << " rows of tiles with "
           << micro.getLanes() << " columns and " << micro.getUnroll() << " x "
           << micro.getGroup() << " steps in " << acc << "; instruction '"
           << found->getName() << "' of target " << hw.getIsa() << " has "
           << found->getM() << "x" << found->getN() << "x" << found->getK()
           << " in " << found->getAcc();
  int64_t rows = llvm::divideCeil(micro.getRows(), found->getM()),
          columns = micro.getVectors();
  int64_t need = rows * columns + rows + columns;
  if (need > found->getRegisters())
    return stage.emitOpError()
           << "needs " << rows << " x " << columns << " + " << rows << " + "
           << columns << " = " << need << " tiles; instruction '"
           << found->getName() << "' of target " << hw.getIsa() << " has "
           << found->getRegisters();
  return success();
}

LogicalResult ScheduleVerifier::visit(StageOp stage,
                                      const Surroundings &around) {
  MicroKernelAttr micro = stage.getMicroAttr();
  if (!micro || !anchor)
    return success();
  StringRef kind = micro.getInstruction();
  if (kind == "fma")
    return checkVectors(stage);
  if (kind == "dot")
    return checkDot(stage);
  if (kind == "tile")
    return checkTiles(stage);
  if (kind == "simt")
    return checkAccumulators(stage, micro.getRows(),
                             micro.getVectors() * micro.getLanes(),
                             getWarpLanes(hw));
  if (kind != "mma_sync" && kind != "wgmma" && kind != "mfma")
    return success();
  FailureOr<MatrixAxes> product = findProduct(stage, kind, around);
  return failed(product) ? failure() : checkMatrix(stage, around, *product);
}

/// The product that `stage` has on a matrix instruction.
FailureOr<ScheduleVerifier::MatrixAxes>
ScheduleVerifier::findProduct(StageOp stage, StringRef kind,
                              const Surroundings &around) {
  if (chain) {
    const MatrixProduct &last = chain->product;
    linalg::LinalgOp scores = chain->scores.op;
    if (llvm::is_contained(stage.getOps(), scores->getAttr(kIdAttr)))
      return MatrixAxes{scores, last.m, last.k, chain->getInnerAxis()};
    // The scores stay in registers until the weights are multiplied.
    return MatrixAxes{last.op, last.m, last.n, last.k,
                      around.tiles[last.k].value_or(0)};
  }
  AffineMap out = anchor.getIndexingMapsArray().back();
  std::optional<unsigned> reduction = getRingReduction(anchor);
  if (anchor.getNumDpsInputs() != 2 || !reduction || out.getNumResults() < 2 ||
      !out.isProjectedPermutation())
    return stage.emitOpError()
           << "uses '" << kind
           << "', which needs an anchor with two inputs and a reduction that "
              "is its only one or the innermost of the first";
  auto loopOf = [&](unsigned fromLast) {
    return cast<AffineDimExpr>(out.getResult(out.getNumResults() - fromLast))
        .getPosition();
  };
  return MatrixAxes{anchor, loopOf(2), loopOf(1), *reduction};
}

LogicalResult ScheduleVerifier::checkMatrix(StageOp stage,
                                            const Surroundings &around,
                                            MatrixAxes product) {
  MicroKernelAttr micro = stage.getMicroAttr();
  StringRef kind = micro.getInstruction();
  unsigned m = product.m, n = product.n, k = product.k;
  int64_t rows = micro.getRows();
  int64_t columns = micro.getVectors() * micro.getLanes();
  for (auto [axis, size, field] :
       {std::tuple{m, rows, "rows"}, {n, columns, "vectors * lanes"}})
    if (around.tiles[axis] && *around.tiles[axis] != size)
      return stage.emitOpError()
             << "has a micro-kernel with " << field << " = " << size
             << " in a tile of " << *around.tiles[axis] << " of axis "
             << nameOf(axis);
  if (!hw)
    return success();

  linalg::LinalgOp op = product.op;
  Type a = getFactorType(op, 0), b = getFactorType(op, 1);
  Type acc = getElementTypeOrSelf(op.getDpsInits()[0].getType());
  HwInstructionAttr instruction = findMatrixInstruction(hw, kind, a, b, acc);
  if (!instruction)
    return stage.emitOpError()
           << "uses '" << kind << "' for " << a << " x " << b << " -> " << acc
           << ", which target " << hw.getIsa() << " does not have";
  // A wgmma exists for every multiple of 8 columns below its largest. Groups of
  // warps that divide columns of the result have it turned.
  bool grouped = kind == "wgmma";
  auto level = dyn_cast<LevelOp>(stage->getParentOp());
  bool turned = grouped && level && llvm::is_contained(level.getAxes(), n);
  int64_t mStep = instruction.getM();
  int64_t nStep = grouped ? 8 : instruction.getN();
  if (turned)
    std::swap(mStep, nStep);
  for (auto [axis, size, step] :
       {std::tuple{m, std::optional<int64_t>(rows), mStep},
        {n, std::optional<int64_t>(columns), nStep},
        {k, around.tiles[k], getStepDepth(instruction)}})
    if (size && *size % step != 0)
      return stage.emitOpError()
             << "has a tile of " << *size << " of axis " << nameOf(axis)
             << ", which instruction '" << instruction.getName()
             << "' of target " << hw.getIsa() << " covers in steps of " << step;
  int64_t threads = getWarpLanes(hw) * (grouped ? kWarpsPerGroup : 1);
  if (failed(checkAccumulators(stage, rows, columns + product.kept, threads)))
    return failure();
  int64_t bits = std::max(32u, acc.getIntOrFloatBitWidth());
  return grouped ? checkGroups(stage, around,
                               rows * columns * bits / 32 / threads *
                                   getSumsPerElement(a))
                 : success();
}

/// Groups of warps that multiply beside those that load: whole groups, one for
/// each tile, with registers for all of them.
LogicalResult ScheduleVerifier::checkGroups(StageOp stage,
                                            const Surroundings &around,
                                            int64_t accumulators) {
  auto consumer = dyn_cast<LevelOp>(stage->getParentOp());
  auto ring = consumer ? dyn_cast<LevelOp>(consumer->getParentOp()) : LevelOp();
  if (!ring || consumer.getRole() != "consumer")
    return success();
  RoleShape shape;
  shape.accumulators = accumulators;
  for (auto level : ring.getBody().front().getOps<LevelOp>()) {
    if (!level.getRole())
      continue;
    int64_t warps = *level.getWarps();
    if (warps % kWarpsPerGroup != 0)
      return level.emitOpError()
             << "has " << warps << " " << *level.getRole()
             << " warps; registers move between groups of " << kWarpsPerGroup;
    (level.getRole() == "producer" ? shape.producers : shape.consumers) +=
        warps;
  }
  shape.copies = getCopiesOfThread(countCopiedRows(ring, around.ofBlock),
                                   std::max<int64_t>(shape.producers, 1));
  if (!divideRegisters(hw, shape))
    return consumer.emitOpError()
           << "keeps " << accumulators << " accumulators a thread in "
           << shape.consumers << " warps beside " << shape.producers
           << " producers; the registers of a multiprocessor of target "
           << hw.getIsa() << " do not hold them";
  return success();
}

/// A tile on a GPU: the threads that compute it hold its accumulators.
LogicalResult ScheduleVerifier::checkAccumulators(StageOp stage, int64_t rows,
                                                  int64_t columns,
                                                  int64_t threads) {
  HwLevelAttr registers = hw ? hw.getLevel("register") : HwLevelAttr();
  Type acc = getElementTypeOrSelf(anchor->getResult(0).getType());
  if (!registers || !hw.isGPU() || !acc.isIntOrFloat())
    return success();
  int64_t bytes = rows * columns *
                  llvm::divideCeil(acc.getIntOrFloatBitWidth(), 8) / threads;
  int64_t limit = registers.getCapacity() / getWarpLanes(hw);
  if (bytes >= limit)
    return stage.emitOpError()
           << "keeps " << rows << "x" << columns << " accumulators of " << acc
           << " in " << threads << " threads = " << bytes
           << " bytes a thread; level 'register' of target " << hw.getIsa()
           << " holds " << limit;
  return success();
}
