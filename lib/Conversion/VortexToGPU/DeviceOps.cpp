//===- DeviceOps.cpp - The ops of a target ----------------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceOps.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVAttributes.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;
using namespace vortex;

const DeviceOps &DeviceOps::get(HwAttr hw) {
  llvm::Triple triple(hw.getTriple());
  return triple.isAMDGCN()  ? getRocdlOps()
         : triple.isSPIRV() ? getSpirvOps()
                            : getNvvmOps();
}

const DeviceOps &DeviceOps::get(Operation *op) {
  auto module = dyn_cast<gpu::GPUModuleOp>(op);
  if (!module)
    module = op->getParentOfType<gpu::GPUModuleOp>();
  if (module && module.getTargetsAttr())
    for (Attribute target : module.getTargetsAttr()) {
      if (isa<ROCDL::ROCDLTargetAttr>(target))
        return getRocdlOps();
      if (isa<spirv::TargetEnvAttr>(target))
        return getSpirvOps();
    }
  return getNvvmOps();
}
