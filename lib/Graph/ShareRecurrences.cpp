//===- ShareRecurrences.cpp - Rows of a recurrence in threads of their own ===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A dimension of one value of the loop's body, the rows of a product, is passed
// on to all values that are computed from it or from which it is computed. When
// it reaches everything that the loop carries, and no op mixes rows, the loop
// can run for some rows without the others.
//
//===----------------------------------------------------------------------===//

#include "../Dialect/Vortex/Transforms/CpuBandwidth.h"
#include "Scope.h"

#include "vortex/Dialect/Vortex/IR/DimIndex.h"
#include "vortex/Dialect/Vortex/Transforms/Passes.h"
#include "vortex/Graph/Passes.h"
#include "vortex/HwDesc/Targets.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"

namespace vortex {
#define GEN_PASS_DEF_SHARERECURRENCES
#include "vortex/Graph/Passes.h.inc"
} // namespace vortex

#define DEBUG_TYPE "vortex-share-recurrences"

using namespace mlir;
using namespace vortex;

//===----------------------------------------------------------------------===//
// Which dimensions are rows
//===----------------------------------------------------------------------===//

namespace {
/// The rows of a loop, if it has any.
class RowFinder {
public:
  explicit RowFinder(scf::ForOp loop) : loop(loop) {}
  /// Whether all that the loop carries has rows that no op mixes.
  bool find();

  scf::ForOp loop;
  /// Which dimension of a value is its rows.
  llvm::MapVector<Value, int64_t> rows;
  /// Numbers from in front of the loop that say how many rows there are.
  SetVector<Value> extents;
  SmallVector<linalg::LinalgOp> products;

  bool isOutside(Value value) const {
    return !loop->isAncestor(value.getParentBlock()->getParentOp());
  }

private:
  bool assign(Value value, int64_t dim);
  bool propagate();
  bool visit(Operation *op);
  bool visitLinalg(linalg::LinalgOp op);
  template <typename Op>
  bool visitSlice(Op op, Value small, Value large,
                  const llvm::SmallBitVector &dropped);
  bool visitCarried(unsigned position);
  bool isRowExtent(Value number);
  bool checkSize(OpFoldResult size);
  bool checkOp(Operation &op);
  bool checkExtents();

  SmallVector<Value> work;
};
} // namespace

bool RowFinder::assign(Value value, int64_t dim) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.isDynamicDim(dim))
    return false;
  auto [it, isNew] = rows.insert({value, dim});
  if (isNew)
    work.push_back(value);
  return it->second == dim;
}

/// What walks the rows of one operand walks those of all that it indexes.
bool RowFinder::visitLinalg(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || op.hasIndexSemantics() || isInKernel(op))
    return false;
  std::optional<unsigned> row;
  auto look = [&](Value value, AffineMap map) {
    auto it = rows.find(value);
    if (it == rows.end())
      return true;
    auto expr = dyn_cast<AffineDimExpr>(map.getResult(it->second));
    if (!expr || (row && *row != expr.getPosition()))
      return false;
    row = expr.getPosition();
    return true;
  };
  for (OpOperand &operand : op->getOpOperands())
    if (!look(operand.get(), op.getMatchingIndexingMap(&operand)))
      return false;
  for (OpResult result : op->getResults())
    if (!look(result, op.getIndexingMapMatchingResult(result)))
      return false;
  if (!row || op.getIteratorTypesArray()[*row] != utils::IteratorType::parallel)
    return false;
  AffineExpr dim = getAffineDimExpr(*row, op.getContext());
  auto pass = [&](Value value, AffineMap map) {
    if (std::optional<unsigned> position = map.getResultPosition(dim))
      return assign(value, *position);
    return !map.isFunctionOfDim(*row);
  };
  for (OpOperand &operand : op->getOpOperands())
    if (!pass(operand.get(), op.getMatchingIndexingMap(&operand)))
      return false;
  for (OpResult result : op->getResults())
    if (!pass(result, op.getIndexingMapMatchingResult(result)))
      return false;
  return true;
}

