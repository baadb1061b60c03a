//===- Compiler.cpp - A module in, an artifact out -*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Compiler/Compiler.h"

#include "ArtifactTables.h"
#include "DeviceCode.h"
#include "Explain.h"
#include "KernelFiles.h"
#include "Kernels.h"
#include "Memory.h"
#include "ObjectCache.h"
#include "Programs.h"

#include "vortex/Conversion/Passes.h"
#include "vortex/Dialect/Vortex/IR/DimIndex.h"
#include "vortex/Dialect/Vortex/IR/VortexDialect.h"
#include "vortex/Dialect/Vortex/Transforms/SharedCode.h"
#include "vortex/Dialect/Vortex/Transforms/Spills.h"
#include "vortex/Dialect/Vortex/Transforms/WithoutCode.h"
#include "vortex/HwDesc/Targets.h"
#include "vortex/Pipelines/LowerToLLVM.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Verifier.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace vortex;

void vortex::registerCompilerDialects(DialectRegistry &registry) {
  registerAllDialects(registry);
  registerAllExtensions(registry);
  registerAllToLLVMIRTranslations(registry);
  registry.insert<VortexDialect>();
  registerBufferizableOpInterfaceExternalModels(registry);
}

/// The folder for stages exists and can be written.
static LogicalResult checkDumpDir(ModuleOp module, StringRef folder) {
  if (folder.empty())
    return success();
  std::error_code code = llvm::sys::fs::create_directories(folder);
  if (!code && !llvm::sys::fs::is_directory(folder))
    code = std::make_error_code(std::errc::not_a_directory);
  if (!code)
    code = llvm::sys::fs::access(folder, llvm::sys::fs::AccessMode::Write);
  if (!code)
    return success();
  return module.emitError()
         << "cannot write stages to '" << folder << "': " << code.message();
}

