//===- ChannelsLast.cpp - Images with their channels innermost ------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops are visited in the order of the program. An op that changes leaves its
// result in the new layout beside the old one, which is transposed from it and
// vanishes unless someone still reads it.
//
//===----------------------------------------------------------------------===//

#include "Relayout.h"
#include "Scope.h"

#include "vortex/Graph/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Utils/Utils.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"

namespace vortex {
#define GEN_PASS_DEF_CHANNELSLAST
#include "vortex/Graph/Passes.h.inc"
} // namespace vortex

using namespace mlir;
using namespace vortex;

/// `items` with the one at `position` moved to the end.
template <typename T>
static SmallVector<T> moveLast(ArrayRef<T> items, unsigned position) {
  SmallVector<T> moved(items);
  std::rotate(moved.begin() + position, moved.begin() + position + 1,
              moved.end());
  return moved;
}

/// The order of dimensions that moves the one at `position` to the end.
static SmallVector<int64_t> getOrder(unsigned rank, unsigned position) {
  return moveLast<int64_t>(llvm::to_vector(llvm::seq<int64_t>(rank)), position);
}

/// Where `map` has `loop` by itself, but not at its end.
static std::optional<unsigned> findInner(AffineMap map, unsigned loop) {
  for (unsigned i = 0; i + 1 < map.getNumResults(); ++i)
    if (map.getResult(i) == getAffineDimExpr(loop, map.getContext()))
      return i;
  return std::nullopt;
}

namespace {
/// Ops of one block.
class Layouts {
public:
  Layouts(Block &block, Pass::Statistic &moved) : block(block), moved(moved) {}
  void run();

private:
  /// A value with its dimension `channel` innermost.
  struct Last {
    unsigned channel;
    Value value;
  };
  /// Where operands of an op have the channel, and none that stay.
  using Channels = SmallVector<std::optional<unsigned>>;

  std::optional<Channels> findConvolution(linalg::LinalgOp op);
  std::optional<Channels> findFollower(linalg::LinalgOp op);
  bool isFree(Value value, unsigned channel);
  Value get(OpBuilder &builder, Value value, unsigned channel);
  Value transpose(OpBuilder &builder, Value value, ArrayRef<int64_t> order);
  Value rewrite(OpBuilder &builder, linalg::LinalgOp op,
                const Channels &channels);
  Value rewrite(OpBuilder &builder, tensor::PadOp pad, unsigned channel);
  void keep(Value value, unsigned channel, Value last);

  Block &block;
  Pass::Statistic &moved;
  DenseMap<Value, Last> layouts;
};
} // namespace

/// Whether `op` makes its result of nothing that has an image's layout.
static bool isBroadcast(linalg::LinalgOp op) {
  return op.hasPureTensorSemantics() && op->getNumResults() == 1 &&
         op.getNumReductionLoops() == 0 &&
         op.getIndexingMapsArray().back().isPermutation() &&
         llvm::all_of(op.getDpsInputs(),
                      [&](Value input) {
                        auto type = dyn_cast<ShapedType>(input.getType());
                        return !type ||
                               type.getRank() + 2 <= int64_t(op.getNumLoops());
                      }) &&
         !op.payloadUsesValueFromOperand(op.getDpsInitOperand(0));
}

