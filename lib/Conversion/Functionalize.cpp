//===- Functionalize.cpp - Programs on memrefs become values --------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Conversion/Passes.h"
#include "vortex/Dialect/Vortex/Analysis/SizeAnalysis.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Remarks.h"

namespace vortex {
#define GEN_PASS_DEF_FUNCTIONALIZE
#include "vortex/Conversion/Passes.h.inc"
} // namespace vortex

#define DEBUG_TYPE "vortex-functionalize"

using namespace mlir;
using namespace vortex;

/// The memory that `view` is a part of: an argument or an allocation.
static Value getRoot(Value view) {
  while (auto subview = view.getDefiningOp<memref::SubViewOp>())
    view = subview.getSource();
  return view;
}

static bool isMemory(Type type) { return isa<BaseMemRefType>(type); }

static RankedTensorType getTensorType(Type memref) {
  auto type = cast<MemRefType>(memref);
  return RankedTensorType::get(type.getShape(), type.getElementType());
}

//===----------------------------------------------------------------------===//
// What is known
//===----------------------------------------------------------------------===//

namespace {
/// Finds out whether it is known what each op of a function reads and writes.
class Checker {
public:
  explicit Checker(func::FuncOp function)
      : function(function), sizes(function, SizeTrust::Ops) {}
  /// "", or why the function stays what it is.
  std::string run();

private:
  std::string check(Operation *op);
  std::string checkMemory(linalg::LinalgOp op);
  bool areApart(Value x, Value y, Operation *at);

  func::FuncOp function;
  SizeAnalysis sizes;
};
} // namespace

/// Whether two parts of one memory have no element in common at `at`: along one
/// dimension the one ends before the other begins.
bool Checker::areApart(Value x, Value y, Operation *at) {
  auto a = x.getDefiningOp<memref::SubViewOp>();
  auto b = y.getDefiningOp<memref::SubViewOp>();
  if (!a || !b || a.getSource() != b.getSource())
    return false;
  SizeContext &context = sizes.getContext();
  auto get = [&](OpFoldResult number) {
    if (std::optional<int64_t> known = getConstantIntValue(number))
      return context.constant(*known);
    return sizes.get(cast<Value>(number));
  };
  auto ends = [&](memref::SubViewOp view, unsigned dim) {
    SizeExpr last = context.mul(
        context.sub(get(view.getMixedSizes()[dim]), context.constant(1)),
        get(view.getMixedStrides()[dim]));
    return context.add(context.add(get(view.getMixedOffsets()[dim]), last),
                       context.constant(1));
  };
  for (unsigned dim = 0; dim < a.getSourceType().getRank(); ++dim) {
    // Strides may be negative only where nobody knows them.
    if (!isConstantIntValue(a.getMixedStrides()[dim], 1) ||
        !isConstantIntValue(b.getMixedStrides()[dim], 1))
      continue;
    SizeExpr beginA = get(a.getMixedOffsets()[dim]), endA = ends(a, dim);
    SizeExpr beginB = get(b.getMixedOffsets()[dim]), endB = ends(b, dim);
    if (!beginA || !endA || !beginB || !endB)
      continue;
    const SizeFacts &facts = sizes.getFactsAt(at);
    if (facts.isLessOrEqual(endA, beginB) == Answer::Yes ||
        facts.isLessOrEqual(endB, beginA) == Answer::Yes)
      return true;
  }
  return false;
}

/// Whether `op` is in a loop without products. Measured: a row of 1024 elements
/// takes longer to hand to a kernel than to compute in place; a product is more
/// work than its elements.
static bool isLittleWork(Operation *op) {
  auto outermost = op->getParentOfType<scf::ForOp>();
  if (!outermost)
    return false;
  while (auto loop = outermost->getParentOfType<scf::ForOp>())
    outermost = loop;
  return !outermost
              .walk([](linalg::LinalgOp inner) {
                return linalg::isaContractionOpInterface(inner)
                           ? WalkResult::interrupt()
                           : WalkResult::advance();
              })
              .wasInterrupted();
}

