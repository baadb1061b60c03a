//===- HwInstructionAttr.cpp - Instructions of a hardware description  -*- C++
//-*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HwAssembly.h"
#include "MfmaNames.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>

using namespace mlir;
using namespace vortex;
using namespace vortex::hw;

static constexpr StringRef kInstructionKinds[] = {
    "fma", "dot", "tile", "mma_sync", "wgmma", "mfma", "simt"};
static constexpr StringRef kInstructionNumbers[] = {"rate", "half", "latency"};

/// Whether `type` is what the ROCDL op of an `mfma` calls `name`.
static bool isMfmaType(StringRef name, Type type) {
  MLIRContext *context = type.getContext();
  if (name == "fp8")
    return isa<Float8E4M3FNType, Float8E4M3FNUZType>(type);
  if (name == "bf8")
    return isa<Float8E5M2Type, Float8E5M2FNUZType>(type);
  Builder builder(context);
  Type named = llvm::StringSwitch<Type>(name)
                   .Case("f16", builder.getF16Type())
                   .Case("bf16", builder.getBF16Type())
                   .Case("xf32", builder.getTF32Type())
                   .Case("f32", builder.getF32Type())
                   .Case("f64", builder.getF64Type())
                   .Case("i8", builder.getI8Type())
                   .Case("i32", builder.getI32Type())
                   .Default({});
  return named && named == type;
}

/// The name of an `mfma` is that of the op that device code has for it, which
/// says its shape and its types, too: with other ones lanes would take elements
/// for those of other places.
static LogicalResult checkMfma(FieldError emitError, StringRef name, Type a,
                               Type b, Type acc, ArrayRef<int64_t> shape) {
  std::optional<MfmaName> named = parseMfmaName(name);
  if (!named)
    return emitError("name")
           << "instruction '" << name
           << "': the name of an mfma is that of its ROCDL "
              "op, with '_' for its dots: mfma_f32_16x16x16f16";
  if (shape != ArrayRef(named->shape))
    return emitError("shape")
           << "instruction '" << name << "': 'shape' is " << shape[0] << 'x'
           << shape[1] << 'x' << shape[2]
           << ", and that of the op with this name " << named->shape[0] << 'x'
           << named->shape[1] << 'x' << named->shape[2];
  for (auto [text, type] :
       {std::pair(&named->a, a), {&named->b, b}, {&named->acc, acc}})
    if (!isMfmaType(*text, type))
      return emitError("type")
             << "instruction '" << name << "': 'type' is " << a << " x " << b
             << " -> " << acc << ", and the op with this name has " << named->a
             << " x " << named->b << " -> " << named->acc;
  return success();
}

static LogicalResult checkInstruction(FieldError emitError, StringRef name,
                                      StringRef kind, Type a, Type b, Type acc,
                                      int64_t m, int64_t n, int64_t k,
                                      double rate, double half, double latency,
                                      int64_t registers) {
  if (failed(checkName(emitError, "instruction", name)))
    return failure();
  auto error = [&](StringRef field) {
    return emitError(field) << "instruction '" << name << "': ";
  };
  if (!llvm::is_contained(kInstructionKinds, kind))
    return error("kind") << "unknown kind '" << kind
                         << "'; expected fma, dot, tile, mma_sync, wgmma, "
                            "mfma or simt";
  for (Type type : {a, b, acc})
    if (!type || !type.isIntOrFloat())
      return error("type") << "'type' needs integer or floating-point element "
                              "types";
  for (int64_t extent : {m, n, k})
    if (extent < 1)
      return error("shape") << "extents of 'shape' must be at least 1, got "
                            << m << 'x' << n << 'x' << k;
  if (!std::isfinite(rate) || rate <= 0)
    return error("rate") << "'rate' must be positive, got "
                         << formatNumber(rate);
  if (!std::isfinite(half) || half < 0)
    return error("half") << "'half' must not be negative, got "
                         << formatNumber(half);
  if (half > 0 && (kind != "fma" || n % 2))
    return error("half") << "'half' is for vectors that can be halved: an fma "
                            "of an even number of columns";
  if (!std::isfinite(latency) || latency < 0)
    return error("latency")
           << "'latency' must not be negative, got " << formatNumber(latency);
  if (registers < 0)
    return error("registers")
           << "'registers' must not be negative, got " << registers;
  return kind == "mfma" ? checkMfma(emitError, name, a, b, acc, {m, n, k})
                        : success();
}

LogicalResult HwInstructionAttr::verify(
    function_ref<InFlightDiagnostic()> emitError, StringRef name,
    StringRef kind, Type a, Type b, Type acc, int64_t m, int64_t n, int64_t k,
    FloatAttr rate, FloatAttr half, FloatAttr latency, int64_t registers,
    StringRef feature, DictionaryAttr provenance, StringAttr source) {
  auto error = [&](StringRef) { return emitError(); };
  for (FloatAttr number : {rate, half, latency})
    if (!number || !number.getType().isF64())
      return emitError() << "instruction '" << name
                         << "': rate, half and latency must be f64 attributes";
  if (failed(checkProvenance(error, "instruction '" + name + "'", provenance,
                             kInstructionNumbers)))
    return failure();
  return checkInstruction(error, name, kind, a, b, acc, m, n, k,
                          rate.getValueAsDouble(), half.getValueAsDouble(),
                          latency.getValueAsDouble(), registers);
}

std::string HwInstructionAttr::getKey() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << getKind() << '.' << getA();
  return text;
}

