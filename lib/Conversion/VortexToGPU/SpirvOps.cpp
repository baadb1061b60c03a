//===- SpirvOps.cpp - Devices of Vulkan -------------------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops of the gpu dialect stand for what vortex-convert-to-spirv makes of them.
//
//===----------------------------------------------------------------------===//

#include "DeviceOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVAttributes.h"
#include "mlir/Dialect/SPIRV/IR/TargetAndABI.h"

using namespace mlir;
using namespace vortex;

namespace {
class SpirvOps : public DeviceOps {
public:
  StringRef getVendor() const override { return "Vulkan"; }
  StringRef getPass() const override { return "vortex-convert-to-spirv"; }

  /// What code may use; what it does use is what modules then ask for.
  Attribute getTarget(HwAttr hw) const override {
    using spirv::Capability, spirv::Extension;
    MLIRContext *context = hw.getContext();
    auto may = spirv::VerCapExtAttr::get(
        spirv::Version::V_1_3,
        {Capability::Shader, Capability::Int8, Capability::Int16,
         Capability::Int64, Capability::Float16, Capability::Float64,
         Capability::StorageBuffer8BitAccess,
         Capability::StorageBuffer16BitAccess,
         Capability::PhysicalStorageBufferAddresses},
        {Extension::SPV_KHR_8bit_storage, Extension::SPV_KHR_16bit_storage,
         Extension::SPV_KHR_physical_storage_buffer,
         Extension::SPV_KHR_storage_buffer_storage_class},
        context);
    return spirv::TargetEnvAttr::get(may,
                                     spirv::getDefaultResourceLimits(context),
                                     spirv::ClientAPI::Vulkan);
  }

  void setLaunchBounds(LLVM::LLVMFuncOp function,
                       const LaunchShape &launch) const override {
    function->setAttr(spirv::getEntryPointABIAttrName(),
                      spirv::getEntryPointABIAttr(
                          function.getContext(),
                          {static_cast<int32_t>(launch.threads), 1, 1}));
  }

  void declareSharedMemory(ImplicitLocOpBuilder &b, LLVM::LLVMFuncOp function,
                           StringRef name, unsigned space) const override {
    auto bytes = function->getAttrOfType<IntegerAttr>("vortex.shared_bytes");
    LLVM::GlobalOp::create(
        b, LLVM::LLVMArrayType::get(b.getI8Type(), bytes.getInt()),
        /*isConstant=*/false, LLVM::Linkage::External, name, Attribute(),
        /*alignment=*/16, space);
  }

  Value threadId(ImplicitLocOpBuilder &b) const override {
    return toI32(b, gpu::ThreadIdOp::create(b, gpu::Dimension::x));
  }
  /// Grids longer than a dimension go on in the next one.
  Value blockId(ImplicitLocOpBuilder &b) const override {
    auto number = [&](gpu::Dimension along) {
      return toI32(b, gpu::BlockIdOp::create(b, along));
    };
    Value before = arith::MulIOp::create(b, number(gpu::Dimension::y),
                                         count(b, gpu::Dimension::x));
    return arith::AddIOp::create(b, number(gpu::Dimension::x), before);
  }
  Value gridSize(ImplicitLocOpBuilder &b) const override {
    return arith::MulIOp::create(b, count(b, gpu::Dimension::x),
                                 count(b, gpu::Dimension::y));
  }

  void barrier(ImplicitLocOpBuilder &b) const override {
    gpu::BarrierOp::create(b);
  }

  /// A device of Vulkan chooses how many items a subgroup has: warps of one
  /// lane ask for none.
  Value exchange(ImplicitLocOpBuilder &b, Value word,
                 int64_t distance) const override {
    return gpu::ShuffleOp::create(b, word, static_cast<int32_t>(distance),
                                  /*width=*/2 * distance, gpu::ShuffleMode::XOR)
        .getShuffleResult();
  }

  Value hide(ImplicitLocOpBuilder &b, Value number) const override {
    return number;
  }

  /// Without the capability Vector16.
  int64_t getMostElements() const override { return 4; }
  bool copiesAsync() const override { return false; }

private:
  static Value count(ImplicitLocOpBuilder &b, gpu::Dimension along) {
    return toI32(b, gpu::GridDimOp::create(b, along));
  }
  static Value toI32(ImplicitLocOpBuilder &b, Value index) {
    return arith::IndexCastUIOp::create(b, b.getI32Type(), index);
  }
};
} // namespace

const DeviceOps &vortex::getSpirvOps() {
  static const SpirvOps ops;
  return ops;
}
