//===- main.cpp - Two passes of Vortex in a program of one's own ----------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   embed-passes FILE.mlir MACHINE
//
// Plans the linalg ops of a file for a machine (the name of a description, or
// a path) and prints how each kernel will be chosen: the arithmetic on sizes
// and machine parameters that ends in `vortex.select`, or, where the sizes are
// known, what is left of it.
//
//===----------------------------------------------------------------------===//

#include "vortex/Dialect/Vortex/IR/VortexDialect.h"
#include "vortex/Dialect/Vortex/Transforms/Passes.h"
#include "vortex/HwDesc/Targets.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/TilingInterfaceImpl.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AsmState.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

/// The ops of the function from which the choice is computed, in order.
static void printChoice(vortex::SelectOp select) {
  llvm::outs() << "kernel '" << select.getKernel() << "' is chosen by\n";
  SetVector<Operation *> slice;
  if (failed(getBackwardSlice(select.getOperation(), &slice)))
    return;
  AsmState names(select->getParentOfType<func::FuncOp>());
  for (Operation *op : slice) {
    op->print(llvm::outs() << "  ", names);
    llvm::outs() << "\n";
  }
  select->print(llvm::outs() << "  ", names);
  llvm::outs() << "\n";
}

static void print(func::FuncOp function) {
  llvm::outs() << "@" << function.getName() << ": ";
  SmallVector<StringRef> names;
  function.walk([&](vortex::CandidateOp candidate) {
    names.push_back(candidate.getSymName());
  });
  llvm::outs() << names.size()
               << " candidates left: " << llvm::join(names, ", ") << "\n";
  function.walk(printChoice);
}

int main(int argc, char **argv) {
  if (argc != 3) {
    llvm::errs() << "usage: embed-passes FILE.mlir MACHINE\n";
    return 2;
  }
  DialectRegistry registry;
  registry.insert<arith::ArithDialect, func::FuncDialect, linalg::LinalgDialect,
                  math::MathDialect, scf::SCFDialect, tensor::TensorDialect,
                  vortex::VortexDialect>();
  // Kernels form around ops that can be tiled.
  linalg::registerTilingInterfaceExternalModels(registry);
  MLIRContext context(registry);
  auto module = parseSourceFile<ModuleOp>(argv[1], &context);
  if (!module)
    return 1;

  // Passes plan for the targets of the module around them.
  std::string machine = argv[2];
  if (!StringRef(machine).contains('/'))
    machine = VORTEX_HWDESC_DIR "/" + machine + ".mlir";
  if (failed(vortex::attachTargets(*module, /*spec=*/"", machine)))
    return 1;

  PassManager pm(&context);
  pm.addPass(vortex::createHierarchize());
  pm.addPass(vortex::createSelectKernels());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  if (failed(pm.run(*module)))
    return 1;
  for (auto function : module->getOps<func::FuncOp>())
    print(function);
  return 0;
}
