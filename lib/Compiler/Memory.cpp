//===- Memory.cpp - What intermediates of a program take ------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Memory.h"

#include "vortex/Conversion/CallContext.h"
#include "vortex/Conversion/ChoiceFunctions.h"
#include "vortex/Dialect/Vortex/Analysis/SizeAnalysis.h"
#include "vortex/Dialect/Vortex/IR/VortexDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace vortex;

namespace {
/// Adds up the blocks of one function along its ops.
class MemoryMeter {
public:
  explicit MemoryMeter(func::FuncOp function)
      : function(function), sizes(function), context(sizes.getContext()),
        live(context.constant(0)) {}
  /// Sets what is known; nothing where data decides.
  void run(FunctionSignature &signature);

private:
  bool visit(Block &block);
  bool visit(Operation &op);
  SizeExpr getBytes(memref::AllocOp op);
  SizeExpr nameSymbols(SizeExpr bytes);
  void keepMaxima(const SizeFacts &facts);

  func::FuncOp function;
  SizeAnalysis sizes;
  SizeContext &context;
  SizeExpr live; ///< bytes of the blocks that exist
  llvm::SmallSetVector<SizeExpr, 8> peaks;
  DenseMap<SizeExpr, SizeExpr> names; ///< of symbols, for the run time
};
} // namespace

static int64_t bytesOf(Type element) {
  if (element.isIndex())
    return 8;
  if (auto complex = dyn_cast<ComplexType>(element))
    return 2 * bytesOf(complex.getElementType());
  return llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}

SizeExpr MemoryMeter::getBytes(memref::AllocOp op) {
  MemRefType type = op.getType();
  SizeExpr bytes = context.constant(bytesOf(type.getElementType()));
  for (int64_t dim = 0; bytes && dim < type.getRank(); ++dim)
    if (SizeExpr extent = sizes.getDim(op, dim))
      bytes = context.mul(bytes, extent);
    else
      return {};
  return bytes;
}

/// Whether `op` runs a chain one of two ways, by its parts or fused.
static bool choosesWayOfChain(Operation &op) {
  auto branch = dyn_cast<scf::IfOp>(op);
  auto test =
      branch ? branch.getCondition().getDefiningOp<arith::CmpIOp>() : nullptr;
  ArrayAttr ways = test ? getChosenCandidates(test.getLhs()) : ArrayAttr();
  return ways && test.getPredicate() == arith::CmpIPredicate::eq &&
         isConstantIntValue(test.getRhs(), 0) && ways.size() == 2 &&
         cast<StringAttr>(ways[1]).getValue() == "fused";
}

/// False when what exists is not known.
bool MemoryMeter::visit(Operation &op) {
  if (auto alloc = dyn_cast<memref::AllocOp>(op)) {
    SizeExpr bytes = getBytes(alloc);
    if (!bytes || !(live = context.add(live, bytes)))
      return false;
    peaks.insert(live);
    return true;
  }
  if (auto dealloc = dyn_cast<memref::DeallocOp>(op)) {
    Value memory = dealloc.getMemref();
    while (auto view = memory.getDefiningOp<ViewLikeOpInterface>())
      memory = view.getViewSource();
    auto alloc = memory.getDefiningOp<memref::AllocOp>();
    // What a branch gave is counted to the end.
    if (alloc && alloc->getBlock() == op.getBlock())
      live = context.sub(live, getBytes(alloc));
    return bool(live);
  }
  if (isa<func::CallOp>(op))
    return bool(getChoiceFunction(&op));
  // The blocks of a branch or loop that it does not give are gone behind it.
  SizeExpr before = live;
  MutableArrayRef<Region> regions = op.getRegions();
  // Tiles of a chain, of a number of rows that the machine decides, hold a
  // part of what lies between its parts otherwise.
  if (choosesWayOfChain(op))
    regions = regions.take_front();
  for (Region &region : regions)
    for (Block &block : region) {
      live = before;
      if (!visit(block))
        return false;
    }
  live = before;
  return op.getNumRegions() == 0 ||
         llvm::none_of(op.getResultTypes(), llvm::IsaPred<BaseMemRefType>);
}

