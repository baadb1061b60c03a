//===- PayloadEmitter.cpp - Elements of a kernel's values ------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PayloadEmitter.h"

#include "vortex/Dialect/Vortex/IR/ProductSums.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace vortex;

PayloadEmitter::PayloadEmitter(KernelOp kernel, DeviceKernel &device)
    : kernel(kernel), device(device), b(device.b), known(1) {}

/// The one operation that joins the parts of the reduction `op`; null: several.
static Operation *getCombiner(linalg::LinalgOp op) {
  SmallVector<Operation *> combiners;
  if (!matchReduction(op.getRegionOutputArgs(), 0, combiners) ||
      combiners.size() != 1 || !arith::getNeutralElement(combiners[0]))
    return nullptr;
  return combiners[0];
}

LogicalResult PayloadEmitter::verify() {
  for (Operation &op : kernel.getPayload().front().without_terminator()) {
    if (isa<tensor::EmptyOp>(op) || matchPattern(&op, m_Constant()))
      continue;
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    if (!linalgOp)
      return op.emitOpError("has no device code: the payload of a kernel is "
                            "linalg ops, constants and empty tensors");
    if (op.getNumResults() != 1 ||
        !linalgOp.getIndexingMapsArray().back().isProjectedPermutation())
      return op.emitOpError("has no device code: it must have one result, each "
                            "of whose dimensions is a loop");
    for (AffineMap map : linalgOp.getIndexingMapsArray())
      if (map.getNumSymbols() != 0)
        return op.emitOpError("has no device code: its maps have symbols");
    if (linalgOp.getNumReductionLoops() == 0)
      continue;
    if (linalgOp.getNumLoops() > kernel.getAxes().size())
      return op.emitOpError("reduces, and has more loops than the kernel axes");
    if (!getCombiner(linalgOp))
      return op.emitOpError("reduces by more than one operation with a neutral "
                            "element");
  }
  return success();
}

//===----------------------------------------------------------------------===//
// What is known
//===----------------------------------------------------------------------===//

PayloadEmitter::Key PayloadEmitter::keyOf(const void *what, ArrayRef<Int> at) {
  Key key{what, {}};
  for (Int coordinate : at)
    key.second.push_back(coordinate.value.getAsOpaquePointer());
  return key;
}

Value PayloadEmitter::lookup(const Key &key) const {
  for (const auto &scope : llvm::reverse(known))
    if (auto it = scope.find(key); it != scope.end())
      return it->second;
  return Value();
}

void PayloadEmitter::remember(Value value, ArrayRef<Int> at, Value element) {
  known.back()[keyOf(value.getAsOpaquePointer(), at)] = element;
}

Value PayloadEmitter::element(Value value, ArrayRef<Int> at) {
  Key key = keyOf(value.getAsOpaquePointer(), at);
  if (Value found = lookup(key))
    return found;
  Value computed = compute(value, at);
  known.back()[key] = computed;
  return computed;
}

//===----------------------------------------------------------------------===//
// Coordinates
//===----------------------------------------------------------------------===//

Int PayloadEmitter::evaluate(AffineExpr expr, ArrayRef<Int> loops) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return loops[dim.getPosition()];
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return device.number(constant.getValue());
  // The same sum at the same place is one value, so that what is loaded there
  // is known to be the same element.
  SmallVector<Int> read;
  for (auto [i, loop] : llvm::enumerate(loops))
    if (expr.isFunctionOfDim(i))
      read.push_back(loop);
  Key key = keyOf(expr.getAsOpaquePointer(), read);
  if (Value found = lookup(key))
    return {&b, found};
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Int x = evaluate(binary.getLHS(), loops),
      y = evaluate(binary.getRHS(), loops);
  Int result;
  switch (binary.getKind()) {
  case AffineExprKind::Add:
    result = x + y;
    break;
  case AffineExprKind::Mul:
    result = x * y;
    break;
  case AffineExprKind::FloorDiv:
    result = x / y;
    break;
  case AffineExprKind::CeilDiv:
    result = (x + (y - device.number(1))) / y;
    break;
  case AffineExprKind::Mod:
    result = x % y;
    break;
  default:
    llvm_unreachable("dims and constants are no binary expressions");
  }
  known.back()[key] = result.value;
  return result;
}

