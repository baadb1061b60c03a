//===- CpuContractionTree.cpp - Trees of contractions ---------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CpuContraction.h"

#include "vortex/HwDesc/Targets.h"

using namespace mlir;
using namespace vortex;

/// Tiles under one another of which rows count as few.
static constexpr int64_t kFewTiles = 4;

/// Steps of a reduction whose panel takes 1 / `share` of a level.
int64_t vortex::panelSteps(HwLevelAttr level, MicroKernelAttr micro,
                           int64_t bytes, int64_t share) {
  int64_t row = micro.getVectors() * micro.getLanes() * bytes;
  int64_t steps = level.getCapacity() / share / row;
  int64_t whole = micro.getUnroll() * micro.getGroup();
  return std::max(steps / whole, int64_t(1)) * whole;
}

/// Whether the panels of many columns are packed at once: where columns lie
/// side by side, long pieces of a few rows are streams that prefetchers follow,
/// and what a panel has of each row is not (measured with AVX2 on an EPYC of
/// family 25, 64 bytes of rows of 8 KiB, 16 MB: 3 GB/s panel by panel, 9 so).
/// Where masks have registers of their own, wide pieces are read in place
/// (chunks take 0.94 to 1.15 of the time there, a Xeon of model 207).
bool ContractionFamily::packsChunks(const ContractionVariant &variant) {
  return variant.packsB() && variant.blockK && rowsOfB &&
         variant.micro.getGroup() == 1 && !hasMaskRegisters();
}

/// Most steps in a block: a panel takes a sixteenth of L2, and half of that
/// where many are packed at once (measured with AVX2: half and twice as many
/// steps take 1.02 of the time, four times as many 1.18). In place it fits into
/// L1, beside the next one where many groups of few rows touch that one.
int64_t ContractionFamily::getBlockSteps(const ContractionVariant &variant) {
  if (variant.panelB)
    return panelSteps(hw.getLevel("l2"), variant.micro, bytesB,
                      packsChunks(variant) ? 32 : 16);
  return panelSteps(hw.getLevel("l1"), variant.micro, bytesB,
                    variant.packA ? 1 : 2);
}

/// Columns whose panels are packed at once: a block of them takes half of L2.
Size ContractionFamily::columnsOfChunk(const ContractionVariant &variant,
                                       const ContractionSizes &s) {
  int64_t elements = hw.getLevel("l2").getCapacity() / 2 / bytesB;
  Size panels = arith.size(elements) / (atLeast(s.kc, 1) * variant.width());
  return atLeast(panels, 1) * variant.width();
}

/// Whether B in place, which few rows read once, is read in whole rows, a few
/// side by side: blocks are that short. The sums, read and written for each
/// block, are to move at most half of the bytes that B does. From memory that
/// is to take less than what longer blocks wait for, a page for each piece of a
/// row (measured: 1.3 to 1.5 of their time on an EPYC of family 26, where pages
/// cost next to nothing, 0.77 on one of family 25).
Flag ContractionFamily::isRowWise(const ContractionVariant &variant,
                                  const ContractionSizes &s) {
  int64_t streams = getStreams(variant);
  Real all = bytesOfAll(s);
  double moved = 2.0 * double(variant.width() * bytesC) / double(streams);
  Real sums = arith.real(s.m) * moved * perByte("l2.bandwidth");
  return (s.m * (4 * bytesC) <= arith.size(streams * bytesB)) &
         (homeOfB(s, all, all).cached |
          (sums < translation() * missesOfPieces()));
}

