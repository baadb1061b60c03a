//===- GeneralKernel.cpp - One code for several extents -------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GeneralKernel.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;
using namespace vortex;

KernelCopy::KernelCopy(KernelOp original)
    : kernel(cast<KernelOp>(original->clone())) {
  kernel.setName("");
  for (OpOperand &operand : kernel->getOpOperands())
    operand.set(
        operands.addArgument(operand.get().getType(), operand.get().getLoc()));
}

KernelCopy::~KernelCopy() { kernel->erase(); }

std::string KernelCopy::getText() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  kernel->walk([&](Operation *op) {
    op->getAttrDictionary().walk([&](ElementsAttr constant) {
      os << constant.getAsOpaquePointer() << ';';
    });
  });
  OpPrintingFlags flags;
  flags.printGenericOpForm().useLocalScope().elideLargeElementsAttrs(16);
  // Operands are printed by number; only their types matter.
  kernel->print(os, flags);
  return text;
}

/// Whether the types of the op's results follow from those of its operands, or
/// it takes sizes, so that an extent of theirs may be unknown.
static bool canForget(Operation *op) {
  return isa<KernelOp, linalg::LinalgOp, linalg::UnPackOp, tensor::PadOp,
             tensor::EmptyOp>(op);
}

/// The tensors of a kernel, in an order that kernels which are the same op for
/// op share: what it takes, what it computes and what that is called inside.
static SmallVector<Value> getTensors(KernelOp kernel) {
  SmallVector<Value> tensors;
  auto add = [&](ValueRange values) {
    for (Value value : values)
      if (isa<RankedTensorType>(value.getType()))
        tensors.push_back(value);
  };
  add(kernel->getOperands());
  kernel->walk<WalkOrder::PreOrder>([&](Operation *op) {
    add(op->getResults());
    for (Region &region : op->getRegions())
      for (Block &block : region)
        add(block.getArguments());
  });
  return tensors;
}

static void setShape(Value value, ArrayRef<int64_t> shape) {
  value.setType(cast<RankedTensorType>(value.getType()).clone(shape));
}

/// The shape of what `op` unpacks once extents are forgotten. Tiles stay, and
/// how many there are goes with the extent that they divide.
static SmallVector<int64_t> forgetPanels(linalg::UnPackOp op) {
  SmallVector<int64_t> shape(op.getSourceType().getShape());
  ArrayRef<int64_t> whole = op.getDestType().getShape();
  ArrayRef<int64_t> order = op.getOuterDimsPerm();
  for (size_t i = 0; i < whole.size(); ++i)
    if (whole[order.empty() ? i : order[i]] > kSmallExtent)
      shape[i] = ShapedType::kDynamic;
  return shape;
}

/// What a kernel's operand is called: outside, in the payload and, where these
/// ask about operands, among the candidates.
static SmallVector<Value> getNames(KernelOp kernel, unsigned operand) {
  SmallVector<Value> names = {kernel->getOperand(operand),
                              kernel.getPayload().getArgument(operand)};
  Region &candidates = kernel.getCandidates();
  unsigned inside = kernel.getAxes().size() + operand;
  if (!candidates.empty() && inside < candidates.getNumArguments())
    names.push_back(candidates.getArgument(inside));
  return names;
}

namespace {
/// The dimensions of a kernel's tensors that the loops of its anchor walk which
/// choose one of a batch of products.
class BatchDims {
public:
  explicit BatchDims(KernelOp kernel) : kernel(kernel) {
    auto anchor = dyn_cast_if_present<linalg::LinalgOp>(kernel.getAnchor());
    if (!anchor)
      return;
    auto loops = linalg::inferContractionDims(anchor);
    if (failed(loops))
      return;
    for (unsigned loop : loops->batch)
      follow(anchor, loop);
  }

  bool contains(Value value, int64_t dim) const {
    return dims.contains({value, dim});
  }

private:
  /// Adds what the loop walks, and where that goes on from there.
  void follow(linalg::LinalgOp op, unsigned loop) {
    if (!loops.insert({op, loop}).second)
      return;
    for (OpOperand &operand : op->getOpOperands()) {
      AffineMap map = op.getMatchingIndexingMap(&operand);
      auto dim =
          map.getResultPosition(getAffineDimExpr(loop, op->getContext()));
      if (!dim)
        continue;
      add(operand.get(), *dim);
      if (op.isDpsInit(&operand) && op->getNumResults())
        add(op.getTiedOpResult(&operand), *dim);
    }
  }

  void add(Value value, int64_t dim) {
    if (!dims.insert({value, dim}).second)
      return;
    auto argument = dyn_cast<BlockArgument>(value);
    if (argument && argument.getOwner() == &kernel.getPayload().front()) {
      unsigned number = argument.getArgNumber();
      for (Value name : getNames(kernel, number))
        dims.insert({name, dim});
      if (unsigned inputs = kernel.getInputs().size(); number >= inputs)
        dims.insert({kernel.getResult(number - inputs), dim});
    }
    auto visit = [&](Operation *op, AffineMap map) {
      if (auto loop = dyn_cast<AffineDimExpr>(map.getResult(dim)))
        follow(cast<linalg::LinalgOp>(op), loop.getPosition());
    };
    if (auto made = value.getDefiningOp<linalg::LinalgOp>())
      visit(made, made.getIndexingMapMatchingResult(cast<OpResult>(value)));
    for (OpOperand &use : value.getUses())
      if (auto reader = dyn_cast<linalg::LinalgOp>(use.getOwner()))
        visit(reader, reader.getMatchingIndexingMap(&use));
  }

