//===- CpuContractionCost.cpp - What contractions cost --------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Costs (nanoseconds) follow the roofline of each level: a register tile of r
// rows and v vectors takes max(r v / 2, latency, (r + v) / 2) cycles a
// reduction step on a core with two multiply-add and two load ports; operands
// come once from the level that holds all of them, A again for each panel and B
// again for each block of rows from the level that holds that block. Time in
// the core and time on memory overlap by what prefetching hides.
//
//===----------------------------------------------------------------------===//

#include "CpuContraction.h"

#include "vortex/HwDesc/Targets.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace vortex;

/// Nanoseconds that matrix tiles take for `rows` of a thread: a product a tile
/// of rows, of columns and of steps; sums of few tiles wait for each other.
/// Tiles of A come from L2 for each panel, those of B too but for what rests in
/// L1: all where it holds a panel beside a group of rows, else half of L1 where
/// groups turn; where there is one group the other way round. Loads and
/// products hide half of each other (measured on a Xeon of model 207: 2 x 2
/// tiles 44.7 ns a step with and 50 without turns, one tile of rows 33,
/// products being 28.6 and 14.3, loads 28, 32 and 24). Behind each block of the
/// reduction all sums go to memory and on from there.
Real ContractionFamily::emitTileTime(const ContractionVariant &variant,
                                     Size rows, Size panels,
                                     const ContractionSizes &c, Size parts) {
  MicroKernelAttr micro = variant.micro;
  int64_t height = std::min(tile.getM(), micro.getRows());
  int64_t high = micro.getRows() / height, across = micro.getVectors();
  // A tile of B takes half of a product's time to enter the unit (measured:
  // tiles of 8 rows and of 1 take 0.62 and 0.57 of those of 16).
  double share = std::max(double(height) / double(tile.getM()), 0.55);
  Real product = arith.real(2.0 * share * double(tile.getM()) *
                            double(tile.getN()) * double(tile.getK())) /
                 rateOf(micro);
  double bytes = double(tile.getN() * tile.getK() * bytesB);
  Real one = arith.real(1.0);
  Real panel = arith.real(c.kc) * double(variant.width() * bytesB);
  Real group = arith.real(c.kc) * double(micro.getRows() * bytesA);
  // What of an operand that is read again L1 still has.
  auto restOf = [&](Real bytes) {
    return arith.select(group + panel <= param("l1.capacity"), one,
                        micro.getTurns()
                            ? min(param("l1.capacity") * 0.5 / bytes, one)
                            : arith.real(0.0));
  };
  Real inner = perByte("l1.bandwidth"), outer = perByte("l2.bandwidth");
  auto mix = [&](Real rest) { return rest * inner + (one - rest) * outer; };
  // Each group reads the panel again; one alone is read again for each panel.
  Flag single = rows <= arith.size(micro.getRows());
  Real fromA = arith.select(single, mix(restOf(group)), outer);
  Real fromB = arith.select(single, outer, mix(restOf(panel)));
  // Rows that start elsewhere than lines do have two lines a step, of which the
  // step before read one.
  if (!variant.packA)
    fromA = fromA + arith.select(hasSplitRows(/*ofA=*/true, hw.getLineBytes()),
                                 inner, arith.real(0.0));
  double heightOfA = double(height) / double(tile.getM());
  // Sums wait for the row before, as long as a whole tile takes.
  Real latency = latencyOf(micro) * share;
  auto stepOf = [&](Real tiles) {
    Real loads = (tiles * fromA * heightOfA + fromB * double(across)) * bytes;
    Real products = max(tiles * double(across) * product, latency);
    return max(products, loads) + min(products, loads) * 0.5;
  };
  Size tiles = ceilDiv(rows, arith.size(height));
  Size last = tiles % arith.size(high);
  Real steps = arith.real(ceilDiv(c.k, arith.size(tile.getK())));
  Real step =
      arith.real(tiles / arith.size(high)) * stepOf(arith.real(double(high))) +
      arith.select(arith.size(0) < last, stepOf(arith.real(last)),
                   arith.real(0.0));
  // Stored, read as rows and written again.
  Real sums = arith.real(rows) * (3.0 * double(variant.width() * bytesC)) /
              param("l1.bandwidth");
  Real fill =
      arith.real(ceilDiv(tiles, arith.size(high))) * param("register.startup");
  return arith.real(panels) *
         (steps * step + arith.real(parts) * (fill + sums));
}

/// Whether a call's operands take a quarter of L2 at most, so that they rest
/// there in any order, rows of B that share sets included: then no other level
/// matters, and what each candidate costs is told by less arithmetic.
Flag ContractionFamily::restsInL2(const ContractionVariant &variant,
                                  const ContractionSizes &c) {
  ContractionSizes whole = getExtents();
  // Matrix tiles count as high as they are.
  if (variant.matrix())
    whole.m = max(whole.m, c.mt);
  Real bytes = bytesOfAll(whole);
  if (rowsOfB && !(variant.panelB && isWeight(kernel.getInputs()[inputB])))
    bytes = bytes + arith.real(whole.k * whole.batch) *
                        max(bytesBetweenRows("l2"), bytesOfRow());
  return bytes <= param("l2.capacity") * 0.25;
}