/// When the candidate may run, if not always.
void ContractionFamily::emitGuard(CandidateOp candidate,
                                  const ContractionVariant &variant) {
  OpBuilder::InsertionGuard guard(b);
  Block &block = kernel.getCandidates().front();
  auto extent = [&](unsigned loop) {
    return arith.size(block.getArgument(loop));
  };
  std::optional<Flag> holds;
  auto require = [&](function_ref<Flag()> condition) {
    if (!holds)
      b.createBlock(&candidate.getGuard());
    Flag flag = condition();
    holds = holds ? *holds & flag : flag;
  };
  // Sweeps are for few rows. Other blocks of the reduction pay once a whole
  // panel crowds the rows of A out of L2 (measured: nothing to win up to half
  // of it), and once there is more than one where B is read in place or in long
  // pieces or where products are so fast that reading panels again for each
  // block of rows shows (matrix tiles: 0.86 of the time at 480 x 768 x 3072,
  // 0.79 at 512 x 4096 x 4096, a Xeon of model 207).
  if (variant.sweep())
    require(
        [&] { return extent(roles.m) <= arith.size(variant.micro.getRows()); });
  else if (variant.blockK)
    require([&] {
      bool crowds =
          variant.panelB && !packsChunks(variant) && !variant.matrix();
      int64_t least =
          crowds ? panelSteps(hw.getLevel("l2"), variant.micro, bytesB, 2)
                 : getBlockSteps(variant);
      return arith.compare(arith::CmpIPredicate::ugt, extent(roles.k.front()),
                           arith.size(least));
    });
  // More columns have tiles of vectors of them, and a weight is not laid out a
  // second time.
  if (variant.narrow())
    require([&] {
      return arith.compare(arith::CmpIPredicate::ult, extent(roles.n),
                           arith.size(variant.micro.getLanes()));
    });
  // Others compute as few lanes for nothing, or are as good.
  if (isHalf(variant.micro))
    require([&] {
      Size last = (extent(roles.n) + arith.size(lanes - 1)) % arith.size(lanes);
      return (extent(roles.n) <= arith.size(kHalfVectors * lanes)) &
             arith.compare(arith::CmpIPredicate::ult, last,
                           arith.size(lanes / 2));
    });
  // Vectors hold several rows.
  if (variant.strip())
    require([&] {
      Size most = arith.size(mostOfStrip(lanes));
      return (extent(roles.n) <= most) & (extent(roles.k.front()) <= most);
    });
  // There is code for so many steps.
  if (variant.outer())
    require([&] {
      return extent(roles.k.front()) <= arith.size(variant.micro.getUnroll());
    });
  // Tiles in place are whole: there are rows for one.
  if (variant.matrix() && !variant.packA)
    require([&] {
      return arith.compare(
          arith::CmpIPredicate::uge, extent(roles.m),
          arith.size(std::min(tile.getM(), variant.micro.getRows())));
    });
  // Tiles of fewer rows than the instruction's are for as many.
  if (variant.matrix() && variant.micro.getRows() < tile.getM())
    require(
        [&] { return extent(roles.m) <= arith.size(variant.micro.getRows()); });
  using Share = ContractionVariant::Share;
  if (variant.share != Share::All)
    require([&] {
      Flag alone = isForOneThread(getExtents(), variant.micro);
      return variant.share == Share::Alone ? alone : !alone;
    });
  // The tiles of the result are too few for several threads, and the steps more
  // than it takes to add the parts (estimates).
  if (variant.parts)
    require([&] {
      Size threads = countThreads();
      Size tiles =
          ceilDiv(extent(roles.m), arith.size(variant.micro.getRows())) *
          ceilDiv(extent(roles.n), arith.size(variant.width()));
      return (arith.size(1) < threads) & (tiles < threads * kTilesOfThread) &
             (extent(roles.m) * 4 < extent(roles.k.front()));
    });
  // What one tile alone reads is not laid out for it where the same tiles can
  // read it in place, nor touched early where there is no next panel: then
  // these costs need not be known.
  // Pairs that are widened are multiplied and added, as in place.
  bool widens = variant.micro.getGroup() > 1 && dot && dot->widens;
  bool tiles = variant.micro.getGroup() == 1 && !variant.inner() &&
               !variant.strip() && !variant.outer() && !variant.matrix();
  bool lays = (tiles && variant.bound && !variant.blockK) ||
              ((tiles || widens) && readsInPlace);
  bool early = tiles && variant.bound && !variant.blockK &&
               variant.micro.getPrefetch() != 0;
  if (lays && variant.packsB())
    require([&] {
      return arith.compare(arith::CmpIPredicate::ugt, extent(roles.m),
                           arith.size(variant.micro.getRows()));
    });
  else if ((lays && variant.packA) || early)
    require([&] {
      return arith.compare(arith::CmpIPredicate::ugt, extent(roles.n),
                           arith.size(variant.width()));
    });
  if (holds)
    YieldOp::create(b, kernel.getLoc(), holds->value);
}

