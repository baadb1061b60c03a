//===- OutlineKernels.cpp - Each kernel in a module of its own ------- -===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Dialect/Vortex/Transforms/Passes.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringMap.h"

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

/// Text that is the same for kernels that are the same op for op.
static std::string fingerprint(KernelOp kernel) {
  OwningOpRef<Operation *> copy = kernel->clone();
  cast<KernelOp>(*copy).setName("");
  std::string text;
  llvm::raw_string_ostream os(text);
  OpPrintingFlags flags;
  // Constants are told apart by the attribute, of which there is one a value.
  flags.printGenericOpForm().useLocalScope().elideLargeElementsAttrs(16);
  copy.get()->walk([&](Operation *op) {
    op->getAttrDictionary().walk([&](ElementsAttr constant) {
      os << constant.getAsOpaquePointer() << ';';
    });
  });
  // The operands are printed by number; only their types matter.
  OpBuilder b(kernel.getContext());
  Block block;
  SmallVector<Value> arguments;
  for (Value operand : kernel->getOperands())
    arguments.push_back(block.addArgument(operand.getType(), kernel.getLoc()));
  copy.get()->setOperands(arguments);
  copy.get()->print(os, flags);
  for (int64_t position : getDenseOperands(kernel))
    os << position << ',';
  copy.release()->erase();
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
struct OutlineKernelsPass
    : vortex::impl::OutlineKernelsBase<OutlineKernelsPass> {
  void runOnOperation() override;
  void outline(KernelOp kernel, StringRef name);
};
} // namespace

void OutlineKernelsPass::outline(KernelOp kernel, StringRef name) {
  ModuleOp module = getOperation();
  Location loc = kernel.getLoc();
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  auto nested = ModuleOp::create(b, loc, name);
  nested->setAttr("vortex.kernel_module", b.getUnitAttr());
  if (Attribute targets = module->getAttr(kTargetsAttr))
    nested->setAttr(kTargetsAttr, targets);
  if (!wantsScheduler(kernel))
    nested->setAttr("vortex.scheduler", b.getBoolAttr(false));

  b.setInsertionPointToStart(nested.getBody());
  SmallVector<Type> types = {LLVM::LLVMPointerType::get(b.getContext())};
  SmallVector<int64_t> dense = getDenseOperands(kernel);
  for (auto [i, operand] : llvm::enumerate(kernel->getOperands())) {
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
  for (auto [i, operand] : llvm::enumerate(kernel->getOperands())) {
    BlockArgument argument = entry->getArgument(i + 1);
    if (!isa<RankedTensorType>(operand.getType())) {
      operands.push_back(argument);
      continue;
    }
    operands.push_back(bufferization::ToTensorOp::create(
        b, loc, operand.getType(), argument, /*restrict=*/true,
        /*writable=*/i >= numInputs));
  }
  IRMapping map;
  map.map(kernel->getOperands(), operands);
  auto clone = cast<KernelOp>(kernel->clone());
  clone->setOperands(operands);
  b.insert(clone);
  for (auto [i, result] : llvm::enumerate(clone.getResults()))
    bufferization::MaterializeInDestinationOp::create(
        b, loc, /*result=*/Type(), result,
        entry->getArgument(1 + numInputs + i), /*restrict=*/true,
        /*writable=*/true);
  func::ReturnOp::create(b, loc);
}

void OutlineKernelsPass::runOnOperation() {
  ModuleOp module = getOperation();
  SmallVector<KernelOp> kernels;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op != module && isa<ModuleOp>(op))
      return WalkResult::skip();
    if (auto kernel = dyn_cast<KernelOp>(op);
        kernel && kernel.getCandidateOps().size() <= 1)
      kernels.push_back(kernel);
    return WalkResult::advance();
  });
  llvm::StringMap<std::string> known;
  SymbolTable symbols(module);
  for (KernelOp kernel : kernels) {
    auto [it, inserted] = known.try_emplace(fingerprint(kernel));
    CandidateOp candidate = getCandidate(kernel);
    if (inserted) {
      std::string name = (kernel.getName() + "." +
                          (candidate ? candidate.getSymName() : "fallback"))
                             .str();
      std::string unique = name;
      for (unsigned i = 1; symbols.lookup(unique); ++i)
        unique = name + "." + std::to_string(i);
      it->second = unique;
      outline(kernel, unique);
      symbols.insert(&module.getBody()->back());
      ++numOutlined;
    } else {
      ++numShared;
    }
    addImplemented(cast<ModuleOp>(symbols.lookup(it->second)), kernel);
    OpBuilder b(kernel);
    auto call = KernelCallOp::create(
        b, kernel.getLoc(), kernel.getResultTypes(),
        FlatSymbolRefAttr::get(b.getContext(), it->second), kernel.getInputs(),
        kernel.getInits(), b.getDenseI64ArrayAttr(getDenseOperands(kernel)));
    // Shared code has another kernel's name.
    call->setAttr(kKernelAttr, kernel.getNameAttr());
    if (candidate)
      call->setAttr(kCandidateAttr, candidate.getSymNameAttr());
    kernel.replaceAllUsesWith(call.getResults());
    kernel.erase();
  }
}
