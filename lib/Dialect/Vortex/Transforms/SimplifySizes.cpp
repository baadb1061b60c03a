//===- SimplifySizes.cpp - One value for each size ------------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Dialect/Vortex/Analysis/SizeAnalysis.h"
#include "vortex/Dialect/Vortex/Transforms/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

namespace vortex {
#define GEN_PASS_DEF_SIMPLIFYSIZES
#include "vortex/Dialect/Vortex/Transforms/Passes.h.inc"
} // namespace vortex

#define DEBUG_TYPE "vortex-simplify-sizes"

using namespace mlir;
using namespace vortex;

namespace {
struct Counts {
  unsigned merged = 0, proved = 0, decided = 0;
};

/// Works on one function. Ops are erased at the end: the analysis knows values
/// by their addresses.
class Simplifier {
public:
  Simplifier(FunctionOpInterface function, SizeAnalysis &sizes, Counts &counts)
      : function(function), sizes(sizes), counts(counts) {}
  void run(SmallVectorImpl<Operation *> &dead);

private:
  void visit(Operation *op);
  void decideOperand(OpOperand &condition);
  const SizeFacts &moveTo(Operation *op);
  void simplifyOperand(OpOperand &operand);
  void simplifyNumber(Value number);
  Value getConstant(OpBuilder &b, Value like, int64_t value);
  Value findLeader(SizeExpr size, Value number);
  void addLeader(SizeExpr size, Value number);

  FunctionOpInterface function;
  SizeAnalysis &sizes;
  Counts &counts;
  DominanceInfo dominance;
  SmallVector<Operation *> replaced;
  /// Values that stand for their sizes, in the order in which they come, under
  /// the facts of a place.
  SmallVector<Value> values;
  DenseMap<SizeExpr, SmallVector<Value, 1>> leaders;
  std::pair<Block *, unsigned> place{nullptr, 0};
};
} // namespace

Value Simplifier::getConstant(OpBuilder &b, Value like, int64_t value) {
  return arith::ConstantOp::create(b, like.getLoc(), like.getType(),
                                   b.getIntegerAttr(like.getType(), value));
}

void Simplifier::decideOperand(OpOperand &condition) {
  if (matchPattern(condition.get(), m_Constant()))
    return;
  Operation *op = condition.getOwner();
  Answer answer = sizes.decide(condition.get(), op);
  if (answer == Answer::Unknown)
    return;
  OpBuilder b(op);
  condition.set(getConstant(b, condition.get(), answer == Answer::Yes));
  ++counts.decided;
}

void Simplifier::addLeader(SizeExpr size, Value number) {
  leaders[size].push_back(number);
  values.push_back(number);
}

/// A value of this size that can be used in place of `number`; of two, that of
/// the same type.
Value Simplifier::findLeader(SizeExpr size, Value number) {
  Value other;
  Operation *op = number.getDefiningOp();
  for (Value leader : leaders.lookup(size)) {
    if (!dominance.properlyDominates(leader, op))
      continue;
    if (leader.getType() == number.getType())
      return leader;
    if (!other)
      other = leader;
  }
  OpBuilder b(op);
  // A dimension of an argument needs nothing that is computed.
  auto origin = sizes.getOrigin(size);
  if (!other && origin && origin->dim >= 0 &&
      isa<BlockArgument>(origin->value) &&
      dominance.properlyDominates(origin->value, op)) {
    auto dim = dyn_cast<ShapedDimOpInterface>(op);
    if (dim && dim.getShapedValue() == origin->value)
      return {};
    if (isa<MemRefType>(origin->value.getType()))
      other =
          memref::DimOp::create(b, op->getLoc(), origin->value, origin->dim);
    else
      other =
          tensor::DimOp::create(b, op->getLoc(), origin->value, origin->dim);
    addLeader(size, other);
  }
  if (!other || other.getType() == number.getType())
    return other;
  // A conversion is as good as another.
  bool toOrFromIndex = number.getType().isIndex() || other.getType().isIndex();
  if (!toOrFromIndex || isa<arith::IndexCastOp, arith::IndexCastUIOp>(op))
    return {};
  Value cast =
      arith::IndexCastOp::create(b, op->getLoc(), number.getType(), other);
  addLeader(size, cast);
  return cast;
}

