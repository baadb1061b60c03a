//===- DeviceModule.cpp - Modules of device code ---------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceModule.h"

#include "DeviceKernel.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace vortex;

std::string vortex::toIdentifier(StringRef name) {
  std::string identifier = name.str();
  for (char &c : identifier)
    if (!llvm::isAlnum(c))
      c = '_';
  return identifier;
}

gpu::GPUModuleOp vortex::createDeviceModule(ModuleOp program, Location loc,
                                            StringRef name, HwAttr hw,
                                            SymbolTable &symbols) {
  OpBuilder b(program.getContext());
  b.setInsertionPointToEnd(program.getBody());
  auto module = gpu::GPUModuleOp::create(
      b, loc, toIdentifier((name + "_module").str()),
      ArrayRef<Attribute>{DeviceOps::get(hw).getTarget(hw)});
  symbols.insert(module);
  return module;
}

LLVM::LLVMFuncOp vortex::createDeviceFunction(ImplicitLocOpBuilder &b,
                                              StringRef name,
                                              ArrayRef<Type> parameters,
                                              const LaunchShape &launch) {
  auto function = LLVM::LLVMFuncOp::create(
      b, toIdentifier(name),
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()),
                                  parameters));
  function->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  DeviceOps::get(function).setLaunchBounds(function, launch);
  if (launch.queue)
    function->setAttr(kQueueAttr, b.getI64IntegerAttr(launch.blocks));
  function->setAttr("vortex.shared_bytes",
                    b.getI64IntegerAttr(launch.sharedBytes));
  function->setAttr("vortex.tile", b.getDenseI64ArrayAttr(launch.tile));
  return function;
}

Value vortex::getSharedMemory(ImplicitLocOpBuilder &b,
                              LLVM::LLVMFuncOp function) {
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&function->getParentRegion()->front());
    DeviceOps::get(function).declareSharedMemory(b, function, "smem",
                                                 kSharedSpace);
  }
  return LLVM::AddressOfOp::create(
      b, LLVM::LLVMPointerType::get(b.getContext(), kSharedSpace), "smem");
}
