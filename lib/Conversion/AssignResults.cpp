//===- AssignResults.cpp - Gives each result of a public function its memory -*-
// C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Conversion/CallContext.h"
#include "vortex/Conversion/Passes.h"
#include "vortex/Dialect/Vortex/IR/VortexDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

namespace vortex {
#define GEN_PASS_DEF_ASSIGNRESULTS
#include "vortex/Conversion/Passes.h.inc"
} // namespace vortex

using namespace mlir;
using namespace vortex;

namespace {

/// The uses of one `tensor.empty`, or of an argument, from which a returned
/// value was computed (one in each case of a switch), and the reshape between
/// the two, if any. No uses: the value comes from elsewhere.
struct Origin {
  SmallVector<OpOperand *> uses;
  tensor::ExpandShapeOp expand;
};

Origin findOrigin(OpOperand &returned);

/// The origin that all cases of a switch or conditional share.
Origin findCommonOrigin(OpResult result) {
  Origin common;
  for (Region &region : result.getOwner()->getRegions()) {
    if (!region.hasOneBlock())
      return {};
    Operation *yield = region.front().getTerminator();
    Origin origin = findOrigin(yield->getOpOperand(result.getResultNumber()));
    if (origin.uses.empty() || origin.expand)
      return {};
    Value start = origin.uses[0]->get();
    Operation *empty = start.getDefiningOp(); // null: an argument
    if ((empty && result.getOwner()->isAncestor(empty)) ||
        (!common.uses.empty() && common.uses[0]->get() != start))
      return {};
    llvm::append_range(common.uses, origin.uses);
  }
  return common;
}

bool updates(Value value, Value argument);

/// The operand that the op of `result` updates in place, so that both have the
/// same sizes; null when there is none, and for choices between several.
OpOperand *getUpdated(OpResult result) {
  Operation *op = result.getOwner();
  if (auto style = dyn_cast<DestinationStyleOpInterface>(op))
    return style.getTiedOpOperand(result);
  if (auto loop = dyn_cast<scf::ForallOp>(op))
    return loop.getTiedOpOperand(result);
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    // A loop may also carry tensors that grow.
    unsigned index = result.getResultNumber();
    return updates(loop.getYieldedValues()[index], loop.getRegionIterArg(index))
               ? &loop.getInitArgsMutable()[index]
               : nullptr;
  }
  if (auto insert = dyn_cast<tensor::InsertOp>(op))
    return &insert.getDestMutable();
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
    return &insert.getDestMutable();
  if (auto cast = dyn_cast<tensor::CastOp>(op))
    return &cast.getSourceMutable();
  return nullptr;
}

/// Whether `value` is what ops made of `argument` in place.
bool updates(Value value, Value argument) {
  while (value != argument) {
    auto result = dyn_cast<OpResult>(value);
    if (!result)
      return false;
    if (isa<scf::IndexSwitchOp, scf::IfOp>(result.getOwner()))
      return llvm::all_of(result.getOwner()->getRegions(), [&](Region &region) {
        return region.hasOneBlock() &&
               updates(region.front().getTerminator()->getOperand(
                           result.getResultNumber()),
                       argument);
      });
    OpOperand *updated = getUpdated(result);
    if (!updated)
      return false;
    value = updated->get();
  }
  return true;
}

/// Whether an op behind that of `use` has the same value: what is computed in
/// its place then is not all that becomes of it.
bool isUsedLater(OpOperand &use) {
  Value value = use.get();
  Block *block = value.getParentBlock();
  Operation *here = block->findAncestorOpInBlock(*use.getOwner());
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    Operation *other = block->findAncestorOpInBlock(*user);
    return !isa<tensor::DimOp>(user) &&
           (!here || !other || (other != here && here->isBeforeInBlock(other)));
  });
}

