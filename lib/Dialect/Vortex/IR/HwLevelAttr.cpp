//===- HwLevelAttr.cpp - Levels of a hardware description ----- -*- C++ -*-===//
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
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace vortex;
using namespace vortex::hw;

namespace {
enum LevelField {
  Units,
  Capacity,
  Bandwidth,
  Stream,
  Latency,
  Granularity,
  Alignment,
  Ways,
  Streams,
  Outstanding,
  Pages,
  Touched,
  Exposed,
  Scattered,
  Merged,
  Translation,
  Startup,
  Call,
  NumLevelFields
};

constexpr StringRef kLevelFields[NumLevelFields] = {
    "units",       "capacity",  "bandwidth", "stream",    "latency",
    "granularity", "alignment", "ways",      "streams",   "outstanding",
    "pages",       "touched",   "exposed",   "scattered", "merged",
    "translation", "startup",   "call"};
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

/// Whole numbers up to here are exact in a double.
static constexpr double kLargestCount = 9007199254740992.0; // 2^53

static bool isWholeField(int field) {
  return field == Units || field == Capacity || field == Granularity ||
         field == Alignment || field == Ways || field == Streams ||
         field == Outstanding || field == Pages;
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
    if (value != std::floor(value) || std::fabs(value) >= kLargestCount)
      return error() << "must be a whole number below 2^53";
    if (value < 1)
      return error() << "must be at least 1, got "
                     << static_cast<int64_t>(value);
    return success();
  }
  if (value < 0)
    return error() << "must not be negative, got " << formatNumber(value);
  if (value == 0 && (field == Bandwidth || field == Stream ||
                     field == Touched || field == Merged))
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
    for (int field = Capacity; field <= Translation; ++field)
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
  for (int field :
       {Ways, Streams, Outstanding, Pages, Scattered, Merged, Translation})
    if (numbers[field] != 0 && memory != "cache" &&
        !(field == Ways && memory == "shared"))
      return emitError(kLevelFields[field])
             << "level '" << name << "' has " << memory
             << " memory, which has no '" << kLevelFields[field] << "'";
  for (int field : {Touched, Exposed})
    if (numbers[field] != 0 && memory != "dram" && memory != "cache")
      return emitError(kLevelFields[field])
             << "level '" << name << "' has " << memory
             << " memory, which has no '" << kLevelFields[field] << "'";
  auto ways = static_cast<int64_t>(numbers[Ways]);
  if (memory == "shared" && ways > 0 && granularity % ways != 0)
    return emitError("ways")
           << "level '" << name << "': 'granularity' of " << granularity
           << " bytes is not a whole number of bytes of each of " << ways
           << " banks";
  if (memory == "cache" && numbers[Ways] * granularity > capacity)
    return emitError("ways")
           << "level '" << name << "': " << ways << " ways of " << granularity
           << " bytes exceed the capacity of " << capacity << " bytes";
  if (memory == "register" && capacity % granularity != 0)
    return emitError("capacity")
           << "level '" << name << "': 'capacity' of " << capacity
           << " bytes is not a whole number of registers of " << granularity
           << " bytes";
  if (numbers[Stream] > numbers[Bandwidth] && memory != "register")
    return emitError("stream")
           << "level '" << name << "': 'stream' of "
           << formatNumber(numbers[Stream]) << " GB/s exceeds the bandwidth of "
           << formatNumber(numbers[Bandwidth])
           << " GB/s of all readers together";
  if (numbers[Touched] > numbers[Bandwidth])
    return emitError("touched") << "level '" << name << "': 'touched' of "
                                << formatNumber(numbers[Touched])
                                << " GB/s exceeds the bandwidth of "
                                << formatNumber(numbers[Bandwidth])
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
  return HwLevelAttr::get(
      context, name, whole(Units), memory, whole(Capacity), real(Bandwidth),
      real(Stream), real(Latency), whole(Granularity), whole(Alignment),
      whole(Ways), whole(Streams), whole(Outstanding), whole(Pages),
      real(Touched), real(Exposed), real(Scattered), real(Merged),
      real(Translation), real(Startup), real(Call), provenance, source);
}

bool vortex::hw::isWholeLevelField(StringRef field) {
  int index = findLevelField(field);
  return index >= 0 && isWholeField(index);
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
  case Ways:
    return getWays();
  case Streams:
    return getStreams();
  case Outstanding:
    return getOutstanding();
  case Pages:
    return getPages();
  case Touched:
    return getTouchedAttr().getValueAsDouble();
  case Exposed:
    return getExposed();
  case Scattered:
    return getScattered();
  case Merged:
    return getMergedAttr().getValueAsDouble();
  case Translation:
    return getTranslation();
  case Startup:
    return getStartup();
  case Call:
    return getCall();
  default:
    return std::nullopt;
  }
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
  double old = level.numbers[index];
  level.numbers[index] = value;
  // What was not said apart follows: a level that is aligned as it is read
  // stays so, and one reader never draws more than all together.
  if (index == Granularity && level.numbers[Alignment] == old)
    level.numbers[Alignment] = value;
  if (index == Bandwidth)
    for (LevelField alone : {Stream, Touched})
      level.numbers[alone] = std::min(level.numbers[alone], value);
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
    FloatAttr latency, int64_t granularity, int64_t alignment, int64_t ways,
    int64_t streams, int64_t outstanding, int64_t pages, FloatAttr touched,
    FloatAttr exposed, FloatAttr scattered, FloatAttr merged,
    FloatAttr translation, FloatAttr startup, FloatAttr call,
    DictionaryAttr provenance, StringAttr source) {
  auto error = [&](StringRef) { return emitError(); };
  for (FloatAttr number : {bandwidth, stream, latency, touched, exposed,
                           scattered, merged, translation, startup, call})
    if (!number || !number.getType().isF64())
      return emitError()
             << "level '" << name
             << "': bandwidth, stream, latency, touched, exposed, "
                "scattered, merged, translation, startup and call must "
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
                            double(ways),
                            double(streams),
                            double(outstanding),
                            double(pages),
                            touched.getValueAsDouble(),
                            exposed.getValueAsDouble(),
                            scattered.getValueAsDouble(),
                            merged.getValueAsDouble(),
                            translation.getValueAsDouble(),
                            startup.getValueAsDouble(),
                            call.getValueAsDouble()};
  llvm::copy(numbers, level.numbers);
  if (failed(checkProvenance(error, "level '" + name + "'", provenance,
                             kLevelFields)))
    return failure();
  return level.check(error);
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
      return parser.parseString(&source);
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
      p << formatNumber(value);
    printProvenance(p, getProvenance(), field);
    if (field == kLevelFields[Units] && hasMemory())
      p << ", memory = " << getMemory();
  }
  if (getSource())
    p << ", source = " << getSource();
  p << '>';
}