/// What the verifier lets pass and no size makes right.
static LogicalResult checkProgram(ModuleOp module) {
  WalkResult result = module->walk([](ShapedDimOpInterface op) {
    auto type = cast<ShapedType>(op.getShapedValue().getType());
    std::optional<int64_t> dim = getConstantIntValue(op.getDimension());
    if (!dim || !type.hasRank() || getDimIndex(op))
      return WalkResult::advance();
    op->emitError() << "asks for the size of dimension " << *dim << " of "
                    << type << ", which has " << type.getRank();
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
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
      : module(module), options(options), timing(options.timing) {
    dump("input");
  }

  /// What the stages from now on are timed as parts of.
  void timeIn(TimingScope *scope) { timing = scope; }

  LogicalResult run(StringRef name,
                    llvm::function_ref<void(OpPassManager &)> build) {
    TimingScope stage = timing ? timing->nest(name) : TimingScope();
    PassManager pm(module.getContext());
    pm.enableTiming(stage);
    // Verified at the end of a stage, not behind each of its passes.
    pm.enableVerifier(false);
    build(pm);
    if (failed(pm.run(module)) || failed(verify(module)))
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
  TimingScope *timing;
  unsigned count = 0;
};
} // namespace

/// Gives the program's functions names that no library function has: a
/// program may call one of its functions `memcpy`.
static LogicalResult renameFunctions(ModuleOp module) {
  SymbolTable symbols(module);
  DenseSet<StringRef> kernels;
  module.walk([&](KernelCallOp call) { kernels.insert(call.getCallee()); });
  auto functions = llvm::to_vector(module.getOps<func::FuncOp>());
  // A new name is longer than the old one: it is free by then, even where the
  // program has a function of that name.
  llvm::stable_sort(functions, [](func::FuncOp a, func::FuncOp b) {
    return a.getSymName().size() > b.getSymName().size();
  });
  for (func::FuncOp function : functions) {
    std::string name = (kFunctionPrefix + function.getSymName()).str();
    if (function.isExternal())
      continue;
    if (kernels.contains(name))
      return function.emitError()
             << "function @" << function.getSymName()
             << " would have the name of a kernel, '" << name << "'";
    if (failed(symbols.rename(function, name)))
      return failure();
  }
  return success();
}

/// Tells the planning passes which candidates spill.
static void setSpills(ModuleOp module, const SpillTable &spills) {
  Builder b(module.getContext());
  SmallVector<NamedAttribute> entries;
  for (const auto &[name, count] : spills)
    entries.push_back(b.getNamedAttr(name, b.getI64IntegerAttr(count)));
  if (!entries.empty())
    module->setAttr(kSpillsAttr, b.getDictionaryAttr(entries));
}

/// Tells the planning passes which candidates have no code.
static void setMissing(ModuleOp module, const MissingTable &missing) {
  Builder b(module.getContext());
  SmallVector<NamedAttribute> entries;
  for (const auto &[name, reason] : missing)
    entries.push_back(b.getNamedAttr(name, b.getStringAttr(reason)));
  if (!entries.empty())
    module->setAttr(kWithoutCodeAttr, b.getDictionaryAttr(entries));
}

/// Tells the planning passes which kernels may not share code with those that
/// differ in extents.
static void setOwnCode(ModuleOp module, const OwnCode &own) {
  Builder b(module.getContext());
  SmallVector<StringRef> names(own.begin(), own.end());
  if (!names.empty())
    module->setAttr(kOwnCodeAttr, b.getStrArrayAttr(names));
}

/// Lowers and compiles the program around the kernels. `tables` get what its
/// stages tell.
static LogicalResult compileHost(ModuleOp module, Stages &stages,
                                 const CompileOptions &options,
                                 const ProgramTarget &program, HwAttr device,
                                 DeviceCompiler &deviceCompiler,
                                 ArtifactTables &tables, ObjectCode &object) {
  auto bufferize = [&](OpPassManager &pm) {
    buildBufferizePipeline(pm, !!device);
  };
  if (failed(stages.run("buffers", bufferize)) ||
      failed(readBound(module, tables)))
    return failure();
  readMemory(module, tables.functions);
  auto deviceProgram = [&](OpPassManager &pm) {
    buildDeviceProgramPipeline(pm, tables.deviceKernels.size());
  };
  if (device &&
      (failed(stages.run("device", deviceProgram)) ||
       failed(deviceCompiler.compileLoops(module, tables.deviceKernels))))
    return failure();
  if (program.portable) // what devices that binaries are for run is beside it
    for (KernelCode &code : tables.deviceKernels)
      code.cubin.clear();
  if (failed(renameFunctions(module)))
    return failure();
  if (failed(stages.run("loops", buildLoopsPipeline)))
    return failure();
  readMemos(module, tables);
  auto lower = [](OpPassManager &pm) { buildLLVMPipeline(pm); };
  if (failed(stages.run("llvm", lower)))
    return failure();
  auto prepare = [&](llvm::Module &host, std::string &error) {
    return addTables(host, tables, error);
  };
  TimingScope timing = options.time("host's code");
  return generateObject(module, "host", options, tables.target,
                        CodeGenOptions(), timing, prepare, object);
}

/// Whether `vortex-drop-spilling` would leave one of `spills` out, none of
/// which the plan knows: another candidate of its kernel runs at every size.
static bool changePlan(const SpillTable &spills,
                       ArrayRef<KernelTable> kernels) {
  return llvm::any_of(kernels, [&](const KernelTable &kernel) {
    bool spilled = false, answered = false;
    for (auto [candidate, guard] :
         llvm::zip_equal(kernel.candidates, kernel.guards)) {
      bool found = spills.count(kernel.name + "=" + candidate);
      spilled |= found;
      answered |= !found && guard.empty();
    }
    return spilled && answered;
  });
}

namespace {
/// Where a planned program, whose code is not lowered yet, calls a candidate.
struct CandidateCall {
  StringAttr kernel, candidate;
  Location loc;
};
/// By "KERNEL=CANDIDATE".
using CandidateCalls = std::map<std::string, CandidateCall>;
} // namespace

static CandidateCalls findCalls(ModuleOp program) {
  CandidateCalls calls;
  program.walk([&](KernelCallOp call) {
    auto kernel = call->getAttrOfType<StringAttr>(kKernelAttr);
    auto candidate = call->getAttrOfType<StringAttr>(kCandidateAttr);
    if (kernel && candidate)
      calls.try_emplace((kernel.getValue() + "=" + candidate.getValue()).str(),
                        CandidateCall{kernel, candidate, call.getLoc()});
  });
  return calls;
}

/// Says of `spills`, which change no plan, that they stay.
static void reportKept(const SpillTable &spills, const CandidateCalls &calls) {
  for (const auto &[name, count] : spills)
    if (auto it = calls.find(name); it != calls.end())
      reportSpills(it->second.loc, it->second.kernel, it->second.candidate,
                   count, /*dropped=*/false);
}

namespace {
/// A compiled program, to be linked.
struct ProgramCode {
  CodeTarget target; ///< of its host code
  std::vector<ObjectCode> objects;
};
} // namespace

/// Compiles `module` for the target of `wanted`, which becomes its only one.
/// `others` are those of the programs that the artifact will hold besides.
/// Kernels' files, where they are asked for, are written to `outputPath`.
static LogicalResult compileProgram(ModuleOp module,
                                    const CompileOptions &options,
                                    const ProgramTarget &wanted,
                                    std::vector<std::string> others,
                                    StringRef outputPath, ProgramCode &code) {
  if (wanted.target)
    module->setAttr(kTargetsAttr,
                    ArrayAttr::get(module.getContext(), {wanted.target}));
  HwAttr device = getDeviceTarget(module);
  FailureOr<CodeTarget> target =
      device ? getLauncherTarget() : getCodeTarget(module);
  if (failed(target))
    return failure();
  code.target = *target;
  for (const std::string &text : options.weights)
    if (failed(markWeights(module, text)))
      return failure();
  ArtifactTables tables;
  tables.target = *target;
  tables.programs = std::move(others);
  if (device) {
    tables.target.name = (device.getIsa() + "/" + device.getChip()).str();
    tables.deviceIsa = device.getCpu().str();
  }
  // Callers see the memory that they give as a memref.
  PassManager donate(module.getContext());
  donate.addPass(createDonateArguments());
  if (failed(donate.run(module)))
    return failure();
  auto signatures = collectSignatures(module);
  if (failed(signatures))
    return failure();
  tables.functions = std::move(*signatures);

  // What code spills is known once it is compiled: the plan is made again until
  // it holds no candidate that turned out to and may be left out, nor shares
  // code that did. Each round knows of more.
  std::vector<ObjectCode> &objects = code.objects;
  ObjectCode hostCode;
  ArtifactTables hostTables;
  ObjectCache cache(options.cacheDir);
  ObjectTable known;
  SpillTable spills;
  MissingTable missing;
  OwnCode own;
  DeviceCompiler deviceCompiler(device, options, cache);
  CompileOptions kernelOptions = options;
  if (device) // what launches a kernel is lowered already
    kernelOptions.hooks.buildKernelPipeline = nullptr;
  OwningOpRef<ModuleOp> program;
  std::optional<Stages> attempt;
  bool again;
  do {
    size_t before = missing.size() + own.size();
    SpillTable told = spills;
    program = module.clone();
    setSpills(*program, spills);
    setMissing(*program, missing);
    setOwnCode(*program, own);
    attempt.emplace(*program, options);
    if (options.hooks.buildFrontPipeline &&
        failed(attempt->run("kernels", options.hooks.buildFrontPipeline)))
      return failure();
    if (failed(attempt->run("prepared", buildPreparePipeline)))
      return failure();
    auto kernels = extractKernels(*program);
    if (failed(kernels))
      return failure();
    if (device) {
      tables.deviceKernels.clear();
      if (failed(deviceCompiler.compile(*kernels, missing, spills,
                                        tables.deviceKernels)))
        return failure();
      again =
          missing.size() + own.size() != before || spills.size() != told.size();
      if (again)
        continue;
    }
    hostTables = tables;
    readTables(*program, hostTables);
    if (failed(attempt->run("choices", buildChoicesPipeline)))
      return failure();
    auto choices = extractChoices(*program);
    if (failed(choices))
      return failure();
    llvm::move(*choices, std::back_inserter(*kernels));
    CandidateCalls calls = findCalls(*program);
    // Parts that run at the same time are parts of one that ends with them.
    TimingScope together = options.time("kernels, program around them");
    kernelOptions.timing = options.timing ? &together : nullptr;
    attempt->timeIn(kernelOptions.timing);
    CompileOptions hostOptions = options;
    hostOptions.timing = kernelOptions.timing;
    auto host = [&] {
      return compileHost(*program, *attempt, hostOptions, wanted, device,
                         deviceCompiler, hostTables, hostCode = ObjectCode());
    };
    // In vain where the plan turns out not to hold, which is rare. Code of
    // loops of a device is compiled on all threads by itself.
    if (failed(compileKernels(*kernels, kernelOptions, *target, cache, known,
                              spills, own, objects,
                              device ? nullptr : BesideKernels(host))))
      return failure();
    attempt->timeIn(options.timing);
    for (const auto &[name, count] : told)
      spills.erase(name);
    again = missing.size() + own.size() != before ||
            changePlan(spills, hostTables.kernels);
    if (!again)
      reportKept(spills, calls);
    spills.insert(told.begin(), told.end());
  } while (again);
  if (!cache.getProblem().empty())
    module.emitWarning() << cache.getProblem();
  if (options.explain)
    explainKernels(hostTables.kernels, *options.explain);
  if (options.emitKernels) {
    if (failed(checkKernelFiles(*program, device, hostTables.deviceKernels,
                                missing)))
      return failure();
    return writeKernelFiles(*program, device, hostTables.deviceKernels,
                            outputPath);
  }
  if (device && failed(compileHost(*program, *attempt, options, wanted, device,
                                   deviceCompiler, hostTables, hostCode)))
    return failure();
  if (options.explain)
    explainMemory(hostTables.functions, *options.explain);
  objects.push_back(std::move(hostCode));
  return success();
}

static LogicalResult link(ModuleOp module, const ProgramCode &code,
                          StringRef outputPath) {
  ObjectCode empty;
  if (failed(createEmptyObject(module, code.target, empty)))
    return failure();
  if (llvm::Error error = linkArtifact(code.objects, empty, outputPath))
    return module.emitError() << llvm::toString(std::move(error));
  return success();
}

/// The artifact of one program as bytes.
static LogicalResult link(ModuleOp module, const ProgramCode &code,
                          ObjectCode &artifact) {
  SmallString<128> path;
  if (std::error_code error =
          llvm::sys::fs::createTemporaryFile("vortex-program", "so", path))
    return module.emitError()
           << "cannot make a temporary file: " << error.message();
  llvm::scope_exit clean([&] { llvm::sys::fs::remove(path); });
  if (failed(link(module, code, path)))
    return failure();
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return module.emitError()
           << "cannot read " << path << ": " << buffer.getError().message();
  artifact.assign((*buffer)->getBufferStart(), (*buffer)->getBufferEnd());
  return success();
}

/// Stages of each program but the first have a folder of their own there.
static CompileOptions optionsOf(const CompileOptions &options,
                                const ProgramTarget &program, bool isFirst) {
  CompileOptions own = options;
  if (isFirst || options.dumpDir.empty())
    return own;
  SmallString<128> folder(options.dumpDir);
  llvm::sys::path::append(folder, program.target.getIsa());
  own.dumpDir = folder.str().str();
  return own;
}

LogicalResult vortex::compileToArtifact(ModuleOp module,
                                        const CompileOptions &options,
                                        StringRef outputPath) {
  initializeCodeGen();
  if (failed(checkDumpDir(module, options.dumpDir)))
    return failure();
  if ((!options.targets.empty() || !options.targetFile.empty()) &&
      failed(attachTargets(module, options.targets, options.targetFile)))
    return failure();
  FailureOr<SmallVector<ProgramTarget>> programs =
      planPrograms(module, options);
  if (failed(programs) || failed(checkProgram(module)))
    return failure();
  std::vector<std::string> others;
  for (const ProgramTarget &program : ArrayRef(*programs).drop_front())
    others.push_back(program.getName());
  ProgramCode first;
  std::vector<ObjectCode> artifacts;
  for (const ProgramTarget &program : *programs) {
    bool isFirst = &program == programs->begin();
    CompileOptions own = optionsOf(options, program, isFirst);
    if (failed(checkDumpDir(module, own.dumpDir)))
      return failure();
    if (options.explain && !others.empty())
      *options.explain << "program for " << program.getName()
                       << (program.portable
                               ? ", for GPUs that no target names:\n"
                               : ":\n");
    OwningOpRef<ModuleOp> copy = module.clone();
    ProgramCode code;
    if (failed(compileProgram(*copy, own, program,
                              isFirst ? others : std::vector<std::string>(),
                              outputPath, code))) {
      if (!others.empty())
        module.emitError() << "there is no program for " << program.getName()
                           << (program.portable
                                   ? ", which --no-portable does without"
                                   : "");
      return failure();
    }
    if (isFirst)
      first = std::move(code);
    else if (failed(link(module, code, artifacts.emplace_back())))
      return failure();
  }
  if (options.emitKernels)
    return success();
  if (!artifacts.empty() &&
      failed(embedArtifacts(module, first.target, artifacts,
                            first.objects.emplace_back())))
    return failure();
  return link(module, first, outputPath);
}
