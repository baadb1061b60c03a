//===- ProgramBench.cpp - Times a function of a program -------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "Report.h"

#include "vortex/Runtime/Tooling/Compare.h"
#include "vortex/Runtime/Tooling/ReplaceFile.h"
#include "vortex/Runtime/Tooling/ValueSpec.h"

#include <algorithm>
#include <cstdio>

using namespace vortex;
using namespace vortex::bench;
using runtime::HostTensor;

namespace {
/// vortexFunctionChoose for all planned kernels of a function.
struct ChoiceTime {
  int64_t kernels = 0;
  double nanoseconds = 0;
  /// What a call takes longer when the one before had other sizes; below 0
  /// where it is not known.
  double within = -1;
};
} // namespace

/// The function that is named, or the only one.
static const VortexFunctionInfo *pickFunction(const Options &options,
                                              const runtime::Module &module,
                                              std::string &error) {
  if (options.function.empty() && module.info().num_functions == 1)
    return vortexModuleFunction(module.get(), 0);
  const VortexFunctionInfo *f =
      options.function.empty()
          ? nullptr
          : vortexModuleFindFunction(module.get(), options.function.c_str());
  if (f)
    return f;
  error = options.function.empty()
              ? "--function=NAME is needed; there is:"
              : "there is no function '" + options.function + "'; there is:";
  for (int64_t i = 0; i < module.info().num_functions; ++i)
    error += std::string(" ") + vortexModuleFunction(module.get(), i)->name;
  return nullptr;
}

/// What a call pays for its choices, apart from running them; from tens of
/// thousands of them.
static ChoiceTime timeChoice(Program &program, const VortexFunctionInfo &f,
                             const std::vector<const DLTensor *> &args,
                             const Options &options) {
  ChoiceTime time;
  std::vector<VortexChoice> choices;
  if (program.context.choose(f.name, args, choices) || choices.empty())
    return time;
  time.kernels = int64_t(choices.size());
  std::vector<Contender> contenders = {
      {"choice",
       [&] { program.context.choose(f.name, args, choices); },
       {},
       {}}};
  timeContenders(contenders, options.repeats);
  time.nanoseconds = contenders[0].median() * 1000;
  return time;
}

/// Calls longer than so many microseconds do not show what choosing adds.
static constexpr double kShortCall = 2;

/// What calls take longer when sizes change: of the given ones and of those
/// with one row more of the first argument, in turns, against each alone. Below
/// 0 where the program does not take that row.
static double timeChoiceWithin(Program &program, const VortexFunctionInfo &f,
                               std::vector<const DLTensor *> args,
                               const HostTensor &first,
                               const Options &options) {
  if (first.shape.empty() || first.shape[0] == 0)
    return -1;
  HostTensor longer = first;
  longer.bytes.resize(first.bytes.size() +
                      first.bytes.size() / size_t(first.shape[0]));
  ++longer.shape[0];
  DLTensor view = runtime::dlTensor(longer);
  std::vector<const DLTensor *> others = args;
  others[0] = &view;
  // Results are the caller's from the first call on.
  std::vector<runtime::OwnedTensor> ofArgs(size_t(f.num_results)),
      ofOthers(size_t(f.num_results));
  std::string error;
  auto one = [&] {
    if (std::string e = program.call(f.name, args, ofArgs); !e.empty())
      error = e;
  };
  auto other = [&] {
    if (std::string e = program.call(f.name, others, ofOthers); !e.empty())
      error = e;
  };
  other();
  if (!error.empty())
    return -1;
  std::vector<Contender> contenders = {
      {"one", [&] { one(), one(); }, {}, {}},
      {"other", [&] { other(), other(); }, {}, {}},
      {"turns", [&] { one(), other(); }, {}, {}}};
  timeContenders(contenders, options.repeats);
  double alone = (contenders[0].median() + contenders[1].median()) / 2;
  return error.empty()
             ? std::max((contenders[2].median() - alone) * 1000 / 2, 0.0)
             : -1;
}

static std::string json(const Options &options, const Program &program,
                        const VortexFunctionInfo &f, const Contender &contender,
                        const ChoiceTime &choiceTime,
                        const std::vector<KernelChoice> &choices,
                        const std::vector<Oracle> &oracles) {
  std::string out =
      "{\"schema\": 1, \"machine\": " + quoted(program.module.info().target) +
      ", \"program\": " + quoted(options.subject) +
      ", \"function\": " + quoted(f.name) +
      ", \"threads\": " + std::to_string(options.threads) +
      ", \"us\": " + numbers({{"vortex", contender.median()}}) +
      ", \"spread\": " + numbers({{"vortex", contender.spread()}}) +
      ", \"choose_ns\": " +
      (choiceTime.within < 0 ? numbers({{"all", choiceTime.nanoseconds}})
                             : numbers({{"all", choiceTime.nanoseconds},
                                        {"within", choiceTime.within}})) +
      ", \"kernels\": [";
  for (size_t i = 0; i < choices.size(); ++i) {
    out += (i ? ",\n  " : "\n  ") +
           ("{\"kernel\": " + quoted(choices[i].kernel->name)) +
           ", \"choice\": " + quoted(choices[i].name());
    if (i < oracles.size())
      out += ", \"oracle\": " + quoted(oracles[i].best) +
             ", \"call_us\": " + numbers(oracles[i].times()) +
             ", \"costs_us\": " + numbers(oracles[i].costs());
    out += "}";
  }
  return out + "\n]}\n";
}

