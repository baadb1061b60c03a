//===- NvvmOps.cpp - Devices of NVIDIA --------------------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceOps.h"

#include "vortex/Dialect/Vortex/IR/WarpLanes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace vortex;

/// Shared memory that bulk copies may fill later wants 1024-byte alignment.
static constexpr int64_t kSharedAlignment = 1024;

namespace {
class NvvmOps : public DeviceOps {
public:
  StringRef getVendor() const override { return "NVIDIA"; }
  StringRef getPass() const override { return "vortex-convert-to-nvvm"; }

  Attribute getTarget(HwAttr hw) const override {
    return NVVM::NVVMTargetAttr::get(hw.getContext(), /*optLevel=*/3,
                                     hw.getTriple(), hw.getCpu(),
                                     hw.getFeatures());
  }

  void setLaunchBounds(LLVM::LLVMFuncOp function,
                       const LaunchShape &launch) const override {
    Builder b(function.getContext());
    function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(),
                      b.getUnitAttr());
    function->setAttr(
        NVVM::NVVMDialect::getReqntidAttrName(),
        b.getDenseI32ArrayAttr({static_cast<int32_t>(launch.threads), 1, 1}));
    if (launch.blocks)
      function->setAttr(
          NVVM::NVVMDialect::getMinctasmAttrName(),
          b.getI32IntegerAttr(static_cast<int32_t>(launch.blocks)));
    if (launch.cluster > 1)
      function->setAttr(
          NVVM::NVVMDialect::getClusterDimAttrName(),
          b.getDenseI32ArrayAttr({static_cast<int32_t>(launch.cluster), 1, 1}));
  }

  /// Of a size that the launch says.
  void declareSharedMemory(ImplicitLocOpBuilder &b, LLVM::LLVMFuncOp function,
                           StringRef name, unsigned space) const override {
    LLVM::GlobalOp::create(b, LLVM::LLVMArrayType::get(b.getI8Type(), 0),
                           /*isConstant=*/false, LLVM::Linkage::External, name,
                           Attribute(), kSharedAlignment, space);
  }

  Value threadId(ImplicitLocOpBuilder &b) const override {
    return NVVM::ThreadIdXOp::create(b, b.getI32Type());
  }
  Value blockId(ImplicitLocOpBuilder &b) const override {
    return NVVM::BlockIdXOp::create(b, b.getI32Type());
  }
  Value gridSize(ImplicitLocOpBuilder &b) const override {
    return NVVM::GridDimXOp::create(b, b.getI32Type());
  }

  void barrier(ImplicitLocOpBuilder &b) const override {
    NVVM::Barrier0Op::create(b);
  }

  Value exchange(ImplicitLocOpBuilder &b, Value word,
                 int64_t distance) const override {
    auto number = [&](int64_t x) -> Value {
      return arith::ConstantIntOp::create(b, b.getLoc(), x, 32);
    };
    return NVVM::ShflOp::create(b, b.getI32Type(), number(-1), word,
                                number(distance), number(kPtxLanes - 1),
                                NVVM::ShflKind::bfly, UnitAttr());
  }

  Value hide(ImplicitLocOpBuilder &b, Value number) const override {
    return LLVM::InlineAsmOp::create(
               b, b.getI32Type(), number, "mov.b32 $0, $1;", "=r,r",
               /*has_side_effects=*/true, /*is_align_stack=*/false,
               LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr())
        .getRes();
  }

  bool copiesAsync() const override { return true; }
};
} // namespace

const DeviceOps &vortex::getNvvmOps() {
  static const NvvmOps ops;
  return ops;
}
