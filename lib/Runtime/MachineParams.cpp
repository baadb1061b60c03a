//===- MachineParams.cpp - Files of machine parameters --------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MachineParams.h"

#include "Json.h"

#include "vortex/Probe/CpuInfo.h"
#include "vortex/Probe/HostParams.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

using namespace vortex::runtime;

VortexStatus vortex::runtime::readFile(const char *path, std::string &bytes) {
  std::FILE *file = std::fopen(path, "rb");
  if (!file)
    return report(VORTEX_STATUS_NOT_FOUND, "%s: %s", path,
                  std::strerror(errno));
  bytes.clear();
  char buffer[1 << 16];
  size_t n;
  while ((n = std::fread(buffer, 1, sizeof buffer, file)) > 0)
    bytes.append(buffer, n);
  int error = std::ferror(file) ? errno : 0;
  std::fclose(file);
  if (error)
    return report(VORTEX_STATUS_NOT_FOUND, "%s: %s", path,
                  std::strerror(error));
  return VORTEX_STATUS_OK;
}

using Find = std::function<double *(const std::string &)>;
using Values = std::vector<std::pair<double *, double>>;

/// Collects the values of names that are used. Returns the name of one that no
/// machine can have, "" for none. Names that nothing uses may be of a later
/// version; those that begin with `_` say where numbers come from.
static std::string collect(const Json &object, const std::string &prefix,
                           const Find &find, Values &values) {
  for (const auto &member : object.members) {
    std::string name = prefix + member.first;
    const Json &value = member.second;
    if (value.kind == Json::Object) {
      std::string wrong = collect(value, name + ".", find, values);
      if (!wrong.empty())
        return wrong;
    } else if (name[0] != '_') {
      double *used = find(name);
      bool isNumber = value.kind == Json::Number;
      if (isNumber ? !vortex::isPossibleParam(name, value.number)
                   : used != nullptr)
        return name;
      if (used)
        values.emplace_back(used, value.number);
    }
  }
  return "";
}

VortexStatus vortex::runtime::readParams(const char *path, const Find &find) {
  std::string text, error;
  if (VortexStatus status = readFile(path, text))
    return status;
  Json json;
  if (!parseJson(text, json, error))
    return report(VORTEX_STATUS_INVALID_ARGUMENT, "%s: %s", path,
                  error.c_str());
  if (json.kind != Json::Object)
    return report(VORTEX_STATUS_INVALID_ARGUMENT,
                  "%s: machine parameters are a JSON object of numbers", path);
  const Json *machine = json.find("_machine");
  const Json *measured = machine ? machine->find("signature") : nullptr;
  if (measured && measured->kind == Json::String) {
    std::string here = getMachineSignature(readCpuInfo());
    if (measured->string != here)
      return report(VORTEX_STATUS_UNSUPPORTED,
                    "%s: measured on another machine (%s, this one is %s)",
                    path, measured->string.c_str(), here.c_str());
  }
  Values values;
  if (std::string wrong = collect(json, "", find, values); !wrong.empty())
    return report(VORTEX_STATUS_INVALID_ARGUMENT,
                  "%s: '%s' is no number that a machine can have: finite, at "
                  "least 0, above it for bandwidths, rates and sizes, whole "
                  "for counts",
                  path, wrong.c_str());
  for (const auto &[used, value] : values)
    *used = value;
  return VORTEX_STATUS_OK;
}

std::string vortex::runtime::machineParamsPath(bool &mustExist) {
  mustExist = false;
  if (const char *path = std::getenv("VORTEX_MACHINE_PARAMS")) {
    if (!*path || !std::strcmp(path, "none"))
      return "";
    mustExist = true;
    return path;
  }
  if (const char *cache = std::getenv("XDG_CACHE_HOME"); cache && *cache)
    return std::string(cache) + "/vortex/host.json";
  if (const char *home = std::getenv("HOME"); home && *home)
    return std::string(home) + "/.cache/vortex/host.json";
  return "";
}
