//===- Files.h - The command line of vortex-opt -----------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_TOOLS_VORTEX_OPT_FILES_H
#define VORTEX_TOOLS_VORTEX_OPT_FILES_H

#include "mlir/IR/DialectRegistry.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"

namespace vortex {

struct Files {
  std::unique_ptr<llvm::MemoryBuffer> input;
  std::unique_ptr<llvm::ToolOutputFile> output;
};

/// Registers the options of upstream's drivers, reads the command line and
/// opens the files. Returns 0, or after a message 1 for a file and 2 for usage;
/// upstream's reader would end the process with 1.
int openFiles(int argc, char **argv, mlir::DialectRegistry &registry,
              Files &files);

} // namespace vortex

#endif // VORTEX_TOOLS_VORTEX_OPT_FILES_H