/// A slice has the rows of what it is a part of, whole.
template <typename Op>
bool RowFinder::visitSlice(Op op, Value small, Value large,
                           const llvm::SmallBitVector &dropped) {
  auto reduced = [&](int64_t dim) {
    int64_t before = 0;
    for (int64_t d = 0; d < dim; ++d)
      before += !dropped[d];
    return before;
  };
  int64_t dim = -1;
  if (auto it = rows.find(large); it != rows.end()) {
    dim = it->second;
  } else if (auto other = rows.find(small); other != rows.end()) {
    for (int64_t d = 0, e = dropped.size(); d < e; ++d)
      if (!dropped[d] && reduced(d) == other->second)
        dim = d;
  }
  return dim >= 0 && !dropped[dim] &&
         isConstantIntValue(op.getMixedOffsets()[dim], 0) &&
         isConstantIntValue(op.getMixedStrides()[dim], 1) &&
         assign(large, dim) && assign(small, reduced(dim));
}

bool RowFinder::visitCarried(unsigned position) {
  Value values[] = {
      loop.getInitArgs()[position], loop.getRegionIterArgs()[position],
      loop.getYieldedValues()[position], loop->getResult(position)};
  for (Value value : values)
    if (auto it = rows.find(value); it != rows.end()) {
      int64_t dim = it->second;
      return llvm::all_of(values, [&](Value v) { return assign(v, dim); });
    }
  return true;
}

bool RowFinder::visit(Operation *op) {
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return visitSlice(slice, slice.getResult(), slice.getSource(),
                      slice.getDroppedDims());
  if (auto slice = dyn_cast<tensor::InsertSliceOp>(op))
    return visitSlice(slice, slice.getSource(), slice.getResult(),
                      slice.getDroppedDims()) &&
           assign(slice.getDest(), rows.lookup(slice.getResult()));
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return visitLinalg(linalgOp);
  if (auto yield = dyn_cast<scf::YieldOp>(op)) {
    for (unsigned i = 0; i < yield.getNumOperands(); ++i)
      if (!visitCarried(i))
        return false;
    return true;
  }
  return isa<tensor::EmptyOp, tensor::DimOp>(op);
}

bool RowFinder::propagate() {
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (value.getDefiningOp() == loop)
      continue;
    if (auto argument = dyn_cast<BlockArgument>(value);
        argument && argument.getOwner() == loop.getBody()) {
      if (!visitCarried(argument.getArgNumber() - 1))
        return false;
    } else if (!isOutside(value) && !visit(value.getDefiningOp())) {
      return false;
    }
    for (Operation *user : value.getUsers()) {
      if (user == loop || !loop->isProperAncestor(user))
        continue;
      if (user->getBlock() != loop.getBody() || !visit(user))
        return false;
    }
  }
  return true;
}

bool RowFinder::isRowExtent(Value number) {
  if (extents.contains(number))
    return true;
  auto dim = number.getDefiningOp<tensor::DimOp>();
  if (!dim || isOutside(number))
    return false;
  auto it = rows.find(dim.getSource());
  return it != rows.end() && getDimIndex(dim) == it->second;
}

/// The number of rows in the body is that of a value of the body, or comes from
/// in front of the loop.
bool RowFinder::checkSize(OpFoldResult size) {
  auto value = dyn_cast<Value>(size);
  if (!value || (!isOutside(value) && !isRowExtent(value)))
    return false;
  if (isOutside(value))
    extents.insert(value);
  return true;
}

/// Whether an op of the body can run for some of the rows.
bool RowFinder::checkOp(Operation &op) {
  auto sizeOf = [&](Value value, ArrayRef<OpFoldResult> sizes) {
    auto it = rows.find(value);
    return it == rows.end() || checkSize(sizes[it->second]);
  };
  if (auto empty = dyn_cast<tensor::EmptyOp>(op))
    return sizeOf(empty, empty.getMixedSizes());
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return sizeOf(slice.getSource(), slice.getMixedSizes());
  if (auto slice = dyn_cast<tensor::InsertSliceOp>(op))
    return sizeOf(slice.getResult(), slice.getMixedSizes());
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
    bool isProduct = linalg::isaContractionOpInterface(linalgOp);
    if (isProduct)
      products.push_back(linalgOp);
    return linalgOp.hasPureTensorSemantics() &&
           (!isProduct || rows.contains(op.getResult(0)));
  }
  return isa<cf::AssertOp, scf::YieldOp>(op) ||
         (op.getNumRegions() == 0 && isMemoryEffectFree(&op));
}

