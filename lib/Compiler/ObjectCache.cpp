//===- ObjectCache.cpp - Compiled kernels on disk -*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ObjectCache.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CRC.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA1.h"
#include "llvm/Support/raw_ostream.h"

#include <dlfcn.h>

using namespace llvm;
using namespace vortex;

/// Changes whenever the same IR may give other code.
static constexpr StringLiteral kCompilerVersion = "vortex-kernel-2";

/// Tells one build of the compiler from another: the file that holds this code,
/// by its size and time.
static std::string getBuild() {
  Dl_info info;
  sys::fs::file_status status;
  // Of a program found on PATH dladdr knows the name alone.
  if (!dladdr(&kCompilerVersion, &info) || !info.dli_fname ||
      (sys::fs::status(info.dli_fname, status) &&
       sys::fs::status("/proc/self/exe", status)))
    return "";
  return (Twine(status.getSize()) + "@" +
          Twine(status.getLastModificationTime().time_since_epoch().count()))
      .str();
}

std::string ObjectCache::getKey(StringRef ir, const CodeTarget &target,
                                const CodeGenOptions &options) {
  SHA1 hash;
  auto add = [&](StringRef text) {
    hash.update(Twine(text.size()).str());
    hash.update(":");
    hash.update(text);
  };
  static const std::string build = getBuild();
  add(kCompilerVersion);
  add(build);
  add(LLVM_VERSION_STRING);
  add(target.triple);
  add(target.cpu);
  add(target.features);
  add(Twine(options.level).str());
  add(options.scheduler ? "scheduler" : "source-order");
  add(ir);
  return toHex(hash.final(), /*LowerCase=*/true);
}

std::string ObjectCache::getPath(StringRef key) const {
  SmallString<128> path(folder);
  sys::path::append(path, key + ".o");
  return path.str().str();
}

/// A file under another one's name is as wrong as one with other bytes.
static uint32_t getChecksum(StringRef key, StringRef bytes) {
  return crc32(crc32(arrayRefFromStringRef(key)), arrayRefFromStringRef(bytes));
}

bool ObjectCache::lookup(StringRef key, ObjectCode &object,
                         unsigned &spills) const {
  if (folder.empty())
    return false;
  auto buffer = MemoryBuffer::getFile(getPath(key), /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
  if (!buffer || (*buffer)->getBufferSize() < 2 * sizeof(uint32_t))
    return false;
  // Behind the object its spills, then the checksum of the key and of both.
  StringRef bytes = (*buffer)->getBuffer();
  StringRef code = bytes.drop_back(sizeof(uint32_t));
  if (getChecksum(key, code) !=
      support::endian::read32le(bytes.data() + code.size()))
    return false;
  code = code.drop_back(sizeof(uint32_t));
  spills = support::endian::read32le(code.end());
  object.assign(code.begin(), code.end());
  return true;
}

void ObjectCache::store(StringRef key, const ObjectCode &object,
                        unsigned spills) {
  if (folder.empty())
    return;
  std::error_code code = write(key, object, spills);
  if (!code)
    return;
  std::lock_guard<std::mutex> lock(problemMutex);
  if (problem.empty())
    problem = "cannot keep kernels in '" + folder + "': " + code.message();
}

std::error_code ObjectCache::write(StringRef key, const ObjectCode &object,
                                   unsigned spills) const {
  SmallString<128> temporary;
  int descriptor;
  if (std::error_code code = sys::fs::create_directories(folder))
    return code;
  if (std::error_code code = sys::fs::createUniqueFile(folder + "/%%%%%%%%.tmp",
                                                       descriptor, temporary))
    return code;
  raw_fd_ostream stream(descriptor, /*shouldClose=*/true);
  ObjectCode bytes(object);
  char word[sizeof(uint32_t)];
  support::endian::write32le(word, spills);
  bytes.append(word, word + sizeof(word));
  support::endian::write32le(
      word, getChecksum(key, StringRef(bytes.data(), bytes.size())));
  bytes.append(word, word + sizeof(word));
  stream.write(bytes.data(), bytes.size());
  stream.close();
  std::error_code code = stream.error();
  stream.clear_error();
  if (!code)
    code = sys::fs::rename(temporary, getPath(key));
  if (code)
    sys::fs::remove(temporary);
  return code;
}
