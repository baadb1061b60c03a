//===- TargetSpec.cpp - NAME,key=value and what it changes ---- -*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/HwDesc/Targets.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace vortex;

/// A target while it is changed; verified as a whole afterwards.
namespace {
struct Parts {
  explicit Parts(HwAttr target)
      : isa(target.getIsa()), chip(target.getChip()),
        triple(target.getTriple()), cpu(target.getCpu()),
        features(target.getFeatures()), levels(target.getLevels()),
        instructions(target.getInstructions()), context(target.getContext()) {}

  FailureOr<HwAttr> get(EmitErrorFn emitError) const {
    auto target = HwAttr::getChecked(
        emitError, context, StringRef(isa), StringRef(chip), StringRef(triple),
        StringRef(cpu), StringRef(features), ArrayRef<HwLevelAttr>(levels),
        ArrayRef<HwInstructionAttr>(instructions));
    if (!target)
      return failure();
    return target;
  }

  std::string isa, chip, triple, cpu, features;
  SmallVector<HwLevelAttr> levels;
  SmallVector<HwInstructionAttr> instructions;
  MLIRContext *context;
};
} // namespace

static std::optional<double> parseValue(StringRef text) {
  text = text.trim();
  double unit = 1;
  for (auto [suffix, bytes] : {std::pair{"KiB", 1024.0},
                               {"MiB", 1024.0 * 1024},
                               {"GiB", 1024.0 * 1024 * 1024}})
    if (text.consume_back(suffix)) {
      unit = bytes;
      break;
    }
  double value;
  if (text.trim().getAsDouble(value))
    return std::nullopt;
  return value * unit;
}

/// Keeps the instructions that `features` allow.
static void filterInstructions(Parts &parts) {
  SmallVector<StringRef> given;
  StringRef(parts.features).split(given, ',', -1, /*KeepEmpty=*/false);
  llvm::erase_if(parts.instructions, [&](HwInstructionAttr instruction) {
    StringRef feature = instruction.getFeature();
    return !feature.empty() &&
           !llvm::is_contained(given, ("+" + feature).str());
  });
}

/// Adds and removes features one by one: `+x` replaces `-x` and back.
static LogicalResult changeFeatures(Parts &parts, StringRef changes,
                                    EmitErrorFn emitError) {
  SmallVector<StringRef> items, given;
  StringRef(parts.features).split(given, ',', -1, /*KeepEmpty=*/false);
  changes.split(items, ',', -1, /*KeepEmpty=*/false);
  for (StringRef item : items) {
    if (!item.starts_with("+") && !item.starts_with("-"))
      return emitError() << "feature '" << item
                         << "' must start with '+' or '-'";
    llvm::erase_if(given, [&](StringRef old) {
      return old.drop_front() == item.drop_front();
    });
    given.push_back(item);
  }
  parts.features = llvm::join(given, ",");
  filterInstructions(parts);
  return success();
}

static LogicalResult changeNumber(Parts &parts, StringRef target, StringRef key,
                                  StringRef text, StringRef from,
                                  EmitErrorFn emitError) {
  std::optional<double> value = parseValue(text);
  if (!value)
    return emitError() << "'" << text << "' is not a number";
  auto [prefix, field] = key.rsplit('.');
  for (HwLevelAttr &level : parts.levels)
    if (level.getName() == prefix) {
      auto changed = level.withNumber(emitError, field, *value, from);
      if (failed(changed))
        return failure();
      level = *changed;
      return success();
    }
  bool found = false;
  for (HwInstructionAttr &instruction : parts.instructions)
    if (instruction.getKey() == prefix) {
      auto changed = instruction.withNumber(emitError, field, *value, from);
      if (failed(changed))
        return failure();
      instruction = *changed;
      found = true;
    }
  if (found)
    return success();
  InFlightDiagnostic error = emitError();
  error << "target '" << target << "' has no '" << prefix
        << "'; its levels are "
        << llvm::join(llvm::map_range(
                          parts.levels,
                          [](HwLevelAttr level) { return level.getName(); }),
                      ", ");
  if (!parts.instructions.empty()) {
    error << "; its rates ";
    llvm::interleaveComma(parts.instructions, error,
                          [&](HwInstructionAttr instruction) {
                            error << instruction.getKey() << ".rate";
                          });
  }
  return error;
}

