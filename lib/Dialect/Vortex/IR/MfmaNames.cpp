//===- MfmaNames.cpp - Names of AMD's matrix instructions -------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM ends the process where it has to select an instruction that a processor
// lacks, and has no table of which processor has which. Its assembler knows and
// says so in words: each name of an intrinsic is assembled for the processor.
//
//===----------------------------------------------------------------------===//

#include "MfmaNames.h"

#include "vortex/Dialect/Vortex/IR/MatrixForm.h"
#include "vortex/Dialect/Vortex/IR/WarpLanes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCObjectFileInfo.h"
#include "llvm/MC/MCParser/MCAsmParser.h"
#include "llvm/MC/MCParser/MCTargetAsmParser.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"

#include <mutex>

using namespace llvm;
using namespace vortex;

static constexpr StringRef kIntrinsics = "llvm.amdgcn.mfma.";
/// Blocks that one instruction multiplies, of which names say nothing.
static constexpr int64_t kBlocks[] = {1, 2, 4, 16};

std::optional<hw::MfmaName> hw::parseMfmaName(StringRef name) {
  static const Regex form("^mfma_(f32|f64|i32)_([0-9]+)x([0-9]+)x([0-9]+)_?"
                          "(xf32|f32|f64|f16|bf16|i8|fp8|bf8)"
                          "(_(fp8|bf8))?(_1k)?$");
  SmallVector<StringRef> parts;
  if (!form.match(name, &parts))
    return std::nullopt;
  StringRef right = parts[7].empty() ? parts[5] : parts[7];
  MfmaName parsed{parts[1].str(), parts[5].str(), right.str(), {}};
  for (int i = 0; i < 3; ++i)
    if (parts[2 + i].getAsInteger(10, parsed.shape[i]))
      return std::nullopt;
  return parsed;
}

namespace {
/// LLVM's assembler for one processor.
class Assembler {
public:
  Assembler(StringRef tripleName, StringRef cpu);
  /// False when LLVM has no such target or processor.
  bool isKnown() const { return subtarget != nullptr; }
  /// False when LLVM was built without the target.
  bool hasTarget() const { return target && target->hasMCAsmParser(); }
  bool takes(StringRef line);

private:
  Triple triple;
  MCTargetOptions options;
  const Target *target = nullptr;
  std::unique_ptr<MCRegisterInfo> registers;
  std::unique_ptr<MCAsmInfo> info;
  std::unique_ptr<MCInstrInfo> instructions;
  std::unique_ptr<MCSubtargetInfo> subtarget;
};
} // namespace

Assembler::Assembler(StringRef tripleName, StringRef cpu) : triple(tripleName) {
  static std::once_flag once;
  std::call_once(once, [] {
    InitializeAllTargetInfos();
    InitializeAllTargetMCs();
    InitializeAllAsmParsers();
  });
  std::string error;
  target = TargetRegistry::lookupTarget(triple, error);
  if (!target || !target->hasMCAsmParser())
    return;
  // Asked of a processor that every target has: an unknown one is told on
  // stderr.
  std::unique_ptr<MCSubtargetInfo> any(
      target->createMCSubtargetInfo(triple, "", ""));
  if (!any || !any->isCPUStringValid(cpu))
    return;
  registers.reset(target->createMCRegInfo(triple));
  info.reset(target->createMCAsmInfo(*registers, triple, options));
  instructions.reset(target->createMCInstrInfo());
  subtarget.reset(target->createMCSubtargetInfo(triple, cpu, ""));
}

bool Assembler::takes(StringRef line) {
  SourceMgr sources;
  auto silent = [](const SMDiagnostic &, void *) {};
  sources.setDiagHandler(silent);
  sources.AddNewSourceBuffer(MemoryBuffer::getMemBufferCopy(line), SMLoc());
  MCContext context(triple, info.get(), registers.get(), subtarget.get(),
                    &sources, &options);
  std::unique_ptr<MCObjectFileInfo> sections(
      target->createMCObjectFileInfo(context, /*PIC=*/false));
  context.setObjectFileInfo(sections.get());
  std::unique_ptr<MCStreamer> streamer(target->createNullStreamer(context));
  std::unique_ptr<MCAsmParser> parser(
      createMCAsmParser(sources, context, *streamer, *info));
  std::unique_ptr<MCTargetAsmParser> ofTarget(
      target->createMCAsmParser(*subtarget, *parser, *instructions, options));
  if (!ofTarget)
    return false;
  parser->setTargetParser(*ofTarget);
  return !parser->Run(/*NoInitialTextSection=*/false);
}

static int64_t getBits(StringRef type) {
  return StringSwitch<int64_t>(type)
      .Cases({"fp8", "bf8", "i8"}, 8)
      .Cases({"f16", "bf16"}, 16)
      .Case("f64", 64)
      .Default(32);
}

/// Registers `kind` from the first on, as many as `elements` of `type` of all
/// lanes take; empty when they are not whole ones.
static std::string nameRegisters(char kind, int64_t elements, StringRef type) {
  int64_t bits = elements * getBits(type);
  int64_t whole = kMfmaLanes * kLaneBytes * 8;
  if (bits == 0 || bits % whole != 0)
    return "";
  int64_t count = bits / whole;
  if (count == 1)
    return std::string(1, kind) + "0";
  return std::string(1, kind) + "[0:" + itostr(count - 1) + "]";
}

/// An intrinsic of this name, which MLIR's op becomes.
static bool isIntrinsic(StringRef name) {
  std::string intrinsic = "llvm.amdgcn." + name.str();
  llvm::replace(intrinsic, '_', '.');
  return Intrinsic::lookupIntrinsicID(intrinsic) != Intrinsic::not_intrinsic;
}

static bool hasCode(Assembler &assembler, StringRef name) {
  std::optional<hw::MfmaName> parsed = hw::parseMfmaName(name);
  if (!parsed || !isIntrinsic(name))
    return false;
  int64_t m = parsed->shape[0], n = parsed->shape[1], k = parsed->shape[2];
  return any_of(kBlocks, [&](int64_t blocks) {
    std::string sums = nameRegisters('a', m * n * blocks, parsed->acc);
    std::string a = nameRegisters('v', m * k * blocks, parsed->a);
    std::string b = nameRegisters('v', n * k * blocks, parsed->b);
    return !sums.empty() && !a.empty() && !b.empty() &&
           assembler.takes(("v_" + name + " " + sums + ", " + a + ", " + b +
                            ", " + sums + "\n")
                               .str());
  });
}

std::optional<size_t> hw::findMissingMfma(StringRef triple, StringRef cpu,
                                          ArrayRef<StringRef> names) {
  if (names.empty())
    return std::nullopt;
  Assembler assembler(triple, cpu);
  // Of a processor that it does not know LLVM takes the features of none.
  if (!assembler.isKnown())
    return assembler.hasTarget() ? std::optional<size_t>(0) : std::nullopt;
  for (auto [i, name] : enumerate(names))
    if (!hasCode(assembler, name))
      return i;
  return std::nullopt;
}

SmallVector<std::string> hw::listMfmaNames(StringRef triple, StringRef cpu) {
  Assembler assembler(triple, cpu);
  SmallVector<std::string> names;
  for (Intrinsic::ID id = 1; id < Intrinsic::num_intrinsics; ++id) {
    StringRef intrinsic = Intrinsic::getBaseName(id);
    if (!intrinsic.consume_front(kIntrinsics))
      continue;
    std::string name = "mfma_" + intrinsic.str();
    llvm::replace(name, '.', '_');
    if (assembler.isKnown() && hasCode(assembler, name))
      names.push_back(name);
  }
  return names;
}
