//===- CollapseRows.cpp - Batch and sequence as one dimension of rows -----===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pairs of neighbouring dimensions are nodes of a union-find structure: dims p
// and p + 1 of a value, loops a and b of an op. What must be collapsed together
// is one class; a class is dropped when one of its members cannot be.
//
//===----------------------------------------------------------------------===//

#include "Relayout.h"

#include "vortex/Dialect/Vortex/Transforms/Passes.h"
#include "vortex/Graph/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/MapVector.h"

namespace vortex {
#define GEN_PASS_DEF_COLLAPSEROWS
#include "vortex/Graph/Passes.h.inc"
} // namespace vortex

using namespace mlir;
using namespace vortex;

namespace {
class Classes {
public:
  /// The node of dims `p` and `p + 1` of `value`.
  unsigned ofValue(Value value, unsigned p) {
    return node({value.getAsOpaquePointer(), p, p + 1});
  }
  unsigned ofLoops(Operation *op, unsigned a, unsigned b) {
    return node({op, a, b});
  }
  void join(unsigned x, unsigned y) {
    x = find(x), y = find(y);
    parents[y] = x;
    bad[x] |= bad[y];
    useful[x] |= useful[y];
  }
  void markBad(unsigned x) { bad[find(x)] = true; }
  void markUseful(unsigned x) { useful[find(x)] = true; }
  bool isChosen(unsigned x) { return useful[find(x)] && !bad[find(x)]; }

private:
  using Key = std::tuple<void *, unsigned, unsigned>;
  unsigned node(Key key) {
    auto [it, isNew] = nodes.try_emplace(key, parents.size());
    if (isNew) {
      parents.push_back(it->second);
      bad.push_back(false);
      useful.push_back(false);
    }
    return it->second;
  }
  unsigned find(unsigned x) {
    while (parents[x] != x)
      x = parents[x] = parents[parents[x]];
    return x;
  }

  DenseMap<Key, unsigned> nodes;
  SmallVector<unsigned> parents;
  SmallVector<bool> bad, useful;
};

class Collapser {
public:
  explicit Collapser(FunctionOpInterface function) : function(function) {}
  /// The number of ops changed.
  unsigned run();

private:
  void addOp(linalg::LinalgOp op);
  void addValue(Value value);
  bool isFree(Value value);
  SmallVector<ReassociationIndices> getGroups(linalg::LinalgOp op);

  FunctionOpInterface function;
  Classes classes;
  SetVector<Value> values;
};
} // namespace

static bool isFill(Operation *op) { return isa<linalg::FillOp>(op); }

/// Whether both are neighbours in `map`, in this order, or neither occurs.
static bool keepsPair(AffineMap map, unsigned a, unsigned b) {
  auto positionOf = [&](unsigned loop) {
    return map.getResultPosition(getAffineDimExpr(loop, map.getContext()));
  };
  std::optional<unsigned> pa = positionOf(a), pb = positionOf(b);
  if (!pa && !pb)
    return !map.isFunctionOfDim(a) && !map.isFunctionOfDim(b);
  return pa && pb && *pb == *pa + 1;
}

void Collapser::addOp(linalg::LinalgOp op) {
  for (Value value : op->getOperands())
    values.insert(value);
  values.insert(op->result_begin(), op->result_end());
  if (isFill(op)) {
    // A fill follows its result.
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    for (int64_t p = 0; p + 1 < type.getRank(); ++p)
      classes.join(classes.ofValue(op->getResult(0), p),
                   classes.ofValue(op.getDpsInits()[0], p));
    return;
  }
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  SetVector<std::pair<unsigned, unsigned>> pairs;
  auto visit = [&](Value value, AffineMap map) {
    for (unsigned p = 0; p + 1 < map.getNumResults(); ++p) {
      auto a = dyn_cast<AffineDimExpr>(map.getResult(p));
      auto b = dyn_cast<AffineDimExpr>(map.getResult(p + 1));
      unsigned pair = classes.ofValue(value, p);
      if (!a || !b ||
          iterators[a.getPosition()] != iterators[b.getPosition()]) {
        classes.markBad(pair);
        continue;
      }
      pairs.insert({a.getPosition(), b.getPosition()});
      classes.join(pair, classes.ofLoops(op, a.getPosition(), b.getPosition()));
    }
  };
  for (OpOperand &operand : op->getOpOperands())
    if (isa<RankedTensorType>(operand.get().getType()))
      visit(operand.get(), op.getMatchingIndexingMap(&operand));
  for (OpResult result : op->getResults())
    visit(result, op.getIndexingMapMatchingResult(result));
  bool isContraction = linalg::isaContractionOpInterface(op);
  AffineMap to = maps.back();
  auto isColumn = [&](unsigned loop) {
    return to.getNumResults() > 0 &&
           loop == to.getDimPosition(to.getNumResults() - 1);
  };
  bool isSimple = llvm::all_of(
      maps, [](AffineMap map) { return map.isProjectedPermutation(); });
  for (std::pair<unsigned, unsigned> loops : pairs) {
    unsigned a = loops.first, b = loops.second;
    unsigned pair = classes.ofLoops(op, a, b);
    // A weight with two dimensions of a reduction stays as it is.
    if (isContraction && iterators[a] == utils::IteratorType::reduction)
      classes.markBad(pair);
    // Loops that are collapsed follow each other in what people and importers
    // write.
    if (!isSimple || b != a + 1 || !llvm::all_of(maps, [&](AffineMap map) {
          return keepsPair(map, a, b);
        }))
      classes.markBad(pair);
    // Rows are in one factor, what is in both is batch.
    if (isContraction &&
        maps[0].isFunctionOfDim(a) != maps[1].isFunctionOfDim(a) &&
        !isColumn(b))
      classes.markUseful(pair);
    if (isContraction && maps[0].isFunctionOfDim(a) &&
        maps[1].isFunctionOfDim(a))
      classes.markBad(pair);
  }
}

