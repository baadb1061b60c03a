//===- Metadata.cpp - Checking an artifact before it runs -----------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Module.h"

#include "CpuFeatures.h"
#include "Json.h"
#include "MachineParams.h"
#include "vortex/Runtime/Checksum.h"

#include <cstdlib>
#include <cstring>

using namespace vortex::runtime;

#if defined(__x86_64__)
static constexpr uint16_t hostMachine = 62; // EM_X86_64
#elif defined(__aarch64__)
static constexpr uint16_t hostMachine = 183; // EM_AARCH64
#else
#error "add the ELF machine number of this processor"
#endif

VortexStatus vortex::runtime::readMetadata(const std::string &bytes,
                                           const char *name,
                                           std::string &json) {
  ElfImage elf(bytes.data(), bytes.size());
  if (const char *error = elf.check())
    return report(VORTEX_STATUS_INVALID_ARTIFACT, "%s: %s", name, error);
  ElfImage::Section meta;
  if (!elf.find(VORTEX_ARTIFACT_SECTION, meta))
    return report(VORTEX_STATUS_INVALID_ARTIFACT,
                  "%s: not a Vortex artifact (it has no section %s)", name,
                  VORTEX_ARTIFACT_SECTION);
  json.assign(reinterpret_cast<const char *>(elf.bytes(meta.offset)),
              size_t(meta.size));
  // A C string literal in the section brings its zero.
  while (!json.empty() && json.back() == '\0')
    json.pop_back();
  return VORTEX_STATUS_OK;
}

/// Checks one checksum of the metadata, written in hexadecimal or as a number;
/// one that is not there matches nothing.
static bool matches(const Json *field, uint32_t sum) {
  if (!field)
    return false;
  if (field->kind == Json::Number)
    return field->number == sum;
  char *end;
  unsigned long value = std::strtoul(field->string.c_str(), &end, 16);
  return !field->string.empty() && !*end && value == sum;
}

static std::string featureList(const Json *field) {
  if (!field)
    return "";
  std::string list = field->string;
  for (const Json &element : field->elements)
    list += "," + element.string;
  return list;
}

namespace vortex {
namespace runtime {
/// All that can be known of an artifact without running it.
VortexStatus checkArtifact(const std::string &bytes, const char *name) {
  std::string text, error;
  if (VortexStatus status = readMetadata(bytes, name, text))
    return status;
  ElfImage elf(bytes.data(), bytes.size());
  Json json;
  if (!parseJson(text, json, error) || json.kind != Json::Object)
    return report(VORTEX_STATUS_INVALID_ARTIFACT,
                  "%s: the metadata is not a JSON object: %s", name,
                  error.c_str());
  ArtifactChecksums sums = artifactChecksums(elf);
  if (!matches(json.find("crc32"), sums.code) ||
      !matches(json.find("link_crc32"), sums.link))
    return report(VORTEX_STATUS_INVALID_ARTIFACT,
                  "%s: corrupt: the checksum does not match", name);
  const Json *abi = json.find("abi");
  if (!json.find("vortex") || !abi || abi->kind != Json::Number)
    return report(VORTEX_STATUS_INVALID_ARTIFACT,
                  "%s: the metadata has no \"vortex\" or no \"abi\"", name);
  if (abi->number != VORTEX_ARTIFACT_ABI)
    return report(VORTEX_STATUS_UNSUPPORTED,
                  "%s: made for artifact ABI %g, this run time has ABI %u; "
                  "compile it again",
                  name, abi->number, VORTEX_ARTIFACT_ABI);
  if (elf.machine() != hostMachine)
    return report(VORTEX_STATUS_UNSUPPORTED,
                  "%s: made for another processor (ELF machine %u, here %u)",
                  name, unsigned(elf.machine()), unsigned(hostMachine));
  std::string missing = missingCpuFeatures(featureList(json.find("features")));
  if (!missing.empty())
    return report(VORTEX_STATUS_UNSUPPORTED, "%s: cannot run here: %s", name,
                  missing.c_str());
  return VORTEX_STATUS_OK;
}
} // namespace runtime
} // namespace vortex

extern "C" VortexStatus vortexArtifactReadMetadata(const char *path,
                                                   char **json) {
  return guarded([&]() -> VortexStatus {
    if (!path || !json)
      return report(VORTEX_STATUS_INVALID_ARGUMENT, "null argument");
    *json = nullptr;
    std::string bytes, text;
    if (VortexStatus status = readFile(path, bytes))
      return status;
    if (VortexStatus status = readMetadata(bytes, path, text))
      return status;
    if (!(*json = strdup(text.c_str())))
      throw std::bad_alloc();
    return VORTEX_STATUS_OK;
  });
}

extern "C" void vortexFreeString(char *string) { std::free(string); }
