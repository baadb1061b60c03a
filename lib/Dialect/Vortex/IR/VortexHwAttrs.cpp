//===- VortexHwAttrs.cpp - Hardware descriptions ----------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Assembly, verification and queries of #vortex.hw. The parser and the
// verifier run the same checks; the parser's errors point at the field.
//
//===----------------------------------------------------------------------===//

#include "vortex/Dialect/Vortex/IR/VortexDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace vortex;

namespace {
/// Makes the error for a field; the empty name stands for the whole attribute.
using FieldError = function_ref<InFlightDiagnostic(StringRef field)>;
} // namespace

//===----------------------------------------------------------------------===//
// Numbers with provenance
//===----------------------------------------------------------------------===//

/// Whole numbers up to here are exact in a double.
static constexpr double kLargestCount = 9007199254740992.0; // 2^53

/// Prints the shortest decimal form that reads back as `value`.
static void printNumber(AsmPrinter &p, double value) {
  if (value == std::floor(value) && std::fabs(value) <= kLargestCount) {
    p << static_cast<int64_t>(value);
    return;
  }
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
  p << text;
}

static void printBytes(AsmPrinter &p, int64_t bytes) {
  static constexpr std::pair<int64_t, StringLiteral> units[] = {
      {int64_t(1) << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}};
  for (auto [size, name] : units)
    if (bytes % size == 0 && bytes != 0) {
      p << bytes / size << ' ' << name;
      return;
    }
  p << bytes;
}

static void printProvenance(AsmPrinter &p, DictionaryAttr provenance,
                            StringRef field) {
  if (!provenance)
    return;
  if (auto from = provenance.getAs<StringAttr>(field))
    p << " from " << from;
}

