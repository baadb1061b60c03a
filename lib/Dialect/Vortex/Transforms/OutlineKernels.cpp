//===- OutlineKernels.cpp - Each kernel in a module of its own ------- -===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GeneralKernel.h"

#include "vortex/Dialect/Vortex/Transforms/Passes.h"
#include "vortex/Dialect/Vortex/Transforms/SharedCode.h"
#include "vortex/HwDesc/Targets.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace vortex {
#define GEN_PASS_DEF_OUTLINEKERNELS
#include "vortex/Dialect/Vortex/Transforms/Passes.h.inc"
} // namespace vortex

#define DEBUG_TYPE "vortex-outline-kernels"

using namespace mlir;
using namespace vortex;

namespace {
/// Memory of which the `known` innermost extents alone tell how far apart the
/// elements of as many dimensions, and of the one in front of them, are.
struct Packed {
  Value value;
  unsigned known;
};
} // namespace

/// Whether `slice` takes neighbours and all of its `known` innermost
/// dimensions: its elements are then as far apart as in its source.
static bool takesRows(tensor::ExtractSliceOp slice, unsigned known) {
  ArrayRef<int64_t> source = slice.getSourceType().getShape();
  ArrayRef<int64_t> type = slice.getType().getShape();
  if (!slice.hasUnitStride() || source.size() < known ||
      type.take_back(known) != source.take_back(known) ||
      llvm::any_of(type.take_back(known), ShapedType::isDynamic))
    return false;
  // Neither is one of those dropped nor the one that they lie in.
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  return dropped.find_last() < int(source.size()) - 1 - int(known);
}

/// Adds where what `loop` carries as `arg` starts and what a step hands on.
static bool addCarried(LoopLikeOpInterface loop, BlockArgument arg,
                       SmallVectorImpl<Value> &origins) {
  OpOperand *init = loop.getTiedLoopInit(arg);
  if (!init)
    return false;
  origins.push_back(init->get());
  if (OpOperand *next = loop.getTiedLoopYieldedValue(arg))
    origins.push_back(next->get());
  return true;
}

/// How many of the `known` innermost dimensions of a reshape's result are those
/// of its source, from groups of the result's or the source's dimensions.
static unsigned getKnownOfSource(tensor::ExpandShapeOp op, unsigned known) {
  unsigned groups = 0;
  for (ArrayRef<int64_t> group : llvm::reverse(op.getReassociationIndices())) {
    if (group.size() > known)
      break;
    known -= group.size();
    ++groups;
  }
  return groups;
}
static unsigned getKnownOfSource(tensor::CollapseShapeOp op, unsigned known) {
  unsigned dims = 0;
  for (const ReassociationIndices &group :
       ArrayRef(op.getReassociationIndices()).take_back(known))
    dims += group.size();
  return dims;
}

/// Adds what `packed` shares its memory with; false where that may have gaps,
/// or is not known.
static bool addOrigins(Packed packed, SmallVectorImpl<Packed> &origins) {
  auto add = [&](Value value, unsigned known) {
    origins.push_back({value, known});
    return true;
  };
  auto addCarriedBy = [&](LoopLikeOpInterface loop, BlockArgument arg) {
    SmallVector<Value> values;
    bool found = addCarried(loop, arg, values);
    for (Value value : values)
      add(value, packed.known);
    return found;
  };
  Operation *op = packed.value.getDefiningOp();
  if (!op) {
    // Functions take and return tensors without gaps.
    Operation *owner = packed.value.getParentBlock()->getParentOp();
    if (!isa<scf::ForOp, scf::ForallOp>(owner))
      return isa<FunctionOpInterface>(owner);
    return addCarriedBy(cast<LoopLikeOpInterface>(owner),
                        cast<BlockArgument>(packed.value));
  }
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return add(expand.getSrc(), getKnownOfSource(expand, packed.known));
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    return add(collapse.getSrc(), getKnownOfSource(collapse, packed.known));
  if (isa<tensor::CastOp>(op))
    return add(op->getOperand(0), packed.known);
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return takesRows(slice, packed.known) &&
           add(slice.getSource(), packed.known);
  if (auto kernel = dyn_cast<KernelOp>(op))
    return add(
        kernel.getInits()[cast<OpResult>(packed.value).getResultNumber()],
        packed.known);
  if (auto written = dyn_cast<DestinationStyleOpInterface>(op))
    return add(written.getTiedOpOperand(cast<OpResult>(packed.value))->get(),
               packed.known);
  if (isa<scf::ForOp, scf::ForallOp>(op)) {
    auto loop = cast<LoopLikeOpInterface>(op);
    return addCarriedBy(
        loop, loop.getTiedLoopRegionIterArg(cast<OpResult>(packed.value)));
  }
  if (isa<scf::IfOp, scf::IndexSwitchOp>(op)) {
    unsigned number = cast<OpResult>(packed.value).getResultNumber();
    for (Region &region : op->getRegions())
      add(region.front().getTerminator()->getOperand(number), packed.known);
    return true;
  }
  return isa<tensor::EmptyOp, tensor::PadOp>(op) ||
         matchPattern(op, m_Constant());
}

