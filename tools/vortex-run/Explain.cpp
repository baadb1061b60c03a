//===- Explain.cpp - What an artifact holds and chooses -------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Explain.h"

#include "vortex/Runtime/Tooling/HostTensor.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>

using namespace vortex;
using namespace vortex::tools;

//===----------------------------------------------------------------------===//
// --list
//===----------------------------------------------------------------------===//

static std::string valueType(const VortexValueInfo &value) {
  std::string text;
  for (int32_t d = 0; d < value.rank; ++d) {
    const char *dim = value.dims ? value.dims[d] : nullptr;
    text += value.extents[d] >= 0 ? std::to_string(value.extents[d])
            : dim && *dim         ? dim
                                  : "?";
    text += "x";
  }
  text += runtime::elementName(VortexDType(value.dtype));
  if (value.kind != VORTEX_SCALAR)
    text = (value.kind == VORTEX_MEMREF ? "memref<" : "tensor<") + text + ">";
  if (value.name && *value.name)
    text = std::string(value.name) + ": " + text;
  return value.is_weight ? text + " weight" : text;
}

/// A formula on one line.
static std::string oneLine(const char *formula) {
  std::string text;
  for (; *formula; ++formula)
    text += *formula == '\n' ? "; " : std::string(1, *formula);
  return text;
}

static void listKernel(const VortexKernelInfo &k) {
  if (!k.num_candidates) {
    std::printf("kernel %s: fallback, generic loops\n", k.name);
    return;
  }
  std::printf("kernel %s\n", k.name);
  std::string leftOut;
  for (int64_t c = 0; c < k.num_candidates; ++c) {
    if (k.decided >= 0 && c != k.decided)
      leftOut += (leftOut.empty() ? "" : ", ") + std::string(k.candidates[c]);
    else
      std::printf("  candidate %s%s%s\n", k.candidates[c],
                  *k.guards[c] ? " if " : "", oneLine(k.guards[c]).c_str());
  }
  if (!leftOut.empty())
    std::printf("  left out, as sizes were known: %s\n", leftOut.c_str());
}

/// Libraries that the code may call, and whether the run time found them.
static void listLibraries(VortexModule *module) {
  const VortexArtifactInfo &info = *vortexModuleInfo(module);
  for (int64_t i = 0; i < info.num_libraries; ++i) {
    double found = 0;
    std::string param = std::string("library.") + info.libraries[i];
    vortexModuleGetParam(module, param.c_str(), &found);
    std::printf("library %s: products may call it, %s\n", info.libraries[i],
                found > 0 ? "and it is here" : "but it is not used here");
  }
}

static void listMemory(const VortexFunctionInfo &function) {
  if (!function.peak_bytes || !*function.peak_bytes)
    return;
  std::printf("  intermediates of at most %s bytes", function.peak_bytes);
  if (function.most_bytes >= 0 &&
      std::to_string(function.most_bytes) != function.peak_bytes)
    std::printf(", no more than %" PRId64 " at the sizes declared",
                function.most_bytes);
  std::printf("\n");
}

static void listProgram(VortexModule *module) {
  const VortexArtifactInfo &info = *vortexModuleInfo(module);
  std::printf("producer: %s\ntarget: %s\nfeatures: %s\n",
              info.producer ? info.producer : "",
              info.target ? info.target : "",
              info.features ? info.features : "");
  listLibraries(module);
  for (int64_t i = 0; i < info.num_functions; ++i) {
    const VortexFunctionInfo &f = *vortexModuleFunction(module, i);
    std::string args, results;
    for (int64_t a = 0; a < f.num_args; ++a)
      args += (a ? ", " : "") + valueType(*vortexFunctionArgument(&f, a));
    for (int64_t r = 0; r < f.num_results; ++r)
      results += (r ? ", " : "") + valueType(*vortexFunctionResult(&f, r));
    std::printf("function %s(%s) -> (%s)\n", f.name, args.c_str(),
                results.c_str());
    for (int64_t r = 0; r < f.num_relations; ++r)
      std::printf("  where %s\n", f.relations[r]);
    if (f.precision && *f.precision)
      std::printf("  products of f32 in %s\n", f.precision);
    listMemory(f);
  }
  for (int64_t i = 0; i < info.num_kernels; ++i)
    listKernel(*vortexModuleKernel(module, i));
  for (int64_t i = 0; i < info.num_params; ++i) {
    const VortexParamInfo &p = *vortexModuleParam(module, i);
    double value = p.default_value;
    vortexModuleGetParam(module, p.name, &value);
    std::printf("param %s = %g (default %g)\n", p.name, value, p.default_value);
  }
}

