//===- HwAssembly.cpp - Shared by the attributes of #vortex.hw  -*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HwAssembly.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace mlir;
using namespace vortex;
using namespace vortex::hw;

std::string vortex::hw::formatNumber(double value) {
  if (!std::isfinite(value))
    return "a number that is not finite";
  if (value == std::floor(value) &&
      std::fabs(value) <= 9007199254740992.0 /* 2^53 */)
    return std::to_string(static_cast<int64_t>(value));
  std::string text;
  for (int digits = 6; digits <= 17; ++digits) {
    char buffer[64];
    snprintf(buffer, sizeof(buffer), "%.*g", digits, value);
    text = buffer;
    if (std::strtod(buffer, nullptr) == value)
      break;
  }
  // The lexer wants digits on both sides of a point before an exponent.
  size_t exponent = text.find('e');
  if (text.find('.') == std::string::npos)
    text.insert(exponent == std::string::npos ? text.size() : exponent, ".0");
  return text;
}

void vortex::hw::printProvenance(AsmPrinter &p, DictionaryAttr provenance,
                                 StringRef field) {
  if (!provenance)
    return;
  if (auto from = provenance.getAs<StringAttr>(field))
    p << " from " << from;
}

ParseResult vortex::hw::parseNumber(AsmParser &parser, double &value) {
  SMLoc loc = parser.getCurrentLocation();
  Attribute literal;
  OptionalParseResult result = parser.parseOptionalAttribute(literal);
  if (result.has_value() && failed(*result))
    return failure();
  if (auto real = dyn_cast_if_present<FloatAttr>(literal))
    value = real.getValueAsDouble();
  else if (auto whole = dyn_cast_if_present<IntegerAttr>(literal);
           whole && whole.getType().isInteger(64))
    value = static_cast<double>(whole.getInt());
  else
    return parser.emitError(loc, "expected a number");
  return success();
}

ParseResult vortex::hw::parseProvenance(AsmParser &parser, StringRef field,
                                        NamedAttrList &provenance) {
  if (failed(parser.parseOptionalKeyword("from")))
    return success();
  std::string from;
  if (parser.parseString(&from))
    return failure();
  provenance.set(field, parser.getBuilder().getStringAttr(from));
  return success();
}

ParseResult vortex::hw::parseFields(
    AsmParser &parser, StringRef what, llvm::StringMap<SMLoc> &locs,
    function_ref<ParseResult(StringRef field, SMLoc loc)> parseValue) {
  do {
    SMLoc loc = parser.getCurrentLocation();
    StringRef field;
    if (parser.parseKeyword(&field) || parser.parseEqual())
      return failure();
    if (!locs.try_emplace(field, loc).second)
      return parser.emitError(loc)
             << what << " gives '" << field << "' more than once";
    if (parseValue(field, loc))
      return failure();
  } while (succeeded(parser.parseOptionalComma()));
  return parser.parseGreater();
}

LogicalResult vortex::hw::checkName(FieldError emitError, StringRef what,
                                    StringRef name) {
  auto valid = [](char c) { return llvm::isAlnum(c) || c == '_' || c == '-'; };
  if (name.empty() || !llvm::all_of(name, valid))
    return emitError("") << what << " name must be letters, digits, '_' or "
                         << "'-', got '" << name << "'";
  return success();
}

LogicalResult vortex::hw::checkProvenance(FieldError emitError,
                                          const Twine &what,
                                          DictionaryAttr provenance,
                                          ArrayRef<StringRef> fields) {
  if (!provenance)
    return success();
  for (NamedAttribute entry : provenance)
    if (!llvm::is_contained(fields, entry.getName().getValue()) ||
        !isa<StringAttr>(entry.getValue()))
      return emitError("") << what << ": provenance of '" << entry.getName()
                           << "' must be a string for a field with a number";
  return success();
}

DictionaryAttr vortex::hw::replaceProvenance(MLIRContext *context,
                                             DictionaryAttr provenance,
                                             StringRef field, StringRef from) {
  NamedAttrList entries(provenance);
  if (from.empty())
    entries.erase(field);
  else
    entries.set(field, StringAttr::get(context, from));
  return entries.empty() ? DictionaryAttr() : entries.getDictionary(context);
}
