//===- Gemm.cpp - Matrix products against vendor libraries ----------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// A result counts only when it is right: some of its elements are compared with
// a sum in double precision, all of them with those of the first contender.
//
//===----------------------------------------------------------------------===//

#include "Operand.h"
#include "Peers/Peer.h"
#include "Program.h"
#include "Report.h"

#include "vortex/Runtime/Tooling/HostTensor.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <tuple>
#include <unistd.h>

using namespace vortex;
using namespace vortex::bench;

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

/// One product, all sizes unknown.
static std::string programText(const Problem &p, bool packed) {
  const bool batched = p.batch != 1;
  auto tensor = [&](VortexDType type) {
    return std::string(batched ? "tensor<?x?x?x" : "tensor<?x?x") +
           runtime::elementName(type) + ">";
  };
  const std::string in = tensor(p.dtype), out = tensor(p.resultType());
  const std::string element = runtime::elementName(p.resultType());
  auto map = [&](const char *first, const char *second) {
    std::string b = batched ? "b, " : "";
    return "affine_map<(" + b + "m, n, k) -> (" + b + first + ", " + second +
           ")>";
  };
  auto dim = [&](const char *name, const char *of, int axis) {
    return std::string("  %") + name + " = tensor.dim %" + of + ", %c" +
           std::to_string(axis) + " : " + in + "\n";
  };
  std::string text = "func.func @gemm(%a: " + in + ", %b: " + in +
                     (packed ? " {vortex.weight}" : "") + ") -> " + out +
                     " {\n" +
                     "  %c0 = arith.constant 0 : index\n"
                     "  %c1 = arith.constant 1 : index\n"
                     "  %c2 = arith.constant 2 : index\n"
                     "  %zero = arith.constant " +
                     (element[0] == 'i' ? "0" : "0.0") + " : " + element + "\n";
  if (batched)
    text += dim("batch", "a", 0);
  text += dim("m", "a", batched + p.aTransposed) +
          dim("n", "b", batched + !p.bTransposed) + "  %empty = tensor.empty(" +
          (batched ? "%batch, " : "") + "%m, %n) : " + out + "\n" +
          "  %init = linalg.fill ins(%zero : " + element +
          ") outs(%empty : " + out + ") -> " + out + "\n" + "  %c = linalg." +
          (batched ? "batch_matmul" : "matmul");
  if (p.aTransposed || p.bTransposed)
    text += " indexing_maps = [" +
            (p.aTransposed ? map("k", "m") : map("m", "k")) + ", " +
            (p.bTransposed ? map("n", "k") : map("k", "n")) + ", " +
            map("m", "n") + "]";
  return text + " ins(%a, %b : " + in + ", " + in + ") outs(%init : " + out +
         ") -> " + out + "\n  return %c : " + out + "\n}\n";
}

namespace {
/// The programs of the element types and layouts met so far.
class Programs {
public:
  explicit Programs(const Options &options) : options(options) {}
  /// Compiles what the problem needs. Answers an error, or "".
  std::string make(const Problem &p) {
    auto &program = programs[key(p)];
    if (program)
      return "";
    program = std::make_unique<Program>();
    return program->loadText(programText(p, packed(p)), options);
  }
  Program &get(const Problem &p) { return *programs.at(key(p)); }
  /// A batched product is one of two activations: nothing is known beforehand.
  bool packed(const Problem &p) const { return options.packed && p.batch == 1; }

private:
  using Key = std::tuple<VortexDType, bool, bool, bool>;
  static Key key(const Problem &p) {
    return {p.dtype, p.batch != 1, p.aTransposed, p.bTransposed};
  }
  const Options &options;
  std::map<Key, std::unique_ptr<Program>> programs;
};
} // namespace

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// How far results may be apart, relative to the largest. Rounding errors of a
/// sum grow with the root of its length.
static double tolerance(const Problem &p) {
  double unit = p.dtype == VORTEX_I8 ? 0 : p.dtype == VORTEX_F64 ? 2e-15 : 1e-6;
  return unit * std::sqrt(double(p.k) + 64);
}

/// Compares some elements with sums in double precision. "" when they agree.
static std::string checkSamples(const Problem &p, const Operand &a,
                                const Operand &b, const Operand &c) {
  constexpr uint64_t samples = 256;
  uint64_t count = uint64_t(c.count());
  double largest = 1, worst = 0;
  for (uint64_t s = 0; s < std::min(samples, count); ++s) {
    // The first and last elements and some between, at no fixed stride.
    uint64_t i = s == 1 ? count - 1 : s * 0x9E3779B97F4A7C15u % count;
    int64_t batch = int64_t(i) / (p.m * p.n), row = int64_t(i) / p.n % p.m,
            column = int64_t(i) % p.n;
    double sum = 0;
    for (int64_t k = 0; k < p.k; ++k)
      sum += a.get(batch * p.m * p.k +
                   (p.aTransposed ? k * p.m + row : row * p.k + k)) *
             b.get(batch * p.k * p.n +
                   (p.bTransposed ? column * p.k + k : k * p.n + column));
    double error = std::fabs(c.get(int64_t(i)) - sum);
    largest = std::max(largest, std::fabs(sum));
    worst = error <= worst ? worst : error; // NaN becomes the worst
  }
  if (worst <= tolerance(p) * largest)
    return "";
  return "wrong by " + std::to_string(worst) + " where results reach " +
         std::to_string(largest);
}