bool MemoryMeter::visit(Block &block) {
  return llvm::all_of(block, [&](Operation &op) { return visit(op); });
}

/// With the names that the run time has for sizes of arguments; empty when
/// there is a size that is none of these.
SizeExpr MemoryMeter::nameSymbols(SizeExpr bytes) {
  bool known = true;
  int64_t first =
      function.getNumArguments() && function.getArgAttr(0, kContextAttr);
  SizeExpr named = context.substitute(bytes, [&](SizeExpr symbol) -> SizeExpr {
    auto origin = sizes.getOrigin(symbol);
    auto argument =
        origin ? dyn_cast<BlockArgument>(origin->value) : BlockArgument();
    if (!argument || origin->dim < 0 ||
        argument.getOwner() != &function.getBody().front() ||
        function.getArgAttr(argument.getArgNumber(), kBoundAttr)) {
      known = false;
      return {};
    }
    if (auto dims = function.getArgAttrOfType<ArrayAttr>(
            argument.getArgNumber(), kDimsAttr))
      if (cast<StringAttr>(dims[origin->dim]).getValue() == context.str(symbol))
        return {};
    SizeExpr &name = names[symbol];
    if (!name)
      name = context.symbol(
          "arg" + std::to_string(argument.getArgNumber() - first) + ".dim" +
              std::to_string(origin->dim),
          context.range(symbol));
    return name;
  });
  return known ? named : SizeExpr();
}

/// Leaves sums that no other is known to reach.
void MemoryMeter::keepMaxima(const SizeFacts &facts) {
  llvm::SmallSetVector<SizeExpr, 8> simple;
  for (SizeExpr peak : peaks)
    simple.insert(facts.simplify(peak));
  SmallVector<SizeExpr> kept;
  for (SizeExpr peak : simple) {
    auto reaches = [&](SizeExpr x, SizeExpr y) {
      return facts.isLessOrEqual(x, y) == Answer::Yes;
    };
    if (llvm::any_of(kept, [&](SizeExpr k) { return reaches(peak, k); }))
      continue;
    llvm::erase_if(kept, [&](SizeExpr k) { return reaches(k, peak); });
    kept.push_back(peak);
  }
  peaks.clear();
  peaks.insert(kept.begin(), kept.end());
}

void MemoryMeter::run(FunctionSignature &signature) {
  Region &body = function.getBody();
  if (!body.hasOneBlock() || !visit(body.front()))
    return;
  const SizeFacts &facts = sizes.getFactsAt(body.front().getTerminator());
  keepMaxima(facts);
  SizeExpr peak = context.constant(0);
  int64_t most = 0;
  bool bounded = true;
  for (SizeExpr sum : peaks) {
    llvm::SetVector<SizeExpr> symbols;
    context.collectSymbols(sum, symbols);
    std::optional<int64_t> bound = facts.range(sum).max;
    bounded &= bound && llvm::all_of(symbols, [&](SizeExpr symbol) {
                 std::optional<int64_t> top = facts.range(symbol).max;
                 return top && *top < kMostExtent;
               });
    most = std::max(most, bound.value_or(0));
    SizeExpr named = nameSymbols(sum);
    peak = named && peak ? context.max(peak, named) : SizeExpr();
  }
  // Formulas of the run time have no products that wrap around, as those of
  // sizes of several arguments might.
  std::string formula = context.str(peak);
  if (!peak || StringRef(formula).contains("wrap("))
    return;
  signature.peakBytes = formula;
  if (bounded)
    signature.mostBytes = most;
}

void vortex::readMemory(ModuleOp module,
                        std::vector<FunctionSignature> &functions) {
  for (FunctionSignature &signature : functions)
    if (auto function = module.lookupSymbol<func::FuncOp>(signature.name))
      if (!function.isExternal())
        MemoryMeter(function).run(signature);
}
