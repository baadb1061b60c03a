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
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace vortex {
#define GEN_PASS_DEF_OUTLINEKERNELS
#include "vortex/Dialect/Vortex/Transforms/Passes.h.inc"
} // namespace vortex

#define DEBUG_TYPE "vortex-outline-kernels"

using namespace mlir;
using namespace vortex;

/// Packed operands are memory of our own: without gaps, so that the strides of
/// a panel are constants in the kernel.
static SmallVector<int64_t> getDenseOperands(KernelOp kernel) {
  SmallVector<int64_t> dense;
  for (OpOperand &operand : kernel->getOpOperands())
    if (operand.get().getDefiningOp<linalg::PackOp>())
      dense.push_back(operand.getOperandNumber());
  return dense;
}

/// The memref a tensor is passed as: any strides, but columns adjacent.
static MemRefType argumentType(RankedTensorType type, bool dense) {
  if (dense)
    return MemRefType::get(type.getShape(), type.getElementType());
  SmallVector<int64_t> strides(type.getRank(), ShapedType::kDynamic);
  if (!strides.empty())
    strides.back() = 1;
  auto layout =
      StridedLayoutAttr::get(type.getContext(), ShapedType::kDynamic, strides);
  return MemRefType::get(type.getShape(), type.getElementType(), layout);
}

/// Text that is the same for kernels whose code is the same.
static std::string getKey(const KernelCopy &copy, ArrayRef<int64_t> dense) {
  std::string text = copy.getText();
  for (int64_t position : dense)
    text += std::to_string(position) + ',';
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
  /// Null where the first kernel is what is compiled.
  std::unique_ptr<KernelCopy> general;
};

struct OutlineKernelsPass
    : vortex::impl::OutlineKernelsBase<OutlineKernelsPass> {
  using OutlineKernelsBase::OutlineKernelsBase;
  void runOnOperation() override;
  std::vector<Code> shareExtents(std::vector<Code> codes);
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
  SmallVector<int64_t> dense = getDenseOperands(kernel);
  for (auto [i, operand] : llvm::enumerate(compiled->getOperands())) {
    auto tensor = dyn_cast<RankedTensorType>(operand.getType());
    types.push_back(tensor ? Type(argumentType(
                                 tensor, llvm::is_contained(dense, int64_t(i))))
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
static std::vector<Code> collectCodes(ModuleOp module) {
  std::vector<Code> codes;
  llvm::StringMap<size_t> known;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op != module && isa<ModuleOp>(op))
      return WalkResult::skip();
    auto kernel = dyn_cast<KernelOp>(op);
    if (!kernel || kernel.getCandidateOps().size() > 1)
      return WalkResult::advance();
    auto [it, inserted] = known.try_emplace(
        getKey(KernelCopy(kernel), getDenseOperands(kernel)), codes.size());
    if (inserted)
      codes.emplace_back();
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

/// Codes that differ in known extents alone become one where enough do.
std::vector<Code> OutlineKernelsPass::shareExtents(std::vector<Code> codes) {
  llvm::MapVector<StringRef, SmallVector<size_t>> groups;
  llvm::StringSet<> keys;
  auto own = getOperation()->getAttrOfType<ArrayAttr>(kOwnCodeAttr);
  for (auto [i, code] : llvm::enumerate(codes)) {
    KernelOp kernel = code.kernels.front();
    KernelCopy copy(kernel);
    if (!own || !getCandidate(kernel) ||
        !llvm::is_contained(own, getChoiceName(kernel)))
      copy.forgetExtents();
    auto key = keys.insert(getKey(copy, getDenseOperands(kernel))).first;
    groups[key->getKey()].push_back(i);
  }
  std::vector<Code> shared;
  for (auto &[key, members] : groups) {
    Code all;
    for (size_t i : members)
      llvm::append_range(all.kernels, codes[i].kernels);
    all.general = std::make_unique<KernelCopy>(all.kernels.front());
    if (members.size() < getEnough(all.kernels.front(), share) ||
        failed(all.general->joinExtents(all.kernels))) {
      for (size_t i : members)
        shared.push_back(std::move(codes[i]));
      continue;
    }
    shared.push_back(std::move(all));
    ++numGeneral;
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
  std::vector<Code> codes = collectCodes(module);
  SmallVector<HwAttr> targets = getTargets(module);
  // Where a GPU copies tiles, extents are part of how it addresses them.
  bool isDevice = !targets.empty() && targets.front().isGPU();
  if (share != Sharing::Never && !isDevice)
    codes = shareExtents(std::move(codes));
  SymbolTable symbols(module);
  for (Code &code : codes) {
    std::string name = chooseName(code, symbols);
    outline(code, name);
    symbols.insert(&module.getBody()->back());
    numOutlined += 1;
    numShared += code.kernels.size() - 1;
    code.general.reset();
    for (KernelOp kernel : code.kernels) {
      addImplemented(cast<ModuleOp>(symbols.lookup(name)), kernel);
      OpBuilder b(kernel);
      auto call = KernelCallOp::create(
          b, kernel.getLoc(), kernel.getResultTypes(),
          FlatSymbolRefAttr::get(b.getContext(), name), kernel.getInputs(),
          kernel.getInits(), b.getDenseI64ArrayAttr(getDenseOperands(kernel)));
      // Shared code has another kernel's name.
      call->setAttr(kKernelAttr, kernel.getNameAttr());
      if (CandidateOp candidate = getCandidate(kernel))
        call->setAttr(kCandidateAttr, candidate.getSymNameAttr());
      kernel.replaceAllUsesWith(call.getResults());
      kernel.erase();
    }
  }
}
