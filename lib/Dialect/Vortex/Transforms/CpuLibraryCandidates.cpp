//===- CpuLibraryCandidates.cpp - Products that a library computes -===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One candidate a library: threads share the rows or the columns, the library
// computes the part of each, and what follows the product runs in tiles over
// the finished part. What the library costs is measured from outside, by
// Hockney's half lengths: a product of M x N x K takes as long as one of
// (M + m) (N + n) (K + k) multiply-adds at the rate of endless ones.
//
//===----------------------------------------------------------------------===//

#include "CpuCandidates.h"

#include "CpuFamily.h"
#include "MicroKernelEmitter.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace vortex;

/// Tiles of elementwise ops over a finished result: memory decides, not
/// registers.
static constexpr int64_t kRows = 4, kVectors = 2;

namespace {
class LibraryFamily : CpuFamily {
public:
  LibraryFamily(KernelOp kernel, linalg::LinalgOp anchor, HwAttr hw,
                CandidateReport &report)
      : CpuFamily(kernel, anchor, hw, report) {}
  /// Whether a library can compute the anchor; `why` says what it cannot.
  bool match(std::string &why);
  void add(StringRef library);

private:
  struct Shares {
    Size threads, m, n, batch;
    Value one, rows, columns; ///< of the tiles that follow the product
  };
  Shares share(Real whole);
  Real emitTime(StringRef prefix, Size m, Size n, Size k);
  void emitTree(CandidateOp candidate, StringRef library, const Shares &s);
  void emitStages(StringRef library, const Shares &s);

  ContractionRoles roles;
  linalg::FillOp start; ///< of the anchor, if it begins with zeros
  int64_t bytes = 4;
};
} // namespace

/// A product of two elements that is added, and nothing else.
static bool isPlainProduct(linalg::LinalgOp op) {
  Block &body = op->getRegion(0).front();
  if (op.getNumDpsInputs() != 2 ||
      llvm::range_size(body.without_terminator()) != 2)
    return false;
  Operation *sum = body.getTerminator()->getOperand(0).getDefiningOp();
  Operation *product = &body.front();
  return isa_and_present<arith::AddFOp>(sum) && isa<arith::MulFOp>(product) &&
         llvm::is_contained(sum->getOperands(), product->getResult(0)) &&
         llvm::is_contained(sum->getOperands(), body.getArgument(2)) &&
         llvm::is_contained(product->getOperands(), body.getArgument(0)) &&
         llvm::is_contained(product->getOperands(), body.getArgument(1));
}

bool LibraryFamily::match(std::string &why) {
  std::optional<ContractionRoles> found = getContractionRoles(anchor);
  Type element = getElementTypeOrSelf(anchor->getResult(0));
  if (!found || found->k.size() != 1 || !isPlainProduct(anchor) ||
      llvm::any_of(anchor->getOperands(), [&](Value operand) {
        return getElementTypeOrSelf(operand) != element;
      })) {
    why = "it is not one product of two matrices";
    return false;
  }
  if ((!element.isF32() && !element.isF64()) || !setElement(element)) {
    why = "its elements are not of f32 or f64";
    return false;
  }
  roles = *found;
  bytes = element.getIntOrFloatBitWidth() / 8;
  SmallVector<AffineMap> maps = anchor.getIndexingMapsArray();
  unsigned k = roles.k.front();
  for (auto [input, axis] :
       {std::pair{roles.a, roles.m}, std::pair{roles.b, roles.n}}) {
    auto argument = dyn_cast<BlockArgument>(anchor->getOperand(input));
    if (!argument || argument.getArgNumber() >= kernel.getInputs().size()) {
      why = "a factor is computed on the way";
      return false;
    }
    if (!maps[input].isProjectedPermutation() ||
        !(TileEmitter::isContiguous(maps[input], axis) ||
          TileEmitter::isContiguous(maps[input], k))) {
      why = "a factor has neither rows nor columns beside each other";
      return false;
    }
  }
  Operation *init = anchor.getDpsInits()[0].getDefiningOp();
  start = dyn_cast_if_present<linalg::FillOp>(init);
  if (start && (!matchPattern(start.getInputs()[0], m_AnyZeroFloat()) ||
                !start->hasAttr(kIdAttr) || !start->hasOneUse()))
    start = {};
  return true;
}

/// Threads pay when the work outweighs waking them. A batch that feeds all of
/// them is split by itself, else the longer of rows and columns is.
LibraryFamily::Shares LibraryFamily::share(Real whole) {
  Size m = axis(roles.m), n = axis(roles.n), one = arith.size(1);
  Size batch = one;
  for (unsigned loop : roles.batch)
    batch = batch * axis(loop);
  Flag small =
      whole * arith.real(batch) < param("core.startup") * kThreadStartups;
  Size all = arith.toSize(arith.param(hw, "threads", 1.0));
  Size threads = arith.select(small, one, all);
  Size parts = arith.select(batch >= threads, one, threads);
  Flag byRows = n <= m;
  Size columns = ceilDiv(ceilDiv(n, parts), arith.size(lanes)) * lanes;
  return {threads,
          atLeast(arith.select(byRows, ceilDiv(m, parts), m), 1),
          atLeast(arith.select(byRows, n, columns), 1),
          ceilDiv(batch, arith.select(batch >= threads, threads, one)),
          one.value,
          arith.size(kRows).value,
          arith.size(kVectors * lanes).value};
}

