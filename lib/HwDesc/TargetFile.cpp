//===- TargetFile.cpp - Description files and where they are -- -*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/HwDesc/Targets.h"

#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/SourceMgr.h"

#include <dlfcn.h>

using namespace mlir;
using namespace vortex;
namespace path = llvm::sys::path;

/// The file that holds this code: a program, or a plugin.
static std::string getOwnPath() {
  Dl_info info;
  if (!dladdr(reinterpret_cast<void *>(&getOwnPath), &info) || !info.dli_fname)
    return {};
  SmallString<256> real;
  // A program started by a relative path and symbolic links both end here.
  if (llvm::sys::fs::real_path(info.dli_fname, real) &&
      llvm::sys::fs::real_path("/proc/self/exe", real))
    return {};
  return real.str().str();
}

static std::string getVariable(StringRef name) {
  return llvm::sys::Process::GetEnv(name).value_or("");
}

/// What VORTEX_HWDESC_PATH names, there or not.
static SmallVector<std::string> getListedFolders() {
  SmallVector<std::string> folders;
  std::string listed = getVariable("VORTEX_HWDESC_PATH");
  for (StringRef folder : llvm::split(listed, ':'))
    if (!folder.empty())
      folders.push_back(folder.str());
  return folders;
}

SmallVector<std::string> vortex::getHwDescFolders() {
  SmallVector<std::string> folders;
  auto add = [&](const Twine &folder) {
    if (llvm::sys::fs::is_directory(folder))
      folders.push_back(folder.str());
  };
  for (const std::string &folder : getListedFolders())
    add(folder);
  if (std::string config = getVariable("XDG_CONFIG_HOME"); !config.empty())
    add(config + "/vortex/hwdesc");
  else if (std::string home = getVariable("HOME"); !home.empty())
    add(home + "/.config/vortex/hwdesc");
  // A program in bin, a plugin in lib or in lib/<architecture>.
  std::string own = getOwnPath();
  StringRef prefix = path::parent_path(own);
  for (int up = 0; up < 2 && !prefix.empty(); ++up) {
    prefix = path::parent_path(prefix);
    add(prefix + "/share/vortex/hwdesc");
  }
#ifdef VORTEX_INSTALLED_HWDESC
  add(VORTEX_INSTALLED_HWDESC);
#endif
  return folders;
}

SmallVector<std::string> vortex::listTargets() {
  SmallVector<std::string> names = {"host"};
  for (const std::string &folder : getHwDescFolders()) {
    std::error_code error;
    for (llvm::sys::fs::directory_iterator it(folder, error), end;
         it != end && !error; it.increment(error))
      if (path::extension(it->path()) == ".mlir")
        names.push_back(path::stem(it->path()).str());
  }
  llvm::sort(names);
  names.erase(llvm::unique(names), names.end());
  return names;
}

/// Gives each level and instruction the file and line on which its name
/// stands; they stand in the order of the description.
static HwAttr addSources(HwAttr target, StringRef file, unsigned &line,
                         ArrayRef<StringRef> lines) {
  MLIRContext *context = target.getContext();
  auto find = [&](StringRef name) {
    std::string text = ("<\"" + name + "\"").str();
    for (unsigned i = line; i != lines.size(); ++i)
      if (lines[i].take_until([](char c) { return c == '/'; }).contains(text)) {
        line = i;
        return StringAttr::get(context, file + ":" + Twine(i + 1));
      }
    return StringAttr();
  };
  SmallVector<HwLevelAttr> levels;
  for (HwLevelAttr level : target.getLevels())
    levels.push_back(
        level.getSource() ? level : level.withSource(find(level.getName())));
  SmallVector<HwInstructionAttr> instructions;
  for (HwInstructionAttr instruction : target.getInstructions())
    instructions.push_back(
        instruction.getSource()
            ? instruction
            : instruction.withSource(find(instruction.getName())));
  return HwAttr::get(context, target.getIsa(), target.getChip(),
                     target.getTriple(), target.getCpu(), target.getFeatures(),
                     levels, instructions);
}

