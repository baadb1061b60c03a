//===- DonateArguments.cpp - Results in the memory of arguments -----------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Conversion/CallContext.h"
#include "vortex/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/StringSet.h"

namespace vortex {
#define GEN_PASS_DEF_DONATEARGUMENTS
#include "vortex/Conversion/Passes.h.inc"
} // namespace vortex

using namespace mlir;
using namespace vortex;

namespace {
/// Gives the memory of arguments of one function to its results.
class Donor {
public:
  explicit Donor(func::FuncOp function) : function(function) {}
  LogicalResult run(bool called);

private:
  LogicalResult collect(bool called);
  void takeMemory(unsigned position);
  void copyShared();
  void donate(unsigned argument, unsigned result);

  func::FuncOp function;
  /// For each result the argument whose memory it takes.
  SmallVector<std::optional<unsigned>> arguments;
  /// The tensors of arguments that give their memory, by position.
  DenseMap<Value, unsigned> given;
};
} // namespace

/// Finds who gives what to whom, and refuses what cannot be.
LogicalResult Donor::collect(bool called) {
  arguments.resize(function.getNumResults());
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    Attribute attr = function.getArgAttr(i, kDonatedAttr);
    if (!attr)
      continue;
    auto refuse = [&] {
      return function.emitOpError()
             << "'" << kDonatedAttr << "' of argument " << i << " ";
    };
    auto result = dyn_cast<IntegerAttr>(attr);
    if (!result || result.getInt() < 0 ||
        result.getInt() >= int64_t(arguments.size()))
      return refuse() << "must name one of the " << arguments.size()
                      << " results, counted from 0";
    unsigned r = result.getInt();
    Type type = function.getArgumentTypes()[i];
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || type != function.getResultTypes()[r])
      return refuse() << "needs a tensor of the type of result " << r
                      << "; the argument is " << type << ", the result "
                      << function.getResultTypes()[r];
    if (arguments[r])
      return refuse() << "and of argument " << *arguments[r]
                      << " name the same result, " << r;
    if (!function.isPublic() || function.isExternal() || called ||
        !function.getBody().hasOneBlock())
      return refuse() << "is for public functions of one block that the "
                         "program does not call";
    arguments[r] = i;
  }
  return success();
}

void Donor::takeMemory(unsigned position) {
  Block &body = function.getBody().front();
  BlockArgument argument = body.getArgument(position);
  auto tensor = cast<RankedTensorType>(argument.getType());
  argument.setType(MemRefType::get(tensor.getShape(), tensor.getElementType()));
  function.removeArgAttr(position, kDonatedAttr);
  OpBuilder b = OpBuilder::atBlockBegin(&body);
  auto toTensor = bufferization::ToTensorOp::create(
      b, function.getLoc(), tensor, argument, /*restrict=*/true,
      /*writable=*/true);
  argument.replaceAllUsesExcept(toTensor, toTensor);
  given[toTensor] = position;
}

/// Results go to their memory one after the other. One that may lie in what
/// another is given is copied before the first does, as two are that change
/// places.
void Donor::copyShared() {
  Operation *end = function.getBody().front().getTerminator();
  OpBuilder b(end);
  bufferization::BufferizationOptions options;
  bufferization::AnalysisState state(options);
  for (OpOperand &operand : end->getOpOperands()) {
    if (!isa<TensorType>(operand.get().getType()))
      continue;
    std::optional<unsigned> own = arguments[operand.getOperandNumber()];
    SetVector<Value> from = state.findValueInReverseUseDefChain(
        &operand, [&](Value value) { return given.contains(value); });
    if (llvm::any_of(from, [&](Value value) {
          auto it = given.find(value);
          return it != given.end() && it->second != own;
        }))
      operand.set(bufferization::AllocTensorOp::create(
          b, end->getLoc(), cast<RankedTensorType>(operand.get().getType()),
          /*dynamicSizes=*/ValueRange{}, /*copy=*/operand.get()));
  }
}

void Donor::donate(unsigned position, unsigned result) {
  Block &body = function.getBody().front();
  BlockArgument argument = body.getArgument(position);
  auto tensor = cast<MemRefType>(argument.getType());
  Location loc = function.getLoc();
  OpBuilder b(function.getContext());
  Operation *end = body.getTerminator();
  b.setInsertionPoint(end);
  Value value = end->getOperand(result);
  for (int64_t dim = 0; dim < tensor.getRank(); ++dim) {
    if (!tensor.isDynamicDim(dim))
      continue;
    Value has = memref::DimOp::create(b, loc, argument, dim);
    Value needs = tensor::DimOp::create(b, loc, value, dim);
    Value fits =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, needs, has);
    cf::AssertOp::create(b, loc, fits,
                         ("dimension " + Twine(dim) + " of result " +
                          Twine(result) + " is not that of argument " +
                          Twine(position) + ", whose memory it takes")
                             .str());
  }
  bufferization::MaterializeInDestinationOp::create(
      b, loc, /*result=*/Type(), value, argument, /*restrict=*/true,
      /*writable=*/true);
}

LogicalResult Donor::run(bool called) {
  if (failed(collect(called)))
    return failure();
  Block *body = function.isExternal() ? nullptr : &function.getBody().front();
  for (std::optional<unsigned> argument : arguments)
    if (argument)
      takeMemory(*argument);
  if (!given.empty())
    copyShared();
  BitVector dropped(function.getNumResults());
  for (auto [result, argument] : llvm::enumerate(arguments))
    if (argument) {
      donate(*argument, result);
      dropped.set(result);
    }
  if (dropped.none())
    return success();
  body->getTerminator()->eraseOperands(dropped);
  if (failed(function.eraseResults(dropped)))
    return failure();
  function.setType(FunctionType::get(function.getContext(),
                                     body->getArgumentTypes(),
                                     function.getResultTypes()));
  return success();
}

namespace {
struct DonateArgumentsPass
    : vortex::impl::DonateArgumentsBase<DonateArgumentsPass> {
  void runOnOperation() override {
    llvm::StringSet<> called;
    getOperation()->walk(
        [&](func::CallOp call) { called.insert(call.getCallee()); });
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (failed(Donor(function).run(called.contains(function.getSymName()))))
        return signalPassFailure();
  }
};
} // namespace
