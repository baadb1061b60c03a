//===- RunningChain.cpp - Two products with rows between -------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Dialect/Vortex/IR/RunningChain.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace vortex;

static SmallVector<unsigned> getDims(AffineMap map) {
  SmallVector<unsigned> dims;
  for (AffineExpr expr : map.getResults())
    dims.push_back(cast<AffineDimExpr>(expr).getPosition());
  return dims;
}

static bool hasPlainDims(AffineMap map) {
  return llvm::all_of(map.getResults(), llvm::IsaPred<AffineDimExpr>);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Whether the body adds the product of its two inputs, widened or not, to the
/// sum.
static bool isMultiplyAdd(linalg::LinalgOp op) {
  Block &body = op->getRegion(0).front();
  auto add = body.getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  if (!add || body.getNumArguments() != 3)
    return false;
  for (unsigned sum : {0, 1}) {
    auto product = add->getOperand(1 - sum).getDefiningOp<arith::MulFOp>();
    if (add->getOperand(sum) != body.getArgument(2) || !product)
      continue;
    auto skip = [](Value value) {
      auto wider = value.getDefiningOp<arith::ExtFOp>();
      return wider ? wider.getIn() : value;
    };
    Value x = skip(product.getLhs()), y = skip(product.getRhs());
    Value a = body.getArgument(0), b = body.getArgument(1);
    if ((x == a && y == b) || (x == b && y == a))
      return true;
  }
  return false;
}

std::optional<MatrixProduct> vortex::matchMatrixProduct(linalg::LinalgOp op) {
  if (!op || !op.hasPureTensorSemantics() || op.getNumDpsInputs() != 2 ||
      op.getNumDpsInits() != 1 || op->getNumResults() != 1 ||
      op.getNumReductionLoops() != 1 || op->getNumRegions() != 1 ||
      op->getRegion(0).empty() || !isMultiplyAdd(op))
    return std::nullopt;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  AffineMap out = maps.back();
  if (!out.isProjectedPermutation() || out.getNumResults() < 2)
    return std::nullopt;
  MatrixProduct product;
  product.op = op;
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  product.k = reductions.front();
  product.n = out.getDimPosition(out.getNumResults() - 1);
  product.columns = maps[0].isFunctionOfDim(product.n) ? 0 : 1;
  product.rows = 1 - product.columns;
  const AffineMap &a = maps[product.rows], &b = maps[product.columns];
  if (!b.isFunctionOfDim(product.n) || a.isFunctionOfDim(product.n) ||
      !a.isFunctionOfDim(product.k) || !b.isFunctionOfDim(product.k))
    return std::nullopt;
  // Rows are the innermost loop of the result that the columns do not walk.
  std::optional<unsigned> m;
  for (unsigned i = out.getNumResults() - 1; i-- > 0 && !m;)
    if (unsigned loop = out.getDimPosition(i);
        a.isFunctionOfDim(loop) && !b.isFunctionOfDim(loop))
      m = loop;
  if (!m)
    return std::nullopt;
  product.m = *m;
  for (unsigned i = 0; i + 1 < out.getNumResults(); ++i)
    if (out.getDimPosition(i) != product.m)
      product.batch.push_back(out.getDimPosition(i));
  return product;
}

Operation *vortex::getReductionCombiner(linalg::LinalgOp op) {
  SmallVector<Operation *> combiners;
  if (op.getNumDpsInits() != 1 ||
      !matchReduction(op.getRegionOutputArgs(), 0, combiners) ||
      combiners.size() != 1)
    return nullptr;
  return combiners[0];
}

linalg::LinalgOp vortex::getProducer(BlockArgument argument) {
  auto op = cast<linalg::LinalgOp>(argument.getOwner()->getParentOp());
  return op->getOperand(argument.getArgNumber())
      .getDefiningOp<linalg::LinalgOp>();
}

AffineMap RunningChain::getScoresMap(unsigned input) const {
  linalg::LinalgOp op = scores.op;
  MLIRContext *context = op->getContext();
  SmallVector<AffineExpr> loops;
  for (unsigned axis : axes.lookup(op))
    loops.push_back(getAffineDimExpr(axis, context));
  return op.getIndexingMapsArray()[input].replaceDimsAndSymbols(
      loops, {}, getInnerAxis() + 1, 0);
}

SmallVector<unsigned> RunningChain::getAxesOfResult(Operation *op) const {
  const SmallVector<unsigned> &loops = axes.find(op)->second;
  return llvm::map_to_vector(
      getDims(cast<linalg::LinalgOp>(op).getIndexingMapsArray().back()),
      [&](unsigned loop) { return loops[loop]; });
}

//===----------------------------------------------------------------------===//
// Chains
//===----------------------------------------------------------------------===//

namespace {
class ChainMatcher {
public:
  explicit ChainMatcher(std::string &why) : why(why) {}
  std::optional<RunningChain> run(linalg::LinalgOp product);

private:
  /// What the value of an element depends on.
  struct Reads {
    bool columns = false; ///< differs from column to column of the scores
    bool reduced = false; ///< something reduced along them
    bool summed = false;  ///< a sum along them

    void add(const Reads &other) {
      columns |= other.columns;
      reduced |= other.reduced;
      summed |= other.summed;
    }
    bool isOfRow() const { return reduced && !columns; }
    bool isMixed() const { return reduced && columns; }
  };

  bool fail(const Twine &reason) {
    why = reason.str();
    return false;
  }
  bool visit(linalg::LinalgOp op, ArrayRef<unsigned> resultAxes);
  bool visitInputs(linalg::LinalgOp op, ArrayRef<unsigned> loops);
  void shareRows();
  void dropOthers();
  bool checkUsers();
  bool checkOperands();
  bool readReductions();
  bool readSum(Value element, RunningReduction &sum);
  Reads getReads(Value value);
  bool takeOut(Value value, RunningReduction &sum);
  bool takeShift(Operation *exponential, RunningReduction &sum);

  RunningChain chain;
  llvm::DenseSet<Operation *> dependent; ///< on the scores
  llvm::DenseMap<Value, Reads> known;
  std::string &why;
};
} // namespace

/// Whether all that the body does is arithmetic on elements and indices.
static bool hasSimpleBody(linalg::LinalgOp op) {
  if (op->getNumRegions() != 1 || op->getRegion(0).empty())
    return false;
  return llvm::all_of(
      op->getRegion(0).front().without_terminator(), [](Operation &inner) {
        if (isa<linalg::IndexOp>(inner))
          return true;
        return isa<arith::ArithDialect, math::MathDialect>(
                   inner.getDialect()) &&
               inner.getNumRegions() == 0 && inner.getNumResults() == 1;
      });
}

/// Adds `op`, whose result's dimensions walk these axes, and what it is made
/// of.
bool ChainMatcher::visit(linalg::LinalgOp op, ArrayRef<unsigned> resultAxes) {
  AffineMap out = op.getIndexingMapsArray().back();
  SmallVector<unsigned> loops(op.getNumLoops(), -1u);
  for (auto [dim, axis] : llvm::enumerate(resultAxes))
    loops[out.getDimPosition(dim)] = axis;
  std::optional<MatrixProduct> product = matchMatrixProduct(op);
  if (product) {
    if (chain.scores.op && chain.scores.op != op)
      return fail("weights are made of two products");
    loops[product->k] = chain.getInnerAxis();
    chain.scores = *product;
  } else if (op.getNumReductionLoops() != 0) {
    SmallVector<unsigned> reductions;
    op.getReductionDims(reductions);
    if (reductions.size() != 1)
      return fail("a row is reduced along more than the columns of the scores");
    loops[reductions.front()] = chain.product.k;
  }
  if (llvm::is_contained(loops, -1u))
    return fail("an op between the products has a loop that they do not have");
  auto [it, added] = chain.axes.insert({op, loops});
  if (!added)
    return it->second == loops ||
           fail("a value between the products is read in two ways");
  return product || visitInputs(op, loops);
}

bool ChainMatcher::visitInputs(linalg::LinalgOp op, ArrayRef<unsigned> loops) {
  for (OpOperand *operand : op.getDpsInputOperands()) {
    auto producer = operand->get().getDefiningOp<linalg::LinalgOp>();
    AffineMap map = op.getMatchingIndexingMap(operand);
    if (!producer || isa<linalg::FillOp>(producer) ||
        producer->getBlock() != chain.product.op->getBlock() ||
        producer->getNumResults() != 1 || !producer.hasPureTensorSemantics() ||
        !producer.getIndexingMapsArray().back().isProjectedPermutation() ||
        !hasSimpleBody(producer) || !hasPlainDims(map))
      continue;
    SmallVector<unsigned> axes = llvm::map_to_vector(
        getDims(map), [&](unsigned loop) { return loops[loop]; });
    // What has nothing to do with the scores may be of another form.
    size_t before = chain.axes.size();
    bool hadScores = bool(chain.scores.op);
    if (visit(producer, axes))
      continue;
    if (chain.scores.op || hadScores)
      return false;
    while (chain.axes.size() > before)
      chain.axes.pop_back();
  }
  return true;
}

/// Rows of both products are one axis: the innermost of those that neither
/// walks columns by, one of unknown extent first. The others are batches.
void ChainMatcher::shareRows() {
  MatrixProduct &product = chain.product, &scores = chain.scores;
  linalg::LinalgOp last = product.op, first = scores.op;
  AffineMap values = last.getIndexingMapsArray()[product.columns];
  AffineMap keys = first.getIndexingMapsArray()[scores.columns];
  AffineMap out = last.getIndexingMapsArray().back();
  SmallVector<int64_t> extents = last.getStaticLoopRanges();
  std::optional<std::pair<unsigned, unsigned>> best; // loops of both
  for (unsigned i = 0; i + 1 < out.getNumResults(); ++i) {
    unsigned axis = out.getDimPosition(i);
    for (auto [loop, walked] : llvm::enumerate(chain.axes.lookup(first)))
      if (walked == axis && !values.isFunctionOfDim(axis) &&
          !keys.isFunctionOfDim(loop) &&
          (!best || ShapedType::isDynamic(extents[axis]) ||
           !ShapedType::isDynamic(extents[best->first])))
        best = {axis, loop};
  }
  if (!best)
    return;
  std::tie(product.m, scores.m) = *best;
  product.batch.clear();
  for (unsigned i = 0; i + 1 < out.getNumResults(); ++i)
    if (out.getDimPosition(i) != product.m)
      product.batch.push_back(out.getDimPosition(i));
}

/// Keeps what depends on the scores, and elementwise ops that nothing else
/// reads.
void ChainMatcher::dropOthers() {
  SmallVector<Operation *> ops(llvm::make_first_range(chain.axes));
  llvm::sort(ops,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  llvm::MapVector<Operation *, SmallVector<unsigned>> sorted;
  for (Operation *op : ops) {
    sorted[op] = chain.axes.lookup(op);
    bool reads = op == chain.scores.op.getOperation() ||
                 llvm::any_of(op->getOperands(), [&](Value operand) {
                   return dependent.contains(operand.getDefiningOp());
                 });
    if (reads)
      dependent.insert(op);
  }
  chain.axes = std::move(sorted);
  for (Operation *op : llvm::reverse(ops)) {
    auto linalgOp = cast<linalg::LinalgOp>(op);
    if (dependent.contains(op))
      continue;
    bool shared = llvm::any_of(op->getUsers(), [&](Operation *user) {
      return !chain.axes.contains(user);
    });
    if (shared || linalgOp.getNumReductionLoops() != 0)
      chain.axes.erase(op);
  }
}

bool ChainMatcher::checkUsers() {
  for (Operation *op : dependent)
    for (Operation *user : op->getUsers())
      if (user != chain.product.op.getOperation() &&
          !(chain.axes.contains(user) && dependent.contains(user)))
        return fail("a value between the products is read by something else");
  return true;
}

/// What device code asks of the maps: matrices that it can walk in tiles.
bool ChainMatcher::checkOperands() {
  const MatrixProduct &product = chain.product;
  unsigned keys = product.k, inner = chain.getInnerAxis();
  auto axisOf = [&](unsigned loop) {
    return chain.axes.lookup(chain.scores.op)[loop];
  };
  if (axisOf(chain.scores.n) != keys || axisOf(chain.scores.m) != product.m)
    return fail("rows and columns of the scores are not those of the weights");
  auto isTile = [&](AffineMap map, unsigned columnAxis) {
    auto plain = [&](unsigned axis) {
      return llvm::count(map.getResults(),
                         getAffineDimExpr(axis, map.getContext())) == 1 &&
             llvm::count_if(map.getResults(), [&](AffineExpr expr) {
               return expr.isFunctionOfDim(axis);
             }) == 1;
    };
    return plain(keys) && plain(columnAxis) &&
           map.getResults().back() ==
               getAffineDimExpr(columnAxis, map.getContext()) &&
           !map.isFunctionOfDim(product.m);
  };
  linalg::LinalgOp last = product.op;
  AffineMap values = last.getIndexingMapsArray()[product.columns];
  if (!isTile(chain.getScoresMap(chain.scores.columns), inner) ||
      !isTile(values, product.n))
    return fail("keys or values are not contiguous along their last dimension");
  auto fill = chain.scores.op.getDpsInits()[0].getDefiningOp<linalg::FillOp>();
  if (!fill || !matchPattern(fill.value(), m_Constant()))
    return fail("the scores start with something else than a constant");
  return true;
}

//===----------------------------------------------------------------------===//
// The algebra of the rows
//===----------------------------------------------------------------------===//

static Value getYielded(Operation *op) {
  return op->getRegion(0).front().getTerminator()->getOperand(0);
}

ChainMatcher::Reads ChainMatcher::getReads(Value value) {
  if (auto it = known.find(value); it != known.end())
    return it->second;
  Reads reads;
  auto argument = dyn_cast<BlockArgument>(value);
  Operation *inner = value.getDefiningOp();
  Operation *op =
      argument ? argument.getOwner()->getParentOp() : inner->getParentOp();
  auto it = chain.axes.find(op);
  if (it == chain.axes.end()) {
    // From around the ops: one for all elements.
  } else if (argument) {
    linalg::LinalgOp producer = getProducer(argument);
    auto reader = cast<linalg::LinalgOp>(op);
    if (producer && chain.axes.contains(producer)) {
      if (producer == chain.scores.op)
        reads.columns = true;
      else if (producer.getNumReductionLoops() == 0)
        reads = getReads(getYielded(producer));
      else
        reads = {false, true,
                 isa<arith::AddFOp>(getReductionCombiner(producer))};
    } else {
      AffineMap map = reader.getIndexingMapsArray()[argument.getArgNumber()];
      for (auto [loop, axis] : llvm::enumerate(it->second))
        reads.columns |= axis == chain.product.k && map.isFunctionOfDim(loop);
    }
  } else if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
    reads.columns = it->second[index.getDim()] == chain.product.k;
  } else {
    for (Value operand : inner->getOperands())
      reads.add(getReads(operand));
  }
  known[value] = reads;
  return reads;
}

/// Reads `f(x - m)`: `f` may scale the difference before it is an exponent.
bool ChainMatcher::takeShift(Operation *exponential, RunningReduction &sum) {
  Value exponent = exponential->getOperand(0);
  while (true) {
    if (auto argument = dyn_cast<BlockArgument>(exponent)) {
      exponent = getYielded(getProducer(argument));
      continue;
    }
    Operation *op = exponent.getDefiningOp();
    if (!isa<arith::MulFOp, arith::DivFOp>(op))
      break;
    unsigned scaled = getReads(op->getOperand(0)).isMixed() ? 0 : 1;
    Value scale = op->getOperand(1 - scaled);
    // A number of the program: what is repaired knows no coordinates.
    bool isNumber = scale.getParentRegion() != op->getParentRegion() ||
                    matchPattern(scale, m_Constant());
    if (!isNumber || (scaled == 1 && isa<arith::DivFOp>(op)))
      return fail("an exponent is no scaled difference");
    exponent = op->getOperand(scaled);
  }
  auto difference = exponent.getDefiningOp<arith::SubFOp>();
  if (!difference)
    return fail("an exponent is no difference from what is reduced");
  Reads x = getReads(difference.getLhs()), m = getReads(difference.getRhs());
  if (x.reduced || m.columns || m.summed)
    return fail("an exponent is no difference from a largest value");
  if (sum.shift && sum.shift != difference.getOperation())
    return fail("a sum has terms with two differences");
  sum.shift = difference;
  sum.exponential = exponential;
  return true;
}

/// Takes what the elements `value` of a row share out of them: `value` differs
/// from column to column and depends on what is reduced along them.
bool ChainMatcher::takeOut(Value value, RunningReduction &sum) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return takeOut(getYielded(getProducer(argument)), sum);
  Operation *op = value.getDefiningOp();
  if (isa<arith::TruncFOp, arith::ExtFOp, arith::NegFOp>(op))
    return takeOut(op->getOperand(0), sum);
  if (isa<math::ExpOp, math::Exp2Op>(op))
    return takeShift(op, sum);
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    bool zeroLast = matchPattern(select.getFalseValue(), m_AnyZeroFloat());
    if (getReads(select.getCondition()).reduced ||
        !(zeroLast || matchPattern(select.getTrueValue(), m_AnyZeroFloat())))
      return fail("a weight is chosen by what is reduced, or is one of two");
    return takeOut(zeroLast ? select.getTrueValue() : select.getFalseValue(),
                   sum);
  }
  if (!isa<arith::MulFOp, arith::DivFOp>(op))
    return fail("op '" + op->getName().getStringRef() +
                "' does not let out what the elements of a row share");
  bool divides = isa<arith::DivFOp>(op);
  for (unsigned factor : {1, 0}) {
    Value other = op->getOperand(1 - factor);
    Reads reads = getReads(op->getOperand(factor));
    if (divides && factor == 0)
      return fail("a weight is divided by one of its row");
    if (reads.isMixed())
      continue;
    if (reads.isOfRow())
      sum.factors.push_back({op, factor});
    return !getReads(other).isMixed() || takeOut(other, sum);
  }
  return fail("two factors of a weight depend on what is reduced");
}

