//===- CpuContraction.cpp - Candidates of contractions --------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Register tiles of rows x vectors are grown from the multiply-
// add instruction under the number of vector registers; the tile with the
// best ratio of multiply-adds to loads is kept, and a wide one with a second
// axis of code versions for small problems. Each is extended by what is packed
// (rows of A in L2, panels of B) and whether the next panel is touched early.
// Those for few rows, columns or steps alone are in CpuContractionFew.cpp.
// Row kernels have one tree.
//
//===----------------------------------------------------------------------===//

#include "CpuContraction.h"

#include "CpuCandidates.h"
#include "MicroKernelEmitter.h"

using namespace mlir;
using namespace vortex;

/// Products for each element that a step of a tile streams.
static double getRatio(int64_t rows, int64_t width) {
  return double(rows * width) / double(rows + width);
}

/// Bottom up: every tile that the registers hold, by the vectors of a row, of
/// which it has `tallest` rows at most. A step loads r + v registers for r v
/// multiply-adds, so ports allow all but the narrowest; between the others the
/// bytes that a step streams from L2 decide, (r + w) elements for r w products.
/// The tallest of each width first; lower ones, where all are asked for, in
/// steps that a difference in speed shows at.
SmallVector<RegisterTile>
ContractionFamily::growTiles(llvm::function_ref<int64_t(int64_t)> tallest) {
  SmallVector<RegisterTile> tiles;
  for (int64_t vectors = 1; vectors <= kMostVectors; ++vectors) {
    int64_t most = std::min<int64_t>(tallest(vectors), 16);
    SmallVector<int64_t> heights = {most};
    if (rules.candidates == Candidates::All)
      heights.append({most * 3 / 4, most / 2});
    for (int64_t rows : heights) {
      ++report.considered;
      if (rows < 1) {
        report.pruned.push_back((Twine(vectors) + " vectors: no register left "
                                                  "for a row")
                                    .str());
        break;
      }
      int64_t width = vectors * lanes;
      RegisterTile tile{rows, vectors, getRatio(rows, width),
                        (Twine(rows) + "x" + Twine(width)).str()};
      if (tile.loadsMore() && rules.candidates == Candidates::Few)
        report.pruned.push_back(tile.name + ": more loads than multiply-adds");
      else
        tiles.push_back(std::move(tile));
    }
  }
  return tiles;
}

/// Of those that ports do not bound; null: there is none.
static const RegisterTile *findBest(ArrayRef<RegisterTile> tiles) {
  const RegisterTile *best = nullptr;
  for (const RegisterTile &tile : tiles)
    if (!tile.loadsMore() && (!best || tile.ratio > best->ratio))
      best = &tile;
  return best;
}

SmallVector<ContractionVariant> ContractionFamily::enumerate() {
  int64_t registers = hw.getVectorRegisters();
  SmallVector<RegisterTile> tiles = growTiles(
      [&](int64_t vectors) { return (registers - vectors - 1) / vectors; });
  const RegisterTile *best = findBest(tiles);
  if (!best)
    return {};
  if (rules.candidates == Candidates::Few)
    for (const RegisterTile &tile : tiles)
      if (&tile != best && tile.vectors != 4)
        report.pruned.push_back(
            tile.name + ": streams more from L2 for each product than " +
            best->name);
  if (rules.oneOrder && getInFlight())
    report.pruned.push_back("partial sums of tiles of few rows: the order of "
                            "terms would follow the rows (batch-invariant)");
  bool weight = directB && isWeight(kernel.getInputs()[inputB]);
  SmallVector<ContractionVariant> variants;
  if (tile)
    enumerateMatrixTiles(weight, variants);
  if (dot)
    enumerateDots(weight, variants);
  if (weight && dot)
    return variants;
  enumerateMultiplyAdds(*best, std::min(best->rows, kRowStreams), weight,
                        variants);
  if (rules.candidates == Candidates::All)
    for (const RegisterTile &tile : tiles)
      enumerateMultiplyAdds(tile, tile.rows, weight, variants);
  if (!weight && inner && makesNoOperand())
    enumerateInner(variants);
  return variants;
}

