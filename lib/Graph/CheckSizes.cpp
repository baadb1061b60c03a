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
/// A dimension of an operand, or a number that an op is given.
struct Extent {
  Value shaped; ///< null: `number`, where that is null a constant
  int64_t dim;
  unsigned operand;
  SizeExpr size;
  Value number = {};
  std::string name = {}; ///< of a number, for whoever reads that it is wrong
};

/// `size` is `terms[0]`, or with strides at least what a window over loops of
/// these extents reaches: (terms[0] - 1) * strides[0] + ... + 1. Of products,
/// those of `size` and `factors` and of `terms` are the same, or the former has
/// room for the latter.
struct Need {
  enum Kind { Window, Product, Room };

  Extent size;
  SmallVector<Extent, 1> terms;
  SmallVector<int64_t, 0> strides;
  Kind kind = Window;
  SmallVector<Extent, 0> factors = {};

  bool all(function_ref<bool(const Extent &)> holds) const {
    return holds(size) && llvm::all_of(terms, holds) &&
           llvm::all_of(factors, holds);
  }
};

class Checker {
public:
  Checker(FunctionOpInterface function, SizeAnalysis &sizes)
      : function(function), sizes(sizes), dominance(function) {}
  /// Fails, having said so, where static sizes of an op that a call runs in any
  /// case contradict each other.
  LogicalResult run();

  unsigned checks = 0, hoisted = 0;

private:
  using Key = std::pair<void *, std::pair<SizeExpr, SizeExpr>>;

  Extent extentOf(Value shaped, int64_t dim, unsigned operand) {
    return {shaped, dim, operand, sizes.getDim(shaped, dim)};
  }
  Extent numberOf(OpFoldResult number, std::string name);
  bool leaveToCall(Operation *op, const Need &what);
  void visit(Operation *op);
  void visitLinalg(linalg::LinalgOp op);
  template <typename ExpandOp>
  void visitExpand(ExpandOp op);
  void visitReshape(tensor::ReshapeOp op);
  void visitPack(Operation *op, Value whole, Value tiled,
                 ArrayRef<int64_t> dims, ArrayRef<OpFoldResult> tiles,
                 ArrayRef<int64_t> order, Need::Kind kind);
  void visitInsert(OffsetSizeAndStrideOpInterface op, Value source,
                   const llvm::SmallBitVector &dropped);
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
  Value emitProducts(ImplicitLocOpBuilder &b, const Need &what,
                     Operation *place);
  Value emitCondition(ImplicitLocOpBuilder &b, const Need &what,
                      Operation *place);
  std::string explain(Operation *op, const Need &what);

  FunctionOpInterface function;
  SizeAnalysis &sizes;
  DominanceInfo dominance;
  DenseSet<Key> done;
  SmallVector<std::string> atCall; ///< relations that the run time checks
  bool contradicted = false;
};
} // namespace

/// The run time checks what ops of a public function's first block need of
/// sizes that are known at the call. What it is to check is said here, where
/// calls are inlined and constant branches are gone, so that nothing is left to
/// it that it does not know of.
bool Checker::leaveToCall(Operation *op, const Need &what) {
  auto symbol = dyn_cast<SymbolOpInterface>(function.getOperation());
  Block &entry = function.getFunctionBody().front();
  auto known = [&](const Extent &extent) {
    return findKnownSize(extent.shaped, extent.dim, entry);
  };
  if (what.kind != Need::Window || op->getBlock() != &entry ||
      (symbol && !symbol.isPublic()) || !what.all([&](const Extent &extent) {
        return known(extent).has_value();
      }))
    return false;
  auto terms = llvm::map_to_vector(
      what.terms, [&](const Extent &extent) { return *known(extent); });
  std::string relation =
      describeRelation(*known(what.size), terms, what.strides);
  if (!relation.empty() && !llvm::is_contained(atCall, relation))
    atCall.push_back(std::move(relation));
  return true;
}

