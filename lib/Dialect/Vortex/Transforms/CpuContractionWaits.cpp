//===- CpuContractionWaits.cpp - What panels in place wait for ----------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A panel of B in place has a piece of a row for each step of the reduction.
// Rows lie apart, often in a page each, where the machine's own prefetchers do
// not follow from one to the next, and often a power of two apart, so that they
// share few sets of a cache. What a step waits for its piece is told here in
// nanoseconds: the first time, from where B rests between calls, and again with
// each further group of rows, from where the panel rests in between.
//
//===----------------------------------------------------------------------===//

#include "CpuContraction.h"
#include "vortex/HwDesc/Targets.h"

using namespace mlir;
using namespace vortex;

/// Bytes between two steps of a panel of B in place.
Size ContractionFamily::strideOfB() {
  Value operand = kernel.getCandidates().front().getArgument(
      kernel.getAxes().size() + inputB);
  AffineMap map = anchor.getIndexingMapsArray()[roles.b];
  for (unsigned dim = 0; dim < map.getNumResults(); ++dim)
    if (map.getResult(dim).isFunctionOfDim(roles.k.back()))
      return arith.stride(operand, dim) * bytesB;
  return arith.size(bytesB);
}

/// Bytes of a cache that each row of B in place keeps others out of beside its
/// own, for rows a power of two apart share sets; 0 where nothing tells.
Real ContractionFamily::bytesBetweenRows(StringRef level) {
  std::string name = level.str();
  if (hw.getNumber(name + ".ways").value_or(0) <= 0)
    return arith.real(0.0);
  return min(arith.real(lowestBit(strideOfB())),
             param(name + ".capacity") / param(name + ".ways"));
}

/// Bytes that a row of B in place takes of a cache at least: a line, unless
/// the next one is within it.
Real ContractionFamily::bytesOfRow() {
  return min(arith.real(strideOfB()), arith.real(double(hw.getLineBytes())));
}

/// The share of a cache that so many steps of a panel in place keep others out
/// of. Rows a power of two apart share sets, and the others stay empty: a step
/// takes the bytes between two of the sets that are used.
Real ContractionFamily::shareTaken(StringRef level, Size steps,
                                   Real pieceBytes) {
  Real taken = pieceBytes;
  if (Real apart = bytesBetweenRows(level); !isZero(apart))
    taken = max(apart, taken);
  return arith.real(steps) * taken * perByte(level.str() + ".capacity");
}

/// How little the machine's own prefetchers do for what is read slowly: 1 when
/// each of its lines waits.
Real ContractionFamily::shareUnfollowed(const Home &from) {
  return min(shareExposed(from) * 0.25, arith.real(1.0));
}

/// The same of pieces in place, which lie in pages of their own. However well
/// panels are followed, where vectors wait for both of their lines pieces wait
/// out of the last level, the more the further apart rows are and the fewer
/// sets they share: all from eight pages on, and from one on those a power of
/// two apart (fitted on a Xeon of model 207).
Real ContractionFamily::shareUnfollowedInPlace(const Home &from) {
  Real alike = shareUnfollowed(from);
  if (!waitsAcrossLines(hw))
    return alike;
  Size row = strideOfB();
  Real apart = max(arith.real(row) * 0.125, arith.real(lowestBit(row))) *
               (1.0 / pageBytes());
  return arith.select(from.cached, max(alike, min(apart, arith.real(1.0))),
                      alike);
}

/// What is seen of it. Of rows that share sets of L2 a quarter of the wait
/// shows even where prefetchers follow (0), and half where they do not (1): a
/// tile's work hides the rest (measured: 1 to 1.5 of 2.7 ns with AVX2 on an
/// EPYC of family 25).
Real ContractionFamily::shareScattered(const Home &from) {
  Real alike = shareUnfollowedInPlace(from), one = arith.real(1.0);
  if (hw.getNumber("l3.scattered").value_or(0) == 0)
    return alike;
  Real wait = param("l3.latency") / outstanding() + translation();
  Real shown = param("l3.scattered") * 4.0 / wait - one;
  return arith.select(from.cached, max(min(shown, one), arith.real(0.0)),
                      alike);
}

