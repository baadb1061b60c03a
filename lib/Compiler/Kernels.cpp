//===- Kernels.cpp - Kernel modules to object code -*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include "ObjectCache.h"

#include "vortex/Conversion/CallContext.h"
#include "vortex/Conversion/ChoiceFunctions.h"
#include "vortex/Conversion/Passes.h"
#include "vortex/Dialect/Vortex/IR/VortexDialect.h"
#include "vortex/Dialect/Vortex/Transforms/SharedCode.h"
#include "vortex/HwDesc/Targets.h"
#include "vortex/Pipelines/LowerToLLVM.h"
#include "vortex/Runtime/Tooling/ReplaceFile.h"

#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/ObjCopy/ConfigManager.h"
#include "llvm/ObjCopy/ObjCopy.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/StringSaver.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Support/xxhash.h"

#include <map>

using namespace mlir;
using namespace vortex;

/// What all kernels are called in the cache: a layer has the same code in every
/// model.
static constexpr llvm::StringLiteral kAnyKernel = "vortex.kernel";

void vortex::dumpStage(const CompileOptions &options, StringRef name,
                       ModuleOp module, StringRef text) {
  if (options.dumpDir.empty())
    return;
  // Functions, and so kernels, may be called anything; each has its own file.
  std::string file;
  for (char c : name)
    file += c == '/' ? "%2F" : c == '%' ? "%25" : std::string(1, c);
  SmallString<128> path(options.dumpDir);
  llvm::sys::path::append(path, file);
  std::string why = runtime::writeText(path.str().str(), text);
  if (!why.empty())
    module.emitWarning(why);
}

void vortex::dumpStage(const CompileOptions &options, StringRef name,
                       ModuleOp module) {
  if (options.dumpDir.empty())
    return;
  std::string text;
  llvm::raw_string_ostream stream(text);
  OpPrintingFlags flags;
  flags.elideLargeElementsAttrs(64).elideLargeResourceString(64);
  module.print(stream, flags);
  dumpStage(options, name, module, text);
}

/// Measured numbers are for costs; code must not depend on them: what it reads
/// of them is in the artifact's table.
static void forgetDefaults(ModuleOp module) {
  module.walk([](MachineParamOp op) {
    op.setDefaultValueAttr(Builder(op).getF64FloatAttr(0.0));
  });
}

FailureOr<std::vector<KernelModule>> vortex::extractKernels(ModuleOp program) {
  std::vector<KernelModule> kernels;
  for (ModuleOp nested : llvm::to_vector(program.getOps<ModuleOp>())) {
    if (!nested->hasAttr(kKernelModuleAttr))
      continue;
    auto functions = llvm::to_vector(nested.getOps<func::FuncOp>());
    auto visible = llvm::make_filter_range(
        functions, [](func::FuncOp f) { return f.isPublic(); });
    if (!llvm::hasSingleElement(visible))
      return nested.emitError(
          "a kernel module must hold one public function, its kernel");
    forgetDefaults(nested);
    SmallVector<Attribute> targets;
    for (HwAttr target : getTargets(nested))
      targets.push_back(withoutMeasurements(target));
    if (!targets.empty())
      nested->setAttr(kTargetsAttr,
                      ArrayAttr::get(nested.getContext(), targets));
    nested->remove();
    KernelModule &kernel = kernels.emplace_back();
    kernel.name = (*visible.begin()).getSymName().str();
    kernel.module = nested;
    // Who uses the code is no part of what it is compiled from.
    kernel.general = bool(nested->removeAttr(kGeneralAttr));
    if (auto names =
            dyn_cast_or_null<ArrayAttr>(nested->removeAttr(kImplementsAttr)))
      for (auto name : names.getAsRange<StringAttr>())
        kernel.implements.push_back(name.str());
  }
  return kernels;
}

static std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  return text;
}