/// Unless there is one of its name: widths and heights meet in some.
void ContractionFamily::add(ContractionVariant variant,
                            SmallVectorImpl<ContractionVariant> &variants) {
  if (llvm::any_of(variants, [&](const ContractionVariant &other) {
        return other.name == variant.name;
      }))
    return;
  ++report.considered;
  // As `StageOp` is verified: a tile of one row may need more than there are.
  MicroKernelAttr micro = variant.micro;
  int64_t need = (micro.getRows() + 1) * micro.getVectors() + 1;
  if (micro.getInstruction() == "fma" && micro.getLaneAxis() < 0 &&
      need > hw.getVectorRegisters()) {
    report.pruned.push_back(
        (variant.name + ": needs " + Twine(need) + " vector registers").str());
    return;
  }
  variants.push_back(std::move(variant));
}

/// Candidates of a register tile of multiply-adds; those that read A in place
/// have `streams` rows at most. Of tall tiles touching the next panel takes a
/// hundredth, so that panels beside packed rows always do; and what packs rows
/// of A alone does so in blocks of the reduction. Without the
/// others 170 sizes take 0.2 and 0.1 percent longer in the mean (a Xeon of
/// model 207, one and two threads, DeepBench's and drawn at random, the worst
/// of one run 1.09 and 1.24), and they are a fifth of the code.
void ContractionFamily::enumerateMultiplyAdds(
    const RegisterTile &tile, int64_t streams, bool weight,
    SmallVectorImpl<ContractionVariant> &variants) {
  int64_t registers = hw.getVectorRegisters();
  // Narrow tiles are as tall as one vector of B and one of A leave registers
  // for, with four over for what LLVM moves between the steps; more than
  // sixteen rows gain nothing.
  int64_t narrowRows = std::min<int64_t>(registers - 6, 16);
  // Half of the registers at most: operands and masks need some, too.
  int64_t inFlight = std::min(getInFlight(), registers / 2);
  if (rules.oneOrder)
    inFlight = 0;
  // Steps of integers are not unrolled: LLVM adds the products of several to
  // each other first, and they take the registers of sums.
  Type sum = getElementTypeOrSelf(anchor->getResult(0));
  bool integers = sum.isIntOrIndex();
  // Sums of narrow floats are rounded at each step by many instructions: what
  // several steps at once would hide is little, and takes minutes to compile.
  bool rounds = !integers && sum.getIntOrFloatBitWidth() < 32;
  if (rounds)
    inFlight = 0;
  auto withNarrow = [&](int64_t rows, int64_t vectors, int64_t prefetch,
                        int64_t narrow, bool scheduler) {
    return MicroKernelAttr::get(
        kernel.getContext(), "fma", rows, vectors, lanes,
        integers || rounds ? 1 : kUnroll, prefetch,
        divideExtent(roles.n, vectors) ? 0 : narrow, scheduler,
        /*lane_axis=*/-1, inFlight);
  };
  auto micro = [&](int64_t rows, int64_t vectors, int64_t prefetch,
                   bool adaptive, bool scheduler) {
    return withNarrow(rows, vectors, prefetch,
                      adaptive ? std::max(narrowRows, rows) : 0, scheduler);
  };
  int64_t r = tile.rows, v = tile.vectors, u = streams;
  const std::string &shape = tile.name;
  std::string unpacked = (Twine(u) + "x" + Twine(v * lanes)).str();
  // Rows of B in place are read under masks, which are vectors themselves on
  // machines without mask registers.
  bool maskRegisters = hasMaskRegisters();
  bool all = rules.candidates == Candidates::All;
  int64_t inPlace =
      maskRegisters ? r : std::max<int64_t>((registers - 1 - 2 * v) / v, 1);
  int64_t packedRows = std::min(r, inPlace);
  // Rows of A in place are few, so that another width streams least (measured
  // on a Xeon of model 207, tiles of 8 x 48 instead of 8 x 32, 8 to 128 rows, B
  // in L2: 0.73 to 1.0 of the time).
  int64_t rawRows = std::min(u, inPlace), rawVectors = v;
  if (maskRegisters && u < r && !rounds)
    for (int64_t vectors = v + 1; vectors < kMostVectors; ++vectors) {
      // A product of integers is one before it is added.
      int64_t others = (vectors + 1) * (integers ? 2 : 1);
      int64_t rows = std::min(u, (registers - others) / vectors);
      if (getRatio(rows, vectors * lanes) >
          getRatio(rawRows, rawVectors * lanes)) {
        rawRows = rows;
        rawVectors = vectors;
      }
    }
  std::string raw = (Twine(rawRows) + "x" + Twine(rawVectors * lanes)).str();
  // The last columns of a row take the vectors that they need, as many rows
  // high as the others: code for more rows gains less than it takes to make.
  // Masks that are vectors leave it no registers.
  ContractionVariant rowsInPlace{
      "raw_" + raw,
      withNarrow(rawRows, rawVectors, 0, maskRegisters ? rawRows : 0, false)};
  auto add = [&](ContractionVariant variant) {
    this->add(std::move(variant), variants);
  };
  if (weight) {
    int64_t lines = linesOfStep(v * lanes);
    if (directA) {
      std::string packed = "packed_" + shape, early = packed + "_prefetch";
      if (all || !maskRegisters)
        add({packed, micro(r, v, 0, true, false), true, true, true});
      else
        report.pruned.push_back(packed + ": no faster than " + early);
      add({early, micro(r, v, lines, true, false), true, true, true});
      if (canBlockK())
        add({"kblock_" + shape, micro(r, v, lines, false, false), true, true,
             true, false, true});
    }
    // Taller tiles of one vector would be for as many columns as lanes alone:
    // fewer are left to tiles of inner products.
    ContractionVariant single{"panel_" + unpacked,
                              withNarrow(u, v, 0, u, false), false, true, true};
    std::optional<ContractionVariant> wide;
    if (!integers && !rounds)
      wide = makePanelsVariant(single);
    if (wide && !all)
      report.pruned.push_back(single.name + ": issues more instructions for " +
                              "each multiply-add than " + wide->name);
    if (wide)
      add(*wide);
    if (!wide || all)
      add(single);
    add({"panel_" + unpacked + "_prefetch", withNarrow(u, v, lines, u, false),
         false, true, true});
    return;
  }
  if (directB && !dot) {
    if (directA) {
      add({"pack_both_" + shape, micro(r, v, 0, false, false), true, true});
      if (canBlockK())
        add({"pack_both_" + shape + "_kblock", micro(r, v, 0, false, false),
             true, true, false, false, true});
      // Where masks are vectors, B in place takes rows of the tile and reads
      // pieces of one line. In panels it does not, and rows of A are read where
      // they are; so many columns leave less of a wider panel empty. Panels as
      // wide as the tile's gain 0.03 percent (395 sizes drawn at random and
      // long reductions, one and two threads, an EPYC of family 25, model 1;
      // 1.15 at one of them, 2013 x 31 x 2355).
      int64_t w = v + 1;
      int64_t rows = (registers - w - (integers ? 2 : 1)) / w;
      if (canBlockK() && rowsOfB && !maskRegisters && rows > 1)
        add({("pack_b_" + Twine(rows) + "x" + Twine(w * lanes) + "_kblock")
                 .str(),
             micro(rows, w, 0, false, false), false, true, false, false, true});
    } else {
      add({"pack_b_" + unpacked, micro(u, v, 0, false, false), false, true});
    }
  }
  if (rowsOfB) {
    std::string packed =
        ("pack_a_" + Twine(packedRows) + "x" + Twine(v * lanes)).str();
    // A product of integers is one before it is added, and columns are read
    // before they are widened: a register each beside the four columns and A.
    int64_t wideRows =
        std::max<int64_t>((registers - (integers ? 10 : 5)) / 4, 1);
    std::string wide = (Twine(wideRows) + "x" + Twine(4 * lanes)).str();
    // Of short reductions rows of A are packed for nothing.
    bool inBlocks = directA && maskRegisters && canBlockK();
    if (directA && (all || !inBlocks))
      add({packed, micro(packedRows, v, 1, false, false), true, false});
    else if (directA)
      report.pruned.push_back(packed + ": no faster than " + packed +
                              "_kblock or raw_" + raw);
    add(rowsInPlace);
    // In blocks of the reduction rows of B are read on from tile to tile,
    // which prefetchers follow; tiles of few rows read wide pieces.
    if (canBlockK()) {
      if (inBlocks)
        add({packed + "_kblock", micro(packedRows, v, 1, false, false), true,
             false, false, false, true});
      add({"raw_" + (maskRegisters ? wide : raw) + "_kblock",
           maskRegisters ? micro(wideRows, 4, 1, false, false)
                         : micro(rawRows, v, 1, false, false),
           false, false, false, false, true});
    }
    // Steps of a window over B are no rows of it.
    if (canBlockK() && anchor.getNumDpsInputs() == 2 && inputA >= 0 &&
        inputB >= 0 &&
        anchor.getIndexingMapsArray()[roles.b].getResultPosition(
            getAffineDimExpr(roles.k[0], kernel.getContext())))
      add(makeSweepVariant());
    // Masks of vectors in place take registers where they are vectors.
    if (!maskRegisters)
      inFlight = std::min(inFlight, registers / 4);
    // Fewer vectors than four leave registers for more rows, but rows of A are
    // in place: sixteen of one vector take 1.2 of the time of eight, 1.6 where
    // rows lie a power of two apart (1024 x 16 x 1024).
    ContractionVariant direct;
    direct.name = "direct_" + wide;
    direct.micro = withNarrow(wideRows, 4, 0, std::max(wideRows, u), false);
    direct.tiny = true;
    add(direct);
    if (all) {
      direct.name = "direct_" + raw;
      direct.micro = withNarrow(rawRows, rawVectors, 0, rawRows, false);
      add(direct);
      if (canBlockK())
        add({"raw_" + raw + "_kblock",
             micro(rawRows, rawVectors, 1, false, false), false, false, false,
             false, true});
    }
  }
  if (variants.empty())
    add(rowsInPlace);
}

