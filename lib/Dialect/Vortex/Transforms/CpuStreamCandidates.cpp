//===- CpuStreamCandidates.cpp - What memory bounds, on a CPU -------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elementwise chains, transposes, reductions, pooling, softmax and norms: one
// tree, of which only the number of threads depends on the sizes.
//
//===----------------------------------------------------------------------===//

#include "CpuCandidates.h"

#include "PayloadClass.h"
#include "SizeArith.h"

using namespace mlir;
using namespace vortex;

namespace {
/// One tree for kernels that are bound by memory: rows shared among threads,
/// then walked one by one (Rows) or in register tiles (Columns).
class StreamFamily {
public:
  StreamFamily(KernelOp kernel, linalg::LinalgOp anchor, HwAttr hw,
               CandidateReport &report)
      : kernel(kernel), anchor(anchor), hw(hw), report(report),
        b(kernel.getContext()), arith(b, kernel.getLoc()) {}
  LogicalResult add(bool columns);

private:
  KernelOp kernel;
  linalg::LinalgOp anchor;
  HwAttr hw;
  CandidateReport &report;
  OpBuilder b;
  SizeArith arith;
};
} // namespace

LogicalResult StreamFamily::add(bool columns) {
  Location loc = kernel.getLoc();
  // Lanes by the widest element, so that no vector exceeds a register.
  unsigned widest = 8;
  kernel.getPayload().walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (Type element = getElementTypeOrSelf(type); element.isIntOrFloat())
        widest = std::max(widest, element.getIntOrFloatBitWidth());
  });
  int64_t lanes = hw.getVectorBytes() * 8 / std::max(32u, widest);
  if (lanes < 1)
    return failure();
  int64_t lane = getLaneLoop(anchor);
  SmallVector<int64_t> rows; // parallel axes besides the lanes
  SmallVector<utils::IteratorType> iterators = anchor.getIteratorTypesArray();
  AffineMap out = anchor.getIndexingMapsArray().back();
  for (AffineExpr expr : out.getResults()) {
    int64_t loop = cast<AffineDimExpr>(expr).getPosition();
    if (columns || loop != lane)
      rows.push_back(loop);
  }
  Block *block = b.createBlock(&kernel.getCandidates());
  for (size_t i = 0; i < kernel.getAxes().size(); ++i)
    block->addArgument(b.getIndexType(), loc);
  ++report.considered;

  auto level = [&](StringRef name, LoopKind kind, ArrayRef<int64_t> axes,
                   AxisClass axisClass, ArrayRef<Value> sizes) {
    if (axes.empty())
      return;
    SmallVector<AxisClass> classes(axes.size(), axisClass);
    auto op = LevelOp::create(b, loc, name, kind, axes, classes, sizes);
    b.setInsertionPointToStart(&op.getBody().front());
  };
  auto extentOf = [&](int64_t axis) {
    return arith.size(block->getArgument(axis));
  };
  auto elements = [&]() {
    Size count = arith.size(1);
    for (BlockArgument argument : block->getArguments())
      count = count * arith.size(argument);
    return count;
  };
  // Threads pay when moving the data takes longer than waking them.
  auto threadsOf = [&]() {
    Real bytes = arith.real(elements()) * 8.0;
    Flag small = bytes < arith.param(hw, "core.startup") *
                             arith.param(hw, "l2.stream") * 8.0;
    return arith.select(small, arith.size(1),
                        arith.toSize(arith.param(hw, "threads", 1.0)));
  };
  Value share;
  if (!rows.empty())
    share = atLeast(ceilDiv(extentOf(rows[0]), threadsOf()), 1).value;
  int64_t vectors = 4;
  int64_t registers = std::max<int64_t>(hw.getVectorRegisters(), 8);
  int64_t height =
      rows.size() > 1 ? std::max<int64_t>((registers - 5) / vectors, 1) : 1;
  Value one = arith.size(1).value;
  Value tileWidth = arith.size(vectors * lanes).value;
  Value tileHeight = arith.size(height).value;
  auto candidate = CandidateOp::create(b, loc, columns ? "columns" : "rows");
  b.createBlock(&candidate.getSchedule());
  if (!rows.empty())
    level("core", LoopKind::Forall, {rows[0]}, AxisClass::PL, {share});
  MicroKernelAttr micro;
  if (columns) {
    micro = MicroKernelAttr::get(b.getContext(), "fma", height, vectors, lanes,
                                 /*unroll=*/1, 0, false, true, -1, 0);
    SmallVector<Value> sizes(rows.size(), one);
    sizes.back() = tileWidth;
    if (rows.size() > 1)
      sizes[rows.size() - 2] = tileHeight;
    level("register", LoopKind::Sequential, rows, AxisClass::TSL, sizes);
  } else {
    micro = MicroKernelAttr::get(b.getContext(), "vector", 1, 1, lanes,
                                 /*unroll=*/4, 0, false, true, lane, 0);
    level("register", LoopKind::Sequential, rows, AxisClass::TSL,
          SmallVector<Value>(rows.size(), one));
  }
  SmallVector<StringRef> ids;
  for (Operation &op : kernel.getPayload().front())
    if (auto id = op.getAttrOfType<StringAttr>(kIdAttr))
      ids.push_back(id.getValue());
  StageOp::create(b, loc, b.getStrArrayAttr(ids), micro, StringAttr());

  b.createBlock(&candidate.getCost());
  Real bytes = arith.real(elements()) * 8.0;
  Real cost =
      bytes / arith.param(hw, "device.stream") + arith.param(hw, "core.call");
  YieldOp::create(b, loc, cost.value);
  return success();
}

LogicalResult vortex::addCpuStreamCandidates(KernelOp kernel,
                                             linalg::LinalgOp anchor,
                                             bool columns, HwAttr hw,
                                             CandidateReport &report) {
  return StreamFamily(kernel, anchor, hw, report).add(columns);
}
