//===- CpuConvCandidates.cpp - Windows that slide, on a CPU ---------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Convolutions and pooling whose channels lie innermost: an operand, the image,
// is read at sums of a loop of the result and one of the window. Rows of the
// register tile are pixels of a row of the result, lanes are channels. Dense
// convolutions read the filter from panels over all of the window and all
// channels, depthwise ones and pooling read image and filter alike.
//
// A task is a strip of rows of one image, or a few small ones
// (CpuConvTree.cpp). Its part of the image may be copied first: padding is then
// written by that copy instead of a pass over the whole image, and pixels
// without gaps make one reduction of the window's columns and the channels. A
// panel stays in L2 for all pixels of a task.
//
//===----------------------------------------------------------------------===//

#include "CpuConv.h"
#include "MicroKernelEmitter.h"

#include "mlir/Analysis/FlatLinearValueConstraints.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace vortex;

/// Rows of an operand in place that have registers for their addresses.
static constexpr int64_t kStreams = 9;

static int64_t getBytes(Value value) {
  return std::max<int64_t>(
      1, getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth() / 8);
}

/// The coefficients of `map`'s results; none when one is no sum.
std::optional<SmallVector<ConvFamily::Index>>
ConvFamily::getIndices(AffineMap map) {
  SmallVector<Index> indices;
  for (AffineExpr expr : map.getResults()) {
    Index flat;
    if (failed(getFlattenedAffineExpr(expr, map.getNumDims(), 0, &flat)) ||
        flat.size() != map.getNumDims() + 1 ||
        llvm::any_of(flat, [](int64_t c) { return c < 0; }))
      return std::nullopt;
    flat.pop_back();
    indices.push_back(flat);
  }
  return indices;
}

bool ConvFamily::findRoles() {
  SmallVector<AffineMap> maps = anchor.getIndexingMapsArray();
  AffineMap out = maps.back();
  unsigned rank = out.getNumResults();
  if (rank < 2 || !out.isProjectedPermutation())
    return false;
  anchor.getReductionDims(k);
  auto isWindow = [&](AffineMap map) {
    return llvm::any_of(map.getResults(), [&](AffineExpr expr) {
      return !isa<AffineDimExpr>(expr) && llvm::any_of(k, [&](unsigned loop) {
        return expr.isFunctionOfDim(loop);
      });
    });
  };
  SmallVector<unsigned> windows;
  for (int64_t i = 0; i < anchor.getNumDpsInputs(); ++i)
    if (isWindow(maps[i]))
      windows.push_back(i);
  if (windows.size() != 1)
    return false;
  image = windows.front();
  std::optional<SmallVector<Index>> found = getIndices(maps[image]);
  auto argument = dyn_cast<BlockArgument>(anchor->getOperand(image));
  if (!found || !argument ||
      argument.getArgNumber() >= kernel.getInputs().size())
    return false;
  indices = *found;
  std::optional<ContractionRoles> roles = getContractionRoles(anchor);
  if (roles) {
    if (roles->a != image || !findFilter(*roles))
      return false;
    m = roles->m;
    n = roles->n;
  } else {
    n = out.getDimPosition(rank - 1);
    m = out.getDimPosition(rank - 2);
    // Lanes of the image lie beside each other, and its pixels do not.
    if (indices.back()[n] != 1 ||
        llvm::any_of(ArrayRef(indices).drop_back(),
                     [&](const Index &index) { return index[n] != 0; }) ||
        llvm::count_if(indices.back(), [](int64_t c) { return c != 0; }) != 1)
      return false;
    findTaps();
  }
  if (!maps[image].isFunctionOfDim(m))
    return false;
  for (unsigned i = 0; i < rank; ++i)
    if (unsigned loop = out.getDimPosition(i); loop != m && loop != n)
      batch.push_back(loop);
  // Tasks share what the window overlaps: runs of its outermost loop but one,
  // the rows of an image.
  strip = m;
  for (unsigned loop : batch)
    for (const Index &index : indices)
      if (index[loop] != 0 &&
          llvm::any_of(k, [&](unsigned tap) { return index[tap] != 0; }))
        strip = loop;
  llvm::erase(batch, strip);
  findShared();
  bytesA = getBytes(anchor->getOperand(image));
  bytesB = panels < 0 ? 0 : getBytes(kernel.getInputs()[panels]);
  bytesC = getBytes(anchor->getResult(0));
  return true;
}

