//===- SizesOfValues.cpp - Values as expressions --------------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Dialect/Vortex/Analysis/SizeAnalysis.h"
#include "vortex/Dialect/Vortex/IR/DimIndex.h"
#include "vortex/Dialect/Vortex/IR/VortexDialect.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace vortex;

/// Of index and of integers that a word holds; none of others. An i1 is a truth
/// value.
static std::optional<unsigned> getWidth(Type type) {
  if (type.isIndex())
    return 64;
  auto integer = dyn_cast<IntegerType>(type);
  return integer && integer.isSignless() && integer.getWidth() > 1 &&
                 integer.getWidth() <= 64
             ? std::optional(integer.getWidth())
             : std::nullopt;
}

SizeExpr SizeAnalysis::remember(Key key,
                                llvm::function_ref<SizeExpr()> compute) {
  // Empty while it is being computed, so that a cycle ends.
  auto [it, added] = known.try_emplace(key);
  if (!added)
    return it->second;
  order.push_back(key);
  SizeExpr result = compute();
  if (!result) {
    SizeRange range{0, std::nullopt};
    if (key.second < 0)
      range = SizeRange::ofWidth(*getWidth(key.first.getType()));
    else
      range.max = SizeRange::ofWidth(64).max;
    result = opaque(key, range);
  }
  return known[key] = result;
}

SizeExpr SizeAnalysis::opaque(Key key, SizeRange range, StringRef name) {
  std::string text =
      name.empty() ? "s" + std::to_string(counter++) : name.str();
  SizeExpr symbol = context.symbol(text, range);
  origins[symbol] = {key.first, key.second};
  return symbol;
}

SizeExpr SizeAnalysis::get(Value number) {
  if (!getWidth(number.getType()))
    return {};
  return remember({number, -1}, [&] { return computeNumber(number); });
}

SizeExpr SizeAnalysis::get(OpFoldResult number) {
  if (auto value = dyn_cast<Value>(number))
    return get(value);
  auto constant = dyn_cast<IntegerAttr>(cast<Attribute>(number));
  return constant ? context.constant(constant.getInt()) : SizeExpr();
}

SizeExpr SizeAnalysis::getDim(Value shaped, int64_t dim) {
  auto type = dyn_cast<ShapedType>(shaped.getType());
  if (!type || !type.hasRank() || dim < 0 || dim >= type.getRank())
    return {};
  if (!type.isDynamicDim(dim))
    return context.constant(type.getDimSize(dim));
  return remember({shaped, dim}, [&] { return computeDim(shaped, dim); });
}

