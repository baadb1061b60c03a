//===- CheckSizes.cpp - Sizes that ops need to agree ----------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each op says which sizes it needs to be what others are. What is not checked
// at the call and the analysis of sizes does not prove is asserted in
// front of the outermost loop that leaves the sizes alone, "or the loop has no
// step", else in front of the op.
//
//===----------------------------------------------------------------------===//

#include "Scope.h"

#include "vortex/Dialect/Vortex/Analysis/SizeAnalysis.h"
#include "vortex/Dialect/Vortex/IR/AccessWindow.h"
#include "vortex/Dialect/Vortex/IR/KnownSize.h"
#include "vortex/Dialect/Vortex/Transforms/Passes.h"
#include "vortex/Graph/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/DenseSet.h"

namespace vortex {
#define GEN_PASS_DEF_CHECKSIZES
#include "vortex/Graph/Passes.h.inc"
} // namespace vortex

using namespace mlir;
using namespace vortex;

namespace {
/// A dimension of an operand.
struct Extent {
  Value shaped;
  int64_t dim;
  unsigned operand;
  SizeExpr size;
};

/// `size` is `terms[0]`, or with strides at least what a window over loops of
/// these extents reaches: (terms[0] - 1) * strides[0] + ... + 1.
struct Need {
  Extent size;
  SmallVector<Extent, 1> terms;
  SmallVector<int64_t, 0> strides;
};

class Checker {
public:
  Checker(FunctionOpInterface function, SizeAnalysis &sizes)
      : function(function), sizes(sizes), dominance(function) {}
  void run();

  unsigned checks = 0, hoisted = 0;

private:
  using Key = std::pair<void *, std::pair<SizeExpr, SizeExpr>>;

  Extent extentOf(Value shaped, int64_t dim, unsigned operand) {
    return {shaped, dim, operand, sizes.getDim(shaped, dim)};
  }
  bool isCheckedAtCall(Operation *op, const Need &what);
  void visit(Operation *op);
  void visitLinalg(linalg::LinalgOp op);
  void needEqual(Operation *op, Extent left, Extent right);
  void needEqualShapes(Operation *op, unsigned left, unsigned right,
                       int64_t except = -1);
  void need(Operation *op, const Need &what);
  bool holds(Operation *op, const Need &what);
  Value originOf(const Extent &extent, Operation *place, int64_t &dim);
  Operation *findPlace(Operation *op, const Need &what,
                       SmallVectorImpl<LoopLikeOpInterface> &around);
  Value emitExtent(ImplicitLocOpBuilder &b, const Extent &extent,
                   Operation *place);
  Value emitCondition(ImplicitLocOpBuilder &b, const Need &what,
                      Operation *place);
  std::string explain(Operation *op, const Need &what);

  FunctionOpInterface function;
  SizeAnalysis &sizes;
  DominanceInfo dominance;
  DenseSet<Key> done;
};
} // namespace

/// The run time checks what ops of a public function's first block need of
/// sizes that are known at the call.
bool Checker::isCheckedAtCall(Operation *op, const Need &what) {
  auto symbol = dyn_cast<SymbolOpInterface>(function.getOperation());
  Block &entry = function.getFunctionBody().front();
  auto known = [&](const Extent &extent) {
    return findKnownSize(extent.shaped, extent.dim, entry).has_value();
  };
  return op->getBlock() == &entry && (!symbol || symbol.isPublic()) &&
         known(what.size) && llvm::all_of(what.terms, known);
}

//===----------------------------------------------------------------------===//
// What ops need
//===----------------------------------------------------------------------===//

void Checker::needEqual(Operation *op, Extent left, Extent right) {
  need(op, {left, {right}, {}});
}

void Checker::needEqualShapes(Operation *op, unsigned left, unsigned right,
                              int64_t except) {
  auto x = dyn_cast<ShapedType>(op->getOperand(left).getType());
  auto y = dyn_cast<ShapedType>(op->getOperand(right).getType());
  if (!x || !y || !x.hasRank() || !y.hasRank() || x.getRank() != y.getRank())
    return;
  for (int64_t d = 0; d < x.getRank(); ++d)
    if (d != except)
      needEqual(op, extentOf(op->getOperand(left), d, left),
                extentOf(op->getOperand(right), d, right));
}