/// Whether known extents of the innermost dimensions of `value` will tell how
/// far apart its rows are: it is whole in memory or takes such dimensions of
/// what is whole.
static bool hasDenseRows(Value value) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(value.getType()).getShape();
  auto inner = llvm::reverse(shape.drop_front());
  auto unknown = llvm::find_if(inner, ShapedType::isDynamic);
  SmallVector<Packed> origins = {
      {value, unsigned(std::distance(inner.begin(), unknown))}};
  DenseSet<std::pair<Value, unsigned>> seen;
  while (!origins.empty()) {
    Packed origin = origins.pop_back_val();
    if (seen.insert({origin.value, origin.known}).second &&
        !addOrigins(origin, origins))
      return false;
  }
  return true;
}

namespace {
/// Operands whose strides the kernel's code knows more of than that columns
/// are adjacent.
struct Layouts {
  /// Those without gaps as far as extents are known, for kernels of a CPU.
  SmallVector<int64_t> dense;
  /// Those without any gaps, which were packed.
  SmallVector<int64_t> packed;
};
} // namespace

static Layouts getLayouts(KernelOp kernel, bool isDevice) {
  Layouts layouts;
  for (OpOperand &operand : kernel->getOpOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    if (operand.get().getDefiningOp<linalg::PackOp>())
      layouts.packed.push_back(operand.getOperandNumber());
    else if (type && !isDevice && type.getRank() > 1 &&
             !type.isDynamicDim(type.getRank() - 1) &&
             hasDenseRows(operand.get()))
      layouts.dense.push_back(operand.getOperandNumber());
  }
  return layouts;
}

/// The memref that operand `position` is passed as: any strides, but columns
/// adjacent; of a dense one those that known extents tell, of a packed one
/// those that all extents tell.
static MemRefType argumentType(RankedTensorType type, int64_t position,
                               const Layouts &layouts) {
  if (llvm::is_contained(layouts.packed, position))
    return MemRefType::get(type.getShape(), type.getElementType());
  bool dense = llvm::is_contained(layouts.dense, position);
  SmallVector<int64_t> strides(type.getRank(), ShapedType::kDynamic);
  int64_t stride = 1;
  for (int64_t d = type.getRank() - 1; d >= 0; --d) {
    strides[d] = stride;
    if (!dense || type.isDynamicDim(d))
      break;
    stride *= type.getDimSize(d);
  }
  auto layout =
      StridedLayoutAttr::get(type.getContext(), ShapedType::kDynamic, strides);
  return MemRefType::get(type.getShape(), type.getElementType(), layout);
}

/// Text that is the same for kernels whose code is the same.
static std::string getKey(const KernelCopy &copy, const Layouts &layouts) {
  std::string text = copy.getText();
  for (int64_t position : layouts.dense)
    text += std::to_string(position) + ',';
  for (int64_t position : layouts.packed)
    text += std::to_string(position) + ';';
  return text;
}

/// The kernel's only candidate; null for a fallback.
static CandidateOp getCandidate(KernelOp kernel) {
  SmallVector<CandidateOp> candidates = kernel.getCandidateOps();
  return candidates.empty() ? CandidateOp() : candidates[0];
}

/// "KERNEL=CANDIDATE" of a kernel with one candidate.
static StringAttr getChoiceName(KernelOp kernel) {
  return StringAttr::get(kernel.getContext(),
                         kernel.getName() + "=" +
                             getCandidate(kernel).getSymName());
}

