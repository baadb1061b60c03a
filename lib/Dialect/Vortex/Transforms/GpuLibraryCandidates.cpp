//===- GpuLibraryCandidates.cpp - Products that a GPU's library computes --===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One candidate a library: it computes the whole product, batch and all, and a
// kernel behind it runs what follows. The library's tiles are nobody's
// business; what it takes is modelled as the best of a few tiles that such
// libraries have, on the units that the description has for these elements, in
// the form of our own (waves times the time of a tile). A rate that somebody
// measured replaces the units' peak.
//
//===----------------------------------------------------------------------===//

#include "CandidateFamily.h"
#include "GpuCandidates.h"

#include "vortex/Dialect/Vortex/IR/GridLimit.h"
#include "vortex/Dialect/Vortex/IR/MatrixForm.h"
#include "vortex/Dialect/Vortex/Transforms/LibraryTargets.h"

#include "mlir/IR/Matchers.h"

#include <array>

using namespace mlir;
using namespace vortex;

/// Blocks of the result that libraries have kernels for (CUTLASS' profiler
/// lists them), and bytes of a step of the reduction.
static constexpr std::pair<int64_t, int64_t> kTiles[] = {
    {256, 128}, {128, 128}, {64, 64}, {32, 32}};
static constexpr int64_t kDepthBytes = 64;
/// Steps that a part of a reduction has at least where blocks share one.
static constexpr int64_t kPartSteps = 8;
/// Part of the time of the faster paths that the slowest does not hide, as for
/// our own tiles.
static constexpr double kUnhiddenPart = 0.125;

static constexpr std::array<StringRef, 4> kKnownLibraries = {
    "openblas", "mkl", "onednn", "cublas"};

ArrayRef<StringRef> vortex::getKnownLibraries() { return kKnownLibraries; }

std::string vortex::whyNoLibraryOn(StringRef name, HwAttr target) {
  bool forNvidia = name == kKnownLibraries.back();
  bool forCpus = !forNvidia && llvm::is_contained(kKnownLibraries, name);
  bool isGpu = target && target.isGPU();
  if (forCpus && isGpu)
    return "is for CPUs";
  if (forNvidia && !(isGpu && target.getIsa().starts_with("sm_")))
    return "is for NVIDIA's GPUs";
  return "";
}

namespace {
class GpuLibraryFamily : CandidateFamily {
public:
  GpuLibraryFamily(KernelOp kernel, linalg::LinalgOp anchor, HwAttr hw,
                   CandidateReport &report)
      : CandidateFamily(kernel, anchor, hw, report) {}
  /// What a library cannot compute of the kernel; empty: nothing.
  std::string match();
  void add(StringRef library);

private:
  std::string readTypes();
  std::string readFactors();
  std::string readRest();
  Size countResults();
  void emitTree(CandidateOp candidate, StringRef library);
  Flag hasRows(unsigned position, AffineMap map);
  void emitGuard(CandidateOp candidate, StringRef library);
  Real timeOfTile(std::pair<int64_t, int64_t> tile, Real rate);
  void emitCost(CandidateOp candidate, StringRef library);

  ContractionRoles roles;
  Type element; ///< of the factors
  HwInstructionAttr instruction;
  int64_t bytes = 4, resultBytes = 4;
  /// Payload ops of the call, and of the kernel behind.
  SmallVector<StringRef> product, behind;
};
} // namespace

/// The fastest units for factors of the type.
static HwInstructionAttr findUnits(HwAttr hw, Type element) {
  Builder b(hw.getContext());
  Type sums = element.isF64() ? element : Type(b.getF32Type());
  HwInstructionAttr best;
  auto consider = [&](HwInstructionAttr found) {
    if (found && (!best || best.getNumber("rate") < found.getNumber("rate")))
      best = found;
  };
  for (StringRef kind : {"wgmma", "mma_sync"})
    consider(findMatrixInstruction(hw, kind, element, element, sums));
  consider(hw.getInstruction("simt", sums, sums, sums));
  return best;
}