/// The filter as panels over everything that is summed.
bool ConvFamily::findFilter(const ContractionRoles &roles) {
  AffineMap map = anchor.getIndexingMapsArray()[roles.b];
  auto argument = dyn_cast<BlockArgument>(anchor->getOperand(roles.b));
  if (!argument || argument.getArgNumber() >= kernel.getInputs().size() ||
      !map.isProjectedPermutation() || argument == anchor->getOperand(roles.a))
    return false;
  auto position =
      map.getResultPosition(getAffineDimExpr(roles.n, kernel.getContext()));
  // Packed by copying rows, or squares with a reduction innermost.
  unsigned innermost = map.getDimPosition(map.getNumResults() - 1);
  if (!position || (innermost != roles.n && !llvm::is_contained(k, innermost)))
    return false;
  panels = argument.getArgNumber();
  return true;
}

/// The filter of a depthwise convolution, if it is a weight, as panels: its
/// taps lie as far apart as there are channels otherwise, often a power of two.
void ConvFamily::findTaps() {
  SmallVector<AffineMap> maps = anchor.getIndexingMapsArray();
  for (int64_t i = 0; i < anchor.getNumDpsInputs(); ++i) {
    auto argument = dyn_cast<BlockArgument>(anchor->getOperand(i));
    if (unsigned(i) == image || !argument || argument.use_empty() ||
        argument.getArgNumber() >= kernel.getInputs().size() ||
        argument == anchor->getOperand(image) ||
        anchor->getRegion(0).front().getArgument(i).use_empty() ||
        maps[i].getNumResults() != k.size() + 1 ||
        !maps[i].isProjectedPermutation() ||
        maps[i].getDimPosition(k.size()) != n ||
        !llvm::all_of(
            k, [&](unsigned tap) { return maps[i].isFunctionOfDim(tap); }))
      continue;
    if (isWeight(kernel.getInputs()[argument.getArgNumber()]))
      taps = argument.getArgNumber();
    return;
  }
}

/// Finds the loop whose images may share a task.
void ConvFamily::findShared() {
  if (panels < 0 || batch.empty())
    return;
  unsigned loop = batch.back();
  for (auto [i, map] : llvm::enumerate(anchor.getIndexingMapsArray()))
    if (i != image && int64_t(i) < anchor.getNumDpsInputs() &&
        map.isFunctionOfDim(loop))
      return;
  for (const Index &index : indices)
    if (index[loop] != 0 &&
        llvm::count_if(index, [](int64_t c) { return c != 0; }) != 1)
      return;
  shared = loop;
}

/// Takes the padding of the image, if there is some, into the payload.
void ConvFamily::sinkPad() {
  auto argument = cast<BlockArgument>(anchor->getOperand(image));
  OpOperand &input = kernel->getOpOperand(argument.getArgNumber());
  auto pad = input.get().getDefiningOp<tensor::PadOp>();
  if (!pad || !pad.getConstantPaddingValue() || !pad.getLow().empty() ||
      !pad.getHigh().empty())
    return;
  Attribute value;
  if (!matchPattern(pad.getConstantPaddingValue(), m_Constant(&value)))
    return;
  padded = true;
  neutral = isNeutral(anchor, image, pad.getConstantPaddingValue());
  Location loc = pad.getLoc();
  OpBuilder inside = OpBuilder::atBlockBegin(&kernel.getPayload().front());
  auto scalar = arith::ConstantOp::create(inside, loc, cast<TypedAttr>(value));
  auto clone = tensor::PadOp::create(inside, loc, pad.getType(), argument,
                                     pad.getMixedLowPad(),
                                     pad.getMixedHighPad(), scalar.getResult());
  argument.replaceAllUsesExcept(clone, clone);
  argument.setType(pad.getSourceType());
  input.set(pad.getSource());
  readSizesWithoutPad(pad);
}

