//===- DeviceCode.cpp - Kernels to code of a GPU --------------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceCode.h"

#include "vortex/Conversion/CallContext.h"
#include "vortex/Conversion/VortexToNVVM/Passes.h"
#include "vortex/HwDesc/Targets.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/ThreadPool.h"

using namespace mlir;
using namespace vortex;

HwAttr vortex::getDeviceTarget(ModuleOp module) {
  HwAttr found;
  for (HwAttr target : getTargets(module)) {
    if (!target.isGPU())
      return {};
    if (!found)
      found = target;
  }
  return found;
}

CodeTarget vortex::getLauncherTarget() {
  // Every x86-64 that GPUs are put beside has these; conversions of f16 would
  // call a compiler run-time library without.
  CodeTarget target;
  target.name = "x86-64-v3";
  target.triple = "x86_64-unknown-linux-gnu";
  target.cpu = "x86-64-v3";
  target.features = "+avx2,+fma,+f16c,+bmi2";
  return target;
}

/// ptxas on the path or in the folders that CUDA's own tools look into; empty
/// for none.
static std::string findPtxas(StringRef wanted) {
  if (wanted == "none")
    return {};
  if (!wanted.empty()) {
    // A path, or a program that is looked for.
    auto found = llvm::sys::findProgramByName(wanted);
    return found ? *found : wanted.str();
  }
  if (auto found = llvm::sys::findProgramByName("ptxas"))
    return *found;
  for (const char *name : {"CUDA_HOME", "CUDA_PATH"})
    if (const char *folder = getenv(name))
      if (auto found = llvm::sys::findProgramByName(
              "ptxas", {(Twine(folder) + "/bin").str()}))
        return *found;
  if (auto found =
          llvm::sys::findProgramByName("ptxas", {"/usr/local/cuda/bin"}))
    return *found;
  return {};
}

DeviceCompiler::DeviceCompiler(HwAttr target, const CompileOptions &options)
    : target(target), options(options), ptxas(findPtxas(options.ptxas)) {}

/// Makes PTX of the kernel's candidate; says why when that cannot be.
std::string DeviceCompiler::emit(KernelModule &kernel, DeviceKernel &code) {
  ModuleOp module = *kernel.module;
  std::string said;
  // What is said here is a remark at most: another candidate may do.
  ScopedDiagnosticHandler handler(
      module.getContext(), [&](Diagnostic &diagnostic) {
        bool matters = diagnostic.getSeverity() == DiagnosticSeverity::Error ||
                       diagnostic.getSeverity() == DiagnosticSeverity::Warning;
        if (matters && said.empty())
          said = diagnostic.str();
        return success();
      });
  auto why = [&](StringRef otherwise) {
    return said.empty() ? otherwise.str() : said;
  };
  PassManager convert(module.getContext());
  convert.addPass(createConvertToNVVM());
  if (failed(convert.run(module)))
    return why("it cannot be converted");
  SymbolRefAttr symbol;
  size_t axes = 0;
  module.walk([&](KernelOp op) {
    symbol = op->getAttrOfType<SymbolRefAttr>("vortex.device_kernel");
    axes = op.getAxes().size();
  });
  if (!symbol)
    return why("nothing emits it");
  auto function =
      cast<LLVM::LLVMFuncOp>(SymbolTable::lookupSymbolIn(module, symbol));
  code.name = kernel.name;
  code.function = function.getName().str();
  code.parameters = function.getNumArguments();
  if (auto threads = function->getAttrOfType<DenseI32ArrayAttr>(
          NVVM::NVVMDialect::getReqntidAttrName()))
    code.threads = threads[0];
  if (auto bytes = function->getAttrOfType<IntegerAttr>("vortex.shared_bytes"))
    code.sharedBytes = bytes.getInt();
  if (auto tile = function->getAttrOfType<DenseI64ArrayAttr>("vortex.tile"))
    code.tile = tile.asArrayRef().vec();
  if (code.threads < 1 || code.tile.size() != axes)
    return "its device function does not say its threads and tile";
  PassManager lower(module.getContext());
  buildDeviceCodePipeline(lower);
  if (failed(lower.run(module)))
    return why("it cannot be lowered to PTX");
  for (auto binary : module.getOps<gpu::BinaryOp>())
    for (auto object : binary.getObjects().getAsRange<gpu::ObjectAttr>())
      code.ptx = object.getObject().getValue().str();
  code.ptx.erase(code.ptx.find_last_not_of('\0') + 1);
  return code.ptx.empty() ? why("it gave no PTX") : "";
}

