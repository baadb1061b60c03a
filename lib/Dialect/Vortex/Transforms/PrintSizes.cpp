//===- PrintSizes.cpp - The sizes of a program as text --------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Dialect/Vortex/Analysis/SizeAnalysis.h"
#include "vortex/Dialect/Vortex/Transforms/Passes.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/AsmState.h"

namespace vortex {
#define GEN_PASS_DEF_PRINTSIZES
#include "vortex/Dialect/Vortex/Transforms/Passes.h.inc"
} // namespace vortex

#define DEBUG_TYPE "vortex-print-sizes"

using namespace mlir;
using namespace vortex;

namespace {
/// Writes the listing of one function.
class Printer {
public:
  Printer(FunctionOpInterface function, SizeAnalysis &sizes, AsmState &names,
          raw_ostream &os)
      : function(function), sizes(sizes), context(sizes.getContext()),
        names(names), os(os) {}
  void run();

private:
  void printShape(Value value, const SizeFacts &facts);
  void printSymbols();
  void printCalls();

  FunctionOpInterface function;
  SizeAnalysis &sizes;
  SizeContext &context;
  AsmState &names;
  raw_ostream &os;
  llvm::SetVector<SizeExpr> symbols;
};
} // namespace

void Printer::printShape(Value value, const SizeFacts &facts) {
  os << "    ";
  value.printAsOperand(os, names);
  os << ": [";
  llvm::interleaveComma(llvm::seq(cast<ShapedType>(value.getType()).getRank()),
                        os, [&](int64_t d) {
                          SizeExpr size =
                              facts.simplify(sizes.getDim(value, d));
                          context.collectSymbols(size, symbols);
                          context.print(size, os);
                        });
  os << "]\n";
}

void Printer::printSymbols() {
  os << "  symbols\n";
  for (SizeExpr symbol : symbols) {
    os << "    " << context.str(symbol);
    if (auto origin = sizes.getOrigin(symbol)) {
      os << " = ";
      if (origin->dim >= 0)
        os << "dim " << origin->dim << " of ";
      origin->value.printAsOperand(os, names);
    }
    SizeRange range = context.range(symbol);
    if (range.min && *range.min != INT64_MIN)
      os << ", from " << *range.min;
    if (range.max && *range.max != INT64_MAX)
      os << (range.min ? " to " : ", up to ") << *range.max;
    os << "\n";
  }
}

/// Sizes that are numbers at some calls: a copy of the function for those calls
/// would know them.
void Printer::printCalls() {
  auto symbol = dyn_cast<SymbolOpInterface>(function.getOperation());
  Operation *module = function->getParentOp();
  if (!symbol || !symbol.isPrivate() || !module)
    return;
  auto uses = SymbolTable::getSymbolUses(function, module);
  for (BlockArgument argument : function.getArguments()) {
    auto type = dyn_cast<ShapedType>(argument.getType());
    for (int64_t d = 0; uses && type && type.hasRank() && d < type.getRank();
         ++d) {
      llvm::SetVector<SizeExpr> given;
      for (SymbolTable::SymbolUse use : *uses)
        if (auto call = dyn_cast<func::CallOp>(use.getUser()))
          given.insert(sizes.getFactsAt(call).simplify(
              sizes.getDim(call.getOperand(argument.getArgNumber()), d)));
      if (given.size() < 2 || llvm::none_of(given, [](SizeExpr e) {
            return e.getConstant().has_value();
          }))
        continue;
      os << "  calls give arg" << argument.getArgNumber() << ".dim" << d
         << ": ";
      llvm::interleaveComma(given, os,
                            [&](SizeExpr e) { context.print(e, os); });
      os << "\n";
    }
  }
}

static bool isShaped(Value value) {
  auto type = dyn_cast<ShapedType>(value.getType());
  return type && type.hasRank() && type.getRank() > 0 &&
         isa<TensorType, BaseMemRefType>(type);
}

void Printer::run() {
  os << "sizes of @" << function.getName() << "\n";
  printCalls();
  std::string shapes;
  llvm::raw_string_ostream text(shapes);
  Printer inner(function, sizes, names, text);
  const SizeFacts &atEntry =
      sizes.getFactsAt(&function.getFunctionBody().front().front());
  std::string last;
  auto printFacts = [&](const SizeFacts &facts) {
    std::string now;
    llvm::raw_string_ostream stream(now);
    facts.print(stream);
    if (now == last)
      return;
    text << "    known here:";
    SmallVector<StringRef> lines;
    StringRef(now).split(lines, '\n', -1, /*KeepEmpty=*/false);
    // What was known before is not said again.
    SmallVector<StringRef> before;
    StringRef(last).split(before, '\n', -1, /*KeepEmpty=*/false);
    bool first = true;
    for (StringRef line : lines)
      if (!llvm::is_contained(before, line)) {
        text << (first ? " " : ", ") << line;
        first = false;
      }
    text << (first ? " less\n" : "\n");
    last = now;
  };
  printFacts(atEntry);
  for (BlockArgument argument : function.getArguments())
    if (isShaped(argument))
      inner.printShape(argument, atEntry);
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op == function)
      return WalkResult::advance();
    printFacts(sizes.getFactsAt(op));
    for (Value result : op->getResults())
      if (isShaped(result))
        inner.printShape(result, sizes.getFactsAt(op));
    return isa<linalg::LinalgOp>(op) ? WalkResult::skip()
                                     : WalkResult::advance();
  });
  symbols = inner.symbols;
  printSymbols();
  os << "  shapes\n" << shapes;
}

namespace {
struct PrintSizesPass : vortex::impl::PrintSizesBase<PrintSizesPass> {
  using PrintSizesBase::PrintSizesBase;

  void runOnOperation() override {
    SizeAnalysis sizes(getOperation(),
                       trustOps ? SizeTrust::Ops : SizeTrust::Checked);
    AsmState names(getOperation());
    std::string text;
    llvm::raw_string_ostream os(text);
    (void)forEachFunction(getOperation(), [&](FunctionOpInterface function) {
      Printer(function, sizes, names, os).run();
      return success();
    });
    // Functions may be worked on side by side.
    llvm::errs() << text;
    markAllAnalysesPreserved();
  }
};
} // namespace
