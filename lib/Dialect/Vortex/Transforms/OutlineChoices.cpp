//===- OutlineChoices.cpp - Functions that tell the choices of others -----===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CandidateChoice.h"
#include "SizeReifier.h"

#include "vortex/Dialect/Vortex/Transforms/AxisExtents.h"
#include "vortex/Dialect/Vortex/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/SymbolTable.h"

#include <deque>

namespace vortex {
#define GEN_PASS_DEF_OUTLINECHOICES
#include "vortex/Dialect/Vortex/Transforms/Passes.h.inc"
} // namespace vortex

using namespace mlir;
using namespace vortex;

static SmallVector<KernelOp> getKernels(func::FuncOp function) {
  SmallVector<KernelOp> kernels;
  function->walk([&](KernelOp kernel) { kernels.push_back(kernel); });
  return kernels;
}

/// A copy of the function without the candidates of its `kernels`, which are
/// most of it.
static OwningOpRef<func::FuncOp> cloneBare(func::FuncOp function,
                                           ArrayRef<KernelOp> kernels) {
  std::deque<Region> candidates(kernels.size());
  for (auto [kernel, kept] : llvm::zip_equal(kernels, candidates))
    kept.takeBody(KernelOp(kernel).getCandidates());
  OwningOpRef<func::FuncOp> copy = function.clone();
  for (auto [kernel, kept] : llvm::zip_equal(kernels, candidates))
    KernelOp(kernel).getCandidates().takeBody(kept);
  return copy;
}

namespace {
struct OutlineChoicesPass
    : vortex::impl::OutlineChoicesBase<OutlineChoicesPass> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (auto function : llvm::to_vector(getOperation().getOps<func::FuncOp>()))
      if (function.isPublic() && !function.isExternal() &&
          !function->hasAttr(kChooserAttr) &&
          failed(outline(function, symbols)))
        return signalPassFailure();
  }
  LogicalResult outline(func::FuncOp function, SymbolTable &symbols);
  LogicalResult report(OpBuilder &b, ArithmeticCopier &copier, KernelOp kernel,
                       KernelOp bare, SizeReifier &sizes);
  void report(OpBuilder &b, SelectOp select, SizeReifier &sizes);
};
} // namespace

/// The choice of `kernel`; `bare` is its copy, which has operands that `sizes`
/// tells the sizes of.
LogicalResult OutlineChoicesPass::report(OpBuilder &b, ArithmeticCopier &copier,
                                         KernelOp kernel, KernelOp bare,
                                         SizeReifier &sizes) {
  OpBuilder before(bare);
  FailureOr<SmallVector<Value>> extents = getAxisExtents(before, bare);
  if (failed(extents))
    return failure();
  for (Value &extent : *extents)
    extent = sizes.reify(extent);
  // Where operands will be is not known before the program runs: they are taken
  // to be dense and to begin with a cache line. The arithmetic is that of the
  // choice itself, which knows sizes no better.
  bool known = true;
  int64_t axes = kernel.getAxes().size(), most = axes;
  for (Value operand : kernel->getOperands())
    if (auto type = dyn_cast<ShapedType>(operand.getType()))
      most = std::max(most, type.getRank());
  auto assume = [&](Operation *query) -> Value {
    auto stride = dyn_cast<StrideOp>(query);
    Value result = arith::ConstantIndexOp::create(
        b, kernel.getLoc(), stride ? 1 : kAssumedAlignment);
    int64_t argument = cast<BlockArgument>(query->getOperand(0)).getArgNumber();
    // Axes first, then of each operand the alignment and the strides.
    int64_t position = axes + (argument - axes) * (most + 1);
    if (!stride)
      return ChoiceInputOp::create(b, kernel.getLoc(), position, result);
    Value operand = bare->getOperand(argument - axes);
    int64_t rank = cast<ShapedType>(operand.getType()).getRank();
    for (int64_t dim = stride.getDimension() + 1; dim < rank; ++dim) {
      Value size = sizes.reifyDim(operand, dim);
      known &= !!size;
      if (size)
        result = arith::MulIOp::create(b, kernel.getLoc(), result, size);
    }
    return ChoiceInputOp::create(b, kernel.getLoc(),
                                 position + 1 + stride.getDimension(), result);
  };
  auto reportUnknown = [&]() {
    SmallVector<StringRef> names;
    for (CandidateOp candidate : kernel.getCandidateOps())
      names.push_back(candidate.getSymName());
    ReportOp::create(b, kernel.getLoc(), kernel.getNameAttr(),
                     b.getStrArrayAttr(names), Value(), ValueRange(),
                     ValueRange());
    ++numDataDependent;
    return success();
  };
  if (llvm::is_contained(*extents, Value()))
    return reportUnknown();
  IRMapping map;
  for (auto [argument, extent] :
       llvm::zip(kernel.getCandidates().front().getArguments(), *extents)) {
    if (!matchPattern(extent, m_Constant()))
      extent = ChoiceInputOp::create(b, kernel.getLoc(),
                                     argument.getArgNumber(), extent);
    map.map(argument, copier.findFirst(extent));
  }
  CandidateChoice choice = createChoice(b, copier, kernel, map, assume);
  if (!known)
    return reportUnknown();
  ReportOp::create(b, kernel.getLoc(), kernel.getNameAttr(),
                   b.getStrArrayAttr(choice.names), choice.preferred,
                   choice.allowed, choice.costs);
  ++numReported;
  return success();
}

