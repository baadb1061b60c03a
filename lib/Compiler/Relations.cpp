//===- Relations.cpp - Sizes that ops need to agree ---------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Relations.h"

#include "vortex/Dialect/Vortex/IR/AccessWindow.h"
#include "vortex/Dialect/Vortex/IR/KnownSize.h"
#include "vortex/Dialect/Vortex/IR/VortexDialect.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace vortex;

namespace {
using Size = std::optional<KnownSize>;

/// `size` is `terms[0]`, or with strides at least what a window over loops of
/// these sizes reaches: (terms[0] - 1) * strides[0] + ... + 1.
struct Relation {
  KnownSize size;
  SmallVector<KnownSize, 1> terms;
  SmallVector<int64_t, 0> strides;

  bool operator==(const Relation &other) const {
    return size == other.size && terms == other.terms &&
           strides == other.strides;
  }
  std::string str() const { return describeRelation(size, terms, strides); }
};

/// Collects the relations of one function.
class RelationFinder {
public:
  RelationFinder(func::FuncOp function, unsigned depth)
      : function(function), depth(depth) {}
  SmallVector<Relation> run();

private:
  Size sizeOf(Value value, int64_t dim) {
    return findKnownSize(value, dim, function.front());
  }
  void add(Relation relation);
  /// Of two sizes that are equal, if they are known.
  void equal(Size left, Size right);
  void equalShapes(Value left, Value right, int64_t except = -1);
  void visit(linalg::LinalgOp op);
  void visit(func::CallOp op);

  func::FuncOp function;
  unsigned depth; ///< Calls deeper than this are not followed.
  SmallVector<Relation> relations;
};
} // namespace

static bool isRankedShape(Type type) {
  return isa<RankedTensorType, MemRefType>(type);
}

void RelationFinder::add(Relation relation) {
  if (!llvm::is_contained(relations, relation))
    relations.push_back(std::move(relation));
}

void RelationFinder::equal(Size left, Size right) {
  if (!left || !right || *left == *right ||
      (left->argument < 0 && right->argument < 0))
    return;
  // The argument's size first, whichever was found first.
  if (left->argument < 0)
    std::swap(left, right);
  add({*left, {*right}, {}});
}

void RelationFinder::equalShapes(Value left, Value right, int64_t except) {
  if (!isRankedShape(left.getType()) || !isRankedShape(right.getType()))
    return;
  for (int64_t d : llvm::seq(cast<ShapedType>(left.getType()).getRank()))
    if (d != except)
      equal(sizeOf(left, d), sizeOf(right, d));
}

void RelationFinder::visit(linalg::LinalgOp op) {
  SmallVector<Size> loops(op.getNumLoops());
  SmallVector<std::pair<Size, AffineExpr>> windows;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isRankedShape(operand.get().getType()))
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
      Size size = sizeOf(operand.get(), dim);
      auto loop = dyn_cast<AffineDimExpr>(expr);
      if (!size)
        continue;
      if (!loop)
        windows.emplace_back(size, expr);
      else if (Size &first = loops[loop.getPosition()])
        equal(first, size);
      else
        first = size;
    }
  }
  for (auto &[size, expr] : windows) {
    SmallVector<std::pair<unsigned, int64_t>> walked;
    if (!getWindow(expr, walked))
      continue;
    Relation relation{*size, {}, {}};
    bool dynamic = size->argument >= 0;
    for (auto [loop, stride] : walked)
      if (loops[loop]) {
        relation.terms.push_back(*loops[loop]);
        relation.strides.push_back(stride);
        dynamic |= loops[loop]->argument >= 0;
      }
    if (dynamic && relation.terms.size() == walked.size())
      add(std::move(relation));
  }
}

/// What the called function needs, said of this one's arguments.
void RelationFinder::visit(func::CallOp op) {
  auto callee = dyn_cast_or_null<func::FuncOp>(
      SymbolTable::lookupNearestSymbolFrom(op, op.getCalleeAttr()));
  if (!depth || !callee || callee.isExternal())
    return;
  auto translate = [&](KnownSize size) -> Size {
    return size.argument < 0 ? size
                             : sizeOf(op.getOperand(size.argument), size.dim);
  };
  for (const Relation &inner : RelationFinder(callee, depth - 1).run()) {
    Size size = translate(inner.size);
    SmallVector<KnownSize, 1> terms;
    for (const KnownSize &term : inner.terms)
      if (Size known = translate(term))
        terms.push_back(*known);
    if (!size || terms.size() != inner.terms.size())
      continue;
    if (inner.strides.empty())
      equal(size, terms[0]);
    else
      add({*size, std::move(terms), inner.strides});
  }
}

SmallVector<Relation> RelationFinder::run() {
  for (Operation &op : function.front()) {
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
      visit(linalgOp);
    } else if (auto call = dyn_cast<func::CallOp>(op)) {
      visit(call);
    } else if (isa<memref::CopyOp, linalg::SoftmaxOp>(op)) {
      equalShapes(op.getOperand(0), op.getOperand(1));
    } else if (auto concat = dyn_cast<tensor::ConcatOp>(op)) {
      for (Value input : concat.getInputs().drop_front())
        equalShapes(concat.getInputs()[0], input, concat.getDim());
    } else if (auto cast = dyn_cast<tensor::CastOp>(op)) {
      equalShapes(cast.getSource(), cast.getDest());
    } else if (isElementwiseOnTensors(&op)) {
      for (Value operand : op.getOperands())
        equalShapes(op.getResult(0), operand);
    }
  }
  return std::move(relations);
}

std::vector<std::string> vortex::inferRelations(func::FuncOp function) {
  std::vector<std::string> texts;
  for (const Relation &relation : RelationFinder(function, /*depth=*/4).run())
    texts.push_back(relation.str());
  return texts;
}
