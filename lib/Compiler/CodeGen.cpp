//===- CodeGen.cpp - LLVM modules to object code -*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CodeGen.h"

#include "llvm/CodeGen/CodeGenTargetMachineImpl.h"
#include "llvm/CodeGen/MachineModuleInfo.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"

using namespace llvm;
using namespace vortex;

void vortex::initializeCodeGen() {
  static bool done = [] {
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
    InitializeNativeTargetAsmParser();
    return true;
  }();
  (void)done;
}

CodeTarget vortex::getHostTarget() {
  // Features that pay in tensor code. Others would only bind the artifact to
  // fewer machines.
  static constexpr StringLiteral useful[] = {
      "sse4.1", "sse4.2", "ssse3", "popcnt", "cx16", "avx", "avx2", "fma",
      "f16c", "bmi", "bmi2", "lzcnt", "movbe", "avxvnni", "avx512f",
      "avx512bw", "avx512cd", "avx512dq", "avx512vl", "avx512vnni",
      "avx512bf16", "avx512fp16", "avx512vbmi", "avx512vbmi2", "avx512bitalg",
      "avx512vpopcntdq", "avx512ifma", "amx-tile", "amx-int8", "amx-bf16",
      "amx-fp16"};
  StringMap<bool> host = sys::getHostCPUFeatures();
  CodeTarget target;
  target.triple = sys::getDefaultTargetTriple();
  for (StringRef feature : useful)
    if (host.lookup(feature))
      target.features +=
          ((target.features.empty() ? "" : ",") + feature).str();
  bool v4 = host.lookup("avx512f") && host.lookup("avx512bw") &&
            host.lookup("avx512cd") && host.lookup("avx512dq") &&
            host.lookup("avx512vl");
  bool v3 = host.lookup("avx2") && host.lookup("fma") && host.lookup("bmi2");
  target.cpu = v4 ? "x86-64-v4" : v3 ? "x86-64-v3" : "x86-64";
  target.name =
      v4 ? "x86-avx512/host" : v3 ? "x86-avx2/host" : "x86-64/host";
  return target;
}

/// `a,b` as LLVM wants it: `+a,+b`.
static std::string getFeatureString(StringRef features) {
  SmallVector<StringRef> names;
  features.split(names, ',', -1, /*KeepEmpty=*/false);
  std::string text;
  for (StringRef name : names) {
    name = name.trim();
    text += text.empty() ? "" : ",";
    text += (name.starts_with("+") || name.starts_with("-"))
                ? name.str()
                : ("+" + name).str();
  }
  return text;
}

std::unique_ptr<TargetMachine>
vortex::createTargetMachine(const CodeTarget &target,
                            const CodeGenOptions &options, std::string &error) {
  Triple triple(target.triple);
  const Target *found = TargetRegistry::lookupTarget(triple, error);
  if (!found)
    return nullptr;
  CodeGenOptLevel level = options.level >= 3 ? CodeGenOptLevel::Aggressive
                                             : CodeGenOptLevel::Default;
  std::unique_ptr<TargetMachine> machine(found->createTargetMachine(
      triple, target.cpu, getFeatureString(target.features), TargetOptions(),
      Reloc::PIC_, std::nullopt, level));
  if (!machine)
    error = "LLVM has no code generator for " + target.triple;
  return machine;
}

void vortex::setTarget(Module &module, const CodeTarget &target,
                       TargetMachine &machine) {
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  module.setPICLevel(PICLevel::BigPIC);
  bool wide = StringRef(target.features).contains("avx512");
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", target.cpu);
    function.addFnAttr("target-features", getFeatureString(target.features));
    function.addFnAttr("no-trapping-math", "true");
    function.addFnAttr(Attribute::NoUnwind);
    if (wide)
      function.addFnAttr("prefer-vector-width", "512");
  }
}

void vortex::optimize(Module &module, TargetMachine &machine,
                      const CodeGenOptions &options) {
  PipelineTuningOptions tuning;
  tuning.LoopVectorization = true;
  tuning.SLPVectorization = options.level >= 2;
  tuning.LoopInterleaving = true;
  PassBuilder builder(&machine, tuning);
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager graph;
  ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graph, modules);
  OptimizationLevel level = options.level >= 3   ? OptimizationLevel::O3
                            : options.level == 2 ? OptimizationLevel::O2
                                                 : OptimizationLevel::O1;
  builder.buildPerModuleDefaultPipeline(level).run(module, modules);
}

bool vortex::emit(Module &module, TargetMachine &machine,
                  const CodeGenOptions &options, CodeGenFileType kind,
                  SmallVectorImpl<char> &output, std::string &error) {
  raw_svector_ostream stream(output);
  legacy::PassManager pm;
  auto &target = static_cast<CodeGenTargetMachineImpl &>(machine);
  auto *info = new MachineModuleInfoWrapperPass(&target);
  pm.add(new TargetLibraryInfoWrapperPass(machine.getTargetTriple()));
  if (options.scheduler) {
    if (machine.addPassesToEmitFile(pm, stream, nullptr, kind,
                                    /*DisableVerify=*/true, info)) {
      error = "LLVM cannot emit code for this target";
      return false;
    }
  } else {
    // The scheduler's command-line switch is global; a pass configuration
    // belongs to this compilation alone.
    TargetPassConfig *config = target.createPassConfig(pm);
    config->setDisableVerify(true);
    config->disablePass(&MachineSchedulerID);
    pm.add(config);
    pm.add(info);
    if (config->addISelPasses()) {
      error = "LLVM cannot select instructions for this target";
      return false;
    }
    config->addMachinePasses();
    config->setInitialized();
    if (target.addAsmPrinter(pm, stream, nullptr, kind,
                             info->getMMI().getContext())) {
      error = "LLVM cannot emit code for this target";
      return false;
    }
    pm.add(createFreeMachineFunctionPass());
  }
  pm.run(module);
  return true;
}