/// How many of L1's sets pieces leave to each other: 1 when all share theirs.
Real ContractionFamily::shareOfSets() {
  if (hw.getNumber("l1.ways").value_or(0) == 0)
    return arith.real(1.0);
  Real way = param("l1.capacity") / param("l1.ways");
  return min(arith.real(lowestBit(strideOfB())) / way, arith.real(1.0));
}

/// How much of a panel in place comes from `beyond` L2 again with each group of
/// rows, whose pieces take so many bytes, with those of the next panel where
/// these are touched early `bothBytes`: the larger of two shares.
/// - Rows that share sets. Six ways hold what else tiles read and write, and
///   more comes from beyond the more steps share a set; where prefetchers do
///   not follow, all does from a quarter of L2 on (measured with 16 ways: an
///   EPYC of family 26 next to nothing at 0.75 of L2, a third at three times,
///   all at sixteen times, a Xeon all at twice; with 8 ways, an EPYC of family
///   25, something from a quarter on, less than a quarter at four times).
/// - Lines that L2 has no room for, of this panel and of the next where that is
///   touched early (measured there with 9 groups of rows: 2 ns a step at 0.75,
///   2 to 9 at 0.9, 17 at once, 60 at 1.14 of L2).
Real ContractionFamily::shareCrowded(Size steps, Real pieceBytes,
                                     Real bothBytes, const Home &beyond) {
  if (allInL2)
    return arith.real(0.0);
  Real unfollowed = shareScattered(beyond), one = arith.real(1.0);
  Real free = arith.real(0.25);
  if (hw.getNumber("l2.ways").value_or(0) > 0)
    free = free + max(arith.real(0.75) - arith.real(6.0) / param("l2.ways"),
                      arith.real(0.0)) *
                      (one - unfollowed);
  Real square = unfollowed * unfollowed;
  Real inSets = (shareTaken("l2", steps, pieceBytes) - free) *
                (square * square * 8.0 + 0.125);
  Real lines = arith.real(steps) * bothBytes * perByte("l2.capacity");
  Real inAll = lines * 2.5 - arith.real(1.875);
  return max(min(max(inSets, inAll), one), arith.real(0.0));
}

/// Bytes of a page; of a line where there is no description of memory.
double ContractionFamily::pageBytes() {
  HwLevelAttr device = hw.getLevel("device");
  return double(device ? device.getAlignment() : hw.getLineBytes());
}

/// Pages for each step of a panel in place, at most one: prefetchers of the
/// machine do not follow from page to page.
Real ContractionFamily::missesOfPieces() {
  return min(arith.real(strideOfB()) * (1.0 / pageBytes()), arith.real(1.0));
}

/// Accesses beyond L1 that a core has under way; one by one unless described.
Real ContractionFamily::outstanding() {
  return hw.getNumber("l1.outstanding").value_or(0) > 0
             ? param("l1.outstanding")
             : arith.real(1.0);
}

/// Nanoseconds that an access waits for another page to be found, beside
/// others.
Real ContractionFamily::translation() {
  if (hw.getNumber("l1.translation").value_or(0) == 0)
    return arith.real(0.0);
  return param("l1.translation");
}

/// Nanoseconds a step of a panel waits for its piece of a row, which comes from
/// where it rests between uses. What was touched early is not waited for where
/// others pushed it out of the last level.
Real ContractionFamily::waitForPiece(const Home &home, bool early, Real lines) {
  std::string outer = hw.getLevel("l3") ? "l3" : "device";
  Real near = param(outer + ".latency");
  Real far = param("device.latency");
  Real latency = (early ? arith.select(home.cached, near, far)
                        : near + (far - near) * home.inMemory) *
                 home.beyondL2;
  Real each = arith.real(1.0) / outstanding();
  return (latency * lines * each + translation()) * missesOfPieces();
}

