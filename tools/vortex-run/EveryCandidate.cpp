//===- EveryCandidate.cpp - A call for each candidate ---------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EveryCandidate.h"

#include <cinttypes>
#include <cstdio>
#include <cstring>

using namespace vortex;
using namespace vortex::tools;
using runtime::HostTensor;

namespace {
/// A kernel and one of its candidates, as --force spells them.
struct Forced {
  const VortexKernelInfo *kernel;
  int64_t candidate;

  std::string text() const {
    return std::string(kernel->name) + "=" + kernel->candidates[candidate];
  }
};

class EveryCandidate {
public:
  explicit EveryCandidate(FunctionCall &call) : call(call) {}
  int run();

private:
  int collect();
  int expect();
  int tryOut(const std::vector<Forced> &all, bool &reached);
  std::string compare();

  FunctionCall &call;
  std::vector<const VortexKernelInfo *> chains, kernels;
  std::vector<std::pair<Place, HostTensor>> wanted;
  int64_t runs = 0, refused = 0, unreached = 0, wrong = 0;
};
} // namespace

/// Kernels of the function among which calls choose.
int EveryCandidate::collect() {
  std::vector<VortexChoice> choices;
  if (call.context.choose(call.info().name, call.args, choices))
    return lastFailure();
  for (const VortexChoice &choice : choices) {
    const VortexKernelInfo *kernel =
        vortexModuleKernel(call.instance.module(), choice.kernel);
    if (kernel->num_candidates < 2 || kernel->decided >= 0)
      continue;
    // What decides which kernels run: those of the chosen way.
    bool isChain = std::strstr(kernel->name, ".chain.") ||
                   std::strstr(kernel->name, ".recurrence.");
    (isChain ? chains : kernels).push_back(kernel);
  }
  return ExitDone;
}

int EveryCandidate::expect() {
  for (const Place &place : call.options.expected) {
    HostTensor want;
    if (int code = readSpec(place.text, call.at(place).dtype, want))
      return code;
    wanted.emplace_back(place, std::move(want));
  }
  if (!wanted.empty())
    return ExitDone;
  for (int64_t r = 0; r < call.info().num_results; ++r)
    wanted.push_back({{false, r, ""}, call.values[r]});
  for (int64_t a = 0; a < call.info().num_args; ++a)
    if (vortexFunctionArgument(&call.info(), a)->kind == VORTEX_MEMREF)
      wanted.push_back({{true, a, ""}, call.inputs[a]});
  return ExitDone;
}

std::string EveryCandidate::compare() {
  std::string error;
  for (auto &[place, want] : wanted)
    if (!runtime::compare(call.at(place), want, call.options.tolerance, error))
      return (place.isArgument ? "argument " : "result ") +
             std::to_string(place.index) + ": " + error;
  return "";
}

/// One call with `all` of these forced, the first of which is tried where it is
/// reached.
int EveryCandidate::tryOut(const std::vector<Forced> &all, bool &reached) {
  // Named before it runs, in case that the process ends here.
  std::printf("%s%s", all[0].text().c_str(), all.size() > 1 ? " (with" : "");
  for (size_t i = 1; i < all.size(); ++i)
    std::printf(" %s", all[i].text().c_str());
  std::printf("%s: ", all.size() > 1 ? ")" : "");
  std::fflush(stdout);
  if (call.renew() || call.spoil())
    return ExitFailed;
  VortexContext *context = call.context.get();
  for (const Forced &forced : all)
    if (vortexContextForce(context, forced.kernel->name,
                           forced.kernel->candidates[forced.candidate]))
      return lastFailure();
  VortexStatus status = call.call();
  std::string why = status ? vortexLastError() : "";
  for (const Forced &forced : all)
    vortexContextForce(context, forced.kernel->name, nullptr);
  ++runs;
  reached = true;
  if (status == VORTEX_STATUS_GUARD_FAILED) {
    ++refused;
    std::printf("refused: %s\n", why.c_str());
    return ExitDone;
  }
  if (!status) {
    if (int code = call.readBack())
      return code;
    why = compare();
    reached = call.reached(all[0].kernel->name);
  }
  wrong += !why.empty();
  unreached += !reached;
  std::printf("%s%s\n",
              !why.empty() ? "wrong: "
              : reached    ? "right"
                           : "not reached",
              why.c_str());
  return ExitDone;
}

int EveryCandidate::run() {
  if (int code = collect())
    return code;
  if (int code = expect())
    return code;
  vortexContextRecordChoices(call.context.get(), true);
  bool reached = true;
  for (const VortexKernelInfo *chain : chains)
    for (int64_t c = 0; c < chain->num_candidates; ++c)
      if (int code = tryOut({{chain, c}}, reached))
        return code;
  // The k-th candidates of all chains are one way; a kernel runs where its
  // chain goes that way, with all of its candidates or none.
  int64_t ways = 1;
  for (const VortexKernelInfo *chain : chains)
    ways = std::max(ways, chain->num_candidates);
  for (const VortexKernelInfo *kernel : kernels)
    for (int64_t way = 0; way < ways; ++way) {
      reached = true;
      for (int64_t c = 0; c < kernel->num_candidates && reached; ++c) {
        std::vector<Forced> all = {{kernel, c}};
        for (const VortexKernelInfo *chain : chains)
          all.push_back({chain, std::min(way, chain->num_candidates - 1)});
        if (int code = tryOut(all, reached))
          return code;
      }
    }
  std::printf("every candidate: %" PRId64 " calls, %" PRId64
              " refused by a guard, %" PRId64 " not reached, %" PRId64
              " wrong\n",
              runs, refused, unreached, wrong);
  std::fflush(stdout);
  return wrong ? failure(std::to_string(wrong) + " of " + std::to_string(runs) +
                         " calls with a forced candidate are wrong")
               : ExitDone;
}

int vortex::tools::runEveryCandidate(FunctionCall &call) {
  return EveryCandidate(call).run();
}