/// An op on tensors reads all before it writes any: so must this one.
std::string Checker::checkMemory(linalg::LinalgOp op) {
  bool elementwise = op.getNumReductionLoops() == 0;
  for (OpOperand &out : op.getDpsInitsMutable())
    for (OpOperand &other : op->getOpOperands()) {
      if (&out == &other || !isMemory(other.get().getType()) ||
          getRoot(out.get()) != getRoot(other.get()))
        continue;
      // Bufferization would not see it and copy the one.
      if (areApart(out.get(), other.get(), op))
        return "an op reads one part of a memory and writes another";
      bool same = out.get() == other.get() && elementwise &&
                  op.isDpsInput(&other) &&
                  op.getMatchingIndexingMap(&out) ==
                      op.getMatchingIndexingMap(&other) &&
                  op.getMatchingIndexingMap(&out).isPermutation();
      if (!same)
        return "an op reads memory that it may have written before";
    }
  return "";
}

std::string Checker::check(Operation *op) {
  if (isa<scf::ForOp, scf::IfOp>(op)) {
    if (llvm::any_of(op->getResultTypes(), isMemory))
      return "a branch or loop gives memory";
    return "";
  }
  bool touches = llvm::any_of(op->getOperandTypes(), isMemory) ||
                 llvm::any_of(op->getResultTypes(), isMemory);
  if (touches && op->getParentOfType<linalg::LinalgOp>())
    return "memory is used in the body of an op";
  if (!touches)
    return op->getNumRegions() == 0 || isMemoryEffectFree(op)
               ? ""
               : "memory is used in a region of " +
                     op->getName().getStringRef().str();
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
    if (!linalgOp.hasPureBufferSemantics())
      return "an op reads tensors and memory";
    if (isLittleWork(op))
      return "an op in a loop would be a kernel of a part of memory alone";
    return checkMemory(linalgOp);
  }
  if (auto softmax = dyn_cast<linalg::SoftmaxOp>(op)) {
    if (!isMemory(softmax.getInput().getType()) ||
        !isMemory(softmax.getOutput().getType()))
      return "an op reads tensors and memory";
    if (isLittleWork(op))
      return "an op in a loop would be a kernel of a part of memory alone";
    return softmax.getInput() == softmax.getOutput() ||
                   getRoot(softmax.getInput()) != getRoot(softmax.getOutput())
               ? ""
               : "an op reads memory that it may have written before";
  }
  if (auto view = dyn_cast<memref::SubViewOp>(op))
    // A kernel would copy its elements to lie side by side, and back.
    return view.getSourceType().getRank() == 0 ||
                   isConstantIntValue(view.getMixedStrides().back(), 1)
               ? ""
               : "elements of a view do not lie side by side";
  if (auto copy = dyn_cast<memref::CopyOp>(op))
    return getRoot(copy.getSource()) != getRoot(copy.getTarget()) ||
                   areApart(copy.getSource(), copy.getTarget(), op)
               ? ""
               : "a copy within one memory";
  if (isa<memref::AllocOp, memref::AllocaOp>(op))
    return cast<MemRefType>(op->getResult(0).getType()).getLayout().isIdentity()
               ? ""
               : "memory with a layout";
  if (isa<memref::DimOp, memref::LoadOp, memref::StoreOp, memref::DeallocOp>(
          op))
    return "";
  return op->getName().getStringRef().str() + " uses memory";
}

std::string Checker::run() {
  if (!function.getBody().hasOneBlock())
    return "more than one block";
  for (Type type : function.getArgumentTypes())
    if (isMemory(type) && !(isa<MemRefType>(type) &&
                            cast<MemRefType>(type).getLayout().isIdentity()))
      return "an argument with a layout";
  std::string why;
  function.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    why = check(op);
    if (!why.empty())
      return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return why;
}

//===----------------------------------------------------------------------===//
// Conversion
//===----------------------------------------------------------------------===//