static ParseResult parseNumber(AsmParser &parser, double &value) {
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

/// Parses an optional KiB, MiB or GiB after a number of bytes.
static void parseByteUnit(AsmParser &parser, double &value) {
  for (auto [name, size] : {std::pair{"KiB", 1024.0},
                            {"MiB", 1024.0 * 1024},
                            {"GiB", 1024.0 * 1024 * 1024}})
    if (succeeded(parser.parseOptionalKeyword(name))) {
      value *= size;
      return;
    }
}

static ParseResult parseProvenance(AsmParser &parser, StringRef field,
                                   NamedAttrList &provenance) {
  if (failed(parser.parseOptionalKeyword("from")))
    return success();
  std::string from;
  if (parser.parseString(&from))
    return failure();
  provenance.set(field, parser.getBuilder().getStringAttr(from));
  return success();
}

/// Parses `, field = value` pairs up to `>`, each field at most once.
static ParseResult
parseFields(AsmParser &parser, StringRef what, llvm::StringMap<SMLoc> &locs,
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

static ParseResult parseStringField(AsmParser &parser, std::string &value) {
  return parser.parseString(&value);
}

static LogicalResult checkName(FieldError emitError, StringRef what,
                               StringRef name) {
  auto valid = [](char c) { return llvm::isAlnum(c) || c == '_' || c == '-'; };
  if (name.empty() || !llvm::all_of(name, valid))
    return emitError("") << what << " name must be letters, digits, '_' or "
                         << "'-', got '" << name << "'";
  return success();
}

static LogicalResult checkProvenance(FieldError emitError, const Twine &what,
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

//===----------------------------------------------------------------------===//
// HwLevelAttr
//===----------------------------------------------------------------------===//

namespace {
enum LevelField {
  Units,
  Capacity,
  Bandwidth,
  Stream,
  Latency,
  Granularity,
  Alignment,
  Startup,
  NumLevelFields
};

constexpr StringRef kLevelFields[NumLevelFields] = {
    "units",   "capacity",    "bandwidth", "stream",
    "latency", "granularity", "alignment", "startup"};
constexpr StringRef kMemoryKinds[] = {"none", "dram", "cache", "shared",
                                      "register"};

/// A level while it is parsed, checked or changed. Zero means not given.
struct Level {
  std::string name;
  std::string memory = "none";
  double numbers[NumLevelFields] = {};

  Level() = default;
  explicit Level(HwLevelAttr attr) : name(attr.getName()) {
    memory = attr.getMemory();
    for (auto [number, field] : llvm::zip(numbers, kLevelFields))
      number = *attr.getNumber(field);
  }

  LogicalResult check(FieldError emitError) const;
  HwLevelAttr get(MLIRContext *context, DictionaryAttr provenance,
                  StringAttr source) const;
};
} // namespace

static int findLevelField(StringRef field) {
  const auto *it = llvm::find(kLevelFields, field);
  return it == std::end(kLevelFields) ? -1 : it - std::begin(kLevelFields);
}

static bool isWholeField(int field) {
  return field == Units || field == Capacity || field == Granularity ||
         field == Alignment;
}

/// One number alone: finite, whole where it counts, positive where given.
static LogicalResult checkLevelNumber(FieldError emitError, StringRef level,
                                      int field, double value) {
  StringRef name = kLevelFields[field];
  auto error = [&]() {
    return emitError(name) << "level '" << level << "': '" << name << "' ";
  };
  if (!std::isfinite(value))
    return error() << "must be finite";
  if (isWholeField(field)) {
    if (value != std::floor(value) || std::fabs(value) > kLargestCount)
      return error() << "must be a whole number below 2^53";
    if (value < 1)
      return error() << "must be at least 1, got "
                     << static_cast<int64_t>(value);
    return success();
  }
  if (value < 0)
    return error() << "must not be negative, got " << value;
  if (value == 0 && (field == Bandwidth || field == Stream))
    return error() << "must be positive, got 0";
  return success();
}

LogicalResult Level::check(FieldError emitError) const {
  if (failed(checkName(emitError, "level", name)))
    return failure();
  if (!llvm::is_contained(kMemoryKinds, memory))
    return emitError("memory")
           << "level '" << name << "': unknown memory kind '" << memory
           << "'; expected none, dram, cache, shared or register";
  if (numbers[Units] == 0)
    return emitError("") << "level '" << name << "' needs 'units'";
  for (int field = 0; field != NumLevelFields; ++field)
    if (numbers[field] != 0 &&
        failed(checkLevelNumber(emitError, name, field, numbers[field])))
      return failure();

  if (memory == "none") {
    for (int field = Capacity; field <= Alignment; ++field)
      if (numbers[field] != 0)
        return emitError(kLevelFields[field])
               << "level '" << name << "' has no memory, so no '"
               << kLevelFields[field] << "'";
    return success();
  }
  for (int field : {Capacity, Granularity, Bandwidth})
    if (numbers[field] == 0 && !(field == Bandwidth && memory == "register"))
      return emitError("") << "level '" << name << "' has " << memory
                           << " memory and needs '" << kLevelFields[field]
                           << "'";
  auto alignment = static_cast<int64_t>(numbers[Alignment]);
  if (!llvm::isPowerOf2_64(alignment))
    return emitError("alignment")
           << "level '" << name << "': 'alignment' must be a power of two, got "
           << alignment;
  auto capacity = static_cast<int64_t>(numbers[Capacity]);
  auto granularity = static_cast<int64_t>(numbers[Granularity]);
  if (granularity > capacity)
    return emitError("granularity")
           << "level '" << name << "': 'granularity' of " << granularity
           << " bytes exceeds the capacity of " << capacity << " bytes";
  if (memory == "register" && capacity % granularity != 0)
    return emitError("capacity")
           << "level '" << name << "': 'capacity' of " << capacity
           << " bytes is not a whole number of registers of " << granularity
           << " bytes";
  if (numbers[Stream] > numbers[Bandwidth] && memory != "register")
    return emitError("stream")
           << "level '" << name << "': 'stream' of " << numbers[Stream]
           << " GB/s exceeds the bandwidth of " << numbers[Bandwidth]
           << " GB/s of all readers together";
  return success();
}

HwLevelAttr Level::get(MLIRContext *context, DictionaryAttr provenance,
                       StringAttr source) const {
  Builder b(context);
  auto whole = [&](LevelField field) {
    return static_cast<int64_t>(numbers[field]);
  };
  auto real = [&](LevelField field) {
    return b.getF64FloatAttr(numbers[field]);
  };
  if (provenance && provenance.empty())
    provenance = {};
  return HwLevelAttr::get(context, name, whole(Units), memory, whole(Capacity),
                          real(Bandwidth), real(Stream), real(Latency),
                          whole(Granularity), whole(Alignment), real(Startup),
                          provenance, source);
}

ArrayRef<StringRef> HwLevelAttr::getNumericFields() { return kLevelFields; }

std::optional<double> HwLevelAttr::getNumber(StringRef field) const {
  switch (findLevelField(field)) {
  case Units:
    return getUnits();
  case Capacity:
    return getCapacity();
  case Bandwidth:
    return getBandwidth();
  case Stream:
    return getStreamAttr().getValueAsDouble();
  case Latency:
    return getLatency();
  case Granularity:
    return getGranularity();
  case Alignment:
    return getAlignment();
  case Startup:
    return getStartup();
  default:
    return std::nullopt;
  }
}

static DictionaryAttr replaceProvenance(MLIRContext *context,
                                        DictionaryAttr provenance,
                                        StringRef field, StringRef from) {
  NamedAttrList entries(provenance);
  if (from.empty())
    entries.erase(field);
  else
    entries.set(field, StringAttr::get(context, from));
  return entries.empty() ? DictionaryAttr() : entries.getDictionary(context);
}

FailureOr<HwLevelAttr>
HwLevelAttr::withNumber(function_ref<InFlightDiagnostic()> emitError,
                        StringRef field, double value, StringRef from) const {
  int index = findLevelField(field);
  auto error = [&](StringRef) { return emitError(); };
  if (index < 0)
    return emitError() << "levels have no field '" << field << "'; they have "
                       << llvm::join(getNumericFields(), ", ");
  if (failed(checkLevelNumber(error, getName(), index, value)))
    return failure();
  Level level(*this);
  level.numbers[index] = value;
  if (failed(level.check(error)))
    return failure();
  return level.get(
      getContext(),
      replaceProvenance(getContext(), getProvenance(), field, from),
      getSource());
}

HwLevelAttr HwLevelAttr::withSource(StringAttr source) const {
  return Level(*this).get(getContext(), getProvenance(), source);
}

LogicalResult HwLevelAttr::verify(
    function_ref<InFlightDiagnostic()> emitError, StringRef name, int64_t units,
    StringRef memory, int64_t capacity, FloatAttr bandwidth, FloatAttr stream,
    FloatAttr latency, int64_t granularity, int64_t alignment,
    FloatAttr startup, DictionaryAttr provenance, StringAttr source) {
  auto error = [&](StringRef) { return emitError(); };
  for (FloatAttr number : {bandwidth, stream, latency, startup})
    if (!number || !number.getType().isF64())
      return emitError() << "level '" << name
                         << "': bandwidth, stream, latency and startup must "
                            "be f64 attributes";
  Level level;
  level.name = name.str();
  level.memory = memory.str();
  const double numbers[] = {double(units),
                            double(capacity),
                            bandwidth.getValueAsDouble(),
                            stream.getValueAsDouble(),
                            latency.getValueAsDouble(),
                            double(granularity),
                            double(alignment),
                            startup.getValueAsDouble()};
  llvm::copy(numbers, level.numbers);
  if (failed(checkProvenance(error, "level '" + name + "'", provenance,
                             kLevelFields)))
    return failure();
  return level.check(error);
}

Attribute HwLevelAttr::parse(AsmParser &parser, Type) {
  Level level;
  NamedAttrList provenance;
  llvm::StringMap<SMLoc> locs;
  std::string source;
  SMLoc begin = parser.getCurrentLocation();
  auto emitError = [&](StringRef field) {
    auto it = locs.find(field);
    return parser.emitError(it == locs.end() ? begin : it->second);
  };
  auto parseValue = [&](StringRef field, SMLoc loc) -> ParseResult {
    if (field == "memory") {
      StringRef memory;
      if (parser.parseKeyword(&memory))
        return failure();
      level.memory = memory.str();
      return success();
    }
    if (field == "source")
      return parseStringField(parser, source);
    int index = findLevelField(field);
    if (index < 0)
      return parser.emitError(loc)
             << "level '" << level.name << "': unknown field '" << field
             << "'; expected memory, " << llvm::join(getNumericFields(), ", ")
             << " or source";
    double &value = level.numbers[index];
    if (parseNumber(parser, value))
      return failure();
    if (index == Capacity)
      parseByteUnit(parser, value);
    if (failed(checkLevelNumber(emitError, level.name, index, value)))
      return failure();
    return parseProvenance(parser, field, provenance);
  };
  if (parser.parseLess() || (begin = parser.getCurrentLocation(), false) ||
      parser.parseString(&level.name) || parser.parseComma() ||
      parseFields(parser, "level '" + level.name + "'", locs, parseValue))
    return {};
  if (level.numbers[Alignment] == 0)
    level.numbers[Alignment] = level.numbers[Granularity];
  if (failed(level.check(emitError)))
    return {};
  Builder &b = parser.getBuilder();
  return level.get(parser.getContext(),
                   provenance.getDictionary(parser.getContext()),
                   source.empty() ? StringAttr() : b.getStringAttr(source));
}

void HwLevelAttr::print(AsmPrinter &p) const {
  p << '<';
  p.printString(getName());
  for (StringRef field : kLevelFields) {
    double value = *getNumber(field);
    bool implied = field == kLevelFields[Alignment] &&
                   getAlignment() == getGranularity() &&
                   !(getProvenance() && getProvenance().contains(field));
    if (value == 0 || implied)
      continue;
    p << ", " << field << " = ";
    if (field == kLevelFields[Capacity])
      printBytes(p, getCapacity());
    else
      printNumber(p, value);
    printProvenance(p, getProvenance(), field);
    if (field == kLevelFields[Units] && hasMemory())
      p << ", memory = " << getMemory();
  }
  if (getSource())
    p << ", source = " << getSource();
  p << '>';
}

//===----------------------------------------------------------------------===//
// HwInstructionAttr
//===----------------------------------------------------------------------===//

static constexpr StringRef kInstructionKinds[] = {"fma",      "dot",   "tile",
                                                  "mma_sync", "wgmma", "simt"};
static constexpr StringRef kInstructionNumbers[] = {"rate"};

static LogicalResult checkInstruction(FieldError emitError, StringRef name,
                                      StringRef kind, Type a, Type b, Type acc,
                                      int64_t m, int64_t n, int64_t k,
                                      double rate, int64_t registers) {
  if (failed(checkName(emitError, "instruction", name)))
    return failure();
  auto error = [&](StringRef field) {
    return emitError(field) << "instruction '" << name << "': ";
  };
  if (!llvm::is_contained(kInstructionKinds, kind))
    return error("kind") << "unknown kind '" << kind
                         << "'; expected fma, dot, tile, mma_sync, wgmma or "
                            "simt";
  for (Type type : {a, b, acc})
    if (!type || !type.isIntOrFloat())
      return error("type") << "'type' needs integer or floating-point element "
                              "types";
  for (int64_t extent : {m, n, k})
    if (extent < 1)
      return error("shape") << "extents of 'shape' must be at least 1, got "
                            << m << 'x' << n << 'x' << k;
  if (!std::isfinite(rate) || rate <= 0)
    return error("rate") << "'rate' must be positive, got " << rate;
  if (registers < 0)
    return error("registers")
           << "'registers' must not be negative, got " << registers;
  return success();
}

LogicalResult
HwInstructionAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                          StringRef name, StringRef kind, Type a, Type b,
                          Type acc, int64_t m, int64_t n, int64_t k,
                          FloatAttr rate, int64_t registers, StringRef feature,
                          DictionaryAttr provenance, StringAttr source) {
  auto error = [&](StringRef) { return emitError(); };
  if (!rate || !rate.getType().isF64())
    return emitError() << "instruction '" << name
                       << "': rate must be an f64 attribute";
  if (failed(checkProvenance(error, "instruction '" + name + "'", provenance,
                             kInstructionNumbers)))
    return failure();
  return checkInstruction(error, name, kind, a, b, acc, m, n, k,
                          rate.getValueAsDouble(), registers);
}

std::string HwInstructionAttr::getKey() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << getKind() << '.' << getA();
  return text;
}

FailureOr<HwInstructionAttr>
HwInstructionAttr::withRate(function_ref<InFlightDiagnostic()> emitError,
                            double rate, StringRef from) const {
  MLIRContext *context = getContext();
  auto attr = getChecked(
      emitError, context, getName(), getKind(), getA(), getB(), getAcc(),
      getM(), getN(), getK(), Builder(context).getF64FloatAttr(rate),
      getRegisters(), getFeature(),
      replaceProvenance(context, getProvenance(), "rate", from), getSource());
  if (!attr)
    return failure();
  return attr;
}

HwInstructionAttr HwInstructionAttr::withSource(StringAttr source) const {
  return get(getContext(), getName(), getKind(), getA(), getB(), getAcc(),
             getM(), getN(), getK(), getRateAttr(), getRegisters(),
             getFeature(), getProvenance(), source);
}

Attribute HwInstructionAttr::parse(AsmParser &parser, Type) {
  std::string name, kind, feature, source;
  Type a, b, acc;
  SmallVector<int64_t> shape;
  double rate = 0;
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
    if (field == "registers")
      return parser.parseInteger(registers);
    if (field == "feature")
      return parseStringField(parser, feature);
    if (field == "source")
      return parseStringField(parser, source);
    return parser.emitError(loc)
           << "instruction '" << name << "': unknown field '" << field
           << "'; expected kind, type, shape, rate, registers, feature or "
              "source";
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
                              shape[1], shape[2], rate, registers)))
    return {};
  Builder &builder = parser.getBuilder();
  MLIRContext *context = parser.getContext();
  return get(context, name, kind, a, b, acc, shape[0], shape[1], shape[2],
             builder.getF64FloatAttr(rate), registers, feature,
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
  printNumber(p, getRate());
  printProvenance(p, getProvenance(), "rate");
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

//===----------------------------------------------------------------------===//
// HwAttr
//===----------------------------------------------------------------------===//

/// Levels that passes for this instruction set look for, from the outside in.
static ArrayRef<StringRef> getRequiredLevels(StringRef isa) {
  static constexpr StringRef cpu[] = {"device", "core", "l2", "l1", "register"};
  static constexpr StringRef gpu[] = {"device", "block", "smem", "warp",
                                      "register"};
  static constexpr StringRef any[] = {"device", "register"};
  if (isa.starts_with("x86-"))
    return cpu;
  if (isa.starts_with("sm_"))
    return gpu;
  return any;
}

static LogicalResult
checkLevels(StringRef isa, ArrayRef<HwLevelAttr> levels, FieldError emitField,
            function_ref<InFlightDiagnostic(size_t)> emitError) {
  ArrayRef<StringRef> required = getRequiredLevels(isa);
  llvm::StringMap<size_t> positions;
  HwLevelAttr outer;
  for (auto [i, level] : llvm::enumerate(levels)) {
    if (!positions.try_emplace(level.getName(), i).second)
      return emitError(i) << "level '" << level.getName()
                          << "' is described more than once";
    if (!level.hasMemory())
      continue;
    if (outer && outer.getCapacity() < level.getCapacity())
      return emitError(i) << "level '" << level.getName() << "' holds "
                          << level.getCapacity() << " bytes, more than the "
                          << outer.getCapacity() << " bytes of level '"
                          << outer.getName() << "' outside it";
    outer = level;
  }
  std::optional<size_t> before;
  for (StringRef name : required) {
    auto it = positions.find(name);
    if (it == positions.end())
      return emitField("levels")
             << "level '" << name << "' is missing; " << isa << " needs "
             << llvm::join(required, ", ") << ", from the outside in";
    if (before && it->second < *before)
      return emitError(it->second)
             << "level '" << name << "' stands outside level '"
             << levels[*before].getName() << "'; " << isa << " needs "
             << llvm::join(required, ", ") << ", from the outside in";
    before = it->second;
  }
  if (levels.front().getName() != "device")
    return emitError(0) << "the outermost level must be 'device', got '"
                        << levels.front().getName() << "'";
  if (levels.back().getName() != "register" ||
      levels.back().getMemory() != "register")
    return emitError(levels.size() - 1)
           << "the innermost level must be 'register' with register memory";
  return success();
}

static LogicalResult
checkInstructions(StringRef features, ArrayRef<HwInstructionAttr> instructions,
                  function_ref<InFlightDiagnostic(size_t)> emitError) {
  SmallVector<StringRef> given;
  features.split(given, ',', -1, /*KeepEmpty=*/false);
  for (auto [i, instruction] : llvm::enumerate(instructions)) {
    StringRef feature = instruction.getFeature();
    if (!feature.empty() && !llvm::is_contained(given, ("+" + feature).str()))
      return emitError(i) << "instruction '" << instruction.getName()
                          << "' needs feature '" << feature
                          << "', which 'features' does not have";
    for (HwInstructionAttr other : instructions.take_front(i)) {
      if (other.getName() == instruction.getName())
        return emitError(i) << "instruction '" << instruction.getName()
                            << "' is described more than once";
      if (other.getKind() == instruction.getKind() &&
          other.getA() == instruction.getA() &&
          other.getB() == instruction.getB() &&
          other.getAcc() == instruction.getAcc())
        return emitError(i) << "instruction '" << instruction.getName()
                            << "' has kind and types of instruction '"
                            << other.getName() << "'";
    }
  }
  return success();
}

static LogicalResult checkHead(FieldError emitError, StringRef isa,
                               StringRef chip, StringRef triple,
                               StringRef features) {
  for (auto [field, value] :
       {std::pair{"isa", isa}, {"chip", chip}, {"triple", triple}})
    if (value.empty())
      return emitError(field) << "hardware description needs '" << field << "'";
  SmallVector<StringRef> items;
  features.split(items, ',');
  for (StringRef item : items)
    if (!features.empty() && !item.starts_with("+") && !item.starts_with("-"))
      return emitError("features")
             << "'features' must be +name or -name, "
             << "separated by commas, got '" << item << "'";
  return success();
}

LogicalResult HwAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                             StringRef isa, StringRef chip, StringRef triple,
                             StringRef cpu, StringRef features,
                             ArrayRef<HwLevelAttr> levels,
                             ArrayRef<HwInstructionAttr> instructions) {
  auto fieldError = [&](StringRef) { return emitError(); };
  auto itemError = [&](size_t) { return emitError(); };
  return success(
      succeeded(checkHead(fieldError, isa, chip, triple, features)) &&
      succeeded(checkLevels(isa, levels, fieldError, itemError)) &&
      succeeded(checkInstructions(features, instructions, itemError)));
}

