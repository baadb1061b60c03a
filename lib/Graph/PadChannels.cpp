//===- PadChannels.cpp - Channels of an image in whole words --------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Matrix tiles take channels of a pixel in words of a few. One or three fill
// none: zeros that follow them do, in the image, where the copy of a task
// writes them beside the padding, and in the filter, once.
//
//===----------------------------------------------------------------------===//

#include "Scope.h"

#include "../Dialect/Vortex/Transforms/DotProduct.h"

#include "vortex/Dialect/Vortex/IR/WeightValues.h"
#include "vortex/Dialect/Vortex/Transforms/Passes.h"
#include "vortex/Graph/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

namespace vortex {
#define GEN_PASS_DEF_PADCHANNELS
#include "vortex/Graph/Passes.h.inc"
} // namespace vortex

using namespace mlir;
using namespace vortex;

namespace {
/// A window over an image of channels that are no whole words.
struct Window {
  DotPayload payload;
  int64_t more;      ///< zeros that channels lack
  int64_t filterDim; ///< of the channels in the filter
  tensor::PadOp pad; ///< of the image, if it is padded
};
} // namespace

/// Whether `pad` is of known width, by zeros, and leaves the last dimension as
/// it is.
static bool padsByZeros(tensor::PadOp pad) {
  Value value = pad.getConstantPaddingValue();
  return value && pad.getLow().empty() && pad.getHigh().empty() &&
         pad.getStaticLow().back() == 0 && pad.getStaticHigh().back() == 0 &&
         (matchPattern(value, m_Zero()) ||
          matchPattern(value, m_PosZeroFloat()));
}

static std::optional<Window> findWindow(linalg::LinalgOp op,
                                        WeightValues &weights) {
  std::optional<DotPayload> payload = matchDotPayload(op);
  if (!payload || op.getNumDpsInputs() != 2 || op->getNumResults() != 1 ||
      !op.hasPureTensorSemantics() || op.getNumReductionLoops() < 2 ||
      !weights.contains(op->getOperand(payload->inputB)))
    return std::nullopt;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  AffineMap image = maps[payload->inputA], filter = maps[payload->inputB];
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  if (image.getNumResults() == 0)
    return std::nullopt;
  auto channel = dyn_cast<AffineDimExpr>(image.getResults().back());
  if (!channel || !llvm::is_contained(reductions, channel.getPosition()) ||
      !filter.isProjectedPermutation() || !filter.getResultPosition(channel) ||
      llvm::any_of(image.getResults().drop_back(), [&](AffineExpr expr) {
        return expr.isFunctionOfDim(channel.getPosition());
      }))
    return std::nullopt;
  // One pixel alone is a product.
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  bool slides = llvm::any_of(reductions, [&](unsigned loop) {
    return loop != channel.getPosition() && extents[loop] != 1 &&
           image.isFunctionOfDim(loop);
  });
  int64_t channels = extents[channel.getPosition()],
          word = payload->acc.getIntOrFloatBitWidth() /
                 payload->a.getIntOrFloatBitWidth();
  if (!slides || channels <= 0 || channels % word == 0 ||
      !haveMatrixTiles(op, *payload))
    return std::nullopt;
  auto pad = op->getOperand(payload->inputA).getDefiningOp<tensor::PadOp>();
  if (pad && !padsByZeros(pad))
    return std::nullopt;
  return Window{*payload, word - channels % word,
                int64_t(*filter.getResultPosition(channel)), pad};
}

/// `source` with `low` and `high` zeros around each dimension.
static tensor::PadOp addZeros(ImplicitLocOpBuilder &b, Value source,
                              ArrayRef<int64_t> low, ArrayRef<int64_t> high) {
  auto type = cast<RankedTensorType>(source.getType());
  Value zero =
      arith::ConstantOp::create(b, b.getZeroAttr(type.getElementType()));
  return tensor::PadOp::create(
      b, Type(), source, getAsIndexOpFoldResult(b.getContext(), low),
      getAsIndexOpFoldResult(b.getContext(), high), zero);
}

static void padChannels(linalg::LinalgOp op, const Window &window) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Value image = op->getOperand(window.payload.inputA),
        filter = op->getOperand(window.payload.inputB);
  tensor::PadOp pad = window.pad;
  int64_t rank = cast<RankedTensorType>(image.getType()).getRank();
  SmallVector<int64_t> low(rank, 0), high(rank, 0);
  if (pad) {
    low.assign(pad.getStaticLow().begin(), pad.getStaticLow().end());
    high.assign(pad.getStaticHigh().begin(), pad.getStaticHigh().end());
  }
  high.back() += window.more;
  Value wide = addZeros(b, pad ? pad.getSource() : image, low, high);
  int64_t filterRank = cast<RankedTensorType>(filter.getType()).getRank();
  SmallVector<int64_t> none(filterRank, 0), behind(filterRank, 0);
  behind[window.filterDim] = window.more;
  tensor::PadOp words = addZeros(b, filter, none, behind);
  words->setAttr(kBindAttr, b.getUnitAttr());
  op->setOperand(window.payload.inputA, wide);
  op->setOperand(window.payload.inputB, words);
  if (pad)
    readSizesWithoutPad(pad);
}

namespace {
struct PadChannelsPass : vortex::impl::PadChannelsBase<PadChannelsPass> {
  void runOnOperation() override {
    (void)forEachFunction(getOperation(), [&](FunctionOpInterface function) {
      SmallVector<linalg::LinalgOp> ops;
      function->walk([&](linalg::LinalgOp op) {
        if (!isInKernel(op))
          ops.push_back(op);
      });
      for (linalg::LinalgOp op : ops) {
        WeightValues weights(function);
        std::optional<Window> window = findWindow(op, weights);
        if (!window)
          continue;
        padChannels(op, *window);
        ++numPadded;
      }
      return success();
    });
  }
};
} // namespace
