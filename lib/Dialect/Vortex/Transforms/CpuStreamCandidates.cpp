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

#include "CandidateFamily.h"

using namespace mlir;
using namespace vortex;

namespace {
/// One tree for kernels that are bound by memory: rows shared among threads,
/// then walked one by one (Rows) or in register tiles (Columns).
class StreamFamily : CandidateFamily {
public:
  using CandidateFamily::CandidateFamily;
  LogicalResult add(bool columns);
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
  SmallVector<int64_t> rows = getRows(columns);
  Block *block = createCandidates();
  ++report.considered;

  auto elements = [&]() {
    Size count = arith.size(1);
    for (BlockArgument argument : block->getArguments())
      count = count * arith.size(argument);
    return count;
  };
  // Threads pay when moving the data takes longer than waking them.
  auto threadsOf = [&]() {
    Real bytes = arith.real(elements()) * 8.0;
    Flag small = bytes < param("core.startup") * param("l2.stream") * 8.0;
    return arith.select(small, arith.size(1),
                        arith.toSize(param("threads", 1.0)));
  };
  Value share;
  if (!rows.empty())
    share = atLeast(ceilDiv(axis(rows[0]), threadsOf()), 1).value;
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
    createLevel("core", LoopKind::Forall, {rows[0]}, AxisClass::PL, {share});
  MicroKernelAttr micro;
  if (columns) {
    micro = MicroKernelAttr::get(b.getContext(), "fma", height, vectors, lanes,
                                 /*unroll=*/1, 0, false, true, -1, 0);
    SmallVector<Value> sizes(rows.size(), one);
    sizes.back() = tileWidth;
    if (rows.size() > 1)
      sizes[rows.size() - 2] = tileHeight;
    createLevel("register", LoopKind::Sequential, rows, AxisClass::TSL, sizes);
  } else {
    micro = MicroKernelAttr::get(b.getContext(), "vector", 1, 1, lanes,
                                 /*unroll=*/4, 0, false, true, lane, 0);
    if (!rows.empty())
      createLevel("register", LoopKind::Sequential, rows, AxisClass::TSL,
                  SmallVector<Value>(rows.size(), one));
  }
  StageOp::create(b, loc, b.getStrArrayAttr(getPayloadIds()), micro,
                  StringAttr());

  b.createBlock(&candidate.getCost());
  Real bytes = arith.real(elements()) * 8.0;
  Real cost = bytes / param("device.stream") + param("core.call");
  YieldOp::create(b, loc, cost.value);
  return success();
}

LogicalResult vortex::addCpuStreamCandidates(KernelOp kernel,
                                             linalg::LinalgOp anchor,
                                             bool columns, HwAttr hw,
                                             CandidateReport &report) {
  return StreamFamily(kernel, anchor, hw, report).add(columns);
}