HwAttr vortex::withoutSources(HwAttr target) {
  return HwAttr::get(
      target.getContext(), target.getIsa(), target.getChip(),
      target.getTriple(), target.getCpu(), target.getFeatures(),
      llvm::map_to_vector(
          target.getLevels(),
          [](HwLevelAttr level) { return level.withSource(StringAttr()); }),
      llvm::map_to_vector(target.getInstructions(),
                          [](HwInstructionAttr instruction) {
                            return instruction.withSource(StringAttr());
                          }));
}

FailureOr<SmallVector<HwAttr>> vortex::loadTargetFile(MLIRContext *context,
                                                      StringRef file,
                                                      EmitErrorFn emitError) {
  context->getOrLoadDialect<VortexDialect>();
  auto buffer = llvm::MemoryBuffer::getFile(file);
  if (!buffer)
    return emitError() << "cannot read hardware description '" << file
                       << "': " << buffer.getError().message();
  std::string text = (*buffer)->getBuffer().str();
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(*buffer), llvm::SMLoc());
  OwningOpRef<ModuleOp> module =
      parseSourceFile<ModuleOp>(sources, ParserConfig(context));
  if (!module)
    return failure(); // reported at the line
  SmallVector<HwAttr> targets = getTargets(*module);
  if (targets.empty())
    return emitError() << "'" << file << "' is not a hardware description: its "
                       << "module has no attribute '" << kTargetsAttr << "'";
  SmallVector<StringRef> lines;
  StringRef(text).split(lines, '\n');
  unsigned line = 0;
  for (HwAttr &target : targets)
    target = addSources(target, path::filename(file), line, lines);
  return targets;
}

FailureOr<HwAttr> vortex::lookupTarget(MLIRContext *context, StringRef name,
                                       EmitErrorFn emitError) {
  // A description of the same name from elsewhere would be another machine's.
  SmallVector<std::string> listed = getListedFolders();
  if (!listed.empty() && llvm::none_of(listed, [](const std::string &folder) {
        return llvm::sys::fs::is_directory(folder);
      }))
    return emitError() << "VORTEX_HWDESC_PATH is '" << llvm::join(listed, ":")
                       << "', where there is no folder";
  if (name == "host")
    return getHostTarget(context, emitError);
  if (!name.contains('/'))
    for (const std::string &folder : getHwDescFolders()) {
      std::string file = (folder + "/" + name + ".mlir").str();
      if (!llvm::sys::fs::exists(file))
        continue;
      auto targets = loadTargetFile(context, file, emitError);
      if (failed(targets))
        return failure();
      if (targets->size() != 1)
        return emitError() << "'" << file << "' describes " << targets->size()
                           << " machines; a named target is one";
      return targets->front();
    }
  SmallVector<std::string> names = listTargets();
  if (getHwDescFolders().empty())
    return emitError() << "no hardware descriptions, so no target '" << name
                       << "': there is no share/vortex/hwdesc beside this "
                          "program; set VORTEX_HWDESC_PATH to the folder";
  InFlightDiagnostic error = emitError();
  error << "unknown target '" << name << "'; ";
  // Of names equally near, the one of nearest length: x86-avx521 is rather
  // x86-avx512 than x86-avx2.
  auto gap = [&](StringRef known) {
    return std::max(known.size(), name.size()) -
           std::min(known.size(), name.size());
  };
  unsigned limit = name.size() / 2;
  auto distance = [&](StringRef known) {
    return std::pair(name.edit_distance(known, true, limit), gap(known));
  };
  const std::string *nearest = llvm::min_element(
      names, [&](auto &a, auto &b) { return distance(a) < distance(b); });
  if (distance(*nearest).first <= limit)
    error << "did you mean '" << *nearest << "'? ";
  error << "known targets: " << llvm::join(names, ", ");
  return error;
}
