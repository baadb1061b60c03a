//===- FormKernels.cpp - Group linalg ops into fusion scopes ----------- -===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelGroups.h"
#include "MicroKernelEmitter.h"

#include "vortex/Dialect/Vortex/Analysis/SizeAnalysis.h"
#include "vortex/Dialect/Vortex/IR/DimIndex.h"
#include "vortex/Dialect/Vortex/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

namespace vortex {
#define GEN_PASS_DEF_FORMKERNELS
#include "vortex/Dialect/Vortex/Transforms/Passes.h.inc"
} // namespace vortex

#define DEBUG_TYPE "vortex-form-kernels"

using namespace mlir;
using namespace vortex;

namespace {
class KernelFormer {
public:
  explicit KernelFormer(FunctionOpInterface function) : function(function) {}
  /// What will share kernels in one block, in order of the anchors.
  SmallVector<KernelGroup> findGroups(Block &block);
  /// Forms the kernels of one block; adds to the counts.
  void run(Block &block, unsigned &kernels, unsigned &fused);

private:
  void growConsumers(KernelGroup &group);
  void growRows(KernelGroup &group);
  void formKernel(KernelGroup &group);
  bool haveEqualLanes(linalg::LinalgOp a, linalg::LinalgOp b, unsigned lane,
                      Operation *last);

  FunctionOpInterface function;
  /// While groups are formed: of ops that are still there.
  std::optional<SizeAnalysis> sizes;
  DenseSet<Operation *> taken;
  DenseMap<StringRef, unsigned> counters;
};
} // namespace

static linalg::LinalgOp singleConsumer(Value value) {
  Operation *only = nullptr;
  for (Operation *user : value.getUsers()) {
    if (only && user != only)
      return {};
    only = user;
  }
  return dyn_cast_if_present<linalg::LinalgOp>(only);
}

/// Behind a contraction: elementwise ops that read its result where they write
/// theirs run in the same registers.
void KernelFormer::growConsumers(KernelGroup &group) {
  auto root = cast<linalg::LinalgOp>(group.anchor);
  while (true) {
    linalg::LinalgOp consumer = singleConsumer(root->getResult(0));
    if (!consumer || taken.contains(consumer) ||
        consumer->getBlock() != root->getBlock() ||
        classify(consumer) != PayloadClass::Rows ||
        consumer.getNumReductionLoops() != 0)
      return;
    AffineMap out = consumer.getIndexingMapsArray().back();
    if (!out.isIdentity())
      return;
    for (OpOperand &operand : consumer->getOpOperands())
      if (operand.get() == root->getResult(0) &&
          (!consumer.isDpsInput(&operand) ||
           consumer.getMatchingIndexingMap(&operand) != out))
        return;
    group.ops.insert(consumer);
    root = consumer;
  }
}

/// Whether `op` walks `rows` row loops in order, then at most one lane loop,
/// the last; `full` tells which.
static bool fitsRows(linalg::LinalgOp op, int64_t rows, bool &full) {
  int64_t loops = op.getNumLoops();
  full = loops == rows + 1;
  if (loops != rows && !full)
    return false;
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  for (int64_t i = 0; i < rows; ++i)
    if (iterators[i] != utils::IteratorType::parallel)
      return false;
  AffineMap out = op.getIndexingMapsArray().back();
  if (!out.isProjectedPermutation())
    return false;
  int64_t results = out.getNumResults();
  bool reduces = op.getNumReductionLoops() != 0;
  if (results != (full && !reduces ? rows + 1 : rows))
    return false;
  for (int64_t i = 0; i < results; ++i)
    if (cast<AffineDimExpr>(out.getResult(i)).getPosition() != i)
      return false;
  return true;
}

/// What gives the extent of the loop in lanes: dimensions of values that it
/// walks alone, and the sizes they are known to have.
static void
collectLaneSizes(linalg::LinalgOp op, unsigned lane,
                 SmallVectorImpl<std::pair<void *, int64_t>> &sizes) {
  auto add = [&](Value value, AffineMap map) {
    auto position =
        map.getResultPosition(getAffineDimExpr(lane, op.getContext()));
    if (!position)
      return;
    int64_t dim = *position;
    sizes.push_back({value.getAsOpaquePointer(), dim});
    auto type = cast<RankedTensorType>(value.getType());
    if (!type.isDynamicDim(dim)) {
      sizes.push_back({nullptr, type.getDimSize(dim)});
      return;
    }
    // Through fills to the size a tensor.empty was made with.
    while (auto fill = value.getDefiningOp<linalg::FillOp>())
      value = fill.getDpsInits()[0];
    sizes.push_back({value.getAsOpaquePointer(), dim});
    if (auto empty = value.getDefiningOp<tensor::EmptyOp>()) {
      Value size = empty.getDynamicSize(dim);
      sizes.push_back({size.getAsOpaquePointer(), -1});
      if (auto of = size.getDefiningOp<tensor::DimOp>())
        if (std::optional<int64_t> index = getDimIndex(of))
          sizes.push_back({of.getSource().getAsOpaquePointer(), *index});
    }
  };
  for (auto [value, map] :
       llvm::zip(op->getOperands(), op.getIndexingMapsArray()))
    if (isa<RankedTensorType>(value.getType()))
      add(value, map);
  add(op->getResult(0), op.getIndexingMapsArray().back());
}