/// Adds the kernel to those that `nested` is the code of.
static void addImplemented(ModuleOp nested, KernelOp kernel) {
  if (!getCandidate(kernel))
    return;
  SmallVector<Attribute> names;
  if (auto known = nested->getAttrOfType<ArrayAttr>(kImplementsAttr))
    llvm::append_range(names, known);
  if (StringAttr name = getChoiceName(kernel); !llvm::is_contained(names, name))
    names.push_back(name);
  nested->setAttr(kImplementsAttr, ArrayAttr::get(kernel.getContext(), names));
}

/// Whether LLVM's machine scheduler should run on the kernel's code.
static bool wantsScheduler(KernelOp kernel) {
  bool wants = true;
  kernel.getCandidates().walk([&](StageOp stage) {
    if (stage.getMicro() && !stage.getMicro()->getScheduler())
      wants = false;
  });
  return wants;
}

namespace {
/// Kernels that run the same code.
struct Code {
  SmallVector<KernelOp> kernels;
  /// Of each one's operands.
  Layouts layouts;
  /// Null where the first kernel is what is compiled.
  std::unique_ptr<KernelCopy> general;
};

struct OutlineKernelsPass
    : vortex::impl::OutlineKernelsBase<OutlineKernelsPass> {
  using OutlineKernelsBase::OutlineKernelsBase;
  void runOnOperation() override;
  std::vector<Code> shareExtents(std::vector<Code> codes, bool batchAlone);
  void outline(const Code &code, StringRef name);
  std::string chooseName(const Code &code, SymbolTable &symbols);
};
} // namespace

void OutlineKernelsPass::outline(const Code &code, StringRef name) {
  KernelOp kernel = code.kernels.front();
  KernelOp compiled = code.general ? code.general->getKernel() : kernel;
  ModuleOp module = getOperation();
  Location loc = kernel.getLoc();
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  auto nested = ModuleOp::create(b, loc, name);
  nested->setAttr("vortex.kernel_module", b.getUnitAttr());
  if (Attribute targets = module->getAttr(kTargetsAttr))
    nested->setAttr(kTargetsAttr, targets);
  if (code.general)
    nested->setAttr(kGeneralAttr, b.getUnitAttr());
  if (!wantsScheduler(kernel))
    nested->setAttr("vortex.scheduler", b.getBoolAttr(false));

  b.setInsertionPointToStart(nested.getBody());
  SmallVector<Type> types = {LLVM::LLVMPointerType::get(b.getContext())};
  for (auto [i, operand] : llvm::enumerate(compiled->getOperands())) {
    auto tensor = dyn_cast<RankedTensorType>(operand.getType());
    types.push_back(tensor
                        ? Type(argumentType(tensor, int64_t(i), code.layouts))
                        : operand.getType());
  }
  auto function =
      func::FuncOp::create(b, loc, name, b.getFunctionType(types, TypeRange()));
  Block *entry = function.addEntryBlock();
  b.setInsertionPointToStart(entry);
  SmallVector<Value> operands;
  unsigned numInputs = kernel.getInputs().size();
  for (auto [i, operand] : llvm::enumerate(compiled->getOperands())) {
    BlockArgument argument = entry->getArgument(i + 1);
    if (!isa<RankedTensorType>(operand.getType())) {
      operands.push_back(argument);
      continue;
    }
    operands.push_back(bufferization::ToTensorOp::create(
        b, loc, operand.getType(), argument, /*restrict=*/true,
        /*writable=*/i >= numInputs));
  }
  auto clone = cast<KernelOp>(compiled->clone());
  clone.setName(kernel.getName());
  clone->setOperands(operands);
  b.insert(clone);
  for (auto [i, result] : llvm::enumerate(clone.getResults()))
    bufferization::MaterializeInDestinationOp::create(
        b, loc, /*result=*/Type(), result,
        entry->getArgument(1 + numInputs + i), /*restrict=*/true,
        /*writable=*/true);
  func::ReturnOp::create(b, loc);
}

/// The kernels of the module that have one candidate or none, those with the
/// same code together.
static std::vector<Code> collectCodes(ModuleOp module, bool isDevice) {
  std::vector<Code> codes;
  llvm::StringMap<size_t> known;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op != module && isa<ModuleOp>(op))
      return WalkResult::skip();
    auto kernel = dyn_cast<KernelOp>(op);
    if (!kernel || kernel.getCandidateOps().size() > 1)
      return WalkResult::advance();
    Layouts layouts = getLayouts(kernel, isDevice);
    auto [it, inserted] =
        known.try_emplace(getKey(KernelCopy(kernel), layouts), codes.size());
    if (inserted) {
      codes.emplace_back();
      codes.back().layouts = std::move(layouts);
    }
    codes[it->second].kernels.push_back(kernel);
    return WalkResult::advance();
  });
  return codes;
}

