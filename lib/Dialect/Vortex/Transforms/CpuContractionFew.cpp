//===- CpuContractionFew.cpp - Few rows, columns or steps -----------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Candidates of contractions that a tile in registers does not suit: of few
// rows (sweeps over rows of B), of few columns (lanes along the reduction), of
// few columns and steps (several rows in a vector) and of few steps (rows of B
// in registers).
//
//===----------------------------------------------------------------------===//

#include "CandidateChoice.h"
#include "CpuContraction.h"

#include "OuterTile.h"
#include "StripTile.h"

#include "vortex/HwDesc/Targets.h"

using namespace mlir;
using namespace vortex;

/// Most columns and rows of a tile of inner products for few columns: more sums
/// gain nothing beyond L1, and each number of rows is code of its own.
static constexpr int64_t kNarrowColumns = 4, kNarrowRows = 4;

/// Few rows by whole rows of B, as many side by side as are read as fast as
/// one. The result is read and written again for each few steps of the
/// reduction, which binds more than four rows, and factors take half of the
/// registers: where these leave two rows of B at once, they are read at 0.6 of
/// the bandwidth (measured with AVX2, three and four rows, from L2, L3 and
/// memory).
ContractionVariant ContractionFamily::makeSweepVariant() {
  int64_t registers = hw.getVectorRegisters();
  int64_t streams =
      std::max<int64_t>(hw.getNumber("l2.streams").value_or(4), 1);
  int64_t steps = llvm::bit_floor(
      uint64_t(std::max<int64_t>(std::min(streams, registers / 4), 1)));
  int64_t rows = std::clamp<int64_t>(registers / 8, 1, 4);
  ContractionVariant variant;
  variant.micro = MicroKernelAttr::get(
      kernel.getContext(), "sweep", rows,
      /*vectors=*/std::max<int64_t>(steps / 2, 1), lanes, /*unroll=*/steps,
      /*prefetch=*/0, /*narrow_rows=*/0, /*scheduler=*/false, /*lane_axis=*/-1,
      /*in_flight=*/0);
  variant.name = "sweep_" + std::to_string(steps);
  variant.blockK = true;
  return variant;
}

/// Inner products for fewer columns than lanes, which leave lanes along the
/// columns idle. Columns are laid out along the reduction, one behind the
/// other, and there is code for each number of them up to the width of a tile.
std::optional<ContractionVariant>
ContractionFamily::makeNarrowVariant(bool weight) {
  if (!innerA || (inner && !weight) || !makesNoOperand())
    return std::nullopt;
  int64_t n = anchor.getStaticLoopRanges()[roles.n];
  if (!ShapedType::isDynamic(n) && n >= lanes)
    return std::nullopt;
  // A vector of each row and one of B, and the sums; rows and columns are
  // streams, which a power of two apart lie in one set of L1.
  int64_t columns = llvm::bit_floor(uint64_t(std::max<int64_t>(
      std::min({lanes, hw.getVectorRegisters() / 4, kNarrowColumns}), 1)));
  int64_t ways = std::max<int64_t>(
      int64_t(hw.getNumber("l1.ways").value_or(kNarrowRows)), columns + 1);
  int64_t rows =
      std::clamp<int64_t>((hw.getVectorRegisters() - 3) / (columns + 1), 1,
                          std::min(ways - columns, kNarrowRows));
  ContractionVariant variant;
  variant.micro = MicroKernelAttr::get(
      kernel.getContext(), "fma", rows, columns, lanes, getInnerUnroll(),
      /*prefetch=*/0, /*narrow_rows=*/
      std::max(rows, std::min(ways - 2, kNarrowRows)),
      /*scheduler=*/false, /*lane_axis=*/roles.k.back(), getInnerInFlight());
  variant.name = ((weight ? "narrow_" : "pack_narrow_") + Twine(rows) + "x" +
                  Twine(columns))
                     .str();
  variant.panelB = true;
  variant.bound = weight;
  return variant;
}