/// A tile with the columns of two panels that lie as those of `single`, which
/// others read one by one. A core does two multiply-adds a cycle and issues six
/// instructions, half of them where it is shared by two threads, as those of
/// virtual machines are: three for two multiply-adds. Tiles of 8 x 32 have
/// 26 for 16, of 6 x 64 34 for 24. Measured on a Xeon of model 207: a rate of
/// 118 instead of 132 (14 x 32: 118, 9 x 48: 129) while its neighbours are at
/// work, the same 172 at other times, out of L1 and L2. What touches the next
/// panel keeps more rows to hide it behind. Where halves of a vector are
/// computed one behind the other, as many instructions are too few to matter;
/// without mask registers four vectors leave rows too few registers, and
/// several reductions may become one, which reads all of its operand as one
/// memory. None where the columns are known to fit one panel.
std::optional<ContractionVariant>
ContractionFamily::makePanelsVariant(const ContractionVariant &single) {
  constexpr int64_t kPanels = 2;
  MicroKernelAttr micro = single.micro;
  int64_t registers = hw.getVectorRegisters();
  int64_t vectors = micro.getVectors() * kPanels;
  int64_t rows = (registers - vectors - 1) / vectors;
  int64_t n = anchor.getStaticLoopRanges()[roles.n];
  if (!hasMaskRegisters() || hw.getNumber(fmaKey + ".half").value_or(0) > 0 ||
      dot || roles.k.size() != 1 || vectors != kMostVectors || rows < 1 ||
      (!ShapedType::isDynamic(n) && n <= single.width()))
    return std::nullopt;
  ContractionVariant variant = single;
  variant.name = ("panel_" + Twine(rows) + "x" + Twine(vectors * lanes)).str();
  variant.micro = MicroKernelAttr::get(
      kernel.getContext(), "fma", rows, vectors, lanes, micro.getUnroll(),
      /*prefetch=*/0,
      divideExtent(roles.n, vectors) ? 0 : std::max(rows, kRowStreams),
      /*scheduler=*/false, /*lane_axis=*/-1, micro.getInFlight());
  variant.panels = kPanels;
  return variant;
}

