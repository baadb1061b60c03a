//===- Program.cpp - A compiled program under measurement -----------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <numeric>
#include <unistd.h>

using namespace vortex;
using namespace vortex::bench;

static bool endsWith(const std::string &text, const std::string &end) {
  return text.size() >= end.size() &&
         text.compare(text.size() - end.size(), end.size(), end) == 0;
}

std::string Program::load(const std::string &file, const Options &options,
                          const std::vector<std::string> &flags) {
  std::string artifact = file;
  bool compile = endsWith(file, ".mlir") || endsWith(file, ".mlirbc");
  if (compile)
    if (std::string error = options.compile(file, flags, artifact);
        !error.empty())
      return error;
  VortexContextOptions contextOptions{};
  contextOptions.size = sizeof contextOptions;
  contextOptions.threads = int32_t(options.threads);
  bool failed = module.load(artifact.c_str()) || instance.create(module) ||
                context.create(instance, &contextOptions);
  if (compile)
    unlink(artifact.c_str());
  if (failed)
    return vortexLastError();
  if (const char *remarks = vortexModuleRemarks(module.get()); *remarks)
    std::fprintf(stderr, "vortex-bench: remark: %s\n", remarks);
  return "";
}

std::string Program::loadText(const std::string &text, const Options &options,
                              const std::vector<std::string> &flags) {
  const char *folder = std::getenv("TMPDIR");
  std::string source = std::string(folder && *folder ? folder : "/tmp") +
                       "/vortex-bench-XXXXXX.mlir";
  int file = mkstemps(&source[0], 5);
  if (file < 0)
    return source + ": " + std::strerror(errno);
  close(file);
  std::ofstream(source) << text;
  std::string error = load(source, options, flags);
  unlink(source.c_str());
  return error;
}

std::string Program::bind(const char *function,
                          const std::vector<const DLTensor *> &weights) {
  return instance.bindWeights(function, weights) ? vortexLastError() : "";
}

std::vector<KernelChoice>
Program::choicesOf(const std::function<void()> &call) {
  vortexContextRecordChoices(context.get(), 1);
  call();
  std::vector<KernelChoice> choices;
  for (int64_t i = 0; i < vortexContextNumChoices(context.get()); ++i) {
    VortexChoice record;
    if (vortexContextChoice(context.get(), i, &record))
      continue;
    KernelChoice choice;
    choice.kernel = vortexModuleKernel(instance.module(), record.kernel);
    choice.candidate = record.candidate;
    for (int64_t c = 0; c < record.num_candidates; ++c) {
      choice.costs.push_back(record.costs[c] / 1000 * double(record.times));
      if (record.allowed[c])
        choice.allowed.push_back(c);
    }
    choices.push_back(std::move(choice));
  }
  vortexContextRecordChoices(context.get(), 0);
  std::sort(choices.begin(), choices.end(),
            [](const KernelChoice &x, const KernelChoice &y) {
              return x.predicted() > y.predicted();
            });
  return choices;
}

void Program::force(const VortexKernelInfo &kernel, int64_t candidate) {
  vortexContextForce(context.get(), kernel.name,
                     candidate < 0 ? nullptr : kernel.candidates[candidate]);
}

std::map<std::string, double> Oracle::times() const {
  std::map<std::string, double> times;
  for (const TimedCandidate &candidate : all)
    times[candidate.name] = candidate.measured;
  return times;
}

std::map<std::string, double> Oracle::costs() const {
  std::map<std::string, double> costs;
  for (const TimedCandidate &candidate : all)
    costs[candidate.name] = candidate.predicted;
  return costs;
}

/// The fastest candidates and the choice once more, by themselves and longer:
/// these times count. Of fifty short ones the smallest would be the luckiest.
/// Answers which they are.
static std::vector<size_t> timeLeaders(std::vector<Contender> &contenders,
                                       const KernelChoice &choice,
                                       int64_t repeats) {
  constexpr size_t kLeaders = 4;
  constexpr int64_t kLonger = 3;
  std::vector<size_t> order(contenders.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return contenders[a].median() < contenders[b].median();
  });
  order.resize(std::min(order.size(), kLeaders));
  for (size_t i = 0; i < contenders.size(); ++i)
    if (choice.allowed[i] == choice.candidate &&
        !std::count(order.begin(), order.end(), i))
      order.push_back(i);
  std::vector<Contender> leaders;
  for (size_t i : order) {
    leaders.push_back(contenders[i]);
    leaders.back().batches.clear();
  }
  timeContenders(leaders, repeats * kLonger);
  for (size_t i = 0; i < order.size(); ++i)
    contenders[order[i]].batches = leaders[i].batches;
  return order;
}

std::string
vortex::bench::timeCandidates(Program &program, const KernelChoice &choice,
                              const std::function<void()> &call,
                              const std::function<std::string()> &check,
                              const Options &options, Oracle &oracle) {
  const VortexKernelInfo &kernel = *choice.kernel;
  std::vector<Contender> contenders;
  std::string error;
  for (int64_t candidate : choice.allowed) {
    auto force = [&program, &kernel, candidate] {
      program.force(kernel, candidate);
    };
    force();
    call();
    error = check();
    if (!error.empty()) {
      error = std::string("candidate ") + kernel.candidates[candidate] + ": " +
              error;
      break;
    }
    contenders.push_back({kernel.candidates[candidate], call, force, {}});
  }
  // All contenders are candidates of one program, whose workers they share.
  std::vector<size_t> leaders;
  if (error.empty()) {
    timeContenders(contenders, options.repeats);
    leaders = timeLeaders(contenders, choice, options.repeats);
  }
  program.force(kernel, -1);
  if (!error.empty())
    return error;
  for (size_t i = 0; i < contenders.size(); ++i) {
    int64_t candidate = choice.allowed[i];
    double us = contenders[i].median();
    oracle.all.push_back({contenders[i].name, us, choice.costs[candidate]});
    if (candidate == choice.candidate)
      oracle.choiceMicroseconds = us;
  }
  for (size_t i : leaders) {
    const TimedCandidate &timed = oracle.all[i];
    if (oracle.best.empty() || timed.measured < oracle.bestMicroseconds) {
      oracle.best = timed.name;
      oracle.bestMicroseconds = timed.measured;
    }
  }
  return "";
}