FailureOr<std::vector<KernelModule>> vortex::extractChoices(ModuleOp program) {
  std::vector<KernelModule> choices;
  SymbolTable symbols(program);
  for (auto function : llvm::to_vector(program.getOps<func::FuncOp>())) {
    if (function.isExternal() || !function->hasAttr(kChoiceAttr))
      continue;
    KernelModule &choice = choices.emplace_back();
    choice.choice = true;
    choice.module = ModuleOp::create(function.getLoc());
    func::FuncOp body = function.clone();
    choice.module->push_back(body);
    body.setPublic();
    body.setSymName("vortex.choice");
    forgetDefaults(*choice.module);
    // The same code has the same name in every program.
    llvm::XXH128_hash_t hash =
        llvm::xxh3_128bits(llvm::arrayRefFromStringRef(print(*choice.module)));
    choice.name = "vortex.choice." + llvm::utohexstr(hash.high64) + "." +
                  llvm::utohexstr(hash.low64);
    body.setSymName(choice.name);
    function.eraseBody();
    if (failed(symbols.rename(function, choice.name)))
      return function.emitError()
             << "a function of the program is called '" << choice.name << "'";
  }
  return choices;
}

LogicalResult vortex::generateObject(
    ModuleOp module, StringRef name, const CompileOptions &options,
    const CodeTarget &target, const CodeGenOptions &codeGen,
    TimingScope &timing,
    llvm::function_ref<bool(llvm::Module &, std::string &)> prepare,
    ObjectCode &object, unsigned *spills) {
  TimingScope translating = timing.nest("translate");
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> translated =
      translateModuleToLLVMIR(module, context, name);
  translating.stop();
  if (!translated)
    return module.emitError() << name << ": translation to LLVM failed";
  TimingScope optimizing = timing.nest("optimize");
  std::string error;
  std::unique_ptr<llvm::TargetMachine> machine =
      createTargetMachine(target, codeGen, error);
  if (!machine)
    return module.emitError() << error;
  translated->setDataLayout(machine->createDataLayout());
  if (!prepare(*translated, error))
    return module.emitError() << error;
  setTarget(*translated, target, *machine);
  optimize(*translated, *machine, codeGen);
  optimizing.stop();
  if (!options.dumpDir.empty()) {
    std::string text;
    llvm::raw_string_ostream(text) << *translated;
    dumpStage(options, (name + ".ll").str(), module, text);
    llvm::SmallString<0> assembly;
    // Emission changes the module: the dump works on a copy of its own, in
    // which the users of a value have the same order, on which code depends.
    llvm::SmallString<0> bitcode;
    llvm::raw_svector_ostream written(bitcode);
    llvm::WriteBitcodeToFile(*translated, written,
                             /*ShouldPreserveUseListOrder=*/true);
    std::unique_ptr<llvm::Module> copy = llvm::cantFail(llvm::parseBitcodeFile(
        llvm::MemoryBufferRef(bitcode, translated->getName()), context));
    if (emit(*copy, *machine, codeGen, llvm::CodeGenFileType::AssemblyFile,
             assembly, error))
      dumpStage(options, (name + ".s").str(), module, assembly.str());
  }
  TimingScope emitting = timing.nest("emit");
  if (!emit(*translated, *machine, codeGen, llvm::CodeGenFileType::ObjectFile,
            object, error, spills))
    return module.emitError() << error;
  return success();
}

