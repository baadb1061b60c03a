//===- AttachTarget.cpp - Set the targets of a module --------- -*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/HwDesc/Passes.h"
#include "vortex/HwDesc/Targets.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ManagedStatic.h"

namespace vortex {
#define GEN_PASS_DEF_VORTEXATTACHTARGET
#include "vortex/HwDesc/Passes.h.inc"
} // namespace vortex

#define DEBUG_TYPE "vortex-attach-target"

using namespace mlir;
using namespace vortex;

namespace {
struct AttachTarget
    : public vortex::impl::VortexAttachTargetBase<AttachTarget> {
  using VortexAttachTargetBase::VortexAttachTargetBase;

  void runOnOperation() override {
    if (target.empty() && targetFile.empty())
      return;
    if (failed(attachTargets(getOperation(), target, targetFile)))
      signalPassFailure();
  }
};

/// An empty name is a mistake, not the absence of a target.
struct NonEmpty : llvm::cl::parser<std::string> {
  using llvm::cl::parser<std::string>::parser;
  bool parse(llvm::cl::Option &option, StringRef, StringRef text,
             std::string &value) {
    if (text.empty())
      return option.error("needs a value");
    value = text.str();
    return false;
  }
};

/// Options of drivers; created only where a driver asks for them.
struct TargetOptions {
  llvm::cl::opt<std::string, false, NonEmpty> target{
      "target",
      llvm::cl::desc("Targets to attach to the module: "
                     "NAME(,key=value)*(,NAME(,key=value)*)*"),
      llvm::cl::value_desc("targets")};
  llvm::cl::opt<std::string, false, NonEmpty> targetFile{
      "target-file",
      llvm::cl::desc("Hardware description to attach to the module"),
      llvm::cl::value_desc("path")};
};
} // namespace

static llvm::ManagedStatic<TargetOptions> targetOptions;

void vortex::registerTargetOption() { *targetOptions; }

void vortex::attachTargetOption(MlirOptMainConfig &config) {
  if (!targetOptions.isConstructed())
    return;
  VortexAttachTargetOptions options;
  options.target = targetOptions->target;
  options.targetFile = targetOptions->targetFile;
  if (options.target.empty() && options.targetFile.empty())
    return;
  MlirOptMainConfig inner = config;
  config.setPassPipelineSetupFn([options, inner](PassManager &pm) mutable {
    pm.addPass(createVortexAttachTarget(options));
    return inner.setupPassPipeline(pm);
  });
}
