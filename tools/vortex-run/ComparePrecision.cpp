//===- ComparePrecision.cpp - Results of two artifacts --------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ComparePrecision.h"

#include "FunctionCall.h"

using namespace vortex;
using namespace vortex::tools;
using runtime::HostTensor;

/// Whether calls of both look alike: weights of one may be arguments of the
/// other.
static bool haveSameValues(const VortexFunctionInfo &x,
                           const VortexFunctionInfo &y) {
  if (x.num_args != y.num_args || x.num_results != y.num_results)
    return false;
  auto same = [](const VortexValueInfo *a, const VortexValueInfo *b) {
    return a->kind == b->kind && a->dtype == b->dtype && a->rank == b->rank;
  };
  for (int64_t i = 0; i < x.num_args; ++i)
    if (!same(vortexFunctionArgument(&x, i), vortexFunctionArgument(&y, i)))
      return false;
  for (int64_t i = 0; i < x.num_results; ++i)
    if (!same(vortexFunctionResult(&x, i), vortexFunctionResult(&y, i)))
      return false;
  return true;
}

static int print(const char *what, size_t index, const HostTensor &got,
                 const HostTensor &want) {
  if (got.shape != want.shape)
    return failure(std::string(what) + " " + std::to_string(index) +
                   " has another shape than the reference's");
  runtime::Difference d = runtime::measureDifference(got, want);
  auto relative = [](double error, double of) {
    return error == 0 ? 0 : error / of;
  };
  std::printf("%s %zu against the reference: max error %.4g, %.4g of the "
              "largest element; root mean square %.4g, %.4g of the reference's",
              what, index, d.largest, relative(d.largest, d.magnitude),
              d.meanSquare, relative(d.meanSquare, d.meanWant));
  if (d.special)
    std::printf("; %lld elements are NaN or infinite in one alone",
                static_cast<long long>(d.special));
  std::printf("\n");
  return ExitDone;
}

int vortex::tools::comparePrecision(const Options &options,
                                    const VortexFunctionInfo &f,
                                    std::vector<HostTensor> &given,
                                    const std::vector<HostTensor> &inputs,
                                    const std::vector<HostTensor> &values) {
  runtime::Module module;
  runtime::Instance instance;
  if (module.load(options.reference.c_str()) ||
      instance.create(module, DLDevice{kDLCPU, 0}))
    return lastFailure();
  const VortexFunctionInfo *reference =
      vortexModuleFindFunction(module.get(), f.name);
  if (!reference || !haveSameValues(f, *reference))
    return failure("--compare-precision: " + options.reference +
                   " has no function '" + f.name +
                   "' with the same arguments and results");
  std::vector<DLTensor> views(given.size());
  std::vector<const DLTensor *> weights, args;
  for (size_t i = 0; i < given.size(); ++i) {
    views[i] = runtime::dlTensor(given[i]);
    bool weight = vortexFunctionArgument(reference, int64_t(i))->is_weight;
    (weight ? weights : args).push_back(&views[i]);
  }
  VortexContextOptions contextOptions{};
  contextOptions.size = sizeof contextOptions;
  contextOptions.threads = int32_t(options.threads);
  VortexBindOptions bindOptions{sizeof(VortexBindOptions), 0,
                                int32_t(options.threads)};
  runtime::Context context;
  std::vector<runtime::OwnedTensor> results(size_t(f.num_results));
  if ((!weights.empty() &&
       instance.bindWeights(f.name, weights, &bindOptions)) ||
      context.create(instance, &contextOptions) ||
      context.call(f.name, args, results))
    return lastFailure();
  DeviceTensors device(instance);
  for (size_t r = 0; r < results.size(); ++r) {
    HostTensor want;
    if (device.copyBack(results[r].tensor(), values[r].dtype, want))
      return lastFailure();
    if (int code = print("result", r, values[r], want))
      return code;
  }
  for (size_t a = 0; a < given.size(); ++a)
    if (vortexFunctionArgument(&f, int64_t(a))->kind == VORTEX_MEMREF)
      if (int code = print("argument", a, inputs[a], given[a]))
        return code;
  return ExitDone;
}