std::optional<SizeAnalysis::Origin>
SizeAnalysis::getOrigin(SizeExpr symbol) const {
  auto it = origins.find(symbol);
  return it == origins.end() ? std::nullopt : std::optional(it->second);
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// `x` as a number of `type`: what is computed modulo a power of two is kept as
/// it is where it fits.
SizeExpr SizeAnalysis::fit(SizeExpr x, Type type, bool cannotWrap) {
  unsigned width = *getWidth(type);
  if (!x || cannotWrap)
    return x;
  if (width == 64)
    return context.wrap(x);
  return context.range(x).isWithin(SizeRange::ofWidth(width)) ? x : SizeExpr();
}

SizeExpr SizeAnalysis::computeNumber(Value number) {
  APInt constant;
  if (matchPattern(number, m_ConstantInt(&constant)))
    return context.constant(constant.getSExtValue());
  if (auto argument = dyn_cast<BlockArgument>(number)) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (isa_and_present<FunctionOpInterface>(parent) &&
        argument.getOwner()->isEntryBlock())
      return opaque({number, -1},
                    SizeRange::ofWidth(*getWidth(number.getType())),
                    ("arg" + Twine(argument.getArgNumber())).str());
    if (auto kernel = dyn_cast_if_present<KernelOp>(parent))
      return computeKernelArgument(kernel, argument);
    auto loop = dyn_cast_if_present<scf::ForOp>(parent);
    if (!loop || number != loop.getInductionVar() || loop.getUnsignedCmp())
      return {};
    // The body runs from the lower bound to below the upper one.
    SizeRange low = context.range(get(loop.getLowerBound())),
              high = context.range(get(loop.getUpperBound()));
    SizeRange range = SizeRange::ofWidth(*getWidth(number.getType()));
    if (low.min)
      range.min = low.min;
    if (high.max && *high.max > INT64_MIN)
      range.max = *high.max - 1;
    return range.isEmpty() ? SizeExpr() : opaque({number, -1}, range);
  }
  Operation *op = number.getDefiningOp();
  if (auto dim = dyn_cast<ShapedDimOpInterface>(op)) {
    std::optional<int64_t> index = getDimIndex(dim);
    return index ? getDim(dim.getShapedValue(), *index) : SizeExpr();
  }
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return common(branch, cast<OpResult>(number).getResultNumber(),
                  [&](Value v) { return get(v); });
  if (isa<linalg::IndexOp>(op))
    return opaque({number, -1}, {0, SizeRange::ofWidth(64).max});
  if (isa<affine::AffineApplyOp, affine::AffineMinOp, affine::AffineMaxOp>(op))
    return computeAffine(op);
  if (isa<arith::SelectOp>(op))
    return computeSelect(op);
  if (auto extract = dyn_cast<tensor::ExtractOp>(op))
    if (extract.getIndices().size() == 1)
      if (auto at = getConstantIntValue(extract.getIndices()[0]))
        return getElement(extract.getTensor(), *at);
  return op->getNumResults() == 1 ? computeArith(op) : SizeExpr();
}

/// An element of a tensor of one dimension, as shapes are given to reshapes.
SizeExpr SizeAnalysis::getElement(Value tensor, int64_t position) {
  if (auto elements = tensor.getDefiningOp<tensor::FromElementsOp>())
    if (elements.getType().getRank() == 1 && position >= 0 &&
        position < int64_t(elements.getElements().size()))
      return get(elements.getElements()[position]);
  DenseIntElementsAttr constant;
  if (matchPattern(tensor, m_Constant(&constant)) && position >= 0 &&
      position < constant.getNumElements() &&
      getWidth(constant.getElementType()))
    return context.constant(
        constant.getValues<APInt>()[position].getSExtValue());
  return {};
}

