//===- LowerQueries.cpp - Lowers machine parameters and selections -===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Conversion/CallContext.h"
#include "vortex/Conversion/ChoiceFunctions.h"
#include "vortex/Conversion/Passes.h"
#include "vortex/Dialect/Vortex/IR/VortexDialect.h"

#include "vortex-c/Artifact.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

namespace vortex {
#define GEN_PASS_DEF_LOWERQUERIES
#include "vortex/Conversion/Passes.h.inc"
} // namespace vortex

using namespace mlir;
using namespace vortex;

/// The table position that vortex-number-queries gave `op`.
static FailureOr<int64_t> getPosition(Operation *op) {
  if (auto index = op->getAttrOfType<IntegerAttr>(kIndexAttr))
    return index.getInt();
  return op->emitOpError("has no position; run vortex-number-queries first");
}

static FailureOr<Value> getContext(Operation *op) {
  if (Value context = getCallContext(op))
    return context;
  return op->emitOpError("is outside a function with a call context; run "
                         "vortex-add-context first");
}

/// What a caller says of the kernel that asks, in a function for several; null
/// elsewhere.
static Value getKernelNumber(Operation *op) {
  if (auto function = op->getParentOfType<FunctionOpInterface>())
    for (BlockArgument argument : function.getArguments())
      if (function.getArgAttr(argument.getArgNumber(), kNumberAttr))
        return argument;
  return {};
}

namespace {
/// A choice's kernel and the context of the call.
struct Asker {
  Value number, context;
};
} // namespace

static FailureOr<Asker> getAsker(Operation *op) {
  Value number = getKernelNumber(op);
  if (!number) {
    FailureOr<int64_t> position = getPosition(op);
    if (failed(position))
      return failure();
    OpBuilder b(op);
    number = LLVM::ConstantOp::create(b, op->getLoc(),
                                      b.getI64IntegerAttr(*position));
  }
  FailureOr<Value> context = getContext(op);
  if (failed(context))
    return failure();
  return Asker{number, *context};
}

static LogicalResult lower(MachineParamOp op) {
  FailureOr<int64_t> index = getPosition(op);
  if (failed(index))
    return failure();
  FailureOr<Value> context = getContext(op);
  if (failed(context))
    return failure();
  OpBuilder b(op);
  Location loc = op.getLoc();
  if (op.getParam() == "threads") {
    // A body of a parallel loop has a context of its own, with one thread.
    Value threads = loadContextField(b, loc, *context, ContextField::Threads);
    op.replaceAllUsesWith(
        arith::SIToFPOp::create(b, loc, b.getF64Type(), threads).getResult());
    op.erase();
    return success();
  }
  Value table = loadContextField(b, loc, *context, ContextField::Machine);
  Value address =
      LLVM::GEPOp::create(b, loc, table.getType(), b.getF64Type(), table,
                          ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(*index)});
  Value value = LLVM::LoadOp::create(b, loc, b.getF64Type(), address, 0, false,
                                     false, /*isInvariant=*/true);
  op.replaceAllUsesWith(value);
  op.erase();
  return success();
}

/// An array of `values` on the stack of the function around `op`.
static Value spill(OpBuilder &b, Operation *op, Type element,
                   ValueRange values) {
  Location loc = op->getLoc();
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  Value array;
  {
    // In the entry block: an alloca in a loop would grow the stack.
    OpBuilder::InsertionGuard guard(b);
    auto function = op->getParentOfType<FunctionOpInterface>();
    b.setInsertionPointToStart(&function.getFunctionBody().front());
    Value count = LLVM::ConstantOp::create(
        b, loc, b.getI64IntegerAttr(std::max<int64_t>(values.size(), 1)));
    array = LLVM::AllocaOp::create(b, loc, pointer, element, count);
  }
  for (auto [i, value] : llvm::enumerate(values)) {
    Value address =
        LLVM::GEPOp::create(b, loc, pointer, element, array,
                            ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i)});
    LLVM::StoreOp::create(b, loc, value, address);
  }
  return array;
}

/// Calls `context->choose`, the choice being an i64; returns its answer.
static Value ask(OpBuilder &b, Operation *op, const Asker &asker, Value choice,
                 ValueRange allowed, ValueRange costs) {
  Location loc = op->getLoc();
  auto constant = [&](int64_t value) -> Value {
    return LLVM::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
  };
  SmallVector<Value> bytes;
  for (Value value : allowed)
    bytes.push_back(arith::ExtUIOp::create(b, loc, b.getI8Type(), value));
  Value allowedArray = spill(b, op, b.getI8Type(), bytes);
  Value costArray = spill(b, op, b.getF64Type(), costs);
  return callContext(
             b, loc, asker.context, ContextField::Choose, b.getI64Type(),
             ValueRange{asker.context, asker.number, choice, allowedArray,
                        costArray, constant(bytes.size())})
      .getResult();
}

