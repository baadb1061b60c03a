//===- Run.cpp - Running a function ---------------------------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ComparePrecision.h"
#include "DeviceTensors.h"
#include "Explain.h"
#include "Options.h"

#include "vortex/Runtime/Runtime.h"
#include "vortex/Runtime/Tooling/Npy.h"
#include "vortex/Runtime/Tooling/ValueSpec.h"

#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cmath>

using namespace vortex;
using namespace vortex::tools;
using runtime::HostTensor;

static int lastFailure() { return failure(vortexLastError()); }

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

static const VortexFunctionInfo *pickFunction(const Options &options,
                                              const runtime::Module &module,
                                              std::string &error) {
  std::string all;
  for (int64_t i = 0; i < module.info().num_functions; ++i)
    all += std::string(i ? ", " : "") +
           vortexModuleFunction(module.get(), i)->name;
  if (options.function.empty()) {
    if (module.info().num_functions == 1)
      return vortexModuleFunction(module.get(), 0);
    error = "--function=NAME is needed; there is: " + all;
    return nullptr;
  }
  const VortexFunctionInfo *f =
      vortexModuleFindFunction(module.get(), options.function.c_str());
  if (!f)
    error = "there is no function '" + options.function + "'; there is: " + all;
  return f;
}

static int readSpec(const std::string &text, VortexDType want,
                    HostTensor &tensor) {
  std::string error;
  switch (runtime::parseValueSpec(text, &want, tensor, error)) {
  case runtime::SpecOutcome::Malformed:
    return usageError(error);
  case runtime::SpecOutcome::Failed:
    return failure(error);
  default:
    return ExitDone;
  }
}