/// Sums in lanes of few elements have partial ones where their order may follow
/// the number of rows and none is rounded at each step: half as many as others,
/// for a product has a load or two of its own (measured on a Xeon of model 207:
/// one row of 500 to 2897 steps 0.58 to 0.82 of the time, two 0.9; with as many
/// as others four rows gain nothing, and 1.1 of the time at 100 steps).
int64_t ContractionFamily::getInnerInFlight() {
  Type sum = getElementTypeOrSelf(anchor->getResult(0));
  if (rules.oneOrder || sum.getIntOrFloatBitWidth() < 32)
    return 0;
  return std::min<int64_t>(getInFlight(), hw.getVectorRegisters() / 2) / 2;
}

int64_t ContractionFamily::getInnerUnroll() {
  return getInnerInFlight() ? kUnroll : 1;
}

/// Inner products of rows of both operands.
void ContractionFamily::enumerateInner(
    SmallVectorImpl<ContractionVariant> &variants) {
  int64_t registers = hw.getVectorRegisters();
  // A vector of each row and one of B, and the results. Most columns at once
  // are fewest tiles, for short reductions; for long ones the tile that loads
  // least for its products, beside what the next one reads.
  auto rowsBeside = [&](int64_t columns) {
    return std::max<int64_t>((registers - 3) / (columns + 1), 1);
  };
  auto addInner = [&](int64_t columns, int64_t prefetch) {
    int64_t rows = rowsBeside(columns);
    add({("inner_" + Twine(rows) + "x" + Twine(columns)).str(),
         MicroKernelAttr::get(kernel.getContext(), "fma", rows, columns, lanes,
                              getInnerUnroll(), prefetch, /*narrow_rows=*/0,
                              /*scheduler=*/false,
                              /*lane_axis=*/roles.k.back(),
                              getInnerInFlight())},
        variants);
  };
  int64_t most = llvm::bit_floor(
      uint64_t(std::max<int64_t>(std::min(lanes, registers / 4), 1)));
  auto ratio = [&](int64_t columns) {
    int64_t rows = rowsBeside(columns);
    return double(rows * columns) / double(rows + columns);
  };
  int64_t least = most;
  for (int64_t columns = most / 2; columns > 1; columns /= 2)
    if (ratio(columns) > ratio(least))
      least = columns;
  addInner(most, /*prefetch=*/0);
  if (least != most)
    addInner(least, /*prefetch=*/least / 2);
  if (rules.candidates == Candidates::All)
    for (int64_t columns = most / 2; columns > 0; columns /= 2)
      addInner(columns, /*prefetch=*/columns / 2);
}

