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

#include "HwAssembly.h"
#include "MfmaNames.h"
#include "ProcessorNames.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;
using namespace vortex;
using namespace vortex::hw;

//===----------------------------------------------------------------------===//
// HwAttr
//===----------------------------------------------------------------------===//

/// Vector registers that instructions of x86-64 can name, and their bytes
/// (Intel SDM vol. 2: EVEX).
constexpr int64_t kMostVectors = 32, kMostVectorBytes = 64;

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
    // Register files lie beside shared memory, not in it.
    bool beside = outer && outer.getMemory() == "shared" &&
                  level.getMemory() == "register";
    if (outer && !beside && outer.getCapacity() < level.getCapacity())
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
  // Tiles grow until registers end: more than instructions can name would
  // never be done.
  HwLevelAttr file = levels.back();
  if (isa.starts_with("x86-") &&
      (file.getGranularity() > kMostVectorBytes ||
       file.getCapacity() / file.getGranularity() > kMostVectors))
    return emitError(levels.size() - 1)
           << "level 'register': " << file.getCapacity() / file.getGranularity()
           << " registers of " << file.getGranularity()
           << " bytes; instructions of x86-64 name " << kMostVectors << " of "
           << kMostVectorBytes << " bytes at most";
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

/// A processor that lacks an instruction ends LLVM's selection of it, and
/// nothing can be told then.
static LogicalResult
checkMfmas(StringRef triple, StringRef cpu,
           ArrayRef<HwInstructionAttr> instructions,
           function_ref<InFlightDiagnostic(size_t)> emitError) {
  SmallVector<StringRef> names;
  SmallVector<size_t> places;
  for (auto [i, instruction] : llvm::enumerate(instructions))
    if (instruction.getKind() == "mfma") {
      names.push_back(instruction.getName());
      places.push_back(i);
    }
  std::optional<size_t> missing = findMissingMfma(triple, cpu, names);
  if (!missing)
    return success();
  SmallVector<std::string> known = listMfmaNames(triple, cpu);
  return emitError(places[*missing])
         << "instruction '" << names[*missing] << "' is none of " << cpu
         << (known.empty() ? ", which LLVM knows no mfma of" : ", which has ")
         << llvm::join(known, ", ");
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
      succeeded(checkInstructions(features, instructions, itemError)) &&
      succeeded(checkProcessor(fieldError, isa, triple, cpu, features)) &&
      succeeded(checkMfmas(triple, cpu, instructions, itemError)));
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
    return parser.parseString(text);
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
      failed(checkInstructions(features, instructions, instructionError)) ||
      failed(checkProcessor(fieldError, isa, triple, cpu, features)) ||
      failed(checkMfmas(triple, cpu, instructions, instructionError)))
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

bool HwAttr::isGPU() const {
  return getIsa().starts_with("sm_") || llvm::Triple(getTriple()).isGPU();
}

int64_t HwAttr::getVectorBytes() const {
  HwLevelAttr registers = getLevel("register");
  return registers ? registers.getGranularity() : 0;
}

int64_t HwAttr::getLineBytes() const {
  for (HwLevelAttr level : llvm::reverse(getLevels()))
    if (level.getMemory() == "cache")
      return level.getGranularity();
  return 1;
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
    if (field == "stream")
      return level.getStream();
    if (field == "touched" && level.hasMemory())
      return level.getTouched();
    return level.getNumber(field);
  }
  for (HwInstructionAttr instruction : getInstructions())
    if (instruction.getKey() == prefix)
      return instruction.getNumber(field);
  return std::nullopt;
}

FailureOr<Attribute> HwAttr::query(DataLayoutEntryKey key) const {
  auto text = dyn_cast<StringAttr>(key);
  if (!text)
    return failure();
  StringRef name = text.getValue();
  Builder b(getContext());
  auto toAttr = [&](StringRef field, double value) -> Attribute {
    if (isWholeLevelField(field))
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
    for (StringRef field : HwLevelAttr::getNumericFields())
      fields.set(field, toAttr(field, *getNumber((name + "." + field).str())));
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
