//===- Report.cpp - Ratios, means and JSON --------------------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"

#include "vortex/Runtime/Tooling/HostTensor.h"
#include "vortex/Runtime/Tooling/ReplaceFile.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

using namespace vortex::bench;

namespace {
/// Geometric mean of what is added.
struct Mean {
  double sum = 0;
  size_t count = 0;
  void add(double ratio) {
    sum += std::log(ratio);
    ++count;
  }
  double get() const { return count ? std::exp(sum / double(count)) : 0; }
};

struct Means {
  std::map<std::string, Mean> peers;
  Mean best, oracle;
  size_t ahead = 0;
  std::map<std::string, size_t> wins; ///< how often each peer is the best

  explicit Means(const std::vector<Row> &rows) {
    for (const Row &row : rows) {
      for (auto &[name, us] : row.us)
        if (name != "vortex")
          peers[name].add(us / row.us.at("vortex"));
      if (double ratio = row.overBest()) {
        best.add(ratio);
        ++wins[row.bestPeer()];
        ahead += ratio >= 1;
      }
      if (double ratio = row.regret())
        oracle.add(ratio);
    }
  }
  std::map<std::string, double> get() const {
    std::map<std::string, double> values;
    for (auto &[name, mean] : peers)
      values[name] = mean.get();
    if (best.count)
      values["best"] = best.get();
    if (oracle.count)
      values["oracle"] = oracle.get();
    return values;
  }
};
} // namespace

CostModelError::CostModelError(const std::vector<Row> &rows) {
  size_t candidates = 0;
  for (const Row &row : rows) {
    const std::vector<TimedCandidate> &all = row.oracle.all;
    if (all.size() < 2 || !row.oracleKernel.empty())
      continue;
    double order = 0;
    for (size_t i = 0; i < all.size(); ++i) {
      percentage +=
          std::fabs(all[i].predicted - all[i].measured) / all[i].measured * 100;
      for (size_t j = 0; j < i; ++j) {
        double product = (all[i].predicted - all[j].predicted) *
                         (all[i].measured - all[j].measured);
        order += product > 0 ? 1 : product < 0 ? -1 : 0;
      }
    }
    ++sizes;
    candidates += all.size();
    tau += order / (double(all.size()) * double(all.size() - 1) / 2);
  }
  if (sizes == 0)
    return;
  percentage /= double(candidates);
  tau /= double(sizes);
}

bool vortex::bench::isPeer(const std::string &contender) {
  return contender != "vortex" && contender != "static" &&
         contender != "batch-invariant";
}

std::string Row::bestPeer() const {
  std::string best;
  for (auto &[name, time] : us)
    if (isPeer(name) && (best.empty() || time < us.at(best)))
      best = name;
  return best;
}

double Row::overBest() const {
  const std::string best = bestPeer();
  return best.empty() ? 0 : us.at(best) / us.at("vortex");
}

double Row::regret() const {
  if (oracle.best.empty() || oracle.choiceMicroseconds == 0)
    return 0;
  return oracle.bestMicroseconds / oracle.choiceMicroseconds;
}

void vortex::bench::printRow(const Row &row, int width) {
  double us = row.us.at("vortex");
  const Problem &p = *row.problem;
  std::printf("%-*s %10.2f us %8.1f %s", width, p.text().c_str(), us,
              (p.isStream() ? p.bytes() : p.flops()) / us / 1e3,
              p.isStream() ? "GB/s" : "GF/s");
  for (auto &[name, time] : row.us)
    if (name != "vortex")
      std::printf("  %s %.2f", name.c_str(), time / us);
  std::printf("  %s", row.choice.c_str());
  if (double ratio = row.regret())
    std::printf("  oracle %s %.2f", row.oracle.best.c_str(), ratio);
  std::printf("\n");
}

/// The first of them, and how many more there are.
static void printLeftOut(const std::vector<LeftOut> &leftOut, int width) {
  constexpr size_t most = 20;
  if (!leftOut.empty())
    std::printf("left out:\n");
  for (size_t i = 0; i < std::min(leftOut.size(), most); ++i)
    std::printf("%-*s  %s\n", width, leftOut[i].size.c_str(),
                leftOut[i].reason.c_str());
  if (leftOut.size() > most)
    std::printf("and %zu more (--json lists all)\n", leftOut.size() - most);
}

