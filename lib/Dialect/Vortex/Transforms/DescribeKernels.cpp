//===- DescribeKernels.cpp - Kernels and their formulas as text -----------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CandidateChoice.h"
#include "FormulaPrinter.h"

#include "vortex/Dialect/Vortex/Analysis/SizeAnalysis.h"
#include "vortex/Dialect/Vortex/IR/DimIndex.h"
#include "vortex/Dialect/Vortex/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include <deque>

namespace vortex {
#define GEN_PASS_DEF_DESCRIBEKERNELS
#include "vortex/Dialect/Vortex/Transforms/Passes.h.inc"
} // namespace vortex

using namespace mlir;
using namespace vortex;

namespace {
/// Guards and costs of a kernel, text for each candidate.
struct Formulas {
  SmallVector<std::string> guards, costs;
};
} // namespace

/// Prints what the choice would be made of. It is built in a function of its
/// own, over the axes and operands, where it can be simplified without touching
/// the kernel.
static Formulas printFormulas(KernelOp kernel) {
  OpBuilder b(kernel.getContext());
  Location loc = kernel.getLoc();
  auto arguments = kernel.getCandidates().front().getArguments();
  OwningOpRef<func::FuncOp> function = func::FuncOp::create(
      loc, "formulas",
      b.getFunctionType(ValueRange(arguments).getTypes(), TypeRange()));
  Block *entry = function->addEntryBlock();
  b.setInsertionPointToStart(entry);
  IRMapping map;
  map.map(arguments, entry->getArguments());
  ArithmeticCopier copier(b);
  CandidateChoice choice = createChoice(b, copier, kernel, map);
  SmallVector<Value> kept(choice.allowed);
  llvm::append_range(kept, choice.costs);
  auto end = func::ReturnOp::create(b, loc, kept);

  IRRewriter rewriter(b);
  DominanceInfo dominance(*function);
  (void)applyPatternsGreedily(
      function->getBody(),
      FrozenRewritePatternSet(RewritePatternSet(b.getContext())));
  eliminateCommonSubExpressions(rewriter, dominance, *function);

  DenseMap<Value, std::string> names;
  for (auto [argument, axis] : llvm::zip(
           entry->getArguments(), kernel.getAxes().getAsRange<StringAttr>()))
    names[argument] = axis.str();
  for (BlockArgument operand :
       entry->getArguments().drop_front(kernel.getAxes().size()))
    names[operand] = "operand " + std::to_string(operand.getArgNumber() -
                                                 kernel.getAxes().size());
  Formulas result;
  size_t count = choice.costs.size();
  for (size_t i = 0; i < count; ++i) {
    std::string guard = printFormula(end->getOperand(i), names);
    result.guards.push_back(guard == "true" ? "" : guard);
    result.costs.push_back(printFormula(end->getOperand(count + i), names));
  }
  return result;
}

namespace {
/// Of kernels that are described already: formulas take as long to simplify as
/// to make, and the layers of a model have the same.
class KnownFormulas {
public:
  const Formulas &get(KernelOp kernel) {
    auto known = llvm::find_if(kernels, [&](auto &other) {
      return other.first.getAxes() == kernel.getAxes() &&
             isPlannedForOneThread(other.first) ==
                 isPlannedForOneThread(kernel) &&
             OperationEquivalence::isRegionEquivalentTo(
                 &other.first.getCandidates(), &kernel.getCandidates(),
                 OperationEquivalence::IgnoreLocations);
    });
    if (known != kernels.end())
      return known->second;
    return kernels.emplace_back(kernel, printFormulas(kernel)).second;
  }

private:
  std::deque<std::pair<KernelOp, Formulas>> kernels;
};
} // namespace

static DictionaryAttr describe(KernelOp kernel, KnownFormulas &known) {
  Builder b(kernel.getContext());
  SmallVector<Attribute> candidates;
  for (CandidateOp candidate : kernel.getCandidateOps())
    candidates.push_back(candidate.getSymNameAttr());
  NamedAttrList entry;
  entry.set("name", kernel.getNameAttr());
  entry.set("axes", kernel.getAxes());
  entry.set("candidates", b.getArrayAttr(candidates));
  if (candidates.empty()) {
    entry.set("fallback", b.getUnitAttr());
    return entry.getDictionary(b.getContext());
  }
  const Formulas &formulas = known.get(kernel);
  auto strings = [&](ArrayRef<std::string> list) {
    return b.getStrArrayAttr(SmallVector<StringRef>(list.begin(), list.end()));
  };
  entry.set("guards", strings(formulas.guards));
  entry.set("costs", strings(formulas.costs));
  return entry.getDictionary(b.getContext());
}