/// Whether a tile in place can leave out its pixels in the padding: rows of the
/// window by the reductions around the innermost one, columns as scalars by
/// them, too, and as vectors by a mask.
bool ConvFamily::leavesOutPixels() {
  auto pad = anchor->getOperand(image).getDefiningOp<tensor::PadOp>();
  bool dense = panels >= 0;
  if (!pad || !canLeaveOut() || (dense && anchor.getNumDpsInputs() != 2))
    return false;
  for (size_t dim = 0; dim < indices.size(); ++dim) {
    const Index &index = indices[dim];
    if (pad.getStaticLow()[dim] == 0 && pad.getStaticHigh()[dim] == 0)
      continue;
    int64_t taps =
        llvm::count_if(k, [&](unsigned tap) { return index[tap] != 0; });
    bool masked = !dense && index[m] != 0 && taps != 0;
    if (index[n] != 0 || (!masked && (taps != 1 || index[k.back()] != 0)))
      return false;
  }
  return true;
}

/// Whether the filter can have groups of channels beside each other. Laid out
/// in a call, rows or squares of groups are copied; others when they are bound
/// alone.
bool ConvFamily::canGroupFilter(AffineMap filter) {
  unsigned innermost = filter.getDimPosition(filter.getNumResults() - 1);
  return getGroupedDim(anchor, filter) &&
         (innermost == n || innermost == k.back() ||
          isWeight(kernel.getInputs()[panels]));
}

/// The instruction that sums groups of products of the payload, if there is
/// one, it is faster than multiply-adds of widened elements, and the channels
/// that it groups lie side by side in the image and can in the filter.
std::optional<DotMatch> ConvFamily::findDotOfWindow() {
  std::optional<DotPayload> payload = matchDotPayload(anchor);
  if (panels < 0 || !payload || payload->inputA != image)
    return std::nullopt;
  std::optional<DotMatch> match = findDot(hw, *payload);
  if (!match || match->instruction.getN() != lanes ||
      !isFasterThanWidened(match->instruction))
    return std::nullopt;
  SmallVector<AffineMap> maps = anchor.getIndexingMapsArray();
  if (!TileEmitter::isContiguous(maps[image], k.back()) ||
      !canGroupFilter(maps[payload->inputB]))
    return std::nullopt;
  return match;
}

/// The instruction for the products in matrix tiles, if there is one for their
/// types, rows of a tile are pixels beside each other, and the filter can be
/// laid out for it.
HwInstructionAttr ConvFamily::findTile() {
  std::optional<DotPayload> payload = matchDotPayload(anchor);
  if (panels < 0 || !payload || payload->inputA != image)
    return {};
  return findMatrixTile(*payload, [&](HwInstructionAttr found) -> std::string {
    SmallVector<AffineMap> maps = anchor.getIndexingMapsArray();
    AffineMap out = maps.back(), filter = maps[payload->inputB];
    int64_t rank = out.getNumResults();
    bool beside = out.getDimPosition(rank - 2) == m &&
                  out.getDimPosition(rank - 1) == n && k.size() > 1 &&
                  indices.size() >= 2 && anchor.getNumDpsInputs() == 2 &&
                  TileEmitter::isContiguous(maps[image], k.back()) &&
                  filter.getNumResults() == k.size() + 1;
    for (size_t dim = 0; beside && dim < indices.size(); ++dim)
      beside = (indices[dim][m] != 0) == (dim + 2 == indices.size());
    if (!beside)
      return "pixels of a row do not lie beside each other";
    SmallVector<int64_t> extents = anchor.getStaticLoopRanges();
    auto input = cast<BlockArgument>(anchor->getOperand(image)).getArgNumber();
    if (kernel.getInputs()[input].getDefiningOp<tensor::PadOp>() &&
        llvm::all_of(ArrayRef(k).drop_back(),
                     [&](unsigned tap) { return extents[tap] == 1; }))
      return "windows of one pixel are padding or none, of which tiles in "
             "place leave out the former";
    if (!canGroupFilter(filter))
      return "its filter cannot be laid out";
    depth = findDepth(found);
    if (depth == 0)
      return "few of its steps are channels of a pixel or of a row of the "
             "window";
    return {};
  });
}

/// The fewest tiles that a run of steps is whole words of.
std::optional<ConvFamily::TileSteps>
ConvFamily::divideRun(HwInstructionAttr tile, int64_t run) {
  int64_t group = getTileGroup(tile);
  for (int64_t tiles = llvm::divideCeil(run, tile.getK()); tiles * group <= run;
       ++tiles)
    if (run % (tiles * group) == 0)
      return TileSteps{run / tiles, tiles};
  return std::nullopt;
}

