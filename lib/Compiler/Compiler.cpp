//===- Compiler.cpp - A module in, an artifact out -*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Compiler/Compiler.h"

#include "ArtifactTables.h"
#include "Explain.h"
#include "Kernels.h"

#include "vortex/Conversion/Passes.h"
#include "vortex/Dialect/Vortex/IR/VortexDialect.h"
#include "vortex/HwDesc/Targets.h"
#include "vortex/Pipelines/LowerToLLVM.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir;
using namespace vortex;

void vortex::registerCompilerDialects(DialectRegistry &registry) {
  registerAllDialects(registry);
  registerAllExtensions(registry);
  registerAllToLLVMIRTranslations(registry);
  registry.insert<VortexDialect>();
  registerBufferizableOpInterfaceExternalModels(registry);
}

/// An object file without symbols.
static LogicalResult createEmptyObject(ModuleOp module,
                                       const CodeTarget &target,
                                       ObjectCode &object) {
  llvm::LLVMContext context;
  llvm::Module empty("empty", context);
  std::string error;
  auto machine = createTargetMachine(target, {}, error);
  if (!machine)
    return module.emitError() << error;
  setTarget(empty, target, *machine);
  if (!emit(empty, *machine, {}, llvm::CodeGenFileType::ObjectFile, object,
            error))
    return module.emitError() << error;
  return success();
}

namespace {
/// Runs pipelines over the program, each a stage that can be looked at.
class Stages {
public:
  Stages(ModuleOp module, const CompileOptions &options)
      : module(module), options(options) {
    dump("input");
  }

  LogicalResult run(StringRef name,
                    llvm::function_ref<void(OpPassManager &)> build) {
    PassManager pm(module.getContext());
    build(pm);
    if (failed(pm.run(module)))
      return failure();
    dump(name);
    return success();
  }

private:
  void dump(StringRef name) {
    dumpStage(options, (Twine(count++) + "-" + name + ".mlir").str(), module);
  }

  ModuleOp module;
  const CompileOptions &options;
  unsigned count = 0;
};
} // namespace

/// Gives the program's functions names that no library function has: a
/// program may call one of its functions `memcpy`.
static LogicalResult renameFunctions(ModuleOp module) {
  SymbolTable symbols(module);
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal() &&
        failed(symbols.rename(function, kFunctionPrefix.str() +
                                            function.getSymName().str())))
      return failure();
  return success();
}

LogicalResult vortex::compileToArtifact(ModuleOp module,
                                        const CompileOptions &options,
                                        StringRef outputPath) {
  initializeCodeGen();
  if (!options.dumpDir.empty())
    if (std::error_code code =
            llvm::sys::fs::create_directories(options.dumpDir))
      return module.emitError() << "cannot make folder " << options.dumpDir
                                << ": " << code.message();
  if ((!options.targets.empty() || !options.targetFile.empty()) &&
      failed(attachTargets(module, options.targets, options.targetFile)))
    return failure();
  FailureOr<CodeTarget> target = getCodeTarget(module);
  if (failed(target))
    return failure();
  for (const std::string &text : options.weights)
    if (failed(markWeights(module, text)))
      return failure();
  ArtifactTables tables;
  tables.target = *target;
  auto signatures = collectSignatures(module);
  if (failed(signatures))
    return failure();
  tables.functions = std::move(*signatures);

  Stages stages(module, options);
  if (options.hooks.buildFrontPipeline &&
      failed(stages.run("kernels", options.hooks.buildFrontPipeline)))
    return failure();
  if (failed(stages.run("prepared", buildPreparePipeline)))
    return failure();
  readTables(module, tables);
  if (options.explain)
    explainKernels(tables.kernels, *options.explain);
  auto kernels = extractKernels(module);
  if (failed(kernels))
    return failure();
  if (failed(stages.run("buffers", buildBufferizePipeline)) ||
      failed(readBound(module, tables)) || failed(renameFunctions(module)))
    return failure();
  if (failed(stages.run("loops", buildLoopsPipeline)) ||
      failed(stages.run("llvm", buildLLVMPipeline)))
    return failure();

  std::vector<ObjectCode> objects;
  if (failed(compileKernels(*kernels, options, *target, objects)))
    return failure();
  auto prepare = [&](llvm::Module &host, std::string &error) {
    return addTables(host, tables, error);
  };
  ObjectCode empty;
  if (failed(generateObject(module, "host", options, *target, CodeGenOptions(),
                            prepare, objects.emplace_back())) ||
      failed(createEmptyObject(module, *target, empty)))
    return failure();
  if (llvm::Error error = linkArtifact(objects, empty, outputPath))
    return module.emitError() << llvm::toString(std::move(error));
  return success();
}