/// Columns of a sweep: the rows of the result below them take half of L1.
Size ContractionFamily::columnsOfSweep(const ContractionVariant &variant,
                                       const ContractionSizes &s) {
  int64_t width = variant.width();
  int64_t all = hw.getLevel("l1").getCapacity() / 2 / bytesC;
  return atLeast(arith.size(all) / (atLeast(s.mt, 1) * width), 1) * width;
}

/// Columns of outer products: of more than half of the steps the registers hold
/// the rows of B of half as many.
Size ContractionFamily::columnsOfOuter(const ContractionVariant &variant,
                                       const ContractionSizes &s) {
  int64_t width = variant.width(), half = variant.micro.getUnroll() / 2;
  return arith.select(s.k <= arith.size(half), arith.size(width),
                      arith.size(width / 2));
}

/// Rows that outer products go down before the next panel: the result of all
/// panels, whose lines two of them share, takes three quarters of L1 (against
/// half of L2 0.77 to 0.99 of the time with rows of 260 to 800 bytes, 1.02 to
/// 1.09 with some of 800 and 880 whose result L2 holds: a Xeon of model 207).
/// Rows so far apart that each is a stream of its own are no more than
/// prefetchers follow (measured on an EPYC of family 25 with results out of L2,
/// against half of L2: rows of 1000 bytes 0.32 to 0.85 of the time, of 1200
/// 0.71, of 8 KB and more 0.46; of 400 bytes 1.1, as finding the code of a
/// panel takes longer than a few rows).
Size ContractionFamily::rowsOfOuter(const ContractionSizes &s) {
  HwLevelAttr l1 = hw.getLevel("l1");
  int64_t bytes = l1 ? l1.getCapacity() * 3 / 4 : 24 << 10;
  Size rows =
      atLeast(arith.size(bytes / bytesC) / atLeast(s.nt, 1), kOuterRows);
  int64_t streams = hw.getNumber("l2.streams").value_or(0);
  if (!streams)
    return rows;
  // From not quite a quarter of a page on (measured with rows of 400 to 1200
  // bytes: 800 is as good either way).
  HwLevelAttr device = hw.getLevel("device");
  int64_t line = hw.getLineBytes();
  int64_t far = std::max((device ? device.getAlignment() : 0) / 4 - line, line);
  Flag apart = arith.size(far / bytesC) <= s.n;
  return arith.select(apart, arith.size(streams), rows);
}

/// Whether each block of rows, which rest in L2, reads the panels again.
static bool hasBlocksOfRows(const ContractionVariant &variant) {
  return variant.panelB && !variant.narrow() && !variant.strip() &&
         !variant.outer() && !variant.tiny;
}

/// Bytes of L2 that so many of a row of B in place keep others out of: rows a
/// power of two apart leave sets to what lies between them.
Size ContractionFamily::takenByRow(Size bytes) {
  HwLevelAttr l2 = hw.getLevel("l2");
  if (l2.getWays() == 0)
    return bytes;
  Size way = arith.size(l2.getCapacity() / l2.getWays());
  return max(bytes, min(lowestBit(strideOfB()), way));
}

/// Whether tiles may go along the rows of the result while B rests, instead of
/// a panel staying for a block of rows, as the sizes decide.
static bool mayGoAlongRows(const ContractionVariant &variant) {
  return !variant.packsB() && (!variant.inner() || variant.narrow()) &&
         !variant.strip() && !variant.outer() && !variant.sweep() &&
         !variant.matrix() && !variant.tiny;
}