FailureOr<HwAttr>
vortex::overrideTarget(HwAttr target,
                       ArrayRef<std::pair<std::string, std::string>> changes,
                       StringRef from, EmitErrorFn emitError) {
  Parts parts(target);
  llvm::StringSet<> keys;
  for (const auto &[key, value] : changes) {
    if (!keys.insert(key).second)
      return emitError() << "'" << key << "' is given more than once";
    auto changeError = [&, &key = key, &value = value]() {
      return emitError() << "in '" << key << "=" << value << "': ";
    };
    if (StringRef(key).contains('.')) {
      if (failed(changeNumber(parts, target.getIsa(), key, value, from,
                              changeError)))
        return failure();
    } else if (key == "features") {
      if (failed(changeFeatures(parts, value, emitError)))
        return failure();
    } else if (key == "chip") {
      parts.chip = value;
    } else if (key == "cpu") {
      parts.cpu = value;
    } else if (key == "triple") {
      parts.triple = value;
    } else {
      return emitError()
             << "unknown key '" << key
             << "' of a target; expected level.field, "
                "kind.type.rate, kind.type.half, kind.type.latency, chip, cpu, "
                "triple or features";
    }
  }
  return parts.get(emitError);
}

HwAttr vortex::withFeatures(HwAttr target, StringRef features) {
  Parts parts(target);
  parts.features = features.str();
  filterInstructions(parts);
  return HwAttr::get(parts.context, parts.isa, parts.chip, parts.triple,
                     parts.cpu, parts.features, parts.levels,
                     parts.instructions);
}

FailureOr<SmallVector<HwAttr>> vortex::parseTargets(MLIRContext *context,
                                                    StringRef spec,
                                                    EmitErrorFn emitError) {
  struct Item {
    StringRef name;
    SmallVector<std::pair<std::string, std::string>> changes;
  };
  SmallVector<Item> items;
  for (StringRef text : llvm::split(spec, ',')) {
    text = text.trim();
    bool feature = text.starts_with("+") || text.starts_with("-");
    if (feature && !items.empty() && !items.back().changes.empty() &&
        items.back().changes.back().first == "features") {
      items.back().changes.back().second += ("," + text).str();
    } else if (text.contains('=')) {
      auto [key, value] = text.split('=');
      if (items.empty())
        return emitError() << "'" << text
                           << "' in the list of targets follows no target";
      items.back().changes.emplace_back(key.trim().str(), value.trim().str());
    } else if (text.empty()) {
      return emitError() << "empty name in the list of targets '" << spec
                         << "'";
    } else {
      items.push_back({text, {}});
    }
  }
  SmallVector<HwAttr> targets;
  for (Item &item : items) {
    auto target = lookupTarget(context, item.name, emitError);
    if (failed(target))
      return failure();
    if (!item.changes.empty()) {
      target = overrideTarget(*target, item.changes, "command line", emitError);
      if (failed(target))
        return failure();
    }
    // `host,x86-avx2` may name one machine twice; it is compiled for once.
    if (!llvm::is_contained(targets, *target))
      targets.push_back(*target);
  }
  return targets;
}

//===----------------------------------------------------------------------===//
// Attaching
//===----------------------------------------------------------------------===//

LogicalResult vortex::attachTargets(ModuleOp module, StringRef spec,
                                    StringRef file) {
  MLIRContext *context = module.getContext();
  auto emitError = [&]() { return module.emitError(); };
  if (!spec.empty() && !file.empty())
    return emitError() << "a target by name and one by file exclude each other";
  auto targets = file.empty() ? parseTargets(context, spec, emitError)
                              : loadTargetFile(context, file, emitError);
  if (failed(targets))
    return failure();
  module->setAttr(
      kTargetsAttr,
      ArrayAttr::get(context,
                     SmallVector<Attribute>(targets->begin(), targets->end())));
  return success();
}

SmallVector<HwAttr> vortex::getTargets(Operation *op) {
  for (; op; op = op->getParentOp())
    if (auto targets = op->getAttrOfType<ArrayAttr>(kTargetsAttr))
      return llvm::map_to_vector(targets, llvm::CastTo<HwAttr>);
  return {};
}
