//===- CpuCandidates.cpp - Candidates for x86-64 ----------------------- -===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Contractions: register tiles of rows x vectors are grown from the multiply-
// add instruction under the number of vector registers; the tile with the
// best ratio of multiply-adds to loads is kept, and a wide one with a second
// axis of code versions for small problems. Each is extended by what is packed
// (rows of A in L2, panels of B) and whether the next panel is touched early.
// Row kernels have one tree.
//
// Costs (nanoseconds) follow the roofline of each level: a register tile of r
// rows and v vectors takes max(r v / 2, latency, (r + v) / 2) cycles a
// reduction step on a core with two multiply-add and two load ports; operands
// come once from the level that holds all of them, A again for each panel and B
// again for each block of rows from the level that holds that block. Time in
// the core and time on memory overlap by what prefetching hides.
//
//===----------------------------------------------------------------------===//

#include "CpuFamily.h"

#include "DotProduct.h"
#include "MicroKernelEmitter.h"

using namespace mlir;
using namespace vortex;

namespace {
/// How one contraction candidate differs from the others.
struct Variant {
  std::string name;
  MicroKernelAttr micro;
  bool packA = false;
  bool panelB = false;
  bool bound = false;  ///< the panels of B are made when weights are bound
  bool tiny = false;   ///< no threads, no blocks: fixed cost first
  bool blockK = false; ///< the reduction in blocks, each added to the result

  bool inner() const { return micro.getLaneAxis() >= 0; }
  bool matrix() const { return micro.getInstruction() == "tile"; }
  /// Columns of a tile.
  int64_t width() const {
    return micro.getVectors() * (inner() ? 1 : micro.getLanes());
  }
};

/// Products that lie beside each other for each word of a matrix tile.
int64_t getTileGroup(HwInstructionAttr tile) {
  return tile.getAcc().getIntOrFloatBitWidth() /
         tile.getA().getIntOrFloatBitWidth();
}

class ContractionFamily : CpuFamily {
public:
  ContractionFamily(KernelOp kernel, linalg::LinalgOp anchor,
                    ContractionRoles roles, HwAttr hw, bool oneOrder,
                    CandidateReport &report)
      : CpuFamily(kernel, anchor, hw, report), roles(roles),
        oneOrder(oneOrder) {}
  LogicalResult add();

private:
  SmallVector<Variant> enumerate();
  SmallVector<Variant> enumerateDots(bool weight);
  HwInstructionAttr getTile();
  Variant makeTileVariant(bool weight);
  bool hasOffsetRow(bool bound, bool blockK);
  std::optional<DotMatch> getDot();
  void emit(const Variant &variant);
  bool makesNoOperand();
  bool canBlockK();
  int64_t getBlockSteps(const Variant &variant);
  void emitKBlockGuard(CandidateOp candidate, const Variant &variant);
  Flag hasSplitRows();
  Size strideOfB();
  Flag restsInPlace(Size steps, int64_t pieceBytes);
  Real waitForPiece(Real bytes);
  Real emitTileTime(const Variant &variant, Size rows, Size panels, Size k,
                    Size parts);
  HwInstructionAttr instructionOf(MicroKernelAttr micro) {
    return micro.getInstruction() == "tile" ? tile : dot->instruction;
  }
  /// Peak of the instruction of `micro`, in operations a nanosecond.
  Real rateOf(MicroKernelAttr micro) {
    return micro.getGroup() > 1 ? param(instructionOf(micro).getKey() + ".rate")
                                : rate();
  }
  /// Time until it can add to the result of another.
  Real latencyOf(MicroKernelAttr micro) {
    if (micro.getGroup() > 1 && instructionOf(micro).getLatency() != 0)
      return param(instructionOf(micro).getKey() + ".latency");
    return latency();
  }

  ContractionRoles roles;
  bool oneOrder; ///< of the terms of a sum, whatever the tile
  // Facts of the problem.
  int64_t inputA = 0, inputB = 0; ///< kernel inputs behind the anchor's
  int64_t bytesA = 4, bytesB = 4, bytesC = 4;
  std::optional<DotMatch> dot; ///< instead of multiply-adds
  HwInstructionAttr tile;      ///< the same in matrix tiles; null: none
  bool directA = false; ///< A is indexed by loops alone, so it can be packed
  bool directB = false; ///< B can be packed
  bool rowsOfB = false; ///< B is contiguous along the columns
  bool inner = false;   ///< both are contiguous along the last reduction
};
} // namespace