  KernelOp kernel;
  llvm::DenseSet<std::pair<Value, int64_t>> dims;
  llvm::DenseSet<std::pair<Operation *, unsigned>> loops;
};
} // namespace

/// Makes the extents unknown that `forgets` says, given their tensor and
/// dimension, where types follow.
static void forget(KernelOp kernel,
                   function_ref<bool(Value, int64_t, int64_t)> forgets) {
  for (Value value : getTensors(kernel)) {
    Operation *op = value.getDefiningOp();
    if (op && !canForget(op))
      continue;
    SmallVector<int64_t> shape(
        cast<RankedTensorType>(value.getType()).getShape());
    for (auto [dim, extent] : llvm::enumerate(shape))
      if (forgets(value, dim, extent))
        extent = ShapedType::kDynamic;
    setShape(value, shape);
  }
}

void KernelCopy::forgetBatch() {
  BatchDims batch(kernel);
  forget(kernel, [&](Value value, int64_t dim, int64_t extent) {
    return extent != 1 && batch.contains(value, dim);
  });
}

void KernelCopy::forgetExtents() {
  DenseSet<Value> packed;
  kernel.getPayload().walk([&](linalg::UnPackOp op) {
    auto source = dyn_cast<BlockArgument>(op.getSource());
    if (!source || source.getOwner() != &kernel.getPayload().front())
      return;
    SmallVector<int64_t> shape = forgetPanels(op);
    for (Value name : getNames(kernel, source.getArgNumber())) {
      setShape(name, shape);
      packed.insert(name);
    }
  });
  forget(kernel, [&](Value value, int64_t, int64_t extent) {
    return !packed.contains(value) && extent > kSmallExtent;
  });
}

namespace {
/// The extents of the tensors of kernels that are the same op for op.
class Extents {
public:
  explicit Extents(ArrayRef<KernelOp> kernels) {
    for (KernelOp kernel : kernels)
      tensors.push_back(getTensors(kernel));
  }

  /// Of each kernel, in their order.
  SmallVector<int64_t> get(size_t tensor, int64_t dim) const {
    return llvm::map_to_vector(tensors, [&](const SmallVector<Value> &values) {
      return cast<RankedTensorType>(values[tensor].getType()).getDimSize(dim);
    });
  }

private:
  std::vector<SmallVector<Value>> tensors;
};
} // namespace

/// The operand and its dimension that have `wanted` as their extents.
static std::optional<std::pair<unsigned, int64_t>>
findOperand(KernelOp kernel, const Extents &extents, ArrayRef<int64_t> wanted) {
  size_t tensor = 0;
  for (OpOperand &operand : kernel->getOpOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    if (!type)
      continue;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (extents.get(tensor, dim) == wanted)
        return std::make_pair(operand.getOperandNumber(), dim);
    ++tensor;
  }
  return std::nullopt;
}

/// Gives `empty` sizes for the extents that `shape` leaves unknown, each that
/// of an operand which has this extent in every kernel.
static LogicalResult takeSizes(tensor::EmptyOp empty, ArrayRef<int64_t> shape,
                               KernelOp kernel, size_t tensor,
                               const Extents &extents) {
  OpBuilder b(empty);
  SmallVector<Value> sizes;
  for (auto [dim, extent] : llvm::enumerate(shape)) {
    if (!ShapedType::isDynamic(extent))
      continue;
    if (empty.getType().isDynamicDim(dim)) {
      sizes.push_back(empty.getDynamicSize(dim));
      continue;
    }
    auto found = findOperand(kernel, extents, extents.get(tensor, dim));
    if (!found)
      return failure();
    sizes.push_back(tensor::DimOp::create(
        b, empty.getLoc(), kernel.getPayload().getArgument(found->first),
        found->second));
  }
  empty.getDynamicSizesMutable().assign(sizes);
  return success();
}

LogicalResult KernelCopy::joinExtents(ArrayRef<KernelOp> kernels) {
  Extents extents(kernels);
  SmallVector<SmallVector<int64_t>> shapes;
  SmallVector<Value> tensors = getTensors(kernel);
  for (auto [i, value] : llvm::enumerate(tensors)) {
    SmallVector<int64_t> &shape =
        shapes.emplace_back(cast<RankedTensorType>(value.getType()).getShape());
    for (auto [dim, extent] : llvm::enumerate(shape))
      if (!llvm::all_equal(extents.get(i, dim)))
        extent = ShapedType::kDynamic;
    if (auto empty = value.getDefiningOp<tensor::EmptyOp>();
        empty && failed(takeSizes(empty, shape, kernel, i, extents)))
      return failure();
  }
  for (auto [value, shape] : llvm::zip_equal(tensors, shapes))
    setShape(value, shape);
  return success();
}