/// Steps of a matrix tile: the instruction's, or fewer of which the channels
/// of a pixel, whole words, are whole tiles, or those of a row of the window,
/// pixels beside each other, where that takes fewer. 0: not worth it.
int64_t ConvFamily::findDepth(HwInstructionAttr tile) {
  SmallVector<int64_t> extents = anchor.getStaticLoopRanges();
  int64_t channels = extents[k.back()];
  if (channels <= 0)
    return tile.getK(); // a guard asks
  if (channels % getTileGroup(tile) != 0)
    return 0; // panels have each pixel's in whole words
  std::optional<TileSteps> found = divideRun(tile, channels);
  int64_t pixels = 1, rank = indices.size();
  unsigned column = k[k.size() - 2];
  bool beside = extents[column] > 0;
  for (int64_t dim = 0; dim < rank; ++dim)
    beside &= indices[dim][column] == (dim == rank - 2);
  if (beside) {
    pixels = extents[column];
    std::optional<TileSteps> merged = divideRun(tile, pixels * channels);
    if (merged && (!found || merged->tiles < pixels * found->tiles))
      found = merged;
    else if (found)
      found->tiles *= pixels;
  }
  if (!found)
    return 0;
  // Products of tiles take as long whatever steps they have.
  double share = double(pixels * channels) / double(found->tiles * tile.getK());
  double other = dot ? dot->instruction.getRate()
                     : hw.getNumber(fmaKey + ".rate").value_or(0);
  return share * tile.getRate() > other ? found->depth : 0;
}

/// Whether it is known that channels, or rows of a window, are whole steps of
/// a matrix tile.
bool ConvFamily::hasKnownSteps() {
  return anchor.getStaticLoopRanges()[k.back()] > 0;
}

/// Channels are whole steps: behind the last of a pixel is the next pixel.
void ConvFamily::emitGuard(CandidateOp candidate, const ConvVariant &variant) {
  if (!variant.matrix() || hasKnownSteps())
    return;
  OpBuilder::InsertionGuard guard(b);
  b.createBlock(&candidate.getGuard());
  Size rest = axis(k.back()) % arith.size(tile.getK());
  Flag whole = arith.compare(arith::CmpIPredicate::eq, rest, arith.size(0));
  YieldOp::create(b, kernel.getLoc(), whole.value);
}

/// Tiles of pixels by tiles of channels, of pixels that are copied: those of
/// the padding are there. The micro-kernel has all pixels of a task.
SmallVector<ConvVariant> ConvFamily::enumerateMatrixTiles() {
  SmallVector<ConvVariant> variants;
  auto add = [&](int64_t high, int64_t across) {
    ++report.considered;
    int64_t rows = high * tile.getM();
    auto micro = makeTileMicro(tile, rows, across, /*turns=*/false, depth);
    std::string name =
        ("window_tile_" + Twine(rows) + "x" + Twine(across * lanes)).str();
    if (variants.empty() || name != variants.front().name)
      variants.push_back({name, micro, true});
  };
  auto [high, across] = getTileShape(tile);
  add(high, across);
  if (rules.candidates == Candidates::All)
    forEachTileShape(tile, add);
  return variants;
}

/// Whether a tile sums what the image is too large by: sums of a filter that is
/// bound are made once.
bool ConvFamily::hasOffsetRow() {
  return dot->operands == DotOperands::Offset &&
         (!isWeight(kernel.getInputs()[panels]) ||
          !canUseColumnSums(anchor, *matchDotPayload(anchor)));
}

/// Rows of a tile of that many vectors: registers are left for a row of the
/// filter, an element of the image, and where the tile sums what that is too
/// large by for one more row of sums and its element.
int64_t ConvFamily::countRows(int64_t vectors) {
  int64_t extra = dot && hasOffsetRow() ? 1 : 0;
  int64_t factors = dot ? dot->countRegisters(vectors) : vectors + 1;
  int64_t rows = (hw.getVectorRegisters() - factors - extra) / vectors;
  return std::min(rows - extra, kStreams);
}