/// The instruction that sums groups of products of the payload, if there is
/// one, it is faster than multiply-adds of widened elements, and the operands
/// can be read in groups: B in panels, A where its steps lie side by side.
std::optional<DotMatch> ContractionFamily::getDot() {
  std::optional<DotPayload> payload = matchDotPayload(anchor);
  if (!payload || payload->inputA != roles.a || payload->inputB != roles.b)
    return std::nullopt;
  std::optional<DotMatch> match = findDot(hw, *payload);
  if (!match || match->instruction.getN() != lanes)
    return std::nullopt;
  HwInstructionAttr instruction = match->instruction;
  SmallVector<AffineMap> maps = anchor.getIndexingMapsArray();
  if (!directB || !getGroupedDim(anchor, maps[roles.b]) || inputA < 0 ||
      inputA >= static_cast<int64_t>(kernel.getInputs().size()) ||
      !TileEmitter::isContiguous(maps[roles.a], roles.k.back())) {
    report.pruned.push_back(instruction.getName().str() +
                            ": operands are not read in groups of " +
                            std::to_string(instruction.getK()));
    return std::nullopt;
  }
  // Beside matrix tiles it is for few rows, which wait for the panels of B, and
  // these are theirs.
  if (!tile && !isFasterThanWidened(instruction)) {
    report.pruned.push_back(instruction.getName().str() +
                            ": slower than multiply-adds of widened elements");
    return std::nullopt;
  }
  return match;
}

/// Whether a tile sums what A is too large by: sums of bound columns, of the
/// whole reduction, are made once.
bool ContractionFamily::hasOffsetRow(bool bound, bool blockK) {
  return dot->operands == DotOperands::Offset &&
         (!bound || blockK ||
          !canUseColumnSums(anchor, *matchDotPayload(anchor)));
}

/// As of multiply-adds, with a panel of B for every one: groups lie side by
/// side in memory that was laid out for them alone.
void ContractionFamily::enumerateDots(
    bool weight, SmallVectorImpl<ContractionVariant> &variants) {
  int64_t registers = hw.getVectorRegisters();
  // What an operand is too large by takes a row of sums, and a register.
  int64_t extra = hasOffsetRow(weight, /*blockK=*/false);
  SmallVector<RegisterTile> tiles = growTiles([&](int64_t vectors) {
    return (registers - dot->countRegisters(vectors) - extra) / vectors - extra;
  });
  const RegisterTile *best = findBest(tiles);
  if (!best)
    return;
  // Turns have addresses of their own, which leave registers for half as many.
  int64_t streams = dot->widens ? kRowStreams / 2 : kRowStreams;
  enumerateDots(*best, std::min(best->rows, streams), weight, variants);
  if (rules.candidates == Candidates::All)
    for (const RegisterTile &tile : tiles)
      enumerateDots(tile, tile.rows, weight, variants);
}