/// Follows `returned` backwards through ops that update a tensor in place.
Origin findOrigin(OpOperand &returned) {
  Origin origin;
  OpOperand *use = &returned;
  while (true) {
    auto result = dyn_cast<OpResult>(use->get());
    if (!result) {
      // An argument that is updated: its copy in the result is, instead.
      auto argument = cast<BlockArgument>(use->get());
      if (use == &returned || origin.expand ||
          !isa<func::FuncOp>(argument.getOwner()->getParentOp()))
        return {};
      origin.uses = {use};
      return origin;
    }
    Operation *op = result.getOwner();
    if (isa<tensor::EmptyOp>(op)) {
      origin.uses = {use};
      return use == &returned ? Origin() : origin;
    }
    if (isa<scf::IndexSwitchOp, scf::IfOp>(op)) {
      origin.uses = findCommonOrigin(result).uses;
      // An argument is copied as it is, not in another shape.
      if (origin.expand && !origin.uses.empty() &&
          isa<BlockArgument>(origin.uses[0]->get()))
        return {};
      return origin;
    }
    if (OpOperand *updated = getUpdated(result)) {
      // A tensor.empty has one user by now.
      if (!updated->get().getDefiningOp<tensor::EmptyOp>() &&
          isUsedLater(*updated))
        return {};
      use = updated;
    } else if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
      // One reshape at the end: split rows into batch and sequence.
      if (origin.expand || use != &returned)
        return {};
      origin.expand = expand;
      use = &expand.getSrcMutable();
    } else {
      return {};
    }
  }
}

/// `tensor` written to new memory `storage` at the end.
void sink(OpBuilder &b, Location loc, Value tensor, Value storage) {
  auto shaped = cast<RankedTensorType>(tensor.getType());
  auto target = cast<MemRefType>(storage.getType());
  if (shaped.getShape() != target.getShape())
    tensor = tensor::CastOp::create(
        b, loc,
        RankedTensorType::get(target.getShape(), target.getElementType()),
        tensor);
  bufferization::MaterializeInDestinationOp::create(b, loc, TypeRange(), tensor,
                                                    storage, /*restrict=*/true,
                                                    /*writable=*/true);
}

struct AssignResultsPass : vortex::impl::AssignResultsBase<AssignResultsPass> {
  void runOnOperation() override;

private:
  LogicalResult assign(func::FuncOp function);
  LogicalResult assignReturn(func::ReturnOp op, bool alone);
  bool assignInPlace(OpOperand &returned, Origin origin);
  bool assignArgument(OpOperand &returned, ArrayRef<OpOperand *> uses);
  LogicalResult copyAtEnd(OpOperand &returned);
  void sinkAll(func::ReturnOp op);

  /// What goes to which memory when the function returns.
  struct Sink {
    Value tensor, storage;
    Value computed; ///< the tensor of `storage` that ops work on; null: none
  };
  SmallVector<Sink> sinks;
};

/// Computes the returned tensor into its own memory. False when the sizes of
/// that memory are not known where the computation starts.
bool AssignResultsPass::assignInPlace(OpOperand &returned, Origin origin) {
  auto empty = origin.uses[0]->get().getDefiningOp<tensor::EmptyOp>();
  int64_t index = returned.getOperandNumber();
  if (!empty)
    return assignArgument(returned, origin.uses);
  RankedTensorType type = empty.getType();
  SmallVector<Value> sizes(empty.getDynamicSizes());
  OpBuilder b(empty);
  if (tensor::ExpandShapeOp expand = origin.expand) {
    type = expand.getResultType();
    sizes = llvm::to_vector(expand.getOutputShape());
    // The sizes may be computed after the empty tensor; the memory is made
    // just before its use then.
    Operation *first =
        empty->getBlock()->findAncestorOpInBlock(*origin.uses[0]->getOwner());
    b.setInsertionPoint(first);
    DominanceInfo dominance(empty->getParentOp());
    for (Value size : sizes)
      if (!dominance.properlyDominates(size, first))
        return false;
  }
  Location loc = empty.getLoc();
  auto memory = MemRefType::get(type.getShape(), type.getElementType());
  Value storage = ResultOp::create(b, loc, memory, index, sizes);
  Value written = returned.get();
  // The computation sees the memory in the shape before the reshape.
  if (tensor::ExpandShapeOp expand = origin.expand) {
    storage = memref::CollapseShapeOp::create(b, loc, storage,
                                              expand.getReassociationIndices());
    written = expand.getSrc();
  }
  auto shape = cast<MemRefType>(storage.getType());
  Value tensor = bufferization::ToTensorOp::create(
      b, loc, RankedTensorType::get(shape.getShape(), shape.getElementType()),
      storage, /*restrict=*/true, /*writable=*/true);
  if (tensor.getType() != empty.getType())
    tensor = tensor::CastOp::create(b, loc, empty.getType(), tensor);
  for (OpOperand *use : origin.uses)
    use->set(tensor);
  sinks.push_back({written, storage, tensor});
  ++numInPlace;
  return true;
}