/// How many kernels like this one share code that takes their extents when it
/// runs. Laying operands out is what becomes slower, and bound weights are laid
/// out before.
static size_t getEnough(KernelOp kernel, Sharing share) {
  bool bound = !kernel.getPayload().getOps<linalg::UnPackOp>().empty();
  return share == Sharing::Always || bound ? 2 : 3;
}

/// Codes that differ in known extents alone, or `batchAlone` in how many there
/// are in a batch, become one where enough do.
std::vector<Code> OutlineKernelsPass::shareExtents(std::vector<Code> codes,
                                                   bool batchAlone) {
  llvm::MapVector<StringRef, SmallVector<size_t>> groups;
  llvm::StringSet<> keys;
  auto own = getOperation()->getAttrOfType<ArrayAttr>(kOwnCodeAttr);
  for (auto [i, code] : llvm::enumerate(codes)) {
    KernelOp kernel = code.kernels.front();
    KernelCopy copy(kernel);
    if (!own || !getCandidate(kernel) ||
        !llvm::is_contained(own, getChoiceName(kernel))) {
      copy.forgetBatch();
      if (!batchAlone)
        copy.forgetExtents();
    }
    auto key = keys.insert(getKey(copy, code.layouts)).first;
    groups[key->getKey()].push_back(i);
  }
  std::vector<Code> shared;
  for (auto &[key, members] : groups) {
    Code all;
    all.layouts = codes[members.front()].layouts;
    for (size_t i : members)
      llvm::append_range(all.kernels, codes[i].kernels);
    KernelOp first = all.kernels.front();
    all.general = std::make_unique<KernelCopy>(first);
    if (members.size() < (batchAlone ? 2 : getEnough(first, share)) ||
        failed(all.general->joinExtents(all.kernels))) {
      for (size_t i : members)
        shared.push_back(std::move(codes[i]));
      continue;
    }
    shared.push_back(std::move(all));
  }
  return shared;
}

/// The first kernel's name and candidate, which no other symbol has.
std::string OutlineKernelsPass::chooseName(const Code &code,
                                           SymbolTable &symbols) {
  KernelOp kernel = code.kernels.front();
  CandidateOp candidate = getCandidate(kernel);
  std::string name = (kernel.getName() + "." +
                      (candidate ? candidate.getSymName() : "fallback"))
                         .str();
  std::string unique = name;
  for (unsigned i = 1; symbols.lookup(unique); ++i)
    unique = name + "." + std::to_string(i);
  return unique;
}

void OutlineKernelsPass::runOnOperation() {
  ModuleOp module = getOperation();
  SmallVector<HwAttr> targets = getTargets(module);
  bool isDevice = !targets.empty() && targets.front().isGPU();
  std::vector<Code> codes = collectCodes(module, isDevice);
  // Where a GPU copies tiles, extents are part of how it addresses them.
  if (share != Sharing::Never && !isDevice) {
    codes = shareExtents(std::move(codes), /*batchAlone=*/true);
    codes = shareExtents(std::move(codes), /*batchAlone=*/false);
  }
  SymbolTable symbols(module);
  for (Code &code : codes) {
    std::string name = chooseName(code, symbols);
    outline(code, name);
    symbols.insert(&module.getBody()->back());
    numOutlined += 1;
    numShared += code.kernels.size() - 1;
    numGeneral += code.general ? 1 : 0;
    code.general.reset();
    for (KernelOp kernel : code.kernels) {
      addImplemented(cast<ModuleOp>(symbols.lookup(name)), kernel);
      OpBuilder b(kernel);
      auto call = KernelCallOp::create(
          b, kernel.getLoc(), kernel.getResultTypes(),
          FlatSymbolRefAttr::get(b.getContext(), name), kernel.getInputs(),
          kernel.getInits(), b.getDenseI64ArrayAttr(code.layouts.dense),
          b.getDenseI64ArrayAttr(code.layouts.packed));
      // Shared code has another kernel's name.
      call->setAttr(kKernelAttr, kernel.getNameAttr());
      if (CandidateOp candidate = getCandidate(kernel))
        call->setAttr(kCandidateAttr, candidate.getSymNameAttr());
      kernel.replaceAllUsesWith(call.getResults());
      kernel.erase();
    }
  }
}