std::string GpuLibraryFamily::readTypes() {
  std::optional<ContractionRoles> found = getContractionRoles(anchor);
  if (!found || found->k.size() != 1 || !addsProducts(anchor))
    return "it is not one product of two matrices";
  roles = *found;
  element = getFactorType(anchor, roles.a);
  Type result = getElementTypeOrSelf(anchor->getResult(0));
  if (getFactorType(anchor, roles.b) != element ||
      !(element.isF32() || element.isF64() || element.isF16() ||
        element.isBF16() || element.isTF32()) ||
      !(result == element || (result.isF32() && !element.isF64())))
    return "its elements are not of f32, f64, f16 or bf16, all of one type or "
           "the result of f32";
  instruction = findUnits(hw, element);
  if (!instruction)
    return "the target describes no units for its elements";
  bytes = getElementTypeOrSelf(anchor->getOperand(roles.a))
              .getIntOrFloatBitWidth() /
          8;
  resultBytes = result.getIntOrFloatBitWidth() / 8;
  return "";
}

std::string GpuLibraryFamily::readFactors() {
  SmallVector<AffineMap> maps = anchor.getIndexingMapsArray();
  unsigned k = roles.k.front();
  for (auto [input, axis] :
       {std::pair{roles.a, roles.m}, std::pair{roles.b, roles.n}}) {
    auto argument = dyn_cast<BlockArgument>(anchor->getOperand(input));
    if (!argument || argument.getArgNumber() >= kernel.getInputs().size())
      return "a factor is computed on the way";
    AffineMap map = maps[input];
    if (!map.isProjectedPermutation() || map.getNumResults() < 2 ||
        (map.getDimPosition(map.getNumResults() - 1) != axis &&
         map.getDimPosition(map.getNumResults() - 1) != k))
      return "a factor has neither rows nor columns beside each other";
  }
  AffineMap out = maps.back();
  unsigned last = out.getDimPosition(out.getNumResults() - 1);
  if (last != roles.m && last != roles.n)
    return "the result has neither rows nor columns beside each other";
  return "";
}

/// What starts the product, and what follows it.
std::string GpuLibraryFamily::readRest() {
  Value init = anchor.getDpsInits()[0];
  auto start = init.getDefiningOp<linalg::FillOp>();
  if (start && (!matchPattern(start.getInputs()[0], m_AnyZeroFloat()) ||
                !start->hasAttr(kIdAttr) || !start->hasOneUse()))
    return "it starts with other numbers than zero";
  Value yielded = kernel.getPayload().front().getTerminator()->getOperand(0);
  if (kernel.getNumResults() != 1)
    return "the kernel has several results";
  for (Operation &op : kernel.getPayload().front()) {
    auto id = op.getAttrOfType<StringAttr>(kIdAttr);
    if (!id)
      continue;
    if (&op == anchor || &op == start) {
      product.push_back(id.getValue());
      continue;
    }
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    if (op.isBeforeInBlock(anchor) || !linalgOp ||
        linalgOp.getNumReductionLoops() ||
        !linalgOp.getIndexingMapsArray().back().isIdentity())
      return "what is around it does not walk its result element by element";
    behind.push_back(id.getValue());
  }
  // With zeros to start from and a kernel behind, it has memory of its own.
  Value begin = start ? start.getOutputs()[0] : init;
  if ((behind.empty() || !start) && !isa<BlockArgument>(begin))
    return "what it starts from is computed on the way";
  if (behind.empty() ? yielded != anchor->getResult(0)
                     : yielded == anchor->getResult(0))
    return "what follows is no result of the kernel";
  return "";
}

