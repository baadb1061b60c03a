//===- CpuStreamCandidates.cpp - What memory bounds, on a CPU -------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elementwise chains, transposes, reductions, pooling, softmax and norms: one
// tree, of which only the shares of threads depend on the sizes.
//
//===----------------------------------------------------------------------===//

#include "CandidateFamily.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace vortex;

namespace {
/// One tree for kernels that are bound by memory: rows shared among threads,
/// then walked one by one (Rows), in register tiles (Columns), or in squares,
/// where an operand has its neighbours along the rows.
class StreamFamily : CandidateFamily {
public:
  using CandidateFamily::CandidateFamily;
  LogicalResult add(bool columns);

private:
  Size countElements();
  Real estimateTime();
  Size countThreads();
  CandidateOp createRows(int64_t lane);
  CandidateOp createColumns();
  CandidateOp createSquares(int64_t row, int64_t lane);
  CandidateOp createCandidate(StringRef name);
  bool hasColumnsAlone();
  SmallVector<Value> shareAmongThreads(ArrayRef<int64_t> loops,
                                       function_ref<int64_t(int64_t)> unitOf);
  void createThreads(ArrayRef<int64_t> loops, ArrayRef<Value> shares);
  void createStage(StringRef instruction, int64_t rows, int64_t vectors,
                   int64_t unroll, int64_t lane);

  int64_t lanes = 0;
  bool alongLanes = true; ///< what reduces does so along the lanes
};
} // namespace

Size StreamFamily::countElements() {
  Size count = arith.size(1);
  for (BlockArgument extent : kernel.getCandidates().front().getArguments())
    count = count * arith.size(extent);
  return count;
}

/// What an element takes, in multiply-adds: functions are polynomials of about
/// fifteen operations (counted in the code made), a division or a root keeps
/// its unit for eight (estimate).
static double countOperations(Operation &op) {
  constexpr double kFunction = 15, kDivision = 8;
  if (isa<arith::ConstantOp>(op) || op.hasTrait<OpTrait::IsTerminator>())
    return 0;
  if (isa<arith::DivFOp, math::SqrtOp, math::RsqrtOp>(op))
    return kDivision;
  return isFunction(op) ? kFunction : 1;
}

/// Of one core, in ns, its operands in L2: moving them or the arithmetic, and
/// for each reduction of a row the joining of its lanes.
Real StreamFamily::estimateTime() {
  double operations = 0;
  int64_t reductions = 0;
  for (auto op : kernel.getPayload().front().getOps<linalg::LinalgOp>()) {
    reductions += alongLanes && op.getNumReductionLoops() > 0;
    for (Operation &inner : op->getRegion(0).front())
      operations += countOperations(inner);
  }
  Real elements = arith.real(countElements());
  double width = double(hw.getVectorBytes()) / double(4 * lanes);
  Real rate = param("fma.f32.rate", 10.0) * (0.5 / std::max(width, 1.0));
  Size rows = arith.size(1);
  for (int64_t loop : getRows(/*columns=*/false))
    rows = rows * axis(loop);
  return max(elements * 8.0 / param("l2.bandwidth"),
             elements * operations / rate) +
         arith.real(rows) * double(reductions) * param("register.startup");
}

/// Threads pay when the work takes several times as long as waking them.
Size StreamFamily::countThreads() {
  constexpr double kWorth = 4;
  Flag small = estimateTime() < param("core.startup") * kWorth;
  return arith.select(small, arith.size(1),
                      arith.toSize(param("threads", 1.0)));
}

CandidateOp StreamFamily::createCandidate(StringRef name) {
  auto candidate = CandidateOp::create(b, kernel.getLoc(), name);
  b.createBlock(&candidate.getSchedule());
  return candidate;
}

/// Whether nothing is computed but elements, each of a column of its own.
bool StreamFamily::hasColumnsAlone() {
  return llvm::all_of(kernel.getPayload().front().getOps<linalg::LinalgOp>(),
                      [&](linalg::LinalgOp op) {
                        return op.getNumReductionLoops() == 0 &&
                               (isa<linalg::FillOp>(op.getOperation()) ||
                                op.getNumLoops() == anchor.getNumLoops());
                      });
}

/// Parts of loops, each of so many units, for which threads share the outermost
/// loop and then the next as far as it does not go round. One of few turns,
/// which do not divide evenly, is left to those inside of it if they have
/// enough.
SmallVector<Value>
StreamFamily::shareAmongThreads(ArrayRef<int64_t> loops,
                                function_ref<int64_t(int64_t)> unitOf) {
  constexpr int64_t kEnough = 4; // for each thread: at most a fifth too many
  SmallVector<Size> units, inside(loops.size(), arith.size(1));
  for (int64_t loop : loops)
    units.push_back(ceilDiv(axis(loop), arith.size(unitOf(loop))));
  for (size_t i = loops.size(); i > 1; --i)
    inside[i - 2] = inside[i - 1] * units[i - 1];
  SmallVector<Value> shares;
  Size threads = countThreads();
  for (auto [i, loop] : llvm::enumerate(loops)) {
    Size enough = threads * kEnough;
    Size each = ceilDiv(units[i], threads);
    if (i + 1 < loops.size())
      each = arith.select((units[i] < enough) & (units[i] < each * threads) &
                              (enough <= inside[i]),
                          units[i], each);
    each = atLeast(each, 1);
    shares.push_back((each * unitOf(loop)).value);
    if (i + 1 < loops.size())
      threads = ceilDiv(threads, atLeast(ceilDiv(units[i], each), 1));
  }
  return shares;
}