/// Assembles the PTX where there is ptxas; finds spills.
void DeviceCompiler::assemble(Attempt &attempt) {
  attempt.done = true;
  if (ptxas.empty() || !attempt.reason.empty())
    return;
  SmallString<128> folder;
  if (std::error_code error =
          llvm::sys::fs::createUniqueDirectory("vortex-ptxas", folder)) {
    attempt.reason = "no temporary folder: " + error.message();
    return;
  }
  llvm::scope_exit clean([&] { llvm::sys::fs::remove_directories(folder); });
  auto inFolder = [&](StringRef name) {
    SmallString<128> path(folder);
    llvm::sys::path::append(path, name);
    return path.str().str();
  };
  std::string ptx = inFolder("kernel.ptx"), cubin = inFolder("kernel.cubin"),
              log = inFolder("log");
  {
    std::error_code error;
    llvm::raw_fd_ostream stream(ptx, error);
    stream << attempt.code.ptx;
  }
  std::string arch = ("-arch=" + target.getCpu()).str();
  StringRef arguments[] = {ptxas, arch, "-v", ptx, "-o", cubin};
  std::optional<StringRef> redirects[] = {StringRef(), StringRef(log),
                                          StringRef(log)};
  std::string message;
  int code = llvm::sys::ExecuteAndWait(ptxas, arguments, std::nullopt,
                                       redirects, 0, 0, &message);
  auto read = [](StringRef path) {
    auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                              /*RequiresNullTerminator=*/false);
    return buffer ? (*buffer)->getBuffer().str() : std::string();
  };
  std::string said = read(log);
  if (code) {
    if (said.empty())
      said =
          message.empty() ? "it ended with " + std::to_string(code) : message;
    attempt.reason =
        "ptxas refuses it: " + StringRef(said).split('\n').first.str();
    return;
  }
  llvm::SmallVector<StringRef> found;
  if (llvm::Regex("([0-9]+) bytes spill stores").match(said, &found))
    found[1].getAsInteger(10, attempt.spills);
  attempt.code.cubin = read(cubin);
}

LogicalResult DeviceCompiler::compile(MutableArrayRef<KernelModule> kernels,
                                      MissingTable &missing, SpillTable &spills,
                                      std::vector<DeviceKernel> &code) {
  std::vector<Attempt *> attempts;
  llvm::StringSet<> planned;
  for (KernelModule &kernel : kernels)
    for (const std::string &name : kernel.implements)
      planned.insert(StringRef(name).rsplit('=').first);
  size_t before = missing.size();
  for (KernelModule &kernel : kernels) {
    KernelOp op;
    kernel.module->walk([&](KernelOp found) { op = found; });
    bool isFallback = op && op.getCandidateOps().empty();
    if (!op || (isFallback && !planned.contains(op.getName())))
      return kernel.module->emitError()
             << "'" << (op ? op.getName() : StringRef(kernel.name))
             << "' has no candidate for " << target.getIsa()
             << ": no device code runs it";
    if (isFallback) {
      attempts.push_back(nullptr);
      continue;
    }
    std::string text;
    llvm::raw_string_ostream stream(text);
    kernel.module->print(stream);
    auto [it, added] = known.try_emplace(text);
    Attempt &attempt = it->second;
    // The module changes, too, so it is converted in each round.
    DeviceKernel again;
    std::string reason = emit(kernel, added ? attempt.code : again);
    if (added)
      attempt.reason = reason;
    attempts.push_back(&attempt);
  }
  llvm::DefaultThreadPool pool(options.threads
                                   ? llvm::hardware_concurrency(options.threads)
                                   : llvm::hardware_concurrency());
  for (Attempt *attempt : attempts)
    if (attempt && !attempt->done) {
      attempt->done = true;
      pool.async([this, attempt] { assemble(*attempt); });
    }
  pool.wait();
  for (auto [kernel, attempt] : llvm::zip(kernels, attempts)) {
    if (!attempt)
      continue;
    for (const std::string &name : kernel.implements) {
      if (!attempt->reason.empty())
        missing[name] = attempt->reason;
      else if (attempt->spills)
        spills[name] = attempt->spills;
    }
    if (attempt->reason.empty())
      dumpStage(options, kernel.name + ".ptx", *kernel.module,
                attempt->code.ptx);
  }
  if (missing.size() != before)
    return success(); // planned again without them
  for (auto [kernel, attempt] : llvm::zip(kernels, attempts)) {
    if (attempt && !attempt->reason.empty()) {
      InFlightDiagnostic error = kernel.module->emitError();
      error << "none of the candidates of '"
            << StringRef(kernel.implements[0]).rsplit('=').first
            << "' has device code for " << target.getIsa();
      for (const auto &[name, reason] : missing)
        if (StringRef(name).rsplit('=').first ==
            StringRef(kernel.implements[0]).rsplit('=').first)
          error.attachNote()
              << StringRef(name).rsplit('=').second << ": " << reason;
      return failure();
    }
    ModuleOp module = *kernel.module;
    if (attempt) {
      module->setAttr(kIndexAttr, IntegerAttr::get(
                                      IntegerType::get(module.getContext(), 64),
                                      int64_t(code.size())));
      code.push_back(attempt->code);
      code.back().name = kernel.name;
    }
    PassManager pm(module.getContext());
    pm.addPass(createLowerLaunches());
    if (failed(pm.run(module)))
      return failure();
  }
  return success();
}
