//===- vortex-opt.cpp - mlir-opt with the vortex dialect and passes -===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Files.h"
#include "vortex/InitAll.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::registerAllPasses();
  vortex::registerAllPasses();
  vortex::registerTargetOption();
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllGPUToLLVMIRTranslations(registry);
  vortex::registerAllDialects(registry);

  vortex::Files files;
  if (int code = vortex::openFiles(argc, argv, registry, files))
    return code;
  auto config = mlir::MlirOptMainConfig::createFromCLOptions();
  vortex::attachTargetOption(config);

  mlir::LogicalResult result = mlir::MlirOptMain(
      files.output->os(), std::move(files.input), registry, config);
  if (succeeded(result))
    files.output->keep();
  return mlir::asMainReturnCode(result);
}