Extent Checker::numberOf(OpFoldResult number, std::string name) {
  if (std::optional<int64_t> constant = getConstantIntValue(number))
    return {Value(), 0,
            0,       sizes.getContext().constant(*constant),
            Value(), std::move(name)};
  auto value = cast<Value>(number);
  return {Value(), 0, 0, sizes.get(value), value, std::move(name)};
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

static std::string nameSize(int64_t dim, StringRef of) {
  return ("size " + Twine(dim) + " of " + of).str();
}

/// A dimension is as long as all that it becomes.
template <typename ExpandOp>
void Checker::visitExpand(ExpandOp op) {
  SmallVector<OpFoldResult> shape = op.getMixedOutputShape();
  for (auto [dim, group] : llvm::enumerate(op.getReassociationIndices())) {
    Need what{extentOf(op.getSrc(), dim, 0), {}, {}, Need::Product};
    for (int64_t d : group)
      what.terms.push_back(numberOf(shape[d], nameSize(d, "the result")));
    need(op, what);
  }
}

/// There are as many elements as before.
void Checker::visitReshape(tensor::ReshapeOp op) {
  auto from = dyn_cast<RankedTensorType>(op.getSource().getType());
  auto to = dyn_cast<RankedTensorType>(op.getResult().getType());
  if (!from || !to || (from.hasStaticShape() && to.hasStaticShape()))
    return;
  ImplicitLocOpBuilder b(op.getLoc(), op);
  SmallVector<Extent> before, behind;
  for (int64_t d = 0; d < from.getRank(); ++d)
    before.push_back(extentOf(op.getSource(), d, 0));
  for (int64_t d = 0; d < to.getRank(); ++d) {
    OpFoldResult size = b.getIndexAttr(to.getDimSize(d));
    if (to.isDynamicDim(d))
      size = tensor::ExtractOp::create(
                 b, op.getShape(),
                 ValueRange{arith::ConstantIndexOp::create(b, d)})
                 .getResult();
    behind.push_back(numberOf(size, nameSize(d, "the result")));
  }
  // A scalar has one element.
  for (SmallVector<Extent> *list : {&before, &behind})
    if (list->empty())
      list->push_back(numberOf(b.getIndexAttr(1), ""));
  Need what{before.front(), {}, {}, Need::Product};
  llvm::append_range(what.factors, llvm::drop_begin(before));
  llvm::append_range(what.terms, behind);
  need(op, what);
}

/// Tiles of a dimension hold all of it; without a value for the rest there is
/// none.
void Checker::visitPack(Operation *op, Value whole, Value tiled,
                        ArrayRef<int64_t> dims, ArrayRef<OpFoldResult> tiles,
                        ArrayRef<int64_t> order, Need::Kind kind) {
  if (!isa<RankedTensorType>(whole.getType()) ||
      !isa<RankedTensorType>(tiled.getType()))
    return;
  auto operandOf = [&](Value value) {
    return value == op->getOperand(0) ? 0u : 1u;
  };
  int64_t rank = cast<ShapedType>(whole.getType()).getRank();
  for (int64_t outer = 0; outer < rank; ++outer) {
    int64_t dim = order.empty() ? outer : order[outer];
    Need what{extentOf(tiled, outer, operandOf(tiled)),
              {extentOf(whole, dim, operandOf(whole))},
              {},
              Need::Product};
    if (auto *it = llvm::find(dims, dim); it != dims.end()) {
      what.kind = kind;
      what.factors.push_back(
          numberOf(tiles[it - dims.begin()], nameSize(dim, "a tile")));
    }
    need(op, what);
  }
  // A tile in memory has the size that the op says.
  for (auto [i, tile] : llvm::enumerate(tiles))
    need(op, {extentOf(tiled, rank + i, operandOf(tiled)),
              {numberOf(tile, nameSize(dims[i], "a tile"))},
              {},
              Need::Product});
}

/// What is written is as large as the part that takes it.
void Checker::visitInsert(OffsetSizeAndStrideOpInterface op, Value source,
                          const llvm::SmallBitVector &dropped) {
  int64_t dim = 0;
  for (auto [d, size] : llvm::enumerate(op.getMixedSizes())) {
    if (dropped[d])
      continue;
    need(op, {extentOf(source, dim++, 0),
              {numberOf(size, nameSize(d, "the slice"))},
              {},
              Need::Product});
  }
}

void Checker::visit(Operation *op) {
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return visitExpand(expand);
  if (auto expand = dyn_cast<memref::ExpandShapeOp>(op))
    return visitExpand(expand);
  if (auto reshape = dyn_cast<tensor::ReshapeOp>(op))
    return visitReshape(reshape);
  if (auto pack = dyn_cast<linalg::PackOp>(op))
    return visitPack(op, pack.getSource(), pack.getDest(),
                     pack.getInnerDimsPos(), pack.getMixedTiles(),
                     pack.getOuterDimsPerm(),
                     pack.getPaddingValue() ? Need::Room : Need::Product);
  if (auto unpack = dyn_cast<linalg::UnPackOp>(op))
    return visitPack(op, unpack.getDest(), unpack.getSource(),
                     unpack.getInnerDimsPos(), unpack.getMixedTiles(),
                     unpack.getOuterDimsPerm(), Need::Room);
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
    return visitInsert(insert, insert.getSource(), insert.getDroppedDims());
  if (auto insert = dyn_cast<tensor::ParallelInsertSliceOp>(op))
    return visitInsert(insert, insert.getSource(), insert.getDroppedDims());
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
  if (!what.all([](const Extent &x) { return bool(x.size); }))
    return false;
  const SizeFacts &facts = sizes.getFactsAt(op);
  SizeContext &context = sizes.getContext();
  if (what.kind != Need::Window) {
    SizeExpr left = what.size.size, right = context.constant(1);
    for (const Extent &factor : what.factors)
      left = context.mul(left, factor.size);
    for (const Extent &factor : what.terms)
      right = context.mul(right, factor.size);
    return (what.kind == Need::Product
                ? facts.areEqual(left, right)
                : facts.isLessOrEqual(right, left)) == Answer::Yes;
  }
  if (what.strides.empty())
    return facts.areEqual(what.size.size, what.terms[0].size) == Answer::Yes;
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
  if (!extent.shaped) {
    dim = -1;
    return extent.number && dominance.properlyDominates(extent.number, place)
               ? extent.number
               : Value();
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
    return what.all(known) &&
           llvm::all_of(around, [&](LoopLikeOpInterface loop) {
             SmallVector<OpFoldResult> lower, upper;
             getBounds(loop, lower, upper);
             return llvm::all_of(lower, bound) && llvm::all_of(upper, bound);
           });
  };
  Operation *place = op;
  // What a step hands on is no place for a check.
  if (isa<InParallelOpInterface>(op->getParentOp()))
    place = op->getParentOp();
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

/// Compares products. Numbers may be negative, and so that the product of two
/// is not, or so large that it wraps; sizes are neither.
Value Checker::emitProducts(ImplicitLocOpBuilder &b, const Need &what,
                            Operation *place) {
  Value fits, zero = arith::ConstantIndexOp::create(b, 0);
  auto add = [&](Value condition) {
    fits = fits ? arith::AndIOp::create(b, fits, condition).getResult()
                : condition;
  };
  auto multiply = [&](ArrayRef<Extent> factors) {
    Value product, approximate;
    bool given = llvm::any_of(
        factors, [](const Extent &extent) { return bool(extent.number); });
    for (const Extent &extent : factors) {
      Value value = emitExtent(b, extent, place);
      if (extent.number)
        add(arith::CmpIOp::create(b, arith::CmpIPredicate::sge, value, zero));
      product = product ? arith::MulIOp::create(b, product, value).getResult()
                        : value;
      if (!given || factors.size() < 2)
        continue;
      Value real = arith::SIToFPOp::create(
          b, b.getF64Type(),
          arith::IndexCastOp::create(b, b.getI64Type(), value));
      approximate =
          approximate ? arith::MulFOp::create(b, approximate, real).getResult()
                      : real;
    }
    if (approximate)
      add(arith::CmpFOp::create(
          b, arith::CmpFPredicate::OLT, approximate,
          arith::ConstantFloatOp::create(b, b.getF64Type(), APFloat(0x1p62))));
    return product;
  };
  SmallVector<Extent> left = {what.size};
  llvm::append_range(left, what.factors);
  Value room = multiply(left), taken = multiply(what.terms);
  add(arith::CmpIOp::create(b,
                            what.kind == Need::Product
                                ? arith::CmpIPredicate::eq
                                : arith::CmpIPredicate::sge,
                            room, taken));
  return fits;
}

Value Checker::emitCondition(ImplicitLocOpBuilder &b, const Need &what,
                             Operation *place) {
  if (what.kind != Need::Window)
    return emitProducts(b, what, place);
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
    if (!extent.shaped)
      return extent.number || !extent.size
                 ? extent.name
                 : std::to_string(*extent.size.getConstant());
    return ("dimension " + Twine(extent.dim) + " of operand " +
            Twine(extent.operand))
        .str();
  };
  auto relation = [&](auto say) {
    std::string text = say(what.size);
    if (what.kind != Need::Window) {
      for (const Extent &factor : what.factors)
        text += " * " + say(factor);
      text += what.kind == Need::Product ? " == " : " >= ";
      for (auto [i, factor] : llvm::enumerate(what.terms))
        text += (i ? " * " : "") + say(factor);
      return text;
    }
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
    if (!extent.shaped)
      return !extent.number;
    return !cast<ShapedType>(extent.shaped.getType()).isDynamicDim(extent.dim);
  };
  // Verifiers compare static sizes of an op, but not beside dynamic ones.
  bool equality = what.kind == Need::Window && what.strides.empty();
  if (what.all(isStatic)) {
    if (!equality || holds(op, what))
      return;
    if (op->getBlock() == &function.getFunctionBody().front()) {
      op->emitError(explain(op, what));
      contradicted = true;
      return;
    }
  }
  if (leaveToCall(op, what) || holds(op, what))
    return;
  SmallVector<LoopLikeOpInterface> around;
  Operation *place = findPlace(op, what, around);
  // One check in a block, or of a loop's body, is for all that follow.
  void *where = !around.empty() ? around.front().getOperation()
                : place != op   ? place
                                : static_cast<void *>(op->getBlock());
  if (equality && what.size.size && what.terms[0].size &&
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

LogicalResult Checker::run() {
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
  if (contradicted)
    return failure();
  if (atCall.empty())
    return success();
  auto texts = llvm::to_vector_of<StringRef>(atCall);
  function->setAttr(kCheckedAtCallAttr,
                    Builder(function->getContext()).getStrArrayAttr(texts));
  return success();
}

namespace {
struct CheckSizesPass : vortex::impl::CheckSizesBase<CheckSizesPass> {
  void runOnOperation() override {
    SizeAnalysis sizes(getOperation());
    auto check = [&](FunctionOpInterface function) {
      if (function.isExternal())
        return success();
      Checker checker(function, sizes);
      LogicalResult result = checker.run();
      numChecks += checker.checks;
      numHoisted += checker.hoisted;
      return result;
    };
    if (failed(forEachFunction(getOperation(), check)))
      signalPassFailure();
  }
};
} // namespace
