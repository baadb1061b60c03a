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

/// The share of a cache that so many steps of a panel in place keep others out
/// of. Rows a power of two apart share sets, and the others stay empty: a step
/// takes the bytes between two of the sets that are used.
Real ContractionFamily::shareTaken(StringRef level, Size steps,
                                   int64_t pieceBytes) {
  std::string name = level.str();
  Real taken = arith.real(double(pieceBytes));
  if (hw.getNumber(name + ".ways").value_or(0) > 0) {
    Real way = param(name + ".capacity") / param(name + ".ways");
    taken = max(min(arith.real(lowestBit(strideOfB())), way), taken);
  }
  return arith.real(steps) * taken * perByte(name + ".capacity");
}

/// How little the machine's own prefetchers do for what is read slowly: 1 when
/// each of its lines waits.
Real ContractionFamily::shareUnfollowed(const Home &from) {
  return min(shareExposed(from) * 0.25, arith.real(1.0));
}

/// How many of L1's sets pieces leave to each other: 1 when all share theirs.
Real ContractionFamily::shareOfSets() {
  if (hw.getNumber("l1.ways").value_or(0) == 0)
    return arith.real(1.0);
  Real way = param("l1.capacity") / param("l1.ways");
  return min(arith.real(lowestBit(strideOfB())) / way, arith.real(1.0));
}

/// How much of a panel in place comes from `beyond` L2 again with each group of
/// rows. Six ways hold what else tiles read and write, and more comes from
/// beyond the more steps share a set; where prefetchers do not follow, all does
/// from a quarter of L2 on (measured with 16 ways: an EPYC of family 26 next to
/// nothing at 0.75 of L2, a third at three times, all at sixteen times, a Xeon
/// all at twice; with 8 ways something from a quarter on).
Real ContractionFamily::shareCrowded(Size steps, int64_t pieceBytes,
                                     const Home &beyond) {
  Real unfollowed = shareUnfollowed(beyond);
  Real free = arith.real(0.25);
  if (hw.getNumber("l2.ways").value_or(0) > 0)
    free = free + max(arith.real(0.75) - arith.real(6.0) / param("l2.ways"),
                      arith.real(0.0)) *
                      (arith.real(1.0) - unfollowed);
  Real each = unfollowed * unfollowed * 8.0 + 0.125;
  Real share = (shareTaken("l2", steps, pieceBytes) - free) * each;
  return max(min(share, arith.real(1.0)), arith.real(0.0));
}

/// Pages for each step of a panel in place, at most one: prefetchers of the
/// machine do not follow from page to page.
Real ContractionFamily::missesOfPieces() {
  HwLevelAttr device = hw.getLevel("device");
  double page = double(device ? device.getAlignment() : hw.getLineBytes());
  return min(arith.real(strideOfB()) * (1.0 / page), arith.real(1.0));
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
/// where it rests between uses.
Real ContractionFamily::waitForPiece(const Home &home) {
  std::string outer = hw.getLevel("l3") ? "l3" : "device";
  Real latency = arith.select(home.cached, param(outer + ".latency"),
                              param("device.latency")) *
                 home.beyondL2;
  Real each = arith.real(1.0) / outstanding();
  return (latency * each + translation()) * missesOfPieces();
}

/// Cache lines of so many bytes of a row.
double ContractionFamily::linesOfPiece(int64_t bytes) {
  return std::max(double(bytes) / double(hw.getLineBytes()), 1.0);
}

/// What a step waits in blocks of the reduction, which go on along rows of B
/// from tile to tile and are made to rest in L1. `whole`: rows are read from
/// end to end.
ContractionFamily::Waits
ContractionFamily::emitBlockWaits(const ContractionVariant &variant,
                                  const ContractionSizes &c, const Home &homeB,
                                  Flag whole) {
  int64_t piece = variant.width() * bytesB;
  Real early = arith.real(variant.micro.getPrefetch() ? 0.4 : 1.0);
  Real nothing = arith.real(0.0);
  // How much of a wait shows where lines were touched early or follow each
  // other: all of it where prefetchers do not.
  auto shows = [&](Real share, const Home &from) {
    return share + (arith.real(1.0) - share) * shareUnfollowed(from);
  };
  Real fromL2 =
      arith.select(shareTaken("l1", c.kc, piece) <= arith.real(1.0), nothing,
                   arith.real(double(piece)) * perByte("l2.bandwidth"));
  Home panel =
      homeOfBlock(max(arith.real(c.kc) * double(piece), param("l2.capacity")));
  Real again =
      arith.select(shareTaken("l2", c.kc, piece) <= arith.real(0.25), fromL2,
                   waitForPiece(panel) * shows(early * 0.5, panel));
  // From a cache each waits, which hides behind the work of several rows.
  Real first = arith.select(homeB.cached,
                            waitForPiece(homeB) * shows(early, homeB), nothing);
  first = arith.select(whole, nothing, first);
  return {arith.real(c.groups - arith.size(1)) * again, nothing, first};
}

/// What a step of a panel in place waits for, which takes `step` otherwise.
ContractionFamily::Waits
ContractionFamily::emitWaits(const ContractionVariant &variant,
                             const ContractionSizes &c, const Home &homeB,
                             Real step) {
  int64_t piece = variant.width() * bytesB;
  Real early = arith.real(variant.micro.getPrefetch() ? 0.4 : 1.0);
  // Steps hide the more of a wait the longer they take.
  auto seen = [&](Real wait) { return min(wait, wait * wait / step); };
  double lines = linesOfPiece(piece);
  Real fromL2 = arith.select(
      shareTaken("l1", c.kc, piece) <= arith.real(0.5), arith.real(0.0),
      max(translation(), param("l2.latency") * lines / outstanding()) *
          missesOfPieces() * early);
  Home beyond =
      homeOfBlock(max(arith.real(c.kc) * double(piece), param("l2.capacity")));
  Real crowded = shareCrowded(c.kc, piece, beyond);
  Real again = seen(fromL2) * (arith.real(1.0) - crowded) +
               seen(waitForPiece(beyond) * lines) * crowded;
  // Lines that arrive early, in whatever order, stay in L1 until their step
  // comes, unless the steps before push them out: these waits show, others hide
  // behind the transfer of few rows (measured with one row out of L3: 2 ns a
  // step of 128 bytes where all share their sets, 0.2 to 0.6 of rows 16 KiB and
  // an eighth or a quarter of a way apart).
  Real shared = shareOfSets();
  shared = shared + (arith.real(1.0) - shared) * shareUnfollowed(homeB);
  // From memory, too, whole vectors are followed (measured with one to four
  // rows, B of 50 and 95 MB: 0.4 ns of 256 bytes, 0.8 of 128; under masks 5).
  Real followed =
      arith.select(homeB.cached, arith.real(1.0),
                   shareUnfollowed(homeB) * 0.85 + arith.real(0.15));
  Real first =
      seen(waitForPiece(homeB) * (shared * 0.75 + 0.25) * early * followed);
  return {arith.real(c.groups - arith.size(1)) * again + first * shared,
          first * (arith.real(1.0) - shared), arith.real(0.0)};
}