SmallVector<Int> PayloadEmitter::coordinates(AffineMap map,
                                             ArrayRef<Int> loops) {
  return llvm::map_to_vector(
      map.getResults(), [&](AffineExpr expr) { return evaluate(expr, loops); });
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

Value PayloadEmitter::scalar(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return device.operands[argument.getArgNumber()];
  return b.clone(*value.getDefiningOp())->getResult(0);
}

Value PayloadEmitter::compute(Value value, ArrayRef<Int> at) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return scalar(value);
  Type elementType = type.getElementType();
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (Value loaded = loader ? loader(argument, at) : Value())
      return loaded;
    unsigned operand = argument.getArgNumber();
    return loadElement(b, elementType,
                       device.move(device.operands[operand],
                                   device.offset(operand, at), elementType));
  }
  Operation *op = value.getDefiningOp();
  if (auto fill = dyn_cast<linalg::FillOp>(op)) {
    // The number filled with may have another type.
    return apply(fill, at, Value());
  }
  Attribute constant;
  if (matchPattern(op, m_Constant(&constant)))
    if (auto splat = dyn_cast<SplatElementsAttr>(constant))
      return arith::ConstantOp::create(
          b, cast<TypedAttr>(splat.getSplatValue<Attribute>()));
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp) // what is in an empty tensor is nobody's business
    return arith::ConstantOp::create(b, b.getZeroAttr(elementType));

  AffineMap out = linalgOp.getIndexingMapsArray().back();
  SmallVector<Int> loops(linalgOp.getNumLoops());
  for (auto [dim, coordinate] : llvm::enumerate(at))
    loops[out.getDimPosition(dim)] = coordinate;
  if (linalgOp.getNumReductionLoops() == 0)
    return apply(linalgOp, loops, Value());
  SmallVector<unsigned> reductions;
  linalgOp.getReductionDims(reductions);
  Value start = element(linalgOp.getDpsInits()[0], at);
  return nest(reductions, loops, start,
              [&](ArrayRef<Int> inside, ValueRange carried) {
                return SmallVector<Value>{apply(linalgOp, inside, carried[0])};
              })[0];
}

Value PayloadEmitter::apply(linalg::LinalgOp op, ArrayRef<Int> loops,
                            Value accumulator) {
  SmallVector<Value> elements;
  for (OpOperand &operand : op->getOpOperands()) {
    if (accumulator && op.isDpsInit(&operand))
      elements.push_back(accumulator);
    else if (!op.payloadUsesValueFromOperand(&operand))
      elements.emplace_back();
    else
      elements.push_back(
          element(operand.get(),
                  coordinates(op.getMatchingIndexingMap(&operand), loops)));
  }
  return applyTo(op, elements, loops);
}

/// A product that is added to the sum so far, and that sum, where LLVM is not
/// to choose: both together are one operation in all tiles.
bool PayloadEmitter::emitJoined(Operation &inner, IRMapping &map) {
  if (inner.hasOneUse() && getAddedProduct(**inner.user_begin()) == &inner)
    return true;
  arith::MulFOp product = getAddedProduct(inner);
  if (!product)
    return false;
  Value sum = inner.getBlock()->getArguments().back();
  map.map(inner.getResult(0),
          math::FmaOp::create(b, map.lookup(product.getLhs()),
                              map.lookup(product.getRhs()), map.lookup(sum))
              .getResult());
  return true;
}

Value PayloadEmitter::applyTo(linalg::LinalgOp op, ArrayRef<Value> elements,
                              ArrayRef<Int> loops) {
  Block &body = op->getRegion(0).front();
  IRMapping map;
  for (auto [argument, element] : llvm::zip(body.getArguments(), elements))
    if (element)
      map.map(argument, element);
  for (Operation &inner : body.without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
      map.map(index.getResult(),
              arith::IndexCastUIOp::create(b, b.getIndexType(),
                                           loops[index.getDim()].value));
      continue;
    }
    // Values from around the op are numbers: constants or arguments.
    for (Value value : inner.getOperands())
      if (!map.contains(value) && value.getParentRegion() != body.getParent())
        map.map(value, element(value, {}));
    bool joins = op == joined;
    if (joins && !contract && emitJoined(inner, map))
      continue;
    Operation *clone = b.clone(inner, map);
    if (joins && contract)
      allowContraction(clone);
  }
  Value result = body.getTerminator()->getOperand(0);
  if (!map.contains(result) && result.getParentRegion() != body.getParent())
    return element(result, {});
  return map.lookup(result);
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

Value PayloadEmitter::neutral(linalg::LinalgOp op) {
  return arith::ConstantOp::create(b,
                                   *arith::getNeutralElement(getCombiner(op)));
}

Value PayloadEmitter::combine(linalg::LinalgOp op, Value x, Value y) {
  Operation *combiner = getCombiner(op);
  IRMapping map;
  map.map(combiner->getOperand(0), x);
  map.map(combiner->getOperand(1), y);
  return b.clone(*combiner, map)->getResult(0);
}

SmallVector<Value> PayloadEmitter::nest(ArrayRef<unsigned> axes,
                                        SmallVector<Int> loops,
                                        ValueRange carried, Body body) {
  if (axes.empty())
    return body(loops, carried);
  auto range = ranges.find(axes.front());
  auto [first, last] =
      range != ranges.end()
          ? range->second
          : std::pair(device.number(0), device.extents[axes.front()]);
  auto loop = scf::ForOp::create(b, first.value, last.value,
                                 device.number(1).value, carried);
  OpBuilder::InsertionGuard guard(b);
  Scope scope(*this);
  b.setInsertionPointToStart(loop.getBody());
  loops[axes.front()] = {&b, loop.getInductionVar()};
  scf::YieldOp::create(
      b, nest(axes.drop_front(), loops,
              llvm::to_vector_of<Value>(loop.getRegionIterArgs()), body));
  return llvm::to_vector_of<Value>(loop.getResults());
}
