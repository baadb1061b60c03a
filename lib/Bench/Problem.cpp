//===- Problem.cpp - Sizes from a file or drawn at random -----------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Problem.h"

#include "vortex/Runtime/Tooling/HostTensor.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <set>
#include <sstream>

using namespace vortex;
using namespace vortex::bench;

//===----------------------------------------------------------------------===//
// Problem
//===----------------------------------------------------------------------===//

double TensorType::bytes() const {
  double bytes = double(runtime::elementBytes(dtype));
  for (int64_t extent : shape)
    bytes *= double(extent);
  return bytes;
}

VortexDType Problem::sumType() const {
  switch (dtype) {
  case VORTEX_BF16:
  case VORTEX_F16:
    return VORTEX_F32;
  case VORTEX_I8:
    return VORTEX_I32;
  default:
    return dtype;
  }
}

bool Problem::setType(const std::string &name) {
  return runtime::parseElementName(name, dtype);
}

std::string Problem::typeName() const { return runtime::elementName(dtype); }

std::string Problem::text() const {
  std::string text = typeName();
  for (const Field &field : fields())
    text += " " + field.name +
            (field.flag ? "" : "=" + std::to_string(field.value));
  return text;
}

double Problem::largestOperandBytes() const {
  double largest = result().bytes();
  for (const TensorType &argument : arguments())
    largest = std::max(largest, argument.bytes());
  return largest;
}

double Problem::bytes() const {
  double sum = result().bytes();
  for (const TensorType &argument : arguments())
    sum += argument.bytes();
  return sum;
}

int64_t vortex::bench::drawExtent(std::mt19937_64 &random, int64_t most) {
  std::uniform_real_distribution<double> exponent(0,
                                                  std::log(double(most) + 0.5));
  return int64_t(std::exp(exponent(random)));
}