/// Whether tiles always do: those of small problems, whose operands rest in L1.
/// To decide takes 4 to 8 ns. Less than four rows are not worth reading B for
/// where it does not rest there after all (measured with AVX2, two rows: 1.07
/// to 1.4 of the time).
static bool alwaysGoesAlongRows(const ContractionVariant &variant) {
  return variant.tiny && !variant.inner() && !variant.strip() &&
         variant.micro.getRows() >= 4;
}

/// Of a panel that is read out of L2 for each tile, the bytes that a row is
/// worth by not being visited again for the next panel (measured, see below).
static constexpr int64_t kPanelBytesForRow = 8192;

/// Whether blocks of B in place may be shorter beside few packed rows. Measured
/// with multiply-adds where vectors wait across lines.
bool ContractionFamily::hasShortBlocks(const ContractionVariant &variant) {
  return variant.blockK && variant.packA && !variant.panelB && rowsOfB &&
         variant.micro.getGroup() == 1 && waitsAcrossLines(hw);
}

/// Whether they are. Lines of the result that two threads write go to and fro
/// for each block (24 x 1500 x 3000: 1.15 of the time).
Flag ContractionFamily::takesShortBlocks(const ContractionVariant &variant,
                                         const ContractionSizes &s) {
  if (!hasShortBlocks(variant))
    return arith.flag(false);
  Size line = arith.size(std::max<int64_t>(hw.getLineBytes() / bytesC, 1));
  Flag apart = s.n % line <= arith.size(0);
  return (s.m <= arith.size(kFewTiles * variant.micro.getRows())) &
         (apart | (countThreads() <= arith.size(1)));
}

/// Whether tiles that may do so: B rests in L2. A tile then follows the one to
/// its left, in the same rows of the result; under one another they would touch
/// a page for each row, again for each panel (measured on a Xeon of model 207,
/// 400 and 3000 rows, 64 to 4000 columns, 8 to 2048 steps: 0.24 to 0.98 of the
/// time, where the result is larger than L2 and steps are few the least). What
/// is read again for each tile is a panel instead of its rows:
/// - Rows that are packed are so for each tile, and read out of L1 (0.92 to
///   0.98 with any number of steps).
/// - Panels beside rows in place have fewer rows to be read for. 8 KiB for each
///   is what the visits to it are worth, of which few panels have few, and
///   closer together (1.04 to 1.1 with 64 and 96 columns and 192 to 256 steps).
///   A panel that L1 does not hold comes from L2 anyway.
/// - Pieces of rows of B that do not start at lines take one more each. From L1
///   that does not show; from L2 it is worth it for results that do not rest
///   there, too (500 columns: 1.04 to 1.13 below, 0.85 to 0.95 above).
/// Neither matters where B rests in L1 (0.6 to 0.7 with 3 and 4 steps).
Flag ContractionFamily::goesAlongRows(const ContractionVariant &variant,
                                      const ContractionSizes &s) {
  if (!mayGoAlongRows(variant) || !hw.getLevel("l1") || !hw.getLevel("l2"))
    return arith.flag(alwaysGoesAlongRows(variant));
  HwLevelAttr level = hw.getLevel("l2");
  Size l1 = arith.size(hw.getLevel("l1").getCapacity());
  Size l2 = arith.size(level.getCapacity()), two = arith.size(2);
  bool inPlace = !variant.panelB && rowsOfB;
  Size rowOfB = s.nt * bytesB;
  Size all = (inPlace ? takenByRow(rowOfB) : rowOfB) * s.kc;
  Flag rests = all <= l2 / two, near = all <= l1 / two;
  // Columns along the reduction are read again for each few rows.
  if (variant.narrow())
    return near;
  if (variant.panelB && !variant.packA) {
    Size panel = s.kc * (variant.width() * bytesB);
    Size panels = ceilDiv(s.nt, arith.size(variant.width()));
    Size others = panels - arith.size(1);
    Size worth =
        others * others * (kPanelBytesForRow * variant.micro.getRows());
    return rests & (near | (l1 <= panel) | (panels * panels * panel <= worth));
  }
  if (!inPlace)
    return rests;
  // Short blocks of few packed rows rest in L1 (see makeSizes).
  if (hasShortBlocks(variant))
    rests = rests & !takesShortBlocks(variant, s);
  Flag split = hasSplitRows(/*ofA=*/false, hw.getLineBytes());
  return rests & (near | !split | (l2 <= s.mt * s.nt * bytesC));
}