/// Bytes of the lines that a piece in place lies in: one line more where rows
/// do not start at one. It was read for the panel before, too, so it is one
/// more only of what rests nearby.
Real ContractionFamily::linesInPlace(int64_t bytes) {
  double line = double(hw.getLineBytes());
  double whole = std::max(double(bytes), line);
  return arith.select(hasSplitRows(/*ofA=*/false, hw.getLineBytes()),
                      arith.real(whole + line), arith.real(whole));
}

/// Whether L2 is asked twice for the line that two pieces of a row share:
/// neither L1 has room for those of a panel nor the buffer beside it for their
/// pages, beside four for all else (measured with AVX-512 on an EPYC of family
/// 25, one to four rows, B in L2: from three quarters of L1 on, rows of 1 and 2
/// KB, and from 64 to 72 rows on, one a page, pieces of 128 bytes take 0.5 of
/// their transfer longer, of 256 0.25 to 0.45).
Flag ContractionFamily::readsLinesTwice(const ContractionSizes &c,
                                        int64_t bytes) {
  Real taken = linesInPlace(bytes);
  Flag lost = arith.real(0.75) < shareTaken("l1", c.kc, taken);
  if (double pages = hw.getNumber("l1.pages").value_or(0); pages > 0)
    lost = lost | (arith.real(pages - 4) < arith.real(c.kc) * missesOfPieces());
  Real whole = arith.real(std::max(double(bytes), double(hw.getLineBytes())));
  return lost & (arith.size(bytes / bytesB) < columnsOf(c)) & (whole < taken);
}

/// Cache lines of so many bytes of a row.
double ContractionFamily::linesOfPiece(int64_t bytes) {
  return std::max(double(bytes) / double(hw.getLineBytes()), 1.0);
}

/// Groups of rows that read a panel again before the next one is read; tiles
/// that go along rows read on, which prefetchers follow.
Size ContractionFamily::groupsBelow(const ContractionSizes &c) {
  return arith.select(c.alongRows, arith.size(0), c.groups - arith.size(1));
}

/// What a step waits in blocks of the reduction, which go on along rows of B
/// from tile to tile and are made to rest in L1. `whole`: rows are read from
/// end to end.
ContractionFamily::Waits
ContractionFamily::emitBlockWaits(const ContractionVariant &variant,
                                  const ContractionSizes &c, const Home &homeB,
                                  Real step, Flag whole) {
  int64_t piece = variant.width() * bytesB;
  bool touched = variant.micro.getPrefetch();
  Real early = arith.real(touched ? 0.4 : 1.0);
  Real nothing = arith.real(0.0), one = arith.real(1.0);
  Real bytes = arith.real(double(piece));
  // How much of a wait shows where lines were touched early or follow each
  // other: all of it where prefetchers do not.
  auto shows = [&](Real share, const Home &from) {
    return share + (arith.real(1.0) - share) * shareScattered(from);
  };
  // Where rows do not start at lines, half of L1 has no room for the second
  // line of each piece of one, for the first group of rows neither (measured
  // with AVX2, 1 to 200 groups, blocks of 132 to 256 steps: 0.7 to 1 ns a step,
  // 1.2 to 1.4 of the time; longer pieces were not measured).
  Real second = nothing;
  if (piece <= hw.getLineBytes() && !hasMaskRegisters()) {
    Real taken = linesInPlace(piece);
    second =
        arith.select(shareTaken("l1", c.kc, taken) <= arith.real(0.5), nothing,
                     (taken - arith.real(double(hw.getLineBytes()))) *
                         perByte("l2.bandwidth") * 1.25);
  }
  // A quarter of a step hides what comes from L2 (fitted on a Xeon of model
  // 207, 14 rows, 64 to 300 of them, whose pieces share sets; with AVX2 all
  // shows, and costs of an EPYC of family 25 were fitted with all of it).
  bool measured = waitsAcrossLines(hw);
  Real moved = bytes * perByte("l2.bandwidth");
  if (measured)
    moved = max(moved - step * 0.25, nothing);
  Real fromL2 =
      arith.select(shareTaken("l1", c.kc, bytes) <= one, second, moved);
  Home panel =
      homeOfBlock(max(arith.real(c.kc) * double(piece), param("l2.capacity")));
  Real again = arith.select(
      shareTaken("l2", c.kc, bytes) <= arith.real(0.25), fromL2,
      waitForPiece(panel, touched, one) * shows(early * 0.5, panel));
  // From a cache each waits, which hides behind the work of several rows.
  Real first = arith.select(
      homeB.cached, waitForPiece(homeB, touched, one) * shows(early, homeB),
      nothing);
  first = arith.select(whole, nothing, first);
  // Tiles of many rows, which are packed, wait for little of it, and so do
  // tiles that go along rows, which prefetchers follow (fitted on that Xeon: 6
  // to 24 rows, B of 5 to 17 MB).
  // Where one group of tiles is all, steps hide the more of what comes from
  // beyond L2 the longer they take (2 to 6 rows, B of 11 to 16 MB).
  if (measured && variant.packA)
    first = first * 0.33;
  else if (measured)
    first = arith.select(
        c.alongRows, first * 0.25,
        arith.select(c.groups <= arith.size(1),
                     max(first - step * 0.6 * homeB.beyondL2, nothing), first));
  return {arith.real(groupsBelow(c)) * again +
              arith.select(whole, nothing, second),
          nothing, first};
}

