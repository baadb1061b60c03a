//===- FunctionCall.cpp - A function with its arguments -------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionCall.h"

#include "vortex/Runtime/Tooling/ValueSpec.h"

#include <algorithm>

using namespace vortex;
using namespace vortex::tools;
using runtime::HostTensor;

int vortex::tools::lastFailure() { return failure(vortexLastError()); }

int vortex::tools::readSpec(const std::string &text, VortexDType want,
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

int FunctionCall::pick(const runtime::Module &module) {
  std::string all;
  for (int64_t i = 0; i < module.info().num_functions; ++i)
    all += std::string(i ? ", " : "") +
           vortexModuleFunction(module.get(), i)->name;
  if (options.function.empty()) {
    if (module.info().num_functions != 1)
      return usageError("--function=NAME is needed; there is: " + all);
    function = vortexModuleFunction(module.get(), 0);
    return ExitDone;
  }
  function = vortexModuleFindFunction(module.get(), options.function.c_str());
  if (!function)
    return failure("there is no function '" + options.function +
                   "'; there is: " + all);
  return ExitDone;
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

int FunctionCall::prepare(const runtime::Module &module) {
  if (instance.create(module, options.device))
    return lastFailure();
  // What was left aside costs time at each start, or at each call.
  if (const char *remarks = vortexInstanceRemarks(instance.get()); *remarks)
    std::fprintf(stderr, "vortex-run: warning: %s\n", remarks);
  if (int code = pick(module))
    return code;
  const VortexFunctionInfo &f = info();
  if (int64_t(options.inputs.size()) != f.num_args)
    return usageError("function '" + std::string(f.name) + "' takes " +
                      std::to_string(f.num_args) + " arguments, got " +
                      std::to_string(options.inputs.size()) + " --input");
  if (int code = checkPlaces("--output", options.outputs, f))
    return code;
  if (int code = checkPlaces("--expected-output", options.expected, f))
    return code;

  device.emplace(instance);
  inputs.resize(options.inputs.size());
  views.resize(inputs.size());
  std::vector<const DLTensor *> weights;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const VortexValueInfo &value = *vortexFunctionArgument(&f, int64_t(i));
    if (int code =
            readSpec(options.inputs[i], VortexDType(value.dtype), inputs[i]))
      return code;
    views[i] = runtime::dlTensor(inputs[i]);
    if (value.kind != VORTEX_SCALAR && device->move(i, views[i]))
      return lastFailure();
    (value.is_weight ? weights : args).push_back(&views[i]);
  }
  // What calls write to arguments is not what the next starts from.
  if (!options.reference.empty() || options.repeat || options.everyCandidate)
    given = inputs;

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
  results.resize(size_t(f.num_results));
  return ExitDone;
}

int FunctionCall::renew() {
  for (int64_t a = 0; a < info().num_args; ++a) {
    if (vortexFunctionArgument(&info(), a)->kind != VORTEX_MEMREF)
      continue;
    // The views name this memory, so it stays where it is.
    inputs[a].bytes.assign(given[a].bytes.begin(), given[a].bytes.end());
    if (device->renew(size_t(a), inputs[a]))
      return lastFailure();
  }
  return ExitDone;
}

int FunctionCall::spoil() {
  for (size_t r = 0; r < results.size(); ++r) {
    if (!results[r])
      continue;
    HostTensor junk = values[r];
    std::fill(junk.bytes.begin(), junk.bytes.end(),
              decltype(junk.bytes)::value_type(0xa5));
    if (device->write(junk, results[r].get()->dl_tensor))
      return lastFailure();
  }
  return ExitDone;
}

VortexStatus FunctionCall::call() {
  if (VortexStatus status = context.call(info().name, args, results))
    return status;
  return vortexContextSynchronize(context.get());
}

bool FunctionCall::reached(const std::string &kernel) {
  VortexChoice choice;
  for (int64_t i = 0, e = vortexContextNumChoices(context.get()); i < e; ++i)
    if (!vortexContextChoice(context.get(), i, &choice) &&
        kernel == vortexModuleKernel(instance.module(), choice.kernel)->name)
      return true;
  return false;
}

int FunctionCall::readBack() {
  values.clear();
  for (size_t r = 0; r < results.size(); ++r) {
    auto dtype = VortexDType(vortexFunctionResult(&info(), int64_t(r))->dtype);
    if (device->copyBack(results[r].tensor(), dtype, values.emplace_back()))
      return lastFailure();
  }
  for (int64_t a = 0; a < info().num_args; ++a)
    if (vortexFunctionArgument(&info(), a)->kind == VORTEX_MEMREF &&
        views[a].device.device_type != kDLCPU &&
        device->copyBack(views[a], inputs[a].dtype, inputs[a]))
      return lastFailure();
  return ExitDone;
}