/// A choice that was made before kernels were, in terms of arguments.
void OutlineChoicesPass::report(OpBuilder &b, SelectOp select,
                                SizeReifier &sizes) {
  Value choice = sizes.reify(select.getChoice());
  SmallVector<Value> allowed, costs;
  for (Value value : select.getAllowed())
    allowed.push_back(sizes.reify(value));
  for (Value value : select.getCosts())
    costs.push_back(sizes.reify(value));
  bool known = choice && !llvm::is_contained(allowed, Value()) &&
               !llvm::is_contained(costs, Value());
  ReportOp::create(b, select.getLoc(), select.getKernelAttr(),
                   select.getCandidatesAttr(), known ? choice : Value(),
                   known ? ValueRange(allowed) : ValueRange(),
                   known ? ValueRange(costs) : ValueRange());
  ++(known ? numReported : numDataDependent);
}

LogicalResult OutlineChoicesPass::outline(func::FuncOp function,
                                          SymbolTable &symbols) {
  auto isPlanned = [](KernelOp kernel) {
    return !kernel.getCandidateOps().empty();
  };
  SmallVector<KernelOp> kernels = getKernels(function);
  bool chooses = llvm::any_of(kernels, isPlanned);
  function.walk([&](SelectOp) { chooses = true; });
  if (!chooses)
    return success();
  Location loc = function.getLoc();
  OpBuilder b(&getContext());
  auto chooser = func::FuncOp::create(
      loc, (function.getSymName() + ".choices").str(),
      b.getFunctionType(function.getArgumentTypes(), TypeRange()));
  chooser.setPrivate();
  Block *entry = chooser.addEntryBlock();
  b.setInsertionPointToStart(entry);

  // Ops that say the shapes of the function's tensors go into a copy.
  OwningOpRef<func::FuncOp> copy = cloneBare(function, kernels);
  SizeReifier sizes(b, copy->getBody().front(), entry->getArguments());
  // Choices between kernels first: each says which of those below run.
  SmallVector<SelectOp> selects;
  copy->walk([&](SelectOp select) { selects.push_back(select); });
  for (SelectOp select : selects)
    report(b, select, sizes);
  ArithmeticCopier copier(b);
  for (auto [kernel, bare] : llvm::zip_equal(kernels, getKernels(*copy)))
    if (isPlanned(kernel) && failed(report(b, copier, kernel, bare, sizes))) {
      chooser->erase();
      return failure();
    }
  func::ReturnOp::create(b, loc);
  StringAttr name = symbols.insert(chooser, std::next(function->getIterator()));
  function->setAttr(kChooserAttr, FlatSymbolRefAttr::get(name));
  return success();
}