SizeExpr SizeAnalysis::computeArith(Operation *op) {
  if (op->getName().getDialectNamespace() != "arith" ||
      op->getNumOperands() == 0)
    return {};
  if (isa<arith::ExtUIOp>(op) && op->getOperand(0).getType().isInteger(1))
    return opaque({op->getResult(0), -1}, {0, 1});
  SmallVector<SizeExpr, 2> in;
  for (Value operand : op->getOperands()) {
    in.push_back(get(operand));
    if (!in.back())
      return {};
  }
  Type type = op->getResult(0).getType();
  if (!getWidth(type))
    return {};
  SizeExpr x = in[0], y = in.size() > 1 ? in[1] : SizeExpr();
  bool isWider = *getWidth(type) >= *getWidth(op->getOperand(0).getType());
  bool exact = false;
  if (auto flags = dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(op))
    exact = flags.hasNoSignedWrap();
  auto isCount = [&](SizeExpr e) {
    return context.range(e).min.value_or(-1) >= 0;
  };
  bool counts = isCount(x) && (!y || isCount(y));
  auto ifCounts = [&](SizeExpr e) { return counts ? e : SizeExpr(); };
  return llvm::TypeSwitch<Operation *, SizeExpr>(op)
      .Case<arith::AddIOp>(
          [&](auto) { return fit(context.add(x, y), type, exact); })
      .Case<arith::SubIOp>(
          [&](auto) { return fit(context.sub(x, y), type, exact); })
      .Case<arith::MulIOp>(
          [&](auto) { return fit(context.mul(x, y), type, exact); })
      // The quotient of the least number and -1 has no value here either.
      .Case<arith::FloorDivSIOp>([&](auto) { return context.floorDiv(x, y); })
      .Case<arith::CeilDivSIOp>([&](auto) { return context.ceilDiv(x, y); })
      // Towards zero is down, and bits are numbers, for counts.
      .Case<arith::DivSIOp, arith::DivUIOp>(
          [&](auto) { return ifCounts(context.floorDiv(x, y)); })
      .Case<arith::CeilDivUIOp>(
          [&](auto) { return ifCounts(context.ceilDiv(x, y)); })
      .Case<arith::RemSIOp, arith::RemUIOp>(
          [&](auto) { return ifCounts(context.mod(x, y)); })
      .Case<arith::MinSIOp>([&](auto) { return context.min(x, y); })
      .Case<arith::MaxSIOp>([&](auto) { return context.max(x, y); })
      .Case<arith::MinUIOp>(
          [&](auto) { return x == y ? x : ifCounts(context.min(x, y)); })
      .Case<arith::MaxUIOp>(
          [&](auto) { return x == y ? x : ifCounts(context.max(x, y)); })
      .Case<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>([&](auto) {
        auto by = y.getConstant();
        if (!by || *by < 0 || *by > 62 || *by >= int64_t(*getWidth(type)))
          return SizeExpr();
        SizeExpr power = context.constant(int64_t(1) << *by);
        if (isa<arith::ShLIOp>(op))
          return fit(context.mul(x, power), type, exact);
        bool isSigned = isa<arith::ShRSIOp>(op);
        return isSigned || isCount(x) ? context.floorDiv(x, power) : SizeExpr();
      })
      .Case<arith::IndexCastOp, arith::TruncIOp, arith::ExtSIOp>(
          [&](auto) { return fit(x, type, isWider); })
      .Case<arith::IndexCastUIOp, arith::ExtUIOp>(
          [&](auto) { return isCount(x) ? fit(x, type, isWider) : SizeExpr(); })
      .Default([&](Operation *) { return SizeExpr(); });
}

SizeExpr SizeAnalysis::computeSelect(Operation *op) {
  auto select = cast<arith::SelectOp>(op);
  SizeExpr x = get(select.getTrueValue()), y = get(select.getFalseValue());
  if (!x || !y || x == y)
    return x == y ? x : SizeExpr();
  Answer known = decide(select.getCondition(), Scope(context));
  if (known != Answer::Unknown)
    return known == Answer::Yes ? x : y;
  if (auto compare = select.getCondition().getDefiningOp<arith::CmpIOp>()) {
    SizeExpr p = get(compare.getLhs()), q = get(compare.getRhs());
    using Predicate = arith::CmpIPredicate;
    bool greater = compare.getPredicate() == Predicate::sgt ||
                   compare.getPredicate() == Predicate::sge;
    bool less = compare.getPredicate() == Predicate::slt ||
                compare.getPredicate() == Predicate::sle;
    if ((greater || less) && x == p && y == q)
      return greater ? context.max(x, y) : context.min(x, y);
    if ((greater || less) && x == q && y == p)
      return greater ? context.min(x, y) : context.max(x, y);
  }
  SizeRange range = SizeRange::ofWidth(*getWidth(op->getResult(0).getType()));
  return opaque({op->getResult(0), -1},
                range.intersect(context.range(x).join(context.range(y))));
}