/// Whether loop `lane` of both ops has one extent, as far as is known where
/// `last` has run. What is only known later is no reason: an assertion there
/// may be what keeps a program from reading past the end.
bool KernelFormer::haveEqualLanes(linalg::LinalgOp a, linalg::LinalgOp b,
                                  unsigned lane, Operation *last) {
  if (!sizes)
    sizes.emplace(function, SizeTrust::Ops);
  auto extentOf = [&](linalg::LinalgOp op) -> SizeExpr {
    for (OpOperand &operand : op->getOpOperands())
      if (auto dim = op.getMatchingIndexingMap(&operand).getResultPosition(
              getAffineDimExpr(lane, op.getContext())))
        return sizes->getDim(operand.get(), *dim);
    return {};
  };
  SizeExpr x = extentOf(a), y = extentOf(b);
  return sizes->getFactsAt(last->getNextNode()).areEqual(x, y) == Answer::Yes;
}

/// Row-local chains: producers join when the group is all that uses them and
/// the values between them are whole rows or one scalar a row.
void KernelFormer::growRows(KernelGroup &group) {
  auto root = cast<linalg::LinalgOp>(group.anchor);
  int64_t lane = getLaneLoop(root);
  int64_t loops = root.getNumLoops();
  // The root may itself be a scalar op behind a reduction.
  for (int64_t rows : {loops - 1, loops}) {
    bool full = false;
    if (rows < 0 || !fitsRows(root, rows, full) || (full && lane != rows))
      continue;
    SetVector<Operation *> ops;
    ops.insert(root);
    Operation *anchor = full ? root.getOperation() : nullptr;
    // All ops with a lane loop walk the same extent, and provably so.
    SmallVector<std::pair<void *, int64_t>> laneSizes;
    linalg::LinalgOp laneOp = full ? root : linalg::LinalgOp();
    if (full)
      collectLaneSizes(root, rows, laneSizes);
    for (unsigned i = 0; i < ops.size(); ++i) {
      auto op = cast<linalg::LinalgOp>(ops[i]);
      for (OpOperand &operand : op->getOpOperands()) {
        auto producer = operand.get().getDefiningOp<linalg::LinalgOp>();
        if (!producer || ops.contains(producer) || taken.contains(producer) ||
            producer->getBlock() != root->getBlock() ||
            classify(producer) != PayloadClass::Rows ||
            !op.isDpsInput(&operand))
          continue;
        bool producerFull = false;
        if (!fitsRows(producer, rows, producerFull))
          continue;
        if (producerFull && getLaneLoop(producer) != rows)
          continue;
        // Every reader is in the group and reads row by row.
        bool fits = true;
        AffineMap out = producer.getIndexingMapsArray().back();
        for (OpOperand &use : producer->getUses()) {
          auto user = dyn_cast<linalg::LinalgOp>(use.getOwner());
          if (!user || !ops.contains(user) || !user.isDpsInput(&use)) {
            fits = false;
            break;
          }
          AffineMap map = user.getMatchingIndexingMap(&use);
          if (map.getNumResults() != out.getNumResults())
            fits = false;
          for (auto [dim, expr] : llvm::enumerate(map.getResults()))
            if (expr != getAffineDimExpr(dim, map.getContext()))
              fits = false;
        }
        SmallVector<std::pair<void *, int64_t>> sizes;
        if (producerFull) {
          collectLaneSizes(producer, rows, sizes);
          if (fits && laneOp && llvm::none_of(sizes, [&](auto &size) {
                return llvm::is_contained(laneSizes, size);
              }))
            fits = haveEqualLanes(laneOp, producer, rows, root);
        }
        if (!fits)
          continue;
        llvm::append_range(laneSizes, sizes);
        if (producerFull && !laneOp)
          laneOp = producer;
        ops.insert(producer);
        if (producerFull && !anchor)
          anchor = producer;
        i = -1u; // producers may have become admissible: start again
        break;
      }
      if (i == -1u)
        continue;
    }
    if (!anchor)
      continue;
    if (ops.size() > group.ops.size()) {
      group.ops = ops;
      group.anchor = anchor;
    }
  }
}