bool ChainMatcher::readSum(Value element, RunningReduction &sum) {
  sum.isSum = true;
  return !getReads(element).isMixed() || takeOut(element, sum);
}

bool ChainMatcher::readReductions() {
  for (const auto &[op, loops] : chain.axes) {
    auto linalgOp = cast<linalg::LinalgOp>(op);
    if (!dependent.contains(op) || linalgOp == chain.scores.op ||
        linalgOp.getNumReductionLoops() == 0)
      continue;
    RunningReduction reduction;
    reduction.op = linalgOp;
    Operation *combiner = getReductionCombiner(linalgOp);
    Value sum = linalgOp.getRegionOutputArgs()[0];
    if (!combiner || combiner->getNumOperands() != 2 ||
        combiner->getResult(0) != getYielded(op) ||
        !isa<FloatType>(sum.getType()))
      return fail("a row is reduced by more than one operation");
    Value element = combiner->getOperand(combiner->getOperand(0) == sum);
    if (isa<arith::AddFOp>(combiner)) {
      if (!readSum(element, reduction))
        return false;
    } else if (!isa<arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
                    arith::MinNumFOp>(combiner) ||
               getReads(element).reduced) {
      return fail("a row is reduced by op '" +
                  combiner->getName().getStringRef() +
                  "', or depends on an earlier reduction");
    }
    chain.reductions.push_back(std::move(reduction));
  }
  chain.weighted.op = chain.product.op;
  linalg::LinalgOp product = chain.product.op;
  BlockArgument weight =
      product->getRegion(0).front().getArgument(chain.product.rows);
  return readSum(getYielded(getProducer(weight)), chain.weighted);
}

