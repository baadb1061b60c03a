//===- vortex-opt.cpp - mlir-opt with the vortex dialect and passes -===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/InitAll.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"

int main(int argc, char **argv) {
  mlir::registerAllPasses();
  vortex::registerAllPasses();
  vortex::registerTargetOption();
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllGPUToLLVMIRTranslations(registry);
  vortex::registerAllDialects(registry);

  auto [input, output] = mlir::registerAndParseCLIOptions(
      argc, argv, "Vortex modular optimizer driver", registry);
  auto config = mlir::MlirOptMainConfig::createFromCLOptions();
  vortex::attachTargetOption(config);

  std::string error;
  auto file = mlir::openInputFile(input, &error);
  auto out = file ? mlir::openOutputFile(output, &error) : nullptr;
  if (!out) {
    llvm::errs() << "vortex-opt: " << error << "\n";
    return EXIT_FAILURE;
  }
  mlir::LogicalResult result =
      mlir::MlirOptMain(out->os(), std::move(file), registry, config);
  if (succeeded(result))
    out->keep();
  return mlir::asMainReturnCode(result);
}
