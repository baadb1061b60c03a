//===- CpuConvTree.cpp - Tasks and tiles of convolutions ------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A task is a strip of rows of one image, or a few whole images, and some
// columns of the result. Its part of the image takes half of L2, which a panel
// of the filter passes through.
//
//===----------------------------------------------------------------------===//

#include "CpuConv.h"

using namespace mlir;
using namespace vortex;

/// Elements that `index` walks while each loop takes `loops[loop]` steps.
Size ConvFamily::extentOf(const Index &index, ArrayRef<Size> loops) {
  Size extent = arith.size(1);
  for (auto [loop, coefficient] : llvm::enumerate(index))
    if (coefficient != 0)
      extent = extent + (loops[loop] - arith.size(1)) * coefficient;
  return extent;
}

/// Bytes of the image that each loop walks by `loops[loop]` steps.
Size ConvFamily::bytesOf(ArrayRef<Size> loops) {
  Size bytes = arith.size(bytesA);
  for (const Index &index : indices)
    bytes = bytes * extentOf(index, loops);
  return bytes;
}

/// Whether a copied image gives one reduction of the window's columns and the
/// channels (as the emitter finds it).
bool ConvFamily::mergesColumns() {
  if (k.size() < 2 || indices.size() < 2 || panels < 0 || dot)
    return false;
  unsigned channel = k.back(), column = k[k.size() - 2];
  return indices.back()[channel] == 1 &&
         indices[indices.size() - 2][column] == 1;
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

/// One for less work than waking the others is worth.
Size ConvFamily::countThreads(const ConvVariant &variant, const ConvSizes &s) {
  Size pixels = s.batch * s.m;
  if (strip != m)
    pixels = pixels * axis(strip);
  Real work = arith.real(pixels * s.n * s.k) * 2.0 / speed(variant);
  // Few steps of each element take no longer than to bring it along.
  if (panels < 0)
    work =
        work + arith.real(s.whole + pixels * s.n * bytesC) / param("l2.stream");
  Flag small = work < param("core.startup") * 8.0;
  return arith.select(small, arith.size(1),
                      arith.toSize(param("threads", 1.0)));
}

ConvFamily::Rows ConvFamily::findRows(ArrayRef<Size> loops) {
  Rows rows{arith.size(bytesA), arith.size(1), 1};
  for (const Index &index : indices)
    if (index[strip] != 0) {
      rows.overlap = extentOf(index, loops);
      rows.stride = index[strip];
    } else {
      rows.bytes = rows.bytes * extentOf(index, loops);
    }
  return rows;
}

ConvFamily::Room ConvFamily::findRoom(const ConvVariant &variant,
                                      const ConvSizes &s, const Rows &rows) {
  HwLevelAttr l2 = hw.getLevel("l2");
  int64_t capacity = l2 ? l2.getCapacity() : 1 << 20;
  // A strip's part of the image takes half of L2.
  Size half = arith.size(capacity / 2);
  Size room = max(half / atLeast(rows.bytes, 1), rows.overlap);
  Size most = (room - rows.overlap) / arith.size(rows.stride) + arith.size(1);
  // So does its result, which each panel writes a part of, where the panels
  // are small enough to be read again for each strip.
  Size filter = s.n * s.k * bytesB;
  Size written = s.n * bytesC;
  if (strip != m)
    written = written * s.m;
  if (panels >= 0)
    most =
        arith.select(filter <= arith.size(capacity / 8),
                     min(most, atLeast(half / atLeast(written, 1), 1)), most);
  Size strips = atLeast(ceilDiv(axis(strip), most), 1);
  Size groups = atLeast(ceilDiv(s.n, arith.size(variant.width())), 1);
  // Whole images that fit together, and into L2 beside a panel, share each.
  Size together = arith.size(1), whole = rows.bytes * axis(strip) * rows.stride;
  if (shared) {
    Size panel = atMost(s.k * (variant.width() * bytesB), capacity);
    Size rest = arith.size(capacity) - panel;
    together = min(most / atLeast(axis(strip), 1), rest / atLeast(whole, 1));
    together = atLeast(min(axis(*shared), together), 1);
  }
  return {strips, together, together * whole, groups, filter};
}

/// Tasks along the loops around strips, of `images` each.
Size ConvFamily::countBlocks(const ConvSizes &s, Size images) {
  if (!shared)
    return s.batch;
  Size apart = arith.size(1);
  for (unsigned loop : batch)
    if (loop != *shared)
      apart = apart * axis(loop);
  return apart * ceilDiv(axis(*shared), images);
}

ConvFamily::Division ConvFamily::divide(const ConvVariant &variant,
                                        const ConvSizes &s, const Room &room,
                                        int64_t tasksOfThread) {
  Size blocks = countBlocks(s, room.together);
  Size parts = arith.select(
      arith.size(1) < s.threads,
      ceilDiv(s.threads * tasksOfThread, atLeast(blocks * room.strips, 1)),
      arith.size(1));
  // What is larger is shared: all strips of an image read the same panels, all
  // panels the same image. Images are shared before their rows.
  Flag byRows = room.filter < room.bytes;
  Size images = room.together;
  if (shared) {
    Size shares =
        arith.select(byRows, min(parts, room.together), arith.size(1));
    images = ceilDiv(room.together, shares);
    parts = ceilDiv(parts, shares);
  }
  Size rows = arith.select(
      byRows, min(parts, atLeast(axis(strip) / room.strips, 1)), arith.size(1));
  // Two threads do not like to write lanes of the same pixels: lines next to
  // each other are fetched together.
  Size columns = min(ceilDiv(parts, rows), room.groups);
  if (panels < 0)
    columns =
        variant.copies
            ? room.groups
            : min(ceilDiv(s.threads, atLeast(blocks * room.strips * rows, 1)),
                  room.groups);
  Size height =
      atLeast(ceilDiv(axis(strip), room.strips * ceilDiv(parts, columns)), 1);
  Size wide = ceilDiv(room.groups, columns) * variant.width();
  Size tasks = countBlocks(s, images) * ceilDiv(axis(strip), height) *
               ceilDiv(s.n, wide);
  return {height, wide, tasks, images, ceilDiv(tasks, s.threads)};
}

/// Four tasks a thread, so that none waits long for the last one, unless one a
/// thread divides the rows better.
void ConvFamily::shareTasks(const ConvVariant &variant, ConvSizes &s,
                            const Room &room) {
  Division many = divide(variant, s, room, 4),
           few = divide(variant, s, room, 1);
  auto share = [&](const Division &d) {
    Size work = d.rounds * d.strip * d.lanes;
    return shared ? work * d.images : work;
  };
  Flag even = share(few) * 20 < share(many) * 19;
  s.strip = arith.select(even, few.strip, many.strip);
  s.lanes = arith.select(even, few.lanes, many.lanes);
  s.tasks = arith.select(even, few.tasks, many.tasks);
  s.images =
      shared ? arith.select(even, few.images, many.images) : arith.size(1);
  // The last tasks of a loop are smaller, and a thread that is done takes what
  // others have left: it waits for one task at most.
  Real whole = arith.real(atLeast(s.batch, 1) * axis(strip) * s.n) /
               arith.real(s.strip * s.images * atLeast(min(s.lanes, s.n), 1));
  Real threads = arith.real(s.threads);
  s.rounds = min(arith.real(arith.select(even, few.rounds, many.rounds)),
                 (whole + threads - arith.real(1.0)) / threads);
}

ConvSizes ConvFamily::makeSizes(const ConvVariant &variant) {
  MicroKernelAttr micro = variant.micro;
  SmallVector<Size> all;
  for (unsigned loop = 0; loop < anchor.getNumLoops(); ++loop)
    all.push_back(axis(loop));
  ConvSizes s;
  s.m = all[m];
  s.n = all[n];
  s.k = s.steps = s.batch = arith.size(1);
  for (unsigned loop : k)
    s.k = s.k * all[loop];
  for (unsigned loop : k)
    if (loop != k.back() &&
        !(variant.copies && mergesColumns() && loop == k[k.size() - 2]))
      s.steps = s.steps * all[loop];
  for (unsigned loop : batch)
    s.batch = s.batch * all[loop];
  s.whole = bytesOf(all);
  s.threads = countThreads(variant, s);

  SmallVector<Size> loops;
  for (unsigned loop = 0; loop < all.size(); ++loop)
    loops.push_back(loop == strip || llvm::is_contained(batch, loop)
                        ? arith.size(1)
                        : atLeast(all[loop], 1));
  // Where lanes are channels of the image, tasks take one tile of them: the
  // copy then has no other channels between its pixels.
  Size columns = atLeast(atMost(s.n, variant.width()), 1);
  if (panels < 0 && variant.copies)
    loops[n] = columns;
  Rows rows = findRows(loops);
  s.reach = rows.bytes * rows.overlap;
  shareTasks(variant, s, findRoom(variant, s, rows));
  loops[strip] = s.strip;
  if (shared)
    loops[*shared] = s.images;
  s.window = bytesOf(loops);

  // Fewer vectors leave registers for more rows.
  s.vectors = atLeast(
      ceilDiv(atMost(s.n, variant.width()), arith.size(micro.getLanes())), 1);
  Size height =
      atMost(arith.size(micro.getRows() * micro.getVectors()) / s.vectors,
             micro.getNarrowRows() ? micro.getNarrowRows() : micro.getRows());
  if (strip == m)
    s.m = s.strip;
  s.mr = variant.matrix()
             ? atLeast(s.m, 1)
             : atLeast(ceilDiv(s.m, atLeast(ceilDiv(s.m, height), 1)), 1);
  loops[strip] = arith.size(1);
  if (shared)
    loops[*shared] = arith.size(1);
  loops[m] = s.mr;
  loops[n] = columns;
  s.tile = bytesOf(loops);
  return s;
}

//===----------------------------------------------------------------------===//
// Tree
//===----------------------------------------------------------------------===//

CandidateOp ConvFamily::emitTree(const ConvVariant &variant,
                                 const ConvSizes &s) {
  Value one = arith.size(1).value;
  Value panelWidth = arith.size(variant.width()).value;
  auto candidate = CandidateOp::create(b, kernel.getLoc(), variant.name);
  emitGuard(candidate, variant);
  b.createBlock(&candidate.getSchedule());
  auto load = [&](int64_t input, LayoutKind layout, unsigned loop,
                  bool bound) -> Attribute {
    return LoadAttr::get(b.getContext(), input, layout, loop,
                         /*together=*/false, bound,
                         layout == LayoutKind::Panel ? variant.micro.getGroup()
                                                     : 1);
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
  auto runBy = [&](Value size, unsigned loop) {
    pixels.insert(pixels.begin(), loop);
    pixelsOfTile.insert(pixelsOfTile.begin(), size);
  };
  // Matrix tiles cut all rows of a strip at once.
  if (strip != m)
    runBy(variant.matrix() ? s.strip.value : one, strip);
  if (shared)
    runBy(one, *shared);
  auto runPanel = [&](StringRef level) {
    createLevel(level, LoopKind::Sequential, {n}, AxisClass::TSL, {panelWidth});
  };
  auto runPixels = [&](StringRef level) {
    createLevel(level, LoopKind::Sequential, pixels, AxisClass::TSL,
                pixelsOfTile);
  };
  auto [before, inner, behind] = splitPayload(variant.blockK);
  auto stage = [&](ArrayRef<StringRef> ids, MicroKernelAttr micro) {
    StageOp::create(b, kernel.getLoc(), b.getStrArrayAttr(ids), micro,
                    StringAttr());
  };
  if (!before.empty())
    stage(before, MicroKernelAttr());
  Operation *blocks = nullptr;
  if (variant.blockK) {
    createLevel("l2", LoopKind::Sequential, {int64_t(k.front())},
                AxisClass::TRL, {one});
    blocks = b.getInsertionBlock()->getParentOp();
  }
  // A panel stays for all pixels; where there is none, channels of a pixel
  // follow each other as they lie.
  if (panels >= 0 || variant.copies) {
    runPanel("l1");
    runPixels("register");
  } else {
    runPixels("l1");
    runPanel("register");
  }
  stage(inner, variant.micro);
  if (behind.empty())
    return candidate;
  // Elementwise ops over a finished result: memory decides.
  b.setInsertionPointAfter(blocks);
  pixels.push_back(n);
  pixelsOfTile.back() = one;
  pixelsOfTile.push_back(panelWidth);
  createLevel("register", LoopKind::Sequential, pixels, AxisClass::TSL,
              pixelsOfTile);
  stage(behind, MicroKernelAttr::get(
                    b.getContext(), "fma", /*rows=*/1,
                    variant.micro.getVectors(), variant.micro.getLanes(),
                    /*unroll=*/1, /*prefetch=*/0, /*narrow_rows=*/0,
                    /*scheduler=*/false, /*lane_axis=*/-1, /*in_flight=*/0));
  return candidate;
}
