//===- ContractionPlan.h - A contraction's tree, read -------------*- C++
//-*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_CONVERSION_VORTEXTOGPU_CONTRACTIONPLAN_H
#define VORTEX_CONVERSION_VORTEXTOGPU_CONTRACTIONPLAN_H

#include "vortex/Dialect/Vortex/IR/RoleRegisters.h"
#include "vortex/Dialect/Vortex/IR/WarpLanes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/TypeUtilities.h"

namespace vortex {

/// An operand that bulk copies bring in boxes: the device function has a tensor
/// map for it, a parameter behind all others.
struct OperandBox {
  unsigned position = 0;              ///< kernel input
  llvm::SmallVector<int64_t> extents; ///< one for each dimension
};

/// How a device function is launched: a grid of one dimension, with a block for
/// each tile of the axes that `tile` divides, or as many as there is room for;
/// with clusters, one of these for each tile.
struct LaunchShape {
  int64_t threads = 0;     ///< of a block
  int64_t sharedBytes = 0; ///< dynamic shared memory of a block
  /// One for each axis; 0: not divided, -1: its points are counted together
  /// with those of the next axis that is.
  llvm::SmallVector<int64_t> tile;
  llvm::SmallVector<OperandBox> boxes;
  int64_t blocks = 0;  ///< of a multiprocessor at least; 0: not said
  bool queue = false;  ///< no more blocks than that run, and walk all tiles
  int64_t cluster = 1; ///< blocks that start together and divide a tile
};

/// An operand of the contraction as it is brought into shared memory: a tile
/// of `rows` x `columns` elements, contiguous along its columns as in memory.
struct TileOperand {
  unsigned position = 0; ///< kernel input
  mlir::AffineMap map;   ///< kernel axes -> dimensions
  mlir::Type element;
  bool reductionInner = false; ///< columns walk the reduction axis
  unsigned rowAxis = 0, columnAxis = 0;
  int64_t rows = 0, columns = 0;
  int64_t run = 1; ///< elements moved at once; of boxes, a row's
  /// Of a ring that producers fill: brought by copies of runs by all of their
  /// threads, else in boxes by one.
  bool copied = false;
  /// Blocks of a cluster that share the tile: each brings as many of its rows
  /// into the memory of all.
  int64_t sharers = 1;
  /// How lanes put fragments together where no instruction loads them as
  /// matrices: those beside each other read rows this far apart, of as many
  /// chunks of the swizzle.
  int64_t rowsOfLane = 1, chunksAtOnce = 1;

  int64_t elementBytes() const { return element.getIntOrFloatBitWidth() / 8; }
  int64_t rowBytes() const { return columns * elementBytes(); }
  int64_t bytes() const { return rows * rowBytes(); }
  /// Boxes of a tile lie one behind the other, each with all of its rows; so
  /// does what is copied in their place.
  int64_t boxRun() const { return kBoxRowBytes / elementBytes(); }
  int64_t boxes() const { return columns / boxRun(); }
  int64_t boxBytes() const { return rows * kBoxRowBytes; }
  /// ldmatrix takes registers as they lie in rows, and transposes elements of
  /// 16 bits.
  bool hasMatrixLoads() const {
    return elementBytes() == 2 || (reductionInner && elementBytes() < 8);
  }
  /// Rows of a box that one block brings.
  int64_t boxRows() const { return rows / sharers; }
};

/// Everything the emitter needs, read from one candidate.
struct ContractionPlan {
  KernelOp kernel;
  CandidateOp candidate;
  mlir::linalg::LinalgOp anchor;
  HwInstructionAttr instruction;
  unsigned m = 0, n = 0, k = 0;
  llvm::SmallVector<unsigned> batch;
  /// Axes whose points are the rows of tiles, m the last; empty: m alone.
  llvm::SmallVector<unsigned> rows;
  /// The left factor is read in windows: reductions that the ring walks around
  /// k, and the one of them that k goes on along in dense memory.
  bool window = false;
  llvm::SmallVector<unsigned> outer;
  std::optional<unsigned> next;
  int64_t blockM = 0, blockN = 0, blockK = 0; ///< tile of a block
  int64_t warpM = 0, warpN = 0;               ///< tile of a warp
  int64_t lanes = kPtxLanes;                  ///< of a warp
  bool unsignedA = false, unsignedB = false;  ///< integers of 8 bits
  bool scalar = false;   ///< no matrix instruction: scalar units
  int64_t unroll = 1;    ///< steps of scalar units between two branches
  bool contract = true;  ///< LLVM may join products of scalar units with sums
  int64_t stages = 0;    ///< tiles in the ring
  int64_t store = 1;     ///< elements stored at once
  int64_t producers = 0; ///< warps that only load, in boxes; 0: all warps do
  bool staged = false;   ///< tiles go through registers to shared memory
  bool turned = false;   ///< rows of the instruction walk columns of the result
  bool queue = false;    ///< blocks walk all tiles
  /// Blocks of a cluster along rows and columns of the result, one of them 1.
  int64_t clusterM = 1, clusterN = 1;
  RoleRegisters registers; ///< where there are producers
  TileOperand a, b;
  /// Kernel input that says how many steps of the reduction a block does, the
  /// first axis being that of the parts; none: all of them.
  std::optional<unsigned> partLength;
  mlir::TypedAttr initial; ///< what accumulators start with; null: the init
  llvm::SmallVector<mlir::linalg::LinalgOp> epilogue;