/// Rows of tiles that have columns left for fewer vectors; 0: none have.
int64_t ConvFamily::countNarrowRows(int64_t vectors) {
  if (divideChannels(vectors))
    return 0;
  // Wide tiles need no cases of more rows: narrow ones have them.
  int64_t most = vectors == 4 ? kStreams : 16;
  return std::max(std::min<int64_t>(hw.getVectorRegisters() - 6, most),
                  countRows(vectors));
}

/// Whether tiles of that many vectors are candidates; the report says
/// why not. Two always are. Four, or three where registers are for no more,
/// serve images of short rows, of which tiles of two have too few sums to hide
/// latency; three serve channels that neither divides.
bool ConvFamily::canHaveVectors(int64_t vectors) {
  int64_t channels = anchor.getStaticLoopRanges()[n]; ///< negative: not known
  ++report.considered;
  std::string reason;
  if (!hasRows(vectors))
    reason = "no registers left for as many rows";
  else if (vectors == 3 && channels <= 0 && hasRows(4))
    reason = "tiles of four have cases for three";
  else if (vectors == 3 && channels > 0 && channels <= 2 * lanes)
    reason = ("two hold all " + Twine(channels) + " channels").str();
  else if (vectors == 3 && hasRows(4) && divideChannels(2) &&
           (divideChannels(4) || !divideChannels(3)))
    reason = ((divideChannels(4) ? "four" : "two") + Twine(" divide all ") +
              Twine(channels) + " channels")
                 .str();
  else if (vectors == 4 && channels > 0 && !divideChannels(4))
    reason = ("they do not divide " + Twine(channels) + " channels").str();
  if (!reason.empty())
    report.pruned.push_back((Twine(vectors) + " vectors: " + reason).str());
  return reason.empty();
}

/// Vectors of the one tile of copied pixels where others read them in place.
/// Copies serve few input channels, of which results take as long as sums: four
/// vectors write whole rows of them. Of fewer such tiles have cases.
int64_t ConvFamily::findCopied() {
  bool known = anchor.getStaticLoopRanges()[n] > 0;
  return hasRows(4) && (!known || divideChannels(4)) ? 4 : 2;
}

/// Vectors and rows of tiles. Those of images that share no filter have two
/// vectors.
SmallVector<ConvFamily::RegisterRows> ConvFamily::growTiles() {
  bool all = rules.candidates == Candidates::All;
  SmallVector<RegisterRows> tiles;
  for (int64_t vectors = all ? 1 : 2; vectors <= (panels < 0 ? 2 : 4);
       ++vectors) {
    int64_t most = countRows(vectors);
    if (!all) {
      if (canHaveVectors(vectors))
        tiles.push_back({vectors, most});
      continue;
    }
    for (int64_t rows : {most, most * 3 / 4, most / 2}) {
      ++report.considered;
      if (hasRows(vectors) && rows > 0 &&
          (tiles.empty() || tiles.back().vectors != vectors ||
           tiles.back().rows != rows))
        tiles.push_back({vectors, rows});
    }
  }
  return tiles;
}

/// Whether tiles of that many vectors may read pixels that were copied.
bool ConvFamily::mayCopy(int64_t vectors) {
  return rules.candidates == Candidates::All || vectors == findCopied();
}

/// As of multiply-adds, groups of channels for one. Where tiles sum what offset
/// elements add, a pixel in the padding does as others, so only a copy has it.
SmallVector<ConvVariant> ConvFamily::enumerateDots() {
  HwInstructionAttr instruction = dot->instruction;
  bool leaves = leavesOutPixels();
  SmallVector<ConvVariant> variants;
  for (auto [vectors, rows] : growTiles()) {
    auto micro = MicroKernelAttr::get(
        b.getContext(), "dot", rows, vectors, lanes, kUnroll, /*prefetch=*/0,
        countNarrowRows(vectors), /*scheduler=*/false, /*lane_axis=*/-1,
        /*in_flight=*/0, instruction.getName(), instruction.getK(),
        /*contract=*/true, /*turns=*/false);
    std::string shape =
        ("dot_" + Twine(rows) + "x" + Twine(vectors * lanes)).str();
    if (mayCopy(vectors) || (padded && !leaves))
      variants.push_back({"window_" + shape, micro, true});
    if (!padded || leaves)
      variants.push_back({"inplace_" + shape, micro, false});
  }
  return variants;
}

