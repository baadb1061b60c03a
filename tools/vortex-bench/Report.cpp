//===- Report.cpp - Ratios, means and JSON -------------------------- -===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bench.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <set>

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
  double get() const { return count ? std::exp(sum / count) : 0; }
};
} // namespace

/// Time of the fastest peer over ours; 0 without peers.
static double bestRatio(const Row &row) {
  double best = 0;
  for (auto &[name, us] : row.us)
    if (name != "vortex" && name != "choice")
      best = best == 0 ? us : std::min(best, us);
  return best / row.us.at("vortex");
}

static void printRow(const Row &row) {
  std::printf(
      "%6lld %6lld %6lld  %9.2f us %7.1f GF/s  best peer / vortex %.2f  "
      "%s",
      (long long)row.shape.m, (long long)row.shape.n, (long long)row.shape.k,
      row.us.at("vortex"), row.shape.flops() / row.us.at("vortex") / 1e3,
      bestRatio(row), row.choice.c_str());
  if (!row.oracle.empty())
    std::printf("  oracle %s %.2f", row.oracle.c_str(),
                row.oracleUs /
                    row.us.at(row.us.count("choice") ? "choice" : "vortex"));
  std::printf("\n");
}

static std::string quoted(const std::string &text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      out += '\\';
    out += c;
  }
  return out + "\"";
}

static std::string numbers(const std::map<std::string, double> &values) {
  std::string out = "{";
  for (auto &[name, value] : values) {
    char text[64];
    std::snprintf(text, sizeof text, "%.6g", value);
    out += (out.size() > 1 ? ", " : "") + quoted(name) + ": " + text;
  }
  return out + "}";
}

std::string vortex::bench::report(const Options &options,
                                  const std::vector<Row> &rows,
                                  size_t leftOut) {
  std::map<std::string, Mean> peers;
  Mean best, regret;
  size_t ahead = 0;
  std::vector<const Row *> order;
  for (const Row &row : rows) {
    printRow(row);
    order.push_back(&row);
    for (auto &[name, us] : row.us)
      if (name != "vortex" && name != "choice")
        peers[name].add(us / row.us.at("vortex"));
    if (double ratio = bestRatio(row)) {
      best.add(ratio);
      ahead += ratio >= 1;
    }
    if (row.us.count("choice"))
      regret.add(row.oracleUs / row.us.at("choice"));
  }
  std::printf("%zu shapes, %zu left out by size\n", rows.size(), leftOut);
  std::map<std::string, double> means;
  for (auto &[name, mean] : peers) {
    means[name] = mean.get();
    std::printf("%s / vortex: %.3f (geometric mean)\n", name.c_str(),
                mean.get());
  }
  if (best.count) {
    means["best"] = best.get();
    std::printf("best peer of each shape / vortex: %.3f, ahead at %zu\n",
                best.get(), ahead);
    std::sort(order.begin(), order.end(), [](const Row *x, const Row *y) {
      return bestRatio(*x) < bestRatio(*y);
    });
    std::printf("worst:\n");
    for (size_t i = 0; i < std::min<size_t>(order.size(), 20); ++i)
      printRow(*order[i]);
  }
  if (regret.count) {
    means["oracle"] = regret.get();
    std::printf("oracle / choice: %.3f\n", regret.get());
  }
  if (options.json.empty())
    return "";
  std::string temporary = options.json + ".tmp";
  {
    std::ofstream out(temporary);
    out << "{\"schema\": 1, \"machine\": " << quoted(options.target)
        << ", \"dtype\": \"f32\", \"threads\": " << options.threads
        << ", \"weights\": " << (options.packed ? "\"packed\"" : "\"plain\"")
        << ", \"seed\": " << options.seed << ", \"rows\": [";
    for (size_t i = 0; i < rows.size(); ++i) {
      const Row &row = rows[i];
      std::map<std::string, double> us = row.us;
      us.erase("choice");
      out << (i ? ",\n  " : "\n  ") << "{\"m\": " << row.shape.m
          << ", \"n\": " << row.shape.n << ", \"k\": " << row.shape.k
          << ", \"us\": " << numbers(us)
          << ", \"spread\": " << numbers(row.spread)
          << ", \"choice\": " << quoted(row.choice);
      if (!row.oracle.empty())
        out << ", \"oracle\": " << quoted(row.oracle)
            << ", \"oracle_us\": " << row.oracleUs;
      out << "}";
    }
    out << "\n], \"geomean\": " << numbers(means) << "}\n";
    if (!out)
      return temporary + ": cannot be written";
  }
  if (std::rename(temporary.c_str(), options.json.c_str()))
    return options.json + ": cannot be written";
  return "";
}
