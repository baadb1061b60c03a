//===- ScheduleVerifier.h - Checks of a schedule -------*- C++ -* ---------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The walk over a schedule and what its ops are checked for: the structure in
// VerifySchedule.cpp, what lies in memory in VerifyLoads.cpp, what instructions
// compute in VerifyStages.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_LIB_DIALECT_VORTEX_IR_SCHEDULEVERIFIER_H
#define VORTEX_LIB_DIALECT_VORTEX_IR_SCHEDULEVERIFIER_H

#include "vortex/Dialect/Vortex/IR/RunningChain.h"
#include "vortex/Dialect/Vortex/IR/VortexDialect.h"
#include "vortex/Dialect/Vortex/IR/WindowProduct.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Matchers.h"

namespace vortex {

/// Sizes of a tile, an axis; none where a size is not constant.
using Tiles = llvm::SmallVector<std::optional<int64_t>>;

/// Where a level stands in its tree.
struct Surroundings {
  Tiles tiles;         ///< size of the tile around it, an axis
  bool grid = false;   ///< inside a grid or a persistent queue
  bool forall = false; ///< tiles of units of a block already divided
  int64_t warps = 1;   ///< warps among which the tile is divided
  Tiles ofBlock;       ///< those of a block, of which its units have parts
};

class ScheduleVerifier {
public:
  ScheduleVerifier(CandidateOp candidate)
      : candidate(candidate),
        kernel(llvm::cast<KernelOp>(candidate->getParentOp())) {}
  mlir::LogicalResult run();

private:
  mlir::LogicalResult visit(mlir::Block &block, const Surroundings &around);
  mlir::LogicalResult visit(LevelOp level, Surroundings around);
  mlir::LogicalResult visit(StageOp stage, const Surroundings &around);
  mlir::LogicalResult checkRole(LevelOp level);
  mlir::LogicalResult checkRing(LevelOp level);
  mlir::LogicalResult checkSplit(LevelOp level);
  mlir::LogicalResult checkCluster(LevelOp level);
  mlir::LogicalResult checkJoined(LevelOp level);
  mlir::LogicalResult checkNesting(LevelOp level, const Surroundings &around);
  mlir::LogicalResult checkLoads(LevelOp level, const Tiles &tiles);
  /// An input as producers bring it.
  struct Brought {
    mlir::AffineMap map;
    int64_t run;               ///< bytes moved at once
    int64_t row = 1, rows = 1; ///< bytes of a row of the tile, and rows
  };
  std::optional<Brought> readBrought(LoadAttr load, mlir::Value size,
                                     const Tiles &tiles);
  int64_t countCopiedRows(LevelOp ring, const Tiles &tiles);
  mlir::LogicalResult checkBoxes(LevelOp ring, const Tiles &tiles);
  mlir::LogicalResult checkStore(LevelOp ring, const Tiles &tiles);
  mlir::LogicalResult checkGroups(StageOp stage, const Surroundings &around,
                                  int64_t accumulators);
  mlir::LogicalResult checkThreads(LevelOp level, const Surroundings &around);
  mlir::LogicalResult checkVectors(StageOp stage);
  mlir::FailureOr<HwInstructionAttr> findInstruction(StageOp stage,
                                                     llvm::StringRef kind);
  mlir::LogicalResult checkDot(StageOp stage);
  mlir::LogicalResult checkTiles(StageOp stage);
  mlir::LogicalResult checkAccumulators(StageOp stage, int64_t rows,
                                        int64_t columns, int64_t threads);
  llvm::StringRef nameOf(int64_t axis) {
    return llvm::cast<mlir::StringAttr>(kernel.getAxes()[axis]).getValue();
  }
  bool isReduction(int64_t axis) {
    if (chain && axis == chain->getInnerAxis())
      return true;
    return anchor && anchor.getIteratorTypesArray()[axis] ==
                         mlir::utils::IteratorType::reduction;
  }
  /// A product of matrices on a matrix instruction, by axes of the kernel.
  struct MatrixAxes {
    mlir::linalg::LinalgOp op;
    unsigned m, n, k;
    int64_t kept = 0; ///< columns of accumulators beside its own
  };
  mlir::FailureOr<MatrixAxes> findProduct(StageOp stage, llvm::StringRef kind,
                                          const Surroundings &around);
  mlir::LogicalResult checkMatrix(StageOp stage, const Surroundings &around,
                                  MatrixAxes product);
  mlir::AffineMap findMap(mlir::BlockArgument input);

  CandidateOp candidate;
  KernelOp kernel;
  mlir::linalg::LinalgOp anchor;
  std::optional<RunningChain> chain; ///< of a kernel that has an axis for it
  HwAttr hw; ///< null when no target around has the levels of the schedule
};

/// The number that `value` is, where it is a constant.
inline std::optional<int64_t> getConstant(mlir::Value value) {
  llvm::APInt constant;
  if (mlir::matchPattern(value, mlir::m_ConstantInt(&constant)))
    return constant.getSExtValue();
  return std::nullopt;
}

/// Whether some warps fill the ring of `level` for others, by bulk copies.
inline bool hasRoles(LevelOp level) {
  return llvm::any_of(
      level.getBody().front().getOps<LevelOp>(),
      [](LevelOp inner) { return inner.getRole().has_value(); });
}

} // namespace vortex

#endif // VORTEX_LIB_DIALECT_VORTEX_IR_SCHEDULEVERIFIER_H