/// What a step of all panels in place, each of which takes `step` otherwise,
/// takes longer for vectors across lines: they ask L2 for both, of which others
/// of the row share some; half a line more a vector, and two and a half a piece
/// of a longer row, whose lines no step nearby shares (measured on a Xeon of
/// model 207, tiles of 48 and 64 columns, one and four rows of A, rows of 220
/// to 2004 bytes: 0.7 ns a vector and 1.2 to 1.5 a piece, where rows of whole
/// lines take 0.5 to 0.75 a vector; out of L1 nothing). So each group of rows
/// does for which L1 does not hold the panel, which blocks of the reduction are
/// made for, or, along rows, the block. From beyond L2 pieces of blocks beside
/// packed rows wait for lines alone where rows are pages apart (2 to 24 rows, B
/// of 12 and 14 MB: 1.2 to 1.5 ns a piece of 128 bytes where rows take 3 and 5
/// pages, nothing where they take one).
Real ContractionFamily::waitAcrossLines(const ContractionVariant &variant,
                                        const ContractionSizes &c,
                                        const Home &homeB, Real step) {
  Real nothing = arith.real(0.0), one = arith.real(1.0);
  if (!waitsAcrossLines(hw))
    return nothing;
  int64_t width = variant.width();
  double piece = double(width * bytesB), line = double(hw.getLineBytes());
  Size columns = columnsOf(c);
  Size pieces =
      arith.select(arith.size(width) < columns,
                   ceilDiv(columns, arith.size(width)), arith.size(0));
  Real moved = perByte("l2.bandwidth");
  // The last panel may have fewer columns.
  Real longer = (moved * (piece * 1.5) - max(step, moved * piece)) *
                    (arith.real(columns) * (1.0 / double(width))) +
                moved * (line * 2.5) * arith.real(pieces);
  Real held = nothing;
  if (!variant.blockK)
    held = shareTaken("l1", c.kc, linesInPlace(width * bytesB));
  held = arith.select(c.alongRows,
                      arith.real(c.kc * columns) * double(bytesB) *
                          perByte("l1.capacity"),
                      held);
  Real reads =
      arith.select(held <= arith.real(0.75), one, arith.real(c.groups));
  Flag near = !hasSplitRows(/*ofA=*/false, variant.micro.getLanes() * bytesB) |
              (bytesOfAll(c) <= param("l1.capacity"));
  Real wait = max(longer, nothing) * (reads - homeB.beyondL2);
  if (variant.packA && variant.blockK) {
    Real pages = max(arith.real(strideOfB()) * (1.0 / pageBytes()), one);
    wait = wait + homeB.beyondL2 * (moved * line * 4.0) * arith.real(pieces) *
                      (one - one / pages);
  }
  return arith.select(near, nothing, wait);
}