/// Vectors of half as many lanes, where the machine computes halves one behind
/// the other: the last columns, if they are no more than half a vector, then
/// take half of the time. Panels of B are those of the other candidates.
std::optional<ContractionVariant>
ContractionFamily::makeHalfVariant(ArrayRef<ContractionVariant> others,
                                   bool weight) {
  int64_t n = anchor.getStaticLoopRanges()[roles.n];
  auto panels = llvm::find_if(others, [](const ContractionVariant &other) {
    return other.bound && !other.inner();
  });
  if (hw.getNumber(fmaKey + ".half").value_or(0) <= 0 || !hasMaskRegisters() ||
      dot || tile || !roles.batch.empty() || !makesNoOperand() ||
      bytesA != bytesC || bytesB != bytesC || lanes % 2 ||
      (weight ? !directB || panels == others.end() : !rowsOfB) ||
      (!ShapedType::isDynamic(n) &&
       (n > kHalfVectors * lanes || (n + lanes - 1) % lanes >= lanes / 2)))
    return std::nullopt;
  int64_t registers = hw.getVectorRegisters();
  int64_t vectors = weight ? 2 * panels->vectorsOfPanel() : kHalfVectors;
  int64_t rows = (registers - vectors - 1) / vectors;
  if (rows < 1)
    return std::nullopt;
  int64_t inFlight =
      rules.oneOrder ? 0 : std::min(2 * getInFlight(), registers / 2);
  ContractionVariant variant;
  variant.name = ((weight ? "direct_panel_half_" : "direct_half_") +
                  Twine(rows) + "x" + Twine(vectors * lanes / 2))
                     .str();
  variant.micro = MicroKernelAttr::get(
      kernel.getContext(), "fma", rows, vectors, lanes / 2, kUnroll,
      /*prefetch=*/0, /*narrow_rows=*/std::max(rows, kRowStreams),
      /*scheduler=*/false, /*lane_axis=*/-1, inFlight);
  variant.panelB = variant.bound = weight;
  // Another with threads would be as much code again, for results whose columns
  // are few.
  variant.tiny = true;
  return variant;
}

/// Several rows of the result in each vector, where they are so short that
/// lanes along the columns would idle and a reduction of so few steps that
/// lanes along it would, too. A panel of B is that of the other candidates.
std::optional<ContractionVariant>
ContractionFamily::makeStripVariant(ArrayRef<ContractionVariant> others,
                                    bool weight) {
  SmallVector<int64_t> extents = anchor.getStaticLoopRanges();
  auto mayBe = [](int64_t extent, int64_t most) {
    return ShapedType::isDynamic(extent) || extent <= most;
  };
  AffineMap out = anchor.getIndexingMapsArray().back();
  auto row =
      out.getResultPosition(getAffineDimExpr(roles.m, kernel.getContext()));
  if (rules.oneOrder || roles.k.size() != 1 || roles.a != 0 || roles.b != 1 ||
      !row || !hasMaskRegisters() || hw.getVectorBytes() != bytesC * lanes ||
      !mayBe(extents[roles.n], mostOfStrip(lanes)) ||
      !mayBe(extents[roles.k[0]], mostOfStrip(lanes)) || inputA < 0 ||
      (weight ? !directB : !rowsOfB))
    return std::nullopt;
  Block &payload = kernel.getPayload().front();
  if (findStripProduct(payload, out.getNumResults() - *row) != anchor)
    return std::nullopt;
  auto panels = llvm::find_if(others, [](const ContractionVariant &other) {
    return other.bound && !other.narrow();
  });
  if (weight && panels == others.end())
    return std::nullopt;
  // As many vectors as hide what a multiply-add waits for.
  constexpr int64_t kVectors = 4;
  ContractionVariant variant;
  variant.name = "strip_" + std::to_string(kVectors);
  variant.micro = MicroKernelAttr::get(
      kernel.getContext(), "strip", kVectors,
      weight ? panels->vectorsOfPanel() : 1, lanes, /*unroll=*/1,
      /*prefetch=*/0, /*narrow_rows=*/0, /*scheduler=*/false, /*lane_axis=*/-1,
      /*in_flight=*/0);
  variant.panelB = variant.bound = weight;
  return variant;
}