SmallVector<Variant> ContractionFamily::enumerate() {
  MLIRContext *context = kernel.getContext();
  int64_t registers = hw.getVectorRegisters();
  // Bottom up: every tile that the registers hold, with room for one row of B
  // and one broadcast. A step loads r + v registers for r v multiply-adds, so
  // ports allow all but the narrowest; between the others the bytes that a
  // step streams from L2 decide, (r + w) elements for r w products.
  struct Tile {
    int64_t rows, vectors;
    double ratio; // products for each element streamed
  };
  SmallVector<Tile> tiles;
  for (int64_t vectors = 1; vectors <= 4; ++vectors) {
    int64_t rows = (registers - vectors - 1) / vectors;
    rows = std::min<int64_t>(rows, 16);
    ++report.considered;
    if (rows < 1) {
      report.pruned.push_back((Twine(vectors) + " vectors: no register left "
                                                "for a row")
                                  .str());
      continue;
    }
    if (rows * vectors < rows + vectors) {
      report.pruned.push_back((Twine(rows) + "x" + Twine(vectors * lanes) +
                               ": more loads than multiply-adds")
                                  .str());
      continue;
    }
    int64_t width = vectors * lanes;
    tiles.push_back(
        {rows, vectors, double(rows * width) / double(rows + width)});
  }
  auto best = llvm::max_element(
      tiles, [](const Tile &x, const Tile &y) { return x.ratio < y.ratio; });
  if (best == tiles.end())
    return {};
  for (const Tile &tile : tiles)
    if (&tile != &*best && tile.vectors != 4)
      report.pruned.push_back(
          (Twine(tile.rows) + "x" + Twine(tile.vectors * lanes) +
           ": streams more from L2 for each product than " + Twine(best->rows) +
           "x" + Twine(best->vectors * lanes))
              .str());
  // Narrow tiles are as tall as one vector of B and one of A leave registers
  // for, with four over for what LLVM moves between the steps; more than
  // sixteen rows gain nothing.
  int64_t narrowRows = std::min<int64_t>(registers - 6, 16);
  // Half of the registers at most: operands and masks need some, too.
  int64_t inFlight = std::min(getInFlight(), registers / 2);
  if (oneOrder && inFlight) {
    inFlight = 0;
    report.pruned.push_back("partial sums of tiles of few rows: the order of "
                            "terms would follow the rows (batch-invariant)");
  }
  auto micro = [&](int64_t rows, int64_t vectors, int64_t prefetch,
                   bool adaptive, bool scheduler) {
    int64_t narrow = adaptive ? std::max(narrowRows, rows) : 0;
    return MicroKernelAttr::get(context, "fma", rows, vectors, lanes, kUnroll,
                                prefetch, narrow, scheduler,
                                /*lane_axis=*/-1, inFlight);
  };
  std::string shape =
      (Twine(best->rows) + "x" + Twine(best->vectors * lanes)).str();
  int64_t r = best->rows, v = best->vectors;
  // Rows of A in place are streams of their own: beyond eight of them packing
  // wins (measured: equal up to 9 rows, 0.75 to 0.9 of packed above).
  int64_t u = std::min<int64_t>(r, 8);
  std::string unpacked = (Twine(u) + "x" + Twine(v * lanes)).str();
  // Rows of B in place are read under masks, which are vectors themselves on
  // machines without mask registers.
  bool maskRegisters = hw.getFeatures().contains("avx512");
  int64_t inPlace =
      maskRegisters ? r : std::max<int64_t>((registers - 1 - 2 * v) / v, 1);
  int64_t rawRows = std::min(u, inPlace), packedRows = std::min(r, inPlace);
  std::string raw = (Twine(rawRows) + "x" + Twine(v * lanes)).str();
  bool weight = directB && isWeight(kernel.getInputs()[inputB]);
  SmallVector<Variant> variants;
  auto add = [&](Variant variant) {
    ++report.considered;
    variants.push_back(std::move(variant));
  };
  if (tile) {
    Variant tiles = makeTileVariant(weight);
    add(tiles);
    if (canBlockK()) {
      tiles.name += "_kblock";
      tiles.blockK = true;
      add(tiles);
    }
  }
  if (dot)
    llvm::append_range(variants, enumerateDots(weight));
  if (weight && dot)
    return variants;
  if (weight) {
    if (directA) {
      add({"packed_" + shape, micro(r, v, 0, true, false), true, true, true});
      add({"packed_" + shape + "_prefetch", micro(r, v, 1, true, false), true,
           true, true});
      if (canBlockK())
        add({"kblock_" + shape, micro(r, v, 1, false, false), true, true, true,
             false, true});
    }
    add({"panel_" + unpacked, micro(u, v, 0, true, false), false, true, true});
    add({"panel_" + unpacked + "_prefetch", micro(u, v, 2, true, false), false,
         true, true});
    return variants;
  }
  if (directB && !dot) {
    if (directA) {
      add({"pack_both_" + shape, micro(r, v, 0, false, false), true, true});
      if (canBlockK())
        add({"pack_both_" + shape + "_kblock", micro(r, v, 0, false, false),
             true, true, false, false, true});
    } else {
      add({"pack_b_" + unpacked, micro(u, v, 0, false, false), false, true});
    }
  }
  if (rowsOfB) {
    std::string packed =
        ("pack_a_" + Twine(packedRows) + "x" + Twine(v * lanes)).str();
    int64_t wideRows = std::max<int64_t>((registers - 5) / 4, 1);
    std::string wide = (Twine(wideRows) + "x" + Twine(4 * lanes)).str();
    if (directA)
      add({packed, micro(packedRows, v, 1, false, false), true, false});
    add({"raw_" + raw, micro(rawRows, v, 0, false, false)});
    // In blocks of the reduction rows of B are read on from tile to tile,
    // which prefetchers follow; tiles of few rows read wide pieces.
    if (canBlockK()) {
      if (directA)
        add({packed + "_kblock", micro(packedRows, v, 1, false, false), true,
             false, false, false, true});
      add({"raw_" + (maskRegisters ? wide : raw) + "_kblock",
           maskRegisters ? micro(wideRows, 4, 1, false, false)
                         : micro(rawRows, v, 1, false, false),
           false, false, false, false, true});
    }
    Variant direct;
    direct.name = "direct_" + wide;
    // Masks of vectors in place take registers where they are vectors.
    if (!maskRegisters)
      inFlight = std::min(inFlight, registers / 4);
    direct.micro = micro(wideRows, 4, 0, true, false);
    direct.tiny = true;
    add(direct);
  }
  if (inner && makesNoOperand()) {
    // A vector of each row and one of B, and the results.
    int64_t columns = llvm::bit_floor(
        uint64_t(std::max<int64_t>(std::min(lanes, registers / 4), 1)));
    int64_t rows = std::max<int64_t>((registers - 3) / (columns + 1), 1);
    add({("inner_" + Twine(rows) + "x" + Twine(columns)).str(),
         MicroKernelAttr::get(context, "fma", rows, columns, lanes,
                              /*unroll=*/1, /*prefetch=*/0, /*narrow_rows=*/0,
                              /*scheduler=*/false,
                              /*lane_axis=*/roles.k.back(), /*in_flight=*/0)});
  }
  if (variants.empty())
    add({"raw_" + raw, micro(rawRows, v, 0, false, false)});
  return variants;
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
  std::optional<double> widened = hw.getNumber(fmaKey + ".rate");
  if (!tile && widened && instruction.getRate() < *widened) {
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
SmallVector<Variant> ContractionFamily::enumerateDots(bool weight) {
  int64_t registers = hw.getVectorRegisters();
  HwInstructionAttr instruction = dot->instruction;
  // What an operand is too large by takes a row of sums, and a register.
  int64_t extra = hasOffsetRow(weight, /*blockK=*/false);
  int64_t r = 0, v = 0;
  double best = 0;
  for (int64_t vectors = 1; vectors <= 4; ++vectors) {
    int64_t rows = std::min<int64_t>(
        (registers - vectors - 1 - extra) / vectors - extra, 16);
    double width = vectors * lanes, ratio = rows * width / (rows + width);
    if (rows < 1 || rows * vectors < rows + vectors || ratio <= best)
      continue;
    best = ratio;
    r = rows;
    v = vectors;
  }
  if (v == 0)
    return {};
  double latency = instruction.getLatency();
  if (latency == 0)
    latency = hw.getNumber("fma.f32.latency").value_or(0);
  double each = 2 * lanes * instruction.getK();
  int64_t inFlight =
      std::lround(latency * instruction.getRate() / each / 4) * 4;
  inFlight = oneOrder ? 0 : std::min(inFlight, registers / 2);
  int64_t narrow = std::min<int64_t>(registers - 6, 16);
  auto micro = [&](int64_t rows, int64_t prefetch, bool adaptive) {
    return MicroKernelAttr::get(
        kernel.getContext(), "dot", rows, v, lanes, kUnroll, prefetch,
        adaptive ? std::max(narrow, rows) : 0, /*scheduler=*/false,
        /*lane_axis=*/-1, inFlight, instruction.getName(), instruction.getK(),
        /*contract=*/true);
  };
  auto name = [&](StringRef prefix, int64_t rows) {
    return (prefix + "_dot_" + Twine(rows) + "x" + Twine(v * lanes)).str();
  };
  // Blocks of the reduction cannot use sums of the whole.
  int64_t inBlocks = hasOffsetRow(weight, /*blockK=*/true)
                         ? std::min((registers - v - 2) / v - 1, r)
                         : r;
  // As for multiply-adds, see enumerate().
  int64_t u = std::min<int64_t>(r, 8);
  SmallVector<Variant> variants;
  auto add = [&](Variant variant) {
    ++report.considered;
    variants.push_back(std::move(variant));
  };
  if (weight) {
    if (directA) {
      add({name("packed", r), micro(r, 0, true), true, true, true});
      add({name("packed", r) + "_prefetch", micro(r, 1, true), true, true,
           true});
      if (canBlockK())
        add({name("kblock", inBlocks), micro(inBlocks, 1, false), true, true,
             true, false, true});
    }
    add({name("panel", u), micro(u, 0, true), false, true, true});
    add({name("panel", u) + "_prefetch", micro(u, 2, true), false, true, true});
    return variants;
  }
  if (directA) {
    add({name("pack_both", r), micro(r, 0, false), true, true});
    if (canBlockK())
      add({name("pack_both", r) + "_kblock", micro(r, 0, false), true, true,
           false, false, true});
  }
  add({name("pack_b", u), micro(u, 0, false), false, true});
  return variants;
}

/// The instruction for the products in matrix tiles, if there is one for their
/// types and both operands can be laid out for it.
HwInstructionAttr ContractionFamily::getTile() {
  std::optional<DotPayload> payload = matchDotPayload(anchor);
  if (!payload || payload->inputA != roles.a || payload->inputB != roles.b)
    return {};
  HwInstructionAttr found =
      hw.getInstruction("tile", payload->a, payload->b, payload->acc);
  if (!found)
    return {};
  auto prune = [&](const Twine &why) -> HwInstructionAttr {
    ++report.considered;
    report.pruned.push_back((found.getName().str() + ": " + why).str());
    return {};
  };
  if (found.getRegisters() < 3)
    return prune("its " + Twine(found.getRegisters()) +
                 " registers hold no sums and factors");
  SmallVector<AffineMap> maps = anchor.getIndexingMapsArray();
  if (roles.k.size() != 1 || !directA || !directB || !makesNoOperand() ||
      !TileEmitter::isContiguous(maps[roles.a], roles.k.back()))
    return prune("operands are not rows along one reduction that can be "
                 "packed");
  int64_t group = getTileGroup(found);
  if (group < 2 || found.getN() != lanes || found.getK() % group != 0 ||
      found.getK() * bytesA > hw.getVectorBytes())
    return prune("its shape is not one of words in vectors");
  return found;
}

/// As many tiles of sums as the registers hold beside those that a step loads.
/// Both operands are packed: zeros behind the last row and step make each tile
/// a whole one, so that one configuration serves all.
Variant ContractionFamily::makeTileVariant(bool weight) {
  int64_t most = tile.getRegisters(), rows = 1, columns = 1;
  auto ratio = [](int64_t r, int64_t c) { return double(r * c) / (r + c); };
  for (int64_t r = 1; r < most; ++r)
    for (int64_t c = 1; r * c + r + c <= most; ++c)
      if (ratio(r, c) > ratio(rows, columns)) {
        rows = r;
        columns = c;
      }
  int64_t group = getTileGroup(tile);
  Variant variant;
  variant.micro = MicroKernelAttr::get(
      kernel.getContext(), "tile", rows * tile.getM(), columns, lanes,
      /*unroll=*/tile.getK() / group, /*prefetch=*/0, /*narrow_rows=*/0,
      /*scheduler=*/false, /*lane_axis=*/-1, /*in_flight=*/0, tile.getName(),
      group, /*contract=*/true);
  variant.name = ((weight ? "packed" : "pack_both") + Twine("_tile_") +
                  Twine(rows * tile.getM()) + "x" + Twine(columns * lanes))
                     .str();
  variant.packA = variant.panelB = true;
  variant.bound = weight;
  return variant;
}

/// Nanoseconds that matrix tiles take for `rows` of a thread: a product a tile
/// of rows, of columns and of steps; sums of few tiles wait for each other.
/// Behind each block of the reduction all sums go to memory and on from there.
Real ContractionFamily::emitTileTime(const Variant &variant, Size rows,
                                     Size panels, Size k, Size parts) {
  MicroKernelAttr micro = variant.micro;
  int64_t high = micro.getRows() / tile.getM(), across = micro.getVectors();
  Real product = arith.real(2.0 * double(tile.getM()) * double(tile.getN()) *
                            double(tile.getK())) /
                 rateOf(micro);
  int64_t bytes = tile.getM() * tile.getK() * bytesA;
  auto stepOf = [&](Real tiles) {
    Real loads =
        (tiles + double(across)) * double(bytes) / param("l1.bandwidth");
    return max(max(tiles * double(across) * product, latencyOf(micro)), loads);
  };
  Size tiles = ceilDiv(rows, arith.size(tile.getM()));
  Size last = tiles % arith.size(high);
  Real steps = arith.real(ceilDiv(k, arith.size(tile.getK())));
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

/// Steps of a reduction whose panel takes 1 / `share` of a level.
static int64_t panelSteps(HwLevelAttr level, MicroKernelAttr micro,
                          int64_t bytes, int64_t share) {
  int64_t row = micro.getVectors() * micro.getLanes() * bytes;
  int64_t steps = level.getCapacity() / share / row;
  int64_t whole = micro.getUnroll() * micro.getGroup();
  return std::max(steps / whole, int64_t(1)) * whole;
}

/// Most steps in a block: a panel takes a sixteenth of L2. In place it fits
/// into L1, beside the next one where many groups of few rows touch that one.
int64_t ContractionFamily::getBlockSteps(const Variant &variant) {
  if (variant.panelB)
    return panelSteps(hw.getLevel("l2"), variant.micro, bytesB, 16);
  return panelSteps(hw.getLevel("l1"), variant.micro, bytesB,
                    variant.packA ? 1 : 2);
}

/// Blocks pay once a whole panel crowds the rows of A out of L2 (measured:
/// nothing to win up to half of it), and where B is in place once there is more
/// than one.
void ContractionFamily::emitKBlockGuard(CandidateOp candidate,
                                        const Variant &variant) {
  OpBuilder::InsertionGuard guard(b);
  b.createBlock(&candidate.getGuard());
  Size k =
      arith.size(kernel.getCandidates().front().getArgument(roles.k.front()));
  int64_t least = variant.panelB
                      ? panelSteps(hw.getLevel("l2"), variant.micro, bytesB, 2)
                      : getBlockSteps(variant);
  Flag holds = arith.compare(arith::CmpIPredicate::ugt, k, arith.size(least));
  YieldOp::create(b, kernel.getLoc(), holds.value);
}

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

/// Whether so many steps of a panel in place rest in a quarter of L2, beside
/// the rows of A and what they push out (measured). Rows a power of two apart
/// share sets, and the others stay empty: a step takes the bytes between two of
/// the sets that are used.
Flag ContractionFamily::restsInPlace(Size steps, int64_t pieceBytes) {
  Real taken = arith.real(double(pieceBytes));
  if (hw.getNumber("l2.ways").value_or(0) > 0) {
    Real way = param("l2.capacity") / param("l2.ways");
    taken = max(min(arith.real(lowestBit(strideOfB())), way), taken);
  }
  return arith.real(steps) * taken <= param("l2.capacity") * 0.25;
}

/// Nanoseconds a step of a panel waits for its piece of a row, which comes from
/// where `bytes` rest. Prefetchers of the machine do not follow from page to
/// page; a dozen steps are under way at once (measured: pieces of 128 and 256
/// bytes of L3 and of memory, tiles of 4 to 8 rows).
Real ContractionFamily::waitForPiece(Real bytes) {
  constexpr double kStepsUnderWay = 12;
  std::string outer = hw.getLevel("l3") ? "l3" : "device";
  Flag fitsL2 = bytes <= param("l2.capacity") * 0.5;
  Real latency =
      arith.select(fitsL2, arith.real(0.0),
                   arith.select(fitsCache(bytes), param(outer + ".latency"),
                                param("device.latency")));
  HwLevelAttr device = hw.getLevel("device");
  double page = double(device ? device.getAlignment() : hw.getLineBytes());
  Real miss = min(arith.real(strideOfB()) * (1.0 / page), arith.real(1.0));
  return latency * miss * (1.0 / kStepsUnderWay);
}

/// Whether vectors of B in place cross cache lines.
Flag ContractionFamily::hasSplitRows() {
  Value operand = kernel.getCandidates().front().getArgument(
      kernel.getAxes().size() + inputB);
  AffineMap map = anchor.getIndexingMapsArray()[roles.b];
  int64_t line = hw.getVectorBytes();
  Flag split = arith.alignment(operand) < arith.size(line);
  for (unsigned dim = 0; dim < map.getNumResults(); ++dim)
    if (map.getResult(dim).isFunctionOfDim(roles.k.back()) &&
        !map.getResult(dim).isFunctionOfDim(roles.n))
      split = split | (arith.size(0) <
                       arith.stride(operand, dim) * bytesB % arith.size(line));
  return split;
}

void ContractionFamily::emit(const Variant &variant) {
  Location loc = kernel.getLoc();
  Block &block = kernel.getCandidates().front();
  auto axis = [&](unsigned loop) {
    return arith.size(block.getArgument(loop));
  };
  MicroKernelAttr micro = variant.micro;
  int64_t width = variant.width();
  // Sizes. Rows are split evenly over row groups and blocks, so that all
  // tiles of a block have one of two heights.
  auto sizes = [&]() {
    struct {
      Size m, n, k, batch, threads, mt, nt, mc, mr, vectors, kc;
    } s{axis(roles.m), axis(roles.n),
        arith.size(1), arith.size(1),
        arith.size(1), arith.size(1),
        arith.size(1), arith.size(1),
        arith.size(1), arith.size(micro.getVectors()),
        arith.size(1)};
    for (unsigned loop : roles.k)
      s.k = s.k * axis(loop);
    s.kc = s.k;
    if (variant.blockK) {
      // Blocks of one size, in whole steps of the unrolled loop.
      int64_t most = getBlockSteps(variant);
      Size blocks = atLeast(ceilDiv(s.k, arith.size(most)), 1);
      Size unroll = arith.size(micro.getUnroll() * micro.getGroup());
      s.kc = atLeast(ceilDiv(ceilDiv(s.k, blocks), unroll), 1) * unroll;
    }
    for (unsigned loop : roles.batch)
      s.batch = s.batch * axis(loop);
    Size panels = ceilDiv(s.n, arith.size(width));
    // Threads pay from the work that outweighs waking them.
    Real flops = arith.real(s.m * s.n * s.k * s.batch) * 2.0;
    Flag small = flops < rateOf(micro) * param("core.startup") * 8.0;
    Size all = arith.toSize(arith.param(hw, "threads", 1.0));
    // Small problems are shared by whole elements of a batch alone.
    bool shared = !variant.tiny || !roles.batch.empty();
    s.threads =
        shared ? arith.select(small, arith.size(1), all) : arith.size(1);
    // A batch that feeds all threads is split by itself.
    Size share = variant.tiny ? arith.size(1)
                              : arith.select(s.batch >= s.threads,
                                             arith.size(1), s.threads);
    Size r = arith.size(micro.getRows());
    Flag byRows = (panels * 4 <= s.m & r * 4 <= s.m) |
                  (panels < share * 4 & r * 2 <= s.m);
    s.mt = atLeast(arith.select(byRows, ceilDiv(s.m, share), s.m), 1);
    if (variant.matrix())
      s.mt = ceilDiv(s.mt, r) * r;
    s.nt =
        atLeast(arith.select(byRows, s.n, ceilDiv(panels, share) * width), 1);
    if (variant.packA || variant.panelB) {
      // Half of L2 holds the block of A that all panels read.
      int64_t budget =
          hw.getLevel("l2") ? hw.getLevel("l2").getCapacity() / 2 : 1 << 19;
      Size most = arith.size(budget / bytesA) / atLeast(s.kc, 1);
      most = max(most / r * r, r * 2);
      Size blocks = atLeast(ceilDiv(s.mt, most), 1);
      s.mc = atLeast(ceilDiv(s.mt, blocks), 1);
      if (variant.matrix())
        s.mc = ceilDiv(s.mc, r) * r;
      if (!variant.packA) {
        // In place, blocks pay when reading all of A again for each panel
        // would cost more than reading B again for each block.
        Real rowsAgain = arith.real(ceilDiv(s.nt, arith.size(width)) * s.mt) *
                         double(bytesA) /
                         bandwidthOf(arith.real(s.mt * s.k) * double(bytesA));
        Real panelsAgain = arith.real(blocks * s.nt) * double(bytesB) /
                           bandwidthOf(arith.real(s.nt * s.k) * double(bytesB));
        s.mc = arith.select(rowsAgain < panelsAgain, s.mt, s.mc);
      }
    } else {
      s.mc = s.mt;
    }
    Size height = r;
    if (micro.getNarrowRows()) {
      // Fewer vectors leave registers for more rows.
      s.vectors =
          atLeast(ceilDiv(atMost(s.n, width), arith.size(micro.getLanes())), 1);
      height =
          atMost(arith.size(micro.getRows() * micro.getVectors()) / s.vectors,
                 micro.getNarrowRows());
    }
    Size groups = atLeast(ceilDiv(s.mc, height), 1);
    s.mr = variant.matrix() ? r : atLeast(ceilDiv(s.mc, groups), 1);
    return s;
  };

  auto s = sizes();
  Value panelWidth = arith.size(width).value;
  Value one = arith.size(1).value;
  // Elementwise ops over a finished result: memory decides, not registers.
  constexpr int64_t kFinishRows = 4;
  Value finishRows = variant.blockK ? arith.size(kFinishRows).value : Value();
  auto candidate = CandidateOp::create(b, loc, variant.name);
  if (variant.blockK)
    emitKBlockGuard(candidate, variant);

  // Schedule.
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
  if (variant.panelB)
    level("device", LoopKind::Sequential, {}, {}, {},
          {load(inputB, LayoutKind::Panel, roles.n, variant.bound)},
          {panelWidth});
  SmallVector<int64_t> axes;
  SmallVector<AxisClass> classes;
  SmallVector<Value> tileSizes;
  for (unsigned loop : roles.batch) {
    axes.push_back(loop);
    classes.push_back(variant.tiny ? AxisClass::TSL : AxisClass::PL);
    tileSizes.push_back(one);
  }
  if (variant.tiny) {
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
  // With blocks of the reduction the result is started before the first and
  // finished behind the last.
  SmallVector<StringRef> before, inner, behind;
  for (Operation &op : kernel.getPayload().front())
    if (auto id = op.getAttrOfType<StringAttr>(kIdAttr)) {
      bool apart = variant.blockK && &op != anchor;
      (!apart                       ? inner
       : op.isBeforeInBlock(anchor) ? before
                                    : behind)
          .push_back(id.getValue());
    }
  auto stage = [&](ArrayRef<StringRef> ids, MicroKernelAttr spec) {
    StageOp::create(b, loc, b.getStrArrayAttr(ids), spec, StringAttr());
  };
  if (!before.empty())
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
  else if (variant.panelB)
    level("l2", LoopKind::Sequential, {roles.m}, {AxisClass::TSL}, {s.mc.value},
          {}, {});
  level("l1", LoopKind::Sequential, {roles.n}, {AxisClass::TSL}, {panelWidth},
        {}, {});
  level("register", LoopKind::Sequential, {roles.m}, {AxisClass::TSL},
        {s.mr.value}, {}, {});
  stage(inner, micro);
  if (!behind.empty()) {
    b.setInsertionPointAfter(outermost);
    level("register", LoopKind::Sequential, {roles.m, roles.n},
          {AxisClass::TSL, AxisClass::TSL}, {finishRows, panelWidth}, {}, {});
    stage(behind, MicroKernelAttr::get(b.getContext(), "fma", kFinishRows,
                                       micro.getVectors(), micro.getLanes(),
                                       /*unroll=*/1, /*prefetch=*/0,
                                       /*narrow_rows=*/0, /*scheduler=*/false,
                                       /*lane_axis=*/-1, /*in_flight=*/0));
  }

  // Cost.
  b.createBlock(&candidate.getCost());
  const auto &c = s;
  int64_t group = micro.getGroup();
  Real cycle = arith.real(4.0 * micro.getLanes() * group) / rateOf(micro);
  Real rows = arith.real(c.mr);
  Real v = arith.real(c.vectors);
  Real vectorLoads = v;
  if (!variant.panelB && rowsOfB)
    vectorLoads = arith.select(hasSplitRows(), v * 2.0, v);
  // A sum waits for the one before; tiles of few sums have partial ones, twice
  // as many where those fit (TileCase::countPartials).
  Real wait = latencyOf(micro);
  for (int64_t partials = 2; partials <= micro.getUnroll(); partials *= 2) {
    Flag fit =
        rows * v * double(partials) <= arith.real(double(micro.getInFlight()));
    wait = arith.select(fit, latencyOf(micro) * (1.0 / double(partials)), wait);
  }
  // What A is too large by is a row of sums of its own.
  bool offset = group > 1 && !variant.matrix() &&
                hasOffsetRow(variant.bound, variant.blockK);
  Real sums = offset ? (rows + arith.real(1.0)) * v : rows * v;
  Real step = max(max(sums, rows + vectorLoads) * 0.5 * cycle, wait);
  Real fill = param("register.startup");
  Size steps = group > 1 ? ceilDiv(c.k, arith.size(group)) : c.k;
  if (variant.inner()) {
    // Each step is as many as there are lanes. Behind the last, the vectors of
    // a row are joined: two shuffles and an addition for each column.
    steps = ceilDiv(c.k, arith.size(lanes));
    fill = fill + rows * v * 1.5 * cycle;
  }
  Size groups = ceilDiv(c.mt, c.mr);
  Size blocks = ceilDiv(c.mt, c.mc);
  Size panels = ceilDiv(c.nt, arith.size(width));
  Size perThread = ceilDiv(
      c.batch, arith.select(c.batch >= c.threads, c.threads, arith.size(1)));
  if (variant.tiny && !roles.batch.empty()) {
    Size first = axis(roles.batch.front());
    perThread = ceilDiv(first, c.threads) * (c.batch / atLeast(first, 1));
  }
  Real repeat = arith.real(perThread);
  // A tile fills and drains the pipeline once, for each block of K.
  Size parts = variant.blockK ? ceilDiv(c.k, c.kc) : arith.size(1);
  Real core = repeat * arith.real(groups * panels) *
              (arith.real(steps) * step + arith.real(parts) * fill);
  if (variant.matrix())
    core = repeat * emitTileTime(variant, c.mt, panels, c.k, parts);
  Real bytesOfA = arith.real(c.mt * c.k) * double(bytesA);
  Real bytesOfB = arith.real(c.nt * c.k) * double(bytesB);
  Real bytesOfC = arith.real(c.mt * c.nt) * double(bytesC);
  // Everything comes once from where it rests between calls, and C goes back;
  // then A is read again by each panel, B by each block of rows.
  Real all = (arith.real(c.m * c.k) * double(bytesA) +
              arith.real(c.n * c.k) * double(bytesB) +
              arith.real(c.m * c.n) * double(bytesC)) *
             arith.real(c.batch);
  Real blockOfA = arith.real(c.mc * c.kc) * double(bytesA);
  // A panel's part of a row in place starts a stream of its own: one more
  // line.
  auto pieces = [&](int64_t bytes) {
    return 1.0 + double(hw.getLineBytes()) / double(width * bytes);
  };
  // What each step of a panel in place waits for: the first time unless blocks
  // of the reduction go on along its rows, again with each further group of
  // rows when it does not rest in L2. Touched early, less (measured: 0.2 to
  // 0.5).
  Real waits = arith.real(0.0);
  Real firstB = bytesOfB;
  if (!variant.panelB && rowsOfB) {
    Real steps = repeat * arith.real(panels * c.k);
    Real early = arith.real(micro.getPrefetch() ? 0.4 : 1.0);
    if (!variant.blockK) {
      firstB = bytesOfB * pieces(bytesB);
      waits = steps * waitForPiece(all) * early;
    }
    Flag rests = restsInPlace(c.kc, width * bytesB);
    // Just read, it is in the next level at least.
    Real panel = arith.real(c.kc) * double(width * bytesB);
    Real again = arith.real(groups - arith.size(1)) *
                 waitForPiece(max(panel, param("l2.capacity"))) * 0.5;
    waits = waits + steps * early * arith.select(rests, arith.real(0.0), again);
  }
  struct Stream {
    Real bytes, home;
    bool early; // touched by prefetches of our own
  };
  SmallVector<Stream> streams = {
      {bytesOfA + bytesOfC * (2.0 * pieces(bytesC)), all, false},
      {firstB, all, micro.getPrefetch() != 0},
      {arith.real(panels - arith.size(1)) * bytesOfA, blockOfA, false},
      {arith.real(blocks - arith.size(1)) * bytesOfB, bytesOfB,
       micro.getPrefetch() != 0},
  };
  if (variant.blockK)
    // Set before the first block, read and written by each but once, and read
    // and written again to finish.
    streams.push_back(
        {bytesOfC * (arith.real(parts) * 2.0 + 1.0), bytesOfC, false});
  // What the machine's own prefetchers leave exposed, of a stream from a cache
  // and from memory (measured on contractions bound by the core).
  Real memory = arith.real(0.0), exposed = arith.real(0.0);
  for (const Stream &stream : streams) {
    Flag cached = fitsCache(stream.home);
    Real time = repeat * stream.bytes / bandwidthOf(stream.home);
    exposed =
        exposed + time * arith.select(cached, arith.real(0.05),
                                      arith.real(stream.early ? 0.1 : 0.5));
    // Touched early, a line of a cache moves twice.
    if (stream.early)
      time = time * arith.select(cached, arith.real(1.3), arith.real(1.0));
    memory = memory + time;
  }
  if (micro.getPrefetch())
    core = core * 1.03;
  if (variant.panelB && !variant.blockK && hw.getLevel("l2")) {
    // A long panel and the rows beside it do not rest in L2 from tile to tile:
    // measured with K of 8192 and 16384 against blocks of K.
    Flag crowded =
        arith.size(panelSteps(hw.getLevel("l2"), micro, bytesB, 2)) < c.k;
    core =
        arith.select(crowded, core * (micro.getPrefetch() ? 1.1 : 1.2), core);
  }
  Real total =
      max(core, memory) + min(core, exposed) + waits + param("core.call");
  if (!variant.tiny)
    // A task is a call that finds its tile again.
    total = total + repeat * param("core.call") * 0.4;
  if (variant.packA) {
    // Read and written once; the transposes take 64 shuffles for 256 elements,
    // and rows of matrix tiles are copied as they are.
    total = total + repeat * bytesOfA * 2.0 / param("l2.stream");
    if (!variant.matrix())
      total = total +
              repeat * arith.real(c.mt * c.k) * cycle * (0.3 / double(group));
    total = total + param("core.call") * 0.33;
  }
  if (variant.panelB && !variant.bound) {
    Real whole = arith.real(c.n * c.k * c.batch) * double(bytesB);
    total = total + whole * 2.5 / bandwidthOf(whole);
  }
  if (!variant.tiny || !roles.batch.empty())
    total =
        total + arith.select(arith.size(1) < c.threads, param("core.startup"),
                             param("core.call") * 0.17);
  YieldOp::create(b, loc, total.value);
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
  inner = isInput(inputA) && isInput(inputB) &&
          llvm::all_of(anchor.getDpsInputOperands(), [&](OpOperand *operand) {
            AffineMap map = anchor.getMatchingIndexingMap(operand);
            return !map.isFunctionOfDim(roles.k.back()) ||
                   TileEmitter::isContiguous(map, roles.k.back());
          });
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
  // Groups of rows are of any height, so A must not be contiguous in them.
  directA = directA && packable(roles.a, roles.m) &&
            !TileEmitter::isContiguous(maps[roles.a], roles.m);
  tile = getTile();
  dot = getDot();

  SmallVector<Variant> variants = enumerate();
  if (variants.empty())
    return failure();
  Block *block = createCandidates();
  if (rowsOfB && llvm::any_of(variants, [](const Variant &variant) {
        return !variant.panelB;
      }))
    for (Type type : kernel->getOperandTypes())
      block->addArgument(type, kernel.getLoc());
  for (const Variant &variant : variants) {
    b.setInsertionPointToEnd(block);
    emit(variant);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The family of a payload
//===----------------------------------------------------------------------===//

LogicalResult vortex::addCpuCandidates(KernelOp kernel, HwAttr hw,
                                       bool oneOrder, CandidateReport &report) {
  if (hw.isGPU()) {
    report.pruned.push_back("there is no family for " + hw.getIsa().str() +
                            " yet");
    return failure();
  }
  auto anchor = dyn_cast_if_present<linalg::LinalgOp>(kernel.getAnchor());
  if (!anchor) {
    report.pruned.push_back("the kernel has no linalg op as its anchor");
    return failure();
  }
  PayloadClass payloadClass = classify(anchor);
  if ((payloadClass == PayloadClass::Contraction ||
       payloadClass == PayloadClass::Columns) &&
      succeeded(addCpuConvCandidates(kernel, anchor, hw, oneOrder, report)))
    return success();
  switch (payloadClass) {
  case PayloadClass::Contraction:
    return ContractionFamily(kernel, anchor, *getContractionRoles(anchor), hw,
                             oneOrder, report)
        .add();
  case PayloadClass::Columns:
    return addCpuStreamCandidates(kernel, anchor, /*columns=*/true, hw, report);
  case PayloadClass::Rows:
    return addCpuStreamCandidates(kernel, anchor, /*columns=*/false, hw,
                                  report);
  case PayloadClass::Opaque:
    break;
  }
  report.pruned.push_back("no family of micro-kernels can express the payload");
  return failure();
}