std::string GpuLibraryFamily::match() {
  // A chain has axes of its own.
  if (anchor.getNumLoops() != kernel.getAxes().size())
    return "it is a part of a chain";
  if (std::string why = readTypes(); !why.empty())
    return why;
  if (std::string why = readFactors(); !why.empty())
    return why;
  return readRest();
}

Size GpuLibraryFamily::countResults() {
  Size results = axis(roles.m) * axis(roles.n);
  for (unsigned loop : roles.batch)
    results = results * axis(loop);
  return results;
}

void GpuLibraryFamily::emitTree(CandidateOp candidate, StringRef library) {
  b.createBlock(&candidate.getSchedule());
  StageOp::create(b, kernel.getLoc(), b.getStrArrayAttr(product),
                  MicroKernelAttr(), b.getStringAttr(library));
  if (!behind.empty())
    StageOp::create(b, kernel.getLoc(), b.getStrArrayAttr(behind),
                    MicroKernelAttr(), StringAttr());
}

/// Rows of the kernel's operand at `position` do not overlap, and are no
/// further apart than the library can say. Elements of a row are adjacent.
Flag GpuLibraryFamily::hasRows(unsigned position, AffineMap map) {
  Value operand = kernel.getCandidates().front().getArgument(
      kernel.getAxes().size() + position);
  unsigned inner = map.getDimPosition(map.getNumResults() - 1);
  Flag holds = axis(inner) < arith.size(kLargestExtent);
  for (unsigned row : {roles.m, roles.n, roles.k.front()}) {
    std::optional<unsigned> dim =
        map.getResultPosition(getAffineDimExpr(row, b.getContext()));
    if (!dim || row == inner)
      continue;
    Size distance = arith.stride(operand, *dim);
    holds =
        holds &
        ((axis(row) <= arith.size(1)) |
         ((axis(inner) <= distance) & (distance < arith.size(kLargestExtent))));
  }
  return holds;
}

void GpuLibraryFamily::emitGuard(CandidateOp candidate, StringRef library) {
  b.createBlock(&candidate.getGuard());
  // 1 where the run time found it.
  Flag holds = arith.real(0.0) < arith.param(hw, ("library." + library).str());
  for (size_t loop = 0; loop < kernel.getAxes().size(); ++loop)
    holds = holds & (axis(loop) < arith.size(kLargestExtent));
  // There is something to add up.
  holds = holds & (arith.size(0) < axis(roles.k.front()));
  SmallVector<AffineMap> maps = anchor.getIndexingMapsArray();
  for (unsigned input : {roles.a, roles.b})
    holds =
        holds &
        hasRows(cast<BlockArgument>(anchor->getOperand(input)).getArgNumber(),
                maps[input]);
  if (behind.empty())
    holds = holds & hasRows(kernel.getInputs().size(), maps.back());
  else
    holds = holds & (countResults() <= arith.size(getLargestGrid(hw)));
  YieldOp::create(b, kernel.getLoc(), holds.value);
}

/// Nanoseconds of the product where blocks have `tile` of the result each, and
/// share reductions where there are fewer of them than multiprocessors. `rate`
/// is that of one.
Real GpuLibraryFamily::timeOfTile(std::pair<int64_t, int64_t> tile, Real rate) {
  auto [m, n] = tile;
  int64_t depth = kDepthBytes / bytes;
  Size tiles = ceilDiv(axis(roles.m), arith.size(m)) *
               ceilDiv(axis(roles.n), arith.size(n));
  for (unsigned loop : roles.batch)
    tiles = tiles * axis(loop);
  Size units = atLeast(arith.toSize(param("block.units")), 1);
  Size steps = atLeast(ceilDiv(axis(roles.k.front()), arith.size(depth)), 1);
  Size parts = atLeast(
      min(units / atLeast(tiles, 1), steps / arith.size(kPartSteps)), 1);
  Real core = arith.real(2.0 * double(m * n * depth)) / rate;
  Real fromL2 =
      arith.real(double((m + n) * depth * bytes)) / param("l2.stream");
  Real longer = max(core, fromL2);
  Real step = longer + (core + fromL2 - longer) * kUnhiddenPart;
  Real drain = arith.real(double(m * n * resultBytes)) / param("l2.stream");
  Real waves = arith.real(ceilDiv(tiles * parts, units));
  Real busy = waves * (arith.real(ceilDiv(steps, parts)) * step +
                       param("device.latency") * 2.0 + drain);
  Real l2 = arith.real(tiles * steps) * double((m + n) * depth * bytes) /
            param("l2.bandwidth");
  // Partial sums are written and read once, and a kernel adds them.
  Real sums = arith.real(countResults() * parts) * 8.0 / param("l2.bandwidth") +
              param("block.startup");
  Real longest = max(busy, l2);
  return longest + (busy + l2 - longest) * kUnhiddenPart +
         arith.select(arith.size(1) < parts, sums, arith.real(0.0));
}

