//===- KindBench.cpp - Times a kind of program against peers --------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// A result counts only when it is right: some of its elements are compared with
// the reference, all of them with those of the first contender.
//
//===----------------------------------------------------------------------===//

#include "Kinds.h"
#include "Peers/Peer.h"
#include "Program.h"
#include "Report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <unistd.h>

using namespace vortex;
using namespace vortex::bench;

template <typename T>
static std::unique_ptr<Problem> make() {
  return std::make_unique<T>();
}

const std::vector<Kind> &vortex::bench::kinds() {
  static const std::vector<Kind> kinds = {
      {"gemm",
       "m, n, k[, batch, a_t, b_t]: C[m, n] = A[m, k] B[k, n]",
       {"f32", "f64", "bf16", "f16", "i8", "u8s8"},
       make<Gemm>},
      {"conv",
       "n, c, h, w, f, kh, kw[, stride, pad, dil (each also _h, _w), groups]",
       {"f32", "f64", "bf16", "f16", "i8", "u8s8"},
       make<Conv>},
      {"softmax", "m, n: of m rows of n", {"f32", "f64"}, make<Softmax>},
      {"layernorm",
       "m, n: of m rows of n, scaled and shifted",
       {"f32", "f64"},
       make<Layernorm>},
      {"gelu", "m, n: of m x n elements, by erf", {"f32", "f64"}, make<Gelu>},
      {"transpose", "m, n: of m rows of n", {"f32", "f64"}, make<Transpose>},
      {"attention",
       "m (or seq), k (or d)[, n (or kv), batch, heads]: Q[m, k], K and V[n, "
       "k]",
       {"f32", "f64"},
       make<Attention>},
  };
  return kinds;
}

const Kind *vortex::bench::findKind(const std::string &name) {
  for (const Kind &kind : kinds())
    if (kind.name == name)
      return &kind;
  return nullptr;
}

bool Kind::takes(const std::string &dtype) const {
  return std::find(dtypes.begin(), dtypes.end(), dtype) != dtypes.end();
}

std::string Kind::dtypeList() const {
  std::string list;
  for (size_t i = 0; i < dtypes.size(); ++i)
    list += (i == 0 ? "" : i + 1 == dtypes.size() ? " or " : ", ") + dtypes[i];
  return list;
}

//===----------------------------------------------------------------------===//
// The programs
//===----------------------------------------------------------------------===//

namespace {
/// The programs of the problems met so far.
class Programs {
public:
  explicit Programs(const Options &options) : options(options) {}
  /// Compiles what the problem needs. Answers an error, or "".
  std::string make(const Problem &p) {
    std::string error = make(p.program(options.packed));
    if (error.empty() && options.compareStatic)
      error = make(p.staticProgram(options.packed));
    if (error.empty() && options.oracle)
      error = make(p.program(options.packed), kAll);
    if (error.empty() && options.compareOneOrder)
      error = make(p.program(options.packed), kOneOrder);
    return error;
  }
  Program &get(const Problem &p) {
    return *programs.at({p.program(options.packed), ""});
  }
  /// The program with all candidates.
  Program &getAll(const Problem &p) {
    return *programs.at({p.program(options.packed), kAll});
  }
  /// The one with one order of sums.
  Program &getOneOrder(const Problem &p) {
    return *programs.at({p.program(options.packed), kOneOrder});
  }
  Program &getStatic(const Problem &p) {
    return *programs.at({p.staticProgram(options.packed), ""});
  }

private:
  std::string make(const std::string &text, const std::string &flag = "") {
    auto &program = programs[{text, flag}];
    if (program)
      return "";
    program = std::make_unique<Program>();
    return program->loadText(text, options,
                             flag.empty() ? std::vector<std::string>()
                                          : std::vector<std::string>{flag});
  }

  const Options &options;
  static constexpr const char *kAll = "--candidates=all";
  static constexpr const char *kOneOrder = "--deterministic=batch-invariant";
  /// By their text and the flag of the compiler.
  std::map<std::pair<std::string, std::string>, std::unique_ptr<Program>>
      programs;
};
} // namespace

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