/// Copies an argument into the result before it is updated there.
bool AssignResultsPass::assignArgument(OpOperand &returned,
                                       ArrayRef<OpOperand *> uses) {
  auto argument = cast<BlockArgument>(uses[0]->get());
  auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  auto writable = function.getArgAttrOfType<BoolAttr>(
      argument.getArgNumber(),
      bufferization::BufferizationDialect::kWritableAttrName);
  if (writable && writable.getValue())
    return false;
  // One copy in front of a switch instead of one in each case.
  Operation *first = uses[0]->getOwner();
  while (first->getParentOp() != function)
    first = first->getParentOp();
  OpBuilder b(first);
  Location loc = uses[0]->getOwner()->getLoc();
  auto type = cast<RankedTensorType>(argument.getType());
  SmallVector<Value> sizes;
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (type.isDynamicDim(d))
      sizes.push_back(tensor::DimOp::create(b, loc, argument, d));
  auto memory = MemRefType::get(type.getShape(), type.getElementType());
  Value storage =
      ResultOp::create(b, loc, memory, returned.getOperandNumber(), sizes);
  Value tensor = bufferization::ToTensorOp::create(
      b, loc, type, storage, /*restrict=*/true, /*writable=*/true);
  Value copy = bufferization::MaterializeInDestinationOp::create(
                   b, loc, type, argument, tensor)
                   .getResult();
  for (OpOperand *use : uses)
    use->set(copy);
  sinks.push_back({returned.get(), storage, tensor});
  ++numInPlace;
  return true;
}

LogicalResult AssignResultsPass::copyAtEnd(OpOperand &returned) {
  Operation *op = returned.getOwner();
  OpBuilder b(op);
  Location loc = op->getLoc();
  Value value = returned.get();
  int64_t index = returned.getOperandNumber();
  auto shaped = dyn_cast<ShapedType>(value.getType());
  if (!shaped) {
    auto memory = MemRefType::get({}, value.getType());
    Value storage = ResultOp::create(b, loc, memory, index, ValueRange());
    memref::StoreOp::create(b, loc, value, storage, ValueRange());
    return success();
  }
  if (!shaped.hasRank() || isa<VectorType>(shaped))
    return op->emitOpError() << "result " << index << " of type " << shaped
                             << " is not supported: results are scalars and "
                                "tensors of known rank";
  bool tensor = isa<RankedTensorType>(shaped);
  SmallVector<Value> sizes;
  for (int64_t d = 0; d < shaped.getRank(); ++d) {
    if (!shaped.isDynamicDim(d))
      continue;
    Value size = arith::ConstantIndexOp::create(b, loc, d);
    sizes.push_back(
        tensor ? tensor::DimOp::create(b, loc, value, size).getResult()
               : memref::DimOp::create(b, loc, value, size).getResult());
  }
  auto memory = MemRefType::get(shaped.getShape(), shaped.getElementType());
  Value storage = ResultOp::create(b, loc, memory, index, sizes);
  if (tensor)
    sinks.push_back({value, storage, Value()});
  else
    memref::CopyOp::create(b, loc, value, storage);
  ++numCopied;
  return success();
}

