//===- Programs.cpp - The programs of an artifact -------------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Programs.h"

#include "CodeGen.h"
#include "KernelFiles.h"

#include "vortex-c/Artifact.h"
#include "vortex/HwDesc/Targets.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace mlir;
using namespace vortex;

std::string ProgramTarget::getName() const {
  return target ? (target.getIsa() + "/" + target.getChip()).str() : "host";
}

HwAttr vortex::getPortableTarget(HwAttr target) {
  StringRef cpu = target.getCpu();
  if (!target.isGPU() || !isForNVIDIA(target) || !cpu.starts_with("sm_") ||
      cpu.size() < 5 || !llvm::isAlpha(cpu.back()))
    return {};
  std::string plain = cpu.drop_back().str();
  SmallVector<HwInstructionAttr> kept;
  for (HwInstructionAttr instruction : target.getInstructions())
    if (instruction.getKind() != "wgmma") // sm_90a and nothing else has it
      kept.push_back(instruction);
  return HwAttr::get(target.getContext(), plain, target.getChip(),
                     target.getTriple(), plain, target.getFeatures(),
                     target.getLevels(), kept);
}

FailureOr<SmallVector<ProgramTarget>>
vortex::planPrograms(ModuleOp module, const CompileOptions &options) {
  SmallVector<ProgramTarget> programs;
  HwAttr portable;
  bool runsLater = false;
  for (HwAttr target : getTargets(module)) {
    auto same = llvm::find_if(programs, [&](const ProgramTarget &other) {
      return other.target == target ||
             (target.isGPU() && other.target.getIsa() == target.getIsa());
    });
    if (same != programs.end() && same->target == target)
      continue;
    // The driver has the numbers of the chip: two descriptions of one
    // architecture are no reason to take one program or the other.
    if (same != programs.end())
      return module.emitError()
             << "targets " << same->getName() << " and "
             << ProgramTarget{target}.getName()
             << ": an artifact has one program for " << target.getIsa();
    if (failed(
            checkOutput(module, target.isGPU() ? target : HwAttr(), options)))
      return failure();
    programs.push_back({target});
    HwAttr plain = getPortableTarget(target);
    if (!portable)
      portable = plain;
    runsLater |= target.isGPU() && isForNVIDIA(target) && !plain;
  }
  if (programs.size() > 1 && options.emitKernels) {
    InFlightDiagnostic error = module.emitError();
    error << "--emit=kernels writes the kernels of one target; there are ";
    llvm::interleaveComma(programs, error, [&](const ProgramTarget &program) {
      error << program.getName();
    });
    return error;
  }
  if (programs.empty()) {
    if (failed(checkOutput(module, {}, options)))
      return failure();
    programs.push_back({});
  }
  if (portable && !runsLater && options.portable && !options.emitKernels)
    programs.push_back({portable, /*portable=*/true});
  return programs;
}

LogicalResult vortex::embedArtifacts(ModuleOp module, const CodeTarget &target,
                                     ArrayRef<ObjectCode> artifacts,
                                     ObjectCode &object) {
  llvm::LLVMContext context;
  llvm::Module holder("programs", context);
  for (auto [i, bytes] : llvm::enumerate(artifacts)) {
    llvm::Constant *value = llvm::ConstantDataArray::getString(
        context, StringRef(bytes.data(), bytes.size()), /*AddNull=*/false);
    auto *variable = new llvm::GlobalVariable(
        holder, value->getType(), /*isConstant=*/true,
        llvm::GlobalValue::PrivateLinkage, value, "vortex.program");
    variable->setSection((VORTEX_PROGRAM_SECTION + Twine(i + 1)).str());
    variable->setAlignment(llvm::Align(16));
    llvm::appendToUsed(holder, variable);
  }
  std::string error;
  auto machine = createTargetMachine(target, {}, error);
  if (!machine)
    return module.emitError() << error;
  setTarget(holder, target, *machine);
  if (!emit(holder, *machine, {}, llvm::CodeGenFileType::ObjectFile, object,
            error))
    return module.emitError() << error;
  return success();
}