/// Operands that share a loop have one size along it.
void Checker::visitLinalg(linalg::LinalgOp op) {
  SmallVector<std::optional<Extent>> loops(op.getNumLoops());
  SmallVector<std::pair<Extent, AffineExpr>> windows;
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<ShapedType>(operand.get().getType());
    if (!type || !type.hasRank())
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
      Extent extent = extentOf(operand.get(), dim, operand.getOperandNumber());
      auto loop = dyn_cast<AffineDimExpr>(expr);
      if (!loop)
        windows.emplace_back(extent, expr);
      else if (auto &first = loops[loop.getPosition()])
        needEqual(op, *first, extent);
      else
        first = extent;
    }
  }
  for (auto &[extent, expr] : windows) {
    SmallVector<std::pair<unsigned, int64_t>> walked;
    if (!getWindow(expr, walked))
      continue;
    Need what{extent, {}, {}};
    for (auto [loop, stride] : walked)
      if (loops[loop]) {
        what.terms.push_back(*loops[loop]);
        what.strides.push_back(stride);
      }
    if (what.terms.size() == walked.size())
      need(op, what);
  }
}

void Checker::visit(Operation *op) {
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return visitLinalg(linalgOp);
  if (isa<memref::CopyOp, linalg::SoftmaxOp>(op))
    return needEqualShapes(op, 0, 1);
  if (auto concat = dyn_cast<tensor::ConcatOp>(op)) {
    for (unsigned i = 1; i < op->getNumOperands(); ++i)
      needEqualShapes(op, 0, i, concat.getDim());
    return;
  }
  bool elementwise = isElementwiseOnTensors(op);
  for (unsigned i = 1; elementwise && i < op->getNumOperands(); ++i)
    needEqualShapes(op, 0, i);
}

//===----------------------------------------------------------------------===//
// Where it is checked
//===----------------------------------------------------------------------===//

bool Checker::holds(Operation *op, const Need &what) {
  if (!what.size.size ||
      llvm::any_of(what.terms, [](const Extent &x) { return !x.size; }))
    return false;
  const SizeFacts &facts = sizes.getFactsAt(op);
  if (what.strides.empty())
    return facts.areEqual(what.size.size, what.terms[0].size) == Answer::Yes;
  SizeContext &context = sizes.getContext();
  SizeExpr one = context.constant(1), reach = one;
  for (auto [term, stride] : llvm::zip(what.terms, what.strides))
    reach =
        context.add(reach, context.mul(context.sub(term.size, one), stride));
  return facts.isLessOrEqual(reach, what.size.size) == Answer::Yes;
}

/// Where a size comes from: values get no further uses for being asked. The
/// number itself has dimension -1.
static std::pair<Value, int64_t> followSize(Value shaped, int64_t dim) {
  while (Operation *op = shaped.getDefiningOp()) {
    if (!cast<ShapedType>(shaped.getType()).isDynamicDim(dim))
      break;
    if (auto empty = dyn_cast<tensor::EmptyOp>(op))
      return {empty.getDynamicSize(dim), -1};
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op);
        slice && slice.getType().getRank() == slice.getSourceType().getRank()) {
      if (auto size = dyn_cast<Value>(slice.getMixedSizes()[dim]))
        return {size, -1};
      break;
    }
    if (auto castOp = dyn_cast<tensor::CastOp>(op))
      shaped = castOp.getSource();
    else if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
      shaped = linalgOp.getTiedOpOperand(cast<OpResult>(shaped))->get();
    else
      break;
  }
  return {shaped, dim};
}

/// A value that has the extent, or whose dimension `dim` has it, and that is
/// there at `place`; null when there is none.
Value Checker::originOf(const Extent &extent, Operation *place, int64_t &dim) {
  if (extent.size)
    if (auto origin = extent.size.isSymbol() ? sizes.getOrigin(extent.size)
                                             : std::nullopt;
        origin && dominance.properlyDominates(origin->value, place)) {
      dim = origin->dim;
      return origin->value;
    }
  auto [from, fromDim] = followSize(extent.shaped, extent.dim);
  dim = fromDim;
  return dominance.properlyDominates(from, place) ? from : Value();
}