Attribute HwAttr::parse(AsmParser &parser, Type) {
  std::string isa, chip = "generic", triple, cpu, features;
  SmallVector<HwLevelAttr> levels;
  SmallVector<HwInstructionAttr> instructions;
  SmallVector<SMLoc> levelLocs, instructionLocs;
  llvm::StringMap<SMLoc> locs;
  SMLoc begin = parser.getCurrentLocation();
  auto parseItems = [&](auto &items, SmallVector<SMLoc> &itemLocs) {
    return parser.parseCommaSeparatedList(
        AsmParser::Delimiter::Square, [&]() -> ParseResult {
          itemLocs.push_back(parser.getCurrentLocation());
          return parser.parseCustomAttributeWithFallback(items.emplace_back());
        });
  };
  auto parseValue = [&](StringRef field, SMLoc loc) -> ParseResult {
    if (field == "levels")
      return parseItems(levels, levelLocs);
    if (field == "instructions")
      return parseItems(instructions, instructionLocs);
    auto *text = llvm::StringSwitch<std::string *>(field)
                     .Case("isa", &isa)
                     .Case("chip", &chip)
                     .Case("triple", &triple)
                     .Case("cpu", &cpu)
                     .Case("features", &features)
                     .Default(nullptr);
    if (!text)
      return parser.emitError(loc)
             << "hardware description: unknown field '" << field
             << "'; expected isa, chip, triple, cpu, features, levels or "
                "instructions";
    return parseStringField(parser, *text);
  };
  if (parser.parseLess() ||
      parseFields(parser, "hardware description", locs, parseValue))
    return {};
  auto fieldError = [&](StringRef field) {
    auto it = locs.find(field);
    return parser.emitError(it == locs.end() ? begin : it->second);
  };
  auto levelError = [&](size_t i) { return parser.emitError(levelLocs[i]); };
  auto instructionError = [&](size_t i) {
    return parser.emitError(instructionLocs[i]);
  };
  if (failed(checkHead(fieldError, isa, chip, triple, features)) ||
      failed(checkLevels(isa, levels, fieldError, levelError)) ||
      failed(checkInstructions(features, instructions, instructionError)))
    return {};
  return get(parser.getContext(), isa, chip, triple, cpu, features, levels,
             instructions);
}