static bool hasMath(ModuleOp module) {
  return module
      .walk([](Operation *op) {
        return isa_and_nonnull<math::MathDialect, complex::ComplexDialect>(
                   op->getDialect())
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Lowers and compiles one kernel.
static LogicalResult compileKernel(KernelModule &kernel,
                                   const CompileOptions &options,
                                   const CodeTarget &target,
                                   const CodeGenOptions &codeGen,
                                   ObjectCode &object, unsigned &spills) {
  ModuleOp module = *kernel.module;
  auto function = module.lookupSymbol<func::FuncOp>(kernel.name);
  Builder b(module.getContext());
  // Bufferization keeps what a kernel reads and what it writes apart.
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
    if (isa<MemRefType>(type))
      function.setArgAttr(i, kNoAliasAttr, b.getUnitAttr());
  // Verified at the end of a pipeline, not behind each of its passes: that is a
  // tenth of the time that a kernel takes.
  TimingScope timing =
      options.time(kernel.choice ? "choices' code" : "kernels' code");
  PassManager pm(module.getContext());
  pm.enableTiming(timing);
  pm.enableVerifier(false);
  if (kernel.choice)
    pm.addPass(createAddContext());
  else if (options.hooks.buildKernelPipeline)
    options.hooks.buildKernelPipeline(pm);
  buildLoopsPipeline(pm);
  if (failed(pm.run(module)) || failed(verify(module)))
    return failure();
  std::string name = (kernel.choice ? "" : "kernel-") + kernel.name;
  dumpStage(options, name + ".loops.mlir", module);
  PassManager lower(module.getContext());
  lower.enableTiming(timing);
  lower.enableVerifier(false);
  buildLLVMPipeline(lower, hasMath(module), /*unroll=*/false);
  if (failed(lower.run(module)) || failed(verify(module)))
    return failure();
  auto prepare = [&](llvm::Module &llvmModule, std::string &error) {
    llvmModule.setSourceFileName(kernel.name);
    for (llvm::Function &f : llvmModule) {
      if (f.isDeclaration())
        continue;
      if (f.getName() == kernel.name)
        f.setVisibility(llvm::GlobalValue::HiddenVisibility);
      else
        f.setLinkage(llvm::GlobalValue::InternalLinkage);
    }
    for (llvm::GlobalVariable &g : llvmModule.globals())
      if (!g.isDeclaration())
        g.setLinkage(llvm::GlobalValue::PrivateLinkage);
    return true;
  };
  if (failed(generateObject(module, name, options, target, codeGen, timing,
                            prepare, object,
                            kernel.choice ? nullptr : &spills)))
    return failure();
  if (!spills)
    return success();
  // Neither setting of the scheduler suits all code.
  CodeGenOptions other = codeGen;
  other.scheduler = !codeGen.scheduler;
  ObjectCode otherObject;
  unsigned otherSpills = 0;
  if (failed(generateObject(module, name, options, target, other, timing,
                            prepare, otherObject, &otherSpills)))
    return failure();
  if (otherSpills < spills) {
    object = std::move(otherObject);
    spills = otherSpills;
  } else if (!options.dumpDir.empty()) {
    // The dump shows the code that is used.
    ObjectCode again;
    return generateObject(module, name, options, target, codeGen, timing,
                          prepare, again);
  }
  return success();
}

void vortex::loadDialects(PassManager &pm) {
  MLIRContext *context = pm.getContext();
  DialectRegistry registry;
  pm.getDependentDialects(registry);
  context->appendDialectRegistry(registry);
  for (StringRef name : registry.getDialectNames())
    context->getOrLoadDialect(name);
}

/// The text of a kernel's module, whatever the program calls the kernel.
static std::string printAnonymous(KernelModule &kernel) {
  ModuleOp module = *kernel.module;
  if (kernel.choice) // whose name is what it computes
    return print(module);
  StringAttr moduleName = module.getSymNameAttr();
  auto function = module.lookupSymbol<func::FuncOp>(kernel.name);
  SmallVector<std::pair<KernelOp, StringRef>> named;
  module.walk([&](KernelOp op) { named.push_back({op, op.getName()}); });
  module.setSymName(kAnyKernel);
  function.setSymName(kAnyKernel);
  for (auto [op, name] : named)
    op.setName(kAnyKernel);
  std::string text = print(module);
  for (auto [op, name] : named)
    op.setName(name);
  function.setSymName(kernel.name);
  module.setSymNameAttr(moduleName);
  return text;
}

/// Calls the symbol `from`, and those of its cases, by the name `to`.
static llvm::Error renameKernel(ObjectCode &object, StringRef from,
                                StringRef to) {
  llvm::MemoryBufferRef buffer(StringRef(object.data(), object.size()), to);
  auto file = llvm::object::ObjectFile::createObjectFile(buffer);
  if (!file)
    return file.takeError();
  llvm::objcopy::ConfigManager config;
  llvm::BumpPtrAllocator memory;
  llvm::StringSaver names(memory);
  for (const llvm::object::SymbolRef &symbol : (*file)->symbols()) {
    llvm::Expected<StringRef> name = symbol.getName();
    if (!name)
      return name.takeError();
    StringRef rest = *name;
    if (rest.consume_front(from) && (rest.empty() || rest.starts_with(".")))
      config.Common.SymbolsToRename.try_emplace(*name,
                                                names.save(Twine(to) + rest));
  }
  ObjectCode renamed;
  llvm::raw_svector_ostream stream(renamed);
  if (llvm::Error error =
          llvm::objcopy::executeObjcopyOnBinary(config, **file, stream))
    return error;
  object = std::move(renamed);
  return llvm::Error::success();
}

/// Loads what the pipelines of kernels and of what is around them need.
static void loadKernelDialects(MLIRContext *context,
                               const CompileHooks &hooks) {
  PassManager pm(context);
  if (hooks.buildKernelPipeline)
    hooks.buildKernelPipeline(pm);
  buildBufferizePipeline(pm);
  buildLoopsPipeline(pm);
  buildLLVMPipeline(pm);
  loadDialects(pm);
}

/// The order in which kernels are begun: the one with the most ops first, so
/// that no long one is left to run alone at the end.
static SmallVector<size_t> getLargestFirst(ArrayRef<KernelModule> kernels) {
  SmallVector<size_t> sizes;
  for (const KernelModule &kernel : kernels) {
    size_t &ops = sizes.emplace_back(0);
    ModuleOp(*kernel.module).walk([&](Operation *) { ++ops; });
  }
  auto order = llvm::to_vector(llvm::seq<size_t>(kernels.size()));
  llvm::stable_sort(order,
                    [&](size_t a, size_t b) { return sizes[a] > sizes[b]; });
  return order;
}

LogicalResult vortex::compileKernels(MutableArrayRef<KernelModule> kernels,
                                     const CompileOptions &options,
                                     const CodeTarget &target,
                                     ObjectCache &cache, ObjectTable &known,
                                     SpillTable &spills, OwnCode &own,
                                     std::vector<ObjectCode> &objects,
                                     BesideKernels beside) {
  objects.resize(kernels.size());
  std::vector<char> failures(kernels.size(), 0);
  std::vector<unsigned> counts(kernels.size(), 0);
  std::vector<std::string> keys(kernels.size());
  std::vector<ObjectCode> anonymous(kernels.size());
  if (!kernels.empty())
    loadKernelDialects(kernels.front().module->getContext(), options.hooks);
  llvm::DefaultThreadPool pool(options.threads
                                   ? llvm::hardware_concurrency(options.threads)
                                   : llvm::hardware_concurrency());
  LogicalResult around = success();
  if (beside)
    pool.async([&] { around = beside(); });
  for (size_t i : getLargestFirst(kernels))
    pool.async([&, i] {
      KernelModule &kernel = kernels[i];
      CodeGenOptions codeGen;
      codeGen.kernel = !kernel.choice;
      codeGen.level = kernel.choice ? 2 : 3;
      if (auto scheduler =
              (*kernel.module)->getAttrOfType<BoolAttr>(kSchedulerAttr))
        codeGen.scheduler = scheduler.getValue();
      auto rename = [&](ObjectCode &object, StringRef from, StringRef to) {
        if (kernel.choice)
          return true;
        llvm::Error error = renameKernel(object, from, to);
        if (!error)
          return true;
        kernel.module->emitError() << "object code of '" << kernel.name
                                   << "': " << llvm::toString(std::move(error));
        failures[i] = 1;
        return false;
      };
      keys[i] = ObjectCache::getKey(printAnonymous(kernel), target, codeGen);
      if (auto it = known.find(keys[i]); it != known.end())
        anonymous[i] = it->second;
      // A dump shows the stages of every kernel, so it compiles them all.
      else if (!options.dumpDir.empty() ||
               !cache.lookup(keys[i], anonymous[i], counts[i])) {
        if (failed(compileKernel(kernel, options, target, codeGen, anonymous[i],
                                 counts[i]))) {
          failures[i] = 1;
          return;
        }
        if (!rename(anonymous[i], kernel.name, kAnyKernel))
          return;
        cache.store(keys[i], anonymous[i], counts[i]);
      }
      objects[i] = anonymous[i];
      rename(objects[i], kAnyKernel, kernel.name);
    });
  pool.wait();
  for (auto [i, kernel] : llvm::enumerate(kernels)) {
    known[keys[i]] = std::move(anonymous[i]);
    if (!counts[i])
      continue;
    for (const std::string &name : kernel.implements)
      if (kernel.general)
        own.insert(name);
      else
        spills[name] = counts[i];
  }
  return failure(failed(around) || llvm::is_contained(failures, 1));
}
