//===- Run.cpp - Running a function ---------------------------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ComparePrecision.h"
#include "EveryCandidate.h"
#include "Explain.h"
#include "FunctionCall.h"

#include "vortex/Runtime/Tooling/Npy.h"
#include "vortex/Runtime/Tooling/ValueSpec.h"

#include <algorithm>
#include <chrono>

using namespace vortex;
using namespace vortex::tools;
using runtime::HostTensor;

/// Calls repeatedly, each time with the memrefs as they were given, and prints
/// the time of a call. The last call's results stay.
static int timeCalls(FunctionCall &call) {
  std::vector<double> times;
  // The first call grows the scratch memory and gives the results their place.
  for (int64_t i = 0; i <= call.options.repeat; ++i) {
    if (int code = call.renew())
      return code;
    auto begin = std::chrono::steady_clock::now();
    if (call.call())
      return lastFailure();
    std::chrono::duration<double, std::micro> time =
        std::chrono::steady_clock::now() - begin;
    if (i)
      times.push_back(time.count());
  }
  std::sort(times.begin(), times.end());
  std::printf("time: median %.3f us, min %.3f us, max %.3f us over %zu calls\n",
              times[times.size() / 2], times.front(), times.back(),
              times.size());
  return ExitDone;
}

/// Stores, compares and prints what the call gave.
static int useResults(FunctionCall &call) {
  const Options &options = call.options;
  std::vector<bool> used(call.values.size());
  std::vector<std::pair<std::string, const HostTensor *>> files;
  for (const Place &place : options.outputs) {
    files.emplace_back(place.text, &call.at(place));
    if (!place.isArgument)
      used[place.index] = true;
  }
  std::string error;
  if (!runtime::writeNpys(files, error))
    return failure(error);
  int code = ExitDone;
  for (const Place &place : options.expected) {
    HostTensor want, &got = call.at(place);
    if (int specCode = readSpec(place.text, got.dtype, want))
      return specCode;
    if (!runtime::compare(got, want, options.tolerance, error))
      code = failure((place.isArgument ? "argument " : "result ") +
                     std::to_string(place.index) + ": " + error);
    if (!place.isArgument)
      used[place.index] = true;
  }
  if (!options.reference.empty()) {
    if (int status = comparePrecision(options, call.info(), call.given,
                                      call.inputs, call.values))
      return status;
    used.assign(used.size(), true);
  }
  for (size_t r = 0; r < call.values.size(); ++r)
    if (!used[r] && !options.everyCandidate)
      std::printf("result %zu: %s\n", r,
                  runtime::valueText(call.values[r], 1000).c_str());
  return code;
}

/// Says which kernels of --force the call did not reach: nothing was forced.
static void reportUnreached(FunctionCall &call) {
  for (const auto &[kernel, candidate] : call.options.forced) {
    if (!call.reached(kernel))
      std::fprintf(stderr,
                   "vortex-run: remark: the call did not run kernel '%s', "
                   "forced to '%s'\n",
                   kernel.c_str(), candidate.c_str());
  }
}

int vortex::tools::runArtifact(const Options &options,
                               const std::string &artifact) {
  runtime::Module module;
  if (module.load(artifact.c_str()))
    return lastFailure();
  if (const char *remarks = vortexModuleRemarks(module.get()); *remarks)
    std::fprintf(stderr, "vortex-run: remark: %s\n", remarks);
  if (options.list) {
    list(module);
    return ExitDone;
  }
  FunctionCall call(options);
  if (int code = call.prepare(module))
    return code;
  if (options.repeat) {
    if (int code = timeCalls(call))
      return code;
  } else {
    vortexContextRecordChoices(call.context.get(),
                               options.explain || !options.forced.empty());
    if (call.call())
      return lastFailure();
    reportUnreached(call);
  }
  if (int code = call.readBack())
    return code;
  int code = useResults(call);
  if (options.everyCandidate)
    return std::max(code, runEveryCandidate(call));
  if (options.explain) {
    // Timed calls are not recorded; one more call tells the same.
    if (options.repeat) {
      vortexContextRecordChoices(call.context.get(), 1);
      std::vector<runtime::OwnedTensor> again(size_t(call.info().num_results));
      if (call.context.call(call.info().name, call.args, again))
        return lastFailure();
    }
    explain(call.instance.module(), call.context, call.info(), call.args);
  }
  return code;
}
