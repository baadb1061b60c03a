//===- CommandLine.h - The flags of vortex-compile --------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_COMPILER_COMMANDLINE_H
#define VORTEX_COMPILER_COMMANDLINE_H

#include "vortex/Compiler/Compiler.h"

namespace vortex {

/// What `vortex-compile` was asked to do.
struct CommandLine {
  enum class Action { Compile, Help, Version };
  Action action = Action::Compile;
  std::string input; ///< `-` for standard input.
  std::string output;
  bool explain = false;
  CompileOptions options;
};

/// Reads the flags. False with `error` set when they make no sense.
bool parseCommandLine(llvm::ArrayRef<const char *> args, CommandLine &line,
                      std::string &error);

/// The text of `--help`.
llvm::StringRef getHelpText();

/// Runs the tool: 0 done, 1 the work failed, 2 usage.
int runCompiler(int argc, char **argv);

} // namespace vortex

#endif // VORTEX_COMPILER_COMMANDLINE_H
