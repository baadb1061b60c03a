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
// A task is a strip of rows of one image. Its part of the image may be copied
// first: padding is then written by that copy instead of a pass over the whole
// image, and pixels without gaps make one reduction of the window's columns and
// the channels. A panel stays in L2 for all pixels of a strip; small images
// share a task, so that each panel is read once for all of them.
//
//===----------------------------------------------------------------------===//

#include "CpuFamily.h"
#include "MicroKernelEmitter.h"

#include "mlir/Analysis/FlatLinearValueConstraints.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace vortex;

/// Rows of an operand in place that have registers for their addresses.
static constexpr int64_t kStreams = 9;

/// Columns of a window that share pixels: of most, with none left over.
static constexpr int64_t kTaps = 3;

namespace {
struct Variant {
  std::string name;
  MicroKernelAttr micro;
  bool copies; ///< the image's part of a task
};

/// Coefficients of the loops in an index of the image.
using Index = SmallVector<int64_t>;

class ConvFamily : CpuFamily {
public:
  ConvFamily(KernelOp kernel, linalg::LinalgOp anchor, HwAttr hw, bool oneOrder,
             CandidateReport &report)
      : CpuFamily(kernel, anchor, hw, report), oneOrder(oneOrder) {}
  LogicalResult add();

private:
  bool findRoles();
  bool findFilter(const ContractionRoles &roles);
  void findTaps();
  void sinkPad();
  bool leavesOutPixels();
  SmallVector<Variant> enumerate();
  void emit(const Variant &variant);
  Size extentOf(const Index &index, ArrayRef<Size> loops);
  Real countTaps(bool alongRows);
  Real countPixels(Size rows);
  bool mergesColumns();
  std::optional<unsigned> getSharedLoop();
  Flag hasSplitPixels();
  int64_t getImageInput();

  bool oneOrder; ///< of the terms of a sum, whatever the tile
  // Facts of the problem.
  unsigned image = 0;    ///< the operand read at sums of loops
  int64_t panels = -1;   ///< the input behind the filter of a dense convolution
  int64_t taps = -1;     ///< and of a depthwise one
  unsigned m = 0, n = 0; ///< loops of rows and lanes
  unsigned strip = 0;    ///< loop of the result that tasks take runs of
  SmallVector<unsigned> k, batch;
  SmallVector<Index> indices; ///< of the image
  bool padded = false;        ///< by the payload
  bool neutral = false;       ///< and leaving padding out changes nothing
};
} // namespace

static int64_t getBytes(Value value) {
  return std::max<int64_t>(
      1, getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth() / 8);
}

/// The coefficients of `map`'s results; none when one is no sum.
static std::optional<SmallVector<Index>> getIndices(AffineMap map) {
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
  // Sizes are known without it.
  Location loc = pad.getLoc();
  for (Operation *user : llvm::make_early_inc_range(pad->getUsers())) {
    auto dim = dyn_cast<tensor::DimOp>(user);
    std::optional<int64_t> position =
        dim ? dim.getConstantIndex() : std::nullopt;
    if (!position || *position >= pad.getSourceType().getRank())
      continue;
    OpBuilder at(dim);
    Value size = tensor::DimOp::create(at, loc, pad.getSource(), *position);
    int64_t more =
        pad.getStaticLow()[*position] + pad.getStaticHigh()[*position];
    if (more != 0)
      size = arith::AddIOp::create(
          at, loc, size, arith::ConstantIndexOp::create(at, loc, more));
    dim.replaceAllUsesWith(size);
    dim.erase();
  }
  OpBuilder inside = OpBuilder::atBlockBegin(&kernel.getPayload().front());
  auto scalar = arith::ConstantOp::create(inside, loc, cast<TypedAttr>(value));
  auto clone = tensor::PadOp::create(inside, loc, pad.getType(), argument,
                                     pad.getMixedLowPad(),
                                     pad.getMixedHighPad(), scalar.getResult());
  argument.replaceAllUsesExcept(clone, clone);
  argument.setType(pad.getSourceType());
  input.set(pad.getSource());
  if (pad->use_empty())
    pad.erase();
}

