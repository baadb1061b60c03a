//===- RocdlOps.cpp - Devices of AMD ----------------------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM, "User Guide for AMDGPU Backend": address spaces are those of NVPTX for
// global (1) and shared memory (3, LDS); what a kernel asks of the launch is
// in hidden arguments, of code object version 5 and later.
//
//===----------------------------------------------------------------------===//

#include "DeviceOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"

using namespace mlir;
using namespace vortex;

/// The widest access to LDS, `ds_read_b128`.
static constexpr int64_t kLdsAlignment = 16;
/// "Kernel Argument Segment": constant memory.
static constexpr unsigned kConstantSpace = 4;

namespace {
class RocdlOps : public DeviceOps {
public:
  StringRef getVendor() const override { return "AMD"; }
  StringRef getPass() const override { return "vortex-convert-to-rocdl"; }

  Attribute getTarget(HwAttr hw) const override {
    return ROCDL::ROCDLTargetAttr::get(hw.getContext(), /*optLevel=*/3,
                                       hw.getTriple(), hw.getCpu(),
                                       hw.getFeatures());
  }

  void setLaunchBounds(LLVM::LLVMFuncOp function,
                       const LaunchShape &launch) const override {
    Builder b(function.getContext());
    auto threads = static_cast<int32_t>(launch.threads);
    function->setAttr(ROCDL::ROCDLDialect::getKernelFuncAttrName(),
                      b.getUnitAttr());
    function->setAttr(ROCDL::ROCDLDialect::getReqdWorkGroupSizeAttrName(),
                      b.getDenseI32ArrayAttr({threads, 1, 1}));
    // As many as the kernel may have registers for.
    function->setAttr(ROCDL::ROCDLDialect::getFlatWorkGroupSizeAttrName(),
                      b.getStringAttr(Twine(threads) + "," + Twine(threads)));
  }

  /// Of the kernel's own size, which its metadata then have.
  void declareSharedMemory(ImplicitLocOpBuilder &b, LLVM::LLVMFuncOp function,
                           StringRef name, unsigned space) const override {
    auto bytes = function->getAttrOfType<IntegerAttr>("vortex.shared_bytes");
    auto type = LLVM::LLVMArrayType::get(b.getI8Type(), bytes.getInt());
    auto global = LLVM::GlobalOp::create(b, type, /*isConstant=*/false,
                                         LLVM::Linkage::Internal, name,
                                         Attribute(), kLdsAlignment, space);
    OpBuilder::InsertionGuard guard(b);
    b.createBlock(&global.getInitializerRegion());
    LLVM::ReturnOp::create(b, ValueRange{LLVM::PoisonOp::create(b, type)});
  }

  Value threadId(ImplicitLocOpBuilder &b) const override {
    return ROCDL::ThreadIdXOp::create(b, b.getI32Type());
  }
  Value blockId(ImplicitLocOpBuilder &b) const override {
    return ROCDL::BlockIdXOp::create(b, b.getI32Type());
  }
  /// `hidden_block_count_x`, the first hidden argument.
  Value gridSize(ImplicitLocOpBuilder &b) const override {
    auto pointer = LLVM::LLVMPointerType::get(b.getContext(), kConstantSpace);
    Value hidden =
        LLVM::CallIntrinsicOp::create(
            b, pointer, b.getStringAttr("llvm.amdgcn.implicitarg.ptr"),
            ValueRange())
            .getResults();
    return LLVM::LoadOp::create(b, b.getI32Type(), hidden, /*alignment=*/4);
  }

  void barrier(ImplicitLocOpBuilder &b) const override {
    LLVM::FenceOp::create(b, LLVM::AtomicOrdering::release, "workgroup");
    ROCDL::SBarrierOp::create(b);
    LLVM::FenceOp::create(b, LLVM::AtomicOrdering::acquire, "workgroup");
  }

  /// Lanes are addressed in bytes.
  Value exchange(ImplicitLocOpBuilder &b, Value word,
                 int64_t distance) const override {
    Type i32 = b.getI32Type();
    auto number = [&](int64_t x) -> Value {
      return arith::ConstantIntOp::create(b, b.getLoc(), x, 32);
    };
    Value low = ROCDL::MbcntLoOp::create(b, i32, number(-1), number(0),
                                         ArrayAttr(), ArrayAttr());
    Value lane = ROCDL::MbcntHiOp::create(b, i32, number(-1), low, ArrayAttr(),
                                          ArrayAttr());
    Value other = arith::XOrIOp::create(b, lane, number(distance));
    return ROCDL::DsBpermuteOp::create(
        b, i32, arith::ShLIOp::create(b, other, number(2)), word);
  }

  Value hide(ImplicitLocOpBuilder &b, Value number) const override {
    return LLVM::InlineAsmOp::create(
               b, b.getI32Type(), number, "", "=v,0",
               /*has_side_effects=*/true, /*is_align_stack=*/false,
               LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr())
        .getRes();
  }

  bool copiesAsync() const override { return false; }
};
} // namespace

const DeviceOps &vortex::getRocdlOps() {
  static const RocdlOps ops;
  return ops;
}