static std::string shortText(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

/// Compares elements with the reference: all of them where that is little work,
/// else some. "" when they agree.
static std::string checkSamples(const Problem &p, const Operands &operands,
                                const Operand &result) {
  constexpr double work = 4e6, leastSamples = 256;
  auto count = uint64_t(result.count());
  auto samples = uint64_t(std::max(leastSamples, work / p.terms()));
  double largest = p.floor(), worst = 0;
  for (uint64_t s = 0; s < std::min(samples, count); ++s) {
    // Of many, the first and last and some between, at no fixed stride.
    uint64_t i = count <= samples ? s
                 : s == 1         ? count - 1
                                  : s * 0x9E3779B97F4A7C15u % count;
    double want = p.want(operands, int64_t(i));
    double error = std::fabs(result.get(int64_t(i)) - want);
    largest = std::max(largest, std::fabs(want));
    worst = error <= worst ? worst : error; // NaN becomes the worst
  }
  if (worst <= p.tolerance() * largest)
    return "";
  return "wrong by " + shortText(worst) + " where results reach " +
         shortText(largest);
}

/// "" when all elements agree.
static std::string checkAll(const Problem &p, const Operand &got,
                            const Operand &want) {
  double largest = p.floor(), worst = 0;
  for (int64_t i = 0; i < got.count(); ++i) {
    double expected = want.get(i), error = std::fabs(got.get(i) - expected);
    largest = std::max(largest, std::fabs(expected));
    worst = error <= worst ? worst : error;
  }
  if (worst <= p.tolerance() * largest)
    return "";
  return "differs from the first result by " + shortText(worst);
}

//===----------------------------------------------------------------------===//
// Measuring
//===----------------------------------------------------------------------===//

using Peers = std::map<std::string, std::unique_ptr<Peer>>;

static Peers loadPeers(const Options &options) {
  Peers peers;
  for (const std::string &name : options.peers) {
    std::string reason;
    if (auto peer = loadPeer(name, options, reason))
      peers[name] = std::move(peer);
    else
      std::fprintf(stderr, "vortex-bench: peer %s is left out: %s\n",
                   name.c_str(), reason.c_str());
  }
  return peers;
}

/// What kernels with all candidates chose becomes what those of `few` did,
/// whose candidates they have, too, but for one that spills, which a program
/// has where no other runs. Kernels of one candidate have no choice.
static void takeChoices(std::vector<KernelChoice> &all,
                        const std::vector<KernelChoice> &few,
                        const Program &program) {
  for (KernelChoice &choice : all) {
    auto isSame = [&](const VortexKernelInfo *other) {
      return !std::strcmp(other->name, choice.kernel->name);
    };
    auto own = std::find_if(few.begin(), few.end(),
                            [&](auto &other) { return isSame(other.kernel); });
    if (own != few.end() && own->candidate < 0) {
      choice.candidate = -1;
      continue;
    }
    const char *name = own == few.end() ? nullptr : own->name();
    for (int64_t i = 0; !name && i < program.module.info().num_kernels; ++i) {
      const VortexKernelInfo *kernel =
          vortexModuleKernel(program.module.get(), i);
      if (isSame(kernel) && kernel->num_candidates > 0)
        name = kernel->candidates[0];
    }
    auto named = std::find_if(
        choice.allowed.begin(), choice.allowed.end(), [&](int64_t candidate) {
          return name &&
                 !std::strcmp(choice.kernel->candidates[candidate], name);
        });
    choice.candidate = named == choice.allowed.end() ? -1 : *named;
  }
}

/// The candidates of each kernel; that kernel's whose choice costs most.
static std::string timeKernels(Program &program,
                               const std::vector<KernelChoice> &choices,
                               const std::function<void()> &call,
                               const std::function<std::string()> &check,
                               const Options &options, Row &row) {
  for (const KernelChoice &choice : choices) {
    if (choice.candidate < 0)
      continue;
    Row trial;
    if (std::string error =
            timeCandidates(program, choice, call, check, options, trial.oracle);
        !error.empty())
      return error;
    if (!row.oracle.best.empty() && trial.regret() >= row.regret())
      continue;
    row.oracle = std::move(trial.oracle);
    if (choices.size() > 1)
      row.oracleKernel = choice.kernel->name;
  }
  return "";
}

static std::string runProblem(const Options &options, Programs &programs,
                              Peers &peers, const Problem &p, Row &row) {
  Program &program = programs.get(p);
  Operands operands;
  Buffers buffers;
  std::vector<const DLTensor *> args, weights;
  for (const TensorType &type : p.arguments()) {
    auto operand =
        std::make_unique<Operand>(type.dtype, type.shape, type.isUnsigned);
    if (!*operand)
      return "not enough memory";
    operand->randomize(uint64_t(options.seed) + operands.size(), type.range);
    buffers.push_back(operand->data());
    (type.weight && options.packed ? weights : args)
        .push_back(&operand->tensor);
    operands.push_back(std::move(operand));
  }
  const TensorType type = p.result();
  Operand got(type.dtype, type.shape), want(type.dtype, type.shape);
  if (!got || !want)
    return "not enough memory";
  buffers.push_back(got.data());

  std::string failure;
  DLManagedTensorVersioned result{};
  result.version = {1, 0};
  result.dl_tensor = got.tensor;
  DLManagedTensorVersioned *results[] = {&result};
  // The same as plain pointers and sizes, as peers take them.
  std::vector<VortexBuffer> argBuffers;
  for (const DLTensor *arg : args)
    argBuffers.push_back({arg->data, arg->shape});
  const VortexBuffer resultBuffer = {got.data(), got.tensor.shape};
  /// A call of a program, whose weights are bound now.
  auto callOf = [&](Program &program) -> std::function<void()> {
    if (!weights.empty())
      failure = program.bind("main", weights);
    if (options.dlpack)
      return [&, &program = program] {
        if (vortexContextCall(program.context.get(), "main", args.data(),
                              int64_t(args.size()), results, 1))
          failure = vortexLastError();
      };
    return [&, context = program.context.get(),
            function =
                vortexModuleFindFunction(program.instance.module(), "main")] {
      if (vortexContextRun(context, function, argBuffers.data(),
                           int64_t(argBuffers.size()), &resultBuffer, 1))
        failure = vortexLastError();
    };
  };
  const std::function<void()> call = callOf(program);
  std::vector<KernelChoice> choices;
  got.poison();
  if (failure.empty())
    choices = program.choicesOf(call);
  if (failure.empty())
    failure = checkSamples(p, operands, got);
  if (!failure.empty())
    return failure;
  want.copyFrom(got);

  std::vector<Contender> contenders;
  contenders.push_back({"vortex", call, {}, {}});
  auto compareWith = [&](const char *name, const char *how, Program &other) {
    contenders.push_back({name, callOf(other), {}, {}});
    got.poison();
    if (failure.empty())
      contenders.back().run();
    if (failure.empty())
      failure = checkAll(p, got, want);
    return failure.empty() ? "" : how + (": " + failure);
  };
  std::string error;
  if (options.compareStatic)
    error =
        compareWith("static", "compiled for this size", programs.getStatic(p));
  if (error.empty() && options.compareOneOrder)
    error = compareWith("batch-invariant", "with one order of sums",
                        programs.getOneOrder(p));
  if (!error.empty())
    return error;
  std::vector<std::unique_ptr<Call>> calls;
  for (auto &[name, peer] : peers) {
    auto call = p.prepare(*peer, buffers, options.packed);
    if (!call) {
      row.without[name] = "does not compute this";
      continue;
    }
    got.poison();
    call->run();
    std::string error = checkSamples(p, operands, got);
    if (!error.empty()) {
      std::fprintf(stderr, "vortex-bench: %s: %s is left out: %s\n",
                   p.text().c_str(), name.c_str(), error.c_str());
      row.without[name] = error;
      continue;
    }
    if (error = checkAll(p, got, want); !error.empty())
      return name + " " + error;
    contenders.push_back({name, [&run = *call] { run.run(); }, {}, {}});
    calls.push_back(std::move(call));
  }
  pinThreads(options.threads, options.realtime);
  timeContenders(contenders, options.repeats, options.threads);
  row.problem = &p;
  for (Contender &contender : contenders) {
    row.us[contender.name] = contender.median();
    row.spread[contender.name] = contender.spread();
  }
  for (const KernelChoice &choice : choices)
    row.choice += (row.choice.empty() ? "" : " ") + std::string(choice.name());
  calls.clear();
  if (options.oracle || options.oracleKept) {
    Program &timed = options.oracle ? programs.getAll(p) : program;
    const std::function<void()> timedCall = callOf(timed);
    if (options.oracle && failure.empty()) {
      std::vector<KernelChoice> all = timed.choicesOf(timedCall);
      pinThreads(options.threads, options.realtime);
      takeChoices(all, choices, program);
      choices = std::move(all);
    }
    got.poison();
    auto check = [&] {
      std::string error = failure.empty() ? checkAll(p, got, want) : failure;
      got.poison();
      return error;
    };
    if (std::string error =
            timeKernels(timed, choices, timedCall, check, options, row);
        !error.empty())
      return error;
  }
  return failure;
}

std::string vortex::bench::benchKind(const Options &options) {
  const Kind &kind = *findKind(options.subject);
  std::vector<std::unique_ptr<Problem>> problems;
  Report report;
  if (std::string error = readProblems(options, kind, problems, report.leftOut);
      !error.empty())
    return error;
  // Before threads are pinned, which the compiler would inherit.
  Programs programs(options);
  for (const auto &problem : problems)
    if (std::string error = programs.make(*problem); !error.empty())
      return error;
  report.machine = programs.get(*problems[0]).module.info().target;
  Peers peers = loadPeers(options);
  for (const auto &[name, peer] : peers)
    report.peers[name] = peer->version();
  size_t width = 36;
  for (const auto &problem : problems)
    width = std::max(width, problem->text().size());
  bool compared = false;
  for (size_t i = 0; i < problems.size(); ++i) {
    if (isatty(2))
      std::fprintf(stderr, "\r%zu of %zu ", i + 1, problems.size());
    Row row;
    std::string error = runProblem(options, programs, peers, *problems[i], row);
    if (error.empty()) {
      printRow(row, int(width));
      std::fflush(stdout);
      compared |= !row.bestPeer().empty();
      report.rows.push_back(std::move(row));
      continue;
    }
    std::fprintf(stderr, "vortex-bench: error: %s: %s\n",
                 problems[i]->text().c_str(), error.c_str());
    report.failed.push_back({problems[i]->text(), error});
  }
  if (!report.rows.empty()) {
    if (!options.peers.empty() && !compared)
      std::fprintf(stderr, "vortex-bench: remark: no peer computes %s here\n",
                   kind.name.c_str());
    printSummary(report, int(width));
    if (!options.json.empty())
      if (std::string error = writeJson(options, report); !error.empty())
        return error;
  }
  return report.failed.empty()
             ? ""
             : std::to_string(report.failed.size()) + " of " +
                   std::to_string(problems.size()) + " sizes failed";
}