/// The bounds of a loop that has steps where each upper bound is above the
/// lower one; false for other loops.
static bool getBounds(LoopLikeOpInterface loop,
                      SmallVectorImpl<OpFoldResult> &lower,
                      SmallVectorImpl<OpFoldResult> &upper) {
  if (!isa<scf::ForOp, scf::ForallOp, scf::ParallelOp>(loop))
    return false;
  lower = *loop.getLoopLowerBounds();
  upper = *loop.getLoopUpperBounds();
  return true;
}

/// The op in front of which the need is checked: `op`, or a loop around whose
/// body decides nothing of it. `around` gets the loops left that may have no
/// step.
Operation *Checker::findPlace(Operation *op, const Need &what,
                              SmallVectorImpl<LoopLikeOpInterface> &around) {
  auto isThere = [&](Operation *place) {
    auto known = [&](const Extent &extent) {
      int64_t dim;
      return (extent.size && extent.size.getConstant()) ||
             originOf(extent, place, dim);
    };
    auto bound = [&](OpFoldResult number) {
      auto value = dyn_cast<Value>(number);
      return !value || dominance.properlyDominates(value, place);
    };
    return known(what.size) && llvm::all_of(what.terms, known) &&
           llvm::all_of(around, [&](LoopLikeOpInterface loop) {
             SmallVector<OpFoldResult> lower, upper;
             getBounds(loop, lower, upper);
             return llvm::all_of(lower, bound) && llvm::all_of(upper, bound);
           });
  };
  Operation *place = op;
  while (true) {
    Operation *parent = place->getParentOp();
    if (parent == function || !place->getParentRegion()->hasOneBlock() ||
        !isThere(parent))
      return place;
    SmallVector<OpFoldResult> lower, upper;
    auto loop = dyn_cast<LoopLikeOpInterface>(parent);
    auto condition = dyn_cast<scf::WhileOp>(parent);
    if (condition && place->getParentRegion() == &condition.getBefore())
      place = parent;
    else if (isa<scf::ExecuteRegionOp, memref::AllocaScopeOp>(parent))
      place = parent;
    else if (loop && getBounds(loop, lower, upper)) {
      around.push_back(loop);
      if (!isThere(parent)) {
        around.pop_back();
        return place;
      }
      place = parent;
    } else
      return place;
  }
}

Value Checker::emitExtent(ImplicitLocOpBuilder &b, const Extent &extent,
                          Operation *place) {
  if (std::optional<int64_t> constant =
          extent.size ? extent.size.getConstant() : std::nullopt)
    return arith::ConstantIndexOp::create(b, *constant);
  int64_t dim;
  Value origin = originOf(extent, place, dim);
  if (dim < 0)
    return getValueOrCreateCastToIndexLike(b, b.getLoc(), b.getIndexType(),
                                           origin);
  auto type = cast<ShapedType>(origin.getType());
  if (!type.isDynamicDim(dim))
    return arith::ConstantIndexOp::create(b, type.getDimSize(dim));
  if (isa<MemRefType>(origin.getType()))
    return memref::DimOp::create(b, origin, dim);
  return tensor::DimOp::create(b, origin, dim);
}

Value Checker::emitCondition(ImplicitLocOpBuilder &b, const Need &what,
                             Operation *place) {
  Value size = emitExtent(b, what.size, place);
  auto compare = [&](arith::CmpIPredicate predicate, Value x, Value y) {
    return arith::CmpIOp::create(b, predicate, x, y).getResult();
  };
  if (what.strides.empty())
    return compare(arith::CmpIPredicate::eq, size,
                   emitExtent(b, what.terms[0], place));
  // No window is read where a loop has no iteration.
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value one = arith::ConstantIndexOp::create(b, 1);
  Value reach = one, none;
  for (auto [extent, stride] : llvm::zip(what.terms, what.strides)) {
    Value term = emitExtent(b, extent, place);
    Value empty = compare(arith::CmpIPredicate::eq, term, zero);
    none = none ? arith::OrIOp::create(b, none, empty).getResult() : empty;
    Value steps =
        arith::MulIOp::create(b, arith::SubIOp::create(b, term, one),
                              arith::ConstantIndexOp::create(b, stride));
    reach = arith::AddIOp::create(b, reach, steps);
  }
  Value fits = compare(arith::CmpIPredicate::sle, reach, size);
  return arith::OrIOp::create(b, none, fits);
}

