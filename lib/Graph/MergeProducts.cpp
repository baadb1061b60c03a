//===- MergeProducts.cpp - Products that share a factor as one ------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Columns of several values side by side are one value: of weights when they
// are bound, of products with one common factor, of elementwise ops that do the
// same to each of them.
//
//===----------------------------------------------------------------------===//

#include "Scope.h"

#include "vortex/Dialect/Vortex/IR/WeightValues.h"
#include "vortex/Dialect/Vortex/Transforms/Passes.h"
#include "vortex/Graph/Passes.h"
#include "vortex/HwDesc/Targets.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Transforms/RegionUtils.h"

namespace vortex {
#define GEN_PASS_DEF_MERGEPRODUCTS
#include "vortex/Graph/Passes.h.inc"
} // namespace vortex

#define DEBUG_TYPE "vortex-merge-products"

using namespace mlir;
using namespace vortex;

/// Of the arithmetic that makes an element, what writing and reading it once
/// more may take (estimate, as for chains).
static constexpr double kMostMoved = 0.1;
/// Start-ups that one thread's work is worth before others help, as candidates
/// of contractions have it.
static constexpr double kStartups = 8;

namespace {
/// Part of a merged value.
struct Columns {
  Value whole;
  unsigned dim;
  int64_t offset;
};

class ProductMerger {
public:
  ProductMerger(FunctionOpInterface function, HwAttr hw)
      : rewriter(function.getContext()), hw(hw), weights(function) {}
  void run(Block &block);
  /// Erases what has been replaced. Not earlier: addresses of values would be
  /// used again.
  void finish();

  unsigned products = 0, followers = 0;

private:
  using Ops = SmallVector<linalg::LinalgOp>;

  bool pays(const Ops &ops, unsigned common);
  bool mergeProducts(linalg::LinalgOp first, unsigned common);
  void mergeReaders(Value whole);
  bool mergeReader(linalg::LinalgOp reader, ArrayRef<Value> parts);
  bool merge(const Ops &ops, unsigned dim, unsigned &count);
  Value joinOps(const Ops &ops, unsigned dim, unsigned lead, bool isStart);
  Value join(ArrayRef<Value> parts, unsigned dim, unsigned lead);
  Value joinWeights(ArrayRef<Value> parts, unsigned dim);
  bool isWhole(ArrayRef<Value> parts, unsigned dim) const;

  IRRewriter rewriter;
  HwAttr hw;
  WeightValues weights;
  DenseMap<Value, Columns> columns;
  DenseMap<Value, SmallVector<Value>> partsOf;
  SetVector<Operation *> replaced;
  /// Products of groups that stay apart.
  DenseSet<Operation *> refused;
};
} // namespace

static int64_t getExtent(Value value, unsigned dim) {
  return cast<RankedTensorType>(value.getType()).getDimSize(dim);
}

/// Whether both do the same, to whatever operands.
static bool areAlike(linalg::LinalgOp a, linalg::LinalgOp b) {
  return a->getName() == b->getName() && a->getBlock() == b->getBlock() &&
         a->getNumOperands() == b->getNumOperands() &&
         a.getIndexingMapsArray() == b.getIndexingMapsArray() &&
         a.getIteratorTypesArray() == b.getIteratorTypesArray() &&
         a->getDiscardableAttrDictionary() ==
             b->getDiscardableAttrDictionary() &&
         llvm::equal(a->getOperandTypes(), b->getOperandTypes(),
                     [](Type x, Type y) {
                       return getElementTypeOrSelf(x) ==
                              getElementTypeOrSelf(y);
                     }) &&
         OperationEquivalence::isRegionEquivalentTo(
             &a->getRegion(0), &b->getRegion(0),
             OperationEquivalence::IgnoreLocations);
}

/// Whether columns of `op` along `loop` are computed by themselves, alike.
static bool isColumnwise(linalg::LinalgOp op, unsigned loop) {
  AffineExpr dim = getAffineDimExpr(loop, op.getContext());
  return op.hasPureTensorSemantics() && op->getNumResults() == 1 &&
         !op.hasIndexSemantics() && !isInKernel(op) &&
         op.getIteratorTypesArray()[loop] == utils::IteratorType::parallel &&
         llvm::all_of(op.getIndexingMapsArray(), [&](AffineMap map) {
           return !map.isFunctionOfDim(loop) || map.getResultPosition(dim);
         });
}

//===----------------------------------------------------------------------===//
// Values side by side
//===----------------------------------------------------------------------===//