static LogicalResult lower(SelectOp op) {
  FailureOr<Asker> asker = getAsker(op);
  if (failed(asker))
    return failure();
  OpBuilder b(op);
  Location loc = op.getLoc();
  Value callee = loadContextField(b, loc, asker->context, ContextField::Choose);
  Value null = LLVM::ZeroOp::create(b, loc, callee.getType());
  Value asked =
      LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::ne, callee, null);
  auto branch = scf::IfOp::create(b, loc, b.getIndexType(), asked,
                                  /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    Value choice =
        arith::IndexCastOp::create(b, loc, b.getI64Type(), op.getChoice());
    Value answer =
        ask(b, branch, *asker, choice, op.getAllowed(), op.getCosts());
    Value chosen = arith::IndexCastOp::create(b, loc, b.getIndexType(), answer);
    scf::YieldOp::create(b, loc, chosen);
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, loc, op.getChoice());
  }
  op.replaceAllUsesWith(branch.getResult(0));
  op.erase();
  return success();
}

static LogicalResult lower(ReportOp op) {
  FailureOr<Asker> asker = getAsker(op);
  if (failed(asker))
    return failure();
  OpBuilder b(op);
  Location loc = op.getLoc();
  Value choice;
  if (op.getChoice())
    choice = arith::IndexCastOp::create(b, loc, b.getI64Type(), op.getChoice());
  else
    choice = LLVM::ConstantOp::create(
        b, loc, b.getI64IntegerAttr(VORTEX_CHOICE_DEPENDS_ON_DATA));
  ask(b, op, *asker, choice, op.getAllowed(), op.getCosts());
  op.erase();
  return success();
}

/// The stride that the layout gives, else the one in the descriptor.
static LogicalResult lower(StrideOp op) {
  if (!isa<MemRefType>(op.getSource().getType()))
    return op.emitOpError("asks about a tensor; bufferize first");
  OpBuilder b(op);
  auto metadata =
      memref::ExtractStridedMetadataOp::create(b, op.getLoc(), op.getSource());
  op.replaceAllUsesWith(metadata.getStrides()[op.getDimension()]);
  op.erase();
  return success();
}

/// The lowest set bit of the first element's address and of the largest
/// alignment that is told.
static LogicalResult lower(AlignmentOp op) {
  auto type = dyn_cast<MemRefType>(op.getSource().getType());
  if (!type)
    return op.emitOpError("asks about a tensor; bufferize first");
  constexpr int64_t most = 4096;
  OpBuilder b(op);
  Location loc = op.getLoc();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  Value base =
      memref::ExtractAlignedPointerAsIndexOp::create(b, loc, op.getSource());
  Value offset =
      memref::ExtractStridedMetadataOp::create(b, loc, op.getSource())
          .getOffset();
  Type element = type.getElementType();
  int64_t bits = isa<IndexType>(element)     ? 64
                 : isa<ComplexType>(element) ? 2 * cast<ComplexType>(element)
                                                       .getElementType()
                                                       .getIntOrFloatBitWidth()
                                             : element.getIntOrFloatBitWidth();
  Value bytes = arith::MulIOp::create(b, loc, offset,
                                      constant(llvm::divideCeil(bits, 8)));
  Value address = arith::AddIOp::create(b, loc, base, bytes);
  Value marked = arith::OrIOp::create(b, loc, address, constant(most));
  Value negated = arith::SubIOp::create(b, loc, constant(0), marked);
  Value lowest = arith::AndIOp::create(b, loc, marked, negated);
  op.replaceAllUsesWith(lowest);
  op.erase();
  return success();
}

static LogicalResult lower(ChoiceInputOp op) {
  op.replaceAllUsesWith(op.getValue());
  op.erase();
  return success();
}

namespace {
struct LowerQueriesPass : vortex::impl::LowerQueriesBase<LowerQueriesPass> {
  void runOnOperation() override {
    SmallVector<Operation *> queries;
    getOperation()->walk([&](Operation *op) {
      if (isa<MachineParamOp, SelectOp, ReportOp, StrideOp, AlignmentOp,
              ChoiceInputOp>(op))
        queries.push_back(op);
    });
    for (Operation *op : queries) {
      LogicalResult result =
          llvm::TypeSwitch<Operation *, LogicalResult>(op)
              .Case<MachineParamOp, SelectOp, ReportOp, StrideOp, AlignmentOp,
                    ChoiceInputOp>([](auto query) { return lower(query); });
      if (failed(result))
        return signalPassFailure();
    }
  }
};
} // namespace