/// Of one register tile; `streams` as for multiply-adds.
void ContractionFamily::enumerateDots(
    const RegisterTile &tile, int64_t streams, bool weight,
    SmallVectorImpl<ContractionVariant> &variants) {
  int64_t registers = hw.getVectorRegisters();
  HwInstructionAttr instruction = dot->instruction;
  double latency = instruction.getLatency();
  if (latency == 0)
    latency = hw.getNumber("fma.f32.latency").value_or(0);
  double each = 2 * lanes * instruction.getK();
  int64_t inFlight =
      std::lround(latency * instruction.getRate() / each / 4) * 4;
  inFlight = rules.oneOrder ? 0 : std::min(inFlight, registers / 2);
  int64_t narrow = std::min<int64_t>(registers - (dot->widens ? 9 : 6), 16);
  int64_t r = tile.rows, v = tile.vectors, u = streams;
  auto withNarrow = [&](int64_t rows, int64_t prefetch, int64_t narrow) {
    return MicroKernelAttr::get(kernel.getContext(), "dot", rows, v, lanes,
                                kUnroll, prefetch,
                                divideExtent(roles.n, v) ? 0 : narrow,
                                /*scheduler=*/false, /*lane_axis=*/-1, inFlight,
                                instruction.getName(), instruction.getK(),
                                /*contract=*/true, /*turns=*/false);
  };
  auto micro = [&](int64_t rows, int64_t prefetch, bool adaptive) {
    return withNarrow(rows, prefetch, adaptive ? std::max(narrow, rows) : 0);
  };
  auto name = [&](StringRef prefix, int64_t rows) {
    return (prefix + "_dot_" + Twine(rows) + "x" + Twine(v * lanes)).str();
  };
  auto add = [&](ContractionVariant variant) {
    this->add(std::move(variant), variants);
  };
  // Blocks of the reduction cannot use sums of the whole.
  int64_t inBlocks = hasOffsetRow(weight, /*blockK=*/true)
                         ? std::min((registers - v - 2) / v - 1, r)
                         : r;
  // The last steps of rows in place are read with care, which leaves turns no
  // registers; to pack rows is a hundredth of what to widen them is.
  bool packsAlways = dot->widens && directA;
  if (weight) {
    int64_t lines = linesOfStep(v * lanes * instruction.getK());
    if (directA) {
      add({name("packed", r), micro(r, 0, true), true, true, true});
      add({name("packed", r) + "_prefetch", micro(r, lines, true), true, true,
           true});
      if (canBlockK())
        add({name("kblock", inBlocks), micro(inBlocks, lines, false), true,
             true, true, false, true});
    }
    if (packsAlways) {
      report.pruned.push_back(name("panel", u) + ": no faster than " +
                              name("packed", r));
      return;
    }
    int64_t most = dot->widens ? u : std::max(narrow, u);
    add({name("panel", u), withNarrow(u, 0, most), false, true, true});
    add({name("panel", u) + "_prefetch", withNarrow(u, lines, most), false,
         true, true});
    return;
  }
  if (directA) {
    add({name("pack_both", r), micro(r, 0, false), true, true});
    if (canBlockK())
      add({name("pack_both", r) + "_kblock", micro(r, 0, false), true, true,
           false, false, true});
  }
  if (packsAlways)
    report.pruned.push_back(name("pack_b", u) + ": no faster than " +
                            name("pack_both", r));
  else
    add({name("pack_b", u), micro(u, 0, false), false, true});
}

/// The instruction for the products in matrix tiles, if there is one for their
/// types and both operands can be laid out for it.
HwInstructionAttr ContractionFamily::getTile() {
  std::optional<DotPayload> payload = matchDotPayload(anchor);
  if (!payload || payload->inputA != roles.a || payload->inputB != roles.b)
    return {};
  return findMatrixTile(*payload, [&](HwInstructionAttr) -> std::string {
    AffineMap map = anchor.getIndexingMapsArray()[roles.a];
    if (roles.k.size() == 1 && directA && directB && makesNoOperand() &&
        TileEmitter::isContiguous(map, roles.k.back()))
      return {};
    return "operands are not rows along one reduction that can be packed";
  });
}