SizeExpr SizeAnalysis::computeAffine(Operation *op) {
  AffineMap map = op->getAttrOfType<AffineMapAttr>("map").getValue();
  SmallVector<SizeExpr> in;
  for (Value operand : op->getOperands())
    in.push_back(get(operand));
  std::function<SizeExpr(AffineExpr)> convert =
      [&](AffineExpr expr) -> SizeExpr {
    if (auto constant = dyn_cast<AffineConstantExpr>(expr))
      return context.constant(constant.getValue());
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      return in[dim.getPosition()];
    if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
      return in[map.getNumDims() + symbol.getPosition()];
    auto binary = cast<AffineBinaryOpExpr>(expr);
    SizeExpr x = convert(binary.getLHS()), y = convert(binary.getRHS());
    switch (expr.getKind()) {
    case AffineExprKind::Add:
      return context.wrap(context.add(x, y));
    case AffineExprKind::Mul:
      return context.wrap(context.mul(x, y));
    case AffineExprKind::FloorDiv:
      return context.floorDiv(x, y);
    case AffineExprKind::CeilDiv:
      return context.ceilDiv(x, y);
    case AffineExprKind::Mod:
      return context.mod(x, y);
    default:
      return {};
    }
  };
  SizeExpr result;
  for (AffineExpr expr : map.getResults()) {
    SizeExpr here = convert(expr);
    if (!here)
      return {};
    result = !result                        ? here
             : isa<affine::AffineMinOp>(op) ? context.min(result, here)
                                            : context.max(result, here);
  }
  return result;
}

/// What all ways through a branch give, if it is one size.
SizeExpr SizeAnalysis::common(Operation *branch, unsigned result,
                              llvm::function_ref<SizeExpr(Value)> of) {
  SizeExpr value;
  for (Region &region : branch->getRegions()) {
    if (region.empty())
      return {};
    SizeExpr other = of(region.front().getTerminator()->getOperand(result));
    if (!other || (value && value != other))
      return {};
    value = other;
  }
  return value;
}

/// The operand that an argument of the payload or the candidates stands for;
/// null for an axis.
static Value getKernelOperand(KernelOp kernel, BlockArgument argument) {
  unsigned number = argument.getArgNumber();
  if (argument.getOwner()->getParent() == &kernel.getPayload())
    return kernel->getOperand(number);
  unsigned axes = kernel.getAxes().size();
  return number < axes ? Value() : kernel->getOperand(number - axes);
}

SizeExpr SizeAnalysis::computeKernelArgument(Operation *op,
                                             BlockArgument argument) {
  auto kernel = cast<KernelOp>(op);
  if (Value operand = getKernelOperand(kernel, argument))
    return get(operand);
  // The extent of a loop of the anchor.
  auto anchor = dyn_cast_if_present<linalg::LinalgOp>(kernel.getAnchor());
  if (!anchor)
    return {};
  for (OpOperand &operand : anchor->getOpOperands())
    if (auto dim = anchor.getMatchingIndexingMap(&operand).getResultPosition(
            getAffineDimExpr(argument.getArgNumber(), op->getContext())))
      return getDim(operand.get(), *dim);
  return opaque({argument, -1}, {0, INT64_MAX});
}

//===----------------------------------------------------------------------===//
// Dimensions
//===----------------------------------------------------------------------===//

SizeExpr SizeAnalysis::computeDim(Value shaped, int64_t dim) {
  if (auto argument = dyn_cast<BlockArgument>(shaped)) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (!parent || !argument.getOwner()->isEntryBlock())
      return {};
    if (isa<FunctionOpInterface>(parent))
      return computeArgumentDim(argument, dim);
    if (auto kernel = dyn_cast<KernelOp>(parent))
      return getDim(getKernelOperand(kernel, argument), dim);
    if (auto loop = dyn_cast<scf::ForallOp>(parent))
      return getDim(loop.getTiedOpOperand(argument)->get(), dim);
    return computeCarriedDim(argument, dim);
  }
  return computeResultDim(cast<OpResult>(shaped), dim);
}

std::optional<SmallVector<Operation *>>
SizeAnalysis::getCalls(FunctionOpInterface function) {
  auto symbol = dyn_cast<SymbolOpInterface>(function.getOperation());
  Operation *module = function->getParentOp();
  if (!symbol || !symbol.isPrivate() || !module || !root->isAncestor(module))
    return std::nullopt;
  auto uses = SymbolTable::getSymbolUses(function, module);
  if (!uses)
    return std::nullopt;
  SmallVector<Operation *> calls;
  for (SymbolTable::SymbolUse use : *uses) {
    if (!isa<func::CallOp>(use.getUser()))
      return std::nullopt;
    calls.push_back(use.getUser());
  }
  return calls;
}

