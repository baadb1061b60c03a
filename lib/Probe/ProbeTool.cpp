//===- ProbeTool.cpp - The command vortex-probe --------------- -*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Probe/ProbeTool.h"

#include "Measure.h"
#include "vortex/Probe/CpuInfo.h"
#include "vortex/Runtime/Tooling/ReplaceFile.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <thread>

#include <unistd.h>

using namespace vortex;
using namespace vortex::probe;

static const char *const kHelp =
    R"(OVERVIEW: measures this machine for the Vortex compiler and run time

USAGE: vortex-probe [options]

Finds cores and caches (hwloc) and instruction sets (CPUID), measures rates,
bandwidths, latencies and the start of a parallel loop, and keeps medians and
spreads in $XDG_CACHE_HOME/vortex/host.json or ~/.cache/vortex/host.json, where
--target=host and the run time look. Takes some seconds; run it on an idle
machine.

OPTIONS:
  --output=FILE  write to FILE instead
  --print        print the numbers as JSON, write no file unless --output is given
  --hwdesc       print a hardware description (a file for hwdesc/), or with
                 --output=FILE write it there; the numbers are not written
  --library=NAME measure products of library NAME, too, which artifacts compiled
                 with the same flag may call; may be repeated
  --quick        shorter samples: less exact, about a second
  --help         print this text
  --version      print the version

EXIT STATUS: 0 done, 1 the work failed, 2 usage
)";

namespace {
struct Options {
  std::string output;
  std::vector<std::string> libraries;
  bool print = false, description = false, quick = false;
};
} // namespace

static int usage(const std::string &message) {
  std::fprintf(stderr, "vortex-probe: %s; see vortex-probe --help\n",
               message.c_str());
  return 2;
}

/// Makes sure of the folder of `path`, which is only made when it is our own;
/// "" or why there is none.
static std::string findFolder(const std::string &path, bool own) {
  std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code code;
  if (own)
    std::filesystem::create_directories(folder, code);
  if (!folder.empty() && !code &&
      !std::filesystem::is_directory(folder, code) && !code)
    code = std::make_error_code(std::errc::not_a_directory);
  return code ? "cannot write " + path + ": " + code.message() : "";
}

/// Runs the steps; progress goes to a terminal alone.
static void measure(const std::vector<Step> &steps, HostParams &params) {
  bool terminal = isatty(STDERR_FILENO);
  for (size_t i = 0; i != steps.size(); ++i) {
    if (terminal)
      std::fprintf(stderr, "\r\033[K[%zu/%zu] %s", i + 1, steps.size(),
                   steps[i].name.c_str());
    steps[i].run(params);
  }
  if (terminal)
    std::fprintf(stderr, "\r\033[K");
}

/// What needs no measuring.
static void addFound(const Topology &topology, HostParams &params) {
  CpuInfo info = readCpuInfo();
  params.machine["signature"] = getMachineSignature(info);
  params.machine["version"] = VORTEX_VERSION;
  auto set = [&](const char *key, double value) {
    if (value > 0)
      params.numbers[key] = value;
  };
  set("core.units", topology.cores.size());
  set("l1.capacity", topology.l1Bytes);
  set("l2.capacity", topology.l2Bytes);
  set("l3.capacity", topology.l3Bytes);
  set("l1.ways", info.l1Ways);
  set("l2.ways", info.l2Ways);
  // hwloc does not count memory that was plugged in later.
  set("device.capacity", std::max(topology.memoryBytes, info.memoryBytes));
}

/// What rates and bandwidths say of other work on the machine, or "". Between
/// samples of an idle one they vary by a few percent.
static std::string describeNoise(const HostParams &params) {
  constexpr double kMost = 0.2;
  auto endsIn = [](const std::string &name, const std::string &end) {
    return name.size() > end.size() &&
           name.compare(name.size() - end.size(), end.size(), end) == 0;
  };
  std::string names;
  for (const auto &[name, spread] : params.spread)
    if (spread > kMost &&
        (endsIn(name, ".rate") || endsIn(name, ".bandwidth") ||
         endsIn(name, ".startup")))
      names += (names.empty() ? "" : ", ") + name + " by " +
               std::to_string(int(spread * 100 + 0.5)) + " %";
  return names.empty()
             ? ""
             : "numbers vary from sample to sample (" + names +
                   "): other work runs on this machine, so measure again when "
                   "it is idle";
}