/// One call of the library, or what its bytes take where that is longer.
Real LibraryFamily::emitTime(StringRef prefix, Size m, Size n, Size k) {
  auto measured = [&](StringRef field) {
    return arith.param(hw, (prefix + "." + field).str());
  };
  // Never zero: a library that nobody measured costs infinitely much.
  Real operations = (arith.real(atLeast(m, 1)) + measured("rows")) *
                    (arith.real(atLeast(n, 1)) + measured("columns")) *
                    (arith.real(atLeast(k, 1)) + measured("steps")) * 2.0;
  Real moved = arith.real(m * k + n * k + m * n) * double(bytes);
  return measured("start") +
         max(operations / measured("rate"), moved * byteTime(moved));
}

void LibraryFamily::emitStages(StringRef library, const Shares &s) {
  Location loc = kernel.getLoc();
  SmallVector<StringRef> before, product, behind;
  for (Operation &op : kernel.getPayload().front())
    if (auto id = op.getAttrOfType<StringAttr>(kIdAttr))
      (&op == anchor || &op == start ? product
       : op.isBeforeInBlock(anchor)  ? before
                                     : behind)
          .push_back(id.getValue());
  auto stage = [&](ArrayRef<StringRef> ids, MicroKernelAttr spec,
                   StringAttr name) {
    StageOp::create(b, loc, b.getStrArrayAttr(ids), spec, name);
  };
  if (!before.empty())
    stage(before, MicroKernelAttr(), StringAttr());
  stage(product, MicroKernelAttr(), b.getStringAttr(library));
  if (behind.empty())
    return;
  createLevel("register", LoopKind::Sequential, {roles.m, roles.n},
              AxisClass::TSL, {s.rows, s.columns});
  stage(behind,
        MicroKernelAttr::get(b.getContext(), "fma", kRows, kVectors, lanes,
                             /*unroll=*/1, /*prefetch=*/0, /*narrow_rows=*/0,
                             /*scheduler=*/false, /*lane_axis=*/-1,
                             /*in_flight=*/0),
        StringAttr());
}

void LibraryFamily::emitTree(CandidateOp candidate, StringRef library,
                             const Shares &s) {
  b.createBlock(&candidate.getSchedule());
  SmallVector<int64_t> axes(roles.batch.begin(), roles.batch.end());
  SmallVector<Value> sizes(axes.size(), s.one);
  axes.append({int64_t(roles.m), int64_t(roles.n)});
  sizes.append({s.m.value, s.n.value});
  createLevel("core", LoopKind::Forall, axes, AxisClass::PL, sizes);
  emitStages(library, s);
}

void LibraryFamily::add(StringRef library) {
  Location loc = kernel.getLoc();
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(&kernel.getCandidates().front());
  Type element = getElementTypeOrSelf(anchor->getResult(0));
  std::string name = ("library." + library).str(), prefix;
  llvm::raw_string_ostream(prefix) << name << "." << element;
  Size m = axis(roles.m), n = axis(roles.n), k = axis(roles.k.front());
  Shares s = share(emitTime(prefix, m, n, k));
  ++report.considered;
  auto candidate = CandidateOp::create(b, loc, ("library_" + library).str());
  b.createBlock(&candidate.getGuard());
  // 1 where the run time found it.
  Flag found = arith.real(0.0) < arith.param(hw, name);
  YieldOp::create(b, loc, found.value);
  emitTree(candidate, library, s);
  b.createBlock(&candidate.getCost());
  Real time = arith.real(s.batch) *
              (emitTime(prefix, s.m, s.n, k) + param("core.call") * 0.4);
  bool rest = llvm::any_of(kernel.getPayload().front(), [&](Operation &op) {
    return op.hasAttr(kIdAttr) && &op != anchor && &op != start;
  });
  if (rest) {
    // What follows reads the part again and writes it.
    Real part = arith.real(s.m * s.n) * double(bytes);
    time = time + arith.real(s.batch) * part * byteTime(part) * 2.0;
  }
  time = time + param("core.call") +
         arith.select(arith.size(1) < s.threads, param("core.startup"),
                      param("core.call") * 0.17);
  YieldOp::create(b, loc, time.value);
}

void vortex::addLibraryCandidates(KernelOp kernel,
                                  ArrayRef<std::string> libraries, HwAttr hw,
                                  CandidateReport &report) {
  auto anchor = dyn_cast_if_present<linalg::LinalgOp>(kernel.getAnchor());
  if (libraries.empty() || !anchor ||
      classify(anchor) != PayloadClass::Contraction)
    return;
  LibraryFamily family(kernel, anchor, hw, report);
  std::string why;
  if (!family.match(why)) {
    report.pruned.push_back("library calls: " + why);
    return;
  }
  for (const std::string &library : libraries)
    family.add(library);
}
