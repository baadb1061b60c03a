//===- ProcessorNames.cpp - What LLVM calls processors --------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProcessorNames.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Triple.h"

#include <mutex>

using namespace mlir;
using namespace vortex;

/// The known name that `name` is nearest to, in words behind a message.
template <typename Entry>
static std::string didYouMean(StringRef name, ArrayRef<Entry> known) {
  StringRef best;
  unsigned least = name.size() / 2 + 1;
  for (const Entry &entry : known) {
    unsigned distance = name.edit_distance(entry.Key, true, least);
    if (distance < least) {
      least = distance;
      best = entry.Key;
    }
  }
  return best.empty() ? "" : ("; did you mean '" + best + "'?").str();
}

LogicalResult hw::checkProcessor(FieldError emitError, StringRef isa,
                                 StringRef tripleName, StringRef cpu,
                                 StringRef features) {
  llvm::Triple triple(tripleName);
  bool x86 = isa.starts_with("x86-");
  if (x86 &&
      (triple.getArch() != llvm::Triple::x86_64 || !triple.isOSBinFormatELF()))
    return emitError("triple")
           << "'triple' must be of x86-64 with ELF files for isa '" << isa
           << "', as x86_64-unknown-linux-gnu, got '" << tripleName << "'";
  if (isa.starts_with("sm_") && triple.getArch() != llvm::Triple::nvptx64)
    return emitError("triple")
           << "'triple' must be of nvptx64 for isa '" << isa
           << "', as nvptx64-nvidia-cuda, got '" << tripleName << "'";
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeAllTargetInfos();
    llvm::InitializeAllTargetMCs();
  });
  std::string error;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  // Asked of a processor that every target has: an unknown one is told on
  // stderr.
  std::unique_ptr<llvm::MCSubtargetInfo> any(
      target ? target->createMCSubtargetInfo(triple, "", "") : nullptr);
  if (!any)
    return success();
  if (!cpu.empty() && !any->isCPUStringValid(cpu))
    return emitError("cpu")
           << "LLVM knows no processor '" << cpu << "' of "
           << triple.getArchName()
           << didYouMean(cpu, any->getAllProcessorDescriptions());
  SmallVector<StringRef> names;
  features.split(names, ',', -1, /*KeepEmpty=*/false);
  for (StringRef name : names) {
    ArrayRef<llvm::SubtargetFeatureKV> known = any->getAllProcessorFeatures();
    if (llvm::none_of(known, [&](const llvm::SubtargetFeatureKV &feature) {
          return name.drop_front() == feature.Key;
        }))
      return emitError("features")
             << "LLVM knows no feature '" << name << "' of "
             << triple.getArchName() << didYouMean(name.drop_front(), known);
  }
  return success();
}