/// Few steps, where code around a tile takes longer than what is in it: the
/// rows of B stay in registers and a loop goes down those of the result. A
/// panel of B is that of the other candidates. Batches, which are those of
/// attention, reduce over more than that, and are many kernels to compile.
/// Products of integers are one before they are added: the registers that hold
/// B leave them none.
std::optional<ContractionVariant>
ContractionFamily::makeOuterVariant(ArrayRef<ContractionVariant> others,
                                    bool weight) {
  int64_t k =
      roles.k.size() == 1 ? anchor.getStaticLoopRanges()[roles.k.front()] : 0;
  auto panels = llvm::find_if(others, [](const ContractionVariant &other) {
    return other.bound && !other.inner() && !other.strip();
  });
  if (rules.oneOrder || roles.k.size() != 1 || !roles.batch.empty() ||
      inputA < 0 || (weight ? !directB || panels == others.end() : !rowsOfB) ||
      getElementTypeOrSelf(anchor->getResult(0)).isIntOrIndex() ||
      findOuterProduct(kernel.getPayload().front()) != anchor)
    return std::nullopt;
  // As wide as two panels, or as one where there are more than half of the
  // steps. Half of the registers hold B, what is left the sums of two rows and
  // A.
  int64_t vectors = 2 * (weight ? panels->vectorsOfPanel() : 2);
  int64_t steps = hw.getVectorRegisters() / vectors;
  if (steps < 1 || (!ShapedType::isDynamic(k) && k > steps))
    return std::nullopt;
  constexpr int64_t kRows = 4;
  ContractionVariant variant;
  variant.name = ("outer_" + Twine(steps) + "x" + Twine(vectors * lanes)).str();
  variant.panels = weight ? 2 : 1;
  variant.micro = MicroKernelAttr::get(
      kernel.getContext(), "outer", kRows, vectors, lanes, /*unroll=*/steps,
      /*prefetch=*/0, /*narrow_rows=*/0, /*scheduler=*/false, /*lane_axis=*/-1,
      /*in_flight=*/0);
  variant.panelB = variant.bound = weight;
  return variant;
}

/// Parts of a long reduction for threads, where the result is so small that
/// its rows and columns do not feed them: each thread reads its own steps of B,
/// and writes sums that no other does. The tile is the largest that lays
/// nothing out in the call; of inner products, whose rows are long here, the
/// one that touches the next columns (one column of one row, two threads: half
/// of the time).
std::optional<ContractionVariant>
ContractionFamily::makePartsVariant(ArrayRef<ContractionVariant> others,
                                    bool weight) {
  bool along = !weight && !rowsOfB;
  auto worth = [&](const ContractionVariant &variant) {
    int64_t sums = variant.micro.getRows() * variant.micro.getVectors();
    bool early = variant.micro.getPrefetch() != 0;
    return std::make_tuple(early == along, sums, variant.micro.getVectors());
  };
  const ContractionVariant *base = nullptr;
  for (const ContractionVariant &other : others)
    if (other.micro.getInstruction() == "fma" && !isHalf(other.micro) &&
        other.inner() == along && !other.packA && !other.blockK &&
        other.panelB == weight && other.bound == weight &&
        (!base || worth(other) > worth(*base)))
      base = &other;
  if (!base || !canBlockK() || !canAddParts(anchor, roles.k.front()) ||
      isPlannedForOneThread(kernel) || !roles.batch.empty() || bytesC < 4 ||
      anchor.getNumDpsInputs() != 2 ||
      !splitPayload(/*apart=*/true).behind.empty())
    return std::nullopt;
  ContractionVariant variant = *base;
  StringRef tile = base->name;
  if (!tile.consume_front("direct_"))
    tile.consume_front("raw_");
  variant.name = ("parts_" + tile).str();
  if (int64_t n = anchor.getStaticLoopRanges()[roles.n];
      !ShapedType::isDynamic(n) &&
      llvm::divideCeil(n, variant.width()) >= 2 * kTilesOfThread) {
    report.pruned.push_back(variant.name + ": the columns feed two threads");
    return std::nullopt;
  }
  variant.tiny = variant.parts = true;
  variant.share = ContractionVariant::Share::Threads;
  return variant;
}

