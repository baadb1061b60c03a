//===- vortex-probe.cpp - Measures this machine --------------- -*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"

#include "vortex/Probe/ProbeTool.h"

#ifdef VORTEX_HAVE_COMPILER
#include "vortex/HwDesc/Targets.h"

/// `--hwdesc`: the description that `--target=host` would give.
static bool describeMachine(const vortex::HostParams &params,
                            std::string &text) {
  mlir::MLIRContext context;
  mlir::Location loc = mlir::UnknownLoc::get(&context);
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(loc);
  auto target = vortex::getHostTarget(
      &context, [&]() { return mlir::emitError(loc); }, &params);
  if (failed(target))
    return false;
  (*module)->setAttr(
      vortex::kTargetsAttr,
      mlir::ArrayAttr::get(&context, {vortex::withoutSources(*target)}));
  llvm::raw_string_ostream stream(text);
  module->print(stream);
  return true;
}
#else
static constexpr vortex::DescribeMachine describeMachine = nullptr;
#endif

int main(int argc, char **argv) {
  return vortex::tools::finish("vortex-probe",
                               vortex::runProbe(argc, argv, describeMachine));
}
