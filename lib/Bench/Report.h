//===- Report.h - Ratios, means and JSON ------------------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_LIB_BENCH_REPORT_H
#define VORTEX_LIB_BENCH_REPORT_H

#include "Problem.h"
#include "Program.h"

#include <map>

namespace vortex {
namespace bench {

/// What was measured at one size: microseconds (medians) by contender, which
/// are "vortex", "static" (the program compiled for this size) and peers.
struct Row {
  const Problem *problem = nullptr; ///< outlives the row
  std::map<std::string, double> us, spread;
  std::map<std::string, std::string> without; ///< why a peer has no time here
  std::string choice;
  Oracle oracle; ///< `best` is "" where it was not asked for
  /// Whose candidates those are; "" where one kernel alone had a choice.
  std::string oracleKernel;

  /// The fastest peer; "" without peers.
  std::string bestPeer() const;
  /// Its time over ours; 0 without peers.
  double overBest() const;
  /// Fastest candidate over the chosen one; 0 where unknown.
  double regret() const;
};

/// How well the costs of candidates agree with their times, over sizes at which
/// a single kernel chose among at least two.
struct CostModelError {
  size_t sizes = 0;
  /// Mean of |cost - time| / time over all candidates of all sizes (MAPE).
  double percentage = 0;
  /// Kendall's rank correlation of costs and times at each size, its mean: 1
  /// where all pairs are in the right order, 0 where half are. A pair of equal
  /// costs counts as neither.
  double tau = 0;

  explicit CostModelError(const std::vector<Row> &rows);
};

bool isPeer(const std::string &contender);

/// One line for a row; the size takes `width` columns.
void printRow(const Row &row, int width);
/// All that was found out in one run.
struct Report {
  std::string machine;
  std::map<std::string, std::string>
      peers; ///< the version of each that is there
  std::vector<Row> rows;
  std::vector<LeftOut> leftOut; ///< over a limit
  std::vector<LeftOut> failed;
};

/// Means over all rows, the worst rows, the worst choices, what was left out.
void printSummary(const Report &report, int width);
/// Answers an error, or "".
std::string writeJson(const Options &options, const Report &report);

/// Text as a JSON string.
std::string quoted(const std::string &text);
/// A JSON object of numbers.
std::string numbers(const std::map<std::string, double> &values);

} // namespace bench
} // namespace vortex

#endif // VORTEX_LIB_BENCH_REPORT_H