SmallVector<ConvVariant> ConvFamily::enumerate() {
  int64_t registers = hw.getVectorRegisters();
  int64_t inFlight =
      rules.oneOrder ? 0 : std::min(getInFlight(), registers / 2);
  bool dense = panels >= 0;
  SmallVector<ConvVariant> variants;
  for (const RegisterRows &tile : growTiles()) {
    std::string shape =
        (Twine(tile.rows) + "x" + Twine(tile.vectors * lanes)).str();
    auto add = [&](StringRef name, bool copies) {
      // Lanes of the image leave a window of a few steps, which gain nothing
      // from more rows. Columns that it has at least share pixels.
      auto micro = MicroKernelAttr::get(
          b.getContext(), "fma", tile.rows, tile.vectors, lanes,
          dense ? kUnroll : kTaps,
          /*prefetch=*/0, dense ? countNarrowRows(tile.vectors) : tile.rows,
          /*scheduler=*/false, /*lane_axis=*/-1, inFlight);
      variants.push_back({(name + shape).str(), micro, copies});
    };
    // Lanes of pixels in the padding are masked off, scalars left out.
    bool leaves = leavesOutPixels();
    // A copy serves scalars of few channels, and where nothing else can.
    if ((padded && !leaves) || (dense && mayCopy(tile.vectors)))
      add("window_", true);
    if (!padded || leaves)
      add("inplace_", false);
  }
  return variants;
}

/// Of a filter whose panels are known to exceed half of L2, blocks of the
/// reduction that each are one row of the window: a panel's part stays in L2
/// for all pixels of a task, and sums are read and written once for each.
void ConvFamily::addBlocks(SmallVectorImpl<ConvVariant> &variants) {
  HwLevelAttr l2 = hw.getLevel("l2");
  SmallVector<int64_t> extents = anchor.getStaticLoopRanges();
  if (panels < 0 || k.size() < 3 || !l2 || extents[k.front()] < 2 ||
      extents[n] <= 0)
    return;
  int64_t steps = 1;
  for (unsigned loop : k) {
    if (extents[loop] <= 0)
      return;
    steps *= extents[loop];
  }
  SmallVector<ConvVariant> blocks;
  for (const ConvVariant &variant : variants) {
    int64_t columns = std::min(variant.width(), extents[n]);
    if (variant.matrix() ||
        2 * columns * steps * bytesB <= int64_t(l2.getCapacity()))
      continue;
    ++report.considered;
    blocks.push_back(variant);
    blocks.back().name += "_kblock";
    blocks.back().blockK = true;
  }
  llvm::append_range(variants, blocks);
}

/// The kernel's input behind the image.
int64_t ConvFamily::getImageInput() {
  Value value = anchor->getOperand(image);
  if (auto pad = value.getDefiningOp<tensor::PadOp>())
    value = pad.getSource();
  return cast<BlockArgument>(value).getArgNumber();
}

LogicalResult ConvFamily::add() {
  if (!findRoles() ||
      !setElement(getElementTypeOrSelf(anchor->getResult(0).getType())))
    return failure();
  dot = findDotOfWindow();
  tile = findTile();
  sinkPad();
  SmallVector<ConvVariant> variants;
  if (tile)
    variants = enumerateMatrixTiles();
  // Where matrix tiles always run, nothing else comes near.
  if (!tile || !hasKnownSteps() || rules.candidates == Candidates::All)
    llvm::append_range(variants, dot ? enumerateDots() : enumerate());
  addBlocks(variants);
  if (variants.empty())
    return failure();
  Block *block = createCandidates();
  if (panels < 0)
    for (Type type : kernel->getOperandTypes())
      block->addArgument(type, kernel.getLoc());
  for (const ConvVariant &variant : variants) {
    b.setInsertionPointToEnd(block);
    ConvSizes sizes = makeSizes(variant);
    CandidateOp candidate = emitTree(variant, sizes);
    b.createBlock(&candidate.getCost());
    Real cost = emitCost(variant, sizes);
    YieldOp::create(b, kernel.getLoc(), cost.value);
  }
  return success();
}

LogicalResult vortex::addCpuConvCandidates(KernelOp kernel,
                                           linalg::LinalgOp anchor, HwAttr hw,
                                           CandidateRules rules,
                                           CandidateReport &report) {
  return ConvFamily(kernel, anchor, hw, rules, report).add();
}