/// Whether a tile in place can leave out its pixels in the padding: rows of the
/// window by the reductions around the innermost one, columns as scalars by
/// them, too, and as vectors by a mask.
bool ConvFamily::leavesOutPixels() {
  auto pad = anchor->getOperand(image).getDefiningOp<tensor::PadOp>();
  bool dense = panels >= 0;
  if (!pad || !neutral || (dense && anchor.getNumDpsInputs() != 2))
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

/// Vectors of the image that a step of `rows` reads, in pixels: those that rows
/// share with others or with the steps beside it are read once.
Real ConvFamily::countPixels(Size rows) {
  for (const Index &index : indices)
    if (index[m] != 0 && index[k.back()] != 0)
      return arith.real(
                 min(rows * kTaps,
                     (rows - arith.size(1)) * index[m] +
                         arith.size((kTaps - 1) * index[k.back()] + 1))) *
             (1.0 / double(kTaps));
  return arith.real(rows);
}

SmallVector<Variant> ConvFamily::enumerate() {
  int64_t registers = hw.getVectorRegisters();
  int64_t inFlight = oneOrder ? 0 : std::min(getInFlight(), registers / 2);
  int64_t narrowRows = std::min<int64_t>(registers - 6, 16);
  bool dense = panels >= 0;
  SmallVector<Variant> variants;
  // Channels that two vectors do not divide may be divided by three.
  for (int64_t vectors : {2, 3}) {
    if (vectors > 2 && !dense)
      continue;
    ++report.considered;
    int64_t rows =
        std::min<int64_t>((registers - vectors - 1) / vectors, kStreams);
    if (rows < 2) {
      report.pruned.push_back(
          (Twine(vectors) + " vectors: no registers left for rows").str());
      continue;
    }
    std::string shape = (Twine(rows) + "x" + Twine(vectors * lanes)).str();
    auto add = [&](StringRef name, bool copies) {
      // Lanes of the image leave a window of a few steps, which gain nothing
      // from more rows. Columns that it has at least share pixels.
      auto micro = MicroKernelAttr::get(
          b.getContext(), "fma", rows, vectors, lanes, dense ? kUnroll : kTaps,
          /*prefetch=*/0, dense ? std::max(narrowRows, rows) : rows,
          /*scheduler=*/false, /*lane_axis=*/-1, inFlight);
      variants.push_back({(name + shape).str(), micro, copies});
    };
    // Lanes of pixels in the padding are masked off, scalars left out.
    bool leaves = leavesOutPixels();
    // A copy serves scalars of few channels, and where nothing else can.
    if ((padded && !leaves) || (dense && vectors == 2))
      add("window_", true);
    if (!padded || (leaves && vectors == 2))
      add("inplace_", false);
  }
  return variants;
}

/// Elements that `index` walks while each loop takes `loops[loop]` steps.
Size ConvFamily::extentOf(const Index &index, ArrayRef<Size> loops) {
  Size extent = arith.size(1);
  for (auto [loop, coefficient] : llvm::enumerate(index))
    if (coefficient != 0)
      extent = extent + (loops[loop] - arith.size(1)) * coefficient;
  return extent;
}

/// Steps of a reduction that lie in the image, on average over the result: rows
/// of the window in the padding are always left out, its columns `alongRows` of
/// a tile are where scalars are.
Real ConvFamily::countTaps(bool alongRows) {
  Real steps = arith.real(1.0);
  auto pad = anchor->getOperand(image).getDefiningOp<tensor::PadOp>();
  for (unsigned tap : k) {
    Real taps = arith.real(axis(tap));
    const auto *found = llvm::find_if(
        indices, [&](const Index &index) { return index[tap] != 0; });
    size_t dim = found - indices.begin();
    unsigned loop = 0;
    while (found != indices.end() && loop < found->size() &&
           ((*found)[loop] == 0 || llvm::is_contained(k, loop)))
      ++loop;
    if (pad && neutral && found != indices.end() && loop < found->size() &&
        tap != k.back() && (loop != m || alongRows)) {
      // Each next window that begins in the padding has `stride` pixels less of
      // it, each next tap `dilation`.
      double stride = (*found)[loop], dilation = (*found)[tap];
      auto outside = [&](double pixels) {
        Real reached = min(taps, arith.real(std::ceil(pixels / dilation)));
        return reached *
               (arith.real(pixels + dilation / 2) - reached * (dilation / 2)) *
               (1.0 / stride);
      };
      Real results = arith.real(atLeast(axis(loop), 1));
      Real left =
          outside(pad.getStaticLow()[dim]) + outside(pad.getStaticHigh()[dim]);
      taps = max(taps - left / results, taps * 0.1);
    }
    steps = steps * taps;
  }
  return steps;
}

/// Whether a copied image gives one reduction of the window's columns and the
/// channels (as the emitter finds it).
bool ConvFamily::mergesColumns() {
  if (k.size() < 2 || indices.size() < 2 || panels < 0)
    return false;
  unsigned channel = k.back(), column = k[k.size() - 2];
  return indices.back()[channel] == 1 &&
         indices[indices.size() - 2][column] == 1;
}

/// The loop of the result whose images may share a task: the filter is the same
/// for all of them, and no window reaches from one into the next.
std::optional<unsigned> ConvFamily::getSharedLoop() {
  if (panels < 0 || batch.empty())
    return std::nullopt;
  unsigned loop = batch.back();
  for (auto [i, map] : llvm::enumerate(anchor.getIndexingMapsArray()))
    if (i != image && int64_t(i) < anchor.getNumDpsInputs() &&
        map.isFunctionOfDim(loop))
      return std::nullopt;
  for (const Index &index : indices)
    if (index[loop] != 0 &&
        llvm::count_if(index, [](int64_t c) { return c != 0; }) != 1)
      return std::nullopt;
  return loop;
}

/// The kernel's input behind the image.
int64_t ConvFamily::getImageInput() {
  Value value = anchor->getOperand(image);
  if (auto pad = value.getDefiningOp<tensor::PadOp>())
    value = pad.getSource();
  return cast<BlockArgument>(value).getArgNumber();
}

/// Whether vectors of the image in place cross cache lines.
Flag ConvFamily::hasSplitPixels() {
  int64_t input = getImageInput();
  Value operand = kernel.getCandidates().front().getArgument(
      kernel.getAxes().size() + input);
  int64_t bytes = getBytes(kernel.getInputs()[input]);
  Size line = arith.size(hw.getVectorBytes());
  Flag split = arith.alignment(operand) < line;
  for (auto [dim, index] : llvm::enumerate(indices))
    if (index[m] != 0 && dim + 1 < indices.size())
      split =
          split | (arith.size(0) < arith.stride(operand, dim) * bytes % line);
  return split;
}

void ConvFamily::emit(const Variant &variant) {
  Location loc = kernel.getLoc();
  MicroKernelAttr micro = variant.micro;
  int64_t width = micro.getVectors() * micro.getLanes();
  int64_t bytesA = getBytes(anchor->getOperand(image));
  int64_t bytesC = getBytes(anchor->getResult(0));
  int64_t bytesB = panels < 0 ? 0 : getBytes(kernel.getInputs()[panels]);
  std::optional<unsigned> shared = getSharedLoop();

  // Sizes.
  struct {
    Size m, n, k, steps, batch, threads, strip, lanes, mr, vectors, tasks;
    Size rounds, window, whole, reach, tile, images;
  } s{axis(m),       axis(n),       arith.size(1), arith.size(1), arith.size(1),
      arith.size(1), axis(strip),   axis(n),       arith.size(1), arith.size(1),
      arith.size(1), arith.size(1), arith.size(1), arith.size(1), arith.size(1),
      arith.size(1), arith.size(1)};
  auto sizes = [&] {
    SmallVector<Size> all;
    for (unsigned loop = 0; loop < anchor.getNumLoops(); ++loop)
      all.push_back(axis(loop));
    for (unsigned loop : k)
      s.k = s.k * all[loop];
    for (unsigned loop : k)
      if (loop != k.back() &&
          !(variant.copies && mergesColumns() && loop == k[k.size() - 2]))
        s.steps = s.steps * all[loop];
    for (unsigned loop : batch)
      s.batch = s.batch * all[loop];
    Size pixels = s.batch * s.m;
    if (strip != m)
      pixels = pixels * axis(strip);
    Real work = arith.real(pixels * s.n * s.k) * 2.0 / rate();
    // Few steps of each element take no longer than to bring it along.
    s.whole = arith.size(bytesA);
    for (const Index &index : indices)
      s.whole = s.whole * extentOf(index, all);
    if (panels < 0)
      work = work +
             arith.real(s.whole + pixels * s.n * bytesC) / param("l2.stream");
    Flag small = work < param("core.startup") * 8.0;
    s.threads =
        arith.select(small, arith.size(1), arith.toSize(param("threads", 1.0)));
    // A strip's part of the image takes half of L2.
    SmallVector<Size> one;
    for (unsigned loop = 0; loop < all.size(); ++loop)
      one.push_back(loop == strip || llvm::is_contained(batch, loop)
                        ? arith.size(1)
                        : atLeast(all[loop], 1));
    int64_t capacity =
        hw.getLevel("l2") ? hw.getLevel("l2").getCapacity() : 1 << 20;
    // Where lanes are channels of the image, tasks take one tile of them: the
    // copy then has no other channels between its pixels.
    if (panels < 0 && variant.copies)
      one[n] = atLeast(atMost(s.n, width), 1);
    Size row = arith.size(bytesA);
    Size overlap = arith.size(1);
    int64_t stride = 1;
    for (const Index &index : indices)
      if (index[strip] != 0) {
        overlap = extentOf(index, one);
        stride = index[strip];
      } else {
        row = row * extentOf(index, one);
      }
    s.reach = row * overlap;
    Size room = max(arith.size(capacity / 2) / atLeast(row, 1), overlap);
    Size most = (room - overlap) / arith.size(stride) + arith.size(1);
    // So does its result, which each panel writes a part of, where the panels
    // are small enough to be read again for each strip.
    Size filter = s.n * s.k * bytesB;
    Size written = s.n * bytesC;
    if (strip != m)
      written = written * s.m;
    if (panels >= 0)
      most = arith.select(
          filter <= arith.size(capacity / 8),
          min(most, atLeast(arith.size(capacity / 2) / atLeast(written, 1), 1)),
          most);
    Size strips = atLeast(ceilDiv(axis(strip), most), 1);
    Size groups = atLeast(ceilDiv(s.n, arith.size(width)), 1);
    // Whole images that fit together, and into L2 beside a panel, share each.
    Size together = arith.size(1), apart = s.batch;
    if (shared) {
      Size rest =
          arith.size(capacity) - atMost(s.k * (width * bytesB), capacity);
      Size whole = row * axis(strip) * stride;
      together = min(most / atLeast(axis(strip), 1), rest / atLeast(whole, 1));
      together = atLeast(min(axis(*shared), together), 1);
      apart = arith.size(1);
      for (unsigned loop : batch)
        if (loop != *shared)
          apart = apart * axis(loop);
    }
    auto countBlocks = [&](Size images) {
      return shared ? apart * ceilDiv(axis(*shared), images) : apart;
    };
    Size blocks = countBlocks(together);
    struct Division {
      Size strip, lanes, tasks, rounds, images;
    };
    auto divide = [&](int64_t tasksOfThread) -> Division {
      Size parts = arith.select(
          arith.size(1) < s.threads,
          ceilDiv(s.threads * tasksOfThread, atLeast(blocks * strips, 1)),
          arith.size(1));
      // What is larger is shared: all strips of an image read the same panels,
      // all panels the same image. Images are shared before their rows.
      Flag byRows = filter < together * row * axis(strip) * stride;
      Size images = together;
      if (shared) {
        Size shares = arith.select(byRows, min(parts, together), arith.size(1));
        images = ceilDiv(together, shares);
        parts = ceilDiv(parts, shares);
      }
      Size rows = arith.select(
          byRows, min(parts, atLeast(axis(strip) / strips, 1)), arith.size(1));
      // Two threads do not like to write lanes of the same pixels: lines next
      // to each other are fetched together.
      Size columns = min(ceilDiv(parts, rows), groups);
      if (panels < 0)
        columns =
            variant.copies
                ? groups
                : min(ceilDiv(s.threads, atLeast(blocks * strips * rows, 1)),
                      groups);
      Size height =
          atLeast(ceilDiv(axis(strip), strips * ceilDiv(parts, columns)), 1);
      Size wide = ceilDiv(groups, columns) * width;
      Size tasks = countBlocks(images) * ceilDiv(axis(strip), height) *
                   ceilDiv(s.n, wide);
      return {height, wide, tasks, ceilDiv(tasks, s.threads), images};
    };
    // Four tasks a thread, so that none waits long for the last one, unless one
    // a thread divides the rows better.
    Division many = divide(4), few = divide(1);
    auto share = [&](const Division &d) {
      Size work = d.rounds * d.strip * d.lanes;
      return shared ? work * d.images : work;
    };
    Flag even = share(few) * 20 < share(many) * 19;
    s.strip = arith.select(even, few.strip, many.strip);
    s.lanes = arith.select(even, few.lanes, many.lanes);
    s.tasks = arith.select(even, few.tasks, many.tasks);
    s.rounds = arith.select(even, few.rounds, many.rounds);
    one[strip] = s.strip;
    if (shared) {
      s.images = arith.select(even, few.images, many.images);
      one[*shared] = s.images;
    }
    s.window = arith.size(bytesA);
    for (const Index &index : indices)
      s.window = s.window * extentOf(index, one);
    // Fewer vectors leave registers for more rows.
    s.vectors =
        atLeast(ceilDiv(atMost(s.n, width), arith.size(micro.getLanes())), 1);
    Size height =
        atMost(arith.size(micro.getRows() * micro.getVectors()) / s.vectors,
               micro.getNarrowRows());
    Size row1 = strip == m ? s.strip : s.m;
    s.mr = atLeast(ceilDiv(row1, atLeast(ceilDiv(row1, height), 1)), 1);
    s.m = row1;
    one[strip] = arith.size(1);
    if (shared)
      one[*shared] = arith.size(1);
    one[m] = s.mr;
    one[n] = atLeast(atMost(s.n, width), 1);
    s.tile = arith.size(bytesA);
    for (const Index &index : indices)
      s.tile = s.tile * extentOf(index, one);
  };
  sizes();
  Value one = arith.size(1).value, panelWidth = arith.size(width).value;
  auto candidate = CandidateOp::create(b, loc, variant.name);

  // Schedule.
  b.createBlock(&candidate.getSchedule());
  auto load = [&](int64_t input, LayoutKind layout, unsigned loop,
                  bool bound) -> Attribute {
    return LoadAttr::get(b.getContext(), input, layout, loop,
                         /*together=*/false, bound);
  };
  if (int64_t filter = std::max(panels, taps); filter >= 0)
    createLevel("device", LoopKind::Sequential, {}, AxisClass::PL, {},
                {load(filter, LayoutKind::Panel, n,
                      isWeight(kernel.getInputs()[filter]))},
                {panelWidth});
  SmallVector<int64_t> axes(batch.begin(), batch.end());
  SmallVector<Value> tiles(batch.size(), one);
  if (shared)
    tiles.back() = s.images.value;
  axes.append({strip, n});
  tiles.append({s.strip.value, s.lanes.value});
  SmallVector<Attribute> loads;
  SmallVector<Value> loadSizes;
  if (variant.copies) {
    loads.push_back(load(getImageInput(), LayoutKind::Copy, strip, false));
    loadSizes.push_back(s.strip.value);
  }
  createLevel("core", LoopKind::Forall, axes, AxisClass::PL, tiles, loads,
              loadSizes);
  SmallVector<int64_t> pixels = {m};
  SmallVector<Value> pixelsOfTile = {s.mr.value};
  auto runOneByOne = [&](unsigned loop) {
    pixels.insert(pixels.begin(), loop);
    pixelsOfTile.insert(pixelsOfTile.begin(), one);
  };
  if (strip != m)
    runOneByOne(strip);
  if (shared)
    runOneByOne(*shared);
  auto runPanel = [&](StringRef level) {
    createLevel(level, LoopKind::Sequential, {n}, AxisClass::TSL, {panelWidth});
  };
  auto runPixels = [&](StringRef level) {
    createLevel(level, LoopKind::Sequential, pixels, AxisClass::TSL,
                pixelsOfTile);
  };
  // A panel stays for all pixels; where there is none, channels of a pixel
  // follow each other as they lie.
  if (panels >= 0 || variant.copies) {
    runPanel("l1");
    runPixels("register");
  } else {
    runPixels("l1");
    runPanel("register");
  }
  StageOp::create(b, loc, b.getStrArrayAttr(getPayloadIds()), micro,
                  StringAttr());

  // Cost.
  b.createBlock(&candidate.getCost());
  Real cycle = arith.real(4.0 * micro.getLanes()) / rate();
  Real rows = arith.real(s.mr), v = arith.real(s.vectors);
  // Lanes of the image are loads of vectors, scalars one a row. A load across
  // a line counts double.
  Real loadsOfStep = panels < 0 ? countPixels(s.mr) * v : rows;
  if (panels < 0 && !variant.copies)
    loadsOfStep = loadsOfStep * arith.select(hasSplitPixels(), arith.real(2.0),
                                             arith.real(1.0));
  loadsOfStep = loadsOfStep + v;
  Real step = max(max(rows * v, loadsOfStep) * 0.5 * cycle, latency());
  Size rowsOfTask = strip == m ? arith.size(1) : s.strip;
  if (shared)
    rowsOfTask = rowsOfTask * s.images;
  Size tilesOfTask = ceilDiv(s.m, s.mr) * rowsOfTask *
                     ceilDiv(min(s.lanes, s.n), arith.size(width));
  // Another run of the innermost reduction costs its two branches, and a branch
  // and an address for each row where those in the padding are left out.
  Real runs =
      arith.real(s.steps) * cycle *
      (padded && panels >= 0 && !variant.copies ? rows * 1.5 + arith.real(4.0)
                                                : arith.real(4.0));
  Real tile = countTaps(!variant.copies && panels >= 0) * step + runs +
              param("register.startup");
  // Rows that the window covers are read again for each row of the result:
  // from L2 unless they rest in L1.
  if (panels < 0)
    tile = tile + arith.select(
                      arith.real(s.reach) <= param("l1.capacity") * 0.5,
                      arith.real(0.0), arith.real(s.tile) / param("l2.stream"));
  Real tasks = arith.real(s.rounds);
  Real core = tasks * arith.real(tilesOfTask) * tile;
  Real window = arith.real(s.window);
  Real result =
      arith.real(rowsOfTask * s.m * min(s.lanes, s.n)) * double(bytesC);
  Real home = arith.real(s.whole) + arith.real(s.tasks) * result +
              arith.real(s.n * s.k) * double(bytesB);
  Real filter = arith.real(min(s.lanes, s.n) * s.k) * double(bytesB);
  Real memory = tasks * ((window + result * 2.0) * byteTime(home) +
                         filter * byteTime(filter));
  Real exposed =
      memory * arith.select(fitsCache(home), arith.real(0.05), arith.real(0.5));
  Real total =
      core + exposed + param("core.call") + tasks * param("core.call") * 0.4;
  if (variant.copies)
    total = total + tasks * window * 2.0 / param("l2.stream") +
            tasks * param("core.call") * 0.33;
  total = total + arith.select(arith.size(1) < s.threads, param("core.startup"),
                               param("core.call") * 0.17);
  YieldOp::create(b, loc, total.value);
  b.setInsertionPointAfter(candidate);
}

LogicalResult ConvFamily::add() {
  if (!findRoles() ||
      !setElement(getElementTypeOrSelf(anchor->getResult(0).getType())))
    return failure();
  sinkPad();
  SmallVector<Variant> variants = enumerate();
  if (variants.empty())
    return failure();
  Block *block = createCandidates();
  if (panels < 0)
    for (Type type : kernel->getOperandTypes())
      block->addArgument(type, kernel.getLoc());
  for (const Variant &variant : variants) {
    b.setInsertionPointToEnd(block);
    emit(variant);
  }
  return success();
}

LogicalResult vortex::addCpuConvCandidates(KernelOp kernel,
                                           linalg::LinalgOp anchor, HwAttr hw,
                                           bool oneOrder,
                                           CandidateReport &report) {
  return ConvFamily(kernel, anchor, hw, oneOrder, report).add();
}