/// A number of rows is used for sizes, and compared with others.
bool RowFinder::checkExtents() {
  auto fits = [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (user->getBlock() != loop.getBody())
      return false;
    if (auto compare = dyn_cast<arith::CmpIOp>(user))
      return compare.getPredicate() == arith::CmpIPredicate::eq &&
             isRowExtent(compare.getLhs()) && isRowExtent(compare.getRhs());
    auto isSize = [&](Value value, ArrayRef<OpFoldResult> sizes) {
      auto it = rows.find(value);
      return it != rows.end() && sizes[it->second] == OpFoldResult(use.get()) &&
             llvm::count(user->getOperands(), use.get()) == 1;
    };
    if (auto empty = dyn_cast<tensor::EmptyOp>(user))
      return isSize(empty, empty.getMixedSizes());
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(user))
      return isSize(slice.getSource(), slice.getMixedSizes());
    if (auto slice = dyn_cast<tensor::InsertSliceOp>(user))
      return isSize(slice.getResult(), slice.getMixedSizes());
    return false;
  };
  for (Value extent : extents)
    for (OpOperand &use : extent.getUses())
      if (loop->isProperAncestor(use.getOwner()) && !fits(use))
        return false;
  for (auto dim : loop.getBody()->getOps<tensor::DimOp>())
    if (isRowExtent(dim))
      for (OpOperand &use : dim->getUses())
        if (!fits(use))
          return false;
  return true;
}

bool RowFinder::find() {
  if (loop.getInitArgs().empty())
    return false;
  for (auto op : loop.getBody()->getOps<linalg::LinalgOp>()) {
    if (!linalg::isaContractionOpInterface(op))
      continue;
    // Rows are in the first factor and the result, and not in the other.
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    for (AffineExpr expr : maps.back().getResults()) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      if (dim && maps[0].getResultPosition(dim) &&
          !maps[1].isFunctionOfDim(dim.getPosition())) {
        if (!assign(op->getResult(0), *maps.back().getResultPosition(dim)))
          return false;
        break;
      }
    }
    break;
  }
  if (rows.empty() || !propagate() ||
      !llvm::all_of(loop.getRegionIterArgs(),
                    [&](Value value) { return rows.contains(value); }))
    return false;
  for (Operation &op : *loop.getBody())
    if (!checkOp(op))
      return false;
  return checkExtents();
}

//===----------------------------------------------------------------------===//
// The loop, once for all rows and once for those of each thread
//===----------------------------------------------------------------------===//

namespace {
class Sharer {
public:
  Sharer(RowFinder &finder, HwAttr hw)
      : finder(finder), loop(finder.loop), hw(hw), b(loop), loc(loop.getLoc()),
        arith(b, loc) {}
  /// False when what it costs is not known.
  bool share(StringRef name);

private:
  Real param(StringRef name, double otherwise = 0) {
    return arith.param(hw, name, otherwise);
  }
  std::optional<Size> extentOf(linalg::LinalgOp op, unsigned axis);
  bool addCosts();
  Value haveOneExtent();
  Value sliceRows(Value value, Value whole, OpFoldResult at, OpFoldResult size);
  void getSlice(Value value, OpFoldResult at, OpFoldResult size,
                SmallVector<OpFoldResult> &offsets,
                SmallVector<OpFoldResult> &sizes,
                SmallVector<OpFoldResult> &strides);
  SmallVector<Value> emitShared();

  RowFinder &finder;
  scf::ForOp loop;
  HwAttr hw;
  OpBuilder b;
  Location loc;
  SizeArith arith;
  Value rows, tile, together, apart;
};
} // namespace

/// What an axis of a product of the body walks, as known in front of the loop.
std::optional<Size> Sharer::extentOf(linalg::LinalgOp op, unsigned axis) {
  int64_t known = op.getStaticLoopRanges()[axis];
  if (!ShapedType::isDynamic(known))
    return arith.size(known);
  AffineExpr dim = getAffineDimExpr(axis, op.getContext());
  for (OpOperand &operand : op->getOpOperands()) {
    std::optional<unsigned> position =
        op.getMatchingIndexingMap(&operand).getResultPosition(dim);
    if (!position)
      continue;
    auto it = finder.rows.find(operand.get());
    if (it != finder.rows.end() && it->second == int64_t(*position))
      return arith.size(rows);
    if (finder.isOutside(operand.get()))
      return arith.size(
          tensor::DimOp::create(b, loc, operand.get(), *position).getResult());
  }
  return std::nullopt;
}

static double bytesOf(Value value) {
  Type element = getElementTypeOrSelf(value.getType());
  return element.isIndex() ? 8
                           : std::max(8u, element.getIntOrFloatBitWidth()) / 8;
}