bool ProductMerger::isWhole(ArrayRef<Value> parts, unsigned dim) const {
  Value whole;
  int64_t offset = 0;
  for (Value part : parts) {
    auto it = columns.find(part);
    if (it == columns.end() || it->second.dim != dim ||
        it->second.offset != offset || (whole && it->second.whole != whole))
      return false;
    whole = it->second.whole;
    offset += getExtent(part, dim);
  }
  return offset == getExtent(whole, dim);
}

/// Weights are copied once, in front of everything that calls run.
Value ProductMerger::joinWeights(ArrayRef<Value> parts, unsigned dim) {
  auto type = cast<RankedTensorType>(parts[0].getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = 0;
  for (Value part : parts) {
    auto other = cast<RankedTensorType>(part.getType());
    if (!other.hasStaticShape())
      return {};
    for (auto [d, extent] : llvm::enumerate(other.getShape()))
      if (d != dim && extent != type.getDimSize(d))
        return {};
    shape[dim] += other.getDimSize(dim);
  }
  OpBuilder::InsertionGuard guard(rewriter);
  Operation *top = rewriter.getInsertionBlock()->getParentOp();
  Operation *before = &*rewriter.getInsertionPoint();
  while (!isa<FunctionOpInterface>(top)) {
    before = top;
    top = top->getParentOp();
  }
  if (failed(moveValueDefinitions(rewriter, parts, before)))
    return {};
  rewriter.setInsertionPoint(before);
  Location loc = parts[0].getLoc();
  Value joined =
      tensor::EmptyOp::create(rewriter, loc, shape, type.getElementType());
  SmallVector<OpFoldResult> offsets(shape.size(), rewriter.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(shape.size(), rewriter.getIndexAttr(1));
  int64_t offset = 0;
  for (Value part : parts) {
    offsets[dim] = rewriter.getIndexAttr(offset);
    offset += getExtent(part, dim);
    joined = tensor::InsertSliceOp::create(
        rewriter, loc, part, joined, offsets,
        tensor::getMixedSizes(rewriter, loc, part), strides);
  }
  return joined;
}

/// A value with the columns of all parts, made at the insertion point from what
/// is there for the part `lead`; null when there is none.
Value ProductMerger::join(ArrayRef<Value> parts, unsigned dim, unsigned lead) {
  if (isWhole(parts, dim))
    return columns.lookup(parts[0]).whole;
  if (llvm::all_of(parts, [&](Value part) {
        return !isa_and_present<tensor::EmptyOp, linalg::FillOp>(
                   part.getDefiningOp()) &&
               weights.contains(part);
      }))
    return joinWeights(parts, dim);
  Ops ops;
  bool empty = true;
  for (Value part : parts) {
    empty &= !!part.getDefiningOp<tensor::EmptyOp>();
    if (auto op = part.getDefiningOp<linalg::LinalgOp>())
      ops.push_back(op);
  }
  if (empty) {
    Location loc = parts[lead].getLoc();
    SmallVector<OpFoldResult> sizes =
        parts[lead].getDefiningOp<tensor::EmptyOp>().getMixedSizes();
    int64_t extent = 0;
    for (Value part : parts)
      extent += getExtent(part, dim);
    sizes[dim] = rewriter.getIndexAttr(extent);
    return tensor::EmptyOp::create(rewriter, loc, sizes,
                                   getElementTypeOrSelf(parts[lead].getType()));
  }
  if (ops.size() != parts.size() || ops[0].getNumReductionLoops() != 0)
    return {};
  return joinOps(ops, dim, lead, /*isStart=*/true);
}

/// One op for all, at the insertion point. What a sum starts from has the
/// extents of the sum.
Value ProductMerger::joinOps(const Ops &ops, unsigned dim, unsigned lead,
                             bool isStart) {
  linalg::LinalgOp op = ops[lead];
  auto column =
      dyn_cast<AffineDimExpr>(op.getIndexingMapsArray().back().getResult(dim));
  if (!column || !isColumnwise(op, column.getPosition()))
    return {};
  unsigned loop = column.getPosition();
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  llvm::SmallBitVector known(op.getNumLoops());
  for (linalg::LinalgOp other : ops) {
    SmallVector<int64_t> otherExtents = other.getStaticLoopRanges();
    if (!areAlike(op, other) || ShapedType::isDynamic(otherExtents[loop]))
      return {};
    otherExtents[loop] = extents[loop];
    if (otherExtents != extents)
      return {};
  }
  SmallVector<Value> operands;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    SmallVector<Value> parts;
    for (linalg::LinalgOp other : ops)
      parts.push_back(other->getOperand(operand.getOperandNumber()));
    bool isSame = llvm::all_equal(parts);
    if (std::optional<unsigned> position = map.getResultPosition(column)) {
      isSame = isWhole(parts, *position);
      operands.push_back(join(parts, *position, lead));
    } else {
      operands.push_back(isSame ? parts[0] : Value());
    }
    if (!operands.back())
      return {};
    for (unsigned other = 0; isSame && other < known.size(); ++other)
      if (map.isFunctionOfDim(other))
        known.set(other);
  }
  // What is read by all is as long for all.
  for (auto [other, extent] : llvm::enumerate(extents))
    if (!isStart && other != loop && ShapedType::isDynamic(extent) &&
        !known[other])
      return {};
  return clone(rewriter, op.getOperation(), operands.back().getType(), operands)
      ->getResult(0);
}

//===----------------------------------------------------------------------===//
// What is merged
//===----------------------------------------------------------------------===//

/// Puts one op in place of `ops`, in front of the first of them, and its
/// columns in place of their results.
bool ProductMerger::merge(const Ops &ops, unsigned dim, unsigned &count) {
  unsigned lead = 0;
  for (unsigned i = 1; i < ops.size(); ++i)
    if (ops[i]->isBeforeInBlock(ops[lead]))
      lead = i;
  rewriter.setInsertionPoint(ops[lead]);
  Value whole = joinOps(ops, dim, lead, /*isStart=*/false);
  if (!whole)
    return false;
  rewriter.setInsertionPointAfterValue(whole);
  Location loc = whole.getLoc();
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, whole);
  SmallVector<OpFoldResult> offsets(sizes.size(), rewriter.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(sizes.size(), rewriter.getIndexAttr(1));
  int64_t offset = 0;
  SmallVector<Value> parts;
  for (linalg::LinalgOp op : ops) {
    Value result = op->getResult(0);
    int64_t extent = getExtent(result, dim);
    offsets[dim] = rewriter.getIndexAttr(offset);
    sizes[dim] = rewriter.getIndexAttr(extent);
    Value part = tensor::ExtractSliceOp::create(
        rewriter, loc, cast<RankedTensorType>(result.getType()), whole, offsets,
        sizes, strides);
    columns[part] = {whole, dim, offset};
    offset += extent;
    parts.push_back(part);
    rewriter.replaceAllUsesWith(result, part);
    replaced.insert(op);
  }
  count += ops.size();
  partsOf[whole] = std::move(parts);
  mergeReaders(whole);
  return true;
}

/// Ops that follow each part alike follow the whole.
void ProductMerger::mergeReaders(Value whole) {
  SmallVector<Value> parts = partsOf.lookup(whole);
  for (bool changed = true; changed;) {
    changed = false;
    for (Operation *user : parts[0].getUsers()) {
      auto reader = dyn_cast<linalg::LinalgOp>(user);
      if (reader && !replaced.contains(user) && mergeReader(reader, parts)) {
        changed = true;
        break;
      }
    }
  }
}

bool ProductMerger::mergeReader(linalg::LinalgOp reader,
                                ArrayRef<Value> parts) {
  if (reader.getNumReductionLoops() != 0 || !reader.hasPureTensorSemantics() ||
      reader->getNumResults() != 1)
    return false;
  OpOperand *operand = llvm::find_singleton<OpOperand>(
      reader->getOpOperands(), [&](OpOperand &candidate, bool) {
        return candidate.get() == parts[0] ? &candidate : nullptr;
      });
  if (!operand || !reader.isDpsInput(operand))
    return false;
  auto column =
      dyn_cast<AffineDimExpr>(reader.getMatchingIndexingMap(operand).getResult(
          columns.lookup(parts[0]).dim));
  std::optional<unsigned> dim =
      column ? reader.getIndexingMapsArray().back().getResultPosition(column)
             : std::nullopt;
  if (!dim)
    return false;
  Ops readers = {reader};
  for (Value part : parts.drop_front()) {
    linalg::LinalgOp found;
    for (Operation *user : part.getUsers()) {
      auto other = dyn_cast<linalg::LinalgOp>(user);
      if (other && !replaced.contains(user) &&
          !llvm::is_contained(readers, other) && areAlike(reader, other) &&
          other->getOperand(operand->getOperandNumber()) == part) {
        found = other;
        break;
      }
    }
    if (!found)
      return false;
    readers.push_back(found);
  }
  return merge(readers, *dim, followers);
}

/// Two bounds say that little can be lost and something gained: a row of each
/// product is less work than what wakes a second thread, and moving results
/// once more, where what follows stays behind, takes little of the arithmetic.
bool ProductMerger::pays(const Ops &ops, unsigned common) {
  linalg::LinalgOp first = ops[0];
  AffineMap rows = first.getIndexingMapsArray()[common];
  Type element = getElementTypeOrSelf(first->getResult(0).getType());
  double startup = hw.getNumber("core.startup").value_or(0);
  double rate = hw.getNumber("fma.f32.rate").value_or(0);
  double stream = hw.getNumber("l2.stream").value_or(0);
  if (startup <= 0 || rate <= 0 || stream <= 0 || !element.isIntOrFloat())
    return false;
  for (linalg::LinalgOp op : ops) {
    double columns = 1, steps = 2;
    SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
    for (auto [loop, extent] : llvm::enumerate(op.getStaticLoopRanges())) {
      bool reduces = iterators[loop] == utils::IteratorType::reduction;
      if (!reduces && rows.isFunctionOfDim(loop))
        continue;
      if (ShapedType::isDynamic(extent))
        return false;
      (reduces ? steps : columns) *= double(extent);
    }
    double bytes = 2.0 * std::max(8u, element.getIntOrFloatBitWidth()) / 8;
    if (columns * steps >= kStartups * startup * rate ||
        bytes / stream > kMostMoved * steps / rate)
      return false;
  }
  return true;
}

/// Merges `first` with those behind it in its block that read the same.
bool ProductMerger::mergeProducts(linalg::LinalgOp first, unsigned common) {
  unsigned other = 1 - common;
  if (!weights.contains(first->getOperand(other)))
    return false;
  SmallVector<AffineMap> maps = first.getIndexingMapsArray();
  // The innermost columns that the product has by itself.
  AffineMap out = maps.back();
  int64_t dim = int64_t(out.getNumResults()) - 1;
  for (; dim >= 0; --dim)
    if (auto loop = dyn_cast<AffineDimExpr>(out.getResult(dim));
        loop && !maps[common].isFunctionOfDim(loop.getPosition()) &&
        maps[other].getResultPosition(loop))
      break;
  if (dim < 0)
    return false;
  Ops ops = {first};
  for (Operation *user : first->getOperand(common).getUsers())
    if (auto op = dyn_cast<linalg::LinalgOp>(user);
        op && op != first && op->getNumOperands() > common &&
        op->getOperand(common) == first->getOperand(common) &&
        !replaced.contains(op) && areAlike(first, op) &&
        !llvm::is_contained(ops, op) && weights.contains(op->getOperand(other)))
      ops.push_back(op);
  llvm::sort(ops, [](linalg::LinalgOp a, linalg::LinalgOp b) {
    return a->isBeforeInBlock(b);
  });
  if (ops.size() < 2)
    return false;
  std::string what = std::to_string(ops.size()) + " products of one factor";
  auto named = remark::RemarkOpts::name("merge").category(DEBUG_TYPE);
  if (!pays(ops, common)) {
    refused.insert(ops.begin(), ops.end());
    remark::missed(first->getLoc(), named)
        << what + " stay apart: a row of each is work enough, or its size is "
                  "not known, or results would be moved for too little";
    return false;
  }
  if (!merge(ops, dim, products))
    return false;
  remark::passed(first->getLoc(), named) << what + " are one";
  return true;
}

void ProductMerger::run(Block &block) {
  SmallVector<linalg::LinalgOp> candidates;
  for (auto op : block.getOps<linalg::LinalgOp>())
    if (op.hasPureTensorSemantics() && linalg::isaContractionOpInterface(op))
      candidates.push_back(op);
  for (linalg::LinalgOp op : candidates)
    for (unsigned common : {0, 1})
      if (!replaced.contains(op) && !refused.contains(op) &&
          mergeProducts(op, common))
        break;
}

void ProductMerger::finish() {
  for (Operation *op : llvm::reverse(replaced.getArrayRef()))
    if (op->use_empty())
      rewriter.eraseOp(op);
}

namespace {
struct MergeProductsPass : vortex::impl::MergeProductsBase<MergeProductsPass> {
  void runOnOperation() override {
    (void)forEachFunction(getOperation(), [&](FunctionOpInterface function) {
      SmallVector<HwAttr> targets = getTargets(function);
      // Blocks of a grid are not woken one by one.
      if (targets.empty() || targets.front().isGPU())
        return success();
      ProductMerger merger(function, targets.front());
      SmallVector<Block *> blocks;
      function->walk<WalkOrder::PreOrder>([&](Block *block) {
        if (!isa<linalg::LinalgOp, KernelOp>(block->getParentOp()))
          blocks.push_back(block);
      });
      for (Block *block : blocks)
        merger.run(*block);
      merger.finish();
      numProducts += merger.products;
      numFollowers += merger.followers;
      return success();
    });
  }
};
} // namespace