static bool hasIndex(linalg::LinalgOp op) {
  return op->getRegion(0)
      .walk([](linalg::IndexOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

/// A convolution with one dimension of channels a side, where its image has
/// pixels innermost: the channels of image and result.
std::optional<Layouts::Channels> Layouts::findConvolution(linalg::LinalgOp op) {
  if (op.getNumDpsInputs() != 2)
    return std::nullopt;
  FailureOr<linalg::ConvolutionDimensions> dims =
      linalg::inferConvolutionDims(op);
  if (failed(dims) || dims->inputChannel.size() != 1 ||
      dims->outputChannel.size() != 1 || !dims->depth.empty() ||
      dims->outputImage.empty())
    return std::nullopt;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  std::optional<unsigned> in = findInner(maps[0], dims->inputChannel[0]),
                          out = findInner(maps[2], dims->outputChannel[0]);
  if (!in || !out || !maps[2].isProjectedPermutation())
    return std::nullopt;
  return Channels{in, std::nullopt, out};
}

/// An op that can take the layout of what it reads: a dimension of a result
/// that no loop mixes with others, or one that is only read.
std::optional<Layouts::Channels> Layouts::findFollower(linalg::LinalgOp op) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (!maps.back().isProjectedPermutation())
    return std::nullopt;
  std::optional<unsigned> loop;
  for (auto [input, map] : llvm::zip(op.getDpsInputs(), maps)) {
    auto found = layouts.find(input);
    if (found == layouts.end())
      continue;
    auto expr = dyn_cast<AffineDimExpr>(map.getResult(found->second.channel));
    if (!expr || (loop && *loop != expr.getPosition()))
      return std::nullopt;
    loop = expr.getPosition();
  }
  if (!loop ||
      op.getIteratorTypesArray()[*loop] != utils::IteratorType::parallel)
    return std::nullopt;
  Channels channels;
  for (auto [operand, map] : llvm::zip(op->getOperands(), maps)) {
    unsigned rank = map.getNumResults();
    std::optional<unsigned> channel = findInner(map, *loop);
    // Vectors of numbers, one a channel and one a pixel, stay as they are.
    if (rank < 3 && operand != op.getDpsInits()[0])
      channel = std::nullopt;
    if (channel && operand != op.getDpsInits()[0] && !isFree(operand, *channel))
      return std::nullopt;
    channels.push_back(channel);
  }
  return channels;
}

/// Whether `value` need not be transposed to have its channels innermost.
bool Layouts::isFree(Value value, unsigned channel) {
  if (auto found = layouts.find(value); found != layouts.end())
    return found->second.channel == channel;
  Operation *op = value.getDefiningOp();
  if (auto linalgOp = dyn_cast_or_null<linalg::LinalgOp>(op))
    return isBroadcast(linalgOp) && !hasIndex(linalgOp);
  return isa_and_nonnull<tensor::EmptyOp>(op);
}

Value Layouts::transpose(OpBuilder &builder, Value value,
                         ArrayRef<int64_t> order) {
  Location loc = value.getLoc();
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, value),
                            moved;
  SmallVector<int64_t> shape;
  for (int64_t from : order) {
    moved.push_back(sizes[from]);
    shape.push_back(type.getDimSize(from));
  }
  // Where only dimensions of size 1 change places nothing moves.
  SmallVector<int64_t> kept;
  for (int64_t from : order)
    if (type.getDimSize(from) != 1)
      kept.push_back(from);
  if (llvm::is_sorted(kept) && !kept.empty()) {
    auto groupsOf = [&](ArrayRef<int64_t> sizes) {
      SmallVector<ReassociationIndices> groups(1);
      bool filled = false;
      for (auto [dim, size] : llvm::enumerate(sizes)) {
        if (filled && size != 1)
          groups.emplace_back();
        filled |= size != 1;
        groups.back().push_back(dim);
      }
      return groups;
    };
    SmallVector<int64_t> dense;
    for (int64_t from : kept)
      dense.push_back(type.getDimSize(from));
    auto all = RankedTensorType::get(dense, type.getElementType());
    Value flat = tensor::CollapseShapeOp::create(builder, loc, all, value,
                                                 groupsOf(type.getShape()));
    return tensor::ExpandShapeOp::create(
        builder, loc, RankedTensorType::get(shape, type.getElementType()), flat,
        groupsOf(shape), moved);
  }
  Value room =
      tensor::EmptyOp::create(builder, loc, moved, type.getElementType());
  return linalg::TransposeOp::create(builder, loc, value, room, order)
      ->getResult(0);
}

/// `value` with its channels innermost.
Value Layouts::get(OpBuilder &builder, Value value, unsigned channel) {
  if (auto found = layouts.find(value);
      found != layouts.end() && found->second.channel == channel)
    return found->second.value;
  unsigned rank = cast<RankedTensorType>(value.getType()).getRank();
  SmallVector<int64_t> order = getOrder(rank, channel);
  Operation *op = value.getDefiningOp();
  if (auto empty = dyn_cast_or_null<tensor::EmptyOp>(op))
    return tensor::EmptyOp::create(
        builder, empty.getLoc(),
        moveLast<OpFoldResult>(empty.getMixedSizes(), channel),
        empty.getType().getElementType());
  if (auto fill = dyn_cast_or_null<linalg::FillOp>(op))
    return linalg::FillOp::create(builder, fill.getLoc(), fill.getInputs(),
                                  get(builder, fill.getDpsInits()[0], channel))
        .getResult(0);
  if (auto pad = dyn_cast_or_null<tensor::PadOp>(op);
      pad && pad.getConstantPaddingValue())
    return rewrite(builder, pad, channel);
  if (auto broadcast = dyn_cast_or_null<linalg::LinalgOp>(op);
      broadcast && isBroadcast(broadcast) && !hasIndex(broadcast)) {
    Channels channels(op->getNumOperands());
    channels.back() = channel;
    return rewrite(builder, broadcast, channels);
  }
  // Behind what makes it, so that all who ask share one.
  OpBuilder::InsertionGuard guard(builder);
  if (value.getParentBlock() == &block)
    builder.setInsertionPointAfterValue(value);
  Value last = transpose(builder, value, order);
  if (value.getParentBlock() == &block)
    layouts.try_emplace(value, Last{channel, last});
  return last;
}

/// `op` with channels innermost: its new result.
Value Layouts::rewrite(OpBuilder &builder, linalg::LinalgOp op,
                       const Channels &channels) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<Value> operands = op->getOperands();
  MLIRContext *context = op.getContext();
  for (auto [operand, map, channel] : llvm::zip(operands, maps, channels)) {
    if (!channel)
      continue;
    operand = get(builder, operand, *channel);
    map = AffineMap::get(map.getNumDims(), 0,
                         moveLast<AffineExpr>(map.getResults(), *channel),
                         context);
  }
  // Loops in the order of the result, then those of a window as its image has
  // them.
  SmallVector<unsigned> order;
  auto walk = [&](AffineMap map) {
    for (AffineExpr expr : map.getResults())
      for (unsigned loop = 0; loop < map.getNumDims(); ++loop)
        if (expr.isFunctionOfDim(loop) && !llvm::is_contained(order, loop))
          order.push_back(loop);
  };
  walk(maps.back());
  for (AffineMap map : maps)
    walk(map);
  SmallVector<AffineExpr> renamed(order.size());
  SmallVector<utils::IteratorType> iterators;
  for (auto [position, loop] : llvm::enumerate(order)) {
    renamed[loop] = getAffineDimExpr(position, context);
    iterators.push_back(op.getIteratorTypesArray()[loop]);
  }
  for (AffineMap &map : maps)
    map = map.replaceDimsAndSymbols(renamed, {}, order.size(), 0);
  ++moved;
  return rebuild(builder, op, ArrayRef(operands).drop_back(), operands.back(),
                 maps, iterators)
      .getResult(0);
}