/// The problem, with nothing split yet.
ContractionSizes ContractionFamily::getExtents() {
  Size one = arith.size(1);
  ContractionSizes s{axis(roles.m), axis(roles.n), one, one, one, one, one,
                     one,           one,           one, one, one, one};
  for (unsigned loop : roles.k)
    s.k = s.k * axis(loop);
  for (unsigned loop : roles.batch)
    s.batch = s.batch * axis(loop);
  return s;
}

/// Threads pay from the work that outweighs waking them: products, or, of few
/// rows, reading the columns.
Flag ContractionFamily::isForOneThread(const ContractionSizes &s,
                                       MicroKernelAttr micro) {
  Real products =
      arith.real(s.m * s.n * s.k * s.batch) * (arith.real(2.0) / rateOf(micro));
  Real bytes = (arith.real(s.m * s.k) * double(bytesA) +
                arith.real(s.n * s.k) * double(bytesB)) *
               arith.real(s.batch);
  Real most = param("core.startup") * kThreadStartups;
  return (products < most) & (bytes * byteTime(bytes) < most);
}

/// Rows are split evenly over row groups and blocks, so that all tiles of a
/// block have one of two heights.
ContractionSizes
ContractionFamily::makeSizes(const ContractionVariant &variant) {
  MicroKernelAttr micro = variant.micro;
  int64_t width = variant.width();
  Size one = arith.size(1);
  ContractionSizes s = getExtents();
  s.vectors = arith.size(micro.getVectors());
  s.kc = s.k;
  if (variant.blockK && !variant.sweep()) {
    // Blocks of one size, in whole steps of the unrolled loop. In place they
    // take a quarter of L2 at most, which shows where rows are a power of two
    // apart (measured on a Xeon of model 207, 16 to 128 rows, 1024 to 4096
    // columns: 0.54 to 0.86 of the time of three quarters and more; a half 0.74
    // to 0.88, an eighth 0.51 to 0.94).
    Size most = arith.size(getBlockSteps(variant));
    if (HwLevelAttr l2 = hw.getLevel("l2");
        l2 && variant.packA && !variant.panelB && rowsOfB)
      most = min(most, arith.size(l2.getCapacity() / 4) /
                           takenByRow(arith.size(variant.width() * bytesB)));
    // Few rows move few sums for each block more: a quarter of L1 leaves room
    // for what else passes through it (16 to 64 rows by 8 to 28 MB 0.80 to 1.02
    // of the time, 128 and 1000 rows 1.05 to 1.25: f32, a Xeon of model 207).
    if (hasShortBlocks(variant))
      most = arith.select(
          takesShortBlocks(variant, s),
          min(most, arith.size(panelSteps(hw.getLevel("l1"), micro, bytesB,
                                          /*share=*/4))),
          most);
    if (int64_t streams = getStreams(variant))
      most = arith.select(isRowWise(variant, s), arith.size(streams), most);
    Size blocks = atLeast(ceilDiv(s.k, most), 1);
    Size unroll = arith.size(micro.getUnroll() * micro.getGroup());
    s.kc = atLeast(ceilDiv(ceilDiv(s.k, blocks), unroll), 1) * unroll;
  }
  // Threads have whole panels, also of tiles that read several.
  int64_t panelWidth = variant.panelWidth();
  Size panels = ceilDiv(s.n, arith.size(panelWidth));
  Flag small = isForOneThread(s, micro);
  Size all = countThreads();
  if (variant.parts) {
    // Of lines of a row of A.
    int64_t unit = std::max<int64_t>(hw.getLineBytes() / bytesA, 1);
    s.kc =
        atLeast(ceilDiv(ceilDiv(s.k, atLeast(all, 1)), arith.size(unit)), 1) *
        unit;
    s.k = min(s.k, s.kc);
  }
  // Small problems are shared by whole elements of a batch alone.
  bool shared = !variant.tiny || variant.parts || !roles.batch.empty();
  s.threads = shared ? arith.select(small, arith.size(1), all) : arith.size(1);
  // A batch that feeds all threads is split by itself.
  Size share = variant.tiny ? arith.size(1)
                            : arith.select(s.batch >= s.threads, arith.size(1),
                                           s.threads);
  Size r = arith.size(micro.getRows());
  Flag byRows =
      (panels * 4 <= s.m & r * 4 <= s.m) | (panels < share * 4 & r * 2 <= s.m);
  // Threads that share columns write one line of each row both where rows end
  // within lines, which takes 150 ns (measured with outer products, 27 and 40
  // rows of 721 columns), and tiles of half as many rows read all of B no
  // slower where L2 has it.
  if (variant.outer())
    byRows = byRows | (r * share <= s.m);
  else if (HwLevelAttr level = hw.getLevel("l2");
           level && !variant.matrix() && !variant.tiny)
    byRows =
        byRows | ((r * 2 <= s.m) & (r * share <= s.m) &
                  (s.n * s.k * bytesB <= arith.size(level.getCapacity() / 4)));
  s.mt = atLeast(arith.select(byRows, ceilDiv(s.m, share), s.m), 1);
  if (variant.matrix())
    s.mt = ceilDiv(s.mt, r) * r;
  s.nt = atLeast(arith.select(byRows, s.n, ceilDiv(panels, share) * panelWidth),
                 1);
  if (variant.packA || hasBlocksOfRows(variant)) {
    // Half of L2 holds the block of A that all panels read. Panels that each
    // block packs again are in L2 themselves, and packed A comes from a
    // thread's part of a quarter of the last level; so it does in place where
    // blocks have the whole reduction.
    int64_t half =
        hw.getLevel("l2") ? hw.getLevel("l2").getCapacity() / 2 : 1 << 19;
    Size budget = arith.size(half / bytesA);
    bool near = packsChunks(variant) && !variant.packA;
    if (variant.packsB() && !near && hw.getLevel("l3"))
      budget = max(arith.size(hw.getLevel("l3").getCapacity() / 4 / bytesA) /
                       s.threads,
                   budget);
    Size most = budget / atLeast(s.kc, 1);
    most = max(most / r * r, r * 2);
    s.blocks = atLeast(ceilDiv(s.mt, most), 1);
    s.mc = atLeast(ceilDiv(s.mt, s.blocks), 1);
    if (variant.matrix())
      s.mc = ceilDiv(s.mc, r) * r;
    if (!variant.packA && !variant.packsB()) {
      // In place, blocks pay when reading all of A again for each panel
      // would cost more than reading B again for each block.
      Real rowsAgain = arith.real(ceilDiv(s.nt, arith.size(width)) * s.mt) *
                       double(bytesA) *
                       byteTime(arith.real(s.mt * s.k) * double(bytesA));
      Real panelsAgain = arith.real(s.blocks * s.nt) * double(bytesB) *
                         byteTime(arith.real(s.nt * s.k) * double(bytesB));
      Flag whole = rowsAgain < panelsAgain;
      s.mc = arith.select(whole, s.mt, s.mc);
      s.blocks = arith.select(whole, one, s.blocks);
    }
  } else if (variant.outer()) {
    s.blocks = ceilDiv(s.mt, rowsOfOuter(s));
    s.mc = atLeast(ceilDiv(s.mt, atLeast(s.blocks, 1)), 1);
  } else {
    s.mc = s.mt;
  }
  // Along rows, groups are those of all rows, and then blocks of their own.
  s.alongRows = goesAlongRows(variant, s);
  s.mc = arith.select(s.alongRows, s.mt, s.mc);
  s.blocks = arith.select(s.alongRows, one, s.blocks);
  Size groups = ceilDiv(s.mc, r);
  if (micro.getNarrowRows()) {
    // Fewer vectors leave registers for more rows; of each number of vectors
    // the height is a constant, by which a machine divides in a few cycles.
    int64_t sums = micro.getRows() * micro.getVectors();
    auto groupsOf = [&](int64_t vectors) {
      int64_t taken = variant.inner() ? llvm::bit_ceil(uint64_t(vectors))
                                      : uint64_t(vectors);
      return ceilDiv(s.mc, arith.size(std::min<int64_t>(
                               sums / taken, micro.getNarrowRows())));
    };
    s.vectors = atLeast(
        ceilDiv(atMost(s.n, width), arith.size(width / micro.getVectors())), 1);
    groups = groupsOf(micro.getVectors());
    for (int64_t fewer = micro.getVectors() - 1; fewer > 0; --fewer)
      groups =
          arith.select(s.vectors <= arith.size(fewer), groupsOf(fewer), groups);
  }
  groups = atLeast(groups, 1);
  s.mr = variant.matrix() ? r : atLeast(ceilDiv(s.mc, groups), 1);
  s.groups = s.blocks * groups;
  s.mc = arith.select(s.alongRows, s.mr, s.mc);
  s.blocks = arith.select(s.alongRows, s.groups, s.blocks);
  return s;
}

