//===- CpuConv.h - Convolutions and pooling on a CPU ------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The family of windows that move over an image: what candidates there are
// (CpuConvCandidates.cpp), the tree of each (CpuConvTree.cpp) and what it costs
// (CpuConvCost.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_TRANSFORMS_CPUCONV_H
#define VORTEX_TRANSFORMS_CPUCONV_H

#include "CpuFamily.h"
#include "DotProduct.h"

namespace vortex {

/// How one candidate differs from the others.
struct ConvVariant {
  std::string name;
  MicroKernelAttr micro;
  bool copies;         ///< the image's part of a task
  bool blockK = false; ///< takes one row of the window after the other

  /// Whether its sums lie in matrix tiles.
  bool matrix() const { return micro.getInstruction() == "tile"; }

  /// Columns of a tile.
  int64_t width() const { return micro.getVectors() * micro.getLanes(); }
};

/// Columns of a window that share pixels: of most, with none left over.
inline constexpr int64_t kTaps = 3;

/// Numbers of one candidate.
struct ConvSizes {
  Size m;             ///< pixels that tiles divide: of a row of a task
  Size n, k, batch;   ///< k, batch: products of all of their loops
  Size steps;         ///< runs of the innermost reduction
  Size threads;       ///< that share the problem
  Size images, strip; ///< of a task: images, and rows of each
  Size lanes;         ///< and columns of the result
  Size tasks;         ///< and how many there are
  Real rounds;        ///< of a thread
  Size mr, vectors;   ///< rows and vectors of a register tile
  /// Bytes of the image: all of it, what a task reads, the rows that a window
  /// covers, what a tile reads.
  Size whole, window, reach, tile;
};

class ConvFamily : CpuFamily {
public:
  ConvFamily(KernelOp kernel, mlir::linalg::LinalgOp anchor, HwAttr hw,
             CandidateRules rules, CandidateReport &report)
      : CpuFamily(kernel, anchor, hw, report), rules(rules) {}
  mlir::LogicalResult add();

private:
  /// Coefficients of the loops in an index of the image.
  using Index = llvm::SmallVector<int64_t>;
  static std::optional<llvm::SmallVector<Index>>
  getIndices(mlir::AffineMap map);

  bool findRoles();
  bool findFilter(const ContractionRoles &roles);
  void findTaps();
  void findShared();
  void sinkPad();
  /// Whether pixels in the padding may be left out: they change nothing, or
  /// what they add to sums of offset elements has been summed beforehand.
  bool canLeaveOut() { return neutral && !(dot && hasOffsetRow()); }
  bool leavesOutPixels();
  std::optional<DotMatch> findDotOfWindow();
  bool canGroupFilter(mlir::AffineMap filter);
  HwInstructionAttr findTile();
  /// Steps of a matrix tile, and how many tiles a window takes of one column.
  struct TileSteps {
    int64_t depth, tiles;
  };
  static std::optional<TileSteps> divideRun(HwInstructionAttr tile,
                                            int64_t run);
  int64_t findDepth(HwInstructionAttr tile);
  bool hasKnownSteps();
  bool hasOffsetRow();
  int64_t countRows(int64_t vectors);
  /// As many rows as vectors, so that loads are at most as many as sums.
  bool hasRows(int64_t vectors) { return countRows(vectors) >= vectors; }
  int64_t countNarrowRows(int64_t vectors);
  bool divideChannels(int64_t vectors) { return divideExtent(n, vectors); }
  int64_t findCopied();
  bool canHaveVectors(int64_t vectors);
  struct RegisterRows {
    int64_t vectors, rows;
  };
  llvm::SmallVector<RegisterRows> growTiles();
  bool mayCopy(int64_t vectors);
  void addBlocks(llvm::SmallVectorImpl<ConvVariant> &variants);
  llvm::SmallVector<ConvVariant> enumerate();
  llvm::SmallVector<ConvVariant> enumerateDots();
  llvm::SmallVector<ConvVariant> enumerateMatrixTiles();
  void emitGuard(CandidateOp candidate, const ConvVariant &variant);
  int64_t getImageInput();
  // CpuConvTree.cpp
  /// How rows of the image lie in memory.
  struct Rows {
    Size bytes;     ///< of one
    Size overlap;   ///< rows that a window covers
    int64_t stride; ///< between windows
  };
  /// What a task takes at most.
  struct Room {
    Size strips;         ///< of an image
    Size together;       ///< images
    Size bytes;          ///< of the image without what windows share
    Size groups, filter; ///< tiles of columns; bytes of all of the filter
  };
  /// A way to divide the problem into tasks.
  struct Division {
    Size strip, lanes, tasks, images;
    Size rounds; ///< of a thread that has the most
  };
  ConvSizes makeSizes(const ConvVariant &variant);
  Size countThreads(const ConvVariant &variant, const ConvSizes &s);
  Rows findRows(llvm::ArrayRef<Size> loops);
  Room findRoom(const ConvVariant &variant, const ConvSizes &s,
                const Rows &rows);
  Size countBlocks(const ConvSizes &s, Size images);
  Division divide(const ConvVariant &variant, const ConvSizes &s,
                  const Room &room, int64_t tasksOfThread);
  void shareTasks(const ConvVariant &variant, ConvSizes &s, const Room &room);
  Size bytesOf(llvm::ArrayRef<Size> loops);
  Size extentOf(const Index &index, llvm::ArrayRef<Size> loops);
  bool mergesColumns();
  CandidateOp emitTree(const ConvVariant &variant, const ConvSizes &s);
  // CpuConvCost.cpp
  Real speed(const ConvVariant &variant);
  Real delay();
  Real emitCost(const ConvVariant &variant, const ConvSizes &s);
  Real emitTileTime(const ConvVariant &variant, const ConvSizes &s);
  Real emitMatrixTime(const ConvVariant &variant, const ConvSizes &s);
  Real emitBlockTime(const ConvVariant &variant, const ConvSizes &s);
  Real emitMemoryTime(const ConvSizes &s, Size rowsOfTask);
  Real countTaps(bool alongRows);
  Real countPixels(Size rows);
  Flag hasSplitPixels();

  /// Steps of the innermost reduction that one instruction takes.
  int64_t groupSize() { return dot ? dot->instruction.getK() : 1; }

  CandidateRules rules;
  std::optional<DotMatch> dot; ///< instead of multiply-adds
  HwInstructionAttr tile;      ///< of matrix tiles, where there is one
  int64_t depth = 0;           ///< steps of one, where there is
  // Facts of the problem.
  unsigned image = 0;    ///< the operand read at sums of loops
  int64_t panels = -1;   ///< the input behind the filter of a dense convolution
  int64_t taps = -1;     ///< and of a depthwise one
  unsigned m = 0, n = 0; ///< loops of rows and lanes
  unsigned strip = 0;    ///< loop of the result that tasks take runs of
  /// Loop whose images may share a task: the filter is the same for all of
  /// them, and no window reaches from one into the next.
  std::optional<unsigned> shared;
  llvm::SmallVector<unsigned> k, batch;
  llvm::SmallVector<Index> indices;           ///< of the image
  int64_t bytesA = 4, bytesB = 0, bytesC = 4; ///< image, filter, result
  bool padded = false;                        ///< by the payload
  bool neutral = false; ///< and leaving padding out changes nothing
};

} // namespace vortex

#endif // VORTEX_TRANSFORMS_CPUCONV_H
