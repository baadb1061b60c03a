//===- KernelFiles.cpp - Kernels as files ---------------------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelFiles.h"

#include "vortex/Conversion/ChoiceFunctions.h"
#include "vortex/Dialect/Vortex/IR/GridLimit.h"
#include "vortex/Runtime/Tooling/ReplaceFile.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace vortex;

LogicalResult vortex::checkOutput(ModuleOp module, HwAttr device,
                                  const CompileOptions &options) {
  if (options.emitKernels && !device)
    return module.emitError(
        "--emit=kernels writes kernels of a GPU, and there is none among the "
        "targets; --dump-stages-to has the assembly of a CPU");
  if (!options.emitKernels && device && !isForNVIDIA(device))
    return module.emitError()
           << "there is no run time for target " << device.getIsa()
           << " yet, so no artifact: --emit=kernels writes its kernels";
  return success();
}

/// Why kernels of which no candidate has code have none, a reason each.
static void noteMissing(InFlightDiagnostic &warning,
                        ArrayRef<KernelCode> kernels,
                        const MissingTable &missing) {
  llvm::StringSet<> noted;
  for (const auto &[candidate, reason] : missing) {
    StringRef kernel = StringRef(candidate).split('=').first;
    bool some = llvm::any_of(kernels, [&](const KernelCode &code) {
      return StringRef(code.name).starts_with((kernel + ".").str());
    });
    if (!some && noted.insert(kernel).second)
      warning.attachNote() << "candidate " << candidate
                           << " has no code: " << reason;
  }
}

/// Whether `op` runs at the sizes alone at which no candidate may.
static bool isFallback(Operation *op) {
  for (auto choice = op->getParentOfType<scf::IndexSwitchOp>(); choice;
       choice = choice->getParentOfType<scf::IndexSwitchOp>())
    if (getChosenCandidates(choice.getArg()) &&
        choice.getDefaultRegion().isAncestor(op->getParentRegion()))
      return true;
  return false;
}

LogicalResult vortex::checkKernelFiles(ModuleOp program, HwAttr device,
                                       ArrayRef<KernelCode> kernels,
                                       const MissingTable &missing) {
  bool left = false;
  program.walk([&](Operation *op) {
    if (!isa<linalg::LinalgOp, tensor::PadOp, tensor::GenerateOp>(op) ||
        isa<linalg::FillOp, linalg::CopyOp>(op) || isFallback(op))
      return;
    auto function = op->getParentOfType<FunctionOpInterface>();
    InFlightDiagnostic warning = op->emitWarning();
    warning << "'" << op->getName() << "' of ";
    llvm::interleave(
        op->getOperandTypes(), warning,
        [&](Type type) { warning << getElementTypeOrSelf(type); }, ", ");
    if (function)
      warning << " in @" << function.getName();
    warning << " has no kernel for target " << device.getIsa()
            << ": it stays in the program around the kernels";
    if (!left)
      noteMissing(warning, kernels, missing);
    left = true;
  });
  if (kernels.empty())
    return program.emitError() << "--emit=kernels: nothing of the program has "
                                  "a kernel for target "
                               << device.getIsa();
  return success();
}

/// `name`, which may hold anything, without what has a meaning in paths.
static std::string toFileName(StringRef name) {
  std::string file = name.str();
  for (char &c : file)
    if (!llvm::isAlnum(c) && c != '.' && c != '-')
      c = '_';
  return file;
}

/// Writes `text` to `name` in `folder`.
static LogicalResult writeFile(ModuleOp program, StringRef folder,
                               StringRef name, StringRef text) {
  SmallString<128> path(folder);
  llvm::sys::path::append(path, name);
  std::string why = runtime::writeText(path.str().str(), text);
  return why.empty() ? success() : program.emitError(why);
}

LogicalResult vortex::writeKernelFiles(ModuleOp program, HwAttr device,
                                       ArrayRef<KernelCode> kernels,
                                       StringRef folder) {
  std::error_code code = llvm::sys::fs::create_directories(folder);
  if (!code && !llvm::sys::fs::is_directory(folder))
    code = std::make_error_code(std::errc::not_a_directory);
  if (code)
    return program.emitError()
           << "cannot write kernels to '" << folder << "': " << code.message();
  llvm::json::Array table;
  llvm::StringSet<> taken;
  for (const KernelCode &kernel : kernels) {
    std::string stem = toFileName(kernel.name);
    std::string file = stem + getCodeSuffix(device).str();
    for (unsigned i = 1; !taken.insert(file).second; ++i)
      file = stem + "-" + std::to_string(i) + getCodeSuffix(device).str();
    if (failed(writeFile(program, folder, file, kernel.ptx)))
      return failure();
    table.push_back(llvm::json::Object{
        {"name", kernel.name},
        {"function", kernel.function},
        {"file", file},
        {"threads", kernel.threads},
        {"shared_bytes", kernel.sharedBytes},
        {"parameters", kernel.parameters},
        {"tile", llvm::json::Array(kernel.tile)},
        {"grid", getLargestDimension(device)},
    });
  }
  std::string json, host;
  llvm::raw_string_ostream(json)
      << llvm::formatv("{0:2}\n", llvm::json::Value(std::move(table)));
  llvm::raw_string_ostream stream(host);
  program.print(stream);
  if (failed(writeFile(program, folder, "kernels.json", json)))
    return failure();
  return writeFile(program, folder, "host.mlir", host + "\n");
}