/// In both forms a step takes arithmetic or reading weights, whichever is
/// longer, and moves what its ops hand on. Together, threads are woken for each
/// op and read what others wrote; apart, once, but each reads all weights.
bool Sharer::addCosts() {
  Real operations = arith.real(0.0), weights = arith.real(0.0),
       moved = arith.real(0.0);
  double kernels = 0;
  for (auto op : loop.getBody()->getOps<linalg::LinalgOp>()) {
    if (isa<linalg::FillOp>(op.getOperation()))
      continue;
    Size all = arith.size(1), written = arith.size(1), shared = arith.size(1);
    bool isProduct = llvm::is_contained(finder.products, op);
    AffineMap out = op.getIndexingMapsArray().back();
    for (unsigned axis = 0; axis < op.getNumLoops(); ++axis) {
      std::optional<Size> extent = extentOf(op, axis);
      if (!extent)
        return false;
      all = all * *extent;
      if (out.isFunctionOfDim(axis))
        written = written * *extent;
      if (isProduct && op.getIndexingMapsArray()[1].isFunctionOfDim(axis))
        shared = shared * *extent;
    }
    ++kernels;
    moved = moved + arith.real(written) * (2 * bytesOf(op->getResult(0)));
    if (!isProduct)
      continue;
    operations = operations + arith.real(all) * 2.0;
    weights = weights + arith.real(shared) * bytesOf(op->getOperand(1));
  }
  Size all = atLeast(arith.size(rows), 1);
  Size threads = arith.toSize(param("threads", 1.0));
  threads = atLeast(threads, 1);
  Size each = ceilDiv(all, threads);
  tile = each.value;
  Real count = arith.real(threads);
  Real part = arith.real(each) / arith.real(all);
  Real rate = param("fma.f32.rate", 10.0);
  Real core = operations / rate;
  Real read = weights * byteTime(arith, hw, weights);
  Real inL2 = moved / param("l2.stream");
  Real elsewhere =
      moved / param(hw.getLevel("l3") ? "l3.stream" : "device.stream");
  Real alone = max(core, read) + inL2 + param("core.call") * kernels;
  Real helped =
      max(core, read) / count + elsewhere + param("core.startup") * kernels;
  Real own =
      max(core * part, read) + inL2 * part + param("core.call") * kernels;
  Size first = arith.size(loop.getLowerBound());
  Size last = arith.size(loop.getUpperBound());
  Size step = atLeast(arith.size(loop.getStep()), 1);
  Real steps = arith.real(ceilDiv(max(last, first) - first, step));
  together = (steps * min(alone, helped)).value;
  apart = (steps * own + param("core.startup")).value;
  return true;
}

/// Whether all that has rows has as many: what the body would check.
Value Sharer::haveOneExtent() {
  Value all = arith::ConstantIntOp::create(b, loc, 1, 1);
  auto check = [&](Value extent) {
    if (extent == rows)
      return;
    Value same =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, rows, extent);
    all = arith::AndIOp::create(b, loc, all, same);
  };
  for (auto [value, dim] : finder.rows)
    if (finder.isOutside(value) && value.getDefiningOp() != loop)
      check(tensor::DimOp::create(b, loc, value, dim));
  for (Value extent : finder.extents)
    check(extent);
  return all;
}

/// Where rows of `value` lie in it.
void Sharer::getSlice(Value value, OpFoldResult at, OpFoldResult size,
                      SmallVector<OpFoldResult> &offsets,
                      SmallVector<OpFoldResult> &sizes,
                      SmallVector<OpFoldResult> &strides) {
  int64_t dim = finder.rows.lookup(value);
  sizes = tensor::getMixedSizes(b, loc, value);
  offsets.assign(sizes.size(), b.getIndexAttr(0));
  strides.assign(sizes.size(), b.getIndexAttr(1));
  offsets[dim] = at;
  sizes[dim] = size;
}

/// Rows of `whole`, which has the shape of `value`.
Value Sharer::sliceRows(Value value, Value whole, OpFoldResult at,
                        OpFoldResult size) {
  SmallVector<OpFoldResult> offsets, sizes, strides;
  getSlice(value, at, size, offsets, sizes, strides);
  return tensor::ExtractSliceOp::create(b, loc,
                                        cast<RankedTensorType>(value.getType()),
                                        whole, offsets, sizes, strides);
}