/// As many tiles of sums as the registers hold beside those that a step loads.
void ContractionFamily::enumerateMatrixTiles(
    bool weight, SmallVectorImpl<ContractionVariant> &variants) {
  // In place a tile is loaded from the last two dimensions of A; heads between
  // rows and steps, as attention has them, are neither.
  ArrayRef<AffineExpr> indices =
      anchor.getIndexingMapsArray()[roles.a].getResults();
  bool rowsBesideSteps =
      indices.size() > 1 && indices[indices.size() - 2] ==
                                getAffineDimExpr(roles.m, anchor.getContext());
  auto addTile = [&](int64_t r, int64_t c) {
    int64_t high = r * tile.getM();
    ContractionVariant variant =
        makeTileVariant(high, c, weight, /*packA=*/true);
    add(variant, variants);
    if (rowsBesideSteps)
      add(makeTileVariant(high, c, weight, /*packA=*/false), variants);
    if (canBlockK()) {
      variant.name += "_kblock";
      variant.blockK = true;
      add(variant, variants);
    }
  };
  auto [rows, columns] = getTileShape(tile);
  addTile(rows, columns);
  if (rules.candidates == Candidates::All)
    forEachTileShape(tile, addTile);
  // Few rows, of bound weights: a row in place, and half of a tile.
  if (weight && tile.getM() > 1) {
    if (rowsBesideSteps)
      add(makeTileVariant(1, columns, weight, /*packA=*/false), variants);
    add(makeTileVariant(tile.getM() / 2, columns, weight, /*packA=*/true),
        variants);
  }
}

/// Each tile is a whole one, so that one configuration serves all: packed, A
/// has zeros behind its last row and step; in place it has rows enough for a
/// tile, which a guard sees to.
ContractionVariant ContractionFamily::makeTileVariant(int64_t rows,
                                                      int64_t columns,
                                                      bool weight, bool packA) {
  ContractionVariant variant;
  variant.micro =
      makeTileMicro(tile, rows, columns,
                    /*turns=*/tile.getAcc().isInteger() || !rules.oneOrder);
  StringRef packs =
      packA ? (weight ? "packed" : "pack_both") : (weight ? "panel" : "pack_b");
  variant.name =
      (packs + Twine("_tile_") + Twine(rows) + "x" + Twine(columns * lanes))
          .str();
  variant.packA = packA;
  variant.panelB = true;
  variant.bound = weight;
  return variant;
}

/// Where one thread does all, what a task takes to find its tile is much of the
/// time of a small product: tiles for few rows have a twin without tasks, which
/// takes such problems over. (In place `direct_*` is for these.)
void ContractionFamily::addTwins(
    SmallVectorImpl<ContractionVariant> &variants) {
  if (!roles.batch.empty())
    return;
  for (size_t i = 0, e = variants.size(); i != e; ++i) {
    ContractionVariant &variant = variants[i];
    bool few = variant.narrow() || variant.strip();
    bool panel = variant.bound && !variant.packA && !variant.blockK &&
                 !variant.tiny && !variant.matrix() && !variant.outer() &&
                 variant.micro.getPrefetch() == 0;
    if (!few && !panel)
      continue;
    // Something has to run at every size, also where a twin's code spills.
    if (few)
      variant.share = ContractionVariant::Share::Threads;
    ContractionVariant twin = variant;
    twin.name = "direct_" + variant.name;
    twin.tiny = true;
    twin.share = ContractionVariant::Share::Alone;
    ++report.considered;
    variants.push_back(std::move(twin));
  }
}

/// Cache lines that a step reads of a packed panel: one group of rows touches
/// as many of the next panel in each step, for nothing else does.
int64_t ContractionFamily::linesOfStep(int64_t elements) {
  return int64_t(std::ceil(linesOfPiece(elements * bytesB)));
}

/// The payload computes no operand of the contraction on the way.
bool ContractionFamily::makesNoOperand() {
  return llvm::none_of(kernel.getPayload().front(), [&](Operation &op) {
    return op.hasAttr(kIdAttr) && &op != anchor && !isa<linalg::FillOp>(op) &&
           op.isBeforeInBlock(anchor);
  });
}

/// One reduction, of which a part can be added to the result of another.
bool ContractionFamily::canBlockK() {
  return roles.k.size() == 1 && hw.getLevel("l2") && hw.getLevel("l1") &&
         makesNoOperand();
}

void ContractionFamily::emit(const ContractionVariant &variant) {
  ContractionSizes sizes = makeSizes(variant);
  CandidateOp candidate = emitTree(variant, sizes);
  b.createBlock(&candidate.getCost());
  YieldOp::create(b, kernel.getLoc(), emitCost(variant, sizes).value);
  b.setInsertionPointAfter(candidate);
}