void vortex::bench::printSummary(const Report &report, int width) {
  const std::vector<Row> &rows = report.rows;
  std::printf("%zu sizes, %zu left out; ratios are time of the peer over "
              "vortex's\n",
              rows.size(), report.leftOut.size());
  Means means(rows);
  for (auto &[name, mean] : means.peers)
    std::printf("%s: %.3f (geometric mean of %zu)\n", name.c_str(), mean.get(),
                mean.count);
  auto worst = [&](const char *title, auto ratio) {
    std::vector<const Row *> order;
    for (const Row &row : rows)
      if (ratio(row) != 0)
        order.push_back(&row);
    std::sort(order.begin(), order.end(), [&](const Row *x, const Row *y) {
      return ratio(*x) < ratio(*y);
    });
    std::printf("%s:\n", title);
    for (size_t i = 0; i < std::min<size_t>(order.size(), 20); ++i)
      printRow(*order[i], width);
  };
  if (means.best.count) {
    std::printf("over best: %.3f (geometric mean over the best peer of each "
                "size), ahead at %zu of %zu; best is",
                means.best.get(), means.ahead, means.best.count);
    const char *separator = " ";
    for (auto &[name, count] : means.wins) {
      std::printf("%s%s %zu", separator, name.c_str(), count);
      separator = ", ";
    }
    std::printf("\n");
    worst("worst over best", [](const Row &row) { return row.overBest(); });
  }
  if (means.oracle.count) {
    std::printf("best candidate over the chosen one: %.3f\n",
                means.oracle.get());
    if (CostModelError error(rows); error.sizes)
      std::printf("costs against times of all candidates at %zu sizes: mean "
                  "error %.0f%%, Kendall's tau %.2f\n",
                  error.sizes, error.percentage, error.tau);
    worst("worst choices", [](const Row &row) { return row.regret(); });
  }
  printLeftOut(report.leftOut, width);
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

std::string vortex::bench::quoted(const std::string &text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      out += '\\';
    out += c;
  }
  return out + "\"";
}

static std::string number(double value) {
  char text[64];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

std::string
vortex::bench::numbers(const std::map<std::string, double> &values) {
  std::string out = "{";
  for (auto &[name, value] : values)
    out += (out.size() > 1 ? ", " : "") + quoted(name) + ": " + number(value);
  return out + "}";
}

/// A JSON object of texts.
static std::string texts(const std::map<std::string, std::string> &values) {
  std::string out = "{";
  for (auto &[name, value] : values)
    out += (out.size() > 1 ? ", " : "") + quoted(name) + ": " + quoted(value);
  return out + "}";
}

/// A JSON array.
static std::string listed(const std::vector<LeftOut> &sizes) {
  std::string out = "[";
  for (const LeftOut &size : sizes)
    out += std::string(out.size() > 1 ? "," : "") +
           "\n  {\"size\": " + quoted(size.size) +
           ", \"reason\": " + quoted(size.reason) + "}";
  return out + "]";
}

static std::string rowJson(const Row &row) {
  std::string out = "{";
  for (const Field &field : row.problem->fields())
    out += quoted(field.name) + ": " +
           (field.flag ? "true" : std::to_string(field.value)) + ", ";
  out += "\"dtype\": " + quoted(row.problem->typeName()) +
         ", \"us\": " + numbers(row.us) +
         ", \"spread\": " + numbers(row.spread) +
         ", \"choice\": " + quoted(row.choice);
  if (!row.bestPeer().empty())
    out += ", \"best\": " + quoted(row.bestPeer()) +
           ", \"over_best\": " + number(row.overBest());
  if (!row.without.empty())
    out += ", \"without\": " + texts(row.without);
  if (!row.oracle.best.empty()) {
    out += ", \"oracle\": " + quoted(row.oracle.best) +
           ", \"oracle_us\": " + number(row.oracle.bestMicroseconds) +
           ", \"choice_us\": " + number(row.oracle.choiceMicroseconds) +
           ", \"candidates_us\": " + numbers(row.oracle.times()) +
           ", \"costs_us\": " + numbers(row.oracle.costs());
    if (!row.oracleKernel.empty())
      out += ", \"oracle_kernel\": " + quoted(row.oracleKernel);
  }
  return out + "}";
}

std::string vortex::bench::writeJson(const Options &options,
                                     const Report &report) {
  std::string out =
      "{\"schema\": 1, \"machine\": " + quoted(report.machine) +
      ", \"kind\": " + quoted(options.subject) +
      ", \"dtype\": " + quoted(options.dtype) +
      ", \"threads\": " + std::to_string(options.threads) +
      ", \"weights\": " + (options.packed ? "\"packed\"" : "\"plain\"") +
      ", \"seed\": " + std::to_string(options.seed) +
      ", \"peers\": " + texts(report.peers) + ", \"rows\": [";
  for (size_t i = 0; i < report.rows.size(); ++i)
    out += (i ? ",\n  " : "\n  ") + rowJson(report.rows[i]);
  out += "\n], \"left_out\": " + listed(report.leftOut) +
         ", \"failed\": " + listed(report.failed) +
         ",\n\"geomean\": " + numbers(Means(report.rows).get());
  if (CostModelError error(report.rows); error.sizes)
    out += ", \"costs\": " +
           numbers({{"mape", error.percentage}, {"tau", error.tau}});
  out += "}\n";
  return runtime::writeText(options.json, out);
}
