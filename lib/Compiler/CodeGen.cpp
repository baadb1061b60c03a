//===- CodeGen.cpp - LLVM modules to object code -*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CodeGen.h"

#include "OutlineCases.h"
#include "RepeatSteps.h"
#include "SpillCount.h"

#include "vortex/HwDesc/Targets.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Analysis/RuntimeLibcallInfo.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/CodeGen/CodeGenTargetMachineImpl.h"
#include "llvm/CodeGen/MachineModuleInfo.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/PassInfo.h"
#include "llvm/PassRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"

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

/// Features whose instructions code generation picks by itself or by an
/// intrinsic of a micro-kernel. The others (system instructions,
/// cryptography) do not bind an artifact to a machine.
static const StringSet<> &getCodeFeatures() {
  static const StringSet<> features = {
      "sse3",       "ssse3",       "sse4.1",       "sse4.2",
      "popcnt",     "cx16",        "avx",          "avx2",
      "fma",        "f16c",        "bmi",          "bmi2",
      "lzcnt",      "movbe",       "prfchw",       "adx",
      "avxvnni",    "avxvnniint8", "avxifma",      "avxneconvert",
      "avx512f",    "avx512bw",    "avx512cd",     "avx512dq",
      "avx512vl",   "avx512vnni",  "avx512bf16",   "avx512fp16",
      "avx512vbmi", "avx512vbmi2", "avx512bitalg", "avx512vpopcntdq",
      "avx512ifma", "gfni",        "amx-tile",     "amx-int8",
      "amx-bf16",   "amx-fp16"};
  return features;
}

std::string CodeTarget::getNeeded() const {
  SmallVector<StringRef> names;
  StringRef(features).split(names, ',', -1, /*KeepEmpty=*/false);
  std::string text;
  for (StringRef name : names) {
    name = name.trim();
    name.consume_front("+");
    if (!getCodeFeatures().contains(name))
      continue;
    text += ((text.empty() ? "" : ",") + name).str();
  }
  return text;
}

static std::string getTargetName(HwAttr target) {
  return (target.getIsa() + "/" + target.getChip()).str();
}

FailureOr<CodeTarget> vortex::getCodeTarget(mlir::ModuleOp module) {
  HwAttr found;
  if (SmallVector<HwAttr> targets = getTargets(module); !targets.empty()) {
    found = targets.front();
  } else {
    FailureOr<HwAttr> host =
        getHostTarget(module.getContext(), [&] { return module.emitError(); });
    if (failed(host))
      return failure();
    found = *host;
  }
  module->setAttr(kTargetsAttr,
                  mlir::ArrayAttr::get(module.getContext(), {found}));
  CodeTarget target;
  target.name = getTargetName(found);
  target.triple = found.getTriple().str();
  target.cpu = found.getCpu().str();
  SmallVector<StringRef> names;
  found.getFeatures().split(names, ',', -1, /*KeepEmpty=*/false);
  for (StringRef name : names) {
    name = name.trim();
    target.features += target.features.empty() ? "" : ",";
    target.features += (name.starts_with("+") || name.starts_with("-"))
                           ? name.str()
                           : ("+" + name).str();
  }
  return target;
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
      triple, target.cpu, target.features, TargetOptions(), Reloc::PIC_,
      std::nullopt, level));
  if (!machine)
    error = "LLVM has no code generator for " + target.triple;
  return machine;
}

void vortex::setTarget(Module &module, const CodeTarget &target,
                       TargetMachine &machine) {
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  module.setPICLevel(PICLevel::BigPIC);
  bool wide = StringRef(target.features).contains("+avx512");
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", target.cpu);
    function.addFnAttr("target-features", target.features);
    function.addFnAttr("no-trapping-math", "true");
    function.addFnAttr(Attribute::NoUnwind);
    if (wide)
      function.addFnAttr("prefer-vector-width", "512");
    // What keeps steps apart comes back, so that what follows it in a loop may
    // be moved out.
    for (Instruction &instruction : instructions(function))
      if (auto *call = dyn_cast<CallInst>(&instruction);
          call && call->isInlineAsm()) {
        call->addFnAttr(Attribute::WillReturn);
        call->addFnAttr(Attribute::NoUnwind);
      }
  }
}