ContractionFamily::Home ContractionFamily::homeInL2() {
  return {perByte("l2.stream"), arith.flag(true), arith.real(0.0),
          arith.real(0.0)};
}

Real ContractionFamily::byteTime(Real bytes) {
  return allInL2 ? perByte("l2.stream") : CpuFamily::byteTime(bytes);
}

/// Whether blocks of B in place come again for each few rows in place, on
/// machines that wait for them (`waitsAcrossLines`).
bool ContractionFamily::rereadsBlocks(const ContractionVariant &variant) {
  return variant.blockK && !variant.packA && !variant.panelB &&
         waitsAcrossLines(hw);
}

/// What shows of a panel beside the shorter of its first rows' arithmetic and
/// its transfer, as a share of that.
Real ContractionFamily::shareExposed(const Home &home) {
  auto shareOf = [&](StringRef level) {
    std::string key = level.str() + ".exposed";
    return hw.getNumber(key).value_or(0) > 0 ? param(key) : arith.real(0.0);
  };
  return arith.select(home.cached, shareOf("l3"), shareOf("device"));
}

/// Where a panel rests that is read again and again within a call.
ContractionFamily::Home ContractionFamily::homeOfBlock(Real bytes) {
  if (allInL2)
    return homeInL2();
  Flag fitsL2 = bytes <= param("l2.capacity") * 0.5;
  Flag cached = fitsCache(bytes);
  return {byteTime(bytes), cached,
          arith.select(fitsL2, arith.real(0.0), arith.real(1.0)),
          arith.select(cached, arith.real(0.0), arith.real(1.0))};
}

/// Where what a call reads rests from the call before: a core's part in its L2,
/// all of it until it is larger, and none from twice as much on (measured with
/// one row, B of 0.5 to 2.1 MiB beside 1 MiB); beyond, three quarters of the
/// last level, which other cores use as well (measured: of 32 MiB 17 come from
/// there, 26 from memory). The more there is, the more of it others have pushed
/// out, which shows where each line is waited for (measured on a machine with
/// neighbours, rows in pages of their own: 0.3 ns a step at 4 MB, 0.5 to 1.5 at
/// 8, 2 to 5 at 12, 5 to 15 at 16; the square: estimate).
ContractionFamily::Home ContractionFamily::homeBetweenCalls(Real own,
                                                            Real all) {
  if (allInL2)
    return homeInL2();
  std::string outer = hw.getLevel("l3") ? "l3" : "device";
  Flag cached = all <= param(outer + ".capacity") * 0.75;
  Real outside = arith.select(cached, perByte(outer + ".stream"),
                              perByte("device.stream"));
  Real beyond =
      max(min(own * perByte("l2.capacity") - arith.real(1.0), arith.real(1.0)),
          arith.real(0.0));
  Real time =
      outside * beyond + perByte("l2.stream") * (arith.real(1.0) - beyond);
  Real inMemory =
      min(all * (perByte(outer + ".capacity") * (4.0 / 3.0)), arith.real(1.0));
  return {time, cached, beyond, inMemory * inMemory};
}

/// What a call reads and writes.
Real ContractionFamily::bytesOfAll(const ContractionSizes &c) {
  return (arith.real(c.m * c.k) * double(bytesA) +
          arith.real(c.n * c.k) * double(bytesB) +
          arith.real(c.m * c.n) * double(bytesC)) *
         arith.real(c.batch);
}

/// The columns of a thread; one at least, as if there were no empty result.
Size ContractionFamily::columnsOf(const ContractionSizes &c) {
  return min(c.nt, atLeast(c.n, 1));
}

/// The same of B. Between two uses of a weight those of all other kernels pass
/// through the caches, each thread's part through its L2.
ContractionFamily::Home ContractionFamily::homeOfB(const ContractionSizes &c,
                                                   Real own, Real all) {
  Value b = kernel.getInputs()[inputB];
  int64_t others = isWeight(b) ? countOtherWeights(b) : 0;
  if (others == 0)
    return homeBetweenCalls(own, all);
  // Others push it out of L2 however small it is.
  llvm::SaveAndRestore<bool> beyond(allInL2, false);
  return homeBetweenCalls(own + arith.real(double(others)) /
                                    arith.real(c.threads),
                          all + double(others));
}