void GpuLibraryFamily::emitCost(CandidateOp candidate, StringRef library) {
  b.createBlock(&candidate.getCost());
  std::string name;
  llvm::raw_string_ostream(name)
      << "library." << library << "." << element << ".rate";
  Real measured = arith.param(hw, name);
  Real units = max(param("block.units"), arith.real(1.0));
  Real rate =
      arith.select(arith.real(0.0) < measured, measured / units,
                   arith.param(hw, instruction.getKey() + ".rate", 1.0));
  Real time = timeOfTile(kTiles[0], rate);
  for (auto tile : llvm::drop_begin(kTiles))
    time = min(time, timeOfTile(tile, rate));
  Size m = axis(roles.m), n = axis(roles.n), k = axis(roles.k.front());
  Size batch = arith.size(1);
  for (unsigned loop : roles.batch)
    batch = batch * axis(loop);
  Real written = arith.real(countResults()) * double(resultBytes);
  Real memory =
      (arith.real((m * k + k * n) * batch) * double(bytes) + written) /
      param("device.bandwidth");
  Real longest = max(time, memory);
  Real total = longest + (time + memory - longest) * kUnhiddenPart +
               param("block.startup");
  if (!behind.empty()) {
    // What follows reads the product, out of L2 where half of it has room, and
    // writes as much.
    Flag near = written * 2.0 <= param("l2.capacity");
    total = total +
            written / arith.select(near, param("l2.bandwidth"),
                                   param("device.bandwidth")) +
            written / param("device.bandwidth") +
            param("device.latency") * 2.0 + param("block.startup");
  }
  YieldOp::create(b, kernel.getLoc(), total.value);
}

/// In front of the others, the last of which is the most general.
void GpuLibraryFamily::add(StringRef library) {
  Block &block = kernel.getCandidates().front();
  if (block.getNumArguments() == kernel.getAxes().size())
    for (Type type : kernel->getOperandTypes()) // guards ask where they are
      block.addArgument(type, kernel.getLoc());
  b.setInsertionPoint(kernel.getCandidateOps().front());
  ++report.considered;
  auto candidate =
      CandidateOp::create(b, kernel.getLoc(), ("library_" + library).str());
  emitTree(candidate, library);
  emitGuard(candidate, library);
  emitCost(candidate, library);
}

void vortex::addGpuLibraryCandidates(KernelOp kernel,
                                     ArrayRef<std::string> libraries, HwAttr hw,
                                     CandidateReport &report) {
  auto anchor = dyn_cast_if_present<linalg::LinalgOp>(kernel.getAnchor());
  if (libraries.empty() || !anchor ||
      classify(anchor) != PayloadClass::Contraction)
    return;
  GpuLibraryFamily family(kernel, anchor, hw, report);
  if (std::string why = family.match(); !why.empty()) {
    report.pruned.push_back("library calls: " + why);
    return;
  }
  for (const std::string &library : libraries)
    family.add(library);
}