/// The passes of -O3 that help a kernel, without those that move instructions
/// which its cases have in common out of them: a case's offsets are constants,
/// and sharing stores would pass them through memory in each tile. Nor does a
/// loop's invariant code leave a case (no speculation): in front of the loops
/// over tiles, it would be that of all cases, which takes longer than a small
/// product. Loops are unrolled where their annotation says so alone, and late:
/// what comes before has one step to look at. Steps of an unrolled loop then
/// differ in constants, which instructions have room for. What -O3 repeats, and
/// its passes for dead stores and for values that loops carry through memory,
/// are not here: they took an eighth of the time, and two in 550 kernels of
/// test/models had the same instructions in another order. Nor does it combine
/// instructions behind licm or tidy up (early-cse, simplifycfg) behind those
/// that change little, a tenth of the time: 17 of 97 kernels differ, none by
/// more than 4 instructions that are added. Nor does it combine them behind the
/// inliner or number values (gvn), another seventh: a thousandth more
/// instructions. Scalars side by side do become vectors (slp-vectorizer):
/// without that code is up to two percent shorter, but a tile that has as many
/// values as there are registers spills.
static constexpr StringLiteral kKernelPasses =
    "function(sroa,early-cse<memssa>,"
    "simplifycfg<no-hoist-common-insts;no-sink-common-insts>,instcombine<no-"
    "verify-fixpoint>),"
    "cgscc(inline),globaldce,"
    "function(sroa,early-cse<memssa>,"
    "simplifycfg<no-hoist-common-insts;no-sink-common-insts>,"
    "loop-mssa(loop-rotate,licm<no-allowspeculation>),"
    "simplifycfg<no-hoist-common-insts;no-sink-common-insts>,"
    "loop(indvars,loop-deletion),adce,"
    "loop-vectorize,slp-vectorizer,vector-combine,"
    "repeat-steps,instcombine<no-verify-fixpoint>,separate-const-offset-from-"
    "gep,slsr,"
    "early-cse,loop-mssa(licm<no-allowspeculation>),adce)";

static bool hasMatrixTiles(const Module &module) {
  return any_of(module, [](const Function &function) {
    return function.getName().starts_with("llvm.x86.tile") ||
           function.getName().starts_with("llvm.x86.tdp");
  });
}

/// Kernels of matrix tiles have no cases, but loops in loops whose invariant
/// code is to leave all of them.
static std::string getKernelPasses(bool matrixTiles) {
  std::string passes = kKernelPasses.str();
  const StringRef limit = "<no-allowspeculation>";
  size_t at;
  while (matrixTiles && (at = passes.find(limit)) != std::string::npos)
    passes.erase(at, limit.size());
  return passes;
}

/// The integer type of the bits of bf16, alone or in vectors; null for others.
static Type *getBits(Type *type) {
  if (!type->getScalarType()->isBFloatTy())
    return nullptr;
  return type->getWithNewType(Type::getInt16Ty(type->getContext()));
}

/// `value`, of bf16, as its bits. Values that go from block to block must not
/// have a type that the machine lacks, so casts are looked through.
static Value *asBits(IRBuilder<> &b, Value *value) {
  Type *bits = getBits(value->getType());
  auto *cast = dyn_cast<BitCastInst>(value);
  return cast && cast->getSrcTy() == bits ? cast->getOperand(0)
                                          : b.CreateBitCast(value, bits);
}