/// Whether rows in place, of A or of B, start elsewhere than every so many
/// bytes.
Flag ContractionFamily::hasSplitRows(bool ofA, int64_t bytes) {
  Value operand = kernel.getCandidates().front().getArgument(
      kernel.getAxes().size() + (ofA ? inputA : inputB));
  AffineMap map = anchor.getIndexingMapsArray()[ofA ? roles.a : roles.b];
  unsigned across = ofA ? roles.m : roles.k.back(),
           along = ofA ? roles.k.back() : roles.n;
  Flag split = arith.alignment(operand) < arith.size(bytes);
  for (unsigned dim = 0; dim < map.getNumResults(); ++dim)
    if (map.getResult(dim).isFunctionOfDim(across) &&
        !map.getResult(dim).isFunctionOfDim(along))
      split = split |
              (arith.size(0) < arith.stride(operand, dim) *
                                   (ofA ? bytesA : bytesB) % arith.size(bytes));
  return split;
}

/// Whether vectors of the result, which L1 does not hold, lie across lines;
/// rows of one vector go on where the one before ends.
Flag ContractionFamily::isAcrossLines(const ContractionSizes &c,
                                      Real bytesOfC) {
  int64_t line = std::max<int64_t>(hw.getLineBytes() / bytesC, 1);
  return (arith.size(0) < c.n % arith.size(line)) & (arith.size(lanes) < c.n) &
         (param("l1.capacity") * 0.75 < bytesOfC);
}

/// Of waking a thread, what a line takes that another core has written
/// (measured on an EPYC of family 25, 9 rows by 128 and 106 columns, 232
/// blocks: 40 and 53 ns, where waking takes 221; lines written in turns by two
/// threads of another: 47 and 250, 165 to 200 and 850 to 1060).
static constexpr double kHanded = 0.2;

/// Nanoseconds in which one thread adds the parts of all: the lines that others
/// have written come out of their caches.
Real ContractionFamily::emitPartsCost(const ContractionSizes &c) {
  Real bytes = arith.real(c.m * c.n) * double(bytesC);
  Real all = bytes * arith.real(c.threads);
  Real lines = bytes * (1.0 / double(hw.getLineBytes()));
  return (all + bytes * 2.0) * perByte("l2.bandwidth") +
         (lines / outstanding() + arith.real(1.0)) * param("core.startup") *
             kHanded;
}

/// Nanoseconds of a call: one formula where all rests in L2 and one for
/// anywhere, which gives the same there (test/counts/near.py).
Real ContractionFamily::emitCost(const ContractionVariant &variant,
                                 const ContractionSizes &c) {
  Flag near = restsInL2(variant, c);
  Real time = emitCostAnywhere(variant, c);
  llvm::SaveAndRestore<bool> inL2(allInL2, true);
  return arith.select(near, emitCostAnywhere(variant, c), time);
}

