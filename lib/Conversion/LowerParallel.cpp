//===- LowerParallel.cpp - Runs scf.forall on the call's threads -===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Conversion/CallContext.h"
#include "vortex/Conversion/Passes.h"

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

namespace vortex {
#define GEN_PASS_DEF_LOWERPARALLEL
#include "vortex/Conversion/Passes.h.inc"
} // namespace vortex

using namespace mlir;
using namespace vortex;

namespace {

/// `value` as the type that it will have in LLVM, or back.
Value castTo(OpBuilder &b, Location loc, Type type, Value value) {
  if (value.getType() == type)
    return value;
  return UnrealizedConversionCastOp::create(b, loc, type, value).getResult(0);
}

class Outliner {
public:
  Outliner(ModuleOp module)
      : module(module), symbols(module), types(module.getContext()) {}

  LogicalResult outline(scf::ForallOp op);

private:
  func::FuncOp createBody(scf::ForallOp op, ArrayRef<Value> captured,
                          LLVM::LLVMStructType closure);

  ModuleOp module;
  SymbolTable symbols;
  LLVMTypeConverter types;
};

/// ceil((upper - lower) / step), at least 0.
Value tripCount(OpBuilder &b, Location loc, OpFoldResult lower,
                OpFoldResult upper, OpFoldResult step) {
  auto value = [&](OpFoldResult v) {
    return getValueOrCreateConstantIndexOp(b, loc, v);
  };
  Value distance = arith::SubIOp::create(b, loc, value(upper), value(lower));
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  distance = arith::MaxSIOp::create(b, loc, distance, zero);
  return arith::CeilDivUIOp::create(b, loc, distance, value(step));
}

/// Makes `body(context, closure, i)`; the last three captured values are not
/// special: trip counts are computed again from the captured bounds.
func::FuncOp Outliner::createBody(scf::ForallOp op, ArrayRef<Value> captured,
                                  LLVM::LLVMStructType closure) {
  MLIRContext *context = op.getContext();
  Location loc = op.getLoc();
  auto parent = op->getParentOfType<FunctionOpInterface>();
  OpBuilder b(context);
  Type pointer = LLVM::LLVMPointerType::get(context);
  auto type = b.getFunctionType({pointer, pointer, b.getI64Type()}, {});
  auto body =
      func::FuncOp::create(loc, (parent.getName() + ".body").str(), type);
  body.setPrivate();
  body.setArgAttr(0, kContextAttr, b.getUnitAttr());
  symbols.insert(body, parent->getIterator());

  Block *entry = body.addEntryBlock();
  b.setInsertionPointToStart(entry);
  IRMapping mapping;
  for (auto [i, value] : llvm::enumerate(captured)) {
    Type element = closure.getBody()[i];
    Value address =
        LLVM::GEPOp::create(b, loc, pointer, closure, entry->getArgument(1),
                            ArrayRef<LLVM::GEPArg>{0, static_cast<int32_t>(i)});
    Value loaded = LLVM::LoadOp::create(b, loc, element, address);
    mapping.map(value, castTo(b, loc, value.getType(), loaded));
  }
  // Constants and the context are made again instead of captured.
  if (Value outer = getCallContext(op))
    mapping.map(outer, entry->getArgument(0));
  SetVector<Value> used;
  getUsedValuesDefinedAbove(op.getRegion(), used);
  for (OpFoldResult bound : op.getMixedUpperBound())
    if (auto value = dyn_cast<Value>(bound))
      used.insert(value);
  for (auto list : {op.getMixedLowerBound(), op.getMixedStep()})
    for (OpFoldResult bound : list)
      if (auto value = dyn_cast<Value>(bound))
        used.insert(value);
  for (Value value : used)
    if (!mapping.contains(value))
      mapping.map(value,
                  b.clone(*value.getDefiningOp())
                      ->getResult(cast<OpResult>(value).getResultNumber()));

  auto map = [&](OpFoldResult v) -> OpFoldResult {
    if (auto value = dyn_cast<Value>(v))
      return mapping.lookup(value);
    return v;
  };
  Value rest = arith::IndexCastOp::create(b, loc, b.getIndexType(),
                                          entry->getArgument(2));
  unsigned rank = op.getRank();
  for (unsigned d = rank; d-- > 0;) {
    OpFoldResult lower = map(op.getMixedLowerBound()[d]);
    OpFoldResult step = map(op.getMixedStep()[d]);
    Value i = rest;
    if (d > 0) {
      Value count =
          tripCount(b, loc, lower, map(op.getMixedUpperBound()[d]), step);
      i = arith::RemUIOp::create(b, loc, rest, count);
      rest = arith::DivUIOp::create(b, loc, rest, count);
    }
    i = arith::MulIOp::create(b, loc, i,
                              getValueOrCreateConstantIndexOp(b, loc, step));
    i = arith::AddIOp::create(b, loc, i,
                              getValueOrCreateConstantIndexOp(b, loc, lower));
    mapping.map(op.getInductionVar(d), i);
  }
  for (Operation &inner : op.getBody()->without_terminator())
    b.clone(inner, mapping);
  func::ReturnOp::create(b, loc);
  return body;
}

LogicalResult Outliner::outline(scf::ForallOp op) {
  if (op.getNumResults())
    return op.emitOpError("on tensors must be bufferized first");
  Value context = getCallContext(op);
  if (!context)
    return op.emitOpError("is outside a function with a call context; run "
                          "vortex-add-context first");
  Location loc = op.getLoc();
  OpBuilder b(op);
  SetVector<Value> used;
  getUsedValuesDefinedAbove(op.getRegion(), used);
  for (Value operand : op->getOperands())
    used.insert(operand);
  SmallVector<Value> captured;
  SmallVector<Type> fields;
  for (Value value : used) {
    Operation *def = value.getDefiningOp();
    if (value == context || (def && def->hasTrait<OpTrait::ConstantLike>()))
      continue;
    Type type = types.convertType(value.getType());
    if (!type)
      return op.emitOpError() << "uses a value of type " << value.getType()
                              << ", which cannot be passed to a thread";
    captured.push_back(value);
    fields.push_back(type);
  }
  auto closure = LLVM::LLVMStructType::getLiteral(op.getContext(), fields);
  func::FuncOp body = createBody(op, captured, closure);

  Type pointer = context.getType();
  Value memory;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(cast<BlockArgument>(context).getOwner());
    Value one = LLVM::ConstantOp::create(b, loc, b.getI64IntegerAttr(1));
    memory = LLVM::AllocaOp::create(b, loc, pointer, closure, one);
  }
  for (auto [i, value] : llvm::enumerate(captured)) {
    Value address =
        LLVM::GEPOp::create(b, loc, pointer, closure, memory,
                            ArrayRef<LLVM::GEPArg>{0, static_cast<int32_t>(i)});
    LLVM::StoreOp::create(b, loc, castTo(b, loc, fields[i], value), address);
  }
  Value count = arith::ConstantIndexOp::create(b, loc, 1);
  for (unsigned d = 0; d < op.getRank(); ++d)
    count = arith::MulIOp::create(b, loc, count,
                                  tripCount(b, loc, op.getMixedLowerBound()[d],
                                            op.getMixedUpperBound()[d],
                                            op.getMixedStep()[d]));
  Value threads = loadContextField(b, loc, context, ContextField::Threads);
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value single = LLVM::ConstantOp::create(b, loc, b.getI64IntegerAttr(1));
  Value many =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt, threads, single);
  Value several =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ugt, count, one);
  auto branch =
      scf::IfOp::create(b, loc, arith::AndIOp::create(b, loc, many, several),
                        /*withElseRegion=*/true);
  b.setInsertionPointToStart(branch.thenBlock());
  Value function =
      func::ConstantOp::create(b, loc, body.getFunctionType(),
                               FlatSymbolRefAttr::get(body.getSymNameAttr()));
  Value trips = arith::IndexCastOp::create(b, loc, b.getI64Type(), count);
  callContext(
      b, loc, context, ContextField::ParallelFor, {},
      ValueRange{context, castTo(b, loc, pointer, function), memory, trips});
  b.setInsertionPointToStart(branch.elseBlock());
  auto loop = scf::ForOp::create(b, loc, zero, count, one);
  b.setInsertionPointToStart(loop.getBody());
  Value i = arith::IndexCastOp::create(b, loc, b.getI64Type(),
                                       loop.getInductionVar());
  func::CallOp::create(b, loc, body, ValueRange{context, memory, i});
  op.erase();
  return success();
}

struct LowerParallelPass : vortex::impl::LowerParallelBase<LowerParallelPass> {
  void runOnOperation() override {
    SmallVector<scf::ForallOp> outer, inner;
    getOperation().walk([&](scf::ForallOp op) {
      (op->getParentOfType<scf::ForallOp>() ? inner : outer).push_back(op);
    });
    IRRewriter rewriter(&getContext());
    // The walk is post-order: innermost loops come first.
    for (scf::ForallOp op : inner)
      if (failed(scf::forallToForLoop(rewriter, op)))
        return signalPassFailure();
    Outliner outliner(getOperation());
    for (scf::ForallOp op : outer)
      if (failed(outliner.outline(op)))
        return signalPassFailure();
  }
};
} // namespace