void vortex::tools::list(const runtime::Module &module) {
  VortexModule *program;
  for (int64_t i = 0; (program = vortexModuleProgram(module.get(), i)); ++i) {
    if (i)
      std::printf("\n");
    listProgram(program);
  }
}

//===----------------------------------------------------------------------===//
// --explain
//===----------------------------------------------------------------------===//

namespace {
/// A VortexChoice that owns its arrays.
struct Choice {
  explicit Choice(const VortexChoice &choice)
      : entry(choice),
        allowed(choice.allowed, choice.allowed + choice.num_candidates),
        costs(choice.costs, choice.costs + choice.num_candidates) {}
  VortexChoice entry;
  std::vector<uint8_t> allowed;
  std::vector<double> costs;
};

class Explainer {
public:
  explicit Explainer(VortexModule *module) : module(module) {}

  void print(const Choice &choice);
  void printNotReached(const Choice &choice);

private:
  void printCandidates(const VortexKernelInfo &k, const Choice &choice);
  void printFormulas(const VortexKernelInfo &k);
  const VortexKernelInfo &kernel(const Choice &choice) const {
    return *vortexModuleKernel(module, choice.entry.kernel);
  }

  VortexModule *module;
  /// Where a formula was printed first.
  std::map<std::string, std::string> printed;
};
} // namespace

static std::string reason(const VortexKernelInfo &k, const Choice &choice) {
  const VortexChoice &entry = choice.entry;
  if (entry.candidate < 0)
    return "no guard holds";
  if (k.num_candidates == 1)
    return "the only candidate";
  if (k.decided >= 0)
    return "decided when it was compiled";
  if (entry.candidate != entry.preferred)
    return std::string("forced; the costs prefer ") +
           (entry.preferred < 0 ? "none" : k.candidates[entry.preferred]);
  int64_t allowed =
      std::count(choice.allowed.begin(), choice.allowed.end(), uint8_t(1));
  if (allowed == 1)
    return "the only one allowed";
  return "the cheapest of " + std::to_string(allowed) +
         (allowed < k.num_candidates ? " allowed" : "");
}

void Explainer::print(const Choice &choice) {
  const VortexKernelInfo &k = kernel(choice);
  const VortexChoice &entry = choice.entry;
  std::printf("kernel %s: %s (%s)", k.name,
              entry.candidate < 0 ? "none" : k.candidates[entry.candidate],
              reason(k, choice).c_str());
  if (entry.times)
    std::printf(", %" PRId64 " time%s", entry.times,
                entry.times == 1 ? "" : "s");
  std::printf("\n");
  printCandidates(k, choice);
  printFormulas(k);
}

void Explainer::printNotReached(const Choice &choice) {
  const VortexKernelInfo &k = kernel(choice);
  int64_t candidate = choice.entry.candidate;
  if (candidate == VORTEX_CHOICE_DEPENDS_ON_DATA)
    std::printf(
        "kernel %s: %s\n", k.name,
        k.decided < 0 ? "did not run; its sizes depend on data"
        : k.num_candidates == 1
            ? (std::string(k.candidates[0]) + " (the only candidate)").c_str()
            : (std::string(k.candidates[k.decided]) +
               " (decided when it was compiled)")
                  .c_str());
  else
    std::printf("kernel %s: did not run; %s would be chosen\n", k.name,
                candidate < 0 ? "none" : k.candidates[candidate]);
  printCandidates(k, choice);
  printFormulas(k);
}