Real ContractionFamily::emitCostAnywhere(const ContractionVariant &variant,
                                         const ContractionSizes &c) {
  if (variant.strip())
    return emitStripCost(variant, c);
  if (variant.outer())
    return emitOuterCost(variant, c);
  if (variant.sweep())
    return emitSweepCost(variant, c);
  MicroKernelAttr micro = variant.micro;
  int64_t width = variant.width();
  int64_t group = micro.getGroup();
  Real cycle = arith.real(4.0 * micro.getLanes() * group) / rateOf(micro);
  Size groups = c.groups, blocks = c.blocks;
  // The columns of a thread are whole panels, of which there may be fewer.
  Size columns = columnsOf(c);
  Size panels = ceilDiv(columns, arith.size(width));
  // Tiles are of two heights: what the last of them lacks is not computed.
  Real rows = arith.real(c.mt) / arith.real(groups);
  // What A is too large by is a row of sums of its own.
  bool offset = group > 1 && !variant.matrix() &&
                hasOffsetRow(variant.bound, variant.blockK);
  Real factor = arith.real(1.0); // of loads of vectors of B
  if (!variant.panelB && rowsOfB)
    factor =
        arith.select(hasSplitRows(/*ofA=*/false, hw.getVectorBytes() *
                                                     micro.getLanes() / lanes),
                     arith.real(2.0), arith.real(1.0));
  // An element of A is broadcast in half a cycle of the core, an eighth of what
  // a multiply-add waits, however long a vector takes (an EPYC of family 25
  // multiplies halves of 512 bits one behind the other).
  Real elementOfA = cycle * 0.5;
  if (!variant.inner() && group == 1)
    elementOfA = min(latencyOf(micro) * 0.125, elementOfA);
  // A step of the reduction of tiles of `v` vectors.
  auto stepOf = [&](Real v) {
    // A sum waits for the one before; tiles of few sums have partial ones,
    // twice as many where those fit (TileCase::countPartials).
    Real wait = latencyOf(micro);
    for (int64_t partials = 2; partials <= micro.getUnroll(); partials *= 2) {
      Flag fit = rows * v * double(partials) <=
                 arith.real(double(micro.getInFlight()));
      wait =
          arith.select(fit, latencyOf(micro) * (1.0 / double(partials)), wait);
    }
    Real sums = offset ? (rows + arith.real(1.0)) * v : rows * v;
    Real loads = rows * elementOfA + v * factor * 0.5 * cycle;
    return max(max(sums * 0.5 * cycle, loads), wait);
  };
  // Columns along the reduction are computed one, two or four at a time.
  auto computed = [&](Size vectors) {
    if (variant.inner())
      for (int64_t some = 4; some <= micro.getVectors(); some *= 2)
        vectors = arith.select((arith.size(some / 2) < vectors) &
                                   (vectors < arith.size(some)),
                               arith.size(some), vectors);
    return arith.real(vectors);
  };
  Real v = computed(c.vectors), lastV = v;
  Real step = stepOf(v), last = step;
  // The last panel has as many vectors as it has columns for where there is
  // code for fewer; else all of them, under masks.
  if (micro.getNarrowRows())
    lastV = computed(ceilDiv(columns - (panels - arith.size(1)) * width,
                             arith.size(width / micro.getVectors())));
  last = stepOf(lastV);
  // Measured with a tile whose sums take half of the registers; a quarter of it
  // is for all tiles alike. A vector of half as many lanes alone takes as long
  // as a whole one.
  double half = double(hw.getVectorRegisters()) / 2;
  Real wide = v;
  if (isHalf(micro))
    wide = max(v * (double(micro.getLanes()) / double(lanes)), arith.real(1.0));
  auto fillOf = [&](double each) {
    return param("register.startup") *
           (rows * wide * (each / half) + arith.real(0.25));
  };
  Real fill = fillOf(0.75), lastFill = fill;
  // Panels are laid out, so that nothing but stores knows of the last columns
  // (measured on an EPYC of family 25, 13 steps: 5 ns of 8 rows, 64 columns).
  if (hasMaskRegisters() && variant.bound && group == 1) {
    fill = fillOf(0.35);
    lastFill = arith.select(arith.size(0) < columns % arith.size(lanes),
                            lastFill, fill);
  }
  // Rows a power of two apart share sets of L1, where lines that come early
  // push out each other once there are more streams than ways: so much longer
  // takes what reads `streams` rows of B that lie along the reduction.
  auto crowdOf = [&](Real streams) {
    Real crowd = arith.real(1.0);
    Real apart = arith.real(lowestBit(c.k * bytesB));
    if (hw.getNumber("l1.ways").value_or(0) > 0)
      crowd = max(
          crowd, streams * min(apart, param("l1.capacity") / param("l1.ways")) *
                     perByte("l1.capacity"));
    return crowd;
  };
  Size steps = group > 1 ? ceilDiv(c.k, arith.size(group)) : c.k;
  if (variant.inner()) {
    // Each step is as many as there are lanes. Behind the last, the vectors of
    // a row are joined: two shuffles and an addition for each column, most of
    // it beside the next tile (measured on an EPYC of family 25, tiles of four
    // rows, 3 to 25 steps: 11 ns with four columns, 8 with two, 4 with one).
    auto fillOfInner = [&](Real v) {
      Real joined = dot ? arith.real(1.0) : rows * v * 0.04 + arith.real(0.1);
      return param("register.startup") * joined + rows * v * 0.5 * cycle;
    };
    steps = ceilDiv(c.k, arith.size(lanes));
    fill = fillOfInner(v);
    lastFill = variant.narrow() ? fillOfInner(lastV) : fill;
    // Columns that do not rest in L1 beside the rows are read from L2 by each
    // group of rows; one group reads them where they come from, see below.
    // All that a tile reads goes through L1, where columns stay beside the rows
    // of the next tile or come from L2 like these. So many streams bring a line
    // every two cycles, half of a multiply-add's latency, however fast L2 is
    // read in one (measured: 1.0 of its bandwidth on an EPYC of family 25, 0.6
    // on one of family 26).
    double lineShare = double(hw.getVectorBytes()) / double(hw.getLineBytes());
    Real loads =
        (rows + v) * max(perByte("l2.bandwidth") * double(hw.getVectorBytes()),
                         latencyOf(micro) * (0.5 * lineShare));
    Real lines = rows + (micro.getPrefetch() ? v * 2.0 : v);
    Flag rests = arith.real(c.k) *
                     arith.select(groups <= arith.size(1), rows, lines) *
                     double(bytesB) <
                 param("l1.capacity");
    // What is only touched for the next tile may be pushed out, as measured.
    Real crowd = crowdOf(rows + v);
    step = arith.select(rests, step, max(step, loads) * crowd);
    last = variant.narrow()
               ? arith.select(rests, last, max(last, loads) * crowd)
               : step;
  }
  Size perThread = arith.size(1);
  if (!roles.batch.empty())
    perThread = ceilDiv(
        c.batch, arith.select(c.batch >= c.threads, c.threads, arith.size(1)));
  if (variant.tiny && !roles.batch.empty()) {
    Size first = axis(roles.batch.front());
    perThread = ceilDiv(first, c.threads) * (c.batch / atLeast(first, 1));
  }
  Real repeat = arith.real(perThread);
  // A tile fills and drains the pipeline once, for each block of K.
  Size parts = variant.blockK ? ceilDiv(c.k, c.kc) : arith.size(1);
  Real starts = repeat * arith.real(groups * parts) *
                (fill * arith.real(panels - arith.size(1)) + lastFill);
  Real stepsOfPanels = step * arith.real(panels - arith.size(1)) + last;
  Real core = repeat * arith.real(groups) * arith.real(steps) * stepsOfPanels;
  if (!variant.blockK)
    core = core + starts;
  if (variant.matrix()) {
    // Lines of rows in place lie apart (measured: 1.0 to 1.05).
    core = repeat * emitTileTime(variant, min(c.mt, c.m), panels, c, parts);
    core = variant.packA ? core : core * 1.03;
  }
  // Rows of A beside panels in L1 (measured with AVX2: 1.03 to 1.07 of the same
  // tiles with packed rows).
  if (packsChunks(variant) && !variant.packA)
    core = core * 1.04;
  // Blocks of a few rows in place, read again by each group of them, take 1.02
  // to 1.34 of the time of packed ones (fitted with 112 sizes of 4 to 260 rows
  // on a Xeon of model 207).
  if (rereadsBlocks(variant))
    core = core * arith.select(c.groups <= arith.size(1), arith.real(1.0),
                               arith.real(1.1));
  Real bytesOfA = arith.real(c.mt * c.k) * double(bytesA);
  Real bytesOfB = arith.real(columns * c.k) * double(bytesB);
  Real bytesOfC = arith.real(c.mt * columns) * double(bytesC);
  // Everything comes once from where it rests between calls, and C goes back;
  // then A is read again by each panel, B by each block of rows.
  Real all = bytesOfAll(c);
  if (variant.parts)
    all = all * arith.real(c.threads);
  // Rows a power of two apart leave sets of L2 to what lies between them.
  Real heldB = bytesOfB;
  if (!variant.panelB && rowsOfB)
    heldB = max(bytesOfB, arith.real(c.k) * bytesBetweenRows("l2"));
  Real own = repeat * (bytesOfA + heldB + bytesOfC);
  // Each block of rows reads all panels, which rest in L2 beside it.
  Real beside = repeat * (arith.real(c.mc * c.k) * double(bytesA) + heldB +
                          arith.real(c.mc * columns) * double(bytesC));
  Home home = homeBetweenCalls(own, all),
       homeB = homeOfB(c, min(own, beside), all);
  // Beside few columns at a time, rows rest in L2 up to four fifths of it (64
  // rows of 10 KiB, measured).
  Home blockOfA = homeOfBlock(arith.real(c.mc * c.kc) * double(bytesA) *
                              (variant.inner() ? 0.625 : 1.0));
  // A panel's part of a row in place starts a stream of its own: one more
  // line.
  auto pieces = [&](int64_t bytes) {
    return 1.0 + double(hw.getLineBytes()) / double(width * bytes);
  };
  // Tiles that go along the rows of the result are one stream for each row.
  Real bytesMoved = bytesOfA + bytesOfC * 2.0 *
                                   arith.select(c.alongRows, arith.real(1.0),
                                                arith.real(pieces(bytesC)));
  // The lines of a panel that tiles read are whole.
  Real movedB = bytesOfB;
  if (variant.bound && !variant.inner() && group == 1)
    movedB =
        arith.real(ceilDiv(columns, arith.size(hw.getLineBytes() / bytesB)) *
                   c.k) *
        double(hw.getLineBytes());
  Real firstB = movedB;
  // Touched early, a line of L2 moves twice, but for pieces that wait; what
  // moves from beyond is measured.
  Real moves = arith.real(1.3);
  if (hw.getLevel("l3"))
    moves = moves + (param("l3.stream") * perByte("l3.touched") - moves) *
                        homeB.beyondL2;
  Waits waits = {arith.real(0.0), arith.real(0.0), arith.real(0.0)};
  // From memory, pieces of rows of a block come slower than whole rows do
  // (measured with AVX-512, one to four rows; with AVX2 second lines are all).
  Real inPieces = arith.real(1.0);
  if (!variant.panelB && rowsOfB) {
    if (variant.blockK) {
      Flag whole =
          getStreams(variant) ? isRowWise(variant, c) : arith.flag(false);
      waits = emitBlockWaits(variant, c, homeB, step, whole);
      moves = arith.real(1.0);
      if (hasMaskRegisters())
        inPieces = arith.select(whole, inPieces, arith.real(pieces(bytesB)));
    } else {
      waits = emitWaits(variant, c, homeB, step);
      Real again = homeB.beyondL2 * (pieces(bytesB) - 1.0);
      if (hasMaskRegisters() && !waitsAcrossLines(hw))
        again = again + arith.select(readsLinesTwice(c, width * bytesB),
                                     (arith.real(1.0) - homeB.beyondL2) *
                                         (1.25 * (pieces(bytesB) - 1.0)),
                                     arith.real(0.0));
      firstB = bytesOfB * (arith.real(1.0) + again);
    }
    Real each = repeat * arith.real(panels * c.k);
    waits = {waits.shown * each, waits.inCore * each, waits.inStream * each};
    Real across = waitAcrossLines(variant, c, homeB, step);
    waits.shown = waits.shown + repeat * arith.real(c.k) * across;
  }
  core = core + waits.inCore;
  // Tiles one under the other wait for the lines of their results, which no
  // stream brings, while they start and end (measured: 2 to 3 ns a row of 32
  // columns in L2, 6 to 10 beyond).
  if (!variant.blockK && !variant.matrix() && !variant.inner()) {
    Real none = arith.real(0.0);
    Real each = arith.select(bytesOfC <= param("l1.capacity"), none,
                             byteTime(bytesOfC));
    Real lines = repeat * bytesOfC * 2.0 * each;
    core = core + arith.select(c.alongRows, none, lines);
  }
  Real memory = waits.inStream;
  struct Stream {
    Real bytes;
    Home home;
    bool early;         // touched by prefetches of our own
    bool inner = false; // columns side by side
    bool panels = false;
    bool inPlace = false; // rows of B
  };
  // Tiles of inner products count what they read of A in L2 themselves.
  Real rowsAgain = arith.real(panels - arith.size(1)) * bytesOfA;
  if (variant.inner())
    rowsAgain = rowsAgain * blockOfA.beyondL2;
  SmallVector<Stream> streams = {
      {bytesMoved, home, false},
      {rowsAgain, blockOfA, false, variant.inner()},
  };
  // A block of the reduction goes through all blocks of rows before the next.
  Real furtherB = arith.real(blocks - arith.size(1)) * movedB;
  Real slab = bytesOfB;
  if (variant.blockK)
    slab = arith.real(columns * c.kc) * double(bytesB);
  // Packed by the call, B is read before its tiles.
  if (!variant.packsB()) {
    streams.push_back({firstB, homeB, micro.getPrefetch() != 0, variant.inner(),
                       variant.panelB, !variant.panelB && rowsOfB});
    streams.push_back({furtherB, homeOfBlock(slab), micro.getPrefetch() != 0});
  }
  // Matrix tiles count what they read themselves, see below.
  if (variant.matrix())
    streams.clear();
  // What comes from L2 is one stream.
  for (auto *it = streams.begin(); it != streams.end(); ++it)
    for (auto *next = std::next(it); next != streams.end();)
      if (isZero(it->home.beyondL2) && isZero(next->home.beyondL2) &&
          it->early == next->early && it->inner == next->inner) {
        it->bytes = it->bytes + next->bytes;
        next = streams.erase(next);
      } else {
        ++next;
      }
  // What the machine's own prefetchers leave exposed, of a stream from a cache
  // and from memory (measured on contractions bound by the core).
  Real exposed = arith.real(0.0);
  // A packed panel comes from memory beneath the first rows, not beneath those
  // that find it in L2 behind them. The machine reads it ahead by itself, with
  // more lines under way than requests of our own have, and the less well the
  // longer these rows take (measured on one to sixteen rows).
  Real firstRows = core / arith.real(groups);
  Real visible = arith.real(0.0);
  for (const Stream &stream : streams) {
    Real each = stream.home.byteTime;
    if (stream.early && variant.panelB)
      each = arith.select(stream.home.cached, each,
                          max(each, perByte("device.touched")));
    Real time = repeat * stream.bytes * each;
    // Of columns side by side L2 leaves half of what comes from beyond.
    Real left = stream.early
                    ? time * 0.35
                    : time * (stream.home.beyondL2 * 0.4 + arith.real(0.4));
    if (!stream.inner) {
      Real seen = time * (stream.early ? 0.1 : 0.5);
      if (!stream.early && stream.panels)
        seen = min(max(firstRows * 1.5 - time * 0.9, arith.real(0.0)), seen) +
               min(core, time) - min(firstRows, time);
      Real near = time * 0.05;
      // The first rows ask for all of a block of the reduction to the right, so
      // it comes beneath them alone (measured with AVX2, 3 to 15 rows, 5 a
      // tile; not with AVX-512).
      if (stream.inPlace && variant.blockK && !hasMaskRegisters())
        seen = min(core, time) - min(firstRows, time);
      // From a cache that prefetchers do not follow so do panels, and blocks
      // where tiles go along rows (a Xeon of model 207, 12 to 300 rows: 1.05 to
      // 1.25 of the time).
      if (stream.inPlace && hasMaskRegisters() &&
          !isZero(stream.home.beyondL2)) {
        Real all = time + waits.inStream;
        Real behind = (min(core, all) - min(firstRows, all)) *
                      shareUnfollowedInPlace(stream.home) *
                      stream.home.beyondL2;
        if (variant.blockK && !variant.packA)
          behind = arith.select(c.alongRows, behind, near);
        near = max(near, behind);
      }
      // Nor do prefetchers go on into the next panel: beneath the rows behind
      // the first, which find theirs in L2, nothing comes.
      if (!stream.early && stream.panels && !isZero(stream.home.beyondL2))
        near = max(near, (min(core, time) - min(firstRows, time)) *
                             stream.home.beyondL2);
      left = arith.select(stream.home.cached, near, seen);
    }
    // Where a machine's prefetchers do not follow a panel that is read slowly,
    // its lines wait beside neither arithmetic nor each other. Where they do,
    // what others pushed out of the last level shows beneath many rows
    // (measured with one to eight, B of 1.3 to 17 MB, an EPYC of family 25:
    // nothing up to 8 MB or up to six rows, of eight a tenth of the time at 12
    // MB, a fifth at 17).
    if (!stream.early && stream.panels && !isZero(stream.home.beyondL2)) {
      Real alike = shareUnfollowed(stream.home), zero = arith.real(0.0);
      Real both = min(firstRows, time);
      Real late = arith.select(stream.home.cached,
                               stream.home.inMemory *
                                   max(min(firstRows - time * 2.0, time), zero),
                               both);
      Real shown = alike * both + (arith.real(1.0) - alike) * late;
      visible =
          max(shareExposed(stream.home) * stream.home.beyondL2 * shown - left,
              zero);
    }
    exposed = exposed + left;
    if (stream.early)
      time = time * arith.select(stream.home.cached, moves, inPieces);
    memory = memory + time;
  }
  if (micro.getPrefetch()) {
    // A request for each line beside the multiply-adds, in place for each
    // vector that is longer (prefetchNextColumns). In place requests cost
    // more where lines that come early push out each other before their turn
    // comes (measured: 1.05 to 1.2 of the same tiles without, rows 12 KiB
    // apart; nothing where they lie in sets of their own).
    bool inPlace = !variant.panelB;
    double count = double(width * group * bytesB) / double(hw.getLineBytes());
    if (inPlace)
      count = std::min(std::ceil(count), double(micro.getVectors()));
    if (variant.matrix() || (inPlace && (variant.blockK || variant.inner()))) {
      core = core * 1.03;
    } else {
      Real requests = arith.real(0.25 * count) / max(rows * v, arith.real(1.0));
      core =
          core + core * (inPlace ? requests + shareOfSets() * 0.1 : requests);
    }
  }
  if (variant.panelB && !variant.blockK && !variant.inner() &&
      hw.getLevel("l2")) {
    // A long panel and the rows beside it do not rest in L2 from tile to tile:
    // measured with K of 8192 and 16384 against blocks of K.
    Flag crowded =
        arith.size(panelSteps(hw.getLevel("l2"), micro, bytesB, 2)) < c.k;
    core =
        arith.select(crowded, core * (micro.getPrefetch() ? 1.1 : 1.2), core);
  }
  if (variant.matrix()) {
    // Lines from beyond L2 take the buffers that tiles from L2 come through.
    // The first groups read each panel from there instead, and hide as much of
    // it as they take; rows and results hide beside nothing (a Xeon of model
    // 207: 16 to 512 rows, 768 and 3072 columns and steps, 0.9 to 1.1). Tiles
    // of few rows read no faster than dot products do, and with two threads
    // slower (one row: 1.4 of the time).
    Real panelsRead = arith.real(0.0);
    if (!variant.packsB())
      panelsRead = repeat * (bytesOfB * homeB.byteTime +
                             furtherB * homeOfBlock(bytesOfB).byteTime);
    if (micro.getRows() < tile.getM())
      panelsRead = panelsRead * arith.select(arith.size(1) < c.threads,
                                             arith.real(1.4), arith.real(1.05));
    Real firsts = core * (arith.real(blocks) / arith.real(groups));
    Real others = repeat * bytesMoved * home.byteTime * home.beyondL2 +
                  repeat * rowsAgain * blockOfA.byteTime * blockOfA.beyondL2;
    visible = max(panelsRead - firsts, arith.real(0.0)) + others;
  }
  // Where one group of rows is all, its work hides beside a block that comes
  // from beyond L2 (a Xeon of model 207, 2 to 6 rows, B of 11 to 16 MB: 1.06 to
  // 1.33 of the time with what is exposed, 0.9 to 1.1 without; two groups are
  // as they were).
  Real shown = min(core, exposed);
  if (rereadsBlocks(variant))
    shown =
        shown * arith.select(c.groups <= arith.size(1),
                             arith.real(1.0) - homeB.beyondL2, arith.real(1.0));
  Real total =
      max(core, memory) + shown + visible + waits.shown + param("core.call");
  if (variant.blockK) {
    // Sums are set before the first block and read by each, and written but by
    // the last: while a tile starts and ends, nothing is computed and little
    // requested. Matrix tiles start from them and request them step by step.
    Real each = repeat * bytesOfC * 2.0 * byteTime(bytesOfC);
    // Sums across lines wait for both, as if they came from L2 twice more
    // (fitted: 16 to 200 rows of 500 to 3610 columns, blocks of 56 to 96
    // steps).
    if (!variant.matrix() && waitsAcrossLines(hw))
      each =
          each + arith.select(isAcrossLines(c, bytesOfC),
                              repeat * bytesOfC * 4.0 * perByte("l2.bandwidth"),
                              arith.real(0.0));
    if (variant.matrix())
      total = total + each * arith.real(atLeast(parts, 1) - arith.size(1));
    else
      total = total + each * arith.real(parts) + starts;
    // Where threads divide the columns, each row has a line that two of them
    // write, or that is fetched with the last that one does, and that goes to
    // the other and back for each block.
    Real handed = arith.real(parts * c.mt) * param("core.startup") * kHanded;
    total = total + arith.select(c.nt < c.n, handed, arith.real(0.0));
  }
  if (!variant.tiny)
    // A task is a call that finds its tile again.
    total = total + repeat * param("core.call") * 0.4;
  if (variant.packA) {
    // Read and written once; the transposes take 64 shuffles for a square of
    // 256 elements or groups, also of fewer rows and steps (14 ns measured on
    // an EPYC of family 26, in L1), and rows of matrix tiles are copied as they
    // are.
    total = total + repeat * bytesOfA * 2.0 * perByte("l2.stream");
    // Rows that are copied as they are wait for where they come from.
    if (variant.matrix())
      total = total + repeat * bytesOfA * home.byteTime;
    Size whole = ceilDiv(c.mt, arith.size(micro.getRows())) * micro.getRows();
    Size deep = ceilDiv(c.k, arith.size(lanes * group)) * lanes;
    if (!variant.matrix())
      total = total + repeat * arith.real(whole * deep) * cycle * 0.15;
    // A tile waits for its rows where each packs its own (measured: 50 to 100
    // ns, 3 to 16 steps).
    Real each = param("core.call") * 0.33;
    total = total + arith.select(c.alongRows,
                                 repeat * arith.real(blocks) *
                                     (each + param("register.startup") * 2.0),
                                 each);
  }
  if (variant.narrow() && !variant.bound) {
    // Squares of a vector's steps and four columns are transposed, 44
    // instructions each (measured on an EPYC of family 25: 5.7 ns, 16 lanes).
    Real squares =
        repeat * arith.real(panels * ceilDiv(c.k, arith.size(lanes)));
    Real elements = arith.select(columns <= arith.size(1), arith.real(0.0),
                                 squares * (0.65 * double(lanes)));
    total = total + max(repeat * bytesOfB * homeB.byteTime, elements * cycle) +
            param("core.call");
  } else if (variant.packsB()) {
    // By each block of rows: read, written into a cache and read from there.
    Real read =
        repeat * (bytesOfB * homeB.byteTime + furtherB * byteTime(slab));
    // Whole squares are transposed, while what comes next is touched early.
    Size deep = rowsOfB ? c.k : ceilDiv(c.k, arith.size(lanes)) * lanes;
    Real elements = repeat * arith.real(blocks * panels * width * deep);
    // A square has as many rows as there are lanes; half of what they crowd
    // shows (measured: 1.3 to 1.6 of the time on an EPYC of family 25).
    Real shuffles = elements * cycle * (0.3 / group);
    if (!rowsOfB)
      shuffles = shuffles * (crowdOf(arith.real(double(lanes))) * 0.5 + 0.5);
    total = total + (rowsOfB ? read : max(read, shuffles)) +
            elements * (2.0 * double(bytesB)) * perByte("l2.stream");
    if (rowsOfB && !packsChunks(variant))
      total =
          total + repeat * arith.real(blocks * panels * c.k) *
                      waitForPiece(homeB, /*early=*/false,
                                   arith.real(linesOfPiece(width * bytesB)));
    Size packs = panels;
    if (packsChunks(variant))
      packs = ceilDiv(columns, columnsOfChunk(variant, c)) * parts;
    total =
        total + repeat * arith.real(blocks * packs) * param("core.call") * 0.33;
  }
  if (variant.parts)
    total = total + emitPartsCost(c);
  if (!variant.tiny || variant.parts || !roles.batch.empty())
    total =
        total + arith.select(arith.size(1) < c.threads, param("core.startup"),
                             param("core.call") * 0.17);
  return total;
}