/// What a step of a panel in place waits for, which takes `step` otherwise.
ContractionFamily::Waits
ContractionFamily::emitWaits(const ContractionVariant &variant,
                             const ContractionSizes &c, const Home &homeB,
                             Real step) {
  int64_t piece = variant.width() * bytesB;
  bool touched = variant.micro.getPrefetch();
  Real early = arith.real(touched ? 0.4 : 1.0);
  // Steps hide the more of a wait the longer they take.
  auto seen = [&](Real wait) { return min(wait, wait * wait / step); };
  Real taken = linesInPlace(piece), one = arith.real(1.0);
  Real lines = taken * (1.0 / double(hw.getLineBytes()));
  Real fromL2 = arith.select(
      shareTaken("l1", c.kc, taken) <= arith.real(0.5), arith.real(0.0),
      max(translation(), param("l2.latency") * lines / outstanding()) *
          missesOfPieces() * early);
  // Pieces of one line are two where rows do not start at lines, and what is
  // touched early is one more: L2 hides half a step of them (measured with
  // AVX2, 25 rows, 5 a tile: nothing with one line, 0.55 ns a step with two,
  // 1.3 with three; longer pieces were not measured).
  Real moved = arith.real(0.0);
  if (piece <= hw.getLineBytes() && !hasMaskRegisters()) {
    Real bytes = taken + arith.real(touched ? double(hw.getLineBytes()) : 0.0);
    moved = max(bytes * perByte("l2.bandwidth") - step * 0.5, moved);
    moved = arith.select(shareTaken("l1", c.kc, taken) <= arith.real(0.5),
                         arith.real(0.0), moved);
  }
  Home beyond =
      homeOfBlock(max(arith.real(c.kc) * double(piece), param("l2.capacity")));
  // There may be fewer columns than a panel has.
  Real row = max(arith.real(columnsOf(c)) * double(bytesB), bytesOfRow());
  Real crowded = shareCrowded(c.kc, min(taken, row),
                              min(taken * (touched ? 2.0 : 1.0), row), beyond);
  // No sooner than its lines are moved, where prefetchers follow (measured with
  // AVX2, rows of 370 to 570 bytes and panels beyond L2).
  Real late = max(waitForPiece(beyond, touched, lines),
                  min(taken, row) * beyond.byteTime * beyond.beyondL2);
  Real again = seen(fromL2) * (one - crowded) + seen(late) * crowded;
  // Lines that arrive early, in whatever order, stay in L1 until their step
  // comes, unless the steps before push them out: these waits show, others hide
  // behind the transfer of few rows (measured with one row out of L3: 2 ns a
  // step of 128 bytes where all share their sets, 0.2 to 0.6 of rows 16 KiB and
  // an eighth or a quarter of a way apart).
  Real shared = shareOfSets();
  shared = shared + (arith.real(1.0) - shared) * shareScattered(homeB);
  // From memory, too, whole vectors are followed (measured with one to four
  // rows, B of 50 and 95 MB: 0.4 ns of 256 bytes, 0.8 of 128; under masks 5).
  Real followed = arith.select(homeB.cached, arith.real(1.0),
                               shareScattered(homeB) * 0.85 + arith.real(0.15));
  Real first = seen(waitForPiece(homeB, touched, one) * (shared * 0.75 + 0.25) *
                    early * followed);
  return {arith.real(groupsBelow(c)) * (again + moved * (one - crowded)) +
              first * shared,
          first * (arith.real(1.0) - shared), arith.real(0.0)};
}