CandidateOp ContractionFamily::emitTree(const ContractionVariant &variant,
                                        const ContractionSizes &s) {
  Location loc = kernel.getLoc();
  MicroKernelAttr micro = variant.micro;
  int64_t width = variant.width();
  Value panelWidth = arith.size(width).value;
  Value columns = variant.sweep()   ? columnsOfSweep(variant, s).value
                  : variant.outer() ? columnsOfOuter(variant, s).value
                                    : panelWidth;
  Value one = arith.size(1).value;
  Value chunk =
      packsChunks(variant) ? columnsOfChunk(variant, s).value : Value();
  // Elementwise ops over a finished result: memory decides, and half of the
  // registers are for what they compute on the way.
  int64_t highest = std::clamp<int64_t>(
      hw.getVectorRegisters() / 2 / micro.getVectors(), 1, 4);
  Value finishRows = variant.blockK ? arith.size(highest).value : Value();
  auto candidate = CandidateOp::create(b, loc, variant.name);
  emitGuard(candidate, variant);

  b.createBlock(&candidate.getSchedule());
  auto level = [&](StringRef name, LoopKind kind, ArrayRef<int64_t> axes,
                   ArrayRef<AxisClass> classes, ArrayRef<Value> tileSizes,
                   ArrayRef<Attribute> loads, ArrayRef<Value> loadSizes) {
    auto op = LevelOp::create(b, loc, name, kind, axes, classes, tileSizes,
                              loads, loadSizes);
    b.setInsertionPointToStart(&op.getBody().front());
    return op;
  };
  auto load = [&](int64_t input, LayoutKind layout, unsigned loop,
                  bool bound) -> Attribute {
    // A row of a matrix tile holds as many steps as one instruction takes.
    return LoadAttr::get(b.getContext(), input, layout, loop,
                         /*together=*/false, bound,
                         layout == LayoutKind::Tile
                             ? micro.getGroup() * micro.getUnroll()
                             : micro.getGroup());
  };
  SmallVector<Attribute> panel;
  SmallVector<Value> panelSize;
  if (variant.panelB) {
    panel.push_back(load(inputB, LayoutKind::Panel, roles.n, variant.bound));
    panelSize.push_back(
        variant.narrow() ? one : arith.size(variant.panelWidth()).value);
  }
  if (variant.bound)
    level("device", LoopKind::Sequential, {}, {}, {}, panel, panelSize);
  auto [before, inner, behind] = splitPayload(variant.blockK || variant.parts);
  auto stage = [&](ArrayRef<StringRef> ids, MicroKernelAttr spec) {
    StageOp::create(b, loc, b.getStrArrayAttr(ids), spec, StringAttr());
  };
  SmallVector<int64_t> axes;
  SmallVector<AxisClass> classes;
  SmallVector<Value> tileSizes;
  for (unsigned loop : roles.batch) {
    axes.push_back(loop);
    classes.push_back(variant.tiny ? AxisClass::TSL : AxisClass::PL);
    tileSizes.push_back(one);
  }
  if (variant.parts) {
    // What starts the result is not in the parts, which are added to it.
    if (!before.empty())
      stage(before, MicroKernelAttr());
    LevelOp parts = level("core", LoopKind::Forall, {roles.k.front()},
                          {AxisClass::PL}, {s.kc.value}, {}, {});
    parts.setCombine("add");
  } else if (variant.tiny) {
    // A thread takes one run of the batch, without a call for each element.
    if (!axes.empty()) {
      unsigned first = roles.batch.front();
      Size run = atLeast(ceilDiv(axis(first), s.threads), 1);
      level("core", LoopKind::Forall, {first}, {AxisClass::PL}, {run.value}, {},
            {});
      level("l2", LoopKind::Sequential, axes, classes, tileSizes, {}, {});
    }
  } else {
    axes.append({roles.m, roles.n});
    classes.append({AxisClass::PL, AxisClass::PL});
    tileSizes.append({s.mt.value, s.nt.value});
    level("core", LoopKind::Forall, axes, classes, tileSizes, {}, {});
  }
  if (!variant.parts && !before.empty())
    stage(before, MicroKernelAttr());
  LevelOp outermost;
  if (variant.blockK)
    outermost = level("l2", LoopKind::Sequential, {roles.k.front()},
                      {AxisClass::TRL}, {s.kc.value}, {}, {});
  if (variant.packA)
    level("l2", LoopKind::Sequential, {roles.m}, {AxisClass::TSL}, {s.mc.value},
          {load(inputA, variant.matrix() ? LayoutKind::Tile : LayoutKind::Pack,
                roles.m, false)},
          {s.mr.value});
  else if (hasBlocksOfRows(variant) || mayGoAlongRows(variant) ||
           variant.outer())
    level("l2", LoopKind::Sequential, {roles.m}, {AxisClass::TSL}, {s.mc.value},
          {}, {});
  // Packed where its tiles begin, a panel goes from one cache to the next.
  if (chunk)
    level("l2", LoopKind::Sequential, {roles.n}, {AxisClass::TSL}, {chunk},
          panel, panelSize);
  bool alone = variant.packsB() && !chunk;
  ArrayRef<Attribute> ownPanel = alone ? panel : ArrayRef<Attribute>();
  ArrayRef<Value> ownSize = alone ? panelSize : ArrayRef<Value>();
  // A strip goes through all rows itself, a sweep and outer products too.
  if (variant.strip() || variant.sweep() || variant.outer()) {
    level("l1", LoopKind::Sequential, {roles.n}, {AxisClass::TSL}, {columns},
          ownPanel, ownSize);
  } else if (alwaysGoesAlongRows(variant)) {
    level("l1", LoopKind::Sequential, {roles.m}, {AxisClass::TSL}, {s.mr.value},
          {}, {});
    level("register", LoopKind::Sequential, {roles.n}, {AxisClass::TSL},
          {columns}, {}, {});
  } else {
    level("l1", LoopKind::Sequential, {roles.n}, {AxisClass::TSL}, {columns},
          ownPanel, ownSize);
    level("register", LoopKind::Sequential, {roles.m}, {AxisClass::TSL},
          {s.mr.value}, {}, {});
  }
  stage(inner, micro);
  if (!behind.empty()) {
    b.setInsertionPointAfter(outermost);
    level("register", LoopKind::Sequential, {roles.m, roles.n},
          {AxisClass::TSL, AxisClass::TSL}, {finishRows, panelWidth}, {}, {});
    stage(behind, MicroKernelAttr::get(b.getContext(), "fma", highest,
                                       micro.getVectors(), micro.getLanes(),
                                       /*unroll=*/1, /*prefetch=*/0,
                                       /*narrow_rows=*/0, /*scheduler=*/false,
                                       /*lane_axis=*/-1, /*in_flight=*/0));
  }
  return candidate;
}