/// One item a line, so that a description reads and diffs as a table.
template <typename T>
static void printItems(AsmPrinter &p, StringRef field, ArrayRef<T> items) {
  p << ',';
  p.printNewline();
  p << field << " = [";
  p.increaseIndent();
  llvm::interleave(
      items,
      [&](T item) {
        p.printNewline();
        p.printStrippedAttrOrType(item);
      },
      [&]() { p << ','; });
  p.decreaseIndent();
  p.printNewline();
  p << ']';
}

void HwAttr::print(AsmPrinter &p) const {
  p << '<';
  p.increaseIndent();
  p.printNewline();
  StringRef separator;
  for (auto [field, value] : {std::pair{"isa", getIsa()},
                              {"chip", getChip()},
                              {"triple", getTriple()},
                              {"cpu", getCpu()},
                              {"features", getFeatures()}}) {
    if (value.empty())
      continue;
    p << separator << field << " = ";
    p.printString(value);
    separator = ", ";
  }
  printItems(p, "levels", getLevels());
  if (!getInstructions().empty())
    printItems(p, "instructions", getInstructions());
  p.decreaseIndent();
  p << '>';
}

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

HwLevelAttr HwAttr::getLevel(StringRef name) const {
  for (HwLevelAttr level : getLevels())
    if (level.getName() == name)
      return level;
  return {};
}

