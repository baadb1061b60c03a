//===- GpuContraction.h - Contractions on a GPU -----------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The family of contractions: what a kernel offers and which candidates there
// are (GpuContraction.cpp), the tiles of blocks (GpuContractionTiles.cpp,
// GpuContractionGroups.cpp for groups of warps), reductions that blocks share
// (GpuContractionSplit.cpp), the tree and guard of each
// (GpuContractionTree.cpp) and what it costs (GpuContractionCost.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_TRANSFORMS_GPUCONTRACTION_H
#define VORTEX_TRANSFORMS_GPUCONTRACTION_H

#include "CandidateFamily.h"
#include "GpuCandidates.h"

#include "vortex/Dialect/Vortex/IR/MatrixForm.h"
#include "vortex/Dialect/Vortex/IR/RoleRegisters.h"
#include "vortex/Dialect/Vortex/IR/WarpLanes.h"
#include "vortex/Dialect/Vortex/IR/WindowProduct.h"

namespace vortex {

/// Rows of the lowest tile of scalar units that shares operands: as many as
/// those of a matrix instruction.
inline constexpr int64_t kLowestRows = 16;
/// Steps of a reduction on scalar units between two branches.
inline constexpr int64_t kScalarUnroll = 4;

/// A tile of a block, and how its warps share it.
struct BlockTile {
  int64_t m = 0, n = 0, k = 0, warpM = 0, warpN = 0, stages = 0;
  int64_t run = 1;                ///< elements moved at once
  int64_t copyBytes = kCopyBytes; ///< of these
  int64_t registers = 0;          ///< estimate, a thread
  int64_t resident = 1;           ///< blocks that share one multiprocessor
  bool matrix = true;             ///< has a matrix instruction
  int64_t producers = 0;          ///< warps that load boxes for groups of warps
  bool turned = false; ///< rows of the instruction are columns of the tile
  bool split = false;  ///< blocks share the reduction of a tile
  bool queue = false;  ///< blocks walk all tiles
  int64_t store = 2;   ///< elements stored at once, or of a row of a box
  /// Blocks beside each other that start together and share an operand.
  int64_t clusterM = 1, clusterN = 1;
  int64_t lanes = kPtxLanes; ///< of a warp

  /// Without a ring operands are read where they are.
  bool hasRing() const { return k > 0; }

  /// Rows are aligned to the longest copies.
  bool isAligned() const { return run > 1 && copyBytes == kCopyBytes; }

  /// Results are stored by bulk copies, in boxes.
  bool storesBoxes() const { return store > kMostRun; }