/// The same access of the bits; null when `call` is no masked access of bf16.
/// What a load gives is in the result.
static Value *moveMasked(IRBuilder<> &b, IntrinsicInst *call) {
  Intrinsic::ID id = call->getIntrinsicID();
  bool loads = id == Intrinsic::masked_load || id == Intrinsic::masked_gather;
  if (!loads && id != Intrinsic::masked_store &&
      id != Intrinsic::masked_scatter)
    return nullptr;
  // (pointers, mask, rest) -> values, or (values, pointers, mask).
  Value *moved = call->getArgOperand(loads ? 2 : 0);
  if (!getBits(moved->getType()))
    return nullptr;
  Value *bits = asBits(b, moved);
  Value *pointer = call->getArgOperand(loads ? 0 : 1);
  Value *mask = call->getArgOperand(loads ? 1 : 2);
  Align align = call->getParamAlign(loads ? 0 : 1).valueOrOne();
  switch (id) {
  case Intrinsic::masked_load:
    return b.CreateMaskedLoad(bits->getType(), pointer, align, mask, bits);
  case Intrinsic::masked_gather:
    return b.CreateMaskedGather(bits->getType(), pointer, align, mask, bits);
  case Intrinsic::masked_store:
    return b.CreateMaskedStore(bits, pointer, align, mask);
  default:
    return b.CreateMaskedScatter(bits, pointer, align, mask);
  }
}

/// The bits of what `phi` chooses among; null when that is not of bf16. Sets
/// where uses of the result may be.
static Value *movePhi(IRBuilder<> &b, PHINode *phi) {
  Type *bits = getBits(phi->getType());
  if (!bits)
    return nullptr;
  PHINode *moved = b.CreatePHI(bits, phi->getNumIncomingValues());
  for (auto [block, value] :
       llvm::zip_equal(phi->blocks(), phi->incoming_values())) {
    IRBuilder<> end(block->getTerminator());
    // An edge that is there twice has one value.
    int known = moved->getBasicBlockIndex(block);
    moved->addIncoming(known >= 0 ? moved->getIncomingValue(known)
                                  : asBits(end, value),
                       block);
  }
  b.SetInsertPoint(phi->getParent(), phi->getParent()->getFirstInsertionPt());
  return moved;
}

/// What moves bf16 moves the bits: without instructions for bf16 LLVM moves
/// floats, which it converts by a function of its compiler run time.
static void moveBits(Function &function) {
  for (Instruction &instruction :
       make_early_inc_range(instructions(function))) {
    IRBuilder<> b(&instruction);
    Value *moved = nullptr;
    if (auto *call = dyn_cast<IntrinsicInst>(&instruction)) {
      moved = moveMasked(b, call);
    } else if (auto *phi = dyn_cast<PHINode>(&instruction)) {
      moved = movePhi(b, phi);
    } else if (isa<ShuffleVectorInst, SelectInst, InsertElementInst,
                   ExtractElementInst, LoadInst, StoreInst>(instruction)) {
      Type *type = isa<StoreInst, ExtractElementInst>(instruction)
                       ? instruction.getOperand(0)->getType()
                       : instruction.getType();
      if (!getBits(type))
        continue;
      Instruction *copy = instruction.clone();
      for (Use &operand : copy->operands())
        if (getBits(operand->getType()))
          operand.set(asBits(b, operand));
      if (Type *bits = getBits(copy->getType()))
        copy->mutateType(bits);
      moved = b.Insert(copy);
    }
    if (!moved)
      continue;
    if (!instruction.getType()->isVoidTy())
      instruction.replaceAllUsesWith(
          b.CreateBitCast(moved, instruction.getType()));
    instruction.eraseFromParent();
  }
  // Uses that were of the bits, or of words of them, to begin with.
  for (Instruction &instruction :
       make_early_inc_range(instructions(function))) {
    auto *outer = dyn_cast<BitCastInst>(&instruction);
    auto *inner = outer ? dyn_cast<BitCastInst>(outer->getOperand(0)) : nullptr;
    if (!inner)
      continue;
    Value *bits = inner->getOperand(0);
    if (bits->getType() == outer->getType()) {
      outer->replaceAllUsesWith(bits);
      outer->eraseFromParent();
    } else {
      outer->setOperand(0, bits);
    }
    if (inner->use_empty())
      inner->eraseFromParent();
  }
}

