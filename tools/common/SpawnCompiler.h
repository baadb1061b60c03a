//===- SpawnCompiler.h - vortex-compile as a child process ------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_TOOLS_COMMON_SPAWNCOMPILER_H
#define VORTEX_TOOLS_COMMON_SPAWNCOMPILER_H

#include <string>
#include <vector>

namespace vortex {
namespace tools {

/// Makes an artifact of the .mlir or .mlirbc file `file` for `target` by the
/// vortex-compile beside this tool, whose messages go to standard error. On
/// success `artifact` is the path of a temporary file; otherwise the answer is
/// why there is none, "" for success; `usage` says whether it is the target
/// that the user asked for.
std::string spawnCompiler(const std::string &file,
                          const std::vector<std::string> &flags,
                          std::string &artifact, bool &usage);

} // namespace tools
} // namespace vortex

#endif // VORTEX_TOOLS_COMMON_SPAWNCOMPILER_H