SizeExpr SizeAnalysis::computeArgumentDim(BlockArgument argument, int64_t dim) {
  auto function = cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  unsigned number = argument.getArgNumber();
  std::string name = ("arg" + Twine(number) + ".dim" + Twine(dim)).str();
  if (auto calls = getCalls(function); calls && !calls->empty()) {
    // One of the sizes that calls give.
    std::optional<SizeRange> range;
    std::optional<SizeExpr> same;
    for (Operation *call : *calls) {
      SizeExpr here = getDim(call->getOperand(number), dim);
      SizeRange bounds = here ? context.range(here) : SizeRange{0, {}};
      range = range ? range->join(bounds) : bounds;
      bool isNumber = here && here.getConstant();
      same = isNumber && (!same || *same == here) ? here : SizeExpr();
    }
    if (*same)
      return *same;
    return opaque({argument, dim}, range->intersect({0, INT64_MAX}), name);
  }
  if (!isEntry(function))
    return opaque({argument, dim}, {0, INT64_MAX}, name);
  declare(function);
  return known.lookup({argument, dim});
}

/// A loop may carry a tensor whose shape changes. That this one keeps its shape
/// is assumed, and then seen at the end of the body.
SizeExpr SizeAnalysis::computeCarriedDim(BlockArgument argument, int64_t dim) {
  auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
  if (!loop || argument == loop.getInductionVar())
    return {};
  SizeExpr init = getDim(loop.getTiedLoopInit(argument)->get(), dim);
  if (!init)
    return {};
  size_t before = order.size();
  known[{argument, dim}] = init;
  if (getDim(loop.getTiedLoopYieldedValue(argument)->get(), dim) == init)
    return init;
  // What followed from the assumption is not known.
  for (Key key : ArrayRef(order).drop_front(before))
    known.erase(key);
  order.truncate(before);
  return {};
}

SizeExpr SizeAnalysis::computeCalledDim(Operation *op, unsigned result,
                                        int64_t dim) {
  auto call = cast<func::CallOp>(op);
  auto callee = dyn_cast_or_null<func::FuncOp>(
      SymbolTable::lookupNearestSymbolFrom(call, call.getCalleeAttr()));
  // A function that is not seen may be replaced by another.
  if (!callee || callee.isExternal() || !callee.getBody().hasOneBlock() ||
      !root->isAncestor(callee) || callee->isProperAncestor(call))
    return {};
  auto end = dyn_cast<func::ReturnOp>(callee.front().getTerminator());
  if (!end)
    return {};
  SizeExpr inside = getDim(end.getOperand(result), dim);
  if (!inside)
    return {};
  // In terms of this call's operands.
  bool isKnown = true;
  SizeExpr here = context.substitute(inside, [&](SizeExpr symbol) -> SizeExpr {
    auto origin = getOrigin(symbol);
    auto argument =
        origin ? dyn_cast<BlockArgument>(origin->value) : BlockArgument();
    SizeExpr same;
    if (argument && argument.getOwner() == &callee.front()) {
      Value operand = call.getOperand(argument.getArgNumber());
      same = origin->dim < 0 ? get(operand) : getDim(operand, origin->dim);
    }
    isKnown &= bool(same);
    return same;
  });
  return isKnown ? here : SizeExpr();
}

