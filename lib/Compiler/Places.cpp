//===- Places.cpp - Where a diagnostic is ---------------------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Places.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace vortex;

void vortex::namePlaces(ModuleOp module) {
  module->walk([](Operation *op) {
    if (!isa<UnknownLoc>(op->getLoc()) || isa<ModuleOp>(op))
      return;
    auto function = dyn_cast<FunctionOpInterface>(op);
    if (!function)
      function = op->getParentOfType<FunctionOpInterface>();
    std::string name = ("'" + op->getName().getStringRef() + "'").str();
    if (function)
      name += (" in @" + function.getName()).str();
    op->setLoc(NameLoc::get(StringAttr::get(op->getContext(), name)));
  });
}

static StringRef getText(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Note:
    return "note";
  case DiagnosticSeverity::Warning:
    return "warning";
  case DiagnosticSeverity::Error:
    return "error";
  case DiagnosticSeverity::Remark:
    return "remark";
  }
  return "";
}

PlaceHandler::PlaceHandler(MLIRContext *context, std::string input)
    : ScopedDiagnosticHandler(context) {
  setHandler([input = std::move(input)](Diagnostic &diagnostic) {
    auto line = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>();
    if (line && line.getLine())
      return failure();
    auto print = [&](Diagnostic &said) {
      llvm::errs() << input << ": " << getText(said.getSeverity()) << ": ";
      if (auto name = said.getLocation()->findInstanceOf<NameLoc>())
        llvm::errs() << name.getName().getValue() << ": ";
      llvm::errs() << said << "\n";
    };
    print(diagnostic);
    for (Diagnostic &note : diagnostic.getNotes())
      print(note);
    return success();
  });
}
