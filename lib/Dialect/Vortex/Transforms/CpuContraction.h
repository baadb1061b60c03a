//===- CpuContraction.h - Contractions on a CPU -----------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The family of contractions: what candidates there are (CpuContraction.cpp;
// CpuContractionFew.cpp for few rows, columns or steps), the tree of each
// (CpuContractionTree.cpp) and what it costs (CpuContractionCost.cpp, of few
// rows, columns or steps beside the candidates).
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_TRANSFORMS_CPUCONTRACTION_H
#define VORTEX_TRANSFORMS_CPUCONTRACTION_H

#include "CpuFamily.h"
#include "DotProduct.h"

namespace vortex {

/// How one contraction candidate differs from the others.
struct ContractionVariant {
  std::string name;
  MicroKernelAttr micro;
  bool packA = false;
  bool panelB = false;
  bool bound = false;  ///< the panels of B are made when weights are bound
  bool tiny = false;   ///< no threads, no blocks: fixed cost first
  bool blockK = false; ///< the reduction in blocks, each added to the result
  bool parts = false;  ///< threads have parts of the reduction; tiny besides
  int64_t panels = 1;  ///< of B, which a tile reads side by side
  /// Which problems it is for: those that threads share, or those that one does
  /// alone.
  enum class Share { All, Threads, Alone } share = Share::All;

