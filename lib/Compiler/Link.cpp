//===- Link.cpp - Objects to a shared object -*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Link.h"

#include "vortex/Runtime/Checksum.h"

#include "lld/Common/Driver.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

LLD_HAS_DRIVER(elf)

using namespace llvm;
using namespace vortex;

static Error fail(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

static Error writeFile(StringRef path, ArrayRef<char> bytes) {
  std::error_code code;
  raw_fd_ostream stream(path, code);
  if (code)
    return fail("cannot write " + path + ": " + code.message());
  stream.write(bytes.data(), bytes.size());
  stream.close();
  if (!stream.has_error())
    return Error::success();
  code = stream.error();
  stream.clear_error();
  return fail("cannot write " + path + ": " + code.message());
}

static Error runLinker(ArrayRef<std::string> args) {
  SmallVector<const char *> argv{"ld.lld"};
  for (const std::string &arg : args)
    argv.push_back(arg.c_str());
  std::string output;
  raw_string_ostream stream(output);
  lld::Result result =
      lld::lldMain(argv, stream, stream, {{lld::Gnu, &lld::elf::link}});
  if (result.retCode == 0)
    return Error::success();
  return fail("linking failed: " + StringRef(output).trim());
}

/// What generated code may take from libc and libm.
static bool isAllowedSymbol(StringRef name) {
  static const StringSet<> exact = {"memcpy", "memmove", "memset", "memcmp",
                                    "bcmp"};
  static const StringSet<> math = {
      "acos",    "acosh",     "asin",      "asinh",  "atan",      "atan2",
      "atanh",   "cbrt",      "ceil",      "cos",    "cosh",      "erf",
      "erfc",    "exp",       "exp2",      "exp10",  "expm1",     "fabs",
      "floor",   "fma",       "fmax",      "fmin",   "fmod",      "frexp",
      "ldexp",   "log",       "log10",     "log1p",  "log2",      "lrint",
      "lround",  "modf",      "nearbyint", "pow",    "remainder", "rint",
      "round",   "roundeven", "sin",       "sincos", "sinh",      "sqrt",
      "tan",     "tanh",      "tgamma",    "lgamma", "trunc",     "llrint",
      "llround", "hypot",     "copysign"};
  return exact.contains(name) || math.contains(name) ||
         (name.ends_with("f") && math.contains(name.drop_back()));
}

/// Refuses undefined symbols that libc and libm do not have.
static Error checkSymbols(ArrayRef<char> bytes) {
  auto file =
      object::ELF64LEFile::create(StringRef(bytes.data(), bytes.size()));
  if (!file)
    return file.takeError();
  auto sections = file->sections();
  if (!sections)
    return sections.takeError();
  for (const auto &section : *sections) {
    if (section.sh_type != ELF::SHT_DYNSYM)
      continue;
    auto symbols = file->symbols(&section);
    if (!symbols)
      return symbols.takeError();
    auto strings = file->getStringTableForSymtab(section, *sections);
    if (!strings)
      return strings.takeError();
    for (const auto &symbol : *symbols) {
      auto name = symbol.getName(*strings);
      if (!name)
        return name.takeError();
      if (symbol.st_shndx == ELF::SHN_UNDEF && !name->empty() &&
          !isAllowedSymbol(*name))
        return fail("the program needs '" + *name +
                    "', which is not in libc or libm");
    }
  }
  return Error::success();
}

Error vortex::linkArtifact(ArrayRef<ObjectCode> objects,
                           const ObjectCode &empty, StringRef outputPath) {
  SmallString<128> folder;
  if (std::error_code code =
          sys::fs::createUniqueDirectory("vortex-link", folder))
    return fail("cannot make a temporary folder: " + code.message());
  scope_exit cleanFolder([&] { sys::fs::remove_directories(folder); });
  auto inFolder = [&](const Twine &name) {
    SmallString<128> path(folder);
    sys::path::append(path, name);
    return path.str().str();
  };

  // libc and libm stand for themselves by name only, so that the build
  // machine's versions of them do not end up in the artifact.
  if (Error error = writeFile(inFolder("empty.o"), empty))
    return error;
  for (StringRef library : {"libm.so.6", "libc.so.6"})
    if (Error error = runLinker({"-shared", "-soname", library.str(), "-o",
                                 inFolder(library), inFolder("empty.o")}))
      return error;

  // Not where the artifact goes: lld writes to a map of the file, which ends
  // the program where a disk is full.
  std::string linked = inFolder("linked.so");
  std::vector<std::string> args = {"-shared",
                                   "--gc-sections",
                                   "-z",
                                   "now",
                                   "-z",
                                   "noexecstack",
                                   "--build-id=none",
                                   "--hash-style=gnu",
                                   "--no-as-needed",
                                   "--threads=1",
                                   "-o",
                                   linked};
  for (auto [i, object] : enumerate(objects)) {
    std::string path = inFolder("object" + Twine(i) + ".o");
    if (Error error = writeFile(path, object))
      return error;
    args.push_back(path);
  }
  args.push_back(inFolder("libm.so.6"));
  args.push_back(inFolder("libc.so.6"));
  if (Error error = runLinker(args))
    return error;

  auto buffer = MemoryBuffer::getFile(linked, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
  if (!buffer)
    return fail("cannot read " + linked + ": " + buffer.getError().message());
  ObjectCode bytes((*buffer)->getBufferStart(), (*buffer)->getBufferEnd());
  buffer->reset();
  if (Error error = checkSymbols(bytes))
    return error;
  if (const char *error = runtime::sealArtifact(bytes.data(), bytes.size()))
    return fail(error);
  SmallString<128> written;
  sys::fs::createUniquePath(outputPath + ".%%%%%%.tmp", written,
                            /*MakeAbsolute=*/false);
  scope_exit cleanWritten([&] { sys::fs::remove(written); });
  if (Error error = writeFile(written, bytes))
    return error;
  // As a linker leaves it: executable.
  ErrorOr<sys::fs::perms> perms = sys::fs::getPermissions(linked);
  if (std::error_code code =
          perms ? sys::fs::setPermissions(written, *perms) : perms.getError())
    return fail("cannot write " + outputPath + ": " + code.message());
  if (std::error_code code = sys::fs::rename(written, outputPath))
    return fail("cannot write " + outputPath + ": " + code.message());
  return Error::success();
}