std::optional<RunningChain> ChainMatcher::run(linalg::LinalgOp op) {
  std::optional<MatrixProduct> product = matchMatrixProduct(op);
  if (!product) {
    fail("the last op is no product of two matrices");
    return std::nullopt;
  }
  chain.product = *product;
  OpOperand *weights = op.getDpsInputOperand(product->rows);
  auto producer = weights->get().getDefiningOp<linalg::LinalgOp>();
  AffineMap map = op.getMatchingIndexingMap(weights);
  if (!producer || isa<linalg::FillOp>(producer) ||
      producer->getBlock() != op->getBlock() ||
      producer->getNumResults() != 1 || !producer.hasPureTensorSemantics() ||
      !producer.getIndexingMapsArray().back().isProjectedPermutation() ||
      !hasSimpleBody(producer) || !map.isProjectedPermutation() ||
      producer.getNumReductionLoops() !=
          (matchMatrixProduct(producer) ? 1 : 0)) {
    fail("its left factor is not made by an op in front of it");
    return std::nullopt;
  }
  if (!visit(producer, getDims(map)))
    return std::nullopt;
  if (!chain.scores.op) {
    fail("its left factor is not made of a product");
    return std::nullopt;
  }
  shareRows();
  dropOthers();
  if (!checkUsers() || !checkOperands() || !readReductions())
    return std::nullopt;
  return std::move(chain);
}

std::optional<RunningChain> vortex::matchRunningChain(linalg::LinalgOp product,
                                                      std::string &why) {
  return ChainMatcher(why).run(product);
}
