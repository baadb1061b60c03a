//===- CommandLine.cpp - The flags of vortex-compile -*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Compiler/CommandLine.h"

#include "Explain.h"
#include "Places.h"

#include "vortex/Dialect/Vortex/Transforms/LibraryTargets.h"
#include "vortex/HwDesc/Targets.h"
#include "vortex/Pipelines/PlanKernels.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace vortex;

/// A path, or a name to be looked for.
static bool isProgram(StringRef name) {
  auto found = llvm::sys::findProgramByName(name);
  return found && llvm::sys::fs::can_execute(*found) &&
         !llvm::sys::fs::is_directory(*found);
}

StringRef vortex::getHelpText() {
  return R"(usage: vortex-compile in.mlir -o out.so [options]

Compiles the public functions of an MLIR file (.mlir or .mlirbc, - for standard
input) to a shared object that runs them at any sizes.

  -o FILE                the artifact to write
  --emit=WHAT            artifact (default), or for GPUs kernels: FILE is a
                         folder for each kernel (.ptx, .s, .spv), how they are
                         launched (kernels.json) and the program around them
                         (host.mlir)
  --target=NAME[,NAME..] machines to compile for (default: host), or --target
                         several times: the artifact has a program for each,
                         of which the run time takes the one for the device.
                         The first is the one for programs that name no device
  --target-file=FILE     take the machines' descriptions from FILE
  --no-portable          for targets whose code runs on one generation of GPUs
                         alone (sm_90a): no PTX for later ones beside it
  --weights=F:LIST       arguments of function F that are bound once, counted
                         from 0: --weights=encoder:2-40,43 (may be repeated)
  --deterministic=WHAT   what two results with the same bits have in common:
                         sizes (default): all sizes, threads, and how operands
                         lie in memory; batch-invariant: what the element is
                         computed from, whatever is computed beside it
  --precision=WHAT       what products of f32 are computed in: f32 (default);
                         bf16: factors of bf16, sums of f32; int8-dynamic:
                         activations and weights of i8, with a scale for each
                         row and column; tf32: factors of tf32, for GPUs;
                         bf16x2: each product as three of bf16 (16 bits of the
                         24 of a factor), for CPUs that make them faster. A
                         function's vortex.precision is heard first
  --f32-by-split=2       the same as --precision=bf16x2
  --library=NAME         products may call library NAME (openblas, mkl, onednn;
                         cublas on NVIDIA's GPUs) where the run time finds it
                         and it costs less, as measured by vortex-probe
                         --library=NAME, or on GPUs modelled (may be repeated;
                         default: none)
  --share-kernels=WHAT   code for kernels that differ in known extents alone
                         (layers of 64, 128 and 256 channels): auto (default):
                         one where there are three or more, two if their
                         weights are bound; never: one for each
                         kernel, which may be up to 3 percent faster; always:
                         one for all of them
  --candidates=WHAT      tiles compiled for each kernel on CPUs: few (default):
                         those that no other beats by its shape alone; all:
                         all that registers and alignment allow, which takes
                         several times as long and serves measuring alone;
                         none: generic loops, slow, to tell whether it is a
                         tile that computes something wrong
  --cache-dir=DIR        folder of compiled kernels
                         (default: $XDG_CACHE_HOME/vortex/kernels)
  --no-cache             compile every kernel, keep none (--cache-dir or not)
  --ptxas=FILE|none      assembler of device code (default: on the path, or
                         CUDA's); none: PTX alone, which the driver compiles
  --threads=N            threads that compile (default: one a core)
  --dump-stages-to=DIR   write the IR after each stage and the assembly
  --explain              print each kernel's candidates, when each may run,
                         what it is taken to cost, and what was left out why
  --timing               print to standard error where the time went
  --help, --version

environment: VORTEX_MACHINE_PARAMS=FILE|none are the numbers of vortex-probe that
--target=host has (default: $XDG_CACHE_HOME/vortex/host.json, if it is there)

exit codes: 0 done, 1 the work failed, 2 usage
)";
}

/// $XDG_CACHE_HOME/vortex/kernels, or ~/.cache/vortex/kernels.
static std::string getDefaultCache() {
  SmallString<128> path;
  if (const char *home = getenv("XDG_CACHE_HOME"); home && *home)
    path = home;
  else if (!sys::path::home_directory(path))
    return {};
  else
    sys::path::append(path, ".cache");
  sys::path::append(path, "vortex", "kernels");
  return path.str().str();
}

bool vortex::parseCommandLine(ArrayRef<const char *> args, CommandLine &line,
                              std::string &error) {
  line.options.cacheDir = getDefaultCache();
  bool flagsEnded = false, noCache = false, split = false, precise = false;
  for (size_t i = 0; i < args.size(); ++i) {
    StringRef arg = args[i];
    if (flagsEnded || arg == "-" || !arg.starts_with("-")) {
      if (!line.input.empty()) {
        error = ("two input files, " + line.input + " and " + arg).str();
        return false;
      }
      line.input = arg.str();
      continue;
    }
    if (arg == "--") {
      flagsEnded = true;
      continue;
    }
    // --flag=value, --flag value, -o value.
    StringRef name = arg.split('=').first, value = arg.split('=').second;
    bool given = name.size() != arg.size();
    auto take = [&](std::string &into) {
      if (!given && ++i < args.size())
        value = args[i];
      else if (!given)
        value = "";
      if (value.empty()) {
        error = (name + " needs a value").str();
        return false;
      }
      into = value.str();
      return true;
    };
    std::string text;
    bool isSwitch = name == "--help" || name == "-h" || name == "--version" ||
                    name == "--no-cache" || name == "--explain" ||
                    name == "--timing" || name == "--no-portable";
    if (isSwitch && given) {
      error = (name + " takes no value").str();
      return false;
    }
    if (name == "--help" || name == "-h") {
      line.action = CommandLine::Action::Help;
      return true;
    }
    if (name == "--version") {
      line.action = CommandLine::Action::Version;
      return true;
    }
    if (name == "--no-cache") {
      noCache = true;
    } else if (name == "--no-portable") {
      line.options.portable = false;
    } else if (name == "--explain") {
      line.explain = true;
    } else if (name == "--timing") {
      line.timing = true;
    } else if (name == "-o" || name == "--output") {
      if (!take(line.output))
        return false;
    } else if (name == "--target") {
      if (!take(text))
        return false;
      line.options.targets += (line.options.targets.empty() ? "" : ",") + text;
    } else if (name == "--target-file") {
      if (!line.options.targetFile.empty()) {
        error = "--target-file is given twice; one file may describe several "
                "machines";
        return false;
      }
      if (!take(line.options.targetFile))
        return false;
    } else if (name == "--cache-dir") {
      if (!take(line.options.cacheDir))
        return false;
    } else if (name == "--dump-stages-to") {
      if (!take(line.options.dumpDir))
        return false;
    } else if (name == "--ptxas") {
      if (!take(line.options.ptxas))
        return false;
      if (line.options.ptxas != "none" && !isProgram(line.options.ptxas)) {
        error = "--ptxas: there is no program '" + line.options.ptxas + "'";
        return false;
      }
    } else if (name == "--emit") {
      if (!take(text))
        return false;
      if (text != "artifact" && text != "kernels") {
        error = "--emit is artifact or kernels, got '" + text + "'";
        return false;
      }
      line.options.emitKernels = text == "kernels";
    } else if (name == "--deterministic") {
      if (!take(text))
        return false;
      if (text != "sizes" && text != "batch-invariant") {
        error =
            "--deterministic is sizes or batch-invariant, got '" + text + "'";
        return false;
      }
      line.determinism =
          text == "sizes" ? Determinism::Sizes : Determinism::BatchInvariant;
    } else if (name == "--candidates") {
      if (!take(text))
        return false;
      if (text != "few" && text != "all" && text != "none") {
        error = "--candidates is few, all or none, got '" + text + "'";
        return false;
      }
      line.candidates = text == "few"   ? Candidates::Few
                        : text == "all" ? Candidates::All
                                        : Candidates::None;
    } else if (name == "--precision") {
      if (!take(text))
        return false;
      auto *known = llvm::find(kPrecisions, text);
      if (known == std::end(kPrecisions)) {
        error = "--precision is " + llvm::join(ArrayRef(kPrecisions), ", ") +
                "; got '" + text + "'";
        return false;
      }
      line.precision = static_cast<Precision>(known - kPrecisions);
      precise = true;
    } else if (name == "--f32-by-split") {
      if (!take(text))
        return false;
      if (text == "3") {
        error = "--f32-by-split=3: three terms take six products of bf16, "
                "which is no faster than f32; 2 takes three";
        return false;
      }
      if (text != "2") {
        error = "--f32-by-split is 2, got '" + text + "'";
        return false;
      }
      split = true;
    } else if (name == "--share-kernels") {
      if (!take(text))
        return false;
      if (text != "auto" && text != "never" && text != "always") {
        error = "--share-kernels is auto, never or always, got '" + text + "'";
        return false;
      }
      line.sharing = text == "auto"    ? Sharing::Auto
                     : text == "never" ? Sharing::Never
                                       : Sharing::Always;
    } else if (name == "--library") {
      if (!take(text))
        return false;
      if (!llvm::all_of(text, [](char c) {
            return llvm::isAlnum(c) || c == '_' || c == '-';
          })) {
        error =
            "--library takes a name of letters, digits, '-' and '_', got '" +
            text + "'";
        return false;
      }
      if (!llvm::is_contained(line.libraries, text))
        line.libraries.push_back(text);
    } else if (name == "--weights") {
      if (!take(text))
        return false;
      if (!StringRef(text).contains(':')) {
        error = "--weights needs FUNCTION:ARGUMENTS, got '" + text + "'";
        return false;
      }
      line.options.weights.push_back(text);
    } else if (name == "--threads") {
      if (!take(text))
        return false;
      if (StringRef(text).getAsInteger(10, line.options.threads) ||
          line.options.threads == 0) {
        error = "--threads needs a positive number, got '" + text + "'";
        return false;
      }
    } else {
      error = ("unknown flag " + arg).str();
      return false;
    }
  }
  if (split && precise && line.precision != Precision::BF16x2) {
    error = ("--f32-by-split=2 is --precision=bf16x2, and --precision=" +
             kPrecisions[int(line.precision)] + " is given")
                .str();
    return false;
  }
  if (split)
    line.precision = Precision::BF16x2;
  if (noCache)
    line.options.cacheDir.clear();
  if (!line.options.targets.empty() && !line.options.targetFile.empty()) {
    error = "--target and --target-file exclude each other";
    return false;
  }
  if (line.options.targets.empty() && line.options.targetFile.empty())
    line.options.targets = "host";
  if (line.input.empty())
    error = "no input file";
  else if (line.output.empty())
    error = "no output file; say -o FILE";
  else if (line.output == "-")
    error = "an artifact is a file that programs load; say -o FILE";
  return error.empty();
}

int vortex::checkTargets(mlir::MLIRContext &context,
                         const CompileOptions &options) {
  if (options.targets.empty())
    return 0;
  std::string said;
  mlir::ScopedDiagnosticHandler handler(
      &context, [&](mlir::Diagnostic &diagnostic) {
        bool isError =
            diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error;
        std::string text;
        llvm::raw_string_ostream os(text);
        // An error inside a description has a place there.
        if (auto at = diagnostic.getLocation()
                          ->findInstanceOf<mlir::FileLineColLoc>())
          os << at.getFilename().getValue() << ":" << at.getLine() << ":"
             << at.getColumn() << ": ";
        os << (isError ? "" : "remark: ") << diagnostic;
        if (isError)
          said += (said.empty() ? "" : ": ") + text;
        else
          errs() << text << "\n";
        return mlir::success();
      });
  auto emitError = [&] {
    return mlir::emitError(mlir::UnknownLoc::get(&context));
  };
  int code = 0;
  SmallVector<std::string> known = listTargets();
  for (StringRef item : split(options.targets, ',')) {
    StringRef name = item.trim();
    if (name.empty() || name.contains('=') || name.starts_with("+") ||
        name.starts_with("-"))
      continue; // belongs to the name before
    if (!code && failed(lookupTarget(&context, name, emitError)))
      code = is_contained(known, name) ? 1 : 2;
  }
  if (!code && failed(parseTargets(&context, options.targets, emitError)))
    code = 2;
  if (code)
    errs() << "vortex-compile: --target=" << options.targets << ": " << said
           << "\n";
  return code;
}

/// Each library is for one of the targets; else says why and returns false.
static bool checkLibraries(mlir::ModuleOp module, const CommandLine &line) {
  SmallVector<HwAttr> targets = getTargets(module);
  if (!line.options.targets.empty())
    if (auto told = parseTargets(module.getContext(), line.options.targets,
                                 [&] { return module.emitError(); });
        succeeded(told))
      targets = *told;
  if (targets.empty())
    targets.push_back({}); // this machine
  for (const std::string &library : line.libraries) {
    if (!llvm::is_contained(getKnownLibraries(), library))
      errs() << "vortex-compile: warning: --library=" << library
             << " is none of " << llvm::join(getKnownLibraries(), ", ")
             << ": products may call it where the run time finds "
                "libvortex_library_"
             << library << ".so\n";
    std::string why, all;
    bool has = false;
    for (HwAttr target : targets) {
      std::string reason = whyNoLibraryOn(library, target);
      has |= reason.empty();
      why = reason.empty() ? why : reason;
      all += (all.empty() ? "" : ", ") +
             (target ? (target.getIsa() + "/" + target.getChip()).str()
                     : "this machine's CPU");
    }
    if (has)
      continue;
    errs() << "vortex-compile: --library=" << library << ": " << library << " "
           << why << "; the target is " << all << "\n";
    return false;
  }
  return true;
}

/// The artifact is written beside `path` and renamed to it, which needs the
/// folder and would replace a device.
static std::string whyNotWritable(StringRef path) {
  StringRef folder = sys::path::parent_path(path);
  if (std::error_code code = sys::fs::access(folder.empty() ? "." : folder,
                                             sys::fs::AccessMode::Write))
    return code.message();
  sys::fs::file_status status;
  if (sys::fs::status(path, status) || !sys::fs::exists(status))
    return "";
  if (sys::fs::is_directory(status))
    return "it is a folder";
  return sys::fs::is_regular_file(status) ? "" : "it is not a regular file";
}

/// Parses, compiles and reports.
static int compile(CommandLine &line) {
  if (line.input != "-" && (line.input == line.output ||
                            sys::fs::equivalent(line.input, line.output))) {
    errs() << "vortex-compile: the output would replace the input\n";
    return 2;
  }
  // Found out now rather than after minutes of work.
  if (std::string why =
          line.options.emitKernels ? "" : whyNotWritable(line.output);
      !why.empty()) {
    errs() << "vortex-compile: cannot write " << line.output << ": " << why
           << "\n";
    return 1;
  }
  mlir::DialectRegistry registry;
  registerCompilerDialects(registry);
  mlir::MLIRContext context(registry);
  context.printOpOnDiagnostic(false);
  if (int code = checkTargets(context, line.options))
    return code;
  if (line.explain) {
    line.options.explain = &outs();
    if (failed(printRemarks(context, outs())))
      return 1;
  }
  mlir::DefaultTimingManager timer;
  timer.setEnabled(line.timing);
  // Kernels have the same passes: their times are added up by name.
  timer.setDisplayMode(mlir::DefaultTimingManager::DisplayMode::List);
  mlir::TimingScope timing = timer.getRootScope();
  line.options.timing = &timing;
  std::string unreadable;
  std::unique_ptr<MemoryBuffer> text =
      mlir::openInputFile(line.input, &unreadable);
  if (!text) {
    errs() << "vortex-compile: " << unreadable << "\n";
    return 1;
  }
  SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(text), SMLoc());
  mlir::SourceMgrDiagnosticHandler diagnostics(sources, &context);
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(
      sources, mlir::ParserConfig(&context));
  if (!module)
    return 1;
  if (!checkLibraries(*module, line))
    return 2;
  PlaceHandler places(&context, line.input);
  namePlaces(*module);
  line.options.hooks.buildFrontPipeline = [&](mlir::OpPassManager &pm) {
    buildPlanPipeline(pm, line.determinism, line.precision, line.libraries,
                      line.sharing, line.candidates);
  };
  line.options.hooks.buildKernelPipeline = [](mlir::OpPassManager &pm) {
    buildKernelPipeline(pm);
  };
  return succeeded(compileToArtifact(*module, line.options, line.output)) ? 0
                                                                          : 1;
}

static int act(int argc, char **argv) {
  CommandLine line;
  std::string error;
  if (!parseCommandLine(ArrayRef<const char *>(argv + 1, argc - 1), line,
                        error)) {
    errs() << "vortex-compile: " << error << " (see --help)\n";
    return 2;
  }
  switch (line.action) {
  case CommandLine::Action::Help:
    outs() << getHelpText();
    return 0;
  case CommandLine::Action::Version:
    outs() << "vortex " VORTEX_VERSION " (LLVM " LLVM_VERSION_STRING ")\n";
    return 0;
  case CommandLine::Action::Compile:
    return compile(line);
  }
  return 2;
}

int vortex::runCompiler(int argc, char **argv) {
  int code = act(argc, argv);
  outs().flush();
  if (!outs().has_error())
    return code;
  errs() << "vortex-compile: cannot write to standard output: "
         << outs().error().message() << "\n";
  outs().clear_error();
  return code ? code : 1;
}