/// Writes results to their memory. One that may lie in another's memory goes
/// first; of those that lie in each other's one is copied before.
void AssignResultsPass::sinkAll(func::ReturnOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  bufferization::BufferizationOptions options;
  bufferization::AnalysisState state(options);
  // Whether the i-th result may lie in the memory of the j-th.
  SmallVector<BitVector> liesIn;
  for (Sink &from : sinks) {
    BitVector &others = liesIn.emplace_back(sinks.size());
    // The analysis starts from a use.
    auto cast =
        tensor::CastOp::create(b, loc, from.tensor.getType(), from.tensor);
    SetVector<Value> sources = state.findValueInReverseUseDefChain(
        &cast.getSourceMutable(), [&](Value value) {
          return llvm::any_of(
              sinks, [&](const Sink &to) { return to.computed == value; });
        });
    cast.erase();
    for (auto [j, to] : llvm::enumerate(sinks))
      others[j] = &to != &from && to.computed && sources.contains(to.computed);
  }
  BitVector pending(sinks.size(), true);
  while (pending.any()) {
    int next = -1;
    for (unsigned j : pending.set_bits())
      if (llvm::none_of(pending.set_bits(),
                        [&](unsigned i) { return liesIn[i].test(j); })) {
        next = int(j);
        break;
      }
    if (next < 0) {
      unsigned i = pending.find_first();
      auto type = cast<RankedTensorType>(sinks[i].tensor.getType());
      sinks[i].tensor = bufferization::AllocTensorOp::create(
          b, loc, type, /*dynamicSizes=*/ValueRange{}, sinks[i].tensor);
      liesIn[i].reset();
      continue;
    }
    sink(b, loc, sinks[next].tensor, sinks[next].storage);
    pending.reset(next);
  }
  sinks.clear();
}

LogicalResult AssignResultsPass::assignReturn(func::ReturnOp op, bool alone) {
  DenseSet<OpOperand *> taken;
  for (OpOperand &returned : op->getOpOperands()) {
    // With several returns, only the end of each path is known to run once.
    Origin origin = alone && isa<RankedTensorType>(returned.get().getType())
                        ? findOrigin(returned)
                        : Origin();
    if (!origin.uses.empty() && taken.insert(origin.uses[0]).second &&
        assignInPlace(returned, origin))
      continue;
    if (failed(copyAtEnd(returned)))
      return failure();
  }
  sinkAll(op);
  op->setOperands({});
  return success();
}

LogicalResult AssignResultsPass::assign(func::FuncOp function) {
  Builder b(&getContext());
  StringRef writable = bufferization::BufferizationDialect::kWritableAttrName;
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
    if (!isa<TensorType>(type))
      continue;
    auto given = function.getArgAttrOfType<BoolAttr>(i, writable);
    if (!given)
      function.setArgAttr(i, writable, b.getBoolAttr(false));
    if (!given || !given.getValue())
      function.setArgAttr(i, kReadOnlyAttr, b.getUnitAttr());
  }
  bool alone = function.getFunctionBody().hasOneBlock();
  for (Block &block : function.getFunctionBody())
    if (auto op = dyn_cast<func::ReturnOp>(block.getTerminator()))
      if (failed(assignReturn(op, alone)))
        return failure();
  BitVector all(function.getNumResults(), true);
  return function.eraseResults(all);
}

void AssignResultsPass::runOnOperation() {
  ModuleOp module = getOperation();
  SymbolTable symbols(module);
  DenseSet<StringAttr> called;
  module.walk([&](func::CallOp call) {
    called.insert(call.getCalleeAttr().getAttr());
  });
  for (auto function : llvm::to_vector(module.getOps<func::FuncOp>())) {
    if (!function.isPublic() || function.isExternal())
      continue;
    // Calls inside the module keep a version that returns values.
    if (called.contains(function.getSymNameAttr())) {
      OpBuilder b(function);
      auto inner = function.clone();
      inner.setPrivate();
      inner.setSymName((function.getSymName() + ".inner").str());
      StringAttr name = symbols.insert(inner, function->getIterator());
      if (failed(symbols.replaceAllSymbolUses(function.getSymNameAttr(), name,
                                              module)))
        return signalPassFailure();
    }
    if (failed(assign(function)))
      return signalPassFailure();
  }
}
} // namespace