Value Layouts::rewrite(OpBuilder &builder, tensor::PadOp pad,
                       unsigned channel) {
  Value source = get(builder, pad.getSource(), channel);
  SmallVector<int64_t> shape =
      moveLast<int64_t>(pad.getType().getShape(), channel);
  auto type = RankedTensorType::get(shape, pad.getType().getElementType());
  // The region of the old op may have made it.
  Value padding = pad.getConstantPaddingValue();
  if (padding.getParentRegion() == &pad.getRegion())
    padding = builder.clone(*padding.getDefiningOp())->getResult(0);
  ++moved;
  return tensor::PadOp::create(
      builder, pad.getLoc(), type, source,
      moveLast<OpFoldResult>(pad.getMixedLowPad(), channel),
      moveLast<OpFoldResult>(pad.getMixedHighPad(), channel), padding,
      pad.getNofold());
}

/// `last` takes the place of `value`.
void Layouts::keep(Value value, unsigned channel, Value last) {
  OpBuilder builder(block.getParentOp()->getContext());
  builder.setInsertionPointAfterValue(last);
  unsigned rank = cast<RankedTensorType>(value.getType()).getRank();
  SmallVector<int64_t> order = getOrder(rank, channel), back(rank);
  for (auto [to, from] : llvm::enumerate(order))
    back[from] = to;
  Value same = transpose(builder, last, back);
  value.replaceAllUsesWith(same);
  layouts.try_emplace(same, Last{channel, last});
}

void Layouts::run() {
  SmallVector<Operation *> ops;
  for (Operation &op : block)
    ops.push_back(&op);
  for (Operation *op : ops) {
    OpBuilder builder(op);
    if (auto pad = dyn_cast<tensor::PadOp>(op)) {
      auto found = layouts.find(pad.getSource());
      if (found == layouts.end() || !pad.getConstantPaddingValue())
        continue;
      unsigned channel = found->second.channel;
      keep(pad, channel, rewrite(builder, pad, channel));
      op->erase();
      continue;
    }
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    if (!linalgOp || !linalgOp.hasPureTensorSemantics() ||
        op->getNumResults() != 1 || hasIndex(linalgOp))
      continue;
    std::optional<Channels> channels = findConvolution(linalgOp);
    if (!channels)
      channels = findFollower(linalgOp);
    if (!channels)
      continue;
    Value result = rewrite(builder, linalgOp, *channels);
    if (channels->back())
      keep(op->getResult(0), *channels->back(), result);
    else
      op->getResult(0).replaceAllUsesWith(result);
    op->erase();
  }
}

namespace {
struct ChannelsLastPass : vortex::impl::ChannelsLastBase<ChannelsLastPass> {
  void runOnOperation() override {
    SmallVector<Block *> blocks;
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (!isInKernel(op) && !llvm::is_contained(blocks, op->getBlock()))
        blocks.push_back(op->getBlock());
    });
    for (Block *block : blocks)
      Layouts(*block, numMoved).run();
  }
};
} // namespace
