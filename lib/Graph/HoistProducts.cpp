//===- HoistProducts.cpp - Products of all steps in front of a loop -------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Relayout.h"
#include "Scope.h"

#include "vortex/Dialect/Vortex/Analysis/SizeAnalysis.h"
#include "vortex/Dialect/Vortex/Transforms/Passes.h"
#include "vortex/Graph/Passes.h"
#include "vortex/HwDesc/Targets.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Remarks.h"

namespace vortex {
#define GEN_PASS_DEF_HOISTPRODUCTS
#include "vortex/Graph/Passes.h.inc"
} // namespace vortex

#define DEBUG_TYPE "vortex-hoist-products"

using namespace mlir;
using namespace vortex;

namespace {
class Hoister {
public:
  Hoister(scf::ForOp loop, SizeAnalysis &sizes, HwAttr hw,
          SetVector<Operation *> &replaced)
      : loop(loop), sizes(sizes), hw(hw), rewriter(loop.getContext()),
        replaced(replaced) {}
  /// The number of products that left the loop.
  unsigned run();

private:
  bool isOutside(Value value) {
    return !loop->isAncestor(value.getParentBlock()->getParentOp());
  }
  bool isEqual(SizeExpr x, SizeExpr y, Operation *at) {
    return x && y && sizes.getFactsAt(at).areEqual(x, y) == Answer::Yes;
  }
  bool isStep(tensor::ExtractSliceOp slice);
  Value getSteps(Value value);
  bool startsAnew(linalg::LinalgOp op);
  bool pays(linalg::LinalgOp op);
  bool hoist(linalg::LinalgOp op);
  bool haveEqualExtents(linalg::LinalgOp op, ArrayRef<Value> inputs,
                        ArrayRef<AffineMap> maps);

  scf::ForOp loop;
  SizeAnalysis &sizes;
  HwAttr hw;
  IRRewriter rewriter;
  SetVector<Operation *> &replaced;
  /// From a value of a step to that of all steps.
  DenseMap<Value, Value> hoisted;
};
} // namespace

/// Whether step i of the loop takes element i of the outermost dimension, whole
/// otherwise, and the loop takes them all.
bool Hoister::isStep(tensor::ExtractSliceOp slice) {
  Value source = slice.getSource();
  auto type = slice.getSourceType();
  if (!isOutside(source) || type.getRank() == 0)
    return false;
  SmallVector<OpFoldResult> offsets = slice.getMixedOffsets();
  auto start = dyn_cast<Value>(offsets[0]);
  if (!start ||
      !isEqual(sizes.get(start), sizes.get(loop.getInductionVar()),
               slice.getOperation()) ||
      !isConstantIntValue(slice.getMixedSizes()[0], 1) ||
      !llvm::all_of(slice.getMixedStrides(), [](OpFoldResult stride) {
        return isConstantIntValue(stride, 1);
      }))
    return false;
  SizeContext &context = sizes.getContext();
  for (auto [dim, offset, size] :
       llvm::drop_begin(llvm::enumerate(offsets, slice.getMixedSizes()))) {
    if (!isConstantIntValue(offset, 0))
      return false;
    std::optional<int64_t> known = getConstantIntValue(size);
    SizeExpr taken =
        known ? context.constant(*known) : sizes.get(cast<Value>(size));
    if (!isEqual(taken, sizes.getDim(source, dim), slice))
      return false;
  }
  return isEqual(sizes.get(loop.getUpperBound()), sizes.getDim(source, 0),
                 loop);
}

/// The tensor whose element i, of its outermost dimension, is `value` in step
/// i; null when there is none in front of the loop.
Value Hoister::getSteps(Value value) {
  if (Value steps = hoisted.lookup(value))
    return steps;
  bool collapsed = false;
  if (auto collapse = value.getDefiningOp<tensor::CollapseShapeOp>()) {
    for (auto [dim, group] :
         llvm::enumerate(collapse.getReassociationIndices()))
      if (group.size() != (dim == 0 ? 2 : 1))
        return {};
    collapsed = true;
    value = collapse.getSrc();
  }
  auto slice = value.getDefiningOp<tensor::ExtractSliceOp>();
  if (!slice)
    return {};
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  bool drops = dropped.any();
  if (drops == collapsed || (drops && (!dropped[0] || dropped.count() != 1)) ||
      !isStep(slice))
    return {};
  return slice.getSource();
}

/// Whether each step computes its result from nothing but inputs.
bool Hoister::startsAnew(linalg::LinalgOp op) {
  OpOperand *init = op.getDpsInitOperand(0);
  if (!op.payloadUsesValueFromOperand(init))
    return true;
  auto fill = init->get().getDefiningOp<linalg::FillOp>();
  return fill && isOutside(fill.getInputs()[0]);
}

/// Results of all steps are written and read once more, from memory if they are
/// many: that has to take less than the arithmetic.
bool Hoister::pays(linalg::LinalgOp op) {
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  double stream = hw.getNumber("device.stream").value_or(0);
  double rate = hw.getNumber("fma.f32.rate").value_or(0);
  double operations = 2;
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  for (auto [loop, extent] : llvm::enumerate(op.getStaticLoopRanges())) {
    if (iterators[loop] != utils::IteratorType::reduction)
      continue;
    if (ShapedType::isDynamic(extent))
      return false;
    operations *= double(extent);
  }
  if (stream <= 0 || rate <= 0 || !element.isIntOrFloat())
    return false;
  double bytes = 2.0 * std::max(8u, element.getIntOrFloatBitWidth()) / 8;
  return bytes / stream < operations / rate;
}