static std::string nameOf(PayloadClass payloadClass, const KernelGroup &group) {
  auto op = cast<linalg::LinalgOp>(group.anchor);
  StringRef name = op->getName().stripDialect();
  if (name != "generic")
    return name.str();
  switch (payloadClass) {
  case PayloadClass::Contraction:
    return "contraction";
  case PayloadClass::Columns:
    return "column_reduction";
  default:
    return op.getNumReductionLoops() || group.ops.size() > 1 ? "rows"
                                                             : "elementwise";
  }
}

KernelOp vortex::createKernel(KernelGroup &group, StringRef name,
                              ArrayRef<StringRef> axes) {
  SmallVector<Operation *> ops = group.ops.takeVector();
  // Fills that start an accumulator belong to the kernel.
  for (unsigned i = 0, e = ops.size(); i < e; ++i)
    for (Value init : cast<linalg::LinalgOp>(ops[i]).getDpsInits())
      if (auto fill = init.getDefiningOp<linalg::FillOp>();
          fill && fill->getBlock() == ops[i]->getBlock() && isEmittable(fill) &&
          !llvm::is_contained(ops, fill.getOperation()))
        ops.push_back(fill);
  llvm::sort(ops,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  DenseSet<Operation *> inside(ops.begin(), ops.end());
  Operation *last = ops.back();

  SmallVector<Value> results, inits;
  for (Operation *op : ops) {
    if (isa<linalg::FillOp>(op))
      continue;
    for (OpResult result : op->getResults()) {
      if (llvm::all_of(result.getUsers(),
                       [&](Operation *user) { return inside.contains(user); }))
        continue;
      results.push_back(result);
      Value init = cast<linalg::LinalgOp>(op).getDpsInits()[0];
      while (auto fill = init.getDefiningOp<linalg::FillOp>()) {
        if (!inside.contains(fill))
          break;
        init = fill.getDpsInits()[0];
      }
      inits.push_back(init);
    }
  }
  OpBuilder b(last->getContext());
  b.setInsertionPointAfter(last);
  Location loc = last->getLoc();

  // What comes from outside: constants and shapes of intermediate values are
  // remade inside, everything else is an operand.
  SetVector<Value> inputs;
  SmallVector<Operation *> remade;
  auto capture = [&](Value value) {
    if (inside.contains(value.getDefiningOp()))
      return;
    if (llvm::is_contained(inits, value))
      return;
    if (matchPattern(value, m_Constant()) &&
        !isa<ShapedType>(value.getType())) {
      if (!llvm::is_contained(remade, value.getDefiningOp()))
        remade.push_back(value.getDefiningOp());
      return;
    }
    if (auto empty = value.getDefiningOp<tensor::EmptyOp>()) {
      if (llvm::is_contained(remade, empty.getOperation()))
        return;
      for (Value size : empty.getDynamicSizes())
        inputs.insert(size);
      remade.push_back(empty);
      return;
    }
    inputs.insert(value);
  };
  for (Operation *op : ops)
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (!op->isAncestor(operand.getParentBlock()->getParentOp()))
          capture(operand);
    });
  // An init that is also read as an input must be both.
  for (Operation *op : ops) {
    auto linalgOp = cast<linalg::LinalgOp>(op);
    for (OpOperand *operand : linalgOp.getDpsInputOperands())
      if (llvm::is_contained(inits, operand->get()))
        inputs.insert(operand->get());
  }

  auto kernel = KernelOp::create(b, loc, ValueRange(results).getTypes(),
                                 b.getStringAttr(name), b.getStrArrayAttr(axes),
                                 inputs.getArrayRef(), inits);
  Block *payload = b.createBlock(&kernel.getPayload());
  IRMapping map, inputMap;
  for (Value input : inputs) {
    Value argument = payload->addArgument(input.getType(), loc);
    map.map(input, argument);
  }
  for (Value init : inits) {
    Value argument = payload->addArgument(init.getType(), loc);
    inputMap.map(init, argument);
    if (!map.contains(init))
      map.map(init, argument);
  }
  b.setInsertionPointToStart(payload);
  for (Operation *op : remade)
    b.clone(*op, map);
  unsigned id = 0;
  for (Operation *op : ops) {
    // Inits are written through the outs argument, inputs read through ins.
    Operation *clone = b.clone(*op, map);
    auto dps = cast<linalg::LinalgOp>(clone);
    for (OpOperand &init : dps.getDpsInitsMutable())
      if (Value argument =
              inputMap.lookupOrNull(op->getOperand(init.getOperandNumber())))
        init.set(argument);
    clone->setAttr(kIdAttr, b.getStringAttr("p" + std::to_string(id++)));
    if (op == group.anchor)
      clone->setAttr(kAnchorAttr, b.getUnitAttr());
  }
  YieldOp::create(b, loc, llvm::map_to_vector(results, [&](Value result) {
                    return map.lookup(result);
                  }));
  for (auto [from, to] : llvm::zip(results, kernel.getResults()))
    from.replaceUsesWithIf(
        to, [&](OpOperand &use) { return !inside.contains(use.getOwner()); });
  for (Operation *op : llvm::reverse(ops))
    if (op->use_empty())
      op->erase();
  return kernel;
}