bool HwAttr::isGPU() const { return getIsa().starts_with("sm_"); }

int64_t HwAttr::getVectorBytes() const {
  HwLevelAttr registers = getLevel("register");
  return registers ? registers.getGranularity() : 0;
}

int64_t HwAttr::getVectorRegisters() const {
  HwLevelAttr registers = getLevel("register");
  return registers ? registers.getCapacity() / registers.getGranularity() : 0;
}

HwInstructionAttr HwAttr::getInstruction(StringRef kind, Type a, Type b,
                                         Type acc) const {
  for (HwInstructionAttr instruction : getInstructions())
    if (instruction.getKind() == kind && instruction.getA() == a &&
        instruction.getB() == b && instruction.getAcc() == acc)
      return instruction;
  return {};
}

std::optional<double> HwAttr::getNumber(StringRef key) const {
  auto [prefix, field] = key.rsplit('.');
  if (HwLevelAttr level = getLevel(prefix)) {
    if (field == kLevelFields[Stream])
      return level.getStream();
    return level.getNumber(field);
  }
  if (field == "rate")
    for (HwInstructionAttr instruction : getInstructions())
      if (instruction.getKey() == prefix)
        return instruction.getRate();
  return std::nullopt;
}

FailureOr<Attribute> HwAttr::query(DataLayoutEntryKey key) const {
  auto text = dyn_cast<StringAttr>(key);
  if (!text)
    return failure();
  StringRef name = text.getValue();
  Builder b(getContext());
  auto toAttr = [&](StringRef field, double value) -> Attribute {
    if (int index = findLevelField(field); index >= 0 && isWholeField(index))
      return b.getI64IntegerAttr(static_cast<int64_t>(value));
    return b.getF64FloatAttr(value);
  };
  if (name.contains('.')) {
    std::optional<double> value = getNumber(name);
    if (value)
      return toAttr(name.rsplit('.').second, *value);
    auto [prefix, field] = name.rsplit('.');
    HwLevelAttr level = getLevel(prefix);
    if (level && field == "memory")
      return Attribute(b.getStringAttr(level.getMemory()));
    return failure();
  }
  if (HwLevelAttr level = getLevel(name)) {
    NamedAttrList fields;
    fields.set("memory", b.getStringAttr(level.getMemory()));
    for (StringRef field : kLevelFields)
      fields.set(field, toAttr(field, *level.getNumber(field)));
    return Attribute(fields.getDictionary(getContext()));
  }
  for (auto [field, value] : {std::pair{"isa", getIsa()},
                              {"chip", getChip()},
                              {"triple", getTriple()},
                              {"cpu", getCpu()},
                              {"features", getFeatures()}})
    if (name == field)
      return Attribute(b.getStringAttr(value));
  return failure();
}