std::optional<double> HwInstructionAttr::getNumber(StringRef field) const {
  if (field == "rate")
    return getRate();
  if (field == "half")
    return getHalf();
  if (field == "latency")
    return getLatency();
  return std::nullopt;
}

FailureOr<HwInstructionAttr>
HwInstructionAttr::withNumber(function_ref<InFlightDiagnostic()> emitError,
                              StringRef field, double value,
                              StringRef from) const {
  if (!getNumber(field))
    return emitError() << "instructions have no number '" << field
                       << "'; they have "
                       << llvm::join(ArrayRef(kInstructionNumbers), ", ");
  MLIRContext *context = getContext();
  FloatAttr number = Builder(context).getF64FloatAttr(value);
  auto attr = getChecked(
      emitError, context, getName(), getKind(), getA(), getB(), getAcc(),
      getM(), getN(), getK(), field == "rate" ? number : getRateAttr(),
      field == "half" ? number : getHalfAttr(),
      field == "latency" ? number : getLatencyAttr(), getRegisters(),
      getFeature(), replaceProvenance(context, getProvenance(), field, from),
      getSource());
  if (!attr)
    return failure();
  return attr;
}

HwInstructionAttr HwInstructionAttr::withSource(StringAttr source) const {
  return get(getContext(), getName(), getKind(), getA(), getB(), getAcc(),
             getM(), getN(), getK(), getRateAttr(), getHalfAttr(),
             getLatencyAttr(), getRegisters(), getFeature(), getProvenance(),
             source);
}

Attribute HwInstructionAttr::parse(AsmParser &parser, Type) {
  std::string name, kind, feature, source;
  Type a, b, acc;
  SmallVector<int64_t> shape;
  double rate = 0, half = 0, latency = 0;
  int64_t registers = 0;
  NamedAttrList provenance;
  llvm::StringMap<SMLoc> locs;
  SMLoc begin = parser.getCurrentLocation();
  auto emitError = [&](StringRef field) {
    auto it = locs.find(field);
    return parser.emitError(it == locs.end() ? begin : it->second);
  };
  auto parseValue = [&](StringRef field, SMLoc loc) -> ParseResult {
    if (field == "kind") {
      StringRef keyword;
      if (parser.parseKeyword(&keyword))
        return failure();
      kind = keyword.str();
      return success();
    }
    if (field == "type")
      return failure(parser.parseType(a) || parser.parseKeyword("x") ||
                     parser.parseType(b) || parser.parseArrow() ||
                     parser.parseType(acc));
    if (field == "shape") {
      if (parser.parseDimensionList(shape, /*allowDynamic=*/false,
                                    /*withTrailingX=*/false))
        return failure();
      if (shape.size() != 3)
        return parser.emitError(loc)
               << "instruction '" << name << "': 'shape' must be m x n x k";
      return success();
    }
    if (field == "rate")
      return failure(parseNumber(parser, rate) ||
                     parseProvenance(parser, field, provenance));
    if (field == "half")
      return failure(parseNumber(parser, half) ||
                     parseProvenance(parser, field, provenance));
    if (field == "latency")
      return failure(parseNumber(parser, latency) ||
                     parseProvenance(parser, field, provenance));
    if (field == "registers")
      return parser.parseInteger(registers);
    if (field == "feature")
      return parser.parseString(&feature);
    if (field == "source")
      return parser.parseString(&source);
    return parser.emitError(loc)
           << "instruction '" << name << "': unknown field '" << field
           << "'; expected kind, type, shape, rate, half, latency, "
              "registers, feature or source";
  };
  if (parser.parseLess() || (begin = parser.getCurrentLocation(), false) ||
      parser.parseString(&name) || parser.parseComma() ||
      parseFields(parser, "instruction '" + name + "'", locs, parseValue))
    return {};
  for (StringRef field : {"kind", "type", "shape", "rate"})
    if (!locs.contains(field)) {
      emitError("") << "instruction '" << name << "' needs '" << field << "'";
      return {};
    }
  if (failed(checkInstruction(emitError, name, kind, a, b, acc, shape[0],
                              shape[1], shape[2], rate, half, latency,
                              registers)))
    return {};
  Builder &builder = parser.getBuilder();
  MLIRContext *context = parser.getContext();
  return get(context, name, kind, a, b, acc, shape[0], shape[1], shape[2],
             builder.getF64FloatAttr(rate), builder.getF64FloatAttr(half),
             builder.getF64FloatAttr(latency), registers, feature,
             provenance.empty() ? DictionaryAttr()
                                : provenance.getDictionary(context),
             source.empty() ? StringAttr() : builder.getStringAttr(source));
}

void HwInstructionAttr::print(AsmPrinter &p) const {
  p << '<';
  p.printString(getName());
  p << ", kind = " << getKind() << ", type = " << getA() << " x " << getB()
    << " -> " << getAcc() << ", shape = " << getM() << 'x' << getN() << 'x'
    << getK() << ", rate = ";
  p << formatNumber(getRate());
  printProvenance(p, getProvenance(), "rate");
  if (getHalf() != 0) {
    p << ", half = " << formatNumber(getHalf());
    printProvenance(p, getProvenance(), "half");
  }
  if (getLatency() != 0) {
    p << ", latency = " << formatNumber(getLatency());
    printProvenance(p, getProvenance(), "latency");
  }
  if (getRegisters() != 0)
    p << ", registers = " << getRegisters();
  if (!getFeature().empty()) {
    p << ", feature = ";
    p.printString(getFeature());
  }
  if (getSource())
    p << ", source = " << getSource();
  p << '>';
}