/// "" when all elements agree.
static std::string checkAll(const Problem &p, const Operand &c,
                            const Operand &want) {
  double largest = 1, worst = 0;
  for (int64_t i = 0; i < c.count(); ++i) {
    double expected = want.get(i), error = std::fabs(c.get(i) - expected);
    largest = std::max(largest, std::fabs(expected));
    worst = error <= worst ? worst : error;
  }
  if (worst <= tolerance(p) * largest)
    return "";
  return "differs from the first result by " + std::to_string(worst);
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

static std::string runProblem(const Options &options, Programs &programs,
                              Peers &peers, const Problem &p, Row &row) {
  const bool packed = programs.packed(p);
  Program &program = programs.get(p);

  Operand a(p.dtype, p.shapeA()), b(p.dtype, p.shapeB());
  Operand c(p.resultType(), p.shapeC()), want(p.resultType(), p.shapeC());
  if (!a || !b || !c || !want)
    return "not enough memory";
  a.randomize(uint64_t(options.seed));
  b.randomize(uint64_t(options.seed) + 1);

  std::string failure;
  std::vector<const DLTensor *> args = {&a.tensor};
  if (packed)
    failure = program.bind("gemm", {&b.tensor});
  else
    args.push_back(&b.tensor);
  DLManagedTensorVersioned result{};
  result.version = {1, 0};
  result.dl_tensor = c.tensor;
  DLManagedTensorVersioned *results[] = {&result};
  std::function<void()> call = [&] {
    if (vortexContextCall(program.context.get(), "gemm", args.data(),
                          int64_t(args.size()), results, 1))
      failure = vortexLastError();
  };
  std::vector<KernelChoice> choices;
  if (failure.empty())
    choices = program.choicesOf(call);
  if (failure.empty())
    failure = checkSamples(p, a, b, c);
  if (!failure.empty())
    return failure;
  want.copyFrom(c);

  std::vector<Contender> contenders;
  contenders.push_back({"vortex", call, {}, {}});
  std::vector<std::unique_ptr<Product>> products;
  for (auto &[name, peer] : peers) {
    auto product = peer->prepare(p, a.data(), b.data(), c.data(), packed);
    if (!product)
      continue;
    c.poison();
    product->run();
    std::string error = checkSamples(p, a, b, c);
    if (!error.empty()) {
      std::fprintf(stderr, "vortex-bench: %s: %s is left out: %s\n",
                   p.text().c_str(), name.c_str(), error.c_str());
      continue;
    }
    if (error = checkAll(p, c, want); !error.empty())
      return name + " " + error;
    contenders.push_back({name, [&run = *product] { run.run(); }, {}, {}});
    products.push_back(std::move(product));
  }
  pinThreads(options.threads, options.realtime);
  timeContenders(contenders, options.repeats, options.threads > 1);
  row.problem = p;
  for (Contender &contender : contenders) {
    row.us[contender.name] = contender.median();
    row.spread[contender.name] = contender.spread();
  }
  for (const KernelChoice &choice : choices)
    row.choice += (row.choice.empty() ? "" : " ") + std::string(choice.name());
  products.clear();
  if (options.oracle && !choices.empty()) {
    auto check = [&] {
      std::string error = failure.empty() ? checkAll(p, c, want) : failure;
      c.poison();
      return error;
    };
    if (std::string error = timeCandidates(program, choices[0], call, check,
                                           options, row.oracle);
        !error.empty())
      return error;
  }
  return failure;
}

std::string vortex::bench::benchGemm(const Options &options) {
  std::vector<Problem> problems;
  size_t leftOut = 0;
  if (std::string error = readProblems(options, problems, leftOut);
      !error.empty())
    return error;
  if (problems.empty())
    return "no sizes are left: " + std::to_string(leftOut) +
           " are empty or over the limits";
  // Before threads are pinned, which the compiler would inherit.
  Programs programs(options);
  for (const Problem &problem : problems)
    if (std::string error = programs.make(problem); !error.empty())
      return error;
  const std::string machine = programs.get(problems[0]).module.info().target;
  Peers peers = loadPeers(options);
  std::vector<Row> rows;
  size_t failures = 0;
  for (size_t i = 0; i < problems.size(); ++i) {
    if (isatty(2))
      std::fprintf(stderr, "\r%zu of %zu ", i + 1, problems.size());
    Row row;
    std::string error = runProblem(options, programs, peers, problems[i], row);
    if (error.empty()) {
      printRow(row);
      std::fflush(stdout);
      rows.push_back(std::move(row));
      continue;
    }
    std::fprintf(stderr, "vortex-bench: error: %s: %s\n",
                 problems[i].text().c_str(), error.c_str());
    ++failures;
  }
  if (!rows.empty()) {
    printSummary(rows, leftOut);
    if (!options.json.empty())
      if (std::string error = writeJson(options, machine, rows); !error.empty())
        return error;
  }
  return failures ? std::to_string(failures) + " of " +
                        std::to_string(problems.size()) + " sizes failed"
                  : "";
}