namespace {
/// Follows the tensors that memory holds through a function.
class Functionalizer {
public:
  explicit Functionalizer(func::FuncOp function)
      : function(function), b(function.getContext()) {}
  void run();

private:
  void convert(Block &block);
  void convert(Operation *op);
  void convert(scf::ForOp loop);
  void convert(scf::IfOp branch);
  Operation *makeOnTensors(linalg::LinalgOp op, ArrayRef<Type> types,
                           ArrayRef<Value> operands);
  Value read(Value view);
  void write(Value view, Value tensor);
  SmallVector<Value> getWritten(Operation *op);

  func::FuncOp function;
  IRRewriter b;
  DenseMap<Value, Value> held; ///< what each root holds at this place
};
} // namespace

Value Functionalizer::read(Value view) {
  auto subview = view.getDefiningOp<memref::SubViewOp>();
  if (!subview)
    return held.lookup(view);
  Value source = read(subview.getSource());
  return tensor::ExtractSliceOp::create(
      b, view.getLoc(), getTensorType(view.getType()), source,
      subview.getMixedOffsets(), subview.getMixedSizes(),
      subview.getMixedStrides());
}

void Functionalizer::write(Value view, Value tensor) {
  auto subview = view.getDefiningOp<memref::SubViewOp>();
  if (!subview) {
    held[view] = tensor;
    return;
  }
  Value source = read(subview.getSource());
  write(subview.getSource(),
        tensor::InsertSliceOp::create(
            b, view.getLoc(), tensor, source, subview.getMixedOffsets(),
            subview.getMixedSizes(), subview.getMixedStrides()));
}

/// The roots from outside of `op` that it writes.
SmallVector<Value> Functionalizer::getWritten(Operation *op) {
  llvm::SetVector<Value> written;
  auto add = [&](Value view) {
    if (held.contains(getRoot(view)))
      written.insert(getRoot(view));
  };
  op->walk([&](Operation *inner) {
    if (isa<linalg::LinalgOp, linalg::SoftmaxOp>(inner))
      for (Value init : cast<DestinationStyleOpInterface>(inner).getDpsInits())
        add(init);
    else if (auto store = dyn_cast<memref::StoreOp>(inner))
      add(store.getMemRef());
    else if (auto copy = dyn_cast<memref::CopyOp>(inner))
      add(copy.getTarget());
  });
  return written.takeVector();
}

void Functionalizer::convert(scf::ForOp loop) {
  SmallVector<Value> written = getWritten(loop);
  DenseMap<Value, Value> before = held;
  SmallVector<Value> inits;
  for (Value root : written)
    inits.push_back(held[root]);
  b.setInsertionPoint(loop);
  auto carrying = cast<scf::ForOp>(
      loop.replaceWithAdditionalYields(
              b, inits, /*replaceInitOperandUsesInLoop=*/false,
              [&](OpBuilder &, Location, ArrayRef<BlockArgument> arguments) {
                for (auto [root, argument] : llvm::zip(written, arguments))
                  held[root] = argument;
                OpBuilder::InsertionGuard guard(b);
                convert(*loop.getBody());
                return llvm::map_to_vector(
                    written, [&](Value root) { return held[root]; });
              })
          ->getOperation());
  held = std::move(before);
  for (auto [root, result] :
       llvm::zip(written, carrying.getResults().take_back(written.size())))
    held[root] = result;
}