/// Where sizes are those of arguments and nothing else, their names say more
/// than the operands of an op do.
std::string Checker::explain(Operation *op, const Need &what) {
  SizeContext &context = sizes.getContext();
  bool named = true;
  auto sayNamed = [&](const Extent &extent) {
    llvm::SetVector<SizeExpr> symbols;
    if (extent.size)
      context.collectSymbols(extent.size, symbols);
    named &= bool(extent.size);
    for (SizeExpr symbol : symbols) {
      auto origin = sizes.getOrigin(symbol);
      auto argument =
          origin ? dyn_cast<BlockArgument>(origin->value) : BlockArgument();
      named &= argument &&
               argument.getOwner() == &function.getFunctionBody().front();
    }
    return extent.size ? context.str(extent.size) : "";
  };
  auto sayOperand = [](const Extent &extent) {
    return ("dimension " + Twine(extent.dim) + " of operand " +
            Twine(extent.operand))
        .str();
  };
  auto relation = [&](auto say) {
    std::string text = say(what.size);
    if (what.strides.empty())
      return text + " == " + say(what.terms[0]);
    text += " >= ";
    for (auto [term, stride] : llvm::zip(what.terms, what.strides))
      text += "(" + say(term) + " - 1)" +
              (stride == 1 ? "" : " * " + std::to_string(stride)) + " + ";
    return text + "1";
  };
  std::string text = relation(sayNamed);
  if (!named)
    text = relation(sayOperand);
  return "'" + text + "', which " + op->getName().getStringRef().str() +
         " needs, does not hold";
}

void Checker::need(Operation *op, const Need &what) {
  auto isStatic = [](const Extent &extent) {
    return !cast<ShapedType>(extent.shaped.getType()).isDynamicDim(extent.dim);
  };
  if (isStatic(what.size) && llvm::all_of(what.terms, isStatic))
    return;
  if (isCheckedAtCall(op, what) || holds(op, what))
    return;
  SmallVector<LoopLikeOpInterface> around;
  Operation *place = findPlace(op, what, around);
  // One check in a block, or of a loop's body, is for all that follow.
  void *where = !around.empty() ? around.front().getOperation()
                : place != op   ? place
                                : static_cast<void *>(op->getBlock());
  if (what.strides.empty() && what.size.size && what.terms[0].size &&
      !done.insert({where, {what.size.size, what.terms[0].size}}).second)
    return;
  ImplicitLocOpBuilder b(op->getLoc(), place);
  Value condition = emitCondition(b, what, place);
  for (LoopLikeOpInterface loop : around) {
    SmallVector<OpFoldResult> lower, upper;
    getBounds(loop, lower, upper);
    auto forOp = dyn_cast<scf::ForOp>(*loop);
    bool isUnsigned = forOp && forOp.getUnsignedCmp();
    for (auto [from, to] : llvm::zip(lower, upper)) {
      Value none = arith::CmpIOp::create(
          b, isUnsigned ? arith::CmpIPredicate::uge : arith::CmpIPredicate::sge,
          getValueOrCreateConstantIndexOp(b, b.getLoc(), from),
          getValueOrCreateConstantIndexOp(b, b.getLoc(), to));
      condition = arith::OrIOp::create(b, condition, none);
    }
  }
  cf::AssertOp::create(b, condition, explain(op, what));
  ++checks;
  hoisted += place != op;
}

void Checker::run() {
  SmallVector<Operation *> ops;
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<KernelOp, MicroKernelOp>(op))
      return WalkResult::skip();
    if (op != function)
      ops.push_back(op);
    return isa<linalg::LinalgOp>(op) ? WalkResult::skip()
                                     : WalkResult::advance();
  });
  for (Operation *op : ops)
    visit(op);
}

namespace {
struct CheckSizesPass : vortex::impl::CheckSizesBase<CheckSizesPass> {
  void runOnOperation() override {
    SizeAnalysis sizes(getOperation());
    (void)forEachFunction(getOperation(), [&](FunctionOpInterface function) {
      if (function.isExternal())
        return success();
      Checker checker(function, sizes);
      checker.run();
      numChecks += checker.checks;
      numHoisted += checker.hoisted;
      return success();
    });
  }
};
} // namespace