void Explainer::printCandidates(const VortexKernelInfo &k,
                                const Choice &choice) {
  for (int64_t c = 0; c < choice.entry.num_candidates; ++c)
    if (choice.allowed[c])
      std::printf("  %s: predicted %.3f us\n", k.candidates[c],
                  choice.costs[c] / 1000);
    else
      std::printf("  %s: not allowed%s%s\n", k.candidates[c],
                  *k.guards[c] ? ", needs " : "", oneLine(k.guards[c]).c_str());
}

/// The same arithmetic serves many kernels: it is printed once.
void Explainer::printFormulas(const VortexKernelInfo &k) {
  std::string axes;
  for (int64_t a = 0; a < k.num_axes; ++a)
    axes += (a ? ", " : "") + std::string(k.axes[a]);
  for (int64_t c = 0; c < k.num_candidates; ++c) {
    if (!*k.costs[c])
      continue;
    std::string name = std::string(k.candidates[c]) + " of " + k.name;
    auto known = printed.insert({k.costs[c], name});
    if (!known.second) {
      std::printf("  cost of %s: as %s\n", k.candidates[c],
                  known.first->second.c_str());
      continue;
    }
    std::printf("  cost of %s in ns, axes (%s):\n", k.candidates[c],
                axes.c_str());
    for (const char *line = k.costs[c]; *line;) {
      size_t length = std::strcspn(line, "\n");
      std::printf("    %.*s\n", int(length), line);
      line += length + (line[length] != 0);
    }
  }
}

void vortex::tools::explain(VortexModule *module, runtime::Context &context,
                            const VortexFunctionInfo &function,
                            const std::vector<const DLTensor *> &args) {
  listLibraries(module);
  // The prediction takes the place of the record.
  std::vector<Choice> made, predicted;
  VortexChoice choice;
  for (int64_t i = 0; i < vortexContextNumChoices(context.get()); ++i)
    if (!vortexContextChoice(context.get(), i, &choice))
      made.emplace_back(choice);
  std::vector<VortexChoice> choices;
  if (!context.choose(function.name, args, choices))
    for (const VortexChoice &c : choices)
      predicted.emplace_back(c);

  Explainer explainer(module);
  std::vector<bool> told(made.size());
  auto tell = [&](int64_t kernel) {
    bool any = false;
    for (size_t i = 0; i < made.size(); ++i)
      if (!told[i] && made[i].entry.kernel == kernel) {
        explainer.print(made[i]);
        told[i] = any = true;
      }
    return any;
  };
  for (const Choice &p : predicted) {
    const VortexKernelInfo &k = *vortexModuleKernel(module, p.entry.kernel);
    if (tell(p.entry.kernel))
      continue;
    if (k.decided >= 0 && p.entry.candidate >= 0)
      explainer.print(p);
    else
      explainer.printNotReached(p);
  }
  // Kernels of functions that this one calls.
  for (const Choice &m : made)
    tell(m.entry.kernel);
  std::string prefix = std::string(function.name) + ".";
  bool fallback = false;
  for (int64_t i = 0; i < vortexModuleInfo(module)->num_kernels; ++i) {
    const VortexKernelInfo &k = *vortexModuleKernel(module, i);
    if (k.num_candidates ||
        prefix.compare(0, prefix.size(), k.name, 0, prefix.size()))
      continue;
    listKernel(k);
    fallback = true;
  }
  if (predicted.empty() && made.empty() && !fallback)
    std::printf("explain: the function has no kernels\n");
  int64_t bytes = -1;
  if (vortexFunctionPeakBytes(context.get(), function.name, args.data(),
                              int64_t(args.size()), &bytes) ||
      bytes < 0)
    std::printf("memory: what intermediates take is up to the data\n");
  else
    std::printf("memory: intermediates take at most %" PRId64
                " bytes at once = %s\n",
                bytes, function.peak_bytes);
  // Whatever candidates ran: a chain that is fused takes less than its parts.
  std::printf("memory: the context holds %zu bytes of scratch\n",
              vortexContextScratchBytes(context.get()));
}
