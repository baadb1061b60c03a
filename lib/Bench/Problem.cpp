//===- Problem.cpp - Problem sizes from a file or drawn at random ---------===//
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
#include <fstream>
#include <random>
#include <sstream>

using namespace vortex;
using namespace vortex::bench;

//===----------------------------------------------------------------------===//
// Problem
//===----------------------------------------------------------------------===//

VortexDType Problem::resultType() const {
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

double Problem::largestOperandBytes() const {
  double in = runtime::elementBytes(dtype);
  double out = runtime::elementBytes(resultType());
  return double(batch) * std::max({in * m * k, in * k * n, out * m * n});
}

static std::vector<int64_t> shape(int64_t batch, int64_t rows,
                                  int64_t columns) {
  if (batch == 1)
    return {rows, columns};
  return {batch, rows, columns};
}
std::vector<int64_t> Problem::shapeA() const {
  return aTransposed ? shape(batch, k, m) : shape(batch, m, k);
}
std::vector<int64_t> Problem::shapeB() const {
  return bTransposed ? shape(batch, n, k) : shape(batch, k, n);
}
std::vector<int64_t> Problem::shapeC() const { return shape(batch, m, n); }

std::string Problem::text() const {
  std::string text = runtime::elementName(dtype);
  if (batch != 1)
    text += " batch=" + std::to_string(batch);
  text += " m=" + std::to_string(m) + " n=" + std::to_string(n) +
          " k=" + std::to_string(k);
  return text + (aTransposed ? " a_t" : "") + (bTransposed ? " b_t" : "");
}

bool Problem::operator==(const Problem &o) const {
  return dtype == o.dtype && batch == o.batch && m == o.m && n == o.n &&
         k == o.k && aTransposed == o.aTransposed &&
         bTransposed == o.bTransposed;
}

bool vortex::bench::parseDType(const std::string &text, VortexDType &dtype) {
  return runtime::parseElementName(text, dtype) &&
         (dtype == VORTEX_F32 || dtype == VORTEX_F64 || dtype == VORTEX_BF16 ||
          dtype == VORTEX_F16 || dtype == VORTEX_I8);
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
/// The rows of a CSV file, cells by the name of their column.
class Table {
public:
  explicit Table(const std::string &path) : path(path), file(path) {}

  /// Reads the header. Answers an error, or "".
  std::string open() {
    std::string line;
    if (!file)
      return path + ": cannot be read";
    if (!std::getline(file, line))
      return path + ": is empty; the first line names the columns";
    header = splitLine(line);
    for (const char *name : {"m", "n", "k"})
      if (column(name) == header.size())
        return path + ":1: there is no column '" + name + "'";
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
  std::string where() const { return path + ":" + std::to_string(number); }

  /// Each leaves `to` as it is where there is no such column.
  std::string size(const char *name, int64_t &to) const {
    if (column(name) == header.size())
      return "";
    const std::string text = cell(name);
    char *end = nullptr;
    long long value = std::strtoll(text.c_str(), &end, 10);
    if (text.empty() || *end || value < 0 || value > 1000000000)
      return where() + ": column '" + name + "': expected a size, got '" +
             text + "'";
    to = value;
    return "";
  }
  std::string flag(const char *name, bool &to) const {
    if (column(name) == header.size())
      return "";
    std::string text = cell(name);
    for (char &c : text)
      c = char(std::tolower(static_cast<unsigned char>(c)));
    to = text == "true" || text == "1" || text == "t";
    if (to || text == "false" || text == "0" || text == "n" || text.empty())
      return "";
    return where() + ": column '" + name + "': expected true or false, got '" +
           text + "'";
  }
  std::string type(const char *name, VortexDType &to) const {
    if (column(name) == header.size() || parseDType(cell(name), to))
      return "";
    return where() + ": column '" + name +
           "': expected f32, f64, bf16, f16 or i8, got '" + cell(name) + "'";
  }

private:
  size_t column(const char *name) const {
    return size_t(std::find(header.begin(), header.end(), name) -
                  header.begin());
  }
  std::string cell(const char *name) const {
    size_t at = column(name);
    return at < cells.size() ? cells[at] : std::string();
  }

  std::string path;
  std::ifstream file;
  std::vector<std::string> header, cells;
  int number = 1;
};
} // namespace

std::string vortex::bench::readProblems(const Options &options,
                                        std::vector<Problem> &problems,
                                        size_t &leftOut) {
  Problem plain;
  if (!parseDType(options.dtype, plain.dtype))
    return "no such element type: " + options.dtype;
  auto take = [&](const Problem &problem) {
    if (problem.flops() == 0 || problem.flops() > options.maxGflop * 1e9 ||
        problem.largestOperandBytes() > options.maxOperandMb * 1e6)
      ++leftOut;
    else if (std::find(problems.begin(), problems.end(), problem) ==
             problems.end())
      problems.push_back(problem);
  };
  if (!options.shapes.empty()) {
    Table table(options.shapes);
    std::string error = table.open();
    while (error.empty() && table.next()) {
      Problem p = plain;
      for (std::string e :
           {table.size("m", p.m), table.size("n", p.n), table.size("k", p.k),
            table.size("batch", p.batch), table.flag("a_t", p.aTransposed),
            table.flag("b_t", p.bTransposed), table.type("dtype", p.dtype)})
        if (error.empty())
          error = e;
      // A column-major C = A B is the row-major C' = B' A'.
      if (options.columnMajor) {
        std::swap(p.m, p.n);
        std::swap(p.aTransposed, p.bTransposed);
      }
      if (error.empty())
        take(p);
    }
    if (!error.empty())
      return error;
  }
  std::mt19937_64 random(static_cast<uint64_t>(options.seed));
  std::uniform_real_distribution<double> exponent(0, std::log(4096.5));
  for (int64_t i = 0; i < options.random; ++i) {
    Problem p = plain;
    for (int64_t *extent : {&p.m, &p.n, &p.k})
      *extent = int64_t(std::exp(exponent(random)));
    take(p);
  }
  return "";
}