SizeExpr SizeAnalysis::computeResultDim(OpResult result, int64_t dim) {
  Operation *op = result.getOwner();
  unsigned number = result.getResultNumber();
  auto dynamicSize = [&](auto sizes) {
    auto type = cast<ShapedType>(result.getType());
    return get(sizes[type.getDynamicDimIndex(dim)]);
  };
  auto sliceSize = [&](auto slice) {
    // The sizes that are left when dimensions of one are dropped.
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    SmallVector<OpFoldResult> sizes = slice.getMixedSizes();
    int64_t left = dim;
    for (auto [i, size] : llvm::enumerate(sizes))
      if (!dropped.test(i) && left-- == 0)
        return get(size);
    return SizeExpr();
  };
  return llvm::TypeSwitch<Operation *, SizeExpr>(op)
      .Case<KernelOp>([&](KernelOp kernel) {
        return getDim(kernel.getInits()[number], dim);
      })
      .Case<DestinationStyleOpInterface>(
          [&](DestinationStyleOpInterface style) {
            return getDim(style.getTiedOpOperand(result)->get(), dim);
          })
      .Case<MatchOp, tensor::CastOp, bufferization::ToTensorOp,
            bufferization::ToBufferOp, memref::CastOp>(
          [&](Operation *same) { return getDim(same->getOperand(0), dim); })
      .Case<tensor::GenerateOp>([&](auto generate) {
        return dynamicSize(generate.getDynamicExtents());
      })
      .Case<tensor::EmptyOp, tensor::SplatOp, memref::AllocOp,
            memref::AllocaOp>(
          [&](auto made) { return dynamicSize(made.getDynamicSizes()); })
      .Case<tensor::ExpandShapeOp>([&](tensor::ExpandShapeOp expand) {
        return get(expand.getMixedOutputShape()[dim]);
      })
      .Case<tensor::CollapseShapeOp>([&](tensor::CollapseShapeOp collapse) {
        SizeExpr product = context.constant(1);
        ReassociationIndices group = collapse.getReassociationIndices()[dim];
        for (int64_t d : group)
          product = context.mul(product, getDim(collapse.getSrc(), d));
        return context.wrap(product);
      })
      .Case<tensor::ReshapeOp>([&](tensor::ReshapeOp reshape) {
        return getElement(reshape.getShape(), dim);
      })
      .Case<tensor::ExtractSliceOp, memref::SubViewOp>(sliceSize)
      .Case<tensor::PadOp>([&](tensor::PadOp pad) {
        SizeExpr size = getDim(pad.getSource(), dim);
        size = context.add(size, get(pad.getMixedLowPad()[dim]));
        return context.wrap(context.add(size, get(pad.getMixedHighPad()[dim])));
      })
      .Case<tensor::ConcatOp>([&](tensor::ConcatOp concat) {
        SizeExpr sum = getDim(concat.getInputs()[0], dim);
        if (dim == int64_t(concat.getDim()))
          for (Value input : concat.getInputs().drop_front())
            sum = context.add(sum, getDim(input, dim));
        return context.wrap(sum);
      })
      .Case<scf::ForOp>([&](scf::ForOp loop) {
        SizeExpr carried = getDim(loop.getRegionIterArg(number), dim),
                 init = getDim(loop.getInits()[number], dim);
        return carried == init ? init : SizeExpr();
      })
      .Case<scf::ForallOp>([&](scf::ForallOp loop) {
        return getDim(loop.getOutputs()[number], dim);
      })
      .Case<scf::IfOp, scf::IndexSwitchOp>([&](Operation *branch) {
        return common(branch, number, [&](Value v) { return getDim(v, dim); });
      })
      .Case<arith::SelectOp>([&](arith::SelectOp select) {
        SizeExpr x = getDim(select.getTrueValue(), dim),
                 y = getDim(select.getFalseValue(), dim);
        return x == y ? x : SizeExpr();
      })
      .Case<func::CallOp>(
          [&](Operation *call) { return computeCalledDim(call, number, dim); })
      .Default([&](Operation *) {
        if (OpTrait::hasElementwiseMappableTraits(op))
          for (Value operand : op->getOperands())
            if (isa<RankedTensorType>(operand.getType()))
              return getDim(operand, dim);
        return SizeExpr();
      });
}