  /// Warps that multiply. With producers they work in groups on one tile.
  int64_t consumers() const {
    return (blockM / warpM) * (blockN / warpN) *
           (producers ? kWarpsPerGroup : 1);
  }
  llvm::ArrayRef<unsigned> rowAxes() const {
    return rows.empty() ? llvm::ArrayRef<unsigned>(m) : llvm::ArrayRef(rows);
  }
  int64_t cluster() const { return clusterM * clusterN; }
  /// What accumulators are.
  mlir::Type sumType() {
    return getElementTypeOrSelf(anchor->getResult(0).getType());
  }
  int64_t threads() const { return (producers + consumers()) * lanes; }
  int64_t stageBytes() const { return a.bytes() + b.bytes(); }
  /// Bytes of a stage in front of an operand's tile.
  int64_t baseOf(const TileOperand &operand) const {
    return &operand == &b ? a.bytes() : 0;
  }
  /// Of a ring that producers fill: whether their threads copy, bytes that come
  /// in boxes, and who arrives at a full stage: the thread that issues the
  /// boxes, and each that copies.
  bool hasCopies() const { return a.copied || b.copied; }
  int64_t boxedBytes() const {
    return (a.copied ? 0 : a.bytes()) + (b.copied ? 0 : b.bytes());
  }
  int64_t fillers() const {
    return (boxedBytes() ? 1 : 0) + (hasCopies() ? producers * lanes : 0);
  }
  /// Results are stored by bulk copies, in boxes.
  bool storesBoxes() const { return store > kMostRun; }
  /// Where groups write what is stored in boxes, and barriers.
  int64_t storeOffset() const { return stages * stageBytes(); }
  int64_t barrierOffset() const {
    return storeOffset() + (storesBoxes() ? getStoreBytes(consumers()) : 0);
  }
  int64_t sharedBytes() const {
    return barrierOffset() +
           (producers ? stages * kBarriersPerStage * kBarrierBytes : 0);
  }
  LaunchShape launchShape();
};

/// Reads the plan of `candidate` for the target `hw`, whose payload has no
/// condition of a part (removeSplit()). Reports an error at the op that has
/// another form than `vortex-convert-to-nvvm` takes.
mlir::FailureOr<ContractionPlan>
readContractionPlan(CandidateOp candidate, HwAttr hw,
                    std::optional<unsigned> partLength);

/// Whether the outermost level of `candidate` is a grid or queue of blocks.
bool isDeviceCandidate(CandidateOp candidate);

} // namespace vortex

#endif // VORTEX_CONVERSION_VORTEXTOGPU_CONTRACTIONPLAN_H