/// Whether what walks one loop has one extent, as far as is known in front of
/// the loop.
bool Hoister::haveEqualExtents(linalg::LinalgOp op, ArrayRef<Value> inputs,
                               ArrayRef<AffineMap> maps) {
  SmallVector<SizeExpr> extents(op.getNumLoops() + 1);
  for (auto [input, map] : llvm::zip(inputs, maps)) {
    if (!isa<RankedTensorType>(input.getType()))
      continue;
    for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
      SizeExpr &extent = extents[cast<AffineDimExpr>(expr).getPosition()];
      SizeExpr other = sizes.getDim(input, dim);
      if (extent && !isEqual(extent, other, loop))
        return false;
      extent = other;
    }
  }
  return llvm::all_of(extents, [](SizeExpr extent) { return !!extent; });
}

/// Puts `op` of all steps in front of the loop if its inputs are there.
bool Hoister::hoist(linalg::LinalgOp op) {
  if (op.hasIndexSemantics() || !startsAnew(op))
    return false;
  MLIRContext *context = op.getContext();
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  AffineExpr step = getAffineDimExpr(0, context);
  bool steps = false;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (!map.isProjectedPermutation())
      return false;
    map = map.shiftDims(1);
    Value all = op.isDpsInput(&operand) ? getSteps(operand.get()) : Value();
    if (all || op.isDpsInit(&operand))
      map = map.insertResult(step, 0);
    maps.push_back(map);
    if (op.isDpsInit(&operand))
      continue;
    if (!all && !isOutside(operand.get()))
      return false;
    steps |= all != nullptr;
    inputs.push_back(all ? all : operand.get());
  }
  bool captures = false;
  op->getRegion(0).walk([&](Operation *inner) {
    for (Value value : inner->getOperands())
      captures |= !op->isAncestor(value.getParentBlock()->getParentOp()) &&
                  !isOutside(value);
  });
  if (!steps || captures || !haveEqualExtents(op, inputs, maps))
    return false;

  rewriter.setInsertionPoint(loop);
  Location loc = op.getLoc();
  SmallVector<OpFoldResult> shape;
  for (AffineExpr expr : maps.back().getResults())
    for (auto [input, map] : llvm::zip(inputs, maps))
      if (std::optional<unsigned> dim = map.getResultPosition(expr)) {
        shape.push_back(tensor::getMixedSize(rewriter, loc, input, *dim));
        break;
      }
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  Value init =
      tensor::EmptyOp::create(rewriter, loc, shape, type.getElementType());
  if (auto fill = op.getDpsInits()[0].getDefiningOp<linalg::FillOp>();
      fill && op.payloadUsesValueFromOperand(op.getDpsInitOperand(0)))
    init = linalg::FillOp::create(rewriter, loc, fill.getInputs(), init)
               .getResult(0);
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  iterators.insert(iterators.begin(), utils::IteratorType::parallel);
  linalg::GenericOp all = rebuild(rewriter, op, inputs, init, maps, iterators);
  rewriter.setInsertionPoint(op);
  SmallVector<OpFoldResult> offsets(shape.size(), rewriter.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(shape.size(), rewriter.getIndexAttr(1));
  offsets[0] = loop.getInductionVar();
  shape[0] = rewriter.getIndexAttr(1);
  Value one = tensor::ExtractSliceOp::create(
      rewriter, loc,
      tensor::ExtractSliceOp::inferCanonicalRankReducedResultType(
          type.getRank(), cast<RankedTensorType>(init.getType()), shape),
      all->getResult(0), offsets, shape, strides);
  hoisted[one] = all->getResult(0);
  if (one.getType() != type)
    one = tensor::CastOp::create(rewriter, loc, type, one);
  rewriter.replaceAllUsesWith(op->getResult(0), one);
  replaced.insert(op);
  return true;
}

unsigned Hoister::run() {
  if (!isConstantIntValue(loop.getLowerBound(), 0) ||
      !isConstantIntValue(loop.getStep(), 1))
    return 0;
  unsigned products = 0;
  auto follows = [&](linalg::LinalgOp op) {
    return op.getNumReductionLoops() == 0 &&
           llvm::any_of(op.getDpsInputs(),
                        [&](Value input) { return hoisted.contains(input); });
  };
  for (Operation &inner : llvm::make_early_inc_range(*loop.getBody())) {
    auto op = dyn_cast<linalg::LinalgOp>(&inner);
    if (!op || !op.hasPureTensorSemantics() || op->getNumResults() != 1)
      continue;
    bool isProduct = linalg::isaContractionOpInterface(op);
    if (!(isProduct ? pays(op) : follows(op)) || !hoist(op) || !isProduct)
      continue;
    ++products;
    remark::passed(op.getLoc(),
                   remark::RemarkOpts::name("hoist").category(DEBUG_TYPE))
        << "the products of all steps are one in front of the loop";
  }
  return products;
}

namespace {
struct HoistProductsPass : vortex::impl::HoistProductsBase<HoistProductsPass> {
  void runOnOperation() override {
    (void)forEachFunction(getOperation(), [&](FunctionOpInterface function) {
      SmallVector<HwAttr> targets = getTargets(function);
      SmallVector<scf::ForOp> loops;
      function->walk([&](scf::ForOp loop) {
        if (!isInKernel(loop))
          loops.push_back(loop);
      });
      if (targets.empty() || loops.empty())
        return success();
      SizeAnalysis sizes(function);
      SetVector<Operation *> replaced;
      for (scf::ForOp loop : loops)
        numHoisted += Hoister(loop, sizes, targets.front(), replaced).run();
      // The analysis knows values by their addresses.
      for (Operation *op : llvm::reverse(replaced.getArrayRef()))
        if (op->use_empty())
          op->erase();
      return success();
    });
  }
};
} // namespace