std::string vortex::bench::expand(
    std::string text,
    const std::vector<std::pair<std::string, std::string>> &names) {
  for (const auto &[name, value] : names)
    for (size_t at = 0; (at = text.find(name, at)) != std::string::npos;
         at += value.size())
      text.replace(at, name.size(), value);
  return text;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static std::vector<std::string> splitLine(const std::string &line) {
  std::vector<std::string> cells;
  std::stringstream stream(line);
  std::string cell;
  while (std::getline(stream, cell, ',')) {
    size_t first = cell.find_first_not_of(" \t\r");
    size_t last = cell.find_last_not_of(" \t\r");
    cells.push_back(
        first == std::string::npos ? "" : cell.substr(first, last - first + 1));
  }
  return cells;
}

namespace {
/// The rows of a CSV file, cells by the name of their column. What answers a
/// text answers an error, or "".
class Table {
public:
  explicit Table(const std::string &path) : path(path), file(path) {}

  /// Reads the header, which must name the needed columns.
  std::string open(const std::vector<Column> &columns) {
    std::string line;
    if (!file)
      return path + ": cannot be read";
    if (!std::getline(file, line))
      return path + ": is empty; the first line names the columns";
    header = splitLine(line);
    for (const Column &column : columns)
      if (column.needed && !find(column.names))
        return path + ":1: there is no column '" + column.names[0] + "'";
    return "";
  }
  bool next() {
    std::string line;
    while (std::getline(file, line)) {
      ++number;
      cells = splitLine(line);
      if (!cells.empty() && (cells.size() > 1 || !cells[0].empty()))
        return true;
    }
    return false;
  }

  /// Leaves what the column sets as it is where the table does not have it.
  std::string read(const Column &column) const {
    const std::string *name = find(column.names);
    if (!name)
      return "";
    return column.flag ? readFlag(*name, *column.flag)
                       : readSize(*name, column);
  }
  std::string readType(const Kind &kind, Problem &problem) const {
    const std::string *name = find({"dtype"});
    if (!name)
      return "";
    const std::string text = cell(*name);
    if (kind.takes(text) && problem.setType(text))
      return "";
    return wrong(*name, "expected " + kind.dtypeList());
  }
  std::string where() const { return path + ":" + std::to_string(number); }

private:
  std::string readSize(const std::string &name, const Column &column) const {
    const std::string text = cell(name);
    char *end = nullptr;
    long long value = std::strtoll(text.c_str(), &end, 10);
    if (text.empty() || *end || value < column.least || value > 1000000000)
      return wrong(name, column.least ? "expected a size of at least " +
                                            std::to_string(column.least)
                                      : "expected a size");
    for (int64_t *size : column.sizes)
      *size = value;
    return "";
  }
  std::string readFlag(const std::string &name, bool &to) const {
    std::string text = cell(name);
    for (char &c : text)
      c = char(std::tolower(static_cast<unsigned char>(c)));
    to = text == "true" || text == "1" || text == "t";
    if (to || text == "false" || text == "0" || text == "n" || text.empty())
      return "";
    return wrong(name, "expected true or false");
  }

  /// The first of the names that the header has, or null.
  const std::string *find(const std::vector<std::string> &names) const {
    for (const std::string &name : names) {
      auto at = std::find(header.begin(), header.end(), name);
      if (at != header.end())
        return &*at;
    }
    return nullptr;
  }
  std::string cell(const std::string &name) const {
    auto at =
        size_t(std::find(header.begin(), header.end(), name) - header.begin());
    return at < cells.size() ? cells[at] : std::string();
  }
  std::string wrong(const std::string &name, const std::string &what) const {
    return where() + ": column '" + name + "': " + what + ", got '" +
           cell(name) + "'";
  }

  std::string path;
  std::ifstream file;
  std::vector<std::string> header, cells;
  int number = 1;
};
} // namespace

/// Why the problem is not measured, or "".
static std::string whyNot(const Problem &problem, const Options &options) {
  auto above = [](const char *what, double is, double most) {
    char text[96];
    std::snprintf(text, sizeof text, "%.4g %s, more than %.4g", is, what, most);
    return std::string(text);
  };
  if (problem.flops() == 0)
    return "nothing to compute";
  if (double gflop = problem.flops() / 1e9; gflop > options.maxGflop)
    return above("GFLOP", gflop, options.maxGflop);
  if (double mb = problem.largestOperandBytes() / 1e6;
      mb > options.maxOperandMb)
    return above("MB of an operand", mb, options.maxOperandMb);
  return "";
}

std::string
vortex::bench::readProblems(const Options &options, const Kind &kind,
                            std::vector<std::unique_ptr<Problem>> &problems,
                            std::vector<LeftOut> &leftOut) {
  std::set<std::string> taken;
  auto take = [&](std::unique_ptr<Problem> problem) {
    const std::string text = problem->text();
    if (!taken.insert(text).second)
      return;
    std::string reason = whyNot(*problem, options);
    if (reason.empty())
      problems.push_back(std::move(problem));
    else
      leftOut.push_back({text, reason});
  };
  if (!options.shapes.empty()) {
    Table table(options.shapes);
    if (std::string error = table.open(kind.make()->columns()); !error.empty())
      return error;
    while (table.next()) {
      std::unique_ptr<Problem> problem = kind.make();
      problem->setType(options.dtype);
      std::string error = table.readType(kind, *problem);
      for (const Column &column : problem->columns())
        if (error.empty())
          error = table.read(column);
      if (error.empty())
        if (error = problem->complete(options); !error.empty())
          error = table.where() + ": " + error;
      if (!error.empty())
        return error;
      take(std::move(problem));
    }
  }
  std::mt19937_64 random(static_cast<uint64_t>(options.seed));
  for (int64_t i = 0; i < options.random; ++i) {
    std::unique_ptr<Problem> problem = kind.make();
    problem->setType(options.dtype);
    problem->draw(random);
    take(std::move(problem));
  }
  if (!problems.empty())
    return "";
  if (leftOut.empty())
    return options.shapes + ": there are no rows below the names of columns";
  return "no sizes are left: " + std::to_string(leftOut.size()) +
         " are empty or over the limits";
}