void vortex::optimize(Module &module, TargetMachine &machine,
                      const CodeGenOptions &options) {
  PipelineTuningOptions tuning;
  tuning.LoopVectorization = true;
  tuning.SLPVectorization = options.level >= 2;
  tuning.LoopInterleaving = true;
  PassBuilder builder(&machine, tuning);
  builder.registerPipelineParsingCallback(
      [](StringRef name, FunctionPassManager &passes,
         ArrayRef<PassBuilder::PipelineElement>) {
        if (name != RepeatStepsPass::name())
          return false;
        passes.addPass(RepeatStepsPass());
        return true;
      });
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager graph;
  ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graph, modules);
  if (options.kernel) {
    ModulePassManager passes;
    bool matrixTiles = hasMatrixTiles(module);
    llvm::cantFail(
        builder.parsePassPipeline(passes, getKernelPasses(matrixTiles)));
    passes.run(module, modules);
    if (!matrixTiles)
      outlineCases(module);
  } else {
    OptimizationLevel level = options.level >= 3   ? OptimizationLevel::O3
                              : options.level == 2 ? OptimizationLevel::O2
                                                   : OptimizationLevel::O1;
    builder.buildPerModuleDefaultPipeline(level).run(module, modules);
  }
  for (Function &function : module)
    moveBits(function);
}

namespace {
/// LLVM's code generator without loop strength reduction where there are
/// registers of 512 bits. It keeps a pointer for each stream of a loop, of
/// which a tile has more than there are registers for addresses: rows of A and
/// B that steps have in common need one each, and constants do the rest.
/// Without it a tile of six rows has a third fewer accesses to the stack, a
/// call with little to do takes 0.99 of the time, and a fifth of emitting code
/// goes. With AVX2, whose tiles have fewer rows, products take 1 percent longer
/// without.
class CodePasses : public legacy::PassManager {
public:
  explicit CodePasses(const TargetMachine &machine)
      : wide(machine.getTargetFeatureString().contains("+avx512f")) {}
  void add(Pass *pass) override {
    const PassInfo *info =
        PassRegistry::getPassRegistry()->getPassInfo(pass->getPassID());
    if (wide && info && info->getPassArgument() == "loop-reduce")
      delete pass;
    else
      PassManager::add(pass);
  }

private:
  bool wide;
};
} // namespace

bool vortex::emit(Module &module, TargetMachine &machine,
                  const CodeGenOptions &options, CodeGenFileType kind,
                  SmallVectorImpl<char> &output, std::string &error,
                  unsigned *spills) {
  raw_svector_ostream stream(output);
  CodePasses pm(machine);
  auto &target = static_cast<CodeGenTargetMachineImpl &>(machine);
  auto *info = new MachineModuleInfoWrapperPass(&target);
  pm.add(new TargetLibraryInfoWrapperPass(machine.getTargetTriple()));
  // Without it LLVM believes that there is no memcpy and copies byte by byte.
  pm.add(new RuntimeLibraryInfoWrapper(machine.getTargetTriple()));
  // LLVM's own pipeline, built by hand: the scheduler's command-line switch is
  // global, a pass configuration belongs to this compilation alone, and spills
  // are counted on the code that is printed.
  TargetPassConfig *config = target.createPassConfig(pm);
  config->setDisableVerify(true);
  if (!options.scheduler)
    config->disablePass(&MachineSchedulerID);
  pm.add(config);
  pm.add(info);
  if (config->addISelPasses()) {
    error = "LLVM cannot select instructions for this target";
    return false;
  }
  config->addMachinePasses();
  config->setInitialized();
  if (spills)
    pm.add(createSpillCounter(*spills));
  if (target.addAsmPrinter(pm, stream, nullptr, kind,
                           info->getMMI().getContext())) {
    error = "LLVM cannot emit code for this target";
    return false;
  }
  pm.add(createFreeMachineFunctionPass());
  pm.run(module);
  return true;
}
