//===- VortexDialect.cpp - Dialect and attribute registration ---------------
//-*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Dialect/Vortex/IR/VortexDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace vortex;

#include "vortex/Dialect/Vortex/IR/VortexDialect.cpp.inc"
#include "vortex/Dialect/Vortex/IR/VortexEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "vortex/Dialect/Vortex/IR/VortexAttrs.cpp.inc"

void VortexDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "vortex/Dialect/Vortex/IR/VortexAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "vortex/Dialect/Vortex/IR/VortexOps.cpp.inc"
      >();
}

Operation *VortexDialect::materializeConstant(OpBuilder &b, Attribute value,
                                              Type type, Location loc) {
  return arith::ConstantOp::materialize(b, value, type, loc);
}

LogicalResult VortexDialect::verifyOperationAttribute(Operation *op,
                                                      NamedAttribute attr) {
  StringRef name = attr.getName().getValue();
  if (name == kTargetsAttr) {
    auto targets = dyn_cast<ArrayAttr>(attr.getValue());
    if (!targets || targets.empty() ||
        !llvm::all_of(targets, llvm::IsaPred<HwAttr>))
      return op->emitOpError() << "attribute '" << name
                               << "' must be a non-empty array of #vortex.hw";
  } else if (name == kWhereAttr) {
    auto relations = dyn_cast<ArrayAttr>(attr.getValue());
    if (!isa<FunctionOpInterface>(op) || !relations ||
        !llvm::all_of(relations, llvm::IsaPred<StringAttr>))
      return op->emitOpError() << "attribute '" << name
                               << "' must be an array of strings on a function";
  } else if (name == kPrecisionAttr) {
    auto precision = dyn_cast<StringAttr>(attr.getValue());
    if (!precision || !llvm::is_contained(kPrecisions, precision.getValue()))
      return op->emitOpError() << "attribute '" << name << "' must be one of "
                               << llvm::join(ArrayRef(kPrecisions), ", ");
    if (!isa<FunctionOpInterface, linalg::LinalgOp>(op))
      return op->emitOpError()
             << "attribute '" << name << "' is for functions and linalg ops";
  } else if (name == kSpillsAttr) {
    auto spills = dyn_cast<DictionaryAttr>(attr.getValue());
    if (!spills || !llvm::all_of(spills, [](NamedAttribute entry) {
          return isa<IntegerAttr>(entry.getValue());
        }))
      return op->emitOpError()
             << "attribute '" << name << "' must be a dictionary of integers";
  } else if (name == kAnchorAttr) {
    if (!isa<UnitAttr>(attr.getValue()))
      return op->emitOpError() << "attribute '" << name << "' must be a unit";
  } else if (name == kIdAttr) {
    if (!isa<StringAttr>(attr.getValue()))
      return op->emitOpError() << "attribute '" << name << "' must be a string";
  }
  return success();
}

LogicalResult LoadAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t operand, LayoutKind layout, int64_t axis,
                               bool together, bool bound, int64_t group) {
  if (group < 1)
    return emitError() << "field 'group' of a load must be at least 1, got "
                       << group;
  if (group > 1 && layout != LayoutKind::Pack && layout != LayoutKind::Panel &&
      layout != LayoutKind::Tile)
    return emitError() << "a load in layout '" << stringifyLayoutKind(layout)
                       << "' has no groups; pack, panel and tile have";
  if (group == 1 && layout == LayoutKind::Tile)
    return emitError() << "a load in layout 'tile' needs a 'group', the "
                          "elements of a row of a tile";
  return success();
}

LogicalResult
MicroKernelAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                        StringRef instruction, int64_t rows, int64_t vectors,
                        int64_t lanes, int64_t unroll, int64_t prefetch,
                        int64_t narrowRows, bool scheduler, int64_t laneAxis,
                        int64_t inFlight, StringRef opcode, int64_t group,
                        bool contract, bool turns) {
  auto positive = [&](StringRef field, int64_t value) -> LogicalResult {
    if (value > 0)
      return success();
    return emitError() << "micro-kernel field '" << field
                       << "' must be at least 1, got " << value;
  };
  if (instruction.empty())
    return emitError() << "micro-kernel needs an instruction";
  bool grouped = instruction == "dot" || instruction == "tile";
  if (grouped ? opcode.empty() || group < 2 : !opcode.empty() || group != 1)
    return emitError() << "micro-kernel fields 'opcode' and 'group' (at "
                          "least 2) are those of instructions 'dot' and "
                          "'tile', which need both";
  if (turns && instruction != "tile")
    return emitError() << "micro-kernel field 'turns' is of instruction "
                          "'tile' alone";
  // Each step is code of its own in each case.
  constexpr int64_t kMostSteps = 64;
  if (unroll > kMostSteps)
    return emitError() << "micro-kernel field 'unroll' must be at most "
                       << kMostSteps << ", got " << unroll;
  if (prefetch < 0)
    return emitError() << "micro-kernel field 'prefetch' must not be negative";
  if (inFlight < 0)
    return emitError() << "micro-kernel field 'in_flight' must not be negative";
  if (narrowRows && narrowRows < rows)
    return emitError() << "micro-kernel field 'narrow_rows' must be 0 or at "
                          "least 'rows', "
                       << rows << ", got " << narrowRows;
  return success(succeeded(positive("rows", rows)) &&
                 succeeded(positive("vectors", vectors)) &&
                 succeeded(positive("lanes", lanes)) &&
                 succeeded(positive("unroll", unroll)));
}
