//===- CpuConvCost.cpp - What convolutions cost ---------------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CpuConv.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace vortex;

/// Operations a nanosecond of the instruction that makes the sums.
Real ConvFamily::speed(const ConvVariant &variant) {
  if (variant.matrix())
    return param(tile.getKey() + ".rate");
  return dot ? param(dot->instruction.getKey() + ".rate") : rate();
}

/// Time until it can add to the result of another.
Real ConvFamily::delay() {
  return dot && dot->instruction.getLatency() != 0
             ? param(dot->instruction.getKey() + ".latency")
             : latency();
}

/// Whether vectors of the image in place cross cache lines.
Flag ConvFamily::hasSplitPixels() {
  int64_t input = getImageInput();
  Value operand = kernel.getCandidates().front().getArgument(
      kernel.getAxes().size() + input);
  Size line = arith.size(hw.getVectorBytes());
  Flag split = arith.alignment(operand) < line;
  for (auto [dim, index] : llvm::enumerate(indices))
    if (index[m] != 0 && dim + 1 < indices.size())
      split =
          split | (arith.size(0) < arith.stride(operand, dim) * bytesA % line);
  return split;
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

/// Steps of a reduction that lie in the image, on average over the result: rows
/// of the window in the padding are always left out, its columns `alongRows` of
/// a tile are where scalars are.
Real ConvFamily::countTaps(bool alongRows) {
  Real steps = arith.real(1.0);
  auto pad = anchor->getOperand(image).getDefiningOp<tensor::PadOp>();
  for (unsigned tap : k) {
    Real taps =
        arith.real(tap == k.back() ? ceilDiv(axis(tap), arith.size(groupSize()))
                                   : axis(tap));
    const auto *found = llvm::find_if(
        indices, [&](const Index &index) { return index[tap] != 0; });
    size_t dim = found - indices.begin();
    unsigned loop = 0;
    while (found != indices.end() && loop < found->size() &&
           ((*found)[loop] == 0 || llvm::is_contained(k, loop)))
      ++loop;
    if (pad && canLeaveOut() && found != indices.end() &&
        loop < found->size() && tap != k.back() && (loop != m || alongRows)) {
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

/// Of matrix tiles, for each row of a strip: tiles of both operands from L2, a
/// panel that takes less than half of L1 from there. The longer of loads and
/// products and half of the other, as of products. Rows are cut into tiles one
/// by one or, where one is whole strides behind the other, as one.
Real ConvFamily::emitMatrixTime(const ConvVariant &variant,
                                const ConvSizes &s) {
  MicroKernelAttr micro = variant.micro;
  int64_t high = micro.getRows() / tile.getM(), across = micro.getVectors();
  Real product =
      arith.real(2.0 * double(tile.getM() * tile.getN() * tile.getK())) /
      speed(variant);
  double bytes = double(tile.getM() * depth * bytesA);
  Real inner = arith.real(1.0) / param("l1.bandwidth");
  Real outer = arith.real(1.0) / param("l2.bandwidth");
  Real panel = arith.real(s.k) * double(variant.width() * bytesB);
  Real fromB = arith.select(panel * 2.0 <= param("l1.capacity"), inner, outer);
  auto stepOf = [&](Real tiles) {
    Real loads = (tiles * outer + fromB * double(across)) * bytes;
    Real products = max(tiles * double(across) * product,
                        param(tile.getKey() + ".latency"));
    return max(products, loads) + min(products, loads) * 0.5;
  };
  Size height = arith.size(tile.getM()), row = atLeast(s.m, 1);
  Size rows = strip == m ? arith.size(1) : atLeast(s.strip, 1);
  Size tiles = rows * ceilDiv(row, height);
  for (const Index &index : indices) {
    int64_t across = indices[indices.size() - 2][m], down = index[strip];
    if (strip == m || down == 0)
      continue;
    SmallVector<Size> loops(anchor.getNumLoops(), arith.size(1));
    loops[m] = row;
    for (unsigned tap : k)
      loops[tap] = atLeast(axis(tap), 1);
    Size pixels = extentOf(indices[indices.size() - 2], loops) * down;
    Size apart = pixels / arith.size(across);
    tiles = arith.select(
        arith.compare(arith::CmpIPredicate::eq, pixels % arith.size(across),
                      arith.size(0)),
        min(tiles, ceilDiv((rows - arith.size(1)) * apart + row, height)),
        tiles);
  }
  Size last = tiles % arith.size(high), groups = tiles / arith.size(high);
  Real step = arith.real(groups) * stepOf(arith.real(double(high))) +
              arith.select(arith.size(0) < last, stepOf(arith.real(last)),
                           arith.real(0.0));
  Real steps = arith.real(ceilDiv(s.k, arith.size(depth)));
  // Stored, read as rows and written again.
  Real sums =
      arith.real(rows * s.m) * (3.0 * double(variant.width() * bytesC)) * inner;
  return (steps * step + sums +
          arith.real(ceilDiv(tiles, arith.size(high))) *
              param("register.startup")) /
         arith.real(rows);
}

/// Of one tile, its part of the image in L2.
Real ConvFamily::emitTileTime(const ConvVariant &variant, const ConvSizes &s) {
  if (variant.matrix())
    return emitMatrixTime(variant, s);
  Real cycle =
      arith.real(4.0 * variant.micro.getLanes() * groupSize()) / speed(variant);
  Real rows = arith.real(s.mr), v = arith.real(s.vectors);
  if (panels >= 0)
    rows = arith.real(s.m) / arith.real(atLeast(ceilDiv(s.m, s.mr), 1));
  // Lanes of the image are loads of vectors, scalars one a row. A load across
  // a line counts double.
  Real loadsOfStep = panels < 0 ? countPixels(s.mr) * v : rows;
  if (panels < 0 && !variant.copies)
    loadsOfStep = loadsOfStep * arith.select(hasSplitPixels(), arith.real(2.0),
                                             arith.real(1.0));
  loadsOfStep = loadsOfStep + v;
  // What scalars are too large by is a row of sums of its own.
  Real sums = (dot && hasOffsetRow() ? rows + arith.real(1.0) : rows) * v;
  // Where work and latency are much the same, each waits for the other at
  // times.
  Real work = max(sums, loadsOfStep) * 0.5 * cycle;
  Real step = max(max(work, delay()), (work + delay()) * 0.55);
  // A panel comes from L2 for each tile, and from beyond it as far as it takes
  // more than half of it.
  if (panels >= 0) {
    Real columns = arith.real(min(arith.size(variant.width()), s.n));
    Real panel = columns * arith.real(s.k) * double(bytesB);
    if (variant.blockK)
      panel = panel / arith.real(atLeast(axis(k.front()), 1));
    Real row = columns * double(groupSize() * bytesB);
    Real outside = min(max(panel * 2.0 / param("l2.capacity") - arith.real(1.0),
                           arith.real(0.0)),
                       arith.real(1.0));
    step = step + max(row * byteTime(panel) - step, arith.real(0.0)) * outside +
           row * 0.05 / param("l2.stream");
  }
  // Another run of the innermost reduction costs its two branches, and a branch
  // and an address for each row where those in the padding are left out. Of few
  // registers that is less where all rows are inside and more elsewhere, which
  // is left out: much the same in the mean.
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
  return tile;
}

/// Of a tile, what beginning again for each further block of the reduction
/// takes: its sums are read and written, from where the result of a task rests.
Real ConvFamily::emitBlockTime(const ConvVariant &variant, const ConvSizes &s) {
  Real more = arith.real(atLeast(axis(k.front()), 1)) - arith.real(1.0);
  Real bytes = arith.real(s.mr * s.vectors) *
               double(2 * variant.micro.getLanes() * bytesC);
  return more * (param("register.startup") + bytes / param("l2.stream"));
}

/// Of a thread, what bringing the parts of its tasks takes.
Real ConvFamily::emitMemoryTime(const ConvSizes &s, Size rowsOfTask) {
  Real tasks = s.rounds;
  Real window = arith.real(s.window);
  Real result =
      arith.real(rowsOfTask * s.m * min(s.lanes, s.n)) * double(bytesC);
  Real home = arith.real(s.whole) + arith.real(s.tasks) * result +
              arith.real(s.n * s.k) * double(bytesB);
  Real filter = arith.real(min(s.lanes, s.n) * s.k) * double(bytesB);
  Real memory = tasks * ((window + result * 2.0) * byteTime(home) +
                         filter * byteTime(filter));
  return memory *
         arith.select(fitsCache(home), arith.real(0.05), arith.real(0.5));
}

Real ConvFamily::emitCost(const ConvVariant &variant, const ConvSizes &s) {
  Size rowsOfTask = strip == m ? arith.size(1) : s.strip;
  if (shared)
    rowsOfTask = rowsOfTask * s.images;
  Size tilesOfTask = ceilDiv(s.m, s.mr) * rowsOfTask *
                     ceilDiv(min(s.lanes, s.n), arith.size(variant.width()));
  Real tile = emitTileTime(variant, s);
  if (variant.blockK)
    tile = tile + emitBlockTime(variant, s);
  Real tasks = s.rounds;
  Real core = tasks * arith.real(tilesOfTask) * tile;
  Real exposed = emitMemoryTime(s, rowsOfTask);
  Real total =
      core + exposed + param("core.call") + tasks * param("core.call") * 0.4;
  if (variant.copies)
    total = total + tasks * arith.real(s.window) * 2.0 / param("l2.stream") +
            tasks * param("core.call") * 0.33;
  total = total + arith.select(arith.size(1) < s.threads, param("core.startup"),
                               param("core.call") * 0.17);
  return total;
}