LogicalResult ContractionFamily::add() {
  auto inputOf = [&](unsigned operand) -> int64_t {
    auto argument = dyn_cast<BlockArgument>(anchor->getOperand(operand));
    return argument ? argument.getArgNumber() : -1;
  };
  inputA = inputOf(roles.a);
  inputB = inputOf(roles.b);
  SmallVector<AffineMap> maps = anchor.getIndexingMapsArray();
  auto isInput = [&](int64_t position) {
    return position >= 0 &&
           position < static_cast<int64_t>(kernel.getInputs().size());
  };
  Type result = getElementTypeOrSelf(anchor->getResult(0).getType());
  if (!setElement(result))
    return failure();
  auto bytes = [](Value value) -> int64_t {
    return std::max<int64_t>(
        1, getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth() / 8);
  };
  bytesA = bytes(anchor->getOperand(roles.a));
  bytesB = bytes(anchor->getOperand(roles.b));
  bytesC = bytes(anchor->getResult(0));
  directA = isInput(inputA) && maps[roles.a].isProjectedPermutation();
  directB = isInput(inputB) && maps[roles.b].isProjectedPermutation();
  // A tensor multiplied by itself is one input, of which a layout cannot say
  // whether it is for the one factor or the other.
  if (inputA == inputB)
    directA = directB = false;
  rowsOfB = TileEmitter::isContiguous(maps[roles.b], roles.n);
  auto alongLanes = [&](AffineMap map) {
    return !map.isFunctionOfDim(roles.k.back()) ||
           TileEmitter::isContiguous(map, roles.k.back());
  };
  innerA = isInput(inputA) && isInput(inputB) &&
           llvm::all_of(anchor.getDpsInputOperands(), [&](OpOperand *operand) {
             return operand->getOperandNumber() == roles.b ||
                    alongLanes(anchor.getMatchingIndexingMap(operand));
           });
  inner = innerA && alongLanes(maps[roles.b]);
  // Row groups are packed by transposing along the innermost dimension.
  auto packable = [&](unsigned operand, unsigned loop) {
    AffineMap map = maps[operand];
    auto position =
        map.getResultPosition(getAffineDimExpr(loop, kernel.getContext()));
    if (!position)
      return false;
    // Copied rows, or squares with a reduction innermost.
    return *position == map.getNumResults() - 1 ||
           !maps.back().isFunctionOfDim(
               cast<AffineDimExpr>(map.getResults().back()).getPosition());
  };
  directB = directB && packable(roles.b, roles.n);
  // Laid out, the dimensions that the result does not have keep their order.
  innerA = innerA && directB && [&] {
    AffineMap map = maps[roles.b];
    for (AffineExpr expr : llvm::reverse(map.getResults())) {
      unsigned loop = cast<AffineDimExpr>(expr).getPosition();
      if (!maps.back().isFunctionOfDim(loop))
        return loop == roles.k.back();
    }
    return false;
  }();
  // Groups of rows are of any height, so A must not be contiguous in them.
  directA = directA && packable(roles.a, roles.m) &&
            !TileEmitter::isContiguous(maps[roles.a], roles.m);
  tile = getTile();
  dot = getDot();

  SmallVector<ContractionVariant> variants = enumerate();
  if (variants.empty())
    return failure();
  bool weight = directB && isWeight(kernel.getInputs()[inputB]);
  if (std::optional<ContractionVariant> narrow = makeNarrowVariant(weight)) {
    ++report.considered;
    variants.push_back(*narrow);
  }
  if (std::optional<ContractionVariant> half =
          makeHalfVariant(variants, weight)) {
    ++report.considered;
    variants.push_back(*half);
  }
  if (std::optional<ContractionVariant> strip =
          makeStripVariant(variants, weight)) {
    ++report.considered;
    variants.push_back(*strip);
  }
  if (std::optional<ContractionVariant> outer =
          makeOuterVariant(variants, weight)) {
    ++report.considered;
    variants.push_back(*outer);
  }
  addTwins(variants);
  if (std::optional<ContractionVariant> parts =
          makePartsVariant(variants, weight)) {
    ++report.considered;
    variants.push_back(*parts);
  }
  readsInPlace = llvm::any_of(variants, [](const ContractionVariant &variant) {
    return !variant.packA && !variant.panelB && !variant.blockK &&
           !variant.inner() && !variant.strip() && !variant.outer() &&
           !variant.matrix() && !variant.parts;
  });
  Block *block = createCandidates();
  // What lies in place tells how by its alignment and strides.
  if (llvm::any_of(variants, [&](const ContractionVariant &variant) {
        return (rowsOfB && !variant.panelB) ||
               (variant.matrix() && !variant.packA);
      }))
    for (Type type : kernel->getOperandTypes())
      block->addArgument(type, kernel.getLoc());
  for (const ContractionVariant &variant : variants) {
    b.setInsertionPointToEnd(block);
    emit(variant);
  }
  return success();
}