/// Ops of affine ask where an operand comes from, not only for its value.
static bool takesAnySize(Operation *op) {
  return !isa_and_present<affine::AffineDialect>(op->getDialect());
}

/// The facts at `op`; leaders are then those of its place.
const SizeFacts &Simplifier::moveTo(Operation *op) {
  const SizeFacts &facts = sizes.getFactsAt(op);
  std::pair<Block *, unsigned> here{op->getBlock(), facts.getVersion()};
  if (here != place) {
    leaders.clear();
    for (Value value : values)
      leaders[facts.simplify(sizes.get(value))].push_back(value);
    place = here;
  }
  return facts;
}

/// An operand may have become equal to an older value since it was computed.
void Simplifier::simplifyOperand(OpOperand &operand) {
  Operation *op = operand.getOwner();
  if (!takesAnySize(op) || matchPattern(operand.get(), m_Constant()) ||
      !sizes.get(operand.get()))
    return;
  SizeExpr size = moveTo(op).simplify(sizes.get(operand.get()));
  Value same;
  if (auto constant = size.getConstant()) {
    OpBuilder b(op);
    same = getConstant(b, operand.get(), *constant);
  } else {
    for (Value leader : leaders.lookup(size))
      if (!same && leader.getType() == operand.get().getType() &&
          dominance.properlyDominates(leader, op))
        same = leader;
  }
  if (!same || same == operand.get())
    return;
  operand.set(same);
  ++counts.merged;
}

void Simplifier::simplifyNumber(Value number) {
  Operation *op = number.getDefiningOp();
  SizeExpr size = moveTo(op).simplify(sizes.get(number));
  Value same;
  if (auto constant = size.getConstant()) {
    OpBuilder b(op);
    same = getConstant(b, number, *constant);
  } else {
    same = findLeader(size, number);
  }
  if (!same) {
    addLeader(size, number);
    return;
  }
  number.replaceUsesWithIf(
      same, [](OpOperand &use) { return takesAnySize(use.getOwner()); });
  if (number.use_empty())
    replaced.push_back(op);
  ++counts.merged;
}

void Simplifier::visit(Operation *op) {
  if (auto assertion = dyn_cast<cf::AssertOp>(op)) {
    if (sizes.decide(assertion.getArg(), op) == Answer::Yes) {
      replaced.push_back(op);
      ++counts.proved;
    }
    return;
  }
  for (OpOperand &operand : op->getOpOperands())
    simplifyOperand(operand);
  if (isa<scf::IfOp, cf::CondBranchOp, arith::SelectOp>(op))
    decideOperand(op->getOpOperand(0));
  if (isa<arith::CmpIOp>(op)) {
    Answer answer = sizes.decide(op->getResult(0), op);
    if (answer == Answer::Unknown)
      return;
    OpBuilder b(op);
    op->getResult(0).replaceAllUsesWith(
        getConstant(b, op->getResult(0), answer == Answer::Yes));
    replaced.push_back(op);
    ++counts.decided;
    return;
  }
  if (op->getNumResults() != 1 || op->getNumRegions() != 0 ||
      !isMemoryEffectFree(op) || matchPattern(op, m_Constant()))
    return;
  Value result = op->getResult(0);
  if (sizes.get(result))
    simplifyNumber(result);
}

void Simplifier::run(SmallVectorImpl<Operation *> &dead) {
  for (BlockArgument argument : function.getArguments())
    if (sizes.get(argument))
      values.push_back(argument);
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    // What is computed for each element stays as it is.
    if (isa<linalg::LinalgOp, KernelOp, MicroKernelOp>(op))
      return WalkResult::skip();
    visit(op);
    return WalkResult::advance();
  });
  llvm::append_range(dead, replaced);
}

namespace {
struct SimplifySizesPass : vortex::impl::SimplifySizesBase<SimplifySizesPass> {
  void runOnOperation() override {
    SizeAnalysis sizes(getOperation());
    Counts counts;
    SmallVector<Operation *> dead;
    (void)forEachFunction(getOperation(), [&](FunctionOpInterface function) {
      Simplifier(function, sizes, counts).run(dead);
      return success();
    });
    for (Operation *op : llvm::reverse(dead))
      op->erase();
    numMerged += counts.merged;
    numProved += counts.proved;
    numDecided += counts.decided;
  }
};
} // namespace