int vortex::runProbe(int argc, char **argv, DescribeMachine describe) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    std::string arg = argv[i];
    if (arg == "--help" || arg == "-h")
      return std::fputs(kHelp, stdout), 0;
    if (arg == "--version")
      return std::printf("vortex-probe %s\n", VORTEX_VERSION), 0;
    if (arg == "--output" && i + 1 < argc && argv[i + 1][0] != '-')
      arg += std::string("=") + argv[++i];
    if (arg == "--output" || arg == "--output=")
      return usage("--output needs a file");
    if (arg.rfind("--output=", 0) == 0)
      options.output = arg.substr(std::strlen("--output="));
    else if (arg.rfind("--library=", 0) == 0 &&
             arg.size() > std::strlen("--library=") &&
             arg.find('/') == std::string::npos)
      options.libraries.push_back(arg.substr(std::strlen("--library=")));
    else if (arg.rfind("--library", 0) == 0)
      return usage("--library needs the name of a library: --library=openblas");
    else if (arg == "--print")
      options.print = true;
    else if (arg == "--hwdesc")
      options.description = true;
    else if (arg == "--quick")
      options.quick = true;
    else
      return usage("unknown argument '" + arg + "'");
  }
  if (options.print && options.description)
    return usage("--print and --hwdesc exclude each other");
  if (options.description && !describe) {
    std::fprintf(stderr, "vortex-probe: --hwdesc needs a build with the "
                         "compiler\n");
    return 1;
  }
  bool write =
      !options.output.empty() || !(options.print || options.description);
  bool own = options.output.empty();
  if (own && write)
    options.output = getHostParamsPath();
  if (write && options.output.empty()) {
    std::fprintf(stderr, "vortex-probe: neither XDG_CACHE_HOME nor HOME is "
                         "set; give --output=FILE\n");
    return 1;
  }

  HostParams params;
  Topology topology;
  std::string error;
  // Found out now rather than after measuring.
  if (write && !(error = findFolder(options.output, own)).empty()) {
    std::fprintf(stderr, "vortex-probe: %s\n", error.c_str());
    return 1;
  }
  if (!readTopology(topology, error)) {
    std::fprintf(stderr, "vortex-probe: %s\n", error.c_str());
    return 1;
  }
  addFound(topology, params);
  Effort effort;
  if (options.quick)
    effort = {/*sampleSeconds=*/0.001, /*samples=*/5};
  std::vector<Step> steps;
  // The pool first: threads inherit where their maker is pinned.
  addStartup(steps, topology, effort);
  auto pin = [&](HostParams &) { pinThread(topology.cores[0]); };
  steps.push_back({"pinning", pin});
  addRates(steps, topology, effort);
  addTiles(steps, effort);
  addMemory(steps, topology, effort);
  addPanels(steps, topology, effort);
  for (const std::string &library : options.libraries)
    if (!addLibrary(steps, library, effort, error)) {
      std::fprintf(stderr, "vortex-probe: library '%s': %s\n", library.c_str(),
                   error.c_str());
      return 1;
    }
  // On a thread of its own, so that this one stays free to move.
  std::thread([&]() { measure(steps, params); }).join();

  std::string description;
  if (options.description && !describe(params, description))
    return 1;
  if (write)
    error = runtime::writeText(options.output, options.description
                                                   ? description
                                                   : printHostParams(params));
  if (!error.empty()) {
    std::fprintf(stderr, "vortex-probe: %s\n", error.c_str());
    return 1;
  }
  if (std::string text = describeNoise(params); !text.empty())
    std::fprintf(stderr, "vortex-probe: warning: %s\n", text.c_str());
  if (options.print)
    std::fputs(printHostParams(params).c_str(), stdout);
  else if (options.description && !write)
    std::fputs(description.c_str(), stdout);
  else if (options.description)
    std::printf("wrote a description to %s\n", options.output.c_str());
  else
    std::printf("wrote %zu numbers to %s\n", params.numbers.size(),
                options.output.c_str());
  return std::fflush(stdout) == 0 ? 0 : 1;
}