/// Whether what makes `value` and what uses it, linalg ops aside, can do with
/// a reshape that moves nothing.
bool Collapser::isFree(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() != &function.getFunctionBody().front())
      return false;
  } else if (!isa<linalg::LinalgOp, tensor::EmptyOp, tensor::ExpandShapeOp,
                  tensor::CollapseShapeOp>(value.getDefiningOp())) {
    return false;
  }
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    return isa<linalg::LinalgOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp,
               tensor::ExtractSliceOp, tensor::DimOp>(user) ||
           (user->hasTrait<OpTrait::ReturnLike>() &&
            user->getParentOp() == function);
  });
}

void Collapser::addValue(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || isFree(value))
    return;
  for (int64_t p = 0; p + 1 < type.getRank(); ++p)
    classes.markBad(classes.ofValue(value, p));
}

SmallVector<ReassociationIndices> Collapser::getGroups(linalg::LinalgOp op) {
  SmallVector<ReassociationIndices> groups;
  unsigned loops = op.getNumLoops();
  for (unsigned a = 0; a < loops; ++a) {
    ReassociationIndices group{a};
    while (a + 1 < loops && classes.isChosen(classes.ofLoops(op, a, a + 1)))
      group.push_back(++a);
    if (group.size() > 1)
      groups.push_back(group);
  }
  return groups;
}

unsigned Collapser::run() {
  SmallVector<linalg::LinalgOp> ops;
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<KernelOp>(op))
      return WalkResult::skip();
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
        linalgOp && linalgOp.hasPureTensorSemantics())
      ops.push_back(linalgOp);
    return WalkResult::advance();
  });
  for (linalg::LinalgOp op : ops)
    addOp(op);
  for (Value value : values)
    addValue(value);

  IRRewriter rewriter(function.getContext());
  unsigned changed = 0;
  SmallVector<std::pair<linalg::LinalgOp, SmallVector<ReassociationIndices>>>
      work;
  for (linalg::LinalgOp op : ops)
    if (!isFill(op))
      if (auto groups = getGroups(op); !groups.empty())
        work.push_back({op, groups});
  for (auto &[op, groups] : work) {
    rewriter.setInsertionPoint(op);
    FailureOr<linalg::GenericOp> generic =
        isa<linalg::GenericOp>(op.getOperation())
            ? FailureOr<linalg::GenericOp>(
                  cast<linalg::GenericOp>(op.getOperation()))
            : linalg::generalizeNamedOp(rewriter, op);
    if (failed(generic))
      continue;
    rewriter.setInsertionPoint(*generic);
    FailureOr<linalg::CollapseResult> collapsed =
        linalg::collapseOpIterationDims(*generic, groups, rewriter);
    if (failed(collapsed))
      continue;
    rewriter.replaceOp(*generic, collapsed->results);
    ++changed;
  }
  return changed;
}

namespace {
struct CollapseRowsPass : vortex::impl::CollapseRowsBase<CollapseRowsPass> {
  void runOnOperation() override {
    unsigned changed = 0;
    (void)forEachFunction(getOperation(), [&](FunctionOpInterface function) {
      changed += Collapser(function).run();
      return success();
    });
    numCollapsed += changed;
    if (changed == 0)
      return;
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    populateReshapeCleanupPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
