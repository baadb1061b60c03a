//===- Plugin.cpp - The dialect and the passes for stock mlir-opt ---------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   mlir-opt --load-dialect-plugin=VortexPlugin.so
//            --load-pass-plugin=VortexPlugin.so --pass-pipeline=...
//
// Targets are named by the passes' own options, since the program has no
// `--target`.
//
//===----------------------------------------------------------------------===//

#include "vortex/InitAll.h"

#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/Support/Compiler.h"

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT ::mlir::DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Vortex", VORTEX_VERSION,
          [](mlir::DialectRegistry *registry) {
            vortex::registerAllDialects(*registry);
          }};
}

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT ::mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Vortex", VORTEX_VERSION,
          [] { vortex::registerAllPasses(); }};
}