  /// Of a cluster.
  int64_t blocks() const { return clusterM * clusterN; }
  int64_t warps() const {
    return (m / warpM) * (n / warpN) * (producers ? kWarpsPerGroup : 1);
  }
  int64_t threads() const { return (warps() + producers) * lanes; }
  /// Products for each element that comes from L2.
  double reuse() const { return double(m * n) / double(m + n); }
  double warpReuse() const {
    return double(warpM * warpN) / double(warpM + warpN);
  }
  std::string name() const {
    std::string cluster =
        ("_c" + llvm::Twine(clusterM) + "x" + llvm::Twine(clusterN)).str();
    std::string area = (llvm::Twine(m) + "x" + llvm::Twine(n)).str();
    if (split) {
      BlockTile whole = *this;
      whole.split = false;
      return "split_" + whole.name();
    }
    if (!hasRing())
      return "direct_" + area;
    if (producers)
      return ("wgmma_" + area + "x" + llvm::Twine(k) + "_s" +
              llvm::Twine(stages) + (blocks() > 1 ? cluster : "") +
              (storesBoxes() ? "_boxes" : ""))
          .str();
    return (llvm::Twine(matrix ? "" : "simt_") +
            getCopyPrefix(run, copyBytes, "ring") + area + "x" +
            llvm::Twine(k) + "_s" + llvm::Twine(stages))
        .str();
  }
};

class GpuContractionFamily : CandidateFamily {
public:
  GpuContractionFamily(KernelOp kernel, mlir::linalg::LinalgOp anchor,
                       ContractionRoles roles, HwAttr hw,
                       CandidateReport &report)
      : CandidateFamily(kernel, anchor, hw, report), roles(roles) {}
  mlir::LogicalResult add();

private:
  mlir::LogicalResult readPayload();
  std::string readOperands();
  std::string readWindow();
  void joinRows();
  HwInstructionAttr findMatrix(llvm::StringRef kind, mlir::Type acc);
  void findMatrices(mlir::Type acc);
  /// What `grow` gives where scalar units are the instruction.
  llvm::SmallVector<BlockTile>
  onScalarUnits(llvm::function_ref<llvm::SmallVector<BlockTile>()> grow);
  void addScalar(llvm::SmallVector<BlockTile> &tiles);
  /// Tiles go through registers on their way to shared memory.
  bool isStaged() const { return matrix && instruction.getKind() == "mfma"; }
  std::optional<BlockTile> grow(int64_t m, int64_t n, int64_t k, int64_t run);
  llvm::SmallVector<BlockTile> enumerate();
  void addNarrow(llvm::SmallVector<BlockTile> &tiles, int64_t leastDepth);
  std::string whyNoGroups();
  /// Producers copy the operand in runs: it is read in windows, or its rows are
  /// points of several axes. Else it comes in boxes.
  bool isCopied(unsigned operand);
  std::string whyNoBoxes();
  std::optional<BlockTile> growGroups(int64_t m, int64_t n, bool boxes);
  llvm::SmallVector<BlockTile> enumerateGroups();
  llvm::SmallVector<BlockTile> enumerateGroups(bool boxes, bool otherwise);
  void addClusters(llvm::SmallVector<BlockTile> &tiles);
  llvm::SmallVector<BlockTile> enumerateDirect();
  void addDirect(llvm::SmallVector<BlockTile> &tiles);
  double getSharedReads(const BlockTile &tile);
  std::string whyNoSplit();
  void addSplit(llvm::SmallVector<BlockTile> &tiles);
  /// Rows of the result as tiles count them, and axes that they do not count.
  Size rowsOf(const BlockTile &tile);
  llvm::ArrayRef<unsigned> batchOf(const BlockTile &tile) {
    return tile.hasRing() ? llvm::ArrayRef(batch) : llvm::ArrayRef(roles.batch);
  }
  Size stepsOf(const BlockTile &tile);
  Size countTiles(const BlockTile &tile);
  Size countPoints();
  Size stepsOfPart(const BlockTile &tile);
  Real costOfSum(const BlockTile &tile, Size parts);
  HwInstructionAttr instructionOf(const BlockTile &tile) {
    return tile.producers ? group : tile.matrix ? instruction : scalar;
  }
  /// What a sum of axes, each times a number, is at the axes' ends.
  Size sumAxes(mlir::AffineExpr expr);
  /// Elements of the left factor's tensor, about.
  Size countLeft();
  void emit(const BlockTile &tile);
  void emitSchedule(CandidateOp candidate, const BlockTile &tile);
  void emitGuard(CandidateOp candidate, const BlockTile &tile);
  Flag windowInside(Flag holds);
  void emitCost(CandidateOp candidate, const BlockTile &tile);

  ContractionRoles roles;
  HwInstructionAttr instruction; ///< that tiles grow from
  HwInstructionAttr scalar;      ///< of scalar units
  HwInstructionAttr group;       ///< of groups of warps; null for none
  HwLevelAttr shared, registers, warp;
  int64_t inputA = 0, inputB = 0;  ///< kernel inputs
  unsigned innerA = 0, innerB = 0; ///< axes along which they are contiguous
  bool window = false;   ///< several reductions, or coordinates that add axes
  unsigned ringAxis = 0; ///< the reduction that tiles of a ring are long of
  /// Axes whose points a ring's tiles count as rows, the last one being m, and
  /// the other parallel axes beside n.
  llvm::SmallVector<unsigned> rows, batch;
  int64_t lanes = kPtxLanes; ///< of a warp
  int64_t bytes = 2, accBytes = 4, resultBytes = 4;
  bool matrix = false; ///< `instruction` is one of matrices, else scalar
  bool ring = false;   ///< shared memory holds tiles of the operands
  /// Payload ops of the two stages.
  llvm::SmallVector<llvm::StringRef> before, behind;
};

} // namespace vortex

#endif // VORTEX_TRANSFORMS_GPUCONTRACTION_H