/// The places are all there are.
static int checkPlaces(const char *flag, const std::vector<Place> &places,
                       const VortexFunctionInfo &f) {
  for (const Place &place : places)
    if (place.index >= (place.isArgument ? f.num_args : f.num_results))
      return usageError(std::string(flag) + ": function '" + f.name +
                        "' has no " +
                        (place.isArgument ? "argument " : "result ") +
                        std::to_string(place.index));
  return ExitDone;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// Calls repeatedly, each time with the memrefs as they were given, and prints
/// the time of a call. The last call's results stay.
static int timeCalls(const Options &options, const VortexFunctionInfo &f,
                     runtime::Context &context, DeviceTensors &device,
                     std::vector<HostTensor> &inputs,
                     const std::vector<const DLTensor *> &args,
                     std::vector<runtime::OwnedTensor> &results) {
  std::vector<HostTensor> before = inputs;
  std::vector<double> times;
  // The first call grows the scratch memory and gives the results their place.
  for (int64_t i = 0; i <= options.repeat; ++i) {
    for (int64_t a = 0; a < f.num_args; ++a)
      if (vortexFunctionArgument(&f, a)->kind == VORTEX_MEMREF) {
        inputs[a].bytes.assign(before[a].bytes.begin(), before[a].bytes.end());
        if (device.renew(size_t(a), inputs[a]))
          return lastFailure();
      }
    auto begin = std::chrono::steady_clock::now();
    if (context.call(f.name, args, results) ||
        vortexContextSynchronize(context.get()))
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
  runtime::Instance instance;
  if (instance.create(module, options.device))
    return lastFailure();
  // What was left aside costs time at each start, or at each call.
  if (const char *remarks = vortexInstanceRemarks(instance.get()); *remarks)
    std::fprintf(stderr, "vortex-run: warning: %s\n", remarks);
  std::string error;
  const VortexFunctionInfo *picked = pickFunction(options, module, error);
  if (!picked)
    return options.function.empty() ? usageError(error) : failure(error);
  const VortexFunctionInfo &f = *picked;
  if (int64_t(options.inputs.size()) != f.num_args)
    return usageError("function '" + std::string(f.name) + "' takes " +
                      std::to_string(f.num_args) + " arguments, got " +
                      std::to_string(options.inputs.size()) + " --input");
  if (int code = checkPlaces("--output", options.outputs, f))
    return code;
  if (int code = checkPlaces("--expected-output", options.expected, f))
    return code;

  DeviceTensors device(instance);
  std::vector<HostTensor> inputs(options.inputs.size());
  std::vector<DLTensor> views(inputs.size());
  std::vector<const DLTensor *> weights, args;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const VortexValueInfo &info = *vortexFunctionArgument(&f, int64_t(i));
    if (int code =
            readSpec(options.inputs[i], VortexDType(info.dtype), inputs[i]))
      return code;
    views[i] = runtime::dlTensor(inputs[i]);
    if (info.kind != VORTEX_SCALAR && device.move(i, views[i]))
      return lastFailure();
    (info.is_weight ? weights : args).push_back(&views[i]);
  }

  // What the call writes to its arguments is not what the reference starts
  // from.
  std::vector<HostTensor> given;
  if (!options.reference.empty())
    given = inputs;
  runtime::Context context;
  VortexContextOptions contextOptions{};
  contextOptions.size = sizeof contextOptions;
  contextOptions.threads = int32_t(options.threads);
  VortexBindOptions bindOptions{sizeof(VortexBindOptions), 0,
                                int32_t(options.threads)};
  if (!weights.empty() && instance.bindWeights(f.name, weights, &bindOptions))
    return lastFailure();
  if (context.create(instance, &contextOptions))
    return lastFailure();
  for (const auto &force : options.forced)
    if (vortexContextForce(context.get(), force.first.c_str(),
                           force.second.c_str()))
      return lastFailure();

  std::vector<runtime::OwnedTensor> results(size_t(f.num_results));
  if (options.repeat) {
    if (int code =
            timeCalls(options, f, context, device, inputs, args, results))
      return code;
  } else {
    vortexContextRecordChoices(context.get(), options.explain);
    if (context.call(f.name, args, results) ||
        vortexContextSynchronize(context.get()))
      return lastFailure();
  }

  // Results in memory of our own, as the comparison and the files want them.
  std::vector<HostTensor> values;
  for (int64_t r = 0; r < f.num_results; ++r) {
    auto dtype = VortexDType(vortexFunctionResult(&f, r)->dtype);
    if (device.copyBack(results[r].tensor(), dtype, values.emplace_back()))
      return lastFailure();
  }
  for (int64_t a = 0; a < f.num_args; ++a)
    if (vortexFunctionArgument(&f, a)->kind == VORTEX_MEMREF &&
        views[a].device.device_type != kDLCPU &&
        device.copyBack(views[a], inputs[a].dtype, inputs[a]))
      return lastFailure();
  auto valueAt = [&](const Place &place) -> HostTensor & {
    return place.isArgument ? inputs[place.index] : values[place.index];
  };
  std::vector<bool> used(values.size());
  std::vector<std::pair<std::string, const HostTensor *>> files;
  for (const Place &place : options.outputs) {
    files.emplace_back(place.text, &valueAt(place));
    if (!place.isArgument)
      used[place.index] = true;
  }
  if (!runtime::writeNpys(files, error))
    return failure(error);
  int code = ExitDone;
  for (const Place &place : options.expected) {
    HostTensor want, &got = valueAt(place);
    if (int specCode = readSpec(place.text, got.dtype, want))
      return specCode;
    if (!runtime::compare(got, want, options.tolerance, error))
      code = failure((place.isArgument ? "argument " : "result ") +
                     std::to_string(place.index) + ": " + error);
    if (!place.isArgument)
      used[place.index] = true;
  }
  if (!options.reference.empty()) {
    if (int status = comparePrecision(options, f, given, inputs, values))
      return status;
    used.assign(used.size(), true);
  }
  for (size_t r = 0; r < values.size(); ++r)
    if (!used[r])
      std::printf("result %zu: %s\n", r,
                  runtime::valueText(values[r], 1000).c_str());
  if (options.explain) {
    // Timed calls are not recorded; one more call tells the same.
    if (options.repeat) {
      vortexContextRecordChoices(context.get(), 1);
      std::vector<runtime::OwnedTensor> again(size_t(f.num_results));
      if (context.call(f.name, args, again))
        return lastFailure();
    }
    explain(instance.module(), context, f, args);
  }
  return code;
}