void KernelFormer::formKernel(KernelGroup &group) {
  auto anchor = cast<linalg::LinalgOp>(group.anchor);
  SmallVector<std::string> axisNames;
  std::optional<ContractionRoles> roles =
      group.payloadClass == PayloadClass::Contraction
          ? getContractionRoles(anchor)
          : std::nullopt;
  for (unsigned loop = 0; loop < anchor.getNumLoops(); ++loop) {
    std::string name = "d" + std::to_string(loop);
    if (roles && loop == roles->m)
      name = "m";
    else if (roles && loop == roles->n)
      name = "n";
    else if (roles && roles->k.size() == 1 && loop == roles->k[0])
      name = "k";
    axisNames.push_back(name);
  }
  std::string name =
      (function.getName() + "." + nameOf(group.payloadClass, group) + "." +
       Twine(counters[StringRef()]++))
          .str();
  createKernel(group, name,
               SmallVector<StringRef>(axisNames.begin(), axisNames.end()));
}

SmallVector<KernelGroup> KernelFormer::findGroups(Block &block) {
  // Contractions and column reductions first, since they are what is worth
  // fusing into; then rows, from the last op up.
  SmallVector<KernelGroup> groups;
  auto start = [&](linalg::LinalgOp op, PayloadClass payloadClass) {
    KernelGroup group;
    group.payloadClass = payloadClass;
    group.anchor = op;
    group.ops.insert(op);
    if (payloadClass == PayloadClass::Rows)
      growRows(group);
    else
      growConsumers(group);
    taken.insert(group.ops.begin(), group.ops.end());
    groups.push_back(std::move(group));
  };
  SmallVector<linalg::LinalgOp> ops(block.getOps<linalg::LinalgOp>());
  for (linalg::LinalgOp op : ops) {
    PayloadClass payloadClass = classify(op);
    if (!taken.contains(op) && (payloadClass == PayloadClass::Contraction ||
                                payloadClass == PayloadClass::Columns))
      start(op, payloadClass);
  }
  for (linalg::LinalgOp op : llvm::reverse(ops))
    if (!taken.contains(op) && classify(op) == PayloadClass::Rows)
      start(op, PayloadClass::Rows);
  // Kernels are made in block order, so that names follow the program.
  llvm::sort(groups, [](const KernelGroup &a, const KernelGroup &b) {
    return a.anchor->isBeforeInBlock(b.anchor);
  });
  sizes.reset();
  return groups;
}

void KernelFormer::run(Block &block, unsigned &kernels, unsigned &fused) {
  for (KernelGroup &group : findGroups(block)) {
    ++kernels;
    fused += group.ops.size() - 1;
    formKernel(group);
  }
}

namespace {
struct FormKernelsPass : vortex::impl::FormKernelsBase<FormKernelsPass> {
  void runOnOperation() override {
    unsigned kernels = 0, fused = 0;
    (void)forEachFunction(getOperation(), [&](FunctionOpInterface function) {
      formKernels(function, kernels, fused);
      return success();
    });
    numKernels += kernels;
    numFused += fused;
  }
};
} // namespace

LogicalResult
vortex::forEachFunction(Operation *op,
                        function_ref<LogicalResult(FunctionOpInterface)> f) {
  return failure(op->walk([&](FunctionOpInterface function) {
                     if (function.isExternal() || succeeded(f(function)))
                       return WalkResult::advance();
                     return WalkResult::interrupt();
                   }).wasInterrupted());
}

SmallVector<Block *> vortex::getProgramBlocks(FunctionOpInterface function) {
  SmallVector<Block *> blocks;
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<KernelOp, MicroKernelOp>(op) || isa<linalg::LinalgOp>(op))
      return WalkResult::skip();
    for (Region &region : op->getRegions())
      for (Block &block : region)
        blocks.push_back(&block);
    return WalkResult::advance();
  });
  return blocks;
}

SmallVector<KernelGroup> vortex::groupKernels(FunctionOpInterface function,
                                              Block &block) {
  return KernelFormer(function).findGroups(block);
}

void vortex::formKernels(FunctionOpInterface function, unsigned &kernels,
                         unsigned &fused) {
  KernelFormer former(function);
  for (Block *block : getProgramBlocks(function))
    former.run(*block, kernels, fused);
}
