//===- DeviceCode.cpp - Kernels to code of a GPU --------------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceCode.h"

#include "ObjectCache.h"

#include "vortex/Conversion/CallContext.h"
#include "vortex/Conversion/VortexToGPU/Passes.h"
#include "vortex/HwDesc/Targets.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVAttributes.h"
#include "mlir/Dialect/SPIRV/IR/TargetAndABI.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Support/Threading.h"
#include "llvm/TargetParser/Triple.h"

#include <deque>

using namespace mlir;
using namespace vortex;

HwAttr vortex::getDeviceTarget(ModuleOp module) {
  SmallVector<HwAttr> targets = getTargets(module);
  return !targets.empty() && targets.front().isGPU() ? targets.front()
                                                     : HwAttr();
}

static bool isForAMD(HwAttr target) {
  return llvm::Triple(target.getTriple()).isAMDGCN();
}

static bool isForVulkan(HwAttr target) {
  return llvm::Triple(target.getTriple()).isSPIRV();
}

bool vortex::isForNVIDIA(HwAttr target) {
  return !isForAMD(target) && !isForVulkan(target);
}

StringRef vortex::getCodeSuffix(HwAttr target) {
  return isForAMD(target) ? ".s" : isForVulkan(target) ? ".spv" : ".ptx";
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

DeviceCompiler::DeviceCompiler(HwAttr target, const CompileOptions &options,
                               ObjectCache &cache)
    : target(target), options(options), cache(cache),
      ptxas(target && isForNVIDIA(target) ? findPtxas(options.ptxas) : "") {}

//===----------------------------------------------------------------------===//
// The cache
//===----------------------------------------------------------------------===//

/// Everything that code made of `ir` depends on: of the assembler its file.
std::string DeviceCompiler::getKey(StringRef ir) const {
  std::string text = "device code\n" + ptxas + "\n";
  llvm::raw_string_ostream stream(text);
  llvm::sys::fs::file_status status;
  if (!ptxas.empty() && !llvm::sys::fs::status(ptxas, status))
    stream << status.getSize() << "@"
           << status.getLastModificationTime().time_since_epoch().count()
           << "\n";
  stream << ir;
  CodeTarget code;
  code.triple = target.getTriple().str();
  code.cpu = target.getCpu().str();
  code.features = target.getFeatures().str();
  return ObjectCache::getKey(text, code, CodeGenOptions());
}

/// The function's name, its boxes, the numbers of a launch and the PTX, a line
/// each or with their lengths; the binary is what is left.
void DeviceCompiler::store(const Attempt &attempt) {
  if (attempt.key.empty() || !attempt.reason.empty())
    return;
  const KernelCode &code = attempt.code;
  ObjectCode bytes;
  llvm::raw_svector_ostream stream(bytes);
  stream << code.function << "\n"
         << attempt.boxes << "\n"
         << code.threads << " " << code.sharedBytes << " " << code.parameters
         << " " << code.ptx.size() << " " << code.queue << " " << code.cluster;
  for (int64_t tile : code.tile)
    stream << " " << tile;
  stream << "\n" << code.ptx << code.cubin;
  cache.store(attempt.key, bytes, attempt.spills);
}

bool DeviceCompiler::load(Attempt &attempt) const {
  ObjectCode bytes;
  if (!cache.lookup(attempt.key, bytes, attempt.spills))
    return false;
  KernelCode &code = attempt.code;
  StringRef line, rest(bytes.data(), bytes.size());
  std::tie(line, rest) = rest.split('\n');
  code.function = line.str();
  std::tie(line, rest) = rest.split('\n');
  attempt.boxes = line.str();
  std::tie(line, rest) = rest.split('\n');
  SmallVector<StringRef> words;
  line.split(words, ' ');
  SmallVector<int64_t> numbers;
  for (StringRef word : words)
    if (word.getAsInteger(10, numbers.emplace_back()))
      return false;
  if (numbers.size() < 7 || numbers[3] < 0 ||
      static_cast<size_t>(numbers[3]) > rest.size())
    return false;
  code.threads = numbers[0];
  code.sharedBytes = numbers[1];
  code.parameters = numbers[2];
  code.queue = numbers[4];
  code.cluster = numbers[5];
  code.tile.assign(numbers.begin() + 6, numbers.end());
  code.ptx = rest.take_front(numbers[3]).str();
  code.cubin = rest.drop_front(numbers[3]).str();
  return true;
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

/// How the run time launches `function`.
static KernelCode readFunction(LLVM::LLVMFuncOp function, StringRef name) {
  KernelCode code;
  code.name = name;
  code.function = function.getName().str();
  code.parameters = function.getNumArguments();
  const StringRef bounds[] = {
      NVVM::NVVMDialect::getReqntidAttrName(),
      ROCDL::ROCDLDialect::getReqdWorkGroupSizeAttrName()};
  for (StringRef name : bounds)
    if (auto threads = function->getAttrOfType<DenseI32ArrayAttr>(name))
      code.threads = threads[0];
  if (auto bounds = function->getAttrOfType<spirv::EntryPointABIAttr>(
          spirv::getEntryPointABIAttrName()))
    code.threads = bounds.getWorkgroupSize()[0];
  if (auto bytes = function->getAttrOfType<IntegerAttr>("vortex.shared_bytes"))
    code.sharedBytes = bytes.getInt();
  if (auto queue = function->getAttrOfType<IntegerAttr>(kQueueAttr))
    code.queue = queue.getInt();
  if (auto cluster = function->getAttrOfType<DenseI32ArrayAttr>(
          NVVM::NVVMDialect::getClusterDimAttrName()))
    code.cluster = cluster[0];
  if (auto tile = function->getAttrOfType<DenseI64ArrayAttr>("vortex.tile"))
    code.tile = tile.asArrayRef().vec();
  return code;
}

/// Text ends with a zero; of words, each counts.
static std::string readCode(gpu::BinaryOp binary, bool isText) {
  std::string ptx;
  for (auto object : binary.getObjects().getAsRange<gpu::ObjectAttr>())
    ptx = object.getObject().getValue().str();
  if (!isText)
    return ptx;
  ptx.erase(ptx.find_last_not_of('\0') + 1);
  return ptx;
}

/// What LLVM's metadata of a kernel of AMD say behind `.key:`.
static int64_t readMetadata(StringRef text, StringRef key) {
  auto [before, behind] = text.split(("." + key + ":").str());
  int64_t number = 0;
  if (behind.ltrim().consumeInteger(10, number))
    return 0;
  return number;
}

/// What a compute unit does not hold is no code, what goes to memory spills.
void DeviceCompiler::readMetadata(Attempt &attempt) {
  StringRef text = attempt.code.ptx;
  int64_t shared = ::readMetadata(text, "group_segment_fixed_size");
  HwLevelAttr memory = target.getLevel("smem");
  if (memory && shared > memory.getCapacity())
    attempt.reason = "it needs " + std::to_string(shared) +
                     " bytes of LDS, of which there are " +
                     std::to_string(memory.getCapacity());
  attempt.spills = ::readMetadata(text, "private_segment_fixed_size") +
                   ::readMetadata(text, "vgpr_spill_count");
}

void DeviceCompiler::buildConversion(OpPassManager &pm) const {
  pm.addPass(isForAMD(target)      ? createConvertToROCDL()
             : isForVulkan(target) ? createConvertToSPIRV()
                                   : createConvertToNVVM());
}

void DeviceCompiler::buildLowering(OpPassManager &pm) const {
  (isForVulkan(target) ? buildShaderPipeline : buildDeviceCodePipeline)(pm);
}

/// Makes PTX of the kernel's candidate; says why when that cannot be.
std::string DeviceCompiler::emit(KernelModule &kernel, Attempt &attempt) {
  KernelCode &code = attempt.code;
  ModuleOp module = *kernel.module;
  std::string said;
  // What is said here is a remark at most: another candidate may do. All
  // threads hear what one says.
  ScopedDiagnosticHandler handler(
      module.getContext(),
      [&, here = llvm::get_threadid()](Diagnostic &diagnostic) {
        if (llvm::get_threadid() != here)
          return failure();
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
  buildConversion(convert);
  if (failed(convert.run(module)))
    return why("it cannot be converted");
  SymbolRefAttr symbol;
  size_t axes = 0;
  module.walk([&](KernelOp op) {
    symbol = op->getAttrOfType<SymbolRefAttr>("vortex.device_kernel");
    axes = op.getAxes().size();
    if (Attribute boxes = op->getAttr(kBoxesAttr))
      llvm::raw_string_ostream(attempt.boxes) << boxes;
  });
  if (!symbol)
    return why("nothing emits it");
  code = readFunction(
      cast<LLVM::LLVMFuncOp>(SymbolTable::lookupSymbolIn(module, symbol)),
      kernel.name);
  if (code.threads < 1 || code.tile.size() != axes)
    return "its device function does not say its threads and tile";
  PassManager lower(module.getContext());
  buildLowering(lower);
  if (failed(lower.run(module)))
    return why("it cannot be lowered to code of the device");
  for (auto binary : module.getOps<gpu::BinaryOp>())
    code.ptx = readCode(binary, !isForVulkan(target));
  return code.ptx.empty() ? why("it gave no code of the device") : "";
}

/// Assembles the PTX where there is ptxas; finds spills.
void DeviceCompiler::assemble(Attempt &attempt) {
  if (attempt.reason.empty() && isForAMD(target))
    readMetadata(attempt);
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

void DeviceCompiler::run(size_t count, function_ref<void(size_t)> work) {
  llvm::DefaultThreadPool pool(options.threads
                                   ? llvm::hardware_concurrency(options.threads)
                                   : llvm::hardware_concurrency());
  for (size_t i = 0; i < count; ++i)
    pool.async([work, i] { work(i); });
  pool.wait();
}

LogicalResult
DeviceCompiler::compileLoops(ModuleOp program,
                             std::vector<vortex::KernelCode> &code) {
  std::deque<Attempt> attempts;
  std::vector<Attempt *> work;
  for (auto module : llvm::to_vector(program.getOps<gpu::GPUModuleOp>())) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    module.print(stream);
    Attempt &attempt = attempts.emplace_back();
    attempt.key = getKey(text);
    for (auto function : module.getOps<LLVM::LLVMFuncOp>())
      attempt.code = readFunction(function, function.getSymName());
    if (load(attempt))
      module.erase();
    else
      work.push_back(&attempt);
  }
  if (attempts.empty())
    return success();
  PassManager lower(program.getContext());
  buildDeviceCodePipeline(lower);
  if (failed(lower.run(program)))
    return failure();
  auto binaries = llvm::to_vector(program.getOps<gpu::BinaryOp>());
  for (auto [attempt, binary] : llvm::zip(work, binaries)) {
    attempt->code.ptx = readCode(binary, /*isText=*/true);
    binary.erase();
  }
  program->removeAttr(gpu::GPUDialect::getContainerModuleAttrName());
  run(work.size(), [&](size_t i) {
    assemble(*work[i]);
    store(*work[i]);
  });
  for (Attempt &attempt : attempts)
    dumpStage(options, attempt.code.name + ".ptx", program, attempt.code.ptx);
  for (Attempt &attempt : attempts) {
    if (!attempt.reason.empty())
      return program.emitError()
             << "'" << attempt.code.name << "' has no device code for "
             << target.getIsa() << ": " << attempt.reason;
    code.push_back(std::move(attempt.code));
  }
  return success();
}

LogicalResult DeviceCompiler::compile(MutableArrayRef<KernelModule> kernels,
                                      MissingTable &missing, SpillTable &spills,
                                      std::vector<KernelCode> &code) {
  TimingScope timing = options.time("kernels' device code");
  std::vector<Attempt *> attempts;
  struct Work {
    KernelModule *kernel;
    Attempt *attempt;
    size_t length;
  };
  std::vector<Work> work;
  size_t before = missing.size();
  for (KernelModule &kernel : kernels) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    kernel.module->print(stream);
    auto [it, added] = known.try_emplace(text);
    Attempt &attempt = it->second;
    attempts.push_back(&attempt);
    if (!added)
      continue;
    attempt.key = getKey(text);
    attempt.code.name = kernel.name;
    work.push_back({&kernel, &attempt, text.size()});
  }
  // No long one is left to run alone at the end.
  llvm::stable_sort(
      work, [](const Work &a, const Work &b) { return a.length > b.length; });
  if (!work.empty()) {
    PassManager emitting(kernels.front().module->getContext());
    buildConversion(emitting);
    buildLowering(emitting);
    loadDialects(emitting);
  }
  run(work.size(), [&](size_t i) {
    Attempt &attempt = *work[i].attempt;
    if (load(attempt))
      return;
    attempt.reason = emit(*work[i].kernel, attempt);
    assemble(attempt);
    store(attempt);
  });
  // What launches it needs to know that there is code, and which operands it
  // takes in boxes.
  for (auto [kernel, made] : llvm::zip(kernels, attempts)) {
    const Attempt &attempt = *made;
    kernel.module->walk([&](KernelOp op) {
      if (!attempt.boxes.empty())
        op->setAttr(kBoxesAttr, parseAttribute(attempt.boxes, op.getContext()));
      op->setAttr(
          "vortex.device_kernel",
          FlatSymbolRefAttr::get(op.getContext(), attempt.code.function));
    });
  }
  for (auto [kernel, attempt] : llvm::zip(kernels, attempts)) {
    for (const std::string &name : kernel.implements) {
      if (!attempt->reason.empty())
        missing[name] = attempt->reason;
      else if (attempt->spills)
        spills[name] = attempt->spills;
    }
    if (attempt->reason.empty())
      dumpStage(options, kernel.name + getCodeSuffix(target).str(),
                *kernel.module, attempt->code.ptx);
  }
  if (missing.size() != before)
    return success(); // planned again without them
  for (auto [kernel, attempt] : llvm::zip(kernels, attempts)) {
    ModuleOp module = *kernel.module;
    module->setAttr(kIndexAttr,
                    IntegerAttr::get(IntegerType::get(module.getContext(), 64),
                                     int64_t(code.size())));
    code.push_back(attempt->code);
    code.back().name = kernel.name;
    code.back().candidates = kernel.implements;
    PassManager pm(module.getContext());
    pm.addPass(createLowerLaunches());
    if (failed(pm.run(module)))
      return failure();
  }
  return success();
}