void StreamFamily::createThreads(ArrayRef<int64_t> loops,
                                 ArrayRef<Value> shares) {
  if (!loops.empty())
    createLevel("core", LoopKind::Forall, loops, AxisClass::PL, shares);
}

void StreamFamily::createStage(StringRef instruction, int64_t rows,
                               int64_t vectors, int64_t unroll, int64_t lane) {
  auto micro = MicroKernelAttr::get(b.getContext(), instruction, rows, vectors,
                                    lanes, unroll, 0, false, true, lane, 0);
  StageOp::create(b, kernel.getLoc(), b.getStrArrayAttr(getPayloadIds()), micro,
                  StringAttr());
}

/// Row by row, in passes over each. Threads share rows, and columns of what has
/// nothing else.
CandidateOp StreamFamily::createRows(int64_t lane) {
  constexpr int64_t kUnroll = 4; // vectors of a step
  SmallVector<int64_t> rows = getRows(/*columns=*/false), shared(rows);
  if (lane >= 0 && hasColumnsAlone())
    shared.push_back(lane);
  SmallVector<Value> shares = shareAmongThreads(
      shared, [&](int64_t loop) { return loop == lane ? kUnroll * lanes : 1; });
  SmallVector<Value> ones(rows.size(), arith.size(1).value);
  CandidateOp candidate = createCandidate("rows");
  createThreads(shared, shares);
  if (!rows.empty())
    createLevel("register", LoopKind::Sequential, rows, AxisClass::TSL, ones);
  createStage("vector", 1, 1, kUnroll, lane);
  return candidate;
}

/// Tiles of a few rows of some vectors, sums in registers.
CandidateOp StreamFamily::createColumns() {
  SmallVector<int64_t> rows = getRows(/*columns=*/true);
  Value share = atLeast(ceilDiv(axis(rows[0]), countThreads()), 1).value;
  int64_t vectors = 4, registers = hw.getVectorRegisters();
  while (vectors > 1 && 2 * vectors + 1 > registers)
    vectors /= 2;
  int64_t height =
      rows.size() > 1
          ? std::max<int64_t>((registers - vectors - 1) / vectors, 1)
          : 1;
  SmallVector<Value> sizes(rows.size(), arith.size(1).value);
  sizes.back() = arith.size(vectors * lanes).value;
  if (rows.size() > 1)
    sizes[rows.size() - 2] = arith.size(height).value;
  CandidateOp candidate = createCandidate("columns");
  createThreads({rows[0]}, {share});
  createLevel("register", LoopKind::Sequential, rows, AxisClass::TSL, sizes);
  createStage("fma", height, vectors, /*unroll=*/1, -1);
  return candidate;
}

/// Squares of as many rows as lanes. Threads share the outermost loop, then
/// rows, then columns, as far as the ones before do not go round. A block has
/// as many columns as L1 keeps lines of the operand that is read across: of two
/// squares below each other both may need a line of an unaligned one.
CandidateOp StreamFamily::createSquares(int64_t row, int64_t lane) {
  SmallVector<int64_t> shared, walked;
  for (int64_t loop : getRows(/*columns=*/false))
    if (loop != row)
      walked.push_back(loop);
  if (!walked.empty())
    shared.push_back(walked[0]);
  llvm::append_values(shared, row, lane);
  llvm::append_values(walked, row, lane);

  SmallVector<Value> sizes(walked.size() - 2, arith.size(1).value);
  SmallVector<Value> shares = shareAmongThreads(shared, [&](int64_t loop) {
    return loop == row || loop == lane ? lanes : 1;
  });
  sizes.append(2, arith.size(lanes).value);
  HwLevelAttr l1 = hw.getLevel("l1");
  int64_t lines =
      (l1 ? l1.getCapacity() : 1 << 15) / hw.getVectorBytes() / lanes;
  Value block = arith.size(std::max<int64_t>(lines, 1) * lanes).value;

  CandidateOp candidate = createCandidate("squares");
  createThreads(shared, shares);
  createLevel("l1", LoopKind::Sequential, {lane}, AxisClass::TSL, {block});
  createLevel("register", LoopKind::Sequential, walked, AxisClass::TSL, sizes);
  createStage("square", lanes, 1, /*unroll=*/1, lane);
  return candidate;
}

LogicalResult StreamFamily::add(bool columns) {
  // Lanes by the widest element, so that no vector exceeds a register.
  unsigned widest = 8;
  kernel.getPayload().walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (Type element = getElementTypeOrSelf(type); element.isIntOrFloat())
        widest = std::max(widest, element.getIntOrFloatBitWidth());
  });
  lanes = hw.getVectorBytes() * 8 / std::max(32u, widest);
  if (lanes < 1 || (columns && hw.getVectorRegisters() < 3))
    return failure();
  alongLanes = !columns;
  createCandidates();
  ++report.considered;

  int64_t lane = getLaneLoop(anchor);
  std::optional<unsigned> crossed;
  if (!columns && llvm::isPowerOf2_64(lanes))
    crossed = getCrossedLoop(anchor);
  CandidateOp candidate = columns   ? createColumns()
                          : crossed ? createSquares(*crossed, lane)
                                    : createRows(lane);
  b.createBlock(&candidate.getCost());
  Real bytes = arith.real(countElements()) * 8.0;
  Real cost = bytes / param("device.stream") + param("core.call");
  YieldOp::create(b, kernel.getLoc(), cost.value);
  return success();
}

LogicalResult vortex::addCpuStreamCandidates(KernelOp kernel,
                                             linalg::LinalgOp anchor,
                                             bool columns, HwAttr hw,
                                             CandidateReport &report) {
  return StreamFamily(kernel, anchor, hw, report).add(columns);
}