void Functionalizer::convert(scf::IfOp branch) {
  SmallVector<Value> written = getWritten(branch);
  b.setInsertionPoint(branch);
  SmallVector<Type> types(branch.getResultTypes());
  for (Value root : written)
    types.push_back(held[root].getType());
  bool hasElse = !branch.getElseRegion().empty();
  auto giving = scf::IfOp::create(b, branch.getLoc(), types,
                                  branch.getCondition(), /*addThenBlock=*/false,
                                  /*addElseBlock=*/false);
  giving.getThenRegion().takeBody(branch.getThenRegion());
  if (hasElse) {
    giving.getElseRegion().takeBody(branch.getElseRegion());
  } else {
    b.createBlock(&giving.getElseRegion());
    scf::YieldOp::create(b, branch.getLoc());
  }
  DenseMap<Value, Value> before = held;
  for (Region *region : {&giving.getThenRegion(), &giving.getElseRegion()}) {
    held = before;
    convert(region->front());
    Operation *yield = region->front().getTerminator();
    SmallVector<Value> given(yield->getOperands());
    for (Value root : written)
      given.push_back(held[root]);
    yield->setOperands(given);
  }
  held = std::move(before);
  unsigned first = branch.getNumResults();
  for (auto [i, root] : llvm::enumerate(written))
    held[root] = giving.getResult(first + i);
  b.replaceOp(branch, giving.getResults().take_front(first));
}

/// `op` with these operands. What it reads and writes elementwise it reads
/// through the operand that it writes, so that there is one.
Operation *Functionalizer::makeOnTensors(linalg::LinalgOp op,
                                         ArrayRef<Type> types,
                                         ArrayRef<Value> operands) {
  auto isUpdated = [&](OpOperand *input) {
    return op.getNumDpsInits() == 1 && input->get() == op.getDpsInits()[0];
  };
  Operation *made = clone(b, op, types, operands);
  SmallVector<OpOperand *> inputs = op.getDpsInputOperands();
  if (llvm::none_of(inputs, isUpdated))
    return made;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<Value> kept;
  SmallVector<AffineMap> keptMaps;
  BitVector dropped(maps.size());
  for (OpOperand *input : inputs) {
    unsigned i = input->getOperandNumber();
    if (isUpdated(input)) {
      dropped.set(i);
      continue;
    }
    kept.push_back(operands[i]);
    keptMaps.push_back(maps[i]);
  }
  keptMaps.push_back(maps.back());
  auto generic = linalg::GenericOp::create(b, op.getLoc(), types, kept,
                                           operands.take_back(1), keptMaps,
                                           op.getIteratorTypesArray());
  generic.getRegion().takeBody(made->getRegion(0));
  b.eraseOp(made);
  Block &body = generic.getRegion().front();
  for (unsigned i : dropped.set_bits())
    body.getArgument(i).replaceAllUsesWith(body.getArguments().back());
  body.eraseArguments(dropped);
  return generic;
}

void Functionalizer::convert(Operation *op) {
  Location loc = op->getLoc();
  b.setInsertionPoint(op);
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    if (getWritten(op).empty())
      return convert(*loop.getBody());
    return convert(loop);
  }
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    if (!getWritten(op).empty())
      return convert(branch);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        convert(block);
    return;
  }
  if (isa<memref::AllocOp, memref::AllocaOp>(op)) {
    Value memory = op->getResult(0);
    SmallVector<Value> extents(
        isa<memref::AllocOp>(op)
            ? cast<memref::AllocOp>(op).getDynamicSizes()
            : cast<memref::AllocaOp>(op).getDynamicSizes());
    RankedTensorType type = getTensorType(memory.getType());
    held[memory] = tensor::EmptyOp::create(b, loc, type.getShape(),
                                           type.getElementType(), extents);
  } else if (auto dim = dyn_cast<memref::DimOp>(op)) {
    // An argument's memory tells its own sizes.
    if (!isa<BlockArgument>(dim.getSource()))
      b.replaceOpWithNewOp<tensor::DimOp>(dim, read(dim.getSource()),
                                          dim.getIndex());
  } else if (auto load = dyn_cast<memref::LoadOp>(op)) {
    b.replaceOpWithNewOp<tensor::ExtractOp>(load, read(load.getMemRef()),
                                            load.getIndices());
  } else if (auto store = dyn_cast<memref::StoreOp>(op)) {
    write(store.getMemRef(), tensor::InsertOp::create(
                                 b, loc, store.getValueToStore(),
                                 read(store.getMemRef()), store.getIndices()));
    b.eraseOp(store);
  } else if (auto copy = dyn_cast<memref::CopyOp>(op)) {
    Value from = read(copy.getSource());
    RankedTensorType type = getTensorType(copy.getTarget().getType());
    if (from.getType() != type)
      from = tensor::CastOp::create(b, loc, type, from);
    write(copy.getTarget(), from);
    b.eraseOp(copy);
  } else if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
    if (!llvm::any_of(op->getOperandTypes(), isMemory))
      return;
    SmallVector<Value> operands;
    SmallVector<Type> types;
    for (OpOperand &operand : op->getOpOperands()) {
      operands.push_back(isMemory(operand.get().getType()) ? read(operand.get())
                                                           : operand.get());
      if (linalgOp.isDpsInit(&operand))
        types.push_back(operands.back().getType());
    }
    Operation *made = makeOnTensors(linalgOp, types, operands);
    for (auto [init, result] :
         llvm::zip(linalgOp.getDpsInits(), made->getResults()))
      write(init, result);
    b.eraseOp(op);
  } else if (auto softmax = dyn_cast<linalg::SoftmaxOp>(op)) {
    if (!isMemory(softmax.getOutput().getType()))
      return;
    Value to = read(softmax.getOutput());
    write(softmax.getOutput(),
          linalg::SoftmaxOp::create(b, loc, TypeRange{to.getType()},
                                    read(softmax.getInput()), to,
                                    softmax.getDimension())
              ->getResult(0));
    b.eraseOp(op);
  } else if (isa<memref::DeallocOp>(op)) {
    b.eraseOp(op);
  }
}