/// Nanoseconds of a call, several rows in each vector: a permutation and a
/// multiply-add for each vector and step, and what each vector reads and
/// writes.
Real ContractionFamily::emitStripCost(const ContractionVariant &variant,
                                      const ContractionSizes &c) {
  // As many rows as fit when they lie one behind the other.
  Size byColumns = arith.size(lanes) / atLeast(c.n, 1);
  Size bySteps = arith.size(2 * lanes) / atLeast(c.k, 1);
  Size each = atLeast(min(byColumns, bySteps), 1);
  Real vectors = arith.real(ceilDiv(c.mt, each));
  Real cycle = arith.real(4.0 * lanes) / rateOf(variant.micro);
  Size perThread = c.batch;
  if (!roles.batch.empty())
    perThread = ceilDiv(
        c.batch, arith.select(c.batch >= c.threads, c.threads, arith.size(1)));
  Real repeat = arith.real(perThread);
  Real core = vectors * (arith.real(c.k) * 0.95 + 1.4) * cycle +
              param("register.startup") * 1.5;
  Real bytes = arith.real(c.mt * c.k) * double(bytesA) +
               arith.real(c.mt * c.n) * (2.0 * double(bytesC));
  Home home = homeBetweenCalls(repeat * bytes, bytes * arith.real(c.batch));
  Real total = repeat * max(core, bytes * home.byteTime) + param("core.call");
  if (variant.tiny)
    return total;
  // A task is a call that finds its tile again; in place it shows less
  // (measured).
  Real task = param("core.call") * (variant.panelB ? 0.4 : 0.05);
  Real alone = param("core.call") * (variant.panelB ? 0.17 : 0.05);
  return total + repeat * task +
         arith.select(arith.size(1) < c.threads, param("core.startup"), alone);
}

/// Nanoseconds of a call that goes down all rows with the rows of B in
/// registers: for each vector of a row a store, two multiply-adds a cycle, and
/// four instructions.
Real ContractionFamily::emitOuterCost(const ContractionVariant &variant,
                                      const ContractionSizes &c) {
  Real cycle = arith.real(4.0 * lanes) / rateOf(variant.micro);
  Size columns = columnsOf(c);
  Size panels = ceilDiv(columns, columnsOfOuter(variant, c));
  Real vectors = arith.real(ceilDiv(columns, arith.size(lanes)));
  Real k = arith.real(c.k);
  Real ofA = arith.real(c.mt * c.k) * double(bytesA),
       ofC = arith.real(c.mt * columns) * double(bytesC);
  // Vectors across lines wait for both, which nothing has touched, beyond L1;
  // passes of fewer columns have more such lines (fitted: 300 rows of 33 to
  // 1348 columns, 1 to 8 steps, 1.3 to 1.8 of the time of rows of whole lines).
  Real stores = arith.real(1.0);
  if (waitsAcrossLines(hw)) {
    Flag fewColumns = arith.size(variant.micro.getUnroll() / 2) < c.k;
    stores = arith.select(
        isAcrossLines(c, ofC),
        arith.select(fewColumns, arith.real(2.75), arith.real(1.75)), stores);
  }
  Real instructions = (k + arith.real(1.0)) * vectors +
                      (k + arith.real(1.5)) * arith.real(panels);
  Real row = max(max(vectors * stores, instructions * 0.25), k * vectors * 0.5);
  // The code of a panel is found beside the rows of the one before, of which
  // blocks of few rows leave more to see (fitted: a quarter of the start).
  Real core =
      arith.real(c.mt) * row * cycle +
      arith.real(panels) * (param("register.startup") *
                            (arith.real(c.blocks) * 0.25 + arith.real(0.25)));
  Home home = homeBetweenCalls(ofA + ofC, bytesOfAll(c));
  return max(core, (ofA + ofC * 2.0 * stores) * home.byteTime) +
         param("core.call") * 1.4 +
         arith.select(arith.size(1) < c.threads, param("core.startup"),
                      param("core.call") * 0.17);
}

