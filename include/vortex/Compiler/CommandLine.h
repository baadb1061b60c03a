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
#include "vortex/Dialect/Vortex/Transforms/Passes.h"

namespace vortex {

/// What `vortex-compile` was asked to do.
struct CommandLine {
  enum class Action { Compile, Help, Version };
  Action action = Action::Compile;
  std::string input; ///< `-` for standard input.
  std::string output;
  bool explain = false;
  bool timing = false; ///< Prints where the time went.
  Determinism determinism = Determinism::Sizes;
  Precision precision = Precision::F32;
  /// Libraries that products may call.
  std::vector<std::string> libraries;
  Sharing sharing = Sharing::Auto;
  Candidates candidates = Candidates::Few;
  CompileOptions options;
};

/// Reads the flags. False with `error` set when they make no sense.
bool parseCommandLine(llvm::ArrayRef<const char *> args, CommandLine &line,
                      std::string &error);

/// The text of `--help`.
llvm::StringRef getHelpText();

/// Whether the targets that were asked for by name exist and take their
/// changes. Prints what is wrong and returns the exit code for it: 2 for what
/// the user wrote, 1 for a description that is broken.
int checkTargets(mlir::MLIRContext &context, const CompileOptions &options);

/// Runs the tool: 0 done, 1 the work failed, 2 usage.
int runCompiler(int argc, char **argv);

} // namespace vortex

#endif // VORTEX_COMPILER_COMMANDLINE_H
