//===- VortexHwAttrs.cpp - Hardware descriptions ---------------------------- -*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Dialect/Vortex/IR/VortexDialect.h"

#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace vortex;

Attribute HwLevelAttr::parse(AsmParser &parser, Type) { return {}; }
void HwLevelAttr::print(AsmPrinter &printer) const {}
Attribute HwInstructionAttr::parse(AsmParser &parser, Type) { return {}; }
void HwInstructionAttr::print(AsmPrinter &printer) const {}
Attribute HwAttr::parse(AsmParser &parser, Type) { return {}; }
void HwAttr::print(AsmPrinter &printer) const {}
FailureOr<Attribute> HwAttr::query(DataLayoutEntryKey key) const {
  return failure();
}
