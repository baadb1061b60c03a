//===- HwAssembly.h - Shared by the attributes of #vortex.hw -- -*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_LIB_DIALECT_VORTEX_IR_HWASSEMBLY_H
#define VORTEX_LIB_DIALECT_VORTEX_IR_HWASSEMBLY_H

#include "vortex/Dialect/Vortex/IR/VortexDialect.h"

#include "llvm/ADT/StringMap.h"

namespace vortex::hw {
using namespace mlir;

/// Makes the error for a field; the empty name stands for the whole attribute.
using FieldError = function_ref<InFlightDiagnostic(StringRef field)>;

/// The shortest decimal form that reads back as `value`.
std::string formatNumber(double value);

/// Parses a whole number or a real one.
ParseResult parseNumber(AsmParser &parser, double &value);

/// Prints ` from "..."` when `provenance` has an entry for `field`.
void printProvenance(AsmPrinter &p, DictionaryAttr provenance, StringRef field);

/// Parses an optional `from "..."` into the entry of `field`.
ParseResult parseProvenance(AsmParser &parser, StringRef field,
                            NamedAttrList &provenance);

/// `provenance` with the entry of `field` replaced, or removed when `from` is
/// empty; null instead of an empty dictionary.
DictionaryAttr replaceProvenance(MLIRContext *context,
                                 DictionaryAttr provenance, StringRef field,
                                 StringRef from);

/// Entries must be strings for fields among `fields`.
LogicalResult checkProvenance(FieldError emitError, const Twine &what,
                              DictionaryAttr provenance,
                              ArrayRef<StringRef> fields);

/// Parses `field = value` pairs up to `>`, each field at most once, and
/// remembers where each stands.
ParseResult
parseFields(AsmParser &parser, StringRef what, llvm::StringMap<SMLoc> &locs,
            function_ref<ParseResult(StringRef field, SMLoc loc)> parseValue);

/// Names become parts of keys (`l2.capacity`), so they have no dots.
LogicalResult checkName(FieldError emitError, StringRef what, StringRef name);

/// Fields of a level whose values count or measure bytes.
bool isWholeLevelField(StringRef field);
} // namespace vortex::hw

#endif // VORTEX_LIB_DIALECT_VORTEX_IR_HWASSEMBLY_H