/// The loop for the rows of each thread.
SmallVector<Value> Sharer::emitShared() {
  SmallVector<OpFoldResult> lower = {b.getIndexAttr(0)}, upper = {rows},
                            step = {tile};
  auto forall = scf::ForallOp::create(b, loc, lower, upper, step,
                                      loop.getInitArgs(), std::nullopt);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(forall.getBody());
  Value at = forall.getInductionVars()[0];
  AffineExpr start = b.getAffineDimExpr(0), most = b.getAffineSymbolExpr(0),
             extent = b.getAffineSymbolExpr(1);
  Value size = affine::AffineMinOp::create(
      b, loc, AffineMap::get(1, 2, {most, extent - start}, b.getContext()),
      ValueRange{at, tile, rows});
  IRMapping map;
  for (auto [value, dim] : finder.rows)
    if (finder.isOutside(value) && value.getDefiningOp() != loop)
      map.map(value, sliceRows(value, value, at, size));
  for (Value number : finder.extents)
    map.map(number, size);
  SmallVector<Value> starts;
  for (auto [init, out] :
       llvm::zip(loop.getInitArgs(), forall.getRegionIterArgs()))
    starts.push_back(sliceRows(init, out, at, size));
  auto part = cast<scf::ForOp>(b.clone(*loop, map));
  part.getInitArgsMutable().assign(starts);
  // Bounds are numbers of steps, even if they are as large as that of rows.
  part.setLowerBound(loop.getLowerBound());
  part.setUpperBound(loop.getUpperBound());
  part.setStep(loop.getStep());
  SmallVector<SmallVector<OpFoldResult>> offsets(starts.size()),
      sizes(starts.size()), strides(starts.size());
  for (auto [i, init] : llvm::enumerate(loop.getInitArgs()))
    getSlice(init, at, size, offsets[i], sizes[i], strides[i]);
  b.setInsertionPointToStart(forall.getTerminator().getBody());
  for (auto [i, result] : llvm::enumerate(part.getResults()))
    tensor::ParallelInsertSliceOp::create(b, loc, result,
                                          forall.getRegionIterArgs()[i],
                                          offsets[i], sizes[i], strides[i]);
  return SmallVector<Value>(forall.getResults());
}

bool Sharer::share(StringRef name) {
  Value first = loop.getInitArgs()[0];
  rows = tensor::DimOp::create(b, loc, first, finder.rows.lookup(first));
  if (!addCosts())
    return false;
  Value can = haveOneExtent();
  Value yes = arith::ConstantIntOp::create(b, loc, 1, 1);
  Value cheaper =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, apart, together);
  Value preferred = arith::SelectOp::create(
      b, loc, arith::AndIOp::create(b, loc, can, cheaper),
      arith::ConstantIndexOp::create(b, loc, 1),
      arith::ConstantIndexOp::create(b, loc, 0));
  Value index =
      SelectOp::create(b, loc, b.getIndexType(), b.getStringAttr(name),
                       b.getStrArrayAttr({"together", "apart"}), preferred,
                       ValueRange{yes, can}, ValueRange{together, apart});
  auto chooser = scf::IndexSwitchOp::create(b, loc, loop->getResultTypes(),
                                            index, ArrayRef<int64_t>{0}, 1);
  b.createBlock(&chooser.getCaseRegions()[0]);
  scf::YieldOp::create(b, loc, b.clone(*loop)->getResults());
  b.createBlock(&chooser.getDefaultRegion());
  scf::YieldOp::create(b, loc, emitShared());
  loop->replaceAllUsesWith(chooser->getResults());
  loop->erase();
  return true;
}

namespace {
struct ShareRecurrencesPass
    : vortex::impl::ShareRecurrencesBase<ShareRecurrencesPass> {
  void runOnOperation() override {
    (void)forEachFunction(getOperation(), [&](FunctionOpInterface function) {
      SmallVector<HwAttr> targets = getTargets(function);
      if (targets.empty() || targets.front().isGPU() ||
          !targets.front().getLevel("l2"))
        return success();
      // Loops around others run them as they are.
      SmallVector<scf::ForOp> loops;
      for (Block &block : function.getFunctionBody())
        llvm::append_range(loops, block.getOps<scf::ForOp>());
      unsigned count = 0;
      for (scf::ForOp loop : loops) {
        RowFinder finder(loop);
        Location loc = loop.getLoc();
        std::string name =
            (function.getName() + ".recurrence." + Twine(count)).str();
        if (!finder.find() || !Sharer(finder, targets.front()).share(name))
          continue;
        ++count;
        ++numShared;
        remark::passed(loc,
                       remark::RemarkOpts::name("share").category(DEBUG_TYPE))
            << "rows of the loop may run apart, in threads of their own";
      }
      return success();
    });
  }
};
} // namespace