  bool inner() const { return micro.getLaneAxis() >= 0; }
  /// Few columns, each laid out along the reduction.
  bool narrow() const { return inner() && panelB; }
  /// Panels of B are made by each call.
  bool packsB() const { return panelB && !bound; }
  bool matrix() const { return micro.getInstruction() == "tile"; }
  /// Vectors hold several rows of the result.
  bool strip() const { return micro.getInstruction() == "strip"; }
  /// Goes over all columns for some steps of the reduction at once.
  bool sweep() const { return micro.getInstruction() == "sweep"; }
  /// Goes down all rows with the rows of B in registers.
  bool outer() const { return micro.getInstruction() == "outer"; }
  /// Columns of a tile.
  int64_t width() const {
    return micro.getVectors() * (inner() ? 1 : micro.getLanes());
  }
  /// Columns and vectors of a panel of B.
  int64_t panelWidth() const { return width() / panels; }
  int64_t vectorsOfPanel() const { return micro.getVectors() / panels; }
};

/// Sums that stay in registers.
struct RegisterTile {
  int64_t rows, vectors;
  double ratio; ///< products for each element that a step streams
  std::string name;
  /// A step has more loads than multiply-adds.
  bool loadsMore() const { return rows * vectors < rows + vectors; }
};

/// Most columns and steps of vectors that hold several rows: two of the result
/// at least, and four of A in two vectors. With more steps lanes along the
/// reduction are as good.
inline int64_t mostOfStrip(int64_t lanes) { return lanes / 2; }

/// Vectors of a row of a tile: of more, the registers hold few rows.
inline constexpr int64_t kMostVectors = 4;

/// Rows of A in place are streams of their own: beyond that many packing wins
/// (measured: equal up to 9 rows, 0.75 to 0.9 of packed above).
inline constexpr int64_t kRowStreams = 8;

/// Vectors of the machine's width that tiles of half as wide ones save a
/// noticeable part of (estimate).
inline constexpr int64_t kHalfVectors = 4;

/// Fewest rows that outer products go down: reading the rows of B, and finding
/// the code for them, takes as long as so many rows (estimate).
inline constexpr int64_t kOuterRows = 16;

/// Tiles of the result that feed a thread: with fewer, threads have parts of
/// the reduction (estimate; with two threads, 4 and 8 differ by up to 1.25).
inline constexpr int64_t kTilesOfThread = 8;

/// Numbers of one candidate: extents, and tiles of them.
struct ContractionSizes {
  Size m, n, k, batch; ///< k: the product of all reductions
  Size threads;        ///< that share the problem
  Size mt, nt;         ///< rows and columns of a thread
  Size mc;             ///< rows of a block, whose part of A rests in L2
  Size mr, vectors;    ///< rows and vectors of a register tile
  Size kc;             ///< steps of a block of the reduction, or of a part
  Size blocks, groups; ///< of a thread: of rows, and of rows of a tile in them
  /// Whether a block is a tile high, which goes along the rows of the result
  /// while all panels rest.
  Flag alongRows = {};
};

/// Steps of a reduction whose panel takes 1 / `share` of a level.
int64_t panelSteps(HwLevelAttr level, MicroKernelAttr micro, int64_t bytes,
                   int64_t share);

class ContractionFamily : CpuFamily {
public:
  ContractionFamily(KernelOp kernel, mlir::linalg::LinalgOp anchor,
                    ContractionRoles roles, HwAttr hw, CandidateRules rules,
                    CandidateReport &report)
      : CpuFamily(kernel, anchor, hw, report), roles(roles), rules(rules) {}
  mlir::LogicalResult add();

private:
  using Variants = llvm::SmallVectorImpl<ContractionVariant>;
  llvm::SmallVector<RegisterTile>
  growTiles(llvm::function_ref<int64_t(int64_t)> tallest);
  llvm::SmallVector<ContractionVariant> enumerate();
  void add(ContractionVariant variant, Variants &variants);
  void enumerateMultiplyAdds(const RegisterTile &tile, int64_t streams,
                             bool weight, Variants &variants);
  std::optional<ContractionVariant>
  makePanelsVariant(const ContractionVariant &single);
  void enumerateInner(Variants &variants);
  ContractionVariant makeSweepVariant();
  void enumerateDots(bool weight, Variants &variants);
  void enumerateDots(const RegisterTile &tile, int64_t streams, bool weight,
                     Variants &variants);
  void enumerateMatrixTiles(bool weight, Variants &variants);
  HwInstructionAttr getTile();
  ContractionVariant makeTileVariant(int64_t rows, int64_t columns, bool weight,
                                     bool packA);
  std::optional<ContractionVariant> makeNarrowVariant(bool weight);
  std::optional<ContractionVariant>
  makeHalfVariant(llvm::ArrayRef<ContractionVariant> others, bool weight);
  std::optional<ContractionVariant>
  makeStripVariant(llvm::ArrayRef<ContractionVariant> others, bool weight);
  std::optional<ContractionVariant>
  makeOuterVariant(llvm::ArrayRef<ContractionVariant> others, bool weight);
  bool hasOffsetRow(bool bound, bool blockK);
  std::optional<DotMatch> getDot();
  void emit(const ContractionVariant &variant);
  // CpuContractionTree.cpp
  ContractionSizes makeSizes(const ContractionVariant &variant);
  CandidateOp emitTree(const ContractionVariant &variant,
                       const ContractionSizes &s);
  void emitGuard(CandidateOp candidate, const ContractionVariant &variant);
  Size columnsOfSweep(const ContractionVariant &variant,
                      const ContractionSizes &s);
  Size columnsOfOuter(const ContractionVariant &variant,
                      const ContractionSizes &s);
  Size rowsOfOuter(const ContractionSizes &s);
  /// Its vectors have half as many lanes as the machine's.
  bool isHalf(MicroKernelAttr micro) {
    return micro.getInstruction() == "fma" && micro.getLanes() < lanes;
  }
  bool hasMaskRegisters() { return hw.getFeatures().contains("avx512"); }
  bool packsChunks(const ContractionVariant &variant);
  bool rereadsBlocks(const ContractionVariant &variant);
  bool hasShortBlocks(const ContractionVariant &variant);
  Flag takesShortBlocks(const ContractionVariant &variant,
                        const ContractionSizes &s);
  int64_t getBlockSteps(const ContractionVariant &variant);
  Size columnsOfChunk(const ContractionVariant &variant,
                      const ContractionSizes &s);
  /// Steps of a block that is read in whole rows; 0: none is.
  int64_t getStreams(const ContractionVariant &variant) {
    bool inPlace = variant.blockK && !variant.packA && !variant.panelB;
    return inPlace ? int64_t(hw.getNumber("l2.streams").value_or(0)) : 0;
  }
  Flag isRowWise(const ContractionVariant &variant, const ContractionSizes &s);
  Size takenByRow(Size bytes);
  Flag goesAlongRows(const ContractionVariant &variant,
                     const ContractionSizes &s);
  // CpuContractionCost.cpp
  Real emitCost(const ContractionVariant &variant, const ContractionSizes &c);
  Real emitCostAnywhere(const ContractionVariant &variant,
                        const ContractionSizes &c);
  Real emitStripCost(const ContractionVariant &variant,
                     const ContractionSizes &c);
  Real emitOuterCost(const ContractionVariant &variant,
                     const ContractionSizes &c);
  Real emitSweepCost(const ContractionVariant &variant,
                     const ContractionSizes &c);
  int64_t getInnerInFlight();
  int64_t getInnerUnroll();
  Flag hasSplitRows(bool ofA, int64_t bytes);
  Flag isAcrossLines(const ContractionSizes &c, Real bytesOfC);
  /// Where bytes rest between two uses.
  struct Home {
    Real byteTime; ///< nanoseconds to read one
    Flag cached;   ///< not in memory
    Real beyondL2; ///< the part that L2 does not hold
    Real inMemory; ///< the part of what waits that the last level does not hold
  };
  Real bytesOfAll(const ContractionSizes &c);
  Size columnsOf(const ContractionSizes &c);
  Flag restsInL2(const ContractionVariant &variant, const ContractionSizes &c);
  Home homeInL2();
  Real byteTime(Real bytes);
  Home homeOfBlock(Real bytes);
  Home homeBetweenCalls(Real own, Real all);
  Home homeOfB(const ContractionSizes &c, Real own, Real all);
  Real shareExposed(const Home &home);
  Real emitTileTime(const ContractionVariant &variant, Size rows, Size panels,
                    const ContractionSizes &c, Size parts);
  // CpuContractionWaits.cpp
  /// Nanoseconds that pieces of rows in place wait, by what hides them.
  struct Waits {
    Real shown;    ///< nothing
    Real inCore;   ///< transfers
    Real inStream; ///< arithmetic
  };
  Size groupsBelow(const ContractionSizes &c);
  Waits emitWaits(const ContractionVariant &variant, const ContractionSizes &c,
                  const Home &homeB, Real step);
  Waits emitBlockWaits(const ContractionVariant &variant,
                       const ContractionSizes &c, const Home &homeB, Real step,
                       Flag whole);
  Size strideOfB();
  Real bytesBetweenRows(llvm::StringRef level);
  Real bytesOfRow();
  Real shareTaken(llvm::StringRef level, Size steps, Real pieceBytes);
  Real shareOfSets();
  Real shareUnfollowed(const Home &from);
  Real shareUnfollowedInPlace(const Home &from);
  Real shareScattered(const Home &from);
  Real shareCrowded(Size steps, Real pieceBytes, Real bothBytes,
                    const Home &beyond);
  double pageBytes();
  Real missesOfPieces();
  Real outstanding();
  Real translation();
  Real waitForPiece(const Home &home, bool early, Real lines);
  Real linesInPlace(int64_t bytes);
  Real waitAcrossLines(const ContractionVariant &variant,
                       const ContractionSizes &c, const Home &homeB, Real step);
  Flag readsLinesTwice(const ContractionSizes &c, int64_t bytes);
  double linesOfPiece(int64_t bytes);
  int64_t linesOfStep(int64_t elements);
  bool makesNoOperand();
  std::optional<ContractionVariant>
  makePartsVariant(llvm::ArrayRef<ContractionVariant> others, bool weight);
  Real emitPartsCost(const ContractionSizes &c);
  void addTwins(llvm::SmallVectorImpl<ContractionVariant> &variants);
  ContractionSizes getExtents();
  Size countThreads() { return arith.toSize(arith.param(hw, "threads", 1.0)); }
  Flag isForOneThread(const ContractionSizes &s, MicroKernelAttr micro);
  bool canBlockK();
  HwInstructionAttr instructionOf(MicroKernelAttr micro) {
    return micro.getInstruction() == "tile" ? tile : dot->instruction;
  }
  /// Nanoseconds for a byte at that bandwidth.
  Real perByte(llvm::StringRef bandwidth) {
    return arith.real(1.0) / param(bandwidth);
  }
  /// Peak of the instruction of `micro`, in operations a nanosecond.
  Real rateOf(MicroKernelAttr micro) {
    if (micro.getGroup() > 1)
      return param(instructionOf(micro).getKey() + ".rate");
    if (isHalf(micro))
      return param(fmaKey + ".half");
    return dot && dot->widens ? rate() * kWidened : rate();
  }
  /// Time until it can add to the result of another.
  Real latencyOf(MicroKernelAttr micro) {
    if (micro.getGroup() > 1 && instructionOf(micro).getLatency() != 0)
      return param(instructionOf(micro).getKey() + ".latency");
    return latency();
  }

  ContractionRoles roles;
  CandidateRules rules;
  // Facts of the problem.
  int64_t inputA = 0, inputB = 0; ///< kernel inputs behind the anchor's
  int64_t bytesA = 4, bytesB = 4, bytesC = 4;
  std::optional<DotMatch> dot; ///< instead of multiply-adds
  HwInstructionAttr tile;      ///< the same in matrix tiles; null: none
  bool directA = false; ///< A is indexed by loops alone, so it can be packed
  bool directB = false; ///< B can be packed
  bool rowsOfB = false; ///< B is contiguous along the columns
  bool allInL2 = false; ///< the formula that is written is for restsInL2
  /// Some candidate lays nothing out and may always run.
  bool readsInPlace = false;
  bool inner = false;  ///< both are contiguous along the last reduction
  bool innerA = false; ///< all but B are, which can be laid out so
};

} // namespace vortex

#endif // VORTEX_TRANSFORMS_CPUCONTRACTION_H