/// Nanoseconds of a call that sweeps over rows of B: of each of its vectors the
/// products, and what is read and written for them.
Real ContractionFamily::emitSweepCost(const ContractionVariant &variant,
                                      const ContractionSizes &c) {
  MicroKernelAttr micro = variant.micro;
  Real cycle = arith.real(4.0 * lanes) / rateOf(micro);
  Size perThread = arith.size(1);
  if (!roles.batch.empty())
    perThread = ceilDiv(
        c.batch, arith.select(c.batch >= c.threads, c.threads, arith.size(1)));
  Real repeat = arith.real(perThread);
  Size columns = columnsOf(c);
  Real vectors = arith.real(ceilDiv(columns, arith.size(lanes)));
  Real rows = arith.real(c.mt), k = arith.real(c.k);
  // Sweeps of as many steps as factors fit for, and of half as many each where
  // there are fewer: of up to two rows all fit, of up to four half.
  Size whole = c.k, fewer = c.k;
  for (int64_t each = 2; each <= micro.getUnroll(); each *= 2) {
    fewer = whole;
    whole = whole - c.k / arith.size(each);
  }
  Size sweeps = arith.select(c.mt <= arith.size(2), whole, fewer);
  // Two multiply-adds a cycle, two loads, one store.
  Real moved = rows * arith.real(sweeps);
  Real core = vectors * cycle * max(max(rows * k, moved + k) * 0.5, moved);
  // A vector that lies in two lines is read twice, of which much else hides a
  // part, and written twice (fitted with AVX-512: one to four rows, B of 20 KB
  // to 8 MB); out of L2 it may wait for both (a Xeon of model 207: 0.3 ns).
  Real twice = arith.real(0.0);
  if (hasMaskRegisters()) {
    Real reads = arith.real(0.19);
    if (waitsAcrossLines(hw))
      reads = arith.select(bytesOfAll(c) <= param("l1.capacity"), reads,
                           arith.real(1.2));
    twice = arith.select(hasSplitRows(/*ofA=*/false, hw.getVectorBytes()),
                         vectors * cycle *
                             (k * reads + (moved - arith.real(sweeps)) * 0.69),
                         twice);
  }
  sweeps = sweeps * ceilDiv(columns, columnsOfSweep(variant, c));
  // Where rows are short, a sum waits for the sweep before: its products, one
  // behind the other, and what was stored (measured: 12 ns, columns of one and
  // two vectors).
  Real chain = latencyOf(micro) * double(micro.getUnroll()) +
               param("register.startup") * 0.75;
  core = repeat *
         max(core + arith.real(sweeps) * (param("register.startup") * 0.25),
             arith.real(sweeps) * chain);
  Real bytesOfB = arith.real(columns * c.k) * double(bytesB);
  Real others = arith.real(c.mt * c.k) * double(bytesA) +
                arith.real(c.mt * columns) * (2.0 * double(bytesC));
  Real all = bytesOfAll(c), own = repeat * (bytesOfB + others);
  Home home = homeBetweenCalls(own, all), homeB = homeOfB(c, own, all);
  Real memory = repeat * (bytesOfB * homeB.byteTime + others * home.byteTime);
  // The more arithmetic there is, the fewer reads ahead a core has under way
  // (measured with one to four rows: all of it shows beside memory, 0.1 for
  // each row beside L3).
  Real seen = min(core, memory) *
              arith.select(homeB.cached, rows * 0.1, arith.real(1.0));
  // With several threads sweeps over more than two rows were slow at one size
  // (4 x 1024 x 512, rows of a page each: 76 instead of 20 us). Taken to be
  // lines of one core's part of a row that prefetchers of the other ask for:
  // estimate.
  Flag taken = (arith.size(1) < c.threads) & (arith.size(2) < c.mt);
  Real shared = arith.real(sweeps) * rows * param("device.latency");
  seen = seen + arith.select(taken, shared, arith.real(0.0));
  return max(core, memory) + seen + repeat * twice + param("core.call") * 1.4 +
         arith.select(arith.size(1) < c.threads, param("core.startup"),
                      param("core.call") * 0.17);
}
