//===- SizeAnalysis.cpp - What is known of sizes at each op ---------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Dialect/Vortex/Analysis/SizeAnalysis.h"
#include "vortex/Dialect/Vortex/Analysis/RelationEmitter.h"
#include "vortex/Dialect/Vortex/IR/KnownSize.h"
#include "vortex/Dialect/Vortex/IR/VortexDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace vortex;

SizeAnalysis::SizeAnalysis(Operation *root, SizeTrust trust)
    : root(root), trust(trust), dominance(root) {}

//===----------------------------------------------------------------------===//
// Declared sizes
//===----------------------------------------------------------------------===//

static bool isName(StringRef text) {
  return !text.empty() &&
         (llvm::isAlpha(text.front()) || text.front() == '_') &&
         llvm::all_of(text, [](char c) {
           return llvm::isAlnum(c) || c == '_' || c == '.' || c == '$';
         });
}

/// Whether `op` uses the symbol: of ops that may, for to look at all attributes
/// of a program takes as long as to analyse its sizes.
static bool uses(Operation *op, StringAttr symbol) {
  if (op->isRegistered() && !isa<CallOpInterface, SymbolUserOpInterface>(op))
    return false;
  return op->getAttrDictionary()
      .walk([&](SymbolRefAttr reference) {
        return reference.getRootReference() == symbol ? WalkResult::interrupt()
                                                      : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether the run time has checked the arguments of each call: the function is
/// public, and the program itself does not call it.
bool SizeAnalysis::isEntry(FunctionOpInterface function) {
  auto symbol = dyn_cast<SymbolOpInterface>(function.getOperation());
  if (!symbol)
    return true;
  auto [it, added] = entries.try_emplace(function, false);
  Operation *module = function->getParentOp();
  if (!added || !symbol.isPublic() || !module)
    return it->second;
  StringAttr name = symbol.getNameAttr();
  WalkResult used = module->walk<WalkOrder::PreOrder>([&](Operation *op) {
    // Functions name others that were made of them.
    if (!isa<FunctionOpInterface>(op) && uses(op, name))
      return WalkResult::interrupt();
    // Kernels hold linalg ops and arithmetic.
    bool apart = op != module && op->hasTrait<OpTrait::SymbolTable>();
    return apart || isa<KernelOp>(op) ? WalkResult::skip()
                                      : WalkResult::advance();
  });
  return it->second = !used.wasInterrupted();
}

/// Makes symbols for the sizes of the arguments of an entry, one for each name:
/// the run time has compared them.
void SizeAnalysis::declare(FunctionOpInterface function) {
  auto [it, added] = declared.try_emplace(function);
  if (!added)
    return;
  llvm::StringMap<SizeExpr> names;
  SizeRange range{0, kMostExtent};
  for (BlockArgument argument : function.getArguments()) {
    auto type = dyn_cast<ShapedType>(argument.getType());
    if (!type || !type.hasRank())
      continue;
    unsigned number = argument.getArgNumber();
    auto dims = function.getArgAttrOfType<ArrayAttr>(number, kDimsAttr);
    SizeExpr elements = context.constant(1);
    for (int64_t dim : llvm::seq(type.getRank())) {
      std::string own = ("arg" + Twine(number) + ".dim" + Twine(dim)).str();
      auto attr = dims && size_t(dim) < dims.size()
                      ? dyn_cast<StringAttr>(dims[dim])
                      : StringAttr();
      bool isNamed = attr && isName(attr);
      SizeExpr &named = names[isNamed ? attr.getValue() : StringRef(own)];
      SizeExpr size;
      if (!type.isDynamicDim(dim)) {
        // What has a name by another argument is compared with this number.
        size = context.constant(type.getDimSize(dim));
        if (!named)
          named = size;
      } else {
        size = named ? named : SizeExpr();
        if (!size) {
          size = named = opaque({argument, dim}, range,
                                isNamed ? attr.getValue() : StringRef(own));
        }
        known[{argument, dim}] = size;
        elements = context.mul(elements, size);
      }
      names[own] = size;
    }
    // A size may occur twice, and its square is bounded all the same.
    if (elements)
      context.boundProduct(elements, range);
  }
  declared[function] = std::move(names);
}

void SizeAnalysis::addRelation(StringRef text, Location loc, Scope &scope) {
  scratch.push_back(std::make_unique<Block>());
  Block &block = *scratch.back();
  OpBuilder b(loc.getContext());
  b.setInsertionPointToEnd(&block);
  std::string error;
  auto size = [&](StringRef name) -> Value {
    SizeExpr here = scope.names.lookup(name);
    if (!here)
      return {};
    Value value = block.addArgument(b.getIndexType(), loc);
    known[{value, -1}] = here;
    return value;
  };
  if (Value holds = emitRelation(b, loc, text, size, [](Value) {}, error))
    assume(holds, true, scope);
}

SizeAnalysis::Scope SizeAnalysis::enterFunction(FunctionOpInterface function) {
  Scope scope(context);
  if (!isEntry(function)) {
    // Sizes that all calls give alike.
    auto calls = getCalls(function);
    if (!calls || calls->empty())
      return scope;
    SmallVector<std::pair<SmallVector<SizeExpr>, SizeExpr>> seen;
    for (BlockArgument argument : function.getArguments()) {
      auto type = dyn_cast<ShapedType>(argument.getType());
      if (!type || !type.hasRank())
        continue;
      for (int64_t dim : llvm::seq(type.getRank())) {
        SmallVector<SizeExpr> given =
            llvm::map_to_vector(*calls, [&](Operation *call) {
              return getDim(call->getOperand(argument.getArgNumber()), dim);
            });
        SizeExpr here = getDim(argument, dim);
        if (llvm::is_contained(given, SizeExpr()))
          continue;
        auto same = llvm::find_if(
            seen, [&](auto &other) { return other.first == given; });
        if (same != seen.end())
          scope.facts.addEqual(same->second, here);
        else
          seen.push_back({given, here});
      }
    }
    return scope;
  }
  declare(function);
  scope.names = declared[function];
  for (BlockArgument argument : function.getArguments()) {
    unsigned number = argument.getArgNumber();
    auto dims = function.getArgAttrOfType<ArrayAttr>(number, kDimsAttr);
    auto type = dyn_cast<ShapedType>(argument.getType());
    if (!dims || !type || !type.hasRank())
      continue;
    for (auto [dim, attr] : llvm::enumerate(dims.getAsRange<StringAttr>()))
      if (!attr.empty() && int64_t(dim) < type.getRank())
        addRelation(("arg" + Twine(number) + ".dim" + Twine(dim) +
                     " == " + attr.getValue())
                        .str(),
                    function.getLoc(), scope);
  }
  if (auto where = function->getAttrOfType<ArrayAttr>(kWhereAttr))
    for (auto text : where.getAsRange<StringAttr>())
      addRelation(text, function.getLoc(), scope);
  return scope;
}

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

using Predicate = arith::CmpIPredicate;

/// The same order with a sign; none for those that have none.
static std::optional<Predicate> getSigned(Predicate predicate) {
  switch (predicate) {
  case Predicate::ult:
    return Predicate::slt;
  case Predicate::ule:
    return Predicate::sle;
  case Predicate::ugt:
    return Predicate::sgt;
  case Predicate::uge:
    return Predicate::sge;
  default:
    return std::nullopt;
  }
}

void SizeAnalysis::assume(Value condition, bool truth, Scope &scope) {
  if (matchPattern(condition, m_Constant()))
    return;
  scope.conditions[condition] = truth;
  Operation *op = condition.getDefiningOp();
  APInt constant;
  if (isa_and_present<arith::AndIOp, arith::OrIOp>(op)) {
    if (truth == isa<arith::AndIOp>(op))
      for (Value operand : op->getOperands())
        assume(operand, truth, scope);
    return;
  }
  if (isa_and_present<arith::XOrIOp>(op)) {
    if (matchPattern(op->getOperand(1), m_ConstantInt(&constant)))
      assume(op->getOperand(0), truth != constant.isOne(), scope);
    return;
  }
  auto compare = dyn_cast_if_present<arith::CmpIOp>(op);
  if (!compare)
    return;
  SizeExpr x = get(compare.getLhs()), y = get(compare.getRhs());
  if (!x || !y)
    return;
  Predicate predicate = compare.getPredicate();
  if (!truth)
    predicate = arith::invertPredicate(predicate);
  SizeFacts &facts = scope.facts;
  if (auto order = getSigned(predicate)) {
    // Below a count, also as bits, there are only counts.
    bool less = *order == Predicate::slt || *order == Predicate::sle;
    SizeExpr low = less ? x : y, high = less ? y : x;
    if (facts.range(high).min.value_or(-1) < 0)
      return;
    facts.addLessOrEqual(context.constant(0), low);
    predicate = *order;
  }
  switch (predicate) {
  case Predicate::eq:
    return facts.addEqual(x, y);
  case Predicate::ne:
    return facts.addNotEqual(x, y);
  case Predicate::slt:
    return facts.addLess(x, y);
  case Predicate::sle:
    return facts.addLessOrEqual(x, y);
  case Predicate::sgt:
    return facts.addLess(y, x);
  case Predicate::sge:
    return facts.addLessOrEqual(y, x);
  default:
    return;
  }
}

Answer SizeAnalysis::decide(Value condition, const Scope &scope) {
  APInt constant;
  if (matchPattern(condition, m_ConstantInt(&constant)))
    return constant.isZero() ? Answer::No : Answer::Yes;
  auto known = scope.conditions.find(condition);
  if (known != scope.conditions.end())
    return known->second ? Answer::Yes : Answer::No;
  Operation *op = condition.getDefiningOp();
  if (isa_and_present<arith::AndIOp, arith::OrIOp>(op) &&
      condition.getType().isInteger(1)) {
    // One operand may decide both.
    Answer alone = isa<arith::AndIOp>(op) ? Answer::No : Answer::Yes;
    Answer x = decide(op->getOperand(0), scope),
           y = decide(op->getOperand(1), scope);
    if (x == alone || y == alone)
      return alone;
    return x == Answer::Unknown ? x : y;
  }
  if (isa_and_present<arith::XOrIOp>(op) && condition.getType().isInteger(1)) {
    Answer x = decide(op->getOperand(0), scope),
           y = decide(op->getOperand(1), scope);
    if (x == Answer::Unknown || y == Answer::Unknown)
      return Answer::Unknown;
    return x == y ? Answer::No : Answer::Yes;
  }
  auto compare = dyn_cast_if_present<arith::CmpIOp>(op);
  if (!compare)
    return Answer::Unknown;
  SizeExpr x = get(compare.getLhs()), y = get(compare.getRhs());
  if (!x || !y)
    return Answer::Unknown;
  Predicate predicate = compare.getPredicate();
  const SizeFacts &facts = scope.facts;
  if (auto order = getSigned(predicate)) {
    for (SizeExpr operand : {x, y})
      if (facts.range(operand).min.value_or(-1) < 0)
        return Answer::Unknown;
    predicate = *order;
  }
  switch (predicate) {
  case Predicate::eq:
    return facts.areEqual(x, y);
  case Predicate::ne:
    return !facts.areEqual(x, y);
  case Predicate::slt:
    return facts.isLess(x, y);
  case Predicate::sle:
    return facts.isLessOrEqual(x, y);
  case Predicate::sgt:
    return facts.isLess(y, x);
  case Predicate::sge:
    return facts.isLessOrEqual(y, x);
  default:
    return Answer::Unknown;
  }
}

Answer SizeAnalysis::decide(Value condition, Operation *op) {
  return decide(condition, getScopeAt(op));
}

//===----------------------------------------------------------------------===//
// What ops say
//===----------------------------------------------------------------------===//

void SizeAnalysis::addEqualShapes(Value x, Value y, SizeFacts &facts,
                                  int64_t except) {
  auto a = dyn_cast<ShapedType>(x.getType()),
       b = dyn_cast<ShapedType>(y.getType());
  if (!a || !b || !a.hasRank() || !b.hasRank() || a.getRank() != b.getRank())
    return;
  for (int64_t d : llvm::seq(a.getRank()))
    if (d != except)
      facts.addEqual(getDim(x, d), getDim(y, d));
}

void SizeAnalysis::addTrusted(Operation *op, SizeFacts &facts) {
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
    SmallVector<SizeExpr> loops(linalgOp.getNumLoops());
    for (OpOperand &operand : op->getOpOperands())
      for (auto [dim, expr] : llvm::enumerate(
               linalgOp.getMatchingIndexingMap(&operand).getResults())) {
        auto loop = dyn_cast<AffineDimExpr>(expr);
        SizeExpr size = loop ? getDim(operand.get(), dim) : SizeExpr();
        if (!size)
          continue;
        SizeExpr &first = loops[loop.getPosition()];
        if (first)
          facts.addEqual(first, size);
        else
          first = size;
      }
  } else if (isa<tensor::CastOp>(op)) {
    addEqualShapes(op->getOperand(0), op->getResult(0), facts);
  } else if (auto concat = dyn_cast<tensor::ConcatOp>(op)) {
    for (Value input : concat.getInputs().drop_front())
      addEqualShapes(concat.getInputs()[0], input, facts, concat.getDim());
  } else if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
    for (auto [d, group] : llvm::enumerate(expand.getReassociationIndices())) {
      SizeExpr product = context.constant(1);
      for (int64_t inner : group)
        product = context.mul(product, getDim(expand.getResult(), inner));
      facts.addEqual(product, getDim(expand.getSrc(), d));
    }
  } else if (isa<tensor::ReshapeOp>(op)) {
    SizeExpr products[2];
    for (auto [product, value] :
         llvm::zip(products, ValueRange{op->getOperand(0), op->getResult(0)})) {
      auto type = dyn_cast<RankedTensorType>(value.getType());
      product = type ? context.constant(1) : SizeExpr();
      for (int64_t d = 0; type && d < type.getRank(); ++d)
        product = context.mul(product, getDim(value, d));
    }
    facts.addEqual(products[0], products[1]);
  } else if (isElementwiseOnTensors(op)) {
    for (Value operand : op->getOperands())
      addEqualShapes(op->getResult(0), operand, facts);
  }
}

void SizeAnalysis::addFactsOf(Operation *op, Scope &scope) {
  if (auto assertion = dyn_cast<cf::AssertOp>(op)) {
    assume(assertion.getArg(), true, scope);
  } else if (auto match = dyn_cast<MatchOp>(op)) {
    for (auto [dim, attr] : llvm::enumerate(match.getNames())) {
      StringRef name = cast<StringAttr>(attr).getValue();
      if (name.empty())
        continue;
      SizeExpr size = getDim(match.getSource(), dim),
               &bound = scope.names[name];
      if (bound)
        scope.facts.addEqual(bound, size);
      else
        bound = size;
    }
    for (auto text : match.getWhere().getAsRange<StringAttr>())
      addRelation(text, match.getLoc(), scope);
  } else if (trust == SizeTrust::Ops) {
    addTrusted(op, scope.facts);
  }
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

SizeAnalysis::Scope SizeAnalysis::enter(Block *block, const Scope &around) {
  Scope scope = around;
  Operation *parent = block->getParentOp();
  if (block->isEntryBlock()) {
    if (auto branch = dyn_cast<scf::IfOp>(parent)) {
      assume(branch.getCondition(), block == branch.thenBlock(), scope);
    } else if (auto choice = dyn_cast<scf::IndexSwitchOp>(parent)) {
      // The default region is none of the cases.
      SizeExpr chosen = get(choice.getArg());
      for (auto [number, region] :
           llvm::zip(choice.getCases(), choice.getCaseRegions()))
        if (&region.front() == block)
          scope.facts.addEqual(chosen, context.constant(number));
        else if (&choice.getDefaultRegion().front() == block)
          scope.facts.addNotEqual(chosen, context.constant(number));
    } else if (auto loop = dyn_cast<scf::ForOp>(parent)) {
      SizeExpr at = get(loop.getInductionVar());
      if (!loop.getUnsignedCmp()) {
        scope.facts.addLessOrEqual(get(loop.getLowerBound()), at);
        scope.facts.addLess(at, get(loop.getUpperBound()));
      }
    }
    return scope;
  }
  // Of blocks that every way here has passed, in order.
  SmallVector<Block *> passed{block};
  if (auto *node = dominance.getNode(block))
    while ((node = node->getIDom()))
      passed.push_back(node->getBlock());
  else
    return scope;
  for (Block *earlier : llvm::reverse(passed)) {
    // A name is seen in its block and in those inside, not behind.
    scope.names = around.names;
    if (Block *before = earlier->getSinglePredecessor())
      if (auto branch = dyn_cast<cf::CondBranchOp>(before->getTerminator()))
        if (branch.getTrueDest() != branch.getFalseDest())
          assume(branch.getCondition(), earlier == branch.getTrueDest(), scope);
    if (earlier != block)
      for (Operation &op : *earlier)
        addFactsOf(&op, scope);
  }
  scope.names = around.names;
  return scope;
}

SizeAnalysis::Scope &SizeAnalysis::getScopeAt(Operation *op) {
  // The blocks around it, up to its function.
  SmallVector<std::pair<Block *, Operation *>> path;
  for (Operation *at = op; at && at->getBlock(); at = at->getParentOp()) {
    path.push_back({at->getBlock(), at});
    if (isa_and_present<FunctionOpInterface>(at->getParentOp()))
      break;
  }
  std::reverse(path.begin(), path.end());
  size_t kept = 0;
  while (kept < cursors.size() && kept < path.size() &&
         cursors[kept].block == path[kept].first && cursors[kept].next &&
         !path[kept].second->isBeforeInBlock(cursors[kept].next))
    ++kept;
  cursors.resize(kept, {nullptr, nullptr, Scope(context)});
  for (auto [level, place] : llvm::enumerate(path)) {
    auto [block, here] = place;
    if (level == cursors.size()) {
      auto function = dyn_cast<FunctionOpInterface>(block->getParentOp());
      Scope around = level      ? cursors[level - 1].scope
                     : function ? enterFunction(function)
                                : Scope(context);
      cursors.push_back({block, &block->front(), enter(block, around)});
    }
    Cursor &cursor = cursors[level];
    for (; cursor.next != here; cursor.next = cursor.next->getNextNode())
      addFactsOf(cursor.next, cursor.scope);
  }
  return cursors.back().scope;
}

const SizeFacts &SizeAnalysis::getFactsAt(Operation *op) {
  return getScopeAt(op).facts;
}