std::string vortex::bench::benchProgram(const Options &options, bool &usage) {
  usage = false;
  Program program;
  std::string error = program.load(options.subject, options);
  if (!error.empty())
    return error;
  const VortexFunctionInfo *f = pickFunction(options, program.module, error);
  if (!f) {
    usage = options.function.empty();
    return error;
  }
  if (int64_t(options.inputs.size()) != f->num_args) {
    usage = true;
    return std::string("function '") + f->name + "' takes " +
           std::to_string(f->num_args) + " arguments, got " +
           std::to_string(options.inputs.size()) + " --input";
  }
  std::vector<HostTensor> inputs(options.inputs.size());
  std::vector<DLTensor> views(inputs.size());
  std::vector<const DLTensor *> weights, args;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const VortexValueInfo &info = *vortexFunctionArgument(f, int64_t(i));
    VortexDType want = VortexDType(info.dtype);
    runtime::SpecOutcome outcome =
        runtime::parseValueSpec(options.inputs[i], &want, inputs[i], error);
    usage = outcome == runtime::SpecOutcome::Malformed;
    if (outcome != runtime::SpecOutcome::Ok)
      return error;
    views[i] = runtime::dlTensor(inputs[i]);
    (info.is_weight ? weights : args).push_back(&views[i]);
  }
  if (!weights.empty())
    if (error = program.bind(f->name, weights); !error.empty())
      return error;

  std::vector<runtime::OwnedTensor> results(size_t(f->num_results));
  std::function<void()> call = [&] {
    if (std::string e = program.call(f->name, args, results); !e.empty())
      error = e;
  };
  std::vector<KernelChoice> choices = program.choicesOf(call);
  if (!error.empty())
    return error;
  auto values = [&] {
    std::vector<HostTensor> copies;
    for (int64_t r = 0; r < f->num_results; ++r)
      copies.push_back(
          runtime::copyOf(results[size_t(r)].tensor(),
                          VortexDType(vortexFunctionResult(f, r)->dtype)));
    return copies;
  };
  pinThreads(options.threads, options.realtime);
  std::vector<HostTensor> want = values();
  std::vector<Contender> contenders = {{f->name, call, {}, {}}};
  timeContenders(contenders, options.repeats);
  std::printf("%s: %.3f us, spread %.2f\n", f->name, contenders[0].median(),
              contenders[0].spread());
  ChoiceTime choiceTime = timeChoice(program, *f, args, options);
  if (choiceTime.kernels)
    std::printf("%s: %.0f ns to choose for %lld kernels\n", f->name,
                choiceTime.nanoseconds,
                static_cast<long long>(choiceTime.kernels));
  if (choiceTime.kernels && !args.empty() &&
      contenders[0].median() < kShortCall) {
    size_t first = 0;
    while (args[0] != &views[first])
      ++first;
    choiceTime.within =
        timeChoiceWithin(program, *f, args, inputs[first], options);
    if (choiceTime.within >= 0)
      std::printf("%s: %.0f ns more where the call before had a row less\n",
                  f->name, choiceTime.within);
  }
  std::vector<Oracle> oracles;
  for (const KernelChoice &choice : choices) {
    std::printf("  %s: %s\n", choice.kernel->name, choice.name());
    if (!options.oracle && !options.oracleKept)
      continue;
    auto check = [&]() -> std::string {
      std::vector<HostTensor> got = values();
      std::string report = error;
      for (size_t r = 0; report.empty() && r < got.size(); ++r)
        runtime::compare(got[r], want[r], runtime::Tolerance(), report);
      return report;
    };
    Oracle oracle;
    if (std::string e =
            timeCandidates(program, choice, call, check, options, oracle);
        !e.empty())
      return e;
    for (const TimedCandidate &candidate : oracle.all)
      std::printf("    %s: a call takes %.3f us\n", candidate.name.c_str(),
                  candidate.measured);
    oracles.push_back(std::move(oracle));
  }
  if (error.empty() && !options.json.empty())
    error = runtime::writeText(options.json,
                               json(options, program, *f, contenders[0],
                                    choiceTime, choices, oracles));
  return error;
}