void Functionalizer::convert(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block))
    convert(&op);
}

void Functionalizer::run() {
  Block &body = function.getBody().front();
  SmallVector<Value> written;
  for (BlockArgument argument : body.getArguments())
    if (isMemory(argument.getType()))
      held[argument] = Value();
  written = getWritten(function);
  b.setInsertionPointToStart(&body);
  for (BlockArgument argument : body.getArguments())
    if (isMemory(argument.getType()))
      held[argument] = bufferization::ToTensorOp::create(
          b, function.getLoc(), getTensorType(argument.getType()), argument,
          /*restrict=*/true,
          /*writable=*/llvm::is_contained(written, argument));
  for (Operation &op : llvm::make_early_inc_range(body))
    if (!isa<bufferization::ToTensorOp>(op))
      convert(&op);
  b.setInsertionPoint(body.getTerminator());
  for (Value argument : written)
    bufferization::MaterializeInDestinationOp::create(
        b, function.getLoc(), /*result=*/Type(), held[argument], argument,
        /*restrict=*/true, /*writable=*/true);
  // Views and allocations that nothing reads any more.
  SmallVector<Operation *> dead;
  function.walk([&](Operation *op) {
    if (isa<memref::SubViewOp, memref::AllocOp, memref::AllocaOp>(op))
      dead.push_back(op);
  });
  for (Operation *op : llvm::reverse(dead))
    if (op->use_empty())
      b.eraseOp(op);
}

namespace {
struct FunctionalizePass : vortex::impl::FunctionalizeBase<FunctionalizePass> {
  void runOnOperation() override {
    getOperation()->walk([&](func::FuncOp function) {
      auto worksOnMemory = [](Operation *op) {
        bool works = isa<linalg::LinalgOp, linalg::SoftmaxOp>(op) &&
                     llvm::any_of(op->getOperandTypes(), isMemory);
        return works ? WalkResult::interrupt() : WalkResult::advance();
      };
      if (function.isExternal() ||
          !function.walk(worksOnMemory).wasInterrupted())
        return WalkResult::skip();
      std::string why = Checker(function).run();
      if (why.empty())
        Functionalizer(function).run();
      else
        remark::missed(
            function.getLoc(),
            remark::RemarkOpts::name("in-place").category(DEBUG_TYPE))
            << "function @" << function.getName()
            << " stays one on memory: " << why;
      return WalkResult::skip();
    });
  }
};
} // namespace
