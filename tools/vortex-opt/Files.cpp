//===- Files.cpp - The command line of vortex-opt -------------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Files.h"

#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"

namespace cl = llvm::cl;

int vortex::openFiles(int argc, char **argv, mlir::DialectRegistry &registry,
                      Files &files) {
  std::string help =
      mlir::registerCLIOptions("Vortex modular optimizer driver", registry);
  cl::opt<std::string> input(cl::Positional, cl::desc("<input file>"),
                             cl::init("-"));
  cl::opt<std::string> output("o", cl::desc("Output filename"),
                              cl::value_desc("filename"), cl::init("-"));
  if (!cl::ParseCommandLineOptions(argc, argv, help, &llvm::errs()))
    return 2;
  std::string error;
  files.input = mlir::openInputFile(input, &error);
  if (files.input)
    files.output = mlir::openOutputFile(output, &error);
  if (files.output)
    return 0;
  llvm::errs() << "vortex-opt: " << error << "\n";
  return 1;
}