/// "arg0[2]" for dimension 2 of an argument, its name where the program gives
/// it one.
static std::string nameDim(BlockArgument argument, int64_t dim) {
  auto function =
      dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  auto names = function ? function.getArgAttrOfType<ArrayAttr>(
                              argument.getArgNumber(), kDimsAttr)
                        : ArrayAttr();
  auto name = names && dim < int64_t(names.size())
                  ? dyn_cast<StringAttr>(names[dim])
                  : StringAttr();
  if (name && !name.getValue().empty())
    return name.str();
  return ("arg" + Twine(argument.getArgNumber()) + "[" + Twine(dim) + "]")
      .str();
}

/// What a formula says of a number that arithmetic does not make: sizes of
/// arguments, where they make it up, as the program's user knows them.
static std::string nameSize(Value value, size_t number, SizeAnalysis &sizes) {
  if (auto dim = value.getDefiningOp<tensor::DimOp>())
    if (auto argument = dyn_cast<BlockArgument>(dim.getSource()))
      if (std::optional<int64_t> index = getDimIndex(dim))
        return nameDim(argument, *index);
  SizeContext &context = sizes.getContext();
  SizeExpr size = sizes.get(value);
  llvm::SetVector<SizeExpr> symbols;
  if (size)
    context.collectSymbols(size, symbols);
  bool isKnown = !!size;
  SizeExpr named =
      size ? context.substitute(
                 size,
                 [&](SizeExpr symbol) {
                   auto origin = sizes.getOrigin(symbol);
                   auto argument = origin
                                       ? dyn_cast<BlockArgument>(origin->value)
                                       : BlockArgument();
                   isKnown &=
                       argument && isa<FunctionOpInterface>(
                                       argument.getOwner()->getParentOp());
                   if (!isKnown)
                     return SizeExpr();
                   return context.symbol(
                       origin->dim >= 0
                           ? nameDim(argument, origin->dim)
                           : ("arg" + Twine(argument.getArgNumber())).str());
                 })
           : SizeExpr();
  if (!isKnown || !named)
    return "size" + std::to_string(number);
  std::string text = context.str(named);
  bool isOne = named.isSymbol() || named.getConstant();
  return isOne ? text : "(" + text + ")";
}

/// A choice between kernels: its sizes are its axes.
static DictionaryAttr describe(SelectOp select, SizeAnalysis &sizes) {
  Builder b(select.getContext());
  DenseMap<Value, std::string> names;
  SmallVector<std::string> axes;
  SmallVector<Value> work(select.getCosts());
  llvm::append_range(work, select.getAllowed());
  DenseSet<Value> seen;
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    Operation *op = value.getDefiningOp();
    if (isa_and_present<MachineParamOp>(op))
      continue;
    if (isa_and_present<arith::ArithDialect>(op ? op->getDialect() : nullptr)) {
      llvm::append_range(work, op->getOperands());
      continue;
    }
    // One size may be asked for twice.
    names[value] = nameSize(value, axes.size(), sizes);
    if (!llvm::is_contained(axes, names[value]))
      axes.push_back(names[value]);
  }
  llvm::sort(axes);
  auto print = [&](OperandRange values) {
    SmallVector<std::string> texts;
    for (Value value : values) {
      std::string text = printFormula(value, names);
      texts.push_back(text == "true" ? "" : text);
    }
    return b.getStrArrayAttr(
        SmallVector<StringRef>(texts.begin(), texts.end()));
  };
  NamedAttrList entry;
  entry.set("name", select.getKernelAttr());
  entry.set("axes", b.getStrArrayAttr(
                        SmallVector<StringRef>(axes.begin(), axes.end())));
  entry.set("candidates", select.getCandidates());
  entry.set("guards", print(select.getAllowed()));
  entry.set("costs", print(select.getCosts()));
  return entry.getDictionary(b.getContext());
}

namespace {
struct DescribeKernelsPass
    : vortex::impl::DescribeKernelsBase<DescribeKernelsPass> {
  void runOnOperation() override {
    SmallVector<Attribute> table;
    DenseSet<StringAttr> listed;
    SizeAnalysis sizes(getOperation());
    KnownFormulas known;
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      auto kernel = dyn_cast<KernelOp>(op);
      auto select = dyn_cast<SelectOp>(op);
      if (kernel && listed.insert(kernel.getNameAttr()).second)
        table.push_back(describe(kernel, known));
      if (select && listed.insert(select.getKernelAttr()).second)
        table.push_back(describe(select, sizes));
    });
    if (!table.empty())
      getOperation()->setAttr(kKernelsAttr,
                              ArrayAttr::get(&getContext(), table));
  }
};
} // namespace
